//! OpenClaw's list: whole if it fits; else as many names as fit, with all descriptions cut to the longest length that
//! fits for all of them.

use std::path::Path;

use super::listing::{LineFit, ListLine, ListRoom, utf16_length};

/// Characters of the text around the entries: with whole descriptions, with short ones, and with none.
const FRAME_WHOLE: usize = 370;
const FRAME_SHORT: usize = 378;
const FRAME_NAMES: usize = 363;

/// Characters of an entry besides name and path, and of the line with its description.
const ENTRY: usize = 65;
const DESCRIPTION_LINE: usize = 32;

/// Characters around the line above the list: a sign, the hint at a command, the line end.
const NOTE_FRAME: usize = 3 + 39 + 1;

/// The shortest and the longest to which descriptions are cut.
const SHORTEST: usize = 4;
const LONGEST: usize = 220;

pub(super) fn fit_lines(lines: &[ListLine], room: &ListRoom<'_>) -> Vec<LineFit> {
    let list = OpenClawList {
        lines,
        home: room.home,
        limit: room.limit.characters.unwrap_or(usize::MAX),
    };
    let by_count = room.limit.skills.unwrap_or(usize::MAX).min(lines.len());

    if list.whole_length(by_count) <= list.limit {
        return list.fits(by_count, |line| {
            LineFit::Described(line.description.clone())
        });
    }

    // The longest beginning of the list whose names fit, then the longest descriptions that fit for all of it.
    let listed = largest_fitting(0, by_count, |count| {
        list.short_length(count, 0) <= list.limit
    });
    let fits = |length: usize| list.short_length(listed, length) <= list.limit;
    let length = if listed > 0 && fits(SHORTEST) {
        largest_fitting(SHORTEST, LONGEST, fits)
    } else {
        0
    };

    list.fits(listed, |line| match length {
        0 => LineFit::NameOnly,
        length => LineFit::Described(shorten(&line.description, length)),
    })
}

/// The largest number in the range for which it fits; the lowest is not asked about.
fn largest_fitting(lowest: usize, highest: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (lowest, highest);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

struct OpenClawList<'a> {
    lines: &'a [ListLine],
    home: &'a Path,
    limit: usize,
}

impl OpenClawList<'_> {
    fn fits(&self, listed: usize, fit: impl Fn(&ListLine) -> LineFit) -> Vec<LineFit> {
        let fits = self.lines.iter().enumerate();
        fits.map(|(at, line)| {
            if at < listed {
                fit(line)
            } else {
                LineFit::Omitted
            }
        })
        .collect()
    }

    /// The list of so many skills with whole descriptions.
    fn whole_length(&self, count: usize) -> usize {
        let entries = self.lines[..count].iter().map(|line| {
            self.entry_length(line) + DESCRIPTION_LINE + escaped_length(&line.description)
        });
        self.note_length(count, None) + framed(count, FRAME_WHOLE) + entries.sum::<usize>()
    }

    /// The same with descriptions of at most so many characters; none at all for 0.
    fn short_length(&self, count: usize, longest: usize) -> usize {
        let frame = if longest == 0 {
            FRAME_NAMES
        } else {
            FRAME_SHORT
        };
        let description = |line: &ListLine| match longest {
            0 => 0,
            longest => match shorten(&line.description, longest) {
                text if text.is_empty() => 0,
                text => DESCRIPTION_LINE + escaped_length(&text),
            },
        };

        let entries = self.lines[..count]
            .iter()
            .map(|line| self.entry_length(line) + description(line));
        self.note_length(count, Some(longest > 0)) + framed(count, frame) + entries.sum::<usize>()
    }

    fn entry_length(&self, line: &ListLine) -> usize {
        let path = match line.path.strip_prefix(self.home) {
            // It is written with `~/` before it.
            Ok(below) => escaped_length(&below.to_string_lossy()) + 2,
            Err(_) => escaped_length(&line.path.to_string_lossy()),
        };
        ENTRY + escaped_length(&line.name) + path
    }

    /// The line above the list that says what is missing, with its line end. `shortened` says whether short
    /// descriptions are there; `None` for whole ones.
    fn note_length(&self, count: usize, shortened: Option<bool>) -> usize {
        let state = match shortened {
            Some(true) => "descriptions shortened",
            Some(false) => "descriptions omitted",
            None => "",
        };
        let total = self.lines.len();

        let note = match (count < total, shortened) {
            (true, None) => format!("Skills truncated: included {count} of {total}"),
            (true, Some(_)) => {
                format!("Skills truncated: included {count} of {total} (compact format, {state})")
            }
            (false, Some(_)) => format!("Skills catalog using compact format ({state})"),
            (false, None) => return 0,
        };
        NOTE_FRAME + note.len()
    }
}

/// The text around the entries, which is left out where there are none.
fn framed(count: usize, frame: usize) -> usize {
    if count == 0 { 0 } else { frame }
}

/// The length of a text with the five characters escaped that XML reserves.
fn escaped_length(text: &str) -> usize {
    let more = text.chars().map(|c| match c {
        '&' => 4,
        '<' | '>' => 3,
        '"' | '\'' => 5,
        _ => 0,
    });
    utf16_length(text) + more.sum::<usize>()
}

/// A description on one line, with `...` in place of what is too long.
fn shorten(description: &str, longest: usize) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    if utf16_length(&line) <= longest {
        return line;
    }

    let mut length = 0;
    let kept: String = line
        .chars()
        .take_while(|c| {
            length += c.len_utf16();
            length <= longest - 3
        })
        .collect();
    format!("{}...", kept.trim_end())
}

//! Claude Code's list: whole if it fits; else names only, and whole descriptions again in the order of the list, as many
//! as fit.

use super::listing::{LineFit, ListLine};
use crate::catalog::budget::ListingLimit;

/// Characters of an entry besides its name: `- ` and the line end; and `: ` before a description.
const ENTRY: usize = 3;
const SEPARATOR: usize = 2;

/// What comes with Claude Code 2.1.330: eleven skills that are never cut, with their line ends, …
const OWN_SKILLS: usize = 6041 + 11;

/// … and behind all others two that are, `init` and `security-review`: their names alone, and what their descriptions add.
const OWN_COMMANDS: [(usize, usize); 2] = [(7, 61), (18, 73)];

pub(super) fn fit_lines(lines: &[ListLine], limit: &ListingLimit) -> Vec<LineFit> {
    let longest = limit.description.unwrap_or(usize::MAX);
    let texts: Vec<String> = lines
        .iter()
        .map(|line| shorten(&line.description, longest))
        .collect();
    // The last entry has no line end.
    let room = limit
        .characters
        .map_or(usize::MAX, |room| room.saturating_add(1));

    let of_own: usize = OWN_COMMANDS.iter().map(|(name, _)| name).sum();
    let names = lines.iter().map(|line| ENTRY + line.name.chars().count());
    let names = OWN_SKILLS + of_own + names.sum::<usize>();
    let described: Vec<usize> = texts.iter().map(|text| described_length(text)).collect();
    let own_texts: usize = OWN_COMMANDS.iter().map(|(_, text)| text).sum();
    if names + own_texts + described.iter().sum::<usize>() <= room {
        return texts.into_iter().map(LineFit::Described).collect();
    }

    let mut left = room.saturating_sub(names);
    texts
        .into_iter()
        .zip(described)
        .map(|(text, length)| {
            if length > left {
                return LineFit::NameOnly;
            }
            // A shorter one further down may still fit.
            left -= length;
            LineFit::Described(text)
        })
        .collect()
}

/// What a description adds to its entry; a switch may have left it empty.
fn described_length(text: &str) -> usize {
    match text.chars().count() {
        0 => 0,
        length => SEPARATOR + length,
    }
}

fn shorten(description: &str, longest: usize) -> String {
    if description.chars().count() <= longest {
        return description.to_owned();
    }
    // The ellipsis counts.
    description
        .chars()
        .take(longest.saturating_sub(1))
        .chain(['…'])
        .collect()
}

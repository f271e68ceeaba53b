//! A patch as people read it: in colors, the changed words of a line marked, nothing in it that cannot be seen.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::foreign_text::escape_for_review;
use crate::merge::patch::changed_lines;
use crate::ops::diff::SkillDiff;
use crate::package::FileChange;

/// Largest line whose words are compared, in bytes.
const COMPARED_LINE_MAX: usize = 2_000;

/// A patch in colors.
pub(in crate::cli) fn style_patch(patch: &str) -> String {
    let lines: Vec<&str> = patch.split_terminator('\n').collect();

    let mut out = String::with_capacity(patch.len() * 2);
    let (mut at, mut in_hunk) = (0, false);
    while at < lines.len() {
        let line = lines[at];
        // Outside a hunk, `---` and `+++` are headers and not a removed and an added line.
        in_hunk = line.starts_with("@@") || (in_hunk && !line.starts_with("diff --git "));

        let removed = if in_hunk {
            count_prefixed(&lines[at..], '-')
        } else {
            0
        };
        let added = count_prefixed(&lines[at + removed..], '+');
        // As many lines removed as added are taken for the same lines, changed.
        if removed > 0 && removed == added {
            let pairs = lines[at..at + removed]
                .iter()
                .zip(&lines[at + removed..at + 2 * removed]);

            let (old, new): (Vec<String>, Vec<String>) =
                pairs.map(|(old, new)| style_pair(old, new)).unzip();
            old.into_iter()
                .chain(new)
                .for_each(|line| out.push_str(&line));
            at += 2 * removed;
        } else {
            push_line(&mut out, plain_style(line, in_hunk), line);
            at += 1;
        }
    }
    out
}

/// How many lines begin with a mark.
fn count_prefixed(lines: &[&str], mark: char) -> usize {
    lines
        .iter()
        .take_while(|line| line.starts_with(mark))
        .count()
}

fn plain_style(line: &str, in_hunk: bool) -> Style {
    match line.as_bytes().first() {
        Some(b'@') => AnsiColor::Cyan.on_default(),
        Some(b'+') if in_hunk => AnsiColor::Green.on_default(),
        Some(b'-') if in_hunk => AnsiColor::Red.on_default(),
        // As git draws the headers of a file.
        _ if !in_hunk => Style::new().bold(),
        _ => Style::new(),
    }
}

fn push_line(out: &mut String, style: Style, line: &str) {
    let _ = writeln!(out, "{style}{}{style:#}", escape_for_review(line));
}

/// A line that became another, each with its own words marked.
fn style_pair(old: &str, new: &str) -> (String, String) {
    let (red, green) = (AnsiColor::Red.on_default(), AnsiColor::Green.on_default());

    // Comparing words takes time that grows with the square of the line.
    if old.len().max(new.len()) > COMPARED_LINE_MAX {
        let (mut removed, mut added) = (String::new(), String::new());
        push_line(&mut removed, red, old);
        push_line(&mut added, green, new);
        return (removed, added);
    }

    let (mut removed, mut added) = (format!("{red}-"), format!("{green}+"));
    // The marks of the patch are no words of the lines.
    let (old, new) = (split_words(&old[1..]), split_words(&new[1..]));
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let is_equal = op.tag() == DiffTag::Equal;
        push_part(&mut removed, &old[op.old_range()].concat(), red, is_equal);
        push_part(&mut added, &new[op.new_range()].concat(), green, is_equal);
    }

    let _ = writeln!(removed, "{red:#}");
    let _ = writeln!(added, "{green:#}");
    (removed, added)
}

/// Adds words of a line, marked if only this side has them.
fn push_part(text: &mut String, part: &str, style: Style, is_equal: bool) {
    let part = escape_for_review(part);

    // An empty mark would leave codes in the text that show nothing.
    if is_equal || part.is_empty() {
        text.push_str(&part);
    } else {
        let marked = style.bold().underline();
        let _ = write!(text, "{style:#}{marked}{part}{marked:#}{style}");
    }
}

/// A text word by word, with blanks and signs each by itself.
fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();

    let mut start = 0;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut before = None;
    for (at, c) in text.char_indices() {
        // Signs stand alone, so that a changed comma does not mark the words beside it.
        if before.is_some_and(|before| !(is_word(before) && is_word(c))) {
            words.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }

    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// `pdf/SKILL.md  +2 -1`, a line a file.
pub(in crate::cli) fn diff_stat(compared: &SkillDiff) -> Vec<String> {
    compared
        .changes
        .iter()
        .map(|change| file_stat(&compared.place, change))
        .collect()
}

fn file_stat(place: &Path, change: &FileChange) -> String {
    let (added, removed) = changed_lines(change);
    let path = place.join(change.path());

    let what = match (&change.from, &change.to) {
        (None, _) => " (new)".to_owned(),
        (_, None) => " (removed)".to_owned(),
        (Some(from), Some(to)) if from != to => format!(" (was {from})"),
        // A binary file has no lines, so that `+0 -0` alone would look unchanged.
        _ if !change.is_text() => " (no text)".to_owned(),
        _ => String::new(),
    };

    format!("{}  +{added} -{removed}{what}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_words_are_marked_and_invisible_characters_spelled_out() {
        let patch = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n same\n-one old word\n+one new\u{202e} word\n";
        let styled = style_patch(patch);
        let bare = anstream::adapter::strip_str(&styled).to_string();
        assert_eq!(bare, patch.replace('\u{202e}', "\\u{202e}"));
        let marked = AnsiColor::Red.on_default().bold().underline();
        assert!(
            styled.contains(&format!("{marked}old{marked:#}")),
            "{styled:?}"
        );
    }

    #[test]
    fn line_is_split_into_words_and_signs() {
        assert_eq!(
            split_words("a_b  c-d é!"),
            ["a_b", " ", " ", "c", "-", "d", " ", "é", "!"]
        );
    }
}

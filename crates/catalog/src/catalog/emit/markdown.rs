//! `markdown`: a section for `AGENTS.md` or any file that an agent is given as it is.
//!
//! ```text
//! <!-- skillpm:start -->
//! ## Skills
//!
//! Each skill below is a file of instructions …
//!
//! - `csv-tidy` (`.agents/skills/csv-tidy/SKILL.md`): Clean CSV files …
//! <!-- skillpm:end -->
//! ```
//!
//! A section of other skills than all has options in its first line, by which it can be made again:
//! `<!-- skillpm:start agent=cline -->`. The section between the markers is skillpm's and is rewritten by [`update_block`]; every other byte of the file is
//! kept. The location comes before the description: a malicious description can garble only itself.

use std::io::{self, Write};
use std::path::Path;

use super::EmitOptions;
use crate::catalog::Catalog;
use crate::catalog::text::one_line;
use skillpm_core::skill::line_ending;

/// The line after which a block begins, if it has no options.
pub const START: &str = "<!-- skillpm:start -->";
const START_BEFORE: &str = "<!-- skillpm:start ";
const START_AFTER: &str = "-->";
/// The line before which a block ends.
pub const END: &str = "<!-- skillpm:end -->";

const DEFAULT_PREAMBLE: &str = "## Skills\n\nEach skill below is a file of instructions for one kind of task. Before you start \
                        a task that a description fits, read\nthe skill's file and follow it. Paths in a skill are \
                        relative to the directory of its file.\n";

/// Writes the catalog between its markers; nothing at all when it is empty.
pub(super) fn emit(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if catalog.listed().next().is_none() {
        return Ok(());
    }

    writeln!(out, "{START}")?;
    write_inner(catalog, options, out)?;
    writeln!(out, "{END}")
}

/// The text between the markers; empty if the catalog is.
#[must_use]
pub fn render_inner(catalog: &Catalog, options: &EmitOptions<'_>) -> String {
    let mut bytes = Vec::new();
    if catalog.listed().next().is_some() {
        write_inner(catalog, options, &mut bytes).expect("writing to memory cannot fail");
    }
    String::from_utf8(bytes).expect("the block is UTF-8")
}

fn write_inner(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let preamble = options
        .preamble
        .unwrap_or(DEFAULT_PREAMBLE)
        .trim_end_matches('\n');
    // A preamble with a marker in it would end the block early on the next update.
    writeln!(
        out,
        "{}\n",
        preamble
            .replace(START, "")
            .replace(START_BEFORE, "")
            .replace(END, "")
    )?;

    for entry in catalog.listed() {
        let skill = &entry.candidate;
        let location = display_location(&skill.location(&catalog.roots), options);
        let (name, location) = (code_span(&skill.listing.name), code_span(&location));
        writeln!(
            out,
            "- {name} ({location}): {}",
            escape_html(&skill.listing.summary())
        )?;
    }
    Ok(())
}

/// `path` as a reader elsewhere may understand it: from the base, else from the home directory, else absolute.
fn display_location(path: &Path, options: &EmitOptions<'_>) -> String {
    let from = |base: Option<&Path>| path.strip_prefix(base?).ok();
    match (options.base, from(options.base), from(options.home)) {
        // A file that is committed must not have the paths of one machine in it.
        (Some(_), Some(relative), _) => join_parts(relative),
        (Some(_), None, Some(relative)) => format!("~/{}", join_parts(relative)),
        _ => path.to_string_lossy().into_owned(),
    }
}

/// A path with `/` on every system.
fn join_parts(path: &Path) -> String {
    path.iter()
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// A code span with `text`, whatever backticks are in it. It cannot contain a marker.
fn code_span(text: &str) -> String {
    let text = one_line(text)
        .replace("<!--", "<!\u{fffd}")
        .replace("-->", "\u{fffd}>");
    // CommonMark closes a span at a run of backticks of the same length as the opening one.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A blank is needed beside a backtick, and CommonMark strips it again.
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        " "
    } else {
        ""
    };

    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `text` on one line, without anything that Markdown would take for HTML. Emphasis and the like are left as they are:
/// the text is read by models, verbatim.
fn escape_html(text: &str) -> String {
    let line = one_line(text);

    let mut out = String::with_capacity(line.len());
    for (at, c) in line.char_indices() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A bare `&` is plain text in Markdown, and stays readable.
            '&' if begins_entity(&line[at + 1..]) => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out
}

fn begins_entity(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(name.len());

    end > 0 && name[end..].starts_with(';')
}

/// A section of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedSection<'t> {
    /// What the marker at its beginning says of how it was made.
    pub options: &'t str,
    /// The text between the markers.
    pub inner: &'t str,
}

/// Finds the section of a text.
#[must_use]
pub fn find_section(text: &str) -> Option<MarkedSection<'_>> {
    let (marker, start, end) = find_block(text)?;
    Some(MarkedSection {
        options: marker_options(text[marker..start].trim())?,
        inner: &text[start..end],
    })
}

/// The options in a line, if it is a marker of a beginning.
fn marker_options(line: &str) -> Option<&str> {
    let options = line.strip_prefix(START_BEFORE)?.strip_suffix(START_AFTER)?;
    (!options.contains(START_AFTER)).then_some(options.trim())
}

fn marker(options: &str) -> String {
    let gap = if options.is_empty() { "" } else { " " };
    format!("{START_BEFORE}{options}{gap}{START_AFTER}")
}

/// `existing` with `inner` between its markers, or with a block of it at its end where it has none yet.
///
/// Every byte outside the markers stays, and the line endings are those of the file. With an empty `inner` the markers
/// stay with nothing between them; a file without a block is then left alone. A marker counts only alone on its
/// line, and of several starts the last before an end. The first marker gets the options.
#[must_use]
pub fn update_block(existing: &str, options: &str, inner: &str) -> String {
    let newline = line_ending(existing);

    let body = inner
        .lines()
        .fold(String::new(), |body, line| body + line + newline);

    if let Some((begin, start, end)) = find_block(existing) {
        let line = &existing[begin..start];
        // Another spelling of the same marker stays.
        let line = match marker_options(line.trim()) {
            Some(present) if present == options => line.to_owned(),
            _ => format!("{}{newline}", marker(options)),
        };
        // What is between the markers is replaced as a whole, edits by hand included.
        return format!("{}{line}{body}{}", &existing[..begin], &existing[end..]);
    }

    if inner.is_empty() {
        return existing.to_owned();
    }

    let gap = match existing {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };

    let start = marker(options);
    format!("{existing}{gap}{start}{newline}{body}{END}{newline}")
}

/// The line of the start marker, from after it, and to the line of the end marker.
fn find_block(text: &str) -> Option<(usize, usize, usize)> {
    find_lines(text, |line| marker_options(line).is_some(), END)
}

/// The last line that is `first` before one that is `last`, from after it, and to that one.
fn find_lines(
    text: &str,
    is_first: impl Fn(&str) -> bool,
    last: &str,
) -> Option<(usize, usize, usize)> {
    let (mut at, mut start) = (0, None);

    for line in text.split_inclusive('\n') {
        let marker = line.trim();
        // The last start before an end counts; an end without one is the owner's text.
        if is_first(marker) {
            start = Some((at, at + line.len()));
        } else if let (true, Some((begin, start))) = (marker == last, start) {
            return Some((begin, start, at));
        }
        at += line.len();
    }

    None
}

/// The lines around the section that openskills keeps.
const OPENSKILLS: (&str, &str) = ("<!-- SKILLS_TABLE_START -->", "<!-- SKILLS_TABLE_END -->");
/// What openskills writes around those, where it makes the section itself.
const OPENSKILLS_AROUND: (&str, &str) = ("<skills_system priority=\"1\">", "</skills_system>");
const OPENSKILLS_HEAD: &str = "## Available Skills";

/// Whether a file has a section that openskills keeps.
#[must_use]
pub fn has_openskills(text: &str) -> bool {
    find_lines(text, |line| line == OPENSKILLS.0, OPENSKILLS.1).is_some()
}

/// `text` with an empty block of ours in the place of the section that openskills keeps; without either where ours is
/// there already. Every byte outside of both stays.
#[must_use]
pub fn replace_openskills(text: &str) -> String {
    let Some((start, end)) = find_openskills(text) else {
        return text.to_owned();
    };

    let newline = line_ending(text);
    let (before, after) = (&text[..start], &text[end..]);
    // A block of ours is there already, and two would be listed twice.
    if find_block(text).is_some() {
        return format!("{before}{after}");
    }

    format!("{before}{START}{newline}{END}{newline}{after}")
}

/// The whole lines of the section, with what openskills puts around it if that is unchanged.
fn find_openskills(text: &str) -> Option<(usize, usize)> {
    let (start, _, end) = find_lines(text, |line| line == OPENSKILLS.0, OPENSKILLS.1)?;
    // The marker lines go as well.
    let end = end + text[end..].split_inclusive('\n').next().map_or(0, str::len);
    // The heading and the element around it are removed only as a whole and unchanged: what
    // the owner has edited there is the owner's.
    let head = text[..start]
        .trim_end()
        .strip_suffix(OPENSKILLS_HEAD)
        .unwrap_or(&text[..start])
        .trim_end();

    let tail = text[end..].trim_start().strip_prefix(OPENSKILLS_AROUND.1);
    match (head.strip_suffix(OPENSKILLS_AROUND.0), tail) {
        (Some(head), Some(tail)) if head.is_empty() || head.ends_with('\n') => {
            // The line end behind the element belongs to it, unless other text follows on the line.
            let gap = tail.find('\n').map_or(tail.len(), |at| at + 1);
            let rest = if tail[..gap].trim().is_empty() {
                &tail[gap..]
            } else {
                tail
            };
            Some((head.len(), text.len() - rest.len()))
        }
        _ => Some((start, end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_rewritten_in_place_and_no_other_byte_moves() {
        let before = "# Mine\n\n<!-- skillpm:start -->\nold\nlines\n<!-- skillpm:end -->\n\ttail without newline";
        let after =
            "# Mine\n\n<!-- skillpm:start -->\nnew\n<!-- skillpm:end -->\n\ttail without newline";
        assert_eq!(update_block(before, "", "new\n"), after);
        assert_eq!(update_block(after, "", "new\n"), after);
    }

    #[test]
    fn a_file_without_a_block_gets_one_at_its_end() {
        let block = "<!-- skillpm:start -->\nx\n<!-- skillpm:end -->\n";
        assert_eq!(update_block("", "", "x"), block);
        assert_eq!(update_block("# A\n", "", "x"), format!("# A\n\n{block}"));
        assert_eq!(update_block("# A", "", "x"), format!("# A\n\n{block}"));
    }

    #[test]
    fn line_endings_are_those_of_the_file() {
        let before = "# A\r\n<!-- skillpm:start -->\r\n<!-- skillpm:end -->\r\n";
        assert_eq!(
            update_block(before, "", "x\ny\n"),
            "# A\r\n<!-- skillpm:start -->\r\nx\r\ny\r\n<!-- skillpm:end -->\r\n"
        );
        assert_eq!(
            update_block("# A\r\n", "", "x"),
            "# A\r\n\r\n<!-- skillpm:start -->\r\nx\r\n<!-- skillpm:end -->\r\n"
        );
    }

    #[test]
    fn an_empty_catalog_empties_its_block_and_adds_none() {
        assert_eq!(update_block("# A\n", "", ""), "# A\n");
        assert_eq!(
            update_block("<!-- skillpm:start -->\nx\n<!-- skillpm:end -->\n", "", ""),
            "<!-- skillpm:start -->\n<!-- skillpm:end -->\n"
        );
    }

    #[test]
    fn a_lost_or_quoted_marker_never_takes_text_with_it() {
        let lost = "<!-- skillpm:start -->\nmine\n";
        let once = update_block(lost, "", "x");
        assert!(once.starts_with(lost));
        assert_eq!(update_block(&once, "", "y"), once.replace("\nx\n", "\ny\n"));
        let quoted = "write `<!-- skillpm:start -->` there\nmine\n<!-- skillpm:end -->\n";
        assert!(update_block(quoted, "", "x").starts_with(quoted));
    }

    #[test]
    fn a_section_of_openskills_is_replaced_with_its_surroundings() {
        let section = "<!-- SKILLS_TABLE_START -->\n<usage>\n</usage>\n<!-- SKILLS_TABLE_END -->\n";
        let whole = format!(
            "<skills_system priority=\"1\">\n\n## Available Skills\n\n{section}\n</skills_system>\n"
        );
        let ours = format!("{START}\n{END}\n");
        for theirs in [section, &whole] {
            let before = format!("# A\n\n{theirs}\n# B\n");
            assert!(has_openskills(&before));
            assert_eq!(replace_openskills(&before), format!("# A\n\n{ours}\n# B\n"));
            assert_eq!(
                replace_openskills(&format!("{ours}\n{before}")),
                format!("{ours}\n# A\n\n\n# B\n")
            );
        }
        assert_eq!(replace_openskills(&whole), ours);
    }

    #[test]
    fn what_is_not_wholly_openskills_own_stays() {
        let mine = "<skills_system priority=\"1\">\nmine\n<!-- SKILLS_TABLE_START -->\n<!-- SKILLS_TABLE_END -->\n</skills_system>";
        let kept =
            format!("<skills_system priority=\"1\">\nmine\n{START}\n{END}\n</skills_system>");
        assert_eq!(replace_openskills(mine), kept);
        for text in [
            "",
            "# A\n",
            "<!-- SKILLS_TABLE_START -->\nmine\n",
            "say <!-- SKILLS_TABLE_END -->",
        ] {
            assert!(!has_openskills(text));
            assert_eq!(replace_openskills(text), text);
        }
    }

    #[test]
    fn hostile_text_cannot_leave_its_line_or_close_the_block() {
        assert_eq!(
            escape_html("a\n<!-- skillpm:end -->\n# b"),
            "a &lt;!-- skillpm:end --&gt; # b"
        );
        assert_eq!(
            escape_html("Q&A, R&amp;D, &#60;b&#62;"),
            "Q&A, R&amp;amp;D, &amp;#60;b&amp;#62;"
        );
        assert_eq!(code_span("a`b``c"), "```a`b``c```");
        assert_eq!(code_span("`"), "`` ` ``");
        assert!(!code_span("<!-- skillpm:end -->").contains(END));
    }
}

//! What is at a position of a frontmatter.

use std::collections::BTreeSet;
use std::ops::Range;

/// A place in a frontmatter, at the top level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FrontmatterPlace {
    /// A key, complete or not.
    Key {
        /// The span of what is written of it.
        span: Range<usize>,
        /// Whether a colon follows.
        has_value: bool,
    },
    /// The value of a key.
    Value {
        key: String,
        /// The span of what is written of it.
        span: Range<usize>,
    },
}

/// The lines of a frontmatter in a text, from the one after the opening fence; one that is not closed yet goes to the end.
/// `None` if there is none.
fn frontmatter_span(text: &str) -> Option<Range<usize>> {
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut at = mark;
    let mut start = None;
    for line in text[mark..].split_inclusive('\n') {
        let is_fence = line.trim_end() == "---";
        match start {
            None if is_fence => start = Some(at + line.len()),
            None => return None,
            Some(start) if is_fence => return Some(start..at),
            Some(_) => {}
        }
        at += line.len();
    }
    start.map(|start| start..text.len())
}

/// The place at a byte; `None` outside of the frontmatter, in a comment, and in a nested value.
pub(crate) fn find_place(text: &str, at: usize) -> Option<FrontmatterPlace> {
    let frontmatter = frontmatter_span(text)?;
    if at < frontmatter.start || at > frontmatter.end {
        return None;
    }

    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    // What is indented belongs to a key above.
    if start < frontmatter.start || line.starts_with([' ', '\t', '#', '-']) {
        return None;
    }

    let Some((key, value)) = line.split_once(':') else {
        return Some(FrontmatterPlace::Key {
            span: start..start + line.trim_end().len().max(at - start),
            has_value: false,
        });
    };
    if at <= start + key.len() {
        return Some(FrontmatterPlace::Key {
            span: start..start + key.len(),
            has_value: true,
        });
    }
    let written = value.trim();
    let from = start + key.len() + 1 + (value.len() - value.trim_start().len());
    Some(FrontmatterPlace::Value {
        key: key.trim().to_owned(),
        // With nothing written, it is where the cursor is.
        span: if written.is_empty() {
            at..at
        } else {
            from..from + written.len()
        },
    })
}

/// The keys at the top level.
pub(crate) fn present_keys(text: &str) -> BTreeSet<&str> {
    let lines = text[frontmatter_span(text).unwrap_or_default()].lines();
    lines
        .filter(|line| !line.starts_with([' ', '\t', '#', '-']))
        .filter_map(|line| Some(line.split_once(':')?.0.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place at `|` in a text, with the text of its span.
    fn place(marked: &str) -> Option<(String, String)> {
        let at = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        Some(match find_place(&text, at)? {
            FrontmatterPlace::Key { span, has_value } => {
                (format!("key {has_value}"), text[span].to_owned())
            }
            FrontmatterPlace::Value { key, span } => (key, text[span].to_owned()),
        })
    }

    #[test]
    fn keys_and_values_are_distinguished() {
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(place("---\nna|me: pdf\n---\n"), pair("key true", "name"));
        assert_eq!(place("---\nname: p|df\n---\n"), pair("name", "pdf"));
        assert_eq!(place("---\nname: |\n---\n"), pair("name", ""));
        assert_eq!(
            place("---\nname: pdf\nlic|\n---\n"),
            pair("key false", "lic")
        );
        assert_eq!(place("---\nname: pdf\n|"), pair("key false", ""));
        assert_eq!(place("---\nmetadata:\n  ver|sion: 1\n---\n"), None);
        assert_eq!(place("---\nname: pdf\n---\nna|me: x\n"), None);
        assert_eq!(place("# A|\n"), None);
    }

    #[test]
    fn keys_of_the_top_level_are_listed() {
        let text = "---\nname: pdf\n# x: y\nmetadata:\n  version: 1\n---\nlicense: x\n";
        assert_eq!(present_keys(text), BTreeSet::from(["name", "metadata"]));
    }
}

//! Anchors of a Markdown file: the targets after `#` in a link.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crate::markdown::MarkdownText;

/// The anchors of a Markdown text, computed on first use: a page may have as many links as headings.
pub(super) struct MarkdownAnchors<'t> {
    text: &'t str,
    plain: OnceCell<HashSet<String>>,
    explicit: OnceCell<HashSet<String>>,
    headings: OnceCell<HeadingSlugs>,
}

/// The slugs of headings.
#[derive(Default)]
struct HeadingSlugs {
    names: HashSet<String>,
    /// The ASCII part of each slug: sites differ in which other characters they keep.
    ascii: HashSet<String>,
    /// The same, only for slugs with non-ASCII characters.
    ascii_of_non_ascii: HashSet<String>,
}

/// The longest anchor, in bytes.
const ANCHOR_MAX: usize = 256;

impl<'t> MarkdownAnchors<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        MarkdownAnchors {
            text,
            plain: OnceCell::new(),
            explicit: OnceCell::new(),
            headings: OnceCell::new(),
        }
    }

    /// Whether there is such an anchor, by GitHub's rules for headings.
    pub(super) fn contains(&self, anchor: &str) -> bool {
        // Browsers decode an anchor before they look for it.
        let wanted = percent_encoding::percent_decode_str(anchor)
            .decode_utf8_lossy()
            .to_lowercase();
        // The prefix that GitHub gives to the ids in a rendered page.
        let wanted = wanted.strip_prefix("user-content-").unwrap_or(&wanted);
        // From the cheapest to the dearest: only the last one parses the file as Markdown.
        is_line_number(wanted)
            || self
                .plain
                .get_or_init(|| plain_heading_slugs(self.text))
                .contains(wanted)
            || self
                .explicit
                .get_or_init(|| explicit_anchors(self.text))
                .contains(wanted)
            || self
                .headings
                .get_or_init(|| heading_slugs(self.text))
                .contains_slug(wanted)
    }
}

impl HeadingSlugs {
    fn contains_slug(&self, wanted: &str) -> bool {
        let ascii = || wanted.chars().filter(char::is_ascii).collect::<String>();
        let is_near = || {
            if wanted.is_ascii() {
                self.ascii_of_non_ascii.contains(wanted)
            } else {
                self.ascii.contains(&ascii())
            }
        };

        self.names.contains(wanted) || is_near()
    }
}

/// `L10`, `L10-L20`: line numbers in GitHub's source view.
fn is_line_number(wanted: &str) -> bool {
    wanted
        .strip_prefix('l')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// The slugs of lines that begin with `#`: most headings, found without parsing Markdown.
fn plain_heading_slugs(text: &str) -> HashSet<String> {
    let marks = memchr::memmem::find_iter(text.as_bytes(), "\n#").map(|end| end + 1);
    let starts = marks.chain(text.starts_with('#').then_some(0));
    let name = |start: usize| {
        let end = memchr::memchr(b'\n', &text.as_bytes()[start..])
            .map_or(text.len(), |length| start + length);
        slug_chars(text[start..end].trim_start_matches('#').trim()).collect()
    };

    starts.map(name).collect()
}

/// `<a id="x">` and `{#x}`.
fn explicit_anchors(text: &str) -> HashSet<String> {
    // HTML ignores the case of attributes, and anchors are compared in lower case.
    let lower = text.to_lowercase();
    let forms = [
        (&*lower, "id=\"", '"'),
        (&*lower, "name=\"", '"'),
        (&*lower, "id='", '\''),
        (text, "{#", '}'),
    ];

    let mut anchors = HashSet::new();
    for (text, open, close) in forms {
        for at in memchr::memmem::find_iter(text.as_bytes(), open) {
            let start = at + open.len();
            // Bounded: without a closing quote each search would run to the end of the text.
            let rest = &text[start..text.floor_char_boundary(start + ANCHOR_MAX)];
            anchors.extend(rest.find(close).map(|end| rest[..end].to_owned()));
        }
    }

    anchors
}

fn heading_slugs(text: &str) -> HeadingSlugs {
    let mut headings = HeadingSlugs::default();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for heading in &MarkdownText::parse(text, 0).headings {
        let base = slug(&heading.text);
        let before = seen.entry(base.clone()).or_default();
        // GitHub numbers headings of the same text: `usage`, `usage-1`.
        let name = if *before == 0 {
            base
        } else {
            format!("{base}-{before}")
        };
        *before += 1;

        let ascii: String = name.chars().filter(char::is_ascii).collect();
        if !name.is_ascii() {
            headings.ascii_of_non_ascii.insert(ascii.clone());
        }
        headings.ascii.insert(ascii);
        headings.names.insert(name);
    }

    headings
}

/// GitHub's slug of a heading.
fn slug(heading: &str) -> String {
    slug_chars(heading).collect()
}

fn slug_chars(heading: &str) -> impl Iterator<Item = char> {
    let letter = |character: char| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        other => other.is_alphanumeric().then_some(other),
    };

    heading
        .chars()
        .filter_map(letter)
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_slugs_of_github() {
        let text = "# Quick start: `run` & _go_!\n\nUnder\n-----\n\n## Step\n\n## Step\n\n<a id=\"Own\"></a>\n\n## 🚀 Ship it\n\n\
                    ```sh\n# hidden\n```\n\n## Use [it](x.md)\n";
        for anchor in [
            "quick-start-run--go",
            "under",
            "step",
            "step-1",
            "own",
            "-ship-it",
            "use-it",
            "L3-L9",
            "Step",
        ] {
            assert!(MarkdownAnchors::new(text).contains(anchor), "{anchor}");
        }
        for anchor in ["step-2", "start", "quick-start"] {
            assert!(!MarkdownAnchors::new(text).contains(anchor), "{anchor}");
        }
    }
}

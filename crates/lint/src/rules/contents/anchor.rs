//! What can stand behind the `#` of a link to Markdown.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crate::lint::markdown::Markdown;

/// The places that a text of Markdown has, each found out when it is first asked for: a page may have as many links as it
/// has headings.
pub(super) struct Anchors<'t> {
    text: &'t str,
    plain: OnceCell<HashSet<String>>,
    marks: OnceCell<HashSet<String>>,
    headings: OnceCell<Headings>,
}

/// The names of headings.
#[derive(Default)]
struct Headings {
    names: HashSet<String>,
    /// What of the names is ASCII: which of the signs beyond stay in a name is not the same everywhere.
    ascii: HashSet<String>,
    /// The same, of names that have such signs.
    ascii_of_others: HashSet<String>,
}

/// Longest name of a place, in bytes.
const NAME_MAX: usize = 256;

impl<'t> Anchors<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Anchors { text, plain: OnceCell::new(), marks: OnceCell::new(), headings: OnceCell::new() }
    }

    /// Whether there is a place of this name, by the rules that GitHub makes names of headings.
    pub(super) fn has(&self, anchor: &str) -> bool {
        let wanted = percent_encoding::percent_decode_str(anchor).decode_utf8_lossy().to_lowercase();
        let wanted = wanted.strip_prefix("user-content-").unwrap_or(&wanted);
        is_line_number(wanted)
            || self.plain.get_or_init(|| plain_headings(self.text)).contains(wanted)
            || self.marks.get_or_init(|| marks(self.text)).contains(wanted)
            || self.headings.get_or_init(|| headings(self.text)).have(wanted)
    }
}

impl Headings {
    fn have(&self, wanted: &str) -> bool {
        let ascii = || wanted.chars().filter(char::is_ascii).collect::<String>();
        let is_near =
            || if wanted.is_ascii() { self.ascii_of_others.contains(wanted) } else { self.ascii.contains(&ascii()) };
        self.names.contains(wanted) || is_near()
    }
}

/// `L10`, `L10-L20`: places in the source, as GitHub shows it.
fn is_line_number(wanted: &str) -> bool {
    wanted.strip_prefix('l').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Most headings are lines that begin with `#`, and their names can be had without taking the text apart.
fn plain_headings(text: &str) -> HashSet<String> {
    let marks = memchr::memmem::find_iter(text.as_bytes(), "\n#").map(|end| end + 1);
    let starts = marks.chain(text.starts_with('#').then_some(0));
    let name = |start: usize| {
        let end = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |length| start + length);
        letters(text[start..end].trim_start_matches('#').trim()).collect()
    };
    starts.map(name).collect()
}

/// `<a id="x">` and `{#x}`.
fn marks(text: &str) -> HashSet<String> {
    let lower = text.to_lowercase();
    let forms = [(&*lower, "id=\"", '"'), (&*lower, "name=\"", '"'), (&*lower, "id='", '\''), (text, "{#", '}')];
    let each = forms.into_iter().flat_map(|(text, open, close)| {
        memchr::memmem::find_iter(text.as_bytes(), open)
            .map(|at| at + open.len())
            .collect::<Vec<_>>()
            .into_iter()
            .filter_map(move |start| {
                let rest = &text[start..text.floor_char_boundary(start + NAME_MAX)];
                rest.find(close).map(|end| rest[..end].to_owned())
            })
    });
    each.collect()
}

fn headings(text: &str) -> Headings {
    let mut headings = Headings::default();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for heading in &Markdown::parse(text, 0).headings {
        let base = slug(&heading.text);
        let before = seen.entry(base.clone()).or_default();
        let name = if *before == 0 { base } else { format!("{base}-{before}") };
        *before += 1;

        let ascii: String = name.chars().filter(char::is_ascii).collect();
        if !name.is_ascii() {
            headings.ascii_of_others.insert(ascii.clone());
        }
        headings.ascii.insert(ascii);
        headings.names.insert(name);
    }
    headings
}

/// The name that GitHub gives to a heading.
fn slug(heading: &str) -> String {
    letters(heading).collect()
}

fn letters(heading: &str) -> impl Iterator<Item = char> {
    let letter = |character: char| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        other => other.is_alphanumeric().then_some(other),
    };
    heading.chars().filter_map(letter).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_names_that_github_gives_them() {
        let text = "# Quick start: `run` & _go_!\n\nUnder\n-----\n\n## Step\n\n## Step\n\n<a id=\"Own\"></a>\n\n## 🚀 Ship it\n\n\
                    ```sh\n# hidden\n```\n\n## Use [it](x.md)\n";
        for anchor in ["quick-start-run--go", "under", "step", "step-1", "own", "-ship-it", "use-it", "L3-L9", "Step"] {
            assert!(Anchors::of(text).has(anchor), "{anchor}");
        }
        for anchor in ["step-2", "start", "quick-start"] {
            assert!(!Anchors::of(text).has(anchor), "{anchor}");
        }
    }
}

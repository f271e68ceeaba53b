//! What can stand behind the `#` of a link to Markdown.

use crate::lint::markdown::Markdown;

/// Whether a text of Markdown has a place of this name, by the rules that GitHub makes names of headings.
pub(super) fn is_in(text: &str, anchor: &str) -> bool {
    let wanted = percent_encoding::percent_decode_str(anchor).decode_utf8_lossy().to_lowercase();
    let wanted = wanted.strip_prefix("user-content-").unwrap_or(&wanted);
    is_line_number(wanted) || has_plain_heading(text, wanted) || has_mark(text, wanted) || has_heading(text, wanted)
}

/// `L10`, `L10-L20`: places in the source, as GitHub shows it.
fn is_line_number(wanted: &str) -> bool {
    wanted.strip_prefix('l').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Most headings are lines that begin with `#`, and their names can be had without taking the text apart.
fn has_plain_heading(text: &str, wanted: &str) -> bool {
    let marks = memchr::memmem::find_iter(text.as_bytes(), "\n#").map(|end| end + 1);
    marks.chain(text.starts_with('#').then_some(0)).any(|start| {
        let end = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |length| start + length);
        letters(text[start..end].trim_start_matches('#').trim()).eq(wanted.chars())
    })
}

/// `<a id="x">` and `{#x}`.
fn has_mark(text: &str, wanted: &str) -> bool {
    let marks =
        [format!("id=\"{wanted}\""), format!("name=\"{wanted}\""), format!("id='{wanted}'"), format!("{{#{wanted}}}")];
    text.contains(&marks[3]) || {
        let lower = text.to_lowercase();
        marks.iter().any(|mark| lower.contains(mark.as_str()))
    }
}

fn has_heading(text: &str, wanted: &str) -> bool {
    let markdown = Markdown::parse(text, 0);
    let mut seen: Vec<String> = Vec::new();
    let ascii = |name: &str| name.chars().filter(char::is_ascii).collect::<String>();
    markdown.headings.iter().any(|heading| {
        let base = slug(&heading.text);
        let before = seen.iter().filter(|other| **other == base).count();
        let name = if before == 0 { base.clone() } else { format!("{base}-{before}") };
        seen.push(base);
        // Which of the signs beyond ASCII stay in a name is not the same everywhere.
        name == wanted || (!name.is_ascii() || !wanted.is_ascii()) && ascii(&name) == ascii(wanted)
    })
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
            assert!(is_in(text, anchor), "{anchor}");
        }
        for anchor in ["step-2", "start", "quick-start"] {
            assert!(!is_in(text, anchor), "{anchor}");
        }
    }
}

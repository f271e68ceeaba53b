//! `yodoca`: the first level of Yodoca's ADR-015, for its `read_skill` tool.
//!
//! ```text
//! [Available Skills]
//! • `csv-tidy` — Clean CSV files …
//!
//! Use read_skill(skill_id) to load full instructions.
//! ```
//!
//! The list is in every prompt, at about 20 tokens a skill, so that descriptions are shortened.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{EmitOptions, skill_ids};
use crate::catalog::Catalog;

/// The characters of a short description: about 20 tokens, which the ADR allows a skill.
const SHORT: usize = 80;

/// Writes the catalog; nothing at all when there is no skill.
pub(super) fn emit(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let skills = skill_ids::by_id(catalog);
    if skills.is_empty() {
        return Ok(());
    }

    let limit = options.max_description.unwrap_or(SHORT);
    out.write_all(b"[Available Skills]\n")?;
    for (id, entry) in skills {
        let summary = entry.candidate.listing.summary();
        writeln!(out, "• `{id}` — {}", shorten(&summary, limit))?;
    }
    out.write_all(b"\nUse read_skill(skill_id) to load full instructions.\n")
}

/// `text` in at most `limit` characters: the sentences at its beginning that fit, or else the words, with `…`.
fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return Cow::Borrowed(text);
    };

    if let Some(end) = sentence_ends(text).take_while(|at| *at <= end).last() {
        return Cow::Borrowed(&text[..end]);
    }

    // One character less than the limit: the mark takes a place, too.
    let room = text[..end].char_indices().last().map_or(0, |(at, _)| at);
    let words = text[..room].rfind(' ').map_or(room, |at| at);
    let cut = text[..words].trim_end_matches([' ', ',', ';', ':', '-', '–', '—', '(']);
    Cow::Owned(format!("{cut}…"))
}

/// Where the sentences of a line end, behind their last character.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices()
        .filter(|(at, c)| is_sentence_end(text, *at, *c))
        .map(|(at, c)| at + c.len_utf8())
}

/// Whether the character `c` at `at` ends a sentence.
fn is_sentence_end(text: &str, at: usize, c: char) -> bool {
    match c {
        '。' | '！' | '？' => true,
        // An abbreviation has a full stop inside (`e.g.`), or goes on in lower case.
        '.' | '!' | '?' => {
            let rest = &text[at + c.len_utf8()..];
            let word = text[..at].rsplit(' ').next().unwrap_or_default();
            let next = rest.trim_start().chars().next();
            rest.starts_with(' ') && !word.contains('.') && !next.is_some_and(char::is_lowercase)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_are_kept_and_else_whole_words() {
        for (text, limit, short) in [
            ("Short.", 80, "Short."),
            ("One. Two. Three.", 10, "One. Two."),
            (
                "Reads e.g. PDF files. Use it often.",
                24,
                "Reads e.g. PDF files.",
            ),
            ("Clean cells, drop empty rows", 14, "Clean cells…"),
            ("日本語の説明。長い続き", 8, "日本語の説明。"),
            ("Unbrokenlongword", 6, "Unbro…"),
            ("a b", 0, "…"),
        ] {
            assert_eq!(shorten(text, limit), short, "{text}");
            assert!(limit == 0 || shorten(text, limit).chars().count() <= limit);
        }
    }
}

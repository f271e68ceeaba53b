//! The words of a query.

use unicode_normalization::UnicodeNormalization;

/// Most words of a query that are used.
const WORDS_MAX: usize = 16;

/// Words that are in every description; they are used only in a query of nothing else.
const STOP_WORDS: [&str; 12] = [
    "a", "an", "and", "for", "in", "of", "on", "or", "skill", "the", "to", "with",
];

/// A search query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// The query as it was typed, folded.
    pub(super) typed: String,
    /// Its words joined with hyphens, as in a name.
    pub(super) as_name: String,
    pub(super) words: Vec<QueryWord>,
}

/// One word, and the prefixes of words that match it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueryWord {
    pub typed: String,
    pub needles: Vec<String>,
}

impl SearchQuery {
    /// Creates a query of these words. Punctuation separates words, as the hyphen in a name does.
    #[must_use]
    pub fn new(typed: &[impl AsRef<str>]) -> SearchQuery {
        let typed = typed
            .iter()
            .map(|word| word.as_ref().trim())
            .collect::<Vec<_>>()
            .join(" ");
        let typed = fold_text(&typed);

        let mut all: Vec<&str> = typed
            .split(|c: char| !is_word_char(c))
            .filter(|word| !word.is_empty())
            .collect();

        let as_name = all.join("-");
        // A query of nothing but stop words uses them.
        if all.iter().any(|word| !STOP_WORDS.contains(word)) {
            all.retain(|word| !STOP_WORDS.contains(word));
        }

        let mut words: Vec<QueryWord> = Vec::new();
        for word in all {
            if words.len() < WORDS_MAX && !words.iter().any(|known| known.typed == word) {
                words.push(QueryWord {
                    typed: word.to_owned(),
                    needles: vec![stem(word).to_owned()],
                });
            }
        }

        SearchQuery {
            typed: typed.clone(),
            as_name,
            words,
        }
    }

    /// Whether it has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// The part of a word that is searched: `commits` also matches `commit`.
pub(super) fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        // `class`, `status` and `analysis` are no plurals.
        Some(stem) if stem.len() > 3 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

/// Whether a character belongs to a word; `c++` and `c#` are words.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '+' || c == '#'
}

/// Folds a text for comparison: NFKC in lower case, with control characters as spaces.
pub(super) fn fold_text(text: &str) -> String {
    // Nearly all text is ASCII, where folding needs no tables of Unicode.
    if text.is_ascii() {
        let plain = |c: u8| {
            if c.is_ascii_control() {
                ' '
            } else {
                c.to_ascii_lowercase() as char
            }
        };
        return text.bytes().map(plain).collect();
    }

    let lower = text.nfkc().flat_map(char::to_lowercase);
    lower
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(typed: &str) -> Vec<String> {
        SearchQuery::new(&[typed])
            .words
            .into_iter()
            .flat_map(|word| word.needles)
            .collect()
    }

    #[test]
    fn a_query_is_its_words_without_stop_words() {
        for (typed, words) in [
            ("Git  Commits", &["git", "commit"][..]),
            ("a skill for the PDF", &["pdf"]),
            ("the", &["the"]),
            (
                "commit-messages acme/pdf",
                &["commit", "message", "acme", "pdf"],
            ),
            ("css status redis", &["css", "status", "redis"]),
            ("c++ C# ﬁle", &["c++", "c#", "file"]),
            ("pdf pdf", &["pdf"]),
            ("日本語 \u{1b}[31m", &["日本語", "31m"]),
            ("?! --", &[]),
        ] {
            assert_eq!(needles(typed), words, "{typed}");
        }
        assert_eq!(
            SearchQuery::new(&["writing", "Release notes"]).as_name,
            "writing-release-notes"
        );
    }

    #[test]
    fn a_query_has_a_limited_number_of_words() {
        let many: Vec<String> = (0..1000).map(|n| format!("word{n}")).collect();
        assert_eq!(SearchQuery::new(&many).words.len(), WORDS_MAX);
    }
}

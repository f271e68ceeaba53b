//! Words as they are looked for.

use unicode_normalization::UnicodeNormalization;

/// Most words of a query that count.
const WORDS_MAX: usize = 16;

/// Words that stand in every description; they count only in a query of nothing else.
const COMMON: [&str; 12] = ["a", "an", "and", "for", "in", "of", "on", "or", "skill", "the", "to", "with"];

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// As it was typed, folded.
    pub(super) typed: String,
    /// Its words as a name would have them.
    pub(super) as_name: String,
    pub(super) words: Vec<Word>,
}

/// One word, and the beginnings of words that answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub typed: String,
    pub needles: Vec<String>,
}

impl Query {
    /// A query of these words. Punctuation parts words, as the hyphen in a name does.
    #[must_use]
    pub fn new(typed: &[impl AsRef<str>]) -> Query {
        let typed = typed.iter().map(|word| word.as_ref().trim()).collect::<Vec<_>>().join(" ");
        let typed = fold(&typed);
        let mut all: Vec<&str> = typed.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
        let as_name = all.join("-");
        if all.iter().any(|word| !COMMON.contains(word)) {
            all.retain(|word| !COMMON.contains(word));
        }
        let mut words: Vec<Word> = Vec::new();
        for word in all {
            if words.len() < WORDS_MAX && !words.iter().any(|known| known.typed == word) {
                words.push(Word { typed: word.to_owned(), needles: vec![stem(word).to_owned()] });
            }
        }
        Query { typed: typed.clone(), as_name, words }
    }

    /// Whether there is nothing in it to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// What of a word is looked for: `commits` is answered by `commit`, too.
pub(super) fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 3 && !stem.ends_with(['s', 'u', 'i']) => stem,
        _ => word,
    }
}

/// Whether a character belongs to a word; `c++` and `c#` are words.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '+' || c == '#'
}

/// The text as it is compared: in lower case, in the plainest form of each character, every other thing a blank.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        let plain = |c: u8| if c.is_ascii_control() { ' ' } else { c.to_ascii_lowercase() as char };
        return text.bytes().map(plain).collect();
    }
    let lower = text.nfkc().flat_map(char::to_lowercase);
    lower.map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(typed: &str) -> Vec<String> {
        Query::new(&[typed]).words.into_iter().flat_map(|word| word.needles).collect()
    }

    #[test]
    fn a_query_is_its_telling_words() {
        for (typed, words) in [
            ("Git  Commits", &["git", "commit"][..]),
            ("a skill for the PDF", &["pdf"]),
            ("the", &["the"]),
            ("commit-messages acme/pdf", &["commit", "message", "acme", "pdf"]),
            ("css status redis", &["css", "status", "redis"]),
            ("c++ C# ﬁle", &["c++", "c#", "file"]),
            ("pdf pdf", &["pdf"]),
            ("日本語 \u{1b}[31m", &["日本語", "31m"]),
            ("?! --", &[]),
        ] {
            assert_eq!(needles(typed), words, "{typed}");
        }
        assert_eq!(Query::new(&["writing", "Release notes"]).as_name, "writing-release-notes");
    }

    #[test]
    fn a_query_has_an_end() {
        let many: Vec<String> = (0..1000).map(|n| format!("word{n}")).collect();
        assert_eq!(Query::new(&many).words.len(), WORDS_MAX);
    }
}

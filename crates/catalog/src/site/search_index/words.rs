//! The words of a text, as the page's script splits a query (`words` in `assets/site.js`).

use unicode_normalization::UnicodeNormalization;

/// The longest word that is kept, in characters.
const WORD_MAX: usize = 24;

/// Words that are in nearly every description.
pub(super) const STOP_WORDS: [&str; 12] = [
    "a", "an", "and", "for", "in", "of", "on", "or", "skill", "the", "to", "with",
];

/// The words of a text, in order: NFKC in lower case, split where neither letters nor digits are. Scripts without spaces
/// give pairs of characters.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let mut words = Vec::new();

    for part in folded.split(|c| !is_word_char(c)) {
        let mut rest = part;
        while let Some(first) = rest.chars().next() {
            let is_unspaced = is_unspaced_script(first);
            let end = rest
                .find(|c| is_unspaced_script(c) != is_unspaced)
                .unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            rest = after;

            if is_unspaced {
                words.extend(character_pairs(run));
            } else {
                words.push(run.chars().take(WORD_MAX).collect());
            }
        }
    }
    words
}

/// `ab`, `bc`, `cd` of `abcd`; a character alone is itself.
fn character_pairs(run: &str) -> Vec<String> {
    let letters: Vec<char> = run.chars().collect();
    if letters.len() == 1 {
        return vec![run.to_owned()];
    }
    letters
        .windows(2)
        .map(|pair| pair.iter().collect())
        .collect()
}

/// Whether a character belongs to a word; `c++` and `c#` are words.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '+' || c == '#'
}

/// Whether a character is of a script that is written without spaces between words: kana, Han, Hangul.
fn is_unspaced_script(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_folded() {
        for (text, words) in [
            ("acme/PDF-forms 2", &["acme", "pdf", "forms", "2"][..]),
            ("C++ and C#, naïve", &["c++", "and", "c#", "naïve"]),
            ("日本語PDF 字", &["日本", "本語", "pdf", "字"]),
            ("ﬁle Ⅷ", &["file", "viii"]),
            (" \u{202e}-- ", &[]),
        ] {
            assert_eq!(split_words(text), words, "{text}");
        }
        assert_eq!(split_words(&"x".repeat(30))[0].len(), WORD_MAX);
    }
}

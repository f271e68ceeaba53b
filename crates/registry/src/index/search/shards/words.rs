//! The words of a package, and how well it matches each.
//!
//! A word is found by its beginning. The whole name of a skill is one more word, `commit-messages`, so that names that begin
//! with the words of a query are found by one shard. Beyond ASCII a match may begin at any character, as in the search of a
//! table, so that each such end of a word is one more word.

use std::collections::BTreeMap;

use memchr::memchr;

use crate::index::search::scan::{FIELD_WEIGHTS, PREFIX_WEIGHT, is_word_byte, length_penalty};
use crate::index::search::table::SEPARATOR;

/// Longest word, in bytes; a longer one is found by its beginning.
pub(super) const WORD_MAX: usize = 32;

/// Shortest beginning of a longer word that is found; shorter ones only match whole words.
pub(super) const PREFIX_MIN: usize = 3;

/// The number of levels for each class of match, in a shard.
const LEVELS: f32 = 32.0;

/// How well a package matches a word: by the class of the match, then by the part of BM25 that depends on the package.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub(super) struct WordScore {
    pub class: MatchClass,
    /// From 0 to 1.
    pub share: f32,
}

/// Where a package has a word. Names that begin with the query come first in every ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MatchClass {
    #[default]
    Anywhere,
    BeginsName,
    IsName,
}

impl MatchClass {
    const ALL: [MatchClass; 3] = [
        MatchClass::Anywhere,
        MatchClass::BeginsName,
        MatchClass::IsName,
    ];
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is from 0 to 1"
)]
impl WordScore {
    /// The score at the beginning of a word that has this score.
    pub(super) fn as_prefix(self) -> WordScore {
        WordScore {
            // A name that is the word begins with its beginning.
            class: self.class.min(MatchClass::BeginsName),
            share: share_of(ratio_of(self.share) * PREFIX_WEIGHT),
        }
    }

    /// The score of a package that has two words which both match.
    pub(super) fn join(self, other: WordScore) -> WordScore {
        WordScore {
            class: self.class.max(other.class),
            share: share_of(ratio_of(self.share) + ratio_of(other.share)),
        }
    }

    /// The score in 16 bits, in the same order.
    pub(super) fn to_bits(self) -> u16 {
        let share = (self.share.clamp(0.0, 1.0) * 4095.0) as u16;
        (self.class as u16) << 12 | share
    }

    pub(super) fn from_bits(bits: u16) -> WordScore {
        WordScore {
            class: MatchClass::ALL[usize::from(bits >> 12).min(2)],
            share: f32::from(bits & 4095) / 4095.0,
        }
    }

    /// The score as a level, the higher the better. Good matches are distinguished better than bad ones.
    pub(super) fn to_level(self) -> u8 {
        let step = (self.share * self.share * LEVELS).min(LEVELS - 1.0);
        self.class as u8 * LEVELS as u8 + step as u8
    }

    pub(super) fn from_level(level: u8) -> WordScore {
        let step = f32::from(level % LEVELS as u8);
        WordScore {
            class: MatchClass::ALL[usize::from(level / LEVELS as u8).min(2)],
            share: ((step + 0.5) / LEVELS).sqrt(),
        }
    }
}

/// The weight of a word relative to the length penalty, by its share, and the reverse.
fn ratio_of(share: f32) -> f32 {
    share / (1.0 - share).max(1e-4)
}

fn share_of(ratio: f32) -> f32 {
    ratio / (1.0 + ratio)
}

/// The words of a row's text, each once, with its score.
pub(super) fn row_words(text: &[u8], average: f32) -> Vec<(String, WordScore)> {
    let name_end = memchr(SEPARATOR, text).unwrap_or(text.len());
    let skill_start = memchr(b'/', &text[..name_end]).map_or(0, |at| at + 1);

    let mut weights: BTreeMap<&[u8], (f32, MatchClass)> = BTreeMap::new();
    for (field, start, part) in fields(text) {
        each_word(part, |at, word| {
            let (weight, class) = weights.entry(word).or_default();
            *weight += FIELD_WEIGHTS[field];
            if field == 0 && start + at == skill_start {
                *class = MatchClass::BeginsName;
            }
        });
    }

    // The whole name, which is a word of its own if it has several.
    let (weight, class) = weights.entry(&text[skill_start..name_end]).or_default();
    *weight = weight.max(FIELD_WEIGHTS[0]);
    *class = MatchClass::IsName;

    #[expect(clippy::cast_precision_loss, reason = "a score needs no more digits")]
    let long = length_penalty(text.len() as f32, average);
    let mut words: BTreeMap<String, WordScore> = BTreeMap::new();
    for (word, (weight, class)) in weights {
        let score = WordScore {
            class,
            share: share_of(weight / long),
        };
        let known = words.entry(cut_word(word)).or_default();
        *known = known.join(score);
    }
    words
        .into_iter()
        .filter(|(word, _)| !word.is_empty())
        .collect()
}

/// The score of a package for a searched beginning, by a word that it has; `None` if the word does not match.
pub(super) fn match_score(word: &str, needle: &str, score: WordScore) -> Option<WordScore> {
    // The words of a name are listed themselves: its whole would count twice.
    if word.contains('-') && !needle.contains('-') {
        return None;
    }
    if is_whole(word, needle) {
        return Some(score);
    }
    let begins = needle.len() >= PREFIX_MIN && word.starts_with(needle);
    begins.then(|| score.as_prefix())
}

/// Whether a word of a package is the searched one, which may be its singular.
fn is_whole(word: &str, needle: &str) -> bool {
    word == needle || word.strip_suffix('s') == Some(needle)
}

/// A word as it is listed: its beginning.
pub(super) fn cut_word(word: &[u8]) -> String {
    let word = String::from_utf8_lossy(word);
    word[..word.floor_char_boundary(WORD_MAX)].to_owned()
}

/// Each field: its number, its offset and its text.
fn fields(text: &[u8]) -> impl Iterator<Item = (usize, usize, &[u8])> {
    let mut start = 0;
    let last = FIELD_WEIGHTS.len() - 1;
    text.splitn(FIELD_WEIGHTS.len() + 1, |byte| *byte == SEPARATOR)
        .enumerate()
        .map(move |(field, part)| {
            let at = start;
            start += part.len() + 1;
            (field.min(last), at, part)
        })
}

/// Calls `each` with the offset of each word, and with the word.
fn each_word<'t>(text: &'t [u8], mut each: impl FnMut(usize, &'t [u8])) {
    let mut at = 0;
    for word in text.split(|byte| !is_word_byte(*byte)) {
        if !word.is_empty() {
            each(at, word);
            each_end(at, word, &mut each);
        }
        at += word.len() + 1;
    }
}

/// Calls `each` with the ends of a word that begin with a character beyond ASCII.
fn each_end<'t>(at: usize, word: &'t [u8], each: &mut impl FnMut(usize, &'t [u8])) {
    // 0b10… continues a character.
    for start in (1..word.len()).filter(|start| word[*start] >= 0xc0) {
        each(at + start, &word[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, WordScore)> {
        row_words(text.as_bytes(), 40.0)
    }

    #[test]
    fn words_are_found_with_their_scores() {
        let words = words("acme/pdf-forms\u{1f}paper\u{1f}fills in forms. c++");
        let score = |word: &str| {
            let found = words.iter().find(|(known, _)| known == word);
            found.map(|(_, score)| *score)
        };
        let class = |word: &str| score(word).map(|score| score.class);
        assert_eq!(class("pdf-forms"), Some(MatchClass::IsName));
        assert_eq!(class("pdf"), Some(MatchClass::BeginsName));
        assert_eq!(class("forms"), Some(MatchClass::Anywhere));
        assert_eq!(score("c"), score("in"));
        // In the name and in the description; in the keywords; in the description alone.
        assert!(score("forms") > score("paper") && score("paper") > score("fills"));
        assert!(score("acme") > score("paper"));
        assert_eq!(score("form"), None);
    }

    #[test]
    fn score_is_kept_in_bits_and_roughly_in_a_level() {
        for class in MatchClass::ALL {
            for step in 0..=100_u8 {
                let score = WordScore {
                    class,
                    share: f32::from(step) / 100.0,
                };
                for (read, most) in [
                    (WordScore::from_bits(score.to_bits()), 0.001),
                    (WordScore::from_level(score.to_level()), 0.13),
                ] {
                    assert_eq!(read.class, class);
                    assert!(
                        (read.share - score.share).abs() < most,
                        "{score:?} {read:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn beyond_ascii_each_end_of_a_word_is_a_word() {
        let words = words("x\u{1f}\u{1f}日本語pdf é");
        let listed: Vec<&str> = words.iter().map(|(word, _)| &**word).collect();
        assert_eq!(listed, ["x", "é", "日本語pdf", "本語pdf", "語pdf"]);
    }

    #[test]
    fn long_word_is_listed_by_its_beginning() {
        let long = format!("x\u{1f}\u{1f}{}", "é".repeat(40));
        assert!(words(&long).iter().all(|(word, _)| word.len() <= WORD_MAX));
    }
}

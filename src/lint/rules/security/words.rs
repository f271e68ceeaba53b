//! Looking for a thousand words at once, in any case, about as fast as a text can be read.
//!
//! Of each word the three letters in a row are kept that are rarest in other texts. A text is read once, three letters at
//! a time; where three are some word's, that word is held against the place. An automaton of all words takes megabytes,
//! tens of milliseconds to build, and twice the time to run.

use std::ops::Range;

/// How often a class of bytes occurs, from seldom to often: the sum of three says how rare they are together.
const COMMONNESS: [u16; CLASSES] = [
    78, 20, 36, 42, 110, 25, 22, 35, 75, 3, 9, 45, 30, 72, 76, 30, 3, 70, 75, 88, 36, 14, 14, 6, 18, 3, 24, 160, 30,
    30, 24, 40,
];
const CLASSES: usize = 32;
/// What stands for any byte, where a word has less than three.
const ANY: usize = CLASSES;

/// A set of words.
pub(super) struct Words {
    words: Vec<&'static str>,
    class: [u8; 256],
    /// One bit for each three classes: whether some word has them.
    has: Vec<u64>,
    /// For each three classes, where their words begin in `at`.
    starts: Vec<u16>,
    /// Words, and how far into them their three classes stand.
    at: Vec<(u16, u8)>,
}

impl Words {
    /// Makes a set of words in lower case, each of two letters at least.
    pub(super) fn new(words: Vec<&'static str>) -> Self {
        let class = classes();
        let mut keyed: Vec<(usize, u16, u8)> = Vec::new();
        for (number, word) in words.iter().enumerate() {
            let number = u16::try_from(number).expect("there are some thousand words");
            let (keys, offset) = rarest(word.as_bytes(), &class);
            keyed.extend(keys.into_iter().map(|key| (key, number, offset)));
        }
        keyed.sort_unstable();
        let size = CLASSES * CLASSES * CLASSES;
        let (mut has, mut starts) = (vec![0u64; size / 64], Vec::with_capacity(size + 1));
        let mut next = 0;
        for key in 0..=size {
            while next < keyed.len() && keyed[next].0 < key {
                next += 1;
            }
            starts.push(u16::try_from(next).expect("there are some thousand words"));
        }
        keyed.iter().for_each(|(key, ..)| has[key / 64] |= 1 << (key % 64));
        let at = keyed.into_iter().map(|(_, number, offset)| (number, offset)).collect();
        Words { words, class, has, starts, at }
    }

    /// Calls `found` with each word of the set in a text, and where it stands, about in the order of places.
    pub(super) fn each_in(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let bytes = text.as_bytes();
        let mut key = 0;
        for (at, byte) in bytes.iter().enumerate() {
            key = (key << 5 | usize::from(self.class[usize::from(*byte)])) & (CLASSES * CLASSES * CLASSES - 1);
            if self.has[key / 64] >> (key % 64) & 1 == 1 && at >= 2 {
                self.verify(bytes, key, at - 2, &mut found);
            }
        }
    }

    fn verify(&self, bytes: &[u8], key: usize, at: usize, found: &mut impl FnMut(usize, Range<usize>)) {
        for (number, offset) in &self.at[usize::from(self.starts[key])..usize::from(self.starts[key + 1])] {
            let word = self.words[usize::from(*number)].as_bytes();
            let Some(start) = at.checked_sub(usize::from(*offset)) else { continue };
            let Some(there) = bytes.get(start..start + word.len()) else { continue };
            if there.eq_ignore_ascii_case(word) {
                found(usize::from(*number), start..start + word.len());
            }
        }
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

fn classes() -> [u8; 256] {
    let mut class = [31; 256];
    for (byte, class) in class.iter_mut().enumerate() {
        *class = match u8::try_from(byte).unwrap_or_default() {
            byte if byte.is_ascii_alphabetic() => byte.to_ascii_lowercase() - b'a',
            byte if byte.is_ascii_digit() => 26,
            byte if byte.is_ascii_whitespace() => 27,
            b'-' | b'_' => 28,
            b'.' | b'/' | b':' | b'\\' => 29,
            b'"' | b'\'' | b'`' => 30,
            _ => 31,
        };
    }
    class
}

/// The rarest three classes of a word, as keys (several where it has only two), and where in it they stand.
fn rarest(word: &[u8], class: &[u8; 256]) -> (Vec<usize>, u8) {
    let of = |at: usize| word.get(at).map_or(ANY, |byte| usize::from(class[usize::from(*byte)]));
    let cost = |at: usize| -> u16 { (at..at + 3).map(|at| COMMONNESS.get(of(at)).copied().unwrap_or(300)).sum() };
    let last = word.len().saturating_sub(3);
    let best = (0..=last).min_by_key(|at| cost(*at)).unwrap_or_default();
    let thirds = if of(best + 2) == ANY { 0..CLASSES } else { of(best + 2)..of(best + 2) + 1 };
    let key = |third: usize| (of(best) << 10) | (of(best + 1) << 5) | third;
    (thirds.map(key).collect(), u8::try_from(best).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_wherever_it_stands_and_in_any_case() {
        let words = Words::new(vec!["curl", "''", "://4", "\nsystem:", "| sh", "不要", "xyzzy"]);
        let text = "Curl '' x http://45 a\nSYSTEM: b | SH curlcurl 不要 ''.";
        let mut found = Vec::new();
        words.each_in(text, |number, range| found.push((number, text[range].to_owned())));
        found.sort();
        let wanted = [
            (0, "Curl"),
            (0, "curl"),
            (0, "curl"),
            (1, "''"),
            (1, "''"),
            (2, "://4"),
            (3, "\nSYSTEM:"),
            (4, "| SH"),
            (5, "不要"),
        ];
        assert_eq!(found, wanted.map(|(number, text)| (number, text.to_owned())));
        assert_eq!(words.len(), 7);
    }
}

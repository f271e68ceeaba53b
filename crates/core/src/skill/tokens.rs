//! Estimates how many tokens a text costs a model, without the model's own vocabulary.

/// A quick estimate: one token for four characters, rounded up.
///
/// A catalog's `est_tokens` is the estimate of the body, which an agent reads once it has chosen the skill. In the
/// worked example the `SKILL.md` of `csv-tidy` has 168 bytes, 125 of them frontmatter; the other 43 give 11.
#[must_use]
pub fn estimate(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Hundredths of a token for a punctuation mark.
const PUNCTUATION: u8 = 55;
/// Hundredths of a token for a line break.
const LINE_BREAK: u8 = 50;
/// Hundredths of a token for a character beyond ASCII.
const NON_ASCII: u8 = 80;
/// Letters of a word that one token covers.
const LETTERS_PER_TOKEN: usize = 7;

/// A better estimate: a token for each word and each further 7 letters of it, and parts of one for everything else.
///
/// With these weights the error against the `o200k` vocabulary on 400 real skills is 4 % in the median, and 11 % or
/// more for one in ten.
#[must_use]
pub fn approximate(text: &str) -> usize {
    hundredths(text).div_ceil(100)
}

/// The estimate of [`approximate`] in hundredths of a token, so that parts can be summed up.
#[must_use]
pub fn hundredths(text: &str) -> usize {
    let (mut hundredths, mut word) = (0, 0);

    for byte in text.bytes() {
        let cost = BYTE_COSTS[usize::from(byte)];
        if cost == WORD_BYTE {
            hundredths += if word == 0 { 100 } else { 0 };
            // After seven letters the next one begins a token, within the same word.
            word = if word + 1 == LETTERS_PER_TOKEN {
                0
            } else {
                word + 1
            };
        } else {
            word = 0;
            hundredths += usize::from(cost);
        }
    }

    hundredths
}

/// A lower and an upper bound of [`approximate`], computed in a fraction of the time.
#[must_use]
pub fn bounds(text: &str) -> (usize, usize) {
    let counted = text.as_bytes().chunks(CHUNK).map(ChunkCounts::from_bytes);
    let (all, most) = counted.fold((ChunkCounts::default(), 0), |(all, most), part| {
        (all.merged_with(&part), most + part.upper_bound())
    });
    (all.lower_bound() / 100, most.div_ceil(100))
}

/// Bytes for which one bound is computed.
const CHUNK: usize = 4096;

/// Counts of a part of a text.
#[derive(Default)]
struct ChunkCounts {
    letters: usize,
    /// Beginnings of words, except one at the very start.
    starts: usize,
    /// Hundredths of a token for everything outside words.
    others: usize,
}

impl ChunkCounts {
    fn from_bytes(part: &[u8]) -> Self {
        let (mut sums, mut starts, mut before) = (0_u64, 0, 1);
        for byte in part {
            let counts = BYTE_COUNTS[usize::from(*byte)];
            sums += counts;
            // Without a branch: the beginnings of words cannot be predicted.
            starts += counts & !before & 1;
            before = counts;
        }

        let as_size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        ChunkCounts {
            letters: as_size(sums & u64::from(u32::MAX)),
            starts: as_size(starts),
            others: as_size(sums >> 32),
        }
    }

    fn merged_with(&self, other: &Self) -> Self {
        ChunkCounts {
            letters: self.letters + other.letters,
            starts: self.starts + other.starts,
            others: self.others + other.others,
        }
    }

    /// The upper bound, in hundredths of a token. A word of `n` letters is a token, and one more for each further
    /// [`LETTERS_PER_TOKEN`], so at most `n / 7 + 6 / 7`; everything else is counted exactly.
    fn upper_bound(&self) -> usize {
        (self.letters + (LETTERS_PER_TOKEN - 1) * (self.starts + 1)) * 100 / LETTERS_PER_TOKEN
            + self.others
            + 100
    }

    /// The lower bound, in hundredths of a token: one token for each word, and for each [`LETTERS_PER_TOKEN`] letters.
    fn lower_bound(&self) -> usize {
        self.starts.max(self.letters / LETTERS_PER_TOKEN) * 100 + self.others
    }
}

/// What a byte adds to both sums of a [`ChunkCounts`]: 1 in the lower half for a letter, else its cost in the upper one.
const BYTE_COUNTS: [u64; 256] = {
    let mut counts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        counts[byte] = match BYTE_COSTS[byte] {
            WORD_BYTE => 1,
            cost => (cost as u64) << 32,
        };
        byte += 1;
    }
    counts
};

/// The cost of a byte, in hundredths of a token: a character beyond ASCII is counted at its first byte.
const BYTE_COSTS: [u8; 256] = {
    let mut costs = [0; 256];
    let mut byte: u8 = 0;
    loop {
        costs[byte as usize] = match byte {
            _ if byte.is_ascii_alphanumeric() => WORD_BYTE,
            b'\n' => LINE_BREAK,
            _ if byte.is_ascii_punctuation() => PUNCTUATION,
            0xc0.. => NON_ASCII,
            _ => 0,
        };
        if byte == u8::MAX {
            break costs;
        }
        byte += 1;
    }
};
/// Marks a byte of a word in [`BYTE_COSTS`].
const WORD_BYTE: u8 = u8::MAX;

/// Counts the tokens of a text by the `o200k` vocabulary; `None` where the binary was built without it.
///
/// Counted in parts of 4 kB that end at a line end where possible, so that the time is linear even for hostile text; the
/// count may be off by one token a part. The vocabulary is unpacked at the first call, which takes about as long as all
/// other work of a command.
#[must_use]
#[cfg(feature = "tokens")]
pub fn exact(text: &str) -> Option<usize> {
    let vocabulary = tiktoken_rs::o200k_base_singleton();
    Some(
        split_parts(text)
            .map(|part| vocabulary.encode_ordinary(part).len())
            .sum(),
    )
}

/// Counts the tokens of a text by the `o200k` vocabulary; `None` where the binary was built without it.
#[must_use]
#[cfg(not(feature = "tokens"))]
pub fn exact(_: &str) -> Option<usize> {
    None
}

/// Longest part that is counted at once, in bytes.
#[cfg(feature = "tokens")]
const PART_SIZE: usize = 4096;

#[cfg(feature = "tokens")]
fn split_parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;

    std::iter::from_fn(move || {
        let (part, tail) = rest.split_at(first_part_end(rest));
        rest = tail;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(feature = "tokens")]
fn first_part_end(text: &str) -> usize {
    let most = text.floor_char_boundary(PART_SIZE);
    if most == text.len() {
        return most;
    }

    // A token rarely crosses a line end, so that the count of the parts is that of the whole.
    text[..most].rfind('\n').map_or(most, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "tokens")]
    fn exact_counts_are_those_of_the_vocabulary() {
        assert_eq!(exact(""), Some(0));
        assert_eq!(exact("hello world"), Some(2));
        assert_eq!(exact("tiktoken is great!"), Some(6));
        let long = "one line of words\n".repeat(1000);
        assert_eq!(exact(&long), Some(5 * 1000));
        assert_eq!(
            split_parts(&"é".repeat(5000))
                .map(str::len)
                .collect::<Vec<_>>(),
            [4096, 4096, 1808]
        );
        assert!(
            exact(&" ".repeat(100_000)).is_some(),
            "a long run of spaces is counted in linear time"
        );
    }

    #[test]
    fn an_estimate_counts_characters_not_bytes_and_rounds_up() {
        assert_eq!(
            ["", "a", "abcd", "abcde", "日本語🚀"].map(estimate),
            [0, 1, 1, 2, 1]
        );
        assert_eq!(estimate(&"x".repeat(43)), 11);
    }

    #[test]
    fn an_approximation_counts_words_and_their_further_letters() {
        assert_eq!(approximate(""), 0);
        assert_eq!(approximate("use the pdf"), 3);
        assert_eq!(approximate("seventy eighteen"), 3);
        assert_eq!(approximate("a, b\n"), 4, "2 + 0.55 + 0.5, rounded up");
        assert_eq!(approximate("日本語"), 3, "2.4, rounded up");
    }

    proptest::proptest! {
        #[test]
        fn the_bounds_enclose_the_approximation(text in "([a-z]{1,20}|[ \n]|[!-~]|日|é){0,400}", times in 1..40_usize) {
            let text = text.repeat(times);
            let tokens = approximate(&text);
            let (least, most) = bounds(&text);
            proptest::prop_assert!(least <= tokens && tokens <= most, "{least} <= {tokens} <= {most}");
            proptest::prop_assert!(tokens <= least * 2 + 200 && most <= tokens * 2 + 200, "{least} {tokens} {most}");
        }
    }

    #[test]
    fn each_kind_of_character_has_its_token_cost() {
        for (text, hundredths) in [
            ("", 0),
            ("abcdefg", 100),
            ("abcdefgh", 200),
            ("abcdefg hijklmn o", 300),
            ("a,b\n", 100 + 55 + 100 + 50),
            ("日é", 160),
            ("a\u{1f600}a", 100 + 80 + 100),
            ("\t \u{7f}", 0),
        ] {
            assert_eq!(
                approximate(text),
                usize::div_ceil(hundredths, 100),
                "{text}"
            );
        }
    }
}

//! How much of a model's attention a text costs, without the model's own vocabulary.

/// A quick estimate: one token for four characters, rounded up.
///
/// A catalog's `est_tokens` is this of the body, that is of what an agent reads once it has chosen the skill. In the
/// worked example the `SKILL.md` of `csv-tidy` has 168 bytes, 125 of them frontmatter; the other 43 give 11.
#[must_use]
pub fn estimate(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// Hundredths of a token for a mark of punctuation.
const PUNCTUATION: u8 = 55;
/// Hundredths of a token for a line break.
const LINE_BREAK: u8 = 50;
/// Hundredths of a token for a character beyond ASCII.
const WIDE: u8 = 80;
/// Letters of a word that one token covers.
const LETTERS: usize = 7;

/// A better estimate: a token for each word and each further 7 letters of it, and parts of one for all else.
///
/// A model of these weights, held against the `o200k` vocabulary on 400 real skills, was off by 4 % in the median and
/// by 11 % or more for one in ten.
#[must_use]
pub fn approximate(text: &str) -> usize {
    hundredths(text).div_ceil(100)
}

/// The same in hundredths of a token, so that what parts cost can be summed up.
#[must_use]
pub fn hundredths(text: &str) -> usize {
    let (mut hundredths, mut word) = (0, 0);
    for byte in text.bytes() {
        let cost = COSTS[usize::from(byte)];
        if cost == LETTER {
            hundredths += if word == 0 { 100 } else { 0 };
            word = if word + 1 == LETTERS { 0 } else { word + 1 };
        } else {
            word = 0;
            hundredths += usize::from(cost);
        }
    }
    hundredths
}

/// The least and the most tokens that a text may have by [`approximate`]: bounds that are had in a fraction of the time.
#[must_use]
pub fn bounds(text: &str) -> (usize, usize) {
    let counted = text.as_bytes().chunks(CHUNK).map(Counts::of);
    let (all, most) = counted.fold((Counts::default(), 0), |(all, most), part| (all.and(&part), most + part.at_most()));
    (all.at_least() / 100, most.div_ceil(100))
}

/// Bytes of which a bound is taken at once.
const CHUNK: usize = 4096;
/// Bytes that are counted at once: so many that no count of 8 bits overflows.
const BLOCK: usize = 240;

/// What is counted in a part of a text.
#[derive(Default)]
struct Counts {
    letters: usize,
    /// Beginnings of words, but for one at the very start.
    starts: usize,
    /// Hundredths of a token for all that is of no word.
    others: usize,
}

impl Counts {
    fn of(part: &[u8]) -> Self {
        let pairs = part.chunks(BLOCK).zip(part.get(1..).unwrap_or_default().chunks(BLOCK));
        let starts = |(before, after): (&[u8], &[u8])| {
            let pairs = before.iter().zip(after);
            let is_start = |(a, b): (&u8, &u8)| u8::from(!a.is_ascii_alphanumeric() & b.is_ascii_alphanumeric());
            usize::from(pairs.map(is_start).sum::<u8>())
        };
        let marks = count(part, |byte| byte.is_ascii_punctuation()) * usize::from(PUNCTUATION);
        let breaks = count(part, |byte| byte == b'\n') * usize::from(LINE_BREAK);
        let wide = count(part, |byte| byte >= 0xc0) * usize::from(WIDE);
        Counts {
            letters: count(part, |byte| byte.is_ascii_alphanumeric()),
            starts: pairs.map(starts).sum(),
            others: marks + breaks + wide,
        }
    }

    fn and(&self, other: &Self) -> Self {
        Counts {
            letters: self.letters + other.letters,
            starts: self.starts + other.starts,
            others: self.others + other.others,
        }
    }

    /// The most that it can cost, in hundredths of a token. A word of `n` letters is a token, and one more for each
    /// further [`LETTERS`], so at most `n / 7 + 6 / 7`; what is left is counted as it is.
    fn at_most(&self) -> usize {
        (self.letters + (LETTERS - 1) * (self.starts + 1)) * 100 / LETTERS + self.others + 100
    }

    /// The least: a token for each word, and for each [`LETTERS`] letters.
    fn at_least(&self) -> usize {
        self.starts.max(self.letters / LETTERS) * 100 + self.others
    }
}

/// How many bytes are so. Without a branch, so that it is asked of many at a time.
#[expect(clippy::inline_always, reason = "called with closures of all sorts, each of which is to be one loop")]
#[inline(always)]
fn count(part: &[u8], is: impl Fn(u8) -> bool) -> usize {
    part.chunks(BLOCK).map(|block| usize::from(block.iter().map(|byte| u8::from(is(*byte))).sum::<u8>())).sum()
}

/// What a byte costs, in hundredths of a token: a character beyond ASCII pays with its first.
const COSTS: [u8; 256] = {
    let mut costs = [0; 256];
    let mut byte: u8 = 0;
    loop {
        costs[byte as usize] = match byte {
            _ if byte.is_ascii_alphanumeric() => LETTER,
            b'\n' => LINE_BREAK,
            _ if byte.is_ascii_punctuation() => PUNCTUATION,
            0xc0.. => WIDE,
            _ => 0,
        };
        if byte == u8::MAX {
            break costs;
        }
        byte += 1;
    }
};
/// Marks a byte of a word in [`COSTS`].
const LETTER: u8 = u8::MAX;

/// The tokens of a text by the `o200k` vocabulary, which lies in the binary; `None` where it was built without.
///
/// Counted in parts of 4 kB that end where a line does if they can, so that no text of a stranger costs more than its
/// length: the count of a longer one may be off by a token a part. The vocabulary is unpacked at the first call, which
/// takes about as long as all other work of a command.
#[must_use]
#[cfg(feature = "tokens")]
pub fn exact(text: &str) -> Option<usize> {
    let vocabulary = tiktoken_rs::o200k_base_singleton();
    Some(parts(text).map(|part| vocabulary.encode_ordinary(part).len()).sum())
}

/// The tokens of a text by the `o200k` vocabulary, which lies in the binary; `None` where it was built without.
#[must_use]
#[cfg(not(feature = "tokens"))]
pub fn exact(_: &str) -> Option<usize> {
    None
}

/// Longest part that is counted at once, in bytes.
#[cfg(feature = "tokens")]
const PART: usize = 4096;

#[cfg(feature = "tokens")]
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let most = rest.floor_char_boundary(PART);
        let end = if most == rest.len() { most } else { rest[..most].rfind('\n').map_or(most, |at| at + 1) };
        let (part, tail) = rest.split_at(end);
        rest = tail;
        (!part.is_empty()).then_some(part)
    })
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
        assert_eq!(parts(&"é".repeat(5000)).map(str::len).collect::<Vec<_>>(), [4096, 4096, 1808]);
        assert!(exact(&" ".repeat(100_000)).is_some(), "no run of blanks is too long for it");
    }

    #[test]
    fn an_estimate_counts_characters_not_bytes_and_rounds_up() {
        assert_eq!(["", "a", "abcd", "abcde", "日本語🚀"].map(estimate), [0, 1, 1, 2, 1]);
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
        fn the_bounds_are_some(text in "([a-z]{1,20}|[ \n]|[!-~]|日|é){0,400}", times in 1..40_usize) {
            let text = text.repeat(times);
            let tokens = approximate(&text);
            let (least, most) = bounds(&text);
            proptest::prop_assert!(least <= tokens && tokens <= most, "{least} <= {tokens} <= {most}");
            proptest::prop_assert!(tokens <= least * 2 + 200 && most <= tokens * 2 + 200, "{least} {tokens} {most}");
        }
    }

    #[test]
    fn words_marks_breaks_and_wide_characters_have_their_price() {
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
            assert_eq!(approximate(text), usize::div_ceil(hundredths, 100), "{text}");
        }
    }
}

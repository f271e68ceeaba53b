//! Corrections of a word that is found nowhere: words of names and keywords that it may be a typo of.

use std::collections::HashMap;

use memchr::memchr;
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::query::{SearchQuery, stem};
use super::table::{BlockTexts, DamagedTable, SEPARATOR, SearchTable};
use skillpm_core::error::edit_distance;

/// Most corrections of one word.
const WORDS_MAX: usize = 4;

/// How many typos are allowed in a word of this length, in characters: none in a very short one.
fn allowed_typos(length: usize) -> usize {
    match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Finds the words of names and keywords that are nearest to a word, those of most packages first.
///
/// # Errors
/// The position of the table that is damaged.
pub(super) fn suggest_words(tables: &mut [SearchTable], typed: &str) -> Result<Vec<String>, usize> {
    let typo_matcher = TypoMatcher::new(typed);
    let mut found: HashMap<String, (usize, u32)> = HashMap::new();

    for_each_row(tables, |_, keywords_end, text| {
        count_similar_words(&typo_matcher, &text[..keywords_end], &mut found);
    })?;

    // Only words with the fewest typos are worth a search.
    let least = found.values().map(|(typos, _)| *typos).min();
    let mut nearest: Vec<(u32, String)> = found
        .into_iter()
        .filter(|(_, (typos, _))| Some(*typos) == least)
        .map(|(word, (_, rows))| (rows, word))
        .collect();

    nearest.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(nearest
        .into_iter()
        .take(WORDS_MAX)
        .map(|(_, word)| word)
        .collect())
}

/// Adds the words of a row that are similar to the typed one to `found`: typos and number of rows by word.
fn count_similar_words(
    typo_matcher: &TypoMatcher<'_>,
    text: &[u8],
    found: &mut HashMap<String, (usize, u32)>,
) {
    for word in text.split(|byte| !byte.is_ascii_alphanumeric()) {
        let Some(typos) = typo_matcher.count_typos(word) else {
            continue;
        };
        let word = String::from_utf8_lossy(word);
        found.entry(stem(&word).to_owned()).or_insert((typos, 0)).1 += 1;
    }
}

/// Finds the names nearest to a query without hits, the nearest first: those that it may be a typo of, then those that
/// contain its letters in the same order.
///
/// # Errors
/// The position of the table that is damaged.
pub fn suggest_names(
    tables: &mut [SearchTable],
    query: &SearchQuery,
    count: usize,
) -> Result<Vec<String>, usize> {
    // With a scope whole names are compared, else the parts after it.
    let wanted = if query.typed.contains('/') {
        &query.typed
    } else {
        &query.as_name
    };

    let mut ranker = NameRanker::new(wanted);
    let mut found: Vec<((usize, u16), String)> = Vec::new();
    for_each_row(tables, |name_end, _, text| {
        if let Ok(name) = std::str::from_utf8(&text[..name_end])
            && let Some(rank) = ranker.rank(name)
        {
            found.push((rank, name.to_owned()));
        }
    })?;

    found.sort();
    found.dedup_by(|a, b| a.1 == b.1);
    Ok(found
        .into_iter()
        .take(count)
        .map(|(_, name)| name)
        .collect())
}

/// Ranks names by how near they are to the wanted one.
struct NameRanker<'w> {
    wanted: &'w str,
    typos: TypoMatcher<'w>,
    fuzzy: Matcher,
    needle: Vec<char>,
    buffer: Vec<char>,
}

impl<'w> NameRanker<'w> {
    fn new(wanted: &'w str) -> Self {
        NameRanker {
            wanted,
            // Names are only suggested, and never used by themselves, so more typos are allowed.
            typos: TypoMatcher {
                allowed: wanted.chars().count().div_ceil(3),
                ..TypoMatcher::new(wanted)
            },
            fuzzy: Matcher::new(Config::DEFAULT),
            needle: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// The rank of a name, the lowest first: typos, the fewest first, then fuzzy matches, by their score. `None` if it is
    /// not similar.
    fn rank(&mut self, name: &str) -> Option<(usize, u16)> {
        let skill = name.split_once('/').map_or(name, |(_, skill)| skill);
        let compared = if self.wanted.contains('/') {
            name
        } else {
            skill
        };
        if let Some(typos) = self.typos.count_typos(compared.as_bytes()) {
            return Some((typos, 0));
        }

        // One or two letters are in nearly every name.
        if self.wanted.len() <= 2 {
            return None;
        }
        let needle = Utf32Str::new(self.wanted, &mut self.needle);
        let score = self
            .fuzzy
            .fuzzy_match(Utf32Str::new(name, &mut self.buffer), needle)?;
        Some((usize::MAX, u16::MAX - score))
    }
}

/// Calls `each` with the ends of name and keywords of a row, and its text.
fn for_each_row(
    tables: &mut [SearchTable],
    mut each: impl FnMut(usize, usize, &[u8]),
) -> Result<(), usize> {
    for (at, table) in tables.iter_mut().enumerate() {
        table
            .for_each_block(|texts| for_each_row_of(texts, &mut each))
            .map_err(|DamagedTable| at)?;
    }
    Ok(())
}

fn for_each_row_of(texts: &BlockTexts<'_>, each: &mut impl FnMut(usize, usize, &[u8])) {
    for pair in texts.starts.windows(2) {
        let text = &texts.text[pair[0] as usize..pair[1] as usize];
        let name_end = memchr(SEPARATOR, text).unwrap_or(text.len());
        let rest = text.get(name_end + 1..).unwrap_or_default();
        let keywords_end = name_end + 1 + memchr(SEPARATOR, rest).unwrap_or(rest.len());
        each(name_end, keywords_end, text);
    }
}

/// A word, and the number of typos that are allowed in it.
struct TypoMatcher<'w> {
    word: &'w str,
    allowed: usize,
    /// A bit for each letter and digit in it.
    letters: u64,
}

impl<'w> TypoMatcher<'w> {
    fn new(word: &'w str) -> Self {
        TypoMatcher {
            word,
            allowed: allowed_typos(word.chars().count()),
            letters: letter_set(word.as_bytes()),
        }
    }

    /// Counts the typos between the word and another; `None` if there are too many. Nearly all words are excluded by their
    /// length, or by the letters that only one of them has.
    fn count_typos(&self, other: &[u8]) -> Option<usize> {
        // Each typo changes at most two letters of the set.
        let (allowed, differing) = (
            self.allowed,
            (letter_set(other) ^ self.letters).count_ones(),
        );
        if allowed == 0
            || other.len().abs_diff(self.word.len()) > allowed
            || differing as usize > 2 * allowed
        {
            return None;
        }

        let typos = edit_distance(self.word, std::str::from_utf8(other).ok()?);
        (typos <= allowed).then_some(typos)
    }
}

fn letter_set(word: &[u8]) -> u64 {
    word.iter().fold(0, |letters, byte| match byte {
        b'a'..=b'z' => letters | 1 << (byte - b'a'),
        b'0'..=b'9' => letters | 1 << (26 + byte - b'0'),
        _ => letters,
    })
}

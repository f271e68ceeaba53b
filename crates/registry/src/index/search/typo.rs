//! What was meant by a word that stands nowhere: words of names and keywords that it is a slip of.

use std::collections::HashMap;

use memchr::memchr;
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::query::{Query, stem};
use super::table::{Damaged, SEPARATOR, Table, Texts};
use crate::error::distance;

/// Most words that one is taken for.
const WORDS_MAX: usize = 4;

/// How many slips there may be in a word of this length, in characters: none in one that is hardly longer than a slip.
fn allowed(length: usize) -> usize {
    match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The words of names and keywords that are nearest to a word, those of most packages first.
///
/// # Errors
/// The position of the table that is damaged.
pub(super) fn near_words(tables: &mut [Table], typed: &str) -> Result<Vec<String>, usize> {
    let nearness = Nearness::of(typed);
    let mut found: HashMap<String, (usize, u32)> = HashMap::new();
    for_each_head(tables, |_, keywords_end, text| {
        for word in text[..keywords_end].split(|byte| !byte.is_ascii_alphanumeric()) {
            let Some(slips) = nearness.slips(word) else { continue };
            let word = String::from_utf8_lossy(word);
            found.entry(stem(&word).to_owned()).or_insert((slips, 0)).1 += 1;
        }
    })?;
    let least = found.values().map(|(slips, _)| *slips).min();
    let mut nearest: Vec<(u32, String)> = found
        .into_iter()
        .filter(|(_, (slips, _))| Some(*slips) == least)
        .map(|(word, (_, rows))| (rows, word))
        .collect();
    nearest.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(nearest.into_iter().take(WORDS_MAX).map(|(_, word)| word).collect())
}

/// The names nearest to a query that nothing answers, the nearest first: those that it is a slip of, then those that
/// hold its letters in their order.
///
/// # Errors
/// The position of the table that is damaged.
pub fn near_names(tables: &mut [Table], query: &Query, count: usize) -> Result<Vec<String>, usize> {
    let wanted = if query.typed.contains('/') { &query.typed } else { &query.as_name };
    let nearness = Nearness { allowed: wanted.chars().count().div_ceil(3), ..Nearness::of(wanted) };
    let mut matcher = Matcher::new(Config::DEFAULT);
    let (mut letters, mut room) = (Vec::new(), Vec::new());
    let needle = Utf32Str::new(wanted, &mut letters);
    // Slips first, the fewest first; then by how well the letters stand.
    let mut found: Vec<((usize, u16), String)> = Vec::new();
    for_each_head(tables, |name_end, _, text| {
        let name = &text[..name_end];
        let skill = memchr(b'/', name).map_or(name, |at| &name[at + 1..]);
        let compared = if wanted.contains('/') { name } else { skill };
        let Ok(shown) = std::str::from_utf8(name) else { return };
        if let Some(slips) = nearness.slips(compared) {
            found.push(((slips, 0), shown.to_owned()));
        } else if wanted.len() > 2
            && let Some(score) = matcher.fuzzy_match(Utf32Str::new(shown, &mut room), needle)
        {
            found.push(((usize::MAX, u16::MAX - score), shown.to_owned()));
        }
    })?;
    found.sort();
    found.dedup_by(|a, b| a.1 == b.1);
    Ok(found.into_iter().take(count).map(|(_, name)| name).collect())
}

/// Calls `each` with where name and keywords of a row end, and its text.
fn for_each_head(tables: &mut [Table], mut each: impl FnMut(usize, usize, &[u8])) -> Result<(), usize> {
    for (at, table) in tables.iter_mut().enumerate() {
        let block = |texts: &Texts<'_>| {
            for pair in texts.starts.windows(2) {
                let text = &texts.text[pair[0] as usize..pair[1] as usize];
                let name_end = memchr(SEPARATOR, text).unwrap_or(text.len());
                let rest = text.get(name_end + 1..).unwrap_or_default();
                each(name_end, name_end + 1 + memchr(SEPARATOR, rest).unwrap_or(rest.len()), text);
            }
        };
        table.texts(block).map_err(|Damaged| at)?;
    }
    Ok(())
}

/// A word, and how near to it another must be.
struct Nearness<'w> {
    word: &'w str,
    allowed: usize,
    /// A bit for each letter and digit in it.
    letters: u64,
}

impl<'w> Nearness<'w> {
    fn of(word: &'w str) -> Self {
        Nearness { word, allowed: allowed(word.chars().count()), letters: letters(word.as_bytes()) }
    }

    /// How many slips lie between the word and another; `None` if it is not near. Nearly all are told apart by their
    /// length, or by the letters that only one of them has.
    fn slips(&self, other: &[u8]) -> Option<usize> {
        let (allowed, differing) = (self.allowed, (letters(other) ^ self.letters).count_ones());
        if allowed == 0 || other.len().abs_diff(self.word.len()) > allowed || differing as usize > 2 * allowed {
            return None;
        }
        let slips = distance(self.word, std::str::from_utf8(other).ok()?);
        (slips <= allowed).then_some(slips)
    }
}

fn letters(word: &[u8]) -> u64 {
    word.iter().fold(0, |letters, byte| match byte {
        b'a'..=b'z' => letters | 1 << (byte - b'a'),
        b'0'..=b'9' => letters | 1 << (26 + byte - b'0'),
        _ => letters,
    })
}

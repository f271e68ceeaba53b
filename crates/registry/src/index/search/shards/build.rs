//! Writes the files of a search index from a search table.

use std::collections::{BTreeMap, HashMap};

use super::words::{WordScore, match_score, row_words};
use super::{
    FORMAT, SEARCH_HEAD, SIZES, SearchHead, ShardFile, ShardSizes, ShardWord, encode, file_path,
    rows_key, word_key,
};
use crate::index::search::row::PublishedLine;
use crate::index::search::table::{DamagedTable, SearchTable, decode_row};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::Sha256Digest;

/// Least bytes that the text of a row counts for: each takes as many for the names of its keys.
const ROW_MIN: usize = 64;

/// Writes one file, by its path in the index.
pub(in crate::index) type PutFile<'p> = dyn FnMut(&str, &[u8]) -> Result<()> + 'p;

/// A word with its packages, sorted by number.
type WordPostings = (String, Vec<WordPosting>);

/// A package of a word.
#[derive(Debug, Clone, Copy)]
struct WordPosting {
    number: u32,
    /// Its score, as 16 bits.
    score: u16,
}

/// Writes the search index of the packages in a table. The head is last: it refers to the others.
///
/// # Errors
/// If the table is damaged, or a file cannot be written.
pub(in crate::index) fn write_shards(table: &mut SearchTable, put: &mut PutFile<'_>) -> Result<()> {
    write_sized(table, SIZES, put)
}

pub(super) fn write_sized(
    table: &mut SearchTable,
    sizes: ShardSizes,
    put: &mut PutFile<'_>,
) -> Result<()> {
    let packages = table.meta.rows;
    let words = collect_words(table).map_err(damaged_table)?;
    let base = base_digest(table, sizes.block)?;
    write_rows(table, &base, sizes.block, put)?;

    let mut writer = ShardWriter {
        head: SearchHead {
            v: FORMAT,
            base,
            packages,
            text: table.meta.text,
            block: sizes.block,
            leaves: Vec::new(),
            words: Vec::new(),
            recent: Vec::new(),
        },
        row_text: average_text(table),
        table,
        sizes,
        put,
    };
    writer.write_words(&words, "")?;

    let mut head = writer.head;
    head.leaves.sort_unstable();
    head.words.sort_unstable();
    let head = head.to_bytes().ok_or_else(|| {
        Error::negative(format!(
            "too many words for a search index: {packages} packages"
        ))
    })?;
    put(SEARCH_HEAD, &head)
}

fn damaged_table(_: DamagedTable) -> Error {
    Error::disk("the search table of a registry is corrupt")
        .help("run the command again, which rebuilds it")
}

/// Bytes of the average row.
fn average_text(table: &SearchTable) -> usize {
    usize::try_from(table.meta.text / u64::from(table.meta.rows.max(1))).unwrap_or(usize::MAX)
}

/// The packages of each word, sorted by words.
fn collect_words(table: &mut SearchTable) -> Result<Vec<WordPostings>, DamagedTable> {
    #[expect(clippy::cast_precision_loss, reason = "a level needs no more digits")]
    let average = average_text(table).max(1) as f32;
    let mut by_word: HashMap<String, Vec<WordPosting>> = HashMap::new();

    let packages = table.meta.rows;
    let mut raw = table.raw_rows();
    for number in 0..packages {
        let (text, _) = raw.next()?;
        for (word, score) in row_words(text, average) {
            let score = score.to_bits();
            let posting = WordPosting { number, score };
            by_word.entry(word).or_default().push(posting);
        }
    }

    let mut words: Vec<WordPostings> = by_word.into_iter().collect();
    words.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(words)
}

/// Calls `each` with the rows of each block.
fn each_block(
    table: &mut SearchTable,
    block: u32,
    mut each: impl FnMut(u32, Vec<(u32, PublishedLine)>) -> Result<()>,
) -> Result<()> {
    let packages = table.meta.rows;
    let mut raw = table.raw_rows();
    for first in (0..packages).step_by(block as usize) {
        let mut rows = Vec::new();
        for number in first..packages.min(first + block) {
            let (_, record) = raw.next().map_err(damaged_table)?;
            let row = decode_row(record).map_err(damaged_table)?;
            let line = row.to_published().ok_or_else(invalid_row)?;
            rows.push((number, line));
        }
        each(first / block, rows)?;
    }
    Ok(())
}

fn invalid_row() -> Error {
    Error::internal("the row of a package is invalid")
}

/// The digest of all packages and of the format.
fn base_digest(table: &mut SearchTable, block: u32) -> Result<String> {
    let mut digests = format!("{FORMAT} {block}").into_bytes();
    each_block(table, block, |_, rows| {
        let rows = serde_json::to_vec(&rows).expect("rows are valid JSON");
        digests.extend_from_slice(Sha256Digest::hash_bytes(&rows).as_bytes());
        Ok(())
    })?;

    let digest = Sha256Digest::hash_bytes(&digests).to_string();
    Ok(digest[..16].to_owned())
}

fn write_rows(
    table: &mut SearchTable,
    base: &str,
    block: u32,
    put: &mut PutFile<'_>,
) -> Result<()> {
    each_block(table, block, |number, rows| {
        let key = rows_key(number);
        let file = ShardFile {
            v: FORMAT,
            base: base.to_owned(),
            key: key.clone(),
            words: Vec::new(),
            rows,
        };
        put(&file_path(base, &key), &encode(&file))
    })
}

/// Writes the tree of words.
struct ShardWriter<'w, 'p> {
    head: SearchHead,
    /// Bytes of the average row.
    row_text: usize,
    table: &'w mut SearchTable,
    sizes: ShardSizes,
    put: &'w mut PutFile<'p>,
}

impl ShardWriter<'_, '_> {
    /// Writes sorted words that all begin with `key`: as a leaf, or as a branch and those below it.
    fn write_words(&mut self, words: &[WordPostings], key: &str) -> Result<()> {
        if self.is_leaf(words) {
            self.head.leaves.push(key.to_owned());
            let listed: Vec<ListedWord> = words
                .iter()
                .map(|(word, postings)| ListedWord {
                    word,
                    total: postings.len(),
                    postings: postings.clone(),
                })
                .collect();
            return self.write_shard(key, &listed);
        }

        // Where all words have more in common, the tree does not branch before that.
        let key = common_start(&words[0].0, &words[words.len() - 1].0);
        self.write_branch(words, key)?;

        let below = words.iter().position(|(word, _)| word.len() > key.len());
        let mut rest = &words[below.unwrap_or(words.len())..];
        while let Some((word, _)) = rest.first() {
            let next = word[key.len()..]
                .chars()
                .next()
                .expect("longer than the key");
            let child = &word[..key.len() + next.len_utf8()];
            let end = rest.partition_point(|(word, _)| word.starts_with(child));
            self.write_words(&rest[..end], child)?;
            rest = &rest[end..];
        }
        Ok(())
    }

    /// Whether words with their rows are small enough for one file.
    fn is_leaf(&self, words: &[WordPostings]) -> bool {
        let (mut text, mut postings) = (0, 0);
        for (_, packages) in words {
            text += packages.len().min(self.sizes.rows) * self.row_text.max(ROW_MIN);
            postings += packages.len();
            if text > self.sizes.leaf_text || postings > self.sizes.leaf_postings {
                return false;
            }
        }
        true
    }

    /// Writes the packages with any word that begins with `key`; where it is short, only those with the word itself.
    fn write_branch(&mut self, words: &[WordPostings], key: &str) -> Result<()> {
        let mut postings = Vec::new();
        for (word, packages) in words.iter().filter(|_| !key.is_empty()) {
            let scored = packages.iter().filter_map(|posting| {
                let score = match_score(word, key, WordScore::from_bits(posting.score))?;
                Some(WordPosting {
                    score: score.to_bits(),
                    ..*posting
                })
            });
            postings.extend(scored);
        }
        if postings.is_empty() {
            return Ok(());
        }

        postings.sort_by_key(|posting: &WordPosting| posting.number);
        postings.dedup_by(|next, first| {
            let same = next.number == first.number;
            if same {
                let (one, other) = (first.score, next.score);
                let joined = WordScore::from_bits(one).join(WordScore::from_bits(other));
                first.score = joined.to_bits();
            }
            same
        });

        let total = postings.len();
        keep_best(&mut postings, self.sizes.branch_postings);
        let rows = u32::try_from(total).expect("there are fewer packages");
        self.head.words.push((key.to_owned(), rows));
        self.write_shard(
            key,
            &[ListedWord {
                word: key,
                total,
                postings,
            }],
        )
    }

    fn write_shard(&mut self, key: &str, words: &[ListedWord<'_>]) -> Result<()> {
        let mut numbers: Vec<u32> = Vec::new();
        for word in words {
            let mut best = word.postings.clone();
            keep_best(&mut best, self.sizes.rows);
            numbers.extend(best.iter().map(|posting| posting.number));
        }
        numbers.sort_unstable();
        numbers.dedup();

        let mut rows = Vec::new();
        for number in numbers {
            let row = self.table.row(number).map_err(damaged_table)?;
            rows.push((number, row.to_published().ok_or_else(invalid_row)?));
        }

        let key = word_key(key);
        let file = ShardFile {
            v: FORMAT,
            base: self.head.base.clone(),
            key: key.clone(),
            words: words.iter().map(ListedWord::to_shard).collect(),
            rows,
        };
        (self.put)(&file_path(&self.head.base, &key), &encode(&file))
    }
}

/// A word of a shard.
struct ListedWord<'w> {
    word: &'w str,
    /// The number of its packages, of which `postings` may have only the best.
    total: usize,
    postings: Vec<WordPosting>,
}

impl ListedWord<'_> {
    fn to_shard(&self) -> ShardWord {
        let mut by_level: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        for posting in &self.postings {
            let level = WordScore::from_bits(posting.score).to_level();
            by_level.entry(level).or_default().push(posting.number);
        }

        // The best first, and each number as the difference from the one before it.
        let mut levels = Vec::new();
        for (level, mut numbers) in by_level.into_iter().rev() {
            for at in (1..numbers.len()).rev() {
                numbers[at] -= numbers[at - 1];
            }
            levels.push((level, numbers));
        }

        ShardWord {
            word: self.word.to_owned(),
            rows: u32::try_from(self.total).expect("there are fewer packages"),
            levels,
        }
    }
}

/// Keeps the packages with the highest scores, of equal ones the first; they stay sorted.
fn keep_best(postings: &mut Vec<WordPosting>, most: usize) {
    if postings.len() <= most {
        return;
    }
    postings.sort_by_key(|posting| std::cmp::Reverse(posting.score));
    postings.truncate(most);
    postings.sort_by_key(|posting| posting.number);
}

/// The common beginning of two words.
fn common_start<'w>(one: &'w str, other: &str) -> &'w str {
    let same = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    &one[..same]
}

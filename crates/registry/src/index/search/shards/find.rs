//! Finds the packages for a query with a few files of a search index, and makes a table of them.
//!
//! The levels in the shards only choose which packages are loaded. These are scanned and ranked as those of any table, with the
//! statistics of the whole index.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::words::{MatchClass, PREFIX_MIN, WordScore, cut_word, match_score};
use super::{SearchHead, ShardFile, file_path, rows_key, word_key};
use crate::index::search::query::{SearchQuery, stem};
use crate::index::search::row::{PublishedLine, SearchRow};
use crate::index::search::table::{SearchTable, TableSample};
use skillpm_core::error::{Error, Result};

/// Most shards of words that one search reads.
const SHARDS_MAX: usize = 3;

/// Most files that one search reads after the head, so that it makes six requests with those for `config.json` and the head.
const FILES_MAX: usize = 4;

/// Most files of rows for a search that shows more than the usual number of hits.
const BLOCKS_MAX: usize = 16;

/// The number of hits for which [`FILES_MAX`] is enough.
const USUAL_LIMIT: usize = 20;

/// Reads files of the index, requested together; `None` for one that does not exist.
type ReadFiles<'r> = dyn FnMut(&[String]) -> Result<Vec<Option<Vec<u8>>>> + 'r;

/// One search with a search index.
pub(in crate::index) struct ShardSearch<'s> {
    pub head: &'s SearchHead,
    pub query: &'s SearchQuery,
    /// The number of hits that are shown.
    pub limit: usize,
}

/// A searched beginning of words, with the shard that has it.
struct Needle {
    text: String,
    /// Its position in the query; `None` for the name that the whole query may be.
    word: Option<usize>,
    /// The key of the shard; `None` if no word begins with it.
    key: Option<String>,
    /// How many packages have it, if that is known before the shard is read: 0 for those of a leaf.
    rows: u32,
}

/// The packages of a needle, as far as they are listed.
struct NeedleRows {
    word: Option<usize>,
    /// Score by number.
    scores: HashMap<u32, WordScore>,
    total: u32,
}

impl NeedleRows {
    fn is_complete(&self) -> bool {
        self.scores.len() == self.total as usize
    }

    fn score(&self, number: u32) -> WordScore {
        self.scores.get(&number).copied().unwrap_or_default()
    }
}

/// A package that may be a hit.
struct RankedRow {
    class: MatchClass,
    score: f32,
    /// Whether its data was read with a shard, of which it has the best of those at one level.
    is_read: bool,
    number: u32,
}

impl RankedRow {
    /// The best first.
    fn compare(&self, other: &RankedRow) -> Ordering {
        let by_class = other.class.cmp(&self.class);
        by_class
            .then(other.score.total_cmp(&self.score))
            .then(other.is_read.cmp(&self.is_read))
            .then(self.number.cmp(&other.number))
    }
}

/// The packages of all needles.
struct CandidateScorer<'f> {
    /// Those of the words that some package has.
    words: Vec<&'f NeedleRows>,
    /// Those whose name the query may be.
    names: Option<&'f NeedleRows>,
    /// The number of packages of the index.
    packages: u32,
}

impl CandidateScorer<'_> {
    /// The packages that may have all words, or the name; if there are none, those with some words.
    fn candidates(&self) -> BTreeSet<u32> {
        // A list of the best alone does not show which packages lack the word.
        let has_complete = self.words.iter().any(|rows| rows.is_complete());
        let restricting = self
            .words
            .iter()
            .filter(|rows| rows.is_complete() || !has_complete);

        let mut numbers = intersect(restricting);
        if numbers.is_empty() {
            numbers.extend(self.words.iter().flat_map(|rows| rows.scores.keys()));
        }
        numbers.extend(self.names.iter().flat_map(|rows| rows.scores.keys()));
        numbers
    }

    /// Names that begin with the query are first in every ranking.
    fn class(&self, number: u32) -> MatchClass {
        match (self.names, self.words.as_slice()) {
            (Some(names), _) => names.score(number).class,
            (None, [only]) => only.score(number).class,
            (None, _) => MatchClass::Anywhere,
        }
    }

    fn score(&self, number: u32) -> f32 {
        let of_word = |rows: &&NeedleRows| self.rarity(rows.total) * rows.score(number).share;
        self.words.iter().map(of_word).sum()
    }

    /// As in the ranking of tables.
    #[expect(clippy::cast_precision_loss, reason = "a rank needs no more digits")]
    fn rarity(&self, with: u32) -> f32 {
        let (rows, with) = (self.packages as f32, with as f32);
        ((rows - with + 0.5).max(0.0) / (with + 0.5)).ln_1p()
    }
}

impl ShardSearch<'_> {
    /// Finds the packages. `read` reads files of the index.
    ///
    /// # Errors
    /// If a file is missing or invalid, or `read` fails.
    pub(in crate::index) fn run(&self, read: &mut ReadFiles<'_>) -> Result<SearchTable> {
        let needles = self.needles();
        let keys = choose_shards(&needles, self.head);
        let files = self.read_files(&keys, read)?;
        let found = self.find_needles(&needles, &files);

        let mut rows: BTreeMap<u32, PublishedLine> = BTreeMap::new();
        for file in files.into_values() {
            rows.extend(file.rows);
        }

        let candidates = self.rank_candidates(&found, &rows);

        let blocks = self.choose_blocks(&candidates, &rows, keys.len());
        for file in self.read_files(&blocks, read)?.into_values() {
            rows.extend(file.rows);
        }

        let mut table = SearchTable::from_rows(&self.with_recent(rows));
        table.sample = Some(self.sample(&needles, &found));
        Ok(table)
    }

    /// The words of the query, and the name that all of them may be the beginning of.
    fn needles(&self) -> Vec<Needle> {
        let words = self.query.words.iter().enumerate();
        let mut needles: Vec<Needle> = words
            .map(|(word, query_word)| self.needle(stem(&query_word.typed), Some(word)))
            .collect();

        // Users rarely type the scope; the name of a skill is listed without it.
        let name = match self.query.typed.rsplit_once('/') {
            Some((_, skill)) => skill.to_owned(),
            None => self.query.as_name.clone(),
        };
        if needles.iter().all(|needle| needle.text != name) {
            needles.push(self.needle(&name, None));
        }
        needles
    }

    fn needle(&self, text: &str, word: Option<usize>) -> Needle {
        // Words of packages are separated at more characters: `c++` is listed as `c`.
        let text = match word {
            Some(_) => text.trim_end_matches(['+', '#']),
            None => text,
        };
        let text = cut_word(text.as_bytes());
        let (key, rows) = self.head.find_key(&text).unzip();
        Needle {
            text,
            word,
            key,
            rows: rows.unwrap_or_default(),
        }
    }

    /// Reads files by their keys.
    fn read_files(
        &self,
        keys: &[String],
        read: &mut ReadFiles<'_>,
    ) -> Result<BTreeMap<String, ShardFile>> {
        if keys.is_empty() {
            return Ok(BTreeMap::new());
        }
        let base = &self.head.base;
        let paths: Vec<String> = keys.iter().map(|key| file_path(base, key)).collect();

        let mut files = BTreeMap::new();
        for ((key, path), bytes) in keys.iter().zip(&paths).zip(read(&paths)?) {
            let bytes = bytes.ok_or_else(|| {
                Error::integrity(format!("file `{path}` of the search index not found"))
                    .help("run the command again, in case its owners are replacing it")
            })?;
            files.insert(key.clone(), ShardFile::parse(base, key, &bytes)?);
        }
        Ok(files)
    }

    /// The packages of all needles whose shards were read.
    fn find_needles(
        &self,
        needles: &[Needle],
        files: &BTreeMap<String, ShardFile>,
    ) -> Vec<NeedleRows> {
        let read = needles
            .iter()
            .filter_map(|needle| Some((needle, files.get(&word_key(needle.key.as_ref()?))?)));
        read.map(|(needle, file)| needle_rows(needle, file, self.head.packages))
            .collect()
    }

    /// The numbers of packages that may have all words, the best first; if there are none, those with some.
    fn rank_candidates(
        &self,
        found: &[NeedleRows],
        rows: &BTreeMap<u32, PublishedLine>,
    ) -> Vec<u32> {
        let scorer = CandidateScorer {
            words: found
                .iter()
                .filter(|rows| rows.word.is_some() && rows.total > 0)
                .collect(),
            names: found.iter().find(|rows| rows.word.is_none()),
            packages: self.head.packages,
        };

        let numbers = scorer.candidates().into_iter();
        let mut ranked: Vec<RankedRow> = numbers
            .map(|number| RankedRow {
                class: scorer.class(number),
                score: scorer.score(number),
                is_read: rows.contains_key(&number),
                number,
            })
            .collect();
        ranked.sort_by(RankedRow::compare);
        ranked.into_iter().map(|row| row.number).collect()
    }

    /// The files of rows with the best candidates whose data is not in `rows`.
    fn choose_blocks(
        &self,
        candidates: &[u32],
        rows: &BTreeMap<u32, PublishedLine>,
        shards: usize,
    ) -> Vec<String> {
        let most = if self.limit > USUAL_LIMIT {
            BLOCKS_MAX
        } else {
            FILES_MAX.saturating_sub(shards)
        };

        let mut blocks = BTreeSet::new();
        for number in candidates.iter().take(self.limit) {
            if !rows.contains_key(number) && blocks.len() < most {
                blocks.insert(number / self.head.block);
            }
        }
        blocks.into_iter().map(rows_key).collect()
    }

    /// The rows in the order of packages, with the changes since the base.
    fn with_recent(&self, rows: BTreeMap<u32, PublishedLine>) -> Vec<SearchRow> {
        let changed: HashSet<String> = self
            .head
            .recent
            .iter()
            .map(super::RecentRow::name)
            .collect();
        let mut all: Vec<SearchRow> = rows
            .into_values()
            .map(SearchRow::from)
            .filter(|row| !changed.contains(&row.name))
            .collect();
        all.extend(self.head.recent.iter().filter_map(super::RecentRow::row));
        all
    }

    /// Whether a name that begins with the query has all of its words: not if the last is too short to begin a longer word.
    fn ends_with_prefix(&self) -> bool {
        let last = self.query.words.last();
        last.is_some_and(|word| word.typed.len() >= PREFIX_MIN)
    }

    /// The statistics of the whole index.
    fn sample(&self, needles: &[Needle], found: &[NeedleRows]) -> TableSample {
        let mut rows_with = vec![0; self.query.words.len()];
        for needle in needles {
            if let Some(word) = needle.word {
                let read = found.iter().find(|rows| rows.word == needle.word);
                rows_with[word] = read.map_or(needle.rows, |rows| rows.total);
            }
        }

        let words: Vec<&NeedleRows> = found.iter().filter(|rows| rows.word.is_some()).collect();
        let is_known =
            words.len() == rows_with.len() && words.iter().all(|rows| rows.is_complete());
        let hits = match rows_with.as_slice() {
            [only] => *only as usize,
            _ if is_known => intersect(words.iter()).len(),
            // Those that were loaded are counted, or the names that begin with the query, which have all words.
            _ if self.ends_with_prefix() => {
                let names = found.iter().find(|rows| rows.word.is_none());
                names.map_or(0, |rows| rows.total as usize)
            }
            _ => 0,
        };
        TableSample {
            rows: self.head.packages,
            text: self.head.text,
            rows_with,
            hits: hits.min(self.head.packages as usize),
        }
    }
}

/// The packages of a needle in the shard that has it.
fn needle_rows(needle: &Needle, file: &ShardFile, packages: u32) -> NeedleRows {
    let mut scores: HashMap<u32, WordScore> = HashMap::new();
    let mut beyond = 0_u32;

    for listed in &file.words {
        let mut listed_rows = 0;
        for (level, gaps) in &listed.levels {
            // The word of a branch is the needle, or longer: the levels are those of its key.
            let score = WordScore::from_level(*level);
            let Some(score) = match_score(&listed.word, &needle.text, score) else {
                continue;
            };
            let mut number = 0_u32;
            for gap in gaps {
                number = number.saturating_add(*gap);
                // A number that no package has leads nowhere.
                if number >= packages {
                    break;
                }
                let joined = scores.get(&number).map_or(score, |known| known.join(score));
                scores.insert(number, joined);
                listed_rows += 1;
            }
        }
        if listed_rows > 0 {
            beyond = beyond.saturating_add(listed.rows.saturating_sub(listed_rows));
        }
    }

    let total = u32::try_from(scores.len()).unwrap_or(u32::MAX);
    NeedleRows {
        word: needle.word,
        total: total.saturating_add(beyond).min(packages),
        scores,
    }
}

/// The numbers that are in all lists.
fn intersect<'f>(lists: impl Iterator<Item = &'f &'f NeedleRows>) -> BTreeSet<u32> {
    let mut lists: Vec<&HashMap<u32, WordScore>> = lists.map(|rows| &rows.scores).collect();
    lists.sort_by_key(|scores| scores.len());
    let Some((first, others)) = lists.split_first() else {
        return BTreeSet::new();
    };
    let in_all = |number: &&u32| others.iter().all(|scores| scores.contains_key(number));
    first.keys().filter(in_all).copied().collect()
}

/// The keys of the shards to read: that of the name, then those of the words in fewest packages.
fn choose_shards(needles: &[Needle], head: &SearchHead) -> Vec<String> {
    let mut wanted: Vec<&Needle> = needles.iter().collect();
    wanted.sort_by_key(|needle| (needle.word.is_some(), needle.rows));

    let mut keys: Vec<String> = Vec::new();
    let mut add = |key: String| {
        if keys.len() < SHARDS_MAX && !keys.contains(&key) {
            keys.push(key);
        }
    };
    for needle in &wanted {
        if let Some(key) = &needle.key {
            add(word_key(key));
        }
    }
    // Words of packages that one without packages may be a typo of.
    for needle in wanted
        .iter()
        .filter(|needle| needle.key.is_none() && needle.word.is_some())
    {
        if let Some(key) = head.nearest_key(&needle.text) {
            add(word_key(&key));
        }
    }
    keys
}

impl SearchHead {
    /// Finds the shard with the words that begin with `needle`, and the number of its packages; 0 for a leaf.
    fn find_key(&self, needle: &str) -> Option<(String, u32)> {
        if needle.is_empty() {
            return None;
        }
        if let Ok(at) = self
            .words
            .binary_search_by(|(key, _)| key.as_str().cmp(needle))
        {
            return Some(self.words[at].clone());
        }

        let starts = (0..=needle.len()).filter(|end| needle.is_char_boundary(*end));
        for start in starts.map(|end| &needle[..end]) {
            if self.is_leaf(start) {
                return Some((start.to_owned(), 0));
            }
        }

        // The first key below is the one at which the tree branches, or its only leaf.
        if needle.len() < PREFIX_MIN {
            return None;
        }
        let branch = self.words.partition_point(|(key, _)| key.as_str() < needle);
        let leaf = self.leaves.partition_point(|key| key.as_str() < needle);
        let branch = self
            .words
            .get(branch)
            .filter(|(key, _)| key.starts_with(needle));
        let leaf = self.leaves.get(leaf).filter(|key| key.starts_with(needle));
        match (branch, leaf) {
            (Some(branch), Some(leaf)) if *leaf < branch.0 => Some((leaf.clone(), 0)),
            (Some(branch), _) => Some(branch.clone()),
            (None, leaf) => leaf.map(|leaf| (leaf.clone(), 0)),
        }
    }

    fn is_leaf(&self, key: &str) -> bool {
        self.leaves
            .binary_search_by(|leaf| leaf.as_str().cmp(key))
            .is_ok()
    }

    /// The shard whose key has the longest beginning in common with a word that no package has.
    fn nearest_key(&self, needle: &str) -> Option<String> {
        let mut start = needle;
        while let Some((end, _)) = start.char_indices().next_back() {
            start = &start[..end];
            if start.is_empty() {
                return None;
            }
            if let Some((key, _)) = self.find_key(start) {
                return Some(key);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::search::search_tables;
    use crate::index::search::shards::build::write_sized;
    use crate::index::search::shards::{SEARCH_HEAD, SIZES, ShardSizes, encode, record_changes};

    type Files = BTreeMap<String, Vec<u8>>;

    /// Sizes at which a few thousand packages have all forms of files, and lists of the best alone.
    const SMALL: ShardSizes = ShardSizes {
        leaf_text: 4 << 10,
        leaf_postings: 200,
        branch_postings: 400,
        rows: 24,
        block: 32,
    };

    const VERBS: [&str; 8] = [
        "convert",
        "merge",
        "review",
        "draft",
        "sort",
        "translate",
        "sum",
        "test",
    ];
    const NOUNS: [&str; 7] = [
        "pdf",
        "report",
        "table",
        "mail",
        "contract",
        "日本語",
        "tables",
    ];

    fn package(number: usize) -> SearchRow {
        let (verb, noun) = (VERBS[number % 8], NOUNS[number / 8 % 6]);
        let named = NOUNS[number / 8 % 5];
        let scope = if number.is_multiple_of(11) {
            "acme/"
        } else {
            ""
        };
        SearchRow {
            name: format!("{scope}{verb}-{named}-{number}"),
            vers: Some("1.0.0".into()),
            description: Some(format!(
                "{verb} the {noun} of kind {}. {}",
                number % 97,
                "Use when there is one to be read. ".repeat(1 + number % 3)
            )),
            keywords: vec![NOUNS[number % 7].into()],
            ..SearchRow::default()
        }
    }

    fn table(packages: usize) -> SearchTable {
        let mut rows: Vec<SearchRow> = (0..packages).map(package).collect();
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        SearchTable::from_rows(&rows)
    }

    fn write(table: &mut SearchTable, sizes: ShardSizes) -> Files {
        let mut files = Files::new();
        let mut put = |path: &str, bytes: &[u8]| {
            assert!(
                files.insert(path.to_owned(), bytes.to_vec()).is_none(),
                "{path}"
            );
            Ok(())
        };
        write_sized(table, sizes, &mut put).unwrap();
        files
    }

    /// The names of the best hits, the number of all, and how many files were read after the head.
    fn search(files: &Files, query: &str, limit: usize) -> Result<(Vec<String>, usize, usize)> {
        let query = SearchQuery::new(&[query]);
        let head = SearchHead::parse(&files[SEARCH_HEAD])?;
        let mut count = 0;
        let run = ShardSearch {
            head: &head,
            query: &query,
            limit,
        };
        let table = run.run(&mut |paths| {
            count += paths.len();
            Ok(paths.iter().map(|path| files.get(path).cloned()).collect())
        })?;
        let (names, total) = best(table, &query, limit);
        Ok((names, total, count))
    }

    fn best(table: SearchTable, query: &SearchQuery, limit: usize) -> (Vec<String>, usize) {
        let mut tables = [table];
        let found = search_tables(&mut tables, query, &[], limit).unwrap();
        let names = found.hits.iter();
        let names = names
            .map(|hit| tables[0].row(hit.row).unwrap().name)
            .collect();
        (names, found.total)
    }

    #[test]
    fn best_hits_are_those_of_the_whole_table() {
        for (packages, sizes) in [(3, SIZES), (3000, SIZES), (3000, SMALL)] {
            let files = write(&mut table(packages), sizes);
            for query in [
                "pdf",
                "merge",
                "mer",
                "tables",
                "merge pdf",
                "pdf merge",
                "merge-pdf-1",
                "trans",
                "convert-report",
                "kind 17",
                "日本語",
                "本語",
                "acme",
                "review 1200",
                "17",
                "su",
                "sum",
                "nothing-like-this",
                "use contract",
                "acme/merge-pdf",
            ] {
                let (names, _, read) = search(&files, query, 10).unwrap();
                let (expected, _) = best(table(packages), &SearchQuery::new(&[query]), 40);
                // The shards of a third word are not read; and of several words with more packages than a shard lists, not
                // all of the best are known.
                let words = SearchQuery::new(&[query]).words.len();
                let is_cut = words > 2 || words > 1 && sizes.branch_postings < packages;
                if is_cut {
                    let near = names.iter().all(|name| expected.contains(name));
                    assert!(
                        near && names.first() == expected.first(),
                        "{query}: {names:?}"
                    );
                } else {
                    assert_eq!(names, expected[..names.len()], "{query} in {packages}");
                    assert_eq!(names.len(), expected.len().min(10), "{query}");
                }
                assert!(read <= FILES_MAX, "{query}: {read}");
            }
        }
    }

    #[test]
    fn number_of_hits_is_that_of_the_whole_table() {
        let files = write(&mut table(3000), SIZES);
        for query in ["pdf", "merge", "merge pdf", "kind 17", "acme"] {
            let (_, total, _) = search(&files, query, 10).unwrap();
            let (_, expected) = best(table(3000), &SearchQuery::new(&[query]), 10);
            assert_eq!(total, expected, "{query}");
        }
    }

    #[test]
    fn typo_after_the_first_letters_is_corrected() {
        let files = write(&mut table(3000), SMALL);
        let (names, ..) = search(&files, "contarct", 5).unwrap();
        assert!(names.iter().all(|name| name.contains("contract")) && !names.is_empty());
    }

    #[test]
    fn changes_since_the_base_are_found() {
        let mut files = write(&mut table(3000), SMALL);
        let line = |name: &str, yanked: bool| {
            let zeros = "0".repeat(64);
            format!(
                "{{\"name\":\"{name}\",\"vers\":\"2.0.0\",\"cksum\":\"skill-tree-v1:{zeros}\",\"archive\":\"sha256:{zeros}\",\"yanked\":{yanked},\"description\":\"Zebra.\"}}\n"
            )
        };
        for (name, yanked) in [
            ("zebra", true),
            ("zebra", false),
            ("merge-pdf-1", true),
            ("test-mail-31", false),
        ] {
            let changes = [(name.parse().unwrap(), line(name, yanked))];
            let changes = changes.each_ref().map(|(name, line): &(_, String)| {
                (
                    skillpm_core::package::PackageName::clone(name),
                    line.as_bytes(),
                )
            });
            let (head, _) = record_changes(&files[SEARCH_HEAD], &changes).unwrap();
            files.insert(SEARCH_HEAD.into(), head);
        }
        assert_eq!(
            search(&files, "zebra", 5).unwrap().0,
            ["zebra", "test-mail-31"]
        );
        let (names, ..) = search(&files, "merge-pdf-1", 5).unwrap();
        assert!(!names.contains(&"merge-pdf-1".to_owned()));
        let (names, ..) = search(&files, "test-mail-31", 50).unwrap();
        let once = names.iter().filter(|name| *name == "test-mail-31");
        assert_eq!(once.count(), 1);
    }

    #[test]
    fn invalid_file_is_an_error_that_names_it() {
        let good = write(&mut table(3000), SMALL);
        let path = good
            .keys()
            .find(|path| path.ends_with("/word-merge-pdf-.json.gz"))
            .unwrap()
            .clone();
        let other = path.replace("merge-pdf", "merge-report");
        let newer = encode(&serde_json::json!({"v": 2, "rows": "later"}));
        let mut changed: ShardFile =
            crate::index::search::shards::decode(&path, &good[&path]).unwrap();
        changed.base = "0123456789abcdef".into();
        for (bytes, reason) in [
            (
                good[&path][..good[&path].len() / 2].to_vec(),
                "failed to decompress",
            ),
            (b"<html>".to_vec(), "expected value"),
            (good[&other].clone(), "it is file `word-merge-report-`"),
            (encode(&changed), "of base `0123456789abcdef`"),
            (newer, "unsupported version 2"),
            (encode(&" ".repeat(5 << 20)), "refusing to decompress"),
        ] {
            let mut files = good.clone();
            files.insert(path.clone(), bytes);
            let error = search(&files, "merge pdf", 5).unwrap_err();
            let all = format!("{} {:?}", error.message(), error.causes());
            assert!(
                all.contains(&path) && all.contains(reason),
                "{reason}: {all}"
            );
        }
        let mut files = good;
        files.remove(&path);
        let error = search(&files, "merge pdf", 5).unwrap_err();
        assert!(error.message().contains("not found"));
    }

    #[test]
    fn numbers_that_lead_nowhere_are_ignored() {
        let mut files = write(&mut table(3000), SMALL);
        let path = files
            .keys()
            .find(|path| path.ends_with("/word-merge-pdf-.json.gz"))
            .unwrap()
            .clone();
        let mut shard: ShardFile =
            crate::index::search::shards::decode(&path, &files[&path]).unwrap();
        shard.words[0].rows = u32::MAX;
        shard.words[0].levels = vec![(255, vec![7, u32::MAX, u32::MAX]), (0, vec![2999, 1, 1])];
        files.insert(path, encode(&shard));
        let (names, total, read) = search(&files, "merge-pdf", 5).unwrap();
        assert!(!names.is_empty() && total <= 3000 && read <= FILES_MAX);
    }

    #[test]
    fn the_same_packages_have_the_same_files() {
        let files = write(&mut table(300), SMALL);
        assert_eq!(write(&mut table(300), SMALL), files);
        let base = |files: &Files| SearchHead::parse(&files[SEARCH_HEAD]).unwrap().base;
        assert_ne!(base(&write(&mut table(301), SMALL)), base(&files));
    }
}

//! Finds the rows with the words of a query, and ranks them.
//!
//! Every block is scanned once for each word, and only rows with a word are scored. The score is BM25 over the fields: how
//! often a word is in the row, most of all in the name; less if many rows have it, and less in a long row. Rows whose name
//! is the query come first, then those whose name begins with it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use memchr::memchr;
use memchr::memmem::Finder;

use super::query::{QueryWord, SearchQuery};
use super::table::{BlockTexts, DamagedTable, SEPARATOR, SearchTable, TableSample};
use super::typo;

/// The weights of a word in name, keywords and description.
pub(super) const FIELD_WEIGHTS: [f32; 3] = [6.0, 3.0, 1.0];

/// The weight of a prefix of a longer word, relative to the whole word.
pub(super) const PREFIX_WEIGHT: f32 = 0.6;

/// The weight of an infix of a word in a name, relative to the whole word.
const INFIX_WEIGHT: f32 = 0.25;

/// A word shorter than this only matches whole words.
const SUBSTRING_MIN: usize = 3;

/// The saturation of repeated matches, and the penalty of long rows: the two usual parameters of BM25.
pub(super) const BM25_K1: f32 = 1.2;
const BM25_B: f32 = 0.5;

/// How the name of a package matches the query; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameMatch {
    Exact,
    Prefix,
    Other,
}

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchHit {
    /// Which of the tables it is in.
    pub table: usize,
    /// Its number there.
    pub row: u32,
    /// Its score; comparable within one search.
    pub score: f32,
    name_match: NameMatch,
    /// How many words are in it.
    matched_words: u32,
}

/// The results of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResults {
    /// The best hits, the best first.
    pub hits: Vec<SearchHit>,
    /// The number of all hits.
    pub total: usize,
    /// Words that were found nowhere, and their corrections.
    pub corrections: Vec<WordCorrection>,
    /// Whether no package has all of the words, so that those with some of them are shown.
    pub partial: bool,
}

/// A word that was found nowhere, with corrections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordCorrection {
    /// The word.
    pub typed: String,
    /// The words that were searched instead; empty if none is similar.
    pub suggestions: Vec<String>,
}

/// Two rows of the same package: if the first is found, the second is omitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateRow {
    /// The table that the first is in.
    pub table: usize,
    /// The name of the first.
    pub name: String,
    /// Table and number of the second.
    pub other: (usize, u32),
}

/// Searches the words of `query` in all tables, and returns the best `limit` rows.
///
/// Rows with all of the words are found; if there are none, those with some of them. A word that is found nowhere is
/// replaced with words of names that it may be a typo of.
///
/// # Errors
/// The position of the table that is damaged.
pub fn search_tables(
    tables: &mut [SearchTable],
    query: &SearchQuery,
    duplicates: &[DuplicateRow],
    limit: usize,
) -> Result<SearchResults, usize> {
    let mut words = query.words.clone();
    let mut tallies = scan_tables(tables, query, &words, duplicates)?;

    // In no table at all: a word of one index is not a typo in another.
    let nowhere: Vec<usize> = (0..words.len())
        .filter(|&word| tallies.iter().all(|tally| tally.rows_with[word] == 0))
        .collect();

    let mut corrections = Vec::new();
    // A word that is found nowhere is replaced with words that it may be a typo of.
    for &word in &nowhere {
        let suggestions = typo::suggest_words(tables, &words[word].typed)?;
        words[word].needles.clone_from(&suggestions);
        corrections.push(WordCorrection {
            typed: words[word].typed.clone(),
            suggestions,
        });
    }

    if corrections
        .iter()
        .any(|correction| !correction.suggestions.is_empty())
    {
        tallies = scan_tables(tables, query, &words, duplicates)?;
    }

    let mut found = rank_hits(&tallies, words.len(), duplicates, limit);
    found.corrections = corrections;
    Ok(found)
}

fn scan_tables(
    tables: &mut [SearchTable],
    query: &SearchQuery,
    words: &[QueryWord],
    duplicates: &[DuplicateRow],
) -> Result<Vec<TableMatches>, usize> {
    // Built once: each prepares its search for the whole of the tables.
    let finders: Vec<Vec<Finder<'_>>> = words
        .iter()
        .map(|word| {
            word.needles
                .iter()
                .map(|needle| Finder::new(needle.as_bytes()))
                .collect()
        })
        .collect();

    let mut tallies = Vec::new();
    for (at, table) in tables.iter_mut().enumerate() {
        let watched = duplicates
            .iter()
            .enumerate()
            .filter(|(_, duplicate)| duplicate.table == at);
        let scan = TableScan {
            query,
            finders: &finders,
            watched_names: watched
                .map(|(number, duplicate)| (duplicate.name.as_bytes(), number))
                .collect(),
        };
        tallies.push(scan.scan_table(table).map_err(|DamagedTable| at)?);
    }
    Ok(tallies)
}

/// The matches in one table.
#[derive(Default)]
struct TableMatches {
    rows: u32,
    /// Bytes of all its rows.
    text: u64,
    /// The rows with at least one word.
    matched: Vec<MatchedRow>,
    /// For each of `matched`, the weight of each word.
    weights: Vec<f32>,
    /// How many rows have each word.
    rows_with: Vec<u32>,
    /// The duplicates whose first row was found.
    seen_duplicates: Vec<usize>,
    /// The number of hits beyond those of `matched`, if the table is a sample.
    beyond: usize,
}

impl TableMatches {
    /// Replaces the statistics of a sample by those of all rows that it is from.
    fn apply_sample(&mut self, sample: &TableSample) {
        let words = self.rows_with.len();
        let whole = self
            .matched
            .iter()
            .filter(|row| row.matched_words as usize == words)
            .count();
        self.beyond = sample.hits.saturating_sub(whole);

        (self.rows, self.text) = (self.rows.max(sample.rows), self.text.max(sample.text));
        for (with, known) in self.rows_with.iter_mut().zip(&sample.rows_with) {
            *with = (*with).max(*known).min(self.rows);
        }
    }
}

struct MatchedRow {
    row: u32,
    /// Bytes of its text.
    length: u32,
    name_match: NameMatch,
    /// How many words are in it.
    matched_words: u32,
}

/// The search of one table.
struct TableScan<'q> {
    query: &'q SearchQuery,
    finders: &'q [Vec<Finder<'q>>],
    /// Duplicates by the name of the first row.
    watched_names: HashMap<&'q [u8], usize>,
}

impl TableScan<'_> {
    fn scan_table(&self, table: &mut SearchTable) -> Result<TableMatches, DamagedTable> {
        let mut tally = TableMatches {
            rows: table.meta.rows,
            text: table.meta.text,
            rows_with: vec![0; self.finders.len()],
            ..TableMatches::default()
        };

        let mut grid = Vec::new();
        table.for_each_block(|texts| self.scan_block(texts, &mut grid, &mut tally))?;
        if let Some(sample) = &table.sample {
            tally.apply_sample(sample);
        }
        Ok(tally)
    }

    /// Adds the matches in one block; `grid` is a buffer for the weight of each word in each row.
    fn scan_block(&self, texts: &BlockTexts<'_>, grid: &mut Vec<f32>, tally: &mut TableMatches) {
        let (rows, width) = (texts.starts.len() - 1, self.finders.len());
        // The buffer is reused from block to block.
        grid.clear();
        grid.resize(rows * width, 0.0);

        for (word, finders) in self.finders.iter().enumerate() {
            for finder in finders {
                weigh_matches(texts, finder, |row, weight| {
                    grid[row * width + word] += weight;
                });
            }
        }

        for (row, weights) in grid.chunks_exact(width.max(1)).enumerate() {
            if weights.iter().any(|weight| *weight > 0.0) {
                self.add_row(texts, row, weights, tally);
            }
        }
    }

    fn add_row(
        &self,
        texts: &BlockTexts<'_>,
        row: usize,
        weights: &[f32],
        tally: &mut TableMatches,
    ) {
        tally.weights.extend_from_slice(weights);
        let mut matched_words = 0;
        for (with, weight) in tally.rows_with.iter_mut().zip(weights) {
            let matched = u32::from(*weight > 0.0);
            *with += matched;
            matched_words += matched;
        }

        let text = &texts.text[texts.starts[row] as usize..texts.starts[row + 1] as usize];
        let name = &text[..memchr(SEPARATOR, text).unwrap_or(text.len())];
        tally.seen_duplicates.extend(self.watched_names.get(name));
        tally.matched.push(MatchedRow {
            row: texts.first + u32::try_from(row).expect("a block has fewer rows"),
            length: texts.starts[row + 1] - texts.starts[row],
            name_match: classify_name(name, self.query),
            matched_words,
        });
    }
}

/// Calls `add_weight` with the weight of each match of a word in a block.
fn weigh_matches(
    texts: &BlockTexts<'_>,
    finder: &Finder<'_>,
    mut add_weight: impl FnMut(usize, f32),
) {
    let needle = finder.needle();

    let mut row = 0;
    for at in finder.find_iter(texts.text) {
        // Matches come in order, so that the row only ever moves on.
        while texts.starts[row + 1] as usize <= at {
            row += 1;
        }
        let start = texts.starts[row] as usize;
        let weight = match_weight(
            &texts.text[start..texts.starts[row + 1] as usize],
            at - start,
            needle,
        );
        if weight > 0.0 {
            add_weight(row, weight);
        }
    }
}

/// The weight of a match of `needle` at `at` in a row.
fn match_weight(row: &[u8], at: usize, needle: &[u8]) -> f32 {
    // Beyond ASCII a match may begin anywhere: some scripts have no spaces between words.
    let begins = at == 0 || !is_word_byte(row[at - 1]) || !needle.first().is_some_and(u8::is_ascii);
    // A match may reach beyond the row, where there is nothing to compare.
    let rest = row.get(at + needle.len()..).unwrap_or_default();
    let ends = |rest: &[u8]| rest.first().is_none_or(|next| !is_word_byte(*next));
    // The `s` of a plural does not make another word.
    let whole = ends(rest) || rest.first() == Some(&b's') && ends(&rest[1..]);

    // The number of separators before the match is the number of its field.
    let field = match memchr(SEPARATOR, &row[..at]) {
        None => 0,
        Some(end) => 1 + usize::from(memchr(SEPARATOR, &row[end + 1..at]).is_some()),
    };

    let factor = match (begins, whole) {
        (true, true) => 1.0,
        (true, false) if needle.len() >= SUBSTRING_MIN => PREFIX_WEIGHT,
        (false, _) if needle.len() >= SUBSTRING_MIN && field == 0 => INFIX_WEIGHT,
        _ => 0.0,
    };
    factor * FIELD_WEIGHTS[field]
}

/// Whether a byte is part of a word; every byte of a character beyond ASCII is taken for one.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn classify_name(name: &[u8], query: &SearchQuery) -> NameMatch {
    // Users rarely type the scope.
    let skill = memchr(b'/', name).map_or(name, |at| &name[at + 1..]);
    let (typed, as_name) = (query.typed.as_bytes(), query.as_name.as_bytes());
    if name == typed || skill == as_name {
        NameMatch::Exact
    } else if !as_name.is_empty() && (name.starts_with(typed) || skill.starts_with(as_name)) {
        NameMatch::Prefix
    } else {
        NameMatch::Other
    }
}

/// Ranks the rows of all tables.
fn rank_hits(
    tallies: &[TableMatches],
    words: usize,
    duplicates: &[DuplicateRow],
    limit: usize,
) -> SearchResults {
    let has_all = |row: &MatchedRow| row.matched_words as usize == words;
    let partial = !tallies
        .iter()
        .any(|tally| tally.matched.iter().any(has_all));

    let mut hits = score_rows(tallies, words, duplicates, |row| partial || has_all(row));
    // Counted before the cut, since it is shown beside the hits.
    let beyond = tallies.iter().map(|tally| tally.beyond).sum::<usize>();
    let total = hits.len() + if partial { 0 } else { beyond };
    // A partial sort is enough: of thousands of hits only the first few are shown.
    if hits.len() > limit && limit > 0 {
        hits.select_nth_unstable_by(limit - 1, compare_hits);
    }
    hits.truncate(limit);
    hits.sort_unstable_by(compare_hits);

    SearchResults {
        hits,
        total,
        corrections: Vec::new(),
        partial: partial && words > 1 && total > 0,
    }
}

/// Scores the wanted rows of all tables, in the order of the tables.
fn score_rows(
    tallies: &[TableMatches],
    words: usize,
    duplicates: &[DuplicateRow],
    is_wanted: impl Fn(&MatchedRow) -> bool,
) -> Vec<SearchHit> {
    let scorer = RowScorer::new(tallies, words);
    // A package that is in two tables is shown once.
    let omitted: HashSet<(usize, u32)> = tallies
        .iter()
        .flat_map(|tally| &tally.seen_duplicates)
        .map(|duplicate| duplicates[*duplicate].other)
        .collect();

    let mut hits = Vec::new();
    for (table, tally) in tallies.iter().enumerate() {
        let weights = tally.weights.chunks_exact(words.max(1));
        for (row, weights) in tally.matched.iter().zip(weights) {
            if is_wanted(row) && !omitted.contains(&(table, row.row)) {
                hits.push(SearchHit {
                    table,
                    row: row.row,
                    score: scorer.score(weights, row.length),
                    name_match: row.name_match,
                    matched_words: row.matched_words,
                });
            }
        }
    }
    hits
}

/// Compares hits, the best first; equal ones in the order of the tables.
fn compare_hits(a: &SearchHit, b: &SearchHit) -> Ordering {
    // The name decides before the score: who types a name means that package.
    let key = |hit: &SearchHit| (hit.name_match, std::cmp::Reverse(hit.matched_words));
    let place = |hit: &SearchHit| (hit.table, hit.row);
    // The place last, so that equal hits are in the same order each time.
    key(a)
        .cmp(&key(b))
        .then(b.score.total_cmp(&a.score))
        .then(place(a).cmp(&place(b)))
}

/// The statistics of all tables that scores depend on.
struct RowScorer {
    /// The rarity of each word: higher the fewer rows have it.
    rarity: Vec<f32>,
    /// Bytes of the average row.
    length: f32,
}

impl RowScorer {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rank needs no more digits than a float has"
    )]
    fn new(tallies: &[TableMatches], words: usize) -> RowScorer {
        let rows = tallies
            .iter()
            .map(|tally| u64::from(tally.rows))
            .sum::<u64>() as f32;
        let text = tallies.iter().map(|tally| tally.text).sum::<u64>() as f32;

        let rarity = |word: usize| {
            let with = tallies
                .iter()
                .map(|tally| u64::from(tally.rows_with[word]))
                .sum::<u64>() as f32;
            ((rows - with + 0.5) / (with + 0.5)).ln_1p()
        };

        RowScorer {
            rarity: (0..words).map(rarity).collect(),
            length: (text / rows.max(1.0)).max(1.0),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a rank needs no more digits than a float has"
    )]
    fn score(&self, weights: &[f32], length: u32) -> f32 {
        // BM25: tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average)), by the word's rarity.
        let long = length_penalty(length as f32, self.length);
        let of_word =
            |(weight, rarity): (&f32, &f32)| rarity * weight * (BM25_K1 + 1.0) / (weight + long);
        weights.iter().zip(&self.rarity).map(of_word).sum()
    }
}

/// The part of BM25 by which a row that is longer than the average scores less.
pub(super) fn length_penalty(length: f32, average: f32) -> f32 {
    BM25_K1 * (1.0 - BM25_B + BM25_B * length / average)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::search::{SearchRow, suggest_names};

    fn row(name: &str, keywords: &[&str], description: &str) -> SearchRow {
        SearchRow {
            name: name.to_owned(),
            vers: Some("1.0.0".into()),
            keywords: keywords.iter().map(|word| (*word).to_owned()).collect(),
            description: Some(description.to_owned()),
            ..SearchRow::default()
        }
    }

    fn registry() -> SearchTable {
        SearchTable::from_rows(&[
            row("acme/pdf", &["documents"], "Fills in and reads forms."),
            row("pdf-forms", &["pdf"], "Fills in forms of PDF files."),
            row("invoices", &["pdf", "money"], "Reads invoices."),
            row(
                "scanner",
                &[],
                "Turns paper into text. Works with PDF, images and mail.",
            ),
            row(
                "report-writer",
                &[],
                "Writes a report and, at the very end of a long list of things that it does, PDF.",
            ),
            row("javascript", &[], "Writes JavaScript. Starts with a plan."),
            row("script-runner", &[], "Runs a script."),
            row(
                "commit-messages",
                &["git"],
                "Writes commit messages that say why.",
            ),
            row("git-rebase", &["git"], "Sorts commits by rebasing them."),
            row("日本語-ish", &[], "日本語の文章を書く。"),
            row("go-tests", &["go"], "Tests in Go. Google it."),
            row("keyboard", &[], "Shortcuts."),
        ])
    }

    fn names(tables: &mut [SearchTable], query: &str, duplicates: &[DuplicateRow]) -> Vec<String> {
        let found = search_tables(tables, &SearchQuery::new(&[query]), duplicates, 100).unwrap();
        assert_eq!(found.total, found.hits.len());
        let name = |hit: &SearchHit| tables[hit.table].row(hit.row).unwrap().name;
        found.hits.iter().map(name).collect()
    }

    #[test]
    fn the_best_matches_come_first() {
        let mut tables = [registry()];
        for (query, expected) in [
            // Exact name; prefix of a name; keyword; short description; long description.
            (
                "pdf",
                &[
                    "acme/pdf",
                    "pdf-forms",
                    "invoices",
                    "scanner",
                    "report-writer",
                ][..],
            ),
            ("PDF forms", &["pdf-forms", "acme/pdf"]),
            ("forms pdf", &["pdf-forms", "acme/pdf"]),
            ("acme/pdf", &["acme/pdf"]),
            // An infix of a name is found, but after a whole word; one of a description is not.
            ("script", &["script-runner", "javascript"]),
            ("art", &[]),
            // Singular and plural are the same word.
            ("commits", &["commit-messages", "git-rebase"]),
            ("commit git", &["commit-messages", "git-rebase"]),
            // A short word is not a prefix of another.
            ("go", &["go-tests"]),
            ("日本語", &["日本語-ish"]),
            ("a skill for the keyboard", &["keyboard"]),
        ] {
            assert_eq!(names(&mut tables, query, &[]), expected, "{query}");
        }
    }

    #[test]
    fn without_a_row_with_all_words_those_with_most_come_first() {
        let mut tables = [registry()];
        let found = search_tables(
            &mut tables,
            &SearchQuery::new(&["reads pdf money javascript"]),
            &[],
            2,
        )
        .unwrap();
        assert!(found.partial);
        assert_eq!((found.hits.len(), found.total), (2, 6));
        assert_eq!(tables[0].row(found.hits[0].row).unwrap().name, "invoices");
    }

    #[test]
    fn a_typo_is_corrected_and_reported() {
        let mut tables = [registry()];
        for (query, typed, corrected, first) in [
            ("keybaord", "keybaord", &["keyboard"][..], Some("keyboard")),
            (
                "javascrpit plan",
                "javascrpit",
                &["javascript"],
                Some("javascript"),
            ),
            (
                "comit mesages",
                "comit",
                &["commit"],
                Some("commit-messages"),
            ),
            ("pxf", "pxf", &[], None),
            ("emacs", "emacs", &[], None),
        ] {
            let found = search_tables(&mut tables, &SearchQuery::new(&[query]), &[], 10).unwrap();
            assert_eq!(
                found.corrections[0],
                WordCorrection {
                    typed: typed.into(),
                    suggestions: corrected.iter().map(|&word| word.into()).collect()
                }
            );
            let name = found
                .hits
                .first()
                .map(|hit| tables[hit.table].row(hit.row).unwrap().name);
            assert_eq!(name.as_deref(), first, "{query}");
        }
    }

    #[test]
    fn names_are_suggested_for_a_query_without_hits() {
        let mut tables = [registry()];
        for (query, near) in [
            ("pdf-fomrs", &["pdf-forms"][..]),
            ("acme/pfd", &["acme/pdf"]),
            ("cmtmsg", &["commit-messages"]),
            ("xyzzyq", &[]),
        ] {
            assert_eq!(
                suggest_names(&mut tables, &SearchQuery::new(&[query]), 3).unwrap(),
                near,
                "{query}"
            );
        }
    }

    #[test]
    fn tables_are_ranked_together_and_duplicates_are_found_once() {
        let ours =
            SearchTable::from_rows(&[row("pdf", &[], "Ours."), row("csv", &[], "With PDF.")]);
        let mut tables = [registry(), ours];
        let all = names(&mut tables, "pdf", &[]);
        assert_eq!(all[..3], ["pdf", "acme/pdf", "pdf-forms"]);
        let duplicates = [
            DuplicateRow {
                table: 0,
                name: "acme/pdf".into(),
                other: (1, 0),
            },
            DuplicateRow {
                table: 0,
                name: "keyboard".into(),
                other: (1, 1),
            },
        ];
        // The second duplicate is kept: its first row was not found.
        let once = names(&mut tables, "pdf", &duplicates);
        assert_eq!(
            once,
            all.into_iter()
                .filter(|name| name != "pdf")
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_best_are_the_best_of_all() {
        let rows: Vec<SearchRow> = (0..5000)
            .map(|n| row(&format!("p-{n}"), &[], &"pdf ".repeat(1 + n % 50)))
            .collect();
        let mut tables = [SearchTable::from_rows(&rows)];
        let query = SearchQuery::new(&["pdf"]);
        let all = search_tables(&mut tables, &query, &[], 5000).unwrap();
        let few = search_tables(&mut tables, &query, &[], 7).unwrap();
        assert_eq!((few.total, &few.hits[..]), (5000, &all.hits[..7]));
    }
}

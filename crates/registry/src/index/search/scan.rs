//! Where words stand, and what that is worth.
//!
//! Every block is gone through once for each word, and only rows that a word stands in are looked at. What a row is
//! worth is BM25 over its fields: how often a word stands there, in the name most, less where all rows have it, and less
//! in a long row. Before all else comes who is called just as the query, then who is called beginning with it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use memchr::memchr;
use memchr::memmem::Finder;

use super::query::{Query, Word};
use super::table::{Damaged, SEPARATOR, Table, Texts};
use super::typo;

/// What a word is worth in name, keywords and description.
const FIELDS: [f32; 3] = [6.0, 3.0, 1.0];

/// What the beginning of a longer word is worth beside the word.
const BEGINNING: f32 = 0.6;

/// What a piece inside a word of a name is worth beside the word.
const INSIDE: f32 = 0.25;

/// A word shorter than this is no piece of another.
const PIECE_MIN: usize = 3;

/// How soon further places add nothing, and how much a long row counts against them: the usual two of BM25.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.5;

/// What a package is called, seen from the query; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    Just,
    Beginning,
    Otherwise,
}

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Which of the tables it is in.
    pub table: usize,
    /// Its number there.
    pub row: u32,
    /// What it is worth; comparable within one search.
    pub score: f32,
    called: Called,
    /// How many words stand in it.
    words: u32,
}

/// What came of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The best, the best first.
    pub hits: Vec<Hit>,
    /// How many there are.
    pub total: usize,
    /// Words that stand nowhere, and what was looked for instead.
    pub corrections: Vec<Correction>,
    /// Whether no package has all of the words, so that those with some are shown.
    pub partial: bool,
}

/// A word that stands nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The word.
    pub typed: String,
    /// What was looked for instead; none where nothing is near.
    pub meant: Vec<String>,
}

/// Two rows that tell of one package: where the first is found, the second is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twin {
    /// The table that the first is in.
    pub table: usize,
    /// The name of the first.
    pub name: String,
    /// Table and number of the second.
    pub other: (usize, u32),
}

/// Looks for the words of `query` in all of the tables, and gives the best `limit` rows.
///
/// Rows that have all of the words are found; where there is none, those with some. A word that stands nowhere is taken
/// for the words of names that it is a slip of.
///
/// # Errors
/// The position of the table that is damaged.
pub fn search(tables: &mut [Table], query: &Query, twins: &[Twin], limit: usize) -> Result<Found, usize> {
    let mut words = query.words.clone();
    let mut tallies = tally_all(tables, query, &words, twins)?;
    let nowhere: Vec<usize> =
        (0..words.len()).filter(|&word| tallies.iter().all(|tally| tally.rows_with[word] == 0)).collect();
    let mut corrections = Vec::new();
    for &word in &nowhere {
        let meant = typo::near_words(tables, &words[word].typed)?;
        words[word].needles.clone_from(&meant);
        corrections.push(Correction { typed: words[word].typed.clone(), meant });
    }
    if corrections.iter().any(|correction| !correction.meant.is_empty()) {
        tallies = tally_all(tables, query, &words, twins)?;
    }
    let mut found = rank(&tallies, words.len(), twins, limit);
    found.corrections = corrections;
    Ok(found)
}

fn tally_all(tables: &mut [Table], query: &Query, words: &[Word], twins: &[Twin]) -> Result<Vec<Tally>, usize> {
    let finders: Vec<Vec<Finder<'_>>> =
        words.iter().map(|word| word.needles.iter().map(|needle| Finder::new(needle.as_bytes())).collect()).collect();
    let tally = |(at, table): (usize, &mut Table)| {
        let watched = twins.iter().enumerate().filter(|(_, twin)| twin.table == at);
        let scan = Scan {
            query,
            finders: &finders,
            watched: watched.map(|(number, twin)| (twin.name.as_bytes(), number)).collect(),
        };
        let (rows, text) = (table.meta.rows, table.meta.text);
        let mut tally = Tally { rows, text, rows_with: vec![0; words.len()], ..Tally::default() };
        let mut grid = Vec::new();
        table.texts(|texts| scan.block(texts, &mut grid, &mut tally)).map_err(|Damaged| at)?;
        Ok(tally)
    };
    tables.iter_mut().enumerate().map(tally).collect()
}

/// What was found in one table.
#[derive(Default)]
struct Tally {
    rows: u32,
    /// Bytes of all its rows.
    text: u64,
    /// The rows that at least one word stands in.
    matched: Vec<Matched>,
    /// For each of `matched`, the weight of each word.
    weights: Vec<f32>,
    /// How many rows each word stands in.
    rows_with: Vec<u32>,
    /// The twins whose first row was found.
    met: Vec<usize>,
}

struct Matched {
    row: u32,
    /// Bytes of its text.
    length: u32,
    called: Called,
    /// How many words stand in it.
    words: u32,
}

/// What is looked for in one table.
struct Scan<'q> {
    query: &'q Query,
    finders: &'q [Vec<Finder<'q>>],
    /// Twins by the name of the first.
    watched: HashMap<&'q [u8], usize>,
}

impl Scan<'_> {
    /// Adds what is in one block; `grid` is room for a weight a row and word.
    fn block(&self, texts: &Texts<'_>, grid: &mut Vec<f32>, tally: &mut Tally) {
        let (rows, width) = (texts.starts.len() - 1, self.finders.len());
        grid.clear();
        grid.resize(rows * width, 0.0);
        for (word, finders) in self.finders.iter().enumerate() {
            for finder in finders {
                weigh(texts, finder, |row, weight| grid[row * width + word] += weight);
            }
        }
        for (row, weights) in grid.chunks_exact(width.max(1)).enumerate() {
            let words = weights.iter().filter(|weight| **weight > 0.0).count();
            if words > 0 {
                tally.weights.extend_from_slice(weights);
                for (with, weight) in tally.rows_with.iter_mut().zip(weights) {
                    *with += u32::from(*weight > 0.0);
                }
                let text = &texts.text[texts.starts[row] as usize..texts.starts[row + 1] as usize];
                let name = &text[..memchr(SEPARATOR, text).unwrap_or(text.len())];
                tally.met.extend(self.watched.get(name));
                tally.matched.push(Matched {
                    row: texts.first + u32::try_from(row).expect("a block has fewer rows"),
                    length: texts.starts[row + 1] - texts.starts[row],
                    called: called(name, self.query),
                    words: u32::try_from(words).expect("there are few words"),
                });
            }
        }
    }
}

/// Tells the weight of each place in a block at which the word stands.
fn weigh(texts: &Texts<'_>, finder: &Finder<'_>, mut tell: impl FnMut(usize, f32)) {
    let needle = finder.needle();
    let mut row = 0;
    for at in finder.find_iter(texts.text) {
        while texts.starts[row + 1] as usize <= at {
            row += 1;
        }
        let start = texts.starts[row] as usize;
        let weight = place_weight(&texts.text[start..texts.starts[row + 1] as usize], at - start, needle);
        if weight > 0.0 {
            tell(row, weight);
        }
    }
}

/// What it is worth that `needle` stands at `at` in a row.
fn place_weight(row: &[u8], at: usize, needle: &[u8]) -> f32 {
    let begins = at == 0 || !is_inside(row[at - 1]) || !needle.first().is_some_and(u8::is_ascii);
    let rest = row.get(at + needle.len()..).unwrap_or_default();
    let ends = |rest: &[u8]| rest.first().is_none_or(|next| !is_inside(*next));
    let whole = ends(rest) || rest.first() == Some(&b's') && ends(&rest[1..]);
    let field = match memchr(SEPARATOR, &row[..at]) {
        None => 0,
        Some(end) => 1 + usize::from(memchr(SEPARATOR, &row[end + 1..at]).is_some()),
    };
    let worth = match (begins, whole) {
        (true, true) => 1.0,
        (true, false) if needle.len() >= PIECE_MIN => BEGINNING,
        (false, _) if needle.len() >= PIECE_MIN && field == 0 => INSIDE,
        _ => 0.0,
    };
    worth * FIELDS[field]
}

/// Whether a byte is part of a word; every byte of a character beyond ASCII is taken for one.
fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn called(name: &[u8], query: &Query) -> Called {
    let skill = memchr(b'/', name).map_or(name, |at| &name[at + 1..]);
    let (typed, as_name) = (query.typed.as_bytes(), query.as_name.as_bytes());
    if name == typed || skill == as_name {
        Called::Just
    } else if !as_name.is_empty() && (name.starts_with(typed) || skill.starts_with(as_name)) {
        Called::Beginning
    } else {
        Called::Otherwise
    }
}

/// The best rows of all tables.
fn rank(tallies: &[Tally], words: usize, twins: &[Twin], limit: usize) -> Found {
    let worth = Worth::of(tallies, words);
    let left_out: HashSet<(usize, u32)> =
        tallies.iter().flat_map(|tally| &tally.met).map(|twin| twins[*twin].other).collect();
    let has_all = |row: &Matched| row.words as usize == words;
    let partial = !tallies.iter().any(|tally| tally.matched.iter().any(has_all));
    let mut hits = Vec::new();
    for (table, tally) in tallies.iter().enumerate() {
        for (row, weights) in tally.matched.iter().zip(tally.weights.chunks_exact(words.max(1))) {
            let wanted = partial || has_all(row);
            if wanted && (left_out.is_empty() || !left_out.contains(&(table, row.row))) {
                let score = worth.score(weights, row.length);
                hits.push(Hit { table, row: row.row, score, called: row.called, words: row.words });
            }
        }
    }
    let total = hits.len();
    if total > limit && limit > 0 {
        hits.select_nth_unstable_by(limit - 1, order);
    }
    hits.truncate(limit);
    hits.sort_unstable_by(order);
    Found { hits, total, corrections: Vec::new(), partial: partial && words > 1 && total > 0 }
}

/// The best first; what is worth the same in the order of the tables.
fn order(a: &Hit, b: &Hit) -> Ordering {
    let key = |hit: &Hit| (hit.called, std::cmp::Reverse(hit.words));
    let place = |hit: &Hit| (hit.table, hit.row);
    key(a).cmp(&key(b)).then(b.score.total_cmp(&a.score)).then(place(a).cmp(&place(b)))
}

/// What makes a place worth more or less: all rows of all tables.
struct Worth {
    /// For each word, the more the fewer rows have it.
    rarity: Vec<f32>,
    /// Bytes of the average row.
    length: f32,
}

impl Worth {
    #[expect(clippy::cast_precision_loss, reason = "a rank needs no more digits than a float has")]
    fn of(tallies: &[Tally], words: usize) -> Worth {
        let rows = tallies.iter().map(|tally| u64::from(tally.rows)).sum::<u64>() as f32;
        let text = tallies.iter().map(|tally| tally.text).sum::<u64>() as f32;
        let rarity = |word: usize| {
            let with = tallies.iter().map(|tally| u64::from(tally.rows_with[word])).sum::<u64>() as f32;
            ((rows - with + 0.5) / (with + 0.5)).ln_1p()
        };
        Worth { rarity: (0..words).map(rarity).collect(), length: (text / rows.max(1.0)).max(1.0) }
    }

    #[expect(clippy::cast_precision_loss, reason = "a rank needs no more digits than a float has")]
    fn score(&self, weights: &[f32], length: u32) -> f32 {
        let long = SATURATION * (1.0 - LENGTH + LENGTH * length as f32 / self.length);
        let of_word = |(weight, rarity): (&f32, &f32)| rarity * weight * (SATURATION + 1.0) / (weight + long);
        weights.iter().zip(&self.rarity).map(of_word).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::search::{Row, near_names};

    fn row(name: &str, keywords: &[&str], description: &str) -> Row {
        Row {
            name: name.to_owned(),
            vers: Some("1.0.0".into()),
            keywords: keywords.iter().map(|word| (*word).to_owned()).collect(),
            description: Some(description.to_owned()),
            ..Row::default()
        }
    }

    fn registry() -> Table {
        Table::of(&[
            row("acme/pdf", &["documents"], "Fills in and reads forms."),
            row("pdf-forms", &["pdf"], "Fills in forms of PDF files."),
            row("invoices", &["pdf", "money"], "Reads invoices."),
            row("scanner", &[], "Turns paper into text. Works with PDF, images and mail."),
            row(
                "report-writer",
                &[],
                "Writes a report and, at the very end of a long list of things that it does, PDF.",
            ),
            row("javascript", &[], "Writes JavaScript. Starts with a plan."),
            row("script-runner", &[], "Runs a script."),
            row("commit-messages", &["git"], "Writes commit messages that say why."),
            row("git-rebase", &["git"], "Sorts commits by rebasing them."),
            row("日本語-ish", &[], "日本語の文章を書く。"),
            row("go-tests", &["go"], "Tests in Go. Google it."),
            row("keyboard", &[], "Shortcuts."),
        ])
    }

    fn names(tables: &mut [Table], query: &str, twins: &[Twin]) -> Vec<String> {
        let found = search(tables, &Query::new(&[query]), twins, 100).unwrap();
        assert_eq!(found.total, found.hits.len());
        let name = |hit: &Hit| tables[hit.table].row(hit.row).unwrap().name;
        found.hits.iter().map(name).collect()
    }

    #[test]
    fn what_is_meant_comes_first() {
        let mut tables = [registry()];
        for (query, expected) in [
            // Called so; called beginning so; in a keyword; in a short description; in a long one.
            ("pdf", &["acme/pdf", "pdf-forms", "invoices", "scanner", "report-writer"][..]),
            ("PDF forms", &["pdf-forms", "acme/pdf"]),
            ("forms pdf", &["pdf-forms", "acme/pdf"]),
            ("acme/pdf", &["acme/pdf"]),
            // A name's piece is found, but after a name's word; a description's piece is not.
            ("script", &["script-runner", "javascript"]),
            ("art", &[]),
            // One and many are one word.
            ("commits", &["commit-messages", "git-rebase"]),
            ("commit git", &["commit-messages", "git-rebase"]),
            // A short word is no beginning of another.
            ("go", &["go-tests"]),
            ("日本語", &["日本語-ish"]),
            ("a skill for the keyboard", &["keyboard"]),
        ] {
            assert_eq!(names(&mut tables, query, &[]), expected, "{query}");
        }
    }

    #[test]
    fn where_nothing_has_all_of_the_words_those_with_most_come_first() {
        let mut tables = [registry()];
        let found = search(&mut tables, &Query::new(&["reads pdf money javascript"]), &[], 2).unwrap();
        assert!(found.partial);
        assert_eq!((found.hits.len(), found.total), (2, 6));
        assert_eq!(tables[0].row(found.hits[0].row).unwrap().name, "invoices");
    }

    #[test]
    fn a_slip_finds_what_was_meant_and_says_so() {
        let mut tables = [registry()];
        for (query, typed, meant, first) in [
            ("keybaord", "keybaord", &["keyboard"][..], Some("keyboard")),
            ("javascrpit plan", "javascrpit", &["javascript"], Some("javascript")),
            ("comit mesages", "comit", &["commit"], Some("commit-messages")),
            ("pxf", "pxf", &[], None),
            ("emacs", "emacs", &[], None),
        ] {
            let found = search(&mut tables, &Query::new(&[query]), &[], 10).unwrap();
            assert_eq!(
                found.corrections[0],
                Correction { typed: typed.into(), meant: meant.iter().map(|&word| word.into()).collect() }
            );
            let name = found.hits.first().map(|hit| tables[hit.table].row(hit.row).unwrap().name);
            assert_eq!(name.as_deref(), first, "{query}");
        }
    }

    #[test]
    fn names_are_offered_for_what_nothing_answers() {
        let mut tables = [registry()];
        for (query, near) in [
            ("pdf-fomrs", &["pdf-forms"][..]),
            ("acme/pfd", &["acme/pdf"]),
            ("cmtmsg", &["commit-messages"]),
            ("xyzzyq", &[]),
        ] {
            assert_eq!(near_names(&mut tables, &Query::new(&[query]), 3).unwrap(), near, "{query}");
        }
    }

    #[test]
    fn tables_are_ranked_together_and_twins_are_found_once() {
        let ours = Table::of(&[row("pdf", &[], "Ours."), row("csv", &[], "With PDF.")]);
        let mut tables = [registry(), ours];
        let all = names(&mut tables, "pdf", &[]);
        assert_eq!(all[..3], ["pdf", "acme/pdf", "pdf-forms"]);
        let twins = [
            Twin { table: 0, name: "acme/pdf".into(), other: (1, 0) },
            Twin { table: 0, name: "keyboard".into(), other: (1, 1) },
        ];
        // The second twin stays: the first of them was not found.
        let once = names(&mut tables, "pdf", &twins);
        assert_eq!(once, all.into_iter().filter(|name| name != "pdf").collect::<Vec<_>>());
    }

    #[test]
    fn the_best_are_the_best_of_all() {
        let rows: Vec<Row> = (0..5000).map(|n| row(&format!("p-{n}"), &[], &"pdf ".repeat(1 + n % 50))).collect();
        let mut tables = [Table::of(&rows)];
        let query = Query::new(&["pdf"]);
        let all = search(&mut tables, &query, &[], 5000).unwrap();
        let few = search(&mut tables, &query, &[], 7).unwrap();
        assert_eq!((few.total, &few.hits[..]), (5000, &all.hits[..7]));
    }
}

//! The search data of a site: scripts that a page loads as they are needed, so that it works without a server and from a
//! disk, where a page may load scripts but not fetch files.
//!
//! ```text
//! assets/search/3f2a90c14d5e/    named after its content: a cached file is never mixed with newer ones
//!   meta.js      {"count":2,"terms":["#audit:clean","forms",…],"facets":[…]}   the first word of each shard, the filters
//!   t0.js        [["#license:MIT","AB"],…,["pdf","A","A","B"],…]   words and filters, sorted; for each the rows by field
//!   r0.js        [["acme/pdf","1.2.0","Reads PDF."],…]         what the list shows, 8 packages each
//! ```
//!
//! Each file assigns to one key of `skillpmSite`. A word has the rows whose name it is, begins or is part of, and in whose tags
//! and description it is ([`Field`]), each list as [`postings`] writes it. Words are sorted by UTF-16, as a script compares them.
//! Where the words with one beginning do not fit into a shard, a word with `*` has the best rows of all of them, so that each
//! typed letter costs a few small files.

mod postings;
mod words;

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;
use serde_json::{Value, json};

use self::postings::encode_rows;
use self::words::{STOP_WORDS, split_words};
use super::html_text::show_line;
use super::json_text::script_file;
use super::package_row::{FacetGroup, PackageRow};
use super::site_builder::SiteFiles;
use skillpm_core::package::Sha256Digest;

/// The size that shards of words are filled up to, in bytes.
const SHARD_SIZE: usize = 12 << 10;

/// The size of all words with one beginning from which they have a summary.
const SUMMARY_MIN: usize = 16 << 10;

/// The longest beginning that has a summary, in characters.
const SUMMARY_LENGTH_MAX: usize = 8;

/// The most rows of a summary.
const SUMMARY_ROWS: usize = 240;

/// The packages of a shard of rows.
const ROWS_PER_SHARD: usize = 8;

/// The most values of a group of filters that the page offers. Others can still be in its URL.
const FACETS_MAX: usize = 12;

/// The longest value of a filter, in characters.
const FACET_LENGTH_MAX: usize = 64;

/// The search data of a site.
pub(super) struct SearchData {
    /// Their directory, relative to the site's root, with a slash at the end.
    pub place: String,
    /// The files.
    pub files: SiteFiles,
}

/// Where a word is in a package, the best first.
#[derive(Debug, Clone, Copy)]
enum Field {
    /// It is the whole name, without the scope.
    WholeName,
    /// It begins the name, without the scope.
    NameStart,
    Name,
    Tag,
    Description,
}

/// The rows of a word by [`Field`], sorted.
type FieldRows = [Vec<u32>; 5];

/// Builds the search data of packages, which are sorted as lists show them.
pub(super) fn build_search(rows: &[PackageRow]) -> SearchData {
    let mut index = WordIndex::default();
    for (row, package) in (0..).zip(rows) {
        index.add(row, package);
    }

    let facets = facet_list(&index, rows.len());
    let mut files: Vec<(String, Value)> = Vec::new();
    let mut firsts: Vec<String> = Vec::new();
    for shard in fill_shards(index.into_sorted(rows)) {
        firsts.push(shard[0].word.clone());
        let words: Vec<Value> = shard.into_iter().map(|word| word.value).collect();
        files.push((format!("t{}", files.len()), Value::Array(words)));
    }

    for (at, block) in rows.chunks(ROWS_PER_SHARD).enumerate() {
        let block: Vec<Value> = block.iter().map(row_value).collect();
        files.push((format!("r{at}"), Value::Array(block)));
    }

    let meta = json!({
        "count": rows.len(),
        "block": ROWS_PER_SHARD,
        "stop": STOP_WORDS,
        "terms": firsts,
        "facets": facets,
    });
    files.push(("meta".to_owned(), meta));
    name_files(files)
}

/// Puts the files into a directory that is named after all of them.
fn name_files(files: Vec<(String, Value)>) -> SearchData {
    let mut all = Vec::new();
    let mut written = Vec::new();
    for (name, value) in files {
        let file = script_file(&name, &value);
        all.extend_from_slice(Sha256Digest::hash_bytes(&file.bytes).to_string().as_bytes());
        written.push((name, file));
    }

    let digest = Sha256Digest::hash_bytes(&all).to_string();
    let digest = digest.rsplit(':').next().unwrap_or_default();
    let place = format!("assets/search/{}/", &digest[..12]);
    SearchData {
        files: written
            .into_iter()
            .map(|(name, file)| (format!("{place}{name}.js"), file))
            .collect(),
        place,
    }
}

/// What the list shows of a package: name, page (0 if it is the name), version, description, tags, license, date, tokens,
/// marks; without what is missing at the end.
fn row_value(row: &PackageRow) -> Value {
    let marks: Vec<Value> = row.marks().into_iter().map(|mark| json!(mark)).collect();
    let slug = (row.slug != row.name).then_some(&row.slug);
    // The script writes texts as they are, so that hidden characters have to be gone before.
    let text = |text: Option<&str>| json!(show_line(text.unwrap_or_default()));
    let tags: Vec<String> = row.shown_tags().iter().map(|tag| show_line(tag)).collect();

    let mut values = vec![
        text(Some(&row.name)),
        slug.map_or(json!(0), |slug| json!(slug)),
        text(row.version.as_deref()),
        text(Some(&row.short_description())),
        json!(tags),
        text(row.license.as_deref()),
        text(row.published_day().as_deref()),
        json!(row.tokens.unwrap_or_default()),
        json!(marks),
    ];
    while values.last().is_some_and(is_nothing) {
        values.pop();
    }
    Value::Array(values)
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Number(number) => number.as_u64() == Some(0),
        _ => false,
    }
}

/// The rows of every word and filter.
#[derive(Default)]
struct WordIndex {
    words: HashMap<String, FieldRows>,
    facets: HashMap<(FacetGroup, String), Vec<u32>>,
}

/// A word as a shard has it, and its size there.
struct ShardWord {
    word: String,
    value: Value,
    size: usize,
}

impl WordIndex {
    fn add(&mut self, row: u32, package: &PackageRow) {
        let skill = package.name.rsplit('/').next().unwrap_or_default();
        let whole = skill.to_lowercase();
        self.add_word(row, Field::WholeName, whole);

        if let Some(first) = split_words(skill).into_iter().next() {
            self.add_word(row, Field::NameStart, first);
        }
        for word in unique_words([package.name.as_str()]) {
            self.add_word(row, Field::Name, word);
        }
        for word in unique_words(package.tags.iter().map(String::as_str)) {
            self.add_word(row, Field::Tag, word);
        }
        for word in unique_words([package.description.as_str()]) {
            if !STOP_WORDS.contains(&word.as_str()) {
                self.add_word(row, Field::Description, word);
            }
        }

        for facet in package.all_facets() {
            let value = facet.value.chars().take(FACET_LENGTH_MAX).collect();
            let rows = self.facets.entry((facet.group, value)).or_default();
            // Two long values may have one beginning.
            if rows.last() != Some(&row) {
                rows.push(row);
            }
        }
    }

    fn add_word(&mut self, row: u32, field: Field, word: String) {
        self.words.entry(word).or_default()[field as usize].push(row);
    }

    /// All words, filters and summaries, sorted.
    fn into_sorted(self, rows: &[PackageRow]) -> Vec<ShardWord> {
        let mut words: Vec<(String, FieldRows)> = self.words.into_iter().collect();
        words.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        let sizes: Vec<usize> = words
            .iter()
            .map(|(word, fields)| shard_word(word, fields).size)
            .collect();

        let mut all: Vec<ShardWord> = summaries(&words, &sizes, rows);
        all.extend(words.iter().map(|(word, fields)| shard_word(word, fields)));
        all.extend(self.facets.into_iter().map(|((group, value), rows)| {
            let mut fields = FieldRows::default();
            fields[Field::WholeName as usize] = rows;
            shard_word(&facet_word(group, &value), &fields)
        }));
        all.sort_by(|a, b| a.word.encode_utf16().cmp(b.word.encode_utf16()));
        all
    }
}

fn unique_words<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<String> {
    texts.into_iter().flat_map(split_words).collect()
}

/// The word of a filter; no text has a word with a colon.
fn facet_word(group: FacetGroup, value: &str) -> String {
    format!("#{}:{value}", group.key())
}

fn shard_word(word: &str, fields: &FieldRows) -> ShardWord {
    let mut values = vec![json!(word)];
    values.extend(fields.iter().map(|rows| json!(encode_rows(rows))));
    while values.last().is_some_and(is_nothing) {
        values.pop();
    }

    let text: usize = values
        .iter()
        .filter_map(Value::as_str)
        .map(|text| text.len() + 3)
        .sum();
    ShardWord {
        word: word.to_owned(),
        value: Value::Array(values),
        size: text + 2,
    }
}

/// The summaries of all beginnings whose words are too many to load.
fn summaries(
    words: &[(String, FieldRows)],
    sizes: &[usize],
    rows: &[PackageRow],
) -> Vec<ShardWord> {
    let mut summaries = Vec::new();
    for length in 1..=SUMMARY_LENGTH_MAX {
        let mut start = 0;
        while start < words.len() {
            let beginning = first_characters(&words[start].0, length);
            let end = start
                + words[start..]
                    .iter()
                    .take_while(|(word, _)| first_characters(word, length) == beginning)
                    .count();

            let is_whole = beginning.chars().count() == length;
            if is_whole && end - start > 1 && sizes[start..end].iter().sum::<usize>() > SUMMARY_MIN
            {
                let fields = summarize(&words[start..end], rows);
                summaries.push(shard_word(&format!("{beginning}*"), &fields));
            }
            start = end;
        }
    }
    summaries
}

fn first_characters(word: &str, length: usize) -> &str {
    word.char_indices()
        .nth(length)
        .map_or(word, |(end, _)| &word[..end])
}

/// The best rows of several words: those of the better field, and in it those with the shorter name.
fn summarize(words: &[(String, FieldRows)], rows: &[PackageRow]) -> FieldRows {
    let mut summary = FieldRows::default();
    let mut taken: BTreeSet<u32> = BTreeSet::new();

    for field in 0..summary.len() {
        let mut found: Vec<u32> = words
            .iter()
            .flat_map(|(_, fields)| fields[field].iter().copied())
            .filter(|row| !taken.contains(row))
            .collect();
        found.sort_unstable();
        found.dedup();

        found.sort_by_key(|row| rows[*row as usize].name.len());
        found.truncate(SUMMARY_ROWS - taken.len());
        taken.extend(&found);
        found.sort_unstable();
        summary[field] = found;
    }
    summary
}

/// Splits words into shards; a word that is larger than a shard has one of its own.
fn fill_shards(words: Vec<ShardWord>) -> Vec<Vec<ShardWord>> {
    let mut shards: Vec<Vec<ShardWord>> = Vec::new();
    let mut size = usize::MAX;
    for word in words {
        if size.saturating_add(word.size) > SHARD_SIZE {
            shards.push(Vec::new());
            size = 0;
        }
        size += word.size;
        shards.last_mut().expect("a shard was begun").push(word);
    }
    shards
}

/// One group of filters: key, title, its most frequent values with their counts, and the number of all values.
#[derive(Debug, Serialize)]
struct FacetList(&'static str, &'static str, Vec<(String, usize)>, usize);

/// The filters. A value that all packages have leaves out none of them, and is no filter.
fn facet_list(index: &WordIndex, packages: usize) -> Vec<FacetList> {
    let mut lists = Vec::new();
    for group in FacetGroup::ALL {
        let mut values: Vec<(String, usize)> = index
            .facets
            .iter()
            .filter(|((of, _), rows)| *of == group && rows.len() < packages)
            .map(|((_, value), rows)| (value.clone(), rows.len()))
            .collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));

        let count = values.len();
        values.truncate(FACETS_MAX);
        if count > 0 {
            lists.push(FacetList(group.key(), group.title(), values, count));
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::package_row::PackageFacet;

    fn row(name: &str, description: &str, tags: &[&str]) -> PackageRow {
        PackageRow {
            name: name.into(),
            slug: name.into(),
            description: description.into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            license: Some("MIT".into()),
            facets: vec![PackageFacet {
                group: FacetGroup::Agent,
                value: "Codex".into(),
            }],
            ..PackageRow::default()
        }
    }

    /// The value of a file, and its text.
    fn read(data: &SearchData, name: &str) -> (Value, String) {
        let path = format!("{}{name}.js", data.place);
        let text = String::from_utf8(data.files[&path].bytes.clone()).unwrap();
        let start = format!("(self.skillpmSite=self.skillpmSite||{{}})[\"{name}\"]=");
        let value = text
            .strip_prefix(&start)
            .unwrap()
            .strip_suffix(";\n")
            .unwrap();
        (serde_json::from_str(value).unwrap(), text)
    }

    #[test]
    fn words_have_the_rows_of_each_field() {
        let data = build_search(&[
            row("acme/pdf", "Reads the PDF forms.", &["forms"]),
            row("pdf-forms", "Fills forms.", &[]),
        ]);
        assert_eq!(
            read(&data, "t0").0,
            json!([
                ["#agent:Codex", "AA"],
                ["#license:MIT", "AA"],
                ["#tag:forms", "A"],
                ["acme", "", "", "A"],
                ["fills", "", "", "", "", "B"],
                ["forms", "", "", "B", "A", "AA"],
                ["pdf", "A", "AA", "AA", "", "A"],
                ["pdf-forms", "B"],
                ["reads", "", "", "", "", "A"]
            ])
        );
        assert_eq!(
            read(&data, "r0").0[1],
            json!(["pdf-forms", 0, "", "Fills forms.", [], "MIT"])
        );
        let meta = read(&data, "meta").0;
        assert_eq!(meta["count"], 2);
        assert_eq!(meta["terms"], json!(["#agent:Codex"]));
        // What both have is no filter, and still has its rows for a shared address.
        assert_eq!(meta["facets"], json!([["tag", "Tag", [["forms", 1]], 1]]));
    }

    #[test]
    fn hostile_text_stays_inside_its_string() {
        let evil = "</script><!--\u{2028}\u{202e}\"];alert(1);[\"";
        let mut bad = row(evil, evil, &[evil]);
        bad.version = Some(evil.into());
        let data = build_search(&[bad, row("pdf", "Reads PDF.", &[])]);
        for name in ["t0", "r0", "meta"] {
            let (_, text) = read(&data, name);
            assert!(!text.contains(['\u{202e}', '\u{2028}']), "{name}");
        }
        // What the script shows has no hidden characters either, once it is read.
        let name = read(&data, "r0").0[0][0].as_str().unwrap().to_owned();
        assert_eq!(name, evil.replace('\u{202e}', "\\u{202e}"));
        let tags = &read(&data, "meta").0["facets"][0];
        assert!(
            tags[2][0][0].as_str().unwrap().contains("\\u{202e}"),
            "{tags}"
        );
    }

    /// As many packages as a page could never load at once.
    fn many(count: usize) -> Vec<PackageRow> {
        (0..count)
            .map(|at| {
                let word = format!("common{at:05}");
                row(
                    &format!("{word}-x"),
                    &format!("Does {word} things, use when {at}."),
                    &[],
                )
            })
            .collect()
    }

    #[test]
    fn shards_are_small_and_long_lists_have_a_summary() {
        let data = build_search(&many(5_000));
        let largest = data.files.values().map(|file| file.bytes.len()).max();
        assert!(largest < Some(17 << 10), "{largest:?}");
        // A letter is answered by one word, in the shard that its place among the first words says.
        let meta = read(&data, "meta").0;
        let firsts: Vec<&str> = meta["terms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|first| first.as_str().unwrap())
            .collect();
        assert!(firsts.len() > 20 && firsts.is_sorted());
        for beginning in ["c*", "com*", "common0*"] {
            let at = firsts.partition_point(|first| *first <= beginning) - 1;
            let shard = read(&data, &format!("t{at}")).0;
            let word = shard
                .as_array()
                .unwrap()
                .iter()
                .find(|word| word[0] == beginning);
            assert!(
                word.is_some_and(|word| word.to_string().len() < 1_000),
                "{beginning}: {word:?}"
            );
        }
    }

    #[test]
    fn same_packages_give_the_same_files_and_others_another_place() {
        let one = build_search(&many(300));
        let two = build_search(&many(300));
        assert!(one.place == two.place && one.files == two.files);
        assert_ne!(build_search(&many(299)).place, one.place);
    }
}

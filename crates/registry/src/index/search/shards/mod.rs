//! The search index: static files from which a few words are searched with a few requests, however large the index is.
//!
//! ```text
//! search.d/head.json.gz                      which files there are, and what changed since they were written
//! search.d/5f0c…/word-merge-pdf.json.gz      a shard: packages by words, and the data of the best
//! search.d/5f0c…/rows-17.json.gz             the data of 256 packages
//! ```
//!
//! Each file is JSON, compressed by gzip. `5f0c…` is the base: a digest of all packages when the files were written, which is
//! in each of them. A file below a base never changes, so that a cached one cannot be mixed with those of another base.
//!
//! ```json
//! {"v":1,"base":"5f0c…","packages":3,"text":260,"block":256,"leaves":["c","p"],"words":[["pdf",2]],"recent":[…]}
//! {"v":1,"base":"5f0c…","key":"word-pdf","words":[{"word":"pdf","rows":2,"levels":[[15,[0]],[9,[2]]]}],"rows":[[0,{"name":"pdf",…}]]}
//! ```
//!
//! Packages are numbered in the order of their paths. The words form a tree by their letters: a leaf has all words that begin
//! with its key, and `words` has the keys at which the tree branches, with the number of packages. `levels` has the packages
//! of a word by how well they match, the best first, each number as the difference from the one before it.
//!
//! | file | |
//! |---|---|
//! | `words.rs` | the words of a package, and how well it matches each |
//! | `build.rs` | writes the files from a search table |
//! | `find.rs` | reads what a query needs, and makes a small table of it |
//! | `recent.rs` | keeps the head current when packages change |

mod build;
mod find;
mod recent;
mod words;

use serde::{Deserialize, Serialize};

use super::SearchRow;
use super::row::PublishedLine;
use skillpm_core::error::{Error, Result};
use skillpm_io::archive;

pub(in crate::index) use build::write_shards;
pub(in crate::index) use find::ShardSearch;
pub use recent::RECENT_MANY;
pub(in crate::index) use recent::record_changes;

/// The directory of the search index. A scope cannot have a name with a dot.
pub const SEARCH_DIR: &str = "search.d";

/// The path of the head.
pub const SEARCH_HEAD: &str = "search.d/head.json.gz";

/// The format version of all files.
const FORMAT: u32 = 1;

/// Largest file of the search index, in bytes as it is sent: that of a million packages has some 100,000.
pub(in crate::index) const SHARD_MAX: u64 = 2 << 20;

/// Largest file of the search index, in bytes of JSON. Its numbers take twelve times as much memory.
const SHARD_JSON_MAX: u64 = 4 << 20;

/// Most rows of a file; this program writes at most 256, or some hundreds of short ones.
const ROWS_MAX: usize = 4096;

/// The sizes of the files.
#[derive(Debug, Clone, Copy)]
struct ShardSizes {
    /// Most bytes of text of the rows in a leaf.
    leaf_text: usize,
    /// Most packages of all words in a leaf together.
    leaf_postings: usize,
    /// Most packages of a branch; those that match best.
    branch_postings: usize,
    /// The number of rows beside a word.
    rows: usize,
    /// The number of packages in one file of rows.
    block: u32,
}

/// Packages at random take 64 KB of a branch, so that three branches and a head for a million packages are below 300 KB.
const SIZES: ShardSizes = ShardSizes {
    leaf_text: 96 << 10,
    leaf_postings: 8 << 10,
    branch_postings: 40 << 10,
    rows: 24,
    block: 256,
};

/// The head of a search index; unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::index) struct SearchHead {
    v: u32,
    /// The digest of all packages when the files were written.
    base: String,
    /// The number of packages.
    packages: u32,
    /// Bytes of their text.
    text: u64,
    /// The number of packages in one file of rows.
    block: u32,
    /// The keys of leaves, sorted.
    leaves: Vec<String>,
    /// The keys of branches with the number of their packages, sorted.
    words: Vec<(String, u32)>,
    /// The packages that changed since, in the order of their changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    recent: Vec<RecentRow>,
}

/// A package that changed since the base was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum RecentRow {
    /// Its present data.
    Present(PublishedLine),
    /// All its versions were withdrawn.
    Removed { removed: String },
}

/// A shard or a file of rows; unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ShardFile {
    v: u32,
    base: String,
    key: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    words: Vec<ShardWord>,
    /// Numbers and data of packages.
    rows: Vec<(u32, PublishedLine)>,
}

/// The packages of a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ShardWord {
    word: String,
    /// The number of all of them; there are fewer in `levels` where only the best are listed.
    rows: u32,
    /// The level of a match, the best first, with the numbers of packages as differences.
    levels: Vec<(u8, Vec<u32>)>,
}

/// The key of the shard of a leaf or branch.
fn word_key(key: &str) -> String {
    use std::fmt::Write as _;

    // With a prefix, since `con` alone is no valid file name on Windows.
    let mut name = "word-".to_owned();
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            name.push(char::from(byte));
        } else {
            write!(name, "={byte:02x}").expect("a string can be written");
        }
    }
    name
}

/// The key of the file of rows with this number.
fn rows_key(block: u32) -> String {
    format!("rows-{block}")
}

/// The path of the file with this key.
fn file_path(base: &str, key: &str) -> String {
    format!("{SEARCH_DIR}/{base}/{key}.json.gz")
}

/// Whether a base is one that this program would write: it is part of paths.
fn is_base(base: &str) -> bool {
    base.len() == 16 && base.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Encodes a file.
fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    archive::gzip(&serde_json::to_vec(value).expect("a file of the search index is valid JSON"))
}

/// Decodes a file; it is decompressed already if a proxy did so.
fn decode<T: for<'de> Deserialize<'de>>(path: &str, bytes: &[u8]) -> Result<T> {
    let unpacked;
    let json = if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked = archive::gunzip(bytes, SHARD_JSON_MAX)
            .map_err(|error| error.wrap(format!("invalid file `{path}` of the search index")))?;
        &unpacked
    } else {
        bytes
    };

    // Before the rest, of which a newer format may have another one.
    let version: FormatVersion = serde_json::from_slice(json).map_err(|cause| {
        Error::integrity(format!(
            "invalid file `{path}` of the search index: {cause}"
        ))
    })?;
    if version.v != FORMAT {
        return Err(Error::integrity(format!(
            "unsupported version {} of the search index in `{path}`: this skillpm reads {FORMAT}",
            version.v
        ))
        .help("install a newer version of skillpm"));
    }

    serde_json::from_slice(json).map_err(|cause| {
        Error::integrity(format!(
            "invalid file `{path}` of the search index: {cause}"
        ))
    })
}

#[derive(Deserialize)]
struct FormatVersion {
    v: u32,
}

impl SearchHead {
    /// Parses the head.
    ///
    /// # Errors
    /// If it is invalid, or of another format version.
    pub(in crate::index) fn parse(bytes: &[u8]) -> Result<SearchHead> {
        let head: SearchHead = decode(SEARCH_HEAD, bytes)?;
        let invalid = |what: &str| {
            Error::integrity(format!(
                "invalid file `{SEARCH_HEAD}` of the search index: {what}"
            ))
        };

        // Parts of paths, divisors and sorted lists, which the search relies on.
        if !is_base(&head.base) {
            return Err(invalid("`base` is not a digest"));
        }
        if head.block == 0 || head.block as usize > ROWS_MAX {
            return Err(invalid("`block` is out of range"));
        }
        if !head.leaves.is_sorted() || !head.words.is_sorted() {
            return Err(invalid("its keys are not sorted"));
        }
        Ok(head)
    }

    /// The head as it is written; `None` if it has more changes than readers accept.
    fn to_bytes(&self) -> Option<Vec<u8>> {
        let json = serde_json::to_vec(self).expect("a head is valid JSON");
        (json.len() as u64 <= SHARD_JSON_MAX).then(|| archive::gzip(&json))
    }
}

impl ShardFile {
    /// Parses the file with this key of a base.
    fn parse(base: &str, key: &str, bytes: &[u8]) -> Result<ShardFile> {
        let path = file_path(base, key);
        let file: ShardFile = decode(&path, bytes)?;

        // A cache or a mirror that mixes two states would give the data of other packages.
        if file.base != base || file.key != key {
            return Err(Error::integrity(format!(
                "invalid file `{path}` of the search index: it is file `{}` of base `{}`",
                file.key.escape_debug(),
                file.base.escape_debug()
            )));
        }
        if file.rows.len() > ROWS_MAX {
            return Err(Error::integrity(format!(
                "invalid file `{path}` of the search index: it has {} packages; the limit is {ROWS_MAX}",
                file.rows.len()
            )));
        }
        Ok(file)
    }
}

impl RecentRow {
    fn name(&self) -> String {
        match self {
            RecentRow::Present(line) => line.name.to_string(),
            RecentRow::Removed { removed } => removed.clone(),
        }
    }

    fn row(&self) -> Option<SearchRow> {
        match self {
            RecentRow::Present(line) => Some(line.clone().into()),
            RecentRow::Removed { .. } => None,
        }
    }
}

//! Full-text search of packages: one table per index, with one row per package, laid out so that a search reads only text.
//!
//! ```text
//! index's files ──build──▶ $SKILLPM_HOME/index/search/<digest>.table ──scan──▶ hits ──rank──▶ the best hits
//!   or its search.jsonl      text in lower case, in blocks; rows beside it       only these rows are decoded
//! ```
//!
//! | file | |
//! |---|---|
//! | `row.rs` | the data of a package, and `search.jsonl`, in which an index may publish it |
//! | `table.rs` | the file format of a table, and the detection of damage |
//! | `build.rs` | builds the table of an index, reading only changed files |
//! | `query.rs` | the words of a query |
//! | `scan.rs` | finds and ranks rows |
//! | `typo.rs` | corrections of words that are found nowhere |
//! | `shards/` | the search index: static files of which a search reads a few, for an index that is too large for a table |
//!
//! Network access is that of the [`Index`](super::Index): its context decides whether the network is used.

mod build;
mod query;
mod row;
mod scan;
mod shards;
mod table;
mod typo;

pub use build::TableStore;
pub(super) use build::{IndexSurvey, PUBLISHED_FILES, PUBLISHED_MAX, hash_mark, settled_mark};
pub use query::SearchQuery;
pub use row::SearchRow;
pub use scan::{DuplicateRow, SearchHit, SearchResults, WordCorrection, search_tables};
pub use shards::{RECENT_MANY, SEARCH_DIR, SEARCH_HEAD};
pub(super) use shards::{SHARD_MAX, record_changes};
pub(super) use table::TableSeal;
pub use table::{DamagedTable, SearchTable, TableBasis};
pub use typo::suggest_names;

//! Finding packages by words: one table an index, with a row a package, made so that a search reads text and nothing else.
//!
//! ```text
//! index's files ──build──▶ $SKILLPM_HOME/index/search/<digest>.table ──scan──▶ hits ──rank──▶ the best of them
//!   or its search.jsonl      text in lower case, in blocks; rows beside it       only these rows are decoded
//! ```
//!
//! | file | |
//! |---|---|
//! | `row.rs` | what is kept of a package, and `search.jsonl`, in which an index may publish it |
//! | `table.rs` | the file: how it is laid out, how damage shows |
//! | `build.rs` | from an index to its table, reading only what has changed |
//! | `query.rs` | words as they are looked for |
//! | `scan.rs` | where they stand, and what that is worth |
//! | `typo.rs` | what was meant by a word that stands nowhere |
//!
//! Nothing here asks the network by itself: whoever opened the [`Index`](super::Index) decided what it may reach.

mod build;
mod query;
mod row;
mod scan;
mod table;
mod typo;

pub use build::{Basis, Tables};
pub(super) use build::{PUBLISHED, PUBLISHED_MAX, Seal, Survey, mark_by, mark_of};
pub use query::Query;
pub use row::Row;
pub use scan::{Correction, Found, Hit, Twin, search};
pub use table::{Damaged, Table};
pub use typo::near_names;

//! SK5: links and package contents.

mod anchor;
mod backslash;
pub(in crate::lint) mod junk_file;
mod lfs_pointer;
mod links;
mod named_path;
mod opaque;
mod reach;
pub(in crate::lint) mod secret_file;
pub(in crate::lint) mod size;
pub(in crate::lint) mod target;

use crate::lint::Rule;
use crate::report::{Applicability, Change, Fix};

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &links::BROKEN,
    &named_path::RULE,
    &links::ESCAPES,
    &links::ABSOLUTE,
    &backslash::RULE,
    &links::CASE,
    &links::ANCHOR,
    &reach::UNREFERENCED,
    &reach::TOO_DEEP,
    &junk_file::RULE,
    &size::LARGE,
    &opaque::ARCHIVE,
    &opaque::EXECUTABLE,
    &secret_file::RULE,
    &size::MANY,
    &lfs_pointer::RULE,
];

/// The file of patterns that keep files out of a package.
const IGNORE_FILE: &str = ".skillpmignore";

/// Keeps what a pattern matches out of packages.
fn exclude(pattern: &str) -> Fix {
    Fix {
        applicability: Applicability::Safe,
        message: format!("keep it out of packages, by `{IGNORE_FILE}`"),
        changes: vec![Change::AppendLine { path: IGNORE_FILE.to_owned(), line: pattern.to_owned() }],
    }
}

/// How a file is kept out of a package.
fn keep_out(pattern: &str) -> String {
    format!(
        "keep it out: `exclude = [\"{pattern}\"]` below `[package]` in `skillpm.toml`, or a line `{pattern}` in `{IGNORE_FILE}`"
    )
}

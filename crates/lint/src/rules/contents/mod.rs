//! SK5: links and package contents.

mod anchor;
mod backslash;
pub(crate) mod junk_file;
mod lfs_pointer;
pub(crate) mod link_target;
mod links;
pub(crate) mod named_path;
mod opaque;
mod reachability;
pub(crate) mod secret_file;
pub(crate) mod size;

use crate::Rule;
use skillpm_core::report::{DiagnosticFix, FixApplicability, FixChange};

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &links::BROKEN,
    &named_path::RULE,
    &links::ESCAPES,
    &links::ABSOLUTE,
    &backslash::RULE,
    &links::CASE,
    &links::ANCHOR,
    &reachability::UNREFERENCED,
    &reachability::TOO_DEEP,
    &junk_file::RULE,
    &size::LARGE,
    &opaque::ARCHIVE,
    &opaque::EXECUTABLE,
    &secret_file::RULE,
    &size::MANY,
    &lfs_pointer::RULE,
];

/// The file of patterns that exclude files from a package.
const IGNORE_FILE: &str = ".skillpmignore";

/// Excludes files that match a pattern from packages.
fn exclude_fix(pattern: &str) -> DiagnosticFix {
    DiagnosticFix {
        applicability: FixApplicability::Safe,
        message: format!("exclude it from packages in `{IGNORE_FILE}`"),
        changes: vec![FixChange::AppendLine {
            path: IGNORE_FILE.to_owned(),
            line: pattern.to_owned(),
        }],
    }
}

/// The help text on excluding a file from a package.
fn exclude_help(pattern: &str) -> String {
    format!(
        "exclude it: add `exclude = [\"{pattern}\"]` under `[package]` in `skillpm.toml`, or a line `{pattern}` to `{IGNORE_FILE}`"
    )
}

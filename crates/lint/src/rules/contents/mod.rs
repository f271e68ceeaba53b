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
use skillpm_core::error::{edit_distance, nearest_name};
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

/// The one of some file names that was probably meant by a name that does not exist: with the same extension and the same
/// numbers, and with at most a third of the letters different.
fn nearest_file_name<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let split = |name: &'_ str| name.rfind('.').unwrap_or(name.len());
    let numbers = |stem: &str| {
        stem.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };

    let (stem, extension) = wanted.split_at(split(wanted));
    // `step-2.md` is not a misspelling of `step-1.md`.
    let alike: Vec<(&str, &str)> = names
        .map(|name| (&name[..split(name)], name))
        .filter(|(other, name)| {
            name[other.len()..] == *extension && numbers(other) == numbers(stem)
        })
        // Without the extension, which would let a short name differ completely.
        .filter(|(other, _)| edit_distance(&stem.to_lowercase(), other) * 3 <= stem.chars().count())
        .collect();

    let near = nearest_name(stem, alike.iter().map(|(other, _)| *other))?;
    alike
        .iter()
        .find(|(other, _)| *other == near)
        .map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meant_file_has_the_same_numbers_and_two_thirds_of_the_letters() {
        let files = [
            "text.md",
            "video.md",
            "fields.md",
            "step-2.md",
            "js.md",
            "api-guide.md",
        ];
        for (wanted, near) in [
            ("field.md", Some("fields.md")),
            ("feilds.md", Some("fields.md")),
            ("Vidoe.md", Some("video.md")),
            ("step2.md", Some("step-2.md")),
            ("field.txt", None),
            ("react.md", None),
            ("node.md", None),
            ("step-1.md", None),
            ("step-12.md", None),
            ("ts.md", None),
            ("api.md", None),
        ] {
            assert_eq!(
                nearest_file_name(wanted, files.into_iter()),
                near,
                "{wanted}"
            );
        }
    }
}

//! Whether a tree can be published, and as what.
//!
//! [`describe`] reads what it says of itself, in `skillpm.toml` and in `SKILL.md`; [`check`] looks at its files. Whoever
//! packs asks both before, and whoever keeps an index asks both again of the archive, and compares.
//!
//! | rule | level | |
//! |---|---|---|
//! | those of [`crate::skill::read`] | theirs | what some agent drops or misreads is an error |
//! | `package-name` | error | no name that a package can have |
//! | `package-name-differs` | error | the package's name does not end in the skill's |
//! | `version-missing`, `version-not-semver` | error | |
//! | `version-short` | warning | `1.2` was read as `1.2.0` |
//! | `license-not-spdx` | error in `skillpm.toml`, else warning | no expression of SPDX |
//! | `license-missing` | note | |
//! | `description-too-long` | error | of `skillpm.toml`; that of the skill is read by the reader |
//! | `keywords` | error | too many, too long, or not words |
//! | `dependency-not-published` | error | a need that no registry can answer |
//! | `too-many-files`, `too-large` | warning | more than MCP hosts take |
//! | `secret`, `secret-file` | error | see `secrets.rs` |
//! | `junk` | error | see `junk.rs` |

mod facts;
mod license;
mod secrets;

pub use facts::{Facts, Need, Subject, describe, unpublished};

use super::Budgets;
use super::rules::contents;
use crate::package::Tree;
use crate::report::{Diagnostic, Finding, Level};

/// What is wrong with the files of a package.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = junk(tree);
    findings.extend(secrets::check(tree));
    findings.extend(contents::size::many(tree.len()).map(of_package));
    let budgets = Budgets::default();
    let bytes: u64 = tree.files().map(|(_, file)| file.bytes.len() as u64).sum();
    if bytes > budgets.package_bytes {
        findings.push(of_package(contents::size::large_package(bytes, budgets.package_bytes)));
    }
    findings
}

/// What tools leave is a warning to whoever writes a skill, and never published.
fn junk(tree: &Tree) -> Vec<Finding> {
    let paths: Vec<&str> = tree.files().map(|(path, _)| path.as_str()).collect();
    let deny = |(path, diagnostic): (&str, Diagnostic)| Finding {
        path: path.to_owned(),
        diagnostic: Diagnostic { level: Level::Error, ..diagnostic },
    };
    contents::junk_file::findings(&paths).into_iter().map(deny).collect()
}

/// A finding about the package as a whole.
fn of_package(diagnostic: Diagnostic) -> Finding {
    Finding { path: "SKILL.md".into(), diagnostic }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mcp_hosts_do_not_take_is_warned_of() {
        let tree = |files: usize, bytes: usize| {
            let mut tree = Tree::builder();
            for at in 0..files {
                tree.add(&format!("f{at}"), vec![b'x'; bytes], false).unwrap();
            }
            check(&tree.finish()).into_iter().map(|found| found.diagnostic.rule).collect::<Vec<_>>()
        };
        assert_eq!(tree(512, 1), Vec::<String>::new());
        assert_eq!(tree(513, 1), ["too-many-files"]);
        assert_eq!(tree(2, (4 << 20) + 1), ["large-file"]);
    }
}

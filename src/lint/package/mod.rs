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
//! | `secret-leak`, `secret-file` | error | see `rules/security/secrets.rs` |
//! | `junk` | error | see `junk.rs` |

mod facts;
mod junk;
mod license;

pub use facts::{Facts, Need, Subject, describe, unpublished};

use crate::package::Tree;
use crate::report::{Diagnostic, Finding, Level};

/// Most files that hosts of the Skills extension of MCP take in one skill.
///
/// See SEP-2640, `io.modelcontextprotocol/skills`.
const FILES_MAX: usize = 512;
/// Most bytes of all files that they take.
const BYTES_MAX: usize = 16 << 20;

/// What is wrong with the files of a package.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = junk::check(tree);
    findings.extend(super::rules::secrets::check(tree, exclude));
    if tree.len() > FILES_MAX {
        let message = format!("the package has {} files; MCP hosts take {FILES_MAX}", tree.len());
        findings.push(of_package(Diagnostic::new("too-many-files", Level::Warning, message)));
    }
    let bytes: usize = tree.files().map(|(_, file)| file.bytes.len()).sum();
    if bytes > BYTES_MAX {
        let message = format!("the package has {bytes} bytes; MCP hosts take {BYTES_MAX}");
        findings.push(of_package(Diagnostic::new("too-large", Level::Warning, message)));
    }
    findings
}

/// A finding about the package as a whole.
fn of_package(diagnostic: Diagnostic) -> Finding {
    Finding { path: "SKILL.md".into(), diagnostic }
}

/// How a file is kept out of a package.
fn exclude(pattern: &str) -> String {
    format!(
        "keep it out: `exclude = [\"{pattern}\"]` below `[package]` in `skillpm.toml`, or a line `{pattern}` in `.skillpmignore`"
    )
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
        assert_eq!(tree(2, (8 << 20) + 1), ["too-large"]);
    }
}

//! Checks whether a tree can be published, and reads the facts it is published with.
//!
//! [`describe`] reads name, version and dependencies from `skillpm.toml` and `SKILL.md`; [`check`] checks the files. Both
//! run before packing, and again on the archive when it is added to an index, where the results are compared.
//!
//! The findings have the rule names of the table, [`super::rules`], and an error stops publication: what is a warning
//! while writing a skill (`junk-file`) is an error here, and `version-short` is a warning.

mod facts;

pub use facts::{DependencyFact, PackageFacts, PackageSubject, describe, unpublished_dependency};

use super::rules::contents::{
    self,
    link_target::{ResolvedLink, resolve_link},
};
use super::rules::package::include;
use super::subject::SKILL_FILE;
use super::{FileContent, MarkdownPage, SizeBudgets, SkillDir, SkillFile};
use skillpm_core::package::Tree;
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};

/// Checks the files of a package.
#[must_use]
pub fn check(tree: &Tree) -> Vec<FileFinding> {
    let mut findings = find_junk(tree);
    // Here and not only in `lint`: a secret in a published version cannot be taken back.
    findings.extend(super::rules::secrets::check(tree));
    findings.extend(contents::size::too_many_files(tree.len()).map(package_finding));

    // The default budget, not the project's: the packer and the index must agree.
    let budgets = SizeBudgets::default();
    let bytes: u64 = tree.files().map(|(_, file)| file.bytes.len() as u64).sum();
    if bytes > budgets.package_bytes {
        findings.push(package_finding(contents::size::large_package(
            bytes,
            budgets.package_bytes,
        )));
    }

    findings
}

/// Finds files that `SKILL.md` links to and that exist, but are excluded from the package.
#[must_use]
pub fn find_left_out(tree: &Tree, is_there: &dyn Fn(&str) -> bool) -> Vec<FileFinding> {
    let Some(source) = tree
        .get(SKILL_FILE)
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
    else {
        return Vec::new();
    };

    // Only the paths matter for following links, so the files need no content.
    let file = |path: &str| SkillFile {
        path: path.to_owned(),
        content: FileContent::Special,
        executable: false,
    };
    let mut files: Vec<SkillFile> = tree.files().map(|(path, _)| file(path.as_str())).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let skill = SkillDir {
        files,
        ..SkillDir::default()
    };

    let mut reported: Vec<String> = Vec::new();
    let mut findings = Vec::new();
    let page = MarkdownPage::read(SKILL_FILE, source, "");
    for link in &page.markdown().links {
        let ResolvedLink::Missing { path } = resolve_link(&skill, "", &link.target) else {
            continue;
        };

        // A link to a file that does not exist at all is reported by `broken-link`.
        if is_there(&path) && !reported.contains(&path) {
            let by = "`include`, `exclude` or an ignore file";
            findings.push(package_finding(
                include::finding(&path, by).at(link.target_span.clone(), source),
            ));
            reported.push(path);
        }
    }

    findings
}

/// Finds junk files: a warning while writing a skill, but an error when publishing.
fn find_junk(tree: &Tree) -> Vec<FileFinding> {
    let paths: Vec<&str> = tree.files().map(|(path, _)| path.as_str()).collect();
    let deny = |(path, diagnostic): (&str, Diagnostic)| FileFinding {
        path: path.to_owned(),
        diagnostic: Diagnostic {
            level: DiagnosticLevel::Error,
            ..diagnostic
        },
    };

    contents::junk_file::findings(&paths)
        .into_iter()
        .map(deny)
        .collect()
}

/// A finding about the package as a whole.
fn package_finding(diagnostic: Diagnostic) -> FileFinding {
    FileFinding {
        path: "SKILL.md".into(),
        diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_mcp_hosts_are_reported() {
        let tree = |files: usize, bytes: usize| {
            let mut tree = Tree::builder();
            for at in 0..files {
                tree.add(&format!("f{at}"), vec![b'x'; bytes], false)
                    .unwrap();
            }
            check(&tree.finish())
                .into_iter()
                .map(|found| found.diagnostic.rule)
                .collect::<Vec<_>>()
        };
        assert_eq!(tree(512, 1), Vec::<String>::new());
        assert_eq!(tree(513, 1), ["too-many-files"]);
        assert_eq!(tree(2, (4 << 20) + 1), ["large-file"]);
    }
}

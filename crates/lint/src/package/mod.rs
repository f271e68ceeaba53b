//! Whether a tree can be published, and as what.
//!
//! [`describe`] reads what it says of itself, in `skillpm.toml` and in `SKILL.md`; [`check`] looks at its files. Whoever
//! packs asks both before, and whoever keeps an index asks both again of the archive, and compares.
//!
//! What they find bears the names of the table of rules, [`super::rules`], and stops a publication if it is an error:
//! what is only a warning to whoever writes a skill (`junk-file`) is an error here, and `version-short` a warning.

mod facts;
mod license;

pub(in crate::lint) use license::check as license_fault;

pub use facts::{Facts, Need, Subject, describe, unpublished};

use super::rules::contents::{
    self,
    target::{Lead, follow},
};
use super::rules::package::include;
use super::subject::PAGE;
use super::{Budgets, Content, File, Page, SkillDir};
use crate::package::Tree;
use crate::report::{Diagnostic, Finding, Level};

/// What is wrong with the files of a package.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = junk(tree);
    findings.extend(super::rules::secrets::check(tree));
    findings.extend(contents::size::many(tree.len()).map(of_package));
    let budgets = Budgets::default();
    let bytes: u64 = tree.files().map(|(_, file)| file.bytes.len() as u64).sum();
    if bytes > budgets.package_bytes {
        findings.push(of_package(contents::size::large_package(bytes, budgets.package_bytes)));
    }
    findings
}

/// Files that `SKILL.md` links to, that are there, and that are not among those to be published.
#[must_use]
pub fn left_out(tree: &Tree, is_there: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let Some(source) = tree.get(PAGE).and_then(|bytes| std::str::from_utf8(bytes).ok()) else { return Vec::new() };
    let file = |path: &str| File { path: path.to_owned(), content: Content::Special, executable: false };
    let mut files: Vec<File> = tree.files().map(|(path, _)| file(path.as_str())).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let skill = SkillDir { files, ..SkillDir::default() };
    let mut told: Vec<String> = Vec::new();
    let mut findings = Vec::new();
    let page = Page::read(PAGE, source, "");
    for link in &page.markdown().links {
        let Lead::Nowhere { path } = follow(&skill, "", &link.target) else { continue };
        if is_there(&path) && !told.contains(&path) {
            let by = "`include`, `exclude` or an ignore file";
            findings.push(of_package(include::finding(&path, by).at(link.written.clone(), source)));
            told.push(path);
        }
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

//! Files that tools and desktops create, and that do not belong in a package.

use super::exclude_fix;
use crate::exclusion::is_excluded;
use crate::{ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::package::{ENVIRONMENT_MARK, leftover_directory, leftover_file};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub(crate) static RULE: Rule = Rule {
    code: "SK510",
    name: "junk-file",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "a file created by a tool or a desktop, such as `__pycache__` or `.DS_Store`",
    docs: RuleDocs {
        finds: "Caches (`__pycache__`, `.pytest_cache`), installed packages (`node_modules`, `.venv`), output of \
            compilers and merges (`*.pyc`, `*.orig`), editor settings and backups, and desktop metadata \
            (`.DS_Store`). A directory is reported once. `package` and `publish` reject them.",
        hurts: "They are useless to agents, differ on every machine, and may reveal private information about it.",
        ignore: "The file has this name by chance, and belongs to the skill.",
        bad: &[
            page_and!(
                "Fill the form.\n",
                (
                    "pdf/scripts/__pycache__/fill.cpython-312.pyc",
                    ExampleFile::Bytes(b"\xcb\x0d\x0d\x0a")
                )
            ),
            page_and!(
                "Fill the form.\n",
                ("pdf/.DS_Store", ExampleFile::Bytes(b"\0\0\0\x01Bud1"))
            ),
        ],
        good: &[page_and!(
            "See `references/cache.md`.\n",
            (
                "pdf/references/cache.md",
                ExampleFile::Text("# What __pycache__ is\n")
            )
        )],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let paths: Vec<&str> = subject
        .skill
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    for (path, diagnostic) in findings(&paths) {
        // Without this a project that excludes its caches would be warned at each run.
        if !is_excluded(subject.skill, path) {
            found.add(path, diagnostic);
        }
    }
}

/// Reports junk among files, whose paths are sorted: one finding for each pattern to exclude.
pub(crate) fn findings<'p>(paths: &[&'p str]) -> Vec<(&'p str, Diagnostic)> {
    let mut reported: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    for path in paths {
        let Some((at, what)) = classify_path(path, paths) else {
            continue;
        };
        // A directory such as `node_modules` has thousands of files.
        if reported.contains(&at) {
            continue;
        }
        reported.push(at);

        // With a slash at the end the pattern excludes the directory as a whole.
        let pattern = if at.len() < path.len() {
            format!("{at}/")
        } else {
            at.to_owned()
        };

        let diagnostic = RULE.finding(format!("`{at}` is {what} and does not belong in a skill"));
        findings.push((
            *path,
            diagnostic
                .help(super::exclude_help(&pattern))
                .fix(exclude_fix(&pattern)),
        ));
    }
    findings
}

/// The leading part of a path that is junk, and its kind.
fn classify_path<'p>(path: &'p str, paths: &[&str]) -> Option<(&'p str, &'static str)> {
    let mut start = 0;
    for (end, _) in path.match_indices('/') {
        let (dir, name) = (&path[..end], &path[start..end]);
        if let Some(what) = leftover_directory(name) {
            return Some((dir, what));
        }

        let has = |file: &str| has_prefix(paths, &format!("{dir}/{file}"));

        // `target` is a common word: it is build output only with files that Cargo or Maven create.
        if name == "target"
            && (has("CACHEDIR.TAG") || has("debug/") || has("release/") || has("classes/"))
        {
            return Some((dir, "build output"));
        }

        // A Python environment may have any name; this file is in each of them.
        if has(ENVIRONMENT_MARK) {
            return Some((dir, "a Python environment"));
        }
        start = end + 1;
    }
    leftover_file(&path[start..]).map(|what| (path, what))
}

/// Whether a path begins with this. Paths are sorted, so the first one that is not less decides.
fn has_prefix(paths: &[&str], prefix: &str) -> bool {
    paths
        .get(paths.partition_point(|path| *path < prefix))
        .is_some_and(|first| first.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str]) -> Vec<String> {
        let mut paths = paths.to_vec();
        paths.sort_unstable();
        findings(&paths)
            .into_iter()
            .map(|(_, diagnostic)| diagnostic.help.unwrap())
            .collect()
    }

    #[test]
    fn junk_directory_is_reported_once_with_the_pattern_that_excludes_it() {
        let reported = found(&[
            "SKILL.md",
            "web/node_modules/a/index.js",
            "web/node_modules/b/index.js",
            "x.pyc",
        ]);
        let expected = ["web/node_modules/", "x.pyc"].map(crate::rules::contents::exclude_help);
        assert_eq!(reported, expected);
    }

    #[test]
    fn junk_is_recognized_and_similar_names_are_not() {
        for junk in [
            "a/__pycache__/x.txt",
            ".x.md.swp",
            "notes.md~",
            "#x#",
            ".#x",
            "a.orig",
            "._SKILL.md",
            "target/debug/x",
            "env/pyvenv.cfg",
            "my.egg-info/PKG-INFO",
            ".vscode/settings.json",
        ] {
            assert_eq!(found(&["SKILL.md", junk]).len(), 1, "{junk}");
        }
        let good = [
            "target/notes.md",
            "references/#topic.md",
            "original.md",
            "a.swp.md",
            "env/readme.md",
            ".o",
            "venv.md",
        ];
        assert_eq!(found(&good), Vec::<String>::new());
    }
}

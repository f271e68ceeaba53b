//! What tools and desktops leave lying about, and nobody means to publish.

use std::collections::BTreeSet;

use super::exclude;
use crate::package::Tree;
use crate::report::{Diagnostic, Finding, Level};

/// Directories that a tool makes again.
const DIRECTORIES: [(&str, &str); 17] = [
    ("node_modules", "packages of npm"),
    ("__pycache__", "compiled Python"),
    (".pytest_cache", "a cache of pytest"),
    (".mypy_cache", "a cache of mypy"),
    (".ruff_cache", "a cache of ruff"),
    (".tox", "environments of tox"),
    (".nox", "environments of nox"),
    (".venv", "a Python environment"),
    (".ipynb_checkpoints", "checkpoints of Jupyter"),
    (".gradle", "a cache of Gradle"),
    (".terraform", "a cache of Terraform"),
    (".idea", "settings of an editor"),
    (".vs", "settings of an editor"),
    (".vscode", "settings of an editor"),
    (".cache", "a cache"),
    (".nyc_output", "a test report"),
    ("__MACOSX", "what macOS adds to archives"),
];

/// What is wrong with the files, one finding for each thing that can be excluded at once.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let paths: BTreeSet<&str> = tree.files().map(|(path, _)| path.as_str()).collect();
    let mut told = BTreeSet::new();
    let mut findings = Vec::new();
    for path in &paths {
        let Some((at, what)) = junk(path, &paths) else { continue };
        if told.insert(at) {
            let is_dir = at.len() < path.len();
            let pattern = if is_dir { format!("{at}/") } else { at.to_owned() };
            let shown = path.get(..at.len()).unwrap_or(path);
            let diagnostic =
                Diagnostic::new("junk", Level::Error, format!("`{shown}` is {what}, and no part of a skill"));
            findings.push(Finding { path: (*path).to_owned(), diagnostic: diagnostic.help(exclude(&pattern)) });
        }
    }
    findings
}

/// What of a path is junk, from its beginning, and what sort of.
fn junk<'p>(path: &'p str, paths: &BTreeSet<&str>) -> Option<(&'p str, &'static str)> {
    let mut start = 0;
    for (end, _) in path.match_indices('/') {
        let (dir, name) = (&path[..end], &path[start..end]);
        if let Some((_, what)) = DIRECTORIES.iter().find(|(junk, _)| *junk == name) {
            return Some((dir, what));
        }
        let has = |file: &str| {
            let below = format!("{dir}/{file}");
            paths.range(below.as_str()..).next().is_some_and(|first| first.starts_with(&below))
        };
        if name == "target" && (has("CACHEDIR.TAG") || has("debug/") || has("release/") || has("classes/")) {
            return Some((dir, "what a build made"));
        }
        if has("pyvenv.cfg") {
            return Some((dir, "a Python environment"));
        }
        if name.ends_with(".egg-info") || name.ends_with(".dist-info") {
            return Some((dir, "what a build made"));
        }
        start = end + 1;
    }
    file(&path[start..]).map(|what| (path, what))
}

fn file(name: &str) -> Option<&'static str> {
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end) && name.len() > end.len());
    if ends(&[".pyc", ".pyo", ".class", ".o", ".obj"]) {
        return Some("what a compiler made");
    }
    let is_vim = name.starts_with('.') && ends(&[".swp", ".swo", ".swn"]);
    if is_vim || name.ends_with('~') || name.starts_with(".#") || (name.starts_with('#') && name.ends_with('#')) {
        return Some("an editor's copy of a file");
    }
    if ends(&[".orig", ".rej"]) {
        return Some("what a merge left");
    }
    if name.starts_with("._") || matches!(name, "desktop.ini" | ".directory" | ".localized" | "ehthumbs.db") {
        return Some("what a desktop left");
    }
    let is_log = ["npm-debug.log", "yarn-error.log", "yarn-debug.log"].iter().any(|log| name.starts_with(log));
    (is_log || matches!(name, ".coverage" | ".eslintcache" | "core.dump")).then_some("what a tool left")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str]) -> Vec<String> {
        let mut tree = Tree::builder();
        for path in paths {
            tree.add(path, Vec::new(), false).unwrap();
        }
        check(&tree.finish()).into_iter().map(|found| found.diagnostic.help.unwrap()).collect()
    }

    #[test]
    fn a_directory_of_junk_is_told_once_with_the_line_that_keeps_it_out() {
        let told = found(&["SKILL.md", "web/node_modules/a/index.js", "web/node_modules/b/index.js", "x.pyc"]);
        let expected = ["web/node_modules/", "x.pyc"].map(exclude);
        assert_eq!(told, expected);
    }

    #[test]
    fn each_sort_is_known_and_what_only_looks_like_it_is_not() {
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
        let good =
            ["target/notes.md", "references/#topic.md", "original.md", "a.swp.md", "env/readme.md", ".o", "venv.md"];
        assert_eq!(found(&good), Vec::<String>::new());
    }
}

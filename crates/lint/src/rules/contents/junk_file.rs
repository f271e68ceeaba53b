//! What tools and desktops leave lying about, and nobody means to publish.

use super::exclude;
use crate::lint::rules::package::include::is_left_out;
use crate::lint::{Check, Docs, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Diagnostic, Level};

pub(in crate::lint) static RULE: Rule = Rule {
    code: "SK510",
    name: "junk-file",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a file that a tool or a desktop left",
    docs: Docs {
        finds: "Caches (`__pycache__`, `.pytest_cache`), installed packages (`node_modules`, `.venv`), what compilers and merges                 leave (`*.pyc`, `*.orig`), settings and copies of editors, and files of desktops (`.DS_Store`). A directory is                 told once. `package` and `publish` refuse them.",
        hurts: "They are of no use to any agent, differ on every machine, and may tell more of it than its owner wants.",
        ignore: "The file has such a name by chance, and belongs to the skill.",
        bad: &[
            page_and!(
                "Fill the form.\n",
                ("pdf/scripts/__pycache__/fill.cpython-312.pyc", Piece::Bytes(b"\xcb\x0d\x0d\x0a"))
            ),
            page_and!("Fill the form.\n", ("pdf/.DS_Store", Piece::Bytes(b"\0\0\0\x01Bud1"))),
        ],
        good: &[page_and!(
            "See `references/cache.md`.\n",
            ("pdf/references/cache.md", Piece::Text("# What __pycache__ is\n"))
        )],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let paths: Vec<&str> = subject.skill.files.iter().map(|file| file.path.as_str()).collect();
    for (path, diagnostic) in findings(&paths) {
        if !is_left_out(subject.skill, path) {
            found.add(path, diagnostic);
        }
    }
}

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

/// What is wrong with files, whose paths are sorted: one finding for each thing that can be excluded at once.
pub(in crate::lint) fn findings<'p>(paths: &[&'p str]) -> Vec<(&'p str, Diagnostic)> {
    let mut told: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    for path in paths {
        let Some((at, what)) = junk(path, paths) else { continue };
        if told.contains(&at) {
            continue;
        }
        told.push(at);
        let pattern = if at.len() < path.len() { format!("{at}/") } else { at.to_owned() };
        let diagnostic = RULE.finding(format!("`{at}` is {what}, and no part of a skill"));
        findings.push((*path, diagnostic.help(super::keep_out(&pattern)).fix(exclude(&pattern))));
    }
    findings
}

/// What of a path is junk, from its beginning, and what sort of.
fn junk<'p>(path: &'p str, paths: &[&str]) -> Option<(&'p str, &'static str)> {
    let mut start = 0;
    for (end, _) in path.match_indices('/') {
        let (dir, name) = (&path[..end], &path[start..end]);
        if let Some((_, what)) = DIRECTORIES.iter().find(|(junk, _)| *junk == name) {
            return Some((dir, what));
        }
        let has = |file: &str| {
            let below = format!("{dir}/{file}");
            paths
                .get(paths.partition_point(|path| *path < below.as_str()))
                .is_some_and(|first| first.starts_with(&below))
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
    if name.starts_with("._")
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini" | ".directory" | ".localized" | "ehthumbs.db")
    {
        return Some("what a desktop left");
    }
    let is_log = ["npm-debug.log", "yarn-error.log", "yarn-debug.log"].iter().any(|log| name.starts_with(log));
    (is_log || matches!(name, ".coverage" | ".eslintcache" | "core.dump")).then_some("what a tool left")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str]) -> Vec<String> {
        let mut paths = paths.to_vec();
        paths.sort_unstable();
        findings(&paths).into_iter().map(|(_, diagnostic)| diagnostic.help.unwrap()).collect()
    }

    #[test]
    fn a_directory_of_junk_is_told_once_with_the_line_that_keeps_it_out() {
        let told = found(&["SKILL.md", "web/node_modules/a/index.js", "web/node_modules/b/index.js", "x.pyc"]);
        let expected = ["web/node_modules/", "x.pyc"].map(crate::lint::rules::contents::keep_out);
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

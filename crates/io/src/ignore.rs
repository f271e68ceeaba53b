//! Which files of a directory are meant: patterns in gitignore syntax, in manifests and in ignore files.
//!
//! ```text
//! include    of [package]: if there is any, only what it matches, and no .gitignore is asked
//! exclude    of [package]: whatever it matches is out, `!pattern` is in
//! .skillpmignore, in any directory: the same, the nearest first
//! git        what is tracked is in; what .gitignore, .git/info/exclude and git's own ignore file match is out
//! ```
//!
//! The first of them that has a word to say about a path has the last one. A directory that is out is not looked into.
//! The only owner of the crate `ignore`.

pub mod walk;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ::ignore::Match;
use ::ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::{Error, Result};

/// Largest file of patterns that is read, in bytes.
const IGNORE_MAX: u64 = 1 << 20;

/// The file of patterns that keep files out of a package, in any of its directories.
pub const FILE: &str = ".skillpmignore";

/// What patterns say about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    In,
    Out,
}

/// The patterns that hold for one directory.
pub struct Selection {
    dir: PathBuf,
    include: Gitignore,
    exclude: Gitignore,
    git: Option<Tracked>,
    files: RefCell<BTreeMap<PathBuf, Rc<Gitignore>>>,
}

/// What git says about the directory.
pub struct Tracked {
    /// The root of the checkout.
    pub root: PathBuf,
    /// The git directory, where `info/exclude` lies.
    pub git_dir: PathBuf,
    /// The paths of tracked files, relative to the directory that is looked at.
    pub files: BTreeSet<String>,
}

impl Selection {
    /// The patterns for `dir`; `git` where it lies in a checkout.
    ///
    /// # Errors
    /// If one of the given patterns is none; it is named.
    pub fn new(dir: &Path, include: &[String], exclude: &[String], git: Option<Tracked>) -> Result<Selection> {
        let mut selection = Selection {
            dir: dir.to_owned(),
            include: patterns("include", include)?,
            exclude: patterns("exclude", exclude)?,
            git,
            files: RefCell::default(),
        };
        if selection.git.as_ref().is_some_and(|git| selection.is_no_concern_of(git)) {
            selection.git = None;
        }
        Ok(selection)
    }

    /// Whether git ignores the whole directory, so that what it says of the files in it means nothing.
    fn is_no_concern_of(&self, git: &Tracked) -> bool {
        git.files.is_empty() && self.dir != git.root && !self.by_git(git, "", true)
    }

    /// Whether a path, relative to the directory with `/`, is meant; whether to look into it if it is a directory.
    #[must_use]
    pub fn holds(&self, path: &str, is_dir: bool) -> bool {
        let by_list = word(&self.exclude.matched(path, is_dir));
        if let Some(word) = by_list.or_else(|| self.by_files(FILE, &self.dir, path, is_dir)) {
            return word == Word::In && (is_dir || self.is_included(path));
        }
        if !self.include.is_empty() {
            return is_dir || self.is_included(path);
        }
        self.git.as_ref().is_none_or(|git| self.by_git(git, path, is_dir))
    }

    fn is_included(&self, path: &str) -> bool {
        self.include.is_empty() || self.include.matched_path_or_any_parents(path, false).is_ignore()
    }

    fn by_git(&self, git: &Tracked, path: &str, is_dir: bool) -> bool {
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut from = git.files.range(if is_dir { below.clone() } else { path.to_owned() }..);
        if from.next().is_some_and(|first| if is_dir { first.starts_with(&below) } else { first == path }) {
            return true;
        }
        let found = self.by_files(".gitignore", &git.root, path, is_dir).or_else(|| {
            let exclude = self.file(&git.git_dir.join("info/exclude"), &git.root);
            self.ask(&exclude, &git.root, path, is_dir)
        });
        found.or_else(|| self.ask(&own_ignore_file(), &git.root, path, is_dir)) != Some(Word::Out)
    }

    /// What the nearest file of this name from the path's directory up to `top` says about it.
    fn by_files(&self, name: &str, top: &Path, path: &str, is_dir: bool) -> Option<Word> {
        let place = self.dir.join(path);
        let dirs = place.parent()?.ancestors().take_while(|dir| dir.starts_with(top));
        dirs.map(|dir| (self.file(&dir.join(name), dir), dir))
            .find_map(|(patterns, dir)| self.ask(&patterns, dir, path, is_dir))
    }

    fn ask(&self, patterns: &Gitignore, root: &Path, path: &str, is_dir: bool) -> Option<Word> {
        let place = self.dir.join(path);
        let relative = place.strip_prefix(root).ok()?;
        word(&patterns.matched_path_or_any_parents(relative, is_dir))
    }

    /// The patterns in a file; none if it is not there, or is not one that can be read. Lines that are no patterns are passed over, as git does.
    fn file(&self, path: &Path, root: &Path) -> Rc<Gitignore> {
        let mut files = self.files.borrow_mut();
        let read = || {
            let mut builder = GitignoreBuilder::new(root);
            let text = super::disk::read_up_to(path, IGNORE_MAX).ok().flatten().unwrap_or_default();
            for line in String::from_utf8_lossy(&text).trim_start_matches('\u{feff}').lines() {
                let _ = builder.add_line(None, line);
            }
            Rc::new(builder.build().unwrap_or_else(|_| Gitignore::empty()))
        };
        files.entry(path.to_owned()).or_insert_with(read).clone()
    }
}

/// The ignore file of whoever works here: it holds for every checkout of theirs.
fn own_ignore_file() -> Gitignore {
    GitignoreBuilder::new("").build_global().0
}

fn word<T>(found: &Match<T>) -> Option<Word> {
    match found {
        Match::None => None,
        Match::Ignore(_) => Some(Word::Out),
        Match::Whitelist(_) => Some(Word::In),
    }
}

fn patterns(key: &str, lines: &[String]) -> Result<Gitignore> {
    let refused = |line: &str, cause: &::ignore::Error| {
        Error::usage(format!("`{}` in `{key}` is not a pattern", line.escape_debug()))
            .cause(cause.to_string())
            .help("patterns are those of a `.gitignore`, such as `tests/`, `*.log` or `!keep.log`")
    };
    let mut builder = GitignoreBuilder::new("");
    for line in lines {
        builder.add_line(None, line).map_err(|cause| refused(line, &cause))?;
    }
    builder.build().map_err(|cause| refused(lines.join(" ").as_str(), &cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 7] =
        ["SKILL.md", "a.log", "keep.log", "tests/one.md", "tests/data/two.md", "scripts/run.sh", "scripts/x.log"];

    fn list(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    /// The paths that are held, as a walk finds them: below no directory that is not.
    fn held(selection: &Selection) -> Vec<&'static str> {
        let reached = |path: &str| path.match_indices('/').all(|(at, _)| selection.holds(&path[..at], true));
        PATHS.into_iter().filter(|path| reached(path) && selection.holds(path, false)).collect()
    }

    #[test]
    fn include_takes_and_exclude_takes_away() {
        let dir = tempfile::tempdir().unwrap();
        let of = |include: &[&str], exclude: &[&str]| {
            held(&Selection::new(dir.path(), &list(include), &list(exclude), None).unwrap())
        };
        assert_eq!(of(&[], &[]), PATHS);
        assert_eq!(of(&["**"], &["tests/**"]), ["SKILL.md", "a.log", "keep.log", "scripts/run.sh", "scripts/x.log"]);
        assert_eq!(of(&["scripts/", "/*.md"], &["*.log"]), ["SKILL.md", "scripts/run.sh"]);
        assert_eq!(
            of(&[], &["*.log", "!/keep.log", "tests/data"]),
            ["SKILL.md", "keep.log", "tests/one.md", "scripts/run.sh"]
        );
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        let error = Selection::new(Path::new("/"), &list(&["[z-a]"]), &[], None).err().unwrap();
        assert_eq!(error.message(), "`[z-a]` in `include` is not a pattern");
    }

    #[test]
    fn the_nearest_ignore_file_has_the_last_word() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("scripts")).unwrap();
        std::fs::write(dir.path().join(FILE), "*.log\ntests/\n").unwrap();
        std::fs::write(dir.path().join("scripts").join(FILE), "!x.log\n").unwrap();
        let selection = Selection::new(dir.path(), &[], &[], None).unwrap();
        assert_eq!(held(&selection), ["SKILL.md", "scripts/run.sh", "scripts/x.log"]);
    }

    #[test]
    fn what_git_ignores_is_out_unless_it_is_tracked_or_asked_for() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("skills/pdf");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(root.path().join(".gitignore"), "*.log\n/skills/*/tests\n").unwrap();
        std::fs::create_dir_all(root.path().join(".git/info")).unwrap();
        std::fs::write(root.path().join(".git/info/exclude"), "run.sh\n").unwrap();
        let git = || Tracked {
            root: root.path().to_owned(),
            git_dir: root.path().join(".git"),
            files: ["keep.log".to_owned(), "tests/data/two.md".to_owned()].into(),
        };
        let of = |include: &[&str]| held(&Selection::new(&dir, &list(include), &[], Some(git())).unwrap());
        assert_eq!(of(&[]), ["SKILL.md", "keep.log", "tests/data/two.md"]);
        assert_eq!(of(&["*.log"]), ["a.log", "keep.log", "scripts/x.log"]);
        std::fs::write(root.path().join(".gitignore"), "/skills/\n").unwrap();
        let apart = Tracked { files: BTreeSet::new(), ..git() };
        assert_eq!(
            held(&Selection::new(&dir, &[], &[], Some(apart)).unwrap()),
            PATHS,
            "the directory itself is ignored"
        );
    }
}

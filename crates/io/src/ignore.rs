//! Which files of a directory are included: patterns in gitignore syntax, in manifests and in ignore files.
//!
//! ```text
//! include    of [package]: if there is any, only what it matches, and .gitignore is not read
//! exclude    of [package]: what it matches is out, `!pattern` is in
//! .skillpmignore, in any directory: the same, the nearest first
//! git        what is tracked is in; what .gitignore, .git/info/exclude and git's own ignore file match is out
//! ```
//!
//! The first of them that matches a path decides. An excluded directory is not descended into.
//! Only this module uses the crate `ignore`.

pub mod walk;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ::ignore::Match;
use ::ignore::gitignore::{Gitignore, GitignoreBuilder};

use skillpm_core::error::{Error, Result};

/// Largest file of patterns that is read, in bytes.
const IGNORE_MAX: u64 = 1 << 20;

/// Name of the ignore file whose patterns exclude files from a package; it may be in any directory.
pub const IGNORE_FILE: &str = ".skillpmignore";

/// What patterns say about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternVerdict {
    Included,
    Excluded,
}

/// The include, exclude and ignore patterns of one directory.
pub struct FileSelection {
    dir: PathBuf,
    include: Gitignore,
    exclude: Gitignore,
    git: Option<TrackedFiles>,
    files: RefCell<BTreeMap<PathBuf, Rc<Gitignore>>>,
    of_user: OnceCell<Gitignore>,
}

/// The state of the directory in git.
pub struct TrackedFiles {
    /// The root of the checkout.
    pub root: PathBuf,
    /// The git directory, which contains `info/exclude`.
    pub git_dir: PathBuf,
    /// The paths of tracked files, relative to the selected directory.
    pub files: BTreeSet<String>,
}

impl TrackedFiles {
    fn tracks(&self, path: &str, is_dir: bool) -> bool {
        if !is_dir {
            return self.files.contains(path);
        }
        let below = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        // The paths are sorted: the first from here on shows whether there is one at all.
        let mut from = self.files.range(below.clone()..);
        from.next().is_some_and(|first| first.starts_with(&below))
    }
}

impl FileSelection {
    /// The patterns for `dir`; `git` if it is in a checkout.
    ///
    /// # Errors
    /// If one of the given patterns is invalid; the error names it.
    pub fn new(
        dir: &Path,
        include: &[String],
        exclude: &[String],
        git: Option<TrackedFiles>,
    ) -> Result<FileSelection> {
        let mut selection = FileSelection {
            dir: dir.to_owned(),
            include: parse_patterns("include", include)?,
            exclude: parse_patterns("exclude", exclude)?,
            git,
            files: RefCell::default(),
            of_user: OnceCell::new(),
        };

        if selection
            .git
            .as_ref()
            .is_some_and(|git| selection.is_ignored_as_whole(git))
        {
            selection.git = None;
        }

        Ok(selection)
    }

    /// What git ignores in the directory `dir` of the checkout or project `git`, by the ignore files there and above. In a
    /// directory that is ignored as a whole, only the ignore files in it count.
    #[must_use]
    pub fn of_git(dir: &Path, git: TrackedFiles) -> FileSelection {
        let none = Gitignore::empty();
        let mut selection = FileSelection {
            dir: dir.to_owned(),
            include: none.clone(),
            exclude: none,
            git: None,
            files: RefCell::default(),
            of_user: OnceCell::new(),
        };

        let is_ignored = selection.is_ignored_as_whole(&git);
        let root = if is_ignored { dir.to_owned() } else { git.root };
        selection.git = Some(TrackedFiles { root, ..git });
        selection
    }

    /// Whether git ignores the whole directory, so that its patterns do not distinguish files in it.
    fn is_ignored_as_whole(&self, git: &TrackedFiles) -> bool {
        git.files.is_empty() && self.dir != git.root && !self.is_included_by_git(git, "", true)
    }

    /// Whether the directory belongs to a checkout, which does not ignore it as a whole.
    #[must_use]
    pub fn follows_git(&self) -> bool {
        self.git.is_some()
    }

    /// Whether a path, relative to the directory with `/`, is included; for a directory, whether to descend into it.
    #[must_use]
    pub fn includes(&self, path: &str, is_dir: bool) -> bool {
        let by_list = verdict_of(&self.exclude.matched(path, is_dir));
        // The author's own lists take precedence over git.
        if let Some(verdict) =
            by_list.or_else(|| self.nearest_file_verdict(IGNORE_FILE, &self.dir, path, is_dir))
        {
            return verdict == PatternVerdict::Included && (is_dir || self.is_included(path));
        }

        if !self.include.is_empty() {
            return is_dir || self.is_included(path);
        }

        self.git
            .as_ref()
            .is_none_or(|git| self.is_included_by_git(git, path, is_dir))
    }

    fn is_included(&self, path: &str) -> bool {
        self.include.is_empty()
            || self
                .include
                .matched_path_or_any_parents(path, false)
                .is_ignore()
    }

    /// Whether git tracks a path, or for a directory a file in it.
    #[must_use]
    pub fn tracks(&self, path: &str, is_dir: bool) -> bool {
        self.git
            .as_ref()
            .is_some_and(|git| git.tracks(path, is_dir))
    }

    fn is_included_by_git(&self, git: &TrackedFiles, path: &str, is_dir: bool) -> bool {
        // A tracked file is in even where a pattern matches it, as for git.
        if git.tracks(path, is_dir) {
            return true;
        }

        let found = self
            .nearest_file_verdict(".gitignore", &git.root, path, is_dir)
            .or_else(|| {
                let exclude = self.load_patterns(&git.git_dir.join("info/exclude"), &git.root);
                self.match_patterns(&exclude, &git.root, path, is_dir)
            });

        let of_user = self.of_user.get_or_init(user_ignore_file);
        found.or_else(|| self.match_patterns(of_user, &git.root, path, is_dir))
            != Some(PatternVerdict::Excluded)
    }

    /// The verdict of the nearest ignore file `name` from the path's directory up to `top`.
    fn nearest_file_verdict(
        &self,
        name: &str,
        top: &Path,
        path: &str,
        is_dir: bool,
    ) -> Option<PatternVerdict> {
        let place = self.dir.join(path);
        let dirs = place
            .parent()?
            .ancestors()
            .take_while(|dir| dir.starts_with(top));

        dirs.map(|dir| (self.load_patterns(&dir.join(name), dir), dir))
            .find_map(|(patterns, dir)| self.match_patterns(&patterns, dir, path, is_dir))
    }

    fn match_patterns(
        &self,
        patterns: &Gitignore,
        root: &Path,
        path: &str,
        is_dir: bool,
    ) -> Option<PatternVerdict> {
        let place = self.dir.join(path);
        // Patterns do not apply outside of their own root.
        let relative = place.strip_prefix(root).ok()?;
        verdict_of(&patterns.matched_path_or_any_parents(relative, is_dir))
    }

    /// The patterns in a file; empty if it does not exist or cannot be read. Invalid lines are ignored, as git does.
    fn load_patterns(&self, path: &Path, root: &Path) -> Rc<Gitignore> {
        // Each file is read once, however many paths are checked.
        let mut files = self.files.borrow_mut();
        files
            .entry(path.to_owned())
            .or_insert_with(|| Rc::new(read_patterns(path, root)))
            .clone()
    }
}

fn read_patterns(path: &Path, root: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    let text = super::disk::read_up_to(path, IGNORE_MAX)
        .ok()
        .flatten()
        .unwrap_or_default();

    // A byte order mark would make the first pattern match nothing.
    for line in String::from_utf8_lossy(&text)
        .trim_start_matches('\u{feff}')
        .lines()
    {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The user's global ignore file (`core.excludesFile`), which applies to all of their checkouts.
fn user_ignore_file() -> Gitignore {
    GitignoreBuilder::new("").build_global().0
}

fn verdict_of<T>(found: &Match<T>) -> Option<PatternVerdict> {
    match found {
        Match::None => None,
        Match::Ignore(_) => Some(PatternVerdict::Excluded),
        Match::Whitelist(_) => Some(PatternVerdict::Included),
    }
}

fn parse_patterns(key: &str, lines: &[String]) -> Result<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for line in lines {
        builder
            .add_line(None, line)
            .map_err(|cause| pattern_error(key, line, &cause))?;
    }

    builder
        .build()
        .map_err(|cause| pattern_error(key, &lines.join(" "), &cause))
}

fn pattern_error(key: &str, line: &str, cause: &::ignore::Error) -> Error {
    Error::usage(format!(
        "invalid pattern `{}` in `{key}`",
        line.escape_debug()
    ))
    .cause(cause.to_string())
    .help("use `.gitignore` syntax, such as `tests/`, `*.log` or `!keep.log`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 7] = [
        "SKILL.md",
        "a.log",
        "keep.log",
        "tests/one.md",
        "tests/data/two.md",
        "scripts/run.sh",
        "scripts/x.log",
    ];

    fn list(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    /// The included paths, as a walk finds them: below no excluded directory.
    fn included(selection: &FileSelection) -> Vec<&'static str> {
        let reached = |path: &str| {
            path.match_indices('/')
                .all(|(at, _)| selection.includes(&path[..at], true))
        };
        PATHS
            .into_iter()
            .filter(|path| reached(path) && selection.includes(path, false))
            .collect()
    }

    #[test]
    fn include_takes_and_exclude_takes_away() {
        let dir = tempfile::tempdir().unwrap();
        let of = |include: &[&str], exclude: &[&str]| {
            included(&FileSelection::new(dir.path(), &list(include), &list(exclude), None).unwrap())
        };
        assert_eq!(of(&[], &[]), PATHS);
        assert_eq!(
            of(&["**"], &["tests/**"]),
            [
                "SKILL.md",
                "a.log",
                "keep.log",
                "scripts/run.sh",
                "scripts/x.log"
            ]
        );
        assert_eq!(
            of(&["scripts/", "/*.md"], &["*.log"]),
            ["SKILL.md", "scripts/run.sh"]
        );
        assert_eq!(
            of(&[], &["*.log", "!/keep.log", "tests/data"]),
            ["SKILL.md", "keep.log", "tests/one.md", "scripts/run.sh"]
        );
    }

    #[test]
    fn an_invalid_pattern_is_named() {
        let error = FileSelection::new(Path::new("/"), &list(&["[z-a]"]), &[], None)
            .err()
            .unwrap();
        assert_eq!(error.message(), "invalid pattern `[z-a]` in `include`");
    }

    #[test]
    fn the_nearest_ignore_file_has_the_last_word() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("scripts")).unwrap();
        std::fs::write(dir.path().join(IGNORE_FILE), "*.log\ntests/\n").unwrap();
        std::fs::write(dir.path().join("scripts").join(IGNORE_FILE), "!x.log\n").unwrap();
        let selection = FileSelection::new(dir.path(), &[], &[], None).unwrap();
        assert_eq!(
            included(&selection),
            ["SKILL.md", "scripts/run.sh", "scripts/x.log"]
        );
    }

    #[test]
    fn ignored_files_are_excluded_unless_tracked_or_included() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("skills/pdf");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(root.path().join(".gitignore"), "*.log\n/skills/*/tests\n").unwrap();
        std::fs::create_dir_all(root.path().join(".git/info")).unwrap();
        std::fs::write(root.path().join(".git/info/exclude"), "run.sh\n").unwrap();
        let git = || TrackedFiles {
            root: root.path().to_owned(),
            git_dir: root.path().join(".git"),
            files: ["keep.log".to_owned(), "tests/data/two.md".to_owned()].into(),
        };
        let of = |include: &[&str]| {
            included(&FileSelection::new(&dir, &list(include), &[], Some(git())).unwrap())
        };
        assert_eq!(of(&[]), ["SKILL.md", "keep.log", "tests/data/two.md"]);
        assert_eq!(of(&["*.log"]), ["a.log", "keep.log", "scripts/x.log"]);
        std::fs::write(root.path().join(".gitignore"), "/skills/\n").unwrap();
        let apart = TrackedFiles {
            files: BTreeSet::new(),
            ..git()
        };
        assert_eq!(
            included(&FileSelection::new(&dir, &[], &[], Some(apart)).unwrap()),
            PATHS,
            "the directory itself is ignored"
        );
    }
}

//! Walks the files below a directory for skill discovery: in several threads, without following links, and
//! without files that git ignores, git's own, and those of package managers and compilers.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::ignore::{DirEntry, WalkBuilder, WalkState};
use serde::{Deserialize, Serialize};

use super::IGNORE_MAX;
use crate::disk;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::slashed;

/// An entry that is not a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiscoveredFile {
    /// Its path below the directory, with `/`.
    pub path: String,
    /// Its type.
    pub kind: DiscoveredKind,
}

/// The type of a [`DiscoveredFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DiscoveredKind {
    /// A regular file.
    File,
    /// A symbolic link, wherever it leads.
    Link,
    /// A device, a pipe, or a file whose name is not UTF-8.
    Special,
}

/// Whether ignore files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoredFiles {
    /// Files that git ignores are left out.
    Skipped,
    /// Ignored files are included.
    Included,
}

/// Everything below `dir` that is not a directory, sorted by path. `threads` is the number of threads: 0 is one for each
/// processor, and with 1 none is started.
///
/// Hidden directories are included; `.git`, `node_modules` and the `target` of cargo are not.
///
/// # Errors
/// If a directory cannot be read.
pub fn discover_files(
    dir: &Path,
    ignored: IgnoredFiles,
    threads: usize,
) -> Result<Vec<DiscoveredFile>> {
    // A filter can only return a bool, so the first error is kept here.
    let refused = Arc::new(Mutex::new(None));
    // The patterns of the directories above count, too.
    if ignored == IgnoredFiles::Skipped {
        dir.ancestors().try_for_each(check_pattern_files)?;
    }

    let mut builder = walk_builder(dir, ignored, &refused);
    builder.threads(threads);

    let gathered = Mutex::new(WalkResults::default());
    if threads == 1 {
        let mut batch = WalkBatch::new(&gathered);
        builder
            .build()
            .for_each(|entry| batch.add_entry(dir, entry));
    } else {
        builder.build_parallel().run(|| {
            let mut batch = WalkBatch::new(&gathered);
            Box::new(move |entry| {
                batch.add_entry(dir, entry);
                WalkState::Continue
            })
        });
    }

    if let Some(error) = lock(&refused).take() {
        return Err(error);
    }
    let mut gathered = gathered
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    // The smallest, so that the message does not depend on which thread was first.
    if let Some(fault) = gathered.faults.into_iter().min() {
        return Err(Error::disk(fault));
    }

    gathered.walked.sort_unstable();
    Ok(gathered.walked)
}

/// The walk below `dir`; `refused` gets the error of the first directory whose ignore files are refused.
fn walk_builder(
    dir: &Path,
    ignored: IgnoredFiles,
    refused: &Arc<Mutex<Option<Error>>>,
) -> WalkBuilder {
    let respects = ignored == IgnoredFiles::Skipped;
    let mut builder = WalkBuilder::new(dir);
    // Hidden directories may have skills (`.claude`); `.ignore` files are ripgrep's, not git's.
    builder.hidden(false).ignore(false).follow_links(false);

    let first_refused = Arc::clone(refused);
    builder.filter_entry(move |entry| {
        if is_skipped_directory(entry) {
            return false;
        }
        !respects || has_readable_patterns(entry, &first_refused)
    });

    builder
        .git_ignore(respects)
        .git_exclude(respects)
        .git_global(respects)
        .parents(respects);
    builder
}

/// Whether the ignore files of an entry can be read, if it is a directory; an error of them goes to `refused`.
fn has_readable_patterns(entry: &DirEntry, refused: &Mutex<Option<Error>>) -> bool {
    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return true;
    }
    match check_pattern_files(entry.path()) {
        Ok(()) => true,
        Err(error) => {
            lock(refused).get_or_insert(error);
            false
        }
    }
}

/// Refuses a directory whose ignore file is a pipe or too large: the crate `ignore` would wait for it, or
/// read all of it into memory.
fn check_pattern_files(dir: &Path) -> Result<()> {
    for name in [".gitignore", ".git/info/exclude"] {
        disk::check_readable(&dir.join(name), IGNORE_MAX)?;
    }
    Ok(())
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Default)]
struct WalkResults {
    walked: Vec<DiscoveredFile>,
    faults: Vec<String>,
}

/// The results of one thread, merged into the shared ones when it ends.
struct WalkBatch<'a> {
    gathered: &'a Mutex<WalkResults>,
    own: WalkResults,
}

impl<'a> WalkBatch<'a> {
    fn new(gathered: &'a Mutex<WalkResults>) -> Self {
        WalkBatch {
            gathered,
            own: WalkResults::default(),
        }
    }
    fn add_entry(&mut self, dir: &Path, entry: Result<DirEntry, ::ignore::Error>) {
        match entry {
            // A file that was removed meanwhile is not an error.
            Err(error)
                if error
                    .io_error()
                    .is_some_and(|io| io.kind() == std::io::ErrorKind::NotFound) => {}
            Err(error) => self
                .own
                .faults
                .push(format!("failed to walk `{}`: {error}", dir.display())),
            Ok(entry) => {
                let Some(kind) = entry
                    .file_type()
                    .filter(|kind| entry.depth() > 0 && !kind.is_dir())
                else {
                    return;
                };
                let path = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                self.own.walked.push(discovered_file(path, kind));
            }
        }
    }
}

impl Drop for WalkBatch<'_> {
    fn drop(&mut self) {
        let mut all = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        all.walked.append(&mut self.own.walked);
        all.faults.append(&mut self.own.faults);
    }
}

fn discovered_file(path: &Path, kind: FileType) -> DiscoveredFile {
    let kind = match path.to_str() {
        None => DiscoveredKind::Special,
        Some(_) if kind.is_symlink() => DiscoveredKind::Link,
        Some(_) if kind.is_file() => DiscoveredKind::File,
        Some(_) => DiscoveredKind::Special,
    };

    DiscoveredFile {
        path: slashed(path),
        kind,
    }
}

/// Whether a directory never contains hand-written skills.
fn is_skipped_directory(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return false;
    }
    match entry.file_name().to_str() {
        Some(".git" | "node_modules") => true,
        // Only cargo's own: a directory of skills may be called `target`.
        Some("target") => {
            let beside: PathBuf = entry.path().with_file_name("Cargo.toml");
            beside.exists() || entry.path().join("CACHEDIR.TAG").exists()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn slow_ignore_patterns_are_refused_in_every_file() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        for place in [
            ".gitignore",
            "a/.gitignore",
            "a/b/.gitignore",
            ".git/info/exclude",
        ] {
            let path = root.path().join(place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            disk::make_pipe(&path);
            for dir in ["", "a"] {
                let walked = discover_files(&root.path().join(dir), IgnoredFiles::Skipped, 2)
                    .map(|found| found.len());
                let error = walked.unwrap_err();
                let reason = format!("it is {}, not a regular file", disk::PIPE);
                assert!(error.message().ends_with(&reason), "{error:?}");
            }
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn hidden_directories_are_walked_and_ignored_ones_are_not() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        };
        for path in [
            ".claude/skills/a/SKILL.md",
            ".git/SKILL.md",
            "node_modules/b/SKILL.md",
            "out/c/SKILL.md",
            "rust/Cargo.toml",
            "rust/target/d/SKILL.md",
            "skills/target/SKILL.md",
        ] {
            write(path);
        }
        std::fs::write(root.path().join(".gitignore"), "out/\n").unwrap();
        let paths = |dir: &str, ignored: IgnoredFiles| {
            let walked = discover_files(&root.path().join(dir), ignored, 0).unwrap();
            walked.into_iter().map(|one| one.path).collect::<Vec<_>>()
        };
        let seen = [
            ".claude/skills/a/SKILL.md",
            ".gitignore",
            "rust/Cargo.toml",
            "skills/target/SKILL.md",
        ];
        assert_eq!(paths("", IgnoredFiles::Skipped), seen);
        assert_eq!(paths("", IgnoredFiles::Included).len(), seen.len() + 1);
        assert_eq!(
            paths("out", IgnoredFiles::Skipped),
            ["c/SKILL.md"],
            "what is named is looked at"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_listed_and_not_followed() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("a")).unwrap();
        std::os::unix::fs::symlink(root.path(), root.path().join("a/round")).unwrap();
        let walked = discover_files(root.path(), IgnoredFiles::Skipped, 1).unwrap();
        assert_eq!(
            walked,
            [DiscoveredFile {
                path: "a/round".into(),
                kind: DiscoveredKind::Link
            }]
        );
    }
}

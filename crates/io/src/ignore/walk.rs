//! What lies below a directory, as somebody who looks for skills sees it: several threads, no link followed, and nothing
//! of what git ignores, of git itself, or of what package managers and compilers leave.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::ignore::{DirEntry, WalkBuilder, WalkState};

use super::IGNORE_MAX;
use crate::error::{Error, Result};
use crate::io::disk;

/// One thing that is no directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Walked {
    /// Its path below the directory, with `/`.
    pub path: String,
    /// What it is.
    pub kind: Kind,
}

/// What a [`Walked`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link, wherever it leads.
    Link,
    /// A device, a pipe, or a file whose name is not UTF-8.
    Special,
}

/// Whether ignore files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ignored {
    /// What git ignores is passed over.
    Skipped,
    /// Everything is looked at.
    Included,
}

/// Everything below `dir` that is no directory, sorted by path; looked for by so many threads, or with 0 by as many as
/// there is use for.
///
/// Hidden directories are looked into. `.git`, `node_modules` and the `target` of cargo are not.
///
/// # Errors
/// If a directory cannot be read.
pub fn walk(dir: &Path, ignored: Ignored, threads: usize) -> Result<Vec<Walked>> {
    let respects = ignored == Ignored::Skipped;
    let refused = Arc::new(Mutex::new(None));
    if respects {
        dir.ancestors().try_for_each(check_patterns)?;
    }

    let mut builder = WalkBuilder::new(dir);
    builder.hidden(false).ignore(false).follow_links(false);
    let first_refused = Arc::clone(&refused);
    builder.filter_entry(move |entry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_foreign(entry) || !respects || !is_directory {
            return !is_foreign(entry);
        }
        let checked = check_patterns(entry.path());
        checked.map_err(|error| lock(&first_refused).get_or_insert(error).clone()).is_ok()
    });
    builder.git_ignore(respects).git_exclude(respects).git_global(respects).parents(respects);
    builder.threads(threads);
    let gathered = Mutex::new(Gathered::default());
    builder.build_parallel().run(|| {
        let mut own = Batch { gathered: &gathered, own: Gathered::default() };
        Box::new(move |entry| {
            own.take(dir, entry);
            WalkState::Continue
        })
    });
    if let Some(error) = lock(&refused).take() {
        return Err(error);
    }
    let mut gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(fault) = gathered.faults.into_iter().min() {
        return Err(Error::disk(fault));
    }
    gathered.walked.sort_unstable();
    Ok(gathered.walked)
}

/// Refuses a directory whose file of patterns would be waited for, or fill memory: `ignore` opens it by its name, and
/// reads all of it.
fn check_patterns(dir: &Path) -> Result<()> {
    for name in [".gitignore", ".git/info/exclude"] {
        disk::check_readable(&dir.join(name), IGNORE_MAX)?;
    }
    Ok(())
}

fn lock<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Default)]
struct Gathered {
    walked: Vec<Walked>,
    faults: Vec<String>,
}

/// What one thread has gathered; handed over when it ends.
struct Batch<'a> {
    gathered: &'a Mutex<Gathered>,
    own: Gathered,
}

impl Batch<'_> {
    fn take(&mut self, dir: &Path, entry: Result<DirEntry, ::ignore::Error>) {
        match entry {
            // A file that vanished meanwhile is none.
            Err(error) if error.io_error().is_some_and(|io| io.kind() == std::io::ErrorKind::NotFound) => {}
            Err(error) => self.own.faults.push(format!("below `{}`: {error}", dir.display())),
            Ok(entry) => {
                let Some(kind) = entry.file_type().filter(|kind| entry.depth() > 0 && !kind.is_dir()) else { return };
                let path = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                self.own.walked.push(walked(path, kind));
            }
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut all = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        all.walked.append(&mut self.own.walked);
        all.faults.append(&mut self.own.faults);
    }
}

fn walked(path: &Path, kind: FileType) -> Walked {
    let kind = match path.to_str() {
        None => Kind::Special,
        Some(_) if kind.is_symlink() => Kind::Link,
        Some(_) if kind.is_file() => Kind::File,
        Some(_) => Kind::Special,
    };
    let path = path.to_string_lossy();
    Walked { path: if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }, kind }
}

/// Whether a directory is no place for skills that somebody wrote.
fn is_foreign(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return false;
    }
    match entry.file_name().to_str() {
        Some(".git" | "node_modules") => true,
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
    fn patterns_that_would_be_waited_for_are_refused_wherever_they_are() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        for place in [".gitignore", "a/.gitignore", "a/b/.gitignore", ".git/info/exclude"] {
            let path = root.path().join(place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            disk::make_pipe(&path);
            for dir in ["", "a"] {
                let walked = walk(&root.path().join(dir), Ignored::Skipped, 2).map(|found| found.len());
                let error = walked.unwrap_err();
                assert!(error.message().ends_with("it is a pipe, not a regular file"), "{error:?}");
            }
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn hidden_places_are_seen_and_what_git_ignores_is_not() {
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
        let paths = |dir: &str, ignored: Ignored| {
            let walked = walk(&root.path().join(dir), ignored, 0).unwrap();
            walked.into_iter().map(|one| one.path).collect::<Vec<_>>()
        };
        let seen = [".claude/skills/a/SKILL.md", ".gitignore", "rust/Cargo.toml", "skills/target/SKILL.md"];
        assert_eq!(paths("", Ignored::Skipped), seen);
        assert_eq!(paths("", Ignored::Included).len(), seen.len() + 1);
        assert_eq!(paths("out", Ignored::Skipped), ["c/SKILL.md"], "what is named is looked at");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_told_and_not_followed() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("a")).unwrap();
        std::os::unix::fs::symlink(root.path(), root.path().join("a/round")).unwrap();
        let walked = walk(root.path(), Ignored::Skipped, 1).unwrap();
        assert_eq!(walked, [Walked { path: "a/round".into(), kind: Kind::Link }]);
    }
}

//! What lies in a directory, as text that two moments can be compared by.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

/// Every file below a directory: mode, digest and path, one a line, sorted. A directory without any file in it is
/// listed too, for it is litter.
///
/// ```text
/// - 4f1a… skills/pdf/SKILL.md
/// x 90bc… skills/pdf/scripts/run.sh
/// l ../elsewhere skills/link
/// d skills/empty
/// ```
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Listing(BTreeMap<String, String>);

impl Listing {
    /// What lies below `dir`; nothing if it does not exist.
    pub(crate) fn of(dir: &Path) -> Self {
        let mut entries = BTreeMap::new();
        if dir.is_dir() {
            collect(dir, "", &mut entries);
        }
        Listing(entries)
    }

    /// The paths alone.
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Whether nothing is there.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The listing without the paths that `drop` holds for.
    pub(crate) fn without(mut self, drop: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|path, _| !drop(path));
        self
    }

    /// The names directly below the directory, sorted.
    pub(crate) fn top(&self) -> Vec<&str> {
        let mut names: Vec<_> = self
            .0
            .keys()
            .map(|path| path.split('/').next().unwrap_or(path))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn collect(dir: &Path, prefix: &str, into: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            into.insert(
                path,
                format!("l {}", fs::read_link(entry.path()).unwrap().display()),
            );
        } else if kind.is_dir() {
            let before = into.len();
            collect(&entry.path(), &format!("{path}/"), into);
            if into.len() == before {
                into.insert(path, "d".to_owned());
            }
        } else {
            let digest = hex::encode(Sha256::digest(fs::read(entry.path()).unwrap()));
            into.insert(
                path,
                format!("{} {digest}", mode(&entry.metadata().unwrap())),
            );
        }
    }
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> char {
    use std::os::unix::fs::PermissionsExt;
    if metadata.permissions().mode() & 0o111 == 0 {
        '-'
    } else {
        'x'
    }
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> char {
    '-'
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(path, what)| writeln!(f, "{what} {path}"))
    }
}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

/// A directory as it was at one moment.
#[must_use = "a snapshot that is not looked at again proves nothing"]
pub(crate) struct Snapshot {
    pub(super) dir: std::path::PathBuf,
    pub(super) before: Listing,
}

impl Snapshot {
    /// The project's files at this moment. skillpm's lock files and its `.gitignore` hold nothing of the user's and
    /// are left out; so is `.skillpm` itself if there is nothing else in it.
    pub(super) fn of(dir: &Path) -> Self {
        Snapshot {
            dir: dir.to_owned(),
            before: Self::look(dir),
        }
    }

    fn look(dir: &Path) -> Listing {
        let ours = [
            ".skillpm",
            ".skillpm/.gitignore",
            ".skillpm/lock",
            ".skillpm/.lock",
            ".skillpm/project.lock",
        ];
        Listing::of(dir).without(|path| ours.contains(&path))
    }

    /// Fails unless every file is what it was, and none came or went.
    #[track_caller]
    pub(crate) fn still_holds(&self) {
        let now = Self::look(&self.dir);
        let gone: Vec<_> = self
            .before
            .0
            .iter()
            .filter(|entry| now.0.get(entry.0) != Some(entry.1))
            .collect();
        let come: Vec<_> = now
            .0
            .iter()
            .filter(|entry| self.before.0.get(entry.0) != Some(entry.1))
            .collect();
        assert!(
            gone.is_empty() && come.is_empty(),
            "the disk was touched\n  was: {gone:#?}\n  is: {come:#?}"
        );
    }
}

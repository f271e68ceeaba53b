//! Our copy of a remote repository's objects: a bare repository in `$SKILLPM_HOME/git/`, one a URL, that any number of
//! processes fill at once.
//!
//! ```text
//! skills-3f2a90c14d5e6b78/          a bare repository, never a complete one: git itself should not fetch from it
//! ├── objects/pack/pack-….pack      one a fetch; it lands by rename, whole or not at all
//! ├── skillpm.json                  what the host said last: references and abilities (see `memory`)
//! └── born                          a random word, which tells that another process has begun it anew
//! skills-3f2a90c14d5e6b78.lock      held, shared, while somebody works in it
//! .lock                             held while a folder is begun
//! ```
//!
//! It holds nothing that cannot be fetched again, so a folder in which anything is amiss is dropped, never mended.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::objects::Objects;
use crate::error::{Context, Error, Result};
use crate::io::disk::{Act, TEMPORARY, moment, touch_open};
use crate::package::{GitUrl, Sha256};

/// More packs than this make every look-up slow; the folder is begun afresh.
const PACKS_MAX: usize = 128;

/// The folder of one URL.
pub(super) struct Folder {
    path: PathBuf,
    /// The word of the folder as it was opened.
    born: Option<String>,
    /// Shared with everybody who works in the folder; its end is the file's end.
    _lock: Option<File>,
}

impl Folder {
    /// Opens the folder of `url` below `root`, and makes it if it is not there or not whole.
    pub(super) fn open(root: &Path, url: &GitUrl) -> Result<(Folder, Objects)> {
        if !root.is_dir() {
            moment(Act::Make, root).context(|| format!("could not create `{}`", root.display()))?;
        }
        fs::create_dir_all(root).context(|| format!("could not create `{}`", root.display()))?;
        let path = root.join(name(url));
        let lock = tidy_and_lock(&path);
        let mut folder = Folder { born: born(&path), path, _lock: lock };
        let objects = match folder.open_sound() {
            Some(objects) => objects,
            None => folder.renew(None)?,
        };
        Ok((folder, objects))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that packs are written to.
    pub(super) fn packs(&self) -> PathBuf {
        self.path.join("objects/pack")
    }

    /// Drops the folder and begins an empty one that is built on `hash`, or on SHA-1 if that is not known; unless
    /// another process has done so meanwhile.
    ///
    /// Others who have it open keep reading what they have mapped, and find the new one when they look again.
    pub(super) fn renew(&mut self, hash: Option<gix::hash::Kind>) -> Result<Objects> {
        let _turn = lock_beginning(&self.path);
        let now = born(&self.path);
        if now.is_some()
            && now != self.born
            && let Some(objects) = self.open_sound()
            && hash.is_none_or(|hash| hash == objects.hash())
        {
            self.born = now;
            return Ok(objects);
        }
        self.replace(hash.unwrap_or(gix::hash::Kind::Sha1))
            .context(|| format!("could not write `{}`", self.path.display()))?;
        self.born = born(&self.path);
        Objects::open(&self.path).map_err(|cause| {
            Error::disk(format!("could not open `{}`", self.path.display()))
                .cause(cause.to_string())
                .help("remove it; it holds nothing that cannot be fetched again")
        })
    }

    fn replace(&self, hash: gix::hash::Kind) -> std::io::Result<()> {
        let fresh = self.stage()?;
        lay_out(fresh.path(), hash)?;
        if self.path.symlink_metadata().is_ok() {
            let old = self.stage()?;
            moment(Act::Rename, &self.path)?;
            fs::rename(&self.path, old.path().join("dropped"))?;
        }
        moment(Act::Rename, &self.path)?;
        fs::rename(fresh.path(), &self.path)
    }

    fn open_sound(&self) -> Option<Objects> {
        if is_sound(&self.path) { Objects::open(&self.path).ok() } else { None }
    }

    /// A directory beside the folder, which goes away with the value.
    fn stage(&self) -> std::io::Result<tempfile::TempDir> {
        moment(Act::Make, &self.path)?;
        tempfile::Builder::new().prefix(&stage_prefix(&self.path)).tempdir_in(root_of(&self.path))
    }
}

/// Whether every pack is as long as its index says. A shorter one must never be mapped, since reading past its end
/// ends the process.
pub(super) fn is_sound(path: &Path) -> bool {
    let Ok(packs) = fs::read_dir(path.join("objects/pack")) else { return false };
    packs.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ext| ext == "idx")).all(
        |index| {
            let pack = index.with_extension("pack");
            let hash = digest_length(&index);
            // An index ends with the pack's checksum and then its own.
            let promised = tail(&index, 2 * hash).map(|bytes| bytes[..hash].to_vec());
            promised.is_some() && promised == tail(&pack, hash)
        },
    )
}

/// How many bytes the digests in a pack or its index have, as its name tells.
pub(super) fn digest_length(file: &Path) -> usize {
    if file.file_stem().map_or(0, std::ffi::OsStr::len) > 60 { 32 } else { 20 }
}

/// `skills-3f2a90c14d5e6b78`: for people the repository's name, for the rest a digest of its URL.
pub(super) fn name(url: &GitUrl) -> String {
    let digest = Sha256::of(url.as_str().as_bytes()).to_string();
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = url.repository().chars().filter(plain).take(64).collect();
    format!("{name}-{}", &digest[..16])
}

/// Takes the folder's lock. Whoever finds nobody else in it first clears away what killed processes left.
///
/// Some network file systems know no locks; all that is lost there is the tidying.
fn tidy_and_lock(path: &Path) -> Option<File> {
    let lock = path.with_added_extension("lock");
    let lock = File::options().create(true).truncate(false).write(true).open(lock).ok()?;
    if lock.try_lock().is_ok() {
        tidy(path);
        let _ = lock.unlock();
    }
    let _ = lock.lock_shared();
    // `cache prune` goes by it.
    touch_open(&lock);
    Some(lock)
}

fn tidy(path: &Path) {
    let stages = fs::read_dir(root_of(path)).into_iter().flatten().flatten();
    for stage in stages.filter(|entry| entry.file_name().to_string_lossy().starts_with(&stage_prefix(path))) {
        let _ = fs::remove_dir_all(stage.path());
    }
    let loose = fs::read_dir(path).into_iter().flatten().flatten();
    for file in loose.filter(|entry| entry.file_name().to_string_lossy().starts_with(TEMPORARY)) {
        let _ = fs::remove_file(file.path());
    }
    let Ok(packs) = fs::read_dir(path.join("objects/pack")) else { return };
    let mut count = 0;
    for entry in packs.flatten().map(|entry| entry.path()) {
        match entry.extension().and_then(|ext| ext.to_str()) {
            Some("pack") => count += 1,
            Some("idx") => {}
            _ => drop(fs::remove_file(&entry)),
        }
    }
    if count > PACKS_MAX {
        let _ = fs::remove_dir_all(path);
    }
}

fn root_of(path: &Path) -> &Path {
    path.parent().expect("a folder lies below the root")
}

fn born(path: &Path) -> Option<String> {
    fs::read_to_string(path.join("born")).ok()
}

/// Waits for its turn to begin a folder. Where locks are not known, two who begin at once may have to try again.
fn lock_beginning(path: &Path) -> Option<File> {
    lock_root(root_of(path))
}

/// Waits for its turn to begin anything below the root.
pub(super) fn lock_root(root: &Path) -> Option<File> {
    let lock = File::options().create(true).truncate(false).write(true).open(root.join(".lock")).ok()?;
    lock.lock().ok()?;
    Some(lock)
}

fn stage_prefix(path: &Path) -> String {
    format!(".stage-{}-", path.file_name().unwrap_or_default().display())
}

/// The least that makes a directory a bare repository.
pub(super) fn lay_out(path: &Path, hash: gix::hash::Kind) -> std::io::Result<()> {
    for directory in ["objects/pack", "objects/info", "refs/heads", "refs/tags"] {
        moment(Act::Make, &path.join(directory))?;
        fs::create_dir_all(path.join(directory))?;
    }
    moment(Act::Write, path)?;
    fs::write(path.join("HEAD"), "ref: refs/heads/main\n")?;
    // The staging directory has a random name, which is all that is wanted of the word.
    fs::write(path.join("born"), path.as_os_str().as_encoded_bytes())?;
    moment(Act::Write, path)?;
    let format = match hash {
        gix::hash::Kind::Sha256 => {
            "repositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
        }
        _ => "repositoryformatversion = 0\n\tbare = true\n",
    };
    fs::write(path.join("config"), format!("[core]\n\t{format}"))
}

/// The last `length` bytes of a file.
pub(super) fn tail(path: &Path, length: usize) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::End(-i64::try_from(length).ok()?)).ok()?;
    let mut bytes = Vec::with_capacity(length);
    file.read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_url_has_a_folder_of_its_own_with_a_plain_name() {
        let name = |url: &str| name(&url.parse().unwrap());
        assert!(name("gh:obra/superpowers").starts_with("superpowers-"));
        assert_ne!(name("gh:obra/superpowers"), name("gh:other/superpowers"));
        assert!(name("https://h/a/%7e%20x~y").bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
    }

    #[test]
    fn what_killed_processes_left_is_cleared_by_the_next_one_alone() {
        let root = tempfile::tempdir().unwrap();
        let url: GitUrl = "gh:obra/superpowers".parse().unwrap();
        let (first, _) = Folder::open(root.path(), &url).unwrap();
        let litter = first.packs().join(".tmpAbCdE");
        fs::write(&litter, "half a pack").unwrap();
        fs::create_dir(root.path().join(stage_prefix(first.path()) + "x")).unwrap();
        let second = Folder::open(root.path(), &url).unwrap();
        assert!(litter.exists(), "somebody else may still be writing it");
        drop((first, second));
        Folder::open(root.path(), &url).unwrap();
        assert!(!litter.exists());
        let left: Vec<_> = fs::read_dir(root.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left.len(), 3, "the folder, its lock and the lock of all: {left:?}");
    }
}

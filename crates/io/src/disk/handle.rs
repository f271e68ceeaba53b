//! Directories held open, so that what is put into one gets there, whatever becomes of the way that led to it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, mkdirat, openat, renameat, renameat_with, statat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;

use super::swap::Identity;
use super::tree::{DIRECTORY, NEW_FILE, disk_error};
use super::{Act, Stamp, lstat, may_write, moment, real_path};
use crate::error::{Context, Error, Result};
use crate::package::Tree;

/// A directory on the way to another: it has to let pass, and not to be read.
#[cfg(target_os = "linux")]
const ON_THE_WAY: OFlags = DIRECTORY.union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
const ON_THE_WAY: OFlags = DIRECTORY;

/// Whether something was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// It was.
    Yes,
    /// It was not, as it belongs to a lower layer of an overlay (to an earlier one of a container's image): a directory of
    /// such a layer can be emptied and removed, and not be moved. Or `from` and `to` lie on two file systems.
    Never,
}

impl Moved {
    /// That it was.
    ///
    /// # Errors
    /// If it was not.
    pub fn done(self, path: &Path) -> Result<()> {
        match self {
            Moved::Yes => Ok(()),
            Moved::Never => {
                let failed: Result<()> =
                    Err(io::Error::from(Errno::XDEV)).context(|| format!("could not move `{}`", path.display()));
                failed
            }
        }
    }
}

/// Where something waits that is to go back to a place from which it cannot simply be exchanged.
#[must_use]
pub fn aside(staged: &Path) -> PathBuf {
    let mut name = staged.file_name().unwrap_or_default().to_owned();
    name.push(".aside");
    staged.with_file_name(name)
}

/// The directories that one piece of work has to do with, each opened once and then held.
///
/// A directory inside `root` is refused where links lead out of it. Where links lead is asked once; the directory that
/// they led to is then opened through none, so that a link that is planted in between is refused or passed by.
#[derive(Debug)]
pub struct Handles {
    root: PathBuf,
    open: BTreeMap<PathBuf, File>,
}

impl Handles {
    /// None yet, for work in and around `root`.
    #[must_use]
    pub fn around(root: &Path) -> Handles {
        Handles { root: root.to_owned(), open: BTreeMap::new() }
    }

    /// Opens a directory, and makes what is not there of it.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if a link leads out of the root; else if the system refuses.
    pub fn make(&mut self, dir: &Path) -> Result<()> {
        if !self.open.contains_key(dir) {
            let open = self.walk(dir, Missing::IsMade)?;
            self.open.insert(dir.to_owned(), open);
        }
        Ok(())
    }

    /// Which file or directory stands at a path, links not followed; `None` if nothing does.
    ///
    /// # Errors
    /// If the system refuses to say.
    pub fn identity(&mut self, path: &Path) -> Result<Option<Identity>> {
        if !self.open.contains_key(dir_of(path)) && lstat(dir_of(path))?.is_none() {
            return Ok(None);
        }
        let (dir, name) = self.split(path)?;
        match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            #[expect(clippy::useless_conversion, reason = "their types differ between systems")]
            Ok(stat) => Ok(Some(Identity(stat.st_dev.try_into().unwrap_or(0), stat.st_ino.into()))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(io::Error::from(errno)).context(|| format!("could not look at `{}`", path.display())),
        }
    }

    /// Writes a tree into a new directory, and says how it looks right after.
    ///
    /// # Errors
    /// If something is there already, or the disk refuses.
    pub fn write_tree(&mut self, path: &Path, tree: &Tree) -> Result<Stamp> {
        let (dir, name) = self.split(path)?;
        super::tree::write_tree_in(dir, (name, path), tree)
    }

    /// Writes a new file.
    ///
    /// # Errors
    /// As [`Handles::write_tree`].
    pub fn write_file(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let (dir, name) = self.split(path)?;
        let write = || {
            moment(Act::Make, path)?;
            let mut file = File::from(openat(dir, name, NEW_FILE, Mode::from_raw_mode(0o666))?);
            moment(Act::Write, path)?;
            file.write_all(bytes)
        };
        write().context(|| format!("could not write `{}`", path.display()))
    }

    /// Makes a symbolic link.
    ///
    /// # Errors
    /// As [`Handles::write_tree`].
    pub fn make_link(&mut self, path: &Path, target: &Path) -> Result<()> {
        let (dir, name) = self.split(path)?;
        let made = moment(Act::Make, path).and_then(|()| Ok(symlinkat(target, dir, name)?));
        made.context(|| format!("could not make the link `{}`", path.display()))
    }

    /// Moves what stands at `from` to `to`, where nothing may stand.
    ///
    /// # Errors
    /// If something stands there, or the system refuses.
    pub fn move_into_place(&mut self, from: &Path, to: &Path) -> Result<Moved> {
        match self.rename(from, to, RenameFlags::NOREPLACE)? {
            Err(Errno::XDEV) => Ok(Moved::Never),
            Err(Errno::EXIST) => Err(Error::negative(format!("`{}` is there already", to.display()))),
            // A file system without that flag: look, then rename.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if self.identity(to)?.is_none() => {
                self.rename_plainly(from, to).map(|()| Moved::Yes)
            }
            moved => moved.map(|()| Moved::Yes).map_err(io::Error::from).context(|| {
                // Who may not take something away from where it is, has nothing to see to where it was to go.
                let is_held = [dir_of(from), from].into_iter().any(|path| !may_write(path));
                if is_held {
                    format!("could not take away `{}`", from.display())
                } else {
                    format!("could not write `{}`", to.display())
                }
            }),
        }
    }

    /// Exchanges two things, so that either place holds the one or the other at every instant.
    ///
    /// # Errors
    /// If one of them is missing, or the system refuses.
    pub fn exchange(&mut self, staged: &Path, place: &Path) -> Result<Moved> {
        match self.rename(staged, place, RenameFlags::EXCHANGE)? {
            Err(Errno::XDEV) => Ok(Moved::Never),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.exchange_by_moves(staged, place).map(|()| Moved::Yes)
            }
            done => {
                let done = done.map(|()| Moved::Yes).map_err(io::Error::from);
                done.context(|| format!("could not replace `{}`", place.display()))
            }
        }
    }

    /// The same on file systems without an exchange: there is an instant at which `place` is not there.
    fn exchange_by_moves(&mut self, staged: &Path, place: &Path) -> Result<()> {
        let aside = aside(staged);
        self.rename_plainly(place, &aside)?;
        if let Err(error) = self.rename_plainly(staged, place) {
            self.rename_plainly(&aside, place)?;
            return Err(error);
        }
        self.rename_plainly(&aside, staged)
    }

    /// Removes whatever stands at a path, and what is below it, through no link; nothing if nothing does.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove(&mut self, path: &Path) -> Result<()> {
        let (dir, name) = self.split(path)?;
        let removed = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
                super::removal::remove_in(dir, name, path)
            }
            Ok(_) => moment(Act::Remove, path).and_then(|()| Ok(unlinkat(dir, name, AtFlags::empty())?)),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno.into()),
        };
        removed.context(|| format!("could not remove `{}`", path.display()))
    }

    fn rename_plainly(&mut self, from: &Path, to: &Path) -> Result<()> {
        let renamed = self.rename(from, to, RenameFlags::empty())?.map_err(io::Error::from);
        renamed.context(|| format!("could not move `{}` to `{}`", from.display(), to.display()))
    }

    /// Renames, and tells what the system said to that where it could be asked.
    fn rename(&mut self, from: &Path, to: &Path, flags: RenameFlags) -> Result<std::result::Result<(), Errno>> {
        self.hold(dir_of(from))?;
        self.hold(dir_of(to))?;
        moment(Act::Rename, to).context(|| format!("could not write `{}`", to.display()))?;
        let (from_dir, to_dir) = (&self.open[dir_of(from)], &self.open[dir_of(to)]);
        let names = (from.file_name().unwrap_or_default(), to.file_name().unwrap_or_default());
        if flags.is_empty() {
            return Ok(renameat(from_dir, names.0, to_dir, names.1));
        }
        Ok(renameat_with(from_dir, names.0, to_dir, names.1, flags))
    }

    /// Makes the names in these directories durable.
    ///
    /// # Errors
    /// If the disk reports that it could not.
    pub fn sync<'p>(&mut self, dirs: impl IntoIterator<Item = &'p Path>) -> Result<()> {
        for dir in dirs {
            let synced = super::sync_file(self.hold(dir)?, dir);
            synced.context(|| format!("could not write `{}` to the disk", dir.display()))?;
        }
        Ok(())
    }

    /// Whether a directory, if it was opened, is still found where it was then.
    #[must_use]
    pub fn is_still_at(&self, dir: &Path) -> bool {
        let identity = |meta: &fs::Metadata| (meta.dev(), meta.ino());
        let Some(held) = self.open.get(dir) else { return true };
        matches!((held.metadata(), fs::metadata(dir)), (Ok(held), Ok(there)) if identity(&held) == identity(&there))
    }

    fn split<'p>(&mut self, path: &'p Path) -> Result<(&File, &'p OsStr)> {
        let name = path.file_name().unwrap_or_default();
        Ok((self.hold(dir_of(path))?, name))
    }

    fn hold(&mut self, dir: &Path) -> Result<&File> {
        if !self.open.contains_key(dir) {
            let open = self.walk(dir, Missing::Fails)?;
            self.open.insert(dir.to_owned(), open);
        }
        Ok(&self.open[dir])
    }

    /// Opens a directory from the top, through no link but those that were there when it was asked where they lead.
    fn walk(&self, dir: &Path, if_missing: Missing) -> Result<File> {
        let there = dir.ancestors().find(|above| matches!(lstat(above), Ok(Some(_)))).unwrap_or(dir);
        let missing = dir.strip_prefix(there).unwrap_or(Path::new(""));
        let real = real_path(there);
        if dir.starts_with(&self.root) && !real.starts_with(real_path(&self.root)) && there.starts_with(&self.root) {
            return Err(planted(dir, &format!("it leads to `{}`", real.display())));
        }
        let failed = |errno| disk_error(errno, "open", dir);
        let mut open: File = openat(CWD, "/", ON_THE_WAY, Mode::empty()).map_err(failed)?.into();
        for part in real.components().filter_map(normal) {
            open = step(&open, part, dir)?;
        }
        let mut logical = there.to_owned();
        for part in missing.components().filter_map(normal) {
            logical.push(part);
            if if_missing == Missing::Fails {
                return Err(failed(Errno::NOENT));
            }
            moment(Act::Make, &logical)
                .and_then(|()| match mkdirat(&open, part, Mode::from_raw_mode(0o777)) {
                    // Somebody else was faster; what it is shows on opening.
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    Err(errno) => Err(errno.into()),
                })
                .context(|| format!("could not make directory `{}`", logical.display()))?;
            open = step(&open, part, dir)?;
        }
        // What is held is read and synced, too.
        Ok(openat(&open, ".", DIRECTORY, Mode::empty()).map_err(failed)?.into())
    }
}

/// What is done about a directory that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    IsMade,
    Fails,
}

/// What has to be made for a directory to be there, outermost first.
#[must_use]
pub fn missing(dir: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        dir.ancestors().take_while(|path| matches!(lstat(path), Ok(None))).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn normal(part: Component<'_>) -> Option<&OsStr> {
    if let Component::Normal(part) = part { Some(part) } else { None }
}

fn dir_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Goes one directory down, through no link, on the way to `dir`.
fn step(above: &File, part: &OsStr, dir: &Path) -> Result<File> {
    openat(above, part, ON_THE_WAY, Mode::empty()).map(File::from).map_err(|errno| {
        let stat = statat(above, part, AtFlags::SYMLINK_NOFOLLOW);
        let is_link = stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        if is_link { planted(dir, "it is where a directory was, or was to be") } else { disk_error(errno, "open", dir) }
    })
}

fn planted(dir: &Path, why: &str) -> Error {
    Error::integrity(format!("a link stands in the way to `{}`", dir.display()))
        .note(why)
        .help("remove the link, and run the command again")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", b"x".to_vec(), false).unwrap();
        tree.finish()
    }

    #[test]
    fn what_is_missing_is_told_and_made() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let mut handles = Handles::around(&root);
        assert_eq!(missing(&root.join("a/b")), [root.join("a"), root.join("a/b")]);
        handles.make(&root.join("a/b")).unwrap();
        assert!(missing(&root.join("a/b")).is_empty());
        handles.write_tree(&root.join("a/b/skill"), &tree()).unwrap();
        handles.write_file(&root.join("a/b/text"), b"text").unwrap();
        handles.make_link(&root.join("a/b/link"), Path::new("skill")).unwrap();
        assert_eq!(super::super::names(&root.join("a/b")).unwrap(), ["link", "skill", "text"]);
        assert!(handles.write_file(&root.join("a/b/text"), b"other").is_err());
        assert_eq!(handles.identity(&root.join("none/x")).unwrap(), None);
    }

    #[test]
    fn things_are_exchanged_and_moved_but_never_over_another() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let mut handles = Handles::around(&root);
        let (a, b, c) = (root.join("a"), root.join("b"), root.join("c"));
        handles.write_file(&a, b"a").unwrap();
        handles.write_file(&b, b"b").unwrap();
        let before = (handles.identity(&a).unwrap(), handles.identity(&b).unwrap());
        handles.exchange(&a, &b).unwrap();
        assert_eq!((handles.identity(&b).unwrap(), handles.identity(&a).unwrap()), before);
        handles.exchange_by_moves(&a, &b).unwrap();
        assert_eq!((handles.identity(&a).unwrap(), handles.identity(&b).unwrap()), before);
        assert!(handles.move_into_place(&a, &b).unwrap_err().message().ends_with("is there already"));
        handles.move_into_place(&a, &c).unwrap();
        assert_eq!(handles.identity(&c).unwrap(), before.0);
    }

    #[test]
    fn a_link_that_leads_out_is_refused_and_one_that_stays_in_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (root, out) = (dir.path().canonicalize().unwrap().join("root"), dir.path().join("out"));
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(&out).unwrap();
        symlink(&out, root.join("leads-out")).unwrap();
        symlink("in", root.join("stays")).unwrap();
        let mut handles = Handles::around(&root);
        let error = handles.make(&root.join("leads-out/deep")).unwrap_err();
        assert_eq!(error.kind(), crate::error::Kind::Integrity);
        handles.make(&root.join("stays/deep")).unwrap();
        assert_eq!(super::super::names(&root.join("in")).unwrap(), ["deep"]);
        assert!(super::super::is_empty(&out).unwrap());
    }

    #[test]
    fn a_directory_that_is_held_stays_the_one_that_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let (root, out) = (dir.path().canonicalize().unwrap().join("root"), dir.path().join("out"));
        fs::create_dir(&out).unwrap();
        fs::create_dir_all(root.join("skills")).unwrap();
        let mut handles = Handles::around(&root);
        handles.make(&root.join("skills")).unwrap();
        assert!(handles.is_still_at(&root.join("skills")));
        fs::rename(root.join("skills"), root.join("moved")).unwrap();
        symlink(&out, root.join("skills")).unwrap();
        handles.write_tree(&root.join("skills/demo"), &tree()).unwrap();
        assert!(super::super::is_empty(&out).unwrap());
        assert!(root.join("moved/demo/SKILL.md").exists());
        assert!(!handles.is_still_at(&root.join("skills")));
    }
}

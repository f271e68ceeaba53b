//! Open directory handles, so that a write goes to the checked directory even if its path is replaced meanwhile.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

use super::tree::disk_error;
use super::{
    DiskOperation, FileModes, TEMPORARY_PREFIX, TreeStamp, failpoint, is_absent, is_writable,
    lstat, real_path,
};
use crate::platform::{
    FileIdentity, FileKind, HAS_FILE_SYSTEM_SYNC, NewFileMode, OpenDirectory, RenameMode,
    is_link_refusal,
};
use skillpm_core::error::{Error, ErrorContext, Result};
use skillpm_core::package::Tree;

/// How many directories are synced one by one where the whole file system can be synced as reliably, and as fast since it was
/// just before.
const SYNCED_DIRECTORIES: usize = 2;
/// How many files, with their directories, are synced one by one there.
const SYNCED_FILES: usize = 2;

/// The result of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveOutcome {
    /// The path was moved.
    Moved,
    /// The path was not moved (`EXDEV`): it belongs to a lower layer of an overlay (an earlier one of a
    /// container's image), whose directories can be emptied and removed, but not renamed, or the two paths are
    /// on two file systems.
    Unmovable,
}

impl MoveOutcome {
    /// Turns [`MoveOutcome::Unmovable`] into an error.
    ///
    /// # Errors
    /// If the path was not moved.
    pub fn require_moved(self, path: &Path) -> Result<()> {
        match self {
            MoveOutcome::Moved => Ok(()),
            MoveOutcome::Unmovable => {
                let failed: Result<()> = Err(io::Error::from(ErrorKind::CrossesDevices))
                    .context(|| format!("failed to move `{}`", path.display()));
                failed
            }
        }
    }
}

/// The temporary path of the old content when two paths are exchanged by renames.
#[must_use]
pub fn aside_path(staged: &Path) -> PathBuf {
    let mut name = staged.file_name().unwrap_or_default().to_owned();
    name.push(".aside");
    staged.with_file_name(name)
}

/// The directories of one operation, each opened once and kept open.
///
/// A directory inside `root` is refused if links lead out of it. Links are resolved once; the resolved directory
/// is then opened without following links, so that a link planted in between is refused or has no effect. In the directory
/// of skillpm's own files no link is followed at all.
#[derive(Debug)]
pub struct DirectoryHandles {
    root: PathBuf,
    own: Option<PathBuf>,
    open: BTreeMap<PathBuf, OpenDirectory>,
}

impl DirectoryHandles {
    /// Starts without open directories, for work in and around `root`.
    #[must_use]
    pub fn new(root: &Path) -> DirectoryHandles {
        DirectoryHandles {
            root: root.to_owned(),
            own: None,
            open: BTreeMap::new(),
        }
    }

    /// As [`DirectoryHandles::new`], with the directory `own` in `root`: neither it nor anything below it may be a link, even
    /// one that stays in `root`.
    #[must_use]
    pub fn with_own_directory(root: &Path, own: &Path) -> DirectoryHandles {
        DirectoryHandles {
            own: Some(own.to_owned()),
            ..DirectoryHandles::new(root)
        }
    }

    /// Opens a directory, and creates its missing parts.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if a link leads out of the root; else if the system refuses.
    pub fn create_dir(&mut self, dir: &Path) -> Result<()> {
        if !self.open.contains_key(dir) {
            let open = self
                .open_path(dir, MissingDirectory::Create)?
                .ok_or_else(|| missing_directory(dir))?;
            self.open.insert(dir.to_owned(), open);
        }
        Ok(())
    }

    /// The identity of the file at a path, links not followed; `None` if it does not exist.
    ///
    /// # Errors
    /// If the path cannot be accessed.
    pub fn identity(&mut self, path: &Path) -> Result<Option<FileIdentity>> {
        // A missing directory contains nothing.
        let Some(dir) = self.find_dir(parent_dir(path))? else {
            return Ok(None);
        };
        match dir.identity(path.file_name().unwrap_or_default()) {
            Ok(identity) => Ok(Some(identity)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            failed => describe_failure(failed, path, || {
                format!("failed to stat `{}`", path.display())
            })
            .map(Some),
        }
    }

    /// Reads a regular file of at most `limit` bytes; `None` if there is none.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if it is a link, no regular file or larger; or if it cannot
    /// be read.
    pub fn read_file(&mut self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
        let Some(dir) = self.find_dir(parent_dir(path))? else {
            return Ok(None);
        };
        let name = path.file_name().unwrap_or_default();
        match dir.open_file(name) {
            Ok(file) => super::open::read_open_file(file, path, limit).map(Some),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => match dir.stat(name) {
                Ok(stat) if stat.kind == FileKind::Link => Err(refused_link(path)),
                Ok(stat) if !matches!(stat.kind, FileKind::File | FileKind::Directory) => {
                    Err(super::open::not_regular(path, stat.kind))
                }
                _ => Err(disk_error(error, "read", path)),
            },
        }
    }

    /// The names in a directory, sorted, without those that are not UTF-8; none if there is no such directory.
    ///
    /// # Errors
    /// If it is behind a link, or cannot be read.
    pub fn list_names(&mut self, dir: &Path) -> Result<Vec<String>> {
        let Some(open) = self.find_dir(dir)? else {
            return Ok(Vec::new());
        };
        let entries = open
            .read_entries()
            .context(|| format!("failed to read directory `{}`", dir.display()))?;

        let names = entries.into_iter();
        let mut names: Vec<String> = names
            .filter_map(|(name, _)| name.into_string().ok())
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Whether a path is a link; `false` if nothing is there.
    ///
    /// # Errors
    /// If it is behind a link.
    pub fn is_link(&mut self, path: &Path) -> Result<bool> {
        let name = path.file_name().unwrap_or_default();
        Ok(self
            .find_dir(parent_dir(path))?
            .is_some_and(|dir| is_link(dir, name)))
    }

    /// An unused path in a directory: `NAME-1`, `NAME-2`, ….
    ///
    /// # Errors
    /// If the system refuses to say.
    pub fn find_unused_name(&mut self, dir: &Path, name: &str) -> Result<PathBuf> {
        let mut number = 1;
        loop {
            let path = dir.join(format!("{name}-{number}"));
            if self.identity(&path)?.is_none() {
                return Ok(path);
            }
            number += 1;
        }
    }

    /// Replaces or creates a file, so that a reader sees the old bytes or the new ones, and a crash leaves one of the two.
    ///
    /// # Errors
    /// If it cannot be written, or something else than a file or a link is there.
    pub fn write_atomic(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.replace_file(path, bytes, FileSync::Now)
    }

    /// As [`DirectoryHandles::write_atomic`], without waiting for the disk: after a power failure the file may be the old one,
    /// empty or truncated.
    ///
    /// # Errors
    /// As for [`DirectoryHandles::write_atomic`].
    pub fn write_unsynced(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.replace_file(path, bytes, FileSync::Later)
    }

    fn replace_file(&mut self, path: &Path, bytes: &[u8], sync: FileSync) -> Result<()> {
        let (dir, name) = self.open_parent(path)?;
        if let Ok(stat) = dir.stat(name)
            && !matches!(stat.kind, FileKind::File | FileKind::Link)
        {
            return Err(Error::disk(format!(
                "refusing to replace `{}`: it is not a regular file",
                path.display()
            ))
            .help("move it away, and run the command again"));
        }

        let write = || {
            let temporary = write_temporary(dir, path, bytes, sync)?;
            let renamed = failpoint(DiskOperation::Rename, path)
                .and_then(|()| dir.rename(&temporary, dir, name, RenameMode::Replace));
            if renamed.is_err() {
                let _ = dir.remove_file(&temporary);
            }
            renamed?;
            if sync == FileSync::Later {
                return Ok(());
            }
            failpoint(DiskOperation::Sync, parent_dir(path))?;
            dir.sync()
        };
        describe_failure(write(), path, || {
            format!("failed to write `{}`", path.display())
        })
    }

    /// Creates a file as [`DirectoryHandles::write_atomic`] does; returns whether the path was free.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create_file(&mut self, path: &Path, bytes: &[u8]) -> Result<bool> {
        if self.identity(path)?.is_some() {
            return Ok(false);
        }

        let (dir, _) = self.open_parent(path)?;
        let temporary = write_temporary(dir, path, bytes, FileSync::Now);
        let temporary = parent_dir(path).join(describe_failure(temporary, path, || {
            format!("failed to write `{}`", path.display())
        })?);
        let moved = self.move_into_place(&temporary, path);
        if moved.is_err() {
            let _ = self.remove(&temporary);
        }
        match moved {
            Ok(_) => self.sync([parent_dir(path)]).map(|()| true),
            // Another process took the name meanwhile.
            Err(_) if self.identity(path)?.is_some() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes a tree into a new directory, and returns its stamp; files in `modes` get no other permissions than those.
    ///
    /// # Errors
    /// If the path exists, or the disk refuses.
    pub fn write_tree(&mut self, path: &Path, tree: &Tree, modes: &FileModes) -> Result<TreeStamp> {
        let (dir, name) = self.open_parent(path)?;
        super::tree::write_tree_in(dir, name, path, tree, modes)
    }

    /// Writes a new file.
    ///
    /// # Errors
    /// As [`DirectoryHandles::write_tree`].
    pub fn write_file(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let (dir, name) = self.open_parent(path)?;
        let write = || {
            failpoint(DiskOperation::Make, path)?;
            let mut file = dir.create_file(name, NewFileMode::Default)?;
            failpoint(DiskOperation::Write, path)?;
            file.write_all(bytes)
        };
        describe_failure(write(), path, || {
            format!("failed to write `{}`", path.display())
        })
    }

    /// Makes a symbolic link.
    ///
    /// # Errors
    /// As [`DirectoryHandles::write_tree`].
    pub fn make_link(&mut self, path: &Path, target: &Path) -> Result<()> {
        let (dir, name) = self.open_parent(path)?;
        let made = failpoint(DiskOperation::Make, path).and_then(|()| dir.make_link(name, target));
        describe_failure(made, path, || {
            format!("failed to create symlink `{}`", path.display())
        })
    }

    /// Moves `from` to `to`, which must not exist.
    ///
    /// # Errors
    /// If `to` exists, or the system refuses.
    pub fn move_into_place(&mut self, from: &Path, to: &Path) -> Result<MoveOutcome> {
        match self.rename_with(from, to, RenameMode::Keep)? {
            Err(error) if error.kind() == ErrorKind::CrossesDevices => Ok(MoveOutcome::Unmovable),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(already_exists(to)),
            // A file system without that mode: check, then rename.
            Err(error) if is_unsupported(&error) => match self.identity(to)? {
                Some(_) => Err(already_exists(to)),
                None => self.replace(from, to),
            },
            moved => describe_failure(moved, to, || describe_failed_move(from, to))
                .map(|()| MoveOutcome::Moved),
        }
    }

    /// Exchanges two paths atomically.
    ///
    /// # Errors
    /// If one of them is missing, or the system refuses.
    pub fn exchange(&mut self, staged: &Path, place: &Path) -> Result<MoveOutcome> {
        match self.rename_with(staged, place, RenameMode::Exchange)? {
            Err(error) if error.kind() == ErrorKind::CrossesDevices => Ok(MoveOutcome::Unmovable),
            Err(error) if is_unsupported(&error) => self.exchange_by_moves(staged, place),
            done => {
                let failed = || format!("failed to replace `{}`", place.display());
                describe_failure(done, place, failed).map(|()| MoveOutcome::Moved)
            }
        }
    }

    /// As [`DirectoryHandles::exchange`], on file systems without an atomic exchange: a directory is missing at `place` for
    /// an instant, a file only if it cannot have a second name.
    fn exchange_by_moves(&mut self, staged: &Path, place: &Path) -> Result<MoveOutcome> {
        let aside = aside_path(staged);
        if self.link_file(place, &aside)? {
            let moved = self.replace(staged, place);
            if !matches!(moved, Ok(MoveOutcome::Moved)) {
                self.remove(&aside)?;
                return moved;
            }
            return self.replace(&aside, staged);
        }

        if self.replace(place, &aside)? == MoveOutcome::Unmovable {
            return Ok(MoveOutcome::Unmovable);
        }

        let moved = self.replace(staged, place);
        if !matches!(moved, Ok(MoveOutcome::Moved)) {
            // The old content is moved back: the place must not stay empty.
            self.replace(&aside, place)?.require_moved(&aside)?;
            return moved;
        }
        self.replace(&aside, staged)
    }

    /// Gives a file a second name, so that other content can replace it at the first one in one step. Returns whether it has
    /// both: a directory has not, nor has a file on a file system without hard links.
    fn link_file(&mut self, file: &Path, second: &Path) -> Result<bool> {
        self.open_dir(parent_dir(file))?;
        self.open_dir(parent_dir(second))?;
        let (dir, second_dir) = (&self.open[parent_dir(file)], &self.open[parent_dir(second)]);
        let name = file.file_name().unwrap_or_default();
        let second_name = second.file_name().unwrap_or_default();
        if !matches!(dir.stat(name), Ok(stat) if stat.kind == FileKind::File) {
            return Ok(false);
        }

        // Whatever refuses it, also a full disk: it is moved instead, as renames take no space.
        let linked = failpoint(DiskOperation::Make, second)
            .and_then(|()| dir.hard_link(name, second_dir, second_name));
        match linked {
            // An undo that was killed may have made it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Ok(self.identity(second)? == self.identity(file)?)
            }
            linked => Ok(linked.is_ok()),
        }
    }

    /// Removes a file or directory recursively, without following links; does nothing if it does not exist.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove(&mut self, path: &Path) -> Result<()> {
        let Some(dir) = self.find_dir(parent_dir(path))? else {
            return Ok(());
        };
        let name = path.file_name().unwrap_or_default();
        let removed = match dir.stat(name) {
            Ok(stat) if stat.kind == FileKind::Directory => {
                super::removal::remove_in(dir, name, path)
            }
            Ok(_) => failpoint(DiskOperation::Remove, path).and_then(|()| dir.remove_file(name)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        describe_failure(removed, path, || {
            format!("failed to remove `{}`", path.display())
        })
    }

    /// Removes a directory if it is empty; nothing if it is not, or is not there.
    pub fn remove_if_empty(&mut self, path: &Path) {
        if let Ok(Some(dir)) = self.find_dir(parent_dir(path)) {
            let _ = failpoint(DiskOperation::Remove, path)
                .and_then(|()| dir.remove_dir(path.file_name().unwrap_or_default()));
        }
    }

    fn replace(&mut self, from: &Path, to: &Path) -> Result<MoveOutcome> {
        match self.rename_with(from, to, RenameMode::Replace)? {
            Err(error) if error.kind() == ErrorKind::CrossesDevices => Ok(MoveOutcome::Unmovable),
            renamed => {
                let failed =
                    || format!("failed to move `{}` to `{}`", from.display(), to.display());
                describe_failure(renamed, to, failed).map(|()| MoveOutcome::Moved)
            }
        }
    }

    /// Renames; the inner result is that of the system.
    fn rename_with(&mut self, from: &Path, to: &Path, mode: RenameMode) -> Result<io::Result<()>> {
        self.open_dir(parent_dir(from))?;
        self.open_dir(parent_dir(to))?;
        failpoint(DiskOperation::Rename, to)
            .context(|| format!("failed to write `{}`", to.display()))?;

        let (from_dir, to_dir) = (&self.open[parent_dir(from)], &self.open[parent_dir(to)]);
        let from_name = from.file_name().unwrap_or_default();
        let to_name = to.file_name().unwrap_or_default();
        Ok(from_dir.rename(from_name, to_dir, to_name, mode))
    }

    /// Renames a file, replacing another one.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn rename(&mut self, from: &Path, to: &Path) -> Result<()> {
        self.replace(from, to)?.require_moved(from)
    }

    /// Syncs these directories, which makes renames in them durable.
    ///
    /// # Errors
    /// If the disk reports that it could not.
    pub fn sync<'p>(&mut self, dirs: impl IntoIterator<Item = &'p Path>) -> Result<()> {
        let dirs: Vec<&Path> = dirs.into_iter().collect();
        for dir in &dirs {
            self.open_dir(dir)?;
        }
        let open: Vec<&OpenDirectory> = dirs.iter().map(|dir| &self.open[*dir]).collect();

        let synced_at_once = open.first().filter(|first| {
            dirs.len() > SYNCED_DIRECTORIES && are_on_one_file_system(first, &open)
        });
        if let Some(first) = synced_at_once {
            return sync_file_system_of(first, dirs[0]);
        }

        for (dir, open) in dirs.iter().zip(open) {
            let synced = failpoint(DiskOperation::Sync, dir).and_then(|()| open.sync());
            synced.context(|| format!("failed to sync `{}` to disk", dir.display()))?;
        }
        Ok(())
    }

    /// Syncs a written file, or a directory with everything below it: one by one if there are few files, else the whole file
    /// system at once.
    ///
    /// # Errors
    /// If the disk reports that it could not.
    pub fn sync_tree(&mut self, path: &Path, files: usize) -> Result<()> {
        self.sync_trees([path], [], files)
    }

    /// As [`DirectoryHandles::sync_tree`], for several that are on one file system and have `files` files together, and for
    /// `dirs` on it, without what is in them.
    ///
    /// # Errors
    /// If the disk reports that it could not.
    pub fn sync_trees<'p, const N: usize>(
        &mut self,
        paths: [&Path; N],
        dirs: impl IntoIterator<Item = &'p Path>,
        files: usize,
    ) -> Result<()> {
        let (first, _) = self.open_parent(paths[0])?;
        let few = if first.has_reliable_sync() {
            SYNCED_FILES
        } else {
            super::SYNCED_ONE_BY_ONE
        };
        if files > few && HAS_FILE_SYSTEM_SYNC {
            return sync_file_system_of(first, paths[0]);
        }

        for path in paths {
            let (dir, name) = self.open_parent(path)?;
            describe_failure(sync_entry(dir, name, path), path, || {
                format!("failed to sync `{}` to disk", path.display())
            })?;
        }
        self.sync(dirs)
    }

    /// Whether a directory, if it was opened, is still at its path.
    ///
    /// # Errors
    /// If the path cannot be accessed.
    pub fn is_still_at(&self, dir: &Path) -> Result<bool> {
        let is_at = self.open.get(dir).map(|open| open.is_at(dir));
        is_at
            .unwrap_or(Ok(true))
            .context(|| format!("failed to stat `{}`", dir.display()))
    }

    fn open_parent<'p>(&mut self, path: &'p Path) -> Result<(&OpenDirectory, &'p OsStr)> {
        let name = path.file_name().unwrap_or_default();
        Ok((self.open_dir(parent_dir(path))?, name))
    }

    fn open_dir(&mut self, dir: &Path) -> Result<&OpenDirectory> {
        self.find_dir(dir)?.ok_or_else(|| missing_directory(dir))
    }

    /// An open directory; `None` if it does not exist.
    fn find_dir(&mut self, dir: &Path) -> Result<Option<&OpenDirectory>> {
        if !self.open.contains_key(dir) {
            let Some(open) = self.open_path(dir, MissingDirectory::Fail)? else {
                return Ok(None);
            };
            self.open.insert(dir.to_owned(), open);
        }
        Ok(self.open.get(dir))
    }

    /// Opens a directory from the root, following only the links that existed when its path was resolved; `None` if it is
    /// missing.
    fn open_path(&self, dir: &Path, if_missing: MissingDirectory) -> Result<Option<OpenDirectory>> {
        // Links above skillpm's own directory are the user's; from there on none is resolved.
        let own = self.own.as_deref().filter(|own| dir.starts_with(own));
        let resolved = own.map_or(dir, parent_dir);
        let there = resolved
            .ancestors()
            .find(|above| matches!(lstat(above), Ok(Some(_))))
            .unwrap_or(resolved);
        let rest = dir.strip_prefix(there).unwrap_or(Path::new(""));
        let real = real_path(there);
        self.check_inside(dir, there, &real)?;

        let failed = |error| disk_error(error, "open", dir);
        let mut open = OpenDirectory::traverse_root(&real).map_err(failed)?;
        // The resolved path has no links: one found now was planted since, and is refused.
        for part in real.components().filter_map(normal_component) {
            open = open
                .traverse(part)
                .map_err(|error| open_child_error(&open, part, dir, error))?;
        }

        let mut logical = there.to_owned();
        for part in rest.components().filter_map(normal_component) {
            logical.push(part);
            let mut next = open.traverse(part);
            if matches!(&next, Err(error) if error.kind() == ErrorKind::NotFound) {
                if if_missing == MissingDirectory::Fail {
                    return Ok(None);
                }
                create_child(&open, part, &logical)?;
                next = open.traverse(part);
            }

            open = match next {
                Ok(next) => next,
                Err(_) if own.is_some() && is_link(&open, part) => {
                    return Err(refused_link(&logical));
                }
                Err(error) => return Err(open_child_error(&open, part, dir, error)),
            };
        }

        open.finish_traversal().map(Some).map_err(failed)
    }

    /// Refuses a directory below the root whose existing part `there` leads out of the root.
    fn check_inside(&self, dir: &Path, there: &Path, real: &Path) -> Result<()> {
        // A link below the root that leads out of it may have come with the project. How the root
        // itself is reached is the user's choice.
        if dir.starts_with(&self.root)
            && !real.starts_with(real_path(&self.root))
            && there.starts_with(&self.root)
        {
            return Err(link_in_the_way(
                dir,
                &format!("the link leads to `{}`", real.display()),
            ));
        }
        Ok(())
    }
}

fn already_exists(path: &Path) -> Error {
    Error::negative(format!("`{}` already exists", path.display()))
}

/// Adds what failed; a failure because a link is in place of the directory of `path` is a refusal.
pub(super) fn describe_failure<T>(
    done: io::Result<T>,
    path: &Path,
    what: impl FnOnce() -> String,
) -> Result<T> {
    match done {
        Err(error) if is_link_refusal(&error) => Err(link_in_the_way(path, &error.to_string())),
        done => done.context(what),
    }
}

fn describe_failed_move(from: &Path, to: &Path) -> String {
    // If the source cannot be moved, its path is the one to report.
    let is_source_read_only = [parent_dir(from), from]
        .into_iter()
        .any(|path| !is_writable(path));
    if is_source_read_only {
        format!("failed to move `{}`", from.display())
    } else {
        format!("failed to write `{}`", to.display())
    }
}

/// When a file is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileSync {
    Now,
    Later,
}

/// What to do about a missing directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingDirectory {
    Create,
    Fail,
}

/// The missing directories on a path, outermost first.
#[must_use]
pub fn missing_dirs(dir: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = dir
        .ancestors()
        .take_while(|path| matches!(lstat(path), Ok(None)))
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

/// Whether neither kernel nor file system has a mode of renaming.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidInput | ErrorKind::Unsupported
    )
}

fn normal_component(part: Component<'_>) -> Option<&OsStr> {
    if let Component::Normal(part) = part {
        Some(part)
    } else {
        None
    }
}

fn parent_dir(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Creates a subdirectory, unless it exists.
fn create_child(above: &OpenDirectory, part: &OsStr, path: &Path) -> Result<()> {
    let created = failpoint(DiskOperation::Make, path).and_then(|()| {
        match above.create_dir(part) {
            // Another process was faster; opening it shows what it is.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            created => created,
        }
    });
    created.context(|| format!("failed to create directory `{}`", path.display()))
}

/// The error of a subdirectory that was not opened on the way to `dir`.
fn open_child_error(above: &OpenDirectory, part: &OsStr, dir: &Path, error: io::Error) -> Error {
    if is_link(above, part) {
        link_in_the_way(dir, "the link is in place of a directory")
    } else {
        disk_error(error, "open", dir)
    }
}

/// Whether an entry is a link. Only for messages: it was not opened.
fn is_link(dir: &OpenDirectory, name: &OsStr) -> bool {
    dir.stat(name).is_ok_and(|stat| stat.kind == FileKind::Link)
}

fn missing_directory(dir: &Path) -> Error {
    disk_error(ErrorKind::NotFound.into(), "open", dir)
}

/// The refusal of a link among skillpm's own files: a clone would choose with it what is read, written and removed.
#[must_use]
pub fn refused_link(path: &Path) -> Error {
    Error::integrity(format!(
        "refusing to use `{}`: it is a symbolic link",
        path.display()
    ))
    .note("nothing was changed")
    .help(format!("rm '{}'", path.display()))
}

/// Writes a new file with a temporary name, and returns the name; `path` is the one that it will get.
fn write_temporary(
    dir: &OpenDirectory,
    path: &Path,
    bytes: &[u8],
    sync: FileSync,
) -> io::Result<OsString> {
    let (name, mut file) = create_temporary(dir, path)?;
    let mut write = || {
        failpoint(DiskOperation::Write, path)?;
        file.write_all(bytes)?;
        if sync == FileSync::Later {
            return Ok(());
        }
        // Before the rename: after a power failure the name must not lead to an empty file.
        failpoint(DiskOperation::Sync, path)?;
        file.sync_all()
    };
    if let Err(error) = write() {
        let _ = dir.remove_file(&name);
        return Err(error);
    }
    Ok(name)
}

fn create_temporary(dir: &OpenDirectory, path: &Path) -> io::Result<(OsString, File)> {
    const CHARACTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    loop {
        failpoint(DiskOperation::Make, path)?;
        // Each state has other keys, so that the name differs each time.
        let mut bits = RandomState::new().hash_one(path);
        let mut name = TEMPORARY_PREFIX.to_owned();
        for _ in 0..6 {
            name.push(char::from(CHARACTERS[(bits % 32) as usize]));
            bits /= 32;
        }

        match dir.create_file(name.as_ref(), NewFileMode::Default) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return Ok((name.into(), created?)),
        }
    }
}

/// Whether all of these are on the file system of the first one, which can be synced as a whole.
fn are_on_one_file_system(first: &OpenDirectory, open: &[&OpenDirectory]) -> bool {
    let device = first.device().ok();
    first.has_reliable_sync()
        && device.is_some()
        && open.iter().all(|dir| dir.device().ok() == device)
}

/// Syncs the whole file system that a directory is on; `path` is what this is done for.
fn sync_file_system_of(dir: &OpenDirectory, path: &Path) -> Result<()> {
    failpoint(DiskOperation::Sync, path)
        .and_then(|()| dir.sync_file_system())
        .context(|| format!("failed to sync `{}` to disk", path.display()))
}

/// Syncs an entry of an open directory, with everything below it; `path` is its full path.
fn sync_entry(dir: &OpenDirectory, name: &OsStr, path: &Path) -> io::Result<()> {
    match dir.stat(name)?.kind {
        FileKind::Directory => {
            let open = dir.open_dir(name)?;
            for (name, _) in open.read_entries()? {
                sync_entry(&open, &name, &path.join(&name))?;
            }
            failpoint(DiskOperation::Sync, path)?;
            open.sync()
        }
        FileKind::File => {
            failpoint(DiskOperation::Sync, path)?;
            dir.sync_file(name)
        }
        // A link is durable with the directory that it is in.
        _ => Ok(()),
    }
}

fn link_in_the_way(dir: &Path, why: &str) -> Error {
    Error::integrity(format!(
        "refusing to follow a symbolic link on the way to `{}`",
        dir.display()
    ))
    .note(why)
    .help("remove the link, and run the command again")
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::fs;
    #[cfg(unix)]
    use std::os::unix::fs::symlink;

    use super::*;
    #[cfg(unix)]
    use crate::platform::IS_PORTABLE;

    fn tree() -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", b"x".to_vec(), false).unwrap();
        tree.finish()
    }

    #[test]
    fn missing_directories_are_listed_and_created() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let mut handles = DirectoryHandles::new(&root);
        assert_eq!(
            missing_dirs(&root.join("a/b")),
            [root.join("a"), root.join("a/b")]
        );
        handles.create_dir(&root.join("a/b")).unwrap();
        assert!(missing_dirs(&root.join("a/b")).is_empty());
        handles
            .write_tree(&root.join("a/b/skill"), &tree(), &FileModes::new())
            .unwrap();
        handles.write_file(&root.join("a/b/text"), b"text").unwrap();
        handles
            .make_link(&root.join("a/b/link"), Path::new("skill"))
            .unwrap();
        assert_eq!(
            super::super::list_names(&root.join("a/b")).unwrap(),
            ["link", "skill", "text"]
        );
        assert!(
            handles
                .write_file(&root.join("a/b/text"), b"other")
                .is_err()
        );
        assert_eq!(handles.identity(&root.join("none/x")).unwrap(), None);
    }

    #[test]
    fn entries_are_exchanged_and_moved_but_never_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let mut handles = DirectoryHandles::new(&root);
        let (a, b, c) = (root.join("a"), root.join("b"), root.join("c"));
        handles.write_file(&a, b"a").unwrap();
        handles.write_file(&b, b"b").unwrap();
        let before = (handles.identity(&a).unwrap(), handles.identity(&b).unwrap());
        handles.exchange(&a, &b).unwrap();
        assert_eq!(
            (handles.identity(&b).unwrap(), handles.identity(&a).unwrap()),
            before
        );
        handles.exchange_by_moves(&a, &b).unwrap();
        assert_eq!(
            (handles.identity(&a).unwrap(), handles.identity(&b).unwrap()),
            before
        );
        assert_eq!(super::super::list_names(&root).unwrap(), ["a", "b"]);
        assert!(
            handles
                .move_into_place(&a, &b)
                .unwrap_err()
                .message()
                .ends_with("already exists")
        );
        handles.move_into_place(&a, &c).unwrap();
        assert_eq!(handles.identity(&c).unwrap(), before.0);
    }

    #[test]
    fn directories_are_exchanged_by_renames() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let mut handles = DirectoryHandles::new(&root);
        let (a, b) = (root.join("a"), root.join("b"));
        handles.write_tree(&a, &tree(), &FileModes::new()).unwrap();
        handles.create_dir(&b).unwrap();
        let before = (handles.identity(&a).unwrap(), handles.identity(&b).unwrap());
        let mut handles = DirectoryHandles::new(&root);
        handles.exchange_by_moves(&a, &b).unwrap();
        assert_eq!(
            (handles.identity(&b).unwrap(), handles.identity(&a).unwrap()),
            before
        );
        assert_eq!(super::super::list_names(&root).unwrap(), ["a", "b"]);
    }

    #[test]
    fn file_is_replaced_though_its_second_name_was_left() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let mut handles = DirectoryHandles::new(&root);
        let (staged, place) = (root.join("0"), root.join("skillpm.toml"));
        handles.write_file(&staged, b"old").unwrap();
        handles.write_file(&place, b"new").unwrap();
        assert!(handles.link_file(&place, &aside_path(&staged)).unwrap());
        handles.exchange_by_moves(&staged, &place).unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), b"old");
        assert_eq!(std::fs::read(&staged).unwrap(), b"new");
        assert!(!aside_path(&staged).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_out_is_refused_and_one_that_stays_in_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (root, out) = (
            dir.path().canonicalize().unwrap().join("root"),
            dir.path().join("out"),
        );
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(&out).unwrap();
        symlink(&out, root.join("leads-out")).unwrap();
        symlink("in", root.join("stays")).unwrap();
        let mut handles = DirectoryHandles::new(&root);
        let error = handles
            .create_dir(&root.join("leads-out/deep"))
            .unwrap_err();
        assert_eq!(error.kind(), skillpm_core::error::FailureKind::Integrity);
        handles.create_dir(&root.join("stays/deep")).unwrap();
        assert_eq!(
            super::super::list_names(&root.join("in")).unwrap(),
            ["deep"]
        );
        assert!(super::super::is_empty(&out).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn an_open_directory_is_written_even_if_its_path_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (root, out) = (
            dir.path().canonicalize().unwrap().join("root"),
            dir.path().join("out"),
        );
        fs::create_dir(&out).unwrap();
        fs::create_dir_all(root.join("skills")).unwrap();
        let mut handles = DirectoryHandles::new(&root);
        handles.create_dir(&root.join("skills")).unwrap();
        assert!(handles.is_still_at(&root.join("skills")).unwrap());
        fs::rename(root.join("skills"), root.join("moved")).unwrap();
        symlink(&out, root.join("skills")).unwrap();
        let written = handles.write_tree(&root.join("skills/demo"), &tree(), &FileModes::new());
        assert!(super::super::is_empty(&out).unwrap());
        // The portable implementation refuses to write, as the directory is not open.
        assert_eq!(written.is_err(), IS_PORTABLE);
        assert_eq!(root.join("moved/demo/SKILL.md").exists(), !IS_PORTABLE);
        assert!(!handles.is_still_at(&root.join("skills")).unwrap());
    }
}

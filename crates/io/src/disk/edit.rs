//! Changing files that belong to a person: all that were meant or none, and only if they are what they were.

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::{Act, identity, lstat, moment, sync_dir};
use crate::error::{Context, Error, Result};

/// A file below a directory that is to hold something else, or to be called otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Its path before, relative to the directory; `None` for a new one.
    pub from: Option<String>,
    /// Its path afterwards, relative to the directory.
    pub to: String,
    /// What it held when somebody decided to change it.
    pub before: Vec<u8>,
    /// What it is to hold.
    pub after: Vec<u8>,
    /// Whether it is to become a program.
    pub make_executable: bool,
}

/// Makes these edits below `root`, each in one step that a reader cannot see the middle of, all of them or none.
/// A file keeps its mode and its owner.
///
/// # Errors
/// If one cannot be made: the file is a link or lies behind one, may not be written, or is no longer what it was.
/// Then nothing has changed.
pub fn edit_files(root: &Path, edits: &[FileEdit]) -> Result<()> {
    let staged: Vec<Staged> = edits.iter().map(|edit| stage(root, edit)).collect::<Result<_>>()?;
    let mut done: Vec<Done> = Vec::new();
    for staged in staged {
        match staged.put() {
            Ok(step) => done.push(step),
            Err(error) => {
                done.into_iter().rev().for_each(Done::undo);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// An edit that waits beside its place.
struct Staged {
    from: Option<PathBuf>,
    to: PathBuf,
    /// The new content; `None` if only the name changes.
    new: Option<TempPath>,
    /// The old content, should it have to be put back.
    old: Option<TempPath>,
}

/// An edit that was made, and what undoes it.
struct Done {
    from: Option<PathBuf>,
    to: PathBuf,
    old: Option<TempPath>,
}

fn stage(root: &Path, edit: &FileEdit) -> Result<Staged> {
    let to = place(root, &edit.to)?;
    let Some(from) = &edit.from else {
        if lstat(&to)?.is_some() {
            return Err(changed(&to, "it is there by now"));
        }
        let new = write_beside(&to, &edit.after, None, edit.make_executable)?;
        return Ok(Staged { from: None, to, new: Some(new), old: None });
    };
    let from = place(root, from)?;
    let meta = writable(&from)?;
    if super::read(&from)?.as_deref() != Some(edit.before.as_slice()) {
        return Err(changed(&from, "it was changed after it was read"));
    }
    let taken = from != to && identity(&to)?.is_some_and(|other| Ok(Some(other)) != identity(&from).map_err(drop));
    if taken {
        return Err(changed(&to, "it is there by now"));
    }
    if edit.before == edit.after && !edit.make_executable {
        return Ok(Staged { from: Some(from), to, new: None, old: None });
    }
    let new = write_beside(&from, &edit.after, Some(&meta), edit.make_executable)?;
    let old = write_beside(&from, &edit.before, Some(&meta), false)?;
    Ok(Staged { from: Some(from), to, new: Some(new), old: Some(old) })
}

/// The place of a file below `root`, which no link leads to.
fn place(root: &Path, path: &str) -> Result<PathBuf> {
    let mut place = root.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        if matches!(part, "" | "." | "..") || part.contains('\\') && cfg!(windows) {
            return Err(Error::internal(format!("`{path}` is no path below `{}`", root.display())));
        }
        place.push(part);
        let last = parts.peek().is_none();
        if !last && !lstat(&place)?.is_some_and(|meta| meta.is_dir()) {
            return Err(refused(&root.join(path), &format!("`{}` is no directory", place.display())));
        }
    }
    Ok(place)
}

/// What is known of a file, if it is one and may be written.
fn writable(path: &Path) -> Result<Metadata> {
    let meta = lstat(path)?.ok_or_else(|| changed(path, "it is gone"))?;
    if !meta.is_file() {
        return Err(refused(path, "it is no file, or a link to one"));
    }
    // A rename would replace it all the same, and who may do everything would not even notice.
    if meta.permissions().mode() & 0o222 == 0 {
        return Err(refused(path, "it is read-only").help(format!("chmod u+w '{}'", path.display())));
    }
    Ok(meta)
}

fn write_beside(path: &Path, bytes: &[u8], like: Option<&Metadata>, executable: bool) -> Result<TempPath> {
    let write = || -> std::io::Result<TempPath> {
        let mut file = super::new_beside(path)?;
        super::fill(&mut file, bytes)?;
        let mode = like.map_or(0o666 & !super::tree::umask(), |meta| meta.mode() & 0o7777);
        if let Some(meta) = like {
            let own = file.as_file().metadata()?;
            if (own.uid(), own.gid()) != (meta.uid(), meta.gid()) {
                // Who may not give files away keeps it: better than not to write at all.
                let _ = std::os::unix::fs::chown(file.path(), Some(meta.uid()), Some(meta.gid()));
            }
        }
        let run = if executable { (mode & 0o444) >> 2 } else { 0 };
        moment(Act::Mark, path)?;
        file.as_file().set_permissions(fs::Permissions::from_mode(mode | run))?;
        super::sync_file(file.as_file(), path)?;
        Ok(file.into_temp_path())
    };
    write().context(|| format!("could not write `{}`", path.display()))
}

impl Staged {
    fn put(self) -> Result<Done> {
        let Staged { from, to, new, old } = self;
        if let Some(from) = from.as_ref().filter(|from| **from != to) {
            super::rename(from, &to)?;
        }
        let persist = |new: TempPath| {
            moment(Act::Rename, &to)?;
            new.persist(&to).map_err(|error| error.error)
        };
        if let Some(new) = new
            && let Err(error) = persist(new)
        {
            if let Some(from) = from.as_ref().filter(|from| **from != to) {
                let _ = super::rename(&to, from);
            }
            return Err(error).context(|| format!("could not write `{}`", to.display()));
        }
        let _ = sync_dir(to.parent().unwrap_or(Path::new(".")));
        Ok(Done { from, to, old })
    }
}

impl Done {
    /// Puts things back as well as can be.
    fn undo(self) {
        let Done { from, to, old } = self;
        if let Some(old) = old {
            let _ = old.persist(&to);
        }
        match from {
            None => drop(super::remove(&to)),
            Some(from) if from != to => drop(super::rename(&to, &from)),
            Some(_) => {}
        }
    }
}

fn refused(path: &Path, why: &str) -> Error {
    Error::disk(format!("could not write `{}`: {why}", path.display()))
}

fn changed(path: &Path, why: &str) -> Error {
    refused(path, why).help("run the command again")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(path: &str, before: &str, after: &str) -> FileEdit {
        FileEdit {
            from: Some(path.into()),
            to: path.into(),
            before: before.into(),
            after: after.into(),
            make_executable: false,
        }
    }

    fn world(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            fs::write(dir.path().join(path), text).unwrap();
        }
        dir
    }

    /// All files with their modes and what they hold.
    fn state(dir: &Path) -> Vec<(String, u32, String)> {
        let mut state: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
                (entry.file_name().into_string().unwrap(), mode, fs::read_to_string(entry.path()).unwrap_or_default())
            })
            .collect();
        state.sort();
        state
    }

    #[test]
    fn a_file_keeps_its_mode_and_may_change_its_case() {
        let dir = world(&[("skill.md", "a")]);
        fs::set_permissions(dir.path().join("skill.md"), fs::Permissions::from_mode(0o640)).unwrap();
        let renamed = FileEdit { to: "SKILL.md".into(), make_executable: true, ..edit("skill.md", "a", "b") };
        edit_files(dir.path(), &[renamed]).unwrap();
        assert_eq!(state(dir.path()), [("SKILL.md".into(), 0o750, "b".into())]);
    }

    #[test]
    fn where_one_file_cannot_be_changed_none_is() {
        let dir = world(&[("a", "1"), ("b", "1"), ("c", "1")]);
        fs::set_permissions(dir.path().join("c"), fs::Permissions::from_mode(0o444)).unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("link")).unwrap();
        let before = state(dir.path());
        for bad in [edit("c", "1", "2"), edit("b", "other", "2"), edit("link", "1", "2"), edit("gone", "1", "2")] {
            let error = edit_files(dir.path(), &[edit("a", "1", "2"), bad]).unwrap_err();
            assert!(error.message().starts_with("could not write"), "{error:?}");
            assert_eq!(state(dir.path()), before);
        }
    }

    #[test]
    fn a_step_that_fails_late_takes_back_those_before_it() {
        let dir = world(&[("a", "1"), ("b", "1")]);
        let before = state(dir.path());
        let edits = [FileEdit { to: "z".into(), ..edit("a", "1", "2") }, edit("b", "1", "2")];
        let staged: Vec<_> = edits.iter().map(|edit| stage(dir.path(), edit).unwrap()).collect();
        let done: Vec<Done> = staged.into_iter().map(|staged| staged.put().unwrap()).collect();
        let after = state(dir.path());
        // Beside them lies what would be put back.
        let names = after.iter().map(|(name, ..)| name.as_str()).filter(|name| !name.starts_with('.'));
        assert_eq!(names.collect::<Vec<_>>(), ["b", "z"]);
        done.into_iter().rev().for_each(Done::undo);
        assert_eq!(state(dir.path()), before);
    }

    #[test]
    fn nothing_is_written_behind_a_link_or_outside() {
        let dir = world(&[("a", "1")]);
        let outside = world(&[("a", "1")]);
        std::os::unix::fs::symlink(outside.path(), dir.path().join("sub")).unwrap();
        for path in ["sub/a", "../a", "/a"] {
            assert!(edit_files(dir.path(), &[edit(path, "1", "2")]).is_err());
        }
        assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "1");
    }
}

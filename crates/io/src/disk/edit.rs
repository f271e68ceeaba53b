//! Edits files of the user: all of the given edits or none, and only if the files have not changed since they
//! were read.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::{DiskOperation, failpoint, file_identity, lstat, sync_dir};
use crate::platform::{self, TemporaryAccess};
use skillpm_core::error::{Error, ErrorContext, Result};

/// A change of the content or the name of a file below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Its path before, relative to the directory; `None` for a new one.
    pub from: Option<String>,
    /// Its path afterwards, relative to the directory.
    pub to: String,
    /// The content for which the edit was made.
    pub before: Vec<u8>,
    /// The new content.
    pub after: Vec<u8>,
    /// Whether it becomes executable.
    pub make_executable: bool,
}

/// Applies these edits below `root`, each atomically, all of them or none. A file keeps its mode and its owner.
///
/// # Errors
/// If one cannot be applied: the file is a link or is behind one, is read-only, or has changed. Then nothing
/// is changed.
pub fn edit_files(root: &Path, edits: &[FileEdit]) -> Result<()> {
    // All new contents are written beside their places first, so that most failures come before
    // anything has changed.
    let staged: Vec<StagedEdit> = edits
        .iter()
        .map(|edit| stage_edit(root, edit))
        .collect::<Result<_>>()?;

    let mut done: Vec<AppliedEdit> = Vec::new();
    for staged in staged {
        match staged.apply() {
            Ok(step) => done.push(step),
            Err(error) => {
                // In reverse, as a later rename may depend on an earlier one.
                done.into_iter().rev().for_each(AppliedEdit::undo);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// An edit whose new content is written beside its target.
struct StagedEdit {
    from: Option<PathBuf>,
    to: PathBuf,
    /// The new content; `None` if only the name changes.
    new: Option<TempPath>,
    /// The old content, for the undo.
    old: Option<TempPath>,
}

/// An applied edit, with what is needed to undo it.
struct AppliedEdit {
    from: Option<PathBuf>,
    to: PathBuf,
    old: Option<TempPath>,
}

fn stage_edit(root: &Path, edit: &FileEdit) -> Result<StagedEdit> {
    let to = resolve_path(root, &edit.to)?;
    match &edit.from {
        None => stage_new_file(to, edit),
        Some(from) => stage_change(resolve_path(root, from)?, to, edit),
    }
}

fn stage_new_file(to: PathBuf, edit: &FileEdit) -> Result<StagedEdit> {
    if lstat(&to)?.is_some() {
        return Err(changed_meanwhile(&to, "it already exists"));
    }
    let new = write_beside(&to, &edit.after, None, edit.make_executable)?;
    Ok(StagedEdit {
        from: None,
        to,
        new: Some(new),
        old: None,
    })
}

fn stage_change(from: PathBuf, to: PathBuf, edit: &FileEdit) -> Result<StagedEdit> {
    let meta = writable_metadata(&from)?;
    // The edit was made for these bytes; another program may have changed the file since.
    if super::read(&from)?.as_deref() != Some(edit.before.as_slice()) {
        return Err(changed_meanwhile(&from, "it was changed after it was read"));
    }

    // Where the file system folds case, the new name may lead to the very same file.
    let taken = from != to
        && file_identity(&to)?
            .is_some_and(|other| Ok(Some(other)) != file_identity(&from).map_err(drop));
    if taken {
        return Err(changed_meanwhile(&to, "it already exists"));
    }

    // Only renamed: there is no content to write.
    if edit.before == edit.after && !edit.make_executable {
        return Ok(StagedEdit {
            from: Some(from),
            to,
            new: None,
            old: None,
        });
    }

    let new = write_beside(&from, &edit.after, Some(&meta), edit.make_executable)?;
    // Written now, so that undoing cannot fail on a full disk.
    let old = write_beside(&from, &edit.before, Some(&meta), false)?;
    Ok(StagedEdit {
        from: Some(from),
        to,
        new: Some(new),
        old: Some(old),
    })
}

/// The path of a file below `root`, without links on the way.
fn resolve_path(root: &Path, path: &str) -> Result<PathBuf> {
    let mut place = root.to_owned();
    let mut parts = path.split('/').peekable();

    while let Some(part) = parts.next() {
        if matches!(part, "" | "." | "..") || part.contains('\\') && cfg!(windows) {
            return Err(Error::internal(format!(
                "`{path}` is not a path below `{}`",
                root.display()
            )));
        }
        place.push(part);

        // Each directory by itself: `lstat` follows the links above the last part of a path.
        let last = parts.peek().is_none();
        if !last && !lstat(&place)?.is_some_and(|meta| meta.is_dir()) {
            return Err(write_refused(
                &root.join(path),
                &format!("`{}` is not a directory", place.display()),
            ));
        }
    }
    Ok(place)
}

/// The metadata of a file, if it is a regular and writable one.
fn writable_metadata(path: &Path) -> Result<Metadata> {
    let meta = lstat(path)?.ok_or_else(|| changed_meanwhile(path, "it no longer exists"))?;
    if !meta.is_file() {
        return Err(write_refused(path, "it is not a regular file"));
    }
    // A rename would replace a read-only file all the same, and root would not even notice.
    if platform::is_read_only(&meta) {
        return Err(
            write_refused(path, "it is read-only").help(format!("chmod u+w '{}'", path.display()))
        );
    }
    Ok(meta)
}

fn write_beside(
    path: &Path,
    bytes: &[u8],
    like: Option<&Metadata>,
    executable: bool,
) -> Result<TempPath> {
    try_write_beside(path, bytes, like, executable)
        .context(|| format!("failed to write `{}`", path.display()))
}

fn try_write_beside(
    path: &Path,
    bytes: &[u8],
    like: Option<&Metadata>,
    executable: bool,
) -> std::io::Result<TempPath> {
    let mut file = super::create_beside(path, TemporaryAccess::Default)?;
    super::write_staged(&mut file, bytes)?;
    failpoint(DiskOperation::Mark, path)?;
    platform::set_mode_like(file.as_file(), file.path(), like, executable)?;
    super::sync_file(file.as_file(), path)?;
    Ok(file.into_temp_path())
}

impl StagedEdit {
    fn apply(self) -> Result<AppliedEdit> {
        let StagedEdit { from, to, new, old } = self;
        if let Some(from) = from.as_ref().filter(|from| **from != to) {
            super::rename(from, &to)?;
        }

        let persist = |new: TempPath| {
            failpoint(DiskOperation::Rename, &to)?;
            new.persist(&to).map_err(|error| error.error)
        };

        if let Some(new) = new
            && let Err(error) = persist(new)
        {
            // The rename was the first half of this edit, and is undone with it.
            if let Some(from) = from.as_ref().filter(|from| **from != to) {
                let _ = super::rename(&to, from);
            }
            return Err(error).context(|| format!("failed to write `{}`", to.display()));
        }

        // Old or new, the file is whole; the sync only makes its name durable.
        let _ = sync_dir(to.parent().unwrap_or(Path::new(".")));
        Ok(AppliedEdit { from, to, old })
    }
}

impl AppliedEdit {
    /// Restores the old state, as far as possible.
    fn undo(self) {
        let AppliedEdit { from, to, old } = self;
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

fn write_refused(path: &Path, why: &str) -> Error {
    Error::disk(format!("failed to write `{}`: {why}", path.display()))
}

fn changed_meanwhile(path: &Path, why: &str) -> Error {
    write_refused(path, why).help("run the command again")
}

#[cfg(test)]
mod tests {
    use std::fs;
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    #[cfg(unix)]
    use crate::platform::IS_PORTABLE;

    fn edit(path: &str, before: &str, after: &str) -> FileEdit {
        FileEdit {
            from: Some(path.into()),
            to: path.into(),
            before: before.into(),
            after: after.into(),
            make_executable: false,
        }
    }

    fn directory_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            fs::write(dir.path().join(path), text).unwrap();
        }
        dir
    }

    /// All files with their permissions and contents.
    fn state(dir: &Path) -> Vec<(String, fs::Permissions, String)> {
        let mut state: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let permissions = entry.metadata().unwrap().permissions();
                (
                    entry.file_name().into_string().unwrap(),
                    permissions,
                    fs::read_to_string(entry.path()).unwrap_or_default(),
                )
            })
            .collect();
        state.sort_by(|a, b| a.0.cmp(&b.0));
        state
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_mode_and_may_change_its_case() {
        let dir = directory_with(&[("skill.md", "a")]);
        fs::set_permissions(
            dir.path().join("skill.md"),
            fs::Permissions::from_mode(0o640),
        )
        .unwrap();
        let renamed = FileEdit {
            to: "SKILL.md".into(),
            make_executable: true,
            ..edit("skill.md", "a", "b")
        };
        edit_files(dir.path(), &[renamed]).unwrap();
        let state = state(dir.path());
        let [(name, permissions, text)] = &state[..] else {
            panic!("{state:?}")
        };
        assert_eq!((name.as_str(), text.as_str()), ("SKILL.md", "b"));
        // The portable implementation has no such mode.
        let mode = if IS_PORTABLE { 0o640 } else { 0o750 };
        assert_eq!(permissions.mode() & 0o777, mode);
    }

    #[cfg(unix)]
    #[test]
    fn where_one_file_cannot_be_changed_none_is() {
        let dir = directory_with(&[("a", "1"), ("b", "1"), ("c", "1")]);
        fs::set_permissions(dir.path().join("c"), fs::Permissions::from_mode(0o444)).unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("link")).unwrap();
        let before = state(dir.path());
        for bad in [
            edit("c", "1", "2"),
            edit("b", "other", "2"),
            edit("link", "1", "2"),
            edit("gone", "1", "2"),
        ] {
            let error = edit_files(dir.path(), &[edit("a", "1", "2"), bad]).unwrap_err();
            assert!(error.message().starts_with("failed to write"), "{error:?}");
            assert_eq!(state(dir.path()), before);
        }
    }

    #[test]
    fn late_failure_undoes_the_earlier_steps() {
        let dir = directory_with(&[("a", "1"), ("b", "1")]);
        let before = state(dir.path());
        let edits = [
            FileEdit {
                to: "z".into(),
                ..edit("a", "1", "2")
            },
            edit("b", "1", "2"),
        ];
        let staged: Vec<_> = edits
            .iter()
            .map(|edit| stage_edit(dir.path(), edit).unwrap())
            .collect();
        let done: Vec<AppliedEdit> = staged
            .into_iter()
            .map(|staged| staged.apply().unwrap())
            .collect();
        let after = state(dir.path());
        // The staged old contents are beside them.
        let names = after
            .iter()
            .map(|(name, ..)| name.as_str())
            .filter(|name| !name.starts_with('.'));
        assert_eq!(names.collect::<Vec<_>>(), ["b", "z"]);
        done.into_iter().rev().for_each(AppliedEdit::undo);
        assert_eq!(state(dir.path()), before);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_behind_a_link_or_outside() {
        let dir = directory_with(&[("a", "1")]);
        let outside = directory_with(&[("a", "1")]);
        std::os::unix::fs::symlink(outside.path(), dir.path().join("sub")).unwrap();
        for path in ["sub/a", "../a", "/a"] {
            assert!(edit_files(dir.path(), &[edit(path, "1", "2")]).is_err());
        }
        assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "1");
    }
}

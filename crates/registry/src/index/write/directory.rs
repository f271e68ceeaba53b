//! A directory: a writer locks it, and writes each file by a rename, archives first, then owners, then the entries that
//! depend on both. Killed at any point, the index is the one before or the one after, and may have an archive or an owners'
//! file that nothing refers to yet, which a retry writes with the same bytes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use super::search_head::{new_head, report_outcome, searchable_changes};
use super::{DecideEdit, IndexEdit, IndexEditOutcome, IndexFiles, IndexWriteOptions, IndexWriter};
use crate::index::search::SEARCH_HEAD;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexUrl, PackageName};
use skillpm_core::report::EventReporter;
use skillpm_io::disk::{self, FileLock};

/// The greatest depth of files in an index.
const DEPTH_MAX: usize = 6;

pub(super) struct DirectoryIndexWriter<'a> {
    dir: PathBuf,
    timeout: Duration,
    reporter: &'a dyn EventReporter,
}

impl<'a> DirectoryIndexWriter<'a> {
    /// Opens the directory at a URL.
    pub(super) fn open(
        url: &IndexUrl,
        writing: IndexWriteOptions<'a>,
    ) -> Result<DirectoryIndexWriter<'a>> {
        let dir = Url::parse(url.inner())
            .ok()
            .and_then(|url| url.to_file_path().ok());

        let dir = dir.ok_or_else(|| Error::usage(format!("invalid directory URL `{url}`")))?;
        Ok(DirectoryIndexWriter {
            dir,
            timeout: writing.timeout,
            reporter: writing.tools.reporter,
        })
    }

    fn put_file(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.dir.join(path);
        let dir = place.parent().unwrap_or(&self.dir);

        // No other process writes while the directory is locked, so these are of killed ones.
        for name in disk::list_names(dir)?
            .iter()
            .filter(|name| name.starts_with(disk::TEMPORARY_PREFIX))
        {
            disk::remove(&dir.join(name))?;
        }

        disk::write_atomic(&place, bytes)?;
        // Synced before the next file is written, which may refer to this one.
        disk::sync_dirs_above(&place, &self.dir)
    }
}

impl DirectoryIndexWriter<'_> {
    /// Writes the head of the search index with changes; returns how many it has.
    fn put_search_head(&self, changes: &[(PackageName, &[u8])]) -> Result<usize> {
        let head = disk::read(&self.dir.join(SEARCH_HEAD))?;
        let (head, count) = new_head(head.as_deref(), changes)?;
        self.put_file(SEARCH_HEAD, &head)?;
        Ok(count)
    }
}

impl IndexWriter for DirectoryIndexWriter<'_> {
    fn update(&self, decide: &mut DecideEdit<'_>) -> Result<Option<IndexEditOutcome>> {
        if !disk::lstat(&disk::real_path(&self.dir))?.is_some_and(|meta| meta.is_dir()) {
            return Err(
                Error::usage(format!("directory `{}` not found", self.dir.display())).help(
                    format!(
                        "run `skillpm registry new {}` to create an index there",
                        self.dir.display()
                    ),
                ),
            );
        }

        let _lock = FileLock::acquire_dir(&self.dir, self.timeout, self.reporter)?;
        let Some(edit) = decide(&DirectoryIndexSnapshot(&self.dir))?
            .map(IndexEdit::check_paths)
            .transpose()?
        else {
            return Ok(None);
        };

        // Referenced files are written first.
        let (owners, entries): (Vec<_>, Vec<_>) = edit
            .files
            .iter()
            .partition(|(path, _)| path.starts_with("owners/"));
        for (path, bytes) in edit.archives.iter().chain(owners).chain(entries) {
            self.put_file(path, bytes)?;
        }

        let config = disk::read(&self.dir.join("config.json"))?;
        let changes = searchable_changes(&edit, config.as_deref());
        if !changes.is_empty() {
            report_outcome(&self.put_search_head(&changes), self.reporter);
        }

        Ok(Some(IndexEditOutcome::default()))
    }
}

/// The present files of the directory.
struct DirectoryIndexSnapshot<'a>(&'a Path);

impl IndexFiles for DirectoryIndexSnapshot<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        disk::read(&self.0.join(path))
    }

    fn list_paths(&self, enters: &dyn Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
        disk::list_files_in(self.0, DEPTH_MAX, enters).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use skillpm_core::report::SilentReporter;

    fn edit() -> IndexEdit {
        let one =
            |path: &str, text: &str| BTreeMap::from([(path.to_owned(), text.as_bytes().to_vec())]);
        let mut files = one("3/p/pdf", "line\n");
        files.extend(one("owners/_.toml", "owners = []\n"));
        IndexEdit {
            message: "publish".into(),
            archives: one("archives/pdf-1.0.0.tar.gz", "bytes"),
            files,
        }
    }

    fn directory(dir: &Path) -> DirectoryIndexWriter<'static> {
        DirectoryIndexWriter {
            dir: dir.to_owned(),
            timeout: Duration::ZERO,
            reporter: &SilentReporter,
        }
    }

    #[test]
    fn a_change_is_written_and_files_of_a_killed_one_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("3/p")).unwrap();
        std::fs::write(
            dir.path()
                .join("3/p")
                .join(format!("{}x", disk::TEMPORARY_PREFIX)),
            "half",
        )
        .unwrap();
        let written = directory(dir.path())
            .update(&mut |_| Ok(Some(edit())))
            .unwrap();
        assert_eq!(written, Some(IndexEditOutcome::default()));
        let files = disk::list_files(dir.path(), 9).unwrap();
        assert_eq!(
            files,
            ["3/p/pdf", "archives/pdf-1.0.0.tar.gz", "owners/_.toml"]
        );
    }

    #[test]
    fn edit_without_changes_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            directory(dir.path()).update(&mut |_| Ok(None)).unwrap(),
            None
        );
        let refused = directory(dir.path()).update(&mut |_| Err(Error::negative("no")));
        assert_eq!(refused.unwrap_err().message(), "no");
        assert!(disk::list_names(dir.path()).unwrap().is_empty());
        assert!(
            directory(&dir.path().join("none"))
                .update(&mut |_| Ok(None))
                .is_err()
        );
    }
}

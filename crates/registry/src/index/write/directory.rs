//! A directory: whoever changes it holds its lock, and puts each file by a rename, archives first, then who may publish,
//! then the lines that name both. Killed at any point, it is the index before or the index after, and perhaps an archive
//! or an owner's claim that nothing refers to yet, which the same change made again meets with the same bytes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use super::{Decide, Edit, Files, Ledger, Writing, Written};
use crate::error::{Error, Result};
use crate::io::disk::{self, FileLock};
use crate::package::IndexUrl;
use crate::report::Reporter;

/// How deep the files of an index stand at most.
const DEPTH_MAX: usize = 6;

pub(super) struct Directory<'a> {
    dir: PathBuf,
    patience: Duration,
    reporter: &'a dyn Reporter,
}

impl<'a> Directory<'a> {
    /// The directory that a URL names.
    pub(super) fn at(url: &IndexUrl, writing: Writing<'a>) -> Result<Directory<'a>> {
        let dir = Url::parse(url.inner()).ok().and_then(|url| url.to_file_path().ok());
        let dir = dir.ok_or_else(|| Error::usage(format!("`{url}` names no directory")))?;
        Ok(Directory { dir, patience: writing.patience, reporter: writing.tools.reporter })
    }

    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.dir.join(path);
        let dir = place.parent().unwrap_or(&self.dir);
        // Nobody else writes as long as the lock is held, so these are of killed processes.
        for name in disk::names(dir)?.iter().filter(|name| name.starts_with(disk::TEMPORARY)) {
            disk::remove(&dir.join(name))?;
        }
        disk::write_atomic(&place, bytes)?;
        disk::sync_dirs_above(&place, &self.dir)
    }
}

impl Ledger for Directory<'_> {
    fn change(&self, decide: &mut Decide<'_>) -> Result<Option<Written>> {
        if !disk::lstat(&disk::real_path(&self.dir))?.is_some_and(|meta| meta.is_dir()) {
            return Err(Error::usage(format!("there is no directory `{}`", self.dir.display()))
                .help(format!("`skillpm registry new {}` makes an index there", self.dir.display())));
        }
        let _lock = FileLock::of_dir(&self.dir, self.patience, self.reporter)?;
        let Some(edit) = decide(&At(&self.dir))?.map(Edit::checked).transpose()? else { return Ok(None) };
        let (claims, lines): (Vec<_>, Vec<_>) = edit.files.iter().partition(|(path, _)| path.starts_with("owners/"));
        for (path, bytes) in edit.archives.iter().chain(claims).chain(lines) {
            self.put(path, bytes)?;
        }
        Ok(Some(Written::default()))
    }
}

/// What lies in the directory now.
struct At<'a>(&'a Path);

impl Files for At<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        disk::read(&self.0.join(path))
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        disk::list_files(self.0, DEPTH_MAX).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::Silent;

    fn edit() -> Edit {
        let one = |path: &str, text: &str| BTreeMap::from([(path.to_owned(), text.as_bytes().to_vec())]);
        let mut files = one("3/p/pdf", "line\n");
        files.extend(one("owners/_.toml", "owners = []\n"));
        Edit { message: "publish".into(), archives: one("archives/pdf-1.0.0.tar.gz", "bytes"), files }
    }

    fn directory(dir: &Path) -> Directory<'static> {
        Directory { dir: dir.to_owned(), patience: Duration::ZERO, reporter: &Silent }
    }

    #[test]
    fn a_change_lands_whole_and_clears_what_a_killed_one_left() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("3/p")).unwrap();
        std::fs::write(dir.path().join("3/p").join(format!("{}x", disk::TEMPORARY)), "half").unwrap();
        let written = directory(dir.path()).change(&mut |_| Ok(Some(edit()))).unwrap();
        assert_eq!(written, Some(Written::default()));
        let files = disk::list_files(dir.path(), 9).unwrap();
        assert_eq!(files, ["3/p/pdf", "archives/pdf-1.0.0.tar.gz", "owners/_.toml"]);
    }

    #[test]
    fn nothing_to_do_writes_nothing_and_a_refusal_is_passed_on() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(directory(dir.path()).change(&mut |_| Ok(None)).unwrap(), None);
        let refused = directory(dir.path()).change(&mut |_| Err(Error::negative("no")));
        assert_eq!(refused.unwrap_err().message(), "no");
        assert!(disk::names(dir.path()).unwrap().is_empty());
        assert!(directory(&dir.path().join("none")).change(&mut |_| Ok(None)).is_err());
    }
}

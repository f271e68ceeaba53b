//! A directory: `file:///path/to/index`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use url::Url;

use super::{IndexFileCache, IndexTransport, size_limit};
use crate::index::search::{IndexSurvey, TableSeal, hash_mark, settled_mark};
use crate::index::{IndexContext, layout};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::IndexUrl;
use skillpm_io::skills_dir::{DirectoryHandle, PathKind};
use skillpm_io::{disk, run_parallel};

/// The depth of packages' files: scope, two shards, name.
const DEPTH_MAX: usize = 3;

/// Up to how many packages the stamp of each file is checked for changes. In a larger index only those of the directories
/// are, which every write by skillpm, git or rsync changes.
const FILE_STAMPS_MAX: usize = 4096;

/// From how many files on they are read in parallel, and by how many threads.
const PARALLEL_MIN: usize = 64;
const READERS: usize = 4;

pub(super) struct DirectoryTransport {
    dir: PathBuf,
    /// The files of packages as they were last seen.
    history: IndexFileCache,
}

/// Reads a file of the index at a URL, unchecked.
pub(super) fn read(index: &IndexUrl, path: &str) -> Result<Option<Vec<u8>>> {
    disk::read_up_to(&directory_of(index)?.join(path), size_limit(path))
}

fn directory_of(index: &IndexUrl) -> Result<PathBuf> {
    let path = Url::parse(index.inner())
        .ok()
        .and_then(|url| url.to_file_path().ok());
    path.ok_or_else(|| Error::usage(format!("invalid directory URL `{index}`")))
}

impl DirectoryTransport {
    /// The paths in a directory that could lead to packages' files.
    fn list_path_parts(&self, dir: &str) -> Result<Vec<String>> {
        let names = disk::list_names(&self.dir.join(dir))?;
        Ok(names
            .into_iter()
            .filter(|name| is_path_part(name))
            .map(|name| child_path(dir, name))
            .collect())
    }

    /// Opens the directory at a URL.
    pub(super) fn open(index: &IndexUrl, tools: &IndexContext<'_>) -> Result<DirectoryTransport> {
        Ok(DirectoryTransport {
            dir: directory_of(index)?,
            history: IndexFileCache::open(index, tools),
        })
    }
}

impl IndexTransport for DirectoryTransport {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        // Threads cost more than they save for a few files.
        let readers = if paths.len() < PARALLEL_MIN {
            1
        } else {
            READERS
        };
        run_parallel(readers, paths, |path| {
            disk::read_up_to(&self.dir.join(path), size_limit(path))
        })
    }

    fn read_entries(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        // Not each file that a search reads: only these may be installed.
        let check = |(file, path): (Result<Option<Vec<u8>>>, &String)| {
            let file = file?;
            // Again, since another process may have cached a version that was published after the file was read.
            self.history
                .check_and_cache(path, file)
                .or_else(|_| self.history.check_and_cache(path, self.read(path)?))
        };
        self.read_all(paths)
            .into_iter()
            .zip(paths)
            .map(check)
            .collect()
    }

    fn list_paths(&self) -> Result<Option<Vec<String>>> {
        Ok(Some(list_files(&self.dir, "", 0)))
    }

    fn survey(&self, now: SystemTime) -> Result<Option<IndexSurvey>> {
        let directory = DirectoryHandle::open(&self.dir)?;
        let (mut files, mut stamps) = (Vec::new(), Vec::new());
        let mut open = vec![(String::new(), 0)];

        while let Some((dir, depth)) = open.pop() {
            // Before its names are read, so that a file that is added meanwhile is found next time.
            let Some(stamp) = directory.directory_stamp(if dir.is_empty() { "." } else { &dir })
            else {
                continue;
            };
            stamps.push((dir.clone(), settled_mark(&stamp, now)));

            for path in self.list_path_parts(&dir)? {
                match directory.stat(&path)? {
                    Some((PathKind::Directory, _)) if depth < DEPTH_MAX => {
                        open.push((path, depth + 1));
                    }
                    Some((PathKind::File, stamp)) if layout::parse_entry_path(&path).is_some() => {
                        files.push((path, settled_mark(&stamp, now)));
                    }
                    // Links and devices are ignored, and nothing is deeper than a package's file.
                    _ => {}
                }
            }
        }

        // In the order of the rows of a search table.
        files.sort_unstable();
        if files.len() <= FILE_STAMPS_MAX {
            stamps.extend(files.iter().cloned());
        }

        Ok(Some(IndexSurvey {
            seal: Some(TableSeal::Stamps(stamps)),
            files,
        }))
    }

    fn is_unchanged_since(&self, seal: &TableSeal) -> bool {
        let (TableSeal::Stamps(stamps), Ok(directory)) = (seal, DirectoryHandle::open(&self.dir))
        else {
            return false;
        };

        stamps.iter().all(|(path, mark)| {
            let found = directory.stat(if path.is_empty() { "." } else { path });
            found.is_ok_and(|found| found.is_some_and(|(_, stamp)| hash_mark(&stamp) == *mark))
        })
    }
}

/// Whether a name can be part of a package's path: those of archives and other files have other characters in them.
fn is_path_part(name: &str) -> bool {
    name.bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn child_path(dir: &str, name: String) -> String {
    if dir.is_empty() {
        name
    } else {
        format!("{dir}/{name}")
    }
}

/// Lists files down to the depth of packages' files.
fn list_files(dir: &Path, prefix: &str, depth: usize) -> Vec<String> {
    let mut paths = Vec::new();
    for name in disk::list_names(dir).unwrap_or_default() {
        let place = dir.join(&name);
        let path = child_path(prefix, name);
        match disk::lstat(&place) {
            Ok(Some(meta)) if meta.is_dir() && depth < DEPTH_MAX => {
                paths.extend(list_files(&place, &path, depth + 1));
            }
            Ok(Some(meta)) if meta.is_file() => paths.push(path),
            _ => {}
        }
    }
    paths
}

//! A directory: `file:///path/to/index`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use url::Url;

use super::{Place, limit_of};
use crate::error::{Error, Result};
use crate::index::layout;
use crate::index::search::{Seal, Survey, mark_by, mark_of};
use crate::io::skills_dir::{Held, Kind};
use crate::io::{disk, parallel};
use crate::package::IndexUrl;

/// How deep packages stand: scope, two shards, name.
const DEPTH: usize = 3;

/// Up to how many packages each one's file is looked at to tell whether anything has changed. Of a larger index only the
/// directories are, in which every write by skillpm, git or rsync shows.
const EACH_FILE: usize = 4096;

/// From how many files on they are read side by side, and by how many.
const MANY: usize = 64;
const READERS: usize = 4;

pub(super) struct Directory(PathBuf);

impl Directory {
    /// The directory that a URL names.
    pub(super) fn at(index: &IndexUrl) -> Result<Directory> {
        let path = Url::parse(index.inner()).ok().and_then(|url| url.to_file_path().ok());
        path.map(Directory).ok_or_else(|| Error::usage(format!("`{index}` names no directory")))
    }
}

impl Place for Directory {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let readers = if paths.len() < MANY { 1 } else { READERS };
        parallel(readers, paths, |path| disk::read_up_to(&self.0.join(path), limit_of(path)))
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        Ok(Some(below(&self.0, "", 0)))
    }

    fn survey(&self, now: SystemTime) -> Result<Option<Survey>> {
        let held = Held::open(&self.0)?;
        let (mut files, mut stamps) = (Vec::new(), Vec::new());
        let mut open = vec![(String::new(), 0)];
        while let Some((dir, depth)) = open.pop() {
            // Before its names are read: what is added meanwhile then shows next time.
            let Some(stamp) = held.directory_stamp(if dir.is_empty() { "." } else { &dir }) else { continue };
            stamps.push((dir.clone(), mark_of(&stamp, now)));
            for name in disk::names(&self.0.join(&dir))?.into_iter().filter(|name| can_be_part(name)) {
                let path = if dir.is_empty() { name } else { format!("{dir}/{name}") };
                match held.stat(&path)? {
                    Some((Kind::Directory, _)) if depth < DEPTH => open.push((path, depth + 1)),
                    Some((Kind::File { .. }, stamp)) if layout::name_at(&path).is_some() => {
                        files.push((path, mark_of(&stamp, now)));
                    }
                    _ => {}
                }
            }
        }
        files.sort_unstable();
        if files.len() <= EACH_FILE {
            stamps.extend(files.iter().cloned());
        }
        Ok(Some(Survey { seal: Some(Seal::Stamps(stamps)), files }))
    }

    fn holds(&self, seal: &Seal) -> bool {
        let (Seal::Stamps(stamps), Ok(held)) = (seal, Held::open(&self.0)) else { return false };
        stamps.iter().all(|(path, mark)| {
            let found = held.stat(if path.is_empty() { "." } else { path });
            found.is_ok_and(|found| found.is_some_and(|(_, stamp)| mark_by(&stamp) == *mark))
        })
    }
}

/// Whether a name can be part of a package's path: those of archives and of all else have other characters in them.
fn can_be_part(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Files at the depths where packages stand.
fn below(dir: &Path, prefix: &str, depth: usize) -> Vec<String> {
    let mut paths = Vec::new();
    for name in disk::names(dir).unwrap_or_default() {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let place = dir.join(&name);
        match disk::lstat(&place) {
            Ok(Some(meta)) if meta.is_dir() && depth < DEPTH => paths.extend(below(&place, &path, depth + 1)),
            Ok(Some(meta)) if meta.is_file() => paths.push(path),
            _ => {}
        }
    }
    paths
}

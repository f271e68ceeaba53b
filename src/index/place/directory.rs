//! A directory: `file:///path/to/index`.

use std::path::{Path, PathBuf};

use url::Url;

use super::Place;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::package::IndexUrl;

/// How deep packages stand: scope, two shards, name.
const DEPTH: usize = 3;

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
        paths.iter().map(|path| disk::read(&self.0.join(path))).collect()
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        Ok(Some(below(&self.0, "", 0)))
    }
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

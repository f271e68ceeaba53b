//! Where the files of an index are. Each form yields the same: bytes by path.
//!
//! | URL | place |
//! |---|---|
//! | `embedded:default` | inside this program |
//! | `file:///path` | a directory |
//! | `s3://…`, `gs://…`, `az://…` | an object store |

mod bucket;
mod directory;

use super::{Tools, embedded};
use crate::error::{Error, Result};
use crate::io::bucket::Address;
use crate::package::SourceId;

/// The files of an index.
pub(super) trait Place: Send + Sync {
    /// The content of files, as it is now; `None` for one that is not there. They are asked for together, so that a place
    /// that is far away can bring them at once.
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>>;

    /// The paths of all files; `None` where they cannot be listed.
    fn paths(&self) -> Result<Option<Vec<String>>>;

    /// The content of one file.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.read_all(&[path.to_owned()]).remove(0)
    }
}

/// Opens the place that a URL names; nothing is read yet.
pub(super) fn open<'a>(url: &str, tools: Tools<'a>) -> Result<Box<dyn Place + 'a>> {
    if url == SourceId::EMBEDDED_INDEX {
        return Ok(Box::new(Embedded));
    }
    if Address::is_one(url) {
        return Ok(Box::new(bucket::InBucket::open(url, tools)?));
    }
    match directory::Directory::at(url) {
        Some(directory) => Ok(Box::new(directory)),
        None => Err(Error::usage(format!("`{url}` is not an index this skillpm reads"))
            .help("an index is a directory (`file:///path/to/index`) or in an object store (`s3://bucket/prefix`)")),
    }
}

/// The index inside this program.
struct Embedded;

impl Place for Embedded {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        paths.iter().map(|path| Ok(embedded::read(path).map(<[u8]>::to_vec))).collect()
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        Ok(Some(embedded::FILES.iter().map(|(path, ..)| (*path).to_owned()).collect()))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::io::git::{Git, GitOptions};
    use crate::io::http::{Http, Options};
    use crate::report::{Event, Reporter};

    struct Silent;

    impl Reporter for Silent {
        fn report(&self, _: Event) {}
    }

    /// Tools that reach nothing.
    pub(crate) fn with_tools<T>(work: impl FnOnce(Tools<'static>) -> T) -> T {
        let dir = tempfile::tempdir().unwrap();
        let git = Git::new(dir.path().join("git"), GitOptions { offline: true, ..GitOptions::default() });
        let http = Http::new(Options { offline: true, ..Options::default() });
        work(Tools {
            git: Box::leak(Box::new(git)),
            http: Box::leak(Box::new(http)),
            buckets: Box::leak(Box::default()),
            cache: Box::leak(dir.path().join("index").into_boxed_path()),
            offline: true,
            tokens: &|_| Ok(None),
            reporter: &Silent,
        })
    }
}

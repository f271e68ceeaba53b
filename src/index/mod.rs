//! The index: which packages a registry has, at which versions, with which checksums.
//!
//! ```text
//! registry-index/
//! ├── config.json                     {"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}
//! ├── co/mm/commit-messages           one JSON object a line, one line a version; only `yanked` ever changes
//! ├── acme/3/p/pdf                    a scoped name stands in its scope's folder
//! ├── archives/commit-messages-1.0.0.tar.gz
//! └── owners/…
//! ```
//!
//! Read here in two of its forms: the one inside this program, and a directory (`file:///…`).

mod embedded;
mod entry;
mod layout;

use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

use crate::error::{Error, Result};
use crate::io::disk;
use crate::package::{PackageName, SourceId};

pub use entry::{Entry, EntryDependency, Origin};
pub use layout::{archive_path, entry_path};

/// The newest form of `config.json` this program reads.
const API_VERSION: u32 = 1;

/// A registry's index, open for reading.
#[derive(Debug)]
pub struct Index {
    url: String,
    place: Place,
    config: IndexConfig,
}

#[derive(Debug)]
enum Place {
    Embedded,
    Directory(PathBuf),
}

/// `config.json`; keys that are not known are ignored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct IndexConfig {
    api_version: u32,
    /// Where archives are: a template with `{name}`, `{version}` and `{checksum}`, relative to the index or a URL.
    dl: Option<String>,
}

/// Where the archive of a version is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Archive {
    /// Here, whole.
    Bytes(Vec<u8>),
    /// Behind a URL.
    Url(String),
}

/// What was read of one package's file in the index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lookup {
    /// Its versions, in the order of the file.
    pub entries: Vec<Entry>,
    /// Lines that were passed over, each with its reason.
    pub skipped: Vec<String>,
}

impl Index {
    /// Opens the index at `embedded:default` or `file:///path`.
    ///
    /// # Errors
    /// If the URL is of another kind, or there is no readable `config.json`.
    pub fn open(url: &str) -> Result<Index> {
        let place = place_of(url)?;
        let bytes = read(&place, "config.json")?.ok_or_else(|| {
            Error::usage(format!("`{url}` is no index: it has no `config.json`"))
                .help("`skillpm config list` shows which registries are configured, and where")
        })?;
        let config: IndexConfig = serde_json::from_slice(&bytes)
            .map_err(|cause| Error::integrity(format!("`config.json` of index `{url}` cannot be read: {cause}")))?;
        if config.api_version > API_VERSION {
            return Err(Error::usage(format!(
                "index `{url}` has api-version {}, and this skillpm reads up to {API_VERSION}",
                config.api_version
            ))
            .help("install a newer skillpm"));
        }
        Ok(Index { url: url.to_owned(), place, config })
    }

    /// The URL it was opened by.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The versions of a package; none if the index does not have it.
    ///
    /// A line that cannot be read, is of a newer form, or names another package is passed over and told.
    ///
    /// # Errors
    /// If the file is there but cannot be read.
    pub fn lookup(&self, name: &PackageName) -> Result<Lookup> {
        let path = entry_path(name);
        let Some(bytes) = read(&self.place, &path)? else { return Ok(Lookup::default()) };
        let text = String::from_utf8_lossy(&bytes);
        let mut lookup = Lookup::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match Entry::parse(line, name) {
                Ok(entry) => lookup.entries.push(entry),
                Err(reason) => {
                    lookup.skipped.push(format!("line {} of `{path}` in index `{}`: {reason}", number + 1, self.url));
                }
            }
        }
        Ok(lookup)
    }

    /// Where the archive of a version is.
    ///
    /// # Errors
    /// If the index serves none, or has not the file it points to.
    pub fn archive(&self, entry: &Entry) -> Result<Archive> {
        let missing =
            || Error::integrity(format!("index `{}` has no archive of `{} {}`", self.url, entry.name, entry.vers));
        let template = self.config.dl.as_deref().ok_or_else(missing)?;
        let path = archive_path(template, entry);
        if path.contains("://") {
            return Ok(Archive::Url(path));
        }
        match read(&self.place, &path)? {
            Some(bytes) => Ok(Archive::Bytes(bytes)),
            None => Err(missing().note(format!("`{path}` was expected"))),
        }
    }

    /// The names of all packages, sorted; for suggestions, so what cannot be read is left out.
    #[must_use]
    pub fn names(&self) -> Vec<PackageName> {
        let paths = match &self.place {
            Place::Embedded => embedded::FILES.iter().map(|(path, ..)| (*path).to_owned()).collect(),
            Place::Directory(root) => paths_below(root, "", 0),
        };
        let mut names: Vec<PackageName> = paths.iter().filter_map(|path| layout::name_at(path)).collect();
        names.sort();
        names
    }
}

fn place_of(url: &str) -> Result<Place> {
    if url == SourceId::EMBEDDED_INDEX {
        return Ok(Place::Embedded);
    }
    let path = Url::parse(url).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
    path.map(Place::Directory).ok_or_else(|| {
        Error::usage(format!("`{url}` is not an index this skillpm reads"))
            .help("an index is a directory for now: `file:///path/to/index`")
    })
}

fn read(place: &Place, path: &str) -> Result<Option<Vec<u8>>> {
    match place {
        Place::Embedded => Ok(embedded::read(path).map(<[u8]>::to_vec)),
        Place::Directory(root) => disk::read(&root.join(path)),
    }
}

/// Files at the depths where packages stand.
fn paths_below(dir: &std::path::Path, prefix: &str, depth: usize) -> Vec<String> {
    let mut paths = Vec::new();
    for name in disk::names(dir).unwrap_or_default() {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let place = dir.join(&name);
        match disk::lstat(&place) {
            Ok(Some(meta)) if meta.is_dir() && depth < 3 => paths.extend(paths_below(&place, &path, depth + 1)),
            Ok(Some(meta)) if meta.is_file() => paths.push(path),
            _ => {}
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(dir: &std::path::Path) -> Result<Index> {
        Index::open(Url::from_file_path(dir).unwrap().as_str())
    }

    fn write(dir: &std::path::Path, path: &str, text: &str) {
        let place = dir.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    #[test]
    fn a_directory_is_an_index_once_it_has_a_config() {
        let dir = tempfile::tempdir().unwrap();
        assert!(index(dir.path()).unwrap_err().message().contains("is no index"));
        write(dir.path(), "config.json", r#"{"api-version":2}"#);
        assert!(index(dir.path()).unwrap_err().message().contains("api-version 2"));
        write(dir.path(), "config.json", r#"{"api-version":1,"later":true}"#);
        assert!(index(dir.path()).unwrap().names().is_empty());
    }

    #[test]
    fn bad_lines_are_passed_over_and_told() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "config.json", r#"{"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}"#);
        let line = |vers: &str, name: &str, v: u32| {
            format!(
                r#"{{"name":"{name}","vers":"{vers}","deps":[],"cksum":"skill-tree-v1:{}","archive":"sha256:{}","yanked":false,"v":{v},"x":1}}"#,
                "0".repeat(64),
                "0".repeat(64)
            )
        };
        let text =
            [line("1.0.0", "acme/pdf", 1), "garbage".into(), line("2.0.0", "acme/pdf", 9), line("3.0.0", "other", 1)];
        write(dir.path(), "acme/3/p/pdf", &text.join("\n"));
        let index = index(dir.path()).unwrap();
        let lookup = index.lookup(&"acme/pdf".parse().unwrap()).unwrap();
        assert_eq!(lookup.entries.len(), 1);
        assert_eq!(lookup.skipped.len(), 3);
        assert!(lookup.skipped[1].ends_with("it is of form 9, which a newer skillpm reads"), "{}", lookup.skipped[1]);
        assert_eq!(index.names(), ["acme/pdf".parse().unwrap()]);
        let error = index.archive(&lookup.entries[0]).unwrap_err();
        assert_eq!(error.notes(), ["`archives/acme/pdf-1.0.0.tar.gz` was expected"]);
        write(dir.path(), "archives/acme/pdf-1.0.0.tar.gz", "x");
        assert_eq!(index.archive(&lookup.entries[0]).unwrap(), Archive::Bytes(b"x".to_vec()));
    }
}

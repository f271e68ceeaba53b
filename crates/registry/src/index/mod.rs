//! The index: which packages a registry has, at which versions, with which checksums.
//!
//! ```text
//! registry-index/
//! ├── config.json                     {"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}
//! ├── co/mm/commit-messages           one JSON object a line, one line a version; only `yanked` and `revoked` ever change
//! ├── acme/3/p/pdf                    a scoped name stands in its scope's folder
//! ├── archives/commit-messages-1.0.0.tar.gz
//! ├── advisories/…                    what is known against packages, see [`advisory`](crate::advisory)
//! └── owners/…
//! ```
//!
//! Where its files are is a `Place`: inside this program, a directory, a git repository, a web server, an
//! object store. All that is above that is one road. An index that is elsewhere is held to what it said before
//! ([`history::broken_promises`]). [`write`](mod@write) changes an index.

mod advisories;
mod at_hand;
mod embedded;
mod entry;
pub mod history;
mod layout;
mod place;
pub mod search;
mod signed;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::io::archive::ARCHIVE_MAX;
use crate::io::bucket;
use crate::io::git::Git;
use crate::io::http::{Http, Request};
use crate::package::{IndexUrl, PackageName, Secret};
use crate::report::Reporter;

pub use advisories::{database, database_in};
pub use at_hand::revoked_at_hand;
pub use entry::{Entry, EntryDependency, Origin};
pub use layout::{archive_path, entry_path, is_taken, name_at, owners_path};
pub use place::{damaged_copies, directory_of_copies};

/// The one text form of an index's URL, which a registry is known by; see [`IndexUrl`].
///
/// # Errors
/// If it is no URL of an index.
pub fn canonical(url: &str) -> Result<String> {
    Ok(url.parse::<IndexUrl>()?.into())
}

use place::Place;
use write::owners::{self, Realm};

/// Most versions of one package. The packages with the most anywhere have some four thousand.
const VERSIONS_MAX: usize = 10_000;

/// Most bytes of packages' files that one command reads from an index: as a rule ten thousand packages.
const TAKEN_MAX: u64 = 32 << 20;

/// The newest form of `config.json` this program reads.
const API_VERSION: u32 = 1;

/// What it takes to reach an index.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Repositories.
    pub git: &'a Git,
    /// Downloads.
    pub http: &'a Http,
    /// How object stores are reached.
    pub buckets: &'a bucket::Options,
    /// The directory in which copies of indexes are kept: `$SKILLPM_HOME/index`.
    pub cache: &'a Path,
    /// Whether the network is off: only what was brought before can be had.
    pub offline: bool,
    /// The token that goes with the URL of an index.
    pub tokens: &'a Tokens,
    /// The URLs of indexes that may go back on what they said before, because a person says so.
    pub rewritten: &'a BTreeSet<String>,
    /// Who hears of what happens.
    pub reporter: &'a dyn Reporter,
}

/// Finds the token that goes with just this URL of an index; `None` if there is none.
pub type Tokens = dyn Fn(&str) -> Result<Option<Secret>> + Sync;

/// A registry's index, open for reading.
pub struct Index<'a> {
    url: IndexUrl,
    place: Box<dyn Place + 'a>,
    config: IndexConfig,
    tokens: &'a Tokens,
    /// How many bytes of packages' files were read.
    taken: AtomicU64,
}

/// `config.json`; keys that are not known are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct IndexConfig {
    /// The form of the index.
    pub api_version: u32,
    /// Where archives are: a template with `{name}`, `{version}` and `{checksum}`, relative to the index or a URL; `None`
    /// if each version is taken from the commit in its `src`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dl: Option<String>,
    /// Whether the index has advisories, in `advisories/all.json`; without this nobody asks for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advisories: bool,
    /// The number of this state, for an index that has no history to tell by which of two is the newer: it never falls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<u64>,
    /// Until when whoever keeps the index says that this state is to be believed: past that, a newer one is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
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

impl Lookup {
    /// The line about a version.
    #[must_use]
    pub fn of(&self, version: Option<&semver::Version>) -> Option<&Entry> {
        self.entries.iter().find(|entry| Some(&entry.vers) == version)
    }
}

impl IndexConfig {
    /// Reads the file of the index at `url`. `words` are what this program does with one up to a form, and what helps
    /// against a `dl` that cannot be.
    fn parse(bytes: &[u8], url: &IndexUrl, words: (&str, &str)) -> Result<IndexConfig> {
        let (does, help) = words;
        let config: IndexConfig = serde_json::from_slice(bytes)
            .map_err(|cause| Error::integrity(format!("`config.json` of index `{url}` cannot be read: {cause}")))?;
        if config.api_version > API_VERSION {
            let found = config.api_version;
            return Err(Error::usage(format!(
                "index `{url}` has api-version {found}, and this skillpm {does} {API_VERSION}"
            ))
            .help("install a newer skillpm"));
        }
        if let Some(fault) = config.dl.as_deref().and_then(|template| layout::template_fault(template, url)) {
            return Err(
                Error::integrity(format!("`dl` in `config.json` of index `{url}` cannot be used: {fault}")).help(help)
            );
        }
        Ok(config)
    }
}

impl<'a> Index<'a> {
    /// Opens the index at a URL.
    ///
    /// # Errors
    /// If it is no URL of an index, there is no readable `config.json`, or what that says cannot be.
    pub fn open(url: &str, tools: Tools<'a>) -> Result<Index<'a>> {
        Index::open_named(url, None, tools)
    }

    /// The same for a URL that another index named, `named_by`, which then may lead no further than that may send us.
    ///
    /// # Errors
    /// As for [`Index::open`]; and if it leads further.
    pub fn open_named(url: &str, named_by: Option<&IndexUrl>, tools: Tools<'a>) -> Result<Index<'a>> {
        let url: IndexUrl = url.parse()?;
        let named_by = named_by.filter(|by| !by.is_local());
        if let Some(by) = named_by.filter(|by| url.is_local() || (url.is_on_loopback() && !by.is_on_loopback())) {
            return Err(Error::integrity(format!("index `{by}` names `{url}`, a place on this machine"))
                .help(format!("if you want it, name it yourself: `skillpm config set registries.NAME.index {url}`")));
        }
        let place = place::open(&url, named_by, tools)?;
        let bytes = place.read("config.json")?.ok_or_else(|| {
            Error::usage(format!("`{url}` is no index: it has no `config.json`"))
                .help("`skillpm config list` shows which registries are configured, and where")
        })?;
        let help = "nothing was brought from there; tell the registry's owners";
        let config = IndexConfig::parse(&bytes, &url, ("reads up to", help))?;
        Ok(Index { url, place, config, tokens: tools.tokens, taken: AtomicU64::new(0) })
    }

    /// The URL it was opened by.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// What `config.json` says.
    #[must_use]
    pub fn config(&self) -> &IndexConfig {
        &self.config
    }

    /// The versions of a package; none if the index does not have it.
    ///
    /// # Errors
    /// As for [`Index::lookup_all`].
    pub fn lookup(&self, name: &PackageName) -> Result<Lookup> {
        self.lookup_all(std::slice::from_ref(name)).remove(0)
    }

    /// The versions of packages, asked for together; none where the index does not have one.
    ///
    /// A line that cannot be read, is of a newer form, names another package, or is the second about a version is passed over
    /// and told.
    ///
    /// # Errors
    /// Each for itself: if the file cannot be had, has no line of an index, or more versions than are read.
    pub fn lookup_all(&self, names: &[PackageName]) -> Vec<Result<Lookup>> {
        let paths: Vec<String> = names.iter().map(entry_path).collect();
        let files = self.place.read_all(&paths);
        names.iter().zip(files).map(|(name, file)| self.parse(name, file?.as_deref().unwrap_or_default())).collect()
    }

    /// The files of packages, asked for together, byte for byte; `None` where the index does not have one.
    ///
    /// # Errors
    /// Each for itself: if the file cannot be had.
    pub fn files(&self, names: &[PackageName]) -> Vec<Result<Option<Vec<u8>>>> {
        self.place.read_all(&names.iter().map(entry_path).collect::<Vec<_>>())
    }

    fn parse(&self, name: &PackageName, file: &[u8]) -> Result<Lookup> {
        self.admit(name, file)?;
        let text = String::from_utf8_lossy(file);
        // Some editors put a byte order mark in front.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut lookup = Lookup::default();
        let mut line_of: BTreeMap<Version, usize> = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let read = Entry::parse(line, name).and_then(|entry| match line_of.get(&entry.vers) {
                Some(first) => Err(format!("version {} is in line {first} already", entry.vers)),
                None => Ok(entry),
            });
            match read {
                Ok(mut entry) => {
                    // Lists that nobody here knows of take thirty times their size, and nobody asks for them.
                    entry.rest.retain(|_, value| !value.is_array() && !value.is_object());
                    line_of.insert(entry.vers.clone(), number);
                    lookup.entries.push(entry);
                }
                Err(reason) => {
                    let path = entry_path(name);
                    lookup.skipped.push(format!("line {number} of `{path}` in index `{}`: {reason}", self.url));
                }
            }
        }
        if lookup.entries.is_empty() && !text.trim().is_empty() && !text.lines().any(entry::is_line) {
            return Err(self.no_entries(name, text, &lookup));
        }
        Ok(lookup)
    }

    /// The failure that an index answered with something else than a file of it, such as the page of a login.
    fn no_entries(&self, name: &PackageName, text: &str, lookup: &Lookup) -> Error {
        let path = entry_path(name);
        let error = Error::integrity(format!("index `{}` answered with something that is no index entry", self.url))
            .note(format!("`{path}`, the file of `{name}`, has no line that can be read"));
        let error = lookup.skipped.iter().take(1).fold(error, |error, first| error.note(first.clone()));
        if text.trim_start().starts_with('<') {
            return error.help(
                "it is a web page, perhaps of a login or a proxy; `skillpm login` keeps the token of a registry",
            );
        }
        error.help("check the URL of the index (`skillpm config list`); if it is right, tell the registry's owners")
    }

    /// Refuses a package with more versions, and an index with more packages' files in one command, than are read into
    /// memory: a server decides how many there are, and what a solve asks for next.
    fn admit(&self, name: &PackageName, file: &[u8]) -> Result<()> {
        let refused = |what: String| {
            let error =
                Error::integrity(format!("refusing to read `{}` of index `{}`: {what}", entry_path(name), self.url));
            error.help("nothing was installed; report it to the registry's owners")
        };
        let versions = memchr::memchr_iter(b'\n', file.trim_ascii()).count() + 1;
        if versions > VERSIONS_MAX {
            return Err(refused(format!("it has {versions} versions; the limit is {VERSIONS_MAX}")));
        }

        let size = file.len() as u64;
        let taken = self.taken.fetch_add(size, Ordering::Relaxed) + size;
        if taken > TAKEN_MAX {
            let what = "files of packages that one command needs have more than";
            return Err(refused(format!("the {what} {TAKEN_MAX} bytes in that index")));
        }
        Ok(())
    }

    /// Where the archives of versions are, asked for together; `None` if the index serves none, or has not the file it
    /// points to.
    ///
    /// # Errors
    /// Each for itself: if the index cannot be asked.
    #[must_use]
    pub fn archives(&self, entries: &[&Entry]) -> Vec<Result<Option<Archive>>> {
        let paths: Vec<Option<String>> = entries.iter().map(|entry| self.archive_path(entry)).collect();
        let urls: Vec<Option<String>> = paths.iter().map(|path| self.url_of(path.as_deref()?)).collect();
        let is_own = |(path, url): (&Option<String>, &Option<String>)| path.clone().filter(|_| url.is_none());
        let own: Vec<String> = paths.iter().zip(&urls).filter_map(is_own).collect();
        let mut files = self.place.bring_all(&own).into_iter();
        let found = paths.iter().zip(urls);
        found
            .map(|(path, url)| match (path, url) {
                (_, Some(url)) => Ok(Some(Archive::Url(url))),
                (None, None) => Ok(None),
                (Some(_), None) => Ok(files.next().expect("every path has an answer")?.map(Archive::Bytes)),
            })
            .collect()
    }

    /// The path of a version's archive below the index, or its URL; `None` if it has none.
    fn archive_path(&self, entry: &Entry) -> Option<String> {
        entry.archive.as_ref()?;
        Some(archive_path(self.config.dl.as_deref()?, entry))
    }

    /// The URL at which anybody can download an archive.
    fn url_of(&self, path: &str) -> Option<String> {
        if path.contains("://") { Some(path.to_owned()) } else { self.place.url_of(path) }
    }

    /// The failure that there is no archive of a version.
    #[must_use]
    pub fn no_archive(&self, entry: &Entry) -> Error {
        let error = Error::integrity(format!("index `{}` has no archive of `{} {}`", self.url, entry.name, entry.vers))
            .help("nothing was installed; tell the registry's owners");
        match self.archive_path(entry) {
            Some(path) => error.note(format!("`{path}` was expected")),
            None => error,
        }
    }

    /// Who may publish a package; `None` if nobody has claimed its scope yet.
    ///
    /// # Errors
    /// If the file cannot be had or understood.
    pub fn owners(&self, name: &PackageName) -> Result<Option<Vec<String>>> {
        let Some(bytes) = self.file(&owners_path(name))? else { return Ok(None) };
        owners::owners(Some(&bytes), &Realm::of(name)).map(Some)
    }

    /// The request for an archive at the URL that [`Index::archives`] gave.
    ///
    /// What the index chose may lead no further than a redirect of its server could.
    /// Only where it is served from the index's own origin does the index's token go with it.
    ///
    /// # Errors
    /// If somebody who may have the token cannot be asked.
    pub fn request(&self, url: &str) -> Result<Request> {
        let is_own = url.starts_with(self.url.inner());
        Ok(Request {
            named_by: (!is_own && !self.url.is_local()).then(|| self.url.inner().to_owned()),
            authorization: if self.url.shares_origin(url) { (self.tokens)(self.url.as_str())? } else { None },
            ..Request::new(url, ARCHIVE_MAX)
        })
    }

    /// The content of any file of the index; `None` if it is not there.
    ///
    /// # Errors
    /// If it cannot be had.
    pub fn file(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.place.read(path)
    }

    /// The names of all packages, sorted; for suggestions, so what cannot be read is left out.
    #[must_use]
    pub fn names(&self) -> Vec<PackageName> {
        let paths = self.place.paths().ok().flatten().unwrap_or_default();
        let mut names: Vec<PackageName> = paths.iter().filter_map(|path| layout::name_at(path)).collect();
        names.sort();
        names
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    /// No tool is needed for a directory.
    fn index(dir: &Path) -> Result<Index<'static>> {
        place::tests::with_tools(|tools| Index::open(Url::from_file_path(dir).unwrap().as_str(), tools))
    }

    fn write(dir: &std::path::Path, path: &str, text: &str) {
        let place = dir.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    #[test]
    fn a_directory_is_an_index_once_it_has_a_config() {
        let dir = tempfile::tempdir().unwrap();
        assert!(index(dir.path()).err().unwrap().message().contains("is no index"));
        write(dir.path(), "config.json", r#"{"api-version":2}"#);
        assert!(index(dir.path()).err().unwrap().message().contains("api-version 2"));
        write(dir.path(), "config.json", r#"{"api-version":1,"later":true}"#);
        assert!(index(dir.path()).unwrap().names().is_empty());
    }

    #[test]
    fn file_that_is_no_index_entry_is_refused_and_byte_order_mark_is_skipped() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "config.json", r#"{"api-version":1}"#);
        let line = |vers: &str, license: &str| {
            format!(
                r#"{{"name":"pdf","vers":"{vers}","cksum":"skill-tree-v1:{}","archive":"sha256:{}","license":"{license}","v":1}}"#,
                "0".repeat(64),
                "0".repeat(64)
            )
        };
        let lookup = |text: &str| {
            write(dir.path(), "3/p/pdf", text);
            index(dir.path()).unwrap().lookup(&"pdf".parse().unwrap())
        };
        for page in ["<!doctype html>\n<title>Log in</title>\n", "{\"error\":\"unauthorized\"}", "\u{feff}not found"] {
            let error = lookup(page).unwrap_err();
            assert!(error.message().ends_with("answered with something that is no index entry"), "{page}");
            assert!(error.notes()[0].contains("`3/p/pdf`") && error.notes()[1].starts_with("line 1 of `3/p/pdf`"));
        }
        assert!(lookup("<html>").unwrap_err().helps()[0].contains("a web page"));
        assert_eq!(lookup("\n").unwrap(), Lookup::default());

        let marked = lookup(&format!("\u{feff}{}\n", line("1.0.0", "MIT"))).unwrap();
        assert_eq!((marked.entries.len(), marked.skipped.len()), (1, 0));
        // Only what cannot be read makes it no index.
        let newer = lookup("{\"v\":9,\"name\":[]}\n").unwrap();
        assert_eq!((newer.entries.len(), newer.skipped.len()), (0, 1));

        let twice = [line("1.0.0", "MIT"), line("1.1.0", "MIT"), line("1.0.0", "none")].join("\n");
        let twice = lookup(&twice).unwrap();
        assert_eq!((twice.entries.len(), twice.entries[0].license.as_deref()), (2, Some("MIT")));
        assert!(twice.skipped[0].starts_with("line 3 of `3/p/pdf`"), "{:?}", twice.skipped);
        assert!(twice.skipped[0].ends_with("version 1.0.0 is in line 1 already"), "{:?}", twice.skipped);
    }

    #[test]
    fn a_package_has_as_many_versions_and_a_command_reads_as_much_as_memory_allows() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "config.json", r#"{"api-version":1}"#);
        let lookup = |index: &Index<'_>, name: &str| index.lookup(&name.parse().unwrap());
        write(dir.path(), "3/m/max", &"{\"v\":9}\n".repeat(VERSIONS_MAX));
        write(dir.path(), "ma/ny/many", &"{\"v\":9}\n".repeat(VERSIONS_MAX + 1));
        let index = super::tests::index(dir.path()).unwrap();
        assert_eq!(lookup(&index, "max").unwrap().skipped.len(), VERSIONS_MAX);
        let error = lookup(&index, "many").unwrap_err();
        assert_eq!(error.kind(), crate::error::Kind::Integrity);
        assert!(error.message().ends_with("it has 10001 versions; the limit is 10000"), "{error:?}");

        // Five files, each as large as one may be, are more than one command reads.
        let large = format!("{{\"v\":9}}\n{}", "x".repeat((8 << 20) - 8));
        let answers: Vec<bool> = ["la/rg/large-1", "la/rg/large-2", "la/rg/large-3", "la/rg/large-4", "la/rg/large-5"]
            .iter()
            .map(|path| {
                write(dir.path(), path, &large);
                lookup(&index, path.rsplit('/').next().unwrap()).is_ok()
            })
            .collect();
        assert_eq!(answers, [true, true, true, false, false]);
        write(dir.path(), "3/b/big", &"x".repeat((8 << 20) + 1));
        assert!(lookup(&index, "big").unwrap_err().message().contains("the limit is 8388608"));
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
        let entry = &lookup.entries[0];
        let archive = || index.archives(&[entry]).remove(0).unwrap();
        assert_eq!(archive(), None);
        let error = index.no_archive(entry);
        assert_eq!(error.notes(), ["`archives/acme/pdf-1.0.0.tar.gz` was expected"]);
        write(dir.path(), "archives/acme/pdf-1.0.0.tar.gz", "x");
        assert_eq!(archive(), Some(Archive::Bytes(b"x".to_vec())));
    }
}

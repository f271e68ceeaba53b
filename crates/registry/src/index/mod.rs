//! The index: which packages a registry has, at which versions, with which checksums.
//!
//! ```text
//! registry-index/
//! ├── config.json                     {"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}
//! ├── co/mm/commit-messages           one JSON object a line, one line a version; only `yanked` and `revoked` ever change
//! ├── acme/3/p/pdf                    a scoped name is in its scope's folder
//! ├── archives/commit-messages-1.0.0.tar.gz
//! ├── advisories/…                    advisories against packages, see [`advisory`](skillpm_core::advisory)
//! └── owners/…
//! ```
//!
//! Its files are read through an `IndexTransport`: embedded in the program, a directory, a git repository, a web server or
//! an object store; all other code is shared. A remote index may not change published versions
//! ([`history::find_rewritten_versions`]). [`write`](mod@write) changes an index.

mod advisories;
mod cached_revocation;
mod embedded;
mod entry;
pub mod history;
mod layout;
pub mod search;
mod signed;
mod transport;
pub mod write;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, Serialize};

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexUrl, PackageName, SecretString};
use skillpm_core::report::EventReporter;
use skillpm_io::archive::ARCHIVE_MAX;
use skillpm_io::bucket;
use skillpm_io::git::GitClient;
use skillpm_io::http::{HttpClient, HttpRequest};

pub use advisories::{read_database, read_database_dir};
pub use cached_revocation::RevocationSearch;
pub use entry::{EntryCommit, EntryDependency, IndexEntry};
pub use layout::{
    TemplateFault, archive_path, entry_path, is_reserved_scope, owners_path, parse_entry_path,
};
pub use transport::{cache_dir_name, find_damaged_copies};

/// The canonical form of an index's URL, which identifies a registry; see [`IndexUrl`].
///
/// # Errors
/// If it is not the URL of an index.
pub fn canonical_url(url: &str) -> Result<String> {
    Ok(url.parse::<IndexUrl>()?.into())
}

use transport::IndexTransport;
use write::owners::{self, OwnershipScope};

/// Most versions of one package. The packages with the most in any registry have some four thousand.
const VERSIONS_MAX: usize = 10_000;

/// Most dependencies, of all versions of all packages together, that one command reads from an index. Each takes some
/// 1.5 KB while versions are chosen.
const DEPENDENCIES_READ_MAX: u64 = 100_000;

/// Most bytes of packages' files that one command reads from an index: as a rule ten thousand packages.
const BYTES_READ_MAX: u64 = 32 << 20;

/// The newest format version of `config.json` that this program reads.
const API_VERSION: u32 = 1;

/// The clients and settings for opening an index.
#[derive(Clone, Copy)]
pub struct IndexContext<'a> {
    /// The client for repositories.
    pub git: &'a GitClient,
    /// The client for downloads.
    pub http: &'a HttpClient,
    /// The options of object stores.
    pub buckets: &'a bucket::BucketOptions,
    /// The directory of cached indexes: `$SKILLPM_HOME/index`.
    pub cache: &'a Path,
    /// Whether the network is off: only cached files can be read.
    pub offline: bool,
    /// Finds the token for the URL of an index.
    pub tokens: &'a IndexTokens,
    /// The URLs of indexes that may change published versions, because the user's settings allow it.
    pub accept_rewritten: &'a BTreeSet<String>,
    /// The reporter of progress and warnings.
    pub reporter: &'a dyn EventReporter,
}

/// Finds the token for exactly this URL of an index; `None` if there is none.
pub type IndexTokens = dyn Fn(&str) -> Result<Option<SecretString>> + Sync;

/// A registry's index, open for reading.
pub struct Index<'a> {
    url: IndexUrl,
    transport: Box<dyn IndexTransport + 'a>,
    config: IndexConfig,
    tokens: &'a IndexTokens,
    /// How many bytes of packages' files were read.
    bytes_read: AtomicU64,
    /// How many dependencies of versions were read.
    dependencies_read: AtomicU64,
}

/// The text of a file, with a mark in the place of what is not UTF-8.
fn decode_text(bytes: &[u8]) -> Cow<'_, str> {
    // Nearly all files are valid, which is found out several times as fast.
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// `config.json`; unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct IndexConfig {
    /// The format version of the index.
    pub api_version: u32,
    /// Where archives are: a template with `{name}`, `{version}` and `{checksum}`, relative to the index or a URL; `None`
    /// if each version is fetched from the commit in its `src`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dl: Option<String>,
    /// Whether the index has advisories, in `advisories/all.json`; if not, the file is never requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advisories: bool,
    /// Whether the index has a search index, below `search.d/`; if not, it is never requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub search: bool,
    /// The serial number of this state, for an index without a history that shows which of two is newer: it never
    /// decreases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<u64>,
    /// When this state expires: after that, a newer one is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// Where the archive of a version is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveLocation {
    /// Its bytes, already read.
    Bytes(Vec<u8>),
    /// The URL to download it from.
    Url(String),
}

/// The parsed file of one package in the index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexLookup {
    /// Its versions, in the order of the file.
    pub entries: Vec<IndexEntry>,
    /// Ignored lines, each with its reason.
    pub skipped: Vec<String>,
}

impl IndexLookup {
    /// The entry of a version.
    #[must_use]
    pub fn find_version(&self, version: Option<&semver::Version>) -> Option<&IndexEntry> {
        self.entries
            .iter()
            .find(|entry| Some(&entry.vers) == version)
    }
}

impl IndexConfig {
    /// Parses the file of the index at `url`. `access` completes the message about an unsupported version, as in "this
    /// skillpm reads up to 1"; `help` is for an invalid `dl`.
    fn parse(bytes: &[u8], url: &IndexUrl, access: &str, help: &str) -> Result<IndexConfig> {
        let config: IndexConfig = serde_json::from_slice(bytes).map_err(|cause| {
            Error::integrity(format!(
                "failed to parse `config.json` of index `{url}`: {cause}"
            ))
        })?;

        // A newer format may mean something else by the same keys.
        if config.api_version > API_VERSION {
            let found = config.api_version;
            return Err(Error::usage(format!(
                "unsupported api-version {found} of index `{url}`: this skillpm {access} {API_VERSION}"
            ))
            .help("install a newer version of skillpm"));
        }

        if let Some(fault) = config
            .dl
            .as_deref()
            .and_then(|template| layout::find_template_fault(template, Some(url)))
        {
            let fault = match fault {
                TemplateFault::OutsideIndex(reason) => reason,
                fault => fault.to_string(),
            };
            return Err(Error::integrity(format!(
                "invalid `dl` in `config.json` of index `{url}`: {fault}"
            ))
            .help(help));
        }

        Ok(config)
    }
}

impl<'a> Index<'a> {
    /// Opens the index at a URL.
    ///
    /// # Errors
    /// If it is not the URL of an index, or its `config.json` is missing or invalid.
    pub fn open(url: &str, tools: IndexContext<'a>) -> Result<Index<'a>> {
        Index::open_named(url, None, tools)
    }

    /// Opens the index at a URL that another index, `named_by`, refers to: a remote index may not refer to this machine.
    ///
    /// # Errors
    /// As for [`Index::open`]; and if the reference is not allowed.
    pub fn open_named(
        url: &str,
        named_by: Option<&IndexUrl>,
        tools: IndexContext<'a>,
    ) -> Result<Index<'a>> {
        let url: IndexUrl = url.parse()?;

        // A remote index may not refer to this machine: it could make us read files, or send
        // requests to services, that only this machine can reach.
        let named_by = named_by.filter(|by| !by.is_local());
        if let Some(by) =
            named_by.filter(|by| url.is_local() || (url.is_on_loopback() && !by.is_on_loopback()))
        {
            return Err(Error::integrity(format!(
                "refusing to read `{url}`: index `{by}` may not refer to this machine"
            ))
            .help(format!(
                "to use it, configure it yourself: `skillpm config set registries.NAME.index {url}`"
            )));
        }

        let transport = transport::open(&url, named_by, tools)?;
        let bytes = transport.read("config.json")?.ok_or_else(|| {
            Error::usage(format!("invalid index `{url}`: missing `config.json`"))
                .help("run `skillpm config list` to see the configured registries and their URLs")
        })?;

        let help = "nothing was fetched from it; report it to the registry's owners";
        let config = IndexConfig::parse(&bytes, &url, "reads up to", help)?;

        Ok(Index {
            url,
            transport,
            config,
            tokens: tools.tokens,
            bytes_read: AtomicU64::new(0),
            dependencies_read: AtomicU64::new(0),
        })
    }

    /// The URL it was opened by.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The parsed `config.json`.
    #[must_use]
    pub fn config(&self) -> &IndexConfig {
        &self.config
    }

    /// Looks up the versions of a package; none if the index does not have it.
    ///
    /// # Errors
    /// As for [`Index::lookup_all`].
    pub fn lookup(&self, name: &PackageName) -> Result<IndexLookup> {
        self.lookup_all(std::slice::from_ref(name)).remove(0)
    }

    /// Looks up the versions of packages, requested together; none where the index does not have one.
    ///
    /// A line that is invalid, of a newer format, about another package, or the second about a version is ignored and
    /// reported.
    ///
    /// # Errors
    /// One result each: if the file cannot be read, is not one of an index, or has too many versions.
    pub fn lookup_all(&self, names: &[PackageName]) -> Vec<Result<IndexLookup>> {
        let paths: Vec<String> = names.iter().map(entry_path).collect();
        let files = self.transport.read_entries(&paths);
        names
            .iter()
            .zip(files)
            .map(|(name, file)| self.parse_entries(name, file?.as_deref().unwrap_or_default()))
            .collect()
    }

    /// Makes the next lookup of packages reach the server itself, past the caches on the way.
    pub fn bypass_caches(&self, names: &[PackageName]) {
        let paths: Vec<String> = names.iter().map(entry_path).collect();
        self.transport.bypass_caches(&paths);
    }

    /// Reads the files of packages, requested together, byte for byte; `None` where the index does not have one.
    ///
    /// # Errors
    /// One result each: if the file cannot be read.
    pub fn read_entry_files(&self, names: &[PackageName]) -> Vec<Result<Option<Vec<u8>>>> {
        self.transport
            .read_all(&names.iter().map(entry_path).collect::<Vec<_>>())
    }

    fn parse_entries(&self, name: &PackageName, file: &[u8]) -> Result<IndexLookup> {
        // Limits come first: parsing takes many times the size of the file.
        self.check_file_limits(name, file)?;

        let text = decode_text(file);
        // Some editors put a byte order mark in front.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);

        let mut lookup = IndexLookup::default();
        let mut line_of: BTreeMap<Version, usize> = BTreeMap::new();
        for (number, line) in (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty())
        {
            match parse_new_entry(line, name, &line_of) {
                Ok(entry) => {
                    line_of.insert(entry.vers.clone(), number);
                    lookup.entries.push(entry);
                }
                Err(reason) => {
                    let path = entry_path(name);
                    lookup.skipped.push(format!(
                        "line {number} of `{path}` in index `{}`: {reason}",
                        self.url
                    ));
                }
            }
        }

        // A login page or a proxy's error is not an empty package: to report "not found" would
        // hide the failure.
        if lookup.entries.is_empty()
            && !text.trim().is_empty()
            && !text.lines().any(entry::looks_like_entry)
        {
            return Err(self.no_entries_error(name, text, &lookup));
        }

        self.check_dependency_limit(name, &lookup)?;
        Ok(lookup)
    }

    /// The error that a response is not a file of the index, but for example a login page.
    fn no_entries_error(&self, name: &PackageName, text: &str, lookup: &IndexLookup) -> Error {
        let path = entry_path(name);
        let error = Error::integrity(format!(
            "invalid response from index `{}`: it is not an index entry",
            self.url
        ))
        .note(format!("`{path}`, the file of `{name}`, has no valid line"));

        let error = lookup
            .skipped
            .iter()
            .take(1)
            .fold(error, |error, first| error.note(first.clone()));

        if text.trim_start().starts_with('<') {
            return error.help(
                "it is a web page, perhaps of a login or a proxy; `skillpm login` stores a token for the registry",
            );
        }
        error.help("check the URL of the index (`skillpm config list`); if it is right, report it to the registry's owners")
    }

    /// Refuses a package with too many versions, and more files in one command than fit into memory: the server decides how
    /// many there are, and which packages they depend on.
    fn check_file_limits(&self, name: &PackageName, file: &[u8]) -> Result<()> {
        let refused = |what: String| self.limit_error(name, &what);
        let versions = memchr::memchr_iter(b'\n', file.trim_ascii()).count() + 1;
        if versions > VERSIONS_MAX {
            return Err(refused(format!(
                "it has {versions} versions; the limit is {VERSIONS_MAX}"
            )));
        }

        // Counted over the whole command, since dependencies can lead to any number of packages.
        let size = file.len() as u64;
        let taken = self.bytes_read.fetch_add(size, Ordering::Relaxed) + size;
        if taken > BYTES_READ_MAX {
            return Err(refused(format!(
                "the files of packages that one command needs have more than {BYTES_READ_MAX} bytes in that index"
            )));
        }
        Ok(())
    }

    /// Refuses an index whose packages have, in one command, more dependencies than fit into memory.
    fn check_dependency_limit(&self, name: &PackageName, lookup: &IndexLookup) -> Result<()> {
        let needs = lookup
            .entries
            .iter()
            .map(|entry| entry.deps.len() as u64)
            .sum::<u64>();
        let taken = self.dependencies_read.fetch_add(needs, Ordering::Relaxed) + needs;

        if taken > DEPENDENCIES_READ_MAX {
            return Err(self.limit_error(
                name,
                &format!("the versions of packages that one command needs have more than {DEPENDENCIES_READ_MAX} dependencies, which is the limit"),
            ));
        }
        Ok(())
    }

    /// Resets the counts of what was read, for commands that read every package, a few at a time: the limits are about
    /// packages that are needed together.
    pub fn reset_read_limits(&self) {
        self.bytes_read.store(0, Ordering::Relaxed);
        self.dependencies_read.store(0, Ordering::Relaxed);
    }

    fn limit_error(&self, name: &PackageName, what: &str) -> Error {
        Error::integrity(format!(
            "refusing to read `{}` of index `{}`: {what}",
            entry_path(name),
            self.url
        ))
        .help("nothing was installed; report it to the registry's owners")
    }

    /// Locates the archives of versions; those without a public URL are fetched together, at most `together` bytes in all.
    /// `None` if the index has no archive of a version.
    ///
    /// # Errors
    /// One result each: if the index cannot be read.
    #[must_use]
    pub fn locate_archives(
        &self,
        entries: &[&IndexEntry],
        together: u64,
    ) -> Vec<Result<Option<ArchiveLocation>>> {
        let paths: Vec<Option<String>> = entries
            .iter()
            .map(|entry| self.archive_path(entry))
            .collect();

        let urls: Vec<Option<String>> = paths
            .iter()
            .map(|path| self.public_url(path.as_deref()?))
            .collect();

        let is_own = |(path, url): (&Option<String>, &Option<String>)| {
            path.clone().filter(|_| url.is_none())
        };
        let own: Vec<String> = paths.iter().zip(&urls).filter_map(is_own).collect();

        // Archives with a public URL are downloaded by the caller; the others only the index can read.
        let mut files = self.transport.fetch_archives(&own, together).into_iter();
        let found = paths.iter().zip(urls);
        found
            .map(|(path, url)| match (path, url) {
                (_, Some(url)) => Ok(Some(ArchiveLocation::Url(url))),
                (None, None) => Ok(None),
                (Some(_), None) => Ok(files
                    .next()
                    .expect("one result for each path")?
                    .map(ArchiveLocation::Bytes)),
            })
            .collect()
    }

    /// The path of a version's archive in the index, or its URL; `None` if it has none.
    fn archive_path(&self, entry: &IndexEntry) -> Option<String> {
        entry.archive.as_ref()?;
        Some(archive_path(self.config.dl.as_deref()?, entry))
    }

    /// The URL at which an archive can be downloaded; `None` if only the index can read it.
    fn public_url(&self, path: &str) -> Option<String> {
        if path.contains("://") {
            Some(path.to_owned())
        } else {
            self.transport.public_url(path)
        }
    }

    /// The error that there is no archive of a version.
    #[must_use]
    pub fn missing_archive_error(&self, entry: &IndexEntry) -> Error {
        let error = Error::integrity(format!(
            "archive of `{} {}` not found in index `{}`",
            entry.name, entry.vers, self.url
        ))
        .help("nothing was installed; report it to the registry's owners");
        match self.archive_path(entry) {
            Some(path) => error.note(format!("expected `{path}`")),
            None => error,
        }
    }

    /// Reads the owners of a package; `None` if its scope has none yet.
    ///
    /// # Errors
    /// If the file cannot be read or parsed.
    pub fn owners(&self, name: &PackageName) -> Result<Option<Vec<String>>> {
        let Some(bytes) = self.read_file(&owners_path(name))? else {
            return Ok(None);
        };
        owners::read_owners(Some(&bytes), &OwnershipScope::for_package(name)).map(Some)
    }

    /// Creates the request for an archive at a URL from [`Index::locate_archives`].
    ///
    /// The rules for redirects apply to a URL that the index chose. The index's token is only sent to its own origin.
    ///
    /// # Errors
    /// If a credential provider cannot be queried.
    pub fn archive_request(&self, url: &str) -> Result<HttpRequest> {
        let is_own = url.starts_with(self.url.inner());

        Ok(HttpRequest {
            // The rules for redirects apply to a URL that the index chose.
            named_by: (!is_own && !self.url.is_local()).then(|| self.url.inner().to_owned()),
            // `dl` may name any server: the token goes only to the one that it was stored for.
            authorization: if self.url.shares_origin(url) {
                (self.tokens)(self.url.as_str())?
            } else {
                None
            },
            ..HttpRequest::new(url, ARCHIVE_MAX)
        })
    }

    /// Reads any file of the index; `None` if it does not exist.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_file(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.transport.read(path)
    }

    /// Lists the names of all packages, sorted; for suggestions, so an error is an empty list.
    #[must_use]
    pub fn package_names(&self) -> Vec<PackageName> {
        // For suggestions only, so an index that cannot be listed has none.
        let paths = self
            .transport
            .list_paths()
            .ok()
            .flatten()
            .unwrap_or_default();
        let mut names: Vec<PackageName> = paths
            .iter()
            .filter_map(|path| layout::parse_entry_path(path))
            .collect();

        names.sort();
        names
    }
}

/// Parses a line about a version that no line before it is about.
fn parse_new_entry(
    line: &str,
    name: &PackageName,
    line_of: &BTreeMap<Version, usize>,
) -> std::result::Result<IndexEntry, String> {
    let mut entry = IndexEntry::parse(line, name)?;
    // Of two lines about a version the first is used, and the other one is reported.
    if let Some(first) = line_of.get(&entry.vers) {
        return Err(format!(
            "duplicate version {}, which is in line {first} already",
            entry.vers
        ));
    }

    // Unknown lists and objects take thirty times their size in memory, and are never used.
    entry
        .rest
        .retain(|_, value| !value.is_array() && !value.is_object());
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    /// Opens an index in a directory, which needs no client.
    fn index(dir: &Path) -> Result<Index<'static>> {
        transport::tests::with_tools(|tools| {
            Index::open(Url::from_file_path(dir).unwrap().as_str(), tools)
        })
    }

    fn write(dir: &std::path::Path, path: &str, text: &str) {
        let place = dir.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    #[test]
    fn a_directory_is_an_index_once_it_has_a_config() {
        let dir = tempfile::tempdir().unwrap();
        assert!(
            index(dir.path())
                .err()
                .unwrap()
                .message()
                .contains("invalid index")
        );
        write(dir.path(), "config.json", r#"{"api-version":2}"#);
        assert!(
            index(dir.path())
                .err()
                .unwrap()
                .message()
                .contains("api-version 2")
        );
        write(
            dir.path(),
            "config.json",
            r#"{"api-version":1,"later":true}"#,
        );
        assert!(index(dir.path()).unwrap().package_names().is_empty());
    }

    #[test]
    fn file_that_is_not_an_index_entry_is_refused() {
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
        for page in [
            "<!doctype html>\n<title>Log in</title>\n",
            "{\"error\":\"unauthorized\"}",
            "\u{feff}not found",
        ] {
            let error = lookup(page).unwrap_err();
            assert!(
                error.message().ends_with("it is not an index entry"),
                "{page}"
            );
            assert!(
                error.notes()[0].contains("`3/p/pdf`")
                    && error.notes()[1].starts_with("line 1 of `3/p/pdf`")
            );
        }
        assert!(lookup("<html>").unwrap_err().helps()[0].contains("a web page"));
        assert_eq!(lookup("\n").unwrap(), IndexLookup::default());

        let marked = lookup(&format!("\u{feff}{}\n", line("1.0.0", "MIT"))).unwrap();
        assert_eq!((marked.entries.len(), marked.skipped.len()), (1, 0));
        // A line of a newer format does not make it an invalid response.
        let newer = lookup("{\"v\":9,\"name\":[]}\n").unwrap();
        assert_eq!((newer.entries.len(), newer.skipped.len()), (0, 1));

        let twice = [
            line("1.0.0", "MIT"),
            line("1.1.0", "MIT"),
            line("1.0.0", "none"),
        ]
        .join("\n");
        let twice = lookup(&twice).unwrap();
        assert_eq!(
            (twice.entries.len(), twice.entries[0].license.as_deref()),
            (2, Some("MIT"))
        );
        assert!(
            twice.skipped[0].starts_with("line 3 of `3/p/pdf`"),
            "{:?}",
            twice.skipped
        );
        assert!(
            twice.skipped[0].ends_with("duplicate version 1.0.0, which is in line 1 already"),
            "{:?}",
            twice.skipped
        );
    }

    #[test]
    fn versions_of_a_package_and_bytes_of_a_command_are_limited() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "config.json", r#"{"api-version":1}"#);
        let lookup = |index: &Index<'_>, name: &str| index.lookup(&name.parse().unwrap());
        write(dir.path(), "3/m/max", &"{\"v\":9}\n".repeat(VERSIONS_MAX));
        write(
            dir.path(),
            "ma/ny/many",
            &"{\"v\":9}\n".repeat(VERSIONS_MAX + 1),
        );
        let index = super::tests::index(dir.path()).unwrap();
        assert_eq!(lookup(&index, "max").unwrap().skipped.len(), VERSIONS_MAX);
        let error = lookup(&index, "many").unwrap_err();
        assert_eq!(error.kind(), skillpm_core::error::FailureKind::Integrity);
        assert!(
            error
                .message()
                .ends_with("it has 10001 versions; the limit is 10000"),
            "{error:?}"
        );

        // Five files, each as large as one may be, are more than one command reads.
        let large = format!("{{\"v\":9}}\n{}", "x".repeat((8 << 20) - 8));
        let answers: Vec<bool> = [
            "la/rg/large-1",
            "la/rg/large-2",
            "la/rg/large-3",
            "la/rg/large-4",
            "la/rg/large-5",
        ]
        .iter()
        .map(|path| {
            write(dir.path(), path, &large);
            lookup(&index, path.rsplit('/').next().unwrap()).is_ok()
        })
        .collect();
        assert_eq!(answers, [true, true, true, false, false]);
        index.reset_read_limits();
        assert!(lookup(&index, "large-5").is_ok());
        write(dir.path(), "3/b/big", &"x".repeat((8 << 20) + 1));
        assert!(
            lookup(&index, "big")
                .unwrap_err()
                .message()
                .contains("the limit is 8388608")
        );
    }

    #[test]
    fn invalid_lines_are_ignored_and_reported() {
        let dir = tempfile::tempdir().unwrap();
        write(
            dir.path(),
            "config.json",
            r#"{"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}"#,
        );
        let line = |vers: &str, name: &str, v: u32| {
            format!(
                r#"{{"name":"{name}","vers":"{vers}","deps":[],"cksum":"skill-tree-v1:{}","archive":"sha256:{}","yanked":false,"v":{v},"x":1}}"#,
                "0".repeat(64),
                "0".repeat(64)
            )
        };
        let text = [
            line("1.0.0", "acme/pdf", 1),
            "garbage".into(),
            line("2.0.0", "acme/pdf", 9),
            line("3.0.0", "other", 1),
        ];
        write(dir.path(), "acme/3/p/pdf", &text.join("\n"));
        let index = index(dir.path()).unwrap();
        let lookup = index.lookup(&"acme/pdf".parse().unwrap()).unwrap();
        assert_eq!(lookup.entries.len(), 1);
        assert_eq!(lookup.skipped.len(), 3);
        assert!(
            lookup.skipped[1]
                .ends_with("unsupported format version 9, which a newer skillpm reads"),
            "{}",
            lookup.skipped[1]
        );
        assert_eq!(index.package_names(), ["acme/pdf".parse().unwrap()]);
        let entry = &lookup.entries[0];
        let archive = || {
            index
                .locate_archives(&[entry], ARCHIVE_MAX)
                .remove(0)
                .unwrap()
        };
        assert_eq!(archive(), None);
        let error = index.missing_archive_error(entry);
        assert_eq!(error.notes(), ["expected `archives/acme/pdf-1.0.0.tar.gz`"]);
        write(dir.path(), "archives/acme/pdf-1.0.0.tar.gz", "x");
        assert_eq!(archive(), Some(ArchiveLocation::Bytes(b"x".to_vec())));
    }
}

//! The URL of a registry's index, canonical and without a secret in it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::git_url::{host_fault, redacted, spelling_fault};
use super::{GitUrl, SourceId};
use crate::error::{Error, Result};

/// How the files of an index are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// They are inside this program.
    Embedded,
    /// They lie in a directory: `file:///…`.
    Directory,
    /// They are at the head of a git repository: `git+https://…`, `git+ssh://…`, `git+file:///…`, `git+http://…`.
    Git,
    /// A web server has them: `sparse+https://…`, `sparse+http://…`.
    Sparse,
    /// An object store has them: `s3://…`, `gs://…`, `az://…`.
    Bucket,
}

/// The URL of a registry's index: what a registry is known by, in lockfiles, in other indexes and by who keeps tokens.
///
/// | written | canonical |
/// |---|---|
/// | `file:/srv/index/` | `file:///srv/index` |
/// | `git+git@acme.dev:index.git`, `git+ssh://git@ACME.dev/index.git/` | `git+ssh://git@acme.dev/index.git` |
/// | `sparse+https://Acme.dev:443/index` | `sparse+https://acme.dev/index/` |
/// | `s3://bucket/prefix` | `s3://bucket/prefix/` |
///
/// Equal indexes have equal texts, as far as that can be seen from the spelling. It holds no user (but for ssh), no
/// password, no query: it is written into files that are shared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IndexUrl(String);

impl IndexUrl {
    /// The URL as text; safe to print.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How its files are reached.
    #[must_use]
    pub fn kind(&self) -> IndexKind {
        match self.0.split_once(':').map_or("", |(scheme, _)| scheme) {
            "embedded" => IndexKind::Embedded,
            "file" => IndexKind::Directory,
            scheme if scheme.starts_with("git+") => IndexKind::Git,
            scheme if scheme.starts_with("sparse+") => IndexKind::Sparse,
            _ => IndexKind::Bucket,
        }
    }

    /// The URL without the word that says how it is reached: `https://acme.dev/index/` of `sparse+https://…`.
    #[must_use]
    pub fn inner(&self) -> &str {
        match self.kind() {
            IndexKind::Git | IndexKind::Sparse => self.0.split_once('+').map_or(&self.0, |(_, inner)| inner),
            _ => &self.0,
        }
    }

    /// Whether its files are on this disk, or in this program: nobody else chose what is in them.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self.kind(), IndexKind::Embedded | IndexKind::Directory) || self.0.starts_with("git+file:")
    }

    /// Whether a web server of just this scheme, host and port has both its files and what is at `url`.
    #[must_use]
    pub fn shares_origin(&self, url: &str) -> bool {
        match (self.kind(), Url::parse(self.inner()), Url::parse(url)) {
            (IndexKind::Sparse, Ok(own), Ok(url)) => own.origin() == url.origin(),
            _ => false,
        }
    }

    /// Whether it is served by this very machine.
    #[must_use]
    pub fn is_on_loopback(&self) -> bool {
        let url = Url::parse(self.inner()).ok();
        url.is_some_and(|url| match url.host() {
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            None => false,
        })
    }
}

impl FromStr for IndexUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == SourceId::EMBEDDED_INDEX {
            return Ok(IndexUrl(text.to_owned()));
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(refused(text, "it holds a blank or a control character"));
        }
        if let Some(repository) = text.strip_prefix("git+") {
            let url: GitUrl = repository.parse().map_err(|error: Error| error.wrap(opening(text)))?;
            return Ok(IndexUrl(format!("git+{url}")));
        }
        if let Some(base) = text.strip_prefix("sparse+") {
            let url = plain(text, base, &["https", "http"])?;
            return Ok(IndexUrl(format!("sparse+{}/", url.as_str().trim_end_matches('/'))));
        }
        match text.split_once(':').map(|(scheme, _)| scheme) {
            Some("file") => directory(text),
            Some("s3" | "gs" | "az") => {
                let url = plain(text, text, &["s3", "gs", "az"])?;
                Ok(IndexUrl(format!("{}/", url.as_str().trim_end_matches('/'))))
            }
            Some("https" | "http") => Err(refused(text, "it does not say how it is to be read")
                .help(format!("write `sparse+{0}` for static files, `git+{0}` for a git repository", redacted(text)))),
            _ => Err(refused(text, "it is of no kind that is known").help(
                "an index is `sparse+https://…`, `git+https://…`, `git+ssh://…`, `file:///path`, `s3://…`, `gs://…` or \
                 `az://…`",
            )),
        }
    }
}

fn directory(text: &str) -> Result<IndexUrl> {
    if let Some(fault) = spelling_fault(text) {
        return Err(refused(text, fault));
    }
    let url = Url::parse(text).map_err(|cause| refused(text, &cause.to_string()))?;
    if url.host_str().is_some_and(|host| !host.is_empty()) || url.query().is_some() || url.fragment().is_some() {
        return Err(
            refused(text, "a file URL has no host, query or fragment").help("write `file:///path`, with three slashes")
        );
    }
    match url.as_str().trim_end_matches('/') {
        "file:" => Ok(IndexUrl("file:///".into())),
        trimmed => Ok(IndexUrl(trimmed.to_owned())),
    }
}

/// A URL with a host and a path, and nothing else.
fn plain(text: &str, url: &str, schemes: &[&str]) -> Result<Url> {
    if let Some(fault) = spelling_fault(url) {
        return Err(refused(text, fault));
    }
    let parsed = Url::parse(url).map_err(|cause| refused(text, &cause.to_string()))?;
    if !schemes.contains(&parsed.scheme()) {
        return Err(refused(text, &format!("`{}` is not one of {}", parsed.scheme(), schemes.join(", "))));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(refused(text, "it carries a user or password, which would end up in the lockfile")
            .help("leave it out; `skillpm login` keeps tokens"));
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(refused(text, "it has a query or a fragment"));
    }
    if let Some(fault) = host_fault(url, &parsed) {
        return Err(refused(text, fault));
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(refused(text, "it names no host"));
    }
    Ok(parsed)
}

fn opening(text: &str) -> String {
    format!("`{}` is not the URL of an index", redacted(text).escape_debug())
}

fn refused(text: &str, reason: &str) -> Error {
    Error::usage(format!("{}: {reason}", opening(text)))
}

impl fmt::Display for IndexUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for IndexUrl {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<IndexUrl> for String {
    fn from(url: IndexUrl) -> String {
        url.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_index_has_one_url() {
        for (written, canonical, kind) in [
            ("embedded:default", "embedded:default", IndexKind::Embedded),
            ("file:///srv/index", "file:///srv/index", IndexKind::Directory),
            ("file:/srv/index/", "file:///srv/index", IndexKind::Directory),
            ("git+https://Acme.dev/index.git/", "git+https://acme.dev/index.git", IndexKind::Git),
            ("git+git@acme.dev:index.git", "git+ssh://git@acme.dev/index.git", IndexKind::Git),
            ("git+gh:acme/index", "git+https://github.com/acme/index", IndexKind::Git),
            ("git+file:///srv/index.git", "git+file:///srv/index.git", IndexKind::Git),
            ("sparse+https://Acme.dev:443/index", "sparse+https://acme.dev/index/", IndexKind::Sparse),
            ("sparse+http://127.0.0.1:8080", "sparse+http://127.0.0.1:8080/", IndexKind::Sparse),
            ("s3://bucket/a", "s3://bucket/a/", IndexKind::Bucket),
            ("gs://bucket", "gs://bucket/", IndexKind::Bucket),
        ] {
            let url: IndexUrl = written.parse().unwrap();
            assert_eq!((url.as_str(), url.kind()), (canonical, kind));
            assert_eq!(canonical.parse::<IndexUrl>().unwrap(), url, "what is canonical stays itself");
        }
    }

    #[test]
    fn an_url_that_could_be_read_in_two_ways_or_names_no_index_is_refused() {
        for bad in [
            "",
            "/srv/index",
            "acme",
            "embedded:other",
            "https://acme.dev/index",
            "file://host/srv",
            "file:///srv/../etc",
            "sparse+ftp://acme.dev/",
            "sparse+https://acme.dev/a/../b/",
            "sparse+https://acme.dev/?a=b",
            "sparse+https://acme.dev/#a",
            "sparse+https://ac\u{43c}e.dev/",
            "sparse+https://0x7f.1/",
            "sparse+https://169.254.169.254/",
            "sparse+https://a\\@b/",
            "sparse+https://acme.dev/a b/",
            "sparse+file:///srv/index",
            "git+ext::sh -c id",
            "git+-oProxyCommand=id",
            "s3:///a",
        ] {
            assert!(bad.parse::<IndexUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_secret_is_refused_and_never_printed() {
        for bad in ["sparse+https://u:CANARY@acme.dev/", "git+https://CANARY@acme.dev/a", "sparse+https://a/?t=CANARY"]
        {
            let error = bad.parse::<IndexUrl>().unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let index: IndexUrl = "sparse+https://acme.dev/index/".parse().unwrap();
        for (url, shared) in [
            ("https://acme.dev/index/config.json", true),
            ("https://acme.dev:443/dl/pdf.tar.gz", true),
            ("https://acme.dev:444/index/config.json", false),
            ("http://acme.dev/index/config.json", false),
            ("https://cdn.acme.dev/dl/pdf.tar.gz", false),
            ("https://acme.dev.evil.test/index/", false),
        ] {
            assert_eq!(index.shares_origin(url), shared, "{url}");
        }
        let local: IndexUrl = "file:///srv/index".parse().unwrap();
        assert!(!local.shares_origin("file:///srv/index/a"));
    }

    #[test]
    fn what_is_here_is_told_from_what_is_elsewhere() {
        let facts = |text: &str| {
            let url: IndexUrl = text.parse().unwrap();
            (url.is_local(), url.is_on_loopback())
        };
        assert_eq!(facts("file:///srv/index"), (true, false));
        assert_eq!(facts("git+file:///srv/index"), (true, false));
        assert_eq!(facts("sparse+http://localhost:1/"), (false, true));
        assert_eq!(facts("git+http://[::1]/index"), (false, true));
        assert_eq!(facts("sparse+https://acme.dev/"), (false, false));
        assert_eq!(facts("sparse+https://127.0.0.1.acme.dev/"), (false, false));
    }
}

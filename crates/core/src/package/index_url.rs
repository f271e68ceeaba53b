//! The canonical URL of a registry's index, without credentials.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::GitUrl;
use super::git_url::{find_host_fault, find_spelling_fault, redact_url};
use crate::error::{Error, Result};

/// The index that is compiled into this program.
pub(super) const EMBEDDED_INDEX: &str = "embedded:default";

/// How the files of an index are accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// Compiled into this program.
    Embedded,
    /// In a directory: `file:///…`.
    Directory,
    /// At the head of a git repository: `git+https://…`, `git+ssh://…`, `git+file:///…`, `git+http://…`.
    Git,
    /// On a web server: `sparse+https://…`, `sparse+http://…`.
    Sparse,
    /// In an object store: `s3://…`, `gs://…`, `az://…`.
    Bucket,
}

/// The URL of a registry's index, which identifies the registry in lockfiles, in other indexes and for credentials.
///
/// | written | canonical |
/// |---|---|
/// | `file:/srv/index/` | `file:///srv/index` |
/// | `git+git@ACME.dev:index.git` | `git+git@acme.dev:index.git` |
/// | `git+ssh://git@ACME.dev/index.git/` | `git+ssh://git@acme.dev/index.git` |
/// | `sparse+https://Acme.dev:443/index` | `sparse+https://acme.dev/index/` |
/// | `s3://bucket/prefix` | `s3://bucket/prefix/` |
///
/// Equal indexes have equal texts, as far as the spelling shows it. It has no user (except for ssh), no password and no
/// query, since it is written to shared files.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IndexUrl(String);

impl IndexUrl {
    /// The URL as text; safe to print.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How its files are accessed.
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

    /// The URL without the `git+` or `sparse+` prefix: `https://acme.dev/index/` of `sparse+https://…`.
    #[must_use]
    pub fn inner(&self) -> &str {
        match self.kind() {
            IndexKind::Git | IndexKind::Sparse => {
                self.0.split_once('+').map_or(&self.0, |(_, inner)| inner)
            }
            _ => &self.0,
        }
    }

    /// Whether its files are on the local disk or in this program, and so not controlled by a third party.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self.kind(), IndexKind::Embedded | IndexKind::Directory)
            // A clone of it is made without the network.
            || self.0.starts_with("git+file:")
    }

    /// Whether it is a sparse index with the same scheme, host and port as `url`.
    #[must_use]
    pub fn shares_origin(&self, url: &str) -> bool {
        match (self.kind(), Url::parse(self.inner()), Url::parse(url)) {
            // By origin, as browsers do: a credential of one port must not be sent to another.
            (IndexKind::Sparse, Ok(own), Ok(url)) => own.origin() == url.origin(),
            _ => false,
        }
    }

    /// Whether its host is a loopback address.
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
        if text == EMBEDDED_INDEX {
            return Ok(IndexUrl(text.to_owned()));
        }

        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(invalid_index_url(
                text,
                "it contains whitespace or a control character",
            ));
        }

        // Checked and normalized as any repository is.
        if let Some(repository) = text.strip_prefix("git+") {
            let url: GitUrl = repository
                .parse()
                .map_err(|error: Error| error.wrap(invalid_message(text)))?;
            return Ok(IndexUrl(format!("git+{url}")));
        }

        // Files are joined to a sparse or bucket URL, so it ends in a slash.
        if let Some(base) = text.strip_prefix("sparse+") {
            let url = parse_plain_url(text, base, &["https", "http"])?;
            return Ok(IndexUrl(format!(
                "sparse+{}/",
                url.as_str().trim_end_matches('/')
            )));
        }

        match text.split_once(':').map(|(scheme, _)| scheme) {
            Some("file") => parse_directory(text),
            Some("s3" | "gs" | "az") => {
                let url = parse_plain_url(text, text, &["s3", "gs", "az"])?;
                Ok(IndexUrl(format!("{}/", url.as_str().trim_end_matches('/'))))
            }
            // It could be either, and a wrong guess would request files that the host does not have.
            Some("https" | "http") => Err(invalid_index_url(text, "missing `sparse+` or `git+`")
                .help(format!("write `sparse+{0}` for static files, `git+{0}` for a git repository", redact_url(text)))),
            _ => Err(invalid_index_url(text, "unknown kind of index").help(
                "write an index as `sparse+https://…`, `git+https://…`, `git+ssh://…`, `file:///path`, `s3://…`, `gs://…` or \
                 `az://…`",
            )),
        }
    }
}

fn parse_directory(text: &str) -> Result<IndexUrl> {
    if let Some(fault) = find_spelling_fault(text) {
        return Err(invalid_index_url(text, fault));
    }

    let url = Url::parse(text).map_err(|cause| invalid_index_url(text, &cause.to_string()))?;
    // On Windows `file://host/path` is a network share.
    if url.host_str().is_some_and(|host| !host.is_empty())
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(
            invalid_index_url(text, "a file URL has no host, query or fragment")
                .help("write `file:///path`, with three slashes"),
        );
    }

    // The root is all slashes.
    match url.as_str().trim_end_matches('/') {
        "file:" => Ok(IndexUrl("file:///".into())),
        trimmed => Ok(IndexUrl(trimmed.to_owned())),
    }
}

/// Parses a URL that has only a host and a path.
fn parse_plain_url(text: &str, url: &str, schemes: &[&str]) -> Result<Url> {
    if let Some(fault) = find_spelling_fault(url) {
        return Err(invalid_index_url(text, fault));
    }

    let parsed = Url::parse(url).map_err(|cause| invalid_index_url(text, &cause.to_string()))?;
    if !schemes.contains(&parsed.scheme()) {
        return Err(invalid_index_url(
            text,
            &format!("`{}` is not one of {}", parsed.scheme(), schemes.join(", ")),
        ));
    }

    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(invalid_index_url(
            text,
            "it contains a user or password, which would be written to the lockfile",
        )
        .help("remove it, and store the token with `skillpm login`"));
    }

    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(invalid_index_url(text, "it has a query or a fragment"));
    }

    if let Some(fault) = find_host_fault(url, &parsed) {
        return Err(invalid_index_url(text, fault));
    }

    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(invalid_index_url(text, "missing host"));
    }

    Ok(parsed)
}

fn invalid_message(text: &str) -> String {
    format!("invalid index URL `{}`", redact_url(text).escape_debug())
}

fn invalid_index_url(text: &str, reason: &str) -> Error {
    Error::usage(format!("{}: {reason}", invalid_message(text)))
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
            (
                "file:///srv/index",
                "file:///srv/index",
                IndexKind::Directory,
            ),
            (
                "file:/srv/index/",
                "file:///srv/index",
                IndexKind::Directory,
            ),
            (
                "git+https://Acme.dev/index.git/",
                "git+https://acme.dev/index.git",
                IndexKind::Git,
            ),
            (
                "git+git@ACME.dev:index.git",
                "git+git@acme.dev:index.git",
                IndexKind::Git,
            ),
            (
                "git+gh:acme/index",
                "git+https://github.com/acme/index",
                IndexKind::Git,
            ),
            (
                "git+file:///srv/index.git",
                "git+file:///srv/index.git",
                IndexKind::Git,
            ),
            (
                "sparse+https://Acme.dev:443/index",
                "sparse+https://acme.dev/index/",
                IndexKind::Sparse,
            ),
            (
                "sparse+http://127.0.0.1:8080",
                "sparse+http://127.0.0.1:8080/",
                IndexKind::Sparse,
            ),
            ("s3://bucket/a", "s3://bucket/a/", IndexKind::Bucket),
            ("gs://bucket", "gs://bucket/", IndexKind::Bucket),
        ] {
            let url: IndexUrl = written.parse().unwrap();
            assert_eq!((url.as_str(), url.kind()), (canonical, kind));
            assert_eq!(
                canonical.parse::<IndexUrl>().unwrap(),
                url,
                "a canonical URL stays the same"
            );
        }
    }

    #[test]
    fn ambiguous_and_invalid_urls_are_refused() {
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
        for bad in [
            "sparse+https://u:CANARY@acme.dev/",
            "git+https://CANARY@acme.dev/a",
            "sparse+https://a/?t=CANARY",
        ] {
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
    fn local_and_remote_indexes_are_distinguished() {
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

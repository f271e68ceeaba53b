//! The URL of a git repository, canonical and without a secret in it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::{Error, Result};

/// The URL of a git repository: `https`, `http`, `ssh` or `file`.
///
/// Shorthands (`gh:owner/repo`, `gl:owner/repo`, `git@host:path`) are spelled out, a trailing slash is dropped, and
/// host names are in lower case, so that equal repositories have equal URLs. It can hold a user name for ssh but never
/// a password, because it is written into manifests and lockfiles.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GitUrl(String);

impl GitUrl {
    /// The URL as text; safe to print.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its scheme: `https`, `http`, `ssh` or `file`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.0.split_once("://").map_or("", |(scheme, _)| scheme)
    }

    /// The host it names; `None` for `file`.
    #[must_use]
    pub fn host(&self) -> Option<String> {
        Url::parse(&self.0).ok()?.host_str().map(|host| host.trim_matches(['[', ']']).to_owned())
    }

    /// The repository's own name: the last part of the path, without `.git`.
    #[must_use]
    pub fn repository(&self) -> &str {
        let last = self.0.rsplit('/').next().unwrap_or(&self.0);
        last.strip_suffix(".git").unwrap_or(last)
    }

    /// The `owner/repository` of a repository on a host that has owners, for messages; else the whole URL.
    #[must_use]
    pub fn short(&self) -> &str {
        for prefix in ["https://github.com/", "https://gitlab.com/"] {
            if let Some(rest) = self.0.strip_prefix(prefix) {
                return rest.strip_suffix(".git").unwrap_or(rest);
            }
        }
        &self.0
    }
}

impl FromStr for GitUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) || text.starts_with('-') {
            return Err(refused(text, "it holds a blank or a control character, or begins with a hyphen"));
        }
        if let Some(path) = text.strip_prefix("gh:") {
            return on_host("https://github.com/", path, text);
        }
        if let Some(path) = text.strip_prefix("gl:") {
            return on_host("https://gitlab.com/", path, text);
        }
        if text.contains("://") {
            return canonical(text);
        }
        match scp_parts(text) {
            Some((host, path)) => canonical(&format!("ssh://{host}/{}", path.trim_start_matches('/'))),
            None => {
                Err(refused(text, "it has no scheme").help("write it as `https://host/owner/repo` or `gh:owner/repo`"))
            }
        }
    }
}

/// The two halves of `[user@]host:path`, git's short form of an ssh URL.
pub(super) fn scp_parts(text: &str) -> Option<(&str, &str)> {
    let (host, path) = text.split_once(':')?;
    // A bare word before the colon could be anything (`javascript:…`); a user or a dot makes it a host.
    let is_host = host.contains(['@', '.']) && host.chars().all(|c| c.is_ascii_alphanumeric() || "@._-".contains(c));
    let is_path = !path.is_empty() && !path.starts_with([':', '-']) && !path.starts_with("//");
    (is_host && is_path).then_some((host, path))
}

fn on_host(host: &str, path: &str, text: &str) -> Result<GitUrl> {
    let parts: Vec<&str> = path.split('/').collect();
    if parts.len() < 2 || parts.iter().any(|part| part.is_empty() || part.starts_with(['.', '-'])) {
        return Err(refused(text, "`owner/repo` was expected after the colon"));
    }
    canonical(&format!("{host}{path}"))
}

fn canonical(text: &str) -> Result<GitUrl> {
    if let Some(fault) = spelling_fault(text) {
        return Err(refused(text, fault));
    }
    let url = Url::parse(text).map_err(|cause| refused(text, &cause.to_string()))?;
    if !matches!(url.scheme(), "https" | "http" | "ssh" | "file") {
        return Err(refused(text, &format!("scheme `{}` is not one of https, http, ssh and file", url.scheme())));
    }
    if let Some(fault) = host_fault(text, &url) {
        return Err(refused(text, fault));
    }
    let is_ssh = url.scheme() == "ssh";
    if url.password().is_some() || (!is_ssh && !url.username().is_empty()) {
        return Err(refused(text, "it carries a secret, which would end up in the manifest and the lockfile")
            .help("leave it out; git's credential helpers are asked for it (`git config credential.helper`)"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused(text, "it has a query or a fragment"));
    }
    if url.username().starts_with('-') || url.host_str().is_some_and(|host| host.starts_with('-')) {
        return Err(refused(text, "its user or host begins with a hyphen"));
    }
    let lower = url.path().to_ascii_lowercase();
    if lower.contains("%00") || lower.contains("%0a") || lower.contains("%0d") || url.path().starts_with("/-") {
        return Err(refused(text, "its path is not one of a repository"));
    }
    let is_file = url.scheme() == "file";
    if is_file && url.host_str().is_some_and(|host| !host.is_empty()) {
        return Err(refused(text, "a file URL has no host").help("write `file:///path`, with three slashes"));
    }
    let trimmed = url.as_str().trim_end_matches('/');
    if url.path().trim_matches('/').is_empty() {
        return Err(refused(text, "it names no repository"));
    }
    Ok(GitUrl(trimmed.to_owned()))
}

/// What in the spelling would be read in two ways: by a person and by the program, or by two programs.
pub(super) fn spelling_fault(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let is_hidden = |at: usize| {
        let digits = lower.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        digits.is_some_and(|byte| byte < 0x20 || byte == 0x7f || matches!(byte, b'/' | b'\\'))
    };
    if text.contains('\\') {
        return Some("it holds a backslash");
    }
    if lower.match_indices('%').any(|(at, _)| is_hidden(at)) {
        return Some("it hides a control character or a slash behind a `%`");
    }
    let path = lower.split_once("://").map_or("", |(_, rest)| rest);
    let climbs = path.split('/').skip(1).any(|part| matches!(part, ".." | "." | "%2e" | "%2e%2e" | ".%2e" | "%2e."));
    climbs.then_some("its path holds `.` or `..`")
}

/// What is wrong with the host: another alphabet's letters, an address in disguise, or one that only this machine's
/// surroundings have.
pub(super) fn host_fault(text: &str, url: &Url) -> Option<&'static str> {
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or("");
    if !authority.is_ascii() || authority.to_ascii_lowercase().contains("xn--") {
        return Some("its host is not written in plain letters; spell it as its owner does, without look-alikes");
    }
    // A parser of URLs finds the host behind any number of slashes, or none, and reads `%d1%96` in it as a letter.
    if url.scheme() != "file" && (!url.has_host() || authority.is_empty() || scheme.contains(':')) {
        return Some("its host does not stand right behind `://`");
    }
    let host = authority.rsplit('@').next().unwrap_or("").to_ascii_lowercase();
    if host.contains('%') && !host.starts_with('[') {
        return Some("its host is not written in plain letters; spell it as its owner does, without look-alikes");
    }
    match url.host() {
        Some(url::Host::Ipv4(address)) => {
            let is_plain = host.split(':').next() == Some(address.to_string().as_str());
            match (is_plain, address.is_link_local() || address.is_unspecified()) {
                (false, _) => Some("its host is an address in disguise"),
                (true, true) => Some("its host is an address that means another machine everywhere"),
                (true, false) => None,
            }
        }
        Some(url::Host::Ipv6(address)) => {
            let inner = address.to_ipv4_mapped().or_else(|| address.to_ipv4().filter(|_| !address.is_loopback()));
            let is_local = address.is_unicast_link_local() || address.is_unspecified();
            (inner.is_some() || is_local)
                .then_some("its host is an address in disguise, or one that means another machine everywhere")
        }
        _ => None,
    }
}

fn refused(text: &str, reason: &str) -> Error {
    Error::usage(format!("`{}` is not a git URL skillpm takes: {reason}", redacted(text).escape_debug()))
}

/// The text with whatever stands between `//` and `@` hidden.
pub(super) fn redacted(text: &str) -> String {
    // A query may hold a token as well.
    if let Some((before, _)) = text.split_once('?') {
        return format!("{}?***", redacted(before));
    }
    let Some((scheme, rest)) = text.split_once("//") else { return text.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}//***{}", &rest[at..]),
        None => text.to_owned(),
    }
}

impl fmt::Display for GitUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for GitUrl {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<GitUrl> for String {
    fn from(url: GitUrl) -> String {
        url.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repository_has_one_url() {
        for (typed, canonical) in [
            ("gh:obra/superpowers", "https://github.com/obra/superpowers"),
            ("gl:group/sub/repo", "https://gitlab.com/group/sub/repo"),
            ("https://GitHub.com/obra/superpowers/", "https://github.com/obra/superpowers"),
            ("git@github.com:obra/superpowers.git", "ssh://git@github.com/obra/superpowers.git"),
            ("ssh://git@host:2222/a.git", "ssh://git@host:2222/a.git"),
            ("file:///srv/git/a.git", "file:///srv/git/a.git"),
        ] {
            assert_eq!(typed.parse::<GitUrl>().unwrap().as_str(), canonical);
        }
    }

    #[test]
    fn hostile_urls_are_refused() {
        for bad in [
            "https:g\u{456}thub.com/x/y",
            "https:/github.com/x/y",
            "https:///github.com/x/y",
            "https://g%d1%96thub.com/x/y",
            "ext::sh -c id",
            "https://",
            "ftp://host/a",
            "-oProxyCommand=id",
            "ssh://-oProxyCommand=id/a",
            "file://host/a",
            "https://host/a?x=1",
            "https://host/a#b",
            "gh:owner",
            "gh:../x",
            "javascript:alert(1)//x/y",
            "owner/repo",
            "https://0x7f.1/x",
            "https://2130706433/x",
            "https://[::ffff:169.254.169.254]/x",
            "https://169.254.169.254/x",
            "https://h/%1b%5b2J.git",
            "https://h/a/../../b.git",
            "https://a\\@h/x",
            "https://gith\u{443}b.com/x/y",
            "ssh://-l@host/a",
            "https://host/a\nb",
            "ssh://host/-a",
            "fd::17/x",
            "ssh:/git@host/x://y",
            "ssh::/git@host://",
        ] {
            assert!(bad.parse::<GitUrl>().is_err(), "{}", bad.escape_debug());
        }
    }

    #[test]
    fn a_secret_is_refused_and_never_printed() {
        for bad in [
            "https://user:CANARY@host/a.git",
            "https://CANARY@host/a.git",
            "ssh://git:CANARY@host/a.git",
            "https://user@host/a?t=CANARY",
        ] {
            let error = bad.parse::<GitUrl>().unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
            assert!(error.message().contains("***@host"), "{error:?}");
        }
    }
}

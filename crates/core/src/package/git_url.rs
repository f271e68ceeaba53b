//! The canonical URL of a git repository, without credentials.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::{Error, Result};

/// The URL of a git repository: `https`, `http`, `ssh` or `file`.
///
/// Shorthands (`gh:owner/repo`, `gl:owner/repo`) are expanded, a trailing slash is removed, and host names are in lower case.
/// `git@host:path` stays as it is: its path is relative to the home on the host, and git's `insteadOf` matches that text. It
/// may have a user name for ssh but never a password, since it is written to manifests and lockfiles.
///
/// URLs that differ in the spelling only, such as with and without `.git`, are equal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GitUrl {
    text: String,
    /// The same for all spellings of one repository.
    identity: String,
}

impl GitUrl {
    fn new(text: String) -> GitUrl {
        GitUrl {
            identity: find_identity(&text),
            text,
        }
    }

    /// The URL as text; safe to print.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its scheme: `https`, `http`, `ssh` or `file`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.text
            .split_once("://")
            .map_or("ssh", |(scheme, _)| scheme)
    }

    /// Its host; `None` for `file`.
    #[must_use]
    pub fn host(&self) -> Option<String> {
        if let Some((host, _)) = scp_parts(&self.text) {
            return Some(host.rsplit('@').next().unwrap_or(host).to_owned());
        }
        Url::parse(&self.text)
            .ok()?
            .host_str()
            .map(|host| host.trim_matches(['[', ']']).to_owned())
    }

    /// The name of the repository: the last part of the path, without `.git`.
    #[must_use]
    pub fn repository(&self) -> &str {
        let last = self.text.rsplit(['/', ':']).next().unwrap_or(&self.text);
        last.strip_suffix(".git").unwrap_or(last)
    }

    /// `owner/repository` of a repository on GitHub or GitLab, for messages; otherwise the whole URL.
    #[must_use]
    pub fn short(&self) -> &str {
        for prefix in ["https://github.com/", "https://gitlab.com/"] {
            if let Some(rest) = self.text.strip_prefix(prefix) {
                return rest.strip_suffix(".git").unwrap_or(rest);
            }
        }
        &self.text
    }
}

/// Hosts on which `git@host:owner/repo` and `ssh://git@host/owner/repo` are one repository.
const FORGES: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

fn find_identity(text: &str) -> String {
    // On a disk `a` and `a.git` may both exist.
    if text.starts_with("file:") {
        return text.to_owned();
    }
    let mut identity = text.strip_suffix(".git").unwrap_or(text).to_owned();
    if let Some((host, path)) = scp_parts(&identity) {
        let name = host.rsplit('@').next().unwrap_or(host);
        if FORGES.contains(&name) {
            identity = format!("ssh://{host}/{path}");
        }
    } else if let Some(rest) = identity.strip_prefix("ssh://")
        && let Some((host, path)) = rest.split_once('/')
        && let Some(host) = host.strip_suffix(":22")
    {
        identity = format!("ssh://{host}/{path}");
    }
    identity
}

impl PartialEq for GitUrl {
    fn eq(&self, other: &GitUrl) -> bool {
        self.identity == other.identity
    }
}

impl Eq for GitUrl {}

impl Hash for GitUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity.hash(state);
    }
}

impl PartialOrd for GitUrl {
    fn partial_cmp(&self, other: &GitUrl) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GitUrl {
    fn cmp(&self, other: &GitUrl) -> Ordering {
        self.identity.cmp(&other.identity)
    }
}

impl FromStr for GitUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // git and ssh would take a leading hyphen for an option.
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) || text.starts_with('-') {
            return Err(invalid_git_url(
                text,
                "it contains whitespace or a control character, or begins with a hyphen",
            ));
        }

        if let Some(path) = text.strip_prefix("gh:") {
            return parse_shorthand("https://github.com/", path, text);
        }
        if let Some(path) = text.strip_prefix("gl:") {
            return parse_shorthand("https://gitlab.com/", path, text);
        }

        if text.contains("://") {
            return parse_canonical(text);
        }
        if let Some(url) = bracketed_scp(text) {
            return parse_canonical(&url);
        }

        match scp_parts(text) {
            Some((host, path)) => {
                let url =
                    parse_canonical(&format!("ssh://{host}/{}", path.trim_start_matches('/')))?;
                if path.starts_with('/') {
                    return Ok(url);
                }
                let path = path.trim_end_matches('/');
                let (user, host) = host.split_at(host.rfind('@').map_or(0, |at| at + 1));
                Ok(GitUrl::new(format!(
                    "{user}{}:{path}",
                    host.to_ascii_lowercase()
                )))
            }
            None => Err(invalid_git_url(text, "missing scheme")
                .help("write it as `https://host/owner/repo` or `gh:owner/repo`")),
        }
    }
}

/// The ssh URL of `[user@host:port]:path` or `user@[host]:path`: the short form with a port, or with an IPv6 address.
pub(super) fn bracketed_scp(text: &str) -> Option<String> {
    let (user, rest) = text.split_once('[')?;
    let (inside, path) = rest.split_once("]:")?;
    if !(user.is_empty() || user.ends_with('@')) || path.is_empty() {
        return None;
    }
    // A port follows the only colon; an address has several.
    let is_address = inside.matches(':').count() > 1;
    let host = if is_address {
        format!("[{inside}]")
    } else {
        inside.to_owned()
    };
    // A path that is not absolute is relative to the home directory on the host.
    let home = if path.starts_with('/') { "" } else { "/~/" };
    Some(format!("ssh://{user}{host}{home}{path}"))
}

/// The host and path of `[user@]host:path`, git's short form of an ssh URL.
pub(super) fn scp_parts(text: &str) -> Option<(&str, &str)> {
    let (host, path) = text.split_once(':')?;

    // A bare word before the colon could be any scheme (`javascript:…`); a user or a dot makes it a host.
    let is_host = host.contains(['@', '.'])
        && host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "@._-".contains(c));
    // `ext::…` makes git run a program, and `-…` is an option.
    let is_path = !path.is_empty() && !path.starts_with([':', '-']) && !path.starts_with("//");

    (is_host && is_path).then_some((host, path))
}

fn parse_shorthand(host: &str, path: &str, text: &str) -> Result<GitUrl> {
    let parts: Vec<&str> = path.split('/').collect();
    // A leading dot is `..` or a hidden directory, a leading hyphen an option.
    if parts.len() < 2
        || parts
            .iter()
            .any(|part| part.is_empty() || part.starts_with(['.', '-']))
    {
        return Err(invalid_git_url(
            text,
            "expected `owner/repo` after the colon",
        ));
    }

    parse_canonical(&format!("{host}{path}"))
}

fn parse_canonical(text: &str) -> Result<GitUrl> {
    // On the original text, since the URL parser normalizes these faults away.
    if let Some(fault) = find_spelling_fault(text) {
        return Err(invalid_git_url(text, fault));
    }

    let url = Url::parse(text).map_err(|cause| invalid_git_url(text, &cause.to_string()))?;
    if !matches!(url.scheme(), "https" | "http" | "ssh" | "file") {
        return Err(invalid_git_url(
            text,
            &format!(
                "unsupported scheme `{}`, expected one of https, http, ssh and file",
                url.scheme()
            ),
        ));
    }

    if let Some(fault) = find_host_fault(text, &url) {
        return Err(invalid_git_url(text, fault));
    }
    refuse_credentials(text, &url)?;
    if let Some(fault) = find_unsafe_part(&url) {
        return Err(invalid_git_url(text, fault));
    }

    let is_file = url.scheme() == "file";
    if is_file && url.host_str().is_some_and(|host| !host.is_empty()) {
        return Err(invalid_git_url(text, "a file URL has no host")
            .help("write `file:///path`, with three slashes"));
    }

    if url.path().trim_matches('/').is_empty() {
        return Err(invalid_git_url(text, "missing path of the repository"));
    }
    // Hosts serve a repository with and without the slash, so the two are one id.
    Ok(GitUrl::new(url.as_str().trim_end_matches('/').to_owned()))
}

fn refuse_credentials(text: &str, url: &Url) -> Result<()> {
    // ssh needs a user; with HTTPS the user is often a token.
    let is_ssh = url.scheme() == "ssh";
    if url.password().is_none() && (is_ssh || url.username().is_empty()) {
        return Ok(());
    }

    // As hosts show it for cloning. Never repeated, since it may be a token.
    if url.password().is_none() {
        let mut bare = url.clone();
        bare.set_query(None);
        bare.set_fragment(None);
        if bare.set_username("").is_ok() {
            let origin = bare.origin().ascii_serialization();
            return Err(invalid_git_url(
                text,
                "it contains a user name, which is a token on some hosts, and would be written to the manifest and the lockfile",
            )
            .help(format!("write it as `{bare}`"))
            .help(format!(
                "to choose a login, run `git config --global credential.{origin}.username NAME`"
            )));
        }
    }

    Err(invalid_git_url(
        text,
        "it contains credentials, which would be written to the manifest and the lockfile",
    )
    .help("remove them; git's credential helper provides them (`git config credential.helper`)"))
}

/// A part that git or ssh would take for something else; `None` if there is none.
fn find_unsafe_part(url: &Url) -> Option<&'static str> {
    // A repository has neither, and a query may contain a token.
    if url.query().is_some() || url.fragment().is_some() {
        return Some("it has a query or a fragment");
    }

    // ssh took such a host for an option (CVE-2017-1000117).
    if url.username().starts_with('-') || url.host_str().is_some_and(|host| host.starts_with('-')) {
        return Some("its user or host begins with a hyphen");
    }

    // An encoded line end is a second line in git's credential protocol (CVE-2020-5260).
    let lower = url.path().to_ascii_lowercase();
    let has_line_end = ["%00", "%0a", "%0d"].iter().any(|end| lower.contains(end));
    (has_line_end || url.path().starts_with("/-")).then_some("invalid path of a repository")
}

/// A fault in the spelling that a person and a program, or two programs, would read differently; `None` if there is none.
pub(super) fn find_spelling_fault(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let is_hidden = |at: usize| {
        let digits = lower
            .get(at + 1..at + 3)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        digits.is_some_and(|byte| byte < 0x20 || byte == 0x7f || matches!(byte, b'/' | b'\\'))
    };

    // To a browser a backslash is a slash, to git it is a character.
    if text.contains('\\') {
        return Some("it contains a backslash");
    }
    if lower.match_indices('%').any(|(at, _)| is_hidden(at)) {
        return Some("it contains a percent-encoded control character or slash");
    }

    // Some programs resolve dot segments, others send them as they are.
    let path = lower.split_once("://").map_or("", |(_, rest)| rest);
    let climbs = path
        .split('/')
        .skip(1)
        .any(|part| matches!(part, ".." | "." | "%2e" | "%2e%2e" | ".%2e" | "%2e."));
    climbs.then_some("its path contains `.` or `..`")
}

/// Why a host is refused: letters that are not ASCII, an obfuscated IP address, or an address that is only valid locally;
/// `None` if it is allowed.
pub(super) fn find_host_fault(text: &str, url: &Url) -> Option<&'static str> {
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or("");
    // `xn--` is another alphabet encoded in ASCII.
    if !authority.is_ascii() || authority.to_ascii_lowercase().contains("xn--") {
        return Some(NOT_ASCII);
    }

    // URL parsers accept any number of slashes before the host, and decode `%d1%96` in it to a letter.
    if url.scheme() != "file" && (!url.has_host() || authority.is_empty() || scheme.contains(':')) {
        return Some("its host does not follow `://` directly");
    }

    let host = authority
        .rsplit('@')
        .next()
        .unwrap_or("")
        .to_ascii_lowercase();
    if host.contains('%') && !host.starts_with('[') {
        return Some(NOT_ASCII);
    }

    find_address_fault(&host, url)
}

const NOT_ASCII: &str = "its host contains characters that are not ASCII, or `xn--` or `%` encoding, which can imitate another host";

/// Why an IP address is refused, which is written as `host` with an optional port; `None` if it is allowed or a name.
fn find_address_fault(host: &str, url: &Url) -> Option<&'static str> {
    match url.host()? {
        url::Host::Ipv4(address) => {
            // `2130706433`, `0x7f.1` and `127.1` are all parsed as 127.0.0.1.
            if host.split(':').next() != Some(address.to_string().as_str()) {
                return Some("its host is an obfuscated IP address");
            }
            (address.is_link_local() || address.is_unspecified())
                .then_some("its host is a link-local or unspecified IP address")
        }
        url::Host::Ipv6(address) => {
            // An IPv4 address inside an IPv6 address passes filters that check only the former.
            let inner = address
                .to_ipv4_mapped()
                .or_else(|| address.to_ipv4().filter(|_| !address.is_loopback()));
            let is_local = address.is_unicast_link_local() || address.is_unspecified();
            (inner.is_some() || is_local)
                .then_some("its host is an obfuscated, link-local or unspecified IP address")
        }
        url::Host::Domain(_) => None,
    }
}

fn invalid_git_url(text: &str, reason: &str) -> Error {
    Error::usage(format!(
        "invalid git URL `{}`: {reason}",
        redact_url(text).escape_debug()
    ))
}

/// The text with everything between `//` and `@`, and the query, replaced by `***`.
pub(super) fn redact_url(text: &str) -> String {
    // A query may contain a token as well.
    if let Some((before, _)) = text.split_once('?') {
        return format!("{}?***", redact_url(before));
    }

    let Some((scheme, rest)) = text.split_once("//") else {
        return text.to_owned();
    };

    let end = rest.find('/').unwrap_or(rest.len());
    // The last `@` before the path, since a password may contain one.
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}//***{}", &rest[at..]),
        None => text.to_owned(),
    }
}

impl fmt::Display for GitUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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
        url.text
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
            (
                "https://GitHub.com/obra/superpowers/",
                "https://github.com/obra/superpowers",
            ),
            (
                "git@GitHub.com:obra/superpowers.git/",
                "git@github.com:obra/superpowers.git",
            ),
            ("git@host:/srv/a.git", "ssh://git@host/srv/a.git"),
            ("[git@host:2222]:a.git", "ssh://git@host:2222/~/a.git"),
            ("git@[host]:/srv/a.git", "ssh://git@host/srv/a.git"),
            ("git@[::1]:a.git", "ssh://git@[::1]/~/a.git"),
            ("ssh://git@host:2222/a.git", "ssh://git@host:2222/a.git"),
            ("file:///srv/git/a.git", "file:///srv/git/a.git"),
        ] {
            assert_eq!(typed.parse::<GitUrl>().unwrap().as_str(), canonical);
        }
    }

    #[test]
    fn spellings_of_one_repository_are_equal() {
        let url = |text: &str| text.parse::<GitUrl>().unwrap();
        for (one, other) in [
            ("https://host/a/b", "https://HOST:443/a/b.git/"),
            ("ssh://git@host/a.git", "ssh://git@host:22/a"),
            ("git@host:a/b", "git@HOST:a/b.git"),
            ("git@github.com:a/b.git", "ssh://git@github.com/a/b"),
            ("gh:a/b", "https://github.com/a/b.git"),
        ] {
            assert_eq!(url(one), url(other));
        }
        for (one, other) in [
            ("git@host:a/b", "ssh://git@host/a/b"),
            ("file:///a", "file:///a.git"),
            ("https://host/a", "https://host:8443/a"),
            ("https://host/A", "https://host/a"),
            ("https://host/a", "http://host/a"),
            ("ssh://host/a:22/b", "ssh://host/a/b"),
        ] {
            assert_ne!(url(one), url(other));
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
            "[-oProxyCommand=id]:a",
            "git@[host:22]:",
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

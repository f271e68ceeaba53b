//! The address of a web site that offers skills below `/.well-known/`, canonical and without a secret in it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

use super::git_url::{host_fault, redacted, spelling_fault};
use crate::error::{Error, Result};

/// Where a site keeps what it offers, the newer place first.
const FOLDERS: [&str; 2] = ["/.well-known/agent-skills", "/.well-known/skills"];

/// A site that offers skills: its origin, and the path above `/.well-known/` where it does not begin at the root.
///
/// ```text
/// https://acme.dev
/// https://acme.dev/docs        for https://acme.dev/docs/.well-known/agent-skills/index.json
/// ```
///
/// Which of the two folders an address was typed with is not part of it: whoever reads looks into both.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteUrl(String);

impl SiteUrl {
    /// The address as text; safe to print.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its scheme, host and port, and nothing else.
    #[must_use]
    pub fn origin(&self) -> String {
        let url = Url::parse(&self.0).expect("it was parsed when it was made");
        url.origin().ascii_serialization()
    }

    /// The address as a person types it for [`PackageSpec`](super::PackageSpec) to see that it is one.
    #[must_use]
    pub fn spelled(&self) -> String {
        if self.0 == self.origin() { self.0.clone() } else { format!("{}{}", self.0, FOLDERS[0]) }
    }

    /// The URLs of the index, the one to try first in front: that of discovery 0.2, then that of 0.1.
    #[must_use]
    pub fn indexes(&self) -> [String; 2] {
        FOLDERS.map(|folder| format!("{}{folder}/index.json", self.0))
    }

    /// Whether a text is meant as such an address, by its spelling: a host alone, or a path that ends in one of the folders
    /// or its index.
    pub(super) fn is_meant(text: &str) -> bool {
        let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
        let rest = rest.trim_end_matches('/');
        !rest.contains('/') || without_folder(rest) != rest
    }
}

/// The text without the folder that it ends in, if it does. One may stand in another: an address is to be read as it is
/// written.
fn without_folder(mut text: &str) -> &str {
    loop {
        let list = text.strip_suffix("/index.json").filter(|rest| ends_in_folder(rest)).unwrap_or(text);
        let Some(above) = FOLDERS.iter().find_map(|folder| list.strip_suffix(folder)) else { return list };
        text = above.trim_end_matches('/');
    }
}

fn ends_in_folder(text: &str) -> bool {
    FOLDERS.iter().any(|folder| text.ends_with(folder))
}

impl FromStr for SiteUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(refused(text, "it holds a blank or a control character"));
        }
        if let Some(fault) = spelling_fault(text) {
            return Err(refused(text, fault));
        }
        let url = Url::parse(without_folder(text.trim_end_matches('/')))
            .map_err(|cause| refused(text, &cause.to_string()).help("write it as `https://host`"))?;
        if !matches!(url.scheme(), "https" | "http") || url.host().is_none() {
            return Err(refused(text, "it is no address on the web").help("write it as `https://host`"));
        }
        if let Some(fault) = host_fault(text, &url) {
            return Err(refused(text, fault));
        }
        if url.password().is_some() || !url.username().is_empty() {
            return Err(refused(text, "it carries a secret, which would end up in the manifest and the lockfile"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused(text, "it has a query or a fragment"));
        }
        Ok(SiteUrl(url.as_str().trim_end_matches('/').to_owned()))
    }
}

fn refused(text: &str, reason: &str) -> Error {
    Error::usage(format!("`{}` is not the address of a site: {reason}", redacted(text).escape_debug()))
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SiteUrl {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<SiteUrl> for String {
    fn from(url: SiteUrl) -> String {
        url.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_site_has_one_address() {
        for (typed, canonical) in [
            ("https://acme.dev", "https://acme.dev"),
            ("https://ACME.dev/", "https://acme.dev"),
            ("https://acme.dev:443/.well-known/agent-skills", "https://acme.dev"),
            ("https://acme.dev/.well-known/agent-skills/index.json", "https://acme.dev"),
            ("https://acme.dev/.well-known/skills/", "https://acme.dev"),
            ("https://acme.dev/.well-known/agent-skills//.well-known/skills", "https://acme.dev"),
            ("https://acme.dev/docs/v2/.well-known/skills/index.json", "https://acme.dev/docs/v2"),
            ("https://acme.dev/docs", "https://acme.dev/docs"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] {
            let site: SiteUrl = typed.parse().unwrap();
            assert_eq!(site.as_str(), canonical);
            assert_eq!(site.spelled().parse::<SiteUrl>().unwrap(), site);
            assert!(SiteUrl::is_meant(&site.spelled()), "{typed}");
        }
    }

    #[test]
    fn the_index_is_looked_for_in_both_folders() {
        let site: SiteUrl = "https://acme.dev/docs".parse().unwrap();
        assert_eq!(
            site.indexes(),
            [
                "https://acme.dev/docs/.well-known/agent-skills/index.json",
                "https://acme.dev/docs/.well-known/skills/index.json"
            ]
        );
        assert_eq!(site.origin(), "https://acme.dev");
    }

    #[test]
    fn only_a_host_alone_and_the_folders_are_meant_as_a_site() {
        for (text, meant) in [
            ("https://acme.dev", true),
            ("https://acme.dev/", true),
            ("https://acme.dev/x/.well-known/skills", true),
            ("https://acme.dev/x", false),
            ("https://acme.dev/index.json", false),
            ("https://acme.dev/.well-known/other", false),
            ("ssh://acme.dev", false),
        ] {
            assert_eq!(SiteUrl::is_meant(text), meant, "{text}");
        }
    }

    #[test]
    fn hostile_addresses_are_refused_and_keep_their_secrets() {
        for bad in [
            "https:g\u{456}thub.com",
            "https:///github.com",
            "https://g%d1%96thub.com",
            "https://u:CANARY@acme.dev",
            "https://acme.dev?token=CANARY",
            "https://acme.dev#part",
            "https://аcme.dev",
            "https://0x7f.1",
            "https://acme.dev/%2e%2e/x",
            "file:///etc",
            "https://",
            "acme.dev",
            "https://acme.dev/\u{7}",
        ] {
            let error = bad.parse::<SiteUrl>().unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }
}

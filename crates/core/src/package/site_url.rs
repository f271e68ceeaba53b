//! The canonical URL of a web site that offers skills below `/.well-known/`, without credentials.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

use super::git_url::{find_host_fault, find_spelling_fault, redact_url};
use crate::error::{Error, Result};

/// The directories in which a site offers skills, the newer one first.
const WELL_KNOWN_DIRS: [&str; 2] = ["/.well-known/agent-skills", "/.well-known/skills"];

/// A site that offers skills: its origin, and the path above `/.well-known/` where it does not begin at the root.
///
/// ```text
/// https://acme.dev
/// https://acme.dev/docs        for https://acme.dev/docs/.well-known/agent-skills/index.json
/// ```
///
/// The directory is not part of the value, so both are tried.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteUrl(String);

impl SiteUrl {
    /// The URL as text; safe to print.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> String {
        let url = Url::parse(&self.0).expect("it was parsed on construction");
        url.origin().ascii_serialization()
    }

    /// The spelling that [`PackageSpec`](super::PackageSpec) parses as a site.
    #[must_use]
    pub fn to_spec(&self) -> String {
        // Below a path the directory has to be named: a URL with a path may be that of a
        // repository.
        if self.0 == self.origin() {
            self.0.clone()
        } else {
            format!("{}{}", self.0, WELL_KNOWN_DIRS[0])
        }
    }

    /// The URLs of the index in the order to try them: that of discovery 0.2, then that of 0.1.
    #[must_use]
    pub fn index_urls(&self) -> [String; 2] {
        WELL_KNOWN_DIRS.map(|dir| format!("{}{dir}/index.json", self.0))
    }

    /// Whether a text is spelled like a site: a host alone, or a path that ends in one of the directories or in its
    /// index.
    pub(super) fn is_site_address(text: &str) -> bool {
        let Some(rest) = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
        else {
            return false;
        };

        let rest = rest.trim_end_matches('/');
        // Any other path could be that of a repository or a page.
        !rest.contains('/') || strip_well_known_dir(rest) != rest
    }
}

/// Strips the well-known directory from the end of a URL. Repeated, since a URL may end in one inside another, and the
/// result must be stable when it is parsed again.
fn strip_well_known_dir(mut text: &str) -> &str {
    loop {
        let list = text
            .strip_suffix("/index.json")
            // Any other `index.json` is a file of the site.
            .filter(|rest| ends_in_well_known_dir(rest))
            .unwrap_or(text);

        let Some(above) = WELL_KNOWN_DIRS
            .iter()
            .find_map(|dir| list.strip_suffix(dir))
        else {
            return list;
        };

        text = above.trim_end_matches('/');
    }
}

fn ends_in_well_known_dir(text: &str) -> bool {
    WELL_KNOWN_DIRS.iter().any(|dir| text.ends_with(dir))
}

impl FromStr for SiteUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(invalid_site_url(
                text,
                "it contains whitespace or a control character",
            ));
        }

        // On the text as written, since the URL parser normalizes these faults away.
        if let Some(fault) = find_spelling_fault(text) {
            return Err(invalid_site_url(text, fault));
        }

        let url =
            Url::parse(strip_well_known_dir(text.trim_end_matches('/'))).map_err(|cause| {
                invalid_site_url(text, &cause.to_string()).help("write it as `https://host`")
            })?;

        if !matches!(url.scheme(), "https" | "http") || url.host().is_none() {
            return Err(
                invalid_site_url(text, "it is not an `https` or `http` URL with a host")
                    .help("write it as `https://host`"),
            );
        }
        // A host that imitates another would be shown, reviewed and fetched as that other one.
        if let Some(fault) = find_host_fault(text, &url) {
            return Err(invalid_site_url(text, fault));
        }

        if url.password().is_some() || !url.username().is_empty() {
            return Err(invalid_site_url(
                text,
                "it contains credentials, which would be written to the manifest and the lockfile",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid_site_url(text, "it has a query or a fragment"));
        }

        Ok(SiteUrl(url.as_str().trim_end_matches('/').to_owned()))
    }
}

fn invalid_site_url(text: &str, reason: &str) -> Error {
    Error::usage(format!(
        "invalid site URL `{}`: {reason}",
        redact_url(text).escape_debug()
    ))
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
    fn one_site_has_one_url() {
        for (typed, canonical) in [
            ("https://acme.dev", "https://acme.dev"),
            ("https://ACME.dev/", "https://acme.dev"),
            (
                "https://acme.dev:443/.well-known/agent-skills",
                "https://acme.dev",
            ),
            (
                "https://acme.dev/.well-known/agent-skills/index.json",
                "https://acme.dev",
            ),
            ("https://acme.dev/.well-known/skills/", "https://acme.dev"),
            (
                "https://acme.dev/.well-known/agent-skills//.well-known/skills",
                "https://acme.dev",
            ),
            (
                "https://acme.dev/docs/v2/.well-known/skills/index.json",
                "https://acme.dev/docs/v2",
            ),
            ("https://acme.dev/docs", "https://acme.dev/docs"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] {
            let site: SiteUrl = typed.parse().unwrap();
            assert_eq!(site.as_str(), canonical);
            assert_eq!(site.to_spec().parse::<SiteUrl>().unwrap(), site);
            assert!(SiteUrl::is_site_address(&site.to_spec()), "{typed}");
        }
    }

    #[test]
    fn index_is_tried_in_both_directories() {
        let site: SiteUrl = "https://acme.dev/docs".parse().unwrap();
        assert_eq!(
            site.index_urls(),
            [
                "https://acme.dev/docs/.well-known/agent-skills/index.json",
                "https://acme.dev/docs/.well-known/skills/index.json"
            ]
        );
        assert_eq!(site.origin(), "https://acme.dev");
    }

    #[test]
    fn only_a_host_and_the_well_known_directories_are_a_site() {
        for (text, meant) in [
            ("https://acme.dev", true),
            ("https://acme.dev/", true),
            ("https://acme.dev/x/.well-known/skills", true),
            ("https://acme.dev/x", false),
            ("https://acme.dev/index.json", false),
            ("https://acme.dev/.well-known/other", false),
            ("ssh://acme.dev", false),
        ] {
            assert_eq!(SiteUrl::is_site_address(text), meant, "{text}");
        }
    }

    #[test]
    fn hostile_urls_are_refused_and_secrets_not_printed() {
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

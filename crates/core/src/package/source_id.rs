//! Where a package comes from.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use super::index_url::EMBEDDED_INDEX;
use super::{GitUrl, IndexUrl, SiteUrl};
use crate::error::{Error, Result};

/// A reference to a commit of a git repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum GitReference {
    /// The head of the repository's default branch.
    #[default]
    Default,
    /// The head of a branch.
    Branch(String),
    /// A tag.
    Tag(String),
    /// A commit, by 7 to 64 hexadecimal digits, or any other full reference (`refs/…`).
    Rev(String),
    /// The newest version tag that matches the dependency's requirement.
    Versions,
}

impl GitReference {
    /// A branch, or a commit: a branch could have such a name as well, but 40 or 64 digits always mean the commit.
    ///
    /// # Errors
    /// If it is not a valid name.
    pub fn from_name(text: &str) -> Result<GitReference> {
        let name = GitReference::check_name(text)?;
        let is_commit =
            matches!(name.len(), 40 | 64) && name.bytes().all(|b| b.is_ascii_hexdigit());
        Ok(if is_commit {
            GitReference::Rev(name)
        } else {
            GitReference::Branch(name)
        })
    }

    /// Checks the name of a branch, tag or revision, so that it cannot be read as an option or another reference.
    ///
    /// # Errors
    /// If `text` is empty, begins with `-`, or is not a valid reference name for git.
    pub fn check_name(text: &str) -> Result<String> {
        // The rules of `git check-ref-format`; a leading hyphen would be an option.
        let bad = text.is_empty()
            || text.starts_with(['-', '/', '.'])
            || text.ends_with(['/', '.'])
            || text.contains("..")
            || text.contains("//")
            || text.contains("@{")
            || text.strip_suffix(".lock").is_some()
            || text
                .chars()
                .any(|c| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c));

        if bad {
            return Err(Error::usage(format!(
                "invalid name of a branch or tag: `{}`",
                text.escape_debug()
            )));
        }

        Ok(text.to_owned())
    }
}

impl fmt::Display for GitReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitReference::Default => f.write_str("the default branch"),
            GitReference::Branch(name) => write!(f, "branch `{name}`"),
            GitReference::Tag(name) => write!(f, "tag `{name}`"),
            GitReference::Rev(name) => write!(f, "revision `{name}`"),
            // Shown before one of the tags is selected.
            GitReference::Versions => f.write_str("its version tags"),
        }
    }
}

/// Where a package comes from. The canonical text form is what a lockfile has before the `#`:
///
/// ```text
/// registry+embedded:default
/// git+https://github.com/acme/skills
/// git+https://github.com/acme/skills?tag=release-notes-v2.1.0
/// path+../style
/// archive+https://acme.dev/pdf-1.2.0.tar.gz
/// well-known+https://acme.dev
/// clawhub+https://clawhub.ai
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SourceId {
    /// A registry, by the URL of its index.
    Registry(String),
    /// A git repository at a reference.
    Git {
        /// The repository.
        url: GitUrl,
        /// The reference.
        reference: GitReference,
    },
    /// A directory, as written in the manifest: absolute, or relative to the project's root, with `/`.
    Path(String),
    /// One archive, by URL or by path as in [`SourceId::Path`].
    Archive(String),
    /// A web site with a list of skills below `/.well-known/`.
    WellKnown(SiteUrl),
    /// ClawHub, or another server with its API, by its base URL. The package is `owner/slug`, or `slug` alone.
    ClawHub(SiteUrl),
}

fn normalize_path(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();

    for part in path.split('/') {
        match part {
            "" | "." => {}
            // A leading `..` leads out of the project, so it has no component to remove.
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }

    // Empty is the project itself, and needs a spelling.
    match (is_absolute, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}

/// The characters to escape in a reference within a URL's query.
// Those to which a URL or the TOML of a lockfile gives a meaning.
const QUERY: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'=')
    .add(b'+')
    .add(b'"');

impl SourceId {
    /// The index URL of the embedded registry.
    pub const EMBEDDED_INDEX: &str = EMBEDDED_INDEX;

    /// A directory by its path, normalized without `.` and `name/..`, so that one directory has one id.
    #[must_use]
    pub fn from_path(written: &str) -> SourceId {
        SourceId::Path(normalize_path(written))
    }

    /// Whether two ids have the same location, ignoring the git reference.
    #[must_use]
    pub fn is_same_location(&self, other: &SourceId) -> bool {
        match (self, other) {
            // All tags and branches of a repository are versions of one package.
            (SourceId::Git { url: a, .. }, SourceId::Git { url: b, .. }) => a == b,
            _ => self == other,
        }
    }

    /// Whether it is a repository whose version tags are the versions to choose from.
    #[must_use]
    pub fn has_version_tags(&self) -> bool {
        matches!(
            self,
            SourceId::Git {
                reference: GitReference::Versions,
                ..
            }
        )
    }

    /// Whether it has versions to select from, by an index or by version tags.
    #[must_use]
    pub fn has_versions(&self) -> bool {
        matches!(self, SourceId::Registry(_)) || self.has_version_tags()
    }

    /// The location as a key in settings: the URL of an index, otherwise the text form without the git reference.
    #[must_use]
    pub fn location_key(&self) -> String {
        match self {
            SourceId::Registry(index) => index.clone(),
            SourceId::Git { url, .. } => format!("git+{url}"),
            other => other.to_string(),
        }
    }

    /// The location for messages, without the prefix of the text form and the git reference.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            SourceId::Registry(index) => format!("registry `{index}`"),
            SourceId::Git { url, .. } => format!("`{}`", url.short()),
            SourceId::Path(path) | SourceId::Archive(path) => format!("`{path}`"),
            SourceId::WellKnown(site) => format!("`{site}`"),
            SourceId::ClawHub(hub) => format!("ClawHub `{hub}`"),
        }
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceId::Registry(index) => write!(f, "registry+{index}"),
            SourceId::Path(path) => write!(f, "path+{path}"),
            SourceId::Archive(place) => write!(f, "archive+{place}"),
            SourceId::WellKnown(site) => write!(f, "well-known+{site}"),
            SourceId::ClawHub(hub) => write!(f, "clawhub+{hub}"),
            SourceId::Git { url, reference } => {
                write!(f, "git+{url}")?;
                match reference {
                    GitReference::Default => Ok(()),
                    GitReference::Branch(name) => {
                        write!(f, "?branch={}", utf8_percent_encode(name, QUERY))
                    }
                    GitReference::Tag(name) => {
                        write!(f, "?tag={}", utf8_percent_encode(name, QUERY))
                    }
                    GitReference::Rev(name) => {
                        write!(f, "?rev={}", utf8_percent_encode(name, QUERY))
                    }
                    GitReference::Versions => f.write_str("?versions"),
                }
            }
        }
    }
}

impl FromStr for SourceId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::usage(format!("unknown source `{}`", text.escape_debug()));
        // At the first `+`: the URL of an index begins with a kind and `+` of its own.
        let (kind, place) = text.split_once('+').ok_or_else(unknown)?;
        match kind {
            "registry" => Ok(SourceId::Registry(place.parse::<IndexUrl>()?.into())),
            // Not normalized again: it was, before it was written, and a lockfile must read as it
            // is.
            "path" => Ok(SourceId::Path(place.to_owned())),
            "archive" => Ok(SourceId::Archive(place.to_owned())),
            "well-known" => Ok(SourceId::WellKnown(place.parse()?)),
            "clawhub" => Ok(SourceId::ClawHub(place.parse()?)),
            "git" => {
                let (url, query) = place
                    .split_once('?')
                    .map_or((place, None), |(url, query)| (url, Some(query)));
                let reference = query.map_or(Some(Ok(GitReference::Default)), parse_reference);
                Ok(SourceId::Git {
                    url: url.parse()?,
                    reference: reference.ok_or_else(unknown)??,
                })
            }
            _ => Err(unknown()),
        }
    }
}

fn parse_reference(query: &str) -> Option<Result<GitReference>> {
    if query == "versions" {
        return Some(Ok(GitReference::Versions));
    }

    let (kind, name) = query.split_once('=')?;
    let name = percent_decode_str(name).decode_utf8().ok()?;

    let make = match kind {
        "branch" => GitReference::Branch,
        "tag" => GitReference::Tag,
        "rev" => GitReference::Rev,
        _ => return None,
    };

    // After decoding, so that `%2e%2e` is checked as `..`.
    Some(GitReference::check_name(&name).map(make))
}

impl TryFrom<String> for SourceId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<SourceId> for String {
    fn from(source: SourceId) -> String {
        source.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips() {
        for text in [
            "registry+embedded:default",
            "registry+sparse+https://acme.dev/index/",
            "registry+git+ssh://git@acme.dev/index.git",
            "git+https://github.com/acme/skills",
            "git+https://github.com/acme/skills?branch=feature/a%20b",
            "git+https://github.com/acme/skills?tag=v1.0.0%2B7",
            "git+ssh://git@host/a.git?rev=0123abc",
            "path+../style",
            "archive+https://acme.dev/pdf.tar.gz",
            "well-known+https://acme.dev",
            "well-known+https://acme.dev/docs",
            "clawhub+https://clawhub.ai",
        ] {
            if text.contains("%20") {
                assert!(
                    text.parse::<SourceId>().is_err(),
                    "a branch name has no space"
                );
                continue;
            }
            assert_eq!(text.parse::<SourceId>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn one_directory_has_one_id() {
        for (written, id) in [
            ("./a/../b/", "path+b"),
            ("../a/../b", "path+../b"),
            ("/a/b/../c", "path+/a/c"),
            ("../../x", "path+../../x"),
            ("a/..", "path+."),
        ] {
            assert_eq!(SourceId::from_path(written).to_string(), id);
        }
    }

    #[test]
    fn a_reference_cannot_be_an_option() {
        assert!(
            "git+https://h/a?tag=--upload-pack%3Dx"
                .parse::<SourceId>()
                .is_err()
        );
        assert!("git+https://h/a?branch=a..b".parse::<SourceId>().is_err());
    }
}

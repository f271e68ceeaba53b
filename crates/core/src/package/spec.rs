//! What a person types after `skillpm add`.

use std::str::FromStr;

use semver::VersionReq;

use super::git_url::{redacted, scp_parts};
use super::{GitReference, GitUrl, PackageName, RelPath, SiteUrl, parse_requirement};
use crate::error::{Error, Result};

/// Where a package is to be found, decided by spelling alone and never by what lies on the disk.
///
/// | typed | meaning |
/// |---|---|
/// | `pdf`, `acme/pdf`, `acme/pdf@^1.2` | a registry's package |
/// | `gh:owner/repo`, `gl:owner/repo` | a git repository on GitHub or GitLab; `gh:owner/repo@^2` for its version tags |
/// | `https://github.com/owner/repo[/tree/REF/sub/path]` | the same, with reference and directory |
/// | `https://…`, `ssh://…`, `file://…`, `git@host:path` | any other git repository |
/// | `./dir`, `../dir`, `/dir`, `~/dir` | a directory |
/// | `https://host`, `https://…/.well-known/agent-skills` | a web site that offers skills |
/// | `….tar.gz`, `….tgz`, `….zip`, `….skill` by URL or path | an archive |
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageSpec {
    /// A package of a registry.
    Registry {
        /// Its name.
        name: PackageName,
        /// Which versions; `None` for the newest.
        req: Option<VersionReq>,
    },
    /// A git repository.
    Git {
        /// The repository.
        url: GitUrl,
        /// The reference that the spelling names.
        reference: GitReference,
        /// The directory that the spelling names.
        subdir: Option<RelPath>,
        /// Which version tags; only with [`GitReference::Versions`].
        req: Option<VersionReq>,
    },
    /// A directory.
    Path(String),
    /// An archive, by URL or by path.
    Archive(String),
    /// A web site with a list of skills.
    WellKnown(SiteUrl),
}

impl FromStr for PackageSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.is_empty() || text.chars().any(char::is_control) || text.starts_with('-') {
            return Err(unknown(text, "it is empty, begins with a hyphen or holds a control character"));
        }
        if is_path(text) {
            return Ok(if is_archive(text) {
                PackageSpec::Archive(text.to_owned())
            } else {
                PackageSpec::Path(text.to_owned())
            });
        }
        if is_archive(text) && (text.starts_with("https://") || text.starts_with("http://")) {
            return archive_url(text);
        }
        if SiteUrl::is_meant(text) {
            return Ok(PackageSpec::WellKnown(text.parse()?));
        }
        if text.contains("://") || text.starts_with("gh:") || text.starts_with("gl:") || scp_parts(text).is_some() {
            return git(text);
        }
        registry(text)
    }
}

fn is_path(text: &str) -> bool {
    matches!(text, "." | ".." | "~")
        || ["./", "../", "/", "~/", ".\\", "..\\"].iter().any(|start| text.starts_with(start))
        || matches!(text.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

fn is_archive(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [".tar.gz", ".tgz", ".zip", ".skill"].iter().any(|end| lower.ends_with(end))
}

fn archive_url(text: &str) -> Result<PackageSpec> {
    let url = url::Url::parse(text).map_err(|cause| unknown(text, &cause.to_string()))?;
    if url.password().is_some() || !url.username().is_empty() {
        return Err(unknown(text, "it carries a secret, which would end up in the manifest and the lockfile"));
    }
    Ok(PackageSpec::Archive(url.into()))
}

fn git(text: &str) -> Result<PackageSpec> {
    let (place, req) = split_requirement(text)?;
    let reference = if req.is_some() { GitReference::Versions } else { GitReference::Default };
    if let Some((url, reference, subdir)) = web_url(place)? {
        if req.is_some() {
            return Err(unknown(text, "it names a reference and a version"));
        }
        return Ok(PackageSpec::Git { url, reference, subdir, req: None });
    }
    Ok(PackageSpec::Git { url: place.parse()?, reference, subdir: None, req })
}

/// Splits `place@^1.2`; an `@` that belongs to the place (`git@host:…`) is followed by a `/` or a `:`.
fn split_requirement(text: &str) -> Result<(&str, Option<VersionReq>)> {
    match text.rsplit_once('@') {
        Some((place, req)) if !req.contains(['/', ':']) && place.contains(['/', ':']) => {
            Ok((place, Some(requirement(text, req)?)))
        }
        _ => Ok((text, None)),
    }
}

fn requirement(text: &str, req: &str) -> Result<VersionReq> {
    parse_requirement(req).map_err(|cause| {
        let error = unknown(text, cause.message());
        cause.helps().iter().fold(error, |error, help| error.help(help.clone()))
    })
}

/// The parts of a page's address on GitHub or GitLab (`/owner/repo/tree/REF/sub/path`); `None` for other URLs.
fn web_url(text: &str) -> Result<Option<(GitUrl, GitReference, Option<RelPath>)>> {
    let Some(rest) = text.strip_prefix("https://") else { return Ok(None) };
    let marker = if rest.starts_with("github.com/") { "/tree/" } else { "/-/tree/" };
    let (base, tail) = match text.split_once(marker) {
        Some(parts) => parts,
        None => match text.split_once(&marker.replace("tree", "blob")) {
            Some((base, tail)) if tail.ends_with("/SKILL.md") => (base, tail.trim_end_matches("/SKILL.md")),
            _ => return Ok(None),
        },
    };
    // A reference with a slash in it cannot be told from the path; the first part is taken, as `--branch` is there for
    // the rest.
    let (reference, subdir) = tail.trim_end_matches('/').split_once('/').unwrap_or((tail.trim_end_matches('/'), ""));
    let reference = GitReference::checked(reference)?;
    let is_commit = reference.len() == 40 && reference.bytes().all(|b| b.is_ascii_hexdigit());
    let reference = if is_commit { GitReference::Rev(reference) } else { GitReference::Branch(reference) };
    let subdir = if subdir.is_empty() { None } else { Some(subdir.parse()?) };
    Ok(Some((base.parse()?, reference, subdir)))
}

fn registry(text: &str) -> Result<PackageSpec> {
    let (name, req) = match text.split_once('@') {
        Some((name, req)) => (name, Some(requirement(text, req)?)),
        None => (text, None),
    };
    let name = name.parse().map_err(|error: Error| {
        error.help("a directory is written `./dir`, a repository `gh:owner/repo` or as a URL")
    })?;
    Ok(PackageSpec::Registry { name, req })
}

fn unknown(text: &str, reason: &str) -> Error {
    Error::usage(format!("`{}` names no package: {reason}", redacted(text).escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> PackageSpec {
        text.parse().unwrap()
    }

    #[test]
    fn spelling_decides() {
        assert!(matches!(parse("pdf"), PackageSpec::Registry { req: None, .. }));
        assert!(matches!(parse("acme/pdf@^1.2"), PackageSpec::Registry { req: Some(_), .. }));
        assert_eq!(parse("./pdf"), PackageSpec::Path("./pdf".into()));
        assert_eq!(parse("../a/b.zip"), PackageSpec::Archive("../a/b.zip".into()));
        assert_eq!(parse("https://h/x.tar.gz"), PackageSpec::Archive("https://h/x.tar.gz".into()));
        assert_eq!(parse("https://h"), PackageSpec::WellKnown("https://h".parse().unwrap()));
        assert_eq!(parse("https://h/a/.well-known/skills"), PackageSpec::WellKnown("https://h/a".parse().unwrap()));
        assert!(matches!(parse("https://h/a"), PackageSpec::Git { .. }));
    }

    #[test]
    fn git_places() {
        let PackageSpec::Git { url, reference, subdir, req } = parse("gh:obra/superpowers@^3") else { panic!() };
        assert_eq!(url.as_str(), "https://github.com/obra/superpowers");
        assert_eq!((reference, subdir), (GitReference::Versions, None));
        assert_eq!(req.unwrap().to_string(), "^3");
        assert!(matches!(parse("git@host:a/b.git"), PackageSpec::Git { req: None, .. }));
        assert!(matches!(parse("file:///srv/a.git@=1.0.0"), PackageSpec::Git { req: Some(_), .. }));
    }

    #[test]
    fn a_page_of_a_repository_names_reference_and_directory() {
        let spec = parse("https://github.com/anthropics/skills/tree/main/skills/pdf");
        assert_eq!(
            spec,
            PackageSpec::Git {
                url: "gh:anthropics/skills".parse().unwrap(),
                reference: GitReference::Branch("main".into()),
                subdir: Some("skills/pdf".parse().unwrap()),
                req: None,
            }
        );
        assert_eq!(spec, parse("https://github.com/anthropics/skills/blob/main/skills/pdf/SKILL.md"));
    }

    #[test]
    fn wrong_spellings_say_what_would_be_right() {
        for bad in ["", "-g", "Acme/PDF", "gh:obra/superpowers@v4.0.0", "https://u:CANARY@h/x.zip", "a\u{7}b"] {
            let error = bad.parse::<PackageSpec>().unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"));
        }
    }
}

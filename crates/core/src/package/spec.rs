//! The argument of `skillpm add`: a package and where to find it.

use std::str::FromStr;

use semver::VersionReq;

use super::git_url::{bracketed_scp, redact_url, scp_parts};
use super::web_page::{WebPage, parse_web_page};
use super::{GitReference, GitUrl, PackageName, RelPath, SiteUrl, SkillName, parse_requirement};
use crate::error::{Error, Result};

/// A package and where to find it. The kind depends on the spelling alone and never on files on the disk.
///
/// | typed | meaning |
/// |---|---|
/// | `pdf`, `acme/pdf`, `acme/pdf@^1.2` | a package of a registry |
/// | `gh:owner/repo`, `gl:owner/repo` | a git repository on GitHub or GitLab; `gh:owner/repo@^2` for its version tags |
/// | `gh:owner/repo/sub/path` | a directory in it |
/// | `https://github.com/owner/repo[/tree/REF/sub/path]`, and pages of other hosts | the same, with reference and directory |
/// | `https://…`, `ssh://…`, `file://…`, `git@host:path`, `git+https://…` | any other git repository; after `#` a branch or commit |
/// | `./dir`, `../dir`, `/dir`, `~/dir` | a directory |
/// | `clawhub:owner/slug`, `clawhub:slug@^1.2` | a skill of ClawHub |
/// | `https://host`, `https://…/.well-known/agent-skills` | a web site that offers skills |
/// | `….tar.gz`, `….tgz`, `….zip`, `….skill` by URL or path | an archive |
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageSpec {
    /// A package of a registry.
    Registry {
        /// Its name.
        name: PackageName,
        /// The version requirement; `None` for the newest version.
        req: Option<VersionReq>,
    },
    /// A git repository.
    Git {
        /// The repository.
        url: GitUrl,
        /// The git reference.
        reference: GitReference,
        /// The directory of the skill; `None` to find it by name.
        subdir: Option<RelPath>,
        /// The requirement on version tags; only with [`GitReference::Versions`].
        req: Option<VersionReq>,
    },
    /// A directory.
    Path(String),
    /// An archive, by URL or by path.
    Archive(String),
    /// A web site with a list of skills.
    WellKnown(SiteUrl),
    /// A skill of ClawHub.
    ClawHub {
        /// Its owner and slug, or its slug alone.
        name: PackageName,
        /// The version requirement; `None` for the newest version.
        req: Option<VersionReq>,
    },
}

impl FromStr for PackageSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.is_empty() || text.chars().any(char::is_control) || text.starts_with('-') {
            return Err(invalid_spec(
                text,
                "it is empty, begins with a hyphen or contains a control character",
            ));
        }

        if is_path(text) {
            return Ok(if is_archive(text) {
                PackageSpec::Archive(text.to_owned())
            } else {
                PackageSpec::Path(text.to_owned())
            });
        }

        // Before archives: a slug may end like one.
        if let Some(rest) = text.strip_prefix("clawhub:") {
            return parse_clawhub(text, rest);
        }

        // From the most specific spelling to the least: archives and sites are URLs as well.
        if is_archive(text) && (text.starts_with("https://") || text.starts_with("http://")) {
            return parse_archive_url(text);
        }
        if SiteUrl::is_site_address(text) {
            return Ok(PackageSpec::WellKnown(text.parse()?));
        }

        // The names of the shorthands in npm and nix.
        for (long, short) in [("github:", "gh:"), ("gitlab:", "gl:")] {
            if let Some(path) = text.strip_prefix(long) {
                return parse_git(&format!("{short}{path}"));
            }
        }
        // As browsers show it; no package of a registry has a dot in its scope.
        if let Some((host, path)) = text.split_once('/')
            && host.contains('.')
            && path.contains('/')
            && !host.contains([':', '@'])
        {
            return parse_git(&format!("https://{text}"));
        }
        if let Some(url) = bracketed_scp(text) {
            return parse_git(&url);
        }
        if text.contains("://")
            || text.starts_with("gh:")
            || text.starts_with("gl:")
            || scp_parts(text).is_some()
        {
            return parse_git(text);
        }

        parse_registry(text)
    }
}

fn is_path(text: &str) -> bool {
    matches!(text, "." | ".." | "~")
        || ["./", "../", "/", "~/", ".\\", "..\\", "\\\\"]
            .iter()
            .any(|start| text.starts_with(start))
        || matches!(text.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

fn is_archive(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [".tar.gz", ".tgz", ".zip", ".skill"]
        .iter()
        .any(|end| lower.ends_with(end))
}

fn parse_archive_url(text: &str) -> Result<PackageSpec> {
    let url = url::Url::parse(text).map_err(|cause| invalid_spec(text, &cause.to_string()))?;

    if url.password().is_some() || !url.username().is_empty() {
        return Err(invalid_spec(
            text,
            "it contains credentials, which would be written to the manifest and the lockfile",
        ));
    }

    Ok(PackageSpec::Archive(url.into()))
}

fn parse_git(text: &str) -> Result<PackageSpec> {
    // As in the files of pip and npm.
    let (address, fragment) = match text.strip_prefix("git+").unwrap_or(text).split_once('#') {
        // The part of a page that a browser shows.
        Some((address, part)) if part.eq_ignore_ascii_case("readme") => (address, None),
        Some((address, fragment)) => (address, Some(fragment)),
        None => (text.strip_prefix("git+").unwrap_or(text), None),
    };
    let (address, mut req) = split_requirement(address)?;

    let (url, mut reference, subdir) = match parse_web_page(address)? {
        Some(WebPage {
            url,
            reference,
            subdir,
        }) => (url, reference, subdir),
        None => {
            let (repository, subdir) = split_shorthand(address)?;
            (repository.parse()?, GitReference::Default, subdir)
        }
    };

    let is_free = reference == GitReference::Default && req.is_none();
    match fragment {
        None => {}
        Some(_) if !is_free => {
            return Err(invalid_spec(text, "conflicting git references"));
        }
        Some(fragment) => match fragment.strip_prefix("semver:") {
            Some(semver) => req = Some(parse_spec_requirement(text, semver)?),
            None => reference = GitReference::from_name(fragment)?,
        },
    }
    if req.is_some() {
        if reference != GitReference::Default {
            return Err(invalid_spec(text, "conflicting git reference and version"));
        }
        reference = GitReference::Versions;
    }
    Ok(PackageSpec::Git {
        url,
        reference,
        subdir,
        req,
    })
}

/// Splits `gh:owner/repo/path` into the repository and the path in it. Groups of GitLab can have groups, so that its
/// shorthand has no path.
fn split_shorthand(text: &str) -> Result<(&str, Option<RelPath>)> {
    let Some(path) = text.strip_prefix("gh:") else {
        return Ok((text, None));
    };
    match path.match_indices('/').nth(1) {
        Some((at, _)) if at + 1 < path.len() => {
            let (repository, below) = text.split_at("gh:".len() + at);
            Ok((repository, Some(below[1..].trim_end_matches('/').parse()?)))
        }
        _ => Ok((text.trim_end_matches('/'), None)),
    }
}

/// Splits `URL@^1.2`; an `@` that is part of the URL (`git@host:…`) is followed by a `/` or a `:`.
fn split_requirement(text: &str) -> Result<(&str, Option<VersionReq>)> {
    match text.rsplit_once('@') {
        Some((url, req)) if !req.contains(['/', ':']) && url.contains(['/', ':']) => {
            Ok((url, Some(parse_spec_requirement(text, req)?)))
        }
        _ => Ok((text, None)),
    }
}

fn parse_spec_requirement(text: &str, req: &str) -> Result<VersionReq> {
    parse_requirement(req).map_err(|cause| {
        let error = invalid_spec(text, cause.message());
        cause
            .helps()
            .iter()
            .fold(error, |error, help| error.help(help.clone()))
    })
}

fn parse_clawhub(text: &str, rest: &str) -> Result<PackageSpec> {
    // ClawHub's own program writes an owner with an `@`.
    let rest = rest.strip_prefix('@').unwrap_or(rest);
    let (name, req) = match rest.split_once('@') {
        Some((name, req)) => (name, Some(parse_spec_requirement(text, req)?)),
        None => (rest, None),
    };

    let name = name.parse().map_err(|error: Error| {
        invalid_spec(text, error.message()).help("write it as `clawhub:owner/slug`")
    })?;

    Ok(PackageSpec::ClawHub { name, req })
}

fn parse_registry(text: &str) -> Result<PackageSpec> {
    let (name, req) = match text.split_once('@') {
        Some((name, req)) => {
            let req = parse_spec_requirement(text, req)
                .map_err(|error| suggest_repository(error, name, req))?;
            (name, Some(req))
        }
        None => (text, None),
    };

    let name = name.parse().map_err(|error: Error| {
        error.help("write a directory as `./dir`, and a repository as `gh:owner/repo` or as a URL")
    })?;

    Ok(PackageSpec::Registry { name, req })
}

/// Adds what `owner/repo@NAME` means to other programs: a skill of a repository, or a tag.
fn suggest_repository(error: Error, name: &str, after: &str) -> Error {
    match (name.parse::<PackageName>(), after.parse::<SkillName>()) {
        (Ok(name), Ok(skill)) if name.scope().is_some() => error.help(format!(
            "for the skill `{skill}` of a repository on GitHub, run `skillpm add gh:{name} --skill {skill}`; \
             for a tag, `skillpm add gh:{name} --tag {skill}`"
        )),
        _ => error,
    }
}

fn invalid_spec(text: &str, reason: &str) -> Error {
    Error::usage(format!(
        "invalid package spec `{}`: {reason}",
        redact_url(text).escape_debug()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> PackageSpec {
        text.parse().unwrap()
    }

    #[test]
    fn kind_of_a_spec_follows_from_its_spelling() {
        assert!(matches!(
            parse("pdf"),
            PackageSpec::Registry { req: None, .. }
        ));
        assert!(matches!(
            parse("acme/pdf@^1.2"),
            PackageSpec::Registry { req: Some(_), .. }
        ));
        assert_eq!(parse("./pdf"), PackageSpec::Path("./pdf".into()));
        assert_eq!(
            parse("../a/b.zip"),
            PackageSpec::Archive("../a/b.zip".into())
        );
        assert_eq!(
            parse("https://h/x.tar.gz"),
            PackageSpec::Archive("https://h/x.tar.gz".into())
        );
        assert_eq!(
            parse("https://h"),
            PackageSpec::WellKnown("https://h".parse().unwrap())
        );
        assert_eq!(
            parse("https://h/a/.well-known/skills"),
            PackageSpec::WellKnown("https://h/a".parse().unwrap())
        );
        assert!(matches!(parse("https://h/a"), PackageSpec::Git { .. }));
    }

    #[test]
    fn a_skill_of_clawhub_has_an_owner_and_a_version_or_not() {
        for (text, name, req) in [
            ("clawhub:pdf", "pdf", None),
            ("clawhub:acme/pdf", "acme/pdf", None),
            ("clawhub:@acme/pdf@1.2.3", "acme/pdf", Some("^1.2.3")),
            ("clawhub:pdf@=1.2.3", "pdf", Some("=1.2.3")),
        ] {
            let PackageSpec::ClawHub {
                name: found,
                req: asked,
            } = parse(text)
            else {
                panic!("{text}")
            };
            assert_eq!(found.to_string(), name);
            assert_eq!(asked.map(|req| req.to_string()).as_deref(), req);
        }
        for bad in ["clawhub:", "clawhub:a/b/c", "clawhub:../x", "clawhub:A"] {
            assert!(bad.parse::<PackageSpec>().is_err(), "{bad}");
        }
    }

    #[test]
    fn git_specs_are_parsed_into_url_reference_and_directory() {
        let PackageSpec::Git {
            url,
            reference,
            subdir,
            req,
        } = parse("gh:obra/superpowers@^3")
        else {
            panic!()
        };
        assert_eq!(url.as_str(), "https://github.com/obra/superpowers");
        assert_eq!((reference, subdir), (GitReference::Versions, None));
        assert_eq!(req.unwrap().to_string(), "^3");
        assert!(matches!(
            parse("git@host:a/b.git"),
            PackageSpec::Git { req: None, .. }
        ));
        assert!(matches!(
            parse("file:///srv/a.git@=1.0.0"),
            PackageSpec::Git { req: Some(_), .. }
        ));
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
        assert_eq!(
            spec,
            parse("https://github.com/anthropics/skills/blob/main/skills/pdf/SKILL.md")
        );
    }

    #[test]
    fn invalid_specs_are_refused_and_secrets_not_printed() {
        for bad in [
            "",
            "-g",
            "Acme/PDF",
            "gh:obra/superpowers@v4.0.0",
            "https://u:CANARY@h/x.zip",
            "a\u{7}b",
        ] {
            let error = bad.parse::<PackageSpec>().unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"));
        }
    }
}

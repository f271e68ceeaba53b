//! Pages of repositories on git hosts, as they are copied from a browser.

use percent_encoding::percent_decode_str;

use super::git_url::find_spelling_fault;
use super::{GitReference, GitUrl, RelPath};
use crate::error::{Error, Result};

/// The page of a directory, or of the `SKILL.md` in it, at a state of a repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WebPage {
    pub url: GitUrl,
    pub reference: GitReference,
    /// `None` for the root.
    pub subdir: Option<RelPath>,
}

/// The parts of a page's URL, before they are checked.
struct PageParts<'a> {
    /// The repository's URL.
    base: String,
    reference: GitReference,
    /// Its last part may be `SKILL.md`.
    path: Vec<&'a str>,
    /// Whether it is the page of a file in any case.
    is_file: bool,
}

/// Reads the URL of a page, in the form of its host; `None` for all other URLs.
///
/// | host | page |
/// |---|---|
/// | GitHub, also Enterprise | `/OWNER/REPO/tree/REF/DIR`, `/OWNER/REPO/blob/REF/DIR/SKILL.md` |
/// | GitLab | `/GROUP/…/REPO/-/tree/REF/DIR?ref_type=heads`, `-/blob` |
/// | Gitea, Forgejo | `/OWNER/REPO/src/branch/REF/DIR`, `src/tag`, `src/commit` |
/// | Bitbucket | `/OWNER/REPO/src/REF/DIR` |
/// | Bitbucket Data Center | `/projects/KEY/repos/REPO/browse/DIR?at=refs/heads/REF` |
/// | Azure | `/ORG/PROJECT/_git/REPO?path=/DIR&version=GBREF` |
///
/// # Errors
/// If it is the page of another file, or has an invalid reference or path.
pub(super) fn parse_web_page(text: &str) -> Result<Option<WebPage>> {
    let Some((scheme, rest)) = text.split_once("://") else {
        return Ok(None);
    };
    if !matches!(scheme, "https" | "http") {
        return Ok(None);
    }

    let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut parts = address.split('/').filter(|part| !part.is_empty());
    let host = parts.next().unwrap_or_default();
    let parts: Vec<&str> = parts.collect();
    // The URL as a whole is refused, with the reason.
    if host.contains('@') || find_spelling_fault(&format!("{scheme}://{address}")).is_some() {
        return Ok(None);
    }

    let host = host.strip_prefix("www.").unwrap_or(host);
    let query: Vec<(String, String)> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), decode(value)))
        .collect();
    let base = |parts: &[&str]| format!("{scheme}://{host}/{}", parts.join("/"));
    let Some(page) = find_page(host, &parts, &query, &base) else {
        return Ok(None);
    };
    check_page(text, &page).map(Some)
}

fn find_page<'p>(
    host: &str,
    parts: &[&'p str],
    query: &'p [(String, String)],
    base: &dyn Fn(&[&str]) -> String,
) -> Option<PageParts<'p>> {
    let asked = |key: &str| {
        let found = query.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    };
    let page = |base: String, reference: GitReference, path: &[&'p str], is_file: bool| PageParts {
        base,
        reference,
        path: path.to_vec(),
        is_file,
    };
    let split = |path: &'p str| -> Vec<&'p str> {
        path.split('/').filter(|part| !part.is_empty()).collect()
    };

    if let Some(at) = parts.iter().position(|part| *part == "-") {
        return find_gitlab_page(parts, at, asked("ref_type"), base);
    }
    match parts {
        [owner, repo, "refs", "heads", reference, path @ ..]
        | [owner, repo, reference, path @ ..]
            if host == "raw.githubusercontent.com" =>
        {
            let repository = format!("https://github.com/{owner}/{repo}");
            Some(page(repository, branch_or_commit(reference), path, true))
        }
        [.., "_git", _] if asked("path").is_some() || asked("version").is_some() => {
            let version = asked("version").unwrap_or_default();
            let reference = match version.split_at_checked(2) {
                Some(("GB", name)) => GitReference::Branch(name.to_owned()),
                Some(("GT", name)) => GitReference::Tag(name.to_owned()),
                Some(("GC", name)) => GitReference::Rev(name.to_owned()),
                _ => GitReference::Default,
            };
            let path = split(asked("path").unwrap_or_default());
            Some(page(base(parts), reference, &path, false))
        }
        [
            kind @ ("projects" | "users"),
            key,
            "repos",
            repo,
            "browse",
            path @ ..,
        ] => {
            let owner = if *kind == "users" {
                format!("~{key}")
            } else {
                (*key).to_owned()
            };
            let named = asked("at").unwrap_or_default();
            let reference = match named.strip_prefix("refs/tags/") {
                Some(tag) => GitReference::Tag(tag.to_owned()),
                None if named.is_empty() => GitReference::Default,
                None => branch_or_commit(named.strip_prefix("refs/heads/").unwrap_or(named)),
            };
            Some(page(
                base(&["scm", &owner, &format!("{repo}.git")]),
                reference,
                path,
                false,
            ))
        }
        [
            _,
            _,
            kind @ ("src" | "raw"),
            sort @ ("branch" | "tag" | "commit"),
            reference,
            path @ ..,
        ] => {
            let reference = match *sort {
                "branch" => GitReference::Branch(decode(reference)),
                "tag" => GitReference::Tag(decode(reference)),
                _ => GitReference::Rev(decode(reference)),
            };
            Some(page(base(&parts[..2]), reference, path, *kind == "raw"))
        }
        [_, _, "src", reference, path @ ..] if host == "bitbucket.org" => Some(page(
            base(&parts[..2]),
            branch_or_commit(reference),
            path,
            false,
        )),
        [_, _, kind @ ("tree" | "blob" | "raw"), reference, path @ ..] => Some(page(
            base(&parts[..2]),
            branch_or_commit(reference),
            path,
            *kind != "tree",
        )),
        // A tab of the repository's own page.
        [_, _] if !query.is_empty() && query.iter().all(|(key, _)| is_view(key)) => {
            Some(page(base(parts), GitReference::Default, &[], false))
        }
        _ => None,
    }
}

/// The page behind the `-` at a position, which follows the groups and the repository.
fn find_gitlab_page<'p>(
    parts: &[&'p str],
    at: usize,
    ref_type: Option<&str>,
    base: &dyn Fn(&[&str]) -> String,
) -> Option<PageParts<'p>> {
    let [kind, reference, path @ ..] = parts.get(at + 1..)? else {
        return None;
    };
    let reference = match ref_type {
        Some("tags") => GitReference::Tag(decode(reference)),
        _ => branch_or_commit(reference),
    };
    matches!(*kind, "tree" | "blob" | "raw").then(|| PageParts {
        base: base(&parts[..at]),
        reference,
        path: path.to_vec(),
        is_file: *kind != "tree",
    })
}

/// Whether a parameter chooses what a page shows of a repository.
fn is_view(key: &str) -> bool {
    matches!(key, "tab" | "ref_type" | "readme-ov-file" | "plain")
}

/// A branch with a slash cannot be distinguished from the path, nor a tag from a branch: the first part is taken as a branch, until
/// the repository is asked.
fn branch_or_commit(name: &str) -> GitReference {
    let name = decode(name);
    // What is no name is refused with the page.
    GitReference::from_name(&name).unwrap_or(GitReference::Branch(name))
}

fn check_page(text: &str, page: &PageParts<'_>) -> Result<WebPage> {
    let url: GitUrl = page.base.parse()?;
    let reference = match &page.reference {
        GitReference::Branch(name) => GitReference::Branch(GitReference::check_name(name)?),
        GitReference::Tag(name) => GitReference::Tag(GitReference::check_name(name)?),
        GitReference::Rev(name) => GitReference::Rev(GitReference::check_name(name)?),
        other => other.clone(),
    };

    let mut path: Vec<String> = page.path.iter().map(|part| decode(part)).collect();
    if path.last().is_some_and(|last| last == "SKILL.md") {
        path.pop();
    } else if page.is_file {
        path.pop();
        let mut help = format!("skillpm add {url}");
        let dir = path.join("/");
        if !dir.is_empty() && dir.parse::<RelPath>().is_ok() {
            help = format!("{help} --path {dir}");
        }
        return Err(Error::usage(format!(
            "invalid package spec `{}`: it is the page of a file that is no `SKILL.md`",
            text.split('?').next().unwrap_or_default().escape_debug()
        ))
        .help(format!("for the skills beside it, run `{help}`")));
    }

    let subdir = path.join("/");
    Ok(WebPage {
        url,
        reference,
        subdir: if subdir.is_empty() {
            None
        } else {
            Some(subdir.parse()?)
        },
    })
}

fn decode(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let page = parse_web_page(text).unwrap().unwrap();
        let dir = page.subdir.map_or(String::new(), |dir| dir.to_string());
        format!("{} {:?} {dir}", page.url, page.reference)
    }

    #[test]
    fn pages_of_each_host_name_the_repository_the_reference_and_the_directory() {
        for (page, expected) in [
            (
                "https://github.com/o/r/tree/main/skills/pdf",
                "https://github.com/o/r Branch(\"main\") skills/pdf",
            ),
            (
                "https://www.github.com/o/r/blob/v1/skills/pdf/SKILL.md?plain=1",
                "https://github.com/o/r Branch(\"v1\") skills/pdf",
            ),
            (
                "https://git.acme.example/o/r/tree/main/my%20skills/a",
                "https://git.acme.example/o/r Branch(\"main\") my skills/a",
            ),
            (
                "https://github.com/o/r?tab=readme-ov-file",
                "https://github.com/o/r Default ",
            ),
            (
                "https://raw.githubusercontent.com/o/r/refs/heads/main/a/SKILL.md",
                "https://github.com/o/r Branch(\"main\") a",
            ),
            (
                "https://gitlab.com/g/s/r/-/tree/main/skills/a?ref_type=heads",
                "https://gitlab.com/g/s/r Branch(\"main\") skills/a",
            ),
            (
                "https://gitlab.acme.example/g/r/-/blob/v1.0/a/SKILL.md?ref_type=tags",
                "https://gitlab.acme.example/g/r Tag(\"v1.0\") a",
            ),
            (
                "https://codeberg.org/o/r/src/branch/main/skills/a",
                "https://codeberg.org/o/r Branch(\"main\") skills/a",
            ),
            (
                "https://git.example/o/r/src/tag/v2/a",
                "https://git.example/o/r Tag(\"v2\") a",
            ),
            (
                "https://bitbucket.org/o/r/src/main/skills/a/",
                "https://bitbucket.org/o/r Branch(\"main\") skills/a",
            ),
            (
                "https://bb.example/projects/KEY/repos/r/browse/skills/a?at=refs%2Fheads%2Fmain",
                "https://bb.example/scm/KEY/r.git Branch(\"main\") skills/a",
            ),
            (
                "https://dev.azure.com/o/p/_git/r?path=%2Fskills%2Fa&version=GBmain",
                "https://dev.azure.com/o/p/_git/r Branch(\"main\") skills/a",
            ),
            (
                "https://dev.azure.com/o/My%20P/_git/r?version=GTv1",
                "https://dev.azure.com/o/My%20P/_git/r Tag(\"v1\") ",
            ),
        ] {
            assert_eq!(read(page), expected, "{page}");
        }
    }

    #[test]
    fn other_urls_and_hostile_pages_are_no_pages() {
        for text in [
            "https://github.com/o/r",
            "https://github.com/o/r?token=CANARY",
            "https://u:CANARY@github.com/o/r/tree/main/a",
            "https://github.com/o/../r/tree/main/a",
            "ssh://git@github.com/o/r/tree/main",
            "https://host/o/r/issues",
        ] {
            assert_eq!(parse_web_page(text).unwrap(), None, "{text}");
        }
        for text in [
            "https://github.com/o/r/tree/main/%2e%2e%5cx",
            "https://github.com/o/r/tree/..a..b/x",
            "https://dev.azure.com/o/p/_git/r?path=/../../x",
            "https://github.com/o/r/blob/main/README.md",
        ] {
            assert!(!matches!(parse_web_page(text), Ok(Some(_))), "{text}");
        }
    }
}

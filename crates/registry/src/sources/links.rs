//! Symbolic links of a source to its skills. Each is followed once, and only inside the source.
//!
//! ```text
//! skills/pdf -> ../plugins/office/skills/pdf     offers that directory
//! skills/csv/SKILL.md -> ../../shared/csv.md     is a copy of that file
//! ```

use std::collections::BTreeMap;

use super::discover::{dir_name, join_paths};
use skillpm_core::package::resolve_under;
use skillpm_core::skill::formats::container::is_at_or_under;

/// The number of links that are read, and of skills that are offered by way of them.
pub(super) const LINKS_MAX: usize = 10_000;

/// The links of a source to directories, each with the directory that it leads to, or why it is not followed.
pub(super) type DirectoryLinks = BTreeMap<String, Result<String, String>>;

/// What is at a path of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathKind {
    Directory,
    File,
    Link,
    Submodule,
}

/// The path that a link leads to, and what is there. The error is the reason why it is not followed.
pub(super) fn resolve_link(
    link: &str,
    target: &str,
    kind_at: &dyn Fn(&str) -> Option<PathKind>,
) -> Result<(String, PathKind), String> {
    let dir = link.rsplit_once('/').map_or("", |(dir, _)| dir);
    // Absolute paths are of the author's machine, on Windows too.
    let is_absolute = target.starts_with('/') || target.contains(['\\', ':']);
    let resolved = resolve_under(dir, target).filter(|_| !is_absolute);
    let shown = target.escape_debug();
    let path = resolved.ok_or_else(|| format!("leads outside, to `{shown}`"))?;

    let ends = path.match_indices('/').map(|(at, _)| at);
    for end in ends.chain([path.len()]) {
        let part = &path[..end];
        let shown = part.escape_debug();
        match kind_at(part) {
            // A second link could lead on without end.
            Some(PathKind::Link) => {
                return Err(format!("leads to `{shown}`, which is a link, too"));
            }
            Some(PathKind::Submodule) => return Err(format!("leads to the submodule `{shown}`")),
            Some(kind) if end == path.len() => return Ok((path, kind)),
            Some(PathKind::Directory) => {}
            Some(PathKind::File) | None => break,
        }
    }
    Err(format!(
        "leads to `{}`, which does not exist",
        path.escape_debug()
    ))
}

/// Whether a link outside of a skill may be one to a directory; those to texts, such as `CLAUDE.md`, are many.
pub(super) fn may_be_directory(link: &str) -> bool {
    !dir_name(link).to_ascii_lowercase().ends_with(".md")
}

/// Resolves links that may lead to directories, from the targets that are written in them; those to files are left out.
pub(super) fn resolve_directory_links(
    targets: BTreeMap<String, String>,
    kind_at: &dyn Fn(&str) -> Option<PathKind>,
) -> DirectoryLinks {
    let mut links = DirectoryLinks::new();
    for (link, target) in targets {
        let resolved = match resolve_link(&link, &target, kind_at) {
            Ok((_, PathKind::File)) => continue,
            Ok((path, _)) if is_at_or_under(&link, &path) => Err(format!(
                "leads to `{}`, which contains it",
                if path.is_empty() { "." } else { &path }.escape_debug()
            )),
            Ok((path, _)) => Ok(path),
            Err(reason) => Err(reason),
        };
        links.insert(link, resolved);
    }
    links
}

/// A path with the link in it replaced, if there is one that is followed.
pub(super) fn follow_path(links: &DirectoryLinks, path: &str) -> Option<String> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.chain([path.len()]).find_map(|end| {
        let target = links.get(&path[..end])?.as_ref().ok()?;
        Some(join_paths(target, path[end..].trim_start_matches('/')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is at a path of a repository with a directory `a/b`, a file, a link and a submodule in it.
    fn kind_at(path: &str) -> Option<PathKind> {
        match path {
            "" | "a" | "a/b" => Some(PathKind::Directory),
            "a/b/file" => Some(PathKind::File),
            "a/b/link" => Some(PathKind::Link),
            "a/b/lib" => Some(PathKind::Submodule),
            _ => None,
        }
    }

    #[test]
    fn link_is_followed_once_and_only_inside() {
        let resolve = |target| resolve_link("skills/x", target, &kind_at);
        assert_eq!(
            resolve("../a//b/."),
            Ok(("a/b".to_owned(), PathKind::Directory))
        );
        assert_eq!(resolve(".."), Ok((String::new(), PathKind::Directory)));
        assert_eq!(
            resolve("../a/b/file"),
            Ok(("a/b/file".to_owned(), PathKind::File))
        );
        for (target, why) in [
            ("/a/b", "leads outside, to `/a/b`"),
            ("C:\\a", "leads outside, to `C:\\\\a`"),
            ("../../a", "leads outside, to `../../a`"),
            ("../a/b/link", "leads to `a/b/link`, which is a link, too"),
            ("../a/b/link/c", "leads to `a/b/link`, which is a link, too"),
            ("../a/b/lib/c", "leads to the submodule `a/b/lib`"),
            ("../a/gone", "leads to `a/gone`, which does not exist"),
            (
                "../a/b/file/c",
                "leads to `a/b/file/c`, which does not exist",
            ),
        ] {
            assert_eq!(resolve(target).unwrap_err(), why);
        }
    }

    #[test]
    fn link_to_a_directory_that_contains_it_is_not_followed() {
        for target in [".", "..", "../../a"] {
            let targets = BTreeMap::from([("a/b/link".to_owned(), target.to_owned())]);
            let links = resolve_directory_links(targets, &kind_at);
            assert!(links["a/b/link"].is_err(), "{target}: {links:?}");
        }
    }

    #[test]
    fn path_through_a_link_is_that_of_its_target() {
        let links = DirectoryLinks::from([
            ("skills/x".to_owned(), Ok("a/b".to_owned())),
            ("skills/y".to_owned(), Err("leads nowhere".to_owned())),
        ]);
        assert_eq!(follow_path(&links, "skills/x").as_deref(), Some("a/b"));
        assert_eq!(follow_path(&links, "skills/x/c").as_deref(), Some("a/b/c"));
        assert_eq!(follow_path(&links, "skills/xy"), None);
        assert_eq!(follow_path(&links, "skills/y"), None);
    }
}

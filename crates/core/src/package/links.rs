//! Symbolic links in a package, which count as copies of what they lead to.

use std::collections::BTreeMap;

use super::resolve_under;
use crate::error::{Error, Result};

/// How many links are followed one after another.
const FOLLOWED_MAX: usize = 8;

/// What each link of a package leads to, from the targets that are written in them: a path in the package. Links to files
/// may lead through other links.
///
/// # Errors
/// If one leads out of the package, or in a circle.
pub(super) fn follow_links(links: &BTreeMap<String, String>) -> Result<BTreeMap<&str, String>> {
    let followed = links
        .keys()
        .map(|link| Ok((link.as_str(), follow_link(links, link)?)));
    followed.collect()
}

/// What one link of a package leads to, through the others.
///
/// # Errors
/// If it leads out of the package, or in a circle.
pub fn follow_link(links: &BTreeMap<String, String>, link: &str) -> Result<String> {
    let mut path = link.to_owned();
    for _ in 0..FOLLOWED_MAX {
        // A directory on the way may be a link, too.
        let ends = path.match_indices('/').map(|(at, _)| at);
        let mut on_the_way = ends
            .chain([path.len()])
            .filter(|end| links.contains_key(&path[..*end]));
        let Some(end) = on_the_way.next() else {
            return Ok(path);
        };

        let (inner, rest) = path.split_at(end);
        let target = &links[inner];
        let dir = inner.rsplit_once('/').map_or("", |(dir, _)| dir);
        let is_absolute = target.starts_with('/') || target.contains(['\\', ':']);
        let resolved = resolve_under(dir, target).filter(|_| !is_absolute);
        let resolved = resolved.ok_or_else(|| {
            link_refused(
                link,
                &format!("leads out of it, to `{}`", target.escape_debug()),
            )
        })?;
        path = resolve_under(&resolved, rest).unwrap_or_default();
    }
    Err(link_refused(link, "leads in a circle"))
}

/// The error for a link that cannot be a copy.
#[must_use]
pub fn link_refused(link: &str, why: &str) -> Error {
    let link = link.escape_debug();
    Error::integrity(format!(
        "unsupported file in the package: the symbolic link `{link}` {why}"
    ))
    .help("its author can replace it with a copy of the file")
}

#[cfg(test)]
mod tests {
    use crate::package::Tree;

    #[test]
    fn more_links_than_files_are_refused_before_they_are_followed() {
        // Each waits for the next, which would take hours to sort.
        let links = (0..20_000).map(|at| (format!("{at}/link"), format!("../{}", at + 1)));
        let error = Tree::builder().add_links(&links.collect()).unwrap_err();
        assert!(error.message().contains("more than 10000 files"), "{error}");
    }

    #[test]
    fn directories_are_copied_after_the_links_in_them() {
        let mut tree = Tree::builder();
        tree.add("c/file.md", b"x".to_vec(), false).unwrap();
        let links = [
            ("a", "b"),
            ("b/inner", "../c"),
            ("b/file.md", "../c/file.md"),
        ];
        let links = links.map(|(link, target)| (link.to_owned(), target.to_owned()));
        tree.add_links(&links.into()).unwrap();
        let paths: Vec<String> = tree
            .finish()
            .files()
            .map(|(path, _)| path.to_string())
            .collect();
        assert_eq!(
            paths,
            [
                "a/file.md",
                "a/inner/file.md",
                "b/file.md",
                "b/inner/file.md",
                "c/file.md"
            ]
        );
    }
}

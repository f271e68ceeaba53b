//! Paths as those name them who look at a repository from outside.

use std::path::PathBuf;

use crate::io::disk::normalize_path;

/// Where a repository begins, and where in it the program was started.
#[derive(Debug, Clone)]
pub(in crate::cli) struct RepositoryRoot {
    root: PathBuf,
    here: PathBuf,
}

impl RepositoryRoot {
    /// Both are absolute.
    pub(in crate::cli) fn new(root: PathBuf, here: PathBuf) -> Self {
        RepositoryRoot { root, here }
    }

    /// The path of a finding from the root on, with `/`; the absolute path if it is elsewhere.
    pub(super) fn relative_path(&self, path: &str) -> String {
        // `..` is resolved without the disk: the file may be of stdin, and not exist.
        let absolute = normalize_path(&self.here.join(path));
        let path = absolute.strip_prefix(&self.root).unwrap_or(&absolute);
        path.to_string_lossy()
            .replace(std::path::MAIN_SEPARATOR, "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_from_the_root_on() {
        let root = RepositoryRoot::new("/repo".into(), "/repo/sub".into());
        for (path, shown) in [
            ("./skills/a b/SKILL.md", "sub/skills/a b/SKILL.md"),
            ("../x/SKILL.md", "x/SKILL.md"),
            ("/repo/y", "y"),
            ("/else/y", "/else/y"),
            ("../../z", "/z"),
            (".", "sub"),
        ] {
            assert_eq!(root.relative_path(path), shown);
        }
    }
}

//! The files of an index, in a directory or in a commit, and their kinds.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillpm_core::advisory::ADVISORY_DIR;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;
use skillpm_io::disk;
use skillpm_io::git::{BlobId, CommitFiles, CommitId, GitCheckout};
use skillpm_registry::index::search::SEARCH_DIR;
use skillpm_registry::index::{self, IndexConfig};

/// The size in bytes of the largest file that is read from a commit: an archive.
const FILE_MAX: u64 = 32 << 20;

/// The files of an index.
pub(super) enum IndexSnapshot<'a> {
    /// In a directory.
    Disk {
        dir: PathBuf,
        paths: BTreeSet<String>,
        links: Vec<String>,
    },
    /// In a commit.
    Commit {
        checkout: &'a GitCheckout,
        commit: CommitId,
        /// All of them, once they were listed: a change needs a few files of a large index.
        files: OnceCell<CommitFiles>,
    },
}

impl<'a> IndexSnapshot<'a> {
    pub(super) fn from_disk(dir: &Path) -> Result<IndexSnapshot<'a>> {
        let (paths, links) = disk::walk_files(dir)?;
        Ok(IndexSnapshot::Disk {
            dir: dir.to_owned(),
            paths: paths.into_iter().collect(),
            links,
        })
    }

    pub(super) fn from_commit(checkout: &'a GitCheckout, commit: &CommitId) -> IndexSnapshot<'a> {
        IndexSnapshot::Commit {
            checkout,
            commit: *commit,
            files: OnceCell::new(),
        }
    }

    /// The paths of all files, sorted. Of a commit all trees are read.
    pub(super) fn paths(&self) -> Result<Vec<&str>> {
        match self {
            IndexSnapshot::Disk { paths, .. } => Ok(paths.iter().map(String::as_str).collect()),
            IndexSnapshot::Commit {
                checkout,
                commit,
                files,
            } => {
                if files.get().is_none() {
                    // It is not set: there is no other thread.
                    let _ = files.set(checkout.commit_files(commit)?);
                }
                Ok(files
                    .get()
                    .into_iter()
                    .flat_map(BTreeMap::keys)
                    .map(String::as_str)
                    .collect())
            }
        }
    }

    /// The paths of the files below a directory, sorted.
    pub(super) fn paths_below(&self, dir: &str) -> Result<Vec<String>> {
        match self {
            IndexSnapshot::Disk { paths, .. } => {
                let is_below = |path: &&String| skillpm_lint::relative_to(dir, path).is_some();
                Ok(paths.iter().filter(is_below).cloned().collect())
            }
            IndexSnapshot::Commit {
                checkout, commit, ..
            } => checkout.files_below(commit, dir),
        }
    }

    /// The paths of the files, sorted, but those of a commit in directories for whose path `enters` is false.
    pub(super) fn paths_in(&self, enters: &dyn Fn(&str) -> bool) -> Result<Vec<String>> {
        match self {
            IndexSnapshot::Disk { paths, .. } => Ok(paths.iter().cloned().collect()),
            IndexSnapshot::Commit {
                checkout, commit, ..
            } => checkout.files_in(commit, "", enters),
        }
    }

    /// The paths that are neither a file nor a directory.
    pub(super) fn links(&self) -> &[String] {
        match self {
            IndexSnapshot::Disk { links, .. } => links,
            IndexSnapshot::Commit { .. } => &[],
        }
    }

    pub(super) fn has(&self, path: &str) -> Result<bool> {
        match self {
            IndexSnapshot::Disk { paths, .. } => Ok(paths.contains(path)),
            IndexSnapshot::Commit { .. } => Ok(self.find_blob(path)?.is_some()),
        }
    }

    /// The object of a file; `None` if it does not exist, or is not in a commit.
    fn find_blob(&self, path: &str) -> Result<Option<BlobId>> {
        match self {
            IndexSnapshot::Commit {
                checkout,
                commit,
                files,
            } => match files.get() {
                Some(files) => Ok(files.get(path).copied()),
                None => checkout.find_file(commit, path),
            },
            IndexSnapshot::Disk { .. } => Ok(None),
        }
    }

    /// A file's content; `None` if it does not exist.
    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        match self {
            // Only files that the walk found: a path from a line must not lead out of the index.
            IndexSnapshot::Disk { dir, paths, .. } if paths.contains(path) => {
                disk::read(&dir.join(path))
            }
            // A file larger than any archive that is accepted is not read into memory.
            IndexSnapshot::Commit { checkout, .. } => self
                .find_blob(path)?
                .map(|blob| checkout.read_blob(&blob, FILE_MAX))
                .transpose(),
            IndexSnapshot::Disk { .. } => Ok(None),
        }
    }
}

/// The kind of a file in an index, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexFileKind {
    Config,
    /// The owners of a scope; `_` for names without one.
    Owners(String),
    /// The versions of a package.
    Package(PackageName),
    /// Advisories about packages.
    Advisory,
    /// Files beside the index: a readme, a license, configuration of the git host.
    Auxiliary,
    /// Something else: an archive, if a line refers to it.
    Other,
}

impl IndexFileKind {
    pub(super) fn from_path(path: &str) -> IndexFileKind {
        if path == "config.json" {
            return IndexFileKind::Config;
        }

        if let Some(scope) = path
            .strip_prefix("owners/")
            .and_then(|file| file.strip_suffix(".toml"))
        {
            return IndexFileKind::Owners(scope.to_owned());
        }

        // Before packages: the directory has the form of a scope.
        if skillpm_lint::relative_to(ADVISORY_DIR, path)
            .is_some_and(|file| file.strip_suffix(".json").is_some())
        {
            return IndexFileKind::Advisory;
        }

        // Written by `registry site` and the publishers, and by no one who changes a package.
        if skillpm_lint::relative_to(SEARCH_DIR, path).is_some() {
            return IndexFileKind::Auxiliary;
        }

        if let Some(name) = index::parse_entry_path(path) {
            return IndexFileKind::Package(name);
        }

        // Files that git hosts and people expect beside an index. No line refers to them, and only
        // maintainers may change them.
        let is_beside = match path.split_once('/') {
            None => {
                let stem = path.split('.').next().unwrap_or(path);
                path.starts_with('.')
                    || std::path::Path::new(path)
                        .extension()
                        .is_some_and(|end| end == "md")
                    || matches!(stem, "LICENSE" | "COPYING" | "README" | "CODEOWNERS")
            }
            Some((first, _)) => matches!(
                first,
                ".github" | ".gitlab" | ".forgejo" | ".gitea" | "docs"
            ),
        };

        if is_beside {
            IndexFileKind::Auxiliary
        } else {
            IndexFileKind::Other
        }
    }
}

/// Reads `config.json`.
pub(super) fn read_config(state: &IndexSnapshot<'_>) -> Result<IndexConfig> {
    let bytes = state.read("config.json")?.ok_or_else(|| {
        Error::usage("index not found: there is no `config.json`")
            .help("pass the directory of an index, or create one with `skillpm registry new DIR`")
    })?;

    serde_json::from_slice(&bytes).map_err(|cause| {
        Error::negative(format!("failed to parse `config.json`: {cause}")).help(
            "it should be like `{\"api-version\":1,\"dl\":\"archives/{name}-{version}.tar.gz\"}`",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_of_a_file_follows_from_its_path() {
        for (path, part) in [
            ("config.json", IndexFileKind::Config),
            ("owners/acme.toml", IndexFileKind::Owners("acme".into())),
            (
                "acme/3/p/pdf",
                IndexFileKind::Package("acme/pdf".parse().unwrap()),
            ),
            ("advisories/SKSA-2026-0001.json", IndexFileKind::Advisory),
            ("advisories/all.json", IndexFileKind::Advisory),
            ("README.md", IndexFileKind::Auxiliary),
            (".github/workflows/check.yml", IndexFileKind::Auxiliary),
            (".gitattributes", IndexFileKind::Auxiliary),
            ("archives/pdf-1.0.0.tar.gz", IndexFileKind::Other),
            ("co/pdf", IndexFileKind::Other),
            ("notes.txt", IndexFileKind::Other),
        ] {
            assert_eq!(IndexFileKind::from_path(path), part, "{path}");
        }
    }
}

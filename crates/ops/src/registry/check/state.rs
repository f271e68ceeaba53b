//! The files of an index, as they lie in a directory or in a commit, and what each of them is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::advisory::FOLDER;
use crate::error::{Error, Result};
use crate::index::{self, IndexConfig};
use crate::io::disk;
use crate::io::git::{Checkout, CommitId, Files};
use crate::package::PackageName;

/// Largest file of an index that is read, in bytes: an archive.
const FILE_MAX: u64 = 32 << 20;

/// The files of an index.
pub(super) enum State<'a> {
    /// As they lie in a directory.
    Disk { dir: PathBuf, paths: BTreeSet<String>, links: Vec<String> },
    /// As a commit has them.
    Commit { checkout: &'a Checkout, files: Files },
}

impl<'a> State<'a> {
    pub(super) fn on_disk(dir: &Path) -> Result<State<'a>> {
        let (paths, links) = disk::walk(dir)?;
        Ok(State::Disk { dir: dir.to_owned(), paths: paths.into_iter().collect(), links })
    }

    pub(super) fn of_commit(checkout: &'a Checkout, commit: &CommitId) -> Result<State<'a>> {
        Ok(State::Commit { checkout, files: checkout.files(commit)? })
    }

    /// The paths of all files, sorted.
    pub(super) fn paths(&self) -> Vec<&str> {
        match self {
            State::Disk { paths, .. } => paths.iter().map(String::as_str).collect(),
            State::Commit { files, .. } => files.keys().map(String::as_str).collect(),
        }
    }

    /// What is neither a file nor a directory.
    pub(super) fn links(&self) -> &[String] {
        match self {
            State::Disk { links, .. } => links,
            State::Commit { .. } => &[],
        }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        match self {
            State::Disk { paths, .. } => paths.contains(path),
            State::Commit { files, .. } => files.contains_key(path),
        }
    }

    /// A file's content; `None` if there is none.
    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        match self {
            State::Disk { dir, paths, .. } if paths.contains(path) => disk::read(&dir.join(path)),
            State::Commit { checkout, files } => files.get(path).map(|blob| checkout.read(blob, FILE_MAX)).transpose(),
            State::Disk { .. } => Ok(None),
        }
    }

    /// The paths at which two commits differ. Only commits are ever compared.
    pub(super) fn differences(&self, other: &State<'_>) -> BTreeSet<String> {
        let none = Files::new();
        let files = |state: &'_ State<'_>| match state {
            State::Commit { files, .. } => files.clone(),
            State::Disk { .. } => none.clone(),
        };
        let (one, other) = (files(self), files(other));
        let all: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        all.into_iter().filter(|path| one.get(*path) != other.get(*path)).cloned().collect()
    }
}

/// What a file of an index is, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Config,
    /// Who may publish names of a scope; `_` for names without one.
    Owners(String),
    /// The versions of a package.
    Package(PackageName),
    /// What is known against packages.
    Advisory,
    /// Beside the index: a readme, a licence, what a host of git wants.
    Beside,
    /// Something else: an archive, if a line asks for it.
    Other,
}

impl Part {
    pub(super) fn of(path: &str) -> Part {
        if path == "config.json" {
            return Part::Config;
        }
        if let Some(scope) = path.strip_prefix("owners/").and_then(|file| file.strip_suffix(".toml")) {
            return Part::Owners(scope.to_owned());
        }
        if crate::lint::below(FOLDER, path).is_some_and(|file| file.strip_suffix(".json").is_some()) {
            return Part::Advisory;
        }
        if let Some(name) = index::name_at(path) {
            return Part::Package(name);
        }
        let is_beside = match path.split_once('/') {
            None => {
                let stem = path.split('.').next().unwrap_or(path);
                path.starts_with('.')
                    || std::path::Path::new(path).extension().is_some_and(|end| end == "md")
                    || matches!(stem, "LICENSE" | "COPYING" | "README" | "CODEOWNERS")
            }
            Some((first, _)) => matches!(first, ".github" | ".gitlab" | ".forgejo" | ".gitea" | "docs"),
        };
        if is_beside { Part::Beside } else { Part::Other }
    }
}

/// What `config.json` says.
pub(super) fn config(state: &State<'_>) -> Result<IndexConfig> {
    let bytes = state.read("config.json")?.ok_or_else(|| {
        Error::usage("this is no index: it has no `config.json`")
            .help("`skillpm registry new DIR` makes one; or name the directory of one")
    })?;
    serde_json::from_slice(&bytes).map_err(|cause| {
        Error::negative(format!("`config.json` cannot be read: {cause}"))
            .help("it should be like `{\"api-version\":1,\"dl\":\"archives/{name}-{version}.tar.gz\"}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_path_says() {
        for (path, part) in [
            ("config.json", Part::Config),
            ("owners/acme.toml", Part::Owners("acme".into())),
            ("acme/3/p/pdf", Part::Package("acme/pdf".parse().unwrap())),
            ("advisories/SKSA-2026-0001.json", Part::Advisory),
            ("advisories/all.json", Part::Advisory),
            ("README.md", Part::Beside),
            (".github/workflows/check.yml", Part::Beside),
            (".gitattributes", Part::Beside),
            ("archives/pdf-1.0.0.tar.gz", Part::Other),
            ("co/pdf", Part::Other),
            ("notes.txt", Part::Other),
        ] {
            assert_eq!(Part::of(path), part, "{path}");
        }
    }
}

//! What a host said last, kept in the repository's folder as `skillpm.json`: with the network off it answers for the
//! host, and with it on it saves the question of what the host is able to do.
//!
//! ```json
//! {"version":1,"host":["ls-refs=unborn","fetch=shallow filter"],"fetched":"6838e77d…",
//!  "refs":{"HEAD":[{"name":"HEAD","commit":"6838e77d…","target":"refs/heads/main"}],"refs/tags/":[]}}
//! ```
//!
//! References are kept by the prefix they were asked for, since no answer and an empty answer are two things. It is
//! memory, not truth: a file that cannot be read is no memory, and of two that write at once one is forgotten.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::id::CommitId;
use super::refs::RemoteRef;
use crate::error::{Context, Result};
use crate::io::disk;

const FILE: &str = "skillpm.json";
const VERSION: u32 = 1;

/// What a host said last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Memory {
    version: u32,
    /// The lines in which it told what it is able to do; `None` while it was never asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Vec<String>>,
    /// The commit that was fetched last, with all its trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched: Option<CommitId>,
    /// References by the prefix they were asked for.
    #[serde(default)]
    refs: BTreeMap<String, Vec<RemoteRef>>,
}

impl Memory {
    pub(super) fn load(folder: &Path) -> Memory {
        let bytes = disk::read(&folder.join(FILE)).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).ok().filter(|memory: &Memory| memory.version == VERSION).unwrap_or_default()
    }

    pub(super) fn save(&self, folder: &Path) -> Result<()> {
        let told = || format!("could not write `{}`", folder.join(FILE).display());
        let text = serde_json::to_vec(&Memory { version: VERSION, ..self.clone() }).map_err(std::io::Error::other);
        disk::write_copy(&folder.join(FILE), &text.context(told)?)
    }

    /// The references that begin with `prefix`, if they were ever asked for.
    ///
    /// A wider answer holds the narrower one. The narrowest is the newest, since [`Memory::remember`] drops what a
    /// wider answer replaces.
    pub(super) fn recall(&self, prefix: &str) -> Option<Vec<RemoteRef>> {
        let (_, refs) = self.refs.iter().rfind(|(asked, _)| prefix.starts_with(*asked))?;
        Some(refs.iter().filter(|found| found.name.starts_with(prefix)).cloned().collect())
    }

    /// Keeps what was answered to the question for `prefix`.
    pub(super) fn remember(&mut self, prefix: &str, refs: &[RemoteRef]) {
        self.refs.retain(|asked, _| !asked.starts_with(prefix));
        let answer = refs.iter().filter(|found| found.name.starts_with(prefix)).cloned().collect();
        self.refs.insert(prefix.to_owned(), answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> RemoteRef {
        RemoteRef {
            name: name.into(),
            commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap(),
            target: None,
            tag: None,
        }
    }

    fn names(refs: Option<Vec<RemoteRef>>) -> Option<Vec<String>> {
        refs.map(|refs| refs.into_iter().map(|found| found.name).collect())
    }

    #[test]
    fn a_wide_answer_holds_the_narrow_one_and_nothing_else_does() {
        let mut memory = Memory::default();
        memory.remember("refs/tags/", &[found("refs/tags/v1"), found("refs/tags/v2")]);
        assert_eq!(names(memory.recall("refs/tags/v2")), Some(vec!["refs/tags/v2".into()]));
        assert_eq!(names(memory.recall("refs/tags/v3")), Some(vec![]));
        assert_eq!(names(memory.recall("refs/")), None);
        assert_eq!(names(memory.recall("HEAD")), None);
    }

    #[test]
    fn the_newer_of_two_answers_counts() {
        let mut memory = Memory::default();
        memory.remember("refs/tags/v1", &[found("refs/tags/v1")]);
        memory.remember("refs/tags/", &[]);
        assert_eq!(names(memory.recall("refs/tags/v1")), Some(vec![]));
        memory.remember("refs/tags/v1", &[found("refs/tags/v1")]);
        assert_eq!(names(memory.recall("refs/tags/v1")), Some(vec!["refs/tags/v1".into()]));
    }

    #[test]
    fn memory_survives_on_disk_and_garbage_is_no_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = Memory { version: VERSION, ..Memory::default() };
        memory.remember("HEAD", &[found("HEAD")]);
        memory.host = Some(vec!["fetch=filter".into()]);
        memory.save(folder.path()).unwrap();
        assert_eq!(Memory::load(folder.path()), memory);
        for garbage in ["", "{", "{\"version\":2,\"refs\":{}}", "[]"] {
            std::fs::write(folder.path().join(FILE), garbage).unwrap();
            assert_eq!(Memory::load(folder.path()), Memory::default());
        }
    }
}

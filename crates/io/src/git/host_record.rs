//! The last known references and capabilities of a host, cached in the repository's folder as `skillpm.json`: offline
//! it replaces the host, and online it saves the request for the capabilities.
//!
//! ```json
//! {"version":1,"host":["ls-refs=unborn","fetch=shallow filter"],"fetched":"6838e77d…",
//!  "refs":{"HEAD":[{"name":"HEAD","commit":"6838e77d…","target":"refs/heads/main"}],"refs/tags/":[]}}
//! ```
//!
//! References are stored by the requested prefix, since no answer differs from an empty one. It is only a cache: an
//! unreadable file is ignored, and of two concurrent writes one is lost.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::id::CommitId;
use super::refs::RemoteRef;
use crate::disk;
use skillpm_core::error::{ErrorContext, Result};

const FILE: &str = "skillpm.json";
const VERSION: u32 = 1;

/// The last known state of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HostRecord {
    version: u32,
    /// The capability lines of the host; `None` if it was never asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Vec<String>>,
    /// The commit that was fetched last, with all its trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched: Option<CommitId>,
    /// References by the requested prefix.
    #[serde(default)]
    refs: BTreeMap<String, Vec<RemoteRef>>,
}

impl HostRecord {
    pub(super) fn load(folder: &Path) -> HostRecord {
        let bytes = disk::read(&folder.join(FILE))
            .ok()
            .flatten()
            .unwrap_or_default();
        // A file of another version is ignored.
        serde_json::from_slice(&bytes)
            .ok()
            .filter(|record: &HostRecord| record.version == VERSION)
            .unwrap_or_default()
    }

    pub(super) fn save(&self, folder: &Path) -> Result<()> {
        let context = || format!("failed to write `{}`", folder.join(FILE).display());
        let text = serde_json::to_vec(&HostRecord {
            version: VERSION,
            ..self.clone()
        })
        .map_err(std::io::Error::other);
        disk::write_cached(&folder.join(FILE), &text.context(context)?)
    }

    /// The references that begin with `prefix`, if they were ever requested.
    ///
    /// The answer for a shorter prefix contains that for a longer one. The longest match is the newest, since
    /// [`HostRecord::remember`] drops the answers that a wider one replaces.
    pub(super) fn recall(&self, prefix: &str) -> Option<Vec<RemoteRef>> {
        let (_, refs) = self
            .refs
            .iter()
            .rfind(|(asked, _)| prefix.starts_with(*asked))?;
        Some(
            refs.iter()
                .filter(|found| found.name.starts_with(prefix))
                .cloned()
                .collect(),
        )
    }

    /// Stores the answer to the request for `prefix`.
    pub(super) fn remember(&mut self, prefix: &str, refs: &[RemoteRef]) {
        // A wider answer replaces the narrower ones.
        self.refs.retain(|asked, _| !asked.starts_with(prefix));

        let answer = refs
            .iter()
            .filter(|found| found.name.starts_with(prefix))
            .cloned()
            .collect();
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
    fn broad_record_answers_a_narrow_query() {
        let mut record = HostRecord::default();
        record.remember(
            "refs/tags/",
            &[found("refs/tags/v1"), found("refs/tags/v2")],
        );
        assert_eq!(
            names(record.recall("refs/tags/v2")),
            Some(vec!["refs/tags/v2".into()])
        );
        assert_eq!(names(record.recall("refs/tags/v3")), Some(vec![]));
        assert_eq!(names(record.recall("refs/")), None);
        assert_eq!(names(record.recall("HEAD")), None);
    }

    #[test]
    fn newer_of_two_host_records_is_used() {
        let mut record = HostRecord::default();
        record.remember("refs/tags/v1", &[found("refs/tags/v1")]);
        record.remember("refs/tags/", &[]);
        assert_eq!(names(record.recall("refs/tags/v1")), Some(vec![]));
        record.remember("refs/tags/v1", &[found("refs/tags/v1")]);
        assert_eq!(
            names(record.recall("refs/tags/v1")),
            Some(vec!["refs/tags/v1".into()])
        );
    }

    #[test]
    fn a_record_is_read_back_and_garbage_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = HostRecord {
            version: VERSION,
            ..HostRecord::default()
        };
        record.remember("HEAD", &[found("HEAD")]);
        record.host = Some(vec!["fetch=filter".into()]);
        record.save(folder.path()).unwrap();
        assert_eq!(HostRecord::load(folder.path()), record);
        for garbage in ["", "{", "{\"version\":2,\"refs\":{}}", "[]"] {
            std::fs::write(folder.path().join(FILE), garbage).unwrap();
            assert_eq!(HostRecord::load(folder.path()), HostRecord::default());
        }
    }
}

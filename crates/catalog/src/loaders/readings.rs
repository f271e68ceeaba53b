//! The cache of what an agent made of each file, so that an unchanged one is not read again in the next run.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::FileVerdict;
use crate::catalog::SkillListing;
use crate::tiers::{CacheReader, CacheRecord, DiscoveryCache, write_records};
use skillpm_core::report::Diagnostic;
use skillpm_io::skills_dir::{self, FileStamp, PathKind};

/// What skillpm and an agent read from one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FileReading {
    /// The skill, as skillpm reads it; `None` if it cannot.
    pub(super) listing: Option<SkillListing>,
    /// What is wrong with the file.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What the agent makes of it.
    pub(super) verdict: FileVerdict,
}

/// The cached record of one file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ReadingRecord {
    /// The parts of its path below the root, separated by NUL, which sorts as the walk does.
    key: Box<str>,
    /// Of the file itself, links followed.
    stamp: FileStamp,
    reading: FileReading,
}

impl CacheRecord for ReadingRecord {
    fn directory(&self) -> &str {
        &self.key
    }
}

/// The readings of the last run, and those of this one.
pub(super) struct ReadingCache<'a> {
    memory: Option<&'a DiscoveryCache>,
    known: CacheReader<ReadingRecord>,
    /// Whether there is a record that is not in the cache.
    has_new_records: bool,
    /// Each root's path, with its records in the order of the walk.
    roots: Vec<(String, Vec<ReadingRecord>)>,
}

impl<'a> ReadingCache<'a> {
    pub(super) fn open(memory: Option<&'a DiscoveryCache>) -> Self {
        let path = memory.map(DiscoveryCache::readings);
        ReadingCache {
            memory,
            known: CacheReader::open(path.as_deref()),
            has_new_records: false,
            roots: Vec::new(),
        }
    }

    /// Goes to the records of a root, whose files are asked for next, in order.
    pub(super) fn enter_root(&mut self, root: &Path) {
        let root = root.to_string_lossy().into_owned();
        self.known.seek_root(&root);
        self.roots.push((root, Vec::new()));
    }

    /// What was read of the file at `real`, whose state may be known; `None` if that is not known, or the file has changed.
    pub(super) fn recall(
        &mut self,
        key: &str,
        real: &Path,
        stamp: Option<FileStamp>,
    ) -> Option<FileReading> {
        let record = self.known.take_record(key)?;
        let stat = || match skills_dir::stat_path(real) {
            Ok(Some((PathKind::File, stamp))) => Some(stamp),
            _ => None,
        };
        if stamp.or_else(stat)? != record.stamp {
            return None;
        }

        let reading = record.reading.clone();
        self.push(record);
        Some(reading)
    }

    /// Keeps what was read of a file, unless it changed so lately that a later change might not show.
    pub(super) fn keep(&mut self, key: String, stamp: FileStamp, reading: &FileReading) {
        if self
            .memory
            .is_some_and(|memory| stamp.is_settled(memory.now()))
        {
            self.has_new_records = true;
            self.push(ReadingRecord {
                key: key.into(),
                stamp,
                reading: reading.clone(),
            });
        }
    }

    /// Rewrites the cache if records are missing or stale.
    pub(super) fn write(&self) {
        let is_stale = self.has_new_records || !self.known.is_exhausted();
        if let Some(memory) = self.memory.filter(|_| is_stale) {
            write_records(&memory.readings(), &self.roots);
        }
    }

    fn push(&mut self, record: ReadingRecord) {
        if let Some((_, records)) = self.roots.last_mut() {
            records.push(record);
        }
    }
}

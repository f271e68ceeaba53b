//! Searches the roots.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cache::{self, CacheReader, CacheRecord, DiscoveryCache};
use super::read::{self, FormatStamps, OtherFormatSkill, SkillMdRead};
use super::{RootSource, TierRoot, merge};
use crate::catalog::{
    DiscoveredSkills, PathFinding, SkillCandidate, SkillListing, SkillRoot, UnlistedSkill,
};
use skillpm_core::error::Error;
use skillpm_core::package::BundledSkill;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::formats::container;
use skillpm_core::skill::{self, SkillFormat, SkillReading};
use skillpm_io::skills_dir::{self, DirectoryHandle, FileStamp, PathKind, SkillDirEntry};

/// Finds the skills of all roots, one level down, and resolves each name to one of them.
///
/// Roots that do not exist are empty, and a directory reached by two roots counts for the first. Unchanged skills are
/// taken from the cache `memory`, and new ones are added to it.
pub fn discover(places: &[TierRoot], memory: Option<&DiscoveryCache>) -> DiscoveredSkills {
    let path = memory.map(DiscoveryCache::listings);
    let mut search = DiscoveryWalk {
        cache: CacheReader::open(path.as_deref()),
        memory,
        has_new_records: false,
        visited_dirs: HashSet::new(),
        found: Vec::new(),
        findings: Vec::new(),
        scratch: Vec::new(),
    };

    for (rank, place) in (0..).zip(places) {
        match place.source {
            RootSource::Disk => search.walk_root(rank, &place.root.path),
            RootSource::Binary(skills) => search
                .found
                .extend(skills.iter().map(|skill| read_bundled(rank, skill))),
        }
    }

    // Before `finish`, which takes the records apart.
    search.write_cache(places);
    search.finish(places.iter().map(|place| place.root.clone()).collect())
}

/// An inspected skill directory.
struct VisitedSkill {
    root: u16,
    /// Whether the record is valid as long as its stamp is.
    is_settled: bool,
    record: ListingRecord,
}

/// The cached record of a skill directory.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ListingRecord {
    directory: Box<str>,
    format: SkillFormat,
    /// Of the file that describes it.
    stamp: FileStamp,
    /// What else shows a change, where that is not the only file that was read.
    also: Option<Box<FormatStamps>>,
    linked: bool,
    listing: Option<SkillListing>,
    diagnostics: Vec<Diagnostic>,
}

impl CacheRecord for ListingRecord {
    fn directory(&self) -> &str {
        &self.directory
    }
}

struct DiscoveryWalk<'a> {
    cache: CacheReader<ListingRecord>,
    memory: Option<&'a DiscoveryCache>,
    /// Whether there is a record that is not in the cache.
    has_new_records: bool,
    visited_dirs: HashSet<PathBuf>,
    found: Vec<VisitedSkill>,
    findings: Vec<PathFinding>,
    scratch: Vec<u8>,
}

impl DiscoveryWalk<'_> {
    /// Searches one directory of skills.
    fn walk_root(&mut self, root: u16, path: &Path) {
        let names = match skills_dir::list_skill_dir(path) {
            Ok(Some(names)) => names,
            Ok(None) => return,
            Err(error) => return self.warn(path, "root-unreadable", &unreadable_reason(&error)),
        };
        // Two roots may be links to one directory; its skills count for the higher root.
        if !skills_dir::real_path(path).is_some_and(|real| self.visited_dirs.insert(real)) {
            return;
        }

        for odd in names.non_utf8 {
            self.warn(
                &path.join(odd),
                "name-not-utf8",
                "the directory's name is not UTF-8",
            );
        }

        // Each `SKILL.md` is opened from this handle, so that a link that is put in the
        // directory's place meanwhile is not followed.
        let root_dir = match DirectoryHandle::open(path) {
            Ok(directory) => directory,
            Err(error) => return self.warn(path, "root-unreadable", &unreadable_reason(&error)),
        };

        self.cache.seek_root(&path.to_string_lossy());
        // One buffer for all paths below the root: this loop runs for every skill of a machine.
        let mut path_buffer = String::new();

        for name in names.names {
            match self.recall_unchanged(root, &name, &root_dir, &mut path_buffer) {
                Some(skill) => self.found.push(skill),
                None => self.read_directory(root, name, &root_dir, path),
            }
        }
    }

    /// The cached record of a directory, if its files are unchanged.
    fn recall_unchanged(
        &mut self,
        root: u16,
        name: &SkillDirEntry,
        root_dir: &DirectoryHandle,
        path_buffer: &mut String,
    ) -> Option<VisitedSkill> {
        let record = self
            .cache
            .take_record(&name.text)
            // A directory that became a link, or a link that became one, has another finding.
            .filter(|record| record.linked == name.linked)?;

        path_buffer.clear();
        path_buffer.extend([&*name.text, "/", record.format.descriptor()]);

        // Whatever was read must be unchanged: the descriptor, and what FormatStamps has besides.
        let is_unchanged = matches!(root_dir.stat(path_buffer), Ok(Some((PathKind::File, stamp))) if stamp == record.stamp);
        let is_unchanged = is_unchanged
            && record.also.as_ref().is_none_or(|also| {
                FormatStamps::read(root_dir, &name.text).as_ref() == Some(&**also)
            });

        is_unchanged.then_some(VisitedSkill {
            root,
            is_settled: true,
            record,
        })
    }

    /// Inspects one directory below `path`, which is kept open.
    fn read_directory(
        &mut self,
        root: u16,
        name: SkillDirEntry,
        root_dir: &DirectoryHandle,
        path: &Path,
    ) {
        match read::read_skill_md(root_dir, &name.text, &mut self.scratch) {
            SkillMdRead::Skill(stamp, reading) => {
                let keep = self
                    .memory
                    .is_some_and(|memory| stamp.is_settled(memory.now()));
                self.has_new_records |= keep;
                self.found.push(VisitedSkill {
                    root,
                    is_settled: keep,
                    record: ListingRecord::from_reading(name, stamp, reading),
                });
            }
            SkillMdRead::Refused(diagnostic) => {
                let reading = SkillReading {
                    skill: None,
                    diagnostics: vec![diagnostic],
                };

                let record = ListingRecord::from_reading(name, FileStamp::default(), reading);
                // Never cached: what was refused has no stamp that would show a change.
                self.found.push(VisitedSkill {
                    root,
                    is_settled: false,
                    record,
                });
            }
            SkillMdRead::Nothing => match read::read_other_format(root_dir, path, &name.text) {
                Some(other) => self.push_other_format(root, name, other),
                None => self.explain_missing_skill(&name, root_dir, &path.join(&*name.text)),
            },
        }
    }

    /// Takes a skill of another format than `SKILL.md`.
    fn push_other_format(&mut self, root: u16, name: SkillDirEntry, other: OtherFormatSkill) {
        let OtherFormatSkill {
            format,
            stamp,
            also,
            reading,
        } = other;

        let keep = self
            .memory
            .is_some_and(|memory| stamp.is_settled(memory.now()) && also.is_settled(memory.now()));
        self.has_new_records |= keep;

        let record = ListingRecord {
            format,
            also: Some(Box::new(also)),
            ..ListingRecord::from_reading(name, stamp, reading)
        };

        self.found.push(VisitedSkill {
            root,
            is_settled: keep,
            record,
        });
    }

    /// Reports why a directory that looks like a skill is not one.
    fn explain_missing_skill(
        &mut self,
        name: &SkillDirEntry,
        root_dir: &DirectoryHandle,
        directory: &Path,
    ) {
        let has = |file: &str| {
            matches!(
                root_dir.stat(&format!("{}/{file}", name.text)),
                Ok(Some((PathKind::File, _)))
            )
        };

        if let Some(spelling) = skills_dir::find_spelling(directory, "SKILL.md") {
            // On a file system that folds case the file is found there, and missing everywhere else.
            let message = format!(
                "the file is named `{}`; agents look for `SKILL.md`",
                spelling.escape_debug()
            );
            self.warn(&directory.join(&spelling), "skill-md-wrong-case", &message);
        } else if name.linked && skills_dir::real_path(directory).is_none() {
            self.warn(directory, "link-broken", "the symbolic link is dangling");
        } else if let Some(kind) = container::container_kind(&has) {
            // Its skills are one level too deep for every agent that looks here.
            let message = format!("this is {kind}: no agent reads skills inside it here");

            let way = format!(
                "`skillpm add {} --all` installs them",
                directory.display().to_string().escape_debug()
            );

            let diagnostic =
                Diagnostic::new("container-not-skill", DiagnosticLevel::Warning, message).help(way);
            self.findings.push(PathFinding {
                path: directory.to_owned(),
                diagnostic,
            });
        }
    }

    fn warn(&mut self, path: &Path, rule: &str, message: &str) {
        self.findings.push(PathFinding {
            path: path.to_owned(),
            diagnostic: Diagnostic::new(rule, DiagnosticLevel::Warning, message),
        });
    }

    /// Rewrites the cache if records are missing or stale.
    fn write_cache(&self, places: &[TierRoot]) {
        // A cache that has all of it and nothing else is left alone.
        let Some(memory) = self
            .memory
            .filter(|_| self.has_new_records || !self.cache.is_exhausted())
        else {
            return;
        };

        let mut roots: Vec<(String, Vec<&ListingRecord>)> = Vec::new();
        for of_root in self.found.chunk_by(|a, b| a.root == b.root) {
            let path = &places[usize::from(of_root[0].root)].root.path;
            let kept = of_root
                .iter()
                .filter(|skill| skill.is_settled)
                .map(|skill| &skill.record);
            // By path and not by number: another project's list of roots has other numbers.
            roots.push((path.to_string_lossy().into_owned(), kept.collect()));
        }

        cache::write_records(&memory.listings(), &roots);
    }

    fn finish(self, roots: Vec<SkillRoot>) -> DiscoveredSkills {
        let (mut candidates, mut unlisted) = (Vec::with_capacity(self.found.len()), Vec::new());
        for VisitedSkill { root, record, .. } in self.found {
            // Without a listing no agent would list it; its diagnostics say why.
            let Some(listing) = record.listing else {
                let location = roots[usize::from(root)].path.join(&*record.directory);
                let location = location.join(record.format.descriptor());
                unlisted.push(UnlistedSkill {
                    root,
                    location,
                    diagnostics: record.diagnostics,
                });
                continue;
            };

            candidates.push(SkillCandidate {
                linked: record.linked,
                diagnostics: record.diagnostics,
                ..SkillCandidate::new(root, record.directory, listing)
            });
        }

        let real = |candidate: &SkillCandidate| skills_dir::real_path(&candidate.base_dir(&roots));
        // Without a link two entries cannot be one directory, so most pairs cost no system call.
        let same_place = |a: &SkillCandidate, b: &SkillCandidate| {
            (a.linked || b.linked) && real(a).is_some_and(|place| Some(place) == real(b))
        };

        let candidates = merge(candidates, same_place);
        DiscoveredSkills {
            roots,
            candidates,
            unlisted,
            dropped: Vec::new(),
            findings: self.findings,
        }
    }
}

impl ListingRecord {
    fn from_reading(name: SkillDirEntry, stamp: FileStamp, reading: SkillReading) -> Self {
        let SkillReading {
            skill,
            mut diagnostics,
        } = reading;

        if name.linked && skill.is_some() {
            let message =
                "the skill's directory is a symbolic link, which some agents do not follow";
            diagnostics.push(Diagnostic::new(
                "skill-dir-link",
                DiagnosticLevel::Note,
                message,
            ));
        }

        ListingRecord {
            directory: name.text,
            format: SkillFormat::SkillMd,
            stamp,
            also: None,
            linked: name.linked,
            listing: skill.map(SkillListing::from),
            diagnostics,
        }
    }
}

/// A skill built into the binary.
fn read_bundled(root: u16, bundled: &BundledSkill) -> VisitedSkill {
    let reading = skill::read(bundled.get("SKILL.md").unwrap_or_default(), bundled.name);

    let name = SkillDirEntry {
        text: bundled.name.into(),
        linked: false,
    };

    VisitedSkill {
        root,
        is_settled: false,
        record: ListingRecord::from_reading(name, FileStamp::default(), reading),
    }
}

fn unreadable_reason(error: &Error) -> String {
    format!(
        "failed to read the directory: {}",
        error.causes().join(": ")
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use skillpm_core::package::arbitrary;

    proptest! {
        #[test]
        fn what_is_remembered_of_a_skill_is_read_as_it_was_written(seed in any::<u64>()) {
            let record: ListingRecord = arbitrary::from_seed(seed);
            let written = postcard::to_stdvec(&record).unwrap();
            prop_assert_eq!(postcard::from_bytes::<ListingRecord>(&written).unwrap(), record);
        }
    }
}

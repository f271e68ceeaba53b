//! The results of earlier runs, so that an unchanged skill is neither read nor checked again.
//!
//! ```text
//! root    the searched directory, and the program that checked
//! record  a/b   settings, nested skills, the stamp of each file → findings, summary, exemptions
//! ```
//!
//! The check of one skill depends on its files, the settings and the program, and on nothing else. A record counts only
//! while all of them are the same: a file is identified by its size, times and inode, as in the catalog's cache, whose
//! layout the file has. What several skills have in common, baselines and reports are computed in each run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::find::{LintInput, LintRoot, LocatedSkill};
use super::settings::SettingsByDirectory;
use super::{CommandContext, LintOptions, LintRun, SkillLint, max_size};
use skillpm_catalog::tiers::{CacheReader, CacheRecord, DiscoveryCache, write_records};
use skillpm_core::report::FileFinding;
use skillpm_io::ignore::walk::DiscoveredKind;
use skillpm_io::skill_files::{self, SkillFileContent};
use skillpm_io::skills_dir::{self, DirectoryHandle, FileStamp};
use skillpm_lint::subject::SKILL_MAX;
use skillpm_lint::{InlineExemption, SkillSummary};

/// The results of the last run over the same directories.
pub(super) struct LintCache<'a> {
    found: &'a LintInput,
    settings: &'a SettingsByDirectory,
    file: DiscoveryCache,
    /// The stamp of the program: another one may have other rules.
    program: FileStamp,
    /// The roots, opened; `None` for one that cannot be.
    roots: Vec<Option<DirectoryHandle>>,
    /// The digest of each manifest's settings.
    digests: Vec<[u8; 32]>,
    /// The record of each skill, until it is taken.
    records: Vec<Mutex<Option<LintRecord>>>,
    /// Whether every record of the file is one of a skill of this run.
    is_exhausted: bool,
}

/// The result of checking one skill.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct LintRecord {
    /// Its directory below the root; empty for the root itself.
    directory: String,
    state: SkillState,
    findings: Vec<FileFinding>,
    summary: Option<SkillSummary>,
    exemptions: Vec<InlineExemption>,
}

/// A [`LintRecord`] as it is written.
#[derive(Serialize)]
struct LintRecordRef<'a> {
    directory: &'a str,
    state: &'a SkillState,
    findings: &'a [FileFinding],
    summary: &'a Option<SkillSummary>,
    exemptions: &'a [InlineExemption],
}

impl CacheRecord for LintRecord {
    fn directory(&self) -> &str {
        &self.directory
    }
}

/// What the result of a skill depends on, apart from the program.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SkillState {
    settings: [u8; 32],
    nested: Vec<String>,
    files: Vec<FileState>,
}

/// A file of a skill, by what identifies its content.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct FileState {
    path: String,
    kind: DiscoveredKind,
    stamp: FileStamp,
}

impl<'a> LintCache<'a> {
    /// Reads the results of the last run over the same directories; `None` if every skill has to be checked.
    pub(super) fn open(
        context: &CommandContext<'_>,
        options: &LintOptions,
        found: &'a LintInput,
        settings: &'a SettingsByDirectory,
    ) -> Option<LintCache<'a>> {
        // A hook passes single files, each time others; fixes need the skill itself.
        let is_whole = found.roots.iter().all(|root| root.is_recursive);
        let is_plain = options.fix.is_none() && options.since.is_none();
        let program = options.program.as_deref();
        let (_, program) =
            skills_dir::stat_path(program.filter(|_| is_whole && is_plain)?).ok()??;

        let dirs = || found.roots.iter().map(|root| root.dir.as_path());
        let key: Vec<_> = dirs().map(Path::to_string_lossy).collect();
        let mut cache = LintCache {
            found,
            settings,
            file: DiscoveryCache::new(
                &context.dirs.skillpm_home.join("index"),
                Some(key.join("|").as_ref()),
                context.start_time(),
            ),
            program,
            roots: dirs().map(|dir| DirectoryHandle::open(dir).ok()).collect(),
            digests: settings
                .iter()
                .map(|(_, settings)| settings.digest())
                .collect(),
            records: Vec::with_capacity(found.skills.len()),
            is_exhausted: false,
        };
        cache.read_records();
        Some(cache)
    }

    fn read_records(&mut self) {
        let mut reader = CacheReader::<LintRecord>::open(Some(&self.file.lint_results()));
        for (root, skills) in self.skills_by_root() {
            reader.seek_root(&self.root_key(root));
            let records = skills
                .iter()
                .map(|located| Mutex::new(reader.take_record(directory_below(root, located))));
            self.records.extend(records);
        }
        self.is_exhausted = reader.is_exhausted();
    }

    /// The roots that have skills, each with its skills.
    fn skills_by_root(&self) -> impl Iterator<Item = (&'a LintRoot, &'a [LocatedSkill])> + use<'a> {
        let found = self.found;
        let same_root = |a: &LocatedSkill, b: &LocatedSkill| a.root == b.root;
        let by_root = found.skills.chunk_by(same_root);
        by_root.map(|skills| (&found.roots[skills[0].root], skills))
    }

    /// What all records of a root have in common.
    fn root_key(&self, root: &LintRoot) -> String {
        let LintRoot { shown, dir, .. } = root;
        format!("{}\n{shown}\n{:?}", dir.display(), self.program)
    }

    /// The result of an earlier run for a skill, by its number, if nothing has changed since.
    pub(super) fn recall(&self, number: usize, run: &LintRun<'_>) -> Option<SkillLint> {
        let record = self.records[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;

        // The texts first: a change after they are read shows in the state.
        let located = &self.found.skills[number];
        let sources = read_sources(located, &record.findings, run);
        let state = self.read_state(number)?;
        (state == record.state).then(|| SkillLint {
            is_checked: true,
            files: located.files.len(),
            findings: record.findings,
            sources,
            summary: record.summary,
            exemptions: record.exemptions,
            state: Some(state),
            is_recalled: true,
            ..SkillLint::default()
        })
    }

    /// What the result of a skill depends on, if its files can be identified and a later change of one will show.
    pub(super) fn read_settled_state(&self, number: usize) -> Option<SkillState> {
        let state = self.read_state(number)?;
        let is_settled = |file: &FileState| file.stamp.is_settled(self.file.now());
        state.files.iter().all(is_settled).then_some(state)
    }

    fn read_state(&self, number: usize) -> Option<SkillState> {
        let located = &self.found.skills[number];
        let root = self.roots[located.root].as_ref()?;
        let below = directory_below(&self.found.roots[located.root], located);

        let mut files = Vec::with_capacity(located.files.len());
        for file in &located.files {
            let (_, stamp) = root.stat(&skillpm_lint::join(below, &file.path)).ok()??;
            files.push(FileState {
                path: file.path.clone(),
                kind: file.kind,
                stamp,
            });
        }

        // Of a skill over the limit some files are read in part, and have no text to quote.
        let size: u64 = files.iter().map(|file| file.stamp.size()).sum();
        (size <= SKILL_MAX).then(|| SkillState {
            settings: self.digests[self.settings.index_of(located)],
            nested: located.nested.clone(),
            files,
        })
    }

    /// Writes the results, unless the file has them.
    pub(super) fn write(&self, results: &[SkillLint]) {
        let is_new = |result: &SkillLint| result.state.is_some() && !result.is_recalled;
        let is_lost = results.iter().any(|result| result.state.is_none());
        if self.is_exhausted && !is_lost && !results.iter().any(is_new) {
            return;
        }

        let mut results = results.iter();
        let roots: Vec<(String, Vec<LintRecordRef<'_>>)> = self
            .skills_by_root()
            .map(|(root, skills)| {
                let records = skills.iter().zip(&mut results);
                let records = records.filter_map(|(located, result)| {
                    Some(LintRecordRef {
                        directory: directory_below(root, located),
                        state: result.state.as_ref()?,
                        findings: &result.findings,
                        summary: &result.summary,
                        exemptions: &result.exemptions,
                    })
                });
                (self.root_key(root), records.collect())
            })
            .collect();
        write_records(&self.file.lint_results(), &roots);
    }
}

/// The directory of a skill below its root; empty for the root itself.
fn directory_below<'s>(root: &LintRoot, located: &'s LocatedSkill) -> &'s str {
    skillpm_lint::relative_to(&root.shown, &located.shown).unwrap_or_default()
}

/// The texts of the files with reported findings, by path; without those that cannot be read any more.
fn read_sources(
    located: &LocatedSkill,
    findings: &[FileFinding],
    run: &LintRun<'_>,
) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    for finding in findings.iter().filter(|found| run.is_reported(found)) {
        let path = &finding.path;
        let Some(below) = skillpm_lint::relative_to(&located.shown, path) else {
            continue;
        };
        let is_file = located
            .files
            .iter()
            .any(|file| file.path == below && file.kind == DiscoveredKind::File);
        if !is_file || sources.contains_key(path) {
            continue;
        }

        if let Ok((SkillFileContent::Bytes(bytes), _)) =
            skill_files::read(&located.dir.join(below), max_size(below))
            && let Ok(text) = String::from_utf8(bytes)
        {
            sources.insert(path.clone(), text);
        }
    }
    sources
}

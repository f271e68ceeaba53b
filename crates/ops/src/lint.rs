//! `lint`: checks the skills below some paths against every rule.
//!
//! ```text
//! find         paths → skills         walked, not read yet; installed skills are skipped
//! settings     skills → settings      of the nearest manifest, and of the flags
//! changed      skills → fewer skills  `--since`
//! cache        skill → findings       of the last run, if no file has changed
//! lint_skill   a skill → findings     read, checked and dropped again, several in parallel
//! lint_across  summaries → findings   what only all skills together show
//! baseline     findings → report      without notes and known findings
//! ```

mod baseline;
mod cache;
mod changed;
mod find;
pub mod fix;
mod installed;
mod neighbors;
mod settings;
mod tree;
mod untrusted;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::CommandContext;
use skillpm_core::error::Result;
use skillpm_core::package::slashed;
use skillpm_core::report::{DiagnosticLevel, FileFinding};
use skillpm_io::ignore::walk::{DiscoveredFile, DiscoveredKind};
use skillpm_io::skill_files::{self, HEAD_SIZE, SkillFileContent};
use skillpm_io::{disk, run_on_all_processors};
use skillpm_lint::subject::{FILE_MAX, SKILL_FILE, SKILL_FILE_MAX, SKILL_MAX};
use skillpm_lint::{
    CheckedSkill, FileContent, InlineExemption, LintFlags, LintSettings, SkillDir, SkillFile,
    SkillSummary,
};

use cache::{LintCache, SkillState};
use changed::ChangedSkills;
use find::{ByPath, LintInput, LocatedSkill};
use fix::{FixOptions, FixSession, FixTarget, LintFixes};
use settings::SettingsByDirectory;

pub use baseline::{BaselineUse, WrittenBaseline};
pub use find::find_skill_dir;
pub use neighbors::NeighborSkills;
pub(super) use tree::{findings_in, lint_tree};
pub(super) use untrusted::{UntrustedSkill, find_untrusted_skills, untrusted_skill};

/// What to lint, and how.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct LintOptions {
    /// Directories of skills, or files in them; empty for the current directory.
    pub paths: Vec<PathBuf>,
    /// Files whose texts differ from those on disk. The skill of the first is checked, and `paths` are ignored.
    pub unsaved: Vec<UnsavedFile>,
    /// Skills that the one of the unsaved file is compared with.
    pub neighbors: Option<Arc<NeighborSkills>>,
    /// The rule settings of the command line.
    pub flags: LintFlags,
    /// Whether the `[lint]` tables of manifests are ignored.
    pub isolated: bool,
    /// Whether notes are reported.
    pub notes: bool,
    /// Whether warnings are errors.
    pub deny_warnings: bool,
    /// The file of known findings, instead of the manifest's.
    pub baseline: Option<PathBuf>,
    /// Whether to write the baseline.
    pub write_baseline: bool,
    /// Checks only skills that have changed since this git revision.
    pub since: Option<String>,
    /// Whether and how to fix findings.
    pub fix: Option<FixOptions>,
    /// This program, by which cached results are known to be of the same rules; `None` to check every skill.
    pub program: Option<PathBuf>,
}

/// A file as an editor has it.
#[derive(Debug, Clone)]
pub struct UnsavedFile {
    /// Its text.
    pub text: Vec<u8>,
    /// Its path; `None` for a `SKILL.md` without a directory.
    pub path: Option<PathBuf>,
}

/// The result of [`lint`].
#[derive(Debug, Default)]
pub struct LintReport {
    /// The reported findings, sorted by path and position.
    pub findings: Vec<FileFinding>,
    /// The texts of the files with findings, by the paths in the findings, as they were when
    /// checked.
    pub sources: BTreeMap<String, String>,
    /// The directories of the checked skills, as the paths of findings begin.
    pub dirs: Vec<String>,
    /// The number of their files.
    pub files: usize,
    /// The number of notes that are not reported.
    pub hidden_notes: usize,
    /// The number of skills that were skipped because skillpm installed them.
    pub installed: usize,
    /// The number of skills that were skipped because they have not changed.
    pub unchanged: usize,
    /// The effect of the baseline; `None` without one.
    pub baseline: Option<BaselineUse>,
    /// The applied fixes.
    pub fixed: LintFixes,
}

impl LintReport {
    /// Whether a finding is an error.
    #[must_use]
    pub fn denies(&self) -> bool {
        self.findings.iter().any(FileFinding::is_error)
    }
}

/// Lints the skills below some paths.
///
/// # Errors
/// If a path does not exist or cannot be read, or a manifest, a flag, the revision or the baseline
/// is invalid.
pub fn lint(context: &CommandContext<'_>, options: &LintOptions) -> Result<LintReport> {
    let found = find::find_skills(context, options)?;
    let settings = SettingsByDirectory::resolve(context, options, &found)?;
    let changed = options
        .since
        .as_deref()
        .map(|since| ChangedSkills::find(since, &found))
        .transpose()?;
    let fixes = options
        .fix
        .map(|fix| FixSession::new(context, fix, &options.paths))
        .transpose()?;

    let cache = LintCache::open(context, options, &found, &settings);
    let run = LintRun {
        options,
        found: &found,
        settings: &settings,
        cache: cache.as_ref(),
        changed: changed.as_ref(),
        fixes: fixes.as_ref(),
    };
    let numbers: Vec<usize> = (0..found.skills.len()).collect();
    let mut results = run_on_all_processors(&numbers, |number| run.lint_located(*number))
        .into_iter()
        .collect::<Result<Vec<SkillLint>>>()?;
    if let Some(cache) = &cache {
        cache.write(&results);
    }

    // Only now are all summaries there: rules such as duplicate names need every skill.
    let neighbors = options.neighbors.as_deref();
    let shared = lint_across(&found.skills, &settings, neighbors, &mut results);

    let mut linted = LintReport {
        installed: found.installed,
        ..LintReport::default()
    };
    for (located, result) in found.skills.iter().zip(results) {
        linted.add_skill(located, result);
    }
    linted.add_shared(&found, shared)?;
    baseline::filter_findings(context, options, (&found, &settings), &mut linted)?;

    // After the baseline: a known warning stays silent under `--deny-warnings`.
    if options.deny_warnings {
        linted.raise_warnings();
    }

    Ok(linted)
}

impl LintReport {
    /// Adds the result of linting one skill.
    fn add_skill(&mut self, located: &LocatedSkill, mut result: SkillLint) {
        if result.is_checked {
            self.dirs.push(located.shown.clone());
        } else {
            self.unchanged += 1;
        }
        self.fixed.add(result.fixed);
        self.files += result.files;
        self.findings.append(&mut result.findings);
        self.sources.append(&mut result.sources);
    }

    /// Adds the findings across skills, with the texts that they are in.
    fn add_shared(&mut self, found: &LintInput, mut shared: Vec<FileFinding>) -> Result<()> {
        // These findings name files of skills that were clean by themselves, and whose text was
        // dropped for that reason. Reports quote the line, so it is read again.
        let by_path = ByPath::new(found);
        for finding in &shared {
            if !self.sources.contains_key(&finding.path)
                && let Some(located) = by_path.skill_at(&finding.path)
                && let Some(bytes) = disk::read(&located.file_path(&finding.path))?
                && let Ok(text) = String::from_utf8(bytes)
            {
                self.sources.insert(finding.path.clone(), text);
            }
        }

        self.findings.append(&mut shared);
        skillpm_lint::sort_findings(&mut self.findings);
        Ok(())
    }

    /// Turns the remaining warnings into errors.
    fn raise_warnings(&mut self) {
        for finding in &mut self.findings {
            if finding.diagnostic.level == DiagnosticLevel::Warning {
                finding.diagnostic.level = DiagnosticLevel::Error;
            }
        }
    }
}

/// The result of linting one skill.
#[derive(Default)]
struct SkillLint {
    is_checked: bool,
    files: usize,
    findings: Vec<FileFinding>,
    /// The texts of files with findings.
    sources: BTreeMap<String, String>,
    summary: Option<SkillSummary>,
    exemptions: Vec<InlineExemption>,
    fixed: LintFixes,
    /// What the result depends on; `None` if it is not to be cached.
    state: Option<SkillState>,
    /// Whether it is from the cache.
    is_recalled: bool,
}

/// What all skills of one run are checked with.
struct LintRun<'a> {
    options: &'a LintOptions,
    found: &'a LintInput,
    settings: &'a SettingsByDirectory,
    cache: Option<&'a LintCache<'a>>,
    changed: Option<&'a ChangedSkills>,
    fixes: Option<&'a FixSession>,
}

impl LintRun<'_> {
    /// Lints a skill, by its number, with the settings of its directory.
    fn lint_located(&self, number: usize) -> Result<SkillLint> {
        if let Some(known) = self.cache.and_then(|cache| cache.recall(number, self)) {
            return Ok(known);
        }

        // Before the files are read, so that a change meanwhile shows in the next run.
        let state = self
            .cache
            .and_then(|cache| cache.read_settled_state(number));
        let located = &self.found.skills[number];
        let settings = self.settings.of_skill(located);
        // A file that only an editor has cannot be checked against files beside it.
        let alone = located.is_alone.then(|| settings.clone().for_one_file());
        let result = lint_skill(located, alone.as_ref().unwrap_or(settings), self)?;
        Ok(SkillLint { state, ..result })
    }

    /// Whether a finding of this level is reported.
    fn is_reported(&self, finding: &FileFinding) -> bool {
        self.options.notes || finding.diagnostic.level > DiagnosticLevel::Note
    }
}

/// Reads a skill, fixes it if that was asked for, checks it, and keeps only the text of reported
/// files.
fn lint_skill(
    located: &LocatedSkill,
    settings: &LintSettings,
    run: &LintRun<'_>,
) -> Result<SkillLint> {
    let skill = read_skill(located)?;

    // An unchanged skill has no findings of its own, but its summary still counts against
    // those that changed.
    if run
        .changed
        .is_some_and(|changed| !changed.contains(located, &skill))
    {
        return Ok(SkillLint {
            summary: skillpm_lint::summarize(&skill, settings),
            ..SkillLint::default()
        });
    }

    let FixedSkill {
        skill,
        checked,
        fixes,
    } = fix_skill(located, skill, settings, run);

    Ok(SkillLint {
        is_checked: true,
        files: skill.files.len(),
        sources: reported_sources(&skill, &checked.findings, run),
        findings: checked.findings,
        summary: checked.summary,
        exemptions: checked.exemptions,
        fixed: fixes,
        ..SkillLint::default()
    })
}

/// A skill after its fixes, and what is left to find in it.
struct FixedSkill {
    skill: SkillDir,
    checked: CheckedSkill,
    fixes: LintFixes,
}

/// Checks a skill, and fixes what can be fixed if that was asked for.
fn fix_skill(
    located: &LocatedSkill,
    skill: SkillDir,
    settings: &LintSettings,
    run: &LintRun<'_>,
) -> FixedSkill {
    let is_reported = |finding: &FileFinding| run.is_reported(finding);
    let is_fixable =
        |finding: &FileFinding| finding.diagnostic.fix.is_some() && is_reported(finding);

    let checked = skillpm_lint::check(&skill, settings);
    // The text of an editor is returned even where nothing is fixed.
    let is_needed = !located.unsaved.is_empty() || checked.findings.iter().any(is_fixable);
    let Some(session) = run.fixes.filter(|_| is_needed) else {
        return FixedSkill {
            skill,
            checked,
            fixes: LintFixes::default(),
        };
    };

    let target = FixTarget {
        dir: &located.dir,
        unsaved: located.unsaved.first().map(|(path, _)| path.as_str()),
    };
    let find = |skill: &SkillDir| skillpm_lint::check(skill, settings).findings;
    let (skill, fixes) = session.fix(skill, target, &find, &is_reported);

    // The fixes may have moved or removed other findings: the skill is checked again.
    let checked = if fixes.files.is_empty() {
        checked
    } else {
        skillpm_lint::check(&skill, settings)
    };
    FixedSkill {
        skill,
        checked,
        fixes,
    }
}

/// The texts of the files with reported findings, by path.
fn reported_sources(
    skill: &SkillDir,
    findings: &[FileFinding],
    run: &LintRun<'_>,
) -> BTreeMap<String, String> {
    // Reports quote the lines of findings; no other text is kept in memory.
    let paths: BTreeSet<&String> = findings
        .iter()
        .filter(|found| run.is_reported(found))
        .map(|found| &found.path)
        .collect();
    let text = |path: &String| {
        let file = skillpm_lint::relative_to(&skill.path, path).and_then(|below| skill.file(below));
        Some((path.clone(), file?.text()?.to_owned()))
    };
    paths.into_iter().filter_map(text).collect()
}

/// Reads a skill's files from disk.
fn read_skill(located: &LocatedSkill) -> Result<SkillDir> {
    let mut files = Vec::with_capacity(located.files.len());
    // A budget over all files, so that a skill with many large ones cannot fill the memory.
    let mut left = SKILL_MAX;
    for walked in &located.files {
        let (content, executable) = read_content(located, walked, &mut left)?;
        files.push(SkillFile {
            path: walked.path.clone(),
            content,
            executable,
        });
    }

    Ok(SkillDir {
        path: located.shown.clone(),
        directory: located.directory.clone(),
        files,
        nested: located.nested.clone(),
    })
}

/// Reads one file, and whether it is executable; its bytes are taken off the budget.
fn read_content(
    located: &LocatedSkill,
    walked: &DiscoveredFile,
    left: &mut u64,
) -> Result<(FileContent, bool)> {
    // The editor's text is newer than the disk's.
    if let Some((_, text)) = located
        .unsaved
        .iter()
        .find(|(given, _)| *given == walked.path)
    {
        let size = text.len() as u64;
        let content = if size > max_size(&walked.path) {
            FileContent::Large(size, text[..HEAD_SIZE.min(text.len())].to_owned())
        } else {
            FileContent::from_bytes(text.clone())
        };
        return Ok((content, false));
    }

    let path = located.dir.join(&walked.path);
    match walked.kind {
        // Reading a device or a pipe could block forever.
        DiscoveredKind::Special => Ok((FileContent::Special, false)),
        // A link is checked by what it points to; it is never followed out of the skill.
        DiscoveredKind::Link => {
            let to = disk::read_link(&path)?.to_string_lossy().into_owned();
            Ok((FileContent::Link(to), false))
        }
        // Of a file over the limit only its head is kept: enough to see what kind it is.
        DiscoveredKind::File => {
            match skill_files::read(&path, (*left).min(max_size(&walked.path)))? {
                (SkillFileContent::Bytes(bytes), executable) => {
                    *left -= bytes.len() as u64;
                    Ok((FileContent::from_bytes(bytes), executable))
                }
                (SkillFileContent::Large(size, head), executable) => {
                    Ok((FileContent::Large(size, head), executable))
                }
            }
        }
    }
}

/// The size in bytes up to which a file is read whole.
fn max_size(path: &str) -> u64 {
    if path.eq_ignore_ascii_case(SKILL_FILE) {
        SKILL_FILE_MAX
    } else {
        FILE_MAX
    }
}

/// Reads the skill around a file that an editor has not saved, with the texts of all unsaved files; `None` if there is no
/// file.
///
/// # Errors
/// If a file of the skill cannot be read.
pub fn read_unsaved_skill(
    context: &CommandContext<'_>,
    unsaved: Vec<UnsavedFile>,
) -> Result<Option<SkillDir>> {
    let options = LintOptions {
        unsaved,
        ..LintOptions::default()
    };
    let found = find::find_skills(context, &options)?;
    found.skills.first().map(read_skill).transpose()
}

/// Findings across the skills that share one manifest's settings, without those about unchanged
/// skills.
fn lint_across(
    located_skills: &[LocatedSkill],
    settings_by_dir: &SettingsByDirectory,
    neighbors: Option<&NeighborSkills>,
    results: &mut [SkillLint],
) -> Vec<FileFinding> {
    let mut findings = Vec::new();
    for (index, settings) in settings_by_dir.iter() {
        let mut mine: Vec<(&LocatedSkill, &mut SkillLint)> = located_skills
            .iter()
            .zip(&mut *results)
            .filter(|(located, _)| settings_by_dir.index_of(located) == index)
            .collect();
        let mut summaries: Vec<SkillSummary> = mine
            .iter_mut()
            .filter_map(|(_, result)| result.summary.take())
            .collect();
        if let Some(neighbors) = neighbors {
            let root = settings_by_dir.root(index);
            summaries.extend(neighbors.summaries_with(root, located_skills));
        }

        let mut found = skillpm_lint::check_across(&summaries, settings);
        if neighbors.is_some() {
            // What is found in a neighbor is reported when that one is checked.
            found.retain(|finding| {
                mine.iter()
                    .any(|(located, _)| located.contains(&finding.path))
            });
        }
        for (located, result) in mine {
            if !result.is_checked {
                // A duplicate is reported at the skill that changed.
                found.retain(|finding| {
                    skillpm_lint::relative_to(&located.shown, &finding.path).is_none()
                });
            } else if !result.exemptions.is_empty() {
                skillpm_lint::apply_exemptions(&mut found, &mut result.exemptions, &located.shown);
            }
        }

        findings.append(&mut found);
    }
    findings
}

/// A path as messages show it: relative to `here` if it is below, with `/` between its parts.
fn display_path(here: &Path, path: &Path) -> String {
    slashed(path.strip_prefix(here).unwrap_or(path))
}

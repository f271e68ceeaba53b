//! `lint --fix` and `lint --diff`: applies fixes to skills, or shows them as a patch.
//!
//! A skill is the unit: all its files are changed or none, and a failed write does not affect other
//! skills. An installed copy is changed only if it was named, because the next `install` would undo
//! the fix.

use std::path::{Path, PathBuf};

use super::super::CommandContext;
use super::installed::places_in_lockfile;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::FileChange;
use skillpm_core::report::{DiagnosticFix, FileFinding, FixApplicability, FixChange};
use skillpm_io::disk::{self, FileEdit};
use skillpm_lint::fix::{self, AppliedFix, FixReport, RefusedFix, SkillFixer};
use skillpm_lint::{FileContent, SkillDir, join};
use skillpm_merge::patch::render_text_patch;
use skillpm_registry::workspace::WorkspaceKind;

/// Whether fixes are written or shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixMode {
    /// Writes them.
    Write,
    /// Shows them as a patch.
    Show,
}

/// How to fix findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixOptions {
    /// Whether fixes are written or shown.
    pub mode: FixMode,
    /// The least safe fixes that are applied.
    pub trust: FixApplicability,
}

/// The result of fixing one skill or many.
#[derive(Debug, Default)]
pub struct LintFixes {
    /// The applied fixes, by skill, in the order of application.
    pub applied: Vec<AppliedFix>,
    /// The changed files, by the paths that findings have.
    pub files: Vec<String>,
    /// Refused fixes, each with the reason.
    pub refused: Vec<RefusedFix>,
    /// Installed skills that could be fixed and were skipped.
    pub skipped: Vec<SkippedSkill>,
    /// The patch, with [`FixMode::Show`].
    pub patch: Vec<u8>,
    /// The fixed text of the unsaved file; it is not written anywhere.
    pub unsaved: Option<Vec<u8>>,
    /// The errors of skills that could not be fixed.
    pub failed: Vec<Error>,
}

/// An installed skill that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedSkill {
    /// Its directory, as the paths of findings begin.
    pub path: String,
    /// The package it was installed from.
    pub package: String,
    /// The number of its findings that can be fixed.
    pub fixable: usize,
}

impl LintFixes {
    fn from_error(error: Error) -> LintFixes {
        LintFixes {
            failed: vec![error],
            ..LintFixes::default()
        }
    }
    /// Adds the result of another skill.
    pub fn add(&mut self, other: LintFixes) {
        self.applied.extend(other.applied);
        self.files.extend(other.files);
        self.refused.extend(other.refused);
        self.skipped.extend(other.skipped);
        self.patch.extend(other.patch);
        // At most one skill of a run has an unsaved file.
        self.unsaved = self.unsaved.take().or(other.unsaved);
        self.failed.extend(other.failed);
    }

    /// The failures as one error, with the others as notes.
    #[must_use]
    pub fn failure(&mut self) -> Option<Error> {
        let more = self.failed.len().saturating_sub(1);
        let first = (!self.failed.is_empty()).then(|| self.failed.swap_remove(0))?;

        let others = self
            .failed
            .drain(..)
            .map(|error| error.message().to_owned());
        let mut error = others.fold(first, Error::note);

        if more == 0 {
            error = error.note("no file of that skill was changed");
        } else {
            error = error.note("no file of those skills was changed");
        }

        Some(error)
    }
}

/// The skill that is fixed.
#[derive(Debug, Clone, Copy)]
pub struct FixTarget<'a> {
    /// Its directory.
    pub dir: &'a Path,
    /// The path in the skill of a file that an editor has not saved.
    pub unsaved: Option<&'a str>,
}

/// Fixes one skill after another.
#[derive(Debug)]
pub struct FixSession {
    options: FixOptions,
    /// Installed copies: their real path, and the package.
    installed: Vec<(PathBuf, String)>,
    /// The real paths of the command line.
    named: Vec<PathBuf>,
}

impl FixSession {
    /// Prepares to fix the skills below `paths`.
    ///
    /// # Errors
    /// If there is a lockfile that cannot be read.
    pub fn new(
        context: &CommandContext<'_>,
        options: FixOptions,
        paths: &[PathBuf],
    ) -> Result<Self> {
        // Real paths: a skill may be named through a link.
        let named = paths
            .iter()
            .map(|path| disk::real_path(&context.dirs.cwd.join(path)))
            .collect();

        Ok(FixSession {
            options,
            installed: installed_places(context)?,
            named,
        })
    }

    /// Fixes the skill in `dir`, and returns it as it is afterwards, whether that was written or
    /// not.
    ///
    /// `lint` finds findings, and `wanted` selects those to fix. If a file is `unsaved`, only that
    /// file is fixed, and nothing is written.
    pub fn fix(
        &self,
        skill: SkillDir,
        target: FixTarget<'_>,
        lint: &dyn Fn(&SkillDir) -> Vec<FileFinding>,
        wanted: &dyn Fn(&FileFinding) -> bool,
    ) -> (SkillDir, LintFixes) {
        let shown = target.unsaved.map(|file| join(&skill.path, file));
        let is_wanted = |finding: &FileFinding| {
            shown
                .as_ref()
                .is_none_or(|shown| only_edits(finding, shown))
                && wanted(finding)
        };
        let method = SkillFixer {
            lint,
            is_wanted: &is_wanted,
            max_applicability: self.options.trust,
        };

        // An editor gets the new text and writes it itself.
        match target.unsaved {
            Some(file) if self.options.mode == FixMode::Write => fix_unsaved(skill, file, &method),
            _ => self.fix_on_disk(skill, target.dir, &method),
        }
    }

    /// Fixes a skill as it is on disk, and writes or shows the changes.
    fn fix_on_disk(
        &self,
        skill: SkillDir,
        dir: &Path,
        method: &SkillFixer<'_>,
    ) -> (SkillDir, LintFixes) {
        let FixReport {
            skill: after,
            changes,
            applied,
            refused,
            ..
        } = match fix::fix(&skill, method) {
            Ok(fixed) => fixed,
            Err(error) => return (skill, LintFixes::from_error(error)),
        };

        if changes.is_empty() {
            let fixes = LintFixes {
                refused,
                ..LintFixes::default()
            };
            return (skill, fixes);
        }

        // Checked only now: a skill without any fix is not worth a report that it was skipped.
        if let Some(package) = self.installed_from(dir) {
            let skipped = SkippedSkill {
                path: skill.path.clone(),
                package: package.to_owned(),
                fixable: applied.len(),
            };
            let fixes = LintFixes {
                skipped: vec![skipped],
                ..LintFixes::default()
            };
            return (skill, fixes);
        }

        let patch = match self.write_or_render(&skill, dir, &changes) {
            Ok(patch) => patch,
            Err(error) => return (skill, LintFixes::from_error(error)),
        };

        let fixes = LintFixes {
            files: changed_paths(&skill, &changes),
            applied,
            refused,
            patch,
            ..LintFixes::default()
        };
        (after, fixes)
    }

    /// Writes the changes of a skill, or returns them as a patch.
    fn write_or_render(
        &self,
        skill: &SkillDir,
        dir: &Path,
        changes: &[FileChange],
    ) -> Result<Vec<u8>> {
        match self.options.mode {
            FixMode::Show => Ok(render_text_patch(&skill.path, changes)),
            FixMode::Write => {
                let edits: Vec<FileEdit> = changes.iter().map(file_edit).collect();
                // All files of a skill or none: a fix may move text from one file to another.
                disk::edit_files(dir, &edits)?;
                Ok(Vec::new())
            }
        }
    }

    /// The package that a skill was installed from, unless the skill itself was named.
    fn installed_from(&self, dir: &Path) -> Option<&str> {
        // Compared as real paths: a target may be reached through a link.
        let real = disk::real_path(dir);
        let (_, package) = self
            .installed
            .iter()
            .find(|(place, _)| real.starts_with(place))?;

        // Naming an installed copy overrides this, although the next `install` restores it.
        let is_named =
            |named: &PathBuf| *named == real || named.parent() == Some(&real) && named.is_file();

        (!self.named.iter().any(is_named)).then_some(package)
    }
}

/// Whether a fix only edits the text of this file: of an unsaved file nothing else can change, as
/// there is nowhere to rename or add a file.
fn only_edits(finding: &FileFinding, file: &str) -> bool {
    let is_edit = |fix: &DiagnosticFix| {
        fix.changes
            .iter()
            .all(|change| matches!(change, FixChange::Edit { .. }))
    };
    finding.path == *file && finding.diagnostic.fix.as_ref().is_some_and(is_edit)
}

/// Fixes the file that an editor has not saved; nothing is written.
fn fix_unsaved(skill: SkillDir, file: &str, method: &SkillFixer<'_>) -> (SkillDir, LintFixes) {
    match fix::fix(&skill, method) {
        Ok(report) => {
            let fixes = LintFixes {
                applied: report.applied,
                files: changed_paths(&report.skill, &report.changes),
                refused: report.refused,
                unsaved: Some(file_bytes(&report.skill, file)),
                ..LintFixes::default()
            };
            (report.skill, fixes)
        }
        Err(error) => {
            let fixes = LintFixes {
                // An editor replaces its buffer with the answer, so that it gets its own text back.
                unsaved: Some(file_bytes(&skill, file)),
                ..LintFixes::from_error(error)
            };
            (skill, fixes)
        }
    }
}

fn file_bytes(skill: &SkillDir, file: &str) -> Vec<u8> {
    match skill.file(file).map(|file| &file.content) {
        Some(FileContent::Text(text)) => text.clone().into_bytes(),
        Some(FileContent::Bytes(bytes)) => bytes.clone(),
        _ => Vec::new(),
    }
}

/// The changed files of a skill, by the paths that findings have.
fn changed_paths(skill: &SkillDir, changes: &[FileChange]) -> Vec<String> {
    changes
        .iter()
        .map(|change| join(&skill.path, change.path()))
        .collect()
}

fn file_edit(change: &FileChange) -> FileEdit {
    let to = change.path().to_owned();
    let FileChange {
        from,
        before,
        after,
        executable,
        ..
    } = change.clone();

    FileEdit {
        from,
        to,
        before,
        after,
        // Fixes make a script executable, and never the opposite.
        make_executable: executable.1 && !executable.0,
    }
}

/// The directories of the skills in the project's and the user's lockfile, and their packages.
fn installed_places(context: &CommandContext<'_>) -> Result<Vec<(PathBuf, String)>> {
    // Both: inside a project, the user's own skills can be linted as well.
    let project = context.project()?;
    let managed = context.workspace(WorkspaceKind::Managed)?;
    let mut places = Vec::new();

    for workspace in project.iter().chain([&managed]) {
        let found = places_in_lockfile(context, workspace)?.into_iter();
        places.extend(found.map(|(place, package)| (disk::real_path(&place), package)));
    }

    Ok(places)
}

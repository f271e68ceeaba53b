//! Checks documents as editors have them, by the same functions as `skillpm lint`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{self, Lockfile};
use skillpm_core::manifest;
use skillpm_core::manifest::inspect::fault_from_error;
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FixApplicability, SilentReporter};
use skillpm_io::disk;
use skillpm_lint::fault_finding;
use skillpm_lint::fix::RefusedFix;
use skillpm_lint::subject::FILE_MAX;
use skillpm_ops::lint::fix::{FixMode, FixOptions};
use skillpm_ops::lint::{LintOptions, LintReport, NeighborSkills, UnsavedFile, lint};
use skillpm_ops::manifest_check::check_manifest;
use skillpm_ops::{BaseDirs, CommandContext};

use crate::LspOptions;
use crate::documents::{DocumentKind, OpenDocument};

/// The directory that paths in messages are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckRoot {
    pub(crate) dir: PathBuf,
    /// Whether it is a project, whose other skills count for rules about several skills.
    pub(crate) is_project: bool,
}

/// A document to check, with what is open beside it.
#[derive(Debug, Clone)]
pub(crate) struct CheckJob {
    pub(crate) root: CheckRoot,
    pub(crate) document: OpenDocument,
    /// The other open documents.
    pub(crate) others: Vec<OpenDocument>,
    /// Whether notes are reported.
    pub(crate) notes: bool,
}

/// A file with its findings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckedFile {
    /// The text that was checked.
    pub(crate) text: Arc<str>,
    pub(crate) findings: Vec<Diagnostic>,
}

/// The result of a job.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckResult {
    /// The document.
    pub(crate) path: PathBuf,
    pub(crate) version: i32,
    /// The skill that it belongs to.
    pub(crate) skill: Option<PathBuf>,
    /// The files with findings, and the document itself.
    pub(crate) files: BTreeMap<PathBuf, CheckedFile>,
    /// Why it could not be checked.
    pub(crate) failure: Option<Error>,
}

/// The document with all safe fixes applied.
#[derive(Debug, Clone, Default)]
pub(crate) struct FixedDocument {
    pub(crate) text: String,
    /// The fixes that would do harm.
    pub(crate) refused: Vec<RefusedFix>,
}

/// Runs jobs, on any thread.
pub(crate) struct DocumentChecker<'c> {
    context: &'c CommandContext<'c>,
    options: LspOptions<'c>,
    started: Instant,
    /// The skills of each project, as they were read last.
    neighbors: Mutex<HashMap<PathBuf, Arc<NeighborSkills>>>,
}

impl<'c> DocumentChecker<'c> {
    pub(crate) fn new(
        context: &'c CommandContext<'c>,
        options: LspOptions<'c>,
    ) -> DocumentChecker<'c> {
        DocumentChecker {
            context,
            options,
            started: Instant::now(),
            neighbors: Mutex::default(),
        }
    }

    /// Runs with a directory as the current one, and its settings.
    ///
    /// # Errors
    /// If the settings are invalid, or `run` fails.
    pub(crate) fn with_context<T>(
        &self,
        dir: &Path,
        run: impl FnOnce(&CommandContext<'_>) -> Result<T>,
    ) -> Result<T> {
        let dirs = BaseDirs {
            cwd: dir.to_owned(),
            ..self.context.dirs.clone()
        };
        let now = self.context.with_elapsed(self.started.elapsed());
        run(&CommandContext {
            config: (self.options.settings)(&dirs)?,
            dirs,
            reporter: &SilentReporter,
            interactive: false,
            ..now
        })
    }

    /// The URL of a rule's documentation.
    pub(crate) fn rule_url(&self, code: &str) -> String {
        (self.options.rule_url)(code)
    }

    /// Reads the other skills of a project, unless that was done before; whether it was not.
    pub(crate) fn read_neighbors(&self, root: &CheckRoot) -> bool {
        if !root.is_project || self.neighbors_at(&root.dir).is_some() {
            return false;
        }
        let read = self.with_context(&root.dir, NeighborSkills::read);
        // Where they cannot be read, the job reports it.
        let skills = Arc::new(read.unwrap_or_default());
        self.lock_neighbors().insert(root.dir.clone(), skills);
        true
    }

    /// Drops what was read of other skills: something has changed on disk.
    pub(crate) fn forget_neighbors(&self) {
        self.lock_neighbors().clear();
    }

    fn neighbors_at(&self, root: &Path) -> Option<Arc<NeighborSkills>> {
        self.lock_neighbors().get(root).cloned()
    }

    fn lock_neighbors(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<NeighborSkills>>> {
        // A panic of the other thread leaves the map as it was.
        self.neighbors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a document and the skill that it belongs to.
    pub(crate) fn check(&self, job: &CheckJob) -> CheckResult {
        let document = &job.document;
        let mut result = CheckResult {
            path: document.path.clone(),
            version: document.version,
            ..CheckResult::default()
        };
        // Even without findings it is listed, so that old ones are withdrawn.
        result.add_file(&document.path, &document.text);
        let size = document.text.len();
        if size as u64 > FILE_MAX {
            result.failure = Some(Error::usage(format!(
                "the document has {size} bytes, and the limit is {FILE_MAX}"
            )));
            return result;
        }

        let checked = match document.kind {
            DocumentKind::Other => Ok(()),
            DocumentKind::SkillPage | DocumentKind::SkillFile => self.lint(job, &mut result),
            DocumentKind::Lockfile => {
                check_lockfile(document, &mut result);
                Ok(())
            }
            DocumentKind::Manifest => self.check_manifest(job, &mut result),
        };
        result.failure = checked.err();
        result
    }

    /// Applies all safe fixes to a document, in memory.
    ///
    /// # Errors
    /// As for [`lint`].
    pub(crate) fn fix(&self, job: &CheckJob) -> Result<FixedDocument> {
        let fix = FixOptions {
            mode: FixMode::Write,
            trust: FixApplicability::Safe,
        };
        // With an unsaved file, the fixed text is returned and nothing is written.
        let mut report = self.run_lint(job, Some(fix))?;
        if let Some(failure) = report.fixed.failure() {
            return Err(failure);
        }
        let fixed = report.fixed.unsaved.take();
        Ok(FixedDocument {
            text: fixed
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .unwrap_or_else(|| job.document.text.to_string()),
            refused: std::mem::take(&mut report.fixed.refused),
        })
    }

    fn lint(&self, job: &CheckJob, result: &mut CheckResult) -> Result<()> {
        let report = self.run_lint(job, None)?;
        // A path of a skill is relative to the root, and empty for the root itself.
        result.skill = report.dirs.first().map(|dir| join_path(&job.root.dir, dir));
        for finding in report.findings {
            let path = join_path(&job.root.dir, &finding.path);
            let text = report.sources.get(&finding.path).map_or("", String::as_str);
            result
                .add_file(&path, text)
                .findings
                .push(finding.diagnostic);
        }
        Ok(())
    }

    fn run_lint(&self, job: &CheckJob, fix: Option<FixOptions>) -> Result<LintReport> {
        let unsaved = unsaved_files(job);
        let options = LintOptions {
            unsaved,
            neighbors: self.neighbors_at(&job.root.dir),
            notes: job.notes,
            fix,
            ..LintOptions::default()
        };
        self.with_context(&job.root.dir, |context| lint(context, &options))
    }

    fn check_manifest(&self, job: &CheckJob, result: &mut CheckResult) -> Result<()> {
        let document = &job.document;
        let dir = document.path.parent().unwrap_or(&job.root.dir);
        let faults = self.with_context(dir, |context| {
            Ok(check_manifest(context, dir, &document.text))
        })?;

        let file = result.add_file(&document.path, &document.text);
        file.findings.extend(faults.iter().map(|checked| {
            let finding = fault_finding(&checked.fault, &document.text);
            let level = if checked.is_error {
                DiagnosticLevel::Error
            } else {
                DiagnosticLevel::Warning
            };
            // `lint` has another level for some.
            Diagnostic { level, ..finding }
        }));

        // The manifest of a skill is one of its files, and has rules of its own.
        if skillpm_ops::lint::find_skill_dir(&document.path).as_deref() != Some(dir) {
            return Ok(());
        }
        let own = std::mem::take(&mut file.findings);
        self.lint(job, result)?;
        let file = result.add_file(&document.path, &document.text);
        let known: Vec<_> = file
            .findings
            .iter()
            .map(|finding| finding.span.clone())
            .collect();
        file.findings.extend(
            own.into_iter()
                .filter(|finding| !known.contains(&finding.span)),
        );
        Ok(())
    }
}

impl CheckResult {
    fn add_file(&mut self, path: &Path, text: &str) -> &mut CheckedFile {
        self.files
            .entry(path.to_owned())
            .or_insert_with(|| CheckedFile {
                text: text.into(),
                findings: Vec::new(),
            })
    }
}

fn check_lockfile(document: &OpenDocument, result: &mut CheckResult) {
    let Err(error) = Lockfile::parse(&document.text, lockfile::FILE) else {
        return;
    };
    let fault = fault_from_error(&document.text, lockfile::FILE, &error);
    let finding = Diagnostic {
        rule: "lockfile".to_owned(),
        level: DiagnosticLevel::Error,
        ..fault_finding(&fault, &document.text)
    };
    result
        .add_file(&document.path, &document.text)
        .findings
        .push(finding);
}

/// The document and the other open ones, by paths relative to the root where they are below it.
pub(crate) fn unsaved_files(job: &CheckJob) -> Vec<UnsavedFile> {
    let unsaved = |document: &OpenDocument| UnsavedFile {
        text: document.text.as_bytes().to_owned(),
        path: Some(
            document
                .path
                .strip_prefix(&job.root.dir)
                .unwrap_or(&document.path)
                .to_owned(),
        ),
    };
    std::iter::once(&job.document)
        .chain(
            job.others
                .iter()
                .filter(|other| other.kind != DocumentKind::Other),
        )
        .map(unsaved)
        .collect()
}

/// The directory that the paths of a document's findings are relative to.
///
/// It is the innermost folder of the client around the document, else the project or the repository, else the directory
/// above the skill.
pub(crate) fn find_root(document: &Path, folders: &[PathBuf]) -> CheckRoot {
    let project = |dir: &Path| CheckRoot {
        dir: dir.to_owned(),
        is_project: true,
    };
    let around = folders.iter().filter(|folder| document.starts_with(folder));
    if let Some(folder) = around.max_by_key(|folder| folder.components().count()) {
        return project(folder);
    }

    let dir = document.parent().unwrap_or(document);
    let has =
        |dir: &Path, name: &str| disk::lstat(&dir.join(name)).is_ok_and(|meta| meta.is_some());
    let is_root = |dir: &&Path| has(dir, manifest::FILE) || has(dir, ".git");
    match dir.ancestors().find(is_root) {
        Some(root) => project(root),
        None => CheckRoot {
            dir: dir.parent().unwrap_or(dir).to_owned(),
            is_project: false,
        },
    }
}

/// Joins a path of a finding to the root; the root itself has an empty one.
fn join_path(root: &Path, path: &str) -> PathBuf {
    if path.is_empty() {
        root.to_owned()
    } else {
        root.join(path)
    }
}

//! `registry check`: checks an index, and in a shared one each change before it is merged.
//!
//! ```text
//! files ─ config.json, owners/*.toml ─ lines ─ dependencies ─ archives     the invariants of an index
//!   └ with a base: the difference ─ append-only ─ owners                   the rules for changes and their authors
//! ```
//!
//! With a base, the checked out commit is compared with it, and the difference is checked.
//! Otherwise all files of the directory are checked.

mod archives;
mod config;
mod dependencies;
mod lines;
mod rights;
mod state;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use self::lines::CheckedLine;
use self::rights::{ChangeAuthors, IndexChange};
use self::state::{IndexFileKind, IndexSnapshot};
use crate::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};
use skillpm_io::git::GitCheckout;
use skillpm_io::{disk, run_parallel};
use skillpm_registry::index::write::owners::{self, OwnershipScope};
use skillpm_registry::index::write::similar;
use skillpm_registry::index::{IndexConfig, archive_path};

/// Which archives are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveScope {
    /// All archives.
    All,
    /// The archives of lines that the change adds.
    Changed,
}

/// The index to check, and how.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The directory of the index; `None` for the current one.
    pub dir: Option<PathBuf>,
    /// The git revision that the change is based on.
    pub base: Option<String>,
    /// All identities of the author of the change; empty for the authors of the commits.
    pub by: Vec<String>,
    /// Which archives are read; `None` for those of the change with a base, and all without.
    pub archives: Option<ArchiveScope>,
}

/// The result of [`check`].
#[derive(Debug, Clone, Default)]
pub struct IndexCheckReport {
    /// The number of checked packages.
    pub packages: usize,
    /// The number of checked lines.
    pub versions: usize,
    /// The number of checked archives.
    pub archives: usize,
    /// The number of archives outside of the index, which were not read.
    pub elsewhere: usize,
    /// The findings, sorted by path.
    pub findings: Vec<FileFinding>,
}

/// The number of archives in memory at the same time.
const BATCH: usize = 32;

/// The number of changed files up to which each is read by itself, and the whole index is not listed.
const CHANGES_MAX: usize = 256;

/// Checks an index.
///
/// # Errors
/// If there is no index, or its files or commits cannot be read. Faults of the index are findings,
/// not errors.
pub fn check(context: &CommandContext<'_>, options: &CheckOptions) -> Result<IndexCheckReport> {
    let dir = options
        .dir
        .as_ref()
        .map_or(context.dirs.cwd.clone(), |dir| context.dirs.cwd.join(dir));
    let dir = disk::real_path(&dir);

    let checkout = if disk::lstat(&dir)?.is_some() {
        GitCheckout::discover(&dir)?
    } else {
        None
    };

    match (&options.base, &checkout) {
        (None, checkout) => check_whole(context, options, &dir, checkout.as_ref()),
        (Some(base), Some(checkout)) => check_change(context, options, checkout, base),
        (Some(base), None) => Err(Error::usage(format!(
            "`--base {base}` requires a git repository, and `{}` is not in one",
            dir.display()
        ))
        .help("to check the directory as it is, run the command without `--base`")),
    }
}

/// Checks all files of an index.
fn check_whole(
    context: &CommandContext<'_>,
    options: &CheckOptions,
    dir: &Path,
    checkout: Option<&GitCheckout>,
) -> Result<IndexCheckReport> {
    // A bare repository has no work tree; it serves its head.
    let state = match checkout {
        Some(checkout) if checkout.is_bare() => {
            IndexSnapshot::from_commit(checkout, &checkout.resolve_commit("HEAD")?)
        }
        _ => IndexSnapshot::from_disk(dir)?,
    };

    IndexChecker::new(context, &state, None)?.run(options.archives.unwrap_or(ArchiveScope::All))
}

/// Checks the difference of the checked out commit from its base.
fn check_change(
    context: &CommandContext<'_>,
    options: &CheckOptions,
    checkout: &GitCheckout,
    base: &str,
) -> Result<IndexCheckReport> {
    let (base_commit, head) = (
        checkout.resolve_commit(base)?,
        checkout.resolve_commit("HEAD")?,
    );
    // Otherwise lines that others added meanwhile would look removed.
    if checkout.merge_base(&base_commit, &head)? != Some(base_commit) {
        return Err(Error::negative(format!("`HEAD` is not based on `{base}`"))
            .note(format!("`{base}` is {base_commit}"))
            .help(format!(
                "merge it first: `git merge {base}`, or `git rebase {base}`"
            )));
    }

    let after = IndexSnapshot::from_commit(checkout, &head);
    let before = IndexSnapshot::from_commit(checkout, &base_commit);
    let changed = checkout.changed_files(&base_commit, &head)?;
    // Each file that is read alone costs the trees on its path.
    if changed.len() > CHANGES_MAX {
        before.paths()?;
        after.paths()?;
    }

    // Anyone can write any address into a commit, so that a host's workflow passes `--by`.
    let who = match options.by.as_slice() {
        [] => ChangeAuthors::from_commits(checkout.commits_since(&base_commit, &head)?),
        by => ChangeAuthors::Given(by.to_vec()),
    };

    // Archive paths are those of the base: a change of `dl` must not move published archives out of
    // the check.
    let dl = if before.has("config.json")? {
        state::read_config(&before)?.dl
    } else {
        None
    };

    let found = IndexChange {
        before: &before,
        after: &after,
        changed: &changed,
        who,
        dl,
    }
    .check()?;

    let mut checker = IndexChecker::new(context, &after, Some((&before, &changed)))?;
    checker.checked.findings.extend(found);
    checker.run(options.archives.unwrap_or(ArchiveScope::Changed))
}

/// A check in progress.
struct IndexChecker<'a> {
    state: &'a IndexSnapshot<'a>,
    /// The base, and the paths that differ from it.
    change: Option<(&'a IndexSnapshot<'a>, &'a BTreeSet<String>)>,
    config: IndexConfig,
    now: Timestamp,
    jobs: usize,
    checked: IndexCheckReport,
}

/// The files that are not checked alone.
#[derive(Default)]
struct ReadFiles {
    /// The lines of all read packages.
    lines: Vec<CheckedLine>,
    /// Archives, or files that do not belong here.
    others: BTreeSet<String>,
}

impl<'a> IndexChecker<'a> {
    fn new(
        context: &CommandContext<'_>,
        state: &'a IndexSnapshot<'a>,
        change: Option<(&'a IndexSnapshot<'a>, &'a BTreeSet<String>)>,
    ) -> Result<IndexChecker<'a>> {
        let jobs = usize::try_from(context.config.number("net.jobs")).unwrap_or(1);
        let (config, now) = (state::read_config(state)?, context.timestamp());
        Ok(IndexChecker {
            config,
            now,
            state,
            change,
            jobs,
            checked: IndexCheckReport::default(),
        })
    }

    fn run(mut self, archives: ArchiveScope) -> Result<IndexCheckReport> {
        self.check_config();
        self.check_advisories()?;
        self.check_links();

        let ReadFiles { lines, mut others } = self.read_files(archives)?;
        self.checked.versions = lines.len();
        self.check_needs(&lines)?;
        self.check_names(&lines)?;
        self.check_claims(&lines)?;
        self.check_archives(&lines, archives, &mut others)?;
        // `check_archives` has taken the archives of lines out of `others`.
        for path in others {
            self.report(fault(
                &path,
                "stray-file",
                "unknown file: it is not part of an index, and no line refers to it",
            ));
        }

        // The passes above report them in no useful order.
        self.checked.findings.sort_by(|a, b| {
            let (left, right) = (&a.diagnostic, &b.diagnostic);
            let by_place = (&a.path, left.position).cmp(&(&b.path, right.position));
            by_place.then_with(|| left.rule.cmp(&right.rule))
        });

        self.checked.findings.dedup();
        Ok(self.checked)
    }

    /// Reads and checks the changed files one by one.
    fn read_files(&mut self, archives: ArchiveScope) -> Result<ReadFiles> {
        let change = self.change;
        let is_changed = |path: &str| change.is_none_or(|(_, changed)| changed.contains(path));

        // With all archives, unchanged lines have to be read as well: they name the archives.
        let all_lines = archives == ArchiveScope::All;
        let mut files = ReadFiles::default();

        let paths = match change {
            Some((_, changed)) if !all_lines => self.existing_paths(changed)?,
            _ => self.state.paths()?,
        };
        for path in paths {
            match IndexFileKind::from_path(path) {
                IndexFileKind::Package(name) if all_lines || is_changed(path) => {
                    let bytes = self.state.read(path)?.unwrap_or_default();
                    let mut read =
                        lines::read_lines(path, &name, &bytes, &mut self.checked.findings);
                    self.mark_existing(path, &name, &mut read)?;
                    files.lines.extend(read);
                    self.checked.packages += 1;
                }
                IndexFileKind::Owners(scope) if is_changed(path) => {
                    self.check_owners(path, &scope)?;
                }
                IndexFileKind::Other if is_changed(path) => {
                    files.others.insert(path.to_owned());
                }
                // Handled by the checks above, or unchanged.
                IndexFileKind::Config
                | IndexFileKind::Owners(_)
                | IndexFileKind::Package(_)
                | IndexFileKind::Advisory
                | IndexFileKind::Auxiliary
                | IndexFileKind::Other => {}
            }
        }
        Ok(files)
    }

    /// The changed files that were not removed.
    fn existing_paths<'p>(&self, changed: &'p BTreeSet<String>) -> Result<Vec<&'p str>> {
        let mut paths = Vec::new();
        for path in changed {
            if self.state.has(path)? {
                paths.push(path.as_str());
            }
        }
        Ok(paths)
    }

    fn report(&mut self, finding: FileFinding) {
        self.checked.findings.push(finding);
    }

    fn check_links(&mut self) {
        for path in self.state.links() {
            self.checked
                .findings
                .push(fault(path, "stray-file", "not a regular file"));
        }
    }

    fn check_owners(&mut self, path: &str, scope: &str) -> Result<()> {
        let bytes = self.state.read(path)?;

        if let Err(error) = owners::read_keys(bytes.as_deref(), path) {
            self.report(fault(path, "owners", error.message()));
        }

        match owners::read_scopes(scope, [bytes.as_deref()]) {
            Err(error) => self.report(fault(path, "owners", error.message())),
            Ok(realms) => {
                // A name without a scope gets its first publisher as owner, so that `_` may be
                // empty.
                for realm in realms
                    .iter()
                    .filter(|realm| !matches!(realm, OwnershipScope::Unscoped))
                {
                    if owners::read_owners(bytes.as_deref(), realm)?.is_empty() {
                        self.report(fault(path, "owners", format!("no owners of `{realm}`")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Marks the lines of versions that the base has.
    fn mark_existing(
        &self,
        path: &str,
        name: &PackageName,
        lines: &mut [CheckedLine],
    ) -> Result<()> {
        let Some((before, changed)) = self.change else {
            return Ok(());
        };

        let bytes = before.read(path)?.unwrap_or_default();
        let existing: BTreeSet<_> = lines::read_lines(path, name, &bytes, &mut Vec::new())
            .into_iter()
            .map(|line| line.entry.vers)
            .collect();

        lines.iter_mut().for_each(|line| {
            line.is_new = changed.contains(path) && !existing.contains(&line.entry.vers);
        });
        Ok(())
    }

    /// Warns of new names that are similar to existing ones.
    fn check_names(&mut self, lines: &[CheckedLine]) -> Result<()> {
        let Some((before, _)) = self.change else {
            return Ok(());
        };

        let mut new: BTreeSet<&PackageName> = BTreeSet::new();
        for line in lines.iter().filter(|line| line.is_new) {
            let name = &line.entry.name;
            if !before.has(&skillpm_registry::index::entry_path(name))? {
                new.insert(name);
            }
        }
        let part = |path: &String| match IndexFileKind::from_path(path) {
            IndexFileKind::Package(name) => Some(name),
            _ => None,
        };
        for name in new {
            // An index may have a million names.
            let paths = before.paths_in(&|dir| similar::may_hold_similar(dir, name))?;
            let known: BTreeSet<PackageName> = paths.iter().filter_map(part).collect();
            // Names of one scope have the same owners, who may choose similar names.
            let same_scope =
                |other: &&PackageName| name.scope().is_none() || name.scope() != other.scope();

            for (other, reason) in similar::find_similar(name, known.iter().filter(same_scope)) {
                let message = format!("`{name}` could be confused with `{other}`: {reason}");
                let diagnostic = Diagnostic::new("name-similar", DiagnosticLevel::Warning, message);
                self.checked.findings.push(FileFinding {
                    path: skillpm_registry::index::entry_path(name),
                    diagnostic,
                });
            }
        }
        Ok(())
    }

    /// Checks that every scope is valid and has an owners file.
    fn check_claims(&mut self, lines: &[CheckedLine]) -> Result<()> {
        let mut seen = BTreeSet::new();

        for line in lines {
            let path = skillpm_registry::index::owners_path(&line.entry.name);
            if !seen.insert(path.clone()) {
                continue;
            }
            // Such a directory would be parsed as packages with short names, or as archives.
            if let Some(scope) = line
                .entry
                .name
                .scope()
                .filter(|scope| skillpm_registry::index::is_reserved_scope(scope))
            {
                let message = format!(
                    "invalid scope `{scope}`: an index has other files in a directory of that name"
                );
                self.report(fault_at_line(line, "index-path", message));
            }

            if !self.state.has(&path)? {
                self.report(fault_at_line(
                    line,
                    "owners",
                    format!("missing `{path}`: the package has no owners"),
                ));
            }
        }
        Ok(())
    }

    /// Checks archives, several in parallel, and removes those that a line refers to from `others`.
    fn check_archives(
        &mut self,
        lines: &[CheckedLine],
        which: ArchiveScope,
        others: &mut BTreeSet<String>,
    ) -> Result<()> {
        let selected = self.select_archives(lines, which, others);

        // In batches, to limit memory: an archive may have 32 MiB, and an index thousands of them.
        for batch in selected.chunks(BATCH) {
            let mut read = Vec::new();
            for (line, path) in batch {
                match self.state.read(path)? {
                    Some(bytes) => read.push((*line, path, bytes)),
                    None => self.checked.findings.push(fault_at_line(
                        line,
                        "archive",
                        format!("archive `{path}` not found"),
                    )),
                }
            }

            self.checked.archives += read.len();
            let found = run_parallel(self.jobs, &read, |(line, path, bytes)| {
                archives::check_archive(line, path, bytes)
            });
            self.checked.findings.extend(found.into_iter().flatten());
        }
        Ok(())
    }

    /// The archives to read, with their paths in the index.
    fn select_archives<'l>(
        &mut self,
        lines: &'l [CheckedLine],
        which: ArchiveScope,
        others: &mut BTreeSet<String>,
    ) -> Vec<(&'l CheckedLine, String)> {
        let dl = self.config.dl.clone();
        let mut selected = Vec::new();

        for line in lines.iter().filter(|line| line.entry.archive.is_some()) {
            let Some(dl) = &dl else {
                self.report(fault_at_line(
                    line,
                    "archive",
                    "the line has an archive, but `config.json` has no `dl` to download it from",
                ));
                continue;
            };

            let path = archive_path(dl, &line.entry);
            // A line refers to it, so that it is not stray, even if it is not read in this run.
            others.remove(&path);
            if which == ArchiveScope::Changed && !line.is_new {
                continue;
            }
            // A check does not download: archives elsewhere are counted, and reported as unread.
            if path.contains("://") {
                self.checked.elsewhere += 1;
            } else {
                selected.push((line, path));
            }
        }
        selected
    }
}

/// An error for a file.
fn fault(path: &str, rule: &str, message: impl Into<String>) -> FileFinding {
    FileFinding {
        path: path.to_owned(),
        diagnostic: Diagnostic::new(rule, DiagnosticLevel::Error, message),
    }
}

/// A text and where its lines are, so that each of many faults in it is placed without counting the lines before.
struct LineTable<'t> {
    text: &'t str,
    /// The position of the first byte of each line.
    starts: Vec<usize>,
}

impl<'t> LineTable<'t> {
    fn new(text: &'t str) -> LineTable<'t> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        LineTable {
            text,
            starts: std::iter::once(0).chain(ends.map(|end| end + 1)).collect(),
        }
    }

    /// The bytes of a line, counted from 1, without its end.
    fn span_of(&self, number: usize) -> Range<usize> {
        let start_of = |at: usize| self.starts.get(at).copied();
        let start = start_of(number.saturating_sub(1)).unwrap_or(self.text.len());
        let end = start_of(number).map_or(self.text.len(), |next| next - 1);
        start..end
    }
}

/// An error for a line, counted from 1, of a file.
fn fault_at(
    path: &str,
    lines: &LineTable<'_>,
    number: usize,
    rule: &str,
    message: impl Into<String>,
) -> FileFinding {
    // The whole line: the parser of a line does not say where in it the fault is.
    let mut finding = fault(path, rule, message);
    finding.diagnostic = finding.diagnostic.at_bytes(lines.span_of(number));
    finding.diagnostic.position = Some((number, 1));
    finding
}

/// An error for a parsed line.
fn fault_at_line(line: &CheckedLine, rule: &str, message: impl Into<String>) -> FileFinding {
    let mut finding = fault(&line.path, rule, message);
    finding.diagnostic.position = Some((line.number, 1));
    finding
}

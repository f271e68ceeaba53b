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
mod lines;
mod rights;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use self::lines::CheckedLine;
use self::rights::{ChangeAuthors, IndexChange};
use self::state::{IndexFileKind, IndexSnapshot};
use crate::CommandContext;
use crate::registry::advise;
use skillpm_core::advisory::pack;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};
use skillpm_io::git::GitCheckout;
use skillpm_io::{disk, run_parallel};
use skillpm_registry::index::write::owners::{self, OwnershipScope};
use skillpm_registry::index::write::similar;
use skillpm_registry::index::{IndexConfig, archive_path};
use skillpm_registry::sources::release_age::format_duration;

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

/// How long before an index expires a warning is reported.
const SOON: SignedDuration = SignedDuration::from_hours(72);

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

    let Some(base) = &options.base else {
        // A bare repository has no work tree; it serves its head.
        let state = match &checkout {
            Some(checkout) if checkout.is_bare() => {
                IndexSnapshot::from_commit(checkout, &checkout.resolve_commit("HEAD")?)?
            }
            _ => IndexSnapshot::from_disk(&dir)?,
        };

        return IndexChecker::new(context, &state, None)?
            .run(options.archives.unwrap_or(ArchiveScope::All));
    };

    let Some(checkout) = &checkout else {
        return Err(Error::usage(format!(
            "`--base {base}` requires a git repository, and `{}` is not in one",
            dir.display()
        ))
        .help("to check the directory as it is, run the command without `--base`"));
    };

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

    let after = IndexSnapshot::from_commit(checkout, &head)?;
    let before = IndexSnapshot::from_commit(checkout, &base_commit)?;
    let changed = before.differences(&after);

    // Anyone can write any address into a commit, so that a host's workflow passes `--by`.
    let who = match options.by.as_slice() {
        [] => ChangeAuthors::from_commits(checkout.commits_since(&base_commit, &head)?),
        by => ChangeAuthors::Given(by.to_vec()),
    };

    // Archive paths are those of the base: a change of `dl` must not move published archives out of
    // the check.
    let dl = if before.has("config.json") {
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

        let paths = self.state.paths();
        let change = self.change;
        let is_changed = |path: &str| change.is_none_or(|(_, changed)| changed.contains(path));

        let all_lines = archives == ArchiveScope::All;
        // With all archives, unchanged lines have to be read as well: they name the archives.
        let mut lines = Vec::new();
        let mut others = BTreeSet::new();

        for path in paths {
            match IndexFileKind::from_path(path) {
                IndexFileKind::Package(name) if all_lines || is_changed(path) => {
                    let bytes = self.state.read(path)?.unwrap_or_default();
                    let mut read =
                        lines::read_lines(path, &name, &bytes, &mut self.checked.findings);
                    self.mark_existing(path, &name, &mut read)?;
                    lines.extend(read);
                    self.checked.packages += 1;
                }
                IndexFileKind::Owners(scope) if is_changed(path) => {
                    self.check_owners(path, &scope)?;
                }
                IndexFileKind::Other if is_changed(path) => drop(others.insert(path.to_owned())),
                // Handled by the checks above, or unchanged.
                IndexFileKind::Config
                | IndexFileKind::Owners(_)
                | IndexFileKind::Package(_)
                | IndexFileKind::Advisory
                | IndexFileKind::Auxiliary
                | IndexFileKind::Other => {}
            }
        }

        self.checked.versions = lines.len();
        self.check_needs(&lines)?;
        self.check_names(&lines);
        self.check_claims(&lines);
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
            let key = |found: &FileFinding| {
                (
                    found.path.clone(),
                    found.diagnostic.position,
                    found.diagnostic.rule.clone(),
                )
            };
            key(a).cmp(&key(b))
        });

        self.checked.findings.dedup();
        Ok(self.checked)
    }

    fn report(&mut self, finding: FileFinding) {
        self.checked.findings.push(finding);
    }

    fn check_config(&mut self) {
        if self.config.api_version != 1 {
            let message = format!(
                "unsupported `api-version` {}: this skillpm supports 1",
                self.config.api_version
            );
            self.report(fault("config.json", "config", message));
        }
        self.check_expiry();

        let Some(dl) = self.config.dl.clone() else {
            return;
        };

        let is_url = dl.contains("://");
        // Two versions with the same archive could not both be valid.
        let has_all = !dl.contains('{')
            || dl.contains("{checksum}")
            || (dl.contains("{name}") && dl.contains("{version}"));
        if !has_all {
            let message = format!("invalid `dl` `{dl}`: two versions would have the same archive");
            let mut finding = fault("config.json", "config", message);
            finding.diagnostic.help = Some("use `{name}` and `{version}`, or `{checksum}`".into());
            self.report(finding);
        }
        // `dl` is joined to the index's URL or directory, and must stay inside of it.
        if !is_url && (dl.starts_with('/') || dl.split('/').any(|part| matches!(part, "." | "..")))
        {
            self.report(fault(
                "config.json",
                "config",
                format!("invalid `dl` `{dl}`: the path is outside of the index"),
            ));
        }
    }

    /// Checks `expires`. In a proposed change it is a warning only: its author cannot renew the
    /// index.
    fn check_expiry(&mut self) {
        let Some(until) = self.config.expires else {
            return;
        };
        let left = until.duration_since(self.now);

        let (level, message) = if left.is_negative() {
            // A base means a proposed change; only a run on the index itself fails.
            let level = if self.change.is_some() {
                DiagnosticLevel::Warning
            } else {
                DiagnosticLevel::Error
            };
            (
                level,
                format!(
                    "the index expired at {until}, {} ago: clients refuse to choose versions from it",
                    format_duration(-left)
                ),
            )
        } else if left < SOON {
            (
                DiagnosticLevel::Warning,
                format!("the index expires at {until}, in {}", format_duration(left)),
            )
        } else {
            return;
        };

        let diagnostic = Diagnostic::new("expires", level, message)
            .help("renew it with `skillpm registry renew`");
        self.report(FileFinding {
            path: "config.json".to_owned(),
            diagnostic,
        });
    }

    /// Checks that each advisory is valid, and that the packed file has exactly these.
    fn check_advisories(&mut self) -> Result<()> {
        let mut files = BTreeMap::new();
        for path in self
            .state
            .paths()
            .into_iter()
            .filter(|path| IndexFileKind::from_path(path) == IndexFileKind::Advisory)
        {
            files.insert(path.to_owned(), self.state.read(path)?.unwrap_or_default());
        }

        // `all.json` is derived from the others, and compared with what it would be.
        let all = files.remove(&pack::pack_path());
        if files.is_empty() && all.is_none() && !self.config.advisories {
            return Ok(());
        }

        let (texts, findings) = advise::check_advisories(&files);
        let is_whole = !findings.iter().any(FileFinding::is_error);
        self.checked.findings.extend(findings);
        let is_packed = all.as_deref() == pack::pack(&texts).ok().as_deref().map(str::as_bytes);
        // While an advisory is invalid, the packed file cannot be valid; one finding is enough.
        if is_whole && !(is_packed && self.config.advisories) {
            let (path, message) = if is_packed {
                (
                    "config.json".to_owned(),
                    "missing `\"advisories\":true`: clients do not fetch the advisories without it",
                )
            } else {
                (
                    pack::pack_path(),
                    "packed advisories differ from the files in the directory",
                )
            };
            let mut finding = fault(&path, "advisory", message);
            finding.diagnostic.help =
                Some("run `skillpm registry advise`, which writes both".into());
            self.report(finding);
        }

        Ok(())
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

    /// Checks that every dependency in this index matches a version; those in other registries are
    /// not checked.
    fn check_needs(&mut self, lines: &[CheckedLine]) -> Result<()> {
        let mut known: BTreeMap<PackageName, Vec<CheckedLine>> = BTreeMap::new();
        for line in lines {
            known
                .entry(line.entry.name.clone())
                .or_default()
                .push(line.clone());
        }

        for line in lines.iter().filter(|line| line.is_new) {
            // Another registry cannot be read here.
            for needed in line
                .entry
                .deps
                .iter()
                .filter(|needed| needed.registry.is_none())
            {
                // An unchanged package is read when another depends on it. Its own faults are not
                // those of the change, and not reported.
                if !known.contains_key(&needed.name) {
                    let path = skillpm_registry::index::entry_path(&needed.name);
                    let bytes = self.state.read(&path)?.unwrap_or_default();
                    known.insert(
                        needed.name.clone(),
                        lines::read_lines(&path, &needed.name, &bytes, &mut Vec::new()),
                    );
                }

                let fits = |line: &CheckedLine| {
                    needed.req.matches(&line.entry.vers) && !line.entry.is_withdrawn()
                };
                let offered = known
                    .get(&needed.name)
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                // The dependencies of a withdrawn version no longer matter.
                if !offered.iter().any(fits) && !line.entry.is_withdrawn() {
                    let message = if offered.is_empty() {
                        format!(
                            "no matching package named `{}` found in this index",
                            needed.name
                        )
                    } else {
                        format!(
                            "no version of `{}` in this index matches `{}`",
                            needed.name, needed.req
                        )
                    };
                    self.checked
                        .findings
                        .push(fault_at_line(line, "dependency", message));
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
    fn check_names(&mut self, lines: &[CheckedLine]) {
        let Some((before, _)) = self.change else {
            return;
        };

        let names = |state: &IndexSnapshot<'_>| -> BTreeSet<PackageName> {
            let part = |path: &&str| match IndexFileKind::from_path(path) {
                IndexFileKind::Package(name) => Some(name),
                _ => None,
            };
            state.paths().iter().filter_map(part).collect()
        };

        let known = names(before);
        let new: BTreeSet<&PackageName> = lines
            .iter()
            .map(|line| &line.entry.name)
            .filter(|name| !known.contains(name))
            .collect();
        // Names of one scope have the same owners, who may choose similar names.
        for name in new {
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
    }

    /// Checks that every scope is valid and has an owners file.
    fn check_claims(&mut self, lines: &[CheckedLine]) {
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

            if !self.state.has(&path) {
                self.report(fault_at_line(
                    line,
                    "owners",
                    format!("missing `{path}`: the package has no owners"),
                ));
            }
        }
    }

    /// Checks archives, several in parallel, and removes those that a line refers to from `others`.
    fn check_archives(
        &mut self,
        lines: &[CheckedLine],
        which: ArchiveScope,
        others: &mut BTreeSet<String>,
    ) -> Result<()> {
        let dl = self.config.dl.clone();

        let mut selected: Vec<(&CheckedLine, String)> = Vec::new();
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
}

/// An error for a file.
fn fault(path: &str, rule: &str, message: impl Into<String>) -> FileFinding {
    FileFinding {
        path: path.to_owned(),
        diagnostic: Diagnostic::new(rule, DiagnosticLevel::Error, message),
    }
}

/// An error for a line, counted from 1, of a file with this text.
fn fault_at(
    path: &str,
    text: &str,
    number: usize,
    rule: &str,
    message: impl Into<String>,
) -> FileFinding {
    let start: usize = text
        .split_inclusive('\n')
        .take(number.saturating_sub(1))
        .map(str::len)
        .sum();

    let length = text[start..].find('\n').unwrap_or(text.len() - start);
    let mut finding = fault(path, rule, message);
    finding.diagnostic = finding.diagnostic.at(start..start + length, text);
    finding
}

/// An error for a parsed line.
fn fault_at_line(line: &CheckedLine, rule: &str, message: impl Into<String>) -> FileFinding {
    let mut finding = fault(&line.path, rule, message);
    finding.diagnostic.position = Some((line.number, 1));
    finding
}

//! Findings that are not reported: those that `[audit]` ignores, with a reason, and those that the
//! baseline lists.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::known_issues::KnownIssues;
use super::{AuditOptions, AuditReport, SkillFindings};
use crate::CommandContext;
use crate::targets::relative_path;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::audit::{AuditIgnore, AuditTable};
use skillpm_core::report::FileFinding;
use skillpm_io::disk;
use skillpm_lint::baseline::{LintBaseline, finding_line};
use skillpm_lint::{rules, unknown_rule};
use skillpm_registry::sources::release_age::parse_cutoff;

/// The exemptions of one audit, and which of them matched a finding.
pub(super) struct AuditExemptions<'a> {
    ignores: Vec<IgnoreEntry<'a>>,
    baseline: Option<BaselineState>,
    cwd: PathBuf,
}

/// One entry of `[audit] ignore`.
struct IgnoreEntry<'a> {
    ignore: &'a AuditIgnore,
    /// The name of the rule, or the id of the advisory.
    rule: String,
    is_expired: bool,
    is_used: bool,
}

/// The baseline of this run.
struct BaselineState {
    path: PathBuf,
    /// Its directory, which paths in it are relative to.
    root: PathBuf,
    /// The findings that are listed and were not met yet.
    old: LintBaseline,
    /// The findings to write.
    new: LintBaseline,
    is_written: bool,
}

impl<'a> AuditExemptions<'a> {
    pub(super) fn new(
        context: &CommandContext<'_>,
        table: &'a AuditTable,
        baseline: Option<PathBuf>,
        known: &KnownIssues<'_>,
        options: &AuditOptions,
    ) -> Result<AuditExemptions<'a>> {
        let now = Timestamp::from_second(i64::try_from(context.now).unwrap_or(i64::MAX))
            .unwrap_or(Timestamp::MAX);
        let entry = |ignore: &'a AuditIgnore| parse_ignore(ignore, known, now);

        if options.write_baseline && baseline.is_none() {
            return Err(Error::usage(
                "`--write-baseline` requires the path of a baseline, and none is set",
            )
            .help("name a file: `skillpm audit --write-baseline --baseline audit-baseline.toml`"));
        }

        Ok(AuditExemptions {
            ignores: table.ignore.iter().map(entry).collect::<Result<_>>()?,
            baseline: baseline
                .map(|path| BaselineState::open(path, options.write_baseline))
                .transpose()?,
            cwd: context.dirs.cwd.clone(),
        })
    }

    /// Removes the exempt findings of a skill with these names, and counts them.
    pub(super) fn remove_exempt(
        &mut self,
        names: &[String],
        found: &mut SkillFindings,
        report: &mut AuditReport,
    ) {
        let SkillFindings { findings, sources } = found;
        findings.retain(|finding| {
            let source = sources.get(&finding.path).map(String::as_str);
            !self.is_exempt(names, finding, source, report)
        });
    }

    /// Whether an entry or the baseline has the finding, which is counted then.
    fn is_exempt(
        &mut self,
        names: &[String],
        finding: &FileFinding,
        source: Option<&str>,
        report: &mut AuditReport,
    ) -> bool {
        // Before the baseline, which would make an exemption with an end date permanent.
        if self.is_ignored(names, finding) {
            report.ignored += 1;
            return true;
        }

        let is_known = self
            .baseline
            .as_mut()
            .is_some_and(|baseline| baseline.contains(&self.cwd, finding, source));
        report.baselined += usize::from(is_known);
        is_known
    }

    fn is_ignored(&mut self, names: &[String], finding: &FileFinding) -> bool {
        let matches = |entry: &&mut IgnoreEntry<'_>| {
            let skill = entry.ignore.skill.as_ref();
            !entry.is_expired
                && entry.rule == finding.diagnostic.rule
                && skill.is_none_or(|skill| names.contains(skill))
        };

        // Only the first match is marked: a second entry for the same is reported as unused.
        match self.ignores.iter_mut().find(matches) {
            Some(entry) => {
                entry.is_used = true;
                true
            }
            None => false,
        }
    }

    /// Reports unused exemptions, if every skill was checked, and writes the baseline.
    pub(super) fn finish(self, is_whole: bool, report: &mut AuditReport) -> Result<()> {
        for entry in &self.ignores {
            let AuditIgnore {
                location,
                rule,
                until,
                ..
            } = entry.ignore;
            // Even if only some skills were checked: the date does not depend on them.
            if entry.is_expired {
                let until = until.as_deref().unwrap_or_default();
                let message = format!(
                    "expired exemption for `{rule}` at {location}: it was valid until {until}"
                );
                report.remarks.push((
                    message,
                    "review the finding, then extend `until` or remove the entry".to_owned(),
                ));
            } else if is_whole && !entry.is_used && !entry.ignore.is_from_user_config {
                // An exemption of the user's settings is for all projects, not only this one.
                let message =
                    format!("unused exemption for `{rule}` at {location}: it matches no finding");
                report
                    .remarks
                    .push((message, "remove the entry".to_owned()));
            }
        }

        let Some(baseline) = self.baseline else {
            return Ok(());
        };
        if baseline.is_written {
            report.written = Some((baseline.path.clone(), baseline.new.len()));
            return disk::write_atomic(&baseline.path, baseline.new.to_text().as_bytes());
        }

        // With some of the skills only, the findings of the others are not stale.
        if is_whole && !baseline.old.is_empty() {
            let message = format!(
                "stale baseline: {} of its findings no longer occur",
                baseline.old.len()
            );
            report.remarks.push((
                message,
                "`skillpm audit --write-baseline` removes them".to_owned(),
            ));
        }
        Ok(())
    }
}

/// Checks the rule and the date of an entry.
fn parse_ignore<'a>(
    ignore: &'a AuditIgnore,
    known: &KnownIssues<'_>,
    now: Timestamp,
) -> Result<IgnoreEntry<'a>> {
    // Other rules of `lint` are not part of an audit, so there is nothing to ignore.
    let rule = rules::find(&ignore.rule).filter(|rule| rule.is_audited());
    let rule = rule
        .map(|rule| rule.name.to_owned())
        .or_else(|| known.find_rule(&ignore.rule))
        .ok_or_else(|| unknown_ignore(ignore))?;

    let end = match &ignore.until {
        None => None,
        Some(text) => Some(parse_cutoff(text).ok_or_else(|| invalid_end(ignore, text))?),
    };

    Ok(IgnoreEntry {
        ignore,
        rule,
        is_expired: end.is_some_and(|end| end <= now),
        is_used: false,
    })
}

fn unknown_ignore(ignore: &AuditIgnore) -> Error {
    let error = unknown_rule(&ignore.rule).note(format!("it is set at {}", ignore.location));
    if rules::find(&ignore.rule).is_some() {
        error.note("it is not a security rule")
    } else {
        error
    }
}

fn invalid_end(ignore: &AuditIgnore, text: &str) -> Error {
    Error::usage(format!(
        "invalid date `{}` at {}",
        text.escape_debug(),
        ignore.location
    ))
    .help("write it as `until = \"2027-01-01\"`; that day is included")
}

impl BaselineState {
    fn open(path: PathBuf, is_written: bool) -> Result<BaselineState> {
        let name = path.display().to_string();
        let old =
            match disk::read_text(&path)? {
                // An invalid baseline must not prevent that a new one is written.
                Some(text) if is_written => LintBaseline::parse(&text, &name).unwrap_or_default(),
                Some(text) => LintBaseline::parse(&text, &name)?,
                None if is_written => LintBaseline::default(),
                None => {
                    return Err(Error::usage(format!("baseline `{name}` not found")).help(
                        format!("`skillpm audit --write-baseline --baseline {name}` creates it"),
                    ));
                }
            };

        let root = disk::real_path(path.parent().unwrap_or(Path::new("")));
        Ok(BaselineState {
            path,
            root,
            old,
            new: LintBaseline::default(),
            is_written,
        })
    }

    /// Whether the baseline has a finding; each of its lines matches once. A baseline that is being
    /// written gets the finding.
    fn contains(&mut self, cwd: &Path, finding: &FileFinding, source: Option<&str>) -> bool {
        let line = finding_line(source, &finding.diagnostic);
        // Relative to the baseline's directory, so that the file can be committed.
        let path = relative_path(&cwd.join(&finding.path), &self.root);

        if self.is_written {
            self.new.add(&path, &finding.diagnostic.rule, line);
        }
        // While it is written all findings are known: the new file has them.
        self.is_written || self.old.consume(&path, &finding.diagnostic.rule, line)
    }
}

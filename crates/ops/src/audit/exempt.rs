//! What is not told: because whoever uses the skills has said so, with a reason, or because it was there before.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::known::Known;
use super::{AuditOptions, Audited, Look};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::lint::baseline::{Baseline, line_of};
use crate::lint::{no_rule, rules};
use crate::manifest::audit::{AuditTable, Ignore};
use crate::ops::Context;
use crate::ops::targets::relative;
use crate::report::Finding;
use crate::sources::release_age::instant;

/// What is passed over, and what of that was needed.
pub(super) struct Exempting<'a> {
    ignores: Vec<Entry<'a>>,
    baseline: Option<Ledger>,
    here: PathBuf,
}

/// One entry of `[audit] ignore`.
struct Entry<'a> {
    written: &'a Ignore,
    /// The rule's name, or the id of an advisory.
    rule: String,
    is_over: bool,
    is_used: bool,
}

/// The baseline at work.
struct Ledger {
    path: PathBuf,
    root: PathBuf,
    old: Baseline,
    new: Baseline,
    is_written: bool,
}

impl<'a> Exempting<'a> {
    pub(super) fn new(
        context: &Context<'_>,
        table: &'a AuditTable,
        (baseline, known): (Option<PathBuf>, &Known<'_>),
        options: &AuditOptions,
    ) -> Result<Exempting<'a>> {
        let now = Timestamp::from_second(i64::try_from(context.now).unwrap_or(i64::MAX)).unwrap_or(Timestamp::MAX);
        let entry = |written: &'a Ignore| entry(written, known, now);
        if options.write_baseline && baseline.is_none() {
            return Err(Error::usage("nothing says where the baseline is to be")
                .help("name a file: `skillpm audit --write-baseline --baseline audit-baseline.toml`"));
        }
        Ok(Exempting {
            ignores: table.ignore.iter().map(entry).collect::<Result<_>>()?,
            baseline: baseline.map(|path| Ledger::open(path, options.write_baseline)).transpose()?,
            here: context.places.here.clone(),
        })
    }

    /// Takes away what is not told of a skill that goes by these names.
    pub(super) fn sift(&mut self, names: &[String], look: &mut Look, audited: &mut Audited) {
        let Look { findings, sources } = look;
        findings.retain(|finding| {
            if self.ignores(names, finding) {
                audited.ignored += 1;
                return false;
            }
            let source = sources.get(&finding.path).map(String::as_str);
            let is_known = self.baseline.as_mut().is_some_and(|ledger| ledger.take(&self.here, finding, source));
            audited.known += usize::from(is_known);
            !is_known
        });
    }

    fn ignores(&mut self, names: &[String], finding: &Finding) -> bool {
        let is_meant = |entry: &&mut Entry<'_>| {
            let skill = entry.written.skill.as_ref();
            !entry.is_over && entry.rule == finding.diagnostic.rule && skill.is_none_or(|skill| names.contains(skill))
        };
        match self.ignores.iter_mut().find(is_meant) {
            Some(entry) => {
                entry.is_used = true;
                true
            }
            None => false,
        }
    }

    /// Tells what was of no use, where all was looked at, and writes the baseline.
    pub(super) fn close(self, is_whole: bool, audited: &mut Audited) -> Result<()> {
        for entry in &self.ignores {
            let Ignore { place, rule, until, .. } = entry.written;
            if entry.is_over {
                let until = until.as_deref().unwrap_or_default();
                let what = format!("{place}: `{rule}` was ignored until {until}, which is over");
                audited.remarks.push((what, "look at it again, then move the date or drop the entry".to_owned()));
            } else if is_whole && !entry.is_used && !entry.written.is_everywhere {
                let what = format!("{place}: `{rule}` is ignored, and nothing is found by it");
                audited.remarks.push((what, "drop the entry".to_owned()));
            }
        }
        let Some(ledger) = self.baseline else { return Ok(()) };
        if ledger.is_written {
            audited.written = Some((ledger.path.clone(), ledger.new.len()));
            return disk::write_atomic(&ledger.path, ledger.new.to_text().as_bytes());
        }
        if is_whole && !ledger.old.is_empty() {
            let what = format!("the baseline is stale: {} of its findings no longer occur", ledger.old.len());
            audited.remarks.push((what, "`skillpm audit --write-baseline` drops what is gone".to_owned()));
        }
        Ok(())
    }
}

/// An entry whose rule there is, with its last day understood.
fn entry<'a>(written: &'a Ignore, known: &Known<'_>, now: Timestamp) -> Result<Entry<'a>> {
    let rule = rules::find(&written.rule).filter(|rule| rule.is_audited());
    let rule = rule.map(|rule| rule.name.to_owned()).or_else(|| known.rule(&written.rule)).ok_or_else(|| {
        let error = no_rule(&written.rule).note(format!("{} names it", written.place));
        if rules::find(&written.rule).is_some() { error.note("it is no rule about security") } else { error }
    })?;
    let end = match &written.until {
        None => None,
        Some(text) => Some(instant(text).ok_or_else(|| {
            Error::usage(format!("{}: `{}` is no date", written.place, text.escape_debug()))
                .help("write it as `until = \"2027-01-01\"`; that day is within")
        })?),
    };
    Ok(Entry { written, rule, is_over: end.is_some_and(|end| end <= now), is_used: false })
}

impl Ledger {
    fn open(path: PathBuf, is_written: bool) -> Result<Ledger> {
        let name = path.display().to_string();
        let old = match disk::read_text(&path)? {
            Some(text) if is_written => Baseline::parse(&text, &name).unwrap_or_default(),
            Some(text) => Baseline::parse(&text, &name)?,
            None if is_written => Baseline::default(),
            None => {
                return Err(Error::usage(format!("there is no baseline `{name}`"))
                    .help(format!("`skillpm audit --write-baseline --baseline {name}` makes it")));
            }
        };
        let root = disk::real_path(path.parent().unwrap_or(Path::new("")));
        Ok(Ledger { path, root, old, new: Baseline::default(), is_written })
    }

    /// Whether a finding is known from now on.
    fn take(&mut self, here: &Path, finding: &Finding, source: Option<&str>) -> bool {
        let line = line_of(source, &finding.diagnostic);
        let path = relative(&here.join(&finding.path), &self.root);
        if self.is_written {
            self.new.add(&path, &finding.diagnostic.rule, line);
        }
        self.is_written || self.old.take(&path, &finding.diagnostic.rule, line)
    }
}

//! Which findings are told: not those of a baseline, and notes only if somebody asks for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::find::{ByPath, Found, Place};
use super::homes::Homes;
use super::{Context, LintOptions, Linted, shown};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::lint::baseline::{Baseline, Stale, line_of};
use crate::ops::targets::relative;
use crate::report::{Finding, Level};

/// What the baselines did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaselineUse {
    /// How many findings are not told because they were there before.
    pub known: usize,
    /// What was there before and is no more.
    pub stale: Vec<Stale>,
    /// The files that were written.
    pub written: Vec<Written>,
}

/// A baseline that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file, as people will look for it.
    pub path: String,
    /// How many findings it holds.
    pub findings: usize,
}

/// Drops the findings that are not told, and counts them; writes the baseline if that is asked for.
pub(super) fn sift(
    context: &Context<'_>,
    options: &LintOptions,
    (found, homes): (&Found, &Homes),
    linted: &mut Linted,
) -> Result<()> {
    let before = linted.findings.len();
    linted.findings.retain(|finding| options.notes || finding.diagnostic.level > Level::Note);
    linted.hidden_notes = before - linted.findings.len();

    let here = &context.places.here;
    let flag = options.baseline.as_ref().map(|path| here.join(path));
    let file_for = |place: &Place| flag.clone().or_else(|| homes.baseline(place).map(Path::to_owned));
    let mut ledgers: BTreeMap<PathBuf, Ledger> = BTreeMap::new();
    for place in &found.places {
        if let Some(path) = file_for(place) {
            if !ledgers.contains_key(&path) {
                ledgers.insert(path.clone(), Ledger::open(&path, options, here)?);
            }
            ledgers.entry(path).and_modify(|ledger| ledger.dirs.push(place.dir.clone()));
        }
    }
    if ledgers.is_empty() {
        if options.write_baseline && !found.places.is_empty() {
            return Err(Error::usage("nothing says where the baseline is to be")
                .help("name a file: `skillpm lint --write-baseline --baseline lint-baseline.toml`")
                .help("or write `baseline = \"lint-baseline.toml\"` below `[lint]` in `skillpm.toml`"));
        }
        return Ok(());
    }
    if options.since.is_none() {
        for base in found.bases.iter().filter(|base| base.is_whole) {
            ledgers.values_mut().for_each(|ledger| ledger.dirs.push(base.dir.clone()));
        }
    }
    let by_path = ByPath::of(found);
    let mut usage = BaselineUse::default();
    let sources = &linted.sources;
    linted.findings.retain(|finding| {
        let place = by_path.place(&finding.path);
        let ledger = place.and_then(file_for).and_then(|path| ledgers.get_mut(&path));
        let (Some(place), Some(ledger)) = (place, ledger) else { return true };
        let line = line_of(sources.get(&finding.path).map(String::as_str), &finding.diagnostic);
        let is_known = ledger.take(&place.real(&finding.path), finding, line);
        usage.known += usize::from(is_known);
        !is_known
    });
    for (path, ledger) in ledgers {
        ledger.close(&path, options, here, &mut usage)?;
    }
    linted.baseline = Some(usage);
    Ok(())
}

/// One baseline at work.
struct Ledger {
    /// What was there before.
    old: Baseline,
    /// What is there now.
    new: Baseline,
    is_written: bool,
    /// The directory that its paths are relative to.
    root: PathBuf,
    /// What was looked at.
    dirs: Vec<PathBuf>,
}

impl Ledger {
    fn open(path: &Path, options: &LintOptions, here: &Path) -> Result<Ledger> {
        let name = shown(here, path);
        let old = match disk::read_text(path)? {
            // One that cannot be read is written anew all the same.
            Some(text) if options.write_baseline => Baseline::parse(&text, &name).unwrap_or_default(),
            Some(text) => Baseline::parse(&text, &name)?,
            None if options.write_baseline => Baseline::default(),
            None => {
                return Err(Error::usage(format!("there is no baseline `{name}`"))
                    .help(format!("`skillpm lint --write-baseline --baseline {name}` makes it")));
            }
        };
        let root = disk::real_path(path.parent().unwrap_or(here));
        Ok(Ledger { old, new: Baseline::default(), is_written: options.write_baseline, root, dirs: Vec::new() })
    }

    /// Whether a finding is known from now on.
    fn take(&mut self, file: &Path, finding: &Finding, line: &str) -> bool {
        let path = relative(file, &self.root);
        let was_there = self.old.take(&path, &finding.diagnostic.rule, line);
        if self.is_written {
            self.new.add(&path, &finding.diagnostic.rule, line);
        }
        was_there || self.is_written
    }

    fn close(self, path: &Path, options: &LintOptions, here: &Path, usage: &mut BaselineUse) -> Result<()> {
        let Ledger { old, mut new, root, dirs, .. } = self;
        let (stale, kept) = old.settle(|path| {
            let real = disk::normal_path(&root.join(path));
            dirs.iter().any(|dir| real.starts_with(dir))
        });
        usage.stale.extend(stale);
        if options.write_baseline {
            new.extend(kept);
            let written = Written { path: shown(here, path), findings: new.len() };
            disk::write_atomic(path, new.to_text().as_bytes())?;
            usage.written.push(written);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_file_leads_back_to_it() {
        for (root, file, way) in [
            ("/p", "/p/s/SKILL.md", "s/SKILL.md"),
            ("/p/ci/x", "/p/s/SKILL.md", "../../s/SKILL.md"),
            ("/p", "/q", "../q"),
        ] {
            assert_eq!(relative(Path::new(file), Path::new(root)), way);
            assert_eq!(disk::normal_path(&Path::new(root).join(way)), Path::new(file));
        }
    }
}

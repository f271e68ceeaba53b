//! `registry check`: what a shared index runs before it takes a change in.
//!
//! ```text
//! files ─ config.json, owners/*.toml ─ lines ─ needs ─ archives            what an index must be, at any time
//!   └ with a base: the difference to it ─ append-only ─ owners             what may become of it, and by whose hand
//! ```
//!
//! With a base, what is judged is the commit that is checked out, and of it what differs from the base. Otherwise it is
//! the directory as it lies there, all of it.

mod archives;
mod lines;
mod rights;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use self::lines::Line;
use self::rights::{Change, Who};
use self::state::{Part, State};
use crate::advisory::pack;
use crate::error::{Error, Result};
use crate::index::write::owners::{self, Realm};
use crate::index::write::similar;
use crate::index::{IndexConfig, archive_path};
use crate::io::git::Checkout;
use crate::io::{disk, parallel};
use crate::ops::Context;
use crate::ops::registry::advise;
use crate::package::PackageName;
use crate::report::{Diagnostic, Finding, Level};
use crate::sources::release_age::spelled;

/// Which archives are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archives {
    /// Every one.
    All,
    /// Those of lines that the change adds.
    Changed,
}

/// What is to be checked.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The directory of the index; here, if none is given.
    pub dir: Option<PathBuf>,
    /// The revision that the change builds on.
    pub base: Option<String>,
    /// Who makes the change, by all their identities; none for the authors of the commits.
    pub by: Vec<String>,
    /// Which archives are read; `None` for those of the change if there is a base, else all.
    pub archives: Option<Archives>,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// How many packages were looked at.
    pub packages: usize,
    /// How many lines.
    pub versions: usize,
    /// How many archives.
    pub archives: usize,
    /// How many archives were not read, since they lie elsewhere.
    pub elsewhere: usize,
    /// What was found, sorted by path.
    pub findings: Vec<Finding>,
}

/// How many archives are in memory at once.
const BATCH: usize = 32;

/// How long before the time of an index is over that is told.
const SOON: SignedDuration = SignedDuration::from_hours(72);

/// Checks an index.
///
/// # Errors
/// If there is no index, or its files or commits cannot be read; what is wrong with it is no error but a finding.
pub fn check(context: &Context<'_>, options: &CheckOptions) -> Result<Checked> {
    let dir = options.dir.as_ref().map_or(context.places.here.clone(), |dir| context.places.here.join(dir));
    let dir = disk::real_path(&dir);
    let checkout = if disk::lstat(&dir)?.is_some() { Checkout::around(&dir)? } else { None };
    let Some(base) = &options.base else {
        let state = match &checkout {
            Some(checkout) if checkout.is_bare() => State::of_commit(checkout, &checkout.commit("HEAD")?)?,
            _ => State::on_disk(&dir)?,
        };
        return Checking::new(context, &state, None)?.all(options.archives.unwrap_or(Archives::All));
    };
    let Some(checkout) = &checkout else {
        return Err(Error::usage(format!(
            "`{}` lies in no git repository, so nothing is called `{base}` there",
            dir.display()
        ))
        .help("without `--base`, the directory is checked as it is"));
    };
    let (base_commit, head) = (checkout.commit(base)?, checkout.commit("HEAD")?);
    if checkout.merge_base(&base_commit, &head)? != Some(base_commit) {
        return Err(Error::negative(format!("what is checked out does not build on `{base}`"))
            .note(format!("`{base}` is {base_commit}"))
            .help(format!("bring it in first: `git merge {base}`, or `git rebase {base}`")));
    }
    let after = State::of_commit(checkout, &head)?;
    let before = State::of_commit(checkout, &base_commit)?;
    let changed = before.differences(&after);
    let who = match options.by.as_slice() {
        [] => Who::authors(checkout.since(&base_commit, &head)?),
        by => Who::Given(by.to_vec()),
    };
    let dl = if before.has("config.json") { state::config(&before)?.dl } else { None };
    let judged = Change { before: &before, after: &after, changed: &changed, who, dl }.judge()?;
    let mut checking = Checking::new(context, &after, Some((&before, &changed)))?;
    checking.checked.findings.extend(judged);
    checking.all(options.archives.unwrap_or(Archives::Changed))
}

/// One check on its way.
struct Checking<'a> {
    state: &'a State<'a>,
    /// What was there before, and the paths that differ from it.
    change: Option<(&'a State<'a>, &'a BTreeSet<String>)>,
    config: IndexConfig,
    now: Timestamp,
    jobs: usize,
    checked: Checked,
}

impl<'a> Checking<'a> {
    fn new(
        context: &Context<'_>,
        state: &'a State<'a>,
        change: Option<(&'a State<'a>, &'a BTreeSet<String>)>,
    ) -> Result<Checking<'a>> {
        let jobs = usize::try_from(context.config.number("net.jobs")).unwrap_or(1);
        let (config, now) = (state::config(state)?, context.timestamp());
        Ok(Checking { config, now, state, change, jobs, checked: Checked::default() })
    }

    fn all(mut self, archives: Archives) -> Result<Checked> {
        self.config();
        self.advisories()?;
        self.links();
        let paths = self.state.paths();
        let change = self.change;
        let touched = |path: &str| change.is_none_or(|(_, changed)| changed.contains(path));
        let all_lines = archives == Archives::All;
        let mut lines = Vec::new();
        let mut others = BTreeSet::new();
        for path in paths {
            match Part::of(path) {
                Part::Package(name) if all_lines || touched(path) => {
                    let bytes = self.state.read(path)?.unwrap_or_default();
                    let mut read = lines::read(path, &name, &bytes, &mut self.checked.findings);
                    self.mark_old(path, &name, &mut read)?;
                    lines.extend(read);
                    self.checked.packages += 1;
                }
                Part::Owners(scope) if touched(path) => self.owners(path, &scope)?,
                Part::Other if touched(path) => drop(others.insert(path.to_owned())),
                Part::Config | Part::Owners(_) | Part::Package(_) | Part::Advisory | Part::Beside | Part::Other => {}
            }
        }
        self.checked.versions = lines.len();
        self.needs(&lines)?;
        self.names(&lines);
        self.claimed(&lines);
        self.archives(&lines, archives, &mut others)?;
        for path in others {
            self.tell(fault(&path, "stray-file", "no line asks for it, and it is no part of an index"));
        }
        self.checked.findings.sort_by(|a, b| {
            let key = |found: &Finding| (found.path.clone(), found.diagnostic.position, found.diagnostic.rule.clone());
            key(a).cmp(&key(b))
        });
        self.checked.findings.dedup();
        Ok(self.checked)
    }

    fn tell(&mut self, finding: Finding) {
        self.checked.findings.push(finding);
    }

    fn config(&mut self) {
        if self.config.api_version != 1 {
            let message = format!("`api-version` is {}; this skillpm knows 1", self.config.api_version);
            self.tell(fault("config.json", "config", message));
        }
        self.time();
        let Some(dl) = self.config.dl.clone() else { return };
        let is_url = dl.contains("://");
        let has_all =
            !dl.contains('{') || dl.contains("{checksum}") || (dl.contains("{name}") && dl.contains("{version}"));
        if !has_all {
            let message = format!("`dl` is `{dl}`, which gives two versions one archive");
            let mut finding = fault("config.json", "config", message);
            finding.diagnostic.help = Some("it should have `{name}` and `{version}`, or `{checksum}`".into());
            self.tell(finding);
        }
        if !is_url && (dl.starts_with('/') || dl.split('/').any(|part| matches!(part, "." | ".."))) {
            self.tell(fault("config.json", "config", format!("`dl` is `{dl}`, which leads out of the index")));
        }
    }

    /// Until when it is to be believed. Who proposes a change is not to blame that nobody renewed it.
    fn time(&mut self) {
        let Some(until) = self.config.expires else { return };
        let left = until.duration_since(self.now);
        let (level, message) = if left.is_negative() {
            let level = if self.change.is_some() { Level::Warning } else { Level::Error };
            (level, format!("`expires` is {until}, {} ago: nobody chooses a version from it", spelled(-left)))
        } else if left < SOON {
            (Level::Warning, format!("`expires` is {until}, in {}", spelled(left)))
        } else {
            return;
        };
        let diagnostic = Diagnostic::new("expires", level, message).help("renew it: `skillpm registry renew`");
        self.tell(Finding { path: "config.json".to_owned(), diagnostic });
    }

    /// Each advisory is one, and the file that readers ask for has just these.
    fn advisories(&mut self) -> Result<()> {
        let mut files = BTreeMap::new();
        for path in self.state.paths().into_iter().filter(|path| Part::of(path) == Part::Advisory) {
            files.insert(path.to_owned(), self.state.read(path)?.unwrap_or_default());
        }
        let all = files.remove(&pack::path());
        if files.is_empty() && all.is_none() && !self.config.advisories {
            return Ok(());
        }
        let (texts, findings) = advise::judge(&files);
        let is_whole = !findings.iter().any(Finding::denies);
        self.checked.findings.extend(findings);
        let is_packed = all.as_deref() == pack::pack(&texts).ok().as_deref().map(str::as_bytes);
        if is_whole && !(is_packed && self.config.advisories) {
            let (path, message) = if is_packed {
                ("config.json".to_owned(), "it does not say `\"advisories\":true`, so that nobody asks for them")
            } else {
                (pack::path(), "it does not have just the advisories beside it")
            };
            let mut finding = fault(&path, "advisory", message);
            finding.diagnostic.help = Some("`skillpm registry advise` writes both".into());
            self.tell(finding);
        }
        Ok(())
    }

    fn links(&mut self) {
        for path in self.state.links() {
            self.checked.findings.push(fault(path, "stray-file", "it is no regular file"));
        }
    }

    fn owners(&mut self, path: &str, scope: &str) -> Result<()> {
        let bytes = self.state.read(path)?;
        if let Err(error) = owners::keys(bytes.as_deref(), path) {
            self.tell(fault(path, "owners", error.message()));
        }
        match owners::realms(scope, [bytes.as_deref()]) {
            Err(error) => self.tell(fault(path, "owners", error.message())),
            Ok(realms) => {
                for realm in realms.iter().filter(|realm| !matches!(realm, Realm::Unscoped)) {
                    if owners::owners(bytes.as_deref(), realm)?.is_empty() {
                        self.tell(fault(path, "owners", format!("nobody may publish `{realm}`")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Every need is answered by a version that is there; what comes from another registry cannot be known.
    fn needs(&mut self, lines: &[Line]) -> Result<()> {
        let mut known: BTreeMap<PackageName, Vec<Line>> = BTreeMap::new();
        for line in lines {
            known.entry(line.entry.name.clone()).or_default().push(line.clone());
        }
        for line in lines.iter().filter(|line| line.is_new) {
            for needed in line.entry.deps.iter().filter(|needed| needed.registry.is_none()) {
                if !known.contains_key(&needed.name) {
                    let path = crate::index::entry_path(&needed.name);
                    let bytes = self.state.read(&path)?.unwrap_or_default();
                    known.insert(needed.name.clone(), lines::read(&path, &needed.name, &bytes, &mut Vec::new()));
                }
                let fits = |line: &Line| needed.req.matches(&line.entry.vers) && !line.entry.is_withdrawn();
                let offered = known.get(&needed.name).map(Vec::as_slice).unwrap_or_default();
                if !offered.iter().any(fits) && !line.entry.is_withdrawn() {
                    let message = if offered.is_empty() {
                        format!("it needs `{}`, which is not in this index", needed.name)
                    } else {
                        format!("it needs `{} {}`, which no version here is", needed.name, needed.req)
                    };
                    self.checked.findings.push(fault_at_line(line, "dependency", message));
                }
            }
        }
        Ok(())
    }

    /// Marks the lines of versions that were there before the change.
    fn mark_old(&self, path: &str, name: &PackageName, lines: &mut [Line]) -> Result<()> {
        let Some((before, changed)) = self.change else { return Ok(()) };
        let bytes = before.read(path)?.unwrap_or_default();
        let was: BTreeSet<_> =
            lines::read(path, name, &bytes, &mut Vec::new()).into_iter().map(|line| line.entry.vers).collect();
        lines.iter_mut().for_each(|line| line.is_new = changed.contains(path) && !was.contains(&line.entry.vers));
        Ok(())
    }

    /// Names that are new and could be taken for another.
    fn names(&mut self, lines: &[Line]) {
        let Some((before, _)) = self.change else { return };
        let names = |state: &State<'_>| -> BTreeSet<PackageName> {
            let part = |path: &&str| match Part::of(path) {
                Part::Package(name) => Some(name),
                _ => None,
            };
            state.paths().iter().filter_map(part).collect()
        };
        let known = names(before);
        let new: BTreeSet<&PackageName> =
            lines.iter().map(|line| &line.entry.name).filter(|name| !known.contains(name)).collect();
        for name in new {
            let same_scope = |other: &&PackageName| name.scope().is_none() || name.scope() != other.scope();
            for (other, reason) in similar::similar(name, known.iter().filter(same_scope)) {
                let message = format!("`{name}` could be taken for `{other}`: {reason}");
                let diagnostic = Diagnostic::new("name-similar", Level::Warning, message);
                self.checked.findings.push(Finding { path: crate::index::entry_path(name), diagnostic });
            }
        }
    }

    /// Every scope has somebody who may publish.
    fn claimed(&mut self, lines: &[Line]) {
        let mut seen = BTreeSet::new();
        for line in lines {
            let path = crate::index::owners_path(&line.entry.name);
            if !seen.insert(path.clone()) {
                continue;
            }
            if let Some(scope) = line.entry.name.scope().filter(|scope| crate::index::is_taken(scope)) {
                let message = format!("`{scope}` cannot be a scope: an index has other files in a folder of that name");
                self.tell(fault_at_line(line, "index-path", message));
            }
            if !self.state.has(&path) {
                self.tell(fault_at_line(line, "owners", format!("`{path}` is missing, so that nobody may publish it")));
            }
        }
    }

    /// Reads archives, several at once, and takes those that a line asks for from `others`.
    fn archives(&mut self, lines: &[Line], which: Archives, others: &mut BTreeSet<String>) -> Result<()> {
        let dl = self.config.dl.clone();
        let mut wanted: Vec<(&Line, String)> = Vec::new();
        for line in lines.iter().filter(|line| line.entry.archive.is_some()) {
            let Some(dl) = &dl else {
                self.tell(fault_at_line(
                    line,
                    "archive",
                    "it names an archive, and `config.json` no `dl` to have it from",
                ));
                continue;
            };
            let path = archive_path(dl, &line.entry);
            others.remove(&path);
            if which == Archives::Changed && !line.is_new {
                continue;
            }
            if path.contains("://") {
                self.checked.elsewhere += 1;
            } else {
                wanted.push((line, path));
            }
        }
        for batch in wanted.chunks(BATCH) {
            let mut read = Vec::new();
            for (line, path) in batch {
                match self.state.read(path)? {
                    Some(bytes) => read.push((*line, path, bytes)),
                    None => self.checked.findings.push(fault_at_line(line, "archive", format!("`{path}` is missing"))),
                }
            }
            self.checked.archives += read.len();
            let judged = parallel(self.jobs, &read, |(line, path, bytes)| archives::judge(line, path, bytes));
            self.checked.findings.extend(judged.into_iter().flatten());
        }
        Ok(())
    }
}

/// A finding about a file.
fn fault(path: &str, rule: &str, message: impl Into<String>) -> Finding {
    Finding { path: path.to_owned(), diagnostic: Diagnostic::new(rule, Level::Error, message) }
}

/// A finding about a line, counted from 1, of a file with this text.
fn fault_at(path: &str, text: &str, number: usize, rule: &str, message: impl Into<String>) -> Finding {
    let start: usize = text.split_inclusive('\n').take(number.saturating_sub(1)).map(str::len).sum();
    let length = text[start..].find('\n').unwrap_or(text.len() - start);
    let mut finding = fault(path, rule, message);
    finding.diagnostic = finding.diagnostic.at(start..start + length, text);
    finding
}

/// A finding about a line that was read.
fn fault_at_line(line: &Line, rule: &str, message: impl Into<String>) -> Finding {
    let mut finding = fault(&line.path, rule, message);
    finding.diagnostic.position = Some((line.number, 1));
    finding
}

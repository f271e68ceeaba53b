//! Whether a change of an index is one that may be made, and by whom it is made.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{Part, State};
use super::{fault, fault_at};
use crate::error::Result;
use crate::index::history::{HistoryFault, LineChange, changes};
use crate::index::write::owners::{self, Realm, Right};
use crate::index::{archive_path, owners_path};
use crate::io::git::Authored;
use crate::package::PackageName;
use crate::report::Finding;

/// Who made a change.
pub(super) enum Who {
    /// One person, by any of these identities.
    Given(Vec<String>),
    /// The authors of the commits, by the paths they changed.
    Authors(BTreeMap<String, BTreeSet<String>>),
}

impl Who {
    pub(super) fn authors(commits: Vec<Authored>) -> Who {
        let mut by_path: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for commit in commits {
            for path in commit.paths {
                by_path.entry(path).or_default().insert(commit.email.clone());
            }
        }
        Who::Authors(by_path)
    }

    /// The identities of each person who changed a path.
    fn of(&self, path: &str) -> Vec<Vec<String>> {
        match self {
            Who::Given(identities) => vec![identities.clone()],
            Who::Authors(by_path) => by_path.get(path).into_iter().flatten().map(|email| vec![email.clone()]).collect(),
        }
    }
}

/// What an index was and what it is to be.
pub(super) struct Change<'a> {
    pub before: &'a State<'a>,
    pub after: &'a State<'a>,
    pub changed: &'a BTreeSet<String>,
    pub who: Who,
    /// Where archives are, as it was before.
    pub dl: Option<String>,
}

impl Change<'_> {
    /// What of the change may not be.
    pub(super) fn judge(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let archives = self.archives_before()?;
        for path in self.changed {
            match Part::of(path) {
                Part::Package(name) => self.package(path, &name, &mut findings)?,
                Part::Owners(scope) => self.owners(path, &scope, &mut findings)?,
                Part::Config | Part::Beside | Part::Advisory => self.keepers_only(path, &mut findings)?,
                Part::Other if archives.contains(path) => {
                    let what = if self.after.has(path) { "changed" } else { "removed" };
                    let message = format!("a published archive is {what}; what was published stays as it is");
                    findings.push(fault(path, "append-only", message));
                }
                Part::Other => {}
            }
        }
        Ok(findings)
    }

    /// The archives that lines of changed packages ask for before the change, and all of those that are changed.
    fn archives_before(&self) -> Result<BTreeSet<String>> {
        let Some(dl) = self.dl.as_deref().filter(|dl| !dl.contains("://")) else { return Ok(BTreeSet::new()) };
        let others: BTreeSet<&String> =
            self.changed.iter().filter(|path| Part::of(path) == Part::Other && self.before.has(path)).collect();
        if others.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut archives = BTreeSet::new();
        for path in self.before.paths() {
            let Part::Package(name) = Part::of(path) else { continue };
            let bytes = self.before.read(path)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let entries = text.lines().filter_map(|line| crate::index::Entry::parse(line, &name).ok());
            archives.extend(entries.map(|entry| archive_path(dl, &entry)).filter(|path| others.contains(path)));
        }
        Ok(archives)
    }

    fn package(&self, path: &str, name: &PackageName, findings: &mut Vec<Finding>) -> Result<()> {
        let before = self.before.read(path)?.unwrap_or_default();
        let after = self.after.read(path)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&after);
        let done = match changes(&before, &after, name) {
            Ok(done) => done,
            Err(faults) => {
                for broken in faults {
                    let rule =
                        if matches!(broken, HistoryFault::Unreadable { .. }) { "index-line" } else { "append-only" };
                    let line = line_of(&broken, &text);
                    findings.push(fault_at(path, &text, line, rule, broken.to_string()));
                }
                return Ok(());
            }
        };
        let publishes = done.iter().any(|change| matches!(change, LineChange::Published(_)));
        for person in self.persons(path, findings) {
            if let Err(message) = self.may_change(name, &person, publishes)? {
                findings.push(fault(path, "owners", message));
            }
        }
        Ok(())
    }

    /// Everybody who changed a path; nobody is a finding.
    fn persons(&self, path: &str, findings: &mut Vec<Finding>) -> Vec<Vec<String>> {
        let persons = self.who.of(path);
        if persons.is_empty() {
            let mut unknown = fault(path, "owners", "no commit says who changed it".to_owned());
            unknown.diagnostic.help = Some("say so: `skillpm registry check --by IDENTITY`".into());
            findings.push(unknown);
        }
        persons
    }

    /// Whether a person may publish a package, or yank versions of it. The keepers of the index may yank everything.
    fn may_change(&self, name: &PackageName, person: &[String], publishes: bool) -> Result<Result<(), String>> {
        let file = owners_path(name);
        let (before, after) = (self.before.read(&file)?, self.after.read(&file)?);
        if !publishes && self.is_keeper(person)? {
            return Ok(Ok(()));
        }
        let mut refusal = "nobody is named who changed it".to_owned();
        for identity in person {
            match owners::may_publish(before.as_deref(), name, identity) {
                Ok(Right::Owner) => return Ok(Ok(())),
                Ok(Right::Claim(_)) => {
                    let claimed = owners::is_owner(after.as_deref(), name, identity).unwrap_or(false);
                    if claimed {
                        return Ok(Ok(()));
                    }
                    refusal = format!("`{}` is nobody's yet, and `{file}` does not name `{identity}`", Realm::of(name));
                }
                Err(error) => error.message().clone_into(&mut refusal),
            }
        }
        Ok(Err(refusal))
    }

    /// Those who are named in `owners/_.toml` keep the index as a whole; where nobody is, everybody does.
    fn is_keeper(&self, person: &[String]) -> Result<bool> {
        let file = self.before.read("owners/_.toml")?;
        let keepers = owners::owners(file.as_deref(), &Realm::Unscoped)?;
        Ok(keepers.is_empty() || person.iter().any(|identity| keepers.contains(identity)))
    }

    fn keepers_only(&self, path: &str, findings: &mut Vec<Finding>) -> Result<()> {
        for person in self.persons(path, findings) {
            if !self.is_keeper(&person)? {
                let message =
                    format!("only those in `owners/_.toml` may change it, and `{}` is not", person.join("`, `"));
                findings.push(fault(path, "owners", message));
            }
        }
        Ok(())
    }

    fn owners(&self, path: &str, scope: &str, findings: &mut Vec<Finding>) -> Result<()> {
        let (before, after) = (self.before.read(path)?, self.after.read(path)?);
        let Ok(realms) = owners::realms(scope, [before.as_deref(), after.as_deref()]) else {
            // What is wrong with it now is told elsewhere; what was wrong with it before is for the keepers to mend.
            return self.keepers_only(path, findings);
        };
        let persons = self.persons(path, findings);
        let keys = |file: &Option<Vec<u8>>| owners::keys(file.as_deref(), path).ok();
        let has_same_keys = keys(&before) == keys(&after);
        for realm in realms {
            let was = owners::own(before.as_deref(), &realm)?;
            let is = owners::own(after.as_deref(), &realm)?;
            // Whose commits are believed is theirs to say who own all of it.
            if was == is && (has_same_keys || matches!(realm, Realm::Name(_))) {
                continue;
            }
            let entitled = owners::owners(before.as_deref(), &realm)?;
            if !entitled.is_empty() && owners::owners(after.as_deref(), &realm)?.is_empty() {
                let message = format!("`{realm}` would be nobody's, and whoever comes next could take it");
                findings.push(fault(path, "owners", message));
            }
            for person in &persons {
                let has = |list: &[String]| person.iter().any(|identity| list.contains(identity));
                let may =
                    if entitled.is_empty() { has(&is) } else { has(&entitled) || self.is_keeper_named(person)? };
                if !may {
                    let who = person.join("`, `");
                    let message = if entitled.is_empty() {
                        format!("`{realm}` can be claimed by adding oneself only, and `{who}` is not in it")
                    } else {
                        format!("`{realm}` belongs to others, not to `{who}`")
                    };
                    findings.push(fault(path, "owners", message));
                }
            }
        }
        Ok(())
    }

    fn is_keeper_named(&self, person: &[String]) -> Result<bool> {
        let file = self.before.read("owners/_.toml")?;
        let keepers = owners::owners(file.as_deref(), &Realm::Unscoped)?;
        Ok(person.iter().any(|identity| keepers.contains(identity)))
    }
}

/// The line that a fault is told at: the one it names, else the one of its version, else the first.
fn line_of(broken: &HistoryFault, text: &str) -> usize {
    match broken {
        HistoryFault::Moved { line, .. } | HistoryFault::Twice { line, .. } | HistoryFault::Unreadable { line, .. } => {
            *line
        }
        HistoryFault::Gone { vers } | HistoryFault::Rewritten { vers, .. } => {
            let told = format!("\"vers\":\"{vers}\"");
            text.lines().position(|line| line.contains(&told)).map_or(1, |at| at + 1)
        }
    }
}

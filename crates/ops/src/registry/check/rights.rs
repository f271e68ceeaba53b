//! Checks whether a change of an index is allowed, and whether its authors may make it.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{IndexFileKind, IndexSnapshot};
use super::{LineTable, fault, fault_at};
use skillpm_core::error::Result;
use skillpm_core::package::PackageName;
use skillpm_core::report::FileFinding;
use skillpm_io::git::AuthoredCommit;
use skillpm_registry::index::history::{HistoryFault, LineChange, check_changes};
use skillpm_registry::index::write::owners::{self, OwnershipScope, PublishRight};
use skillpm_registry::index::{archive_path, owners_path};

/// Who made a change.
pub(super) enum ChangeAuthors {
    /// One person with these identities.
    Given(Vec<String>),
    /// The authors of the commits, by the paths they changed.
    Authors(BTreeMap<String, BTreeSet<String>>),
}

impl ChangeAuthors {
    pub(super) fn from_commits(commits: Vec<AuthoredCommit>) -> ChangeAuthors {
        let mut by_path: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for commit in commits {
            for path in commit.paths {
                by_path
                    .entry(path)
                    .or_default()
                    .insert(commit.email.clone());
            }
        }

        ChangeAuthors::Authors(by_path)
    }

    /// The identities of each person who changed a path.
    fn identities_for(&self, path: &str) -> Vec<Vec<String>> {
        match self {
            ChangeAuthors::Given(identities) => vec![identities.clone()],
            ChangeAuthors::Authors(by_path) => by_path
                .get(path)
                .into_iter()
                .flatten()
                .map(|email| vec![email.clone()])
                .collect(),
        }
    }
}

/// An index before and after a change.
pub(super) struct IndexChange<'a> {
    pub before: &'a IndexSnapshot<'a>,
    pub after: &'a IndexSnapshot<'a>,
    pub changed: &'a BTreeSet<String>,
    pub who: ChangeAuthors,
    /// The template of archive paths, from before the change.
    pub dl: Option<String>,
}

/// A file of owners before and after a change.
struct OwnersFileChange<'a> {
    path: &'a str,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    /// Whether the trusted signing keys are the same.
    has_same_keys: bool,
}

impl IndexChange<'_> {
    /// The findings about the change.
    pub(super) fn check(&self) -> Result<Vec<FileFinding>> {
        let mut findings = Vec::new();

        let archives = self.archives_before()?;
        for path in self.changed {
            // The kind of a file decides which rules apply to its change.
            match IndexFileKind::from_path(path) {
                IndexFileKind::Package(name) => self.check_package(path, &name, &mut findings)?,
                IndexFileKind::Owners(scope) => self.check_owners(path, &scope, &mut findings)?,
                IndexFileKind::Config | IndexFileKind::Auxiliary | IndexFileKind::Advisory => {
                    self.check_maintainers_only(path, &mut findings)?;
                }
                // An archive that no line referred to before the change is not published yet.
                IndexFileKind::Other if archives.contains(path) => {
                    let what = if self.after.has(path)? {
                        "changed"
                    } else {
                        "removed"
                    };
                    let message =
                        format!("a published archive was {what}: published versions never change");
                    findings.push(fault(path, "append-only", message));
                }
                IndexFileKind::Other => {}
            }
        }

        Ok(findings)
    }

    /// The changed files that lines refer to as archives before the change.
    fn archives_before(&self) -> Result<BTreeSet<String>> {
        let Some(dl) = self.dl.as_deref().filter(|dl| !dl.contains("://")) else {
            return Ok(BTreeSet::new());
        };

        // Reading all lines is expensive, and only needed if a file that may be an archive changed.
        let mut others: BTreeSet<&String> = BTreeSet::new();
        for path in self.changed {
            if IndexFileKind::from_path(path) == IndexFileKind::Other && self.before.has(path)? {
                others.insert(path);
            }
        }

        if others.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut archives = BTreeSet::new();

        for path in self.before.paths()? {
            let IndexFileKind::Package(name) = IndexFileKind::from_path(path) else {
                continue;
            };
            let bytes = self.before.read(path)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let entries = text
                .lines()
                .filter_map(|line| skillpm_registry::index::IndexEntry::parse(line, &name).ok());
            archives.extend(
                entries
                    .map(|entry| archive_path(dl, &entry))
                    .filter(|path| others.contains(path)),
            );
        }

        Ok(archives)
    }

    fn check_package(
        &self,
        path: &str,
        name: &PackageName,
        findings: &mut Vec<FileFinding>,
    ) -> Result<()> {
        let before = self.before.read(path)?.unwrap_or_default();
        let after = self.after.read(path)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&after);

        // A published version never changes; only yanking and revoking may change its line.
        let done = match check_changes(&before, &after, name) {
            Ok(done) => done,
            Err(faults) => {
                let (table, versions) = (LineTable::new(&text), lines_by_version(&text));
                for broken in faults {
                    let line = line_of(&broken, &versions);
                    // In the words of the check of the line itself, which then reports the same.
                    let (rule, message) = match broken {
                        HistoryFault::Unreadable { reason, .. } => ("index-line", reason),
                        broken => ("append-only", broken.to_string()),
                    };
                    findings.push(fault_at(path, &table, line, rule, message));
                }
                return Ok(());
            }
        };

        // Every author of a change of the file must be entitled, not only the last one.
        let publishes = done
            .iter()
            .any(|change| matches!(change, LineChange::Published(_)));
        for person in self.authors_of(path, findings) {
            if let Err(message) = self.may_change(name, &person, publishes)? {
                findings.push(fault(path, "owners", message));
            }
        }
        Ok(())
    }

    /// All authors of changes of a path; it is a finding if there is none.
    fn authors_of(&self, path: &str, findings: &mut Vec<FileFinding>) -> Vec<Vec<String>> {
        let persons = self.who.identities_for(path);
        if persons.is_empty() {
            let mut unknown = fault(path, "owners", "unknown author of the change".to_owned());
            unknown.diagnostic.help =
                Some("pass the author: `skillpm registry check --by IDENTITY`".into());
            findings.push(unknown);
        }
        persons
    }

    /// Whether a person may publish a package, or yank its versions. Maintainers of the index may
    /// yank everything.
    fn may_change(
        &self,
        name: &PackageName,
        person: &[String],
        publishes: bool,
    ) -> Result<Result<(), String>> {
        let file = owners_path(name);

        let (before, after) = (self.before.read(&file)?, self.after.read(&file)?);
        // Rights are those before the change: adding oneself as an owner gives no rights for the
        // rest of the same change.
        if !publishes && self.is_maintainer(person)? {
            return Ok(Ok(()));
        }

        let mut refusal = "unknown author of the change".to_owned();
        for identity in person {
            match owners::may_publish(before.as_deref(), name, identity) {
                Ok(PublishRight::Owner) => return Ok(Ok(())),
                // The first change that publishes a name without owners makes its author an owner.
                Ok(PublishRight::Claim(_)) => {
                    let claimed =
                        owners::is_owner(after.as_deref(), name, identity).unwrap_or(false);
                    if claimed {
                        return Ok(Ok(()));
                    }
                    refusal = format!(
                        "`{}` has no owners, and `{file}` does not list `{identity}`",
                        OwnershipScope::for_package(name)
                    );
                }
                Err(error) => error.message().clone_into(&mut refusal),
            }
        }
        Ok(Err(refusal))
    }

    /// Whether a person is a maintainer of the index, listed in `owners/_.toml`; everyone is if
    /// that list is empty.
    fn is_maintainer(&self, person: &[String]) -> Result<bool> {
        let file = self.before.read("owners/_.toml")?;

        let maintainers = owners::read_owners(file.as_deref(), &OwnershipScope::Unscoped)?;
        Ok(maintainers.is_empty() || person.iter().any(|identity| maintainers.contains(identity)))
    }

    fn check_maintainers_only(&self, path: &str, findings: &mut Vec<FileFinding>) -> Result<()> {
        for person in self.authors_of(path, findings) {
            if !self.is_maintainer(&person)? {
                let message = format!(
                    "only owners in `owners/_.toml` may change it, and `{}` is not one of them",
                    person.join("`, `")
                );
                findings.push(fault(path, "owners", message));
            }
        }
        Ok(())
    }

    fn check_owners(&self, path: &str, scope: &str, findings: &mut Vec<FileFinding>) -> Result<()> {
        let (before, after) = (self.before.read(path)?, self.after.read(path)?);

        let Ok(realms) = owners::read_scopes(scope, [before.as_deref(), after.as_deref()]) else {
            // A file that is invalid now is reported elsewhere; one that was invalid before is for
            // the maintainers to fix.
            return self.check_maintainers_only(path, findings);
        };
        let persons = self.authors_of(path, findings);

        let keys = |file: &Option<Vec<u8>>| owners::read_keys(file.as_deref(), path).ok();
        let file = OwnersFileChange {
            has_same_keys: keys(&before) == keys(&after),
            path,
            before,
            after,
        };
        for realm in realms {
            self.check_realm(&file, &realm, &persons, findings)?;
        }
        Ok(())
    }

    /// Checks the owners of one name or scope in a changed file.
    fn check_realm(
        &self,
        file: &OwnersFileChange<'_>,
        realm: &OwnershipScope,
        persons: &[Vec<String>],
        findings: &mut Vec<FileFinding>,
    ) -> Result<()> {
        let (before, after) = (file.before.as_deref(), file.after.as_deref());
        let was = owners::read_direct_owners(before, realm)?;
        let is = owners::read_direct_owners(after, realm)?;

        // Only owners of the whole scope may change which signing keys are trusted.
        if was == is && (file.has_same_keys || matches!(realm, OwnershipScope::Name(_))) {
            return Ok(());
        }

        let entitled = owners::read_owners(before, realm)?;
        // An empty list would make the name free for anyone.
        if !entitled.is_empty() && owners::read_owners(after, realm)?.is_empty() {
            let message = format!("`{realm}` would have no owners, so that anyone could claim it");
            findings.push(fault(file.path, "owners", message));
        }

        for person in persons {
            let has = |list: &[String]| person.iter().any(|identity| list.contains(identity));
            // A claim must include its author; which other owners it has is up to them.
            let may = if entitled.is_empty() {
                has(&is)
            } else {
                has(&entitled) || self.is_listed_maintainer(person)?
            };
            if !may {
                let message = refuse_owner_change(realm, person, entitled.is_empty());
                findings.push(fault(file.path, "owners", message));
            }
        }
        Ok(())
    }

    fn is_listed_maintainer(&self, person: &[String]) -> Result<bool> {
        let file = self.before.read("owners/_.toml")?;
        let maintainers = owners::read_owners(file.as_deref(), &OwnershipScope::Unscoped)?;
        Ok(person.iter().any(|identity| maintainers.contains(identity)))
    }
}

/// Why a person may not change the owners; `is_claim` is whether there were none before.
fn refuse_owner_change(realm: &OwnershipScope, person: &[String], is_claim: bool) -> String {
    let who = person.join("`, `");
    if is_claim {
        format!("`{realm}` can only be claimed by adding oneself, and `{who}` is not in it")
    } else {
        format!("`{who}` is not an owner of `{realm}`")
    }
}

/// The line to report a fault at: the one it has, else the one of its version, else the first.
fn line_of(broken: &HistoryFault, versions: &BTreeMap<&str, usize>) -> usize {
    match broken {
        HistoryFault::Moved { line, .. }
        | HistoryFault::Duplicate { line, .. }
        | HistoryFault::Unreadable { line, .. } => *line,
        HistoryFault::Removed { vers } | HistoryFault::Rewritten { vers, .. } => versions
            .get(vers.to_string().as_str())
            .copied()
            .unwrap_or(1),
    }
}

/// The first line of each version, counted from 1.
fn lines_by_version(text: &str) -> BTreeMap<&str, usize> {
    let mut versions = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        // Lines are canonical JSON, so that the version has one spelling.
        let version = line
            .split_once("\"vers\":\"")
            .and_then(|(_, rest)| rest.split_once('"'));
        if let Some((version, _)) = version {
            versions.entry(version).or_insert(number);
        }
    }
    versions
}

//! Who vouches for packages: the signed tag or commit of a repository, the signed line of an index.

use super::{Sources, git, registry};
use crate::error::Result;
use crate::lockfile::Locked;
use crate::package::SourceId;
use crate::provenance::{Doubt, Key, Vouched};

/// A package, and the keys that may vouch for it.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The package as it is locked, or to be locked.
    pub package: &'a Locked,
    /// The keys; where there are none, those that its registry lists.
    pub keys: Vec<Key>,
}

impl Sources<'_> {
    /// Who vouches for packages; what is said of one is of just what its lockfile entry names.
    pub fn vouched(&self, questions: &[Question<'_>]) -> Vec<Result<Vouched>> {
        self.by_place(
            questions,
            |question| &question.package.source,
            |source, group| match source {
                replaced if self.vendored(replaced).is_some() => {
                    group.iter().map(|asked| Ok(as_locked(asked))).collect()
                }
                SourceId::Git { url, .. } => self.in_repository(url, group, |opened| git::vouched(opened, group)),
                SourceId::Registry(index) => registry::vouched(self, index, group),
                SourceId::Path(_) => none(group, "a directory is not signed"),
                SourceId::Archive(_) => none(group, "an archive carries no signature"),
                SourceId::WellKnown(_) => none(group, "a web site's list of skills carries no signature"),
            },
        )
    }
}

impl Sources<'_> {
    /// Whether the commits of packages from git are in the history of a branch or tag of their repository; `None` where that
    /// cannot be told. Packages from elsewhere, and those that are vendored, have no commit to ask about.
    pub fn reachable(&self, packages: &[&Locked]) -> Vec<Result<Option<bool>>> {
        self.by_place(
            packages,
            |package| &package.source,
            |source, group| match source {
                SourceId::Git { url, .. } if self.vendored(source).is_none() => {
                    self.in_repository(url, group, |opened| git::reachable(opened, group))
                }
                _ => group.iter().map(|_| Ok(Some(true))).collect(),
            },
        )
    }
}

fn none(group: &[&Question<'_>], why: &str) -> Vec<Result<Vouched>> {
    group.iter().map(|_| Ok(Vouched::not(Doubt::NoSource(why.to_owned())))).collect()
}

/// What was vouched for when it was locked, of a source whose place a directory of the project takes.
fn as_locked(asked: &Question<'_>) -> Vouched {
    let listed = |key: &_| asked.keys.is_empty() || asked.keys.iter().any(|listed: &Key| listed.is(key));
    let locked = asked.package.signed_by.filter(|key| listed(key));
    let doubt = || Doubt::NoSource("it is vendored, and no key vouched for it when it was locked".into());
    Vouched { verdict: locked.ok_or_else(doubt), is_expected: !asked.keys.is_empty() }
}

//! What is heeded before anything is written: what registries revoked is refused, and what advisories are about is told.

use std::collections::{BTreeMap, BTreeSet};

use super::{Job, written};
use crate::error::Result;
use crate::index::write::similar::similar;
use crate::install::plan::Plan;
use crate::lockfile::{Locked, Lockfile};
use crate::ops::advisories::{Ask, Reading};
use crate::ops::audit;
use crate::ops::{Context, withdrawn};
use crate::package::{IndexKind, IndexUrl, PackageName, SourceId};
use crate::report::Event;
use crate::sources::Sources;
use crate::workspace::Workspace;

/// Fewest characters of a name that one letter does not make another word.
const LONG: usize = 7;

/// Those of the known names that a name could be taken for. Short ones differ in a letter or an ending all the time.
fn near<'n>(name: &PackageName, known: &'n BTreeSet<PackageName>) -> Vec<(&'n PackageName, &'static str)> {
    let is_long = |name: &PackageName| name.scope().unwrap_or(name.skill()).as_str().len() >= LONG;
    if !is_long(name) {
        return Vec::new();
    }
    let mut near = similar(name, known);
    near.retain(|(other, _)| is_long(other));
    near
}

/// Warns of what is locked, and was revoked since, as far as the copies here know: for where there is nothing to do, so that
/// nothing is opened but the files that have it.
///
/// # Errors
/// If the lockfile or a setting cannot be.
pub(super) fn tell_what_was_revoked(context: &Context<'_>, workspace: &Workspace) -> Result<()> {
    if !workspace.lock_text.as_ref().is_some_and(|text| text.contains("\"registry+")) {
        return Ok(());
    }
    let lockfile = workspace.lockfile()?.unwrap_or_default();
    for (locked, reason) in withdrawn::revoked_at_hand(context, lockfile.packages().iter())? {
        context.reporter.report(withdrawn::warning(locked, &reason));
    }
    Ok(())
}

impl Job<'_> {
    /// Refuses what was revoked and is to be written or newly locked, and warns of what was and stays, as far as this run
    /// or an earlier one has heard of it. Warns of advisories about what is written or newly locked.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if something was revoked.
    pub(super) fn heed(&self, sources: &Sources<'_>, lockfile: &Lockfile, plan: &Plan) -> Result<()> {
        let written = written(plan);
        let was_locked = |locked: &Locked| {
            let mut old = self.old.packages().iter();
            old.any(|old| old.name == locked.name && old.source == locked.source && old.checksum == locked.checksum)
        };
        let is_new = |locked: &Locked| written.contains(locked.install_name()) || !was_locked(locked);
        let root = &self.workspace.root;
        let lines = withdrawn::lines(self.context, root, Some(sources), lockfile.packages().iter())?;
        let revoked = lines.iter().filter_map(|(locked, line)| Some((*locked, line.revoked.as_deref()?)));
        let (new, standing): (Vec<_>, Vec<_>) = revoked.partition(|(locked, _)| is_new(locked));
        if !withdrawn::is_allowed(self.context)?
            && let Some(refusal) = withdrawn::refusal(&new)
        {
            return Err(refusal);
        }
        let warned = standing.iter().chain(&new);
        warned.for_each(|(locked, reason)| self.reporter().report(withdrawn::warning(locked, reason)));
        self.tell_near_names(sources, lockfile);
        let fresh: Vec<Locked> = lockfile.packages().iter().filter(|locked| is_new(locked)).cloned().collect();
        self.warn_of_advisories(sources, &fresh)
    }

    /// Says which newly locked names could be taken for one that is known here: locked from another source, or of the
    /// registry inside this program or the package's own, where that can be listed without asking anybody.
    fn tell_near_names(&self, sources: &Sources<'_>, lockfile: &Lockfile) {
        let is_new = |locked: &&Locked| {
            !self.is_member(locked) && !self.old.packages().iter().any(|old| old.name == locked.name)
        };
        let new: Vec<&Locked> = lockfile.packages().iter().filter(is_new).collect();
        if new.is_empty() {
            return;
        }
        let listed = |url: &str| sources.index(url).map(|index| index.names()).unwrap_or_default();
        let bundled = listed(SourceId::EMBEDDED_INDEX);
        let is_listed = |url: &str| {
            let kind = url.parse().map(|url: IndexUrl| url.kind());
            matches!(kind, Ok(IndexKind::Embedded | IndexKind::Directory))
        };
        let mut listings: BTreeMap<&str, Vec<PackageName>> = BTreeMap::new();
        for locked in new {
            let others = self.old.packages().iter().filter(|old| old.source.key() != locked.source.key());
            let mut known: BTreeSet<PackageName> = others.map(|old| old.name.clone()).chain(bundled.clone()).collect();
            if let SourceId::Registry(url) = &locked.source
                && is_listed(url)
            {
                known.extend(listings.entry(url).or_insert_with(|| listed(url)).iter().cloned());
            }
            if known.contains(&locked.name) {
                known.retain(|name| self.old.packages().iter().any(|old| old.name == *name));
            }
            for (other, reason) in near(&locked.name, &known) {
                self.reporter().report(Event::Warning {
                    message: format!("`{}` could be taken for `{other}`: {reason}", locked.name),
                    help: Some(format!("if you meant the other: `skillpm remove {}`", locked.install_name())),
                });
            }
        }
    }

    fn warn_of_advisories(&self, sources: &Sources<'_>, packages: &[Locked]) -> Result<()> {
        if packages.is_empty() {
            return Ok(());
        }
        let table = audit::settings(self.context, Some(&self.next))?;
        let reading = Reading { context: self.context, sources, root: &self.workspace.root, ask: Ask::Not };
        let databases = reading.databases(&table, packages)?;
        for locked in packages {
            let is_ignored = |rule: &str| table.ignore.iter().any(|one| one.rule == rule);
            let notices = databases.about(locked).into_iter();
            for notice in notices.filter(|notice| !is_ignored(notice.advisory.id.as_str())) {
                self.reporter().report(notice.warning(locked));
            }
        }
        Ok(())
    }
}

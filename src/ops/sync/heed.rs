//! What is heeded before anything is written: what registries revoked is refused, and what advisories are about is told.

use std::collections::BTreeSet;

use super::Job;
use crate::error::Result;
use crate::install::plan::Plan;
use crate::lockfile::{Locked, Lockfile};
use crate::ops::advisories::{Ask, Reading};
use crate::ops::audit;
use crate::ops::withdrawn;
use crate::package::SkillName;
use crate::sources::Sources;

impl Job<'_> {
    /// Refuses what was revoked and is to be written or newly locked, and warns of what was and stays, as far as this run
    /// or an earlier one has heard of it. Warns of advisories about what is written or newly locked.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if something was revoked.
    pub(super) fn heed(&self, sources: &Sources<'_>, lockfile: &Lockfile, plan: &Plan) -> Result<()> {
        let written: BTreeSet<&SkillName> =
            plan.iter().filter(|(_, action)| action.writes()).map(|(place, _)| &place.name).collect();
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
        let fresh: Vec<Locked> = lockfile.packages().iter().filter(|locked| is_new(locked)).cloned().collect();
        self.warn_of_advisories(sources, &fresh)
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

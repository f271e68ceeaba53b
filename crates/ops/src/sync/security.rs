//! Security checks before anything is written: refuses revoked packages, and warns of advisories
//! and similar names.

use std::collections::{BTreeMap, BTreeSet};

use super::{SyncInput, written_names};
use crate::advisories::{AdvisoryAccess, AdvisoryReader};
use crate::audit;
use crate::{CommandContext, withdrawn};
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{IndexKind, IndexUrl, PackageName, SourceId};
use skillpm_core::report::ProgressEvent;
use skillpm_registry::index::write::similar::find_similar;
use skillpm_registry::install::plan::Plan;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::workspace::Workspace;

/// The length from which names that differ in one letter are considered similar.
const NAME_LEN_MIN: usize = 7;

/// The known names that a name could be confused with. Short names are skipped: many differ in a
/// letter or an ending.
fn similar_names<'n>(
    name: &PackageName,
    known: &'n BTreeSet<PackageName>,
) -> Vec<(&'n PackageName, &'static str)> {
    let is_long =
        |name: &PackageName| name.scope().unwrap_or(name.skill()).as_str().len() >= NAME_LEN_MIN;
    // `pdf` and `pdp` are two words; one letter in a long name is more likely a typo.
    if !is_long(name) {
        return Vec::new();
    }

    let mut near = find_similar(name, known);
    near.retain(|(other, _)| is_long(other));
    near
}

/// Warns of locked packages that were revoked, according to the cached indexes. For the case that
/// there is nothing to do, so that only the cached files of the packages are read.
///
/// # Errors
/// If the lockfile or a setting is invalid.
pub(super) fn warn_of_revoked(context: &CommandContext<'_>, workspace: &Workspace) -> Result<()> {
    // Only registries revoke: without one, nothing has to be parsed.
    if !workspace
        .lock_text
        .as_ref()
        .is_some_and(|text| text.contains("\"registry+"))
    {
        return Ok(());
    }

    let lockfile = workspace.lockfile()?.unwrap_or_default();
    for (locked, reason) in withdrawn::cached_revocations(context, lockfile.packages().iter())? {
        context
            .reporter
            .report(withdrawn::revoked_warning(locked, &reason));
    }
    Ok(())
}

/// Checks packages for revocations, advisories and similar names.
pub(super) struct SecurityChecker<'a> {
    pub(super) input: &'a SyncInput<'a>,
}

impl SecurityChecker<'_> {
    /// Refuses revoked packages that would be written or newly locked, and warns of installed ones,
    /// according to the indexes as fetched in this run or cached. Warns of advisories and similar
    /// names for packages that are written or newly locked.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if such a package was revoked.
    pub(super) fn check_security(
        &self,
        sources: &PackageSources<'_>,
        lockfile: &Lockfile,
        plan: &Plan,
    ) -> Result<()> {
        let written = written_names(plan);
        let is_new = |locked: &LockedPackage| {
            written.contains(locked.install_name()) || !self.was_locked(locked)
        };

        self.refuse_revoked(sources, lockfile, &is_new)?;
        self.warn_of_similar_names(sources, lockfile);

        let new_packages: Vec<LockedPackage> = lockfile
            .packages()
            .iter()
            .filter(|locked| is_new(locked))
            .cloned()
            .collect();
        self.warn_of_advisories(sources, &new_packages)
    }

    /// Whether the old lockfile has a package. The same package under another install name is not
    /// new: name, source and checksum are compared.
    fn was_locked(&self, locked: &LockedPackage) -> bool {
        // Sorted by name, so that a long lockfile is not read through for each package.
        let packages = self.input.old.packages();
        let first = packages.partition_point(|old| old.name < locked.name);
        packages[first..]
            .iter()
            .take_while(|old| old.name == locked.name)
            .any(|old| old.source == locked.source && old.checksum == locked.checksum)
    }

    fn refuse_revoked(
        &self,
        sources: &PackageSources<'_>,
        lockfile: &Lockfile,
        is_new: &dyn Fn(&LockedPackage) -> bool,
    ) -> Result<()> {
        let revoked = withdrawn::revocations(
            self.input.context,
            &self.input.workspace.root,
            Some(sources),
            lockfile.packages().iter(),
        )?;

        let revoked = revoked
            .iter()
            .map(|(locked, reason)| (*locked, reason.as_str()));
        let (new, installed): (Vec<_>, Vec<_>) = revoked.partition(|(locked, _)| is_new(locked));
        // Packages that stay installed are only warned of: removing them is up to the user.
        if !withdrawn::is_allowed(self.input.context)?
            && let Some(refusal) = withdrawn::revoked_error(&new)
        {
            return Err(refusal);
        }

        for (locked, reason) in installed.iter().chain(&new) {
            self.input
                .reporter()
                .report(withdrawn::revoked_warning(locked, reason));
        }
        Ok(())
    }

    /// Warns of newly locked names that are similar to known ones: locked from another source, of
    /// the bundled registry, or of the package's own registry if it can be listed locally.
    fn warn_of_similar_names(&self, sources: &PackageSources<'_>, lockfile: &Lockfile) {
        let new: Vec<&LockedPackage> = lockfile
            .packages()
            .iter()
            .filter(|locked| !self.input.is_member(locked) && !self.had_name(&locked.name))
            .collect();
        if new.is_empty() {
            return;
        }

        let mut listings = NameListings {
            sources,
            names: BTreeMap::new(),
        };
        for locked in new {
            let known = self.known_names(locked, &mut listings);
            for (other, reason) in similar_names(&locked.name, &known) {
                self.input.reporter().report(ProgressEvent::Warning {
                    message: format!(
                        "`{}` could be confused with `{other}`: {reason}",
                        locked.name
                    ),
                    help: Some(format!(
                        "if you meant the other, run `skillpm remove {}`",
                        locked.install_name()
                    )),
                });
            }
        }
    }

    /// Whether the old lockfile has a package of this name, from any source.
    fn had_name(&self, name: &PackageName) -> bool {
        self.input
            .old
            .packages()
            .iter()
            .any(|old| old.name == *name)
    }

    /// The names that the name of a package is compared with.
    fn known_names<'l>(
        &self,
        locked: &'l LockedPackage,
        listings: &mut NameListings<'l, '_>,
    ) -> BTreeSet<PackageName> {
        // Within one source names are not compared: a registry does that when they are published.
        let others = self
            .input
            .old
            .packages()
            .iter()
            .filter(|old| old.source.location_key() != locked.source.location_key());

        let mut known: BTreeSet<PackageName> = others
            .map(|old| old.name.clone())
            .chain(
                listings
                    .list_names(SourceId::EMBEDDED_INDEX)
                    .iter()
                    .cloned(),
            )
            .collect();

        // Listing a remote index would cost a request for each install.
        if let SourceId::Registry(url) = &locked.source
            && is_local_index(url)
        {
            known.extend(listings.list_names(url).iter().cloned());
        }

        // A name that a registry lists is hardly a typo of another; only locked names count
        // then.
        if known.contains(&locked.name) {
            known.retain(|name| self.had_name(name));
        }
        known
    }

    fn warn_of_advisories(
        &self,
        sources: &PackageSources<'_>,
        packages: &[LockedPackage],
    ) -> Result<()> {
        // The common case: without new packages no database is read.
        if packages.is_empty() {
            return Ok(());
        }

        let table = audit::audit_settings(self.input.context, Some(&self.input.next))?;
        let reader = AdvisoryReader {
            context: self.input.context,
            sources,
            root: &self.input.workspace.root,
            access: AdvisoryAccess::Cached,
        };

        let databases = reader.read_databases(&table, packages)?;
        for locked in packages {
            // The user has decided about these; `audit` lists them.
            let is_ignored = |rule: &str| table.ignore.iter().any(|one| one.rule == rule);
            let notices = databases.notices_for(locked).into_iter();
            for notice in notices.filter(|notice| !is_ignored(notice.advisory.id.as_str())) {
                self.input.reporter().report(notice.warning(locked));
            }
        }
        Ok(())
    }
}

/// The names that indexes list, each read once.
struct NameListings<'l, 's> {
    sources: &'l PackageSources<'s>,
    names: BTreeMap<&'l str, Vec<PackageName>>,
}

impl<'l> NameListings<'l, '_> {
    fn list_names(&mut self, url: &'l str) -> &[PackageName] {
        let sources = self.sources;
        // Only for a warning: an index that cannot be read has no names.
        self.names.entry(url).or_insert_with(|| {
            sources
                .open_index(url)
                .map(|index| index.package_names())
                .unwrap_or_default()
        })
    }
}

/// Whether an index is in the program or in a directory.
fn is_local_index(url: &str) -> bool {
    let kind = url.parse().map(|url: IndexUrl| url.kind());
    matches!(kind, Ok(IndexKind::Embedded | IndexKind::Directory))
}

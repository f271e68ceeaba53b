//! What lockfiles and cached indexes say of the installed skills, without the network.

use std::collections::BTreeMap;

use super::CommandContext;
use super::agents::{AgentLabel, SkillVisibility, UnseenReason};
use super::search::read_lockfiles;
use skillpm_catalog::catalog::{Catalog, Tier};
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::SourceId;
use skillpm_core::report::SilentReporter;
use skillpm_registry::sources::PackageSources;

/// The locked packages of the project and of the user, with the newest versions that are known offline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InstalledStates {
    /// By tier and install name.
    pub(crate) copies: BTreeMap<(Tier, String), LockedCopy>,
    /// For each skill of the catalog, by its place there, the agents around, and why one does not see it.
    pub(crate) agents: Vec<Vec<(AgentLabel, Option<UnseenReason>)>>,
}

/// A locked package.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LockedCopy {
    pub locked: LockedPackage,
    /// A newer version, as far as the cached index of its registry has one.
    pub newer: Option<String>,
}

impl InstalledStates {
    /// Reads the lockfiles, cached indexes, and what the agents that are used here or installed on this machine see of a
    /// catalog.
    ///
    /// # Errors
    /// If a lockfile, the manifest or a setting is invalid.
    pub fn read(context: &CommandContext<'_>, catalog: &Catalog) -> Result<Self> {
        let visibility = SkillVisibility::find(context)?;
        let mut states = InstalledStates {
            agents: catalog
                .entries
                .iter()
                .map(|entry| visibility.reasons(catalog, &entry.candidate))
                .collect(),
            ..InstalledStates::default()
        };
        for (tier, lockfile) in read_lockfiles(context)? {
            states.add(context, tier, &lockfile)?;
        }
        Ok(states)
    }

    fn add(&mut self, context: &CommandContext<'_>, tier: Tier, lockfile: &Lockfile) -> Result<()> {
        // Offline tools make no requests.
        let tools = context.offline_tools()?;
        let registries = |name: Option<&str>| context.config.registry(name);
        let sources = PackageSources::new(&tools, &context.dirs.cwd, &registries, &SilentReporter);

        for locked in lockfile.packages() {
            let key = (tier, locked.install_name().to_string());
            self.copies.insert(
                key,
                LockedCopy {
                    newer: find_newer(&sources, locked),
                    locked: locked.clone(),
                },
            );
        }
        Ok(())
    }
}

/// The newest version of a locked package, if it is newer and known without a request.
fn find_newer(sources: &PackageSources<'_>, locked: &LockedPackage) -> Option<String> {
    let (SourceId::Registry(url), Some(current)) = (&locked.source, &locked.version) else {
        return None;
    };

    // An index that is not cached, or invalid, says nothing here; `outdated` reports it.
    let index = sources.open_index(url).ok()?;
    let lookup = index.lookup(&locked.name).ok()?;
    lookup
        .entries
        .iter()
        .filter(|entry| !entry.is_withdrawn() && entry.vers.pre.is_empty())
        .map(|entry| &entry.vers)
        .max()
        .filter(|newest| *newest > current)
        .map(ToString::to_string)
}

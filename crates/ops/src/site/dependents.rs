//! Which packages of a registry depend on which.

use std::collections::BTreeMap;

use super::{BATCH, newest_version};
use skillpm_catalog::site::RelatedPackage;
use skillpm_core::package::PackageName;
use skillpm_registry::index::{Index, IndexEntry};

/// The packages whose newest version depends on each package, sorted by name.
#[derive(Debug, Default)]
pub(super) struct DependentPackages {
    by_name: BTreeMap<PackageName, Vec<(PackageName, String)>>,
}

impl DependentPackages {
    /// Reads the newest version of all packages. An unreadable file has no dependents here, and is reported when its
    /// package is added.
    pub(super) fn read(index: &Index<'_>, names: &[PackageName]) -> Self {
        let mut found = DependentPackages::default();
        for batch in names.chunks(BATCH) {
            index.reset_read_limits();
            for lookup in index.lookup_all(batch).into_iter().flatten() {
                if let Some(newest) = newest_version(&lookup.entries) {
                    found.add(newest);
                }
            }
        }
        found
    }

    fn add(&mut self, entry: &IndexEntry) {
        for needed in entry.deps.iter().filter(|needed| needed.registry.is_none()) {
            self.by_name
                .entry(needed.name.clone())
                .or_default()
                .push((entry.name.clone(), needed.req.to_string()));
        }
    }

    /// The packages that depend on one.
    pub(super) fn of_package(&self, name: &PackageName) -> Vec<RelatedPackage> {
        let dependents = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let mut related: Vec<RelatedPackage> = dependents
            .iter()
            .map(|(name, requirement)| RelatedPackage {
                name: name.to_string(),
                requirement: requirement.clone(),
                slug: Some(name.to_string()),
                registry: None,
            })
            .collect();
        related.sort_by(|a, b| a.name.cmp(&b.name));
        related
    }
}

/// What a version depends on, with a link to what is in the same registry.
pub(super) fn needed_by(
    entry: &IndexEntry,
    has_package: impl Fn(&PackageName) -> bool,
) -> Vec<RelatedPackage> {
    entry
        .deps
        .iter()
        .map(|needed| {
            let name = needed.name.to_string();
            let is_here = needed.registry.is_none() && has_package(&needed.name);
            RelatedPackage {
                requirement: needed.req.to_string(),
                slug: is_here.then(|| name.clone()),
                registry: needed.registry.clone(),
                name,
            }
        })
        .collect()
}

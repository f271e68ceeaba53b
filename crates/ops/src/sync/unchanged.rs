//! The packages that `update` need not read: nothing of their repositories that the lockfile depends on has changed.

use std::collections::BTreeMap;

use super::{PinPolicy, SyncInput, is_current, load_state};
use skillpm_core::error::Result;
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest;
use skillpm_core::package::{GitReference, PackageDependency, SkillName, SourceId};
use skillpm_core::resolver;
use skillpm_core::skill;
use skillpm_lint::subject::SKILL_FILE;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;

/// Finds the packages whose reference is still at the locked commit, and that need no other package. They are kept as they
/// are locked, so that no file of them is read from their repositories.
///
/// Only for an update of everything, of a project that is as skillpm left it. Otherwise the lockfile may be wrong, and an
/// update, of one package at least, corrects it.
///
/// # Errors
/// If a source cannot be queried.
pub(super) fn find_unchanged<'a>(
    input: &'a SyncInput<'_>,
    sources: &PackageSources<'_>,
    store: &Store,
) -> Result<Vec<&'a LockedPackage>> {
    let request = input.request;
    let is_plain = request.precise.is_empty() && request.commits.is_empty();
    if request.keep != PinPolicy::Nothing || !is_plain || !input.patches.is_empty() {
        return Ok(Vec::new());
    }
    let state = load_state(input.context, input.workspace)?;
    if !is_current(input.context, input.workspace, &state) {
        return Ok(Vec::new());
    }

    let roots = input.roots.iter().map(|root| &root.dependency);
    let by_alias: BTreeMap<&SkillName, &PackageDependency> = roots
        .map(|dependency| (&dependency.alias, dependency))
        .collect();
    let (packages, dependencies): (Vec<&LockedPackage>, Vec<PackageDependency>) = input
        .old
        .packages()
        .iter()
        .filter(|locked| !request.keeps(locked.install_name()))
        .filter_map(|locked| Some((locked, *by_alias.get(locked.install_name())?)))
        .filter(|(locked, dependency)| {
            is_at_commit(locked, dependency)
                && sources.vendor_directory(&locked.source).is_none()
                && needs_nothing(store, locked)
        })
        .map(|(locked, dependency)| (locked, dependency.clone()))
        .unzip();

    let mut unchanged = Vec::new();
    for (locked, state) in packages
        .into_iter()
        .zip(sources.remote_states(&dependencies))
    {
        // A source that fails does so again in the query that follows.
        if state.is_ok_and(|state| state.commit == locked.commit) {
            unchanged.push(locked);
        }
    }
    Ok(unchanged)
}

/// Whether a package is locked for a dependency that names one commit, and not a range of versions.
fn is_at_commit(locked: &LockedPackage, dependency: &PackageDependency) -> bool {
    let is_commit = match &dependency.source {
        SourceId::Git { reference, .. } => *reference != GitReference::Versions,
        _ => false,
    };
    is_commit
        && dependency.source == locked.source
        && locked.commit.is_some()
        && resolver::is_satisfied_by(dependency, &locked.summary())
}

/// Whether a package needs no other. Of one that does, an optional dependency may be missing in the lockfile, and be found
/// now.
fn needs_nothing(store: &Store, locked: &LockedPackage) -> bool {
    if !locked.dependencies.is_empty() || !locked.replaces.is_empty() {
        return false;
    }
    let checksum = locked.upstream_checksum();
    let read = |path| store.read_unchecked(&checksum, path);
    // The manifest of a package may have dependencies, too.
    let (Ok(None), Ok(Some(page))) = (read(manifest::FILE), read(SKILL_FILE)) else {
        return false;
    };

    // Most do not have the word at all, and need not be parsed.
    let has_word = memchr::memmem::find(&page, b"requires").is_some();
    !has_word
        || skill::read(&page, locked.install_name().as_str())
            .skill
            .is_some_and(|skill| skill.requires.is_empty())
}

//! Warns of `[patch]` entries that the resolution does not use.

use super::SyncInput;
use skillpm_core::error::nearest_name;
use skillpm_core::package::{PackageDependency, PatchEntry, SourceId};
use skillpm_core::report::ProgressEvent;
use skillpm_core::resolver::ResolveGraph;
use skillpm_registry::sources::gather::GatheredPackages;

/// Warns of each patch that replaces no package, with the reason.
pub(super) fn report_unused_patches(input: &SyncInput<'_>, gathered: &GatheredPackages) {
    for (at, patch) in input.patches.iter().enumerate() {
        // Used: a resolved package has it in place of its own source.
        let mut replaced = gathered
            .resolve
            .packages()
            .iter()
            .flat_map(|package| &package.replaces);
        if replaced.any(|replaced| patch.is_recorded_as(replaced)) {
            continue;
        }

        // Known but unused: the version is wrong. Unknown: a name or a source is.
        let (reason, help) =
            match all_dependencies(&gathered.resolve).find(|dependency| patch.is_for(dependency)) {
                Some(dependency) => (
                    mismatch_reason(patch, dependency, gathered.newest_patch_version(at)),
                    None,
                ),
                None => unmatched_reason(patch, &gathered.resolve),
            };

        input.reporter().report(ProgressEvent::Warning {
            message: format!(
                "unused patch of `{}` in skillpm.toml: {reason}",
                patch.package
            ),
            help: help
                .or_else(|| Some("remove it, or change it to a package that is required".into())),
        });
    }
}

fn all_dependencies(resolve: &ResolveGraph) -> impl Iterator<Item = &PackageDependency> {
    let links = resolve
        .packages()
        .iter()
        .flat_map(|package| &package.links)
        .chain(resolve.roots());
    links.map(|link| &link.dependency)
}

fn mismatch_reason(
    patch: &PatchEntry,
    dependency: &PackageDependency,
    newest: Option<&semver::Version>,
) -> String {
    let source = patch.replacement.source.describe();
    match newest {
        Some(version) => format!(
            "{source} has `{version}`, but `{}` is required",
            dependency.req
        ),
        None => format!("{source} has no version that matches all requirements"),
    }
}

fn unmatched_reason(patch: &PatchEntry, resolve: &ResolveGraph) -> (String, Option<String>) {
    let here =
        || all_dependencies(resolve).filter(|dependency| patch.target.matches(&dependency.source));
    // The source is used, but not for that package: probably a misspelled name.
    if here().next().is_some() {
        let names: Vec<String> = here()
            .map(|dependency| dependency.package.to_string())
            .collect();
        let near = nearest_name(&patch.package.to_string(), names.iter().map(String::as_str));
        let reason = format!(
            "no dependency requires that package from `{}`",
            patch.target.written
        );
        return (reason, near.map(|near| format!("did you mean `{near}`?")));
    }

    // The source is not used: probably a misspelled URL.
    let keys: Vec<String> = all_dependencies(resolve)
        .filter_map(|dependency| patch_table_key(&dependency.source))
        .collect();

    let near = nearest_name(&patch.target.written, keys.iter().map(String::as_str));
    let reason = format!("no dependency is from `{}`", patch.target.written);
    (
        reason,
        near.map(|near| format!("did you mean `[patch.\"{near}\"]`?")),
    )
}

/// The key of a source's table in `[patch]`.
fn patch_table_key(source: &SourceId) -> Option<String> {
    match source {
        SourceId::Registry(index) => Some(index.clone()),
        SourceId::Git { url, .. } => Some(url.to_string()),
        _ => None,
    }
}

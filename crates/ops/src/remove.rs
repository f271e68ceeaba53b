//! `remove`: takes entries out of the manifest in memory, and goes the one way.

use std::collections::BTreeSet;

use super::Context;
use super::sync::{Rules, Synced, Wish, hold, sync};
use crate::error::{Error, Result, nearest};
use crate::manifest::{Manifest, edit};
use crate::package::{PackageName, PackageSpec, SourceId};
use crate::workspace::Sort;

/// What to remove.
#[derive(Debug, Clone)]
pub struct RemoveOptions {
    /// Skills, by install name or by package name; or sources, with `source`.
    pub names: Vec<String>,
    /// Whether the names are sources, all of whose skills go.
    pub source: bool,
    /// Which project.
    pub sort: Sort,
    /// How far to go.
    pub rules: Rules,
}

/// Removes skills from a project, and what only they needed.
///
/// # Errors
/// If one of them is not in the manifest, or has been edited; then nothing was changed.
pub fn remove(context: &Context<'_>, options: &RemoveOptions) -> Result<Synced> {
    let held = hold(context, options.sort, None)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = held.workspace.own_manifest(&registries)?;
    let mut keys = BTreeSet::new();
    for name in &options.names {
        let found = if options.source { of_source(&manifest, name)? } else { of_name(&manifest, name)? };
        keys.extend(found);
    }
    let keys: Vec<String> = keys.into_iter().collect();
    let (text, _) = edit::remove(&held.workspace.own_text()?, &keys)?;
    let wish = Wish { manifest_text: Some(text), ..Wish::default() };
    sync(context, &held, &wish, options.rules)
}

/// The keys that a dependency can be written under.
fn keys(manifest: &Manifest, is_it: impl Fn(&crate::package::Dependency) -> bool) -> Vec<String> {
    let found = manifest.dependencies.iter().filter(|dependency| is_it(dependency));
    found.flat_map(|dependency| [dependency.alias.to_string(), dependency.package.to_string()]).collect()
}

fn of_name(manifest: &Manifest, name: &str) -> Result<Vec<String>> {
    let wanted: PackageName = name.parse()?;
    let is_it = |dependency: &crate::package::Dependency| match wanted.scope() {
        Some(_) => dependency.package == wanted,
        None => dependency.alias == *wanted.skill(),
    };
    let found = keys(manifest, is_it);
    if !found.is_empty() {
        return Ok(found);
    }
    let error = Error::negative(format!("`{name}` is not among the dependencies"));
    let names: Vec<String> = manifest.dependencies.iter().map(|dependency| dependency.alias.to_string()).collect();
    Err(match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("`skillpm why {name}` tells whether another skill needs it")),
    })
}

fn of_source(manifest: &Manifest, place: &str) -> Result<Vec<String>> {
    let is_it = |dependency: &crate::package::Dependency| match (&dependency.source, place.parse::<PackageSpec>()) {
        (SourceId::Git { url, .. }, Ok(PackageSpec::Git { url: wanted, .. })) => *url == wanted,
        (SourceId::WellKnown(site), Ok(PackageSpec::WellKnown(wanted))) => *site == wanted,
        (SourceId::Path(path) | SourceId::Archive(path), _) => {
            path.trim_end_matches('/') == place.trim_end_matches('/')
        }
        _ => false,
    };
    let found = keys(manifest, is_it);
    if found.is_empty() {
        return Err(
            Error::negative(format!("nothing comes from `{place}`")).help("`skillpm list` shows where each comes from")
        );
    }
    Ok(found)
}

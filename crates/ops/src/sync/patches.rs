//! Patches and the answer: whether a lockfile has them already, and which of them were of no use.

use super::Job;
use crate::error::nearest;
use crate::package::{Dependency, Patch, SourceId};
use crate::report::Event;
use crate::resolver::Resolve;
use crate::sources::gather::Gathered;

impl Job<'_> {
    /// Says of each patch that stands in for nothing why that is.
    pub(super) fn report_unused_patches(&self, gathered: &Gathered) {
        for (at, patch) in self.patches.iter().enumerate() {
            let mut replaced = gathered.resolve.packages().iter().flat_map(|package| &package.replaces);
            if replaced.any(|replaced| patch.accounts_for(replaced)) {
                continue;
            }
            let (reason, help) = match asked(&gathered.resolve).find(|dependency| patch.is_for(dependency)) {
                Some(dependency) => (does_not_fit(patch, dependency, gathered.newest_in_place(at)), None),
                None => nobody_asks(patch, &gathered.resolve),
            };
            self.reporter().report(Event::Warning {
                message: format!("the patch of `{}` in skillpm.toml is not used: {reason}", patch.package),
                help: help.or_else(|| Some("take it out, or let it name something that is asked for".into())),
            });
        }
    }
}

fn asked(resolve: &Resolve) -> impl Iterator<Item = &Dependency> {
    let links = resolve.packages().iter().flat_map(|package| &package.links).chain(resolve.roots());
    links.map(|link| &link.dependency)
}

fn does_not_fit(patch: &Patch, dependency: &Dependency, newest: Option<&semver::Version>) -> String {
    let place = patch.by.source.place();
    match newest {
        Some(version) => format!("{place} has `{version}`, and `{}` is asked for", dependency.req),
        None => format!("{place} has nothing that fits all who ask for it"),
    }
}

fn nobody_asks(patch: &Patch, resolve: &Resolve) -> (String, Option<String>) {
    let here = || asked(resolve).filter(|dependency| patch.place.holds(&dependency.source));
    if here().next().is_some() {
        let names: Vec<String> = here().map(|dependency| dependency.package.to_string()).collect();
        let near = nearest(&patch.package.to_string(), names.iter().map(String::as_str));
        let reason = format!("nothing asks for that package from `{}`", patch.place.written);
        return (reason, near.map(|near| format!("did you mean `{near}`?")));
    }
    let places: Vec<String> = asked(resolve).filter_map(|dependency| place_of(&dependency.source)).collect();
    let near = nearest(&patch.place.written, places.iter().map(String::as_str));
    let reason = format!("nothing comes from `{}`", patch.place.written);
    (reason, near.map(|near| format!("did you mean `[patch.\"{near}\"]`?")))
}

/// A place as a table of `[patch]` names it.
fn place_of(source: &SourceId) -> Option<String> {
    match source {
        SourceId::Registry(index) => Some(index.clone()),
        SourceId::Git { url, .. } => Some(url.to_string()),
        _ => None,
    }
}

//! SK9: across skills.

mod budget;
mod copy;
mod dangling;
mod description;
mod name;
mod near_name;
mod overlap;
mod shadowed;

use std::collections::HashMap;
use std::hash::Hash;

use crate::lint::Rule;
use crate::lint::across::{Place, Summary};
use crate::report::Diagnostic;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &name::RULE,
    &shadowed::RULE,
    &description::RULE,
    &overlap::RULE,
    &near_name::RULE,
    &budget::RULE,
    &dangling::RULE,
    &copy::RULE,
];

/// Puts a finding where that place is, or on the file as a whole.
fn placed(mut finding: Diagnostic, place: Option<&Place>) -> Diagnostic {
    finding.span = place.map(|place| place.span.clone());
    finding.position = place.map(|place| place.position);
    finding
}

/// Skills that have something in common, each group by path, the groups by their first path.
fn groups<'s, K: Hash + Eq>(
    skills: impl IntoIterator<Item = &'s Summary>,
    key: impl Fn(&'s Summary) -> Option<K>,
) -> Vec<Vec<&'s Summary>> {
    let mut groups: HashMap<K, Vec<&Summary>> = HashMap::new();
    for skill in skills {
        if let Some(key) = key(skill) {
            groups.entry(key).or_default().push(skill);
        }
    }
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    for group in &mut groups {
        group.sort_by(|a, b| a.path.cmp(&b.path));
        // A file that was looked at twice is no copy of itself.
        group.dedup_by(|a, b| plain(&a.path) == plain(&b.path));
    }
    groups.retain(|group| group.len() > 1);
    groups.sort_by(|a, b| a[0].path.cmp(&b[0].path));
    groups
}

/// A path without `./` in front.
fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

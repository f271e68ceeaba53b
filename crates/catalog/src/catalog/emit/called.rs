//! What the listed skills are called by, and which of them are texts rather than calls.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::catalog::text::one_line;
use crate::catalog::{Catalog, Entry};
use crate::skill::Format;

/// The listed skills that a model reads, by name. A Devai skill is a call and no text, so [`calls`] has it.
pub(super) fn texts(catalog: &Catalog) -> impl Iterator<Item = &Entry> {
    catalog.listed().filter(|entry| entry.candidate.listing.facts().format != Format::Devai)
}

/// The listed skills that a model calls like any other tool, by name.
pub(super) fn calls(catalog: &Catalog) -> impl Iterator<Item = &Entry> {
    catalog.listed().filter(|entry| entry.candidate.listing.facts().format == Format::Devai)
}

/// The [`texts`] for agents that go by directories: each with its id, sorted by that.
///
/// The id is the directory's name. Where two of the skills share one, as they may in two tiers, all are told by their
/// names instead, which only an agent that lists all skills of a name shares among several.
pub(super) fn by_id(catalog: &Catalog) -> Vec<(Cow<'_, str>, &Entry)> {
    let by = |id: fn(&Entry) -> &str| {
        let mut skills: Vec<_> = texts(catalog).map(|entry| (one_line(id(entry)), entry)).collect();
        skills.sort_by(|(a, _), (b, _)| a.cmp(b));
        skills
    };
    let by_directory = by(|entry| &entry.candidate.directory);
    let is_shared = by_directory.windows(2).any(|pair| pair[0].0 == pair[1].0);
    if is_shared { by(|entry| &entry.candidate.listing.name) } else { by_directory }
}

/// These names, each once: a list of values may hold none twice, and what cannot be seen tells no two apart.
pub(super) fn values<'a>(names: impl Iterator<Item = &'a str>) -> BTreeSet<Cow<'a, str>> {
    names.map(one_line).collect()
}

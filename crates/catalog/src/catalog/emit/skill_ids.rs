//! What the listed skills are called by, and which of them are texts rather than calls.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::catalog::text::one_line;
use crate::catalog::{Catalog, CatalogEntry};
use skillpm_core::skill::SkillFormat;

/// The listed skills that a model reads, by name. A Devai skill is a call and no text, so [`function_skills`] has it.
pub(super) fn text_skills(catalog: &Catalog) -> impl Iterator<Item = &CatalogEntry> {
    catalog
        .listed()
        .filter(|entry| entry.candidate.listing.facts().format != SkillFormat::Devai)
}

/// The listed skills that a model calls like any other tool, by name.
pub(super) fn function_skills(catalog: &Catalog) -> impl Iterator<Item = &CatalogEntry> {
    catalog
        .listed()
        .filter(|entry| entry.candidate.listing.facts().format == SkillFormat::Devai)
}

/// The [`text_skills`] for agents that go by directories: each with its id, sorted by that.
///
/// The id is the directory's name. If two of the skills share one, as they may in two tiers, all are identified by their
/// names instead, which only an agent that lists all skills of a name shares among several.
pub(super) fn by_id(catalog: &Catalog) -> Vec<(Cow<'_, str>, &CatalogEntry)> {
    let by_directory = sort_by_id(catalog, |entry| entry.candidate.id());
    // One shared id is enough: a list with two kinds of ids could not be looked up.
    let is_shared = by_directory.windows(2).any(|pair| pair[0].0 == pair[1].0);

    if is_shared {
        sort_by_id(catalog, |entry| &entry.candidate.listing.name)
    } else {
        by_directory
    }
}

fn sort_by_id(
    catalog: &Catalog,
    id: fn(&CatalogEntry) -> &str,
) -> Vec<(Cow<'_, str>, &CatalogEntry)> {
    let mut skills: Vec<_> = text_skills(catalog)
        // Sanitized before sorting: two directories may differ in invisible characters alone.
        .map(|entry| (one_line(id(entry)), entry))
        .collect();
    skills.sort_by(|(a, _), (b, _)| a.cmp(b));
    skills
}

/// These names without duplicates: values must be unique, also after invisible characters are removed.
pub(super) fn enum_values<'a>(names: impl Iterator<Item = &'a str>) -> BTreeSet<Cow<'a, str>> {
    names.map(one_line).collect()
}

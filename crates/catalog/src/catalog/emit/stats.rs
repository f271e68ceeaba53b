//! What a catalog costs a model to read, by the estimate of a token for four characters.

use super::{FORMATS, Format, Options, Purpose};
use crate::catalog::Catalog;
use crate::catalog::text::one_line;

/// A length, and about as many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Characters, not bytes.
    pub characters: usize,
    /// Characters by four, rounded up.
    pub tokens: usize,
}

impl Cost {
    fn of(characters: usize) -> Self {
        Cost { characters, tokens: characters.div_ceil(4) }
    }
}

/// One listed skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillCost {
    /// Its name, on one line.
    pub name: String,
    /// Its name and description: what stands in every prompt.
    pub listing: Cost,
    /// The tokens of its instructions, which are read when it is chosen; `None` if nobody counted.
    pub instructions: Option<u32>,
}

/// The listed skills, by name.
#[must_use]
pub fn skills(catalog: &Catalog) -> Vec<SkillCost> {
    let cost = |listing: &crate::catalog::Listing| {
        Cost::of(one_line(&listing.name).chars().count() + listing.summary().chars().count())
    };
    catalog
        .listed()
        .map(|entry| SkillCost {
            name: one_line(&entry.candidate.listing.name).into_owned(),
            listing: cost(&entry.candidate.listing),
            instructions: entry.candidate.content.as_ref().map(|content| content.est_tokens),
        })
        .collect()
}

/// The whole text of each format that a model reads.
#[must_use]
pub fn formats(catalog: &Catalog, options: &Options<'_>) -> Vec<(&'static Format, Cost)> {
    let read = FORMATS.iter().filter(|format| matches!(format.purpose, Purpose::Prompt | Purpose::Tools));
    read.map(|format| (format, Cost::of(format.render(catalog, options).trim_end().chars().count()))).collect()
}

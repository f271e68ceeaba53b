//! What a catalog costs a model to read, by the estimate of a token for four characters.

use super::{CatalogFormat, EmitOptions, FORMATS, FormatPurpose};
use crate::catalog::Catalog;
use crate::catalog::text::one_line;

/// A length, and about as many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCost {
    /// Characters, not bytes.
    pub characters: usize,
    /// Characters by four, rounded up.
    pub tokens: usize,
}

impl TextCost {
    fn from_characters(characters: usize) -> Self {
        TextCost {
            characters,
            tokens: characters.div_ceil(4),
        }
    }
}

/// One listed skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillCost {
    /// Its name, on one line.
    pub name: String,
    /// Its name and description, which are in every prompt.
    pub listing: TextCost,
    /// The tokens of its instructions, which are read when it is chosen; `None` if they were not counted.
    pub instructions: Option<u32>,
}

/// The listed skills, by name.
#[must_use]
pub fn skill_costs(catalog: &Catalog) -> Vec<SkillCost> {
    let cost = |listing: &crate::catalog::SkillListing| {
        TextCost::from_characters(
            one_line(&listing.name).chars().count() + listing.summary().chars().count(),
        )
    };

    catalog
        .listed()
        .map(|entry| SkillCost {
            name: one_line(&entry.candidate.listing.name).into_owned(),
            listing: cost(&entry.candidate.listing),
            instructions: entry
                .candidate
                .content
                .as_ref()
                .map(|content| content.est_tokens),
        })
        .collect()
}

/// The whole text of each format that a model reads.
#[must_use]
pub fn format_costs(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
) -> Vec<(&'static CatalogFormat, TextCost)> {
    let read = FORMATS
        .iter()
        .filter(|format| matches!(format.purpose, FormatPurpose::Prompt | FormatPurpose::Tools));

    read.map(|format| {
        (
            format,
            // Without the newline at the end, which no prompt has.
            TextCost::from_characters(format.render(catalog, options).trim_end().chars().count()),
        )
    })
    .collect()
}

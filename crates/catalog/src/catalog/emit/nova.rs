//! `nova` and `nova-shipped`: the section of a system prompt as Nova's ADR-014 has it, and as its program writes it.
//!
//! ```text
//! ## Available Skills
//! The following specialized skills are available. If a user request matches
//! one of these domains, use the `enable_skill` tool to load it.
//!
//! - csv-tidy: Clean CSV files …
//! ```
//!
//! A skill is called by its directory there, which is what `enable_skill` takes.

use std::io::{self, Write};

use super::{EmitOptions, skill_ids};
use crate::catalog::Catalog;

const HEAD: &str = "## Available Skills\n";
const SHIPPED_HEAD: &str = "\n\n**Available Skills:**\n";
/// What follows either head.
const ADVICE: &str = "The following specialized skills are available. If a user request matches\n\
                      one of these domains, use the `enable_skill` tool to load it.\n\n";

/// Writes the ADR's form; nothing at all when there is no skill.
pub(super) fn emit(catalog: &Catalog, _: &EmitOptions<'_>, out: &mut dyn Write) -> io::Result<()> {
    let skills = skill_ids::by_id(catalog);
    // An empty section would promise skills that are not there.
    if skills.is_empty() {
        return Ok(());
    }
    write!(out, "{HEAD}{ADVICE}")?;

    skills
        .iter()
        .try_for_each(|(id, entry)| writeln!(out, "- {id}: {}", entry.candidate.listing.summary()))
}

/// Writes the program's form; nothing at all when there is no skill.
pub(super) fn emit_shipped(
    catalog: &Catalog,
    _: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let skills = skill_ids::by_id(catalog);

    if skills.is_empty() {
        return Ok(());
    }

    // As Nova's program writes it, blank lines included.
    write!(out, "{SHIPPED_HEAD}{ADVICE}")?;
    skills.iter().try_for_each(|(id, entry)| {
        writeln!(out, "- **{id}**: {}", entry.candidate.listing.summary())
    })
}

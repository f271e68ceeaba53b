//! `yodoca`: the first level of Yodoca's ADR-015, for its `read_skill` tool.
//!
//! ```text
//! [Available Skills]
//! • `csv-tidy` — Clean CSV files …
//!
//! Use read_skill(skill_id) to load full instructions.
//! ```

use std::io::{self, Write};

use super::{EmitOptions, skill_ids};
use crate::catalog::Catalog;

/// Writes the catalog; nothing at all when there is no skill.
pub(super) fn emit(catalog: &Catalog, _: &EmitOptions<'_>, out: &mut dyn Write) -> io::Result<()> {
    let skills = skill_ids::by_id(catalog);
    if skills.is_empty() {
        return Ok(());
    }

    out.write_all(b"[Available Skills]\n")?;
    for (id, entry) in skills {
        writeln!(out, "• `{id}` — {}", entry.candidate.listing.summary())?;
    }
    out.write_all(b"\nUse read_skill(skill_id) to load full instructions.\n")
}

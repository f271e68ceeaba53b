//! `xml`: the form that the client guide of the specification shows.
//!
//! ```text
//! <available_skills>
//!   <skill>
//!     <name>csv-tidy</name>
//!     <description>Clean CSV files …</description>
//!     <location>/ROOT/csv-tidy/SKILL.md</location>
//!   </skill>
//! </available_skills>
//! ```

use std::io::{self, Write};

use super::{EmitOptions, display_path, write_xml};
use crate::catalog::Catalog;

/// Writes the catalog; nothing at all when it is empty.
pub(super) fn emit(catalog: &Catalog, _: &EmitOptions<'_>, out: &mut dyn Write) -> io::Result<()> {
    if catalog.listed().next().is_none() {
        return Ok(());
    }

    // Every value is escaped, so that a description cannot close its element and pose as another
    // skill.
    let field = |out: &mut dyn Write, tag: &str, text: &str| -> io::Result<()> {
        write!(out, "    <{tag}>")?;
        write_xml(out, text, "&apos;")?;
        writeln!(out, "</{tag}>")
    };

    out.write_all(b"<available_skills>\n")?;
    for entry in catalog.listed() {
        let skill = &entry.candidate;

        out.write_all(b"  <skill>\n")?;
        field(out, "name", &skill.listing.name)?;
        field(out, "description", &skill.listing.summary())?;
        field(
            out,
            "location",
            &display_path(&skill.location(&catalog.roots)),
        )?;
        out.write_all(b"  </skill>\n")?;
    }
    out.write_all(b"</available_skills>\n")
}

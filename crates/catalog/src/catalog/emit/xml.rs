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

    let field = |out: &mut dyn Write, tag: &str, text: &str| -> io::Result<()> {
        write!(out, "    <{tag}>")?;
        write_xml(out, text, "&apos;")?;
        writeln!(out, "</{tag}>")
    };
    write_elements(catalog, out, "  ", field)
}

/// Writes the element of all skills, that of each indented by `indent`, and its fields by `write_field`.
///
/// A field is to be escaped, so that a description cannot close its element and pose as another skill.
pub(super) fn write_elements(
    catalog: &Catalog,
    out: &mut dyn Write,
    indent: &str,
    write_field: impl Fn(&mut dyn Write, &str, &str) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"<available_skills>\n")?;
    for entry in catalog.listed() {
        let skill = &entry.candidate;
        let location = skill.location(&catalog.roots);

        writeln!(out, "{indent}<skill>")?;
        write_field(out, "name", &skill.listing.name)?;
        write_field(out, "description", &skill.listing.summary())?;
        write_field(out, "location", &display_path(&location))?;
        writeln!(out, "{indent}</skill>")?;
    }
    out.write_all(b"</available_skills>\n")
}

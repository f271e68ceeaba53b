//! `xml-ref`: the form that `skills-ref to-prompt` prints, with every value on a line of its own.

use std::io::{self, Write};

use super::{EmitOptions, display_path, write_xml};
use crate::catalog::Catalog;

/// Writes the catalog; an empty element when it is empty, as skills-ref does.
///
/// Unlike skills-ref the location is escaped too, so that a directory's name cannot close the element.
pub(super) fn emit(catalog: &Catalog, _: &EmitOptions<'_>, out: &mut dyn Write) -> io::Result<()> {
    let field = |out: &mut dyn Write, tag: &str, text: &str| -> io::Result<()> {
        writeln!(out, "<{tag}>")?;
        // `&#x27;` as Python's html.escape writes it, not `&apos;`.
        write_xml(out, text, "&#x27;")?;
        writeln!(out, "\n</{tag}>")
    };

    // Without a check for an empty catalog: skills-ref prints the element then, too.
    out.write_all(b"<available_skills>\n")?;
    for entry in catalog.listed() {
        let skill = &entry.candidate;
        out.write_all(b"<skill>\n")?;
        field(out, "name", &skill.listing.name)?;
        field(out, "description", &skill.listing.summary())?;
        field(
            out,
            "location",
            &display_path(&skill.location(&catalog.roots)),
        )?;
        out.write_all(b"</skill>\n")?;
    }
    out.write_all(b"</available_skills>\n")
}

//! `xml-ref`: the form that `skills-ref to-prompt` prints, with every value on a line of its own.

use std::io::{self, Write};

use super::xml::write_elements;
use super::{EmitOptions, write_xml};
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
    write_elements(catalog, out, "", field)
}

//! Formats: the same list of skills, each time as some agent or tool wants it.
//!
//! A format is one file with `fn emit(&Catalog, &Options, &mut dyn Write)` and one row in [`FORMATS`]. Formats that
//! stand in a prompt show only listed skills, on one line each, and are empty when there is none.

mod json;
pub mod markdown;
mod xml;
mod xml_ref;

use std::io::{self, Write};
use std::path::Path;

use super::Catalog;
use crate::error::{Error, Result, nearest};

/// How a catalog is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Tells of every skill that was found, with the reason where it is hidden, in formats that can.
    pub all: bool,
    /// Stands in the place of a format's own advice to the model; formats without advice ignore it.
    pub preamble: Option<&'a str>,
    /// The directory from which paths are told where the text is to be shared; `None` for absolute paths.
    pub base: Option<&'a Path>,
    /// The home directory, told as `~` where `base` holds.
    pub home: Option<&'a Path>,
}

/// One format.
pub struct Format {
    /// The name by which `--format` knows it.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// The media type of its text.
    pub media_type: &'static str,
    /// Writes a catalog in it.
    pub emit: fn(&Catalog, &Options<'_>, &mut dyn Write) -> io::Result<()>,
}

/// All formats.
pub static FORMATS: &[Format] = &[
    Format { name: "json", summary: "the whole model, for programs", media_type: "application/json", emit: json::emit },
    Format {
        name: "xml",
        summary: "the form of the Agent Skills client guide, for a system prompt",
        media_type: "application/xml",
        emit: xml::emit,
    },
    Format {
        name: "xml-ref",
        summary: "the form of skills-ref `to-prompt`",
        media_type: "application/xml",
        emit: xml_ref::emit,
    },
    Format {
        name: "markdown",
        summary: "a section of AGENTS.md, between markers",
        media_type: "text/markdown",
        emit: markdown::emit,
    },
];

/// The format of this name.
///
/// # Errors
/// If there is none; the nearest is offered.
pub fn format(name: &str) -> Result<&'static Format> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<_> = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect();
        let error = Error::usage(format!("there is no format `{}`", name.escape_debug()));
        match nearest(name, FORMATS.iter().map(|format| format.name)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("the formats are {}", names.join(", "))),
        }
    })
}

impl Format {
    /// The catalog in this format, as text.
    #[must_use]
    pub fn render(&self, catalog: &Catalog, options: &Options<'_>) -> String {
        let mut bytes = Vec::new();
        (self.emit)(catalog, options, &mut bytes).expect("writing to memory cannot fail");
        String::from_utf8(bytes).expect("a format writes UTF-8")
    }
}

/// `path` as text of one line.
fn shown(path: &Path) -> String {
    super::text::one_line(&path.to_string_lossy()).into_owned()
}

/// Writes `text` on one line with the characters that XML reserves replaced; `apostrophe` is how `'` is written.
fn write_xml(out: &mut dyn Write, text: &str, apostrophe: &str) -> io::Result<()> {
    let text = super::text::one_line(text);
    let mut rest = &*text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'', '\u{fffe}', '\u{ffff}']) {
        let (plain, tail) = rest.split_at(at);
        let mut characters = tail.chars();
        let entity = match characters.next() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            Some('\'') => apostrophe,
            _ => "\u{fffd}",
        };
        out.write_all(plain.as_bytes())?;
        out.write_all(entity.as_bytes())?;
        rest = characters.as_str();
    }
    out.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_format_offers_the_nearest() {
        assert_eq!(format("xml-rfe").err().unwrap().helps(), ["did you mean `xml-ref`?"]);
        assert_eq!(format("toon").err().unwrap().kind(), crate::error::Kind::Usage);
        assert_eq!(format("json").unwrap().media_type, "application/json");
    }
}

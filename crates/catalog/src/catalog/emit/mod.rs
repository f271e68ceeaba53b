//! Formats: the same list of skills, each time as some agent or tool wants it.
//!
//! A format is one file with `fn emit(&Catalog, &EmitOptions, &mut dyn Write)` and one row in [`FORMATS`]. Formats that
//! stand in a prompt show only listed skills, on one line each, and are empty when there is none.

mod devai;
mod json;
mod kodelet;
pub mod markdown;
mod nova;
mod pickle;
mod pretty;
mod skill_ids;
pub mod stats;
pub mod template;
mod tools;
mod xml;
mod xml_ref;
mod yodoca;

use std::io::{self, Write};
use std::path::Path;

use super::Catalog;
use skillpm_core::error::{Error, Result, nearest_name};

/// How a catalog is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct EmitOptions<'a> {
    /// Lists every skill found, hidden ones with the reason, in formats that can.
    pub all: bool,
    /// Replaces a format's own advice to the model; formats without advice ignore it.
    pub preamble: Option<&'a str>,
    /// The most characters of a description, in formats that shorten them; `None` for the format's own limit.
    pub max_description: Option<usize>,
    /// The directory that paths are relative to, for texts to be shared; `None` for absolute paths.
    pub base: Option<&'a Path>,
    /// The home directory, written as `~` if `base` is set.
    pub home: Option<&'a Path>,
}

/// Who reads a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatPurpose {
    /// Programs.
    Data,
    /// A model, as a part of its prompt.
    Prompt,
    /// A model's interface, as the tools it may call.
    Tools,
    /// Tools that fetch or install files.
    Files,
}

impl FormatPurpose {
    /// The purpose's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FormatPurpose::Data => "data",
            FormatPurpose::Prompt => "prompt",
            FormatPurpose::Tools => "tools",
            FormatPurpose::Files => "files",
        }
    }
}

/// One format.
pub struct CatalogFormat {
    /// The name by which `--format` knows it.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// The media type of its text.
    pub media_type: &'static str,
    /// Who reads it.
    pub purpose: FormatPurpose,
    /// Whether it has an introduction, which [`EmitOptions::preamble`] replaces.
    pub has_advice: bool,
    /// Writes a catalog in it.
    pub emit: EmitFn,
}

/// All formats that need nothing but the catalog.
// In the order in which `--list-formats` shows them.
pub static FORMATS: &[CatalogFormat] = &[
    CatalogFormat::data("json", "the whole model, for programs", json::emit),
    CatalogFormat::prompt("xml", "as in the Agent Skills client guide", xml::emit),
    CatalogFormat::prompt("xml-ref", "as `to-prompt` of skills-ref", xml_ref::emit),
    CatalogFormat {
        media_type: "text/markdown",
        ..CatalogFormat::prompt(
            "markdown",
            "a section of AGENTS.md, between markers",
            markdown::emit,
        )
        .with_advice()
    },
    CatalogFormat {
        media_type: "text/markdown",
        ..CatalogFormat::prompt("nova", "Nova, as its ADR has it", nova::emit)
    },
    CatalogFormat {
        media_type: "text/markdown",
        ..CatalogFormat::prompt(
            "nova-shipped",
            "Nova, as its program writes it",
            nova::emit_shipped,
        )
    },
    CatalogFormat {
        media_type: "text/plain",
        ..CatalogFormat::prompt("yodoca", "Yodoca, for `read_skill`", yodoca::emit)
    },
    CatalogFormat {
        media_type: "text/markdown",
        ..CatalogFormat::prompt(
            "kodelet",
            "Kodelet: the description of its tool `skill`",
            kodelet::emit,
        )
        .with_advice()
    },
    CatalogFormat::tools(
        "kodelet-tool",
        "Kodelet: that tool, with its schema",
        kodelet::emit_tool,
    )
    .with_advice(),
    CatalogFormat::tools("pickle", "Pickle-bot: its tool `skill`", pickle::emit),
    CatalogFormat::tools(
        "devai",
        "Devai: a function for each of its skills",
        devai::emit,
    ),
    CatalogFormat::tools(
        "openai",
        "tools of OpenAI's chat completions",
        tools::emit_openai,
    )
    .with_advice(),
    CatalogFormat::tools(
        "openai-responses",
        "tools of OpenAI's responses",
        tools::emit_responses,
    )
    .with_advice(),
    CatalogFormat::tools(
        "anthropic",
        "tools of Anthropic's messages",
        tools::emit_anthropic,
    )
    .with_advice(),
];

impl CatalogFormat {
    const fn data(name: &'static str, summary: &'static str, emit: EmitFn) -> Self {
        CatalogFormat {
            name,
            summary,
            media_type: "application/json",
            purpose: FormatPurpose::Data,
            has_advice: false,
            emit,
        }
    }

    const fn prompt(name: &'static str, summary: &'static str, emit: EmitFn) -> Self {
        CatalogFormat {
            media_type: "application/xml",
            purpose: FormatPurpose::Prompt,
            ..CatalogFormat::data(name, summary, emit)
        }
    }

    const fn tools(name: &'static str, summary: &'static str, emit: EmitFn) -> Self {
        CatalogFormat {
            purpose: FormatPurpose::Tools,
            ..CatalogFormat::data(name, summary, emit)
        }
    }

    const fn with_advice(self) -> Self {
        CatalogFormat {
            has_advice: true,
            ..self
        }
    }
}

/// Writes a catalog.
pub type EmitFn = fn(&Catalog, &EmitOptions<'_>, &mut dyn Write) -> io::Result<()>;

/// The format of this name.
///
/// # Errors
/// If it is not found; the error suggests the nearest.
pub fn find_format(name: &str) -> Result<&'static CatalogFormat> {
    FORMATS
        .iter()
        .find(|format| format.name == name)
        .ok_or_else(|| unknown_format(name))
}

fn unknown_format(name: &str) -> Error {
    let names: Vec<_> = FORMATS
        .iter()
        .map(|format| format!("`{}`", format.name))
        .collect();

    let error = Error::usage(format!("unknown format `{}`", name.escape_debug()));
    match nearest_name(name, FORMATS.iter().map(|format| format.name)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("the formats are {}", names.join(", "))),
    }
}

impl CatalogFormat {
    /// The catalog in this format, as text.
    #[must_use]
    pub fn render(&self, catalog: &Catalog, options: &EmitOptions<'_>) -> String {
        let mut bytes = Vec::new();

        (self.emit)(catalog, options, &mut bytes).expect("writing to memory cannot fail");
        String::from_utf8(bytes).expect("a format writes UTF-8")
    }
}

/// `path` as text of one line.
fn display_path(path: &Path) -> String {
    super::text::one_line(&path.to_string_lossy()).into_owned()
}

/// `text` on one line with the characters that XML reserves replaced.
pub(super) fn escape_xml(text: &str) -> String {
    let mut escaped = Vec::new();

    write_xml(&mut escaped, text, "&apos;").expect("writing to memory cannot fail");
    String::from_utf8(escaped).expect("escaped text is UTF-8")
}

/// The bytes that begin a character which is not written as it is, or may.
// One look-up a byte: comparing with each character took 40 % of a catalog of 10,000 skills.
static BEGINS_XML: [bool; 256] = {
    let mut begins = [false; 256];
    let special = b"&<>\"'\xef";
    let mut at = 0;
    while at < special.len() {
        begins[special[at] as usize] = true;
        at += 1;
    }
    begins
};

/// Writes `text` on one line with the characters that XML reserves replaced; `apostrophe` is how `'` is written.
fn write_xml(out: &mut dyn Write, text: &str, apostrophe: &str) -> io::Result<()> {
    let text = super::text::one_line(text);

    let mut rest = &*text;
    while let Some(at) = rest.bytes().position(|byte| BEGINS_XML[usize::from(byte)]) {
        let (plain, tail) = rest.split_at(at);
        out.write_all(plain.as_bytes())?;

        let mut characters = tail.chars();
        let c = characters.next();
        let entity = match c {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            Some('\'') => apostrophe,
            // Code points that XML 1.0 forbids even as references.
            Some('\u{fffe}' | '\u{ffff}') => "\u{fffd}",
            // Another character with the same first byte.
            _ => &tail[..c.map_or(0, char::len_utf8)],
        };
        out.write_all(entity.as_bytes())?;
        rest = characters.as_str();
    }

    out.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests;

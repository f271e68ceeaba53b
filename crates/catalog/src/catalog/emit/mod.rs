//! Formats: the same list of skills, each time as some agent or tool wants it.
//!
//! A format is one file with `fn emit(&Catalog, &Options, &mut dyn Write)` and one row in [`FORMATS`]. Formats that
//! stand in a prompt show only listed skills, on one line each, and are empty when there is none.

mod called;
mod devai;
mod json;
mod kodelet;
pub mod markdown;
mod nova;
mod pickle;
mod pretty;
pub mod stats;
pub mod template;
mod tools;
mod xml;
mod xml_ref;
mod yodoca;

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

/// Who reads a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Programs.
    Data,
    /// A model, as a part of what it is told.
    Prompt,
    /// A model's interface, as the tools it may call.
    Tools,
    /// Whoever fetches or installs files.
    Files,
}

impl Purpose {
    /// The purpose's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Data => "data",
            Purpose::Prompt => "prompt",
            Purpose::Tools => "tools",
            Purpose::Files => "files",
        }
    }
}

/// One format.
pub struct Format {
    /// The name by which `--format` knows it.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// The media type of its text.
    pub media_type: &'static str,
    /// Who reads it.
    pub purpose: Purpose,
    /// Whether it has advice of ours in it, in whose place [`Options::preamble`] stands.
    pub advises: bool,
    /// Writes a catalog in it.
    pub emit: Emit,
}

/// All formats that need nothing but the catalog.
pub static FORMATS: &[Format] = &[
    Format::data("json", "the whole model, for programs", json::emit),
    Format::prompt("xml", "the form of the Agent Skills client guide", xml::emit),
    Format::prompt("xml-ref", "the form of skills-ref `to-prompt`", xml_ref::emit),
    Format {
        media_type: "text/markdown",
        ..Format::prompt("markdown", "a section of AGENTS.md, between markers", markdown::emit).advising()
    },
    Format { media_type: "text/markdown", ..Format::prompt("nova", "Nova, as its ADR has it", nova::emit) },
    Format {
        media_type: "text/markdown",
        ..Format::prompt("nova-shipped", "Nova, as its program writes it", nova::emit_shipped)
    },
    Format { media_type: "text/plain", ..Format::prompt("yodoca", "Yodoca, for `read_skill`", yodoca::emit) },
    Format {
        media_type: "text/markdown",
        ..Format::prompt("kodelet", "Kodelet: the description of its tool `skill`", kodelet::emit).advising()
    },
    Format::tools("kodelet-tool", "Kodelet: that tool, with its schema", kodelet::emit_tool).advising(),
    Format::tools("pickle", "Pickle-bot: its tool `skill`", pickle::emit),
    Format::tools("devai", "Devai: a function for each of its skills", devai::emit),
    Format::tools("openai", "tools of OpenAI's chat completions", tools::emit_openai).advising(),
    Format::tools("openai-responses", "tools of OpenAI's responses", tools::emit_responses).advising(),
    Format::tools("anthropic", "tools of Anthropic's messages", tools::emit_anthropic).advising(),
];

impl Format {
    const fn data(name: &'static str, summary: &'static str, emit: Emit) -> Self {
        Format { name, summary, media_type: "application/json", purpose: Purpose::Data, advises: false, emit }
    }

    const fn prompt(name: &'static str, summary: &'static str, emit: Emit) -> Self {
        Format { media_type: "application/xml", purpose: Purpose::Prompt, ..Format::data(name, summary, emit) }
    }

    const fn tools(name: &'static str, summary: &'static str, emit: Emit) -> Self {
        Format { purpose: Purpose::Tools, ..Format::data(name, summary, emit) }
    }

    const fn advising(self) -> Self {
        Format { advises: true, ..self }
    }
}

/// Writes a catalog.
pub type Emit = fn(&Catalog, &Options<'_>, &mut dyn Write) -> io::Result<()>;

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

/// `text` on one line with the characters that XML reserves replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = Vec::new();
    write_xml(&mut escaped, text, "&apos;").expect("writing to memory cannot fail");
    String::from_utf8(escaped).expect("escaped text is UTF-8")
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
mod tests;

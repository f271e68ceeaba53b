//! The build script without its input and output: texts of tables in, generated files out.
//!
//! ```text
//! credentials.toml, system.toml, … ─ patterns ─ credentials.rs: `&[SecurityPattern { … }, …]`
//! context.toml, decoding.toml ────── regexes ── context.rs: `const LESSON: PatternRegex = …`
//! secrets.toml ───────────────────── formats ── secrets.rs: `&[SecretFormat { … }, …]`
//! hosts.toml ─────────────────────── hosts ──── hosts.rs: `const WORDS: &[&str] = …`
//! shared.toml: fragments and word lists that several tables use
//!                                    automata ─ patterns.bin: all regexes, precompiled
//! ```
//!
//! The tests of the crate include it, too, since Cargo runs no tests of build scripts.

mod automata;
mod formats;
mod hosts;
mod layout;
mod patterns;
mod source;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use self::layout::RegexFragments;
use self::patterns::PatternTable;

/// A table as it is written.
pub(crate) struct TableText {
    /// Its path below `rules/security`, with `/`.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

/// A file to write.
pub(crate) struct GeneratedFile {
    /// Its path below `OUT_DIR/security`.
    pub(crate) path: String,
    /// Its contents.
    pub(crate) bytes: Vec<u8>,
}

/// The parts that several tables use.
#[derive(Default)]
struct SharedParts {
    fragments: RegexFragments,
    /// Lists of trigger words, by name.
    words: BTreeMap<String, Vec<String>>,
}

/// Generates all files.
///
/// # Errors
///
/// A table that is not valid, named with its row.
pub(crate) fn generate(sources: &[TableText]) -> Result<Vec<GeneratedFile>, String> {
    let mut files = Vec::new();
    let mut shared = SharedParts::default();

    // The hosts come first: they are trigger words of a pattern.
    if let Some(source) = find_source(sources, "hosts.toml") {
        let hosts = in_file(source, hosts::read_hosts(&source.text))?;
        shared
            .words
            .insert("untrusted_hosts".into(), hosts.trigger_words());
        files.push(text_file(&source.name, hosts.to_source()));
    }
    if let Some(source) = find_source(sources, "shared.toml") {
        in_file(source, patterns::read_shared(&source.text, &mut shared))?;
    }

    let mut tables = Vec::new();
    for source in sources {
        match source.name.as_str() {
            "hosts.toml" | "shared.toml" => {}
            "secrets.toml" => {
                let formats = in_file(source, formats::read_formats(&source.text))?;
                files.push(text_file(&source.name, source::write_formats(&formats)));
            }
            _ => tables.push(in_file(source, patterns::read_table(source, &shared))?),
        }
    }

    reject_duplicates(&tables)?;
    for table in &tables {
        files.push(text_file(&table.name, source::write_table(table)));
    }
    files.push(GeneratedFile {
        path: "patterns.bin".into(),
        bytes: automata::precompile(&tables)?,
    });
    Ok(files)
}

fn find_source<'s>(sources: &'s [TableText], name: &str) -> Option<&'s TableText> {
    sources.iter().find(|source| source.name == name)
}

fn in_file<T>(source: &TableText, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|error| format!("invalid table `{}`: {error}", source.name))
}

fn text_file(table: &str, text: String) -> GeneratedFile {
    GeneratedFile {
        path: table.replace(".toml", ".rs"),
        bytes: text.into_bytes(),
    }
}

/// An id names one row of all tables, so that a message about it leads to one place.
fn reject_duplicates(tables: &[PatternTable]) -> Result<(), String> {
    let mut known = BTreeSet::new();
    for table in tables {
        for id in table.ids() {
            if !known.insert(id) {
                return Err(format!("duplicate id `{id}` in table `{}`", table.name));
            }
        }
    }
    Ok(())
}

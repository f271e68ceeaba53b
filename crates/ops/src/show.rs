//! `show`: what an agent reads of a skill it has chosen, and any other of its files.

use std::path::PathBuf;

use super::Context;
use super::catalog::{CatalogOptions, catalog};
use super::inspect::entry;
use crate::bundled;
use crate::catalog::loaded::Loaded;
use crate::catalog::{Candidate, Catalog, Entry, FileFact, Root, Tier};
use crate::error::{Error, Result, nearest};
use crate::io::disk;
use crate::package::{BundledSkill, Limits, RelPath, Sha256};
use crate::skill::{Format, Tool, tokens};

/// A skill, or one of its files.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The skill's name.
    pub name: String,
    /// The tier it stands in.
    pub tier: Tier,
    /// The format it is written in.
    pub format: Format,
    /// The version, as it says itself or as it was installed.
    pub version: Option<String>,
    /// Its directory.
    pub directory: PathBuf,
    /// The file that was read.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What is known of the file.
    pub file: FileFact,
    /// Where the instructions begin; `None` for another file than the one with the instructions.
    pub body_start: Option<usize>,
    /// The skills it says it requires, each with whether there is one.
    pub requires: Vec<(String, bool)>,
    /// The tools it declares.
    pub tools: Vec<Tool>,
    /// The other files of the skill, sorted.
    pub resources: Vec<FileFact>,
    /// Why agents are not shown the skill, if they are not.
    pub hidden: Option<&'static str>,
    /// What stands in the place of instructions, where the skill has no file of them.
    made: Option<String>,
}

/// One skill's instructions, or another of its files, from the catalog that `options` want.
///
/// # Errors
/// If there is no such skill or file, or the path leaves the skill's directory.
pub fn show(context: &Context<'_>, options: CatalogOptions, name: &str, file: Option<&str>) -> Result<Shown> {
    let catalog = catalog(context, &CatalogOptions { contents: true, ..options })?;
    let entry = entry(&catalog, name)?;
    let facts = entry.candidate.listing.facts();
    let main = facts.format.file();
    let path = file_path(name, file.unwrap_or(main))?;
    if !entry.candidate.has_file(path.as_str()) {
        return Err(no_such_file(name, &path, &entry.candidate));
    }
    let directory = entry.candidate.base_dir(&catalog.roots);
    let place = directory.join(path.to_path());
    let bytes = bytes_of(&catalog, entry, &path)?;
    Ok(Shown {
        name: name.to_owned(),
        tier: catalog.roots[usize::from(entry.candidate.root)].tier,
        format: facts.format,
        version: entry.candidate.version().map(str::to_owned),
        path: place,
        directory,
        body_start: (path.as_str() == main).then_some(entry.candidate.listing.body_start as usize),
        requires: facts.requires.iter().map(|required| (required.to_string(), is_there(&catalog, required))).collect(),
        tools: facts.tools.to_vec(),
        resources: entry.candidate.files().iter().filter(|fact| *fact.path != *main).cloned().collect(),
        file: fact_of(&entry.candidate, &path, &bytes),
        bytes,
        hidden: entry.hidden.map(crate::catalog::Why::name),
        made: entry.candidate.listing.made_instructions(),
    })
}

impl Shown {
    /// The file as text; what is no UTF-8 in it is marked.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The instructions; `None` for another file. A skill that is a call has a text on what it is called with.
    #[must_use]
    pub fn body(&self) -> Option<String> {
        let body_start = self.body_start?;
        if let Some(made) = &self.made {
            return Some(made.clone());
        }
        let body = self.bytes.get(body_start..).unwrap_or_default();
        Some(String::from_utf8_lossy(body).into_owned())
    }

    /// Whether the file is no text.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        self.bytes.contains(&0) || str::from_utf8(&self.bytes).is_err()
    }

    /// The skill as agents hand it to a model; `None` for another file than the one with the instructions.
    #[must_use]
    pub fn loaded(&self) -> Option<Loaded> {
        let text = self.text();
        Some(Loaded {
            name: self.name.clone(),
            version: self.version.clone(),
            directory: self.directory.to_string_lossy().into_owned(),
            body: self.body()?,
            tokens: tokens::approximate(&text),
            text,
            requires: self.requires.iter().map(|(name, _)| name.clone()).collect(),
            tools: self.tools.iter().map(|tool| tool.name.clone()).collect(),
            resources: self.resources.iter().map(|fact| fact.path.to_string()).collect(),
        })
    }
}

fn file_path(name: &str, wanted: &str) -> Result<RelPath> {
    wanted.parse().map_err(|error: Error| {
        let error = error.wrap(format!("`{}` is not a file of `{name}`", wanted.escape_debug()));
        error.help(format!("`skillpm show {name} --files` lists those it has"))
    })
}

/// What is known of a file with these bytes.
fn fact_of(candidate: &Candidate, path: &RelPath, bytes: &[u8]) -> FileFact {
    let listed = candidate.files().iter().find(|fact| *fact.path == *path.as_str());
    FileFact {
        path: path.as_str().into(),
        size: bytes.len() as u64,
        sha256: Sha256::of(bytes),
        executable: listed.is_some_and(|fact| fact.executable),
    }
}

fn no_such_file(name: &str, path: &RelPath, candidate: &Candidate) -> Error {
    let names: Vec<&str> = candidate.files().iter().map(|fact| &*fact.path).collect();
    let error = Error::negative(format!("`{name}` has no file `{path}`"));
    match nearest(path.as_str(), names.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => {
            error.help(format!("its files could not be looked at: `skillpm catalog --only {name}` says why"))
        }
        None => error.help(format!("it has: {}", names.join(", "))),
    }
}

/// Whether there is a skill for a `name` or `name@req` that another one requires.
fn is_there(catalog: &Catalog, required: &str) -> bool {
    let name = required.split('@').next().unwrap_or(required).trim();
    catalog.entries.iter().any(|entry| *entry.candidate.listing.name == *name)
}

/// The instructions of a skill: its file without what stands before them.
pub(super) fn instructions(catalog: &Catalog, entry: &Entry) -> Result<String> {
    let candidate = &entry.candidate;
    if let Some(made) = candidate.listing.made_instructions() {
        return Ok(made);
    }
    let path: RelPath = candidate.listing.facts().format.file().parse()?;
    let bytes = bytes_of(catalog, entry, &path)?;
    let body = bytes.get(candidate.listing.body_start as usize..).unwrap_or_default();
    Ok(String::from_utf8_lossy(body).into_owned())
}

fn bytes_of(catalog: &Catalog, entry: &Entry, path: &RelPath) -> Result<Vec<u8>> {
    read_file(catalog, &entry.candidate, path, Limits::default().file)?.ok_or_else(|| {
        let place = entry.candidate.base_dir(&catalog.roots).join(path.to_path());
        Error::disk(format!("`{}` is gone", place.display()))
    })
}

/// The bytes of one of a skill's files; `None` if it is gone. No link is followed: it may have become one since it was
/// listed.
///
/// # Errors
/// If it cannot be read, or has more than `limit` bytes.
pub(super) fn read_file(
    catalog: &Catalog,
    candidate: &Candidate,
    path: &RelPath,
    limit: u64,
) -> Result<Option<Vec<u8>>> {
    if let Some(bytes) = disk::read_file_below(&candidate.base_dir(&catalog.roots), path, limit)? {
        return Ok(Some(bytes));
    }
    Ok(bundled_of(&catalog.roots, candidate).and_then(|skill| skill.get(path.as_str())).map(<[u8]>::to_vec))
}

/// The skill of the binary's own that this one is, for where the disk refused to take it; `None` for all others.
pub(super) fn bundled_of(roots: &[Root], candidate: &Candidate) -> Option<&'static BundledSkill> {
    let is_bundled = roots[usize::from(candidate.root)].tier == Tier::Bundled;
    bundled::SKILLS.iter().find(|skill| is_bundled && *skill.name == *candidate.directory)
}

//! `show`: prints the instructions of a skill as an agent reads them, or another of its files.

use std::path::PathBuf;

use super::CommandContext;
use super::catalog::{CatalogOptions, catalog};
use super::info::{InfoOptions, fetch_package};
use super::inspect::find_entry;
use skillpm_catalog::catalog::loaded::{self, LoadedSkill};
use skillpm_catalog::catalog::{
    Catalog, CatalogEntry, FileFact, HiddenReason, SkillCandidate, SkillRoot, Tier,
};
use skillpm_core::error::{Error, FailureKind, Result, nearest_name};
use skillpm_core::package::{BundledSkill, PackageSpec, RelPath, Sha256Digest, TreeLimits};
use skillpm_core::skill::{SkillFormat, SkillTool, tokens};
use skillpm_io::disk;
use skillpm_registry::bundled;

/// A skill, or one of its files.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSkill {
    /// The skill's name.
    pub name: String,
    /// What its own descriptor calls it; its name where that says nothing else.
    pub title: String,
    /// Its directory's name.
    pub id: String,
    /// The id by which the catalog lists it for the agent.
    pub catalog_id: String,
    /// Its tier.
    pub tier: Tier,
    /// The format it is written in.
    pub format: SkillFormat,
    /// The version of its own metadata, or of its installation.
    pub version: Option<String>,
    /// Its directory.
    pub directory: PathBuf,
    /// The file that was read.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The size, digest and mode of the file.
    pub file: FileFact,
    /// The offset of the instructions in bytes; `None` for a file without instructions.
    pub body_start: Option<usize>,
    /// The skills it requires, each with whether it exists.
    pub requires: Vec<(String, bool)>,
    /// The tools it declares.
    pub tools: Vec<SkillTool>,
    /// The other files of the skill, sorted.
    pub resources: Vec<FileFact>,
    /// Why the skill is hidden from agents; `None` if it is not.
    pub hidden: Option<&'static str>,
    /// Generated instructions of a skill without an instructions file.
    generated_instructions: Option<String>,
}

/// Reads a skill's instructions, or another of its files, from the catalog that `options` select, or else from the source
/// that `name` is.
///
/// # Errors
/// If the skill or file does not exist, or the path is outside of the skill's directory.
pub fn show(
    context: &CommandContext<'_>,
    options: CatalogOptions,
    name: &str,
    choice: SourceChoice<'_>,
    file: Option<&str>,
) -> Result<ShownSkill> {
    // The contents: only they have the list of files that may be read.
    let options = CatalogOptions {
        contents: true,
        ..options
    };
    let found = catalog(context, &options)?;
    if options.dirs.is_empty() {
        read_or_fetch(context, &found, name, choice, file)
    } else {
        read_shown(&found, name, file)
    }
}

/// Reads a skill of the catalog, or else of the source that `name` is.
fn read_or_fetch(
    context: &CommandContext<'_>,
    found: &Catalog,
    name: &str,
    choice: SourceChoice<'_>,
    file: Option<&str>,
) -> Result<ShownSkill> {
    let spec = match name.parse::<PackageSpec>() {
        Ok(spec) if found.find(name).is_none() => spec,
        _ => return read_shown(found, name, file),
    };

    // Not here: what `add` would add can be read before.
    let is_name = matches!(spec, PackageSpec::Registry { .. });
    let options = InfoOptions {
        spec,
        registry: choice.registry.map(str::to_owned),
        skill: choice.skill.map(str::to_owned),
    };
    match fetch_shown(context, name, &options, file) {
        // A name of neither: the nearest of each.
        Err(error) if is_name && error.kind() == FailureKind::Negative => {
            let near = error
                .helps()
                .iter()
                .filter(|help| help.starts_with("did you mean"));
            let near: Vec<String> = near.cloned().collect();
            read_shown(found, name, file).map_err(|error| near.into_iter().fold(error, Error::help))
        }
        shown => shown,
    }
}

/// Which skill of a source to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceChoice<'a> {
    /// The registry of a name; `None` for the first that has it.
    pub registry: Option<&'a str>,
    /// The skill, of a source with several.
    pub skill: Option<&'a str>,
}

/// Reads a skill that `skillpm add SPEC` would add.
fn fetch_shown(
    context: &CommandContext<'_>,
    written: &str,
    options: &InfoOptions,
    file: Option<&str>,
) -> Result<ShownSkill> {
    let Ok(package) = fetch_package(context, options)? else {
        return Err(
            Error::usage(format!("`{written}` has several skills")).help(format!(
                "`skillpm info {written}` lists them; choose one with `--skill NAME`"
            )),
        );
    };

    let name = package.summary.name.skill().clone();
    // Out of the project, where nothing else looks for skills.
    let scratch = disk::create_temp_dir(&context.dirs.skillpm_home, ".stage-")?;
    let shown = disk::write_tree(&scratch.join(name.as_str()), &package.tree).and_then(|_| {
        let options = CatalogOptions {
            dirs: vec![scratch.clone()],
            contents: true,
            ..CatalogOptions::default()
        };
        read_shown(&catalog(context, &options)?, name.as_str(), file)
    });
    disk::remove(&scratch)?;
    let mut shown = shown?;
    // Where its files are once it is added, seen from the directory of skills.
    shown.directory = PathBuf::from(name.as_str());
    shown.path = shown.directory.join(&*shown.file.path);
    Ok(shown)
}

/// Reads a skill's instructions for the tool of one agent, named by its format: what that tool refuses is refused in its
/// words.
///
/// # Errors
/// As for [`show`].
pub fn show_for_tool(
    context: &CommandContext<'_>,
    options: CatalogOptions,
    name: &str,
    choice: SourceChoice<'_>,
    format: &str,
) -> Result<ShownSkill> {
    let options = CatalogOptions {
        contents: true,
        ..options
    };
    let found = catalog(context, &options)?;
    match tool_refusal(&found, name, format) {
        Some(words) => Err(Error::negative(words)),
        None if options.dirs.is_empty() => read_or_fetch(context, &found, name, choice, None),
        None => read_shown(&found, name, None),
    }
}

/// What the tool of an agent answers instead of a skill; `None` if it loads one, or has no words of its own.
fn tool_refusal(catalog: &Catalog, name: &str, format: &str) -> Option<String> {
    let is_unknown = find_entry(catalog, name).is_err();
    let directories = || catalog.listed().map(|entry| &*entry.candidate.directory);

    match format {
        "nova" if is_unknown => Some(loaded::nova_unknown(name, directories())),
        "nova-shipped" if is_unknown => Some(loaded::nova_shipped_unknown(name, directories())),
        "kodelet" if name.is_empty() => Some(loaded::KODELET_NAME_MISSING.to_owned()),
        "kodelet" if catalog.is_disabled => Some(loaded::KODELET_DISABLED.to_owned()),
        "kodelet" if is_unknown => {
            let names = catalog.listed().map(|entry| &*entry.candidate.listing.name);
            Some(loaded::kodelet_unknown(name, names))
        }
        "pickle" if is_unknown => Some(loaded::pickle_not_found(name)),
        _ => None,
    }
}

fn read_shown(catalog: &Catalog, name: &str, file: Option<&str>) -> Result<ShownSkill> {
    let entry = find_entry(catalog, name)?;
    let main = entry.candidate.file_name();

    let path = file_path(name, file.unwrap_or(main))?;
    // The file must be listed in the catalog, so that no path leads out of the skill.
    if !entry.candidate.has_file(path.as_str()) {
        return Err(no_such_file(name, &path, &entry.candidate));
    }

    let bytes = read_bytes(catalog, entry, &path)?;
    Ok(ShownSkill::from_entry(catalog, entry, &path, bytes))
}

impl ShownSkill {
    /// A skill of the catalog, with the bytes of one of its files.
    fn from_entry(
        catalog: &Catalog,
        entry: &CatalogEntry,
        path: &RelPath,
        bytes: Vec<u8>,
    ) -> ShownSkill {
        let candidate = &entry.candidate;
        let facts = candidate.listing.facts();
        let main = candidate.file_name();
        let directory = candidate.base_dir(&catalog.roots);
        let requires = facts
            .requires
            .iter()
            .map(|required| (required.to_string(), has_skill(catalog, required)));
        let resources = candidate.files().iter().filter(|fact| *fact.path != *main);

        ShownSkill {
            name: candidate.listing.name.to_string(),
            title: candidate.title().to_owned(),
            id: candidate.id().to_owned(),
            catalog_id: catalog.id_of(entry).to_owned(),
            tier: catalog.roots[usize::from(candidate.root)].tier,
            format: facts.format,
            version: candidate.version().map(str::to_owned),
            path: directory.join(path.to_path()),
            directory,
            // Another file has no instructions that could begin anywhere.
            body_start: (path.as_str() == main).then_some(candidate.listing.body_start as usize),
            requires: requires.collect(),
            tools: facts.tools.to_vec(),
            resources: resources.cloned().collect(),
            file: file_fact(candidate, path, &bytes),
            bytes,
            hidden: entry.hidden.map(HiddenReason::name),
            generated_instructions: candidate.listing.generated_instructions(),
        }
    }
    /// The file as text, with replacement characters for invalid UTF-8.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The instructions; `None` for another file. Those of a skill that is a command are generated.
    #[must_use]
    pub fn body(&self) -> Option<String> {
        let body_start = self.body_start?;
        // Skills that are commands have no text; it is generated from their parameters.
        if let Some(generated) = &self.generated_instructions {
            return Some(generated.clone());
        }

        // The file may have become shorter since it was listed.
        let body = self.bytes.get(body_start..).unwrap_or_default();
        Some(String::from_utf8_lossy(body).into_owned())
    }

    /// Whether the file is not UTF-8 text.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        // A zero byte is valid UTF-8, and still no text.
        self.bytes.contains(&0) || str::from_utf8(&self.bytes).is_err()
    }

    /// The skill as agents pass it to a model; `None` for a file without instructions.
    #[must_use]
    pub fn to_loaded(&self) -> Option<LoadedSkill> {
        let text = self.text();
        Some(LoadedSkill {
            name: self.name.clone(),
            title: self.title.clone(),
            id: self.id.clone(),
            catalog_id: self.catalog_id.clone(),
            version: self.version.clone(),
            directory: self.directory.to_string_lossy().into_owned(),
            body: self.body()?,
            tokens: tokens::approximate(&text),
            text,
            requires: self.requires.iter().map(|(name, _)| name.clone()).collect(),
            tools: self.tools.iter().map(|tool| tool.name.clone()).collect(),
            resources: self
                .resources
                .iter()
                .map(|fact| fact.path.to_string())
                .collect(),
        })
    }
}

/// A path as models and people write it, without its `.` parts: `./references/x.md` is `references/x.md`. Everything else
/// stays, so that a path which leads elsewhere is refused by the same checks as before.
#[must_use]
pub fn drop_dot_parts(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| *part != ".").collect();
    parts.join("/")
}

fn file_path(name: &str, path: &str) -> Result<RelPath> {
    drop_dot_parts(path)
        .parse()
        .map_err(|error| invalid_path(error, name, path))
}

fn invalid_path(error: Error, name: &str, path: &str) -> Error {
    let error = error.wrap(format!(
        "invalid path `{}` of a file of `{name}`",
        path.escape_debug()
    ));
    error.help(format!(
        "to see its files, run `skillpm show {name} --files`"
    ))
}

/// The size, digest and mode of a file with these bytes.
fn file_fact(candidate: &SkillCandidate, path: &RelPath, bytes: &[u8]) -> FileFact {
    let listed = candidate
        .files()
        .iter()
        .find(|fact| *fact.path == *path.as_str());
    FileFact {
        path: path.as_str().into(),
        size: bytes.len() as u64,
        // Of the bytes that were read: the file may have changed since it was listed.
        sha256: Sha256Digest::hash_bytes(bytes),
        executable: listed.is_some_and(|fact| fact.executable),
    }
}

fn no_such_file(name: &str, path: &RelPath, candidate: &SkillCandidate) -> Error {
    let names: Vec<&str> = candidate.files().iter().map(|fact| &*fact.path).collect();

    let error = Error::negative(format!("file `{path}` not found in `{name}`"));
    match nearest_name(path.as_str(), names.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        // Every skill has a file, so that an empty list means that it could not be read.
        None if names.is_empty() => error.help(format!(
            "its files could not be read; for the reason, run `skillpm catalog --only {name}`"
        )),
        None => error.help(format!("it has: {}", names.join(", "))),
    }
}

/// Whether there is a skill for a `name` or `name@req` in `requires`.
fn has_skill(catalog: &Catalog, required: &str) -> bool {
    // `requires` may have a version requirement after `@`; only the name is compared.
    let name = required.split('@').next().unwrap_or(required).trim();

    catalog
        .entries
        .iter()
        .any(|entry| *entry.candidate.listing.name == *name)
}

/// The instructions of a skill: its file without the frontmatter.
pub(super) fn read_instructions(catalog: &Catalog, entry: &CatalogEntry) -> Result<String> {
    let candidate = &entry.candidate;

    if let Some(generated) = candidate.listing.generated_instructions() {
        return Ok(generated);
    }

    let path: RelPath = candidate.file_name().parse()?;
    let bytes = read_bytes(catalog, entry, &path)?;

    let body = bytes
        .get(candidate.listing.body_start as usize..)
        .unwrap_or_default();
    Ok(String::from_utf8_lossy(body).into_owned())
}

fn read_bytes(catalog: &Catalog, entry: &CatalogEntry, path: &RelPath) -> Result<Vec<u8>> {
    read_file(catalog, &entry.candidate, path, TreeLimits::default().file)?.ok_or_else(|| {
        let full_path = entry
            .candidate
            .base_dir(&catalog.roots)
            .join(path.to_path());
        Error::disk(format!("file `{}` no longer exists", full_path.display()))
    })
}

/// The bytes of one of a skill's files; `None` if it no longer exists. Links are not followed: the
/// file may have become one since it was listed.
///
/// # Errors
/// If it cannot be read, or has more than `limit` bytes.
pub(super) fn read_file(
    catalog: &Catalog,
    candidate: &SkillCandidate,
    path: &RelPath,
    limit: u64,
) -> Result<Option<Vec<u8>>> {
    // Bundled skills are unpacked to disk. If that failed, the copy in the program is read.
    if let Some(bytes) = disk::read_file_below(&candidate.base_dir(&catalog.roots), path, limit)? {
        return Ok(Some(bytes));
    }

    Ok(find_bundled(&catalog.roots, candidate)
        .and_then(|skill| skill.get(path.as_str()))
        .map(<[u8]>::to_vec))
}

/// The bundled skill in the program, for when unpacking it to disk failed; `None` for skills that
/// are not bundled.
pub(super) fn find_bundled(
    roots: &[SkillRoot],
    candidate: &SkillCandidate,
) -> Option<&'static BundledSkill> {
    // By tier: a skill of the project may have the name of a bundled one.
    let is_bundled = roots[usize::from(candidate.root)].tier == Tier::Bundled;
    bundled::SKILLS
        .iter()
        .find(|skill| is_bundled && *skill.name == *candidate.directory)
}

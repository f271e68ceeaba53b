//! `serve`: a snapshot of the catalog for clients that request single skills.
//!
//! A client can read listed skills, and of each the files that were hashed; no other path is
//! served.

use std::sync::Arc;

use super::installed_states::InstalledStates;
use super::search::row_of;
use super::show::read_file;
use skillpm_catalog::catalog::loaded::LoadedSkill;
use skillpm_catalog::catalog::permission::full_tool_name;
use skillpm_catalog::catalog::{Catalog, CatalogEntry, ToolVerdict};
use skillpm_catalog::site::{
    OfferedMetadata, OfferedSkill, SiteBuilder, SiteFiles, SiteHost, WellKnown,
};
use skillpm_core::error::{Error, Result, nearest_name};
use skillpm_core::package::{RelPath, SkillName, Tree};
use skillpm_core::skill::{self, SkillFormat, SkillTool, tokens};
pub use skillpm_io::platform::ShutdownSignals;
use skillpm_registry::index::search::{self, SearchQuery, SearchTable};

/// The size in bytes of the largest file that is served.
const FILE_MAX: u64 = 16 << 20;

/// The highest number of names in an error.
const NAMES_MAX: usize = 50;

/// The served skills of a catalog.
#[derive(Debug, Default, PartialEq)]
pub struct ServedCatalog {
    catalog: Arc<Catalog>,
    states: InstalledStates,
}

impl ServedCatalog {
    /// Serves a catalog, which should have the contents of its skills.
    #[must_use]
    pub fn new(catalog: Arc<Catalog>) -> Self {
        ServedCatalog {
            catalog,
            states: InstalledStates::default(),
        }
    }

    /// The same, with what lockfiles say of the skills.
    #[must_use]
    pub fn with_states(self, states: InstalledStates) -> Self {
        ServedCatalog { states, ..self }
    }

    /// What lockfiles say of the skills; nothing if that was not read.
    pub(crate) fn states(&self) -> &InstalledStates {
        &self.states
    }

    /// The whole catalog, with the skills that are not served.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The served skills, sorted by the bytes of the name. Of several with the same id only the
    /// first is served: clients request skills by id.
    pub fn skills(&self) -> impl Iterator<Item = &CatalogEntry> {
        // Entries are sorted by name, so that equal names follow each other. To Nova they may still
        // be two skills: `a_b` and `a-b` have one name.
        let mut name: &str = "";
        let mut ids: Vec<&str> = Vec::new();
        self.catalog.listed().filter(move |entry| {
            if *entry.candidate.listing.name != *name {
                name = &entry.candidate.listing.name;
                ids.clear();
            }
            let id = self.catalog.id_of(entry);
            let is_first = !ids.contains(&id);
            ids.push(id);
            is_first
        })
    }

    /// The served skill with an id.
    #[must_use]
    pub fn with_id(&self, id: &str) -> Option<&CatalogEntry> {
        self.skills().find(|entry| self.catalog.id_of(entry) == id)
    }

    /// The served skill with a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&CatalogEntry> {
        // Sorted by name, so that a binary search finds the first of that name.
        let entries = &self.catalog.entries;
        let first = entries.partition_point(|entry| &*entry.candidate.listing.name < name);

        let mut same_name = entries[first..]
            .iter()
            .take_while(|entry| *entry.candidate.listing.name == *name);
        same_name.find(|entry| entry.hidden.is_none())
    }

    /// The served skill that the agent identifies by `name`; if there is none, the one with that name, or in a directory
    /// of that name.
    ///
    /// # Errors
    /// If there is none; the error suggests the nearest name.
    pub fn find(&self, name: &str) -> Result<&CatalogEntry> {
        let in_directory = || self.skills().find(|entry| entry.candidate.id() == name);

        // The agent's own ids go first: the name of one skill may be the directory of another.
        let found = if self.catalog.ids_are_directories {
            in_directory().or_else(|| self.get(name))
        } else {
            self.get(name).or_else(in_directory)
        };

        found.ok_or_else(|| {
            let error = Error::negative(format!("skill `{}` not found", name.escape_debug()));
            error.help_nearest(name, self.ids(), "to see all skills, call `list_skills`")
        })
    }

    /// What the agent identifies a served skill by.
    #[must_use]
    pub fn id_of<'e>(&self, entry: &'e CatalogEntry) -> &'e str {
        self.catalog.id_of(entry)
    }

    /// The ids of the skills for a message: at most 50.
    #[must_use]
    pub fn some_names(&self) -> String {
        let mut names: Vec<String> = self
            .ids()
            .take(NAMES_MAX)
            .map(|id| id.escape_debug().to_string())
            .collect();

        let more = self.skills().count() - names.len();
        if more > 0 {
            names.push(format!("and {more} more"));
        }
        names.join(", ")
    }

    /// The ids of the served skills, in the order of their names.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.skills().map(|entry| self.catalog.id_of(entry))
    }

    /// The skills whose name or id, or one of whose tags, contains `part`, ignoring case.
    pub fn matching(&self, part: &str) -> impl Iterator<Item = &CatalogEntry> {
        let part = part.to_lowercase();
        let fits = move |text: &str| text.to_lowercase().contains(&part);
        self.skills().filter(move |entry| {
            let listing = &entry.candidate.listing;
            fits(&listing.name)
                || fits(self.catalog.id_of(entry))
                || listing.facts().tags.iter().any(|tag| fits(tag))
        })
    }

    /// Searches the skills for words; returns at most `limit`, best first.
    #[must_use]
    pub fn search(&self, words: &str, limit: usize) -> Vec<&CatalogEntry> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let query = SearchQuery::new(&words);

        let entries: Vec<&CatalogEntry> = self.skills().collect();
        if query.is_empty() {
            return Vec::new();
        }

        let rows: Vec<_> = entries
            .iter()
            .map(|entry| row_of(&entry.candidate))
            .collect();

        // A table of its own for each search: the catalog is small, and may change any time.
        let found = search::search_tables(&mut [SearchTable::from_rows(&rows)], &query, &[], limit)
            .unwrap_or_default();

        found
            .hits
            .iter()
            .filter_map(|hit| entries.get(hit.row as usize).copied())
            .collect()
    }

    /// Loads a skill for a model. Denied tools are left out.
    ///
    /// # Errors
    /// If the file with the instructions no longer exists.
    pub fn load(&self, entry: &CatalogEntry) -> Result<LoadedSkill> {
        let candidate = &entry.candidate;
        let facts = candidate.listing.facts();
        let main = candidate.file_name();
        let (text, body) = self.read_instructions(entry)?;

        // A tool that would be refused is not offered to the model.
        let is_offered = |tool: &&SkillTool| {
            let name = full_tool_name(&candidate.directory, &tool.name);
            self.catalog.permissions.verdict(&name).0 != ToolVerdict::Deny
        };
        let tools = facts.tools.iter().filter(is_offered);
        let resources = candidate
            .files()
            .iter()
            .map(|file| file.path.to_string())
            .filter(|path| path != main);

        Ok(LoadedSkill {
            name: candidate.listing.name.to_string(),
            title: candidate.title().to_owned(),
            id: candidate.id().to_owned(),
            catalog_id: self.id_of(entry).to_owned(),
            version: candidate.version().map(str::to_owned),
            directory: candidate
                .base_dir(&self.catalog.roots)
                .to_string_lossy()
                .into_owned(),
            body,
            tokens: tokens::approximate(&text),
            text,
            requires: facts.requires.iter().map(ToString::to_string).collect(),
            tools: tools.map(|tool| tool.name.clone()).collect(),
            resources: resources.collect(),
        })
    }

    /// The text of a skill's main file, and the instructions in it.
    fn read_instructions(&self, entry: &CatalogEntry) -> Result<(String, String)> {
        let candidate = &entry.candidate;
        let format = candidate.listing.facts().format;
        let bytes = self.read(entry, candidate.file_name())?;

        // A skill that is a command has no instructions file: they are generated from its
        // parameters.
        if let Some(generated) = candidate.listing.generated_instructions() {
            return Ok((generated.clone(), generated));
        }

        // Where they begin may have changed since the skill was listed.
        let body_start = match format {
            SkillFormat::SkillMd => skill::read(&bytes, &candidate.directory)
                .skill
                .map_or(0, |skill| skill.body_start),
            _ => candidate.listing.body_start as usize,
        };
        let body = bytes.get(body_start..).unwrap_or_default();
        let body = String::from_utf8_lossy(body).into_owned();
        Ok((String::from_utf8_lossy(&bytes).into_owned(), body))
    }

    /// The bytes of one of a skill's files.
    ///
    /// # Errors
    /// If the path is not a path inside a skill, or the skill has no such file.
    pub fn read(&self, entry: &CatalogEntry, path: &str) -> Result<Vec<u8>> {
        let name = &entry.candidate.listing.name;
        let path: RelPath = path.parse().map_err(|error: Error| {
            error.wrap(format!(
                "invalid path `{}` of a file of `{}`",
                path.escape_debug(),
                name.escape_debug()
            ))
        })?;

        // Only files that were listed and hashed: no other file on disk can be requested.
        if !entry.candidate.has_file(path.as_str()) {
            let error = Error::negative(format!(
                "file `{path}` not found in `{}`",
                name.escape_debug()
            ));
            return Err(
                match nearest_name(
                    path.as_str(),
                    entry.candidate.files().iter().map(|file| &*file.path),
                ) {
                    Some(near) => error.help(format!("did you mean `{}`?", near.escape_debug())),
                    None => error,
                },
            );
        }

        read_file(&self.catalog, &entry.candidate, &path, FILE_MAX)?.ok_or_else(|| {
            Error::disk(format!(
                "file `{path}` of `{}` no longer exists",
                name.escape_debug()
            ))
        })
    }

    /// The lists of the `.well-known` tree, with all skills that can be published.
    ///
    /// # Errors
    /// If a skill cannot be read.
    pub fn well_known_lists(&self) -> Result<SiteFiles> {
        let mut all = WellKnown::new(None, SiteHost::Serve);
        // A skill whose name cannot be published is left out; it is not an error.
        for (name, entry) in self
            .skills()
            .filter_map(|entry| Some((published_name(entry)?, entry)))
        {
            all.add(&offered_skill(&name, entry, &self.tree(entry)?))?;
        }

        Ok(all.finish())
    }

    /// One skill's files in the `.well-known` tree; `None` if the skill is not in it.
    ///
    /// # Errors
    /// If the skill cannot be read.
    pub fn well_known_files(&self, name: &str) -> Result<Option<SiteFiles>> {
        let Some((name, entry)) = self
            .get(name)
            .and_then(|entry| Some((published_name(entry)?, entry)))
        else {
            return Ok(None);
        };

        let tree = self.tree(entry)?;
        WellKnown::new(None, SiteHost::Serve)
            .add(&offered_skill(&name, entry, &tree))
            .map(Some)
    }

    fn tree(&self, entry: &CatalogEntry) -> Result<Tree> {
        let mut tree = Tree::builder();
        for file in entry.candidate.files() {
            tree.add(&file.path, self.read(entry, &file.path)?, file.executable)?;
        }
        Ok(tree.finish())
    }
}

fn offered_skill<'a>(
    name: &'a SkillName,
    entry: &'a CatalogEntry,
    tree: &'a Tree,
) -> OfferedSkill<'a> {
    OfferedSkill {
        name,
        description: &entry.candidate.listing.description,
        tree,
        metadata: OfferedMetadata::default(),
    }
}

/// The name that a skill can be published under: its own, if that is valid and its files are
/// allowed in a package.
#[must_use]
pub fn published_name(entry: &CatalogEntry) -> Option<SkillName> {
    let listing = &entry.candidate.listing;

    // A checksum exists only if all files could be read; an archive must not lack any.
    let is_whole = entry
        .candidate
        .content
        .as_ref()
        .is_some_and(|content| content.checksum.is_some());
    (is_whole && listing.facts().format == SkillFormat::SkillMd)
        .then(|| listing.name.parse().ok())
        .flatten()
}

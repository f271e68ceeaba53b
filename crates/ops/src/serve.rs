//! `serve`: the catalog at one moment, for those who ask for skills one by one.
//!
//! Whoever asks sees the skills that are listed, and of each the files that were hashed: no other path leads anywhere.

use std::sync::Arc;

use super::search::row_of;
use super::show::read_file;
use crate::catalog::loaded::Loaded;
use crate::catalog::permission::full_name;
use crate::catalog::{Catalog, Entry, Verdict};
use crate::error::{Error, Result, nearest};
use crate::index::search::{self, Query, Table};
use crate::package::{RelPath, SkillName, Tree};
use crate::site::{About, Files, Offered, Offering, WellKnown};
use crate::skill::{self, Format, Tool, tokens};

/// Most bytes of a file that is read for somebody.
const FILE_MAX: u64 = 16 << 20;

/// How many names an error offers.
const NAMES_MAX: usize = 50;

/// The skills of one moment.
#[derive(Debug, Default, PartialEq)]
pub struct Served {
    catalog: Arc<Catalog>,
}

impl Served {
    /// Those of this catalog, which should know the contents of its skills.
    #[must_use]
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Served { catalog }
    }

    /// The whole catalog, the skills that are not served with it.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The skills that are served, sorted by the bytes of the name. Of several of a name, which agents there are that
    /// are shown, it is the first: whoever asks has nothing but the name.
    pub fn skills(&self) -> impl Iterator<Item = &Entry> {
        let mut last = None;
        self.catalog
            .listed()
            .filter(move |entry| last.replace(&entry.candidate.listing.name) != Some(&entry.candidate.listing.name))
    }

    /// The skill that is served under this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        let entries = &self.catalog.entries;
        let first = entries.partition_point(|entry| &*entry.candidate.listing.name < name);
        let mut called = entries[first..].iter().take_while(|entry| *entry.candidate.listing.name == *name);
        called.find(|entry| entry.hidden.is_none())
    }

    /// The skill that is served under this name; if none is, the one in a directory of that name.
    ///
    /// # Errors
    /// If there is none; the nearest name is offered.
    pub fn find(&self, name: &str) -> Result<&Entry> {
        let in_directory = || self.skills().find(|entry| *entry.candidate.directory == *name);
        self.get(name).or_else(in_directory).ok_or_else(|| {
            let error = Error::negative(format!("no skill is called `{}`", name.escape_debug()));
            match nearest(name, self.names()) {
                Some(near) => error.help(format!("did you mean `{}`?", near.escape_debug())),
                None => error.help("`list_skills` shows all there are"),
            }
        })
    }

    /// The names of the skills, for a message: not more of them than one reads.
    #[must_use]
    pub fn some_names(&self) -> String {
        let mut names: Vec<String> = self.names().take(NAMES_MAX).map(|name| name.escape_debug().to_string()).collect();
        let more = self.skills().count() - names.len();
        if more > 0 {
            names.push(format!("and {more} more"));
        }
        names.join(", ")
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.skills().map(|entry| &*entry.candidate.listing.name)
    }

    /// The skills whose name or one of whose tags has this in it, case aside.
    pub fn matching(&self, part: &str) -> impl Iterator<Item = &Entry> {
        let part = part.to_lowercase();
        let fits = move |text: &str| text.to_lowercase().contains(&part);
        self.skills().filter(move |entry| {
            let listing = &entry.candidate.listing;
            fits(&listing.name) || listing.facts().tags.iter().any(|tag| fits(tag))
        })
    }

    /// The skills that these words find, the best first, and not more than `limit`.
    #[must_use]
    pub fn search(&self, words: &str, limit: usize) -> Vec<&Entry> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let query = Query::new(&words);
        let entries: Vec<&Entry> = self.skills().collect();
        if query.is_empty() {
            return Vec::new();
        }
        let rows: Vec<_> = entries.iter().map(|entry| row_of(&entry.candidate)).collect();
        let found = search::search(&mut [Table::of(&rows)], &query, &[], limit).unwrap_or_default();
        found.hits.iter().filter_map(|hit| entries.get(hit.row as usize).copied()).collect()
    }

    /// What a model is handed once it has chosen a skill. Tools that may not be used are not told of.
    ///
    /// # Errors
    /// If the file with the instructions is gone.
    pub fn loaded(&self, entry: &Entry) -> Result<Loaded> {
        let candidate = &entry.candidate;
        let facts = candidate.listing.facts();
        let main = facts.format.file();
        let bytes = self.read(entry, main)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // Where they begin may have changed since the skill was listed.
        let body_start = match facts.format {
            Format::SkillMd => skill::read(&bytes, &candidate.directory).skill.map_or(0, |skill| skill.body_start),
            _ => candidate.listing.body_start as usize,
        };
        let body = String::from_utf8_lossy(bytes.get(body_start..).unwrap_or_default()).into_owned();
        // A skill that is a call has no file of instructions: what it takes stands for them.
        let (text, body) = match candidate.listing.made_instructions() {
            Some(made) => (made.clone(), made),
            None => (text, body),
        };
        let is_offered = |tool: &&Tool| {
            let name = full_name(&candidate.directory, &tool.name);
            self.catalog.permissions.verdict(&name).0 != Verdict::Deny
        };
        Ok(Loaded {
            name: candidate.listing.name.to_string(),
            version: candidate.version().map(str::to_owned),
            directory: candidate.base_dir(&self.catalog.roots).to_string_lossy().into_owned(),
            body,
            tokens: tokens::approximate(&text),
            text,
            requires: facts.requires.iter().map(ToString::to_string).collect(),
            tools: facts.tools.iter().filter(is_offered).map(|tool| tool.name.clone()).collect(),
            resources: candidate.files().iter().map(|file| file.path.to_string()).filter(|path| path != main).collect(),
        })
    }

    /// The bytes of one of a skill's files.
    ///
    /// # Errors
    /// If the path is no path inside a skill, or the skill has no such file.
    pub fn read(&self, entry: &Entry, path: &str) -> Result<Vec<u8>> {
        let name = &entry.candidate.listing.name;
        let path: RelPath = path.parse().map_err(|error: Error| {
            error.wrap(format!("`{}` is not a file of `{}`", path.escape_debug(), name.escape_debug()))
        })?;
        if !entry.candidate.has_file(path.as_str()) {
            let error = Error::negative(format!("`{}` has no file `{path}`", name.escape_debug()));
            return Err(match nearest(path.as_str(), entry.candidate.files().iter().map(|file| &*file.path)) {
                Some(near) => error.help(format!("did you mean `{}`?", near.escape_debug())),
                None => error,
            });
        }
        read_file(&self.catalog, &entry.candidate, &path, FILE_MAX)?
            .ok_or_else(|| Error::disk(format!("the file `{path}` of `{}` is gone", name.escape_debug())))
    }

    /// The lists of the `.well-known` tree: of all skills that it can hold.
    ///
    /// # Errors
    /// If a skill cannot be read.
    pub fn well_known_lists(&self) -> Result<Files> {
        let mut all = WellKnown::new(None);
        for (name, entry) in self.skills().filter_map(|entry| Some((published_name(entry)?, entry))) {
            all.add(&offered(&name, entry, &self.tree(entry)?))?;
        }
        Ok(all.finish())
    }

    /// One skill's files in the `.well-known` tree; `None` if it has no such skill.
    ///
    /// # Errors
    /// If the skill cannot be read.
    pub fn well_known_files(&self, name: &str) -> Result<Option<Files>> {
        let Some((name, entry)) = self.get(name).and_then(|entry| Some((published_name(entry)?, entry))) else {
            return Ok(None);
        };
        let tree = self.tree(entry)?;
        WellKnown::new(None).add(&offered(&name, entry, &tree)).map(Some)
    }

    fn tree(&self, entry: &Entry) -> Result<Tree> {
        let mut tree = Tree::builder();
        for file in entry.candidate.files() {
            tree.add(&file.path, self.read(entry, &file.path)?, file.executable)?;
        }
        Ok(tree.finish())
    }
}

fn offered<'a>(name: &'a SkillName, entry: &'a Entry, tree: &'a Tree) -> Offered<'a> {
    Offered { name, description: &entry.candidate.listing.description, tree, about: About::default() }
}

/// The name that a skill can be published under: its own, where that is one and the skill holds what a package may.
#[must_use]
pub fn published_name(entry: &Entry) -> Option<SkillName> {
    let listing = &entry.candidate.listing;
    let is_whole = entry.candidate.content.as_ref().is_some_and(|content| content.checksum.is_some());
    (is_whole && listing.facts().format == Format::SkillMd).then(|| listing.name.parse().ok()).flatten()
}

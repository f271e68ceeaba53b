//! `add` without an argument, on a terminal: searches as one types, and takes what is typed or pasted of another source.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::cli::CliSession;
use crate::cli::picker::{ListPicker, PickerKind, PickerRow, PickerRows, has_all_words};
use crate::error::{Error, Result};
use crate::ops::CommandContext;
use crate::ops::search::{NamedRegistry, PackageHit, SearchOptions, search};
use crate::package::PackageSpec;

/// How many packages are suggested at once.
const SUGGESTED_MAX: usize = 10;

/// Repositories of many skills that no registry has to list: what a person who finds nothing may want to look through.
const COLLECTIONS: [(&str, &str); 6] = [
    (
        "gh:anthropics/skills",
        "documents, design, and writing skills",
    ),
    (
        "gh:github/awesome-copilot",
        "contributed skills for development",
    ),
    (
        "gh:obra/superpowers",
        "planning, tests and debugging for coding agents",
    ),
    ("gh:openai/skills", "skills of Codex"),
    ("gh:vercel-labs/agent-skills", "React and web design"),
    (
        "gh:wshobson/agents",
        "plugins of many languages and domains",
    ),
];

/// What a person chose.
#[derive(Debug, Clone)]
pub(super) struct SearchedPackage {
    pub(super) spec: String,
    /// The registry that has it, if that is not the one that names are looked up in.
    pub(super) registry: Option<String>,
}

/// Lets a person search for a package.
///
/// # Errors
/// If nothing is chosen.
pub(super) fn prompt_for_package(
    session: &CliSession<'_>,
    registry: Option<&str>,
) -> Result<SearchedPackage> {
    if !session.context.interactive {
        return Err(Error::usage("missing package to add").help(
            "pass a name, such as `skillpm add commit-messages`; `skillpm search WORD` finds names",
        ));
    }

    let search = PackageSearch {
        context: &session.context,
        registry,
        index: session.context.config.registry(registry)?,
        is_fresh: Cell::new(false),
    };
    // The rows of the last search, by their IDs.
    let shown: RefCell<Vec<SearchedPackage>> = RefCell::default();
    let mut find = |input: &str| {
        let (rows, note) = search.find(input);
        *shown.borrow_mut() = rows.iter().map(|row| row.package.clone()).collect();
        let rows = rows.into_iter().enumerate();
        let rows = rows.map(|(id, row)| PickerRow {
            id,
            name: row.package.spec,
            about: row.about,
        });
        PickerRows {
            rows: rows.collect(),
            note,
        }
    };
    let chosen = ListPicker {
        question: "Search for a skill:",
        help: "↑↓ choose, Enter add, Esc cancel; or paste a URL or owner/repo",
        kind: PickerKind::One,
        find: &mut find,
    }
    .ask(session.shell, BTreeMap::new())?;

    let packages = shown.take();
    let chosen = chosen.first().and_then(|id| packages.get(*id));
    chosen
        .cloned()
        .ok_or_else(|| Error::internal("the chosen row is not in the list"))
}

/// A row of the list.
struct SearchRow {
    package: SearchedPackage,
    about: String,
}

impl SearchRow {
    fn new(spec: impl Into<String>, about: impl Into<String>) -> Self {
        let package = SearchedPackage {
            spec: spec.into(),
            registry: None,
        };
        SearchRow {
            package,
            about: about.into(),
        }
    }
}

/// What is searched while a person types.
struct PackageSearch<'s> {
    context: &'s CommandContext<'s>,
    registry: Option<&'s str>,
    /// The index that names are looked up in.
    index: String,
    /// Whether the registries were opened once: the next searches ask no server.
    is_fresh: Cell<bool>,
}

impl PackageSearch<'_> {
    /// The rows to choose from, and a note.
    fn find(&self, input: &str) -> (Vec<SearchRow>, Option<String>) {
        let input = input.trim();
        let typed = match typed_source(input) {
            // A pasted address has no words to search for.
            Some(TypedSource {
                row,
                may_be_package: false,
            }) => return (vec![row], None),
            typed => typed.map(|typed| typed.row),
        };

        let (mut rows, failed) = match self.find_packages(input) {
            Ok(rows) => (rows, None),
            Err(error) => (Vec::new(), Some(error.in_one_line())),
        };
        if let Some(typed) = typed {
            let is_package = rows.first().is_some_and(|row| row.package.spec == input);
            rows.insert(usize::from(is_package), typed);
        }
        rows.extend(find_collections(input));
        rows.truncate(SUGGESTED_MAX);

        let nothing =
            || "nothing found; try another word, or paste the URL of a repository".to_owned();
        let note = failed.or_else(|| rows.is_empty().then(nothing));
        (rows, note)
    }

    /// The packages with these words.
    fn find_packages(&self, input: &str) -> Result<Vec<SearchRow>> {
        let words: Vec<String> = input.split_whitespace().map(str::to_owned).collect();
        if !words
            .iter()
            .any(|word| word.contains(char::is_alphanumeric))
        {
            return Ok(Vec::new());
        }

        // Silent, as messages would be drawn over the prompt.
        let context = if self.is_fresh.replace(true) {
            self.context.silent_offline()?
        } else {
            self.context.silent()
        };
        let options = SearchOptions {
            words,
            registry: self.registry.map(str::to_owned),
            installed: false,
            tier: None,
            refresh: false,
            limit: SUGGESTED_MAX,
        };

        let hits = search(&context, &options)?.hits;
        let rows = hits.iter().filter_map(|hit| {
            let registry = hit.registry.as_ref()?;
            Some(self.hit_row(hit, registry))
        });
        Ok(rows.collect())
    }

    fn hit_row(&self, hit: &PackageHit, registry: &NamedRegistry) -> SearchRow {
        // The package of another registry is added from there.
        let other = (registry.index != self.index).then(|| registry.name.clone());
        let place = other
            .as_ref()
            .map_or_else(String::new, |name| format!(" ({name})"));
        let mut row = SearchRow::new(&hit.row.name, describe_hit(hit, &place));
        row.package.registry = other;
        row
    }
}

/// The source that was typed or pasted.
struct TypedSource {
    row: SearchRow,
    may_be_package: bool,
}

fn typed_source(input: &str) -> Option<TypedSource> {
    let spec = input.parse::<PackageSpec>().ok()?;
    if let PackageSpec::Registry { name, req: None } = &spec {
        name.scope()?;
        return Some(TypedSource {
            row: SearchRow::new(format!("gh:{name}"), "repository on GitHub"),
            may_be_package: true,
        });
    }

    let about = match spec {
        PackageSpec::Registry { .. } => "package",
        PackageSpec::Git { .. } => "git repository",
        PackageSpec::Path(_) => "directory",
        PackageSpec::Archive(_) => "archive",
        PackageSpec::WellKnown(_) => "web site",
        PackageSpec::ClawHub { .. } => "skill of ClawHub",
    };
    Some(TypedSource {
        row: SearchRow::new(input, about),
        may_be_package: false,
    })
}

fn describe_hit(hit: &PackageHit, place: &str) -> String {
    let version = hit.row.vers.as_deref().unwrap_or_default();
    let about = hit.row.description.as_deref().unwrap_or_default();
    let installed = if hit.installed.is_empty() {
        ""
    } else {
        " (installed)"
    };
    format!("{version}{place}{installed}  {about}")
}

/// The collections whose name or description has all the words; all of them without any.
fn find_collections(input: &str) -> Vec<SearchRow> {
    COLLECTIONS
        .iter()
        .filter(|(spec, about)| has_all_words(spec, about, input))
        .map(|(spec, about)| SearchRow::new(*spec, format!("collection: {about}")))
        .collect()
}

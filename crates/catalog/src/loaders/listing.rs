//! An agent's own list: its order, and what of each description has room in it.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{AgentLoader, claude_code, codex, openclaw};
use crate::catalog::budget::ListingLimit;
use crate::catalog::{Catalog, CatalogEntry, HiddenReason, ListedText};

/// How an agent shortens its list where that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutRule {
    /// It lists everything.
    Nothing,
    /// As Claude Code: names only, then whole descriptions again, as many as fit.
    WholeDescriptions,
    /// As Codex: all descriptions evenly, then names only, then as many names as fit.
    Evenly,
    /// As OpenClaw: all descriptions to one length, then names only, then as many names as fit.
    OneLength,
}

/// One skill of a list, as the agent reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListLine {
    pub(super) name: String,
    pub(super) description: String,
    /// The path of its file.
    pub(super) path: PathBuf,
    /// The number of its root, and the path of its file below that.
    pub(super) root: u16,
    pub(super) below: String,
}

/// What has room of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineFit {
    /// This description.
    Described(String),
    /// The name alone.
    NameOnly,
    /// Nothing.
    Omitted,
}

/// What decides how long a list may be.
#[derive(Debug, Clone, Copy)]
pub struct ListRoom<'a> {
    /// The limits: of the agent, or of settings.
    pub limit: &'a ListingLimit,
    /// The home directory, which some agents write as `~`.
    pub home: &'a Path,
}

impl AgentLoader {
    /// Puts the listed skills of a catalog into the agent's order, and cuts them as the agent does. What has no room
    /// at all is hidden.
    pub fn list_skills(&self, catalog: &mut Catalog, room: &ListRoom<'_>) {
        catalog.has_own_list = true;
        let places = self.ordered_places(catalog);
        let mut lines: Vec<ListLine> = places
            .iter()
            .map(|at| ListLine::from_entry(&catalog.entries[*at], catalog))
            .collect();
        if self.shows_both_names {
            add_second_names(&places, catalog, &mut lines);
        }

        let fits = self.fit_lines(&lines, room);
        for (position, (at, (line, fit))) in
            places.iter().zip(lines.into_iter().zip(fits)).enumerate()
        {
            let entry = &mut catalog.entries[*at];
            let description = match fit {
                LineFit::Omitted => {
                    entry.hidden = Some(HiddenReason::OverBudget);
                    entry.because = Some(self.overflow_reason(room.limit).into());
                    continue;
                }
                // A switch of the agent's own may have taken the description.
                _ if entry.is_name_only => None,
                LineFit::NameOnly => None,
                LineFit::Described(text) => Some(text.into()),
            };
            entry.listed = Some(Box::new(ListedText {
                position: self.order.map(|_| position),
                name: line.name.into(),
                description,
                location: self.shows_paths.then_some(line.path),
            }));
        }
    }

    /// The indexes of the listed skills, in the agent's order.
    fn ordered_places(&self, catalog: &Catalog) -> Vec<usize> {
        let entries = &catalog.entries;
        let mut places: Vec<usize> = (0..entries.len())
            .filter(|at| entries[*at].hidden.is_none())
            .collect();

        // A stable sort: without an order of the agent's own, names stay in order.
        places.sort_by(|a, b| {
            let (a, b) = (&entries[*a].candidate, &entries[*b].candidate);
            self.compare_listed(a, b, &catalog.roots)
                .unwrap_or(Ordering::Equal)
        });
        places
    }

    fn fit_lines(&self, lines: &[ListLine], room: &ListRoom<'_>) -> Vec<LineFit> {
        match self.cut {
            CutRule::Nothing => lines
                .iter()
                .map(|line| LineFit::Described(line.description.clone()))
                .collect(),
            CutRule::WholeDescriptions => claude_code::fit_lines(lines, room.limit),
            CutRule::Evenly => codex::fit_lines(lines, room.limit),
            CutRule::OneLength => openclaw::fit_lines(lines, room),
        }
    }

    fn overflow_reason(&self, limit: &ListingLimit) -> String {
        format!(
            "the agent's list has no more room ({limit}); `skillpm list --tokens --agent {}` shows what it cuts",
            self.agent
        )
    }
}

impl ListLine {
    fn from_entry(entry: &CatalogEntry, catalog: &Catalog) -> Self {
        let skill = &entry.candidate;
        let (name, description) = match &skill.shown {
            Some(shown) => (&*shown.name, &*shown.description),
            None => (&*skill.listing.name, &*skill.listing.description),
        };
        let is_name_only = entry.is_name_only;
        let shown_path = skill
            .shown
            .as_ref()
            .and_then(|shown| shown.location.clone());

        ListLine {
            name: name.to_owned(),
            // What is not shown takes no room.
            description: if is_name_only { "" } else { description }.to_owned(),
            path: shown_path.unwrap_or_else(|| skill.location(&catalog.roots)),
            root: skill.root,
            below: match &*skill.directory {
                "." => skill.file_name().to_owned(),
                directory => format!("{directory}/{}", skill.file_name()),
            },
        }
    }
}

/// Adds the names of the frontmatter; of two that are the same only the first is shown, and none that is the id of another
/// skill or command.
fn add_second_names(places: &[usize], catalog: &Catalog, lines: &mut [ListLine]) {
    let entries = catalog.entries.iter();
    let mut seen: HashSet<&str> = entries.map(|entry| entry.candidate.id()).collect();
    for (at, line) in places.iter().zip(lines) {
        let name = &catalog.entries[*at].candidate.listing.name;
        let is_other = name.to_lowercase() != line.name.to_lowercase();
        if is_other && seen.insert(&**name) {
            line.name = format!("{} ({name})", line.name);
        }
    }
}

/// The length of a text in JavaScript.
pub(super) fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

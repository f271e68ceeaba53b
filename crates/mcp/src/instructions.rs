//! What the server tells a model about itself, and how skills are told.

use crate::catalog::Entry;
use crate::catalog::loaded::Loaded;
use crate::catalog::text::one_line;

/// How the server is to be used.
pub(super) const OF_SERVER: &str = "\
This server has skills: instructions for tasks of some kind, with files that belong to them. Before you begin a task, \
look whether one of them is about it (`list_skills`, or `search` where there are many), read it with `read_skill`, and \
follow it. Read its other files with `read_skill_resource` when the instructions name them.";

/// One line for each skill.
pub(super) fn listing<'a>(entries: impl Iterator<Item = &'a Entry>) -> String {
    entries.map(line).collect::<Vec<_>>().join("\n")
}

fn line(entry: &Entry) -> String {
    let listing = &entry.candidate.listing;
    format!("- {}: {}", one_line(&listing.name), one_line(&listing.description))
}

/// What was read, what it costs, what it builds on, and what else belongs to it.
pub(super) fn note(skill: &Loaded) -> String {
    let mut note = format!("Skill loaded: {} (approx. {} tokens)", one_line(&skill.name), skill.tokens);
    if !skill.requires.is_empty() {
        let names: Vec<_> = skill.requires.iter().map(|name| one_line(name)).collect();
        note.push_str(&format!("\nThis skill requires: {}. Load it first if you haven't already.", names.join(", ")));
    }
    if !skill.resources.is_empty() {
        let paths = skill.resources.iter().map(|path| format!("\n- {}", one_line(path)));
        note.push_str(&format!("\nIts other files, for `read_skill_resource`:{}", paths.collect::<String>()));
    }
    note.push_str(&format!("\nSkill directory: {}", one_line(&skill.directory)));
    note
}

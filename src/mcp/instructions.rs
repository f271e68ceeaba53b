//! What the server tells a model about itself, and how skills are told.

use crate::catalog::permission::full_name;
use crate::catalog::text::one_line;
use crate::catalog::{Entry, Verdict};
use crate::ops::serve::{Instructions, Served};

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
pub(super) fn note(served: &Served, entry: &Entry, read: &Instructions) -> String {
    let listing = &entry.candidate.listing;
    let facts = listing.facts();
    let mut note = format!("Skill loaded: {} (approx. {} tokens)", one_line(&listing.name), read.tokens);
    if !facts.requires.is_empty() {
        let names: Vec<_> = facts.requires.iter().map(|name| one_line(name)).collect();
        note.push_str(&format!("\nThis skill requires: {}. Load it first if you haven't already.", names.join(", ")));
    }
    let main = facts.format.file();
    let others: Vec<_> = crate::ops::serve::files(entry)
        .iter()
        .filter(|file| *file.path != *main)
        .map(|file| format!("\n- {}", one_line(&file.path)))
        .collect();
    if !others.is_empty() {
        note.push_str(&format!("\nIts other files, for `read_skill_resource`:{}", others.concat()));
    }
    let directory = served.directory(entry);
    note.push_str(&format!("\nSkill directory: {}", one_line(&directory.to_string_lossy())));
    note
}

/// What `enable_skill` answers, in Nova's words. Tools that are denied are not offered.
pub(super) fn enabled(served: &Served, entry: &Entry, read: &Instructions) -> String {
    let listing = &entry.candidate.listing;
    let version = entry.candidate.version().map(|version| format!(" v{}", one_line(version))).unwrap_or_default();
    let name = one_line(&listing.name);
    let permissions = &served.catalog().permissions;
    let tools: Vec<String> = (listing.facts().tools.iter())
        .map(|tool| full_name(&entry.candidate.directory, &tool.name))
        .filter(|tool| permissions.verdict(tool).0 != Verdict::Deny)
        .map(|tool| one_line(&tool).into_owned())
        .collect();
    let tools = if tools.is_empty() { "None".to_owned() } else { tools.join(", ") };
    format!(
        "## Skill Activated: {name}{version}\n\n{}\n\n**New tools available:** {tools}\n\n\
         You now have the knowledge and tools to proceed with this workflow.\n",
        read.body().trim()
    )
}

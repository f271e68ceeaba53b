//! The server's instructions for a model, and the text form of skills and errors.

use skillpm_catalog::catalog::CatalogEntry;
use skillpm_catalog::catalog::loaded::LoadedSkill;
use skillpm_catalog::catalog::text::one_line;
use skillpm_core::error::Error;
use skillpm_ops::serve::ServedCatalog;

/// Instructions for using the server.
pub(super) const SERVER_INSTRUCTIONS: &str = "\
This server has skills: instructions for tasks of some kind, with files that belong to them. Before you begin a task, \
look whether one of them is about it (`list_skills`, or `search` where there are many), read it with `read_skill`, and \
follow it. Read its other files with `read_skill_resource` when the instructions name them.";

/// One line for each skill, with the id by which the other tools take it.
pub(super) fn list_entries(served: &ServedCatalog, entries: &[&CatalogEntry]) -> String {
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| {
            format!(
                "- {}: {}",
                one_line(served.id_of(entry)),
                one_line(&entry.candidate.listing.description)
            )
        })
        .collect();
    lines.join("\n")
}

/// What a model has to know of a loaded skill: its id in the catalog, token count, requirements and other files.
pub(super) fn load_note(skill: &LoadedSkill) -> String {
    // The wording of Yodoca's `read_skill`, as in `catalog::loaded`.
    let mut note = format!(
        "Skill loaded: {} (approx. {} tokens)",
        one_line(&skill.catalog_id),
        skill.tokens
    );

    if !skill.requires.is_empty() {
        let names: Vec<_> = skill.requires.iter().map(|name| one_line(name)).collect();
        note.push_str(&format!(
            "\nThis skill requires: {}. Load it first if you haven't already.",
            names.join(", ")
        ));
    }

    if !skill.resources.is_empty() {
        let paths = skill
            .resources
            .iter()
            .map(|path| format!("\n- {}", one_line(path)));
        note.push_str(&format!(
            "\nIts other files, for `read_skill_resource`:{}",
            paths.collect::<String>()
        ));
    }

    note.push_str(&format!(
        "\nSkill directory: {}",
        one_line(&skill.directory)
    ));

    note
}

/// An error in one text: what, the notes and causes, what would help.
pub(super) fn error_text(error: &Error) -> String {
    let details = error
        .notes()
        .iter()
        .chain(error.causes())
        .map(|line| format!(": {line}"));

    let helps = error.helps().iter().map(|line| format!(" ({line})"));
    std::iter::once(error.message().to_owned())
        .chain(details)
        .chain(helps)
        .collect()
}

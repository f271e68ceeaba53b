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

/// Most bytes of a list, some 16,000 tokens: it shares a model's context with the task.
const LIST_MAX: usize = 64 << 10;

/// Bytes of that for what is said of a list that is cut.
const NOTES_MAX: usize = 200;

/// Fewest bytes of a line for a skill, where a list is too long for all of its descriptions.
const LINE_MIN: usize = 100;

/// One line for each skill, with the id by which the other tools take it; within [`LIST_MAX`], for which first descriptions
/// are cut off, then lines are left out.
pub(super) fn list_entries(served: &ServedCatalog, entries: &[&CatalogEntry]) -> String {
    let lines: Vec<(String, String)> = entries
        .iter()
        .map(|entry| {
            (
                format!("- {}: ", one_line(served.id_of(entry))),
                one_line(&entry.candidate.listing.description).into_owned(),
            )
        })
        .collect();
    let size = |(id, description): &(String, String)| id.len() + description.len() + 1;
    let is_whole = lines.iter().map(size).sum::<usize>() <= LIST_MAX - NOTES_MAX;
    let line_max = if is_whole {
        usize::MAX
    } else {
        ((LIST_MAX - NOTES_MAX) / lines.len()).max(LINE_MIN)
    };

    let mut listed = Vec::with_capacity(lines.len());
    let mut left = LIST_MAX - NOTES_MAX;
    for (id, description) in &lines {
        // The id is never cut off.
        let line = format!(
            "{id}{}",
            cut_off(description, line_max.saturating_sub(id.len() + 1))
        );
        let Some(rest) = left.checked_sub(line.len() + 1) else {
            break;
        };
        left = rest;
        listed.push(line);
    }

    let omitted = lines.len() - listed.len();
    if omitted > 0 {
        listed.push(format!(
            "({omitted} more skills; a narrower `query` shows them)"
        ));
    }
    if !is_whole {
        listed.push(
            "(Long descriptions are cut off; a narrower `query` shows them in full.)".to_owned(),
        );
    }
    listed.join("\n")
}

/// A text, or as much of it as fits into `max` bytes with an ellipsis.
fn cut_off(text: &str, max: usize) -> String {
    const ELLIPSIS: &str = "…";
    if text.len() <= max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(max.saturating_sub(ELLIPSIS.len()));
    format!("{}{ELLIPSIS}", text[..end].trim_end())
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

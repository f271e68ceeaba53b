//! `kodelet` and `kodelet-tool`: the description of Kodelet's `skill` tool (ADR-020), and the tool with it.
//!
//! ```text
//! …
//! ## Available Skills
//!
//! ### csv-tidy
//! - **Description**: Clean CSV files …
//! - **Directory**: `/ROOT/csv-tidy`
//! ```
//!
//! This is the one prompt that is not left out when there is no skill: a tool must have a description.

use std::io::{self, Write};

use serde_json::json;

use super::{EmitOptions, display_path, pretty, skill_ids};
use crate::catalog::Catalog;
use crate::catalog::text::one_line;

const EMPTY: &str = "Skills are currently not available.";

const ADVICE: &str = "\
Load a skill: instructions, and often scripts and references, for one kind of task.

## When to use it
- Before you start on a task, look whether the description of a skill below fits it. If one does, load that skill first.
- Where several fit, begin with the one that is meant most closely for the task, and load others when you need them.
- Where none fits, work without a skill. Never guess at a name that is not listed.

## How to use it
- Call this tool with `skill_name`, spelled as it is listed. The answer holds the skill's instructions: follow them.
- A skill stays loaded for the rest of the conversation. Do not load it again.
- Paths in a skill's instructions are relative to its directory, which is listed too. Read a file that the instructions
  name when they tell you to, and not before. Run the scripts they name from where they are, and do not copy them out.

## What to mind
- A skill's instructions come after what the user asks for, and after the rules you work by.
- Only the descriptions are shown here. Do not tell what a skill does in detail before you have loaded it.";

/// Writes the description of the tool.
pub(super) fn emit(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut skills = skill_ids::text_skills(catalog).peekable();

    if skills.peek().is_none() {
        return writeln!(out, "{EMPTY}");
    }

    write!(
        out,
        "{}\n\n## Available Skills\n\n",
        options.preamble.unwrap_or(ADVICE).trim_end()
    )?;

    for entry in skills {
        let skill = &entry.candidate;
        writeln!(out, "### {}", one_line(&skill.listing.name))?;
        writeln!(out, "- **Description**: {}", skill.listing.summary())?;
        write!(
            out,
            "- **Directory**: `{}`\n\n",
            display_path(&skill.base_dir(&catalog.roots))
        )?;
    }
    Ok(())
}

/// Writes the tool: its name, that description, and what it takes.
pub(super) fn emit_tool(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut description = Vec::new();

    emit(catalog, options, &mut description)?;
    let description = String::from_utf8(description).map_err(io::Error::other)?;

    let tool = json!({
        "name": "skill",
        // The newline at the end is for a terminal, and would be part of the tool.
        "description": description.trim_end(),
        "input_schema": {
            "type": "object",
            "properties": {"skill_name": {"type": "string", "description": "The name of the skill to load"}},
            "required": ["skill_name"],
            "additionalProperties": false,
        },
    });

    pretty::write_json(&tool, out)
}

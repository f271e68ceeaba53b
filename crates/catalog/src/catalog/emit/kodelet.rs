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

// Word for word as in the ADR: it is what Kodelet's own tool has, and names Kodelet's other tools.
const USAGE: &str = "\
When users ask you to perform tasks, check if any of the available skills below can help complete the task more effectively. Skills provide specialized capabilities and domain knowledge.

# Usage
- Use this tool with the skill name only
- Examples:
  - \"pdf\" - invoke the pdf skill
  - \"xlsx\" - invoke the xlsx skill

## Important
- When a skill is relevant, you must invoke this tool IMMEDIATELY as your first action
- NEVER just announce or mention a skill in your text response without actually calling this tool
- This is a BLOCKING REQUIREMENT: invoke the relevant Skill tool BEFORE generating any other response about the task
- Only use skills listed in \"Available Skills\" below
- Do not invoke a skill that is already running
- Each skill has a directory containing supporting files (references, examples, scripts, templates) that you can read using file_read or glob_tool
- Do NOT modify any files in the skill directory - treat skill contents as read-only
- If you need to modify a script from the skill directory, copy it to the working directory first using file_write, then use file_edit to update it
- For Python scripts, use uv for managing dependencies - do NOT install packages using system pip";

/// Writes the description of the tool.
pub(super) fn emit(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut skills = skill_ids::text_skills(catalog).peekable();

    write!(
        out,
        "{}\n\n## Available Skills\n\n",
        options.preamble.unwrap_or(USAGE).trim_end()
    )?;

    // After the usage, as in the ADR: only the list is replaced.
    if skills.peek().is_none() {
        return writeln!(out, "{EMPTY}");
    }

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
        // With the blank line at its end, which Kodelet's own has.
        "description": description,
        "input_schema": {
            "type": "object",
            "properties": {"skill_name": {"type": "string", "description": "The name of the skill to invoke"}},
            "required": ["skill_name"],
            "additionalProperties": false,
        },
    });

    pretty::write_json(&tool, out)
}

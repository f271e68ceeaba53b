//! `pickle`: the `skill` tool of Pickle-bot, in the form that `openai` has too.
//!
//! ```json
//! {"type": "function", "function": {"name": "skill", "description": "… <skills>\n  <skill name=\"csv-tidy\">…", … }}
//! ```
//!
//! Pickle-bot puts descriptions between its tags as they are, and nothing parses them: a model reads them. So only what
//! would pass for a tag of the list itself, and a quotation mark in a name, is written in another way.

use std::io::{self, Write};

use serde_json::json;

use super::{EmitOptions, pretty, skill_ids};
use crate::catalog::text::one_line;
use crate::catalog::{Catalog, CatalogEntry};

/// Writes the tool; nothing at all when there is no skill, since it is not registered then.
pub(super) fn emit(catalog: &Catalog, _: &EmitOptions<'_>, out: &mut dyn Write) -> io::Result<()> {
    let skills = skill_ids::by_id(catalog);

    if skills.is_empty() {
        return Ok(());
    }

    let lines: String = skills.iter().map(|(_, entry)| skill_line(entry)).collect();
    let tool = json!({
        "type": "function",
        "function": {
            "name": "skill",
            "description": format!("Load and invoke a specialized skill. <skills>\n{lines}</skills>"),
            "parameters": {
                "type": "object",
                "properties": {
                    "skill_name": {
                        "type": "string",
                        "enum": skill_ids::enum_values(skills.iter().map(|(id, _)| &**id)),
                        "description": "The name of the skill to load",
                    },
                },
                "required": ["skill_name"],
            },
        },
    });

    pretty::write_json(&tool, out)
}

fn skill_line(entry: &CatalogEntry) -> String {
    let listing = &entry.candidate.listing;

    let name = listing
        .facts()
        .display_name
        .as_deref()
        .unwrap_or(&listing.name);
    // A quotation mark would end the attribute; in the text it does no harm.
    let name = escape_tags(&one_line(name)).replace('"', "&quot;");

    format!(
        "  <skill name=\"{name}\">{}</skill>\n",
        escape_tags(&listing.summary())
    )
}

/// `text` without anything that begins like a tag of the list, opening or closing.
fn escape_tags(text: &str) -> String {
    let begins_tag = |rest: &str| {
        // Blanks and slashes are skipped, since a model reads `< /skill>` as a closing tag, too.
        let name = rest.trim_start_matches([' ', '/']).as_bytes();
        name.get(..5)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"skill"))
    };

    let mut parts = text.split('<');
    let mut out = String::from(parts.next().unwrap_or_default());

    for part in parts {
        out.push_str(if begins_tag(part) { "&lt;" } else { "<" });
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lists_own_tags_are_written_otherwise() {
        assert_eq!(
            escape_tags("a < b <b>c</b> <https://x>"),
            "a < b <b>c</b> <https://x>"
        );
        assert_eq!(
            escape_tags("x</skill><SKILL name=\"y\">< / skills>"),
            "x&lt;/skill>&lt;SKILL name=\"y\">&lt; / skills>"
        );
        assert_eq!(escape_tags("</ski"), "</ski");
    }
}

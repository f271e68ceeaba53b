//! The tools by which Devai's agents look at its skills, under Devai's own names and with its own answers: `skill_list` and
//! `skill_reload`. Those that write code for Devai to run (`skill_create`, `skill_update`, `skill_delete`) are Devai's alone.
//!
//! ```json
//! {"skills": [{"id": "generate-image", "name": "Bildgenerierung", "description": "…", "version": "1.0.0",
//!              "tags": ["image"]}], "errors": []}
//! ```

use rmcp::model::{CallToolResult, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::tools::{schema_map, structured_result};
use skillpm_catalog::catalog::{CatalogEntry, UnlistedSkill};
use skillpm_ops::serve::ServedCatalog;

/// One of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DevaiTool {
    List,
    Reload,
}

impl DevaiTool {
    const ALL: [DevaiTool; 2] = [DevaiTool::List, DevaiTool::Reload];

    /// The tools of the agent that the catalog is for: none for another than Devai.
    pub(super) fn of_agent(served: &ServedCatalog) -> impl Iterator<Item = DevaiTool> {
        let is_devai = served.catalog().listing_format.as_deref() == Some("devai");
        DevaiTool::ALL.into_iter().filter(move |_| is_devai)
    }

    /// The tool of this name; `None` for another agent.
    pub(super) fn find(name: &str, served: &ServedCatalog) -> Option<DevaiTool> {
        DevaiTool::of_agent(served).find(|tool| tool.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            DevaiTool::List => "skill_list",
            DevaiTool::Reload => "skill_reload",
        }
    }

    /// The tool as Devai's registry describes it.
    pub(super) fn describe(self) -> Tool {
        // <https://github.com/mojo117/Devai/blob/3a9391f8/apps/api/src/tools/definitions/skillTools.ts>
        let (title, description) = match self {
            DevaiTool::List => ("List skills", "List all loaded skills with their status."),
            DevaiTool::Reload => (
                "Reload skills",
                "Reload all skills from disk and re-register their tools.",
            ),
        };

        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let hints = ToolAnnotations::with_title(title)
            // Here a reload only reads the catalog again.
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        Tool::new(self.name(), description, schema_map(schema)).with_annotations(hints)
    }

    /// Its answer for a catalog that was just read.
    pub(super) fn answer(self, served: &ServedCatalog) -> CallToolResult {
        let errors = load_errors(served);
        let value = match self {
            DevaiTool::List => {
                let skills: Vec<Value> = served.skills().map(summarize).collect();
                json!({"skills": skills, "errors": errors})
            }
            DevaiTool::Reload => json!({"count": served.skills().count(), "errors": errors}),
        };

        // Devai answers with JSON, so that is the text as well.
        structured_result(value.to_string(), value)
    }
}

fn summarize(entry: &CatalogEntry) -> Value {
    let candidate = &entry.candidate;
    let facts = candidate.listing.facts();
    let mut skill = json!({
        "id": candidate.directory,
        "name": facts.display_name.as_ref().unwrap_or(&candidate.listing.name),
        "description": candidate.listing.description,
    });
    if let Some(version) = candidate.version() {
        skill["version"] = json!(version);
    }
    if !facts.tags.is_empty() {
        skill["tags"] = json!(facts.tags);
    }
    skill
}

/// Why skills were not loaded, each with its file.
fn load_errors(served: &ServedCatalog) -> Vec<String> {
    let unlisted = served.catalog().unlisted.iter();
    unlisted.map(load_error).collect()
}

fn load_error(found: &UnlistedSkill) -> String {
    let why: Vec<&str> = found
        .diagnostics
        .iter()
        .map(|diagnostic| &*diagnostic.message)
        .collect();
    format!(
        "Invalid skill manifest at {}: {}",
        found.location.display(),
        why.join("; ")
    )
}

//! The tools by which Devai's agents look at its skills, under Devai's own names and with its own answers: `skill_list` and
//! `skill_reload`. Where proposals are allowed, there are those that [change](super::devai_changes) them, too.
//!
//! ```json
//! {"skills": [{"id": "generate-image", "name": "Bildgenerierung", "description": "…", "version": "1.0.0",
//!              "tags": ["image"]}], "errors": []}
//! ```

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::devai_changes;
use super::tools::{ToolSession, object_schema, schema_map};
use skillpm_catalog::catalog::{CatalogEntry, UnlistedSkill};
use skillpm_core::error::Result;
use skillpm_ops::serve::ServedCatalog;

/// One of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DevaiTool {
    List,
    Reload,
    Create,
    Update,
    Delete,
}

impl DevaiTool {
    const ALL: [DevaiTool; 5] = [
        DevaiTool::List,
        DevaiTool::Reload,
        DevaiTool::Create,
        DevaiTool::Update,
        DevaiTool::Delete,
    ];

    /// The tools of the agent that the catalog is for: none for another than Devai.
    pub(super) fn of_agent(
        served: &ServedCatalog,
        proposals: bool,
    ) -> impl Iterator<Item = DevaiTool> {
        let is_devai = served.catalog().listing_format.as_deref() == Some("devai");
        DevaiTool::ALL
            .into_iter()
            .filter(move |tool| is_devai && (proposals || tool.only_reads()))
    }

    /// The tool of this name; `None` for another agent.
    pub(super) fn find(name: &str, served: &ServedCatalog, proposals: bool) -> Option<DevaiTool> {
        DevaiTool::of_agent(served, proposals).find(|tool| tool.name() == name)
    }

    /// Whether it leaves everything as it was.
    fn only_reads(self) -> bool {
        matches!(self, DevaiTool::List | DevaiTool::Reload)
    }

    fn name(self) -> &'static str {
        match self {
            DevaiTool::List => "skill_list",
            DevaiTool::Reload => "skill_reload",
            DevaiTool::Create => "skill_create",
            DevaiTool::Update => "skill_update",
            DevaiTool::Delete => "skill_delete",
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
            DevaiTool::Create => (
                "Create a skill",
                "Create a new skill. Writes skill.json manifest and execute.ts code, then registers it as a tool. It is kept \
                 as a proposal; nothing is written before a person applies it.",
            ),
            DevaiTool::Update => (
                "Update a skill",
                "Update an existing skill. Overwrites code and/or manifest fields, then re-registers the tool. It is kept \
                 as a proposal; nothing is written before a person applies it.",
            ),
            DevaiTool::Delete => (
                "Delete a skill",
                "Delete a skill and unregister its tool. It is kept as a proposal; nothing is deleted before a person \
                 applies it.",
            ),
        };

        let schema = match self {
            DevaiTool::List | DevaiTool::Reload => object_schema(&json!({}), &[]),
            DevaiTool::Create => devai_changes::create_schema(),
            DevaiTool::Update => devai_changes::update_schema(),
            DevaiTool::Delete => devai_changes::delete_schema(),
        };
        let hints = ToolAnnotations::with_title(title)
            // Here a reload only reads the catalog again.
            .read_only(self.only_reads())
            // As for the other tool that makes proposals.
            .destructive(false)
            .idempotent(self.only_reads())
            .open_world(false);
        Tool::new(self.name(), description, schema_map(schema)).with_annotations(hints)
    }

    /// Calls the tool.
    ///
    /// # Errors
    /// With Devai's own words, or those of a proposal that is refused.
    pub(super) async fn call(
        self,
        session: &ToolSession<'_>,
        arguments: JsonObject,
    ) -> Result<CallToolResult> {
        // As it is on disk now, for the list as well: Devai's own is of the last reload.
        let served = session.state.refreshed().await;
        let errors = load_errors(&served);
        let value = match self {
            DevaiTool::List => {
                let skills: Vec<Value> = served.skills().map(summarize).collect();
                json!({"skills": skills, "errors": errors})
            }
            DevaiTool::Reload => json!({"count": served.skills().count(), "errors": errors}),
            DevaiTool::Create => {
                let mut answer = devai_changes::create(session, arguments).await?;
                answer["skillsLoaded"] = json!(served.skills().count());
                answer["errors"] = json!(errors);
                answer
            }
            DevaiTool::Update => devai_changes::update(session, &served, arguments).await?,
            DevaiTool::Delete => devai_changes::delete(session, &served, arguments).await?,
        };

        // As Devai: JSON as text.
        Ok(CallToolResult::success(vec![ContentBlock::text(
            value.to_string(),
        )]))
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

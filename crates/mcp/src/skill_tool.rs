//! The tool `skill`, as Kodelet (ADR-020) and Pickle-bot have it: offered beside the others to an agent that knows it.
//!
//! ```text
//! Catalog.listing_format ──▶ AgentSkillTool ──▶ {"name": "skill", "description": "… ### pdf …"}
//!                                     └──▶ its answers and errors, word for word
//! ```

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::Value;

use super::active_skills::ActiveSkills;
use super::server_state::{ServerState, lock};
use super::tools::{ToolSession, parse_arguments, schema_map};
use skillpm_catalog::catalog::emit::{EmitOptions, find_format};
use skillpm_catalog::catalog::loaded::{
    KODELET_DISABLED, KODELET_NAME_MISSING, LoadedSkill, find_wrapping, kodelet_unknown,
    pickle_not_found,
};
use skillpm_core::error::{Error, Result};
use skillpm_ops::serve::ServedCatalog;

/// The name of the tool, which both agents use.
pub(super) const NAME: &str = "skill";

/// Whose tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentSkillTool {
    /// Kodelet's.
    Kodelet,
    /// Pickle-bot's.
    PickleBot,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillArguments {
    // Kodelet answers an absent name itself, in the same words as an empty one.
    #[serde(default)]
    skill_name: String,
}

impl AgentSkillTool {
    /// The tool of the agent that the catalog is for; `None` if it has none of that name.
    pub(super) fn of_agent(served: &ServedCatalog) -> Option<Self> {
        match served.catalog().listing_format.as_deref()? {
            "kodelet" => Some(AgentSkillTool::Kodelet),
            "pickle" => Some(AgentSkillTool::PickleBot),
            _ => None,
        }
    }

    /// The tool with the skills in its description; `None` if the agent registers none, as Pickle-bot without skills.
    pub(super) fn describe(self, served: &ServedCatalog) -> Option<Tool> {
        // The formats of `catalog`, so that both ways give a model the same text.
        let (format, schema) = match self {
            AgentSkillTool::Kodelet => ("kodelet-tool", "/input_schema"),
            AgentSkillTool::PickleBot => ("pickle", "/function/parameters"),
        };
        let text = find_format(format)
            .ok()?
            .render(served.catalog(), &EmitOptions::default());
        let spec: Value = serde_json::from_str(&text).ok()?;

        let description = spec
            .pointer("/description")
            .or_else(|| spec.pointer("/function/description"))?
            .as_str()?
            .to_owned();
        let hints = ToolAnnotations::with_title("Load a skill")
            // Kodelet counts what is loaded, and refuses a second time.
            .read_only(self == AgentSkillTool::PickleBot)
            .destructive(false)
            .idempotent(self == AgentSkillTool::PickleBot)
            .open_world(false);

        let schema = schema_map(spec.pointer(schema)?.clone());
        Some(Tool::new(NAME, description, schema).with_annotations(hints))
    }

    /// Calls the tool.
    ///
    /// # Errors
    /// With the words of the agent's own tool.
    pub(super) async fn call(
        self,
        session: &ToolSession<'_>,
        arguments: JsonObject,
    ) -> Result<CallToolResult> {
        let text = match self {
            AgentSkillTool::Kodelet => load_for_kodelet(session, arguments).await?,
            AgentSkillTool::PickleBot => load_for_pickle_bot(session.state, arguments).await?,
        };

        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

async fn load_for_kodelet(session: &ToolSession<'_>, arguments: JsonObject) -> Result<String> {
    let SkillArguments { skill_name } = parse_arguments(arguments).map_err(|error| {
        Error::usage(
            error
                .message()
                .replacen("invalid arguments", "invalid input", 1),
        )
    })?;
    if skill_name.is_empty() {
        return Err(Error::usage(KODELET_NAME_MISSING));
    }

    let skill = session
        .state
        .find_or_refresh(|served| find_for_kodelet(served, &skill_name))
        .await?;

    mark_active(&mut lock(session.active), &skill)?;
    wrap("kodelet", &skill)
}

fn find_for_kodelet(served: &ServedCatalog, name: &str) -> Result<LoadedSkill> {
    if served.catalog().is_disabled {
        return Err(Error::negative(KODELET_DISABLED));
    }

    // By name alone: to Kodelet the name of a directory means nothing.
    let entry = served
        .get(name)
        .ok_or_else(|| Error::negative(kodelet_unknown(name, names_of(served))))?;
    // Listed, and gone or unreadable since.
    served
        .load(entry)
        .map_err(|_| Error::negative(format!("skill '{}' not found", name.escape_debug())))
}

/// The names by which Kodelet knows the served skills.
fn names_of(served: &ServedCatalog) -> impl Iterator<Item = &str> {
    served.skills().map(|entry| &*entry.candidate.listing.name)
}

/// Counts a skill among the active ones of the session.
///
/// # Errors
/// If it is one already: its instructions are in the conversation, and would cost their tokens again.
fn mark_active(active: &mut ActiveSkills, skill: &LoadedSkill) -> Result<()> {
    if active.enable(&skill.catalog_id) {
        return Ok(());
    }

    Err(Error::negative(format!(
        "skill '{}' is already active",
        skill.name.escape_debug()
    )))
}

async fn load_for_pickle_bot(state: &ServerState, arguments: JsonObject) -> Result<String> {
    let SkillArguments { skill_name } = parse_arguments(arguments)?;

    let skill = state
        .find_or_refresh(|served| find_for_pickle_bot(served, &skill_name))
        .await?;

    wrap("pickle", &skill)
}

fn find_for_pickle_bot(served: &ServedCatalog, name: &str) -> Result<LoadedSkill> {
    let entry = served
        .find(name)
        .map_err(|_| Error::negative(format!("Error: {}", pickle_not_found(name))))?;

    served.load(entry).map_err(|error| {
        Error::negative(format!(
            "Error loading skill '{}': {}",
            name.escape_debug(),
            error.message()
        ))
    })
}

/// The skill as `show --format` prints it.
fn wrap(format: &str, skill: &LoadedSkill) -> Result<String> {
    Ok((find_wrapping(format)?.wrap)(skill))
}

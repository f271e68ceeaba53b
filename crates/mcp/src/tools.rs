//! The tools: for every client, whether it knows of skills or not.

use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, ResourceContents, Tool, ToolAnnotations,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::active_skills::ActiveSkills;
use super::devai_tools::DevaiTool;
use super::server_state::{ServerState, lock};
use super::skill_tool::{self, AgentSkillTool};
use super::{instructions, resources};
use skillpm_catalog::catalog::CatalogEntry;
use skillpm_catalog::catalog::loaded::find_wrapping;
use skillpm_core::error::Error;
use skillpm_ops::proposals::{ProposalRequest, ProposedChange};
use skillpm_ops::serve::ServedCatalog;
use skillpm_ops::show::drop_dot_parts;

/// Default number of search results.
const RESULTS_DEFAULT: usize = 10;
/// The most that can be asked for.
const RESULTS_MAX: usize = 100;

/// One tool.
struct ToolSpec {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether it leaves everything as it was.
    reads_only: bool,
    /// Whether it is there only where proposals are allowed.
    proposes: bool,
    input: fn() -> Value,
    output: Option<fn() -> Value>,
}

static TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "list_skills",
        title: "List skills",
        description: "List the skills there are, each with what it does and when to use it. `query` leaves those with \
                      that text in their name or one of their tags.",
        reads_only: true,
        proposes: false,
        input: list_schema,
        // A list is text only: clients give a model the text, the structured content or both, and twice is too much.
        output: None,
    },
    ToolSpec {
        name: "search",
        title: "Search skills",
        description: "Find skills by words of their names, tags and descriptions, the best first.",
        reads_only: true,
        proposes: false,
        input: search_schema,
        output: None,
    },
    ToolSpec {
        name: "read_skill",
        title: "Read a skill",
        description: "Load the full instructions of one skill. Call it when a task matches a skill's description, \
                      before you start the task.",
        reads_only: true,
        proposes: false,
        input: read_schema,
        output: None,
    },
    ToolSpec {
        name: "read_skill_resource",
        title: "Read a skill's file",
        description: "Read another file of a skill, such as one that its instructions name.",
        reads_only: true,
        proposes: false,
        input: read_file_schema,
        output: None,
    },
    ToolSpec {
        name: "enable_skill",
        title: "Enable a skill",
        description: "Load a skill's instructions and count it among the active skills of this conversation.",
        reads_only: false,
        proposes: false,
        input: activation_schema,
        output: Some(active_schema),
    },
    ToolSpec {
        name: "disable_skill",
        title: "Disable a skill",
        description: "Take a skill from the active skills of this conversation, once its task is done.",
        reads_only: false,
        proposes: false,
        input: activation_schema,
        output: Some(active_schema),
    },
    ToolSpec {
        name: "propose_skill_update",
        title: "Propose a change of a skill",
        description: "Propose a change of a skill's instructions, as a unified diff or as the whole new text. It is kept \
                      for a person to look at; nothing changes before they apply it.",
        reads_only: false,
        proposes: true,
        input: proposal_schema,
        output: None,
    },
];

fn list_schema() -> Value {
    object_schema(
        &json!({"query": {"type": "string", "description": "Part of a name or a tag"}}),
        &[],
    )
}

fn search_schema() -> Value {
    object_schema(
        &json!({
            "query": {"type": "string", "description": "The words to look for"},
            "limit": {"type": "integer", "minimum": 1, "maximum": RESULTS_MAX, "default": RESULTS_DEFAULT,
                      "description": "How many to give"},
        }),
        &["query"],
    )
}

fn read_schema() -> Value {
    object_schema(
        &json!({"skill_id": {"type": "string", "description": "The skill's name"}}),
        &["skill_id"],
    )
}

fn read_file_schema() -> Value {
    object_schema(
        &json!({
            "skill_id": {"type": "string", "description": "The skill's name"},
            "path": {"type": "string", "description": "The file's path, relative to the skill's directory"},
        }),
        &["skill_id", "path"],
    )
}

fn proposal_schema() -> Value {
    object_schema(
        &json!({
            "skill_id": {"type": "string", "description": "The skill's name"},
            "diff": {"type": "string", "description": "A unified diff of the file with its instructions"},
            "text": {"type": "string", "description": "That file as it should be; in place of `diff`"},
            "justification": {"type": "string", "description": "Why it should be changed"},
            "evidence": {"type": "string", "description": "What shows that the change helps"},
        }),
        &["skill_id", "justification"],
    )
}

fn activation_schema() -> Value {
    object_schema(
        &json!({
            "skill_name": {"type": "string", "description": "The skill's name"},
            "conversation": {"type": "string", "maxLength": 200,
                             "description": "A name for this conversation, if the connection does not identify it"},
        }),
        &["skill_name"],
    )
}

pub(super) fn object_schema(properties: &Value, required: &[&str]) -> Value {
    let mut schema =
        json!({"type": "object", "properties": properties, "additionalProperties": false});

    if !required.is_empty() {
        schema["required"] = json!(required);
    }

    schema
}

fn active_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"active": {"type": "array", "items": {"type": "string"}}},
        "required": ["active"],
    })
}

/// What is offered to be called: the agent's own tool first, if it has one.
pub(super) fn all_tools(served: &ServedCatalog, proposals: bool) -> Vec<Tool> {
    let own = AgentSkillTool::of_agent(served).and_then(|tool| tool.describe(served));

    own.into_iter()
        .chain(DevaiTool::of_agent(served, proposals).map(DevaiTool::describe))
        .chain(available_specs(proposals).map(to_tool))
        .collect()
}

/// Whether the tools changed: an agent's own tool lists the skills in its description.
pub(super) fn have_changed(before: &ServedCatalog, now: &ServedCatalog) -> bool {
    let own = |served| AgentSkillTool::of_agent(served).map(|tool| tool.describe(served));
    own(before) != own(now)
}

/// The tool of this name.
pub(super) fn find_tool(name: &str, served: &ServedCatalog, proposals: bool) -> Option<Tool> {
    if name == skill_tool::NAME {
        return AgentSkillTool::of_agent(served)?.describe(served);
    }
    if let Some(tool) = DevaiTool::find(name, served, proposals) {
        return Some(tool.describe());
    }

    available_specs(proposals)
        .find(|row| row.name == name)
        .map(to_tool)
}

fn available_specs(proposals: bool) -> impl Iterator<Item = &'static ToolSpec> {
    TOOLS.iter().filter(move |row| proposals || !row.proposes)
}

fn to_tool(row: &ToolSpec) -> Tool {
    let hints = ToolAnnotations::with_title(row.title)
        .read_only(row.reads_only)
        // Hints by which a client decides whether to ask its user first.
        .destructive(false)
        // Each proposal is stored, so that a repeated call makes a second one.
        .idempotent(!row.proposes)
        .open_world(false);

    let mut tool =
        Tool::new(row.name, row.description, schema_map((row.input)())).with_annotations(hints);
    tool.title = Some(row.title.to_owned());
    tool.output_schema = row.output.map(|schema| schema_map(schema()));
    tool
}

pub(super) fn schema_map(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}

/// One conversation's side of the tools.
pub(super) struct ToolSession<'d> {
    pub(super) state: &'d ServerState,
    /// The active skills of the connection.
    pub(super) active: &'d Arc<Mutex<ActiveSkills>>,
    /// What the client calls itself.
    pub(super) client: Option<String>,
}

/// The arguments that a tool may be given.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default)]
    query: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    #[serde(alias = "skill_name")]
    skill_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadFileArguments {
    #[serde(alias = "skill_name")]
    skill_id: String,
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProposeArguments {
    skill_id: String,
    #[serde(default)]
    diff: Option<String>,
    #[serde(default)]
    text: Option<String>,
    justification: String,
    #[serde(default)]
    evidence: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActivationArguments {
    // Models mix up the two names, and a refused call costs a turn.
    #[serde(alias = "skill_id")]
    skill_name: String,
    #[serde(default)]
    conversation: Option<String>,
}

impl ToolSession<'_> {
    /// Calls a tool; `None` if there is none of that name. Its errors are returned as its result, for the model.
    pub(super) async fn call(&self, name: &str, arguments: JsonObject) -> Option<CallToolResult> {
        let result = match name {
            "list_skills" => self.list(arguments).await,
            "search" => self.search(arguments).await,
            "read_skill" => self.read(arguments).await,
            "read_skill_resource" => self.read_file(arguments).await,
            "enable_skill" => self.enable(arguments).await,
            "disable_skill" => self.disable(arguments),
            // Not only left out of the list: a client could call what it was never offered.
            "propose_skill_update" if self.state.proposals => self.propose(arguments).await,
            skill_tool::NAME => {
                let tool = AgentSkillTool::of_agent(&self.state.current())?;
                tool.call(self, arguments).await
            }
            name => {
                let proposals = self.state.proposals;
                let tool = DevaiTool::find(name, &self.state.current(), proposals)?;
                tool.call(self, arguments).await
            }
        };

        // Errors are results: a model sees those, and not always the errors of the protocol.
        Some(result.unwrap_or_else(|error| error_result(&error)))
    }

    async fn list(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let query = parse_arguments::<ListArguments>(arguments)?
            .query
            .unwrap_or_default();
        let served = self.state.refreshed().await;

        let found: Vec<&CatalogEntry> = served.matching(query.trim()).collect();
        let none = if query.trim().is_empty() {
            "There are no skills."
        } else {
            "No skill's name or tag has that in it."
        };

        Ok(listing_result(&served, &found, none))
    }

    async fn search(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let SearchArguments { query, limit } = parse_arguments(arguments)?;

        let served = self.state.refreshed().await;
        let found = served.search(
            &query,
            limit.unwrap_or(RESULTS_DEFAULT).clamp(1, RESULTS_MAX),
        );
        Ok(listing_result(&served, &found, "No skill was found."))
    }

    async fn read(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let ReadArguments { skill_id } = parse_arguments(arguments)?;

        let skill = self
            .state
            .find_or_refresh(|served| served.load(served.find(&skill_id)?))
            .await?;

        let note = instructions::load_note(&skill);
        Ok(CallToolResult::success(vec![
            ContentBlock::text(skill.text),
            ContentBlock::text(note),
        ]))
    }

    async fn read_file(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let ReadFileArguments { skill_id, path } = parse_arguments(arguments)?;
        // Models write `./references/x.md` as often as without the dot; it is the same file.
        let path = drop_dot_parts(&path);
        // Refused by its spelling alone, so that the answer never depends on the file system.
        if is_traversal(&path) {
            return Err(Error::integrity("Path traversal detected").note(format!(
                "`{}` points outside the skill's directory",
                path.escape_debug()
            )));
        }

        let (name, bytes) = self
            .state
            .find_or_refresh(|served| {
                let entry = served.find(&skill_id)?;
                Ok::<_, Error>((
                    entry.candidate.listing.name.clone(),
                    served.read(entry, &path)?,
                ))
            })
            .await?;

        // Text is what a model reads; anything else goes out as a resource with its media type.
        let uri = resources::skill_uri(&name, &path);
        Ok(CallToolResult::success(vec![
            match resources::contents(bytes, &uri, &path) {
                ResourceContents::TextResourceContents { text, .. } => ContentBlock::text(text),
                blob => ContentBlock::resource(blob),
            },
        ]))
    }

    async fn enable(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let ActivationArguments {
            skill_name,
            conversation,
        } = parse_arguments(arguments)?;

        let load = |served: &ServedCatalog| {
            let entry = served
                .find(&skill_name)
                .map_err(|_| unknown_skill(served, &skill_name))?;
            served.load(entry)
        };

        let skill = self.state.find_or_refresh(load).await?;
        // Of the catalog as it is after the lookup, so that the active names are still served.
        let served = self.state.current();
        let active = self.active_in(conversation.as_deref());
        let mut active = lock(&active);
        active.enable(&skill.catalog_id);

        Ok(structured_result(
            (find_wrapping("nova-shipped")?.wrap)(&skill),
            json!({"active": active.ids(&served)}),
        ))
    }

    fn disable(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let ActivationArguments {
            skill_name,
            conversation,
        } = parse_arguments(arguments)?;

        let served = self.state.current();
        let active = self.active_in(conversation.as_deref());
        let mut active = lock(&active);

        // By whatever it was enabled: its id, its name, or its directory.
        let found = served.find(&skill_name).ok();
        let id = found.map_or(&*skill_name, |entry| served.id_of(entry));
        if !active.disable(id) {
            let names = active.ids(&served).join(", ");
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names
            };
            return Err(Error::negative(format!(
                "Skill '{}' is not active. Active: {names}",
                skill_name.escape_debug()
            )));
        }

        let text = format!("Skill '{skill_name}' deactivated. Its tools are no longer available.");
        Ok(structured_result(
            text,
            json!({"active": active.ids(&served)}),
        ))
    }

    async fn propose(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let ProposeArguments {
            skill_id,
            diff,
            text,
            justification,
            evidence,
        } = parse_arguments(arguments)?;

        let change = match (diff, text) {
            (Some(diff), None) => ProposedChange::Diff(diff),
            (None, Some(text)) => ProposedChange::Text(text),
            _ => {
                return Err(Error::usage("the change requires either `diff` or `text`"));
            }
        };

        let name = self
            .state
            .find_or_refresh(|served| {
                Ok::<_, Error>(served.find(&skill_id)?.candidate.listing.name.to_string())
            })
            .await?;

        let proposed = ProposalRequest {
            name,
            change,
            justification,
            evidence,
            // The client's word, which a reviewer sees as such; it is not checked.
            by: self.client.clone(),
        };

        let stored = self.state.propose(proposed).await?;
        let proposal = &stored.proposal;
        let text = format!(
            "Proposal {} is kept for a person to look at; nothing has changed. They see it with `skillpm proposals show {0}`.",
            proposal.id
        );

        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    fn active_in(&self, conversation: Option<&str>) -> Arc<Mutex<ActiveSkills>> {
        match conversation {
            Some(name) => self.state.conversation(name),
            None => Arc::clone(self.active),
        }
    }
}

/// Whether a path says that it leads out of where it begins.
fn is_traversal(path: &str) -> bool {
    // `\` too: a client may run on Windows, where it separates.
    path.starts_with('/') || path.split(['/', '\\']).any(|part| part == "..")
}

fn unknown_skill(served: &ServedCatalog, name: &str) -> Error {
    Error::negative(format!(
        "Unknown skill '{}'. Available: {}",
        name.escape_debug(),
        served.some_names()
    ))
}

pub(super) fn parse_arguments<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Error> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Error::usage(format!("invalid arguments: {error}")))
}

fn listing_result(served: &ServedCatalog, found: &[&CatalogEntry], none: &str) -> CallToolResult {
    let text = match found {
        [] => none.to_owned(),
        _ => instructions::list_entries(served, found),
    };
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn structured_result(text: String, value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);

    result
}

/// An error as a model can read it.
pub(super) fn error_result(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(instructions::error_text(error))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_closed_schema_and_a_correct_hint() {
        let none = ServedCatalog::default();
        let changing: Vec<_> = TOOLS
            .iter()
            .filter(|row| !row.reads_only)
            .map(|row| row.name)
            .collect();
        assert_eq!(
            changing,
            ["enable_skill", "disable_skill", "propose_skill_update"]
        );
        assert!(
            find_tool("propose_skill_update", &none, false).is_none()
                && find_tool("propose_skill_update", &none, true).is_some()
        );
        for tool in all_tools(&none, true) {
            assert_eq!(
                tool.input_schema["additionalProperties"],
                json!(false),
                "{}",
                tool.name
            );
            let required = tool
                .input_schema
                .get("required")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            let properties = tool.input_schema["properties"].as_object().unwrap();
            assert!(
                required
                    .iter()
                    .all(|key| properties.contains_key(key.as_str().unwrap())),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn dot_parts_do_not_hide_a_hostile_path() {
        for path in ["./../a", ".//etc/passwd", "./a/.././b", "a/./../b"] {
            assert!(is_traversal(&drop_dot_parts(path)), "{path}");
        }
        assert_eq!(drop_dot_parts("././references/./x.md"), "references/x.md");
    }

    #[test]
    fn a_path_with_parent_parts_is_detected() {
        for path in ["../a", "a/../../b", "/etc/passwd", "..\\a", ".."] {
            assert!(is_traversal(path), "{path}");
        }
        for path in ["a..b", "references/a.md", "...", ""] {
            assert!(!is_traversal(path), "{path}");
        }
    }
}

//! The tools: for every client, whether it knows of skills or not.

use std::sync::{Arc, Mutex};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ResourceContents, Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::active::Active;
use super::desk::{Desk, lock};
use super::{instructions, resources};
use crate::catalog::Entry;
use crate::catalog::loaded::wrapping;
use crate::error::Error;
use crate::ops::proposals::{Change, Proposed};
use crate::ops::serve::Served;

/// How many skills a search gives where nobody says.
const FOUND: usize = 10;
/// The most that can be asked for.
const FOUND_MAX: usize = 100;

/// One tool.
struct Row {
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

static TOOLS: &[Row] = &[
    Row {
        name: "list_skills",
        title: "List skills",
        description: "List the skills there are, each with what it does and when to use it. `query` leaves those with \
                      that text in their name or one of their tags.",
        reads_only: true,
        proposes: false,
        input: || object(&json!({"query": {"type": "string", "description": "Part of a name or a tag"}}), &[]),
        output: Some(skills_schema),
    },
    Row {
        name: "search",
        title: "Search skills",
        description: "Find skills by words of their names, tags and descriptions, the best first.",
        reads_only: true,
        proposes: false,
        input: || {
            object(
                &json!({
                    "query": {"type": "string", "description": "The words to look for"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": FOUND_MAX, "default": FOUND,
                              "description": "How many to give"},
                }),
                &["query"],
            )
        },
        output: Some(skills_schema),
    },
    Row {
        name: "read_skill",
        title: "Read a skill",
        description: "Load the full instructions of one skill. Call it when a task matches a skill's description, \
                      before you start the task.",
        reads_only: true,
        proposes: false,
        input: || object(&json!({"skill_id": {"type": "string", "description": "The skill's name"}}), &["skill_id"]),
        output: None,
    },
    Row {
        name: "read_skill_resource",
        title: "Read a skill's file",
        description: "Read another file of a skill, such as one that its instructions name.",
        reads_only: true,
        proposes: false,
        input: || {
            object(
                &json!({
                    "skill_id": {"type": "string", "description": "The skill's name"},
                    "path": {"type": "string", "description": "The file's path, relative to the skill's directory"},
                }),
                &["skill_id", "path"],
            )
        },
        output: None,
    },
    Row {
        name: "enable_skill",
        title: "Enable a skill",
        description: "Load a skill's instructions and count it among the active skills of this conversation.",
        reads_only: false,
        proposes: false,
        input: activation,
        output: Some(active_schema),
    },
    Row {
        name: "disable_skill",
        title: "Disable a skill",
        description: "Take a skill from the active skills of this conversation, once its task is done.",
        reads_only: false,
        proposes: false,
        input: activation,
        output: Some(active_schema),
    },
    Row {
        name: "propose_skill_update",
        title: "Propose a change of a skill",
        description: "Propose a change of a skill's instructions, as a unified diff or as the whole new text. It is kept \
                      for a person to look at; nothing changes before they apply it.",
        reads_only: false,
        proposes: true,
        input: || {
            object(
                &json!({
                    "skill_id": {"type": "string", "description": "The skill's name"},
                    "diff": {"type": "string", "description": "A unified diff of the file with its instructions"},
                    "text": {"type": "string", "description": "That file as it should be; in place of `diff`"},
                    "justification": {"type": "string", "description": "Why it should be changed"},
                    "evidence": {"type": "string", "description": "What shows that the change helps"},
                }),
                &["skill_id", "justification"],
            )
        },
        output: None,
    },
];

fn activation() -> Value {
    object(
        &json!({
            "skill_name": {"type": "string", "description": "The skill's name"},
            "conversation": {"type": "string", "maxLength": 200,
                             "description": "A name for this conversation, where the connection does not stand for it"},
        }),
        &["skill_name"],
    )
}

fn object(properties: &Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn skills_schema() -> Value {
    let skill = json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "name": {"type": "string"},
            "description": {"type": "string"},
            "version": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "requires": {"type": "array", "items": {"type": "string"}},
            "tier": {"type": "string"},
            "active": {"type": "boolean"},
        },
        "required": ["id", "name", "description", "tags", "requires", "tier", "active"],
    });
    json!({
        "type": "object",
        "properties": {"skills": {"type": "array", "items": skill}},
        "required": ["skills"],
    })
}

fn active_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"active": {"type": "array", "items": {"type": "string"}}},
        "required": ["active"],
    })
}

/// What is offered to be called.
pub(super) fn all(proposals: bool) -> Vec<Tool> {
    offered(proposals).map(tool).collect()
}

/// The tool of this name.
pub(super) fn get(name: &str, proposals: bool) -> Option<Tool> {
    offered(proposals).find(|row| row.name == name).map(tool)
}

fn offered(proposals: bool) -> impl Iterator<Item = &'static Row> {
    TOOLS.iter().filter(move |row| proposals || !row.proposes)
}

fn tool(row: &Row) -> Tool {
    let hints = ToolAnnotations::with_title(row.title)
        .read_only(row.reads_only)
        .destructive(false)
        .idempotent(!row.proposes)
        .open_world(false);
    let mut tool = Tool::new(row.name, row.description, map((row.input)())).with_annotations(hints);
    tool.title = Some(row.title.to_owned());
    tool.output_schema = row.output.map(|schema| map(schema()));
    tool
}

fn map(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}

/// One conversation's side of the tools.
pub(super) struct Bench<'d> {
    pub(super) desk: &'d Desk,
    /// The active skills of the connection.
    pub(super) active: &'d Arc<Mutex<Active>>,
    /// What the client calls itself.
    pub(super) client: Option<String>,
}

/// The arguments that a tool may be given.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listing {
    #[serde(default)]
    query: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Searching {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    #[serde(alias = "skill_name")]
    skill_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingFile {
    #[serde(alias = "skill_name")]
    skill_id: String,
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposing {
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
struct Activation {
    #[serde(alias = "skill_id")]
    skill_name: String,
    #[serde(default)]
    conversation: Option<String>,
}

impl Bench<'_> {
    /// Calls a tool; `None` if there is none of that name. What goes wrong in it is told as its result, for the model.
    pub(super) async fn call(&self, name: &str, arguments: JsonObject) -> Option<CallToolResult> {
        let result = match name {
            "list_skills" => self.list(arguments).await,
            "search" => self.search(arguments).await,
            "read_skill" => self.read(arguments).await,
            "read_skill_resource" => self.read_file(arguments).await,
            "enable_skill" => self.enable(arguments).await,
            "disable_skill" => self.disable(arguments),
            "propose_skill_update" if self.desk.proposals => self.propose(arguments).await,
            _ => return None,
        };
        Some(result.unwrap_or_else(|error| failure(&error)))
    }

    async fn list(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let query = read::<Listing>(arguments)?.query.unwrap_or_default();
        let served = self.desk.fresh().await;
        let found: Vec<&Entry> = served.matching(query.trim()).collect();
        let none =
            if query.trim().is_empty() { "There are no skills." } else { "No skill's name or tag has that in it." };
        Ok(self.listed(&served, &found, none))
    }

    async fn search(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let Searching { query, limit } = read(arguments)?;
        let served = self.desk.fresh().await;
        let found = served.search(&query, limit.unwrap_or(FOUND).clamp(1, FOUND_MAX));
        Ok(self.listed(&served, &found, "No skill was found."))
    }

    fn listed(&self, served: &Served, found: &[&Entry], none: &str) -> CallToolResult {
        let text = match found {
            [] => none.to_owned(),
            _ => instructions::listing(found.iter().copied()),
        };
        let active = lock(self.active);
        let skills: Vec<Value> = found
            .iter()
            .map(|entry| {
                let candidate = &entry.candidate;
                let facts = candidate.listing.facts();
                let mut skill = json!({
                    "id": candidate.listing.name,
                    "name": facts.display_name.as_ref().unwrap_or(&candidate.listing.name),
                    "description": candidate.listing.description,
                    "tags": facts.tags,
                    "requires": facts.requires,
                    "tier": served.catalog().roots[usize::from(candidate.root)].tier.name(),
                    "active": active.holds(&candidate.listing.name),
                });
                if let Some(version) = candidate.version() {
                    skill["version"] = json!(version);
                }
                skill
            })
            .collect();
        structured(text, json!({"skills": skills}))
    }

    async fn read(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let Reading { skill_id } = read(arguments)?;
        let skill = self.desk.seek(|served| served.loaded(served.find(&skill_id)?)).await?;
        let note = instructions::note(&skill);
        Ok(CallToolResult::success(vec![ContentBlock::text(skill.text), ContentBlock::text(note)]))
    }

    async fn read_file(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let ReadingFile { skill_id, path } = read(arguments)?;
        if climbs(&path) {
            return Err(Error::integrity("Path traversal detected")
                .note(format!("`{}` leads out of the skill's directory", path.escape_debug())));
        }
        let (name, bytes) = self
            .desk
            .seek(|served| {
                let entry = served.find(&skill_id)?;
                Ok::<_, Error>((entry.candidate.listing.name.clone(), served.read(entry, &path)?))
            })
            .await?;
        let uri = resources::uri(&name, &path);
        Ok(CallToolResult::success(vec![match resources::contents(bytes, &uri, &path) {
            ResourceContents::TextResourceContents { text, .. } => ContentBlock::text(text),
            blob => ContentBlock::resource(blob),
        }]))
    }

    async fn enable(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let Activation { skill_name, conversation } = read(arguments)?;
        let load = |served: &Served| {
            let entry = served.find(&skill_name).map_err(|_| unknown(served, &skill_name))?;
            served.loaded(entry)
        };
        let skill = self.desk.seek(load).await?;
        let served = self.desk.now();
        let active = self.active_in(conversation.as_deref());
        let mut active = lock(&active);
        active.enable(&skill.name);
        Ok(structured((wrapping("nova-shipped")?.wrap)(&skill), json!({"active": active.names(&served)})))
    }

    fn disable(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let Activation { skill_name, conversation } = read(arguments)?;
        let served = self.desk.now();
        let active = self.active_in(conversation.as_deref());
        let mut active = lock(&active);
        if !active.disable(&skill_name) {
            let names = active.names(&served).join(", ");
            let names = if names.is_empty() { "none".to_owned() } else { names };
            return Err(Error::negative(format!(
                "Skill '{}' is not active. Active: {names}",
                skill_name.escape_debug()
            )));
        }
        let text = format!("Skill '{skill_name}' deactivated. Its tools are no longer available.");
        Ok(structured(text, json!({"active": active.names(&served)})))
    }

    async fn propose(&self, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let Proposing { skill_id, diff, text, justification, evidence } = read(arguments)?;
        let change = match (diff, text) {
            (Some(diff), None) => Change::Diff(diff),
            (None, Some(text)) => Change::Text(text),
            _ => return Err(Error::usage("the change is given either as `diff` or as `text`")),
        };
        let name =
            self.desk.seek(|served| Ok::<_, Error>(served.find(&skill_id)?.candidate.listing.name.to_string())).await?;
        let proposed = Proposed { name, change, justification, evidence, by: self.client.clone() };
        let stored = self.desk.propose(proposed).await?;
        let proposal = &stored.proposal;
        let text = format!(
            "Proposal {} is kept for a person to look at; nothing has changed. They see it with `skillpm proposals show {0}`.",
            proposal.id
        );
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    fn active_in(&self, conversation: Option<&str>) -> Arc<Mutex<Active>> {
        match conversation {
            Some(name) => self.desk.conversation(name),
            None => Arc::clone(self.active),
        }
    }
}

/// Whether a path says that it leads out of where it begins.
fn climbs(path: &str) -> bool {
    path.starts_with('/') || path.split(['/', '\\']).any(|part| part == "..")
}

fn unknown(served: &Served, name: &str) -> Error {
    Error::negative(format!("Unknown skill '{}'. Available: {}", name.escape_debug(), served.some_names()))
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Error> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Error::usage(format!("the arguments are not what the tool takes: {error}")))
}

fn structured(text: String, value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

/// An error as a model can read it.
pub(super) fn failure(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(told(error))])
}

/// An error in one text: what, the notes and causes, what would help.
pub(super) fn told(error: &Error) -> String {
    let below = error.notes().iter().chain(error.causes()).map(|line| format!(": {line}"));
    let helps = error.helps().iter().map(|line| format!(" ({line})"));
    std::iter::once(error.message().to_owned()).chain(below).chain(helps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_schema_that_takes_no_other_keys_and_an_honest_hint() {
        let changing: Vec<_> = TOOLS.iter().filter(|row| !row.reads_only).map(|row| row.name).collect();
        assert_eq!(changing, ["enable_skill", "disable_skill", "propose_skill_update"]);
        assert!(get("propose_skill_update", false).is_none() && get("propose_skill_update", true).is_some());
        for tool in all(true) {
            assert_eq!(tool.input_schema["additionalProperties"], json!(false), "{}", tool.name);
            let required = tool.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            let properties = tool.input_schema["properties"].as_object().unwrap();
            assert!(required.iter().all(|key| properties.contains_key(key.as_str().unwrap())), "{}", tool.name);
        }
    }

    #[test]
    fn a_path_that_climbs_is_told_from_one_that_does_not() {
        for path in ["../a", "a/../../b", "/etc/passwd", "..\\a", ".."] {
            assert!(climbs(path), "{path}");
        }
        for path in ["a..b", "references/a.md", "...", ""] {
            assert!(!climbs(path), "{path}");
        }
    }
}

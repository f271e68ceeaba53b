//! The tools by which Devai's agents change its skills: `skill_create`, `skill_update` and `skill_delete`, with Devai's
//! arguments, answers and errors. Devai writes code that it runs without asking; here each change is a proposal.
//!
//! ```json
//! {"created": false, "skillId": "generate-image", "toolName": "skill_generate_image",
//!  "proposal": "generate-image-20261122T093123Z", "note": "…"}
//! ```

use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::tools::{ToolSession, object_schema, parse_arguments};
use skillpm_catalog::catalog::CatalogEntry;
use skillpm_catalog::catalog::loaded::devai_not_found;
use skillpm_core::error::{Error, Result};
use skillpm_core::skill::formats::devai::{MANIFEST, SCRIPTS, tool_name};
use skillpm_ops::proposals::{ProposalRequest, ProposedChange};
use skillpm_ops::serve::ServedCatalog;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CreateArguments {
    id: String,
    name: String,
    description: String,
    #[serde(default)]
    parameters: Option<Map<String, Value>>,
    code: String,
    #[serde(default)]
    tags: Option<TagList>,
}

/// Devai's tool takes a text with commas, and its manifest has a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum TagList {
    Text(String),
    List(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateArguments {
    id: String,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteArguments {
    id: String,
}

pub(super) fn create_schema() -> Value {
    object_schema(
        &json!({
            "id": {"type": "string",
                   "description": "Unique skill ID (lowercase, hyphens allowed, e.g. \"generate-image\")"},
            "name": {"type": "string", "description": "Human-readable skill name"},
            "description": {"type": "string",
                            "description": "What the skill does (shown to agents as tool description)"},
            "parameters": {"type": "object",
                           "description": "Skill parameters as { paramName: { type, description, required?, default? } }"},
            "code": {"type": "string", "description": "TypeScript source code for execute.ts. Must export async function \
                                                       execute(args, ctx)."},
            "tags": {"type": "string", "description": "Comma-separated tags for categorization"},
        }),
        &["id", "name", "description", "code"],
    )
}

pub(super) fn update_schema() -> Value {
    object_schema(
        &json!({
            "id": {"type": "string", "description": "Skill ID to update"},
            "code": {"type": "string", "description": "New execute.ts source code (optional)"},
            "description": {"type": "string", "description": "New description (optional)"},
            "parameters": {"type": "object", "description": "New parameters definition (optional)"},
        }),
        &["id"],
    )
}

pub(super) fn delete_schema() -> Value {
    object_schema(
        &json!({"id": {"type": "string", "description": "Skill ID to delete"}}),
        &["id"],
    )
}

/// Proposes a new skill.
///
/// # Errors
/// If there is one of that id, or Devai could not use it.
pub(super) async fn create(session: &ToolSession<'_>, arguments: JsonObject) -> Result<Value> {
    let arguments: CreateArguments = parse_arguments(arguments)?;
    let id = arguments.id.clone();
    let reason = format!("Create the skill \"{}\".", arguments.name);

    let files = BTreeMap::from([
        (MANIFEST.to_owned(), new_manifest(&arguments)),
        (SCRIPTS[0].to_owned(), arguments.code),
    ]);
    let proposal = propose(session, &id, ProposedChange::Create(files), reason).await?;
    Ok(json!({
        "created": false,
        "skillId": id,
        "toolName": tool_name(&id),
        "proposal": proposal,
        "note": kept_note(&proposal),
    }))
}

/// The manifest as Devai writes it, except for `createdBy`: Devai names its own agent there, and here any may call.
fn new_manifest(arguments: &CreateArguments) -> String {
    let mut manifest = json!({
        "id": arguments.id,
        "name": arguments.name,
        "description": arguments.description,
        "version": "1.0.0",
    });

    if let Some(parameters) = &arguments.parameters {
        manifest["parameters"] = json!(parameters);
    }
    let tags = match &arguments.tags {
        None => Vec::new(),
        Some(TagList::Text(text)) => text.split(',').map(str::trim).collect(),
        Some(TagList::List(tags)) => tags.iter().map(|tag| tag.trim()).collect(),
    };
    let tags: Vec<&str> = tags.into_iter().filter(|tag| !tag.is_empty()).collect();
    if !tags.is_empty() {
        manifest["tags"] = json!(tags);
    }
    format!("{manifest:#}\n")
}

/// Proposes new texts of a skill's files.
///
/// # Errors
/// If there is no such skill, or the change would make it one that Devai cannot use.
pub(super) async fn update(
    session: &ToolSession<'_>,
    served: &ServedCatalog,
    arguments: JsonObject,
) -> Result<Value> {
    let arguments: UpdateArguments = parse_arguments(arguments)?;
    let entry = find_skill(served, &arguments.id)?;

    let mut files = BTreeMap::new();
    if arguments.description.is_some() || arguments.parameters.is_some() {
        files.insert(
            MANIFEST.to_owned(),
            changed_manifest(served, entry, &arguments)?,
        );
    }
    if let Some(code) = arguments.code {
        files.insert(SCRIPTS[0].to_owned(), code);
    }
    if files.is_empty() {
        return Err(Error::usage(
            "the change requires `code`, `description` or `parameters`",
        ));
    }

    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let reason = format!("Change {} of the skill.", names.join(" and "));
    let name = entry.candidate.listing.name.to_string();
    let proposal = propose(session, &name, ProposedChange::Files(files), reason).await?;
    Ok(json!({
        "updated": false,
        "skillId": arguments.id,
        "proposal": proposal,
        "note": kept_note(&proposal),
    }))
}

/// The manifest of a skill with the fields that are to change.
fn changed_manifest(
    served: &ServedCatalog,
    entry: &CatalogEntry,
    arguments: &UpdateArguments,
) -> Result<String> {
    let bytes = served.read(entry, MANIFEST)?;
    let mut manifest: Map<String, Value> = serde_json::from_slice(&bytes)
        .map_err(|error| Error::negative(format!("invalid JSON in `{MANIFEST}`: {error}")))?;

    if let Some(description) = &arguments.description {
        manifest.insert("description".to_owned(), json!(description));
    }
    if let Some(parameters) = &arguments.parameters {
        manifest.insert("parameters".to_owned(), json!(parameters));
    }
    Ok(format!("{:#}\n", Value::Object(manifest)))
}

/// Proposes the removal of a skill.
///
/// # Errors
/// If there is no such skill.
pub(super) async fn delete(
    session: &ToolSession<'_>,
    served: &ServedCatalog,
    arguments: JsonObject,
) -> Result<Value> {
    let DeleteArguments { id } = parse_arguments(arguments)?;
    let name = find_skill(served, &id)?.candidate.listing.name.to_string();

    let reason = "Delete the skill.".to_owned();
    let proposal = propose(session, &name, ProposedChange::Delete, reason).await?;
    Ok(json!({
        "deleted": false,
        "skillId": id,
        "proposal": proposal,
        "note": kept_note(&proposal),
    }))
}

fn find_skill<'s>(served: &'s ServedCatalog, id: &str) -> Result<&'s CatalogEntry> {
    served
        .find(id)
        .map_err(|_| Error::negative(devai_not_found(id)))
}

/// Stores a proposal; returns its id.
async fn propose(
    session: &ToolSession<'_>,
    name: &str,
    change: ProposedChange,
    reason: String,
) -> Result<String> {
    let request = ProposalRequest {
        name: name.to_owned(),
        change,
        // Devai's tools take no reason, so the page says what was asked for.
        justification: reason,
        evidence: None,
        by: session.client.clone(),
    };
    let stored = session.state.propose(request).await?;
    Ok(stored.proposal.id)
}

fn kept_note(proposal: &str) -> String {
    format!(
        "Kept as a proposal for a person to look at; nothing has changed. They see it with `skillpm proposals show \
         {proposal}`, and apply it with `skillpm proposals apply {proposal}`."
    )
}

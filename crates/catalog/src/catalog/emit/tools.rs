//! `openai`, `openai-responses` and `anthropic`: what the three interfaces take as `tools`.
//!
//! ```json
//! [{"name": "activate_skill", "description": "Load the full instructions …", "input_schema": {…, "enum": ["csv-tidy"]}}]
//! ```
//!
//! One tool loads any of the skills that are texts. The purposes of the skills are not in it but in the system prompt,
//! by another format, since both places would cost twice. A Devai skill is a tool of its own, which takes what it says.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::devai::{self, DevaiFunction};
use super::{EmitOptions, pretty, skill_ids};
use crate::catalog::Catalog;

const ADVICE: &str = "Load the full instructions of one skill. Call it when a task matches a skill's description, \
                      before you start the task.";

/// Writes tools for chat completions of `OpenAI`.
pub(super) fn emit_openai(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let wrap = |ToolDefinition {
                    name,
                    description,
                    schema,
                    ..
                }: ToolDefinition| {
        json!({
            "type": "function",
            "function": {"name": name, "description": description, "parameters": schema},
        })
    };

    write_tools(catalog, options, out, wrap)
}

/// Writes tools for responses of `OpenAI`.
pub(super) fn emit_responses(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let wrap = |ToolDefinition {
                    name,
                    description,
                    schema,
                    strict,
                }: ToolDefinition| {
        json!({
            "type": "function", "name": name, "description": description, "parameters": schema, "strict": strict,
        })
    };

    write_tools(catalog, options, out, wrap)
}

/// Writes tools for Anthropic's messages.
pub(super) fn emit_anthropic(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let wrap = |ToolDefinition {
                    name,
                    description,
                    schema,
                    ..
                }: ToolDefinition| json!({"name": name, "description": description, "input_schema": schema});

    write_tools(catalog, options, out, wrap)
}

/// Writes the tools of a catalog, each as `wrap` puts it.
fn write_tools(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
    wrap: impl Fn(ToolDefinition) -> Value,
) -> io::Result<()> {
    let tools: Vec<Value> = tool_definitions(catalog, options).map(wrap).collect();
    pretty::write_json(&tools, out)
}

struct ToolDefinition {
    name: String,
    description: String,
    schema: Value,
    /// Whether the schema can be strict: only if it has no optional parameters.
    strict: bool,
}

/// Longest name of a tool for all three, in characters
/// (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools>; the others have the same).
const NAME_MAX: usize = 64;

fn tool_definitions(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
) -> impl Iterator<Item = ToolDefinition> {
    // A longer name is refused by at least one of the three.
    let functions = devai::functions(catalog).filter(|function| function.name.len() <= NAME_MAX);

    activation_tool(catalog, options)
        .into_iter()
        .chain(functions.map(function_tool))
}

/// The tool that loads a skill; `None` if there is no skill to load.
fn activation_tool(catalog: &Catalog, options: &EmitOptions<'_>) -> Option<ToolDefinition> {
    let names = skill_ids::enum_values(
        skill_ids::text_skills(catalog).map(|entry| &*entry.candidate.listing.name),
    );

    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "enum": names, "description": "Name of the skill to activate"}},
        "required": ["name"],
        "additionalProperties": false,
    });
    // An `enum` without values would allow no call at all.
    (!names.is_empty()).then(|| ToolDefinition {
        name: "activate_skill".to_owned(),
        description: options.preamble.unwrap_or(ADVICE).trim().to_owned(),
        schema,
        strict: true,
    })
}

fn function_tool(function: DevaiFunction) -> ToolDefinition {
    let DevaiFunction {
        name,
        description,
        parameters: mut schema,
    } = function;

    for property in schema["properties"]
        .as_object_mut()
        .into_iter()
        .flat_map(|properties| properties.values_mut())
    {
        // OpenAI refuses an array without a type for its items.
        if property["type"] == "array" {
            property["items"] = json!({});
        }
    }

    ToolDefinition {
        name,
        description,
        schema,
        // Strict schemas require all parameters, and a Devai skill may have optional ones.
        strict: false,
    }
}

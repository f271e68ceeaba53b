//! `openai`, `openai-responses` and `anthropic`: what the three interfaces take as `tools`.
//!
//! ```json
//! [{"name": "activate_skill", "description": "Load the full instructions …", "input_schema": {…, "enum": ["csv-tidy"]}}]
//! ```
//!
//! One tool loads any of the skills that are texts. What the skills are for is not told here but in the system prompt,
//! by another format, since both places would cost twice. A Devai skill is a tool of its own, which takes what it says.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::devai::{self, Function};
use super::{Options, called, pretty};
use crate::catalog::Catalog;

const ADVICE: &str = "Load the full instructions of one skill. Call it when a task matches a skill's description, \
                      before you start the task.";

/// Writes tools for chat completions of `OpenAI`.
pub(super) fn emit_openai(catalog: &Catalog, options: &Options<'_>, out: &mut dyn Write) -> io::Result<()> {
    let wrap = |Tool { name, description, schema, .. }: Tool| {
        json!({
            "type": "function",
            "function": {"name": name, "description": description, "parameters": schema},
        })
    };
    pretty::write(&tools(catalog, options).map(wrap).collect::<Vec<_>>(), out)
}

/// Writes tools for responses of `OpenAI`.
pub(super) fn emit_responses(catalog: &Catalog, options: &Options<'_>, out: &mut dyn Write) -> io::Result<()> {
    let wrap = |Tool { name, description, schema, strict }: Tool| {
        json!({
            "type": "function", "name": name, "description": description, "parameters": schema, "strict": strict,
        })
    };
    pretty::write(&tools(catalog, options).map(wrap).collect::<Vec<_>>(), out)
}

/// Writes tools for Anthropic's messages.
pub(super) fn emit_anthropic(catalog: &Catalog, options: &Options<'_>, out: &mut dyn Write) -> io::Result<()> {
    let wrap = |Tool { name, description, schema, .. }: Tool| json!({"name": name, "description": description, "input_schema": schema});
    pretty::write(&tools(catalog, options).map(wrap).collect::<Vec<_>>(), out)
}

struct Tool {
    name: String,
    description: String,
    schema: Value,
    /// Whether a model may be held to the schema: only where nothing in it may be left out.
    strict: bool,
}

/// Longest name of a tool for all three, in characters (`shared/CONSUMERS.md` §3.2).
const NAME_MAX: usize = 64;

fn tools(catalog: &Catalog, options: &Options<'_>) -> impl Iterator<Item = Tool> {
    let functions = devai::functions(catalog).filter(|function| function.name.len() <= NAME_MAX);
    loader(catalog, options).into_iter().chain(functions.map(called_by_itself))
}

/// The tool that loads a skill; `None` where there is none to load.
fn loader(catalog: &Catalog, options: &Options<'_>) -> Option<Tool> {
    let names = called::values(called::texts(catalog).map(|entry| &*entry.candidate.listing.name));
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "enum": names, "description": "Name of the skill to activate"}},
        "required": ["name"],
        "additionalProperties": false,
    });
    (!names.is_empty()).then(|| Tool {
        name: "activate_skill".to_owned(),
        description: options.preamble.unwrap_or(ADVICE).trim().to_owned(),
        schema,
        strict: true,
    })
}

fn called_by_itself(function: Function) -> Tool {
    let Function { name, description, parameters: mut schema } = function;
    for property in schema["properties"].as_object_mut().into_iter().flat_map(|properties| properties.values_mut()) {
        // OpenAI refuses an array that does not say what it holds.
        if property["type"] == "array" {
            property["items"] = json!({});
        }
    }
    Tool { name, description, schema, strict: false }
}

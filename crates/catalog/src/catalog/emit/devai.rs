//! `devai`: one function for each Devai skill, under the name that Devai calls it by.
//!
//! ```json
//! [{"name": "skill_unit_convert", "description": "[Skill] Converts …", "parameters": {"type": "object", … }}]
//! ```
//!
//! A skill whose id Devai's own loader refuses is left out.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{EmitOptions, pretty, skill_ids};
use crate::catalog::text::one_line;
use crate::catalog::{Catalog, SkillListing};
use skillpm_core::skill::ToolParameter;

/// Writes the functions; an empty list if there are none.
pub(super) fn emit(catalog: &Catalog, _: &EmitOptions<'_>, out: &mut dyn Write) -> io::Result<()> {
    let functions: Vec<Value> = functions(catalog)
        .map(
            |DevaiFunction {
                 name,
                 description,
                 parameters,
             }| {
                json!({"name": name, "description": description, "parameters": parameters})
            },
        )
        .collect();

    pretty::write_json(&functions, out)
}

/// A skill as a model calls it.
pub(super) struct DevaiFunction {
    pub(super) name: String,
    pub(super) description: String,
    /// The JSON Schema of what it takes.
    pub(super) parameters: Value,
}

/// The listed Devai skills.
pub(super) fn functions(catalog: &Catalog) -> impl Iterator<Item = DevaiFunction> {
    skill_ids::function_skills(catalog).filter_map(|entry| devai_function(&entry.candidate.listing))
}

fn devai_function(listing: &SkillListing) -> Option<DevaiFunction> {
    let is_callable = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    // Devai's loader refuses other ids, so a model would be offered a call that fails.
    if listing.name.is_empty() || !listing.name.chars().all(is_callable) {
        return None;
    }

    let tools = &listing.facts().tools;
    let parameters = tools
        // Devai calls a skill as one function, so only the first tool can be meant.
        .first()
        .map(|tool| tool.parameters.as_slice())
        .unwrap_or_default();

    let properties: Map<String, Value> = parameters
        .iter()
        .map(|parameter| {
            (
                one_line(&parameter.name).into_owned(),
                property_schema(parameter),
            )
        })
        .collect();
    let required: Vec<_> = parameters
        .iter()
        .filter(|parameter| parameter.required)
        .map(|parameter| one_line(&parameter.name))
        .collect();

    Some(DevaiFunction {
        // As Devai itself names the function.
        name: format!("skill_{}", listing.name.replace('-', "_")),
        description: format!("[Skill] {}", listing.summary()),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    })
}

fn property_schema(parameter: &ToolParameter) -> Value {
    let mut property = Map::new();

    if let Some(kind) = &parameter.kind {
        property.insert("type".into(), json!(one_line(kind)));
    }

    // Without one there is nothing to say to a model.
    if !parameter.description.is_empty() {
        property.insert(
            "description".into(),
            json!(one_line(&parameter.description)),
        );
    }

    // A default that is no JSON is code in the skill's language, and means nothing to a model.
    if let Some(default) = parameter
        .default
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
    {
        property.insert("default".into(), default);
    }

    Value::Object(property)
}

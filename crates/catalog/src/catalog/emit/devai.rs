//! `devai`: one function for each Devai skill, under the name that Devai calls it by.
//!
//! ```json
//! [{"name": "skill_unit_convert", "description": "[Skill] Converts …", "parameters": {"type": "object", … }}]
//! ```
//!
//! A skill whose id Devai's own loader refuses is left out.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Options, called, pretty};
use crate::catalog::text::one_line;
use crate::catalog::{Catalog, Listing};
use crate::skill::Parameter;

/// Writes the functions; an empty list when there is none.
pub(super) fn emit(catalog: &Catalog, _: &Options<'_>, out: &mut dyn Write) -> io::Result<()> {
    let functions: Vec<Value> = functions(catalog)
        .map(|Function { name, description, parameters }| {
            json!({"name": name, "description": description, "parameters": parameters})
        })
        .collect();
    pretty::write(&functions, out)
}

/// A skill as a model calls it.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) description: String,
    /// The JSON Schema of what it takes.
    pub(super) parameters: Value,
}

/// The listed Devai skills.
pub(super) fn functions(catalog: &Catalog) -> impl Iterator<Item = Function> {
    called::calls(catalog).filter_map(|entry| function(&entry.candidate.listing))
}

fn function(listing: &Listing) -> Option<Function> {
    let is_callable = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if listing.name.is_empty() || !listing.name.chars().all(is_callable) {
        return None;
    }
    let tools = &listing.facts().tools;
    let parameters = tools.first().map(|tool| tool.parameters.as_slice()).unwrap_or_default();
    let properties: Map<String, Value> =
        parameters.iter().map(|parameter| (one_line(&parameter.name).into_owned(), property(parameter))).collect();
    let required: Vec<_> =
        parameters.iter().filter(|parameter| parameter.required).map(|parameter| one_line(&parameter.name)).collect();
    Some(Function {
        name: format!("skill_{}", listing.name.replace('-', "_")),
        description: format!("[Skill] {}", listing.summary()),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    })
}

fn property(parameter: &Parameter) -> Value {
    let mut property = Map::new();
    if let Some(kind) = &parameter.kind {
        property.insert("type".into(), json!(one_line(kind)));
    }
    property.insert("description".into(), json!(one_line(&parameter.description)));
    if let Some(default) = parameter.default.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
        property.insert("default".into(), default);
    }
    Value::Object(property)
}

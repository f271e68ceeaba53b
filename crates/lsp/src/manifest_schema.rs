//! The JSON schemas of `skillpm.toml` and `skillpm.lock`, from which keys and values are completed and documented.

use std::sync::LazyLock;

use serde_json::{Map, Value};

/// The schema of `skillpm.toml`, draft 7. A test compares its keys with those that the parser accepts.
pub const MANIFEST_SCHEMA: &str = include_str!("../schemas/skillpm.schema.json");

/// The schema of `skillpm.lock`, draft 7.
pub const LOCKFILE_SCHEMA: &str = include_str!("../schemas/skillpm-lock.schema.json");

static MANIFEST: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(MANIFEST_SCHEMA).expect("the schema is part of the program, and tested")
});

/// A key of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchemaKey {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Whether its value is a table, or a list of tables.
    pub(crate) has_table: bool,
}

/// What a path of keys in a manifest may have.
#[derive(Debug, Clone, Default)]
pub(crate) struct SchemaPlace(Vec<&'static Map<String, Value>>);

impl SchemaPlace {
    /// The place of a path; empty for an unknown one.
    pub(crate) fn at<T: AsRef<str>>(path: &[T]) -> SchemaPlace {
        let root = SchemaPlace(alternatives(&MANIFEST));
        path.iter()
            .fold(root, |place, key| place.child(key.as_ref()))
    }

    fn child(&self, key: &str) -> SchemaPlace {
        let child = |schema: &&'static Map<String, Value>| {
            let named = schema
                .get("properties")
                .and_then(|properties| properties.get(key));
            named.or_else(|| {
                schema
                    .get("additionalProperties")
                    .filter(|value| value.is_object())
            })
        };
        SchemaPlace(
            self.0
                .iter()
                .filter_map(child)
                .flat_map(alternatives)
                .collect(),
        )
    }

    /// What it is about, in Markdown.
    pub(crate) fn about(&self) -> Option<&'static str> {
        self.0
            .iter()
            .find_map(|schema| schema.get("description")?.as_str())
    }

    /// The keys that a table may have here.
    pub(crate) fn keys(&self) -> Vec<SchemaKey> {
        let properties = self
            .0
            .iter()
            .filter_map(|schema| schema.get("properties")?.as_object());
        let key = |(name, value): (&'static String, &'static Value)| {
            let place = SchemaPlace(alternatives(value));
            SchemaKey {
                name,
                about: place.about().unwrap_or_default(),
                has_table: place.has_table(),
            }
        };
        properties.flatten().map(key).collect()
    }

    /// Whether a table, or a list of tables, may be here.
    fn has_table(&self) -> bool {
        self.0
            .iter()
            .any(|schema| schema.get("type").is_some_and(|kind| kind == "object"))
    }

    /// The values, if only some are valid.
    pub(crate) fn values(&self) -> Vec<&'static str> {
        let listed = self
            .0
            .iter()
            .filter_map(|schema| schema.get("enum")?.as_array());
        let mut values: Vec<&str> = listed.flatten().filter_map(Value::as_str).collect();
        let is_switch = |schema: &&Map<String, Value>| {
            schema.get("type").is_some_and(|kind| kind == "boolean")
                || schema.get("const").is_some_and(Value::is_boolean)
        };
        if self.0.iter().any(is_switch) {
            values.extend(["true", "false"]);
        }
        values
    }
}

/// A schema with what it refers to and its alternatives; for a list, also those of its items, as a key in a table of a list
/// is written like one of a table.
fn alternatives(schema: &'static Value) -> Vec<&'static Map<String, Value>> {
    let Some(own) = schema.as_object() else {
        return Vec::new();
    };
    if let Some(reference) = own.get("$ref").and_then(Value::as_str) {
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| MANIFEST.pointer(pointer));
        return target.map(alternatives).unwrap_or_default();
    }

    let mut all = vec![own];
    let items = own.get("items");
    let choices = own.get("anyOf").and_then(Value::as_array);
    all.extend(
        items
            .into_iter()
            .chain(choices.into_iter().flatten())
            .flat_map(alternatives),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &[&str]) -> Vec<&'static str> {
        SchemaPlace::at(path)
            .keys()
            .into_iter()
            .map(|key| key.name)
            .collect()
    }

    #[test]
    fn keys_are_found_in_tables_lists_and_references() {
        assert_eq!(names(&["install"]), ["dir", "targets", "link"]);
        assert_eq!(names(&["lint", "overrides"]), ["paths"]);
        assert_eq!(names(&["package", "license"]), ["workspace"]);
        assert!(names(&["dependencies", "pdf"]).contains(&"git"));
        assert!(names(&["catalog", "agents", "codex", "tools"]).contains(&"ask"));
        assert_eq!(names(&["unknown"]), [""; 0]);
    }

    #[test]
    fn values_and_texts_are_those_of_the_schema() {
        assert_eq!(
            SchemaPlace::at(&["install", "link"]).values(),
            ["copy", "symlink"]
        );
        assert_eq!(
            SchemaPlace::at(&["lint", "body-empty"]).values(),
            ["allow", "note", "warn", "deny"]
        );
        assert_eq!(
            SchemaPlace::at(&["catalog", "enabled"]).values(),
            ["true", "false"]
        );
        assert!(
            SchemaPlace::at(&["install", "dir"])
                .about()
                .unwrap()
                .starts_with("The directory")
        );
    }
}

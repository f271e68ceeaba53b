//! The JSON schemas of `skillpm.toml` and `skillpm.lock`, compared with their parsers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skillpm::lint::rules;
use skillpm::lockfile::Lockfile;
use skillpm::lsp::{LOCKFILE_SCHEMA, MANIFEST_SCHEMA};
use skillpm::manifest::{self, Manifest, audit, lint};

use crate::support::overwrites;

fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn is_valid(schema: &Value, text: &str) -> bool {
    let table: toml::Table = toml::from_str(text).unwrap();
    let value = serde_json::to_value(table).unwrap();
    jsonschema::validator_for(schema).unwrap().is_valid(&value)
}

/// Parses all tables of a manifest.
fn parse(text: &str) -> Result<(), String> {
    let registries = |name: Option<&str>| Ok(name.unwrap_or_default().to_owned());
    let failed = |error: skillpm::error::Error| {
        let helps = error.helps().join(" ");
        format!("{} {helps}", error.in_one_line())
    };
    Manifest::parse(text, "f", &registries).map_err(failed)?;
    manifest::parse_patches(text, "f", &registries).map_err(failed)?;
    audit::parse_audit_table(text, "f").map_err(failed)?;
    lint::parse_lint_table(text, "f").map_err(failed)?;
    Ok(())
}

/// The keys that a parser expects instead of `zzzzzzzz`, from its error.
fn expected_keys(text: &str) -> BTreeSet<String> {
    let error = parse(text).unwrap_err();
    let list = [
        "expected one of",
        "valid keys are",
        "write one of",
        "expected",
    ]
    .iter()
    .find_map(|start| error.split_once(start));
    let (_, list) = list.unwrap_or_else(|| panic!("no keys in: {error}"));
    let list = list.split(';').next().unwrap();
    list.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The keys of the schema at a pointer.
fn schema_keys(schema: &Value, pointer: &str) -> BTreeSet<String> {
    let table = schema
        .pointer(pointer)
        .unwrap_or_else(|| panic!("{pointer}"));
    table["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
fn schema_of_the_manifest_has_the_keys_of_the_parser() {
    let schema = schema(MANIFEST_SCHEMA);
    for (pointer, text) in [
        ("", "zzzzzzzz = 1\n"),
        (
            "/properties/package",
            "[package]\nname = \"a\"\nzzzzzzzz = 1\n",
        ),
        ("/properties/workspace", "[workspace]\nzzzzzzzz = 1\n"),
        (
            "/properties/workspace/properties/package",
            "[workspace.package]\nzzzzzzzz = 1\n",
        ),
        ("/properties/install", "[install]\nzzzzzzzz = 1\n"),
        ("/properties/catalog", "[catalog]\nzzzzzzzz = 1\n"),
        ("/definitions/tools", "[catalog.tools]\nzzzzzzzz = 1\n"),
        (
            "/properties/catalog/properties/agents/additionalProperties",
            "[catalog.agents.a]\nzzzzzzzz = 1\n",
        ),
        ("/properties/policy", "[policy]\nzzzzzzzz = 1\n"),
        (
            "/definitions/dependency-table",
            "[dependencies.a]\nzzzzzzzz = 1\n",
        ),
        (
            "/definitions/inherited",
            "[package]\nname = \"a\"\nlicense = { zzzzzzzz = 1 }\n",
        ),
        ("/properties/lint", "[lint]\nzzzzzzzz = 1\n"),
        (
            "/properties/lint/properties/budgets",
            "[lint]\nbudgets = { zzzzzzzz = 1 }\n",
        ),
        ("/properties/audit", "[audit]\nzzzzzzzz = 1\n"),
        (
            "/properties/audit/properties/ignore/items",
            "[audit]\nignore = [{ zzzzzzzz = 1 }]\n",
        ),
    ] {
        assert_eq!(
            schema_keys(&schema, pointer),
            expected_keys(text),
            "{pointer}"
        );
        assert!(!is_valid(&schema, text), "{text}");
    }
}

#[test]
fn schema_of_the_lockfile_has_the_keys_of_the_parser() {
    let schema = schema(LOCKFILE_SCHEMA);
    for (pointer, table) in [
        ("", "zzzzzzzz = 1\n"),
        ("/properties/package/items", "[[package]]\nzzzzzzzz = 1\n"),
        ("/properties/metadata", "[metadata]\nzzzzzzzz = 1\n"),
    ] {
        let text = format!("version = 1\n{table}");
        let error = Lockfile::parse(&text, "f").unwrap_err();
        let (_, list) = error.helps()[0].split_once("valid keys are").unwrap();
        let keys: BTreeSet<String> = list
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        assert_eq!(schema_keys(&schema, pointer), keys, "{pointer}");
        assert!(!is_valid(&schema, &text), "{text}");
    }
}

/// The files below a directory, without those that git ignores.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() && !["target", ".git", "node_modules"].contains(&name.as_str()) {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

/// The manifests of the repository, and those in pages and examples of rules: whole files, and blocks that a parser accepts.
fn manifests() -> Vec<String> {
    let mut texts = Vec::new();
    for path in files(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        if path.ends_with("skillpm.toml") {
            texts.push(text);
        } else if path.extension().is_some_and(|end| end == "md") {
            let blocks = text.split("```toml\n").skip(1);
            texts.extend(blocks.map(|block| block.split("```").next().unwrap().to_owned()));
        }
    }
    let examples = rules::all().flat_map(|rule| rule.docs.bad.iter().chain(rule.docs.good));
    let settings = examples.map(|example| example.settings);
    texts.extend(
        settings
            .filter(|settings| !settings.is_empty())
            .map(|settings| format!("[lint]\n{settings}")),
    );
    texts.retain(|text| parse(text).is_ok());
    texts
}

#[test]
fn schema_of_the_manifest_accepts_what_the_parser_accepts() {
    let schema = schema(MANIFEST_SCHEMA);
    let texts = manifests();
    assert!(
        texts.len() > 20,
        "only {} manifests were found",
        texts.len()
    );
    for text in texts {
        assert!(is_valid(&schema, &text), "{text}");
    }
}

#[test]
fn both_refuse_invalid_manifests() {
    let schema = schema(MANIFEST_SCHEMA);
    for text in [
        "dependencies = 1\n",
        "[dependencies]\na = 1\n",
        "[dependencies]\na = { git = \"https://h/r\", archive = \"x.zip\" }\n",
        "[dependencies]\na = { git = \"https://h/r\", tag = \"v1\", rev = \"0\" }\n",
        "[install]\nlink = \"hard\"\n",
        "[install]\ntargets = \"codex\"\n",
        "[package]\nversion = \"1.0.0\"\n",
        "[package]\nname = \"a\"\nversion = \"1.0\"\n",
        "[package]\nname = \"a\"\nlicense = { workspace = false }\n",
        "[catalog]\nenabled = \"yes\"\n",
        "[policy]\nrequire-signed = 1\n",
        "[lint]\nprofile = \"other\"\n",
        "[lint]\nbody-empty = \"off\"\n",
        "[lint]\nbudgets = { body-lines = -1 }\n",
        "[[lint.overrides]]\nbody-empty = \"allow\"\n",
        "[audit]\nignore = [{ rule = \"SK710\" }]\n",
    ] {
        assert!(parse(text).is_err(), "the parser accepts {text}");
        assert!(!is_valid(&schema, text), "the schema accepts {text}");
    }
}

#[test]
fn published_schemas_are_those_of_the_server() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    for (name, text) in [
        ("skillpm.schema.json", MANIFEST_SCHEMA),
        ("skillpm-lock.schema.json", LOCKFILE_SCHEMA),
    ] {
        if overwrites() {
            fs::write(dir.join(name), text).unwrap();
        }
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), text, "{name}");
        let value = schema(text);
        assert!(jsonschema::meta::is_valid(&value), "{name}");
        assert_eq!(value["$schema"], "http://json-schema.org/draft-07/schema#");
    }

    let catalog = schema(&fs::read_to_string(dir.join("schemastore.json")).unwrap());
    let schemas = catalog["schemas"].as_array().unwrap();
    let ids =
        [schema(MANIFEST_SCHEMA), schema(LOCKFILE_SCHEMA)].map(|schema| schema["$id"].clone());
    let urls: Vec<Value> = schemas.iter().map(|entry| entry["url"].clone()).collect();
    assert_eq!(urls, ids);
}

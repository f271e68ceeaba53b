//! The schemas in `docs/schemas/`, and whatever the commands print of three large collections held against them.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::support::{Repo, Sandbox};

/// Any JSON in which no object has a key twice.
struct Strict;

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Strict)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_str<E>(self, _: &str) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
        while items.next_element::<Strict>()?.is_some() {}
        Ok(Strict)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Strict, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, _)) = entries.next_entry::<String, Strict>()? {
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format!(
                    "`{key}` stands twice in an object"
                )));
            }
        }
        Ok(Strict)
    }
}

#[test]
fn no_schema_has_a_key_twice() {
    assert!(serde_json::from_str::<Strict>(r#"{"a": [{"b": 1, "b": 2}]}"#).is_err());
    let mut read = 0;
    for entry in
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas")).unwrap()
    {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "json") {
            let read_strictly =
                serde_json::from_str::<Strict>(&std::fs::read_to_string(&path).unwrap());
            assert!(
                read_strictly.is_ok(),
                "{}: {}",
                path.display(),
                read_strictly.err().unwrap()
            );
            read += 1;
        }
    }
    assert_eq!(read, 5);
}

#[test]
fn keys_of_lines_are_in_snake_case() {
    fn check(schema: &serde_json::Value) {
        for name in schema["properties"]
            .as_object()
            .into_iter()
            .flat_map(|named| named.keys())
        {
            let is_snake = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(name.chars().all(is_snake), "{name}");
        }
        match schema {
            serde_json::Value::Object(parts) => parts.values().for_each(check),
            serde_json::Value::Array(parts) => parts.iter().for_each(check),
            _ => {}
        }
    }
    check(&serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap());
}

#[test]
fn every_line_schema_is_in_the_combined_schema() {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
    let whole = schema["anyOf"].to_string();
    let lines = schema["$defs"]
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| name.starts_with("lines-of-"));
    let is_part = |name: &&String| {
        let place = format!("\"#/$defs/{name}\"");
        // Some are another's by another name.
        let same = schema["$defs"][name.as_str()]["$ref"]
            .as_str()
            .map(|same| format!("\"{same}\""));
        whole.contains(&place) || same.is_some_and(|same| whole.contains(&same))
    };
    let lacking: Vec<_> = lines.filter(|name| !is_part(name)).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
}

#[test]
fn schemas_page_names_the_lines_of_each_command() {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
    let page = include_str!("../../docs/schemas/README.md");
    let commands = schema["$defs"]
        .as_object()
        .unwrap()
        .keys()
        .filter_map(|name| name.strip_prefix("lines-of-"));
    let is_named = |command: &&str| {
        let rows = page.lines().filter(|line| line.starts_with('|'));
        let shared = rows
            .clone()
            .any(|row| row.contains(&format!("`lines-of-{command}`")));
        shared
            || rows.into_iter().any(|row| {
                row.contains(&format!("`{command}`")) && row.contains("`lines-of-add` and so on")
            })
    };
    // What several commands print is no command.
    let lacking: Vec<&str> = commands
        .filter(|command| !is_named(command) && *command != "change")
        .collect();
    assert!(lacking.is_empty(), "{lacking:?}");
}

/// Every command that has something to say of a project prints it as JSON; that each line is valid is asked of every run.
#[track_caller]
fn print_all(corpus: &str, least: usize) {
    let sandbox = Sandbox::project_here();
    let Some(repo) = Repo::from_bundle(&sandbox, corpus) else {
        return;
    };
    let json = |line: &str| {
        let told = sandbox
            .skillpm(format!("{line} --format json"))
            .exits_one_of([0, 1]);
        told.stdout_text().lines().count()
    };
    let add = format!("add {} --all --yes", repo.url());
    let mut lines = json(&add);
    let commands = [
        "install",
        "list",
        "tree",
        "verify",
        "outdated",
        "diff",
        "catalog",
        "catalog --all",
        "catalog --stats",
        "budget",
        "doctor",
        "lint .agents/skills --notes",
        "audit",
        "audit --low",
        "audit --capabilities",
        "validate .agents/skills",
        "search review",
        "config list",
        "cache size",
        "undo --list",
        "lock",
        "vendor --dry-run",
        "bundle",
    ];
    lines += commands.map(json).iter().sum::<usize>();
    for skill in sandbox.tree(".agents/skills").top().iter().take(10) {
        lines += json(&format!("show {skill}")) + json(&format!("why {skill}"));
    }
    lines += json(&format!("info {}", repo.url()));
    for command in ["lint .agents/skills", "audit", "validate .agents/skills"] {
        sandbox
            .skillpm(format!("{command} --format sarif"))
            .exits_one_of([0, 1]);
    }
    assert!(lines >= least, "{lines} lines");
}

#[test]
fn output_for_superpowers_matches_the_schemas() {
    print_all("superpowers", 200);
}

#[test]
fn output_for_wshobson_agents_matches_the_schemas() {
    print_all("wshobson-agents", 1000);
}

#[test]
fn output_for_awesome_copilot_matches_the_schemas() {
    print_all("awesome-copilot", 2000);
}

//! Whatever a run prints as JSON is checked against the schemas in `docs/schemas/`, by a validator that is not ours: each line
//! against those of its command, a catalog and a SARIF log as the documents that they are.
//!
//! `SKILLPM_JSON_COUNT=FILE` adds a line for each run to a file, `SCHEMA NUMBER`, with the number of lines or documents that
//! were validated.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::Outcome;

/// The options before a command that take a value.
const WITH_VALUE: [&str; 5] = ["-C", "--directory", "--config", "--color", "--format"];

/// Fails if JSON on stdout or stderr is not what the schemas say.
#[track_caller]
pub(super) fn check(args: &[String], outcome: &Outcome) {
    // A run that was killed has not finished its line.
    let Some(command) = command(args).filter(|_| outcome.code().is_some()) else {
        return;
    };
    let format = option(args, "--format");
    match format {
        Some("sarif") if !outcome.stdout_text().is_empty() => document("sarif", outcome),
        Some("json") | None if is_catalog(outcome.stdout_text()) => document("catalog", outcome),
        Some("json") => lines(
            &format!("lines-of-{command}"),
            outcome.stdout_text(),
            outcome,
        ),
        _ => {}
    }
    if format == Some("json") {
        // Before the format is known, clap speaks in its own words.
        let objects = outcome
            .stderr_text()
            .lines()
            .filter(|line| line.starts_with('{'));
        lines(
            "lines-of-stderr",
            &objects.collect::<Vec<_>>().join("\n"),
            outcome,
        );
    }
}

/// Every line must be JSON that the schema accepts.
#[track_caller]
fn lines(schema: &str, text: &str, outcome: &Outcome) {
    if text.is_empty() {
        return;
    }
    let validator = validator(schema);
    for line in text.lines() {
        let value = serde_json::from_str(line);
        outcome.holds(value.is_ok(), || format!("a line is no JSON: {line}"));
        accepts(&validator, schema, &value.unwrap(), outcome);
    }
    count(schema, text.lines().count());
}

#[track_caller]
fn document(schema: &str, outcome: &Outcome) {
    accepts(&validator(schema), schema, &outcome.stdout_json(), outcome);
    count(schema, 1);
}

#[track_caller]
fn accepts(validator: &Validator, schema: &str, value: &Value, outcome: &Outcome) {
    let faults = || {
        let faults = validator
            .iter_errors(value)
            .map(|fault| format!("{}: {fault}", fault.instance_path()));
        format!(
            "`{schema}` does not accept {value:#}\n{}",
            faults.collect::<Vec<_>>().join("\n")
        )
    };
    outcome.holds(validator.is_valid(value), faults);
}

/// The command of a line: its first word that is no option.
fn command(args: &[String]) -> Option<&str> {
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(if word == "sync" { "install" } else { word });
        }
    }
    None
}

/// The value of an option, in either way of writing it.
fn option<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    let args = args.split(|word| word == "--").next().unwrap_or_default();
    let behind = args
        .windows(2)
        .find(|pair| pair[0] == name)
        .map(|pair| pair[1].as_str());
    behind.or_else(|| {
        args.iter()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    })
}

fn is_catalog(text: &str) -> bool {
    let line = text.lines().nth(1).unwrap_or_default();
    line.trim_start()
        .starts_with("\"schema\": \"skillpm.catalog/")
}

/// The validator of a document, or of a command's lines.
pub(crate) fn validator(name: &str) -> Arc<Validator> {
    static MADE: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(made.entry(name.to_owned()).or_insert_with(|| {
        let schema = match name {
            "catalog" => read("docs/schemas/catalog.schema.json"),
            // Its pattern of a language, which we do not write, is no regular expression by ECMA's rules.
            "sarif" => {
                let text = read("tests/fixtures/sarif/sarif-schema-2.1.0.json").to_string();
                serde_json::from_str(&text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$")).unwrap()
            }
            lines => {
                let mut schema = read("docs/schemas/lines.schema.json");
                assert!(
                    schema["$defs"][lines].is_object(),
                    "there is no schema `{lines}` for what the command prints"
                );
                schema.as_object_mut().unwrap().remove("anyOf");
                schema["$ref"] = json!(format!("#/$defs/{lines}"));
                schema
            }
        };
        Arc::new(jsonschema::validator_for(&schema).unwrap())
    }))
}

fn read(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Notes how much was validated, if somebody wants to know.
fn count(schema: &str, lines: usize) {
    let Some(file) = std::env::var_os("SKILLPM_JSON_COUNT").filter(|_| lines > 0) else {
        return;
    };
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .unwrap();
    file.write_all(format!("{schema} {lines}\n").as_bytes())
        .unwrap();
}

#[test]
fn command_and_format_of_a_line_are_found() {
    let words = |line: &str| super::words(line);
    let line = words("-C dir --format json -q registry check --format=x -- --format y");
    assert_eq!(
        (command(&line), option(&line, "--format")),
        (Some("registry"), Some("json"))
    );
    let line = words("lint --format=sarif");
    assert_eq!(
        (command(&line), option(&line, "--format")),
        (Some("lint"), Some("sarif"))
    );
    assert_eq!(command(&words("--version")), None);
}

//! Codex: `---` lines, a strict YAML parser, and a second attempt with some values quoted.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema,
};
use super::{LoadOutcome, dropped, loaded_as};
use skillpm_core::skill::yaml::{self, YamlDocument, YamlNode};

/// Names longer than this many characters are rejected.
const NAME_MAX: usize = 64;

const YAML: YamlDialect = YamlDialect {
    duplicate_keys: DuplicateKeys::Allowed,
    allows_controls: false,
    surrogates: SurrogatePolicy::Refused,
    allows_tabs: false,
    allows_any_tag: true,
    allows_null_keys: false,
    margin: MarginPolicy::Both,
};

pub(super) fn load(source: &str, directory: &str) -> LoadOutcome {
    let Some(yaml) = frontmatter(source) else {
        return dropped("it finds no frontmatter");
    };

    // If the second attempt fails too, the error of the first is reported.
    let fields = read(yaml).or_else(|reason| read(&quote_values(yaml)).map_err(|_| reason));
    let CodexFields { name, description } = match fields {
        Ok(fields) => fields,
        Err(reason) => {
            return dropped(format!("its YAML parser rejects the frontmatter: {reason}"));
        }
    };

    let name = one_line(&name.unwrap_or_default());
    let name = if name.is_empty() {
        directory.to_owned()
    } else {
        name
    };

    let description = one_line(&description.unwrap_or_default());
    if description.is_empty() {
        return dropped("it requires a `description`");
    }
    if name.chars().count() > NAME_MAX {
        return dropped(format!(
            "it requires a name of at most {NAME_MAX} characters"
        ));
    }

    loaded_as(name, description)
}

/// The text between the first line and the next one that are `---` apart from surrounding whitespace.
fn frontmatter(source: &str) -> Option<&str> {
    let mut lines = source.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim() == "---")?;
    let mut at = first.len();
    for line in lines {
        if line.trim() == "---" {
            return (at > first.len()).then(|| &source[first.len()..at]);
        }
        at += line.len();
    }
    None
}

/// The fields that Codex reads; `None` for a missing or null one.
struct CodexFields {
    name: Option<String>,
    description: Option<String>,
}

fn read(text: &str) -> Result<CodexFields, String> {
    check_characters(text)?;
    YAML.parse(text, |document, _| read_fields(document))
        .map_err(|fault| fault.message)?
}

/// Checks for what its parser rejects and ours accepts.
fn check_characters(text: &str) -> Result<(), String> {
    let is_refused = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{2028}' | '\u{2029}')
    };
    if text.chars().any(is_refused) {
        return Err("control characters are not allowed".into());
    }

    // Its parser does not treat such a line as blank.
    let is_only_tabs = |line: &str| line.contains('\t') && line.trim().is_empty();
    if text.lines().any(is_only_tabs) {
        return Err("a line contains only a tab".into());
    }

    Ok(())
}

fn read_fields(document: &YamlDocument<'_>) -> Result<CodexFields, String> {
    // Only the fields that it reads must not be duplicated.
    let duplicate = document
        .duplicates
        .iter()
        .find(|double| matches!(double.key.as_str(), "name" | "description" | "metadata"));
    if let Some(double) = duplicate {
        return Err(format!("duplicate field `{}`", double.key));
    }

    let root = document.root.as_ref();
    if root.is_some_and(|root| !is_mapping_of_texts(root)) {
        return Err("it is not a mapping, or one of its keys is not a string".into());
    }

    let metadata = root.and_then(|root| root.get("metadata"));
    if metadata.is_some_and(|metadata| !metadata.is_null() && !is_mapping_of_texts(metadata)) {
        return Err("`metadata` is not a mapping, or one of its keys is not a string".into());
    }

    Ok(CodexFields {
        name: read_text(document, "name")?,
        description: read_text(document, "description")?,
    })
}

fn read_text(document: &YamlDocument<'_>, key: &str) -> Result<Option<String>, String> {
    match LoadedValue::from_document(document, key, YamlSchema::Core) {
        LoadedValue::Missing | LoadedValue::Null => Ok(None),
        LoadedValue::List(_) | LoadedValue::Map(_) => Err(format!("`{key}` is not a string")),
        // A number or a boolean is taken as it is written, not as it would be printed.
        LoadedValue::Text(_) | LoadedValue::Other(_) => {
            let node = document.root.as_ref().and_then(|root| root.get(key));
            Ok(node.and_then(|node| node.text()).map(str::to_owned))
        }
    }
}

fn is_mapping_of_texts(node: &YamlNode<'_>) -> bool {
    node.entries()
        .is_some_and(|entries| entries.iter().all(|(key, _)| key.text().is_some()))
}

/// Quotes values that contain `: `, or begin with a bracket, `@` or a backtick and are not valid YAML by themselves.
fn quote_values(text: &str) -> String {
    let mut adapted = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);

        match value_of(body).filter(|&at| needs_quotes(&body[at..])) {
            Some(at) => {
                // A comment behind the value must not become part of it.
                let value = body[at..].split(" #").next().unwrap_or_default().trim();
                adapted.push_str(&body[..at]);
                adapted.push_str(&yaml::quote(value));
                adapted.push_str(&line[body.len()..]);
            }
            None => adapted.push_str(line),
        }
    }

    adapted
}

/// Where the value on a line `key: value` begins, after list dashes too.
fn value_of(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start_matches([' ', '-']).len();
    let colon = start + line[start..].find(": ")?;
    let key = &line[start..colon];
    let is_key = !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));

    let value = colon + 1 + (line[colon + 1..].len() - line[colon + 1..].trim_start().len());
    (is_key && value < line.len()).then_some(value)
}

fn needs_quotes(value: &str) -> bool {
    if value.starts_with(['"', '\'', '|', '>', '&', '*', '!', '%']) {
        return false;
    }

    value.contains(": ")
        || (value.starts_with(['[', '{', '@', '`']) && yaml::parse_text(value).is_err())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

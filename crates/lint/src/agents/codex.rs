//! Codex: `---` lines, a strict YAML parser, and a second try with some values in quotes.

use super::parse::{Dialect, Keys, Margin, Schema, Surrogates, Value};
use super::{Loading, dropped, listed};
use crate::skill::yaml::{self, Node};

/// Names longer than this many characters are refused.
const NAME_MAX: usize = 64;

const YAML: Dialect = Dialect {
    unique_keys: Keys::AnyTimes,
    controls: false,
    surrogates: Surrogates::Refused,
    tabs: false,
    any_tag: true,
    null_keys: false,
    margin: Margin::Both,
};

pub(super) fn load(source: &str, directory: &str) -> Loading {
    let Some(yaml) = frontmatter(source) else { return dropped("it finds no frontmatter") };
    let fields = read(yaml).or_else(|reason| read(&quoted(yaml)).map_err(|_| reason));
    let (name, description) = match fields {
        Ok(fields) => fields,
        Err(reason) => return dropped(format!("its YAML parser refuses the frontmatter: {reason}")),
    };
    let name = one_line(&name.unwrap_or_default());
    let name = if name.is_empty() { directory.to_owned() } else { name };
    let description = one_line(&description.unwrap_or_default());
    if description.is_empty() {
        return dropped("it wants a `description`");
    }
    if name.chars().count() > NAME_MAX {
        return dropped(format!("it wants a name of at most {NAME_MAX} characters"));
    }
    listed(name, description)
}

/// Between a first line and another that are `---` but for blanks around.
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

/// Name and description; `None` for one that is left out or null.
fn read(text: &str) -> Result<(Option<String>, Option<String>), String> {
    if text
        .chars()
        .any(|c| (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{2028}' | '\u{2029}'))
    {
        return Err("control characters are not allowed".into());
    }
    if text.lines().any(|line| line.contains('\t') && line.trim().is_empty()) {
        return Err("a line holds nothing but a tab".into());
    }
    let fields = YAML.parse(text, |document, _| {
        let doubled = document
            .duplicates
            .iter()
            .find(|double| matches!(double.key.as_str(), "name" | "description" | "metadata"));
        if let Some(double) = doubled {
            return Err(format!("duplicate field `{}`", double.key));
        }
        if document.root.as_ref().is_some_and(|root| !is_mapping_of_texts(root)) {
            return Err("it is no mapping, or a key in it is no text".into());
        }
        let metadata = document.root.as_ref().and_then(|root| root.get("metadata"));
        if metadata.is_some_and(|metadata| !metadata.is_null() && !is_mapping_of_texts(metadata)) {
            return Err("`metadata` is no mapping, or a key in it is no text".into());
        }
        let field = |key: &str| match Value::of(document, key, Schema::Core) {
            Value::Missing | Value::Null => Ok(None),
            Value::List(_) | Value::Map(_) => Err(format!("`{key}` is no text")),
            Value::Text(_) | Value::Other(_) => {
                let node = document.root.as_ref().and_then(|root| root.get(key));
                Ok(node.and_then(|node| node.text()).map(str::to_owned))
            }
        };
        Ok((field("name")?, field("description")?))
    });
    fields.map_err(|fault| fault.message).and_then(|fields| fields)
}

fn is_mapping_of_texts(node: &Node<'_>) -> bool {
    node.entries().is_some_and(|entries| entries.iter().all(|(key, _)| key.text().is_some()))
}

/// Values that hold `: `, or begin with a bracket, `@` or a backtick and are no YAML by themselves, in quotes.
fn quoted(text: &str) -> String {
    let mut adapted = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        match value_of(body).filter(|&at| wants_quotes(&body[at..])) {
            Some(at) => {
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

/// Where the value on a line `key: value` begins, behind dashes too.
fn value_of(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start_matches([' ', '-']).len();
    let colon = start + line[start..].find(": ")?;
    let key = &line[start..colon];
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let value = colon + 1 + (line[colon + 1..].len() - line[colon + 1..].trim_start().len());
    (is_key && value < line.len()).then_some(value)
}

fn wants_quotes(value: &str) -> bool {
    if value.starts_with(['"', '\'', '|', '>', '&', '*', '!', '%']) {
        return false;
    }
    value.contains(": ") || (value.starts_with(['[', '{', '@', '`']) && yaml::parse_text(value).is_err())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

//! `OpenCode`: a reader of frontmatter for static sites; where its YAML parser fails, fields whose value holds a colon
//! are written as blocks, and read again.

use super::parse::{Dialect, Keys, Margin, Schema, Surrogates, Value};
use super::{Loading, dropped, listed};

const YAML: Dialect = Dialect {
    unique_keys: Keys::OnceByText,
    controls: false,
    surrogates: Surrogates::Any,
    tabs: true,
    any_tag: false,
    null_keys: false,
    margin: Margin::Both,
};

pub(super) fn load(source: &str) -> Loading {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let Some((language, yaml)) = frontmatter(source) else { return dropped("it finds no frontmatter") };
    if !matches!(language, "" | "yaml" | "yml" | "json") {
        return dropped("it does not know the language of the frontmatter");
    }
    let read = |text: &str| {
        YAML.parse(text, |document, _| ["name", "description"].map(|key| Value::of(document, key, Schema::Old)))
    };
    let fields = read(yaml).or_else(|_| read(&in_blocks(yaml)));
    let [name, description] = match fields {
        Ok(fields) => fields,
        Err(fault) => return dropped(format!("its YAML parser refuses the frontmatter: {}", fault.message)),
    };
    match (name, description) {
        (Value::Text(name), Value::Text(description)) => listed(name, description),
        (Value::Text(name), Value::Missing) => listed(name, ""),
        (Value::Text(_), _) => dropped("it wants `description` to be a text"),
        _ => dropped("it wants a `name` that is a text"),
    }
}

/// What follows the first `---` on its line, and the text up to a line that begins with `---`.
fn frontmatter(source: &str) -> Option<(&str, &str)> {
    let rest = source.strip_prefix("---").filter(|rest| !rest.starts_with('-'))?;
    let line_end = rest.find('\n')?;
    let yaml = &rest[line_end..];
    let end = yaml.find("\n---")?;
    let yaml = yaml[..end].strip_prefix('\n').unwrap_or_default();
    (!yaml.trim().is_empty()).then_some((rest[..line_end].trim(), yaml))
}

/// Each `key: value` at the margin whose value holds a colon and is not quoted, as a block.
fn in_blocks(yaml: &str) -> String {
    let mut adapted = String::with_capacity(yaml.len() + 32);
    for line in yaml.split_inclusive('\n') {
        let text = line.trim_end();
        let field = text.split_once(':').filter(|(key, _)| {
            key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
        match field.map(|(key, value)| (key, value.trim())) {
            Some((key, value))
                if value.contains(':') && !value.starts_with(['"', '\'', '|', '>']) && !value.is_empty() =>
            {
                adapted.push_str(&format!("{key}: |-\n  {value}\n"));
            }
            _ => adapted.push_str(line),
        }
    }
    adapted
}

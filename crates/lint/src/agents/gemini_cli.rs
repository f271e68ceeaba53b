//! Gemini CLI: a pattern, a YAML parser, and where that fails or gives no texts, lines that begin with the two keys.

use super::parse::{Dialect, Keys, Margin, Schema, Surrogates, Value, by_pattern};
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
    let Some(yaml) = by_pattern(source) else { return dropped("it finds no frontmatter") };
    let fields =
        YAML.parse(yaml, |document, _| ["name", "description"].map(|key| Value::of(document, key, Schema::Old)));
    let found = match fields {
        Ok([Value::Text(name), Value::Text(description)]) => Some((name, description)),
        _ => by_line(yaml),
    };
    match found {
        Some((name, description)) => {
            listed(name.replace([':', '\\', '/', '<', '>', '*', '?', '"', '|'], "-"), description)
        }
        None => dropped("it wants a `name` and a `description`"),
    }
}

/// What stands behind the two keys wherever a line begins with them; a description goes on in indented lines.
fn by_line(yaml: &str) -> Option<(String, String)> {
    let (mut name, mut description) = (None, None);
    let mut lines = yaml.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).peekable();
    while let Some(line) = lines.next() {
        if let Some(value) = line.trim_start().strip_prefix("name:") {
            name = Some(value.trim().to_owned());
        } else if let Some(value) = line.trim_start().strip_prefix("description:") {
            let mut parts = vec![value.trim()];
            while let Some(more) = lines.next_if(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty()) {
                parts.push(more.trim());
            }
            parts.retain(|part| !part.is_empty());
            description = Some(parts.join(" "));
        }
    }
    name.zip(description)
}

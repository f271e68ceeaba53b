//! Gemini CLI: a regular expression, a YAML parser, and if that fails or gives no strings, lines that begin with the two
//! keys.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema,
    frontmatter_by_pattern,
};
use super::{LoadOutcome, dropped, loaded_as};

const YAML: YamlDialect = YamlDialect {
    duplicate_keys: DuplicateKeys::RefusedByText,
    allows_controls: false,
    surrogates: SurrogatePolicy::Any,
    allows_tabs: true,
    allows_any_tag: false,
    allows_null_keys: false,
    margin: MarginPolicy::Both,
};

pub(super) fn load(source: &str) -> LoadOutcome {
    let Some(yaml) = frontmatter_by_pattern(source) else {
        return dropped("it finds no frontmatter");
    };

    let fields = YAML.parse(yaml, |document, _| {
        ["name", "description"]
            .map(|key| LoadedValue::from_document(document, key, YamlSchema::Yaml11))
    });

    let found = match fields {
        // Valid YAML with a number for a name ends in the line parser too.
        Ok([LoadedValue::Text(name), LoadedValue::Text(description)]) => Some((name, description)),
        _ => read_by_line(yaml),
    };

    match found {
        Some((name, description)) => loaded_as(
            // Characters that Windows does not allow in a file name.
            name.replace([':', '\\', '/', '<', '>', '*', '?', '"', '|'], "-"),
            description,
        ),
        None => dropped("it requires a `name` and a `description`"),
    }
}

/// Reads the values of the two keys line by line; a description continues in indented lines.
fn read_by_line(yaml: &str) -> Option<(String, String)> {
    let (mut name, mut description) = (None, None);
    let mut lines = yaml
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .peekable();

    while let Some(line) = lines.next() {
        if let Some(value) = line.trim_start().strip_prefix("name:") {
            name = Some(value.trim().to_owned());
        } else if let Some(value) = line.trim_start().strip_prefix("description:") {
            let mut parts = vec![value.trim()];
            // A blank line ends the description, even in a block scalar.
            while let Some(more) =
                lines.next_if(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty())
            {
                parts.push(more.trim());
            }
            parts.retain(|part| !part.is_empty());
            description = Some(parts.join(" "));
        }
    }

    name.zip(description)
}

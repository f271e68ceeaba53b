//! `OpenCode`: a frontmatter reader for static sites; if its YAML parser fails, fields whose value contains a colon are
//! rewritten as block scalars, and the text is parsed again.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema,
};
use super::{LoadOutcome, dropped, loaded_as};
use skillpm_core::skill::yaml::YamlError;

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
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let Some((language, yaml)) = frontmatter(source) else {
        return dropped("it finds no frontmatter");
    };

    // gray-matter takes the rest of the first line as the language of the frontmatter.
    if !matches!(language, "" | "yaml" | "yml" | "json") {
        return dropped("it does not know the language of the frontmatter");
    }

    // The second attempt is OpenCode's own, for values such as `Review: check the diff`.
    let fields = read_fields(yaml).or_else(|_| read_fields(&as_block_scalars(yaml)));
    let [name, description] = match fields {
        Ok(fields) => fields,
        Err(fault) => {
            return dropped(format!(
                "its YAML parser rejects the frontmatter: {}",
                fault.message
            ));
        }
    };

    match (name, description) {
        (LoadedValue::Text(name), LoadedValue::Text(description)) => loaded_as(name, description),
        // Unlike the others it lists a skill without a description.
        (LoadedValue::Text(name), LoadedValue::Missing) => loaded_as(name, ""),
        (LoadedValue::Text(_), _) => dropped("it requires `description` to be a string"),
        _ => dropped("it requires a `name` that is a string"),
    }
}

/// The name and the description.
fn read_fields(text: &str) -> Result<[LoadedValue; 2], YamlError> {
    YAML.parse(text, |document, _| {
        ["name", "description"]
            .map(|key| LoadedValue::from_document(document, key, YamlSchema::Yaml11))
    })
}

/// Splits off the rest of the first `---` line, and the text up to a line that begins with `---`.
fn frontmatter(source: &str) -> Option<(&str, &str)> {
    let rest = source
        .strip_prefix("---")
        // Four dashes are a line of Markdown to gray-matter.
        .filter(|rest| !rest.starts_with('-'))?;
    let line_end = rest.find('\n')?;
    let yaml = &rest[line_end..];
    // Without a closing line all of the file is frontmatter.
    let end = yaml.find("\n---").unwrap_or(yaml.len());
    let yaml = yaml[..end].strip_prefix('\n').unwrap_or_default();

    // gray-matter treats an empty frontmatter as none.
    (!yaml.trim().is_empty()).then_some((rest[..line_end].trim(), yaml))
}

/// Rewrites each top-level `key: value` whose value contains a colon and is not quoted as a block scalar.
fn as_block_scalars(yaml: &str) -> String {
    let mut adapted = String::with_capacity(yaml.len() + 32);
    for line in yaml.split_inclusive('\n') {
        let text = line.trim_end();
        let field = text.split_once(':').filter(|(key, _)| {
            // A hyphen ends the key in its regular expression, so `argument-hint` is not rewritten.
            key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });

        match field.map(|(key, value)| (key, value.trim())) {
            Some((key, value))
                if value.contains(':')
                    && !value.starts_with(['"', '\'', '|', '>'])
                    && !value.is_empty() =>
            {
                adapted.push_str(&format!("{key}: |-\n  {value}\n"));
            }
            _ => adapted.push_str(line),
        }
    }

    adapted
}

//! `npx skills`: a regular expression and a YAML parser; it reports which skills it skips, and why.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema,
    frontmatter_by_pattern, printable,
};
use super::{LoadOutcome, dropped, loaded_as};
use skillpm_core::skill::yaml::{TypedScalar, YamlDocument, YamlNode};

const YAML: YamlDialect = YamlDialect {
    duplicate_keys: DuplicateKeys::RefusedByType,
    allows_controls: true,
    surrogates: SurrogatePolicy::Any,
    allows_tabs: false,
    allows_any_tag: true,
    allows_null_keys: true,
    margin: MarginPolicy::Nothing,
};

pub(super) fn load(source: &str) -> LoadOutcome {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let Some(yaml) = frontmatter_by_pattern(source) else {
        return dropped("it finds no frontmatter");
    };

    match YAML.parse(yaml, |document, _| NpxFields::from_document(document)) {
        Err(fault) => dropped(format!(
            "its YAML parser rejects the frontmatter: {}",
            fault.message
        )),
        // It is checked first: a hidden skill is skipped even if it is otherwise invalid.
        Ok(fields) if fields.is_internal => dropped("`metadata.internal` hides it"),
        Ok(fields) => fields.into_outcome(),
    }
}

/// The fields that `npx skills` reads.
struct NpxFields {
    name: LoadedValue,
    description: LoadedValue,
    /// `metadata.internal: true`.
    is_internal: bool,
}

impl NpxFields {
    fn from_document(document: &YamlDocument<'_>) -> Self {
        let [name, description] = ["name", "description"]
            .map(|key| LoadedValue::from_document(document, key, YamlSchema::Core));
        let internal = document
            .root
            .as_ref()
            .and_then(|root| root.get("metadata")?.get("internal"));

        NpxFields {
            name,
            description,
            is_internal: internal.and_then(YamlNode::typed) == Some(TypedScalar::Bool(true)),
        }
    }

    fn into_outcome(self) -> LoadOutcome {
        match (self.name, self.description) {
            (LoadedValue::Missing | LoadedValue::Null, _) => dropped("it requires a `name`"),
            (_, LoadedValue::Missing | LoadedValue::Null) => dropped("it requires a `description`"),
            (LoadedValue::Text(name), LoadedValue::Text(description))
                if name.is_empty() || description.is_empty() =>
            {
                dropped("it requires a `name` and a `description` that are not empty")
            }
            (LoadedValue::Text(name), LoadedValue::Text(description)) => {
                loaded_as(clean_text(&name), clean_text(&description))
            }
            // Unlike Codex, it does not convert a number or a boolean to text.
            _ => dropped("it requires `name` and `description` to be strings"),
        }
    }
}

/// Joins a text into one line without control sequences.
fn clean_text(text: &str) -> String {
    let line = text
        .trim()
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");

    printable(&line).trim().to_owned()
}

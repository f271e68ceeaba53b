//! `npx skills`: a regular expression and a YAML parser; it reports which skills it skips, and why.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema,
    frontmatter_by_pattern, printable,
};
use super::{LoadOutcome, dropped, loaded_as};
use skillpm_core::skill::yaml::{TypedScalar, YamlNode};

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

    let fields = YAML.parse(yaml, |document, _| {
        let [name, description] = ["name", "description"]
            .map(|key| LoadedValue::from_document(document, key, YamlSchema::Core));

        let internal = document
            .root
            .as_ref()
            .and_then(|root| root.get("metadata")?.get("internal"));

        (
            name,
            description,
            internal.and_then(YamlNode::typed) == Some(TypedScalar::Bool(true)),
        )
    });

    match fields {
        Err(fault) => dropped(format!(
            "its YAML parser rejects the frontmatter: {}",
            fault.message
        )),
        Ok((_, _, true)) => dropped("`metadata.internal` hides it"),
        Ok((LoadedValue::Missing | LoadedValue::Null, ..)) => dropped("it requires a `name`"),
        Ok((_, LoadedValue::Missing | LoadedValue::Null, _)) => {
            dropped("it requires a `description`")
        }
        Ok((LoadedValue::Text(name), LoadedValue::Text(description), _))
            if name.is_empty() || description.is_empty() =>
        {
            dropped("it requires a `name` and a `description` that are not empty")
        }
        Ok((LoadedValue::Text(name), LoadedValue::Text(description), _)) => {
            loaded_as(clean_text(&name), clean_text(&description))
        }
        Ok(_) => dropped("it requires `name` and `description` to be strings"),
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

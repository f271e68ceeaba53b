//! pi: whatever is between `---` and the next line that begins with it goes to a strict YAML parser; if that fails, the
//! skill is dropped.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema,
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

pub(super) fn load(source: &str, directory: &str) -> LoadOutcome {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    // Without a frontmatter there is no description, and that is what it reports.
    let Some(yaml) = frontmatter(&source) else {
        return dropped("it finds no frontmatter, and requires a `description`");
    };

    match YAML.parse(yaml, |document, _| PiFields::from_document(document)) {
        Err(fault) => dropped(format!(
            "its YAML parser rejects the frontmatter: {}",
            fault.message
        )),
        Ok(fields) => fields.into_outcome(directory),
    }
}

/// The text behind the first three dashes and one further character, up to a line that begins with three dashes.
fn frontmatter(source: &str) -> Option<&str> {
    let end = 3 + source.strip_prefix("---")?.find("\n---")?;
    // The character behind the dashes is taken for the line end, whatever it is.
    let start = 3 + source[3..].chars().next().map_or(0, char::len_utf8);
    (start < end).then(|| &source[start..end])
}

/// The fields that pi reads.
struct PiFields {
    name: LoadedValue,
    description: LoadedValue,
    /// `disable-model-invocation: true`.
    is_hidden: bool,
}

impl PiFields {
    fn from_document(document: &YamlDocument<'_>) -> Self {
        let [name, description] = ["name", "description"]
            .map(|key| LoadedValue::from_document(document, key, YamlSchema::Core));
        let hidden = document
            .root
            .as_ref()
            .and_then(|root| root.get("disable-model-invocation"));

        PiFields {
            name,
            description,
            is_hidden: hidden.and_then(YamlNode::typed) == Some(TypedScalar::Bool(true)),
        }
    }

    fn into_outcome(self, directory: &str) -> LoadOutcome {
        let description = match self.description {
            LoadedValue::Text(text) if !text.trim().is_empty() => text,
            LoadedValue::Text(_) | LoadedValue::Missing | LoadedValue::Null => {
                return dropped("it requires a `description`");
            }
            LoadedValue::Other(_) | LoadedValue::List(_) | LoadedValue::Map(_) => {
                return dropped("it requires `description` to be a string");
            }
        };
        if self.is_hidden {
            return dropped("`disable-model-invocation` hides it");
        }

        match self.name {
            LoadedValue::Text(name) if !name.is_empty() => loaded_as(name, description),
            LoadedValue::Text(_) | LoadedValue::Missing | LoadedValue::Null => {
                loaded_as(directory, description)
            }
            // Zero and `false` count as no name in JavaScript.
            LoadedValue::Other(name) if matches!(name.as_str(), "0" | "false") => {
                loaded_as(directory, description)
            }
            LoadedValue::Other(_) | LoadedValue::List(_) | LoadedValue::Map(_) => {
                dropped("it requires `name` to be a string")
            }
        }
    }
}

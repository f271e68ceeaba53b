//! OpenClaw: a YAML parser whose fields are converted to strings; if it fails, the description's line is quoted, and the
//! text parsed again.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema, fence_line,
    printable,
};
use super::{LoadOutcome, dropped, loaded_as};
use skillpm_core::skill::yaml::{self, YamlError};

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
    // Line ends are normalized before anything else is read, so that a lone `\r` ends a line.
    let source = source
        .strip_prefix('\u{feff}')
        .unwrap_or(source)
        .replace("\r\n", "\n")
        .replace('\r', "\n");

    let Some(yaml) = frontmatter(&source) else {
        return dropped("it finds no frontmatter");
    };

    // The error of the first attempt is reported: the second text is not what the author wrote.
    let fields = read_fields(yaml).or_else(|fault| {
        read_description(yaml).map_or(Err(fault), |adapted| read_fields(&adapted))
    });
    let [name, description] = match fields {
        Ok(fields) => fields,
        Err(fault) => {
            return dropped(format!(
                "its YAML parser rejects the frontmatter: {}",
                fault.message
            ));
        }
    };

    let name = field_text(name, yaml, "name").filter(|name| !name.is_empty());
    match field_text(description, yaml, "description").filter(|description| !description.is_empty())
    {
        Some(description) => loaded_as(
            printable(&name.unwrap_or_else(|| directory.to_owned())),
            printable(&description),
        ),
        None => dropped("it requires a `description`"),
    }
}

/// The name and the description.
fn read_fields(text: &str) -> Result<[LoadedValue; 2], YamlError> {
    YAML.parse(text, |document, _| {
        ["name", "description"]
            .map(|key| LoadedValue::from_document(document, key, YamlSchema::Core))
    })
}

/// The text between a first line that begins with `---` and the next line that is `---` apart from trailing whitespace.
fn frontmatter(source: &str) -> Option<&str> {
    let first = source
        .lines()
        .next()
        // Whitespace after the dashes is allowed here, unlike in the two models with a regular
        // expression.
        .filter(|line| line.trim_end() == "---")?;

    let start = fence_line(source).unwrap_or(first.len() + 1);
    let mut at = start;
    for line in source.get(start..)?.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(source[start..at].trim_end_matches('\n'));
        }
        at += line.len();
    }

    None
}

/// Converts a field to text; for one that YAML reads as null or as a mapping, the rest of its line.
fn field_text(value: LoadedValue, yaml: &str, key: &str) -> Option<String> {
    let written = || find_line(yaml, key).map(|(_, value)| value.trim().to_owned());

    match value {
        LoadedValue::Missing => None,
        // The line parser sees the word `null` or `~`, where YAML sees no value.
        LoadedValue::Null => written(),
        LoadedValue::Text(text) | LoadedValue::Other(text) | LoadedValue::List(text) => {
            Some(text.trim().to_owned())
        }
        // `{{placeholder}}` is a mapping to YAML; such a line is shown as its JSON.
        LoadedValue::Map(json) => written()
            .filter(|line| !line.starts_with("{{"))
            .or(Some(json)),
    }
}

/// Quotes the value of a one-line description; quotes around it are removed first.
fn read_description(yaml: &str) -> Option<String> {
    let (start, value) = find_line(yaml, "description")?;
    let value = value.trim();
    let stripped = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));

    let end = start + yaml[start..].find('\n').unwrap_or(yaml.len() - start);

    Some(format!(
        "{}description: {}{}",
        &yaml[..start],
        yaml::quote(stripped.unwrap_or(value)),
        &yaml[end..]
    ))
}

/// Finds the line of a top-level field: where it begins, and the text after its colon.
fn find_line<'y>(yaml: &'y str, key: &str) -> Option<(usize, &'y str)> {
    let mut at = 0;
    for line in yaml.split_inclusive('\n') {
        let value = line
            .strip_prefix(key)
            .and_then(|rest| rest.strip_prefix(':'));
        if let Some(value) = value.filter(|value| value.starts_with(char::is_whitespace)) {
            return Some((at, value.trim_end_matches('\n')));
        }
        at += line.len();
    }
    None
}

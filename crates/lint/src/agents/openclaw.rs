//! OpenClaw: a YAML parser whose fields are made texts; where it fails, the description's line is quoted, and read
//! again.

use super::parse::{Dialect, Keys, Margin, Schema, Surrogates, Value, fence_line, printable};
use super::{Loading, dropped, listed};
use crate::skill::yaml;

const YAML: Dialect = Dialect {
    unique_keys: Keys::OnceByType,
    controls: true,
    surrogates: Surrogates::Any,
    tabs: false,
    any_tag: true,
    null_keys: true,
    margin: Margin::Nothing,
};

pub(super) fn load(source: &str, directory: &str) -> Loading {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n").replace('\r', "\n");
    let Some(yaml) = frontmatter(&source) else { return dropped("it finds no frontmatter") };
    let read = |text: &str| {
        YAML.parse(text, |document, _| ["name", "description"].map(|key| Value::of(document, key, Schema::Core)))
    };
    let fields = read(yaml).or_else(|fault| described(yaml).map_or(Err(fault), |adapted| read(&adapted)));
    let [name, description] = match fields {
        Ok(fields) => fields,
        Err(fault) => return dropped(format!("its YAML parser refuses the frontmatter: {}", fault.message)),
    };
    let name = text(name, yaml, "name").filter(|name| !name.is_empty());
    match text(description, yaml, "description").filter(|description| !description.is_empty()) {
        Some(description) => listed(printable(&name.unwrap_or_else(|| directory.to_owned())), printable(&description)),
        None => dropped("it wants a `description`"),
    }
}

/// Between a first line that begins with `---` and the next line that is `---` but for blanks behind it.
fn frontmatter(source: &str) -> Option<&str> {
    let first = source.lines().next().filter(|line| line.trim_end() == "---")?;
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

/// A field as text; of one that YAML takes for nothing or for a mapping, what stands on its line.
fn text(value: Value, yaml: &str, key: &str) -> Option<String> {
    let written = || line_of(yaml, key).map(|(_, value)| value.trim().to_owned());
    match value {
        Value::Missing => None,
        Value::Null => written(),
        Value::Text(text) | Value::Other(text) | Value::List(text) => Some(text.trim().to_owned()),
        Value::Map(json) => written().filter(|line| !line.starts_with("{{")).or(Some(json)),
    }
}

/// The frontmatter with the value of a one-line description in quotes; outer quotes it has are not its own.
fn described(yaml: &str) -> Option<String> {
    let (start, value) = line_of(yaml, "description")?;
    let value = value.trim();
    let stripped = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let end = start + yaml[start..].find('\n').unwrap_or(yaml.len() - start);
    Some(format!("{}description: {}{}", &yaml[..start], yaml::quote(stripped.unwrap_or(value)), &yaml[end..]))
}

/// Where the line of a field at the margin begins, and what stands behind its colon.
fn line_of<'y>(yaml: &'y str, key: &str) -> Option<(usize, &'y str)> {
    let mut at = 0;
    for line in yaml.split_inclusive('\n') {
        let value = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':'));
        if let Some(value) = value.filter(|value| value.starts_with(char::is_whitespace)) {
            return Some((at, value.trim_end_matches('\n')));
        }
        at += line.len();
    }
    None
}

//! Claude Code: lists every `SKILL.md`; if it cannot read the frontmatter, under the name of the directory, with a line
//! of its text.

use super::parse::{
    DuplicateKeys, LoadedValue, MarginPolicy, SurrogatePolicy, YamlDialect, YamlSchema,
    without_escapes,
};
use super::{LoadOutcome, dropped, loaded_as};
use skillpm_core::skill::yaml::{self, TypedScalar, YamlDocument, YamlError, YamlNode};

/// Descriptions are cut to this many characters, of which the last is then `…`.
const DESCRIPTION_MAX: usize = 1536;

/// The line of a command's text used in place of a description is cut to this many characters, with `...`.
const COMMAND_LINE_MAX: usize = 100;

const YAML: YamlDialect = YamlDialect {
    duplicate_keys: DuplicateKeys::Allowed,
    allows_controls: true,
    surrogates: SurrogatePolicy::Pairs,
    allows_tabs: true,
    allows_any_tag: true,
    allows_null_keys: true,
    margin: MarginPolicy::Brackets,
};

pub(super) fn load(source: &str, directory: &str) -> LoadOutcome {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let Some((yaml, body)) = frontmatter(source) else {
        return load_degraded(source, directory);
    };
    // It never drops a skill for its YAML: all fields are ignored, and the text stands in for them.
    let Ok(Some(fields)) = read(yaml).or_else(|_| read(&quote_values(yaml))) else {
        return load_degraded(body, directory);
    };

    if fields.hidden {
        return dropped("`disable-model-invocation` hides it");
    }

    let [description, when] = fields.texts;
    let Some(description) = description else {
        return load_degraded(body, directory);
    };

    let description = when.map_or_else(
        // Both fields are shown, so `when_to_use` can complete a short description.
        || description.clone(),
        |when| format!("{description} - {when}"),
    );
    // The name in the frontmatter is not used: skills are invoked by the name of their directory.
    loaded_as(directory, clean_description(&description))
}

/// Reads a custom command, `.claude/commands/NAME.md`: as a skill, but for the text used in place of a description.
pub(super) fn load_command(source: &str, name: &str) -> LoadOutcome {
    let mut outcome = load(source, name);
    if let LoadOutcome::Degraded { description, .. } = &mut outcome {
        if is_blank(source) {
            "Custom command".clone_into(description);
        } else if description.chars().count() > COMMAND_LINE_MAX {
            let kept = description.chars().take(COMMAND_LINE_MAX - 3);
            *description = kept.chain("...".chars()).collect();
        }
    }
    outcome
}

/// Whether a page has no text below its frontmatter.
fn is_blank(source: &str) -> bool {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let body = frontmatter(source).map_or(source, |(_, body)| body);
    body.trim().is_empty()
}

/// The fields that Claude Code reads from a frontmatter.
struct ClaudeFields {
    /// `description` and `when_to_use`, where they are non-empty strings.
    texts: [Option<String>; 2],
    hidden: bool,
}

/// Reads the fields; `None` if the text is not a mapping.
fn read(text: &str) -> Result<Option<ClaudeFields>, YamlError> {
    YAML.parse(text, read_fields)
}

fn read_fields(document: &YamlDocument<'_>, adapted: &str) -> Option<ClaudeFields> {
    let root = document
        .root
        .as_ref()
        .filter(|root| root.entries().is_some())?;

    let texts = ["description", "when_to_use"].map(|key| read_text(document, adapted, key));
    let hidden = root
        .get("disable-model-invocation")
        .and_then(YamlNode::typed)
        == Some(TypedScalar::Bool(true));
    Some(ClaudeFields { texts, hidden })
}

/// The text of a field; `None` if it is blank or of another type.
fn read_text(document: &YamlDocument<'_>, adapted: &str, key: &str) -> Option<String> {
    // Of duplicate keys it takes the last.
    let again = document
        .duplicates
        .iter()
        .rev()
        .find(|double| double.key == key);
    let value = match again.and_then(|double| adapted.get(double.value.clone())) {
        Some(last) => LoadedValue::Text(yaml::parse_text(last).ok()?.root?.text()?.to_owned()),
        None => LoadedValue::from_document(document, key, YamlSchema::Core),
    };

    match value {
        LoadedValue::Text(text) | LoadedValue::Other(text) => {
            Some(text).filter(|text| !text.trim().is_empty())
        }
        _ => None,
    }
}

/// Joins a description into one line, truncates it, and replaces invisible characters with spaces.
fn clean_description(text: &str) -> String {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
    };

    let line: Vec<&str> = text
        .trim()
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    let line: String = without_escapes(&line.join(" "))
        .chars()
        .map(|c| if odd(c) { ' ' } else { c })
        .collect();

    match line.char_indices().nth(DESCRIPTION_MAX) {
        Some(_) => line
            .chars()
            // One less, since the ellipsis is counted too.
            .take(DESCRIPTION_MAX - 1)
            .chain(['…'])
            .collect(),
        None => line,
    }
}

/// Splits the source between the first `---` and the next one, anywhere on its line.
fn frontmatter(source: &str) -> Option<(&str, &str)> {
    let rest = source.strip_prefix("---")?;
    let blanks = rest.len() - rest.trim_start().len();
    // Text after the first dashes makes it a line of Markdown.
    if !rest[..blanks].contains('\n') {
        return None;
    }

    let rest = &rest[rest[..blanks].find('\n')? + 1..];
    // `---` closes wherever it is, even within a value.
    let end = rest.find("---")?;
    Some((&rest[..end], &rest[end + 3..]))
}

fn load_degraded(text: &str, directory: &str) -> LoadOutcome {
    let text = text.trim_start_matches('\u{feff}');
    let line = text
        .split('\n')
        .map(str::trim)
        .find(|line| !line.is_empty());
    // A heading without its marks reads as a description; an empty file is shown by this word.
    let line = line.map_or("Skill", |line| line.trim_start_matches('#').trim_start());

    let line = line
        .split('\r')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ");

    LoadOutcome::Degraded {
        name: directory.to_owned(),
        description: line,
    }
}

/// Quotes the one-line values of top-level keys that contain YAML syntax.
fn quote_values(yaml: &str) -> String {
    let mut adapted = String::with_capacity(yaml.len() + 16);
    for line in yaml.split_inclusive('\n') {
        let text = line.trim_end();
        let field = text.split_once(": ").filter(|(key, _)| {
            !key.is_empty()
                && key
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        });

        match field.map(|(key, value)| (key, value.trim())) {
            // Quoting keeps the text as it is written, also where YAML would begin a mapping or a
            // list.
            Some((key, value)) if is_odd(value) => {
                adapted.push_str(&format!("{key}: {}\n", yaml::quote(value)));
            }
            _ => adapted.push_str(line),
        }
    }

    adapted
}

fn is_odd(value: &str) -> bool {
    let quoted = ['"', '\'']
        .into_iter()
        .any(|quote| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote));
    let block = value.starts_with(['|', '>']) && value.len() < 3;

    !quoted
        && !block
        && (value.contains(": ")
            || value.starts_with(['{', '[', '*', '&', '!', '%', '@', '`', '|', '>', ',', '#']))
}

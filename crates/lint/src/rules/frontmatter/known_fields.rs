//! The frontmatter fields that agents, registries or the specification know.

use crate::frontmatter_fields::{FRONTMATTER_FIELDS, find_field};

/// Fields with the metadata that a registry lists.
const PUBLISHED: [&str; 22] = [
    "author",
    "authors",
    "categories",
    "category",
    "changelog",
    "contributors",
    "created",
    "date",
    "documentation",
    "emoji",
    "homepage",
    "icon",
    "keywords",
    "last_updated",
    "maintainer",
    "maintainers",
    "repository",
    "source",
    "tags",
    "updated",
    "url",
    "version",
];

/// Fields that look effective but are not read by agents, with what to use instead.
const INERT: [(&str, &str); 21] = [
    ("activation", WHEN),
    ("allow", TOOLS),
    ("alwaysApply", WHEN),
    ("auto-invoke", WHEN),
    ("auto_invoke", WHEN),
    ("capabilities", TOOLS),
    ("commands", BODY),
    ("dependencies", NEEDS),
    ("globs", PATHS),
    ("inputs", BODY),
    ("mcp-servers", NEEDS),
    ("mcp_servers", NEEDS),
    ("outputs", BODY),
    ("parameters", BODY),
    ("permissions", TOOLS),
    ("priority", WHEN),
    ("prompt", BODY),
    ("tools", TOOLS),
    ("trigger", WHEN),
    ("triggers", WHEN),
    ("when", WHEN),
];

const WHEN: &str = "say in `description` when to use the skill";
const TOOLS: &str = "list tools that need no confirmation in `allowed-tools`";
const BODY: &str = "write it in the body, which agents read";
const NEEDS: &str = "list required skills in `requires`, and programs in `compatibility`";
const PATHS: &str = "Claude Code reads such patterns from `paths`";

/// Fields, besides the specification's, that a misspelled field is compared with.
const OFTEN_MEANT: [&str; 5] = [
    "disable-model-invocation",
    "user-invocable",
    "argument-hint",
    "when_to_use",
    "disallowed-tools",
];

/// The classification of a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FieldStatus {
    /// The specification or some agent knows it.
    ReadByAgents,
    /// It is a misspelling of this field.
    Misspelled(&'static str),
    /// It has no effect; with what to use instead.
    Inert(&'static str),
    /// It is metadata that a registry lists.
    Published,
    /// It is unknown.
    Unknown,
}

/// Classifies a top-level field.
pub(super) fn classify_field(field: &str) -> FieldStatus {
    if find_field(field).is_some() {
        return FieldStatus::ReadByAgents;
    }
    if PUBLISHED.contains(&field) {
        return FieldStatus::Published;
    }

    // `allowed_tools` is a misspelling, so this comes before
    // the fields without effect.
    if let Some(meant) = same_letters(field) {
        return FieldStatus::Misspelled(meant);
    }
    if let Some((_, instead)) = INERT.iter().find(|(name, _)| *name == field) {
        return FieldStatus::Inert(instead);
    }

    // A typo is the weakest guess, so it comes last.
    nearest_field(field).map_or(FieldStatus::Unknown, FieldStatus::Misspelled)
}

/// The field that differs in case, hyphens and underscores only.
fn same_letters(field: &str) -> Option<&'static str> {
    let wanted = strip_separators(field);
    FRONTMATTER_FIELDS
        .iter()
        .map(|field| field.name)
        .find(|name| strip_separators(name) == wanted)
}

/// A name in lower case, without hyphens, underscores and spaces.
fn strip_separators(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .collect::<String>()
        .to_lowercase()
}

/// The field that is one or two typos away.
fn nearest_field(field: &str) -> Option<&'static str> {
    let length = field.chars().count();
    // Short names are similar to too many others.
    if !(5..=40).contains(&length) {
        return None;
    }

    let field = field.to_lowercase().replace('_', "-");
    let specified = FRONTMATTER_FIELDS.iter().filter(|field| field.is_specified);
    let often = OFTEN_MEANT
        .into_iter()
        .chain(specified.map(|field| field.name))
        .filter(|name| name.len() > 4);
    let distances = often.map(|name| {
        (
            skillpm_core::error::edit_distance(&field, &name.replace('_', "-")),
            name,
        )
    });

    let (distance, name) = distances.min()?;
    // Stricter than `nearest_name`, which allows a third of the letters: `--fix` renames the field,
    // and that of another program must stay.
    (distance <= if length < 8 { 1 } else { 2 }).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_classified_and_misspellings_are_recognized() {
        for field in [
            "name",
            "allowed-tools",
            "model",
            "when_to_use",
            "modeSlugs",
            "command-tool",
            "requires",
            "disallowedTools",
        ] {
            assert_eq!(classify_field(field), FieldStatus::ReadByAgents, "{field}");
        }
        for (field, meant) in [
            ("allowed_tools", "allowed-tools"),
            ("allowedTools", "allowed-tools"),
            ("allowed-tool", "allowed-tools"),
            ("disallowed_tools", "disallowed-tools"),
            ("user_invocable", "user-invocable"),
            ("user-invokable", "user-invocable"),
            ("disableModelInvocation", "disable-model-invocation"),
            ("descripton", "description"),
            ("Description", "description"),
            ("Name", "name"),
            ("Licence", "license"),
            ("licence", "license"),
            ("metdata", "metadata"),
            ("compatiblity", "compatibility"),
            ("argument_hint", "argument-hint"),
            ("when-to-use", "when_to_use"),
        ] {
            assert_eq!(
                classify_field(field),
                FieldStatus::Misspelled(meant),
                "{field}"
            );
        }
        for field in [
            "content",
            "names",
            "agents",
            "models",
            "title",
            "type",
            "status",
            "descriptor-of-it",
        ] {
            assert_eq!(classify_field(field), FieldStatus::Unknown, "{field}");
        }
        assert_eq!(classify_field("tags"), FieldStatus::Published);
        assert_eq!(classify_field("tools"), FieldStatus::Inert(TOOLS));
    }
}

//! The fields that somebody reads.

/// Those of the specification.
///
/// See <https://agentskills.io/specification#frontmatter>.
pub(super) const SPECIFIED: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Those that some agent reads beyond the specification.
///
/// From the documentation of Claude Code, OpenClaw, Hermes Agent and Roo Code (2026-11), and `shared/CONSUMERS.md` §2.
const READ: [&str; 23] = [
    // Claude Code; VS Code and Cursor read some of them too.
    "agent",
    "argument-hint",
    "arguments",
    "context",
    "disable-model-invocation",
    "disallowed-tools",
    "effort",
    "hooks",
    "model",
    "paths",
    "shell",
    "user-invocable",
    "when_to_use",
    // OpenClaw.
    "command-arg-mode",
    "command-dispatch",
    "command-tool",
    // Hermes Agent.
    "platforms",
    "prerequisites",
    "required_credential_files",
    "required_environment_variables",
    // Roo Code.
    "mode",
    "modeSlugs",
    // Yodoca, and skillpm.
    "requires",
];

/// Those that say what a registry lists a package by.
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

/// Those that look as if an agent obeyed them, and what does.
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

const WHEN: &str = "say in `description` when the skill is to be used";
const TOOLS: &str = "tools that need no asking are named in `allowed-tools`";
const BODY: &str = "say it in the body, which is what an agent reads";
const NEEDS: &str = "skills that are needed are named in `requires`, programs in `compatibility`";
const PATHS: &str = "Claude Code reads such patterns from `paths`";

/// Fields that a slip of the fingers is held against, beyond the specification's.
const OFTEN_MEANT: [&str; 5] =
    ["disable-model-invocation", "user-invocable", "argument-hint", "when_to_use", "disallowed-tools"];

/// What is known of a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The specification or some agent has it.
    Read,
    /// It is another, written so.
    Misspelled(&'static str),
    /// Nobody obeys it; what somebody does.
    Inert(&'static str),
    /// It says what a registry lists.
    Published,
    /// Nothing.
    Nobody,
}

/// What is known of a field of the top level.
pub(super) fn known(field: &str) -> Known {
    if SPECIFIED.contains(&field) || READ.contains(&field) {
        return Known::Read;
    }
    if PUBLISHED.contains(&field) {
        return Known::Published;
    }
    if let Some(meant) = same_letters(field) {
        return Known::Misspelled(meant);
    }
    if let Some((_, instead)) = INERT.iter().find(|(name, _)| *name == field) {
        return Known::Inert(instead);
    }
    near(field).map_or(Known::Nobody, Known::Misspelled)
}

/// The field that differs in case, hyphens and underscores only.
fn same_letters(field: &str) -> Option<&'static str> {
    let letters =
        |text: &str| text.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect::<String>().to_lowercase();
    let wanted = letters(field);
    SPECIFIED.into_iter().chain(READ).find(|name| letters(name) == wanted)
}

/// The field that is one or two slips away.
fn near(field: &str) -> Option<&'static str> {
    let length = field.chars().count();
    if !(5..=40).contains(&length) {
        return None;
    }
    let field = field.to_lowercase().replace('_', "-");
    let often = OFTEN_MEANT.into_iter().chain(SPECIFIED).filter(|name| name.len() > 4);
    let slips = often.map(|name| (crate::error::distance(&field, &name.replace('_', "-")), name));
    let (slips, name) = slips.min()?;
    (slips <= if length < 8 { 1 } else { 2 }).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_what_it_is_to_somebody_and_else_what_it_was_meant_to_be() {
        for field in ["name", "allowed-tools", "model", "when_to_use", "modeSlugs", "command-tool", "requires"] {
            assert_eq!(known(field), Known::Read, "{field}");
        }
        for (field, meant) in [
            ("allowed_tools", "allowed-tools"),
            ("allowedTools", "allowed-tools"),
            ("allowed-tool", "allowed-tools"),
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
            assert_eq!(known(field), Known::Misspelled(meant), "{field}");
        }
        for field in ["content", "names", "agents", "models", "title", "type", "status", "descriptor-of-it"] {
            assert_eq!(known(field), Known::Nobody, "{field}");
        }
        assert_eq!(known("tags"), Known::Published);
        assert_eq!(known("tools"), Known::Inert(TOOLS));
    }
}

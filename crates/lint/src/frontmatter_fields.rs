//! The frontmatter fields of the specification, and those that some agent reads.

/// A field at the top level of the frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrontmatterField {
    /// Its key.
    pub name: &'static str,
    /// Whether it is in the specification.
    pub is_specified: bool,
    /// What it means, in Markdown.
    pub about: &'static str,
    /// Who reads it, in Markdown.
    pub readers: &'static str,
    /// The values that it has a meaning for; empty if these cannot be listed.
    pub values: &'static [&'static str],
}

/// Other keys that an agent reads as a field, each with the field: Claude Code's schema has both.
const ALIASES: [(&str, &str); 1] = [("disallowedTools", "disallowed-tools")];

/// Finds a field by its key, or by another key that an agent reads as the field.
#[must_use]
pub fn find_field(key: &str) -> Option<&'static FrontmatterField> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == key);
    let name = alias.map_or(key, |(_, name)| name);
    FRONTMATTER_FIELDS.iter().find(|field| field.name == name)
}

/// All fields, those of the specification first.
///
/// Their sources (2026-11):
///
/// | fields | source |
/// |---|---|
/// | in the specification | <https://agentskills.io/specification#frontmatter> |
/// | Claude Code | the schema of frontmatter in the program (`@anthropic-ai/claude-code` 2.1.330) |
/// | OpenClaw | <https://docs.openclaw.ai/tools/skills> |
/// | pi | the page on skills in `@mariozechner/pi-coding-agent` 0.73.1 |
/// | Hermes Agent, Roo Code | their documentation; the programs were not tried |
/// | Yodoca | its ADR-015, a design |
///
/// Gemini CLI (`@google/gemini-cli-core` 0.61.0) reads `name` and `description` only.
pub static FRONTMATTER_FIELDS: [FrontmatterField; 30] = [
    FrontmatterField {
        name: "name",
        is_specified: true,
        about: "The skill's name: lowercase letters, digits and hyphens, at most 64, and the same as its directory's.",
        readers: "all agents",
        values: &[],
    },
    FrontmatterField {
        name: "description",
        is_specified: true,
        about: "What the skill does and when to use it, in at most 1024 characters. An agent decides by it whether to load the skill.",
        readers: "all agents",
        values: &[],
    },
    FrontmatterField {
        name: "license",
        is_specified: true,
        about: "The license: an SPDX expression, or the name of a license file in the skill.",
        readers: "no agent; registries list it",
        values: &[],
    },
    FrontmatterField {
        name: "compatibility",
        is_specified: true,
        about: "Requirements of the environment, such as programs, packages or network access, in at most 500 characters.",
        readers: "no agent; people read it",
        values: &[],
    },
    FrontmatterField {
        name: "metadata",
        is_specified: true,
        about: "Further properties, a mapping from strings to strings.",
        readers: "OpenClaw (`metadata.openclaw`); registries list `version` and `author`",
        values: &[],
    },
    FrontmatterField {
        name: "allowed-tools",
        is_specified: true,
        about: "Tools that the skill may use without confirmation.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "agent",
        is_specified: false,
        about: "The type of subagent that runs the skill, with `context: fork`.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "argument-hint",
        is_specified: false,
        about: "A hint about the arguments, shown when the name is completed, such as `[issue-number]`.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "arguments",
        is_specified: false,
        about: "Names of positional arguments, for `$name` in the body.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "background",
        is_specified: false,
        about: "With `context: fork`, `false` waits for the subagent, which otherwise runs in the background.",
        readers: "Claude Code",
        values: &["true", "false"],
    },
    FrontmatterField {
        name: "context",
        is_specified: false,
        about: "`fork` runs the skill in a subagent with a context of its own, `inline` in the current conversation.",
        readers: "Claude Code",
        values: &["fork", "inline"],
    },
    FrontmatterField {
        name: "disable-model-invocation",
        is_specified: false,
        about: "`true` keeps the skill from the model: only a person can start it.",
        readers: "Claude Code, OpenClaw, pi",
        values: &["true", "false"],
    },
    FrontmatterField {
        name: "disallowed-tools",
        is_specified: false,
        about: "Tools that are not available while the skill is active.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "effort",
        is_specified: false,
        about: "How much the model reasons while the skill is active: a level, or an integer.",
        readers: "Claude Code",
        // Its message about invalid values lists these.
        values: &["low", "medium", "high", "xhigh", "max"],
    },
    FrontmatterField {
        name: "hooks",
        is_specified: false,
        about: "Commands that are run on events while the skill is active.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "model",
        is_specified: false,
        about: "The model to use while the skill is active.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "paths",
        is_specified: false,
        about: "Patterns of files: the skill is loaded by the model only when such a file is worked on.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "shell",
        is_specified: false,
        about: "The shell of `!` commands in the body; `bash` is the default on every system.",
        readers: "Claude Code",
        values: &["bash", "powershell"],
    },
    FrontmatterField {
        name: "user-invocable",
        is_specified: false,
        about: "`false` hides the skill from the commands that a person can start.",
        readers: "Claude Code, OpenClaw",
        values: &["true", "false"],
    },
    FrontmatterField {
        name: "when_to_use",
        is_specified: false,
        about: "When to use the skill; appended to the description.",
        readers: "Claude Code",
        values: &[],
    },
    FrontmatterField {
        name: "command-arg-mode",
        is_specified: false,
        about: "How the arguments of a command are passed to the tool: `raw`, the default and only way, does not parse them.",
        readers: "OpenClaw",
        values: &["raw"],
    },
    FrontmatterField {
        name: "command-dispatch",
        is_specified: false,
        about: "`tool` passes the skill's command to a tool directly, without the model.",
        readers: "OpenClaw",
        values: &["tool"],
    },
    FrontmatterField {
        name: "command-tool",
        is_specified: false,
        about: "The tool to call, with `command-dispatch: tool`.",
        readers: "OpenClaw",
        values: &[],
    },
    FrontmatterField {
        name: "platforms",
        is_specified: false,
        about: "The operating systems on which the skill is listed.",
        readers: "Hermes Agent",
        values: &[],
    },
    FrontmatterField {
        name: "prerequisites",
        is_specified: false,
        about: "Environment variables and programs that the skill needs.",
        readers: "Hermes Agent",
        values: &[],
    },
    FrontmatterField {
        name: "required_credential_files",
        is_specified: false,
        about: "Files with credentials that the skill needs.",
        readers: "Hermes Agent",
        values: &[],
    },
    FrontmatterField {
        name: "required_environment_variables",
        is_specified: false,
        about: "Environment variables that the skill needs.",
        readers: "Hermes Agent",
        values: &[],
    },
    FrontmatterField {
        name: "mode",
        is_specified: false,
        about: "The mode in which the skill is listed.",
        readers: "Roo Code",
        values: &[],
    },
    FrontmatterField {
        name: "modeSlugs",
        is_specified: false,
        about: "The modes in which the skill is listed.",
        readers: "Roo Code",
        values: &[],
    },
    FrontmatterField {
        name: "requires",
        is_specified: false,
        about: "Other skills that this one needs.",
        readers: "Yodoca; skillpm installs them, too",
        values: &[],
    },
];

//! Builds a [`Skill`] from the fields of a frontmatter.

use std::borrow::Cow;

use crate::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, Span};

use super::mapping::SkillFrontmatter;
use super::rename::rename_fix;
use super::yaml::{self, TypedScalar, YamlNode};
use super::{EnvVar, InstallMethod, RunSettings, Skill, SkillFormat, SkillGates, name};

/// Longest description that every agent shows, in characters.
///
/// See <https://agentskills.io/specification#description-field>.
pub const DESCRIPTION_MAX: usize = 1024;

/// The keys under `metadata` where OpenClaw's gates are found, newest first.
const GATE_KEYS: [&str; 3] = ["openclaw", "clawdbot", "clawdis"];

/// Whether a skill keeps a copy of its frontmatter as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrontmatterCopy {
    Kept,
    // For callers that read thousands of skills, and need no copy.
    Omitted,
}

/// The skill that `frontmatter` describes; `None`, with the reason among `diagnostics`, if no agent lists it.
pub(super) fn build_skill(
    source: &str,
    directory: &str,
    frontmatter: &SkillFrontmatter,
    verbatim: FrontmatterCopy,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Skill> {
    let root = &frontmatter.root;
    let mut reader = RequiredFieldReader {
        source,
        directory,
        diagnostics,
    };

    // Both are read before either can fail, so that all findings come at once.
    let name = reader.read_name(frontmatter);
    let description = reader.read_description(frontmatter)?;
    let ResolvedSkillName {
        name,
        named,
        misnamed,
    } = name?;

    let metadata = root.get("metadata").and_then(as_mapping);
    let metadata = metadata.as_deref();
    // The newest name of OpenClaw's block wins; the two older ones are still in use.
    let gates = metadata.and_then(|node| GATE_KEYS.iter().find_map(|key| node.get(key)));
    let gates = gates.and_then(as_mapping);
    let fields = OptionalFields {
        root,
        metadata,
        gates: gates.as_deref(),
    };

    let mut skill = Skill {
        named,
        misnamed,
        body_start: frontmatter.fences.body_start,
        ..Skill::new(SkillFormat::SkillMd, name, description)
    };
    fields.read_about(&mut skill);
    fields.read_usage(&mut skill);
    fields.read_requirements(&mut skill);
    if verbatim == FrontmatterCopy::Kept {
        skill.frontmatter = root.to_json();
    }

    Some(skill)
}

/// The places where the fields besides name and description are found.
struct OptionalFields<'n> {
    root: &'n YamlNode<'n>,
    /// The mapping under `metadata`.
    metadata: Option<&'n YamlNode<'n>>,
    /// OpenClaw's block under `metadata`.
    gates: Option<&'n YamlNode<'n>>,
}

impl OptionalFields<'_> {
    fn top(&self, key: &str) -> Option<&YamlNode<'_>> {
        self.root.get(key)
    }

    fn meta(&self, key: &str) -> Option<&YamlNode<'_>> {
        self.metadata.and_then(|node| node.get(key))
    }

    /// Reads what the skill says about itself.
    fn read_about(&self, skill: &mut Skill) {
        let top_text = |key| self.top(key).and_then(scalar_text);

        skill.when_to_use = self
            .top("when_to_use")
            .or_else(|| self.top("when-to-use"))
            .and_then(scalar_text);
        // The specification puts these into `metadata`; many skills have them at the top level.
        skill.version = self
            .meta("version")
            .or_else(|| self.top("version"))
            .and_then(scalar_text);
        skill.display_name = self.meta("display-name").and_then(scalar_text);
        skill.author = self
            .meta("author")
            .and_then(scalar_text)
            .or_else(|| top_text("author"));

        skill.license = top_text("license");
        skill.compatibility = top_text("compatibility");
        let gate_homepage = self.gates.and_then(|node| node.get("homepage"));
        skill.homepage = top_text("homepage").or_else(|| gate_homepage.and_then(scalar_text));
        skill.tags = self
            .top("tags")
            .or_else(|| self.meta("tags"))
            .map(text_list)
            .unwrap_or_default();
        skill.internal = self.meta("internal").and_then(parse_flag) == Some(true);
    }

    /// Reads how agents and people invoke the skill.
    fn read_usage(&self, skill: &mut Skill) {
        let tools = |key| self.top(key).map(tool_list).unwrap_or_default();
        skill.allowed_tools = tools("allowed-tools");
        skill.arguments = tools("arguments");
        skill.argument_hint = self.top("argument-hint").and_then(read_argument_hint);
        skill.run = read_run_settings(self.root);

        // Both are allowed unless the skill says otherwise.
        let flag = |key| self.top(key).and_then(parse_flag);
        skill.model_invocable = flag("disable-model-invocation") != Some(true);
        skill.user_invocable = flag("user-invocable") != Some(false);
    }

    /// Reads what the skill requires, and how that is installed.
    fn read_requirements(&self, skill: &mut Skill) {
        skill.requires = self
            .top("requires")
            .or_else(|| self.meta("requires"))
            .map(requirement_list)
            .unwrap_or_default();
        skill.install = self.gates.map(read_install_methods).unwrap_or_default();
        skill.env_vars = self.gates.map(read_env_vars).unwrap_or_default();
        skill.gates = SkillGates {
            // Claude Code's `paths`, the one gate outside of OpenClaw's block.
            paths: self.top("paths").map(text_list).unwrap_or_default(),
            ..self.gates.map(read_gates).unwrap_or_default()
        };
    }
}

/// The name of a skill, and where it comes from.
struct ResolvedSkillName {
    name: String,
    /// Whether it is from the frontmatter.
    named: bool,
    /// The problem of an invalid `name`.
    misnamed: Option<String>,
}

/// Reads the two fields without which there is no skill.
struct RequiredFieldReader<'a, 'd> {
    source: &'a str,
    directory: &'a str,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl RequiredFieldReader<'_, '_> {
    fn report(
        &mut self,
        rule: &str,
        level: DiagnosticLevel,
        span: Span,
        message: String,
        help: Option<String>,
    ) {
        let mut diagnostic = Diagnostic::new(rule, level, message).at(span, self.source);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// The name; `None` if nothing gives one.
    fn read_name(&mut self, frontmatter: &SkillFrontmatter) -> Option<ResolvedSkillName> {
        // Agents differ in which of two values they show, so neither is taken.
        if frontmatter.contradiction("name").is_some() {
            return None;
        }

        let Some((key, value)) = frontmatter.root.entry("name") else {
            let span = frontmatter.fences.open.clone();
            let found = Diagnostic::new(
                "name-missing",
                DiagnosticLevel::Error,
                "the skill has no `name`",
            );
            self.report_no_name(found.at(span, self.source), frontmatter);
            return self.name_from_directory(false);
        };

        match self.read_scalar("name", value) {
            Some(name) if !name.is_empty() => {
                let (source, directory) = (self.source, self.directory);
                name::WrittenName {
                    source,
                    directory,
                    frontmatter,
                    name: &name,
                    node: value,
                }
                .check(self.diagnostics);

                Some(ResolvedSkillName {
                    name,
                    named: true,
                    misnamed: None,
                })
            }
            Some(_) => {
                let message = "the skill's `name` is empty";
                let found = Diagnostic::new("name-empty", DiagnosticLevel::Error, message);
                self.report_no_name(found.at(key.span.clone(), self.source), frontmatter);
                self.name_from_directory(true)
            }
            None => self.name_from_directory(true),
        }
    }

    /// Adds a finding about a missing name, with the name to write.
    fn report_no_name(&mut self, found: Diagnostic, frontmatter: &SkillFrontmatter) {
        let found = found.note(
            "Codex and Claude Code take the directory's name; npx skills, Gemini CLI, OpenCode and OpenClaw drop the \
             skill",
        );

        let found = match name::to_kebab_case(self.directory) {
            // The directory's name is what the agents that list the skill call it already.
            Some(meant) => {
                let applicability = if meant == self.directory {
                    FixApplicability::Safe
                } else {
                    FixApplicability::Unsafe
                };
                let mut found = found.help(format!("write `name: {meant}`"));
                found.fix = rename_fix(self.source, frontmatter, &meant, applicability);
                found
            }
            None => found.help("write `name: <name>`"),
        };

        self.diagnostics.push(found);
    }

    /// The directory's name; with `is_given` the last diagnostic is about an invalid `name`.
    fn name_from_directory(&self, is_given: bool) -> Option<ResolvedSkillName> {
        let name_diagnostic = self.diagnostics.last().filter(|_| is_given);
        let misnamed =
            name_diagnostic.map(|found| format!("{}: {}", found.location(""), found.message));

        (!self.directory.is_empty()).then(|| ResolvedSkillName {
            name: self.directory.to_owned(),
            named: false,
            misnamed,
        })
    }

    /// The description; `None` if it is missing or invalid.
    fn read_description(&mut self, frontmatter: &SkillFrontmatter) -> Option<String> {
        const HELP: &str = "say in one or two sentences what the skill does and when to use it";

        if frontmatter.contradiction("description").is_some() {
            return None;
        }

        let Some((key, value)) = frontmatter.root.entry("description") else {
            let (span, message) = (
                frontmatter.fences.open.clone(),
                "the skill has no `description`",
            );
            self.report(
                "description-missing",
                DiagnosticLevel::Error,
                span,
                message.into(),
                Some(HELP.into()),
            );
            return None;
        };

        let description = match self.read_unfilled_template(value) {
            Some(text) => text,
            None => self.read_scalar("description", value)?,
        };

        if description.is_empty() {
            let (span, message) = (key.span.clone(), "the skill's `description` is empty");
            self.report(
                "description-empty",
                DiagnosticLevel::Error,
                span,
                message.into(),
                Some(HELP.into()),
            );
            return None;
        }

        // In characters, as the specification counts.
        let length = description.chars().count();
        if length > DESCRIPTION_MAX {
            let message =
                format!("the description has {length} characters; the limit is {DESCRIPTION_MAX}");
            let help = "some agents truncate it, some drop the skill; move the rest to the body";
            let span = self
                .excess_span(value)
                .unwrap_or_else(|| value.span.clone());
            self.report(
                "description-too-long",
                DiagnosticLevel::Error,
                span,
                message,
                Some(help.into()),
            );
        }

        Some(description)
    }

    /// The text of an unfilled template, which YAML reads as a mapping within another's key.
    fn read_unfilled_template(&mut self, value: &YamlNode) -> Option<String> {
        let text = value
            .entries()
            .and_then(|_| self.source.get(value.span.clone()))?;
        // `{{x}}` is a mapping with a mapping for a key, which is never what the author meant.
        if !text.starts_with("{{") || !text.ends_with("}}") || text.contains('\n') {
            return None;
        }

        let message = "`{{` begins two mappings; is this an unfilled template?";
        let quoted = yaml::quote(text);
        let found = Diagnostic::new("yaml-broken-flow", DiagnosticLevel::Error, message)
            .at(value.span.clone(), self.source)
            .note("strict YAML readers find a mapping here, and drop a skill whose description is not a string")
            .help("fill it in, or put it in quotes")
            .fix(DiagnosticFix::edit(FixApplicability::Unsafe, "quote the value", value.span.clone(), quoted));
        self.diagnostics.push(found);
        Some(text.to_owned())
    }

    /// The part of a description beyond [`DESCRIPTION_MAX`].
    fn excess_span(&self, value: &YamlNode) -> Option<Span> {
        let text = value.text()?;
        // The limit counts the trimmed text, and spans count the written one.
        let (start, end) = (text.len() - text.trim_start().len(), text.trim_end().len());
        let (from, _) = text[start..].char_indices().nth(DESCRIPTION_MAX)?;
        value.text_span(self.source, start + from..end)
    }

    /// The trimmed text of a scalar, empty for null; `None` for a collection. Other types than text are reported.
    fn read_scalar(&mut self, key: &str, value: &YamlNode) -> Option<String> {
        let what = match value.typed() {
            Some(TypedScalar::Text(text)) => return Some(text.trim().to_owned()),
            Some(TypedScalar::Null) => return Some(String::new()),
            Some(TypedScalar::Bool(_)) => "a boolean",
            Some(TypedScalar::Int(_) | TypedScalar::Float(_)) => "a number",
            None if value.items().is_some() => "a list",
            None => "a mapping",
        };

        let message = format!("`{key}` is {what}; expected a string");
        let mut found = Diagnostic::new("wrong-type", DiagnosticLevel::Error, message)
            .at(value.span.clone(), self.source);
        // A number or boolean is what the author wrote as text, and agents show it as such.
        found = match value.text().map(yaml::quote) {
            Some(quoted) => {
                let help = format!("put it in quotes: `{key}: {quoted}`");
                // With a tag the type is meant, and quotes would contradict it.
                if value.tag.is_none() {
                    found.fix = Some(DiagnosticFix::edit(
                        FixApplicability::Safe,
                        "quote the value",
                        value.span.clone(),
                        quoted,
                    ));
                }
                found.help(help)
            }
            None => found.note("agents drop a skill whose name or description is not a string"),
        };

        self.diagnostics.push(found);
        value.text().map(|text| text.trim().to_owned())
    }
}

/// The trimmed text of a scalar that is not empty.
fn scalar_text(node: &YamlNode) -> Option<String> {
    let text = node.text()?.trim();
    (!node.is_null() && !text.is_empty()).then(|| text.to_owned())
}

/// A boolean, also in the words of YAML 1.1.
fn parse_flag(node: &YamlNode) -> Option<bool> {
    match node.text()?.trim().to_ascii_lowercase().as_str() {
        // Agents that read YAML 1.1 take these words for booleans.
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A mapping, or the one in a string of JSON.
fn as_mapping<'n>(node: &'n YamlNode<'n>) -> Option<Cow<'n, YamlNode<'n>>> {
    if node.entries().is_some() {
        return Some(Cow::Borrowed(node));
    }

    // `metadata` and OpenClaw's block may also be given as a string of JSON.
    let text = node.text()?.trim_start();
    let root = text
        .starts_with('{')
        .then(|| yaml::parse_text(text).ok()?.root)??;
    root.entries().is_some().then_some(Cow::Owned(root))
}

/// The texts of a list, or of one text with commas.
fn text_list(node: &YamlNode) -> Vec<String> {
    match node.items() {
        Some(items) => items.iter().filter_map(scalar_text).collect(),
        None => scalar_text(node)
            .map(|text| split_outside_parentheses(&text, |c| c == ','))
            .unwrap_or_default(),
    }
}

/// Tools: a list, or one text separated by spaces or commas. Text in parentheses belongs to its tool.
fn tool_list(node: &YamlNode) -> Vec<String> {
    match node.items() {
        Some(items) => items.iter().filter_map(scalar_text).collect(),
        None => scalar_text(node)
            .map(|text| split_outside_parentheses(&text, |c| c == ',' || c.is_whitespace()))
            .unwrap_or_default(),
    }
}

/// The required skills; none for a mapping. In one text a comma may also be part of a version requirement.
fn requirement_list(node: &YamlNode) -> Vec<String> {
    if node.items().is_some() {
        return text_list(node);
    }

    let mut requirements: Vec<String> = Vec::new();
    for part in text_list(node) {
        match requirements.last_mut() {
            // The second half of `>=1, <2`, which was split at its comma.
            Some(last) if part.starts_with(['<', '>', '=', '^', '~']) => last.extend([", ", &part]),
            _ => requirements.push(part),
        }
    }

    requirements
}

/// The parts of `text` between separators outside of parentheses.
fn split_outside_parentheses(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut depth = 0usize;
    // `Bash(git add, git commit)` is one tool, though it has a comma.
    let parts = text.split(|c| {
        depth = depth_after(depth, c);
        depth == 0 && separates(c)
    });

    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// How many parentheses are open after a character.
fn depth_after(depth: usize, c: char) -> usize {
    match c {
        '(' => depth + 1,
        ')' => depth.saturating_sub(1),
        _ => depth,
    }
}

fn read_gates(node: &YamlNode) -> SkillGates {
    let requires = node.get("requires");
    let needed = |key| {
        requires
            .map(|node| field_list(node, key))
            .unwrap_or_default()
    };

    SkillGates {
        always: node.get("always").and_then(parse_flag) == Some(true),
        os: field_list(node, "os"),
        bins: needed("bins"),
        any_bins: needed("anyBins"),
        env: needed("env"),
        config: needed("config"),
        primary_env: node.get("primaryEnv").and_then(scalar_text),
        skill_key: node.get("skillKey").and_then(scalar_text),
        paths: Vec::new(),
    }
}

/// The texts of a field; none if it is missing.
fn field_list(node: &YamlNode, key: &str) -> Vec<String> {
    node.get(key).map(text_list).unwrap_or_default()
}

/// The hint that agents show after the skill's name. Without quotes, `[issue]` is a list in YAML.
fn read_argument_hint(node: &YamlNode) -> Option<String> {
    match node.items() {
        Some(items) => {
            let words: Vec<String> = items.iter().filter_map(scalar_text).collect();
            // Written as the author meant it, with its brackets.
            (!words.is_empty()).then(|| format!("[{}]", words.join(", ")))
        }
        None => scalar_text(node),
    }
}

fn read_run_settings(root: &YamlNode) -> RunSettings {
    let field_text = |key: &str| root.get(key).and_then(scalar_text);

    RunSettings {
        model: field_text("model"),
        effort: field_text("effort"),
        context: field_text("context"),
        agent: field_text("agent"),
        shell: field_text("shell"),
        hooks: root.get("hooks").is_some_and(|hooks| !hooks.is_null()),
        dispatch: field_text("command-dispatch"),
        tool: field_text("command-tool"),
        script: None,
    }
}

fn read_install_methods(node: &YamlNode) -> Vec<InstallMethod> {
    node.get("install")
        .and_then(YamlNode::items)
        .unwrap_or_default()
        .iter()
        .filter_map(read_install_method)
        .collect()
}

fn read_install_method(node: &YamlNode) -> Option<InstallMethod> {
    let field_text = |key: &str| node.get(key).and_then(scalar_text);
    let what = ["formula", "cask", "package", "module", "url"]
        .into_iter()
        .find_map(field_text);

    Some(InstallMethod {
        id: field_text("id"),
        // An entry without a kind has no command that could be shown.
        kind: field_text("kind")?,
        what,
        label: field_text("label"),
        bins: node.get("bins").map(text_list).unwrap_or_default(),
        os: node.get("os").map(text_list).unwrap_or_default(),
        sha256: field_text("sha256"),
    })
}

fn read_env_vars(node: &YamlNode) -> Vec<EnvVar> {
    node.get("envVars")
        .and_then(YamlNode::items)
        .unwrap_or_default()
        .iter()
        .filter_map(read_env_var)
        .collect()
}

/// A variable, written as a mapping or as its name alone.
fn read_env_var(node: &YamlNode) -> Option<EnvVar> {
    let name = scalar_text(node).or_else(|| node.get("name").and_then(scalar_text))?;
    Some(EnvVar {
        name,
        description: node.get("description").and_then(scalar_text),
        required: node.get("required").and_then(parse_flag) == Some(true),
    })
}

#[cfg(test)]
mod tests {
    use crate::skill::{InstallMethod, Skill, SkillGates, read_str};

    fn skill(fields: &str) -> Skill {
        let source = format!("---\nname: x\ndescription: d\n{fields}\n---\nbody");
        let skill = read_str(&source, "x").skill.unwrap();
        assert_eq!(skill.body(&source), "body");
        skill
    }

    #[test]
    fn a_version_is_as_written_and_metadata_goes_first() {
        assert_eq!(skill("version: 1.10").version.as_deref(), Some("1.10"));
        assert_eq!(
            skill("version: 1.0\nmetadata: {version: '2.0'}")
                .version
                .as_deref(),
            Some("2.0")
        );
        assert_eq!(
            skill("version: 2026-01-25").version.as_deref(),
            Some("2026-01-25")
        );
        assert_eq!(skill("version:").version, None);
    }

    #[test]
    fn metadata_is_read_at_both_levels() {
        let skill_a =
            skill("license: MIT\ncompatibility: any\nauthor: A\nhomepage: https://a.example\n");
        assert_eq!(skill_a.license.as_deref(), Some("MIT"));
        assert_eq!(skill_a.compatibility.as_deref(), Some("any"));
        assert_eq!(
            (skill_a.author.as_deref(), skill_a.homepage.as_deref()),
            (Some("A"), Some("https://a.example"))
        );
        let skill_b = skill(
            "license: [MIT]\nmetadata:\n  author: B\n  clawdis: {homepage: https://b.example}",
        );
        assert_eq!(skill_b.license, None);
        assert_eq!(
            (skill_b.author.as_deref(), skill_b.homepage.as_deref()),
            (Some("B"), Some("https://b.example"))
        );
    }

    #[test]
    fn lists_may_be_texts_with_commas() {
        assert_eq!(skill("tags: [a, b c, 1, ~]").tags, ["a", "b c", "1"]);
        assert_eq!(skill("tags: a, b c").tags, ["a", "b c"]);
        assert_eq!(skill("metadata: {tags: [a]}").tags, ["a"]);
        assert_eq!(skill("requires: [a, b@^1]").requires, ["a", "b@^1"]);
        assert!(skill("requires: {bins: [git]}").requires.is_empty());
    }

    #[test]
    fn a_tool_keeps_its_parentheses() {
        let expected = ["Read", "Bash(git add:*, git commit:*)", "Grep"];
        assert_eq!(
            skill("allowed-tools: Read Bash(git add:*, git commit:*) Grep").allowed_tools,
            expected
        );
        assert_eq!(
            skill("allowed-tools: Read, Bash(git add:*, git commit:*),Grep").allowed_tools,
            expected
        );
        assert_eq!(
            skill("allowed-tools: [Read, 'Bash(git add:*, git commit:*)', Grep]").allowed_tools,
            expected
        );
    }

    #[test]
    fn flags_have_the_defaults_of_agents() {
        let flags = |fields| {
            let skill = skill(fields);
            (skill.model_invocable, skill.user_invocable, skill.internal)
        };
        assert_eq!(flags(""), (true, true, false));
        assert_eq!(
            flags(
                "disable-model-invocation: true\nuser-invocable: no\nmetadata: {internal: 'true'}"
            ),
            (false, false, true)
        );
        assert_eq!(
            flags("disable-model-invocation: maybe\nuser-invocable: true"),
            (true, true, false)
        );
    }

    #[test]
    fn gates_are_read_from_a_mapping_and_from_json_in_a_text_at_either_level() {
        let json = r#"{"always":true,"os":["linux"],"primaryEnv":"K","requires":{"bins":["git"],"anyBins":["a","b"],"env":["K"],"config":["x.y"]},}"#;
        let expected = SkillGates {
            always: true,
            os: vec!["linux".into()],
            bins: vec!["git".into()],
            any_bins: vec!["a".into(), "b".into()],
            env: vec!["K".into()],
            config: vec!["x.y".into()],
            primary_env: Some("K".into()),
            ..SkillGates::default()
        };
        for key in ["openclaw", "clawdbot", "clawdis"] {
            assert_eq!(
                skill(&format!("metadata: {{\"{key}\":{json}}}")).gates,
                expected
            );
            assert_eq!(
                skill(&format!("metadata: '{{\"{key}\":{json}}}'")).gates,
                expected
            );
            assert_eq!(
                skill(&format!("metadata:\n  {key}: '{json}'")).gates,
                expected
            );
        }
        assert_eq!(skill("metadata: '{not json'").gates, SkillGates::default());
    }

    #[test]
    fn openclaw_metadata_is_read() {
        let skill = skill(
            "metadata: {\"openclaw\": {\"skillKey\": \"gh\", \"install\": [{\"id\": \"brew\", \"kind\": \"brew\", \"formula\": \"gh\", \
             \"bins\": [\"gh\"], \"label\": \"GitHub\", \"os\": [\"darwin\"]}, {\"kind\": \"download\", \"url\": \"https://x.example/a.tgz\", \
             \"sha256\": \"ab\"}, {\"formula\": \"no-kind\"}], \"envVars\": [\"A\", {\"name\": \"B\", \"required\": true, \
             \"description\": \"b\"}]}}\ncommand-dispatch: tool\ncommand-tool: say",
        );
        assert_eq!(skill.gates.skill_key.as_deref(), Some("gh"));
        let commands: Vec<_> = skill.install.iter().map(InstallMethod::command).collect();
        assert_eq!(
            commands,
            [
                Some("brew install gh".to_owned()),
                Some("curl -LO 'https://x.example/a.tgz'".to_owned())
            ]
        );
        assert_eq!(
            (skill.install[0].bins.join(""), skill.install[0].os.join("")),
            ("gh".into(), "darwin".into())
        );
        let variables: Vec<_> = skill
            .env_vars
            .iter()
            .map(|one| (one.name.as_str(), one.required))
            .collect();
        assert_eq!(variables, [("A", false), ("B", true)]);
        assert_eq!(
            (skill.run.dispatch.as_deref(), skill.run.tool.as_deref()),
            (Some("tool"), Some("say"))
        );
    }

    #[test]
    fn install_command_with_other_effects_is_not_offered() {
        let command = |kind: &str, what: &str| {
            InstallMethod {
                kind: kind.into(),
                what: Some(what.into()),
                ..InstallMethod::default()
            }
            .command()
        };
        assert_eq!(
            command("node", "@acme/cli@1").as_deref(),
            Some("npm install --global @acme/cli@1")
        );
        for what in [
            "gh; rm -rf ~",
            "$(id)",
            "--exec=x",
            "a b",
            "a\nb",
            "a&&b",
            "'",
        ] {
            assert_eq!(command("brew", what), None, "{what:?}");
        }
        assert_eq!(command("sh", "x"), None);
    }

    #[test]
    fn claude_code_fields_are_read() {
        let skill = skill(
            "when_to_use: On Mondays.\narguments: issue branch\nargument-hint: '[issue] [branch]'\nmodel: opus\neffort: high\n\
             context: fork\nagent: Explore\nshell: bash\nhooks: {Stop: []}\npaths: 'src/**/*.rs, *.md'",
        );
        assert_eq!(skill.when_to_use.as_deref(), Some("On Mondays."));
        assert_eq!(skill.arguments, ["issue", "branch"]);
        assert_eq!(skill.argument_hint.as_deref(), Some("[issue] [branch]"));
        assert_eq!(skill.gates.paths, ["src/**/*.rs", "*.md"]);
        let run = &skill.run;
        let texts = [
            &run.model,
            &run.effort,
            &run.context,
            &run.agent,
            &run.shell,
        ]
        .map(|text| text.as_deref().unwrap());
        assert_eq!(
            (texts, run.hooks),
            (["opus", "high", "fork", "Explore", "bash"], true)
        );
        assert_eq!(
            self::skill("arguments: [a, b]\nargument-hint: [name]")
                .argument_hint
                .as_deref(),
            Some("[name]")
        );
    }

    #[test]
    fn a_summary_is_one_line_while_the_frontmatter_stays_verbatim() {
        let source = "---\nname: x\ndescription: |\n  Two\n  lines.\n\n  More.\n---\n";
        let skill = read_str(source, "x").skill.unwrap();
        assert_eq!(skill.summary_line(), "Two lines. More.");
        assert_eq!(skill.description, "Two\nlines.\n\nMore.");
        assert_eq!(skill.frontmatter["description"], "Two\nlines.\n\nMore.\n");
    }
}

//! From the fields of a frontmatter to a [`Skill`].

use std::borrow::Cow;

use crate::report::{Applicability, Diagnostic, Fix, Level, Span};

use super::frontmatter::Verbatim;
use super::rename::renaming;
use super::yaml::{self, Node, Typed};
use super::{EnvVar, Format, Frontmatter, Gates, Installer, Run, Skill, name};

/// Longest description that every agent shows, in characters.
///
/// See <https://agentskills.io/specification#description-field>.
pub const DESCRIPTION_MAX: usize = 1024;

/// The keys under `metadata` where OpenClaw's gates are found, newest first.
const GATE_KEYS: [&str; 3] = ["openclaw", "clawdbot", "clawdis"];

/// The skill that `frontmatter` describes; `None`, and the reason among `diagnostics`, if no agent would list it.
pub(super) fn skill(
    (source, directory): (&str, &str),
    frontmatter: &Frontmatter,
    verbatim: Verbatim,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Skill> {
    let root = &frontmatter.root;
    let mut reader = Reader { source, directory, diagnostics };
    let name = reader.name(frontmatter);
    let description = reader.description(frontmatter)?;
    let Called { name, named, misnamed } = name?;

    let metadata = root.get("metadata").and_then(object);
    let metadata = metadata.as_deref();
    let gates_at = metadata.and_then(|node| GATE_KEYS.iter().find_map(|key| node.get(key)));
    let gates_at = gates_at.and_then(object);
    let gates_at = gates_at.as_deref();
    let meta = |key| metadata.and_then(|node| node.get(key));
    let homepage = root.get("homepage").and_then(text);
    Some(Skill {
        named,
        misnamed,
        when_to_use: root.get("when_to_use").or_else(|| root.get("when-to-use")).and_then(text),
        version: meta("version").or_else(|| root.get("version")).and_then(text),
        license: root.get("license").and_then(text),
        compatibility: root.get("compatibility").and_then(text),
        author: meta("author").and_then(text).or_else(|| root.get("author").and_then(text)),
        homepage: homepage.or_else(|| gates_at.and_then(|node| node.get("homepage")).and_then(text)),
        tags: root.get("tags").or_else(|| meta("tags")).map(list).unwrap_or_default(),
        requires: root.get("requires").or_else(|| meta("requires")).map(requirements).unwrap_or_default(),
        allowed_tools: root.get("allowed-tools").map(tools).unwrap_or_default(),
        model_invocable: root.get("disable-model-invocation").and_then(flag) != Some(true),
        user_invocable: root.get("user-invocable").and_then(flag) != Some(false),
        arguments: root.get("arguments").map(tools).unwrap_or_default(),
        argument_hint: root.get("argument-hint").and_then(hint),
        run: run(root),
        install: gates_at.map(installers).unwrap_or_default(),
        env_vars: gates_at.map(env_vars).unwrap_or_default(),
        gates: Gates {
            paths: root.get("paths").map(list).unwrap_or_default(),
            ..gates_at.map(gates).unwrap_or_default()
        },
        internal: meta("internal").and_then(flag) == Some(true),
        frontmatter: if verbatim == Verbatim::Kept { root.to_json() } else { serde_json::Value::Null },
        body_start: frontmatter.fences.body_start,
        ..Skill::bare(Format::SkillMd, name, description)
    })
}

/// What a skill is called, and by whom.
struct Called {
    name: String,
    /// Whether by its frontmatter.
    named: bool,
    /// What is wrong with a `name` that gives none.
    misnamed: Option<String>,
}

/// Reads the two fields without which there is no skill.
struct Reader<'a, 'd> {
    source: &'a str,
    directory: &'a str,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    fn tell(&mut self, rule: &str, level: Level, span: Span, message: String, help: Option<String>) {
        let mut diagnostic = Diagnostic::new(rule, level, message).at(span, self.source);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// The name; `None` if nothing gives one.
    fn name(&mut self, frontmatter: &Frontmatter) -> Option<Called> {
        if frontmatter.contradiction("name").is_some() {
            return None;
        }
        let (rule, span, message) = match frontmatter.root.entry("name") {
            Some((key, value)) => match self.scalar("name", value) {
                Some(name) if !name.is_empty() => {
                    let (source, directory) = (self.source, self.directory);
                    name::Written { source, directory, frontmatter, name: &name, node: value }.check(self.diagnostics);
                    return Some(Called { name, named: true, misnamed: None });
                }
                Some(_) => ("name-empty", key.span.clone(), "the skill's `name` is empty"),
                None => return self.name_of_directory(true),
            },
            None => ("name-missing", frontmatter.fences.open.clone(), "the skill has no `name`"),
        };
        let finding = Diagnostic::new(rule, Level::Error, message).at(span, self.source).note(
            "Codex and Claude Code take the directory's name; npx skills, Gemini CLI, OpenCode and OpenClaw drop the \
             skill",
        );
        let finding = match name::kebab(self.directory) {
            Some(meant) => {
                let as_it_is = meant == self.directory;
                let applicability = if as_it_is { Applicability::Safe } else { Applicability::Unsafe };
                let mut finding = finding.help(format!("write `name: {meant}`"));
                finding.fix = renaming(self.source, frontmatter, &meant, applicability);
                finding
            }
            None => finding.help("write `name: <name>`"),
        };
        self.diagnostics.push(finding);
        self.name_of_directory(rule == "name-empty")
    }

    /// The directory's name; `is_given` if there is a `name`, which was told last to be none.
    fn name_of_directory(&self, is_given: bool) -> Option<Called> {
        let told = self.diagnostics.last().filter(|_| is_given);
        let misnamed = told.map(|told| format!("{}: {}", told.place(""), told.message));
        (!self.directory.is_empty()).then(|| Called { name: self.directory.to_owned(), named: false, misnamed })
    }

    /// The description; `None` if there is none to be listed.
    fn description(&mut self, frontmatter: &Frontmatter) -> Option<String> {
        const HELP: &str = "say in one or two sentences what the skill does and when to use it";
        if frontmatter.contradiction("description").is_some() {
            return None;
        }
        let Some((key, value)) = frontmatter.root.entry("description") else {
            let (span, message) = (frontmatter.fences.open.clone(), "the skill has no `description`");
            self.tell("description-missing", Level::Error, span, message.into(), Some(HELP.into()));
            return None;
        };
        let description = match self.placeholder(value) {
            Some(text) => text,
            None => self.scalar("description", value)?,
        };
        if description.is_empty() {
            let (span, message) = (key.span.clone(), "the skill's `description` is empty");
            self.tell("description-empty", Level::Error, span, message.into(), Some(HELP.into()));
            return None;
        }
        let length = description.chars().count();
        if length > DESCRIPTION_MAX {
            let message = format!("the description has {length} characters; the limit is {DESCRIPTION_MAX}");
            let help = "some agents cut it, some drop the skill; say the rest in the body";
            let span = self.beyond_limit(value).unwrap_or_else(|| value.span.clone());
            self.tell("description-too-long", Level::Error, span, message, Some(help.into()));
        }
        Some(description)
    }

    /// The text of a template that nobody filled in, which YAML takes for a mapping within another's key.
    fn placeholder(&mut self, value: &Node) -> Option<String> {
        let text = value.entries().and_then(|_| self.source.get(value.span.clone()))?;
        if !text.starts_with("{{") || !text.ends_with("}}") || text.contains('\n') {
            return None;
        }
        let message = "`{{` begins two mappings; was a template to be filled in?";
        let quoted = yaml::quote(text);
        let found = Diagnostic::new("yaml-broken-flow", Level::Error, message)
            .at(value.span.clone(), self.source)
            .note("readers of plain YAML find a mapping here, and drop a skill whose description is no text")
            .help("fill it in, or put it in quotes")
            .fix(Fix::edit(Applicability::Unsafe, "quote the value", value.span.clone(), quoted));
        self.diagnostics.push(found);
        Some(text.to_owned())
    }

    /// What of a description is too much.
    fn beyond_limit(&self, value: &Node) -> Option<Span> {
        let text = value.text()?;
        let (start, end) = (text.len() - text.trim_start().len(), text.trim_end().len());
        let (from, _) = text[start..].char_indices().nth(DESCRIPTION_MAX)?;
        value.place_of(self.source, start + from..end)
    }

    /// The trimmed text of a scalar, empty for null; `None` for a collection. What is not meant as text is told.
    fn scalar(&mut self, key: &str, value: &Node) -> Option<String> {
        let what = match value.typed() {
            Some(Typed::Text(text)) => return Some(text.trim().to_owned()),
            Some(Typed::Null) => return Some(String::new()),
            Some(Typed::Bool(_)) => "a truth value",
            Some(Typed::Int(_) | Typed::Float(_)) => "a number",
            None if value.items().is_some() => "a list",
            None => "a mapping",
        };
        let message = format!("`{key}` is {what}; a text is wanted");
        let mut found = Diagnostic::new("wrong-type", Level::Error, message).at(value.span.clone(), self.source);
        found = match value.text().map(yaml::quote) {
            Some(quoted) => {
                found.fix = value
                    .tag
                    .is_none()
                    .then(|| Fix::edit(Applicability::Safe, "quote the value", value.span.clone(), quoted.clone()));
                found.help(format!("put it in quotes: `{key}: {quoted}`"))
            }
            None => found.note("agents drop a skill whose name or description is no text"),
        };
        self.diagnostics.push(found);
        value.text().map(|text| text.trim().to_owned())
    }
}

/// The trimmed text of a scalar that is not empty.
fn text(node: &Node) -> Option<String> {
    let text = node.text()?.trim();
    (!node.is_null() && !text.is_empty()).then(|| text.to_owned())
}

/// A truth value, also as the words that YAML 1.1 readers know.
fn flag(node: &Node) -> Option<bool> {
    match node.text()?.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A mapping, or the one that a text of JSON holds.
fn object<'n>(node: &'n Node<'n>) -> Option<Cow<'n, Node<'n>>> {
    if node.entries().is_some() {
        return Some(Cow::Borrowed(node));
    }
    let text = node.text()?.trim_start();
    let root = text.starts_with('{').then(|| yaml::parse_text(text).ok()?.root)??;
    root.entries().is_some().then_some(Cow::Owned(root))
}

/// The texts of a list, or of one text with commas.
fn list(node: &Node) -> Vec<String> {
    match node.items() {
        Some(items) => items.iter().filter_map(text).collect(),
        None => text(node).map(|text| split(&text, |c| c == ',')).unwrap_or_default(),
    }
}

/// Tools: a list, or one text with blanks or commas between. What stands in parentheses belongs to its tool.
fn tools(node: &Node) -> Vec<String> {
    match node.items() {
        Some(items) => items.iter().filter_map(text).collect(),
        None => text(node).map(|text| split(&text, |c| c == ',' || c.is_whitespace())).unwrap_or_default(),
    }
}

/// The skills that are needed; none for a mapping. In one text a comma may also stand within a version requirement.
fn requirements(node: &Node) -> Vec<String> {
    if node.items().is_some() {
        return list(node);
    }
    let mut requirements: Vec<String> = Vec::new();
    for part in list(node) {
        match requirements.last_mut() {
            Some(last) if part.starts_with(['<', '>', '=', '^', '~']) => last.extend([", ", &part]),
            _ => requirements.push(part),
        }
    }
    requirements
}

/// The parts of `text` between separators that stand outside of parentheses.
fn split(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut depth = 0usize;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && separates(c)
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn gates(node: &Node) -> Gates {
    let requires = node.get("requires");
    let needed = |key| requires.and_then(|node| node.get(key)).map(list).unwrap_or_default();
    Gates {
        always: node.get("always").and_then(flag) == Some(true),
        os: node.get("os").map(list).unwrap_or_default(),
        bins: needed("bins"),
        any_bins: needed("anyBins"),
        env: needed("env"),
        config: needed("config"),
        primary_env: node.get("primaryEnv").and_then(text),
        skill_key: node.get("skillKey").and_then(text),
        paths: Vec::new(),
    }
}

/// What a person is told to write behind the skill's name. Written without quotes, `[issue]` is a list to YAML.
fn hint(node: &Node) -> Option<String> {
    match node.items() {
        Some(items) => {
            let words: Vec<String> = items.iter().filter_map(text).collect();
            (!words.is_empty()).then(|| format!("[{}]", words.join(", ")))
        }
        None => text(node),
    }
}

fn run(root: &Node) -> Run {
    let of = |key: &str| root.get(key).and_then(text);
    Run {
        model: of("model"),
        effort: of("effort"),
        context: of("context"),
        agent: of("agent"),
        shell: of("shell"),
        hooks: root.get("hooks").is_some_and(|hooks| !hooks.is_null()),
        dispatch: of("command-dispatch"),
        tool: of("command-tool"),
        script: None,
    }
}

fn installers(node: &Node) -> Vec<Installer> {
    let installer = |one: &Node| {
        let of = |key: &str| one.get(key).and_then(text);
        let what = ["formula", "cask", "package", "module", "url"].into_iter().find_map(of);
        Some(Installer {
            id: of("id"),
            kind: of("kind")?,
            what,
            label: of("label"),
            bins: one.get("bins").map(list).unwrap_or_default(),
            os: one.get("os").map(list).unwrap_or_default(),
            sha256: of("sha256"),
        })
    };
    node.get("install").and_then(Node::items).unwrap_or_default().iter().filter_map(installer).collect()
}

fn env_vars(node: &Node) -> Vec<EnvVar> {
    let variable = |one: &Node| {
        let name = text(one).or_else(|| one.get("name").and_then(text))?;
        Some(EnvVar {
            name,
            description: one.get("description").and_then(text),
            required: one.get("required").and_then(flag) == Some(true),
        })
    };
    node.get("envVars").and_then(Node::items).unwrap_or_default().iter().filter_map(variable).collect()
}

#[cfg(test)]
mod tests {
    use crate::skill::{Gates, Installer, Skill, read_str};

    fn skill(fields: &str) -> Skill {
        let source = format!("---\nname: x\ndescription: d\n{fields}\n---\nbody");
        let skill = read_str(&source, "x").skill.unwrap();
        assert_eq!(skill.body(&source), "body");
        skill
    }

    #[test]
    fn a_version_is_as_written_and_metadata_goes_first() {
        assert_eq!(skill("version: 1.10").version.as_deref(), Some("1.10"));
        assert_eq!(skill("version: 1.0\nmetadata: {version: '2.0'}").version.as_deref(), Some("2.0"));
        assert_eq!(skill("version: 2026-01-25").version.as_deref(), Some("2026-01-25"));
        assert_eq!(skill("version:").version, None);
    }

    #[test]
    fn facts_are_texts_wherever_they_stand() {
        let skill_a = skill("license: MIT\ncompatibility: any\nauthor: A\nhomepage: https://a.example\n");
        assert_eq!(skill_a.license.as_deref(), Some("MIT"));
        assert_eq!(skill_a.compatibility.as_deref(), Some("any"));
        assert_eq!((skill_a.author.as_deref(), skill_a.homepage.as_deref()), (Some("A"), Some("https://a.example")));
        let skill_b = skill("license: [MIT]\nmetadata:\n  author: B\n  clawdis: {homepage: https://b.example}");
        assert_eq!(skill_b.license, None);
        assert_eq!((skill_b.author.as_deref(), skill_b.homepage.as_deref()), (Some("B"), Some("https://b.example")));
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
        assert_eq!(skill("allowed-tools: Read Bash(git add:*, git commit:*) Grep").allowed_tools, expected);
        assert_eq!(skill("allowed-tools: Read, Bash(git add:*, git commit:*),Grep").allowed_tools, expected);
        assert_eq!(skill("allowed-tools: [Read, 'Bash(git add:*, git commit:*)', Grep]").allowed_tools, expected);
    }

    #[test]
    fn flags_have_the_defaults_of_agents() {
        let flags = |fields| {
            let skill = skill(fields);
            (skill.model_invocable, skill.user_invocable, skill.internal)
        };
        assert_eq!(flags(""), (true, true, false));
        assert_eq!(
            flags("disable-model-invocation: true\nuser-invocable: no\nmetadata: {internal: 'true'}"),
            (false, false, true)
        );
        assert_eq!(flags("disable-model-invocation: maybe\nuser-invocable: true"), (true, true, false));
    }

    #[test]
    fn gates_are_read_from_a_mapping_and_from_json_in_a_text_at_either_level() {
        let json = r#"{"always":true,"os":["linux"],"primaryEnv":"K","requires":{"bins":["git"],"anyBins":["a","b"],"env":["K"],"config":["x.y"]},}"#;
        let expected = Gates {
            always: true,
            os: vec!["linux".into()],
            bins: vec!["git".into()],
            any_bins: vec!["a".into(), "b".into()],
            env: vec!["K".into()],
            config: vec!["x.y".into()],
            primary_env: Some("K".into()),
            ..Gates::default()
        };
        for key in ["openclaw", "clawdbot", "clawdis"] {
            assert_eq!(skill(&format!("metadata: {{\"{key}\":{json}}}")).gates, expected);
            assert_eq!(skill(&format!("metadata: '{{\"{key}\":{json}}}'")).gates, expected);
            assert_eq!(skill(&format!("metadata:\n  {key}: '{json}'")).gates, expected);
        }
        assert_eq!(skill("metadata: '{not json'").gates, Gates::default());
    }

    #[test]
    fn what_openclaw_shows_of_a_skill_is_data() {
        let skill = skill(
            "metadata: {\"openclaw\": {\"skillKey\": \"gh\", \"install\": [{\"id\": \"brew\", \"kind\": \"brew\", \"formula\": \"gh\", \
             \"bins\": [\"gh\"], \"label\": \"GitHub\", \"os\": [\"darwin\"]}, {\"kind\": \"download\", \"url\": \"https://x.example/a.tgz\", \
             \"sha256\": \"ab\"}, {\"formula\": \"no-kind\"}], \"envVars\": [\"A\", {\"name\": \"B\", \"required\": true, \
             \"description\": \"b\"}]}}\ncommand-dispatch: tool\ncommand-tool: say",
        );
        assert_eq!(skill.gates.skill_key.as_deref(), Some("gh"));
        let commands: Vec<_> = skill.install.iter().map(Installer::command).collect();
        assert_eq!(
            commands,
            [Some("brew install gh".to_owned()), Some("curl -LO 'https://x.example/a.tgz'".to_owned())]
        );
        assert_eq!((skill.install[0].bins.join(""), skill.install[0].os.join("")), ("gh".into(), "darwin".into()));
        let variables: Vec<_> = skill.env_vars.iter().map(|one| (one.name.as_str(), one.required)).collect();
        assert_eq!(variables, [("A", false), ("B", true)]);
        assert_eq!((skill.run.dispatch.as_deref(), skill.run.tool.as_deref()), (Some("tool"), Some("say")));
    }

    #[test]
    fn a_command_that_could_do_more_than_install_is_not_offered() {
        let command = |kind: &str, what: &str| {
            Installer { kind: kind.into(), what: Some(what.into()), ..Installer::default() }.command()
        };
        assert_eq!(command("node", "@acme/cli@1").as_deref(), Some("npm install --global @acme/cli@1"));
        for what in ["gh; rm -rf ~", "$(id)", "--exec=x", "a b", "a\nb", "a&&b", "'"] {
            assert_eq!(command("brew", what), None, "{what:?}");
        }
        assert_eq!(command("sh", "x"), None);
    }

    #[test]
    fn what_claude_code_reads_is_read() {
        let skill = skill(
            "when_to_use: On Mondays.\narguments: issue branch\nargument-hint: '[issue] [branch]'\nmodel: opus\neffort: high\n\
             context: fork\nagent: Explore\nshell: bash\nhooks: {Stop: []}\npaths: 'src/**/*.rs, *.md'",
        );
        assert_eq!(skill.when_to_use.as_deref(), Some("On Mondays."));
        assert_eq!(skill.arguments, ["issue", "branch"]);
        assert_eq!(skill.argument_hint.as_deref(), Some("[issue] [branch]"));
        assert_eq!(skill.gates.paths, ["src/**/*.rs", "*.md"]);
        let run = &skill.run;
        let texts =
            [&run.model, &run.effort, &run.context, &run.agent, &run.shell].map(|text| text.as_deref().unwrap());
        assert_eq!((texts, run.hooks), (["opus", "high", "fork", "Explore", "bash"], true));
        assert_eq!(self::skill("arguments: [a, b]\nargument-hint: [name]").argument_hint.as_deref(), Some("[name]"));
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

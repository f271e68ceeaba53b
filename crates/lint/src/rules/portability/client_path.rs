//! Paths to the skill directory of one agent.

use super::known_targets;
use crate::agents::AgentModel;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, Span};

/// The skill directories of agents, relative to a home or a project (`shared/agents.toml`).
const SKILL_DIRECTORIES: &[(&str, AgentModel)] = &[
    (".claude/skills/", AgentModel::ClaudeCode),
    (".codex/skills/", AgentModel::Codex),
    (".gemini/skills/", AgentModel::GeminiCli),
    (".openclaw/skills/", AgentModel::OpenClaw),
    (".opencode/skills/", AgentModel::OpenCode),
    (".config/opencode/skills/", AgentModel::OpenCode),
];

pub(super) static RULE: Rule = Rule {
    code: "SKA04",
    name: "client-path",
    // Only with targets: for one agent its own directory is the right place.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "a path in the skill directory of one agent, in a skill for several agents",
    docs: RuleDocs {
        finds: "A path such as `~/.claude/skills/pdf/fill.py` in the instructions, if one of the `targets` has \
            another skill directory.",
        hurts: "The other agents look for a file that does not exist, or find another version of it.",
        ignore: "The skill is about that agent itself and its directories.",
        bad: &[RuleExample {
            files: &[
                (
                    "pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python ~/.claude/skills/pdf/scripts/fill.py`.\n",
                    ),
                ),
                ("pdf/scripts/fill.py", ExampleFile::Text("print(1)\n")),
            ],
            settings: "targets = [\"claude-code\", \"codex\"]",
        }],
        good: &[RuleExample {
            files: &[
                (
                    "pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python scripts/fill.py`.\n",
                    ),
                ),
                ("pdf/scripts/fill.py", ExampleFile::Text("print(1)\n")),
            ],
            settings: "targets = [\"claude-code\", \"codex\"]",
        }],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let targets = known_targets(subject);
    let Some(page) = subject.page.as_ref().filter(|_| !targets.is_empty()) else {
        return;
    };

    let mut end = page.body_start();
    for at in memchr::memmem::find_iter(page.body().as_bytes(), SKILLS) {
        let at = page.body_start() + at;
        // A path may contain `/skills/` twice, and is reported once.
        if at < end {
            continue;
        }

        let before = &page.source[..at + SKILLS.len()];
        let Some((place, owner)) = skill_directory_at_end(before) else {
            continue;
        };
        // A target with the same directory reads the path as intended.
        let Some(other) = targets.iter().find(|agent| *agent != owner) else {
            continue;
        };

        let span = whole_path(page, before.len() - place.len(), before.len());
        end = span.end;
        let message = format!(
            "`{}` is in the skill directory of {owner}; {other} uses another one",
            page.source[span.clone()].escape_debug()
        );
        let finding = RULE.finding(message).at_bytes(span.clone());
        found.add(page.path, with_remedy(finding, subject, page.source, span));
    }
}

/// The end of each skill directory, which is searched for first.
const SKILLS: &str = "/skills/";

/// The skill directory that a text ends with. `.config/opencode/skills` and `.opencode/skills` end alike.
fn skill_directory_at_end(text: &str) -> Option<&'static (&'static str, AgentModel)> {
    SKILL_DIRECTORIES
        .iter()
        .filter(|(place, _)| text.ends_with(place))
        .max_by_key(|(place, _)| place.len())
}

/// Adds the fix for a path of the skill's own file, or the help for any other.
fn with_remedy(
    finding: Diagnostic,
    subject: &LintSubject<'_>,
    source: &str,
    span: Span,
) -> Diagnostic {
    let path = &source[span.clone()];
    let below = &path[path.rfind(SKILLS).map_or(0, |at| at + SKILLS.len())..];
    match own_file(subject, below) {
        Some(relative) => finding.fix(DiagnosticFix::edit(
            FixApplicability::Safe,
            format!("write `{relative}`, which every agent finds relative to the skill"),
            span,
            relative,
        )),
        // The path of another skill depends on where that is installed.
        None => finding.help("use the name of the skill, or a path relative to this one"),
    }
}

/// The span of the whole path around `start..end`.
fn whole_path(page: &MarkdownPage<'_>, start: usize, end: usize) -> Span {
    let in_path =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '$' | '{' | '}');
    let before = page.source[..start].trim_end_matches(in_path).len();
    let after = &page.source[end..];
    let after = end + after.len() - after.trim_start_matches(in_path).len();
    // A full stop at the end belongs to the sentence.
    let path = page.source[before..after].trim_end_matches('.');
    before..before + path.len()
}

/// The path after the skill's own name, if it is one of its files.
fn own_file<'p>(subject: &LintSubject<'_>, below: &'p str) -> Option<&'p str> {
    let (name, rest) = below.split_once('/')?;
    (name == subject.skill.directory && subject.skill.file(rest).is_some()).then_some(rest)
}

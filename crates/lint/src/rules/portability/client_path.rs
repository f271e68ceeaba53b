//! Paths to where one agent keeps its skills.

use super::targets;
use crate::lint::agents::Agent;
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Fix, Level, Span};

/// Where agents keep skills, below a home or a project (`shared/agents.toml`).
const PLACES: &[(&str, Agent)] = &[
    (".claude/skills/", Agent::ClaudeCode),
    (".codex/skills/", Agent::Codex),
    (".gemini/skills/", Agent::GeminiCli),
    (".openclaw/skills/", Agent::OpenClaw),
    (".opencode/skills/", Agent::OpenCode),
    (".config/opencode/skills/", Agent::OpenCode),
];

pub(super) static RULE: Rule = Rule {
    code: "SKA04",
    name: "client-path",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a path into the skill directory of one agent, in a skill for others too",
    docs: Docs {
        finds: "A path such as `~/.claude/skills/pdf/fill.py` in the instructions, where one of the `targets` keeps \
                its skills elsewhere.",
        hurts: "The other agents are sent to a file that is not there, or to another version of it.",
        ignore: "A skill about that agent itself, which says where it keeps things.",
        bad: &[Example {
            files: &[
                (
                    "pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python ~/.claude/skills/pdf/scripts/fill.py`.\n",
                    ),
                ),
                ("pdf/scripts/fill.py", Piece::Text("print(1)\n")),
            ],
            settings: "targets = [\"claude-code\", \"codex\"]",
        }],
        good: &[Example {
            files: &[
                (
                    "pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python scripts/fill.py`.\n",
                    ),
                ),
                ("pdf/scripts/fill.py", Piece::Text("print(1)\n")),
            ],
            settings: "targets = [\"claude-code\", \"codex\"]",
        }],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let targets = targets(subject);
    let Some(page) = subject.page.as_ref().filter(|_| !targets.is_empty()) else { return };
    let mut end = page.body_start();
    for at in memchr::memmem::find_iter(page.body().as_bytes(), b"/skills/") {
        let at = page.body_start() + at;
        if at < end {
            continue;
        }
        let before = &page.source[..at + "/skills/".len()];
        let place = PLACES.iter().filter(|(place, _)| before.ends_with(place)).max_by_key(|(place, _)| place.len());
        let Some((place, owner)) = place else { continue };
        let Some(other) = targets.iter().find(|agent| *agent != owner) else { continue };
        let span = whole(page, before.len() - place.len(), before.len());
        end = span.end;
        let path = &page.source[span.clone()];
        let message = format!("`{}` is where {owner} keeps skills; {other} keeps them elsewhere", path.escape_debug());
        let mut finding = RULE.finding(message).at(span.clone(), page.source);
        match own(subject, &path[path.rfind("/skills/").map_or(0, |at| at + "/skills/".len())..]) {
            Some(relative) => {
                let message = format!("write `{relative}`, which every agent finds from the skill's directory");
                finding = finding.fix(Fix::edit(Applicability::Safe, message, span, relative));
            }
            None => finding.help = Some("name the skill, or a path relative to this one".into()),
        }
        found.add(page.path, finding);
    }
}

/// The whole path around the place that stands at `start..end`.
fn whole(page: &Page<'_>, start: usize, end: usize) -> Span {
    let in_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~' | '$' | '{' | '}');
    let before = page.source[..start].trim_end_matches(in_path).len();
    let after = &page.source[end..];
    let after = end + after.len() - after.trim_start_matches(in_path).len();
    let path = page.source[before..after].trim_end_matches('.');
    before..before + path.len()
}

/// What follows the skill's own name, if that is a file of it.
fn own<'p>(subject: &Subject<'_>, below: &'p str) -> Option<&'p str> {
    let (name, rest) = below.split_once('/')?;
    (name == subject.skill.directory && subject.skill.file(rest).is_some()).then_some(rest)
}

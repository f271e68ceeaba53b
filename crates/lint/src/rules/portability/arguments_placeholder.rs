//! Placeholders for arguments, which only some agents fill in.

use super::{join_titles, known_targets};
use crate::agents::AgentModel;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;

/// Agents that substitute the arguments typed after the skill's name for `$ARGUMENTS` and `$1`.
const READERS: [AgentModel; 1] = [AgentModel::ClaudeCode];

pub(super) static RULE: Rule = Rule {
    code: "SKA06",
    name: "arguments-placeholder",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "`$ARGUMENTS` or `$1`, which one of the targets does not substitute",
    docs: RuleDocs {
        finds: "`$ARGUMENTS`, or `$1` to `$9` outside of code, in the instructions, if one of the `targets` does not \
            substitute arguments.",
        hurts: "The agent reads the placeholder itself instead of the user's argument.",
        ignore: "The skill is invoked as a command in one agent only.",
        bad: &[RuleExample {
            files: &[(
                "fix/SKILL.md",
                ExampleFile::Text(
                    "---\nname: fix\ndescription: Fix an issue by its number. Use when asked to.\n---\n\n# Fix\n\nRead issue $ARGUMENTS first.\n",
                ),
            )],
            settings: "targets = [\"codex\"]",
        }],
        good: &[RuleExample {
            files: &[(
                "fix/SKILL.md",
                ExampleFile::Text(
                    "---\nname: fix\ndescription: Fix an issue by its number. Use when asked to.\n---\n\n# Fix\n\nRead the issue that was named; `echo $1` shows it.\n",
                ),
            )],
            settings: "targets = [\"codex\"]",
        }],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    // `npx skills` installs for other agents and substitutes nothing itself.
    let unaware: Vec<AgentModel> = known_targets(subject)
        .into_iter()
        .filter(|agent| !READERS.contains(agent) && *agent != AgentModel::NpxSkills)
        .collect();
    let Some(page) = subject.page.as_ref().filter(|_| !unaware.is_empty()) else {
        return;
    };

    for at in memchr::memchr_iter(b'$', page.body().as_bytes()) {
        let at = page.body_start() + at;
        let rest = &page.source[at + 1..];
        let length = if rest.starts_with("ARGUMENTS") {
            "$ARGUMENTS".len()
        } else if rest.starts_with(|c: char| ('1'..='9').contains(&c))
            && !rest[1..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '_'))
            // In code `$1` is a variable of the shell or of another language.
            && !page.markdown().is_code(at)
        {
            2
        } else {
            continue;
        };

        let does_not = if unaware.len() == 1 {
            "does not"
        } else {
            "do not"
        };
        let message = format!(
            "{} {does_not} substitute `{}`",
            join_titles(&unaware),
            &page.source[at..at + length]
        );
        let finding = RULE.finding(message).at_bytes(at..at + length);
        found.add(
            page.path,
            finding.help("describe the user's input in words"),
        );
        // Only the first one is reported.
        return;
    }
}

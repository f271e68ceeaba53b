//! Gemini CLI: `skills` of its `settings.json`, and whether it trusts the project.

use serde_json::Value;

use super::{AgentSwitches, SwitchFiles, UnreadKind, UnreadRoots};
use skillpm_catalog::catalog::{SkillFilter, SwitchOutcome, SwitchRule, SwitchSubject};
use skillpm_core::error::Result;

pub(super) fn read(files: &SwitchFiles<'_>) -> Result<AgentSwitches> {
    let mut switches = AgentSwitches::default();
    let layers = [
        files.of_user("~/.gemini/settings.json")?,
        files.in_project(".gemini/settings.json")?,
    ];

    for file in layers.into_iter().flatten() {
        // The lists of both files count.
        for name in file.strings("/skills/disabled") {
            switches.rules.push(SwitchRule {
                subject: SwitchSubject::AnyCase(name),
                outcome: SwitchOutcome::Hidden,
                set_by: file.place("skills.disabled"),
            });
        }
        match file.value.pointer("/skills/enabled") {
            Some(Value::Bool(false)) => {
                switches.filter = Some(SkillFilter::disabling(file.place("skills.enabled")));
            }
            Some(Value::Bool(true)) => switches.filter = None,
            _ => {}
        }
    }

    let trust = files.variable("GEMINI_CLI_TRUST_WORKSPACE");
    if trust.is_some_and(|trust| trust.eq_ignore_ascii_case("false")) {
        switches.unread.push(UnreadRoots {
            which: UnreadKind::Project,
            because: "it does not trust this project (`GEMINI_CLI_TRUST_WORKSPACE`)".to_owned(),
        });
    }
    Ok(switches)
}

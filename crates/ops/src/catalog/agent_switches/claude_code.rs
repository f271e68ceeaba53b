//! Claude Code: `skillOverrides`, and how long its list may be.

use super::{AgentSwitches, SwitchFile, SwitchFiles};
use skillpm_catalog::catalog::{SkillFilter, SwitchOutcome, SwitchRule, SwitchSubject};
use skillpm_core::error::Result;

/// The characters of its context: of the model that it uses unless another is chosen, …
const CONTEXT_DEFAULT: f64 = 3_000_000.0;
/// … of the models before it, and of these with a long context.
const CONTEXT_SHORT: f64 = 800_000.0;
const CONTEXT_LONG: f64 = 4_000_000.0;

/// The part of the context that its list may have.
const FRACTION: f64 = 0.01;

pub(super) fn read(files: &SwitchFiles<'_>) -> Result<AgentSwitches> {
    let mut switches = AgentSwitches::default();
    // From the weakest to the strongest.
    let layers = [
        files.of_user("${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json")?,
        files.in_project(".claude/settings.json")?,
        files.in_project(".claude/settings.local.json")?,
    ];
    let (mut fraction, mut model) = (FRACTION, None);
    for file in layers.into_iter().flatten() {
        add_file(&mut switches, &file);
        fraction = read_fraction(&file).unwrap_or(fraction);
        model = file.value["model"].as_str().map(str::to_owned).or(model);
    }
    let model = files.variable("ANTHROPIC_MODEL").or(model);
    switches.limits.characters = Some(characters_of(model.as_deref(), fraction));

    let budget = files.variable("SLASH_COMMAND_TOOL_CHAR_BUDGET");
    if let Some(characters) = budget.and_then(|text| text.parse().ok()) {
        switches.limits.characters = Some(characters);
    }
    Ok(switches)
}

fn add_file(switches: &mut AgentSwitches, file: &SwitchFile) {
    let overrides = file.value["skillOverrides"].as_object();
    for (name, value) in overrides.into_iter().flatten() {
        let outcome = match value.as_str() {
            Some("on") => SwitchOutcome::Listed,
            Some("name-only") => SwitchOutcome::NameOnly,
            Some("user-invocable-only" | "off") => SwitchOutcome::Hidden,
            _ => continue,
        };
        switches.rules.push(SwitchRule {
            subject: SwitchSubject::Pattern(name.clone()),
            outcome,
            set_by: file.place("skillOverrides"),
        });
    }

    // A single skill that is denied here is listed all the same, and refused when it is called.
    if file
        .strings("/permissions/deny")
        .iter()
        .any(|rule| rule == "Skill")
    {
        switches.filter = Some(SkillFilter::disabling(file.place("permissions.deny")));
    }
    if let Some(longest) = file.number("/skillListingMaxDescChars") {
        switches.limits.description = Some(longest);
    }
}

fn read_fraction(file: &SwitchFile) -> Option<f64> {
    let fraction = file.value["skillListingBudgetFraction"].as_f64();
    fraction.filter(|fraction| (0.0..=1.0).contains(fraction))
}

/// The characters of a part of the context of a model.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of a number that is small and positive"
)]
fn characters_of(model: Option<&str>, fraction: f64) -> usize {
    let context = match model {
        Some(model) if model.ends_with("[1m]") => CONTEXT_LONG,
        Some(model) if model.contains("-4-") || model.contains("-3-") => CONTEXT_SHORT,
        _ => CONTEXT_DEFAULT,
    };
    (context * fraction).floor() as usize
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_later_file_overrides_a_skill() {
        let mut switches = AgentSwitches::default();
        for value in [
            json!({"skillOverrides": {"a": "off"}}),
            json!({"skillOverrides": {"a": "on"}}),
        ] {
            let file = SwitchFile {
                shown: "settings.json".into(),
                value,
                dir: "/".into(),
            };
            add_file(&mut switches, &file);
        }
        let outcomes: Vec<_> = switches.rules.iter().map(|rule| rule.outcome).collect();
        assert_eq!(outcomes, [SwitchOutcome::Hidden, SwitchOutcome::Listed]);
    }

    #[test]
    fn a_list_has_a_hundredth_of_the_context() {
        assert_eq!(characters_of(None, FRACTION), 30_000);
        assert_eq!(characters_of(Some("claude-sonnet-4-5"), FRACTION), 8000);
        assert_eq!(characters_of(Some("claude-sonnet-4-5[1m]"), 0.005), 20_000);
    }
}

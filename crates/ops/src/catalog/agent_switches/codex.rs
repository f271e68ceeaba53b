//! Codex: `[skills]` of its `config.toml`.
//!
//! ```toml
//! [[skills.config]]
//! name = "pdf"             # or path = "/home/me/.agents/skills/pdf/SKILL.md"
//! enabled = false
//! ```

use toml::{Table, Value};

use super::{AgentSwitches, SwitchFiles, hiding_rule};
use crate::agents::fix_help;
use skillpm_catalog::catalog::{SkillFilter, SwitchOutcome, SwitchRule, SwitchSubject};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::location_at;
use skillpm_io::disk;

pub(super) fn read(files: &SwitchFiles<'_>) -> Result<AgentSwitches> {
    let Some((text, shown)) = files.text_of_user("${CODEX_HOME:-~/.codex}/config.toml")? else {
        return Ok(AgentSwitches::default());
    };
    let config: Table =
        toml::from_str(&text).map_err(|error| parse_error(&error, &text, &shown))?;

    let mut switches = AgentSwitches::default();
    let Some(skills) = config.get("skills").and_then(Value::as_table) else {
        return Ok(switches);
    };

    let entries = skills.get("config").and_then(Value::as_array);
    for entry in entries.into_iter().flatten() {
        switches.rules.extend(read_entry(entry, &shown));
    }

    let bundled = skills
        .get("bundled")
        .and_then(|bundled| bundled.get("enabled"));
    switches.limits.lists_no_own_skills = bundled == Some(&Value::Boolean(false));
    if skills.get("include_instructions") == Some(&Value::Boolean(false)) {
        let set_by = format!("`{shown}` (`skills.include_instructions`)");
        switches.filter = Some(SkillFilter::disabling(set_by));
    }
    Ok(switches)
}

fn parse_error(error: &toml::de::Error, text: &str, shown: &str) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let location = location_at(text, shown, start);
    Error::usage(format!("failed to parse `{location}`"))
        .cause(error.message().trim_end().replace('\n', " "))
        .help(fix_help(shown))
}

/// One entry of `skills.config`; `None` if it names no skill.
fn read_entry(entry: &Value, shown: &str) -> Option<SwitchRule> {
    let set_by = format!("`{shown}` (`skills.config`)");
    let is_on = entry.get("enabled")?.as_bool()?;
    let rule = match (entry.get("name"), entry.get("path")) {
        (Some(name), _) => hiding_rule(name.as_str()?, set_by),
        (None, Some(path)) => SwitchRule {
            subject: SwitchSubject::File(disk::normalize_path(path.as_str()?.as_ref())),
            outcome: SwitchOutcome::Hidden,
            set_by,
        },
        (None, None) => return None,
    };

    Some(SwitchRule {
        outcome: if is_on {
            SwitchOutcome::Listed
        } else {
            SwitchOutcome::Hidden
        },
        ..rule
    })
}

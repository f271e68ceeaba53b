//! `OpenCode`: `permission.skill` and `skills.paths` of its `opencode.json`, and its variables.

use serde_json::Value;

use super::{
    AgentSwitches, FurtherRoot, RootPlace, SwitchFile, SwitchFiles, UnreadKind, UnreadRoots,
};
use skillpm_catalog::catalog::{SkillFilter, SwitchOutcome, SwitchRule, SwitchSubject, Tier};
use skillpm_catalog::loaders::find_loader;
use skillpm_core::error::Result;

/// The agent of its own that runs unless another is chosen.
const DEFAULT_AGENT: &str = "build";

/// The names of its file, the second with comments.
const FILES: [&str; 2] = ["opencode.json", "opencode.jsonc"];

pub(super) fn read(files: &SwitchFiles<'_>) -> Result<AgentSwitches> {
    let mut layers = Vec::new();
    for name in FILES {
        layers.extend(files.of_user(&format!("${{XDG_CONFIG_HOME:-~/.config}}/opencode/{name}"))?);
    }
    for name in FILES {
        layers.extend(files.down_the_project(name)?);
        layers.extend(files.down_the_project(&format!(".opencode/{name}"))?);
    }

    let mut switches = AgentSwitches::default();
    for file in &layers {
        add_permissions(&mut switches, file, "/permission/skill", "permission.skill");
        add_paths(&mut switches, files, file);
    }
    // What is set for the agent comes after what is set for all, whichever file has it.
    for file in &layers {
        let own = format!("/agent/{DEFAULT_AGENT}/permission/skill");
        let key = format!("agent.{DEFAULT_AGENT}.permission.skill");
        add_permissions(&mut switches, file, &own, &key);
        let tool = file
            .value
            .pointer(&format!("/agent/{DEFAULT_AGENT}/tools/skill"));
        if tool == Some(&Value::Bool(false)) {
            let set_by = file.place(&format!("agent.{DEFAULT_AGENT}.tools.skill"));
            switches.filter = Some(SkillFilter::disabling(set_by));
        }
    }
    switches.unread.extend(unread_roots(files));
    Ok(switches)
}

fn add_permissions(switches: &mut AgentSwitches, file: &SwitchFile, pointer: &str, key: &str) {
    let mut add = |pattern: &str, verdict: &Value| {
        // A skill that is asked about is listed.
        let outcome = match verdict.as_str() {
            Some("deny") => SwitchOutcome::Hidden,
            Some(_) => SwitchOutcome::Listed,
            None => return,
        };
        switches.rules.push(SwitchRule {
            subject: SwitchSubject::Pattern(pattern.to_owned()),
            outcome,
            set_by: file.place(key),
        });
    };

    match file.value.pointer(pointer) {
        Some(Value::Object(patterns)) => {
            patterns
                .iter()
                .for_each(|(pattern, verdict)| add(pattern, verdict));
        }
        Some(verdict) => add("*", verdict),
        None => {}
    }
}

fn add_paths(switches: &mut AgentSwitches, files: &SwitchFiles<'_>, file: &SwitchFile) {
    let Some(loader) = find_loader("opencode") else {
        return;
    };
    for path in file.strings("/skills/paths") {
        switches.roots.push(FurtherRoot {
            path: files.resolve(&path, &file.dir),
            tier: Tier::Extra,
            label: "extra",
            rules: loader.search,
            place: RootPlace::Last,
        });
    }
}

fn unread_roots(files: &SwitchFiles<'_>) -> Vec<UnreadRoots> {
    let mut unread = Vec::new();
    let mut add = |variable: &str, parts: &[&'static str]| {
        if files.is_on(variable) {
            unread.extend(parts.iter().map(|part| UnreadRoots {
                which: UnreadKind::Containing(part),
                because: format!("it reads none of that directory (`{variable}`)"),
            }));
        }
    };

    add(
        "OPENCODE_DISABLE_EXTERNAL_SKILLS",
        &["/.agents/", "/.claude/"],
    );
    add("OPENCODE_DISABLE_CLAUDE_CODE", &["/.claude/"]);
    add("OPENCODE_DISABLE_CLAUDE_CODE_SKILLS", &["/.claude/"]);
    unread
}

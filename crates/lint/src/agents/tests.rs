//! Compares the models with the recorded results of the programs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{AgentModel, LoadOutcome, load};

/// The name and text of each case, in the order of the file.
fn cases() -> Vec<(String, String)> {
    let lines = include_str!("../../../../tests/fixtures/agents/cases.jsonl").lines();
    let case = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        (
            case["case"].as_str().unwrap().to_owned(),
            case["text"].as_str().unwrap().to_owned(),
        )
    };
    lines.map(case).collect()
}

/// `name|description`, or `-` where the skill is not listed, by agent and case.
fn verdicts() -> BTreeMap<String, BTreeMap<String, String>> {
    serde_json::from_str(include_str!(
        "../../../../tests/fixtures/agents/verdicts.json"
    ))
    .unwrap()
}

fn ours(agent: AgentModel, text: &str, case: &str) -> String {
    match load(agent, text, case) {
        LoadOutcome::Listed { name, description } => format!("{name}|{description}"),
        LoadOutcome::Degraded { name, description } => format!("{name}|{description}"),
        LoadOutcome::Dropped(_) => "-".to_owned(),
    }
}

/// The known differences: texts nested deeper than our reader's limit, keys longer than YAML lets our parser look for
/// their colon, and two values that depend on a terminal's rules or a library's printer.
const KNOWN: &[(AgentModel, &[&str])] = &[
    (
        AgentModel::ClaudeCode,
        &["desc-c1", "meta-long-key", "first-long-key"],
    ),
    (AgentModel::NpxSkills, &["meta-deep", "first-deep"]),
    (
        AgentModel::OpenClaw,
        &["desc-template-only", "meta-deep", "first-deep"],
    ),
    (
        AgentModel::OpenCode,
        &["meta-long-key", "first-long-key", "meta-deep", "first-deep"],
    ),
    (AgentModel::Pi, &["meta-deep", "first-deep"]),
];

#[test]
fn models_match_the_recorded_results_of_their_agents() {
    let (cases, verdicts) = (cases(), verdicts());
    let mut differences = Vec::new();
    for agent in AgentModel::ALL {
        let known = KNOWN
            .iter()
            .find(|(known, _)| *known == agent)
            .map_or(&[][..], |(_, known)| known);
        for (case, text) in &cases {
            let (theirs, ours) = (&verdicts[agent.id()][case], ours(agent, text, case));
            if (*theirs == ours) == known.contains(&case.as_str()) {
                differences.push(format!(
                    "{} {case}: it {theirs:.60?}, we {ours:.60?}",
                    agent.id()
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn broken_agents_are_reported_in_one_sentence() {
    let report = |front: &str| super::broken_agents(&format!("---\n{front}\n---\n# Title\n"), "x");
    assert_eq!(report("name: x\ndescription: d"), None);
    assert_eq!(
        report("name: x\ndescription: a: b").as_deref(),
        Some("`npx skills` and pi drop this skill; the others read it")
    );
    assert_eq!(
        report("name: x\ndescription: \"a\" b").as_deref(),
        Some(
            "Codex, `npx skills`, OpenCode and pi drop this skill; Claude Code lists it without its frontmatter; the others read it"
        )
    );
    assert_eq!(
        super::broken_agents("# Title\n", "x").as_deref(),
        Some(
            "Codex, Gemini CLI, `npx skills`, OpenClaw, OpenCode and pi drop this skill; Claude Code lists it without its frontmatter"
        )
    );
}

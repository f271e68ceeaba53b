//! The models against what the programs were seen to do.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Agent, Loading, load};

/// Text of each case by name, in the order of the file.
fn cases() -> Vec<(String, String)> {
    let lines = include_str!("../../../../tests/fixtures/agents/cases.jsonl").lines();
    let case = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        (case["case"].as_str().unwrap().to_owned(), case["text"].as_str().unwrap().to_owned())
    };
    lines.map(case).collect()
}

/// `name|description`, or `-` where the skill is not listed, by agent and case.
fn verdicts() -> BTreeMap<String, BTreeMap<String, String>> {
    serde_json::from_str(include_str!("../../../../tests/fixtures/agents/verdicts.json")).unwrap()
}

fn ours(agent: Agent, text: &str, case: &str) -> String {
    match load(agent, text, case) {
        Loading::Listed { name, description } => format!("{name}|{description}"),
        Loading::Degraded { name, description } => format!("{name}|{description}"),
        Loading::Dropped(_) => "-".to_owned(),
    }
}

/// What the models are known to get wrong: texts nested deeper than our own reader goes, keys longer than YAML lets our
/// parser look for their colon, and two values that only a terminal's rules or a library's printer would explain.
const KNOWN: &[(Agent, &[&str])] = &[
    (Agent::ClaudeCode, &["desc-c1", "meta-long-key", "first-long-key"]),
    (Agent::NpxSkills, &["meta-deep", "first-deep"]),
    (Agent::OpenClaw, &["desc-template-only", "meta-deep", "first-deep"]),
    (Agent::OpenCode, &["meta-long-key", "first-long-key", "meta-deep", "first-deep"]),
];

#[test]
fn each_model_does_what_its_agent_was_seen_to_do() {
    let (cases, verdicts) = (cases(), verdicts());
    let mut differences = Vec::new();
    for agent in Agent::ALL {
        let known = KNOWN.iter().find(|(known, _)| *known == agent).map_or(&[][..], |(_, known)| known);
        for (case, text) in &cases {
            let (theirs, ours) = (&verdicts[agent.id()][case], ours(agent, text, case));
            if (*theirs == ours) == known.contains(&case.as_str()) {
                differences.push(format!("{} {case}: it {theirs:.60?}, we {ours:.60?}", agent.id()));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn who_breaks_is_told_in_one_sentence() {
    let told = |front: &str| super::who_breaks(&format!("---\n{front}\n---\n# Title\n"), "x");
    assert_eq!(told("name: x\ndescription: d"), None);
    assert_eq!(
        told("name: x\ndescription: a: b").as_deref(),
        Some("`npx skills` drops this skill; the others read it")
    );
    assert_eq!(
        told("name: x\ndescription: \"a\" b").as_deref(),
        Some(
            "Codex, `npx skills` and OpenCode drop this skill; Claude Code lists it without its frontmatter; the others read it"
        )
    );
    assert_eq!(
        super::who_breaks("# Title\n", "x").as_deref(),
        Some(
            "Codex, Gemini CLI, `npx skills`, OpenClaw and OpenCode drop this skill; Claude Code lists it without its frontmatter"
        )
    );
}

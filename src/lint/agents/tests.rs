//! The models against what the programs were seen to do.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Agent, Loading, load};

/// Text of each case by name, in the order of the file.
fn cases() -> Vec<(String, String)> {
    let lines = include_str!("../../../tests/fixtures/agents/cases.jsonl").lines();
    let case = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        (case["case"].as_str().unwrap().to_owned(), case["text"].as_str().unwrap().to_owned())
    };
    lines.map(case).collect()
}

/// `name|description`, or `-` where the skill is not listed, by agent and case.
fn verdicts() -> BTreeMap<String, BTreeMap<String, String>> {
    serde_json::from_str(include_str!("../../../tests/fixtures/agents/verdicts.json")).unwrap()
}

fn ours(agent: Agent, text: &str, case: &str) -> String {
    match load(agent, text, case) {
        Loading::Listed { name, description } => format!("{name}|{description}"),
        Loading::Degraded { name, description } => format!("{name}|{description}"),
        Loading::Dropped(_) => "-".to_owned(),
    }
}

#[test]
fn each_model_does_what_its_agent_was_seen_to_do() {
    let (cases, verdicts) = (cases(), verdicts());
    let mut differences = Vec::new();
    for agent in Agent::ALL {
        let seen = &verdicts[agent.id()];
        let before = differences.len();
        for (case, text) in &cases {
            let (theirs, ours) = (&seen[case], ours(agent, text, case));
            if *theirs != ours {
                differences.push(format!("{} {case}: it {theirs:.60?}, we {ours:.60?}", agent.id()));
            }
        }
        differences.push(format!("== {} {}", agent.id(), differences.len() - before));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

//! `budget`: what listings cost, and `catalog --budget`.

use serde_json::json;
use snapbox::str;

use crate::support::Sandbox;

/// Twelve skills whose descriptions take a thousand characters each.
fn long() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog]\ndeny = [\"skillpm\", \"writing-skills\"]\n",
    );
    for number in 0..12 {
        sandbox.write_skill(
            &format!(".agents/skills/s{number:02}"),
            &"word ".repeat(200),
        );
    }
    sandbox
}

#[test]
fn listing_cost_and_dropped_descriptions_are_shown_per_agent() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[catalog]\ndeny = [\"skillpm\", \"writing-skills\"]\n",
    );
    sandbox.write_skill(".claude/skills/csv", "Tidies CSV.");
    sandbox.write_skill(".claude/skills/pdf", &"x".repeat(1540));
    sandbox
        .skillpm("budget --agent claude-code")
        .exits(0)
        .stdout(
            "agent        skills  characters  ~tokens  limit\n\
         claude-code  2       1567        392      30000 characters, 1536 a description\n\
         \n\
         claude-code would truncate 1 skill:\n  pdf  description of 1540 characters cut to 1536\n",
        );
}

#[test]
fn too_long_listing_is_cut_as_the_agent_does() {
    let sandbox = long();
    for number in 12..60 {
        sandbox.write_skill(
            &format!(".agents/skills/s{number:02}"),
            &"word ".repeat(200),
        );
    }
    let lines = sandbox
        .skillpm("budget --agent codex --agent zed --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(
        lines[0]["limit"],
        json!({"skills": null, "characters": 21760, "description": 1024})
    );
    let losses = lines[0]["losses"].as_array().unwrap();
    // Codex cuts all of them to nearly one length.
    assert_eq!(losses.len(), 60);
    let kept: Vec<u64> = losses
        .iter()
        .map(|loss| loss["to"].as_u64().unwrap())
        .collect();
    let (least, most) = (kept.iter().min().unwrap(), kept.iter().max().unwrap());
    assert!(most - least <= 4 && *least > 250, "{kept:?}");
    // What is behind the limit of an agent whose list is not known is left out.
    assert_eq!(
        lines[1]["losses"].as_array().unwrap().last().unwrap(),
        &json!({"skill": "s59", "description": 999, "what": "dropped", "to": null})
    );
}

#[test]
fn budget_limit_can_be_set() {
    let sandbox = long();
    let outcome = sandbox
        .skillpm("budget --agent zed --config agents.zed.max-skills=11 --format json")
        .exits(0);
    assert_eq!(
        outcome.stdout_json_lines()[0]["losses"][0]["what"],
        "unlisted"
    );
}

#[test]
fn unknown_listing_format_is_counted_as_in_the_guide() {
    let sandbox = long();
    let weigh = |form: &str| {
        let set = format!(
            "--config agents.mine.project-dir=.agents/skills --config agents.mine.emit={form}"
        );
        let weighed = sandbox
            .skillpm(format!("budget --agent mine --format json {set}"))
            .exits(0);
        sandbox
            .skillpm(format!("catalog --agent mine --budget 100 {set}"))
            .exits(1)
            .explains(["budget of 100"]);
        weighed.stdout_json_lines()[0]["characters"]
            .as_u64()
            .unwrap()
    };
    let guide = weigh("xml");
    assert!(guide > 12_000, "{guide}");
    assert_eq!((weigh("template"), weigh("bodies")), (guide, guide));
}

#[test]
fn budget_without_a_name_lists_tiers_then_agents_in_use() {
    let sandbox = long();
    sandbox.write("~/.codex/config.toml", "");
    let lines = sandbox
        .skillpm("budget --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(
        lines
            .iter()
            .map(|line| line["agent"].clone())
            .collect::<Vec<_>>(),
        [json!(null), json!("codex")]
    );
    assert_eq!(lines[0]["skills"], 12);
}

#[test]
#[cfg(feature = "tokens")]
fn exact_tokens_are_counted_with_a_vocabulary() {
    let lines = long()
        .skillpm("budget --agent claude-code --agent zed --exact --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(lines[0]["tokens"], 0);
    let (tokens, estimate) = (
        lines[1]["tokens"].as_u64().unwrap(),
        lines[1]["est_tokens"].as_u64().unwrap(),
    );
    assert!(
        tokens != estimate && tokens > 2400,
        "{tokens} and about {estimate}"
    );
}

#[test]
fn catalog_over_its_budget_is_refused_and_names_the_longest() {
    let sandbox = long();
    sandbox.write_skill(".agents/skills/short", "Short.");
    let whole = sandbox
        .skillpm("catalog --format xml")
        .exits(0)
        .stdout_text()
        .chars()
        .count();
    sandbox
        .skillpm(format!("catalog --format xml --budget {whole}"))
        .exits(0);
    let refused = sandbox
        .skillpm(format!("catalog --format xml --budget {}", whole - 1))
        .exits(1);
    refused.stdout("").stderr(str![[r"
error: budget exceeded: the listing of 13 skills takes [..] characters, 1 over the budget of [..]
  `s00` has a description of 999 characters
  `s01` has a description of 999 characters
  `s02` has a description of 999 characters
  `s03` has a description of 999 characters
  `s04` has a description of 999 characters
help: shorten these descriptions, or exclude skills with `deny` under `[catalog]` in skillpm.toml

"]]);
    refused.never_prints("`short`");
    sandbox
        .skillpm(format!(
            "catalog --format xml --budget {}t",
            whole.div_ceil(4)
        ))
        .exits(0);
    sandbox
        .skillpm("catalog --agent zed --budget 100t")
        .exits(1)
        .stderr(str![[r"
error: budget exceeded: the listing of 13 skills takes [..] tokens, [..] over the budget of 100
  `s00` has a description of 999 characters
  `s01` has a description of 999 characters
  `s02` has a description of 999 characters
  `s03` has a description of 999 characters
  `s04` has a description of 999 characters
help: shorten these descriptions, or exclude skills with `deny` under `[catalog]` in skillpm.toml

"]]);
    sandbox.skillpm("catalog --budget much").exits(2);
}

//! wshobson/agents: 181 skills nested in plugins, behind a marketplace.

use crate::support::{Repo, Sandbox};

#[test]
fn skill_nested_in_a_plugin_is_found_by_name() {
    let sandbox = Sandbox::project_here();
    let Some(repo) = Repo::from_bundle(&sandbox, "wshobson-agents") else {
        return;
    };
    sandbox
        .skillpm(format!("add {} --skill wcag-audit-patterns", repo.url()))
        .exits(0);
    assert_eq!(
        sandbox.locked("wcag-audit-patterns", "path"),
        "plugins/accessibility-compliance/skills/wcag-audit-patterns"
    );
}

#[test]
fn all_181_skills_are_found_and_added() {
    let sandbox = Sandbox::project_here();
    let Some(repo) = Repo::from_bundle(&sandbox, "wshobson-agents") else {
        return;
    };
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top().len(), 181);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn same_name_in_two_plugins_needs_as() {
    let sandbox = Sandbox::project_here();
    let Some(bundle) = Repo::from_bundle(&sandbox, "wshobson-agents") else {
        return;
    };
    // No two skills of the real repository share a name today, so a second plugin is given one.
    let repo = Repo::cloned(&sandbox, &bundle, "forked");
    let first = "plugins/accessibility-compliance/skills/wcag-audit-patterns";
    let second = "plugins/agent-teams/skills/wcag-audit-patterns";
    repo.skill(second, "Another of that name.")
        .commit("a second one");
    let snapshot = sandbox.snapshot();
    let outcome = sandbox
        .skillpm(format!("add {} --skill wcag-audit-patterns", repo.url()))
        .exits(1);
    outcome.explains([first, second, "--as"]);
    snapshot.still_holds();
    sandbox
        .skillpm(format!("add {} --path {second} --as team-wcag", repo.url()))
        .exits(0);
    assert!(
        sandbox
            .read(".agents/skills/team-wcag/SKILL.md")
            .starts_with("---\nname: team-wcag\n")
    );
}

//! `tree` and `why`: who needs whom.

use snapbox::str;

use crate::support::Sandbox;

/// Two skills in the project: `alpha`, which needs `beta`.
pub(crate) fn write_chain(sandbox: &Sandbox) {
    sandbox.write_skill("alpha", "First of two.");
    sandbox.write(
        "alpha/skillpm.toml",
        "[package]\nname = \"alpha\"\nversion = \"1.0.0\"\n\n[dependencies]\nbeta = { path = \"../beta\" }\n",
    );
    sandbox.write_skill("beta", "Second of two.");
}

/// A project that has added `alpha`.
fn chain() -> Sandbox {
    let sandbox = Sandbox::project_here();
    write_chain(&sandbox);
    sandbox.skillpm("add ./alpha").exits(0);
    sandbox
}

/// The column and the number of the line that tells of a skill.
#[track_caller]
fn place(text: &str, name: &str) -> (usize, usize) {
    let found = text
        .lines()
        .enumerate()
        .find_map(|(line, text)| Some((line, text.find(name)?)));
    found.unwrap_or_else(|| panic!("`{name}` is not in\n{text}"))
}

#[test]
fn tree_shows_dependencies_below_dependents() {
    let sandbox = chain();
    let outcome = sandbox.skillpm("tree").exits(0);
    let (alpha, beta) = (
        place(outcome.stdout_text(), "alpha"),
        place(outcome.stdout_text(), "beta"),
    );
    assert!(
        alpha.0 < beta.0 && alpha.1 < beta.1,
        "{}",
        outcome.stdout_text()
    );
}

#[test]
fn inverted_tree_shows_dependents_below_dependencies() {
    let sandbox = chain();
    let outcome = sandbox.skillpm("tree -i").exits(0);
    let text = outcome.stdout_text();
    let (line, beta) = place(text, "beta");
    let below = text
        .lines()
        .nth(line + 1)
        .and_then(|line| line.find("alpha"));
    assert!(below.is_some_and(|alpha| alpha > beta), "{text}");
}

#[test]
fn depth_limits_the_tree() {
    let sandbox = chain();
    let outcome = sandbox.skillpm("tree --depth 1").exits(0);
    outcome.stdout_has("alpha");
    assert!(
        !outcome.stdout_text().contains("beta"),
        "{}",
        outcome.stdout_text()
    );
}

#[test]
fn why_names_the_dependents() {
    let sandbox = chain();
    sandbox.skillpm("why beta").exits(0).stdout_has("alpha");
    sandbox
        .skillpm("why alpha")
        .exits(0)
        .stdout_has("skillpm.toml");
}

#[test]
fn why_of_an_unknown_name_exits_with_1() {
    let sandbox = chain();
    sandbox.skillpm("why bete").exits(1).stderr(str![[r"
error: skill `bete` not found
help: did you mean `beta`?

"]]);
}

#[test]
fn dependency_cycle_installs_and_its_tree_is_finite() {
    let sandbox = Sandbox::project_here();
    write_chain(&sandbox);
    sandbox.write(
        "beta/skillpm.toml",
        "[package]\nname = \"beta\"\nversion = \"1.0.0\"\n\n[dependencies]\nalpha = { path = \"../alpha\" }\n",
    );
    sandbox.skillpm("add ./alpha").exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["alpha", "beta"]);
    sandbox.skillpm("tree").exits(0).stdout_has("beta");
}

#[test]
fn unknown_name_in_requires_is_a_warning() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF.\nrequires: [no-such-skill-anywhere]\n---\n",
    );
    sandbox
        .skillpm("add ./pdf --offline")
        .exits(0)
        .stderr_has("no-such-skill-anywhere");
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

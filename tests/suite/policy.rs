//! `[policy]`: what may not be installed, by whose word, and that nothing changes then.

use snapbox::str;

use crate::support::{Sandbox, pdf_and_csv};

/// A project with `alpha`, which needs `beta`, both directories with a licence each; nothing is added yet.
fn chain() -> Sandbox {
    let sandbox = Sandbox::project_here();
    crate::dependency_tree::write_chain(&sandbox);
    for (name, licence) in [("alpha", "MIT"), ("beta", "AGPL-3.0-only")] {
        let text = format!(
            "---\nname: {name}\ndescription: One of two.\nlicense: {licence}\n---\n\n# {name}\n"
        );
        sandbox.write(&format!("{name}/SKILL.md"), text);
    }
    sandbox
}

fn policy(sandbox: &Sandbox, lines: &str) {
    let before = sandbox.read("skillpm.toml");
    sandbox.write("skillpm.toml", format!("{before}\n[policy]\n{lines}\n"));
}

/// Fails unless every command that installs or locks refuses with these words, and changes nothing.
#[track_caller]
fn is_refused<const N: usize>(sandbox: &Sandbox, commands: &[&str], words: [&str; N]) {
    let snapshot = sandbox.snapshot();
    for command in commands {
        sandbox.skillpm(command).exits(1).explains(words);
    }
    snapshot.still_holds();
}

#[test]
fn source_that_is_not_allowed_is_refused_everywhere() {
    let (sandbox, repo) = pdf_and_csv();
    policy(&sandbox, "allow-sources = [\"registry:default\", \"path\"]");
    let commands = [
        "install",
        "install --locked",
        "install --frozen",
        "update",
        "lock",
        "lock --locked",
        "install --dry-run",
    ];
    is_refused(
        &sandbox,
        &commands,
        [
            "`csv`",
            "is not allowed by policy",
            "policy.allow-sources",
            "skillpm.toml:",
            "`registry:default`, `path`",
        ],
    );
    is_refused(&sandbox, &["install"], ["add `git:file://"]);
    sandbox.write_skill("style", "A style.");
    is_refused(&sandbox, &["add ./style"], ["csv"]);
    sandbox.skillpm("remove pdf csv").exits(0);
    sandbox.skillpm("add ./style").exits(0);
    is_refused(
        &sandbox,
        &[&format!("add {} --skill pdf", repo.url())],
        ["`pdf`", "required by skillpm.toml -> pdf"],
    );
}

#[test]
fn allowed_source_is_installed_and_why_names_the_pattern() {
    let (sandbox, _repo) = pdf_and_csv();
    policy(
        &sandbox,
        "allow-sources = [\"git:file://*/skills\", \"git:file://*/skills.git\"]",
    );
    sandbox.skillpm("install").exits(0);
    sandbox
        .skillpm("why pdf")
        .exits(0)
        .stdout_has("policy: its source is allowed as `git:file://*/skills");
    let why = sandbox
        .skillpm("why pdf --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(why["policy"].as_array().map(Vec::len), Some(1));
}

#[test]
fn denied_source_is_refused_even_if_allowed() {
    let (sandbox, repo) = pdf_and_csv();
    let denied = repo.url().to_uppercase().replace("FILE://", "file://");
    policy(
        &sandbox,
        &format!("allow-sources = [\"git\"]\ndeny-sources = [\"git:{denied}\"]"),
    );
    is_refused(
        &sandbox,
        &["install", "lock"],
        ["is denied by policy", "policy.deny-sources"],
    );
    sandbox
        .skillpm("why pdf")
        .exits(0)
        .stdout_has("is denied by policy");
}

#[test]
fn license_that_is_not_allowed_is_refused_with_its_path() {
    let sandbox = chain();
    policy(&sandbox, "allow-licenses = [\"MIT\", \"Apache-2.0\"]");
    is_refused(
        &sandbox,
        &["add ./alpha"],
        [
            "`beta",
            "is not allowed by policy: `AGPL-3.0-only`",
            "skillpm.toml -> alpha 1.0.0 -> beta",
            "policy.allow-licenses",
            "MIT, Apache-2.0",
        ],
    );
    sandbox.edit("skillpm.toml", "\"Apache-2.0\"", "\"AGPL-3.0-only\"");
    sandbox.skillpm("add ./alpha").exits(0);
}

#[test]
fn denied_license_is_refused_unless_there_is_an_alternative() {
    let sandbox = chain();
    policy(&sandbox, "deny-licenses = [\"AGPL-3.0-only\"]");
    is_refused(
        &sandbox,
        &["add ./alpha", "add ./beta"],
        [
            "is denied by policy: `AGPL-3.0-only`",
            "policy.deny-licenses",
        ],
    );
    sandbox.edit("beta/SKILL.md", "AGPL-3.0-only", "AGPL-3.0-only OR MIT");
    sandbox.skillpm("add ./alpha").exits(0);
}

#[test]
fn missing_license_is_refused_unless_allowed() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("plain", "Says nothing of a licence.");
    policy(&sandbox, "allow-licenses = [\"MIT\"]");
    is_refused(
        &sandbox,
        &["add ./plain"],
        ["missing license of `plain`", "allow-unlicensed = true"],
    );
    sandbox.edit(
        "skillpm.toml",
        "allow-licenses = [\"MIT\"]",
        "allow-licenses = [\"MIT\"]\nallow-unlicensed = true",
    );
    sandbox.skillpm("add ./plain").exits(0);
    sandbox.edit(
        "skillpm.toml",
        "allow-licenses = [\"MIT\"]\nallow-unlicensed = true",
        "allow-unlicensed = false",
    );
    is_refused(
        &sandbox,
        &["install"],
        ["missing license of `plain`", "policy.allow-unlicensed"],
    );
}

#[test]
fn deny_lint_refuses_findings_despite_exemptions() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "bad/SKILL.md",
        "---\nname: bad\ndescription: Looks harmless.\nmetadata:\n  skillpm-allow: hidden-unicode-tag\n---\n\n# Bad\n\nHidden:\u{e0041}\u{e0042}\u{e0043}\n",
    );
    for word in ["hidden-unicode-tag", "SK7"] {
        sandbox.write(
            "skillpm.toml",
            format!("[policy]\ndeny-lint = [\"{word}\"]\n"),
        );
        is_refused(
            &sandbox,
            &["add ./bad"],
            [
                "`bad`",
                "bad/SKILL.md:10",
                "policy.deny-lint",
                "hidden-unicode-tag",
            ],
        );
    }
    sandbox.write("skillpm.toml", "[policy]\ndeny-lint = [\"no-such-rule\"]\n");
    sandbox.skillpm("add ./bad").exits(2).stderr(str![[r"
error: unknown rule `no-such-rule`
  set by `policy.deny-lint` in skillpm.toml:2:13
help: run `skillpm lint --explain SK` to list all rules

"]]);
    sandbox.write("skillpm.toml", "");
    sandbox.skillpm("add ./bad").exits(3).explains(["SK701"]);
    sandbox.skillpm("add ./bad --allow-finding SK701").exits(0);
}

#[test]
fn require_signed_without_listed_keys_is_refused() {
    let (sandbox, _repo) = pdf_and_csv();
    policy(&sandbox, "require-signed = true");
    is_refused(
        &sandbox,
        &["install", "lock", "update"],
        [
            "policy requires a signature of",
            "no trusted keys are listed for it",
            "policy.require-signed",
        ],
    );
    sandbox.edit(
        "skillpm.toml",
        "require-signed = true",
        "require-signed = false",
    );
    sandbox.skillpm("install").exits(0);
}

#[test]
fn user_policy_applies_where_the_project_has_none() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write(
        "~/.skillpm/config.toml",
        "[policy]\nallow-sources = [\"path\"]\n",
    );
    is_refused(
        &sandbox,
        &["install", "install --locked"],
        ["policy.allow-sources", ".skillpm/config.toml"],
    );
    policy(&sandbox, "allow-sources = [\"git\"]");
    sandbox.skillpm("install").exits(0);
}

#[test]
fn enforced_policy_cannot_be_weakened_by_a_project() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write(
        "~/.skillpm/config.toml",
        "[policy]\nenforce = true\nallow-sources = [\"path\"]\n",
    );
    policy(&sandbox, "allow-sources = [\"git\"]");
    is_refused(
        &sandbox,
        &["install", "lock --locked"],
        ["is not allowed by policy", ".skillpm/config.toml"],
    );
    sandbox.write(".skillpm/config.toml", "[policy]\nenforce = false\n");
    sandbox
        .skillpm("install")
        .exits(2)
        .explains(["cannot set `policy.enforce` in a project's settings"]);
}

#[test]
fn policy_added_later_applies_to_the_next_install() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.skillpm("install").exits(0).stderr_has("Unchanged");
    sandbox.write(
        "~/.skillpm/config.toml",
        "[policy]\nallow-licenses = [\"MIT\"]\n",
    );
    is_refused(
        &sandbox,
        &["install", "install --frozen"],
        ["missing license of"],
    );
}

#[test]
fn invalid_source_pattern_is_an_error_with_its_place() {
    let sandbox = Sandbox::project_here();
    policy(&sandbox, "allow-sources = [\"gh:acme\"]");
    sandbox.skillpm("install").exits(2).stderr(str![[r"
error: invalid source pattern `gh:acme`: unknown kind of source
  set at skillpm.toml:4:17
help: write `registry:NAME`, `git:https://host/path/*`, `path`, `path:vendor/*`, `archive:https://host/*`, `well-known:https://host` or `clawhub`

"]]);
    sandbox.write(
        "skillpm.toml",
        "[policy]\nallow-sources = [\"registry:nobody\"]\n",
    );
    sandbox.write_skill("style", "A style.");
    sandbox.skillpm("add ./style").exits(2).stderr(str![[r"
error: unknown registry `nobody`
  configured registries: `default`
  set in skillpm.toml:2:17
help: set one with `skillpm config set registries.nobody.index sparse+https://host/path/`

"]]);
}

#[test]
fn workspace_members_are_always_allowed() {
    let sandbox = Sandbox::project_here();
    sandbox.write("skillpm.toml", "[workspace]\nmembers = [\"skills/*\"]\n\n[dependencies]\nown = { path = \"skills/own\" }\n\n[policy]\nallow-sources = [\"registry:default\"]\nallow-licenses = [\"MIT\"]\n");
    sandbox.write_skill("skills/own", "Our own.");
    sandbox.skillpm("install").exits(0);
    sandbox.has([".agents/skills/own/SKILL.md"]);
}

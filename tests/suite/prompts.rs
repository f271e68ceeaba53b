//! Questions on a terminal: each answer does what it says, and who goes away has changed nothing.

#![cfg(unix)]

use crate::support::{Outcome, Repo, Sandbox, skill_md, skipped};

/// Whether there is Python, whose terminal the questions are asked on.
pub(crate) fn has_terminal() -> bool {
    let there = std::process::Command::new("python3")
        .args(["-c", "import pty"])
        .output();
    let there = there.is_ok_and(|output| output.status.success());
    if !there {
        skipped("there is no Python, and so no terminal");
    }
    there
}

const NO: &str = "n\r";
const YES: &str = "y\r";
const ENTER: &str = "\r";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const ESCAPE: &str = "\u{1b}";
const DOWN: &str = "\u{1b}[B";

/// A skill with a token in it, which is of high severity.
fn leaking() -> Sandbox {
    let sandbox = Sandbox::project_here();
    let body = format!(
        "{}\nUse `{}{}`.\n",
        skill_md("form", "Fills forms."),
        "ghp_",
        "x7Kq2LmN9pRs4TuV6wXyZ8aBcD1eFgH3jKlM"
    );
    sandbox.write("form/SKILL.md", body);
    sandbox
}

/// Each thing was said once: what was found, and how it ended.
#[track_caller]
fn says_once(told: &Outcome, texts: &[&str]) {
    for text in texts {
        assert_eq!(
            told.stdout_text().matches(text).count(),
            1,
            "`{text}` once:\n{}",
            told.stdout_text()
        );
    }
}

#[test]
fn bare_name_of_a_repository_needs_a_yes() {
    if !has_terminal() {
        return;
    }
    for options in ["", " --skill notes"] {
        let sandbox = Sandbox::project_here();
        let repo = Repo::new(&sandbox, "r");
        repo.skill("skills/notes", "Takes notes.").commit("first");
        sandbox.gitconfig(&format!(
            "[url \"{}\"]\n\tinsteadOf = https://github.com/acme/r\n",
            repo.url()
        ));
        let line = format!("add acme/r{options}");
        let snapshot = sandbox.snapshot();
        for keys in [NO, ENTER, CTRL_C, ESCAPE] {
            sandbox
                .skillpm(&line)
                .on_terminal("add the repository `gh:acme/r`?", keys)
                .prints("write `gh:acme/r`");
        }
        sandbox.skillpm(&line).exits_one_of([1, 2]);
        sandbox
            .skillpm(format!("{line} --yes"))
            .exits_one_of([1, 2]);
        snapshot.still_holds();

        sandbox
            .skillpm(&line)
            .on_terminal("add the repository `gh:acme/r`?", YES)
            .ended(0);
        assert!(
            sandbox
                .read("skillpm.toml")
                .contains("https://github.com/acme/r")
        );
    }
}

#[test]
fn add_of_a_harmful_skill_needs_a_yes() {
    if !has_terminal() {
        return;
    }
    let sandbox = leaking();
    let snapshot = sandbox.snapshot();
    for keys in [NO, ENTER, CTRL_C, CTRL_D, ESCAPE] {
        let told = sandbox
            .skillpm("add ./form")
            .on_terminal("Install anyway?", keys);
        told.ended(1);
        says_once(
            &told,
            &[
                "potentially harmful content in `form`: form/SKILL.md:",
                "error: nothing was installed\n",
                "help: ",
            ],
        );
        snapshot.still_holds();
    }
    let told = sandbox
        .skillpm("add ./form")
        .on_terminal("Install anyway?", YES);
    told.ended(0).stdout_has("Install anyway? Yes");
    says_once(&told, &["potentially harmful content in", "Installed form"]);
    sandbox.has([".agents/skills/form/SKILL.md"]);
    assert!(
        sandbox
            .read("skillpm.lock")
            .contains("allowed-findings = [\"SK715\"]")
    );
}

#[test]
fn install_and_update_ask_about_unaccepted_findings() {
    if !has_terminal() {
        return;
    }
    let sandbox = leaking();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\nform = { path = \"form\" }\n",
    );
    let snapshot = sandbox.snapshot();
    for command in ["install", "update"] {
        for keys in [NO, CTRL_C, CTRL_D] {
            let told = sandbox
                .skillpm(command)
                .on_terminal("Install anyway?", keys);
            told.ended(1).stdout_has("error: nothing was installed");
            snapshot.still_holds();
        }
    }
    sandbox
        .skillpm("install")
        .on_terminal("Install anyway?", YES)
        .ended(0);
    let lockfile = sandbox.read("skillpm.lock");
    // What was accepted stands in the lockfile, and nobody is asked again.
    sandbox.delete(".agents");
    sandbox
        .skillpm("install")
        .on_terminal("Install anyway?", CTRL_C)
        .ended(0)
        .never_prints("Install anyway?");
    sandbox.reads("skillpm.lock", &lockfile);
}

#[test]
fn yes_and_no_input_suppress_the_prompt() {
    if !has_terminal() {
        return;
    }
    let sandbox = leaking();
    let told = sandbox
        .skillpm("add ./form --yes")
        .on_terminal("Install anyway?", CTRL_C);
    told.ended(0)
        .stdout_has("potentially harmful content in")
        .never_prints("Install anyway?");
    sandbox.skillpm("remove form").exits(0);
    let told = sandbox
        .skillpm("add ./form --no-input")
        .on_terminal("Install anyway?", CTRL_C);
    told.ended(0)
        .stdout_has("potentially harmful content in")
        .never_prints("Install anyway?");
}

/// A project whose `pdf` a person and upstream changed in the same line.
fn at_odds() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Is old.").commit("first");
    sandbox
        .skillpm(format!("add {} --branch main", repo.url()))
        .exits(0);
    sandbox.edit(".agents/skills/pdf/SKILL.md", "Is old.", "Is mine.");
    repo.skill("skills/pdf", "Is theirs.").commit("second");
    (sandbox, repo)
}

#[test]
fn conflict_is_resolved_by_the_answer_or_nothing_changes() {
    if !has_terminal() {
        return;
    }
    let (sandbox, _repo) = at_odds();
    let snapshot = sandbox.snapshot();
    for keys in [ENTER, CTRL_C, CTRL_D, ESCAPE] {
        let told = sandbox
            .skillpm("update")
            .on_terminal("How should the conflict be resolved?", keys);
        told.ended(1);
        says_once(&told, &["error: nothing was changed\n"]);
        snapshot.still_holds();
    }
    let theirs = format!("{DOWN}{DOWN}{DOWN}\r");
    sandbox
        .skillpm("update")
        .on_terminal("How should the conflict be resolved?", &theirs)
        .ended(0);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("Is theirs.")
    );
}

#[test]
fn cancelled_checklist_adds_nothing() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads tables.")
        .commit("first");
    let snapshot = sandbox.snapshot();
    let line = format!("add {}", repo.url());
    for keys in [ENTER, CTRL_C, CTRL_D, ESCAPE] {
        sandbox
            .skillpm(&line)
            .on_terminal("Which skills?", keys)
            .ended(1)
            .stdout_has("no skill selected");
        snapshot.still_holds();
    }
    sandbox
        .skillpm(&line)
        .on_terminal("Which skills?", " \r")
        .ended(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv"]);
}

#[test]
fn add_without_an_argument_searches_and_previews() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::new();
    let searched = sandbox.skillpm("add").answers_on_terminal(&[
        ("Search for a skill:", "commit"),
        ("commit-messages ", &format!("{DOWN}{ENTER}")),
        ("Add commit-messages?", ENTER),
    ]);
    searched.ended(0);
    for line in [
        "collection: planning, tests and debugging for coding agents",
        "license: MIT OR Apache-2.0",
        "tokens in each conversation",
        "no security findings",
        "Installed commit-messages",
    ] {
        searched.stdout_has(line);
    }
    assert_eq!(sandbox.tree(".agents/skills").top(), ["commit-messages"]);
}

#[test]
fn declined_or_left_search_adds_nothing() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::new();
    for keys in [ESCAPE, CTRL_C, ENTER] {
        sandbox
            .skillpm("add")
            .on_terminal("Search for a skill:", keys)
            .ended(1)
            .stdout_has("no skill selected");
    }
    // After a "no", and for a name that does not exist, the search begins again.
    let again = sandbox.skillpm("add").answers_on_terminal(&[
        ("Search for a skill:", &format!("release{ENTER}")),
        ("Add release?", NO),
        ("Search for a skill:", &format!("relaese{ENTER}")),
        ("no matching package named `relaese` found", ""),
        ("Search for a skill:", &format!("two words{ENTER}")),
        ("several words were typed", ""),
        ("Search for a skill:", ESCAPE),
    ]);
    again.ended(1).stdout_has("no skill selected");
    sandbox.lacks(["skillpm.toml", ".agents"]);
}

#[test]
fn collection_is_added_like_any_source() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "superpowers");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    sandbox.write(
        "~/.skillpm/config.toml",
        format!(
            "[source.\"git+https://github.com/obra/superpowers\"]\nreplace-with = \"git+{}\"\n",
            repo.url()
        ),
    );
    let added = sandbox.skillpm("add").answers_on_terminal(&[
        ("Search for a skill:", "superp"),
        ("gh:obra/superpowers", &format!("{DOWN}{ENTER}")),
        ("Which skills?", " \r"),
    ]);
    added.ended(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv"]);
}

#[test]
fn add_without_an_argument_and_a_terminal_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("add")
        .exits(2)
        .explains(["missing package to add", "skillpm search WORD"]);
    sandbox.skillpm("add --no-input").exits(2);
    sandbox.lacks(["skillpm.toml"]);
}

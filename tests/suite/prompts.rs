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
const ALL: &str = "\u{1b}[C";
const CTRL_U: &str = "\u{15}";
const CANCELLED: &str = "Cancelled; nothing was changed\n";

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
fn says_once(outcome: &Outcome, texts: &[&str]) {
    for text in texts {
        assert_eq!(
            outcome.stdout_text().matches(text).count(),
            1,
            "`{text}` once:\n{}",
            outcome.stdout_text()
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
        for keys in [NO, ENTER] {
            sandbox
                .skillpm(&line)
                .on_terminal("add the repository `gh:acme/r`?", keys)
                .prints("gh:acme/r");
        }
        for keys in [CTRL_C, ESCAPE] {
            sandbox
                .skillpm(&line)
                .on_terminal("add the repository `gh:acme/r`?", keys)
                .ended(130)
                .stdout_has(CANCELLED)
                .never_prints("error:");
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
    for keys in [CTRL_C, CTRL_D, ESCAPE] {
        let outcome = sandbox
            .skillpm("add ./form")
            .on_terminal("Install anyway?", keys);
        outcome.ended(130).never_prints("error:");
        says_once(
            &outcome,
            &[
                "potentially harmful content in `form`: form/SKILL.md:",
                CANCELLED,
            ],
        );
        snapshot.still_holds();
    }
    for keys in [NO, ENTER] {
        let outcome = sandbox
            .skillpm("add ./form")
            .on_terminal("Install anyway?", keys);
        outcome.ended(1);
        says_once(
            &outcome,
            &[
                "potentially harmful content in `form`: form/SKILL.md:",
                "error: nothing was installed\n",
                "help: ",
            ],
        );
        snapshot.still_holds();
    }
    let outcome = sandbox
        .skillpm("add ./form")
        .on_terminal("Install anyway?", YES);
    outcome.ended(0).stdout_has("Install anyway? Yes");
    says_once(
        &outcome,
        &["potentially harmful content in", "Installed form"],
    );
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
        let outcome = sandbox.skillpm(command).on_terminal("Install anyway?", NO);
        outcome.ended(1).stdout_has("error: nothing was installed");
        for keys in [CTRL_C, CTRL_D] {
            let outcome = sandbox
                .skillpm(command)
                .on_terminal("Install anyway?", keys);
            outcome.ended(130).stdout_has(CANCELLED);
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
    let outcome = sandbox
        .skillpm("add ./form --yes")
        .on_terminal("Install anyway?", CTRL_C);
    outcome
        .ended(0)
        .stdout_has("potentially harmful content in")
        .never_prints("Install anyway?");
    sandbox.skillpm("remove form").exits(0);
    let outcome = sandbox
        .skillpm("add ./form --no-input")
        .on_terminal("Install anyway?", CTRL_C);
    outcome
        .ended(0)
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
    let stopped = sandbox
        .skillpm("update")
        .on_terminal("How should the conflict be resolved?", ENTER);
    stopped.ended(1);
    says_once(&stopped, &["error: nothing was changed\n"]);
    for keys in [CTRL_C, CTRL_D, ESCAPE] {
        let outcome = sandbox
            .skillpm("update")
            .on_terminal("How should the conflict be resolved?", keys);
        outcome.ended(130).never_prints("error:");
        says_once(&outcome, &[CANCELLED]);
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

/// A repository with the skills `csv`, `pdf` and `tests`.
fn three_skills(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads tables.")
        .skill("skills/tests", "Writes tests.")
        .commit("first");
    repo
}

#[test]
fn cancelled_checklist_adds_nothing() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let repo = three_skills(&sandbox);
    let snapshot = sandbox.snapshot();
    let line = format!("add {}", repo.url());
    for keys in [CTRL_C, CTRL_D, ESCAPE] {
        sandbox
            .skillpm(&line)
            .on_terminal("Which skills?", keys)
            .ended(130)
            .stdout_has(CANCELLED)
            .never_prints("error:");
        snapshot.still_holds();
        // Also after something was selected, and at the last question.
        sandbox
            .skillpm(&line)
            .answers_on_terminal(&[("Which skills?", " \r"), ("Add csv?", keys)])
            .ended(130)
            .stdout_has(CANCELLED);
        snapshot.still_holds();
    }
    sandbox
        .skillpm(&line)
        .answers_on_terminal(&[("Which skills?", " \r"), ("Add csv?", NO)])
        .ended(130)
        .stdout_has(CANCELLED);
    snapshot.still_holds();
}

#[test]
fn checklist_takes_the_first_row_or_the_selected_ones_after_a_preview() {
    if !has_terminal() {
        return;
    }
    let cases: [(&str, &str, &[&str]); 5] = [
        (ENTER, "Add csv?", &["csv"]),
        (" \r", "Add csv?", &["csv"]),
        (&format!("{DOWN}{DOWN}{ENTER}"), "Add tests?", &["tests"]),
        // What is selected stays selected where the search leaves it out.
        (
            &format!(" pdf {CTRL_U}nothing{ENTER}"),
            "Add 2 skills?",
            &["csv", "pdf"],
        ),
        (
            &format!("reads{ALL}{CTRL_U}{ENTER}"),
            "Add 2 skills?",
            &["csv", "pdf"],
        ),
    ];
    for (keys, question, added) in cases {
        let sandbox = Sandbox::project_here();
        let repo = three_skills(&sandbox);
        let shown = sandbox
            .skillpm(format!("add {}", repo.url()))
            .answers_on_terminal(&[("Which skills?", keys), (question, ENTER)]);
        shown
            .ended(0)
            .stdout_has("findings: none")
            .stdout_has("in each conversation");
        if added.len() > 1 {
            shown
                .stdout_has("2 selected: csv, pdf")
                .stdout_has("2 skills in all: 2 files");
        }
        assert_eq!(sandbox.tree(".agents/skills").top(), added, "{keys:?}");
    }
}

#[test]
fn preview_shows_the_findings_of_a_repository() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let repo = three_skills(&sandbox);
    let leak = format!("{}x7Kq2LmN9pRs4TuV6wXyZ8aBcD1eFgH3jKlM", "ghp_");
    let page = format!("{}\nUse `{leak}`.\n", skill_md("aaa", "Leaks."));
    repo.write("skills/aaa/SKILL.md", page).commit("leak");
    let snapshot = sandbox.snapshot();
    let shown = sandbox
        .skillpm(format!("add {}", repo.url()))
        .answers_on_terminal(&[("Which skills?", ENTER), ("Add aaa?", NO)]);
    shown
        .ended(130)
        .stdout_has("security findings: 1 high (secret-leak)")
        .stdout_has("1 file, ");
    snapshot.still_holds();

    // With all named on the command line there is nothing to choose, and no further question.
    sandbox
        .skillpm(format!("add {} --skill csv", repo.url()))
        .on_terminal("Add csv?", NO)
        .ended(0)
        .never_prints("Add csv?");
    // Nor with a yes to all of them.
    sandbox
        .skillpm(format!("add {} --yes --allow-finding SK715", repo.url()))
        .on_terminal("Which skills?", NO)
        .ended(0)
        .never_prints("Which skills?");
}

#[test]
fn answer_is_asked_for_once_though_the_command_runs_again() {
    if !has_terminal() {
        return;
    }
    let sandbox = leaking();
    sandbox.write_skill("other", "Does something else.");
    sandbox.write("all/skills/form/SKILL.md", sandbox.read("form/SKILL.md"));
    sandbox.write_skill("all/skills/other", "Does something else.");
    let added = sandbox.skillpm("add ./all").answers_on_terminal(&[
        ("Which skills?", ENTER),
        ("Add form?", ENTER),
        ("Install anyway?", YES),
    ]);
    added.ended(0).stdout_has("Installed form");
    assert_eq!(sandbox.tree(".agents/skills").top(), ["form"]);
}

#[test]
fn add_without_an_argument_searches_and_previews() {
    if !has_terminal() {
        return;
    }
    for keys in [ENTER.to_owned(), format!("{DOWN}\u{1b}[A{ENTER}")] {
        let sandbox = Sandbox::new();
        let searched = sandbox.skillpm("add").answers_on_terminal(&[
            ("gh:obra/superpowers", "commit"),
            ("> commit-messages ", &keys),
            ("Add commit-messages?", ENTER),
        ]);
        searched.ended(0);
        for line in [
            "collection: planning, tests and debugging for coding agents",
            "or paste a URL or owner/repo",
            "license: MIT OR Apache-2.0",
            "tokens in each conversation",
            "security findings: none",
            "Installed commit-messages",
        ] {
            searched.stdout_has(line);
        }
        assert_eq!(sandbox.tree(".agents/skills").top(), ["commit-messages"]);
    }
}

#[test]
fn declined_or_left_search_adds_nothing() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::new();
    for keys in [ESCAPE, CTRL_C, CTRL_D] {
        sandbox
            .skillpm("add")
            .on_terminal("Search for a skill:", keys)
            .ended(130)
            .stdout_has(CANCELLED)
            .never_prints("error:");
    }
    // After a "no" the search begins again; Enter takes nothing where nothing is.
    let again = sandbox.skillpm("add").answers_on_terminal(&[
        ("Search for a skill:", &format!("release{ENTER}")),
        ("Add release?", NO),
        ("Search for a skill:", &format!("xyzzyx{ENTER}")),
        ("nothing found; try another word", ESCAPE),
    ]);
    again.ended(130).stdout_has(CANCELLED);
    sandbox.lacks(["skillpm.toml", ".agents"]);
}

#[test]
fn search_takes_a_collection_and_what_is_pasted() {
    if !has_terminal() {
        return;
    }
    let paste = |text: &str| format!("\u{1b}[200~{text}\n\u{1b}[201~");
    for (keys, row) in [
        ("superp".to_owned(), "> gh:obra/superpowers "),
        (
            "obra/superpowers".to_owned(),
            "> gh:obra/superpowers  repository on GitHub",
        ),
        (
            paste("https://github.com/obra/superpowers"),
            "> https://github.com/obra/superpowers  git repository",
        ),
        (
            "gh:obra/superpowers".to_owned(),
            "> gh:obra/superpowers  git repository",
        ),
    ] {
        let sandbox = Sandbox::new();
        let repo = three_skills(&sandbox);
        sandbox.write(
            "~/.skillpm/config.toml",
            format!(
                "[source.\"git+https://github.com/obra/superpowers\"]\nreplace-with = \"git+{}\"\n",
                repo.url()
            ),
        );
        let added = sandbox.skillpm("add").answers_on_terminal(&[
            ("Search for a skill:", &keys),
            (row, ENTER),
            ("Which skills?", " \r"),
            ("Add csv?", ENTER),
        ]);
        added.ended(0);
        assert_eq!(sandbox.tree(".agents/skills").top(), ["csv"]);
    }
}

/// The recording of README begins with these screens.
#[test]
fn recorded_search_is_what_a_terminal_shows() {
    if !has_terminal() {
        return;
    }
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill(
        "skills/brainstorming",
        "Explores an idea before it is built.",
    )
    .skill(
        "skills/systematic-debugging",
        "Finds the cause of a bug first.",
    )
    .skill(
        "skills/test-driven-development",
        "Writes the test, then the code.",
    )
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
        ("> gh:obra/superpowers ", ENTER),
        ("Which skills?", &format!(" {DOWN}{DOWN} {ENTER}")),
        ("Add 2 skills?", ENTER),
    ]);
    added.ended(0);
    let recorded = include_str!("../../docs/recordings/search.txt");
    for line in recorded.lines().skip(1).filter(|line| !line.is_empty()) {
        added.stdout_has(line);
    }
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

//! `list`: what is installed, by tier.

use snapbox::str;

use crate::git_references::versions;
use crate::support::Sandbox;

#[test]
fn list_shows_names_and_versions() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    sandbox.skillpm("list").exits(0).stdout(str![[r"
TIER       NAME            VERSION  DESCRIPTION
workspace  pdf             1.1.0    Reads PDF 1.1.0.
bundled    skillpm         0.1.0    [..]
bundled    writing-skills  0.1.0    [..]

"]]);
}

#[test]
fn list_shows_hand_made_skills_too() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".agents/skills/mine", "Made by hand.");
    sandbox.skillpm("list").exits(0).stdout_has("mine");
}

#[test]
fn list_shows_the_tier_of_each_skill() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("here", "In the project.");
    sandbox.write_skill("everywhere", "For the user.");
    sandbox.skillpm("add ./here").exits(0);
    sandbox.skillpm("add ./everywhere -g").exits(0);
    let lines = sandbox
        .skillpm("list --format json")
        .exits(0)
        .stdout_json_lines();
    let tier = |name: &str| {
        lines
            .iter()
            .find(|line| line["name"] == name)
            .map(|line| line["tier"].clone())
    };
    assert_eq!(tier("here"), Some("workspace".into()), "{lines:?}");
    assert_eq!(tier("everywhere"), Some("managed".into()), "{lines:?}");
}

#[test]
fn list_works_without_a_project() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("~/.agents/skills/mine", "Made by hand.");
    sandbox.skillpm("list").exits(0).stdout_has("mine");
    assert!(sandbox.tree(".").is_empty());
}

#[test]
fn commit_is_shown_where_there_is_no_version() {
    let sandbox = Sandbox::project_here();
    let repo = crate::support::Repo::new(&sandbox, "skills");
    repo.skill("skills/csv", "Reads CSV.").commit("first");
    sandbox.skillpm(format!("add {}", repo.url())).exits(0);
    sandbox.write_skill(".agents/skills/mine", "Made by hand.");
    sandbox.skillpm("list").exits(0).stdout(str![[r"
TIER       NAME            VERSION   DESCRIPTION
workspace  csv             b1cf4c0b  Reads CSV.
workspace  mine            -         Made by hand.
bundled    skillpm         0.1.0     [..]
bundled    writing-skills  0.1.0     [..]

"]]);
}

#[cfg(unix)]
#[test]
fn each_skill_is_one_line_of_the_terminal() {
    use unicode_width::UnicodeWidthStr as _;

    if !crate::prompts::has_terminal() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let long = format!("a-{}", "very-long-name-".repeat(4).trim_end_matches('-'));
    let about = "Does what its name says, and more. ".repeat(9);
    for name in [&*long, "short", "wide"] {
        sandbox.write_skill(&format!(".agents/skills/{name}"), &about);
    }
    sandbox.write_skill(".agents/skills/japanese", &"日本語の説明。".repeat(30));
    let shown = sandbox.skillpm("list").on_terminal("no question", "");
    shown.ended(0);
    let lines: Vec<&str> = shown.stdout_text().lines().collect();
    assert!(lines[0].starts_with("TIER       NAME "), "{lines:?}");
    let rows: Vec<&&str> = lines
        .iter()
        .filter(|line| line.starts_with("workspace"))
        .collect();
    assert_eq!(rows.len(), 4, "{lines:?}");
    for row in rows {
        // The terminal of the tests has 120 columns.
        assert!((100..=120).contains(&row.width()), "{}: {row}", row.width());
    }
}

#[test]
fn skill_that_an_agent_lists_twice_is_one_warning_with_a_command() {
    let sandbox = Sandbox::project_here();
    std::fs::create_dir_all(sandbox.path("~/.codex")).unwrap();
    std::fs::create_dir_all(sandbox.path(".codex")).unwrap();
    let repo = crate::support::Repo::new(&sandbox, "skills");
    repo.skill("skills/csv", "Reads CSV.")
        .skill("skills/pdf", "Reads PDF.")
        .commit("first");
    for scope in ["", " -g"] {
        sandbox
            .skillpm(format!("add {} --all --no-detect{scope}", repo.url()))
            .exits(0);
    }
    let listed = sandbox.skillpm("list").exits(0);
    let warnings = listed.stderr_text().matches("warning:").count();
    assert_eq!(warnings, 1, "{}", listed.stderr_text());
    listed.stderr_has(
        "warning: codex lists `csv`, `pdf` 2 times, from `[ROOT]/project/.agents/skills` and `[HOME]/.agents/skills` (duplicate-listing)\n\
         help: run `skillpm remove -g csv pdf`\n",
    );
    // The command works as it is printed.
    sandbox.skillpm("remove -g csv pdf").exits(0);
    sandbox.skillpm("list").exits(0).never_prints("warning:");
}

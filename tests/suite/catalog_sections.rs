//! The section of `catalog --into` follows each change of the skills, and loses no edit.

use snapbox::str;

use crate::support::Sandbox;

const HEAD: &str = "# Ours\n\nBuild with make.\n";

/// A project with `pdf`, which its `AGENTS.md` lists below a text of a person.
fn listed() -> Sandbox {
    listed_in(Sandbox::new())
}

fn listed_in(sandbox: Sandbox) -> Sandbox {
    sandbox.write("skillpm.toml", "[dependencies]\n");
    for name in ["pdf", "csv"] {
        sandbox.write_skill(name, &format!("Reads {name}."));
    }
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox.write("AGENTS.md", HEAD);
    sandbox.skillpm("catalog --into AGENTS.md").exits(0);
    sandbox
}

/// The names that a file lists.
fn names(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let text = sandbox.read(file);
    let items = text.lines().filter_map(|line| line.strip_prefix("- `"));
    items
        .map(|item| item.split('`').next().unwrap().to_owned())
        .collect()
}

#[test]
fn section_follows_add_remove_update_and_undo() {
    let sandbox = listed();
    let first = sandbox.read("AGENTS.md");

    sandbox.skillpm("add ./csv").exits(0).stderr(str![[r"
     Updated the list of skills in AGENTS.md
   Installed csv 8f5273eb1e13
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    assert_eq!(names(&sandbox, "AGENTS.md"), ["csv", "pdf"]);
    assert!(sandbox.read("AGENTS.md").starts_with(HEAD));
    sandbox.skillpm("remove pdf").exits(0);
    assert_eq!(names(&sandbox, "AGENTS.md"), ["csv"]);

    sandbox.write_skill("csv", "Reads it better.");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read("AGENTS.md").contains("Reads it better."));

    sandbox.skillpm("undo").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads("AGENTS.md", &first);

    // A text around the section that was changed since is no obstacle.
    sandbox.skillpm("add ./csv").exits(0);
    sandbox.edit("AGENTS.md", "make", "just");
    sandbox.skillpm("undo").exits(0);
    sandbox.reads("AGENTS.md", &first.replace("make", "just"));
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox.reads("AGENTS.md", &first.replace("make", "just"));
    sandbox.skillpm("doctor").exits(0).stdout("");
}

#[test]
fn edited_or_stale_section_stays_and_doctor_names_it() {
    let sandbox = listed();
    sandbox.edit("AGENTS.md", "Reads pdf.", "Reads pdf, says Ann.");
    let edited = sandbox.read("AGENTS.md");
    sandbox.skillpm("add ./csv").exits(0).stderr(str![[r"
warning: the skills listed in `AGENTS.md` are not those of the catalog
help: `skillpm catalog --into AGENTS.md` replaces what is between the markers
   Installed csv 8f5273eb1e13
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.reads("AGENTS.md", &edited);
    sandbox.skillpm("doctor").exits(0).stdout(str![[r"
warning[sections]: the skills listed in `AGENTS.md` are not those of the catalog
  it was edited, or skills were changed without skillpm
  help: skillpm catalog --into AGENTS.md

"]]);

    sandbox.skillpm("catalog --into AGENTS.md").exits(0);
    sandbox.skillpm("doctor").exits(0).stdout("");
    sandbox.skillpm("remove csv").exits(0);
    assert_eq!(names(&sandbox, "AGENTS.md"), ["pdf"]);
}

#[test]
fn options_are_in_the_marker_and_apply_again() {
    let sandbox = listed();
    sandbox
        .skillpm("catalog --into SOME.md --only csv,pdf")
        .exits(1);
    sandbox
        .skillpm("catalog --into SOME.md --only pdf")
        .exits(0);
    sandbox.write("fixed.txt", "Read.\n");
    sandbox
        .skillpm("catalog --into FIXED.md --preamble fixed.txt")
        .exits(0);
    let (only, fixed) = (sandbox.read("SOME.md"), sandbox.read("FIXED.md"));
    assert!(
        only.starts_with("<!-- skillpm:start only=pdf -->\n"),
        "{only}"
    );

    sandbox.skillpm("add ./csv").exits(0);
    sandbox.reads("SOME.md", &only);
    sandbox.reads("FIXED.md", &fixed);
    sandbox.skillpm("remove pdf").exits(0);
    assert!(names(&sandbox, "SOME.md").is_empty());
    assert_eq!(names(&sandbox, "AGENTS.md"), ["csv"]);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads("SOME.md", &only);
    sandbox.skillpm("doctor").exits(0).stdout("");
}

#[test]
fn section_behind_a_link_with_crlf_and_in_a_subdirectory_is_kept_current() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write_skill("csv", "Reads CSV.");
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox.write("docs/agents.txt", "# Ours\r\n");
    std::os::unix::fs::symlink("docs/agents.txt", sandbox.path("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("AGENTS.md", sandbox.path("CLAUDE.md")).unwrap();
    sandbox
        .skillpm("-C docs catalog --into agents.txt")
        .exits(0);
    sandbox.skillpm("-C docs add ../csv").exits(0);
    let text = sandbox.read("docs/agents.txt");
    assert_eq!(names(&sandbox, "AGENTS.md"), ["csv", "pdf"]);
    assert_eq!(text.matches("\r\n").count(), text.matches('\n').count());
    for link in ["AGENTS.md", "CLAUDE.md"] {
        let meta = std::fs::symlink_metadata(sandbox.path(link)).unwrap();
        assert!(meta.is_symlink());
    }
}

#[test]
fn refused_command_leaves_the_section() {
    let sandbox = listed();
    sandbox.write(".agents/skills/csv/SKILL.md", "mine\n");
    let before = sandbox.snapshot();
    sandbox.skillpm("add ./csv").exits(1);
    before.still_holds();
}

/// Killed before each change of the disk: the list is that of the installed skills after the next command.
#[test]
fn section_and_skills_are_one_transaction() {
    for at in 1.. {
        let sandbox = listed_in(Sandbox::in_memory());
        let run = sandbox
            .skillpm("add ./csv")
            .env("SKILLPM_FAILPOINT", format!("kill@{at}"))
            .spawn()
            .wait();
        if !run.was_killed() {
            run.ended(0);
            break;
        }
        sandbox.skillpm("install").exits(0);
        let has_skill = sandbox.path(".agents/skills/csv").exists();
        assert_eq!(
            names(&sandbox, "AGENTS.md").len(),
            1 + usize::from(has_skill),
            "{at}"
        );
        sandbox
            .skillpm("doctor")
            .exits(0)
            .never_prints("[sections]");
    }
}

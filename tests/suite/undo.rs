//! What a command did can be undone, with the edits that were there; and nothing that came later is lost by it.

use snapbox::str;

use crate::support::{Repo, Sandbox, pdf_and_csv};

const PAGE: &str = ".agents/skills/pdf/SKILL.md";

#[test]
fn undo_of_an_update_restores_skills_lockfile_and_edits() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    let (page, lock) = (sandbox.read(PAGE), sandbox.read("skillpm.lock"));
    repo.skill("skills/pdf", "Reads PDF better.")
        .skill("skills/csv", "Reads CSV better.")
        .commit("second");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read(PAGE).contains("better"));
    let after = sandbox.snapshot();
    sandbox
        .skillpm("undo --dry-run")
        .exits(0)
        .stderr_has("Would undo update");
    after.still_holds();
    sandbox.skillpm("undo").exits(0).stderr(str![[r"
    Reverted .agents/skills/csv
    Reverted .agents/skills/pdf
       Undid update of [..]: csv, pdf

"]]);
    sandbox.reads(PAGE, &page);
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
    sandbox.reads("skillpm.lock", &lock);
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("`.agents/skills/pdf` has local edits, and is left unchanged");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read(PAGE).contains("better"));
}

#[test]
fn each_undo_reverts_one_command() {
    let sandbox = Sandbox::project_here();
    let manifest = sandbox.read("skillpm.toml");
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.").commit("first");
    sandbox
        .skillpm(format!("add {} --branch main", repo.url()))
        .exits(0);
    sandbox.write_skill("xml", "Reads XML.");
    sandbox.skillpm("add ./xml").exits(0);
    sandbox.skillpm("remove pdf").exits(0);
    sandbox.lacks([PAGE]);
    let listed = sandbox
        .skillpm("undo --list")
        .exits(0)
        .stdout_text()
        .to_owned();
    let told: Vec<&str> = listed
        .lines()
        .map(|line| line.split(" of ").next().unwrap())
        .collect();
    assert_eq!(told, ["remove", "add", "add"], "{listed}");
    sandbox.skillpm("undo").exits(0);
    sandbox.has([PAGE, ".agents/skills/xml/SKILL.md"]);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([".agents/skills/xml"]);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([PAGE, "skillpm.lock"]);
    sandbox.reads("skillpm.toml", &manifest);
    sandbox
        .skillpm("undo")
        .exits(1)
        .stderr(str![[r"
error: nothing to undo here
  the last 20 commands that changed something can be undone, each once
help: `skillpm status` shows what is here; `skillpm restore NAME` discards local edits of a skill, `skillpm remove NAME` removes it

"]]);
    sandbox.skillpm("undo --list").exits(0).stderr(str![[r"
       Found nothing to undo here

"]]);
}

#[test]
fn first_add_is_undone_with_its_manifest_and_then_there_is_nothing() {
    let sandbox = Sandbox::project_here();
    sandbox.delete("skillpm.toml");
    sandbox.skillpm("add release").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks(["skillpm.toml"]);
    for command in ["undo", "undo --list", "undo --dry-run"] {
        sandbox.skillpm(command).exits(2).stderr(str![[r"
error: nothing to undo here
  could not find `skillpm.toml` in `[ROOT]/project` or any parent directory
help: `skillpm status` shows what is here; `skillpm add` starts a project

"]]);
    }
    sandbox
        .skillpm("undo -g")
        .exits(1)
        .explains(["nothing to undo here"]);
}

#[test]
fn forced_undo_saves_what_was_changed_since() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.skillpm("agents add claude-code").exits(0);
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    let read_all = || {
        let skills = [".agents/skills", ".claude/skills"].map(|dir| sandbox.tree(dir));
        (skills, sandbox.read("skillpm.lock"))
    };
    let before = read_all();
    sandbox.skillpm("update").exits(0);
    let mine = format!("{}\nMine.\n", sandbox.read(PAGE));
    sandbox.write(PAGE, &mine);

    sandbox.skillpm("undo").exits(1).stderr(str![[r"
error: cannot undo `skillpm update`: `.agents/skills/pdf` was changed since
  undoing it would lose that change; nothing was changed
help: `skillpm undo --force` moves the present files to `.skillpm/backup`

"]]);
    sandbox.skillpm("undo --force").exits(0).stderr(str![[r"
       Saved the present files of .agents/skills/pdf in .skillpm/backup/[..]/undo/.agents/skills/pdf
    Reverted .agents/skills/pdf
    Reverted .claude/skills/pdf
       Undid update of [..]: pdf

"]]);
    assert_eq!(read_all(), before);
    let backup = sandbox.tree(".skillpm/backup");
    let saved = "undo/.agents/skills/pdf/SKILL.md";
    let saved = backup
        .paths()
        .into_iter()
        .find(|path| path.ends_with(saved));
    sandbox.reads(&format!(".skillpm/backup/{}", saved.unwrap()), &mine);

    // Also where the command had added the skill.
    sandbox.skillpm("undo").exits(0);
    sandbox.write(PAGE, &mine);
    sandbox.skillpm("undo").exits(1);
    sandbox.skillpm("undo --force").exits(0);
    sandbox.lacks([".agents/skills/pdf"]);

    // A text that was changed since is never replaced.
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    sandbox.write(
        "skillpm.toml",
        format!("{}\n# Mine.\n", sandbox.read("skillpm.toml")),
    );
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("undo --force")
        .exits(1)
        .explains(["skillpm.toml"]);
    snapshot.still_holds();
}

#[test]
fn later_changes_are_not_lost() {
    let (sandbox, repo) = pdf_and_csv();
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update").exits(0);
    sandbox.write(PAGE, format!("{}\nMine.\n", sandbox.read(PAGE)));
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("undo")
        .exits(1)
        .explains(["cannot undo `skillpm update`: `.agents/skills/pdf` was changed since"]);
    snapshot.still_holds();
}

#[test]
fn files_replaced_by_force_are_restored() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write(PAGE, "mine");
    sandbox.skillpm("install --force").exits(0);
    assert_ne!(sandbox.read(PAGE), "mine");
    sandbox
        .skillpm("undo")
        .exits(0)
        .stderr_has("Reverted .agents/skills/pdf");
    sandbox.reads(PAGE, "mine");
}

#[test]
fn undo_has_json_lines() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.skillpm("remove csv").exits(0);
    let listed = sandbox
        .skillpm("undo --list --format json")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert!(
        listed.starts_with(r#"{"type":"undoable","command":"remove","at":"#),
        "{listed}"
    );
    let undone = sandbox
        .skillpm("undo --format json")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert!(
        undone.starts_with(r#"{"type":"undone","command":"remove","at":"#),
        "{undone}"
    );
    assert!(
        undone.contains(r#""path":".agents/skills/csv","name":"csv","before":"skill-tree-v1:"#),
        "{undone}"
    );
    assert!(
        undone.contains(r#""after":null"#)
            && undone.contains(r#""files":["skillpm.lock","skillpm.toml"]"#),
        "{undone}"
    );
}

/// Commands that change what is known of an edited skill, each in a project of its own.
#[test]
fn edit_survives_every_undo() {
    let commands = [
        "patch pdf",
        "update --ours",
        "update --theirs",
        "update --merge",
        "update",
        "update --force",
        "add ./xml",
        "remove csv",
        "lock",
        "vendor",
        "install --force",
    ];
    for command in commands {
        for next in [
            "install",
            "update --ours",
            "install --ours",
            "lock",
            "remove csv",
        ] {
            let (sandbox, repo) = pdf_and_csv();
            sandbox.write_skill("xml", "Reads XML.");
            sandbox.edit(PAGE, "Reads PDF.", "Reads PDF as I like it.");
            if command.starts_with("update") || command == "lock" {
                repo.skill("skills/pdf", "Reads PDF better.")
                    .commit("second");
            }
            sandbox.skillpm(command).exits_one_of([0, 1]);
            sandbox.skillpm("undo").exits_one_of([0, 1]);
            let is_there = |when: &str| {
                let page = sandbox.read(PAGE);
                let kept = sandbox.tree("patches").paths().iter().any(|path| {
                    sandbox
                        .read(&format!("patches/{path}"))
                        .contains("as I like it")
                });
                assert!(
                    page.contains("as I like it") || kept,
                    "`{command}`, `undo`, `{next}`: lost after {when}: {page}"
                );
            };
            is_there("undo");
            sandbox.skillpm(next).exits_one_of([0, 1]);
            is_there("the next command");
        }
    }
}

#[test]
fn repository_in_a_skill_is_kept_and_restored() {
    let (sandbox, repo) = pdf_and_csv();
    let git = ".agents/skills/pdf/.git/HEAD";
    let in_refs = ".agents/skills/pdf/refs/.DS_Store";
    repo.write("skills/pdf/refs/a.md", "a\n").commit("second");
    sandbox.skillpm("update").exits(0);
    let own = [
        (git, "ref: mine\n"),
        (in_refs, "seen\n"),
        (".agents/skills/pdf/.jj/x", "mine, too\n"),
    ];
    own.iter()
        .for_each(|(path, text)| sandbox.write(path, text));
    let are_there = || {
        own.iter()
            .for_each(|(path, text)| sandbox.reads(path, text));
    };

    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("third");
    sandbox.skillpm("update").exits(0);
    assert!(sandbox.read(PAGE).contains("better"));
    are_there();
    sandbox.skillpm("undo").exits(0);
    assert!(!sandbox.read(PAGE).contains("better"));
    are_there();
    sandbox.skillpm("verify").exits(0);

    let outcome = sandbox.skillpm("remove pdf").exits(0);
    outcome.stderr(str![[r"
        Left .git, .jj, refs in .agents/skills/pdf: not part of the skill
     Removed pdf
      Locked 1 skill in skillpm.lock

"]]);
    sandbox.lacks([PAGE, ".agents/skills/pdf/refs/a.md"]);
    are_there();
    sandbox.skillpm("undo").exits(0);
    are_there();

    // Upstream no longer has the directory that one was in.
    repo.remove("skills/pdf/refs").commit("fourth");
    sandbox.skillpm("update").exits(0);
    sandbox.lacks([".agents/skills/pdf/refs/a.md"]);
    are_there();
    sandbox.skillpm("undo").exits(0);
    are_there();
}

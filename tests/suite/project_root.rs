//! Which project a command is in: the nearest manifest up to the root of the repository, and never one that it makes in the home
//! directory by the way.

use snapbox::str;

use crate::support::Sandbox;

/// Makes this directory a repository.
#[track_caller]
fn init_repository(sandbox: &Sandbox, dir: &str) {
    sandbox.write(&format!("{dir}/.git/HEAD"), "ref: refs/heads/main\n");
}

const STRAY: &str = "[dependencies]\n";

#[test]
fn manifest_above_the_repository_is_not_used() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", STRAY);
    init_repository(&sandbox, "work/site");
    sandbox.write("work/site/src/main.rs", "");

    let here = sandbox.path("work/site/src");
    sandbox
        .skillpm("install")
        .in_dir(&here)
        .exits(2)
        .stderr(str![[r"
error: could not find `skillpm.toml` in `[ROOT]/project/work/site/src` or any parent directory
  `[ROOT]/project/skillpm.toml` is outside of this repository, and is not used
help: `skillpm init` creates one here; `--global` uses your own skills instead
help: to use it, pass `-C [ROOT]/project`

"]]);
    sandbox
        .skillpm("add release")
        .in_dir(&here)
        .exits(0)
        .stderr(str![[r"
    Fetching changelog 1.1.0
    Fetching commit-messages 1.2.0
    Fetching release 1.0.0
    Fetching writing-release-notes 2.1.0
     Created [ROOT]/project/work/site/skillpm.toml
   Installed changelog 1.1.0
   Installed commit-messages 1.2.0
   Installed release 1.0.0
   Installed writing-release-notes 2.1.0
      Locked 4 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.reads("skillpm.toml", STRAY);
    sandbox.lacks(["skillpm.lock", ".agents"]);
    sandbox.has([
        "work/site/skillpm.lock",
        "work/site/.agents/skills/release/SKILL.md",
    ]);
}

/// A broken one, or one of another user, above the repository stops nothing either.
#[test]
fn invalid_manifest_above_the_repository_stops_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[workspace]\nmembers = 7\n");
    init_repository(&sandbox, "work");
    sandbox.skillpm("add release").in_dir("work").exits(0);
    sandbox.skillpm("install --locked").in_dir("work").exits(0);
}

#[test]
#[cfg(unix)]
fn worktree_and_submodule_end_the_search() {
    let sandbox = Sandbox::new();
    let output = sandbox
        .shell(
            "cd ../project && git init -q && git commit -q --allow-empty -m first &&
             git worktree add -q trees/fix -b fix && git init -q ../lib &&
             git -C ../lib commit -q --allow-empty -m first &&
             git -c protocol.file.allow=always submodule --quiet add ../lib vendor/lib",
        )
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    sandbox.write("skillpm.toml", STRAY);

    for dir in ["trees/fix", "vendor/lib"] {
        sandbox.skillpm("add release").in_dir(dir).exits(0);
        sandbox.has([&format!("{dir}/skillpm.lock")]);
    }
    sandbox.reads("skillpm.toml", STRAY);
    sandbox.lacks(["skillpm.lock"]);
}

/// What a workspace names is no accident, also where it is a repository of its own.
#[test]
fn member_in_its_own_repository_belongs_to_the_workspace() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[workspace]\nmembers = [\"skills/*\"]\n");
    for name in ["with", "without", "other/inner"] {
        sandbox.write_skill(&format!("skills/{name}"), "A member.");
        init_repository(&sandbox, &format!("skills/{name}"));
    }
    sandbox.write("skills/with/skillpm.toml", STRAY);

    for name in ["with", "without"] {
        sandbox
            .skillpm("add release")
            .in_dir(format!("skills/{name}"))
            .exits(0);
        sandbox.lacks([&format!("skills/{name}/skillpm.lock")]);
    }
    sandbox.has(["skillpm.lock", "skills/without/skillpm.toml"]);

    // No member: a project of its own.
    sandbox
        .skillpm("add release")
        .in_dir("skills/other/inner")
        .exits(0);
    sandbox.has(["skills/other/inner/skillpm.lock"]);
}

#[test]
fn manifest_in_another_directory_is_named() {
    let sandbox = Sandbox::project_here();
    sandbox.write("src/deep/main.rs", "");
    sandbox
        .skillpm("add release")
        .in_dir("src/deep")
        .exits(0)
        .stderr(str![[r"
       Using ../../skillpm.toml
    Fetching changelog 1.1.0
    Fetching commit-messages 1.2.0
    Fetching release 1.0.0
    Fetching writing-release-notes 2.1.0
   Installed changelog 1.1.0
   Installed commit-messages 1.2.0
   Installed release 1.0.0
   Installed writing-release-notes 2.1.0
      Locked 4 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    for line in [
        "list", "status", "outdated", "verify", "diff", "tree", "doctor",
    ] {
        let run = sandbox.skillpm(line).in_dir("src/deep").exits(0);
        let named = run
            .stderr_text()
            .matches("Using ../../skillpm.toml")
            .count();
        assert_eq!(named, 1, "{line}: {}", run.stderr_text());
    }
    sandbox
        .skillpm("remove release --quiet")
        .in_dir("src")
        .exits(0)
        .stderr(str![]);

    sandbox.skillpm("install").exits(0).never_prints("Using");
    for line in ["install -g", "list -g", "remove -g release"] {
        let run = sandbox.skillpm(line).in_dir("src/deep");
        run.exits_one_of([0, 1, 2]).never_prints("Using");
    }
}

#[test]
fn home_directory_is_not_made_a_project_by_the_way() {
    let sandbox = Sandbox::new();
    let home = sandbox.path("~/");
    sandbox
        .skillpm("add release")
        .in_dir(&home)
        .exits(2)
        .stderr(str![[r"
error: refusing to create a project in the home directory `[HOME]`
  its skills would be in the same directories as your own (`--global`)
help: pass `--global` to use your own skills instead
help: to make it a project all the same, run `skillpm init` there first

"]]);
    for line in ["add release --dry-run", "import", "add -g release"] {
        let code = if line.contains("-g") { 0 } else { 2 };
        sandbox.skillpm(line).in_dir(&home).exits(code);
    }
    sandbox.lacks(["~/skillpm.toml", "~/skillpm.lock"]);

    // On purpose.
    sandbox.skillpm("init").in_dir(&home).exits(0);
    sandbox.skillpm("add debugging").in_dir(&home).exits(0);
    sandbox.has(["~/skillpm.lock"]);
}

/// Many keep their home directory in git.
#[test]
fn home_directory_in_git_is_no_root_of_new_projects() {
    let sandbox = Sandbox::new();
    init_repository(&sandbox, "~");
    sandbox.write("~/notes/today.md", "");
    sandbox
        .skillpm("add release")
        .in_dir(sandbox.path("~/notes"))
        .exits(0);
    sandbox.has(["~/notes/skillpm.lock"]);
    sandbox.lacks(["~/skillpm.toml"]);
    sandbox
        .skillpm("add release")
        .in_dir(sandbox.path("~/"))
        .exits(2);
}

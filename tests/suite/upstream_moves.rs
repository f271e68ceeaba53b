//! Skills that moved in their repository, or left it, and sources that are gone: what `outdated` and `update` make of them.

use snapbox::str;

use crate::support::{Repo, Sandbox, skill_md};

/// A project with `alpha` and `other`, from the default branch of a repository.
fn with_alpha(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    repo.skill("skills/alpha", "Does alpha.")
        .write("skills/alpha/references/steps.md", "# Steps\n")
        .skill("skills/other", "Does other things.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0);
    repo
}

/// Moves a directory, and says so in its page.
fn move_skill(repo: &Repo, from: &str, to: &str) {
    std::fs::create_dir_all(repo.path().join(to).parent().unwrap()).unwrap();
    repo.git(&["mv", from, to]);
    let page = format!("{}Moved.\n", skill_md(to, "Does alpha."));
    repo.write(&format!("{to}/SKILL.md"), page);
}

#[test]
fn add_goes_on_without_the_sources_that_cannot_be_reached() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/alpha", "Does alpha.").commit("first");
    let gone = "http://127.0.0.1:1/gone";

    sandbox
        .skillpm(format!(
            "add {gone} {} http://127.0.0.1:1/other",
            repo.url()
        ))
        .exits(4)
        .stderr(str![[r"
    Fetching [URL]/gone
    Fetching file://[ROOT]/repos/skills
    Fetching [URL]/other
   Installed alpha 68950603
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills
warning: failed to connect to `127.0.0.1`: tcp connect error: connection refused (os error 111); while fetching `[URL]/gone`
error: failed to connect to `127.0.0.1`
  while fetching `[URL]/other`
caused by: tcp connect error
caused by: connection refused (os error 111)
help: check the network; behind a proxy, set `HTTPS_PROXY` or `git config --global http.proxy`
help: use `--offline` to work with cached data

"]]);
    sandbox.has([".agents/skills/alpha/SKILL.md"]);
    sandbox.skillpm("install --locked").exits(0);

    // None is left to add; and a name that does not exist is no source that fails.
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {gone} http://127.0.0.1:1/other"))
        .exits(4)
        .stderr(str![[r"
    Fetching [URL]/gone
    Fetching [URL]/other
error: 2 sources cannot be reached
  failed to connect to `127.0.0.1`: tcp connect error: connection refused (os error 111)
    while fetching `[URL]/gone`
  failed to connect to `127.0.0.1`: tcp connect error: connection refused (os error 111)
    while fetching `[URL]/other`
help: check the network; behind a proxy, set `HTTPS_PROXY` or `git config --global http.proxy`
help: use `--offline` to work with cached data

"]]);
    sandbox.skillpm(format!("add {gone} ./nowhere")).exits(1);
    snapshot.still_holds();
}

#[test]
fn moved_skill_is_followed_and_reported() {
    let sandbox = Sandbox::project_here();
    let repo = with_alpha(&sandbox);
    move_skill(&repo, "skills/alpha", "plugins/x/skills/alpha");
    repo.commit("move");
    let before = sandbox.read("skillpm.toml");

    sandbox
        .skillpm("outdated")
        .exits(0)
        .stdout(str![[r"
name   locked    fits      newest    source
alpha  6c6c9581  c71e88d2  c71e88d2  file://[ROOT]/repos/skills
other  6c6c9581  c71e88d2  c71e88d2  file://[ROOT]/repos/skills

"]])
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
       Moved alpha is in `plugins/x/skills/alpha` now

"]]);
    let lines = sandbox
        .skillpm("outdated --format json")
        .exits(0)
        .stdout_json_lines();
    let alpha = lines.iter().find(|line| line["name"] == "alpha").unwrap();
    assert_eq!(alpha["moved_to"], "plugins/x/skills/alpha");
    sandbox
        .skillpm("diff alpha --to latest")
        .exits(0)
        .stdout_has("+Moved.");
    sandbox.skillpm("update --dry-run").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
Would update alpha 6c6c9581 -> c71e88d2
  Would move alpha from `skills/alpha` to `plugins/x/skills/alpha`, where its repository has it now
    Dry run: nothing was changed

"]]);
    assert_eq!(sandbox.read("skillpm.toml"), before);

    sandbox.skillpm("update").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
     Updated alpha 6c6c9581 -> c71e88d2
       Moved alpha from `skills/alpha` to `plugins/x/skills/alpha`, where its repository has it now
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("path = \"plugins/x/skills/alpha\"")
    );
    assert!(
        sandbox
            .read(".agents/skills/alpha/SKILL.md")
            .contains("Moved.")
    );
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("update").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
   Unchanged 2 skills, up to date with skillpm.lock

"]]);
    sandbox.skillpm("undo").exits(0);
    assert_eq!(sandbox.read("skillpm.toml"), before);
}

#[test]
fn moved_skill_is_followed_to_the_newest_version_and_to_a_precise_one() {
    for update in ["update", "update alpha --precise 1.1.0", "update --latest"] {
        let sandbox = Sandbox::project_here();
        let repo = Repo::new(&sandbox, "skills");
        repo.skill("skills/alpha", "Does alpha.")
            .commit("1.0.0")
            .tag("v1.0.0");
        sandbox
            .skillpm(format!("add {} --skill alpha --version ^1", repo.url()))
            .exits(0);
        move_skill(&repo, "skills/alpha", "alpha");
        repo.commit("1.1.0").tag("v1.1.0");

        sandbox.skillpm(update).exits(0);
        assert_eq!(sandbox.locked("alpha", "version"), "1.1.0", "{update}");
        assert_eq!(sandbox.locked("alpha", "path"), "alpha");
        sandbox.skillpm("install --locked").exits(0);
    }
}

#[test]
fn skill_moves_to_the_root_and_from_there() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "alpha");
    repo.skill("skills/alpha", "Does alpha.").commit("first");
    sandbox
        .skillpm(format!("add {} --skill alpha", repo.url()))
        .exits(0);
    repo.git(&["mv", "skills/alpha/SKILL.md", "SKILL.md"]);
    repo.write("notes.md", "At the root.\n").commit("root");
    sandbox.skillpm("update").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/alpha
     Updated alpha 68950603 -> e1ec11f5
       Moved alpha from `skills/alpha` to `.`, where its repository has it now
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.reads(".agents/skills/alpha/notes.md", "At the root.\n");

    std::fs::create_dir_all(repo.path().join("plugins/alpha")).unwrap();
    repo.git(&["mv", "SKILL.md", "plugins/alpha/SKILL.md"]);
    repo.remove("notes.md").commit("away");
    sandbox.skillpm("update").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/alpha
     Updated alpha e1ec11f5 -> d180a17f
       Moved alpha from `.` to `plugins/alpha`, where its repository has it now
      Locked 1 skill in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.lacks([".agents/skills/alpha/notes.md"]);
    sandbox.skillpm("install --locked").exits(0);
}

#[test]
fn removed_skill_stays_and_stops_no_other() {
    let sandbox = Sandbox::project_here();
    let repo = with_alpha(&sandbox);
    repo.remove("skills/alpha")
        .skill("skills/other", "Does more.")
        .commit("remove");

    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout(str![[r"
name   locked    fits      newest    source
alpha  6c6c9581  -         63e1f172  file://[ROOT]/repos/skills
other  6c6c9581  63e1f172  63e1f172  file://[ROOT]/repos/skills

"]])
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
   Held back alpha 63e1f172: it is no longer in `skills/alpha` of its repository; to remove it, run `skillpm remove alpha`

"]]);
    sandbox.skillpm("update").exits(0).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
     Updated other 6c6c9581 -> 63e1f172
   Held back alpha 63e1f172: it is no longer in `skills/alpha` of its repository; to remove it, run `skillpm remove alpha`
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.has([".agents/skills/alpha/SKILL.md"]);
    // Also the next time, and for programs.
    let lines = sandbox
        .skillpm("update --format json")
        .exits(0)
        .stdout_json_lines();
    let held = lines.iter().find(|line| line["type"] == "held-back");
    assert_eq!(held.unwrap()["name"], "alpha");
    sandbox
        .skillpm("diff alpha --to latest")
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: `alpha` has no 63e1f172: it is no longer in `skills/alpha` of its repository; to remove it, run `skillpm remove alpha`
   Unchanged already at that version

"]]);
    sandbox.skillpm("remove alpha").exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);
}

#[test]
fn renamed_split_or_duplicate_skill_is_held_back_with_the_way_to_it() {
    type Change = fn(&Repo);
    let cases: [(&str, Change); 4] = [
        // Another name, and most of the page is the same. A skill that moved is no candidate.
        ("skills/omega", |repo| {
            repo.git(&["mv", "skills/alpha", "skills/omega"]);
            repo.skill("skills/omega", "Does alpha.");
            repo.git(&["mv", "skills/other", "other"]);
        }),
        // Another name, and nothing of it is known elsewhere.
        ("", |repo| {
            repo.remove("skills/alpha")
                .skill("skills/zeta", "Does something new.");
        }),
        // In two.
        ("skills/alpha-read", |repo| {
            repo.remove("skills/alpha")
                .skill("skills/alpha-read", "Reads.")
                .skill("skills/alpha-write", "Writes.");
        }),
        // Two different ones of the name.
        ("skills/a/alpha", |repo| {
            move_skill(repo, "skills/alpha", "skills/a/alpha");
            repo.skill("skills/b/alpha", "Does something else.");
        }),
    ];
    let mut outputs = String::new();
    for (place, change) in cases {
        let sandbox = Sandbox::project_here();
        let repo = with_alpha(&sandbox);
        change(&repo);
        let other = if repo.path().join("other").is_dir() {
            "other"
        } else {
            "skills/other"
        };
        repo.skill(other, "Does more.").commit("change");

        let outcome = sandbox.skillpm("update").exits(0);
        outcome.stderr_has("Updated other");
        let held = outcome
            .stderr_text()
            .lines()
            .find(|line| line.contains("Held back"));
        let held = held.unwrap().trim();
        let (_, command) = held.rsplit_once("run `").unwrap();
        let command = command.strip_suffix('`').unwrap();
        // The command works as it is printed.
        let done = sandbox
            .shell(command)
            .current_dir(sandbox.path("."))
            .output()
            .unwrap();
        assert!(done.status.success(), "{command}: {done:?}");
        assert!(sandbox.read("skillpm.lock").contains(place), "{place}");
        sandbox.skillpm("outdated --exit-code").exits(0);
        outputs += &held.replace(&repo.url(), "URL");
        outputs.push('\n');
    }
    snapbox::assert_data_eq!(
        outputs,
        str![[r"
Held back alpha 060434d6: it is no longer in `skills/alpha` of its repository, which has `skills/omega` now; to use that, run `skillpm add URL --path skills/omega && skillpm remove alpha`
Held back alpha a3208792: it is no longer in `skills/alpha` of its repository; to remove it, run `skillpm remove alpha`
Held back alpha c55a2159: it is no longer in `skills/alpha` of its repository, which has `skills/alpha-read`, `skills/alpha-write` now; to use the first, run `skillpm add URL --path skills/alpha-read && skillpm remove alpha`
Held back alpha 174afbef: it is no longer in `skills/alpha` of its repository, which has `skills/a/alpha`, `skills/b/alpha` now; to use the first, run `skillpm remove alpha && skillpm add URL --path skills/a/alpha`

"]]
    );
}

#[test]
fn latest_version_without_a_skill_holds_back_that_skill_only() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/alpha", "Does alpha.")
        .skill("skills/other", "Does other things.")
        .commit("1.0.0")
        .tag("v1.0.0");
    for name in ["alpha", "other"] {
        sandbox
            .skillpm(format!("add {} --skill {name} --version ^1", repo.url()))
            .exits(0);
    }
    repo.git(&["mv", "skills/alpha", "skills/omega"]);
    repo.skill("skills/omega", "Does alpha.")
        .skill("skills/other", "Does more.")
        .commit("2.0.0")
        .tag("v2.0.0");

    let outcome = sandbox.skillpm("update --latest").exits(0);
    outcome.stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
     Updated other 1.0.0 -> 2.0.0
   Held back alpha 2.0.0: it is no longer in `skills/alpha` of its repository, which has `skills/omega` now; to use that, run `skillpm add file://[ROOT]/repos/skills@^2.0.0 --path skills/omega && skillpm remove alpha`
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    assert_eq!(sandbox.locked("other", "version"), "2.0.0");
    let mut lines = outcome.stderr_text().lines();
    let held = lines.find(|line| line.contains("Held back")).unwrap();
    let (_, command) = held.rsplit_once("run `").unwrap();
    let done = sandbox
        .shell(command.strip_suffix('`').unwrap())
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!(sandbox.locked("omega", "version"), "2.0.0");
}

#[test]
fn skill_of_a_member_moves_in_the_manifest_of_that_member() {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[workspace]\nmembers = [\"skills/*\"]\n");
    sandbox.write_skill("skills/own", "Does its own.");
    sandbox.write("skills/own/skillpm.toml", "");
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("alpha", "Does alpha.").commit("first");
    sandbox
        .skillpm(format!("-C skills/own add {} --skill alpha", repo.url()))
        .exits(0);
    move_skill(&repo, "alpha", "skills/alpha");
    repo.commit("move");

    let outcome = sandbox.skillpm("update").exits(0);
    outcome.stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
   Held back alpha 3e75dfe0: it moved to `skills/alpha`; run `skillpm -C skills/own update alpha`
   Unchanged 1 skill, up to date with skillpm.lock

"]]);
    sandbox.skillpm("-C skills/own update alpha").exits(0);
    assert!(
        sandbox
            .read("skills/own/skillpm.toml")
            .contains("path = \"skills/alpha\"")
    );
    sandbox.skillpm("install --locked").exits(0);
}

#[test]
fn source_that_is_gone_hides_no_update_of_the_others() {
    let sandbox = Sandbox::project_here();
    let repos: Vec<Repo> = ["one", "two", "three"]
        .iter()
        .map(|name| {
            let repo = Repo::new(&sandbox, name);
            repo.skill(&format!("skills/{name}-skill"), "Does one thing.")
                .commit("first");
            sandbox
                .skillpm(format!("add {} --all", repo.url()))
                .exits(0);
            repo
        })
        .collect();
    sandbox.write_skill("local/here", "Does it here.");
    sandbox.skillpm("add ./local/here").exits(0);
    repos[1]
        .skill("skills/two-skill", "Does more.")
        .commit("second");
    repos[0].delete();
    sandbox.delete("local");
    // A broken one: a name that no agent takes.
    repos[2]
        .write("skills/three-skill/SKILL.md", "no frontmatter\n")
        .commit("break");

    // The sources are queried in any order.
    let outcome = sandbox.skillpm("update").exits(1);
    let lines = outcome.stderr_text().lines();
    let lines: Vec<&str> = lines.filter(|line| !line.contains("Fetching")).collect();
    let text = lines
        .join("\n")
        .replace(&sandbox.root().display().to_string(), "[ROOT]");
    snapbox::assert_data_eq!(
        text,
        str![[r#"
     Updated two-skill ec546963 -> 6cb6811e
      Locked 4 skills in skillpm.lock
   Skills in .agents/skills
warning: directory `local/here` not found; kept as locked: `here`
warning: `file://[ROOT]/repos/one` is not a git repository: "[ROOT]/repos/one" does not appear to be a git repository: could not retrieve metadata of "[ROOT]/repos/one": no such file or directory (os error 2); kept as locked: `one-skill`
error: invalid skill at `skills/three-skill/SKILL.md:1:1`: the file does not begin with `---`
  skillpm does not list it (frontmatter-missing)
  kept as locked: `three-skill`
help: begin the file with `---`, a `name`, a `description` and `---`, each on its own line
"#]]
    );
    assert!(
        sandbox
            .read(".agents/skills/two-skill/SKILL.md")
            .contains("Does more.")
    );
    let lock = sandbox.snapshot();
    // Of one that is named there is nothing to go on with.
    sandbox
        .skillpm("update one-skill")
        .exits(1)
        .stderr(str![[r#"
error: `file://[ROOT]/repos/one` is not a git repository
caused by: "[ROOT]/repos/one" does not appear to be a git repository
caused by: could not retrieve metadata of "[ROOT]/repos/one"
caused by: no such file or directory (os error 2)
help: for a directory that is not a repository, use its path without `file://`

"#]]);
    // A directory is read by every command.
    sandbox.skillpm("update two-skill").exits(1).stderr(str![[r"
    Fetching file://[ROOT]/repos/two
   Unchanged 4 skills, up to date with skillpm.lock
error: directory `local/here` not found
  kept as locked: `here`
help: check its spelling; write a repository as `gh:owner/repo` or as a URL

"]]);
    lock.still_holds();
}

#[test]
fn skill_added_again_after_a_move_keeps_its_requirement() {
    for (reference, field) in [
        ("--version ^1", "version = \"^1\""),
        ("--branch main", "branch = \"main\""),
    ] {
        let sandbox = Sandbox::project_here();
        let repo = Repo::new(&sandbox, "skills");
        repo.skill("skills/alpha", "Does alpha.").commit("first");
        repo.tag("v1.0.0");
        sandbox
            .skillpm(format!("add {} {reference}", repo.url()))
            .exits(0);
        repo.git(&["mv", "skills/alpha", "skills/omega"]);
        repo.commit("move");
        repo.tag("v1.1.0");
        let updated = sandbox.skillpm("update").exits(0);
        updated
            .stderr_has("Moved alpha from")
            .stderr_has("Updated alpha ");

        let manifest = sandbox.read("skillpm.toml");
        assert!(manifest.contains("path = \"skills/omega\""), "{manifest}");
        assert!(manifest.contains(field), "{manifest}");
        for name in ["omega", "alpha"] {
            sandbox
                .skillpm(format!("add {} --skill {name}", repo.url()))
                .exits(0);
            sandbox.reads("skillpm.toml", &manifest);
        }
        // A requirement that is given is written.
        sandbox
            .skillpm(format!("add {} --skill omega --version ^1.1", repo.url()))
            .exits(0);
        assert!(sandbox.read("skillpm.toml").contains("\"^1.1\""));
    }
}

#[test]
fn skill_with_a_new_name_is_added_beside_the_old_one() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/alpha", "Does alpha.").commit("first");
    repo.tag("v1.0.0");
    sandbox
        .skillpm(format!("add {} --version ^1", repo.url()))
        .exits(0);
    let entry = sandbox
        .read("skillpm.toml")
        .lines()
        .find(|line| line.starts_with("alpha"))
        .unwrap()
        .to_owned();
    let page = repo.path().join("skills/alpha/SKILL.md");
    let text = std::fs::read_to_string(&page).unwrap();
    repo.write(
        "skills/alpha/SKILL.md",
        text.replace("name: alpha", "name: omega"),
    );
    repo.commit("rename");
    repo.tag("v1.1.0");
    sandbox.skillpm("update").exits(0);
    sandbox
        .skillpm(format!("add {} --skill omega --version ^1.1", repo.url()))
        .exits(0);
    let manifest = sandbox.read("skillpm.toml");
    assert!(manifest.contains(&entry), "{manifest}");
    assert!(manifest.contains("omega = "), "{manifest}");
}

//! One error each, with the place and a help line, and nothing half-done.

use snapbox::{assert_data_eq, str};

use crate::git_references::versions;
use crate::support::{Repo, Sandbox, file_url, skill_md};

/// Fails unless `add SPEC` ends with this code and one error that has these words, and leaves the project as it was.
#[track_caller]
fn add_fails<const N: usize>(sandbox: &Sandbox, spec: &str, code: i32, words: [&str; N]) {
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {spec}"))
        .exits(code)
        .explains(words);
    snapshot.still_holds();
    assert!(
        sandbox.tree("../tmp").is_empty(),
        "{:?}",
        sandbox.tree("../tmp")
    );
}

#[test]
fn missing_repository() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.delete();
    add_fails(
        &sandbox,
        &format!("{} --skill pdf", repo.url()),
        1,
        ["repos/skills"],
    );
}

#[test]
fn directory_that_is_no_repository() {
    let sandbox = Sandbox::project_here();
    sandbox.write("../repos/plain/README.md", "");
    let url = file_url(&sandbox.root().join("repos/plain"));
    add_fails(&sandbox, &format!("{url} --skill pdf"), 1, ["repos/plain"]);
}

#[test]
fn unknown_tag() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    add_fails(
        &sandbox,
        &format!("{} --skill pdf --tag v1.0", repo.url()),
        1,
        ["v1.0", "v1.0.0"],
    );
}

#[test]
fn unknown_branch() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    add_fails(
        &sandbox,
        &format!("{} --skill pdf --branch mian", repo.url()),
        1,
        ["mian", "main"],
    );
}

#[test]
fn unknown_revision() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    let commit = "0123456789012345678901234567890123456789";
    add_fails(
        &sandbox,
        &format!("{} --skill pdf --rev {commit}", repo.url()),
        1,
        ["[COMMIT]"],
    );
}

#[test]
fn reference_that_looks_like_an_option() {
    for flag in ["--tag=--upload-pack=touch", "--branch=-b", "--rev=--help"] {
        let sandbox = Sandbox::project_here();
        let repo = versions(&sandbox);
        add_fails(
            &sandbox,
            &format!("{} --skill pdf {flag}", repo.url()),
            2,
            [],
        );
    }
}

#[test]
fn unknown_skill_name() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    add_fails(
        &sandbox,
        &format!("{} --skill pfd", repo.url()),
        1,
        ["pfd", "`pdf`"],
    );
}

#[test]
fn path_without_a_skill() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    add_fails(
        &sandbox,
        &format!("{} --path skills/pfd", repo.url()),
        1,
        ["skills/pfd"],
    );
}

#[test]
fn path_that_leaves_the_repository() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    add_fails(
        &sandbox,
        &format!("{} --path ../skills/pdf", repo.url()),
        2,
        [],
    );
}

#[test]
fn repository_without_skills() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "readme");
    repo.write("README.md", "nothing here\n").commit("first");
    for choice in ["", "--all", "--skill pdf"] {
        add_fails(
            &sandbox,
            &format!("{} {choice}", repo.url()),
            1,
            ["repos/readme", "SKILL.md"],
        );
    }
}

#[test]
fn empty_repository() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "empty");
    add_fails(
        &sandbox,
        &format!("{} --all", repo.url()),
        1,
        ["repos/empty"],
    );
}

#[test]
fn empty_directory() {
    let sandbox = Sandbox::project_here();
    std::fs::create_dir(sandbox.path("../hollow")).unwrap();
    add_fails(&sandbox, "../hollow", 1, ["hollow", "SKILL.md"]);
}

#[test]
fn missing_directory() {
    let sandbox = Sandbox::project_here();
    add_fails(&sandbox, "./nowhere", 1, ["nowhere"]);
}

#[test]
fn skill_without_a_description() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.write(
        "skills/pdf/SKILL.md",
        "---\nname: pdf\nlicense: MIT\n---\nbody\n",
    )
    .commit("first");
    add_fails(
        &sandbox,
        &format!("{} --skill pdf", repo.url()),
        1,
        ["skills/pdf/SKILL.md:1", "description"],
    );
}

#[test]
fn invalid_frontmatter_is_reported_with_line_and_column() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: never closed\nbody\n",
    );
    add_fails(&sandbox, "./pdf", 1, ["pdf/SKILL.md:"]);
}

#[test]
fn one_invalid_skill_of_many_is_reported_by_all() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/csv", "Reads CSV.")
        .write("skills/pdf/SKILL.md", "no frontmatter\n")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits_one_of([0, 1])
        .stderr_has("skills/pdf/SKILL.md");
}

#[test]
fn path_in_the_frontmatter_name_is_refused() {
    for name in [
        "..",
        "../../../evil",
        "/tmp/skillpm-evil",
        "a/b",
        "\"demo\\e[31mred\"",
        "d\u{435}mo",
        "--help",
    ] {
        let sandbox = Sandbox::project_here();
        let repo = Repo::new(&sandbox, "skills");
        let text = format!("---\nname: {name}\ndescription: Does harm.\n---\n");
        repo.write("skills/demo/SKILL.md", text).commit("first");
        let snapshot = sandbox.snapshot();
        let outcome = sandbox
            .skillpm(format!("add {} --all", repo.url()))
            .exits_one_of([1, 2, 3]);
        outcome.explains(["skills/demo"]).never_prints("\u{1b}");
        snapshot.still_holds();
        assert!(!std::path::Path::new("/tmp/skillpm-evil").exists());
    }
}

#[test]
fn unknown_spec() {
    for spec in ["'a b'", "ftp://host/a", "ext::sh", "''", "http://"] {
        let sandbox = Sandbox::project_here();
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("add {spec}"))
            .exits(2)
            .stderr_has("error");
        snapshot.still_holds();
    }
}

#[test]
fn invalid_requirement() {
    let sandbox = Sandbox::project_here();
    let repo = versions(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf --version newest", repo.url()))
        .exits(2)
        .stderr_has("newest");
    snapshot.still_holds();
}

#[test]
fn file_in_place_of_the_skills_directory() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write(".agents", "a file\n");
    add_fails(&sandbox, "./pdf", 6, [".agents"]);
}

#[test]
fn file_in_place_of_skillpm_home() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.write("~/.skillpm", "a file\n");
    add_fails(
        &sandbox,
        &format!("{} --skill pdf", repo.url()),
        6,
        [".skillpm"],
    );
}

#[cfg(unix)]
#[test]
fn missing_object_in_the_repository() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let blob = repo.git(&["rev-parse", "HEAD:skills/pdf/SKILL.md"]);
    std::fs::remove_file(
        repo.path()
            .join(".git/objects")
            .join(&blob[..2])
            .join(&blob[2..]),
    )
    .unwrap();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits_one_of([3, 4])
        .explains(["repos/skills"]);
    snapshot.still_holds();
}

#[test]
fn each_invalid_requirement_has_its_own_help() {
    let sandbox = Sandbox::project_here();
    for (req, help) in [
        (
            "latest",
            "for the newest version, omit the requirement or write `*`",
        ),
        ("v1.2", "write it as `1.2`"),
        ("^v1", "write it as `^1`"),
        ("==1.2.0", "write it as `=1.2.0`"),
        ("~>1.2", "write it as `^1.2`"),
        (">=1 <2", "write it as `>=1, <2`"),
        (
            "1.x || 2.x",
            "`||` is not supported; a range that covers all of it is `>=1, <3`",
        ),
    ] {
        let wanted = [
            format!("invalid version requirement `{req}`"),
            format!("help: {help}"),
        ];
        let mut told = vec![
            sandbox
                .skillpm(format!("add pdf '--version={req}'"))
                .exits(2),
        ];
        told.push(sandbox.skillpm(format!("add 'pdf@{req}'")).exits(2));
        sandbox.write("skillpm.toml", format!("[dependencies]\npdf = \"{req}\"\n"));
        told.push(sandbox.skillpm("lock").exits(2));
        sandbox.write("skillpm.toml", "");
        for (outcome, wanted) in told
            .iter()
            .flat_map(|outcome| wanted.iter().map(move |wanted| (outcome, wanted)))
        {
            outcome.stderr_has(wanted);
        }
    }
}

#[test]
fn invalid_key_is_reported_at_the_key_and_not_at_its_value() {
    let sandbox = Sandbox::new();
    for (text, place) in [
        (
            "[dependencies]\n\"Bad Name\" = \"^1\"\n",
            "skillpm.toml:2:1",
        ),
        (
            "[dependencies]\nok = \"^1\"\n  \"a/b/c\"   = { git = \"https://h/r\" }\n",
            "skillpm.toml:3:3",
        ),
        ("[dependencies]\nok = \"^x\"\n", "skillpm.toml:2:6"),
        (
            "[workspace]\nmembers = []\n[workspace.dependencies]\n\"Bad Name\" = \"^1\"\n",
            "skillpm.toml:4:1",
        ),
    ] {
        sandbox.write("skillpm.toml", text);
        sandbox.skillpm("lock").exits(2).stderr_has(place);
    }
}

#[test]
fn manifest_that_no_command_could_read_is_not_written() {
    let sandbox = Sandbox::project_here();
    sandbox.write("local/pdf/SKILL.md", skill_md("pdf", "1.0.0"));
    let padding = " ".repeat((512 << 10) - 20);
    sandbox.write("skillpm.toml", format!("#{padding}\n[dependencies]\n"));
    add_fails(
        &sandbox,
        "./local/pdf",
        1,
        [
            "refusing to write `skillpm.toml`: it would have",
            "the limit is 524288",
        ],
    );
}

#[test]
fn errors_of_a_manifest_show_the_line_and_the_likely_key() {
    let sandbox = Sandbox::new();
    let mut printed = String::new();
    for text in [
        "foo =\n",
        "[instal]\ndir = \"x\"\n",
        "[dependencies]\npdf = { git = \"https://acme.dev/pdf\", verson = \"1\" }\n",
        "[dependencies]\n\tpdf = 1\n",
        "[install]\ntargets = [\"claude\"]\n",
        "[dependencies]\npdf = \"1\n",
    ] {
        sandbox.write("skillpm.toml", text);
        printed += sandbox.skillpm("list").exits_one_of([1, 2]).stderr_text();
    }
    assert_data_eq!(
        printed,
        str![[r#"
error: failed to parse manifest at `skillpm.toml:1:6`: no value after `foo =`
  1 | foo =
    |      ^
help: write a value there, such as `"1.2"`
error: failed to parse manifest at `skillpm.toml:1:2`: unknown key `instal`
  1 | [instal]
    |  ^^^^^^
help: write `install`
error: failed to parse manifest at `skillpm.toml:2:39`: unknown key `verson`
  2 | pdf = { git = "https://acme.dev/pdf", verson = "1" }
    |                                       ^^^^^^
help: write `version`
error: failed to parse manifest at `skillpm.toml:2:8`: invalid type: integer `1`, expected a version requirement such as "^1.2" or a table such as { git = "…" }
  2 |  pdf = 1
    |        ^
help: write `"1"`, with quotes
error: unknown agent `claude`
  it is in `targets` under `[install]` in `skillpm.toml`
help: did you mean `claude-code`?
help: `skillpm agents list --all` lists all agents
error: failed to parse manifest at `skillpm.toml:2:9`: invalid basic string, expected `"`
  2 | pdf = "1
    |         ^
help: correct the line, then run the command again

"#]]
    );
}

/// What a `help:` line says to run, or else to write, is what fixes the mistake.
#[test]
fn command_of_the_help_fixes_the_mistake() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("config set net.ofline true")
        .exits(2)
        .stderr(str![[r"
error: unknown setting `net.ofline`
  in `[HOME]/.skillpm/config.toml`
help: did you mean `net.offline`?

"]]);
    sandbox
        .skillpm("config set net.offline maybe")
        .exits(2)
        .stderr(str![[r"
error: invalid value `maybe` for `net.offline`: expected `true` or `false`
  in `[HOME]/.skillpm/config.toml`
help: for example `skillpm config set net.offline true`

"]]);
    sandbox.skillpm("-C nodir list").exits(2).stderr(str![[r"
error: directory `nodir` not found
  in `[ROOT]/project`
help: `mkdir -p nodir` creates it

"]]);
    sandbox
        .skillpm("-C skillpm.toml list")
        .exits(2)
        .stderr(str![[r"
error: `skillpm.toml` is no directory
help: `-C` requires the directory to run in

"]]);

    // A directory that is no skill yet becomes one, and keeps its files.
    sandbox.write("notes/old.txt", "mine");
    sandbox.skillpm("add ./notes").exits(1).stderr(str![[r"
error: no skill found in `./notes`
  a skill is a directory with a `SKILL.md`
help: `skillpm new notes` writes one there

"]]);
    sandbox.skillpm("new notes").exits(0);
    sandbox.reads("notes/old.txt", "mine");
    sandbox.skillpm("add ./notes").exits(0);
    let before = sandbox.snapshot();
    sandbox.skillpm("new notes").exits(1).stderr(str![[r"
error: destination `[ROOT]/project/notes/SKILL.md` already exists
help: choose another name or directory

"]]);
    before.still_holds();

    // The lockfile is named where it may be what is wrong.
    sandbox.skillpm("add changelog").exits(0);
    let lock = sandbox.read("skillpm.lock");
    let at = lock.find("skill-tree-v1:").unwrap() + "skill-tree-v1:".len();
    let digit = if &lock[at..=at] == "0" { "1" } else { "0" };
    sandbox.write(
        "skillpm.lock",
        format!("{}{digit}{}", &lock[..at], &lock[at + 1..]),
    );
    for gone in [".agents/skills", ".skillpm", "~/.skillpm"] {
        sandbox.delete(gone);
    }
    sandbox
        .skillpm("install")
        .exits(3)
        .stderr_has("help: if skillpm.lock was edited, or merged by hand, restore it: `git checkout skillpm.lock`\n");
    sandbox.write("skillpm.lock", lock);
    sandbox.skillpm("install").exits(0);
}

#[test]
fn conflict_names_its_lines_and_the_whole_command() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    let page = |first: &str, last: &str| {
        format!(
            "---\nname: pdf\ndescription: Reads PDF.\n---\n{first}\n2\n3\n4\n5\n6\n7\n8\n{last}\n"
        )
    };
    repo.write("skills/pdf/SKILL.md", page("1", "9"))
        .commit("one")
        .tag("v1.0.0");
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    repo.write("skills/pdf/SKILL.md", page("theirs", "theirs"))
        .commit("two")
        .tag("v2.0.0");
    sandbox.write(".agents/skills/pdf/SKILL.md", page("mine", "mine"));
    sandbox
        .skillpm("update pdf --latest")
        .exits(1)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: conflicting changes in `pdf`: you and upstream changed the same lines
  pdf/SKILL.md: lines 5, 13
  nothing was changed
help: run `skillpm update pdf --latest --merge` to write both with conflict markers, or pass `--ours` or `--theirs` to use one side

"]]);
    sandbox.skillpm("update pdf --latest --merge").exits(1);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("<<<<<<< yours")
    );
}

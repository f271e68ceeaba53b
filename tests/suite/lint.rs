//! `lint` as a whole: what is looked at, which settings hold, what is exempted, what was there before.

use std::fs;
use std::path::Path;

use serde_json::Value;
use snapbox::str;

use crate::support::{Repo, Sandbox};

/// A page that has nothing to be told of it but that its body is missing.
const EMPTY: &str = "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nlicense: MIT\n---\n";

/// The same of another name.
fn empty(name: &str) -> String {
    EMPTY
        .replace("name: pdf", &format!("name: {name}"))
        .replace("PDF forms", &format!("{name} forms"))
}

fn whole(name: &str) -> String {
    empty(name) + "\n# Forms\n\nList the fields first, then fill them one at a time.\n"
}

/// What `--format short` prints for an [`empty`] page.
fn told(path: &str) -> String {
    format!("{path}:5:1: warning[SK401] body-empty: the skill has no instructions\n")
}

fn lint(sandbox: &Sandbox, arguments: &str) -> String {
    let line = format!("lint --format short {arguments}");
    sandbox
        .skillpm(line)
        .exits_one_of([0, 1])
        .stdout_text()
        .to_owned()
}

#[test]
fn every_skill_is_found_except_ignored_and_vendored_ones() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "mine");
    for dir in [
        ".claude/skills/a",
        "skills/b",
        "skills/b/inner/c",
        "out/d",
        "node_modules/e",
    ] {
        repo.write(
            &format!("{dir}/SKILL.md"),
            empty(dir.rsplit('/').next().unwrap()),
        );
    }
    repo.write(".gitignore", "out/\n");
    let lint = |arguments: &str| {
        let run = sandbox
            .skillpm(format!("lint --select SK401 --format short {arguments}"))
            .in_dir(repo.path());
        run.exits(0).stdout_text().to_owned()
    };
    let all = [
        ".claude/skills/a/SKILL.md",
        "skills/b/SKILL.md",
        "skills/b/inner/c/SKILL.md",
    ]
    .map(told)
    .concat();
    assert_eq!(lint(""), all);
    assert_eq!(lint("."), all);
    assert_eq!(
        lint("out"),
        told("out/d/SKILL.md"),
        "what is named is looked at"
    );
    assert_eq!(
        lint("skills/b skills"),
        all.replace(&told(".claude/skills/a/SKILL.md"), ""),
        "and once"
    );
    for _ in 0..5 {
        assert_eq!(lint(""), all, "whatever the threads do");
    }
}

#[test]
fn file_argument_selects_its_skill() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/a/SKILL.md", empty("a"));
    sandbox.write("skills/a/scripts/x.sh", "#!/bin/sh\nset -e\ntrue\n");
    sandbox.write("skills/b/SKILL.md", empty("b"));
    sandbox.write("README.md", "hello");
    assert_eq!(
        lint(&sandbox, "--select SK401 skills/a/SKILL.md"),
        told("skills/a/SKILL.md")
    );
    assert_eq!(
        lint(&sandbox, "--select SK401 README.md skills/a/scripts/x.sh"),
        told("skills/a/SKILL.md")
    );
    sandbox
        .skillpm("lint README.md")
        .exits(0)
        .stdout("")
        .stderr("      Linted nothing: the paths belong to no skill\n");
}

#[test]
fn missing_path_is_reported() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("lint")
        .exits(0)
        .stdout("")
        .stderr("      Linted nothing: no skill found below this directory\n");
    sandbox
        .skillpm("lint nowhere")
        .exits(2)
        .stderr("error: path `nowhere` not found\nhelp: pass directories that contain skills, or files of skills\n");
    sandbox.write("docs/a.md", "x");
    sandbox
        .skillpm("lint docs --format short")
        .exits(1)
        .stdout("docs/SKILL.md: error[SK001] missing-skill-md: the directory has no `SKILL.md`\n");
}

#[test]
fn nearest_manifest_with_lint_applies_and_flags_override_it() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[lint]\nselect = [\"SK401\"]\nbody-empty = \"deny\"\n",
    );
    sandbox.write("a/SKILL.md", empty("a"));
    sandbox.write("b/SKILL.md", empty("b"));
    sandbox.write(
        "b/skillpm.toml",
        "[lint]\nselect = [\"SK401\"]\n[[lint.overrides]]\npaths = [\"SKILL.md\"]\nSK401 = \"note\"\n",
    );
    let error = told("a/SKILL.md").replace("warning", "error");
    sandbox
        .skillpm("lint --format short")
        .exits(1)
        .stdout(error.clone());
    sandbox
        .skillpm("lint --format short --isolated --select SK401")
        .exits(0)
        .stdout(told("a/SKILL.md") + &told("b/SKILL.md"));
    sandbox
        .skillpm("lint --format short --allow body-empty")
        .exits(0)
        .stdout("");
    sandbox
        .skillpm("lint --format short --warn SK401")
        .exits(0)
        .stdout(told("a/SKILL.md") + &told("b/SKILL.md"));
    sandbox
        .skillpm("lint --format short --deny-warnings --warn SK401")
        .exits(1)
        .stdout(error + &told("b/SKILL.md").replace("warning", "error"));
    assert_eq!(
        lint(&sandbox, "--notes b"),
        told("b/SKILL.md").replace("warning", "note")
    );
}

#[test]
fn override_paths_are_relative_to_the_manifest() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[lint]\nselect = [\"SK401\"]\n[[lint.overrides]]\npaths = [\"skills/old\"]\nbody-empty = \"allow\"\n",
    );
    sandbox.write("skills/old/a/SKILL.md", empty("a"));
    sandbox.write("skills/new/SKILL.md", empty("new"));
    for (dir, arguments, expected) in [
        (".", "", "skills/new/SKILL.md"),
        ("skills", "", "new/SKILL.md"),
        ("skills/old", "..", "../new/SKILL.md"),
    ] {
        let run = sandbox
            .skillpm(format!("lint --format short {arguments}"))
            .in_dir(sandbox.path(dir));
        run.exits(0).stdout(told(expected));
    }
    let full = sandbox.path("skills").display().to_string();
    assert_eq!(lint(&sandbox, &full).lines().count(), 1);
}

#[test]
fn invalid_lint_setting_is_shown_with_its_line() {
    let sandbox = Sandbox::new();
    sandbox.write("a/SKILL.md", whole("a"));
    sandbox.write("skillpm.toml", "[lint]\nselct = [\"SK401\"]\n");
    sandbox.skillpm("lint").exits(2).stdout("").stderr(
        "error: skillpm.toml:2:1: unknown key `selct` in `[lint]`\n    |\n  2 | selct = [\"SK401\"]\n    | ^^^^^\n\
         help: did you mean `select`?\n",
    );
    sandbox.write(
        "skillpm.toml",
        "[lint]\nselect = [\"SK401\"]\nbody-emtpy = \"deny\"\n",
    );
    sandbox.skillpm("lint").exits(0).stderr_has(
        "warning: skillpm.toml:3:1: unknown rule `body-emtpy`\nhelp: did you mean `body-empty`?\n",
    );
    sandbox.write("skillpm.toml", "[lint]\ntargets = [\"cdoex\"]\n");
    sandbox.skillpm("lint").exits(2).stderr(str![[r"
error: unknown target at skillpm.toml:2:12
caused by: unknown agent `cdoex`
help: did you mean `codex`?
help: `skillpm agents list --all` lists all agents

"]]);
    sandbox
        .skillpm("lint --isolated --deny body-emtpy")
        .exits(2)
        .stderr("error: unknown rule `body-emtpy`\nhelp: did you mean `body-empty`?\n");
}

#[test]
fn exemption_needs_a_reason_and_an_unused_one_is_reported() {
    let sandbox = Sandbox::new();
    let with =
        |comment: &str, page: String| page.replace("---\nname", &format!("---\n{comment}\nname"));
    sandbox.write(
        "a/SKILL.md",
        with(
            "# skillpm: ignore[body-empty] it carries templates",
            empty("a"),
        ),
    );
    sandbox.write(
        "b/SKILL.md",
        with("# skillpm: ignore[SK401] it carries templates", whole("b")),
    );
    sandbox.write(
        "c/SKILL.md",
        with("# skillpm: ignore[SK401, nonsense]", empty("c")),
    );
    let stdout = lint(&sandbox, "--select SK401,SK02");
    assert_eq!(
        stdout,
        "b/SKILL.md:2:1: warning[SK022] unused-suppression: `SK401` reports nothing that this comment covers\n\
         c/SKILL.md:2:1: warning[SK020] suppression-without-reason: the comment gives no reason\n\
         c/SKILL.md:2:26: warning[SK021] suppression-unknown-rule: unknown rule `nonsense`\n"
    );
    sandbox.skillpm("lint --fix b").exits(0);
    sandbox.reads("b/SKILL.md", &whole("b"));
}

#[test]
fn baseline_hides_only_old_findings() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/a/SKILL.md", empty("a"));
    sandbox.write("skills/b/SKILL.md", empty("b"));
    let flags = "--select SK401 --baseline lint-baseline.toml";
    sandbox.skillpm(format!("lint {flags}")).exits(2).stderr(
        "error: baseline `lint-baseline.toml` not found\n\
         help: to create it, run `skillpm lint --write-baseline --baseline lint-baseline.toml`\n",
    );
    sandbox
        .skillpm(format!("lint --write-baseline {flags}"))
        .exits(0)
        .stdout("")
        .stderr_has("    Recorded 2 findings in `lint-baseline.toml`\n");
    let recorded = sandbox.read("lint-baseline.toml");
    assert_eq!(lint(&sandbox, flags), "");
    let run =
        sandbox.skillpm("lint --format short --select SK401 --baseline ../lint-baseline.toml b a");
    run.in_dir(sandbox.path("skills")).exits(0).stdout("");

    sandbox.write(
        "skills/a/SKILL.md",
        empty("a").replace("license: MIT\n", "license: MIT\ncompatibility: any\n"),
    );
    sandbox.write("skills/c/SKILL.md", empty("c"));
    assert_eq!(
        lint(&sandbox, flags),
        told("skills/c/SKILL.md"),
        "lines may move"
    );
    sandbox.write("skills/b/SKILL.md", whole("b"));
    let run = sandbox
        .skillpm(format!("lint --format short {flags}"))
        .exits(0);
    run.stdout(told("skills/c/SKILL.md")).stderr_has(
        "warning: the baseline is stale: `body-empty` in `skills/b/SKILL.md` no longer occurs\n",
    );
    assert_eq!(sandbox.read("lint-baseline.toml"), recorded);

    sandbox
        .skillpm(format!("lint --write-baseline {flags} skills/b"))
        .exits(0);
    let text = sandbox.read("lint-baseline.toml");
    assert!(
        text.contains("skills/a/") && !text.contains("skills/b/") && !text.contains("skills/c/"),
        "{text}"
    );
}

#[test]
fn manifest_names_a_baseline() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[lint]\nselect = [\"SK401\"]\nbaseline = \"ci/known.toml\"\n",
    );
    sandbox.write("skills/a/SKILL.md", empty("a"));
    sandbox
        .skillpm("lint --write-baseline")
        .exits(0)
        .stderr_has("    Recorded 1 finding in `ci/known.toml`\n");
    sandbox
        .skillpm("lint --format short")
        .in_dir(sandbox.path("skills/a"))
        .exits(0)
        .stdout("");
    fs::remove_file(sandbox.path("skillpm.toml")).unwrap();
    assert_eq!(lint(&sandbox, "--select SK401"), told("skills/a/SKILL.md"));
}

#[test]
fn stdin_is_linted_as_a_file_of_a_skill() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("lint - --format short --select SK401")
        .stdin(EMPTY)
        .exits(0)
        .stdout(told("SKILL.md"));
    sandbox.write("skills/pdf/SKILL.md", whole("pdf"));
    sandbox.write("skills/pdf/a.md", "x");
    let linked = whole("pdf") + "\nSee [a](a.md) and [b](b.md).\n";
    let run = sandbox
        .skillpm("lint - --stdin-filename skills/pdf/SKILL.md --format short")
        .stdin(linked);
    let text = run.exits_one_of([0, 1]).stdout_text().to_owned();
    assert!(
        text.starts_with("skills/pdf/SKILL.md:11:")
            && text.contains("`b.md`")
            && !text.contains("`a.md`"),
        "{text}"
    );
    sandbox.reads("skills/pdf/SKILL.md", &whole("pdf"));
    let run = sandbox
        .skillpm("lint - --stdin-filename new/pdf/SKILL.md --format short")
        .stdin(EMPTY);
    run.exits(0).stdout(told("new/pdf/SKILL.md"));
    sandbox.skillpm("lint - skills").stdin("").exits(2);
    sandbox.skillpm("lint --stdin-filename x").exits(2);
}

#[test]
fn since_selects_changed_skills() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "mine");
    for name in ["a", "b", "c", "d"] {
        repo.write(&format!("skills/{name}/SKILL.md"), empty(name));
        repo.write(&format!("skills/{name}/x.txt"), "x");
    }
    repo.commit("first");
    repo.branch("topic");
    let lint = |since: &str| {
        let line = format!("lint --select SK401 --format short --since {since}");
        let text = sandbox
            .skillpm(line)
            .in_dir(repo.path())
            .exits(0)
            .stdout_text()
            .to_owned();
        text.lines()
            .map(|line| line.split('/').nth(1).unwrap())
            .collect::<String>()
    };
    assert_eq!(lint("main"), "");
    repo.write("skills/a/x.txt", "y").commit("second");
    repo.write("skills/b/new.txt", "new");
    fs::remove_file(repo.path().join("skills/c/x.txt")).unwrap();
    assert_eq!(lint("main"), "abc");
    assert_eq!(lint("HEAD"), "bc");
    let run = sandbox
        .skillpm("lint --since nowhere")
        .in_dir(repo.path())
        .exits(1);
    run.stderr_has("unknown revision `nowhere` in");
    sandbox.write("a/SKILL.md", EMPTY);
    sandbox
        .skillpm("lint --since main")
        .exits(2)
        .stderr_has("requires a git work tree");
}

#[test]
fn skill_is_installed_if_a_directory_around_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write("style/SKILL.md", empty("style"));
    sandbox.write("style/more/inner/SKILL.md", empty("inner"));
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\nstyle = { path = \"style\" }\n[lint]\nselect = [\"SK401\"]\n",
    );
    sandbox.skillpm("install").exits(0);
    // Names that begin as the installed one does, and a skill beside it.
    let mine = [".agents/skills/style-guide", ".agents/skills/sty"];
    for dir in mine {
        let name = dir.rsplit('/').next().unwrap();
        sandbox.write(&format!("{dir}/SKILL.md"), empty(name));
    }
    let found = lint(&sandbox, "");
    for dir in mine {
        assert!(found.contains(&format!("{dir}/SKILL.md")), "{found}");
    }
    assert!(!found.contains("skills/style/"), "{found}");
    // Named, or below what is named.
    for path in [".agents/skills/style", ".agents/skills/style/more"] {
        let inner = told(".agents/skills/style/more/inner/SKILL.md");
        assert!(lint(&sandbox, path).contains(&inner), "{path}");
    }
}

#[test]
fn installed_skills_are_skipped_unless_named() {
    let sandbox = Sandbox::new();
    sandbox.write("style/SKILL.md", empty("style"));
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\nstyle = { path = \"style\" }\n[lint]\nselect = [\"SK401\"]\n",
    );
    sandbox.skillpm("install").exits(0);
    sandbox.write(".agents/skills/mine/SKILL.md", empty("mine"));
    let own = told(".agents/skills/mine/SKILL.md");
    assert_eq!(lint(&sandbox, ""), own.clone() + &told("style/SKILL.md"));
    let installed = told(".agents/skills/style/SKILL.md");
    assert_eq!(lint(&sandbox, ".agents/skills"), own + &installed);
    assert_eq!(lint(&sandbox, ".agents/skills/style"), installed);
    fs::remove_dir_all(sandbox.path(".skillpm")).unwrap();
    assert!(
        !lint(&sandbox, "").contains("skills/style"),
        "the lockfile says so too"
    );
}

#[test]
fn skills_in_the_store_are_skipped_unless_named() {
    let sandbox = Sandbox::new();
    sandbox.write("home/store/pdf/SKILL.md", empty("pdf"));
    sandbox.write("style/SKILL.md", empty("style"));
    let lint = |arguments: &str| {
        let line = format!("lint --format short {arguments}");
        let run = sandbox
            .skillpm(line)
            .env("SKILLPM_HOME", sandbox.path("home"));
        run.exits(0).stdout_text().to_owned()
    };
    assert_eq!(lint(""), told("style/SKILL.md"));
    assert_eq!(lint("home/store"), told("home/store/pdf/SKILL.md"));
}

#[test]
fn skills_without_a_manifest_are_offered_for_import() {
    let sandbox = Sandbox::new();
    sandbox.write(".claude/skills/pdf/SKILL.md", whole("pdf"));
    sandbox.write("skills/own/SKILL.md", whole("own"));
    let offer = "`.claude/skills` has 1 skill without a manifest; `skillpm import` writes one";
    sandbox.skillpm("lint").exits(0).stderr_has(offer);

    for quiet in ["lint skills", "lint --quiet", "lint --format json"] {
        sandbox
            .skillpm(quiet)
            .exits(0)
            .never_prints("skillpm import");
    }
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox
        .skillpm("lint")
        .exits(0)
        .never_prints("skillpm import");
}

#[test]
fn hooks_and_action_files_are_valid() {
    let read = |name: &str| -> Value {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        serde_yaml::from_str(&text).unwrap()
    };
    let hooks = read(".pre-commit-hooks.yaml");
    for hook in hooks.as_array().unwrap() {
        let keys: Vec<&str> = hook
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys,
            [
                "id",
                "name",
                "description",
                "language",
                "entry",
                "types",
                "require_serial"
            ]
        );
        let entry: Vec<&str> = hook["entry"].as_str().unwrap().split(' ').collect();
        let sandbox = Sandbox::new();
        sandbox.write("a/SKILL.md", whole("a"));
        assert_eq!(
            (entry[0], &hook["language"]),
            ("skillpm", &Value::from("rust"))
        );
        sandbox
            .skillpm(format!("{} a/SKILL.md", entry[1..].join(" ")))
            .exits(0);
    }
    let action = read("action.yml");
    let inputs: Vec<&str> = action["inputs"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(inputs, ["paths", "args", "since", "sarif-file", "version"]);
    assert!(
        action["inputs"]
            .as_object()
            .unwrap()
            .values()
            .all(|input| input["description"].is_string() && input["default"].is_string())
    );
    assert_eq!(action["runs"]["using"], "composite");
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["shell"], "bash");
        let script = step["run"].as_str().unwrap();
        assert!(
            !script.contains("${{"),
            "an input that is pasted into a script is a script: {script}"
        );
        let env = step["env"].as_object().unwrap();
        assert!(
            env.keys().all(|key| script.contains(&format!("${key}"))),
            "{script}"
        );
    }
}

#[cfg(unix)]
#[test]
fn action_lints_its_input_paths_and_writes_sarif() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/a/SKILL.md", empty("a"));
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml")).unwrap();
    let action: Value = serde_yaml::from_str(&text).unwrap();
    let script = action["runs"]["steps"][1]["run"].as_str().unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_skillpm")).parent().unwrap();
    let run = |args: &str| {
        let output = std::process::Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(sandbox.path("."))
            .env(
                "PATH",
                format!("{}:{}", binary.display(), std::env::var("PATH").unwrap()),
            )
            .env("HOME", sandbox.root().join("home"))
            .env("GITHUB_OUTPUT", sandbox.path("output"))
            .envs([
                ("PATHS", "skills"),
                ("ARGS", args),
                ("SINCE", ""),
                ("SARIF", "out.sarif"),
            ])
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, stdout) = run("--select SK401");
    assert_eq!(code, Some(0));
    assert!(
        stdout.starts_with("::warning ") && stdout.contains("file=skills/a/SKILL.md"),
        "{stdout}"
    );
    let (code, _) = run("--select SK401 --deny-warnings");
    assert_eq!(
        (code, sandbox.read("output").as_str()),
        (Some(1), "exit-code=0\nexit-code=1\n")
    );
    let sarif: Value = serde_json::from_str(&sandbox.read("out.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "SK401");
}

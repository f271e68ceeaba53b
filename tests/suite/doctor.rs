//! `doctor`: what is wrong is named with what mends it, and `--fix` mends what can be mended without losing anything.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;
use snapbox::str;

use crate::support::{
    IndexDir, Outcome, Sandbox, Server, closed_port, has_unix, pdf_and_csv, skill_md,
};

/// The findings that are worse than `ok`, as `check: message`, each line of the answer held against the schema.
#[track_caller]
fn findings(outcome: &Outcome) -> Vec<String> {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
    schema.as_object_mut().unwrap().remove("anyOf");
    schema["$ref"] = "#/$defs/lines-of-doctor".into();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let lines = outcome.stdout_json_lines();
    lines
        .iter()
        .for_each(|line| assert!(schema.is_valid(line), "{line}"));
    let bad = lines
        .iter()
        .filter(|line| line["type"] == "check" && line["level"] != "ok");
    bad.map(|line| {
        format!(
            "{} {}",
            line["level"].as_str().unwrap(),
            line["check"].as_str().unwrap()
        )
    })
    .collect()
}

/// Fails unless just these are found, and fixed by `--fix` but for those that are marked with `!`.
#[track_caller]
fn finds_and_mends(sandbox: &Sandbox, expected: &[&str]) {
    let names: Vec<&str> = expected
        .iter()
        .map(|name| name.trim_start_matches('!'))
        .collect();
    let code = i32::from(names.iter().any(|name| name.starts_with("error")));
    let before = sandbox.snapshot();
    assert_eq!(
        findings(&sandbox.skillpm("doctor --format json").exits(code)),
        names
    );
    before.still_holds();
    let left: Vec<&str> = expected
        .iter()
        .filter_map(|name| name.strip_prefix('!'))
        .collect();
    let code = i32::from(left.iter().any(|name| name.starts_with("error")));
    assert_eq!(
        findings(&sandbox.skillpm("doctor --fix --format json").exits(code)),
        left
    );
}

#[test]
fn healthy_project_prints_nothing_and_verbose_lists_checks() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox
        .skillpm("doctor")
        .exits(0)
        .stdout("")
        .stderr("     Checked 27 things: 0 errors, 0 warnings, 0 notes\n");
    let all = sandbox
        .skillpm("doctor -v")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert_eq!(all.lines().count(), 27, "{all}");
    assert!(all.lines().all(|line| line.starts_with("ok[")), "{all}");
    sandbox.skillpm("doctor --global").exits(0);
}

#[test]
fn missing_project_is_reported_and_no_problem() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.skillpm("doctor").exits(0);
    outcome.stdout_has(
        "note[manifest]: could not find `skillpm.toml` in `[ROOT]/project` or any parent directory",
    );
    sandbox.lacks(["~/.skillpm/store", "skillpm.toml"]);
}

#[test]
fn missing_skill_is_reinstalled_and_an_edited_one_kept() {
    let (sandbox, repo) = pdf_and_csv();
    repo.delete();
    sandbox.delete(".agents/skills/pdf");
    let edited = skill_md("csv", "Mine.");
    sandbox.write(".agents/skills/csv/SKILL.md", &edited);
    finds_and_mends(&sandbox, &["!warning installed", "error installed"]);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.reads(".agents/skills/csv/SKILL.md", &edited);
    let outcome = sandbox.skillpm("doctor").exits(0);
    outcome.stdout(str![[r"
warning[installed]: `.agents/skills/csv` was modified after it was installed
  help: `skillpm diff csv` shows the changes; `skillpm patch csv` keeps them, `skillpm restore csv` saves a backup and restores the skill

"]]);
}

#[test]
fn conflicted_lockfile_is_named_with_its_fix_and_unchanged() {
    let (sandbox, _repo) = pdf_and_csv();
    let lock = sandbox.read("skillpm.lock");
    let merging = format!("<<<<<<< ours\n{lock}=======\n{lock}>>>>>>> theirs\n");
    sandbox.write("skillpm.lock", &merging);
    let outcome = sandbox.skillpm("doctor --fix").exits(1);
    outcome.stdout(str![[r"
error[lockfile]: failed to parse lockfile at `skillpm.lock`: it has merge conflict markers (line 1)
  help: resolve conflicts in `skillpm.toml` first, if it has any; then run `skillpm lock --merge` to merge both sides of the lockfile

"]]);
    sandbox.reads("skillpm.lock", &merging);
}

#[test]
fn truncated_lockfile_is_named_and_unchanged() {
    let (sandbox, _repo) = pdf_and_csv();
    let half = sandbox.read("skillpm.lock")[..300].to_owned();
    sandbox.write("skillpm.lock", &half);
    finds_and_mends(&sandbox, &["!error lockfile"]);
    sandbox.reads("skillpm.lock", &half);
}

#[test]
fn outdated_lockfile_is_named() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write_skill("xml", "Reads XML.");
    sandbox.write(
        "skillpm.toml",
        format!(
            "{}xml = {{ path = \"xml\" }}\n",
            sandbox.read("skillpm.toml")
        ),
    );
    finds_and_mends(&sandbox, &["!error agreement"]);
    sandbox.skillpm("install").exits(0);
    assert!(findings(&sandbox.skillpm("doctor --format json").exits(0)).is_empty());
}

#[test]
fn invalid_manifest_is_named_with_its_line() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write("skillpm.toml", "[dependencies]\npdf = {\n");
    let outcome = sandbox.skillpm("doctor --fix").exits(1);
    outcome.stdout(str![[r"
error[manifest]: failed to parse manifest at `skillpm.toml:2:8`: unclosed inline table, expected `}`
  2 | pdf = {
    |        ^
  help: correct the line, then run the command again

"]]);
}

#[test]
fn lost_or_damaged_state_is_rebuilt() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write(".skillpm/state.json", "{");
    finds_and_mends(&sandbox, &["warning state"]);
    sandbox.delete(".skillpm/state.json");
    finds_and_mends(&sandbox, &["note state"]);
}

#[test]
fn invalid_settings_stop_every_command_but_doctor() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write("~/.skillpm/config.toml", "[net]\nofline = true\n");
    sandbox.skillpm("list").exits(2);
    let outcome = sandbox.skillpm("doctor").exits(1);
    outcome.stdout(str![[r"
error[settings]: unknown setting `net.ofline`
  it is set in [HOME]/.skillpm/config.toml
  no other command runs until this is fixed; `doctor` used the defaults and did not check the project
  help: did you mean `net.offline`?

"]]);
}

#[test]
fn tokens_readable_by_others_get_private_permissions() {
    if !has_unix("owners and permissions of others") {
        return;
    }
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write("~/.skillpm/credentials.toml", "[tokens]\n");
    let path = sandbox.path("~/.skillpm/credentials.toml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    finds_and_mends(&sandbox, &["error credentials"]);
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn home_writable_by_others_gets_private_permissions() {
    if !has_unix("owners and permissions of others") {
        return;
    }
    let (sandbox, _repo) = pdf_and_csv();
    let home = sandbox.path("~/.skillpm");
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o777)).unwrap();
    finds_and_mends(&sandbox, &["warning home"]);
    assert_eq!(
        std::fs::metadata(&home).unwrap().permissions().mode() & 0o777,
        0o755
    );
}

#[test]
fn home_entries_open_to_others_are_found_and_closed() {
    if !has_unix("owners and permissions of others") {
        return;
    }
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.skillpm("config set net.jobs 4").exits(0);
    let file = {
        let store = sandbox.tree("~/.skillpm/store/sha256");
        let file = store
            .paths()
            .into_iter()
            .find(|path| path.ends_with("SKILL.md"));
        format!("~/.skillpm/store/sha256/{}", file.unwrap())
    };
    let modes = [
        ("~/.skillpm/store", 0o777, 0o755),
        (&file, 0o666, 0o644),
        ("~/.skillpm/config.toml", 0o666, 0o644),
        ("~/.skillpm/projects", 0o775, 0o755),
        ("~/.skillpm/state-key", 0o644, 0o600),
    ];
    for (path, mode, _) in modes {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(sandbox.path(path), mode).unwrap();
    }
    sandbox.skillpm("doctor").exits(1).stdout(str![[r"
error[permissions]: `[HOME]/.skillpm/state-key` is accessible to other users
  its mode is 0644, expected 0600; commands that change a project refuse it
  help: chmod 600 '[HOME]/.skillpm/state-key'
warning[permissions]: 4 files and directories in `[HOME]/.skillpm` are writable by other users
  [HOME]/.skillpm/config.toml
  [HOME]/.skillpm/projects
  [HOME]/.skillpm/store
  [HOME]/.skillpm/store/sha256/[SHA]/SKILL.md
  anyone who writes there decides what your agents read
  help: chmod go-w '[HOME]/.skillpm/config.toml' '[HOME]/.skillpm/projects' '[HOME]/.skillpm/store' '[HOME]/.skillpm/store/sha256/[SHA]/SKILL.md'
warning[state]: `[ROOT]/project/.skillpm/state.json` is damaged, from another version, or not written by this user on this machine
  it is rebuilt from the lockfile and the installed files; nothing is lost
  help: skillpm install

"]]);
    finds_and_mends(
        &sandbox,
        &["error permissions", "warning permissions", "warning state"],
    );
    for (path, _, expected) in modes {
        let mode = std::fs::metadata(sandbox.path(path)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, expected, "{path}");
    }
    sandbox.skillpm("undo").exits(0);
}

#[test]
fn damaged_and_temporary_files_in_the_cache_are_removed() {
    let (sandbox, _repo) = pdf_and_csv();
    let root = "~/.skillpm/store/sha256";
    let tree = sandbox
        .tree(root)
        .paths()
        .into_iter()
        .find(|path| path.ends_with("SKILL.md"))
        .unwrap()
        .to_owned();
    sandbox.write(&format!("{root}/{tree}"), "touched");
    sandbox.write(&format!("{root}/.stage-abcdef/0/SKILL.md"), "x");
    finds_and_mends(&sandbox, &["error cache", "warning cache-litter"]);
    sandbox.skillpm("cache verify").exits(0);
    // A tree, its marker, and what the gate found in it.
    assert_eq!(sandbox.tree(root).top().len(), 3);
}

#[test]
fn only_temporary_files_of_skillpm_are_removed_from_a_project() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write(".skillpm-stage-aB3dE9", "half a manifest");
    sandbox.write(".agents/skills/.skillpm-stage/0/SKILL.md", "x");
    sandbox.write(".skillpm-stage-notes.md", "a person's");
    finds_and_mends(&sandbox, &["warning litter"]);
    sandbox.lacks([".skillpm-stage-aB3dE9", ".agents/skills/.skillpm-stage"]);
    sandbox.has([".skillpm-stage-notes.md"]);
}

#[test]
fn interrupted_command_is_named_and_undone() {
    let (sandbox, repo) = pdf_and_csv();
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    for failpoint in 1.. {
        assert!(failpoint < 200, "no kill left a journal and a stage");
        sandbox
            .skillpm("update")
            .env("SKILLPM_FAILPOINT", format!("kill@{failpoint}"))
            .spawn()
            .wait();
        if sandbox.path(".skillpm/journal.json").exists()
            && sandbox.path(".skillpm/stage/0/SKILL.md").exists()
        {
            break;
        }
    }
    for line in ["list", "catalog", "show csv", "tree", "diff", "verify"] {
        let outcome = sandbox.skillpm(line).exits_one_of([0, 1]);
        outcome.stderr_has("a command was interrupted, and its changes are incomplete");
        outcome.stderr_has("`skillpm install` undoes them");
    }
    finds_and_mends(&sandbox, &["error interrupted"]);
    sandbox.lacks([".skillpm/stage", ".skillpm/journal.json"]);
    sandbox.write(".skillpm/journal.json", "{\"version\":9}");
    finds_and_mends(&sandbox, &["!error interrupted"]);
    sandbox.reads(".skillpm/journal.json", "{\"version\":9}");
}

#[test]
fn dangling_link_is_named_and_left() {
    let (sandbox, _repo) = pdf_and_csv();
    symlink("../gone", sandbox.path(".agents/skills/old")).unwrap();
    let outcome = sandbox.skillpm("doctor --fix").exits(0);
    outcome.stdout_has(
        "warning[links]: broken link `.agents/skills/old`: its target `../gone` does not exist",
    );
    assert!(
        sandbox
            .path(".agents/skills/old")
            .symlink_metadata()
            .is_ok()
    );
}

#[test]
fn name_of_two_skills_is_named() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write("~/.agents/skills/pdf/SKILL.md", skill_md("pdf", "Another."));
    sandbox.write(".agents/skills/broken/SKILL.md", "no frontmatter\n");
    let outcome = sandbox.skillpm("doctor").exits(0);
    outcome.stdout(str![[r"
note[names]: [ROOT]/project/.agents/skills/pdf/SKILL.md: another skill with this name is in `[HOME]/.agents/skills/pdf/SKILL.md`, hidden by this one (shadowed)
  help: remove or rename one of the two
warning[names]: [ROOT]/project/.agents/skills/broken/SKILL.md:1:1: the file does not begin with `---` (frontmatter-missing)
  help: begin the file with `---`, a `name`, a `description` and `---`, each on its own line

"]]);
}

#[test]
fn invalid_certificates_are_named_with_their_setting() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write("bundle.pem", "nothing\n");
    let outcome = sandbox
        .skillpm("doctor --config net.ca-file=bundle.pem")
        .exits(1);
    outcome.stdout(str![[r"
error[certificates]: no certificate in PEM format found in `[ROOT]/project/bundle.pem`
  it is set by `net.ca-file`
  help: set it to a PEM file with the certificates to trust, or unset it

"]]);
    let outcome = sandbox
        .skillpm("doctor")
        .env("SSL_CERT_FILE", "/nonexistent.pem")
        .exits(1);
    outcome.stdout_has("it is set by `SSL_CERT_FILE`");
}

#[test]
fn missing_programs_are_named_if_needed() {
    let (sandbox, _repo) = pdf_and_csv();
    let outcome = sandbox
        .skillpm("doctor --format json")
        .env("PATH", "/nonexistent")
        .exits(0);
    assert_eq!(findings(&outcome), ["note git", "note ssh"]);
    IndexDir::configure(&sandbox, "acme", "git+ssh://git@acme.dev/index");
    let outcome = sandbox
        .skillpm("doctor --format json")
        .env("PATH", "/nonexistent")
        .exits(1);
    assert_eq!(findings(&outcome), ["note git", "error ssh"]);
}

#[test]
fn registries_are_queried_only_on_request() {
    let sandbox = Sandbox::project_here();
    IndexDir::new(&sandbox, "../www/index");
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("sparse+{}", server.url("index")));
    sandbox.skillpm("doctor").exits(0);
    assert_eq!(server.count(""), 0);
    sandbox.skillpm("doctor --online").exits(0);
    assert!(server.count("") > 0);
    IndexDir::configure(&sandbox, "gone", &format!("sparse+{}/", closed_port()));
    let outcome = sandbox.skillpm("doctor --online").exits(1);
    outcome.stdout(str![[r"
error[registries]: failed to fetch `[URL]/config.json`
  connection refused by `127.0.0.1` or its proxy
  in registry `gone`
  help: check the network and the proxy settings, or use `--offline` if everything is cached

"]]);
    sandbox
        .skillpm("doctor --online --offline")
        .exits(0)
        .stdout_has("warning[registries]: offline mode is on");
}

#[cfg(target_os = "linux")]
#[test]
fn nearly_full_disk_is_named() {
    if !crate::support::mount::permitted() || !has_unix("hard links out of a skill, free space") {
        return;
    }
    let (sandbox, _repo) = pdf_and_csv();
    let small = "mkdir -p ../kept && cp -a . ../kept/ && mount -t tmpfs -o size=8m none ../project && cp -a ../kept/. ../project/ && cd ../project";
    sandbox
        .skillpm("doctor")
        .after_mounting(small)
        .exits(0)
        .stdout_has("warning[disk-space]: low disk space: 7 MiB free on the file system of `[ROOT]/project`");
    let full = format!("{small} && head -c 6m /dev/zero > filling");
    sandbox
        .skillpm("doctor")
        .after_mounting(&full)
        .exits(1)
        .stdout_has("error[disk-space]: ");
}

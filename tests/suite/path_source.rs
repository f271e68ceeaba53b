//! Skills in a directory of this machine.

use snapbox::str;

use crate::support::{Sandbox, skill_md};

#[test]
fn directory_is_installed_as_a_copy() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write("pdf/references/forms.md", "# Forms\n");
    sandbox.skillpm("add ./pdf").exits(0);
    assert_eq!(sandbox.tree(".agents/skills/pdf"), sandbox.tree("pdf"));
    let path = sandbox.manifest()["dependencies"]["pdf"]["path"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(path.trim_start_matches("./"), "pdf");
}

#[test]
fn directory_outside_the_project_has_a_relative_path() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("../style", "House style.");
    sandbox.skillpm("add ../style").exits(0);
    assert_eq!(
        sandbox.manifest()["dependencies"]["style"]["path"].as_str(),
        Some("../style")
    );
    assert!(
        sandbox
            .locked("style", "source")
            .starts_with("path+../style")
    );
}

#[test]
fn update_installs_a_changed_directory() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.skillpm("add ./pdf").exits(0);
    let before = sandbox.locked("pdf", "checksum");
    sandbox.edit("pdf/SKILL.md", "Reads PDF.", "Reads PDF better.");
    sandbox.skillpm("update").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/pdf/SKILL.md")
            .contains("better")
    );
    assert_ne!(sandbox.locked("pdf", "checksum"), before);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn changed_directory_is_reported_until_it_is_updated() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write_skill("csv", "Reads CSV.");
    sandbox.skillpm("add ./pdf ./csv").exits(0);
    sandbox.edit("pdf/SKILL.md", "Reads PDF.", "Reads PDF better.");

    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout(str![[r"
name  locked        fits          newest        source
pdf   2de5605c173f  491de4935f32  491de4935f32  pdf

"]]);
    sandbox.skillpm("verify").exits(1).stderr(str![[r"
warning: source `pdf` was changed since `pdf` was locked
help: run `skillpm update pdf` to lock and install it

"]]);
    let lines = sandbox.skillpm("verify --format json").exits(1);
    assert_eq!(lines.stdout_json_lines()[0]["type"], "changed-source");
    sandbox
        .skillpm("status")
        .exits(0)
        .stdout_has("Updates  pdf ")
        .stdout_has("skillpm update");

    sandbox.skillpm("update pdf").exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);
    sandbox.skillpm("verify").exits(0);

    // The copies are what was locked.
    sandbox.delete("csv");
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("outdated").exits(1).stderr(str![[r"
error: directory `csv` not found
help: check its spelling; write a repository as `gh:owner/repo` or as a URL

"]]);
}

#[test]
fn changed_version_and_archive_are_reported() {
    let sandbox = Sandbox::project_here();
    sandbox.write("pdf/SKILL.md", versioned("pdf", "Reads PDF."));
    sandbox.write("csv/SKILL.md", versioned("csv", "Reads CSV."));
    sandbox.skillpm("package csv -o csv.tar.gz").exits(0);
    sandbox.skillpm("add ./pdf ./csv.tar.gz").exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);

    sandbox.write("pdf/SKILL.md", versioned("pdf", "Reads PDF better."));
    sandbox.edit("csv/SKILL.md", "Reads CSV.", "Reads CSV better.");
    sandbox.skillpm("package csv -o csv.tar.gz").exits(0);
    sandbox
        .skillpm("outdated --exit-code")
        .exits(1)
        .stdout(str![[r"
name  locked        fits          newest        source
csv   9e832fd2      01169809      01169809      ./csv.tar.gz
pdf   071414c9bc08  82840443edca  82840443edca  pdf

"]]);
    sandbox
        .skillpm("verify")
        .exits(1)
        .stderr_has("source `./csv.tar.gz` was changed since `csv` was locked")
        .stderr_has("source `pdf` was changed since `pdf` was locked");
    sandbox.skillpm("update").exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);
}

fn versioned(name: &str, description: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: {description}\nmetadata:\n  version: \"1.0.0\"\n---\n\n# {name}\n"
    )
}

#[test]
fn skill_in_a_directory_of_many_is_selected_by_name() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("vendor/skills/pdf", "Reads PDF.");
    sandbox.write_skill("vendor/skills/csv", "Reads CSV.");
    sandbox.skillpm("add ./vendor --skill csv").exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv"]);
}

#[test]
fn dependency_of_a_skill_is_installed_with_it() {
    let sandbox = Sandbox::project_here();
    crate::dependency_tree::write_chain(&sandbox);
    sandbox.skillpm("add ./alpha").exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["alpha", "beta"]);
    assert!(sandbox.manifest()["dependencies"].get("beta").is_none());
}

#[test]
fn file_in_place_of_a_directory_is_refused() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write("notes.txt", "Notes.\n");
    let snapshot = sandbox.snapshot();

    sandbox.skillpm("add ./notes.txt").exits(1).stderr(str![[r"
error: invalid source `./notes.txt`: it is not a directory
help: a skill is a directory, or an archive whose name ends with `.tar.gz`, `.zip` or `.skill`

"]]);
    sandbox
        .skillpm("add ./pdf/SKILL.md")
        .exits(1)
        .stderr(str![[r"
error: invalid source `./pdf/SKILL.md`: it is not a directory
help: the skill is the directory of that file, `./pdf/`

"]]);
    snapshot.still_holds();
}

#[cfg(unix)]
#[test]
fn link_in_a_directory_is_refused() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    std::os::unix::fs::symlink("/etc/hostname", sandbox.path("pdf/notes.md")).unwrap();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("add ./pdf").exits(3).explains(["notes.md"]);
    snapshot.still_holds();
}

#[test]
fn directory_outside_of_the_repository_is_pointed_out() {
    let sandbox = Sandbox::project_here();
    for dir in ["../outside/pdf", "inside/csv"] {
        sandbox.write(
            &format!("{dir}/SKILL.md"),
            skill_md(dir.rsplit('/').next().unwrap(), "Reads files."),
        );
    }
    // Without a repository there is no clone.
    sandbox
        .skillpm("add ../outside/pdf")
        .exits(0)
        .never_prints("warning");
    sandbox.skillpm("remove pdf").exits(0);

    let status = sandbox
        .shell("cd ../project && git init --quiet")
        .status()
        .unwrap();
    assert!(status.success());
    sandbox
        .skillpm("add ./inside/csv")
        .exits(0)
        .never_prints("warning");
    sandbox
        .skillpm("add ../outside/pdf")
        .exits(0)
        .stderr(str![[r"
warning: `../outside/pdf` is outside of this repository, and in no clone of it
help: to share the skill, add it by the URL of its own repository, or publish it
   Installed pdf eb736aa632dc
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox
        .skillpm("add --global ../outside/pdf")
        .exits(0)
        .never_prints("warning");
}

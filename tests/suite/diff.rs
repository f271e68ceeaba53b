//! What was edited, and what another version would bring, as a patch that git takes.

use crate::support::pdf_and_csv;

const PAGE: &str = ".agents/skills/pdf/SKILL.md";

#[test]
fn diff_is_a_patch_that_git_applies() {
    let (sandbox, _repo) = pdf_and_csv();
    let before = sandbox.read(PAGE);
    sandbox
        .skillpm("diff")
        .exits(0)
        .stderr_has("no local edits");
    sandbox.write(PAGE, before.replace("Reads PDF.", "Reads PDF well."));
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    let patch = sandbox
        .skillpm("diff pdf")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert!(
        patch.starts_with(&format!(
            "diff --git a/{PAGE} b/{PAGE}\n--- a/{PAGE}\n+++ b/{PAGE}\n@@ "
        )),
        "{patch}"
    );
    let (edited, notes) = (sandbox.read(PAGE), ".agents/skills/pdf/notes.md");
    assert!(
        patch.contains(&format!(
            "diff --git a/{notes} b/{notes}\nnew file mode 100644\n--- /dev/null\n"
        )),
        "{patch}"
    );
    sandbox.write("mine.patch", &patch);
    sandbox.skillpm("install --force").exits(0);
    sandbox.lacks([notes]);
    let root = sandbox.path("");
    let applied = std::process::Command::new("git")
        .args(["apply", "mine.patch"])
        .current_dir(root)
        .status()
        .unwrap();
    assert!(applied.success());
    sandbox.reads(PAGE, &edited);
    sandbox.reads(notes, "Mine.\n");
    sandbox.skillpm("diff csv --exit-code").exits(0);
    sandbox.skillpm("diff --exit-code").exits(1);
    let stat = sandbox
        .skillpm("diff --stat")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert_eq!(stat, format!("{PAGE}  +1 -1\n{notes}  +1 -0 (new)\n"));
}

#[test]
fn diff_to_shows_the_changes_of_an_update() {
    let (sandbox, repo) = pdf_and_csv();
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    let snapshot = sandbox.snapshot();
    let latest = sandbox
        .skillpm("diff --to latest")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert!(
        latest.contains("\n-description: Reads PDF.\n")
            && latest.contains("\n+description: Reads PDF better.\n"),
        "{latest}"
    );
    assert!(!latest.contains("csv"), "{latest}");
    let (old, new) = (sandbox.locked_commit("pdf"), repo.head());
    sandbox
        .skillpm(format!("diff pdf --to {old}"))
        .exits(0)
        .stderr_has("that version is installed");
    let line = sandbox
        .skillpm(format!("diff pdf --to {new} --format json"))
        .exits(0)
        .stdout_text()
        .to_owned();
    let begin = format!(
        r#"{{"type":"diff","name":"pdf","path":".agents/skills/pdf","from":"{}","to":"{}","files":[{{"path":"SKILL.md","from":"SKILL.md","to":"SKILL.md","added":1,"removed":1,"text":true}}],"patch":"diff --git "#,
        &old[..8],
        &new[..8]
    );
    assert!(line.starts_with(&begin), "{line}\n{begin}");
    snapshot.still_holds();
    sandbox
        .skillpm("diff xml")
        .exits(1)
        .explains(["package `xml` not found in the lockfile"]);
    sandbox
        .skillpm("diff --to 1.1.0")
        .exits(2)
        .explains(["exactly one package"]);
}

//! What was edited, and what another version would bring, as a patch that git takes.

use snapbox::str;

use crate::support::{Sandbox, pdf_and_csv};

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
        .stderr_has("already at that version");
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
        .explains(["can be of one skill only"]);
}

#[test]
fn diff_to_shows_versions_beyond_the_requirement_and_changes_nothing() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.tag("v1.0.0");
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    for (tag, text) in [("v1.1.0", "Reads PDF well."), ("v2.0.0", "Reads PDF best.")] {
        repo.skill("skills/pdf", text).commit(text).tag(tag);
    }
    let snapshot = sandbox.snapshot();

    for (to, text) in [
        ("compatible", "well"),
        ("1.1.0", "well"),
        ("latest", "best"),
        ("2.0.0", "best"),
    ] {
        sandbox
            .skillpm("diff pdf --latest")
            .exits(0)
            .stdout_has("best");
        sandbox
            .skillpm(format!("diff pdf --to {to}"))
            .exits(0)
            .stdout_has(&format!("+description: Reads PDF {text}."));
    }
    sandbox.skillpm("diff pdf --to 3.0.0").exits(1);
    snapshot.still_holds();
}

/// The skill `pdf` in three copies.
fn three_copies() -> Sandbox {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!(
            "add {} --skill pdf --branch main --target claude-code --target kiro-cli",
            repo.url()
        ))
        .exits(0);
    sandbox.has([PAGE, CLAUDE, KIRO]);
    sandbox
}

const CLAUDE: &str = ".claude/skills/pdf/SKILL.md";
const KIRO: &str = ".kiro/skills/pdf/SKILL.md";

fn append(sandbox: &Sandbox, path: &str, line: &str) {
    let text = sandbox.read(path);
    sandbox.write(path, format!("{text}{line}\n"));
}

#[test]
fn edits_of_any_copy_are_shown() {
    let sandbox = three_copies();
    sandbox.skillpm("diff --exit-code").exits(0);

    append(&sandbox, CLAUDE, "Mine.");
    sandbox
        .skillpm("diff --exit-code")
        .exits(1)
        .stdout(str![[r"
diff --git a/.claude/skills/pdf/SKILL.md b/.claude/skills/pdf/SKILL.md
--- a/.claude/skills/pdf/SKILL.md
+++ b/.claude/skills/pdf/SKILL.md
@@ -6,3 +6,4 @@
 # pdf
 
 Work with care.
+Mine.

"]])
        .stderr(str![[r"
    Compared 1 skill that differs

"]]);
    sandbox.skillpm("diff pdf --stat").exits(0).stdout(str![[r"
.claude/skills/pdf/SKILL.md  +1 -0

"]]);
}

#[test]
fn equal_edits_of_several_copies_are_shown_once() {
    let sandbox = three_copies();
    append(&sandbox, CLAUDE, "Mine.");
    append(&sandbox, KIRO, "Mine.");
    sandbox
        .skillpm("diff --stat --exit-code")
        .exits(1)
        .stdout(str![[r"
.claude/skills/pdf/SKILL.md  +1 -0

"]])
        .stderr(str![[r"
    Compared 1 skill that differs

"]]);

    append(&sandbox, PAGE, "Mine.");
    sandbox.skillpm("diff --stat").exits(0).stdout(str![[r"
.agents/skills/pdf/SKILL.md  +1 -0

"]]);
}

#[test]
fn different_edits_are_shown_with_their_copies() {
    let sandbox = three_copies();
    append(&sandbox, PAGE, "Mine.");
    append(&sandbox, KIRO, "Mine, too.");
    append(&sandbox, KIRO, "And more.");
    sandbox
        .skillpm("diff --stat --exit-code")
        .exits(1)
        .stdout(str![[r"
.agents/skills/pdf/SKILL.md  +1 -0
.kiro/skills/pdf/SKILL.md  +2 -0

"]])
        .stderr(str![[r"
    Compared 1 skill that differs

"]]);

    let paths: Vec<String> = sandbox
        .skillpm("diff --format json")
        .exits(0)
        .stdout_json_lines()
        .iter()
        .map(|line| line["path"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(paths, [".agents/skills/pdf", ".kiro/skills/pdf"]);
}

#[test]
fn copy_that_is_missing_is_no_edit() {
    let sandbox = three_copies();
    sandbox.delete(".claude/skills/pdf");
    append(&sandbox, KIRO, "Mine.");
    sandbox.skillpm("diff --stat").exits(0).stdout(str![[r"
.kiro/skills/pdf/SKILL.md  +1 -0

"]]);
}

#[test]
#[cfg(unix)]
fn links_to_the_main_copy_show_its_edits_once() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[install]\ntargets = [\"claude-code\"]\nlink = \"symlink\"\n",
    );
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .exits(0);
    append(&sandbox, CLAUDE, "Mine.");
    sandbox.skillpm("diff --stat").exits(0).stdout(str![[r"
.agents/skills/pdf/SKILL.md  +1 -0

"]]);
}

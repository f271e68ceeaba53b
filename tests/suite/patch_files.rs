//! `patch`: edits that are kept go wherever the lockfile goes.

use snapbox::str;

use crate::lint_formats::{accepts, lines_of};
use crate::support::{Repo, Sandbox};

const PAGE: &str = ".agents/skills/pdf/SKILL.md";
const PATCH: &str = "patches/pdf.patch";

fn page(first: &str, last: &str) -> String {
    let middle: String = (1..=12).map(|line| format!("Line {line}.\n")).collect();
    format!("---\nname: pdf\ndescription: Reads PDF.\n---\n{first}\n{middle}{last}\n")
}

/// A project with `pdf` and `csv` installed.
fn installed() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.write("skills/pdf/SKILL.md", page("First.", "Last."))
        .write("skills/pdf/logo.png", "\0old")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    (sandbox, repo)
}

/// The same with edits of `pdf` that are kept: of a text, of a file that is no text, and a new file.
fn patched() -> (Sandbox, Repo) {
    let (sandbox, repo) = installed();
    sandbox.write(PAGE, page("First, as I like it.", "Last."));
    sandbox.write(".agents/skills/pdf/logo.png", "\0mine");
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    let told = "Kept the edits of pdf in patches/pdf.patch";
    sandbox.skillpm("patch pdf").exits(0).stderr_has(told);
    (sandbox, repo)
}

#[test]
fn patched_edits_are_locked_and_shown_by_verify() {
    let (sandbox, _repo) = patched();
    assert!(
        sandbox
            .read("skillpm.toml")
            .ends_with("[edits]\npdf = \"patches/pdf.patch\"\n")
    );
    let patch = sandbox.read(PATCH);
    let wanted = "diff --git a/SKILL.md b/SKILL.md\n--- a/SKILL.md\n+++ b/SKILL.md\n@@ -2,7 +2,7 @@\n name: pdf\n \
                  description: Reads PDF.\n ---\n-First.\n+First, as I like it.\n Line 1.\n Line 2.\n Line 3.\n\
                  diff --git a/logo.png b/logo.png\nindex e7be1ea5722fddec13dbce5018dc1056c0dd3fdb..";
    assert!(patch.starts_with(&format!(
        "Edits of the skill `pdf`, made to {}.\n",
        &sandbox.locked_commit("pdf")[..8]
    )));
    assert!(patch.contains(wanted), "{patch}");
    let last = "--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1 @@\n+Mine.\n# end of patch\n";
    assert!(patch.ends_with(last), "{patch}");
    sandbox.reads(PAGE, &page("First, as I like it.", "Last."));
    let verified = sandbox.skillpm("verify").exits(0);
    verified.stderr(str![[r"
     Patched pdf is 1f383941 with patches/pdf.patch (3 files, +2 -1)
    Verified 2 skills, byte for byte

"]]);
    let json = sandbox
        .skillpm("verify --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(
        (&json[0]["type"], &json[0]["name"], &json[0]["locked"]),
        (&"patched".into(), &"pdf".into(), &true.into())
    );
    assert_eq!(json[0]["files"].as_array().unwrap().len(), 3);
    json.iter()
        .for_each(|line| accepts(&lines_of("verify"), line));
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install --frozen")
        .exits(0)
        .stderr_has("up to date with skillpm.lock");
    sandbox.skillpm("update").exits(0);
    sandbox.skillpm("outdated --exit-code").exits(0);
    snapshot.still_holds();
}

#[test]
fn patch_file_is_applied_by_git() {
    let (sandbox, repo) = patched();
    let dir = repo.path().join("skills/pdf");
    repo.git(&[
        "apply",
        "--directory=skills/pdf",
        &sandbox.path(PATCH).display().to_string(),
    ]);
    assert_eq!(
        std::fs::read_to_string(dir.join("SKILL.md")).unwrap(),
        page("First, as I like it.", "Last.")
    );
    assert_eq!(std::fs::read(dir.join("logo.png")).unwrap(), b"\0mine");
}

#[test]
fn fresh_clone_has_the_patched_edits() {
    let (sandbox, _repo) = patched();
    let before = sandbox.tree(".agents/skills");
    for gone in [".agents", ".skillpm", "~/.skillpm"] {
        sandbox.delete(gone);
    }
    sandbox.skillpm("install --locked").exits(0);
    assert_eq!(sandbox.tree(".agents/skills"), before);
    sandbox.skillpm("verify").exits(0);
    let (patch, lock) = (sandbox.read(PATCH), sandbox.read("skillpm.lock"));
    sandbox.write(PATCH, patch.replace("as I like it", "as you like it"));
    sandbox
        .skillpm("install --locked")
        .exits(1)
        .explains(["`pdf` would have other edits: its patch file has changed"]);
    sandbox
        .skillpm("verify")
        .exits(1)
        .stderr_has("was changed since `pdf` was locked");
    sandbox.skillpm("install").exits(0);
    sandbox.reads(PAGE, &page("First, as you like it.", "Last."));
    sandbox.skillpm("verify").exits(0);
    sandbox.write(PATCH, patch);
    sandbox.skillpm("install").exits(0);
    sandbox.reads("skillpm.lock", &lock);
}

#[test]
fn update_merges_edits_and_rewrites_the_patch_file() {
    let (sandbox, repo) = patched();
    repo.write("skills/pdf/SKILL.md", page("First.", "Last, and better."))
        .commit("second");
    let told = "Merged your changes of pdf with upstream's (both changed: SKILL.md; yours: logo.png, notes.md)";
    sandbox
        .skillpm("update --dry-run")
        .exits(0)
        .stderr_has("Would keep the edits of pdf");
    sandbox.skillpm("update").exits(0).stderr_has(told);
    assert_eq!(sandbox.locked_commit("pdf"), repo.head());
    sandbox.reads(PAGE, &page("First, as I like it.", "Last, and better."));
    sandbox.reads(".agents/skills/pdf/logo.png", "\0mine");
    sandbox.skillpm("verify").exits(0);
    for gone in [".agents", ".skillpm", "~/.skillpm"] {
        sandbox.delete(gone);
    }
    sandbox.skillpm("install --locked").exits(0);
    sandbox.reads(PAGE, &page("First, as I like it.", "Last, and better."));
}

#[test]
fn update_that_conflicts_with_edits_stops_until_resolved() {
    let (sandbox, repo) = patched();
    repo.write("skills/pdf/SKILL.md", page("Theirs.", "Last."))
        .commit("second");
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("update").exits(1).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: conflicting changes in `pdf`: you and upstream changed the same lines
  pdf/SKILL.md: line 5
  nothing was changed
help: run `skillpm update --merge` to write both with conflict markers, or pass `--ours` or `--theirs` to use one side

"]]);
    snapshot.still_holds();
    sandbox.skillpm("update --merge").exits(1);
    sandbox.reads(
        PAGE,
        &page(
            "<<<<<<< yours\nFirst, as I like it.\n=======\nTheirs.\n>>>>>>> new",
            "Last.",
        ),
    );

    // What has conflict markers is in no patch file, and so in no clone.
    sandbox.lacks([PATCH]);
    assert_eq!(sandbox.locked_commit("pdf"), repo.head());
    assert!(!sandbox.read("skillpm.toml").contains("[edits]"));
    sandbox.skillpm("verify").exits(1).stdout(str![[r"
changed   .agents/skills/pdf/SKILL.md
changed   .agents/skills/pdf/logo.png
added     .agents/skills/pdf/notes.md
conflicts .agents/skills/pdf/SKILL.md

"]]);
    sandbox.skillpm("status").exits(0).stdout(str![[r"
Project  [ROOT]/project: 2 dependencies, 2 locked, 1 edited, 1 with conflict markers
Skills   2 in the project, 2 bundled with skillpm

  skillpm patch pdf  save the edits of pdf, once you have resolved its conflicts
  skillpm add        search for a skill and add it
  skillpm list       list the skills by tier

"]]);
    sandbox.skillpm("doctor").exits(1).stdout(str![[r"
error[installed]: `.agents/skills/pdf` has unresolved conflict markers in SKILL.md
  help: resolve the conflicts in an editor, then run `skillpm patch pdf`

"]]);
    sandbox
        .skillpm("patch pdf")
        .exits(1)
        .explains(["unresolved conflict markers in `pdf/SKILL.md`"]);
    sandbox.write(PAGE, page("Ours and theirs.", "Last."));
    sandbox.skillpm("patch pdf").exits(0);
    sandbox.skillpm("verify").exits(0);
    assert!(
        sandbox
            .read(PATCH)
            .contains("-Theirs.\n+Ours and theirs.\n")
    );
}

#[test]
fn later_edits_and_saved_ones_conflict_as_one() {
    let (sandbox, repo) = patched();
    sandbox.write(PAGE, page("First, as I like it.", "Last, mine."));
    repo.write("skills/pdf/SKILL.md", page("Theirs.", "Last, theirs."))
        .commit("second");
    let read_all = || {
        let texts = [PATCH, "skillpm.toml", "skillpm.lock"].map(|path| sandbox.read(path));
        (texts, sandbox.tree(".agents/skills"))
    };
    let before = read_all();
    sandbox.skillpm("update --merge").exits(1).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
     Updated pdf 1f383941 -> 373a9e43
      Merged your changes of pdf with upstream's (both changed: SKILL.md; yours: logo.png, notes.md)
warning: `.agents/skills/pdf/SKILL.md` has conflict markers; resolve them in an editor
help: then `skillpm patch pdf` saves your resolution; to abort, run `skillpm undo --force`
     Dropped patches/pdf.patch: its edits of pdf have conflicts, and are only on disk until they are saved again
      Locked 2 skills in skillpm.lock
   Skills in .agents/skills

"]]);
    sandbox.reads(
        PAGE,
        &page(
            "<<<<<<< yours\nFirst, as I like it.\n=======\nTheirs.\n>>>>>>> new",
            "<<<<<<< yours\nLast, mine.\n=======\nLast, theirs.\n>>>>>>> new",
        ),
    );
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
    sandbox.lacks([PATCH]);
    sandbox.skillpm("undo").exits(0);
    assert_eq!(read_all(), before);
}

#[test]
fn conflicting_saved_edits_are_in_every_copy() {
    for edited in [false, true] {
        let (sandbox, repo) = patched();
        sandbox.skillpm("agents add claude-code").exits(0);
        let copies = [PAGE, ".claude/skills/pdf/SKILL.md"];
        if edited {
            sandbox.write(copies[1], page("First, as I like it.", "Last, mine."));
        }
        repo.write("skills/pdf/SKILL.md", page("Theirs.", "Last."))
            .commit("second");
        sandbox.skillpm("update --merge").exits(1);
        for copy in copies {
            sandbox.reads(
                copy,
                &page(
                    "<<<<<<< yours\nFirst, as I like it.\n=======\nTheirs.\n>>>>>>> new",
                    if edited { "Last, mine." } else { "Last." },
                ),
            );
        }
        sandbox.write(PAGE, page("Resolved.", "Last."));
        sandbox.skillpm("patch pdf").exits(0);
        sandbox.reads(copies[1], &page("Resolved.", "Last."));
    }
}

#[test]
fn conflicting_saved_edits_are_merged_without_an_installed_copy() {
    let (sandbox, repo) = patched();
    sandbox.delete(".agents");
    repo.write("skills/pdf/SKILL.md", page("Theirs.", "Last."))
        .commit("second");
    sandbox.skillpm("update --merge").exits(1);
    sandbox.reads(
        PAGE,
        &page(
            "<<<<<<< yours\nFirst, as I like it.\n=======\nTheirs.\n>>>>>>> new",
            "Last.",
        ),
    );

    // Where there is no copy that can have them, nothing changes.
    sandbox.skillpm("undo").exits(0);
    sandbox.skillpm("disable pdf").exits(0);
    let before = sandbox.snapshot();
    sandbox.skillpm("update --merge").exits(1).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: conflicting changes in `pdf`: no installed copy can have them
help: pass `--ours` or `--theirs` to use one side

"]]);
    before.still_holds();
}

#[test]
fn patch_file_with_conflict_markers_is_refused() {
    let (sandbox, _repo) = patched();
    let marked = sandbox.read(PATCH).replace(
        "@@ -0,0 +1 @@\n+Mine.\n",
        "@@ -0,0 +1,5 @@\n+<<<<<<< HEAD\n+Mine.\n+=======\n+Yours.\n+>>>>>>> theirs\n",
    );
    sandbox.write(PATCH, marked);
    let before = sandbox.snapshot();
    sandbox.skillpm("install").exits(1).stderr(str![[r"
error: failed to apply the edits in `patches/pdf.patch`
caused by: unresolved conflict markers in `notes.md`
help: fix the patch file, or remove its line from `[edits]`; `git log` shows the version it applied to

"]]);
    before.still_holds();
    sandbox.skillpm("patch pdf").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn skill_that_shows_conflict_markers_can_be_edited() {
    let (sandbox, repo) = installed();
    let example = "<<<<<<< HEAD\nyours\n=======\ntheirs\n>>>>>>> branch";
    repo.write("skills/pdf/SKILL.md", page("First.", example))
        .commit("second");
    sandbox.skillpm("update").exits(0);
    sandbox.write(PAGE, page("First, as I like it.", example));
    sandbox.skillpm("patch pdf").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox.delete(".agents");
    sandbox.skillpm("install --locked").exits(0);
    sandbox.reads(PAGE, &page("First, as I like it.", example));
}

#[test]
fn edits_that_upstream_adopts_leave_the_patch_file() {
    let (sandbox, repo) = installed();
    let manifest = sandbox.read("skillpm.toml");
    sandbox.write(PAGE, page("First.", "Last, mended."));
    sandbox.skillpm("patch pdf").exits(0);
    repo.write("skills/pdf/SKILL.md", page("First.", "Last, mended."))
        .commit("second");
    sandbox
        .skillpm("update")
        .exits(0)
        .stderr_has("Dropped patches/pdf.patch: all edits of pdf are upstream");
    sandbox.lacks([PATCH, "patches"]);
    sandbox.reads("skillpm.toml", &manifest);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn later_edits_are_added_to_the_patch_file() {
    let (sandbox, repo) = patched();
    sandbox.write(".agents/skills/pdf/more.md", "More.\n");
    sandbox.skillpm("verify").exits(1);
    repo.write("skills/pdf/SKILL.md", page("First.", "Last, and better."))
        .commit("second");
    sandbox.skillpm("update").exits(0);
    sandbox.reads(PAGE, &page("First, as I like it.", "Last, and better."));
    sandbox.skillpm("verify").exits(0).stderr_has("(4 files");
    sandbox.write(".agents/skills/pdf/more.md", "And more.\n");
    sandbox.skillpm("patch pdf").exits(0);
    assert!(
        sandbox.read(PATCH).ends_with("+Mine.\n# end of patch\n")
            && sandbox.read(PATCH).contains("+And more.\n")
    );
}

#[test]
fn drop_discards_the_edits_and_undo_restores_them() {
    let (sandbox, _repo) = patched();
    let kept = |sandbox: &Sandbox| {
        (
            sandbox.read("skillpm.lock"),
            sandbox.read(PATCH),
            sandbox.tree(".agents/skills"),
        )
    };
    let (before, snapshot) = (kept(&sandbox), sandbox.snapshot());
    sandbox
        .skillpm("patch pdf --drop --dry-run")
        .exits(0)
        .stderr_has("Would drop");
    snapshot.still_holds();
    sandbox
        .skillpm("patch pdf --drop")
        .exits(0)
        .stderr_has("Dropped patches/pdf.patch, the edits of pdf");
    sandbox.reads(PAGE, &page("First.", "Last."));
    sandbox.lacks([PATCH, ".agents/skills/pdf/notes.md"]);
    assert!(!sandbox.read("skillpm.toml").contains("edits"));
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("undo").exits(0);
    assert_eq!(kept(&sandbox), before);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("patch csv --drop")
        .exits(1)
        .explains(["no patch file of `csv` found"]);
    sandbox
        .skillpm("patch csv")
        .exits(1)
        .explains(["no edits of `csv` found"]);
    snapshot.still_holds();
}

#[test]
fn remove_keeps_the_patch_file() {
    let (sandbox, _repo) = patched();
    sandbox
        .skillpm("remove pdf")
        .exits(0)
        .stderr_has("Unused patches/pdf.patch stays");
    sandbox.has([PATCH]);
    sandbox.lacks([".agents/skills/pdf"]);
    assert!(!sandbox.read("skillpm.toml").contains("edits"));
}

#[test]
fn patch_that_does_not_apply_is_refused_and_changes_nothing() {
    let (sandbox, _repo) = patched();
    let good = sandbox.read(PATCH);
    for (text, wanted) in [
        (
            good.replace("-First.", "-Other."),
            "failed to apply the edits in `patches/pdf.patch`",
        ),
        (good.replace("b/notes.md", "b/../notes.md"), "notes.md"),
    ] {
        sandbox.write(PATCH, text);
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm("install")
            .exits_one_of([1, 2, 3])
            .stderr_has(wanted);
        snapshot.still_holds();
    }
    sandbox.delete(PATCH);
    sandbox.skillpm("install").exits(2).stderr(str![[r"
error: patch file `patches/pdf.patch` not found, named in `[edits]` for `pdf`
help: run `git checkout patches/pdf.patch` to restore it, or remove `pdf` from `[edits]`

"]]);
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n[edits]\npdf = \"../pdf.patch\"\n",
    );
    sandbox.skillpm("install").exits(2).stderr(str![[r"
error: skillpm.toml:3:7: invalid path of the edits of `pdf`
caused by: invalid path `../pdf.patch`: it contains `.` or `..`
help: name a patch file inside the project, such as `patches/pdf.patch`

"]]);
}

#[test]
fn damaged_patch_file_is_refused_with_its_line() {
    let (sandbox, _repo) = patched();
    let good = sandbox.read(PATCH);
    let binary = good.find("GIT binary patch").unwrap();
    let text = good.find("+++ b/notes.md").unwrap();
    let cuts = [
        binary - 60,
        binary + 3,
        binary + 30,
        text - 40,
        text + 5,
        text + 40,
        good.len() - 15,
        good.len() - 5,
    ];
    let damaged = good.replacen("literal 5", "literal 6", 1);
    assert_ne!(damaged, good);
    for text in cuts
        .iter()
        .map(|cut| good[..*cut].to_owned())
        .chain([damaged])
    {
        sandbox.write(PATCH, &text);
        let snapshot = sandbox.snapshot();
        let refused = sandbox.skillpm("install").exits(2);
        refused.explains(["failed to apply the edits in `patches/pdf.patch`", "line "]);
        snapshot.still_holds();
    }

    // The edits on the disk are still there to be kept again.
    sandbox.skillpm("patch pdf").exits(0);
    sandbox.reads(PATCH, &good);
}

#[test]
fn edits_of_renamed_and_multi_agent_skills_are_kept() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.write("skills/pdf/SKILL.md", page("First.", "Last."))
        .commit("first");
    sandbox
        .skillpm(format!(
            "add {} --skill pdf --as forms --branch main --target claude-code --no-detect",
            repo.url()
        ))
        .exits(0);
    let copy = ".claude/skills/forms/SKILL.md";
    sandbox.write(copy, sandbox.read(copy).replace("First.", "Mine."));
    sandbox.skillpm("patch forms").exits(0);
    let text = sandbox.read(copy);
    assert!(text.contains("name: forms") && text.contains("Mine."));
    sandbox.reads(".agents/skills/forms/SKILL.md", &text);
    repo.write("skills/pdf/SKILL.md", page("First.", "Better."))
        .commit("second");
    sandbox.skillpm("update").exits(0);
    sandbox.reads(copy, &text.replace("Last.", "Better."));
    sandbox.reads(
        ".agents/skills/forms/SKILL.md",
        &text.replace("Last.", "Better."),
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn disabled_skill_has_no_copy_to_patch() {
    let (sandbox, _repo) = installed();
    sandbox.skillpm("disable pdf").exits(0);
    let before = sandbox.snapshot();
    sandbox.skillpm("patch pdf").exits(1).stderr(str![[r"
error: no installed copy of `pdf` found
  `.agents/skills/pdf` does not exist
help: run `skillpm install`, or `skillpm enable pdf` if it is disabled

"]]);
    before.still_holds();
}

#[test]
fn counts_of_saved_edits_are_shown_where_the_package_is_known() {
    let (sandbox, _repo) = patched();
    sandbox.delete("~/.skillpm");
    sandbox.skillpm("verify").exits(0).stderr(str![[r"
     Patched pdf is 1f383941 with patches/pdf.patch
    Verified 2 skills, byte for byte

"]]);
}

//! Nobody's edits are lost, whatever the command.

use snapbox::str;

use crate::support::{Repo, Sandbox, pdf_and_csv};

const EDITED: &str = ".agents/skills/pdf/SKILL.md";

/// A project with `pdf` and `csv` installed, and a line of the user's own in `pdf`.
fn edited() -> (Sandbox, Repo) {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.write(EDITED, format!("{}\nMine.\n", sandbox.read(EDITED)));
    (sandbox, repo)
}

#[test]
fn install_leaves_an_edited_skill_unchanged() {
    let (sandbox, _repo) = edited();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("install").exits(0).stderr_has("pdf");
    snapshot.still_holds();
}

#[test]
fn adding_another_skill_leaves_an_edited_one_unchanged() {
    let (sandbox, _repo) = edited();
    sandbox.write_skill("xml", "Reads XML.");
    let before = sandbox.read(EDITED);
    sandbox.skillpm("add ./xml").exits(0);
    sandbox.has([".agents/skills/xml/SKILL.md"]);
    sandbox.reads(EDITED, &before);
}

#[test]
fn updating_another_skill_leaves_an_edited_one_unchanged() {
    let (sandbox, repo) = edited();
    let before = sandbox.read(EDITED);
    repo.skill("skills/csv", "Reads CSV better.")
        .commit("second");
    sandbox.skillpm("update csv").exits(0);
    assert!(
        sandbox
            .read(".agents/skills/csv/SKILL.md")
            .contains("better")
    );
    sandbox.reads(EDITED, &before);
}

#[test]
fn update_of_an_edited_skill_loses_no_edit() {
    let (sandbox, repo) = edited();
    let old = sandbox.locked_commit("pdf");
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox
        .skillpm("update pdf")
        .exits_one_of([0, 1])
        .stderr_has("pdf");
    let text = sandbox.read(EDITED);
    assert!(text.ends_with("Mine.\n"), "{text}");
    assert_eq!(
        text.contains("better"),
        sandbox.locked_commit("pdf") != old,
        "lockfile and disk disagree"
    );
}

#[test]
fn remove_of_an_edited_skill_is_refused() {
    let (sandbox, _repo) = edited();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("remove pdf").exits(1).stderr(str![[r"
error: refusing to change `.agents/skills/pdf`: it was edited since it was installed
  `pdf`: SKILL.md
help: run `skillpm diff` to see the edits
help: pass `--force` to continue and move the present files to `.skillpm/backup`

"]]);
    snapshot.still_holds();
}

#[test]
fn edit_survives_the_loss_of_state() {
    let (sandbox, _repo) = edited();
    let before = sandbox.read(EDITED);
    sandbox.delete(".skillpm");
    let _ = sandbox.skillpm("install").exits_one_of([0, 1]);
    sandbox.reads(EDITED, &before);
}

#[test]
fn force_saves_edits_in_two_targets() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox
        .skillpm("add ./pdf --target claude-code --no-detect")
        .exits(0);
    for target in [".agents", ".claude"] {
        let file = format!("{target}/skills/pdf/SKILL.md");
        let text = sandbox.read(&file);
        sandbox.write(&file, format!("{text}mine in {target}\n"));
    }
    sandbox
        .skillpm("remove pdf")
        .exits(1).stderr(str![[r"
error: refusing to change `.agents/skills/pdf`, `.claude/skills/pdf`: they were edited since they were installed
  `pdf`: SKILL.md
  `pdf`: SKILL.md
help: run `skillpm diff` to see the edits
help: pass `--force` to continue and move the present files to `.skillpm/backup`

"]]);
    sandbox.skillpm("remove pdf --force").exits(0);
    sandbox.lacks([".agents/skills/pdf", ".claude/skills/pdf"]);
    let saved = sandbox.tree(".skillpm/backup");
    for target in [".agents", ".claude"] {
        let kept = saved
            .paths()
            .into_iter()
            .find(|path| path.ends_with(&format!("{target}/skills/pdf/SKILL.md")));
        let kept = kept.unwrap_or_else(|| panic!("nothing of {target} in {saved:?}"));
        assert!(
            sandbox
                .read(&format!(".skillpm/backup/{kept}"))
                .ends_with(&format!("mine in {target}\n"))
        );
    }
}

#[test]
fn install_force_restores_files_and_saves_the_edit() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox.skillpm("add ./pdf").exits(0);
    let text = sandbox.read(".agents/skills/pdf/SKILL.md");
    sandbox.write(".agents/skills/pdf/SKILL.md", "mine");
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("has local edits");
    sandbox
        .skillpm("install --force")
        .exits(0)
        .stderr_has("Restored pdf");
    sandbox.reads(".agents/skills/pdf/SKILL.md", &text);
    sandbox.skillpm("verify").exits(0);
}

/// The text of `pdf`'s page as upstream has it, with two lines far apart.
fn page(first: &str, last: &str) -> String {
    let middle: String = (1..=12).map(|line| format!("Line {line}.\n")).collect();
    format!("---\nname: pdf\ndescription: Reads PDF.\n---\n{first}\n{middle}{last}\n")
}

/// A project with `pdf` installed, whose page has a first and a last line.
fn two_lines() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.write("skills/pdf/SKILL.md", page("First.", "Last."))
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    (sandbox, repo)
}

#[test]
fn edits_and_update_in_different_places_are_merged() {
    let (sandbox, repo) = two_lines();
    sandbox.write(EDITED, page("First, as I like it.", "Last."));
    sandbox.write(".agents/skills/pdf/notes.md", "Mine.\n");
    repo.write("skills/pdf/SKILL.md", page("First.", "Last, and better."))
        .commit("second");
    let commit = repo.head();
    sandbox
        .skillpm("update --dry-run")
        .exits(0)
        .stderr_has("Would merge your changes of pdf with upstream's");
    sandbox.reads(EDITED, &page("First, as I like it.", "Last."));
    let told =
        "Merged your changes of pdf with upstream's (both changed: SKILL.md; yours: notes.md)";
    sandbox.skillpm("update").exits(0).stderr_has(told);
    sandbox.reads(EDITED, &page("First, as I like it.", "Last, and better."));
    sandbox.reads(".agents/skills/pdf/notes.md", "Mine.\n");
    assert_eq!(sandbox.locked_commit("pdf"), commit);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install --frozen")
        .exits(0)
        .stderr_has("up to date with skillpm.lock");
    sandbox
        .skillpm("verify")
        .exits(0)
        .stderr_has("with patches/pdf.patch (2 files, +2 -1)");
    snapshot.still_holds();
    // The next update begins at what this one brought.
    repo.write("skills/pdf/SKILL.md", page("First.", "Last, and best."))
        .commit("third");
    sandbox.skillpm("update").exits(0).stderr_has("Merged");
    sandbox.reads(EDITED, &page("First, as I like it.", "Last, and best."));
}

#[test]
fn install_merges_edits_with_a_changed_lockfile() {
    let (sandbox, repo) = two_lines();
    let before = sandbox.read("skillpm.lock");
    repo.write("skills/pdf/SKILL.md", page("First.", "Last, and better."))
        .commit("second");
    sandbox.skillpm("update").exits(0);
    let theirs = sandbox.read("skillpm.lock");
    sandbox.skillpm("undo").exits(0);
    sandbox.reads("skillpm.lock", &before);
    sandbox.write(EDITED, page("Mine.", "Last."));
    sandbox.write("skillpm.lock", &theirs);
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("Merged your changes of pdf with upstream's");
    sandbox.reads(EDITED, &page("Mine.", "Last, and better."));
    sandbox.reads("skillpm.lock", &theirs);
    sandbox.lacks(["patches"]);
}

#[test]
fn edit_that_upstream_adopts_is_no_longer_an_edit() {
    let (sandbox, repo) = two_lines();
    sandbox.write(EDITED, page("First.", "Last, mended."));
    repo.write("skills/pdf/SKILL.md", page("First.", "Last, mended."))
        .commit("second");
    sandbox.skillpm("update").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("up to date with skillpm.lock");
}

#[test]
fn conflict_stops_until_it_is_resolved() {
    let (sandbox, repo) = two_lines();
    sandbox.write(EDITED, page("Mine.", "Last."));
    repo.write("skills/pdf/SKILL.md", page("Theirs.", "Better."))
        .skill("skills/csv", "Reads CSV better.")
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
    sandbox
        .skillpm("update csv")
        .exits(0)
        .stderr_has("Updated csv");
    for (flag, code, wanted) in [
        ("--ours", 0, page("Mine.", "Better.")),
        ("--theirs", 0, page("Theirs.", "Better.")),
        (
            "--merge",
            1,
            page(
                "<<<<<<< yours\nMine.\n=======\nTheirs.\n>>>>>>> new",
                "Better.",
            ),
        ),
    ] {
        let (sandbox, repo) = two_lines();
        sandbox.write(EDITED, page("Mine.", "Last."));
        repo.write("skills/pdf/SKILL.md", page("Theirs.", "Better."))
            .commit("second");
        sandbox.skillpm(format!("update {flag}")).exits(code);
        sandbox.reads(EDITED, &wanted);
        assert_eq!(sandbox.locked_commit("pdf"), repo.head(), "{flag}");
    }
}

#[test]
fn edits_of_moved_removed_and_binary_files_are_kept() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    let long = |line: &str| format!("{}{line}\n", "A line that stays.\n".repeat(20));
    repo.skill("skills/pdf", "Reads PDF.")
        .write("skills/pdf/docs/a.md", long("end"))
        .write("skills/pdf/gone.md", "x\n")
        .write("skills/pdf/logo.png", "\0old")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    let at = ".agents/skills/pdf";
    sandbox.write(&format!("{at}/docs/a.md"), format!("mine\n{}", long("end")));
    sandbox.write(&format!("{at}/gone.md"), "x\nmine\n");
    repo.remove("skills/pdf/docs/a.md")
        .remove("skills/pdf/gone.md");
    repo.write("skills/pdf/references/a.md", long("another end"))
        .write("skills/pdf/logo.png", "\0new")
        .commit("second");
    let told = "(both changed: references/a.md; yours, removed upstream: gone.md)";
    sandbox.skillpm("update").exits(0).stderr_has(told);
    sandbox.reads(
        &format!("{at}/references/a.md"),
        &format!("mine\n{}", long("another end")),
    );
    sandbox.reads(&format!("{at}/gone.md"), "x\nmine\n");
    sandbox.reads(&format!("{at}/logo.png"), "\0new");
    sandbox.lacks([&format!("{at}/docs")]);
    sandbox.write(&format!("{at}/logo.png"), "\0mine");
    repo.write("skills/pdf/logo.png", "\0newest")
        .commit("third");
    sandbox
        .skillpm("update")
        .exits(1)
        .explains(["pdf/logo.png"]);
    sandbox.skillpm("update --theirs").exits(0);
    sandbox.reads(&format!("{at}/logo.png"), "\0newest");
}

#[test]
fn edit_of_one_copy_is_copied_and_two_edits_conflict() {
    let (sandbox, repo) = two_lines();
    sandbox
        .skillpm(format!(
            "add {} --all --branch main --target claude-code --no-detect",
            repo.url()
        ))
        .exits(0);
    let copy = ".claude/skills/pdf/SKILL.md";
    sandbox.write(EDITED, page("Mine.", "Last."));
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("Copied your edits of pdf to .claude/skills");
    sandbox.reads(copy, &page("Mine.", "Last."));
    let snapshot = sandbox.snapshot();
    let told = sandbox.skillpm("install").exits(0).stderr_text().to_owned();
    assert!(!told.contains("Carried"), "{told}");
    snapshot.still_holds();
    sandbox.write(copy, page("Mine.", "And another."));
    sandbox.write(EDITED, page("Mine.", "And a third."));
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("conflicting edits in");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("conflicting edits in");
    repo.write("skills/pdf/SKILL.md", page("First.", "Better."))
        .commit("second");
    sandbox.skillpm("update pdf").exits(1).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: conflicting edits in `.agents/skills/pdf` and `.claude/skills/pdf`
help: make the copies identical, or discard the edits of all with `skillpm restore pdf`

"]]);
    snapshot.still_holds();
}

const COPY: &str = ".claude/skills/pdf/SKILL.md";

/// A project with two copies of each skill.
fn two_copies() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.").commit("first");
    sandbox
        .skillpm(format!(
            "add {} --all --branch main --target claude-code --no-detect",
            repo.url()
        ))
        .exits(0);
    (sandbox, repo)
}

#[test]
fn reverted_edit_in_one_copy_is_reverted_in_the_other() {
    for (edited, taken_back) in [(EDITED, EDITED), (EDITED, COPY), (COPY, EDITED)] {
        let (sandbox, repo) = two_copies();
        let before = sandbox.read(EDITED);
        sandbox.edit(edited, "Reads PDF.", "Reads PDF as I like it.");
        sandbox.skillpm("install").exits(0);
        assert_eq!(sandbox.read(EDITED), sandbox.read(COPY));
        sandbox.write(taken_back, &before);
        sandbox.skillpm("install").exits(0);
        sandbox.reads(EDITED, &before);
        sandbox.reads(COPY, &before);
        sandbox.skillpm("verify").exits(0);
        sandbox.skillpm("install").exits(0).stderr_has("Unchanged");

        // The same with something new in between.
        sandbox.edit(edited, "Reads PDF.", "Reads PDF as I like it.");
        sandbox.skillpm("install").exits(0);
        sandbox.write(taken_back, &before);
        repo.skill("skills/pdf", "Reads PDF better.")
            .commit("second");
        sandbox.skillpm("update").exits(0);
        assert!(sandbox.read(EDITED).contains("better"));
        assert_eq!(sandbox.read(EDITED), sandbox.read(COPY));
        sandbox.skillpm("verify").exits(0);
    }
}

#[test]
fn later_edits_of_any_copy_are_copied_to_the_others() {
    let (sandbox, _repo) = two_copies();
    for (n, edited) in [EDITED, EDITED, COPY, EDITED, COPY, COPY]
        .into_iter()
        .enumerate()
    {
        sandbox.write(edited, format!("{}Edit {n}.\n", sandbox.read(edited)));
        sandbox
            .skillpm("install")
            .exits(0)
            .stderr_has("Copied your edits of pdf to");
        assert_eq!(sandbox.read(EDITED), sandbox.read(COPY));
        assert!(sandbox.read(EDITED).ends_with(&format!("Edit {n}.\n")));
    }
}

#[test]
fn two_different_edits_stay_apart_when_one_changes() {
    let (sandbox, _repo) = two_copies();
    sandbox.write(EDITED, format!("{}One.\n", sandbox.read(EDITED)));
    sandbox.write(COPY, format!("{}Two.\n", sandbox.read(COPY)));
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("conflicting edits in");
    sandbox.write(EDITED, format!("{}Three.\n", sandbox.read(EDITED)));
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("conflicting edits in");
    assert!(sandbox.read(COPY).ends_with("Two.\n"));
    assert!(sandbox.read(EDITED).ends_with("Three.\n"));
}

#[test]
fn resolution_by_ours_is_kept_and_can_be_undone() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.edit(EDITED, "Reads PDF.", "Reads PDF as I like it.");
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update --dry-run").exits(1);
    // A colleague moved the lockfile.
    let colleague = sandbox.fresh_clone("colleague");
    sandbox.skillpm("update").in_dir(&colleague).exits(0);
    std::fs::copy(colleague.join("skillpm.lock"), sandbox.path("skillpm.lock")).unwrap();
    sandbox
        .skillpm("install")
        .exits(1)
        .explains(["you and upstream changed the same lines"]);
    sandbox.skillpm("install --ours").exits(0);
    let page = sandbox.read(EDITED);
    assert!(page.contains("as I like it"));
    for command in ["install", "install", "update"] {
        sandbox.skillpm(command).exits(0);
        sandbox.reads(EDITED, &page);
    }
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(EDITED, &page);
    sandbox
        .skillpm("install")
        .exits(1)
        .explains(["you and upstream changed the same lines"]);
    sandbox.reads(EDITED, &page);
}

#[cfg(unix)]
#[test]
fn skill_replaced_by_a_link_keeps_the_link() {
    for command in ["install", "update", "remove csv", "add ./xml"] {
        let (sandbox, repo) = pdf_and_csv();
        sandbox.write_skill("xml", "Reads XML.");
        repo.skill("skills/pdf", "Reads PDF better.")
            .commit("second");
        sandbox.copy(".agents/skills/pdf", "../checkout/pdf");
        sandbox.delete(".agents/skills/pdf");
        std::os::unix::fs::symlink("../../../checkout/pdf", sandbox.path(".agents/skills/pdf"))
            .unwrap();
        let before = sandbox.tree("../checkout");
        sandbox
            .skillpm(command)
            .exits(0)
            .stderr_has("`.agents/skills/pdf` was not installed by skillpm");
        let meta = std::fs::symlink_metadata(sandbox.path(".agents/skills/pdf")).unwrap();
        assert!(meta.is_symlink(), "`{command}` replaced the link");
        assert_eq!(sandbox.tree("../checkout"), before, "{command}");
        sandbox.skillpm("verify").exits(1);
    }
}

#[test]
fn two_edits_forced_within_one_second_are_both_saved() {
    let (sandbox, _repo) = pdf_and_csv();
    let before = sandbox.read(".agents/skills/pdf/SKILL.md");
    for mine in ["one", "two", "three"] {
        sandbox.write(".agents/skills/pdf/SKILL.md", format!("{before}{mine}\n"));
        sandbox
            .skillpm("install --force")
            .env("SKILLPM_CLOCK", "1800000000")
            .exits(0);
        sandbox.reads(".agents/skills/pdf/SKILL.md", &before);
    }
    let saved = sandbox.tree(".skillpm/backup");
    let saved: Vec<_> = saved
        .paths()
        .into_iter()
        .filter(|path| path.ends_with("pdf/SKILL.md"))
        .collect();
    assert_eq!(saved.len(), 3, "{saved:?}");
}

#[test]
fn saved_edits_are_named_by_status_and_diff() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.edit(EDITED, "Reads PDF.", "Reads PDF as I like it.");
    sandbox.skillpm("diff").exits(0).never_prints("Saved");
    sandbox.skillpm("status").exits(0).never_prints("Edits");
    sandbox.skillpm("patch pdf").exits(0);
    sandbox
        .skillpm("status")
        .exits(0)
        .stdout_has("Edits    saved for pdf in patches/pdf.patch\n");
    let status = sandbox.skillpm("status --format json").exits(0);
    assert_eq!(
        status.stdout_json()["project"]["saved_edits"],
        serde_json::json!([{"name": "pdf", "path": "patches/pdf.patch"}])
    );
    let saved = "       Saved edits of pdf in patches/pdf.patch, which are not compared\n";
    for command in ["diff", "diff pdf", "diff --stat"] {
        sandbox.skillpm(command).exits(0).stderr_has(saved);
    }
    sandbox.skillpm("diff csv").exits(0).never_prints("Saved");
    sandbox.skillpm("diff --exit-code").exits(0);

    sandbox.skillpm("patch pdf --drop").exits(0);
    sandbox.skillpm("status").exits(0).never_prints("Edits");
}

#[test]
fn update_that_keeps_the_local_version_is_reported() {
    for flag in ["--ours", "--theirs"] {
        let (sandbox, repo) = pdf_and_csv();
        sandbox.edit(EDITED, "Reads PDF.", "Reads PDF as I like it.");
        repo.skill("skills/pdf", "Reads PDF better.")
            .commit("second");
        sandbox
            .skillpm(format!("update {flag} --dry-run"))
            .exits(0)
            .stderr_has("Would update pdf ");
        let updated = sandbox.skillpm(format!("update {flag}")).exits(0);
        updated.stderr_has("     Updated pdf ");
        assert_eq!(updated.stderr_text().matches("Updated").count(), 1);
        sandbox
            .skillpm("update")
            .exits(0)
            .never_prints("Updated")
            .stderr_has("up to date");
    }
}

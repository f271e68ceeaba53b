//! Line endings that git converts are no edits, and are kept as they are.

use snapbox::str;

use crate::support::{Repo, Sandbox, pdf_and_csv};

const SKILL: &str = ".agents/skills/pdf/SKILL.md";

/// Runs git in the project.
#[track_caller]
fn git(sandbox: &Sandbox, arguments: &str) {
    let script = format!("cd ../project && git {arguments}");
    let status = sandbox.shell(&script).status().unwrap();
    assert!(status.success(), "git {arguments}");
}

fn to_crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

/// A project in a git repository with `pdf` and `csv` installed and committed, checked out with CRLF; without `.skillpm`,
/// as a clone.
fn converted() -> (Sandbox, Repo) {
    let (sandbox, repo) = pdf_and_csv();
    for name in ["pdf", "csv"] {
        let file = format!(".agents/skills/{name}/SKILL.md");
        sandbox.write(&file, to_crlf(&sandbox.read(&file)));
    }
    sandbox.write("skillpm.lock", to_crlf(&sandbox.read("skillpm.lock")));
    sandbox.delete(".skillpm");
    (sandbox, repo)
}

#[test]
fn clone_with_crlf_is_as_locked_and_verify_names_the_line_endings() {
    let (sandbox, _repo) = converted();
    let before = sandbox.read(SKILL);
    sandbox.delete("~/.skillpm/store");
    sandbox.skillpm("install --locked").exits(0);
    sandbox.reads(SKILL, &before);
    sandbox
        .skillpm("verify")
        .exits(0)
        .stdout("")
        .stderr(str![[r"
warning: 2 files in 2 skills have other line endings than the package; `-v` lists them
help: git converts them with `core.autocrlf`; `skillpm doctor --fix` adds the line to `.gitattributes` that prevents it, and `skillpm install --force` restores the locked files
    Verified 2 skills, except for line endings

"]]);
    let lines = sandbox
        .skillpm("verify --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(lines[0]["type"], "line-endings");
    assert_eq!(lines[0]["files"][0], "SKILL.md");
    sandbox.skillpm("diff").exits(0).stdout("");
    sandbox.skillpm("patch pdf").exits(1);
    sandbox.skillpm("remove csv").exits(0);
    sandbox.lacks([".agents/skills/csv"]);
}

#[test]
fn edit_of_a_file_with_crlf_is_one_line() {
    let (sandbox, _repo) = converted();
    // As an agent adds it with `echo`, and as an editor does.
    for end in ["\n", "\r\n"] {
        let before = sandbox.read(SKILL);
        sandbox.write(SKILL, format!("{before}Mine.{end}"));
        let diff = sandbox.skillpm("diff").exits(0).stdout_text().to_owned();
        let changed: Vec<&str> = diff
            .lines()
            .filter(|line| {
                line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
            })
            .collect();
        assert_eq!(changed, ["+Mine."], "{diff}");
        sandbox.skillpm("verify").exits(1);
        sandbox.write(SKILL, before);
    }
}

#[test]
fn update_keeps_the_line_endings_on_disk_and_merges_edits() {
    let (sandbox, repo) = converted();
    sandbox.edit(SKILL, "---\r\nname", "---\r\nlicense: MIT\r\nname");
    for name in ["pdf", "csv"] {
        repo.skill(&format!("skills/{name}"), "Does it better.");
    }
    repo.commit("second");

    sandbox.skillpm("update").exits(0);

    for name in ["pdf", "csv"] {
        let text = sandbox.read(&format!(".agents/skills/{name}/SKILL.md"));
        assert!(text.contains("better"), "{text}");
        assert_eq!(text.matches("\r\n").count(), text.matches('\n').count());
    }
    assert!(sandbox.read(SKILL).contains("license: MIT\r\n"));
    assert!(!sandbox.read("patches/pdf.patch").contains('\r'));

    sandbox.skillpm("undo").exits(0);
    assert!(sandbox.read(SKILL).contains("license: MIT\r\n"));
    assert!(!sandbox.read(SKILL).contains("better"));
}

#[test]
fn edit_with_crlf_is_merged_without_a_cached_package() {
    let (sandbox, repo) = converted();
    sandbox.edit(SKILL, "---\r\nname", "---\r\nlicense: MIT\r\nname");
    let before = sandbox.read(SKILL);
    repo.skill("skills/pdf", "Does it better.").commit("second");
    sandbox.delete("~/.skillpm/store");

    sandbox.skillpm("update").exits(0);

    let text = sandbox.read(SKILL);
    assert!(text.contains("better.\r\n"));
    assert!(text.contains("license: MIT\r\n"));
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(SKILL, &before);
}

#[test]
fn clone_with_crlf_has_its_patches_and_files_published_with_crlf() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write("skills/pdf/run.bat", "@echo off\r\n")
        .commit("more");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    sandbox.edit(SKILL, "---\nname", "---\nlicense: MIT\nname");
    sandbox.skillpm("patch pdf").exits(0);
    for file in [SKILL, "patches/pdf.patch"] {
        sandbox.write(file, to_crlf(&sandbox.read(file)));
    }
    for lost in [".skillpm", "~/.skillpm/store"] {
        sandbox.delete(lost);
    }

    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("verify").exits(0);
    assert!(sandbox.read(SKILL).contains("license: MIT\r\n"));
    // As a repository with `text=auto` has it.
    sandbox.write(".agents/skills/pdf/run.bat", "@echo off\n");
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn forced_install_restores_the_locked_bytes() {
    let (sandbox, _repo) = converted();
    let crlf = sandbox.read(SKILL);
    // With a record of the skill, and without one.
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("install --force").exits(0);
    assert!(!sandbox.read(SKILL).contains('\r'));
    sandbox.skillpm("verify").exits(0).stderr(str![[r"
    Verified 2 skills, byte for byte

"]]);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(SKILL, &crlf);
}

#[test]
fn undo_restores_the_line_endings_on_disk() {
    for command in [
        "remove pdf",
        "remove pdf --force",
        "update",
        "update --force",
        "install --force",
        "disable pdf",
    ] {
        let (sandbox, repo) = converted();
        sandbox.skillpm("install").exits(0);
        repo.skill("skills/pdf", "Reads PDF files.")
            .commit("second");
        let before = sandbox.tree(".agents/skills");
        sandbox.skillpm(command).exits(0);
        sandbox.skillpm("undo").exits(0);
        assert_eq!(sandbox.tree(".agents/skills"), before, "{command}");
    }
}

#[test]
fn skill_published_with_crlf_may_be_checked_out_with_line_feeds() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    repo.write("skills/pdf/run.bat", "@echo off\r\necho a\r\n")
        .write("skills/pdf/mixed.txt", "a\r\nb\nc\r\n")
        .write("skills/pdf/data.bin", "a\0\r\nb\n")
        .commit("more");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    for file in ["run.bat", "mixed.txt"] {
        let file = format!(".agents/skills/pdf/{file}");
        sandbox.write(&file, sandbox.read(&file).replace("\r\n", "\n"));
    }
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("diff").exits(0).stdout("");
    // A binary file is compared byte by byte.
    sandbox.write(".agents/skills/pdf/data.bin", "a\0\nb\n");
    sandbox.skillpm("verify").exits(1).prints("data.bin");
}

#[test]
fn carriage_returns_that_a_person_wrote_are_an_edit() {
    let (sandbox, _repo) = pdf_and_csv();
    let text = sandbox.read(SKILL);
    sandbox.write(SKILL, text.replacen('\n', "\r\n", 1));
    sandbox.skillpm("verify").exits(1).prints("pdf/SKILL.md");
}

#[test]
fn new_project_in_a_repository_gets_its_line_of_attributes() {
    let sandbox = Sandbox::new();
    git(&sandbox, "init --quiet");
    std::fs::create_dir(sandbox.path(".claude")).unwrap();
    sandbox.write(".gitattributes", "*.png binary");
    sandbox
        .skillpm("add release")
        .exits(0)
        .stderr_has("     Changed .gitattributes: git keeps the line endings of skills\n");
    sandbox.reads(".gitattributes", "*.png binary\n/.claude/skills/** -text\n");

    sandbox.skillpm("undo").exits(0);
    sandbox.reads(".gitattributes", "*.png binary");

    // Skills that git ignores are in no commit.
    sandbox.write(".gitignore", ".claude\n");
    sandbox.skillpm("add release").exits(0);
    sandbox.reads(".gitattributes", "*.png binary");
}

#[test]
fn directories_of_agents_that_are_added_get_their_lines_of_attributes() {
    let sandbox = Sandbox::new();
    git(&sandbox, "init --quiet");
    sandbox.skillpm("add release").exits(0);
    sandbox.skillpm("agents add claude-code").exits(0);
    let both = "/.agents/skills/** -text\n/.claude/skills/** -text\n";
    sandbox.reads(".gitattributes", both);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(".gitattributes", "/.agents/skills/** -text\n");

    // A person who removed the line of the other directory wants none.
    sandbox.delete(".gitattributes");
    sandbox.skillpm("agents add claude-code").exits(0);
    sandbox.lacks([".gitattributes"]);
}

#[test]
fn git_keeps_the_line_endings_of_a_project_after_init_or_doctor() {
    let sandbox = Sandbox::new();
    git(&sandbox, "init --quiet");
    sandbox.write(".gitattributes", "*.png binary");
    sandbox.skillpm("init").exits(0).stderr(str![[r"
     Created [ROOT]/project/skillpm.toml
     Changed [ROOT]/project/.gitattributes: git keeps the line endings of skills

"]]);
    sandbox.reads(".gitattributes", "*.png binary\n/.agents/skills/** -text\n");
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox.skillpm("add ./pdf").exits(0);
    git(&sandbox, "add --all");
    sandbox.skillpm("doctor").exits(0).stdout("");

    sandbox.write(".gitattributes", "* text=auto\n");
    git(&sandbox, "config core.autocrlf true");
    sandbox.write(
        ".agents/skills/pdf/SKILL.md",
        to_crlf(&sandbox.read(".agents/skills/pdf/SKILL.md")),
    );
    sandbox.skillpm("doctor").exits(0).stdout(str![[r"
note[line-endings]: git may convert the line endings of the committed skills in `.agents/skills`
  it does so for everyone with `core.autocrlf=true`; their files then differ from the lockfile
  help: add the line `/.agents/skills/** -text` to `.gitattributes`, or run `skillpm doctor --fix`
warning[installed]: `.agents/skills/pdf`: 1 file has other line endings than the package
  git converts them at checkout, as `core.autocrlf=true` is set
  help: `skillpm install --force` restores the locked files, with a backup in `.skillpm/backup`

"]]);
    sandbox.skillpm("doctor --fix").exits(0);
    sandbox.reads(".gitattributes", "* text=auto\n/.agents/skills/** -text\n");
    sandbox.skillpm("install --force").exits(0);
    sandbox.skillpm("doctor").exits(0).stdout("");
}

#[test]
fn init_adds_no_attributes_where_skills_are_not_committed() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("init").exits(0);
    sandbox.lacks([".gitattributes"]);
    sandbox.delete("skillpm.toml");
    git(&sandbox, "init --quiet");
    sandbox.write(".gitignore", ".agents/\n");
    sandbox.skillpm("init").exits(0);
    sandbox.lacks([".gitattributes"]);
}

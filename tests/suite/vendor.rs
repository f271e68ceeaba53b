//! `vendor`: a clone installs what is locked from its own files, whatever became of the sources.

use std::path::PathBuf;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use snapbox::str;

use crate::support::archive::tar_gz;
use crate::support::{IndexDir, Listing, Repo, Sandbox, Server, skill_md};

const CONFIG: &str = ".skillpm/config.toml";

/// A project with one skill of a repository, and the project's own repository.
fn with_pdf() -> (Sandbox, Repo, Repo) {
    let sandbox = Sandbox::project_here();
    let own = Repo::new(&sandbox, "../project");
    own.write(".gitignore", ".agents/\n*.log\n");
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    (sandbox, own, repo)
}

/// The project as git gives it to somebody else.
fn clone(sandbox: &Sandbox, own: &Repo) -> PathBuf {
    own.commit("vendored");
    Repo::cloned(sandbox, own, "../clone")
        .path()
        .canonicalize()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn clone_installs_every_kind_of_source_from_vendored_files() {
    let sandbox = Sandbox::project_here();
    let own = Repo::new(&sandbox, "../project");
    own.write(".gitignore", ".agents/\n*.log\n");
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .write("skills/pdf/.gitignore", "build/\n")
        .write("skills/pdf/.gitattributes", "* text eol=crlf\n")
        .write("skills/pdf/notes.log", "kept\n")
        .write("skills/pdf/dos.txt", "one\r\ntwo\r\n")
        .script("skills/pdf/run.sh", "#!/bin/sh\n");
    repo.git(&["add", "-Af"]);
    repo.git(&["-c", "core.autocrlf=false", "commit", "-qm", "first"]);
    let server = Server::start(&sandbox);
    let index = IndexDir::new(&sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish("acme/report", "2.1.0", &["acme/base ^1"]);
    IndexDir::configure(
        &sandbox,
        "acme",
        &format!("sparse+{}/", server.url("index")),
    );
    sandbox.write(
        "../www/csv.tar.gz",
        tar_gz(&[(
            "csv-1.0.0/SKILL.md",
            skill_md("csv", "CSV.").as_bytes(),
            0o644,
        )]),
    );
    let page = skill_md("site", "Of a site.");
    sandbox.write("../www/.well-known/agent-skills/site/SKILL.md", &page);
    let digest = format!("sha256:{}", hex::encode(Sha256::digest(&page)));
    let listed = json!({"name": "site", "type": "skill-md", "description": "x", "url": "site/SKILL.md", "digest": digest});
    let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    let list = json!({"$schema": schema, "skills": [listed]});
    sandbox.write(
        "../www/.well-known/agent-skills/index.json",
        list.to_string(),
    );
    sandbox.write("../style/SKILL.md", skill_md("style", "House style."));
    sandbox.write_skill("own", "Lies here.");
    for spec in [
        format!("{} --skill pdf", server.url("skills")),
        "acme/report --registry acme --dev".to_owned(),
        server.url("csv.tar.gz"),
        server.url("").trim_end_matches('/').to_owned(),
        "../style --as house-style".to_owned(),
        "./own".to_owned(),
    ] {
        sandbox.skillpm(format!("add {spec}")).exits(0);
    }
    let (lock, installed) = (sandbox.read("skillpm.lock"), sandbox.tree(".agents"));

    sandbox.skillpm("vendor").exits(0);
    sandbox.reads("skillpm.lock", &lock);
    sandbox.lacks(["vendor/own"]);
    sandbox
        .skillpm("install --frozen")
        .exits(0)
        .stderr_has("Unchanged");

    let clone = clone(&sandbox, &own);
    repo.delete();
    sandbox.delete("../www");
    sandbox.delete("../style");
    server.forget();
    sandbox
        .skillpm("install --frozen")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    assert_eq!(Listing::of(&clone.join(".agents")), installed);
    assert_eq!(
        std::fs::read_to_string(clone.join("skillpm.lock")).unwrap(),
        lock
    );
    sandbox
        .skillpm("verify")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    std::fs::remove_dir_all(clone.join(".agents")).unwrap();
    sandbox
        .skillpm("install --offline")
        .in_dir(&clone)
        .home("third")
        .exits(0);
    sandbox
        .skillpm("lock --frozen")
        .in_dir(&clone)
        .home("third")
        .exits(0);
    sandbox
        .skillpm("vendor --frozen")
        .in_dir(&clone)
        .home("third")
        .exits(0)
        .stderr_has("Unchanged");
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
}

#[test]
fn vendor_reports_its_changes_and_a_second_run_has_none() {
    let (sandbox, _, repo) = with_pdf();
    let before = sandbox.snapshot();
    sandbox.skillpm("vendor --dry-run").exits(0).stderr(str![[r"
Would vendor pdf in vendor/pdf
    Dry run: nothing was changed

"]]);
    before.still_holds();
    sandbox.skillpm("vendor").exits(0).stderr(str![[r"
    Vendored pdf in vendor/pdf
    Finished 1 package in vendor, replacing 1 source; commit it, and .skillpm/config.toml

"]]);
    sandbox.reads(
        CONFIG,
        &format!(
            "[source.vendored]\ndirectory = \"vendor\"\n\n[source.\"git+{}\"]\nreplace-with = \"vendored\"\n",
            repo.url()
        ),
    );
    assert_eq!(
        sandbox.tree("vendor").paths(),
        [
            ".gitattributes",
            ".gitignore",
            ".skillpmignore",
            "pdf.json",
            "pdf/SKILL.md"
        ]
    );
    let after = sandbox.snapshot();
    sandbox.skillpm("vendor").exits(0).stderr(str![[r"
   Unchanged 1 package in vendor, up to date with skillpm.lock

"]]);
    after.still_holds();
}

#[test]
fn json_lines_of_vendor_match_the_schema() {
    let (sandbox, ..) = with_pdf();
    let mut schema: Value =
        serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
    schema.as_object_mut().unwrap().remove("anyOf");
    schema["$ref"] = json!("#/$defs/lines-of-vendor");
    let schema = jsonschema::validator_for(&schema).unwrap();
    let lines = sandbox
        .skillpm("vendor --format json")
        .exits(0)
        .stdout_json_lines();
    lines
        .iter()
        .for_each(|line| assert!(schema.is_valid(line), "{line}"));
    assert_eq!(lines[0]["change"], "added");
    assert_eq!(lines[1]["packages"], 1);
}

#[test]
fn removed_packages_go_and_new_ones_are_vendored() {
    let (sandbox, _, repo) = with_pdf();
    repo.skill("skills/csv", "Reads CSV.").commit("second");
    sandbox.skillpm("vendor").exits(0);
    sandbox
        .skillpm(format!(
            "add {} --skill csv --config vendor.use=false",
            repo.url()
        ))
        .exits(0);
    sandbox
        .skillpm("remove pdf --config vendor.use=false")
        .exits(0);
    sandbox
        .skillpm("vendor --no-delete")
        .exits(0)
        .stderr(str![[r"
    Vendored csv in vendor/csv
        Left pdf in vendor/pdf
    Finished 1 package in vendor, replacing 1 source; commit it, and .skillpm/config.toml

"]]);
    sandbox.has(["vendor/pdf/SKILL.md", "vendor/pdf.json"]);
    sandbox.skillpm("vendor").exits(0);
    sandbox.lacks(["vendor/pdf", "vendor/pdf.json"]);
    sandbox.skillpm("remove csv").exits(0);
    let told = sandbox.skillpm("vendor").exits(0);
    told.stderr(str![[r"
     Removed csv in vendor/csv
    Finished no locked packages from outside the project

"]]);
    sandbox.lacks(["vendor"]);
    sandbox.reads(CONFIG, "");
}

#[test]
fn edited_vendored_file_is_refused_and_saved_by_vendor() {
    let (sandbox, ..) = with_pdf();
    sandbox.skillpm("vendor").exits(0);
    let page = sandbox.read("vendor/pdf/SKILL.md");
    sandbox.write("vendor/pdf/SKILL.md", "evil\n");
    sandbox.write("vendor/pdf/more.md", "more\n");
    sandbox.delete(".agents");
    let before = sandbox.snapshot();
    let refused = sandbox.skillpm("install --frozen").exits(3);
    refused.stderr(str![[r"
error: vendored package `vendor/pdf` was modified: it no longer matches `pdf`
  changed SKILL.md
  added more.md
help: nothing was installed; run `skillpm vendor` to write it again: the modified files are kept aside

"]]);
    before.still_holds();

    let told = sandbox.skillpm("vendor").exits(0);
    told.stderr(str![[r"
    Replaced pdf in vendor/pdf
warning: `vendor/pdf` has local edits; a backup is in `.skillpm/backup/[..]/vendor/pdf`
    Finished 1 package in vendor, replacing 1 source; commit it, and .skillpm/config.toml

"]]);
    sandbox.reads("vendor/pdf/SKILL.md", &page);
    let saved = sandbox.tree(".skillpm/backup");
    assert!(
        saved
            .paths()
            .iter()
            .any(|path| path.ends_with("vendor/pdf/more.md")),
        "{saved}"
    );
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads("vendor/pdf/SKILL.md", "evil\n");
    sandbox.reads("vendor/pdf/more.md", "more\n");
}

#[test]
fn record_changed_to_match_an_edit_is_refused() {
    let (sandbox, ..) = with_pdf();
    sandbox.skillpm("vendor").exits(0);
    let page = sandbox.read("vendor/pdf/SKILL.md");
    let digest = |text: &str| hex::encode(Sha256::digest(text));
    sandbox.write("vendor/pdf/SKILL.md", format!("{page}evil\n"));
    sandbox.edit(
        "vendor/pdf.json",
        &digest(&page),
        &digest(&format!("{page}evil\n")),
    );
    sandbox.delete(".agents");
    let refused = sandbox.skillpm("install --frozen").exits(3);
    refused.stderr(str![[r"
error: checksum mismatch for `pdf`: it is not the locked package
  locked   [SUM]
  fetched  [SUM]
help: nothing was installed; if the change is intended, run `skillpm update pdf`

"]]);
    sandbox.lacks([".agents/skills/pdf"]);
}

#[cfg(unix)]
#[test]
fn link_in_the_vendor_directory_is_refused() {
    let (sandbox, ..) = with_pdf();
    sandbox.skillpm("vendor").exits(0);
    sandbox.delete("vendor/pdf/SKILL.md");
    std::os::unix::fs::symlink("/etc/passwd", sandbox.path("vendor/pdf/SKILL.md")).unwrap();
    sandbox.delete(".agents");
    sandbox.skillpm("install --frozen").exits(3).stderr(str![[r"
error: invalid vendored package `vendor/pdf` (pdf)
caused by: unsupported file: `[ROOT]/project/vendor/pdf/SKILL.md` is a symbolic link
help: a package contains regular files only; replace it with a copy of the file
help: nothing was installed; run `skillpm vendor` to write it again

"]]);
    sandbox.lacks([".agents/skills/pdf"]);
}

#[test]
fn vendor_can_be_undone() {
    let (sandbox, ..) = with_pdf();
    sandbox.write(CONFIG, "# ours\n[net]\njobs = 2\n");
    let before = sandbox.snapshot();
    sandbox.skillpm("vendor").exits(0);
    sandbox.has(["vendor/pdf/SKILL.md"]);
    assert!(
        sandbox
            .read(CONFIG)
            .starts_with("# ours\n[net]\njobs = 2\n")
    );
    sandbox.skillpm("undo").exits(0).stderr(str![[r"
     Removed vendor/pdf
       Undid vendor of [..]: vendor/pdf

"]]);
    sandbox.lacks(["vendor"]);
    sandbox.reads(CONFIG, "# ours\n[net]\njobs = 2\n");
    sandbox.skillpm("install").exits(0).stderr_has("Unchanged");
    before.still_holds();
}

#[test]
fn directory_with_other_files_is_left_unchanged() {
    let (sandbox, ..) = with_pdf();
    sandbox.write("vendor/github.com/x/y.go", "package y\n");
    let before = sandbox.snapshot();
    let refused = sandbox.skillpm("vendor").exits(1);
    refused.stderr(str![[r"
error: refusing to write to `vendor`: it has files that `skillpm vendor` did not write
  `github.com`
help: pass another directory, such as `skillpm vendor third-party`, or move the files away

"]]);
    before.still_holds();
    sandbox.skillpm("vendor third-party").exits(0);
    sandbox.has(["third-party/pdf/SKILL.md", "vendor/github.com/x/y.go"]);
    sandbox
        .skillpm("vendor")
        .exits(0)
        .stderr_has("1 package in third-party");
    sandbox.write("third-party/pdf.txt", "mine\n");
    sandbox.skillpm("vendor").exits(1).explains(["`pdf.txt`"]);
}

#[test]
fn lost_or_conflicted_record_is_rewritten() {
    let (sandbox, ..) = with_pdf();
    sandbox.skillpm("vendor").exits(0);
    let whole = sandbox.tree("vendor");
    let record = sandbox.read("vendor/pdf.json");
    for torn in [
        None,
        Some(format!(
            "<<<<<<< HEAD\n{record}=======\n{record}>>>>>>> theirs\n"
        )),
    ] {
        match torn {
            None => sandbox.delete("vendor/pdf.json"),
            Some(text) => sandbox.write("vendor/pdf.json", text),
        }
        sandbox.delete(".agents");
        sandbox.skillpm("install --frozen").exits(1).stderr(str![[r"
error: no matching package `pdf` found in vendor directory `vendor`
  locked  [SUM]
help: nothing was installed; run `skillpm vendor` to add it

"]]);
        sandbox.skillpm("vendor").exits(0);
        assert_eq!(sandbox.tree("vendor"), whole);
        sandbox.skillpm("install --frozen").exits(0);
    }
    assert!(
        sandbox.tree(".skillpm/backup").is_empty(),
        "nobody had edited anything"
    );
    sandbox.delete("vendor/pdf.json");
    sandbox.write("vendor/pdf/SKILL.md", "mine\n");
    sandbox
        .skillpm("vendor")
        .exits(0)
        .stderr_has("`vendor/pdf` has local edits; a backup is in");
    assert_eq!(sandbox.tree("vendor"), whole);
}

#[test]
fn outside_and_target_directories_are_refused() {
    let (sandbox, ..) = with_pdf();
    let before = sandbox.snapshot();
    for (dir, why) in [
        ("../there", "it is not in `[ROOT]/project`"),
        (".", "it is the project's root"),
        (".agents", "skills are installed in `.agents/skills`"),
        (
            ".agents/skills/x",
            "skills are installed in `.agents/skills`",
        ),
        (".git/x", "invalid path `.git/x`"),
        ("skillpm.toml", "it is a file"),
    ] {
        sandbox
            .skillpm(format!("vendor {dir}"))
            .exits(2)
            .explains([why, "skillpm vendor third-party"]);
    }
    before.still_holds();
}

#[test]
fn directories_can_include_versions() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index
        .publish("acme/pdf", "1.2.0", &[])
        .publish("acme/pdf", "1.3.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("add acme/pdf@=1.2.0 --registry acme")
        .exits(0);
    sandbox.skillpm("vendor --versioned-dirs").exits(0);
    sandbox.has(["vendor/pdf-1.2.0/SKILL.md", "vendor/pdf-1.2.0.json"]);
    sandbox.delete(".agents");
    sandbox
        .skillpm("install --frozen")
        .home("elsewhere")
        .exits(0);
    sandbox.reads(".agents/skills/pdf/notes.md", "This is version 1.2.0.\n");
}

#[test]
fn changed_resolution_is_refused_with_help() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish("acme/pdf", "1.2.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    sandbox.skillpm("vendor").exits(0);
    index
        .publish("acme/pdf", "1.3.0", &[])
        .publish("acme/csv", "1.0.0", &[]);
    let before = sandbox.snapshot();
    for line in ["update", "add acme/csv --registry acme", "outdated"] {
        let refused = sandbox.skillpm(line).exits(1);
        refused.stderr(str![[r"
error: cannot query registry `file://[ROOT]/www/index`: it is replaced with the directory `vendor`
  the directory has the locked versions and no others
help: pass `--config vendor.use=false` to query the source itself, then run `skillpm vendor` to update the directory

"]]);
    }
    before.still_holds();
    sandbox
        .skillpm("update --config vendor.use=false")
        .exits(0)
        .stderr_has("1.3.0");
    sandbox.delete(".agents");
    let lacking = sandbox.skillpm("install --frozen").exits(1);
    lacking.stderr(str![[r"
error: no matching package `acme/pdf 1.3.0` found in vendor directory `vendor`
  `vendor/pdf` is acme/pdf 1.2.0, [SUM]
  locked  [SUM]
help: nothing was installed; run `skillpm vendor` to add it

"]]);
    sandbox
        .skillpm("vendor")
        .exits(0)
        .stderr_has("Replaced acme/pdf 1.3.0 in vendor/pdf");
    sandbox.skillpm("install --frozen").exits(0);
}

#[test]
fn locked_refuses_a_change_of_the_lockfile() {
    let (sandbox, _, repo) = with_pdf();
    repo.skill("skills/csv", "Reads CSV.").commit("second");
    let text = sandbox.read("skillpm.toml");
    sandbox.write(
        "skillpm.toml",
        format!("{text}csv = {{ git = \"{}\" }}\n", repo.url()),
    );
    let before = sandbox.snapshot();
    sandbox
        .skillpm("vendor --locked")
        .exits(1)
        .explains(["`csv` would be added"]);
    before.still_holds();
    sandbox.skillpm("vendor").exits(0);
    assert_eq!(sandbox.locked("csv", "path"), "skills/csv");
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.has(["vendor/csv/SKILL.md", ".agents/skills/csv/SKILL.md"]);
}

#[test]
fn source_that_is_already_replaced_is_refused() {
    let (sandbox, _, repo) = with_pdf();
    let mirror = Repo::cloned(&sandbox, &repo, "mirror");
    let config = format!(
        "[source.\"git+{}\"]\nreplace-with = \"git+{}\"\n",
        repo.url(),
        mirror.url()
    );
    sandbox.write(CONFIG, &config);
    let before = sandbox.snapshot();
    sandbox.skillpm("vendor").exits(1).stderr(str![[r"
error: cannot vendor `git+file://[ROOT]/repos/skills`: it is already replaced with `git+file://[ROOT]/repos/mirror`
  `source.git+file://[ROOT]/repos/skills.replace-with` is set in [ROOT]/project/.skillpm/config.toml
help: remove that, or move it to your own settings, over which the project's take precedence

"]]);
    before.still_holds();
    // In a person's own settings it is where the packages are brought from.
    sandbox.delete(CONFIG);
    sandbox.write("~/.skillpm/config.toml", config);
    repo.delete();
    sandbox.delete("~/.skillpm/store");
    sandbox.skillpm("vendor").exits(0);
    sandbox.has(["vendor/pdf/SKILL.md"]);
}

#[test]
fn files_ignored_by_git_are_reported() {
    let (sandbox, own, _) = with_pdf();
    own.write(".gitignore", "vendor/\n.skillpm/\n");
    let told = sandbox.skillpm("vendor").exits(0);
    told.stderr(str![[r"
    Vendored pdf in vendor/pdf
    Finished 1 package in vendor, replacing 1 source; commit it, and .skillpm/config.toml
warning: `.skillpm/config.toml` is ignored by git, so a clone would not have it
help: remove the pattern from `.gitignore`, or choose another directory
warning: `vendor/pdf.json` is ignored by git, so a clone would not have it
help: remove the pattern from `.gitignore`, or choose another directory

"]]);
    own.write(".gitignore", "*.json\n");
    let told = sandbox.skillpm("vendor").exits(0);
    assert!(
        !told.stderr_text().contains("is ignored by git"),
        "{}",
        told.stderr_text()
    );
}

#[test]
fn vendored_packages_are_neither_linted_nor_packed() {
    let (sandbox, ..) = with_pdf();
    sandbox.write(
        "SKILL.md",
        skill_md("mine", "Does mine, when asked to do mine."),
    );
    let manifest = sandbox
        .read("skillpm.toml")
        .replace("[dependencies]", "[dev-dependencies]");
    sandbox.write(
        "skillpm.toml",
        format!(
            "[package]\nname = \"acme/mine\"\nversion = \"1.0.0\"\nlicense = \"MIT\"\n{manifest}"
        ),
    );
    sandbox.skillpm("vendor").exits(0);
    let packed = sandbox
        .skillpm("package --list")
        .exits(0)
        .stdout_text()
        .to_owned();
    assert!(
        packed.contains("SKILL.md") && !packed.contains("vendor"),
        "{packed}"
    );
    sandbox
        .skillpm("lint")
        .exits_one_of([0, 1])
        .never_prints("vendor/pdf");
}

#[test]
fn vendored_sources_do_not_apply_to_global_skills() {
    let (sandbox, _, repo) = with_pdf();
    sandbox.skillpm("vendor").exits(0);
    repo.skill("skills/csv", "Reads CSV.").commit("second");
    sandbox
        .skillpm(format!("add {} --skill csv -g", repo.url()))
        .exits(0);
    sandbox.has(["~/.agents/skills/csv/SKILL.md"]);
}

#[test]
fn unvendored_package_is_reported() {
    let (sandbox, ..) = with_pdf();
    sandbox.skillpm("vendor").exits(0);
    sandbox
        .skillpm("add commit-messages")
        .exits(0)
        .stderr_has("`commit-messages` is not vendored in `vendor`");
    let told = sandbox.skillpm("vendor").exits(0);
    told.stderr(str![[r"
    Vendored commit-messages 1.2.0 in vendor/commit-messages
    Finished 2 packages in vendor, replacing 2 sources; commit it, and .skillpm/config.toml

"]]);
    let told = sandbox.skillpm("remove commit-messages").exits(0);
    assert!(
        !told.stderr_text().contains("is not vendored"),
        "{}",
        told.stderr_text()
    );
}

#[test]
fn patched_package_is_vendored_as_installed() {
    let sandbox = Sandbox::project_here();
    let own = Repo::new(&sandbox, "../project");
    own.write(".gitignore", ".agents/\n");
    let repo = sandbox.repo_with("pdf");
    sandbox.write("../fork/SKILL.md", skill_md("pdf", "Patched."));
    sandbox.write(
        "skillpm.toml",
        format!(
            "[dependencies]\npdf = {{ git = \"{0}\" }}\n[patch.\"{0}\"]\npdf = {{ path = \"../fork\" }}\n",
            repo.url()
        ),
    );
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("vendor").exits(0);
    let clone = clone(&sandbox, &own);
    repo.delete();
    sandbox.delete("../fork");
    sandbox
        .skillpm("install --frozen")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    assert_eq!(Listing::of(&clone.join(".agents")), sandbox.tree(".agents"));
}

#[test]
fn patch_files_apply_to_vendored_and_bundled_packages() {
    let (sandbox, own, repo) = with_pdf();
    let page = sandbox.read(".agents/skills/pdf/SKILL.md");
    sandbox.write(".agents/skills/pdf/SKILL.md", format!("{page}Mine.\n"));
    sandbox.skillpm("patch pdf").exits(0);
    sandbox.skillpm("vendor").exits(0);
    sandbox.reads("vendor/pdf/SKILL.md", &page);
    sandbox.skillpm("bundle").exits(0);
    let clone = clone(&sandbox, &own);
    repo.delete();
    let page_there = || std::fs::read_to_string(clone.join(".agents/skills/pdf/SKILL.md")).unwrap();
    sandbox
        .skillpm("install --frozen")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    assert_eq!(page_there(), format!("{page}Mine.\n"));

    for gone in ["vendor", ".agents", CONFIG] {
        sandbox.delete(&format!("../clone/{gone}"));
    }
    sandbox
        .skillpm("import project.skillpm-bundle.tar.gz")
        .in_dir(&clone)
        .home("third")
        .exits(0);
    sandbox
        .skillpm("install --frozen")
        .in_dir(&clone)
        .home("third")
        .exits(0);
    assert_eq!(page_there(), format!("{page}Mine.\n"));
}

#[test]
fn repository_mirror_is_read_and_the_lockfile_keeps_the_origin() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let mirror = Repo::cloned(&sandbox, &repo, "mirror");
    let origin = "https://git.example.invalid/skills";
    sandbox.write(
        CONFIG,
        format!(
            "[source.\"git+{origin}\"]\nreplace-with = \"git+{}\"\n",
            mirror.url()
        ),
    );
    sandbox
        .skillpm(format!("add {origin} --skill pdf"))
        .exits(0);
    assert!(
        sandbox
            .locked("pdf", "source")
            .starts_with(&format!("git+{origin}#"))
    );
    sandbox.delete(".agents");
    sandbox
        .skillpm("install --locked")
        .home("elsewhere")
        .exits(0);
    mirror.delete();
    sandbox.delete(".agents");
    let failed = sandbox
        .skillpm("install --locked")
        .home("third")
        .exits_one_of([1, 4, 6]);
    failed.explains([&format!(
        "it is the mirror of `{origin}` that `replace-with` sets"
    )]);
}

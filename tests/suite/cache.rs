//! What is kept for all projects is measured, checked and taken away, and nothing goes that a project cannot do without.

use std::time::{Duration, SystemTime};

use snapbox::str;

use crate::support::{IndexDir, Repo, Sandbox, Server, pdf_and_csv, skill_md};

const DAY: Duration = Duration::from_hours(24);

/// Makes everything in the store and the copies of repositories look as if it had not been used for so long.
fn age(sandbox: &Sandbox, days: u32) {
    let then = SystemTime::now() - days * DAY;
    for dir in [
        "~/.skillpm/store/sha256",
        "~/.skillpm/git",
        "~/.skillpm/index",
        "~/.skillpm/projects",
    ] {
        for path in sandbox.tree(dir).paths() {
            let file = std::fs::File::options()
                .write(true)
                .open(sandbox.path(dir).join(path))
                .unwrap();
            file.set_modified(then).unwrap();
        }
    }
}

/// Whether a file has one of these endings.
fn ends(path: &str, endings: &[&str]) -> bool {
    std::path::Path::new(path)
        .extension()
        .is_some_and(|end| endings.iter().any(|wanted| end == *wanted))
}

fn trees(sandbox: &Sandbox) -> usize {
    sandbox
        .tree("~/.skillpm/store/sha256")
        .top()
        .iter()
        .filter(|name| ends(name, &["ok"]))
        .count()
}

/// A file of the only tree in the store whose text has this in it.
fn stored(sandbox: &Sandbox, text: &str) -> String {
    let root = "~/.skillpm/store/sha256";
    let listing = sandbox.tree(root);
    let holds = |path: &&str| {
        path.ends_with("SKILL.md") && sandbox.read(&format!("{root}/{path}")).contains(text)
    };
    let found: Vec<&str> = listing.paths().into_iter().filter(holds).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    format!("{root}/{}", found[0])
}

/// A project with `pdf` and `csv` of a repository on the network, so that there is a copy of it.
fn from_a_host() -> (Sandbox, Repo, Server) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --all --branch main", server.url("skills")))
        .exits(0);
    (sandbox, repo, server)
}

#[test]
fn sizes_and_directories_are_shown() {
    let (sandbox, _repo, _server) = from_a_host();
    let lines = sandbox
        .skillpm("cache size")
        .exits(0)
        .stdout_text()
        .to_owned();
    let first: Vec<&str> = lines
        .lines()
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    assert_eq!(
        first,
        ["store", "git", "index", "tables", "in all"],
        "{lines}"
    );
    assert!(
        lines.contains("2 trees") && lines.contains("1 repository") && lines.contains("0 indexes"),
        "{lines}"
    );
    let json = sandbox
        .skillpm("cache size --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(
        (json.len(), &json[0]["part"], &json[0]["entries"]),
        (4, &"store".into(), &2.into())
    );
    let bytes = 2 * skill_md("pdf", "Reads PDF.").len();
    assert_eq!(json[0]["bytes"], bytes);
    sandbox
        .skillpm("cache dir")
        .exits(0)
        .stdout("[HOME]/.skillpm/store\n[HOME]/.skillpm/git\n[HOME]/.skillpm/index\n");
    sandbox
        .skillpm("cache dir git")
        .exits(0)
        .stdout("[HOME]/.skillpm/git\n");
}

#[test]
fn missing_cache_is_empty_and_is_not_created() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("cache size").exits(0).stdout_has("0 trees");
    sandbox.lacks(["~/.skillpm"]);
    sandbox
        .skillpm("cache verify")
        .exits(0)
        .stderr("    Verified 0 trees, 0 repositories, 0 indexes (0 B)\n");
    sandbox
        .skillpm("cache prune")
        .exits(0)
        .stderr("      Pruned nothing; 0 B before, 0 B after\n");
    sandbox
        .skillpm("cache clean")
        .exits(0)
        .stderr("     Cleaned nothing; 0 B before, 0 B after\n");
}

#[test]
fn valid_entries_are_kept_by_verify() {
    let (sandbox, _repo, _server) = from_a_host();
    let before = sandbox.tree("~/.skillpm");
    sandbox
        .skillpm("cache verify")
        .exits(0)
        .stderr_has("Verified 2 trees, 1 repository, 0 indexes");
    assert_eq!(sandbox.tree("~/.skillpm"), before);
}

#[test]
fn damaged_tree_is_removed_and_fetched_again() {
    let (sandbox, _repo, server) = from_a_host();
    sandbox.write(&stored(&sandbox, "Reads PDF."), "touched");
    let outcome = sandbox.skillpm("cache verify").exits(1);
    outcome
        .stdout_has("its files do not match its checksum")
        .stderr_has("1 of 3 entries damaged; 1 removed");
    assert_eq!(trees(&sandbox), 1);
    sandbox.skillpm("cache verify").exits(0);
    sandbox.delete(".agents/skills/pdf");
    sandbox.skillpm("install --offline").exits(0);
    assert_eq!(
        trees(&sandbox),
        2,
        "the copy of the repository still has it"
    );
    drop(server);
}

#[test]
fn flipped_bit_in_any_pack_is_found() {
    let (sandbox, _repo, _server) = from_a_host();
    let packs: Vec<String> = sandbox
        .tree("~/.skillpm/git")
        .paths()
        .into_iter()
        .filter(|path| ends(path, &["pack", "idx"]))
        .map(|path| format!("~/.skillpm/git/{path}"))
        .collect();
    assert!(packs.len() >= 2, "{packs:?}");
    sandbox.copy("~/.skillpm", "../saved");
    for pack in &packs {
        let path = sandbox.path(pack);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, bytes).unwrap();
        sandbox
            .skillpm("cache verify")
            .exits(1)
            .stdout_has("does not match its checksum");
        assert!(
            sandbox
                .tree("~/.skillpm/git")
                .top()
                .iter()
                .all(|name| name.starts_with('.') || ends(name, &["lock"]))
        );
        sandbox.delete("~/.skillpm");
        sandbox.copy("../saved", "~/.skillpm");
    }
    sandbox.skillpm("cache verify").exits(0);
}

#[test]
fn only_the_damaged_copy_of_an_index_is_removed() {
    let sandbox = Sandbox::project_here();
    IndexDir::new(&sandbox, "../www/index")
        .publish("pdf", "1.0.0", &[])
        .publish("csv", "1.0.0", &[]);
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("sparse+{}", server.url("index")));
    sandbox.skillpm("add pdf csv --registry acme").exits(0);
    let copies = sandbox.tree("~/.skillpm/index");
    let copy = copies
        .paths()
        .into_iter()
        .find(|path| path.ends_with("pdf"))
        .unwrap()
        .to_owned();
    let text = sandbox.read(&format!("~/.skillpm/index/{copy}"));
    sandbox.write(
        &format!("~/.skillpm/index/{copy}"),
        text.replace("1.0.0", "1.0.1"),
    );
    sandbox
        .skillpm("cache verify")
        .exits(1)
        .stdout_has(&copy)
        .stdout_has("it does not match its digest");
    let left = sandbox.tree("~/.skillpm/index");
    assert_eq!(left.paths().len(), copies.paths().len() - 1);
    sandbox.skillpm("update").exits(0);
    sandbox.skillpm("cache verify").exits(0);
}

#[test]
fn damaged_tree_that_undo_needs_is_set_aside() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.write(".agents/skills/pdf/SKILL.md", skill_md("pdf", "Mine."));
    sandbox.skillpm("install --force").exits(0);
    repo.delete();
    let file = stored(&sandbox, "Mine.");
    sandbox.write(&file, "half of mine");
    let outcome = sandbox.skillpm("cache verify").exits(1);
    outcome.stderr(str![[r"
warning: damaged tree `[SUM]` was the only copy of files that a command replaced in a project
help: `skillpm undo` cannot restore it; the remaining files are in `[HOME]/.skillpm/store/damaged/[SHA]`
warning: 1 of 3 entries damaged; 0 removed
help: run `skillpm install` to fetch them again

"]]);
    let aside = sandbox.tree("~/.skillpm/store/damaged");
    let aside = aside.paths();
    assert_eq!(aside.len(), 1);
    sandbox.reads(
        &format!("~/.skillpm/store/damaged/{}", aside[0]),
        "half of mine",
    );
}

#[test]
fn prune_removes_old_trees_that_no_project_needs() {
    let (sandbox, repo) = pdf_and_csv();
    sandbox.write("other/skillpm.toml", "[dependencies]\n");
    repo.skill("skills/xml", "Reads XML.").commit("second");
    sandbox
        .skillpm(format!("add {} --skill xml --branch main", repo.url()))
        .in_dir("other")
        .exits(0);
    assert_eq!(trees(&sandbox), 3);
    sandbox
        .skillpm("cache prune")
        .exits(0)
        .stderr_has("Pruned nothing");
    age(&sandbox, 31);
    sandbox
        .skillpm("cache prune")
        .exits(0)
        .stderr_has("Pruned nothing");
    sandbox.delete("other");
    let before = sandbox.tree("~/.skillpm");
    sandbox
        .skillpm("cache prune --dry-run")
        .exits(0)
        .stdout_has("store")
        .stderr_has("Would prune 1 tree; ");
    assert_eq!(sandbox.tree("~/.skillpm"), before);
    sandbox
        .skillpm("cache prune --older-than '40 days'")
        .exits(0)
        .stderr_has("Pruned nothing");
    sandbox
        .skillpm("cache prune")
        .exits(0)
        .stderr_has("Pruned 1 tree; ");
    assert_eq!(trees(&sandbox), 2);
    assert_eq!(sandbox.tree("~/.skillpm/projects").paths().len(), 1);
    repo.delete();
    sandbox.delete(".agents");
    sandbox.skillpm("install --offline").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn recently_read_tree_is_not_pruned() {
    let (sandbox, _repo) = pdf_and_csv();
    age(&sandbox, 31);
    sandbox.delete(".agents/skills/pdf");
    sandbox.skillpm("install").exits(0);
    sandbox.delete("skillpm.toml");
    sandbox.delete("skillpm.lock");
    sandbox.delete(".skillpm");
    let json = sandbox
        .skillpm("cache prune --dry-run --format json")
        .exits(0)
        .stdout_json_lines();
    let names: Vec<&str> = json
        .iter()
        .filter_map(|line| line["name"].as_str())
        .collect();
    assert_eq!(names.len(), 1, "csv alone is old: {json:?}");
    sandbox
        .skillpm("cache prune --older-than 0")
        .exits(0)
        .stderr_has("Pruned 2 trees");
    assert_eq!(trees(&sandbox), 0);
}

#[test]
fn conflict_in_the_lockfile_keeps_trees_of_both_sides() {
    let (sandbox, _repo) = pdf_and_csv();
    let lock = sandbox.read("skillpm.lock");
    sandbox.write(
        "skillpm.lock",
        format!("<<<<<<< ours\n{lock}=======\n>>>>>>> theirs\n"),
    );
    sandbox.delete(".skillpm");
    age(&sandbox, 31);
    sandbox
        .skillpm("cache prune")
        .exits(0)
        .stderr_has("Pruned nothing");
}

#[test]
fn tree_that_undo_needs_survives_prune_and_clean() {
    let (sandbox, repo) = pdf_and_csv();
    let page = ".agents/skills/pdf/SKILL.md";
    sandbox.write(page, skill_md("pdf", "Mine."));
    sandbox.skillpm("install --force").exits(0);
    repo.delete();
    age(&sandbox, 400);
    sandbox.skillpm("cache prune").exits(0);
    sandbox.skillpm("cache clean").exits(0).stderr(str![[r"
        Kept [SUM] (61 B): `undo` or a saved edit in `[ROOT]/project` requires it
     Cleaned 2 trees; 193 B before, 61 B after

"]]);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(page, &skill_md("pdf", "Mine."));
}

#[test]
fn saved_edits_of_an_absent_project_are_kept() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo_with("pdf");
    sandbox.write("disk/site/skillpm.toml", "[dependencies]\n");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .in_dir("disk/site")
        .exits(0);
    sandbox.write(
        "disk/site/.agents/skills/pdf/SKILL.md",
        skill_md("pdf", "Mine."),
    );
    sandbox
        .skillpm("install --force")
        .in_dir("disk/site")
        .exits(0);
    std::fs::rename(sandbox.path("disk"), sandbox.path("unmounted")).unwrap();
    age(&sandbox, 400);
    for command in ["cache prune", "cache clean"] {
        sandbox
            .skillpm(command)
            .exits(0)
            .stderr_has("Kept")
            .stderr_has("disk/site");
    }
    std::fs::rename(sandbox.path("unmounted"), sandbox.path("disk")).unwrap();
    sandbox.skillpm("undo").in_dir("disk/site").exits(0);
    sandbox.reads(
        "disk/site/.agents/skills/pdf/SKILL.md",
        &skill_md("pdf", "Mine."),
    );
}

#[test]
fn cleaned_cache_is_fetched_again() {
    let (sandbox, _repo, _server) = from_a_host();
    sandbox
        .skillpm("cache clean")
        .exits(0)
        .stderr_has("Cleaned 2 trees, 1 repository")
        .stderr_has("0 B after");
    assert_eq!(trees(&sandbox), 0);
    sandbox.delete(".agents");
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn clean_can_select_a_skill_a_repository_or_a_tree() {
    let (sandbox, _repo, server) = from_a_host();
    sandbox
        .skillpm("cache clean acme/pdf")
        .exits(0)
        .stderr_has("Cleaned 1 tree; ");
    sandbox
        .skillpm(format!("cache clean {}", sandbox.locked("csv", "checksum")))
        .exits(0)
        .stderr_has("Cleaned 1 tree; ");
    sandbox
        .skillpm(format!("cache clean {}", server.url("skills")))
        .exits(0)
        .stderr_has("Cleaned 1 repository; ");
    sandbox
        .skillpm("cache clean pdf")
        .exits(1)
        .explains(["`pdf` not found in the cache"]);
    sandbox.skillpm("cache clean ./dir").exits(2);
    sandbox
        .skillpm("cache prune --older-than soon")
        .exits(2)
        .stderr_has("invalid age `soon`");
}

#[test]
fn clean_waits_for_running_commands() {
    let (sandbox, _repo) = pdf_and_csv();
    let lock = std::fs::File::open(sandbox.path("~/.skillpm/store/lock")).unwrap();
    lock.lock_shared().unwrap();
    for command in ["cache verify", "cache prune", "cache clean"] {
        let line = format!("{command} --config lock.timeout=0");
        sandbox.skillpm(line).exits(5).explains(["store/lock"]);
    }
    assert_eq!(trees(&sandbox), 2);
    sandbox.skillpm("cache size").exits(0);
}

#[test]
fn prune_removes_temporary_files_of_a_killed_command() {
    let (sandbox, _repo) = pdf_and_csv();
    sandbox.write("~/.skillpm/store/sha256/.gone-abc/0/SKILL.md", "x");
    sandbox.write("~/.skillpm/store/sha256/.stage-abc/0/SKILL.md", "x");
    let unmarked = "a".repeat(64);
    sandbox.write(&format!("~/.skillpm/store/sha256/{unmarked}/SKILL.md"), "x");
    sandbox
        .skillpm("cache prune")
        .exits(0)
        .stderr_has("Pruned 1 tree");
    let left = sandbox.tree("~/.skillpm/store/sha256");
    // Of each package the tree, its marker, and the record of its audit.
    assert_eq!(left.top().len(), 6, "{left:?}");
}

#[cfg(unix)]
#[test]
fn killed_clean_leaves_whole_trees_or_none() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    for name in ["one", "two", "three", "four"] {
        for n in 0..60 {
            repo.write(
                &format!("skills/{name}/data/{n}.txt"),
                format!("{name} {n}"),
            );
        }
        repo.skill(&format!("skills/{name}"), "Is one of several.");
    }
    repo.commit("first");
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    sandbox.copy("~/.skillpm", "../saved");
    let start = std::time::Instant::now();
    sandbox.skillpm("cache clean").exits(0);
    let took = start.elapsed();
    for moment in 0..10 {
        sandbox.delete("~/.skillpm");
        sandbox.copy("../saved", "~/.skillpm");
        let running = sandbox.skillpm("cache clean").spawn();
        std::thread::sleep(took * moment / 10);
        running.kill();
        sandbox.delete(".agents");
        sandbox.skillpm("install").exits(0).never_prints("damaged");
        sandbox.skillpm("cache verify").exits(0);
        assert_eq!(trees(&sandbox), 4);
    }
}

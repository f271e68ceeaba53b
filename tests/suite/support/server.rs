//! HTTP on loopback: git's smart protocol, plain files, and everything that goes wrong with both.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::Sandbox;
use super::sandbox::clean_command;

/// A server of the sandbox's repositories (`/NAME/…`, by `git http-backend`) and of the files in its `www`.
///
/// It speaks HTTP/1.1 with connections kept alive, reads chunked and compressed bodies, answers `If-None-Match`, and
/// notes every request. Asked as a proxy it serves whatever host is named from the same directories, and refuses to
/// tunnel.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    open: AtomicBool,
    rules: Mutex<Rules>,
    seen: Mutex<Vec<Request>>,
}

#[derive(Default)]
struct Rules {
    password: Option<(String, String)>,
    token: Option<String>,
    faults: Vec<(String, Fault, usize)>,
    unfiltered: bool,
    compressing: bool,
    handler: Option<Handler>,
}

/// Answers requests that are not for files: from path and query, status, type and body; `None` to serve a file.
pub(crate) type Handler =
    Arc<dyn Fn(&str, &str) -> Option<(u16, &'static str, Vec<u8>)> + Send + Sync>;

/// What can be made to go wrong.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// This status instead of the answer.
    Status(u16),
    /// This status, and to come back after so many seconds.
    RetryAfter(u16, u32),
    /// The answer, but later.
    Slow(Duration),
    /// This many bytes of the answer's body, whose length is told as the whole; then the connection is closed.
    Truncate(usize),
    /// The answer, with a bit in the middle of its body flipped.
    Flip,
    /// A redirect to the same path below this URL.
    Redirect(String),
    /// Status 200 and this body, as from a cache that is behind, unless the request must reach the server itself.
    Stale(Vec<u8>),
    /// Nothing: the connection is closed.
    HangUp,
}

/// One request as it came in, and what was sent for it.
#[derive(Clone)]
pub(crate) struct Request {
    /// `GET /skills/info/refs?service=git-upload-pack`.
    pub(crate) line: String,
    /// By lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    /// The body, as it came: perhaps compressed.
    pub(crate) body: Vec<u8>,
    /// The status of the answer.
    pub(crate) status: u16,
    /// The length of the answer's body.
    pub(crate) sent: usize,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} → {}, {} bytes {:?}",
            self.line, self.status, self.sent, self.headers
        )
    }
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Server {
    /// Starts a server; it stops with the value.
    pub(crate) fn start(sandbox: &Sandbox) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            root: sandbox.root().to_owned(),
            open: AtomicBool::new(true),
            rules: Mutex::default(),
            seen: Mutex::default(),
        });
        let for_thread = Arc::clone(&shared);
        std::thread::spawn(move || accept(&listener, &for_thread));
        Server { address, shared }
    }

    /// The URL of a repository, or of a file in `www`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Lets nobody in who does not say this name and password.
    pub(crate) fn require(&self, user: &str, password: &str) {
        self.shared.rules.lock().unwrap().password = Some((user.to_owned(), password.to_owned()));
    }

    /// Lets nobody in who does not show this token.
    pub(crate) fn require_token(&self, token: &str) {
        self.shared.rules.lock().unwrap().token = Some(token.to_owned());
    }

    /// Goes wrong on every request whose line holds `needle`.
    pub(crate) fn fault(&self, needle: &str, fault: Fault) {
        self.fault_times(needle, fault, usize::MAX);
    }

    /// Goes wrong on the next `times` requests whose line holds `needle`.
    pub(crate) fn fault_times(&self, needle: &str, fault: Fault, times: usize) {
        self.shared
            .rules
            .lock()
            .unwrap()
            .faults
            .push((needle.to_owned(), fault, times));
    }

    /// Goes wrong no more.
    pub(crate) fn heal(&self) {
        self.shared.rules.lock().unwrap().faults.clear();
    }

    /// Serves git without `--filter`, as simple servers do.
    pub(crate) fn without_filters(&self) {
        self.shared.rules.lock().unwrap().unfiltered = true;
    }

    /// Sends files gzipped to whoever takes them so.
    pub(crate) fn compress(&self) {
        self.shared.rules.lock().unwrap().compressing = true;
    }

    /// Lets a program answer before files are looked for.
    pub(crate) fn handle(&self, handler: Handler) {
        self.shared.rules.lock().unwrap().handler = Some(handler);
    }

    /// Every request so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// How many requests whose line holds `needle` there were.
    pub(crate) fn count(&self, needle: &str) -> usize {
        self.requests()
            .iter()
            .filter(|request| request.line.contains(needle))
            .count()
    }

    /// How many bytes of body were sent.
    pub(crate) fn bytes(&self) -> usize {
        self.requests().iter().map(|request| request.sent).sum()
    }

    /// Forgets the requests so far.
    pub(crate) fn forget(&self) {
        self.shared.seen.lock().unwrap().clear();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.open.store(false, Ordering::SeqCst);
        // Wakes the thread that waits for a connection, so that it sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

/// A URL on loopback where nobody listens.
pub(crate) fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if !shared.open.load(Ordering::SeqCst) {
            return;
        }
        let (Ok(stream), shared) = (stream, Arc::clone(shared)) else {
            continue;
        };
        // A client that goes away in the middle is what some tests are about.
        std::thread::spawn(move || drop(converse(&stream, &shared)));
    }
}

fn converse(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(mut request) = read_request(&mut reader, stream)? {
        let fault = shared.rules.lock().unwrap().next_fault(&request.line);
        let answer = match fault.clone() {
            Some(Fault::HangUp) => {
                shared.note(request);
                return Ok(());
            }
            Some(Fault::Status(status)) => Answer::plain(status, "as told"),
            Some(Fault::RetryAfter(status, seconds)) => {
                let mut answer = Answer::plain(status, "later");
                answer
                    .headers
                    .push(("Retry-After".into(), seconds.to_string()));
                answer
            }
            Some(Fault::Stale(body)) if !is_past_caches(&request) => Answer {
                status: 200,
                headers: Vec::new(),
                body,
            },
            Some(Fault::Redirect(base)) => Answer::redirect(&base, &request.line),
            Some(Fault::Slow(time)) => {
                std::thread::sleep(time);
                shared.answer(&request)
            }
            Some(Fault::Flip) => {
                let mut answer = shared.answer(&request);
                let middle = answer.body.len() / 2;
                answer.body[middle] ^= 1;
                answer
            }
            Some(Fault::Truncate(_) | Fault::Stale(_)) | None => shared.answer(&request),
        };
        let cut = if let Some(Fault::Truncate(cut)) = fault {
            Some(cut)
        } else {
            None
        };
        request.status = answer.status;
        request.sent = answer.body.len().min(cut.unwrap_or(usize::MAX));
        let headless = request.line.starts_with("HEAD ");
        let body = if headless {
            &[]
        } else {
            &answer.body[..request.sent]
        };
        shared.note(request);
        answer.send(stream, body)?;
        if cut.is_some() {
            return Ok(());
        }
    }
    Ok(())
}

fn is_past_caches(request: &Request) -> bool {
    let control = request.headers.get("cache-control");
    control.is_some_and(|control| control == "no-cache")
}

/// The next request of a connection; `None` at its end.
fn read_request(reader: &mut impl BufRead, mut stream: &TcpStream) -> io::Result<Option<Request>> {
    let Some(first) = read_line(reader)? else {
        return Ok(None);
    };
    let mut headers = BTreeMap::new();
    while let Some(line) = read_line(reader)?.filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(':').unwrap_or((&line, ""));
        headers.insert(key.to_ascii_lowercase(), value.trim().to_owned());
    }
    let header = |key: &str| headers.get(key).map(String::as_str).unwrap_or_default();
    if header("expect").eq_ignore_ascii_case("100-continue") {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut body = Vec::new();
    if header("transfer-encoding").eq_ignore_ascii_case("chunked") {
        read_chunks(reader, &mut body)?;
    } else {
        reader
            .take(header("content-length").parse().unwrap_or(0))
            .read_to_end(&mut body)?;
    }
    let line = first.trim_end_matches(" HTTP/1.1").to_owned();
    Ok(Some(Request {
        line,
        headers,
        body,
        status: 0,
        sent: 0,
    }))
}

fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((reader.read_line(&mut line)? > 0).then(|| line.trim_end().to_owned()))
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let size = read_line(reader)?.unwrap_or_default();
        let size = u64::from_str_radix(size.split(';').next().unwrap_or_default(), 16)
            .map_err(io::Error::other)?;
        reader.take(size).read_to_end(body)?;
        read_line(reader)?;
        if size == 0 {
            return Ok(());
        }
    }
}

impl Rules {
    fn next_fault(&mut self, line: &str) -> Option<Fault> {
        let fits = |(needle, _, times): &&mut (String, Fault, usize)| {
            *times > 0 && line.contains(needle.as_str())
        };
        let (_, fault, times) = self.faults.iter_mut().find(fits)?;
        *times -= 1;
        Some(fault.clone())
    }
}

impl Shared {
    fn note(&self, request: Request) {
        self.seen.lock().unwrap().push(request);
    }

    fn answer(&self, request: &Request) -> Answer {
        let (method, target) = request.line.split_once(' ').unwrap_or_default();
        if method == "CONNECT" {
            return Answer::plain(502, "this proxy does not tunnel");
        }
        let rules = self.rules.lock().unwrap();
        let handler = rules.handler.clone();
        let (password, unfiltered) = (rules.password.clone(), rules.unfiltered);
        let wanted = rules.token.as_ref().map(|token| format!("Bearer {token}"));
        drop(rules);
        if wanted.is_some() && request.headers.get("authorization") != wanted.as_ref() {
            return Answer::plain(401, "who are you?");
        }
        if let Some((user, secret)) = &password {
            let wanted = format!("Basic {}", base64(format!("{user}:{secret}").as_bytes()));
            if request.headers.get("authorization") != Some(&wanted) {
                let mut refusal = Answer::plain(401, "who are you?");
                refusal
                    .headers
                    .push(("WWW-Authenticate".into(), "Basic realm=\"skills\"".into()));
                return refusal;
            }
        }
        let (path, query) = path_of(target);
        let is_git = ["/info/refs", "/git-upload-pack", "/git-receive-pack"]
            .iter()
            .any(|end| path.ends_with(end));
        if is_git {
            let user = password.map(|(user, _)| user);
            return self.ask_git(
                request,
                &Cgi {
                    method,
                    path,
                    query,
                    user,
                    unfiltered,
                },
            );
        }
        match handler.and_then(|handler| handler(path, query)) {
            Some((status, kind, body)) => Answer {
                status,
                headers: vec![("Content-Type".into(), kind.into())],
                body,
            },
            None => self.file(request, path),
        }
    }

    fn file(&self, request: &Request, path: &str) -> Answer {
        let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        let path = decoded.as_ref();
        let climbs = path.split('/').any(|part| part == "..");
        let Ok(body) = fs::read(self.root.join("www").join(path.trim_start_matches('/'))) else {
            return Answer::plain(404, "not found");
        };
        if climbs {
            return Answer::plain(403, "no");
        }
        let tag = format!("\"{}\"", &hex::encode(Sha256::digest(&body))[..16]);
        let known = request.headers.get("if-none-match") == Some(&tag);
        let (status, body) = if known {
            (304, Vec::new())
        } else {
            (200, body)
        };
        let mut answer = Answer {
            status,
            headers: vec![("ETag".into(), tag)],
            body,
        };
        let takes_gzip = request
            .headers
            .get("accept-encoding")
            .is_some_and(|taken| taken.contains("gzip"));
        if status == 200 && takes_gzip && self.rules.lock().unwrap().compressing {
            let mut gzip =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            gzip.write_all(&answer.body).unwrap();
            answer.body = gzip.finish().unwrap();
            answer
                .headers
                .push(("Content-Encoding".into(), "gzip".into()));
        }
        answer
    }

    fn ask_git(&self, request: &Request, cgi: &Cgi<'_>) -> Answer {
        let mut git = clean_command("git", &self.root, &self.root.join("home"));
        git.arg("http-backend")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        git.env("GIT_PROJECT_ROOT", self.root.join("repos"))
            .env("GIT_HTTP_EXPORT_ALL", "1");
        git.env("PATH_INFO", cgi.path)
            .env("QUERY_STRING", cgi.query)
            .env("REQUEST_METHOD", cgi.method);
        git.env("REMOTE_ADDR", "127.0.0.1")
            .env("CONTENT_LENGTH", request.body.len().to_string());
        git.envs(cgi.user.as_ref().map(|user| ("REMOTE_USER", user)));
        let passed = [
            ("content-type", "CONTENT_TYPE"),
            ("content-encoding", "HTTP_CONTENT_ENCODING"),
            ("git-protocol", "HTTP_GIT_PROTOCOL"),
        ];
        git.envs(
            passed
                .iter()
                .filter_map(|(header, key)| Some((key, request.headers.get(*header)?))),
        );
        let mut config = vec![("safe.directory", "*")];
        config.extend(
            cgi.unfiltered
                .then_some(("uploadpack.allowFilter", "false")),
        );
        git.env("GIT_CONFIG_COUNT", config.len().to_string());
        for (n, (key, value)) in config.iter().enumerate() {
            git.env(format!("GIT_CONFIG_KEY_{n}"), key)
                .env(format!("GIT_CONFIG_VALUE_{n}"), value);
        }
        let mut child = git.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            // git may answer before it has read everything, and then does not read the rest.
            scope.spawn(move || drop(stdin.write_all(&request.body)));
            child.wait_with_output().unwrap()
        });
        Answer::from_cgi(&output.stdout)
    }
}

struct Cgi<'a> {
    method: &'a str,
    path: &'a str,
    query: &'a str,
    user: Option<String>,
    unfiltered: bool,
}

/// Path and query of a request's target, which names a host too when a proxy is asked.
fn path_of(target: &str) -> (&str, &str) {
    let path = target.split_once("://").map_or(target, |(_, rest)| {
        rest.find('/').map_or("/", |at| &rest[at..])
    });
    path.split_once('?').unwrap_or((path, ""))
}

impl Answer {
    fn plain(status: u16, text: &str) -> Self {
        Answer {
            status,
            headers: vec![("Content-Type".into(), "text/plain".into())],
            body: text.into(),
        }
    }

    fn redirect(base: &str, line: &str) -> Self {
        let target = line.split_once(' ').map_or("/", |(_, target)| target);
        let mut answer = Answer::plain(302, "over there");
        answer.headers.push((
            "Location".into(),
            format!("{}{target}", base.trim_end_matches('/')),
        ));
        answer
    }

    fn from_cgi(output: &[u8]) -> Self {
        let Some(end) = memchr::memmem::find(output, b"\r\n\r\n") else {
            return Answer::plain(500, "git said nothing");
        };
        let mut answer = Answer {
            status: 200,
            headers: Vec::new(),
            body: output[end + 4..].to_vec(),
        };
        for line in String::from_utf8_lossy(&output[..end]).lines() {
            match line.split_once(": ") {
                Some(("Status", status)) => answer.status = status[..3].parse().unwrap(),
                Some((key, value)) => answer.headers.push((key.to_owned(), value.to_owned())),
                None => {}
            }
        }
        answer
    }

    fn send(&self, mut stream: &TcpStream, body: &[u8]) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} As Told\r\nContent-Length: {}\r\n",
            self.status,
            self.body.len()
        );
        for (key, value) in &self.headers {
            let _ = write!(head, "{key}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        stream.write_all(body)
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::repo::{Repo, remove_repository};
    use super::*;

    fn clone(sandbox: &Sandbox, url: &str, options: &[&str]) -> (bool, String) {
        let mut git = clean_command("git", sandbox.root(), &sandbox.root().join("home"));
        git.args(["clone", "-q"])
            .args(options)
            .args([url, "clone"])
            .current_dir(sandbox.root().join("tmp"));
        let output = git.stdin(Stdio::null()).output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    #[test]
    fn git_clones_over_http_and_requests_are_recorded() {
        let sandbox = Sandbox::new();
        sandbox.repo_with("pdf");
        let server = Server::start(&sandbox);
        let (done, stderr) = clone(
            &sandbox,
            &server.url("skills"),
            &["--depth", "1", "--filter=blob:none"],
        );
        assert!(done, "{stderr}");
        assert!(!stderr.contains("filtering not recognized"), "{stderr}");
        assert!(
            sandbox
                .root()
                .join("tmp/clone/skills/pdf/SKILL.md")
                .exists()
        );
        assert_eq!(
            server.requests()[0].line,
            "GET /skills/info/refs?service=git-upload-pack"
        );
        assert!(server.count("POST /skills/git-upload-pack") >= 2 && server.bytes() > 0);
        server.forget();
        assert_eq!(server.count(""), 0);
    }

    #[test]
    fn server_without_filters_serves_everything() {
        let sandbox = Sandbox::new();
        sandbox.repo_with("pdf");
        let server = Server::start(&sandbox);
        server.without_filters();
        let (done, stderr) = clone(&sandbox, &server.url("skills"), &["--filter=blob:none"]);
        assert!(
            done && stderr.contains("filtering not recognized"),
            "{stderr}"
        );
    }

    #[test]
    fn only_the_right_password_is_accepted() {
        let sandbox = Sandbox::new();
        sandbox.repo_with("pdf");
        let server = Server::start(&sandbox);
        server.require("joe", "s3cret?");
        assert!(!clone(&sandbox, &server.url("skills"), &[]).0);
        assert!(
            server
                .requests()
                .iter()
                .all(|request| request.status == 401)
        );
        let url = server
            .url("skills")
            .replace("http://", "http://joe:s3cret%3F@");
        assert!(clone(&sandbox, &url, &[]).0);
    }

    #[test]
    fn compressed_and_chunked_bodies_reach_git() {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo_with("pdf");
        for n in 0..120 {
            repo.git(&["branch", &format!("branch-{n}")]);
            repo.git(&["commit", "-q", "--allow-empty", "-m", &n.to_string()]);
        }
        let server = Server::start(&sandbox);
        let said = |key: &str| {
            server
                .requests()
                .iter()
                .any(|request| request.headers.contains_key(key))
        };
        assert!(clone(&sandbox, &server.url("skills"), &[]).0);
        assert!(
            said("content-encoding") && !said("transfer-encoding"),
            "{:?}",
            server.requests()
        );
        remove_repository(&sandbox.root().join("tmp/clone"));
        assert!(
            clone(
                &sandbox,
                &server.url("skills"),
                &["-c", "http.postBuffer=1000", "-c", "protocol.version=0"]
            )
            .0
        );
        assert!(said("transfer-encoding"), "{:?}", server.requests());
    }

    #[test]
    fn faults_happen_as_often_as_configured() {
        let sandbox = Sandbox::new();
        sandbox.repo_with("pdf");
        let server = Server::start(&sandbox);
        server.fault_times("info/refs", Fault::Status(500), 1);
        let (done, stderr) = clone(&sandbox, &server.url("skills"), &[]);
        assert!(!done && stderr.contains("500"), "{stderr}");
        assert!(clone(&sandbox, &server.url("skills"), &[]).0);
        assert_eq!(server.requests()[0].status, 500);
    }

    #[test]
    fn truncated_answer_and_hang_up_are_detected_by_git() {
        let sandbox = Sandbox::new();
        sandbox.repo_with("pdf");
        let server = Server::start(&sandbox);
        server.fault_times("git-upload-pack", Fault::Truncate(20), 1);
        server.fault_times("git-upload-pack", Fault::HangUp, 1);
        assert!(!clone(&sandbox, &server.url("skills"), &[]).0);
        assert!(!clone(&sandbox, &server.url("skills"), &[]).0);
        let other = Server::start(&sandbox);
        other.fault("info/refs", Fault::Redirect(server.url("")));
        assert!(
            clone(
                &sandbox,
                &other.url("skills"),
                &["-c", "http.followRedirects=true"]
            )
            .0
        );
        assert_eq!(other.requests()[0].status, 302);
    }

    #[test]
    fn files_are_served_with_an_etag_and_no_parent_directories() {
        let sandbox = Sandbox::new();
        sandbox.write("../www/a.txt", "hello");
        let server = Server::start(&sandbox);
        let ask = |request: String| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let whole = ask("GET /a.txt HTTP/1.1\r\n\r\n".into());
        assert!(
            whole.starts_with("HTTP/1.1 200") && whole.ends_with("hello"),
            "{whole}"
        );
        let tag = whole
            .lines()
            .find_map(|line| line.strip_prefix("ETag: "))
            .unwrap();
        assert!(
            ask(format!(
                "GET /a.txt HTTP/1.1\r\nIf-None-Match: {tag}\r\n\r\n"
            ))
            .starts_with("HTTP/1.1 304")
        );
        assert!(ask("GET http://other.example/a.txt HTTP/1.1\r\n\r\n".into()).ends_with("hello"));
        assert!(ask("GET /../home/.gitconfig HTTP/1.1\r\n\r\n".into()).starts_with("HTTP/1.1 403"));
        assert!(ask("CONNECT a.example:443 HTTP/1.1\r\n\r\n".into()).starts_with("HTTP/1.1 502"));
    }

    #[test]
    fn base64_is_right_for_every_remainder() {
        assert_eq!(
            [base64(b"joe"), base64(b"jo"), base64(b"j")],
            ["am9l", "am8=", "ag=="]
        );
    }

    #[test]
    fn missing_bundle_gives_no_repository() {
        let missing = std::path::Path::new("no-such.bundle");
        assert!(Repo::cloned_bundle(&Sandbox::new(), "no-such", missing).is_none());
    }
}

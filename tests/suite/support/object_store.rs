//! Real object stores on loopback, made by others: moto for S3, Azurite for Azure.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::server::base64;
use super::{skipped, test_tools};

/// Starts moto on a port of its own, says which, and ends with its stdin, however the tests end. It takes one request at a
/// time: it looks at `If-Match` and writes in two steps, which S3 does in one.
const MOTO: &str = "
import os, sys, threading
from moto.moto_server import werkzeug_app
from moto.server import ThreadedMotoServer
answer = werkzeug_app.DomainDispatcherApplication.__call__
turn = threading.Lock()
def in_turn(self, environ, start_response):
    with turn:
        return answer(self, environ, start_response)
werkzeug_app.DomainDispatcherApplication.__call__ = in_turn
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
os._exit(0)
";

/// The account that Azurite knows, and its key, as its documentation has them.
const AZURITE_ACCOUNT: &str = "devstoreaccount1";
const AZURITE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// One bucket of a real server.
pub(crate) struct ObjectStore {
    /// The URL of the bucket.
    pub(crate) url: String,
    /// What the environment must say to reach it.
    pub(crate) env: Vec<(&'static str, String)>,
    address: String,
}

/// A server that all tests of this program share; none of them sees another's bucket.
struct Shared {
    address: String,
    _child: Child,
    _stdin: Option<ChildStdin>,
}

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl ObjectStore {
    /// An empty bucket of S3. Without moto on this machine, says that the test is skipped and returns `None`.
    pub(crate) fn s3() -> Option<Self> {
        static MOTO_SERVER: LazyLock<Option<Shared>> = LazyLock::new(start_moto);
        let Some(server) = &*MOTO_SERVER else {
            skipped(
                "there is no moto; `.ci/run` brings it, or `SKILLPM_TEST_MOTO` names a python that has it",
            );
            return None;
        };
        let name = format!("skills-{}", COUNT.fetch_add(1, Ordering::SeqCst));
        let made = request(&server.address, "PUT", &format!("/{name}"), &[], b"");
        assert!(made.starts_with("HTTP/1.1 200"), "{made}");
        let env = vec![
            ("AWS_ENDPOINT_URL", format!("http://{}", server.address)),
            ("AWS_ACCESS_KEY_ID", "AKIACANARY".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "CANARY-object-store".to_owned()),
        ];
        Some(ObjectStore {
            url: format!("s3://{name}"),
            env,
            address: server.address.clone(),
        })
    }

    /// An empty container of Azure. Without Azurite, as [`ObjectStore::s3`].
    pub(crate) fn azure() -> Option<Self> {
        static AZURITE: LazyLock<Option<Shared>> = LazyLock::new(start_azurite);
        let Some(server) = &*AZURITE else {
            skipped(
                "there is no Azurite; `.ci/run` brings it, or `SKILLPM_TEST_AZURITE` names its `azurite-blob`",
            );
            return None;
        };
        let name = format!("skills-{}", COUNT.fetch_add(1, Ordering::SeqCst));
        make_container(&server.address, &name);
        let env = vec![
            (
                "AZURE_STORAGE_ENDPOINT",
                format!("http://{}/{AZURITE_ACCOUNT}", server.address),
            ),
            ("AZURE_STORAGE_ACCOUNT_KEY", AZURITE_KEY.to_owned()),
        ];
        Some(ObjectStore {
            url: format!("az://{AZURITE_ACCOUNT}/{name}"),
            env,
            address: server.address.clone(),
        })
    }

    /// The URL of a place in the bucket.
    pub(crate) fn url(&self, prefix: &str) -> String {
        format!("{}/{prefix}", self.url)
    }

    /// Where the server listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

fn start_moto() -> Option<Shared> {
    let pythons = [
        std::env::var_os("SKILLPM_TEST_MOTO").map(PathBuf::from),
        Some(test_tools("moto/bin/python")),
        Some(PathBuf::from("python3")),
    ];
    let has_moto = |python: &PathBuf| {
        let mut asked = Command::new(python);
        asked
            .args(["-c", "import moto.server, flask"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    let python = pythons.into_iter().flatten().find(has_moto)?;
    let mut command = Command::new(python);
    command.args(["-c", MOTO]);
    let (child, stdin, port) = start(command, |line| line.trim().parse::<u16>().ok())?;
    Some(Shared {
        address: format!("127.0.0.1:{port}"),
        _child: child,
        _stdin: stdin,
    })
}

fn start_azurite() -> Option<Shared> {
    let programs = [
        std::env::var_os("SKILLPM_TEST_AZURITE").map(PathBuf::from),
        Some(test_tools("azurite/node_modules/.bin/azurite-blob")),
    ];
    let program = programs
        .into_iter()
        .flatten()
        .find(|program| program.exists())?;
    // It does not end with its stdin, so a shell sees to that.
    let script = "\"$@\" </dev/null & read -r _; kill $!";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(program);
    command.args([
        "--blobHost",
        "127.0.0.1",
        "--blobPort",
        "0",
        "--inMemoryPersistence",
        "--skipApiVersionCheck",
    ]);
    command.arg("--disableTelemetry");
    let (child, stdin, port) = start(command, |line| {
        let (_, address) = line.split_once("successfully listens on http://127.0.0.1:")?;
        address.trim().parse::<u16>().ok()
    })?;
    Some(Shared {
        address: format!("127.0.0.1:{port}"),
        _child: child,
        _stdin: stdin,
    })
}

/// Starts a server, and waits for the line in which it tells its port.
fn start(
    mut command: Command,
    port: impl Fn(&str) -> Option<u16>,
) -> Option<(Child, Option<ChildStdin>, u16)> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdin = child.stdin.take();
    let mut lines = BufReader::new(child.stdout.take()?).lines();
    let port = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| port(&line))?;
    // Who writes into a pipe that nobody reads comes to stand.
    std::thread::spawn(move || lines.for_each(drop));
    Some((child, stdin, port))
}

/// The answer to one request.
fn request(
    address: &str,
    method: &str,
    target: &str,
    headers: &[(&str, String)],
    body: &[u8],
) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut head =
        format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    let _ = write!(head, "Content-Length: {}\r\n", body.len());
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// Azurite wants a signature even for this.
fn make_container(address: &str, name: &str) {
    static MAKING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = MAKING.lock();
    let date = jiff::Timestamp::now()
        .strftime("%a, %d %b %Y %H:%M:%S GMT")
        .to_string();
    let target = format!("/{AZURITE_ACCOUNT}/{name}");
    let signed = format!(
        "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:{date}\nx-ms-version:2021-08-06\n/{AZURITE_ACCOUNT}{target}\nrestype:container"
    );
    let key = BASE64_STANDARD.decode(AZURITE_KEY).unwrap();
    let signature = base64(&hmac(&key, signed.as_bytes()));
    let headers = [
        ("x-ms-date", date),
        ("x-ms-version", "2021-08-06".to_owned()),
        (
            "Authorization",
            format!("SharedKey {AZURITE_ACCOUNT}:{signature}"),
        ),
    ];
    let made = request(
        address,
        "PUT",
        &format!("{target}?restype=container"),
        &headers,
        b"",
    );
    assert!(made.starts_with("HTTP/1.1 201"), "{made}");
}

/// HMAC-SHA256 with a key of at most 64 bytes.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let pad = |with: u8| -> Vec<u8> { (0..64).map(|n| key.get(n).unwrap_or(&0) ^ with).collect() };
    let inner = Sha256::digest([&pad(0x36), message].concat());
    Sha256::digest([pad(0x5c), inner.to_vec()].concat()).to_vec()
}

//! Real requests to real servers on loopback, which misbehave as configured.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;
use skillpm_core::error::FailureKind;
use skillpm_core::report::{ProgressEvent, SilentReporter};

/// What a server does with a request.
enum Answer {
    /// Sends this and closes.
    Send(Vec<u8>),
    /// Sends this and resets the connection.
    Reset(Vec<u8>),
    /// Sends the first, then the second byte by byte, with this between two.
    Drip(Vec<u8>, Vec<u8>, Duration),
    /// Sends nothing for this long.
    Silence(Duration),
}

/// A server on loopback; it answers until the test is over.
struct Server {
    address: SocketAddr,
    scheme: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers the nth request, counted from 0, as `answer` says.
    fn new(answer: impl Fn(usize, &str) -> Answer + Send + Sync + 'static) -> Server {
        Server::start("http", answer, respond)
    }

    /// The same over TLS, with a certificate of the fixtures.
    fn tls(
        certificate: &str,
        answer: impl Fn(usize, &str) -> Answer + Send + Sync + 'static,
    ) -> Server {
        install_tls_provider();
        let chain = CertificateDer::pem_file_iter(fixture(certificate))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let key = PrivateKeyDer::from_pem_file(fixture("server.key")).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        Server::start("https", answer, move |stream, answer| {
            let connection =
                ServerConnection::new(Arc::clone(&config)).map_err(io::Error::other)?;
            let mut stream = StreamOwned::new(connection, stream);
            read_head(&mut stream)?;
            let Answer::Send(bytes) = answer else {
                return Ok(());
            };
            stream.write_all(&bytes)?;
            stream.conn.send_close_notify();
            stream.flush()
        })
    }

    fn start<S>(
        scheme: &'static str,
        answer: impl Fn(usize, &str) -> Answer + Send + Sync + 'static,
        serve: S,
    ) -> Server
    where
        S: Fn(TcpStream, Answer) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::new((answer, serve, Arc::clone(&seen)));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (answer, serve, seen) = &*shared;
                    // Over TLS there is no head to be seen before the handshake.
                    let head = if scheme == "http" {
                        peek_head(&stream)?
                    } else {
                        String::new()
                    };
                    let count = {
                        let mut seen = seen.lock().unwrap();
                        seen.push(head.clone());
                        seen.len() - 1
                    };
                    serve(stream, answer(count, &head))
                });
            }
        });
        Server {
            address,
            scheme,
            seen,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

/// The head of the request, which stays unread: a socket that is closed with bytes unread is reset.
fn peek_head(stream: &TcpStream) -> io::Result<String> {
    let mut buffer = [0; 4096];
    loop {
        let count = stream.peek(&mut buffer)?;
        let head = String::from_utf8_lossy(&buffer[..count]);
        if count == 0 || head.contains("\r\n\r\n") {
            return Ok(head.into_owned());
        }
        thread::yield_now();
    }
}

fn read_head(stream: &mut impl Read) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(())
}

fn respond(mut stream: TcpStream, answer: Answer) -> io::Result<()> {
    match answer {
        Answer::Reset(bytes) => stream.write_all(&bytes),
        Answer::Send(bytes) => {
            read_head(&mut stream)?;
            stream.write_all(&bytes)
        }
        Answer::Drip(head, bytes, pause) => {
            read_head(&mut stream)?;
            stream.write_all(&head)?;
            for byte in bytes {
                stream.write_all(&[byte])?;
                thread::sleep(pause);
            }
            Ok(())
        }
        Answer::Silence(time) => {
            thread::sleep(time);
            Ok(())
        }
    }
}

/// An answer with this status line, these headers and this body, with its length.
fn reply(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for header in headers {
        head += header;
        head += "\r\n";
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

fn ok(body: &str) -> Answer {
    Answer::Send(reply("200 OK", &[], body.as_bytes()))
}

fn redirect_to(url: &str) -> Answer {
    Answer::Send(reply("302 Found", &[&format!("location: {url}")], b""))
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/tls")
        .join(name)
}

const SOON: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_mins(1);

/// Waits long for what comes and not at all between attempts.
fn http() -> HttpClient {
    HttpClient::new(HttpClientOptions {
        timing: HttpTiming {
            connect: LONG,
            stall: LONG,
            total: LONG,
            retry: RetryPolicy {
                delay: SOON,
                ..RetryPolicy::default()
            },
        },
        ..HttpClientOptions::default()
    })
}

/// Gives up soon, except that it waits this long for the connection and the head of a response.
fn hasty(connect: Duration) -> HttpClient {
    let stall = Duration::from_millis(300);
    HttpClient::new(HttpClientOptions {
        timing: HttpTiming {
            connect,
            stall,
            retry: RetryPolicy {
                delay: SOON,
                ..RetryPolicy::default()
            },
            ..HttpTiming::default()
        },
        ..HttpClientOptions::default()
    })
}

fn get(server: &Server) -> Result<HttpResponse> {
    http().get(&server.url("/x"), 1 << 20, &SilentReporter)
}

fn causes(error: &Error) -> String {
    assert_eq!(error.kind(), FailureKind::Network, "{error:?}");
    error.causes().join("\n")
}

#[test]
fn validators_of_a_response_avoid_the_next_download() {
    let server = Server::new(|_, head| {
        if head.contains("if-none-match: \"v1\"") && head.contains("if-modified-since: Mon") {
            Answer::Send(b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec())
        } else {
            let headers = [
                "etag: \"v1\"",
                "last-modified: Mon, 02 Nov 2026 00:00:00 GMT",
            ];
            Answer::Send(reply("200 OK", &headers, b"body"))
        }
    });
    let http = http();
    let first = http.get(&server.url("/x"), 4, &SilentReporter).unwrap();
    assert_eq!(
        (first.bytes.as_slice(), first.final_url),
        (&b"body"[..], server.url("/x"))
    );
    let second = HttpRequest {
        etag: first.etag,
        last_modified: first.last_modified,
        ..HttpRequest::new(server.url("/x"), 4)
    };
    assert_eq!(
        *http.get_all(&[second], &SilentReporter)[0]
            .as_ref()
            .unwrap(),
        HttpOutcome::NotModified
    );
}

#[test]
fn responses_have_the_order_of_their_requests() {
    let server = Server::new(|_, head| {
        let path = head.split(' ').nth(1).unwrap();
        if path == "/7" {
            Answer::Send(reply("404 Not Found", &[], b""))
        } else {
            ok(path)
        }
    });
    let mut requests: Vec<_> = (0..100)
        .map(|n| HttpRequest::new(server.url(&format!("/{n}")), 10))
        .collect();
    requests[3].url = "ftp://127.0.0.1/".into();
    for (n, answer) in http()
        .get_all(&requests, &SilentReporter)
        .into_iter()
        .enumerate()
    {
        match (n, answer) {
            (3, answer) => assert_eq!(answer.unwrap_err().kind(), FailureKind::Usage),
            (7, answer) => assert_eq!(answer.unwrap(), HttpOutcome::Missing(404)),
            (n, Ok(HttpOutcome::Fresh(response))) => {
                assert_eq!(response.bytes, format!("/{n}").into_bytes());
            }
            (n, answer) => panic!("{n}: {answer:?}"),
        }
    }
}

#[test]
fn a_url_chosen_by_a_server_obeys_the_rules_of_redirects() {
    let server = Server::new(|_, _| ok("x"));
    let ask = |named_by: &str, url: String| {
        let named_by = Some(named_by.to_owned());
        http()
            .get_all(
                &[HttpRequest {
                    named_by,
                    ..HttpRequest::new(url, 10)
                }],
                &SilentReporter,
            )
            .remove(0)
    };
    for near in [server.url("/index/"), "http://localhost:1/".into()] {
        assert!(
            matches!(ask(&near, server.url("/x")), Ok(HttpOutcome::Fresh(_))),
            "{near}"
        );
    }
    let before = server.count();
    for far in [
        "https://203.0.113.1/index/",
        "https://[2606:4700::1]/",
        "s3://bucket/",
        "no url",
    ] {
        let error = ask(far, server.url("/x")).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Network);
        assert!(
            error.causes()[0].contains("inside the local network"),
            "{error:?}"
        );
        assert!(ask(far, "https://10.0.0.1/x".into()).is_err());
    }
    assert_eq!(server.count(), before);
}

#[test]
fn digest_is_computed_over_the_bytes_as_sent() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"an archive").unwrap();
    let sent = gzip.finish().unwrap();
    let body = sent.clone();
    let server =
        Server::new(move |_, _| Answer::Send(reply("200 OK", &["content-encoding: gzip"], &body)));
    let ask = |sha256| {
        http()
            .get_all(
                &[HttpRequest {
                    sha256,
                    ..HttpRequest::new(server.url("/x"), 100)
                }],
                &SilentReporter,
            )
            .pop()
    };

    let Some(Ok(HttpOutcome::Fresh(as_sent))) = ask(Some(Sha256Digest::hash_bytes(&sent))) else {
        panic!("the digest is right")
    };
    assert_eq!(as_sent.bytes, sent);
    let Some(Ok(HttpOutcome::Fresh(plain))) = ask(None) else {
        panic!("no digest is asked for")
    };
    assert_eq!(plain.bytes, b"an archive");

    let before = server.count();
    let error = ask(Some(Sha256Digest::hash_bytes(b"an archive")))
        .unwrap()
        .unwrap_err();
    assert_eq!(error.kind(), FailureKind::Integrity);
    assert_eq!(
        server.count(),
        before + 2,
        "a wrong file is asked for once more, and no further"
    );
    assert_eq!(
        error.notes().last().unwrap(),
        "it was fetched twice, the second time bypassing all caches"
    );
}

#[test]
fn a_file_with_a_wrong_digest_is_fetched_once_more_bypassing_caches() {
    let is_past =
        |head: &str| head.contains("cache-control: no-cache") && head.contains("pragma: no-cache");
    let promised = HttpRequest {
        sha256: Some(Sha256Digest::hash_bytes(b"body")),
        ..HttpRequest::new("", 10)
    };
    let ask = |server: &Server| {
        http()
            .get_all(
                &[HttpRequest {
                    url: server.url("/x"),
                    etag: Some("\"e\"".into()),
                    ..promised.clone()
                }],
                &SilentReporter,
            )
            .remove(0)
    };

    let healed = Server::new(move |_, head| {
        if is_past(head) {
            ok("body")
        } else {
            ok("damaged")
        }
    });
    assert!(matches!(ask(&healed), Ok(HttpOutcome::Fresh(response)) if response.bytes == b"body"));
    let seen = healed.seen.lock().unwrap().clone();
    assert_eq!(
        seen.iter().map(|head| is_past(head)).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(
        seen[0].contains("if-none-match") && !seen[1].contains("if-none-match"),
        "{seen:?}"
    );

    // A second question that gets no file changes nothing about what the first one got.
    for other in ["403 Forbidden", "404 Not Found", "503 Service Unavailable"] {
        let server = Server::new(move |n, _| {
            if n == 0 {
                ok("damaged")
            } else {
                Answer::Send(reply(other, &[], b""))
            }
        });
        let error = ask(&server).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Integrity, "{other}");
        assert!(
            error.notes()[1].contains(&Sha256Digest::hash_bytes(b"damaged").to_string()),
            "{error:?}"
        );
    }
}

#[test]
fn a_partial_response_with_status_200_is_retried() {
    let part = reply("200 OK", &["content-range: bytes 0-3/4"], b"dy");
    let server = Server::new(move |n, _| {
        if n == 0 {
            Answer::Send(part.clone())
        } else {
            ok("body")
        }
    });
    assert_eq!(
        (get(&server).unwrap().bytes, server.count()),
        (b"body".to_vec(), 2)
    );
    let whole =
        Server::new(|_, _| Answer::Send(reply("200 OK", &["content-range: bytes 0-3/4"], b"body")));
    assert_eq!(
        (get(&whole).unwrap().bytes, whole.count()),
        (b"body".to_vec(), 1)
    );
}

#[test]
fn busy_servers_short_bodies_and_resets_are_asked_again() {
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbo";
    let chunk = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nbo\r\n";
    for (what, bad) in [
        (
            "429",
            reply("429 Too Many Requests", &["retry-after: 0"], b""),
        ),
        ("503", reply("503 Service Unavailable", &[], b"")),
        ("short", half.to_vec()),
        ("short and chunked", chunk.to_vec()),
        ("nothing", Vec::new()),
    ] {
        let server = Server::new(move |n, _| {
            if n < 2 {
                Answer::Send(bad.clone())
            } else {
                ok("body")
            }
        });
        assert_eq!(get(&server).unwrap().bytes, b"body", "{what}");
        assert_eq!(server.count(), 3, "{what}");
    }
    let server = Server::new(move |n, _| {
        if n < 2 {
            Answer::Reset(half.to_vec())
        } else {
            ok("body")
        }
    });
    assert_eq!(get(&server).unwrap().bytes, b"body");
}

#[test]
fn a_server_that_stays_busy_is_asked_four_times() {
    let server = Server::new(|_, _| Answer::Send(reply("503 Service Unavailable", &[], b"")));
    let error = get(&server).unwrap_err();
    assert!(causes(&error).contains("503"), "{error:?}");
    assert_eq!(server.count(), 4);
}

#[test]
fn retry_after_is_honored_up_to_ten_seconds() {
    let wait = |headers: &[&str]| {
        let bad = reply("503 Service Unavailable", headers, b"");
        Server::new(move |n, _| {
            if n == 0 {
                Answer::Send(bad.clone())
            } else {
                ok("body")
            }
        })
    };
    let huge = wait(&["retry-after: 999999999"]);
    assert!(causes(&get(&huge).unwrap_err()).contains("999999999 s"));
    assert_eq!(huge.count(), 1);

    let date = "date: Mon, 02 Nov 2026 10:00:00 GMT";
    let late = wait(&[date, "retry-after: Mon, 02 Nov 2026 10:01:00 GMT"]);
    assert!(causes(&get(&late).unwrap_err()).contains("60 s"));
    let past = wait(&[date, "retry-after: Mon, 02 Nov 2026 09:00:00 GMT"]);
    assert_eq!(get(&past).unwrap().bytes, b"body");
}

#[test]
fn permanent_failures_are_not_retried() {
    for status in [
        "400 Bad Request",
        "401 Unauthorized",
        "403 Forbidden",
        "206 Partial Content",
        "304 Not Modified",
    ] {
        let server = Server::new(move |_, _| Answer::Send(reply(status, &[], b"")));
        let error = get(&server).unwrap_err();
        assert!(causes(&error).contains(&status[..3]), "{error:?}");
        assert_eq!(server.count(), 1, "{status}");
    }
    let missing = Server::new(|_, _| Answer::Send(reply("410 Gone", &[], b"")));
    assert_eq!(get(&missing).unwrap_err().kind(), FailureKind::Network);
}

#[test]
fn a_body_stays_within_its_limit_whatever_its_head_says() {
    let declared = Server::new(|_, _| {
        Answer::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n".to_vec())
    });
    let undeclared = Server::new(|_, _| {
        let chunk = [b"10000\r\n", &vec![b'x'; 1 << 16][..], b"\r\n"].concat();
        Answer::Send(
            [
                &b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"[..],
                &chunk.repeat(100),
            ]
            .concat(),
        )
    });
    let packed = Server::new(|_, _| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&vec![b' '; 4 << 20]).unwrap();
        Answer::Send(reply(
            "200 OK",
            &["content-encoding: gzip"],
            &gzip.finish().unwrap(),
        ))
    });
    for server in [declared, undeclared, packed] {
        assert!(causes(&get(&server).unwrap_err()).contains("larger than the limit"));
        assert_eq!(server.count(), 1);
    }
}

#[test]
fn heads_that_are_too_large_or_frame_the_body_twice_are_refused() {
    let huge = Server::new(|_, _| {
        Answer::Send(reply(
            "200 OK",
            &[&format!("x: {}", "a".repeat(1 << 20))],
            b"",
        ))
    });
    assert!(get(&huge).is_err());
    let twice = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
    let twice = Server::new(|_, _| Answer::Send(twice.to_vec()));
    assert!(causes(&get(&twice).unwrap_err()).contains("both `Transfer-Encoding`"));
}

#[test]
fn a_server_that_is_silent_or_drips_is_given_up() {
    let silent = Server::new(|_, _| Answer::Silence(LONG));
    let head =
        Server::new(|_, _| Answer::Drip(Vec::new(), vec![b'H'; 1000], Duration::from_millis(100)));
    let body = Server::new(|_, _| {
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
        Answer::Drip(head.to_vec(), vec![b'x'; 1000], Duration::from_millis(200))
    });
    for (server, head, why) in [
        (silent, SOON, "did not respond"),
        (head, SOON, "did not respond"),
        (body, LONG, "less than 10 bytes a second"),
    ] {
        let error = hasty(head)
            .get(&server.url("/x"), 1 << 20, &SilentReporter)
            .unwrap_err();
        assert!(causes(&error).contains(why), "{error:?}");
        assert_eq!(server.count(), 1);
    }
}

#[test]
fn an_attempt_has_an_end_even_if_it_keeps_its_pace() {
    let server = Server::new(|_, _| {
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
        Answer::Drip(head.to_vec(), vec![b'x'; 100_000], Duration::from_millis(1))
    });
    let timing = HttpTiming {
        total: Duration::from_millis(300),
        ..HttpTiming::default()
    };
    let error = HttpClient::new(HttpClientOptions {
        timing,
        ..HttpClientOptions::default()
    })
    .get(&server.url("/x"), 1 << 20, &SilentReporter);
    assert!(causes(&error.unwrap_err()).contains("timed out"));
}

#[test]
fn redirects_are_followed_five_times() {
    let server = Server::new(|n, _| {
        if n < 5 {
            redirect_to(&format!("/{n}"))
        } else {
            ok("body")
        }
    });
    let response = get(&server).unwrap();
    assert_eq!(
        (response.bytes, response.final_url),
        (b"body".to_vec(), server.url("/4"))
    );

    let other = Server::new(|_, _| ok("elsewhere"));
    let url = other.url("/y");
    let server = Server::new(move |_, _| redirect_to(&url));
    assert_eq!(get(&server).unwrap().bytes, b"elsewhere");

    let server = Server::new(|_, _| redirect_to("/again"));
    assert!(causes(&get(&server).unwrap_err()).contains("more than 5"));
    assert_eq!(server.count(), 6);
}

#[test]
fn redirects_into_the_local_network_are_refused() {
    for to in [
        "file:///etc/hostname",
        "http://127.0.0.2:9/",
        "http://[::ffff:169.254.169.254]/latest/meta-data",
        "https://169.254.169.254/",
        "http://example.invalid/",
        "https://user:secret@example.invalid/",
        "gopher://127.0.0.1/",
    ] {
        let server = Server::new(move |_, _| redirect_to(to));
        let error = get(&server).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Network, "{to}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        assert_eq!(server.count(), 1, "{to}");
    }
    let nowhere = Server::new(|_, _| Answer::Send(reply("302 Found", &[], b"")));
    assert!(causes(&get(&nowhere).unwrap_err()).contains("without a `Location`"));
}

#[test]
fn a_certificate_must_be_trusted_and_be_the_hosts() {
    let trusting = || {
        HttpClient::new(HttpClientOptions {
            ca_file: Some(fixture("ca.pem")),
            ..http().options
        })
    };
    let good = Server::tls("loopback.pem", |_, _| ok("body"));
    assert_eq!(
        trusting()
            .get(&good.url("/x"), 10, &SilentReporter)
            .unwrap()
            .bytes,
        b"body"
    );
    let untrusted = get(&good).unwrap_err();
    assert!(
        causes(&untrusted).contains("UnknownIssuer"),
        "{untrusted:?}"
    );
    let elsewhere = Server::tls("elsewhere.pem", |_, _| ok("body"));
    let wrong_host = trusting()
        .get(&elsewhere.url("/x"), 10, &SilentReporter)
        .unwrap_err();
    assert!(
        causes(&wrong_host).contains("not valid for"),
        "{wrong_host:?}"
    );
    assert_eq!(elsewhere.count(), 1);
}

#[test]
fn a_redirect_may_not_give_up_encryption() {
    let plain = Server::new(|_, _| ok("body"));
    let url = plain.url("/x");
    let server = Server::tls("loopback.pem", move |_, _| redirect_to(&url));
    let http = HttpClient::new(HttpClientOptions {
        ca_file: Some(fixture("ca.pem")),
        ..http().options
    });
    let error = http
        .get(&server.url("/x"), 10, &SilentReporter)
        .unwrap_err();
    assert!(causes(&error).contains("unencrypted `http`"), "{error:?}");
    assert_eq!(plain.count(), 0);
}

#[test]
fn a_file_without_certificates_is_named() {
    for file in ["README.md", "not-there.pem"] {
        let http = HttpClient::new(HttpClientOptions {
            ca_file: Some(fixture(file)),
            ..HttpClientOptions::default()
        });
        let error = http
            .get("https://127.0.0.1:9/", 10, &SilentReporter)
            .unwrap_err();
        assert!(error.message().contains(file), "{error:?}");
    }
}

#[test]
fn offline_and_plain_http_are_refused_before_anything_is_opened() {
    let server = Server::new(|_, _| ok("body"));
    let offline = HttpClient::new(HttpClientOptions {
        offline: true,
        ..HttpClientOptions::default()
    });
    let error = offline
        .get(&server.url("/x"), 10, &SilentReporter)
        .unwrap_err();
    assert!(error.kind() == FailureKind::Network && error.message().contains("--offline"));
    let plain = http();
    let error = plain
        .get("http://example.invalid/x", 10, &SilentReporter)
        .unwrap_err();
    assert!(error.helps()[0].contains("net.allow-http"));
    assert!(offline.engine.get().is_none() && plain.engine.get().is_none());
    assert_eq!(server.count(), 0);
}

#[test]
fn urls_that_mean_two_things_are_refused_before_anything_is_opened() {
    let http = http();
    for url in [
        "",
        " ",
        "x",
        "file:///etc",
        "//server/share/x",
        "ext::sh -c true",
        "git://example.invalid/x",
        "--upload-pack=x",
        "https://user:token@example.invalid/",
        "https://token@example.invalid/",
        "https://example.invalid\\@github.com/x",
        "https://gith\u{443}b.com/x",
        "https://xn--example-.invalid/x",
        "https://example.invalid/a b",
        "https://example.invalid/\r\nHost: x",
        "https://0x7f.1/x",
        "https://2130706433/x",
        "https://127.1/x",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:169.254.169.254]/x",
        "https://[fe80::1]/x",
        "https://0.0.0.0/",
        "https://example.invalid:99999/x",
    ] {
        assert!(http.get(url, 10, &SilentReporter).is_err(), "{url}");
    }
    assert!(http.engine.get().is_none());
}

#[test]
fn secret_parts_of_a_url_are_not_shown() {
    assert_eq!(
        redact_url("https://user:hunter2@host/a?token=hunter2#hunter2"),
        "https://host/a?…"
    );
    assert_eq!(redact_url("https://hunter2@:0/"), "https://…");
    assert_eq!(redact_url("hunter2@:0"), "…");
    let server = Server::new(|_, _| Answer::Send(reply("400 Bad Request", &[], b"")));
    for url in [
        server.url("/x?token=hunter2"),
        "https://user:hunter2@127.0.0.1/".into(),
        "https://hunter2@:0/".into(),
    ] {
        let error = http().get(&url, 10, &SilentReporter).unwrap_err();
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}

#[test]
fn a_refused_connection_is_reported() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let error = http()
        .get(&format!("http://{closed}/x"), 10, &SilentReporter)
        .unwrap_err();
    assert!(causes(&error).contains("connection refused"), "{error:?}");
    assert!(error.message().contains(&closed.to_string()));
}

#[test]
fn every_byte_that_comes_in_is_reported() {
    struct Count(Mutex<u64>);
    impl EventReporter for Count {
        fn report(&self, event: ProgressEvent) {
            if let ProgressEvent::Received { bytes } = event {
                *self.0.lock().unwrap() += bytes;
            }
        }
    }
    let server = Server::new(|_, _| ok(&"x".repeat(100_000)));
    let count = Count(Mutex::new(0));
    http().get(&server.url("/x"), 1 << 20, &count).unwrap();
    assert_eq!(*count.0.lock().unwrap(), 100_000);
}

/// A request that shows a token.
fn with_token(url: String) -> HttpRequest {
    HttpRequest {
        authorization: Some(SecretString::new("CANARY")),
        ..HttpRequest::new(url, 1000)
    }
}

fn has_token(head: &str) -> bool {
    head.to_ascii_lowercase()
        .contains("\r\nauthorization: bearer canary\r\n")
}

#[test]
fn a_token_follows_a_redirect_within_its_origin_and_no_further() {
    let other = Server::new(|_, _| ok("elsewhere"));
    let away = other.url("/b");
    let own = Server::new(move |_, head| {
        let to = match head {
            head if head.starts_with("GET /near ") => "/here".to_owned(),
            head if head.starts_with("GET /far ") => away.clone(),
            _ => return ok("here"),
        };
        redirect_to(&to)
    });
    let http = HttpClient::default();
    for (path, body) in [("/near", "here"), ("/far", "elsewhere")] {
        let answer = http
            .get_all(&[with_token(own.url(path))], &SilentReporter)
            .remove(0);
        assert!(
            matches!(answer, Ok(HttpOutcome::Fresh(response)) if response.bytes == body.as_bytes()),
            "{path}"
        );
    }
    assert!(own.seen.lock().unwrap().iter().all(|head| has_token(head)));
    assert_eq!((own.count(), other.count()), (3, 1));
    assert!(!has_token(&other.seen.lock().unwrap()[0]));
}

#[test]
fn a_token_is_not_sent_unencrypted_even_where_http_is_allowed() {
    let http = HttpClient::new(HttpClientOptions {
        allow_http: true,
        ..HttpClientOptions::default()
    });
    let error = http
        .get_all(
            &[with_token("http://10.255.255.1/a".into())],
            &SilentReporter,
        )
        .remove(0)
        .unwrap_err();
    assert_eq!(
        error.message(),
        "refusing to fetch `http://10.255.255.1/a`: a token is never sent unencrypted"
    );
}

#[test]
fn an_unauthorized_error_suggests_the_configured_registry() {
    let server = Server::new(|_, _| Answer::Send(reply("401 Who", &[], b"")));
    let login = |path: &str, name: &str| RegistryLogin {
        url: server.url(path),
        name: name.into(),
        withheld: None,
    };
    let logins = vec![
        login("/", "root"),
        login("/index/", "acme"),
        login("/other/", "other"),
    ];
    let http = HttpClient::new(HttpClientOptions {
        logins,
        ..HttpClientOptions::default()
    });
    let error = http
        .get(&server.url("/index/config.json"), 9, &SilentReporter)
        .unwrap_err();
    assert_eq!(
        error.helps(),
        ["run `skillpm login --registry acme` to store a token"]
    );
    let error = http
        .get_all(&[with_token(server.url("/dl/a"))], &SilentReporter)
        .remove(0)
        .unwrap_err();
    assert_eq!(
        error.helps(),
        ["run `skillpm login --registry root` to store a token"]
    );
    assert_eq!(
        error.notes(),
        ["the stored token was sent, and the server rejected it"]
    );
    assert!(!format!("{error:?}").contains("CANARY"));
}

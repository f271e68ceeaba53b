//! Certificates: a private authority, certificates that are no good, and those of clients. The certificates in
//! `tests/fixtures/certificates` were made with openssl, and are valid until 2126.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use snapbox::str;

use crate::support::{IndexDir, Registry, Sandbox, Server, configure, package};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/certificates")
        .join(name)
}

fn fixture_text(name: &str) -> String {
    fixture(name).to_str().unwrap().to_owned()
}

/// A server behind TLS, which stops with the value.
struct TlsServer {
    /// The plain one.
    inner: Server,
    address: String,
}

impl TlsServer {
    /// With this certificate of the fixtures, and its key.
    fn start(sandbox: &Sandbox, certificate: &str, key: &str) -> Self {
        Self::start_with(sandbox, certificate, key, false)
    }

    fn start_with(sandbox: &Sandbox, certificate: &str, key: &str, asks_client: bool) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if asks_client {
            let mut roots = RootCertStore::empty();
            roots
                .add(CertificateDer::from_pem_file(fixture("ca.pem")).unwrap())
                .unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let chain = vec![CertificateDer::from_pem_file(fixture(certificate)).unwrap()];
        let key = PrivateKeyDer::from_pem_file(fixture(key)).unwrap();
        // Without a check of the certificate, which would refuse some of ours.
        let key = rustls::crypto::ring::sign::any_supported_type(&key).unwrap();
        let certified = SingleCertAndKey::from(CertifiedKey::new(chain, key));
        let config = Arc::new(builder.with_cert_resolver(Arc::new(certified)));

        let inner = Server::start(sandbox);
        let backend = inner.url("").replace("http://", "").replace('/', "");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("localhost:{}", listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (config, backend) = (config.clone(), backend.clone());
                std::thread::spawn(move || {
                    let connection = ServerConnection::new(config).unwrap();
                    // The client may hang up, and the server of a test that has ended is gone.
                    if let Ok(backend) = TcpStream::connect(backend) {
                        let _ = relay(StreamOwned::new(connection, client), &backend);
                    }
                });
            }
        });
        TlsServer { inner, address }
    }

    fn url(&self, path: &str) -> String {
        format!("https://{}/{path}", self.address)
    }
}

/// Copies between the two, until one of them ends.
fn relay(
    mut client: StreamOwned<ServerConnection, TcpStream>,
    mut backend: &TcpStream,
) -> io::Result<()> {
    let moment = Some(Duration::from_millis(5));
    client.sock.set_read_timeout(moment)?;
    backend.set_read_timeout(moment)?;
    let mut buffer = [0; 16 << 10];
    loop {
        match client.read(&mut buffer) {
            Ok(0) => return backend.shutdown(Shutdown::Both),
            Ok(count) => backend.write_all(&buffer[..count])?,
            Err(error) if is_empty(&error) => {}
            Err(error) => return Err(error),
        }
        match backend.read(&mut buffer) {
            Ok(0) => {
                client.conn.send_close_notify();
                client.flush()?;
                return client.sock.shutdown(Shutdown::Both);
            }
            Ok(count) => {
                client.write_all(&buffer[..count])?;
                client.flush()?;
            }
            Err(error) if is_empty(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_empty(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[test]
fn private_authority_is_trusted_for_git_by_every_setting() {
    let ca = fixture_text("ca.pem");
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(&ca, dir.path().join("acme.pem")).unwrap();
    std::fs::write(dir.path().join("README"), "Ours.\n").unwrap();
    let dir = dir.path().to_str().unwrap();

    let gitconfig = |key: &str, value: &str| format!("[http]\n\t{key} = {value}\n");
    for (config, variable, flag) in [
        (gitconfig("sslCAInfo", &ca), None, ""),
        (gitconfig("sslCAPath", dir), None, ""),
        (
            format!(
                "[http \"https://localhost\"]\n\tsslVersion = tlsv1.2\n[http]\n\tsslCAInfo = {ca}\n"
            ),
            None,
            "",
        ),
        (String::new(), Some(("GIT_SSL_CAINFO", ca.as_str())), ""),
        (String::new(), Some(("GIT_SSL_CAPATH", dir)), ""),
        (String::new(), Some(("SSL_CERT_FILE", &ca)), ""),
        (String::new(), None, &*format!("--config net.ca-file={ca}")),
        // One for another host.
        (
            "[http \"https://example.invalid\"]\n\tsslCAInfo = /nowhere.pem\n".into(),
            None,
            &format!("--config net.ca-file={ca}"),
        ),
    ] {
        let sandbox = Sandbox::project_here();
        sandbox.repo_with("pdf");
        let server = TlsServer::start(&sandbox, "server.pem", "server.key");
        sandbox.gitconfig(&config);
        let run = sandbox.skillpm(format!("add {} --skill pdf {flag}", server.url("skills")));
        let run = match variable {
            Some((name, value)) => run.env(name, value),
            None => run,
        };
        run.exits(0);
    }
}

#[test]
fn one_setting_of_an_authority_serves_reading_publishing_and_static_files() {
    for by_variable in [false, true] {
        let sandbox = Sandbox::project_here();
        let registry = Registry::bare(&sandbox, "index.git");
        IndexDir::new(&sandbox, "../www/static").publish("acme/base", "1.0.0", &[]);
        let server = TlsServer::start(&sandbox, "server.pem", "server.key");
        configure(&sandbox, &format!("git+{}", server.url("index.git")), "");
        package(&sandbox, "acme/pdf", "1.0.0");

        let ca = fixture_text("ca.pem");
        let run = |line: &str| {
            if by_variable {
                return sandbox.skillpm(line).env("SSL_CERT_FILE", &ca);
            }
            sandbox.skillpm(format!("{line} --config net.ca-file={ca}"))
        };
        run("publish pdf").exits(0);
        assert_eq!(registry.versions(), ["acme/pdf 1.0.0"]);
        run("add acme/pdf").exits(0);
        let index = format!("sparse+{}", server.url("static/"));
        run(&format!(
            "add acme/base --registry static --config registries.static.index={index}"
        ))
        .exits(0);
        sandbox.has([".agents/skills/base/SKILL.md"]);
        assert!(server.inner.count("git-receive-pack") > 0);
    }
}

#[test]
fn unusable_certificates_are_named() {
    let sandbox = Sandbox::project_here();
    let ca = fixture_text("ca.pem");
    let refused = |certificate: &str, key: &str, flag: &str| {
        let server = TlsServer::start(&sandbox, certificate, key);
        let index = format!("sparse+{}", server.url("index/"));
        let static_files = sandbox
            .skillpm(format!(
                "info acme/pdf --registry a --config registries.a.index={index} {flag}"
            ))
            .exits(4);
        static_files.explains(["caused by: invalid", "certificate"]);
        sandbox
            .skillpm(format!("add {} --skill pdf {flag}", server.url("skills")))
            .exits(4)
    };
    let trusted = format!("--config net.ca-file={ca}");

    refused("server.pem", "server.key", "").stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: failed to connect to `localhost`
  while fetching `https://localhost:[..]/skills`
caused by: invalid certificate of the server: it is issued by an unknown certificate authority (UnknownIssuer)
help: if a private certificate authority issued it, trust that: `skillpm config set net.ca-file FILE`

"]]);
    refused("v1.pem", "server.key", &trusted).stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: failed to connect to `localhost`
  while fetching `https://localhost:[..]/skills`
caused by: invalid certificate of the server: it is of X.509 version 1; version 3 is required
help: issue it again with an extension, such as `subjectAltName`, which makes it version 3

"]]);
    refused("other.pem", "server.key", &trusted).stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: failed to connect to `localhost`
  while fetching `https://localhost:[..]/skills`
caused by: invalid peer certificate: [..]not valid for name[..]localhost[..]other.test[..]
help: check the host name; a server's certificate needs it as a `subjectAltName`

"]]);
    // A certificate that is its own authority, also if it is trusted.
    refused("self.pem", "self.key", &trusted).stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: failed to connect to `localhost`
  while fetching `https://localhost:[..]/skills`
caused by: invalid certificate of the server: it is that of a certificate authority (`CA:TRUE`), and no server's own
help: issue another one for the server by this authority, and set the authority's with `skillpm config set net.ca-file FILE`

"]]);
    let own = format!("--config net.ca-file={}", fixture_text("self.pem"));
    refused("self.pem", "self.key", &own);
}

#[test]
fn client_certificate_is_shown_to_the_host_of_the_repository() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let server = TlsServer::start_with(&sandbox, "server.pem", "server.key", true);
    let ca = fixture_text("ca.pem");
    let add = |settings: &[(&str, &str)]| {
        let mut text = format!("[http]\n\tsslCAInfo = {ca}\n");
        for (key, value) in settings {
            text.push_str(&format!("\t{key} = {value}\n"));
        }
        sandbox.gitconfig(&text);
        sandbox.skillpm(format!("add {} --skill pdf", server.url("skills")))
    };
    // Where messages have a path that is the same on all machines.
    let copy = |name: &str| {
        sandbox.write(name, std::fs::read(fixture(name)).unwrap());
        sandbox.path(name).to_str().unwrap().to_owned()
    };
    let (certificate, key) = (copy("client.pem"), copy("client.key"));

    add(&[]).exits(4).stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: failed to connect to `localhost`
  while fetching `https://localhost:[..]/skills`
caused by: received fatal alert: CertificateRequired
help: if the server requires a client certificate, set `http.sslCert` and `http.sslKey` in the git configuration; only git repositories support it

"]]);
    add(&[("sslCert", &certificate)])
        .exits(2)
        .stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: invalid client certificate `[ROOT]/project/client.pem`: no private key found in `[ROOT]/project/client.pem`
help: set the file of its key: `git config --global http.sslKey FILE`

"]]);
    add(&[("sslCert", &certificate), ("sslKey", &copy("locked.key"))])
        .exits(2)
        .stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: failed to read the key of the client certificate `[ROOT]/project/locked.key`: keys with a passphrase are not supported
help: remove it: `openssl pkey -in '[ROOT]/project/locked.key' -out '[ROOT]/project/locked.key.plain'`, and set `http.sslKey`

"]]);
    add(&[
        ("sslCert", &certificate),
        ("sslKey", &key),
        ("sslCertType", "P12"),
    ])
    .exits(2)
    .stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: unsupported type `P12` of the client certificate `[ROOT]/project/client.pem`
  it is set as `http.sslCertType` in the git configuration
help: `git config --show-origin --get-regexp 'sslcerttype$'` shows where
help: convert it to PEM: `openssl pkcs12 -in '[ROOT]/project/client.pem' -nodes -out '[ROOT]/project/client.pem.pem'`

"]]);
    add(&[("sslCert", "/nowhere.pem")]).exits(2).stderr(str![[r"
    Fetching https://localhost:[..]/skills
error: certificate file `/nowhere.pem` not found
  it is set as `http.sslCert` in the git configuration
help: `git config --show-origin --get-regexp 'sslcert$'` shows where

"]]);
    add(&[("sslCert", &certificate), ("sslKey", &key)]).exits(0);

    sandbox.skillpm("remove pdf").exits(0);
    add(&[])
        .env("GIT_SSL_CERT", &certificate)
        .env("GIT_SSL_KEY", &key)
        .exits(0);
}

#[test]
fn client_certificate_is_not_shown_after_a_redirect_to_another_server() {
    let sandbox = Sandbox::project_here();
    sandbox.repo_with("pdf");
    let first = TlsServer::start(&sandbox, "server.pem", "server.key");
    let elsewhere = TlsServer::start_with(&sandbox, "server.pem", "server.key", true);
    first.inner.fault(
        "git-upload-pack",
        crate::support::Fault::Redirect(elsewhere.url("")),
    );
    sandbox.gitconfig(&format!(
        "[http]\n\tsslCAInfo = {}\n\tsslCert = {}\n\tsslKey = {}\n",
        fixture_text("ca.pem"),
        fixture_text("client.pem"),
        fixture_text("client.key"),
    ));
    sandbox
        .skillpm(format!("add {} --skill pdf", first.url("skills")))
        .exits(4)
        .explains(["CertificateRequired"]);
    assert_eq!(elsewhere.inner.count(""), 0);
}

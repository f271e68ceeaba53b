//! HTTP: URL → bytes, checked against a limit and, where it is known, a digest.
//!
//! One client over one current-thread runtime, made when the first request needs it. `HTTPS_PROXY`, `NO_PROXY` and
//! `SSL_CERT_FILE` are honoured, by the crates below; a proxy is never asked for this machine. Nothing is cached here:
//! who keeps an answer gives its validators back in the next [`Request`].
//!
//! | what | bound |
//! |---|---|
//! | connecting | 10 s |
//! | the head of an answer, with connecting | 40 s |
//! | each 300 bytes of its body | 30 s |
//! | an attempt as a whole | 10 min |
//! | attempts | 4, after 429, 5xx, a reset or a short body; with jitter, or as `Retry-After` says up to 10 s |
//! | a body of another digest | once more, past all caches on the way |
//! | redirects | 5, never to `http`, never from outside to an address inside our network |
//! | body | the request's own limit, and that of all that are asked for together, counted after decompression |
//!
//! `http` is spoken with this machine, or where `allow_http` is set. Offline, every request is refused before a socket
//! is opened.
//!
//! A token goes to the very origin it was given for, over TLS or within this machine, and is dropped for good by the
//! first redirect that leaves it.

mod exchange;
pub(super) mod reach;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use reqwest::{Certificate, Client, redirect};
use url::Url;

use super::disk;
use super::runtime::Runtime;
use crate::error::{Context, Error, Result};
use crate::package::{Secret, Sha256};
use crate::report::Reporter;

use reach::{Guard, Reach};

/// Largest file of certificates, in bytes: the bundle of a whole system has about 0.3 MB.
const CERTIFICATES_MAX: u64 = 4 << 20;

/// Most requests that are on their way at once.
const IN_FLIGHT: usize = 64;

/// How requests are to be made.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Refuses every request.
    pub offline: bool,
    /// Speaks `http` with other machines too.
    pub allow_http: bool,
    /// A PEM file of further certificate authorities to trust.
    pub ca_file: Option<PathBuf>,
    /// How long to wait for what.
    pub timing: Timing,
    /// Who wants to know who asks: shown where a server refuses to answer.
    pub logins: Vec<Login>,
}

/// A server that may want a token, and how a person gives it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// The URL below which it answers.
    pub url: String,
    /// What the person calls the registry there.
    pub name: String,
    /// Why a token that is there is not sent; `None` if there is none such.
    pub withheld: Option<String>,
}

/// How long to wait for what. The defaults are meant to stay; tests cannot wait that long.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Until a connection stands.
    pub connect: Duration,
    /// Until an answer begins once there is a connection, and the time over which its body's pace is measured.
    pub stall: Duration,
    /// Until one attempt is done.
    pub total: Duration,
    /// Before the second attempt; doubled for each further one, and jittered.
    pub backoff: Duration,
    /// Longest that a server may ask us to wait.
    pub retry_after: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            connect: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            total: Duration::from_mins(10),
            backoff: Duration::from_millis(250),
            retry_after: Duration::from_secs(10),
        }
    }
}

/// One file to get.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where it is.
    pub url: String,
    /// Most bytes it may have.
    pub limit: u64,
    /// The entity tag of the copy that is at hand.
    pub etag: Option<String>,
    /// The time of change of the copy that is at hand, as the server wrote it.
    pub last_modified: Option<String>,
    /// What its bytes must be. They are then taken as they are sent, never decompressed on the way.
    pub sha256: Option<Sha256>,
    /// The token that says who asks. It goes to the server of `url` alone, and nowhere that server sends us.
    pub authorization: Option<Secret>,
    /// The server that chose the URL, by a URL of its own; `None` if a person did. What a server chose may lead no
    /// further than a redirect of it may.
    pub named_by: Option<String>,
    /// Whether caches on the way must ask whoever has the file.
    pub past_caches: bool,
    /// How many bytes this answer and those of other requests may have together; `None` for no limit but its own.
    pub allowance: Option<Arc<Allowance>>,
}

/// How many bytes several answers may have together: each may be small enough, and all of them more than memory.
#[derive(Debug)]
pub struct Allowance {
    limit: u64,
    taken: AtomicU64,
}

impl Allowance {
    /// So many bytes.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Allowance { limit, taken: AtomicU64::new(0) }
    }

    /// Takes bytes of it; the limit, if that is passed.
    fn take(&self, bytes: u64) -> Result<(), u64> {
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if taken > self.limit { Err(self.limit) } else { Ok(()) }
    }
}

impl Request {
    /// A request without conditions.
    #[must_use]
    pub fn new(url: impl Into<String>, limit: u64) -> Self {
        Request {
            url: url.into(),
            limit,
            etag: None,
            last_modified: None,
            sha256: None,
            authorization: None,
            named_by: None,
            past_caches: false,
            allowance: None,
        }
    }

    /// Whether there is a copy at hand, so that "not modified" is an answer.
    fn is_conditional(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

/// A file that was got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its entity tag, for the next [`Request`].
    pub etag: Option<String>,
    /// Its time of change, for the next [`Request`].
    pub last_modified: Option<String>,
    /// Where it was in the end, after redirects. Its query may be a secret for this one download.
    pub final_url: String,
}

/// The answer to a [`Request`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The file.
    Fresh(Response),
    /// The copy at hand is still the file.
    NotModified,
    /// The server knows of no such file (404, 410 or 451).
    Missing(u16),
}

/// Gets files over HTTP.
#[derive(Default)]
pub struct Http {
    options: Options,
    engine: OnceLock<Engine>,
}

impl Http {
    /// Takes note of how to make requests; nothing is opened or read yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Http { options, engine: OnceLock::new() }
    }

    /// Gets one file.
    ///
    /// # Errors
    /// As [`get_all`](Http::get_all); also if there is no such file.
    pub fn get(&self, url: &str, limit: u64, reporter: &dyn Reporter) -> Result<Response> {
        self.get_one(&Request::new(url, limit), reporter)
    }

    /// Gets one file by a request without conditions.
    ///
    /// # Errors
    /// As [`get`](Http::get).
    pub fn get_one(&self, request: &Request, reporter: &dyn Reporter) -> Result<Response> {
        match self.get_all(std::slice::from_ref(request), reporter).pop() {
            Some(Ok(Outcome::Fresh(response))) => Ok(response),
            Some(Ok(Outcome::Missing(status))) => {
                Err(Error::network(format!("there is nothing at `{}` (HTTP status {status})", redacted(&request.url)))
                    .help("check the spelling, or whether it was moved"))
            }
            Some(Ok(Outcome::NotModified)) | None => Err(Error::internal("a plain request got a conditional answer")),
            Some(Err(error)) => Err(error),
        }
    }

    /// Gets many files, up to 64 at once; the answers come in the order of the requests.
    ///
    /// Every [`Event::Received`](crate::report::Event::Received) counts bytes that came in, those of failed attempts
    /// too.
    ///
    /// # Errors
    /// Each answer for itself: [`Network`](crate::error::Kind::Network) if it could not be had or would pass its
    /// limit, [`Usage`](crate::error::Kind::Usage) if the URL is not one we follow,
    /// [`Integrity`](crate::error::Kind::Integrity) if its digest is not the expected one.
    pub fn get_all(&self, requests: &[Request], reporter: &dyn Reporter) -> Vec<Result<Outcome>> {
        let checked: Vec<_> = requests
            .iter()
            .map(|request| self.check(&request.url).and_then(|url| exchange::check_token(request, url)))
            .collect();
        // Nothing is started for requests that are all refused.
        if checked.iter().all(Result::is_err) {
            return checked.into_iter().filter_map(Result::err).map(Err).collect();
        }
        let engine = match self.engine() {
            Ok(engine) => engine,
            Err(error) => return requests.iter().map(|_| Err(again(&error))).collect(),
        };
        let answers = stream::iter(requests.iter().zip(checked)).map(|(request, url)| async move {
            match url {
                Ok(url) => self.answer(engine, request, url, reporter).await,
                Err(error) => Err(error),
            }
        });
        engine.block_on(answers.buffered(IN_FLIGHT).collect())
    }

    fn engine(&self) -> Result<&Engine> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let engine = Engine::start(&self.options)?;
        Ok(self.engine.get_or_init(|| engine))
    }
}

/// What is made once, when the first request needs it.
struct Engine {
    runtime: Runtime,
    timing: Timing,
    authorities: Vec<Certificate>,
    clients: Mutex<BTreeMap<(Reach, Encoding, Cover), Client>>,
}

/// Whether a body may be compressed on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Encoding {
    Gzip,
    AsIs,
}

/// Whether what is said can be overheard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cover {
    Tls,
    None,
}

impl Cover {
    fn of(url: &Url) -> Cover {
        if url.scheme() == "https" { Cover::Tls } else { Cover::None }
    }
}

impl Engine {
    fn start(options: &Options) -> Result<Self> {
        install_tls_provider();
        Ok(Engine {
            runtime: Runtime::start()?,
            timing: options.timing,
            authorities: authorities(options)?,
            clients: Mutex::default(),
        })
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// The client for requests of this reach. There is one for each, since a client resolves names and keeps
    /// connections, and a connection that one request may use another may not.
    fn client(&self, reach: Reach, encoding: Encoding, cover: Cover) -> Result<Client> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&(reach, encoding, cover)) {
            return Ok(client.clone());
        }
        let client = self.build_client(reach, encoding, cover)?;
        clients.insert((reach, encoding, cover), client.clone());
        Ok(client)
    }

    fn build_client(&self, reach: Reach, encoding: Encoding, cover: Cover) -> Result<Client> {
        let mut builder = Client::builder()
            .user_agent(concat!("skillpm/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(self.timing.connect)
            .gzip(encoding == Encoding::Gzip);
        builder = match cover {
            Cover::Tls => builder.tls_certs_merge(self.authorities.iter().cloned()),
            // To read all that this machine trusts costs more than a dozen requests. A proxy by `https` needs it, though.
            Cover::None if reach == Reach::Loopback => builder.tls_certs_only([]),
            Cover::None => builder.tls_certs_merge(self.authorities.iter().cloned()),
        };
        if reach == Reach::Loopback {
            builder = builder.no_proxy();
        }
        if reach != Reach::Anywhere {
            builder = builder.dns_resolver(Guard(reach));
        }
        builder.build().map_err(|error| Error::network("could not prepare for the network").because(&error))
    }
}

/// Chooses ring for all TLS of this process, unless some other was chosen before.
pub(super) fn install_tls_provider() {
    // The error says that there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Whether a file has certificates to trust in it.
///
/// # Errors
/// If it cannot be read, or has none.
pub fn check_authorities(path: &std::path::Path) -> Result<()> {
    authorities(&Options { ca_file: Some(path.to_owned()), ..Options::default() }).map(drop)
}

/// The further certificate authorities to trust.
pub(super) fn authorities(options: &Options) -> Result<Vec<Certificate>> {
    let Some(path) = &options.ca_file else { return Ok(Vec::new()) };
    let shown = path.display();
    let found = disk::read_up_to(path, CERTIFICATES_MAX)?.ok_or(std::io::ErrorKind::NotFound.into());
    let bytes = found
        .map_err(|error: std::io::Error| error)
        .context(|| format!("could not read the certificates in `{shown}`"))?;
    match Certificate::from_pem_bundle(&bytes) {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(Error::usage(format!("`{shown}` holds no certificate in PEM form"))),
        Err(error) => Err(Error::usage(format!("`{shown}` holds no certificates in PEM form")).because(&error)),
    }
}

/// The same failure once more: errors are told one by one, and what fails for all fails for each.
fn again(error: &Error) -> Error {
    let mut copy = Error::new(error.kind(), error.message());
    for cause in error.causes() {
        copy = copy.cause(cause);
    }
    for help in error.helps() {
        copy = copy.help(help);
    }
    copy
}

/// The URL without what may be a secret: user, password, query and fragment.
fn redacted(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return redacted_text(text) };
    // Both only fail for URLs that have no host, and so no user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    let has_query = url.query().is_some();
    url.set_query(None);
    if has_query { format!("{url}?…") } else { url.to_string() }
}

/// The same for what is no URL: where its parts cannot be told, nothing after the first sign of a secret's is shown.
fn redacted_text(text: &str) -> String {
    let (scheme, rest) = text.split_once("://").map_or(("", text), |(scheme, rest)| (scheme, rest));
    match rest.contains(['@', '?', '#']) {
        true if scheme.is_empty() => "…".to_owned(),
        true => format!("{}://…", scheme.escape_debug()),
        false => text.chars().take(200).collect::<String>().escape_debug().to_string(),
    }
}

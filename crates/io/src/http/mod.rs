//! HTTP: URL → bytes, checked against a size limit and, if known, a digest.
//!
//! One client over one current-thread runtime, made when the first request needs it. `HTTPS_PROXY`, `NO_PROXY` and
//! `SSL_CERT_FILE` are honored, by the crates below; requests to this machine never use a proxy. Nothing is cached
//! here: callers that cache a response pass its validators in the next [`HttpRequest`].
//!
//! | step | limit |
//! |---|---|
//! | connecting | 10 s |
//! | the head of a response, with connecting | 40 s |
//! | each 300 bytes of its body | 30 s |
//! | an attempt as a whole | 10 min |
//! | attempts | 4, after 429, 5xx, a reset or a short body; with jittered backoff, or `Retry-After` up to 10 s |
//! | a body with a wrong digest | fetched once more, bypassing caches |
//! | redirects | 5, never to `http`, never from outside to an address inside the local network |
//! | body | the request's own limit, and the shared one of several requests, counted after decompression |
//!
//! `http` is used for this machine only, or if `allow_http` is set. Offline, every request is refused before a
//! socket is opened.
//!
//! A token is sent only to the origin it was given for, over TLS or within this machine, and is dropped by the
//! first redirect to another origin.

mod address_scope;
mod error_causes;
mod exchange;
mod request_policy;
#[cfg(test)]
mod tests;
mod tls_fault;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use reqwest::{Certificate, Client, redirect};
use url::Url;

use super::disk;
use super::runtime::NetworkRuntime;
use super::traffic::TrafficLog;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{SecretString, Sha256Digest};
use skillpm_core::report::EventReporter;

use address_scope::ScopedResolver;
pub(crate) use address_scope::{AddressScope, is_loopback_host};
pub(crate) use error_causes::root_cause;
pub use request_policy::RetryPolicy;
pub(crate) use request_policy::{
    REDIRECTS_MAX, RedirectError, RedirectFault, RetryHint, is_redirect, redirect_target,
};
pub(crate) use tls_fault::TlsFault;

/// Largest file of certificates, in bytes: the bundle of a whole system has about 0.3 MB.
const CERTIFICATES_MAX: u64 = 4 << 20;

/// Most requests in flight at once.
const IN_FLIGHT: usize = 64;

/// How requests are made.
#[derive(Debug, Clone, Default)]
pub struct HttpClientOptions {
    /// Refuses every request.
    pub offline: bool,
    /// Allows `http` for other machines, too.
    pub allow_http: bool,
    /// A PEM file of further certificate authorities to trust.
    pub ca_file: Option<PathBuf>,
    /// Timeouts and delays.
    pub timing: HttpTiming,
    /// Registries that may require a login: suggested when a server refuses a request.
    pub logins: Vec<RegistryLogin>,
    /// Where requests are logged.
    pub traffic: TrafficLog,
}

/// A registry whose server may require a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryLogin {
    /// The base URL of the registry.
    pub url: String,
    /// The configured name of the registry.
    pub name: String,
    /// Why an existing token is not sent; `None` if there is no such token.
    pub withheld: Option<String>,
}

/// Timeouts and delays. Only tests use others than the defaults.
#[derive(Debug, Clone, Copy)]
pub struct HttpTiming {
    /// Until a connection is established.
    pub connect: Duration,
    /// Until a response begins once there is a connection, and the window over which the transfer rate is measured.
    pub stall: Duration,
    /// For one attempt as a whole.
    pub total: Duration,
    /// Between attempts.
    pub retry: RetryPolicy,
}

impl Default for HttpTiming {
    fn default() -> Self {
        HttpTiming {
            connect: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            total: Duration::from_mins(10),
            retry: RetryPolicy::default(),
        }
    }
}

/// A file to fetch.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// Where it is.
    pub url: String,
    /// Its size limit, in bytes.
    pub limit: u64,
    /// The entity tag of the cached copy.
    pub etag: Option<String>,
    /// The modification time of the cached copy, as the server wrote it.
    pub last_modified: Option<String>,
    /// The expected digest of its bytes as they are sent; no content encoding is accepted then.
    pub sha256: Option<Sha256Digest>,
    /// The bearer token. It is sent to the origin of `url` only, never along a redirect to another one.
    pub authorization: Option<SecretString>,
    /// A URL of the server that chose `url`; `None` if the user did. The rules of redirects apply to a URL that a
    /// server chose.
    pub named_by: Option<String>,
    /// Whether caches on the way must ask the origin server.
    pub bypass_caches: bool,
    /// Whether it is a call of an API: a redirect to another origin is refused, and a refusal of the server is
    /// [`HttpOutcome::Refused`], with its reason.
    pub is_api_call: bool,
    /// A size limit shared with other requests; `None` for no limit except `limit`.
    pub allowance: Option<Arc<ByteAllowance>>,
}

/// A shared size limit of several responses: each may be small enough, and together they may exceed memory.
#[derive(Debug)]
pub struct ByteAllowance {
    limit: u64,
    taken: AtomicU64,
}

impl ByteAllowance {
    /// An allowance of `limit` bytes.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        ByteAllowance {
            limit,
            taken: AtomicU64::new(0),
        }
    }

    /// The bytes that are left of it.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.limit
            .saturating_sub(self.taken.load(Ordering::Relaxed))
    }

    /// Takes bytes from it.
    ///
    /// # Errors
    /// The limit, if it is exceeded.
    pub fn take(&self, bytes: u64) -> Result<(), u64> {
        // Added before it is compared, so that two threads cannot both take the rest.
        let taken = self
            .taken
            .fetch_add(bytes, Ordering::Relaxed)
            .saturating_add(bytes);
        if taken > self.limit {
            Err(self.limit)
        } else {
            Ok(())
        }
    }

    /// Takes the bytes of a response.
    ///
    /// # Errors
    /// The reason, for a message, if the limit is exceeded.
    pub fn take_for_answer(&self, bytes: u64) -> Result<(), String> {
        self.take(bytes).map_err(|limit| {
            format!("this response and others of the same operation are larger than the limit of {limit} bytes")
        })
    }
}

impl HttpRequest {
    /// A request without conditions.
    #[must_use]
    pub fn new(url: impl Into<String>, limit: u64) -> Self {
        HttpRequest {
            url: url.into(),
            limit,
            etag: None,
            last_modified: None,
            sha256: None,
            authorization: None,
            named_by: None,
            bypass_caches: false,
            is_api_call: false,
            allowance: None,
        }
    }

    /// Whether there is a cached copy, so that "not modified" is a valid response.
    fn is_conditional(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

/// A fetched file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its entity tag, for the next [`HttpRequest`].
    pub etag: Option<String>,
    /// Its modification time, for the next [`HttpRequest`].
    pub last_modified: Option<String>,
    /// Its URL after redirects. The query may contain a secret for this one download.
    pub final_url: String,
}

/// The outcome of a [`HttpRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpOutcome {
    /// The file.
    Fresh(HttpResponse),
    /// The cached copy is current.
    NotModified,
    /// The server has no such file (404, 410 or 451).
    Missing(u16),
    /// The server refuses an API call (a status of 4xx, except 429), and the first line of its reason, without control
    /// characters. Only for a request with `is_api_call`.
    Refused(u16, String),
}

/// Fetches files over HTTP.
#[derive(Default)]
pub struct HttpClient {
    options: HttpClientOptions,
    engine: OnceLock<HttpEngine>,
}

impl HttpClient {
    /// Stores the options; nothing is opened or read yet.
    #[must_use]
    pub fn new(options: HttpClientOptions) -> Self {
        HttpClient {
            options,
            engine: OnceLock::new(),
        }
    }

    /// Fetches one file.
    ///
    /// # Errors
    /// As [`get_all`](HttpClient::get_all); also if the server has no such file.
    pub fn get(&self, url: &str, limit: u64, reporter: &dyn EventReporter) -> Result<HttpResponse> {
        self.get_one(&HttpRequest::new(url, limit), reporter)
    }

    /// Fetches one file by a request without conditions.
    ///
    /// # Errors
    /// As [`get`](HttpClient::get).
    pub fn get_one(
        &self,
        request: &HttpRequest,
        reporter: &dyn EventReporter,
    ) -> Result<HttpResponse> {
        match self.get_all(std::slice::from_ref(request), reporter).pop() {
            Some(Ok(HttpOutcome::Fresh(response))) => Ok(response),
            Some(Ok(HttpOutcome::Missing(status))) => Err(Error::network(format!(
                "`{}` not found (HTTP status {status})",
                redact_url(&request.url)
            ))
            .help("check the URL; the file may have been moved")),
            Some(Ok(HttpOutcome::NotModified | HttpOutcome::Refused(..))) | None => Err(
                Error::internal("an unconditional request got a conditional response"),
            ),
            Some(Err(error)) => Err(error),
        }
    }

    /// Fetches many files, up to 64 at once; the results are in the order of the requests.
    ///
    /// Every [`ProgressEvent::Received`](skillpm_core::report::ProgressEvent::Received) counts received bytes,
    /// including those of failed attempts.
    ///
    /// # Errors
    /// Per request: [`Network`](skillpm_core::error::FailureKind::Network) if it fails or exceeds its limit,
    /// [`Usage`](skillpm_core::error::FailureKind::Usage) if the URL is invalid,
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if the digest is not the expected one.
    pub fn get_all(
        &self,
        requests: &[HttpRequest],
        reporter: &dyn EventReporter,
    ) -> Vec<Result<HttpOutcome>> {
        // All of them before any is sent: a refused URL must not depend on the order.
        let checked: Vec<_> = requests
            .iter()
            .map(|request| {
                self.check_url(&request.url)
                    .and_then(|url| exchange::check_token(request, url))
            })
            .collect();

        // No client is built if all requests are refused.
        if checked.iter().all(Result::is_err) {
            return checked
                .into_iter()
                .filter_map(Result::err)
                .map(Err)
                .collect();
        }

        let engine = match self.engine() {
            Ok(engine) => engine,
            // One error per request, as results are matched to requests by position.
            Err(error) => return requests.iter().map(|_| Err(clone_error(&error))).collect(),
        };

        // `buffered` keeps the order of the requests, which callers rely on.
        let answers = stream::iter(requests.iter().zip(checked)).map(|(request, url)| async move {
            match url {
                Ok(url) => self.fetch_verified(engine, request, url, reporter).await,
                Err(error) => Err(error),
            }
        });
        engine.block_on(answers.buffered(IN_FLIGHT).collect())
    }

    fn engine(&self) -> Result<&HttpEngine> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        // Made on first use: most commands need no network at all.
        let engine = HttpEngine::start(&self.options)?;
        // Another thread may have been first; then this one is dropped.
        Ok(self.engine.get_or_init(|| engine))
    }
}

/// The runtime and the clients, built when the first request needs them.
struct HttpEngine {
    runtime: NetworkRuntime,
    timing: HttpTiming,
    authorities: Vec<Certificate>,
    traffic: TrafficLog,
    clients: Mutex<BTreeMap<(AddressScope, BodyEncoding, TransportSecurity), Client>>,
}

/// Whether a body may be compressed in transit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BodyEncoding {
    Gzip,
    Identity,
}

/// Whether a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TransportSecurity {
    Tls,
    Plain,
}

impl TransportSecurity {
    fn from_url(url: &Url) -> TransportSecurity {
        if url.scheme() == "https" {
            TransportSecurity::Tls
        } else {
            TransportSecurity::Plain
        }
    }
}

impl HttpEngine {
    fn start(options: &HttpClientOptions) -> Result<Self> {
        // reqwest is built without a provider of its own, so one must be installed before the first client.
        install_tls_provider();
        Ok(HttpEngine {
            runtime: NetworkRuntime::start()?,
            timing: options.timing,
            authorities: load_authorities(options)?,
            traffic: options.traffic.clone(),
            clients: Mutex::default(),
        })
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// The client for requests of this scope. Each scope has its own, since a client resolves names and keeps
    /// connections, and a connection that one request may use may be forbidden to another.
    fn client(
        &self,
        reach: AddressScope,
        encoding: BodyEncoding,
        cover: TransportSecurity,
    ) -> Result<Client> {
        // A client for each scope: which addresses it may reach is fixed when it is built.
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&(reach, encoding, cover)) {
            return Ok(client.clone());
        }

        let client = self.build_client(reach, encoding, cover)?;
        clients.insert((reach, encoding, cover), client.clone());
        Ok(client)
    }

    fn build_client(
        &self,
        reach: AddressScope,
        encoding: BodyEncoding,
        cover: TransportSecurity,
    ) -> Result<Client> {
        // Redirects are followed by `exchange`, which checks each target and drops the token.
        let mut builder = Client::builder()
            .user_agent(concat!("skillpm/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(self.timing.connect)
            .gzip(encoding == BodyEncoding::Gzip);

        builder = match cover {
            TransportSecurity::Tls => builder.tls_certs_merge(self.authorities.iter().cloned()),
            // Loading the system certificates costs more than a dozen requests; only an `https` proxy would need them.
            TransportSecurity::Plain if reach == AddressScope::Loopback => {
                builder.tls_certs_only([])
            }
            TransportSecurity::Plain => builder.tls_certs_merge(self.authorities.iter().cloned()),
        };

        // A proxy is another machine, and would resolve `localhost` to itself.
        if reach == AddressScope::Loopback {
            builder = builder.no_proxy();
        }
        // Every resolved address is checked, so that DNS cannot point into the local network.
        if reach != AddressScope::Anywhere {
            builder = builder.dns_resolver(ScopedResolver(reach));
        }

        builder
            .build()
            .map_err(|error| Error::network("failed to build HTTP client").with_sources(&error))
    }
}

/// Installs ring as the TLS provider of this process, unless another one is installed already.
pub(super) fn install_tls_provider() {
    // The only error is that there is one already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Checks that a file contains CA certificates.
///
/// # Errors
/// If it cannot be read, or contains none.
pub fn check_authorities(path: &std::path::Path) -> Result<()> {
    read_certificates(path).map(drop)
}

/// The additional certificate authorities of `ca_file`.
pub(super) fn load_authorities(options: &HttpClientOptions) -> Result<Vec<Certificate>> {
    let Some(path) = &options.ca_file else {
        return Ok(Vec::new());
    };
    parse_certificates(path, &read_certificates(path)?)
}

/// The content of a PEM file with at least one certificate.
///
/// # Errors
/// If it cannot be read, or contains none.
pub(super) fn read_certificates(path: &std::path::Path) -> Result<Vec<u8>> {
    let found = disk::read_up_to(path, CERTIFICATES_MAX)?;
    let bytes = found
        .ok_or_else(|| Error::usage(format!("certificate file `{}` not found", path.display())))?;
    parse_certificates(path, &bytes)?;
    Ok(bytes)
}

fn parse_certificates(path: &std::path::Path, bytes: &[u8]) -> Result<Vec<Certificate>> {
    let shown = path.display();
    match Certificate::from_pem_bundle(bytes) {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(Error::usage(format!(
            "no certificate in PEM format found in `{shown}`"
        ))),
        Err(error) => {
            Err(Error::usage(format!("invalid PEM certificates in `{shown}`")).with_sources(&error))
        }
    }
}

/// Copies an error that applies to all requests, so that each of them gets one.
fn clone_error(error: &Error) -> Error {
    let mut copy = Error::new(error.kind(), error.message());
    for cause in error.causes() {
        copy = copy.cause(cause);
    }
    for help in error.helps() {
        copy = copy.help(help);
    }
    copy
}

/// The URL without its parts that may be secret: user, password, query and fragment.
pub(crate) fn redact_url(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else {
        return redact_text(text);
    };
    // Both fail only for URLs without a host, which have no user either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);

    let has_query = url.query().is_some();
    url.set_query(None);
    if has_query {
        format!("{url}?…")
    } else {
        url.to_string()
    }
}

/// As [`redact_url`], for text that is not a URL: if it may contain a secret, nothing after the scheme is shown.
fn redact_text(text: &str) -> String {
    let (scheme, rest) = text
        .split_once("://")
        .map_or(("", text), |(scheme, rest)| (scheme, rest));

    match rest.contains(['@', '?', '#']) {
        true if scheme.is_empty() => "…".to_owned(),
        true => format!("{}://…", scheme.escape_debug()),
        false => text
            .chars()
            .take(200)
            .collect::<String>()
            .escape_debug()
            .to_string(),
    }
}

//! HTTP for gix: its [`Http`] trait over one reqwest client.
//!
//! gix has a backend of its own, but it builds a client (a thread, a TLS setup, the system's certificates) for every
//! repository, follows fifty redirects, supports neither proxy nor certificate settings, and asks every host for its
//! capabilities before each request. This one shares a client among all repositories, decides itself about redirects
//! and secrets, records failures in more detail than gix's errors, and can answer gix's first request from the cache,
//! which halves the requests that a lockfile needs.

use std::any::Any;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gix::protocol::transport::client::blocking_io::http::{
    GetResponse, Http, PostBodyDataKind, PostResponse,
};
use reqwest::Method;
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};

use super::tls::TlsSettings;
use super::{GitShared, url_policy};
use crate::http::{
    REDIRECTS_MAX, RedirectError, RedirectFault, RetryHint, RetryPolicy, TlsFault, is_redirect,
};
use crate::traffic::ActiveRequest;

/// Most bytes of a response with objects, which is streamed to the disk.
pub(super) const ANSWER_MAX: u64 = 2 << 30;
/// Most bytes of any other response: capabilities and references, which are kept in memory. Enough for some two
/// hundred thousand references.
pub(super) const LIST_MAX: u64 = 16 << 20;
/// Fewer bytes than this within the silence limit count as silence.
pub(super) const SLOW_BYTES: u64 = 300;
/// How long a host may be silent. Cargo waits as long (`http.timeout`), and git's own server sends a keepalive every five
/// seconds while it counts objects (`uploadpack.keepAlive`).
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(30);

/// The failure of a request below git's protocol.
#[derive(Debug, Clone)]
pub(super) enum TransportError {
    /// The connection failed.
    Unreachable(Vec<String>),
    /// The certificates do not allow a connection.
    Untrusted(TlsFault),
    /// The connection was interrupted before a response, at each attempt.
    Broken(Vec<String>),
    /// The response was cut.
    Cut(Vec<String>),
    /// The host sent almost nothing for this long. There is no retry, which would take as long again.
    Stalled(Duration),
    /// The host responded with this status.
    Status {
        status: u16,
        url: String,
        challenges: Vec<String>,
    },
    /// The redirect is not allowed.
    Redirect(String),
    /// The response exceeds its limit.
    TooLarge,
}

/// A user and password. Has no `Debug`, so that no message can show it.
#[derive(Clone)]
pub(super) struct HttpCredentials {
    /// The only origin they are sent to.
    pub origin: String,
    pub user: String,
    pub password: String,
}

/// State about one host that is shared by the connections to it.
#[derive(Default)]
pub(super) struct HostState {
    /// The capabilities of the host, cached or assumed; given to gix instead of a request.
    pub abilities: Option<Vec<String>>,
    /// The credentials, once the host has asked for some.
    pub secret: Option<HttpCredentials>,
    /// The base URL that the first request was redirected to.
    redirected: Option<String>,
    /// The latest failure, until it is taken.
    pub error: Option<TransportError>,
}

impl HostState {
    /// A host with capabilities that are assumed until a request fails.
    pub(super) fn with_assumed_abilities(abilities: Vec<String>) -> HostState {
        HostState {
            abilities: Some(abilities),
            ..HostState::default()
        }
    }
}

/// The HTTP side of one connection.
pub(super) struct HttpTransport {
    pub shared: Arc<GitShared>,
    pub settings: ClientSettings,
    pub state: Arc<Mutex<HostState>>,
}

impl HttpTransport {
    fn state(&self) -> MutexGuard<'_, HostState> {
        lock_state(&self.state)
    }
}

/// Locks the state. A panic cannot leave a [`HostState`] inconsistent, so poisoning is ignored.
pub(super) fn lock_state(state: &Mutex<HostState>) -> MutexGuard<'_, HostState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Http for HttpTransport {
    type Headers = ReplyReader;
    type ResponseBody = ReplyReader;
    type PostBody = RequestWriter;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<ReplyReader, ReplyReader>> {
        let request = GitHttpRequest::new(self, Method::GET, url, headers);
        // If the host's capabilities are known, gix's first request is answered without the network.
        let exchange = match &self.state().abilities {
            Some(abilities) => HttpExchange::Done(Some(remembered_abilities(abilities))),
            None => HttpExchange::Waiting(Box::new(request)),
        };

        let exchange = Arc::new(Mutex::new(exchange));
        // Sent now and not on first read, because gix reads the redirect next.
        let reply = take_reply(&exchange).map_err(gix::Error::from_error)?;
        self.record_redirect(&reply.url, base_url, url)?;
        // For the two readers of gix.
        *exchange.lock().unwrap_or_else(PoisonError::into_inner) = HttpExchange::Done(Some(reply));

        Ok(GetResponse {
            headers: ReplyReader::headers(&exchange),
            body: ReplyReader::body(&exchange),
        })
    }

    fn post(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        _body: PostBodyDataKind,
    ) -> gix::Result<PostResponse<ReplyReader, ReplyReader, RequestWriter>> {
        let request = GitHttpRequest::new(self, Method::POST, url, headers);
        let exchange = Arc::new(Mutex::new(HttpExchange::Waiting(Box::new(request))));
        Ok(PostResponse {
            post_body: RequestWriter(exchange.clone()),
            headers: ReplyReader::headers(&exchange),
            body: ReplyReader::body(&exchange),
        })
    }

    fn configure(&mut self, _config: &dyn Any) -> gix::Result<()> {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        self.state().redirected.clone()
    }
}

impl HttpTransport {
    /// Records the base URL of the repository, if the first request was redirected.
    fn record_redirect(&self, answered: &str, base_url: &str, url: &str) -> gix::Result<()> {
        let tail = url.strip_prefix(base_url).unwrap_or(url);
        // A cached response has no URL.
        if answered == url || answered.is_empty() {
            return Ok(());
        }

        // Later requests go to the new base directly, as git's do.
        match answered.strip_suffix(tail) {
            Some(base) => self.state().redirected = Some(base.to_owned()),
            None => {
                let fault = TransportError::Redirect(format!(
                    "the host redirects to a page that is not a git repository, `{answered}`"
                ));
                return Err(gix::Error::from_error(record_error(&self.state, fault)));
            }
        }
        Ok(())
    }
}

/// Builds the response to the capability request from known capabilities.
fn remembered_abilities(abilities: &[String]) -> GitHttpReply {
    let mut body = String::new();
    // Packet lines: the length in four hexadecimal digits counts these and the line end.
    for line in std::iter::once("version 2").chain(abilities.iter().map(String::as_str)) {
        body.push_str(&format!("{:04x}{line}\n", line.len() + 5));
    }
    body.push_str("0000");

    GitHttpReply {
        url: String::new(),
        headers: "content-type: application/x-git-upload-pack-advertisement\n".into(),
        body: Box::new(Cursor::new(body.into_bytes())),
    }
}

/// A request and then its response; shared by the writer and the readers of gix.
pub(super) enum HttpExchange {
    Waiting(Box<GitHttpRequest>),
    Done(Option<GitHttpReply>),
}

pub(super) struct GitHttpRequest {
    shared: Arc<GitShared>,
    settings: ClientSettings,
    state: Arc<Mutex<HostState>>,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

pub(super) struct GitHttpReply {
    url: String,
    headers: String,
    body: Box<dyn Read + Send>,
}

/// Sends the request if it was not sent yet, and takes the response.
fn take_reply(exchange: &Mutex<HttpExchange>) -> io::Result<GitHttpReply> {
    let mut exchange = exchange.lock().unwrap_or_else(PoisonError::into_inner);
    // Taken out, as the first of the two readers sends the request.
    match std::mem::replace(&mut *exchange, HttpExchange::Done(None)) {
        HttpExchange::Done(reply) => reply.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
        HttpExchange::Waiting(request) => request.send(),
    }
}

/// Takes the body of the request from gix.
pub(super) struct RequestWriter(Arc<Mutex<HttpExchange>>);

impl Write for RequestWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            HttpExchange::Waiting(request) => request.body.write(bytes),
            HttpExchange::Done(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives gix the response: one reader for the headers, as lines, and one for the body. The first read sends the
/// request.
pub(super) struct ReplyReader {
    exchange: Arc<Mutex<HttpExchange>>,
    wants_headers: bool,
    open: Option<BufReader<Box<dyn Read + Send>>>,
}

impl ReplyReader {
    fn headers(exchange: &Arc<Mutex<HttpExchange>>) -> ReplyReader {
        ReplyReader {
            exchange: exchange.clone(),
            wants_headers: true,
            open: None,
        }
    }

    fn body(exchange: &Arc<Mutex<HttpExchange>>) -> ReplyReader {
        ReplyReader {
            exchange: exchange.clone(),
            wants_headers: false,
            open: None,
        }
    }

    fn reader(&mut self) -> io::Result<&mut BufReader<Box<dyn Read + Send>>> {
        if self.open.is_none() {
            let mut reply = take_reply(&self.exchange)?;
            let reader: Box<dyn Read + Send> = if self.wants_headers {
                let headers = std::mem::take(&mut reply.headers);
                // The body stays for its own reader.
                *self.exchange.lock().unwrap_or_else(PoisonError::into_inner) =
                    HttpExchange::Done(Some(reply));
                Box::new(Cursor::new(headers.into_bytes()))
            } else {
                reply.body
            };
            self.open = Some(BufReader::with_capacity(64 << 10, reader));
        }
        Ok(self.open.as_mut().expect("it was opened above"))
    }
}

impl Read for ReplyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader()?.read(buffer)
    }
}

impl BufRead for ReplyReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader()?.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Some(open) = &mut self.open {
            open.consume(amount);
        }
    }
}

/// Reads headers from lines of `Name: value`; other lines are left out.
fn parse_headers(lines: impl IntoIterator<Item = impl AsRef<str>>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        let Some((name, value)) = line.as_ref().split_once(':') else {
            continue;
        };
        if let (Ok(name), Ok(value)) = (
            name.trim().parse::<HeaderName>(),
            HeaderValue::from_str(value.trim()),
        ) {
            headers.append(name, value);
        }
    }
    headers
}

impl GitHttpRequest {
    fn new(
        wire: &HttpTransport,
        method: Method,
        url: &str,
        lines: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> GitHttpRequest {
        GitHttpRequest {
            shared: wire.shared.clone(),
            settings: wire.settings.clone(),
            state: wire.state.clone(),
            method,
            url: url.to_owned(),
            // gix passes headers as lines of text.
            headers: parse_headers(lines),
            body: Vec::new(),
        }
    }

    fn send(self) -> io::Result<GitHttpReply> {
        let mut url = self.url.clone();
        for _ in 0..=REDIRECTS_MAX {
            let (response, logged) = self.send_to(&url)?;
            // Only the first request may be redirected, as with git's `http.followRedirects=initial`.
            if !is_redirect(response.status()) || self.method != Method::GET {
                return self.read_reply(response, logged);
            }
            url = self.redirect_target(&response)?;
        }

        Err(record_error(
            &self.state,
            TransportError::Redirect(format!("too many redirects (more than {REDIRECTS_MAX})")),
        ))
    }

    /// Sends the request, and retries after a delay if the host is busy.
    fn send_to(&self, url: &str) -> io::Result<(Response, ActiveRequest)> {
        // A redirect may lead to a URL that needs another client.
        let settings = self.settings.for_url(url);
        let client = self.shared.client(&settings, url).map_err(|error| {
            let fault = TransportError::Unreachable(vec![error.message().to_owned()]);
            record_error(&self.state, fault)
        })?;

        let policy = RetryPolicy::default();
        let mut delays = policy.delays();
        loop {
            let mut logged = self.start_logging(url);
            let sent = self.build_request(&client, url).send();
            if let Ok(response) = &sent {
                logged.answered(response.status().as_u16(), response.content_length());
            }

            let hint = match &sent {
                Ok(response) => policy.hint(response.status(), response.headers()),
                Err(error) if is_interrupted(error) => RetryHint::Soon,
                Err(_) => RetryHint::Never,
            };

            match (hint.allows_retry(), delays.next()) {
                (true, Some(delay)) => std::thread::sleep(hint.adjust(delay)),
                _ => {
                    let response = sent.map_err(|error| {
                        let silence = self.shared.options.silence();
                        record_error(&self.state, connection_error(error, silence))
                    })?;
                    return Ok((response, logged));
                }
            }
        }
    }

    fn build_request(&self, client: &Client, url: &str) -> RequestBuilder {
        let mut request = client
            .request(self.method.clone(), url)
            .headers(self.headers.clone());
        // There are no credentials before the host has asked for some.
        let secret = self.secret_for(url);
        if let Some(extra) = self.settings.headers.for_url(url) {
            let mut extra = extra.clone();
            // Refused by the host, which then asked for others.
            if secret.is_some() {
                extra.remove(AUTHORIZATION);
            }
            request = request.headers(extra);
        }
        if let Some(secret) = secret {
            request = request.basic_auth(secret.user, Some(secret.password));
        }
        // Cloned, since a retry sends it again.
        if self.method == Method::POST {
            request = request.body(self.body.clone());
        }
        request
    }

    /// The credentials, if this URL has their origin.
    fn secret_for(&self, url: &str) -> Option<HttpCredentials> {
        let origin = url_policy::origin(url)?;
        // Compared for each URL, so that a redirect to another origin gets none.
        lock_state(&self.state)
            .secret
            .clone()
            .filter(|secret| secret.origin == origin)
    }

    fn redirect_target(&self, response: &Response) -> io::Result<String> {
        // Else a host could send us to a service that only this machine can reach.
        url_policy::redirect_target(response.url(), response.headers())
            .map(String::from)
            .map_err(|why| {
                let fault = TransportError::Redirect(describe_redirect(&why));
                record_error(&self.state, fault)
            })
    }

    fn start_logging(&self, url: &str) -> ActiveRequest {
        let method = if self.method == Method::POST {
            "POST"
        } else {
            "GET"
        };
        self.shared.options.traffic.start(method, url)
    }

    fn read_reply(self, response: Response, logged: ActiveRequest) -> io::Result<GitHttpReply> {
        if !response.status().is_success() {
            let fault = TransportError::Status {
                status: response.status().as_u16(),
                url: response.url().to_string(),
                challenges: auth_challenges(response.headers()),
            };
            return Err(record_error(&self.state, fault));
        }

        let mut headers = String::new();
        for (name, value) in response.headers() {
            headers.push_str(&format!("{name}: {}\n", value.to_str().unwrap_or_default()));
        }

        // A list is kept in memory; a pack is streamed to the disk.
        let limit = if self.wants_objects() {
            ANSWER_MAX
        } else {
            LIST_MAX
        };

        Ok(GitHttpReply {
            url: response.url().to_string(),
            headers,
            body: Box::new(BoundedBody {
                response,
                state: self.state,
                logged,
                limit,
                silence: self.shared.options.silence(),
                total: 0,
                window: (Instant::now(), 0),
            }),
        })
    }

    /// Whether the response contains a pack: of all POST requests, only `ls-refs` does not return one.
    fn wants_objects(&self) -> bool {
        const LS_REFS: &[u8] = b"command=ls-refs";
        // In protocol version 2 a request begins with its command.
        let head = &self.body[..self.body.len().min(64)];
        self.method == Method::POST && !head.windows(LS_REFS.len()).any(|part| part == LS_REFS)
    }
}

/// Whether the connection ended before a response, as when the host closes an idle one.
fn is_interrupted(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_connect() && !error.is_timeout()
}

fn describe_redirect(why: &RedirectError) -> String {
    let (target, fault) = match why {
        RedirectError::NoLocation => return "redirect without a `Location` header".into(),
        RedirectError::Refused { target, fault } => (target, fault),
    };

    let why = match fault {
        RedirectFault::Invalid(_) => "which is not a URL",
        RedirectFault::Scheme | RedirectFault::Unencrypted => "which is not encrypted",
        RedirectFault::Credentials => "which contains credentials",
        RedirectFault::Address => "which is an address of this machine or the local network",
    };
    format!("it redirects to `{target}`, {why}")
}

fn auth_challenges(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .filter_map(|value| value.to_str().ok().map(str::to_owned))
        .collect()
}

fn connection_error(error: reqwest::Error, silence: Duration) -> TransportError {
    let is_connect = error.is_connect();
    if error.is_timeout() && !is_connect {
        return TransportError::Stalled(silence);
    }
    if let Some(fault) = TlsFault::find(&error) {
        return TransportError::Untrusted(fault);
    }
    // A URL may carry a secret.
    let error = error.without_url();
    let mut causes = Vec::new();
    let mut next: Option<&dyn std::error::Error> = Some(&error);
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    if is_connect {
        TransportError::Unreachable(causes)
    } else {
        TransportError::Broken(causes)
    }
}

/// Records the failure for the caller of gix, and returns the error that gix passes through.
fn record_error(state: &Mutex<HostState>, fault: TransportError) -> io::Error {
    lock_state(state).error = Some(fault);
    io::Error::other("the request failed")
}

/// A response body: counted, bounded, and aborted if it is too slow.
struct BoundedBody {
    response: Response,
    state: Arc<Mutex<HostState>>,
    logged: ActiveRequest,
    limit: u64,
    silence: Duration,
    total: u64,
    window: (Instant, u64),
}

impl Read for BoundedBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.response.read(buffer) {
            Ok(read) => read,
            Err(error) if is_timeout(&error) => {
                return Err(record_error(
                    &self.state,
                    TransportError::Stalled(self.silence),
                ));
            }
            Err(error) => {
                return Err(record_error(
                    &self.state,
                    TransportError::Cut(vec![error.to_string()]),
                ));
            }
        };

        let count = read as u64;
        self.logged.received(count);
        self.total += count;
        self.window.1 += count;

        if self.total > self.limit {
            return Err(record_error(&self.state, TransportError::TooLarge));
        }

        // Counted over a window, so that a byte now and then does not keep the connection alive.
        if self.window.0.elapsed() > self.silence {
            if self.window.1 < SLOW_BYTES && count > 0 {
                return Err(record_error(
                    &self.state,
                    TransportError::Stalled(self.silence),
                ));
            }
            self.window = (Instant::now(), 0);
        }
        Ok(read)
    }
}

/// Whether reading a body timed out. Reqwest wraps its own error in an [`io::Error`].
fn is_timeout(error: &io::Error) -> bool {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<reqwest::Error>());
    error.kind() == io::ErrorKind::TimedOut || inner.is_some_and(reqwest::Error::is_timeout)
}

/// The settings of the user's git configuration for connections.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct ClientSettings {
    /// `http.proxy`; empty for no proxy, whatever the environment says.
    pub proxy: Option<String>,
    /// The certificates.
    pub tls: TlsSettings,
    /// `http.extraHeader`.
    pub headers: ExtraHeaders,
}

impl ClientSettings {
    /// The settings for a URL, which a redirect may have chosen: our own certificate is for the repository's origin only.
    fn for_url(&self, url: &str) -> Cow<'_, ClientSettings> {
        if self.tls.identity.is_none() || self.headers.is_for(url) {
            return Cow::Borrowed(self);
        }
        let mut settings = self.clone();
        settings.tls.identity = None;
        Cow::Owned(settings)
    }
}

/// Headers of the user's git configuration, such as the token of a pipeline. They are sent to the host of the repository only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ExtraHeaders {
    origin: Option<String>,
    headers: HeaderMap,
}

impl ExtraHeaders {
    /// The headers for a repository, from lines of `Name: value`.
    pub(super) fn new(url: &str, lines: &[String]) -> ExtraHeaders {
        let mut headers = parse_headers(lines);
        for value in headers.values_mut() {
            // Not shown in any message.
            value.set_sensitive(true);
        }
        let origin = url_policy::origin(url).filter(|_| url_policy::may_carry_secrets(url));
        ExtraHeaders { origin, headers }
    }

    fn is_for(&self, url: &str) -> bool {
        self.origin.is_some() && self.origin == url_policy::origin(url)
    }

    fn for_url(&self, url: &str) -> Option<&HeaderMap> {
        (self.is_for(url) && !self.headers.is_empty()).then_some(&self.headers)
    }
}

/// The requests that a client is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientScope {
    /// Unencrypted ones to this machine. The certificates, which are half of the work of a short command, are not read.
    ThisMachine,
    /// All.
    Anywhere,
}

impl ClientScope {
    pub(super) fn from_url(settings: &ClientSettings, url: &str) -> ClientScope {
        // A proxy that was set in git's configuration is meant for this machine, too.
        if settings.proxy.is_none() && url_policy::is_unencrypted_loopback(url) {
            ClientScope::ThisMachine
        } else {
            ClientScope::Anywhere
        }
    }
}

/// The URL of a proxy in git's configuration, which may be without a scheme.
///
/// # Errors
/// If the scheme is unknown: the proxy would be ignored.
pub(super) fn proxy_url(text: &str) -> skillpm_core::error::Result<String> {
    const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
    match text.split_once("://") {
        // As curl, which git uses, reads it.
        Some(("socks", rest)) => Ok(format!("socks4://{rest}")),
        Some((scheme, _)) if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) => {
            Err(skillpm_core::error::Error::usage(format!(
                "unsupported scheme `{}` of `http.proxy` in git's configuration, expected one of {}",
                scheme.escape_debug(),
                SCHEMES.join(", ")
            ))
            .help("`git config --show-origin --get-regexp 'http.*proxy'` shows where it is set"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Builds a client. It starts a thread, and reads the system's certificates for [`ClientScope::Anywhere`], so it is shared
/// by all repositories.
pub(super) fn build_client(
    settings: &ClientSettings,
    scope: ClientScope,
    silence: Duration,
) -> Result<Client, reqwest::Error> {
    // The only error is that a provider is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();

    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(Duration::from_secs(10))
        // In reqwest's blocking client this bounds each read, not the whole request.
        .timeout(silence);

    if scope == ClientScope::ThisMachine {
        // A proxy of the environment is another machine, and would resolve `localhost` to itself.
        return builder.tls_certs_only([]).no_proxy().build();
    }

    match settings.proxy.as_deref() {
        None => {}
        Some("") => builder = builder.no_proxy(),
        Some(proxy) => {
            // `NO_PROXY` still applies to a proxy from git's configuration.
            let proxy = reqwest::Proxy::all(proxy)?.no_proxy(reqwest::NoProxy::from_env());
            builder = builder.proxy(proxy);
        }
    }

    let mut trusted = reqwest::Certificate::from_pem_bundle(&settings.tls.additional)?;
    if let Some(pem) = &settings.tls.authorities {
        trusted.extend(reqwest::Certificate::from_pem_bundle(pem)?);
        builder = builder.tls_certs_only(trusted);
    } else if !trusted.is_empty() {
        builder = builder.tls_certs_merge(trusted);
    }
    if let Some(pem) = &settings.tls.identity {
        builder = builder.identity(reqwest::Identity::from_pem(pem)?);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_of_an_unknown_scheme_is_refused() {
        for (text, url) in [
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("HTTP://proxy", "HTTP://proxy"),
            ("socks5h://proxy:1080", "socks5h://proxy:1080"),
            ("socks://proxy:1080", "socks4://proxy:1080"),
            ("", ""),
        ] {
            assert_eq!(proxy_url(text).unwrap(), url);
        }
        let error = proxy_url("quic://proxy").unwrap_err();
        assert!(error.message().contains("`quic`"), "{error}");
    }
}

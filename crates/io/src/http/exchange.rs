//! One request from its first attempt to its response.

use std::io;
use std::time::Duration;

use backon::Retryable;
use reqwest::header::{self, HeaderMap};
use reqwest::{StatusCode, Version};
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use super::address_scope::{self, AddressScope, OutOfReach};
use super::error_causes::{find_cause, root_cause};
use super::request_policy::{
    REDIRECTS_MAX, RedirectError, RedirectFault, RetryHint, header_text, is_redirect,
    redirect_target,
};
use super::tls_fault::TlsFault;
use super::{
    BodyEncoding, ByteAllowance, HttpClient, HttpEngine, HttpOutcome, HttpRequest, HttpResponse,
    HttpTiming, RegistryLogin, TransportSecurity, redact_url,
};
use crate::traffic::ActiveRequest;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{SecretString, Sha256Digest};
use skillpm_core::report::{EventReporter, ProgressEvent};

/// Slowest pace of a body, in bytes a second.
const BYTES_PER_SECOND_MIN: u64 = 10;
/// Largest text of a refused API call, in bytes.
const REFUSAL_MAX: u64 = 64 << 10;
/// Most characters of its first line that are shown.
const REASON_MAX: usize = 300;
/// Most memory that is reserved for a body by its `Content-Length`.
const RESERVE_MAX: u64 = 1 << 20;

/// Why an attempt failed, and whether to retry.
struct AttemptError {
    error: Error,
    retry: RetryHint,
}

impl AttemptError {
    /// The error of the whole request, after that many attempts if they were made.
    fn into_final_error(self, attempts: usize) -> Error {
        if self.retry.allows_retry() {
            self.error
                .note(format!("gave up after {attempts} attempts"))
        } else {
            self.error
        }
    }
}

impl From<Error> for AttemptError {
    fn from(error: Error) -> Self {
        AttemptError {
            error,
            retry: RetryHint::Never,
        }
    }
}

impl HttpClient {
    /// Refuses an invalid or forbidden URL, before anything is opened.
    pub(super) fn check_url(&self, text: &str) -> Result<Url> {
        let refused =
            |why: &str| Error::usage(format!("invalid URL `{}`: {why}", redact_url(text)));
        // Parsers drop or rewrite these silently, so that two programs would see different URLs.
        if text
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
        {
            return Err(refused(
                "it contains whitespace, a control character or a backslash",
            ));
        }

        let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(refused(&format!("unsupported scheme `{}`", url.scheme())));
        }
        // It would be in the URL that messages and lockfiles show.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("it contains a user name or password"));
        }

        // From the text, since parsing normalizes all spellings of a host to ASCII and canonical addresses.
        let authority = text
            .split("//")
            .nth(1)
            .and_then(|rest| rest.split(['/', '?', '#']).next())
            .unwrap_or_default();
        if !authority.is_ascii() {
            return Err(refused("its host name is not ASCII")
                .help(format!("in ASCII it is `{}`", host_name(&url))));
        }
        // Such as `0x7f.1`, which reads like a name, and is 127.0.0.1.
        if matches!(url.host(), Some(Host::Ipv4(ip)) if !authority.starts_with(&ip.to_string())) {
            return Err(refused("its host is an IP address in a non-canonical form"));
        }

        self.check_rules(&url)?;
        Ok(url)
    }

    /// The rules that apply to redirects, too.
    fn check_rules(&self, url: &Url) -> Result<()> {
        let shown = || redact_url(url.as_str());
        if self.options.offline {
            return Err(Error::network(format!(
                "cannot fetch `{}`: network access is disabled (`--offline`)",
                shown()
            ))
            .help("run the command again without `--offline`"));
        }

        if address_scope::is_unusable_host(url) {
            return Err(Error::network(format!(
                "refusing to fetch `{}`: its address is link-local, multicast or unspecified",
                shown()
            )));
        }

        if url.scheme() == "http"
            && !self.options.allow_http
            && !address_scope::is_loopback_host(url)
        {
            return Err(Error::network(format!(
                "refusing to fetch `{}`: `http` is not encrypted",
                shown()
            ))
            .help("use `https`, or allow it with `--config net.allow-http=true`"));
        }
        Ok(())
    }

    /// Sends a request, with retries, and verifies its digest.
    ///
    /// A file with a wrong digest is fetched once more, bypassing all caches on the way, since one of those may have
    /// a damaged copy.
    pub(super) async fn fetch_verified(
        &self,
        engine: &HttpEngine,
        request: &HttpRequest,
        url: Url,
        reporter: &dyn EventReporter,
    ) -> Result<HttpOutcome> {
        let answer = self
            .send_with_retries(engine, request, &url, reporter)
            .await;
        let wrong = match answer {
            Err(error) if error.kind() == FailureKind::Integrity => error,
            answer => return answer,
        };

        // Unconditional, too: a 304 would confirm the damaged copy.
        let uncached = HttpRequest {
            etag: None,
            last_modified: None,
            bypass_caches: true,
            ..request.clone()
        };

        match self
            .send_with_retries(engine, &uncached, &url, reporter)
            .await
        {
            Ok(HttpOutcome::Fresh(response)) => Ok(HttpOutcome::Fresh(response)),
            Err(error) if error.kind() == FailureKind::Integrity => {
                Err(error.note("it was fetched twice, the second time bypassing all caches"))
            }
            // The second attempt failed in another way; the first error says more.
            Ok(_) | Err(_) => Err(wrong),
        }
    }

    async fn send_with_retries(
        &self,
        engine: &HttpEngine,
        request: &HttpRequest,
        url: &Url,
        reporter: &dyn EventReporter,
    ) -> Result<HttpOutcome> {
        let timing = engine.timing;
        let attempt = || async {
            match timeout(timing.total, self.attempt(engine, request, url, reporter)).await {
                Ok(result) => result,
                Err(_) => Err(timeout_error(
                    url,
                    &format!("timed out after {}", format_seconds(timing.total)),
                )
                .into()),
            }
        };

        attempt
            .retry(timing.retry.backoff())
            .when(|fault: &AttemptError| fault.retry.allows_retry())
            .adjust(|fault, delay| delay.map(|delay| fault.retry.adjust(delay)))
            .await
            .map_err(|fault| fault.into_final_error(timing.retry.retries + 1))
    }

    /// One attempt, with its redirects.
    async fn attempt(
        &self,
        engine: &HttpEngine,
        request: &HttpRequest,
        url: &Url,
        reporter: &dyn EventReporter,
    ) -> Result<HttpOutcome, AttemptError> {
        let mut url = url.clone();
        let mut reach = initial_scope(request, &url).await?;
        let mut token = request.authorization.as_ref();

        for _ in 0..=REDIRECTS_MAX {
            let mut logged = engine.traffic.start("GET", url.as_str());
            let response = send(engine, request, token, &url, reach).await?;
            let status = response.status();
            logged.answered(status.as_u16(), response.content_length());

            let answer = OpenAnswer {
                url: &url,
                response,
                logged,
            };
            if request.is_api_call
                && status.is_client_error()
                && status != StatusCode::TOO_MANY_REQUESTS
            {
                return read_refusal(engine, request, answer, reporter).await;
            }
            if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                return Err(self
                    .unauthorized_error(&url, status, token.is_some())
                    .into());
            }
            if !is_redirect(status) {
                return read_response(engine, request, answer, reporter).await;
            }

            let origin = url.origin();
            let next = redirect_scope(reach, &answer.response);
            url = self.redirect_target(&url, answer.response.headers(), next)?;
            if request.is_api_call && url.origin() != origin {
                return Err(foreign_redirect_error(&request.url, &url).into());
            }
            reach = narrow_scope(next, &url);
            // Dropped for good: a redirect back to the origin does not get it again.
            token = token.filter(|_| url.origin() == origin);
        }

        Err(request_error(
            &url,
            &format!("too many redirects (more than {REDIRECTS_MAX})"),
        )
        .into())
    }

    /// The error for 401 and 403, with the login of the registry if one is configured.
    fn unauthorized_error(&self, url: &Url, status: StatusCode, has_token: bool) -> Error {
        let error = request_error(url, &format!("the server responded with {status}"));
        let error = if has_token {
            error.note("the stored token was sent, and the server rejected it")
        } else {
            error
        };

        // By origin, since the URL of an archive is mostly not below that of its index.
        let is_same_server = |login: &&RegistryLogin| {
            Url::parse(&login.url).is_ok_and(|base| base.origin() == url.origin())
        };
        // Of several registries on one server, the one with the longest matching URL.
        let login = self
            .options
            .logins
            .iter()
            .filter(is_same_server)
            .max_by_key(|login| {
                let is_below = url.as_str().starts_with(&login.url);
                (is_below, if is_below { login.url.len() } else { 0 })
            });

        match login {
            Some(login) => {
                let error = login
                    .withheld
                    .iter()
                    .fold(error, |error, why| error.note(why.clone()));
                error.help(format!(
                    "run `skillpm login --registry {}` to store a token",
                    login.name
                ))
            }
            None => error.help(format!(
                "`{}` requires authentication, and no registry is configured for it",
                host_name(url)
            )),
        }
    }

    /// The target of a redirect, if it is allowed.
    fn redirect_target(&self, from: &Url, headers: &HeaderMap, reach: AddressScope) -> Result<Url> {
        let to = redirect_target(from, headers, reach).map_err(|why| redirect_error(from, &why))?;
        self.check_rules(&to)?;
        Ok(to)
    }
}

/// The addresses that the first request may be sent to.
async fn initial_scope(request: &HttpRequest, url: &Url) -> Result<AddressScope> {
    let mut reach = AddressScope::Anywhere;
    if let Some(server) = &request.named_by {
        reach = AddressScope::for_server(server).await;
        check_scope(reach, server, url)?;
    }
    Ok(narrow_scope(reach, url))
}

/// The scope of a redirect by this response.
fn redirect_scope(reach: AddressScope, response: &reqwest::Response) -> AddressScope {
    // Once a public server chose the target, the scope stays public.
    if reach == AddressScope::Public {
        reach
    } else {
        AddressScope::from_peer(response.remote_addr())
    }
}

fn narrow_scope(reach: AddressScope, url: &Url) -> AddressScope {
    // Whatever chose the URL, `localhost` must not resolve to another machine.
    if address_scope::is_loopback_host(url) {
        AddressScope::Loopback
    } else {
        reach
    }
}

/// Refuses a URL outside of the scope of the server that chose it.
fn check_scope(reach: AddressScope, server: &str, url: &Url) -> Result<()> {
    // Otherwise a list on the web could make its readers call services in their own network.
    if reach.allows_host(url) {
        return Ok(());
    }
    Err(
        Error::network(format!("refusing to fetch `{}`", redact_url(url.as_str()))).cause(format!(
            "`{}` refers to it, and a server may not refer to an address inside the local network",
            redact_url(server)
        )),
    )
}

/// Refuses to send a token where others could read it.
pub(super) fn check_token(request: &HttpRequest, url: Url) -> Result<Url> {
    if request.authorization.is_none()
        || url.scheme() == "https"
        || address_scope::is_loopback_host(&url)
    {
        return Ok(url);
    }
    Err(Error::network(format!(
        "refusing to fetch `{}`: a token is never sent unencrypted",
        redact_url(url.as_str())
    ))
    .help("use `https`"))
}

fn redirect_error(from: &Url, why: &RedirectError) -> Error {
    let (target, fault) = match why {
        RedirectError::NoLocation => {
            return request_error(from, "redirect without a `Location` header");
        }
        RedirectError::Refused { target, fault } => (target, fault),
    };

    let cause = match fault {
        RedirectFault::Invalid(cause) => cause.to_string(),
        RedirectFault::Scheme => {
            let scheme = target.split(':').next().unwrap_or_default();
            format!("unsupported scheme `{scheme}`")
        }
        RedirectFault::Unencrypted => "it leads from `https` to unencrypted `http`".into(),
        RedirectFault::Credentials => "it contains a user name or password".into(),
        RedirectFault::Address => {
            "a server may not redirect to an address inside the local network".into()
        }
    };
    Error::network(format!(
        "refusing to follow the redirect from `{}` to `{}`",
        redact_url(from.as_str()),
        redact_url(target)
    ))
    .cause(cause)
}

/// Sends the request and waits for the head of the response.
async fn send(
    engine: &HttpEngine,
    request: &HttpRequest,
    token: Option<&SecretString>,
    url: &Url,
    reach: AddressScope,
) -> Result<reqwest::Response, AttemptError> {
    // A digest is over the bytes as they are sent, so nothing may decompress them.
    let encoding = if request.sha256.is_some() {
        BodyEncoding::Identity
    } else {
        BodyEncoding::Gzip
    };

    let mut sent = engine
        .client(reach, encoding, TransportSecurity::from_url(url))?
        .get(url.clone());
    if let Some(etag) = &request.etag {
        sent = sent.header(header::IF_NONE_MATCH, etag);
    }
    if let Some(time) = &request.last_modified {
        sent = sent.header(header::IF_MODIFIED_SINCE, time);
    }
    if request.bypass_caches {
        // `Pragma` is for HTTP/1.0 caches.
        sent = sent
            .header(header::CACHE_CONTROL, "no-cache")
            .header(header::PRAGMA, "no-cache");
    }

    if let Some(token) = token {
        // reqwest marks it as sensitive: it is not shown, and kept out of HTTP/2's header tables.
        sent = sent.bearer_auth(token.reveal());
    }

    // Includes the time to connect, since a request may first have to wait for a connection.
    let patience = engine.timing.connect + engine.timing.stall;
    match timeout(patience, sent.send()).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(connection_error(url, &error, engine.timing.connect)),
        Err(_) => Err(timeout_error(
            url,
            &format!(
                "the server did not respond within {}",
                format_seconds(patience)
            ),
        )
        .into()),
    }
}

/// A response whose body has not been read.
struct OpenAnswer<'u> {
    url: &'u Url,
    response: reqwest::Response,
    /// Ends when the body was read, or is not wanted.
    logged: ActiveRequest,
}

/// Turns a response that is not a redirect into the outcome.
async fn read_response(
    engine: &HttpEngine,
    request: &HttpRequest,
    answer: OpenAnswer<'_>,
    reporter: &dyn EventReporter,
) -> Result<HttpOutcome, AttemptError> {
    let OpenAnswer {
        url,
        response,
        logged,
    } = answer;
    match response.status() {
        StatusCode::OK => {}
        // A 304 without a condition in the request is an error.
        StatusCode::NOT_MODIFIED if request.is_conditional() => {
            return Ok(HttpOutcome::NotModified);
        }
        status @ (StatusCode::NOT_FOUND
        | StatusCode::GONE
        | StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS) => {
            return Ok(HttpOutcome::Missing(status.as_u16()));
        }
        status => {
            return Err(status_error(
                url,
                status,
                response.headers(),
                &engine.timing,
            ));
        }
    }
    check_framing(url, &response)?;

    // Before the body is read, which takes the response.
    let (etag, last_modified) = (
        header_text(response.headers(), &header::ETAG),
        header_text(response.headers(), &header::LAST_MODIFIED),
    );
    let body = BodyReader {
        url,
        limit: request.limit,
        allowance: request.allowance.as_deref(),
        timing: &engine.timing,
        reporter,
        logged,
    };
    let bytes = body.read(response).await?;

    if let Some(expected) = request.sha256 {
        check_digest(url, &bytes, expected)?;
    }

    Ok(HttpOutcome::Fresh(HttpResponse {
        bytes,
        etag,
        last_modified,
        final_url: url.to_string(),
    }))
}

/// Reads the reason of a refused API call.
async fn read_refusal(
    engine: &HttpEngine,
    request: &HttpRequest,
    answer: OpenAnswer<'_>,
    reporter: &dyn EventReporter,
) -> Result<HttpOutcome, AttemptError> {
    let OpenAnswer {
        url,
        response,
        logged,
    } = answer;
    let status = response.status().as_u16();
    let body = BodyReader {
        url,
        limit: REFUSAL_MAX,
        allowance: request.allowance.as_deref(),
        timing: &engine.timing,
        reporter,
        logged,
    };

    // The status counts even where the reason cannot be read, such as a web page of a proxy.
    let bytes = body.read(response).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let reason: String = line
        .filter(|line| !line.starts_with(['<', '{']))
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_control())
        .take(REASON_MAX)
        .collect();
    Ok(HttpOutcome::Refused(status, reason))
}

/// The error for an API that redirects to another server, which could answer in its name.
fn foreign_redirect_error(from: &str, to: &Url) -> Error {
    Error::network(format!(
        "refusing to follow the redirect from `{}` to `{}`",
        redact_url(from),
        redact_url(to.as_str())
    ))
    .cause("an API may not redirect to another server")
}

/// Refuses a response whose headers do not agree on where its body ends.
fn check_framing(url: &Url, response: &reqwest::Response) -> Result<(), AttemptError> {
    let head = response.headers();
    // Two framings for one body: a proxy on the way may have used the other (request smuggling).
    if response.version() < Version::HTTP_2
        && head.contains_key(header::TRANSFER_ENCODING)
        && head.contains_key(header::CONTENT_LENGTH)
    {
        return Err(request_error(
            url,
            "the response has both `Transfer-Encoding` and `Content-Length`",
        )
        .into());
    }

    if is_partial(head) {
        let error = request_error(
            url,
            "the response is only a part of the file, with the status of a complete one",
        );
        // Another cache on the way may have all of it.
        return Err(AttemptError {
            error,
            retry: RetryHint::Soon,
        });
    }
    Ok(())
}

/// Whether a response with status 200 says that it is partial, as broken caches send it.
fn is_partial(headers: &HeaderMap) -> bool {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let whole = header_text(headers, &header::CONTENT_RANGE)
        .and_then(|range| number(range.rsplit_once('/')?.1));
    let sent = header_text(headers, &header::CONTENT_LENGTH).and_then(|length| number(&length));

    matches!((whole, sent), (Some(whole), Some(sent)) if whole != sent)
}

/// The error for a status that is neither a success nor a redirect.
fn status_error(
    url: &Url,
    status: StatusCode,
    headers: &HeaderMap,
    timing: &HttpTiming,
) -> AttemptError {
    let error = request_error(url, &format!("the server responded with {status}"));
    match timing.retry.hint(status, headers) {
        RetryHint::TooLate(wait) => error
            .cause(format!("it asks to wait for {}", format_seconds(wait)))
            .help("try again later")
            .into(),
        retry => AttemptError { error, retry },
    }
}

fn check_digest(url: &Url, bytes: &[u8], expected: Sha256Digest) -> Result<()> {
    let found = Sha256Digest::hash_bytes(bytes);
    // Of the bytes as they came: nothing has parsed or unpacked them yet.
    if found == expected {
        return Ok(());
    }
    Err(Error::integrity(format!(
        "failed to verify the checksum of `{}`",
        redact_url(url.as_str())
    ))
    .note(format!("expected sha256:{expected}"))
    .note(format!("computed sha256:{found}"))
    .help("nothing was installed; report this to the maintainer of the server"))
}

/// Reads a body within its limits.
struct BodyReader<'a> {
    url: &'a Url,
    limit: u64,
    allowance: Option<&'a ByteAllowance>,
    timing: &'a HttpTiming,
    reporter: &'a dyn EventReporter,
    logged: ActiveRequest,
}

impl BodyReader<'_> {
    /// Reads the body while it is fast enough and within its limit.
    async fn read(mut self, mut response: reqwest::Response) -> Result<Vec<u8>, AttemptError> {
        let declared = response.content_length().unwrap_or(0);
        // A declared size is checked before a byte is read, an undeclared one as bytes come.
        self.check_size(declared)?;

        let mut bytes = Vec::with_capacity(usize::try_from(declared.min(RESERVE_MAX)).unwrap_or(0));
        // A pace instead of a deadline: a large file may take long, a stalled one may not.
        let mut rate = TransferRate::new(self.timing.stall);

        loop {
            let before = bytes.len() as u64;
            match timeout(rate.time_left(), response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    self.check_size(before + chunk.len() as u64)?;
                    self.check_allowance(chunk.len() as u64)?;
                    bytes.extend_from_slice(&chunk);
                    self.logged.received(chunk.len() as u64);
                    self.reporter.report(ProgressEvent::Received {
                        bytes: chunk.len() as u64,
                    });
                }
                Ok(Ok(None)) => return Ok(bytes),
                Ok(Err(error)) => {
                    return Err(connection_error(self.url, &error, self.timing.connect));
                }
                // The window is over; the rate is checked below.
                Err(_) => {}
            }

            if !rate.is_fast_enough(bytes.len() as u64 - before) {
                let why =
                    format!("the server sent less than {BYTES_PER_SECOND_MIN} bytes a second");
                return Err(timeout_error(self.url, &why).into());
            }
        }
    }

    fn check_size(&self, size: u64) -> Result<()> {
        if size <= self.limit {
            return Ok(());
        }
        Err(request_error(
            self.url,
            &format!("it is larger than the limit of {} bytes", self.limit),
        ))
    }

    fn check_allowance(&self, bytes: u64) -> Result<()> {
        let taken = self
            .allowance
            .map_or(Ok(()), |allowance| allowance.take_for_answer(bytes));
        taken.map_err(|why| request_error(self.url, &why))
    }
}

/// The transfer rate of a body, measured per window.
struct TransferRate {
    window: Duration,
    since: Instant,
    bytes: u64,
}

impl TransferRate {
    fn new(window: Duration) -> Self {
        TransferRate {
            window,
            since: Instant::now(),
            bytes: 0,
        }
    }

    /// The time that is left of the window.
    fn time_left(&self) -> Duration {
        self.window.saturating_sub(self.since.elapsed())
    }

    /// Counts bytes, and checks at the end of each window whether there were enough.
    fn is_fast_enough(&mut self, bytes: u64) -> bool {
        self.bytes += bytes;
        if !self.time_left().is_zero() {
            return true;
        }

        // One byte at least, or a short window would be satisfied with silence.
        let due = u128::from(BYTES_PER_SECOND_MIN) * self.window.as_millis() / 1000;
        let enough = u128::from(self.bytes) >= due.max(1);
        *self = TransferRate::new(self.window);
        enough
    }
}

/// The error for a connection that failed or was interrupted.
fn connection_error(url: &Url, error: &reqwest::Error, connect: Duration) -> AttemptError {
    // Before the general cases: a failed TLS handshake is also a connection error.
    if let Some(tls) = TlsFault::find(error) {
        return tls.explain(request_error(url, &tls.cause())).into();
    }
    if let Some(out) = find_cause::<OutOfReach>(error) {
        return request_error(url, &out.to_string()).into();
    }

    let host = host_name(url);
    let refused = find_cause::<io::Error>(error)
        .is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    // Only what may recover within seconds is retried.
    let (why, again) = if error.is_dns() {
        (format!("failed to resolve host `{host}`"), RetryHint::Never)
    } else if refused {
        (
            format!("connection refused by `{host}` or its proxy"),
            RetryHint::Never,
        )
    } else if error.is_timeout() {
        (
            format!(
                "connecting to `{host}` timed out after {}",
                format_seconds(connect)
            ),
            RetryHint::Never,
        )
    } else {
        (root_cause(error).to_string(), RetryHint::Soon)
    };

    let error = request_error(url, &why).help(
        "check the network and the proxy settings, or use `--offline` if everything is cached",
    );
    AttemptError {
        error,
        retry: again,
    }
}

fn request_error(url: &Url, why: &str) -> Error {
    Error::network(format!("failed to fetch `{}`", redact_url(url.as_str()))).cause(why)
}

fn timeout_error(url: &Url, why: &str) -> Error {
    request_error(url, why).help("try again later")
}

fn host_name(url: &Url) -> &str {
    url.host_str().unwrap_or("the host")
}

fn format_seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64().round())
}

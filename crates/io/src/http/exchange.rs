//! One request from its first attempt to its answer.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use reqwest::header::{self, HeaderMap, HeaderName};
use reqwest::{StatusCode, Version};
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use super::reach::{self, OutOfReach, Reach};
use super::{Allowance, Cover, Encoding, Engine, Http, Login, Outcome, Request, Response, Timing, redacted};
use crate::error::{Error, Kind, Result};
use crate::package::{Secret, Sha256};
use crate::report::{Event, Reporter};

const REDIRECTS_MAX: usize = 5;
/// Attempts after the first.
const RETRIES: usize = 3;
/// Slowest pace of a body, in bytes a second.
const PACE_MIN: u64 = 10;
/// Most memory that is taken for a body on the word of its server.
const RESERVE_MAX: u64 = 1 << 20;

/// Why an attempt failed, and whether another may do better.
struct Fault {
    error: Error,
    again: Again,
}

enum Again {
    No,
    Soon,
    /// The server said when.
    After(Duration),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault { error, again: Again::No }
    }
}

impl Http {
    /// Refuses a URL that may not be asked, before anything is opened.
    pub(super) fn check(&self, text: &str) -> Result<Url> {
        let refused = |why: &str| Error::usage(format!("`{}` is not a URL that can be asked: {why}", redacted(text)));
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(refused("it holds a blank, a control character or a backslash"));
        }
        let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(refused(&format!("its scheme is `{}`", url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("it carries a user or password"));
        }
        let authority = text.split("//").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
        if !authority.is_ascii() {
            return Err(
                refused("its host is not written in ASCII").help(format!("as such it is `{}`", shown_host(&url)))
            );
        }
        if matches!(url.host(), Some(Host::Ipv4(ip)) if !authority.starts_with(&ip.to_string())) {
            return Err(refused("its host is an address in an unusual form"));
        }
        self.check_rules(&url)?;
        Ok(url)
    }

    /// The rules that hold for redirects too.
    fn check_rules(&self, url: &Url) -> Result<()> {
        let shown = || redacted(url.as_str());
        if self.options.offline {
            return Err(Error::network(format!("`{}` was not asked for, because of `--offline`", shown()))
                .help("run it again without `--offline`"));
        }
        if reach::is_never_a_host(url) {
            return Err(Error::network(format!(
                "`{}` was not asked for: no package is served at such an address",
                shown()
            )));
        }
        if url.scheme() == "http" && !self.options.allow_http && !reach::is_loopback_host(url) {
            return Err(Error::network(format!("`{}` was not asked for, because `http` is not encrypted", shown()))
                .help("use its `https` form, or allow it with `--config net.allow-http=true`"));
        }
        Ok(())
    }

    /// Asks until there is an answer or no hope for one.
    ///
    /// A file that is not the promised one is asked for once more, past every cache on the way, since one of those may have
    /// kept what was damaged.
    pub(super) async fn answer(
        &self,
        engine: &Engine,
        request: &Request,
        url: Url,
        reporter: &dyn Reporter,
    ) -> Result<Outcome> {
        let answer = self.insist(engine, request, &url, reporter).await;
        let wrong = match answer {
            Err(error) if error.kind() == Kind::Integrity => error,
            answer => return answer,
        };
        let anew = Request { etag: None, last_modified: None, past_caches: true, ..request.clone() };
        match self.insist(engine, &anew, &url, reporter).await {
            Ok(Outcome::Fresh(response)) => Ok(Outcome::Fresh(response)),
            Err(error) if error.kind() == Kind::Integrity => {
                Err(error.note("it was asked for twice, the second time past all caches"))
            }
            Ok(_) | Err(_) => Err(wrong),
        }
    }

    async fn insist(&self, engine: &Engine, request: &Request, url: &Url, reporter: &dyn Reporter) -> Result<Outcome> {
        let timing = engine.timing;
        let attempt = || async {
            match timeout(timing.total, self.attempt(engine, request, url, reporter)).await {
                Ok(result) => result,
                Err(_) => Err(timed_out(url, &format!("it was not done after {}", in_seconds(timing.total))).into()),
            }
        };
        let backoff = ExponentialBuilder::default()
            .with_min_delay(timing.backoff)
            .with_max_delay(timing.retry_after)
            .with_max_times(RETRIES)
            .with_jitter();
        attempt
            .retry(backoff)
            .when(|fault: &Fault| !matches!(fault.again, Again::No))
            .adjust(|fault, delay| match fault.again {
                Again::After(asked) => delay.map(|delay| delay.max(asked)),
                _ => delay,
            })
            .await
            .map_err(|fault| match fault.again {
                Again::No => fault.error,
                _ => fault.error.note(format!("asked {} times", RETRIES + 1)),
            })
    }

    /// One attempt, with its redirects.
    async fn attempt(
        &self,
        engine: &Engine,
        request: &Request,
        url: &Url,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Fault> {
        let mut url = url.clone();
        let mut reach = Reach::Anywhere;
        if let Some(server) = &request.named_by {
            reach = Reach::of_server(server).await;
            check_reach(reach, server, &url)?;
        }
        if reach::is_loopback_host(&url) {
            reach = Reach::Loopback;
        }
        let mut token = request.authorization.as_ref();
        for _ in 0..=REDIRECTS_MAX {
            let response = send(engine, (request, token), &url, reach).await?;
            if matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                return Err(self.unwelcome(&url, response.status(), token.is_some()).into());
            }
            if !is_redirect(response.status()) {
                return finish(engine, request, &url, response, reporter).await;
            }
            let origin = url.origin();
            // Once it was an outside server that chose the way, it stays so.
            let next = if reach == Reach::Public { reach } else { Reach::from_peer(response.remote_addr()) };
            url = self.follow(&url, response.headers(), next)?;
            reach = if reach::is_loopback_host(&url) { Reach::Loopback } else { next };
            token = token.filter(|_| url.origin() == origin);
        }
        Err(failed(&url, &format!("it was redirected more than {REDIRECTS_MAX} times")).into())
    }

    /// The error for a server that does not answer to whoever we are to it.
    fn unwelcome(&self, url: &Url, status: StatusCode, has_token: bool) -> Error {
        let said = failed(url, &format!("its server answered {status}"));
        let said =
            if has_token { said.note("the token that is kept for it was sent, and does not open it") } else { said };
        let of_this = |login: &&Login| Url::parse(&login.url).is_ok_and(|base| base.origin() == url.origin());
        // Of several registries on one server, the one that this is of.
        let login = self.options.logins.iter().filter(of_this).max_by_key(|login| {
            let is_below = url.as_str().starts_with(&login.url);
            (is_below, if is_below { login.url.len() } else { 0 })
        });
        match login {
            Some(login) => {
                let said = login.withheld.iter().fold(said, |said, why| said.note(why.clone()));
                said.help(format!("`skillpm login --registry {}` keeps a token for it", login.name))
            }
            None => said.help(format!("`{}` may want to know who asks, and no registry is there", shown_host(url))),
        }
    }

    /// Where a redirect leads to, if it may.
    fn follow(&self, from: &Url, headers: &HeaderMap, reach: Reach) -> Result<Url> {
        let refused = |to: &str, why: &str| {
            Error::network(format!("`{}` leads to `{}`", redacted(from.as_str()), redacted(to))).cause(why)
        };
        let Some(location) = text(headers, &header::LOCATION) else {
            return Err(failed(from, "it is a redirect that leads nowhere"));
        };
        let to = from.join(&location).map_err(|error| refused(&location, &error.to_string()))?;
        if !matches!(to.scheme(), "https" | "http") {
            return Err(refused(to.as_str(), &format!("scheme `{}` is not followed", to.scheme())));
        }
        if from.scheme() == "https" && to.scheme() == "http" {
            return Err(refused(to.as_str(), "a redirect may not give up encryption"));
        }
        if !to.username().is_empty() || to.password().is_some() {
            return Err(refused(to.as_str(), "it carries a user or password"));
        }
        if !reach.covers_host(&to) {
            return Err(refused(to.as_str(), "a server may not send us to an address inside our network"));
        }
        self.check_rules(&to)?;
        Ok(to)
    }
}

/// Refuses a URL that the server at another may not choose.
fn check_reach(reach: Reach, server: &str, url: &Url) -> Result<()> {
    if reach.covers_host(url) {
        return Ok(());
    }
    Err(Error::network(format!("`{}` was not asked for", redacted(url.as_str()))).cause(format!(
        "`{}` named it, and a server may not send us to an address inside our network",
        redacted(server)
    )))
}

/// Refuses to send a token where others could read it.
pub(super) fn check_token(request: &Request, url: Url) -> Result<Url> {
    if request.authorization.is_none() || url.scheme() == "https" || reach::is_loopback_host(&url) {
        return Ok(url);
    }
    Err(Error::network(format!("`{}` was not asked for: a token is never sent unencrypted", redacted(url.as_str())))
        .help("use its `https` form"))
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Sends the request and waits for the head of the answer.
async fn send(
    engine: &Engine,
    (request, token): (&Request, Option<&Secret>),
    url: &Url,
    reach: Reach,
) -> Result<reqwest::Response, Fault> {
    let encoding = if request.sha256.is_some() { Encoding::AsIs } else { Encoding::Gzip };
    let mut sent = engine.client(reach, encoding, Cover::of(url))?.get(url.clone());
    if let Some(etag) = &request.etag {
        sent = sent.header(header::IF_NONE_MATCH, etag);
    }
    if let Some(time) = &request.last_modified {
        sent = sent.header(header::IF_MODIFIED_SINCE, time);
    }
    if request.past_caches {
        // The second is for caches that only know HTTP/1.0.
        sent = sent.header(header::CACHE_CONTROL, "no-cache").header(header::PRAGMA, "no-cache");
    }
    if let Some(token) = token {
        // It is marked as one not to be shown, and kept out of HTTP/2's tables.
        sent = sent.bearer_auth(token.reveal());
    }
    // The time to connect is in it, since a request may first have to wait for a connection.
    let patience = engine.timing.connect + engine.timing.stall;
    match timeout(patience, sent.send()).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(broken(url, &error, engine.timing.connect)),
        Err(_) => Err(timed_out(url, &format!("it did not answer within {}", in_seconds(patience))).into()),
    }
}

/// Turns an answer that is no redirect into the outcome.
async fn finish(
    engine: &Engine,
    request: &Request,
    url: &Url,
    response: reqwest::Response,
    reporter: &dyn Reporter,
) -> Result<Outcome, Fault> {
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED if request.is_conditional() => return Ok(Outcome::NotModified),
        status @ (StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS) => {
            return Ok(Outcome::Missing(status.as_u16()));
        }
        status => return Err(refusal(url, status, response.headers(), &engine.timing)),
    }
    let head = response.headers();
    // Two framings for one body: a proxy on the way may have believed the other.
    if response.version() < Version::HTTP_2
        && head.contains_key(header::TRANSFER_ENCODING)
        && head.contains_key(header::CONTENT_LENGTH)
    {
        return Err(failed(url, "its answer says its length in two ways").into());
    }
    if is_a_part(head) {
        let error = failed(url, "its answer is a part of the file, passed off as the whole");
        return Err(Fault { error, again: Again::Soon });
    }
    let (etag, last_modified) = (text(head, &header::ETAG), text(head, &header::LAST_MODIFIED));
    let allowance = request.allowance.as_deref();
    let body = Body { url, limit: request.limit, allowance, timing: &engine.timing, reporter };
    let bytes = body.read(response).await?;
    if let Some(expected) = request.sha256 {
        check_digest(url, &bytes, expected)?;
    }
    Ok(Outcome::Fresh(Response { bytes, etag, last_modified, final_url: url.to_string() }))
}

/// Whether an answer that should be whole says that it is a part, as a cache makes it that forgot what it was asked.
fn is_a_part(headers: &HeaderMap) -> bool {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let whole = text(headers, &header::CONTENT_RANGE).and_then(|range| number(range.rsplit_once('/')?.1));
    let sent = text(headers, &header::CONTENT_LENGTH).and_then(|length| number(&length));
    matches!((whole, sent), (Some(whole), Some(sent)) if whole != sent)
}

/// What a status means that is neither an answer nor a redirect.
fn refusal(url: &Url, status: StatusCode, headers: &HeaderMap, timing: &Timing) -> Fault {
    let said = failed(url, &format!("its server answered {status}"));
    match status.as_u16() {
        429 | 500..=599 => {}
        _ => return said.into(),
    }
    match wait_asked_for(headers) {
        Some(wait) if wait > timing.retry_after => {
            said.cause(format!("it asks to wait for {}", in_seconds(wait))).help("try again later").into()
        }
        Some(wait) => Fault { error: said, again: Again::After(wait) },
        None => Fault { error: said, again: Again::Soon },
    }
}

/// What `Retry-After` says. A time counts from the answer's own `Date`, so that no clock of ours is needed.
fn wait_asked_for(headers: &HeaderMap) -> Option<Duration> {
    let value = text(headers, &header::RETRY_AFTER)?;
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let time = |text: &str| jiff::fmt::rfc2822::parse(text).ok().map(|time| time.timestamp());
    let wait = time(&value)?.duration_since(time(&text(headers, &header::DATE)?)?);
    Some(Duration::try_from(wait).unwrap_or_default())
}

fn check_digest(url: &Url, bytes: &[u8], expected: Sha256) -> Result<()> {
    let found = Sha256::of(bytes);
    if found == expected {
        return Ok(());
    }
    Err(Error::integrity(format!("`{}` is not the file that was promised", redacted(url.as_str())))
        .note(format!("promised sha256:{expected}"))
        .note(format!("fetched  sha256:{found}"))
        .help("nothing was installed; tell whoever serves it"))
}

/// How a body is to be read.
struct Body<'a> {
    url: &'a Url,
    limit: u64,
    allowance: Option<&'a Allowance>,
    timing: &'a Timing,
    reporter: &'a dyn Reporter,
}

impl Body<'_> {
    /// Reads the body as long as it keeps its pace and stays within its limit.
    async fn read(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Fault> {
        let promised = response.content_length().unwrap_or(0);
        self.check_size(promised)?;
        let mut bytes = Vec::with_capacity(usize::try_from(promised.min(RESERVE_MAX)).unwrap_or(0));
        let mut pace = Pace::new(self.timing.stall);
        loop {
            let before = bytes.len() as u64;
            match timeout(pace.left(), response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    self.check_size(before + chunk.len() as u64)?;
                    self.check_allowance(chunk.len() as u64)?;
                    bytes.extend_from_slice(&chunk);
                    self.reporter.report(Event::Received { bytes: chunk.len() as u64 });
                }
                Ok(Ok(None)) => return Ok(bytes),
                Ok(Err(error)) => return Err(broken(self.url, &error, self.timing.connect)),
                // The window is over; whether that is too slow is decided below.
                Err(_) => {}
            }
            if !pace.keeps_with(bytes.len() as u64 - before) {
                let why = format!("it sends less than {PACE_MIN} bytes a second");
                return Err(timed_out(self.url, &why).into());
            }
        }
    }

    fn check_size(&self, size: u64) -> Result<()> {
        if size <= self.limit {
            return Ok(());
        }
        Err(failed(self.url, &format!("it is larger than the limit of {} bytes", self.limit)))
    }

    fn check_allowance(&self, bytes: u64) -> Result<()> {
        let Some(Err(limit)) = self.allowance.map(|allowance| allowance.take(bytes)) else { return Ok(()) };
        let why = "it and what was asked for with it are together larger than the limit of";
        Err(failed(self.url, &format!("{why} {limit} bytes")))
    }
}

/// How fast a body comes in, over one window after the other.
struct Pace {
    window: Duration,
    since: Instant,
    bytes: u64,
}

impl Pace {
    fn new(window: Duration) -> Self {
        Pace { window, since: Instant::now(), bytes: 0 }
    }

    /// What is left of the window.
    fn left(&self) -> Duration {
        self.window.saturating_sub(self.since.elapsed())
    }

    /// Counts bytes, and says at the end of each window whether there were enough.
    fn keeps_with(&mut self, bytes: u64) -> bool {
        self.bytes += bytes;
        if !self.left().is_zero() {
            return true;
        }
        let due = u128::from(PACE_MIN) * self.window.as_millis() / 1000;
        let enough = u128::from(self.bytes) >= due.max(1);
        *self = Pace::new(self.window);
        enough
    }
}

/// The fault of a connection that did not stand or did not hold.
fn broken(url: &Url, error: &reqwest::Error, connect: Duration) -> Fault {
    if let Some(tls) = find::<rustls::Error>(error) {
        return failed(url, &tls.to_string())
            .help("if its certificate is of an authority of your own, name that with `--ca-file FILE`")
            .into();
    }
    if let Some(out) = find::<OutOfReach>(error) {
        return failed(url, &out.to_string()).into();
    }
    let host = shown_host(url);
    let refused = find::<io::Error>(error).is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    let (why, again) = if error.is_dns() {
        (format!("the name `{host}` was not found"), Again::No)
    } else if refused {
        (format!("the connection to `{host}`, or to its proxy, was refused"), Again::No)
    } else if error.is_timeout() {
        (format!("no connection to `{host}` within {}", in_seconds(connect)), Again::No)
    } else {
        (deepest(error).to_string(), Again::Soon)
    };
    let error =
        failed(url, &why).help("check the network and the proxy settings; with all in the store, `--offline` works");
    Fault { error, again }
}

/// The first cause of type `T`. An [`io::Error`] does not name what it wraps as its source, so it is opened.
fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = inner(error);
    }
    None
}

fn deepest<'a>(mut error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    while let Some(next) = inner(error) {
        error = next;
    }
    error
}

fn inner<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

fn failed(url: &Url, why: &str) -> Error {
    Error::network(format!("could not get `{}`", redacted(url.as_str()))).cause(why)
}

fn timed_out(url: &Url, why: &str) -> Error {
    failed(url, why).help("try again later")
}

fn shown_host(url: &Url) -> &str {
    url.host_str().unwrap_or("the host")
}

fn in_seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64().round())
}

/// A header's value; `None` if it is not there, or not text.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

//! HTTP for gix: its [`Http`] trait over one reqwest client.
//!
//! gix brings a backend of its own, but one that makes a client (a thread, a TLS set-up, the system's certificates) for
//! every repository, follows fifty redirects, knows neither proxy nor certificate settings, and asks every host what
//! it is able to do before each question. This one shares a client among all repositories, decides itself about
//! redirects and secrets, notes what went wrong in words that gix's errors have no room for, and can answer gix's first
//! question from memory, which halves the requests that a lockfile needs.

use std::any::Any;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gix::protocol::transport::client::blocking_io::http::{GetResponse, Http, PostBodyDataKind, PostResponse};
use reqwest::blocking::{Client, Response};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Method, StatusCode};

use super::reach;

/// Most redirects of the first question; no other is ever redirected.
const REDIRECTS_MAX: usize = 5;
/// Most tries of a request that a host is too busy to answer.
const TRIES_MAX: u32 = 3;
/// Longest a host can make us wait before the next try.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of an answer with objects, which goes to the disk as it comes.
const ANSWER_MAX: u64 = 2 << 30;
/// Most bytes of any other answer: what a host is able to do, and its references, which are held in memory. Some two
/// hundred thousand of them.
const LIST_MAX: u64 = 16 << 20;
/// Fewer bytes than this in the time that a host may be silent is no answer.
const SLOW_BYTES: u64 = 300;
/// How long a host may be silent. Cargo waits as long (`http.timeout`), and git's own server says something every five
/// seconds while it counts objects (`uploadpack.keepAlive`).
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(30);

/// What went wrong with a request, where it was no question of git.
#[derive(Debug, Clone)]
pub(super) enum Trouble {
    /// No connection came about.
    Unreachable(Vec<String>),
    /// The host stopped answering.
    Broken(Vec<String>),
    /// The host said nothing, or next to nothing, for this long. It is not asked again: it would cost as long once more.
    Stalled(Duration),
    /// The host answered with this status.
    Status { status: u16, url: String, challenges: Vec<String> },
    /// The answer leads to where we do not go.
    Redirect(String),
    /// The host sends without end.
    TooLarge,
}

/// A user and what proves it. Has no `Debug`, so that no message can show it.
#[derive(Clone)]
pub(super) struct Secret {
    /// The only origin that may see it.
    pub origin: String,
    pub user: String,
    pub password: String,
}

/// What is known about one host across the connections to it.
#[derive(Default)]
pub(super) struct State {
    /// What the host is able to do, as it told before or as most do; given to gix instead of asking.
    pub abilities: Option<Vec<String>>,
    /// The credentials, once the host has asked for some.
    pub secret: Option<Secret>,
    /// The base that the host redirected the first question to.
    redirected: Option<String>,
    /// The latest trouble, until it is taken.
    pub trouble: Option<Trouble>,
}

impl State {
    /// A host of which this is thought to be true until it proves wrong.
    pub(super) fn guessing(abilities: Vec<String>) -> State {
        State { abilities: Some(abilities), ..State::default() }
    }
}

/// The HTTP side of one connection.
pub(super) struct Wire {
    pub client: Client,
    pub state: Arc<Mutex<State>>,
    pub received: Arc<AtomicU64>,
    /// How long the host may be silent.
    pub silence: Duration,
}

impl Wire {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Nothing that is kept in a [`State`] can be left half-changed by a panic.
pub(super) fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Http for Wire {
    type Headers = Answer;
    type ResponseBody = Answer;
    type PostBody = Question;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<Answer, Answer>> {
        let request = Request::new(self, Method::GET, url, headers);
        let exchange = match &self.state().abilities {
            Some(abilities) => Exchange::Done(Some(from_memory(abilities))),
            None => Exchange::Waiting(request),
        };
        let exchange = Arc::new(Mutex::new(exchange));
        // Answered now and not on first reading, because gix asks for the redirect next.
        let reply = open(&exchange).map_err(gix::Error::from_error)?;
        self.settle_redirect(&reply.url, base_url, url)?;
        *exchange.lock().unwrap_or_else(PoisonError::into_inner) = Exchange::Done(Some(reply));
        Ok(GetResponse { headers: Answer::headers(&exchange), body: Answer::body(&exchange) })
    }

    fn post(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        _body: PostBodyDataKind,
    ) -> gix::Result<PostResponse<Answer, Answer, Question>> {
        let request = Request::new(self, Method::POST, url, headers);
        let exchange = Arc::new(Mutex::new(Exchange::Waiting(request)));
        Ok(PostResponse {
            post_body: Question(exchange.clone()),
            headers: Answer::headers(&exchange),
            body: Answer::body(&exchange),
        })
    }

    fn configure(&mut self, _config: &dyn Any) -> gix::Result<()> {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        self.state().redirected.clone()
    }
}

impl Wire {
    /// Notes where the repository really is, if the first question was redirected.
    fn settle_redirect(&self, answered: &str, base_url: &str, url: &str) -> gix::Result<()> {
        let tail = url.strip_prefix(base_url).unwrap_or(url);
        if answered == url || answered.is_empty() {
            return Ok(());
        }
        match answered.strip_suffix(tail) {
            Some(base) => self.state().redirected = Some(base.to_owned()),
            None => {
                let trouble = Trouble::Redirect(format!("the host answers with a page elsewhere, `{answered}`"));
                return Err(gix::Error::from_error(fail(&self.state, trouble)));
            }
        }
        Ok(())
    }
}

/// The answer to "what are you able to do?", made from what is known already.
fn from_memory(abilities: &[String]) -> Reply {
    let mut body = String::new();
    for line in std::iter::once("version 2").chain(abilities.iter().map(String::as_str)) {
        body.push_str(&format!("{:04x}{line}\n", line.len() + 5));
    }
    body.push_str("0000");
    Reply {
        url: String::new(),
        headers: "content-type: application/x-git-upload-pack-advertisement\n".into(),
        body: Box::new(Cursor::new(body.into_bytes())),
    }
}

/// A request and then its answer; the two ends that gix is given share it.
pub(super) enum Exchange {
    Waiting(Request),
    Done(Option<Reply>),
}

pub(super) struct Request {
    client: Client,
    state: Arc<Mutex<State>>,
    received: Arc<AtomicU64>,
    silence: Duration,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

pub(super) struct Reply {
    url: String,
    headers: String,
    body: Box<dyn Read + Send>,
}

/// Sends the request if that was not done yet, and takes the answer.
fn open(exchange: &Mutex<Exchange>) -> io::Result<Reply> {
    let mut exchange = exchange.lock().unwrap_or_else(PoisonError::into_inner);
    match std::mem::replace(&mut *exchange, Exchange::Done(None)) {
        Exchange::Done(reply) => reply.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
        Exchange::Waiting(request) => request.send(),
    }
}

/// The end that gix writes the question to.
pub(super) struct Question(Arc<Mutex<Exchange>>);

impl Write for Question {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Exchange::Waiting(request) => request.body.write(bytes),
            Exchange::Done(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The ends that gix reads the answer from: first the headers, as lines, then the body. Whoever reads first sends.
pub(super) struct Answer {
    exchange: Arc<Mutex<Exchange>>,
    wants_headers: bool,
    open: Option<BufReader<Box<dyn Read + Send>>>,
}

impl Answer {
    fn headers(exchange: &Arc<Mutex<Exchange>>) -> Answer {
        Answer { exchange: exchange.clone(), wants_headers: true, open: None }
    }

    fn body(exchange: &Arc<Mutex<Exchange>>) -> Answer {
        Answer { exchange: exchange.clone(), wants_headers: false, open: None }
    }

    fn reader(&mut self) -> io::Result<&mut BufReader<Box<dyn Read + Send>>> {
        if self.open.is_none() {
            let mut reply = open(&self.exchange)?;
            let reader: Box<dyn Read + Send> = if self.wants_headers {
                let headers = std::mem::take(&mut reply.headers);
                *self.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Exchange::Done(Some(reply));
                Box::new(Cursor::new(headers.into_bytes()))
            } else {
                reply.body
            };
            self.open = Some(BufReader::with_capacity(64 << 10, reader));
        }
        Ok(self.open.as_mut().expect("it was opened above"))
    }
}

impl Read for Answer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader()?.read(buffer)
    }
}

impl BufRead for Answer {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader()?.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Some(open) = &mut self.open {
            open.consume(amount);
        }
    }
}

impl Request {
    fn new(wire: &Wire, method: Method, url: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) -> Request {
        let mut headers = HeaderMap::new();
        for line in lines {
            let Some((name, value)) = line.as_ref().split_once(':') else { continue };
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value.trim())) {
                headers.insert(name, value);
            }
        }
        Request {
            client: wire.client.clone(),
            state: wire.state.clone(),
            received: wire.received.clone(),
            silence: wire.silence,
            method,
            url: url.to_owned(),
            headers,
            body: Vec::new(),
        }
    }

    fn send(self) -> io::Result<Reply> {
        let mut url = self.url.clone();
        for _ in 0..=REDIRECTS_MAX {
            let response = self.send_to(&url)?;
            if !response.status().is_redirection() || self.method != Method::GET {
                return self.reply(response);
            }
            url = self.next_url(&response)?;
        }
        Err(fail(&self.state, Trouble::Redirect(format!("more than {REDIRECTS_MAX} redirects"))))
    }

    /// Sends once, and again after a while if the host is merely busy.
    fn send_to(&self, url: &str) -> io::Result<Response> {
        let mut tries = 1;
        loop {
            let mut request = self.client.request(self.method.clone(), url).headers(self.headers.clone());
            if let Some(secret) = self.secret_for(url) {
                request = request.basic_auth(secret.user, Some(secret.password));
            }
            if self.method == Method::POST {
                request = request.body(self.body.clone());
            }
            match request.send() {
                Ok(response) if is_busy(response.status()) && tries < TRIES_MAX => {
                    std::thread::sleep(pause(tries, response.headers()));
                }
                Ok(response) => return Ok(response),
                Err(error) if error.is_request() && !error.is_connect() && !error.is_timeout() && tries < TRIES_MAX => {
                    std::thread::sleep(pause(tries, &HeaderMap::new()));
                }
                Err(error) if error.is_timeout() && !error.is_connect() => {
                    return Err(fail(&self.state, Trouble::Stalled(self.silence)));
                }
                Err(error) => return Err(fail(&self.state, no_answer(error))),
            }
            tries += 1;
        }
    }

    /// The credentials, if this URL is of the origin they are for.
    fn secret_for(&self, url: &str) -> Option<Secret> {
        let origin = reach::origin(url)?;
        lock(&self.state).secret.clone().filter(|secret| secret.origin == origin)
    }

    fn next_url(&self, response: &Response) -> io::Result<String> {
        let told = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let next = told.and_then(|told| response.url().join(told).ok());
        let Some(next) = next else {
            return Err(fail(&self.state, Trouble::Redirect("a redirect without a place".into())));
        };
        match reach::redirect_fault(response.url(), &next) {
            Some(fault) => Err(fail(&self.state, Trouble::Redirect(format!("it redirects to `{next}`, {fault}")))),
            None => Ok(next.into()),
        }
    }

    fn reply(self, response: Response) -> io::Result<Reply> {
        if !response.status().is_success() {
            let trouble = Trouble::Status {
                status: response.status().as_u16(),
                url: response.url().to_string(),
                challenges: challenges(response.headers()),
            };
            return Err(fail(&self.state, trouble));
        }
        let mut headers = String::new();
        for (name, value) in response.headers() {
            headers.push_str(&format!("{name}: {}\n", value.to_str().unwrap_or_default()));
        }
        let limit = if self.wants_objects() { ANSWER_MAX } else { LIST_MAX };
        Ok(Reply {
            url: response.url().to_string(),
            headers,
            body: Box::new(Watched {
                response,
                state: self.state,
                received: self.received,
                limit,
                silence: self.silence,
                total: 0,
                window: (Instant::now(), 0),
            }),
        })
    }

    /// Whether the answer is a pack: of all questions that are posted, only the one for references is not for one.
    fn wants_objects(&self) -> bool {
        const LS_REFS: &[u8] = b"command=ls-refs";
        let head = &self.body[..self.body.len().min(64)];
        self.method == Method::POST && !head.windows(LS_REFS.len()).any(|part| part == LS_REFS)
    }
}

fn is_busy(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// How long to wait before the next try: what the host says, else half a second doubled each time, never quite the same
/// so that many clients do not come back at once.
fn pause(tries: u32, headers: &HeaderMap) -> Duration {
    let told = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).and_then(|text| text.trim().parse().ok());
    let jitter = RandomState::new().hash_one(tries) % 250;
    let usual = Duration::from_millis(250 << tries) + Duration::from_millis(jitter);
    told.map_or(usual, Duration::from_secs).min(PATIENCE)
}

fn challenges(headers: &HeaderMap) -> Vec<String> {
    headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok().map(str::to_owned)).collect()
}

fn no_answer(error: reqwest::Error) -> Trouble {
    let is_connect = error.is_connect();
    let error = error.without_url();
    let mut causes = Vec::new();
    let mut next: Option<&dyn std::error::Error> = Some(&error);
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    if is_connect { Trouble::Unreachable(causes) } else { Trouble::Broken(causes) }
}

/// Notes the trouble where the caller of gix finds it, and makes the error that gix passes through.
fn fail(state: &Mutex<State>, trouble: Trouble) -> io::Error {
    lock(state).trouble = Some(trouble);
    io::Error::other("the request failed")
}

/// An answer's body: counted, bounded, and given up on when it only drips.
struct Watched {
    response: Response,
    state: Arc<Mutex<State>>,
    received: Arc<AtomicU64>,
    limit: u64,
    silence: Duration,
    total: u64,
    window: (Instant, u64),
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.response.read(buffer) {
            Ok(read) => read,
            Err(error) if is_timeout(&error) => return Err(fail(&self.state, Trouble::Stalled(self.silence))),
            Err(error) => return Err(fail(&self.state, Trouble::Broken(vec![error.to_string()]))),
        };
        let count = read as u64;
        self.received.fetch_add(count, Ordering::Relaxed);
        self.total += count;
        self.window.1 += count;
        if self.total > self.limit {
            return Err(fail(&self.state, Trouble::TooLarge));
        }
        if self.window.0.elapsed() > self.silence {
            if self.window.1 < SLOW_BYTES && count > 0 {
                return Err(fail(&self.state, Trouble::Stalled(self.silence)));
            }
            self.window = (Instant::now(), 0);
        }
        Ok(read)
    }
}

/// Whether reading a body took longer than the client waits. Reqwest wraps its own error in one of input and output.
fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<reqwest::Error>());
    error.kind() == io::ErrorKind::TimedOut || inner.is_some_and(reqwest::Error::is_timeout)
}

/// What of the user's git configuration decides how to connect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// `http.proxy`; empty for none at all, whatever the environment says.
    pub proxy: Option<String>,
    /// The content of `http.sslCAInfo`: the certificates that count, instead of the system's.
    pub authorities: Option<Vec<u8>>,
}

/// Makes a client. It starts a thread and reads the system's certificates, so there is one for all repositories.
pub(super) fn client(settings: &Settings, silence: Duration) -> Result<Client, reqwest::Error> {
    // An error says that a provider is installed already, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(Duration::from_secs(10))
        // Of reqwest's blocking client this bounds each wait, not the whole.
        .timeout(silence);
    match settings.proxy.as_deref() {
        None => {}
        Some("") => builder = builder.no_proxy(),
        Some(proxy) => {
            let proxy = reqwest::Proxy::all(proxy)?.no_proxy(reqwest::NoProxy::from_env());
            builder = builder.proxy(proxy);
        }
    }
    if let Some(pem) = &settings.authorities {
        builder = builder.tls_certs_only(reqwest::Certificate::from_pem_bundle(pem)?);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_cannot_make_us_wait_for_long() {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static("86400"));
        assert_eq!(pause(1, &headers), PATIENCE);
        headers.insert(RETRY_AFTER, HeaderValue::from_static("2"));
        assert_eq!(pause(1, &headers), Duration::from_secs(2));
        assert!(pause(1, &HeaderMap::new()) >= Duration::from_millis(500));
    }
}

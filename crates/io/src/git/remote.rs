//! Requests to a repository's host, in git's protocol version 2 if the host supports it.
//!
//! ```text
//! capabilities          → capabilities  over HTTP cached, or assumed from what nearly every host supports
//! ls-refs <prefix>…     → references
//! fetch want <commit>, depth 1, filter blob:none   → that commit and all its trees
//!   … shallow <commit>, have <commit>              → those of its trees that are not in the other commit
//!   …                 depth n                      → that commit and those before it, with all their trees
//!   …                 depth n, filter tree:0       → those commits alone
//! fetch want <tag>, depth 1, filter tree:0         → that tag and its commit
//! fetch want <id>…                                 → those blobs, or those trees with all below them
//! ```
//!
//! An assumption about a host's capabilities saves a request if it is right, and costs one if it is wrong: a request
//! that fails after an assumption is retried without it. A request that fails for lack of credentials is retried, too, and
//! so is one whose connection is cut, or closed before it begins, after a delay and up to three times.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use gix::bstr::ByteSlice;
use gix::credentials::helper::{Cascade, NextAction};
use gix::credentials::protocol::Outcome as HelperOutcome;
use gix::progress::Discard;
use gix::protocol::SendFlushOnDrop;
use gix::protocol::handshake::Ref;
use gix::protocol::transport::client::blocking_io::connect::{Options as ConnectOptions, connect};
use gix::protocol::transport::client::blocking_io::{Transport, http as gix_http};
use gix::protocol::transport::{Protocol, Service};
use gix::url::Scheme;

use super::GitShared;
use super::config;
use super::connection::{FetchBase, FetchWant, HostConnection, OBJECT_MAX, PackTarget};
use super::failure::{self, LoginOutcome};
use super::http::{self, HostState, HttpCredentials, HttpTransport, LIST_MAX, TransportError};
use super::id::CommitId;
use super::refs::RemoteRef;
use super::ssh::{self, ByteBudget, SshSettings};
use super::tls::TlsSettings;
use super::{netrc, url_policy};
use crate::disk;
use crate::http::RetryPolicy;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::GitUrl;

/// The assumed capabilities of a host that was never asked: a subset of those of any host that can filter.
const COMMON_ABILITIES: [&str; 2] = ["ls-refs", "fetch=shallow filter"];
/// Most attempts of one request besides those after an interruption: with assumed capabilities, with a token, with a login of
/// `~/.netrc`, with credentials, with real capabilities.
const TRIES_MAX: usize = 6;
/// The user name for a token: the one that GitHub documents; other hosts accept any.
const TOKEN_USER: &str = "x-access-token";

/// The outcome of a fetch.
pub(super) enum FetchOutcome {
    /// The objects were received, and are in the cache.
    Received,
    /// The host does not have or does not serve them; with its message.
    Refused(String),
    /// The repository has another hash kind than the cache.
    OtherHash(gix::hash::Kind),
}

/// The host of one repository.
pub(super) struct RemoteHost {
    url: GitUrl,
    real: gix::Url,
    shared: Arc<GitShared>,
    config: gix::Repository,
    state: Arc<Mutex<HostState>>,
    connection: Option<HostConnection>,
    login: LoginOutcome,
    pending: Option<(Cascade, NextAction)>,
    token: TokenState,
    netrc: TokenState,
    learned: Option<Vec<String>>,
    host_message: Arc<Mutex<Option<String>>>,
}

/// Whether a connection is new, or reused from an earlier request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConnectionAge {
    New,
    Reused,
}

/// The state of the stored token of the repository, or of its login in `~/.netrc`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenState {
    /// It was not looked up yet.
    Unknown,
    /// There is no token.
    None,
    /// It was sent to the host.
    Shown,
    /// It was sent, and the host rejected it.
    Refused,
}

/// What to do after a failed request.
enum RecoveryStep {
    Retry,
    /// After a delay, since the host is busy or the connection bad; with the error if there is no attempt left.
    RetryLater(Error),
    /// The host refused, with this message.
    Refused(String),
    Failed(Error),
}

impl RemoteHost {
    /// Reads the user's git configuration as it applies to `url`; nothing is sent yet.
    ///
    /// `folder` is the cache's repository; `abilities` are the cached capabilities of the host.
    pub(super) fn new(
        url: &GitUrl,
        shared: &Arc<GitShared>,
        folder: &Path,
        abilities: Option<Vec<String>>,
    ) -> Result<RemoteHost> {
        let config = config::user_config(folder, &shared.options)
            .map_err(|cause| failure::configuration_error(&cause))?;

        let real = config
            .remote_at(url.as_str())
            .map(|remote| remote.url(gix::remote::Direction::Fetch).cloned())
            .map_err(|cause| failure::configuration_error(&cause))?
            .ok_or_else(|| Error::internal("a remote made from a URL has no URL"))?;
        // After the rewrite: `insteadOf` may lead to a URL that is not encrypted.
        url_policy::check_url(url, &real, shared.options.allow_http)?;
        let abilities = abilities.unwrap_or_else(|| COMMON_ABILITIES.map(str::to_owned).to_vec());

        Ok(RemoteHost {
            url: url.clone(),
            real,
            shared: shared.clone(),
            config,
            state: Arc::new(Mutex::new(HostState::with_assumed_abilities(abilities))),
            connection: None,
            login: LoginOutcome::NotAsked,
            pending: None,
            token: TokenState::Unknown,
            netrc: TokenState::Unknown,
            learned: None,
            host_message: Arc::default(),
        })
    }

    /// Lists the references that begin with one of `prefixes`.
    pub(super) fn ls_refs(&mut self, prefixes: &[&str]) -> Result<Vec<RemoteRef>> {
        let refs = match self.query(|connection| connection.ls_refs(prefixes))? {
            Ok(refs) => refs,
            Err(said) => return Err(self.refusal_error(&said)),
        };

        let mut refs: Vec<_> = refs.into_iter().filter_map(convert_ref).collect();
        // The older protocols return all references.
        refs.retain(|found| prefixes.iter().any(|prefix| found.name.starts_with(prefix)));
        refs.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        refs.dedup_by(|a, b| a.name == b.name);
        Ok(refs)
    }

    /// The branch that an empty repository's HEAD names; `None` if the host does not report it.
    pub(super) fn unborn_head(&mut self) -> Result<Option<String>> {
        // Requires the real capabilities of the host: the assumed ones do not include `unborn`.
        if self.is_http() && http::lock_state(&self.state).abilities.take().is_some() {
            self.connection = None;
        }

        let refs = match self.query(|connection| connection.ls_refs(&["HEAD"]))? {
            Ok(refs) => refs,
            Err(said) => return Err(self.refusal_error(&said)),
        };

        Ok(refs.into_iter().find_map(|found| match found {
            Ref::Unborn {
                full_ref_name,
                target,
            } if full_ref_name == "HEAD" => Some(target.to_str().ok()?.to_owned()),
            _ => None,
        }))
    }

    /// Fetches objects into `target`, without those of `base`, if there is one.
    pub(super) fn fetch(
        &mut self,
        want: &FetchWant<'_>,
        target: PackTarget<'_>,
        base: Option<&FetchBase>,
    ) -> Result<FetchOutcome> {
        let said = self.host_message.clone();
        // A cache has one hash kind; a repository of the other kind needs another cache.
        let answer = self.query(|connection| match connection.object_hash() {
            other if other != target.hash => Ok(FetchOutcome::OtherHash(other)),
            _ => connection
                .fetch(want, target, base, &said)
                .map(|()| FetchOutcome::Received),
        })?;
        Ok(answer.unwrap_or_else(FetchOutcome::Refused))
    }

    /// The capabilities that the host reported, if it was asked.
    pub(super) fn learned(&self) -> Option<&[String]> {
        self.learned.as_deref()
    }

    /// The error for a refused request.
    pub(super) fn refusal_error(&self, said: &str) -> Error {
        Error::network(format!("failed to fetch `{}`", self.url)).note(failure::quote_host(said))
    }

    /// Sends a request, with retries. `Ok(Err(_))` is a refusal of the host, with its message.
    fn query<T>(
        &mut self,
        request: impl Fn(&mut HostConnection) -> gix::Result<T>,
    ) -> Result<Result<T, String>> {
        let policy = RetryPolicy::default();
        let mut delays = policy.delays();
        for _ in 0..TRIES_MAX + policy.retries {
            let (connection, age) = match self.connection.take() {
                Some(connection) => (Ok(connection), ConnectionAge::Reused),
                None => (self.connect()?, ConnectionAge::New),
            };

            let answer = connection.and_then(|mut connection| {
                let answer = request(&mut connection)?;
                Ok((connection, answer))
            });

            match answer {
                Ok((connection, answer)) => {
                    self.keep_connection(connection);
                    return Ok(Ok(answer));
                }
                Err(cause) => match self.recover(&cause, age) {
                    RecoveryStep::Retry => {}
                    RecoveryStep::RetryLater(error) => match delays.next() {
                        Some(delay) => std::thread::sleep(delay),
                        None => {
                            let attempts = policy.retries + 1;
                            return Err(error.note(format!("gave up after {attempts} attempts")));
                        }
                    },
                    RecoveryStep::Refused(said) => return Ok(Err(said)),
                    RecoveryStep::Failed(error) => return Err(error),
                },
            }
        }
        Err(Error::network(format!("failed to fetch `{}`", self.url))
            .note(format!("gave up after {TRIES_MAX} attempts")))
    }

    /// After a response: stores the proven credentials and capabilities, and keeps a reusable connection.
    fn keep_connection(&mut self, connection: HostConnection) {
        if let Some((mut cascade, next)) = self.pending.take() {
            let _ = cascade.invoke(next.store(), gix::prompt::Options::default());
        }

        let has_guessed = http::lock_state(&self.state).abilities.is_some();
        if self.is_http()
            && !has_guessed
            && connection.handshake.server_protocol_version == Protocol::V2
        {
            let abilities = connection.abilities();
            http::lock_state(&self.state).abilities = Some(abilities.clone());
            self.learned = Some(abilities);
        }

        // The older protocols end with the first pack.
        if connection.handshake.server_protocol_version == Protocol::V2 {
            self.connection = Some(connection);
        }
    }

    /// Decides whether to retry a failed request, and prepares for it.
    fn recover(&mut self, cause: &gix::Error, age: ConnectionAge) -> RecoveryStep {
        let fault = http::lock_state(&self.state).error.take();

        let step = match &fault {
            Some(TransportError::Status {
                status: 401,
                url,
                challenges,
            }) => self.recover_from_401(url, challenges),
            // The same request would end the same way.
            Some(
                TransportError::Unreachable(_)
                | TransportError::Untrusted(_)
                | TransportError::TooLarge
                | TransportError::Stalled(_),
            ) => None,
            _ if cause.is_resource_exhausted() => Some(RecoveryStep::Failed(
                failure::oversized_object(&self.url, OBJECT_MAX),
            )),
            _ => self.recover_from_answer(cause, age, fault.as_ref()),
        };

        step.unwrap_or_else(|| RecoveryStep::Failed(self.request_error(fault.as_ref(), cause)))
    }

    /// After a status 401: the stored token is tried first, then `~/.netrc`, then the credential helpers; `None` if all of them
    /// are used up.
    fn recover_from_401(&mut self, url: &str, challenges: &[String]) -> Option<RecoveryStep> {
        if failure::unsupported_schemes(challenges).is_some() {
            return None;
        }
        match self
            .offer_token(url)
            .and_then(|is_offered| Ok(is_offered || self.offer_netrc(url)?))
        {
            Ok(true) => return Some(RecoveryStep::Retry),
            Ok(false) => {}
            Err(error) => return Some(RecoveryStep::Failed(error)),
        }

        match self.log_in(url, challenges) {
            Ok(()) => Some(RecoveryStep::Retry),
            // The user stored the token for this repository, so it is the one to replace.
            Err(_) if self.token == TokenState::Refused => {
                self.login = LoginOutcome::TokenRefused;
                None
            }
            Err(LoginOutcome::NoHelper | LoginOutcome::NothingGiven)
                if self.netrc == TokenState::Refused =>
            {
                self.login = LoginOutcome::NetrcRefused;
                None
            }
            Err(login) => {
                self.login = login;
                None
            }
        }
    }

    /// After a response that is an error in git's protocol, or none at all; `None` if a retry would not help.
    fn recover_from_answer(
        &mut self,
        cause: &gix::Error,
        age: ConnectionAge,
        fault: Option<&TransportError>,
    ) -> Option<RecoveryStep> {
        let said = failure::server_message(cause);
        if let Some(said) = said.as_ref().filter(|said| is_final_refusal(said)) {
            return Some(RecoveryStep::Refused(said.clone()));
        }

        // The capabilities of the host were only assumed; one that began to respond has them.
        let is_cut = matches!(fault, Some(TransportError::Cut(_)));
        if self.is_http() && !is_cut && http::lock_state(&self.state).abilities.take().is_some() {
            return Some(RecoveryStep::Retry);
        }

        match said {
            Some(said) => Some(RecoveryStep::Refused(said)),
            None if is_interruption(fault, cause) => {
                Some(RecoveryStep::RetryLater(self.request_error(fault, cause)))
            }
            // The host closed an idle connection.
            None if age == ConnectionAge::Reused => Some(RecoveryStep::Retry),
            None => None,
        }
    }

    /// The error for a request that is not retried, with the message of the host, if it sent one.
    fn request_error(&self, fault: Option<&TransportError>, cause: &gix::Error) -> Error {
        let error = match fault {
            Some(fault) => failure::http_error(&self.url, fault, self.login),
            None => failure::gix_error(&self.url, cause),
        };

        let said = self
            .host_message
            .lock()
            .ok()
            .and_then(|mut said| said.take());
        let error = match said {
            Some(said) => error.note(failure::quote_host(&said)),
            None => error,
        };
        // Of what git sends and we do not, only that may be the reason of a refusal.
        let config = self.config.config_snapshot();
        let url = self.real.to_bstring().to_string();
        let has = |key| config::last_http_value(config.plumbing(), &url, key).is_some();
        if !self.is_http() {
            return error;
        }
        let cookies = "`http.cookieFile` of git's configuration is not supported".to_owned();
        let cookies = has("cookieFile").then_some(cookies);
        let unread = self.shared.options.unread_environment.iter().cloned();
        cookies.into_iter().chain(unread).fold(error, Error::note)
    }

    /// Uses the stored token of exactly this repository, if it was not tried before and the repository's own host asks
    /// for credentials; returns whether there is one to try.
    fn offer_token(&mut self, url: &str) -> Result<bool> {
        let own = url_policy::origin(self.url.as_str());
        let Some(origin) = url_policy::origin(url).filter(|origin| Some(origin) == own.as_ref())
        else {
            return Ok(false);
        };

        if self.token == TokenState::Shown {
            // Git's own helpers may have other credentials.
            self.token = TokenState::Refused;
            http::lock_state(&self.state).secret = None;
        }
        if self.token != TokenState::Unknown || !url_policy::may_carry_secrets(url) {
            return Ok(false);
        }

        let found = self.shared.options.tokens.find(&self.url)?;
        self.token = if found.is_some() {
            TokenState::Shown
        } else {
            TokenState::None
        };
        let Some(token) = found else { return Ok(false) };

        // As when pushing: `user:password`, or a token alone, which gets a user name that every host accepts.
        let (user, password) = token
            .reveal()
            .split_once(':')
            .unwrap_or((TOKEN_USER, token.reveal()));
        let (user, password) = (user.to_owned(), password.to_owned());

        http::lock_state(&self.state).secret = Some(HttpCredentials {
            origin,
            user,
            password,
        });
        Ok(true)
    }

    /// Uses the login of `~/.netrc` for the host that asks for credentials, if it was not tried before; returns whether there
    /// is one to try.
    fn offer_netrc(&mut self, url: &str) -> Result<bool> {
        if self.netrc == TokenState::Shown {
            self.netrc = TokenState::Refused;
            http::lock_state(&self.state).secret = None;
        }
        let (Some(path), Some(origin)) = (&self.shared.options.netrc, url_policy::origin(url))
        else {
            return Ok(false);
        };
        if self.netrc != TokenState::Unknown || !url_policy::may_carry_secrets(url) {
            return Ok(false);
        }

        let text = disk::read(path)?.unwrap_or_default();
        let parsed = url::Url::parse(url).ok();
        let user = self.real.user().filter(|user| !user.is_empty());
        let login = netrc::find_login(
            &String::from_utf8_lossy(&text),
            parsed.as_ref().and_then(url::Url::host_str).unwrap_or(""),
            user,
            // Not for a host that a redirect chose.
            Some(&origin) == url_policy::origin(self.url.as_str()).as_ref(),
        );
        let Some(login) = login else {
            return Ok(false);
        };

        self.netrc = TokenState::Shown;
        http::lock_state(&self.state).secret = Some(HttpCredentials {
            origin,
            user: login.user,
            password: login.password,
        });
        Ok(true)
    }

    /// Asks the user's credential helpers for credentials; the error is how that failed.
    fn log_in(&mut self, url: &str, challenges: &[String]) -> Result<(), LoginOutcome> {
        let origin = url_policy::origin(url).ok_or(LoginOutcome::NotAsked)?;
        if self.erase_rejected_credentials(&origin) {
            return Err(LoginOutcome::Refused);
        }
        // Before a helper is run: what it returns could not be sent anyway.
        if !url_policy::may_carry_secrets(url) {
            return Err(LoginOutcome::Withheld);
        }

        let (cascade, given) = self.run_helpers(url, challenges)?;
        http::lock_state(&self.state).secret = Some(HttpCredentials {
            origin,
            user: given.identity.username,
            password: given.identity.password,
        });
        // The helper stores them only after the host has accepted them.
        self.pending = Some((cascade, given.next));
        Ok(())
    }

    /// Drops the credentials for `origin`, which the host has rejected, and makes the helper forget them; returns whether
    /// there were any.
    fn erase_rejected_credentials(&mut self, origin: &str) -> bool {
        let rejected = http::lock_state(&self.state)
            .secret
            .take()
            .is_some_and(|secret| secret.origin == origin);

        // Otherwise the helper would return the same ones next time.
        if rejected && let Some((mut cascade, next)) = self.pending.take() {
            let _ = cascade.invoke(next.erase(), gix::prompt::Options::default());
        }
        rejected
    }

    /// Runs the configured credential helpers, and prompts if that is allowed.
    fn run_helpers(
        &self,
        url: &str,
        challenges: &[String],
    ) -> Result<(Cascade, HelperOutcome), LoginOutcome> {
        // Credential helpers know repositories, not the URLs of git's requests.
        let base = ["/info/refs?service=git-upload-pack", "/git-upload-pack"]
            .iter()
            .find_map(|end| url.strip_suffix(end));
        let parsed =
            gix::url::parse(base.unwrap_or(url)).map_err(|_| LoginOutcome::NothingGiven)?;

        let snapshot = self.config.config_snapshot();
        let (mut cascade, mut action, mut prompt) = snapshot
            .credential_helpers(parsed)
            .map_err(|_| LoginOutcome::NothingGiven)?;

        if !self.shared.options.interactive {
            cascade.stderr = false;
            disable_terminal_prompt(&mut prompt);
        }

        // A helper may choose by the challenges of the host.
        if let Some(context) = action.context_mut() {
            context.www_authenticate = challenges
                .iter()
                .map(|challenge| challenge.as_str().into())
                .collect();
        }

        let has_no_helper =
            cascade.programs.is_empty() && prompt.mode == gix::prompt::Mode::Disable;
        match cascade.invoke(action, prompt) {
            Ok(Some(given)) => Ok((cascade, given)),
            _ if has_no_helper => Err(LoginOutcome::NoHelper),
            _ => Err(LoginOutcome::NothingGiven),
        }
    }

    fn is_http(&self) -> bool {
        matches!(self.real.scheme, Scheme::Http | Scheme::Https)
    }

    /// Opens a connection. The outer error is one that a retry does not fix.
    fn connect(&mut self) -> Result<gix::Result<HostConnection>> {
        let budget: ByteBudget = Arc::new(AtomicU64::new(LIST_MAX));
        let transport = match self.open_transport(&budget)? {
            Ok(transport) => transport,
            Err(cause) => return Ok(Err(cause)),
        };

        let mut transport = SendFlushOnDrop::new(transport, false);
        // Credentials are not left to gix: it would send them to every redirect target, and only after a prompt.
        let no_login = |_| {
            Err(gix::Error::from_error(std::io::Error::from(
                std::io::ErrorKind::PermissionDenied,
            )))
        };

        let handshake = gix::protocol::handshake(
            &mut transport.inner,
            Service::UploadPack,
            no_login,
            Vec::new(),
            &mut Discard,
        );

        Ok(handshake.map(|handshake| HostConnection {
            transport,
            handshake,
            budget,
        }))
    }

    /// Opens the transport of the URL's scheme; the errors are as for [`RemoteHost::connect`].
    fn open_transport(
        &self,
        budget: &ByteBudget,
    ) -> Result<gix::Result<Box<dyn Transport + Send>>> {
        if self.is_http() {
            let settings = self.http_settings()?;
            // Before the first request: an invalid setting is an error of its own.
            self.shared.client(&settings, &self.real.to_string())?;
            let wire = HttpTransport {
                shared: self.shared.clone(),
                settings,
                state: self.state.clone(),
            };
            let transport =
                gix_http::Transport::new_http(wire, self.real.clone(), Protocol::V2, false);
            return Ok(Ok(Box::new(transport)));
        }

        if self.real.scheme == Scheme::Ssh {
            let settings = self
                .ssh_settings()
                .map_err(|cause| failure::configuration_error(&cause))?;
            let logged = self
                .shared
                .options
                .traffic
                .start("SSH", &self.real.to_bstring().to_str_lossy());
            let opened = ssh::connect(
                &self.real,
                &settings,
                self.state.clone(),
                budget.clone(),
                logged,
            );
            return Ok(opened
                .map(|transport| Box::new(transport) as Box<dyn Transport + Send>)
                .map_err(gix::Error::from_error));
        }

        // A local repository, by `insteadOf`.
        let options = ConnectOptions {
            version: Protocol::V2,
            ..ConnectOptions::default()
        };
        Ok(connect(self.real.clone(), options))
    }

    fn http_settings(&self) -> Result<http::ClientSettings> {
        let config = self.config.config_snapshot();
        let url = self.real.to_bstring().to_string();
        let proxy = config::last_http_value(config.plumbing(), &url, "proxy");
        let proxy = proxy.map(|proxy| http::proxy_url(&proxy)).transpose()?;
        let headers = config::http_values(config.plumbing(), &url, "extraHeader");
        let ca_file = self.shared.options.ca_file.as_deref();

        Ok(http::ClientSettings {
            proxy,
            tls: TlsSettings::read(config.plumbing(), &url, ca_file)?,
            headers: http::ExtraHeaders::new(&url, &headers),
        })
    }

    fn ssh_settings(&self) -> gix::Result<SshSettings> {
        Ok(SshSettings {
            program: self.config.ssh_connect_options()?,
            is_interactive: self.shared.options.interactive,
            silence: self.shared.options.silence(),
        })
    }
}

fn disable_terminal_prompt(prompt: &mut gix::prompt::Options) {
    // An askpass program works without a terminal; a terminal prompt does not.
    let has_askpass = prompt
        .askpass
        .as_ref()
        .is_some_and(|askpass| askpass.is_file());
    if !has_askpass {
        prompt.mode = gix::prompt::Mode::Disable;
    }
}

/// Whether a connection was cut, or closed before anything came over it, as a busy host does.
fn is_interruption(fault: Option<&TransportError>, cause: &gix::Error) -> bool {
    match fault {
        Some(fault) => matches!(fault, TransportError::Cut(_)),
        // Over ssh, and where the end of an HTTP response is that of its connection.
        None => failure::has_io_kind(cause, |kind| {
            matches!(
                kind,
                ErrorKind::UnexpectedEof
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::BrokenPipe
            )
        }),
    }
}

/// Whether a refusal does not depend on the capabilities or credentials of the request.
fn is_final_refusal(said: &str) -> bool {
    // git, git before version 2 of the protocol, JGit.
    ["not our ref", "unadvertised object", "not valid"]
        .iter()
        .any(|no| said.contains(no))
}

fn convert_ref(found: Ref) -> Option<RemoteRef> {
    let (name, id, target, tag) = match found {
        Ref::Peeled {
            full_ref_name,
            object,
            tag,
        } => (full_ref_name, object, None, Some(CommitId(tag))),
        Ref::Direct {
            full_ref_name,
            object,
        } => (full_ref_name, object, None, None),
        Ref::Symbolic {
            full_ref_name,
            target,
            object,
            ..
        } => (full_ref_name, object, Some(target), None),
        Ref::Unborn { .. } => return None,
    };

    // A name that is not UTF-8 cannot be requested.
    let target = target.and_then(|target| target.to_str().ok().map(str::to_owned));
    Some(RemoteRef {
        name: name.to_str().ok()?.to_owned(),
        commit: CommitId(id),
        target,
        tag,
    })
}

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
//! that fails after an assumption is retried without it. A request that fails for lack of credentials is retried, too.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::credentials::helper::{Cascade, NextAction};
use gix::progress::Discard;
use gix::protocol::fetch::{Arguments, Response};
use gix::protocol::handshake::Ref;
use gix::protocol::transport::client::blocking_io::connect::{Options as ConnectOptions, connect};
use gix::protocol::transport::client::blocking_io::{ExtendedBufRead, Transport, http as gix_http};
use gix::protocol::transport::client::capabilities::Capability;
use gix::protocol::transport::{Protocol, Service};
use gix::protocol::{Command, Handshake, LsRefsCommand, SendFlushOnDrop};
use gix::url::Scheme;

use super::failure::{self, LoginOutcome};
use super::http::{
    self, ANSWER_MAX, HostState, HttpCredentials, HttpTransport, LIST_MAX, TransportError,
};
use super::id::CommitId;
use super::refs::RemoteRef;
use super::ssh::{self, ByteBudget, SshSettings};
use super::url_policy;
use super::{GitOptions, GitShared};
use crate::disk::{self, DiskOperation, failpoint};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::GitUrl;

/// The assumed capabilities of a host that was never asked: a subset of those of any host that can filter.
const COMMON_ABILITIES: [&str; 2] = ["ls-refs", "fetch=shallow filter"];
/// Most attempts of one request: with assumed capabilities, with credentials, with real capabilities, and after an
/// interrupted response.
const TRIES_MAX: usize = 5;
/// Largest object that is unpacked, in bytes. GitHub accepts none over 100 MB; a decompression bomb is larger.
const OBJECT_MAX: usize = 128 << 20;

/// The user name for a token: the one that GitHub documents; other hosts accept any.
const TOKEN_USER: &str = "x-access-token";

/// The objects to fetch.
pub(super) enum FetchWant<'a> {
    /// A commit with all its trees, and with its blobs, too, if the host cannot filter.
    Commit(ObjectId),
    /// A commit with everything in it.
    Everything(ObjectId),
    /// A history of this many commits, with all their trees, and with blobs only if the host cannot filter.
    History(ObjectId, usize),
    /// A history of this many commits, without trees and blobs if the host can filter.
    CommitsOnly(ObjectId, usize),
    /// An annotated tag and its commit, without trees and blobs if the host can filter.
    Tag(ObjectId),
    /// Only these blobs.
    Blobs(&'a [ObjectId]),
    /// Only these trees, with everything below them.
    Trees(&'a [ObjectId]),
}

/// Where the packs of a fetch are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackTarget<'a> {
    /// The directory for packs.
    pub packs: &'a Path,
    /// The hash kind of the repository.
    pub hash: gix::hash::Kind,
}

/// A cached commit, with all its trees.
pub(super) struct FetchBase {
    pub commit: ObjectId,
    /// The cached objects, which the host may use as delta bases.
    pub objects: gix::OdbHandle,
}

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
    broken_before: bool,
    token: TokenState,
    learned: Option<Vec<String>>,
    host_message: Arc<Mutex<Option<String>>>,
}

/// Whether a connection is new, or reused from an earlier request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConnectionAge {
    New,
    Reused,
}

/// The state of the stored token of the repository.
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
    /// The host refused, with this message.
    Refused(String),
    Failed(Error),
}

struct HostConnection {
    transport: SendFlushOnDrop<Box<dyn Transport + Send>>,
    handshake: Handshake,
    /// The size limit of a response over ssh; HTTP bounds each response itself.
    budget: ByteBudget,
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
        let config = user_config(folder, &shared.options)
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
            broken_before: false,
            token: TokenState::Unknown,
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
        for _ in 0..TRIES_MAX {
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
        let said = failure::server_message(cause);

        match &fault {
            Some(TransportError::Status {
                status: 401,
                url,
                challenges,
            }) => match self.offer_token(url) {
                Ok(true) => return RecoveryStep::Retry,
                Ok(false) => match self.log_in(url, challenges) {
                    Ok(()) => return RecoveryStep::Retry,
                    Err(_) if self.token == TokenState::Refused => {
                        self.login = LoginOutcome::TokenRefused;
                    }
                    Err(login) => self.login = login,
                },
                Err(error) => return RecoveryStep::Failed(error),
            },
            Some(
                TransportError::Unreachable(_)
                | TransportError::TooLarge
                | TransportError::Stalled(_),
            ) => {}
            _ if cause.is_resource_exhausted() => {
                return RecoveryStep::Failed(failure::oversized_object(&self.url, OBJECT_MAX));
            }
            _ => match said {
                Some(said) if is_final_refusal(&said) => return RecoveryStep::Refused(said),
                // The capabilities of the host were only assumed.
                _ if self.is_http() && http::lock_state(&self.state).abilities.take().is_some() => {
                    return RecoveryStep::Retry;
                }
                Some(said) => return RecoveryStep::Refused(said),
                // The host closed an idle connection.
                None if age == ConnectionAge::Reused => return RecoveryStep::Retry,
                None if matches!(fault, Some(TransportError::Broken(_)))
                    && !std::mem::replace(&mut self.broken_before, true) =>
                {
                    return RecoveryStep::Retry;
                }
                None => {}
            },
        }

        let error = match fault {
            Some(fault) => failure::http_error(&self.url, &fault, self.login),
            None => failure::gix_error(&self.url, cause),
        };

        RecoveryStep::Failed(
            match self
                .host_message
                .lock()
                .ok()
                .and_then(|mut said| said.take())
            {
                Some(said) => error.note(failure::quote_host(&said)),
                None => error,
            },
        )
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

    /// Asks the user's credential helpers for credentials; the error is how that failed.
    fn log_in(&mut self, url: &str, challenges: &[String]) -> Result<(), LoginOutcome> {
        let origin = url_policy::origin(url).ok_or(LoginOutcome::NotAsked)?;
        // The previous credentials were rejected, so the helper has to forget them.
        if http::lock_state(&self.state)
            .secret
            .take()
            .is_some_and(|secret| secret.origin == origin)
        {
            if let Some((mut cascade, next)) = self.pending.take() {
                let _ = cascade.invoke(next.erase(), gix::prompt::Options::default());
            }
            return Err(LoginOutcome::Refused);
        }

        if !url_policy::may_carry_secrets(url) {
            return Err(LoginOutcome::Withheld);
        }

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

        // An askpass program works without a terminal; a terminal prompt does not.
        let has_askpass = prompt
            .askpass
            .as_ref()
            .is_some_and(|askpass| askpass.is_file());
        if !self.shared.options.interactive {
            cascade.stderr = false;
            if !has_askpass {
                prompt.mode = gix::prompt::Mode::Disable;
            }
        }

        let has_no_helper =
            cascade.programs.is_empty() && prompt.mode == gix::prompt::Mode::Disable;
        if let Some(context) = action.context_mut() {
            context.www_authenticate = challenges
                .iter()
                .map(|challenge| challenge.as_str().into())
                .collect();
        }

        let Ok(Some(given)) = cascade.invoke(action, prompt) else {
            return Err(if has_no_helper {
                LoginOutcome::NoHelper
            } else {
                LoginOutcome::NothingGiven
            });
        };

        let secret = HttpCredentials {
            origin,
            user: given.identity.username,
            password: given.identity.password,
        };
        http::lock_state(&self.state).secret = Some(secret);
        self.pending = Some((cascade, given.next));
        Ok(())
    }

    fn is_http(&self) -> bool {
        matches!(self.real.scheme, Scheme::Http | Scheme::Https)
    }

    /// Opens a connection. The outer error is one that a retry does not fix.
    fn connect(&mut self) -> Result<gix::Result<HostConnection>> {
        let budget: ByteBudget = Arc::new(AtomicU64::new(LIST_MAX));
        let transport: Box<dyn Transport + Send> = if self.is_http() {
            let client = self.http_client()?;
            let wire = HttpTransport {
                client,
                state: self.state.clone(),
                received: self.shared.received.clone(),
                silence: self.shared.options.silence(),
            };
            Box::new(gix_http::Transport::new_http(
                wire,
                self.real.clone(),
                Protocol::V2,
                false,
            ))
        } else if self.real.scheme == Scheme::Ssh {
            let settings = self
                .ssh_settings()
                .map_err(|cause| failure::configuration_error(&cause))?;
            match ssh::connect(&self.real, &settings, self.state.clone(), budget.clone()) {
                Ok(transport) => Box::new(transport),
                Err(cause) => return Ok(Err(gix::Error::from_error(cause))),
            }
        } else {
            // A local repository, by `insteadOf`.
            match connect(
                self.real.clone(),
                ConnectOptions {
                    version: Protocol::V2,
                    ..ConnectOptions::default()
                },
            ) {
                Ok(transport) => transport,
                Err(cause) => return Ok(Err(cause)),
            }
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

    fn http_client(&self) -> Result<reqwest::blocking::Client> {
        let config = self.config.config_snapshot();
        let proxy = config.string("http.proxy").map(|proxy| proxy.to_string());
        let authorities = config
            .trusted_path("http.sslCAInfo")
            .map_err(|cause| failure::configuration_error(&cause))?;
        let authorities = authorities
            .map(|path| {
                let note = |error: Error| {
                    error.note("it is set as `http.sslCAInfo` in the git configuration")
                };
                let found = disk::read(&path).map_err(note)?;
                found.ok_or_else(|| note(Error::usage(format!("`{}` not found", path.display()))))
            })
            .transpose()?;

        self.shared
            .client(http::ClientSettings { proxy, authorities })
    }

    fn ssh_settings(&self) -> gix::Result<SshSettings> {
        use gix::protocol::transport::client::blocking_io::ssh::ProgramKind;

        let mut options = self.config.ssh_connect_options()?;

        // Without a terminal, ssh must not prompt, nor wait for a host that does not respond.
        if options.command.is_none() && !self.shared.options.interactive {
            options.command = Some("ssh -oBatchMode=yes -oConnectTimeout=10".into());
            options.kind = Some(options.kind.unwrap_or(ProgramKind::Ssh));
        }

        Ok(SshSettings {
            program: options,
            is_interactive: self.shared.options.interactive,
            silence: self.shared.options.silence(),
        })
    }
}

/// Opens the cache's repository with the user's and the system's git configuration.
pub(super) fn user_config(folder: &Path, options: &GitOptions) -> gix::Result<gix::Repository> {
    use gix::open::{Permissions, permissions};
    use gix::sec::Permission;

    let ssh_askpass = if options.interactive {
        Permission::Allow
    } else {
        Permission::Deny
    };

    let permissions = Permissions {
        env: permissions::Environment {
            ssh_prefix: ssh_askpass,
            ..permissions::Environment::all()
        },
        config: permissions::Config {
            // Where git's own installation names the credential helper.
            git_binary: cfg!(any(target_os = "macos", windows)),
            ..permissions::Config::all()
        },
        ..Permissions::isolated()
    };

    let open = gix::open::Options::default()
        .permissions(permissions)
        .cli_overrides(options.config.iter().cloned());
    gix::open_opts(folder, open)
}

/// Whether a refusal does not depend on the capabilities or credentials of the request.
fn is_final_refusal(said: &str) -> bool {
    // git, git before version 2 of the protocol, JGit.
    ["not our ref", "unadvertised object", "not valid"]
        .iter()
        .any(|no| said.contains(no))
}

fn agent_feature() -> gix::protocol::command::Feature {
    (
        "agent",
        Some(concat!("git/skillpm-", env!("CARGO_PKG_VERSION")).to_owned()),
    )
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

impl HostConnection {
    fn object_hash(&self) -> gix::hash::Kind {
        let object_format = self.handshake.capabilities.capability("object-format");
        match object_format.as_ref().and_then(Capability::value) {
            Some(value) if value == "sha256" => gix::hash::Kind::Sha256,
            _ => gix::hash::Kind::Sha1,
        }
    }

    fn abilities(&self) -> Vec<String> {
        let line = |ability: Capability<'_>| match ability.value() {
            Some(value) => format!("{}={value}", ability.name()),
            None => ability.name().to_string(),
        };
        self.handshake
            .capabilities
            .iter()
            .map(line)
            .filter(|line| !line.is_empty())
            .collect()
    }

    fn ls_refs(&mut self, prefixes: &[&str]) -> gix::Result<Vec<Ref>> {
        // The older protocols send all references with the handshake.
        if let Some(refs) = &self.handshake.refs {
            return Ok(refs.clone());
        }

        self.budget.store(LIST_MAX, Ordering::Relaxed);
        let mut wanted = gix::protocol::ls_refs::RefPrefixes::new();
        wanted.extend(prefixes.iter().map(|&prefix| prefix.into()));
        LsRefsCommand::new(Some(wanted), &self.handshake.capabilities, agent_feature())
            .invoke_blocking(&mut self.transport.inner, &mut Discard, false)
    }

    fn fetch(
        &mut self,
        want: &FetchWant<'_>,
        target: PackTarget<'_>,
        base: Option<&FetchBase>,
        said: &Arc<Mutex<Option<String>>>,
    ) -> gix::Result<()> {
        self.budget.store(ANSWER_MAX, Ordering::Relaxed);
        let version = self.handshake.server_protocol_version;
        let mut features = Command::Fetch.default_features(version, &self.handshake.capabilities);
        features.push(agent_feature());
        Response::check_required_features(version, &features)?;
        let is_sideband_all = features.iter().any(|(name, _)| *name == "sideband-all");

        let mut arguments = Arguments::new(version, features, false);
        if version == Protocol::V2 {
            arguments.add_feature("no-progress");
        }
        want.add_to(&mut arguments);

        // The older protocols negotiate in several rounds, which is not worth it.
        let base = base.filter(|_| version == Protocol::V2 && arguments.can_use_shallow());
        if let Some(base) = base {
            // Its parents are not cached, which the host must know, or it would omit them, too.
            arguments.shallow(base.commit);
            arguments.have(base.commit);
        }

        let mut reader = arguments
            .send(&mut self.transport.inner, true)
            .map_err(gix::Error::from_error)?;
        if is_sideband_all {
            reader.set_progress_handler(Some(record_host_errors(said)));
        }
        Response::from_line_reader(version, &mut reader, true, false)?;
        if !is_sideband_all {
            reader.set_progress_handler(Some(record_host_errors(said)));
        }
        store_pack(&mut reader, target, base)?;
        std::io::copy(&mut reader, &mut std::io::sink()).map_err(gix::Error::from_error)?;
        Ok(())
    }
}

impl FetchWant<'_> {
    fn add_to(&self, arguments: &mut Arguments) {
        let depth = match self {
            FetchWant::Commit(_) | FetchWant::Everything(_) | FetchWant::Tag(_) => Some(1),
            FetchWant::History(_, depth) | FetchWant::CommitsOnly(_, depth) => Some(*depth),
            FetchWant::Blobs(_) | FetchWant::Trees(_) => None,
        };
        // A host without shallow fetches sends the whole history.
        if let Some(depth) = depth.filter(|_| arguments.can_use_shallow()) {
            arguments.deepen(depth);
        }

        let filter = match self {
            FetchWant::Commit(_) | FetchWant::History(..) => Some("blob:none"),
            FetchWant::CommitsOnly(..) | FetchWant::Tag(_) => Some("tree:0"),
            FetchWant::Everything(_) | FetchWant::Blobs(_) | FetchWant::Trees(_) => None,
        };
        if let Some(filter) = filter.filter(|_| arguments.can_use_filter()) {
            arguments.filter(filter);
        }

        match self {
            FetchWant::Commit(id)
            | FetchWant::Everything(id)
            | FetchWant::History(id, _)
            | FetchWant::CommitsOnly(id, _)
            | FetchWant::Tag(id) => {
                arguments.want(id);
            }
            FetchWant::Blobs(ids) | FetchWant::Trees(ids) => {
                ids.iter().for_each(|id| arguments.want(id));
            }
        }
    }
}

/// Records the messages of the host on its error channel; progress is dropped.
fn record_host_errors<'a>(
    said: &Arc<Mutex<Option<String>>>,
) -> gix::protocol::transport::client::blocking_io::HandleProgress<'a> {
    let said = said.clone();
    Box::new(move |is_error, text| {
        if is_error && let Ok(mut said) = said.lock() {
            *said = Some(text.to_str_lossy().chars().take(500).collect());
        }
        std::ops::ControlFlow::Continue(())
    })
}

/// Verifies every object of the pack and renames it into the directory, index last.
fn store_pack(
    reader: &mut Box<dyn ExtendedBufRead<'_> + Unpin + '_>,
    target: PackTarget<'_>,
    base: Option<&FetchBase>,
) -> gix::Result<()> {
    let options = gix::odb::pack::bundle::write::Options {
        alloc_limit_bytes: Some(OBJECT_MAX),
        thread_limit: Some(2),
        ..Default::default()
    };

    failpoint(DiskOperation::Write, target.packs).map_err(gix::Error::from_error)?;
    let outcome = gix::odb::pack::Bundle::write_to_directory(
        reader,
        Some(target.packs),
        &mut Discard,
        &AtomicBool::new(false),
        base.map(|base| base.objects.clone()),
        target.hash,
        options,
    )?;

    // The `.keep` file protects a new pack from `git gc`, which never runs here.
    if let Some(keep) = outcome.keep_path {
        let _ = failpoint(DiskOperation::Remove, &keep).and_then(|()| std::fs::remove_file(keep));
    }
    Ok(())
}

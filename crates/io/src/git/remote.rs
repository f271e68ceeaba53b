//! The conversation with a repository's host, in git's protocol version 2 where the host speaks it.
//!
//! ```text
//! what can you do?      → abilities     over HTTP answered from memory, or from what nearly every host can do
//! ls-refs <prefix>…     → references
//! fetch want <commit>, depth 1, filter blob:none   → that commit and all its trees
//!   … shallow <commit>, have <commit>              → those of its trees that are not in the other commit
//!   …                 depth n                      → that commit and those before it, with all their trees
//!   …                 depth n, filter tree:0       → those commits alone
//! fetch want <tag>, depth 1, filter tree:0         → that tag and its commit
//! fetch want <id>…                                 → those blobs, or those trees with all below them
//! ```
//!
//! A guess about a host's abilities costs nothing when it is right and one request when it is wrong: whatever fails
//! after a guess is asked once more, properly. So is what fails because the host wants to know who asks.

use std::path::Path;
use std::sync::atomic::AtomicBool;
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

use super::failure::{self, Login};
use super::http::{self, Secret, State, Trouble, Wire};
use super::id::CommitId;
use super::reach;
use super::refs::RemoteRef;
use super::{GitOptions, Shared};
use crate::error::{Error, Result};
use crate::io::disk::{self, Act, moment};
use crate::package::GitUrl;

/// What is taken for granted of a host that was never asked: less than any that can filter has.
const COMMON_ABILITIES: [&str; 2] = ["ls-refs", "fetch=shallow filter"];
/// Most times that one question is put: as guessed, with credentials, properly, and after a broken answer.
const TRIES_MAX: usize = 5;
/// Largest object that is unpacked, in bytes. GitHub takes none over 100 MB; a bomb is larger.
const OBJECT_MAX: usize = 128 << 20;

/// The user a token goes with: the word that GitHub documents, and that the others take like any.
const TOKEN_USER: &str = "x-access-token";

/// What is wanted of a host.
pub(super) enum Want<'a> {
    /// A commit with all its trees, and all its blobs, too, where the host cannot leave them out.
    Commit(ObjectId),
    /// A commit with everything in it.
    Everything(ObjectId),
    /// A commit and so many before it, with all their trees, and the blobs only where the host cannot leave them out.
    Past(ObjectId, usize),
    /// A commit and so many before it, alone where the host can leave the rest out.
    Line(ObjectId, usize),
    /// An annotated tag and its commit, alone where the host can leave the rest out.
    Tag(ObjectId),
    /// Just these blobs.
    Blobs(&'a [ObjectId]),
    /// Just these trees, with everything below them.
    Trees(&'a [ObjectId]),
}

/// A commit that is here, with all its trees.
pub(super) struct Base {
    pub commit: ObjectId,
    /// The objects that are here, which the host may answer with differences to.
    pub objects: gix::OdbHandle,
}

/// How a host answered.
pub(super) enum Fetched {
    /// It sent them, and they are in the cache.
    Received,
    /// It does not have them, or gives them to nobody.
    Refused(String),
    /// Its repository is built on another hash than the cache.
    OtherHash(gix::hash::Kind),
}

/// The host of one repository.
pub(super) struct Remote {
    url: GitUrl,
    real: gix::Url,
    shared: Arc<Shared>,
    config: gix::Repository,
    state: Arc<Mutex<State>>,
    connection: Option<Connection>,
    login: Login,
    pending: Option<(Cascade, NextAction)>,
    broken_before: bool,
    token: TokenState,
    learned: Option<Vec<String>>,
    said: Arc<Mutex<Option<String>>>,
}

/// Whether a connection was made for the question, or was there before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    New,
    Old,
}

/// What became of the token that is kept for the repository.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenState {
    /// Nobody was asked for it.
    Unknown,
    /// There is none.
    None,
    /// The host was shown it.
    Shown,
    /// The host was shown it, and wanted another.
    Refused,
}

/// What follows from a question that was not answered.
enum Recovery {
    AskAgain,
    /// The host's own no.
    No(String),
    Failed(Error),
}

struct Connection {
    transport: SendFlushOnDrop<Box<dyn Transport + Send>>,
    handshake: Handshake,
}

impl Remote {
    /// Reads the user's git configuration as it applies to `url`; nothing is sent yet.
    ///
    /// `folder` is the cache's repository; `abilities` are what the host told of itself before.
    pub(super) fn new(
        url: &GitUrl,
        shared: &Arc<Shared>,
        folder: &Path,
        abilities: Option<Vec<String>>,
    ) -> Result<Remote> {
        let config = user_config(folder, &shared.options).map_err(|cause| failure::configuration(&cause))?;
        let real = config
            .remote_at(url.as_str())
            .map(|remote| remote.url(gix::remote::Direction::Fetch).cloned())
            .map_err(|cause| failure::configuration(&cause))?
            .ok_or_else(|| Error::internal("a remote made from a URL has none"))?;
        reach::check(url, &real, shared.options.allow_http)?;
        let abilities = abilities.unwrap_or_else(|| COMMON_ABILITIES.map(str::to_owned).to_vec());
        Ok(Remote {
            url: url.clone(),
            real,
            shared: shared.clone(),
            config,
            state: Arc::new(Mutex::new(State::guessing(abilities))),
            connection: None,
            login: Login::NotAsked,
            pending: None,
            broken_before: false,
            token: TokenState::Unknown,
            learned: None,
            said: Arc::default(),
        })
    }

    /// Lists the references that begin with one of `prefixes`.
    pub(super) fn ls_refs(&mut self, prefixes: &[&str]) -> Result<Vec<RemoteRef>> {
        let refs = match self.ask(|connection| connection.ls_refs(prefixes))? {
            Ok(refs) => refs,
            Err(said) => return Err(self.refusal(&said)),
        };
        let mut refs: Vec<_> = refs.into_iter().filter_map(remote_ref).collect();
        refs.retain(|found| prefixes.iter().any(|prefix| found.name.starts_with(prefix)));
        refs.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        refs.dedup_by(|a, b| a.name == b.name);
        Ok(refs)
    }

    /// The branch that an empty repository's HEAD names; `None` if the host does not say.
    pub(super) fn unborn_head(&mut self) -> Result<Option<String>> {
        // Only a host that was heard can be asked for it: what is taken for granted of one does not hold that.
        if self.is_http() && http::lock(&self.state).abilities.take().is_some() {
            self.connection = None;
        }
        let refs = match self.ask(|connection| connection.ls_refs(&["HEAD"]))? {
            Ok(refs) => refs,
            Err(said) => return Err(self.refusal(&said)),
        };
        Ok(refs.into_iter().find_map(|found| match found {
            Ref::Unborn { full_ref_name, target } if full_ref_name == "HEAD" => Some(target.to_str().ok()?.to_owned()),
            _ => None,
        }))
    }

    /// Brings what is wanted into the directory `packs` of a repository that is built on `hash`; without what is in
    /// `base`, if there is one.
    pub(super) fn fetch(
        &mut self,
        want: &Want<'_>,
        (packs, hash): (&Path, gix::hash::Kind),
        base: Option<&Base>,
    ) -> Result<Fetched> {
        let said = self.said.clone();
        let answer = self.ask(|connection| match connection.hash() {
            other if other != hash => Ok(Fetched::OtherHash(other)),
            _ => connection.fetch(want, (packs, hash), base, &said).map(|()| Fetched::Received),
        })?;
        Ok(answer.unwrap_or_else(Fetched::Refused))
    }

    /// What the host told of its abilities on this occasion, if it was asked.
    pub(super) fn learned(&self) -> Option<&[String]> {
        self.learned.as_deref()
    }

    /// An error for an answer that only says no.
    pub(super) fn refusal(&self, said: &str) -> Error {
        Error::network(format!("`{}` could not be fetched", self.url)).note(failure::quote(said))
    }

    /// Puts a question until it is answered or cannot be. `Ok(Err(_))` is the host's own no.
    fn ask<T>(&mut self, question: impl Fn(&mut Connection) -> gix::Result<T>) -> Result<Result<T, String>> {
        for _ in 0..TRIES_MAX {
            let (connection, age) = match self.connection.take() {
                Some(connection) => (Ok(connection), Age::Old),
                None => (self.connect()?, Age::New),
            };
            let answer = connection.and_then(|mut connection| {
                let answer = question(&mut connection)?;
                Ok((connection, answer))
            });
            match answer {
                Ok((connection, answer)) => {
                    self.keep(connection);
                    return Ok(Ok(answer));
                }
                Err(cause) => match self.recover(&cause, age) {
                    Recovery::AskAgain => {}
                    Recovery::No(said) => return Ok(Err(said)),
                    Recovery::Failed(error) => return Err(error),
                },
            }
        }
        Err(Error::network(format!("`{}` could not be fetched", self.url)).note("the host never came to an answer"))
    }

    /// After an answer: the credentials have proved right, and a connection that can be used again is.
    fn keep(&mut self, connection: Connection) {
        if let Some((mut cascade, next)) = self.pending.take() {
            let _ = cascade.invoke(next.store(), gix::prompt::Options::default());
        }
        let has_guessed = http::lock(&self.state).abilities.is_some();
        if self.is_http() && !has_guessed && connection.handshake.server_protocol_version == Protocol::V2 {
            let abilities = connection.abilities();
            http::lock(&self.state).abilities = Some(abilities.clone());
            self.learned = Some(abilities);
        }
        // The older protocols end with the first pack.
        if connection.handshake.server_protocol_version == Protocol::V2 {
            self.connection = Some(connection);
        }
    }

    /// Finds out whether it makes sense to put the question again, and prepares for it.
    fn recover(&mut self, cause: &gix::Error, age: Age) -> Recovery {
        let trouble = http::lock(&self.state).trouble.take();
        let said = failure::server_message(cause);
        match &trouble {
            Some(Trouble::Status { status: 401, url, challenges }) => match self.show_token(url) {
                Ok(true) => return Recovery::AskAgain,
                Ok(false) => match self.log_in(url, challenges) {
                    Ok(()) => return Recovery::AskAgain,
                    Err(_) if self.token == TokenState::Refused => self.login = Login::TokenRefused,
                    Err(login) => self.login = login,
                },
                Err(error) => return Recovery::Failed(error),
            },
            Some(Trouble::Unreachable(_) | Trouble::TooLarge | Trouble::Stalled(_)) => {}
            _ if cause.is_resource_exhausted() => return Recovery::Failed(failure::bomb(&self.url, OBJECT_MAX)),
            _ => match said {
                Some(said) if is_final(&said) => return Recovery::No(said),
                // What the host is able to do was only a guess.
                _ if self.is_http() && http::lock(&self.state).abilities.take().is_some() => return Recovery::AskAgain,
                Some(said) => return Recovery::No(said),
                // The host closed what it took for idle.
                None if age == Age::Old => return Recovery::AskAgain,
                None if matches!(trouble, Some(Trouble::Broken(_)))
                    && !std::mem::replace(&mut self.broken_before, true) =>
                {
                    return Recovery::AskAgain;
                }
                None => {}
            },
        }
        let error = match trouble {
            Some(trouble) => failure::http(&self.url, &trouble, self.login),
            None => failure::other(&self.url, cause),
        };
        Recovery::Failed(match self.said.lock().ok().and_then(|mut said| said.take()) {
            Some(said) => error.note(failure::quote(&said)),
            None => error,
        })
    }

    /// Takes the token that is kept for just this repository, if it was not tried before and it is the repository's own
    /// host that wants one; says whether there is one to try.
    fn show_token(&mut self, url: &str) -> Result<bool> {
        let own = reach::origin(self.url.as_str());
        let Some(origin) = reach::origin(url).filter(|origin| Some(origin) == own.as_ref()) else { return Ok(false) };
        if self.token == TokenState::Shown {
            // Git's own helpers may know better.
            self.token = TokenState::Refused;
            http::lock(&self.state).secret = None;
        }
        if self.token != TokenState::Unknown || !reach::may_carry_secrets(url) {
            return Ok(false);
        }
        let found = self.shared.options.tokens.find(&self.url)?;
        self.token = if found.is_some() { TokenState::Shown } else { TokenState::None };
        let Some(token) = found else { return Ok(false) };
        // As when pushing: a pair is one, and a token alone goes with a user that no host minds.
        let (user, password) = token.reveal().split_once(':').unwrap_or((TOKEN_USER, token.reveal()));
        let (user, password) = (user.to_owned(), password.to_owned());
        http::lock(&self.state).secret = Some(Secret { origin, user, password });
        Ok(true)
    }

    /// Asks the user's credential helpers for what the host wants; says how that went if it went wrong.
    fn log_in(&mut self, url: &str, challenges: &[String]) -> Result<(), Login> {
        let origin = reach::origin(url).ok_or(Login::NotAsked)?;
        if http::lock(&self.state).secret.take().is_some_and(|secret| secret.origin == origin) {
            if let Some((mut cascade, next)) = self.pending.take() {
                let _ = cascade.invoke(next.erase(), gix::prompt::Options::default());
            }
            return Err(Login::Refused);
        }
        if !reach::may_carry_secrets(url) {
            return Err(Login::Withheld);
        }
        let base =
            ["/info/refs?service=git-upload-pack", "/git-upload-pack"].iter().find_map(|end| url.strip_suffix(end));
        let parsed = gix::url::parse(base.unwrap_or(url)).map_err(|_| Login::NothingGiven)?;
        let snapshot = self.config.config_snapshot();
        let (mut cascade, mut action, mut prompt) =
            snapshot.credential_helpers(parsed).map_err(|_| Login::NothingGiven)?;
        // A program may be asked without a terminal; a person may not.
        let asks_a_program = prompt.askpass.as_ref().is_some_and(|askpass| askpass.is_file());
        if !self.shared.options.interactive {
            cascade.stderr = false;
            if !asks_a_program {
                prompt.mode = gix::prompt::Mode::Disable;
            }
        }
        let nobody = cascade.programs.is_empty() && prompt.mode == gix::prompt::Mode::Disable;
        if let Some(context) = action.context_mut() {
            context.www_authenticate = challenges.iter().map(|challenge| challenge.as_str().into()).collect();
        }
        let Ok(Some(given)) = cascade.invoke(action, prompt) else {
            return Err(if nobody { Login::NoHelper } else { Login::NothingGiven });
        };
        let secret = Secret { origin, user: given.identity.username, password: given.identity.password };
        http::lock(&self.state).secret = Some(secret);
        self.pending = Some((cascade, given.next));
        Ok(())
    }

    fn is_http(&self) -> bool {
        matches!(self.real.scheme, Scheme::Http | Scheme::Https)
    }

    /// Opens a connection. The outer error is one that no second try mends.
    fn connect(&mut self) -> Result<gix::Result<Connection>> {
        let transport: Box<dyn Transport + Send> = if self.is_http() {
            let client = self.client()?;
            let wire = Wire {
                client,
                state: self.state.clone(),
                received: self.shared.received.clone(),
                silence: self.shared.options.silence(),
            };
            Box::new(gix_http::Transport::new_http(wire, self.real.clone(), Protocol::V2, false))
        } else {
            let ssh = self.ssh().map_err(|cause| failure::configuration(&cause))?;
            match connect(self.real.clone(), ConnectOptions { version: Protocol::V2, ssh, trace: false }) {
                Ok(transport) => transport,
                Err(cause) => return Ok(Err(cause)),
            }
        };
        let mut transport = SendFlushOnDrop::new(transport, false);
        // Credentials are not left to gix: it would send them wherever it was redirected, and only after asking.
        let no_login = |_| Err(gix::Error::from_error(std::io::Error::from(std::io::ErrorKind::PermissionDenied)));
        let handshake =
            gix::protocol::handshake(&mut transport.inner, Service::UploadPack, no_login, Vec::new(), &mut Discard);
        Ok(handshake.map(|handshake| Connection { transport, handshake }))
    }

    fn client(&self) -> Result<reqwest::blocking::Client> {
        let config = self.config.config_snapshot();
        let proxy = config.string("http.proxy").map(|proxy| proxy.to_string());
        let authorities = config.trusted_path("http.sslCAInfo").map_err(|cause| failure::configuration(&cause))?;
        let authorities = authorities
            .map(|path| {
                let note = |error: Error| error.note("`http.sslCAInfo` of the git configuration names it");
                let found = disk::read(&path).map_err(note)?;
                found.ok_or_else(|| note(Error::usage(format!("`{}` not found", path.display()))))
            })
            .transpose()?;
        self.shared.client(http::Settings { proxy, authorities })
    }

    fn ssh(&self) -> gix::Result<gix::protocol::transport::client::blocking_io::ssh::connect::Options> {
        use gix::protocol::transport::client::blocking_io::ssh::ProgramKind;

        let mut options = self.config.ssh_connect_options()?;
        if options.command.is_none() && !self.shared.options.interactive {
            options.command = Some("ssh -oBatchMode=yes -oConnectTimeout=10".into());
            options.kind = Some(options.kind.unwrap_or(ProgramKind::Ssh));
        }
        Ok(options)
    }
}

/// The cache's repository, seen with the user's and the system's git configuration.
pub(super) fn user_config(folder: &Path, options: &GitOptions) -> gix::Result<gix::Repository> {
    use gix::open::{Permissions, permissions};
    use gix::sec::Permission;

    let ssh_askpass = if options.interactive { Permission::Allow } else { Permission::Deny };
    let permissions = Permissions {
        env: permissions::Environment { ssh_prefix: ssh_askpass, ..permissions::Environment::all() },
        config: permissions::Config {
            // Where git's own installation names the credential helper.
            git_binary: cfg!(any(target_os = "macos", windows)),
            ..permissions::Config::all()
        },
        ..Permissions::isolated()
    };
    let open = gix::open::Options::default().permissions(permissions).cli_overrides(options.config.iter().cloned());
    gix::open_opts(folder, open)
}

/// Whether the host's no has nothing to do with how it was asked.
fn is_final(said: &str) -> bool {
    // git, git before version 2 of the protocol, JGit.
    ["not our ref", "unadvertised object", "not valid"].iter().any(|no| said.contains(no))
}

fn agent() -> gix::protocol::command::Feature {
    ("agent", Some(concat!("git/skillpm-", env!("CARGO_PKG_VERSION")).to_owned()))
}

fn remote_ref(found: Ref) -> Option<RemoteRef> {
    let (name, id, target, tag) = match found {
        Ref::Peeled { full_ref_name, object, tag } => (full_ref_name, object, None, Some(CommitId(tag))),
        Ref::Direct { full_ref_name, object } => (full_ref_name, object, None, None),
        Ref::Symbolic { full_ref_name, target, object, .. } => (full_ref_name, object, Some(target), None),
        Ref::Unborn { .. } => return None,
    };
    // A name that is no text cannot be asked for.
    let target = target.and_then(|target| target.to_str().ok().map(str::to_owned));
    Some(RemoteRef { name: name.to_str().ok()?.to_owned(), commit: CommitId(id), target, tag })
}

impl Connection {
    fn hash(&self) -> gix::hash::Kind {
        let told = self.handshake.capabilities.capability("object-format");
        match told.as_ref().and_then(Capability::value) {
            Some(value) if value == "sha256" => gix::hash::Kind::Sha256,
            _ => gix::hash::Kind::Sha1,
        }
    }

    fn abilities(&self) -> Vec<String> {
        let line = |ability: Capability<'_>| match ability.value() {
            Some(value) => format!("{}={value}", ability.name()),
            None => ability.name().to_string(),
        };
        self.handshake.capabilities.iter().map(line).filter(|line| !line.is_empty()).collect()
    }

    fn ls_refs(&mut self, prefixes: &[&str]) -> gix::Result<Vec<Ref>> {
        // The older protocols tell all references at once, asked or not.
        if let Some(refs) = &self.handshake.refs {
            return Ok(refs.clone());
        }
        let mut asked = gix::protocol::ls_refs::RefPrefixes::new();
        asked.extend(prefixes.iter().map(|&prefix| prefix.into()));
        LsRefsCommand::new(Some(asked), &self.handshake.capabilities, agent()).invoke_blocking(
            &mut self.transport.inner,
            &mut Discard,
            false,
        )
    }

    fn fetch(
        &mut self,
        want: &Want<'_>,
        (packs, hash): (&Path, gix::hash::Kind),
        base: Option<&Base>,
        said: &Arc<Mutex<Option<String>>>,
    ) -> gix::Result<()> {
        let version = self.handshake.server_protocol_version;
        let mut features = Command::Fetch.default_features(version, &self.handshake.capabilities);
        features.push(agent());
        Response::check_required_features(version, &features)?;
        let is_sideband_all = features.iter().any(|(name, _)| *name == "sideband-all");
        let mut arguments = Arguments::new(version, features, false);
        if version == Protocol::V2 {
            arguments.add_feature("no-progress");
        }
        want.put(&mut arguments);
        // The older protocols negotiate over several rounds, which is not worth it.
        let base = base.filter(|_| version == Protocol::V2 && arguments.can_use_shallow());
        if let Some(base) = base {
            // Its past is not here, which the host must know, or it would leave that out, too.
            arguments.shallow(base.commit);
            arguments.have(base.commit);
        }

        let mut reader = arguments.send(&mut self.transport.inner, true).map_err(gix::Error::from_error)?;
        if is_sideband_all {
            reader.set_progress_handler(Some(listen(said)));
        }
        Response::from_line_reader(version, &mut reader, true, false)?;
        if !is_sideband_all {
            reader.set_progress_handler(Some(listen(said)));
        }
        store_pack(&mut reader, (packs, hash), base)?;
        std::io::copy(&mut reader, &mut std::io::sink()).map_err(gix::Error::from_error)?;
        Ok(())
    }
}

impl Want<'_> {
    fn put(&self, arguments: &mut Arguments) {
        let depth = match self {
            Want::Commit(_) | Want::Everything(_) | Want::Tag(_) => Some(1),
            Want::Past(_, depth) | Want::Line(_, depth) => Some(*depth),
            Want::Blobs(_) | Want::Trees(_) => None,
        };
        if let Some(depth) = depth.filter(|_| arguments.can_use_shallow()) {
            arguments.deepen(depth);
        }
        let filter = match self {
            Want::Commit(_) | Want::Past(..) => Some("blob:none"),
            Want::Line(..) | Want::Tag(_) => Some("tree:0"),
            Want::Everything(_) | Want::Blobs(_) | Want::Trees(_) => None,
        };
        if let Some(filter) = filter.filter(|_| arguments.can_use_filter()) {
            arguments.filter(filter);
        }
        match self {
            Want::Commit(id) | Want::Everything(id) | Want::Past(id, _) | Want::Line(id, _) | Want::Tag(id) => {
                arguments.want(id);
            }
            Want::Blobs(ids) | Want::Trees(ids) => ids.iter().for_each(|id| arguments.want(id)),
        }
    }
}

/// Keeps what the host says on its error channel; its progress is not for anyone.
fn listen<'a>(said: &Arc<Mutex<Option<String>>>) -> gix::protocol::transport::client::blocking_io::HandleProgress<'a> {
    let said = said.clone();
    Box::new(move |is_error, text| {
        if is_error && let Ok(mut said) = said.lock() {
            *said = Some(text.to_str_lossy().chars().take(500).collect());
        }
        std::ops::ControlFlow::Continue(())
    })
}

/// Hashes every object of the pack and lets it land in the directory by rename, index last.
fn store_pack(
    reader: &mut Box<dyn ExtendedBufRead<'_> + Unpin + '_>,
    (packs, hash): (&Path, gix::hash::Kind),
    base: Option<&Base>,
) -> gix::Result<()> {
    let options = gix::odb::pack::bundle::write::Options {
        alloc_limit_bytes: Some(OBJECT_MAX),
        thread_limit: Some(2),
        ..Default::default()
    };
    moment(Act::Write, packs).map_err(gix::Error::from_error)?;
    let outcome = gix::odb::pack::Bundle::write_to_directory(
        reader,
        Some(packs),
        &mut Discard,
        &AtomicBool::new(false),
        base.map(|base| base.objects.clone()),
        hash,
        options,
    )?;
    if let Some(keep) = outcome.keep_path {
        let _ = moment(Act::Remove, &keep).and_then(|()| std::fs::remove_file(keep));
    }
    Ok(())
}

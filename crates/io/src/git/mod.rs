//! Git repositories: what their references mean, what lies in a commit, and the files of one directory of it.
//!
//! Nothing is ever checked out or cloned. A commit and its trees are fetched without any file's content, then the
//! wanted files in one request; with a locked tree id even the first is left out. Objects are read from the object
//! database as they are: no filters, no line endings, no hooks, no submodules.
//!
//! ```text
//! refs      ls-refs           what branches and tags there are          1 request
//! listing   commit, trees     every path of a commit                    1 request, once a commit
//! fetch_blobs                 the files of the chosen directories       1 request
//! fetch_trees                 the same from a lockfile, all at once     1 request instead of those three
//! tree                        a directory as a package's `Tree`         none
//! ```
//!
//! A remote repository is cached in a folder below [`Git`]'s root (see `folder`); one that is on this disk
//! (`file://`) is read where it is. The only owner of gix in this house, and, for gix's sake, the second of reqwest.

mod begin;
pub mod cache;
mod checkout;
mod commit;
mod failure;
mod folder;
mod history;
mod http;
mod id;
mod listing;
#[cfg(test)]
pub(crate) mod loopback;
#[cfg(any(test, fuzzing))]
pub(crate) mod made_up;
mod memory;
mod objects;
mod package;
mod person;
mod push;
mod reach;
mod refs;
mod remote;
mod signed;
mod signing;
mod tag;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gix::ObjectId;

pub use self::begin::begin;
pub use self::checkout::{Authored, Checkout, Files, Snapshot};
pub use self::commit::{Author, Change, Draft, Head, Person};
pub use self::history::State;
pub use self::id::{BlobId, CommitId, TreeId};
pub use self::listing::{Entry, EntryKind, Listing};
pub use self::person::{author, safe_directories};
pub use self::push::Pushed;
pub use self::refs::{RemoteRef, Resolved, is_reference_name};
pub use self::signed::Changed;
pub use self::signing::{Signing, signing};
pub use self::tag::{Tag, tag, tagged};

use self::folder::Folder;
use self::memory::Memory;
use self::objects::{Lack, Objects};
use self::package::Check;
use self::refs::Question;
use self::remote::{Base, Fetched, Remote, Want};
use crate::error::{Error, Result};
use crate::package::{GitReference, GitUrl, Limits, Secret, Tree};

/// How repositories are reached.
#[derive(Debug, Clone, Default)]
pub struct GitOptions {
    /// Whether the network is off: only what was fetched before, and what is on this disk, can be had.
    pub offline: bool,
    /// Whether `http://` may lead to another machine.
    pub allow_http: bool,
    /// Whether git's credential helpers and ssh may ask a person on the terminal.
    pub interactive: bool,
    /// Further git configuration, `key=value` each, as `git -c` takes it.
    pub config: Vec<String>,
    /// How many settings the environment gives to git already: `GIT_CONFIG_COUNT`.
    pub environment_config: usize,
    /// Who knows the token that goes with a URL, before git's credential helpers are asked.
    pub tokens: Tokens,
    /// How long a host may be silent in the middle of an answer; `None` for as long as people wait. Tests cannot.
    pub silence: Option<Duration>,
}

impl GitOptions {
    fn silence(&self) -> Duration {
        self.silence.unwrap_or(http::SILENCE_MAX)
    }
}

/// Finds the token that goes with just this URL of a repository; the default knows none.
#[derive(Clone, Default)]
pub struct Tokens(Option<Arc<Finder>>);

type Finder = dyn Fn(&GitUrl) -> Result<Option<Secret>> + Send + Sync;

impl Tokens {
    /// Asks `find`.
    #[must_use]
    pub fn new(find: impl Fn(&GitUrl) -> Result<Option<Secret>> + Send + Sync + 'static) -> Tokens {
        Tokens(Some(Arc::new(find)))
    }

    /// The token for `url`; `None` if there is none.
    ///
    /// # Errors
    /// If somebody who may have it cannot be asked.
    pub fn find(&self, url: &GitUrl) -> Result<Option<Secret>> {
        self.0.as_ref().map_or(Ok(None), |find| find(url))
    }
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens(…)")
    }
}

/// Git, as one command uses it: opens repositories and shares among them what is dear to make.
///
/// Its repositories block their thread, and must not be used on one that drives an async runtime.
#[derive(Clone)]
pub struct Git(Arc<Shared>);

/// What all repositories of one [`Git`] share.
struct Shared {
    root: PathBuf,
    options: GitOptions,
    clients: Mutex<Vec<(http::Settings, reqwest::blocking::Client)>>,
    received: Arc<AtomicU64>,
}

impl Shared {
    /// The HTTP client for these settings; nearly always the same one.
    fn client(&self, settings: http::Settings) -> Result<reqwest::blocking::Client> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = clients.iter().find(|(known, _)| *known == settings) {
            return Ok(client.clone());
        }
        let client = http::client(&settings, self.options.silence()).map_err(|cause| {
            Error::usage("the network settings of the git configuration cannot be used")
                .cause(failure::scrub(&cause.to_string()))
                .help("`git config --get-regexp '^http\\.'` shows them")
        })?;
        clients.push((settings, client.clone()));
        Ok(client)
    }
}

impl Git {
    /// Git with its cache in the directory `root`, which is made when it is first needed.
    #[must_use]
    pub fn new(root: PathBuf, options: GitOptions) -> Git {
        Git(Arc::new(Shared { root, options, clients: Mutex::default(), received: Arc::default() }))
    }

    /// Opens the repository at `url`; nothing is asked of the network yet.
    ///
    /// # Errors
    /// If the URL leads unencrypted to another machine, or a repository on this disk is not there.
    pub fn open(&self, url: &GitUrl) -> Result<Repository> {
        let parsed = gix::url::parse(url.as_str()).map_err(|_| Error::usage(format!("`{url}` is not a git URL")))?;
        let (objects, cache) = if url.scheme() == "file" {
            (open_here(url)?, None)
        } else {
            reach::check(url, &parsed, self.0.options.allow_http)?;
            let (folder, objects) = Folder::open(&self.0.root, url)?;
            let memory = Memory::load(folder.path());
            (objects, Some(Cache { folder, memory, remote: None }))
        };
        Ok(Repository {
            url: url.clone(),
            shared: self.0.clone(),
            objects,
            cache,
            asked: BTreeMap::new(),
            listed: None,
        })
    }

    /// How many bytes have come in over HTTP so far; for a progress display.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.0.received.load(Ordering::Relaxed)
    }
}

/// A repository on this disk is read where it is: copying its objects first would cost time and give nothing.
fn open_here(url: &GitUrl) -> Result<Objects> {
    let path = url::Url::parse(url.as_str()).ok().and_then(|url| url.to_file_path().ok());
    let path = path.ok_or_else(|| Error::usage(format!("`{url}` names no directory")))?;
    Objects::open(&path).map_err(|cause| {
        // What is there, and could not be read, is none the less a repository.
        if [".git/HEAD", "HEAD"].iter().any(|head| path.join(head).symlink_metadata().is_ok()) {
            return failure::with_gix_causes(Error::disk(format!("could not open the repository `{url}`")), &cause);
        }
        failure::with_gix_causes(Error::negative(format!("`{url}` is not a git repository")), &cause)
            .help("a directory that is no repository is given as a path, without `file://`")
    })
}

/// One repository, remote or on this disk.
pub struct Repository {
    url: GitUrl,
    shared: Arc<Shared>,
    objects: Objects,
    /// `None` for a repository on this disk.
    cache: Option<Cache>,
    /// What was asked since the repository was opened, by prefix: within one command a branch does not move.
    asked: BTreeMap<String, Vec<RemoteRef>>,
    /// The commit that was listed last; what its blobs are fetched by where a host gives out none alone.
    listed: Option<ObjectId>,
}

struct Cache {
    folder: Folder,
    memory: Memory,
    remote: Option<Remote>,
}

impl Repository {
    /// The URL it was opened by.
    #[must_use]
    pub fn url(&self) -> &GitUrl {
        &self.url
    }

    /// The references whose full names begin with one of `prefixes` (`HEAD`, `refs/tags/`, `refs/heads/main`), sorted
    /// by name, as they are now; with the network off, as they were when they were last asked for.
    ///
    /// # Errors
    /// If the host cannot be asked, or was never asked and the network is off.
    pub fn refs(&mut self, prefixes: &[&str]) -> Result<Vec<RemoteRef>> {
        let is_answered = |prefix: &str| self.asked.keys().any(|asked| prefix.starts_with(asked.as_str()));
        let unknown: Vec<&str> = prefixes.iter().copied().filter(|&prefix| !is_answered(prefix)).collect();
        if !unknown.is_empty() {
            let found = self.ask_refs(&unknown)?;
            for prefix in unknown {
                let answer = found.iter().filter(|found| found.name.starts_with(prefix)).cloned().collect();
                self.asked.insert(prefix.to_owned(), answer);
            }
        }
        let is_meant = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let answers = self.asked.values().flatten().filter(|found| is_meant(&found.name));
        let mut refs: Vec<RemoteRef> = answers.cloned().collect();
        refs.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        refs.dedup();
        Ok(refs)
    }

    fn ask_refs(&mut self, prefixes: &[&str]) -> Result<Vec<RemoteRef>> {
        let Some(cache) = &mut self.cache else {
            return self.objects.local_refs(prefixes).map_err(|cause| {
                failure::with_gix_causes(
                    Error::network(format!("the references of `{}` cannot be read", self.url)),
                    &cause,
                )
            });
        };
        if self.shared.options.offline {
            let answers: Option<Vec<_>> = prefixes.iter().map(|prefix| cache.memory.recall(prefix)).collect();
            let answers = answers.ok_or_else(|| failure::offline(&self.url, "the list of branches and tags"))?;
            return Ok(answers.into_iter().flatten().collect());
        }
        let found = cache.remote(&self.url, &self.shared)?.ls_refs(prefixes)?;
        cache.remember(|memory| prefixes.iter().for_each(|prefix| memory.remember(prefix, &found)))?;
        Ok(found)
    }

    /// What a reference means now.
    ///
    /// 40 or 64 hexadecimal digits are a commit, whatever branches are called; fewer are looked for among the
    /// references and the commits that are here. `--branch` and `--tag` names are exact, so the one never stands for the
    /// other.
    ///
    /// # Errors
    /// [`Kind::Negative`](crate::error::Kind::Negative), with the nearest names, if there is no such reference.
    pub fn resolve(&mut self, reference: &GitReference) -> Result<Resolved> {
        match refs::question(reference)? {
            Question::Commit(commit) => Ok(Resolved { commit, full_name: None }),
            Question::Beginning(hex) => self.resolve_short(&hex),
            Question::Exactly(name) => {
                let found = self.refs(&[&name])?.into_iter().find(|found| found.name == name);
                match found {
                    Some(found) => {
                        Ok(Resolved { commit: found.commit, full_name: Some(found.target.unwrap_or(found.name)) })
                    }
                    None => {
                        // The error can do without the names it would suggest.
                        let all = self.refs(&["refs/heads/", "refs/tags/"]).unwrap_or_default();
                        Err(refs::missing(&self.url, reference, &all))
                    }
                }
            }
        }
    }

    fn resolve_short(&mut self, hex: &str) -> Result<Resolved> {
        let refs = match self.refs(&["HEAD", "refs/heads/", "refs/tags/"]) {
            // The commits that are here may be enough.
            Err(_) if self.shared.options.offline => Vec::new(),
            refs => refs?,
        };
        let mut commits: Vec<CommitId> = refs.into_iter().map(|found| found.commit).collect();
        commits.retain(|commit| commit.to_string().starts_with(hex));
        commits.extend(self.objects.commits_beginning(hex));
        commits.sort_unstable();
        commits.dedup();
        match commits[..] {
            [commit] => Ok(Resolved { commit, full_name: None }),
            [] => Err(Error::negative(format!("no commit of `{}` that begins with `{hex}` is known here", self.url))
                .help("give all 40 digits of its id; then it can be asked for")),
            _ => Err(Error::negative(format!("{} commits of `{}` begin with `{hex}`", commits.len(), self.url))
                .help("give all 40 digits of its id")),
        }
    }

    /// What lies in a commit. The commit and its trees are fetched if they are not here.
    ///
    /// # Errors
    /// If there is no such commit, it cannot be fetched, or it unfolds to more than any collection of skills holds.
    pub fn listing(&mut self, commit: &CommitId) -> Result<Listing> {
        let listing = self.with(|objects, _| listing::list(objects, commit.0), &Want::Commit(commit.0));
        let listing = listing.map_err(|lack| self.no_commit(commit, lack))?;
        self.listed = Some(listing.commit().0);
        Ok(listing)
    }

    fn no_commit(&self, commit: &CommitId, lack: Unmet) -> Error {
        match lack {
            Unmet::Refused(said) => {
                let error = Error::negative(format!("`{}` has no commit {commit}", self.url))
                    .help("it may have been removed by a force push; `skillpm update` takes what is there now");
                if said.is_empty() { error } else { error.note(said) }
            }
            Unmet::Offline => failure::offline(&self.url, &format!("commit {commit}")),
            Unmet::Failed(error) => error,
        }
    }

    /// Brings those of the blobs that are not here, in one request.
    ///
    /// # Errors
    /// If they cannot be fetched.
    pub fn fetch_blobs(&mut self, ids: &[BlobId]) -> Result<()> {
        let wanted: Vec<ObjectId> = ids.iter().map(|id| id.0).collect();
        let check = |objects: &Objects, check| package::check_blobs(objects, &wanted, check);
        let mut answer = self.with(check, &Want::Blobs(&wanted));
        if let (Err(Unmet::Refused(_)), Some(commit)) = (&answer, self.listed) {
            // Some hosts give out whole commits only.
            answer = self.with(check, &Want::Everything(commit));
        }
        answer.map_err(|unmet| match unmet {
            Unmet::Refused(said) => {
                let error = Error::network(format!("`{}` lacks files of its own commit", self.url));
                if said.is_empty() { error } else { error.note(said) }
            }
            Unmet::Offline => failure::offline(&self.url, "a file"),
            Unmet::Failed(error) => error,
        })
    }

    /// Brings whole directories by their tree ids, with neither commit nor listing, in one request: what a lockfile
    /// allows. `false` if the host does not have them or gives out no trees; then the commit must be listed.
    ///
    /// # Errors
    /// If the host cannot be asked, or a tree unfolds to more than a package holds.
    pub fn fetch_trees(&mut self, trees: &[TreeId]) -> Result<bool> {
        let wanted: Vec<ObjectId> = trees.iter().map(|tree| tree.0).collect();
        match self.with(|objects, check| package::check_trees(objects, &wanted, check), &Want::Trees(&wanted)) {
            Ok(()) => Ok(true),
            Err(Unmet::Refused(_)) => Ok(false),
            Err(Unmet::Offline) => Err(failure::offline(&self.url, "a locked directory")),
            Err(Unmet::Failed(error)) => Err(error),
        }
    }

    /// The content of a file that is here.
    ///
    /// # Errors
    /// If it is not here, not what its id says, or larger than any file of a package.
    pub fn blob(&self, id: &BlobId) -> Result<Vec<u8>> {
        self.blob_within(id, Limits::default().file)
    }

    fn blob_within(&self, id: &BlobId, limit: u64) -> Result<Vec<u8>> {
        let read = || {
            let size = self.objects.blob_size(id.0)?;
            if size > limit {
                return Err(Error::integrity(format!("file {id} has {size} bytes; the limit is {limit}")).into());
            }
            self.objects.read(id.0, gix::objs::Kind::Blob)
        };
        read().map_err(|lack| self.not_here("file", lack))
    }

    /// A directory as a package, from objects that are here.
    ///
    /// # Errors
    /// [`Kind::Integrity`](crate::error::Kind::Integrity), naming the entry, if it holds a link, a submodule, a path
    /// that no package may hold, or more than the [`Limits`] allow.
    pub fn tree(&self, tree: &TreeId) -> Result<Tree> {
        package::read(&self.objects, tree.0).map_err(|lack| self.not_here("directory", lack))
    }

    /// The directory at `path` of a commit, as far as both are here; nothing is brought for it.
    #[must_use]
    pub fn known_tree(&self, commit: &CommitId, path: &str) -> Option<TreeId> {
        let mut id = self.objects.commit(commit.0).ok()?.tree;
        let mut trees = listing::Trees::new(&self.objects);
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let tree = trees.get(id).ok()?;
            id = tree.iter().find(|raw| raw.name == part && raw.kind().is_none())?.id;
        }
        Some(TreeId(id))
    }

    /// The content of files of a commit, by path; `None` for one that is not there. What is not here is fetched: the commit
    /// and its trees first, then all of the files in one request.
    ///
    /// # Errors
    /// If they cannot be fetched, or one of them is larger than `limit` bytes.
    pub fn files_at(&mut self, commit: &CommitId, paths: &[String], limit: u64) -> Result<Vec<Option<Vec<u8>>>> {
        let find = |objects: &Objects, _: Check| {
            let root = objects.commit(commit.0)?.tree;
            let mut trees = listing::Trees::new(objects);
            paths.iter().map(|path| trees.file_at(root, path)).collect::<Result<Vec<Option<ObjectId>>, Lack>>()
        };
        let found = self.with(find, &Want::Commit(commit.0)).map_err(|lack| self.no_commit(commit, lack))?;
        self.listed = Some(commit.0);
        let wanted: Vec<BlobId> = found.iter().flatten().map(|&id| BlobId(id)).collect();
        self.fetch_blobs(&wanted)?;
        found.iter().map(|id| id.map(|id| self.blob_within(&BlobId(id), limit)).transpose()).collect()
    }

    /// When a commit that is here was made, in seconds since 1970; `None` if it is not here.
    #[must_use]
    pub fn commit_time(&self, commit: &CommitId) -> Option<i64> {
        self.objects.commit(commit.0).ok()?.time
    }

    fn not_here(&self, what: &str, lack: Lack) -> Error {
        match lack {
            Lack::Refused(error) => error,
            Lack::Missing(id) => Error::network(format!("{what} {id} of `{}` is not in the cache", self.url)),
            Lack::Damaged(id) => Error::integrity(format!("{what} {id} of `{}` is damaged in the cache", self.url))
                .help("run it again; what is damaged is fetched anew"),
        }
    }

    /// Does something that needs objects: as things are, then after fetching what is wanted, then, if even that did not
    /// help, in a fresh cache. So a damaged cache mends itself, and never answers for the host.
    fn with<T>(&mut self, work: impl Fn(&Objects, Check) -> Result<T, Lack>, want: &Want<'_>) -> Result<T, Unmet> {
        let lack = match work(&self.objects, Check::Content) {
            Ok(done) => return Ok(done),
            Err(Lack::Refused(error)) => return Err(Unmet::Failed(error)),
            Err(lack) => lack,
        };
        if self.cache.is_none() {
            return Err(match lack {
                Lack::Damaged(id) => {
                    Unmet::Failed(Error::integrity(format!("object {id} of `{}` is damaged", self.url)))
                }
                _ => Unmet::Refused(String::new()),
            });
        }
        if self.shared.options.offline {
            return Err(Unmet::Offline);
        }
        if let Lack::Damaged(_) = lack {
            self.renew(self.objects.hash())?;
        }
        self.fetch(want)?;
        match work(&self.objects, Check::Presence) {
            Ok(done) => return Ok(done),
            Err(Lack::Refused(error)) => return Err(Unmet::Failed(error)),
            // What was fetched is not there: a damaged pack of the same name stands in its place.
            Err(_) => self.renew(self.objects.hash())?,
        }
        self.fetch(want)?;
        work(&self.objects, Check::Presence).map_err(|lack| match lack {
            Lack::Refused(error) => Unmet::Failed(error),
            Lack::Missing(id) | Lack::Damaged(id) => {
                Unmet::Refused(format!("object {id} is not in what the host sent"))
            }
        })
    }

    fn fetch(&mut self, want: &Want<'_>) -> Result<(), Unmet> {
        // Twice, as only the host knows which hash its repository is built on.
        for _ in 0..2 {
            let lacking = self.lacking(want);
            let want = match want {
                // Another process has brought them meanwhile.
                Want::Blobs(_) | Want::Trees(_) if lacking.is_empty() => return Ok(()),
                Want::Blobs(_) => &Want::Blobs(&lacking),
                Want::Trees(_) => &Want::Trees(&lacking),
                Want::Commit(_) | Want::Everything(_) | Want::Past(..) | Want::Line(..) | Want::Tag(_) => want,
            };
            match self.receive(want)? {
                Fetched::Received => return Ok(()),
                Fetched::Refused(said) => return Err(Unmet::Refused(failure::quote(&said))),
                Fetched::OtherHash(hash) => self.renew(hash)?,
            }
        }
        Err(Unmet::Refused("the host cannot decide between SHA-1 and SHA-256".into()))
    }

    /// Asks the host for what is wanted; for a commit, first for what is new in it since the one that was fetched last.
    fn receive(&mut self, want: &Want<'_>) -> Result<Fetched> {
        let base = self.known_base(want).map(|commit| Base { commit, objects: self.objects.handle() });
        let cache = self.cache.as_mut().expect("only a cache is fetched into");
        let (packs, hash) = (cache.folder.packs(), self.objects.hash());
        let mut answer = cache.remote(&self.url, &self.shared)?.fetch(want, (&packs, hash), base.as_ref());
        if base.is_some() && !matches!(answer, Ok(Fetched::Received)) {
            // Not every host can tell what is new since a commit whose past it did not send.
            answer = cache.remote(&self.url, &self.shared)?.fetch(want, (&packs, hash), None);
        }
        let received = match (&answer, want) {
            (Ok(Fetched::Received), Want::Commit(commit)) => Some(CommitId(*commit)),
            _ => None,
        };
        cache.remember(|memory| memory.fetched = received.or(memory.fetched))?;
        answer
    }

    /// The commit that was fetched last, with all its trees, if another is wanted now.
    fn known_base(&self, want: &Want<'_>) -> Option<ObjectId> {
        let Want::Commit(wanted) = want else { return None };
        let CommitId(known) = self.cache.as_ref()?.memory.fetched?;
        (known != *wanted && self.objects.holds(known)).then_some(known)
    }

    /// Those of the wanted blobs or trees that are not here in whole.
    fn lacking(&self, want: &Want<'_>) -> Vec<ObjectId> {
        match want {
            Want::Commit(_) | Want::Everything(_) | Want::Past(..) | Want::Line(..) | Want::Tag(_) => Vec::new(),
            Want::Blobs(ids) => self.objects.missing(ids),
            Want::Trees(ids) => {
                let is_here = |id: &ObjectId| package::check_trees(&self.objects, &[*id], Check::Presence).is_ok();
                ids.iter().copied().filter(|id| !is_here(id)).collect()
            }
        }
    }

    /// Begins the cache afresh, keeping what the host said.
    fn renew(&mut self, hash: gix::hash::Kind) -> Result<()> {
        let cache = self.cache.as_mut().expect("only a cache is renewed");
        self.objects = cache.folder.renew(Some(hash))?;
        cache.memory.save(cache.folder.path())
    }
}

/// Why something that needs objects cannot be done.
enum Unmet {
    /// The host does not have them, or gives them to nobody; what there is to say about it, if anything.
    Refused(String),
    /// They are not here, and the network is off.
    Offline,
    Failed(Error),
}

impl From<Error> for Unmet {
    fn from(error: Error) -> Self {
        Unmet::Failed(error)
    }
}

impl Cache {
    fn remote(&mut self, url: &GitUrl, shared: &Arc<Shared>) -> Result<&mut Remote> {
        let remote = match self.remote.take() {
            Some(remote) => remote,
            None => Remote::new(url, shared, self.folder.path(), self.memory.host.clone())?,
        };
        Ok(self.remote.insert(remote))
    }

    /// Changes the memory, adds what the host told of itself meanwhile, and writes it down if any of that is new.
    fn remember(&mut self, change: impl FnOnce(&mut Memory)) -> Result<()> {
        let before = self.memory.clone();
        change(&mut self.memory);
        if let Some(learned) = self.remote.as_ref().and_then(Remote::learned) {
            self.memory.host = Some(learned.to_vec());
        }
        if self.memory == before { Ok(()) } else { self.memory.save(self.folder.path()) }
    }
}

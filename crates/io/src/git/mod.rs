//! Git repositories: references, the paths of a commit, and the files of a directory in it.
//!
//! Nothing is ever checked out or cloned. A commit and its trees are fetched without the content of files, then the
//! wanted files in one request; with a locked tree id, the first request is skipped. Objects are read from the object
//! database as they are: no filters, no line-ending conversion, no hooks, no submodules.
//!
//! ```text
//! refs      ls-refs           the branches and tags                     1 request
//! listing   commit, trees     every path of a commit                    1 request, once per commit
//! fetch_blobs                 the files of the chosen directories       1 request
//! fetch_trees                 the same from a lockfile, all at once     1 request instead of three
//! tree                        a directory as a package's `Tree`         none
//! ```
//!
//! A remote repository is cached in a folder below [`GitClient`]'s root (see `cache_folder`); a local one (`file://`)
//! is read in place. Only this module uses gix; reqwest is used by [`http`](crate::http), too.

mod attributes;
pub mod cache;
mod cache_folder;
mod checkout;
mod commit;
mod config;
mod connection;
mod environment;
mod failure;
mod history;
mod host_record;
mod http;
mod id;
mod identity;
mod init;
mod listing;
mod local_refs;
#[cfg(test)]
pub(crate) mod loopback;
mod netrc;
mod objects;
mod package;
mod push;
mod refs;
mod remote;
mod signed;
mod signing;
mod ssh;
#[cfg(any(test, feature = "test-support"))]
pub mod synthetic;
mod tag;
#[cfg(test)]
mod tests;
mod tls;
mod url_policy;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gix::ObjectId;

pub use self::attributes::{ATTRIBUTES_FILE, crlf_setting, keep_line_ends_line, with_attributes};
pub use self::checkout::{AuthoredCommit, CommitFiles, CommitSnapshot, GitCheckout};
pub use self::commit::{BranchHead, CommitAuthor, CommitChange, DraftCommit, GitIdentity};
pub use self::config::safe_directories;
pub use self::history::DirectoryState;
pub use self::id::{BlobId, CommitId, TreeId};
pub use self::identity::commit_author;
pub use self::init::init_repository;
pub use self::listing::{CommitListing, EntryKind, ListedEntry, ListingLimits};
pub use self::push::PushOutcome;
pub use self::refs::{RemoteRef, ResolvedReference, is_reference_name};
pub use self::signed::FileRevision;
pub use self::signing::{CommitSigning, commit_signing};
pub use self::tag::{AnnotatedTag, create_tag, resolve_tag};

use self::cache_folder::CacheFolder;
use self::connection::{FetchBase, FetchWant, PackTarget};
use self::host_record::HostRecord;
use self::objects::{ObjectDatabase, ObjectError};
use self::package::CheckLevel;
use self::refs::ReferenceQuery;
use self::remote::{FetchOutcome, RemoteHost};
use crate::http::root_cause;
use crate::traffic::TrafficLog;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{GitReference, GitUrl, SecretString, Tree, TreeLimits};
use skillpm_core::report::{EventReporter, ProgressEvent};

/// How repositories are accessed.
#[derive(Debug, Clone, Default)]
pub struct GitOptions {
    /// Whether network access is disabled: only cached and local objects are available.
    pub offline: bool,
    /// Whether `http://` to another machine is allowed.
    pub allow_http: bool,
    /// Whether git's credential helpers and ssh may prompt on the terminal.
    pub interactive: bool,
    /// Further git configuration, `key=value` each, as `git -c` takes it.
    pub config: Vec<String>,
    /// How many settings the environment passes to git already: `GIT_CONFIG_COUNT`.
    pub environment_config: usize,
    /// What the environment passes to git, and is not supported: a sentence each.
    pub unread_environment: Vec<String>,
    /// A file of logins by host, in the form of `~/.netrc`; it need not exist.
    pub netrc: Option<PathBuf>,
    /// A PEM file of further certificate authorities to trust.
    pub ca_file: Option<PathBuf>,
    /// Where the other certificate authorities come from.
    pub authorities: AuthoritySource,
    /// Finds the token for a URL, before git's credential helpers are asked.
    pub tokens: TokenLookup,
    /// How long a host may be silent during a response; `None` for the default, which is too long for tests.
    pub silence: Option<Duration>,
    /// Where requests are logged.
    pub traffic: TrafficLog,
}

/// Where trusted certificate authorities come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AuthoritySource {
    /// The system.
    #[default]
    System,
    /// `SSL_CERT_FILE` or `SSL_CERT_DIR`, instead of the system.
    Environment,
}

impl GitOptions {
    fn silence(&self) -> Duration {
        self.silence.unwrap_or(http::SILENCE_MAX)
    }
}

/// Finds the token for exactly this repository URL; the default finds none.
#[derive(Clone, Default)]
pub struct TokenLookup(Option<Arc<TokenLookupFn>>);

type TokenLookupFn = dyn Fn(&GitUrl) -> Result<Option<SecretString>> + Send + Sync;

impl TokenLookup {
    /// Looks tokens up with `find`.
    #[must_use]
    pub fn new(
        find: impl Fn(&GitUrl) -> Result<Option<SecretString>> + Send + Sync + 'static,
    ) -> TokenLookup {
        TokenLookup(Some(Arc::new(find)))
    }

    /// The token for `url`; `None` if there is none.
    ///
    /// # Errors
    /// If a token store cannot be read.
    pub fn find(&self, url: &GitUrl) -> Result<Option<SecretString>> {
        self.0.as_ref().map_or(Ok(None), |find| find(url))
    }
}

impl std::fmt::Debug for TokenLookup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens(…)")
    }
}

/// Opens repositories, and shares expensive resources among them, for the duration of a command.
///
/// Its repositories block the thread, and must not be used on one that runs an async runtime.
#[derive(Clone)]
pub struct GitClient(Arc<GitShared>);

/// The state that all repositories of one [`GitClient`] share.
struct GitShared {
    root: PathBuf,
    options: GitOptions,
    clients: Mutex<
        Vec<(
            http::ClientSettings,
            http::ClientScope,
            reqwest::blocking::Client,
        )>,
    >,
}

impl GitShared {
    /// The HTTP client for requests to `url` with these settings; nearly always the same one.
    fn client(
        &self,
        settings: &http::ClientSettings,
        url: &str,
    ) -> Result<reqwest::blocking::Client> {
        let scope = http::ClientScope::from_url(settings, url);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = clients.iter();
        if let Some((_, _, client)) = known.find(|(known, of, _)| known == settings && *of == scope)
        {
            return Ok(client.clone());
        }

        // A list and not one client: `http.proxy` and `http.sslCAInfo` may differ by URL.
        let client =
            http::build_client(settings, scope, self.options.silence()).map_err(|cause| {
                Error::usage("invalid network settings in the git configuration")
                    .cause(failure::scrub(&root_cause(&cause).to_string()))
                    .help("`git config --get-regexp '^http\\.'` shows them")
            })?;

        clients.push((settings.clone(), scope, client.clone()));
        Ok(client)
    }
}

impl GitClient {
    /// A client with its cache in the directory `root`, which is created when it is first needed.
    #[must_use]
    pub fn new(root: PathBuf, options: GitOptions) -> GitClient {
        GitClient(Arc::new(GitShared {
            root,
            options,
            clients: Mutex::default(),
        }))
    }

    /// Opens the repository at `url`, without network access yet.
    ///
    /// # Errors
    /// If the URL is an unencrypted one to another machine, or a local repository does not exist.
    pub fn open(&self, url: &GitUrl) -> Result<GitRepository<'static>> {
        let parsed = gix::url::parse(url.as_str())
            .map_err(|_| Error::usage(format!("invalid git URL `{url}`")))?;

        // A local repository has nothing to fetch, and so needs no cache and no request.
        let (objects, cache) = if url.scheme() == "file" {
            (open_local(url)?, None)
        } else {
            // Before a folder is created: a refused URL leaves nothing behind.
            url_policy::check_url(url, &parsed, self.0.options.allow_http)?;
            let (folder, objects) = CacheFolder::open(&self.0.root, url)?;
            let record = HostRecord::load(folder.path());
            (
                objects,
                Some(RemoteCache {
                    folder,
                    record,
                    remote: None,
                    notice: None,
                }),
            )
        };

        Ok(GitRepository {
            url: url.clone(),
            shared: self.0.clone(),
            objects,
            cache,
            known_refs: BTreeMap::new(),
            last_listed: None,
        })
    }
}

/// What is reported before the first request.
struct RequestNotice<'r> {
    what: String,
    reporter: &'r dyn EventReporter,
}

/// Opens a local repository in place: copying its objects to the cache would only cost time.
fn open_local(url: &GitUrl) -> Result<ObjectDatabase> {
    let path = url::Url::parse(url.as_str())
        .ok()
        .and_then(|url| url.to_file_path().ok());
    let path = path.ok_or_else(|| {
        Error::usage(format!(
            "invalid file URL `{url}`: it does not name a directory"
        ))
    })?;

    ObjectDatabase::open(&path).map_err(|cause| {
        // A repository that exists but cannot be read.
        if [".git/HEAD", "HEAD"]
            .iter()
            .any(|head| path.join(head).symlink_metadata().is_ok())
        {
            return failure::with_gix_causes(
                Error::disk(format!("failed to open repository `{url}`")),
                &cause,
            );
        }
        failure::with_gix_causes(
            Error::negative(format!("`{url}` is not a git repository")),
            &cause,
        )
        .help("for a directory that is not a repository, use its path without `file://`")
    })
}

/// One repository, remote or local.
pub struct GitRepository<'r> {
    url: GitUrl,
    shared: Arc<GitShared>,
    objects: ObjectDatabase,
    /// `None` for a local repository.
    cache: Option<RemoteCache<'r>>,
    /// References requested since the repository was opened, by prefix: within one command a branch does not move.
    known_refs: BTreeMap<String, Vec<RemoteRef>>,
    /// The commit that was listed last; fetched as a whole if a host does not serve single blobs.
    last_listed: Option<ObjectId>,
}

struct RemoteCache<'r> {
    folder: CacheFolder,
    record: HostRecord,
    remote: Option<RemoteHost>,
    /// `None` once it was reported.
    notice: Option<RequestNotice<'r>>,
}

impl<'r> GitRepository<'r> {
    /// Reports the fetching of `what` when the first request is made; a local repository, which needs none, at once.
    #[must_use]
    pub fn announce(mut self, what: String, reporter: &'r dyn EventReporter) -> Self {
        match &mut self.cache {
            Some(cache) => cache.notice = Some(RequestNotice { what, reporter }),
            None => reporter.report(ProgressEvent::Fetching { what }),
        }
        self
    }
}

impl GitRepository<'_> {
    /// The URL it was opened by.
    #[must_use]
    pub fn url(&self) -> &GitUrl {
        &self.url
    }

    /// The references whose full names begin with one of `prefixes` (`HEAD`, `refs/tags/`, `refs/heads/main`), sorted
    /// by name; offline, as of the last request.
    ///
    /// # Errors
    /// If the host cannot be reached, or they were never requested and the network is disabled.
    pub fn refs(&mut self, prefixes: &[&str]) -> Result<Vec<RemoteRef>> {
        // The answer for a shorter prefix includes that for a longer one.
        let is_answered = |prefix: &str| {
            self.known_refs
                .keys()
                .any(|asked| prefix.starts_with(asked.as_str()))
        };

        let unknown: Vec<&str> = prefixes
            .iter()
            .copied()
            .filter(|&prefix| !is_answered(prefix))
            .collect();

        if !unknown.is_empty() {
            let found = self.query_refs(&unknown)?;
            for prefix in unknown {
                let answer = found
                    .iter()
                    .filter(|found| found.name.starts_with(prefix))
                    .cloned()
                    .collect();
                self.known_refs.insert(prefix.to_owned(), answer);
            }
        }

        // From all answers: the one for a shorter prefix may have been requested before.
        let is_meant = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let answers = self
            .known_refs
            .values()
            .flatten()
            .filter(|found| is_meant(&found.name));
        let mut refs: Vec<RemoteRef> = answers.cloned().collect();
        // The same reference may match two prefixes.
        refs.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        refs.dedup();
        Ok(refs)
    }

    fn query_refs(&mut self, prefixes: &[&str]) -> Result<Vec<RemoteRef>> {
        let Some(cache) = &mut self.cache else {
            return self.objects.local_refs(prefixes).map_err(|cause| {
                failure::with_gix_causes(
                    Error::network(format!("failed to read the references of `{}`", self.url)),
                    &cause,
                )
                .help(format!(
                    "`git ls-remote {}` shows whether git itself can read it",
                    self.url
                ))
            });
        };

        if self.shared.options.offline {
            let answers: Option<Vec<_>> = prefixes
                .iter()
                .map(|prefix| cache.record.recall(prefix))
                .collect();
            // All or none: with one prefix missing, a branch could seem not to exist.
            let answers = answers.ok_or_else(|| {
                failure::offline_error(&self.url, "the list of branches and tags")
            })?;
            return Ok(answers.into_iter().flatten().collect());
        }

        // Recorded for `--offline`, which has no other list of branches and tags.
        let found = cache.remote(&self.url, &self.shared)?.ls_refs(prefixes)?;
        cache.update_record(|record| {
            prefixes
                .iter()
                .for_each(|prefix| record.remember(prefix, &found));
        })?;
        Ok(found)
    }

    /// The commit that a reference means now.
    ///
    /// 40 or 64 hexadecimal digits are a commit, even if a branch has that name; fewer are looked up among the references
    /// and the cached commits. `--branch` and `--tag` names are exact, so one is never taken for the other.
    ///
    /// # Errors
    /// [`FailureKind::Negative`](skillpm_core::error::FailureKind::Negative), with similar names, if there is no such
    /// reference.
    pub fn resolve(&mut self, reference: &GitReference) -> Result<ResolvedReference> {
        match refs::reference_query(reference)? {
            ReferenceQuery::Commit(commit) => Ok(ResolvedReference {
                commit,
                full_name: None,
            }),
            ReferenceQuery::Prefix(hex) => self.resolve_short(&hex),
            ReferenceQuery::Exact(name) => {
                let found = self
                    .refs(&[&name])?
                    .into_iter()
                    .find(|found| found.name == name);
                match found {
                    Some(found) => Ok(ResolvedReference {
                        commit: found.commit,
                        full_name: Some(found.target.unwrap_or(found.name)),
                    }),
                    None => {
                        // Without the other references, the error just has no suggestions.
                        let all = self
                            .refs(&["refs/heads/", "refs/tags/"])
                            .unwrap_or_default();
                        Err(refs::unknown_reference(&self.url, reference, &all))
                    }
                }
            }
        }
    }

    /// Whether the object that a reference means is no commit, as of a tag of a directory; false where it was never fetched.
    #[must_use]
    pub fn is_other_object(&self, commit: &CommitId) -> bool {
        self.objects.is_other_kind(commit.0)
    }

    fn resolve_short(&mut self, hex: &str) -> Result<ResolvedReference> {
        let refs = match self.refs(&["HEAD", "refs/heads/", "refs/tags/"]) {
            // The cached commits may be enough.
            Err(_) if self.shared.options.offline => Vec::new(),
            refs => refs?,
        };

        let mut commits: Vec<CommitId> = refs.into_iter().map(|found| found.commit).collect();
        commits.retain(|commit| commit.to_string().starts_with(hex));
        commits.extend(self.objects.commits_with_prefix(hex));
        // The same commit may have several names, which does not make it ambiguous.
        commits.sort_unstable();
        commits.dedup();

        match commits[..] {
            [commit] => Ok(ResolvedReference {
                commit,
                full_name: None,
            }),
            [] => Err(Error::negative(format!(
                "unknown commit `{hex}` in `{}`: no branch, tag or cached commit begins with it",
                self.url
            ))
            .help("use the full commit id, which can be fetched")),
            _ => Err(Error::negative(format!(
                "ambiguous commit `{hex}`: {} commits of `{}` begin with it",
                commits.len(),
                self.url
            ))
            .help("use the full commit id")),
        }
    }

    /// The paths of a commit. The commit and its trees are fetched if they are not cached.
    ///
    /// # Errors
    /// If there is no such commit, it cannot be fetched, or it has more entries than the limit.
    pub fn list_commit(&mut self, commit: &CommitId) -> Result<CommitListing> {
        self.list_commit_in(commit, &|_| true, ListingLimits::SKILLS)
    }

    /// The same, without the directories for whose path `enters` is false: they are not read, and do not count for the limits.
    ///
    /// # Errors
    /// As for [`GitRepository::list_commit`].
    pub fn list_commit_in(
        &mut self,
        commit: &CommitId,
        enters: &dyn Fn(&str) -> bool,
        limits: ListingLimits,
    ) -> Result<CommitListing> {
        // Blobs are left out: paths are enough to find skills, and most files are not wanted.
        let listing = self.with_objects(
            |objects, _| listing::list_commit(objects, commit.0, enters, limits),
            &FetchWant::Commit(commit.0),
        );
        let listing = listing.map_err(|lack| self.commit_error(commit, lack))?;
        // `fetch_blobs` uses it if a host serves whole commits only.
        self.last_listed = Some(listing.commit().0);
        Ok(listing)
    }

    fn commit_error(&self, commit: &CommitId, lack: ObjectsFailure) -> Error {
        match lack {
            ObjectsFailure::Refused(said) => {
                let error = Error::negative(format!("commit {commit} not found in `{}`", self.url))
                    .help("it may have been removed by a force push; run `skillpm update` to lock the current commit");
                if said.is_empty() {
                    error
                } else {
                    error.note(said)
                }
            }
            ObjectsFailure::Offline => {
                failure::offline_error(&self.url, &format!("commit {commit}"))
            }
            ObjectsFailure::Failed(error) => error,
        }
    }

    /// Fetches the blobs that are not cached, in one request.
    ///
    /// # Errors
    /// If they cannot be fetched.
    pub fn fetch_blobs(&mut self, ids: &[BlobId]) -> Result<()> {
        let wanted: Vec<ObjectId> = ids.iter().map(|id| id.0).collect();
        self.with_blobs(&wanted, |objects, check| {
            package::check_blobs(objects, &wanted, check)
        })
    }

    /// Fetches the blobs that are not cached, in one request, for [`GitRepository::fetch_and_read_blob`]: the others are not
    /// read to check them.
    ///
    /// # Errors
    /// If they cannot be fetched.
    pub fn fetch_missing_blobs(&mut self, ids: &[BlobId]) -> Result<()> {
        let wanted: Vec<ObjectId> = ids.iter().map(|id| id.0).collect();
        self.with_blobs(&wanted, |objects, _| {
            let missing = objects.missing_ids(&wanted).into_iter().next();
            missing.map_or(Ok(()), |id| Err(ObjectError::Missing(id)))
        })
    }

    /// The content of a file, which is fetched if it is not cached, or damaged there.
    ///
    /// # Errors
    /// If it cannot be fetched, or is larger than the limit for files of a package.
    pub fn fetch_and_read_blob(&mut self, id: &BlobId) -> Result<Vec<u8>> {
        let limit = TreeLimits::default().file;
        self.with_blobs(&[id.0], |objects, _| {
            objects.read_object_within(id.0, gix::objs::Kind::Blob, limit)
        })
    }

    /// Runs `work`, which needs blobs; those that it lacks are fetched in one request.
    fn with_blobs<T>(
        &mut self,
        wanted: &[ObjectId],
        work: impl Fn(&ObjectDatabase, CheckLevel) -> Result<T, ObjectError>,
    ) -> Result<T> {
        let mut answer = self.with_objects(&work, &FetchWant::Blobs(wanted));

        // Asked for single blobs first: a whole commit may be a thousand times as large.
        if let (Err(ObjectsFailure::Refused(_)), Some(commit)) = (&answer, self.last_listed) {
            // Some hosts serve whole commits only.
            answer = self.with_objects(&work, &FetchWant::Everything(commit));
        }

        answer.map_err(|unmet| match unmet {
            ObjectsFailure::Refused(said) => {
                let error = Error::network(format!(
                    "failed to fetch files of `{}`: the host does not send them",
                    self.url
                ));
                if said.is_empty() {
                    error
                } else {
                    error.note(said)
                }
            }
            ObjectsFailure::Offline => failure::offline_error(&self.url, "a file"),
            ObjectsFailure::Failed(error) => error,
        })
    }

    /// Fetches whole directories by their tree ids, without commit or listing, in one request: possible with a
    /// lockfile. `false` if the host does not have them or does not serve trees; then the commit must be listed.
    ///
    /// # Errors
    /// If the host cannot be reached, or a tree has more entries than a package may have.
    pub fn fetch_trees(&mut self, trees: &[TreeId]) -> Result<bool> {
        let wanted: Vec<ObjectId> = trees.iter().map(|tree| tree.0).collect();
        match self.with_objects(
            |objects, check| package::check_trees(objects, &wanted, check),
            &FetchWant::Trees(&wanted),
        ) {
            Ok(()) => Ok(true),
            // Not an error: hosts may refuse ids that no reference points to.
            Err(ObjectsFailure::Refused(_)) => Ok(false),
            Err(ObjectsFailure::Offline) => {
                Err(failure::offline_error(&self.url, "a locked directory"))
            }
            Err(ObjectsFailure::Failed(error)) => Err(error),
        }
    }

    /// The content of a cached file.
    ///
    /// # Errors
    /// If it is not cached, does not match its id, or is larger than the limit for files of a package.
    pub fn read_blob(&self, id: &BlobId) -> Result<Vec<u8>> {
        self.read_blob_within(id, TreeLimits::default().file)
    }

    fn read_blob_within(&self, id: &BlobId, limit: u64) -> Result<Vec<u8>> {
        self.objects
            .read_object_within(id.0, gix::objs::Kind::Blob, limit)
            .map_err(|lack| self.missing_object("file", lack))
    }

    /// A directory as a package, from cached objects.
    ///
    /// # Errors
    /// [`FailureKind::Integrity`](skillpm_core::error::FailureKind::Integrity), naming the entry, if it contains a link
    /// that leads out of it, a submodule, an invalid path, or more than the [`TreeLimits`] allow.
    pub fn read_tree(&self, tree: &TreeId) -> Result<Tree> {
        self.read_linked_tree(tree, None)
    }

    /// The same, with the file outside of the directory that its `SKILL.md` is a link to.
    ///
    /// # Errors
    /// As for [`GitRepository::read_tree`].
    pub fn read_linked_tree(&self, tree: &TreeId, linked: Option<&ListedEntry>) -> Result<Tree> {
        package::read_package(&self.objects, tree.0, linked)
            .map_err(|lack| self.missing_object("directory", lack))
    }

    /// The target that is written in a cached symbolic link; `None` if that is no path.
    ///
    /// # Errors
    /// If it is not cached, or does not match its id.
    pub fn read_link(&self, link: &BlobId) -> Result<Option<String>> {
        package::read_link(&self.objects, link.0).map_err(|lack| self.missing_object("link", lack))
    }

    /// The directory at `path` of a commit, if both are cached; nothing is fetched.
    #[must_use]
    pub fn find_cached_tree(&self, commit: &CommitId, path: &str) -> Option<TreeId> {
        let root = self.objects.read_commit(commit.0).ok()?.tree;
        // Any failure counts as not cached: the caller only compares what is here.
        let mut trees = listing::TreeCache::new(&self.objects);
        trees.find_dir(root, path).ok()?.map(TreeId)
    }

    /// The content of files of a commit, by path; `None` for a missing one. Objects that are not cached are fetched: the
    /// commit and its trees first, then all of the files in one request.
    ///
    /// # Errors
    /// If they cannot be fetched, one of them is larger than `limit` bytes, or they are together larger than `together`.
    pub fn read_files(
        &mut self,
        commit: &CommitId,
        paths: &[String],
        limits: (u64, u64),
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let find = |objects: &ObjectDatabase, _: CheckLevel| {
            let root = objects.read_commit(commit.0)?.tree;
            let mut trees = listing::TreeCache::new(objects);
            paths
                .iter()
                .map(|path| trees.find_file(root, path))
                .collect::<Result<Vec<Option<ObjectId>>, ObjectError>>()
        };

        let found = self
            .with_objects(find, &FetchWant::Commit(commit.0))
            .map_err(|lack| self.commit_error(commit, lack))?;
        self.last_listed = Some(commit.0);
        let wanted: Vec<BlobId> = found.iter().flatten().map(|&id| BlobId(id)).collect();
        self.fetch_blobs(&wanted)?;
        self.read_found(&found, limits)
    }

    /// The contents of cached blobs: `limit` is for each, `together` for all that are in memory at once.
    fn read_found(
        &self,
        found: &[Option<ObjectId>],
        (limit, together): (u64, u64),
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let mut left = together;
        let mut contents = Vec::with_capacity(found.len());
        for id in found {
            let Some(id) = id else {
                contents.push(None);
                continue;
            };
            let bytes = self.read_blob_within(&BlobId(*id), limit)?;
            left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
                Error::integrity(format!(
                    "refusing to read more than {together} bytes of `{}` at once",
                    self.url
                ))
            })?;
            contents.push(Some(bytes));
        }
        Ok(contents)
    }

    /// The time of a cached commit, in seconds since 1970; `None` if it is not cached.
    #[must_use]
    pub fn commit_time(&self, commit: &CommitId) -> Option<i64> {
        self.objects.read_commit(commit.0).ok()?.time
    }

    fn missing_object(&self, what: &str, lack: ObjectError) -> Error {
        match lack {
            ObjectError::Refused(error) => error,
            ObjectError::Missing(id) => Error::network(format!(
                "{what} {id} of `{}` not found in the cache",
                self.url
            )),
            ObjectError::Damaged(id) => Error::integrity(format!(
                "failed to read {what} {id} of `{}` from the cache: it is damaged",
                self.url
            ))
            .help("run the command again; damaged objects are fetched again"),
        }
    }

    /// Runs `work`, which needs objects: first with the cache as it is, then after fetching `want`, and if that did not
    /// help, with a new cache. So a damaged cache repairs itself, and never replaces the host.
    fn with_objects<T>(
        &mut self,
        work: impl Fn(&ObjectDatabase, CheckLevel) -> Result<T, ObjectError>,
        want: &FetchWant<'_>,
    ) -> Result<T, ObjectsFailure> {
        let lack = match work(&self.objects, CheckLevel::Content) {
            Ok(done) => return Ok(done),
            Err(ObjectError::Refused(error)) => return Err(ObjectsFailure::Failed(error)),
            Err(lack) => lack,
        };
        self.check_fetchable(&lack)?;

        // A damaged pack would still be used for its objects.
        if let ObjectError::Damaged(_) = lack {
            self.recreate_cache(self.objects.object_hash())?;
        }
        self.fetch(want)?;

        match work(&self.objects, CheckLevel::Presence) {
            Ok(done) => return Ok(done),
            Err(ObjectError::Refused(error)) => return Err(ObjectsFailure::Failed(error)),
            // The fetched objects are missing: a damaged pack of the same name is in their place.
            Err(_) => self.recreate_cache(self.objects.object_hash())?,
        }

        self.fetch(want)?;
        work(&self.objects, CheckLevel::Presence).map_err(|lack| match lack {
            ObjectError::Refused(error) => ObjectsFailure::Failed(error),
            ObjectError::Missing(id) | ObjectError::Damaged(id) => ObjectsFailure::Refused(
                format!("object {id} is missing from the response of the host"),
            ),
        })
    }

    /// Refuses if there is no host to fetch missing objects from: for a local repository, and offline.
    fn check_fetchable(&self, lack: &ObjectError) -> Result<(), ObjectsFailure> {
        if self.cache.is_none() {
            return Err(match lack {
                ObjectError::Damaged(id) => ObjectsFailure::Failed(Error::integrity(format!(
                    "failed to read object {id} of `{}`: it is damaged",
                    self.url
                ))),
                _ => ObjectsFailure::Refused(String::new()),
            });
        }

        // After the check above: a local repository is read in the same way offline.
        if self.shared.options.offline {
            return Err(ObjectsFailure::Offline);
        }
        Ok(())
    }

    fn fetch(&mut self, want: &FetchWant<'_>) -> Result<(), ObjectsFailure> {
        // Twice, as only the host knows the hash kind of its repository.
        for _ in 0..2 {
            let lacking = self.missing_objects(want);
            let want = match want {
                // Another process has fetched them meanwhile.
                FetchWant::Blobs(_) | FetchWant::Trees(_) if lacking.is_empty() => return Ok(()),
                FetchWant::Blobs(_) => &FetchWant::Blobs(&lacking),
                FetchWant::Trees(_) => &FetchWant::Trees(&lacking),
                FetchWant::Commit(_)
                | FetchWant::Everything(_)
                | FetchWant::History(..)
                | FetchWant::CommitsOnly(..)
                | FetchWant::Tag(_) => want,
            };

            match self.fetch_from_host(want)? {
                FetchOutcome::Received => return Ok(()),
                FetchOutcome::Refused(said) => {
                    return Err(ObjectsFailure::Refused(failure::quote_host(&said)));
                }
                FetchOutcome::OtherHash(hash) => self.recreate_cache(hash)?,
            }
        }
        Err(ObjectsFailure::Refused(
            "the host switches between SHA-1 and SHA-256".into(),
        ))
    }

    /// Requests `want` from the host; for a commit, first only the changes since the commit fetched last.
    fn fetch_from_host(&mut self, want: &FetchWant<'_>) -> Result<FetchOutcome> {
        let base = self.fetch_base(want).map(|commit| FetchBase {
            commit,
            objects: self.objects.handle(),
        });

        let cache = self.cache.as_mut().expect("only a cache is fetched into");
        let packs = cache.folder.packs();
        let target = PackTarget {
            packs: &packs,
            hash: self.objects.object_hash(),
        };
        // As a base, the cached commit saves sending all trees that did not change.
        let mut answer = cache
            .remote(&self.url, &self.shared)?
            .fetch(want, target, base.as_ref());

        if base.is_some() && !matches!(answer, Ok(FetchOutcome::Received)) {
            // Not every host can compute the changes since a shallow commit.
            answer = cache
                .remote(&self.url, &self.shared)?
                .fetch(want, target, None);
        }

        // Only a commit with all its trees can be the base of the next fetch.
        let received = match (&answer, want) {
            (Ok(FetchOutcome::Received), FetchWant::Commit(commit)) => Some(CommitId(*commit)),
            _ => None,
        };
        cache.update_record(|record| record.fetched = received.or(record.fetched))?;
        answer
    }

    /// The commit fetched last, with all its trees, if another is wanted now.
    fn fetch_base(&self, want: &FetchWant<'_>) -> Option<ObjectId> {
        let FetchWant::Commit(wanted) = want else {
            return None;
        };
        let CommitId(known) = self.cache.as_ref()?.record.fetched?;
        (known != *wanted && self.objects.contains(known)).then_some(known)
    }

    /// The wanted blobs or trees that are not completely cached.
    fn missing_objects(&self, want: &FetchWant<'_>) -> Vec<ObjectId> {
        match want {
            FetchWant::Commit(_)
            | FetchWant::Everything(_)
            | FetchWant::History(..)
            | FetchWant::CommitsOnly(..)
            | FetchWant::Tag(_) => Vec::new(),
            FetchWant::Blobs(ids) => self.objects.missing_ids(ids),
            FetchWant::Trees(ids) => {
                // A tree counts only with all below it: the host sends it as a whole, or not at all.
                let is_here = |id: &ObjectId| {
                    package::check_trees(&self.objects, &[*id], CheckLevel::Presence).is_ok()
                };
                ids.iter().copied().filter(|id| !is_here(id)).collect()
            }
        }
    }

    /// Recreates the cache, keeping the record of the host.
    fn recreate_cache(&mut self, hash: gix::hash::Kind) -> Result<()> {
        let cache = self.cache.as_mut().expect("only a cache is recreated");
        // The record is kept: the capabilities and references are the host's, whatever its hash kind is.
        self.objects = cache.folder.recreate(Some(hash))?;
        cache.record.save(cache.folder.path())
    }
}

/// Why required objects are not available.
enum ObjectsFailure {
    /// The host does not have or does not serve them; with its message, or an empty one.
    Refused(String),
    /// They are not cached, and the network is disabled.
    Offline,
    Failed(Error),
}

impl From<Error> for ObjectsFailure {
    fn from(error: Error) -> Self {
        ObjectsFailure::Failed(error)
    }
}

impl RemoteCache<'_> {
    /// The host, for a request.
    fn remote(&mut self, url: &GitUrl, shared: &Arc<GitShared>) -> Result<&mut RemoteHost> {
        if let Some(RequestNotice { what, reporter }) = self.notice.take() {
            reporter.report(ProgressEvent::Fetching { what });
        }
        let remote = match self.remote.take() {
            Some(remote) => remote,
            None => RemoteHost::new(url, shared, self.folder.path(), self.record.host.clone())?,
        };
        Ok(self.remote.insert(remote))
    }

    /// Changes the record, adds newly learned capabilities of the host, and saves it if it differs.
    fn update_record(&mut self, change: impl FnOnce(&mut HostRecord)) -> Result<()> {
        // Compared with the state before, since a write costs more than the comparison.
        let before = self.record.clone();
        change(&mut self.record);
        if let Some(learned) = self.remote.as_ref().and_then(RemoteHost::learned) {
            self.record.host = Some(learned.to_vec());
        }

        // Mostly nothing is new, and nothing is written.
        if self.record == before {
            Ok(())
        } else {
            self.record.save(self.folder.path())
        }
    }
}

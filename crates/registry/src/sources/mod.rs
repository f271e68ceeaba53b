//! Where packages come from. Each kind of source yields the same value, a [`FetchedPackage`], which all later steps share.
//!
//! | file | source |
//! |---|---|
//! | `git.rs` | a repository: references, version tags, many skills in one |
//! | `registry.rs` | an index and its archives |
//! | `path.rs` | a directory |
//! | `archive.rs` | one archive, by path or URL |
//! | `well_known.rs` | a web site's list of skills at `/.well-known/` |
//! | `clawhub.rs` | ClawHub, by its HTTP API |
//! | `signed.rs` | the signatures of packages |
//! | `expiry.rs` | expired indexes |
//!
//! [`gather`](gather::gather_packages) queries them, breadth-first, until the solver has all it needs; [`discover`] finds
//! the skills among a source's files, [`tags`] the versions among its tags, [`trace`] the commit that an installed skill
//! came from; [`describe`] reads the name, version and dependencies of a skill, and [`release_age`] excludes versions that
//! were published too recently.

pub mod describe;
pub mod discover;
pub mod gather;
pub mod release_age;
pub mod tags;
pub mod trace;

mod archive;
mod budget;
mod changed_version;
mod clawhub;
mod expiry;
mod git;
mod links;
mod path;
mod registry;
mod signed;
mod well_known;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::index::{self, Index, IndexEntry, IndexTokens};
use crate::vendor;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::CLAWHUB_LOOKUP;
use skillpm_core::package::{
    Checksum, GitReference, GitUrl, IndexUrl, PackageDependency, PackageName, PackageSummary,
    RelPath, Sha256Digest, SiteUrl, SkillName, SourceId, Tree,
};
use skillpm_core::provenance::TrustedKey;
use skillpm_core::report::{Diagnostic, EventReporter, ProgressEvent};
use skillpm_core::skill::Skill;
use skillpm_io::bucket;
use skillpm_io::git::GitClient;
use skillpm_io::http::HttpClient;
use skillpm_io::run_parallel;

use budget::SizeBudget;
pub use budget::check_file_count;

pub use changed_version::VersionContent;
pub use clawhub::{ClawHubSkill, hub_token_url};
pub use git::{FoundSkill, FoundSkills, SkillLookup, SkillMove, SkillSelection};

/// A package with its files, and exactly where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchedPackage {
    /// What the solver knows of it, including its dependencies.
    pub summary: PackageSummary,
    /// Where it came from.
    pub origin: PackageOrigin,
    /// Its files as the source has them.
    pub tree: Tree,
    /// Its parsed `SKILL.md`; `None` for a registry's package, for which the index has all that the solver needs.
    pub skill: Option<Skill>,
    /// Diagnostics from reading it.
    pub diagnostics: Vec<Diagnostic>,
}

impl FetchedPackage {
    /// Creates the lockfile entry of the package, under its own name and with this checksum.
    #[must_use]
    pub fn to_locked(&self, checksum: Checksum) -> LockedPackage {
        let (summary, origin) = (&self.summary, &self.origin);
        LockedPackage {
            version: summary.version.clone(),
            commit: origin.commit.clone(),
            path: summary.subdir.clone(),
            tree: origin.tree.clone(),
            archive: origin.archive,
            ..LockedPackage::new(summary.name.clone(), summary.source.clone(), checksum)
        }
    }
}

/// The exact location of a package in its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageOrigin {
    /// The full commit, for git.
    pub commit: Option<String>,
    /// The git tree id of the skill's directory.
    pub tree: Option<String>,
    /// The digest of the archive it came in.
    pub archive: Option<Sha256Digest>,
}

/// A version that a source has for a dependency: a summary alone, or, where there is only one, the package itself.
#[derive(Debug, Clone, PartialEq)]
pub enum AvailableVersion {
    /// One version of several.
    Summary(Box<PackageSummary>),
    /// The only one.
    Fetched(Box<FetchedPackage>),
}

/// A package, and the keys that may sign it.
#[derive(Debug, Clone)]
pub struct SignatureRequest<'a> {
    /// The package as it is locked, or to be locked.
    pub package: &'a LockedPackage,
    /// The trusted keys; if empty, those that its registry lists.
    pub keys: Vec<TrustedKey>,
}

/// The present state of a source for a dependency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteState {
    /// Its versions, oldest first, without those that were yanked.
    pub versions: Vec<semver::Version>,
    /// The commit that the tag of each version points to.
    pub tagged: BTreeMap<semver::Version, String>,
    /// The commit that its reference points to.
    pub commit: Option<String>,
    /// The digest of its content, where it has neither versions nor commits.
    pub content: Option<ContentDigest>,
    /// The versions that were yanked.
    pub yanked: Vec<semver::Version>,
    /// When each version was published, as far as the index has it; `None` for another source than a registry.
    pub published: Option<BTreeMap<semver::Version, jiff::Timestamp>>,
}

/// The identity of a package's content that has neither versions nor commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentDigest {
    /// The digest of the file it comes in.
    Archive(Sha256Digest),
    /// The checksum of its tree.
    Tree(Checksum),
}

/// A chosen version, and the commit to read it at, if that is fixed.
type ChosenVersion<'a> = (&'a PackageSummary, Option<&'a str>);

/// Why a chosen version cannot be fetched.
#[derive(Debug, Clone)]
pub enum FetchError {
    /// It does not exist, for this reason: the solver should choose another.
    Unavailable(String),
    /// It could not be read at all.
    Failed(Error),
}

impl From<Error> for FetchError {
    fn from(error: Error) -> Self {
        FetchError::Failed(error)
    }
}

/// The clients and settings that the sources need.
pub struct SourceContext {
    /// The client for repositories.
    pub git: GitClient,
    /// The client for downloads.
    pub http: HttpClient,
    /// The options of object stores.
    pub buckets: bucket::BucketOptions,
    /// How many sources are queried at once.
    pub jobs: usize,
    /// Most bytes of skills that one command fetches.
    pub size_max: u64,
    /// Most files of one skill.
    pub files_max: u64,
    /// The directory of cached indexes.
    pub index_cache: PathBuf,
    /// Whether the network is off.
    pub offline: bool,
    /// Hosts that a site's list of skills may link to besides its own: `https://cdn.acme.dev` or `cdn.acme.dev`.
    pub allow_origins: Vec<String>,
    /// Finds the token for the URL of an index.
    pub tokens: Box<IndexTokens>,
    /// The URLs of the indexes in the settings.
    pub registries: BTreeSet<String>,
    /// The mirror URL of each replaced index or repository, by its own URL.
    pub mirrors: BTreeMap<String, String>,
    /// The directories that replace sources, by [`SourceId::location_key`].
    pub vendored: BTreeMap<String, vendor::VendorDirectory>,
    /// The URLs of indexes that may change published versions.
    pub accept_rewritten: BTreeSet<String>,
    /// The URLs of indexes that may be used after they expired.
    pub accept_expired: BTreeSet<String>,
    /// When the program started.
    pub now: Timestamp,
}

impl SourceContext {
    /// The context for opening an index.
    #[must_use]
    pub fn for_index<'a>(&'a self, reporter: &'a dyn EventReporter) -> index::IndexContext<'a> {
        // The same clients for all indexes, so that they share connections and limits.
        index::IndexContext {
            git: &self.git,
            http: &self.http,
            buckets: &self.buckets,
            cache: &self.index_cache,
            offline: self.offline,
            tokens: &*self.tokens,
            accept_rewritten: &self.accept_rewritten,
            reporter,
        }
    }
}

/// The positions of items, grouped by the location of their source.
fn group_by_location<T>(
    items: &[T],
    source: impl Fn(&T) -> &SourceId,
) -> impl IntoIterator<Item = Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        // References to one repository are queried together.
        let key = match source(item) {
            SourceId::Git { url, .. } => url.to_string(),
            other => other.to_string(),
        };
        groups.entry(key).or_default().push(at);
    }
    groups.into_values()
}

/// The warning that a locked version was yanked since.
#[must_use]
pub fn yanked_warning(locked: &LockedPackage) -> ProgressEvent {
    // A warning and no error: a locked version stays installable, or every build would break.
    ProgressEvent::Warning {
        message: format!(
            "package `{}` in the lockfile was yanked by its owners",
            locked.reference()
        ),
        help: Some(format!(
            "run `skillpm update {}` to select another version",
            locked.install_name()
        )),
    }
}

/// The warning about hard links in a directory to files outside it; `None` if there are none.
///
/// Such a file looks like any other, so that it may be one that was never meant to be in the directory.
#[must_use]
pub fn hard_link_warning<T: AsRef<str>>(place: &str, files: &[T]) -> Option<ProgressEvent> {
    let (first, more) = files.split_first()?;
    let first = first.as_ref();

    let message = match more.len() {
        0 => format!("`{first}` of `{place}` is a hard link to a file outside it"),
        more => {
            format!("`{first}` and {more} more of `{place}` are hard links to files outside it")
        }
    };

    // Not refused: package managers that deduplicate by hard links make them, too.
    let help = Some("its content is copied; remove it if it does not belong there".to_owned());
    Some(ProgressEvent::Warning { message, help })
}

/// All sources, opened as they are needed and kept open.
pub struct PackageSources<'a> {
    tools: &'a SourceContext,
    root: PathBuf,
    registries: &'a (dyn Fn(Option<&str>) -> Result<String> + Sync),
    reporter: &'a dyn EventReporter,
    budget: Arc<SizeBudget>,
    repositories: Mutex<BTreeMap<GitUrl, Arc<Mutex<git::OpenRepository<'a>>>>>,
    indexes: Mutex<BTreeMap<String, Arc<Index<'a>>>>,
    /// The indexes for which the user was warned that they expired, by URL.
    warned_expired: Mutex<BTreeSet<String>>,
    lookups: Mutex<registry::LookupCache>,
    /// The indexes that only another index names, by URL, each with that index.
    named_by: Mutex<BTreeMap<String, IndexUrl>>,
    /// The archives that were downloaded in this run, by URL.
    archives: Mutex<BTreeMap<String, Vec<u8>>>,
    sites: Mutex<BTreeMap<SiteUrl, Arc<well_known::WellKnownSite>>>,
    hub_skills: Mutex<clawhub::ClawHubCache>,
    hub_trees: Mutex<clawhub::ClawHubTrees>,
    /// The manifest that the command will write, with its new text.
    unsaved_manifest: Mutex<Option<(PathBuf, String)>>,
}

impl<'a> PackageSources<'a> {
    /// Creates the sources of a project in `root`, which relative paths are relative to.
    #[must_use]
    pub fn new(
        tools: &'a SourceContext,
        root: &Path,
        registries: &'a (dyn Fn(Option<&str>) -> Result<String> + Sync),
        reporter: &'a dyn EventReporter,
    ) -> Self {
        PackageSources {
            tools,
            root: root.to_owned(),
            registries,
            reporter,
            // One budget for all sources, since their trees are in memory together.
            budget: Arc::new(SizeBudget::new(tools.size_max, tools.files_max)),
            repositories: Mutex::default(),
            indexes: Mutex::default(),
            warned_expired: Mutex::default(),
            lookups: Mutex::default(),
            named_by: Mutex::default(),
            archives: Mutex::default(),
            sites: Mutex::default(),
            hub_skills: Mutex::default(),
            hub_trees: Mutex::default(),
            unsaved_manifest: Mutex::default(),
        }
    }

    /// Whether the network is off.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.tools.offline
    }

    /// Reads packages in directories as if the manifest at this path had the new text already.
    pub fn set_unsaved_manifest(&self, unsaved: Option<(PathBuf, String)>) {
        *self
            .unsaved_manifest
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = unsaved;
    }

    /// The limit of the bytes of skills that this command may have in memory.
    #[must_use]
    pub fn budget(&self) -> &SizeBudget {
        &self.budget
    }

    /// Queries the available versions for every dependency, several sources at once.
    pub fn query(&self, dependencies: &[PackageDependency]) -> Vec<Result<Vec<AvailableVersion>>> {
        self.for_each_source(
            dependencies,
            |dependency| &dependency.source,
            |source, group| match source {
                // Its directory has the locked versions and no others.
                replaced if self.vendor_directory(replaced).is_some() => {
                    self.refuse_all(replaced, group)
                }
                // All references of a repository in one group: they share its list of references.
                SourceId::Git { url, .. } => self.with_repository(url, group, |opened| {
                    git::available_versions(self, opened, group)
                }),
                SourceId::Registry(index) => registry::available_versions(self, index, group),
                SourceId::Path(path) => group
                    .iter()
                    .map(|needed| path::available_version(self, path, needed))
                    .collect(),
                SourceId::Archive(place) => group
                    .iter()
                    .map(|needed| archive::available_version(self, place, needed))
                    .collect(),
                SourceId::WellKnown(site) => well_known::available_versions(self, site, group),
                SourceId::ClawHub(hub) => clawhub::available_versions(self, hub, group),
            },
        )
    }

    /// Fetches versions that [`PackageSources::query`] returned as summaries alone; those of git at the given commit, else
    /// at the present commit of their reference.
    pub fn read(
        &self,
        summaries: &[PackageSummary],
        commits: &[Option<&str>],
    ) -> Vec<Result<FetchedPackage, FetchError>> {
        let wanted: Vec<ChosenVersion<'_>> =
            summaries.iter().zip(commits.iter().copied()).collect();
        self.for_each_source(
            &wanted,
            |(summary, _)| &summary.source,
            |source, group| self.read_group(source, group),
        )
    }

    fn read_group(
        &self,
        source: &SourceId,
        group: &[&ChosenVersion<'_>],
    ) -> Vec<Result<FetchedPackage, FetchError>> {
        let wanted: Vec<&PackageSummary> = group.iter().map(|(summary, _)| *summary).collect();
        let read: Vec<Result<FetchedPackage>> = match source {
            replaced if self.vendor_directory(replaced).is_some() => {
                self.refuse_all(replaced, group)
            }
            SourceId::Git { url, .. } => return self.read_from_repository(url, group),
            SourceId::Registry(index) => registry::fetch_packages(self, index, &wanted),
            SourceId::Path(path) => wanted
                .iter()
                .map(|summary| path::fetch(self, path, summary))
                .collect(),
            SourceId::Archive(place) => wanted
                .iter()
                .map(|summary| archive::fetch(self, place, summary))
                .collect(),
            SourceId::WellKnown(site) => well_known::fetch_packages(self, site, &wanted),
            SourceId::ClawHub(hub) => return clawhub::fetch_packages(self, hub, &wanted),
        };
        // Only a repository's commit, or a version of ClawHub, may lack a version that was offered.
        read.into_iter()
            .map(|read| read.map_err(FetchError::Failed))
            .collect()
    }

    fn read_from_repository(
        &self,
        url: &GitUrl,
        group: &[&ChosenVersion<'_>],
    ) -> Vec<Result<FetchedPackage, FetchError>> {
        let read = self.with_repository(url, group, |opened| {
            git::read_packages(self, opened, group)
                .into_iter()
                .map(Ok)
                .collect()
        });
        read.into_iter()
            .map(|read| read.unwrap_or_else(|error| Err(FetchError::Failed(error))))
            .collect()
    }

    /// Queries the present state of the source of every dependency, without fetching packages.
    pub fn remote_states(&self, dependencies: &[PackageDependency]) -> Vec<Result<RemoteState>> {
        self.for_each_source(
            dependencies,
            |dependency| &dependency.source,
            |source, group| match source {
                replaced if self.vendor_directory(replaced).is_some() => {
                    self.refuse_all(replaced, group)
                }
                SourceId::Git { url, .. } => {
                    self.with_repository(url, group, |opened| git::remote_states(opened, group))
                }
                SourceId::Registry(index) => registry::remote_states(self, index, group),
                SourceId::Path(_) | SourceId::Archive(_) => group
                    .iter()
                    .map(|_| {
                        let content = self.local_content(source)?;
                        Ok(RemoteState {
                            content,
                            ..RemoteState::default()
                        })
                    })
                    .collect(),
                SourceId::WellKnown(site) => well_known::remote_states(self, site, group),
                SourceId::ClawHub(hub) => clawhub::remote_states(self, hub, group),
            },
        )
    }

    /// Looks for locked skills of repositories at other commits; `None` for one that is still in its directory.
    pub fn find_moves(&self, lookups: &[SkillLookup<'_>]) -> Vec<Result<Option<SkillMove>>> {
        self.for_each_source(
            lookups,
            |lookup| &lookup.locked.source,
            |source, group| match source {
                SourceId::Git { url, .. } => {
                    self.with_repository(url, group, |opened| git::find_moves(opened, group))
                }
                _ => group.iter().map(|_| Ok(None)).collect(),
            },
        )
    }

    /// The digest of what a directory or an archive on this machine has now; `None` for a source elsewhere, whose content is
    /// only known after fetching all of it.
    ///
    /// # Errors
    /// If it is missing or cannot be read.
    pub fn local_content(&self, source: &SourceId) -> Result<Option<ContentDigest>> {
        Ok(match source {
            SourceId::Path(path) => {
                let tree = path::read_directory(self, path)?;
                Some(ContentDigest::Tree(Checksum::from_tree(&tree)))
            }
            SourceId::Archive(place) if !archive::is_url(place) => {
                let bytes = archive::read_file(self, place)?;
                Some(ContentDigest::Archive(Sha256Digest::hash_bytes(&bytes)))
            }
            _ => None,
        })
    }

    /// Looks up the checksum of a registry's version and the digest of its archive in the index; `None` for another source.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn describe_version(
        &self,
        summary: &PackageSummary,
    ) -> Result<Option<(Checksum, PackageOrigin)>> {
        match &summary.source {
            // Refused here as well: the index would describe another content than the directory has.
            replaced if self.vendor_directory(replaced).is_some() => {
                self.refuse_replaced(replaced).map(|()| None)
            }
            SourceId::Registry(index) => registry::describe_version(self, index, summary),
            _ => Ok(None),
        }
    }

    /// Fetches the trees of locked packages, without resolving any reference again.
    ///
    /// They are not checked against the lockfile's checksums here.
    pub fn restore(&self, packages: &[&LockedPackage]) -> Vec<Result<Tree>> {
        self.for_each_source(
            packages,
            |package| &package.source,
            |source, group| {
                let group: Vec<&LockedPackage> = group.iter().map(|package| **package).collect();
                self.restore_group(source, &group)
            },
        )
    }

    fn restore_group(&self, source: &SourceId, group: &[&LockedPackage]) -> Vec<Result<Tree>> {
        // Before the source itself, which may not even be reachable.
        if let Some(directory) = self.vendor_directory(source) {
            let trees = directory.restore(group);
            return trees
                .into_iter()
                .map(|tree| self.budget.charge(tree?))
                .collect();
        }

        match source {
            SourceId::Git { url, .. } => {
                self.with_repository(url, group, |opened| git::restore_trees(opened, group))
            }
            SourceId::Registry(index) => registry::restore(self, index, group),
            // A directory is read as it is now: the caller compares it with the locked checksum.
            SourceId::Path(path) => group
                .iter()
                .map(|_| self.budget.charge(path::read_directory(self, path)?))
                .collect(),
            SourceId::Archive(place) => group
                .iter()
                .map(|package| archive::restore(self, place, package.archive.as_ref()))
                .collect(),
            SourceId::WellKnown(site) => well_known::restore(self, site, group),
            SourceId::ClawHub(hub) => clawhub::restore(self, hub, group),
        }
    }

    /// Downloads the archives of versions in the registry at a URL, each checked against its digest.
    pub fn download_archives(&self, index: &str, entries: &[&IndexEntry]) -> Vec<Result<Vec<u8>>> {
        registry::download_archives(self, index, entries)
    }

    /// Unpacks an archive from [`PackageSources::download_archives`], and checks its files against the checksum in the
    /// index.
    ///
    /// # Errors
    /// If it is not a package, or its checksum does not match.
    pub fn unpack_archive(entry: &IndexEntry, archive: &[u8]) -> Result<Tree> {
        registry::unpack_verified(entry, archive)
    }

    /// Finds the skills of a repository at a reference (with [`GitReference::Versions`], at the newest version that matches
    /// the requirement), under `within` if that is given.
    ///
    /// # Errors
    /// If the repository cannot be read, has no such reference, or no skill there.
    pub fn discover(
        &self,
        url: &GitUrl,
        at: (&GitReference, Option<&semver::VersionReq>),
        within: Option<&RelPath>,
        choice: &SkillSelection,
    ) -> Result<FoundSkills> {
        // A vendored directory has no other skills.
        self.refuse_replaced(&SourceId::Git {
            url: url.clone(),
            reference: GitReference::Default,
        })?;

        // Locked while it is read: an open repository has one connection.
        let opened = self.repository(url);
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.ensure_open(self)?;
        git::discover_skills(&mut opened, at, within, choice)
    }

    /// The reference and the directory of an address that has both in one path, such as that of a page: `feat/x/skills/y` is
    /// split by the branches and tags that the repository has. One that fits none of them is returned as it is.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn split_reference(
        &self,
        url: &GitUrl,
        reference: &GitReference,
        subdir: Option<&RelPath>,
    ) -> Result<(GitReference, Option<RelPath>)> {
        let opened = self.repository(url);
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.ensure_open(self)?;
        git::split_reference(&mut opened, reference, subdir)
    }

    /// Finds the skills under a local directory; the path is as in a manifest.
    ///
    /// # Errors
    /// If it cannot be read, or has no skill.
    pub fn discover_path(&self, path: &str) -> Result<FoundSkills> {
        path::discover_skills(self, path)
    }

    /// Lists the skills of a web site, by name and description, without fetching them.
    ///
    /// # Errors
    /// If it has no list of a known schema, or an empty one.
    pub fn list_site(&self, site: &SiteUrl) -> Result<Vec<(SkillName, String)>> {
        self.refuse_replaced(&SourceId::WellKnown(site.clone()))?;
        well_known::list_skills(self, site)
    }

    /// The base URL of ClawHub.
    ///
    /// # Errors
    /// If the setting is invalid.
    pub fn clawhub_url(&self) -> Result<SiteUrl> {
        (self.registries)(Some(CLAWHUB_LOOKUP))?.parse()
    }

    /// Looks up a skill of ClawHub, with its versions.
    ///
    /// # Errors
    /// If the server has no such skill, blocks it, or answers with another one.
    pub fn find_on_clawhub(&self, hub: &SiteUrl, name: &PackageName) -> Result<Arc<ClawHubSkill>> {
        self.refuse_replaced(&SourceId::ClawHub(hub.clone()))?;
        clawhub::look_up(self, hub, name)
    }

    /// Reads the skill of a source with one package.
    ///
    /// # Errors
    /// If the source cannot be read, or is not a skill.
    pub fn read_skill(&self, needed: &PackageDependency) -> Result<Skill> {
        self.read_skills(std::slice::from_ref(needed)).remove(0)
    }

    /// Reads the skills of several such sources, one result each.
    pub fn read_skills(&self, needed: &[PackageDependency]) -> Vec<Result<Skill>> {
        self.query(needed)
            .into_iter()
            .map(|offers| take_skill(offers?))
            .collect()
    }

    /// The directory that replaces a source in this project; `None` if none does.
    #[must_use]
    pub fn vendor_directory(&self, source: &SourceId) -> Option<&vendor::VendorDirectory> {
        // A directory of one project must not replace a source in another.
        self.tools
            .vendored
            .get(&source.location_key())
            .filter(|directory| directory.applies_to(&self.root))
    }

    fn refuse_replaced(&self, source: &SourceId) -> Result<()> {
        self.vendor_directory(source)
            .map_or(Ok(()), |directory| Err(directory.replaced_error(source)))
    }

    fn refuse_all<T, R>(&self, source: &SourceId, group: &[T]) -> Vec<Result<R>> {
        let refused = |_: &T| {
            self.refuse_replaced(source)?;
            Err(Error::internal("a source is replaced and is not"))
        };
        group.iter().map(refused).collect()
    }

    /// The URL that a repository is read at: its own, or that of its mirror.
    ///
    /// # Errors
    /// If the mirror is not a repository.
    fn repository_url(&self, url: &GitUrl) -> Result<GitUrl> {
        // The lockfile keeps the URL of the repository itself, whichever mirror it was read from.
        let Some(other) = self.tools.mirrors.get(&format!("git+{url}")) else {
            return Ok(url.clone());
        };

        // An index as a mirror would be read as a repository without skills.
        let Some(repository) = other.strip_prefix("git+") else {
            return Err(Error::usage(format!(
                "cannot replace repository `{url}` with `{other}`, which is not a repository"
            ))
            .help(
                "write the mirror as `git+https://…`; `skillpm config list` shows where it is set",
            ));
        };

        repository.parse()
    }

    /// The URL that an index is read at: its own, or that of its mirror.
    fn index_url<'u>(&'u self, url: &'u str) -> &'u str {
        self.tools.mirrors.get(url).map_or(url, String::as_str)
    }

    /// Opens the index of the registry at a URL, once; it may be read from a mirror.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open_index(&self, url: &str) -> Result<Arc<Index<'a>>> {
        // The lock is kept while it is opened, so that an index is opened only once.
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = indexes.get(url) {
            return Ok(index.clone());
        }

        // Which index named this one first decides where its requests may go.
        let named_by = self
            .named_by
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(url)
            .cloned();

        let place = self.index_url(url);
        let opened = Index::open_named(
            place,
            named_by.as_ref(),
            self.tools.for_index(self.reporter),
        );

        let index = match opened {
            Err(error) if place != url => return Err(mirror_error(error, url)),
            opened => Arc::new(opened?),
        };

        indexes.insert(url.to_owned(), index.clone());
        Ok(index)
    }

    /// The index entries of locked packages, as far as they were looked up in this run.
    #[must_use]
    pub fn known_entries(&self, packages: &[&LockedPackage]) -> Vec<Option<IndexEntry>> {
        let one = |locked: &&LockedPackage| match &locked.source {
            SourceId::Registry(url) => registry::known_entry(self, url, locked),
            _ => None,
        };
        packages.iter().map(one).collect()
    }

    /// Looks up the index entries of locked packages, all of an index at once. `None` for a package from elsewhere, or
    /// without an entry.
    ///
    /// # Errors
    /// One result each: if the index cannot be read.
    pub fn index_entries(&self, packages: &[&LockedPackage]) -> Vec<Result<Option<IndexEntry>>> {
        self.for_each_source(
            packages,
            |locked| &locked.source,
            |source, group| match source {
                // Vendored ones, too: whether a version was revoked is only in its index.
                SourceId::Registry(url) => registry::locked_entries(
                    self,
                    url,
                    &group.iter().map(|one| **one).collect::<Vec<_>>(),
                ),
                _ => group.iter().map(|_| Ok(None)).collect(),
            },
        )
    }

    /// Whether the index of a registry was opened in this run.
    #[must_use]
    pub fn has_opened(&self, url: &str) -> bool {
        self.indexes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains_key(url)
    }

    fn repository(&self, url: &GitUrl) -> Arc<Mutex<git::OpenRepository<'a>>> {
        let mut repositories = self
            .repositories
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        repositories
            .entry(url.clone())
            .or_insert_with(|| {
                Arc::new(Mutex::new(git::OpenRepository::new(
                    url,
                    self.budget.clone(),
                    self.reporter,
                )))
            })
            .clone()
    }

    /// Works in an opened repository; if it cannot be opened, each result is that error.
    fn with_repository<T, R>(
        &self,
        url: &GitUrl,
        group: &[T],
        work: impl FnOnce(&mut git::OpenRepository<'a>) -> Vec<Result<R>>,
    ) -> Vec<Result<R>> {
        let opened = self.repository(url);
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);

        // Opened on first use, and once, however many packages are from it.
        match opened.ensure_open(self) {
            Ok(()) => work(&mut opened),
            Err(error) => group.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Groups `items` by the location of their source, works on several groups at once, and returns the results in the order
    /// of the items.
    fn for_each_source<T: Sync, R: Send>(
        &self,
        items: &[T],
        source: impl Fn(&T) -> &SourceId,
        work: impl Fn(&SourceId, &[&T]) -> Vec<R> + Sync,
    ) -> Vec<R> {
        // One group for each location, so that one thread at a time works in it.
        let groups: Vec<(SourceId, Vec<usize>)> = group_by_location(items, &source)
            .into_iter()
            .map(|members| (source(&items[members[0]]).clone(), members))
            .collect();

        let done = run_parallel(self.tools.jobs, &groups, |(source, members)| {
            let group: Vec<&T> = members.iter().map(|&at| &items[at]).collect();
            work(source, &group)
        });

        // The groups finish in any order; callers match results to items by position.
        let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
        for ((_, members), group) in groups.iter().zip(done) {
            for (&at, result) in members.iter().zip(group) {
                results[at] = Some(result);
            }
        }

        results
            .into_iter()
            .map(|result| result.expect("a source returns a result for each item"))
            .collect()
    }
}

/// Adds to an error of a mirror what it replaces: it names a URL that the user never wrote.
fn mirror_error(error: Error, original: &str) -> Error {
    error.note(format!(
        "it is the mirror of `{original}` that `replace-with` sets"
    ))
}

/// The skill of a source with one package, which was fetched when its versions were listed.
fn take_skill(offers: Vec<AvailableVersion>) -> Result<Skill> {
    let fetched = offers.into_iter().find_map(|offer| match offer {
        AvailableVersion::Fetched(fetched) => Some(fetched),
        AvailableVersion::Summary(_) => None,
    });

    fetched
        .ok_or_else(|| Error::internal("a source with one package offered a choice"))?
        .skill
        .ok_or_else(|| Error::internal("a package was read without its skill"))
}

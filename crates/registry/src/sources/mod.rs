//! Where packages come from. Each kind of source yields the same value, a [`Fetched`], and all after that is one road.
//!
//! | file | source |
//! |---|---|
//! | `git.rs` | a repository: references, version tags, many skills in one |
//! | `registry.rs` | an index and its archives |
//! | `path.rs` | a directory |
//! | `archive.rs` | one archive, by path or URL |
//! | `well_known.rs` | a web site's list of skills below `/.well-known/` |
//! | `signed.rs` | who vouches for what came from one |
//! | `expiry.rs` | indexes whose time is over |
//!
//! [`gather`](gather::gather) asks them, breadth-first, until the solver has all it needs; [`discover`] finds the skills
//! among a source's files, [`trace`] finds the commit that a skill on the disk came from, [`describe`] reads what a skill says of itself, and [`release_age`] holds back what was
//! published too lately.

pub mod describe;
pub mod discover;
pub mod gather;
pub mod release_age;
pub mod tags;
pub mod trace;

mod archive;
mod expiry;
mod git;
mod path;
mod registry;
mod signed;
mod well_known;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::index::{self, Entry, Index, Tokens};
use crate::io::bucket;
use crate::io::git::Git;
use crate::io::http::Http;
use crate::io::parallel;
use crate::lockfile::Locked;
use crate::package::{
    Checksum, Dependency, GitReference, GitUrl, IndexUrl, RelPath, Sha256, SiteUrl, SkillName, SourceId, Summary, Tree,
};
use crate::report::{Diagnostic, Event, Reporter};
use crate::skill::Skill;
use crate::vendor;

pub use git::{Choice, FoundSkill};
pub use signed::Question;

/// A package, whole, and exactly where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Fetched {
    /// What the solver knows of it; its dependencies are read.
    pub summary: Summary,
    /// Where it came from.
    pub origin: Origin,
    /// Its files as the source holds them.
    pub tree: Tree,
    /// What its `SKILL.md` says; `None` for a registry's package, whose index told what the solver must know.
    pub skill: Option<Skill>,
    /// What was found while reading it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Fetched {
    /// The package as it is locked under its own name with this content.
    #[must_use]
    pub fn locked(&self, checksum: Checksum) -> Locked {
        let (summary, origin) = (&self.summary, &self.origin);
        Locked {
            version: summary.version.clone(),
            commit: origin.commit.clone(),
            path: summary.subdir.clone(),
            tree: origin.tree.clone(),
            archive: origin.archive,
            ..Locked::new(summary.name.clone(), summary.source.clone(), checksum)
        }
    }
}

/// The exact place of a package in its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The full commit, for git.
    pub commit: Option<String>,
    /// The git tree id of the skill's directory.
    pub tree: Option<String>,
    /// The digest of the archive it came in.
    pub archive: Option<Sha256>,
}

/// What a source offers for a dependency: a summary alone, or, where there was nothing to choose, the package itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Offer {
    /// One version of several.
    Summary(Box<Summary>),
    /// The only one.
    Fetched(Box<Fetched>),
}

/// What there is now for a dependency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// Its versions, oldest first, without those that were yanked.
    pub versions: Vec<semver::Version>,
    /// The commit that its reference means.
    pub commit: Option<String>,
    /// What its content is, where that is all that can be told.
    pub content: Option<Content>,
    /// The versions that were yanked.
    pub yanked: Vec<semver::Version>,
    /// When each version was published, as far as the index says; `None` for another source than a registry.
    pub published: Option<BTreeMap<semver::Version, jiff::Timestamp>>,
}

/// What tells the content of a package that has neither versions nor commits to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// The digest of the file it comes in.
    Archive(Sha256),
    /// The checksum of its tree.
    Tree(Checksum),
}

/// Why a version that was chosen cannot be had.
#[derive(Debug)]
pub enum Lack {
    /// It is not there: the solver should choose another.
    Unavailable(String),
    /// It could not be read at all.
    Failed(Error),
}

impl From<Error> for Lack {
    fn from(error: Error) -> Self {
        Lack::Failed(error)
    }
}

/// What the sources need to work.
pub struct Tools {
    /// Repositories.
    pub git: Git,
    /// Downloads.
    pub http: Http,
    /// How object stores are reached.
    pub buckets: bucket::Options,
    /// How many places are asked at once.
    pub jobs: usize,
    /// The directory in which copies of indexes are kept.
    pub index_cache: PathBuf,
    /// Whether the network is off.
    pub offline: bool,
    /// Hosts that a site's list of skills may point to besides its own: `https://cdn.acme.dev` or `cdn.acme.dev`.
    pub allow_origins: Vec<String>,
    /// The token that goes with the URL of an index.
    pub tokens: Box<Tokens>,
    /// The URLs of the indexes that settings name.
    pub registries: BTreeSet<String>,
    /// The URL that each index or repository is read at instead, by its own.
    pub mirrors: BTreeMap<String, String>,
    /// The directories that stand in for sources, by [`SourceId::key`].
    pub vendored: BTreeMap<String, vendor::Directory>,
    /// The URLs of indexes that may go back on what they said before.
    pub rewritten: BTreeSet<String>,
    /// The URLs of indexes that something may be chosen from past the time that they name.
    pub expired: BTreeSet<String>,
    /// When the program started.
    pub now: Timestamp,
}

impl Tools {
    /// What it takes to open an index.
    #[must_use]
    pub fn for_index<'a>(&'a self, reporter: &'a dyn Reporter) -> index::Tools<'a> {
        index::Tools {
            git: &self.git,
            http: &self.http,
            buckets: &self.buckets,
            cache: &self.index_cache,
            offline: self.offline,
            tokens: &*self.tokens,
            rewritten: &self.rewritten,
            reporter,
        }
    }
}

/// Says that a version which is locked was withdrawn since.
#[must_use]
pub fn yanked(locked: &Locked) -> Event {
    Event::Warning {
        message: format!("`{}` was yanked by its owners, and is locked here", locked.reference()),
        help: Some(format!("move to another version with `skillpm update {}`", locked.install_name())),
    }
}

/// Says of a directory's files that they have another name elsewhere on this disk; `None` if there are none.
///
/// Nothing tells such a file from any other, so that it may be one that was never meant to be in the directory.
#[must_use]
pub fn linked_from_outside<T: AsRef<str>>(place: &str, files: &[T]) -> Option<Event> {
    let (first, more) = files.split_first()?;
    let first = first.as_ref();
    let message = match more.len() {
        0 => format!("`{first}` of `{place}` is a hard link to a file outside it"),
        more => format!("`{first}` and {more} more of `{place}` are hard links to files outside it"),
    };
    let help = Some("what it holds is copied; if it is not meant to be there, take it out".to_owned());
    Some(Event::Warning { message, help })
}

/// All sources, opened as they are needed and kept open.
pub struct Sources<'a> {
    tools: &'a Tools,
    root: PathBuf,
    registries: &'a (dyn Fn(Option<&str>) -> Result<String> + Sync),
    reporter: &'a dyn Reporter,
    repositories: Mutex<BTreeMap<GitUrl, Arc<Mutex<git::Opened>>>>,
    indexes: Mutex<BTreeMap<String, Arc<Index<'a>>>>,
    /// The indexes of which it was told that their time is over, by URL.
    told_expired: Mutex<BTreeSet<String>>,
    lookups: Mutex<registry::Lookups>,
    /// The indexes that nobody here named, by URL, each with the index that did.
    named_by: Mutex<BTreeMap<String, IndexUrl>>,
    /// What was downloaded in this run, by URL.
    archives: Mutex<BTreeMap<String, Vec<u8>>>,
    sites: Mutex<BTreeMap<SiteUrl, Arc<well_known::Site>>>,
}

impl<'a> Sources<'a> {
    /// Sources for a project in `root`, which relative paths are relative to.
    #[must_use]
    pub fn new(
        tools: &'a Tools,
        root: &Path,
        registries: &'a (dyn Fn(Option<&str>) -> Result<String> + Sync),
        reporter: &'a dyn Reporter,
    ) -> Self {
        Sources {
            tools,
            root: root.to_owned(),
            registries,
            reporter,
            repositories: Mutex::default(),
            indexes: Mutex::default(),
            told_expired: Mutex::default(),
            lookups: Mutex::default(),
            named_by: Mutex::default(),
            archives: Mutex::default(),
            sites: Mutex::default(),
        }
    }

    /// Asks for every dependency what its source offers, several places at once.
    pub fn query(&self, dependencies: &[Dependency]) -> Vec<Result<Vec<Offer>>> {
        self.by_place(
            dependencies,
            |dependency| &dependency.source,
            |source, group| match source {
                replaced if self.vendored(replaced).is_some() => self.no_choice(replaced, group),
                SourceId::Git { url, .. } => self.in_repository(url, group, |opened| git::offers(self, opened, group)),
                SourceId::Registry(index) => registry::offers(self, index, group),
                SourceId::Path(path) => group.iter().map(|needed| path::offer(self, path, needed)).collect(),
                SourceId::Archive(place) => group.iter().map(|needed| archive::offer(self, place, needed)).collect(),
                SourceId::WellKnown(site) => well_known::offers(self, site, group),
            },
        )
    }

    /// Reads versions that [`Sources::query`] offered as summaries alone; those of git at the commit given, else at what
    /// their reference means now.
    pub fn read(&self, summaries: &[Summary], commits: &[Option<&str>]) -> Vec<Result<Fetched, Lack>> {
        let wanted: Vec<(&Summary, Option<&str>)> = summaries.iter().zip(commits.iter().copied()).collect();
        self.by_place(
            &wanted,
            |(summary, _)| &summary.source,
            |source, group| match source {
                replaced if self.vendored(replaced).is_some() => {
                    let none = self.no_choice(replaced, group).into_iter();
                    none.map(|result: Result<Fetched>| result.map_err(Lack::Failed)).collect()
                }
                SourceId::Git { url, .. } => {
                    let read = self.in_repository(url, group, |opened| {
                        git::read(self, opened, group).into_iter().map(Ok).collect()
                    });
                    read.into_iter().map(|result| result.unwrap_or_else(|error| Err(Lack::Failed(error)))).collect()
                }
                SourceId::Registry(index) => {
                    let wanted: Vec<&Summary> = group.iter().map(|(summary, _)| *summary).collect();
                    registry::read(self, index, &wanted).into_iter().map(|read| read.map_err(Lack::Failed)).collect()
                }
                SourceId::Path(path) => {
                    group.iter().map(|(summary, _)| path::fetch(self, path, summary).map_err(Lack::Failed)).collect()
                }
                SourceId::Archive(place) => group
                    .iter()
                    .map(|(summary, _)| archive::fetch(self, place, summary).map_err(Lack::Failed))
                    .collect(),
                SourceId::WellKnown(site) => {
                    let wanted: Vec<&Summary> = group.iter().map(|(summary, _)| *summary).collect();
                    let read = well_known::fetch(self, site, &wanted).into_iter();
                    read.map(|result| result.map_err(Lack::Failed)).collect()
                }
            },
        )
    }

    /// Asks what there is now for every dependency, and brings nothing.
    pub fn look(&self, dependencies: &[Dependency]) -> Vec<Result<Look>> {
        self.by_place(
            dependencies,
            |dependency| &dependency.source,
            |source, group| match source {
                replaced if self.vendored(replaced).is_some() => self.no_choice(replaced, group),
                SourceId::Git { url, .. } => self.in_repository(url, group, |opened| git::look(opened, group)),
                SourceId::Registry(index) => registry::look(self, index, group),
                SourceId::Path(_) | SourceId::Archive(_) => group.iter().map(|_| Ok(Look::default())).collect(),
                SourceId::WellKnown(site) => well_known::look(self, site, group),
            },
        )
    }

    /// A registry's version as its index describes it: the checksum of its tree and the digest of its archive; `None` for
    /// another source, or a version the index does not have.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn described(&self, summary: &Summary) -> Result<Option<(Checksum, Origin)>> {
        match &summary.source {
            replaced if self.vendored(replaced).is_some() => self.refuse_replaced(replaced).map(|()| None),
            SourceId::Registry(index) => registry::described(self, index, summary),
            _ => Ok(None),
        }
    }

    /// Brings the trees of packages as a lockfile has them, without asking what any reference means today.
    ///
    /// They are not checked against the lockfile's checksums here.
    pub fn restore(&self, packages: &[&Locked]) -> Vec<Result<Tree>> {
        self.by_place(
            packages,
            |package| &package.source,
            |source, group| match source {
                replaced if self.vendored(replaced).is_some() => {
                    let group: Vec<&Locked> = group.iter().map(|package| **package).collect();
                    self.vendored(replaced).map_or_else(Vec::new, |directory| directory.restore(&group))
                }
                SourceId::Git { url, .. } => {
                    let group: Vec<&Locked> = group.iter().map(|package| **package).collect();
                    self.in_repository(url, &group, |opened| git::restore(opened, &group))
                }
                SourceId::Registry(index) => {
                    let group: Vec<&Locked> = group.iter().map(|package| **package).collect();
                    registry::restore(self, index, &group)
                }
                SourceId::Path(path) => group.iter().map(|_| path::read(self, path)).collect(),
                SourceId::Archive(place) => {
                    group.iter().map(|package| archive::restore(self, place, package.archive.as_ref())).collect()
                }
                SourceId::WellKnown(site) => well_known::restore(self, site, group),
            },
        )
    }

    /// The archives of versions in the registry at a URL, as they are, each held against its digest.
    pub fn archives(&self, index: &str, entries: &[&Entry]) -> Vec<Result<Vec<u8>>> {
        registry::archives(self, index, entries)
    }

    /// The files of a version, by its archive as [`Sources::archives`] gave it, held against its checksum.
    ///
    /// # Errors
    /// If it is no package, or another than the index says.
    pub fn unpack(entry: &Entry, archive: &[u8]) -> Result<Tree> {
        registry::unpack_held(entry, archive)
    }

    /// Finds the skills of a repository at a reference (with [`GitReference::Versions`], at the newest version that fits
    /// `req`), below `within` if that is given.
    ///
    /// # Errors
    /// If the repository cannot be read, has no such reference, or no skill there.
    pub fn discover(
        &self,
        url: &GitUrl,
        at: (&GitReference, Option<&semver::VersionReq>),
        within: Option<&RelPath>,
        choice: &Choice,
    ) -> Result<Vec<FoundSkill>> {
        self.refuse_replaced(&SourceId::Git { url: url.clone(), reference: GitReference::Default })?;
        let opened = self.repository(url);
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.open(self)?;
        git::discover(&mut opened, at, within, choice)
    }

    /// Finds the skills below a directory of this disk; the path is as the manifest would write it.
    ///
    /// # Errors
    /// If it cannot be read, or has no skill.
    pub fn discover_path(&self, path: &str) -> Result<Vec<FoundSkill>> {
        path::discover(self, path)
    }

    /// The skills that a web site lists, by name and description; nothing of them is brought.
    ///
    /// # Errors
    /// If it has no list of a form that is known, or an empty one.
    pub fn listed(&self, site: &SiteUrl) -> Result<Vec<(SkillName, String)>> {
        self.refuse_replaced(&SourceId::WellKnown(site.clone()))?;
        well_known::listed(self, site)
    }

    /// The skill that a source with one package has.
    ///
    /// # Errors
    /// If the source cannot be read, or holds no skill.
    pub fn skill_of(&self, needed: &Dependency) -> Result<Skill> {
        self.skills_of(std::slice::from_ref(needed)).remove(0)
    }

    /// The skills that several such sources have, each for itself.
    pub fn skills_of(&self, needed: &[Dependency]) -> Vec<Result<Skill>> {
        let skill = |offers: Result<Vec<Offer>>| {
            let fetched = offers?.into_iter().find_map(|offer| match offer {
                Offer::Fetched(fetched) => Some(fetched),
                Offer::Summary(_) => None,
            });
            let fetched = fetched.ok_or_else(|| Error::internal("a source with one package offered a choice"))?;
            fetched.skill.ok_or_else(|| Error::internal("a package was read without its skill"))
        };
        self.query(needed).into_iter().map(skill).collect()
    }

    /// The directory that stands in for a source in this project.
    #[must_use]
    pub fn vendored(&self, source: &SourceId) -> Option<&vendor::Directory> {
        self.tools.vendored.get(&source.key()).filter(|directory| directory.serves(&self.root))
    }

    fn refuse_replaced(&self, source: &SourceId) -> Result<()> {
        self.vendored(source).map_or(Ok(()), |directory| Err(directory.has_no_choice(source)))
    }

    fn no_choice<T, R>(&self, source: &SourceId, group: &[T]) -> Vec<Result<R>> {
        let refused = |_: &T| {
            self.refuse_replaced(source)?;
            Err(Error::internal("a source is replaced and is not"))
        };
        group.iter().map(refused).collect()
    }

    /// The URL of the repository that is read for another: its own, or that of the one that replaces it.
    ///
    /// # Errors
    /// If what replaces it is no repository.
    fn repository_read_for(&self, url: &GitUrl) -> Result<GitUrl> {
        let Some(other) = self.tools.mirrors.get(&format!("git+{url}")) else { return Ok(url.clone()) };
        let repository = other.strip_prefix("git+").ok_or_else(|| {
            Error::usage(format!("repository `{url}` is replaced with `{other}`, which is none")).help(
                "a mirror of a repository is written `git+https://…`; `skillpm config list` shows where it is set",
            )
        })?;
        repository.parse()
    }

    /// The URL at which an index is read: its own, or that of the one that replaces it.
    fn read_from<'u>(&'u self, url: &'u str) -> &'u str {
        self.tools.mirrors.get(url).map_or(url, String::as_str)
    }

    /// The index of the registry at a URL, opened once; it may be read from a mirror.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn index(&self, url: &str) -> Result<Arc<Index<'a>>> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = indexes.get(url) {
            return Ok(index.clone());
        }
        let named_by = self.named_by.lock().unwrap_or_else(PoisonError::into_inner).get(url).cloned();
        let place = self.read_from(url);
        let opened = Index::open_named(place, named_by.as_ref(), self.tools.for_index(self.reporter));
        let index = Arc::new(opened.map_err(|error| {
            let is_replaced = place != url;
            if is_replaced {
                error.note(format!("it is read instead of `{url}`, as `replace-with` says"))
            } else {
                error
            }
        })?);
        indexes.insert(url.to_owned(), index.clone());
        Ok(index)
    }

    /// What indexes say of locked packages, as far as they were asked in this run.
    #[must_use]
    pub fn told(&self, packages: &[&Locked]) -> Vec<Option<Entry>> {
        let one = |locked: &&Locked| match &locked.source {
            SourceId::Registry(url) => registry::told(self, url, locked),
            _ => None,
        };
        packages.iter().map(one).collect()
    }

    /// What indexes say of locked packages: all of an index are asked for at once. `None` of what is from elsewhere, or
    /// has no line.
    ///
    /// # Errors
    /// Each for itself: if the index cannot be asked.
    pub fn lines(&self, packages: &[&Locked]) -> Vec<Result<Option<Entry>>> {
        self.by_place(
            packages,
            |locked| &locked.source,
            |source, group| match source {
                SourceId::Registry(url) => {
                    registry::lines(self, url, &group.iter().map(|one| **one).collect::<Vec<_>>())
                }
                _ => group.iter().map(|_| Ok(None)).collect(),
            },
        )
    }

    /// Whether the index of a registry was opened in this run.
    #[must_use]
    pub fn has_opened(&self, url: &str) -> bool {
        self.indexes.lock().unwrap_or_else(PoisonError::into_inner).contains_key(url)
    }

    fn repository(&self, url: &GitUrl) -> Arc<Mutex<git::Opened>> {
        let mut repositories = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        repositories.entry(url.clone()).or_insert_with(|| Arc::new(Mutex::new(git::Opened::new(url)))).clone()
    }

    /// Works in an opened repository; if it cannot be opened, everything asked of it fails for that reason.
    fn in_repository<T, R>(
        &self,
        url: &GitUrl,
        group: &[T],
        work: impl FnOnce(&mut git::Opened) -> Vec<Result<R>>,
    ) -> Vec<Result<R>> {
        let opened = self.repository(url);
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        match opened.open(self) {
            Ok(()) => work(&mut opened),
            Err(error) => group.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Groups `items` by the place of their source, works on several groups at once, and gives the results in the order of
    /// the items.
    fn by_place<T: Sync, R: Send>(
        &self,
        items: &[T],
        source: impl Fn(&T) -> &SourceId,
        work: impl Fn(&SourceId, &[&T]) -> Vec<R> + Sync,
    ) -> Vec<R> {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            let key = match source(item) {
                SourceId::Git { url, .. } => url.to_string(),
                other => other.to_string(),
            };
            groups.entry(key).or_default().push(at);
        }
        let groups: Vec<(SourceId, Vec<usize>)> =
            groups.into_values().map(|members| (source(&items[members[0]]).clone(), members)).collect();
        let done = parallel(self.tools.jobs, &groups, |(source, members)| {
            let group: Vec<&T> = members.iter().map(|&at| &items[at]).collect();
            work(source, &group)
        });
        let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
        for ((_, members), group) in groups.iter().zip(done) {
            for (&at, result) in members.iter().zip(group) {
                results[at] = Some(result);
            }
        }
        results.into_iter().map(|result| result.expect("a source answers for each that it is asked about")).collect()
    }
}

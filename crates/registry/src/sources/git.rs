//! Packages out of git repositories. Nothing is checked out: trees and blobs are read from the object database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use semver::{Version, VersionReq};

use super::describe::{Described, Surroundings, describe, inherits};
use super::discover::{SkillDirs, discover as skill_dirs, join, last_part};
use super::{Fetched, Lack, Look, Offer, Origin, Sources, tags};
use crate::error::{Error, Result};
use crate::io::git::{BlobId, CommitId, Listing, RemoteRef, Repository, TreeId};
use crate::io::gpgv::Gpgv;
use crate::lockfile::Locked;
use crate::manifest::{self, Manifest, Members, Shared};
use crate::package::{
    Checksum, Dependency, GitReference, GitUrl, Limits, RelPath, SkillName, SourceId, Summary, Tree, resolve_below,
};
use crate::provenance::{Doubt, Key, Verdict, Vouched};
use crate::report::Event;
use crate::skill::formats::{self, Files};
use crate::skill::{self, Format, Skill};

/// A repository and what was learnt of it in this run.
pub(super) struct Opened {
    url: GitUrl,
    repository: Option<Repository>,
    tags: Option<Vec<RemoteRef>>,
    commits: BTreeMap<GitReference, CommitId>,
    contents: BTreeMap<CommitId, Arc<Contents>>,
}

/// What a commit holds.
struct Contents {
    listing: Listing,
    skills: SkillDirs,
}

/// Which of a repository's skills are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// These, by name.
    Named(Vec<String>),
    /// All of them.
    All,
    /// Not decided yet: their names and descriptions are to be shown.
    Open,
}

/// A skill that was found in a source.
#[derive(Debug, Clone)]
pub struct FoundSkill {
    /// Its directory; `None` for the source's root.
    pub dir: Option<RelPath>,
    /// What its `SKILL.md` says; the error says why no agent would list it.
    pub skill: Result<Skill, Error>,
}

impl Opened {
    pub(super) fn new(url: &GitUrl) -> Self {
        Opened { url: url.clone(), repository: None, tags: None, commits: BTreeMap::new(), contents: BTreeMap::new() }
    }

    /// Opens it, if it is not yet.
    pub(super) fn open(&mut self, sources: &Sources<'_>) -> Result<()> {
        if self.repository.is_none() {
            sources.reporter.report(Event::Fetching { what: self.url.to_string() });
            let url = sources.repository_read_for(&self.url)?;
            let opened = sources.tools.git.open(&url);
            self.repository = Some(opened.map_err(|error| {
                let is_replaced = url != self.url;
                if is_replaced {
                    error.note(format!("it is read instead of `{}`, as `replace-with` says", self.url))
                } else {
                    error
                }
            })?);
        }
        Ok(())
    }

    pub(super) fn repository(&mut self) -> &mut Repository {
        self.repository.as_mut().expect("every way in opens it first")
    }

    pub(super) fn repository_ref(&self) -> &Repository {
        self.repository.as_ref().expect("every way in opens it first")
    }

    /// The directory of a skill in a commit: at `path`, or found by its name.
    pub(super) fn directory(
        &mut self,
        commit: CommitId,
        path: Option<&str>,
        name: &SkillName,
    ) -> Result<(String, TreeId)> {
        let contents = self.contents(commit)?;
        let dir = match path {
            Some(path) => Ok(path.to_owned()),
            None => find_by_name(self, &contents, name),
        };
        let dir = dir.map_err(|lack| match lack {
            Lack::Failed(error) => error,
            Lack::Unavailable(reason) => Error::negative(format!("`{}`: {reason}", self.url)),
        })?;
        let is_skill = format_at(&contents, &dir).is_some();
        let tree = contents.listing.tree_at(&dir).filter(|_| is_skill);
        let tree = tree.ok_or_else(|| Error::negative(format!("`{}` has no skill in `{dir}` any more", self.url)))?;
        Ok((dir, tree))
    }

    pub(super) fn commit(&mut self, reference: &GitReference) -> Result<CommitId> {
        if let Some(commit) = self.commits.get(reference) {
            return Ok(*commit);
        }
        let resolved = self.repository().resolve(reference)?;
        self.commits.insert(reference.clone(), resolved.commit);
        Ok(resolved.commit)
    }

    fn tags(&mut self) -> Result<&[RemoteRef]> {
        if self.tags.is_none() {
            let tags = self.repository().refs(&["refs/tags/"])?;
            for tag in &tags {
                if let Some(name) = tag.name.strip_prefix("refs/tags/") {
                    self.commits.insert(GitReference::Tag(name.to_owned()), tag.commit);
                }
            }
            self.tags = Some(tags);
        }
        Ok(self.tags.as_deref().unwrap_or_default())
    }

    /// The versions of a skill, each with its tag.
    fn versions(&mut self, name: &str) -> Result<BTreeMap<Version, String>> {
        let tags = self.tags()?.iter().filter_map(|tag| tag.name.strip_prefix("refs/tags/"));
        Ok(tags::versions(tags, name).into_iter().map(|(version, tag)| (version, tag.to_owned())).collect())
    }

    fn contents(&mut self, commit: CommitId) -> Result<Arc<Contents>> {
        if let Some(contents) = self.contents.get(&commit) {
            return Ok(contents.clone());
        }
        let listing = self.repository().listing(&commit)?;
        let files: Vec<&str> = listing.entries().iter().map(|entry| entry.path.as_str()).collect();
        let skills = skill_dirs(&files, &mut |file| {
            let blob = listing.entry(file)?.id;
            self.repository.as_mut()?.fetch_blobs(&[blob]).ok()?;
            self.repository.as_ref()?.blob(&blob).ok()
        });
        let contents = Arc::new(Contents { listing, skills });
        self.contents.insert(commit, contents.clone());
        Ok(contents)
    }

    fn blob(&self, blob: &BlobId) -> Result<Vec<u8>> {
        self.repository_ref().blob(blob)
    }
}

/// What a repository offers for each of some dependencies on it.
///
/// With [`GitReference::Versions`] there is a choice, and what each version needs is read once it is chosen; any other
/// reference means one commit, which is read at once.
pub(super) fn offers(sources: &Sources<'_>, opened: &mut Opened, needed: &[&Dependency]) -> Vec<Result<Vec<Offer>>> {
    let mut results: Vec<Option<Result<Vec<Offer>>>> = needed.iter().map(|_| None).collect();
    let mut wanted = Vec::new();
    for (at, dependency) in needed.iter().enumerate() {
        match &dependency.source {
            SourceId::Git { reference: GitReference::Versions, .. } => {
                results[at] = Some(version_offers(opened, dependency));
            }
            _ => wanted.push((at, Summary::unread(dependency))),
        }
    }
    let summaries: Vec<(&Summary, Option<&str>)> = wanted.iter().map(|(_, summary)| (summary, None)).collect();
    let read = read(sources, opened, &summaries.iter().collect::<Vec<_>>());
    for ((at, summary), fetched) in wanted.iter().zip(read) {
        results[*at] = Some(match fetched {
            Ok(fetched) => Ok(vec![Offer::Fetched(Box::new(fetched))]),
            Err(Lack::Failed(error)) => Err(error),
            Err(Lack::Unavailable(reason)) => {
                Err(Error::negative(format!("`{}` cannot be had: {reason}", summary.name))
                    .help(format!("`skillpm add {}` lists the skills that are there", opened.url)))
            }
        });
    }
    results.into_iter().map(|result| result.expect("each is one or the other")).collect()
}

fn version_offers(opened: &mut Opened, dependency: &Dependency) -> Result<Vec<Offer>> {
    let url = opened.url.clone();
    let name = dependency.subdir.as_ref().map_or(dependency.package.skill().as_str(), RelPath::file_name);
    let versions = opened.versions(name)?;
    if versions.is_empty() {
        return Err(Error::negative(format!(
            "`{url}` has no version tags, so `{}` has no version `{}`",
            dependency.package, dependency.req
        ))
        .help("name a `tag`, `branch` or `rev` instead of a version, or none of them for the default branch"));
    }
    let offer = |(version, tag)| {
        let source = SourceId::Git { url: url.clone(), reference: GitReference::Tag(tag) };
        Offer::Summary(Box::new(Summary { version: Some(version), source, ..Summary::unread(dependency) }))
    };
    Ok(versions.into_iter().map(offer).collect())
}

/// What there is now for each dependency.
pub(super) fn look(opened: &mut Opened, needed: &[&Dependency]) -> Vec<Result<Look>> {
    let look = |dependency: &&Dependency| match &dependency.source {
        SourceId::Git { reference: GitReference::Versions, .. } => {
            let name = dependency.subdir.as_ref().map_or(dependency.package.skill().as_str(), RelPath::file_name);
            Ok(Look { versions: opened.versions(name)?.into_keys().collect(), ..Look::default() })
        }
        SourceId::Git { reference, .. } => {
            Ok(Look { commit: Some(opened.commit(reference)?.to_string()), ..Look::default() })
        }
        _ => Ok(Look::default()),
    };
    needed.iter().map(look).collect()
}

/// Reads packages, all blobs of all of them in one request.
pub(super) fn read(
    sources: &Sources<'_>,
    opened: &mut Opened,
    wanted: &[&(&Summary, Option<&str>)],
) -> Vec<Result<Fetched, Lack>> {
    let located: Vec<Result<Located, Lack>> =
        wanted.iter().map(|(summary, commit)| locate(opened, summary, *commit)).collect();
    let blobs: BTreeSet<BlobId> = located.iter().flatten().flat_map(Located::blobs).collect();
    if let Err(error) = opened.repository().fetch_blobs(&blobs.into_iter().collect::<Vec<_>>()) {
        return located.into_iter().map(|found| found.and(Err(Lack::Failed(error.clone())))).collect();
    }
    let pairs = wanted.iter().zip(located);
    pairs.map(|((summary, _), found)| Ok(found?.read(sources, opened, summary)?)).collect()
}

/// Where a package is in a commit.
struct Located {
    commit: CommitId,
    contents: Arc<Contents>,
    /// The empty text for the root.
    dir: String,
    tree: TreeId,
}

fn locate(opened: &mut Opened, summary: &Summary, commit: Option<&str>) -> Result<Located, Lack> {
    let SourceId::Git { reference, .. } = &summary.source else {
        return Err(Lack::Failed(Error::internal("a repository was asked for another source's package")));
    };
    let commit = match commit {
        Some(commit) => commit.parse()?,
        None => opened.commit(reference)?,
    };
    let contents = opened.contents(commit)?;
    let dir = match &summary.subdir {
        Some(dir) => dir.to_string(),
        None => find_by_name(opened, &contents, summary.name.skill())?,
    };
    let Some(tree) = contents.listing.tree_at(&dir) else {
        return Err(Lack::Unavailable(format!("there is no `{dir}` at {reference}")));
    };
    if format_at(&contents, &dir).is_none() {
        return Err(Lack::Unavailable(format!("`{dir}` has no `SKILL.md` at {reference}")));
    }
    check_size(&contents.listing, &dir)?;
    Ok(Located { commit, contents, dir, tree })
}

/// The directory of a skill by its name: of the directories called that, else of all, the one whose frontmatter says so.
fn find_by_name(opened: &mut Opened, contents: &Contents, name: &SkillName) -> Result<String, Lack> {
    let called: Vec<String> = contents.skills.called(name.as_str()).into_iter().map(str::to_owned).collect();
    let found = match called.as_slice() {
        [] => {
            let skills = skills_at(opened, contents, &contents.skills.offered)?;
            skills.into_iter().filter(|(_, found)| named(found, name.as_str())).map(|(dir, _)| dir).collect()
        }
        _ => called,
    };
    match found.as_slice() {
        [dir] => Ok(dir.clone()),
        [] => Err(Lack::Unavailable(format!("there is no skill `{name}` in it"))),
        several => Err(Lack::Failed(ambiguous(name.as_str(), several))),
    }
}

fn named(found: &FoundSkill, name: &str) -> bool {
    found.skill.as_ref().is_ok_and(|skill| skill.name == name)
}

/// Two skills of one name.
pub(super) fn ambiguous(name: &str, dirs: &[String]) -> Error {
    let error = Error::negative(format!("`{name}` is the name of {} skills", dirs.len()));
    let error = dirs.iter().fold(error, |error, dir| error.note(format!("`{dir}`")));
    let first = dirs.first().map_or("", String::as_str);
    error.help(format!("take one with `--path {first}`; to have both, give one another name with `--as NAME`"))
}

impl Located {
    fn blobs(&self) -> Vec<BlobId> {
        self.contents.listing.blobs_below(&self.dir)
    }

    fn read(self, sources: &Sources<'_>, opened: &mut Opened, summary: &Summary) -> Result<Fetched> {
        let tree = opened.repository().tree(&self.tree).map_err(|error| {
            let dir = if self.dir.is_empty() { "its root" } else { &self.dir };
            error.wrap(format!("`{dir}` of `{}` cannot be a package", opened.url))
        })?;
        let shared = if inherits(&tree) { self.shared(sources, opened)? } else { None };
        let described = self.describe(sources, opened, summary, (&tree, shared))?;
        let subdir = if self.dir.is_empty() { None } else { Some(self.dir.parse()?) };
        let version = summary.version.clone().or_else(|| tag_version(summary)).or(described.version);
        Ok(Fetched {
            summary: Summary { version, subdir, dependencies: Some(described.dependencies), ..summary.clone() },
            origin: Origin { commit: Some(self.commit.to_string()), tree: Some(self.tree.to_string()), archive: None },
            tree,
            skill: Some(described.skill),
            diagnostics: described.diagnostics,
        })
    }

    /// What the workspace that it is a member of at this commit has for its members.
    fn shared(&self, sources: &Sources<'_>, opened: &mut Opened) -> Result<Option<Shared>> {
        for (at, _) in self.dir.rmatch_indices('/').chain((!self.dir.is_empty()).then_some((0, ""))) {
            let (root, member) = (&self.dir[..at], self.dir[at..].trim_start_matches('/'));
            let file = join(root, manifest::FILE);
            let Some(entry) = self.contents.listing.entry(&file) else { continue };
            let blob = entry.id;
            opened.repository().fetch_blobs(&[blob])?;
            let bytes = opened.repository().blob(&blob)?;
            let text = String::from_utf8_lossy(&bytes);
            if Members::of(&text, &file)?.is_some_and(|members| members.hold(member)) {
                let shared = Manifest::parse(&text, &file, sources.registries)?.workspace.map(|own| own.shared);
                let member = member.parse()?;
                return Ok(shared.map(|shared| shared.seen_from(&member)));
            }
        }
        Ok(None)
    }

    fn describe(
        &self,
        sources: &Sources<'_>,
        opened: &Opened,
        summary: &Summary,
        (tree, shared): (&Tree, Option<Shared>),
    ) -> Result<Described> {
        let sibling = |name: &SkillName| match self.contents.skills.called(name.as_str()).as_slice() {
            [dir] if *dir != self.dir => Some((summary.source.clone(), dir.parse().ok())),
            _ => None,
        };
        let relative = |path: &str| {
            let dir = climb(&self.dir, path).ok_or_else(|| {
                Error::integrity(format!("`{}` needs `{path}`, which lies outside its repository", self.dir))
            })?;
            let subdir = if dir.is_empty() { None } else { Some(dir.parse()?) };
            Ok((summary.source.clone(), subdir))
        };
        let directory = if self.dir.is_empty() { opened.url.repository() } else { last_part(&self.dir) };
        describe(
            tree,
            &Surroundings {
                place: &self.dir,
                directory,
                registries: sources.registries,
                sibling: &sibling,
                relative: &relative,
                shared: &|| Ok(shared.clone()),
            },
        )
    }
}

fn tag_version(summary: &Summary) -> Option<Version> {
    match &summary.source {
        SourceId::Git { reference: GitReference::Tag(tag), .. } => tags::version_of(tag, summary.name.skill().as_str()),
        _ => None,
    }
}

/// The directory that `path` leads to from `dir`, both below one root; `None` if it leaves that.
fn climb(dir: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) { None } else { resolve_below(dir, path) }
}

/// Brings trees as a lockfile has them: by their ids in one request where the host gives them out, else by their commits.
pub(super) fn restore(opened: &mut Opened, packages: &[&Locked]) -> Vec<Result<Tree>> {
    let parsed: Vec<Option<TreeId>> = packages.iter().map(|package| package.tree.as_ref()?.parse().ok()).collect();
    let known: Vec<TreeId> = parsed.iter().flatten().copied().collect();
    let brought = known.len() == packages.len() && opened.repository().fetch_trees(&known).unwrap_or(false);
    if brought {
        let pairs = packages.iter().zip(&known);
        return pairs
            .map(|(package, tree)| belongs(opened, package, tree).and_then(|()| opened.repository().tree(tree)))
            .collect();
    }
    let trees: Vec<Result<(TreeId, Vec<BlobId>)>> = packages.iter().map(|package| by_commit(opened, package)).collect();
    let blobs: BTreeSet<BlobId> = trees.iter().flatten().flat_map(|(_, blobs)| blobs.iter().copied()).collect();
    if let Err(error) = opened.repository().fetch_blobs(&blobs.into_iter().collect::<Vec<_>>()) {
        return trees.into_iter().map(|found| found.and(Err(error.clone()))).collect();
    }
    trees.into_iter().map(|found| found.and_then(|(tree, _)| opened.repository().tree(&tree))).collect()
}

/// The directories at these places of commits, all that is lacking of them in one request.
pub(super) fn trees_at(opened: &mut Opened, places: &[(CommitId, &str)]) -> Vec<Result<Tree>> {
    let mut listings: BTreeMap<CommitId, Result<Listing>> = BTreeMap::new();
    let found: Vec<Result<(TreeId, Vec<BlobId>)>> = places
        .iter()
        .map(|(commit, dir)| {
            let listing = listings.entry(*commit).or_insert_with(|| opened.repository().listing(commit));
            let listing = listing.as_ref().map_err(Clone::clone)?;
            let tree = listing.tree_at(dir).ok_or_else(|| {
                Error::integrity(format!("commit {commit} of `{}` has no directory `{dir}`", opened.url))
                    .help("tell whoever said that it has")
            })?;
            check_size(listing, dir)?;
            Ok((tree, listing.blobs_below(dir)))
        })
        .collect();
    let blobs: BTreeSet<BlobId> = found.iter().flatten().flat_map(|(_, blobs)| blobs.iter().copied()).collect();
    if let Err(error) = opened.repository().fetch_blobs(&blobs.into_iter().collect::<Vec<_>>()) {
        return found.into_iter().map(|found| found.and(Err(error.clone()))).collect();
    }
    found.into_iter().map(|found| found.and_then(|(tree, _)| opened.repository().tree(&tree))).collect()
}

/// Counts the files of a directory before anything is brought, so that a tree made to burst is never asked for.
fn check_size(listing: &Listing, dir: &str) -> Result<()> {
    let limits = Limits::default();
    if listing.below(dir).len() > limits.files {
        return Err(Error::integrity(format!("`{dir}` is too large: more than {} files", limits.files)));
    }
    Ok(())
}

/// Refuses a tree that is not the one of the commit it is locked with, where that commit is at hand.
fn belongs(opened: &mut Opened, package: &Locked, tree: &TreeId) -> Result<()> {
    let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;
    let dir = package.path.as_ref().map_or("", RelPath::as_str);
    match opened.repository().known_tree(&commit, dir) {
        Some(known) if known != *tree => {
            Err(Error::integrity(format!("`{}` is not the package that was locked", package.reference()))
                .note(format!("locked  tree {tree}"))
                .note(format!("commit {commit} has  tree {known}"))
                .help(format!(
                    "the lockfile contradicts itself; restore it, or run `skillpm update {}`",
                    package.install_name()
                )))
        }
        _ => Ok(()),
    }
}

/// Who vouches for packages: a key that signed the tag they were taken by, else their commit. What is locked must be what
/// lies in that commit; all that is lacking for that is brought in one request.
pub(super) fn vouched(opened: &mut Opened, asked: &[&super::Question<'_>]) -> Vec<Result<Vouched>> {
    let judged = judged(opened, asked);
    let mut places: Vec<(CommitId, &str)> = Vec::new();
    for (asked, judged) in asked.iter().zip(&judged) {
        if let Ok(Some((commit, Ok(_)))) = judged {
            places.push((*commit, asked.package.path.as_ref().map_or("", RelPath::as_str)));
        }
    }
    let mut trees = trees_at(opened, &places).into_iter();
    let answer = |(asked, judged): (&&super::Question<'_>, Result<Judged>)| {
        let Some((commit, verdict)) = judged? else { return Ok(Vouched::not(Doubt::NoKeys)) };
        if verdict.is_ok() {
            hold_to_commit(asked.package, &commit, &trees.next().expect("each that is signed was asked for")?)?;
        }
        let verdict = verdict.map_err(|doubt| doubt.of(format!("commit {}", commit.short())));
        Ok(Vouched { verdict, is_expected: true })
    };
    asked.iter().zip(judged).map(answer).collect()
}

/// The commit of a package, and what came of holding it against the keys; `None` if there are none.
type Judged = Option<(CommitId, Verdict)>;

/// What a signature is asked about: a reference, the commit that it led to, and the keys that may sign.
type Asked<'q> = (&'q GitReference, CommitId, &'q [Key]);

/// Which keys signed what packages are at; skills of one commit are of one signature.
fn judged<'q>(opened: &mut Opened, asked: &[&'q super::Question<'q>]) -> Vec<Result<Judged>> {
    let mut known: Vec<(Asked<'_>, Verdict)> = Vec::new();
    let mut judge = |asked: &'q super::Question<'q>| {
        let SourceId::Git { reference, .. } = &asked.package.source else {
            return Err(Error::internal("a repository was asked for another source's package"));
        };
        if asked.keys.is_empty() {
            return Ok(None);
        }
        let commit: CommitId = asked.package.commit.as_deref().unwrap_or_default().parse()?;
        let about = (reference, commit, asked.keys.as_slice());
        if let Some((_, verdict)) = known.iter().find(|(known, _)| *known == about) {
            return Ok(Some((commit, verdict.clone())));
        }
        let verdict = opened.repository().signed_at(reference, &commit)?.by(&asked.keys, &Gpgv);
        known.push((about, verdict.clone()));
        Ok(Some((commit, verdict)))
    };
    asked.iter().map(|asked| judge(asked)).collect()
}

fn hold_to_commit(package: &Locked, commit: &CommitId, tree: &Tree) -> Result<()> {
    let found = Checksum::of(tree);
    if found != package.upstream() {
        return Err(Error::integrity(format!("`{}` is not what lies in its signed commit", package.reference()))
            .note(format!("locked  {}", package.upstream()))
            .note(format!("commit {commit} has  {found}"))
            .help(format!("restore the lockfile, or run `skillpm update {}`", package.install_name())));
    }
    Ok(())
}

/// Whether the commits of packages are in the history of a branch or tag.
pub(super) fn reachable(opened: &mut Opened, packages: &[&&Locked]) -> Vec<Result<Option<bool>>> {
    let mut known: BTreeMap<CommitId, Result<Option<bool>>> = BTreeMap::new();
    let mut ask = |package: &&&Locked| {
        let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;
        known.entry(commit).or_insert_with(|| opened.repository().is_reachable(&commit)).clone()
    };
    packages.iter().map(&mut ask).collect()
}

fn by_commit(opened: &mut Opened, package: &Locked) -> Result<(TreeId, Vec<BlobId>)> {
    let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;
    let contents = opened.contents(commit)?;
    let dir = package.path.as_ref().map_or("", RelPath::as_str);
    let tree = contents.listing.tree_at(dir).ok_or_else(|| {
        Error::integrity(format!("commit {commit} of `{}` has no `{dir}`, which the lockfile names", opened.url))
    })?;
    Ok((tree, contents.listing.blobs_below(dir)))
}

/// Finds the skills of a repository; what is wanted of them is brought in one request.
pub(super) fn discover(
    opened: &mut Opened,
    at: (&GitReference, Option<&VersionReq>),
    within: Option<&RelPath>,
    choice: &Choice,
) -> Result<Vec<FoundSkill>> {
    let commit = match at {
        (GitReference::Versions, req) => newest(opened, req.unwrap_or(&VersionReq::STAR), choice)?,
        (reference, _) => opened.commit(reference)?,
    };
    let contents = opened.contents(commit)?;
    let dirs = candidates(opened, &contents, within)?;
    let by_directory = match choice {
        Choice::Named(names) => names
            .iter()
            .map(|name| {
                contents
                    .skills
                    .called(name)
                    .into_iter()
                    .filter(|dir| lies_within(dir, within))
                    .map(str::to_owned)
                    .collect()
            })
            .collect::<Vec<Vec<String>>>(),
        Choice::All | Choice::Open => Vec::new(),
    };
    let (look_at, whole) = if !by_directory.is_empty() && by_directory.iter().all(|dirs| !dirs.is_empty()) {
        (by_directory.concat(), true)
    } else {
        (dirs, *choice == Choice::All)
    };
    if whole {
        let blobs: BTreeSet<BlobId> = look_at.iter().flat_map(|dir| contents.listing.blobs_below(dir)).collect();
        opened.repository().fetch_blobs(&blobs.into_iter().collect::<Vec<_>>())?;
    }
    Ok(skills_at(opened, &contents, &look_at)?.into_iter().map(|(_, found)| found).collect())
}

/// The commit of the newest version that fits.
fn newest(opened: &mut Opened, req: &VersionReq, choice: &Choice) -> Result<CommitId> {
    let name = match choice {
        Choice::Named(names) => names.first().map_or("", String::as_str),
        Choice::All | Choice::Open => "",
    };
    let versions = opened.versions(name)?;
    let Some(tag) = versions.iter().rev().find(|(version, _)| req.matches(version)).map(|(_, tag)| tag.clone()) else {
        let error = Error::negative(format!("no version tag of `{}` fits `{req}`", opened.url));
        return Err(match versions.last_key_value() {
            Some((last, _)) => {
                let newest = versions.keys().rev().find(|version| version.pre.is_empty()).unwrap_or(last);
                error.note(format!("the newest is `{newest}`")).help(format!("`--version ^{newest}` takes it"))
            }
            None => error
                .note("it has no version tags")
                .help("name a tag, branch or commit with `--tag`, `--branch` or `--rev`"),
        });
    };
    opened.commit(&GitReference::Tag(tag))
}

fn candidates(opened: &Opened, contents: &Contents, within: Option<&RelPath>) -> Result<Vec<String>> {
    let skills = &contents.skills;
    let among =
        |dirs: &[String]| -> Vec<String> { dirs.iter().filter(|dir| lies_within(dir, within)).cloned().collect() };
    let mut dirs = among(&skills.offered);
    if dirs.is_empty() && within.is_some() {
        dirs = among(&skills.all);
    }
    if dirs.is_empty() {
        let place = within.map_or_else(String::new, |dir| format!(" below `{dir}`"));
        return Err(Error::negative(format!("there is no skill in `{}`{place}", opened.url))
            .note("a skill is a directory with a `SKILL.md`")
            .help("another place can be named with `--path DIR`, another state with `--branch` or `--tag`"));
    }
    Ok(dirs)
}

fn lies_within(dir: &str, within: Option<&RelPath>) -> bool {
    within.is_none_or(|within| {
        dir == within.as_str() || dir.strip_prefix(within.as_str()).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// The format of the skill in a directory.
fn format_at(contents: &Contents, dir: &str) -> Option<Format> {
    formats::detect(&|file| contents.listing.entry(&join(dir, file)).is_some())
}

/// Reads what describes the skill of each directory.
fn skills_at(opened: &mut Opened, contents: &Contents, dirs: &[String]) -> Result<Vec<(String, FoundSkill)>> {
    let described = |dir: &String| {
        let descriptor = format_at(contents, dir)?.descriptor();
        Some(contents.listing.entry(&join(dir, descriptor))?.id)
    };
    let blobs: Vec<(&String, BlobId)> = dirs.iter().filter_map(|dir| Some((dir, described(dir)?))).collect();
    opened.repository().fetch_blobs(&blobs.iter().map(|(_, blob)| *blob).collect::<Vec<_>>())?;
    let mut found = Vec::new();
    for (dir, blob) in blobs {
        let directory = if dir.is_empty() { opened.url.repository() } else { last_part(dir) };
        let has = |file: &str| contents.listing.entry(&join(dir, file)).is_some();
        let skill = read_skill(&opened.blob(&blob)?, &has, dir, directory);
        let parsed = if dir.is_empty() { None } else { Some(dir.parse()) };
        match parsed.transpose() {
            Ok(dir_path) => found.push((dir.clone(), FoundSkill { dir: dir_path, skill })),
            // A directory that no package may have is passed over unless it is asked for.
            Err(error) if dirs.len() == 1 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(found)
}

/// A skill by the text that describes it, or the reason why it is none; `has` knows the other files beside it, which are
/// not looked into.
pub(super) fn read_skill(source: &[u8], has: &dyn Fn(&str) -> bool, dir: &str, directory: &str) -> Result<Skill> {
    let format = formats::detect(has).unwrap_or_default();
    let read = |file: &str| (file == format.descriptor()).then(|| source.to_vec());
    let is_there = |file: &str| file != formats::nova::TOOLS && has(file);
    let reading = match formats::read(&Files { has: &is_there, read: &read }, directory) {
        Some(read) => read.about(format.descriptor()),
        None => skill::read(source, directory),
    };
    reading.skill.ok_or_else(|| skill::unreadable(&join(dir, format.descriptor()), &reading.diagnostics))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_inside_a_repository_cannot_leave_it() {
        assert_eq!(climb("skills/pdf", "../style").as_deref(), Some("skills/style"));
        assert_eq!(climb("skills/pdf", "../..").as_deref(), Some(""));
        assert_eq!(climb("skills/pdf", "../../../etc"), None);
        assert_eq!(climb("skills/pdf", "/etc"), None);
    }

    #[test]
    fn within_takes_whole_parts() {
        let dir: RelPath = "plugins/a".parse().unwrap();
        assert!(lies_within("plugins/a", Some(&dir)) && lies_within("plugins/a/skills/x", Some(&dir)));
        assert!(!lies_within("plugins/ab", Some(&dir)));
        assert!(lies_within("anything", None));
    }
}

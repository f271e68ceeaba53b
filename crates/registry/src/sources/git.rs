//! Packages from git repositories. Nothing is checked out: trees and blobs are read from the object database.

mod links;
mod moves;
mod signatures;
mod skills;
mod trees;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use semver::Version;

use super::budget::SizeBudget;
use super::describe::{DescribeContext, PackageDescription, describe_package, may_inherit};
use super::discover::{SkillDirs, SkillSearch, UnreadSkill, dir_name, join_paths, remove_copies};
use super::links::{DirectoryLinks, LINKS_MAX, follow_path};
use super::{
    AvailableVersion, FetchError, FetchedPackage, PackageOrigin, PackageSources, RemoteState,
    mirror_error, tags,
};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::manifest::{self, InheritableFields, Manifest, MemberPatterns};
use skillpm_core::package::{
    GitReference, GitUrl, PackageDependency, PackageSummary, RelPath, SkillName, SourceId, Tree,
    resolve_under,
};
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_core::skill::{Skill, SkillFormat, formats};
use skillpm_io::git::{
    BlobId, CommitId, CommitListing, EntryKind, GitRepository, ListedEntry, RemoteRef, TreeId,
};

use links::{descriptor_links, directory_links};
pub(super) use moves::find_moves;
pub use moves::{SkillLookup, SkillMove};
pub(super) use signatures::{check_reachable, verify_packages};
use skills::{UNREAD_MAX, is_within, read_skills};
pub(super) use skills::{discover_skills, note_unread, read_skill};
pub(super) use trees::{read_trees_at, restore_trees};

/// A repository and what was read from it in this run.
pub(super) struct OpenRepository<'r> {
    url: GitUrl,
    repository: Option<GitRepository<'r>>,
    /// Why it could not be opened or reached: a host that is down is not waited for again.
    failed: Option<Error>,
    tags: Option<Vec<RemoteRef>>,
    commits: BTreeMap<GitReference, CommitId>,
    contents: BTreeMap<CommitId, Arc<CommitContents>>,
    /// Version tags that are no commits.
    skipped_tags: BTreeSet<String>,
    budget: Arc<SizeBudget>,
    reporter: &'r dyn EventReporter,
}

/// The files and skills of a commit.
struct CommitContents {
    listing: CommitListing,
    skills: SkillDirs,
    links: DirectoryLinks,
    /// The files that the `SKILL.md` of skills are copies of, by the directories of the skills.
    descriptors: BTreeMap<String, ListedEntry>,
}

impl CommitContents {
    /// The directories of the skills with a name, copies left out.
    fn skills_named(&self, name: &SkillName) -> Vec<String> {
        let named = self.skills.named(name.as_str()).into_iter();
        let mut named = named.map(str::to_owned).collect();
        remove_copies(&mut named, &mut |dir| self.files_of(dir));
        named
    }

    /// The files of a directory, with that which its `SKILL.md` is a copy of; `None` if there is no such directory.
    fn files_of(&self, dir: &str) -> Option<Vec<(&str, EntryKind, BlobId)>> {
        self.listing.tree_at(dir)?;
        let files = self.listing.entries_below(dir).iter().map(|entry| {
            let path = entry.path[dir.len()..].trim_start_matches('/');
            let linked = self.descriptors.get(dir).filter(|_| path == "SKILL.md");
            let file = linked.unwrap_or(entry);
            (path, file.kind, file.id)
        });
        Some(files.collect())
    }
}

/// A skill that a command wants of a commit, as it is known before the files of the commit are.
#[derive(Debug, Clone, Copy)]
enum WantedSkill<'a> {
    /// The one in this directory.
    Directory(&'a str),
    /// The one of this name, if it is below the directory, if any.
    Named(&'a str, Option<&'a RelPath>),
    /// All below the directory, if any.
    All(Option<&'a RelPath>),
}

/// The selection of a repository's skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillSelection {
    /// These, by name.
    Named(Vec<String>),
    /// All of them.
    All,
    /// None yet: their names and descriptions are to be shown.
    Undecided,
}

/// The skills that were found in a source.
#[derive(Debug, Clone, Default)]
pub struct FoundSkills {
    /// One for each directory, copies left out.
    pub skills: Vec<FoundSkill>,
    /// Directories with the files of another one, each with that one.
    pub copies: Vec<(String, String)>,
    /// The skills that were not searched for, as there are others at the usual places.
    pub unsearched: Option<UnsearchedSkills>,
    /// What looks like a skill and is not read, a sentence each.
    pub unread: Vec<String>,
}

/// Skills of a source that are outside of the directories that are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsearchedSkills {
    /// How many there are, and in which directories.
    message: String,
    /// The command that adds those of the directory with the most, and which one that is.
    help: String,
}

impl UnsearchedSkills {
    /// By their number in each directory; `None` if there are none.
    pub(super) fn new(
        counts: &BTreeMap<&str, usize>,
        command: impl Fn(&str) -> String,
    ) -> Option<UnsearchedSkills> {
        let mut dirs: Vec<(&str, usize)> = counts.iter().map(|(dir, n)| (*dir, *n)).collect();
        // The most first, else in the order of their names.
        dirs.sort_by_key(|(dir, count)| (std::cmp::Reverse(*count), *dir));
        let first = dirs.first()?.0;
        let total: usize = dirs.iter().map(|(_, count)| count).sum();
        let shown = dirs.iter().take(UNREAD_MAX);
        let mut places: Vec<String> = shown
            .map(|(dir, count)| format!("`{}` ({count})", dir.escape_debug()))
            .collect();
        match dirs.len().saturating_sub(UNREAD_MAX) {
            0 => {}
            1 => places.push("1 other directory".to_owned()),
            more => places.push(format!("{more} other directories")),
        }
        let (are, skills) = if total == 1 {
            ("is", "skill")
        } else {
            ("are", "skills")
        };
        Some(UnsearchedSkills {
            message: format!(
                "{total} {skills} {are} left out, outside of the directories that are searched: {}",
                places.join(", ")
            ),
            help: format!(
                "`{}` adds those in `{}`",
                command(first),
                first.escape_debug()
            ),
        })
    }
}

impl FoundSkills {
    /// Adds what is not read to an error about a skill that is not there.
    #[must_use]
    pub fn note_unread(&self, error: Error) -> Error {
        note_unread(error, self.unread.iter().map(String::as_str))
    }

    /// Reports what is not read and who is no skill of its own, the first few for all to see.
    pub fn report_unread(&self, reporter: &dyn EventReporter) {
        let (shown, more) = self.unread.split_at(self.unread.len().min(UNREAD_MAX));
        for reason in shown {
            reporter.report(ProgressEvent::warning(reason.clone()));
        }
        if !more.is_empty() {
            let message = format!("and {} more that are not read; `-v` lists them", more.len());
            reporter.report(ProgressEvent::warning(message));
        }

        if let Some(unsearched) = &self.unsearched {
            reporter.report(ProgressEvent::Warning {
                message: unsearched.message.clone(),
                help: Some(unsearched.help.clone()),
            });
        }

        let copies = self.copies.iter();
        let copies = copies.map(|(copy, of)| format!("`{copy}` is a copy of `{of}`"));
        for message in more.iter().cloned().chain(copies) {
            reporter.report(ProgressEvent::Detail { message });
        }
    }
}

/// A skill that was found in a source.
#[derive(Debug, Clone)]
pub struct FoundSkill {
    /// Its directory; `None` for the source's root.
    pub dir: Option<RelPath>,
    /// The name of its directory; at the root, of the repository. `None` for a source that has none.
    pub directory: Option<String>,
    /// Its parsed `SKILL.md`; an error if no agent would list it.
    pub skill: Result<Skill, Error>,
}

impl WantedSkill<'_> {
    /// The directories that are wanted, whatever the declarations of the commit say.
    fn certain_dirs<'s>(&'s self, search: &'s SkillSearch<'_>) -> Vec<&'s str> {
        match self {
            WantedSkill::Directory(dir) => vec![dir],
            WantedSkill::Named(name, within) => search
                .only_named(name)
                .filter(|dir| is_within(dir, *within))
                .into_iter()
                .collect(),
            WantedSkill::All(within) => search
                .conventional()
                .filter(|dir| is_within(dir, *within))
                .collect(),
        }
    }
}

impl<'r> OpenRepository<'r> {
    pub(super) fn new(
        url: &GitUrl,
        budget: Arc<SizeBudget>,
        reporter: &'r dyn EventReporter,
    ) -> Self {
        OpenRepository {
            url: url.clone(),
            repository: None,
            failed: None,
            tags: None,
            commits: BTreeMap::new(),
            contents: BTreeMap::new(),
            skipped_tags: BTreeSet::new(),
            budget,
            reporter,
        }
    }

    /// Opens it, if it is not yet.
    pub(super) fn ensure_open(&mut self, sources: &PackageSources<'r>) -> Result<()> {
        // Many packages share a repository, which is opened once.
        if self.repository.is_none() {
            self.refuse_failed()?;
            let url = sources.repository_url(&self.url)?;
            match sources.tools.git.open(&url) {
                Ok(opened) => {
                    let opened = opened.announce(self.url.to_string(), sources.reporter);
                    self.repository = Some(opened);
                }
                Err(error) => {
                    let error = if url == self.url {
                        error
                    } else {
                        mirror_error(error, self.url.as_str())
                    };
                    self.failed = Some(error.clone());
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    pub(super) fn repository(&mut self) -> &mut GitRepository<'r> {
        self.repository.as_mut().expect("callers open it first")
    }

    /// Reads a tree whose blobs were fetched, with the file outside of it that its `SKILL.md` is a copy of.
    fn read_tree(&mut self, id: &TreeId, linked: Option<&ListedEntry>) -> Result<Tree> {
        let tree = self.repository().read_linked_tree(id, linked)?;
        // Charged after reading, when its size is known; the limits of one package bound it until then.
        self.budget.charge(tree)
    }

    pub(super) fn repository_ref(&self) -> &GitRepository<'r> {
        self.repository.as_ref().expect("callers open it first")
    }

    /// The directory of a skill in a commit: at `path`, or found by its name.
    pub(super) fn find_directory(
        &mut self,
        commit: CommitId,
        path: Option<&str>,
        name: &SkillName,
    ) -> Result<(String, TreeId)> {
        let contents = self.commit_contents(commit, &[])?;
        let dir = match path {
            Some(path) => Ok(path.to_owned()),
            None => find_by_name(self, &contents, name),
        };

        let dir = dir.map_err(|error| match error {
            FetchError::Failed(error) => error,
            FetchError::Unavailable(reason) => Error::negative(format!("`{}`: {reason}", self.url)),
        })?;

        // A directory of that name may have existed before the skill did.
        let is_skill = format_at(&contents, &dir).is_some();
        let tree = contents.listing.tree_at(&dir).filter(|_| is_skill);
        let tree = tree.ok_or_else(|| {
            Error::negative(format!("skill not found in `{dir}` of `{}`", self.url))
        })?;
        Ok((dir, tree))
    }

    pub(super) fn resolve_commit(&mut self, reference: &GitReference) -> Result<CommitId> {
        // The same commit for the whole command, even if the branch moves meanwhile.
        if let Some(commit) = self.commits.get(reference) {
            return Ok(*commit);
        }

        self.refuse_failed()?;
        let resolved = self.repository().resolve(reference);
        let resolved = self.remember_failure(resolved)?;
        self.commits.insert(reference.clone(), resolved.commit);
        Ok(resolved.commit)
    }

    /// Whether a version tag is that of a tree or a file, as far as its object was fetched; then a warning says so, once.
    fn skips_tag(&mut self, tag: &str) -> bool {
        let commit = self.commits.get(&GitReference::Tag(tag.to_owned()));
        let is_other = commit.is_some_and(|commit| self.repository_ref().is_other_object(commit));
        if is_other && self.skipped_tags.insert(tag.to_owned()) {
            let message = format!(
                "tag `{tag}` of `{}` is not a commit; its version is skipped",
                self.url
            );
            self.reporter.report(ProgressEvent::warning(message));
        }
        is_other
    }

    /// Adds to an error which reference is not a commit.
    fn explain_object(&self, error: Error, reference: &GitReference, commit: &CommitId) -> Error {
        if self.repository_ref().is_other_object(commit) {
            error.wrap(format!("invalid {reference} of `{}`", self.url))
        } else {
            error
        }
    }

    /// What is in the cache can still be read; only what would ask the host again is refused.
    fn refuse_failed(&self) -> Result<()> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn remember_failure<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result
            && error.kind() == FailureKind::Network
        {
            self.failed = Some(error.clone());
        }
        result
    }

    fn version_tags(&mut self) -> Result<&[RemoteRef]> {
        if self.tags.is_none() {
            self.refuse_failed()?;
            let tags = self.repository().refs(&["refs/tags/"]);
            let tags = self.remember_failure(tags)?;
            // The list has the commit of each tag, so that no further request is needed.
            for tag in &tags {
                if let Some(name) = tag.name.strip_prefix("refs/tags/") {
                    self.commits
                        .insert(GitReference::Tag(name.to_owned()), tag.commit);
                }
            }
            self.tags = Some(tags);
        }

        Ok(self.tags.as_deref().unwrap_or_default())
    }

    /// Lists the versions of a skill, each with its tag.
    fn tagged_versions(&mut self, name: &str) -> Result<BTreeMap<Version, String>> {
        let tags = self
            .version_tags()?
            .iter()
            .filter_map(|tag| tag.name.strip_prefix("refs/tags/"));
        Ok(tags::tagged_versions(tags, name)
            .into_iter()
            .map(|(version, tag)| (version, tag.to_owned()))
            .collect())
    }

    /// The files and skills of a commit; the files of the `wanted` skills may be fetched with its declarations of skills.
    fn commit_contents(
        &mut self,
        commit: CommitId,
        wanted: &[WantedSkill<'_>],
    ) -> Result<Arc<CommitContents>> {
        if let Some(contents) = self.contents.get(&commit) {
            return Ok(contents.clone());
        }

        let listing = self.repository().list_commit(&commit)?;
        let files: Vec<&str> = listing
            .entries()
            .iter()
            .map(|entry| entry.path.as_str())
            .collect();
        let search = SkillSearch::new(&files);
        let mut links = directory_links(&listing, &search);
        let too_many = (links.len() > LINKS_MAX).then(|| UnreadSkill {
            path: String::new(),
            reason: format!("none of its {} symbolic links is followed", links.len()),
        });
        if too_many.is_some() {
            links.clear();
        }
        let link_blobs = links.iter().map(|link| link.id);
        let link_blobs = link_blobs.chain(descriptor_links(&listing));
        self.fetch_with_declarations(&listing, &search, wanted, link_blobs);

        let links = self.resolve_directory_links(&listing, &links)?;
        let mut skills = search.find(&links, &mut |file| {
            let blob = listing.entry(file)?.id;
            self.repository.as_mut()?.fetch_blobs(&[blob]).ok()?;
            self.repository.as_ref()?.read_blob(&blob).ok()
        });
        skills.unread.extend(too_many);

        let descriptors = self.follow_descriptors(&listing, &skills.all);
        // Shared: many packages of a monorepo are in the same commit.
        let contents = Arc::new(CommitContents {
            listing,
            skills,
            links,
            descriptors,
        });
        self.contents.insert(commit, contents.clone());
        Ok(contents)
    }

    /// Fetches the declarations of skills, links to them, and the skills that are certainly among the wanted ones, in one
    /// request.
    ///
    /// Without a declaration or link, that of the skills is the only request, and follows.
    fn fetch_with_declarations(
        &mut self,
        listing: &CommitListing,
        search: &SkillSearch<'_>,
        wanted: &[WantedSkill<'_>],
        links: impl Iterator<Item = BlobId>,
    ) {
        let mut blobs: BTreeSet<BlobId> = search
            .declarations()
            .filter_map(|file| Some(listing.entry(file)?.id))
            .chain(links)
            .collect();
        if blobs.is_empty() || self.url.scheme() == "file" {
            return;
        }

        for dir in wanted.iter().flat_map(|one| one.certain_dirs(search)) {
            // An excessive skill is refused where it is read.
            if self.check_file_count(listing, dir).is_ok() {
                blobs.extend(listing.blobs_below(dir));
            }
        }

        // Whatever is missing then is requested where it is needed, which reports why it failed.
        let _ = self
            .repository()
            .fetch_blobs(&blobs.into_iter().collect::<Vec<_>>());
    }

    fn read_blob(&self, blob: &BlobId) -> Result<Vec<u8>> {
        self.repository_ref().read_blob(blob)
    }
}

/// Splits a reference and the directory after it by the branches and tags that exist: `main`, or `feat` and the first parts of
/// the directory. A tag is used where there is no such branch, and a short commit where there is neither.
pub(super) fn split_reference(
    opened: &mut OpenRepository<'_>,
    reference: &GitReference,
    subdir: Option<&RelPath>,
) -> Result<(GitReference, Option<RelPath>)> {
    type Kind = (&'static str, fn(String) -> GitReference);
    const KINDS: [Kind; 2] = [
        ("refs/heads/", GitReference::Branch),
        ("refs/tags/", GitReference::Tag),
    ];
    let (first, kinds) = match reference {
        GitReference::Branch(name) => (name, &KINDS[..]),
        GitReference::Tag(name) => (name, &KINDS[1..]),
        _ => return Ok((reference.clone(), subdir.cloned())),
    };
    let parts: Vec<&str> = subdir.iter().flat_map(|dir| dir.parts()).collect();

    for (prefix, make) in kinds {
        // One request, whose answer has the longer names as well.
        let refs = opened.repository().refs(&[&format!("{prefix}{first}")])?;
        let named: BTreeSet<&str> = refs
            .iter()
            .filter_map(|found| found.name.strip_prefix(prefix))
            .collect();
        for taken in 0..=parts.len() {
            let name = [&[first.as_str()], &parts[..taken]].concat().join("/");
            if named.contains(name.as_str()) {
                let rest = parts[taken..].join("/");
                let subdir = (!rest.is_empty()).then(|| rest.parse()).transpose()?;
                return Ok((make(name), subdir));
            }
        }
    }

    let is_short_commit =
        (7..40).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    let reference = if is_short_commit && matches!(reference, GitReference::Branch(_)) {
        GitReference::Rev(first.clone())
    } else {
        reference.clone()
    };
    Ok((reference, subdir.cloned()))
}

/// Lists the versions in a repository for each dependency on it.
///
/// With [`GitReference::Versions`] there is a choice, and the dependencies of a version are read once it is chosen; any
/// other reference is one commit, which is read at once.
pub(super) fn available_versions(
    sources: &PackageSources<'_>,
    opened: &mut OpenRepository<'_>,
    needed: &[&PackageDependency],
) -> Vec<Result<Vec<AvailableVersion>>> {
    // First, since the list of tags has the commits of tags that are read below.
    let choices: Vec<Option<Result<Vec<AvailableVersion>>>> = needed
        .iter()
        .map(|needed| {
            let has_choice = needed.source.has_version_tags();
            has_choice.then(|| tagged_version_summaries(opened, needed))
        })
        .collect();

    // All of the others are read together, in one request.
    let unread: Vec<PackageSummary> = needed
        .iter()
        .filter(|needed| !needed.source.has_version_tags())
        .map(|needed| PackageSummary::unread(needed))
        .collect();
    let wanted: Vec<(&PackageSummary, Option<&str>)> =
        unread.iter().map(|summary| (summary, None)).collect();
    let read = read_packages(sources, opened, &wanted.iter().collect::<Vec<_>>());

    let mut read = unread.iter().zip(read);
    let versions = |choice: Option<_>| {
        choice.unwrap_or_else(|| {
            let (summary, fetched) = read.next().expect("each of the others was read");
            only_version(opened, summary, fetched)
        })
    };
    choices.into_iter().map(versions).collect()
}

/// The version at a reference that is one commit.
fn only_version(
    opened: &OpenRepository<'_>,
    summary: &PackageSummary,
    fetched: Result<FetchedPackage, FetchError>,
) -> Result<Vec<AvailableVersion>> {
    match fetched {
        Ok(fetched) => Ok(vec![AvailableVersion::Fetched(Box::new(fetched))]),
        Err(FetchError::Failed(error)) => Err(error),
        // There was only one commit to choose, so it is an error that the skill is not in it.
        Err(FetchError::Unavailable(reason)) => {
            Err(
                Error::negative(format!("failed to fetch `{}`: {reason}", summary.name)).help(
                    format!("run `skillpm add {}` to list its skills", opened.url),
                ),
            )
        }
    }
}

fn tagged_version_summaries(
    opened: &mut OpenRepository<'_>,
    dependency: &PackageDependency,
) -> Result<Vec<AvailableVersion>> {
    let url = opened.url.clone();
    let name = dependency
        .subdir
        .as_ref()
        .map_or(dependency.package.skill().as_str(), RelPath::file_name);

    // The name of the directory, as tags of one skill in a monorepo have it.
    let versions = opened.tagged_versions(name)?;
    if versions.is_empty() {
        return Err(Error::negative(format!(
            "no version of `{}` matching `{}` found: `{url}` has no version tags",
            dependency.package, dependency.req
        ))
        .help("specify a `tag`, `branch` or `rev` instead of a version, or none of them for the default branch"));
    }

    let mut available = Vec::new();
    for (version, tag) in versions {
        let summary = PackageSummary {
            version: Some(version),
            // The tag becomes the reference, so that the lockfile records which one was chosen.
            source: SourceId::Git {
                url: url.clone(),
                reference: GitReference::Tag(tag),
            },
            ..PackageSummary::unread(dependency)
        };
        available.push(AvailableVersion::Summary(Box::new(summary)));
    }
    Ok(available)
}

/// Queries the present versions or commit for each dependency.
pub(super) fn remote_states(
    opened: &mut OpenRepository<'_>,
    needed: &[&PackageDependency],
) -> Vec<Result<RemoteState>> {
    needed
        .iter()
        .map(|dependency| remote_state(opened, dependency))
        .collect()
}

fn remote_state(
    opened: &mut OpenRepository<'_>,
    dependency: &PackageDependency,
) -> Result<RemoteState> {
    match &dependency.source {
        SourceId::Git {
            reference: GitReference::Versions,
            ..
        } => {
            let name = dependency
                .subdir
                .as_ref()
                .map_or(dependency.package.skill().as_str(), RelPath::file_name);
            let mut tags = opened.tagged_versions(name)?;
            // Only of those that would be shown: a repository may have thousands.
            let is_shown = |version: &&Version| dependency.req.matches(version);
            loop {
                let skipped = {
                    let shown = [tags.keys().next_back(), tags.keys().rev().find(is_shown)];
                    let mut shown = shown.into_iter().flatten();
                    shown
                        .find(|version| opened.skips_tag(&tags[*version]))
                        .cloned()
                };
                let Some(version) = skipped else { break };
                tags.remove(&version);
            }
            // The list of tags had their commits, so that none of them costs a request.
            let commit = |tag: String| opened.commits.get(&GitReference::Tag(tag));
            let tagged = tags
                .into_iter()
                .filter_map(|(version, tag)| Some((version, commit(tag)?.to_string())));
            let tagged: BTreeMap<Version, String> = tagged.collect();
            Ok(RemoteState {
                versions: tagged.keys().cloned().collect(),
                tagged,
                ..RemoteState::default()
            })
        }
        // The commit alone decides whether there is something new; the skill itself may be unchanged.
        SourceId::Git { reference, .. } => Ok(RemoteState {
            commit: Some(opened.resolve_commit(reference)?.to_string()),
            ..RemoteState::default()
        }),
        _ => Ok(RemoteState::default()),
    }
}

/// Reads packages, all blobs of all of them in one request.
pub(super) fn read_packages(
    sources: &PackageSources<'_>,
    opened: &mut OpenRepository<'_>,
    wanted: &[&(&PackageSummary, Option<&str>)],
) -> Vec<Result<FetchedPackage, FetchError>> {
    let located: Vec<Result<LocatedPackage, FetchError>> = wanted
        .iter()
        .map(|one| locate_package(opened, one, wanted))
        .collect();

    // A set: packages of one repository often share files such as licenses.
    let blobs: BTreeSet<BlobId> = located
        .iter()
        .flatten()
        .flat_map(LocatedPackage::blobs)
        .collect();
    if let Err(error) = opened
        .repository()
        .fetch_blobs(&blobs.into_iter().collect::<Vec<_>>())
    {
        return located
            .into_iter()
            .map(|found| found.and(Err(FetchError::Failed(error.clone()))))
            .collect();
    }

    let pairs = wanted.iter().zip(located);
    pairs
        .map(|((summary, _), found)| Ok(found?.into_fetched(sources, opened, summary)?))
        .collect()
}

/// The location of a package in a commit.
struct LocatedPackage {
    commit: CommitId,
    contents: Arc<CommitContents>,
    /// Empty for the root.
    dir: String,
    tree: TreeId,
    /// The file outside of it that its `SKILL.md` is a copy of.
    linked: Option<ListedEntry>,
}

fn locate_package(
    opened: &mut OpenRepository<'_>,
    one: &(&PackageSummary, Option<&str>),
    all: &[&(&PackageSummary, Option<&str>)],
) -> Result<LocatedPackage, FetchError> {
    let (summary, commit) = *one;
    let SourceId::Git { reference, .. } = &summary.source else {
        return Err(FetchError::Failed(Error::internal(
            "a repository was asked for another source's package",
        )));
    };

    let commit = match commit {
        // The locked commit, even if the tag was moved since.
        Some(commit) => commit.parse()?,
        None => opened.resolve_commit(reference)?,
    };

    // With the first package of a commit come the files of all others that are read of it.
    let wanted = if opened.contents.contains_key(&commit) {
        Vec::new()
    } else {
        wanted_of_commit(one, all)
    };
    let contents = match (opened.commit_contents(commit, &wanted), reference) {
        (Ok(contents), _) => contents,
        (Err(_), GitReference::Tag(tag)) if summary.version.is_some() && opened.skips_tag(tag) => {
            return Err(FetchError::Unavailable(format!(
                "{reference} is not a commit"
            )));
        }
        (Err(error), _) => return Err(opened.explain_object(error, reference, &commit).into()),
    };
    let dir = match &summary.subdir {
        Some(dir) => dir.to_string(),
        None => find_by_name(opened, &contents, summary.name.skill())?,
    };

    // Unavailable and not failed: the solver may choose another version, which has the directory.
    let Some(tree) = contents.listing.tree_at(&dir) else {
        let linked = follow_path(&contents.links, &dir);
        let linked = linked.map(|target| format!(": it is a link to `{target}`"));
        return Err(FetchError::Unavailable(format!(
            "directory `{dir}` not found at {reference}{}",
            linked.unwrap_or_default()
        )));
    };

    if format_at(&contents, &dir).is_none() {
        return Err(FetchError::Unavailable(format!(
            "missing `SKILL.md` in `{dir}` at {reference}"
        )));
    }
    // Before any blob is requested.
    opened.check_file_count(&contents.listing, &dir)?;
    let linked = opened.outside_descriptor(&contents.listing, &dir)?;

    Ok(LocatedPackage {
        commit,
        contents,
        dir,
        tree,
        linked,
    })
}

/// The packages that are read of the same commit as `one`, itself included.
fn wanted_of_commit<'w>(
    one: &(&PackageSummary, Option<&str>),
    all: &[&'w (&'w PackageSummary, Option<&str>)],
) -> Vec<WantedSkill<'w>> {
    all.iter()
        .filter(|(other, commit)| other.source == one.0.source && *commit == one.1)
        .map(|(other, _)| match &other.subdir {
            Some(dir) => WantedSkill::Directory(dir.as_str()),
            None => WantedSkill::Named(other.name.skill().as_str(), None),
        })
        .collect()
}

/// Finds the directory of a skill by name: that of the directory, else that in the frontmatter.
fn find_by_name(
    opened: &mut OpenRepository<'_>,
    contents: &CommitContents,
    name: &SkillName,
) -> Result<String, FetchError> {
    // The listing is here already, while frontmatter would have to be fetched.
    let named = contents.skills_named(name);

    let found: Vec<String> = match named.as_slice() {
        // No directory has that name: the frontmatter of the offered skills decides.
        [] => {
            let skills = read_skills(opened, contents, &contents.skills.offered)?;
            skills
                .into_iter()
                .filter(|(_, found)| has_name(found, name.as_str()))
                .map(|(dir, _)| dir)
                .collect()
        }
        _ => named,
    };

    match found.as_slice() {
        [dir] => Ok(dir.clone()),
        [] => Err(FetchError::Unavailable(format!(
            "skill `{name}` not found in it"
        ))),
        // Never the first of several: which one that is could change with any commit.
        several => Err(FetchError::Failed(ambiguous_error(name.as_str(), several))),
    }
}

fn has_name(found: &FoundSkill, name: &str) -> bool {
    found.skill.as_ref().is_ok_and(|skill| skill.name == name)
}

/// The error for several skills of the same name.
pub(super) fn ambiguous_error(name: &str, dirs: &[String]) -> Error {
    let error = Error::negative(format!(
        "ambiguous skill name `{name}`: it matches {} skills",
        dirs.len()
    ));
    let error = dirs
        .iter()
        .fold(error, |error, dir| error.note(format!("`{dir}`")));

    let first = dirs.first().map_or("", String::as_str);
    error.help(format!(
        "select one with `--path {first}`; to install both, rename one with `--as NAME`"
    ))
}

impl LocatedPackage {
    fn blobs(&self) -> Vec<BlobId> {
        let mut blobs = self.contents.listing.blobs_below(&self.dir);
        blobs.extend(self.linked.as_ref().map(|file| file.id));
        blobs
    }

    fn into_fetched(
        self,
        sources: &PackageSources<'_>,
        opened: &mut OpenRepository<'_>,
        summary: &PackageSummary,
    ) -> Result<FetchedPackage> {
        let linked = self.linked.as_ref();
        let tree = opened.read_tree(&self.tree, linked).map_err(|error| {
            let dir = if self.dir.is_empty() { "." } else { &self.dir };
            error.wrap(format!("invalid package in `{dir}` of `{}`", opened.url))
        })?;

        // Only then is the manifest of the workspace fetched, which is a request of its own.
        let shared = if may_inherit(&tree) {
            self.workspace_shared(sources, opened)?
        } else {
            None
        };

        let described = self.describe(sources, opened, summary, &tree, shared.as_ref())?;

        let subdir = if self.dir.is_empty() {
            None
        } else {
            Some(self.dir.parse()?)
        };

        // The chosen version, else that of the tag, else that of the skill.
        let version = summary
            .version
            .clone()
            .or_else(|| tag_version(summary))
            .or(described.version);

        Ok(FetchedPackage {
            summary: PackageSummary {
                version,
                subdir,
                dependencies: Some(described.dependencies),
                ..summary.clone()
            },
            origin: PackageOrigin {
                commit: Some(self.commit.to_string()),
                // The directory alone is not all of the package then.
                tree: self.linked.is_none().then(|| self.tree.to_string()),
                archive: None,
            },
            tree,
            skill: Some(described.skill),
            diagnostics: described.diagnostics,
        })
    }

    /// The fields that the package inherits from its workspace at this commit; `None` if it is not a member of any.
    fn workspace_shared(
        &self,
        sources: &PackageSources<'_>,
        opened: &mut OpenRepository<'_>,
    ) -> Result<Option<InheritableFields>> {
        // From the nearest ancestor up to the root, which has no slash before it.
        for (at, _) in self
            .dir
            .rmatch_indices('/')
            .chain((!self.dir.is_empty()).then_some((0, "")))
        {
            let (root, member) = (&self.dir[..at], self.dir[at..].trim_start_matches('/'));
            let file = join_paths(root, manifest::FILE);
            // From the same commit: a newer manifest could change the fields of an old version.
            let Some(entry) = self.contents.listing.entry(&file) else {
                continue;
            };

            let blob = entry.id;
            opened.repository().fetch_blobs(&[blob])?;
            let bytes = opened.repository().read_blob(&blob)?;
            let text = String::from_utf8_lossy(&bytes);
            if MemberPatterns::parse(&text, &file)?
                .is_some_and(|members| members.contains_dir(member))
            {
                let shared = Manifest::parse(&text, &file, sources.registries)?
                    .workspace
                    .map(|own| own.shared);
                let member = member.parse()?;
                return Ok(shared.map(|shared| shared.seen_from(&member)));
            }
        }

        Ok(None)
    }

    fn describe(
        &self,
        sources: &PackageSources<'_>,
        opened: &OpenRepository<'_>,
        summary: &PackageSummary,
        tree: &Tree,
        shared: Option<&InheritableFields>,
    ) -> Result<PackageDescription> {
        // A sibling is at the same commit, so that both are of one state of the repository.
        let sibling = |name: &SkillName| match self.contents.skills_named(name).as_slice() {
            // Only if exactly one directory has the name, and it is not the skill's own.
            [dir] if *dir != self.dir => Some((summary.source.clone(), dir.parse().ok())),
            _ => None,
        };

        let relative = |path: &str| Ok((summary.source.clone(), self.resolve_dependency(path)?));

        // A skill at the root has the name of its repository.
        let directory = if self.dir.is_empty() {
            opened.url.repository()
        } else {
            dir_name(&self.dir)
        };

        describe_package(
            tree,
            &DescribeContext {
                place: &self.dir,
                directory,
                registries: sources.registries,
                sibling: &sibling,
                relative: &relative,
                shared: &|| Ok(shared.cloned()),
            },
        )
    }

    /// The directory of a dependency, as the package's own manifest writes it; `None` for the root.
    fn resolve_dependency(&self, path: &str) -> Result<Option<RelPath>> {
        match resolve_relative(&self.dir, path) {
            Some(dir) if dir.is_empty() => Ok(None),
            Some(dir) => Ok(Some(dir.parse()?)),
            None => Err(Error::integrity(format!(
                "invalid dependency `{path}` of `{}`: it is outside the repository",
                self.dir
            ))),
        }
    }
}

fn tag_version(summary: &PackageSummary) -> Option<Version> {
    match &summary.source {
        SourceId::Git {
            reference: GitReference::Tag(tag),
            ..
        } => tags::tag_version(tag, summary.name.skill().as_str()),
        _ => None,
    }
}

/// Resolves `path` relative to `dir`; `None` if it leads out of the root of both.
fn resolve_relative(dir: &str, path: &str) -> Option<String> {
    // Such a path would be one of the reader's machine.
    if path.starts_with(['/', '~']) {
        None
    } else {
        resolve_under(dir, path)
    }
}

/// The format of the skill in a directory; `None` if there is none.
fn format_at(contents: &CommitContents, dir: &str) -> Option<SkillFormat> {
    formats::detect_format(&|file| contents.listing.entry(&join_paths(dir, file)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_inside_a_repository_cannot_leave_it() {
        assert_eq!(
            resolve_relative("skills/pdf", "../style").as_deref(),
            Some("skills/style")
        );
        assert_eq!(resolve_relative("skills/pdf", "../..").as_deref(), Some(""));
        assert_eq!(resolve_relative("skills/pdf", "../../../etc"), None);
        assert_eq!(resolve_relative("skills/pdf", "/etc"), None);
    }
}

//! Packages from git repositories. Nothing is checked out: trees and blobs are read from the object database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use semver::{Version, VersionReq};

use super::budget::SizeBudget;
use super::describe::{DescribeContext, PackageDescription, describe_package, may_inherit};
use super::discover::{SkillDirs, dir_name, find_skill_dirs as skill_dirs, join_paths};
use super::{
    AvailableVersion, FetchError, FetchedPackage, PackageOrigin, PackageSources, RemoteState, tags,
};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::{self, InheritableFields, Manifest, MemberPatterns};
use skillpm_core::package::{
    Checksum, GitReference, GitUrl, PackageDependency, PackageSummary, RelPath, SkillName,
    SourceId, Tree, TreeLimits, resolve_under,
};
use skillpm_core::provenance::{SignatureStatus, TrustedKey, VerifyError, VerifyResult};
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::formats::{self, DirectoryFiles};
use skillpm_core::skill::{self, Skill, SkillFormat};
use skillpm_io::git::{BlobId, CommitId, CommitListing, GitRepository, RemoteRef, TreeId};
use skillpm_io::gpgv::GpgvVerifier;

/// A repository and what was read from it in this run.
pub(super) struct OpenRepository {
    url: GitUrl,
    repository: Option<GitRepository>,
    tags: Option<Vec<RemoteRef>>,
    commits: BTreeMap<GitReference, CommitId>,
    contents: BTreeMap<CommitId, Arc<CommitContents>>,
    budget: Arc<SizeBudget>,
}

/// The files and skills of a commit.
struct CommitContents {
    listing: CommitListing,
    skills: SkillDirs,
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

/// A skill that was found in a source.
#[derive(Debug, Clone)]
pub struct FoundSkill {
    /// Its directory; `None` for the source's root.
    pub dir: Option<RelPath>,
    /// Its parsed `SKILL.md`; an error if no agent would list it.
    pub skill: Result<Skill, Error>,
}

impl OpenRepository {
    pub(super) fn new(url: &GitUrl, budget: Arc<SizeBudget>) -> Self {
        OpenRepository {
            url: url.clone(),
            repository: None,
            tags: None,
            commits: BTreeMap::new(),
            contents: BTreeMap::new(),
            budget,
        }
    }

    /// Opens it, if it is not yet.
    pub(super) fn ensure_open(&mut self, sources: &PackageSources<'_>) -> Result<()> {
        // Many packages share a repository, which is opened once.
        if self.repository.is_none() {
            sources.reporter.report(ProgressEvent::Fetching {
                what: self.url.to_string(),
            });
            let url = sources.repository_url(&self.url)?;
            let opened = sources.tools.git.open(&url);
            self.repository = Some(opened.map_err(|error| {
                let is_replaced = url != self.url;
                if is_replaced {
                    error.note(format!(
                        "it is the mirror of `{}` that `replace-with` sets",
                        self.url
                    ))
                } else {
                    error
                }
            })?);
        }
        Ok(())
    }

    pub(super) fn repository(&mut self) -> &mut GitRepository {
        self.repository.as_mut().expect("callers open it first")
    }

    /// Reads a tree whose blobs were fetched.
    fn read_tree(&mut self, id: &TreeId) -> Result<Tree> {
        let tree = self.repository().read_tree(id)?;
        self.budget.charge(tree)
    }

    pub(super) fn repository_ref(&self) -> &GitRepository {
        self.repository.as_ref().expect("callers open it first")
    }

    /// The directory of a skill in a commit: at `path`, or found by its name.
    pub(super) fn find_directory(
        &mut self,
        commit: CommitId,
        path: Option<&str>,
        name: &SkillName,
    ) -> Result<(String, TreeId)> {
        let contents = self.commit_contents(commit)?;
        let dir = match path {
            Some(path) => Ok(path.to_owned()),
            None => find_by_name(self, &contents, name),
        };

        let dir = dir.map_err(|error| match error {
            FetchError::Failed(error) => error,
            FetchError::Unavailable(reason) => Error::negative(format!("`{}`: {reason}", self.url)),
        })?;

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

        let resolved = self.repository().resolve(reference)?;
        self.commits.insert(reference.clone(), resolved.commit);
        Ok(resolved.commit)
    }

    fn version_tags(&mut self) -> Result<&[RemoteRef]> {
        if self.tags.is_none() {
            let tags = self.repository().refs(&["refs/tags/"])?;
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

    fn commit_contents(&mut self, commit: CommitId) -> Result<Arc<CommitContents>> {
        if let Some(contents) = self.contents.get(&commit) {
            return Ok(contents.clone());
        }

        let listing = self.repository().list_commit(&commit)?;
        let files: Vec<&str> = listing
            .entries()
            .iter()
            .map(|entry| entry.path.as_str())
            .collect();
        // Only files that declare containers are read here, so one request for each will do.
        let skills = skill_dirs(&files, &mut |file| {
            let blob = listing.entry(file)?.id;
            self.repository.as_mut()?.fetch_blobs(&[blob]).ok()?;
            self.repository.as_ref()?.read_blob(&blob).ok()
        });

        let contents = Arc::new(CommitContents { listing, skills });
        self.contents.insert(commit, contents.clone());
        Ok(contents)
    }

    fn read_blob(&self, blob: &BlobId) -> Result<Vec<u8>> {
        self.repository_ref().read_blob(blob)
    }
}

/// Lists the versions in a repository for each dependency on it.
///
/// With [`GitReference::Versions`] there is a choice, and the dependencies of a version are read once it is chosen; any
/// other reference is one commit, which is read at once.
pub(super) fn available_versions(
    sources: &PackageSources<'_>,
    opened: &mut OpenRepository,
    needed: &[&PackageDependency],
) -> Vec<Result<Vec<AvailableVersion>>> {
    let mut results: Vec<Option<Result<Vec<AvailableVersion>>>> =
        needed.iter().map(|_| None).collect();
    let mut wanted = Vec::new();
    for (at, dependency) in needed.iter().enumerate() {
        match &dependency.source {
            SourceId::Git {
                reference: GitReference::Versions,
                ..
            } => {
                results[at] = Some(tagged_version_summaries(opened, dependency));
            }
            // All of these are read together, in one request.
            _ => wanted.push((at, PackageSummary::unread(dependency))),
        }
    }

    let summaries: Vec<(&PackageSummary, Option<&str>)> =
        wanted.iter().map(|(_, summary)| (summary, None)).collect();
    let read = read_packages(sources, opened, &summaries.iter().collect::<Vec<_>>());

    for ((at, summary), fetched) in wanted.iter().zip(read) {
        results[*at] = Some(match fetched {
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
        });
    }

    results
        .into_iter()
        .map(|result| result.expect("each is one or the other"))
        .collect()
}

fn tagged_version_summaries(
    opened: &mut OpenRepository,
    dependency: &PackageDependency,
) -> Result<Vec<AvailableVersion>> {
    let url = opened.url.clone();
    let name = dependency
        .subdir
        .as_ref()
        .map_or(dependency.package.skill().as_str(), RelPath::file_name);

    let versions = opened.tagged_versions(name)?;
    if versions.is_empty() {
        return Err(Error::negative(format!(
            "no version of `{}` matching `{}` found: `{url}` has no version tags",
            dependency.package, dependency.req
        ))
        .help("specify a `tag`, `branch` or `rev` instead of a version, or none of them for the default branch"));
    }

    let offer = |(version, tag)| {
        let source = SourceId::Git {
            url: url.clone(),
            reference: GitReference::Tag(tag),
        };
        AvailableVersion::Summary(Box::new(PackageSummary {
            version: Some(version),
            source,
            ..PackageSummary::unread(dependency)
        }))
    };
    Ok(versions.into_iter().map(offer).collect())
}

/// Queries the present versions or commit for each dependency.
pub(super) fn remote_states(
    opened: &mut OpenRepository,
    needed: &[&PackageDependency],
) -> Vec<Result<RemoteState>> {
    let look = |dependency: &&PackageDependency| match &dependency.source {
        SourceId::Git {
            reference: GitReference::Versions,
            ..
        } => {
            let name = dependency
                .subdir
                .as_ref()
                .map_or(dependency.package.skill().as_str(), RelPath::file_name);
            Ok(RemoteState {
                versions: opened.tagged_versions(name)?.into_keys().collect(),
                ..RemoteState::default()
            })
        }
        SourceId::Git { reference, .. } => Ok(RemoteState {
            commit: Some(opened.resolve_commit(reference)?.to_string()),
            ..RemoteState::default()
        }),
        _ => Ok(RemoteState::default()),
    };
    needed.iter().map(look).collect()
}

/// Reads packages, all blobs of all of them in one request.
pub(super) fn read_packages(
    sources: &PackageSources<'_>,
    opened: &mut OpenRepository,
    wanted: &[&(&PackageSummary, Option<&str>)],
) -> Vec<Result<FetchedPackage, FetchError>> {
    let located: Vec<Result<LocatedPackage, FetchError>> = wanted
        .iter()
        .map(|(summary, commit)| locate_package(opened, summary, *commit))
        .collect();

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
}

fn locate_package(
    opened: &mut OpenRepository,
    summary: &PackageSummary,
    commit: Option<&str>,
) -> Result<LocatedPackage, FetchError> {
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

    let contents = opened.commit_contents(commit)?;
    let dir = match &summary.subdir {
        Some(dir) => dir.to_string(),
        None => find_by_name(opened, &contents, summary.name.skill())?,
    };

    let Some(tree) = contents.listing.tree_at(&dir) else {
        return Err(FetchError::Unavailable(format!(
            "directory `{dir}` not found at {reference}"
        )));
    };

    if format_at(&contents, &dir).is_none() {
        return Err(FetchError::Unavailable(format!(
            "missing `SKILL.md` in `{dir}` at {reference}"
        )));
    }
    check_file_count(&contents.listing, &dir)?;

    Ok(LocatedPackage {
        commit,
        contents,
        dir,
        tree,
    })
}

/// Finds the directory of a skill by name: that of the directory, else that in the frontmatter.
fn find_by_name(
    opened: &mut OpenRepository,
    contents: &CommitContents,
    name: &SkillName,
) -> Result<String, FetchError> {
    let named: Vec<String> = contents
        .skills
        .named(name.as_str())
        .into_iter()
        .map(str::to_owned)
        .collect();

    let found = match named.as_slice() {
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
        self.contents.listing.blobs_below(&self.dir)
    }

    fn into_fetched(
        self,
        sources: &PackageSources<'_>,
        opened: &mut OpenRepository,
        summary: &PackageSummary,
    ) -> Result<FetchedPackage> {
        let tree = opened.read_tree(&self.tree).map_err(|error| {
            let dir = if self.dir.is_empty() { "." } else { &self.dir };
            error.wrap(format!("invalid package in `{dir}` of `{}`", opened.url))
        })?;

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
                tree: Some(self.tree.to_string()),
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
        opened: &mut OpenRepository,
    ) -> Result<Option<InheritableFields>> {
        // From the nearest ancestor up to the root, which has no slash before it.
        for (at, _) in self
            .dir
            .rmatch_indices('/')
            .chain((!self.dir.is_empty()).then_some((0, "")))
        {
            let (root, member) = (&self.dir[..at], self.dir[at..].trim_start_matches('/'));
            let file = join_paths(root, manifest::FILE);
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
        opened: &OpenRepository,
        summary: &PackageSummary,
        tree: &Tree,
        shared: Option<&InheritableFields>,
    ) -> Result<PackageDescription> {
        let sibling = |name: &SkillName| match self.contents.skills.named(name.as_str()).as_slice()
        {
            // Only if exactly one directory has the name, and it is not the skill's own.
            [dir] if *dir != self.dir => Some((summary.source.clone(), dir.parse().ok())),
            _ => None,
        };

        let relative = |path: &str| {
            let dir = resolve_relative(&self.dir, path).ok_or_else(|| {
                Error::integrity(format!(
                    "invalid dependency `{path}` of `{}`: it is outside the repository",
                    self.dir
                ))
            })?;
            let subdir = if dir.is_empty() {
                None
            } else {
                Some(dir.parse()?)
            };
            Ok((summary.source.clone(), subdir))
        };

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
    if path.starts_with(['/', '~']) {
        None
    } else {
        resolve_under(dir, path)
    }
}

/// Fetches locked trees: by their ids in one request where the host allows that, else by their commits.
pub(super) fn restore_trees(
    opened: &mut OpenRepository,
    packages: &[&LockedPackage],
) -> Vec<Result<Tree>> {
    let parsed: Vec<Option<TreeId>> = packages
        .iter()
        .map(|package| package.tree.as_ref()?.parse().ok())
        .collect();

    let known: Vec<TreeId> = parsed.iter().flatten().copied().collect();
    let fetched_by_id =
        known.len() == packages.len() && opened.repository().fetch_trees(&known).unwrap_or(false);

    // The fast way: one request for trees by their ids, where the host allows it.
    if fetched_by_id {
        let pairs = packages.iter().zip(&known);
        return pairs
            .map(|(package, tree)| {
                check_tree_of_commit(opened, package, tree).and_then(|()| opened.read_tree(tree))
            })
            .collect();
    }

    // Else the commits are listed, and all missing blobs are one request.
    let trees: Vec<Result<(TreeId, Vec<BlobId>)>> = packages
        .iter()
        .map(|package| locate_locked(opened, package))
        .collect();

    let blobs: BTreeSet<BlobId> = trees
        .iter()
        .flatten()
        .flat_map(|(_, blobs)| blobs.iter().copied())
        .collect();

    if let Err(error) = opened
        .repository()
        .fetch_blobs(&blobs.into_iter().collect::<Vec<_>>())
    {
        return trees
            .into_iter()
            .map(|found| found.and(Err(error.clone())))
            .collect();
    }

    trees
        .into_iter()
        .map(|found| found.and_then(|(tree, _)| opened.read_tree(&tree)))
        .collect()
}

/// Reads directories of commits, all missing blobs in one request.
pub(super) fn read_trees_at(
    opened: &mut OpenRepository,
    places: &[(CommitId, &str)],
) -> Vec<Result<Tree>> {
    // Several packages of one commit share its listing.
    let mut listings: BTreeMap<CommitId, Result<CommitListing>> = BTreeMap::new();
    let found: Vec<Result<(TreeId, Vec<BlobId>)>> = places
        .iter()
        .map(|(commit, dir)| {
            let listing = listings
                .entry(*commit)
                .or_insert_with(|| opened.repository().list_commit(commit));
            let listing = listing.as_ref().map_err(Clone::clone)?;
            let tree = listing.tree_at(dir).ok_or_else(|| {
                Error::integrity(format!(
                    "directory `{dir}` not found in commit {commit} of `{}`",
                    opened.url
                ))
                .help("report it to the owners of the registry or lockfile that refers to it")
            })?;
            check_file_count(listing, dir)?;
            Ok((tree, listing.blobs_below(dir)))
        })
        .collect();

    let blobs: BTreeSet<BlobId> = found
        .iter()
        .flatten()
        .flat_map(|(_, blobs)| blobs.iter().copied())
        .collect();

    if let Err(error) = opened
        .repository()
        .fetch_blobs(&blobs.into_iter().collect::<Vec<_>>())
    {
        return found
            .into_iter()
            .map(|found| found.and(Err(error.clone())))
            .collect();
    }

    found
        .into_iter()
        .map(|found| found.and_then(|(tree, _)| opened.read_tree(&tree)))
        .collect()
}

/// Counts the files of a directory before anything is fetched, so that an excessive tree is never requested.
fn check_file_count(listing: &CommitListing, dir: &str) -> Result<()> {
    let limits = TreeLimits::default();
    if listing.entries_below(dir).len() > limits.files {
        return Err(Error::integrity(format!(
            "refusing to fetch `{dir}`: it has more than {} files",
            limits.files
        )));
    }
    Ok(())
}

/// Refuses a tree that is not the one of the commit it is locked with, if that commit is cached.
fn check_tree_of_commit(
    opened: &mut OpenRepository,
    package: &LockedPackage,
    tree: &TreeId,
) -> Result<()> {
    let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;
    let dir = package.path.as_ref().map_or("", RelPath::as_str);

    match opened.repository().find_cached_tree(&commit, dir) {
        Some(known) if known != *tree => Err(Error::integrity(format!(
            "checksum mismatch for `{}`: its locked tree is not in its locked commit",
            package.reference()
        ))
        .note(format!("locked  tree {tree}"))
        .note(format!("commit {commit} has  tree {known}"))
        .help(format!(
            "the lockfile is inconsistent: restore it, or run `skillpm update {}`",
            package.install_name()
        ))),
        _ => Ok(()),
    }
}

/// Verifies the signatures of packages: that of the tag they were fetched by, else that of their commit. The locked content
/// must be that of the commit; all missing blobs are fetched in one request.
pub(super) fn verify_packages(
    opened: &mut OpenRepository,
    asked: &[&super::SignatureRequest<'_>],
) -> Vec<Result<SignatureStatus>> {
    let verdicts = verify_commits(opened, asked);

    // Only a commit with a trusted signature proves anything about the content.
    let mut places: Vec<(CommitId, &str)> = Vec::new();
    for (asked, verdict) in asked.iter().zip(&verdicts) {
        if let Ok(Some((commit, Ok(_)))) = verdict {
            places.push((
                *commit,
                asked.package.path.as_ref().map_or("", RelPath::as_str),
            ));
        }
    }

    let mut trees = read_trees_at(opened, &places).into_iter();

    let status = |(asked, verdict): (&&super::SignatureRequest<'_>, Result<CommitVerdict>)| {
        let Some((commit, verdict)) = verdict? else {
            return Ok(SignatureStatus::unverified(VerifyError::NoTrustedKeys));
        };

        if verdict.is_ok() {
            check_content_of_commit(
                asked.package,
                &commit,
                &trees
                    .next()
                    .expect("the tree of each signed commit was read")?,
            )?;
        }

        let verdict = verdict.map_err(|error| error.about(format!("commit {}", commit.short())));
        Ok(SignatureStatus {
            verdict,
            is_expected: true,
        })
    };

    asked.iter().zip(verdicts).map(status).collect()
}

/// The commit of a package, and whether one of the keys signed it; `None` if there are no keys.
type CommitVerdict = Option<(CommitId, VerifyResult)>;

/// The subject of a signature: a reference, its commit, and the keys that may sign.
type SignatureSubject<'q> = (&'q GitReference, CommitId, &'q [TrustedKey]);

/// Verifies the commits of packages; skills of one commit share its signature.
fn verify_commits<'q>(
    opened: &mut OpenRepository,
    asked: &[&'q super::SignatureRequest<'q>],
) -> Vec<Result<CommitVerdict>> {
    let mut known: Vec<(SignatureSubject<'_>, VerifyResult)> = Vec::new();
    let mut verify = |asked: &'q super::SignatureRequest<'q>| {
        let SourceId::Git { reference, .. } = &asked.package.source else {
            return Err(Error::internal(
                "a repository was asked for another source's package",
            ));
        };

        if asked.keys.is_empty() {
            return Ok(None);
        }

        let commit: CommitId = asked
            .package
            .commit
            .as_deref()
            .unwrap_or_default()
            .parse()?;
        // Skills of one commit share its signature.
        let subject = (reference, commit, asked.keys.as_slice());

        if let Some((_, verdict)) = known.iter().find(|(known, _)| *known == subject) {
            return Ok(Some((commit, verdict.clone())));
        }

        let verdict = opened
            .repository()
            .signed_at(reference, &commit)?
            .verify(&asked.keys, &GpgvVerifier);

        known.push((subject, verdict.clone()));
        Ok(Some((commit, verdict)))
    };
    asked.iter().map(|asked| verify(asked)).collect()
}

fn check_content_of_commit(package: &LockedPackage, commit: &CommitId, tree: &Tree) -> Result<()> {
    let found = Checksum::from_tree(tree);
    if found != package.upstream_checksum() {
        return Err(Error::integrity(format!(
            "checksum mismatch for `{}`: it differs from its signed commit",
            package.reference()
        ))
        .note(format!("locked  {}", package.upstream_checksum()))
        .note(format!("commit {commit} has  {found}"))
        .help(format!(
            "restore the lockfile, or run `skillpm update {}`",
            package.install_name()
        )));
    }
    Ok(())
}

/// Whether the commits of packages are in the history of a branch or tag.
pub(super) fn check_reachable(
    opened: &mut OpenRepository,
    packages: &[&&LockedPackage],
) -> Vec<Result<Option<bool>>> {
    let mut known: BTreeMap<CommitId, Result<Option<bool>>> = BTreeMap::new();
    let mut check = |package: &&&LockedPackage| {
        let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;
        known
            .entry(commit)
            .or_insert_with(|| opened.repository().is_reachable(&commit))
            .clone()
    };

    packages.iter().map(&mut check).collect()
}

fn locate_locked(
    opened: &mut OpenRepository,
    package: &LockedPackage,
) -> Result<(TreeId, Vec<BlobId>)> {
    let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;

    let contents = opened.commit_contents(commit)?;
    let dir = package.path.as_ref().map_or("", RelPath::as_str);
    let tree = contents.listing.tree_at(dir).ok_or_else(|| {
        Error::integrity(format!(
            "locked directory `{dir}` not found in commit {commit} of `{}`",
            opened.url
        ))
    })?;
    Ok((tree, contents.listing.blobs_below(dir)))
}

/// Finds the skills of a repository; the blobs of the wanted ones are fetched in one request.
pub(super) fn discover_skills(
    opened: &mut OpenRepository,
    at: (&GitReference, Option<&VersionReq>),
    within: Option<&RelPath>,
    choice: &SkillSelection,
) -> Result<Vec<FoundSkill>> {
    let commit = match at {
        (GitReference::Versions, req) => {
            newest_version_commit(opened, req.unwrap_or(&VersionReq::STAR), choice)?
        }
        (reference, _) => opened.resolve_commit(reference)?,
    };

    let contents = opened.commit_contents(commit)?;
    let dirs = candidate_dirs(opened, &contents, within)?;
    let by_directory = match choice {
        SkillSelection::Named(names) => names
            .iter()
            .map(|name| {
                contents
                    .skills
                    .named(name)
                    .into_iter()
                    .filter(|dir| is_within(dir, within))
                    .map(str::to_owned)
                    .collect()
            })
            .collect::<Vec<Vec<String>>>(),
        SkillSelection::All | SkillSelection::Undecided => Vec::new(),
    };

    // With a directory of that name the frontmatter of the others need not be read.
    let (look_at, whole) =
        if !by_directory.is_empty() && by_directory.iter().all(|dirs| !dirs.is_empty()) {
            (by_directory.concat(), true)
        } else {
            (dirs, *choice == SkillSelection::All)
        };
    // All of them are installed, so their blobs come in one request.
    if whole {
        let blobs: BTreeSet<BlobId> = look_at
            .iter()
            .flat_map(|dir| contents.listing.blobs_below(dir))
            .collect();
        opened
            .repository()
            .fetch_blobs(&blobs.into_iter().collect::<Vec<_>>())?;
    }

    Ok(read_skills(opened, &contents, &look_at)?
        .into_iter()
        .map(|(_, found)| found)
        .collect())
}

/// Finds the commit of the newest version that matches.
fn newest_version_commit(
    opened: &mut OpenRepository,
    req: &VersionReq,
    choice: &SkillSelection,
) -> Result<CommitId> {
    // All skills are from the same commit, so the first name decides.
    let name = match choice {
        SkillSelection::Named(names) => names.first().map_or("", String::as_str),
        SkillSelection::All | SkillSelection::Undecided => "",
    };

    let versions = opened.tagged_versions(name)?;
    let Some(tag) = versions
        .iter()
        .rev()
        .find(|(version, _)| req.matches(version))
        .map(|(_, tag)| tag.clone())
    else {
        let error = Error::negative(format!(
            "no version tag of `{}` matches `{req}`",
            opened.url
        ));
        return Err(match versions.last_key_value() {
            Some((last, _)) => {
                // A pre-release is suggested only where there is nothing else.
                let newest = versions
                    .keys()
                    .rev()
                    .find(|version| version.pre.is_empty())
                    .unwrap_or(last);
                error
                    .note(format!("the newest is `{newest}`"))
                    .help(format!("use `--version ^{newest}`"))
            }
            None => error
                .note("it has no version tags")
                .help("specify a tag, branch or commit with `--tag`, `--branch` or `--rev`"),
        });
    };

    opened.resolve_commit(&GitReference::Tag(tag))
}

fn candidate_dirs(
    opened: &OpenRepository,
    contents: &CommitContents,
    within: Option<&RelPath>,
) -> Result<Vec<String>> {
    let skills = &contents.skills;
    let among = |dirs: &[String]| -> Vec<String> {
        dirs.iter()
            .filter(|dir| is_within(dir, within))
            .cloned()
            .collect()
    };

    let mut dirs = among(&skills.offered);
    // Under a directory that was named, every skill counts, offered or not.
    if dirs.is_empty() && within.is_some() {
        dirs = among(&skills.all);
    }

    if dirs.is_empty() {
        let place = within.map_or_else(String::new, |dir| format!(" under `{dir}`"));
        return Err(Error::negative(format!("no skill found in `{}`{place}", opened.url))
            .note("a skill is a directory with a `SKILL.md`")
            .help("select another directory with `--path DIR`, or another state with `--branch` or `--tag`"));
    }

    Ok(dirs)
}

fn is_within(dir: &str, within: Option<&RelPath>) -> bool {
    within.is_none_or(|within| {
        dir == within.as_str()
            || dir
                .strip_prefix(within.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// The format of the skill in a directory; `None` if there is none.
fn format_at(contents: &CommitContents, dir: &str) -> Option<SkillFormat> {
    formats::detect_format(&|file| contents.listing.entry(&join_paths(dir, file)).is_some())
}

/// Reads the descriptor of the skill in each directory.
fn read_skills(
    opened: &mut OpenRepository,
    contents: &CommitContents,
    dirs: &[String],
) -> Result<Vec<(String, FoundSkill)>> {
    let descriptor_blob = |dir: &String| {
        let descriptor = format_at(contents, dir)?.descriptor();
        Some(contents.listing.entry(&join_paths(dir, descriptor))?.id)
    };
    let blobs: Vec<(&String, BlobId)> = dirs
        .iter()
        .filter_map(|dir| Some((dir, descriptor_blob(dir)?)))
        .collect();

    opened
        .repository()
        .fetch_blobs(&blobs.iter().map(|(_, blob)| *blob).collect::<Vec<_>>())?;

    let mut found = Vec::new();
    for (dir, blob) in blobs {
        let directory = if dir.is_empty() {
            opened.url.repository()
        } else {
            dir_name(dir)
        };

        let has = |file: &str| contents.listing.entry(&join_paths(dir, file)).is_some();
        let skill = read_skill(&opened.read_blob(&blob)?, &has, dir, directory);
        let parsed = if dir.is_empty() {
            None
        } else {
            Some(dir.parse())
        };

        match parsed.transpose() {
            Ok(dir_path) => found.push((
                dir.clone(),
                FoundSkill {
                    dir: dir_path,
                    skill,
                },
            )),
            // An invalid directory is ignored unless it was asked for.
            Err(error) if dirs.len() == 1 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(found)
}

/// Parses the descriptor of a skill; `has` says which other files are beside it, without reading them.
pub(super) fn read_skill(
    source: &[u8],
    has: &dyn Fn(&str) -> bool,
    dir: &str,
    directory: &str,
) -> Result<Skill> {
    let format = formats::detect_format(has).unwrap_or_default();
    let read = |file: &str| (file == format.descriptor()).then(|| source.to_vec());
    let is_there = |file: &str| file != formats::nova::TOOLS && has(file);

    let reading = match formats::read(
        &DirectoryFiles {
            has: &is_there,
            read: &read,
        },
        directory,
    ) {
        Some(read) => read.into_file_reading(format.descriptor()),
        None => skill::read(source, directory),
    };

    reading.skill.ok_or_else(|| {
        skill::unreadable_error(&join_paths(dir, format.descriptor()), &reading.diagnostics)
    })
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

    #[test]
    fn within_takes_whole_parts() {
        let dir: RelPath = "plugins/a".parse().unwrap();
        assert!(is_within("plugins/a", Some(&dir)) && is_within("plugins/a/skills/x", Some(&dir)));
        assert!(!is_within("plugins/ab", Some(&dir)));
        assert!(is_within("anything", None));
    }
}

//! Finds the package of a claim: its exact source, and how the files on disk compare with it.

use std::path::{Path, PathBuf};

use semver::Version;

use super::read_foreign;
use super::records::LocatedClaim;
use super::survey::DirectorySurvey;
use crate::add::{caret_requirement, reference_fields};
use crate::fetch;
use crate::foreign::{ClaimOrigin, ForeignTool, IN_SKILL, undo_gh_changes};
use crate::targets::relative_path;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::edit::DependencyEntry;
use skillpm_core::package::{
    Checksum, GitReference, GitUrl, PackageDependency, PackageName, PackageSummary, RelPath,
    SkillName, SourceId, Tree,
};
use skillpm_io::disk::{self, normalize_path};
use skillpm_registry::install::plan::OnDisk;
use skillpm_registry::sources::trace::{TraceEvidence, TraceQuery, TraceResult};
use skillpm_registry::sources::{
    AvailableVersion, FetchError, FetchedPackage, FoundSkill, PackageSources,
};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// How the files on disk compare with their package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskStatus {
    /// There are none: the package is installed.
    Absent,
    /// They are the package, byte for byte.
    Same,
    /// They are the package, with additional files of the other tool.
    Marked,
    /// They differ, and are kept as the user's edits.
    Edited {
        /// The files that differ.
        files: Vec<RelPath>,
        /// Whether they are what the other tool installed; `None` if unknown.
        as_installed: Option<bool>,
        /// Whether the package is only a guess of the version that was edited.
        guessed: bool,
    },
}

/// A claim with its package.
pub(super) struct PinnedSkill {
    pub(super) name: SkillName,
    pub(super) tool: Option<ForeignTool>,
    pub(super) entry: DependencyEntry,
    pub(super) locked: LockedPackage,
    pub(super) status: DiskStatus,
    pub(super) upstream: Checksum,
}

/// Why no package was found for a claim.
pub(super) enum PinError {
    /// The source is not supported, or the files on disk cannot be imported.
    Refused {
        /// Why.
        reason: String,
        /// How to fix that.
        help: Option<String>,
    },
    /// The lookup failed.
    Failed(Error),
}

impl From<Error> for PinError {
    fn from(error: Error) -> Self {
        PinError::Failed(error)
    }
}

fn refused(reason: impl Into<String>) -> PinError {
    PinError::Refused {
        reason: reason.into(),
        help: None,
    }
}

impl PinnedSkill {
    /// The checksum of the files that the copy on disk was edited from.
    pub(super) fn merge_base(&self, found: &OnDisk, remove_marks: bool) -> Checksum {
        match (&self.status, found) {
            // The upstream files, although the install name is another.
            (_, OnDisk::Tree(found)) if *found == self.upstream => *found,
            // The tool's own files count as unedited, so that the sync removes them.
            (DiskStatus::Marked, OnDisk::Tree(found)) if remove_marks => *found,
            _ => self.locked.checksum,
        }
    }

    /// Whether the version is pinned for the resolver; a directory or web site has only one
    /// version.
    pub(super) fn is_resolver_pin(&self) -> bool {
        matches!(
            self.locked.source,
            SourceId::Git { .. } | SourceId::Registry(_) | SourceId::ClawHub(_)
        )
    }
}

/// Finds the packages of claims.
pub(super) struct ClaimPinner<'p, 's> {
    pub(super) workspace: &'p Workspace,
    pub(super) sources: &'p PackageSources<'s>,
    pub(super) survey: &'p DirectorySurvey,
}

impl ClaimPinner<'_, '_> {
    /// Finds the package of a claim.
    pub(super) fn pin(
        &self,
        claimed: &LocatedClaim,
        name: &SkillName,
    ) -> Result<PinnedSkill, PinError> {
        // Before the disk is read: an unsupported source cannot be imported, whatever is there.
        let origin = claimed.claim.origin.as_ref().map_err(refused)?;
        let copy = self.read_disk_copy(name)?.map(DiskCopy::new).transpose()?;
        // Compared without the files that other tools add to a skill.
        let plain = copy.as_ref().map(|copy| &copy.plain);

        let found = match origin {
            ClaimOrigin::Git { url, .. } => self.find_in_repository(claimed, name, url, plain)?,
            ClaimOrigin::Path(written) => self.find_in_directory(claimed, name, origin, written)?,
            ClaimOrigin::ClawHub { name, version } => {
                self.find_on_clawhub(name, version.as_ref())?
            }
            ClaimOrigin::Site(site) => {
                let fetched = self.fetch_only(name, SourceId::WellKnown(site.clone()))?;
                PinnedSource {
                    fetched,
                    fields: vec![("well-known", site.to_string())],
                    found_by: None,
                }
            }
        };

        Ok(build_pinned(claimed, name, found, copy.as_ref())?)
    }

    fn find_in_repository(
        &self,
        claimed: &LocatedClaim,
        name: &SkillName,
        url: &GitUrl,
        plain: Option<&Tree>,
    ) -> Result<PinnedSource, PinError> {
        let proof = |tree: &Tree| claimed.claim.proof.matches(tree);
        let search = TraceQuery {
            disk: plain,
            proof: &proof,
            ..trace_search(claimed, name, url)
        };

        let traced = self
            .sources
            .trace(&search)
            .map_err(|error| match error.kind() {
                // The repository can be reached but has no such skill: only this claim is refused.
                FailureKind::Negative => PinError::Refused {
                    reason: error.message().to_owned(),
                    help: error.helps().first().cloned(),
                },
                _ => PinError::Failed(error),
            })?;

        Ok(PinnedSource {
            fetched: self.fetch_traced(name, url, &traced)?,
            fields: git_fields(url, &traced),
            found_by: Some(traced.by),
        })
    }

    fn find_in_directory(
        &self,
        claimed: &LocatedClaim,
        name: &SkillName,
        origin: &ClaimOrigin,
        written: &str,
    ) -> Result<PinnedSource, PinError> {
        let Some(SourceId::Path(path)) = claim_source(origin, claimed, self.workspace) else {
            return Err(refused(format!("`{written}` is not a directory")));
        };

        let path = self.skill_dir_under(path, name)?;
        self.check_apart(&path, name)?;

        let field = if path.starts_with(['/', '.']) {
            path.clone()
        } else {
            format!("./{path}")
        };

        let fetched = self.fetch_only(name, SourceId::from_path(&path))?;
        Ok(PinnedSource {
            fetched,
            fields: vec![("path", field)],
            found_by: None,
        })
    }

    fn find_on_clawhub(
        &self,
        name: &PackageName,
        version: Option<&Version>,
    ) -> Result<PinnedSource, PinError> {
        let hub = self.sources.clawhub_url()?;
        // Only this claim is refused: the server can be reached, but does not have the skill, or blocks it.
        let found =
            self.sources
                .find_on_clawhub(&hub, name)
                .map_err(|error| match error.kind() {
                    FailureKind::Negative | FailureKind::Integrity => refused(error.message()),
                    _ => PinError::Failed(error),
                })?;

        let newest = || found.versions.iter().map(|(version, _)| version).max();
        let version = version
            .or_else(newest)
            .ok_or_else(|| refused(format!("skill `{name}` of ClawHub has no version")))?;

        let summary = PackageSummary {
            version: Some(version.clone()),
            ..PackageSummary::unread(&PackageDependency {
                package: found.name.clone(),
                ..any_version_of(found.name.skill(), SourceId::ClawHub(hub))
            })
        };
        let fetched =
            self.sources
                .read(&[summary], &[None])
                .remove(0)
                .map_err(|error| match error {
                    FetchError::Unavailable(reason) => {
                        refused(format!("version {version} of `{name}` {reason}"))
                    }
                    FetchError::Failed(error) => PinError::Failed(error),
                })?;

        Ok(PinnedSource {
            fetched,
            fields: vec![
                ("clawhub", found.name.to_string()),
                ("version", caret_requirement(version)),
            ],
            found_by: None,
        })
    }

    /// Reads the copy on disk: the one in the main directory, else the first. Links to another copy
    /// are skipped; links to other directories are refused.
    fn read_disk_copy(&self, name: &SkillName) -> Result<Option<Tree>, PinError> {
        let (survey, name) = (self.survey, name.as_str());
        let mut found = None;
        let copies: Vec<PathBuf> = survey
            .dirs()
            .filter(|at| survey.is_real(*at, name))
            .map(|at| disk::real_path(&survey.path(at).join(name)))
            .collect();

        for at in survey.dirs().filter(|at| survey.has_entry(*at, name)) {
            let path = survey.path(at).join(name);
            let shown = survey.target(at).join(name).display().to_string();
            if !survey.is_real(at, name) {
                refuse_foreign_link(&path, &shown, &copies)?;
                continue;
            }

            // All copies are read: an invalid one must not be adopted beside a valid one.
            let tree = read_foreign(&path).map_err(|error| {
                refused(format!(
                    "`{shown}` is not a valid package: {}",
                    error.message()
                ))
            })?;
            found = found.or(Some(tree));
        }
        Ok(found)
    }

    fn fetch_traced(
        &self,
        name: &SkillName,
        url: &GitUrl,
        traced: &TraceResult,
    ) -> Result<FetchedPackage> {
        let source = SourceId::Git {
            url: url.clone(),
            reference: traced.reference.clone(),
        };
        let needed = PackageDependency {
            subdir: traced.path.clone(),
            ..any_version_of(name, source)
        };

        // At the traced commit, which the manifest does not name: the lockfile does.
        let read = self
            .sources
            .read(&[PackageSummary::unread(&needed)], &[Some(&traced.commit)])
            .remove(0);
        read.map_err(|error| match error {
            FetchError::Failed(error) => error,
            FetchError::Unavailable(reason) => Error::negative(reason),
        })
    }

    /// Fetches the package of a source with a single version.
    fn fetch_only(&self, name: &SkillName, source: SourceId) -> Result<FetchedPackage> {
        let available = self
            .sources
            .query(&[any_version_of(name, source)])
            .remove(0)?;
        let fetched = available.into_iter().find_map(|version| match version {
            AvailableVersion::Fetched(fetched) => Some(*fetched),
            AvailableVersion::Summary(_) => None,
        });
        fetched.ok_or_else(|| Error::internal("a source with one package returned several"))
    }

    /// The directory of a skill: `path` itself, or the skill of that name under it.
    fn skill_dir_under(&self, path: String, name: &SkillName) -> Result<String> {
        if disk::lstat(&self.workspace.root.join(&path).join("SKILL.md"))?.is_some() {
            // The path of the skill itself was recorded, not that of a collection.
            return Ok(path);
        }

        let found = self.sources.discover_path(&path)?;
        let dir = found
            .skills
            .iter()
            .find(|found| has_name(found, name.as_str()))
            .and_then(|found| found.dir.as_ref());

        Ok(dir.map_or_else(
            || path.clone(),
            |dir| format!("{}/{dir}", path.trim_end_matches('/')),
        ))
    }

    /// Refuses a source that is itself one of the install directories.
    fn check_apart(&self, path: &str, name: &SkillName) -> Result<(), PinError> {
        let real = disk::real_path(&self.workspace.root.join(path));
        let mut installed = self
            .survey
            .dirs()
            .map(|at| disk::real_path(&self.survey.path(at).join(name.as_str())));
        // A skill cannot be installed over its own source.
        if installed.any(|path| path == real) {
            return Err(refused(format!(
                "its source `{path}` is the directory that it is installed in"
            )));
        }
        Ok(())
    }
}

/// Whether a skill has a name, by its directory or in its frontmatter.
fn has_name(found: &FoundSkill, name: &str) -> bool {
    let dir = found.dir.as_ref();
    dir.is_some_and(|dir| dir.file_name() == name)
        || found.skill.as_ref().is_ok_and(|skill| skill.name == name)
}

/// A package, with the source fields of its manifest entry.
struct PinnedSource {
    fetched: FetchedPackage,
    fields: Vec<(&'static str, String)>,
    /// How its commit was found; `None` for other sources than git.
    found_by: Option<TraceEvidence>,
}

/// A copy on disk, with and without the files that other tools add to it.
struct DiskCopy {
    tree: Tree,
    plain: Tree,
}

impl DiskCopy {
    fn new(tree: Tree) -> Result<Self> {
        let plain = strip_marks(&tree)?;
        Ok(DiskCopy { tree, plain })
    }
}

fn build_pinned(
    claimed: &LocatedClaim,
    name: &SkillName,
    source: PinnedSource,
    copy: Option<&DiskCopy>,
) -> Result<PinnedSkill> {
    let fetched = &source.fetched;
    let own = fetched
        .skill
        .as_ref()
        .and_then(|skill| skill.name.parse::<SkillName>().ok());
    // `package` has the skill's own name if it is installed under another one. In ClawHub its name is the slug.
    let is_on_hub = matches!(fetched.summary.source, SourceId::ClawHub(_));
    let own = own.filter(|own| own != name && !is_on_hub);

    // The upstream files, and those with the install name in the frontmatter.
    let upstream = Checksum::from_tree(&fetched.tree);
    let checksum = Checksum::from_tree(&fetch::as_installed(&fetched.tree, name)?);

    let status = match copy {
        Some(copy) => disk_status(claimed, &source, copy, [upstream, checksum]),
        None => DiskStatus::Absent,
    };

    let locked = lock_fetched(fetched, name, own.as_ref(), [upstream, checksum]);
    let mut fields = source.fields;
    fields.extend(own.map(|own| ("package", own.to_string())));
    let entry = DependencyEntry {
        key: name.to_string(),
        fields,
        dev: claimed.claim.dev,
    };

    Ok(PinnedSkill {
        name: name.clone(),
        tool: Some(claimed.claim.tool),
        entry,
        locked,
        status,
        upstream,
    })
}

/// The lockfile entry of a package that is installed under a name; `own` is the skill's own, if
/// that is another one.
fn lock_fetched(
    fetched: &FetchedPackage,
    name: &SkillName,
    own: Option<&SkillName>,
    [upstream, checksum]: [Checksum; 2],
) -> LockedPackage {
    let (own, alias) = match &fetched.summary.source {
        // With its owner, as the manifest has it.
        SourceId::ClawHub(_) => {
            let own = fetched.summary.name.clone();
            let alias = (own.skill() != name).then(|| name.clone());
            (own, alias)
        }
        _ => (
            own.unwrap_or(name).clone().into(),
            own.is_some().then(|| name.clone()),
        ),
    };
    LockedPackage {
        name: own,
        alias,
        source_checksum: (checksum != upstream).then_some(upstream),
        // An unresolved reference makes the resolver read the dependencies.
        dependencies: vec![String::new()],
        ..fetched.to_locked(checksum)
    }
}

/// How a copy compares with a package, whose files have these checksums under its own name and
/// under the install name.
fn disk_status(
    claimed: &LocatedClaim,
    source: &PinnedSource,
    copy: &DiskCopy,
    checksums: [Checksum; 2],
) -> DiskStatus {
    let plain = undo_gh_changes(&copy.plain, &source.fetched.tree);
    if !checksums.contains(&Checksum::from_tree(&plain)) {
        return edited_status(claimed, source, &plain);
    }

    // The other tool's files were stripped, and its changes undone.
    if plain == copy.tree {
        DiskStatus::Same
    } else {
        DiskStatus::Marked
    }
}

fn edited_status(claimed: &LocatedClaim, source: &PinnedSource, plain: &Tree) -> DiskStatus {
    let drift = source.fetched.tree.diff(plain);
    let files = drift
        .changed
        .into_iter()
        .chain(drift.added)
        .chain(drift.missing)
        .collect();

    DiskStatus::Edited {
        files,
        as_installed: claimed.claim.proof.matches(plain),
        // Neither a recorded commit nor the content identified the version.
        guessed: matches!(
            source.found_by,
            Some(TraceEvidence::Time | TraceEvidence::Newest)
        ),
    }
}

/// Refuses a link that leads to anything but a copy of the skill in another agent's directory.
fn refuse_foreign_link(path: &Path, shown: &str, copies: &[PathBuf]) -> Result<(), PinError> {
    let target = disk::real_path(path);
    // A broken link has no content, and is replaced.
    let is_broken = disk::lstat(&target)?.is_none_or(|meta| meta.is_symlink());
    if is_broken || copies.contains(&target) {
        return Ok(());
    }

    Err(PinError::Refused {
        reason: format!("`{shown}` is a link to `{}`", target.display()),
        help: Some("replace it with a directory, or do not import it".into()),
    })
}

/// The skill without the files that other tools add to it.
pub(super) fn strip_marks(tree: &Tree) -> Result<Tree> {
    let mut plain = Tree::builder();
    for (path, file) in tree
        .files()
        .filter(|(path, _)| !IN_SKILL.contains(&path.as_str()))
    {
        plain.add(path.as_str(), file.bytes.clone(), file.executable)?;
    }
    Ok(plain.finish())
}

/// The source of a claim, relative to the project; `None` for a directory that does not exist.
pub(super) fn claim_source(
    origin: &ClaimOrigin,
    claimed: &LocatedClaim,
    workspace: &Workspace,
) -> Option<SourceId> {
    Some(match origin {
        ClaimOrigin::Git { url, .. } => SourceId::Git {
            url: url.clone(),
            reference: GitReference::Default,
        },
        ClaimOrigin::Site(site) => SourceId::WellKnown(site.clone()),
        // Its address is a setting, and does not say which skill it is.
        ClaimOrigin::ClawHub { .. } => return None,
        ClaimOrigin::Path(written) => {
            let path = normalize_path(&claimed.base.join(written));
            disk::lstat(&path).ok().flatten()?;

            // The user's own skills have no project root that a path could be relative to.
            let is_own =
                workspace.kind == WorkspaceKind::Managed || Path::new(written).is_absolute();
            if is_own {
                SourceId::from_path(&path.display().to_string())
            } else {
                SourceId::from_path(&relative_path(&path, &workspace.root))
            }
        }
    })
}

fn trace_search<'s>(
    claimed: &'s LocatedClaim,
    name: &'s SkillName,
    url: &'s GitUrl,
) -> TraceQuery<'s> {
    let (reference, path, commit, tree) = match &claimed.claim.origin {
        Ok(ClaimOrigin::Git {
            reference,
            path,
            commit,
            tree,
            ..
        }) => (reference, path, commit, tree),
        _ => (&None, &None, &None, &None),
    };
    TraceQuery {
        url,
        reference: reference.as_deref(),
        name,
        path: path.as_deref(),
        commit: commit.as_deref(),
        tree: tree.as_deref(),
        disk: None,
        proof: &|_| None,
        installed: claimed.claim.installed,
    }
}

fn git_fields(url: &GitUrl, traced: &TraceResult) -> Vec<(&'static str, String)> {
    let mut fields = vec![("git", url.to_string())];
    fields.extend(traced.path.iter().map(|path| ("path", path.to_string())));
    fields.extend(reference_fields(&traced.reference, None));
    fields
}

/// A dependency on any version of a package.
fn any_version_of(name: &SkillName, source: SourceId) -> PackageDependency {
    PackageDependency {
        alias: name.clone(),
        package: name.clone().into(),
        source,
        subdir: None,
        req: semver::VersionReq::STAR,
        dev: false,
        optional: false,
    }
}

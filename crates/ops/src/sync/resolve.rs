//! The first half of a sync: manifest and lockfile → a lockfile that satisfies the manifest, and
//! the trees that resolving fetched.

use std::collections::{BTreeMap, BTreeSet};

use super::patch_updates::PatchUpdater;
use super::resolution::{LockResolution, PatchUpdates};
use super::signatures::SignatureVerifier;
use super::unused_patches::report_unused_patches;
use super::{PinPolicy, SyncInput};
use crate::fetch::{self, PackageFetcher};
use crate::policy::EffectivePolicy;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{
    Checksum, GitReference, PackageName, PackageSummary, SkillName, SourceId,
};
use skillpm_core::report::{DiagnosticLevel, ProgressEvent};
use skillpm_core::resolver::{self, ResolveGraph, ResolvedPackage, RootDependency};
use skillpm_io::disk;
use skillpm_registry::sources::gather::{
    GatherRequest, GatheredPackages, gather_packages, matches_patches, report_missing_optional,
};
use skillpm_registry::sources::{FetchError, FetchedPackage, PackageSources};
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceMember;

/// Resolves a project: decides its lockfile.
pub(super) struct LockResolver<'a> {
    pub(super) input: &'a SyncInput<'a>,
}

impl LockResolver<'_> {
    /// Keeps the lockfile if it still satisfies the manifest, else resolves again. Then applies the
    /// saved edits.
    pub(super) fn resolve(
        &self,
        sources: &PackageSources<'_>,
        store: &Store,
    ) -> Result<LockResolution> {
        let mut resolution = self.solve(sources, store)?;
        // Before the edits, which change `checksum`: allowed findings belong to the package without
        // edits.
        self.keep_allowed_findings(&mut resolution);
        PatchUpdater { input: self.input }
            .apply_kept_edits(self.input.fetcher(sources, store), &mut resolution)?;
        Ok(resolution)
    }

    /// Keeps the allowed findings of unchanged packages.
    fn keep_allowed_findings(&self, resolution: &mut LockResolution) {
        // Most lockfiles have none, and are not built again.
        if self
            .input
            .old
            .packages()
            .iter()
            .all(|old| old.allowed_findings.is_empty())
        {
            return;
        }

        let allowed = |locked: &LockedPackage| {
            let old = self.input.old.installed_as(locked.install_name())?;
            let is_same =
                old.name == locked.name && old.upstream_checksum() == locked.upstream_checksum();
            (is_same && !old.allowed_findings.is_empty()).then(|| old.allowed_findings.clone())
        };

        let keep = |locked: &LockedPackage| LockedPackage {
            allowed_findings: allowed(locked).unwrap_or_else(|| locked.allowed_findings.clone()),
            ..locked.clone()
        };
        resolution.lockfile =
            Lockfile::new(resolution.lockfile.packages().iter().map(keep).collect());
    }

    fn solve(&self, sources: &PackageSources<'_>, store: &Store) -> Result<LockResolution> {
        // Packages in directories may have changed, and are read by every command.
        let has_paths = self
            .input
            .old
            .packages()
            .iter()
            .any(|locked| self.is_live_directory(sources, locked));

        let keeps_all = self.input.request.keep == PinPolicy::All
            && self.input.request.precise.is_empty()
            && self.input.request.commits.is_empty();

        // Everything is locked and matches: no source is queried, and no version changes.
        if keeps_all && !has_paths && self.is_satisfied() {
            return Ok(LockResolution {
                lockfile: self.input.old.clone(),
                fetched_trees: BTreeMap::new(),
                patch_updates: PatchUpdates::default(),
            });
        }

        let at_commits = self.pinned_to_commits();
        let kept = self.packages_to_keep(sources, &at_commits);

        let request = GatherRequest {
            roots: &self.input.roots,
            patches: &self.input.patches,
            kept_packages: &kept,
            precise: &self.input.request.precise,
            age: &self.input.age,
            previous_lock: &self.input.old,
        };

        let gathered = gather_packages(sources, &request)?;
        report_missing_optional(&gathered.resolve, self.input.reporter());
        report_unused_patches(self.input, &gathered);

        self.build_lockfile(sources, store, gathered, &ByName::new(kept))
    }

    /// Locked packages at the commits that were requested.
    fn pinned_to_commits(&self) -> Vec<LockedPackage> {
        let change = |(name, commit): (&SkillName, &String)| {
            let locked = self.input.old.installed_as(name)?.clone();
            // Its dependencies there are unknown: an empty reference makes the resolver read it.
            Some(LockedPackage {
                commit: Some(commit.clone()),
                dependencies: vec![String::new()],
                ..locked
            })
        };
        self.input
            .request
            .commits
            .iter()
            .filter_map(change)
            .collect()
    }

    /// Whether a package is read by every command: it is in a directory, where it may be edited.
    ///
    /// Not so if it is vendored, or if its directory does not exist and it stays locked.
    fn is_live_directory(&self, sources: &PackageSources<'_>, locked: &LockedPackage) -> bool {
        let SourceId::Path(path) = &locked.source else {
            return false;
        };

        let is_there = || {
            disk::lstat(&disk::real_path(&self.input.workspace.root.join(path)))
                .is_ok_and(|at| at.is_some())
        };
        // With `--locked` a package from a missing directory stays locked: CI may not have it.
        let keeps_absent = self.input.options.locked || self.input.options.keep_absent;
        sources.vendor_directory(&locked.source).is_none() && (!keeps_absent || is_there())
    }

    fn packages_to_keep<'k>(
        &'k self,
        sources: &PackageSources<'_>,
        at_commits: &'k [LockedPackage],
    ) -> Vec<&'k LockedPackage> {
        let stays = |locked: &&LockedPackage| {
            let name = locked.install_name();
            !self.is_live_directory(sources, locked)
                && match &self.input.request.keep {
                    PinPolicy::All => true,
                    PinPolicy::AllBut(names) => !names.contains(name),
                    PinPolicy::Nothing => false,
                }
        };

        // The requested commits replace the locked ones, which must not be candidates.
        let old = self.input.old.packages().iter().filter(stays);
        let old = old.filter(|locked| {
            !self
                .input
                .request
                .commits
                .contains_key(locked.install_name())
        });
        old.chain(at_commits)
            .chain(&self.input.request.adopted.packages)
            .collect()
    }

    /// Turns the resolution into a lockfile.
    fn build_lockfile(
        &self,
        sources: &PackageSources<'_>,
        store: &Store,
        mut gathered: GatheredPackages,
        kept: &ByName<'_>,
    ) -> Result<LockResolution> {
        let resolve = gathered.resolve.clone();
        let mut fetched: Vec<Option<FetchedPackage>> = resolve
            .packages()
            .iter()
            .map(|package| gathered.take_fetched(&package.summary))
            .collect();
        let members = self.unneeded_members(&resolve);

        let is_known = |at: usize| {
            fetched[at].is_some() || kept.find(&resolve.packages()[at]).next().is_some()
        };
        let mut unknown: Vec<usize> = (0..resolve.packages().len())
            .filter(|&at| !is_known(at))
            .collect();

        // The cheapest first: the index may have all that the lockfile needs, the store may have
        // the tree. Only the rest is fetched.
        let indexed = locked_by_index(sources, &mut unknown, &resolve)?;
        let unknown = self.take_from_store(sources, store, unknown, &resolve, &mut fetched)?;

        let summaries: Vec<_> = unknown
            .iter()
            .map(|&at| resolve.packages()[at].summary.clone())
            .collect();

        for (at, read) in unknown
            .into_iter()
            .zip(sources.read(&summaries, &vec![None; summaries.len()]))
        {
            fetched[at] = Some(read.map_err(|error| match error {
                FetchError::Failed(error) => error,
                FetchError::Unavailable(reason) => Error::negative(reason),
            })?);
        }

        let mut packages = Vec::new();
        let mut fetched_trees = BTreeMap::new();
        for ((at, package), fetched) in resolve.packages().iter().enumerate().zip(fetched) {
            // A member that only members depend on is in the workspace, and is not installed.
            if members.contains(&at) {
                continue;
            }

            // A well-known site has only one version of each skill. A kept one stays as it was
            // locked, although resolving may have read the current content.
            let is_kept = matches!(package.id.source, SourceId::WellKnown(_))
                && kept.find(package).next().is_some();
            let fetched = fetched.filter(|_| !is_kept);
            // One package can be installed under several names: each gets its own entry.
            for alias in &package.aliases {
                let locked = match (&fetched, indexed.get(&at)) {
                    (Some(fetched), _) => self.lock_package(fetched, alias)?,
                    (None, Some(locked)) => locked.clone(),
                    // Not read again: it stays as it was locked.
                    (None, None) => relock(kept.find(package), alias)?,
                };

                let dependencies = dependency_references(&resolve, package);
                packages.push(LockedPackage {
                    dependencies,
                    replaces: package.replaces.iter().cloned().collect(),
                    ..locked
                });
            }

            // A kept package is not updated, so that newer versions are not reported.
            if kept.find(package).next().is_none() {
                self.report_held_back(&gathered, at);
            }

            if let Some(fetched) = fetched {
                self.report_diagnostics(&fetched);
                fetched_trees.insert(Checksum::from_tree(&fetched.tree), fetched.tree);
            }
        }

        Ok(LockResolution {
            lockfile: Lockfile::new(packages),
            fetched_trees,
            patch_updates: PatchUpdates::default(),
        })
    }

    /// Reads packages from the store whose checksums the index has; returns the positions of the
    /// others.
    fn take_from_store(
        &self,
        sources: &PackageSources<'_>,
        store: &Store,
        unknown: Vec<usize>,
        resolve: &ResolveGraph,
        fetched: &mut [Option<FetchedPackage>],
    ) -> Result<Vec<usize>> {
        let mut missing = Vec::new();
        for at in unknown {
            let summary = &resolve.packages()[at].summary;
            // Without a checksum from the index there is nothing to look up in the store.
            let tree = match sources.describe_version(summary)? {
                Some((checksum, origin)) => store
                    .get(&checksum, self.input.reporter())?
                    .map(|tree| (tree, origin)),
                None => None,
            };

            match tree {
                Some((tree, origin)) => {
                    let summary = summary.clone();
                    fetched[at] = Some(FetchedPackage {
                        summary,
                        origin,
                        tree,
                        skill: None,
                        diagnostics: Vec::new(),
                    });
                }
                None => missing.push(at),
            }
        }

        Ok(missing)
    }

    /// The lockfile entry of a fetched package under an install name.
    ///
    /// If its tag was moved since it was locked, that is reported, and the locked commit stays.
    fn lock_package(&self, fetched: &FetchedPackage, alias: &SkillName) -> Result<LockedPackage> {
        let summary = &fetched.summary;
        let same_tag = |locked: &&LockedPackage| {
            let is_tag = matches!(
                &locked.source,
                SourceId::Git {
                    reference: GitReference::Tag(_),
                    ..
                }
            );
            is_tag
                && locked.source == summary.source
                && locked.name == summary.name
                && locked.path == summary.subdir
        };

        let before = self.input.old.installed_as(alias).filter(same_tag);
        // A moved tag may be an attack: following it requires an explicit commit.
        if let Some(before) = before.filter(|before| before.commit != fetched.origin.commit)
            && !self.input.request.commits.contains_key(alias)
        {
            self.report_moved_tag(before, fetched);
            return Ok(before.clone());
        }
        let upstream = Checksum::from_tree(&fetched.tree);

        let file = summary
            .subdir
            .as_ref()
            .map_or("SKILL.md".to_owned(), |dir| format!("{dir}/SKILL.md"));
        let installed = fetch::as_installed(&fetched.tree, alias)
            .map_err(|error| error.wrap(format!("failed to rename the skill in `{file}`")))?;
        let checksum = Checksum::from_tree(&installed);

        Ok(LockedPackage {
            alias: (alias != summary.name.skill()).then(|| alias.clone()),
            source_checksum: (checksum != upstream).then_some(upstream),
            ..fetched.to_locked(checksum)
        })
    }

    fn report_moved_tag(&self, before: &LockedPackage, fetched: &FetchedPackage) {
        let short = |commit: Option<&String>| {
            commit
                .map_or("?", |commit| &commit[..commit.len().min(12)])
                .to_owned()
        };

        let now = fetched.origin.commit.as_ref();
        self.input.reporter().report(ProgressEvent::Warning {
            message: format!(
                "{} was moved after it was locked: `{}` stays at commit {}, but the tag is now at {}",
                describe_reference(&before.source),
                before.install_name(),
                short(before.commit.as_ref()),
                short(now)
            ),
            help: now
                .map(|commit| format!("to follow it, run `skillpm update {} --precise {commit}`", before.install_name())),
        });
    }

    /// Members of the workspace that only other members depend on: they are not installed.
    fn unneeded_members(&self, resolve: &ResolveGraph) -> BTreeSet<usize> {
        let is_member = |at: usize| {
            self.input
                .member_at(&resolve.packages()[at].id.source)
                .is_some()
        };
        let is_own = |link: &resolver::ResolvedDependency| {
            self.input.manifest.dependencies.contains(&link.dependency)
        };

        // Reachable from dependencies of the root manifest, or from packages that are not members.
        let starts = resolve
            .roots()
            .iter()
            .filter(|link| is_own(link) || !is_member(link.to));

        let (mut reached, mut todo) = (
            BTreeSet::new(),
            starts.map(|link| link.to).collect::<Vec<_>>(),
        );

        while let Some(at) = todo.pop() {
            if reached.insert(at) {
                todo.extend(resolve.children(at));
            }
        }

        (0..resolve.packages().len())
            .filter(|at| !reached.contains(at))
            .collect()
    }

    /// Whether a new lockfile equals the old one. The content of a member may differ: it is edited
    /// in place.
    pub(super) fn is_unchanged(&self, new: &Lockfile) -> bool {
        let (old, new) = (self.input.old.packages(), new.packages());
        // Signatures are verified later.
        let is_same = |old: &LockedPackage, new: &LockedPackage| {
            *old == LockedPackage {
                signed_by: old.signed_by,
                ..new.clone()
            }
        };

        old.len() == new.len()
            && old.iter().zip(new).all(|(old, new)| {
                // A member's content changes with every edit; only its dependencies are compared.
                let is_member = self.input.member_at(&new.source).is_some();
                let as_old = || LockedPackage {
                    version: old.version.clone(),
                    checksum: old.checksum,
                    source_checksum: old.source_checksum,
                    patch: old.patch,
                    signed_by: old.signed_by,
                    ..new.clone()
                };
                is_same(old, new) || is_member && *old == as_old()
            })
    }

    /// Reports which newer version of a resolved package was held back.
    fn report_held_back(&self, gathered: &GatheredPackages, at: usize) {
        if let Some((version, reason)) = gathered.blocked_update(at) {
            let name = &gathered.resolve.packages()[at].id.name;
            self.input.reporter().report(ProgressEvent::Done {
                verb: "Held back",
                what: format!("{name} {version}: it {reason}"),
            });
        }
    }

    /// Reports the errors in a fetched package.
    fn report_diagnostics(&self, fetched: &FetchedPackage) {
        let dir = fetched
            .summary
            .subdir
            .as_ref()
            .map_or(fetched.summary.name.to_string(), ToString::to_string);
        // Warnings are for the author; `lint` shows them.
        for diagnostic in fetched
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.level >= DiagnosticLevel::Error)
        {
            let format = fetched
                .skill
                .as_ref()
                .map(|skill| skill.format)
                .unwrap_or_default();

            let path = format!("{dir}/{}", format.descriptor());
            self.input.reporter().report(ProgressEvent::FileDiagnostic {
                path,
                diagnostic: diagnostic.clone(),
            });
        }
    }

    /// Checks all packages except the project's own members against the policy, whether they were
    /// locked before or not.
    pub(super) fn check_policy(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        resolution: &mut LockResolution,
    ) -> Result<()> {
        let policy = EffectivePolicy::load(self.input.context, &self.input.manifest.policy)?;
        let external = resolution
            .lockfile
            .packages()
            .iter()
            .filter(|locked| !self.input.is_member(locked));

        let packages: Vec<&LockedPackage> = external.collect();
        let request_origin = (self.input.roots.as_slice(), &resolution.lockfile);
        // The cheapest rules first: the later ones may need the network.
        policy.check_sources(&packages, request_origin)?;

        if policy.requires_reachable() {
            let found = fetcher
                .sources
                .check_reachable(&packages)
                .into_iter()
                .collect::<Result<Vec<_>>>()?;
            policy.check_reachable(
                &packages.iter().copied().zip(found).collect::<Vec<_>>(),
                request_origin,
            )?;
        }

        if policy.needs_trees() {
            let trees = fetch::fetch(&packages, &mut resolution.fetched_trees, fetcher)?;
            policy.check_trees(&packages, &trees, request_origin)?;
        }

        SignatureVerifier { input: self.input }.verify_signatures(
            fetcher.sources,
            &policy,
            &mut resolution.lockfile,
        )
    }
}

/// The lockfile entries of unknown packages that an index describes completely, by position: their
/// trees are fetched only when they are installed. Packages with another install name are not among
/// them, because their installed checksum is unknown.
fn locked_by_index(
    sources: &PackageSources<'_>,
    unknown: &mut Vec<usize>,
    resolve: &ResolveGraph,
) -> Result<BTreeMap<usize, LockedPackage>> {
    let mut indexed = BTreeMap::new();
    for &at in &*unknown {
        let package = &resolve.packages()[at];
        // Another install name changes the frontmatter, and so the checksum.
        if package
            .aliases
            .iter()
            .any(|alias| alias != package.id.name.skill())
        {
            continue;
        }

        if let Some((checksum, origin)) = sources.describe_version(&package.summary)? {
            let PackageSummary {
                name,
                version,
                source,
                ..
            } = package.summary.clone();
            let locked = LockedPackage {
                version,
                archive: origin.archive,
                ..LockedPackage::new(name, source, checksum)
            };
            indexed.insert(at, locked);
        }
    }

    unknown.retain(|at| !indexed.contains_key(at));
    Ok(indexed)
}

/// Locked packages by their name.
struct ByName<'k>(BTreeMap<&'k PackageName, Vec<&'k LockedPackage>>);

impl<'k> ByName<'k> {
    fn new(kept: Vec<&'k LockedPackage>) -> Self {
        let mut by_name: BTreeMap<&PackageName, Vec<&LockedPackage>> = BTreeMap::new();
        for locked in kept {
            by_name.entry(&locked.name).or_default().push(locked);
        }

        ByName(by_name)
    }

    /// The locked packages with the version and source of a resolved one.
    fn find(&self, package: &ResolvedPackage) -> impl Iterator<Item = &'k LockedPackage> {
        let named = self.0.get(&package.id.name).into_iter().flatten().copied();
        named.filter(|locked| {
            locked.version == package.id.version
                && locked.source == package.id.source
                && locked.path == package.summary.subdir
        })
    }
}

impl LockResolver<'_> {
    /// Whether the lockfile satisfies the manifests, without missing or unused packages.
    pub(super) fn is_satisfied(&self) -> bool {
        let packages = self.input.old.packages();

        let by_alias: BTreeMap<&SkillName, &LockedPackage> = packages
            .iter()
            .map(|locked| (locked.install_name(), locked))
            .collect();

        let mut by_reference: BTreeMap<String, &LockedPackage> = BTreeMap::new();
        for locked in packages {
            by_reference.entry(locked.reference()).or_insert(locked);
        }

        let (mut reached, mut todo) = (BTreeSet::new(), Vec::new());
        // Every direct dependency must have a locked package that satisfies it.
        for root in &self.input.roots {
            match (
                self.sibling_member(root),
                by_alias.get(&root.dependency.alias),
            ) {
                // A member that another member depends on is in the workspace, not in the lockfile.
                (Some(sibling), _)
                    if resolver::is_satisfied_by(
                        &root.dependency,
                        &member_summary(sibling, root),
                    ) => {}
                (None, Some(locked)) if self.satisfies(root, locked) => todo.push(*locked),
                _ => return false,
            }
        }

        while let Some(locked) = todo.pop() {
            if reached.insert(locked.install_name()) {
                for reference in &locked.dependencies {
                    // A reference to a missing entry: the lockfile was edited by hand.
                    let Some(needed) = by_reference.get(reference) else {
                        return false;
                    };
                    todo.push(needed);
                }
            }
        }

        // Packages that are no longer required have to be removed.
        reached.len() == packages.len() && matches_patches(&self.input.old, &self.input.patches)
    }

    fn satisfies(
        &self,
        RootDependency { dependency, .. }: &RootDependency,
        locked: &LockedPackage,
    ) -> bool {
        let summary = locked.summary();
        let mut patches = self
            .input
            .patches
            .iter()
            .filter(|_| !locked.replaces.is_empty());
        // With `[patch]` a package of another source may satisfy the dependency.
        resolver::is_satisfied_by(dependency, &summary)
            || patches.any(|patch| resolver::can_replace(patch, &summary, dependency))
    }

    /// The member that another member depends on: it is in the workspace, and need not be locked.
    fn sibling_member(&self, root: &RootDependency) -> Option<&WorkspaceMember> {
        root.member
            .as_ref()
            .and_then(|_| self.input.member_at(&root.dependency.source))
    }
}

/// The summary of a member, for the member that depends on it.
fn member_summary(member: &WorkspaceMember, root: &RootDependency) -> PackageSummary {
    PackageSummary {
        version: member.version.clone(),
        ..PackageSummary::unread(&root.dependency)
    }
}

/// The old entry of a locked package under one of its install names.
fn relock<'k>(
    same: impl Iterator<Item = &'k LockedPackage>,
    alias: &SkillName,
) -> Result<LockedPackage> {
    let mut same = same.filter(|locked| locked.install_name() == alias);

    same.next().cloned().ok_or_else(|| {
        Error::negative(format!(
            "`{alias}` is a new install name of a package that is already locked"
        ))
        .help("run `skillpm update` to resolve both again")
    })
}

/// The dependencies of a resolved package, as its lockfile entry lists them.
fn dependency_references(resolve: &ResolveGraph, package: &ResolvedPackage) -> Vec<String> {
    let needed: BTreeSet<String> = package
        .links
        .iter()
        .map(|link| resolve.packages()[link.to].id.to_string())
        .collect();
    needed.into_iter().collect()
}

fn describe_reference(source: &SourceId) -> String {
    match source {
        SourceId::Git { reference, url } => format!("{reference} of `{}`", url.short()),
        other => other.describe(),
    }
}

/// The error of `--locked`, with the changes that the lockfile needs.
pub(super) fn lockfile_changed(old: &Lockfile, new: &Lockfile, exists: bool) -> Error {
    if !exists {
        return Error::negative(
            "the lock file `skillpm.lock` needs to be created but --locked was passed",
        )
        .help("run `skillpm install` without `--locked`, and commit `skillpm.lock`");
    }

    let mut error = Error::negative(
        "the lock file `skillpm.lock` needs to be updated but --locked or --frozen was passed",
    );

    let names: BTreeSet<&SkillName> = old
        .packages()
        .iter()
        .chain(new.packages())
        .map(LockedPackage::install_name)
        .collect();

    for name in names {
        // Only differences are reported: equal entries are not the reason of the failure.
        match (old.installed_as(name), new.installed_as(name)) {
            (None, Some(new)) => {
                error = error.note(format!("`{}` would be added", new.reference()));
            }
            (Some(old), None) => {
                error = error.note(format!("`{}` would be removed", old.reference()));
            }
            // The same package with other edits: both revisions are the same.
            (Some(old), Some(new))
                if old.patch != new.patch && old.upstream_checksum() == new.upstream_checksum() =>
            {
                let change = if new.patch.is_some() {
                    "would have other edits: its patch file"
                } else {
                    "would lose its edits: its line in `[edits]`"
                };
                error = error.note(format!("`{name}` {change} has changed"));
            }
            (Some(old), Some(new)) if old != new => {
                error = error.note(format!(
                    "`{name}` would be updated from {} to {}",
                    old.revision(),
                    new.revision()
                ));
            }
            _ => {}
        }
    }

    error.help("run `skillpm install` without `--locked`, and commit `skillpm.lock`")
}

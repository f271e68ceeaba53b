//! Turns a resolution into a lockfile, with the trees that this fetches.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::SyncInput;
use super::resolution::{LockResolution, PatchUpdates};
use crate::fetch;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{self, LockedPackage, Lockfile};
use skillpm_core::package::{
    Checksum, GitReference, PackageName, PackageSummary, SkillName, SourceId,
};
use skillpm_core::report::{DiagnosticLevel, ProgressEvent};
use skillpm_core::resolver::{self, ResolveGraph, ResolvedPackage};
use skillpm_registry::install::undo;
use skillpm_registry::sources::gather::GatheredPackages;
use skillpm_registry::sources::{FetchError, FetchedPackage, PackageSources, VersionContent};
use skillpm_registry::store::Store;

/// Makes the lockfile entries of resolved packages.
pub(super) struct LockBuilder<'a> {
    pub(super) input: &'a SyncInput<'a>,
}

impl LockBuilder<'_> {
    /// Turns the resolution into a lockfile.
    pub(super) fn build_lockfile(
        &self,
        sources: &PackageSources<'_>,
        store: &Store,
        mut gathered: GatheredPackages,
        kept: &ByName<'_>,
    ) -> Result<LockResolution> {
        let resolve = gathered.resolve.clone();
        let described = self.describe_packages(sources, store, &mut gathered, kept)?;
        let members = self.unneeded_members(&resolve);

        let mut packages = Vec::new();
        let mut fetched_trees = BTreeMap::new();
        let earlier = OnceCell::new();
        for ((at, package), fetched) in resolve.packages().iter().enumerate().zip(described.fetched)
        {
            // A member that only members depend on is in the workspace, and is not installed.
            if members.contains(&at) {
                continue;
            }

            let fetched = fetched.filter(|_| !is_frozen(package, kept));
            let indexed = described.indexed.get(&at);
            for locked in self.lock_aliases(package, fetched.as_ref(), indexed, kept)? {
                if !kept.contains(package) {
                    self.check_same_content(sources, package, &locked, &earlier)?;
                }
                packages.push(with_links(locked, &resolve, package));
            }

            // A kept package is not updated, so that newer versions are not reported.
            if !kept.contains(package) {
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
            unsaved_edits: BTreeMap::new(),
            held: BTreeSet::new(),
            failed: Vec::new(),
        })
    }

    /// The lockfile entries of a package, without its dependencies. It can be installed under
    /// several names: each gets its own entry.
    fn lock_aliases(
        &self,
        package: &ResolvedPackage,
        fetched: Option<&FetchedPackage>,
        indexed: Option<&LockedPackage>,
        kept: &ByName<'_>,
    ) -> Result<Vec<LockedPackage>> {
        let entries = package
            .aliases
            .iter()
            .map(|alias| match (fetched, indexed) {
                (Some(fetched), _) => self.lock_package(fetched, alias),
                (None, Some(locked)) => Ok(locked.clone()),
                // Not read again: it stays as it was locked.
                (None, None) => relock(kept.find(package), alias),
            });
        entries.collect()
    }

    /// Finds what the lockfile needs of every package that is not kept: in the index, in the store,
    /// or by fetching it.
    fn describe_packages(
        &self,
        sources: &PackageSources<'_>,
        store: &Store,
        gathered: &mut GatheredPackages,
        kept: &ByName<'_>,
    ) -> Result<DescribedPackages> {
        let resolve = gathered.resolve.clone();
        let packages = resolve.packages();
        let mut fetched: Vec<Option<FetchedPackage>> = packages
            .iter()
            .map(|package| gathered.take_fetched(&package.summary))
            .collect();

        let is_known = |at: usize| fetched[at].is_some() || kept.contains(&packages[at]);
        let mut unknown: Vec<usize> = (0..packages.len()).filter(|&at| !is_known(at)).collect();

        // The cheapest first: the index may have all that the lockfile needs, the store may have
        // the tree. Only the rest is fetched.
        let indexed = locked_by_index(sources, &mut unknown, &resolve)?;
        let unknown = self.take_from_store(sources, store, unknown, &resolve, &mut fetched)?;
        read_from_sources(sources, &unknown, &resolve, kept, &mut fetched)?;

        Ok(DescribedPackages { fetched, indexed })
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
        // A moved tag may be an attack: following it requires an explicit commit.
        if let Some(before) = self.locked_at_tag(summary, alias)
            && before.commit != fetched.origin.commit
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
        // Both are locked: the source has one, the targets have the other.
        let checksum = Checksum::from_tree(&installed);

        Ok(LockedPackage {
            alias: (alias != summary.name.skill()).then(|| alias.clone()),
            source_checksum: (checksum != upstream).then_some(upstream),
            ..fetched.to_locked(checksum)
        })
    }

    /// Refuses another content for a version than the locked one: a published version never changes.
    fn check_same_content(
        &self,
        sources: &PackageSources<'_>,
        package: &ResolvedPackage,
        now: &LockedPackage,
        earlier: &OnceCell<Vec<Lockfile>>,
    ) -> Result<()> {
        let summary = &package.summary;
        let needs = summary
            .dependencies
            .iter()
            .flatten()
            .map(|needed| (&needed.package, &needed.req));
        let is_registry = matches!(summary.source, SourceId::Registry(_));
        let content = VersionContent {
            checksum: now.upstream_checksum(),
            archive: now.archive,
            // Those of an index line. Elsewhere they are in the tree, some of them optional.
            dependencies: is_registry.then(|| needs.collect()),
        };

        let is_same = |before: &&LockedPackage| {
            before.name == summary.name
                && before.version == summary.version
                && before.source == summary.source
        };

        // Also if nothing else on this machine has seen the version before.
        let old = &self.input.old;
        let mut locked = old.packages().iter().filter(is_same).peekable();
        if locked.peek().is_some() {
            return locked
                .try_for_each(|before| sources.check_unchanged(before, old, &content, false));
        }
        // Removed, or at another version meanwhile.
        if !matches!(summary.source, SourceId::Registry(_) | SourceId::ClawHub(_)) {
            return Ok(());
        }
        let earlier = earlier.get_or_init(|| self.earlier_lockfiles());
        let last = earlier.iter().find_map(|lockfile| {
            let before = lockfile.packages().iter().find(is_same)?;
            Some((lockfile, before))
        });
        last.map_or(Ok(()), |(lockfile, before)| {
            sources.check_unchanged(before, lockfile, &content, true)
        })
    }

    /// The lockfiles that the last commands in this project replaced, the newest first, as the entries for `undo` have them.
    fn earlier_lockfiles(&self) -> Vec<Lockfile> {
        // They are another check only: one that cannot be read does not stop a command.
        let entries = undo::entries(&self.input.state_dir()).unwrap_or_default();
        let texts = entries.iter().flat_map(|(_, entry)| &entry.texts);
        texts
            .filter(|text| text.path == Path::new(lockfile::FILE))
            .filter_map(|text| Lockfile::parse(text.before.as_deref()?, lockfile::FILE).ok())
            .collect()
    }

    /// The old entry of a package that is locked at the same tag.
    fn locked_at_tag(&self, summary: &PackageSummary, alias: &SkillName) -> Option<&LockedPackage> {
        let locked = self.input.old.installed_as(alias)?;
        let is_tag = matches!(
            &locked.source,
            SourceId::Git {
                reference: GitReference::Tag(_),
                ..
            }
        );

        let is_same = locked.source == summary.source
            && locked.name == summary.name
            && locked.path == summary.subdir;
        (is_tag && is_same).then_some(locked)
    }

    fn report_moved_tag(&self, before: &LockedPackage, fetched: &FetchedPackage) {
        let short = |commit: Option<&String>| {
            commit
                .map_or("?", |commit| &commit[..commit.len().min(12)])
                .to_owned()
        };

        // The exact commit: the tag may be moved again before the user runs it.
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
}

/// Whether a package stays as it was locked, although resolving may have read its current content:
/// a well-known site has only one version of each skill.
fn is_frozen(package: &ResolvedPackage, kept: &ByName<'_>) -> bool {
    matches!(package.id.source, SourceId::WellKnown(_)) && kept.contains(package)
}

/// What is known of resolved packages, by their position in the resolution.
struct DescribedPackages {
    fetched: Vec<Option<FetchedPackage>>,
    /// The lockfile entries of those that an index describes completely.
    indexed: BTreeMap<usize, LockedPackage>,
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

/// Reads the packages at these positions from their sources.
fn read_from_sources(
    sources: &PackageSources<'_>,
    positions: &[usize],
    resolve: &ResolveGraph,
    kept: &ByName<'_>,
    fetched: &mut [Option<FetchedPackage>],
) -> Result<()> {
    // All at once, so that packages of one source share what is fetched for it.
    let (summaries, commits): (Vec<_>, Vec<_>) = positions
        .iter()
        .map(|&at| {
            let package = &resolve.packages()[at];
            let locked = kept.find(package).next();
            (
                package.summary.clone(),
                locked.and_then(|locked| locked.commit.as_deref()),
            )
        })
        .unzip();
    let read = sources.read(&summaries, &commits);

    for (&at, read) in positions.iter().zip(read) {
        fetched[at] = Some(read.map_err(|error| match error {
            FetchError::Failed(error) => error,
            FetchError::Unavailable(reason) => Error::negative(reason),
        })?);
    }
    Ok(())
}

/// Locked packages by their name.
pub(super) struct ByName<'k>(BTreeMap<&'k PackageName, Vec<&'k LockedPackage>>);

impl<'k> ByName<'k> {
    pub(super) fn new(kept: Vec<&'k LockedPackage>) -> Self {
        let mut by_name: BTreeMap<&PackageName, Vec<&LockedPackage>> = BTreeMap::new();
        for locked in kept {
            by_name.entry(&locked.name).or_default().push(locked);
        }

        ByName(by_name)
    }

    /// Whether each install name of a package is locked: with a new one it is read again, at the locked version.
    fn contains(&self, package: &ResolvedPackage) -> bool {
        let mut aliases = package.aliases.iter();
        aliases.all(|alias| {
            self.find(package)
                .any(|locked| locked.install_name() == alias)
        })
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

/// The old entry of a locked package under one of its install names.
fn relock<'k>(
    same: impl Iterator<Item = &'k LockedPackage>,
    alias: &SkillName,
) -> Result<LockedPackage> {
    let mut same = same.filter(|locked| locked.install_name() == alias);
    same.next().cloned().ok_or_else(|| {
        let message = format!("`{alias}` is neither locked nor read");
        Error::new(FailureKind::Internal, message)
    })
}

/// A lockfile entry with what the resolution decided: its dependencies, and what it replaces.
fn with_links(
    locked: LockedPackage,
    resolve: &ResolveGraph,
    package: &ResolvedPackage,
) -> LockedPackage {
    // Sorted and each once, so that the same resolution gives the same text.
    let needed: BTreeSet<String> = package
        .links
        .iter()
        .map(|link| resolve.packages()[link.to].id.to_string())
        .collect();

    LockedPackage {
        dependencies: needed.into_iter().collect(),
        replaces: package.replaces.iter().cloned().collect(),
        ..locked
    }
}

fn describe_reference(source: &SourceId) -> String {
    match source {
        SourceId::Git { reference, url } => format!("{reference} of `{}`", url.short()),
        other => other.describe(),
    }
}

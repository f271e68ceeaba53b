//! `lock --merge`: merges the lockfiles of both sides of a version control merge.
//!
//! With three files it is a git merge driver: it has no prompts, takes no lock and writes only the
//! result. Without files it resolves the conflict in the project's lockfile, and then does what
//! `lock` does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::sync::{SyncOptions, SyncReport, SyncRequest, lock_project, sync};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::merge::{
    self, KnownRequirements, LockfileConflict, LockfileMergeContext, LockfileSides, MergedLockfile,
};
use skillpm_core::lockfile::{self, LockedPackage, Lockfile};
use skillpm_core::manifest;
use skillpm_core::package::{PackageDependency, PatchEntry, Tree, with_line_ends_of};
use skillpm_core::resolver::RootDependency;
use skillpm_io::disk;
use skillpm_io::git::GitCheckout;
use skillpm_registry::sources::describe::{DescribeContext, describe_package};
use skillpm_registry::store::Store;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The files that git passes to its merge driver.
#[derive(Debug, Clone)]
pub struct DriverFiles {
    /// The common ancestor (`%O`).
    pub base: PathBuf,
    /// Our version, and where the result is written (`%A`).
    pub ours: PathBuf,
    /// Their version (`%B`).
    pub theirs: PathBuf,
    /// The path of the lockfile in the repository (`%P`).
    pub path: Option<PathBuf>,
}

/// The result of [`merge_files`].
#[derive(Debug, Clone)]
pub struct MergeDriverReport {
    /// The number of packages in the merged lockfile.
    pub packages: usize,
    /// The conflicts that are left.
    pub clashes: Vec<LockfileConflict>,
}

/// Merges three files, and overwrites the second with the result.
///
/// # Errors
/// If one of them cannot be read or is not a lockfile; the second is not changed then.
pub fn merge_files(context: &CommandContext<'_>, files: &DriverFiles) -> Result<MergeDriverReport> {
    let [base, ours, theirs] =
        [&files.base, &files.ours, &files.theirs].map(|file| context.dirs.cwd.join(file));
    let texts = [&base, &ours, &theirs].map(|file| disk::read_text(file));
    let [base_text, our_text, their_text] = texts;
    let our_text = our_text?;

    let project = find_project(context, files.path.as_deref())?;
    let lockfiles = (
        parse_side(base_text?, &base)?,
        parse_side(our_text.clone(), &ours)?,
        parse_side(their_text?, &theirs)?,
    );

    let sides = LockfileSides {
        base: &lockfiles.0,
        ours: &lockfiles.1,
        theirs: &lockfiles.2,
    };

    // The manifest may not be merged yet: git merges files in no particular order.
    let merged = merge_sides(context, project.as_ref(), sides, false);

    // Line endings stay those of our side, so that they cause no changed lines.
    let text = with_line_ends_of(our_text.as_deref().unwrap_or_default(), merged.to_text());
    disk::write_atomic(&ours, text.as_bytes())?;

    Ok(MergeDriverReport {
        packages: merged.lockfile.packages().len(),
        clashes: merged.conflicts,
    })
}

/// The project whose lockfile is merged: git runs its driver at the root of the work tree.
fn find_project(context: &CommandContext<'_>, path: Option<&Path>) -> Result<Option<Workspace>> {
    let dir = path.and_then(Path::parent).map_or_else(
        || context.dirs.cwd.clone(),
        |dir| context.dirs.cwd.join(dir),
    );
    // A lockfile without a manifest is still merged, from the two sides alone.
    if disk::lstat(&dir.join(manifest::FILE))?.is_none() {
        return Ok(None);
    }

    Ok(context.project_around(&dir).ok().flatten())
}

fn parse_side(text: Option<String>, file: &Path) -> Result<Lockfile> {
    match text {
        None => Err(Error::usage(format!("file `{}` not found", file.display()))),
        // A side without a lockfile counts as an empty one.
        Some(text) if text.trim().is_empty() => Ok(Lockfile::default()),
        Some(text) => Lockfile::parse(&text, &file.display().to_string()),
    }
}

/// Resolves a conflict in the project's lockfile; without one, does what `lock` does.
///
/// What the two sides leave open is resolved from the manifest and the sources, as for `lock`.
///
/// # Errors
/// As for [`sync`]; if the lockfile is invalid for another reason than a merge.
pub fn resolve_conflict(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
    options: SyncOptions,
) -> Result<SyncReport> {
    let mut project = lock_project(context, sort, None)?;

    let Some(conflict) = find_conflict(&project.workspace)? else {
        return sync(context, &project, &SyncRequest::default(), options);
    };

    if options.locked {
        return Err(Error::negative(format!(
            "the lock file `{}` has merge conflicts but --locked was passed",
            lockfile::FILE
        ))
        .help("run `skillpm lock --merge` without `--locked`"));
    }

    // Before anything is merged: the manifest decides, and must have no conflict itself.
    project
        .workspace
        .read_manifests(&|name| context.config.registry(name))?;

    let sides = LockfileSides {
        base: &conflict.base,
        ours: &conflict.ours,
        theirs: &conflict.theirs,
    };

    let merged = merge_sides(context, Some(&project.workspace), sides, true);
    // The merged text has no markers. `sync` resolves what it leaves open.
    let old = project.workspace.lock_text.take().unwrap_or_default();
    project.workspace.lock_text = Some(with_line_ends_of(&old, merged.lockfile.to_text()));
    sync(context, &project, &SyncRequest::default(), options)
}

/// The three versions of a lockfile in an unfinished merge.
struct UnmergedLockfile {
    base: Lockfile,
    ours: Lockfile,
    theirs: Lockfile,
}

/// The conflict in a project's lockfile, from git's index or else from the conflict markers; `None`
/// if the lockfile is valid.
fn find_conflict(workspace: &Workspace) -> Result<Option<UnmergedLockfile>> {
    let Some(text) = &workspace.lock_text else {
        return Ok(None);
    };

    let Err(fault) = Lockfile::parse(text, lockfile::FILE) else {
        return Ok(None);
    };

    if manifest::find_conflict_marker(text).is_none() {
        // Git sees no conflict where both sides have the same `packages` count.
        let ours = Lockfile::parse_uncounted(text, lockfile::FILE).map_err(|_| fault)?;
        return Ok(Some(UnmergedLockfile {
            base: ours.clone(),
            theirs: ours.clone(),
            ours,
        }));
    }

    // Git's index has both complete sides; the markers only have the parts that differ.
    if let Some(conflict) = staged_conflict(workspace)? {
        return Ok(Some(conflict));
    }

    let Some(sides) = merge::split_sides(text) else {
        return Err(fault.help(format!(
            "the conflict markers are incomplete; to restore them, run `git checkout -m {}`",
            lockfile::FILE
        )));
    };

    let side = |text: &str, which: &str| {
        Lockfile::parse_uncounted(text, &format!("{which} side of {}", lockfile::FILE))
    };
    let (ours, theirs) = (side(&sides.ours, "our")?, side(&sides.theirs, "their")?);

    let base = sides
        .base
        .and_then(|base| side(&base, "base").ok())
        .unwrap_or_default();

    Ok(Some(UnmergedLockfile { base, ours, theirs }))
}

/// The sides from git's index, which has them until the merge is committed or added.
fn staged_conflict(workspace: &Workspace) -> Result<Option<UnmergedLockfile>> {
    let Some(checkout) = GitCheckout::discover(&workspace.root)? else {
        return Ok(None);
    };
    let [base, ours, theirs] = checkout.conflict_stages(lockfile::FILE)?;

    let read =
        |text: Option<String>| text.and_then(|text| Lockfile::parse(&text, lockfile::FILE).ok());
    // After `git add` the index no longer has the sides.
    Ok(match (read(ours), read(theirs)) {
        (Some(ours), Some(theirs)) => Some(UnmergedLockfile {
            base: read(base).unwrap_or_default(),
            ours,
            theirs,
        }),
        _ => None,
    })
}

fn merge_sides(
    context: &CommandContext<'_>,
    project: Option<&Workspace>,
    sides: LockfileSides<'_>,
    is_final: bool,
) -> MergedLockfile {
    let (roots, patches) = project
        .and_then(|project| read_requirements(context, project).ok())
        .map_or((None, Vec::new()), |(roots, patches)| {
            (Some(roots), patches)
        });
    let requirements = needs_in_store(context, sides);

    merge::merge(
        sides,
        LockfileMergeContext {
            roots: roots.as_deref(),
            is_manifest_merged: is_final,
            patches: &patches,
            requirements: &requirements,
        },
    )
}

fn read_requirements(
    context: &CommandContext<'_>,
    project: &Workspace,
) -> Result<(Vec<RootDependency>, Vec<PatchEntry>)> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let roots = project.read_manifests(&registries)?.roots;
    Ok((
        roots,
        manifest::parse_patches(&project.manifest_text, manifest::FILE, &registries)?,
    ))
}

/// The requirements of the packages that have dependencies and are in the store.
fn needs_in_store(context: &CommandContext<'_>, sides: LockfileSides<'_>) -> KnownRequirements {
    let Ok(store) = Store::open(
        &context.dirs.skillpm_home,
        context.lock_timeout(),
        context.reporter,
    ) else {
        return KnownRequirements::new();
    };

    // A package without dependencies has no requirement to check, and is not read.
    let locked = sides
        .ours
        .packages()
        .iter()
        .chain(sides.theirs.packages())
        .filter(|locked| !locked.dependencies.is_empty());

    let by_checksum: BTreeMap<_, &LockedPackage> = locked
        .map(|locked| (locked.upstream_checksum(), locked))
        .collect();

    // Without its tree a package's requirements are not checked: git runs the merge, which must
    // work without a network.
    let mut known = KnownRequirements::new();
    for (checksum, locked) in by_checksum {
        let Ok(Some(tree)) = store.get(&checksum, context.reporter) else {
            continue;
        };
        if let Some(dependencies) = read_dependencies(context, locked, &tree) {
            let needs = dependencies
                .into_iter()
                .map(|needed| (needed.package, needed.req));
            known.insert(checksum, needs.collect());
        }
    }
    known
}

/// The dependencies of a package, of which only names and requirements are valid.
fn read_dependencies(
    context: &CommandContext<'_>,
    locked: &LockedPackage,
    tree: &Tree,
) -> Option<Vec<PackageDependency>> {
    let nowhere = |_: &str| Err(Error::negative("paths are not resolved while merging"));
    let describe_context = DescribeContext {
        place: locked.name.skill().as_str(),
        directory: locked.name.skill().as_str(),
        registries: &|name| context.config.registry(name),
        sibling: &|_| None,
        relative: &nowhere,
        shared: &|| Ok(None),
    };

    let described = describe_package(tree, &describe_context).ok()?;
    Some(described.dependencies)
}

//! Fetches packages into the store: from trees of this run, from the store itself, else from the
//! source. Checksums are verified in every case.

use std::collections::BTreeMap;

use super::CommandContext;
use super::patch_files::PatchFiles;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::Manifest;
use skillpm_core::package::{Checksum, SkillName, SourceId, Tree};
use skillpm_core::report::EventReporter;
use skillpm_core::skill::{self, SkillFormat, formats};
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::Workspace;

/// Fetches packages and applies patches to them.
#[derive(Clone, Copy)]
pub(super) struct PackageFetcher<'s, 'r> {
    pub(super) store: &'s Store,
    pub(super) sources: &'s PackageSources<'r>,
    pub(super) patch_files: &'s PatchFiles,
    pub(super) reporter: &'s dyn EventReporter,
}

/// Fetches the trees of `wanted`, as they are installed, by install name.
///
/// `trees` has the upstream trees that resolving has read already; they are added to the store. The
/// others come from the store, or from the sources, several in parallel.
pub(super) fn fetch(
    wanted: &[&LockedPackage],
    trees: &mut BTreeMap<Checksum, Tree>,
    fetcher: PackageFetcher<'_, '_>,
) -> Result<BTreeMap<SkillName, Tree>> {
    // Resolving has read these already: they are not fetched again.
    for tree in trees.values() {
        fetcher.store.put(tree)?;
    }

    let missing = take_from_store(wanted, trees, fetcher)?;
    restore_from_sources(&missing, trees, fetcher)?;

    let installed = wanted.iter().map(|package| {
        let tree = installed_tree(package, trees, fetcher)?;
        Ok((package.install_name().clone(), tree))
    });
    installed.collect()
}

/// Fetches the trees of locked packages, with the edits of the project, by install name.
///
/// # Errors
/// As [`fetch`], or if the store or a patch file cannot be read.
pub(super) fn fetch_locked(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
    packages: &[&LockedPackage],
) -> Result<BTreeMap<SkillName, Tree>> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let tools = context.tools()?;
    let sources = PackageSources::new(&tools, &workspace.root, &registries, context.reporter);
    let store = context.store()?;
    let patch_files = PatchFiles::read(&workspace.root, &manifest.edits)?;

    let fetcher = PackageFetcher {
        store: &store,
        sources: &sources,
        patch_files: &patch_files,
        reporter: context.reporter,
    };
    fetch(packages, &mut BTreeMap::new(), fetcher)
}

/// Adds the trees that the store has; returns the packages whose trees are missing, each tree once.
fn take_from_store<'p>(
    wanted: &[&'p LockedPackage],
    trees: &mut BTreeMap<Checksum, Tree>,
    fetcher: PackageFetcher<'_, '_>,
) -> Result<Vec<&'p LockedPackage>> {
    let PackageFetcher {
        store,
        sources,
        reporter,
        ..
    } = fetcher;

    let mut missing: Vec<&LockedPackage> = Vec::new();
    for &package in wanted {
        // The store also has edited skills as they are installed: then no source is needed.
        if package.patch.is_some()
            && let Some(tree) = store.get(&package.checksum, reporter)?
        {
            // Counts towards the memory limit of one command.
            trees.insert(package.checksum, sources.budget().charge(tree)?);
            continue;
        }

        let checksum = package.upstream_checksum();
        let is_missing = |other: &&LockedPackage| other.upstream_checksum() == checksum;
        if trees.contains_key(&checksum) || missing.iter().any(is_missing) {
            continue;
        }

        // A vendor directory is read each time, so that an edit in it is detected.
        let stored = match sources.vendor_directory(&package.source) {
            Some(_) => None,
            None => store.get(&checksum, reporter)?,
        };

        match stored {
            Some(tree) => {
                trees.insert(checksum, sources.budget().charge(tree)?);
            }
            None => missing.push(package),
        }
    }
    Ok(missing)
}

/// Fetches missing trees from their sources, checks them, and adds them to the store.
fn restore_from_sources(
    missing: &[&LockedPackage],
    trees: &mut BTreeMap<Checksum, Tree>,
    fetcher: PackageFetcher<'_, '_>,
) -> Result<()> {
    let sources = fetcher.sources;
    // All missing packages in one call, so that hosts are asked in parallel.
    for (package, tree) in missing.iter().zip(sources.restore(missing)) {
        let tree = tree.map_err(|error| match sources.vendor_directory(&package.source) {
            Some(_) => error,
            None => error.wrap(format!("failed to fetch `{}`", package.reference())),
        })?;

        // Checked before it enters the store: the lockfile decides.
        let checksum = package.upstream_checksum();
        check_checksum(package, &checksum, &Checksum::from_tree(&tree))?;
        check_name(package, &tree)?;
        fetcher.store.put(&tree)?;
        trees.insert(checksum, tree);
    }
    Ok(())
}

/// The tree of a package as it is installed: from `trees`, with its patch.
fn installed_tree(
    package: &LockedPackage,
    trees: &BTreeMap<Checksum, Tree>,
    fetcher: PackageFetcher<'_, '_>,
) -> Result<Tree> {
    if let Some(tree) = trees.get(&package.checksum) {
        return Ok(tree.clone());
    }

    let tree = trees
        .get(&package.upstream_checksum())
        .expect("every missing tree was fetched above");
    let installed = fetcher.patch_files.as_installed(tree, package)?;
    // The upstream tree was checked when it was fetched; this one is the patched tree.
    check_checksum(package, &package.checksum, &Checksum::from_tree(&installed))?;
    if package.patch.is_some() {
        // The base of a later merge.
        fetcher.store.put(&installed)?;
    }
    Ok(installed)
}

/// The locked package without its patch, as if it were installed from upstream unchanged.
pub(super) fn without_edits(package: &LockedPackage) -> LockedPackage {
    let upstream = package.upstream_checksum();
    if upstream == package.checksum && package.patch.is_none() {
        return package.clone();
    }
    LockedPackage {
        checksum: upstream,
        source_checksum: Some(upstream),
        patch: None,
        ..package.clone()
    }
}

/// Fetches a package as it is installed without the user's edits.
pub(super) fn fetch_without_edits(
    package: &LockedPackage,
    trees: &mut BTreeMap<Checksum, Tree>,
    fetcher: PackageFetcher<'_, '_>,
) -> Result<Tree> {
    let plain = without_edits(package);
    let tree = fetch(&[&plain], trees, fetcher)?
        .remove(plain.install_name())
        .expect("it was requested");
    as_installed(&tree, plain.install_name())
}

fn check_checksum(package: &LockedPackage, locked: &Checksum, found: &Checksum) -> Result<()> {
    if locked == found {
        return Ok(());
    }
    Err(Error::new(
        FailureKind::Integrity,
        format!(
            "checksum mismatch for `{}`: it is not the locked package",
            package.reference()
        ),
    )
    .note(format!("locked   {locked}"))
    .note(format!("fetched  {found}"))
    .help(format!(
        "nothing was installed; if the change is intended, run `skillpm update {}`",
        package.install_name()
    )))
}

/// Refuses a registry package whose skill has another name than the package: the checksum of its
/// index is only that of the installed files if the name is not rewritten.
fn check_name(package: &LockedPackage, tree: &Tree) -> Result<()> {
    let is_as_indexed =
        matches!(package.source, SourceId::Registry(_)) && package.source_checksum.is_none();

    if !is_as_indexed
        || Checksum::from_tree(&as_installed(tree, package.install_name())?) == package.checksum
    {
        return Ok(());
    }

    Err(Error::integrity(format!(
        "name mismatch in `{}`: its skill is not named `{}`",
        package.reference(),
        package.install_name()
    ))
    .help("nothing was installed; a registry package must have its skill's name: report it to the owners"))
}

/// The tree as it is installed under a name: with that name in its frontmatter. A skill of another
/// format is named by its directory, and is not changed.
pub(super) fn as_installed(tree: &Tree, name: &SkillName) -> Result<Tree> {
    let Some(source) = tree.get("SKILL.md") else {
        // Other formats are named by the directory: there is no name to write.
        return match formats::detect_format(&|path| tree.get(path).is_some()) {
            Some(SkillFormat::Nova) => Ok(tree.clone()),
            Some(_) => {
                refuse_underscores(name)?;
                Ok(tree.clone())
            }
            None => Err(Error::integrity(format!("missing `SKILL.md` in `{name}`"))),
        };
    };

    refuse_underscores(name)?;
    let own_name = skill::read(source, name.as_str())
        .skill
        .map(|skill| skill.name);
    if own_name.as_deref() == Some(name.as_str()) {
        return Ok(tree.clone());
    }

    let renamed = skill::rename_for_install(source, name)?;
    Ok(tree
        .clone()
        .with_file("SKILL.md", renamed)
        .expect("the tree has the file already"))
}

/// Refuses a name that only a skill of Nova may be installed under; for the others the specification has no underscores.
fn refuse_underscores(name: &SkillName) -> Result<()> {
    name.as_str().parse::<SkillName>().map(drop)
}

//! Into the store: from what was brought already, from the store itself, else from the source; checked in any case.

use std::collections::BTreeMap;

use super::patch_files::PatchFiles;
use crate::error::{Error, Kind, Result};
use crate::lockfile::Locked;
use crate::package::{Checksum, SkillName, SourceId, Tree};
use crate::report::Reporter;
use crate::skill::{self, formats};
use crate::sources::Sources;
use crate::store::Store;

/// Where packages are brought from, and what is done to them before they are installed.
#[derive(Clone, Copy)]
pub(super) struct Stock<'s, 'r> {
    pub(super) store: &'s Store,
    pub(super) sources: &'s Sources<'r>,
    pub(super) patch_files: &'s PatchFiles,
    pub(super) reporter: &'s dyn Reporter,
}

/// Brings the trees of `wanted` as they are installed, by install name.
///
/// `at_hand` has the trees, as their sources hold them, that solving brought along; they are kept in the store, and
/// what is not among them comes from there, or from the sources, several at once.
pub(super) fn fetch(
    wanted: &[&Locked],
    at_hand: &mut BTreeMap<Checksum, Tree>,
    stock: Stock<'_, '_>,
) -> Result<BTreeMap<SkillName, Tree>> {
    let Stock { store, sources, reporter, .. } = stock;
    for tree in at_hand.values() {
        store.put(tree)?;
    }
    let mut missing: Vec<&Locked> = Vec::new();
    for package in wanted {
        if package.patch.is_some()
            && let Some(tree) = store.get(&package.checksum, reporter)?
        {
            at_hand.insert(package.checksum, tree);
            continue;
        }
        let checksum = package.upstream();
        if at_hand.contains_key(&checksum) || missing.iter().any(|other| other.upstream() == checksum) {
            continue;
        }
        // What lies in a project in place of its source is read each time, so that an edit of it does not go unnoticed.
        let stored = match sources.vendored(&package.source) {
            Some(_) => None,
            None => store.get(&checksum, reporter)?,
        };
        match stored {
            Some(tree) => {
                at_hand.insert(checksum, tree);
            }
            None => missing.push(package),
        }
    }
    for (package, tree) in missing.iter().zip(sources.restore(&missing)) {
        let tree = tree.map_err(|error| match sources.vendored(&package.source) {
            Some(_) => error,
            None => error.wrap(format!("could not bring `{}`", package.reference())),
        })?;
        check(package, &package.upstream(), &Checksum::of(&tree))?;
        check_name(package, &tree)?;
        store.put(&tree)?;
        at_hand.insert(package.upstream(), tree);
    }
    wanted
        .iter()
        .map(|package| {
            if let Some(tree) = at_hand.get(&package.checksum) {
                return Ok((package.install_name().clone(), tree.clone()));
            }
            let tree = at_hand.get(&package.upstream()).expect("it was just brought");
            let installed = stock.patch_files.installed(tree, package)?;
            check(package, &package.checksum, &Checksum::of(&installed))?;
            if package.patch.is_some() {
                // What a later merge begins with.
                store.put(&installed)?;
            }
            Ok((package.install_name().clone(), installed))
        })
        .collect()
}

/// A package as its source holds it, as if it were installed like that.
pub(super) fn plain(package: &Locked) -> Locked {
    let upstream = package.upstream();
    if upstream == package.checksum && package.patch.is_none() {
        return package.clone();
    }
    Locked { checksum: upstream, source_checksum: Some(upstream), patch: None, ..package.clone() }
}

/// A package as it is installed without anybody's edits.
pub(super) fn fetch_plain(
    package: &Locked,
    at_hand: &mut BTreeMap<Checksum, Tree>,
    stock: Stock<'_, '_>,
) -> Result<Tree> {
    let plain = plain(package);
    let tree = fetch(&[&plain], at_hand, stock)?.remove(plain.install_name()).expect("it was asked for");
    as_installed(&tree, plain.install_name())
}

fn check(package: &Locked, locked: &Checksum, found: &Checksum) -> Result<()> {
    if locked == found {
        return Ok(());
    }
    Err(Error::new(Kind::Integrity, format!("`{}` is not the package that was locked", package.reference()))
        .note(format!("locked   {locked}"))
        .note(format!("fetched  {found}"))
        .help(format!(
            "nothing was installed; if its owner meant this, run `skillpm update {}`",
            package.install_name()
        )))
}

/// Refuses a registry's package whose skill is called otherwise than the package: it was locked by what its index says,
/// which is only right of one that is installed as it is.
fn check_name(package: &Locked, tree: &Tree) -> Result<()> {
    let is_as_told = matches!(package.source, SourceId::Registry(_)) && package.source_checksum.is_none();
    if !is_as_told || Checksum::of(&as_installed(tree, package.install_name())?) == package.checksum {
        return Ok(());
    }
    Err(Error::integrity(format!("the skill in `{}` is not called `{}`", package.reference(), package.install_name()))
        .help("nothing was installed; a registry's package has its skill's name: tell its owners"))
}

/// A tree as it is installed under a name: with that name in its frontmatter. A skill of another format goes by its
/// directory, and is installed as it is.
pub(super) fn as_installed(tree: &Tree, name: &SkillName) -> Result<Tree> {
    let Some(source) = tree.get("SKILL.md") else {
        return match formats::detect(&|path| tree.get(path).is_some()) {
            Some(_) => Ok(tree.clone()),
            None => Err(Error::integrity(format!("`{name}` has no `SKILL.md`"))),
        };
    };
    let reads_as = skill::read(source, name.as_str()).skill.map(|skill| skill.name);
    if reads_as.as_deref() == Some(name.as_str()) {
        return Ok(tree.clone());
    }
    let renamed = skill::rename(source, name)?;
    Ok(tree.clone().with_file("SKILL.md", renamed).expect("it was just read"))
}

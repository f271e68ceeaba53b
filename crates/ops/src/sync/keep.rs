//! Edits that are kept as patch files.
//!
//! | upstream | patch file | then |
//! |---|---|---|
//! | as locked | as locked | all stays |
//! | new | as locked | both are merged as an edit on disk is, and the file is written anew |
//! | any | another | it is applied as it is, or nothing is done |
//!
//! Where nothing of the edits is left, the file goes, and its line in `[edits]`.

use std::collections::BTreeMap;

use super::decide::Decided;
use super::edits::Merge;
use super::{Edits, Job, PatchOutcome, Patched};
use crate::error::Result;
use crate::lockfile::{Locked, Lockfile};
use crate::merge::patch::{changes, patch_file};
use crate::ops::fetch::{Stock, fetch_plain};
use crate::ops::patch_files::{PatchFile, default_path};
use crate::package::{Checksum, RelPath, SkillName, Tree};
use crate::report::Event;

/// What becomes of patch files, and of their lines in the manifest.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Their texts; with `None` one goes.
    pub(super) files: BTreeMap<RelPath, Option<String>>,
    /// The lines of `[edits]`; with `None` one goes.
    pub(super) lines: BTreeMap<SkillName, Option<RelPath>>,
    pub(super) patched: Vec<Patched>,
    pub(super) merges: Vec<Merge>,
}

impl Kept {
    fn tell(&mut self, name: &SkillName, path: &RelPath, outcome: PatchOutcome) {
        self.patched.push(Patched { name: name.clone(), path: path.clone(), outcome });
    }
}

impl Job<'_> {
    /// Puts the edits that are kept into what was decided.
    pub(super) fn keep_edits(&self, stock: Stock<'_, '_>, decided: &mut Decided) -> Result<()> {
        let has_patch = |package: &Locked| package.patch.is_some();
        if self.patch_files.is_empty()
            && self.wish.edits.is_empty()
            && !decided.lockfile.packages().iter().any(has_patch)
        {
            return Ok(());
        }
        self.follow_wishes(&mut decided.kept);
        let (mut packages, mut conflicts) = (decided.lockfile.packages().to_vec(), Vec::new());
        for package in &mut packages {
            match self.patch_files.get(package.install_name()) {
                Some(file) => self.keep(package, file, stock, decided, &mut conflicts)?,
                None if package.patch.is_some() => {
                    let tree = fetch_plain(package, &mut decided.at_hand, stock)?;
                    lock(package, &tree, None, &mut decided.at_hand);
                }
                None => {}
            }
        }
        decided.lockfile = Lockfile::new(packages);
        if !conflicts.is_empty() {
            return Err(self.in_conflict(&conflicts));
        }
        self.leave_unused(decided);
        Ok(())
    }

    fn follow_wishes(&self, kept: &mut Kept) {
        for (name, text) in &self.wish.edits {
            let known = self.manifest.edits.get(name).cloned();
            let path = known.clone().unwrap_or_else(|| default_path(name));
            let outcome = if text.is_some() { PatchOutcome::Written } else { PatchOutcome::Dropped };
            kept.tell(name, &path, outcome);
            kept.lines.insert(name.clone(), text.as_ref().map(|_| path.clone()));
            kept.files.insert(path, text.clone());
        }
    }

    fn keep(
        &self,
        package: &mut Locked,
        file: &PatchFile,
        stock: Stock<'_, '_>,
        decided: &mut Decided,
        conflicts: &mut Vec<(SkillName, crate::merge::Merged)>,
    ) -> Result<()> {
        let name = package.install_name().clone();
        let old = self.old.installed_as(&name).filter(|old| old.patch == Some(file.digest));
        if let Some(old) = old.filter(|old| old.upstream() == package.upstream()) {
            (package.checksum, package.source_checksum, package.patch) = (old.checksum, old.source_checksum, old.patch);
            return Ok(());
        }
        let theirs = fetch_plain(package, &mut decided.at_hand, stock)?;
        let Some(old) = old else {
            let tree = file.apply(&theirs)?;
            lock(package, &tree, Some(file), &mut decided.at_hand);
            return Ok(());
        };
        let base = fetch_plain(old, &mut decided.at_hand, stock)?;
        let merged = self.merged(&base, &file.apply(&base)?, &theirs)?;
        if merged.conflicts().next().is_some() && self.rules.edits == Edits::Stop {
            conflicts.push((name, merged));
            return Ok(());
        }
        record(package, (&theirs, &merged.tree), &file.path, decided);
        let place = std::path::Path::new(self.manifest.install.dir.as_str()).join(name.as_str());
        decided.kept.merges.push(Merge { name, place, files: merged.files });
        Ok(())
    }

    /// Keeps what a person's edits and upstream's changes became together.
    pub(super) fn keep_merged(
        &self,
        name: &SkillName,
        tree: &Tree,
        stock: Stock<'_, '_>,
        decided: &mut Decided,
    ) -> Result<()> {
        let mut packages = decided.lockfile.packages().to_vec();
        for package in packages.iter_mut().filter(|package| package.install_name() == name) {
            let theirs = fetch_plain(package, &mut decided.at_hand, stock)?;
            let path = self.patch_files.get(name).map_or_else(|| default_path(name), |file| file.path.clone());
            record(package, (&theirs, tree), &path, decided);
        }
        decided.lockfile = Lockfile::new(packages);
        Ok(())
    }

    /// Takes lines out of `[edits]` whose skills go with this command, and says of others that they are of no use.
    fn leave_unused(&self, decided: &mut Decided) {
        for (name, file) in self.patch_files.iter() {
            if decided.lockfile.installed_as(name).is_some() {
                continue;
            }
            if self.old.installed_as(name).is_some() {
                decided.kept.lines.insert(name.clone(), None);
                decided.kept.tell(name, &file.path, PatchOutcome::Unused);
            } else {
                self.reporter().report(Event::Warning {
                    message: format!(
                        "the edits of `{name}` in skillpm.toml are not used: nothing is installed under that name"
                    ),
                    help: Some("take the line out of `[edits]`".into()),
                });
            }
        }
    }
}

/// Locks a package as it is with edits, and writes them down; without any, its patch file goes.
fn record(package: &mut Locked, (theirs, tree): (&Tree, &Tree), path: &RelPath, decided: &mut Decided) {
    let name = package.install_name().clone();
    decided.kept.patched.retain(|patched| patched.name != name);
    if theirs == tree {
        decided.kept.lines.insert(name.clone(), None);
        decided.kept.files.insert(path.clone(), None);
        decided.kept.tell(&name, path, PatchOutcome::Upstreamed);
        return lock(package, tree, None, &mut decided.at_hand);
    }
    let file = PatchFile::new(path.clone(), text(package, (theirs, tree)));
    decided.kept.lines.insert(name.clone(), Some(path.clone()));
    decided.kept.files.insert(path.clone(), Some(file.text.clone()));
    decided.kept.tell(&name, path, PatchOutcome::Written);
    lock(package, tree, Some(&file), &mut decided.at_hand);
}

fn lock(package: &mut Locked, tree: &Tree, file: Option<&PatchFile>, at_hand: &mut BTreeMap<Checksum, Tree>) {
    let (upstream, checksum) = (package.upstream(), Checksum::of(tree));
    package.checksum = checksum;
    package.source_checksum = (checksum != upstream).then_some(upstream);
    package.patch = file.map(|file| file.digest);
    at_hand.insert(checksum, tree.clone());
}

/// The text of a patch file: what it is for, then the patch.
pub(in crate::ops) fn text(package: &Locked, (theirs, tree): (&Tree, &Tree)) -> String {
    let name = package.install_name();
    let title = format!(
        "Edits of the skill `{name}`, made to {}.\n\
         Written by `skillpm patch {name}`, and anew by each update.\n",
        package.revision(),
    );
    patch_file(&title, &changes(theirs, tree))
}

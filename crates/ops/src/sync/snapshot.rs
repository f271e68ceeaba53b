//! The installed skills as they are before a sync, and how they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::SyncInput;
use super::contents::TargetContents;
use crate::other_scope::OtherScope;
use crate::targets::{self, TargetDirectory};
use skillpm_core::error::{FailureKind, Result};
use skillpm_core::manifest::LinkMode;
use skillpm_core::package::{Checksum, SkillName};
use skillpm_core::skill::SkillFormat;
use skillpm_io::disk::{self, TreeStamp};
use skillpm_io::local_files::InstalledReader;
use skillpm_registry::install::plan::{
    ForceMode, InstallTarget, InstalledState, OnDisk, PackageConversion, TargetContent,
};
use skillpm_registry::install::state::{InstalledSkill, ProjectState};
use skillpm_registry::workspace::WorkspaceKind;

/// The installed skills before any change.
pub(super) struct InstalledSnapshot<'s> {
    pub(super) state: &'s ProjectState,
    pub(super) present: BTreeMap<InstallTarget, InstalledState>,
    pub(super) wanted: BTreeMap<InstallTarget, TargetContent>,
    /// The format in which the agents of a target read a skill, where that is known.
    pub(super) formats: BTreeMap<InstallTarget, SkillFormat>,
    pub(super) stamps: BTreeMap<InstallTarget, TreeStamp>,
}

/// What a target without a record is assumed to have been before: what the old lockfile says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GuessedBase {
    /// `None` if it is not known.
    pub(super) checksum: Option<Checksum>,
    pub(super) conversion: Option<PackageConversion>,
}

impl InstalledSnapshot<'_> {
    /// Whether a skill is installed in several targets with the same files, not as a link.
    pub(super) fn has_copies(&self, place: &InstallTarget) -> bool {
        let group = self.group_of(place);
        let is_copy = |(other, content): &(&InstallTarget, &TargetContent)| {
            content.tree().is_some() && self.group_of(other) == group
        };
        self.wanted.iter().filter(is_copy).count() > 1
    }

    /// The copies that a copy belongs to: those with the same files.
    pub(super) fn group_of(&self, place: &InstallTarget) -> CopyGroup {
        let present = self.present.get(place).and_then(|found| found.conversion);
        let converted_to = match self.wanted.get(place) {
            Some(content) if content.tree().is_some() => content.converted_to(),
            // A former copy, or one that becomes a link: what it was decides.
            _ => present.map(|conversion| conversion.to),
        };
        CopyGroup {
            name: place.name.clone(),
            converted_to,
        }
    }

    /// The checksum with the user's edits that the last command recorded for a target.
    pub(super) fn edited_checksum(&self, place: &InstallTarget) -> Option<Checksum> {
        self.state
            .installed_skill(&place.target, &place.name)?
            .edited
    }
}

/// The copies of a skill that have the same files, and so can have the same edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CopyGroup {
    pub(super) name: SkillName,
    /// The format that the package is converted to; `None` for the package as it is.
    pub(super) converted_to: Option<SkillFormat>,
}

impl CopyGroup {
    /// The copies of a skill with the package's own files.
    pub(super) fn of_package(name: SkillName) -> Self {
        CopyGroup {
            name,
            converted_to: None,
        }
    }
}

/// Reads the installed skills.
pub(super) struct SnapshotReader<'a> {
    pub(super) input: &'a SyncInput<'a>,
    pub(super) state: &'a ProjectState,
    /// The target directories; links in the others point to the first.
    pub(super) directories: &'a [TargetDirectory],
    pub(super) installed: InstalledReader<'a>,
}

impl<'a> SnapshotReader<'a> {
    /// Reads every relevant target, with its stamp from before reading. Targets with equal stamps
    /// are not read.
    pub(super) fn read_installed(
        &self,
        contents: TargetContents,
        locked: &BTreeMap<InstallTarget, GuessedBase>,
    ) -> Result<InstalledSnapshot<'a>> {
        let TargetContents { wanted, formats } = contents;
        let places = self.relevant_places(&wanted, locked);
        let others = OtherScope::read(
            self.input.context,
            self.input.workspace,
            places.iter().map(|place| place.target.as_path()),
        )?;

        let inspected =
            skillpm_io::run_parallel(2, &places, |place| self.read_place(place, &wanted, locked));

        let (mut present, mut stamps) = (BTreeMap::new(), BTreeMap::new());
        for (place, inspected) in places.into_iter().zip(inspected) {
            let (mut installed, stamp) = inspected?;
            installed.other_owner = others.owner(&place.target, &place.directory).cloned();
            stamps.extend(stamp.map(|stamp| (place.clone(), stamp)));
            present.insert(place, installed);
        }

        Ok(InstalledSnapshot {
            state: self.state,
            present,
            wanted,
            formats,
            stamps,
        })
    }

    /// The targets to install, those in the state, and those of the old lockfile: a state can be
    /// lost, and a lockfile can be older than the disk.
    fn relevant_places(
        &self,
        wanted: &BTreeMap<InstallTarget, TargetContent>,
        locked: &BTreeMap<InstallTarget, GuessedBase>,
    ) -> Vec<InstallTarget> {
        let mut places: BTreeSet<InstallTarget> = wanted.keys().cloned().collect();

        let own_targets = self
            .state
            .targets
            .iter()
            .filter(|(target, _)| self.may_own_target(target));
        for (target, skills) in own_targets {
            places.extend(skills.iter().map(|(name, record)| InstallTarget {
                target: target.clone(),
                directory: record.directory_of(name),
                name: name.clone(),
            }));
        }

        places.extend(locked.keys().cloned());
        places.into_iter().collect()
    }

    /// Whether a target in the state can belong to this project: it is in the manifest, or below
    /// the root.
    fn may_own_target(&self, target: &Path) -> bool {
        // A state could have any path: only targets of the project, or below it, are changed.
        let is_below = target
            .components()
            .all(|part| matches!(part, Component::Normal(_)));

        is_below
            || self
                .directories
                .iter()
                .any(|directory| directory.path == target)
            || self.input.workspace.kind == WorkspaceKind::Managed
    }

    fn read_place(
        &self,
        place: &InstallTarget,
        wanted: &BTreeMap<InstallTarget, TargetContent>,
        locked: &BTreeMap<InstallTarget, GuessedBase>,
    ) -> Result<(InstalledState, Option<TreeStamp>)> {
        let path = place.path(&self.input.workspace.root);
        let record = self.state.installed_skill(&place.target, &place.name);
        let guessed = locked.get(place).copied().unwrap_or_default();
        let record = match record.filter(|record| guessed.checksum != Some(record.checksum)) {
            Some(_) if self.is_as_locked(&path, guessed)? => None,
            _ => record,
        };
        let adopted = self.input.adopted_checksum(place);
        let expected = adopted
            .or(record.map(|record| record.checksum))
            .or(guessed.checksum);
        let wanted_tree = wanted.get(place).and_then(TargetContent::tree);
        let may_change = expected.is_none()
            || wanted_tree != expected
            || self.input.force_at(&place.name) != ForceMode::No;

        // Taken before reading: changes during the read must show later.
        let stamp = disk::stamp_tree(&path);
        let on_disk = match self.inspect_place(&path, record, expected) {
            // What cannot be read and need not change stops no other skill.
            Err(error) if error.kind() == FailureKind::Disk && !may_change => {
                OnDisk::Other(error.in_one_line())
            }
            inspected => inspected?,
        };
        let stamp = match stamp {
            Err(_) if matches!(on_disk, OnDisk::Other(_)) => None,
            stamp => stamp?,
        };

        // What another tool installed replaces the record, with the edits in it.
        let record = record.filter(|_| adopted.is_none());
        let is_link = matches!(on_disk, OnDisk::Link(_));

        let (base, link) = match (adopted, record) {
            // `import` knows what another tool installed; neither state nor lockfile does.
            (Some(adopted), _) => (Some(adopted), linked_path(&on_disk)),
            // The state takes precedence: the command that installed the skill wrote it.
            (None, Some(record)) => (Some(record.checksum), record.link.clone()),
            (None, None) => self.guess_record(place, guessed, &on_disk, wanted),
        };

        let state = InstalledState {
            base,
            conversion: known_conversion(record, guessed, base),
            last: record.and_then(|record| record.edited).or(base),
            link,
            is_dangling: is_link && disk::is_dangling(&path),
            on_disk,
            other_owner: None,
        };
        Ok((state, stamp))
    }

    /// Whether a skill is as the lockfile has it, which the state does not know: git has checked out another commit of both.
    fn is_as_locked(&self, path: &Path, guessed: GuessedBase) -> Result<bool> {
        let Some(locked) = guessed.checksum else {
            return Ok(false);
        };
        match inspect_installed(self.installed, path, Some(&locked)) {
            Ok(on_disk) => Ok(matches!(on_disk, OnDisk::Tree(found) if found == locked)),
            // Reported where it is read for the command.
            Err(error) if error.kind() == FailureKind::Disk => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn inspect_place(
        &self,
        path: &Path,
        record: Option<&InstalledSkill>,
        expected: Option<Checksum>,
    ) -> Result<OnDisk> {
        let is_link = disk::lstat(path)?.is_some_and(|meta| meta.is_symlink());
        // With an equal stamp the skill need not be read, except to restore its line ends, which no record has.
        let is_exact = self.input.options.force == ForceMode::Restore;
        let is_current =
            |record: &&InstalledSkill| !is_link && !is_exact && is_stamp_current(record, path);
        if let Some(record) = record.filter(is_current) {
            return Ok(OnDisk::Tree(record.checksum));
        }
        inspect_installed(self.installed, path, expected.as_ref())
    }

    /// The base and the link of a target without a record.
    fn guess_record(
        &self,
        place: &InstallTarget,
        guessed: GuessedBase,
        on_disk: &OnDisk,
        wanted: &BTreeMap<InstallTarget, TargetContent>,
    ) -> (Option<Checksum>, Option<PathBuf>) {
        // A new target: existing skills are the user's.
        if !self.is_guessed(&place.target) {
            return (None, None);
        }

        // A fresh clone, or a lost state: the locked content counts as installed.
        let is_link = matches!(on_disk, OnDisk::Link(_));
        let link = self.expected_link(place, wanted).filter(|_| is_link);
        (guessed.checksum, link)
    }

    /// Whether skills in a target without a record may be skillpm's.
    fn is_guessed(&self, target: &Path) -> bool {
        // If the state has other targets, skills in a new one are not known to be skillpm's.
        self.state.targets.is_empty() || self.state.targets.contains_key(target)
    }

    /// The link that skillpm makes in a target: a link to anything else is the user's.
    fn expected_link(
        &self,
        place: &InstallTarget,
        wanted: &BTreeMap<InstallTarget, TargetContent>,
    ) -> Option<PathBuf> {
        match wanted.get(place) {
            Some(TargetContent::Link(link)) => Some(link.clone()),
            // No longer wanted: the link that an earlier command would have made there.
            None if self.input.manifest.install.link == LinkMode::Symlink
                && place.target != self.directories[0].path =>
            {
                Some(targets::link_target(
                    &self.directories[0].path,
                    &place.target,
                    &place.name,
                ))
            }
            _ => None,
        }
    }
}

/// The conversion that a recorded copy is; `None` if it is a package as it is.
fn recorded_conversion(record: &InstalledSkill) -> Option<PackageConversion> {
    let (package, to) = record.package.zip(record.format)?;
    Some(PackageConversion { package, to })
}

/// The conversion that a copy is: as recorded, else as guessed for this base.
fn known_conversion(
    record: Option<&InstalledSkill>,
    guessed: GuessedBase,
    base: Option<Checksum>,
) -> Option<PackageConversion> {
    match record {
        Some(record) => recorded_conversion(record),
        None => guessed.conversion.filter(|_| base == guessed.checksum),
    }
}

fn linked_path(on_disk: &OnDisk) -> Option<PathBuf> {
    match on_disk {
        OnDisk::Link(link) => Some(link.clone()),
        _ => None,
    }
}

fn is_stamp_current(record: &InstalledSkill, path: &Path) -> bool {
    record
        .stamp
        .as_ref()
        .is_some_and(|stamp| stamp.is_current(path))
}

/// The content of the directory of an installed skill, where the package `base` was installed.
pub(crate) fn inspect_installed(
    installed: InstalledReader<'_>,
    path: &Path,
    base: Option<&Checksum>,
) -> Result<OnDisk> {
    if !disk::lstat(path)?.is_some_and(|meta| meta.is_dir()) {
        return inspect_path(path);
    }
    match installed.read(path, base) {
        // Only what stayed of a removed skill.
        Ok(found) if found.tree.is_empty() && !found.local.entries.is_empty() => {
            Ok(OnDisk::Nothing)
        }
        Ok(found) => Ok(OnDisk::Tree(Checksum::from_tree(&found.tree))),
        // A read error: whether the skill was edited is unknown.
        Err(error) if error.kind() == FailureKind::Disk => Err(error),
        Err(error) => Ok(OnDisk::Other(error.message().to_owned())),
    }
}

/// The content of a path, as a package with all that is in it.
pub(crate) fn inspect_path(path: &Path) -> Result<OnDisk> {
    Ok(match disk::lstat(path)? {
        None => OnDisk::Nothing,
        Some(meta) if meta.is_symlink() => OnDisk::Link(disk::read_link(path)?),
        Some(meta) if !meta.is_dir() => OnDisk::Other("a file".into()),
        Some(_) => match disk::read_tree(path) {
            Ok(tree) => OnDisk::Tree(Checksum::from_tree(&tree)),
            // A read error: whether the skill was edited is unknown.
            Err(error) if error.kind() == FailureKind::Disk => return Err(error),
            Err(error) => OnDisk::Other(error.message().to_owned()),
        },
    })
}

//! Skills that no tool claims: they are left unchanged, unless a registry has them byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::pin::{DiskStatus, PinnedSkill};
use super::read_foreign;
use super::records::ClaimRecords;
use super::survey::DirectorySurvey;
use crate::CommandContext;
use crate::add::caret_requirement;
use crate::sync::{PriorChanges, ProjectLock};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::edit::DependencyEntry;
use skillpm_core::package::{Checksum, PackageName, SkillName, SourceId, Tree};
use skillpm_io::disk;
use skillpm_io::local_files::LocalFiles;
use skillpm_registry::index::IndexEntry;
use skillpm_registry::install::plan::InstallTarget;
use skillpm_registry::install::transaction::Transaction;
use skillpm_registry::install::undo::{self, UndoContent, UndoStep};
use skillpm_registry::sources::PackageSources;
use skillpm_registry::workspace::Workspace;

/// A skill that no tool claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnclaimedSkill {
    /// The name of its directory.
    pub name: SkillName,
    /// Its directories, relative to the project.
    pub places: Vec<PathBuf>,
    /// The checksum of its files; `None` if its copies differ, or it is not a valid package.
    pub checksum: Option<Checksum>,
}

/// Finds the skills in agents' directories that no tool claims and skillpm has not installed, by
/// name.
pub(super) fn find_unclaimed(
    survey: &DirectorySurvey,
    records: &ClaimRecords,
    lock: &ProjectLock,
    named: bool,
) -> Result<Vec<UnclaimedSkill>> {
    let lockfile = lock.workspace.lockfile()?.unwrap_or_default();
    let mut found: BTreeMap<SkillName, Vec<usize>> = BTreeMap::new();
    for at in survey
        .dirs()
        .filter(|at| survey.is_for_agents(*at) && records.is_requested(*at, named))
    {
        for name in survey
            .names(at)
            .filter(|name| survey.is_real(at, name) && !records.has_claim(name))
        {
            // An invalid name cannot be installed.
            let Ok(name) = name.parse::<SkillName>() else {
                continue;
            };
            let is_skill =
                disk::lstat(&survey.path(at).join(name.as_str()).join("SKILL.md"))?.is_some();
            if is_skill && lockfile.installed_as(&name).is_none() {
                found.entry(name).or_default().push(at);
            }
        }
    }

    let unclaimed = found
        .into_iter()
        .map(|(name, dirs)| unclaimed_skill(survey, name, &dirs));
    Ok(unclaimed.collect())
}

fn unclaimed_skill(survey: &DirectorySurvey, name: SkillName, dirs: &[usize]) -> UnclaimedSkill {
    let checksum = |at: &usize| {
        read_foreign(&survey.path(*at).join(name.as_str()))
            .ok()
            .map(|tree| Checksum::from_tree(&tree))
    };
    let checksums: BTreeSet<Option<Checksum>> = dirs.iter().map(checksum).collect();
    let places = dirs
        .iter()
        .map(|at| survey.target(*at).join(name.as_str()))
        .collect();
    // Which of several different copies is the right one, only the user knows.
    let checksum = if checksums.len() == 1 {
        checksums.into_iter().next().flatten()
    } else {
        None
    };

    UnclaimedSkill {
        name,
        places,
        checksum,
    }
}

/// The directory that merged skills are moved to.
const GATHER_DIR: &str = "skills";

/// The merged skills, and the changes that were made for them.
pub(super) struct GatheredSkills {
    pub(super) pinned: Vec<PinnedSkill>,
    pub(super) made: PriorChanges,
}

/// Copies each skill into a directory of its own, which its copies are installed from.
///
/// It is a transaction of its own with an undo entry: the resolver has to find these directories.
pub(super) fn gather_copies(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    several: &[UnclaimedSkill],
) -> Result<GatheredSkills> {
    let state_dir = context.state_dir(workspace);
    let mut changes = Transaction::begin(&state_dir)?;
    let (mut pinned, mut steps) = (Vec::new(), Vec::new());

    for skill in several {
        let tree = gather_skill(&mut changes, &workspace.root, skill)?;

        let checksum = Checksum::from_tree(&tree);
        let after = UndoContent::Tree(checksum);
        // Nothing was there before, so `undo` removes it.
        let place = InstallTarget::new(GATHER_DIR.into(), skill.name.clone());
        let step = UndoStep::unchanged(&place, &UndoContent::Nothing);
        steps.push(UndoStep { after, ..step });
        pinned.push(pin_gathered(skill, checksum));
    }

    // An undo entry of its own: the sync reads these directories, so they are committed first.
    let (file, bytes) =
        undo::UndoEntry::new(context.command, context.now, steps.clone(), Vec::new())
            .to_file(&state_dir)?;
    changes.put_file(&file, &bytes)?;

    let directories = made_directories(&changes, &workspace.root);
    changes.commit()?;
    Ok(GatheredSkills {
        pinned,
        made: PriorChanges {
            file,
            steps,
            directories,
        },
    })
}

/// Copies one skill, of which all copies are equal, into its new directory.
fn gather_skill(changes: &mut Transaction, root: &Path, skill: &UnclaimedSkill) -> Result<Tree> {
    let destination = root.join(GATHER_DIR).join(skill.name.as_str());
    // Nothing is overwritten: the directory may be the source of another skill.
    if disk::lstat(&destination)?.is_some() {
        return Err(Error::negative(format!(
            "destination `{GATHER_DIR}/{}` already exists",
            skill.name
        ))
        .note("`--gather` would merge the copies of the skill there")
        .help("move it away, or omit `--gather`"));
    }

    let first = skill
        .places
        .first()
        .map_or(destination.as_path(), PathBuf::as_path);
    let tree = read_foreign(&root.join(first))?;
    changes.put_tree(&destination, &tree, None, &LocalFiles::default())?;
    Ok(tree)
}

/// The directories above the merged skills that a transaction created, relative to the project.
fn made_directories(changes: &Transaction, root: &Path) -> Vec<PathBuf> {
    let home = root.join(GATHER_DIR);
    changes
        .created_dirs()
        .iter()
        .filter(|made| home.starts_with(made))
        .filter_map(|made| Some(made.strip_prefix(root).ok()?.to_owned()))
        .collect()
}

/// Removes the directories that [`gather_copies`] made.
pub(super) fn remove_gathered(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    made: &PriorChanges,
) -> Result<()> {
    // A transaction as well: a kill here leaves the directories with their undo entry.
    let mut changes = Transaction::begin(&context.state_dir(workspace))?;
    for step in &made.steps {
        let path = workspace.root.join(step.path());
        changes.remove(&path, None, &LocalFiles::default())?;
    }
    changes.remove(&made.file, None, &LocalFiles::default())?;
    changes.commit()?;

    // The innermost first: the outer ones are empty only after that.
    made.directories
        .iter()
        .rev()
        .for_each(|dir| disk::remove_if_empty(&workspace.root.join(dir)));
    Ok(())
}

fn pin_gathered(skill: &UnclaimedSkill, checksum: Checksum) -> PinnedSkill {
    let path = format!("./{GATHER_DIR}/{}", skill.name);
    let locked = locked_package(skill, SourceId::from_path(&path), checksum);
    let entry = DependencyEntry {
        key: skill.name.to_string(),
        fields: vec![("path", path)],
        dev: false,
    };
    PinnedSkill {
        name: skill.name.clone(),
        tool: None,
        entry,
        locked,
        status: DiskStatus::Same,
        upstream: checksum,
    }
}

fn locked_package(skill: &UnclaimedSkill, source: SourceId, checksum: Checksum) -> LockedPackage {
    LockedPackage {
        // An unresolved reference makes the resolver read the dependencies.
        dependencies: vec![String::new()],
        ..LockedPackage::new(skill.name.clone().into(), source, checksum)
    }
}

/// The version of a registry with exactly the same files; `None` if no registry has one.
pub(super) fn find_in_registries(
    context: &CommandContext<'_>,
    sources: &PackageSources<'_>,
    skill: &UnclaimedSkill,
) -> Option<PinnedSkill> {
    let checksum = skill.checksum?;
    let registries = context.config.registries();
    // The default registry is searched even if no setting names it.
    let default = context.config.registry(None).ok();
    let urls: BTreeSet<String> = default.iter().chain(registries.values()).cloned().collect();

    for url in urls {
        // The manifest names a registry other than the default one.
        let is_default = Some(&url) == default.as_ref();
        let named = registries.iter().find(|(_, other)| **other == url);
        let registry = named.map(|(name, _)| name).filter(|_| !is_default);

        for entry in entries_with_content(sources, &url, skill, checksum) {
            if is_default || registry.is_some() {
                return Some(pin_entry(skill, &url, registry, &entry));
            }
        }
    }
    None
}

/// The newest version with exactly the files of a skill, of each package that a registry has under
/// its name.
fn entries_with_content(
    sources: &PackageSources<'_>,
    url: &str,
    skill: &UnclaimedSkill,
    checksum: Checksum,
) -> Vec<IndexEntry> {
    // A registry that cannot be reached is skipped: the skill stays unclaimed.
    let Ok(index) = sources.open_index(url) else {
        return Vec::new();
    };

    // Every scope: a copy on disk does not say whose package it is, its content does.
    let names: Vec<PackageName> = index
        .package_names()
        .into_iter()
        .filter(|name| *name.skill() == skill.name)
        .collect();

    index
        .lookup_all(&names)
        .into_iter()
        .flatten()
        .filter_map(|lookup| {
            let mut entries = lookup.entries.into_iter();
            entries.rfind(|entry| entry.cksum == checksum)
        })
        .collect()
}

/// Pins a skill to the version of a registry that has its files; `registry` is its name in the
/// settings, unless it is the default one.
fn pin_entry(
    skill: &UnclaimedSkill,
    url: &str,
    registry: Option<&String>,
    entry: &IndexEntry,
) -> PinnedSkill {
    let mut fields = vec![("version", caret_requirement(&entry.vers))];
    fields.extend(registry.map(|name| ("registry", name.clone())));

    let archive = entry
        .archive
        .as_ref()
        .and_then(|text| text.strip_prefix("sha256:")?.parse().ok());
    let locked = LockedPackage {
        name: entry.name.clone(),
        version: Some(entry.vers.clone()),
        archive,
        ..locked_package(skill, SourceId::Registry(url.to_owned()), entry.cksum)
    };

    PinnedSkill {
        name: skill.name.clone(),
        tool: None,
        entry: DependencyEntry {
            key: entry.name.to_string(),
            fields,
            dev: false,
        },
        locked,
        status: DiskStatus::Same,
        upstream: entry.cksum,
    }
}

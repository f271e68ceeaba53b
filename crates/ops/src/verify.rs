//! `verify`: compares every installed file with the lockfile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::outdated::changed_content;
use super::patch_files::{PatchFiles, default_path, unresolved_conflicts};
use super::sync::{convert_for_target, recorded_content};
use super::targets::TargetDirectory;
use super::withdrawn::{self, RevokedPackage};
use super::{CommandContext, fetch, targets};
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::LinkMode;
use skillpm_core::package::{Checksum, FileChange, RelPath, SkillName, SourceId, Tree, TreeDiff};
use skillpm_core::provenance::KeyFingerprint;
use skillpm_core::report::SilentReporter;
use skillpm_io::local_files::InstalledReader;
use skillpm_io::{disk, run_parallel, skills_dir};
use skillpm_merge::patch::diff_trees;
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceKind;

/// The difference of an installed skill from the lockfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillFault {
    /// It is not installed.
    Missing,
    /// Its files differ.
    Differs {
        /// Which ones, if the store still has the locked tree.
        files: Option<TreeDiff>,
        /// Those in which an update left conflict markers.
        conflicts: Vec<RelPath>,
    },
    /// It cannot be read as a package, with the reason.
    Unreadable(String),
}

/// An installed skill that differs from the lockfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillDeviation {
    /// Its directory, relative to the project.
    pub place: PathBuf,
    /// The difference.
    pub fault: SkillFault,
}

/// An installed skill with saved edits, as the lockfile has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedSkill {
    /// The skill.
    pub name: SkillName,
    /// The version or commit that the edits were made to.
    pub revision: String,
    /// The patch file with the edits.
    pub path: RelPath,
    /// Whether the patch file is the locked one.
    pub is_locked: bool,
    /// The edits; `None` if the patch file or the base is missing.
    pub changes: Option<Vec<FileChange>>,
}

/// A package whose source on this machine is no longer what was locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSource {
    /// Its install name.
    pub name: SkillName,
    /// The directory or archive, as in the lockfile.
    pub path: String,
}

/// An installed skill with other line ends than its package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConvertedSkill {
    /// Its directory, relative to the project.
    pub place: PathBuf,
    /// The files, relative to the directory.
    pub files: Vec<String>,
}

/// The result of [`verify`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// The number of checked skills.
    pub checked: usize,
    /// Skills that differ from the lockfile, by directory.
    pub deviations: Vec<SkillDeviation>,
    /// Skills with saved edits, by name.
    pub patched: Vec<PatchedSkill>,
    /// Packages that their registries have revoked, according to the cached indexes.
    pub revoked: Vec<RevokedPackage>,
    /// Packages whose directory or archive in the project was changed since it was locked, by name.
    pub changed_sources: Vec<ChangedSource>,
    /// What is in the directories of skills and not part of them, by path.
    pub local: Vec<PathBuf>,
    /// Skills with other line ends than their packages, by directory; they are no deviation.
    pub line_ends: Vec<ConvertedSkill>,
    /// Packages whose signature was verified when they were locked, by name, each with the key.
    pub signed: Vec<(SkillName, KeyFingerprint)>,
}

/// The installed copies of skills in the project around the current directory that differ from the lockfile, relative to the
/// project; none outside of a project.
///
/// # Errors
/// As [`verify`], but for a missing lockfile.
pub fn edited_copies(context: &CommandContext<'_>) -> Result<Vec<PathBuf>> {
    let project = context.project()?;
    if project.is_none_or(|workspace| workspace.lock_text.is_none()) {
        return Ok(Vec::new());
    }
    let deviations = verify(context, WorkspaceKind::Project)?.deviations;
    let edited = deviations
        .into_iter()
        .filter(|deviation| deviation.fault != SkillFault::Missing);
    Ok(edited.map(|deviation| deviation.place).collect())
}

/// Reads every installed file of a project and compares it with the lockfile.
///
/// # Errors
/// If there is no lockfile, or it or the manifest is invalid.
pub fn verify(context: &CommandContext<'_>, sort: WorkspaceKind) -> Result<VerifyReport> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    let lockfile = workspace.required_lockfile()?;

    let installation = Installation {
        context,
        root: &workspace.root,
        directories: targets::directories_with_readers(context, &workspace, &manifest)?,
        state: ProjectState::load(&context.state_dir(&workspace))?,
        store: OnceLock::new(),
        local: Mutex::default(),
        line_ends: Mutex::default(),
        link: manifest.install.link,
        patch_files: PatchFiles::read(&workspace.root, &manifest.edits)?,
    };
    let deviations = installation.find_deviations(&lockfile)?;
    let revoked = withdrawn::find_revoked(context, &workspace.root, lockfile.packages().iter())?;

    let mut verified = VerifyReport {
        checked: installation.count_places(&lockfile),
        deviations,
        revoked,
        changed_sources: find_changed_sources(context, &workspace.root, &lockfile)?,
        local: take_sorted(&installation.local),
        line_ends: take_sorted(&installation.line_ends),
        ..VerifyReport::default()
    };

    for package in lockfile.packages() {
        verified.signed.extend(
            package
                .signed_by
                .map(|key| (package.install_name().clone(), key)),
        );
        verified.patched.extend(explain_patch(
            context,
            package,
            &manifest.edits,
            &installation.patch_files,
        )?);
    }
    Ok(verified)
}

fn find_changed_sources(
    context: &CommandContext<'_>,
    root: &Path,
    lockfile: &Lockfile,
) -> Result<Vec<ChangedSource>> {
    let packages = lockfile.packages().iter();
    let mut local = packages.filter_map(|locked| match &locked.source {
        SourceId::Path(path) | SourceId::Archive(path) => Some((locked, path)),
        _ => None,
    });
    let Some(first) = local.next() else {
        return Ok(Vec::new());
    };

    let tools = context.offline_tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, root, &registries, &SilentReporter);
    let is_changed = |locked: &LockedPackage| {
        // A copy without its source is what was locked; `install` reports the missing source.
        let present = sources.local_content(&locked.source).ok().flatten();
        present.is_some_and(|present| changed_content(locked, present).is_some())
    };
    Ok(std::iter::once(first)
        .chain(local)
        .filter(|(locked, _)| is_changed(locked))
        .map(|(locked, path)| ChangedSource {
            name: locked.install_name().clone(),
            path: path.clone(),
        })
        .collect())
}

/// The targets of a project, and how skills are in them.
struct Installation<'a> {
    context: &'a CommandContext<'a>,
    root: &'a Path,
    /// The main directory first.
    directories: Vec<TargetDirectory>,
    /// Says what was converted, without the packages.
    state: ProjectState,
    link: LinkMode,
    patch_files: PatchFiles,
    /// Opened when it is first needed; `None` if it cannot be.
    store: OnceLock<Option<Store>>,
    local: Mutex<Vec<PathBuf>>,
    line_ends: Mutex<Vec<ConvertedSkill>>,
}

impl Installation<'_> {
    /// Reads a copy of a package, and records what else is in its directory, and which line ends differ.
    fn read_copy(&self, path: &Path, package: &Checksum) -> Result<Tree> {
        let stored = |checksum: &Checksum| {
            let store = self
                .store
                .get_or_init(|| self.context.store().ok())
                .as_ref()?;
            store.get(checksum, self.context.reporter).ok()?
        };
        let found = InstalledReader::new(self.root, &stored).read(path, Some(package))?;

        let shown = path.strip_prefix(self.root).unwrap_or(path);
        let own = found.local.entries.iter().map(|own| shown.join(own));
        self.local
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(own);
        if !found.local.line_ends.is_empty() {
            let converted = ConvertedSkill {
                place: shown.to_owned(),
                files: found.local.line_ends.into_keys().collect(),
            };
            self.line_ends
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(converted);
        }
        Ok(found.tree)
    }

    fn count_places(&self, lockfile: &Lockfile) -> usize {
        let names = || lockfile.packages().iter().map(LockedPackage::install_name);
        let places = self
            .directories
            .iter()
            .flat_map(|dir| names().filter(|name| !dir.hides(name)));
        places.count()
    }

    /// Compares every package in every target with the lockfile; the result is sorted by place.
    fn find_deviations(&self, lockfile: &Lockfile) -> Result<Vec<SkillDeviation>> {
        let places: Vec<(&TargetDirectory, &LockedPackage)> = self
            .directories
            .iter()
            .flat_map(|dir| lockfile.packages().iter().map(move |locked| (dir, locked)))
            .filter(|(dir, locked)| !dir.hides(locked.install_name()))
            .collect();
        let faults = run_parallel(2, &places, |(dir, locked)| self.check_place(dir, locked));

        let mut deviations = Vec::new();
        for ((dir, locked), fault) in places.into_iter().zip(faults) {
            if let Some(fault) = fault? {
                deviations.push(SkillDeviation {
                    place: dir
                        .path
                        .join(dir.directory_of(locked.install_name()).as_str()),
                    fault,
                });
            }
        }
        deviations.sort_by(|a, b| a.place.cmp(&b.place));
        Ok(deviations)
    }

    fn check_place(
        &self,
        dir: &TargetDirectory,
        locked: &LockedPackage,
    ) -> Result<Option<SkillFault>> {
        let name = locked.install_name();
        let path = self
            .root
            .join(&dir.path)
            .join(dir.directory_of(name).as_str());
        let expected = match self.expected_copy(dir, locked)? {
            Ok(expected) => expected,
            Err(_) if disk::lstat(&path)?.is_none() => return Ok(Some(SkillFault::Missing)),
            Err(fault) => return Ok(Some(fault)),
        };

        // With `link = "symlink"` further targets are links, without files of their own, except
        // for converted skills.
        let main = &self.directories[0];
        if self.link == LinkMode::Symlink
            && dir.path != main.path
            && !expected.is_converted
            && self
                .expected_copy(main, locked)?
                .is_ok_and(|main| !main.is_converted)
        {
            return check_link(&path, &targets::link_target(&main.path, &dir.path, name));
        }
        self.check_skill(&path, dir, locked, expected)
    }

    /// What a target should have of a package: the package, or its conversion. The state knows, or
    /// else the files of the package say so.
    fn expected_copy(
        &self,
        dir: &TargetDirectory,
        locked: &LockedPackage,
    ) -> Result<Result<ExpectedCopy, SkillFault>> {
        let as_locked = ExpectedCopy {
            checksum: locked.checksum,
            is_converted: false,
        };
        if dir.readers.is_empty() {
            return Ok(Ok(as_locked));
        }
        if let Some((content, _)) = recorded_content(&self.state, dir, locked) {
            return Ok(Ok(ExpectedCopy {
                checksum: content.tree().unwrap_or(locked.checksum),
                is_converted: content.converted_to().is_some(),
            }));
        }

        let Some(tree) = self.read_package(locked)? else {
            let why = "its package is not in the store, so that it cannot be compared";
            return Ok(Err(SkillFault::Unreadable(why.into())));
        };
        Ok(match convert_for_target(dir, locked, &tree) {
            Ok(Some(converted)) => Ok(ExpectedCopy {
                checksum: Checksum::from_tree(&converted),
                is_converted: true,
            }),
            Ok(None) => Ok(as_locked),
            Err(error) => Err(SkillFault::Unreadable(error.in_one_line())),
        })
    }

    /// The files of a package: of an unedited copy, else from the store.
    fn read_package(&self, locked: &LockedPackage) -> Result<Option<Tree>> {
        for dir in &self.directories {
            let path = self
                .root
                .join(&dir.path)
                .join(dir.directory_of(locked.install_name()).as_str());
            if disk::lstat(&path)?.is_some_and(|meta| meta.is_dir())
                && let Ok(tree) = self.read_copy(&path, &locked.checksum)
                && Checksum::from_tree(&tree) == locked.checksum
            {
                return Ok(Some(tree));
            }
        }

        // A missing patch file is reported by `explain_patch`.
        let stored = self.patch_files.installed_from_store(
            locked,
            &self.context.store()?,
            self.context.reporter,
        );
        Ok(stored.ok().flatten())
    }

    fn check_skill(
        &self,
        place: &Path,
        dir: &TargetDirectory,
        locked: &LockedPackage,
        expected: ExpectedCopy,
    ) -> Result<Option<SkillFault>> {
        match disk::lstat(place)? {
            None => return Ok(Some(SkillFault::Missing)),
            // Not followed: a link is no copy of the files, wherever it leads.
            Some(meta) if !meta.is_dir() => {
                return Ok(Some(SkillFault::Unreadable("not a directory".into())));
            }
            Some(_) => {}
        }

        let found = match self.read_copy(place, &expected.checksum) {
            Ok(found) => found,
            // One skill that cannot be read must not hide the state of the others.
            Err(error) => return Ok(Some(SkillFault::Unreadable(error.in_one_line()))),
        };
        if found.is_empty() {
            return Ok(Some(SkillFault::Missing));
        }
        if Checksum::from_tree(&found) == expected.checksum {
            return Ok(None);
        }

        let installed = self.read_package(locked)?;
        let installed = match installed {
            Some(tree) if expected.is_converted => {
                convert_for_target(dir, locked, &tree).ok().flatten()
            }
            as_locked => as_locked,
        };
        let conflicts = match &installed {
            Some(installed) => unresolved_conflicts(installed, &found),
            None => unresolved_conflicts(&Tree::default(), &found),
        };
        Ok(Some(SkillFault::Differs {
            files: installed.map(|tree| tree.diff(&found)),
            conflicts,
        }))
    }
}

fn take_sorted<T: Ord>(found: &Mutex<Vec<T>>) -> Vec<T> {
    let mut found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    found.sort_unstable();
    found.dedup();
    found
}

/// What a target should have of a package.
#[derive(Clone, Copy)]
struct ExpectedCopy {
    checksum: Checksum,
    /// Whether it is the package in another format.
    is_converted: bool,
}

fn check_link(place: &Path, target: &Path) -> Result<Option<SkillFault>> {
    Ok(match disk::lstat(place)? {
        None => Some(SkillFault::Missing),
        Some(meta) if meta.is_symlink() && disk::read_link(place)? == target => {
            let broken_link =
                || SkillFault::Unreadable(format!("broken link to `{}`", target.display()));
            skills_dir::followed_kind(place).is_none().then(broken_link)
        }
        Some(_) => Some(SkillFault::Unreadable(format!(
            "not a link to `{}`, which the manifest requires",
            target.display()
        ))),
    })
}

/// The saved edits of a package; `None` if it has none, and none are locked.
fn explain_patch(
    context: &CommandContext<'_>,
    package: &LockedPackage,
    edits: &BTreeMap<SkillName, RelPath>,
    patch_files: &PatchFiles,
) -> Result<Option<PatchedSkill>> {
    let name = package.install_name();
    let file = patch_files.get(name);

    // With only one of the two, the report shows that they differ.
    if package.patch.is_none() && file.is_none() {
        return Ok(None);
    }

    let path = edits
        .get(name)
        .cloned()
        .unwrap_or_else(|| default_path(name));
    let is_locked = file.map(|file| file.digest) == package.patch;
    // From the store only: `verify` makes no request.
    let plain = context
        .store()?
        .get(&package.upstream_checksum(), context.reporter)?;
    // Only for the locked patch file: another one says nothing about the installed files.
    let changes = match plain
        .filter(|_| is_locked)
        .map(|tree| fetch::as_installed(&tree, name))
    {
        Some(Ok(plain)) => {
            let patched = file.map_or(Ok(plain.clone()), |file| file.apply(&plain))?;
            Some(diff_trees(&plain, &patched))
        }
        _ => None,
    };

    Ok(Some(PatchedSkill {
        name: name.clone(),
        revision: package.revision(),
        path,
        is_locked,
        changes,
    }))
}

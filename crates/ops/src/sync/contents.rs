//! The wanted content of each target: a package as it is, a link to the main copy, or the package
//! in the format that the target's agents read.
//!
//! | agents of the target | package | content |
//! |---|---|---|
//! | none of `targets` | any | as it is |
//! | one reads the package's format | any | as it is, or a link |
//! | Nova | `SKILL.md` | converted |
//! | readers of `SKILL.md` | Nova's | converted |
//! | Devai | without code | refused |
//! | others | Devai's | refused: they cannot make the call that it describes |

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::SyncInput;
use super::planned::UpstreamTrees;
use super::resolution::LockResolution;
use super::snapshot::{GuessedBase, InstalledSnapshot};
use crate::fetch::{self, PackageFetcher};
use crate::targets::{self, TargetDirectory, TargetReader};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::LinkMode;
use skillpm_core::package::{Checksum, SkillName, Tree};
use skillpm_core::skill::SkillFormat;
use skillpm_core::skill::formats::convert::{convert_installed, has_format};
use skillpm_io::disk;
use skillpm_io::local_files::InstalledReader;
use skillpm_registry::install::plan::{
    InstallTarget, PackageConversion, Plan, PlanAction, TargetContent,
};
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::store::Store;

/// The wanted content of all targets.
#[derive(Default)]
pub(super) struct TargetContents {
    pub(super) wanted: BTreeMap<InstallTarget, TargetContent>,
    /// The format in which the target's agents read the skill, where that is known.
    pub(super) formats: BTreeMap<InstallTarget, SkillFormat>,
}

/// Decides the content of targets.
pub(super) struct ContentPlanner<'a> {
    pub(super) input: &'a SyncInput<'a>,
    pub(super) state: &'a ProjectState,
    /// The main directory first.
    pub(super) directories: &'a [TargetDirectory],
    pub(super) installed: InstalledReader<'a>,
}

impl ContentPlanner<'_> {
    /// The content of every target of the resolved packages. Packages are read only where the
    /// state does not know what became of them.
    pub(super) fn plan_contents(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        resolution: &mut LockResolution,
    ) -> Result<TargetContents> {
        let trees = self.read_unknown_packages(fetcher, resolution)?;
        let mut contents = TargetContents::default();
        let mut failures = Vec::new();

        for directory in self.directories {
            let mut owners: HashMap<SkillName, SkillName> = HashMap::new();
            for package in resolution.lockfile.packages() {
                // What its agents must not see is not there: they read their directory themselves.
                if directory.hides(package.install_name()) {
                    continue;
                }
                let place = place_of(directory, package);
                if let Some(owner) = owners.get(&place.directory) {
                    failures.extend(refuse_shared_directory(directory, &place, owner));
                }
                match self.decide_content(directory, package, trees.get(&place.name)) {
                    Ok((content, format)) => {
                        contents
                            .formats
                            .extend(format.map(|format| (place.clone(), format)));
                        owners.insert(place.directory.clone(), place.name.clone());
                        contents.wanted.insert(place, content);
                    }
                    Err(failure) => failures.push(failure),
                }
            }
        }

        // All refusals in one error: the user can resolve them at once.
        refuse_failures(failures)?;
        self.link_copies(&mut contents.wanted);
        Ok(contents)
    }

    /// The trees of the packages with a target whose content the state does not know, by name.
    fn read_unknown_packages(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        resolution: &mut LockResolution,
    ) -> Result<BTreeMap<SkillName, Tree>> {
        let mut trees = BTreeMap::new();
        let mut missing: Vec<LockedPackage> = Vec::new();

        for package in resolution.lockfile.packages() {
            let is_unknown = |directory: &TargetDirectory| {
                !directory.readers.is_empty()
                    && !directory.hides(package.install_name())
                    && recorded_content(self.state, directory, package).is_none()
            };
            if !self.directories.iter().any(is_unknown) {
                continue;
            }

            // A copy that is as locked saves the source, which may be out of reach.
            match self.read_unedited_copy(package) {
                Some(tree) => {
                    trees.insert(package.install_name().clone(), tree);
                }
                None => missing.push(package.clone()),
            }
        }

        let missing: Vec<&LockedPackage> = missing.iter().collect();
        if !missing.is_empty() {
            trees.extend(fetch::fetch(
                &missing,
                &mut resolution.fetched_trees,
                fetcher,
            )?);
        }
        Ok(trees)
    }

    fn read_unedited_copy(&self, package: &LockedPackage) -> Option<Tree> {
        self.directories.iter().find_map(|directory| {
            let path = place_of(directory, package).path(&self.input.workspace.root);
            read_unedited(self.installed, &path, package)
        })
    }

    /// The content of one target, with the format in which it is read.
    fn decide_content(
        &self,
        directory: &TargetDirectory,
        package: &LockedPackage,
        tree: Option<&Tree>,
    ) -> Result<(TargetContent, Option<SkillFormat>), ConversionFailure> {
        if directory.readers.is_empty() {
            return Ok((TargetContent::Tree(package.checksum), None));
        }
        if let Some((content, format)) = recorded_content(self.state, directory, package) {
            return Ok((content, Some(format)));
        }

        let tree = tree.expect("it is read where the state does not know the content");
        let (format, converted) = convert_for(&directory.readers, package, tree)?;
        let content = converted_content(package, format, converted.as_ref());
        Ok((content, Some(format)))
    }

    /// With `link = "symlink"`, makes further copies links to the main one. Converted ones stay
    /// copies: the main one has other files.
    fn link_copies(&self, wanted: &mut BTreeMap<InstallTarget, TargetContent>) {
        if self.input.manifest.install.link != LinkMode::Symlink {
            return;
        }

        let main = &self.directories[0].path;
        let is_plain =
            |content: Option<&TargetContent>| matches!(content, Some(TargetContent::Tree(_)));
        let linked: Vec<InstallTarget> = wanted
            .keys()
            .filter(|place| place.target != *main && is_plain(wanted.get(place)))
            .filter(|place| {
                let main_copy = InstallTarget::new(main.clone(), place.name.clone());
                is_plain(wanted.get(&main_copy))
            })
            .cloned()
            .collect();

        for place in linked {
            let target = targets::link_target(main, &place.target, &place.name);
            wanted.insert(place, TargetContent::Link(target));
        }
    }

    /// What was installed in each target by the old lockfile, as far as that can be known without
    /// the state.
    pub(super) fn guess_bases(
        &self,
        contents: &TargetContents,
        resolved: &Lockfile,
        store: &Store,
    ) -> BTreeMap<InstallTarget, GuessedBase> {
        let mut bases = BTreeMap::new();
        for directory in self.directories {
            for old in self.input.old.packages() {
                let place = place_of(directory, old);
                let same = resolved
                    .installed_as(&place.name)
                    .filter(|new| new.checksum == old.checksum)
                    .and_then(|_| contents.wanted.get(&place));
                let base = match same {
                    _ if directory.readers.is_empty() => {
                        GuessedBase::from_content(&place, old, None)
                    }
                    Some(content) => GuessedBase::from_content(&place, old, Some(content)),
                    None => self.guess_base(directory, &place, old, store),
                };
                bases.insert(place, base);
            }
        }
        bases
    }

    /// The content of another version of a package. Without its tree it is unknown, so that a copy
    /// is taken for the user's.
    fn guess_base(
        &self,
        directory: &TargetDirectory,
        place: &InstallTarget,
        old: &LockedPackage,
        store: &Store,
    ) -> GuessedBase {
        // The record decides, if there is one.
        if self
            .state
            .installed_skill(&place.target, &place.name)
            .is_some()
        {
            return GuessedBase::from_content(place, old, None);
        }

        let installed = self
            .input
            .patch_files
            .installed_from_store(old, store, self.input.reporter())
            .ok()
            .flatten();
        let converted = installed.and_then(|tree| convert_for(&directory.readers, old, &tree).ok());
        match converted {
            Some((format, converted)) => GuessedBase::from_content(
                place,
                old,
                Some(&converted_content(old, format, converted.as_ref())),
            ),
            None => GuessedBase::default(),
        }
    }
}

/// Converts the fetched packages for the targets that a plan changes.
pub(super) fn convert_fetched(
    plan: &Plan,
    before: &mut InstalledSnapshot<'_>,
    locked: BTreeMap<SkillName, Tree>,
    lockfile: &Lockfile,
) -> Result<UpstreamTrees> {
    let mut upstream = UpstreamTrees {
        locked,
        converted: BTreeMap::new(),
    };
    for (place, content) in &mut before.wanted {
        let (TargetContent::Converted(_, conversion), Some(tree), Some(package)) = (
            &*content,
            upstream.locked.get(&place.name),
            lockfile.installed_as(&place.name),
        ) else {
            continue;
        };

        let to = conversion.to;
        if let Some(converted) = convert_to(package, tree, to)? {
            // The record may be of an older skillpm, which converted differently.
            if plan.get(place).is_some_and(PlanAction::writes_package) {
                *content = converted_content(package, to, Some(&converted));
            }
            upstream.converted.insert(place.clone(), converted);
        }
    }
    Ok(upstream)
}

impl GuessedBase {
    /// The base that is `content`, or else the package as it is.
    fn from_content(
        place: &InstallTarget,
        old: &LockedPackage,
        content: Option<&TargetContent>,
    ) -> Self {
        debug_assert_eq!(place.name, *old.install_name());
        match content {
            Some(TargetContent::Converted(checksum, conversion)) => GuessedBase {
                checksum: Some(*checksum),
                conversion: Some(*conversion),
            },
            _ => GuessedBase {
                checksum: Some(old.checksum),
                conversion: None,
            },
        }
    }
}

/// A package that the agents of a target could not use.
struct ConversionFailure {
    name: SkillName,
    reader: TargetReader,
    error: Error,
}

/// The content that an earlier command installed of the same package for the same agents, and the
/// format in which they read it.
pub(crate) fn recorded_content(
    state: &ProjectState,
    directory: &TargetDirectory,
    package: &LockedPackage,
) -> Option<(TargetContent, SkillFormat)> {
    let record = state.installed_skill(&directory.path, package.install_name())?;
    let format = record.format?;

    let is_read = directory
        .readers
        .iter()
        .any(|reader| reader.format == format);
    // A link has no files of its own: the main copy decides.
    if !is_read || record.link.is_some() || record.package_checksum() != package.checksum {
        return None;
    }

    let content = match record.package {
        Some(package) => TargetContent::Converted(
            record.checksum,
            PackageConversion {
                package,
                to: format,
            },
        ),
        None => TargetContent::Tree(record.checksum),
    };
    Some((content, format))
}

/// A package converted for the agents of a target; `None` if it is installed there as it is.
///
/// # Errors
/// If none of them could use it.
pub(crate) fn convert_for_target(
    directory: &TargetDirectory,
    package: &LockedPackage,
    tree: &Tree,
) -> Result<Option<Tree>> {
    if directory.readers.is_empty() {
        return Ok(None);
    }
    match convert_for(&directory.readers, package, tree) {
        Ok((_, converted)) => Ok(converted),
        Err(failure) => Err(failure.error),
    }
}

/// Refuses a converted copy in the directory of another skill.
fn refuse_shared_directory(
    directory: &TargetDirectory,
    place: &InstallTarget,
    owner: &SkillName,
) -> Option<ConversionFailure> {
    let path = place.path(Path::new(""));
    Some(ConversionFailure {
        name: place.name.clone(),
        reader: directory.readers.first()?.clone(),
        error: Error::negative(format!(
            "`{}` is the directory of `{owner}` as well",
            path.display(),
        ))
        .help("install one of them under another name: `skillpm add … --as NAME`"),
    })
}

/// The files of an installed copy; `None` if they are not those of the package.
fn read_unedited(
    installed: InstalledReader<'_>,
    path: &Path,
    package: &LockedPackage,
) -> Option<Tree> {
    if !disk::lstat(path).ok()??.is_dir() {
        return None;
    }
    let found = installed.read(path, Some(&package.checksum)).ok()?;
    Some(found.tree).filter(|tree| Checksum::from_tree(tree) == package.checksum)
}

fn place_of(directory: &TargetDirectory, package: &LockedPackage) -> InstallTarget {
    let name = package.install_name();
    InstallTarget {
        target: directory.path.clone(),
        directory: directory.directory_of(name),
        name: name.clone(),
    }
}

/// The content that a package, converted or as it is, makes of a target.
pub(super) fn converted_content(
    package: &LockedPackage,
    to: SkillFormat,
    converted: Option<&Tree>,
) -> TargetContent {
    let conversion = PackageConversion {
        package: package.checksum,
        to,
    };
    match converted {
        Some(tree) => TargetContent::Converted(Checksum::from_tree(tree), conversion),
        None => TargetContent::Tree(package.checksum),
    }
}

/// Converts a package to one format; `None` if it has that format already.
pub(super) fn convert_to(
    package: &LockedPackage,
    tree: &Tree,
    to: SkillFormat,
) -> Result<Option<Tree>> {
    let version = package.version.as_ref().map(ToString::to_string);
    convert_installed(tree, package.install_name(), to, version.as_deref())
}

/// The format in which one of the agents reads a package, and the package converted to it where
/// that is needed.
fn convert_for(
    readers: &[TargetReader],
    package: &LockedPackage,
    tree: &Tree,
) -> Result<(SkillFormat, Option<Tree>), ConversionFailure> {
    // Two agents may share a directory, and each of them passes over the other's skills.
    if let Some(reader) = readers
        .iter()
        .find(|reader| has_format(tree, reader.format))
    {
        return Ok((reader.format, None));
    }

    let mut failure = None;
    for reader in readers {
        match convert_to(package, tree, reader.format) {
            Ok(converted) => return Ok((reader.format, converted)),
            Err(error) => {
                failure.get_or_insert(ConversionFailure {
                    name: package.install_name().clone(),
                    reader: reader.clone(),
                    error,
                });
            }
        }
    }
    Err(failure.expect("a directory without readers is not converted for"))
}

/// One error for all packages that cannot be converted for the agent of the first.
fn refuse_failures(failures: Vec<ConversionFailure>) -> Result<()> {
    let Some(first) = failures.first() else {
        return Ok(());
    };
    let agent = first.reader.id.clone();
    let names: Vec<String> = failures
        .iter()
        .filter(|failure| failure.reader.id == agent)
        .map(|failure| format!("`{}`", failure.name))
        .collect();

    let message = format!(
        "failed to convert {} for target `{agent}`",
        names.join(", ")
    );
    let denied = first.name.clone();
    let first = failures.into_iter().next().expect("there is a first");
    Err(first
        .error
        .wrap(message)
        .note("nothing was installed")
        .help(format!(
            "or remove `{agent}` from `targets` under `[install]`; `deny = [\"{denied}\"]` under \
             `[catalog.agents.{agent}]` keeps the skill out of this target alone"
        )))
}

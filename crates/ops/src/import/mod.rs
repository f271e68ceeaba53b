//! `import`: adopts skills that other tools have installed, in the directories where they are.
//!
//! ```text
//! survey      the directories that agents read, and the skills in them
//! records     the files of other tools                               files       → claims
//! pin         the commit that each skill is from, and its edits      claims      → PinnedSkill
//! unclaimed   skills that no tool claims
//! ops::sync   manifest entries, targets, installation                PinnedSkill → SyncRequest
//! ```
//!
//! The installed skills keep their bytes, and the other tools' files stay unless their removal is
//! requested.

mod pin;
mod records;
mod survey;
mod unclaimed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::add::note_detected;
use super::agents::{self, AgentChooser, DetectedManifest};
use super::sync::{
    AdoptedSkills, PriorChanges, ProjectLock, SyncOptions, SyncReport, SyncRequest, lock_project,
    sync_with,
};
use super::targets;
use crate::foreign::{self, ForeignTool};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::edit::{self, DependencyEntry};
use skillpm_core::package::{Checksum, RelPath, SkillName, SourceId, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk;
use skillpm_io::local_files::InstalledReader;
use skillpm_registry::install::plan::OnDisk;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

pub use pin::DiskStatus;
use pin::{ClaimPinner, PinError, PinnedSkill};
use records::{ClaimRecords, LocatedClaim};
use survey::DirectorySurvey;
pub use unclaimed::UnclaimedSkill;

/// Options of [`import`].
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ImportOptions {
    /// Files of other tools, or directories with such files or with skills; empty for all known
    /// ones.
    pub files: Vec<PathBuf>,
    /// Skips skills that cannot be fetched, instead of failing.
    pub keep_going: bool,
    /// Removes the other tools' files.
    pub remove_old: bool,
    /// Merges equal copies of an unclaimed skill into one local source.
    pub gather: bool,
    /// Whether a new project gets the agents that are used in it as targets.
    pub detect: bool,
    /// Which project: the one around the current directory, or the user's own skills.
    pub sort: WorkspaceKind,
    /// How far the sync goes.
    pub sync_options: SyncOptions,
}

/// A skill that was imported.
#[derive(Debug, Clone)]
pub struct ImportedSkill {
    /// Its locked package.
    pub package: LockedPackage,
    /// The tool that had installed it; `None` for an unclaimed skill.
    pub tool: Option<ForeignTool>,
    /// How the files on disk compare with the package.
    pub status: DiskStatus,
    /// Its directories, relative to the project.
    pub places: Vec<PathBuf>,
}

/// A skill that was not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedClaim {
    /// Its name, or the source if the names are unknown.
    pub name: String,
    /// The tool that claims it.
    pub tool: ForeignTool,
    /// Why it was not imported.
    pub reason: String,
    /// How to fix that.
    pub help: Option<String>,
}

/// A file of another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldFile {
    /// Its path, relative to the project.
    pub path: PathBuf,
    /// The tool that wrote it.
    pub tool: ForeignTool,
    /// Whether it was removed.
    pub removed: bool,
    /// Its other entries, for which it is still needed: `1 hook`.
    pub others: Vec<String>,
}

/// The result of [`import`].
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    /// The imported skills, by name.
    pub taken: Vec<ImportedSkill>,
    /// Claimed skills that were imported before.
    pub already: Vec<SkillName>,
    /// Claimed skills that were not imported.
    pub skipped: Vec<SkippedClaim>,
    /// Skills that no tool claims, which are left unchanged.
    pub unclaimed: Vec<UnclaimedSkill>,
    /// The other tools' files.
    pub files: Vec<OldFile>,
    /// The result of the sync.
    pub synced: SyncReport,
}

/// Imports the skills that other tools have installed; `choose` asks which of the detected agents
/// become targets.
///
/// # Errors
/// If a file of another tool is invalid, a source cannot be reached, or a destination exists; then
/// nothing was changed.
pub fn import(
    context: &CommandContext<'_>,
    options: &ImportOptions,
    choose: AgentChooser<'_>,
) -> Result<ImportReport> {
    let lock = lock_project(context, options.sort, Some(&records::find_root(context)))?;
    let workspace = &lock.workspace;
    // An import may add targets, which are set at the root.
    if let Some(member) = &workspace.member {
        return Err(Error::usage(format!(
            "cannot import in workspace member `{member}`: skills are imported in the workspace root"
        ))
        .help(format!("`skillpm -C {} import`", workspace.root.display())));
    }

    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    // Local files are read first: an invalid one fails before any source is fetched.
    let survey = DirectorySurvey::from_workspace(context, workspace, &manifest)?;
    let records = ClaimRecords::read_all(context, workspace, &survey, &options.files)?;
    let tools = context.tools()?;
    let sources = PackageSources::new(&tools, &workspace.root, &registries, context.reporter);

    // From here on sources are asked.
    let run = ImportRun {
        context,
        options,
        choose,
        lock: &lock,
        survey: &survey,
        records: &records,
    };
    run.run(&sources)
}

struct ImportRun<'j> {
    context: &'j CommandContext<'j>,
    options: &'j ImportOptions,
    choose: AgentChooser<'j>,
    lock: &'j ProjectLock,
    survey: &'j DirectorySurvey,
    records: &'j ClaimRecords,
}

impl ImportRun<'_> {
    fn run(&self, sources: &PackageSources<'_>) -> Result<ImportReport> {
        let mut imported = ImportReport::default();
        let mut pinned = self.pin_claims(sources, &mut imported)?;

        // An unclaimed skill is imported if a registry has it byte for byte.
        for skill in unclaimed::find_unclaimed(
            self.survey,
            self.records,
            self.lock,
            !self.options.files.is_empty(),
        )? {
            match unclaimed::find_in_registries(self.context, sources, &skill) {
                Some(known) => pinned.push(known),
                None => imported.unclaimed.push(skill),
            }
        }

        let gathered = if self.options.gather && !self.options.sync_options.dry_run {
            self.gather_copies(&mut imported)?
        } else {
            None
        };
        let Some(gathered) = gathered else {
            return self.finish(sources, imported, pinned, None);
        };

        pinned.extend(gathered.pinned);
        let finished = self.finish(sources, imported, pinned, Some(gathered.made.clone()));
        if finished.is_err() {
            // The first error is reported; if this fails too, `undo` removes the directories.
            drop(unclaimed::remove_gathered(
                self.context,
                &self.lock.workspace,
                &gathered.made,
            ));
        }
        finished
    }

    /// Merges the copies of each unclaimed skill that has several equal ones.
    fn gather_copies(
        &self,
        imported: &mut ImportReport,
    ) -> Result<Option<unclaimed::GatheredSkills>> {
        let has_equal_copies =
            |skill: &UnclaimedSkill| skill.checksum.is_some() && skill.places.len() > 1;
        let (several, others): (Vec<_>, Vec<_>) = std::mem::take(&mut imported.unclaimed)
            .into_iter()
            .partition(has_equal_copies);
        imported.unclaimed = others;

        // Without any there is no transaction, and no directory is made.
        if several.is_empty() {
            Ok(None)
        } else {
            unclaimed::gather_copies(self.context, &self.lock.workspace, &several).map(Some)
        }
    }

    /// Writes manifest entries and targets, and syncs.
    fn finish(
        &self,
        sources: &PackageSources<'_>,
        mut imported: ImportReport,
        pinned: Vec<PinnedSkill>,
        made: Option<PriorChanges>,
    ) -> Result<ImportReport> {
        // Nothing is written before the sync: until then an error leaves the project as it was.
        let DetectedManifest {
            text,
            targets: detected,
        } = self.manifest_text(&pinned)?;
        let directories = self.target_directories(&text)?;
        // With the new manifest: skills in its new targets are adopted, too.
        let adopted = self.find_adopted(&pinned, &imported, &directories)?;
        let removed_files = self.list_old_files(&pinned, &mut imported);

        let is_new = !self.lock.workspace.exists;
        // A manifest that does not exist yet is written even if its text would not change.
        let changes = text != self.lock.workspace.edited_text()? || is_new && !pinned.is_empty();
        let request = SyncRequest {
            manifest_text: changes.then_some(text),
            adopted: AdoptedSkills {
                gone: removed_files,
                made,
                ..adopted
            },
            ..SyncRequest::default()
        };

        imported.synced = self
            .sync_changes(sources, &request)
            .map_err(|error| note_detected(error, &detected))?;
        imported.synced.detected = detected;
        imported.taken = pinned
            .into_iter()
            .map(|pinned| self.describe_imported(pinned))
            .collect();
        Ok(imported)
    }

    fn sync_changes(
        &self,
        sources: &PackageSources<'_>,
        request: &SyncRequest,
    ) -> Result<SyncReport> {
        let workspace = &self.lock.workspace;
        let options = self.options.sync_options;
        let is_unchanged = request.manifest_text.is_none()
            && request.adopted.places.is_empty()
            && request.adopted.gone.is_empty();

        // Without changes there is nothing to sync.
        if is_unchanged {
            let lockfile = workspace.lockfile()?.unwrap_or_default();
            return Ok(SyncReport {
                up_to_date: true,
                dry_run: options.dry_run,
                packages: lockfile.packages().len(),
                ..SyncReport::default()
            });
        }

        let synced = sync_with(self.context, self.lock, sources, request, options)?;
        if !workspace.exists && !options.dry_run {
            self.context.reporter.report(ProgressEvent::Done {
                verb: "Created",
                what: workspace.manifest_path().display().to_string(),
            });
        }
        Ok(synced)
    }

    fn describe_imported(&self, pinned: PinnedSkill) -> ImportedSkill {
        let name = pinned.name.as_str();
        ImportedSkill {
            places: self
                .survey
                .dirs_with(name)
                .map(|dir| dir.join(name))
                .collect(),
            tool: pinned.tool,
            status: pinned.status,
            package: pinned.locked,
        }
    }

    /// Finds the package of each claim; adds those that were imported before, and those that cannot
    /// be, to the report.
    fn pin_claims(
        &self,
        sources: &PackageSources<'_>,
        imported: &mut ImportReport,
    ) -> Result<Vec<PinnedSkill>> {
        let pinner = ClaimPinner {
            workspace: &self.lock.workspace,
            sources,
            survey: self.survey,
        };
        let lockfile = self.lock.workspace.lockfile()?.unwrap_or_default();
        let mut all = Vec::new();

        for claimed in self.records.claims() {
            let name = match claim_name(claimed) {
                Ok(name) => name,
                Err(left) => {
                    imported.skipped.push(left);
                    continue;
                }
            };

            if let Some(locked) = lockfile.installed_as(&name) {
                // A second import finds the skills of the first one.
                if self.is_same_source(claimed, locked) {
                    imported.already.push(name);
                } else if claimed.claim.tool != ForeignTool::Gh {
                    // What `gh skill` recorded may have come with the locked skill.
                    let reason = "`skillpm.toml` has another skill of that name";
                    imported.skipped.push(skip_claim(claimed, reason, None));
                }
                continue;
            }

            match self.pin_claim(&pinner, claimed, &name)? {
                Ok(found) => all.push(found),
                Err(skipped) => imported.skipped.push(skipped),
            }
        }

        Ok(all)
    }

    /// Finds the package of a claim, or why it is skipped.
    fn pin_claim(
        &self,
        pinner: &ClaimPinner<'_, '_>,
        claimed: &LocatedClaim,
        name: &SkillName,
    ) -> Result<Result<PinnedSkill, SkippedClaim>> {
        match pinner.pin(claimed, name) {
            Ok(found) => Ok(Ok(found)),
            // Asking again would give the same answer, so that it does not stop the others.
            Err(PinError::Refused { reason, help }) => Ok(Err(skip_claim(claimed, &reason, help))),
            Err(PinError::Failed(error)) if self.options.keep_going => {
                let help = error.helps().first().cloned();
                Ok(Err(skip_claim(claimed, error.message(), help)))
            }
            Err(PinError::Failed(error)) => {
                let error = error.wrap(format!(
                    "failed to import `{name}` of {}",
                    claimed.claim.tool
                ));
                Err(error.help("`--keep-going` imports the others and skips it"))
            }
        }
    }

    /// Whether a claim has the same source as the package that is locked under its name.
    fn is_same_source(&self, claimed: &LocatedClaim, locked: &LockedPackage) -> bool {
        match &claimed.claim.origin {
            // Of one server, the skill has to be the same, too.
            Ok(foreign::ClaimOrigin::ClawHub { name, .. }) => {
                matches!(locked.source, SourceId::ClawHub(_)) && locked.name.skill() == name.skill()
            }
            Ok(origin) => pin::claim_source(origin, claimed, &self.lock.workspace)
                .is_some_and(|own| own.is_same_location(&locked.source)),
            Err(_) => false,
        }
    }

    /// The manifest with the imported skills, and its install directories.
    fn manifest_text(&self, pinned: &[PinnedSkill]) -> Result<DetectedManifest> {
        let workspace = &self.lock.workspace;
        let entries: Vec<DependencyEntry> =
            pinned.iter().map(|pinned| pinned.entry.clone()).collect();
        let mut text = if entries.is_empty() {
            workspace.edited_text()?
        } else {
            edit::set_dependencies(&workspace.edited_text()?, &entries)?
        };

        if !pinned.is_empty() {
            text = self.with_targets(text, pinned)?;
            // Beside the directories that have the skills, those of agents that do not see them yet.
            if self.options.detect && !self.options.sync_options.locked {
                return agents::detect_targets(self.context, workspace, text, self.choose);
            }
        }

        Ok(DetectedManifest {
            text,
            targets: Vec::new(),
        })
    }

    /// The install directories of a manifest.
    fn target_directories(&self, text: &str) -> Result<Vec<PathBuf>> {
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let next = self.lock.workspace.with_edited_text(text);
        targets::directories(self.context, &next, &next.manifest(&registries)?)
    }

    /// Sets the directories that have the skills as the install directories of the manifest.
    fn with_targets(&self, mut text: String, pinned: &[PinnedSkill]) -> Result<String> {
        // An existing manifest keeps its `dir` and `link`; only a new one is adapted.
        let is_fresh = !text.contains("[install]") && self.lock.workspace.lock_text.is_none();
        let is_project = self.lock.workspace.kind == WorkspaceKind::Project;
        let layout = SkillLayout::new(self.survey, pinned);
        let mut main = self.survey.main();

        // All skills are in other directories: the one with most becomes the main one.
        if is_fresh
            && is_project
            && !layout.used.contains(&main)
            && let Some(other) = layout.fullest_dir()
        {
            let dir = self.survey.target(other).to_string_lossy();
            text = edit::set_install_value(&text, "dir", dir.parse::<RelPath>()?.as_str())?;
            main = other;
        }

        for target in self.agents_to_add(&layout, main) {
            text = edit::add_target(&text, target)?;
        }

        // If all other directories have links, as from `npx skills`, the project keeps using links.
        if is_fresh && layout.has_only_links_beside(main) {
            text = edit::set_install_value(&text, "link", "symlink")?;
        }
        Ok(text)
    }

    /// The agents whose directories become targets beside the main one.
    fn agents_to_add(&self, layout: &SkillLayout<'_>, main: usize) -> Vec<&str> {
        let mut agents: Vec<&str> = layout
            .others(main)
            .filter_map(|at| self.survey.agent(at))
            .collect();
        // A directory that is a link to the main one stays a link.
        agents.extend(self.survey.linked_agents(main));
        agents.extend(self.records.targets());

        let mut seen = BTreeSet::new();
        // Each once, and without the agent whose directory is now the main one.
        agents.retain(|agent| seen.insert(*agent) && Some(*agent) != self.survey.agent(main));
        agents
    }

    /// The imported skills that exist in the install directories, each with its merge base.
    fn find_adopted(
        &self,
        pinned: &[PinnedSkill],
        imported: &ImportReport,
        directories: &[PathBuf],
    ) -> Result<AdoptedSkills> {
        let mut places = BTreeMap::new();
        for pinned in pinned {
            self.warn_of_copies_outside(&pinned.name, directories);

            for target in directories {
                let path = self.lock.workspace.root.join(target);
                let installed = InstalledReader::new(&path, &|_| None);
                let place = path.join(pinned.name.as_str());
                match super::sync::inspect_installed(installed, &place, None)? {
                    OnDisk::Nothing => {}
                    found => {
                        let base = pinned.merge_base(&found, self.options.remove_old);
                        places.insert((target.clone(), pinned.name.clone()), base);
                    }
                }
            }
        }

        if self.options.remove_old {
            places.extend(self.find_marked(&imported.already, directories)?);
        }

        let packages = pinned
            .iter()
            .filter(|pinned| pinned.is_resolver_pin())
            .map(|pinned| pinned.locked.clone())
            .collect();
        Ok(AdoptedSkills {
            packages,
            places,
            ..AdoptedSkills::default()
        })
    }

    fn warn_of_copies_outside(&self, name: &SkillName, directories: &[PathBuf]) {
        let outside = self
            .survey
            .dirs_with(name.as_str())
            .filter(|dir| !directories.iter().any(|known| known == dir));
        // A copy outside of the targets is not changed, and never updated.
        for dir in outside {
            let path = dir.join(name.as_str());
            let message = format!(
                "`{}` is not in an install directory; it is left unchanged",
                path.display()
            );
            self.context.reporter.report(ProgressEvent::Warning {
                message,
                help: None,
            });
        }
    }

    /// Skills of an earlier import that differ from the locked files only by the other tool's
    /// files.
    fn find_marked(
        &self,
        names: &[SkillName],
        directories: &[PathBuf],
    ) -> Result<BTreeMap<(PathBuf, SkillName), Checksum>> {
        let lockfile = self.lock.workspace.lockfile()?.unwrap_or_default();
        let store = self.context.store()?;
        let mut marked = BTreeMap::new();
        for name in names {
            let Some(locked) = lockfile.installed_as(name) else {
                continue;
            };
            for target in directories {
                let path = self.lock.workspace.root.join(target).join(name.as_str());
                if disk::lstat(&path)?.is_none_or(|meta| !meta.is_dir()) {
                    continue;
                }

                let tree = read_foreign(&path)?;
                let mut plain = pin::strip_marks(&tree)?;
                // Without the package in the store the tool's changes stay, as edits.
                if let Some(package) = store.get(&locked.checksum, self.context.reporter)? {
                    plain = foreign::undo_gh_changes(&plain, &package);
                }
                // Only by what the tool added, so no edit of the user is lost.
                if plain != tree && Checksum::from_tree(&plain) == locked.checksum {
                    marked.insert((target.clone(), name.clone()), Checksum::from_tree(&tree));
                }
            }
        }

        Ok(marked)
    }

    /// Lists the other tools' files in the report; returns those to remove.
    fn list_old_files(&self, pinned: &[PinnedSkill], imported: &mut ImportReport) -> Vec<PathBuf> {
        let done: BTreeSet<&str> = pinned
            .iter()
            .map(|pinned| pinned.name.as_str())
            .chain(imported.already.iter().map(SkillName::as_str))
            .collect();

        let mut removed_files = Vec::new();
        for file in self.records.files() {
            // Every skill in it is imported, and it has no other entries.
            let is_obsolete = |other: &&records::RecordFile| {
                other.others.is_empty()
                    && other.names.iter().all(|name| {
                        name.as_ref()
                            .is_some_and(|name| done.contains(name.as_str()))
                    })
            };

            // The files of one tool in one directory are removed together or not at all.
            let same_tool = self.records.files().filter(|other| {
                other.tool == file.tool && other.path.parent() == file.path.parent()
            });

            let removed = self.options.remove_old
                && same_tool.clone().count() == same_tool.filter(is_obsolete).count();
            if removed {
                removed_files.push(file.path.clone());
            }

            let (path, tool, others) = (file.path.clone(), file.tool, file.others.clone());
            imported.files.push(OldFile {
                path,
                tool,
                removed,
                others,
            });
        }
        removed_files
    }
}

/// In which directories the imported skills are. A directory is its position in the survey.
struct SkillLayout<'a> {
    survey: &'a DirectorySurvey,
    names: BTreeSet<&'a str>,
    /// The directories with any of them.
    used: Vec<usize>,
}

impl<'a> SkillLayout<'a> {
    fn new(survey: &'a DirectorySurvey, pinned: &'a [PinnedSkill]) -> Self {
        let names: BTreeSet<&str> = pinned.iter().map(|pinned| pinned.name.as_str()).collect();
        let used = survey
            .dirs()
            .filter(|at| names.iter().any(|name| survey.has_entry(*at, name)))
            .collect();
        SkillLayout {
            survey,
            names,
            used,
        }
    }

    fn others(&self, main: usize) -> impl Iterator<Item = usize> {
        self.used.iter().copied().filter(move |at| *at != main)
    }

    /// The directory with most of the skills as files; `None` if there are only links.
    fn fullest_dir(&self) -> Option<usize> {
        // Of equals the first in the survey, so that the choice is the same on each machine.
        let fullest = self
            .used
            .iter()
            .copied()
            .max_by_key(|at| (self.count_real(*at), std::cmp::Reverse(*at)));
        fullest.filter(|at| self.count_real(*at) > 0)
    }

    fn count_real(&self, at: usize) -> usize {
        let is_real = |name: &&&str| self.survey.is_real(at, name);
        self.names.iter().filter(is_real).count()
    }

    /// Whether there are other directories than the main one, and all of them have links.
    fn has_only_links_beside(&self, main: usize) -> bool {
        self.others(main).count() > 0 && self.others(main).all(|at| self.count_real(at) == 0)
    }
}

/// The install name of a claimed skill.
fn claim_name(claimed: &LocatedClaim) -> Result<SkillName, SkippedClaim> {
    let Some(name) = &claimed.claim.name else {
        let source = match &claimed.claim.origin {
            Ok(foreign::ClaimOrigin::Git { url, reference, .. }) => match reference {
                Some(reference) => format!("{url}#{reference}"),
                None => url.to_string(),
            },
            Ok(foreign::ClaimOrigin::Site(site)) => site.to_spec(),
            Ok(foreign::ClaimOrigin::Path(path)) => path.clone(),
            Ok(foreign::ClaimOrigin::ClawHub { name, .. }) => format!("clawhub:{name}"),
            Err(why) => why.clone(),
        };
        return Err(SkippedClaim {
            help: Some(format!("`skillpm add {source} --all` adds all of them")),
            name: source,
            tool: claimed.claim.tool,
            reason: "unknown skill names: no lockfile lists the skills of this source".into(),
        });
    };

    name.parse().map_err(|error: Error| {
        skip_claim(claimed, error.message(), error.helps().first().cloned())
    })
}

fn skip_claim(claimed: &LocatedClaim, reason: &str, help: Option<String>) -> SkippedClaim {
    let name = claimed.claim.name.clone().unwrap_or_default();
    SkippedClaim {
        name,
        tool: claimed.claim.tool,
        reason: reason.to_owned(),
        help,
    }
}

/// A path relative to the project's root; a path outside of it is unchanged.
fn relative_to_root(workspace: &Workspace, path: &Path) -> PathBuf {
    path.strip_prefix(&workspace.root)
        .unwrap_or(path)
        .to_owned()
}

/// Reads a skill that another tool installed, of which no package is known.
fn read_foreign(dir: &Path) -> Result<Tree> {
    let found = InstalledReader::new(dir, &|_| None).read(dir, None)?;
    Ok(found.tree)
}

//! The directories that skills are discovered in, and the project's rules about which agent sees
//! them.

use std::path::{Path, PathBuf};

use super::super::{CommandContext, agents};
use super::CatalogOptions;
use skillpm_catalog::catalog::{DiscoveredSkills, SkillCandidate, Tier};
use skillpm_catalog::tiers::{self, DiscoveryCache, InspectScope, TierInputs, TierRoot};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::Lockfile;
use skillpm_core::manifest::{CatalogRules, DEFAULT_DIR, Manifest};
use skillpm_core::package::SkillName;
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::formats::{self, DESCRIPTOR_MAX, container};
use skillpm_io::{disk, skills_dir};
use skillpm_registry::bundled;
use skillpm_registry::install::target::{SHARED_DIR, directories};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The roots, cache, rules and lockfiles of one catalog run.
pub(super) struct TierContext {
    /// The project's root; without a project, the current directory.
    pub(super) root: PathBuf,
    roots: Vec<TierRoot>,
    cache: DiscoveryCache,
    pub(super) rules: CatalogRules,
    /// The text of the manifest; empty without a project.
    pub(super) manifest_text: String,
    /// Agents whose own directories the project installs into.
    pub(super) targets: Vec<String>,
    /// The setting that forbids the project's skills to shadow others; `None` if none does.
    pub(super) deny_shadowing: Option<String>,
    /// Directories of installed skills, each with the lockfile that they are in.
    lockfiles: Vec<(PathBuf, Lockfile)>,
}

impl TierContext {
    /// Whether a lockfile has a skill of this name.
    pub(super) fn is_locked(&self, name: &str) -> bool {
        let Ok(name) = name.parse() else {
            return false;
        };
        let mut lockfiles = self.lockfiles.iter();
        lockfiles.any(|(_, lockfile)| lockfile.installed_as(&name).is_some())
    }

    /// Finds the roots for `options`: the tiers, or the directories in them.
    pub(super) fn from_options(
        context: &CommandContext<'_>,
        options: &CatalogOptions,
    ) -> Result<Self> {
        let project = context.reported_project()?;
        let root = project
            .as_ref()
            .map_or(context.dirs.cwd.as_path(), |workspace| {
                workspace.root.as_path()
            });
        let mut tier_context = TierContext::new(context, root, options);

        if !options.dirs.is_empty() {
            tier_context.roots = given_directories(context, &options.dirs)?;
            // Given directories without an agent are listed without the manifest's rules.
            if options.agent.is_none() {
                return Ok(tier_context);
            }
        }

        let registries = |name: Option<&str>| context.config.registry(name);
        let manifest = project
            .as_ref()
            .map(|workspace| workspace.manifest(&registries))
            .transpose()?;

        if options.dirs.is_empty() {
            tier_context.deny_shadowing = deny_shadowing(context, manifest.as_ref());
            tier_context.find_tiers(context, project.as_ref(), manifest.as_ref())?;
        }

        tier_context.manifest_text = project
            .map(|workspace| workspace.manifest_text)
            .unwrap_or_default();
        if let Some(manifest) = manifest {
            tier_context.rules = manifest.catalog;
            tier_context.targets = manifest.install.targets;
        }

        Ok(tier_context)
    }

    fn new(context: &CommandContext<'_>, root: &Path, options: &CatalogOptions) -> Self {
        TierContext {
            root: root.to_owned(),
            roots: Vec::new(),
            cache: open_cache(context, root, options),
            rules: CatalogRules::default(),
            manifest_text: String::new(),
            targets: Vec::new(),
            deny_shadowing: None,
            lockfiles: Vec::new(),
        }
    }

    /// Discovers the skills of all roots.
    pub(super) fn discover(&self, scope: InspectScope) -> DiscoveredSkills {
        let mut discovery = tiers::discover(&self.roots, Some(&self.cache));
        tiers::inspect(&mut discovery, &self.roots, scope, Some(&self.cache));
        self.add_sources(&mut discovery);
        discovery
    }

    fn find_tiers(
        &mut self,
        context: &CommandContext<'_>,
        project: Option<&Workspace>,
        manifest: Option<&Manifest>,
    ) -> Result<()> {
        // Without a manifest, the default directory is still a root.
        let install_dir = manifest.map_or(DEFAULT_DIR.to_owned(), |manifest| {
            manifest.install.dir.to_string()
        });
        let managed_dir =
            context.expand_path(&context.config.string("managed.dir").unwrap_or_default());

        self.roots = find_roots(context, &self.root, &install_dir, &managed_dir)?;

        if let Some(lock) = project.map(Workspace::lockfile).transpose()?.flatten() {
            // Skills in an agent's own directory are from the same lockfile.
            let targets = manifest.map(|manifest| manifest.install.targets.as_slice());
            for id in targets.unwrap_or_default() {
                let own = agents::find_agent(context, id)?
                    .and_then(|agent| agent.project_path(&self.root));
                self.lockfiles.extend(own.map(|dir| (dir, lock.clone())));
            }
            self.lockfiles.push((self.root.join(&install_dir), lock));
        }

        // The user's own skills have a lockfile of their own.
        let managed = context.workspace(WorkspaceKind::Managed)?.lockfile()?;
        self.lockfiles
            .extend(managed.map(|lock| (managed_dir, lock)));
        Ok(())
    }

    /// Adds source, signer and version of the lockfile to each skill that was installed from one.
    pub(super) fn add_sources(&self, discovery: &mut DiscoveredSkills) {
        if self.lockfiles.is_empty() {
            return;
        }

        // Most roots do not exist: only those with skills are matched with lockfiles.
        let mut has_skills = vec![false; discovery.roots.len()];
        for candidate in &discovery.candidates {
            std::iter::once(candidate)
                .chain(&candidate.shadows)
                .for_each(|found| has_skills[usize::from(found.root)] = true);
        }

        let locks: Vec<(PathBuf, &Lockfile)> = self
            .lockfiles
            .iter()
            .map(|(dir, lock)| (disk::real_path(dir), lock))
            .collect();
        let lockfile_of = |root: &Path| {
            let root = disk::real_path(root);
            locks
                .iter()
                .find(|(dir, _)| *dir == root)
                .map(|(_, lock)| *lock)
        };

        let owners: Vec<Option<&Lockfile>> = discovery
            .roots
            .iter()
            .zip(has_skills)
            .map(|(root, has_skills)| {
                if has_skills {
                    lockfile_of(&root.path)
                } else {
                    None
                }
            })
            .collect();

        let add_source = |candidate: &mut SkillCandidate| {
            if let Some(lock) = owners[usize::from(candidate.root)] {
                add_locked_source(candidate, lock);
            }
        };

        for candidate in &mut discovery.candidates {
            add_source(candidate);
            candidate.shadows.iter_mut().for_each(add_source);
        }
    }
}

/// The roots of all tiers, in the order in which they win.
fn find_roots(
    context: &CommandContext<'_>,
    project: &Path,
    install_dir: &str,
    managed_dir: &Path,
) -> Result<Vec<TierRoot>> {
    let bundled: Vec<PathBuf> = context
        .config
        .list("bundled.paths")
        .iter()
        .map(|dir| disk::real_path(&context.expand_path(dir)))
        .collect();
    let unpacked = unpack_bundled(context);

    let known = AgentDirectories::from_settings(context)?;
    let in_project: Vec<(&str, &str)> = known
        .in_project
        .iter()
        .map(|(id, dir)| (id.as_str(), dir.as_str()))
        .collect();
    let of_user: Vec<(&str, PathBuf)> = known
        .of_user
        .iter()
        .map(|(id, dir)| (id.as_str(), dir.clone()))
        .collect();

    Ok(tiers::tier_roots(&TierInputs {
        project: Some(project),
        install_dir,
        in_project: &in_project,
        home: Some(&context.dirs.home),
        managed: Some(managed_dir),
        of_user: &of_user,
        bundled: &bundled,
        binary: Some((bundled::SKILLS, &unpacked)),
        extra: &[],
    }))
}

/// Adds source, signer and version to a skill, if the lockfile has it.
fn add_locked_source(candidate: &mut SkillCandidate, lock: &Lockfile) {
    // A directory that is not a valid name was not installed.
    let Ok(name) = SkillName::parse_install_name(&candidate.directory) else {
        return;
    };
    let Some(locked) = lock.installed_as(&name) else {
        return;
    };

    let commit = locked
        .commit
        .as_ref()
        .map(|commit| format!("#{commit}"))
        .unwrap_or_default();
    candidate.source = Some(format!("{}{commit}", locked.source).into());
    candidate.signed_by = locked.signed_by.map(|key| key.to_string().into());
    candidate.locked_version = locked
        .version
        .as_ref()
        .map(|version| version.to_string().into());
}

/// The skill directories of agents: those of the table and those of settings.
struct AgentDirectories {
    in_project: Vec<(String, String)>,
    of_user: Vec<(String, PathBuf)>,
}

impl AgentDirectories {
    fn from_settings(context: &CommandContext<'_>) -> Result<Self> {
        let expand = agents::path_expansion(context);
        let of_user = directories::USER_DIRECTORIES.iter();
        let mut known = AgentDirectories {
            in_project: directories::PROJECT_DIRECTORIES
                .iter()
                .map(|dir| (dir.agent.to_owned(), dir.path.to_owned()))
                .collect(),
            of_user: of_user
                .filter_map(|dir| Some((dir.agent.to_owned(), expand.expand(dir.path)?)))
                .collect(),
        };

        for (id, directory) in agents::moved_directories(context) {
            known.of_user.retain(|(agent, _)| agent != id);
            known.of_user.push((id.to_owned(), directory));
        }

        for id in context.config.configured_agents() {
            let agent = agents::required_agent(context, &id)?;
            // The shared directories are roots of their own.
            for dir in agent
                .project_directories()
                .filter(|dir| !matches!(*dir, "skills" | SHARED_DIR))
            {
                if known.in_project.iter().all(|(_, known)| known != dir) {
                    known.in_project.push((id.clone(), dir.to_owned()));
                }
            }

            for dir in agent
                .user_directories()
                .filter_map(|dir| expand.expand(dir))
            {
                let is_known = dir == context.dirs.home.join(SHARED_DIR);
                if !is_known && known.of_user.iter().all(|(_, known)| *known != dir) {
                    known.of_user.push((id.clone(), dir));
                }
            }
        }

        Ok(known)
    }
}

/// The setting that forbids the project's skills to shadow the user's own or bundled ones; `None`
/// if none does.
pub(crate) fn deny_shadowing(
    context: &CommandContext<'_>,
    manifest: Option<&Manifest>,
) -> Option<String> {
    // Either one is enough; the project's is named if both are set.
    if manifest.is_some_and(|manifest| manifest.policy.deny_shadowing) {
        return Some("`policy.deny-shadowing` in skillpm.toml".to_owned());
    }

    let set = context.config.get("policy.deny-shadowing").ok()??;
    context
        .config
        .switch("policy.deny-shadowing")
        .then(|| format!("`policy.deny-shadowing` in {}", set.origin))
}

/// The directories of `--dir` as roots, in their order.
fn given_directories(context: &CommandContext<'_>, dirs: &[PathBuf]) -> Result<Vec<TierRoot>> {
    // A missing directory is an error: an empty list would look like a result.
    for dir in dirs {
        if disk::lstat(&disk::real_path(&context.dirs.cwd.join(dir)))?
            .is_none_or(|meta| !meta.is_dir())
        {
            return Err(Error::negative(format!(
                "directory `{}` not found",
                dir.display()
            )));
        }
        check_not_skill(context, dir)?;
    }

    let dirs = dirs.iter().flat_map(|dir| {
        let dir = context.dirs.cwd.join(dir);
        let inside = container_dirs(&dir);
        std::iter::once(dir).chain(inside)
    });

    Ok(dirs
        .map(|dir| TierRoot::directory(Tier::Workspace, "dir", dir))
        .collect())
}

/// Warns that `--dir` does not list a directory that is itself a skill, and fails if there are no
/// skills under it: an empty result would look like that of an empty directory.
fn check_not_skill(context: &CommandContext<'_>, dir: &Path) -> Result<()> {
    let path = context.dirs.cwd.join(dir);
    if !is_skill(&path) {
        return Ok(());
    }

    let message = format!(
        "`--dir` requires a directory of skills, and `{}` is a skill",
        dir.display()
    );
    let real = disk::real_path(&path);
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    // Written so that the command works when pasted: never an empty path.
    let parent = match dir.parent() {
        Some(parent) if dir.file_name().is_some() && !parent.as_os_str().is_empty() => {
            parent.to_owned()
        }
        Some(_) if dir.file_name().is_some() => PathBuf::from("."),
        _ => dir.join(".."),
    };
    let help = format!(
        "`--dir {} --only {name}` lists it from the parent directory",
        parent.display()
    );

    // With nested skills the result is not empty: a warning is enough.
    let nested = skills_dir::list_skill_dir(&path)?.unwrap_or_default().names;
    if nested.iter().any(|name| is_skill(&path.join(&*name.text)))
        || !container_dirs(&path).is_empty()
    {
        context.reporter.report(ProgressEvent::Warning {
            message,
            help: Some(help),
        });
        return Ok(());
    }

    Err(Error::negative(message).help(help))
}

/// Whether a directory is a skill of any format.
fn is_skill(dir: &Path) -> bool {
    let has = |file: &str| {
        matches!(
            skills_dir::stat_path(&dir.join(file)),
            Ok(Some((skills_dir::PathKind::File, _)))
        )
    };
    formats::detect_format(&has).is_some()
}

/// The directories of skills inside a plugin, a marketplace or another container.
fn container_dirs(dir: &Path) -> Vec<PathBuf> {
    let read = |file: &str| {
        skills_dir::read_file(&dir.join(file), DESCRIPTOR_MAX)
            .ok()
            .flatten()
            .map(|(bytes, _)| bytes)
    };
    if container::container_kind(&|file| read(file).is_some()).is_none() {
        return Vec::new();
    }

    let paths = container::read_container_paths(&mut |file| read(file));
    let default_dirs = ["skills", ".apm/skills"].map(str::to_owned);
    let skill_parents = paths
        .skill_dirs
        .iter()
        .filter_map(|skill| Some(skill.rsplit_once('/')?.0.to_owned()));

    let mut dirs: Vec<String> = default_dirs
        .into_iter()
        .chain(paths.search_roots.iter().cloned())
        .chain(skill_parents)
        .collect();
    dirs.sort();
    dirs.dedup();
    dirs.into_iter()
        .map(|relative| dir.join(relative))
        .collect()
}

/// The discovery cache of these directories.
fn open_cache(
    context: &CommandContext<'_>,
    root: &Path,
    options: &CatalogOptions,
) -> DiscoveryCache {
    let mut key = root.to_owned();
    // The entries for given directories must not mix with those for the tiers.
    for dir in &options.dirs {
        key.push("|");
        // Pushing an absolute path would replace the key.
        key.push(dir.strip_prefix("/").unwrap_or(dir));
    }
    DiscoveryCache::new(
        &context.dirs.skillpm_home.join("index"),
        Some(&key),
        context.start_time(),
    )
}

/// Unpacks the bundled skills to where agents can read them; returns the directory, which is named
/// by their digest.
///
/// On an I/O error they are listed nevertheless: for `show`, their text comes from the binary.
fn unpack_bundled(context: &CommandContext<'_>) -> PathBuf {
    let dir = context
        .dirs
        .skillpm_home
        .join("bundled")
        .join(bundled::DIGEST);
    // The name is the digest and the directory is renamed into place: if it exists, it is
    // complete.
    if disk::lstat(&dir).is_ok_and(|meta| meta.is_none()) {
        let _ = write_bundled(&dir);
    }
    dir
}

fn write_bundled(dir: &Path) -> Result<()> {
    let staging = disk::create_temp_dir(dir.parent().unwrap_or(dir), ".stage-")?;
    let staged = staging.join("skills");
    disk::create_dir(&staged)?;
    for skill in bundled::SKILLS {
        disk::write_tree(&staged.join(skill.name), &skill.tree())?;
    }

    // Another process may have been faster; its directory is the same.
    let _ = disk::move_into_place(&staged, dir);
    disk::remove(&staging)
}

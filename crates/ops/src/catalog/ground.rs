//! Where skills are looked for, and what the project says of who sees them.

use std::path::{Path, PathBuf};

use super::super::{Context, agents};
use super::CatalogOptions;
use crate::bundled;
use crate::catalog::{Candidate, Discovery, Tier};
use crate::error::{Error, Result};
use crate::install::target::{SHARED, directories};
use crate::io::{disk, skills_dir};
use crate::lockfile::Lockfile;
use crate::manifest::{CatalogRules, DEFAULT_DIR, Manifest};
use crate::report::Event;
use crate::skill::formats::{self, DESCRIPTOR_MAX, container};
use crate::tiers::{self, Memory, Place, Surroundings, Which};
use crate::workspace::{Sort, Workspace};

/// Where the tiers of one run are, where they are remembered, and what the project says of them.
pub(super) struct Ground {
    /// The project's root; the directory the command runs in, where there is no project.
    pub(super) root: PathBuf,
    pub(super) places: Vec<Place>,
    pub(super) memory: Memory,
    pub(super) rules: CatalogRules,
    /// The text that says so; empty where there is no project.
    pub(super) manifest_text: String,
    /// Agents whose own directories the project installs into.
    pub(super) targets: Vec<String>,
    /// Who forbids that a skill of the project covers another.
    pub(super) deny_shadowing: Option<String>,
    locks: Vec<(PathBuf, Lockfile)>,
}

impl Ground {
    /// What `options` ask for: the tiers, or the directories that they name.
    pub(super) fn of(context: &Context<'_>, options: &CatalogOptions) -> Result<Self> {
        let project = context.project()?;
        let root = project.as_ref().map_or(context.places.here.as_path(), |workspace| workspace.root.as_path());
        let mut ground = Ground {
            root: root.to_owned(),
            places: Vec::new(),
            memory: memory(context, root, options),
            rules: CatalogRules::default(),
            manifest_text: String::new(),
            targets: Vec::new(),
            deny_shadowing: None,
            locks: Vec::new(),
        };
        if !options.dirs.is_empty() && options.agent.is_none() {
            ground.places = given(context, &options.dirs)?;
            return Ok(ground);
        }
        let registries = |name: Option<&str>| context.config.registry(name);
        let manifest = project.as_ref().map(|workspace| workspace.manifest(&registries)).transpose()?;
        if options.dirs.is_empty() {
            ground.deny_shadowing = deny_shadowing(context, manifest.as_ref());
            ground.tiers(context, project.as_ref(), manifest.as_ref(), options)?;
        } else {
            ground.places = given(context, &options.dirs)?;
        }
        ground.manifest_text = project.map(|workspace| workspace.manifest_text).unwrap_or_default();
        if let Some(manifest) = manifest {
            ground.rules = manifest.catalog;
            ground.targets = manifest.install.targets;
        }
        Ok(ground)
    }

    /// What lies in all of it.
    pub(super) fn look(&self, which: Which) -> Discovery {
        let mut discovery = tiers::discover(&self.places, Some(&self.memory));
        tiers::inspect(&mut discovery, &self.places, which, Some(&self.memory));
        discovery
    }

    fn tiers(
        &mut self,
        context: &Context<'_>,
        project: Option<&Workspace>,
        manifest: Option<&Manifest>,
        options: &CatalogOptions,
    ) -> Result<()> {
        let install_dir = manifest.map_or(DEFAULT_DIR.to_owned(), |manifest| manifest.install.dir.to_string());
        let managed_dir = context.expand(&context.config.string("managed.dir").unwrap_or_default());
        let bundled: Vec<PathBuf> =
            context.config.list("bundled.paths").iter().map(|dir| disk::real_path(&context.expand(dir))).collect();
        let unpacked = unpack_bundled(context);
        let known = Directories::of(context)?;
        self.places = tiers::roots(&Surroundings {
            project: Some(&self.root),
            install_dir: &install_dir,
            in_project: &known.in_project.iter().map(|(id, dir)| (id.as_str(), dir.as_str())).collect::<Vec<_>>(),
            home: Some(&context.places.home),
            managed: Some(&managed_dir),
            of_user: &known.of_user.iter().map(|(id, dir)| (id.as_str(), dir.clone())).collect::<Vec<_>>(),
            bundled: &bundled,
            binary: Some((bundled::SKILLS, &unpacked)),
            extra: &[],
        });
        if let Some(lock) = project.map(Workspace::lockfile).transpose()?.flatten() {
            // The table of agents is read for those who ask about one.
            let targets =
                manifest.filter(|_| options.agent.is_some()).map(|manifest| manifest.install.targets.as_slice());
            for id in targets.unwrap_or_default() {
                let own = agents::find(context, id)?.and_then(|agent| agent.project_path(&self.root));
                self.locks.extend(own.map(|dir| (dir, lock.clone())));
            }
            self.locks.push((self.root.join(&install_dir), lock));
        }
        let managed = context.workspace(Sort::Managed)?.lockfile()?;
        self.locks.extend(managed.map(|lock| (managed_dir, lock)));
        Ok(())
    }

    /// Says of each skill that a lockfile has put where it stands where it came from.
    pub(super) fn tell_sources(&self, discovery: &mut Discovery) {
        if self.locks.is_empty() {
            return;
        }
        // Most roots are not there at all; whose a root is matters where skills were found only.
        let mut held = vec![false; discovery.roots.len()];
        for candidate in &discovery.candidates {
            std::iter::once(candidate).chain(&candidate.shadows).for_each(|found| held[usize::from(found.root)] = true);
        }
        let locks: Vec<(PathBuf, &Lockfile)> =
            self.locks.iter().map(|(dir, lock)| (disk::real_path(dir), lock)).collect();
        let owner = |root: &Path| {
            let root = disk::real_path(root);
            locks.iter().find(|(dir, _)| *dir == root).map(|(_, lock)| *lock)
        };
        let owners: Vec<Option<&Lockfile>> =
            discovery.roots.iter().zip(held).map(|(root, held)| if held { owner(&root.path) } else { None }).collect();
        let tell = |candidate: &mut Candidate| {
            let Some(lock) = owners[usize::from(candidate.root)] else { return };
            let Ok(name) = candidate.directory.parse() else { return };
            if let Some(locked) = lock.installed_as(&name) {
                let commit = locked.commit.as_ref().map(|commit| format!("#{commit}")).unwrap_or_default();
                candidate.source = Some(format!("{}{commit}", locked.source).into());
                candidate.signed_by = locked.signed_by.map(|key| key.to_string().into());
                candidate.locked_version = locked.version.as_ref().map(|version| version.to_string().into());
            }
        };
        for candidate in &mut discovery.candidates {
            tell(candidate);
            candidate.shadows.iter_mut().for_each(tell);
        }
    }
}

/// The directories of agents, the table's and those that settings name.
struct Directories {
    in_project: Vec<(String, String)>,
    of_user: Vec<(String, PathBuf)>,
}

impl Directories {
    fn of(context: &Context<'_>) -> Result<Self> {
        let expand = agents::expansion(context);
        let of_user = directories::OF_USER.iter();
        let mut known = Directories {
            in_project: directories::IN_PROJECT.iter().map(|dir| (dir.agent.to_owned(), dir.path.to_owned())).collect(),
            of_user: of_user.filter_map(|dir| Some((dir.agent.to_owned(), expand.expand(dir.path)?))).collect(),
        };
        for id in context.config.configured_agents() {
            let agent = agents::agent(context, &id)?;
            for dir in agent.project_directories().filter(|dir| !matches!(*dir, "skills" | SHARED)) {
                if known.in_project.iter().all(|(_, known)| known != dir) {
                    known.in_project.push((id.clone(), dir.to_owned()));
                }
            }
            for dir in agent.user_directories().filter_map(|dir| expand.expand(dir)) {
                let is_known = dir == context.places.home.join(SHARED);
                if !is_known && known.of_user.iter().all(|(_, known)| *known != dir) {
                    known.of_user.push((id.clone(), dir));
                }
            }
        }
        Ok(known)
    }
}

/// Who forbids that a skill of the project covers one of the person's own or a bundled one.
pub(in crate::ops) fn deny_shadowing(context: &Context<'_>, manifest: Option<&Manifest>) -> Option<String> {
    if manifest.is_some_and(|manifest| manifest.policy.deny_shadowing) {
        return Some("`policy.deny-shadowing` in skillpm.toml".to_owned());
    }
    let set = context.config.get("policy.deny-shadowing").ok()??;
    context.config.switch("policy.deny-shadowing").then(|| format!("`policy.deny-shadowing` in {}", set.origin))
}

/// The directories that were asked for, in their order.
fn given(context: &Context<'_>, dirs: &[PathBuf]) -> Result<Vec<Place>> {
    for dir in dirs {
        if disk::lstat(&disk::real_path(&context.places.here.join(dir)))?.is_none_or(|meta| !meta.is_dir()) {
            return Err(Error::negative(format!("there is no directory `{}`", dir.display())));
        }
        no_skill_itself(context, dir)?;
    }
    let dirs = dirs.iter().flat_map(|dir| {
        let dir = context.places.here.join(dir);
        let inside = of_container(&dir);
        std::iter::once(dir).chain(inside)
    });
    Ok(dirs.map(|dir| Place::directory(Tier::Workspace, "dir", dir)).collect())
}

/// Says that a directory which is a skill does not list itself, and fails where nothing below it is one: an empty answer
/// would look like that of an empty directory.
fn no_skill_itself(context: &Context<'_>, dir: &Path) -> Result<()> {
    let place = context.places.here.join(dir);
    if !is_skill(&place) {
        return Ok(());
    }
    let message = format!("`{}` is a skill, and `--dir` takes a directory of skills", dir.display());
    let real = disk::real_path(&place);
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let above = match dir.parent() {
        Some(above) if dir.file_name().is_some() && !above.as_os_str().is_empty() => above.to_owned(),
        Some(_) if dir.file_name().is_some() => PathBuf::from("."),
        _ => dir.join(".."),
    };
    let help = format!("`--dir {} --only {name}` takes it from the directory above", above.display());
    let below = skills_dir::names(&place)?.unwrap_or_default().names;
    if below.iter().any(|name| is_skill(&place.join(&*name.text))) || !of_container(&place).is_empty() {
        context.reporter.report(Event::Warning { message, help: Some(help) });
        return Ok(());
    }
    Err(Error::negative(message).help(help))
}

/// Whether a directory is a skill of any format.
fn is_skill(dir: &Path) -> bool {
    let has = |file: &str| matches!(skills_dir::stat(&dir.join(file)), Ok(Some((skills_dir::Kind::File { .. }, _))));
    formats::detect(&has).is_some()
}

/// The directories of skills that a directory holds as a plugin, a marketplace or another container does.
fn of_container(dir: &Path) -> Vec<PathBuf> {
    let text = |file: &str| skills_dir::read(&dir.join(file), DESCRIPTOR_MAX).ok().flatten().map(|(bytes, _)| bytes);
    if container::kind(&|file| text(file).is_some()).is_none() {
        return Vec::new();
    }
    let places = container::places(&mut |file| text(file));
    let own = ["skills", ".apm/skills"].map(str::to_owned);
    let around = places.exactly.iter().filter_map(|skill| Some(skill.rsplit_once('/')?.0.to_owned()));
    let mut below: Vec<String> = own.into_iter().chain(places.below.iter().cloned()).chain(around).collect();
    below.sort();
    below.dedup();
    below.into_iter().map(|below| dir.join(below)).collect()
}

/// What was remembered for these directories.
fn memory(context: &Context<'_>, root: &Path, options: &CatalogOptions) -> Memory {
    let mut key = root.to_owned();
    for dir in &options.dirs {
        key.push("|");
        key.push(dir.strip_prefix("/").unwrap_or(dir));
    }
    Memory::new(&context.places.skillpm.join("index"), Some(&key), context.clock())
}

/// Unpacks the bundled skills to where agents can read them; gives the directory, which is named by their digest.
///
/// If the disk refuses, they are listed all the same: their text comes from the binary for `show`.
fn unpack_bundled(context: &Context<'_>) -> PathBuf {
    let dir = context.places.skillpm.join("bundled").join(bundled::DIGEST);
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
    // Another process may have been quicker; then theirs is the same.
    let _ = disk::move_into_place(&staged, dir);
    disk::remove(&staging)
}

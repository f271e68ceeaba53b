//! `catalog`: discovery over the tiers, then who sees what.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Context;
use crate::bundled;
use crate::catalog::{Assume, Candidate, Catalog, Discovery, Known, Search, Tier, View};
use crate::error::{Error, Result};
use crate::install::target::{Places, directories};
use crate::io::disk;
use crate::lockfile::Lockfile;
use crate::manifest::{CatalogRules, DEFAULT_DIR};
use crate::tiers::{self, Memory, Place, Surroundings, Which};
use crate::workspace::{Sort, Workspace};

/// What of the tiers is wanted.
#[derive(Debug, Clone, Default)]
pub struct CatalogOptions {
    /// Just these directories, in this order, instead of the tiers.
    pub dirs: Vec<PathBuf>,
    /// Just these names.
    pub only: Option<Vec<String>>,
    /// What is taken to be there, as `os=…,bins=…,env=…`; the machine as it is where nothing is said.
    pub assume: Vec<String>,
    /// Whether files and checksums are wanted too.
    pub contents: bool,
    /// Just what this finds.
    pub search: Search,
    /// Just the project's own skills, as for a file that is committed with it.
    pub workspace_only: bool,
}

/// Where the tiers of one run are, and where they are remembered.
struct Ground {
    places: Vec<Place>,
    memory: Memory,
    rules: CatalogRules,
    locks: Vec<(PathBuf, Lockfile)>,
}

/// The catalog of the project here, the person's own skills and the bundled ones.
///
/// # Errors
/// If a manifest or lockfile cannot be understood, or a name in `only` is unknown.
pub fn catalog(context: &Context<'_>, options: &CatalogOptions) -> Result<Catalog> {
    let ground = ground(context, options)?;
    let mut discovery = tiers::discover(&ground.places, Some(&ground.memory));
    let which = if options.contents { Which::All } else { Which::Shadowed };
    tiers::inspect(&mut discovery, &ground.places, which, Some(&ground.memory));
    tell_sources(&mut discovery, &ground.locks);
    if options.workspace_only {
        let roots = &discovery.roots;
        discovery.candidates.retain(|candidate| roots[usize::from(candidate.root)].tier == Tier::Workspace);
    }
    let view = View {
        only: options.only.clone(),
        allow: ground.rules.allow.clone(),
        deny: ground.rules.deny.clone(),
        assume: assume(context, &options.assume)?,
    };
    let mut catalog = Catalog::of(discovery, &view);
    catalog.narrow(&options.search);
    match catalog.unknown.first() {
        Some(name) => Err(Error::negative(format!("no skill is called `{}`", name.escape_debug()))
            .help("`skillpm list` shows all there are")),
        None => Ok(catalog),
    }
}

fn ground(context: &Context<'_>, options: &CatalogOptions) -> Result<Ground> {
    let project = Workspace::find(&context.places.here)?;
    let root = project.as_ref().map_or(context.places.here.as_path(), |workspace| workspace.root.as_path());
    let memory = memory(context, root, options);
    for dir in &options.dirs {
        if disk::lstat(&disk::real_path(&context.places.here.join(dir)))?.is_none_or(|meta| !meta.is_dir()) {
            return Err(Error::negative(format!("there is no directory `{}`", dir.display())));
        }
    }
    if !options.dirs.is_empty() {
        let dirs =
            options.dirs.iter().map(|dir| Place::directory(Tier::Workspace, "dir", context.places.here.join(dir)));
        return Ok(Ground { places: dirs.collect(), memory, rules: CatalogRules::default(), locks: Vec::new() });
    }
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = project.as_ref().map(|workspace| workspace.manifest(&registries)).transpose()?;
    let install_dir = manifest.as_ref().map_or(DEFAULT_DIR.to_owned(), |manifest| manifest.install.dir.to_string());
    let managed_dir = context.expand(&context.config.string("managed.dir").unwrap_or_default());
    let expand = Places { home: Some(&context.places.home), env: context.variable };
    let of_user: Vec<(&str, PathBuf)> =
        directories::OF_USER.iter().filter_map(|known| Some((known.agent, expand.expand(known.path)?))).collect();
    let in_project: Vec<(&str, &str)> = directories::IN_PROJECT.iter().map(|known| (known.agent, known.path)).collect();
    let bundled: Vec<PathBuf> =
        context.config.list("bundled.paths").iter().map(|dir| disk::real_path(&context.expand(dir))).collect();
    let unpacked = unpack_bundled(context);
    let places = tiers::roots(&Surroundings {
        project: Some(root),
        install_dir: &install_dir,
        in_project: &in_project,
        home: Some(&context.places.home),
        managed: Some(&managed_dir),
        of_user: &of_user,
        bundled: &bundled,
        binary: Some((bundled::SKILLS, &unpacked)),
        extra: &[],
    });
    let mut locks = Vec::new();
    if let Some(workspace) = &project {
        locks.extend(workspace.lockfile()?.map(|lock| (root.join(&install_dir), lock)));
    }
    locks.extend(context.workspace(Sort::Managed)?.lockfile()?.map(|lock| (managed_dir, lock)));
    let rules = manifest.map(|manifest| manifest.catalog).unwrap_or_default();
    Ok(Ground { places, memory, rules, locks })
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

/// Says of each skill that a lockfile has put where it stands where it came from.
fn tell_sources(discovery: &mut Discovery, locks: &[(PathBuf, Lockfile)]) {
    if locks.is_empty() {
        return;
    }
    // Most roots are not there at all; whose a root is matters where skills were found only.
    let mut held = vec![false; discovery.roots.len()];
    for candidate in &discovery.candidates {
        std::iter::once(candidate).chain(&candidate.shadows).for_each(|found| held[usize::from(found.root)] = true);
    }
    let locks: Vec<(PathBuf, &Lockfile)> = locks.iter().map(|(dir, lock)| (disk::real_path(dir), lock)).collect();
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
            candidate.locked_version = locked.version.as_ref().map(|version| version.to_string().into());
        }
    };
    for candidate in &mut discovery.candidates {
        tell(candidate);
        candidate.shadows.iter_mut().for_each(tell);
    }
}

/// The machine as it is, with what was said about it laid over.
fn assume(context: &Context<'_>, said: &[String]) -> Result<Assume> {
    let mut assume = Assume::bare(match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    });
    let path: Vec<PathBuf> =
        (context.variable)("PATH").map(|path| path.split(':').map(PathBuf::from).collect()).unwrap_or_default();
    assume.bins = Known::Ask(Box::new(move |name| {
        let is_plain = !name.is_empty() && !name.contains('/');
        is_plain && path.iter().any(|dir| disk::lstat(&dir.join(name)).is_ok_and(|meta| meta.is_some()))
    }));
    let named: BTreeSet<String> = (context.variable_names)();
    assume.env = Known::These(named);
    for text in said {
        assume.replace(text)?;
    }
    Ok(assume)
}

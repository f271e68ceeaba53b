//! Looking without changing: `tree` and `why`.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use super::Context;
use super::catalog::{CatalogOptions, catalog};
use super::policy::Effective;
use crate::catalog::{Catalog, Copy, Disagreement, Entry, Shadow};
use crate::error::{Error, Result, nearest};
use crate::lockfile::{Locked, Lockfile};
use crate::package::SkillName;
use crate::resolver::Root;
use crate::skill::Installer;
use crate::workspace::Sort;

/// The skill of this name.
pub(super) fn entry<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c Entry> {
    catalog.entries.iter().find(|entry| *entry.candidate.listing.name == *name).ok_or_else(|| {
        let names = catalog.entries.iter().map(|entry| &*entry.candidate.listing.name);
        let mut error = Error::negative(format!("no skill is called `{}`", name.escape_debug()));
        for unlisted in catalog.unlisted.iter().filter(|unlisted| is_named(&unlisted.location, name)) {
            let why = unlisted.diagnostics.iter().map(|diagnostic| &*diagnostic.message).next().unwrap_or_default();
            error = error.note(format!("`{}` is no skill that can be listed: {why}", unlisted.location.display()));
        }
        match nearest(name, names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`skillpm list` shows all there are"),
        }
    })
}

/// Whether a `SKILL.md` stands in a directory of this name.
fn is_named(skill_md: &Path, name: &str) -> bool {
    skill_md.parent().and_then(Path::file_name).is_some_and(|directory| directory == name)
}

/// One line of a dependency tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// How far in, 0 for what the project itself asks for.
    pub depth: usize,
    /// The package.
    pub package: Locked,
    /// Whether its own dependencies were shown before and are left out here.
    pub repeated: bool,
    /// Whether it is the last of its siblings, for each depth from the outermost.
    pub last: Vec<bool>,
}

/// The dependency tree of a project as lines; `inverted` shows who needs each instead of what each needs.
///
/// # Errors
/// If there is no lockfile, or it or the manifest cannot be understood.
pub fn tree(context: &Context<'_>, sort: Sort, inverted: bool, depth: Option<usize>) -> Result<Vec<Line>> {
    let (roots, lockfile) = project(context, sort)?;
    let starts: Vec<&Locked> = if inverted {
        lockfile.packages().iter().collect()
    } else {
        let mut told = BTreeSet::new();
        let asked = roots.iter().map(|root| &root.dependency.alias).filter(|alias| told.insert(*alias));
        asked.filter_map(|alias| lockfile.installed_as(alias)).collect()
    };
    let mut walk = Walk {
        lockfile: &lockfile,
        inverted,
        depth: depth.unwrap_or(usize::MAX),
        shown: BTreeSet::new(),
        lines: Vec::new(),
    };
    walk.level(&starts, &[]);
    Ok(walk.lines)
}

struct Walk<'l> {
    lockfile: &'l Lockfile,
    inverted: bool,
    depth: usize,
    shown: BTreeSet<SkillName>,
    lines: Vec<Line>,
}

impl<'l> Walk<'l> {
    fn level(&mut self, packages: &[&'l Locked], above: &[bool]) {
        for (at, package) in packages.iter().enumerate() {
            let next = self.next(package);
            let repeated = !next.is_empty() && !self.shown.insert(package.install_name().clone());
            let last: Vec<bool> = above.iter().copied().chain([at + 1 == packages.len()]).collect();
            self.lines.push(Line { depth: above.len(), package: (*package).clone(), repeated, last: last.clone() });
            if !repeated && above.len() + 1 < self.depth {
                self.level(&next, &last);
            }
        }
    }

    fn next(&self, package: &Locked) -> Vec<&'l Locked> {
        if self.inverted {
            return parents(self.lockfile, package);
        }
        package.dependencies.iter().filter_map(|reference| self.lockfile.referred(reference)).collect()
    }
}

fn parents<'l>(lockfile: &'l Lockfile, package: &Locked) -> Vec<&'l Locked> {
    let reference = package.reference();
    lockfile.packages().iter().filter(|other| other.dependencies.contains(&reference)).collect()
}

fn project(context: &Context<'_>, sort: Sort) -> Result<(Vec<Root>, Lockfile)> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    Ok((workspace.lines(&registries)?.roots, workspace.required_lockfile()?))
}

/// Why a skill is there.
#[derive(Debug, Clone)]
pub struct Why {
    /// The name asked about.
    pub name: String,
    /// What the project's manifest and those of its members say of it themselves.
    pub asked: Vec<Root>,
    /// The package, if it is locked.
    pub locked: Option<Locked>,
    /// The ways to it from packages of the manifest, the shortest first.
    pub paths: Vec<Vec<Locked>>,
    /// What the policy says of where it comes from.
    pub policy: Vec<String>,
    /// Where the skill that the name means stands, if there is one.
    pub winner: Option<Copy>,
    /// What it covers.
    pub shadows: Vec<Copy>,
    /// Why agents are not shown it, if they are not.
    pub hidden: Option<String>,
    /// The same in words.
    pub because: Option<String>,
    /// How what it lacks could be installed, as it says itself; empty if it lacks nothing. Nothing of this is run.
    pub install: Vec<Installer>,
    /// What agents that are in use here make of the name, where that is something else; each with its id.
    pub agents: Vec<(String, Disagreement)>,
}

/// Why a skill is there: who asked for it, which tier won, and why it is hidden if it is.
///
/// # Errors
/// If neither the project nor a tier knows the name.
pub fn why(context: &Context<'_>, name: &str) -> Result<Why> {
    let catalog = catalog(context, &CatalogOptions::default())?;
    let found = entry(&catalog, name);
    let mut policy = Effective::default();
    let project = match context.workspace(Sort::Project) {
        Ok(workspace) => {
            let registries = |name: Option<&str>| context.config.registry(name);
            let lines = workspace.lines(&registries)?;
            policy = Effective::of(context, &lines.manifest.policy)?;
            Some((lines.roots, workspace.lockfile()?.unwrap_or_default()))
        }
        Err(_) => None,
    };
    let alias = name.parse::<SkillName>().ok();
    let locked = project.as_ref().and_then(|(_, lock)| lock.installed_as(alias.as_ref()?)).cloned();
    let entry = match found {
        Ok(entry) => Some(entry),
        Err(error) if locked.is_none() => return Err(error),
        Err(_) => None,
    };
    let roots = project.iter().flat_map(|(roots, _)| roots);
    let asked = roots.filter(|root| Some(&root.dependency.alias) == alias.as_ref()).cloned().collect();
    let paths = match (&project, &locked) {
        (Some((roots, lockfile)), Some(locked)) => paths(roots, lockfile, locked),
        _ => Vec::new(),
    };
    let shadow = entry.and_then(|entry| Shadow::of(&entry.candidate, &catalog.roots));
    Ok(Why {
        name: name.to_owned(),
        asked,
        policy: locked.as_ref().map(|locked| policy.told_of(locked)).unwrap_or_default(),
        locked,
        paths,
        winner: entry.map(|entry| Copy::of(&entry.candidate, &catalog.roots)),
        shadows: shadow.map(|shadow| shadow.losers.into_iter().map(|(copy, _)| copy).collect()).unwrap_or_default(),
        hidden: entry.and_then(|entry| entry.hidden).map(|why| why.name().to_owned()),
        because: entry.and_then(|entry| entry.because.as_deref()).map(str::to_owned),
        install: entry
            .filter(|entry| !entry.is_eligible())
            .map_or_else(Vec::new, |entry| entry.candidate.listing.facts().install.to_vec()),
        agents: catalog.disagreements.iter().filter(|(_, found)| found.skill() == name).cloned().collect(),
    })
}

/// How many ways to a package are told.
const PATHS_MAX: usize = 12;

/// The ways from the packages of the manifest to `wanted`, the shortest first.
pub(super) fn paths(roots: &[Root], lockfile: &Lockfile, wanted: &Locked) -> Vec<Vec<Locked>> {
    let aliases: BTreeSet<&SkillName> = roots.iter().map(|root| &root.dependency.alias).collect();
    let starts = aliases.into_iter().filter_map(|alias| lockfile.installed_as(alias));
    let mut todo: VecDeque<Vec<&Locked>> = starts.map(|start| vec![start]).collect();
    let mut paths = Vec::new();
    while let Some(path) = todo.pop_front().filter(|_| paths.len() < PATHS_MAX) {
        let Some((at, _)) = path.split_last() else { continue };
        if *at == wanted {
            paths.push(path.into_iter().cloned().collect());
            continue;
        }
        let next = at.dependencies.iter().filter_map(|reference| lockfile.referred(reference));
        // Only where the way leads on to it, so that a large graph is not walked through in all its ways.
        for needed in next.filter(|needed| !path.contains(needed) && leads_to(lockfile, needed, wanted)) {
            todo.push_back(path.iter().copied().chain([needed]).collect());
        }
    }
    paths
}

fn leads_to(lockfile: &Lockfile, from: &Locked, to: &Locked) -> bool {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
    while let Some(at) = todo.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at.install_name().clone()) {
            todo.extend(at.dependencies.iter().filter_map(|reference| lockfile.referred(reference)));
        }
    }
    false
}

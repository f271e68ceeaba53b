//! The directories that a project's skills are put into.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::{Context, agents};
use crate::error::{Error, Result};
use crate::install::target;
use crate::io::disk;
use crate::manifest::Manifest;
use crate::package::SkillName;
use crate::workspace::{Sort, Workspace};

/// The target directories of a project, the main one first: relative to the project's root, absolute for the person's own.
pub(super) fn directories(context: &Context<'_>, workspace: &Workspace, manifest: &Manifest) -> Result<Vec<PathBuf>> {
    let mut directories = match workspace.sort {
        Sort::Project => vec![manifest.install.dir.to_path()],
        Sort::Managed => {
            let dir = context.config.string("managed.dir").unwrap_or_else(|| "~/.agents/skills".to_owned());
            vec![context.expand(&dir)]
        }
    };
    for id in &manifest.install.targets {
        let agent = agents::agent(context, id)?;
        let places = agents::expansion(context);
        let directory = match workspace.sort {
            Sort::Project => agent.project_dir.as_ref().map(PathBuf::from),
            Sort::Managed => agent.user_path(&places),
        };
        let directory = directory.ok_or_else(|| {
            Error::negative(format!("`{id}` has no directory of that sort"))
                .help("take it out of `targets` under `[install]`")
        })?;
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    for directory in &directories {
        check(&workspace.root, directory)?;
    }
    Ok(apart(&workspace.root, directories))
}

/// Without those that a link leads to an earlier one: what lies there would be written twice.
fn apart(root: &Path, directories: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    directories.into_iter().filter(|directory| seen.insert(destination(&root.join(directory)))).collect()
}

/// Where a path leads, of which the last parts may not be there yet.
fn destination(path: &Path) -> PathBuf {
    let there = path.ancestors().find(|above| matches!(disk::lstat(above), Ok(Some(_)))).unwrap_or(path);
    disk::real_path(there).join(path.strip_prefix(there).unwrap_or(Path::new("")))
}

/// What beside the manifest decides where targets are, as one text.
pub(super) fn settings(context: &Context<'_>, sort: Sort) -> String {
    let configured = context.config.configured_agents();
    let set = configured.iter().flat_map(|id| {
        let value = |key| context.config.string(&format!("agents.{id}.{key}-dir")).unwrap_or_default();
        [id.clone(), value("project"), value("user")]
    });
    let mut parts: Vec<String> = set.collect();
    if sort == Sort::Managed {
        let moved = target::directories::OF_USER.iter().filter_map(|known| variable(known.path));
        parts.extend(moved.filter_map(context.variable));
    }
    parts.join("\n")
}

/// The variable at the start of a path.
fn variable(path: &str) -> Option<&str> {
    let name = path.strip_prefix('$')?.trim_start_matches('{');
    Some(&name[..name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(name.len())])
}

/// Refuses a target inside the project that a link leads out of it: whoever planted the link would choose where files go.
fn check(root: &Path, directory: &Path) -> Result<()> {
    if directory.is_absolute() {
        return Ok(());
    }
    let mut path = root.to_owned();
    for part in directory.components().filter(|part| matches!(part, Component::Normal(_))) {
        path.push(part);
        let is_link = disk::lstat(&path)?.is_some_and(|meta| meta.is_symlink());
        let real = disk::real_path(&path);
        if is_link && !real.starts_with(disk::real_path(root)) {
            return Err(Error::integrity(format!("`{}` is a link that leaves the project", path.display()))
                .note(format!("it leads to `{}`", real.display()))
                .help("remove the link, or set `dir` under `[install]` to a directory of the project"));
        }
    }
    Ok(())
}

/// Where a link in `directory` must lead to reach the skill `name` in the main directory.
pub(super) fn link(main: &Path, directory: &Path, name: &SkillName) -> PathBuf {
    if main.is_absolute() {
        main.join(name.as_str())
    } else {
        Path::new(&relative(main, directory)).join(name.as_str())
    }
}

/// The way from `base` to `path`, with `/`.
pub(super) fn relative(path: &Path, base: &Path) -> String {
    let (to, from): (Vec<_>, Vec<_>) = (path.components().collect(), base.components().collect());
    let common = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

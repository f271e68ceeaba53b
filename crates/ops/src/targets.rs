//! The directories that a project's skills are installed into.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::{CommandContext, agents};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::Manifest;
use skillpm_core::package::SkillName;
use skillpm_io::disk;
use skillpm_registry::install::target;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The target directories of a project, the main one first: relative to the project's root,
/// absolute for the user's own skills.
pub(super) fn directories(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
) -> Result<Vec<PathBuf>> {
    let mut directories = match workspace.kind {
        WorkspaceKind::Project => vec![manifest.install.dir.to_path()],
        WorkspaceKind::Managed => {
            let dir = context
                .config
                .string("managed.dir")
                .unwrap_or_else(|| "~/.agents/skills".to_owned());
            vec![context.expand_path(&dir)]
        }
    };

    for id in &manifest.install.targets {
        let agent = agents::required_agent(context, id)?;

        let expansion = agents::path_expansion(context);
        // An agent may read skills in a project only, or only the user's own.
        let directory = match workspace.kind {
            WorkspaceKind::Project => agent.project_dir.as_ref().map(PathBuf::from),
            WorkspaceKind::Managed => agent.user_path(&expansion),
        };

        let directory = directory.ok_or_else(|| {
            Error::negative(format!(
                "unsupported target `{id}`: the agent has no such directory"
            ))
            .help("remove it from `targets` under `[install]`")
        })?;

        // Two agents may share a directory.
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }

    // Before anything is written: links are part of a clone, and an attacker may have added them.
    for directory in &directories {
        refuse_escaping_link(&workspace.root, directory)?;
    }

    Ok(without_aliases(&workspace.root, directories))
}

/// Removes directories that are links to an earlier one: their skills would be written twice.
fn without_aliases(root: &Path, directories: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    directories
        .into_iter()
        .filter(|directory| seen.insert(destination(&root.join(directory))))
        .collect()
}

/// The real path of a path whose last components may not exist yet.
fn destination(path: &Path) -> PathBuf {
    // Links can only be in the part of the path that exists.
    let existing = path
        .ancestors()
        .find(|above| matches!(disk::lstat(above), Ok(Some(_))))
        .unwrap_or(path);

    disk::real_path(existing).join(path.strip_prefix(existing).unwrap_or(Path::new("")))
}

/// The settings and variables that decide where targets are, as one text.
pub(super) fn settings(context: &CommandContext<'_>, sort: WorkspaceKind) -> String {
    let configured = context.config.configured_agents();

    // A user can move the directories of an agent, or add an agent.
    let set = configured.iter().flat_map(|id| {
        let value = |key| {
            context
                .config
                .string(&format!("agents.{id}.{key}-dir"))
                .unwrap_or_default()
        };
        [id.clone(), value("project"), value("user")]
    });

    let mut parts: Vec<String> = set.collect();
    // Paths of the user's agents may begin with a variable, which is input as well.
    if sort == WorkspaceKind::Managed {
        let moved = target::directories::USER_DIRECTORIES
            .iter()
            .filter_map(|known| variable(known.path));
        parts.extend(moved.filter_map(context.env_var));
    }

    parts.join("\n")
}

/// The variable at the start of a path.
fn variable(path: &str) -> Option<&str> {
    let name = path.strip_prefix('$')?.trim_start_matches('{');
    Some(
        &name[..name
            .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
            .unwrap_or(name.len())],
    )
}

/// Refuses a target inside the project that a link leads out of it: the author of the link would
/// choose where files are written.
fn refuse_escaping_link(root: &Path, directory: &Path) -> Result<()> {
    // Absolute targets come from the user's settings, not from the project.
    if directory.is_absolute() {
        return Ok(());
    }

    let mut path = root.to_owned();
    for part in directory
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
    {
        path.push(part);

        let is_link = disk::lstat(&path)?.is_some_and(|meta| meta.is_symlink());
        let real = disk::real_path(&path);

        if is_link && !real.starts_with(disk::real_path(root)) {
            return Err(Error::integrity(format!(
                "refusing to install through the link `{}`, which leaves the project",
                path.display()
            ))
            .note(format!("it points to `{}`", real.display()))
            .help(
                "remove the link, or set `dir` under `[install]` to a directory of the project",
            ));
        }
    }
    Ok(())
}

/// The target of a link in `directory` to the skill `name` in the main directory.
pub(super) fn link_target(main: &Path, directory: &Path, name: &SkillName) -> PathBuf {
    if main.is_absolute() {
        main.join(name.as_str())
    } else {
        Path::new(&relative_path(main, directory)).join(name.as_str())
    }
}

/// The relative path from `base` to `path`, with `/`.
pub(super) fn relative_path(path: &Path, base: &Path) -> String {
    let (to, from): (Vec<_>, Vec<_>) = (path.components().collect(), base.components().collect());
    let common = to.iter().zip(&from).take_while(|(a, b)| a == b).count();

    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());

    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

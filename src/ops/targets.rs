//! The directories that a project's skills are put into.

use std::path::{Component, Path, PathBuf};

use super::{Context, agents};
use crate::error::{Error, Result};
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
    Ok(directories)
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

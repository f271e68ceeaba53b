//! The directories that a project's skills are installed into.

use std::path::{Component, Path, PathBuf};

use super::hidden_skills::{self, TargetView};
use super::{CommandContext, agents};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::inspect::inspect_manifest;
use skillpm_core::manifest::{FILE, Manifest, location_at};
use skillpm_core::package::SkillName;
use skillpm_core::skill::SkillFormat;
use skillpm_io::disk;
use skillpm_registry::install::target::{self, AgentSpec};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// A directory that skills are installed into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TargetDirectory {
    /// Where: relative to the project's root, absolute for the user's own skills.
    pub(super) path: PathBuf,
    /// The agents of `targets` that read it, as far as their format is known.
    pub(super) readers: Vec<TargetReader>,
    /// What the agents of `targets` that read it are shown; of the main directory, which agents read that are no targets,
    /// what all are.
    pub(super) views: Vec<TargetView>,
}

impl TargetDirectory {
    /// The name of a skill's directory in here. A skill of Nova that is converted gets one that the specification allows,
    /// as the name in its `SKILL.md` does: the two must agree.
    pub(super) fn directory_of(&self, name: &SkillName) -> SkillName {
        let reads_nova = self
            .readers
            .iter()
            .any(|reader| reader.format == SkillFormat::Nova);
        // Without agents of a known format, the package is installed as it is.
        if self.readers.is_empty() || reads_nova {
            name.clone()
        } else {
            name.to_specified()
        }
    }

    /// Whether a skill is hidden from all agents of the directory, so that it is not installed
    /// there.
    pub(super) fn hides(&self, name: &SkillName) -> bool {
        !self.views.is_empty() && self.views.iter().all(|view| view.hides(name))
    }
}

/// An agent of `targets`, and the format of skills that it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TargetReader {
    /// Its id.
    pub(super) id: String,
    /// Its name in messages.
    pub(super) display_name: String,
    /// What it reads.
    pub(super) format: SkillFormat,
}

/// The target directories of a project, the main one first: relative to the project's root,
/// absolute for the user's own skills.
pub(super) fn directories(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
) -> Result<Vec<PathBuf>> {
    let directories = directories_with_readers(context, workspace, manifest)?;
    Ok(directories
        .into_iter()
        .map(|directory| directory.path)
        .collect())
}

/// The target directories of a project as [`directories`], each with the agents that read it.
pub(super) fn directories_with_readers(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
) -> Result<Vec<TargetDirectory>> {
    let main = match workspace.kind {
        WorkspaceKind::Project => manifest.install.dir.to_path(),
        WorkspaceKind::Managed => {
            let dir = context
                .config
                .string("managed.dir")
                .unwrap_or_else(|| "~/.agents/skills".to_owned());
            context.expand_path(&dir)
        }
    };

    let mut directories = vec![TargetDirectory {
        path: main,
        readers: Vec::new(),
        views: Vec::new(),
    }];
    for id in &manifest.install.targets {
        let agent = agents::required_agent(context, id)
            .map_err(|error| note_target(error, &workspace.manifest_text, id))?;
        let path = agent_directory(context, workspace.kind, &agent)?;
        add_directory(&mut directories, path, target_reader(&agent));
    }

    // Before anything is written: links are part of a clone, and an attacker may have added them.
    for directory in &directories {
        refuse_escaping_link(&workspace.root, &directory.path)?;
    }

    let mut directories = without_aliases(&workspace.root, directories);
    hidden_skills::add_views(context, workspace, manifest, &mut directories)?;
    Ok(directories)
}

/// Adds where the manifest names an agent to an error about it.
fn note_target(error: Error, text: &str, id: &str) -> Error {
    let outline = inspect_manifest(text);
    let mut named = outline.targets.iter().filter(|target| target.text == id);
    match named.next() {
        Some(target) => error.note(format!(
            "at `{}`",
            location_at(text, FILE, target.span.start)
        )),
        None => error,
    }
}

/// An agent's own directory, of the project or of the user.
fn agent_directory(
    context: &CommandContext<'_>,
    kind: WorkspaceKind,
    agent: &AgentSpec,
) -> Result<PathBuf> {
    // An agent may read skills in a project only, or only the user's own.
    agents::own_directory(context, kind, agent).ok_or_else(|| {
        Error::negative(format!(
            "unsupported target `{}`: the agent has no such directory",
            agent.id
        ))
        .help("remove it from `targets` under `[install]`")
    })
}

/// Adds a directory with its reader, or the reader to a directory that two agents share.
fn add_directory(
    directories: &mut Vec<TargetDirectory>,
    path: PathBuf,
    reader: Option<TargetReader>,
) {
    match directories
        .iter_mut()
        .find(|directory| directory.path == path)
    {
        Some(shared) => shared.readers.extend(reader),
        None => directories.push(TargetDirectory {
            path,
            readers: reader.into_iter().collect(),
            views: Vec::new(),
        }),
    }
}

/// The format that an agent reads; `None` for an agent that only settings define.
fn target_reader(agent: &AgentSpec) -> Option<TargetReader> {
    let format = match agent.format.as_deref() {
        Some("nova") => SkillFormat::Nova,
        Some("devai") => SkillFormat::Devai,
        // Nothing is known of it, so that its skills are installed as they are.
        _ if !target::all_agents().iter().any(|row| row.id == agent.id) => return None,
        _ => SkillFormat::SkillMd,
    };
    Some(TargetReader {
        id: agent.id.clone(),
        display_name: agent.display_name.clone(),
        format,
    })
}

/// Removes directories that are links to an earlier one: their skills would be written twice.
fn without_aliases(root: &Path, directories: Vec<TargetDirectory>) -> Vec<TargetDirectory> {
    let mut kept: Vec<(PathBuf, TargetDirectory)> = Vec::new();
    for directory in directories {
        let real = destination(&root.join(&directory.path));
        match kept.iter_mut().find(|(other, _)| *other == real) {
            // Its agents read what is in the other.
            Some((_, other)) => other.readers.extend(directory.readers),
            None => kept.push((real, directory)),
        }
    }
    kept.into_iter().map(|(_, directory)| directory).collect()
}

/// The real path of a path whose last components may not exist yet.
pub(super) fn destination(path: &Path) -> PathBuf {
    // Links can only be in the part of the path that exists.
    let existing = path
        .ancestors()
        .find(|above| matches!(disk::lstat(above), Ok(Some(_))))
        .unwrap_or(path);

    disk::real_path(existing).join(path.strip_prefix(existing).unwrap_or(Path::new("")))
}

/// The settings and variables that decide where targets are, as one text.
pub(super) fn settings(context: &CommandContext<'_>, sort: WorkspaceKind) -> String {
    let mut parts = Vec::new();

    // A user can move the directories of an agent, or add an agent.
    for id in context.config.configured_agents() {
        let value = |key| context.config.string(&format!("agents.{id}.{key}-dir"));
        let directories = [value("project"), value("user")].map(Option::unwrap_or_default);
        parts.push(id);
        parts.extend(directories);
    }

    // Paths of the user's agents may begin with a variable, which is input as well.
    if sort == WorkspaceKind::Managed {
        let moved = target::directories::USER_DIRECTORIES
            .iter()
            .filter_map(|known| variable(known.path));
        parts.extend(moved.filter_map(context.env_var));
    }

    // Devai's moves its directory of the project. Not from the table, which takes a while to parse.
    if sort == WorkspaceKind::Project {
        parts.extend((context.env_var)("SKILLS_DIR"));
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

/// Refuses to install into a directory whose path has something else than directories on it.
///
/// # Errors
/// Names what is in the way, and how to do without the target.
pub(super) fn refuse_blocked(root: &Path, directories: &[TargetDirectory]) -> Result<()> {
    for directory in directories {
        let Some(blocking) = blocking_path(root, &directory.path)? else {
            continue;
        };

        let shown = blocking.strip_prefix(root).unwrap_or(&blocking).display();
        let error = Error::disk(format!(
            "failed to install into `{}`: `{shown}` is not a directory",
            directory.path.display()
        ));
        return Err(match directory.readers.first() {
            Some(reader) => error
                .note(format!("it is the directory of the target `{}`", reader.id))
                .help(format!("move `{shown}` away, then run the command again")),
            None => error.help(format!(
                "move `{shown}` away, or set `dir` under `[install]` to another directory"
            )),
        });
    }
    Ok(())
}

/// The first path on the way to a directory, itself included, that exists and is none.
fn blocking_path(root: &Path, directory: &Path) -> Result<Option<PathBuf>> {
    // Mostly the directory is there, which takes one call.
    if root.join(directory).is_dir() {
        return Ok(None);
    }

    for path in agents::directories_to(root, directory) {
        match disk::lstat(&disk::real_path(&path))? {
            None => return Ok(None),
            Some(meta) if meta.is_dir() || meta.is_symlink() => {}
            Some(_) => return Ok(Some(path)),
        }
    }
    Ok(None)
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

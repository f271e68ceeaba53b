//! `convert`: writes a skill in another format.

use std::path::{Path, PathBuf};

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Checksum, Tree};
use skillpm_core::skill::SkillFormat;
use skillpm_core::skill::formats::convert::{ConvertedTree, convert as converted};
use skillpm_io::disk;
use skillpm_io::local_files::read_source_directory;

/// Options of [`convert`].
#[derive(Debug, Clone)]
pub struct ConvertOptions {
    /// The skill's directory.
    pub path: PathBuf,
    /// The format of the new skill.
    pub to: SkillFormat,
    /// The directory to create the new skill in; `None` for the parent of the skill.
    pub out: Option<PathBuf>,
}

/// The result of [`convert`].
#[derive(Debug)]
pub struct ConvertedSkill {
    /// The directory of the new skill.
    pub path: PathBuf,
    /// The format of the old skill.
    pub from: SkillFormat,
    /// The files of the new skill, sorted.
    pub files: Vec<String>,
}

/// Writes a skill in another format into a new directory; the old one is not changed.
///
/// # Errors
/// If there is no skill, it has that format already, the destination exists, or on an I/O error.
pub fn convert(context: &CommandContext<'_>, options: &ConvertOptions) -> Result<ConvertedSkill> {
    let dir = disk::real_path(&context.dirs.cwd.join(&options.path));
    if disk::lstat(&dir)?.is_none_or(|meta| !meta.is_dir()) {
        return Err(
            Error::negative(format!("directory `{}` not found", options.path.display()))
                .help("pass the directory of a skill"),
        );
    }

    let ConvertedTree {
        tree,
        directory,
        from,
    } = convert_tree(context, options, &dir)?;

    let out = options
        .out
        .as_ref()
        .map_or_else(|| parent(&dir), |out| context.dirs.cwd.join(out));
    let destination = out.join(&directory);

    // Nothing is overwritten: with `--out`, the directory may have another skill of that name.
    if disk::lstat(&destination)?.is_some() {
        return Err(Error::negative(format!(
            "destination `{}` already exists",
            destination.display()
        ))
        .help("`--out DIR` writes to another directory"));
    }

    write_skill(&out, &destination, &tree)?;
    Ok(ConvertedSkill {
        path: destination,
        from,
        files: tree.files().map(|(path, _)| path.to_string()).collect(),
    })
}

/// Reads the skill in a directory, and converts its files in memory.
fn convert_tree(
    context: &CommandContext<'_>,
    options: &ConvertOptions,
    dir: &Path,
) -> Result<ConvertedTree> {
    let name = dir
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("skill");
    let tree = read_source_directory(dir)?.tree;
    // A format with a version field gets the locked version of these files.
    let version = locked_version(context, &tree)?;

    converted(&tree, name, options.to, version.as_deref())
        .map_err(|error| error.wrap(format!("failed to convert `{}`", options.path.display())))
}

fn parent(dir: &Path) -> PathBuf {
    dir.parent().unwrap_or(dir).to_owned()
}

/// The version that the project's lockfile has for exactly these files.
fn locked_version(context: &CommandContext<'_>, tree: &Tree) -> Result<Option<String>> {
    let Some(workspace) = context.project()? else {
        return Ok(None);
    };
    let Some(lockfile) = workspace.lockfile()? else {
        return Ok(None);
    };

    // By checksum: an edited copy is no longer that version.
    let checksum = Checksum::from_tree(tree);
    let locked = lockfile
        .packages()
        .iter()
        .find(|locked| locked.checksum == checksum);
    Ok(locked
        .and_then(|locked| locked.version.as_ref())
        .map(ToString::to_string))
}

/// Writes a tree next to its destination and renames it, so that it appears whole or not at all.
fn write_skill(out: &Path, destination: &Path, tree: &Tree) -> Result<()> {
    let staging = disk::create_temp_dir(out, ".skillpm-stage-")?;
    let staged = staging.join("skill");
    let written =
        disk::write_tree(&staged, tree).and_then(|_| disk::move_into_place(&staged, destination));
    // Removed in any case: a failed write leaves nothing behind.
    disk::remove(&staging)?;
    written
}

//! `convert`: a skill in another format.

use std::path::{Path, PathBuf};

use super::Context;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::package::{Checksum, Tree};
use crate::skill::Format;
use crate::skill::formats::convert::{Converted, convert as converted};

/// What is to be converted, and where to.
#[derive(Debug, Clone)]
pub struct ConvertOptions {
    /// The directory of the skill.
    pub path: PathBuf,
    /// The format that it is to have.
    pub to: Format,
    /// The directory to make the new one in; the one around the skill where none is named.
    pub out: Option<PathBuf>,
}

/// A skill that was converted.
#[derive(Debug)]
pub struct Made {
    /// Its new directory.
    pub path: PathBuf,
    /// The format that it had.
    pub from: Format,
    /// Its files, sorted.
    pub files: Vec<String>,
}

/// Writes the skill in a directory in another format, into a directory of its own. The old one stays as it is.
///
/// # Errors
/// If there is no skill, it is of that format already, something stands where the new one is to be, or the disk refuses.
pub fn convert(context: &Context<'_>, options: &ConvertOptions) -> Result<Made> {
    let dir = disk::real_path(&context.places.here.join(&options.path));
    if disk::lstat(&dir)?.is_none_or(|meta| !meta.is_dir()) {
        return Err(Error::negative(format!("there is no directory `{}`", options.path.display()))
            .help("name the directory of a skill"));
    }
    let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or("skill");
    let tree = disk::read_tree(&dir)?;
    let version = locked_version(context, &tree)?;
    let Converted { tree, directory, from } = converted(&tree, name, options.to, version.as_deref())
        .map_err(|error| error.wrap(format!("`{}` cannot be converted", options.path.display())))?;
    let out = options.out.as_ref().map_or_else(|| parent(&dir), |out| context.places.here.join(out));
    let place = out.join(&directory);
    if disk::lstat(&place)?.is_some() {
        return Err(Error::negative(format!("`{}` is there already", place.display()))
            .help("`--out DIR` makes it in another directory"));
    }
    write(&out, &place, &tree)?;
    Ok(Made { path: place, from, files: tree.files().map(|(path, _)| path.to_string()).collect() })
}

fn parent(dir: &Path) -> PathBuf {
    dir.parent().unwrap_or(dir).to_owned()
}

/// The version at which the project's lockfile has exactly these files.
fn locked_version(context: &Context<'_>, tree: &Tree) -> Result<Option<String>> {
    let Some(workspace) = context.project()? else { return Ok(None) };
    let Some(lockfile) = workspace.lockfile()? else { return Ok(None) };
    let checksum = Checksum::of(tree);
    let locked = lockfile.packages().iter().find(|locked| locked.checksum == checksum);
    Ok(locked.and_then(|locked| locked.version.as_ref()).map(ToString::to_string))
}

/// Writes a tree beside its place first, so that it is there as a whole or not at all.
fn write(out: &Path, place: &Path, tree: &Tree) -> Result<()> {
    let staging = disk::create_temp_dir(out, ".skillpm-stage-")?;
    let staged = staging.join("skill");
    let written = disk::write_tree(&staged, tree).and_then(|_| disk::move_into_place(&staged, place));
    disk::remove(&staging)?;
    written
}

//! Where packages are vendored, and what may be there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{CommandContext, targets};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::RelPath;
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk;
use skillpm_registry::config;
use skillpm_registry::vendor::{GENERATED_FILES, VendorDirectory, VendoredPackage};
use skillpm_registry::workspace::Workspace;

/// The default directory.
const DEFAULT_DIR: &str = "vendor";

/// The vendor directory, which must be in the project, and apart from the directories of installed
/// skills.
pub(super) fn vendor_directory(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    dir: Option<&Path>,
) -> Result<VendorDirectory> {
    let root = &workspace.root;

    let before = configured_directory(root)?;
    let place = match dir {
        Some(dir) => disk::normalize_path(&context.dirs.cwd.join(dir)),
        None => disk::normalize_path(&root.join(before.as_deref().unwrap_or(DEFAULT_DIR))),
    };

    if let Some(reason) = find_misplacement(context, workspace, &place)? {
        return Err(Error::usage(format!(
            "invalid vendor directory `{}`: {reason}",
            place.display()
        ))
        .help("pass a separate directory in the project: `skillpm vendor third-party`"));
    }

    let shown = shown_in(root, &place);
    // Not removed: it may have other files since.
    if let Some(before) = before.filter(|before| {
        *before != shown && disk::lstat(&root.join(before)).is_ok_and(|at| at.is_some())
    }) {
        context.reporter.report(ProgressEvent::Warning {
            message: format!("vendor directory `{before}` is no longer used"),
            help: Some("remove it if it is not needed".into()),
        });
    }

    Ok(VendorDirectory {
        dir: place,
        display_path: shown,
        project: Some(root.clone()),
    })
}

fn shown_in(root: &Path, place: &Path) -> String {
    let below = place.strip_prefix(root).unwrap_or(place);
    below.to_string_lossy().replace('\\', "/")
}

/// Why packages cannot be vendored in a directory; `None` if they can.
fn find_misplacement(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    place: &Path,
) -> Result<Option<String>> {
    let root = &workspace.root;
    let Ok(below) = place.strip_prefix(root) else {
        return Ok(Some(format!("it is not in `{}`", root.display())));
    };

    // The name must be valid on each operating system, as for the files of packages.
    let shown = shown_in(root, place);
    if shown.is_empty() {
        return Ok(Some("it is the project's root".into()));
    }
    if let Err(error) = shown.parse::<RelPath>() {
        return Ok(Some(error.message().to_owned()));
    }

    if let Some(target) = overlapping_target(context, workspace, below)? {
        let reason = format!("skills are installed in `{}`", target.display());
        return Ok(Some(reason));
    }

    let is_link = |part: &Path| {
        let found = disk::lstat(&root.join(part)).ok().flatten();
        found.is_some_and(|at| at.is_symlink())
    };
    // Git stores a link itself: the packages behind it would not be in the repository.
    if below.ancestors().any(is_link) {
        return Ok(Some("its path contains a symbolic link".into()));
    }

    let is_file = disk::lstat(place)?.is_some_and(|meta| !meta.is_dir());
    Ok(is_file.then(|| "it is a file".into()))
}

/// The directory of installed skills that a directory of the project is in, or that is in it:
/// installed skills and vendored packages must not be confused.
fn overlapping_target(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    below: &Path,
) -> Result<Option<PathBuf>> {
    let manifest = workspace.manifest(&|name| context.config.registry(name))?;
    let targets = targets::directories(context, workspace, &manifest)?;
    let overlaps = |target: &PathBuf| below.starts_with(target) || target.starts_with(below);
    Ok(targets.into_iter().find(overlaps))
}

/// The vendor directory of the project's settings.
fn configured_directory(root: &Path) -> Result<Option<String>> {
    let file = settings_path(root);

    let mut own = config::Config::new();
    own.add_project_file(&file, &disk::read_text(&file)?.unwrap_or_default())?;
    Ok(own.string(&format!("source.{}.directory", config::DIRECTORY_SOURCE)))
}

pub(super) fn settings_path(root: &Path) -> PathBuf {
    root.join(".skillpm/config.toml")
}

/// Refuses a directory with files that `skillpm vendor` did not write.
///
/// In a directory that skillpm created, the directory of a package may lack its record, such as
/// after a merge conflict.
pub(super) fn refuse_foreign_files(
    directory: &VendorDirectory,
    entries: &[VendoredPackage],
    wanted: &BTreeSet<String>,
) -> Result<()> {
    let is_made = directory.is_vendor_dir()?;
    let is_own = |name: &str| {
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let is_known =
            entries.iter().any(|entry| entry.name == stem) || is_made && wanted.contains(stem);
        GENERATED_FILES.iter().any(|(file, _)| *file == name) || is_known
    };

    let names = disk::list_names(&directory.dir)?;
    let others: Vec<&String> = names.iter().filter(|name| !is_own(name)).collect();

    if others.is_empty() {
        return Ok(());
    }

    let shown: Vec<String> = others
        .iter()
        .take(5)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = if others.len() > shown.len() {
        ", …"
    } else {
        ""
    };

    Err(Error::negative(format!(
        "refusing to write to `{}`: it has files that `skillpm vendor` did not write",
        directory.display_path
    ))
    .note(format!("{}{more}", shown.join(", ")))
    .help("pass another directory, such as `skillpm vendor third-party`, or move the files away"))
}

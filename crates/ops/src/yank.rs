//! `yank`: withdraws a version from new resolutions, or undoes that. Lockfiles that have it keep
//! working, unless it is revoked, which is for harmful versions.

use std::collections::BTreeMap;

use semver::Version;

use super::CommandContext;
use super::registry_target::{IndexChangeReport, change_index};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;
use skillpm_registry::index::write::edit::{self, VersionMark};
use skillpm_registry::index::write::owners::{self, PublishRight};
use skillpm_registry::index::write::{IndexEdit, IndexFiles};
use skillpm_registry::index::{entry_path, owners_path};

/// What to yank.
#[derive(Debug, Clone)]
pub struct YankOptions {
    /// The package.
    pub name: PackageName,
    /// The version.
    pub version: Version,
    /// The new mark of the version.
    pub mark: VersionMark,
    /// The registry, by name.
    pub registry: Option<String>,
}

/// Withdraws a version, or undoes that.
///
/// # Errors
/// If the version does not exist, the caller is not its owner, or the registry cannot be written.
pub fn yank(context: &CommandContext<'_>, options: &YankOptions) -> Result<IndexChangeReport> {
    change_index(context, options.registry.as_deref(), |files, identity| {
        mark_edit(files, options, identity)
    })
}

/// The edit that sets the mark of a version; `None` if it has it already.
fn mark_edit(
    files: &dyn IndexFiles,
    options: &YankOptions,
    identity: &str,
) -> Result<Option<IndexEdit>> {
    let name = &options.name;
    let (path, owners) = (entry_path(name), owners_path(name));

    let file = files.read(&path)?;
    let changed = edit::set_mark(file.as_deref(), name, &options.version, &options.mark)?;

    // An identity that is not an owner is already an error. A name that can still be claimed
    // has no owner who may yank it.
    let owner_file = files.read(&owners)?;
    let right = owners::may_publish(owner_file.as_deref(), name, identity)?;
    if let PublishRight::Claim(_) = right {
        return Err(unowned_error(name, &owners));
    }

    let verb = mark_verb(&options.mark);
    Ok(changed.map(|bytes| IndexEdit {
        message: format!("{verb} {name} {}", options.version),
        archives: BTreeMap::new(),
        files: BTreeMap::from([(path, bytes)]),
    }))
}

fn unowned_error(name: &PackageName, owners: &str) -> Error {
    Error::negative(format!("cannot yank `{name}`: it has no owners")).help(format!(
        "ask a maintainer of the index to add an owner to `{owners}`"
    ))
}

/// The verb of a mark, in the message of the index's commit.
fn mark_verb(mark: &VersionMark) -> &'static str {
    match mark {
        VersionMark::Yanked => "yank",
        VersionMark::Unyanked => "unyank",
        VersionMark::Revoked(_) => "revoke",
        VersionMark::Unrevoked => "unrevoke",
    }
}

//! `yank`: withdraws a version from new resolves, or takes it back in. Lockfiles that have it keep working, unless it is
//! revoked, which is for what does harm.

use std::collections::BTreeMap;

use semver::Version;

use super::Context;
use super::ledger::{Target, With, author};
use crate::error::{Error, Result};
use crate::index::write::edit::{self, Mark};
use crate::index::write::owners::{self, Right};
use crate::index::write::{self, Edit};
use crate::index::{entry_path, owners_path};
use crate::package::PackageName;

/// What to yank.
#[derive(Debug, Clone)]
pub struct YankOptions {
    /// The package.
    pub name: PackageName,
    /// The version.
    pub version: Version,
    /// What to mark it as.
    pub mark: Mark,
    /// The registry, by name.
    pub registry: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yanked {
    /// The registry, by name.
    pub registry: String,
    /// Whether anything had to be changed.
    pub changed: bool,
    /// The commit of the index.
    pub commit: Option<String>,
}

/// Withdraws a version, or takes it back in.
///
/// # Errors
/// If there is no such version, it is another's, or the registry cannot be written.
pub fn yank(context: &Context<'_>, options: &YankOptions) -> Result<Yanked> {
    let target = Target::named(context, options.registry.as_deref())?;
    let (author, tools) = (author(context, &context.places.here)?, context.tools()?);
    let with = With { context, tools: &tools, author: &author };
    let written = target.open(&with, None)?.change(&mut |files| {
        write::config(files, &target.write)?;
        let (path, owners) = (entry_path(&options.name), owners_path(&options.name));
        let file = files.read(&path)?;
        let changed = edit::set_mark(file.as_deref(), &options.name, &options.version, &options.mark)?;
        if let Right::Claim(_) = owners::may_publish(files.read(&owners)?.as_deref(), &options.name, &author.email)? {
            return Err(Error::negative(format!("`{}` has no owner, so that nobody may yank it", options.name))
                .help(format!("whoever keeps the index can name one in `{owners}`")));
        }
        let verb = match options.mark {
            Mark::Yanked => "yank",
            Mark::Unyanked => "unyank",
            Mark::Revoked(_) => "revoke",
            Mark::Unrevoked => "unrevoke",
        };
        Ok(changed.map(|bytes| Edit {
            message: format!("{verb} {} {}", options.name, options.version),
            archives: BTreeMap::new(),
            files: BTreeMap::from([(path, bytes)]),
        }))
    })?;
    Ok(Yanked { registry: target.name, changed: written.is_some(), commit: written.and_then(|written| written.commit) })
}

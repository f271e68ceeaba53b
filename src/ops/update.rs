//! `update`: lets go of what the lockfile has, for all or for those named, and goes the one way.

use std::collections::BTreeMap;

use semver::Version;

use super::Context;
use super::diff::{Compared, brings};
use super::release_age::release_age;
use super::sync::{Held, Keep, Rules, Synced, Wish, hold, sync_with};
use crate::error::{Error, Result, nearest};
use crate::lockfile::{Locked, Lockfile};
use crate::manifest::edit;
use crate::package::{GitReference, PackageId, RelPath, SkillName, SourceId};
use crate::sources::Sources;
use crate::store::Store;
use crate::workspace::Sort;

/// What to update.
#[derive(Debug, Clone)]
pub struct UpdateOptions {
    /// Install names; empty for all.
    pub names: Vec<SkillName>,
    /// The one version, or for git the one commit, tag or branch head, to go to.
    pub precise: Option<String>,
    /// Raise the manifest's requirement to the newest version there is.
    pub latest: bool,
    /// Which project.
    pub sort: Sort,
    /// How far to go.
    pub rules: Rules,
}

/// Is told of each skill what an update makes of it.
pub type Teller<'t> = &'t dyn Fn(&[Compared]);

/// Updates packages to the newest that fits. `tell`, if it is given, is told first what that changes in the installed skills,
/// file by file.
///
/// # Errors
/// If one of them is not in the lockfile, nothing fits, or a skill that would change was edited.
pub fn update(context: &Context<'_>, options: &UpdateOptions, tell: Option<Teller<'_>>) -> Result<Synced> {
    let held = hold(context, options.sort, None)?;
    let lockfile = held.workspace.lockfile()?.unwrap_or_default();
    for name in &options.names {
        locked(&lockfile, name)?;
    }
    let mut wish = Wish { keep: let_go(&options.names), ..Wish::default() };
    if let Some(precise) = &options.precise {
        pin(&mut wish, &lockfile, &options.names, precise)?;
    }
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &held.workspace.root, &registries, context.reporter);
    if options.latest {
        let text = raised(context, &held, &sources, &options.names)?;
        wish.manifest_text = (text != held.workspace.own_text()?).then_some(text);
    }
    if let Some(tell) = tell {
        let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
        tell(&brings(context, &held, (&sources, &store), &wish)?);
    }
    sync_with(context, &held, &sources, &wish, options.rules)
}

/// What of the lockfile stays if these are updated; all are if there are none.
pub(super) fn let_go(names: &[SkillName]) -> Keep {
    if names.is_empty() { Keep::Nothing } else { Keep::AllBut(names.iter().cloned().collect()) }
}

pub(super) fn locked<'l>(lockfile: &'l Lockfile, name: &SkillName) -> Result<&'l Locked> {
    lockfile.installed_as(name).ok_or_else(|| {
        let names: Vec<&str> = lockfile.packages().iter().map(|locked| locked.install_name().as_str()).collect();
        let error = Error::negative(format!("`{name}` is not in the lockfile"));
        match nearest(name.as_str(), names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`skillpm list` shows what is"),
        }
    })
}

/// Asks for one version or commit of one package.
pub(super) fn pin(wish: &mut Wish, lockfile: &Lockfile, names: &[SkillName], precise: &str) -> Result<()> {
    let [name] = names else {
        return Err(Error::usage("`--precise` goes with one name").help("`skillpm update NAME --precise VERSION`"));
    };
    let locked = locked(lockfile, name)?;
    let version = Version::parse(precise.strip_prefix('v').unwrap_or(precise)).ok();
    match (&locked.source, version) {
        (SourceId::Git { .. }, _) if is_commit(precise) => {
            wish.commits = BTreeMap::from([(name.clone(), precise.to_ascii_lowercase())]);
            Ok(())
        }
        (SourceId::Registry(_) | SourceId::Git { .. }, Some(version)) => {
            wish.precise.push(precise_id(locked, version));
            Ok(())
        }
        (SourceId::Git { .. }, None) => {
            Err(Error::usage(format!("`{precise}` is neither a version nor a full commit id"))
                .help("a tag or branch is chosen in the manifest: `skillpm add … --tag T`"))
        }
        (other, _) => Err(Error::usage(format!("{} has no versions to choose from", other.place()))),
    }
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn precise_id(locked: &Locked, version: Version) -> (PackageId, Option<RelPath>) {
    let source = match &locked.source {
        SourceId::Git { url, .. } => SourceId::Git { url: url.clone(), reference: GitReference::Versions },
        other => other.clone(),
    };
    (PackageId { name: locked.name.clone(), version: Some(version), source }, locked.path.clone())
}

/// The manifest with the requirements of `names` (all, if there are none) raised to the newest version there is.
fn raised(context: &Context<'_>, held: &Held, sources: &Sources<'_>, names: &[SkillName]) -> Result<String> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = held.workspace.own_manifest(&registries)?;
    let age = release_age(context, &held.workspace.manifest(&registries)?.policy)?;
    let is_wanted = |alias: &SkillName| names.is_empty() || names.contains(alias);
    let wanted: Vec<_> = manifest.dependencies.iter().filter(|dependency| is_wanted(&dependency.alias)).collect();
    let newest = super::outdated::newest_versions(sources, &wanted, &age)?;
    let mut text = held.workspace.own_text()?;
    for (dependency, newest) in wanted.iter().zip(newest) {
        let Some(newest) = newest.filter(|newest| !dependency.req.matches(newest)) else { continue };
        text = edit::set_version(
            &text,
            &[dependency.alias.as_str(), &dependency.package.to_string()],
            &super::add::caret(&newest),
        )?;
    }
    Ok(text)
}

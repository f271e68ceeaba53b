//! `update`: lets go of what the lockfile has, for all or for those named, and goes the one way.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};

use super::Context;
use super::diff::{Compared, brings};
use super::release_age::release_age;
use super::sync::{Held, Keep, Rules, Synced, Wish, hold, sync_with};
use crate::error::{Error, Result, nearest};
use crate::lockfile::{Locked, Lockfile};
use crate::manifest::edit;
use crate::package::{Dependency, GitReference, PackageId, RelPath, SkillName, SourceId};
use crate::sources::Sources;
use crate::store::Store;
use crate::workspace::Sort;

/// How many versions are offered at most in place of one that is not full.
const LISTED: usize = 5;

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
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &held.workspace.root, &registries, context.reporter);
    if let Some(precise) = &options.precise {
        pin(&mut wish, (&lockfile, &sources), &options.names, precise)?;
    }
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
pub(super) fn pin(
    wish: &mut Wish,
    (lockfile, sources): (&Lockfile, &Sources<'_>),
    names: &[SkillName],
    precise: &str,
) -> Result<()> {
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
        (SourceId::Registry(_), None) => Err(with_full_versions(
            Error::usage(format!("`{precise}` is not a full version")),
            locked,
            sources,
            precise,
        )),
        (SourceId::Git { .. }, None) => {
            let error = Error::usage(format!("`{precise}` is neither a full version nor a full commit id"));
            Err(with_full_versions(error, locked, sources, precise)
                .help("a tag or branch is chosen in the manifest: `skillpm add … --tag T`"))
        }
        (other, _) => Err(Error::usage(format!("{} has no versions to choose from", other.place()))),
    }
}

/// Adds the versions that begin as what was given does, as far as its source can say.
fn with_full_versions(error: Error, locked: &Locked, sources: &Sources<'_>, given: &str) -> Error {
    let name = locked.install_name();
    let number = given.strip_prefix('v').unwrap_or(given);
    let is_start = number.split('.').all(|part| part.parse::<u64>().is_ok());
    let newest = format!("`skillpm update {name}` goes to the newest that fits");
    let Some(req) = VersionReq::parse(&format!("={number}")).ok().filter(|_| is_start) else {
        return error.help(newest);
    };

    let (id, path) = precise_id(locked, Version::new(0, 0, 0));
    let dependency = Dependency {
        alias: name.clone(),
        package: id.name,
        source: id.source,
        subdir: path,
        req: VersionReq::STAR,
        dev: false,
        optional: false,
    };
    let versions = sources.look(&[dependency]).remove(0).map(|look| look.versions).unwrap_or_default();
    let fitting: Vec<&Version> = versions.iter().rev().filter(|version| req.matches(version)).take(LISTED).collect();
    let Some(first) = fitting.first() else { return error.help(newest) };
    let listed: Vec<String> = fitting.iter().map(|version| format!("`{version}`")).collect();
    error.help(format!(
        "versions that begin so: {}; go to one with `skillpm update {name} --precise {first}`",
        listed.join(", ")
    ))
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

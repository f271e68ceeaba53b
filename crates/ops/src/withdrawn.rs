//! What indexes have withdrawn of what is locked: yanked, which is to be moved on from, or revoked, which nobody may have
//! any more.

use std::path::Path;

use super::Context;
use crate::config::Origin;
use crate::error::{Error, Kind, Result};
use crate::index::{self, Entry};
use crate::lockfile::Locked;
use crate::package::{SkillName, SourceId};
use crate::report::{Event, Silent};
use crate::sources::Sources;

/// The setting of `--allow-revoked`.
const KEY: &str = "policy.allow-revoked";

/// A locked package that was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    /// The package.
    pub locked: Locked,
    /// Why.
    pub reason: String,
}

/// What indexes say of locked packages, as they were asked in this run, else as the copies here have it; of what is from
/// elsewhere, or no copy has, nothing.
pub(super) fn lines<'p>(
    context: &Context<'_>,
    root: &Path,
    sources: Option<&Sources<'_>>,
    packages: impl Iterator<Item = &'p Locked>,
) -> Result<Vec<(&'p Locked, Entry)>> {
    let packages: Vec<&Locked> = packages.filter(|one| matches!(one.source, SourceId::Registry(_))).collect();
    if packages.is_empty() {
        return Ok(Vec::new());
    }
    let told = sources.map_or_else(|| vec![None; packages.len()], |sources| sources.told(&packages));
    let unknown: Vec<&Locked> =
        packages.iter().zip(&told).filter(|(_, told)| told.is_none()).map(|(&locked, _)| locked).collect();
    let mut before = lines_before(context, root, &unknown)?.into_iter();
    let line = |(locked, told): (&'p Locked, Option<Entry>)| {
        let line = told.or_else(|| before.next().and_then(Result::ok).flatten());
        line.map(|line| (locked, line))
    };
    Ok(packages.into_iter().zip(told).filter_map(line).collect())
}

/// What the copies of the indexes here have of locked packages.
fn lines_before(context: &Context<'_>, root: &Path, packages: &[&Locked]) -> Result<Vec<Result<Option<Entry>>>> {
    if packages.is_empty() {
        return Ok(Vec::new());
    }
    let local = context.local_tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    Ok(Sources::new(&local, root, &registries, &Silent).lines(packages))
}

/// The same, asked for now; where an index cannot be reached, what it said before counts.
///
/// # Errors
/// If an index is reached and is none.
pub(super) fn lines_now<'p>(
    context: &Context<'_>,
    root: &Path,
    sources: &Sources<'_>,
    packages: &[&'p Locked],
) -> Result<Vec<(&'p Locked, Entry)>> {
    for line in sources.lines(packages) {
        if let Err(error) = line
            && error.kind() != Kind::Network
        {
            return Err(error);
        }
    }
    lines(context, root, Some(sources), packages.iter().copied())
}

/// Those that were revoked, as far as the copies here know.
///
/// # Errors
/// If a setting cannot be.
pub(super) fn revoked<'p>(
    context: &Context<'_>,
    root: &Path,
    packages: impl Iterator<Item = &'p Locked>,
) -> Result<Vec<Revoked>> {
    let lines = lines(context, root, None, packages)?.into_iter();
    Ok(lines.filter_map(|(locked, line)| Some(Revoked { locked: locked.clone(), reason: line.revoked? })).collect())
}

/// The same, told by nothing but the file that has each package's versions: what a command looks at that has nothing to do.
///
/// # Errors
/// If a setting cannot be.
pub(super) fn revoked_at_hand<'p>(
    context: &Context<'_>,
    packages: impl Iterator<Item = &'p Locked>,
) -> Result<Vec<(&'p Locked, String)>> {
    let replaced = context.config.replacements()?;
    let cache = context.places.skillpm.join("index");
    let reason = |locked: &'p Locked| {
        let (SourceId::Registry(url), Some(version)) = (&locked.source, &locked.version) else { return None };
        if replaced.directories.contains_key(&locked.source.key()) {
            return None;
        }
        let index = replaced.urls.get(url).unwrap_or(url).parse().ok()?;
        Some((locked, index::revoked_at_hand(&index, &locked.name, version, &cache)?))
    };
    Ok(packages.filter_map(reason).collect())
}

/// Whether the person at hand said that what was revoked is installed all the same. No file can say it: it would outlive
/// the reason.
pub(super) fn is_allowed(context: &Context<'_>) -> Result<bool> {
    let is_said = context.config.get(KEY)?.is_some_and(|set| set.origin == Origin::Flag);
    Ok(is_said && context.config.switch(KEY))
}

/// The refusal to install revoked packages.
pub(super) fn refusal(revoked: &[(&Locked, &str)]) -> Option<Error> {
    let (first, reason) = revoked.first()?;
    let told =
        |locked: &Locked, reason: &str| format!("`{}` was revoked: {}", locked.reference(), reason.escape_debug());
    let mut error = Error::integrity(told(first, reason));
    for (locked, reason) in &revoked[1..] {
        error = error.note(told(locked, reason));
    }
    Some(
        error
            .note(format!("by {}", first.source.place()))
            .help(format!("nothing was installed; move on with `skillpm update {}`", first.install_name()))
            .help("if you must have it, knowing that: `--allow-revoked`"),
    )
}

/// The warning that one stands here.
pub(super) fn warning(locked: &Locked, reason: &str) -> Event {
    Event::Warning {
        message: format!("`{}`, which is installed, was revoked: {}", locked.reference(), reason.escape_debug()),
        help: Some(way_out(locked.install_name())),
    }
}

impl Revoked {
    /// That it was, and why.
    #[must_use]
    pub fn told(&self) -> String {
        format!("`{}` was revoked by its registry: {}", self.locked.reference(), self.reason.escape_debug())
    }
}

/// What to do about a skill that was revoked.
#[must_use]
pub fn way_out(name: &SkillName) -> String {
    format!("move on with `skillpm update {name}`, or `skillpm remove {name}`")
}

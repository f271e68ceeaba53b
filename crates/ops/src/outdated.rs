//! `outdated`: asks the sources what there is now; changes nothing.

use semver::Version;

use super::Context;
use super::release_age::release_age;
use crate::error::{Error, Result};
use crate::lockfile::{Locked, Lockfile};
use crate::manifest;
use crate::package::{Dependency, GitReference, IndexUrl, SkillName, SourceId};
use crate::report::{Event, Silent};
use crate::resolver::Root;
use crate::sources::gather::{Gathered, Question, gather};
use crate::sources::release_age::ReleaseAge;
use crate::sources::{self, Content, Look, Sources};
use crate::workspace::{Lines, Sort, Workspace};

/// A dependency for which there is something newer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outdated {
    /// Its install name.
    pub name: SkillName,
    /// The version or commit that is locked.
    pub current: String,
    /// The newest that the manifest allows; `None` if that is the current one.
    pub compatible: Option<String>,
    /// The newest there is.
    pub latest: String,
    /// Where it comes from.
    pub source: String,
    /// Whether the tag it was locked from points elsewhere now.
    pub moved: bool,
    /// Why `update` does not go to the compatible version, though the manifest allows it: it does not fit another package. It
    /// finishes the sentence "it …".
    pub held_back: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What is outdated, by name.
    pub outdated: Vec<Outdated>,
    /// How many dependencies were asked about.
    pub asked: usize,
}

/// Asks for each dependency of a project whether there is something newer.
///
/// A source that cannot be reached is told, and fails the command after the others were asked.
///
/// # Errors
/// If there is no lockfile, or a source could not be asked.
pub fn outdated(context: &Context<'_>, sort: Sort) -> Result<Report> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let lines = workspace.lines(&registries)?;
    let lockfile = workspace.required_lockfile()?;
    let age = release_age(context, &lines.manifest.policy)?;
    let wanted = distinct(&lines.roots);
    let mut report = Report { outdated: Vec::new(), asked: wanted.len() };
    let mut failed: Option<Error> = None;
    for (dependency, look) in wanted.iter().zip(look(context, &workspace, &wanted)?) {
        match look {
            Ok(look) => {
                warn_if_yanked(context, dependency, &lockfile, &look);
                let (look, held_back) = passed(look, &age);
                let outdated = compare(dependency, &lockfile, &look);
                let shown = outdated.as_ref().map_or(String::new(), |outdated| outdated.latest.clone());
                if let Some((version, reason)) =
                    held_back.filter(|(version, _)| is_newer(version, dependency, &lockfile, &shown))
                {
                    let what = format!("{} {version}: it {reason}", dependency.package);
                    context.reporter.report(Event::Done { verb: "Held back", what });
                }
                report.outdated.extend(outdated);
            }
            Err(error) if failed.is_none() => failed = Some(error),
            Err(error) => context.reporter.report(Event::warning(error.to_string())),
        }
    }
    if let Some(error) = failed {
        return Err(error);
    }
    explain_held_back(context, &workspace, (&lines, &lockfile, &age), &mut report);
    Ok(report)
}

/// Adds why an update would not take what the manifest allows, of those that another package needs as well.
///
/// What that package needs is known only when all is decided again, as an update does.
fn explain_held_back(
    context: &Context<'_>,
    workspace: &Workspace,
    (lines, lockfile, age): (&Lines, &Lockfile, &ReleaseAge),
    report: &mut Report,
) {
    let is_needed = |outdated: &Outdated| {
        let Some(locked) = lockfile.installed_as(&outdated.name) else { return false };
        let reference = locked.reference();
        let mut all = lockfile.packages().iter();
        outdated.compatible.is_some() && all.any(|other| other.dependencies.contains(&reference))
    };
    if !report.outdated.iter().any(is_needed) {
        return;
    }

    let gathered = decided_again(context, workspace, (lines, lockfile, age));
    // Whatever fails here fails an update, too, which says why.
    let Ok(gathered) = gathered else { return };
    for outdated in &mut report.outdated {
        let link = gathered.resolve.roots().iter().find(|link| link.dependency.alias == outdated.name);
        let held_back = link.and_then(|link| gathered.held_back(link.to));
        let held_back = held_back.filter(|(version, _)| outdated.compatible == Some(version.to_string()));
        outdated.held_back = held_back.map(|(_, reason)| reason);
    }
}

/// What an update of everything would choose.
fn decided_again(
    context: &Context<'_>,
    workspace: &Workspace,
    (lines, lockfile, age): (&Lines, &Lockfile, &ReleaseAge),
) -> Result<Gathered> {
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &workspace.root, &registries, &Silent);
    let patches = manifest::patches(&workspace.manifest_text, manifest::FILE, &registries)?;
    let question = Question { roots: &lines.roots, patches: &patches, kept: &[], precise: &[], age, old: lockfile };
    gather(&sources, &question)
}

/// Says so if the locked version was withdrawn since.
fn warn_if_yanked(context: &Context<'_>, dependency: &Dependency, lockfile: &Lockfile, look: &Look) {
    let locked = lockfile.installed_as(&dependency.alias).filter(|locked| locked.source == dependency.source);
    let Some(locked) = locked else { return };
    if locked.version.as_ref().is_some_and(|version| look.yanked.contains(version)) {
        context.reporter.report(sources::yanked(locked));
    }
}

/// The newest version there is of each dependency that is chosen by version.
pub(super) fn newest_versions(
    sources: &Sources<'_>,
    wanted: &[&Dependency],
    age: &ReleaseAge,
) -> Result<Vec<Option<Version>>> {
    let wanted: Vec<Dependency> = wanted.iter().map(|dependency| (*dependency).clone()).collect();
    sources.look(&wanted).into_iter().map(|look| Ok(newest(&passed(look?, age).0.versions).cloned())).collect()
}

/// The dependencies of the project and its members, each once, without what only differs in who asks.
fn distinct(roots: &[Root]) -> Vec<&Dependency> {
    let mut wanted: Vec<&Dependency> = Vec::new();
    for Root { dependency, .. } in roots {
        if !wanted.contains(&dependency) {
            wanted.push(dependency);
        }
    }
    wanted
}

/// What there is without what is too new, and the newest of that with the reason.
fn passed(mut look: Look, age: &ReleaseAge) -> (Look, Option<(Version, String)>) {
    let Some(published) = &look.published else { return (look, None) };
    let mut held_back = None;
    look.versions.retain(|version| match age.bars(published.get(version).copied()) {
        Some(reason) => {
            held_back = Some((version.clone(), reason));
            false
        }
        None => true,
    });
    (look, held_back)
}

/// Whether a version that is too new would be told of: it is newer than what is locked and than all that is shown.
fn is_newer(version: &Version, dependency: &Dependency, lockfile: &Lockfile, shown: &str) -> bool {
    let locked = lockfile.installed_as(&dependency.alias).and_then(|locked| locked.version.as_ref());
    Some(version) > locked && version.to_string() != shown
}

fn look(context: &Context<'_>, workspace: &Workspace, wanted: &[&Dependency]) -> Result<Vec<Result<Look>>> {
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &workspace.root, &registries, context.reporter);
    let wanted: Vec<Dependency> = wanted.iter().map(|dependency| (*dependency).clone()).collect();
    let looks = sources.look(&wanted);
    context.reporter.report(Event::Fetched);
    if tools.offline && wanted.iter().any(|dependency| is_remote(&dependency.source)) {
        let message = "the network is off: this is as of the last time each source was asked";
        context.reporter.report(Event::warning(message.to_owned()));
    }
    Ok(looks)
}

/// Whether only another machine knows what a source has now.
fn is_remote(source: &SourceId) -> bool {
    match source {
        SourceId::Registry(index) => index.parse::<IndexUrl>().is_ok_and(|index| !index.is_local()),
        SourceId::Git { url, .. } => url.scheme() != "file",
        SourceId::Path(_) | SourceId::Archive(_) => false,
        SourceId::WellKnown(_) => true,
    }
}

/// The newest version; a pre-release only where there is nothing else.
fn newest(versions: &[Version]) -> Option<&Version> {
    versions.iter().rev().find(|version| version.pre.is_empty()).or(versions.last())
}

fn compare(dependency: &Dependency, lockfile: &Lockfile, look: &Look) -> Option<Outdated> {
    let locked = lockfile.installed_as(&dependency.alias)?;
    let outdated = |compatible: Option<String>, latest: String, moved: bool| Outdated {
        name: dependency.alias.clone(),
        current: locked.revision(),
        compatible,
        latest,
        source: dependency.source.place().replace('`', ""),
        moved,
        held_back: None,
    };
    if let Some(commit) = &look.commit {
        let is_newer = locked.commit.as_ref() != Some(commit);
        let moved = matches!(dependency.source, SourceId::Git { reference: GitReference::Tag(_), .. });
        let short: String = commit.chars().take(8).collect();
        return is_newer.then(|| outdated((!moved).then(|| short.clone()), short, moved));
    }
    if let Some(content) = look.content {
        let now = changed(locked, content)?;
        return Some(outdated(Some(now.clone()), now, false));
    }
    by_version(dependency, locked, look)
        .map(|(compatible, latest)| outdated(compatible.map(|version| version.to_string()), latest.to_string(), false))
}

/// What a source holds now that has no versions to choose from, in short; `None` if that is what is locked.
fn changed(locked: &Locked, content: Content) -> Option<String> {
    match content {
        Content::Archive(digest) if locked.archive != Some(digest) => {
            Some(digest.to_string().chars().take(8).collect())
        }
        Content::Tree(checksum) if locked.upstream() != checksum => Some(checksum.short()),
        _ => None,
    }
}

fn by_version(dependency: &Dependency, locked: &Locked, look: &Look) -> Option<(Option<Version>, Version)> {
    let current = locked.version.as_ref()?;
    let latest = newest(&look.versions)?;
    let compatible = look.versions.iter().rev().find(|version| dependency.req.matches(version));
    let newer = compatible.filter(|version| *version > current);
    (latest > current || newer.is_some()).then(|| (newer.cloned(), latest.max(newer.unwrap_or(latest)).clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pre_release_is_the_newest_only_where_there_is_nothing_else() {
        let versions = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Version>>();
        assert_eq!(newest(&versions(&["1.0.0", "2.0.0-rc.1"])).unwrap().to_string(), "1.0.0");
        assert_eq!(newest(&versions(&["2.0.0-rc.1"])).unwrap().to_string(), "2.0.0-rc.1");
        assert_eq!(newest(&[]), None);
    }
}

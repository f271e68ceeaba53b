//! `add`: finds the requested packages, writes them into the manifest in memory, and syncs.

mod finder;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use semver::VersionReq;

use super::CommandContext;
use super::agents::{
    self, AgentChooser, DetectedTarget, SkillReach, SkillVisibility, TargetProposal,
};
use super::budget::warn_of_losses;
use super::preview::{SkillPreview, preview};
use super::release_age::release_age;
use super::sync::{
    PinPolicy, ProjectLock, SyncOptions, SyncReport, SyncRequest, lock_project, sync_with,
};
use finder::EntryFinder;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::manifest::Manifest;
use skillpm_core::manifest::edit::{self, DependencyEntry};
use skillpm_core::package::{
    GitReference, PackageDependency, PackageName, PackageSpec, RelPath, SkillName, SourceId,
};
use skillpm_core::report::ProgressEvent;
use skillpm_core::resolver::shell_quoted;
use skillpm_io::disk;
use skillpm_io::git::GitCheckout;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// Options of [`add`].
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct AddOptions {
    /// The packages to add, as they were typed.
    pub specs: Vec<PackageSpec>,
    /// The names of the skills to add, of a source with several; empty to ask.
    pub skills: Vec<String>,
    /// Adds all skills of a source.
    pub all: bool,
    /// With `all`: skips skills that no agent would load, that have no usable name, or that are refused, instead of
    /// failing.
    pub keep_going: bool,
    /// The version requirement; `None` for `^` of the newest version.
    pub req: Option<VersionReq>,
    /// The branch, tag or commit of a git source.
    pub reference: Option<GitReference>,
    /// The directory inside the source.
    pub path: Option<RelPath>,
    /// The registry that package names are looked up in; `None` for the default one.
    pub registry: Option<String>,
    /// The name to install under; `None` for the skill's own.
    pub alias: Option<SkillName>,
    /// Whether it is a development dependency.
    pub dev: bool,
    /// Agents to add as targets: their own directories get the skills, too.
    pub targets: Vec<String>,
    /// Whether a new project gets the agents that are used in it as targets.
    pub detect: bool,
    /// Which project: the one around the current directory, or the user's own skills.
    pub sort: WorkspaceKind,
    /// How far the sync goes.
    pub sync_options: SyncOptions,
}

/// Asks the user which of several skills to add, each with its description; returns their
/// positions. `None` if the session is not interactive.
pub type SkillChooser<'a> = &'a dyn Fn(&[(String, String)]) -> Result<Option<Vec<usize>>>;

/// Reads what would be added.
pub type PreviewReader<'a> = &'a dyn Fn() -> Result<Vec<SkillPreview>>;

/// What [`add`] asks the user.
#[derive(Clone, Copy)]
pub struct AddPrompts<'a> {
    /// Whether the repository on GitHub is meant by a name that is no package.
    pub repository: &'a dyn Fn(&PackageName) -> Result<bool>,
    /// Which skills of a source.
    pub skills: SkillChooser<'a>,
    /// Whether to add what was chosen: an error if not.
    pub confirm: &'a dyn Fn(PreviewReader<'_>) -> Result<()>,
    /// Which of the detected agents.
    pub agents: AgentChooser<'a>,
}

/// Adds packages to a project and installs them.
///
/// The sources that cannot be reached are in the report, if there are others.
///
/// # Errors
/// If a package is not found, a name is taken, or no version matches; then nothing was changed.
pub fn add(
    context: &CommandContext<'_>,
    options: &AddOptions,
    prompts: AddPrompts<'_>,
) -> Result<SyncReport> {
    for agent in &options.targets {
        // A typo in an agent's name costs no lookup.
        agents::required_agent(context, agent)?;
    }

    // Everything below runs under the project's lock, on the files as they are now.
    let lock = lock_project(context, options.sort, Some(context.new_project_root()))?;
    // Before any lookup: a lockfile that cannot be read stops every command alike.
    lock.workspace.lockfile()?;

    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, &lock.workspace.root, &registries, context.reporter);
    let finder = EntryFinder {
        context,
        options,
        sources: &sources,
        workspace: &lock.workspace,
        age: release_age(context, &lock.workspace.manifest(&registries)?.policy)?,
        choose: prompts.skills,
        is_repository: prompts.repository,
    };

    let (mut entries, mut failed) = (Vec::new(), Vec::new());
    for spec in &options.specs {
        match finder.find_entries(spec) {
            Ok(found) => entries.extend(found),
            Err(error) if error.kind() == FailureKind::Network => failed.push(error),
            Err(error) => return Err(error),
        }
    }
    if entries.is_empty() {
        let all = std::mem::take(&mut failed);
        Error::fail_if_any(all, |count| format!("{count} sources cannot be reached"))?;
    }

    (prompts.confirm)(&|| preview_entries(&finder, &lock, &entries))?;

    let synced = sync_entries(&finder, &lock, &entries, prompts.agents)?;
    Ok(SyncReport {
        failed: [failed, synced.failed].concat(),
        ..synced
    })
}

/// What the entries would add.
fn preview_entries(
    finder: &EntryFinder<'_, '_>,
    lock: &ProjectLock,
    entries: &[DependencyEntry],
) -> Result<Vec<SkillPreview>> {
    let EntryFinder {
        context,
        options,
        sources,
        workspace,
        ..
    } = *finder;
    let text = new_manifest(context, workspace, entries, options)?;
    let names: BTreeSet<SkillName> = entry_names(entries)?.into_iter().collect();
    let request = SyncRequest {
        manifest_text: Some(text),
        keep: PinPolicy::AllBut(names.clone()),
        ..SyncRequest::default()
    };
    preview(context, lock, sources, &request, &names)
}

/// Warns of registries that only this user's settings have.
fn warn_of_own_registries(context: &CommandContext<'_>, entries: &[DependencyEntry]) {
    let fields = entries.iter().flat_map(|entry| &entry.fields);
    let names: BTreeSet<&str> = fields
        .filter(|(key, _)| *key == "registry")
        .map(|(_, name)| name.as_str())
        .collect();
    for name in names {
        let Some(url) = context.config.own_index(name) else {
            continue;
        };
        context.reporter.report(ProgressEvent::Warning {
            message: format!("registry `{name}` is in your own settings, which a clone of this project does not have"),
            help: Some(format!(
                "to share it, run `skillpm config set --project registries.{name}.index {}`",
                shell_quoted(url.to_owned())
            )),
        });
    }
}

/// Warns of directories and archives that are in no clone of the repository around a project.
fn warn_of_outside_paths(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    entries: &[DependencyEntry],
) {
    let is_of_git = |entry: &&DependencyEntry| entry.fields.iter().any(|(key, _)| *key == "git");
    let own = entries.iter().filter(|entry| !is_of_git(entry));
    let fields = own.flat_map(|entry| &entry.fields);
    let mut local = fields
        .filter(|(key, _)| matches!(*key, "path" | "archive"))
        .peekable();
    // Most packages have a source that every clone can reach: no repository is opened for them.
    if local.peek().is_none() {
        return;
    }
    let Ok(Some(checkout)) = GitCheckout::discover(&workspace.root) else {
        return;
    };
    let directory = workspace.edited_dir();
    for (_, path) in local {
        let place = disk::normalize_path(&directory.join(path));
        if place.starts_with(checkout.root()) || path.contains("://") {
            continue;
        }
        context.reporter.report(ProgressEvent::Warning {
            message: format!("`{path}` is outside of this repository, and in no clone of it"),
            help: Some(
                "to share the skill, add it by the URL of its own repository, or publish it".into(),
            ),
        });
    }
}

/// The names that entries are installed under.
fn entry_names(entries: &[DependencyEntry]) -> Result<Vec<SkillName>> {
    entries
        .iter()
        .map(|entry| Ok(PackageName::parse_key(&entry.key)?.skill().clone()))
        .collect()
}

/// Adds entries to the manifest, and installs them.
fn sync_entries(
    finder: &EntryFinder<'_, '_>,
    lock: &ProjectLock,
    entries: &[DependencyEntry],
    choose: AgentChooser<'_>,
) -> Result<SyncReport> {
    let EntryFinder {
        context,
        options,
        sources,
        workspace,
        ..
    } = *finder;
    let is_new = !workspace.exists && !options.sync_options.dry_run;
    let answer = RefCell::new(None);
    // Asked once, however often it is tried.
    let choose_once = |proposals: &[TargetProposal]| {
        if answer.borrow().is_none() {
            *answer.borrow_mut() = Some(choose(proposals)?);
        }
        Ok(answer.borrow().clone().flatten())
    };

    let mut entries = entries.to_vec();
    let (mut synced, request, detected) = loop {
        let (request, detected) = match request_entries(finder, &entries, is_new, &choose_once) {
            Ok(requested) => requested,
            Err(error) if !options.all || error.packages().is_empty() => return Err(error),
            // One that is there from another source stays.
            Err(error) if options.keep_going && entries.len() > 1 => {
                entries.retain(|entry| !error.packages().contains(&entry.key));
                finder.report_skipped(&error);
                continue;
            }
            Err(error) if options.keep_going => return Err(error),
            Err(error) => return Err(error.help("`--keep-going` adds the others")),
        };
        let error = match sync_with(context, lock, sources, &request, options.sync_options) {
            Ok(synced) => break (synced, request, detected),
            Err(error) => error,
        };

        // Nothing was changed, so that it can be tried without those that are refused. A host that cannot be reached would
        // be asked again for each of its skills.
        let all = entries.len();
        let is_refused = error.kind() == FailureKind::Integrity && !error.packages().is_empty();
        if options.all && options.keep_going && is_refused {
            entries.retain(|entry| !error.packages().contains(&entry.key));
        }
        if entries.len() == all {
            let error = note_detected(error, &detected);
            return Err(if options.all && !options.keep_going && is_refused {
                error.help("`--keep-going` adds the others")
            } else {
                error
            });
        }
        finder.report_skipped(&error);
    };
    synced.detected = detected;
    let added = entry_names(&entries)?;
    if synced.reach.is_none() {
        synced.reach = find_reach(context, workspace, &request, &added)?;
    }
    if workspace.kind != WorkspaceKind::Managed && !synced.dry_run {
        warn_of_own_registries(context, &entries);
        warn_of_outside_paths(context, workspace, &entries);
    }
    if let Some(reach) = synced.reach.as_ref().filter(|_| !synced.dry_run) {
        warn_of_losses(context, &reach.seen_by, &added);
    }

    let registries = |name: Option<&str>| context.config.registry(name);
    let denied = workspace.manifest(&registries)?.catalog.deny;
    for name in added
        .iter()
        .filter(|name| denied.iter().any(|one| *one == name.as_str()))
    {
        context.reporter.report(ProgressEvent::Warning {
            message: format!("`{name}` is disabled: no agent gets it"),
            help: Some(format!("run `skillpm enable {name}`")),
        });
    }

    if is_new {
        context.reporter.report(ProgressEvent::Done {
            verb: "Created",
            what: workspace.manifest_path().display().to_string(),
        });
    }
    Ok(synced)
}

/// Where the added skills are, if nothing had to be installed.
fn find_reach(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    request: &SyncRequest,
    added: &[SkillName],
) -> Result<Option<SkillReach>> {
    let next = match &request.manifest_text {
        Some(text) => Cow::Owned(workspace.with_edited_text(text)),
        None => Cow::Borrowed(workspace),
    };
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = next.manifest(&registries)?;
    Ok(SkillVisibility::find_reach(
        context, &next, &manifest, added,
    ))
}

/// Says how to do without the detected agents, in an error about one of their directories.
pub(super) fn note_detected(error: Error, detected: &[DetectedTarget]) -> Error {
    match detected.iter().find(|target| mentions(&error, target)) {
        None => error,
        Some(target) => {
            let (name, found) = (target.agent.name.clone(), target.found.clone());
            error
                .note(format!("{name} was detected by `{found}`"))
                .help(format!("to leave {name} out, pass `--no-detect`"))
        }
    }
}

fn mentions(error: &Error, target: &DetectedTarget) -> bool {
    let directory = target.directory.display().to_string();
    let mut notes = error.notes().iter().chain(error.causes());
    error.message().contains(&directory) || notes.any(|text| text.contains(&directory))
}

/// The request to add these entries, to a project that may be new, and the detected agents in it.
fn request_entries(
    finder: &EntryFinder<'_, '_>,
    entries: &[DependencyEntry],
    is_new: bool,
    choose: AgentChooser<'_>,
) -> Result<(SyncRequest, Vec<DetectedTarget>)> {
    if entries.is_empty() {
        return Err(Error::negative(
            "no skills to add: none was selected, or none can be loaded",
        ));
    }

    let mut text = new_manifest(finder.context, finder.workspace, entries, finder.options)?;
    let mut detected = Vec::new();
    // With `--locked` the manifest stays as it is.
    if finder.options.detect && !finder.options.sync_options.locked {
        let found = agents::detect_targets(finder.context, finder.workspace, text, choose)?;
        (text, detected) = (found.text, found.targets);
    }

    let request = SyncRequest {
        manifest_text: (text != finder.workspace.edited_text()? || is_new).then_some(text),
        // Only the named skills are resolved again; all others stay as they are locked.
        keep: PinPolicy::AllBut(entry_names(entries)?.into_iter().collect()),
        ..SyncRequest::default()
    };
    Ok((request, detected))
}

/// The manifest text with `entries` and the new targets in it.
fn new_manifest(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    entries: &[DependencyEntry],
    options: &AddOptions,
) -> Result<String> {
    let registries = |name: Option<&str>| context.config.registry(name);
    // Of the manifest that is edited, which may be that of a member.
    let before = workspace.edited_manifest(&registries)?;

    refuse_targets_of_member(workspace, options)?;
    let before_text = workspace.edited_text()?;
    let write = |entries: &[DependencyEntry]| {
        let text = edit::set_dependencies(&before_text, entries)?;
        let mut targets = options.targets.iter();
        targets.try_fold(text, |text, agent| edit::add_target(&text, agent))
    };
    let text = write(entries)?;

    // Compared after parsing: two spellings of one source are the same source.
    let after = workspace
        .with_edited_text(&text)
        .edited_manifest(&registries)?;
    let mut changed = Vec::new();
    for entry in entries {
        let name = PackageName::parse_key(&entry.key)?;
        refuse_other_source(&before, &after, name.skill())
            .map_err(|error| error.about([entry.key.clone()]))?;
        if !keeps_reference(&before, &after, name.skill()) {
            changed.push(entry.clone());
        }
    }
    if changed.len() == entries.len() {
        Ok(text)
    } else {
        write(&changed)
    }
}

/// Whether a git dependency that is there with a version, branch, tag or commit is added without any: then it stays as it is.
/// A skill may be added again by the name of the directory that it moved to.
fn keeps_reference(before: &Manifest, after: &Manifest, name: &SkillName) -> bool {
    let (Some(old), Some(new)) = (find_dependency(before, name), find_dependency(after, name))
    else {
        return false;
    };
    let is_default = |dependency: &PackageDependency| match &dependency.source {
        SourceId::Git { reference, .. } => Some(*reference == GitReference::Default),
        _ => None,
    };
    is_default(old) == Some(false) && is_default(new) == Some(true) && old.dev == new.dev
}

fn refuse_targets_of_member(workspace: &Workspace, options: &AddOptions) -> Result<()> {
    // `targets` belongs to the workspace root; the manifest of a member cannot set it.
    let Some(member) = workspace
        .member
        .as_ref()
        .filter(|_| !options.targets.is_empty())
    else {
        return Ok(());
    };

    Err(Error::usage(format!(
        "cannot set targets in workspace member `{member}`: they are set in the workspace root"
    ))
    .help(format!(
        "add the target in the root: `skillpm -C {} add --target …`",
        workspace.root.display()
    )))
}

/// Refuses to change the source of a dependency: the same source is updated in place; another one
/// would silently replace a skill.
fn refuse_other_source(before: &Manifest, after: &Manifest, name: &SkillName) -> Result<()> {
    let (Some(old), Some(new)) = (find_dependency(before, name), find_dependency(after, name))
    else {
        return Ok(());
    };

    if is_same_skill(old, new) {
        return Ok(());
    }
    Err(Error::negative(format!(
        "conflicting dependency `{name}`: it is already added from another source"
    ))
    .note(format!("current    {}", describe_source(old)))
    .note(format!("requested  {}", describe_source(new)))
    .help(format!(
        "add it under another name with `--as NAME`, or `skillpm remove {name}` first"
    )))
}

fn find_dependency<'m>(manifest: &'m Manifest, name: &SkillName) -> Option<&'m PackageDependency> {
    manifest
        .dependencies
        .iter()
        .find(|known| known.alias == *name)
}

fn is_same_skill(old: &PackageDependency, new: &PackageDependency) -> bool {
    old.source.is_same_location(&new.source)
        && old.package == new.package
        && old.subdir == new.subdir
}

fn describe_source(dependency: &PackageDependency) -> String {
    match &dependency.subdir {
        Some(dir) => format!("`{dir}` in {}", dependency.source.describe()),
        None => format!(
            "`{}` in {}",
            dependency.package,
            dependency.source.describe()
        ),
    }
}

/// The keys of a manifest entry that say which reference of a git source is used.
pub(super) fn reference_fields(
    reference: &GitReference,
    req: Option<&VersionReq>,
) -> Vec<(&'static str, String)> {
    match reference {
        GitReference::Default => Vec::new(),
        GitReference::Branch(name) => vec![("branch", name.clone())],
        GitReference::Tag(name) => vec![("tag", name.clone())],
        GitReference::Rev(name) => vec![("rev", name.clone())],
        GitReference::Versions => {
            vec![("version", req.map_or("*".to_owned(), ToString::to_string))]
        }
    }
}

/// The requirement that `add` writes for a version: `^1.2` for 1.2.0, `^1.2.3` for 1.2.3.
pub(super) fn caret_requirement(version: &semver::Version) -> String {
    match (version.patch, version.pre.is_empty()) {
        (0, true) => format!("^{}.{}", version.major, version.minor),
        _ => format!(
            "^{}.{}.{}{}",
            version.major,
            version.minor,
            version.patch,
            prerelease_suffix(version)
        ),
    }
}

fn prerelease_suffix(version: &semver::Version) -> String {
    if version.pre.is_empty() {
        String::new()
    } else {
        format!("-{}", version.pre)
    }
}

/// The error for a registry package of which no version can be read; `reason` is that of its
/// first index line.
pub(super) fn unreadable_package_error(name: &PackageName, reason: &str) -> Error {
    Error::integrity(format!("failed to read any version of `{name}`"))
    .note(reason.to_owned())
    .help("upgrade skillpm, which may support this index format; otherwise report it to the owners of the registry")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_as_short_as_possible() {
        for (version, written) in [
            ("1.2.0", "^1.2"),
            ("1.2.3", "^1.2.3"),
            ("0.3.1", "^0.3.1"),
            ("2.0.0-rc.1", "^2.0.0-rc.1"),
        ] {
            assert_eq!(caret_requirement(&version.parse().unwrap()), written);
        }
    }
}

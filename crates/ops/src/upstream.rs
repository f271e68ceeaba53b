//! Skills that a newer commit of their repository has in another directory, or no longer has.

use std::collections::BTreeMap;

use super::CommandContext;
use super::outdated::{OutdatedSkill, compare_dependency};
use super::sync::{HeldSkill, MovedSkill, SyncRequest};
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::edit;
use skillpm_core::package::{PackageDependency, RelPath, SkillName, SourceId};
use skillpm_core::resolver::{ExplainContext, RootDependency, command_in};
use skillpm_registry::sources::{PackageSources, SkillLookup, SkillMove};
use skillpm_registry::workspace::Workspace;

/// Looks for outdated skills at the commits of their new versions. Of one that cannot be looked for, nothing is found: its
/// update fails, and says why.
pub(super) fn find_moves(
    sources: &PackageSources<'_>,
    lockfile: &Lockfile,
    outdated: &[OutdatedSkill],
) -> BTreeMap<SkillName, SkillMove> {
    let lookups: Vec<(&SkillName, SkillLookup<'_>)> = outdated
        .iter()
        .filter_map(|found| {
            let commit = found.commit.as_deref()?;
            let locked = lockfile.installed_as(&found.name)?;
            Some((&found.name, SkillLookup { locked, commit }))
        })
        .collect();

    let moves = sources.find_moves(
        &lookups
            .iter()
            .map(|(_, lookup)| *lookup)
            .collect::<Vec<_>>(),
    );
    let moves = lookups.iter().zip(moves);
    moves
        .filter_map(|((name, _), found)| Some(((*name).clone(), found.ok()??)))
        .collect()
}

/// Why a skill that is gone at a revision is not updated to it; finishes the sentence "it …".
pub(super) fn gone_reason(
    line: &RootDependency,
    locked: &LockedPackage,
    revision: &str,
    dirs: &[String],
) -> String {
    let name = locked.install_name();
    let before = locked
        .path
        .as_ref()
        .map_or("the root".to_owned(), |dir| format!("`{dir}`"));
    let reason = format!("is no longer in {before} of its repository");
    let remove = command_in(line.member.as_ref(), &format!("remove {name}"));

    let there = |dir: &String| RootDependency {
        dependency: PackageDependency {
            subdir: dir.parse().ok(),
            ..line.dependency.clone()
        },
        member: line.member.clone(),
    };
    // What the manifest requires now may not have that directory.
    let newer = format!("^{revision}").parse().ok();
    let req = newer
        .filter(|_| line.dependency.source.has_version_tags())
        .unwrap_or_else(|| line.dependency.req.clone());
    let add = dirs.first().and_then(|first| {
        let package = line.dependency.package.skill();
        ExplainContext::default().add_command(&there(first), &req, package)
    });
    let (Some(first), Some(add)) = (dirs.first(), add) else {
        return format!("{reason}; to remove it, run `{remove}`");
    };

    // Nothing is lost if the first of the two fails; but two skills cannot have one name.
    let is_same_name = first.rsplit('/').next() == Some(name.as_str());
    let commands = if is_same_name {
        format!("{remove} && {add}")
    } else {
        format!("{add} && {remove}")
    };
    let names: Vec<String> = dirs.iter().map(|dir| format!("`{dir}`")).collect();
    format!(
        "{reason}, which has {} now; to use {}, run `{commands}`",
        names.join(", "),
        if names.len() == 1 {
            "that"
        } else {
            "the first"
        }
    )
}

/// What a request for new versions meets in the repositories.
#[derive(Debug, Default)]
pub(super) struct UpstreamChanges {
    pub(super) moved: Vec<MovedSkill>,
    pub(super) held: Vec<HeldSkill>,
}

/// Changes a request for new versions so that it follows skills that moved, and keeps those that are gone as they are
/// locked.
///
/// # Errors
/// If a manifest is invalid.
pub(super) fn follow_moves(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    sources: &PackageSources<'_>,
    lockfile: &Lockfile,
    request: &mut SyncRequest,
) -> Result<UpstreamChanges> {
    let mut text = match &request.manifest_text {
        Some(text) => text.clone(),
        None => workspace.edited_text()?,
    };
    let next = workspace.with_edited_text(&text);
    let registries = |name: Option<&str>| context.config.registry(name);
    let roots = next.read_manifests(&registries)?.roots;
    let released: Vec<(&RootDependency, &LockedPackage)> = roots
        .iter()
        .filter_map(|root| {
            let locked = lockfile.installed_as(&root.dependency.alias)?;
            let is_same = locked.source.is_same_location(&root.dependency.source);
            let is_git = matches!(locked.source, SourceId::Git { .. });
            (is_git && is_same && !request.keeps(locked.install_name())).then_some((root, locked))
        })
        .collect();

    let outdated = new_commits(sources, lockfile, request, &released);
    let moves = find_moves(sources, lockfile, &outdated);
    let mut changes = UpstreamChanges::default();
    for (root, locked) in released {
        let name = locked.install_name();
        let (found, revision) = match (
            moves.get(name),
            outdated.iter().find(|one| one.name == *name),
        ) {
            (Some(found), Some(newer)) => (found, newer.revision().to_owned()),
            _ => continue,
        };
        let hold = |reason: String| HeldSkill {
            name: name.clone(),
            revision: revision.clone(),
            reason,
        };

        match found {
            SkillMove::To(to) => {
                if root.dependency.subdir.is_some() {
                    // Another manifest than this command edits.
                    if !is_edited(workspace, root) {
                        let to = to.as_ref().map_or("the root", RelPath::as_str);
                        let command = format!("update {name}");
                        changes.held.push(hold(format!(
                            "moved to `{to}`; run `{}`",
                            command_in(root.member.as_ref(), &command)
                        )));
                        request.held.insert(name.clone());
                        continue;
                    }
                    let keys = [name.as_str(), &root.dependency.package.to_string()];
                    text = edit::set_directory(&text, &keys, to.as_ref())?;
                }
                for (id, path) in &mut request.precise {
                    if id.name == locked.name {
                        path.clone_from(to);
                    }
                }
                changes.moved.push(MovedSkill {
                    name: name.clone(),
                    from: locked.path.clone(),
                    to: to.clone(),
                });
            }
            SkillMove::Gone(dirs) => {
                changes
                    .held
                    .push(hold(gone_reason(root, locked, &revision, dirs)));
                // Of several versions, the newest that has it is chosen.
                if !root.dependency.source.has_version_tags() {
                    request.held.insert(name.clone());
                }
            }
        }
    }

    if text != workspace.edited_text()? {
        request.manifest_text = Some(text);
    }
    Ok(changes)
}

/// Whether the manifest that a command edits is the one that declares a dependency.
fn is_edited(workspace: &Workspace, root: &RootDependency) -> bool {
    let edited = workspace.member.as_ref().map(RelPath::as_str);
    edited == root.member.as_ref().map(|member| member.dir.as_str())
}

/// The released packages with a newer commit, or another one that was requested.
fn new_commits(
    sources: &PackageSources<'_>,
    lockfile: &Lockfile,
    request: &SyncRequest,
    released: &[(&RootDependency, &LockedPackage)],
) -> Vec<OutdatedSkill> {
    let dependencies: Vec<PackageDependency> = released
        .iter()
        .map(|(root, _)| root.dependency.clone())
        .collect();
    let states = sources.remote_states(&dependencies);

    let mut outdated = Vec::new();
    for ((dependency, (_, locked)), state) in dependencies.iter().zip(released).zip(states) {
        // A source that fails is reported by the query that follows.
        let Ok(state) = state else { continue };
        let mut precise = request.precise.iter();
        let precise = precise.find(|(id, _)| id.name == locked.name);
        let version = precise.and_then(|(id, _)| id.version.as_ref());
        let requested = match version {
            Some(version) => state.tagged.get(version),
            None => request.commits.get(locked.install_name()),
        };
        match (requested, compare_dependency(dependency, lockfile, &state)) {
            (Some(commit), _) => {
                let shown = version.map_or(commit.chars().take(8).collect(), ToString::to_string);
                outdated.push(OutdatedSkill {
                    commit: Some(commit.clone()),
                    ..OutdatedSkill::new(dependency, locked, shown)
                });
            }
            // What the manifest does not allow is not chosen.
            (None, Some(newer)) if newer.compatible.is_some() => outdated.push(newer),
            _ => {}
        }
    }
    outdated
}

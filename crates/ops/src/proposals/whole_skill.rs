//! Proposals of Devai's agents to create a skill, or to delete one.
//!
//! ```text
//! create ──▶ skills/ID/{skill.json, execute.ts}
//! delete ──▶ .skillpm/backup/TIME/skills/ID, or `remove` for an installed package
//! ```

use std::path::{Path, PathBuf};

use super::super::CommandContext;
use super::super::agents::required_agent;
use super::super::remove::{RemoveOptions, remove};
use super::super::sync::SyncOptions;
use super::{
    ChangeFindings, FileTexts, ProposalDraft, ProposalTarget, SkillProposal, changed_texts,
    check_sizes, folders, gate_of, hidden_character_remark, lock_owner, new_findings,
    outdated_proposal, pass_gate, read_devai_skill, tree_with,
};
use skillpm_catalog::catalog::Tier;
use skillpm_catalog::catalog::loaded::devai_exists;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::SkillName;
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::formats::devai::{MANIFEST, SCRIPTS};
use skillpm_core::skill::proposal::{ProposalAction, digest_texts};
use skillpm_core::skill::{self, SkillFormat};
use skillpm_io::disk;
use skillpm_io::local_files::LocalFiles;
use skillpm_registry::install::transaction::Transaction;
use skillpm_registry::workspace::WorkspaceKind;

/// The file that Devai writes the code of a new skill to.
const NEW_SCRIPT: &str = SCRIPTS[0];

/// The most files that a remark names.
const NAMED_FILES_MAX: usize = 20;

/// Drafts a new skill of Devai.
///
/// # Errors
/// If there is one of that name, or Devai could not use it.
pub(super) fn draft_creation(
    context: &CommandContext<'_>,
    name: &str,
    files: &FileTexts,
) -> Result<ProposalDraft> {
    let directory = free_directory(context, name)?;
    let remarks = review_new(name, files)?;

    let before = files.keys().map(|file| (file.clone(), String::new()));
    Ok(ProposalDraft {
        action: ProposalAction::Create,
        location: directory.join(MANIFEST),
        before: before.collect(),
        after: files.clone(),
        remarks,
    })
}

/// The directory of a skill of Devai that does not exist yet.
fn free_directory(context: &CommandContext<'_>, name: &str) -> Result<PathBuf> {
    // Parsed first: a name with `..` in it would be a path.
    let name: SkillName = name.parse()?;
    let directory = devai_directory(context)?.join(name.as_str());
    if disk::lstat(&directory)?.is_some() {
        return Err(Error::negative(devai_exists(name.as_str()))
            .note(format!("found `{}`", directory.display())));
    }
    Ok(directory)
}

/// The directory that Devai reads its skills from, in the project.
fn devai_directory(context: &CommandContext<'_>) -> Result<PathBuf> {
    let root = match context.project()? {
        Some(workspace) => workspace.root,
        None => context.new_project_root().to_owned(),
    };
    let agent = required_agent(context, "devai")?;
    let directory = agent
        .project_dir
        .ok_or_else(|| Error::negative("agent `devai` has no directory in a project"))?;
    Ok(root.join(directory))
}

/// Checks the files of a new skill; returns remarks for the reviewer.
fn review_new(name: &str, files: &FileTexts) -> Result<Vec<String>> {
    // Only what Devai writes itself, since the page could have been written without `propose`.
    if let Some(other) = files
        .keys()
        .find(|file| *file != MANIFEST && *file != NEW_SCRIPT)
    {
        return Err(Error::negative(format!(
            "unknown file `{}` in a new skill: expected `{MANIFEST}` and `{NEW_SCRIPT}`",
            other.escape_debug()
        )));
    }
    check_sizes(files)?;

    let reading = read_devai_skill(name, files, &|_| None);
    match &reading.skill {
        Some(skill) if *skill.name == *name => {}
        Some(skill) => {
            return Err(Error::negative(format!(
                "invalid id `{}` in `{MANIFEST}`: expected `{name}`",
                skill.name.escape_debug()
            )));
        }
        None => {
            return Err(skill::unreadable_error(MANIFEST, &reading.diagnostics)
                .wrap("the new skill is invalid"));
        }
    }

    let mut remarks = new_findings(&[], &reading.diagnostics);
    remarks.extend(hidden_character_remark(&FileTexts::new(), files));
    Ok(remarks)
}

/// Creates the skill of a proposal.
///
/// # Errors
/// If there is one of that name by now, the page was changed, or a write fails. Nothing is changed then.
pub(super) fn create(context: &CommandContext<'_>, made: &SkillProposal) -> Result<()> {
    let lock = lock_owner(context, Tier::Workspace)?;
    // Never a path from the page: the directory is where Devai looks now.
    let directory = free_directory(context, &made.skill).map_err(|error| {
        error.help(format!(
            "to drop the proposal, run `skillpm proposals reject {}`",
            made.id
        ))
    })?;

    let files = changed_texts(made, &FileTexts::new())?;
    review_new(&made.skill, &files)?;
    pass_gate(context, made, &check_new(context, &made.skill, &files)?)?;
    let tree = tree_with(None, &files)?;
    let Some(lock) = lock else {
        return disk::write_tree_atomic(&directory, &tree);
    };
    let mut changes = Transaction::begin(&context.state_dir(&lock.workspace))?;
    changes.put_tree(&directory, &tree, None, &LocalFiles::default())?;
    changes.commit()
}

/// What the install gate finds in a new skill.
pub(super) fn check_new(
    context: &CommandContext<'_>,
    name: &str,
    files: &FileTexts,
) -> Result<ChangeFindings> {
    let (before, after) = (tree_with(None, &FileTexts::new())?, tree_with(None, files)?);
    Ok(gate_of(context, Tier::Workspace)?.check_change(name, &before, &after))
}

/// Drafts the removal of a skill of Devai.
///
/// # Errors
/// If the skill is of another format, or cannot be read.
pub(super) fn draft_removal(target: &ProposalTarget<'_>) -> Result<ProposalDraft> {
    if target.format() != SkillFormat::Devai {
        return Err(Error::negative(format!(
            "cannot propose to delete `{}`: it is no skill of Devai",
            target.candidate.listing.name
        )));
    }

    let before = removed_texts(target)?;
    let after = before.keys().map(|file| (file.clone(), String::new()));
    Ok(ProposalDraft {
        action: ProposalAction::Delete,
        location: target.location.clone(),
        after: after.collect(),
        remarks: removal_remarks(target, &before)?,
        before,
    })
}

/// The files of a skill that the page of its removal shows.
fn removed_texts(target: &ProposalTarget<'_>) -> Result<FileTexts> {
    let scripts = SCRIPTS.into_iter().map(str::to_owned);
    let files: Vec<String> = [MANIFEST.to_owned()].into_iter().chain(scripts).collect();
    let mut texts = target.read_files(files.iter())?;
    texts.retain(|_, text| !text.is_empty());
    Ok(texts)
}

/// What is removed besides the files on the page.
fn removal_remarks(target: &ProposalTarget<'_>, shown: &FileTexts) -> Result<Vec<String>> {
    let mut others = disk::list_names(&target.directory)?;
    others.retain(|name| !shown.contains_key(name));

    let count = others.len();
    others.truncate(NAMED_FILES_MAX);
    let names: Vec<String> = others
        .iter()
        .map(|name| format!("`{}`", name.escape_debug()))
        .collect();
    let mut remarks = Vec::new();
    if count > 0 {
        remarks.push(format!(
            "removes {count} more in the directory: {}{}",
            names.join(", "),
            if count > names.len() { ", …" } else { "" }
        ));
    }
    if target.candidate.source.is_some() {
        remarks.push("removes an installed package from the project".to_owned());
    }
    Ok(remarks)
}

/// Deletes the skill of a proposal: a package as `remove` does, another one into the backup.
///
/// # Errors
/// If the skill has changed, or a write fails. Nothing is changed then.
pub(super) fn delete(
    context: &CommandContext<'_>,
    target: &ProposalTarget<'_>,
    made: &SkillProposal,
) -> Result<()> {
    if digest_texts(&removed_texts(target)?) != made.base {
        return Err(outdated_proposal(
            made,
            format!(
                "`{}` has changed since the proposal",
                target.directory.display()
            ),
        ));
    }

    if target.candidate.source.is_some() {
        let kind = match target.tier() {
            Tier::Workspace => WorkspaceKind::Project,
            _ => WorkspaceKind::Managed,
        };
        let options = RemoveOptions {
            names: vec![target.candidate.directory.to_string()],
            source: false,
            sort: kind,
            sync: SyncOptions::default(),
        };
        return remove(context, &options).map(drop);
    }
    let place = move_to_backup(context, target)?;
    context.reporter.report(ProgressEvent::Done {
        verb: "Moved",
        what: format!("{} to {}", target.directory.display(), place.display()),
    });
    Ok(())
}

/// Moves the directory of a skill into the backup, and returns where it is there.
fn move_to_backup(context: &CommandContext<'_>, target: &ProposalTarget<'_>) -> Result<PathBuf> {
    let name = target.directory.file_name().unwrap_or_default();
    let backup = Path::new(&context.now.to_string())
        .join("deleted")
        .join(name);

    if let Some(lock) = lock_owner(context, target.tier())? {
        let state = context.state_dir(&lock.workspace);
        let mut changes = Transaction::begin(&state)?;
        changes.back_up(&target.directory, &backup)?;
        changes.commit()?;
        return Ok(state.path().join("backup").join(backup));
    }

    // Without a manifest there is no transaction; one rename is made or not.
    let [proposals, _] = folders(context)?;
    let place = proposals.path.with_file_name("backup").join(backup);
    let mut handles = proposals.handles();
    if let Some(parent) = place.parent() {
        handles.create_dir(parent)?;
    }
    handles
        .move_into_place(&target.directory, &place)?
        .require_moved(&target.directory)?;
    Ok(place)
}

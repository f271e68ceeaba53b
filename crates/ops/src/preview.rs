//! What would be added, read before it is added: for the selections that a person makes in `add`.

use std::collections::BTreeSet;

use super::CommandContext;
use super::lint::untrusted_skill;
use super::sync::{self, ProjectLock, SyncRequest};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{SkillName, Tree};
use skillpm_core::report::{FileFinding, ProgressEvent};
use skillpm_core::skill::{Skill, formats, tokens};
use skillpm_lint::LintSettings;
use skillpm_registry::sources::PackageSources;

/// A skill that would be added.
#[derive(Debug, Clone)]
pub struct SkillPreview {
    /// The name that it would be installed under.
    pub name: SkillName,
    /// Its version, commit or checksum.
    pub revision: String,
    /// Whether it was chosen, and not only required by a chosen one.
    pub is_chosen: bool,
    /// The skill.
    pub skill: Skill,
    /// The number of its files.
    pub files: usize,
    /// The size of its files in bytes.
    pub bytes: u64,
    /// About how many tokens its name and description cost in each conversation.
    pub listed_tokens: usize,
    /// About how many tokens its instructions cost once it is loaded.
    pub tokens: usize,
    /// What the security rules find in its files.
    pub findings: Vec<FileFinding>,
}

/// Reads the skills that a request would add or change, and checks their files as `audit` does. Nothing in the project
/// changes; the files are in the cache afterwards.
///
/// # Errors
/// If a package is not found, cannot be fetched, or has no skill.
pub(super) fn preview(
    context: &CommandContext<'_>,
    lock: &ProjectLock,
    sources: &PackageSources<'_>,
    request: &SyncRequest,
    chosen: &BTreeSet<SkillName>,
) -> Result<Vec<SkillPreview>> {
    let store = context.store()?;
    let changed = sync::preview(context, lock, sources, &store, request)?;
    context.reporter.report(ProgressEvent::Fetched);

    let mut previews = Vec::with_capacity(changed.len());
    for (name, (locked, tree)) in changed {
        // Adding it after the preview fetches nothing again.
        store.put(&tree)?;
        previews.push(describe(&locked, tree, chosen.contains(&name))?);
    }
    // The chosen ones first.
    previews.sort_by_key(|preview| !preview.is_chosen);
    Ok(previews)
}

fn describe(locked: &LockedPackage, tree: Tree, is_chosen: bool) -> Result<SkillPreview> {
    let name = locked.install_name();
    let directory = name.as_str();
    let skill = formats::read_tree(&tree, directory)
        .and_then(|read| read.into_file_reading("SKILL.md").skill)
        .ok_or_else(|| {
            Error::negative(format!("`{name}` has no skill that an agent would load"))
        })?;

    let text = tree.get(skill.format.descriptor()).unwrap_or_default();
    let instructions = tokens::approximate(&String::from_utf8_lossy(text));
    let files = tree.files();

    Ok(SkillPreview {
        name: name.clone(),
        revision: locked.revision(),
        is_chosen,
        files: files.len(),
        bytes: files.map(|(_, file)| file.bytes.len() as u64).sum(),
        listed_tokens: tokens::approximate(&format!("{}: {}", skill.name, skill.description)),
        tokens: instructions,
        findings: skillpm_lint::audit(
            &untrusted_skill(directory, directory, tree),
            &LintSettings::default(),
        ),
        skill,
    })
}

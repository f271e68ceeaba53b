//! `propose` and `proposals`: changes of skills that wait for a review.
//!
//! ```text
//! propose ──▶ .skillpm/proposals/NAME-TIME.md ──review──▶ apply ──▶ edit of the skill
//!                                                └──────▶ reject
//! ```
//!
//! No file of a skill changes before `apply`. Its change is an edit like any other: `verify`
//! reports it, and `update` keeps it. A proposal for a file that has changed since is refused, and so
//! is one whose result the install gate refuses: `propose` and `proposals show` name its findings.
//! Devai's agents also propose new skills, and the removal of skills (`whole_skill`).

mod whole_skill;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::CommandContext;
use super::catalog::{CatalogOptions, catalog};
use super::gate::{ChangeFindings, InstallGate, SeverityAction};
use super::inspect::find_entry;
use super::sync::{ProjectLock, lock_project};
use skillpm_catalog::catalog::{Catalog, SkillCandidate, Tier};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::Policy;
use skillpm_core::package::{Tree, TreeLimits};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, ProgressEvent};
use skillpm_core::skill::formats::{self, DESCRIPTOR_MAX, DirectoryFiles, devai};
use skillpm_core::skill::proposal::{self, FileDiff, ProposalAction, digest_texts};
use skillpm_core::skill::{self, SkillFormat, SkillReading};
use skillpm_core::text;
use skillpm_io::disk::{self, DirectoryHandles, FileEdit};
use skillpm_io::skills_dir;
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::install::transaction::Transaction;
use skillpm_registry::workspace::WorkspaceKind;

pub use skillpm_core::skill::proposal::{ProposalStatus, SkillProposal};

/// The highest number of open proposals, so that an agent in a loop cannot fill the disk.
const OPEN_MAX: usize = 200;
/// The longest justification or evidence, in bytes.
const TEXT_MAX: usize = 16 << 10;
/// The longest page, in bytes.
const PAGE_MAX: u64 = 8 << 20;

/// Files of a skill by name; the text of one that does not exist is empty.
type FileTexts = BTreeMap<String, String>;

/// A new proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRequest {
    /// The name of the skill.
    pub name: String,
    /// The change.
    pub change: ProposedChange,
    /// Why it should be made.
    pub justification: String,
    /// Evidence that it helps.
    pub evidence: Option<String>,
    /// Who proposes it.
    pub by: Option<String>,
}

/// The format of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedChange {
    /// The whole new file.
    Text(String),
    /// A unified diff.
    Diff(String),
    /// The whole new texts of some files of a Devai skill, by name.
    Files(BTreeMap<String, String>),
    /// A new Devai skill of that name, with these files.
    Create(BTreeMap<String, String>),
    /// The removal of the skill.
    Delete,
}

/// A proposal and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProposal {
    /// The proposal.
    pub proposal: SkillProposal,
    /// The file.
    pub path: PathBuf,
    /// The text of the file.
    pub page: String,
}

/// Stores a proposal for a skill of the catalog that `options` select.
///
/// # Errors
/// If the skill is unknown, the change does not apply or would make it invalid, or the same change
/// or too many are proposed already.
pub fn propose(
    context: &CommandContext<'_>,
    options: &CatalogOptions,
    proposed: &ProposalRequest,
) -> Result<StoredProposal> {
    propose_in(context, &catalog(context, options)?, proposed)
}

/// Stores a proposal for a skill of this catalog.
///
/// # Errors
/// As for [`propose`].
pub fn propose_in(
    context: &CommandContext<'_>,
    catalog: &Catalog,
    proposed: &ProposalRequest,
) -> Result<StoredProposal> {
    if let ProposedChange::Create(files) = &proposed.change {
        check_texts(proposed)?;
        let mut draft = whole_skill::draft_creation(context, &proposed.name, files)?;
        let found = whole_skill::check_new(context, &proposed.name, files)?;
        draft.remarks.extend(found.remarks());
        report_findings(context, &found);
        return store_proposal(
            context,
            Tier::Workspace,
            new_proposal(context, proposed, draft),
        );
    }

    let target = ProposalTarget::find(catalog, &proposed.name)?;
    let tier = target.tier();
    // Bundled skills are part of the program: there is no file to change.
    if tier == Tier::Bundled {
        return Err(
            Error::negative(format!("cannot change bundled skill `{}`", proposed.name)).help(
                "copy its directory to the project's `skills`, and propose a change of the copy",
            ),
        );
    }

    let draft = if proposed.change == ProposedChange::Delete {
        whole_skill::draft_removal(&target)?
    } else {
        let mut draft = draft_change(&target, &proposed.change)?;
        let found = target.check_gate(context, &draft.before, &draft.after)?;
        draft.remarks.extend(found.remarks());
        report_findings(context, &found);
        draft
    };
    check_texts(proposed)?;

    store_proposal(context, tier, new_proposal(context, proposed, draft))
}

/// What a proposal does, before it is a page.
struct ProposalDraft {
    action: ProposalAction,
    /// The file to change; of several the first.
    location: PathBuf,
    before: FileTexts,
    after: FileTexts,
    remarks: Vec<String>,
}

fn draft_change(target: &ProposalTarget<'_>, change: &ProposedChange) -> Result<ProposalDraft> {
    let main = target.file.to_owned();
    let (before, after) = match change {
        ProposedChange::Files(files) => {
            let before = target.read_files(files.keys())?;
            let is_changed = |(file, text): &(&String, &String)| before.get(*file) != Some(*text);
            let after: FileTexts = files
                .iter()
                .filter(is_changed)
                .map(|(file, text)| (file.clone(), text.clone()))
                .collect();
            (before, after)
        }
        ProposedChange::Diff(diff) => {
            let base = target.read()?;
            let result = proposal::apply(target.file, &base, diff)?;
            ([(main.clone(), base)].into(), [(main, result)].into())
        }
        ProposedChange::Text(text) => {
            let base = target.read()?;
            ([(main.clone(), base)].into(), [(main, text.clone())].into())
        }
        ProposedChange::Create(_) | ProposedChange::Delete => {
            return Err(Error::internal("not a change of a skill's files"));
        }
    };

    // Files that stay as they are are no part of the proposal.
    let mut before: FileTexts = before;
    before.retain(|file, _| after.contains_key(file));
    let remarks = target.review(&before, &after)?;
    let first = after.keys().next().map_or(target.file, String::as_str);
    Ok(ProposalDraft {
        action: ProposalAction::Change,
        location: target.directory.join(first),
        before,
        after,
        remarks,
    })
}

/// Checks the texts of a request before a page is written from them: they come from an agent.
fn check_texts(proposed: &ProposalRequest) -> Result<()> {
    let texts = [Some(&proposed.justification), proposed.evidence.as_ref()];
    if texts.iter().flatten().any(|text| text.len() > TEXT_MAX) {
        return Err(Error::usage(format!(
            "justification or evidence is too large: the limit is {TEXT_MAX} bytes each"
        )));
    }

    if proposed.justification.trim().is_empty() {
        return Err(Error::usage("missing justification of the proposal")
            .help("add the reason for the change"));
    }
    Ok(())
}

/// An open proposal to do what a draft says.
fn new_proposal(
    context: &CommandContext<'_>,
    proposed: &ProposalRequest,
    draft: ProposalDraft,
) -> SkillProposal {
    let now = i64::try_from(context.now)
        .ok()
        .and_then(|now| Timestamp::from_second(now).ok())
        .unwrap_or_default();

    // Invisible characters could make a reviewer read something else than the agent does.
    let clean = |text: Option<&str>| text.map(sanitize).filter(|text| !text.is_empty());
    let diff = |(file, before): (&String, &String)| {
        let after = draft.after.get(file).map_or("", String::as_str);
        FileDiff::between(file, before, after)
    };
    SkillProposal {
        id: format!(
            "{}-{}",
            slug(&proposed.name),
            now.strftime("%Y%m%dT%H%M%SZ")
        ),
        skill: proposed.name.clone(),
        action: draft.action,
        location: draft.location.to_string_lossy().into_owned(),
        base: digest_texts(&draft.before),
        result: digest_texts(&draft.after),
        created: now.to_string(),
        author: clean(proposed.by.as_deref()),
        status: ProposalStatus::Open,
        decided: None,
        reason: None,
        justification: sanitize(&proposed.justification),
        evidence: clean(proposed.evidence.as_deref()),
        diffs: draft.before.iter().map(diff).collect(),
        remarks: draft.remarks,
    }
}

/// The proposals for the project's and the user's own skills, oldest first; with `all` also the
/// decided ones.
///
/// # Errors
/// If the disk refuses.
pub fn list(context: &CommandContext<'_>, all: bool) -> Result<Vec<StoredProposal>> {
    let mut stored = Vec::new();

    for folder in folders(context)? {
        stored.extend(read_all(context, &folder)?);
    }

    stored.retain(|stored| all || stored.proposal.status == ProposalStatus::Open);
    stored.sort_by(|a, b| {
        (&a.proposal.created, &a.proposal.id).cmp(&(&b.proposal.created, &b.proposal.id))
    });
    Ok(stored)
}

/// The proposal with an id, or the only open one of the skill with that name.
///
/// # Errors
/// If there is none, or several are open for that name.
pub fn find(context: &CommandContext<'_>, id: &str) -> Result<StoredProposal> {
    let all = list(context, true)?;
    // An id is exact, and wins over a skill of that name.
    if let Some(found) = all.iter().find(|stored| stored.proposal.id == id) {
        return Ok(found.clone());
    }

    let open: Vec<&StoredProposal> = all
        .iter()
        .filter(|stored| {
            stored.proposal.skill == id && stored.proposal.status == ProposalStatus::Open
        })
        .collect();

    match open[..] {
        [one] => Ok(one.clone()),
        [] => Err(
            Error::negative(format!("proposal `{}` not found", id.escape_debug()))
                .help("to see all proposals, run `skillpm proposals list --all`"),
        ),
        _ => {
            let ids: Vec<&str> = open
                .iter()
                .map(|stored| stored.proposal.id.as_str())
                .collect();
            Err(Error::negative(format!(
                "ambiguous proposal: {} are open for `{}`",
                ids.len(),
                id.escape_debug()
            ))
            .help(format!("use one of their ids: {}", ids.join(", "))))
        }
    }
}

/// Reports what the install gate finds in the result of an open proposal, as it is now: its page is
/// a file that anyone with access can edit. Returns the findings, described.
///
/// A proposal that cannot be applied any longer has none.
#[must_use]
pub fn review(context: &CommandContext<'_>, stored: &StoredProposal) -> Vec<String> {
    let made = &stored.proposal;
    if made.status != ProposalStatus::Open {
        return Vec::new();
    }

    let found = find_in_result(context, made).unwrap_or_default();
    report_findings(context, &found);
    found.remarks()
}

fn find_in_result(context: &CommandContext<'_>, made: &SkillProposal) -> Result<ChangeFindings> {
    match made.action {
        ProposalAction::Create => {
            let files = changed_texts(made, &FileTexts::new())?;
            whole_skill::check_new(context, &made.skill, &files)
        }
        ProposalAction::Delete => Ok(ChangeFindings::default()),
        ProposalAction::Change => {
            let catalog = catalog_with_target(context, &CatalogOptions::default(), made)?;
            let target = ProposalTarget::of_proposal(&catalog, made)?;
            let base = target.read_files(made.diffs.iter().map(|diff| &diff.file))?;
            let result = changed_texts(made, &base)?;
            target.check_gate(context, &base, &result)
        }
    }
}

/// Applies the change of a proposal.
///
/// # Errors
/// If it was decided before, its skill has changed or is another one, the install gate refuses the
/// result, or a write fails. Nothing is changed then.
pub fn apply(
    context: &CommandContext<'_>,
    options: &CatalogOptions,
    id: &str,
) -> Result<StoredProposal> {
    let stored = find(context, id)?;
    // Each proposal is decided once, so that applying it twice does no harm.
    refuse_decided(&stored)?;
    let made = &stored.proposal;

    match made.action {
        ProposalAction::Create => whole_skill::create(context, made)?,
        ProposalAction::Delete => {
            let catalog = catalog_with_target(context, options, made)?;
            whole_skill::delete(context, &ProposalTarget::of_proposal(&catalog, made)?, made)?;
        }
        ProposalAction::Change => {
            let catalog = catalog_with_target(context, options, made)?;
            apply_change(context, &ProposalTarget::of_proposal(&catalog, made)?, made)?;
        }
    }

    write_decision(context, stored, ProposalStatus::Applied, None)
}

/// The catalog that a proposal's skill is looked up in: the selected one, or that of Devai, whose directory may be in no
/// tier.
fn catalog_with_target(
    context: &CommandContext<'_>,
    options: &CatalogOptions,
    made: &SkillProposal,
) -> Result<Catalog> {
    let of_agent = CatalogOptions {
        agent: Some("devai".to_owned()),
        ..options.clone()
    };
    // Only the agent's own view knows which skills of its directory are installed packages.
    if made.action == ProposalAction::Delete && options.dirs.is_empty() {
        return catalog(context, &of_agent);
    }

    let selected = catalog(context, options)?;
    if ProposalTarget::of_proposal(&selected, made).is_ok() || !is_for_devai(made) {
        return Ok(selected);
    }

    catalog(context, &of_agent)
}

/// Whether a proposal is about a skill of Devai, by its files.
#[must_use]
pub fn is_for_devai(made: &SkillProposal) -> bool {
    let mut files = made.diffs.iter().map(|diff| &*diff.file);
    files.all(|file| file == devai::MANIFEST || devai::SCRIPTS.contains(&file))
}

/// Makes the change of a proposal, unless it is made already.
fn apply_change(
    context: &CommandContext<'_>,
    target: &ProposalTarget<'_>,
    made: &SkillProposal,
) -> Result<()> {
    // Locked before the skill is read, so that no other command changes it meanwhile.
    let lock = lock_owner(context, target.tier())?;

    let base = target.read_files(made.diffs.iter().map(|diff| &diff.file))?;
    // Already applied, perhaps by hand: only the decision is still to be recorded.
    if digest_texts(&base) == made.result {
        return Ok(());
    }
    change_skill(context, lock.as_ref(), target, made, &base)
}

/// Locks the project, or the user's own skills, that the skills of a tier belong to; `None` for a directory without a
/// manifest.
fn lock_owner(context: &CommandContext<'_>, tier: Tier) -> Result<Option<ProjectLock>> {
    let kind = match tier {
        Tier::Workspace if context.project()?.is_none() => return Ok(None),
        Tier::Workspace => WorkspaceKind::Project,
        _ => WorkspaceKind::Managed,
    };

    lock_project(context, kind, None).map(Some)
}

/// Makes the change of a proposal, in all copies of the skill or in none.
fn change_skill(
    context: &CommandContext<'_>,
    lock: Option<&ProjectLock>,
    target: &ProposalTarget<'_>,
    made: &SkillProposal,
    base: &FileTexts,
) -> Result<()> {
    if digest_texts(base) != made.base {
        return Err(outdated_proposal(
            made,
            format!(
                "`{}` has changed since the proposal",
                target.location.display()
            ),
        ));
    }

    let result = changed_texts(made, base)?;
    // Checked again, since the page could have been written without `propose`.
    target.review(base, &result)?;
    pass_gate(context, made, &target.check_gate(context, base, &result)?)?;

    let directories = target.copies(base);
    let Some(lock) = lock else {
        return directories
            .iter()
            .try_for_each(|directory| edit_texts(directory, base, &result));
    };
    let mut changes = Transaction::begin(&context.state_dir(&lock.workspace))?;
    for directory in &directories {
        for (file, text) in &result {
            let place = directory.join(file);
            let before = base.get(file).map(String::as_str);
            let before = before.filter(|_| disk::lstat(&place).is_ok_and(|found| found.is_some()));
            changes.change_text(&place, before, Some(text))?;
        }
    }
    changes.commit()
}

/// The texts that the diffs of a proposal make of `base`.
///
/// # Errors
/// If a diff does not apply, or the result is not the proposed one.
fn changed_texts(made: &SkillProposal, base: &FileTexts) -> Result<FileTexts> {
    let mut result = FileTexts::new();
    for diff in &made.diffs {
        let before = base.get(&diff.file).map_or("", String::as_str);
        result.insert(diff.file.clone(), diff.apply_to(before)?);
    }

    // The page is a file that anyone with access can edit: its diff must give the result
    // that was proposed, not just any that fits.
    if digest_texts(&result) != made.result {
        return Err(Error::integrity(format!(
            "the diff of proposal `{}` was changed after it was proposed",
            made.id
        ))
        .help("restore its page, or edit the skill by hand"));
    }
    Ok(result)
}

/// The install gate for skills of a tier.
fn gate_of(context: &CommandContext<'_>, tier: Tier) -> Result<InstallGate> {
    let workspace = match tier {
        Tier::Workspace => context.project()?,
        _ => Some(context.find_workspace(WorkspaceKind::Managed)?),
    };
    let registries = |name: Option<&str>| context.config.registry(name);
    let policy = match workspace.filter(|workspace| workspace.exists) {
        Some(workspace) => workspace.manifest(&registries)?.policy,
        None => Policy::default(),
    };
    // A person who applies a proposal has read it: findings of high severity are reported.
    InstallGate::from_policies(context, &policy, SeverityAction::Warn)
}

/// Reports what the gate finds, each with its file and line.
fn report_findings(context: &CommandContext<'_>, found: &ChangeFindings) {
    for message in found.remarks() {
        context.reporter.report(ProgressEvent::Warning {
            message,
            help: None,
        });
    }
}

/// Refuses a proposal that the gate refuses; reports its other findings.
fn pass_gate(
    context: &CommandContext<'_>,
    made: &SkillProposal,
    found: &ChangeFindings,
) -> Result<()> {
    match found.refusal_error(&made.id) {
        Some(refusal) => Err(refusal),
        None => {
            report_findings(context, found);
            Ok(())
        }
    }
}

fn replaced_skill(made: &SkillProposal, found: &ProposalTarget<'_>) -> Error {
    let message = format!(
        "`{}` is now another skill than the proposed one",
        made.skill
    );
    outdated_proposal(made, message).note(format!(
        "found `{}`; the proposal is for `{}`",
        found.location.display(),
        made.location
    ))
}

fn outdated_proposal(made: &SkillProposal, message: String) -> Error {
    Error::negative(message).help(format!(
        "propose the change again, and run `skillpm proposals reject {}`",
        made.id
    ))
}

/// Records that a change is rejected.
///
/// # Errors
/// If it was decided before, or a write fails.
pub fn reject(
    context: &CommandContext<'_>,
    id: &str,
    reason: Option<&str>,
) -> Result<StoredProposal> {
    let stored = find(context, id)?;
    refuse_decided(&stored)?;
    write_decision(
        context,
        stored,
        ProposalStatus::Rejected,
        reason.map(sanitize),
    )
}

/// The file that a proposal changes.
struct ProposalTarget<'c> {
    catalog: &'c Catalog,
    /// The skill of the name, with the copies that it shadows.
    winner: &'c SkillCandidate,
    /// The copy of it that the proposal is about.
    candidate: &'c SkillCandidate,
    /// The file with its instructions, or that describes it.
    file: &'static str,
    directory: PathBuf,
    location: PathBuf,
}

impl<'c> ProposalTarget<'c> {
    fn find(catalog: &'c Catalog, name: &str) -> Result<Self> {
        let winner = &find_entry(catalog, name)?.candidate;
        Ok(ProposalTarget::new(catalog, winner, winner))
    }

    /// The copy of a skill that a proposal was made for: an agent's own directory may have another one than the tiers
    /// select.
    fn of_proposal(catalog: &'c Catalog, made: &SkillProposal) -> Result<Self> {
        let winner = &find_entry(catalog, &made.skill)?.candidate;
        let location = Path::new(&made.location);
        let proposed = disk::real_path(location.parent().unwrap_or(location));

        // Never a path from the page: it only selects one of the catalog's own. Real paths, since the agent may have
        // read a link to the copy that the tiers list.
        let found = std::iter::once(winner)
            .chain(&winner.shadows)
            .map(|candidate| ProposalTarget::new(catalog, winner, candidate))
            .find(|target| disk::real_path(&target.directory) == proposed);

        found.ok_or_else(|| replaced_skill(made, &ProposalTarget::new(catalog, winner, winner)))
    }

    fn new(
        catalog: &'c Catalog,
        winner: &'c SkillCandidate,
        candidate: &'c SkillCandidate,
    ) -> Self {
        let directory = candidate.base_dir(&catalog.roots);
        let file = candidate.listing.facts().format.file();
        ProposalTarget {
            catalog,
            winner,
            candidate,
            file,
            location: directory.join(file),
            directory,
        }
    }

    fn tier(&self) -> Tier {
        self.catalog.roots[usize::from(self.candidate.root)].tier
    }

    fn format(&self) -> SkillFormat {
        self.candidate.listing.facts().format
    }

    /// The directories of all copies with these texts: of the same tier, since another one is not the project's to change.
    fn copies(&self, texts: &FileTexts) -> Vec<PathBuf> {
        let mut directories = vec![disk::real_path(&self.directory)];

        for copy in std::iter::once(self.winner).chain(&self.winner.shadows) {
            let copy = ProposalTarget::new(self.catalog, self.winner, copy);
            let directory = disk::real_path(&copy.directory);
            // A link to a copy that is changed already is no copy of its own.
            if copy.tier() != self.tier() || directories.contains(&directory) {
                continue;
            }
            // A copy with other text is a person's edit, and stays.
            if copy
                .read_files(texts.keys())
                .is_ok_and(|other| other == *texts)
            {
                directories.push(directory);
            }
        }
        directories
    }

    fn read(&self) -> Result<String> {
        read_utf8(&self.location)?.ok_or_else(|| not_a_file_error(&self.location))
    }

    /// The texts of these files, which must be ones that a proposal may change.
    fn read_files<'f>(&self, files: impl Iterator<Item = &'f String>) -> Result<FileTexts> {
        let read = |file: &String| {
            let text = if file == self.file {
                self.read()?
            } else {
                self.check_changeable(file)?;
                self.read_other(file)?
            };
            Ok((file.clone(), text))
        };
        files.map(read).collect()
    }

    /// Checks that a file is one of those that make up a skill of this format.
    fn check_changeable(&self, file: &str) -> Result<()> {
        if self.format() == SkillFormat::Devai && devai::SCRIPTS.contains(&file) {
            return Ok(());
        }
        Err(Error::negative(format!(
            "refusing to change `{}`: expected `{}`",
            file.escape_debug(),
            self.file
        ))
        .help("a proposal can only change a skill's instructions, and no other file"))
    }

    /// The text of a file beside the main one; empty if there is none.
    fn read_other(&self, file: &str) -> Result<String> {
        let path = self.directory.join(file);
        if disk::lstat(&path)?.is_none() {
            return Ok(String::new());
        }
        read_utf8(&path)?.ok_or_else(|| not_a_file_error(&path))
    }

    /// Remarks about a change for the reviewer.
    ///
    /// # Errors
    /// If the change must not be made at all.
    fn review(&self, base: &FileTexts, result: &FileTexts) -> Result<Vec<String>> {
        let name = &*self.candidate.listing.name;

        if base == result {
            return Err(Error::negative(format!(
                "the change of `{name}` is empty: the skill is already like that"
            )));
        }
        check_sizes(result)?;

        let mut remarks = match (self.format(), base.get(self.file), result.get(self.file)) {
            (SkillFormat::SkillMd, Some(base), Some(result)) => {
                self.review_frontmatter(base, result)?
            }
            (SkillFormat::Devai, ..) => self.review_devai(base, result)?,
            // Nova has no frontmatter with a name and tools to compare.
            _ => Vec::new(),
        };
        remarks.extend(hidden_character_remark(base, result));
        Ok(remarks)
    }

    /// What the install gate finds in the skill with changed texts.
    fn check_gate(
        &self,
        context: &CommandContext<'_>,
        base: &FileTexts,
        result: &FileTexts,
    ) -> Result<ChangeFindings> {
        // A directory that is no package, such as one with a link, is judged by the changed files.
        let files = disk::read_tree(&self.directory).ok();
        let before = tree_with(files.as_ref(), base)?;
        let after = tree_with(files.as_ref(), result)?;

        let name = &*self.candidate.directory;
        Ok(gate_of(context, self.tier())?.check_change(name, &before, &after))
    }

    /// Remarks about a changed skill of Devai: its new findings.
    fn review_devai(&self, base: &FileTexts, result: &FileTexts) -> Result<Vec<String>> {
        let read = |texts: &FileTexts| {
            let other = |file: &str| read_utf8(&self.directory.join(file)).ok().flatten();
            read_devai_skill(&self.candidate.directory, texts, &other)
        };
        let (before, after) = (read(base), read(result));

        let Some(changed) = &after.skill else {
            return Err(skill::unreadable_error(self.file, &after.diagnostics)
                .wrap("the changed skill is invalid"));
        };
        if *changed.name != *self.candidate.listing.name {
            return Err(rename_error(&self.candidate.listing.name, &changed.name));
        }
        Ok(new_findings(&before.diagnostics, &after.diagnostics))
    }

    /// Remarks about the changed frontmatter of a `SKILL.md`, and its new findings.
    fn review_frontmatter(&self, base: &str, result: &str) -> Result<Vec<String>> {
        let candidate = self.candidate;
        let name = &*candidate.listing.name;
        let reading = skill::read(result.as_bytes(), &candidate.directory);
        let Some(changed) = &reading.skill else {
            return Err(skill::unreadable_error(self.file, &reading.diagnostics)
                .wrap("the changed skill is invalid"));
        };
        // A renamed skill would be another one to everything that refers to it.
        if changed.name != name {
            return Err(rename_error(name, &changed.name));
        }

        let mut remarks = Vec::new();
        let before = skill::read(base.as_bytes(), &candidate.directory);
        // More permissions are the first thing that a harmful proposal would request.
        if before
            .skill
            .is_some_and(|before| before.allowed_tools != changed.allowed_tools)
        {
            remarks.push("changes the tools that the skill requests".to_owned());
        }

        remarks.extend(new_findings(&before.diagnostics, &reading.diagnostics));
        Ok(remarks)
    }
}

/// The files of a skill, with these texts in place of its own.
fn tree_with(files: Option<&Tree>, texts: &FileTexts) -> Result<Tree> {
    let mut tree = Tree::builder();
    let others = files.into_iter().flat_map(Tree::files);
    for (path, file) in others.filter(|(path, _)| !texts.contains_key(path.as_str())) {
        tree.add(path.as_str(), file.bytes.clone(), file.executable)?;
    }
    for (path, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        tree.add(path, text.clone().into_bytes(), false)?;
    }
    Ok(tree.finish())
}

fn rename_error(name: &str, new: &str) -> Error {
    let error = Error::negative(format!(
        "cannot rename `{name}` to `{}` in a proposal",
        new.escape_debug()
    ));
    error.help("keep the name: dependencies on the skill use it")
}

/// The warnings and errors that were not there before: older ones are not the proposal's.
fn new_findings(before: &[Diagnostic], after: &[Diagnostic]) -> Vec<String> {
    let known = |rule: &str| before.iter().any(|found| found.rule == rule);
    after
        .iter()
        .filter(|found| found.level >= DiagnosticLevel::Warning && !known(&found.rule))
        .map(|found| sanitize(&found.message).replace('\n', " "))
        .collect()
}

/// Reads a skill of Devai from texts, and from `other` what they do not have.
fn read_devai_skill(
    directory: &str,
    texts: &FileTexts,
    other: &dyn Fn(&str) -> Option<String>,
) -> SkillReading {
    let text = |file: &str| match texts.get(file) {
        Some(text) => Some(text.clone()),
        None => other(file),
    };
    let has = |file: &str| text(file).is_some();
    let read = |file: &str| {
        text(file)
            .map(String::into_bytes)
            .filter(|bytes| bytes.len() as u64 <= DESCRIPTOR_MAX)
    };

    let files = DirectoryFiles {
        has: &has,
        read: &read,
    };
    match formats::read(&files, directory) {
        Some(reading) => reading.into_file_reading(devai::MANIFEST),
        None => SkillReading {
            skill: None,
            diagnostics: Vec::new(),
        },
    }
}

fn check_sizes(texts: &FileTexts) -> Result<()> {
    let limit = TreeLimits::default().skill_md;
    match texts.iter().find(|(_, text)| text.len() as u64 > limit) {
        Some((file, _)) => Err(Error::negative(format!(
            "the changed `{file}` is too large"
        ))),
        None => Ok(()),
    }
}

/// The remark that there are more invisible characters than before.
fn hidden_character_remark(before: &FileTexts, after: &FileTexts) -> Option<String> {
    let count = |texts: &FileTexts| {
        let chars = texts.values().flat_map(|text| text.chars());
        chars.filter(|c| is_invisible(*c)).count()
    };
    let added = count(after).saturating_sub(count(before));
    (added > 0).then(|| format!("adds {added} invisible characters"))
}

/// The text of a regular file; `None` if it is none.
fn read_utf8(path: &Path) -> Result<Option<String>> {
    let Some((bytes, _)) = skills_dir::read_file(path, TreeLimits::default().skill_md)? else {
        return Ok(None);
    };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| Error::negative(format!("`{}` is not UTF-8 text", path.display())))
}

fn not_a_file_error(path: &Path) -> Error {
    Error::negative(format!("`{}` is not a regular file", path.display()))
}

/// Changes files of a directory that belongs to no project.
fn edit_texts(directory: &Path, before: &FileTexts, after: &FileTexts) -> Result<()> {
    let edit = |(file, text): (&String, &String)| {
        let exists = disk::lstat(&directory.join(file))?.is_some();
        Ok(FileEdit {
            from: exists.then(|| file.clone()),
            to: file.clone(),
            before: before.get(file).cloned().unwrap_or_default().into_bytes(),
            after: text.clone().into_bytes(),
            make_executable: false,
        })
    };
    let edits: Result<Vec<FileEdit>> = after.iter().map(edit).collect();
    disk::edit_files(directory, &edits?)
}

/// A directory of proposals.
struct ProposalFolder {
    path: PathBuf,
    /// The directory of the project's state that it is in; `None` for the one in skillpm's home.
    state_dir: Option<StateDir>,
}

impl ProposalFolder {
    /// Opens the directory. In a project it may have come with a clone, so no link is followed in it; in the user's home,
    /// links are the user's.
    fn handles(&self) -> DirectoryHandles {
        match &self.state_dir {
            Some(dir) => dir.handles(),
            None => DirectoryHandles::new(Path::new("/")),
        }
    }
}

/// The directory of proposals for skills of a tier: in the project, or below skillpm's home.
fn folder_for(context: &CommandContext<'_>, tier: Tier) -> Result<ProposalFolder> {
    // The user's own skills and those of other tiers share one folder below the home.
    let [project, own] = folders(context)?;
    Ok(if tier == Tier::Workspace {
        project
    } else {
        own
    })
}

fn folders(context: &CommandContext<'_>) -> Result<[ProposalFolder; 2]> {
    // Without a project the repository's root is the directory that everyone finds.
    let root = match context.project()? {
        Some(workspace) => workspace.root,
        None => context.new_project_root().to_owned(),
    };
    let home = &context.dirs.skillpm_home;
    let state_dir = StateDir::new(&root.join(".skillpm"), &root, home);
    Ok([
        ProposalFolder {
            path: state_dir.path().join("proposals"),
            state_dir: Some(state_dir),
        },
        ProposalFolder {
            path: home.join("proposals"),
            state_dir: None,
        },
    ])
}

/// All proposals of a directory. An invalid page is reported, and skipped.
fn read_all(context: &CommandContext<'_>, folder: &ProposalFolder) -> Result<Vec<StoredProposal>> {
    let mut handles = folder.handles();
    let mut all = Vec::new();

    let pages = handles
        .list_names(&folder.path)?
        .into_iter()
        .filter(|name| !name.starts_with('.'))
        .map(|name| folder.path.join(name));
    for path in pages.filter(|path| path.extension().is_some_and(|end| end == "md")) {
        match read_page(&path, &mut handles) {
            Ok(stored) => all.extend(stored),
            Err(error) => context.reporter.report(ProgressEvent::Warning {
                message: format!("`{}`: {}", path.display(), error.message()),
                help: Some("remove or restore it".into()),
            }),
        }
    }
    Ok(all)
}

fn read_page(path: &Path, handles: &mut DirectoryHandles) -> Result<Option<StoredProposal>> {
    let Some(bytes) = handles.read_file(path, PAGE_MAX)? else {
        return Ok(None);
    };

    let page = String::from_utf8(bytes).map_err(|_| Error::negative("not UTF-8 text"))?;
    let proposal: SkillProposal = page.parse()?;
    // A page copied under another name would be a second proposal with the same id.
    if path
        .file_stem()
        .is_none_or(|stem| stem.to_string_lossy() != proposal.id)
    {
        return Err(Error::negative("the file name is not the proposal's id"));
    }
    Ok(Some(StoredProposal {
        proposal,
        path: path.to_owned(),
        page,
    }))
}

/// Writes a proposal to its directory, under a free name.
fn store_proposal(
    context: &CommandContext<'_>,
    tier: Tier,
    made: SkillProposal,
) -> Result<StoredProposal> {
    let folder = folder_for(context, tier)?;
    refuse_repeated(&read_all(context, &folder)?, &made)?;

    let mut handles = folder.handles();
    handles.create_dir(&folder.path)?;
    // Proposals of a project are working state, not part of its history.
    if let Some(dir) = &folder.state_dir {
        ProjectState::write_gitignore(dir)?;
    }
    write_page(&folder.path, &mut handles, made)
}

/// Refuses a change that is proposed already, and too many proposals.
fn refuse_repeated(all: &[StoredProposal], made: &SkillProposal) -> Result<()> {
    // Compared with open proposals only: a rejected change may be proposed again.
    let open: Vec<&SkillProposal> = all
        .iter()
        .map(|stored| &stored.proposal)
        .filter(|other| other.status == ProposalStatus::Open)
        .collect();

    let same = |other: &&&SkillProposal| {
        other.location == made.location && other.base == made.base && other.result == made.result
    };
    if let Some(other) = open.iter().find(same) {
        return Err(Error::negative(format!(
            "duplicate proposal: the same change is `{}`",
            other.id
        ))
        .help(format!(
            "to see it, run `skillpm proposals show {}`",
            other.id
        )));
    }

    if open.len() >= OPEN_MAX {
        return Err(
            Error::negative(format!("too many open proposals: the limit is {OPEN_MAX}"))
                .help("apply or reject some of them: `skillpm proposals list`"),
        );
    }
    Ok(())
}

/// Writes the page of a proposal under a free name, which becomes its id.
fn write_page(
    folder: &Path,
    handles: &mut DirectoryHandles,
    mut made: SkillProposal,
) -> Result<StoredProposal> {
    let stem = made.id.clone();
    // Proposals of the same second, or of concurrent processes, get numbers.
    for number in 2.. {
        let path = folder.join(format!("{}.md", made.id));
        let page = made.to_string();
        if handles.create_file(&path, page.as_bytes())? {
            return Ok(StoredProposal {
                proposal: made,
                path,
                page,
            });
        }
        made.id = format!("{stem}-{number}");
    }
    Err(Error::internal("no free name for a proposal"))
}

fn refuse_decided(stored: &StoredProposal) -> Result<()> {
    match stored.proposal.status {
        ProposalStatus::Open => Ok(()),
        status => Err(Error::negative(format!(
            "proposal `{}` is already {}",
            stored.proposal.id,
            status.name()
        ))
        .help("to see open proposals, run `skillpm proposals list`")),
    }
}

fn write_decision(
    context: &CommandContext<'_>,
    stored: StoredProposal,
    status: ProposalStatus,
    reason: Option<String>,
) -> Result<StoredProposal> {
    let StoredProposal {
        mut proposal,
        path,
        page,
    } = stored;

    let now = i64::try_from(context.now)
        .ok()
        .and_then(|now| Timestamp::from_second(now).ok());

    proposal.status = status;
    proposal.decided = now.map(|now| now.to_string());
    proposal.reason = reason.filter(|reason| !reason.is_empty());
    let decided = proposal.to_string();

    let [project, own] = folders(context)?;
    let folder = if path.starts_with(&project.path) {
        project
    } else {
        own
    };
    let mut handles = folder.handles();
    // The page must be as it was read: a decision made meanwhile is not overwritten.
    if handles.read_file(&path, PAGE_MAX)?.as_deref() != Some(page.as_bytes()) {
        return Err(Error::disk(format!(
            "failed to write `{}`: it was changed after it was read",
            path.display()
        ))
        .help("run the command again"));
    }
    handles.write_atomic(&path, decided.as_bytes())?;
    Ok(StoredProposal {
        proposal,
        path,
        page: decided,
    })
}

/// A name as part of a file name.
fn slug(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
            c
        } else {
            '-'
        }
    };
    name.chars().take(64).map(plain).collect()
}

/// A text with invisible characters replaced.
fn sanitize(text: &str) -> String {
    let text = text.trim().replace("\r\n", "\n");

    text.chars()
        .map(|c| if is_invisible(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Whether a character hides from a reviewer. Joiners and variants do not: scripts and emoji need them.
fn is_invisible(c: char) -> bool {
    let is_spelling = matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    !is_spelling
        && !matches!(c, '\n' | '\r' | '\t')
        && (text::is_hidden(c) || text::is_invisible(c))
}

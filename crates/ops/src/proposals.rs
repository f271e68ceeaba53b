//! `propose` and `proposals`: a change of a skill that waits for a person.
//!
//! ```text
//! propose ──▶ .skillpm/proposals/NAME-TIME.md ──review──▶ apply ──▶ an edit of the skill, as by hand
//!                                                └──────▶ reject
//! ```
//!
//! Nothing of a skill changes before `apply`. What `apply` does is an edit like any other: `verify` shows it, and
//! `update` respects it. A proposal about a file that has changed since is refused.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::Context;
use super::catalog::{CatalogOptions, catalog};
use super::inspect::entry;
use crate::catalog::text::is_hidden;
use crate::catalog::{Catalog, Entry, Tier};
use crate::error::{Error, Kind, Result};
use crate::install::state::State;
use crate::io::disk::{self, FileEdit};
use crate::io::skills_dir;
use crate::package::{Limits, Sha256};
use crate::report::{Event, Level};
use crate::skill::{self, Format, proposal};

pub use crate::skill::proposal::{Proposal, Status};

/// Most proposals that may wait at once: an agent in a loop fills no disk.
const OPEN_MAX: usize = 200;
/// Longest justification or evidence, in bytes.
const TEXT_MAX: usize = 16 << 10;
/// Longest page, in bytes.
const PAGE_MAX: u64 = 8 << 20;

/// What is proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// The skill.
    pub name: String,
    /// The change.
    pub change: Change,
    /// Why it should be made.
    pub justification: String,
    /// What shows that it helps.
    pub evidence: Option<String>,
    /// Who proposes it.
    pub by: Option<String>,
}

/// How a change is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The whole file as it is to be.
    Text(String),
    /// A unified diff.
    Diff(String),
}

/// A proposal and the file that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The proposal.
    pub proposal: Proposal,
    /// The file.
    pub path: PathBuf,
    /// What the file holds.
    pub page: String,
}

/// Stores a proposal for a skill of the catalog that `options` want.
///
/// # Errors
/// If there is no such skill, the change does not fit it or would make it unreadable, or as much is proposed already.
pub fn propose(context: &Context<'_>, options: &CatalogOptions, proposed: &Proposed) -> Result<Stored> {
    propose_in(context, &catalog(context, options)?, proposed)
}

/// Stores a proposal for a skill of this catalog.
///
/// # Errors
/// As for [`propose`].
pub fn propose_in(context: &Context<'_>, catalog: &Catalog, proposed: &Proposed) -> Result<Stored> {
    let subject = Subject::of(catalog, &proposed.name)?;
    if catalog.roots[usize::from(subject.entry.candidate.root)].tier == Tier::Bundled {
        return Err(Error::negative(format!("`{}` is bundled, and cannot be changed", proposed.name))
            .help("copy its directory into the project's `skills`, and propose the change of the copy"));
    }
    let base = subject.read()?;
    let file = subject.file;
    let result = match &proposed.change {
        Change::Text(text) => text.clone(),
        Change::Diff(diff) => proposal::apply(file, &base, diff)?,
    };
    let remarks = subject.judge(&base, &result)?;
    let texts = [Some(&proposed.justification), proposed.evidence.as_ref()];
    if texts.iter().flatten().any(|text| text.len() > TEXT_MAX) {
        return Err(Error::usage(format!("justification and evidence may have {TEXT_MAX} bytes each")));
    }
    if proposed.justification.trim().is_empty() {
        return Err(Error::usage("a proposal needs a justification").help("say why the change should be made"));
    }
    let now = i64::try_from(context.now).ok().and_then(|now| Timestamp::from_second(now).ok()).unwrap_or_default();
    let made = Proposal {
        id: format!("{}-{}", slug(&proposed.name), now.strftime("%Y%m%dT%H%M%SZ")),
        skill: proposed.name.clone(),
        location: subject.location.to_string_lossy().into_owned(),
        base: Sha256::of(base.as_bytes()),
        result: Sha256::of(result.as_bytes()),
        created: now.to_string(),
        by: proposed.by.as_deref().map(plain).filter(|by| !by.is_empty()),
        status: Status::Open,
        decided: None,
        reason: None,
        justification: plain(&proposed.justification),
        evidence: proposed.evidence.as_deref().map(plain).filter(|evidence| !evidence.is_empty()),
        remarks,
        diff: proposal::diff(file, &base, &result),
    };
    let tier = catalog.roots[usize::from(subject.entry.candidate.root)].tier;
    store(context, tier, made)
}

/// The proposals about skills of the project and about the person's own, oldest first; all of them, or those that wait.
///
/// # Errors
/// If the disk refuses.
pub fn list(context: &Context<'_>, all: bool) -> Result<Vec<Stored>> {
    let mut stored = Vec::new();
    for folder in folders(context)? {
        stored.extend(read_all(context, &folder)?);
    }
    stored.retain(|stored| all || stored.proposal.status == Status::Open);
    stored.sort_by(|a, b| (&a.proposal.created, &a.proposal.id).cmp(&(&b.proposal.created, &b.proposal.id)));
    Ok(stored)
}

/// The proposal that `id` means: its id, or its skill's name if just one is open for that.
///
/// # Errors
/// If there is none, or several are meant.
pub fn find(context: &Context<'_>, id: &str) -> Result<Stored> {
    let all = list(context, true)?;
    if let Some(found) = all.iter().find(|stored| stored.proposal.id == id) {
        return Ok(found.clone());
    }
    let open: Vec<&Stored> =
        all.iter().filter(|stored| stored.proposal.skill == id && stored.proposal.status == Status::Open).collect();
    match open[..] {
        [one] => Ok(one.clone()),
        [] => Err(Error::negative(format!("there is no proposal `{}`", id.escape_debug()))
            .help("`skillpm proposals list --all` shows all there are")),
        _ => {
            let ids: Vec<&str> = open.iter().map(|stored| stored.proposal.id.as_str()).collect();
            Err(Error::negative(format!("there are {} open proposals for `{}`", ids.len(), id.escape_debug()))
                .help(format!("name one of them: {}", ids.join(", "))))
        }
    }
}

/// Makes the change that a proposal is about.
///
/// # Errors
/// If it was decided before, its skill is another or no longer as it was, or the disk refuses. Then nothing has changed.
pub fn apply(context: &Context<'_>, options: &CatalogOptions, id: &str) -> Result<Stored> {
    let stored = find(context, id)?;
    undecided(&stored)?;
    let made = &stored.proposal;
    let catalog = catalog(context, options)?;
    let subject = Subject::of(&catalog, &made.skill)?;
    // Never to a path that a page names, but to where the catalog has that skill.
    if subject.location.to_string_lossy() != made.location {
        return Err(Error::negative(format!("`{}` is another skill now than the proposal is about", made.skill))
            .note(format!("it means `{}`; the proposal is about `{}`", subject.location.display(), made.location))
            .help(format!("propose the change anew, and `skillpm proposals reject {}`", made.id)));
    }
    let base = subject.read()?;
    let digest = Sha256::of(base.as_bytes());
    if digest != made.result {
        if digest != made.base {
            return Err(Error::negative(format!(
                "`{}` has changed since this was proposed",
                subject.location.display()
            ))
            .help(format!("propose the change anew, and `skillpm proposals reject {}`", made.id)));
        }
        let result = proposal::apply(subject.file, &base, &made.diff)?;
        if Sha256::of(result.as_bytes()) != made.result {
            return Err(Error::integrity(format!("the diff of `{}` is not the one that was proposed", made.id))
                .help("somebody has edited the page: apply it as it was, or edit the skill by hand"));
        }
        subject.judge(&base, &result)?;
        subject.write(base, result)?;
    }
    decide(context, stored, Status::Applied, None)
}

/// Notes that a change will not be made.
///
/// # Errors
/// If it was decided before, or the disk refuses.
pub fn reject(context: &Context<'_>, id: &str, reason: Option<&str>) -> Result<Stored> {
    let stored = find(context, id)?;
    undecided(&stored)?;
    decide(context, stored, Status::Rejected, reason.map(plain))
}

/// The file that a proposal is about.
struct Subject<'c> {
    entry: &'c Entry,
    file: &'static str,
    directory: PathBuf,
    location: PathBuf,
}

impl<'c> Subject<'c> {
    fn of(catalog: &'c Catalog, name: &str) -> Result<Self> {
        let entry = entry(catalog, name)?;
        let directory = entry.candidate.base_dir(&catalog.roots);
        let file = entry.candidate.listing.facts().format.file();
        Ok(Subject { entry, file, location: directory.join(file), directory })
    }

    fn read(&self) -> Result<String> {
        let shown = self.location.display();
        let read = skills_dir::read(&self.location, Limits::default().skill_md)?;
        let (bytes, _) = read.ok_or_else(|| Error::negative(format!("`{shown}` cannot be read as a file")))?;
        String::from_utf8(bytes).map_err(|_| Error::negative(format!("`{shown}` is not UTF-8 text")))
    }

    /// What is to be said of a change to whoever reviews it.
    ///
    /// # Errors
    /// If it must not be made at all.
    fn judge(&self, base: &str, result: &str) -> Result<Vec<String>> {
        let name = &*self.entry.candidate.listing.name;
        if base == result {
            return Err(Error::negative(format!("`{name}` is like that already")));
        }
        if result.len() as u64 > Limits::default().skill_md {
            return Err(Error::negative(format!("the change makes `{}` too large", self.file)));
        }
        let mut remarks = Vec::new();
        if self.entry.candidate.listing.facts().format == Format::SkillMd {
            let reading = skill::read(result.as_bytes(), &self.entry.candidate.directory);
            let Some(changed) = &reading.skill else {
                return Err(skill::unreadable(self.file, &reading.diagnostics).wrap("the change spoils the skill"));
            };
            if changed.name != name {
                return Err(Error::negative(format!(
                    "the change renames `{name}` to `{}`",
                    changed.name.escape_debug()
                ))
                .help("a skill keeps its name: whoever needs it asks for it by that"));
            }
            let before = skill::read(base.as_bytes(), &self.entry.candidate.directory);
            if before.skill.is_some_and(|before| before.allowed_tools != changed.allowed_tools) {
                remarks.push("changes the tools that the skill asks leave for".to_owned());
            }
            let new = reading.diagnostics.iter().filter(|found| found.level >= Level::Warning);
            let known = |rule: &str| before.diagnostics.iter().any(|found| found.rule == rule);
            remarks
                .extend(new.filter(|found| !known(&found.rule)).map(|found| plain(&found.message).replace('\n', " ")));
        }
        let hidden = |text: &str| text.chars().filter(|c| is_unseen(*c)).count();
        if hidden(result) > hidden(base) {
            remarks.push(format!("adds {} characters that cannot be seen", hidden(result) - hidden(base)));
        }
        Ok(remarks)
    }

    fn write(&self, before: String, after: String) -> Result<()> {
        let edit = FileEdit {
            from: Some(self.file.to_owned()),
            to: self.file.to_owned(),
            before: before.into_bytes(),
            after: after.into_bytes(),
            make_executable: false,
        };
        disk::edit_files(&self.directory, &[edit])
    }
}

/// Where proposals about skills of a tier are kept: in the project, or with the person's own.
fn folder(context: &Context<'_>, tier: Tier) -> Result<PathBuf> {
    let [project, own] = folders(context)?;
    Ok(if tier == Tier::Workspace { project } else { own })
}

fn folders(context: &Context<'_>) -> Result<[PathBuf; 2]> {
    let here = &context.places.here;
    let root = match context.project()? {
        Some(workspace) => workspace.root,
        None => disk::repository_around(here).unwrap_or(here).to_owned(),
    };
    Ok([root.join(".skillpm/proposals"), context.places.skillpm.join("proposals")])
}

/// All proposals of a folder. A page that is none is told, and passed over.
fn read_all(context: &Context<'_>, folder: &Path) -> Result<Vec<Stored>> {
    let mut all = Vec::new();
    let pages = disk::names(folder)?.into_iter().filter(|name| !name.starts_with('.')).map(|name| folder.join(name));
    for path in pages.filter(|path| path.extension().is_some_and(|end| end == "md")) {
        match read_page(&path) {
            Ok(stored) => all.extend(stored),
            Err(error) => context.reporter.report(Event::Warning {
                message: format!("`{}`: {}", path.display(), error.message()),
                help: Some("remove it, or put it back as it was".into()),
            }),
        }
    }
    Ok(all)
}

fn read_page(path: &Path) -> Result<Option<Stored>> {
    let Some((bytes, _)) = skills_dir::read(path, PAGE_MAX)? else { return Ok(None) };
    let page = String::from_utf8(bytes).map_err(|_| Error::negative("it is not UTF-8 text"))?;
    let proposal: Proposal = page.parse()?;
    if path.file_stem().is_none_or(|stem| stem.to_string_lossy() != proposal.id) {
        return Err(Error::negative("its name is not the proposal's id"));
    }
    Ok(Some(Stored { proposal, path: path.to_owned(), page }))
}

/// Writes a proposal into its folder, under a name that is free.
fn store(context: &Context<'_>, tier: Tier, mut made: Proposal) -> Result<Stored> {
    let folder = folder(context, tier)?;
    let all = read_all(context, &folder)?;
    let open: Vec<&Proposal> =
        all.iter().map(|stored| &stored.proposal).filter(|other| other.status == Status::Open).collect();
    let same =
        |other: &&&Proposal| other.location == made.location && other.base == made.base && other.result == made.result;
    if let Some(other) = open.iter().find(same) {
        return Err(Error::negative(format!("that is proposed already, as `{}`", other.id))
            .help(format!("`skillpm proposals show {}` shows it", other.id)));
    }
    if open.len() >= OPEN_MAX {
        return Err(Error::negative(format!("{OPEN_MAX} proposals are waiting already"))
            .help("decide on some of them first: `skillpm proposals list`"));
    }
    disk::create_dir(&folder)?;
    if let (Tier::Workspace, Some(dir)) = (tier, folder.parent()) {
        State::keep_out_of_git(dir)?;
    }
    let stem = made.id.clone();
    for number in 2.. {
        let path = folder.join(format!("{}.md", made.id));
        let page = made.to_string();
        let is_free = disk::lstat(&path)?.is_none();
        let new = FileEdit {
            from: None,
            to: format!("{}.md", made.id),
            before: Vec::new(),
            after: page.clone().into_bytes(),
            make_executable: false,
        };
        match if is_free { disk::edit_files(&folder, &[new]) } else { Ok(()) } {
            Ok(()) if is_free => return Ok(Stored { proposal: made, path, page }),
            // Somebody else took that name at this very moment.
            Err(error) if error.kind() != Kind::Disk || disk::lstat(&path)?.is_none() => return Err(error),
            _ => made.id = format!("{stem}-{number}"),
        }
    }
    Err(Error::internal("there is no free name for a proposal"))
}

fn undecided(stored: &Stored) -> Result<()> {
    match stored.proposal.status {
        Status::Open => Ok(()),
        status => Err(Error::negative(format!("`{}` was {} already", stored.proposal.id, status.name()))
            .help("`skillpm proposals list` shows those that wait")),
    }
}

fn decide(context: &Context<'_>, stored: Stored, status: Status, reason: Option<String>) -> Result<Stored> {
    let Stored { mut proposal, path, page } = stored;
    let now = i64::try_from(context.now).ok().and_then(|now| Timestamp::from_second(now).ok());
    proposal.status = status;
    proposal.decided = now.map(|now| now.to_string());
    proposal.reason = reason.filter(|reason| !reason.is_empty());
    let decided = proposal.to_string();
    let name = format!("{}.md", proposal.id);
    let edit = FileEdit {
        from: Some(name.clone()),
        to: name,
        before: page.into_bytes(),
        after: decided.clone().into_bytes(),
        make_executable: false,
    };
    disk::edit_files(path.parent().unwrap_or(Path::new(".")), &[edit])?;
    Ok(Stored { proposal, path, page: decided })
}

/// A name as a part of a file's.
fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    name.chars().take(64).map(plain).collect()
}

/// A text with nothing in it that cannot be seen.
fn plain(text: &str) -> String {
    let text = text.trim().replace("\r\n", "\n");
    text.chars().map(|c| if is_unseen(c) { '\u{fffd}' } else { c }).collect()
}

fn is_unseen(c: char) -> bool {
    !matches!(c, '\n' | '\r' | '\t') && (is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}'))
}

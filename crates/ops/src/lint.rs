//! `lint`: the skills below some paths, each held against every rule.
//!
//! ```text
//! find       paths → skills            walked, not yet read; what skillpm installed is passed over
//! homes      skills → settings         of the manifest that holds for each, and of the flags
//! changed    skills → those to look at `--since`
//! look       a skill → findings        read, checked and dropped again, several at once
//! across     summaries → findings      what only all of them together show
//! known      findings → those to tell  notes, the baseline
//! ```

mod changed;
mod find;
pub mod fix;
mod homes;
mod installed;
mod known;
mod strangers;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Context;
use crate::error::Result;
use crate::io::ignore::walk::Kind;
use crate::io::{disk, on_all_processors, skill_files};
use crate::lint::subject::{FILE_MAX, PAGE, PAGE_MAX, SKILL_MAX};
use crate::lint::{self, Content, Exemption, File, Flags, Settings, SkillDir, Summary};
use crate::report::{Finding, Level};

use changed::Changed;
use find::{ByPath, Place};
use fix::{FixOptions, Mended, Workshop};
use homes::Homes;

pub use known::{BaselineUse, Written};
pub(super) use strangers::{stranger, strangers_below};
pub(super) use tree::{findings_in, lint_tree};

/// What to lint, and how.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub struct LintOptions {
    /// Directories of skills, or files in them; none for here.
    pub paths: Vec<PathBuf>,
    /// A file whose text is not that on the disk.
    pub given: Option<Given>,
    /// What the command line says about rules.
    pub flags: Flags,
    /// Whether no manifest is asked.
    pub isolated: bool,
    /// Whether notes are told.
    pub notes: bool,
    /// Whether warnings are errors.
    pub deny_warnings: bool,
    /// The file of findings that were there before, rather than that of the manifest.
    pub baseline: Option<PathBuf>,
    /// Whether to write it.
    pub write_baseline: bool,
    /// Look only at skills that have changed since this revision.
    pub since: Option<String>,
    /// Whether and how to mend what is found.
    pub fix: Option<FixOptions>,
}

/// A file as an editor has it.
#[derive(Debug, Clone)]
pub struct Given {
    /// What it holds.
    pub text: Vec<u8>,
    /// What it is called; `None` for a `SKILL.md` that lies nowhere.
    pub path: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Linted {
    /// What is told, sorted by path and place.
    pub findings: Vec<Finding>,
    /// The texts of the files that findings are about, by their paths there, as they were when they were looked at.
    pub sources: BTreeMap<String, String>,
    /// The directories of the skills that were looked at, as the paths of findings begin.
    pub dirs: Vec<String>,
    /// How many files they have.
    pub files: usize,
    /// How many notes are not told.
    pub hidden_notes: usize,
    /// How many skills were passed over because skillpm had installed them.
    pub installed: usize,
    /// How many skills were passed over because they have not changed.
    pub unchanged: usize,
    /// What the baseline did; `None` if there is none.
    pub baseline: Option<BaselineUse>,
    /// What was mended.
    pub mended: Mended,
}

impl Linted {
    /// Whether the answer is no.
    #[must_use]
    pub fn denies(&self) -> bool {
        self.findings.iter().any(Finding::denies)
    }
}

/// Lints the skills below some paths.
///
/// # Errors
/// If a path is not there or cannot be read, or a manifest, a flag, the revision or the baseline cannot be understood.
pub fn lint(context: &Context<'_>, options: &LintOptions) -> Result<Linted> {
    let found = find::find(context, options)?;
    let homes = Homes::of(context, options, &found)?;
    let changed = options.since.as_deref().map(|since| Changed::of(since, &found)).transpose()?;
    let workshop = options.fix.map(|fix| Workshop::open(context, fix, &options.paths)).transpose()?;
    let look = |place: &Place| {
        let settings = homes.settings(place);
        let alone = place.is_alone.then(|| settings.clone().for_one_file());
        let (changed, workshop) = (changed.as_ref(), workshop.as_ref());
        look(place, alone.as_ref().unwrap_or(settings), &Looking { options, changed, workshop })
    };
    let mut looks = on_all_processors(&found.places, look).into_iter().collect::<Result<Vec<Look>>>()?;

    let mut linted = Linted { installed: found.installed, ..Linted::default() };
    let mut shared = across(&found.places, &homes, &mut looks);
    for (place, mut look) in found.places.iter().zip(looks) {
        if look.is_checked {
            linted.dirs.push(place.shown.clone());
        } else {
            linted.unchanged += 1;
        }
        linted.mended.add(look.mended);
        linted.files += look.files;
        linted.findings.append(&mut look.findings);
        linted.sources.append(&mut look.sources);
    }
    let by_path = ByPath::of(&found);
    for finding in &shared {
        if !linted.sources.contains_key(&finding.path)
            && let Some(place) = by_path.place(&finding.path)
            && let Some(bytes) = disk::read(&place.real(&finding.path))?
            && let Ok(text) = String::from_utf8(bytes)
        {
            linted.sources.insert(finding.path.clone(), text);
        }
    }
    linted.findings.append(&mut shared);
    lint::sort(&mut linted.findings);
    known::sift(context, options, (&found, &homes), &mut linted)?;
    if options.deny_warnings {
        let warnings = linted.findings.iter_mut().filter(|finding| finding.diagnostic.level == Level::Warning);
        warnings.for_each(|finding| finding.diagnostic.level = Level::Error);
    }
    Ok(linted)
}

/// What came of looking at one skill.
#[derive(Default)]
struct Look {
    is_checked: bool,
    files: usize,
    findings: Vec<Finding>,
    /// The texts of files with findings.
    sources: BTreeMap<String, String>,
    summary: Option<Summary>,
    exemptions: Vec<Exemption>,
    mended: Mended,
}

/// How skills are looked at.
struct Looking<'a> {
    options: &'a LintOptions,
    changed: Option<&'a Changed>,
    workshop: Option<&'a Workshop>,
}

/// Reads a skill, mends it if that is wanted, holds it against the rules, and keeps of it only what is needed.
fn look(place: &Place, settings: &Settings, looking: &Looking<'_>) -> Result<Look> {
    let skill = read(place)?;
    if looking.changed.is_some_and(|changed| !changed.holds(place, &skill)) {
        return Ok(Look { summary: lint::summary(&skill, settings), ..Look::default() });
    }
    let is_told = |finding: &Finding| looking.options.notes || finding.diagnostic.level > Level::Note;
    let checked = lint::check(&skill, settings);
    let can_be_mended = |finding: &Finding| finding.diagnostic.fix.is_some() && is_told(finding);
    // What an editor has is given back even where nothing is mended.
    let is_for = |_: &&Workshop| place.given.is_some() || checked.findings.iter().any(can_be_mended);
    let (skill, mended, checked) = match looking.workshop.filter(is_for) {
        None => (skill, Mended::default(), checked),
        Some(workshop) => {
            let given = place.given.as_ref().map(|(given, _)| given.as_str());
            let look = |skill: &SkillDir| lint::check(skill, settings).findings;
            let (skill, mended) = workshop.mend(skill, (&place.dir, given), &look, &is_told);
            let checked = if mended.files.is_empty() { checked } else { lint::check(&skill, settings) };
            (skill, mended, checked)
        }
    };
    let lint::Checked { findings, summary, exemptions } = checked;
    let told: BTreeSet<&String> = findings.iter().filter(|found| is_told(found)).map(|found| &found.path).collect();
    let text = |path: &String| {
        let file = lint::below(&skill.path, path).and_then(|below| skill.file(below));
        Some((path.clone(), file?.text()?.to_owned()))
    };
    let sources = told.into_iter().filter_map(text).collect();
    Ok(Look { is_checked: true, files: skill.files.len(), findings, sources, summary, exemptions, mended })
}

/// Brings a skill's files from the disk.
fn read(place: &Place) -> Result<SkillDir> {
    let mut files = Vec::with_capacity(place.files.len());
    let mut left = SKILL_MAX;
    for walked in &place.files {
        let path = place.dir.join(&walked.path);
        let given = place.given.as_ref().filter(|(given, _)| *given == walked.path);
        let (content, executable) = match (given, walked.kind) {
            (Some((_, text)), _) => (Content::of(text.clone()), false),
            (None, Kind::Special) => (Content::Special, false),
            (None, Kind::Link) => (Content::Link(disk::read_link(&path)?.to_string_lossy().into_owned()), false),
            (None, Kind::File) => match skill_files::read(&path, left.min(max_of(&walked.path)))? {
                (skill_files::Content::Bytes(bytes), executable) => {
                    left -= bytes.len() as u64;
                    (Content::of(bytes), executable)
                }
                (skill_files::Content::Large(size, head), executable) => (Content::Large(size, head), executable),
            },
        };
        files.push(File { path: walked.path.clone(), content, executable });
    }
    Ok(SkillDir { path: place.shown.clone(), directory: place.directory.clone(), files, nested: place.nested.clone() })
}

/// How large a file may be to be read as a whole.
fn max_of(path: &str) -> u64 {
    if path.eq_ignore_ascii_case(PAGE) { PAGE_MAX } else { FILE_MAX }
}

/// What only several skills together show: those that one manifest holds for, but nothing about unchanged ones.
fn across(places: &[Place], homes: &Homes, looks: &mut [Look]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (home, settings) in homes.all() {
        let mut mine: Vec<(&Place, &mut Look)> =
            places.iter().zip(&mut *looks).filter(|(place, _)| homes.home(place) == home).collect();
        let summaries: Vec<Summary> = mine.iter_mut().filter_map(|(_, look)| look.summary.take()).collect();
        let mut found = lint::check_across(&summaries, settings);
        for (place, look) in mine {
            if !look.is_checked {
                found.retain(|finding| lint::below(&place.shown, &finding.path).is_none());
            } else if !look.exemptions.is_empty() {
                lint::exempt(&mut found, &mut look.exemptions, &place.shown);
            }
        }
        findings.append(&mut found);
    }
    findings
}

/// The directory that paths in messages are relative to, and those paths.
fn shown(here: &Path, path: &Path) -> String {
    let path = path.strip_prefix(here).unwrap_or(path).display().to_string();
    if cfg!(windows) { path.replace('\\', "/") } else { path }
}

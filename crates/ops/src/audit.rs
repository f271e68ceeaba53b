//! `audit`: what is installed and what is locked, or what lies somewhere, held against the rules about security.
//!
//! ```text
//! subjects   names, paths → skills        each target, the store for what is not installed, directories, archives
//! look       a skill → findings           the engine of `lint`; what a skill says about rules counts for nothing
//! known      lockfile, files → findings   advisories, and what registries have withdrawn
//! exempt     findings → those to tell     `[audit]` of who uses the skills, then the baseline
//! ```

mod exempt;
mod known;
mod subjects;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Context;
use crate::error::Result;
use crate::io::{disk, on_all_processors};
use crate::lint::capabilities::{Capabilities, capabilities};
use crate::lint::{self, Settings, SkillDir};
use crate::manifest::audit::{AuditTable, table};
use crate::report::{Finding, Severity};
use crate::workspace::{Sort, Workspace};

use exempt::Exempting;
use known::Known;
pub use known::Noticed;

/// What to look at, and what to make of it.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Names of skills, directories and archives; none for all of the project.
    pub subjects: Vec<String>,
    /// Which project.
    pub sort: Sort,
    /// The mildest severity for which the answer is no, rather than the manifest's.
    pub fail_on: Option<Severity>,
    /// Whether findings of low severity are told.
    pub low: bool,
    /// The file of findings that were there before, rather than the manifest's.
    pub baseline: Option<PathBuf>,
    /// Whether to write it.
    pub write_baseline: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Audited {
    /// What is told, sorted by path and place.
    pub findings: Vec<Finding>,
    /// The texts that findings are about, by path.
    pub sources: BTreeMap<String, String>,
    /// The skills that were looked at, as the paths of findings begin.
    pub dirs: Vec<String>,
    /// How many findings of low severity are not told.
    pub hidden: usize,
    /// How many are not told because `[audit]` passes over them.
    pub ignored: usize,
    /// How many are not told because they were there before.
    pub known: usize,
    /// The baseline that was written, and how many findings it holds.
    pub written: Option<(PathBuf, usize)>,
    /// What of `[audit]` does nothing, each with what to do about it.
    pub remarks: Vec<(String, String)>,
    /// The advisories that are told, in the order of packages.
    pub advisories: Vec<Noticed>,
    /// Whether the answer is no.
    pub denies: bool,
}

/// A skill that is looked at, and what it is called.
struct Subject {
    skill: SkillDir,
    /// The package's name and the one it is installed under, where it is known.
    names: Vec<String>,
}

/// What was found in a skill, with the texts of the files it is about.
struct Look {
    findings: Vec<Finding>,
    sources: BTreeMap<String, String>,
}

/// Looks for danger in skills.
///
/// # Errors
/// If there is no such project, skill or path, it cannot be read, or `[audit]` or the baseline cannot be understood.
pub fn audit(context: &Context<'_>, options: &AuditOptions) -> Result<Audited> {
    let workspace = subjects::workspace(context, options)?;
    let table = settings(context, workspace.as_ref())?;
    let written = table.fail_on.as_ref().map(|(text, place)| {
        let wrong = || format!("{place}: `fail-on` cannot be read");
        text.parse::<Severity>().map_err(|error| error.wrap(wrong()))
    });
    let fail_on = options.fail_on.or(written.transpose()?).unwrap_or(Severity::High);
    let baseline = options.baseline.clone().map(|path| context.places.here.join(path));
    let named = |workspace: &Workspace| table.baseline.as_ref().map(|path| workspace.root.join(path));
    let baseline = baseline.or_else(|| workspace.as_ref().and_then(named));
    let known = Known::read(context, workspace.as_ref(), (&table, &options.subjects))?;
    let mut exempting = Exempting::new(context, &table, (baseline, &known), options)?;
    let subjects = subjects::find(context, options, (workspace.as_ref(), &known.lockfile))?;
    let looks = on_all_processors(&subjects, |subject| look(&subject.skill));
    let mut audited = Audited { remarks: known.remarks(), ..Audited::default() };
    for mut told in known.told(context, &subjects) {
        exempting.sift(&told.names, &mut told.look, &mut audited);
        let is_left = |noticed: &Noticed| told.look.findings.iter().any(|one| one.diagnostic.rule == noticed.id);
        audited.advisories.extend(told.advisories.into_iter().filter(is_left));
        audited.findings.append(&mut told.look.findings);
        audited.sources.append(&mut told.look.sources);
    }
    for (subject, mut look) in subjects.iter().zip(looks) {
        exempting.sift(&subject.names, &mut look, &mut audited);
        audited.dirs.push(subject.skill.path.clone());
        audited.findings.append(&mut look.findings);
        audited.sources.append(&mut look.sources);
    }
    exempting.close(options.subjects.is_empty(), &mut audited)?;
    lint::sort(&mut audited.findings);
    audited.findings.dedup();
    audited.denies = audited.findings.iter().any(|finding| finding.diagnostic.severity >= Some(fail_on));
    let before = audited.findings.len();
    audited.findings.retain(|finding| options.low || finding.diagnostic.severity > Some(Severity::Low.min(fail_on)));
    audited.hidden = before - audited.findings.len();
    Ok(audited)
}

/// What one skill has agents do and reach.
#[derive(Debug, Clone)]
pub struct Stocked {
    /// Where it lies.
    pub path: String,
    /// The names it goes by.
    pub names: Vec<String>,
    /// What was found.
    pub capabilities: Capabilities,
}

/// Takes stock of the skills that `audit` would look at, sorted by path.
///
/// # Errors
/// As [`audit`].
pub fn stock(context: &Context<'_>, options: &AuditOptions) -> Result<Vec<Stocked>> {
    let workspace = subjects::workspace(context, options)?;
    let lockfile = workspace.as_ref().map(Workspace::lockfile).transpose()?.flatten().unwrap_or_default();
    let subjects = subjects::find(context, options, (workspace.as_ref(), &lockfile))?;
    let stocked = on_all_processors(&subjects, |subject| Stocked {
        path: subject.skill.path.clone(),
        names: subject.names.clone(),
        capabilities: capabilities(&subject.skill),
    });
    let mut stocked: Vec<Stocked> = stocked.into_iter().collect();
    stocked.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(stocked)
}

/// `[audit]` of the project, over the person's own.
pub(super) fn settings(context: &Context<'_>, workspace: Option<&Workspace>) -> Result<AuditTable> {
    let read = |text: &str, path: &Path| table(text, &disk::real_path(path).display().to_string());
    let project = workspace.map(|workspace| read(&workspace.manifest_text, &workspace.manifest_path())).transpose()?;
    let file = context.places.skillpm.join("config.toml");
    let own = disk::read_text(&file)?.map(|text| read(&text, &file)).transpose()?;
    Ok(project.unwrap_or_default().over(own.unwrap_or_default(), &context.places.skillpm))
}

/// Holds a skill against the rules, by nobody's settings.
fn look(skill: &SkillDir) -> Look {
    let findings = lint::audit(skill, &Settings::default());
    let text = |finding: &Finding| {
        let file = lint::below(&skill.path, &finding.path).and_then(|below| skill.file(below));
        Some((finding.path.clone(), file?.text()?.to_owned()))
    };
    let sources = findings.iter().filter_map(text).collect();
    Look { findings, sources }
}

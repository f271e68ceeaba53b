//! `lint`: the skills below some paths, each held against every rule.

pub mod fix;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Context;
use crate::error::{Error, Result};
use crate::io::skill_files::{self, read_all};
use crate::lint::{self, Content, File, Settings, SkillDir};
use crate::report::{Finding, Level};

use fix::{FixOptions, Mended, Workshop};

/// What to lint, and how.
#[derive(Debug, Clone, Default)]
pub struct LintOptions {
    /// Directories of skills, or their `SKILL.md`; none for here.
    pub paths: Vec<PathBuf>,
    /// Whether and how to mend what is found.
    pub fix: Option<FixOptions>,
}

/// What came of it.
#[derive(Debug)]
pub struct Linted {
    /// What was found, sorted by path and place.
    pub findings: Vec<Finding>,
    /// The directories of the skills that were looked at, as the paths of findings begin.
    pub dirs: Vec<String>,
    /// What was mended.
    pub mended: Mended,
}

/// Lints the skills below some paths.
///
/// # Errors
/// If a path is not there or cannot be read.
pub fn lint(context: &Context<'_>, options: &LintOptions) -> Result<Linted> {
    let settings = Settings::default();
    let here = vec![PathBuf::from(".")];
    let paths = if options.paths.is_empty() { &here } else { &options.paths };
    let (mut findings, mut summaries, mut dirs) = (Vec::new(), Vec::new(), Vec::new());
    let workshop = options.fix.map(|fix| Workshop::open(context, fix, &options.paths)).transpose()?;
    let mut mended = Mended::default();
    let look = |skill: &SkillDir| lint::check(skill, &settings).findings;
    let notes = options.fix.is_some_and(|fix| fix.notes);
    let wanted = |finding: &Finding| notes || finding.diagnostic.level > Level::Note;
    for path in paths {
        let dir = context.places.here.join(path);
        if !dir.is_dir() {
            return Err(Error::usage(format!("there is no directory `{}`", path.display())));
        }
        for skill in skill_dirs(read_all(&dir, lint::subject::FILE_MAX)?, path, &dir) {
            let skill = match &workshop {
                None => skill,
                Some(workshop) => {
                    let (skill, done) = workshop.mend(skill, &look, &wanted);
                    mended.add(done);
                    skill
                }
            };
            let checked = lint::check(&skill, &settings);
            findings.extend(checked.findings);
            summaries.extend(checked.summary);
            dirs.push(skill.path);
        }
    }
    findings.extend(lint::check_across(&summaries, &settings));
    Ok(Linted { findings, dirs, mended })
}

/// Cuts what lies below a directory into skills.
fn skill_dirs(entries: Vec<skill_files::Entry>, shown: &std::path::Path, dir: &std::path::Path) -> Vec<SkillDir> {
    let parent = |path: &str| path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
    let is_page = |path: &str| path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let mut dirs: BTreeMap<String, SkillDir> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| is_page(&entry.path)) {
        let root = parent(&entry.path);
        let path = if root.is_empty() { shown.display().to_string() } else { shown.join(&root).display().to_string() };
        let directory = dir.join(&root).file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        dirs.entry(root).or_insert(SkillDir { path, directory, ..SkillDir::default() });
    }
    for entry in entries {
        let mut root = parent(&entry.path);
        let page = is_page(&entry.path);
        if let Some(outer) =
            root.rsplit_once('/').map(|(outer, _)| outer).or((page && !root.is_empty()).then_some("")).filter(|_| page)
        {
            for (dir, skill) in &mut dirs {
                let below = if dir.is_empty() {
                    Some(entry.path.as_str())
                } else {
                    entry.path.strip_prefix(dir.as_str()).and_then(|rest| rest.strip_prefix('/'))
                };
                let is_outer = outer == dir
                    || dir.is_empty()
                    || outer.strip_prefix(dir.as_str()).is_some_and(|rest| rest.starts_with('/'));
                skill.nested.extend(below.filter(|_| is_outer).map(str::to_owned));
            }
        }
        loop {
            if let Some(skill) = dirs.get_mut(&root) {
                let path = if root.is_empty() { entry.path.clone() } else { entry.path[root.len() + 1..].to_owned() };
                let content = match entry.content {
                    skill_files::Content::Bytes(bytes) => Content::of(bytes),
                    skill_files::Content::Large(size, head) => Content::Large(size, head),
                    skill_files::Content::Link(to) => Content::Link(to),
                    skill_files::Content::Special => Content::Special,
                };
                skill.files.push(File { path, content, executable: entry.executable });
                break;
            }
            if root.is_empty() {
                break;
            }
            root = parent(&root);
        }
    }
    dirs.into_values().collect()
}

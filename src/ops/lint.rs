//! `lint`: the skills below some paths, each held against every rule.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Context;
use crate::error::{Error, Result};
use crate::io::skill_files::{self, read_all};
use crate::lint::{self, Content, File, Settings, SkillDir};
use crate::report::Finding;

/// What to lint, and how.
#[derive(Debug, Clone, Default)]
pub struct LintOptions {
    /// Directories of skills, or their `SKILL.md`; none for here.
    pub paths: Vec<PathBuf>,
}

/// What came of it.
#[derive(Debug)]
pub struct Linted {
    /// What was found, sorted by path and place.
    pub findings: Vec<Finding>,
    /// The directories of the skills that were looked at, as the paths of findings begin.
    pub dirs: Vec<String>,
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
    for path in paths {
        let dir = context.places.here.join(path);
        if !dir.is_dir() {
            return Err(Error::usage(format!("there is no directory `{}`", path.display())));
        }
        for skill in skill_dirs(read_all(&dir, lint::subject::FILE_MAX)?, path, &dir) {
            let checked = lint::check(&skill, &settings);
            findings.extend(checked.findings);
            summaries.extend(checked.summary);
            dirs.push(skill.path);
        }
    }
    findings.extend(lint::check_across(&summaries, &settings));
    Ok(Linted { findings, dirs })
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
        let mut page = is_page(&entry.path);
        loop {
            if let Some(skill) = dirs.get_mut(&root) {
                let path = if root.is_empty() { entry.path.clone() } else { entry.path[root.len() + 1..].to_owned() };
                if !is_page(&path) && page {
                    skill.nested.push(path);
                } else {
                    let content = match entry.content {
                        skill_files::Content::Bytes(bytes) => Content::of(bytes),
                        skill_files::Content::Large(size, head) => Content::Large(size, head),
                        skill_files::Content::Link(to) => Content::Link(to),
                        skill_files::Content::Special => Content::Special,
                    };
                    skill.files.push(File { path, content, executable: entry.executable });
                    break;
                }
            }
            page = false;
            if root.is_empty() {
                break;
            }
            root = parent(&root);
        }
    }
    dirs.into_values().collect()
}

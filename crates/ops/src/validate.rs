//! `validate`: the skills below some paths, each held against the specification.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Context;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::io::ignore::walk::{Ignored, walk};
use crate::lint::subject::{PAGE, is_page};
use crate::lint::validate::{Profile, validate as judge};
use crate::lint::{Content, File, SkillDir, join};
use crate::report::Finding;

/// What to validate, and against what.
#[derive(Debug, Clone, Default)]
pub struct ValidateOptions {
    /// Directories of skills, or a `SKILL.md`; none for here.
    pub paths: Vec<PathBuf>,
    /// One more `SKILL.md`, which stands nowhere.
    pub text: Option<Loose>,
    /// What a skill is held against.
    pub profile: Profile,
}

/// A `SKILL.md` that is no file.
#[derive(Debug, Clone)]
pub struct Loose {
    /// What it holds.
    pub bytes: Vec<u8>,
    /// Where it would stand; its directory's name is the skill's. `None` if that is not known.
    pub path: Option<PathBuf>,
}

impl Loose {
    /// What it is called in findings.
    #[must_use]
    pub fn shown(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new("<stdin>"))
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Validated {
    /// What was found, skill by skill.
    pub findings: Vec<Finding>,
    /// The texts of the files that findings are about, by their paths there.
    pub sources: BTreeMap<String, String>,
    /// The directories that were looked at, as the paths of findings begin.
    pub dirs: Vec<String>,
    /// How many of them are no valid skills.
    pub invalid: usize,
}

/// Validates the skills below some paths. A directory without any is one that is not valid.
///
/// # Errors
/// If a path is not there, is a file that is no `SKILL.md`, or cannot be read.
pub fn validate(context: &Context<'_>, options: &ValidateOptions) -> Result<Validated> {
    let mut validated = Validated::default();
    for path in &options.paths {
        for skill in skills_at(&context.places.here, path)? {
            let findings = judge(&skill, options.profile);
            validated.take(skill, findings);
        }
    }
    if let Some(loose) = &options.text {
        validated.take_loose(loose, options.profile);
    }
    Ok(validated)
}

impl Validated {
    fn take(&mut self, skill: SkillDir, findings: Vec<Finding>) {
        self.invalid += usize::from(!findings.is_empty());
        for File { path, content, .. } in skill.files {
            let path = join(&skill.path, &path);
            if let (true, Content::Text(text)) = (findings.iter().any(|finding| finding.path == path), content) {
                self.sources.insert(path, text);
            }
        }
        self.findings.extend(findings);
        self.dirs.push(skill.path);
    }

    fn take_loose(&mut self, loose: &Loose, profile: Profile) {
        let path = loose.shown();
        let dir = path.parent().unwrap_or(Path::new(""));
        let skill = skill(dir, &name_of(dir), vec![page(PAGE, Content::of(loose.bytes.clone()))]);
        let shown = path.display().to_string();
        let mut findings = judge(&skill, profile);
        for finding in &mut findings {
            finding.path.clone_from(&shown);
        }
        if let (false, Ok(text)) = (findings.is_empty(), String::from_utf8(loose.bytes.clone())) {
            self.sources.insert(shown, text);
        }
        self.take(skill, findings);
    }
}

/// The skills that a path stands for.
fn skills_at(here: &Path, shown: &Path) -> Result<Vec<SkillDir>> {
    let place = here.join(shown);
    let name = || shown.display().to_string();
    if place.is_dir() {
        let mut found = below(&place, shown, Ignored::Skipped)?;
        if found.is_empty() {
            // Who names a directory that git ignores means it.
            found = below(&place, shown, Ignored::Included)?;
        }
        if found.is_empty() {
            found.push(skill(shown, &name_of(&place), Vec::new()));
        }
        return Ok(found);
    }
    if !place.exists() {
        return Err(Error::usage(format!("there is nothing at `{}`", name())));
    }
    if !place.file_name().and_then(OsStr::to_str).is_some_and(is_page) {
        return Err(
            Error::usage(format!("`{}` is no `{PAGE}`", name())).help("name a skill's directory, or its `SKILL.md`")
        );
    }
    let (dir, shown) = (place.parent().unwrap_or(here), shown.parent().unwrap_or(Path::new("")));
    Ok(vec![skill(shown, &name_of(dir), pages(dir)?)])
}

/// The skills of a directory and all below it, in the order of their paths.
fn below(dir: &Path, shown: &Path, ignored: Ignored) -> Result<Vec<SkillDir>> {
    let walked = walk(dir, ignored, 0)?;
    let named = walked.iter().filter(|walked| is_page(&walked.path));
    let dirs: BTreeSet<&str> = named.map(|page| page.path.rsplit_once('/').map_or("", |(dir, _)| dir)).collect();
    let mut found = Vec::with_capacity(dirs.len());
    for below in dirs {
        // Nothing is appended for the directory itself, not even the slash that joining would leave.
        let (place, shown) = match below {
            "" => (dir.to_owned(), shown.to_owned()),
            below => (dir.join(below), shown.join(below)),
        };
        let pages = pages(&place)?;
        if !pages.is_empty() {
            found.push(skill(&shown, &name_of(&place), pages));
        }
    }
    Ok(found)
}

/// What is called `SKILL.md`, in whatever case, in a directory. Links are followed; one that leads nowhere is nothing.
fn pages(dir: &Path) -> Result<Vec<File>> {
    let mut pages = Vec::new();
    for name in disk::names(dir)?.into_iter().filter(|name| is_page(name)) {
        let place = dir.join(&name);
        if place.is_dir() {
            continue;
        }
        if let Some(bytes) = disk::read(&place)? {
            pages.push(page(&name, Content::of(bytes)));
        }
    }
    Ok(pages)
}

fn page(name: &str, content: Content) -> File {
    File { path: name.to_owned(), content, executable: false }
}

fn skill(shown: &Path, directory: &str, files: Vec<File>) -> SkillDir {
    SkillDir { path: shown.display().to_string(), directory: directory.to_owned(), files, nested: Vec::new() }
}

/// A directory's own name, also where it is written as `.` or `..`.
fn name_of(dir: &Path) -> String {
    let name = |dir: &Path| dir.file_name().map(|name| name.to_string_lossy().into_owned());
    name(dir).or_else(|| name(&disk::real_path(dir))).unwrap_or_default()
}

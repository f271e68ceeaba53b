//! `validate`: checks the skills below some paths against the specification.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::report::FileFinding;
use skillpm_core::skill::formats::{devai, nova};
use skillpm_io::disk;
use skillpm_io::ignore::walk::{DiscoveredKind, IgnoredFiles, discover_files};
use skillpm_lint::subject::{SKILL_FILE, is_skill_file};
use skillpm_lint::validate::{ValidationProfile, validate as check_skill};
use skillpm_lint::{FileContent, SkillDir, SkillFile, join};

/// The skills to validate, and the profile.
#[derive(Debug, Clone, Default)]
pub struct ValidateOptions {
    /// Directories of skills, or `SKILL.md` files.
    pub paths: Vec<PathBuf>,
    /// A `SKILL.md` that is not saved, checked as well.
    pub text: Option<UnsavedSkill>,
    /// The rules of the specification to check.
    pub profile: ValidationProfile,
}

/// A `SKILL.md` that is not saved.
#[derive(Debug, Clone)]
pub struct UnsavedSkill {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its future path, whose directory has the skill's name; `None` if that is unknown.
    pub path: Option<PathBuf>,
}

impl UnsavedSkill {
    /// Its path in findings.
    #[must_use]
    pub fn shown(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new("<stdin>"))
    }
}

/// The result of [`validate`].
#[derive(Debug, Default)]
pub struct ValidationReport {
    /// The findings, by skill.
    pub findings: Vec<FileFinding>,
    /// The texts of the files with findings, by the paths in the findings.
    pub sources: BTreeMap<String, String>,
    /// The checked directories, as the paths of findings begin.
    pub dirs: Vec<String>,
    /// The number of directories that are not valid skills.
    pub invalid: usize,
}

/// Validates the skills below some paths. A directory without any skill is invalid.
///
/// # Errors
/// If a path does not exist, is a file other than `SKILL.md`, or cannot be read.
pub fn validate(
    context: &CommandContext<'_>,
    options: &ValidateOptions,
) -> Result<ValidationReport> {
    let mut validated = ValidationReport::default();
    for path in &options.paths {
        for skill in skills_at(&context.dirs.cwd, path)? {
            let findings = check_skill(&skill, options.profile);
            validated.add(skill, findings);
        }
    }

    if let Some(unsaved) = &options.text {
        validated.add_unsaved(unsaved, options.profile);
    }

    Ok(validated)
}

impl ValidationReport {
    fn add(&mut self, skill: SkillDir, findings: Vec<FileFinding>) {
        self.invalid += usize::from(!findings.is_empty());
        for SkillFile { path, content, .. } in skill.files {
            // Reports quote only the files with findings.
            let path = join(&skill.path, &path);
            if let (true, FileContent::Text(text)) =
                (findings.iter().any(|finding| finding.path == path), content)
            {
                self.sources.insert(path, text);
            }
        }

        self.findings.extend(findings);
        self.dirs.push(skill.path);
    }

    fn add_unsaved(&mut self, unsaved: &UnsavedSkill, profile: ValidationProfile) {
        let path = unsaved.shown();
        let dir = path.parent().unwrap_or(Path::new(""));
        let skill = skill_dir(
            dir,
            &dir_name(dir),
            vec![page_file(
                SKILL_FILE,
                FileContent::from_bytes(unsaved.bytes.clone()),
            )],
        );

        let shown = path.display().to_string();
        // Findings have the path from the command line, not the `SKILL.md` it was checked as.
        let mut findings = check_skill(&skill, profile);
        for finding in &mut findings {
            finding.path.clone_from(&shown);
        }

        if let (false, Ok(text)) = (
            findings.is_empty(),
            String::from_utf8(unsaved.bytes.clone()),
        ) {
            self.sources.insert(shown, text);
        }

        self.add(skill, findings);
    }
}

/// The skills at a path: all below a directory, or the one of a file.
fn skills_at(here: &Path, shown: &Path) -> Result<Vec<SkillDir>> {
    let path = here.join(shown);
    let name = || shown.display().to_string();
    if path.is_dir() {
        let mut found = skills_below(&path, shown, IgnoredFiles::Skipped)?;
        if found.is_empty() {
            // The path names a directory that git ignores: then it is meant.
            found = skills_below(&path, shown, IgnoredFiles::Included)?;
        }
        // A directory without any skill is invalid, not empty: the user expected one there.
        if found.is_empty() {
            found.push(skill_dir(shown, &dir_name(&path), descriptors(&path)));
        }

        return Ok(found);
    }

    if !path.exists() {
        return Err(Error::usage(format!("path `{}` not found", name())));
    }

    if !path
        .file_name()
        .and_then(OsStr::to_str)
        .is_some_and(is_skill_file)
    {
        return Err(
            Error::usage(format!("`{}` is not a `{SKILL_FILE}`", name()))
                .help("pass a skill's directory, or its `SKILL.md`"),
        );
    }

    let (dir, shown) = (
        path.parent().unwrap_or(here),
        shown.parent().unwrap_or(Path::new("")),
    );

    Ok(vec![skill_dir(shown, &dir_name(dir), read_pages(dir)?)])
}

/// The files of other formats that describe the skill in a directory, without their texts: they are named, and not checked.
fn descriptors(dir: &Path) -> Vec<SkillFile> {
    [nova::MANIFEST, devai::MANIFEST]
        .into_iter()
        .filter(|file| dir.join(file).is_file())
        .map(|file| page_file(file, FileContent::Text(String::new())))
        .collect()
}

/// The skills in a directory and below it, sorted by path.
fn skills_below(dir: &Path, shown: &Path, ignored: IgnoredFiles) -> Result<Vec<SkillDir>> {
    let walked = discover_files(dir, ignored, 0)?;
    let mut pages: BTreeMap<&str, Vec<(&str, DiscoveredKind)>> = BTreeMap::new();
    for file in walked.iter().filter(|walked| is_skill_file(&walked.path)) {
        let (dir, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        pages.entry(dir).or_default().push((name, file.kind));
    }
    let mut found = Vec::with_capacity(pages.len());

    for (below, pages) in pages {
        // Joining an empty path would append a slash to the directory itself.
        let (path, shown) = match below {
            "" => (dir.to_owned(), shown.to_owned()),
            below => (dir.join(below), shown.join(below)),
        };
        // The walk has seen what is in the directory. A broken link makes no skill.
        let mut files = Vec::with_capacity(pages.len());
        for (name, kind) in pages {
            files.extend(read_page(&path, name, kind == DiscoveredKind::Link)?);
        }
        if !files.is_empty() {
            found.push(skill_dir(&shown, &dir_name(&path), files));
        }
    }

    Ok(found)
}

/// The files in a directory with the name `SKILL.md`, in any case. Links are followed; broken ones
/// are skipped.
fn read_pages(dir: &Path) -> Result<Vec<SkillFile>> {
    let mut files = Vec::new();
    let names = disk::list_names(dir)?.into_iter();
    for name in names.filter(|name| is_skill_file(name)) {
        files.extend(read_page(dir, &name, true)?);
    }
    Ok(files)
}

/// The file of that name in a directory; `None` if it is not there, or is or leads to a directory, which it may if
/// `may_be_directory`.
fn read_page(dir: &Path, name: &str, may_be_directory: bool) -> Result<Option<SkillFile>> {
    let path = dir.join(name);
    if may_be_directory && path.is_dir() {
        return Ok(None);
    }
    let bytes = disk::read(&path)?;
    Ok(bytes.map(|bytes| page_file(name, FileContent::from_bytes(bytes))))
}

fn page_file(name: &str, content: FileContent) -> SkillFile {
    SkillFile {
        path: name.to_owned(),
        content,
        executable: false,
    }
}

fn skill_dir(shown: &Path, directory: &str, files: Vec<SkillFile>) -> SkillDir {
    SkillDir {
        path: shown.display().to_string(),
        directory: directory.to_owned(),
        files,
        nested: Vec::new(),
    }
}

/// A directory's own name, also if the path ends with `.` or `..`.
fn dir_name(dir: &Path) -> String {
    let name = |dir: &Path| {
        dir.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };

    name(dir)
        .or_else(|| name(&disk::real_path(dir)))
        .unwrap_or_default()
}

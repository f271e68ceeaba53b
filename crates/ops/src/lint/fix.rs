//! `lint --fix` and `lint --diff`: mended skills, written or shown.
//!
//! A skill is the unit: all its files are changed or none, and what cannot be written leaves the other skills alone. A
//! copy that the lockfile keeps is not touched unless somebody names it, because the next `install` would undo it.

use std::path::{Path, PathBuf};

use super::super::Context;
use super::installed::by_lockfile;
use crate::error::{Error, Result};
use crate::io::disk::{self, FileEdit};
use crate::lint::fix::{self, Applied, Fixed, Mender, Refused};
use crate::lint::{Content, SkillDir, join};
use crate::merge::patch::{FileChange, patch_of_texts};
use crate::report::{Applicability, Change, Finding, Fix};
use crate::workspace::Sort;

/// What is to become of what can be mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is written.
    Write,
    /// It is shown as a patch.
    Show,
}

/// Whether and how to mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixOptions {
    /// What is to become of it.
    pub mode: Mode,
    /// How far fixes may be trusted at worst.
    pub trust: Applicability,
}

/// What came of mending one skill or many.
#[derive(Debug, Default)]
pub struct Mended {
    /// What was done, by skill and then in the order of doing.
    pub applied: Vec<Applied>,
    /// The files that are others now, as people look for them.
    pub files: Vec<String>,
    /// Fixes that would have done harm.
    pub refused: Vec<Refused>,
    /// Skills that the lockfile keeps, which were left as they are though they could be mended.
    pub kept: Vec<Kept>,
    /// What would change, where it was only to be shown.
    pub patch: Vec<u8>,
    /// The text of a file that somebody gave, as it is afterwards; it is not written anywhere.
    pub given: Option<Vec<u8>>,
    /// Why skills that could be mended were not.
    pub failed: Vec<Error>,
}

/// An installed skill that was left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Where it stands, as people look for it.
    pub path: String,
    /// The package that it was installed from.
    pub package: String,
    /// How many of its findings could be mended.
    pub fixable: usize,
}

impl Mended {
    /// Adds what came of another skill.
    pub fn add(&mut self, other: Mended) {
        self.applied.extend(other.applied);
        self.files.extend(other.files);
        self.refused.extend(other.refused);
        self.kept.extend(other.kept);
        self.patch.extend(other.patch);
        self.given = self.given.take().or(other.given);
        self.failed.extend(other.failed);
    }

    /// The failures as one.
    #[must_use]
    pub fn failure(&mut self) -> Option<Error> {
        let more = self.failed.len().saturating_sub(1);
        let first = (!self.failed.is_empty()).then(|| self.failed.swap_remove(0))?;
        let others = self.failed.drain(..).map(|error| error.message().to_owned());
        let mut error = others.fold(first, Error::note);
        if more == 0 {
            error = error.note("nothing of that skill was changed");
        } else {
            error = error.note("nothing of those skills was changed");
        }
        Some(error)
    }
}

/// All that is needed to mend one skill after another.
#[derive(Debug)]
pub struct Workshop {
    options: FixOptions,
    /// Installed copies: their real path, and the package.
    installed: Vec<(PathBuf, String)>,
    /// The real paths of what was named.
    named: Vec<PathBuf>,
}

impl Workshop {
    /// Gets ready to mend skills below the paths that somebody named.
    ///
    /// # Errors
    /// If there is a lockfile that cannot be read.
    pub fn open(context: &Context<'_>, options: FixOptions, paths: &[PathBuf]) -> Result<Self> {
        let named = paths.iter().map(|path| disk::real_path(&context.places.here.join(path))).collect();
        Ok(Workshop { options, installed: installed(context)?, named })
    }

    /// Mends one skill that lies in `dir`, and says what it is afterwards: what was written, or would be.
    ///
    /// `look` finds what is wrong, and `wanted` says of a finding whether it is to be mended. Of a skill of which one
    /// file was `given`, that file is mended alone, and nothing is written.
    pub fn mend(
        &self,
        skill: SkillDir,
        (dir, given): (&Path, Option<&str>),
        look: &dyn Fn(&SkillDir) -> Vec<Finding>,
        wanted: &dyn Fn(&Finding) -> bool,
    ) -> (SkillDir, Mended) {
        let shown = given.map(|given| join(&skill.path, given));
        let wanted = |finding: &Finding| {
            let is_edit = |fix: &Fix| fix.changes.iter().all(|change| matches!(change, Change::Edit { .. }));
            let here = shown
                .as_ref()
                .is_none_or(|shown| finding.path == *shown && finding.diagnostic.fix.as_ref().is_some_and(is_edit));
            here && wanted(finding)
        };
        if let Some(given) = given.filter(|_| self.options.mode == Mode::Write) {
            return self.mend_given(skill, given, look, &wanted);
        }
        let wanted: &dyn Fn(&Finding) -> bool = &wanted;
        let fixed = match fix::fix(&skill, &Mender { look, wanted, trust: self.options.trust }) {
            Ok(fixed) => fixed,
            Err(error) => return (skill, Mended { failed: vec![error], ..Mended::default() }),
        };
        let Fixed { skill: after, changes, applied, refused, .. } = fixed;
        if changes.is_empty() {
            return (skill, Mended { refused, ..Mended::default() });
        }
        if let Some(package) = self.keeper(dir) {
            let kept = Kept { path: skill.path.clone(), package: package.to_owned(), fixable: applied.len() };
            return (skill, Mended { kept: vec![kept], ..Mended::default() });
        }
        let mut mended = Mended { applied, refused, ..Mended::default() };
        match self.options.mode {
            Mode::Show => mended.patch = patch_of_texts(&skill.path, &changes),
            Mode::Write => {
                let edits: Vec<FileEdit> = changes.iter().map(edit).collect();
                if let Err(error) = disk::edit_files(dir, &edits) {
                    return (skill, Mended { failed: vec![error], ..Mended::default() });
                }
            }
        }
        mended.files = changes.iter().map(|change| join(&skill.path, change.path())).collect();
        (after, mended)
    }

    fn mend_given(
        &self,
        skill: SkillDir,
        given: &str,
        look: &dyn Fn(&SkillDir) -> Vec<Finding>,
        wanted: &dyn Fn(&Finding) -> bool,
    ) -> (SkillDir, Mended) {
        let text = |skill: &SkillDir| match skill.file(given).map(|file| &file.content) {
            Some(Content::Text(text)) => text.clone().into_bytes(),
            Some(Content::Bytes(bytes)) => bytes.clone(),
            _ => Vec::new(),
        };
        match fix::fix(&skill, &Mender { look, wanted, trust: self.options.trust }) {
            Ok(Fixed { skill, changes, applied, refused, .. }) => {
                let files = changes.iter().map(|change| join(&skill.path, change.path())).collect();
                let given = Some(text(&skill));
                (skill, Mended { applied, files, refused, given, ..Mended::default() })
            }
            Err(error) => {
                let mended = Mended { failed: vec![error], given: Some(text(&skill)), ..Mended::default() };
                (skill, mended)
            }
        }
    }

    /// The package that put a skill where it stands, unless the skill itself was named.
    fn keeper(&self, dir: &Path) -> Option<&str> {
        let real = disk::real_path(dir);
        let (_, package) = self.installed.iter().find(|(place, _)| real.starts_with(place))?;
        let is_named = |named: &PathBuf| *named == real || named.parent() == Some(&real) && named.is_file();
        (!self.named.iter().any(is_named)).then_some(package)
    }
}

fn edit(change: &FileChange) -> FileEdit {
    let to = change.path().to_owned();
    let FileChange { from, before, after, executable, .. } = change.clone();
    FileEdit { from, to, before, after, make_executable: executable.1 && !executable.0 }
}

/// Where the lockfiles of the project and of the person have put skills, and from which packages.
fn installed(context: &Context<'_>) -> Result<Vec<(PathBuf, String)>> {
    let project = context.project()?;
    let managed = context.workspace(Sort::Managed)?;
    let mut places = Vec::new();
    for workspace in project.iter().chain([&managed]) {
        let found = by_lockfile(context, workspace)?.into_iter();
        places.extend(found.map(|(place, package)| (disk::real_path(&place), package)));
    }
    Ok(places)
}

//! Skills of third parties. They are read whole: neither their ignore files nor git's decide which
//! files count. Only what is beside an installed package, as a virtual environment, is left out.

use std::path::{Path, PathBuf};

use super::find::{LintRoot, LocatedSkill, split_into_skills};
use super::read_skill;
use super::tree::skill_dir;
use skillpm_core::error::Result;
use skillpm_core::package::{Tree, join_slashed};
use skillpm_io::disk;
use skillpm_io::ignore::walk::{IgnoredFiles, discover_files};
use skillpm_io::local_files::is_at_or_below;
use skillpm_lint::SkillDir;

/// A tree as a skill shown at the path `shown`; `directory` is the name of its directory.
pub(crate) fn untrusted_skill(shown: &str, directory: &str, tree: Tree) -> SkillDir {
    SkillDir {
        path: shown.to_owned(),
        ..skill_dir(tree, directory)
    }
}

/// A skill of a third party on disk, not yet read.
pub(crate) struct UntrustedSkill {
    located: LocatedSkill,
    /// Whether it is a skill, which would be installed as a tree; not if it is a directory without one.
    is_installable: bool,
    /// What in the directory is not part of the skill.
    left_out: Vec<PathBuf>,
}

/// Finds every skill in a directory; if it has none, the directory itself. `threads` is the number of threads that walk
/// it, as in [`discover_files`]; `left_out` has the paths below it that are not part of an installed package.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn find_untrusted_skills(
    shown: &str,
    dir: &Path,
    threads: usize,
    left_out: &[String],
) -> Result<Vec<UntrustedSkill>> {
    let base = LintRoot {
        shown: shown.to_owned(),
        dir: disk::real_path(dir),
        is_recursive: true,
    };
    // Ignore files are not obeyed: the author of the skill wrote them.
    let mut files = discover_files(&base.dir, IgnoredFiles::Included, threads)?;
    files.retain(|file| !left_out.iter().any(|out| is_at_or_below(&file.path, out)));
    let located_skills = split_into_skills(&base, files.clone(), 0);

    if located_skills.is_empty() {
        let directory = base
            .dir
            .file_name()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned());

        let located = LocatedSkill {
            shown: base.shown,
            directory,
            dir: base.dir,
            files,
            nested: Vec::new(),
            unsaved: Vec::new(),
            is_alone: false,
            root: 0,
        };
        return Ok(vec![UntrustedSkill {
            located,
            is_installable: false,
            left_out: Vec::new(),
        }]);
    }

    let left_out: Vec<PathBuf> = left_out
        .iter()
        .map(|path| join_slashed(&base.dir, path))
        .collect();
    let skills = located_skills.into_iter().map(|located| UntrustedSkill {
        located,
        is_installable: true,
        left_out: left_out.clone(),
    });
    Ok(skills.collect())
}

impl UntrustedSkill {
    /// Reads all files that would be installed, also those in `node_modules`; if it would be refused, what can be read.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn read(&self) -> Result<SkillDir> {
        let located = &self.located;
        if !self.is_installable {
            return read_skill(located);
        }

        // The tree is what would be installed. A refused one is checked as far as it can be read.
        let is_part = |path: &str, _| !self.left_out.contains(&join_slashed(&located.dir, path));
        match disk::read_tree_filtered(&located.dir, &is_part) {
            Ok(found) => Ok(SkillDir {
                nested: located.nested.clone(),
                ..untrusted_skill(&located.shown, &located.directory, found.tree)
            }),
            Err(_) => read_skill(located),
        }
    }
}

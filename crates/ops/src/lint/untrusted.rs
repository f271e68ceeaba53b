//! Skills of third parties. They are read whole: neither their ignore files nor git's decide which
//! files count.

use std::path::Path;

use super::find::{LintRoot, LocatedSkill, split_into_skills};
use super::read_skill;
use super::tree::skill_dir;
use skillpm_core::error::Result;
use skillpm_core::package::Tree;
use skillpm_io::disk;
use skillpm_io::ignore::walk::{IgnoredFiles, discover_files};
use skillpm_lint::SkillDir;

/// A tree as a skill shown at the path `shown`; `directory` is the name of its directory.
pub(crate) fn untrusted_skill(shown: &str, directory: &str, tree: &Tree) -> SkillDir {
    SkillDir {
        path: shown.to_owned(),
        ..skill_dir(tree, directory)
    }
}

/// Every skill in a directory, with all its files; if it has none, the directory itself.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn untrusted_skills_below(shown: &str, dir: &Path) -> Result<Vec<SkillDir>> {
    let base = LintRoot {
        shown: shown.to_owned(),
        dir: disk::real_path(dir),
        is_recursive: true,
    };
    // Ignore files are not obeyed: the author of the skill wrote them.
    let walked = discover_files(&base.dir, IgnoredFiles::Included, 0)?;
    let located_skills = split_into_skills(&base, walked, 0);

    if located_skills.is_empty() {
        let files = discover_files(&base.dir, IgnoredFiles::Included, 0)?;

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
        return Ok(vec![read_skill(&located)?]);
    }

    located_skills.iter().map(read_whole).collect()
}

/// A skill with all files that would be installed, also those in `node_modules`; if it would be
/// refused, with what can be read.
fn read_whole(located: &LocatedSkill) -> Result<SkillDir> {
    // The tree is what would be installed. A refused one is checked as far as it can be read.
    match disk::read_tree(&located.dir) {
        Ok(tree) => Ok(SkillDir {
            nested: located.nested.clone(),
            ..untrusted_skill(&located.shown, &located.directory, &tree)
        }),
        Err(_) => read_skill(located),
    }
}

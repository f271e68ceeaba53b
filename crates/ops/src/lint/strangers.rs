//! Skills of strangers, to be judged by what they are and not by what they or git say is part of them.

use std::path::Path;

use super::find::{Base, Place, skills};
use super::read;
use super::tree::skill_dir;
use crate::error::Result;
use crate::io::disk;
use crate::io::ignore::walk::{Ignored, walk};
use crate::lint::SkillDir;
use crate::package::Tree;

/// A tree as a skill that is shown at a path; `directory` is its own name.
pub(in crate::ops) fn stranger(shown: &str, directory: &str, tree: &Tree) -> SkillDir {
    SkillDir { path: shown.to_owned(), ..skill_dir(tree, directory) }
}

/// Every skill in a directory, with all its files; of one that has none, the directory itself.
///
/// # Errors
/// If it cannot be read.
pub(in crate::ops) fn strangers_below(shown: &str, dir: &Path) -> Result<Vec<SkillDir>> {
    let base = Base { shown: shown.to_owned(), dir: disk::real_path(dir), is_whole: true };
    let walked = walk(&base.dir, Ignored::Included, 0)?;
    let places = skills(&base, walked, 0);
    if places.is_empty() {
        let files = walk(&base.dir, Ignored::Included, 0)?;
        let directory = base.dir.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let place = Place {
            shown: base.shown,
            directory,
            dir: base.dir,
            files,
            nested: Vec::new(),
            given: None,
            is_alone: false,
            base: 0,
        };
        return Ok(vec![read(&place)?]);
    }
    places.iter().map(whole).collect()
}

/// A skill with all that an installer would take, `node_modules` as well; where it cannot be taken, with what is there.
fn whole(place: &Place) -> Result<SkillDir> {
    match disk::read_tree(&place.dir) {
        Ok(tree) => Ok(SkillDir { nested: place.nested.clone(), ..stranger(&place.shown, &place.directory, &tree) }),
        Err(_) => read(place),
    }
}

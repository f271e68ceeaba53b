//! A package before it is published: the files that are packed, held against the rules as everywhere else.

use std::path::Path;

use super::{Context, LintOptions, homes};
use crate::error::Result;
use crate::io::skill_files::HEAD;
use crate::lint::subject::{FILE_MAX, is_page};
use crate::lint::{self, Content, File, Flags, Profile, SkillDir};
use crate::package::Tree;
use crate::report::Finding;

/// What is wrong with the files of the skill in `dir`, which is to be called `directory`; paths are those of the tree.
///
/// It is judged for a registry, by the `[lint]` that holds for the directory.
///
/// # Errors
/// If that `[lint]` cannot be understood.
pub(in crate::ops) fn lint_tree(
    context: &Context<'_>,
    dir: &Path,
    directory: &str,
    tree: &Tree,
) -> Result<Vec<Finding>> {
    let flags = Flags { profile: Some(Profile::Publish), ..Flags::default() };
    let options = LintOptions { flags, ..LintOptions::default() };
    let settings = homes::settings_in(context, &options, dir)?;
    Ok(lint::check(&skill_dir(tree, directory), &settings).findings)
}

/// A tree as the rules see it.
pub(super) fn skill_dir(tree: &Tree, directory: &str) -> SkillDir {
    let file = |bytes: &[u8]| match bytes.len() as u64 {
        size if size > FILE_MAX => Content::Large(size, bytes[..HEAD].to_vec()),
        _ => Content::of(bytes.to_vec()),
    };
    let files = tree.files().map(|(path, own)| File {
        path: path.to_string(),
        content: file(&own.bytes),
        executable: own.executable,
    });
    let mut files: Vec<File> = files.collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let is_nested = |file: &&File| file.path.contains('/') && is_page(&file.path);
    let nested = files.iter().filter(is_nested).map(|file| file.path.clone()).collect();
    SkillDir { path: String::new(), directory: directory.to_owned(), files, nested }
}

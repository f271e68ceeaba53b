//! A package before it is published: the files that are packed, held against the rules as everywhere else.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Context, LintOptions, homes};
use crate::error::Result;
use crate::lint::subject::is_page;
use crate::lint::{self, Content, Exemptions, File, Flags, Profile, Setting, Settings, SkillDir};
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

/// What some rules, by name, find in a stranger's tree, however loud they are and whatever it says of rules itself; paths
/// are those of the tree.
///
/// # Errors
/// If there is no such rule.
pub(in crate::ops) fn findings_in(
    tree: &Tree,
    directory: &str,
    rules: &BTreeSet<&'static str>,
) -> Result<Vec<Finding>> {
    let levels = rules.iter().map(|name| ((*name).to_owned(), Setting::Deny)).collect();
    let (mut settings, _) = Settings::new(None, &Flags { levels, ..Flags::default() })?;
    settings.exemptions = Exemptions::Ignored;
    let findings = lint::check(&skill_dir(tree, directory), &settings).findings;
    Ok(findings.into_iter().filter(|finding| rules.contains(&*finding.diagnostic.rule)).collect())
}

/// A tree as the rules see it: all of it, since a tree is no larger than what they read.
pub(super) fn skill_dir(tree: &Tree, directory: &str) -> SkillDir {
    let files = tree.files().map(|(path, own)| File {
        path: path.to_string(),
        content: Content::of(own.bytes.clone()),
        executable: own.executable,
    });
    let mut files: Vec<File> = files.collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let is_nested = |file: &&File| file.path.contains('/') && is_page(&file.path);
    let nested = files.iter().filter(is_nested).map(|file| file.path.clone()).collect();
    SkillDir { path: String::new(), directory: directory.to_owned(), files, nested }
}

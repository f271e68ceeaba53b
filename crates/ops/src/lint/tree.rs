//! Checks the files of a package that are in memory: before it is published, or before it is
//! installed.

use std::collections::BTreeSet;
use std::path::Path;

use super::{CommandContext, LintOptions, settings};
use skillpm_core::error::Result;
use skillpm_core::package::Tree;
use skillpm_core::report::FileFinding;
use skillpm_lint::subject::is_skill_file;
use skillpm_lint::{
    ExemptionPolicy, FileContent, LintFlags, LintLevel, LintProfile, LintSettings, SkillDir,
    SkillFile,
};

/// Checks the files of the skill in `dir` as if its directory were named `directory`; paths are
/// those of the tree.
///
/// The publish profile applies, with the `[lint]` settings of the directory.
///
/// # Errors
/// If that `[lint]` is invalid.
pub(crate) fn lint_tree(
    context: &CommandContext<'_>,
    dir: &Path,
    directory: &str,
    tree: &Tree,
) -> Result<Vec<FileFinding>> {
    let flags = LintFlags {
        profile: Some(LintProfile::Publish),
        ..LintFlags::default()
    };
    let options = LintOptions {
        flags,
        ..LintOptions::default()
    };
    let settings = settings::settings_for_dir(context, &options, dir)?;

    Ok(skillpm_lint::check(&skill_dir(tree.clone(), directory), &settings).findings)
}

/// The findings of some rules, by name, in an untrusted tree, whatever their levels and its
/// exemptions are; paths are those of the tree.
///
/// # Errors
/// If a rule does not exist.
pub(crate) fn findings_in(
    tree: &Tree,
    directory: &str,
    rules: &BTreeSet<&'static str>,
) -> Result<Vec<FileFinding>> {
    let levels = rules
        .iter()
        .map(|name| ((*name).to_owned(), LintLevel::Deny))
        .collect();
    let (mut settings, _) = LintSettings::new(
        None,
        &LintFlags {
            levels,
            ..LintFlags::default()
        },
    )?;

    // A comment in an untrusted skill must not switch a rule off.
    settings.exemptions = ExemptionPolicy::Ignored;
    let findings = skillpm_lint::check(&skill_dir(tree.clone(), directory), &settings).findings;

    // Other rules keep their default levels; only the requested ones count.
    Ok(findings
        .into_iter()
        .filter(|finding| rules.contains(&*finding.diagnostic.rule))
        .collect())
}

/// A tree as the subject of rules. All of it: a tree is no larger than what rules read.
pub(super) fn skill_dir(tree: Tree, directory: &str) -> SkillDir {
    // By value: the files of a tree that is used nowhere else are not copied.
    let files = tree.into_files().map(|(path, own)| SkillFile {
        path: path.to_string(),
        content: FileContent::from_bytes(own.bytes),
        executable: own.executable,
    });
    let mut files: Vec<SkillFile> = files.collect();
    // In the order of the files on disk, so that findings have the same order.
    files.sort_by(|a, b| a.path.cmp(&b.path));

    let is_nested = |file: &&SkillFile| file.path.contains('/') && is_skill_file(&file.path);
    let nested = files
        .iter()
        .filter(is_nested)
        .map(|file| file.path.clone())
        .collect();

    SkillDir {
        path: String::new(),
        directory: directory.to_owned(),
        files,
        nested,
    }
}

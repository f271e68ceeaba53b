//! What a package of a registry would add, read before it is added: for the search of `add` on a terminal.

use super::CommandContext;
use super::add::any_version_of;
use super::lint::untrusted_skill;
use super::release_age::release_age;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::Policy;
use skillpm_core::package::{PackageDependency, PackageName, PackageSummary, SourceId};
use skillpm_core::report::{FileFinding, ProgressEvent};
use skillpm_core::skill::{Skill, formats, tokens};
use skillpm_lint::LintSettings;
use skillpm_registry::sources::release_age::ReleaseAge;
use skillpm_registry::sources::{AvailableVersion, FetchError, FetchedPackage, PackageSources};

/// A package that could be added.
#[derive(Debug, Clone)]
pub struct PackagePreview {
    /// Its name.
    pub name: PackageName,
    /// Its newest version.
    pub version: Option<String>,
    /// The skill in it.
    pub skill: Skill,
    /// The names of the packages that it requires.
    pub requires: Vec<String>,
    /// The number of its files.
    pub files: usize,
    /// The size of its files in bytes.
    pub bytes: u64,
    /// About how many tokens its name and description cost in each conversation.
    pub listed_tokens: usize,
    /// About how many tokens its instructions cost once it is loaded.
    pub tokens: usize,
    /// What the security rules find in its files.
    pub findings: Vec<FileFinding>,
}

/// Reads the newest version of a package, and checks its files as `audit` does. Nothing in the project changes; the files
/// are in the cache afterwards.
///
/// # Errors
/// If the package is not found, cannot be fetched, or has no skill.
pub fn preview(
    context: &CommandContext<'_>,
    name: &PackageName,
    registry: Option<&str>,
) -> Result<PackagePreview> {
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, &context.dirs.cwd, &registries, context.reporter);

    let needed = any_version_of(
        name.clone(),
        SourceId::Registry(context.config.registry(registry)?),
    );
    // As `add` chooses: a version below the minimum release age is not offered.
    let policy = match context.project()? {
        Some(workspace) => workspace.manifest(&registries)?.policy,
        None => Policy::default(),
    };
    let age = release_age(context, &policy)?;

    let fetched = fetch_newest(&sources, &needed, &age);
    context.reporter.report(ProgressEvent::Fetched);
    let fetched = fetched?;

    // Adding it after the preview fetches nothing again.
    context.store()?.put(&fetched.tree)?;
    describe_package(name, &fetched)
}

fn fetch_newest(
    sources: &PackageSources<'_>,
    needed: &PackageDependency,
    age: &ReleaseAge,
) -> Result<FetchedPackage> {
    let offers = sources.query(std::slice::from_ref(needed)).remove(0)?;
    let mut summaries: Vec<PackageSummary> = Vec::new();
    for offer in offers {
        match offer {
            AvailableVersion::Fetched(fetched) => return Ok(*fetched),
            AvailableVersion::Summary(summary) => summaries.push(*summary),
        }
    }

    // A pre-release only if there is no other, as for `add`.
    summaries
        .retain(|summary| !summary.yanked && age.exclusion_reason(summary.published).is_none());
    let newest = summaries.into_iter().max_by_key(|summary| {
        let version = summary.version.clone();
        let is_release = version
            .as_ref()
            .is_none_or(|version| version.pre.is_empty());
        (is_release, version)
    });
    let newest = newest.ok_or_else(|| {
        Error::negative(format!(
            "no matching package named `{}` found",
            needed.package
        ))
    })?;

    match sources.read(&[newest], &[None]).remove(0) {
        Ok(fetched) => Ok(fetched),
        Err(FetchError::Failed(error)) => Err(error),
        Err(FetchError::Unavailable(reason)) => Err(Error::negative(format!(
            "failed to fetch `{}`: {reason}",
            needed.package
        ))),
    }
}

fn describe_package(name: &PackageName, fetched: &FetchedPackage) -> Result<PackagePreview> {
    let (directory, tree) = (name.skill().as_str(), &fetched.tree);
    let skill = formats::read_tree(tree, directory)
        .and_then(|read| read.into_file_reading("SKILL.md").skill)
        .ok_or_else(|| {
            Error::negative(format!("`{name}` has no skill that an agent would load"))
        })?;

    let text = tree.get(skill.format.descriptor()).unwrap_or_default();
    let dependencies = fetched.summary.dependencies.iter().flatten();
    let files = tree.files();

    Ok(PackagePreview {
        name: name.clone(),
        version: fetched.summary.version.as_ref().map(ToString::to_string),
        requires: dependencies
            .map(|dependency| dependency.package.to_string())
            .collect(),
        files: files.len(),
        bytes: files.map(|(_, file)| file.bytes.len() as u64).sum(),
        listed_tokens: tokens::approximate(&format!("{}: {}", skill.name, skill.description)),
        tokens: tokens::approximate(&String::from_utf8_lossy(text)),
        findings: skillpm_lint::audit(
            &untrusted_skill(directory, directory, tree.clone()),
            &LintSettings::default(),
        ),
        skill,
    })
}

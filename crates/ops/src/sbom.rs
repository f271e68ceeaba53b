//! `sbom`: writes a software bill of materials of a project.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::CommandContext;
use super::fetch::fetch_locked;
use super::policy::license_of;
use crate::sbom_formats::{BillOfMaterials, SbomFacts, SbomFormat};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::Manifest;
use skillpm_core::package::{SkillName, Tree};
use skillpm_core::skill::formats;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// Renders the bill of materials of the lockfile. Packages that are not in the store are fetched.
///
/// # Errors
/// If there is no lockfile, it is invalid, or a package cannot be fetched.
pub fn sbom(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
    format: SbomFormat,
) -> Result<String> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifests = workspace.read_manifests(&registries)?;
    let lockfile = workspace.required_lockfile()?;
    let facts = fetch_facts(context, &workspace, &manifests.manifest, &lockfile)?;

    // Sorted, and each once: members of a workspace may have the same dependency.
    let roots: BTreeSet<SkillName> = manifests
        .roots
        .iter()
        .map(|root| root.dependency.alias.clone())
        .collect();
    let roots: Vec<SkillName> = roots.into_iter().collect();

    let package = manifests.manifest.package.as_ref();
    // A project that is no package has only the name of its directory.
    let directory = workspace.root.file_name();
    let name = package
        .map(|package| package.name.to_string())
        .or(directory.map(|name| name.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "project".into());
    let version = package
        .and_then(|package| package.version.as_ref())
        .map(ToString::to_string);

    let bill = BillOfMaterials {
        name: &name,
        version: version.as_deref(),
        lockfile: &lockfile,
        roots: &roots,
        facts: &facts,
        time: source_date_epoch(context)?,
    };
    Ok(bill.to_text(format))
}

/// The facts that the lockfile does not have: descriptions and licenses are in the packages' files.
fn fetch_facts(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
    lockfile: &Lockfile,
) -> Result<BTreeMap<SkillName, SbomFacts>> {
    let packages: Vec<&LockedPackage> = lockfile.packages().iter().collect();
    let trees = fetch_locked(context, workspace, manifest, &packages)?;
    Ok(trees
        .iter()
        .map(|(name, tree)| (name.clone(), read_facts(tree, name)))
        .collect())
}

fn read_facts(tree: &Tree, name: &SkillName) -> SbomFacts {
    let skill = formats::read_tree(tree, name.as_str())
        .and_then(|read| read.into_file_reading("SKILL.md").skill);
    SbomFacts {
        license: license_of(tree, name.as_str()),
        description: skill.map(|skill| skill.description),
    }
}

/// The time in `SOURCE_DATE_EPOCH`, for reproducible builds.
fn source_date_epoch(context: &CommandContext<'_>) -> Result<Option<Timestamp>> {
    let Some(text) = (context.env_var)("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };

    let seconds = text
        .parse::<i64>()
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok());
    // An invalid value is an error: a wrong time in the document would go unnoticed.
    seconds.map(Some).ok_or_else(|| {
        Error::usage(format!(
            "invalid `SOURCE_DATE_EPOCH` `{}`: not a number of seconds",
            text.escape_debug()
        ))
        .help("set it to seconds since 1970, such as `git log -1 --format=%ct` prints, or unset it")
    })
}

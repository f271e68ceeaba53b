//! A package as it is published: read, checked and packed. (The least that publishing needs, until the whole is here.)

use std::path::Path;

use semver::Version;

use super::Context;
use crate::error::{Error, Result};
use crate::io::{archive, disk};
use crate::manifest::{self, Manifest, Publish};
use crate::package::{Checksum, Dependency, GitUrl, PackageName, RelPath, Sha256, SourceId, Tree};
use crate::report::Diagnostic;
use crate::skill;
use crate::workspace::Workspace;

/// A package, ready to be published.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Its name.
    pub name: PackageName,
    /// Its version.
    pub version: Version,
    /// Its files.
    pub tree: Tree,
    /// Their checksum.
    pub checksum: Checksum,
    /// The archive's bytes.
    pub archive: Vec<u8>,
    /// Their digest.
    pub sha256: Sha256,
    /// What it needs, from registries.
    pub dependencies: Vec<Dependency>,
    /// What it is for.
    pub description: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Its licence.
    pub license: Option<String>,
    /// Where it may go.
    pub publish: Publish,
    /// Where it comes from.
    pub git: Option<(GitUrl, String, RelPath)>,
    /// What was found.
    pub diagnostics: Vec<Diagnostic>,
}

/// Packs the skill in a directory.
///
/// # Errors
/// If it is none, or has no version.
pub fn pack(context: &Context<'_>, dir: &Path) -> Result<Packed> {
    let tree = disk::read_tree(dir)?;
    let bytes = tree.get("SKILL.md").ok_or_else(|| Error::negative("there is no `SKILL.md`"))?.to_vec();
    let called = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let reading = skill::read(&bytes, called);
    let own = reading.skill.ok_or_else(|| skill::unreadable("SKILL.md", &reading.diagnostics))?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let shared = Workspace::shared_with(dir, &registries)?;
    let manifest = match disk::read_text(&dir.join(manifest::FILE))? {
        Some(text) => Some(Manifest::parse_member(&text, manifest::FILE, &registries, shared.as_ref())?),
        None => None,
    };
    let package = manifest.as_ref().and_then(|manifest| manifest.package.clone());
    let name = package.as_ref().map_or_else(|| own.name.parse(), |package| Ok(package.name.clone()))?;
    let version = package.as_ref().and_then(|package| package.version.clone()).or_else(|| own.semver());
    let version = version.ok_or_else(|| Error::negative(format!("`{name}` has no version")))?;
    let archive = archive::pack(&tree, &format!("{}-{version}", name.skill()))?;
    let mut dependencies: Vec<Dependency> = manifest.as_ref().map(|own| own.dependencies.clone()).unwrap_or_default();
    dependencies.retain(|needed| !needed.dev);
    for needed in &mut dependencies {
        if let SourceId::Path(_) = needed.source {
            needed.source = SourceId::Registry(context.config.registry(None)?);
        }
    }
    Ok(Packed {
        name,
        version,
        checksum: Checksum::of(&tree),
        sha256: Sha256::of(&archive),
        tree,
        archive,
        dependencies,
        description: Some(own.summary_line()),
        keywords: own.tags.clone(),
        license: own.license.clone(),
        publish: package.map_or(Publish::Anywhere, |package| package.publish),
        git: None,
        diagnostics: reading.diagnostics,
    })
}

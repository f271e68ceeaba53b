//! What a package's tree says of itself: its name, its version and what it needs.

use semver::{Version, VersionReq};

use super::discover::join;
use crate::error::{Error, Kind, Result};
use crate::manifest::{self, Manifest, Registries, Shared};
use crate::package::{Dependency, PackageName, RelPath, SkillName, SourceId, Tree};
use crate::report::Diagnostic;
use crate::skill::{self, Skill, formats};

/// What a package's tree says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The skill as agents will read it.
    pub skill: Skill,
    /// The version that the tree states.
    pub version: Option<Version>,
    /// What it needs, by `skillpm.toml`, else by the skill's `requires`.
    pub dependencies: Vec<Dependency>,
    /// What was found on the way.
    pub diagnostics: Vec<Diagnostic>,
}

/// Where another skill is: its source, and the directory in it.
pub type Place = (SourceId, Option<RelPath>);

/// What is around a tree, to understand what it refers to.
pub struct Surroundings<'a> {
    /// Where the tree was found, for messages, such as `skills/pdf`.
    pub place: &'a str,
    /// The name of its directory.
    pub directory: &'a str,
    /// Registries by name.
    pub registries: Registries<'a>,
    /// Another skill of the same source, by its name.
    pub sibling: &'a dyn Fn(&SkillName) -> Option<Place>,
    /// A directory as the tree's own manifest writes it, relative to the tree.
    pub relative: &'a dyn Fn(&str) -> Result<Place>,
    /// What the workspace that the tree is a member of has for its members; asked only if something may be inherited.
    pub shared: &'a dyn Fn() -> Result<Option<Shared>>,
}

/// Reads what a tree says of itself.
///
/// # Errors
/// If it has no `SKILL.md`, nor a descriptor of another format, that any agent would load (the message has the place in it), or a `skillpm.toml` that cannot
/// be understood.
pub fn describe(tree: &Tree, around: &Surroundings<'_>) -> Result<Described> {
    let Some(format) = formats::detect(&|path| tree.get(path).is_some()) else {
        return Err(Error::negative(format!("`{}` is no skill: it has no `SKILL.md`", around.place))
            .help("`--skill NAME` finds a skill by its name, and `--all` takes all of them"));
    };
    let file = join(around.place, format.descriptor());
    let source = tree.get(format.descriptor()).unwrap_or_default();
    if let Some(at) = source.iter().position(|byte| *byte == 0) {
        let line = source[..at].split(|byte| *byte == b'\n').count();
        return Err(Error::integrity(format!("{file}:{line}: it holds a NUL byte, so it is not text")));
    }
    let read = formats::of_tree(tree, around.directory).expect("its format was found");
    let reading = read.about(format.descriptor());
    let skill = reading.skill.ok_or_else(|| skill::unreadable(&file, &reading.diagnostics))?;
    let manifest = own_manifest(tree, around)?;
    let mut diagnostics = reading.diagnostics;
    let dependencies = match &manifest {
        Some(manifest) if !manifest.dependencies.is_empty() => own_dependencies(manifest, around)?,
        _ => required(&skill, &String::from_utf8_lossy(source), around, &mut diagnostics)?,
    };
    let declared = manifest.and_then(|manifest| manifest.package).and_then(|package| package.version);
    let version = declared.or_else(|| skill.semver());
    Ok(Described { skill, version, dependencies, diagnostics })
}

fn own_manifest(tree: &Tree, around: &Surroundings<'_>) -> Result<Option<Manifest>> {
    let file = join(around.place, manifest::FILE);
    let Some(bytes) = tree.get(manifest::FILE) else { return Ok(None) };
    let text = std::str::from_utf8(bytes).map_err(|_| Error::usage(format!("`{file}` is not UTF-8 text")))?;
    let shared = if inherits(tree) { (around.shared)()? } else { None };
    Manifest::parse_member(text, &file, around.registries, shared.as_ref()).map(Some)
}

/// Whether the tree's manifest may inherit something from a workspace.
pub(super) fn inherits(tree: &Tree) -> bool {
    tree.get(manifest::FILE).is_some_and(|bytes| memchr::memmem::find(bytes, b"workspace").is_some())
}

/// What the manifest inside a package declares, with its paths seen from the package.
fn own_dependencies(manifest: &Manifest, around: &Surroundings<'_>) -> Result<Vec<Dependency>> {
    let needed = manifest.dependencies.iter().filter(|dependency| !dependency.dev);
    needed
        .map(|dependency| match &dependency.source {
            SourceId::Path(path) => {
                let (source, subdir) = (around.relative)(path)?;
                Ok(Dependency { source, subdir, ..dependency.clone() })
            }
            SourceId::Archive(place) if !place.starts_with("https://") => Err(Error::new(
                Kind::Integrity,
                format!("`{}` needs `{place}`: only the project itself may name a local archive", around.place),
            )),
            SourceId::WellKnown(site) if !site.as_str().starts_with("https://") => Err(Error::new(
                Kind::Integrity,
                format!("`{}` needs `{site}`: only the project itself may name a site without `https`", around.place),
            )),
            _ => Ok(dependency.clone()),
        })
        .collect()
}

/// What the skill's `requires` names: a skill of the same source where there is one, else a package of the default
/// registry. It is wished for only, as no agent loads it by itself.
fn required(
    skill: &Skill,
    source: &str,
    around: &Surroundings<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Dependency>> {
    let needs = skill::dependencies::dependencies(skill, source);
    diagnostics.extend(needs.diagnostics);
    let mut dependencies = Vec::new();
    for (package, req) in needs.packages {
        let (source, subdir, req) = match (around.sibling)(package.skill()).filter(|_| package.scope().is_none()) {
            // What stands beside it at the same commit is what it was written for, whatever the number.
            Some((source, subdir)) => (source, subdir, VersionReq::STAR),
            None => (SourceId::Registry((around.registries)(None)?), None, req),
        };
        let alias = package.skill().clone();
        dependencies.push(Dependency { alias, package, source, subdir, req, dev: false, optional: true });
    }
    Ok(dependencies)
}

/// The name that a skill is installed under if nothing else is said.
///
/// # Errors
/// If its `name` is none that a directory may have, or none at all; the message offers `--as`.
pub fn install_name(skill: &Skill, file: &str) -> Result<PackageName> {
    if let Some(why) = &skill.misnamed {
        return Err(Error::negative(format!("{file}{why}"))
            .wrap(format!("{file}: this skill cannot be installed under its name"))
            .help("`--as NAME` gives it one"));
    }
    skill.name.parse::<SkillName>().map(Into::into).map_err(|error| {
        let is_hostile =
            skill.name.contains(['/', '\\']) || skill.name.contains("..") || skill.name.chars().any(char::is_control);
        let kind = if is_hostile { Kind::Integrity } else { Kind::Negative };
        error
            .with_kind(kind)
            .wrap(format!("{file}: this skill cannot be installed under its name"))
            .help("`--as NAME` gives it another")
    })
}

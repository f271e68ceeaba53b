//! The description in a package's tree: its name, its version and its dependencies.

use semver::{Version, VersionReq};

use super::discover::join_paths;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::manifest::{self, InheritableFields, Manifest, RegistryLookup};
use skillpm_core::package::{PackageDependency, PackageName, RelPath, SkillName, SourceId, Tree};
use skillpm_core::report::Diagnostic;
use skillpm_core::skill::{self, Skill, formats};

/// The description of a package in its own tree.
#[derive(Debug, Clone, PartialEq)]
pub struct PackageDescription {
    /// The skill as agents will read it.
    pub skill: Skill,
    /// The version in the tree; `None` if it has none.
    pub version: Option<Version>,
    /// The dependencies in `skillpm.toml`, else in the skill's `requires`.
    pub dependencies: Vec<PackageDependency>,
    /// Diagnostics of the skill and its dependencies.
    pub diagnostics: Vec<Diagnostic>,
}

/// The location of another skill: its source, and the directory in it.
pub type SkillLocation = (SourceId, Option<RelPath>);

/// The surroundings of a tree, to resolve its references.
pub struct DescribeContext<'a> {
    /// Where the tree was found, for messages, such as `skills/pdf`.
    pub place: &'a str,
    /// The name of its directory.
    pub directory: &'a str,
    /// Registries by name.
    pub registries: RegistryLookup<'a>,
    /// Another skill of the same source, by its name.
    pub sibling: &'a dyn Fn(&SkillName) -> Option<SkillLocation>,
    /// A directory as the tree's own manifest writes it, relative to the tree.
    pub relative: &'a dyn Fn(&str) -> Result<SkillLocation>,
    /// The fields that the tree inherits from its workspace; called only if something may be inherited.
    pub shared: &'a dyn Fn() -> Result<Option<InheritableFields>>,
}

/// Reads the description in a tree.
///
/// # Errors
/// If it has no `SKILL.md`, or descriptor of another format, that an agent would load (the message has line and column),
/// or an invalid `skillpm.toml`.
pub fn describe_package(tree: &Tree, around: &DescribeContext<'_>) -> Result<PackageDescription> {
    let Some(format) = formats::detect_format(&|path| tree.get(path).is_some()) else {
        return Err(Error::negative(format!(
            "missing `SKILL.md` in `{}`",
            around.place
        ))
        .help("use `--skill NAME` to select a skill by its name, or `--all` to select all of them"));
    };

    let file = join_paths(around.place, format.descriptor());
    let source = tree.get(format.descriptor()).unwrap_or_default();
    refuse_nul(source, &file)?;

    let read = formats::read_tree(tree, around.directory).expect("the format was detected");
    let reading = read.into_file_reading(format.descriptor());
    let skill = reading
        .skill
        .ok_or_else(|| skill::unreadable_error(&file, &reading.diagnostics))?;

    let manifest = read_manifest(tree, around)?;
    let mut diagnostics = reading.diagnostics;
    // From the manifest, if it has any; those of the skill itself are optional.
    let dependencies = match &manifest {
        Some(manifest) if !manifest.dependencies.is_empty() => {
            manifest_dependencies(manifest, around)?
        }
        _ => {
            let text = String::from_utf8_lossy(source);
            skill_dependencies(&skill, &text, around, &mut diagnostics)?
        }
    };

    let declared = manifest
        .and_then(|manifest| manifest.package)
        .and_then(|package| package.version);
    let version = declared.or_else(|| skill.semver());

    Ok(PackageDescription {
        skill,
        version,
        dependencies,
        diagnostics,
    })
}

fn refuse_nul(source: &[u8], file: &str) -> Result<()> {
    // A parser that ends a text at a NUL would read another skill than the checked one.
    match source.iter().position(|byte| *byte == 0) {
        Some(at) => {
            let line = source[..at].split(|byte| *byte == b'\n').count();
            Err(Error::integrity(format!(
                "invalid text in `{file}:{line}`: it contains a NUL byte"
            )))
        }
        None => Ok(()),
    }
}

fn read_manifest(tree: &Tree, around: &DescribeContext<'_>) -> Result<Option<Manifest>> {
    let file = join_paths(around.place, manifest::FILE);
    let Some(bytes) = tree.get(manifest::FILE) else {
        return Ok(None);
    };

    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::usage(format!("invalid UTF-8 in `{file}`")))?;

    // The workspace is searched only if something may be inherited from it.
    let shared = if may_inherit(tree) {
        (around.shared)()?
    } else {
        None
    };

    Manifest::parse_member(text, &file, around.registries, shared.as_ref()).map(Some)
}

/// Whether the tree's manifest may inherit something from a workspace.
pub(super) fn may_inherit(tree: &Tree) -> bool {
    tree.get(manifest::FILE)
        .is_some_and(|bytes| memchr::memmem::find(bytes, b"workspace").is_some())
}

/// The dependencies in the manifest of a package, with its paths resolved in the package's source.
fn manifest_dependencies(
    manifest: &Manifest,
    around: &DescribeContext<'_>,
) -> Result<Vec<PackageDependency>> {
    let needed = manifest
        .dependencies
        .iter()
        .filter(|dependency| !dependency.dev);
    needed
        .map(|dependency| match &dependency.source {
            // A path is relative to the package, and refers to a directory in the same source.
            SourceId::Path(path) => {
                let (source, subdir) = (around.relative)(path)?;
                Ok(PackageDependency {
                    source,
                    subdir,
                    ..dependency.clone()
                })
            }
            // A published package must not make its users read local files, or sites without TLS.
            SourceId::Archive(place) if !place.starts_with("https://") => Err(Error::new(
                FailureKind::Integrity,
                format!(
                    "refusing dependency `{place}` of `{}`: only the project itself may use a local archive",
                    around.place
                ),
            )),
            SourceId::WellKnown(site) if !site.as_str().starts_with("https://") => Err(Error::new(
                FailureKind::Integrity,
                format!(
                    "refusing dependency `{site}` of `{}`: only the project itself may use a site without `https`",
                    around.place
                ),
            )),
            _ => Ok(dependency.clone()),
        })
        .collect()
}

/// The dependencies in the skill's `requires`: a skill of the same source where there is one, else a package of the
/// default registry. They are optional, as no agent loads them by itself.
fn skill_dependencies(
    skill: &Skill,
    source: &str,
    around: &DescribeContext<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<PackageDependency>> {
    let needs = skill::dependencies::read_dependencies(skill, source);
    diagnostics.extend(needs.diagnostics);

    let mut dependencies = Vec::new();
    for (package, req) in needs.packages {
        let (source, subdir, req) =
            match (around.sibling)(package.skill()).filter(|_| package.scope().is_none()) {
                // A sibling at the same commit is the one it was written for, whatever its version.
                Some((source, subdir)) => (source, subdir, VersionReq::STAR),
                None => (SourceId::Registry((around.registries)(None)?), None, req),
            };

        let alias = package.skill().clone();
        dependencies.push(PackageDependency {
            alias,
            package,
            source,
            subdir,
            req,
            dev: false,
            optional: true,
        });
    }

    Ok(dependencies)
}

/// The default name that a skill is installed under: its `name`. Where that is a title for people, such as
/// `Brainstorming Ideas`, it is the name of its `directory`.
///
/// # Errors
/// If its `name` is missing, or not valid as a directory's name; the message suggests `--as`.
pub fn install_name(skill: &Skill, file: &str, directory: Option<&str>) -> Result<PackageName> {
    if let Some(why) = &skill.misnamed {
        return Err(Error::negative(format!("{file}{why}"))
            .wrap(format!("invalid skill name in `{file}`"))
            .help("use `--as NAME` to install it under a name"));
    }

    // Nova identifies a skill by its directory, which keeps its name if that is possible at all.
    if let Some(name) = skill
        .own_id
        .as_deref()
        .and_then(|id| SkillName::parse_install_name(id).ok())
    {
        return Ok(name.into());
    }

    match skill.name.parse::<SkillName>() {
        Ok(name) => Ok(name.into()),
        Err(error) => directory
            .filter(|_| is_title(&skill.name))
            .and_then(|directory| directory.parse::<SkillName>().ok())
            .map(Into::into)
            .ok_or_else(|| invalid_name_error(&skill.name, file, error)),
    }
}

/// Whether an invalid name is several words for people. One that is nearly a name, such as `Pdf` or `my_skill`, is
/// rather a mistake.
fn is_title(name: &str) -> bool {
    let is_word = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "&'()+,-.:".contains(c))
    };
    name.contains(' ') && !name.contains("..") && name.split(' ').all(is_word)
}

fn invalid_name_error(name: &str, file: &str, error: Error) -> Error {
    // A name that leads out of the target directory is an attack, and not a mistake.
    let is_hostile =
        name.contains(['/', '\\']) || name.contains("..") || name.chars().any(char::is_control);
    let kind = if is_hostile {
        FailureKind::Integrity
    } else {
        FailureKind::Negative
    };
    error
        .with_kind(kind)
        .wrap(format!("invalid skill name in `{file}`"))
        .help("use `--as NAME` to install it under another name")
}

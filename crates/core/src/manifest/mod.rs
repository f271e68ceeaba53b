//! `skillpm.toml`, the file that people write.
//!
//! ```toml
//! [dependencies]
//! release-notes = "^1.1"                                              # the default registry
//! brainstorming = { git = "https://github.com/obra/superpowers", path = "skills/brainstorming", version = "^3" }
//! team-style = { path = "../style" }
//!
//! [install]
//! dir = ".agents/skills"
//! targets = ["claude-code"]
//!
//! [edits]                                    # patch files with local changes to installed skills
//! brainstorming = "patches/brainstorming.patch"
//!
//! [package]                                  # where this directory is itself a skill to publish
//! name = "acme/pdf"
//! version = "1.4.2"
//! license.workspace = true                   # or a string; any key but the name can be inherited
//! ```
//!
//! `[workspace]`, for a project of many skills, is described in `inherit.rs`, `[patch]` in `patch.rs`.
//!
//! This module reads the file; [`edit`] changes single entries and leaves every other byte alone. An unknown key is an
//! error and not ignored: a misspelled `tag` would otherwise mean the default branch.

pub mod audit;
mod catalog;
pub mod edit;
mod inherit;
pub mod inspect;
pub mod lint;
mod patch;
pub mod policy;
pub mod publish;
mod schema;

use std::collections::BTreeMap;

use semver::VersionReq;

use crate::error::{Error, Result};
use crate::package::{
    GitReference, GitUrl, PackageDependency, PackageName, RelPath, SkillName, SourceId,
    parse_requirement,
};
pub use crate::toml_error::location_at;
use crate::toml_error::parse_error;

pub use catalog::{AgentRules, CatalogRules, DeniedName, ToolRules, denied_names, tool_patterns};
pub use inherit::{InheritableFields, MemberPatterns, WorkspaceTable};
pub use patch::parse_patches;
pub use policy::Policy;

use inherit::{InheritContext, wrap_dependency_error};

/// The file's name.
pub const FILE: &str = "skillpm.toml";

/// Where skills are installed when the manifest does not say: the directory that most agents read.
pub const DEFAULT_DIR: &str = ".agents/skills";

/// The parsed content of a `skillpm.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// `[package]`; `None` if this directory is not published.
    pub package: Option<PackageTable>,
    /// `[workspace]`; `None` if this is not the root of a workspace.
    pub workspace: Option<WorkspaceTable>,
    /// `[dependencies]` and `[dev-dependencies]`, sorted by alias.
    pub dependencies: Vec<PackageDependency>,
    /// The registry names that dependencies specify, by alias. For a dependency that also has a path or a repository, this
    /// is the registry that the published package takes it from.
    pub registry_names: BTreeMap<SkillName, String>,
    /// `[install]`.
    pub install: InstallTable,
    /// `[catalog]`.
    pub catalog: CatalogRules,
    /// `[policy]`.
    pub policy: Policy,
    /// `[edits]`: patch files with local changes to installed skills, by install name. Only the project's own manifest is
    /// considered.
    pub edits: BTreeMap<SkillName, RelPath>,
}

/// `[package]`: the metadata of a package to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageTable {
    /// Its name.
    pub name: PackageName,
    /// Its version; `None` to take that of `SKILL.md`, as for every key below.
    pub version: Option<semver::Version>,
    /// Its description.
    pub description: Option<String>,
    /// An SPDX expression, as written.
    pub license: Option<String>,
    /// Its authors, each as `Name <mail@host>`.
    pub authors: Vec<String>,
    /// The URL of its repository.
    pub repository: Option<String>,
    /// Keywords for the search.
    pub keywords: Option<Vec<String>>,
    /// Patterns in gitignore syntax of the files to pack; all files if empty.
    pub include: Vec<String>,
    /// Patterns in gitignore syntax of the files not to pack.
    pub exclude: Vec<String>,
    /// The registries it may be published to.
    pub publish: PublishTargets,
}

/// Which registries a package may be published to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PublishTargets {
    /// Any.
    #[default]
    Anywhere,
    /// These, by name.
    Only(Vec<String>),
    /// None.
    Nowhere,
}

/// `[install]`: where skills are put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallTable {
    /// The workspace tier's directory.
    pub dir: RelPath,
    /// Agents whose own directories get the skills too, by their ids in `agents.toml`.
    pub targets: Vec<String>,
    /// How skills are installed into the targets.
    pub link: LinkMode,
}

/// How a skill is installed from the workspace tier's directory into the other targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkMode {
    /// As a copy, which works everywhere.
    #[default]
    Copy,
    /// As a symbolic link: one copy to edit, but several agents ignore links.
    Symlink,
}

/// Resolves a registry's name (`None` for the default one) to the URL of its index.
pub type RegistryLookup<'a> = &'a dyn Fn(Option<&str>) -> Result<String>;

/// The name that a [`RegistryLookup`] is asked for to get the base URL of ClawHub.
// No registry can have this name, since a colon is not allowed in one.
pub const CLAWHUB_LOOKUP: &str = "clawhub:";

impl Manifest {
    /// Parses the text of a manifest; `file` is its name for messages. It can inherit only from its own `[workspace]`.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or an invalid value; the message has line and column.
    pub fn parse(text: &str, file: &str, registries: RegistryLookup<'_>) -> Result<Manifest> {
        Self::parse_member(text, file, registries, None)
    }

    /// Parses the manifest of a workspace member, which may inherit from `shared`; see [`InheritableFields::seen_from`].
    ///
    /// # Errors
    /// As for [`Manifest::parse`]; if it inherits a value that the workspace does not define.
    pub fn parse_member(
        text: &str,
        file: &str,
        registries: RegistryLookup<'_>,
        shared: Option<&InheritableFields>,
    ) -> Result<Manifest> {
        // Before the TOML is parsed, whose error would be about an unexpected `<` and not the merge.
        if let Some(line) = find_conflict_marker(text) {
            return Err(unresolved_merge_error(file, line));
        }

        let raw: schema::RawManifest =
            toml::from_str(text).map_err(|error| toml_error(&error, text, file))?;

        let workspace = raw
            .workspace
            .map(|own| WorkspaceTable::read(own, text, file, registries))
            .transpose()?;

        // The root of a workspace inherits from its own table.
        let context = InheritContext {
            text,
            file,
            shared: workspace.as_ref().map(|own| &own.shared).or(shared),
        };

        let (dependencies, registry_names) = read_dependencies(
            [raw.dependencies, raw.dev_dependencies],
            &context,
            registries,
        )?;

        Ok(Manifest {
            package: raw
                .package
                .map(|own| read_package(own, &context))
                .transpose()?,
            workspace,
            dependencies,
            registry_names,
            install: read_install_table(raw.install.unwrap_or_default(), file)?,
            catalog: raw.catalog,
            policy: Policy::read(raw.policy, text, file)?,
            edits: read_edits(raw.edits, text, file)?,
        })
    }
}

type RawDependencies = BTreeMap<toml::Spanned<String>, toml::Spanned<schema::RawDependency>>;

fn unresolved_merge_error(file: &str, line: usize) -> Error {
    Error::usage(format!(
        "failed to parse manifest at `{file}`: it has merge conflict markers (line {line})"
    ))
    .help(format!(
        "resolve the conflict in `{file}`, then run `skillpm lock`"
    ))
}

fn read_install_table(install: schema::RawInstall, file: &str) -> Result<InstallTable> {
    let dir = install.dir.as_deref().unwrap_or(DEFAULT_DIR);

    Ok(InstallTable {
        dir: parse_install_dir(dir)
            .map_err(|error| error.wrap(format!("{file}: invalid `install.dir`: `{dir}`")))?,
        targets: install.targets,
        link: install.link.into(),
    })
}

/// `[dependencies]` and `[dev-dependencies]`, sorted by alias, and the names of registries in them.
fn read_dependencies(
    tables: [RawDependencies; 2],
    context: &InheritContext<'_>,
    registries: RegistryLookup<'_>,
) -> Result<(Vec<PackageDependency>, BTreeMap<SkillName, String>)> {
    let (mut dependencies, mut names) = (Vec::new(), BTreeMap::new());
    // Both tables are installed into one directory, so they share one set of names.
    for (table, dev) in tables.into_iter().zip([false, true]) {
        for (key, entry) in table {
            let read = read_dependency(&key, entry, context, registries)?;
            names.extend(
                read.registry
                    .map(|name| (read.dependency.alias.clone(), name)),
            );
            dependencies.push(PackageDependency {
                dev,
                ..read.dependency
            });
        }
    }

    // Sorted by alias, so that two of one alias are neighbors.
    dependencies.sort_by(|a, b| a.alias.cmp(&b.alias));
    let is_duplicate =
        |pair: &[PackageDependency]| matches!(pair, [one, other] if one.alias == other.alias);
    if let Some([one, other]) = dependencies.windows(2).find(|pair| is_duplicate(pair)) {
        return Err(duplicate_alias(one, other, context.file));
    }

    Ok((dependencies, names))
}

/// One dependency, its own or the workspace's.
fn read_dependency(
    key: &toml::Spanned<String>,
    entry: toml::Spanned<schema::RawDependency>,
    context: &InheritContext<'_>,
    registries: RegistryLookup<'_>,
) -> Result<DeclaredDependency> {
    let at = entry.span();
    let name = key.get_ref();

    match entry.into_inner() {
        schema::RawDependency::Table(table) if table.workspace.is_some() => {
            // Any other key next to it would have no effect, so it is refused.
            let alone = schema::RawDependencyTable {
                workspace: Some(true),
                ..Default::default()
            };
            if *table != alone {
                let place = location_at(context.text, context.file, at.start);
                return Err(Error::usage(format!(
                    "{place}: conflicting keys in dependency `{name}`: `workspace = true` allows no other key"
                ))
                .help(format!("write `{name}.workspace = true` alone")));
            }

            context.dependency(name, at.start)
        }
        entry => declared_dependency(name, entry, registries)
            .map_err(|error| wrap_dependency_error(error, context.text, context.file, key, at)),
    }
}

fn read_package(
    own: schema::RawPackageTable,
    context: &InheritContext<'_>,
) -> Result<PackageTable> {
    Ok(PackageTable {
        name: own.name,
        version: context.value("version", own.version, |theirs| &theirs.version)?,
        description: context.value("description", own.description, |theirs| &theirs.description)?,
        license: context.value("license", own.license, |theirs| &theirs.license)?,
        authors: context
            .value("authors", own.authors, |theirs| &theirs.authors)?
            .unwrap_or_default(),
        repository: context.value("repository", own.repository, |theirs| &theirs.repository)?,
        keywords: context.value("keywords", own.keywords, |theirs| &theirs.keywords)?,
        include: context
            .value("include", own.include, |theirs| &theirs.include)?
            .unwrap_or_default(),
        exclude: context
            .value("exclude", own.exclude, |theirs| &theirs.exclude)?
            .unwrap_or_default(),
        publish: inherit::resolve_publish(context, own.publish)?,
    })
}

/// Parses `[edits]` alone, without checking the rest of the manifest.
///
/// # Errors
/// As for [`Manifest::parse`].
pub fn parse_edits(text: &str, file: &str) -> Result<BTreeMap<SkillName, RelPath>> {
    #[derive(serde::Deserialize)]
    struct EditsOnlyManifest {
        #[serde(default)]
        edits: RawEdits,
    }

    if !text.contains("edits") {
        return Ok(BTreeMap::new());
    }

    let light: EditsOnlyManifest =
        toml::from_str(text).map_err(|error| toml_error(&error, text, file))?;
    read_edits(light.edits, text, file)
}

type RawEdits = BTreeMap<toml::Spanned<SkillName>, toml::Spanned<String>>;

fn read_edits(entries: RawEdits, text: &str, file: &str) -> Result<BTreeMap<SkillName, RelPath>> {
    entries
        .into_iter()
        .map(|(name, path)| {
            let path = read_edit_path(name.get_ref(), &path, text, file)?;
            Ok((name.into_inner(), path))
        })
        .collect()
}

fn read_edit_path(
    name: &SkillName,
    path: &toml::Spanned<String>,
    text: &str,
    file: &str,
) -> Result<RelPath> {
    // People write `./patches/pdf.patch`, which is the same file.
    let written = path.get_ref().trim_start_matches("./");

    written.parse().map_err(|error: Error| {
        let at = location_at(text, file, path.span().start);
        error
            .with_kind(crate::error::FailureKind::Usage)
            .wrap(format!("{at}: invalid path of the edits of `{name}`"))
            .help("name a patch file inside the project, such as `patches/pdf.patch`")
    })
}

fn parse_install_dir(text: &str) -> Result<RelPath> {
    let trimmed = text.trim_start_matches("./").trim_end_matches('/');
    trimmed.parse().map_err(|error: Error| {
        error
            .with_kind(crate::error::FailureKind::Usage)
            .help(format!(
                "name a directory inside the project, such as `{DEFAULT_DIR}`"
            ))
    })
}

fn duplicate_alias(one: &PackageDependency, other: &PackageDependency, file: &str) -> Error {
    let name = &one.alias;
    if one.dev != other.dev && one.package == other.package && one.source == other.source {
        return Error::usage(format!(
            "{file}: duplicate dependency `{name}`: in `[dependencies]` and in `[dev-dependencies]`"
        ))
        .help(format!(
            "to move it, run `skillpm remove {name}`, then add it again; else remove one of the two entries"
        ));
    }
    Error::usage(format!("{file}: duplicate dependency `{0}`: two packages would be installed as `{0}`", one.alias))
        .note(format!("`{}` from {}", one.package, one.source.describe()))
        .note(format!("`{}` from {}", other.package, other.source.describe()))
        .help("give one of them another key and set `package`: `other-name = { package = \"…\", version = \"…\" }`")
}

/// The line of the first conflict marker that git left; `None` if there is none.
#[must_use]
pub fn find_conflict_marker(text: &str) -> Option<usize> {
    // Nearly no text has one, and a search of the whole costs far less than one of each line.
    let has = |marker: &str| memchr::memmem::find(text.as_bytes(), marker.as_bytes()).is_some();
    if !["<<<<<<<", ">>>>>>>", "|||||||", "======="]
        .into_iter()
        .any(has)
    {
        return None;
    }

    // With the space that git writes before the label, since a line of `<` alone may be text.
    let is_marker = |line: &str| {
        ["<<<<<<< ", ">>>>>>> ", "||||||| "]
            .iter()
            .any(|marker| line.starts_with(marker))
    };

    text.lines()
        .position(|line| is_marker(line) || line == "=======")
        .map(|at| at + 1)
}

/// A TOML error with its location.
fn toml_error(error: &toml::de::Error, text: &str, file: &str) -> Error {
    // `[audit]` is also read from a user's `config.toml`.
    let what = if file.contains(FILE) {
        "manifest"
    } else {
        "configuration"
    };
    let error = parse_error(what, error, text, file);
    if error.helps().is_empty() {
        error.help("correct the line, then run the command again")
    } else {
        error
    }
}

/// One parsed entry of a dependency table.
#[derive(Debug, Clone, PartialEq)]
struct DeclaredDependency {
    dependency: PackageDependency,
    registry: Option<String>,
}

fn declared_dependency(
    key: &str,
    declared: schema::RawDependency,
    registries: RegistryLookup<'_>,
) -> Result<DeclaredDependency> {
    let table = match declared {
        schema::RawDependency::Version(req) => schema::RawDependencyTable {
            version: Some(req),
            ..Default::default()
        },
        schema::RawDependency::Table(table) => *table,
    };

    let named = PackageName::parse_key(key)?;
    // The key is the install name, and also the package's name unless `package` is given. No package has an underscore.
    let alias = named.skill().clone();
    // ClawHub has its own names, with owners that the key lacks.
    let package = table
        .clawhub
        .clone()
        .or(table.package.clone())
        .unwrap_or(named.to_specified());

    let req = table
        .version
        .as_deref()
        .map_or(Ok(VersionReq::STAR), parse_requirement)?;
    let (source, subdir) = dependency_source(&table, registries)?;

    let dependency = PackageDependency {
        alias,
        package,
        source,
        subdir,
        req,
        dev: false,
        optional: false,
    };

    Ok(DeclaredDependency {
        dependency,
        registry: table.registry,
    })
}

/// The source that a dependency's table specifies, and the directory inside it.
fn dependency_source(
    table: &schema::RawDependencyTable,
    registries: RegistryLookup<'_>,
) -> Result<(SourceId, Option<RelPath>)> {
    if let Some(fault) = find_source_fault(table) {
        return Err(Error::usage(fault));
    }

    if let Some(site) = &table.well_known {
        return Ok((SourceId::WellKnown(site.parse()?), None));
    }
    if table.clawhub.is_some() {
        let hub = registries(Some(CLAWHUB_LOOKUP))?;
        return Ok((SourceId::ClawHub(hub.parse()?), None));
    }
    if let Some(git) = &table.git {
        return git_source(table, git);
    }

    let source = match (&table.path, &table.archive) {
        (Some(path), _) => SourceId::from_path(path),
        (None, Some(archive)) => SourceId::Archive(archive.clone()),
        // `{}` is most likely unfinished; `*` means any version.
        (None, None) if table.version.is_none() => {
            return Err(Error::usage("missing version or source")
                .help("write `\"^1.2\"`, or `\"*\"` for any version"));
        }
        (None, None) => SourceId::Registry(registries(table.registry.as_deref())?),
    };
    Ok((source, None))
}

/// The repository of a dependency's table, and the directory inside it.
fn git_source(
    table: &schema::RawDependencyTable,
    git: &str,
) -> Result<(SourceId, Option<RelPath>)> {
    // Next to `git`, `path` is a directory inside the repository.
    let subdir = table
        .path
        .as_deref()
        .map(|path| path.trim_end_matches('/').parse())
        .transpose()?;
    let source = SourceId::Git {
        url: git.parse::<GitUrl>()?,
        reference: git_reference(table)?,
    };
    Ok((source, subdir))
}

/// Keys of a dependency's table that contradict each other; `None` if there are none.
fn find_source_fault(table: &schema::RawDependencyTable) -> Option<&'static str> {
    let references = [&table.branch, &table.tag, &table.rev]
        .iter()
        .filter(|given| given.is_some())
        .count();
    let has_location = [&table.git, &table.path, &table.archive]
        .iter()
        .any(|given| given.is_some());

    let is_elsewhere = has_location || table.well_known.is_some() || table.registry.is_some();
    if table.clawhub.is_some() && (is_elsewhere || table.package.is_some()) {
        return Some("conflicting sources: next to `clawhub` only `version` is allowed");
    }

    if table.well_known.is_some() {
        if has_location || table.registry.is_some() {
            return Some(
                "conflicting sources: only one of `git`, `path`, `archive`, `well-known` and `registry` is allowed",
            );
        }
    } else if table.archive.is_some() && (table.git.is_some() || table.path.is_some()) {
        return Some("conflicting sources: only one of `git`, `path` and `archive` is allowed");
    }

    if table.git.is_none() && references > 0 {
        return Some("`branch`, `tag` and `rev` require a `git` source");
    }
    if references > 1 {
        return Some("conflicting references: only one of `branch`, `tag` and `rev` is allowed");
    }

    // Next to another source, `registry` is where the published package takes it from.
    (has_location && table.registry.is_some() && table.version.is_none())
        .then_some("`registry` requires a `version` to look up in it")
}

fn git_reference(table: &schema::RawDependencyTable) -> Result<GitReference> {
    let given = |text: &Option<String>, make: fn(String) -> GitReference| {
        text.as_deref()
            .map(|text| GitReference::check_name(text).map(make))
            .transpose()
    };

    let named = given(&table.branch, GitReference::Branch)?
        .or(given(&table.tag, GitReference::Tag)?)
        .or(given(&table.rev, GitReference::Rev)?);

    // With a requirement, one of the version tags is selected.
    let unnamed = if table.version.is_some() {
        GitReference::Versions
    } else {
        GitReference::Default
    };

    Ok(named.unwrap_or(unnamed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Manifest> {
        Manifest::parse(text, FILE, &|name| {
            Ok(format!("index-of-{}", name.unwrap_or("default")))
        })
    }

    fn one(line: &str) -> PackageDependency {
        parse(&format!("[dependencies]\n{line}\n"))
            .unwrap()
            .dependencies
            .remove(0)
    }

    fn error_text(text: &str) -> String {
        format!("{:?}", parse(text).unwrap_err())
    }

    #[test]
    fn a_version_alone_means_the_default_registry() {
        let dependency = one("\"acme/pdf\" = \"^1.2\"");
        assert_eq!(dependency.alias.as_str(), "pdf");
        assert_eq!(dependency.package.to_string(), "acme/pdf");
        assert_eq!(
            dependency.source,
            SourceId::Registry("index-of-default".into())
        );
        assert_eq!(dependency.req.to_string(), "^1.2");
    }

    #[test]
    fn git_references_are_distinguished() {
        let reference =
            |extra: &str| match one(&format!("a = {{ git = \"https://h/r\"{extra} }}")).source {
                SourceId::Git { reference, .. } => reference,
                other => panic!("{other}"),
            };
        assert_eq!(reference(""), GitReference::Default);
        assert_eq!(reference(", version = \"^2\""), GitReference::Versions);
        assert_eq!(reference(", tag = \"v1\""), GitReference::Tag("v1".into()));
        assert_eq!(
            reference(", branch = \"dev\", version = \"^2\""),
            GitReference::Branch("dev".into())
        );
        assert_eq!(
            reference(", rev = \"0123abc\""),
            GitReference::Rev("0123abc".into())
        );
    }

    #[test]
    fn a_site_may_have_a_requirement_and_no_second_source() {
        let dependency =
            one("a = { well-known = \"https://acme.dev/.well-known/skills\", version = \"^1\" }");
        assert_eq!(dependency.source.to_string(), "well-known+https://acme.dev");
        assert_eq!(dependency.req.to_string(), "^1");
        for extra in [
            "git = \"https://h/r\"",
            "path = \"x\"",
            "registry = \"r\"",
            "tag = \"v1\"",
        ] {
            let text =
                format!("[dependencies]\na = {{ well-known = \"https://acme.dev\", {extra} }}\n");
            assert!(parse(&text).is_err(), "{extra}");
        }
    }

    #[test]
    fn a_key_that_differs_from_the_package_is_an_alias() {
        let dependency =
            one("old-pdf = { package = \"acme/pdf\", version = \"=0.9.0\", registry = \"acme\" }");
        assert_eq!(
            (
                dependency.alias.as_str(),
                dependency.package.to_string().as_str()
            ),
            ("old-pdf", "acme/pdf")
        );
        assert_eq!(
            dependency.source,
            SourceId::Registry("index-of-acme".into())
        );
    }

    #[test]
    fn errors_have_their_location_and_reason() {
        for (text, expected) in [
            (
                "[package]\nname = \"a\"\nversion = \"1.0\"\n",
                "failed to parse manifest at `skillpm.toml:3:11`: ",
            ),
            (
                "[package]\nname = \"a\"\nversion.workspace = true\n",
                "skillpm.toml:3:1: `version.workspace = true` requires a workspace",
            ),
            (
                "[package]\nname = \"a\"\nlicense = { workspace = false }\n",
                "`workspace` cannot be `false`",
            ),
            (
                "[package]\nname = \"a\"\npublish = \"acme\"\n",
                "`false`, `true` or a list of registries",
            ),
            (
                "[package]\nname = \"a\"\nlicence = \"MIT\"\n",
                "failed to parse manifest at `skillpm.toml:3:1`: unknown key `licence`",
            ),
            (
                "[workspace]\n[package]\nname = \"a\"\nlicense.workspace = true\n",
                "skillpm.toml:4:1: missing `license` in `[workspace.package]`",
            ),
            (
                "[workspace.dependencies]\na = { workspace = true }\n",
                "cannot inherit from itself",
            ),
            (
                "[dependencies]\na = { workspace = true, path = \"x\" }\n",
                "skillpm.toml:2:5: conflicting keys in dependency `a`",
            ),
            (
                "[dependencies]\na.workspace = true\n",
                "skillpm.toml:2:1: `a.workspace = true` requires a workspace",
            ),
            (
                "[dependencies]\na = { git = \"https://h/r\", tga = \"v1\" }\n",
                "skillpm.toml:2:",
            ),
            ("[dependencies]\na = 1\n", "skillpm.toml:2:5"),
            ("[dependencies\n", "skillpm.toml:1:"),
            (
                "[dependencies]\na = \"one\"\n",
                "invalid version requirement `one`",
            ),
            (
                "[dependencies]\na = { tag = \"v1\", version = \"1\" }\n",
                "require a `git` source",
            ),
            (
                "[dependencies]\na = { git = \"https://h/r\", tag = \"v1\", rev = \"0\" }\n",
                "conflicting references",
            ),
            (
                "[dependencies]\na = { git = \"https://h/r\", path = \"../up\" }\n",
                "contains `.` or `..`",
            ),
            ("[dependencies]\n\"A b\" = \"1\"\n", "invalid skill name"),
            ("[dependencies]\na = {}\n", "missing version or source"),
            (
                "[install]\ndir = \"../else\"\n",
                "invalid `install.dir`: `../else`",
            ),
            (
                "[dependencies]\n\"x/a\" = \"1\"\n\"y/a\" = \"1\"\n",
                "two packages would be installed as `a`",
            ),
            (
                "[policy]\nallowed = [\"gh:acme\"]\n",
                "unknown key `allowed`",
            ),
        ] {
            assert!(
                error_text(text).contains(expected),
                "{text}\n{}",
                error_text(text)
            );
        }
    }

    #[test]
    fn member_inherits_marked_keys_and_paths_lead_up_to_the_root() {
        let root = parse(
            "[workspace]\nmembers = [\"skills/*\"]\n[workspace.package]\nversion = \"1.2.3\"\nlicense = \"MIT\"\n\
             keywords = [\"k\"]\npublish = [\"acme\"]\n[workspace.dependencies]\n\
             style = { path = \"skills/style\", version = \"^1\", registry = \"acme\" }\nnotes = \"^2\"\n",
        )
        .unwrap();
        let shared = root
            .workspace
            .unwrap()
            .shared
            .seen_from(&"skills/pdf".parse().unwrap());
        let text = "[package]\nname = \"acme/pdf\"\nversion.workspace = true\nlicense = { workspace = true }\n\
                    description = \"own\"\npublish.workspace = true\n[dependencies]\nstyle.workspace = true\n\
                    [dev-dependencies]\nnotes = { workspace = true }\n";
        let registries: RegistryLookup<'_> =
            &|name| Ok(format!("index-of-{}", name.unwrap_or("default")));
        let member = Manifest::parse_member(text, FILE, registries, Some(&shared)).unwrap();
        let package = member.package.unwrap();
        assert_eq!(package.version, Some("1.2.3".parse().unwrap()));
        assert_eq!(
            (package.license.as_deref(), package.description.as_deref()),
            (Some("MIT"), Some("own"))
        );
        assert_eq!(
            (package.keywords, package.publish),
            (None, PublishTargets::Only(vec!["acme".into()]))
        );
        let inherited: Vec<_> = member
            .dependencies
            .iter()
            .map(|d| (d.alias.as_str(), d.source.to_string(), d.dev))
            .collect();
        let expected = [
            ("notes", "registry+index-of-default".to_owned(), true),
            ("style", "path+../../skills/style".to_owned(), false),
        ];
        assert_eq!(inherited, expected);
        assert_eq!(member.registry_names[&"style".parse().unwrap()], "acme");
    }

    #[test]
    fn a_root_that_is_a_package_inherits_from_itself() {
        let text = "[workspace.package]\nlicense = \"MIT\"\n[package]\nname = \"a\"\nlicense.workspace = true\n";
        assert_eq!(
            parse(text).unwrap().package.unwrap().license.as_deref(),
            Some("MIT")
        );
    }

    #[test]
    fn publish_is_everywhere_nowhere_or_a_list() {
        let publish = |text: &str| {
            parse(&format!("[package]\nname = \"a\"\n{text}"))
                .unwrap()
                .package
                .unwrap()
                .publish
        };
        assert_eq!(publish(""), PublishTargets::Anywhere);
        assert_eq!(publish("publish = true"), PublishTargets::Anywhere);
        assert_eq!(publish("publish = false"), PublishTargets::Nowhere);
        assert_eq!(publish("publish = []"), PublishTargets::Nowhere);
        assert_eq!(
            publish("publish = [\"acme\"]"),
            PublishTargets::Only(vec!["acme".into()])
        );
    }
}

//! `skillpm.toml`, the file that people write.
//!
//! ```toml
//! [dependencies]
//! release-notes = "^1.1"                                              # the default registry
//! brainstorming = { git = "https://github.com/obra/superpowers", path = "skills/brainstorming", version = "^3" }
//! house-style = { path = "../style" }
//!
//! [install]
//! dir = ".agents/skills"
//! targets = ["claude-code"]
//!
//! [edits]                                    # patch files with what you changed in installed skills
//! brainstorming = "patches/brainstorming.patch"
//!
//! [package]                                  # where this directory is itself a skill to publish
//! name = "acme/pdf"
//! version = "1.4.2"
//! license.workspace = true                   # or a text; so with every key but the name
//! ```
//!
//! `[workspace]`, for a project of many skills, is told in `inherit.rs`, `[patch]` in `patch.rs`.
//!
//! What it says is read here; [`edit`] changes single entries and leaves every other byte alone. A key that skillpm does
//! not know is an error rather than a silent nothing: a misspelt `tag` would otherwise mean the default branch.

pub mod audit;
mod catalog;
pub mod edit;
mod inherit;
pub mod lint;
pub mod look;
mod patch;
pub mod policy;
pub mod publish;
mod schema;

use std::collections::BTreeMap;

use semver::VersionReq;

use crate::error::{Error, Result};
use crate::package::{Dependency, GitReference, GitUrl, PackageName, RelPath, SkillName, SourceId, parse_requirement};

pub use catalog::{AgentRules, CatalogRules, ToolRules, tool_patterns};
pub use inherit::{Members, Shared, WorkspaceTable};
pub use patch::patches;
pub use policy::Policy;

use inherit::{Heir, misread};

/// The file's name.
pub const FILE: &str = "skillpm.toml";

/// Where skills are installed when the manifest does not say: the directory that most agents read.
pub const DEFAULT_DIR: &str = ".agents/skills";

/// What a `skillpm.toml` says.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// `[package]`: what this directory publishes, if anything.
    pub package: Option<Package>,
    /// `[workspace]`: of which skills this is the root, if any.
    pub workspace: Option<WorkspaceTable>,
    /// `[dependencies]` and `[dev-dependencies]`, sorted by alias.
    pub dependencies: Vec<Dependency>,
    /// The names of registries as dependencies write them, by alias. For one with a path or a repository, too, this is
    /// the registry that those who get this package from a registry get it from.
    pub registry_names: BTreeMap<SkillName, String>,
    /// `[install]`.
    pub install: Install,
    /// `[catalog]`.
    pub catalog: CatalogRules,
    /// `[policy]`.
    pub policy: Policy,
    /// `[edits]`: patch files with what people changed in installed skills, by install name. They count in the manifest of
    /// the project alone.
    pub edits: BTreeMap<SkillName, RelPath>,
}

/// `[package]`: what a directory publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: PackageName,
    /// Its version; `None` to take that of `SKILL.md`, as for every key below.
    pub version: Option<semver::Version>,
    /// What it is for.
    pub description: Option<String>,
    /// An SPDX expression, as written.
    pub license: Option<String>,
    /// Who made it, each as `Name <mail@host>`.
    pub authors: Vec<String>,
    /// Where it is developed.
    pub repository: Option<String>,
    /// Words to find it by.
    pub keywords: Option<Vec<String>>,
    /// Patterns in gitignore syntax: if there are any, nothing else is packed.
    pub include: Vec<String>,
    /// Patterns in gitignore syntax of what is not packed.
    pub exclude: Vec<String>,
    /// Where it may go.
    pub publish: Publish,
}

/// Which registries a package may be published to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Publish {
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
pub struct Install {
    /// The workspace tier's directory.
    pub dir: RelPath,
    /// Agents whose own directories get the skills too, by their ids in `agents.toml`.
    pub targets: Vec<String>,
    /// How skills get into the targets.
    pub link: Link,
}

/// How a skill gets from the workspace tier's directory into the other targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Link {
    /// As a copy: works everywhere.
    #[default]
    Copy,
    /// As a symbolic link: one place to edit, but several agents refuse links.
    Symlink,
}

/// Turns a registry's name (`None` for the default one) into the URL of its index.
pub type Registries<'a> = &'a dyn Fn(Option<&str>) -> Result<String>;

impl Manifest {
    /// Reads the text of a manifest; `file` is its name for messages. What it inherits, it can have from itself only.
    ///
    /// # Errors
    /// If it is not TOML, has a key skillpm does not know, or a value that cannot be; the message has line and column.
    pub fn parse(text: &str, file: &str, registries: Registries<'_>) -> Result<Manifest> {
        Self::parse_member(text, file, registries, None)
    }

    /// The same for a member of a workspace, which may inherit from it; see [`Shared::seen_from`].
    ///
    /// # Errors
    /// As for [`Manifest::parse`]; if it inherits what the workspace does not have.
    pub fn parse_member(
        text: &str,
        file: &str,
        registries: Registries<'_>,
        shared: Option<&Shared>,
    ) -> Result<Manifest> {
        if let Some(line) = conflict_marker(text) {
            return Err(Error::usage(format!("`{file}` has merge conflict markers (line {line})"))
                .help(format!("finish the merge in `{file}`, then run `skillpm lock`")));
        }
        let raw: schema::Manifest = toml::from_str(text).map_err(|error| located(&error, text, file))?;
        let workspace = raw.workspace.map(|own| WorkspaceTable::read(own, text, file, registries)).transpose()?;
        let heir = Heir { text, file, shared: workspace.as_ref().map(|own| &own.shared).or(shared) };
        let (dependencies, registry_names) = dependencies([raw.dependencies, raw.dev_dependencies], &heir, registries)?;
        let install = raw.install.unwrap_or_default();
        let dir = install.dir.as_deref().unwrap_or(DEFAULT_DIR);
        Ok(Manifest {
            package: raw.package.map(|own| package(own, &heir)).transpose()?,
            workspace,
            dependencies,
            registry_names,
            install: Install {
                dir: install_dir(dir)
                    .map_err(|error| error.wrap(format!("{file}: `install.dir` cannot be `{dir}`")))?,
                targets: install.targets,
                link: install.link.into(),
            },
            catalog: raw.catalog,
            policy: Policy::read(raw.policy, text, file)?,
            edits: read_edits(raw.edits, text, file)?,
        })
    }
}

type Declarations = BTreeMap<toml::Spanned<String>, toml::Spanned<schema::Declared>>;

/// `[dependencies]` and `[dev-dependencies]`, sorted by alias, and the names of registries in them.
fn dependencies(
    tables: [Declarations; 2],
    heir: &Heir<'_>,
    registries: Registries<'_>,
) -> Result<(Vec<Dependency>, BTreeMap<SkillName, String>)> {
    let (mut dependencies, mut names) = (Vec::new(), BTreeMap::new());
    for (table, dev) in tables.into_iter().zip([false, true]) {
        for (key, entry) in table {
            let at = entry.span();
            let read = match entry.into_inner() {
                schema::Declared::Table(table) if table.workspace.is_some() => {
                    if *table != (schema::Table { workspace: Some(true), ..Default::default() }) {
                        let place = place(heir.text, heir.file, at.start);
                        let key = key.get_ref();
                        return Err(Error::usage(format!("{place}: `{key}` is inherited, and says something more"))
                            .help(format!("write `{key}.workspace = true` alone")));
                    }
                    heir.dependency(key.get_ref(), at.start)?
                }
                entry => declared(key.get_ref(), entry, registries)
                    .map_err(|error| misread(error, heir.text, heir.file, &key, at))?,
            };
            names.extend(read.registry.map(|name| (read.dependency.alias.clone(), name)));
            dependencies.push(Dependency { dev, ..read.dependency });
        }
    }
    dependencies.sort_by(|a, b| a.alias.cmp(&b.alias));
    let twins = |pair: &[Dependency]| matches!(pair, [one, other] if one.alias == other.alias);
    if let Some([one, other]) = dependencies.windows(2).find(|pair| twins(pair)) {
        return Err(twice(one, other, heir.file));
    }
    Ok((dependencies, names))
}

fn package(own: schema::Package, heir: &Heir<'_>) -> Result<Package> {
    Ok(Package {
        name: own.name,
        version: heir.value("version", own.version, |theirs| &theirs.version)?,
        description: heir.value("description", own.description, |theirs| &theirs.description)?,
        license: heir.value("license", own.license, |theirs| &theirs.license)?,
        authors: heir.value("authors", own.authors, |theirs| &theirs.authors)?.unwrap_or_default(),
        repository: heir.value("repository", own.repository, |theirs| &theirs.repository)?,
        keywords: heir.value("keywords", own.keywords, |theirs| &theirs.keywords)?,
        include: heir.value("include", own.include, |theirs| &theirs.include)?.unwrap_or_default(),
        exclude: heir.value("exclude", own.exclude, |theirs| &theirs.exclude)?.unwrap_or_default(),
        publish: inherit::publish(heir, own.publish)?,
    })
}

/// What `[edits]` says, without a look at the rest.
///
/// # Errors
/// As for [`Manifest::parse`].
pub fn edits(text: &str, file: &str) -> Result<BTreeMap<SkillName, RelPath>> {
    #[derive(serde::Deserialize)]
    struct Light {
        #[serde(default)]
        edits: Edits,
    }
    if !text.contains("edits") {
        return Ok(BTreeMap::new());
    }
    let light: Light = toml::from_str(text).map_err(|error| located(&error, text, file))?;
    read_edits(light.edits, text, file)
}

type Edits = BTreeMap<toml::Spanned<SkillName>, toml::Spanned<String>>;

fn read_edits(entries: Edits, text: &str, file: &str) -> Result<BTreeMap<SkillName, RelPath>> {
    let read = |(name, path): (toml::Spanned<SkillName>, toml::Spanned<String>)| {
        let at = place(text, file, path.span().start);
        let path = path.get_ref().trim_start_matches("./").parse().map_err(|error: Error| {
            error
                .with_kind(crate::error::Kind::Usage)
                .wrap(format!("{at}: the edits of `{}` cannot lie there", name.get_ref()))
                .help("name a patch file inside the project, such as `patches/pdf.patch`")
        })?;
        Ok((name.into_inner(), path))
    };
    entries.into_iter().map(read).collect()
}

fn install_dir(text: &str) -> Result<RelPath> {
    let trimmed = text.trim_start_matches("./").trim_end_matches('/');
    trimmed.parse().map_err(|error: Error| {
        error
            .with_kind(crate::error::Kind::Usage)
            .help(format!("name a directory inside the project, such as `{DEFAULT_DIR}`"))
    })
}

fn twice(one: &Dependency, other: &Dependency, file: &str) -> Error {
    Error::usage(format!("{file}: two dependencies would be installed as `{}`", one.alias))
        .note(format!("`{}` from {}", one.package, one.source.place()))
        .note(format!("`{}` from {}", other.package, other.source.place()))
        .help("give one of them another key and name its package: `other-name = { package = \"…\", version = \"…\" }`")
}

/// The line of the first conflict marker that git left; `None` if there is none.
#[must_use]
pub fn conflict_marker(text: &str) -> Option<usize> {
    let is_marker = |line: &str| ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|marker| line.starts_with(marker));
    text.lines().position(|line| is_marker(line) || line == "=======").map(|at| at + 1)
}

/// A TOML error with its place in front.
fn located(error: &toml::de::Error, text: &str, file: &str) -> Error {
    let message = error.message().trim_end().replace('\n', " ");
    match error.span() {
        Some(span) => Error::usage(format!("{}: {message}", place(text, file, span.start))),
        None => Error::usage(format!("{file}: {message}")),
    }
}

/// `file:line:column` of a byte, counting characters from 1.
fn place(text: &str, file: &str, byte: usize) -> String {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("{file}:{line}:{column}")
}

/// One entry of a table of dependencies, understood.
#[derive(Debug, Clone, PartialEq)]
struct Declared {
    dependency: Dependency,
    registry: Option<String>,
}

fn declared(key: &str, declared: schema::Declared, registries: Registries<'_>) -> Result<Declared> {
    let table = match declared {
        schema::Declared::Version(req) => schema::Table { version: Some(req), ..Default::default() },
        schema::Declared::Table(table) => *table,
    };
    let named: PackageName = key.parse()?;
    let alias = named.skill().clone();
    let package = table.package.clone().unwrap_or(named);
    let req = table.version.as_deref().map_or(Ok(VersionReq::STAR), parse_requirement)?;
    let (source, subdir) = place_of(&table, registries)?;
    let dependency = Dependency { alias, package, source, subdir, req, dev: false, optional: false };
    Ok(Declared { dependency, registry: table.registry })
}

/// The source a dependency's table names, and the directory inside it.
fn place_of(table: &schema::Table, registries: Registries<'_>) -> Result<(SourceId, Option<RelPath>)> {
    let refused = |what: &str| Err(Error::usage(what));
    let references = [&table.branch, &table.tag, &table.rev].iter().filter(|given| given.is_some()).count();
    if let Some(site) = &table.well_known {
        let others = [&table.git, &table.path, &table.archive, &table.registry];
        return match others.iter().any(|other| other.is_some()) {
            true => refused("it names two sources; keep one of `git`, `path`, `archive`, `well-known` and `registry`"),
            false if references > 0 => refused("`branch`, `tag` and `rev` belong to a `git` source"),
            false => Ok((SourceId::WellKnown(site.parse()?), None)),
        };
    }
    match (&table.git, &table.path, &table.archive) {
        (Some(_), _, Some(_)) | (None, Some(_), Some(_)) => {
            refused("it names two sources; keep one of `git`, `path` and `archive`")
        }
        (Some(_), _, None) if references > 1 => {
            refused("it names two references; keep one of `branch`, `tag` and `rev`")
        }
        (None, _, _) if references > 0 => refused("`branch`, `tag` and `rev` belong to a `git` source"),
        (Some(_), ..) | (_, Some(_), _) | (_, _, Some(_)) if table.registry.is_some() && table.version.is_none() => {
            refused("`registry` goes with a version, which is what is asked of it")
        }
        (Some(git), path, None) => {
            let subdir = path.as_deref().map(|path| path.trim_end_matches('/').parse()).transpose()?;
            Ok((SourceId::Git { url: git.parse::<GitUrl>()?, reference: reference(table)? }, subdir))
        }
        (None, Some(path), None) => Ok((SourceId::path(path), None)),
        (None, None, Some(archive)) => Ok((SourceId::Archive(archive.clone()), None)),
        (None, None, None) if table.version.is_none() => refused("it says neither a version nor a source")
            .map_err(|error| error.help("write `\"^1.2\"`, or `\"*\"` for any")),
        (None, None, None) => Ok((SourceId::Registry(registries(table.registry.as_deref())?), None)),
    }
}

fn reference(table: &schema::Table) -> Result<GitReference> {
    let given = |text: &Option<String>, make: fn(String) -> GitReference| {
        text.as_deref().map(|text| GitReference::checked(text).map(make)).transpose()
    };
    let named = given(&table.branch, GitReference::Branch)?
        .or(given(&table.tag, GitReference::Tag)?)
        .or(given(&table.rev, GitReference::Rev)?);
    let unnamed = if table.version.is_some() { GitReference::Versions } else { GitReference::Default };
    Ok(named.unwrap_or(unnamed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Manifest> {
        Manifest::parse(text, FILE, &|name| Ok(format!("index-of-{}", name.unwrap_or("default"))))
    }

    fn one(line: &str) -> Dependency {
        parse(&format!("[dependencies]\n{line}\n")).unwrap().dependencies.remove(0)
    }

    fn fault(text: &str) -> String {
        format!("{:?}", parse(text).unwrap_err())
    }

    #[test]
    fn a_version_alone_means_the_default_registry() {
        let dependency = one("\"acme/pdf\" = \"^1.2\"");
        assert_eq!(dependency.alias.as_str(), "pdf");
        assert_eq!(dependency.package.to_string(), "acme/pdf");
        assert_eq!(dependency.source, SourceId::Registry("index-of-default".into()));
        assert_eq!(dependency.req.to_string(), "^1.2");
    }

    #[test]
    fn every_reference_of_git_is_told_apart() {
        let reference = |extra: &str| match one(&format!("a = {{ git = \"https://h/r\"{extra} }}")).source {
            SourceId::Git { reference, .. } => reference,
            other => panic!("{other}"),
        };
        assert_eq!(reference(""), GitReference::Default);
        assert_eq!(reference(", version = \"^2\""), GitReference::Versions);
        assert_eq!(reference(", tag = \"v1\""), GitReference::Tag("v1".into()));
        assert_eq!(reference(", branch = \"dev\", version = \"^2\""), GitReference::Branch("dev".into()));
        assert_eq!(reference(", rev = \"0123abc\""), GitReference::Rev("0123abc".into()));
    }

    #[test]
    fn a_site_may_have_a_requirement_and_no_second_source() {
        let dependency = one("a = { well-known = \"https://acme.dev/.well-known/skills\", version = \"^1\" }");
        assert_eq!(dependency.source.to_string(), "well-known+https://acme.dev");
        assert_eq!(dependency.req.to_string(), "^1");
        for extra in ["git = \"https://h/r\"", "path = \"x\"", "registry = \"r\"", "tag = \"v1\""] {
            let text = format!("[dependencies]\na = {{ well-known = \"https://acme.dev\", {extra} }}\n");
            assert!(parse(&text).is_err(), "{extra}");
        }
    }

    #[test]
    fn a_key_that_differs_from_the_package_is_an_alias() {
        let dependency = one("old-pdf = { package = \"acme/pdf\", version = \"=0.9.0\", registry = \"acme\" }");
        assert_eq!((dependency.alias.as_str(), dependency.package.to_string().as_str()), ("old-pdf", "acme/pdf"));
        assert_eq!(dependency.source, SourceId::Registry("index-of-acme".into()));
    }

    #[test]
    fn faults_have_their_place_and_reason() {
        for (text, expected) in [
            ("[package]\nname = \"a\"\nversion = \"1.0\"\n", "skillpm.toml:3:11: "),
            ("[package]\nname = \"a\"\nversion.workspace = true\n", "skillpm.toml:3:1: `version` is inherited"),
            ("[package]\nname = \"a\"\nlicense = { workspace = false }\n", "`workspace` can only be `true`"),
            ("[package]\nname = \"a\"\npublish = \"acme\"\n", "`false`, `true` or a list of registries"),
            ("[package]\nname = \"a\"\nlicence = \"MIT\"\n", "skillpm.toml:3:1: unknown field `licence`"),
            ("[workspace]\n[package]\nname = \"a\"\nlicense.workspace = true\n", "has no `license`"),
            ("[workspace.dependencies]\na = { workspace = true }\n", "its own table"),
            ("[dependencies]\na = { workspace = true, path = \"x\" }\n", "says something more"),
            ("[dependencies]\na.workspace = true\n", "skillpm.toml:2:1: `a` is inherited"),
            ("[dependencies]\na = { git = \"https://h/r\", tga = \"v1\" }\n", "skillpm.toml:2:"),
            ("[dependencies]\na = 1\n", "skillpm.toml:2:5"),
            ("[dependencies\n", "skillpm.toml:1:"),
            ("[dependencies]\na = \"one\"\n", "`one` is not a version requirement"),
            ("[dependencies]\na = { tag = \"v1\", version = \"1\" }\n", "belong to a `git` source"),
            ("[dependencies]\na = { git = \"https://h/r\", tag = \"v1\", rev = \"0\" }\n", "two references"),
            ("[dependencies]\na = { git = \"https://h/r\", path = \"../up\" }\n", "holds `.` or `..`"),
            ("[dependencies]\n\"A b\" = \"1\"\n", "is not a skill name"),
            ("[dependencies]\na = {}\n", "neither a version nor a source"),
            ("[install]\ndir = \"../else\"\n", "`install.dir` cannot be `../else`"),
            ("[dependencies]\n\"x/a\" = \"1\"\n\"y/a\" = \"1\"\n", "two dependencies would be installed as `a`"),
            ("[policy]\nallowed = [\"gh:acme\"]\n", "unknown field `allowed`"),
        ] {
            assert!(fault(text).contains(expected), "{text}\n{}", fault(text));
        }
    }

    #[test]
    fn a_member_inherits_what_it_asks_for_and_paths_lead_up_to_the_root() {
        let root = parse(
            "[workspace]\nmembers = [\"skills/*\"]\n[workspace.package]\nversion = \"1.2.3\"\nlicense = \"MIT\"\n\
             keywords = [\"k\"]\npublish = [\"acme\"]\n[workspace.dependencies]\n\
             style = { path = \"skills/style\", version = \"^1\", registry = \"acme\" }\nnotes = \"^2\"\n",
        )
        .unwrap();
        let shared = root.workspace.unwrap().shared.seen_from(&"skills/pdf".parse().unwrap());
        let text = "[package]\nname = \"acme/pdf\"\nversion.workspace = true\nlicense = { workspace = true }\n\
                    description = \"own\"\npublish.workspace = true\n[dependencies]\nstyle.workspace = true\n\
                    [dev-dependencies]\nnotes = { workspace = true }\n";
        let registries: Registries<'_> = &|name| Ok(format!("index-of-{}", name.unwrap_or("default")));
        let member = Manifest::parse_member(text, FILE, registries, Some(&shared)).unwrap();
        let package = member.package.unwrap();
        assert_eq!(package.version, Some("1.2.3".parse().unwrap()));
        assert_eq!((package.license.as_deref(), package.description.as_deref()), (Some("MIT"), Some("own")));
        assert_eq!((package.keywords, package.publish), (None, Publish::Only(vec!["acme".into()])));
        let told: Vec<_> =
            member.dependencies.iter().map(|d| (d.alias.as_str(), d.source.to_string(), d.dev)).collect();
        let expected = [
            ("notes", "registry+index-of-default".to_owned(), true),
            ("style", "path+../../skills/style".to_owned(), false),
        ];
        assert_eq!(told, expected);
        assert_eq!(member.registry_names[&"style".parse().unwrap()], "acme");
    }

    #[test]
    fn a_root_that_is_a_package_inherits_from_itself() {
        let text = "[workspace.package]\nlicense = \"MIT\"\n[package]\nname = \"a\"\nlicense.workspace = true\n";
        assert_eq!(parse(text).unwrap().package.unwrap().license.as_deref(), Some("MIT"));
    }

    #[test]
    fn publish_is_everywhere_nowhere_or_a_list() {
        let publish = |text: &str| parse(&format!("[package]\nname = \"a\"\n{text}")).unwrap().package.unwrap().publish;
        assert_eq!(publish(""), Publish::Anywhere);
        assert_eq!(publish("publish = true"), Publish::Anywhere);
        assert_eq!(publish("publish = false"), Publish::Nowhere);
        assert_eq!(publish("publish = []"), Publish::Nowhere);
        assert_eq!(publish("publish = [\"acme\"]"), Publish::Only(vec!["acme".into()]));
    }
}

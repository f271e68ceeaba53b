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
//! ```
//!
//! What it says is read here; [`edit`] changes single entries and leaves every other byte alone. A key that skillpm does
//! not know is an error rather than a silent nothing: a misspelt `tag` would otherwise mean the default branch.

pub mod edit;
mod schema;

use semver::VersionReq;

use crate::error::{Error, Result};
use crate::package::{Dependency, GitReference, GitUrl, PackageName, RelPath, SourceId};

/// The file's name.
pub const FILE: &str = "skillpm.toml";

/// Where skills are installed when the manifest does not say: the directory that most agents read.
pub const DEFAULT_DIR: &str = ".agents/skills";

/// What a `skillpm.toml` says.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// `[package]`: what this directory publishes, if anything.
    pub package: Option<Package>,
    /// `[dependencies]` and `[dev-dependencies]`, sorted by alias.
    pub dependencies: Vec<Dependency>,
    /// `[install]`.
    pub install: Install,
    /// `[catalog]`.
    pub catalog: CatalogRules,
    /// `[policy]`.
    pub policy: Policy,
}

/// `[package]`, as far as installing needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: PackageName,
    /// Its version.
    pub version: Option<semver::Version>,
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

/// `[catalog]`: which skills are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogRules {
    /// Patterns of names to show; `None` for all.
    pub allow: Option<Vec<String>>,
    /// Patterns of names to hide, whatever `allow` says.
    pub deny: Vec<String>,
}

/// `[policy]`: what may be installed at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Whether covering a managed or bundled skill by one of the workspace is refused.
    pub deny_shadowing: bool,
}

/// Turns a registry's name (`None` for the default one) into the URL of its index.
pub type Registries<'a> = &'a dyn Fn(Option<&str>) -> Result<String>;

impl Manifest {
    /// Reads the text of a manifest; `file` is its name for messages.
    ///
    /// # Errors
    /// If it is not TOML, has a key skillpm does not know, or a value that cannot be; the message has line and column.
    pub fn parse(text: &str, file: &str, registries: Registries<'_>) -> Result<Manifest> {
        if let Some(line) = conflict_marker(text) {
            return Err(Error::usage(format!("`{file}` has merge conflict markers (line {line})"))
                .help(format!("finish the merge in `{file}`, then run `skillpm lock`")));
        }
        let raw: schema::Manifest = toml::from_str(text).map_err(|error| located(&error, text, file))?;
        let mut dependencies = Vec::new();
        for (table, dev) in [(raw.dependencies, false), (raw.dev_dependencies, true)] {
            for (key, declared) in table {
                let span = declared.span();
                let read = dependency(key.get_ref(), declared.into_inner(), registries).map_err(|error| {
                    error.wrap(format!(
                        "{}: dependency `{}` cannot be understood",
                        place(text, file, span.start),
                        key.get_ref()
                    ))
                });
                dependencies.push(Dependency { dev, ..read? });
            }
        }
        dependencies.sort_by(|a, b| a.alias.cmp(&b.alias));
        let twins = |pair: &[Dependency]| matches!(pair, [one, other] if one.alias == other.alias);
        if let Some([one, other]) = dependencies.windows(2).find(|pair| twins(pair)) {
            return Err(twice(one, other, file));
        }
        let install = raw.install.unwrap_or_default();
        let dir = install.dir.as_deref().unwrap_or(DEFAULT_DIR);
        Ok(Manifest {
            package: raw.package.map(|package| Package { name: package.name, version: package.version }),
            dependencies,
            install: Install {
                dir: install_dir(dir)
                    .map_err(|error| error.wrap(format!("{file}: `install.dir` cannot be `{dir}`")))?,
                targets: install.targets,
                link: install.link.into(),
            },
            catalog: CatalogRules { allow: raw.catalog.allow, deny: raw.catalog.deny },
            policy: Policy { deny_shadowing: raw.policy.deny_shadowing },
        })
    }
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

fn dependency(key: &str, declared: schema::Declared, registries: Registries<'_>) -> Result<Dependency> {
    let table = match declared {
        schema::Declared::Version(req) => schema::Table { version: Some(req), ..Default::default() },
        schema::Declared::Table(table) => *table,
    };
    let named: PackageName = key.parse()?;
    let alias = named.skill().clone();
    let package = table.package.clone().unwrap_or(named);
    let req = table.version.as_deref().map_or(Ok(VersionReq::STAR), requirement)?;
    let (source, subdir) = place_of(&table, registries)?;
    Ok(Dependency { alias, package, source, subdir, req, dev: false, optional: false })
}

fn requirement(text: &str) -> Result<VersionReq> {
    VersionReq::parse(text).map_err(|cause| {
        Error::usage(format!("`{}` is not a version requirement: {cause}", text.escape_debug()))
            .help("a requirement looks like `^1.2`, `~1.2.3`, `=2.0.1` or `>=1, <3`")
    })
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
        (Some(_), ..) | (_, Some(_), _) | (_, _, Some(_)) if table.registry.is_some() => {
            refused("`registry` goes with a version alone, not with another source")
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
}

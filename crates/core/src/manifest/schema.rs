//! `skillpm.toml` as it lies on the disk, apart from what it means.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use semver::Version;
use serde::de::value::{BoolDeserializer, MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::package::{PackageName, SkillName};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Manifest {
    pub package: Option<Package>,
    pub workspace: Option<Workspace>,
    #[serde(default)]
    pub dependencies: BTreeMap<Spanned<String>, Spanned<Declared>>,
    #[serde(default)]
    pub dev_dependencies: BTreeMap<Spanned<String>, Spanned<Declared>>,
    pub install: Option<Install>,
    #[serde(default)]
    pub catalog: super::CatalogRules,
    #[serde(default)]
    pub policy: Policy,
    #[serde(default)]
    pub edits: BTreeMap<Spanned<SkillName>, Spanned<String>>,
    /// `[patch]`: read apart, and from the project's manifest only.
    #[expect(dead_code, reason = "accepted so that every manifest may carry it")]
    patch: Option<toml::Table>,
    /// Levels of rules: read by the linter only, which checks them against its table.
    #[expect(dead_code, reason = "accepted so that a manifest may carry it; nothing that installs reads it")]
    lint: Option<toml::Table>,
    /// What a scan for danger may pass over: read by `audit` only.
    #[expect(dead_code, reason = "accepted so that a manifest may carry it; nothing that installs reads it")]
    audit: Option<toml::Table>,
}

/// `[package]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Package {
    pub name: PackageName,
    pub version: Option<Spanned<Inheritable<Version>>>,
    pub description: Option<Spanned<Inheritable<String>>>,
    pub license: Option<Spanned<Inheritable<String>>>,
    pub authors: Option<Spanned<Inheritable<Vec<String>>>>,
    pub repository: Option<Spanned<Inheritable<String>>>,
    pub keywords: Option<Spanned<Inheritable<Vec<String>>>>,
    pub include: Option<Spanned<Inheritable<Vec<String>>>>,
    pub exclude: Option<Spanned<Inheritable<Vec<String>>>>,
    pub publish: Option<Spanned<Inheritable<Publish>>>,
}

/// `[workspace]`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Workspace {
    pub members: Vec<Spanned<String>>,
    pub exclude: Vec<Spanned<String>>,
    pub package: WorkspacePackage,
    pub dependencies: BTreeMap<Spanned<String>, Spanned<Declared>>,
}

/// `[workspace.package]`: what members may inherit.
#[derive(Debug, Clone, PartialEq, Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct WorkspacePackage {
    pub scope: Option<SkillName>,
    pub version: Option<Version>,
    pub description: Option<String>,
    pub license: Option<String>,
    pub authors: Option<Vec<String>>,
    pub repository: Option<String>,
    pub keywords: Option<Vec<String>>,
    pub include: Option<Vec<String>>,
    pub exclude: Option<Vec<String>>,
    pub publish: Option<Publish>,
}

/// `publish`: `true`, `false`, or names of registries.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Publish(pub super::Publish);

impl<'de> Deserialize<'de> for Publish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Publish;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`false`, `true` or a list of registries")
            }

            fn visit_bool<E>(self, anywhere: bool) -> Result<Publish, E> {
                Ok(Publish(if anywhere { super::Publish::Anywhere } else { super::Publish::Nowhere }))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Publish, A::Error> {
                let names = Vec::<String>::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(Publish(if names.is_empty() { super::Publish::Nowhere } else { super::Publish::Only(names) }))
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

/// A value of its own, or `{ workspace = true }` for that of `[workspace.package]`.
pub(super) enum Inheritable<T> {
    Own(T),
    Workspace,
}

/// By hand, so that a fault in the value is told in its own words.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Inheritable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reading<T> {
            type Value = Inheritable<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value, or `{ workspace = true }`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                T::deserialize(StrDeserializer::new(text)).map(Inheritable::Own)
            }

            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Self::Value, E> {
                T::deserialize(BoolDeserializer::new(value)).map(Inheritable::Own)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                T::deserialize(SeqAccessDeserializer::new(list)).map(Inheritable::Own)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                #[derive(Deserialize)]
                #[serde(deny_unknown_fields)]
                struct Mark {
                    workspace: bool,
                }
                let mark = Mark::deserialize(MapAccessDeserializer::new(map))?;
                if !mark.workspace {
                    return Err(A::Error::custom("`workspace` can only be `true`; leave the key away otherwise"));
                }
                Ok(Inheritable::Workspace)
            }
        }
        deserializer.deserialize_any(Reading(PhantomData))
    }
}

/// One entry of `[dependencies]`: a requirement alone, or a table.
pub(super) enum Declared {
    Version(String),
    Table(Box<Table>),
}

/// By hand, so that a fault inside the table is told with its own place and words, as an untagged enum would not.
impl<'de> Deserialize<'de> for Declared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Declared;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a version requirement such as \"^1.2\" or a table such as { git = \"…\" }")
            }

            fn visit_str<E>(self, text: &str) -> Result<Declared, E> {
                Ok(Declared::Version(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Declared, A::Error> {
                let table = Table::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Declared::Table(Box::new(table)))
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

#[derive(Deserialize, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub version: Option<String>,
    pub git: Option<String>,
    pub branch: Option<String>,
    pub tag: Option<String>,
    pub rev: Option<String>,
    pub path: Option<String>,
    pub archive: Option<String>,
    #[serde(rename = "well-known")]
    pub well_known: Option<String>,
    pub package: Option<PackageName>,
    pub registry: Option<String>,
    pub workspace: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Install {
    pub dir: Option<String>,
    #[serde(default)]
    pub targets: Vec<String>,
    #[serde(default)]
    pub link: Link,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Link {
    #[default]
    Copy,
    Symlink,
}

impl From<Link> for super::Link {
    fn from(link: Link) -> Self {
        match link {
            Link::Copy => super::Link::Copy,
            Link::Symlink => super::Link::Symlink,
        }
    }
}

/// All, or what comes from these sources.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected `true`, `false` or a list of sources")]
pub(super) enum RequireSigned {
    All(bool),
    Of(Vec<String>),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Policy {
    #[serde(default)]
    pub deny_shadowing: bool,
    pub min_release_age: Option<String>,
    pub exclude_newer: Option<String>,
    pub allow_sources: Option<Spanned<Vec<String>>>,
    pub deny_sources: Option<Spanned<Vec<String>>>,
    pub allow_licenses: Option<Spanned<Vec<String>>>,
    pub deny_licenses: Option<Spanned<Vec<String>>>,
    pub allow_unlicensed: Option<Spanned<bool>>,
    pub require_signed: Option<Spanned<RequireSigned>>,
    pub signers: Option<Spanned<Vec<String>>>,
    pub require_reachable: Option<Spanned<bool>>,
    pub deny_lint: Option<Spanned<Vec<String>>>,
    pub allow_findings: Option<Spanned<Vec<String>>>,
    pub deny_findings: Option<Spanned<String>>,
}

//! `skillpm.toml` as it lies on the disk, apart from what it means.

use std::collections::BTreeMap;

use semver::Version;
use serde::Deserialize;
use toml::Spanned;

use crate::package::PackageName;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Manifest {
    pub package: Option<Package>,
    #[serde(default)]
    pub dependencies: BTreeMap<Spanned<String>, Spanned<Declared>>,
    #[serde(default)]
    pub dev_dependencies: BTreeMap<Spanned<String>, Spanned<Declared>>,
    pub install: Option<Install>,
    #[serde(default)]
    pub catalog: Catalog,
    #[serde(default)]
    pub policy: Policy,
    /// Levels of rules: read by the linter only, which checks them against its table.
    #[expect(dead_code, reason = "accepted so that a manifest may carry it; nothing that installs reads it")]
    lint: Option<toml::Table>,
}

/// `[package]`: the keys that describe a package for publishing are accepted and not read here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(dead_code, reason = "installing reads the name and the version only")]
pub(super) struct Package {
    pub name: PackageName,
    pub version: Option<Version>,
    description: Option<String>,
    license: Option<String>,
    authors: Option<Vec<String>>,
    repository: Option<String>,
    keywords: Option<Vec<String>>,
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    publish: Option<toml::Value>,
}

/// One entry of `[dependencies]`: a requirement alone, or a table.
pub(super) enum Declared {
    Version(String),
    Table(Box<Table>),
}

/// By hand, so that a fault inside the table is told with its own place and words, as an untagged enum would not.
impl<'de> Deserialize<'de> for Declared {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Declared;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a version requirement such as \"^1.2\" or a table such as { git = \"…\" }")
            }

            fn visit_str<E>(self, text: &str) -> Result<Declared, E> {
                Ok(Declared::Version(text.to_owned()))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Declared, A::Error> {
                let table = Table::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Declared::Table(Box::new(table)))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[derive(Deserialize, Default)]
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

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Catalog {
    pub allow: Option<Vec<String>>,
    #[serde(default)]
    pub deny: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Policy {
    #[serde(default)]
    pub deny_shadowing: bool,
}

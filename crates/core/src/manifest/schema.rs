//! The serde schema of `skillpm.toml`, before its meaning is checked.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use semver::Version;
use serde::de::value::{
    BoolDeserializer, MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer,
};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::package::{PackageName, SkillName};

// Unknown keys are refused everywhere: a misspelled one would silently change nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawManifest {
    pub package: Option<RawPackageTable>,
    pub workspace: Option<RawWorkspace>,
    #[serde(default)]
    pub dependencies: BTreeMap<Spanned<String>, Spanned<RawDependency>>,
    #[serde(default)]
    pub dev_dependencies: BTreeMap<Spanned<String>, Spanned<RawDependency>>,
    pub install: Option<RawInstall>,
    #[serde(default)]
    pub catalog: super::CatalogRules,
    #[serde(default)]
    pub policy: RawPolicy,
    #[serde(default)]
    pub edits: BTreeMap<Spanned<SkillName>, Spanned<String>>,
    /// `[patch]`, which is read separately, from the project's manifest only.
    #[expect(dead_code, reason = "accepted so that every manifest may carry it")]
    patch: Option<toml::Table>,
    /// `[lint]`, which is read by the linter only; it checks the names of rules.
    #[expect(
        dead_code,
        reason = "accepted so that a manifest may carry it; nothing that installs reads it"
    )]
    lint: Option<toml::Table>,
    /// `[audit]`, which is read by `audit` only.
    #[expect(
        dead_code,
        reason = "accepted so that a manifest may carry it; nothing that installs reads it"
    )]
    audit: Option<toml::Table>,
}

/// `[package]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawPackageTable {
    pub name: PackageName,
    // Spanned, since only after parsing is it known whether the workspace has a value to inherit.
    pub version: Option<Spanned<InheritableField<Version>>>,
    pub description: Option<Spanned<InheritableField<String>>>,
    pub license: Option<Spanned<InheritableField<String>>>,
    pub authors: Option<Spanned<InheritableField<Vec<String>>>>,
    pub repository: Option<Spanned<InheritableField<String>>>,
    pub keywords: Option<Spanned<InheritableField<Vec<String>>>>,
    pub include: Option<Spanned<InheritableField<Vec<String>>>>,
    pub exclude: Option<Spanned<InheritableField<Vec<String>>>>,
    pub publish: Option<Spanned<InheritableField<RawPublish>>>,
}

/// `[workspace]`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct RawWorkspace {
    // Patterns; they are matched where the disk is read.
    pub members: Vec<Spanned<String>>,
    pub exclude: Vec<Spanned<String>>,
    pub package: WorkspacePackage,
    pub dependencies: BTreeMap<Spanned<String>, Spanned<RawDependency>>,
}

/// `[workspace.package]`: the values that members may inherit.
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
    pub publish: Option<RawPublish>,
}

/// `publish`: `true`, `false`, or names of registries.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawPublish(pub super::PublishTargets);

impl<'de> Deserialize<'de> for RawPublish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By hand, so that the error names the three forms and not a variant of an enum.
        struct PublishVisitor;
        impl<'de> Visitor<'de> for PublishVisitor {
            type Value = RawPublish;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`false`, `true` or a list of registries")
            }

            fn visit_bool<E>(self, anywhere: bool) -> Result<RawPublish, E> {
                Ok(RawPublish(if anywhere {
                    super::PublishTargets::Anywhere
                } else {
                    super::PublishTargets::Nowhere
                }))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<RawPublish, A::Error> {
                let names = Vec::<String>::deserialize(SeqAccessDeserializer::new(list))?;
                // A list without a registry allows none.
                Ok(RawPublish(if names.is_empty() {
                    super::PublishTargets::Nowhere
                } else {
                    super::PublishTargets::Only(names)
                }))
            }
        }

        deserializer.deserialize_any(PublishVisitor)
    }
}

/// A value, or `{ workspace = true }` to inherit it from `[workspace.package]`.
pub(super) enum InheritableField<T> {
    Own(T),
    Workspace,
}

/// By hand and not as an untagged enum, so that an invalid value has its own error message.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for InheritableField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InheritableVisitor(PhantomData))
    }
}

struct InheritableVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for InheritableVisitor<T> {
    type Value = InheritableField<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, or `{ workspace = true }`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        T::deserialize(StrDeserializer::new(text)).map(InheritableField::Own)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Self::Value, E> {
        T::deserialize(BoolDeserializer::new(value)).map(InheritableField::Own)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(list)).map(InheritableField::Own)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct WorkspaceMarker {
            workspace: bool,
        }

        let mark = WorkspaceMarker::deserialize(MapAccessDeserializer::new(map))?;
        if !mark.workspace {
            return Err(A::Error::custom(
                "`workspace` cannot be `false`; omit the key instead",
            ));
        }

        Ok(InheritableField::Workspace)
    }
}

/// One entry of `[dependencies]`: a requirement alone, or a table.
pub(super) enum RawDependency {
    Version(String),
    Table(Box<RawDependencyTable>),
}

/// By hand and not as an untagged enum, so that an error inside the table has its own location and message.
impl<'de> Deserialize<'de> for RawDependency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By hand and not as an untagged enum, whose error would hide the key that is wrong.
        struct DependencyVisitor;
        impl<'de> Visitor<'de> for DependencyVisitor {
            type Value = RawDependency;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a version requirement such as \"^1.2\" or a table such as { git = \"…\" }",
                )
            }

            fn visit_str<E>(self, text: &str) -> Result<RawDependency, E> {
                Ok(RawDependency::Version(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawDependency, A::Error> {
                let table = RawDependencyTable::deserialize(MapAccessDeserializer::new(map))?;
                // Boxed: nearly all dependencies are a version alone, and the table is many times
                // larger.
                Ok(RawDependency::Table(Box::new(table)))
            }
        }

        deserializer.deserialize_any(DependencyVisitor)
    }
}

#[derive(Deserialize, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDependencyTable {
    pub version: Option<String>,
    pub git: Option<String>,
    pub branch: Option<String>,
    pub tag: Option<String>,
    pub rev: Option<String>,
    pub path: Option<String>,
    pub archive: Option<String>,
    #[serde(rename = "well-known")]
    pub well_known: Option<String>,
    pub clawhub: Option<PackageName>,
    pub package: Option<PackageName>,
    pub registry: Option<String>,
    pub workspace: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawInstall {
    pub dir: Option<String>,
    #[serde(default)]
    pub targets: Vec<String>,
    #[serde(default)]
    pub link: RawLinkMode,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawLinkMode {
    #[default]
    Copy,
    Symlink,
}

impl From<RawLinkMode> for super::LinkMode {
    fn from(link: RawLinkMode) -> Self {
        match link {
            RawLinkMode::Copy => super::LinkMode::Copy,
            RawLinkMode::Symlink => super::LinkMode::Symlink,
        }
    }
}

/// All packages, or those from these sources.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected `true`, `false` or a list of sources")]
pub(super) enum RequireSigned {
    All(bool),
    Of(Vec<String>),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawPolicy {
    #[serde(default)]
    pub deny_shadowing: bool,
    // As texts: a duration or date is parsed where the clock is, and with its own error.
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
    // Names of rules, which this crate does not know; the linter checks them.
    pub deny_lint: Option<Spanned<Vec<String>>>,
    pub allow_findings: Option<Spanned<Vec<String>>>,
    pub deny_findings: Option<Spanned<String>>,
}

//! The nouns everyone shares, one type a file. Values only: nothing here touches the disk or the network.
//!
//! | typed by a person | declared | offered by a source | chosen |
//! |---|---|---|---|
//! | [`PackageSpec`] | [`Dependency`] | [`Summary`] | [`PackageId`] |
//!
//! A package's content is a [`Tree`], and its identity is the tree's [`Checksum`], equal whether it came by git,
//! from a path or in an archive.

#[cfg(test)]
pub(crate) mod anything;
mod bundled;
mod checksum;
mod dates;
mod dependency;
mod git_url;
mod id;
mod index_url;
mod line_end;
mod name;
mod patch;
mod rel_path;
mod requirement;
mod secret;
mod site_url;
mod source_id;
mod spec;
mod summary;
mod tree;

pub use bundled::BundledSkill;
pub use checksum::{Checksum, Hasher, Sha256};
pub use dates::{age, instant};
pub use dependency::Dependency;
pub use git_url::GitUrl;
pub use id::PackageId;
pub use index_url::{IndexKind, IndexUrl};
pub use line_end::with_line_ends_of;
pub use name::{PackageName, SkillName};
pub use patch::{Patch, PatchedPlace};
pub use rel_path::RelPath;
pub(crate) use rel_path::{is_windows_device, resolve_below};
pub use requirement::parse_requirement;
pub use secret::Secret;
pub use site_url::SiteUrl;
pub use source_id::{GitReference, SourceId};
pub use spec::PackageSpec;
pub use summary::Summary;
pub use tree::{Drift, File, Limits, NOT_PART, Tree, TreeBuilder};

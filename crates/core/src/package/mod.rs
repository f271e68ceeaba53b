//! The value types shared by all crates, one per file. Nothing here accesses the disk or the network.
//!
//! | typed by a user | declared in a manifest | offered by a source | selected by the resolver |
//! |---|---|---|---|
//! | [`PackageSpec`] | [`PackageDependency`] | [`PackageSummary`] | [`PackageId`] |
//!
//! A package's content is a [`Tree`], identified by the tree's [`Checksum`], which is the same whether it comes from git,
//! a path or an archive.

#[cfg(any(test, feature = "test-support"))]
pub mod arbitrary;
mod bundled;
mod checksum;
mod dates;
mod dependency;
mod file_change;
mod git_url;
mod id;
mod index_url;
mod leftover;
mod line_end;
mod links;
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
mod web_page;

pub use bundled::BundledSkill;
pub use checksum::{Checksum, Sha256Digest, TreeHasher};
pub use dates::{parse_age, parse_cutoff};
pub use dependency::PackageDependency;
pub use file_change::{FileChange, is_text};
pub use git_url::GitUrl;
pub use id::PackageId;
pub use index_url::{IndexKind, IndexUrl};
pub use leftover::{
    ENVIRONMENT_MARK, is_bytecode, is_output_name, is_secret_file, leftover_directory,
    leftover_file, may_be_key, may_be_login,
};
pub use line_end::{LineEnd, with_line_ends_of, with_line_ends_of_package};
pub use links::{follow_link, link_refused};
pub use name::{PackageName, SkillName};
pub use patch::{PatchEntry, PatchedSource};
pub use rel_path::{RelPath, join_slashed, slashed};
pub use rel_path::{is_windows_device, resolve_under};
pub use requirement::parse_requirement;
pub use secret::SecretString;
pub use site_url::SiteUrl;
pub use source_id::{GitReference, SourceId};
pub use spec::PackageSpec;
pub use summary::PackageSummary;
pub use tree::{EXCLUDED_NAMES, Tree, TreeBuilder, TreeDiff, TreeFile, TreeLimits};

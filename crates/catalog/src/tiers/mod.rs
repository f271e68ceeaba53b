//! Discovery: the skills that lie in the directories of each tier, and which of them a name means.
//!
//! ```text
//! roots(surroundings) ──▶ places ──discover──▶ Discovery ──inspect──▶ the same, with files and checksums
//!     <project>/skills            one readdir     names in order          only for those who ask
//!     <project>/.agents/skills    one stat a skill   merged by name
//!     ~/.agents/skills …
//! ```
//!
//! Looking at a skill that has not changed costs one `stat`: what its `SKILL.md` says is remembered ([`DiscoveryCache`]) under
//! its path, size, times and inode. One of another format costs three: of its descriptor, its tools and its directory. Nothing here decides what an agent may see; that is `catalog`.

mod cache;
mod discover;
mod inspect;
mod merge;
mod read;
mod roots;

pub use cache::{CacheReader, CacheRecord, DiscoveryCache, write_records};
pub use discover::discover;
pub use inspect::{InspectScope, inspect};
pub use merge::{merge, merge_by_directory};
pub use roots::{RootSource, TierInputs, TierRoot, tier_roots};

pub use crate::catalog::{DiscoveredSkills, SkillRoot, Tier};

#[cfg(test)]
mod tests;

//! What discovery hands to the catalog: the skills that were found, where, and what each covers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Listing;
use crate::package::{Checksum, Sha256};
use crate::report::Diagnostic;
use crate::skill::formats::codex::Codex;

/// Where a skill stands, highest first: a name means the skill of the highest tier that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// In the project.
    Workspace,
    /// The user's own.
    Managed,
    /// Shipped with skillpm or with a product built on it.
    Bundled,
    /// In directories that the configuration names besides.
    Extra,
}

impl Tier {
    /// The tier's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tier::Workspace => "workspace",
            Tier::Managed => "managed",
            Tier::Bundled => "bundled",
            Tier::Extra => "extra",
        }
    }
}

/// One directory of skills. Its place in the list of roots is its rank, the first the highest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The tier it belongs to.
    pub tier: Tier,
    /// Its name in reports: `workspace`, `project-agents`, `personal-agents`, `bundled`, `extra`, an agent's id.
    pub label: Box<str>,
    /// Where it is.
    pub path: PathBuf,
}

/// A skill that was found and can be listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Which of [`Discovery::roots`] it stands in.
    pub root: u16,
    /// Whether its directory is a link.
    pub linked: bool,
    /// Its directory's name, which is its id for agents that go by directories.
    pub directory: Box<str>,
    /// What its file says.
    pub listing: Listing,
    /// What was found while reading it.
    pub diagnostics: Vec<Diagnostic>,
    /// Its files; `None` until somebody asked for them.
    pub content: Option<Box<Content>>,
    /// Where it was installed from, as the lockfile has it; `None` if nobody knows.
    pub source: Option<Box<str>>,
    /// The key that vouched for it, as the lockfile has it.
    pub signed_by: Option<Box<str>>,
    /// The version it was installed at, as the lockfile has it.
    pub locked_version: Option<Box<str>>,
    /// The skills of the same name that it covers, highest first.
    pub shadows: Vec<Candidate>,
}

impl Candidate {
    /// Its version: as it says itself, else as it was installed.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.listing.facts().version.as_deref().or(self.locked_version.as_deref())
    }

    /// What people call it: as its own descriptor says, else as it says to Codex, else its name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let own = self.listing.facts().display_name.as_deref();
        own.or_else(|| self.codex()?.display_name.as_deref()).unwrap_or(&self.listing.name)
    }

    /// What it says to Codex beside its `SKILL.md`; `None` if nothing, or if nobody has looked at its files.
    #[must_use]
    pub fn codex(&self) -> Option<&Codex> {
        self.content.as_ref()?.codex.as_deref()
    }

    /// Its directory.
    #[must_use]
    pub fn base_dir(&self, roots: &[Root]) -> PathBuf {
        roots[usize::from(self.root)].path.join(&*self.directory)
    }

    /// The path of the file that an agent reads once it has chosen it: its `SKILL.md`, mostly.
    #[must_use]
    pub fn location(&self, roots: &[Root]) -> PathBuf {
        self.base_dir(roots).join(self.listing.facts().format.file())
    }

    /// Its files, sorted by their paths; none if nobody asked for them, or they could not be looked at.
    #[must_use]
    pub fn files(&self) -> &[FileFact] {
        self.content.as_ref().map(|content| &content.files[..]).unwrap_or_default()
    }

    /// Whether the regular file at `path` is one of its own: that with the instructions is, also where the files could not
    /// be looked at.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        path == self.listing.facts().format.file() || self.files().iter().any(|file| *file.path == *path)
    }

    /// Whether it and `other` hold the same files; `None` if the content of one is not known.
    #[must_use]
    pub fn same_content(&self, other: &Candidate) -> Option<bool> {
        let checksum = |candidate: &Candidate| candidate.content.as_ref()?.checksum;
        Some(checksum(self)? == checksum(other)?)
    }
}

/// The files of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Regular files, sorted by the bytes of the path.
    pub files: Box<[FileFact]>,
    /// The tree's checksum; `None` if it holds what no package may hold.
    pub checksum: Option<Checksum>,
    /// The instructions' characters by four, rounded up: about as many tokens.
    pub est_tokens: u32,
    /// What its `agents/openai.yaml` says.
    pub codex: Option<Box<Codex>>,
}

/// One file of a skill, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFact {
    /// Below the skill's directory, `/` between its parts.
    pub path: Box<str>,
    /// In bytes.
    pub size: u64,
    /// Of its bytes.
    #[serde(with = "digest")]
    pub sha256: Sha256,
    /// Whether its owner may run it.
    pub executable: bool,
}

/// A digest as its 32 bytes: there are many in what discovery remembers.
mod digest {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::package::Sha256;

    pub(super) fn serialize<S: Serializer>(digest: &Sha256, serializer: S) -> Result<S::Ok, S::Error> {
        digest.as_bytes().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sha256, D::Error> {
        <[u8; 32]>::deserialize(deserializer).map(Sha256::from_bytes)
    }
}

/// A skill directory that no agent would list, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Unlisted {
    /// Which of [`Discovery::roots`] it stands in.
    pub root: u16,
    /// Its `SKILL.md`.
    pub location: PathBuf,
    /// At least one error.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something that is wrong with a place rather than with a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The place.
    pub path: PathBuf,
    /// What is wrong.
    pub diagnostic: Diagnostic,
}

/// Everything that was found in the tiers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Discovery {
    /// The directories looked at, highest first; those that do not exist stand here too.
    pub roots: Vec<Root>,
    /// The skill that each name means, sorted by the bytes of the name.
    pub candidates: Vec<Candidate>,
    /// What no agent would list.
    pub unlisted: Vec<Unlisted>,
    /// What is wrong with places.
    pub findings: Vec<Finding>,
}

//! The results of discovery: the skills, their locations, and the skills that each shadows.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{HiddenReason, SkillListing};
use skillpm_core::package::{Checksum, Sha256Digest};
use skillpm_core::report::Diagnostic;
use skillpm_core::skill::formats::codex::CodexMetadata;

/// The tier of a skill, highest first: a name resolves to the skill of the highest tier.
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
pub struct SkillRoot {
    /// The tier it belongs to.
    pub tier: Tier,
    /// Its name in reports: `workspace`, `project-agents`, `personal-agents`, `bundled`, `extra`, an agent's id.
    pub label: Box<str>,
    /// Where it is.
    pub path: PathBuf,
}

/// A skill that was found and can be listed.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillCandidate {
    /// Index of its root in [`DiscoveredSkills::roots`].
    pub root: u16,
    /// Whether its directory is a link.
    pub linked: bool,
    /// Its directory below its root: one name, which is its id for agents that go by directories; a path where an agent
    /// searches deeper, and `.` where the root itself is the skill.
    pub directory: Box<str>,
    /// The name of its file; `None` for that of its format.
    pub file: Option<Box<str>>,
    /// What the agent calls it, if it is a command: a page of its own, whose directory is not its id.
    pub command: Option<Box<str>>,
    /// What its file says.
    pub listing: SkillListing,
    /// What was found while reading it.
    pub diagnostics: Vec<Diagnostic>,
    /// Its files; `None` until they are read.
    pub content: Option<Box<SkillContent>>,
    /// Where it was installed from, as in the lockfile; `None` if unknown.
    pub source: Option<Box<str>>,
    /// The key that signed it, as in the lockfile.
    pub signed_by: Option<Box<str>>,
    /// The version it was installed at, as the lockfile has it.
    pub locked_version: Option<Box<str>>,
    /// What the agent of this view reads from its file; `None` where that is not known.
    pub shown: Option<Box<ShownText>>,
    /// The skills of the same name that it shadows, highest first.
    pub shadows: Vec<SkillCandidate>,
}

impl SkillCandidate {
    /// A skill of which nothing is known but what its file says.
    #[must_use]
    pub fn new(root: u16, directory: impl Into<Box<str>>, listing: SkillListing) -> Self {
        SkillCandidate {
            root,
            linked: false,
            directory: directory.into(),
            file: None,
            command: None,
            listing,
            diagnostics: Vec::new(),
            content: None,
            source: None,
            signed_by: None,
            locked_version: None,
            shown: None,
            shadows: Vec::new(),
        }
    }

    /// Its version: as it says itself, else as it was installed.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.listing
            .facts()
            .version
            .as_deref()
            .or(self.locked_version.as_deref())
    }

    /// What people call it: as its own descriptor says, else as it says to Codex, else its name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let own = self.listing.facts().display_name.as_deref();

        own.or_else(|| self.codex()?.display_name.as_deref())
            .unwrap_or(&self.listing.name)
    }

    /// What its own descriptor calls it: for Nova the `name` of its manifest.
    #[must_use]
    pub fn title(&self) -> &str {
        let own = self.listing.facts().display_name.as_deref();
        own.unwrap_or(&self.listing.name)
    }

    /// Whether it has that name, or its directory has: some agents identify it by one, some by the other.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        *self.listing.name == *name || *self.id() == *name
    }

    /// Its id for agents that go by directories: that of its directory, or of the command that it is.
    #[must_use]
    pub fn id(&self) -> &str {
        self.command.as_deref().unwrap_or(&self.directory)
    }

    /// What it says to Codex beside its `SKILL.md`; `None` if it has none, or if its files were not read.
    #[must_use]
    pub fn codex(&self) -> Option<&CodexMetadata> {
        self.content.as_ref()?.codex.as_deref()
    }

    /// What the agent of this view calls it; its name where that is not known.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.shown
            .as_ref()
            .map_or(&self.listing.name, |shown| &shown.name)
    }

    /// Its directory.
    #[must_use]
    pub fn base_dir(&self, roots: &[SkillRoot]) -> PathBuf {
        let root = &roots[usize::from(self.root)].path;
        match &*self.directory {
            "." => root.clone(),
            below => root.join(below),
        }
    }

    /// The name of the file that an agent reads once it has chosen it: `SKILL.md`, mostly.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.file
            .as_deref()
            .unwrap_or_else(|| self.listing.facts().format.file())
    }

    /// The path of the file that an agent reads once it has chosen it: its `SKILL.md`, mostly.
    #[must_use]
    pub fn location(&self, roots: &[SkillRoot]) -> PathBuf {
        self.base_dir(roots).join(self.file_name())
    }

    /// Its files, sorted by their paths; empty if they were not read, or not readable.
    #[must_use]
    pub fn files(&self) -> &[FileFact] {
        self.content
            .as_ref()
            .map(|content| &content.files[..])
            .unwrap_or_default()
    }

    /// Whether the regular file at `path` is one of its own: that with the instructions is, also where the files could not
    /// be looked at.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        path == self.file_name() || self.files().iter().any(|file| *file.path == *path)
    }

    /// Whether it and `other` have the same files; `None` if the content of one is not known.
    #[must_use]
    pub fn same_content(&self, other: &SkillCandidate) -> Option<bool> {
        // The tree's checksum covers paths, bytes and the executable bit, so it decides alone.
        let checksum = |candidate: &SkillCandidate| candidate.content.as_ref()?.checksum;

        Some(checksum(self)? == checksum(other)?)
    }

    /// Whether both are one skill: with the same files, or installed in one tier by one entry of a lockfile, whatever a
    /// person or an agent changed in one of them since. Each has the roots that it was found in.
    #[must_use]
    pub fn is_copy_of(
        &self,
        roots: &[SkillRoot],
        other: &SkillCandidate,
        other_roots: &[SkillRoot],
    ) -> bool {
        let tier = |candidate: &SkillCandidate, roots: &[SkillRoot]| {
            roots[usize::from(candidate.root)].tier
        };
        let is_installed_twice = || {
            self.source.is_some()
                && self.source == other.source
                && self.directory == other.directory
                && tier(self, roots) == tier(other, other_roots)
        };
        self.same_content(other) == Some(true) || is_installed_twice()
    }
}

/// What an agent reads from the file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownText {
    /// The name.
    pub name: Box<str>,
    /// The description.
    pub description: Box<str>,
    /// The path that it shows; `None` for the one at which the skill was found.
    pub location: Option<PathBuf>,
}

/// A skill that an agent finds and does not load.
#[derive(Debug, Clone, PartialEq)]
pub struct DroppedSkill {
    /// The skill, as skillpm reads it.
    pub skill: SkillCandidate,
    /// Why the agent does not load it.
    pub hidden: HiddenReason,
    /// The same in words.
    pub because: String,
}

/// The files of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillContent {
    /// Regular files, sorted by the bytes of the path.
    pub files: Box<[FileFact]>,
    /// The tree's checksum; `None` if it has files that are not allowed in a package.
    pub checksum: Option<Checksum>,
    /// The instructions' characters by four, rounded up: about as many tokens.
    pub est_tokens: u32,
    /// What its `agents/openai.yaml` says.
    pub codex: Option<Box<CodexMetadata>>,
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
    pub sha256: Sha256Digest,
    /// Whether its owner may run it.
    pub executable: bool,
}

/// A digest as its 32 bytes: there are many in what discovery remembers.
mod digest {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use skillpm_core::package::Sha256Digest;

    pub(super) fn serialize<S: Serializer>(
        digest: &Sha256Digest,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        digest.as_bytes().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Sha256Digest, D::Error> {
        <[u8; 32]>::deserialize(deserializer).map(Sha256Digest::from_bytes)
    }
}

/// A skill directory that is not listed, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct UnlistedSkill {
    /// Index of its root in [`DiscoveredSkills::roots`].
    pub root: u16,
    /// Its `SKILL.md`.
    pub location: PathBuf,
    /// At least one error.
    pub diagnostics: Vec<Diagnostic>,
}

/// A problem with a directory rather than with a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct PathFinding {
    /// The place.
    pub path: PathBuf,
    /// What is wrong.
    pub diagnostic: Diagnostic,
}

/// All skills found in the tiers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DiscoveredSkills {
    /// The searched directories, highest first, including those that do not exist.
    pub roots: Vec<SkillRoot>,
    /// The winner of each name, sorted by the bytes of the name.
    pub candidates: Vec<SkillCandidate>,
    /// Skill directories that are not listed.
    pub unlisted: Vec<UnlistedSkill>,
    /// Skills that the agent of this view finds and does not load.
    pub dropped: Vec<DroppedSkill>,
    /// Problems with directories.
    pub findings: Vec<PathFinding>,
}

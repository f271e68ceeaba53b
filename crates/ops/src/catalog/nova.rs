//! What Nova alone does: its file of permissions, and the manifests that it skips.

use super::tier_context::TierContext;
use super::tool_patterns::idle_pattern;
use skillpm_catalog::catalog::permission_file::PermissionFile;
use skillpm_catalog::catalog::{
    DiscoveredSkills, PathFinding, SkillCandidate, ToolPermissions, UnlistedSkill,
};
use skillpm_core::error::{Error, Result};
use skillpm_core::report::Diagnostic;
use skillpm_core::skill::SkillFormat;
use skillpm_core::skill::formats::nova;
use skillpm_io::disk;

/// Its permissions in a project, which [`crate::live`] watches.
pub(crate) const PERMISSIONS: &str = "configs/tool_permissions.yaml";

/// Largest file of permissions, in bytes: some 30,000 patterns, each of which is compared with each tool.
const PERMISSIONS_MAX: u64 = 1 << 20;

/// The permissions of a project, with the text that findings point into.
pub(super) struct ProjectPermissions {
    file: PermissionFile,
    text: String,
}

impl ProjectPermissions {
    /// Reads them; empty if the project has none.
    ///
    /// # Errors
    /// If the file cannot be read, or is invalid: a `deny` that is lost would permit what it forbids.
    pub(super) fn read(tier_context: &TierContext) -> Result<Self> {
        let path = tier_context.root.join(PERMISSIONS);
        let bytes = disk::read_up_to(&path, PERMISSIONS_MAX)?.unwrap_or_default();
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::usage(format!("invalid UTF-8 in `{PERMISSIONS}`")))?;
        Ok(ProjectPermissions {
            file: PermissionFile::parse(&text, PERMISSIONS)?,
            text,
        })
    }

    pub(super) fn permissions(&self) -> &ToolPermissions {
        &self.file.permissions
    }

    /// Unknown keys, and patterns that cannot match any tool.
    pub(super) fn findings(&self) -> impl Iterator<Item = PathFinding> {
        let idle = self.file.patterns.iter().filter_map(|(pattern, span)| {
            Some(idle_pattern(pattern, true)?.at(span.clone(), &self.text))
        });

        idle.chain(self.file.findings.iter().cloned())
            .map(|diagnostic| PathFinding {
                path: PERMISSIONS.into(),
                diagnostic,
            })
    }
}

/// Takes out the skills that Nova logs and skips: it is stricter about a manifest than we are, who also fix and convert
/// such skills.
pub(super) fn skip_refused(discovery: &mut DiscoveredSkills) {
    let candidates = std::mem::take(&mut discovery.candidates);

    for candidate in candidates {
        let refused: Vec<Diagnostic> = refusals(&candidate).cloned().map(locate).collect();
        if refused.is_empty() {
            discovery.candidates.push(candidate);
            continue;
        }
        discovery.unlisted.push(UnlistedSkill {
            root: candidate.root,
            location: candidate.base_dir(&discovery.roots).join(nova::MANIFEST),
            diagnostics: refused,
        });
    }
}

/// The findings for which Nova skips a skill.
fn refusals(candidate: &SkillCandidate) -> impl Iterator<Item = &Diagnostic> {
    let is_nova = candidate.listing.facts().format == SkillFormat::Nova;
    candidate
        .diagnostics
        .iter()
        .filter(move |found| is_nova && nova::is_skipped_for(found))
}

/// A finding about the manifest with its own place again. A listed skill is located at its instructions, so that its
/// findings about the manifest have the place in their message: `manifest.yaml:2:10: …`.
fn locate(found: Diagnostic) -> Diagnostic {
    let Some(rest) = found
        .message
        .strip_prefix(nova::MANIFEST)
        .and_then(|rest| rest.strip_prefix(':'))
    else {
        return found;
    };

    let mut parts = rest.splitn(3, ':');
    let mut number = || parts.next()?.parse().ok();
    let place = number().zip(number());
    let message = match place {
        Some(_) => parts.next().unwrap_or_default(),
        None => rest,
    };
    Diagnostic {
        message: message.trim_start().to_owned(),
        position: place,
        ..found
    }
}

//! Nova's file of permissions.

use super::tier_context::TierContext;
use super::tool_patterns::PatternTargets;
use skillpm_catalog::catalog::permission_file::PermissionFile;
use skillpm_catalog::catalog::{PathFinding, ToolPermissions};
use skillpm_core::error::{Error, Result};
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

    /// Unknown keys, and patterns that match no tool.
    pub(super) fn findings(
        &self,
        targets: &PatternTargets<'_>,
    ) -> impl Iterator<Item = PathFinding> {
        let idle = self.file.patterns.iter().filter_map(|(pattern, span)| {
            Some(targets.idle_pattern(pattern)?.at(span.clone(), &self.text))
        });

        idle.chain(self.file.findings.iter().cloned())
            .map(|diagnostic| PathFinding {
                path: PERMISSIONS.into(),
                diagnostic,
            })
    }
}

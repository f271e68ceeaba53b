//! Checks `config.json` of an index, and the advisories that it announces.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::state::IndexFileKind;
use super::{IndexChecker, fault};
use crate::registry::advise;
use skillpm_core::advisory::{ADVISORY_DIR, pack};
use skillpm_core::error::Result;
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};
use skillpm_registry::index::TemplateFault;
use skillpm_registry::sources::release_age::format_duration;

/// How long before an index expires a warning is reported.
const SOON: SignedDuration = SignedDuration::from_hours(72);

impl IndexChecker<'_> {
    pub(super) fn check_config(&mut self) {
        if self.config.api_version != 1 {
            let message = format!(
                "unsupported `api-version` {}: this skillpm supports 1",
                self.config.api_version
            );
            self.report(fault("config.json", "config", message));
        }
        self.check_expiry();

        let Some(dl) = self.config.dl.clone() else {
            return;
        };
        if let Some(wrong) = TemplateFault::find(&dl) {
            let message = format!("invalid `dl` `{dl}`: {wrong}");
            let mut finding = fault("config.json", "config", message);
            if wrong == TemplateFault::SharedArchive {
                finding.diagnostic.help =
                    Some("use `{name}` and `{version}`, or `{checksum}`".into());
            }
            self.report(finding);
        }
    }

    /// Checks `expires`. In a proposed change it is a warning only: its author cannot renew the
    /// index.
    fn check_expiry(&mut self) {
        let Some(until) = self.config.expires else {
            return;
        };
        let left = until.duration_since(self.now);

        let (level, message) = if left.is_negative() {
            // A base means a proposed change; only a run on the index itself fails.
            let level = if self.change.is_some() {
                DiagnosticLevel::Warning
            } else {
                DiagnosticLevel::Error
            };
            (
                level,
                format!(
                    "the index expired at {until}, {} ago: clients refuse to choose versions from it",
                    format_duration(-left)
                ),
            )
        } else if left < SOON {
            (
                DiagnosticLevel::Warning,
                format!("the index expires at {until}, in {}", format_duration(left)),
            )
        } else {
            return;
        };

        let diagnostic = Diagnostic::new("expires", level, message)
            .help("renew it with `skillpm registry renew`");
        self.report(FileFinding {
            path: "config.json".to_owned(),
            diagnostic,
        });
    }

    /// Checks that each advisory is valid, and that the packed file has exactly these.
    pub(super) fn check_advisories(&mut self) -> Result<()> {
        let mut files = BTreeMap::new();
        for path in self.state.paths_below(ADVISORY_DIR)? {
            if IndexFileKind::from_path(&path) == IndexFileKind::Advisory {
                let bytes = self.state.read(&path)?.unwrap_or_default();
                files.insert(path, bytes);
            }
        }

        // `all.json` is derived from the others, and compared with what it would be.
        let all = files.remove(&pack::pack_path());
        if files.is_empty() && all.is_none() && !self.config.advisories {
            return Ok(());
        }

        let (texts, findings) = advise::check_advisories(&files);
        let is_whole = !findings.iter().any(FileFinding::is_error);
        self.checked.findings.extend(findings);
        let is_packed = all.as_deref() == pack::pack(&texts).ok().as_deref().map(str::as_bytes);
        // While an advisory is invalid, the packed file cannot be valid; one finding is enough.
        if is_whole && !(is_packed && self.config.advisories) {
            let (path, message) = if is_packed {
                (
                    "config.json".to_owned(),
                    "missing `\"advisories\":true`: clients do not fetch the advisories without it",
                )
            } else {
                (
                    pack::pack_path(),
                    "packed advisories differ from the files in the directory",
                )
            };
            let mut finding = fault(&path, "advisory", message);
            finding.diagnostic.help =
                Some("run `skillpm registry advise`, which writes both".into());
            self.report(finding);
        }

        Ok(())
    }
}

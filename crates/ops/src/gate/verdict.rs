//! What the gate found in a package of the store, recorded beside it, so that another project does not audit it again.
//!
//! ```json
//! {"rules":"0.1.0+5f0c2a8e9d1b3c47","name":"pdf","worst":"low"}
//! ```
//!
//! It is of exactly one content: the store checks the files against the checksum in the name of the record. Nothing is
//! recorded of a package with findings that the gate reports, so that these are always found again.

use serde::{Deserialize, Serialize};

use super::NOTED;
use skillpm_core::package::{Checksum, Tree};
use skillpm_core::report::{FileFinding, Severity};
use skillpm_lint::rules;
use skillpm_registry::store::Store;

/// The result of an audit without findings of high severity.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AuditVerdict {
    /// The rules that it is of.
    rules: String,
    /// The install name, which rules read as well.
    name: String,
    /// The worst severity found; `None` without findings.
    pub(super) worst: Option<Severity>,
}

impl AuditVerdict {
    /// The recorded verdict on a tree, if it is of these rules and this name.
    pub(super) fn recall(store: &Store, tree: &Tree, name: &str) -> Option<AuditVerdict> {
        let bytes = store.audit_record(&Checksum::from_tree(tree))?;
        // One that a crash has truncated counts as none.
        let verdict: AuditVerdict = serde_json::from_slice(&bytes).ok()?;
        (verdict.rules == rules_version() && verdict.name == name).then_some(verdict)
    }

    /// Records the findings in a tree, unless the gate reports one of them.
    pub(super) fn record(store: &Store, tree: &Tree, name: &str, findings: &[FileFinding]) {
        let worst = findings
            .iter()
            .filter_map(|one| one.diagnostic.severity)
            .max();
        let is_noted = |one: &FileFinding| NOTED.contains(&one.diagnostic.rule.as_str());
        if worst >= Some(Severity::High) || findings.iter().any(is_noted) {
            return;
        }

        let verdict = AuditVerdict {
            rules: rules_version(),
            name: name.to_owned(),
            worst,
        };
        let text = serde_json::to_vec(&verdict).expect("a verdict is texts");
        // Without the record, the next project audits the package again.
        let _ = store.record_audit(&Checksum::from_tree(tree), &text);
    }
}

/// Identifies the rules of this program.
fn rules_version() -> String {
    format!("{}+{}", env!("CARGO_PKG_VERSION"), rules::DIGEST)
}

//! The checks of a build without the feature `python`: Python files are not parsed, so nothing is found in them.

use crate::{FindingList, LintSubject};

/// Finds nothing.
pub(super) fn check(_: &LintSubject<'_>, _: &mut FindingList) {}

//! Warns of locked packages that the vendor directory lacks.

use std::path::Path;

use crate::vendor::is_outside;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_registry::sources::PackageSources;

/// Warns if some packages of the lockfile are vendored, and others are not.
pub(super) fn warn_not_vendored(
    sources: &PackageSources<'_>,
    root: &Path,
    lockfile: &Lockfile,
    reporter: &dyn EventReporter,
) {
    // Packages inside the project are committed with it, and need no copy.
    let outside = lockfile
        .packages()
        .iter()
        .filter(|locked| is_outside(root, &locked.source));
    let (vendored, others): (Vec<&LockedPackage>, Vec<&LockedPackage>) =
        outside.partition(|locked| sources.vendor_directory(&locked.source).is_some());
    // Without vendored packages there is nothing to keep complete.
    let Some(directory) = vendored
        .first()
        .and_then(|locked| sources.vendor_directory(&locked.source))
    else {
        return;
    };

    if others.is_empty() {
        return;
    }

    let names: Vec<String> = others
        .iter()
        .map(|locked| format!("`{}`", locked.install_name()))
        .collect();
    let is = if names.len() == 1 { "is" } else { "are" };

    reporter.report(ProgressEvent::Warning {
        message: format!(
            "{} {is} not vendored in `{}`",
            names.join(", "),
            directory.display_path
        ),
        help: Some("run `skillpm vendor` to update the directory".into()),
    });
}

//! What is locked now and does not lie in the directory that stands in for sources.

use std::path::Path;

use crate::lockfile::{Locked, Lockfile};
use crate::ops::vendor::lies_outside;
use crate::report::{Event, Reporter};
use crate::sources::Sources;

/// Says so where some packages of a project are kept in it, and others of its lockfile are not.
pub(super) fn tell(sources: &Sources<'_>, root: &Path, lockfile: &Lockfile, reporter: &dyn Reporter) {
    let outside = lockfile.packages().iter().filter(|locked| lies_outside(root, &locked.source));
    let (kept, others): (Vec<&Locked>, Vec<&Locked>) =
        outside.partition(|locked| sources.vendored(&locked.source).is_some());
    let Some(directory) = kept.first().and_then(|locked| sources.vendored(&locked.source)) else { return };
    if others.is_empty() {
        return;
    }
    let names: Vec<String> = others.iter().map(|locked| format!("`{}`", locked.install_name())).collect();
    let (is, it) = if names.len() == 1 { ("is", "it") } else { ("are", "them") };
    reporter.report(Event::Warning {
        message: format!("{} {is} not kept in `{}`, as others are", names.join(", "), directory.shown),
        help: Some(format!("`skillpm vendor` brings {it} there")),
    });
}

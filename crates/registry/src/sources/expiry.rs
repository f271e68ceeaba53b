//! Indexes whose time is over: whoever keeps one can say until when its state is to be believed, so that nobody who serves
//! an old one, a mirror or a cache, can hide for ever what came after it.
//!
//! Past that time nothing is chosen from it. What is locked was chosen before, and needs no choice.

use std::sync::PoisonError;

use jiff::Timestamp;

use super::Sources;
use super::release_age::spelled;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::report::Event;

/// Refuses to choose from an index past the time that it names, unless a person says so. With the network off nothing
/// newer can be had, so that it is only told.
///
/// # Errors
/// [`Integrity`](crate::error::Kind::Integrity) if its time is over.
pub(super) fn hold(sources: &Sources<'_>, index: &Index<'_>) -> Result<()> {
    match index.config().expires {
        Some(until) if is_over(sources, index, until) && !sources.tools.offline => Err(over(sources, index, until)),
        _ => {
            tell(sources, index);
            Ok(())
        }
    }
}

/// Warns once that an index's time is over.
pub(super) fn tell(sources: &Sources<'_>, index: &Index<'_>) {
    let Some(until) = index.config().expires.filter(|until| is_over(sources, index, *until)) else { return };
    let mut told = sources.told_expired.lock().unwrap_or_else(PoisonError::into_inner);
    if told.insert(index.url().to_owned()) {
        let message = format!("{}; newer versions may be missing", sentence(sources, index, until));
        let help = Some(format!("this machine's clock says {}; ask again without `--offline`", sources.tools.now));
        sources.reporter.report(Event::Warning { message, help: help.filter(|_| sources.tools.offline) });
    }
}

fn is_over(sources: &Sources<'_>, index: &Index<'_>, until: Timestamp) -> bool {
    sources.tools.now > until && !sources.tools.expired.contains(index.url())
}

fn over(sources: &Sources<'_>, index: &Index<'_>, until: Timestamp) -> Error {
    Error::integrity(sentence(sources, index, until))
        .note(format!("this machine's clock says {}", sources.tools.now))
        .note("a mirror or a cache may serve an old state of it, or nobody has renewed it")
        .help("nothing was chosen from it, and what is locked still installs; whoever keeps it runs `skillpm registry renew`")
        .help(format!(
            "if you want it as it is, run it again with `--config registry.accept-expired={}`",
            index.url()
        ))
}

fn sentence(sources: &Sources<'_>, index: &Index<'_>, until: Timestamp) -> String {
    let ago = spelled(sources.tools.now.duration_since(until));
    format!("index `{}` was to be believed until {until}, {ago} ago", index.url())
}

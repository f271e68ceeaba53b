//! Expired indexes: the owner of an index can set a time until which its state is valid, so that a mirror or a cache that
//! serves an old one cannot hide newer versions and revocations for ever (a freeze attack).
//!
//! After that time no version is chosen from it. Locked versions were chosen before, and still install.

use std::sync::PoisonError;

use jiff::Timestamp;

use super::PackageSources;
use super::release_age::format_duration;
use crate::index::Index;
use skillpm_core::error::{Error, Result};
use skillpm_core::report::ProgressEvent;

/// Refuses to choose versions from an expired index, unless settings allow it. Offline it only warns, since no newer state
/// can be fetched.
///
/// # Errors
/// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if the index expired.
pub(super) fn check_not_expired(sources: &PackageSources<'_>, index: &Index<'_>) -> Result<()> {
    match index.config().expires {
        // Offline no newer state can be fetched, so an expired index is only a warning.
        Some(until) if is_expired(sources, index, until) && !sources.tools.offline => {
            Err(expired_error(sources, index, until))
        }
        _ => {
            warn_if_expired(sources, index);
            Ok(())
        }
    }
}

/// Warns once that an index expired.
pub(super) fn warn_if_expired(sources: &PackageSources<'_>, index: &Index<'_>) {
    let Some(until) = index
        .config()
        .expires
        .filter(|until| is_expired(sources, index, *until))
    else {
        return;
    };

    let mut warned = sources
        .warned_expired
        .lock()
        .unwrap_or_else(PoisonError::into_inner);

    // Once per command and index.
    if warned.insert(index.url().to_owned()) {
        let message = format!(
            "{}; newer versions may be missing",
            expired_message(sources, index, until)
        );
        let help = Some(format!(
            "this machine's clock says {}; run the command again without `--offline`",
            sources.tools.now
        ));
        sources.reporter.report(ProgressEvent::Warning {
            message,
            help: help.filter(|_| sources.tools.offline),
        });
    }
}

fn is_expired(sources: &PackageSources<'_>, index: &Index<'_>, until: Timestamp) -> bool {
    sources.tools.now > until && !sources.tools.accept_expired.contains(index.url())
}

fn expired_error(sources: &PackageSources<'_>, index: &Index<'_>, until: Timestamp) -> Error {
    Error::integrity(expired_message(sources, index, until))
        .note(format!("this machine's clock says {}", sources.tools.now))
        .note("a mirror or a cache may serve an old state of it, or its owner has not renewed it")
        .help("locked versions still install; the owner of the index can run `skillpm registry renew`")
        .help(format!(
            "to use it all the same, pass `--config registry.accept-expired={}`",
            index.url()
        ))
}

fn expired_message(sources: &PackageSources<'_>, index: &Index<'_>, until: Timestamp) -> String {
    let ago = format_duration(sources.tools.now.duration_since(until));
    format!("index `{}` expired at {until}, {ago} ago", index.url())
}

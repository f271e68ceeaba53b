//! Ages and dates, as people write them in settings and on the command line.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};

/// An age as people write it: `24h`, `7 days`, `2 weeks`, `0` for none; days have 24 hours. `None` if it is none.
#[must_use]
pub fn age(text: &str) -> Option<SignedDuration> {
    if text.trim() == "0" {
        return Some(SignedDuration::ZERO);
    }
    let span: Span = text.trim().parse().ok()?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    (!duration.is_negative()).then_some(duration)
}

/// The instant before which something must have been published, by RFC 3339, or by the last day on which it may have
/// been, in UTC. `None` if it is neither.
#[must_use]
pub fn instant(text: &str) -> Option<Timestamp> {
    // A date alone: `Date` would read the one in front of a time as well.
    match text.trim().parse::<Date>() {
        Ok(date) if !text.contains(':') => Some(date.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp()),
        _ => text.trim().parse().ok(),
    }
}

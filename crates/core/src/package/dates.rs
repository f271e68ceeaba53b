//! Ages and dates in settings and on the command line.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};

/// Parses an age: `24h`, `7 days`, `2 weeks`, `0` for none; a day has 24 hours. `None` if invalid or negative.
#[must_use]
pub fn parse_age(text: &str) -> Option<SignedDuration> {
    if text.trim() == "0" {
        return Some(SignedDuration::ZERO);
    }

    let span: Span = text.trim().parse().ok()?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    (!duration.is_negative()).then_some(duration)
}

/// Parses the instant before which a version must have been published: an RFC 3339 timestamp, or the last allowed day in
/// UTC. `None` if it is neither.
#[must_use]
pub fn parse_cutoff(text: &str) -> Option<Timestamp> {
    // A date alone, since `Date` would also parse the date of a timestamp.
    match text.trim().parse::<Date>() {
        Ok(date) if !text.contains(':') => Some(
            date.tomorrow()
                .ok()?
                .to_zoned(TimeZone::UTC)
                .ok()?
                .timestamp(),
        ),
        _ => text.trim().parse().ok(),
    }
}

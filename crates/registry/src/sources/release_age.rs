//! Exclusion of versions that were published too recently.
//!
//! The publication time is that in the index. A version without one is too new wherever there is a limit: else anyone who
//! can omit the time could bypass it.

use jiff::{SignedDuration, Timestamp};

pub use skillpm_core::package::{parse_age, parse_cutoff};

/// The limits of a command, and the present time.
#[derive(Debug, Clone)]
pub struct ReleaseAge {
    /// The present time.
    pub now: Timestamp,
    /// The minimum age of a version.
    pub minimum: Option<ReleaseLimit<SignedDuration>>,
    /// The instant before which a version must have been published.
    pub before: Option<ReleaseLimit<Timestamp>>,
}

/// A limit, with its text and origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseLimit<T> {
    /// The parsed value.
    pub value: T,
    /// The text as it was written.
    pub written: String,
    /// Where it was set, for messages: `skillpm.toml`, `the command line`.
    pub origin: String,
}

impl ReleaseAge {
    /// Creates an age without limits.
    #[must_use]
    pub fn none(now: Timestamp) -> Self {
        ReleaseAge {
            now,
            minimum: None,
            before: None,
        }
    }

    /// Why a version with this publication time is excluded; `None` if it is not.
    ///
    /// The reason finishes the sentence "`pdf 2.0.0` …".
    #[must_use]
    pub fn exclusion_reason(&self, published: Option<Timestamp>) -> Option<String> {
        let mut limits = Vec::new();
        if let Some(ReleaseLimit { value, origin, .. }) = &self.minimum {
            let age = format_duration(*value);
            limits.push((
                self.now - *value,
                format!("`min-release-age` ({origin}) is {age}"),
            ));
        }
        if let Some(limit) = &self.before {
            let (origin, written) = (&limit.origin, &limit.written);
            limits.push((
                limit.value,
                format!("`exclude-newer` ({origin}) is {written}"),
            ));
        }

        // Of two limits the stricter one.
        let (newest, rule) = limits.into_iter().min()?;
        match published {
            // Without a publication time any limit applies: to omit it must not help.
            None => Some(format!("has no publication time, and {rule}")),
            Some(at) if at < newest => None,
            Some(at) => Some(format!(
                "was published {}, and {rule}",
                self.describe_instant(at)
            )),
        }
    }

    /// Describes an instant relative to now.
    fn describe_instant(&self, at: Timestamp) -> String {
        let age = self.now.duration_since(at);
        if age.is_negative() {
            format!("at {at}, which is in the future")
        } else {
            format!("{} ago", format_duration(age))
        }
    }
}

/// A duration in its largest whole unit: minutes, hours, or days from two on.
#[must_use]
pub fn format_duration(duration: SignedDuration) -> String {
    let (count, unit) = match duration.as_secs() {
        seconds if seconds < 60 => return "less than a minute".to_owned(),
        seconds if seconds < 60 * 60 => (seconds / 60, "minute"),
        seconds if seconds < 48 * 60 * 60 => (seconds / (60 * 60), "hour"),
        seconds => (seconds / (24 * 60 * 60), "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn limits(hours: Option<i64>, before: Option<&str>) -> ReleaseAge {
        ReleaseAge {
            now: at("2026-11-22T12:00:00Z"),
            minimum: hours.map(|hours| ReleaseLimit {
                value: SignedDuration::from_hours(hours),
                written: String::new(),
                origin: "skillpm.toml".into(),
            }),
            before: before.map(|before| ReleaseLimit {
                value: at(before),
                written: before.into(),
                origin: "it".into(),
            }),
        }
    }

    #[test]
    fn the_reason_has_the_age_and_the_limit() {
        assert_eq!(
            limits(Some(24), None)
                .exclusion_reason(Some(at("2026-11-22T09:00:00Z")))
                .unwrap(),
            "was published 3 hours ago, and `min-release-age` (skillpm.toml) is 24 hours"
        );
        assert_eq!(
            limits(Some(24), None).exclusion_reason(Some(at("2026-11-21T11:00:00Z"))),
            None
        );
        assert_eq!(
            limits(Some(24 * 7), None).exclusion_reason(None).unwrap(),
            "has no publication time, and `min-release-age` (skillpm.toml) is 7 days"
        );
        assert_eq!(limits(None, None).exclusion_reason(None), None);
    }

    #[test]
    fn ages_and_dates_are_parsed_in_their_usual_forms() {
        let hours = |text: &str| parse_age(text).map(|age| age.as_hours());
        assert_eq!(
            [hours("24h"), hours("7 days"), hours("2 weeks"), hours("0")],
            [24, 168, 336, 0].map(Some)
        );
        assert_eq!(
            [hours("soon"), hours("-1h"), hours("24"), hours("1 month")],
            [None; 4]
        );
        assert_eq!(
            parse_cutoff("2026-11-01").unwrap(),
            at("2026-11-02T00:00:00Z"),
            "that day is included"
        );
        assert_eq!(
            parse_cutoff("2026-11-01T12:00:00+01:00").unwrap(),
            at("2026-11-01T11:00:00Z")
        );
        assert_eq!(
            [parse_cutoff("yesterday"), parse_cutoff("2026-11-01T12:00")],
            [None; 2]
        );
    }

    #[test]
    fn the_reason_has_the_stricter_of_two_limits() {
        let both = limits(Some(24), Some("2026-11-01T00:00:00Z"));
        assert_eq!(
            both.exclusion_reason(Some(at("2026-11-02T00:00:00Z")))
                .unwrap(),
            "was published 20 days ago, and `exclude-newer` (it) is 2026-11-01T00:00:00Z"
        );
        assert!(
            both.exclusion_reason(Some(at("2026-11-01T00:00:00Z")))
                .is_some(),
            "the instant itself is too late"
        );
        assert_eq!(
            both.exclusion_reason(Some(at("2026-10-31T23:59:59Z"))),
            None
        );
    }
}

//! What may not be chosen yet: versions that were published too lately.
//!
//! Judged by what an index says of the time of publishing. A version whose index says nothing is too new wherever there
//! is a limit: whoever could leave the time away would else be free of it.

use jiff::{SignedDuration, Timestamp};

pub use crate::package::{age, instant};

/// The limits that hold for a command, and the time it is now.
#[derive(Debug, Clone)]
pub struct ReleaseAge {
    /// Now.
    pub now: Timestamp,
    /// How old a version must be.
    pub minimum: Option<Limit<SignedDuration>>,
    /// The instant before which it must have been published.
    pub before: Option<Limit<Timestamp>>,
}

/// A limit, as it was written and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit<T> {
    /// What it comes to.
    pub value: T,
    /// How it was written.
    pub written: String,
    /// Where it was set, for messages: `skillpm.toml`, `the command line`.
    pub origin: String,
}

impl ReleaseAge {
    /// No limits.
    #[must_use]
    pub fn none(now: Timestamp) -> Self {
        ReleaseAge { now, minimum: None, before: None }
    }

    /// Why a version that was published then may not be chosen yet; `None` if it may.
    ///
    /// The reason finishes the sentence "`pdf 2.0.0` …".
    #[must_use]
    pub fn bars(&self, published: Option<Timestamp>) -> Option<String> {
        let minimum = self.minimum.as_ref().map(|limit| {
            let Limit { value, origin, .. } = limit;
            (self.now - *value, format!("`min-release-age` ({origin}) is {}", spelled(*value)))
        });
        let before = self.before.as_ref().map(|limit| {
            let Limit { value, written, origin } = limit;
            (*value, format!("`exclude-newer` ({origin}) is {written}"))
        });
        let (newest, rule) = [minimum, before].into_iter().flatten().min()?;
        match published {
            None => Some(format!("does not say when it was published, and {rule}")),
            Some(at) if at < newest => None,
            Some(at) => Some(format!("was published {}, and {rule}", self.told(at))),
        }
    }

    /// An instant as seen from now.
    fn told(&self, at: Timestamp) -> String {
        let age = self.now.duration_since(at);
        if age.is_negative() { format!("at {at}, which is yet to come") } else { format!("{} ago", spelled(age)) }
    }
}

/// A duration in its largest whole unit: minutes, hours, or days from two on.
#[must_use]
pub fn spelled(duration: SignedDuration) -> String {
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
            minimum: hours.map(|hours| Limit {
                value: SignedDuration::from_hours(hours),
                written: String::new(),
                origin: "skillpm.toml".into(),
            }),
            before: before.map(|before| Limit { value: at(before), written: before.into(), origin: "it".into() }),
        }
    }

    #[test]
    fn a_version_is_told_with_its_age_and_the_rule() {
        assert_eq!(
            limits(Some(24), None).bars(Some(at("2026-11-22T09:00:00Z"))).unwrap(),
            "was published 3 hours ago, and `min-release-age` (skillpm.toml) is 24 hours"
        );
        assert_eq!(limits(Some(24), None).bars(Some(at("2026-11-21T11:00:00Z"))), None);
        assert_eq!(
            limits(Some(24 * 7), None).bars(None).unwrap(),
            "does not say when it was published, and `min-release-age` (skillpm.toml) is 7 days"
        );
        assert_eq!(limits(None, None).bars(None), None);
    }

    #[test]
    fn ages_and_dates_are_read_as_people_write_them() {
        let hours = |text: &str| age(text).map(|age| age.as_hours());
        assert_eq!([hours("24h"), hours("7 days"), hours("2 weeks"), hours("0")], [24, 168, 336, 0].map(Some));
        assert_eq!([hours("soon"), hours("-1h"), hours("24"), hours("1 month")], [None; 4]);
        assert_eq!(instant("2026-11-01").unwrap(), at("2026-11-02T00:00:00Z"), "that day is within");
        assert_eq!(instant("2026-11-01T12:00:00+01:00").unwrap(), at("2026-11-01T11:00:00Z"));
        assert_eq!([instant("yesterday"), instant("2026-11-01T12:00")], [None; 2]);
    }

    #[test]
    fn the_stricter_of_two_limits_is_told() {
        let both = limits(Some(24), Some("2026-11-01T00:00:00Z"));
        assert_eq!(
            both.bars(Some(at("2026-11-02T00:00:00Z"))).unwrap(),
            "was published 20 days ago, and `exclude-newer` (it) is 2026-11-01T00:00:00Z"
        );
        assert!(both.bars(Some(at("2026-11-01T00:00:00Z"))).is_some(), "the instant itself is too late");
        assert_eq!(both.bars(Some(at("2026-10-31T23:59:59Z"))), None);
    }
}

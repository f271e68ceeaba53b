//! Ranges of versions in OSV's form: ordered events, each of which opens or closes a range.

use std::cmp::Ordering;

use semver::Version;

/// The affected versions: from the first on, up to an end if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AffectedRange {
    /// The first affected version; `None` for the very first.
    pub from: Option<Version>,
    pub to: RangeEnd,
}

/// Where a range ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RangeEnd {
    /// Nowhere yet.
    Unbounded,
    /// Before this one, which is fixed.
    Fixed(Version),
    /// With this one.
    LastAffected(Version),
}

/// One event of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RangeEvent {
    Introduced(Option<Version>),
    Fixed(Version),
    LastAffected(Version),
}

impl AffectedRange {
    pub(super) fn contains(&self, version: &Version) -> bool {
        let is_begun = self
            .from
            .as_ref()
            .is_none_or(|from| compare_versions(from, version).is_le());

        is_begun
            && match &self.to {
                RangeEnd::Unbounded => true,
                RangeEnd::Fixed(fixed) => compare_versions(version, fixed).is_lt(),
                RangeEnd::LastAffected(last) => compare_versions(version, last).is_le(),
            }
    }

    pub(super) fn is_unbounded(&self) -> bool {
        self.from.is_none() && self.to == RangeEnd::Unbounded
    }

    pub(super) fn fixed_version(&self) -> Option<&Version> {
        match &self.to {
            RangeEnd::Fixed(fixed) => Some(fixed),
            _ => None,
        }
    }
}

/// Compares by precedence: build metadata is ignored.
fn compare_versions(one: &Version, other: &Version) -> Ordering {
    // A rebuild of an affected version (`1.2.0+2`) is affected as well.
    one.cmp_precedence(other)
}

/// Builds ranges from events.
///
/// # Errors
/// If an event closes a range that is not open, opens one that is, or there is none.
pub(super) fn ranges_from_events(events: &[RangeEvent]) -> Result<Vec<AffectedRange>, String> {
    let mut ranges: Vec<AffectedRange> = Vec::new();
    let mut is_open = false;

    for event in events {
        let to = match event {
            RangeEvent::Introduced(_) if is_open => {
                return Err("two `introduced` events without an end between them".to_owned());
            }
            RangeEvent::Introduced(from) => {
                ranges.push(AffectedRange {
                    from: from.clone(),
                    to: RangeEnd::Unbounded,
                });
                is_open = true;
                continue;
            }
            RangeEvent::Fixed(version) => RangeEnd::Fixed(version.clone()),
            RangeEvent::LastAffected(version) => RangeEnd::LastAffected(version.clone()),
        };

        // An end without a beginning is an error: taken as an empty range it would affect nothing.
        match ranges.last_mut().filter(|_| is_open) {
            Some(range) => range.to = to,
            None => return Err("an end without an `introduced` event before it".to_owned()),
        }
        is_open = false;
    }

    if ranges.is_empty() {
        Err("missing `introduced` event".to_owned())
    } else {
        Ok(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn events_open_and_close_ranges() {
        let events = [
            RangeEvent::Introduced(None),
            RangeEvent::Fixed(version("1.2.1")),
            RangeEvent::Introduced(Some(version("2.0.0"))),
            RangeEvent::LastAffected(version("2.3.0")),
        ];
        let ranges = ranges_from_events(&events).unwrap();
        let contains = |text: &str| ranges.iter().any(|range| range.contains(&version(text)));
        let all = [
            "0.1.0",
            "1.2.0",
            "1.2.1-rc.1",
            "1.2.1",
            "1.9.9",
            "2.0.0",
            "2.3.0+build",
            "2.3.1",
        ];
        assert_eq!(
            all.map(contains),
            [true, true, true, false, false, true, true, false]
        );
    }

    #[test]
    fn events_without_a_range_are_refused() {
        assert!(ranges_from_events(&[RangeEvent::Fixed(version("1.0.0"))]).is_err());
        assert!(
            ranges_from_events(&[RangeEvent::Introduced(None), RangeEvent::Introduced(None)])
                .is_err()
        );
        assert!(ranges_from_events(&[]).is_err());
    }
}

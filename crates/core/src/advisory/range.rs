//! Ranges of versions as OSV tells them: events in an order, each of which opens or closes.

use std::cmp::Ordering;

use semver::Version;

/// The versions from the first on that are meant, up to an end if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Range {
    /// `None` for the very first.
    pub from: Option<Version>,
    pub to: End,
}

/// Where a range ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// Nowhere yet.
    Open,
    /// Before this one, which is mended.
    Fixed(Version),
    /// With this one.
    Last(Version),
}

/// One event of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Introduced(Option<Version>),
    Fixed(Version),
    LastAffected(Version),
}

impl Range {
    pub(super) fn holds(&self, version: &Version) -> bool {
        let is_begun = self.from.as_ref().is_none_or(|from| before(from, version).is_le());
        is_begun
            && match &self.to {
                End::Open => true,
                End::Fixed(fixed) => before(version, fixed).is_lt(),
                End::Last(last) => before(version, last).is_le(),
            }
    }

    pub(super) fn is_everything(&self) -> bool {
        self.from.is_none() && self.to == End::Open
    }

    pub(super) fn fixed(&self) -> Option<&Version> {
        match &self.to {
            End::Fixed(fixed) => Some(fixed),
            _ => None,
        }
    }
}

/// Build metadata orders nothing.
fn before(one: &Version, other: &Version) -> Ordering {
    one.cmp_precedence(other)
}

/// The ranges that events make.
///
/// # Errors
/// If one closes what was not opened, or opens what is open.
pub(super) fn ranges(events: &[Event]) -> Result<Vec<Range>, String> {
    let mut ranges: Vec<Range> = Vec::new();
    let mut is_open = false;
    for event in events {
        let to = match event {
            Event::Introduced(_) if is_open => return Err("two beginnings follow each other".to_owned()),
            Event::Introduced(from) => {
                ranges.push(Range { from: from.clone(), to: End::Open });
                is_open = true;
                continue;
            }
            Event::Fixed(version) => End::Fixed(version.clone()),
            Event::LastAffected(version) => End::Last(version.clone()),
        };
        match ranges.last_mut().filter(|_| is_open) {
            Some(range) => range.to = to,
            None => return Err("it ends before it begins".to_owned()),
        }
        is_open = false;
    }
    if ranges.is_empty() { Err("it never begins: `introduced` is missing".to_owned()) } else { Ok(ranges) }
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
            Event::Introduced(None),
            Event::Fixed(version("1.2.1")),
            Event::Introduced(Some(version("2.0.0"))),
            Event::LastAffected(version("2.3.0")),
        ];
        let ranges = ranges(&events).unwrap();
        let held = |text: &str| ranges.iter().any(|range| range.holds(&version(text)));
        let all = ["0.1.0", "1.2.0", "1.2.1-rc.1", "1.2.1", "1.9.9", "2.0.0", "2.3.0+build", "2.3.1"];
        assert_eq!(all.map(held), [true, true, true, false, false, true, true, false]);
    }

    #[test]
    fn events_that_make_no_range_are_refused() {
        assert!(ranges(&[Event::Fixed(version("1.0.0"))]).is_err());
        assert!(ranges(&[Event::Introduced(None), Event::Introduced(None)]).is_err());
        assert!(ranges(&[]).is_err());
    }
}

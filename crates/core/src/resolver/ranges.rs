//! Which versions a requirement admits, compared with the intervals that its operators mean.

use proptest::prelude::*;
use semver::{Version, VersionReq};

use super::matching::fits_in_place;
use super::table::{dependency, summary};

type Triple = [u64; 3];

/// An operator and as many parts as are written.
#[derive(Debug, Clone)]
struct Comparator {
    op: &'static str,
    parts: Vec<u64>,
}

impl Comparator {
    fn text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(ToString::to_string).collect();
        format!("{}{}", self.op, parts.join("."))
    }

    /// The first version that it admits, and the first above that it does not.
    fn interval(&self) -> (Triple, Option<Triple>) {
        let part = |at: usize| self.parts.get(at).copied().unwrap_or(0);
        let low = [part(0), part(1), part(2)];
        let last = self.parts.len() - 1;
        let above = Some(raised(low, last));
        match self.op {
            "=" => (low, above),
            ">=" => (low, None),
            ">" => (raised(low, last), None),
            "<" => ([0; 3], Some(low)),
            "<=" => ([0; 3], above),
            "~" => (low, Some(raised(low, last.min(1)))),
            // The first part that is not zero, or the last that is written, may not change.
            _ => (
                low,
                Some(raised(
                    low,
                    self.parts.iter().position(|part| *part > 0).unwrap_or(last),
                )),
            ),
        }
    }

    fn admits(&self, version: Triple) -> bool {
        let (low, high) = self.interval();
        low <= version && high.is_none_or(|high| version < high)
    }
}

/// The least version whose part `at` is one higher.
fn raised(version: Triple, at: usize) -> Triple {
    std::array::from_fn(|part| match part.cmp(&at) {
        std::cmp::Ordering::Less => version[part],
        std::cmp::Ordering::Equal => version[part] + 1,
        std::cmp::Ordering::Greater => 0,
    })
}

fn comparators() -> impl Strategy<Value = Vec<Comparator>> {
    let op = prop::sample::select(vec!["=", ">=", ">", "<", "<=", "~", "^", ""]);
    let one = (op, prop::collection::vec(0..3_u64, 1..=3))
        .prop_map(|(op, parts)| Comparator { op, parts });
    prop::collection::vec(one, 1..=3)
}

proptest! {
    #[test]
    fn requirement_admits_what_all_of_its_intervals_contain(wanted in comparators(), version in prop::array::uniform3(0..4_u64)) {
        let text: Vec<String> = wanted.iter().map(Comparator::text).collect();
        let dependency = dependency(&format!("a {}", text.join("&")));
        let [major, minor, patch] = version;
        let offered = summary(&format!("a {major}.{minor}.{patch}"));
        let expected = wanted.iter().all(|one| one.admits(version));
        prop_assert_eq!(fits_in_place(&dependency, &offered), expected, "{} of {}", dependency.req, Version::new(major, minor, patch));
    }

    #[test]
    fn rewritten_or_reordered_requirement_admits_the_same_versions(wanted in comparators(), version in prop::array::uniform3(0..4_u64)) {
        let of = |texts: Vec<String>| VersionReq::parse(&texts.join(", ")).unwrap();
        let forth = of(wanted.iter().map(Comparator::text).collect());
        let back = of(wanted.iter().rev().map(Comparator::text).collect());
        prop_assert_eq!(&forth.to_string().parse::<VersionReq>().unwrap(), &forth);
        let version = Version::new(version[0], version[1], version[2]);
        prop_assert_eq!(forth.matches(&version), back.matches(&version));
    }

    #[test]
    fn pre_release_needs_a_requirement_that_names_its_version(wanted in comparators(), version in prop::array::uniform3(0..3_u64)) {
        let text: Vec<String> = wanted.iter().map(Comparator::text).collect();
        let req = VersionReq::parse(&text.join(",")).unwrap();
        let [major, minor, patch] = version;
        let pre = Version::parse(&format!("{major}.{minor}.{patch}-rc.1")).unwrap();
        prop_assert!(!req.matches(&pre), "{req} of {pre}");
        let named = VersionReq::parse(&format!(">={pre}")).unwrap();
        prop_assert!(named.matches(&pre) && named.matches(&Version::new(major, minor, patch)));
    }
}

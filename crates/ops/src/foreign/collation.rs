//! The order of JavaScript's `localeCompare` for paths, which the hashes of two tools depend on.
//!
//! It is the [Unicode Collation Algorithm](https://www.unicode.org/reports/tr10/) with the weights
//! of the root locale: first by letters without case, punctuation before digits before letters;
//! then lower case before upper case. Only ASCII is supported, which nearly all paths are.

use std::cmp::Ordering;

/// The characters in their order; the two cases of a letter have the same weight.
const ORDER: &[u8] =
    b" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";

/// Compares two texts like `localeCompare`; `None` if one is not ASCII, or has a control character.
pub(super) fn compare(a: &str, b: &str) -> Option<Ordering> {
    let (first, second) = (collation_weights(a)?, collation_weights(b)?);
    let letters = |weights: &[(usize, bool)]| {
        weights
            .iter()
            .map(|(letter, _)| *letter)
            .collect::<Vec<_>>()
    };
    let cases = |weights: &[(usize, bool)]| {
        weights
            .iter()
            .map(|(_, is_uppercase)| *is_uppercase)
            .collect::<Vec<_>>()
    };

    // Case decides only between texts with the same letters.
    Some(
        letters(&first)
            .cmp(&letters(&second))
            .then_with(|| cases(&first).cmp(&cases(&second))),
    )
}

fn collation_weights(text: &str) -> Option<Vec<(usize, bool)>> {
    let weight = |byte: u8| {
        let at = ORDER
            .iter()
            .position(|known| *known == byte.to_ascii_lowercase())?;
        Some((at, byte.is_ascii_uppercase()))
    };
    text.bytes().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order is that of Node.js 24.
    #[test]
    fn collation_order_matches_that_of_node() {
        let sorted = [
            "a b", "a_b", "a-b", "a.b", "a/a", "a/b", "a/B", "A/c", "ab", "aB", "Ab", "AB", "ab/",
            "ab1", "ab10", "ab2",
        ];
        let mut again = sorted;
        again.reverse();
        again.sort_by(|a, b| compare(a, b).unwrap());
        assert_eq!(again, sorted);
        assert_eq!(compare("references/a.md", "SKILL.md"), Some(Ordering::Less));
        assert_eq!(compare("ä", "b"), None);
    }
}

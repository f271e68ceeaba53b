//! The order in which JavaScript's `localeCompare` puts paths, which decides the hashes of two tools.
//!
//! It is that of the Unicode Collation Algorithm with the root's weights: first by letters, whatever their case, with
//! punctuation before digits before letters; of two that differ in case only, small before large. Here it is told for
//! ASCII, which nearly all paths are.

use std::cmp::Ordering;

/// What can be told apart, the first first; a letter's two cases weigh the same.
const ORDER: &[u8] =
    b" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";

/// Compares two texts as `localeCompare` does; `None` if one of them is not ASCII, or holds a control character.
pub(super) fn compare(a: &str, b: &str) -> Option<Ordering> {
    let (first, second) = (weights(a)?, weights(b)?);
    let letters = |weights: &[(usize, bool)]| weights.iter().map(|(letter, _)| *letter).collect::<Vec<_>>();
    let cases = |weights: &[(usize, bool)]| weights.iter().map(|(_, is_large)| *is_large).collect::<Vec<_>>();
    Some(letters(&first).cmp(&letters(&second)).then_with(|| cases(&first).cmp(&cases(&second))))
}

fn weights(text: &str) -> Option<Vec<(usize, bool)>> {
    let weight = |byte: u8| {
        let at = ORDER.iter().position(|known| *known == byte.to_ascii_lowercase())?;
        Some((at, byte.is_ascii_uppercase()))
    };
    text.bytes().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What node 24 makes of it.
    #[test]
    fn it_is_the_order_of_node() {
        let sorted = [
            "a b", "a_b", "a-b", "a.b", "a/a", "a/b", "a/B", "A/c", "ab", "aB", "Ab", "AB", "ab/", "ab1", "ab10", "ab2",
        ];
        let mut again = sorted;
        again.reverse();
        again.sort_by(|a, b| compare(a, b).unwrap());
        assert_eq!(again, sorted);
        assert_eq!(compare("references/a.md", "SKILL.md"), Some(Ordering::Less));
        assert_eq!(compare("ä", "b"), None);
    }
}

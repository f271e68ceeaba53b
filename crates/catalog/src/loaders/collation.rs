//! The order of JavaScript's `localeCompare` for names.
//!
//! It is the [Unicode Collation Algorithm](https://www.unicode.org/reports/tr10/) with the weights of the root locale:
//! first by letters without case, punctuation before digits before letters; then lower case before upper case. What is
//! not ASCII comes after it, by its code.

use std::cmp::Ordering;

/// The characters in their order.
const ORDER: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/// Compares two names as `localeCompare` does.
pub(super) fn compare_names(a: &str, b: &str) -> Ordering {
    let letters = |text: &str| text.chars().map(letter_weight).collect::<Vec<_>>();
    let cases = |text: &str| text.chars().map(char::is_uppercase).collect::<Vec<_>>();

    // Case decides only between names with the same letters.
    letters(a)
        .cmp(&letters(b))
        .then_with(|| cases(a).cmp(&cases(b)))
        .then_with(|| a.cmp(b))
}

fn letter_weight(c: char) -> u32 {
    let lower = c.to_ascii_lowercase();
    let at = ORDER.chars().position(|known| known == lower);
    at.map_or(u32::from(c) + 1000, |at| {
        u32::try_from(at).expect("the table is short")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order is that of Node.js 24.
    #[test]
    fn order_is_that_of_node() {
        let sorted = [
            "a b", "a_b", "a-b", "a.b", "ab", "aB", "Ab", "AB", "ab1", "ab10", "ab2",
        ];
        let mut again = sorted;
        again.reverse();
        again.sort_by(|a, b| compare_names(a, b));
        assert_eq!(again, sorted);
    }
}

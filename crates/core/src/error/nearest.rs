//! The known name that was probably meant.

use super::Error;

/// The one of `known` that `wanted` is most likely a typo of; `None` if none is near.
///
/// Near means an edit distance of at most a third of the length, rounded up, to the name or to a part between its hyphens,
/// or the beginning of one: `claude`, `claud` and `cluade` suggest `claude-code`.
pub fn nearest_name<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let allowed = wanted.chars().count().div_ceil(3);

    // Ties go to the name that sorts first, so that the hint is the same on each run.
    known
        .into_iter()
        .filter_map(|name| {
            let distance = edit_distance(&wanted, name);
            let part = name
                .split('-')
                .filter_map(|part| part_distance(&wanted, part))
                .min();
            let nearest = part.map_or(distance, |part| part.min(distance));
            (nearest <= allowed).then_some((nearest, distance, name))
        })
        .min()
        .map(|(.., name)| name)
}

/// How far a name is from a part of another, which is never as near as the name itself; `None` if it is not near.
fn part_distance(wanted: &str, part: &str) -> Option<usize> {
    let length = wanted.chars().count();
    if part == wanted || (length >= 3 && part.starts_with(wanted)) {
        return Some(1);
    }
    // Stricter than for a whole name: there are many parts, and short ones are like many words.
    let distance = edit_distance(wanted, part);
    (distance * 3 <= length).then_some(distance.max(1))
}

impl Error {
    /// Suggests the one of `known` that was probably meant; if none is near, has `otherwise` as its help.
    #[must_use]
    pub fn help_nearest<'a>(
        self,
        wanted: &str,
        known: impl IntoIterator<Item = &'a str>,
        otherwise: impl Into<String>,
    ) -> Self {
        match nearest_name(wanted, known) {
            // A name may come from a file that anyone wrote.
            Some(near) => self.help(format!("did you mean `{}`?", near.escape_debug())),
            None => self.help(otherwise),
        }
    }
}

/// The number of characters that must be added, dropped, changed or swapped with their neighbor to turn `a` into `b`.
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());

    // Optimal string alignment: Levenshtein's distance, with swapped neighbors as one edit.
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }

    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["claude-code", "codex", "cursor", "github-copilot"];

    #[test]
    fn a_typo_finds_the_intended_name() {
        for (wanted, meant) in [
            ("cdoex", "codex"),
            ("cusror", "cursor"),
            ("Cursor", "cursor"),
            ("claudecode", "claude-code"),
            ("copilot", "github-copilot"),
            ("claud", "claude-code"),
            ("cluade", "claude-code"),
            ("cop", "github-copilot"),
            ("code", "codex"),
        ] {
            assert_eq!(nearest_name(wanted, KNOWN), Some(meant), "{wanted}");
        }
    }

    #[test]
    fn nothing_is_suggested_for_a_name_unlike_all() {
        assert_eq!(nearest_name("emacs-thing", KNOWN), None);
        assert_eq!(nearest_name("", KNOWN), None);
        assert_eq!(nearest_name("nope", ["writing-release-notes"]), None);
    }

    #[test]
    fn a_swap_counts_as_one() {
        for (a, b, distance) in [
            ("pdf", "pfd", 1),
            ("pdf", "pdf", 0),
            ("pdf", "pdfs", 1),
            ("", "abc", 3),
            ("abcd", "dcba", 3),
        ] {
            assert_eq!(super::edit_distance(a, b), distance, "{a} {b}");
        }
    }
}

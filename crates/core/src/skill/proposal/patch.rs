//! Unified diffs: written exactly, and read leniently, as models write them.
//!
//! A model's diff has the right lines and the wrong numbers. So the numbers are counted again, and a hunk is applied
//! where its lines are found.

use diffy::{DiffOptions, Patch, PatchFormatter};

use crate::error::{Error, Result};

/// The unified diff from `before` to `after` of a file.
#[must_use]
pub fn diff(file: &str, before: &str, after: &str) -> String {
    let mut options = DiffOptions::new();
    options
        .set_original_filename(format!("a/{file}"))
        .set_modified_filename(format!("b/{file}"));

    let patch = options.create_patch(before, after);
    PatchFormatter::new()
        .suppress_blank_empty(false)
        .fmt_patch(&patch)
        .to_string()
}

/// `base` with a unified diff of `file` applied.
///
/// # Errors
/// If it is not a unified diff, is about another file, or does not apply.
pub fn apply(file: &str, base: &str, diff: &str) -> Result<String> {
    let hunks = renumber_hunks(file, diff)?;
    let does_not_apply = || {
        Error::negative("failed to apply the diff: its lines were not found in the file")
            .help("make it from the current file, with some lines around each change")
    };

    match try_apply(base, &hunks)? {
        Some(text) => Ok(text),
        // Written for line feeds, and the file has carriage returns before them.
        None if base.contains("\r\n") && !hunks.contains('\r') => {
            let with_returns: String = hunks
                .lines()
                .map(|line| format!("{line}{}\n", carriage_return_for(line)))
                .collect();
            try_apply(base, &with_returns)?.ok_or_else(does_not_apply)
        }
        None => Err(does_not_apply()),
    }
}

fn carriage_return_for(line: &str) -> &'static str {
    if line.starts_with("@@") || line.starts_with('\\') {
        ""
    } else {
        "\r"
    }
}

/// The text with the hunks applied; `None` if one of them does not apply.
fn try_apply(base: &str, hunks: &str) -> Result<Option<String>> {
    let patch = Patch::from_str(hunks).map_err(|fault| invalid_diff_error(&fault.to_string()))?;
    Ok(diffy::apply(base, &patch).ok())
}

/// The hunks of a diff of `file` alone, with their numbers counted again.
fn renumber_hunks(file: &str, diff: &str) -> Result<String> {
    let mut lines: Vec<&str> = diff.split('\n').collect();
    // An empty line of the file would have a leading space.
    while lines.pop_if(|line| matches!(*line, "" | "\r")).is_some() {}

    let start = lines.iter().position(|line| line.starts_with("@@"));
    let start = start.ok_or_else(|| invalid_diff_error("no line begins with `@@`"))?;
    let (head, mut rest) = lines.split_at(start);
    check_header_paths(file, head)?;

    let mut text = String::new();
    // `added` is how far the new numbers are ahead of the old ones.
    let (mut old_end, mut added) = (1, 0_isize);
    while let Some(hunk) = DiffHunk::take_first(&mut rest) {
        hunk.check(!rest.is_empty())?;

        // The counts are exact now. The start is a hint, and hunks never go backward.
        let (old, new) = (hunk.count([' ', '-']), hunk.count([' ', '+']));
        let from = hunk.numbers.first().map_or(old_end, |&at| at.max(old_end));
        let to = from.saturating_add_signed(added);
        text.push_str(&format!("@@ -{from},{old} +{to},{new} @@\n"));
        hunk.body.iter().for_each(|line| text.extend([line, "\n"]));

        old_end = from + old;
        added += new.cast_signed() - old.cast_signed();
    }

    Ok(text)
}

/// Checks that the lines before the first hunk name no file but `file`.
fn check_header_paths(file: &str, head: &[&str]) -> Result<()> {
    // A proposal is about one file, so a header with another path is refused.
    for named in head
        .iter()
        .filter_map(|line| line.strip_prefix("--- ").or(line.strip_prefix("+++ ")))
    {
        // `diff -u` writes the time of the file after a tab.
        let path = named.split('\t').next().unwrap_or(named).trim();
        if path != "/dev/null" && path.rsplit('/').next() != Some(file) {
            let error = Error::negative(format!(
                "refusing to apply a diff of `{}`: expected `{file}`",
                path.escape_debug()
            ));
            return Err(
                error.help("a proposal can only change a skill's instructions, and no other file")
            );
        }
    }

    Ok(())
}

/// One hunk as it was written.
struct DiffHunk<'l, 'd> {
    /// The numbers of its header, as many as that has.
    numbers: Vec<usize>,
    /// The lines after the header.
    body: &'l [&'d str],
}

impl<'l, 'd> DiffHunk<'l, 'd> {
    /// Takes the hunk at the start of `lines`, which is a header; `None` if there are no lines.
    fn take_first(lines: &mut &'l [&'d str]) -> Option<DiffHunk<'l, 'd>> {
        let (header, after) = lines.split_first()?;
        let length = after.iter().position(|line| line.starts_with("@@"));
        let (body, rest) = after.split_at(length.unwrap_or(after.len()));

        *lines = rest;
        Some(DiffHunk {
            numbers: header_numbers(header),
            body,
        })
    }

    /// The number of lines that begin with one of two marks.
    fn count(&self, marks: [char; 2]) -> usize {
        // Editors strip the space of an empty context line; it counts as a line of both sides.
        self.body
            .iter()
            .filter(|line| line.trim_end_matches('\r').is_empty() || line.starts_with(marks))
            .count()
    }

    /// Checks that its lines are of a diff, and of one file; `is_followed` by another hunk or not.
    fn check(&self, is_followed: bool) -> Result<()> {
        // The header of a second file, as git or `diff -u` writes it.
        if self.body.iter().any(|line| line.starts_with("diff --git "))
            || is_followed && self.ends_in_file_header()
        {
            return Err(invalid_diff_error("it changes more than one file")
                .help("propose one change for each skill"));
        }

        if let Some(line) = self
            .body
            .iter()
            .find(|line| !line.is_empty() && !line.starts_with([' ', '-', '+', '\\', '\r']))
        {
            return Err(invalid_diff_error(&format!(
                "a line begins with none of ` `, `-` and `+`: `{}`",
                line.escape_debug()
            )));
        }

        Ok(())
    }

    /// Whether its last two lines are the header of another file.
    fn ends_in_file_header(&self) -> bool {
        let [.., before, after] = self.body else {
            return false;
        };

        // `--- a` and `+++ b` can be a removed and an added line as well as the header of another
        // file. The counts in the hunk header decide.
        let has_exact_counts = matches!(self.numbers.as_slice(), [_, old, _, new]
            if (*old, *new) == (self.count([' ', '-']), self.count([' ', '+'])));
        before.starts_with("--- ") && after.starts_with("+++ ") && !has_exact_counts
    }
}

/// The numbers of a line `@@ -1,2 +3,4 @@`, as many as it has.
fn header_numbers(header: &str) -> Vec<usize> {
    let ranges = header
        .trim_start_matches("@@")
        .split("@@")
        .next()
        .unwrap_or_default();

    ranges
        .split(['-', ',', ' ', '+'])
        .filter_map(|part| part.parse().ok())
        .collect()
}

fn invalid_diff_error(why: &str) -> Error {
    Error::usage(format!("invalid diff: {why}"))
        .help("write a unified diff, as `diff -u` and `git diff` do")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

    #[test]
    fn a_diff_turns_one_text_into_the_other() {
        for (before, after) in [
            ("a\n", "b\n"),
            ("a", "a\nb"),
            ("a\r\nb\r\n", "a\r\nc\r\n"),
            (BASE, "two\nten\n"),
            ("", "x\n"),
            ("x\n", ""),
        ] {
            let change = diff("SKILL.md", before, after);
            assert_eq!(
                apply("SKILL.md", before, &change).unwrap(),
                after,
                "{change}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn written_diffs_are_read_back(
            before in proptest::collection::vec("(a|b|-- a/x|\\+\\+ b/x|@@ -1|diff --git|\\\\| |)\r?", 0..12),
            after in proptest::collection::vec("(a|b|-- a/x|\\+\\+ b/x|@@ -1|diff --git|\\\\| |)\r?", 0..12),
            ends in ("\n?", "\n?"),
        ) {
            let (before, after) = (before.join("\n") + &ends.0, after.join("\n") + &ends.1);
            proptest::prop_assume!(before != after);
            let change = diff("SKILL.md", &before, &after);
            proptest::prop_assert_eq!(apply("SKILL.md", &before, &change).map_err(|error| error.message().to_owned()), Ok(after), "{}", change);
        }
    }

    #[test]
    fn wrong_line_numbers_in_a_diff_are_corrected() {
        let after = BASE
            .replace("two\n", "2\n")
            .replace("nine\n", "nine\nnine and a half\n");
        for header in [
            "@@ -1,3 +1,3 @@",
            "@@ -90,1 +7 @@ fn",
            "@@",
            "@@ ... @@",
            "@@ -2 +2 @@",
        ] {
            for paths in [
                "",
                "--- a/SKILL.md\n+++ b/SKILL.md\n",
                "diff --git a/x/SKILL.md b/x/SKILL.md\nindex 1..2\n",
            ] {
                let change = format!(
                    "{paths}{header}\n one\n-two\n+2\n three\n{header}\n nine\n+nine and a half\n ten\n\n"
                );
                assert_eq!(apply("SKILL.md", BASE, &change).unwrap(), after, "{change}");
            }
        }
    }

    #[test]
    fn a_file_with_carriage_returns_keeps_them() {
        let base = BASE.replace('\n', "\r\n");
        let change = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
        assert_eq!(
            apply("SKILL.md", &base, change).unwrap(),
            base.replace("two", "2")
        );
    }

    #[test]
    fn a_diff_that_is_invalid_or_does_not_apply_is_refused() {
        for (change, word) in [
            ("@@ -1,2 +1,2 @@\n one\n-zwei\n+2\n", "failed to apply"),
            ("please change two into 2\n", "invalid diff"),
            (
                "--- a/scripts/x.py\n+++ b/scripts/x.py\n@@ -1 +1 @@\n-one\n+1\n",
                "`a/scripts/x.py`",
            ),
            (
                "@@ -1 +1 @@\n-one\n+1\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
                "more than one",
            ),
            (
                "@@ -1 +1 @@\n-one\n+1\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
                "more than one",
            ),
            ("@@ -1 +1 @@\n-one\n+1\nand so on\n", "invalid diff"),
        ] {
            let error = apply("SKILL.md", BASE, change).unwrap_err();
            assert!(error.message().contains(word), "{}", error.message());
        }
    }
}

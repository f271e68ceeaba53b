//! Unified diffs: made exactly, and read as models write them.
//!
//! A model's diff has the right lines and the wrong numbers. So the numbers are counted anew, and a hunk is looked for
//! where its lines are.

use diffy::{DiffOptions, Patch, PatchFormatter};

use crate::error::{Error, Result};

/// The change from `before` to `after` of a file.
#[must_use]
pub fn diff(file: &str, before: &str, after: &str) -> String {
    let mut options = DiffOptions::new();
    options.set_original_filename(format!("a/{file}")).set_modified_filename(format!("b/{file}"));
    let patch = options.create_patch(before, after);
    PatchFormatter::new().suppress_blank_empty(false).fmt_patch(&patch).to_string()
}

/// `base` with a unified diff of `file` applied.
///
/// # Errors
/// If it is no such diff, is about another file, or does not fit.
pub fn apply(file: &str, base: &str, diff: &str) -> Result<String> {
    let hunks = hunks(file, diff)?;
    let unfit = || {
        Error::negative("the diff does not fit the file: its lines are not there as it has them")
            .help("make it from the file as it is now, with some lines around each change")
    };
    match applied(base, &hunks)? {
        Some(text) => Ok(text),
        // Written for line feeds, and the file has carriage returns before them.
        None if base.contains("\r\n") && !hunks.contains('\r') => {
            let with_returns: String = hunks.lines().map(|line| format!("{line}{}\n", carriage_return(line))).collect();
            applied(base, &with_returns)?.ok_or_else(unfit)
        }
        None => Err(unfit()),
    }
}

fn carriage_return(line: &str) -> &'static str {
    if line.starts_with("@@") || line.starts_with('\\') { "" } else { "\r" }
}

/// The text with the hunks applied; `None` if one of them fits nowhere.
fn applied(base: &str, hunks: &str) -> Result<Option<String>> {
    let patch = Patch::from_str(hunks).map_err(|fault| not_a_diff(&fault.to_string()))?;
    Ok(diffy::apply(base, &patch).ok())
}

/// The hunks of a diff of `file` alone, with counted numbers.
fn hunks(file: &str, diff: &str) -> Result<String> {
    let mut lines: Vec<&str> = diff.split('\n').collect();
    // An empty line of the file has its blank.
    while lines.pop_if(|line| matches!(*line, "" | "\r")).is_some() {}
    let start = lines.iter().position(|line| line.starts_with("@@"));
    let start = start.ok_or_else(|| not_a_diff("no line begins with `@@`"))?;
    for named in lines[..start].iter().filter_map(|line| line.strip_prefix("--- ").or(line.strip_prefix("+++ "))) {
        let path = named.split('\t').next().unwrap_or(named).trim();
        if path != "/dev/null" && path.rsplit('/').next() != Some(file) {
            let error = Error::negative(format!("the diff is about `{}`, not `{file}`", path.escape_debug()));
            return Err(error.help("a proposal changes a skill's instructions, and no other file"));
        }
    }
    let mut text = String::new();
    let (mut old_end, mut added) = (1, 0_isize);
    let mut at = start;
    while at < lines.len() {
        let length = lines[at + 1..].iter().position(|line| line.starts_with("@@")).unwrap_or(lines.len() - at - 1);
        let body = &lines[at + 1..=at + length];
        let count = |marks: [char; 2]| {
            body.iter().filter(|line| line.trim_end_matches('\r').is_empty() || line.starts_with(marks)).count()
        };
        let (old, new) = (count([' ', '-']), count([' ', '+']));
        let said = numbers(lines[at]);
        let begins_another = match body {
            [.., before, after] => {
                before.starts_with("--- ") && after.starts_with("+++ ") && at + length + 1 < lines.len()
            }
            _ => false,
        };
        if body.iter().any(|line| line.starts_with("diff --git ")) || begins_another && !counts_are(&said, old, new) {
            return Err(not_a_diff("it changes more than one file").help("propose one change for each skill"));
        }
        if let Some(line) = body.iter().find(|line| !line.is_empty() && !line.starts_with([' ', '-', '+', '\\', '\r']))
        {
            return Err(not_a_diff(&format!("a line begins with none of ` `, `-` and `+`: `{}`", line.escape_debug())));
        }
        let from = said.first().copied().unwrap_or(old_end).max(old_end);
        let to = from.saturating_add_signed(added);
        text.push_str(&format!("@@ -{from},{old} +{to},{new} @@\n"));
        body.iter().for_each(|line| text.extend([line, "\n"]));
        old_end = from + old;
        added += new.cast_signed() - old.cast_signed();
        at += length + 1;
    }
    Ok(text)
}

/// The numbers of a line `@@ -1,2 +3,4 @@`, as many as it has.
fn numbers(header: &str) -> Vec<usize> {
    let ranges = header.trim_start_matches("@@").split("@@").next().unwrap_or_default();
    ranges.split(['-', ',', ' ', '+']).filter_map(|part| part.parse().ok()).collect()
}

fn counts_are(said: &[usize], old: usize, new: usize) -> bool {
    matches!(said, [_, a, _, b] if (*a, *b) == (old, new))
}

fn not_a_diff(why: &str) -> Error {
    Error::usage(format!("the diff cannot be understood: {why}"))
        .help("it is to be a unified diff, as `diff -u` and `git diff` make it")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

    #[test]
    fn a_diff_brings_the_one_text_to_the_other() {
        for (before, after) in [
            ("a\n", "b\n"),
            ("a", "a\nb"),
            ("a\r\nb\r\n", "a\r\nc\r\n"),
            (BASE, "two\nten\n"),
            ("", "x\n"),
            ("x\n", ""),
        ] {
            let change = diff("SKILL.md", before, after);
            assert_eq!(apply("SKILL.md", before, &change).unwrap(), after, "{change}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_diff_of_ours_is_read(
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
    fn the_numbers_of_a_model_do_not_matter() {
        let after = BASE.replace("two\n", "2\n").replace("nine\n", "nine\nnine and a half\n");
        for header in ["@@ -1,3 +1,3 @@", "@@ -90,1 +7 @@ fn", "@@", "@@ ... @@", "@@ -2 +2 @@"] {
            for paths in ["", "--- a/SKILL.md\n+++ b/SKILL.md\n", "diff --git a/x/SKILL.md b/x/SKILL.md\nindex 1..2\n"]
            {
                let change =
                    format!("{paths}{header}\n one\n-two\n+2\n three\n{header}\n nine\n+nine and a half\n ten\n\n");
                assert_eq!(apply("SKILL.md", BASE, &change).unwrap(), after, "{change}");
            }
        }
    }

    #[test]
    fn a_file_with_carriage_returns_keeps_them() {
        let base = BASE.replace('\n', "\r\n");
        let change = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
        assert_eq!(apply("SKILL.md", &base, change).unwrap(), base.replace("two", "2"));
    }

    #[test]
    fn what_does_not_fit_or_is_no_diff_is_refused() {
        for (change, word) in [
            ("@@ -1,2 +1,2 @@\n one\n-zwei\n+2\n", "does not fit"),
            ("please change two into 2\n", "cannot be understood"),
            ("--- a/scripts/x.py\n+++ b/scripts/x.py\n@@ -1 +1 @@\n-one\n+1\n", "`a/scripts/x.py`"),
            ("@@ -1 +1 @@\n-one\n+1\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "more than one"),
            ("@@ -1 +1 @@\n-one\n+1\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "more than one"),
            ("@@ -1 +1 @@\n-one\n+1\nand so on\n", "cannot be understood"),
        ] {
            let error = apply("SKILL.md", BASE, change).unwrap_err();
            assert!(error.message().contains(word), "{}", error.message());
        }
    }
}

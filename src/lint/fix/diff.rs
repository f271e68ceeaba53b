//! What would change, as `git apply` and `patch` take it.
//!
//! ```text
//! diff --git a/pdf/skill.md b/pdf/SKILL.md
//! rename from pdf/skill.md
//! rename to pdf/SKILL.md
//! --- a/pdf/skill.md
//! +++ b/pdf/SKILL.md
//! @@ -1,3 +1,3 @@
//!  ---
//! -name: PDF
//! +name: pdf
//!  description: Fill PDF forms.
//! ```
//!
//! Lines end at `\n` alone, as git counts them: a carriage return is part of its line, and no byte is changed on the
//! way.

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use super::super::join;
use super::Changed;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// The patch that makes these changes to the files below `root`.
#[must_use]
pub fn patch(root: &str, changes: &[Changed]) -> Vec<u8> {
    let root = plain(root);
    let mut patch = Vec::new();
    for change in changes {
        patch.extend_from_slice(header(&root, change).as_bytes());
        if change.before != change.after {
            patch.extend_from_slice(names(&root, change).as_bytes());
            hunks(&change.before, &change.after, &mut patch);
        }
    }
    patch
}

/// A path as git writes it: without `./`.
fn plain(root: &str) -> String {
    let parts = root.split('/').enumerate().filter(|(at, part)| *part != "." && (*at == 0 || !part.is_empty()));
    parts.map(|(_, part)| part).collect::<Vec<_>>().join("/")
}

/// The lines of git before those of a unified diff.
fn header(root: &str, change: &Changed) -> String {
    let to = join(root, &change.to);
    let from = change.from.as_deref().map_or_else(|| to.clone(), |from| join(root, from));
    // `patch` finds the end of a name with a blank in it only by its quotes, which git takes as well.
    let name = if from.contains(' ') || to.contains(' ') { in_quotes } else { quoted };
    let mut header = format!("diff --git {} {}\n", name("a/", &from), name("b/", &to));
    let mode = |executable| if executable { "100755" } else { "100644" };
    let (was, is) = change.executable;
    if change.from.is_none() {
        let _ = writeln!(header, "new file mode {}", mode(is));
    } else if was != is {
        let _ = write!(header, "old mode {}\nnew mode {}\n", mode(was), mode(is));
    }
    if from != to {
        let _ = write!(header, "rename from {}\nrename to {}\n", quoted("", &from), quoted("", &to));
    }
    header
}

/// The two lines with the names.
fn names(root: &str, change: &Changed) -> String {
    // A name with a blank in it ends with a tab, or `patch` would look for a date behind the blank.
    let line = |side: &str, path: &str| {
        let name = quoted(side, &join(root, path));
        let end = if name.contains(' ') && !name.starts_with('"') { "\t" } else { "" };
        format!("{name}{end}")
    };
    let from = change.from.as_deref().map_or_else(|| "/dev/null".to_owned(), |from| line("a/", from));
    format!("--- {from}\n+++ {}\n", line("b/", &change.to))
}

/// A name, in quotes if git would put it in quotes.
fn quoted(side: &str, path: &str) -> String {
    if !path.bytes().any(|byte| byte.is_ascii_control() || matches!(byte, b'"' | b'\\')) {
        return format!("{side}{path}");
    }
    in_quotes(side, path)
}

fn in_quotes(side: &str, path: &str) -> String {
    let mut name = format!("\"{side}");
    for c in path.chars() {
        match c {
            '"' | '\\' => name.extend(['\\', c]),
            '\n' => name.push_str("\\n"),
            '\t' => name.push_str("\\t"),
            c if c.is_ascii_control() => {
                let _ = write!(name, "\\{:03o}", u32::from(c));
            }
            c => name.push(c),
        }
    }
    name.push('"');
    name
}

fn hunks(before: &[u8], after: &[u8], patch: &mut Vec<u8>) {
    let (old, new) = (lines(before), lines(after));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    for group in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let was = range(first.old_range().start, last.old_range().end);
        let is = range(first.new_range().start, last.new_range().end);
        patch.extend_from_slice(format!("@@ -{was} +{is} @@\n").as_bytes());
        group.iter().for_each(|op| hunk(op, &old, &new, patch));
    }
}

fn hunk(op: &DiffOp, old: &[&[u8]], new: &[&[u8]], patch: &mut Vec<u8>) {
    let mut put = |mark: u8, lines: &[&[u8]]| {
        for line in lines {
            patch.push(mark);
            patch.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                patch.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    };
    if op.tag() == DiffTag::Equal {
        return put(b' ', &old[op.old_range()]);
    }
    put(b'-', &old[op.old_range()]);
    put(b'+', &new[op.new_range()]);
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        lines.push(&bytes[start..=end]);
        start = end + 1;
    }
    if start < bytes.len() {
        lines.push(&bytes[start..]);
    }
    lines
}

/// The first line and how many: an empty range is told by the line before it.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(from: &str, to: &str, before: &str, after: &str) -> Changed {
        Changed {
            from: Some(from.into()),
            to: to.into(),
            before: before.into(),
            after: after.into(),
            executable: (false, false),
        }
    }

    fn text(root: &str, change: Changed) -> String {
        String::from_utf8(patch(root, &[change])).unwrap()
    }

    #[test]
    fn a_change_is_shown_with_three_lines_around_it_and_its_line_ends() {
        let before = "1\n2\n3\n4\r\n5\n6\n7\n8\n9";
        assert_eq!(
            text("./a", changed("f", "f", before, &before.replace("4\r\n", "4\n"))),
            "diff --git a/a/f b/a/f\n--- a/a/f\n+++ b/a/f\n@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\r\n+4\n 5\n 6\n 7\n"
        );
    }

    #[test]
    fn a_missing_end_of_the_last_line_is_told() {
        assert_eq!(
            text("", changed("f", "f", "a", "b\n")),
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
        );
    }

    #[test]
    fn names_modes_and_new_files_are_told_as_git_tells_them() {
        let mut change = changed("skill.md", "SKILL.md", "x", "x");
        change.executable = (false, true);
        assert_eq!(
            text("a b", change),
            "diff --git \"a/a b/skill.md\" \"b/a b/SKILL.md\"\nold mode 100644\nnew mode 100755\nrename from a b/skill.md\n\
             rename to a b/SKILL.md\n"
        );
        let new = Changed { from: None, ..changed("", "x\"y", "", "1\n") };
        assert_eq!(
            text("", new),
            "diff --git \"a/x\\\"y\" \"b/x\\\"y\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/x\\\"y\"\n@@ -0,0 +1 @@\n+1\n"
        );
        assert!(text("", changed("x y", "x y", "1\n", "2\n")).contains("\n--- a/x y\t\n+++ b/x y\t\n"));
    }
}

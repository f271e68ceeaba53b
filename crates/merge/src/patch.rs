//! Writes the changes between two packages as a patch that `git apply` and `patch` accept, and applies one (`apply.rs`).
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
//! Lines end at `\n` alone, as for git: a carriage return is part of its line, and every byte is kept.

mod apply;
mod binary;
mod structure;

use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use super::renames;
pub use apply::apply;
use skillpm_core::package::{FileChange, RelPath, Tree, TreeFile};

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// The numbers of added and of removed lines of a file; zero for a binary file.
#[must_use]
pub fn changed_lines(change: &FileChange) -> (usize, usize) {
    // Lines of a binary file mean nothing to a reader.
    if !change.is_text() {
        return (0, 0);
    }

    let ops = capture_diff_slices(
        Algorithm::Myers,
        &split_lines(&change.before),
        &split_lines(&change.after),
    );

    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    changed.fold((0, 0), |(added, removed), op| {
        (added + op.new_range().len(), removed + op.old_range().len())
    })
}

/// The changed files between two packages, sorted by path; a renamed file is one change.
#[must_use]
pub fn diff_trees(before: &Tree, after: &Tree) -> Vec<FileChange> {
    let moved = renames::find_renames(before, after);
    let mut changes = Vec::new();
    for (path, file) in before.files() {
        let to = moved.get(path).copied().unwrap_or(path);
        match after.file(to.as_str()) {
            Some(other) if to == path && other == file => {}
            other => changes.push(file_change(
                Some((path, file)),
                other.map(|other| (to, other)),
            )),
        }
    }

    let is_new = |path: &RelPath| {
        before.file(path.as_str()).is_none() && !moved.values().any(|to| *to == path)
    };

    changes.extend(
        after
            .files()
            .filter(|(path, _)| is_new(path))
            .map(|(path, file)| file_change(None, Some((path, file)))),
    );

    // New files come last above, and a patch must not depend on how the changes were found.
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    changes
}

fn file_change(
    before: Option<(&RelPath, &TreeFile)>,
    after: Option<(&RelPath, &TreeFile)>,
) -> FileChange {
    let bytes = |side: Option<(&RelPath, &TreeFile)>| {
        side.map(|(_, file)| file.bytes.clone()).unwrap_or_default()
    };
    let runs = |side: Option<(&RelPath, &TreeFile)>| side.is_some_and(|(_, file)| file.executable);

    FileChange {
        from: before.map(|(path, _)| path.to_string()),
        to: after.map(|(path, _)| path.to_string()),
        before: bytes(before),
        after: bytes(after),
        executable: (runs(before), runs(after)),
    }
}

/// The patch that makes these changes to the files below `root`. For binary files it only says that they differ.
#[must_use]
pub fn render_patch(root: &str, changes: &[FileChange]) -> Vec<u8> {
    let differs = |change: &FileChange, patch: &mut Vec<u8>| {
        let (from, to) = side_names(&normalize_root(root), change);
        patch.extend_from_slice(format!("Binary files {from} and {to} differ\n").as_bytes());
    };
    render_with(root, changes, FileChange::is_text, differs)
}

/// [`render_patch`] with all files as text, whatever bytes they have.
#[must_use]
pub fn render_text_patch(root: &str, changes: &[FileChange]) -> Vec<u8> {
    render_with(root, changes, |_| true, |_, _| {})
}

/// The patch that makes all of these changes to the files of a package, including binary ones.
///
/// # Panics
/// Never: content that is not UTF-8 is encoded as binary data.
#[must_use]
pub fn render_full_patch(changes: &[FileChange]) -> String {
    let is_readable = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
    // The result is a `String`, so text in another encoding goes into it as binary data.
    let is_text = |change: &FileChange| {
        change.is_text() && is_readable(&change.before) && is_readable(&change.after)
    };

    let patch = render_with("", changes, is_text, binary::write_binary);
    String::from_utf8(patch).expect("content that is not UTF-8 is encoded in base 85")
}

/// The text of a patch file: `title`, the patch of [`render_full_patch`], and a fixed last line, so that a truncated file is
/// detected wherever it was cut.
#[must_use]
pub fn render_patch_file(title: &str, changes: &[FileChange]) -> String {
    // At both ends: a file that was cut in its middle still announces the line that it lost.
    format!(
        "{title}{}\n\n{}{}\n",
        structure::LAST_LINE_NOTICE,
        render_full_patch(changes),
        structure::LAST_LINE
    )
}

/// Renders the changes, with `differs` for those that are not text.
fn render_with(
    root: &str,
    changes: &[FileChange],
    is_text: impl Fn(&FileChange) -> bool,
    differs: impl Fn(&FileChange, &mut Vec<u8>),
) -> Vec<u8> {
    let root = normalize_root(root);
    let mut patch = Vec::new();
    for change in changes {
        patch.extend_from_slice(render_header(&root, change).as_bytes());
        if change.before == change.after {
            // As git does, and so that the truncated header of a file with content is not taken for an empty file.
            if change.from.is_none() || change.to.is_none() {
                binary::write_index(change, &mut patch);
            }
            continue;
        }

        if is_text(change) {
            patch.extend_from_slice(render_names(&root, change).as_bytes());
            write_hunks(&change.before, &change.after, &mut patch);
        } else {
            differs(change, &mut patch);
        }
    }
    patch
}

/// A path without `.` and empty components, as git writes it.
fn normalize_root(root: &str) -> String {
    let parts = root
        .split('/')
        .enumerate()
        .filter(|(at, part)| *part != "." && (*at == 0 || !part.is_empty()));
    parts.map(|(_, part)| part).collect::<Vec<_>>().join("/")
}

/// git's header lines of a file, before those of the unified diff.
fn render_header(root: &str, change: &FileChange) -> String {
    let below = |path: &str| join(root, path);
    let to = below(change.path());
    let from = change.from.as_deref().map_or_else(|| to.clone(), below);

    // `patch` finds the end of a name with a space only by its quotes, which git accepts as well.
    let name = if from.contains(' ') || to.contains(' ') {
        quote
    } else {
        quote_if_needed
    };

    let mut header = format!("diff --git {} {}\n", name("a/", &from), name("b/", &to));
    let mode = |executable| if executable { "100755" } else { "100644" };
    let (was, is) = change.executable;

    if change.from.is_none() {
        let _ = writeln!(header, "new file mode {}", mode(is));
    } else if change.to.is_none() {
        let _ = writeln!(header, "deleted file mode {}", mode(was));
    } else if was != is {
        let _ = write!(header, "old mode {}\nnew mode {}\n", mode(was), mode(is));
    }

    if from != to {
        // For a file that was renamed and changed, the hunks follow.
        if change.before == change.after {
            header.push_str("similarity index 100%\n");
        }
        let _ = write!(
            header,
            "rename from {}\nrename to {}\n",
            quote_if_needed("", &from),
            quote_if_needed("", &to)
        );
    }

    header
}

/// The `---` and `+++` lines.
fn render_names(root: &str, change: &FileChange) -> String {
    let (from, to) = side_names(root, change);
    format!("--- {from}{}\n+++ {to}{}\n", name_end(&from), name_end(&to))
}

/// What is written after a name: a tab if it has a space, or `patch` would look for a date after the space.
fn name_end(name: &str) -> &'static str {
    if name.contains(' ') && !name.starts_with('"') {
        "\t"
    } else {
        ""
    }
}

fn side_names(root: &str, change: &FileChange) -> (String, String) {
    (
        side_name("a/", root, change.from.as_deref()),
        side_name("b/", root, change.to.as_deref()),
    )
}

fn side_name(side: &str, root: &str, path: Option<&str>) -> String {
    match path {
        Some(path) => quote_if_needed(side, &join(root, path)),
        None => "/dev/null".to_owned(),
    }
}

/// A path below another, which may be empty.
fn join(root: &str, path: &str) -> String {
    if root.is_empty() {
        path.to_owned()
    } else {
        format!("{root}/{path}")
    }
}

/// A name, quoted if git would quote it.
fn quote_if_needed(side: &str, path: &str) -> String {
    if !path
        .bytes()
        .any(|byte| byte.is_ascii_control() || matches!(byte, b'"' | b'\\'))
    {
        return format!("{side}{path}");
    }
    quote(side, path)
}

fn quote(side: &str, path: &str) -> String {
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

fn write_hunks(before: &[u8], after: &[u8], patch: &mut Vec<u8>) {
    let (old, new) = (split_lines(before), split_lines(after));
    // As git's default, so that the hunks are those that people know.
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    for group in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };

        let was = format_range(first.old_range().start, last.old_range().end);
        let is = format_range(first.new_range().start, last.new_range().end);
        patch.extend_from_slice(format!("@@ -{was} +{is} @@\n").as_bytes());
        group
            .iter()
            .for_each(|op| write_hunk(op, &old, &new, patch));
    }
}

fn write_hunk(op: &DiffOp, old: &[&[u8]], new: &[&[u8]], patch: &mut Vec<u8>) {
    if op.tag() == DiffTag::Equal {
        return write_lines(b' ', &old[op.old_range()], patch);
    }
    write_lines(b'-', &old[op.old_range()], patch);
    write_lines(b'+', &new[op.new_range()], patch);
}

/// Writes lines with a mark before each.
fn write_lines(mark: u8, lines: &[&[u8]], patch: &mut Vec<u8>) {
    for line in lines {
        patch.push(mark);
        patch.extend_from_slice(line);
        // Without this line `git apply` would add a line end.
        if !line.ends_with(b"\n") {
            patch.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// A range as first line and count; an empty range names the line before it.
fn format_range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn changed(from: &str, to: &str, before: &str, after: &str) -> FileChange {
        FileChange {
            from: Some(from.into()),
            to: Some(to.into()),
            before: before.into(),
            after: after.into(),
            executable: (false, false),
        }
    }

    fn text(root: &str, change: FileChange) -> String {
        String::from_utf8(render_patch(root, &[change])).unwrap()
    }

    #[test]
    fn a_change_is_shown_with_three_lines_around_it_and_its_line_ends() {
        let before = "1\n2\n3\n4\r\n5\n6\n7\n8\n9";
        assert_eq!(
            text(
                "./a",
                changed("f", "f", before, &before.replace("4\r\n", "4\n"))
            ),
            "diff --git a/a/f b/a/f\n--- a/a/f\n+++ b/a/f\n@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\r\n+4\n 5\n 6\n 7\n"
        );
    }

    #[test]
    fn a_missing_end_of_the_last_line_is_marked() {
        assert_eq!(
            text("", changed("f", "f", "a", "b\n")),
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
        );
    }

    #[test]
    fn names_modes_and_new_files_are_written_as_by_git() {
        let mut change = changed("skill.md", "SKILL.md", "x", "x");
        change.executable = (false, true);
        assert_eq!(
            text("a b", change),
            "diff --git \"a/a b/skill.md\" \"b/a b/SKILL.md\"\nold mode 100644\nnew mode 100755\n\
             similarity index 100%\nrename from a b/skill.md\nrename to a b/SKILL.md\n"
        );
        let new = FileChange {
            from: None,
            ..changed("", "x\"y", "", "1\n")
        };
        assert_eq!(
            text("", new),
            "diff --git \"a/x\\\"y\" \"b/x\\\"y\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/x\\\"y\"\n@@ -0,0 +1 @@\n+1\n"
        );
        assert!(
            text("", changed("x y", "x y", "1\n", "2\n")).contains("\n--- a/x y\t\n+++ b/x y\t\n")
        );
    }

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::builder();
        for (path, text) in files {
            let (path, executable) = path
                .strip_prefix('+')
                .map_or((*path, false), |path| (path, true));
            tree.add(path, text.as_bytes().to_vec(), executable)
                .unwrap();
        }
        tree.finish()
    }

    #[test]
    fn patch_of_two_packages_applies_to_the_first() {
        let long = "a line\n".repeat(30);
        let before = tree(&[
            ("SKILL.md", "1\n2\n3\n"),
            ("a b/x.md", &long),
            ("gone.md", "x"),
            ("run.sh", "r\n"),
        ]);
        let after = tree(&[
            ("SKILL.md", "1\ntwo\n3"),
            ("docs/é y.md", &format!("{long}end\n")),
            ("new.md", "n\r\n"),
            ("+run.sh", "r\n"),
        ]);
        let patched = render_patch("", &diff_trees(&before, &after));
        assert_eq!(
            apply(&before, &patched).unwrap(),
            after,
            "{}",
            String::from_utf8_lossy(&patched)
        );
        assert_eq!(diff_trees(&before, &before), []);
        assert!(
            apply(&after, &patched)
                .unwrap_err()
                .message()
                .starts_with("failed to apply patch to")
        );
    }

    #[test]
    fn a_full_patch_includes_binary_files() {
        let noise: Vec<u8> = (0..1_000_u32)
            .map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[1])
            .collect();
        let tree = |files: &[(&str, &[u8])]| {
            let mut tree = Tree::builder();
            files
                .iter()
                .for_each(|(path, bytes)| tree.add(path, bytes.to_vec(), false).unwrap());
            tree.finish()
        };
        let before = tree(&[
            ("a.png", b"\0a"),
            ("gone.bin", &noise),
            ("latin.md", b"\xe9\n"),
            ("x.md", b"1\n"),
        ]);
        let after = tree(&[
            ("a.png", &noise),
            ("latin.md", b"\xe8\n"),
            ("new.bin", b"\0"),
            ("none.bin", b""),
            ("x.md", b"2"),
        ]);
        let whole = render_full_patch(&diff_trees(&before, &after));
        assert_eq!(apply(&before, whole.as_bytes()).unwrap(), after, "{whole}");
        assert!(
            whole.contains("100644\nGIT binary patch\nliteral 1000\n"),
            "{whole}"
        );
        let back = render_full_patch(&diff_trees(&after, &before));
        assert_eq!(apply(&after, back.as_bytes()).unwrap(), before);
    }

    #[test]
    fn patch_that_does_not_apply_reports_its_reason() {
        let (before, after) = (tree(&[("a.png", "\0a")]), tree(&[("a.png", "\0b")]));
        let patch = render_patch("", &diff_trees(&before, &after));
        assert_eq!(
            String::from_utf8(patch.clone()).unwrap(),
            "diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n"
        );
        assert!(
            apply(&before, &patch)
                .unwrap_err()
                .message()
                .contains("no binary data")
        );
        let climbing = b"diff --git a/../x b/../x\n--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n";
        assert!(apply(&before, climbing).is_err());
    }

    #[test]
    fn a_plain_diff_is_accepted() {
        let patched = apply(
            &tree(&[("a.md", "1\n")]),
            b"--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-1\n+2\n",
        )
        .unwrap();
        assert_eq!(patched, tree(&[("a.md", "2\n")]));
    }

    /// Two packages that differ in every way a patch can say, and the patch file between them.
    fn every_kind() -> (Tree, Tree, String) {
        let noise: Vec<u8> = (0..300_u32)
            .map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[1])
            .collect();
        let other: Vec<u8> = noise
            .iter()
            .step_by(2)
            .map(|byte| byte.wrapping_mul(37))
            .collect();
        let tree = |files: &[(&str, &[u8], bool)]| {
            let mut tree = Tree::builder();
            files
                .iter()
                .for_each(|(path, bytes, runs)| tree.add(path, bytes.to_vec(), *runs).unwrap());
            tree.finish()
        };
        let lines: String = (1..=30).map(|line| format!("{line}\n")).collect();
        let twice = lines
            .replace("3\n4\n", "3\nfour\n")
            .replace("27\n", "27.\n");
        let before = tree(&[
            ("SKILL.md", lines.as_bytes(), false),
            ("a/moved.md", lines.as_bytes(), false),
            ("b.bin", b"\0a", false),
            ("gone.bin", &noise, false),
            ("run.sh", b"r\n", false),
        ]);
        let after = tree(&[
            ("SKILL.md", twice.as_bytes(), false),
            ("b.bin", &noise, false),
            ("empty", b"", false),
            ("m/moved.md", lines.as_bytes(), false),
            ("new.bin", &other, true),
            ("open.md", b"no end", false),
            ("run.sh", b"r\n", true),
        ]);
        let text = render_patch_file("Edits of `x`.\n", &diff_trees(&before, &after));
        (before, after, text)
    }

    #[test]
    fn a_patch_file_that_was_cut_anywhere_is_refused() {
        let (before, after, text) = every_kind();
        assert_eq!(apply(&before, text.as_bytes()).unwrap(), after, "{text}");
        for length in 0..text.len() {
            let error = apply(&before, &text.as_bytes()[..length]).expect_err(&text[..length]);
            // A patch cut before the first file has no line to name.
            let is_located = error.message().contains("line ") || length < 100;
            assert!(is_located, "{length}: {}", error.message());
        }
    }

    #[test]
    fn a_truncated_patch_of_git_is_refused_except_between_two_files() {
        let (before, after, text) = every_kind();
        let start = text.find("diff --git").unwrap();
        let foreign = text[start..].strip_suffix("# end of patch\n").unwrap();
        assert_eq!(apply(&before, foreign.as_bytes()).unwrap(), after);
        for length in 1..foreign.len() {
            let (cut, rest) = foreign.split_at(length);
            // Without an `index` line, which git writes for texts, a missing last hunk or marker cannot be detected.
            let is_between = rest.starts_with("diff --git ");
            let is_in_text = ["\\ No newline", "@@ -"]
                .iter()
                .any(|start| rest.starts_with(start));
            let is_whole = is_between
                || is_in_text
                    && !cut
                        .lines()
                        .last()
                        .is_some_and(|line| line.starts_with("+++ "));
            assert_eq!(apply(&before, cut.as_bytes()).is_ok(), is_whole, "{cut}");
        }
    }

    #[test]
    fn an_index_line_reveals_a_missing_hunk() {
        let lines: String = (1..=30).map(|line| format!("{line}\n")).collect();
        let changed_lines = lines.replace("3\n4\n", "3\nfour\n").replace("27\n", "27.");
        let (before, after) = (tree(&[("a.md", &lines)]), tree(&[("a.md", &changed_lines)]));
        let text = String::from_utf8(render_patch("", &diff_trees(&before, &after))).unwrap();
        let blob = |text: &str| binary::blob_id(text.as_bytes())[..7].to_owned();
        let index = format!(
            "index {}..{} 100644\n--- a/",
            blob(&lines),
            blob(&changed_lines)
        );
        let text = text.replacen("--- a/", &index, 1);
        assert_eq!(apply(&before, text.as_bytes()).unwrap(), after);
        for length in 1..text.len() {
            assert!(
                apply(&before, &text.as_bytes()[..length]).is_err(),
                "{}",
                &text[..length]
            );
        }
        // Where upstream has other content, the line does not apply to the result.
        let moved = tree(&[("a.md", &format!("0\n{lines}"))]);
        assert_eq!(
            apply(&moved, text.as_bytes()).unwrap(),
            tree(&[("a.md", &format!("0\n{changed_lines}"))])
        );
    }

    #[test]
    fn damaged_binary_data_is_refused_or_changes_nothing() {
        let (before, after, text) = every_kind();
        let binary: Vec<std::ops::Range<usize>> = text
            .match_indices("diff --git ")
            .map(|(start, _)| {
                start
                    ..text[start + 1..]
                        .find("diff --git ")
                        .map_or(text.len(), |end| start + 1 + end)
            })
            .filter(|part| text[part.clone()].contains("GIT binary patch"))
            .collect();
        assert_eq!(binary.len(), 3);
        for at in binary.into_iter().flatten() {
            for mask in [0x01, 0x02, 0x20, 0x80] {
                let mut damaged = text.clone().into_bytes();
                damaged[at] ^= mask;
                if let Ok(made) = apply(&before, &damaged) {
                    assert_eq!(
                        made,
                        after,
                        "byte {at} ^ {mask}: {}",
                        String::from_utf8_lossy(&damaged[..=at])
                    );
                }
            }
        }
    }

    #[test]
    fn mails_and_comments_of_other_tools_are_accepted() {
        let (before, after) = (tree(&[("a.md", "1\n")]), tree(&[("a.md", "2\n")]));
        let hunk = "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-1\n+2\n";
        for (lead, tail) in [
            (
                "From 1f0c Mon Sep 17 00:00:00 2001\nSubject: x\n\n---\n a.md | 2 +-\n\ndiff --git a/a.md b/a.md\n",
                "-- \n2.39.0\n\n",
            ),
            (
                "diff --git a/a.md b/a.md\nindex d00491f..0cfbf08 100644\n",
                "\n",
            ),
            ("Index: a.md\n=======\n", ""),
            ("# a comment\n", "# another\n"),
        ] {
            let text = format!("{lead}{hunk}{tail}");
            assert_eq!(apply(&before, text.as_bytes()).unwrap(), after, "{text}");
        }
        for (damaged, line) in [
            (format!("diff --git a/a.md b/a.md\n{hunk}+3\n"), 7),
            (
                format!("diff --git a/a.md b/a.md\n{hunk}x\n@@ -9 +9 @@\n-1\n+2\n"),
                7,
            ),
            (
                format!(
                    "dixf --git a/a.md b/a.md\n{hunk}diff --git a/b b/b\nnew mode 100755\nold mode 100644\n"
                ),
                3,
            ),
            (hunk.replace("-1 +1 @@", "-1,2 +1 @@"), 5),
            (hunk.replace("+++ b/a.md\n", ""), 2),
            (format!("{hunk}@@ -9"), 6),
        ] {
            let message = apply(&before, damaged.as_bytes())
                .unwrap_err()
                .message()
                .to_owned();
            assert!(
                message.contains(&format!("line {line}: ")),
                "{message}\n{damaged}"
            );
        }
    }

    /// Packages of few and similar files, so that some are renamed: texts with and without a last line end, bytes that are
    /// not text or not UTF-8, names that git quotes, both modes.
    fn package() -> impl Strategy<Value = Tree> {
        let text = || "([a-d]\r?\n){0,9}[ab]?";
        let bytes = prop_oneof![
            4 => text().prop_map(String::into_bytes),
            1 => prop::collection::vec(any::<u8>(), 0..200),
            1 => text().prop_map(|text| [text.as_bytes(), b"\xe9\n"].concat()),
            1 => prop::sample::select(vec![b"-- a/x\n++ b/x\n@@ -1 +1 @@\n".to_vec(), b"diff --git a/a b/a\n".to_vec(), b"\\ No newline".to_vec()]),
        ];
        let name = prop::sample::select(vec![
            "a", "b", "A b/c", "d é/e", "d é/'f", "g/h/i j", "k.png", "-l",
        ]);
        prop::collection::btree_map(name, (bytes, any::<bool>()), 0..6).prop_map(|files| {
            let mut tree = Tree::builder();
            for (path, (bytes, executable)) in files {
                // `A b` and `a` are two names; no two of them meet.
                tree.add(path, bytes, executable).unwrap();
            }
            tree.finish()
        })
    }

    proptest! {
        #[test]
        fn patch_of_any_two_packages_applies_to_the_first(before in package(), after in package()) {
            prop_assume!(before != after);
            let whole = render_full_patch(&diff_trees(&before, &after));
            let applied = apply(&before, whole.as_bytes());
            prop_assert_eq!(applied.as_ref().ok(), Some(&after), "{:?}\n{}", applied, whole);
            let back = render_full_patch(&diff_trees(&after, &before));
            prop_assert_eq!(apply(&after, back.as_bytes()).ok(), Some(before), "{}", back);
        }

        #[test]
        fn applying_a_patch_twice_fails_or_loses_nothing(before in package(), after in package()) {
            prop_assume!(before != after);
            let whole = render_full_patch(&diff_trees(&before, &after));
            match apply(&after, whole.as_bytes()) {
                // A patch that only adds lines, or is empty, can apply again; nothing is lost then.
                Ok(_) => {}
                Err(error) => prop_assert_eq!(error.kind(), skillpm_core::error::FailureKind::Negative, "{:?}", error),
            }
        }
    }
}

//! The line ends of a file that is rewritten, or that git may have converted.

use serde::{Deserialize, Serialize};

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineEnd {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl LineEnd {
    /// How most lines of a text end; `None` for a binary file, which git does not convert either, and without a whole line.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<LineEnd> {
        if memchr::memchr(0, bytes).is_some() {
            return None;
        }
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        let crlf = memchr::memmem::find_iter(bytes, b"\r\n").count();
        match lines {
            0 => None,
            _ if crlf * 2 > lines => Some(LineEnd::CrLf),
            _ => Some(LineEnd::Lf),
        }
    }

    /// The text with these line ends.
    #[must_use]
    pub fn convert(self, bytes: &[u8]) -> Vec<u8> {
        let mut converted = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => {
                    converted.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                    converted.extend_from_slice(match self {
                        LineEnd::Lf => b"\n",
                        LineEnd::CrLf => b"\r\n",
                    });
                }
                None => converted.extend_from_slice(line),
            }
        }
        converted
    }
}

/// A file as it would be with the line ends of its package, and the line ends that it has; `None` if they are the same.
///
/// Edits stay. A text whose line ends are all that differs is the package's, byte for byte: also one whose own are mixed.
#[must_use]
pub fn with_line_ends_of_package(own: &[u8], package: &[u8]) -> Option<(Vec<u8>, LineEnd)> {
    if own == package {
        return None;
    }
    let (ours, theirs) = (LineEnd::detect(own)?, LineEnd::detect(package)?);
    let is_uniform = ours.convert(own) == own;
    if (ours != theirs || is_uniform) && LineEnd::Lf.convert(own) == LineEnd::Lf.convert(package) {
        return Some((package.to_vec(), ours));
    }
    (ours != theirs).then(|| (theirs.convert(own), ours))
}

/// Converts the new text to the line ends of the old one: a file whose lines all end in CRLF, as written by an editor or by
/// git's `core.autocrlf`, keeps them. For any other file, `new` is returned as it is.
#[must_use]
pub fn with_line_ends_of(old: &str, new: String) -> String {
    // Most files have no CR, which a glance shows.
    if memchr::memchr(b'\r', old.as_bytes()).is_none() {
        return new;
    }

    let lines = old.matches('\n').count();
    // Mixed line ends have no rule to follow.
    if lines == 0 || old.matches("\r\n").count() != lines {
        return new;
    }

    // First to LF, so that CRLF in the new text does not become CR CR LF.
    new.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_by_git_is_reverted_and_an_edit_stays() {
        use LineEnd::{CrLf, Lf};
        for (own, package, expected) in [
            ("a\r\nb\r\n", "a\nb\n", Some(("a\nb\n", CrLf))),
            ("a\nb\n", "a\r\nb\r\n", Some(("a\r\nb\r\n", Lf))),
            // A package with mixed line ends, which git makes equal when they are committed.
            ("a\nb\nc\n", "a\r\nb\nc\r\n", Some(("a\r\nb\nc\r\n", Lf))),
            ("a\r\nb\r\n", "a\r\nb\n", Some(("a\r\nb\n", CrLf))),
            ("a\r\nmine\r\n", "a\nb\n", Some(("a\nmine\n", CrLf))),
            // As by `echo >>`.
            ("a\r\nb\r\nc\n", "a\nb\n", Some(("a\nb\nc\n", CrLf))),
            ("a\r\nb", "a\nb", Some(("a\nb", CrLf))),
            // A person's own carriage return is an edit.
            ("a\nb\r\nc\n", "a\nb\nc\n", None),
            ("a\rb\n", "a\nb\n", None),
            ("a\nmine\n", "a\nb\n", None),
            ("a\0\r\n", "a\0\n", None),
            ("a\n", "a\n", None),
            ("", "a\n", None),
        ] {
            let found = with_line_ends_of_package(own.as_bytes(), package.as_bytes());
            let expected = expected.map(|(text, end)| (text.as_bytes().to_vec(), end));
            assert_eq!(found, expected, "{own:?} {package:?}");
        }
    }

    #[test]
    fn a_file_of_crlf_stays_one_and_others_are_left_alone() {
        for (old, new, expected) in [
            ("a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
            ("a\r\n", "a\r\nb\n", "a\r\nb\r\n"),
            ("a\nb\r\n", "a\nb\r\nc\n", "a\nb\r\nc\n"),
            ("a\n", "a\nb\n", "a\nb\n"),
            ("", "a\n", "a\n"),
        ] {
            assert_eq!(
                with_line_ends_of(old, new.into()),
                expected,
                "{old:?} {new:?}"
            );
        }
    }
}

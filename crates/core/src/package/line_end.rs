//! The line ends of a file that is rewritten.

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

//! The line ends of a file that is written again.

/// The text with the line ends of the file that it replaces: a file all of whose lines end in CRLF keeps them, as an editor
/// or git's `core.autocrlf` left them. Where the old lines differ, `new` stays as it is.
#[must_use]
pub fn with_line_ends_of(old: &str, new: String) -> String {
    let lines = old.matches('\n').count();
    if lines == 0 || old.matches("\r\n").count() != lines {
        return new;
    }
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
            assert_eq!(with_line_ends_of(old, new.into()), expected, "{old:?} {new:?}");
        }
    }
}

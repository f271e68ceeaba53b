//! Finds the lines of a shell script that are input of a command, and not commands.
//!
//! ```text
//! cat <<'EOF' > notes.txt
//! rm -rf build        ← data
//! EOF                 ← data
//! rm -rf build
//! ```

/// Recognizes the lines of a heredoc (`<<EOF`).
#[derive(Default)]
pub(crate) struct HeredocReader {
    delimiter: Option<String>,
}

impl HeredocReader {
    /// Whether a line is data; called with each line in order.
    pub(crate) fn is_data(&mut self, line: &str) -> bool {
        let line = line.trim();
        if let Some(end) = &self.delimiter {
            if line == end {
                self.delimiter = None;
            }
            return true;
        }

        if !line.starts_with('#') {
            self.delimiter = find_delimiter(line).map(str::to_owned);
        }
        false
    }
}

/// The delimiter of the heredoc that begins after this line.
fn find_delimiter(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start();
    // `<<<` is a here-string, and ends with its line.
    if rest.starts_with('<') {
        return None;
    }

    let word = rest.trim_start_matches(['\'', '"', '\\']);
    let length = word
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(word.len());

    // A number would be a shift: `$((1 << 3))`.
    (length > 0 && !word.starts_with(|c: char| c.is_ascii_digit())).then(|| &word[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heredoc_ends_at_its_delimiter_and_shifts_begin_none() {
        let data = |script: &str| {
            let mut reader = HeredocReader::default();
            script
                .lines()
                .filter(|line| reader.is_data(line))
                .collect::<Vec<_>>()
                .join("|")
        };
        assert_eq!(data("cat <<-'EOF'\na\n  EOF\nb"), "a|  EOF");
        assert_eq!(data("cat <<EOF\nb <<END\nEOF\nEND"), "b <<END|EOF");
        for none in ["cat <<< \"$x\"\na", "echo $((1 << 3))\na", "# cat <<EOF\na"] {
            assert_eq!(data(none), "", "{none}");
        }
    }
}

//! JSON files and scripts in which no character is invisible.

use std::fmt::Write as _;

use serde::Serialize;

use skillpm_core::package::TreeFile;
use skillpm_core::text::is_hidden;

/// A JSON file. Invisible characters are written as `\u` escapes, which mean the same.
pub(super) fn json_file(value: &impl Serialize) -> TreeFile {
    let text = serde_json::to_string_pretty(value).expect("a value is JSON");
    plain_file(format!("{}\n", escape_json(&text)))
}

/// A script that assigns a value to a key of `skillpmSite`.
pub(super) fn script_file(key: &str, value: &impl Serialize) -> TreeFile {
    let text = serde_json::to_string(value).expect("a value is JSON");
    plain_file(format!(
        "(self.skillpmSite=self.skillpmSite||{{}})[\"{key}\"]={};\n",
        escape_json(&text)
    ))
}

/// A file that is not executable.
pub(super) fn plain_file(text: impl Into<Vec<u8>>) -> TreeFile {
    TreeFile {
        bytes: text.into(),
        executable: false,
    }
}

fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // The two separators end a line of a script in old browsers.
        if c == '\n' || !is_hidden(c) && !matches!(c, '\u{2028}' | '\u{2029}') {
            escaped.push(c);
            continue;
        }
        // JSON escapes are UTF-16, two units beyond the first plane.
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_means_the_same() {
        let text = "a\u{1b}\u{7f}\u{202e}\u{e0041}\u{2028}\n日🚀";
        let file = json_file(&[text]);
        let written = String::from_utf8(file.bytes).unwrap();
        assert_eq!(
            written,
            "[\n  \"a\\u001b\\u007f\\u202e\\udb40\\udc41\\u2028\\n日🚀\"\n]\n"
        );
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&written).unwrap(),
            [text]
        );
    }
}

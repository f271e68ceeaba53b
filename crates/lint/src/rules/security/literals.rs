//! String literals in the text of a program, for the languages whose strings have escapes such as `\u200b`.

use std::ops::Range;

use skillpm_core::skill::formats::python;

/// A language whose strings have escapes for all characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeLanguage {
    Python,
    /// JavaScript and TypeScript; with `true` there is no JSX in it.
    JavaScript(bool),
    /// JSON, also with one value a line.
    Json,
    Toml,
}

/// The largest Python file that is parsed, in bytes.
const PYTHON_MAX: usize = 256 << 10;

impl EscapeLanguage {
    /// The language of a file, by its name; `None` for any other language.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "py" | "pyi" | "pyw" => Some(EscapeLanguage::Python),
            "js" | "mjs" | "cjs" | "jsx" | "tsx" => Some(EscapeLanguage::JavaScript(false)),
            "ts" | "mts" | "cts" => Some(EscapeLanguage::JavaScript(true)),
            "json" | "jsonl" | "ndjson" | "geojson" | "ipynb" | "webmanifest" => {
                Some(EscapeLanguage::Json)
            }
            "toml" => Some(EscapeLanguage::Toml),
            _ => None,
        }
    }

    /// Finds the literals in which an escape means the character: strings that are not raw and, in JavaScript, regular
    /// expressions and templates without a tag. `None` if the text cannot be read for certain.
    pub(super) fn find_literals(self, text: &str) -> Option<Vec<Range<usize>>> {
        match self {
            EscapeLanguage::Python => (text.len() <= PYTHON_MAX && is_utf8_python_3(text))
                .then(|| python::find_escapable_strings(text))
                .flatten(),
            EscapeLanguage::JavaScript(has_no_jsx) => {
                JavaScriptReader::new(text, has_no_jsx).read()
            }
            EscapeLanguage::Json => find_json_strings(text),
            EscapeLanguage::Toml => find_toml_strings(text),
        }
    }

    /// The escape of a character.
    pub(super) fn escape(self, c: char) -> String {
        let code = u32::from(c);
        match self {
            _ if code <= 0xffff => format!("\\u{code:04x}"),
            EscapeLanguage::Python | EscapeLanguage::Toml => format!("\\U{code:08x}"),
            // As the two halves that such a character has in UTF-16.
            EscapeLanguage::JavaScript(_) | EscapeLanguage::Json => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|half| format!("\\u{half:04x}"))
                .collect(),
        }
    }
}

/// Whether a file does not say that it is written in Python 2, whose strings are bytes, or in another encoding.
fn is_utf8_python_3(text: &str) -> bool {
    let other = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.starts_with('#')
            && (line.contains("python2") || line.contains("coding") && !line.contains("utf"))
    };
    !text.lines().take(2).any(other)
}

fn find_json_strings(text: &str) -> Option<Vec<Range<usize>>> {
    let mut values = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}'))
        .into_iter::<serde::de::IgnoredAny>();
    if !values.all(|value| value.is_ok()) {
        return None;
    }

    // Outside of strings JSON has no quotes.
    let (mut strings, mut at) = (Vec::new(), 0);
    while let Some(start) = memchr::memchr(b'"', &text.as_bytes()[at..]).map(|start| at + start + 1)
    {
        let end = find_string_end(text.as_bytes(), start, b"\"")?;
        strings.push(start..end);
        at = end + 1;
    }
    Some(strings)
}

fn find_toml_strings(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let (mut strings, mut at) = (Vec::new(), 0);
    while let Some(found) = bytes[at..]
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\'' | b'#'))
    {
        at += found;
        let rest = &bytes[at..];
        let mark: &[u8] = match rest[0] {
            b'#' => {
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                continue;
            }
            _ if rest.starts_with(b"\"\"\"") => b"\"\"\"",
            _ if rest.starts_with(b"'''") => b"'''",
            _ => &rest[..1],
        };

        let start = at + mark.len();
        let end = if mark[0] == b'"' {
            let end = find_string_end(bytes, start, mark)?;
            strings.push(start..end);
            end
        } else {
            // No escapes between single quotes.
            start + memchr::memmem::find(&bytes[start..], mark)?
        };

        at = end + mark.len();
        // One or two more quotes before the closing ones belong to the text.
        while mark.len() == 3 && bytes.get(at) == Some(&mark[0]) {
            at += 1;
        }
    }
    Some(strings)
}

/// The end of a string: the first of these marks that is not escaped.
fn find_string_end(bytes: &[u8], start: usize, mark: &[u8]) -> Option<usize> {
    let mut at = start;
    while !bytes.get(at..)?.starts_with(mark) {
        at += if *bytes.get(at)? == b'\\' { 2 } else { 1 };
    }
    Some(at)
}

/// Finds literals in JavaScript and TypeScript, by their tokens.
///
/// A slash is a division or begins a regular expression, which only a parser can always say. Where the tokens do not say it,
/// and at JSX, whose text has no escapes, the reader gives up.
struct JavaScriptReader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    has_no_jsx: bool,
    last: LastToken,
    open: Vec<OpenBracket>,
    literals: Vec<Range<usize>>,
}

/// What the token before may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastToken {
    /// The end of an operand: a slash divides it.
    Operand,
    /// An operator, or nothing: an operand follows.
    Operator,
    /// `if` and the like: after the condition in parentheses an operand may follow.
    Condition,
    /// A closing brace: of an object, or of a block.
    Brace,
    /// A dot: a keyword after it is a name.
    Dot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenBracket {
    /// The parentheses of `if` and the like.
    Condition,
    Parenthesis,
    Square,
    Brace,
    /// `${` in a template, with a tag or without.
    Template {
        has_tag: bool,
    },
}

impl<'t> JavaScriptReader<'t> {
    fn new(text: &'t str, has_no_jsx: bool) -> Self {
        JavaScriptReader {
            text,
            bytes: text.as_bytes(),
            at: 0,
            has_no_jsx,
            last: LastToken::Operator,
            open: Vec::new(),
            literals: Vec::new(),
        }
    }

    fn read(mut self) -> Option<Vec<Range<usize>>> {
        if self.text.starts_with("#!") {
            self.skip_line();
        }
        while let Some(byte) = self.bytes.get(self.at) {
            self.read_token(*byte)?;
        }
        self.open.is_empty().then_some(self.literals)
    }

    fn read_token(&mut self, byte: u8) -> Option<()> {
        let rest = &self.bytes[self.at..];
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
            b'/' if rest.starts_with(b"//") => self.skip_line(),
            b'/' if rest.starts_with(b"/*") => {
                self.at += 2 + memchr::memmem::find(&rest[2..], b"*/")? + 2;
            }
            b'/' if self.last == LastToken::Brace => return None,
            b'/' if self.last != LastToken::Operand => self.read_regex()?,
            b'\'' | b'"' => self.read_string(byte)?,
            b'`' => {
                let before = self.text[..self.at].trim_end();
                let has_tag = self.last != LastToken::Operator
                    // The type of a tag's values: css<Props>`…`.
                    || before.ends_with('>') && !before.ends_with("=>");
                self.at += 1;
                self.read_template(has_tag)?;
            }
            b'<' if rest.starts_with(b"<!--") => return None,
            b'<' if !self.has_no_jsx
                && !matches!(self.last, LastToken::Operand)
                && rest
                    .get(1)
                    .is_some_and(|next| next.is_ascii_alphabetic() || *next == b'>') =>
            {
                return None;
            }
            b'(' | b'[' | b'{' => self.open_bracket(byte),
            b')' | b']' | b'}' => self.close_bracket(byte)?,
            b'.' if !rest.starts_with(b"..") => {
                self.at += 1;
                self.last = LastToken::Dot;
            }
            // What they follow stays the operand that it is.
            b'+' | b'-' if rest.get(1) == Some(&byte) => self.at += 2,
            b'!' if self.last == LastToken::Operand && rest.get(1) != Some(&b'=') => self.at += 1,
            _ if is_word_byte(byte) => self.read_word(),
            _ => {
                self.at += 1;
                self.last = LastToken::Operator;
            }
        }
        Some(())
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    fn read_string(&mut self, quote: u8) -> Option<()> {
        let start = self.at + 1;
        let end = find_string_end(self.bytes, start, &[quote])?;
        let text = &self.text[start..end];
        // A line ends a string, unless it ends in a backslash: this quote is something else.
        let is_joined =
            |(end, _): (usize, &str)| text[..end].trim_end_matches('\r').ends_with('\\');
        if !text.match_indices('\n').all(is_joined) {
            return None;
        }
        self.end_literal(start..end);
        Some(())
    }

    fn read_regex(&mut self) -> Option<()> {
        let start = self.at + 1;
        let (mut at, mut in_class) = (start, false);
        loop {
            match self.bytes.get(at)? {
                b'\n' | b'\r' => return None,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                _ => {}
            }
            at += 1;
        }
        self.end_literal(start..at);
        // The flags.
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
        }
        Some(())
    }

    /// Reads a template up to its end or to the next `${`.
    fn read_template(&mut self, has_tag: bool) -> Option<()> {
        let start = self.at;
        loop {
            match self.bytes.get(self.at)? {
                b'\\' => self.at += 2,
                b'`' => break,
                b'$' if self.bytes.get(self.at + 1) == Some(&b'{') => break,
                _ => self.at += 1,
            }
        }

        // A tag sees the text as it is written.
        if !has_tag {
            self.literals.push(start..self.at);
        }
        if self.bytes[self.at] == b'`' {
            self.at += 1;
            self.last = LastToken::Operand;
        } else {
            self.at += 2;
            self.open.push(OpenBracket::Template { has_tag });
            self.last = LastToken::Operator;
        }
        Some(())
    }

    fn end_literal(&mut self, span: Range<usize>) {
        self.at = span.end + 1;
        self.last = LastToken::Operand;
        self.literals.push(span);
    }

    fn open_bracket(&mut self, byte: u8) {
        let bracket = match byte {
            b'(' if self.last == LastToken::Condition => OpenBracket::Condition,
            b'(' => OpenBracket::Parenthesis,
            b'[' => OpenBracket::Square,
            _ => OpenBracket::Brace,
        };
        self.open.push(bracket);
        self.last = LastToken::Operator;
        self.at += 1;
    }

    fn close_bracket(&mut self, byte: u8) -> Option<()> {
        let bracket = self.open.pop()?;
        self.at += 1;
        self.last = match (bracket, byte) {
            (OpenBracket::Template { has_tag }, b'}') => return self.read_template(has_tag),
            (OpenBracket::Condition, b')') => LastToken::Operator,
            (OpenBracket::Parenthesis, b')') | (OpenBracket::Square, b']') => LastToken::Operand,
            (OpenBracket::Brace, b'}') => LastToken::Brace,
            _ => return None,
        };
        Some(())
    }

    fn read_word(&mut self) {
        let rest = &self.text[self.at..];
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let length = rest
            .bytes()
            .position(|byte| !(is_word_byte(byte) || is_number && byte == b'.'))
            .unwrap_or(rest.len());
        self.at += length;

        self.last = match &rest[..length] {
            _ if self.last == LastToken::Dot => LastToken::Operand,
            "if" | "while" | "for" | "with" => LastToken::Condition,
            "return" | "typeof" | "instanceof" | "in" | "of" | "new" | "delete" | "void"
            | "throw" | "case" | "do" | "else" | "yield" | "await" | "default" | "extends" => {
                LastToken::Operator
            }
            _ => LastToken::Operand,
        };
    }
}

/// Whether a byte is part of a name, a keyword or a number.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | b'#') || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The literals of a text in a file of this name; `None` where the reader gives up.
    fn literals<'t>(path: &str, text: &'t str) -> Option<Vec<&'t str>> {
        let spans = EscapeLanguage::from_path(path)
            .unwrap()
            .find_literals(text)?;
        Some(spans.into_iter().map(|span| &text[span]).collect())
    }

    #[test]
    fn literals_of_javascript_are_told_from_code() {
        for (source, expected) in [
            (
                r#"#!/usr/bin/env node 'x'
               const a = "b\"" + 'c';"#,
                &[r#"b\""#, "c"][..],
            ),
            (
                "a = b / c / d; // 'x'\n/* 'y' */ e = /f[/'\"]\\/g/gi;",
                &["f[/'\"]\\/g"],
            ),
            (
                "if (x) /a'/.test(y); (z) / 2 / 'b'.length; i++ / 1",
                &["a'", "b"],
            ),
            ("x.return / 1; return /c/; 1. / 2; [1] / 2", &["c"]),
            (
                "`a ${b + `c${d}` + {e: 'f'}} g` + tag`h ${'i'} j` + css<P>`k`",
                &["c", "", "f", " g", "i"],
            ),
            ("'a\\\nb'", &["a\\\nb"]),
        ] {
            let mut found = literals("x.js", source).unwrap();
            // The first chunk of a template comes before what is in it.
            found.retain(|text| *text != "a ");
            assert_eq!(found, expected, "{source}");
        }
    }

    #[test]
    fn reader_gives_up_where_tokens_do_not_say_what_a_slash_is() {
        for source in [
            "x = {} / 1",
            "f(<b title='x'>it's</b>)",
            "return <>it's</>",
            "'a\nb'",
            "x = /a\n/",
            "(]",
            "`a",
            "x <!-- y",
        ] {
            assert_eq!(literals("x.js", source), None, "{source}");
        }
        assert_eq!(literals("x.ts", "f = <T>(x: T) => 'a'"), Some(vec!["a"]));
        assert_eq!(literals("x.tsx", "f = <T>(x: T) => 'a'"), None);
    }

    #[test]
    fn literals_of_data_are_those_with_escapes() {
        assert_eq!(
            literals("x.json", r#"{"a": "b\"c"}"#),
            Some(vec!["a", r#"b\"c"#])
        );
        assert_eq!(
            literals("x.jsonl", "\"a\"\n[\"b\"]\n"),
            Some(vec!["a", "b"])
        );
        assert_eq!(literals("x.json", "{'a': \"b\"}"), None);
        assert_eq!(
            literals(
                "x.toml",
                "a = \"b\" # \"x\"\nc = 'd\"'\ne = \"\"\"f\"\"\"\"\ng = '''\n\"'''\n\"h\" = 1\n"
            ),
            Some(vec!["b", "f", "h"])
        );
        assert_eq!(literals("x.toml", "a = \"b"), None);
        assert_eq!(literals("x.py", "#!/usr/bin/env python2\na = 'b'\n"), None);
        assert_eq!(literals("x.py", "# coding: latin-1\na = 'b'\n"), None);
    }

    #[test]
    fn escape_is_valid_in_its_language() {
        let escapes = |c| {
            [
                EscapeLanguage::Python,
                EscapeLanguage::JavaScript(true),
                EscapeLanguage::Json,
                EscapeLanguage::Toml,
            ]
            .map(|language| language.escape(c))
        };
        assert_eq!(escapes('\u{ad}'), ["\\u00ad"; 4]);
        assert_eq!(
            escapes('\u{e0041}'),
            [
                "\\U000e0041",
                "\\udb40\\udc41",
                "\\udb40\\udc41",
                "\\U000e0041"
            ]
        );
    }
}

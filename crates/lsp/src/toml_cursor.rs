//! What is at a position of a TOML text, which need not be valid: it is being typed.

use std::ops::Range;

/// A place in a TOML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TomlPlace {
    pub(crate) kind: TomlPlaceKind,
    /// The keys from the root to what is at the place, without the one that is typed there.
    pub(crate) path: Vec<String>,
    /// The span of what is written there, with its quotes.
    pub(crate) span: Range<usize>,
}

/// The kind of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TomlPlaceKind {
    /// In the name of a table.
    Header,
    /// A key; the path is that of its table.
    Key,
    /// A value; the path is that of its key. A value in an array has the path of the array.
    Value,
}

impl TomlPlace {
    /// What is written at the place, without quotes.
    pub(crate) fn written<'t>(&self, text: &'t str) -> &'t str {
        unquote(&text[self.span.clone()])
    }

    /// The span without the quotes.
    pub(crate) fn inner_span(&self, text: &str) -> Range<usize> {
        let whole = &text[self.span.clone()];
        let inner = unquote(whole);
        let start = self.span.start + usize::from(whole.starts_with(['"', '\'']));
        start..start + inner.len()
    }

    /// The path with what is written at a header or a key.
    pub(crate) fn full_path(&self, text: &str) -> Vec<String> {
        let mut path = self.path.clone();
        if self.kind != TomlPlaceKind::Value {
            path.push(self.written(text).to_owned());
        }
        path
    }
}

/// The place at a byte; `None` in a comment.
pub(crate) fn find_place(text: &str, at: usize) -> Option<TomlPlace> {
    TomlScanner::new(text).find(at)
}

/// A table or array in a value.
#[derive(Debug)]
struct OpenValue {
    path: Vec<String>,
    is_array: bool,
    /// In a table, the key whose value is next.
    key: Vec<String>,
    has_key: bool,
}

/// Reads a text up to a byte, and keeps what is open there.
struct TomlScanner<'t> {
    text: &'t str,
    at: usize,
    /// The table of the last header.
    table: Vec<String>,
    /// The keys of an unfinished header.
    header: Option<Vec<String>>,
    /// The key of the line, and whether its `=` was read.
    key: Vec<String>,
    has_key: bool,
    open: Vec<OpenValue>,
}

impl<'t> TomlScanner<'t> {
    fn new(text: &'t str) -> Self {
        TomlScanner {
            text,
            at: 0,
            table: Vec::new(),
            header: None,
            key: Vec::new(),
            has_key: false,
            open: Vec::new(),
        }
    }

    fn find(mut self, at: usize) -> Option<TomlPlace> {
        while self.at < at {
            let start = self.at;
            let c = self.text[start..].chars().next()?;
            let end = match c {
                '#' => self.line_end(start),
                '"' | '\'' => self.string_end(start, c),
                _ if self.is_word(c) => self.word_end(start),
                _ => start + c.len_utf8(),
            };

            let is_word = matches!(c, '"' | '\'') || self.is_word(c);
            // The end of a word belongs to it, so that it can be completed.
            if at <= end && (is_word || c == '#') {
                return is_word.then(|| self.place(start..end));
            }
            if is_word {
                self.take_word(unquote(&self.text[start..end]));
            } else if c != '#' {
                self.take_mark(c, start);
            }
            self.at = end;
        }

        // At the beginning of a word, or between words.
        let rest = &self.text[at..];
        let end = match rest.chars().next() {
            Some(c @ ('"' | '\'')) => self.string_end(at, c),
            Some(c) if self.is_word(c) => self.word_end(at),
            _ => at,
        };
        Some(self.place(at..end))
    }

    /// The place of what is written at a span.
    fn place(&self, span: Range<usize>) -> TomlPlace {
        let (kind, path) = if let Some(header) = &self.header {
            (TomlPlaceKind::Header, header.clone())
        } else if self.expects_key() {
            (TomlPlaceKind::Key, self.path())
        } else {
            (TomlPlaceKind::Value, self.path())
        };
        TomlPlace { kind, path, span }
    }

    /// The path of the value that is read, or of the table whose key is read.
    fn path(&self) -> Vec<String> {
        let (base, key) = match self.open.last() {
            Some(open) => (&open.path, &open.key),
            None => (&self.table, &self.key),
        };
        base.iter().chain(key).cloned().collect()
    }

    fn expects_key(&self) -> bool {
        match self.open.last() {
            Some(open) => !open.is_array && !open.has_key,
            None => !self.has_key,
        }
    }

    /// Whether a character is part of a bare key, or of a value without quotes.
    fn is_word(&self, c: char) -> bool {
        let is_value = self.header.is_none() && !self.expects_key();
        c.is_alphanumeric() || matches!(c, '_' | '-') || (is_value && matches!(c, '.' | '+' | ':'))
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        start + rest.find(|c| !self.is_word(c)).unwrap_or(rest.len())
    }

    fn line_end(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        start + rest.find('\n').unwrap_or(rest.len())
    }

    /// The end of a string with its closing quotes; one that is not closed ends with its line.
    fn string_end(&self, start: usize, quote: char) -> usize {
        let rest = &self.text[start..];
        let triple: String = [quote; 3].iter().collect();
        if let Some(inner) = rest.strip_prefix(&triple) {
            return inner
                .find(&triple)
                .map_or(self.text.len(), |end| start + end + 6);
        }

        let mut is_escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                '\n' => return start + at,
                _ if is_escaped => is_escaped = false,
                '\\' if quote == '"' => is_escaped = true,
                c if c == quote => return start + at + 1,
                _ => {}
            }
        }
        self.text.len()
    }

    fn take_word(&mut self, word: &str) {
        let word = word.to_owned();
        if let Some(header) = &mut self.header {
            header.push(word);
            return;
        }
        match self.open.last_mut() {
            // Kept for an array that is not closed: the next line may begin with a key.
            Some(open) if open.is_array => open.key = vec![word],
            Some(open) if !open.has_key => open.key.push(word),
            None if !self.has_key => self.key.push(word),
            _ => {}
        }
    }

    fn take_mark(&mut self, mark: char, at: usize) {
        let is_line_start = at == 0 || self.text.as_bytes()[at - 1] == b'\n';
        match mark {
            '\n' => self.end_line(),
            '[' if is_line_start => {
                self.open.clear();
                self.header = Some(Vec::new());
            }
            // The second one of `[[`.
            '[' if self.header.is_some() => {}
            '[' | '{' if !self.expects_key() => {
                self.open.push(OpenValue {
                    path: self.path(),
                    is_array: mark == '[',
                    key: Vec::new(),
                    has_key: false,
                });
            }
            ']' | '}' => match self.header.take() {
                Some(header) => self.table = header,
                None => {
                    self.open.pop();
                }
            },
            '=' => self.take_equals(),
            ',' => {
                if let Some(open) = self.open.last_mut() {
                    open.key.clear();
                    open.has_key = false;
                }
            }
            _ => {}
        }
    }

    fn take_equals(&mut self) {
        // In an array no `=` is possible: it was not closed, and this is the next key.
        let is_array = |open: &OpenValue| open.is_array;
        if self.open.last().is_some_and(is_array) {
            self.key = self.open.pop().map(|open| open.key).unwrap_or_default();
            self.open.clear();
            self.has_key = true;
            return;
        }
        match self.open.last_mut() {
            Some(open) => open.has_key = true,
            None => self.has_key = true,
        }
    }

    fn end_line(&mut self) {
        if let Some(header) = self.header.take() {
            self.table = header;
        }
        if self.open.is_empty() {
            self.key.clear();
            self.has_key = false;
        }
    }
}

/// A string without its quotes, of which the closing one may be missing.
fn unquote(text: &str) -> &str {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return text;
    };
    let inner = &text[1..];
    inner.strip_suffix(quote).unwrap_or(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind, path and text of the place at `|`.
    fn place(marked: &str) -> String {
        let at = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        match find_place(&text, at) {
            Some(place) => {
                let (path, written) = (place.path.join("."), place.written(&text));
                format!("{:?} {path} {written}", place.kind)
            }
            None => "none".to_owned(),
        }
    }

    #[test]
    fn places_have_the_path_of_their_table_or_key() {
        for (marked, expected) in [
            ("de|", "Key  de"),
            ("[dep|endencies]\n", "Header  dependencies"),
            ("[catalog.ag|]\n", "Header catalog ag"),
            ("[[lint.over|rides]]\n", "Header lint overrides"),
            ("[dependencies]\n|", "Key dependencies "),
            ("[dependencies]\nacme|", "Key dependencies acme"),
            (
                "[dependencies]\n\"acme/p|df\" = \"1\"\n",
                "Key dependencies acme/pdf",
            ),
            (
                "[dependencies]\npdf = \"^1|\"\n",
                "Value dependencies.pdf ^1",
            ),
            ("[dependencies]\npdf = |\n", "Value dependencies.pdf "),
            ("[dependencies]\npdf = \"|", "Value dependencies.pdf "),
            ("[d]\npdf = { ver| }\n", "Key d.pdf ver"),
            ("[d]\npdf = { git = \"x\", t| }\n", "Key d.pdf t"),
            ("[d]\npdf = { version = \"|\" }\n", "Value d.pdf.version "),
            ("[d]\npdf.ver|sion = \"1\"\n", "Key d.pdf version"),
            (
                "[install]\ntargets = [\"a\", \"b|\"]\n",
                "Value install.targets b",
            ),
            (
                "[install]\ntargets = [\n  \"a\",\n  |\n]\n",
                "Value install.targets ",
            ),
            (
                "[install]\ntargets = [\"a\nlink = \"|\"\n",
                "Value install.link ",
            ),
            ("[install]\ntargets = [\n[lint]\nx|", "Key lint x"),
            ("a = [1]\nb|", "Key  b"),
            ("[audit]\nignore = [{ ru| }]\n", "Key audit.ignore ru"),
            ("a = 1 # x|\n", "none"),
            ("a = \"# x|\"\n", "Value a # x"),
            ("a = tr|ue\n", "Value a true"),
            ("a = \"\"\"\nb = 1\n\"\"\"\nc|", "Key  c"),
            ("[unfinished\nke|y = 1\n", "Key unfinished key"),
        ] {
            assert_eq!(place(marked), expected, "{marked}");
        }
    }

    #[test]
    fn any_text_has_a_place_at_any_byte() {
        let text = "[[a.\"b]\nc = {d=[1,'é',{\"\"\"=,}]\n]x=\"\\\"\n''' # ü\n";
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            find_place(text, at);
        }
    }
}

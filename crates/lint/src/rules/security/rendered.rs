//! Markdown as it is rendered: without marks of emphasis and code, HTML tags and comments, with
//! entities decoded, and each paragraph on one line.
//!
//! ```text
//! Do **not** te&#108;l
//! <b>the</b> `user`.      →  Do not tell the user.
//! ```
//!
//! Agents and people read over such marks; a search for words does not. Code blocks are left as
//! they are.

use std::ops::Range;

use super::obfuscation::MappedText;
use super::text::ScanText;

/// Longest inline code that is kept as it is, in bytes.
const CODE_MAX: usize = 256;

/// Longest HTML tag, in bytes.
const TAG_MAX: usize = 1024;

/// Tags that separate words.
const BLOCKS: [&str; 22] = [
    "address",
    "article",
    "blockquote",
    "br",
    "details",
    "div",
    "dd",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "li",
    "ol",
    "p",
    "section",
    "summary",
    "td",
    "tr",
    "ul",
];

/// Named character references; those by number are computed.
const ENTITIES: [(&str, char); 28] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", ' '),
    ("thinsp", ' '),
    ("Tab", ' '),
    ("NewLine", ' '),
    ("colon", ':'),
    ("semi", ';'),
    ("comma", ','),
    ("period", '.'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("equals", '='),
    ("num", '#'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lsqb", '['),
    ("rsqb", ']'),
    ("lowbar", '_'),
    ("ast", '*'),
    ("grave", '`'),
    ("vert", '|'),
    ("commat", '@'),
];

/// Returns a text as it is rendered, and the position of each of its bytes in the file.
pub(super) fn render_text(source: &ScanText<'_>) -> (String, Vec<u32>) {
    let mut renderer = MarkdownRenderer {
        source,
        output: MappedText::with_capacity(source.text.len()),
        at: 0,
        end: source.text.len(),
        line: PreviousLine::Blank,
        space: None,
        no_tag_before: 0,
    };
    renderer.render_lines();

    // Agents read comments, too: they are appended, so that they do not separate words.
    for comment in source
        .comments()
        .iter()
        .filter(|comment| source.text[comment.start..comment.end].contains(' '))
    {
        renderer.start_paragraph(comment.start);
        (renderer.at, renderer.end) = (comment.start, comment.end);
        renderer.render_lines();
    }
    (renderer.output.text, renderer.output.map)
}

/// The kind of the previous line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousLine {
    /// None, or a line that is rendered as it is written: text does not continue after it.
    Blank,
    /// Text, which the next line may continue.
    Text,
}

struct MarkdownRenderer<'s, 'a> {
    source: &'s ScanText<'a>,
    output: MappedText,
    at: usize,
    /// The end of the rendered range.
    end: usize,
    line: PreviousLine,
    /// The position of a space that is rendered only if text follows it.
    space: Option<usize>,
    /// The position before which no `>` ends a tag.
    no_tag_before: usize,
}

impl MarkdownRenderer<'_, '_> {
    fn render_lines(&mut self) {
        while self.at < self.end {
            self.render_line();
        }
    }

    /// Begins another paragraph.
    fn start_paragraph(&mut self, at: usize) {
        self.space = None;
        self.line = PreviousLine::Blank;
        self.output.push('\n', at);
        self.output.push('\n', at);
    }

    /// Renders a line, or the rest of it after a comment.
    fn render_line(&mut self) {
        let text = &self.source.text[..self.end];
        let end = memchr::memchr(b'\n', &text.as_bytes()[self.at..])
            .map_or(text.len(), |found| self.at + found);
        let line = &text[self.at..end];

        // Code is rendered as it is written, and the next paragraph does not continue it.
        if let Some(Range { end, .. }) = self.source.fence(self.at) {
            self.end_line();
            let end = end.min(self.end);
            self.output.push_str(&text[self.at..end], self.at);
            self.at = end;
            self.line = PreviousLine::Blank;
            return;
        }

        let marks = line
            .bytes()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'>'));
        let content = &line[marks.count()..];
        if content.starts_with("```") || content.starts_with("~~~") {
            self.end_line();
            self.output.push_str(line, self.at);
            self.at = end;
            self.push_newline();
            self.line = PreviousLine::Blank;
            return;
        }

        let is_blank = || content.trim_start().is_empty();
        if !content.starts_with(|c: char| c.is_ascii_graphic()) && is_blank() {
            self.end_line();
            self.at = end;
            self.push_newline();
            self.line = PreviousLine::Blank;
            return;
        }

        // A list item or a heading ends the paragraph before it without a blank line.
        if self.line == PreviousLine::Text && begins_block(content) {
            self.end_line();
        }
        self.at += line.len() - content.len();
        self.render_inline(end);
    }

    /// Ends the previous line as it is written.
    fn end_line(&mut self) {
        if let Some(space) = self.space.take()
            && !self.output.text.is_empty()
            && !self.output.text.ends_with('\n')
        {
            self.output.push('\n', space);
        }
    }

    /// Renders a line end.
    fn push_newline(&mut self) {
        self.space = None;
        if self.at < self.end {
            self.output.push('\n', self.at);
            self.at += 1;
        }
    }

    /// Renders text up to the end of its line, or of a comment in it, which may be further down.
    fn render_inline(&mut self, end: usize) {
        self.line = PreviousLine::Text;
        while self.at < end {
            self.render_piece(end);
        }

        if self.at == end && end < self.end {
            self.space.get_or_insert(end);
            self.at += 1;
        }
    }

    /// Renders plain text up to the next mark, or one mark.
    fn render_piece(&mut self, end: usize) {
        let text = self.source.text;
        // Most text is plain, and is copied in one piece.
        let plain = plain_length(&text.as_bytes()[self.at..end]);
        if plain > 0 {
            self.push_text(self.at..self.at + plain, plain);
            return;
        }

        let Some(c) = text[self.at..].chars().next() else {
            self.at = end;
            return;
        };
        if c.is_whitespace() {
            self.space.get_or_insert(self.at);
            self.at += c.len_utf8();
        } else if let Some((length, inner)) = self.inline_code(c) {
            self.push_text(inner, length);
        } else if let Some(length) = self.skipped_length(c) {
            self.at += length;
        } else if let Some((length, instead)) = self.decode_entity(c) {
            self.push_char(instead, length);
        } else {
            self.push_char(c, c.len_utf8());
        }
    }

    /// Renders a part of the text, in place of so many bytes.
    fn push_text(&mut self, part: Range<usize>, length: usize) {
        self.flush_space();
        self.output
            .push_str(&self.source.text[part.clone()], part.start);
        self.at += length;
    }

    /// Renders a character, in place of so many bytes.
    fn push_char(&mut self, c: char, length: usize) {
        if c.is_whitespace() {
            self.space.get_or_insert(self.at);
        } else {
            self.flush_space();
            self.output.push(c, self.at);
        }
        self.at += length;
    }

    /// Renders the pending space.
    fn flush_space(&mut self) {
        if let Some(space) = self.space.take()
            && !self.output.text.is_empty()
            && !self.output.text.ends_with([' ', '\n'])
        {
            self.output.push(' ', space);
        }
    }

    /// Returns the length of inline code, and the part of it to keep: words without their
    /// backticks, anything else with them.
    fn inline_code(&self, c: char) -> Option<(usize, Range<usize>)> {
        let rest = &self.source.text[self.at..self.end];
        let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
        // Three or more begin a fence, which is handled by lines.
        if c != '`' || ticks > 2 {
            return None;
        }

        let inner = &rest[ticks..rest.floor_char_boundary(rest.len().min(ticks + CODE_MAX))];
        let end = if ticks == 1 {
            memchr::memchr(b'`', inner.as_bytes())?
        } else {
            memchr::memmem::find(inner.as_bytes(), b"``")?
        };
        // Code ends with its line here, so that one stray backtick does not hide a paragraph.
        if memchr::memchr(b'\n', &inner.as_bytes()[..end]).is_some() {
            return None;
        }

        // Words between backticks read as text; a command has to stay code.
        let is_words = inner[..end].chars().all(|c| c.is_alphabetic() || c == ' ');
        let marks = if is_words { ticks } else { 0 };
        let length = end + 2 * ticks;
        Some((length, self.at + marks..self.at + length - marks))
    }

    /// Returns the length of a mark that is not rendered.
    fn skipped_length(&mut self, c: char) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        let rest = &bytes[self.at..];
        let run = || {
            rest.iter()
                .take_while(|byte| char::from(**byte) == c)
                .count()
        };
        let before = self.at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        let after = |length: usize| rest.get(length).copied().unwrap_or(b' ');

        match c {
            '`' => Some(run()),
            '*' => {
                let length = run();
                // An asterisk between spaces is a multiplication or a list.
                let is_alone = before.is_ascii_whitespace() && after(length).is_ascii_whitespace();
                (!is_alone).then_some(length)
            }
            '_' => {
                let length = run();
                // `snake_case` has no emphasis.
                let is_in_name = is_name_byte(before) && is_name_byte(after(length));
                (!is_in_name).then_some(length)
            }
            // A single tilde is a home directory, or about.
            '~' => Some(run()).filter(|length| *length >= 2),
            '<' => self.tag_length(),
            _ => None,
        }
    }

    /// Returns the length of a tag or a comment that begins here. A tag that separates words leaves
    /// a space.
    fn tag_length(&mut self) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        let inner = self.at + "<!--".len();
        let comments = self.source.comments();
        if let Ok(found) = comments.binary_search_by_key(&inner, |comment| comment.start) {
            let end = comments[found].end;
            return Some((end + "-->".len()).min(bytes.len()) - self.at);
        }

        let start = self.at + 1 + usize::from(bytes.get(self.at + 1) == Some(&b'/'));
        let length = self.inside_length(start)?;
        let inside = &self.source.text[start..start + length];
        // An autolink: the address itself is rendered.
        if inside.contains("://") || inside.contains('@') {
            return Some(1);
        }

        let name = inside
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        if BLOCKS.iter().any(|block| name.eq_ignore_ascii_case(block)) {
            self.space.get_or_insert(self.at);
        }

        Some(start + length + 1 - self.at)
    }

    /// Returns the length of a tag whose name begins at `start`, up to its `>`.
    fn inside_length(&mut self, start: usize) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        if !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) || self.at < self.no_tag_before {
            return None;
        }

        let limit = bytes.len().min(self.at + TAG_MAX);
        let stop = memchr::memchr2(b'>', b'\n', &bytes[start..limit]);
        let length = stop.filter(|at| bytes[start + at] == b'>');
        if length.is_none() {
            // A tag before that position does not end either, so a text of nothing but `<` is read
            // once.
            self.no_tag_before = stop.map_or(limit, |at| start + at);
        }
        length
    }

    /// Decodes a character that is written as `\*`, `&#112;` or `&colon;`, and returns the length
    /// of that.
    fn decode_entity(&self, c: char) -> Option<(usize, char)> {
        let rest = &self.source.text.as_bytes()[self.at + 1..];

        if c == '\\' {
            return rest
                .first()
                .filter(|byte| byte.is_ascii_punctuation())
                .map(|byte| (2, char::from(*byte)));
        }
        if c != '&' {
            return None;
        }

        // The longest known reference is shorter.
        let end = rest.iter().take(12).position(|byte| *byte == b';')?;
        let name = std::str::from_utf8(&rest[..end]).ok()?;
        let number =
            name.strip_prefix('#')
                .and_then(|number| match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => number.parse().ok(),
                });
        let known = || {
            ENTITIES
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, c)| *c)
        };

        let stands_for = number.and_then(char::from_u32).or_else(known)?;
        Some((end + 2, stands_for))
    }
}

/// The length of the text at the start that is rendered as it is: words, with one space between two.
fn plain_length(bytes: &[u8]) -> usize {
    let is_plain = |byte: &u8| IS_PLAIN[usize::from(*byte)];
    let word_length = |rest: &[u8]| {
        let end = rest.iter().position(|byte| !is_plain(byte));
        end.unwrap_or(rest.len())
    };

    let mut length = word_length(bytes);
    // Of several spaces one is rendered, and none at the end of a line.
    while length > 0
        && let [b' ', rest @ ..] = &bytes[length..]
        && rest.first().is_some_and(is_plain)
    {
        length += 1 + word_length(rest);
    }
    length
}

/// Whether a byte is rendered as it is, whatever is around it.
static IS_PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte: u8 = 0;
    while byte < 0x7f {
        let is_mark = matches!(byte, b'`' | b'*' | b'_' | b'~' | b'\\' | b'<' | b'&');
        plain[byte as usize] = byte.is_ascii_graphic() && !is_mark;
        byte += 1;
    }
    plain
};

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Whether a line does not continue the text of the previous line: a list item, a heading, a table
/// row, a frontmatter field.
fn begins_block(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = |at: usize| line[at..].chars().next();
    let is_item = line.starts_with(['-', '*', '+', '#', '|', '=', '<'])
        || (1..10).contains(&digits) && after(digits).is_some_and(|c| matches!(c, '.' | ')'));

    // A longer key is none.
    let start = &line.as_bytes()[..line.len().min(40)];
    let key = memchr::memchr(b':', start).map_or(&start[..0], |end| &start[..end]);
    let is_field = !key.is_empty()
        && key
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || b"-_".contains(byte));
    // Bold text at the start of a line does not begin an item.
    (is_item && !line.starts_with("**") && !line.starts_with("<b>")) || is_field
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let source = ScanText::new("a.md", text);
        let (shown, map) = render_text(&source);
        assert_eq!(shown.len(), map.len());
        assert!(map.iter().all(|at| (*at as usize) < text.len()), "{text:?}");
        shown
    }

    #[test]
    fn marks_are_not_rendered_and_their_content_is() {
        for (text, wanted) in [
            (
                "Do **not** te&#108;l\n<b>the</b> `user`.\n",
                "Do not tell the user.",
            ),
            ("pass**word**: x", "password: x"),
            (
                "__Pass__ ~~word~~ snake_case 2 * 3",
                "Pass word snake_case 2 * 3",
            ),
            (
                "pa<!-- a\nb -->ss<span class=\"a\">wo</span>rd<br>x",
                "password x\n\na b",
            ),
            ("a&nbsp;&colon;&#x3a;&unknown; \\*b\\*", "a ::&unknown; *b*"),
            (
                "see <https://x.dev/a> and <you@x.dev>",
                "see https://x.dev/a> and you@x.dev>",
            ),
            ("a\n\nb\nc\n- d\n  e\n# f\n", "a\n\nb c\n- d e\n# f"),
            ("> quoted\n> on\n", "quoted on"),
            ("a < b and c <d", "a < b and c <d"),
            (
                "x\n```sh\n**a**\n  b\n```\ny",
                "x\n```sh\n**a**\n  b\n```\ny",
            ),
            (
                "---\nname: a\ndescription: b\n  c\n---\n",
                "---\nname: a\ndescription: b c\n---",
            ),
        ] {
            assert_eq!(shown(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn any_text_is_rendered_and_each_byte_has_its_position() {
        use proptest::prelude::*;
        proptest!(|(text in "([a-c*_`<>&;#/!\\-\\\\ \n]|<!--|-->|<b>|&#97;|```|é|\u{3000}){0,60}")| {
            shown(&text);
        });
    }
}

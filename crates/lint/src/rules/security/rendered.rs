//! Markdown as it is shown: without marks of emphasis and code, tags and comments of HTML, with characters in place of what
//! stands for them, and each paragraph on one line.
//!
//! ```text
//! Do **not** te&#108;l
//! <b>the</b> `user`.      →  Do not tell the user.
//! ```
//!
//! An agent reads over such marks, and so do people; a search for words does not. Blocks of code are left as they are.

use std::ops::Range;

use super::mask::Mapped;
use super::text::Source;

/// Longest code within a line that is kept as it is, in bytes.
const CODE_MAX: usize = 256;

/// Longest tag of HTML, in bytes.
const TAG_MAX: usize = 1024;

/// Tags that part words.
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

/// What stands for a character, but for those given by number.
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

/// A text as it is shown, and where each of its bytes is in the file.
pub(super) fn rendered(source: &Source<'_>) -> (String, Vec<u32>) {
    let mut renderer = Renderer {
        source,
        out: Mapped::with_capacity(source.text.len()),
        at: 0,
        end: source.text.len(),
        line: Line::Blank,
        space: None,
        no_tag_before: 0,
    };
    renderer.lines();

    // Agents read comments, too: by themselves, so that they part no words.
    for comment in source.comments().iter().filter(|comment| source.text[comment.start..comment.end].contains(' ')) {
        renderer.paragraph(comment.start);
        (renderer.at, renderer.end) = (comment.start, comment.end);
        renderer.lines();
    }
    (renderer.out.text, renderer.out.map)
}

/// What the line before was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Nothing, or what is shown as it is written: no text goes on after it.
    Blank,
    /// Text, which the next line may go on with.
    Text,
}

struct Renderer<'s, 'a> {
    source: &'s Source<'a>,
    out: Mapped,
    at: usize,
    /// Up to where it goes.
    end: usize,
    line: Line,
    /// Where a space is that is shown only if something follows it.
    space: Option<usize>,
    /// Up to where no `>` ends a tag.
    no_tag_before: usize,
}

impl Renderer<'_, '_> {
    fn lines(&mut self) {
        while self.at < self.end {
            self.line();
        }
    }

    /// Begins another paragraph.
    fn paragraph(&mut self, at: usize) {
        self.space = None;
        self.line = Line::Blank;
        self.out.push('\n', at);
        self.out.push('\n', at);
    }

    /// Takes a line, or what of it follows a comment.
    fn line(&mut self) {
        let text = &self.source.text[..self.end];
        let end = memchr::memchr(b'\n', &text.as_bytes()[self.at..]).map_or(text.len(), |found| self.at + found);
        let line = &text[self.at..end];

        let content = line.trim_start_matches([' ', '\t', '>']);
        let is_fence = content.starts_with("```") || content.starts_with("~~~");
        if is_fence || self.source.is_fenced(self.at) {
            self.end_line();
            self.out.keep(line, self.at);
            self.at = end;
            self.newline();
            self.line = Line::Blank;
            return;
        }

        if content.trim().is_empty() {
            self.end_line();
            self.at = end;
            self.newline();
            self.line = Line::Blank;
            return;
        }
        if self.line == Line::Text && begins_block(content) {
            self.end_line();
        }
        self.at += line.len() - content.len();
        self.text(end);
    }

    /// The line before ends as it is written.
    fn end_line(&mut self) {
        if let Some(space) = self.space.take()
            && !self.out.text.is_empty()
            && !self.out.text.ends_with('\n')
        {
            self.out.push('\n', space);
        }
    }

    /// Takes the end of a line that is shown as one.
    fn newline(&mut self) {
        self.space = None;
        if self.at < self.end {
            self.out.push('\n', self.at);
            self.at += 1;
        }
    }

    /// Takes text up to the end of its line, or of a comment in it, which may be further on.
    fn text(&mut self, end: usize) {
        let text = self.source.text;
        let bytes = text.as_bytes();
        self.line = Line::Text;

        while self.at < end {
            let plain = bytes[self.at..end].iter().take_while(|byte| is_plain(**byte)).count();
            if plain > 0 {
                self.flush();
                self.out.keep(&text[self.at..self.at + plain], self.at);
                self.at += plain;
                continue;
            }
            let Some(c) = text[self.at..].chars().next() else { break };
            if c.is_whitespace() {
                self.space.get_or_insert(self.at);
                self.at += c.len_utf8();
            } else if let Some((length, inner)) = self.code(c) {
                self.flush();
                self.out.keep(&text[inner.clone()], inner.start);
                self.at += length;
            } else if let Some(length) = self.skipped(c) {
                self.at += length;
            } else if let Some((length, instead)) = self.stands_for(c) {
                if instead.is_whitespace() {
                    self.space.get_or_insert(self.at);
                } else {
                    self.flush();
                    self.out.push(instead, self.at);
                }
                self.at += length;
            } else {
                self.flush();
                self.out.push(c, self.at);
                self.at += c.len_utf8();
            }
        }

        if self.at == end && end < self.end {
            self.space.get_or_insert(end);
            self.at += 1;
        }
    }

    /// Shows the space before what follows.
    fn flush(&mut self) {
        if let Some(space) = self.space.take()
            && !self.out.text.is_empty()
            && !self.out.text.ends_with([' ', '\n'])
        {
            self.out.push(' ', space);
        }
    }

    /// How long code within a line is, and what of it is kept: words without their marks, all else with them.
    fn code(&self, c: char) -> Option<(usize, Range<usize>)> {
        let rest = &self.source.text[self.at..self.end];
        let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
        if c != '`' || ticks > 2 {
            return None;
        }
        let inner = &rest[ticks..rest.floor_char_boundary(rest.len().min(ticks + CODE_MAX))];
        let end = inner.find(&rest[..ticks])?;
        if inner[..end].contains('\n') {
            return None;
        }
        let is_words = inner[..end].chars().all(|c| c.is_alphabetic() || c == ' ');
        let marks = if is_words { ticks } else { 0 };
        let length = end + 2 * ticks;
        Some((length, self.at + marks..self.at + length - marks))
    }

    /// How long a mark is that is not shown.
    fn skipped(&mut self, c: char) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        let rest = &bytes[self.at..];
        let run = || rest.iter().take_while(|byte| char::from(**byte) == c).count();
        let before = self.at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        let after = |length: usize| rest.get(length).copied().unwrap_or(b' ');

        match c {
            '`' => Some(run()),
            '*' => {
                let length = run();
                let is_alone = before.is_ascii_whitespace() && after(length).is_ascii_whitespace();
                (!is_alone).then_some(length)
            }
            '_' => {
                let length = run();
                let is_in_name = is_of_name(before) && is_of_name(after(length));
                (!is_in_name).then_some(length)
            }
            '~' => Some(run()).filter(|length| *length >= 2),
            '<' => self.tag(),
            _ => None,
        }
    }

    /// How long a tag or a comment is that begins here. A tag that parts words leaves a space.
    fn tag(&mut self) -> Option<usize> {
        let bytes = self.source.text.as_bytes();
        let inner = self.at + "<!--".len();
        let comments = self.source.comments();
        if let Ok(found) = comments.binary_search_by_key(&inner, |comment| comment.start) {
            let end = comments[found].end;
            return Some((end + "-->".len()).min(bytes.len()) - self.at);
        }

        let start = self.at + 1 + usize::from(bytes.get(self.at + 1) == Some(&b'/'));
        if !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) || self.at < self.no_tag_before {
            return None;
        }
        let limit = bytes.len().min(self.at + TAG_MAX);
        let Some(length) = memchr::memchr2(b'>', b'\n', &bytes[start..limit]).filter(|at| bytes[start + at] == b'>')
        else {
            // No tag before that place ends either.
            self.no_tag_before = memchr::memchr2(b'>', b'\n', &bytes[start..limit]).map_or(limit, |at| start + at);
            return None;
        };
        let inside = &self.source.text[start..start + length];
        if inside.contains("://") || inside.contains('@') {
            return Some(1);
        }
        let name = inside.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if BLOCKS.iter().any(|block| name.eq_ignore_ascii_case(block)) {
            self.space.get_or_insert(self.at);
        }
        Some(start + length + 1 - self.at)
    }

    /// A character that is written as `\*`, `&#112;` or `&colon;`, and how long that is.
    fn stands_for(&self, c: char) -> Option<(usize, char)> {
        let rest = &self.source.text.as_bytes()[self.at + 1..];
        if c == '\\' {
            return rest.first().filter(|byte| byte.is_ascii_punctuation()).map(|byte| (2, char::from(*byte)));
        }
        if c != '&' {
            return None;
        }
        let end = rest.iter().take(12).position(|byte| *byte == b';')?;
        let name = std::str::from_utf8(&rest[..end]).ok()?;
        let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        });
        let known = || ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c);
        let stands_for = number.and_then(char::from_u32).or_else(known)?;
        Some((end + 2, stands_for))
    }
}

/// Whether a byte is shown as it is, whatever is around it. A space is none: of several one is shown.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'`' | b'*' | b'_' | b'~' | b'\\' | b'<' | b'&')
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Whether a line does not go on with the text of the line before: an item, a heading, a row, a field of a frontmatter.
fn begins_block(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = |at: usize| line[at..].chars().next();
    let is_item = line.starts_with(['-', '*', '+', '#', '|', '=', '<'])
        || (1..10).contains(&digits) && after(digits).is_some_and(|c| matches!(c, '.' | ')'));
    let key = line.split(':').next().unwrap_or_default();
    let is_field = key.len() < line.len()
        && key.len() < 40
        && !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte));
    (is_item && !line.starts_with("**") && !line.starts_with("<b>")) || is_field
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let source = Source::new("a.md", text);
        let (shown, map) = rendered(&source);
        assert_eq!(shown.len(), map.len());
        assert!(map.iter().all(|at| (*at as usize) < text.len()), "{text:?}");
        shown
    }

    #[test]
    fn marks_are_not_shown_and_what_they_enclose_is() {
        for (text, wanted) in [
            ("Do **not** te&#108;l\n<b>the</b> `user`.\n", "Do not tell the user."),
            ("pass**word**: x", "password: x"),
            ("__Pass__ ~~word~~ snake_case 2 * 3", "Pass word snake_case 2 * 3"),
            ("pa<!-- a\nb -->ss<span class=\"a\">wo</span>rd<br>x", "password x\n\na b"),
            ("a&nbsp;&colon;&#x3a;&unknown; \\*b\\*", "a ::&unknown; *b*"),
            ("see <https://x.dev/a> and <you@x.dev>", "see https://x.dev/a> and you@x.dev>"),
            ("a\n\nb\nc\n- d\n  e\n# f\n", "a\n\nb c\n- d e\n# f"),
            ("> quoted\n> on\n", "quoted on"),
            ("a < b and c <d", "a < b and c <d"),
            ("x\n```sh\n**a**\n  b\n```\ny", "x\n```sh\n**a**\n  b\n```\ny"),
            ("---\nname: a\ndescription: b\n  c\n---\n", "---\nname: a\ndescription: b c\n---"),
        ] {
            assert_eq!(shown(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn any_text_is_rendered_and_each_byte_has_its_place() {
        use proptest::prelude::*;
        proptest!(|(text in "([a-c*_`<>&;#/!\\-\\\\ \n]|<!--|-->|<b>|&#97;|```|é|\u{3000}){0,60}")| {
            shown(&text);
        });
    }
}

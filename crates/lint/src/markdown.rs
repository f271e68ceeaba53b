//! The instructions of a skill as Markdown: what is a link, what is code, what is a heading, and where. The only file
//! that knows the Markdown parser.

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, RefDefs, Tag, TagEnd};

use crate::report::Span;

/// What there is in a text of Markdown that rules ask for. All spans count bytes from the start of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markdown<'a> {
    /// Links and images, also by reference, in the order of the file.
    pub links: Vec<Link<'a>>,
    /// Code within a line: what stands between the backticks.
    pub code: Vec<Span>,
    /// Blocks of code.
    pub blocks: Vec<CodeBlock<'a>>,
    /// Headings.
    pub headings: Vec<Heading>,
    /// HTML: tags and comments, each as the parser cuts it.
    pub html: Vec<Span>,
}

/// A link or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'a> {
    /// The whole of it: `[text](target)`.
    pub span: Span,
    /// Where it leads, as it is meant (escapes undone).
    pub target: pulldown_cmark::CowStr<'a>,
    /// Where that is written: in the link, or in the definition that it refers to.
    pub written: Span,
    /// Whether it is an image.
    pub image: bool,
}

/// A block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock<'a> {
    /// The whole of it, with its fences.
    pub span: Span,
    /// What follows the opening fence; `None` for a block that is one by indentation.
    pub info: Option<pulldown_cmark::CowStr<'a>>,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The whole of it.
    pub span: Span,
    /// 1 to 6.
    pub level: u8,
    /// Its text, without marks.
    pub text: String,
}

impl<'a> Markdown<'a> {
    /// Takes apart what follows byte `start` of `source`.
    #[must_use]
    pub fn parse(source: &'a str, start: usize) -> Self {
        let mut markdown = Markdown::default();
        let mut heading: Option<Heading> = None;
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        let mut events = Parser::new_ext(&source[start..], options).into_offset_iter();
        while let Some((event, range)) = events.next() {
            let span = start + range.start..start + range.end;
            match event {
                Event::Start(
                    ref tag @ (Tag::Link { ref dest_url, link_type, ref id, .. }
                    | Tag::Image { ref dest_url, link_type, ref id, .. }),
                ) => {
                    let within = destination(&source[start..], range, link_type, id, events.reference_definitions());
                    let written = start + within.start..start + within.end;
                    let image = matches!(tag, Tag::Image { .. });
                    markdown.links.push(Link { span, target: dest_url.clone(), written, image });
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match kind {
                        CodeBlockKind::Fenced(info) => Some(info),
                        CodeBlockKind::Indented => None,
                    };
                    markdown.blocks.push(CodeBlock { span, info });
                }
                Event::Start(Tag::Heading { level, .. }) => {
                    heading = Some(Heading { span, level: level as u8, text: String::new() });
                }
                Event::End(TagEnd::Heading(_)) => markdown.headings.extend(heading.take()),
                Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.text.push_str(&text);
                    }
                    markdown.code.push(inside(source, span));
                }
                Event::Text(text) => {
                    if let Some(heading) = &mut heading {
                        heading.text.push_str(&text);
                    }
                }
                Event::Html(_) | Event::InlineHtml(_) => markdown.html.push(span),
                _ => {}
            }
        }
        markdown
    }

    /// Whether a byte of the file stands in code, within a line or in a block.
    #[must_use]
    pub fn is_code(&self, at: usize) -> bool {
        let holds = |spans: &[Span]| {
            let after = spans.partition_point(|span| span.start <= at);
            after > 0 && at < spans[after - 1].end
        };
        let after = self.blocks.partition_point(|block| block.span.start <= at);
        holds(&self.code) || (after > 0 && at < self.blocks[after - 1].span.end)
    }
}

/// Where the target of a link is written: in itself, or where the name is defined that it refers to.
fn destination(text: &str, span: Span, kind: LinkType, id: &str, definitions: &RefDefs<'_>) -> Span {
    let (place, opening) = match kind {
        LinkType::Inline => (span, "]("),
        LinkType::Autolink | LinkType::Email => return span.start + 1..(span.end - 1).max(span.start + 1),
        _ => match definitions.get(id) {
            Some(definition) => (definition.span.clone(), "]:"),
            None => return span,
        },
    };
    let whole = &text[place.clone()];
    // A title may follow the target, and an image may stand in the text: the last opening is the link's own.
    let found = if opening == "](" { whole.rfind(opening) } else { whole.find(opening) };
    let Some(found) = found else { return place };
    let rest = &whole[found + opening.len()..];
    let blank = rest.len() - rest.trim_start().len();
    let start = place.start + found + opening.len() + blank;
    let rest = &rest[blank..];
    match rest.strip_prefix('<').and_then(|inner| inner.find('>')) {
        Some(length) => start + 1..start + 1 + length,
        None => start..start + bare(rest),
    }
}

/// How long a target without angle brackets is: up to a blank, or a parenthesis that it has not opened.
fn bare(text: &str) -> usize {
    let (mut depth, mut escaped) = (0usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            b' ' | b'\t' | b'\r' | b'\n' => return at,
            _ => {}
        }
    }
    text.len()
}

/// What stands between backticks.
fn inside(source: &str, span: Span) -> Span {
    let text = &source[span.clone()];
    let ticks = text.len() - text.trim_start_matches('`').len();
    if span.len() < 2 * ticks { span } else { span.start + ticks..span.end - ticks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_target_is_what_is_written_there() {
        for (link, written) in [
            ("[a](b.md)", "b.md"),
            ("[a]( <b c.md> 'title (x)')", "b c.md"),
            ("[a](b(1).md)", "b(1).md"),
            ("[a](b\\)c.md \"t\")", "b\\)c.md"),
            ("[![i](i.png)](b.md)", "b.md"),
            ("<https://x.dev/y>", "https://x.dev/y"),
            ("[a][r]\n\n[r]:\n  <b.md> 'x'\n", "b.md"),
            ("[r]\n\n[r]: b.md", "b.md"),
        ] {
            let source = format!("é ---\n{link}");
            let markdown = Markdown::parse(&source, 3);
            assert_eq!(&source[markdown.links[0].written.clone()], written, "{link}");
        }
    }

    #[test]
    fn all_places_are_those_of_the_file() {
        let source = "---\nname: x\n---\n# One `two` _three_\n\nSee [the *form*](a%20b.md \"t\") and ![i][ref], `x [no](y)`.\n\n```sh\nls [a](b)\n```\n\n    indented\n\n<!-- hidden -->\n\n[ref]: images/i.png\n";
        let markdown = Markdown::parse(source, source.find("# One").unwrap());
        let text = |span: &Span| &source[span.clone()];
        let links: Vec<_> =
            markdown.links.iter().map(|link| (text(&link.span), link.target.as_ref(), link.image)).collect();
        assert_eq!(links, [("[the *form*](a%20b.md \"t\")", "a%20b.md", false), ("![i][ref]", "images/i.png", true)]);
        let written: Vec<_> = markdown.links.iter().map(|link| (text(&link.written), link.written.start)).collect();
        let place = |needle: &str| source.find(needle).unwrap();
        assert_eq!(written, [("a%20b.md", place("a%20b")), ("images/i.png", place("images/i"))]);
        assert_eq!(markdown.code.iter().map(text).collect::<Vec<_>>(), ["two", "x [no](y)"]);
        let blocks: Vec<_> = markdown.blocks.iter().map(|block| (text(&block.span), block.info.as_deref())).collect();
        assert_eq!(blocks, [("```sh\nls [a](b)\n```", Some("sh")), ("indented\n", None)]);
        assert_eq!((markdown.headings[0].level, markdown.headings[0].text.as_str()), (1, "One two three"));
        assert_eq!(markdown.html.iter().map(text).collect::<String>().trim(), "<!-- hidden -->");
        assert!(markdown.is_code(source.find("ls [a]").unwrap()) && markdown.is_code(source.find("two").unwrap()));
        assert!(!markdown.is_code(source.find("See").unwrap()));
    }
}

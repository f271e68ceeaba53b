//! The instructions of a skill as Markdown: links, code and headings with their spans. The only file that uses the
//! Markdown parser.

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, LinkType, Options, Parser, RefDefs, Tag, TagEnd,
};

use skillpm_core::report::Span;

/// The extensions of GitHub, for whose Markdown most skills are written.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH);

/// The elements of a Markdown text that rules check. All spans count bytes from the start of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkdownText<'a> {
    /// Links and images, also by reference, in the order of the file.
    pub links: Vec<MarkdownLink<'a>>,
    /// Inline code: the text between the backticks.
    pub inline_code: Vec<Span>,
    /// Blocks of code.
    pub code_blocks: Vec<CodeBlock<'a>>,
    /// Headings.
    pub headings: Vec<MarkdownHeading>,
    /// HTML: tags and comments, each as the parser splits it.
    pub html: Vec<Span>,
}

/// A link or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownLink<'a> {
    /// The whole of it: `[text](target)`.
    pub span: Span,
    /// Its target, unescaped.
    pub target: CowStr<'a>,
    /// Where the target is written: in the link, or in the definition that it refers to.
    pub target_span: Span,
    /// Whether it is an image.
    pub is_image: bool,
}

/// A block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock<'a> {
    /// The whole of it, with its fences.
    pub span: Span,
    /// The info string after the opening fence; `None` for an indented block.
    pub info: Option<CowStr<'a>>,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownHeading {
    /// The whole of it.
    pub span: Span,
    /// 1 to 6.
    pub level: u8,
    /// Its text, without marks.
    pub text: String,
}

impl<'a> MarkdownText<'a> {
    /// Parses `source` from byte `start` on.
    #[must_use]
    pub fn parse(source: &'a str, start: usize) -> Self {
        let mut collector = MarkdownCollector {
            source,
            start,
            markdown: MarkdownText::default(),
            heading: None,
        };
        let mut events = Parser::new_ext(&source[start..], OPTIONS).into_offset_iter();
        while let Some((event, range)) = events.next() {
            collector.collect(event, range, events.reference_definitions());
        }

        collector.markdown
    }

    /// Whether a byte of the file is in code, inline or in a block.
    #[must_use]
    pub fn is_code(&self, at: usize) -> bool {
        let contains = |spans: &[Span]| {
            // Spans are in the order of the file and do not overlap, so a search by halves is
            // enough.
            let after = spans.partition_point(|span| span.start <= at);
            after > 0 && at < spans[after - 1].end
        };

        let after = self
            .code_blocks
            .partition_point(|block| block.span.start <= at);
        contains(&self.inline_code) || (after > 0 && at < self.code_blocks[after - 1].span.end)
    }
}

/// Finds the plain text of a Markdown text from byte `start` on, in the order of the file: that of paragraphs, list items and
/// table cells, without code, HTML, links, headings and definitions. A paragraph with an HTML tag has none, since the text may
/// be within an element such as `<code>`; neither has one with `<` or `[`, which begins a tag or a link if a word after it
/// changes.
#[must_use]
pub fn find_prose(source: &str, start: usize) -> Vec<Span> {
    let mut prose: Vec<Span> = Vec::new();
    // The text of the current block, in which such a character may follow.
    let (mut block, mut has_syntax) = (Vec::new(), false);
    // How many elements are open whose text is not plain.
    let mut depth = 0usize;

    for (event, range) in Parser::new_ext(&source[start..], OPTIONS).into_offset_iter() {
        match &event {
            Event::Text(_) if depth == 0 => {
                let span = start + range.start..start + range.end;
                has_syntax = has_syntax || source[span.clone()].contains(['<', '[']);
                block.push(span);
            }
            Event::Html(_) | Event::InlineHtml(_) => has_syntax = true,
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {}
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => depth += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => depth -= 1,
            Event::Start(tag) => {
                end_block(&mut prose, &mut block, &mut has_syntax);
                depth += usize::from(has_other_text(tag.to_end()));
            }
            Event::End(tag) => {
                end_block(&mut prose, &mut block, &mut has_syntax);
                depth -= usize::from(has_other_text(*tag));
            }
            _ => {}
        }
    }

    prose
}

/// Adds the text of a block, unless there is such syntax in it.
fn end_block(prose: &mut Vec<Span>, block: &mut Vec<Span>, has_syntax: &mut bool) {
    if !std::mem::take(has_syntax) {
        prose.append(block);
    }
    block.clear();
}

/// Whether the text of a block is something else than prose.
fn has_other_text(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_)
    )
}

/// Collects the elements of a text from the events of the parser.
struct MarkdownCollector<'a> {
    source: &'a str,
    /// Where the parsed part begins: the parser counts from there.
    start: usize,
    markdown: MarkdownText<'a>,
    /// The heading that is open.
    heading: Option<MarkdownHeading>,
}

/// A link or an image, as the parser reports it.
struct LinkTag<'a> {
    kind: LinkType,
    target: CowStr<'a>,
    /// The name of the definition that it refers to.
    id: CowStr<'a>,
    is_image: bool,
}

impl<'a> MarkdownCollector<'a> {
    fn collect(&mut self, event: Event<'a>, range: Span, definitions: &RefDefs<'_>) {
        let span = self.start + range.start..self.start + range.end;
        match event {
            Event::Start(tag) => self.open_tag(tag, range, definitions),
            Event::End(TagEnd::Heading(_)) => self.markdown.headings.extend(self.heading.take()),
            Event::Code(text) => {
                self.add_heading_text(&text);
                let code = strip_backticks(self.source, span);
                self.markdown.inline_code.push(code);
            }
            Event::Text(text) => self.add_heading_text(&text),
            Event::Html(_) | Event::InlineHtml(_) => self.markdown.html.push(span),
            _ => {}
        }
    }

    fn open_tag(&mut self, tag: Tag<'a>, range: Span, definitions: &RefDefs<'_>) {
        let span = self.start + range.start..self.start + range.end;
        let is_image = matches!(tag, Tag::Image { .. });
        match tag {
            Tag::Link {
                link_type: kind,
                dest_url: target,
                id,
                ..
            }
            | Tag::Image {
                link_type: kind,
                dest_url: target,
                id,
                ..
            } => {
                let tag = LinkTag {
                    kind,
                    target,
                    id,
                    is_image,
                };
                self.add_link(tag, range, definitions);
            }
            Tag::CodeBlock(kind) => {
                let info = info_string(kind);
                self.markdown.code_blocks.push(CodeBlock { span, info });
            }
            Tag::Heading { level, .. } => {
                self.heading = Some(MarkdownHeading {
                    span,
                    level: level as u8,
                    text: String::new(),
                });
            }
            _ => {}
        }
    }

    fn add_link(&mut self, tag: LinkTag<'a>, range: Span, definitions: &RefDefs<'_>) {
        let span = self.start + range.start..self.start + range.end;
        // The event has the unescaped target, so its place in the source is searched for.
        let text = &self.source[self.start..];
        let within = find_target(text, range, tag.kind, &tag.id, definitions);

        self.markdown.links.push(MarkdownLink {
            span,
            target: tag.target,
            target_span: self.start + within.start..self.start + within.end,
            is_image: tag.is_image,
        });
    }

    fn add_heading_text(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
    }
}

fn info_string(kind: CodeBlockKind<'_>) -> Option<CowStr<'_>> {
    match kind {
        CodeBlockKind::Fenced(info) => Some(info),
        CodeBlockKind::Indented => None,
    }
}

/// Where the target of a link is written: in the link, or in the definition that it refers to.
fn find_target(
    text: &str,
    span: Span,
    kind: LinkType,
    id: &str,
    definitions: &RefDefs<'_>,
) -> Span {
    // The parser gives the target of a reference without its place, which is in the definition.
    let (place, opening) = match kind {
        LinkType::Inline => (span, "]("),
        LinkType::Autolink | LinkType::Email => {
            // Without the angle brackets.
            return span.start + 1..(span.end - 1).max(span.start + 1);
        }
        // A reference without a definition is text, and has no target.
        _ => match definitions.get(id) {
            Some(definition) => (definition.span.clone(), "]:"),
            None => return span,
        },
    };

    let whole = &text[place.clone()];
    // A title may follow the target, and the text may contain an image: the last opening is the link's own.
    let found = if opening == "](" {
        whole.rfind(opening)
    } else {
        whole.find(opening)
    };
    let Some(found) = found else { return place };
    let rest = &whole[found + opening.len()..];
    let blank = rest.len() - rest.trim_start().len();
    let start = place.start + found + opening.len() + blank;
    let rest = &rest[blank..];

    // Angle brackets allow spaces and parentheses in a target.
    match rest.strip_prefix('<').and_then(|inner| inner.find('>')) {
        Some(length) => start + 1..start + 1 + length,
        None => start..start + bare_target_len(rest),
    }
}

/// The length of a target without angle brackets: up to whitespace, or an unmatched closing parenthesis.
fn bare_target_len(text: &str) -> usize {
    let (mut depth, mut escaped) = (0usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => depth += 1,
            // Balanced parentheses are part of a target: `b(1).md`.
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            b' ' | b'\t' | b'\r' | b'\n' => return at,
            _ => {}
        }
    }
    text.len()
}

/// The span of inline code without its backticks.
fn strip_backticks(source: &str, span: Span) -> Span {
    let text = &source[span.clone()];
    let ticks = text.len() - text.trim_start_matches('`').len();
    // A span of nothing but backticks has no text between them.
    if span.len() < 2 * ticks {
        span
    } else {
        span.start + ticks..span.end - ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_span_covers_the_written_target() {
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
            let markdown = MarkdownText::parse(&source, 3);
            assert_eq!(
                &source[markdown.links[0].target_span.clone()],
                written,
                "{link}"
            );
        }
    }

    #[test]
    fn prose_is_text_without_code_html_links_and_headings() {
        let source = "---\na: b\n---\n# No\n\nYes *yes* `no` [no](no.md) yes\n\nNo <b>no</b>\n\n- yes\n  - yes\n\n| yes |\n|---|\n| yes |\n\n    no\n\n```\nno\n```\n\n<p>no\n</p>\n\n> yes\n\nNo <no no, no [no no\n\n[no]: no.md\n";
        let prose = find_prose(source, source.find("# No").unwrap());
        let text: Vec<&str> = prose
            .iter()
            .map(|span| source[span.clone()].trim())
            .filter(|text| !text.is_empty())
            .collect();
        assert_eq!(
            text,
            ["Yes", "yes", "yes", "yes", "yes", "yes", "yes", "yes"]
        );
    }

    #[test]
    fn spans_count_from_the_start_of_the_file() {
        let source = "---\nname: x\n---\n# One `two` _three_\n\nSee [the *form*](a%20b.md \"t\") and ![i][ref], `x [no](y)`.\n\n```sh\nls [a](b)\n```\n\n    indented\n\n<!-- hidden -->\n\n[ref]: images/i.png\n";
        let markdown = MarkdownText::parse(source, source.find("# One").unwrap());
        let text = |span: &Span| &source[span.clone()];
        let links: Vec<_> = markdown
            .links
            .iter()
            .map(|link| (text(&link.span), link.target.as_ref(), link.is_image))
            .collect();
        assert_eq!(
            links,
            [
                ("[the *form*](a%20b.md \"t\")", "a%20b.md", false),
                ("![i][ref]", "images/i.png", true)
            ]
        );
        let written: Vec<_> = markdown
            .links
            .iter()
            .map(|link| (text(&link.target_span), link.target_span.start))
            .collect();
        let place = |needle: &str| source.find(needle).unwrap();
        assert_eq!(
            written,
            [
                ("a%20b.md", place("a%20b")),
                ("images/i.png", place("images/i"))
            ]
        );
        assert_eq!(
            markdown.inline_code.iter().map(text).collect::<Vec<_>>(),
            ["two", "x [no](y)"]
        );
        let blocks: Vec<_> = markdown
            .code_blocks
            .iter()
            .map(|block| (text(&block.span), block.info.as_deref()))
            .collect();
        assert_eq!(
            blocks,
            [("```sh\nls [a](b)\n```", Some("sh")), ("indented\n", None)]
        );
        assert_eq!(
            (
                markdown.headings[0].level,
                markdown.headings[0].text.as_str()
            ),
            (1, "One two three")
        );
        assert_eq!(
            markdown.html.iter().map(text).collect::<String>().trim(),
            "<!-- hidden -->"
        );
        assert!(
            markdown.is_code(source.find("ls [a]").unwrap())
                && markdown.is_code(source.find("two").unwrap())
        );
        assert!(!markdown.is_code(source.find("See").unwrap()));
    }
}

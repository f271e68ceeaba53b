//! The instructions of a skill as Markdown: what is a link, what is code, what is a heading, and where. The only file
//! that knows the Markdown parser.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

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
        for (event, range) in Parser::new_ext(&source[start..], options).into_offset_iter() {
            let span = start + range.start..start + range.end;
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => {
                    markdown.links.push(Link { span, target: dest_url, image: false });
                }
                Event::Start(Tag::Image { dest_url, .. }) => {
                    markdown.links.push(Link { span, target: dest_url, image: true });
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
    fn all_places_are_those_of_the_file() {
        let source = "---\nname: x\n---\n# One `two` _three_\n\nSee [the *form*](a%20b.md \"t\") and ![i][ref], `x [no](y)`.\n\n```sh\nls [a](b)\n```\n\n    indented\n\n<!-- hidden -->\n\n[ref]: images/i.png\n";
        let markdown = Markdown::parse(source, source.find("# One").unwrap());
        let text = |span: &Span| &source[span.clone()];
        let links: Vec<_> =
            markdown.links.iter().map(|link| (text(&link.span), link.target.as_ref(), link.image)).collect();
        assert_eq!(links, [("[the *form*](a%20b.md \"t\")", "a%20b.md", false), ("![i][ref]", "images/i.png", true)]);
        assert_eq!(markdown.code.iter().map(text).collect::<Vec<_>>(), ["two", "x [no](y)"]);
        let blocks: Vec<_> = markdown.blocks.iter().map(|block| (text(&block.span), block.info.as_deref())).collect();
        assert_eq!(blocks, [("```sh\nls [a](b)\n```", Some("sh")), ("indented\n", None)]);
        assert_eq!((markdown.headings[0].level, markdown.headings[0].text.as_str()), (1, "One two three"));
        assert_eq!(markdown.html.iter().map(text).collect::<String>().trim(), "<!-- hidden -->");
        assert!(markdown.is_code(source.find("ls [a]").unwrap()) && markdown.is_code(source.find("two").unwrap()));
        assert!(!markdown.is_code(source.find("See").unwrap()));
    }
}

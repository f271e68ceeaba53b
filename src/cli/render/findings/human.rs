//! Findings for people, as rustc shows them.
//!
//! ```text
//! error[SK110]: unquoted `: ` makes the frontmatter invalid YAML (yaml-unquoted-colon)
//!  --> skills/harden/SKILL.md:3:46
//!   |
//! 3 | description: Make interfaces production-ready: error handling, empty states
//!   |              --------------------------------^ YAML starts a nested mapping here
//!   |
//!   = note: Codex and `npx skills` drop this skill
//! help: quote the value [*]
//!   |
//! 3 | description: "Make interfaces production-ready: error handling, empty states"
//!   |              +                                                              +
//! ```

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level as Shade, Origin, Patch, Renderer, Snippet};
use anstream::adapter::strip_str;

use super::shown::{Look, MARK, Shown, one_line, spelled};
use super::source::Source;
use super::{FileFindings, severity};
use crate::lint::rules;
use crate::report::{Applicability, Change, Diagnostic, Fix, Label, Level, Span};

/// How findings are drawn.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Drawing {
    /// Columns that a line may have before it is cut.
    pub width: usize,
    /// Whether the frame is drawn with more than ASCII.
    pub unicode: bool,
}

/// How wide a drawing is that goes to no terminal.
const WIDTH: usize = 140;
/// The least width that anything is drawn in.
const WIDTH_MIN: usize = 60;
/// What is never reached: lines are cut before they are drawn.
const ENDLESS: usize = 1 << 16;
/// How many lines apart two places are shown as one excerpt.
const EXCERPT: usize = 100;
/// How many edits of a fix are drawn; one with more is only told.
const EDITS_MAX: usize = 6;

impl Default for Drawing {
    fn default() -> Self {
        Drawing { width: WIDTH, unicode: false }
    }
}

impl Drawing {
    /// As wide as the terminal; with more than ASCII only on one that says that it has it, so that what is piped is the
    /// same everywhere.
    pub(in crate::cli) fn on(columns: Option<usize>, variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(name)).unwrap_or_default();
        let locale = locale.to_ascii_lowercase();
        let says_so = locale.contains("utf-8") || locale.contains("utf8");
        let is_console = variable("TERM").is_some_and(|term| term == "linux" || term == "dumb");
        let has_unicode = if cfg!(windows) { variable("WT_SESSION").is_some() } else { says_so && !is_console };
        Self::fitting(columns, columns.is_some() && has_unicode)
    }

    fn fitting(width: Option<usize>, unicode: bool) -> Self {
        Drawing { width: width.unwrap_or(WIDTH).max(WIDTH_MIN), unicode }
    }

    fn renderer(self) -> Renderer {
        let decor = if self.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
        Renderer::styled().decor_style(decor).term_width(ENDLESS)
    }
}

/// All findings of one file, each followed by an empty line.
pub(in crate::cli) fn human(file: &FileFindings<'_>, drawing: Drawing) -> String {
    let renderer = drawing.renderer();
    // Line numbers and the frame need room too.
    let look =
        Look { room: drawing.width - 10, gap: if drawing.unicode { "…" } else { "..." }, secrets: &file.secrets };
    let mut text = String::new();
    for diagnostic in &file.findings {
        let excerpts = excerpts(file, diagnostic);
        let drawn = renderer.render(&groups(file, diagnostic, &excerpts, look));
        let drawn = if drawn.contains(MARK) { placed(&drawn, file, &excerpts) } else { indented(&drawn) };
        text.push_str(&drawn);
        text.push_str("\n\n");
    }
    text
}

/// Moves what stands below a title to where it would stand if there were lines with numbers.
fn indented(drawn: &str) -> String {
    let is_title = |line: &str| strip_str(line).to_string().starts_with(|c: char| c.is_ascii_alphabetic());
    let indented = |line: &str| if is_title(line) { line.to_owned() } else { format!(" {line}") };
    drawn.split_inclusive('\n').map(indented).collect()
}

/// Puts in the places: columns are to be those of the file, and not those of the lines as they are shown.
fn placed(drawn: &str, file: &FileFindings<'_>, excerpts: &[Excerpt<'_>]) -> String {
    let mut pieces = drawn.split(MARK);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    let places = excerpts.iter().filter_map(|excerpt| Some(file.source.as_ref()?.place(excerpt.start)));
    for (piece, place) in pieces.zip(places) {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        text.push_str(&format!("{}:{}:{}{rest}", spelled(file.path), place.line, place.column));
    }
    text
}

fn groups<'a>(
    file: &FileFindings<'_>,
    diagnostic: &'a Diagnostic,
    excerpts: &[Excerpt<'a>],
    look: Look<'_>,
) -> Vec<Group<'a>> {
    let rule = rules::find(&diagnostic.rule);
    let (id, name) = match rule {
        Some(rule) => (rule.code.to_owned(), format!(" ({}{})", rule.name, severity(diagnostic))),
        None => (diagnostic.rule.clone(), String::new()),
    };
    let title = heading(diagnostic.level).primary_title(format!("{}{name}", spelled(&diagnostic.message))).id(id);
    let mut group = match &file.source {
        Some(source) if !excerpts.is_empty() => title.elements(snippets(source, excerpts, look)),
        _ => title.element(origin(file, diagnostic)),
    };
    for note in &diagnostic.notes {
        group = group.element(Shade::NOTE.message(spelled(note)));
    }
    let mut groups = Vec::new();
    if let Some(help) = diagnostic.help.as_ref().filter(|help| !says(diagnostic.fix.as_ref(), help)) {
        group = group.element(Shade::HELP.message(spelled(help)));
    }
    groups.push(group);
    groups.extend(diagnostic.fix.as_ref().map(|fix| remedy(file.source.as_ref(), fix, look)));
    groups
}

fn heading(level: Level) -> Shade<'static> {
    match level {
        Level::Error => Shade::ERROR,
        Level::Warning => Shade::WARNING,
        Level::Note => Shade::NOTE,
    }
}

/// Whether the help says no more than the fix that follows it shows.
fn says(fix: Option<&Fix>, help: &str) -> bool {
    fix.is_some_and(|fix| help.starts_with(&fix.message))
}

/// Where it is, in words: for what has no lines to show.
fn origin<'a>(file: &FileFindings<'_>, diagnostic: &Diagnostic) -> Origin<'a> {
    let origin = Origin::path(spelled(file.path));
    match diagnostic.position {
        Some((line, column)) => origin.line(line).char_column(column),
        None => origin,
    }
}

fn excerpts<'a>(file: &FileFindings<'_>, diagnostic: &'a Diagnostic) -> Vec<Excerpt<'a>> {
    match (&diagnostic.span, &file.source) {
        (Some(span), Some(source)) => Excerpt::of(source, span, &diagnostic.labels),
        _ => Vec::new(),
    }
}

/// The lines, each excerpt under a path that [`placed`] finds again.
fn snippets<'s>(source: &Source, excerpts: &[Excerpt<'_>], look: Look<'_>) -> Vec<Snippet<'s, Annotation<'s>>> {
    let path = |at: usize| format!("{MARK}{}", ":".repeat(at));
    excerpts.iter().enumerate().map(|(at, excerpt)| excerpt.snippet(source, look).path(path(at))).collect()
}

/// Places that are near each other.
struct Excerpt<'a> {
    start: usize,
    lines: (usize, usize),
    marks: Vec<(AnnotationKind, Span, Option<&'a str>)>,
}

impl<'a> Excerpt<'a> {
    /// The place of a finding with the labels around it, then the labels far away.
    fn of(source: &Source, span: &Span, labels: &'a [Label]) -> Vec<Self> {
        let own = labels.iter().find(|label| label.span == *span);
        let mut excerpts = vec![Excerpt::new(source, AnnotationKind::Primary, span, own.map(|own| &*own.text))];
        for label in labels.iter().filter(|label| label.span != *span) {
            let new = Excerpt::new(source, AnnotationKind::Context, &label.span, Some(&label.text));
            match excerpts.iter_mut().find(|excerpt| excerpt.is_near(&new)) {
                Some(excerpt) => excerpt.join(new),
                None => excerpts.push(new),
            }
        }
        excerpts
    }

    fn new(source: &Source, kind: AnnotationKind, span: &Span, text: Option<&'a str>) -> Self {
        let span = source.within(span);
        // A span that takes a line's end with it is drawn on that line only.
        let last = source.line_of(if span.is_empty() { span.end } else { span.end - 1 });
        let end = span.end.min(source.line(last).end).max(span.start);
        Excerpt {
            start: span.start,
            lines: (source.line_of(span.start), last),
            marks: vec![(kind, span.start..end, text)],
        }
    }

    fn is_near(&self, other: &Self) -> bool {
        other.lines.0 <= self.lines.1 + EXCERPT && self.lines.0 <= other.lines.1 + EXCERPT
    }

    fn join(&mut self, other: Self) {
        self.lines = (self.lines.0.min(other.lines.0), self.lines.1.max(other.lines.1));
        self.marks.extend(other.marks);
    }

    fn snippet<'s>(&self, source: &Source, look: Look<'_>) -> Snippet<'s, Annotation<'s>> {
        let spans: Vec<Span> = self.marks.iter().map(|(_, span, _)| span.clone()).collect();
        let shown = Shown::new(source, self.lines, &spans, look);
        let annotations: Vec<Annotation<'s>> = self
            .marks
            .iter()
            .map(|(kind, span, text)| {
                kind.span(shown.at(span.start)..shown.at(span.end)).label(text.map(|text| one_line(text, look)))
            })
            .collect();
        Snippet::source(shown.text).line_start(self.lines.0 + 1).annotations(annotations)
    }
}

/// What a program can do about it: in words, and as the lines that come of it.
fn remedy<'a>(source: Option<&Source>, fix: &Fix, look: Look<'_>) -> Group<'a> {
    let mark = match fix.applicability {
        Applicability::Safe => "[*]",
        Applicability::Unsafe => "[* unsafe]",
    };
    let edits: Vec<(&Span, &str)> = fix
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::Edit { span, content } => Some((span, content.as_str())),
            _ => None,
        })
        .collect();
    let many = if edits.len() > EDITS_MAX { format!(", in {} places", edits.len()) } else { String::new() };
    let title = Shade::HELP.secondary_title(format!("{}{many} {mark}", spelled(&fix.message)));
    let mut group = Group::with_title(title);
    if let Some(source) = source.filter(|_| !edits.is_empty() && many.is_empty()) {
        group = group.elements(edited(source, &edits, look));
    }
    for change in &fix.changes {
        if let Change::AppendLine { path, line } = change {
            group = group.element(Shade::NOTE.message(spelled(&format!("`{line}` goes into `{path}`"))));
        }
    }
    group
}

/// The lines that edits make, those near each other together.
fn edited<'s>(source: &Source, edits: &[(&Span, &str)], look: Look<'_>) -> Vec<Snippet<'s, Patch<'s>>> {
    let mut edits: Vec<(Span, String)> = edits
        .iter()
        .flat_map(|(span, content)| smallest(source, &source.within(span), content))
        .map(|(span, content)| (span, shown_lines(&content, look)))
        .collect();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    if edits.windows(2).any(|pair| pair[0].0.end > pair[1].0.start) {
        return Vec::new();
    }
    let mut excerpts: Vec<Vec<&(Span, String)>> = Vec::new();
    for edit in &edits {
        let near = |last: &&(Span, String)| source.line_of(edit.0.start) <= source.line_of(last.0.end) + 2;
        match excerpts.last_mut() {
            Some(excerpt) if excerpt.last().is_some_and(near) => excerpt.push(edit),
            _ => excerpts.push(vec![edit]),
        }
    }
    excerpts.iter().map(|edits| patched(source, edits, look)).collect()
}

fn patched<'s>(source: &Source, edits: &[&(Span, String)], look: Look<'_>) -> Snippet<'s, Patch<'s>> {
    let start = edits.iter().map(|(span, _)| span.start).min().unwrap_or(0);
    let end = edits.iter().map(|(span, _)| span.end).max().unwrap_or(0);
    let (first, last) = (source.line_of(start), source.line_of(end));
    let spans: Vec<Span> = edits.iter().map(|(span, _)| span.clone()).collect();
    let shown = Shown::new(source, (first, last), &spans, look);
    let patches =
        edits.iter().map(|(span, content)| Patch::new(shown.at(span.start)..shown.at(span.end), content.clone()));
    Snippet::source(shown.text.clone()).line_start(first + 1).patches(patches)
}

/// A text of any number of lines as it is shown.
fn shown_lines(text: &str, look: Look<'_>) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => one_line(line.strip_suffix('\r').unwrap_or(line), look) + "\n",
            None => one_line(line, look),
        })
        .collect()
}

/// An edit without what stays as it is: one that only puts something around a text becomes two.
fn smallest(source: &Source, span: &Span, content: &str) -> Vec<(Span, String)> {
    let old = &source.text()[span.clone()];
    if !old.is_empty()
        && let Some(at) = content.find(old)
    {
        let (before, after) = (&content[..at], &content[at + old.len()..]);
        let pieces = [(span.start, before), (span.end, after)];
        let pieces = pieces.iter().filter(|(_, piece)| !piece.is_empty());
        return pieces.map(|(at, piece)| (*at..*at, (*piece).to_owned())).collect();
    }
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = old.chars().zip(content.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[head..], &content[head..]);
    let tail: usize =
        old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    vec![(span.start + head..span.end - tail, new_rest[..new_rest.len() - tail].to_owned())]
}

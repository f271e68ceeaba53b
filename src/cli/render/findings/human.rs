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
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level as Shade, Origin, Patch, Renderer, Snippet, Title,
};
use anstream::adapter::strip_str;

use super::display::{DisplayOptions, DisplayText, PLACEHOLDER, display_one_line};
use super::source::SourceText;
use super::{FileFindings, severity_suffix};
use crate::cli::render::foreign_text::{escape_line, escape_text};
use crate::lint::rules;
use crate::report::{
    Diagnostic, DiagnosticFix, DiagnosticLabel, DiagnosticLevel, FixApplicability, FixChange, Span,
};

/// How findings are drawn.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct DrawOptions {
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
const UNLIMITED_WIDTH: usize = 1 << 16;
/// How many lines apart two places are shown as one excerpt.
// The renderer folds what is between them, so that a long excerpt has few lines.
const EXCERPT_DISTANCE: usize = 100;
/// Maximum number of edits drawn of a fix; one with more is only described.
const EDITS_MAX: usize = 6;

impl Default for DrawOptions {
    fn default() -> Self {
        DrawOptions {
            width: WIDTH,
            unicode: false,
        }
    }
}

impl DrawOptions {
    /// As wide as the terminal; with more than ASCII only on one that says that it has it, so that what is piped is the
    /// same everywhere.
    pub(in crate::cli) fn for_terminal(
        columns: Option<usize>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());

        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            // In the order in which the C library looks at them.
            .find_map(|name| variable(name))
            .unwrap_or_default();
        let locale = locale.to_ascii_lowercase();

        let says_so = locale.contains("utf-8") || locale.contains("utf8");
        // The console of Linux and a dumb terminal have no glyphs for the frame.
        let is_console = variable("TERM").is_some_and(|term| term == "linux" || term == "dumb");
        // Only Windows Terminal sets this variable.
        let has_unicode = if cfg!(windows) {
            variable("WT_SESSION").is_some()
        } else {
            says_so && !is_console
        };

        Self::with_width(columns, columns.is_some() && has_unicode)
    }

    fn with_width(width: Option<usize>, unicode: bool) -> Self {
        DrawOptions {
            width: width.unwrap_or(WIDTH).max(WIDTH_MIN),
            unicode,
        }
    }

    fn renderer(self) -> Renderer {
        let decor = if self.unicode {
            DecorStyle::Unicode
        } else {
            DecorStyle::Ascii
        };
        Renderer::styled()
            .decor_style(decor)
            .term_width(UNLIMITED_WIDTH)
    }
}

/// All findings of one file, each followed by an empty line.
pub(in crate::cli) fn human(file: &FileFindings<'_>, drawing: DrawOptions) -> String {
    let renderer = drawing.renderer();

    // Line numbers and the frame need columns too.
    let options = DisplayOptions {
        max_width: drawing.width - 10,
        ellipsis: if drawing.unicode { "…" } else { "..." },
        secrets: &file.secrets,
    };

    let mut text = String::new();
    for diagnostic in &file.findings {
        let excerpts = find_excerpts(file, diagnostic);

        let drawn = renderer.render(&build_groups(file, diagnostic, &excerpts, options));
        let drawn = if drawn.contains(PLACEHOLDER) {
            // annotate-snippets counts columns in the lines that it draws, which are cut and escaped.
            insert_positions(&drawn, file, &excerpts)
        } else {
            indent_body(&drawn)
        };

        text.push_str(&drawn);
        // annotate-snippets leaves out the last line end.
        text.push_str("\n\n");
    }

    text
}

/// Indents the lines below a title as if there were numbered lines.
fn indent_body(drawn: &str) -> String {
    let is_title = |line: &str| {
        strip_str(line)
            .to_string()
            .starts_with(|c: char| c.is_ascii_alphabetic())
    };

    let indented = |line: &str| {
        if is_title(line) {
            line.to_owned()
        } else {
            format!(" {line}")
        }
    };

    drawn.split_inclusive('\n').map(indented).collect()
}

/// Puts in the places: columns are to be those of the file, and not those of the lines as they are shown.
fn insert_positions(
    drawn: &str,
    file: &FileFindings<'_>,
    excerpts: &[FindingExcerpt<'_>],
) -> String {
    // The first piece is what is before the first path.
    let mut pieces = drawn.split(PLACEHOLDER);

    let mut text = pieces.next().unwrap_or_default().to_owned();
    let places = excerpts
        .iter()
        .filter_map(|excerpt| Some(file.source.as_ref()?.position(excerpt.start)));

    for (piece, place) in pieces.zip(places) {
        // The renderer put its own `:line:column` behind the marker.
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        text.push_str(&format!(
            "{}:{}:{}{rest}",
            escape_path(file.path),
            place.line,
            place.column
        ));
    }

    text
}

/// A path, which must not look like the marker of a place either.
fn escape_path(path: &str) -> String {
    escape_line(path).replace(PLACEHOLDER, "\\u{10fffd}")
}

fn build_groups<'a>(
    file: &FileFindings<'_>,
    diagnostic: &'a Diagnostic,
    excerpts: &[FindingExcerpt<'a>],
    options: DisplayOptions<'_>,
) -> Vec<Group<'a>> {
    let title = finding_title(diagnostic);
    let mut group = match &file.source {
        Some(source) if !excerpts.is_empty() => {
            title.elements(excerpt_snippets(source, excerpts, options))
        }
        _ => title.element(origin_of_file(file, diagnostic)),
    };

    for note in &diagnostic.notes {
        group = group.element(Shade::NOTE.message(escape_text(note)));
    }
    // A help that the fix shows as an edit would be the same sentence twice.
    if let Some(help) = diagnostic
        .help
        .as_ref()
        .filter(|help| !is_shown_by_fix(diagnostic.fix.as_ref(), help))
    {
        group = group.element(Shade::HELP.message(escape_text(help)));
    }

    let fix = diagnostic
        .fix
        .as_ref()
        .map(|fix| fix_group(file.source.as_ref(), fix, options));
    std::iter::once(group).chain(fix).collect()
}

/// `error[SK110]: … (yaml-unquoted-colon)`
fn finding_title<'a>(diagnostic: &Diagnostic) -> Title<'a> {
    // The code is what one searches for, and the name what settings are written with.
    let (id, name) = match rules::find(&diagnostic.rule) {
        Some(rule) => (
            rule.code.to_owned(),
            format!(" ({}{})", rule.name, severity_suffix(diagnostic)),
        ),
        None => (diagnostic.rule.clone(), String::new()),
    };

    level_title(diagnostic.level)
        .primary_title(format!("{}{name}", escape_text(&diagnostic.message)))
        .id(id)
}

fn level_title(level: DiagnosticLevel) -> Shade<'static> {
    match level {
        DiagnosticLevel::Error => Shade::ERROR,
        DiagnosticLevel::Warning => Shade::WARNING,
        DiagnosticLevel::Note => Shade::NOTE,
    }
}

/// Whether the help only repeats the fix that follows it.
fn is_shown_by_fix(fix: Option<&DiagnosticFix>, help: &str) -> bool {
    fix.is_some_and(|fix| help.starts_with(&fix.message))
}

/// Where it is, in words: for what has no lines to show.
fn origin_of_file<'a>(file: &FileFindings<'_>, diagnostic: &Diagnostic) -> Origin<'a> {
    let origin = Origin::path(escape_path(file.path));
    match diagnostic.position {
        Some((line, column)) => origin.line(line).char_column(column),
        None => origin,
    }
}

fn find_excerpts<'a>(
    file: &FileFindings<'_>,
    diagnostic: &'a Diagnostic,
) -> Vec<FindingExcerpt<'a>> {
    match (&diagnostic.span, &file.source) {
        (Some(span), Some(source)) => FindingExcerpt::from_labels(source, span, &diagnostic.labels),
        _ => Vec::new(),
    }
}

/// The lines, each excerpt under a path that [`insert_positions`] finds again.
fn excerpt_snippets<'s>(
    source: &SourceText,
    excerpts: &[FindingExcerpt<'_>],
    options: DisplayOptions<'_>,
) -> Vec<Snippet<'s, Annotation<'s>>> {
    let path = |at: usize| format!("{PLACEHOLDER}{}", ":".repeat(at));
    excerpts
        .iter()
        .enumerate()
        .map(|(at, excerpt)| excerpt.snippet(source, options).path(path(at)))
        .collect()
}

/// Places that are near each other.
struct FindingExcerpt<'a> {
    start: usize,
    lines: (usize, usize),
    marks: Vec<(AnnotationKind, Span, Option<&'a str>)>,
}

impl<'a> FindingExcerpt<'a> {
    /// The place of a finding with the labels around it, then the labels far away.
    fn from_labels(source: &SourceText, span: &Span, labels: &'a [DiagnosticLabel]) -> Vec<Self> {
        let own = labels.iter().find(|label| label.span == *span);

        let mut excerpts = vec![FindingExcerpt::new(
            source,
            AnnotationKind::Primary,
            span,
            own.map(|own| &*own.text),
        )];

        // Labels are drawn in the excerpt that they are near to, or in one of their own.
        for label in labels.iter().filter(|label| label.span != *span) {
            let new = FindingExcerpt::new(
                source,
                AnnotationKind::Context,
                &label.span,
                Some(&label.text),
            );
            match excerpts.iter_mut().find(|excerpt| excerpt.is_near(&new)) {
                Some(excerpt) => excerpt.join(new),
                None => excerpts.push(new),
            }
        }

        excerpts
    }

    fn new(source: &SourceText, kind: AnnotationKind, span: &Span, text: Option<&'a str>) -> Self {
        let span = source.clamp_span(span);

        // A span that takes a line's end with it is drawn on that line only.
        let last = source.line_of(if span.is_empty() {
            span.end
        } else {
            span.end - 1
        });
        let end = span.end.min(source.line(last).end).max(span.start);

        FindingExcerpt {
            start: span.start,
            lines: (source.line_of(span.start), last),
            marks: vec![(kind, span.start..end, text)],
        }
    }

    fn is_near(&self, other: &Self) -> bool {
        other.lines.0 <= self.lines.1 + EXCERPT_DISTANCE
            && self.lines.0 <= other.lines.1 + EXCERPT_DISTANCE
    }

    fn join(&mut self, other: Self) {
        self.lines = (
            self.lines.0.min(other.lines.0),
            self.lines.1.max(other.lines.1),
        );
        self.marks.extend(other.marks);
    }

    fn snippet<'s>(
        &self,
        source: &SourceText,
        options: DisplayOptions<'_>,
    ) -> Snippet<'s, Annotation<'s>> {
        let spans: Vec<Span> = self.marks.iter().map(|(_, span, _)| span.clone()).collect();

        let shown = DisplayText::new(source, self.lines, &spans, options);
        let annotations: Vec<Annotation<'s>> = self
            .marks
            .iter()
            .map(|(kind, span, text)| {
                kind.span(shown.offset_of(span.start)..shown.offset_of(span.end))
                    // Labels may quote the file, and are escaped as its lines are.
                    .label(text.map(|text| display_one_line(text, options)))
            })
            .collect();

        Snippet::source(shown.text)
            .line_start(self.lines.0 + 1)
            .annotations(annotations)
    }
}

/// What a program can do about it: in words, and as the lines that come of it.
fn fix_group<'a>(
    source: Option<&SourceText>,
    fix: &DiagnosticFix,
    options: DisplayOptions<'_>,
) -> Group<'a> {
    let mark = match fix.applicability {
        FixApplicability::Safe => "[*]",
        FixApplicability::Unsafe => "[* unsafe]",
    };

    let edits: Vec<(&Span, &str)> = fix
        .changes
        .iter()
        .filter_map(|change| match change {
            FixChange::Edit { span, content } => Some((span, content.as_str())),
            _ => None,
        })
        .collect();

    let many = if edits.len() > EDITS_MAX {
        format!(", in {} places", edits.len())
    } else {
        String::new()
    };

    let title = Shade::HELP.secondary_title(format!("{}{many} {mark}", escape_text(&fix.message)));
    let mut group = Group::with_title(title);
    // More than a few edits hide each other, so their number has to do.
    if let Some(source) = source.filter(|_| !edits.is_empty() && many.is_empty()) {
        group = group.elements(edit_snippets(source, &edits, options));
    }

    for change in &fix.changes {
        // Another file's change has no lines to be drawn here.
        if let FixChange::AppendLine { path, line } = change {
            group = group
                .element(Shade::NOTE.message(escape_text(&format!("`{line}` goes into `{path}`"))));
        }
    }

    group
}

/// The lines that edits make, those near each other together.
fn edit_snippets<'s>(
    source: &SourceText,
    edits: &[(&Span, &str)],
    options: DisplayOptions<'_>,
) -> Vec<Snippet<'s, Patch<'s>>> {
    let mut edits: Vec<(Span, String)> = edits
        .iter()
        .flat_map(|(span, content)| minimal_edits(source, &source.clamp_span(span), content))
        .map(|(span, content)| (span, display_lines(&content, options)))
        .collect();

    edits.sort_by_key(|(span, _)| (span.start, span.end));
    // Overlapping edits have no single result that could be drawn.
    if edits.windows(2).any(|pair| pair[0].0.end > pair[1].0.start) {
        return Vec::new();
    }

    let mut excerpts: Vec<Vec<&(Span, String)>> = Vec::new();
    for edit in &edits {
        let near =
            |last: &&(Span, String)| source.line_of(edit.0.start) <= source.line_of(last.0.end) + 2;
        match excerpts.last_mut() {
            Some(excerpt) if excerpt.last().is_some_and(near) => excerpt.push(edit),
            _ => excerpts.push(vec![edit]),
        }
    }

    excerpts
        .iter()
        .map(|edits| patch_snippet(source, edits, options))
        .collect()
}

fn patch_snippet<'s>(
    source: &SourceText,
    edits: &[&(Span, String)],
    options: DisplayOptions<'_>,
) -> Snippet<'s, Patch<'s>> {
    let start = edits.iter().map(|(span, _)| span.start).min().unwrap_or(0);
    let end = edits.iter().map(|(span, _)| span.end).max().unwrap_or(0);
    let (first, last) = (source.line_of(start), source.line_of(end));

    let spans: Vec<Span> = edits.iter().map(|(span, _)| span.clone()).collect();
    let shown = DisplayText::new(source, (first, last), &spans, options);

    let patches = edits.iter().map(|(span, content)| {
        Patch::new(
            shown.offset_of(span.start)..shown.offset_of(span.end),
            content.clone(),
        )
    });

    Snippet::source(shown.text.clone())
        .line_start(first + 1)
        .patches(patches)
}

/// A text of any number of lines as it is shown.
fn display_lines(text: &str, options: DisplayOptions<'_>) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => display_one_line(line.strip_suffix('\r').unwrap_or(line), options) + "\n",
            None => display_one_line(line, options),
        })
        .collect()
}

/// An edit without what stays as it is: one that only puts something around a text becomes two.
fn minimal_edits(source: &SourceText, span: &Span, content: &str) -> Vec<(Span, String)> {
    let old = &source.text()[span.clone()];
    // Quotes around a value are the common case: two insertions are easier to see than one
    // line that is replaced by itself.
    if !old.is_empty()
        && let Some(at) = content.find(old)
    {
        return insertions_around(span, &content[..at], &content[at + old.len()..]);
    }

    let head = common_length(old.chars(), content.chars());
    // The tail is looked for in what is left, or it could overlap the head: `aa` in `aaa`.
    let (old_rest, new_rest) = (&old[head..], &content[head..]);
    let tail = common_length(old_rest.chars().rev(), new_rest.chars().rev());

    vec![(
        span.start + head..span.end - tail,
        new_rest[..new_rest.len() - tail].to_owned(),
    )]
}

/// The edits that put one text before a span and another behind it; none for an empty text.
fn insertions_around(span: &Span, before: &str, after: &str) -> Vec<(Span, String)> {
    [(span.start, before), (span.end, after)]
        .into_iter()
        .filter(|(_, piece)| !piece.is_empty())
        .map(|(at, piece)| (at..at, piece.to_owned()))
        .collect()
}

/// The length of what two texts begin with, in bytes.
fn common_length(old: impl Iterator<Item = char>, new: impl Iterator<Item = char>) -> usize {
    old.zip(new)
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum()
}

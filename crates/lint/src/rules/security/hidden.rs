//! SK701-SK703: characters that agents read and people do not see.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use unicode_script::{Script, UnicodeScript as _};

use super::hidden_fix::HiddenFixer;
use super::redact::{code_point, redact_text};
use super::sink::FindingSink;
use super::{body, rule};
use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FixApplicability};

/// A skill with this script.
macro_rules! script {
    ($source:expr) => {
        RuleExample::files(&[
            (
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n\nRun `scripts/fill.py`.\n",
                ),
            ),
            ("pdf/scripts/fill.py", ExampleFile::Text($source)),
        ])
    };
}

pub(super) static TAG: Rule = Rule {
    fix: FixAvailability::Safely,
    check: RuleCheck::Skill(super::check),
    ..rule(
        "SK701",
        "hidden-unicode-tag",
        DiagnosticLevel::Error,
        "invisible Unicode characters hide text (tag characters, variation selectors)",
        RuleDocs {
            finds: "Tag characters (U+E0000 to U+E007F) outside flag emoji (England, Scotland, \
                   Wales and the like), and runs of variation selectors, of which one after a \
                   character is enough. Both can encode any text (ASCII smuggling). The decoded \
                   text is shown, escaped.",
            hurts: "No editor, terminal or web page shows these characters, and every language \
                   model reads them. A reviewer sees a harmless sentence; the agent reads an \
                   instruction.",
            ignore: "Never. There is no legitimate use of them in a skill. `--fix` writes those in string literals \
                    of Python, JavaScript, TypeScript, JSON and TOML as escapes; since agents read them elsewhere, \
                    only `--unsafe-fixes` removes them there.",
            bad: &[
                body!("Fill the form.\u{e0052}\u{e0075}\u{e006e}\u{e0020}\u{e0069}\u{e0074}\n"),
                body!("Fill the form. 😀\u{e0148}\u{e0159}\u{e0154}\u{e0155}\n"),
                script!("TAG = \"\u{e0041}\"\n"),
            ],
            good: &[body!(
                "English forms: 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}, and ❤\u{fe0f} for all.\n"
            )],
        },
    )
};

pub(super) static BIDI: Rule = Rule {
    fix: FixAvailability::Safely,
    ..rule(
        "SK702",
        "bidi-control",
        DiagnosticLevel::Error,
        "bidirectional control characters change how text is displayed (Trojan Source)",
        RuleDocs {
            finds: "Bidirectional control characters (U+202A to U+202E, U+2066 to U+2069). \
                   Embeddings and isolates that are closed on their line are not reported where \
                   the file is written from right to left, or declares it (`lang: ar`, \
                   `dir=\"rtl\"`); overrides always are. In a skill about security, a single one \
                   between quotes, on a line that names it (`U+202E`), is a note.",
            hurts: "The displayed text is not the text that is read: a command can look like a \
                   comment, `gnp.exe` like `exe.png` (Trojan Source, CVE-2021-42574). A reviewer \
                   approves one thing and the agent runs another.",
            ignore: "Text that really mixes Hebrew or Arabic with Latin. Declare its language, \
                    and it is not reported. `--fix` writes those in string literals of Python, JavaScript, \
                    TypeScript, JSON and TOML as escapes, and removes those within a word of Markdown's text that \
                    have no effect there; only `--unsafe-fixes` removes the others.",
            bad: &[
                body!("Run `report_\u{202e}fdp.sh` last.\n"),
                body!("The override U+202E is `\u{202e}`. Then run `\u{202e}hs.nur/`.\n"),
                body!("Ask \u{2068}Ann\u{2069} last.\n"),
                script!("OVERRIDE = \"\u{202e}\"\n"),
            ],
            good: &[body!(
                "<div dir=\"rtl\">\n\nالملف \u{2066}report.pdf\u{2069} هنا\n\n</div>\n"
            )],
        },
    )
};

pub(super) static ZERO_WIDTH: Rule = Rule {
    fix: FixAvailability::Safely,
    ..rule(
        "SK703",
        "zero-width",
        DiagnosticLevel::Warning,
        "zero-width characters in the text",
        RuleDocs {
            finds: "Zero-width spaces, joiners and non-joiners, word joiners, soft hyphens, byte \
                   order marks inside a file, invisible operators and blank letters (Hangul \
                   fillers). Not reported: joiners within emoji, joiners and non-joiners next to \
                   letters of scripts that need them (Arabic and Persian, the scripts of India, \
                   Khmer, …), zero-width spaces between letters of scripts that write no spaces, \
                   direction marks on lines with right-to-left letters. Eight or more in a row \
                   are an error: so many encode something.",
            hurts: "They split words, so that neither a search nor a scanner finds them, break \
                   commands and paths that are copied, and can carry hidden text as bits.",
            ignore: "Text copied from a web page often has some, which are of no use there. `--fix` writes those in \
                    string literals of Python, JavaScript, TypeScript, JSON and TOML as escapes, and removes those \
                    within a word of Markdown's text. In and beside code, links, headings and HTML, in a \
                    frontmatter and in other files only `--unsafe-fixes` removes them: there they may be meant, or \
                    change what the text around them means.",
            bad: &[
                body!("Run `fill\u{200b}-form` on it.\n"),
                body!("Ig\u{ad}nore the margin.\n"),
                script!("BLANK = \"\u{200b}\u{feff}\"\n"),
            ],
            good: &[
                body!("A family: 👨\u{200d}👩\u{200d}👧. In Persian: می\u{200c}خواهم.\n"),
                body!("In Hindi: क\u{094d}\u{200d}ष. In Thai: ภาษา\u{200b}ไทย.\n"),
            ],
        },
    )
};

/// Fewest invisible characters in a row that must encode something.
const MESSAGE_MIN: usize = 8;

/// The purpose of a hidden character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HiddenCharKind {
    Tag,
    Bidi,
    ZeroWidth,
}

/// A run of hidden characters of one kind.
#[derive(Clone)]
struct HiddenRun {
    span: Range<usize>,
    count: usize,
}

/// Most runs of a kind that are kept with their positions: a file can have millions.
const RUNS_MAX: usize = 10_000;

/// The runs of a file.
#[derive(Default)]
struct HiddenRuns {
    /// By kind, the first runs, and the number of characters in the others.
    by_kind: [(Vec<HiddenRun>, usize); 3],
    /// The kind of the last run, and where it ends.
    last: Option<(HiddenCharKind, usize)>,
}

/// The direction of a file and of the last line that was checked: each is computed once.
#[derive(Default)]
struct DirectionCache {
    is_rtl_file: OnceCell<bool>,
    line: RefCell<(Range<usize>, LineDirection)>,
}

/// The direction of a line.
#[derive(Clone, Copy, Default)]
struct LineDirection {
    /// Whether a control in it overrides direction.
    overrides: bool,
    /// Whether all embeddings and isolates are closed.
    is_closed: bool,
    /// Whether it has right-to-left letters.
    has_rtl: bool,
}

/// Whether a character is invisible, or changes how others are displayed.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Reports hidden characters. Returns whether there are any, or homoglyphs of Latin letters, so
/// that the text should be scanned without them, too.
pub(super) fn scan(path: &str, text: &str, sink: &mut FindingSink<'_>) -> bool {
    let mut runs = HiddenRuns::default();
    let mut has_homoglyph = false;
    let mut before: Option<char> = None;
    let direction = DirectionCache::default();

    for (at, c) in non_ascii(text) {
        if is_invisible(c) {
            runs.record(text, at, c, &direction);
        // One is enough to scan the text again without them.
        } else if !has_homoglyph {
            has_homoglyph = passes_for_latin(text, at, c, before);
        }
        before = Some(c);
    }

    let fixer = HiddenFixer::new(path, text, sink.is_lesson());
    for kind in [
        HiddenCharKind::Tag,
        HiddenCharKind::Bidi,
        HiddenCharKind::ZeroWidth,
    ] {
        let (runs_of_kind, more) = &runs.by_kind[kind as usize];
        if !runs_of_kind.is_empty() {
            let (rule, mut diagnostic) = finding(kind, (runs_of_kind, *more), text, &fixer);

            // A single character that a guide shows next to its name does not hide a command.
            let is_lesson = kind == HiddenCharKind::Bidi && sink.is_lesson();
            if is_lesson
                && *more == 0
                && runs_of_kind.len() <= EXAMPLES_MAX
                && runs_of_kind.iter().all(|run| is_shown_example(run, text))
            {
                diagnostic.level = DiagnosticLevel::Note;
                diagnostic = diagnostic
                    .note("each is shown on its own, next to its name, in a skill about security");
            }

            sink.report_as_is(rule, diagnostic.level, path, || diagnostic);
        }
    }
    has_homoglyph || runs.last.is_some()
}

/// Most characters that a guide shows.
const EXAMPLES_MAX: usize = 32;

/// Whether a character is shown as an example: a single one, between quotes, backticks or brackets,
/// on a line that names it.
fn is_shown_example(run: &HiddenRun, text: &str) -> bool {
    let enclosing = [
        ('`', '`'),
        ('"', '"'),
        ('\'', '\''),
        ('(', ')'),
        ('[', ']'),
        ('“', '”'),
        ('|', '|'),
    ];

    let before = text[..run.span.start]
        .trim_end_matches(' ')
        .chars()
        .next_back();
    let after = text[run.span.end..].trim_start_matches(' ').chars().next();

    // A row of them could be an encoded text, whatever is around it.
    let is_alone = run.count == 1
        && enclosing
            .iter()
            .any(|(open, close)| before == Some(*open) && after == Some(*close));

    let Some(c) = text[run.span.clone()].chars().next() else {
        return false;
    };

    let named = line_around(text, run.span.start).to_ascii_lowercase();
    // The number of the character next to it shows that the author means the character.
    is_alone && named.len() < LINE_MAX && named.contains(&format!("{:04x}", u32::from(c)))
}

/// Longest line with an example, in bytes.
const LINE_MAX: usize = 1000;

/// Iterates over the characters beyond ASCII, with their positions.
pub(super) fn non_ascii(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at = skip_ascii(bytes, at);
        let c = text[at..].chars().next()?;
        at += c.len_utf8();
        Some((at - c.len_utf8(), c))
    })
}

/// Returns the position of the first byte beyond ASCII from `at` on, or the end.
fn skip_ascii(bytes: &[u8], mut at: usize) -> usize {
    // A character beyond ASCII often follows another.
    if !bytes.get(at).is_some_and(u8::is_ascii) {
        return at;
    }

    // Eight at once: most bytes of most files are ASCII.
    while let Some(eight) = bytes.get(at..at + 8) {
        let eight = u64::from_ne_bytes(eight.try_into().expect("eight are eight"));
        if eight & 0x8080_8080_8080_8080 != 0 {
            break;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(u8::is_ascii) {
        at += 1;
    }
    at
}

/// Whether a non-Latin letter is in a Latin word and looks like a Latin letter (homoglyph).
pub(super) fn passes_for_latin(text: &str, at: usize, c: char, before: Option<char>) -> bool {
    let is_wide = |c: char| matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d6a5}');
    // Fullwidth and mathematical letters come as whole words, so a single one may be a symbol.
    if is_wide(c) {
        return before.is_some_and(is_wide);
    }

    // The blocks with letters that look like Latin ones: Greek, Cyrillic, Cherokee and
    // the letterlike symbols.
    if !matches!(c, '\u{370}'..='\u{52f}' | '\u{13a0}'..='\u{13f4}' | '\u{2100}'..='\u{218f}') {
        return false;
    }

    let bytes = text.as_bytes();
    let touches = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let in_word = touches(at.checked_sub(1).and_then(|at| bytes.get(at)))
        || touches(bytes.get(at + c.len_utf8()));

    in_word && super::obfuscation::to_latin(c).is_some()
}

impl HiddenRuns {
    fn record(&mut self, text: &str, at: usize, c: char, direction: &DirectionCache) {
        let end = at + c.len_utf8();
        let Some(kind) = classify_char(text, at, c, direction) else {
            return;
        };
        let (runs, more) = &mut self.by_kind[kind as usize];

        // The count of the others is kept for the message; their positions would take memory.
        let is_full = runs.len() >= RUNS_MAX;
        match runs.last_mut() {
            Some(run) if run.span.end == at && self.last == Some((kind, at)) => {
                run.span.end = end;
                run.count += 1;
            }
            _ if is_full => *more += 1,
            _ => runs.push(HiddenRun {
                span: at..end,
                count: 1,
            }),
        }
        self.last = Some((kind, end));
    }
}

impl DirectionCache {
    /// Returns the direction of the line around a byte.
    fn line_direction(&self, text: &str, at: usize) -> LineDirection {
        let mut known = self.line.borrow_mut();
        // A line is read once for all controls in it: otherwise the time would be quadratic.
        if !known.0.contains(&at) {
            let line = line_around(text, at);
            let mut counts = [0_usize; 4];
            let mut direction = LineDirection::default();
            for c in line.chars() {
                match c {
                    '\u{202d}' | '\u{202e}' => direction.overrides = true,
                    '\u{202a}' | '\u{202b}' => counts[0] += 1,
                    '\u{202c}' => counts[1] += 1,
                    '\u{2066}' | '\u{2067}' | '\u{2068}' => counts[2] += 1,
                    '\u{2069}' => counts[3] += 1,
                    _ => direction.has_rtl = direction.has_rtl || is_rtl(c),
                }
            }

            // Each control has to be closed on its line: one that is left open turns the next text.
            direction.is_closed = counts[0] == counts[1] && counts[2] == counts[3];
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            *known = (start..start + line.len(), direction);
        }
        known.1
    }

    /// Whether the file is written from right to left, or declares it.
    fn is_rtl_file(&self, text: &str) -> bool {
        *self.is_rtl_file.get_or_init(|| is_rtl_file(text))
    }
}

/// Returns what is wrong with an invisible character at its position; `None` if nothing is.
fn classify_char(
    text: &str,
    at: usize,
    c: char,
    direction: &DirectionCache,
) -> Option<HiddenCharKind> {
    let before = text[..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();

    match c {
        '\u{e0000}'..='\u{e007f}' => (!is_flag(text, at)).then_some(HiddenCharKind::Tag),
        '\u{e0100}'..='\u{e01ef}' | '\u{fe00}'..='\u{fe0f}' => classify_selector(c, before, after),
        '\u{e0080}'..='\u{e0fff}' => Some(HiddenCharKind::Tag),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            (!is_legitimate_bidi(text, at, c, direction)).then_some(HiddenCharKind::Bidi)
        }
        // Direction marks are of use only next to right-to-left text.
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            (!direction.line_direction(text, at).has_rtl).then_some(HiddenCharKind::ZeroWidth)
        }
        // Another rule reports the byte order mark.
        '\u{feff}' if at == 0 => None,
        _ => {
            let is_part_of_text = is_joiner_in_place(text, at, c, before, after)
                || is_filler_in_place(c, before, after);
            (!is_part_of_text).then_some(HiddenCharKind::ZeroWidth)
        }
    }
}

/// Whether a character joins its neighbors, or separates them, as their script needs it.
fn is_joiner_in_place(
    text: &str,
    at: usize,
    c: char,
    before: Option<char>,
    after: Option<char>,
) -> bool {
    let is_any = |is: &dyn Fn(char) -> bool| before.is_some_and(is) || after.is_some_and(is);
    match c {
        // Emoji of several, such as families.
        '\u{200d}' if before.is_some_and(is_pictograph) && after.is_some_and(is_pictograph) => true,
        // Joiners shape letters of Arabic, Indic and other scripts.
        '\u{200c}' | '\u{200d}' => is_any(&|c| has_joining_script(text, at, c)),
        // In scripts without spaces between words, these mark where a line may break.
        '\u{200b}' | '\u{2060}' => is_any(&is_unspaced),
        // A grapheme joiner belongs before a combining mark.
        '\u{34f}' => after.is_some_and(is_mark),
        _ => false,
    }
}

/// Whether a character takes the place of a letter, or selects its form, as its script needs it.
fn is_filler_in_place(c: char, before: Option<char>, after: Option<char>) -> bool {
    let is_jamo = |c: char| matches!(c, '\u{1100}'..='\u{11ff}');
    let follows = |script: Script| before.map(|c| c.script()) == Some(script);
    match c {
        // Variation selectors of Mongolian.
        '\u{180b}'..='\u{180f}' => follows(Script::Mongolian),
        // Fillers take the place of a letter in a Korean syllable.
        '\u{115f}' | '\u{1160}' => before.is_some_and(is_jamo) || after.is_some_and(is_jamo),
        // Inherent vowels of Khmer.
        '\u{17b4}' | '\u{17b5}' => follows(Script::Khmer),
        _ => false,
    }
}

/// Classifies a variation selector. One chooses among variants of the character before it; a second
/// one, or one after a letter without variants, encodes something else.
fn classify_selector(c: char, before: Option<char>, after: Option<char>) -> Option<HiddenCharKind> {
    let is_selector = |c: char| matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let in_run = before.is_some_and(is_selector) || after.is_some_and(is_selector);
    if in_run {
        return Some(HiddenCharKind::Tag);
    }

    let has_forms = |c: char| !c.is_ascii_alphabetic() && !c.is_whitespace();
    // The supplementary selectors are assigned to ideographs only.
    if c >= '\u{e0100}' {
        let is_ideograph = |c: char| c.script() == Script::Han;
        return (!before.is_some_and(is_ideograph)).then_some(HiddenCharKind::Tag);
    }

    (!before.is_some_and(has_forms)).then_some(HiddenCharKind::ZeroWidth)
}

/// Most tag characters that are checked on either side of a flag's.
const FLAG_MAX: usize = 16;

/// Most marks that are skipped to find the letter they belong to.
const MARKS_MAX: usize = 64;

/// Whether a tag character is part of a flag: a black flag, a region and its part, and an end tag.
fn is_flag(text: &str, at: usize) -> bool {
    let is_tag = |c: char| ('\u{e0000}'..='\u{e007f}').contains(&c);
    // The longest known flag has seven; without a limit a long run would be searched again for each
    // of its characters.
    let before = text[..at]
        .chars()
        .rev()
        .take(FLAG_MAX)
        .take_while(|c| is_tag(*c));
    let start = at - before.map(char::len_utf8).sum::<usize>();
    if !text[..start].ends_with('\u{1f3f4}') {
        return false;
    }

    let tags: String = text[start..]
        .chars()
        .take(FLAG_MAX)
        .take_while(|c| is_tag(*c))
        .filter_map(tag_to_ascii)
        .collect();

    let Some(region) = tags.strip_suffix('\u{7f}') else {
        return false;
    };

    ["gbeng", "gbsct", "gbwls", "gbnir"].contains(&region)
        || (region.len() == 4
            && ["us", "ca", "de", "es", "fr", "it", "au", "br"]
                .iter()
                .any(|land| region.starts_with(land)))
}

/// Returns the ASCII character that a tag character encodes.
fn tag_to_ascii(c: char) -> Option<char> {
    char::from_u32(u32::from(c).checked_sub(0xe0000)?).filter(char::is_ascii)
}

/// Whether a bidirectional control is used properly: it is not an override, is closed on its line,
/// and there is right-to-left text.
fn is_legitimate_bidi(text: &str, at: usize, c: char, direction: &DirectionCache) -> bool {
    if matches!(c, '\u{202d}' | '\u{202e}') {
        return false;
    }
    let line = direction.line_direction(text, at);
    !line.overrides && line.is_closed && (line.has_rtl || direction.is_rtl_file(text))
}

/// Whether a file declares that it is written from right to left, or is.
fn is_rtl_file(text: &str) -> bool {
    const DECLARED: [&str; 8] = [
        "dir=\"rtl\"",
        "dir='rtl'",
        "dir=rtl",
        "direction: rtl",
        "lang: ar",
        "lang: he",
        "lang: fa",
        "lang: ur",
    ];

    if DECLARED
        .iter()
        .any(|declaration| text.contains(declaration))
    {
        return true;
    }

    // Without a declaration, more than a quarter of the letters decides.
    let (mut letters, mut turned) = (0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        turned += usize::from(is_rtl(c));
    }

    turned * 4 > letters
}

pub(super) fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{65f}')
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e007f}')
}

/// Whether a character's script needs joiners and non-joiners. A mark counts as its letter does.
fn has_joining_script(text: &str, at: usize, c: char) -> bool {
    let script = match c.script() {
        Script::Inherited | Script::Common => {
            let mut before = text[..at].chars().rev().take(MARKS_MAX);
            let letter = before.find(|c| !matches!(c.script(), Script::Inherited | Script::Common));
            letter
                .filter(|_| c.script() == Script::Inherited)
                .map_or(Script::Common, |letter| letter.script())
        }
        script => script,
    };

    matches!(
        script,
        Script::Arabic
            | Script::Syriac
            | Script::Nko
            | Script::Mongolian
            | Script::Mandaic
            | Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
            | Script::Thai
            | Script::Lao
            | Script::Hebrew
            | Script::Javanese
            | Script::Balinese
            | Script::Tai_Tham
            | Script::Adlam
            | Script::Thaana
    )
}

/// Whether a character's script writes no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(
        c.script(),
        Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
            | Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Tai_Tham
            | Script::Javanese
            | Script::Balinese
    )
}

/// Returns the line around a byte.
pub(super) fn line_around(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    &text[start..end]
}

/// Builds one finding for all characters of a kind in a file: they are fixed together.
fn finding(
    kind: HiddenCharKind,
    (runs, more): (&[HiddenRun], usize),
    text: &str,
    fixer: &HiddenFixer<'_>,
) -> (&'static Rule, Diagnostic) {
    let count = more + runs.iter().map(|run| run.count).sum::<usize>();
    let (rule, message) = describe_runs(kind, count, &format_code_points(runs, text));
    let mut diagnostic = rule.finding(message).at(runs[0].span.clone(), text);

    // A few may come from copying a web page; a long run is made by a program.
    let longest = runs.iter().map(|run| run.count).max().unwrap_or_default();
    if kind == HiddenCharKind::ZeroWidth && longest >= MESSAGE_MIN {
        diagnostic.level = DiagnosticLevel::Error;
        diagnostic = diagnostic.note(format!(
            "{longest} of them are in a row, which is how text is hidden as bits"
        ));
    }

    if let Some(decoded) = runs
        .iter()
        .find_map(|run| decode_hidden(&text[run.span.clone()]))
    {
        diagnostic = diagnostic.note(format!("hidden text: \"{}\"", redact_text(&decoded)));
    }
    for run in runs.iter().skip(1).take(4) {
        diagnostic = diagnostic.label(run.span.clone(), "also here");
    }

    let is_message = |run: &HiddenRun| kind == HiddenCharKind::Tag || run.count >= MESSAGE_MIN;
    let fix = fixer.fix(runs.iter().map(|run| (&run.span, is_message(run))));
    let help = match fix.applicability {
        FixApplicability::Safe => fix.message.clone(),
        FixApplicability::Unsafe => {
            "remove them; write the text in visible characters, or as escapes in a program".into()
        }
    };
    (rule, diagnostic.help(help).fix(fix))
}

/// Returns the rule and the message about so many characters of a kind.
fn describe_runs(kind: HiddenCharKind, count: usize, names: &str) -> (&'static Rule, String) {
    let plural = if count == 1 {
        "character"
    } else {
        "characters"
    };
    match kind {
        HiddenCharKind::Tag => (
            &TAG,
            format!("{count} invisible {plural} that agents read: {names}"),
        ),
        HiddenCharKind::Bidi => (
            &BIDI,
            format!("text reordered by {count} bidirectional control {plural}: {names}"),
        ),
        HiddenCharKind::ZeroWidth => (&ZERO_WIDTH, format!("{count} zero-width {plural}: {names}")),
    }
}

/// Formats the code points, each once, with its number of occurrences.
fn format_code_points(runs: &[HiddenRun], text: &str) -> String {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for run in runs {
        text[run.span.clone()]
            .chars()
            .for_each(|c| *counts.entry(c).or_default() += 1);
    }

    let mut names: Vec<String> = counts
        .iter()
        .take(4)
        .map(|(c, many)| {
            if *many == 1 {
                code_point(*c)
            } else {
                format!("{} ({many} times)", code_point(*c))
            }
        })
        .collect();

    if counts.len() > 4 {
        names.push("…".into());
    }
    names.join(", ")
}

/// Decodes the text that hidden characters encode, if any: as tags, as bytes in selectors, as bits.
fn decode_hidden(run: &str) -> Option<String> {
    // Tag characters mirror ASCII one by one.
    let tags: String = run
        .chars()
        .filter_map(tag_to_ascii)
        .filter(|c| !c.is_control())
        .collect();
    if !tags.is_empty() {
        return Some(tags);
    }

    // A variation selector can encode each of the 256 bytes.
    let byte = |c: char| match c {
        '\u{fe00}'..='\u{fe0f}' => u8::try_from(u32::from(c) - 0xfe00).ok(),
        '\u{e0100}'..='\u{e01ef}' => u8::try_from(u32::from(c) - 0xe0100 + 16).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = run.chars().filter_map(byte).collect();
    if !bytes.is_empty() {
        return String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.chars().any(char::is_control));
    }
    decode_bits(run)
}

/// Decodes text of eight bits a letter, in two zero-width characters, whichever is the 1.
fn decode_bits(run: &str) -> Option<String> {
    let mut kinds: Vec<char> = run.chars().collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.len() != 2 || run.chars().count() < 16 {
        return None;
    }

    // Which of the two is the 1 is unknown, so both are tried.
    kinds.iter().find_map(|one| decode_bits_of(run, *one))
}

/// Decodes text of eight bits a letter in which one character is the 1, and any other the 0.
fn decode_bits_of(run: &str, one: char) -> Option<String> {
    let bits: Vec<u8> = run.chars().map(|c| u8::from(c == one)).collect();
    let bytes: Vec<u8> = bits
        .chunks_exact(8)
        .map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit))
        .collect();
    let is_text = bytes
        .iter()
        .all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    is_text.then(|| bytes.iter().map(|byte| char::from(*byte)).collect())
}

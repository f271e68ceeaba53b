//! SK701-SK703: characters that agents read and people do not see.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use unicode_script::{Script, UnicodeScript as _};

use super::scan::Ledger;
use super::show::{code_point, shown};
use super::{body, rule};
use crate::lint::{Check, Docs, Fixes, Rule};
use crate::report::{Applicability, Change, Diagnostic, Fix, Level};

pub(super) static TAG: Rule = Rule {
    fix: Fixes::Safely,
    check: Check::Skill(super::check),
    ..rule(
        "SK701",
        "hidden-unicode-tag",
        Level::Error,
        "text is hidden in characters that nothing displays",
        Docs {
            finds: "Tag characters (U+E0000 to U+E007F) outside the flags of England, Scotland, Wales and the like, and runs of \
                    variation selectors, of which one after a character is enough. Both can spell any text. What they spell is \
                    shown, escaped.",
            hurts: "No editor, terminal or web page shows these characters, and every language model reads them. A reviewer sees a \
                    harmless sentence; the agent reads an order.",
            ignore: "Never. There is no honest use of them in a skill.",
            bad: &[
                body!("Fill the form.\u{e0052}\u{e0075}\u{e006e}\u{e0020}\u{e0069}\u{e0074}\n"),
                body!("Fill the form. 😀\u{e0148}\u{e0159}\u{e0154}\u{e0155}\n"),
            ],
            good: &[body!(
                "English forms: 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}, and ❤\u{fe0f} for all.\n"
            )],
        },
    )
};

pub(super) static BIDI: Rule = Rule {
    fix: Fixes::Safely,
    ..rule(
        "SK702",
        "bidi-control",
        Level::Error,
        "a control character turns the direction of text",
        Docs {
            finds: "Characters that turn the direction of what follows (U+202A to U+202E, U+2066 to U+2069). Embeddings and isolates \
                    that are closed in their line are left alone where the file is written from right to left, or says so \
                    (`lang: ar`, `dir=\"rtl\"`); overrides never are.",
            hurts: "What is shown is not what is read: a command can look like a comment, `gnp.exe` like `exe.png` (CVE-2021-42574). \
                    A reviewer approves one thing and the agent runs another.",
            ignore: "Text that really mixes Hebrew or Arabic with Latin. Declare its language, and it is not reported.",
            bad: &[body!("Run `report_\u{202e}fdp.sh` last.\n")],
            good: &[body!("<div dir=\"rtl\">\n\nالملف \u{2066}report.pdf\u{2069} هنا\n\n</div>\n")],
        },
    )
};

pub(super) static ZERO_WIDTH: Rule = Rule {
    fix: Fixes::Safely,
    ..rule(
        "SK703",
        "zero-width",
        Level::Warning,
        "characters without width stand in the text",
        Docs {
            finds: "Zero-width spaces, joiners and non-joiners, word joiners, soft hyphens, byte order marks inside a file, invisible \
                    operators and blank letters (Hangul fillers). Not reported: joiners within emoji, joiners and non-joiners next to \
                    letters of scripts that need them (Arabic and Persian, the scripts of India, Khmer, …), zero-width spaces between \
                    letters of scripts that write no spaces, marks of direction in lines with letters from right to left. Eight or \
                    more in a row are an error: that many spell something.",
            hurts: "They split words, so that neither a search nor a scanner finds them, break commands and paths that are copied, \
                    and can carry hidden text as bits.",
            ignore: "Text copied from a web page often has some; they do no good there. `--fix` removes them.",
            bad: &[body!("Run `fill\u{200b}-form` on it.\n"), body!("Ig\u{ad}nore the margin.\n")],
            good: &[
                body!("A family: 👨\u{200d}👩\u{200d}👧. In Persian: می\u{200c}خواهم.\n"),
                body!("In Hindi: क\u{094d}\u{200d}ष. In Thai: ภาษา\u{200b}ไทย.\n"),
            ],
        },
    )
};

/// Fewest invisible characters in a row that must spell something.
const MESSAGE_MIN: usize = 8;

/// What a hidden character is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Tag,
    Bidi,
    Zero,
}

/// A run of hidden characters of one sort.
#[derive(Clone)]
struct Run {
    span: Range<usize>,
    many: usize,
}

/// Most runs of a sort that are kept, with their places: a file can have millions.
const RUNS_MAX: usize = 10_000;

/// The runs of a file.
#[derive(Default)]
struct Runs {
    /// The first of each sort, and how many characters there are in others.
    of_sort: [(Vec<Run>, usize); 3],
    /// The sort of the last one, and where it ends.
    last: Option<(Sort, usize)>,
}

/// What is known of the direction of a file and of the line that was looked at last: each is looked at once.
#[derive(Default)]
struct Direction {
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
    /// Whether it has letters that are written from right to left.
    has_rtl: bool,
}

/// Whether a character shows nothing, or changes how others are shown.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Looks for hidden characters; says whether there are any, or letters that pass for others, so that it is worth while to
/// look at the text without them.
pub(super) fn scan(path: &str, text: &str, ledger: &mut Ledger<'_>) -> bool {
    let mut runs = Runs::default();
    let mut masked = false;
    let mut before: Option<char> = None;
    let direction = Direction::default();
    for (at, c) in non_ascii(text) {
        if is_invisible(c) {
            runs.note(text, at, c, &direction);
        } else if !masked {
            masked = passes_for_latin(text, at, c, before);
        }
        before = Some(c);
    }
    for sort in [Sort::Tag, Sort::Bidi, Sort::Zero] {
        let (of_sort, more) = &runs.of_sort[sort as usize];
        if !of_sort.is_empty() {
            let (rule, mut diagnostic) = finding(sort, (of_sort, *more), text);
            // What a guide to such characters shows by itself, and names, turns nothing that is to be run.
            let is_lesson = sort == Sort::Bidi && ledger.is_lesson();
            if is_lesson && *more == 0 && of_sort.len() <= EXAMPLES_MAX && of_sort.iter().all(|run| is_shown(run, text))
            {
                diagnostic.level = Level::Note;
                diagnostic = diagnostic.note("each is shown by itself, beside its name, in a skill about security");
            }
            ledger.tell_as_is(rule, diagnostic.level, path, || diagnostic);
        }
    }
    masked || runs.last.is_some()
}

/// Most characters that a guide shows.
const EXAMPLES_MAX: usize = 32;

/// Whether a character is shown as an example: one alone, between quotes, backticks or brackets, in a line that names it.
fn is_shown(run: &Run, text: &str) -> bool {
    let enclosing = [('`', '`'), ('"', '"'), ('\'', '\''), ('(', ')'), ('[', ']'), ('“', '”'), ('|', '|')];
    let before = text[..run.span.start].trim_end_matches(' ').chars().next_back();
    let after = text[run.span.end..].trim_start_matches(' ').chars().next();
    let is_alone =
        run.many == 1 && enclosing.iter().any(|(open, close)| before == Some(*open) && after == Some(*close));
    let Some(c) = text[run.span.clone()].chars().next() else { return false };
    let named = line(text, run.span.start).to_ascii_lowercase();
    is_alone && named.len() < LINE_MAX && named.contains(&format!("{:04x}", u32::from(c)))
}

/// Longest line that an example is in.
const LINE_MAX: usize = 1000;

/// Characters that are not ASCII, with their places.
pub(super) fn non_ascii(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            match bytes.get(at)? {
                byte if byte.is_ascii() => {
                    // Eight at once: most of most files is ASCII.
                    while let Some(eight) = bytes.get(at..at + 8) {
                        if u64::from_ne_bytes(eight.try_into().expect("eight are eight")) & 0x8080_8080_8080_8080 != 0 {
                            break;
                        }
                        at += 8;
                    }
                    while bytes.get(at).is_some_and(u8::is_ascii) {
                        at += 1;
                    }
                }
                _ => {
                    let c = text[at..].chars().next()?;
                    at += c.len_utf8();
                    return Some((at - c.len_utf8(), c));
                }
            }
        }
    })
}

/// Whether a letter that is none of Latin's stands in a Latin word and looks like one of its letters.
pub(super) fn passes_for_latin(text: &str, at: usize, c: char, before: Option<char>) -> bool {
    let is_wide = |c: char| matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d6a5}');
    if is_wide(c) {
        return before.is_some_and(is_wide);
    }
    if !matches!(c, '\u{370}'..='\u{52f}' | '\u{13a0}'..='\u{13f4}' | '\u{2100}'..='\u{218f}') {
        return false;
    }
    let bytes = text.as_bytes();
    let touches = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    let in_word = touches(at.checked_sub(1).and_then(|at| bytes.get(at))) || touches(bytes.get(at + c.len_utf8()));
    in_word && super::mask::latin(c).is_some()
}

impl Runs {
    fn note(&mut self, text: &str, at: usize, c: char, direction: &Direction) {
        let end = at + c.len_utf8();
        let Some(sort) = judge(text, at, c, direction) else { return };
        let (runs, more) = &mut self.of_sort[sort as usize];

        let is_full = runs.len() >= RUNS_MAX;
        match runs.last_mut() {
            Some(run) if run.span.end == at && self.last == Some((sort, at)) => {
                run.span.end = end;
                run.many += 1;
            }
            _ if is_full => *more += 1,
            _ => runs.push(Run { span: at..end, many: 1 }),
        }
        self.last = Some((sort, end));
    }
}

impl Direction {
    /// The direction of the line around a byte.
    fn of_line(&self, text: &str, at: usize) -> LineDirection {
        let mut known = self.line.borrow_mut();
        if !known.0.contains(&at) {
            let line = line(text, at);
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
            direction.is_closed = counts[0] == counts[1] && counts[2] == counts[3];
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            *known = (start..start + line.len(), direction);
        }
        known.1
    }

    /// Whether the file is written from right to left, or says so.
    fn is_rtl_file(&self, text: &str) -> bool {
        *self.is_rtl_file.get_or_init(|| is_rtl_file(text))
    }
}

/// What is wrong with an invisible character where it stands; `None` if nothing is.
fn judge(text: &str, at: usize, c: char, direction: &Direction) -> Option<Sort> {
    let before = text[..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();
    match c {
        '\u{e0000}'..='\u{e007f}' => (!is_flag(text, at)).then_some(Sort::Tag),
        '\u{e0100}'..='\u{e01ef}' | '\u{fe00}'..='\u{fe0f}' => judge_selector(c, before, after),
        '\u{e0080}'..='\u{e0fff}' => Some(Sort::Tag),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            (!is_fair_bidi(text, at, c, direction)).then_some(Sort::Bidi)
        }
        '\u{200e}' | '\u{200f}' | '\u{61c}' => (!direction.of_line(text, at).has_rtl).then_some(Sort::Zero),
        '\u{200d}' if before.is_some_and(is_pictograph) && after.is_some_and(is_pictograph) => None,
        '\u{200c}' | '\u{200d}' => {
            let joins = |c: Option<char>| c.is_some_and(|c| scripts_that_join(text, at, c));
            (!(joins(before) || joins(after))).then_some(Sort::Zero)
        }
        '\u{200b}' | '\u{2060}' => {
            let unspaced = |c: Option<char>| c.is_some_and(is_unspaced);
            (!(unspaced(before) || unspaced(after))).then_some(Sort::Zero)
        }
        '\u{180b}'..='\u{180f}' => (before.map(|c| c.script()) != Some(Script::Mongolian)).then_some(Sort::Zero),
        '\u{115f}' | '\u{1160}' => {
            let is_jamo = |c: Option<char>| c.is_some_and(|c| matches!(c, '\u{1100}'..='\u{11ff}'));
            (!(is_jamo(before) || is_jamo(after))).then_some(Sort::Zero)
        }
        '\u{34f}' => (!after.is_some_and(is_mark)).then_some(Sort::Zero),
        '\u{17b4}' | '\u{17b5}' => (before.map(|c| c.script()) != Some(Script::Khmer)).then_some(Sort::Zero),
        // A byte order mark is what another rule is about.
        '\u{feff}' if at == 0 => None,
        _ => Some(Sort::Zero),
    }
}

/// A selector chooses among forms of the one character before it. A second one, or one after a letter that has no forms,
/// says something else.
fn judge_selector(c: char, before: Option<char>, after: Option<char>) -> Option<Sort> {
    let is_selector = |c: char| matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let in_run = before.is_some_and(is_selector) || after.is_some_and(is_selector);
    if in_run {
        return Some(Sort::Tag);
    }
    let has_forms = |c: char| !c.is_ascii_alphabetic() && !c.is_whitespace();
    if c >= '\u{e0100}' {
        let is_ideograph = |c: char| c.script() == Script::Han;
        return (!before.is_some_and(is_ideograph)).then_some(Sort::Tag);
    }
    (!before.is_some_and(has_forms)).then_some(Sort::Zero)
}

/// Most tag characters that are looked at on either side of one of a flag.
const FLAG_MAX: usize = 16;

/// Most marks that are passed over to find the letter which they belong to.
const MARKS_MAX: usize = 64;

/// Whether a tag character is part of a flag: a black flag, a region and its part, and an end.
fn is_flag(text: &str, at: usize) -> bool {
    let is_tag = |c: char| ('\u{e0000}'..='\u{e007f}').contains(&c);
    // The longest that is known has seven; without a limit a long run would be gone through for each of its characters.
    let before = text[..at].chars().rev().take(FLAG_MAX).take_while(|c| is_tag(*c));
    let start = at - before.map(char::len_utf8).sum::<usize>();
    if !text[..start].ends_with('\u{1f3f4}') {
        return false;
    }
    let tags: String = text[start..].chars().take(FLAG_MAX).take_while(|c| is_tag(*c)).filter_map(untag).collect();
    let Some(region) = tags.strip_suffix('\u{7f}') else { return false };
    ["gbeng", "gbsct", "gbwls", "gbnir"].contains(&region)
        || (region.len() == 4
            && ["us", "ca", "de", "es", "fr", "it", "au", "br"].iter().any(|land| region.starts_with(land)))
}

/// The ASCII character that a tag character stands for.
fn untag(c: char) -> Option<char> {
    char::from_u32(u32::from(c).checked_sub(0xe0000)?).filter(char::is_ascii)
}

/// Whether a control of direction does what it is for: it is no override, is closed in its line, and there is something
/// to turn.
fn is_fair_bidi(text: &str, at: usize, c: char, direction: &Direction) -> bool {
    if matches!(c, '\u{202d}' | '\u{202e}') {
        return false;
    }
    let line = direction.of_line(text, at);
    !line.overrides && line.is_closed && (line.has_rtl || direction.is_rtl_file(text))
}

/// Whether a file says that it is written from right to left, or is.
fn is_rtl_file(text: &str) -> bool {
    const DECLARED: [&str; 8] =
        ["dir=\"rtl\"", "dir='rtl'", "dir=rtl", "direction: rtl", "lang: ar", "lang: he", "lang: fa", "lang: ur"];
    if DECLARED.iter().any(|said| text.contains(said)) {
        return true;
    }
    let (mut letters, mut turned) = (0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        turned += usize::from(is_rtl(c));
    }
    turned * 4 > letters
}

fn is_rtl(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{65f}')
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e007f}')
}

/// Whether a character's script joins and parts letters by these characters. A mark counts as its letter does.
fn scripts_that_join(text: &str, at: usize, c: char) -> bool {
    let script = match c.script() {
        Script::Inherited | Script::Common => {
            let mut before = text[..at].chars().rev().take(MARKS_MAX);
            let letter = before.find(|c| !matches!(c.script(), Script::Inherited | Script::Common));
            letter.filter(|_| c.script() == Script::Inherited).map_or(Script::Common, |letter| letter.script())
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

/// The line around a byte.
pub(super) fn line(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    &text[start..end]
}

/// One finding for all of a sort in a file: they are removed together.
fn finding(sort: Sort, (runs, more): (&[Run], usize), text: &str) -> (&'static Rule, Diagnostic) {
    let many = more + runs.iter().map(|run| run.many).sum::<usize>();
    let names = names(runs, text);
    let longest = runs.iter().map(|run| run.many).max().unwrap_or_default();
    let plural = if many == 1 { "character" } else { "characters" };
    let (rule, message) = match sort {
        Sort::Tag => (&TAG, format!("{many} {plural} that nothing displays and agents read: {names}")),
        Sort::Bidi => {
            (&BIDI, format!("{many} control {plural} that make text look different from what it is: {names}"))
        }
        Sort::Zero => (&ZERO_WIDTH, format!("{many} {plural} without width: {names}")),
    };
    let mut diagnostic = rule.finding(message).at(runs[0].span.clone(), text);
    if sort == Sort::Zero && longest >= MESSAGE_MIN {
        diagnostic.level = Level::Error;
        diagnostic = diagnostic.note(format!("{longest} of them stand in a row, which is how text is hidden as bits"));
    }
    if let Some(said) = runs.iter().find_map(|run| decoded(&text[run.span.clone()])) {
        diagnostic = diagnostic.note(format!("what they spell: \"{}\"", shown(&said)));
    }
    for run in runs.iter().skip(1).take(4) {
        diagnostic = diagnostic.label(run.span.clone(), "here, too");
    }
    let changes = runs.iter().map(|run| Change::Edit { span: run.span.clone(), content: String::new() });
    let fix = Fix { applicability: Applicability::Safe, message: "remove them".into(), changes: changes.collect() };
    (rule, diagnostic.help("remove them; write what is meant in letters that everybody sees").fix(fix))
}

/// The code points, each once, with how often it occurs.
fn names(runs: &[Run], text: &str) -> String {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for run in runs {
        text[run.span.clone()].chars().for_each(|c| *counts.entry(c).or_default() += 1);
    }
    let mut names: Vec<String> = counts
        .iter()
        .take(4)
        .map(|(c, many)| if *many == 1 { code_point(*c) } else { format!("{} ({many} times)", code_point(*c)) })
        .collect();
    if counts.len() > 4 {
        names.push("…".into());
    }
    names.join(", ")
}

/// The text that hidden characters spell, if they do: as tags, as bytes in selectors, as bits.
fn decoded(run: &str) -> Option<String> {
    let tags: String = run.chars().filter_map(untag).filter(|c| !c.is_control()).collect();
    if !tags.is_empty() {
        return Some(tags);
    }
    let byte = |c: char| match c {
        '\u{fe00}'..='\u{fe0f}' => u8::try_from(u32::from(c) - 0xfe00).ok(),
        '\u{e0100}'..='\u{e01ef}' => u8::try_from(u32::from(c) - 0xe0100 + 16).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = run.chars().filter_map(byte).collect();
    if !bytes.is_empty() {
        return String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control));
    }
    bits(run)
}

/// Text of eight bits a letter, in two characters without width, whichever is which.
fn bits(run: &str) -> Option<String> {
    let mut kinds: Vec<char> = run.chars().collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.len() != 2 || run.chars().count() < 16 {
        return None;
    }
    kinds.iter().find_map(|one| {
        let bits: Vec<u8> = run.chars().map(|c| u8::from(c == *one)).collect();
        let bytes: Vec<u8> =
            bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit)).collect();
        let is_text = bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
        is_text.then(|| bytes.iter().map(|byte| char::from(*byte)).collect())
    })
}

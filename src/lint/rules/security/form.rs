//! Regular expressions that are made ready only where their words stand.
//!
//! To make an automaton costs more than to run it over a few lines. So the words that a form cannot do without are read
//! off the form itself, and what is looked at is searched for those first.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Input, PatternID};
use regex_syntax::hir::{Class, Hir, HirKind};

/// A form of a `Pattern`, ready to be looked for.
pub(super) struct Form {
    text: String,
    regex: OnceLock<Regex>,
    /// What it cannot do without.
    need: Need,
    /// Longest match that counts, in bytes.
    longest: usize,
}

/// Most matches of a form in one window that are too long before it is left alone.
const TRIES: usize = 16;

/// Where a form fits: the whole, and its groups by name.
pub(super) struct Fit {
    /// The whole.
    pub(super) span: Range<usize>,
    /// Its groups that took part.
    pub(super) groups: Vec<(&'static str, Range<usize>)>,
}

impl Form {
    /// Makes a form that is looked for where one of `triggers` stands. A gap of so many bytes at most becomes one of any
    /// length, and the length of the whole is looked at instead: an automaton that counts is a thousand times as large.
    pub(super) fn new(form: &str, triggers: &[&str]) -> Self {
        let shell = super::remote_code::SHELL;
        // A name may stand in a form only once.
        let form = form.replacen("§SHELL", shell, 1).replace("§SHELL", &shell.replace("?P<with>", "?:"));
        let (text, gap) = without_counts(&form);
        let hir = syntax::parse_with(&text, &syntax(false)).expect("the forms are constants, and tested");
        let reader = Reader { triggers };
        let need = reader.settle(reader.read(&hir));
        let longest = if gap == 0 { usize::MAX } else { 120 + gap + gap / 2 };
        Form { text, regex: OnceLock::new(), need, longest }
    }

    /// Whether the words are there that it cannot do without. `lower` is what is looked at, in lower case.
    pub(super) fn may_be(&self, lower: &[u8]) -> bool {
        self.need.is_met(lower)
    }

    /// Calls `found` for each place where it fits.
    pub(super) fn each_in(&'static self, text: &[u8], mut found: impl FnMut(Fit)) {
        let regex = self.regex.get_or_init(|| compiled(&self.text));
        let (mut at, mut tries) = (0, 0);
        while let Some(whole) = regex.search(&Input::new(text).range(at..)).map(|whole| whole.range()) {
            if whole.len() > self.longest {
                tries += 1;
                at = whole.start + 1;
            } else {
                let mut captures = regex.create_captures();
                regex.search_captures(&Input::new(text).range(whole.start..), &mut captures);
                at = whole.end.max(whole.start + 1);
                found(fit(regex, &captures, whole));
            }
            if at > text.len() || tries == TRIES {
                break;
            }
        }
    }
}

fn fit(regex: &'static Regex, captures: &Captures, span: Range<usize>) -> Fit {
    let names = regex.group_info().pattern_names(PatternID::ZERO).flatten();
    let groups = names.filter_map(|name| Some((name, captures.get_group_by_name(name)?.range()))).collect();
    Fit { span, groups }
}

/// Bytes and not letters: small and quick, and `.` stands for a line's end, too.
fn syntax(any_case: bool) -> syntax::Config {
    syntax::Config::new().case_insensitive(any_case).dot_matches_new_line(true).unicode(false).utf8(false)
}

/// A regular expression over bytes that knows no letters but those of ASCII: small and quick, and the tables of Unicode
/// that others need stay out of the program.
pub(super) fn ascii(form: &str) -> regex::bytes::Regex {
    regex::bytes::Regex::new(&format!("(?is-u){form}")).expect("the forms are constants, and tested")
}

/// The automaton of a form. What makes one quick in a large text would only make it dear in a few lines.
fn compiled(form: &str) -> Regex {
    let config = Config::new().auto_prefilter(false).onepass(false);
    Regex::builder().configure(config).syntax(syntax(true)).build(form).expect("the forms are constants, and tested")
}

/// A form without large counts, and the largest of them.
fn without_counts(form: &str) -> (String, usize) {
    let mut plain = String::with_capacity(form.len());
    let (mut rest, mut largest) = (form, 0);
    while let Some(open) = rest.find('{') {
        let count = rest[open + 1..].split_once('}').and_then(|(count, after)| {
            let (least, most) = count.split_once(',')?;
            Some((least.parse::<usize>().ok()?, most.parse::<usize>().ok()?, after))
        });
        match count {
            Some((least @ 0..=1, most @ 20.., after)) => {
                plain.push_str(&rest[..open]);
                plain.push(if least == 0 { '*' } else { '+' });
                largest = largest.max(most);
                rest = after;
            }
            _ => {
                plain.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    plain.push_str(rest);
    (plain, largest)
}

/// A word as bytes.
type Word = Vec<u8>;

/// Most words that are told apart where alternatives follow each other.
const PRODUCT: usize = 24;
/// Shortest word that says anything.
const SHORTEST: usize = 2;

/// What any text that fits has in it.
enum Need {
    /// Nothing in particular.
    Nothing,
    /// One of these words, in lower case.
    Word(Vec<Finder<'static>>),
    /// All of these; what is asked in fewest words first.
    All(Vec<Need>),
    /// One of these.
    Any(Vec<Need>),
}

impl Need {
    /// Whether a text, in lower case, has it.
    fn is_met(&self, lower: &[u8]) -> bool {
        match self {
            Need::Nothing => true,
            Need::Word(words) => words.iter().any(|word| word.find(lower).is_some()),
            Need::All(needs) => needs.iter().all(|need| need.is_met(lower)),
            Need::Any(needs) => needs.iter().any(|need| need.is_met(lower)),
        }
    }

    /// How many words it is asked in.
    fn words(&self) -> usize {
        match self {
            Need::Nothing => 0,
            Need::Word(words) => words.len(),
            Need::All(needs) | Need::Any(needs) => needs.iter().map(Need::words).sum(),
        }
    }

    fn all(needs: impl IntoIterator<Item = Need>) -> Self {
        let mut needs: Vec<Need> = needs.into_iter().filter(|need| !matches!(need, Need::Nothing)).collect();
        needs.sort_by_key(Need::words);
        match needs.len() {
            0 => Need::Nothing,
            1 => needs.remove(0),
            _ => Need::All(needs),
        }
    }

    fn any(needs: Vec<Need>) -> Self {
        if needs.iter().any(|need| matches!(need, Need::Nothing)) { Need::Nothing } else { Need::Any(needs) }
    }
}

/// Reads off a form what it cannot do without where one of these words stands already.
struct Reader<'t> {
    triggers: &'t [&'t str],
}

/// What is known of a part of a form.
enum Part {
    /// All texts that fit: they are few.
    Exactly(Vec<Word>),
    /// What those that fit have in them.
    With(Need),
}

impl Reader<'_> {
    fn read(&self, hir: &Hir) -> Part {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Part::Exactly(vec![Word::new()]),
            HirKind::Literal(literal) => Part::Exactly(vec![literal.0.to_ascii_lowercase()]),
            HirKind::Class(class) => letters(class).map_or(Part::With(Need::Nothing), Part::Exactly),
            HirKind::Repetition(part) if part.min == 0 => match self.read(&part.sub) {
                Part::Exactly(mut words) if part.max == Some(1) => {
                    words.push(Word::new());
                    Part::Exactly(words)
                }
                _ => Part::With(Need::Nothing),
            },
            HirKind::Repetition(part) => Part::With(self.settle(self.read(&part.sub))),
            HirKind::Capture(part) => self.read(&part.sub),
            HirKind::Concat(parts) => self.in_turn(parts),
            HirKind::Alternation(parts) => self.one_of(parts),
        }
    }

    fn in_turn(&self, parts: &[Hir]) -> Part {
        let (mut needs, mut run) = (Vec::new(), vec![Word::new()]);
        let mut is_exact = true;
        for part in parts {
            match self.read(part) {
                Part::Exactly(next) if run.len() * next.len() <= PRODUCT => run = product(&run, &next),
                Part::Exactly(next) => {
                    is_exact = false;
                    needs.push(self.word(std::mem::replace(&mut run, next)));
                }
                Part::With(need) => {
                    is_exact = false;
                    needs.push(self.word(std::mem::replace(&mut run, vec![Word::new()])));
                    needs.push(need);
                }
            }
        }
        if is_exact {
            return Part::Exactly(run);
        }
        needs.push(self.word(run));
        Part::With(Need::all(needs))
    }

    fn one_of(&self, parts: &[Hir]) -> Part {
        let (mut words, mut needs) = (Vec::new(), Vec::new());
        for part in parts {
            match self.read(part) {
                Part::Exactly(some) => words.extend(some),
                Part::With(need) => needs.push(need),
            }
        }
        if needs.is_empty() {
            return Part::Exactly(words);
        }
        if !words.is_empty() {
            needs.insert(0, self.word(words));
        }
        Part::With(Need::any(needs))
    }

    fn settle(&self, part: Part) -> Need {
        match part {
            Part::Exactly(words) => self.word(words),
            Part::With(need) => need,
        }
    }

    /// One of these words, if that is worth a search.
    fn word(&self, words: Vec<Word>) -> Need {
        let words = shortened(words);
        let is_in = |trigger: &&str| words.iter().any(|word| memchr::memmem::find(trigger.as_bytes(), word).is_some());
        if words.iter().any(|word| word.len() < SHORTEST) || self.triggers.iter().all(is_in) {
            return Need::Nothing;
        }
        Need::Word(words.iter().map(|word| Finder::new(word).into_owned()).collect())
    }
}

/// A set without words that hold another of it.
fn shortened(mut words: Vec<Word>) -> Vec<Word> {
    words.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        if !kept.iter().any(|shorter| memchr::memmem::find(&word, shorter).is_some()) {
            kept.push(word);
        }
    }
    kept
}

fn product(before: &[Word], after: &[Word]) -> Vec<Word> {
    before.iter().flat_map(|before| after.iter().map(move |after| [&before[..], after].concat())).collect()
}

/// The letters of a class, in lower case, if they are few.
fn letters(class: &Class) -> Option<Vec<Word>> {
    let Class::Bytes(bytes) = class else { return None };
    let few = bytes.iter().map(regex_syntax::hir::ClassBytesRange::len).sum::<usize>() <= 4;
    few.then(|| {
        bytes.iter().flat_map(|range| range.start()..=range.end()).map(|b| vec![b.to_ascii_lowercase()]).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_counted_by_length_and_not_by_states() {
        assert_eq!(
            without_counts(r"a[^\n]{0,80}?b\x{1f}c{3}d{1,200}e{2,4}"),
            (r"a[^\n]*?b\x{1f}c{3}d+e{2,4}".into(), 200)
        );
        let form: &'static Form = Box::leak(Box::new(Form::new("a.{0,20}?b", &["a"])));
        let mut found = Vec::new();
        form.each_in(format!("a{}a b", "-".repeat(400)).as_bytes(), |fit| found.push(fit.span));
        assert_eq!((found.len(), found[0].clone()), (1, 401..404));
    }

    #[test]
    fn words_that_a_form_cannot_do_without_are_read_off_it() {
        for (form, triggers, need) in [
            (r"\bIgnore\s+(?:all\s+)?(?:previous|prior)\s", &["x"][..], "ignore & prior|previous"),
            (r"\bignore\s+(?:previous|prior)\s", &["ignore"], "prior|previous"),
            ("a_word", &[], "-"),
            ("gr[ae]y.*(?:ab|cd)?", &["x"], "gray|grey"),
            (r"(?:curl\s.*\|sh|wget -O- (?:x.y)+)", &["x"], "((curl & |sh)|wget -o- )"),
            (r"(?:a{2,}|b\d)cd", &["x"], "cd"),
            (r"(?:ab|\d)", &["x"], "-"),
            (r"(?:ab)+|abc", &["x"], "(abc|ab)"),
        ] {
            let hir = syntax::parse_with(form, &syntax(false)).unwrap();
            let reader = Reader { triggers };
            assert_eq!(told(&reader.settle(reader.read(&hir))), need, "{form}");
        }
    }

    fn told(need: &Need) -> String {
        match need {
            Need::Nothing => "-".into(),
            Need::Word(words) => {
                let words: Vec<_> = words.iter().map(|word| String::from_utf8_lossy(word.needle())).collect();
                words.join("|")
            }
            Need::All(needs) => needs.iter().map(told).collect::<Vec<_>>().join(" & "),
            Need::Any(needs) => format!(
                "({})",
                needs
                    .iter()
                    .map(|need| match need {
                        Need::All(_) => format!("({})", told(need)),
                        _ => told(need),
                    })
                    .collect::<Vec<_>>()
                    .join("|")
            ),
        }
    }

    #[test]
    fn all_forms_are_regular_expressions_and_words_in_lower_case() {
        for pattern in super::super::patterns() {
            compiled(&Form::new(pattern.form, pattern.triggers).text);
            for word in pattern.triggers {
                assert_eq!(*word, word.to_ascii_lowercase(), "case does not matter");
                assert!(word.len() >= 2, "{word:?} would be found everywhere");
            }
            for needed in pattern.needs {
                assert_eq!(*needed, needed.to_ascii_lowercase(), "what they are looked for in is in lower case");
            }
        }
    }
}

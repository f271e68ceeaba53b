//! Regular expressions that are made ready beforehand.
//!
//! To make an automaton costs more than to run it over a few lines. So what there is to know of a form comes with the
//! program ([`ready`]): the words that it cannot do without ([`need`]), the bytes that it may begin with, and its
//! automaton, which is followed from there ([`seek`]).

mod need;
mod ready;
mod seek;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex_automata::meta::{Config, Regex};
use regex_automata::nfa::thompson::{self, Compiler, NFA};
use regex_automata::util::syntax;
use regex_automata::{Input, PatternID};

use self::need::Need;
use self::ready::Made;
use self::seek::{Patience, Seeker};

/// A form of a `Pattern`, ready to be looked for.
pub(super) struct Form {
    text: String,
    /// What was made of it beforehand.
    made: Option<&'static Made<'static>>,
    /// What it cannot do without.
    need: Need<Finder<'static>>,
    seeker: OnceLock<Seeker>,
    /// What takes as long for any text of a length.
    regex: OnceLock<Regex>,
    /// Longest match that counts, in bytes.
    longest: usize,
}

/// Most matches of a form in one window that are too long before it is left alone.
const TRIES: usize = 16;

/// Where a form fits: the whole, and its groups by name.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) struct Fit {
    /// The whole.
    pub(super) span: Range<usize>,
    /// Its groups that took part.
    pub(super) groups: Vec<(&'static str, Range<usize>)>,
}

impl Form {
    /// Makes a form.
    pub(super) fn new(form: &str) -> Self {
        let (text, longest) = plain(form);
        let made = Made::of(&text);
        let need = made.map_or(Need::Nothing, |made| made.need.ready());
        Form { text, made, need, seeker: OnceLock::new(), regex: OnceLock::new(), longest }
    }

    /// Whether the words are there that it cannot do without. `lower` is what is looked at, in lower case.
    pub(super) fn may_be(&self, lower: &[u8]) -> bool {
        self.need.is_met(lower)
    }

    /// Calls `found` for each place where it fits.
    pub(super) fn each_in(&'static self, text: &[u8], mut found: impl FnMut(Fit)) {
        let seeker = self.seeker.get_or_init(|| self.seeker());
        let (mut at, mut tries) = (0, 0);
        let mut patience = Patience::with(text);
        while let Some(whole) = self.next(seeker, text, at, &mut patience) {
            if whole.len() > self.longest {
                tries += 1;
                at = whole.start + 1;
            } else {
                at = whole.end.max(whole.start + 1);
                found(self.fit(seeker, text, whole));
            }
            if at > text.len() || tries == TRIES {
                break;
            }
        }
    }

    /// Whether it fits anywhere.
    pub(super) fn is_in(&'static self, text: &[u8]) -> bool {
        let mut is_in = false;
        self.each_in(text, |_| is_in = true);
        is_in
    }

    fn seeker(&self) -> Seeker {
        let ready = self.made.and_then(|made| Some((made.begins, made.automaton()?)));
        let (begins, automaton) = ready.unwrap_or_else(|| ([[u64::MAX; 4]; 2], automaton(&self.text)));
        Seeker::new(begins, automaton)
    }

    /// Where it fits first, from a place on.
    fn next(&self, seeker: &Seeker, text: &[u8], from: usize, patience: &mut Patience) -> Option<Range<usize>> {
        seeker.first(text, from, patience).unwrap_or_else(|_| {
            let whole = self.regex().search(&Input::new(text).range(from..));
            whole.map(|whole| whole.range())
        })
    }

    /// The groups of a place where it fits.
    fn fit(&'static self, seeker: &'static Seeker, text: &[u8], span: Range<usize>) -> Fit {
        if !self.text.contains("(?P<") {
            return Fit { span, groups: Vec::new() };
        }
        let captures = seeker.groups(text, span.clone()).unwrap_or_else(|_| {
            let mut captures = self.regex().create_captures();
            self.regex().search_captures(&Input::new(text).range(span.start..), &mut captures);
            captures
        });
        let names = seeker.names().pattern_names(PatternID::ZERO).flatten();
        let groups = names.filter_map(|name| Some((name, captures.get_group_by_name(name)?.range()))).collect();
        Fit { span, groups }
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compiled(&self.text))
    }
}

/// What is compiled of a form, and how long a match may be. A gap of so many bytes at most becomes one of any length, and
/// the length of the whole is looked at instead: an automaton that counts is a thousand times as large.
fn plain(form: &str) -> (String, usize) {
    let shell = super::remote_code::SHELL;
    // A name may stand in a form only once.
    let form = form.replacen("§SHELL", shell, 1).replace("§SHELL", &shell.replace("?P<with>", "?:"));
    let parts = super::orders::PARTS.iter();
    let form = parts.fold(form, |form, (name, part)| if form.contains(name) { form.replace(name, part) } else { form });
    let (text, gap) = without_counts(&form);
    (text, if gap == 0 { usize::MAX } else { 120 + gap + gap / 2 })
}

/// The automaton of a form.
fn automaton(form: &str) -> NFA {
    let config = thompson::Config::new().utf8(false);
    Compiler::new().configure(config).syntax(syntax(true)).build(form).expect("the forms are constants, and tested")
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

/// All that finds a form. What makes it quick in a large text would only make it dear in a few lines.
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

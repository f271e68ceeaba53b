//! Regular expressions that are made ready only where their words stand.
//!
//! To make one ready costs more than to hold it against a few lines. So the words that a form cannot do without are read
//! off the form itself ([`grammar`](super::grammar)), what is looked at is searched for those first, and only then is the
//! form followed ([`program`](super::program)).

use std::ops::Range;

use memchr::memmem::Finder;

use super::grammar::{Class, Node, parse};
use super::program::{Program, Room};

/// A form of a `Pattern`, ready to be looked for.
pub(super) struct Form {
    program: Program,
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
    /// length, and the length of the whole is looked at instead: a program that counts is a hundred times as large.
    pub(super) fn new(form: &str, triggers: &[&str]) -> Self {
        let (text, gap) = without_counts(&spelled_out(form));
        let node = parse(&text);
        let reader = Reader { triggers };
        let need = reader.settle(reader.read(&node));
        let longest = if gap == 0 { usize::MAX } else { 120 + gap + gap / 2 };
        Form { program: Program::new(&node), need, longest }
    }

    /// Calls `found` for each place where it fits a text in lower case.
    pub(super) fn each_in(&'static self, lower: &[u8], room: &mut Room, mut found: impl FnMut(Fit)) {
        if !self.need.is_met(lower) {
            return;
        }
        let (mut at, mut tries) = (0, 0);
        while let Some((start, end)) = self.program.find(lower, at, room) {
            if end - start > self.longest {
                tries += 1;
                at = start + 1;
            } else {
                at = end.max(start + 1);
                found(Fit { span: start..end, groups: self.program.groups(room) });
            }
            if at > lower.len() || tries == TRIES {
                break;
            }
        }
    }
}

/// A form with all that it is short for. A name may stand in it only once.
fn spelled_out(form: &str) -> String {
    let shell = super::remote_code::SHELL;
    form.replacen("§SHELL", shell, 1).replace("§SHELL", &shell.replace("?P<with>", "?:"))
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
    fn read(&self, node: &Node) -> Part {
        match node {
            Node::Look(_) => Part::Exactly(vec![Word::new()]),
            Node::Class(class) => letters(class).map_or(Part::With(Need::Nothing), Part::Exactly),
            Node::Repeat { part, least: 0, most, .. } => match self.read(part) {
                Part::Exactly(mut words) if *most == Some(1) => {
                    words.push(Word::new());
                    Part::Exactly(words)
                }
                _ => Part::With(Need::Nothing),
            },
            Node::Repeat { part, .. } => Part::With(self.settle(self.read(part))),
            Node::Group(_, part) => self.read(part),
            Node::InTurn(parts) => self.in_turn(parts),
            Node::OneOf(parts) => self.one_of(parts),
        }
    }

    fn in_turn(&self, parts: &[Node]) -> Part {
        let (mut needs, mut run) = (Vec::new(), vec![Word::new()]);
        let mut is_exact = true;
        for part in parts {
            // As most parts are: a letter.
            if let Node::Class(class) = part
                && let Some(letter) = class.only()
            {
                run.iter_mut().for_each(|word| word.push(letter));
                continue;
            }
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

    fn one_of(&self, parts: &[Node]) -> Part {
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

/// The bytes of a class, if they are few.
fn letters(class: &Class) -> Option<Vec<Word>> {
    (class.len() <= 4).then(|| class.bytes().map(|byte| vec![byte]).collect())
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
        let text = format!("a{}a b", "-".repeat(400));
        form.each_in(text.as_bytes(), &mut Room::default(), |fit| found.push(fit.span));
        assert!(matches!(found[..], [Range { start: 401, end: 404 }]), "{found:?}");
    }

    #[test]
    fn a_form_fits_where_others_say_that_it_does() {
        use super::super::samples::{BAD, GOOD};
        let samples = BAD.iter().map(|(.., text)| *text).chain(GOOD.iter().map(|(_, text)| *text));
        let samples: Vec<String> = samples.map(str::to_ascii_lowercase).collect();
        for pattern in super::super::patterns() {
            let text = without_counts(&spelled_out(pattern.form)).0;
            let program = Program::new(&parse(&text));
            let other = regex::bytes::Regex::new(&format!("(?is-u){text}")).unwrap();
            let has_trigger = |text: &&String| pattern.triggers.iter().any(|word| text.contains(word));
            // What stands around a match matters, and what begins like one.
            for sample in samples.iter().filter(has_trigger).flat_map(|text| [text.clone(), text.repeat(2)]) {
                let (mut room, mut at, mut ours) = (Room::default(), 0, Vec::new());
                while let Some((start, end)) = program.find(sample.as_bytes(), at.min(sample.len()), &mut room)
                    && at <= sample.len()
                {
                    ours.push((start..end, program.groups(&room)));
                    at = end.max(start + 1);
                }
                let theirs = other.captures_iter(sample.as_bytes()).map(|captures| {
                    let names = other.capture_names().flatten();
                    let groups = names.filter_map(|name| Some((name, captures.name(name)?.range())));
                    (captures.get(0).unwrap().range(), groups.collect::<Vec<_>>())
                });
                assert_eq!(ours, theirs.collect::<Vec<_>>(), "{text}\n{sample}");
            }
        }
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
            let reader = Reader { triggers };
            assert_eq!(told(&reader.settle(reader.read(&parse(form)))), need, "{form}");
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
            Form::new(pattern.form, pattern.triggers);
            for word in pattern.triggers {
                assert_eq!(*word, word.to_ascii_lowercase(), "case does not matter");
                assert!(word.len() >= 2, "{word:?} would be found everywhere");
            }
        }
    }
}

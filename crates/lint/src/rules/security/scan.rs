//! The engine: one pass over every file for words that dangerous things cannot do without; patterns only where one of
//! them stands.
//!
//! ```text
//! file ─ words ─ Pattern at a hit: window, form, judge ─ Ledger ─ findings
//!   ├ disguised? ─ without its disguise, once more
//!   └ Markdown? ── as it is shown, once more for what is said in prose
//! ```
//!
//! What is looked at is counted, and a text may cost so many looks a byte ([`text::LOOKS_PER_BYTE`]) and no more: else a
//! file of nothing but `<!--` would take minutes. Of a file that costs more the rest is not read, which is reported.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use super::context::{About, Standing};
use super::form::{Fit, Form};
use super::mask;
use super::text::{self, Kind, Scope, Source};
use super::words::Words;
use crate::lint::{Found, Rule};
use crate::report::{Diagnostic, Level, Span};

/// A dangerous thing: what it cannot do without, and how to be sure of it.
pub(super) struct Pattern {
    /// Words, one of which it always has, in lower case; case does not matter.
    pub(super) triggers: &'static [&'static str],
    /// How much around such a word the form is held against.
    pub(super) scope: Scope,
    /// A regular expression; case does not matter, and `.` stands for a line's end, too. Empty for the word itself.
    pub(super) form: &'static str,
    /// What has to stand in the window, too, one of these, in lower case; none if nothing has to. Asked first, since it
    /// costs little.
    pub(super) needs: &'static [&'static str],
    /// When it is looked for.
    pub(super) round: Round,
    /// The only sort of file in which it means anything; `None` for all.
    pub(super) only: Option<Kind>,
    /// What it means.
    pub(super) judge: fn(&Hit<'_>, &mut Ledger<'_>),
}

impl Pattern {
    /// Whether it may be worth its form here. `lower` is the window in lower case.
    fn may_be(&self, lower: &[u8]) -> bool {
        self.needs.is_empty()
            || self.needs.iter().any(|needed| memchr::memmem::find(lower, needed.as_bytes()).is_some())
    }
}

/// Where a [`Pattern`] was found.
pub(super) struct Hit<'h> {
    /// The file.
    pub(super) view: &'h View<'h>,
    /// What the skill is about.
    pub(super) about: &'h About<'h>,
    /// What fits, in bytes of the text that is scanned.
    pub(super) span: Range<usize>,
    /// Where the trigger stands.
    pub(super) trigger: usize,
    /// Groups of the form by name, in the same bytes.
    groups: Vec<(&'static str, Range<usize>)>,
}

impl<'h> Hit<'h> {
    /// What fits.
    pub(super) fn text(&self) -> &'h str {
        &self.view.source.text[self.span.clone()]
    }

    /// What a group of the form holds.
    pub(super) fn group(&self, name: &str) -> Option<&'h str> {
        Some(&self.view.source.text[self.group_span(name)?])
    }

    /// Where a group of the form stands.
    pub(super) fn group_span(&self, name: &str) -> Option<Range<usize>> {
        self.groups.iter().find(|(known, _)| *known == name).map(|(_, span)| span.clone())
    }

    /// All that is scanned.
    pub(super) fn whole(&self) -> &'h str {
        self.view.source.text
    }
}

/// A file as it is scanned, and how to get back from there to the file itself.
pub(super) struct View<'a> {
    /// What is scanned.
    pub(super) source: Source<'a>,
    /// The file.
    original: &'a str,
    /// Where each byte of what is scanned stands in the file; `None` where both are the same.
    map: Option<&'a [u32]>,
    /// The file as it is written, where what is scanned is the file as it is shown.
    written: Option<&'a Source<'a>>,
}

impl<'a> View<'a> {
    pub(super) fn plain(path: &'a str, text: &'a str) -> Self {
        View { source: Source::new(path, text), original: text, map: None, written: None }
    }

    pub(super) fn unmasked(path: &'a str, original: &'a str, text: &'a str, map: &'a [u32]) -> Self {
        View { source: Source::new(path, text), original, map: Some(map), written: None }
    }

    /// A file as it is shown: without the marks of Markdown and HTML.
    pub(super) fn rendered(written: &'a Source<'a>, text: &'a str, map: &'a [u32]) -> Self {
        let source = Source::new(written.path, text);
        View { source, original: written.text, map: Some(map), written: Some(written) }
    }

    /// Whether what is scanned is the file itself.
    pub(super) fn is_plain(&self) -> bool {
        self.map.is_none()
    }

    /// Whether the file says this in other bytes.
    fn differs(&self, span: &Range<usize>) -> bool {
        !self.is_plain() && self.original[self.span(span)] != self.source.text[span.clone()]
    }

    /// Whether the file says this in disguise. Marks of Markdown are none.
    fn is_masked(&self, span: &Range<usize>) -> bool {
        self.written.is_none() && self.differs(span)
    }

    /// Whether it was seen as it is written: then there is nothing more to be found.
    fn was_seen(&self, span: &Range<usize>) -> bool {
        !self.is_plain() && !self.differs(span)
    }

    /// Whether a span is code within a line of the file as it is written.
    pub(super) fn is_inline_code(&self, span: &Range<usize>) -> bool {
        match self.written {
            Some(written) => written.is_inline_code(&self.span(span)),
            None => self.source.is_inline_code(span),
        }
    }

    /// What a span of the file stands in.
    fn standing(&self, about: &About<'_>, span: &Range<usize>) -> Standing {
        match self.written {
            Some(written) => about.standing(written, &self.span(span)),
            None => about.standing(&self.source, span),
        }
    }

    fn span(&self, span: &Range<usize>) -> Span {
        let Some(map) = self.map else { return span.clone() };
        let start = map[span.start] as usize;
        // What is shown by itself at the end may be further up in the file.
        let last = (map[span.end.max(span.start + 1) - 1] as usize).max(start);
        start..self.original.ceil_char_boundary(last + 1)
    }
}

/// What is to be said of a hit.
pub(super) struct Tell {
    /// The rule it breaks.
    pub(super) rule: &'static Rule,
    /// How bad it is where nothing around it makes it better.
    pub(super) level: Level,
    /// What it does, in one sentence.
    pub(super) message: String,
    /// What else is to be known.
    pub(super) notes: Vec<String>,
    /// What to write instead.
    pub(super) help: &'static str,
    /// Whether teaching is no excuse: nobody shows such a thing to the last byte.
    pub(super) firm: bool,
    /// Where, if not all that fits.
    pub(super) span: Option<Range<usize>>,
}

impl Tell {
    pub(super) fn new(rule: &'static Rule, level: Level, message: impl Into<String>, help: &'static str) -> Self {
        Tell { rule, level, message: message.into(), notes: Vec::new(), help, firm: false, span: None }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(super) fn firm(mut self) -> Self {
        self.firm = true;
        self
    }

    pub(super) fn at(mut self, span: Option<Range<usize>>) -> Self {
        self.span = span;
        self
    }
}

/// What was found in a skill so far.
pub(super) struct Ledger<'a> {
    told: Vec<Told>,
    /// Which of them are about one rule in one file, and whether more were not kept.
    by_rule: HashMap<(&'static str, String), Kept>,
    /// Reads of credentials, which matter more if something is sent as well.
    reads: Vec<Read>,
    /// The first place that sends something to somebody else.
    sends: Option<Sends>,
    /// Calls that send to somebody what is read just before.
    leaks: Vec<Leak>,
    about: &'a About<'a>,
    desk: Desk,
}

/// What every scan needs room for.
#[derive(Default)]
struct Desk {
    /// Up to where each pattern was looked for: a window that holds several triggers is looked at once.
    seen: Vec<usize>,
    /// A window, and what it is in lower case: patterns of the same scope ask for it one after the other.
    window: Range<usize>,
    lower: Vec<u8>,
    /// The paragraph that was looked at last, if it was looked at as a whole.
    paragraph: Range<usize>,
}

/// The findings of one rule in one file.
#[derive(Default)]
struct Kept {
    /// Where in [`Ledger::told`] they are.
    told: Vec<usize>,
    /// Whether more were not kept.
    more: bool,
}

/// Most findings of a rule in a file: more tell nobody anything, and a file can be made to have millions.
const KEPT_MAX: usize = 100;

/// Most reads of secrets that are remembered: one that is sent suffices.
const READS_MAX: usize = 1000;

/// A finding, and the file it is in.
struct Told {
    path: String,
    diagnostic: Diagnostic,
}

/// A place that reads a secret.
struct Read {
    /// Which finding it is; `None` if it is one only together with a place that sends.
    finding: Option<usize>,
    /// The finding it becomes.
    path: String,
    diagnostic: Diagnostic,
    /// Whether anything that is sent suffices, and not just what goes to a place made for stolen things.
    strong: bool,
    /// What holds it, if it is one only where the same file sends one of these names.
    named: Option<Vec<String>>,
    /// Whether it is one only where it goes to a place that shows it to somebody: elsewhere it may be what it is for.
    for_collectors: bool,
}

/// A call that sends to somebody what is read just before.
struct Leak {
    path: String,
    place: String,
    /// The call, and in code the two lines after it.
    said: String,
    /// Whether a file is read there.
    reads: bool,
    /// Whether it goes to a place that shows it to somebody.
    is_collected: bool,
}

impl Leak {
    /// Whether it sends what was read there, as far as can be seen.
    fn is_of(&self, read: &Read) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if read.for_collectors && !self.is_collected || !read.for_collectors && !self.reads {
            return false;
        }
        match &read.named {
            Some(holders) => self.said.split(|c| !is_word(c)).any(|word| holders.iter().any(|holder| holder == word)),
            None => read.strong,
        }
    }
}

/// A place that sends something away.
struct Sends {
    /// How it is called: `scripts/run.sh:12`.
    place: String,
    /// Whether it goes where stolen things go.
    shady: bool,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(about: &'a About<'a>) -> Self {
        let (told, by_rule, desk) = (Vec::new(), HashMap::new(), Desk::default());
        Ledger { told, by_rule, reads: Vec::new(), sends: None, leaks: Vec::new(), about, desk }
    }

    /// Takes a finding, as loud as what stands around it lets it be.
    pub(super) fn tell(&mut self, hit: &Hit<'_>, tell: Tell) {
        // What is not in disguise was found as it stands.
        if hit.view.was_seen(&hit.span) || self.is_full(tell.rule, hit.view.source.path, tell.level) {
            return;
        }

        // How a note stands that nobody sees does not matter.
        let matters = tell.level > Level::Note || self.about.tells(tell.rule, hit.view.source.path);
        let standing = if matters { self.standing(hit, &tell) } else { Standing::default() };
        let rule = tell.rule;
        let (diagnostic, _) = weigh(hit, tell, &standing);
        self.keep(rule, hit.view.source.path, diagnostic);
    }

    /// Takes a finding of this level, whatever is around it. It is made only if it is kept: to say where it is takes a
    /// look at all that is before.
    pub(super) fn tell_as_is(
        &mut self,
        rule: &'static Rule,
        level: Level,
        path: &str,
        make: impl FnOnce() -> Diagnostic,
    ) {
        if !self.is_full(rule, path, level) {
            let diagnostic = Diagnostic { level, ..make() };
            self.keep(rule, path, diagnostic);
        }
    }

    /// Whether there are enough findings of a rule in a file, none of which is less severe.
    fn is_full(&mut self, rule: &'static Rule, path: &str, level: Level) -> bool {
        let Some(kept) = self.by_rule.get_mut(&(rule.name, path.to_owned())) else { return false };
        let is_least = |at: &usize| self.told[*at].diagnostic.level >= level;
        let is_full = kept.told.len() >= KEPT_MAX && kept.told.iter().all(is_least);
        kept.more |= is_full;
        is_full
    }

    fn keep(&mut self, rule: &'static Rule, path: &str, diagnostic: Diagnostic) -> Option<usize> {
        let kept = self.by_rule.entry((rule.name, path.to_owned())).or_default();
        let overlaps = |told: &Told| match (&told.diagnostic.span, &diagnostic.span) {
            (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
            _ => true,
        };

        let same = kept.told.iter().copied().find(|at| overlaps(&self.told[*at]));
        // Where there are enough, what is more severe takes the place of what is least.
        let full = kept.told.len() >= KEPT_MAX;
        let least = kept.told.iter().copied().min_by_key(|at| self.told[*at].diagnostic.level);
        kept.more |= same.is_none() && full;

        match same.or(least.filter(|_| full)) {
            Some(at) => {
                if self.told[at].diagnostic.level < diagnostic.level {
                    self.told[at].diagnostic = diagnostic;
                }
                None
            }
            None => {
                kept.told.push(self.told.len());
                self.told.push(Told { path: path.to_owned(), diagnostic });
                Some(self.told.len() - 1)
            }
        }
    }

    fn standing(&self, hit: &Hit<'_>, tell: &Tell) -> Standing {
        hit.view.source.spend(2 * text::REACH);
        hit.view.standing(self.about, tell.span.as_ref().unwrap_or(&hit.span))
    }

    /// Takes a place that reads a secret. `alone`: whether it is worth a finding if nothing is sent.
    pub(super) fn reads(&mut self, hit: &Hit<'_>, tell: Tell, alone: bool) {
        if hit.view.was_seen(&hit.span) || self.reads.len() >= READS_MAX {
            return;
        }

        let path = hit.view.source.path.to_owned();
        let standing = self.standing(hit, &tell);
        let rule = tell.rule;
        let (diagnostic, lowered) = weigh(hit, tell, &standing);
        let finding = if alone { self.keep(rule, &path, diagnostic.clone()) } else { None };
        if !lowered {
            self.reads.push(Read { finding, path, diagnostic, strong: alone, named: None, for_collectors: false });
        }
    }

    /// Takes a place that names a secret: one that is read, if the same file sends one of the names that hold it.
    pub(super) fn names(&mut self, hit: &Hit<'_>, tell: Tell, holders: Vec<String>) {
        self.name(hit, tell, holders, false);
    }

    /// Takes a place that names a secret, which is one that is read if the same file sends one of the names that hold it to
    /// a place that shows it to somebody.
    pub(super) fn names_for_collectors(&mut self, hit: &Hit<'_>, tell: Tell, holders: Vec<String>) {
        self.name(hit, tell, holders, true);
    }

    fn name(&mut self, hit: &Hit<'_>, tell: Tell, holders: Vec<String>, for_collectors: bool) {
        if self.reads.len() >= READS_MAX {
            return;
        }

        let standing = self.standing(hit, &tell);
        let (diagnostic, lowered) = weigh(hit, tell, &standing);
        if hit.view.is_plain() && !lowered && !standing.pattern {
            let path = hit.view.source.path.to_owned();
            let named = Some(holders);
            self.reads.push(Read { finding: None, path, diagnostic, strong: false, named, for_collectors });
        }
    }

    /// Takes a call that sends to somebody what is read just before.
    pub(super) fn sends_what_it_reads(&mut self, hit: &Hit<'_>, is_collected: bool) {
        self.leaks_at(hit, true, is_collected);
    }

    /// Takes a call that sends to a place that shows it to somebody what a name holds.
    pub(super) fn sends_what_it_holds(&mut self, hit: &Hit<'_>) {
        self.leaks_at(hit, false, true);
    }

    fn leaks_at(&mut self, hit: &Hit<'_>, reads: bool, is_collected: bool) {
        if self.leaks.len() >= READS_MAX {
            return;
        }

        hit.view.source.spend(2 * text::REACH);
        let standing = hit.view.standing(self.about, &hit.span);
        if !standing.negated && !standing.pattern {
            let (line, _) = crate::report::position(hit.view.original, hit.view.span(&hit.span).start);
            let path = hit.view.source.path.to_owned();
            // A call in code may be handed its data in the next lines; a command has all in its own.
            let is_code = hit.text().contains('(') && !hit.text().starts_with("curl ");
            let scope = if is_code { Scope::Following(2) } else { Scope::Statement };
            let window = hit.view.source.span(hit.span.start, scope);
            let said = hit.whole()[window].to_owned();
            self.leaks.push(Leak { place: format!("{path}:{line}"), path, said, reads, is_collected });
        }
    }

    /// Whether the skill is about security.
    pub(super) fn is_lesson(&self) -> bool {
        self.about.is_lesson()
    }

    /// Whether it matters that something is sent away.
    pub(super) fn has_reads(&self) -> bool {
        !self.reads.is_empty()
    }

    /// Takes a place that sends something away.
    pub(super) fn sends(&mut self, hit: &Hit<'_>, shady: bool) {
        // The first place is what is reported, and one where stolen things go rather than another.
        if self.sends.as_ref().is_some_and(|sends| sends.shady || !shady) {
            return;
        }

        hit.view.source.spend(2 * text::REACH);
        let standing = hit.view.standing(self.about, &hit.span);
        if standing.negated || standing.pattern || standing.lesson {
            return;
        }
        let (line, _) = crate::report::position(hit.view.original, hit.view.span(&hit.span).start);
        let place = format!("{}:{line}", hit.view.source.path);
        self.sends = Some(Sends { place, shady });
    }

    /// All that was found. What reads secrets in a skill that sends things away is an error.
    pub(super) fn finish(mut self, found: &mut Found) {
        let (sends, leaks) = (self.sends.take(), std::mem::take(&mut self.leaks));
        for mut read in std::mem::take(&mut self.reads) {
            let leak = leaks.iter().find(|leak| leak.path == read.path && leak.is_of(&read));
            let sent = sends.as_ref().filter(|sends| read.named.is_none() && (read.strong || sends.shady));
            let Some(place) = leak.map(|leak| &leak.place).or(sent.map(|sends| &sends.place)) else { continue };
            read.diagnostic.level = Level::Error;
            read.diagnostic.notes.push(format!("the same skill sends data away: `{place}`"));
            match read.finding {
                Some(at) => self.told[at].diagnostic = read.diagnostic,
                None => {
                    if let Some(rule) = crate::lint::rules::find(&read.diagnostic.rule) {
                        self.keep(rule, &read.path, read.diagnostic);
                    }
                }
            }
        }

        for kept in self.by_rule.into_values().filter(|kept| kept.more) {
            if let Some(first) = kept.told.first() {
                let note = format!("there are more than {KEPT_MAX} in this file; the others are not listed");
                self.told[*first].diagnostic.notes.push(note);
            }
        }
        self.told.into_iter().for_each(|told| found.add(&told.path, told.diagnostic));
    }
}

/// The finding, and whether it was lowered.
fn weigh(hit: &Hit<'_>, tell: Tell, standing: &Standing) -> (Diagnostic, bool) {
    let span = tell.span.unwrap_or_else(|| hit.span.clone());
    let masked = hit.view.is_masked(&span);
    let excused = u8::from(standing.negated)
        + u8::from((standing.lesson && !tell.firm) || standing.tabled)
        + u8::from(standing.linked)
        + 2 * u8::from(standing.pattern && !tell.firm)
        + u8::from(standing.quoted && !tell.firm && is_words(tell.rule));
    let down = if standing.hidden || masked { 0 } else { excused.min(2) };
    let is_order = standing.hidden && excused == 0 && is_order(tell.rule);
    let level = if is_order && tell.level == Level::Warning { Level::Error } else { lowered(tell.level, down) };
    let mut diagnostic = tell.rule.finding(tell.message).at(hit.view.span(&span), hit.view.original);
    diagnostic.level = level;
    diagnostic.notes = tell.notes;
    if standing.hidden {
        diagnostic = diagnostic.note("it stands in a comment: agents read it, and people who look at the page do not");
    }
    if masked {
        diagnostic = diagnostic.note("it is spelled so that a search for it does not find it");
    }
    let lowered = level < tell.level;
    (diagnostic.help(tell.help), lowered)
}

/// Whether a rule is about what is said, which a quotation only repeats, and not about what is run.
fn is_words(rule: &Rule) -> bool {
    matches!(rule.code, "SK704" | "SK705" | "SK706") || super::orders::RULES.iter().any(|order| order.code == rule.code)
}

/// Whether a rule is about orders that have no business where people do not see them.
fn is_order(rule: &Rule) -> bool {
    matches!(rule.code, "SK704" | "SK705" | "SK714" | "SK716" | "SK730")
}

fn lowered(level: Level, by: u8) -> Level {
    (0..by).fold(level, |level, _| if level == Level::Error { Level::Warning } else { Level::Note })
}

/// The patterns of all rules, ready to be looked for.
struct Engine {
    words: Words,
    /// For each word, the patterns that it sets off.
    sets_off: Vec<Vec<u16>>,
    patterns: Vec<(&'static Pattern, OnceLock<Form>)>,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// What is done: commands, code, addresses, secrets.
    Deeds,
    /// What of it is said in prose.
    Prose,
    /// What the agent is ordered to do in plain language.
    Orders,
}

static DEEDS: LazyLock<Engine> = LazyLock::new(|| Engine::of(super::patterns()));
static PROSE: LazyLock<Engine> = LazyLock::new(|| Engine::of(super::prose()));
static ORDERS: LazyLock<Engine> = LazyLock::new(|| Engine::of(super::orders::PATTERNS.iter()));

impl Engine {
    fn of(patterns: impl Iterator<Item = &'static Pattern>) -> Engine {
        let patterns: Vec<_> = patterns.map(|pattern| (pattern, OnceLock::new())).collect();
        // The marks of a disguise come first, and set off nothing.
        let mut words: Vec<&str> = mask::MARKS.to_vec();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut sets_off: Vec<Vec<u16>> = words.iter().map(|_| Vec::new()).collect();
        for (at, (pattern, _)) in patterns.iter().enumerate() {
            for word in pattern.triggers {
                let index = *known.entry(word).or_insert_with(|| {
                    words.push(word);
                    sets_off.push(Vec::new());
                    words.len() - 1
                });
                sets_off[index].push(u16::try_from(at).expect("there are some hundred patterns"));
            }
        }
        let words = Words::new(words);
        Engine { words, sets_off, patterns }
    }
}

/// Which patterns are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    /// All but those of the second.
    First,
    /// Those that matter only where the first found something.
    Second,
}

/// Holds a text against the patterns; says whether something in it is in disguise.
pub(super) fn scan<'s>(
    look: Look,
    view: &'s View<'s>,
    round: Round,
    about: &'s About<'s>,
    ledger: &mut Ledger<'_>,
) -> bool {
    let engine: &Engine = match look {
        Look::Deeds => &DEEDS,
        Look::Prose => &PROSE,
        Look::Orders => &ORDERS,
    };
    let mut desk = std::mem::take(&mut ledger.desk);
    desk.seen.clear();
    desk.window = 0..0;
    desk.paragraph = 0..0;
    let mut run = Run { engine, view, round, about, desk };
    let (mut disguised, mut reached) = (false, 0);
    engine.words.each_in(view.source.text, |word, range| {
        if view.source.is_exhausted() {
            return;
        }
        reached = range.end;
        if word < mask::MARKS.len() {
            disguised = disguised || mask::is_disguise(view.source.text, range.start, range.end);
        } else {
            run.set_off(word, &range, ledger);
        }
    });
    ledger.desk = run.desk;

    if view.source.is_exhausted() {
        let read = view.span(&(0..reached)).end;
        super::unread::exhausted(view.source.path, read, view.original.len(), ledger);
    }
    disguised
}

/// A look at one text.
struct Run<'s> {
    engine: &'static Engine,
    view: &'s View<'s>,
    round: Round,
    about: &'s About<'s>,
    desk: Desk,
}

impl Run<'_> {
    /// Looks for the patterns of a word that was found.
    fn set_off(&mut self, word: usize, range: &Range<usize>, ledger: &mut Ledger<'_>) {
        let (view, about) = (self.view, self.about);
        // A line's end before a word only says where it stands.
        let trigger = range.start + usize::from(view.source.text.as_bytes()[range.start] == b'\n');
        self.desk.seen.resize(self.engine.patterns.len(), 0);
        for &at in &self.engine.sets_off[word] {
            let (pattern, form) = &self.engine.patterns[usize::from(at)];
            let seen = &mut self.desk.seen[usize::from(at)];
            let is_other = pattern.round != self.round || pattern.only.is_some_and(|kind| kind != view.source.kind);
            if is_other || trigger < *seen {
                continue;
            }
            if pattern.form.is_empty() {
                (pattern.judge)(&Hit { view, about, span: range.clone(), trigger, groups: Vec::new() }, ledger);
                continue;
            }
            let (window, covered) = match &self.desk.paragraph {
                whole if pattern.scope == Scope::Paragraph && whole.contains(&trigger) => (whole.clone(), whole.end),
                _ => view.source.window(trigger, pattern.scope),
            };
            // What is shorter than one may look from any place in it is the same from each.
            if pattern.scope == Scope::Paragraph && window.len() < text::REACH {
                self.desk.paragraph = window.clone();
            }
            *seen = covered;
            if view.was_seen(&window) {
                continue;
            }
            let text = &view.source.text[window.clone()];
            view.source.spend(text.len());
            let lower = &mut self.desk.lower;
            if self.desk.window != window {
                lower.clear();
                lower.extend(text.bytes().map(|byte| byte.to_ascii_lowercase()));
                self.desk.window = window.clone();
            }
            if !pattern.may_be(lower) {
                continue;
            }
            let form = form.get_or_init(|| Form::new(pattern.form));
            if form.may_be(lower) {
                form.each_in(text.as_bytes(), |fit| {
                    // What is made of a match looks at about as much.
                    view.source.spend(text.len());
                    (pattern.judge)(&hit(view, about, fit, window.start, trigger), ledger);
                });
            }
        }
    }
}

fn hit<'h>(view: &'h View<'h>, about: &'h About<'h>, fit: Fit, start: usize, trigger: usize) -> Hit<'h> {
    // What is found byte by byte may begin or end inside a character.
    let text = view.source.text;
    let place =
        |range: Range<usize>| text.floor_char_boundary(start + range.start)..text.ceil_char_boundary(start + range.end);
    let groups = fit.groups.into_iter().map(|(name, range)| (name, place(range)));
    Hit { view, about, span: place(fit.span), trigger, groups: groups.collect() }
}

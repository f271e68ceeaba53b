//! Regular expressions, ready to be looked for: quick to make, and quick enough over a few lines.
//!
//! A [`Program`] is followed step by step, and where it parts into two ways the better one is tried first. What was tried
//! at a place is not tried there again, so that no form and no text takes more than their product of steps.

use super::grammar::{Class, Look, Node, is_word};

/// A regular expression that can be looked for.
pub(super) struct Program {
    steps: Vec<Step>,
    /// What a match can begin with.
    first: Ahead,
    /// For each fork, what its two ways can begin with.
    ahead: Vec<[Ahead; 2]>,
    /// For each switch, the step that each byte leads to.
    switches: Vec<[u32; 256]>,
    /// The names of its groups.
    names: Vec<String>,
}

/// Ways from which on a switch spares more than it costs.
const MANY: usize = 4;
/// A step that there is not: nothing fits.
const NONE: u32 = u32::MAX;

/// A step; one that does not say so leads to the next.
enum Step {
    /// One byte.
    Byte(u8),
    /// One byte of these.
    Class(Class),
    /// Nothing, at such a place.
    Look(Look),
    /// Two ways, the better one first; and which fork of the program it is.
    Fork { ways: [u32; 2], fork: u32 },
    /// Several ways, of which the next byte says where to begin.
    Switch(u32),
    /// One way, elsewhere.
    Jump(u32),
    /// A group begins (an even number) or ends.
    Mark(u32),
    /// All of it fits.
    Done,
}

/// What a way can go on with.
#[derive(Clone, Copy, Default)]
struct Ahead {
    /// One of these bytes.
    bytes: Class,
    /// Whether the end of the text will do.
    or_end: bool,
    /// Whether a word has to begin there.
    is_start: bool,
}

impl Ahead {
    const ANYTHING: Ahead = Ahead { bytes: Class::ALL, or_end: true, is_start: false };

    fn one_of(bytes: Class) -> Ahead {
        Ahead { bytes, or_end: false, is_start: false }
    }

    #[inline]
    fn allows(&self, text: &[u8], at: usize) -> bool {
        match text.get(at) {
            Some(byte) => self.bytes.has(*byte) && !(self.is_start && at > 0 && Class::WORD.has(text[at - 1])),
            None => self.or_end,
        }
    }

    fn or(mut self, other: Ahead) -> Ahead {
        self.bytes.add_all(&other.bytes);
        Ahead { or_end: self.or_end || other.or_end, is_start: self.is_start && other.is_start, ..self }
    }

    /// The same at the edge of a word.
    fn at_edge(self) -> Ahead {
        Ahead { is_start: self.bytes.is_in(&Class::WORD), ..self }
    }
}

/// What a search needs room for; of use to the next, too.
#[derive(Default)]
pub(super) struct Room {
    /// Ways that are left to be tried.
    left: Vec<Left>,
    /// One bit for each fork at each place: whether it was tried.
    tried: Vec<u64>,
    /// Where each group begins and ends.
    marks: Vec<Option<usize>>,
}

enum Left {
    /// To go on from a step, at a place.
    Way(u32, u32),
    /// To put a mark back where it was.
    Mark(u32, Option<usize>),
}

impl Program {
    /// Makes one.
    pub(super) fn new(node: &Node) -> Self {
        let mut program = Program {
            steps: Vec::new(),
            first: Ahead::ANYTHING,
            ahead: Vec::new(),
            switches: Vec::new(),
            names: Vec::new(),
        };
        program.compile(node);
        program.steps.push(Step::Done);
        program.look_ahead();
        program
    }

    fn compile(&mut self, node: &Node) {
        match node {
            Node::Class(class) => {
                self.steps.push(class.only().map_or(Step::Class(*class), Step::Byte));
            }
            Node::Look(look) => self.steps.push(Step::Look(*look)),
            Node::InTurn(parts) => parts.iter().for_each(|part| self.compile(part)),
            Node::Group(name, part) => {
                let mark = small(self.names.len() * 2);
                self.names.push(name.clone());
                self.steps.push(Step::Mark(mark));
                self.compile(part);
                self.steps.push(Step::Mark(mark + 1));
            }
            Node::OneOf(parts) => self.one_of(parts),
            Node::Repeat { part, least, most, greedy } => {
                (0..*least).for_each(|_| self.compile(part));
                match most {
                    None => self.any_number(part, *greedy),
                    Some(most) => self.up_to(part, most.saturating_sub(*least), *greedy),
                }
            }
        }
    }

    fn one_of(&mut self, parts: &[Node]) {
        let mut ends = Vec::new();
        if parts.len() >= MANY {
            self.steps.push(Step::Switch(small(self.switches.len())));
            self.switches.push([NONE; 256]);
        }
        for (at, part) in parts.iter().enumerate() {
            if at + 1 == parts.len() {
                self.compile(part);
                break;
            }
            let fork = self.fork();
            self.compile(part);
            ends.push(self.steps.len());
            self.steps.push(Step::Jump(0));
            self.aim(fork, true);
        }
        let end = small(self.steps.len());
        ends.into_iter().for_each(|at| self.steps[at] = Step::Jump(end));
    }

    fn any_number(&mut self, part: &Node, greedy: bool) {
        let fork = self.fork();
        self.compile(part);
        self.steps.push(Step::Jump(small(fork)));
        self.aim(fork, greedy);
    }

    fn up_to(&mut self, part: &Node, times: usize, greedy: bool) {
        let mut forks = Vec::new();
        for _ in 0..times {
            forks.push(self.fork());
            self.compile(part);
        }
        forks.into_iter().for_each(|fork| self.aim(fork, greedy));
    }

    /// Two ways, of which only the one that leads to the next step is known yet.
    fn fork(&mut self) -> usize {
        let at = self.steps.len();
        self.steps.push(Step::Fork { ways: [small(at + 1); 2], fork: small(self.ahead.len()) });
        self.ahead.push([Ahead::ANYTHING; 2]);
        at
    }

    /// The other way of a fork leads to where the program ends now.
    fn aim(&mut self, at: usize, next_is_better: bool) {
        let end = small(self.steps.len());
        if let Step::Fork { ways, .. } = &mut self.steps[at] {
            ways[usize::from(next_is_better)] = end;
        }
    }

    /// Finds out what each way can go on with.
    fn look_ahead(&mut self) {
        let mut known = vec![Ahead::ANYTHING; self.steps.len()];
        // Loops lead back to what is known only once all was looked at.
        for _ in 0..2 {
            for at in (0..self.steps.len()).rev() {
                known[at] = match &self.steps[at] {
                    Step::Byte(byte) => Ahead::one_of(Class::of([*byte])),
                    Step::Class(class) => Ahead::one_of(*class),
                    Step::Look(Look::Edge) => known[at + 1].at_edge(),
                    Step::Look(_) | Step::Mark(_) => known[at + 1],
                    Step::Jump(to) => known[*to as usize],
                    Step::Switch(switch) => {
                        self.switches[*switch as usize] = self.switched(at + 1, &known);
                        known[at + 1]
                    }
                    Step::Fork { ways, fork } => {
                        let ahead = ways.map(|way| known[way as usize]);
                        self.ahead[*fork as usize] = ahead;
                        ahead[0].or(ahead[1])
                    }
                    Step::Done => Ahead::ANYTHING,
                };
            }
        }
        self.first = known[0];
    }

    /// The way that each byte leads to, of all that begin at a fork.
    fn switched(&self, mut at: usize, known: &[Ahead]) -> [u32; 256] {
        let mut switch = [NONE; 256];
        let mut left = Class::ALL;
        loop {
            let (own, next) = match &self.steps[at] {
                Step::Fork { ways: [one, other], .. } => (known[*one as usize], Some(*other as usize)),
                _ => (known[at], None),
            };
            for byte in own.bytes.bytes().filter(|byte| left.has(*byte)) {
                switch[usize::from(byte)] = small(at);
            }
            left.remove_all(&own.bytes);
            let Some(next) = next else { return switch };
            at = next;
        }
    }

    /// Makes one of a regular expression.
    pub(super) fn of(form: &str) -> Self {
        Program::new(&super::grammar::parse(form))
    }

    /// Whether it fits anywhere in a text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.find(text.to_ascii_lowercase().as_bytes(), 0, &mut Room::default()).is_some()
    }

    /// The first place at or after `from` where it fits a text in lower case. [`Program::groups`] says more of it.
    pub(super) fn find(&self, text: &[u8], from: usize, room: &mut Room) -> Option<(usize, usize)> {
        let mut starts = (from..=text.len()).filter(|start| self.first.allows(text, *start));
        let from = starts.next()?;
        room.tried.clear();
        room.tried.resize(((text.len() + 1 - from) * self.ahead.len()).div_ceil(64), 0);
        room.marks.clear();
        room.marks.resize(self.names.len() * 2, None);
        let mut starts = std::iter::once(from).chain(starts);
        starts.find_map(|start| Some((start, self.fits(text, from, start, room)?)))
    }

    /// The groups of what was just found, by name, as far as they took part.
    pub(super) fn groups<'p>(&'p self, room: &Room) -> Vec<(&'p str, std::ops::Range<usize>)> {
        let part =
            |(at, name): (usize, &'p String)| Some((name.as_str(), room.marks[2 * at]?..room.marks[2 * at + 1]?));
        self.names.iter().enumerate().filter_map(part).collect()
    }

    /// Where it ends if it begins at `start`. What is known of places begins at `from`.
    fn fits(&self, text: &[u8], from: usize, start: usize, room: &mut Room) -> Option<usize> {
        room.left.clear();
        let mut end = self.follow(text, from, (0, start), room);
        while end.is_none() {
            match room.left.pop()? {
                Left::Mark(mark, was) => room.marks[mark as usize] = was,
                Left::Way(step, at) => end = self.follow(text, from, (step as usize, at as usize), room),
            }
        }
        end
    }

    /// Follows one way as far as it leads.
    fn follow(&self, text: &[u8], from: usize, (mut step, mut at): (usize, usize), room: &mut Room) -> Option<usize> {
        loop {
            match &self.steps[step] {
                Step::Byte(byte) if text.get(at) == Some(byte) => (step, at) = (step + 1, at + 1),
                Step::Class(class) if text.get(at).is_some_and(|byte| class.has(*byte)) => {
                    (step, at) = (step + 1, at + 1);
                }
                Step::Look(look) if is_there(*look, text, at) => step += 1,
                Step::Byte(_) | Step::Class(_) | Step::Look(_) => return None,
                Step::Jump(to) => step = *to as usize,
                Step::Switch(switch) => match text.get(at) {
                    None => step += 1,
                    Some(byte) => match self.switches[*switch as usize][usize::from(*byte)] {
                        NONE => return None,
                        to => step = to as usize,
                    },
                },
                Step::Mark(mark) => {
                    room.left.push(Left::Mark(*mark, room.marks[*mark as usize].replace(at)));
                    step += 1;
                }
                Step::Fork { ways: [better, other], fork } => {
                    let [one, two] = &self.ahead[*fork as usize];
                    let (may_better, may_other) = (one.allows(text, at), two.allows(text, at));
                    if !(may_better || may_other) || !room.is_first((at - from) * self.ahead.len() + *fork as usize) {
                        return None;
                    }
                    if may_better && may_other {
                        room.left.push(Left::Way(*other, small(at)));
                    }
                    step = *(if may_better { better } else { other }) as usize;
                }
                Step::Done => return Some(at),
            }
        }
    }
}

impl Room {
    /// Whether a fork is tried at a place for the first time.
    #[inline]
    fn is_first(&mut self, bit: usize) -> bool {
        let (part, mask) = (&mut self.tried[bit / 64], 1 << (bit % 64));
        let is_first = *part & mask == 0;
        *part |= mask;
        is_first
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).expect("forms and windows are small")
}

fn is_there(look: Look, text: &[u8], at: usize) -> bool {
    let is_edge = || {
        let before = at > 0 && is_word(text[at - 1]);
        before != text.get(at).is_some_and(|byte| is_word(*byte))
    };
    match look {
        Look::Start => at == 0,
        Look::End => at == text.len(),
        Look::Edge => is_edge(),
        Look::NoEdge => !is_edge(),
    }
}

//! Regular expressions, taken apart: bytes and not letters, in any case, and `.` stands for a line's end, too.
//!
//! The forms of this room are constants, so what is wrong with one is found by the tests: whoever reads one may trust it.

/// A part of a regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// One byte of these.
    Class(Class),
    /// Nothing, at such a place.
    Look(Look),
    /// A part so many times.
    Repeat {
        /// What is repeated.
        part: Box<Node>,
        /// How often at least.
        least: usize,
        /// How often at most; `None` for any number.
        most: Option<usize>,
        /// Whether more is better.
        greedy: bool,
    },
    /// A part with a name.
    Group(String, Box<Node>),
    /// Parts one after another; none for nothing.
    InTurn(Vec<Node>),
    /// One of several, the first that fits.
    OneOf(Vec<Node>),
}

/// A place between bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The start of the text.
    Start,
    /// Its end.
    End,
    /// Where a word begins or ends.
    Edge,
    /// Where none does.
    NoEdge,
}

/// A set of bytes, of letters those in lower case: texts are looked at in that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Class([u64; 4]);

impl Class {
    /// Whether it holds a byte.
    #[inline]
    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Takes a byte; of a letter, the small one.
    pub(super) fn add(&mut self, byte: u8) {
        let byte = byte.to_ascii_lowercase();
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Takes all of another.
    pub(super) fn add_all(&mut self, other: &Class) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    /// Takes all of another away.
    pub(super) fn remove_all(&mut self, other: &Class) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own &= !other);
    }

    /// The byte that it holds, if that is all.
    pub(super) fn only(&self) -> Option<u8> {
        self.bytes().next().filter(|_| self.len() == 1)
    }

    /// Whether another holds all of it.
    pub(super) fn is_in(&self, other: &Class) -> bool {
        self.0.iter().zip(other.0).all(|(own, other)| own & !other == 0)
    }

    /// How many bytes it holds.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|part| part.count_ones() as usize).sum()
    }

    /// Its bytes, in order.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        let of = |(mut bits, base): (u64, u8)| {
            std::iter::from_fn(move || {
                let next = bits.checked_ilog2().map(|_| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(base + u8::try_from(next).unwrap_or_default())
            })
        };
        self.0.into_iter().zip([0, 64, 128, 192]).flat_map(of)
    }

    /// Every byte.
    pub(super) const ALL: Class = Class([u64::MAX; 4]);

    /// The bytes of words.
    pub(super) const WORD: Class = Class([0x3ff << 48, 0x7ff_fffe << 32 | 1 << 31, 0, 0]);

    /// Such a set.
    pub(super) fn of(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut class = Class::default();
        bytes.into_iter().for_each(|byte| class.add(byte));
        class
    }

    fn others(&self) -> Self {
        Class(self.0.map(|part| !part))
    }
}

/// Takes a regular expression apart.
pub(super) fn parse(form: &str) -> Node {
    let mut parser = Parser { bytes: form.as_bytes(), at: 0 };
    let node = parser.alternatives();
    assert!(parser.at == form.len(), "`{form}` ends with its last group");
    node
}

struct Parser<'f> {
    bytes: &'f [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn eats(&mut self, text: &str) -> bool {
        let there = self.bytes[self.at..].starts_with(text.as_bytes());
        self.at += if there { text.len() } else { 0 };
        there
    }

    fn alternatives(&mut self) -> Node {
        let mut all = vec![self.sequence()];
        while self.eats("|") {
            all.push(self.sequence());
        }
        if all.len() == 1 { all.remove(0) } else { Node::OneOf(all) }
    }

    fn sequence(&mut self) -> Node {
        let mut parts = Vec::new();
        while let Some(byte) = self.peek()
            && !matches!(byte, b'|' | b')')
        {
            let part = self.part();
            parts.push(self.repeated(part));
        }
        if parts.len() == 1 { parts.remove(0) } else { Node::InTurn(parts) }
    }

    fn part(&mut self) -> Node {
        match self.next() {
            b'(' => self.group(),
            b'[' => Node::Class(self.class()),
            b'.' => Node::Class(Class::ALL),
            b'^' => Node::Look(Look::Start),
            b'$' => Node::Look(Look::End),
            b'\\' if self.eats("b") => Node::Look(Look::Edge),
            b'\\' if self.eats("B") => Node::Look(Look::NoEdge),
            b'\\' => Node::Class(self.escaped()),
            // A letter beyond ASCII is all of its bytes.
            first @ 0xc0.. => {
                let rest = first.leading_ones() as usize - 1;
                let bytes = std::iter::once(first).chain((0..rest).map(|_| self.next()));
                Node::InTurn(bytes.map(|byte| Node::Class(Class::of([byte]))).collect())
            }
            byte => Node::Class(Class::of([byte])),
        }
    }

    fn group(&mut self) -> Node {
        let name = if self.eats("?P<") {
            let start = self.at;
            while self.next() != b'>' {}
            Some(String::from_utf8_lossy(&self.bytes[start..self.at - 1]).into_owned())
        } else {
            self.eats("?:");
            None
        };
        let node = self.alternatives();
        assert!(self.eats(")"), "a group is closed");
        match name {
            Some(name) => Node::Group(name, Box::new(node)),
            None => node,
        }
    }

    fn repeated(&mut self, part: Node) -> Node {
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => return self.counted(part),
            _ => return part,
        };
        self.at += 1;
        let greedy = !self.eats("?");
        Node::Repeat { part: Box::new(part), least, most, greedy }
    }

    fn counted(&mut self, part: Node) -> Node {
        self.at += 1;
        let least = self.number().expect("a count begins with a number");
        let most = if self.eats(",") { self.number() } else { Some(least) };
        assert!(self.eats("}"), "a count is closed");
        let greedy = !self.eats("?");
        Node::Repeat { part: Box::new(part), least, most, greedy }
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    /// What follows a backslash.
    fn escaped(&mut self) -> Class {
        match self.next() {
            b's' => Class::of(*b"\t\n\x0b\x0c\r "),
            b'S' => Class::of(*b"\t\n\x0b\x0c\r ").others(),
            b'd' => Class::of(b'0'..=b'9'),
            b'D' => Class::of(b'0'..=b'9').others(),
            b'w' => Class::WORD,
            b'W' => Class::WORD.others(),
            b'n' => Class::of([b'\n']),
            b'r' => Class::of([b'\r']),
            b't' => Class::of([b'\t']),
            b'x' => {
                let braced = self.eats("{");
                let digits = [self.next(), self.next()];
                assert!(!braced || self.eats("}"), "a byte has two digits");
                let digits = std::str::from_utf8(&digits).expect("digits are ASCII");
                Class::of([u8::from_str_radix(digits, 16).expect("a byte is written in hexadecimal digits")])
            }
            mark if mark.is_ascii_punctuation() => Class::of([mark]),
            other => panic!("no form has a `\\{}`", char::from(other)),
        }
    }

    /// What follows an opening bracket.
    fn class(&mut self) -> Class {
        let negated = self.eats("^");
        let mut class = Class::default();
        let mut is_first = true;
        while is_first || self.peek() != Some(b']') {
            is_first = false;
            let (one, byte) = self.member();
            let is_range = self.peek() == Some(b'-') && self.bytes.get(self.at + 1) != Some(&b']');
            match byte {
                Some(first) if is_range => {
                    self.at += 1;
                    let (_, last) = self.member();
                    (first..=last.expect("a range ends with a byte")).for_each(|byte| class.add(byte));
                }
                _ => class.add_all(&one),
            }
        }
        self.at += 1;
        if negated { class.others() } else { class }
    }

    /// A member of a class, and the byte that it is, if it is one.
    fn member(&mut self) -> (Class, Option<u8>) {
        let class = match self.next() {
            b'\\' => self.escaped(),
            byte => {
                assert!(byte.is_ascii() && byte != b'[', "a class has ASCII bytes, and no class in it");
                return (Class::of([byte]), Some(byte));
            }
        };
        (class, class.only())
    }
}

/// Whether a byte is one of a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

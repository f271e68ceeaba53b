//! The words that a form cannot do without: looked for first, since that costs next to nothing.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

/// What any text that fits has in it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Need<W> {
    /// Nothing in particular.
    Nothing,
    /// One of these words, in lower case.
    Word(Vec<W>),
    /// All of these; what is asked in fewest words first.
    All(Vec<Need<W>>),
    /// One of these.
    Any(Vec<Need<W>>),
}

impl<W: AsRef<[u8]>> Need<W> {
    /// The same, ready to be looked for.
    pub(super) fn ready(&self) -> Need<Finder<'static>> {
        let all = |needs: &[Need<W>]| needs.iter().map(Need::ready).collect();
        match self {
            Need::Nothing => Need::Nothing,
            Need::Word(words) => Need::Word(words.iter().map(|word| Finder::new(word.as_ref()).into_owned()).collect()),
            Need::All(needs) => Need::All(all(needs)),
            Need::Any(needs) => Need::Any(all(needs)),
        }
    }
}

impl Need<Finder<'static>> {
    /// Whether a text, in lower case, has it.
    pub(super) fn is_met(&self, lower: &[u8]) -> bool {
        match self {
            Need::Nothing => true,
            Need::Word(words) => words.iter().any(|word| word.find(lower).is_some()),
            Need::All(needs) => needs.iter().all(|need| need.is_met(lower)),
            Need::Any(needs) => needs.iter().any(|need| need.is_met(lower)),
        }
    }
}

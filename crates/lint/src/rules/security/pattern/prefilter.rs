//! The literals that each match of a regex contains: searched first, since that costs next to
//! nothing.

use memchr::memmem::Finder;

use super::encoding::LiteralPrefilter;

impl<W: AsRef<[u8]>> LiteralPrefilter<W> {
    /// Returns the same prefilter, ready to be searched.
    pub(super) fn compile(&self) -> LiteralPrefilter<Finder<'static>> {
        let all =
            |needs: &[LiteralPrefilter<W>]| needs.iter().map(LiteralPrefilter::compile).collect();
        match self {
            LiteralPrefilter::Nothing => LiteralPrefilter::Nothing,
            LiteralPrefilter::Word(words) => LiteralPrefilter::Word(
                words
                    .iter()
                    .map(|word| Finder::new(word.as_ref()).into_owned())
                    .collect(),
            ),
            LiteralPrefilter::All(needs) => LiteralPrefilter::All(all(needs)),
            LiteralPrefilter::Any(needs) => LiteralPrefilter::Any(all(needs)),
        }
    }
}

impl LiteralPrefilter<Finder<'static>> {
    /// Whether a text, in lower case, passes.
    pub(super) fn is_met(&self, lower: &[u8]) -> bool {
        match self {
            LiteralPrefilter::Nothing => true,
            LiteralPrefilter::Word(words) => words.iter().any(|word| word.find(lower).is_some()),
            LiteralPrefilter::All(needs) => needs.iter().all(|need| need.is_met(lower)),
            LiteralPrefilter::Any(needs) => needs.iter().any(|need| need.is_met(lower)),
        }
    }
}

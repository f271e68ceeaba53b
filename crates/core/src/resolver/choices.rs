//! Sets of choices as bit sets, so that a set of any shape is small and every operation on it fast.
//!
//! The search learns one set for each incompatibility it finds. As intervals, the sets of a package with thousands of
//! versions of which scattered ones fail would take gigabytes. Memory and work are counted per thread, so that a search has
//! the same bound on every machine.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use pubgrub::VersionSet;

const BITS: u32 = u64::BITS;

/// The cost of an operation besides its words.
const OPERATION_COST: u64 = 8;

// Per thread and not in the sets, since pubgrub creates and drops them without a context.
thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
    static WORDS_ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// Returns the work done on sets in this thread since the last call, in words, and resets it.
pub(super) fn take_work() -> u64 {
    WORK.take()
}

/// The words that all sets of this thread have allocated.
pub(super) fn words_allocated() -> u64 {
    WORDS_ALLOCATED.get()
}

/// A set of choices of one node. Two that have the same choices are equal.
#[derive(PartialEq, Eq)]
pub(super) struct ChoiceSet {
    /// The word before which there is no choice.
    first: u32,
    /// The words from there on; the first is not empty, and the last differs from what `has_rest` implies.
    words: BitWords,
    /// Whether all choices after the last word are in it.
    has_rest: bool,
}

#[derive(Clone)]
// A package with up to 64 versions takes one word, and no allocation.
enum BitWords {
    None,
    One(u64),
    // Shared: the search clones sets far more often than it changes them.
    Many(Arc<[u64]>),
}

impl BitWords {
    fn slice(&self) -> &[u64] {
        match self {
            BitWords::None => &[],
            BitWords::One(word) => std::slice::from_ref(word),
            BitWords::Many(words) => words,
        }
    }

    /// How many words are not shared with a clone.
    fn owned_words(&self) -> u64 {
        match self {
            // The last owner frees them; the others free nothing.
            BitWords::Many(words) if Arc::strong_count(words) == 1 => words.len() as u64,
            _ => 0,
        }
    }
}

impl PartialEq for BitWords {
    fn eq(&self, other: &Self) -> bool {
        self.slice() == other.slice()
    }
}

impl Eq for BitWords {}

impl Clone for ChoiceSet {
    fn clone(&self) -> Self {
        ChoiceSet {
            first: self.first,
            words: self.words.clone(),
            has_rest: self.has_rest,
        }
    }
}

impl Drop for ChoiceSet {
    fn drop(&mut self) {
        WORDS_ALLOCATED.set(
            WORDS_ALLOCATED
                .get()
                .saturating_sub(self.words.owned_words()),
        );
    }
}

fn full_word(is_full: bool) -> u64 {
    if is_full { u64::MAX } else { 0 }
}

fn length(words: &[u64]) -> u32 {
    u32::try_from(words.len()).expect("fewer than 2^32 choices fit in memory")
}

impl ChoiceSet {
    /// The choices below `count`.
    pub(super) fn up_to(count: u32) -> Self {
        (0..count).collect()
    }

    /// The set of these words, in its one form.
    fn new(first: u32, words: &[u64], has_rest: bool) -> Self {
        // Trimmed at both ends: a set has one form, so that equal sets have equal words.
        let end = words
            .iter()
            .rposition(|word| *word != full_word(has_rest))
            .map_or(0, |last| last + 1);
        let start = words[..end]
            .iter()
            .position(|word| *word != 0)
            .unwrap_or(end);

        let words = &words[start..end];
        // The empty set has one form as well.
        let first = if words.is_empty() && !has_rest {
            0
        } else {
            first + u32::try_from(start).unwrap_or(u32::MAX)
        };

        let words = match words {
            [] => BitWords::None,
            [one] => BitWords::One(*one),
            many => BitWords::Many(many.into()),
        };

        // Counted once here, and subtracted by the last clone that is dropped.
        WORDS_ALLOCATED.set(WORDS_ALLOCATED.get() + words.owned_words());
        ChoiceSet {
            first,
            words,
            has_rest,
        }
    }

    fn end(&self) -> u32 {
        self.first + length(self.words.slice())
    }

    fn word(&self, at: u32) -> u64 {
        match at.checked_sub(self.first) {
            None => 0,
            Some(at) => self
                .words
                .slice()
                .get(at as usize)
                .copied()
                .unwrap_or(full_word(self.has_rest)),
        }
    }

    /// Combines two sets word by word.
    fn combine_words(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        let (first, end) = (self.first.min(other.first), self.end().max(other.end()));
        count_work(end - first);
        // The infinite rest is one more word, all ones or all zeros.
        let has_rest = combine(full_word(self.has_rest), full_word(other.has_rest)) != 0;
        let word = |at| combine(self.word(at), other.word(at));

        // Most sets have one word, and need no allocation.
        if end - first == 1 {
            return ChoiceSet::new(first, &[word(first)], has_rest);
        }

        let words: Vec<u64> = (first..end).map(word).collect();
        ChoiceSet::new(first, &words, has_rest)
    }

    /// Whether the predicate is true for each pair of words.
    fn all_words(&self, other: &Self, predicate: impl Fn(u64, u64) -> bool) -> bool {
        let (first, end) = (self.first.min(other.first), self.end().max(other.end()));

        count_work(end - first);
        (first..end).all(|at| predicate(self.word(at), other.word(at)))
            && predicate(full_word(self.has_rest), full_word(other.has_rest))
    }

    pub(super) fn has(&self, choice: u32) -> bool {
        self.word(choice / BITS) & (1 << (choice % BITS)) != 0
    }

    /// How many choices are in both; at least one of them must be finite.
    pub(super) fn count_common(&self, other: &Self) -> usize {
        let end = self.end().max(other.end());

        count_work(end);
        (0..end)
            .map(|at| (self.word(at) & other.word(at)).count_ones() as usize)
            .sum()
    }

    /// The last choice that is in both; at least one of them must be finite.
    pub(super) fn last_common(&self, other: &Self) -> Option<u32> {
        let end = self.end().max(other.end());
        count_work(end);

        let last = |at: u32| {
            let word = self.word(at) & other.word(at);
            (word != 0).then(|| at * BITS + (BITS - 1 - word.leading_zeros()))
        };

        (0..end).rev().find_map(last)
    }
}

fn count_work(words: u32) {
    // Plus a flat cost, since an operation on an empty set is work as well.
    WORK.set(WORK.get() + OPERATION_COST + u64::from(words));
}

impl FromIterator<u32> for ChoiceSet {
    fn from_iter<I: IntoIterator<Item = u32>>(choices: I) -> Self {
        let mut words: Vec<u64> = Vec::new();
        for choice in choices {
            let at = (choice / BITS) as usize;
            if words.len() <= at {
                words.resize(at + 1, 0);
            }
            words[at] |= 1 << (choice % BITS);
        }

        ChoiceSet::new(0, &words, false)
    }
}

impl fmt::Debug for ChoiceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices = (0..self.end() * BITS).filter(|choice| self.has(*choice));
        f.debug_set().entries(choices).finish()?;
        f.write_str(if self.has_rest { "…" } else { "" })
    }
}

impl fmt::Display for ChoiceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl VersionSet for ChoiceSet {
    type V = u32;

    fn empty() -> Self {
        ChoiceSet::new(0, &[], false)
    }

    fn full() -> Self {
        ChoiceSet::new(0, &[], true)
    }

    fn singleton(choice: u32) -> Self {
        ChoiceSet::new(choice / BITS, &[1 << (choice % BITS)], false)
    }

    fn complement(&self) -> Self {
        self.combine_words(&ChoiceSet::full(), |word, _| !word)
    }

    fn intersection(&self, other: &Self) -> Self {
        self.combine_words(other, |a, b| a & b)
    }

    fn union(&self, other: &Self) -> Self {
        self.combine_words(other, |a, b| a | b)
    }

    fn contains(&self, choice: &u32) -> bool {
        self.has(*choice)
    }

    fn is_disjoint(&self, other: &Self) -> bool {
        self.all_words(other, |a, b| a & b == 0)
    }

    fn subset_of(&self, other: &Self) -> bool {
        self.all_words(other, |a, b| a & !b == 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Past the last choice that the generated sets distinguish.
    const END: u32 = 400;

    /// A set, and the choices below [`END`] that are in it; `true` where all after them are as well.
    fn sets() -> impl Strategy<Value = (ChoiceSet, BTreeSet<u32>, bool)> {
        let range = (0..300_u32, 0..300_u32)
            .prop_map(|(start, length)| (start..start + length.min(300 - start)).collect());
        let some = prop::collection::btree_set(0..300_u32, 0..20);
        (prop_oneof![range, some], any::<bool>()).prop_map(
            |(choices, is_complement): (BTreeSet<u32>, bool)| {
                let set: ChoiceSet = choices.iter().copied().collect();
                if !is_complement {
                    return (set, choices, false);
                }
                (
                    set.complement(),
                    (0..END)
                        .filter(|choice| !choices.contains(choice))
                        .collect(),
                    true,
                )
            },
        )
    }

    fn choices(set: &ChoiceSet) -> BTreeSet<u32> {
        (0..END).filter(|choice| set.contains(choice)).collect()
    }

    proptest! {
        #[test]
        fn operations_match_those_on_sets_of_numbers((a, a_has, a_rest) in sets(), (b, b_has, b_rest) in sets()) {
            prop_assert_eq!(&choices(&a), &a_has);
            prop_assert_eq!(choices(&a.intersection(&b)), &a_has & &b_has);
            prop_assert_eq!(choices(&a.union(&b)), &a_has | &b_has);
            prop_assert_eq!(a.is_disjoint(&b), a_has.is_disjoint(&b_has));
            prop_assert_eq!(a.subset_of(&b), a_has.is_subset(&b_has));
            prop_assert_eq!(a == b, (&a_has, a_rest) == (&b_has, b_rest));
            let common: Vec<u32> = a_has.intersection(&b_has).copied().filter(|choice| *choice < 300).collect();
            let below = ChoiceSet::up_to(300);
            prop_assert_eq!(a.intersection(&below).count_common(&b), common.len());
            prop_assert_eq!(a.last_common(&b.intersection(&below)), common.last().copied());
        }

        #[test]
        fn sets_with_the_same_choices_are_equal_however_they_were_built((a, ..) in sets(), (b, ..) in sets()) {
            prop_assert_eq!(&a.complement().complement(), &a);
            let by_complements = a.complement().intersection(&b.complement()).complement();
            prop_assert_eq!(&a.union(&b), &by_complements);
            prop_assert_eq!(a.intersection(&a.complement()), ChoiceSet::empty());
            prop_assert_eq!(a.union(&a.complement()), ChoiceSet::full());
        }
    }

    #[test]
    fn memory_and_work_are_counted() {
        take_work();
        let before = words_allocated();
        let all = ChoiceSet::up_to(64_000);
        let shared = all.clone();
        assert_eq!(words_allocated() - before, 1_000);
        drop(all);
        assert_eq!(words_allocated() - before, 1_000);
        assert!(shared.subset_of(&shared));
        assert_eq!(take_work(), 1_000 + OPERATION_COST);
        drop(shared);
        assert_eq!(words_allocated(), before);
        assert_eq!(ChoiceSet::singleton(64_000).end(), 1_001);
    }
}

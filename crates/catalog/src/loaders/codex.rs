//! Codex's list: whole if it fits; else descriptions that grow evenly, character by character, until the limit is reached;
//! where not even the names fit, as many of them as do.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::listing::{LineFit, ListLine};
use crate::catalog::budget::ListingLimit;

/// Characters a token.
const TOKEN: usize = 4;

/// The skills that come with Codex 0.169.0, and the lengths of their descriptions. They are the first of its list.
const OWN: [(&str, usize); 4] = [
    ("imagegen", 570),
    ("openai-docs", 624),
    ("skill-creator", 106),
    ("skill-installer", 225),
];

/// Its descriptions end after so many characters.
const DESCRIPTION_MAX: usize = 1024;

pub(super) fn fit_lines(lines: &[ListLine], limit: &ListingLimit) -> Vec<LineFit> {
    let list = CodexList::new(lines, limit);
    let kept = match limit.characters {
        Some(characters) => list.keep(characters / TOKEN),
        None => list
            .lines
            .iter()
            .map(|line| Some(line.description))
            .collect(),
    };

    // Its own skills take room and are not ours to list.
    let ours = kept.into_iter().skip(list.own);
    lines
        .iter()
        .zip(ours)
        .map(|(line, kept)| match kept {
            None => LineFit::Omitted,
            Some(0) if !line.description.is_empty() => LineFit::NameOnly,
            // Here it leaves no mark.
            Some(length) => {
                LineFit::Described(shorten(&line.description).chars().take(length).collect())
            }
        })
        .collect()
}

/// A description, with `...` at the end of one that is too long by itself.
fn shorten(description: &str) -> Cow<'_, str> {
    const MARK: &str = "...";
    if description.chars().count() <= DESCRIPTION_MAX {
        return Cow::Borrowed(description);
    }
    let kept: String = description
        .chars()
        .take(DESCRIPTION_MAX - MARK.len())
        .collect();
    Cow::Owned(kept + MARK)
}

/// One line of the list, in characters.
struct CodexLine {
    /// Without the description, and the blank before that.
    name_only: usize,
    description: usize,
}

impl CodexLine {
    /// The tokens of the line with so much of its description, and its line end.
    fn cost(&self, kept: usize) -> usize {
        let blank = usize::from(kept > 0);
        (self.name_only + blank + kept + 1).div_ceil(TOKEN)
    }
}

struct CodexList {
    lines: Vec<CodexLine>,
    /// How many of them are Codex's own.
    own: usize,
}

impl CodexList {
    fn new(lines: &[ListLine], limit: &ListingLimit) -> Self {
        let new_line = |name: &str, path: usize, description: usize| CodexLine {
            // `- name: (file: r1/pdf/SKILL.md)`
            name_only: "- : (file: )".len() + name.chars().count() + path,
            description,
        };

        let own: &[(&str, usize)] = if limit.lists_own_skills { &OWN } else { &[] };
        let roots: BTreeSet<u16> = lines.iter().map(|line| line.root).collect();
        let is_own = !own.is_empty();
        let alias = |root: u16| {
            let rank = roots.iter().take_while(|known| **known < root).count();
            format!("r{}/", rank + usize::from(is_own)).len()
        };

        let own_lines = own.iter().map(|(name, description)| {
            new_line(name, "r0//SKILL.md".len() + name.len(), *description)
        });
        let our_lines = lines.iter().map(|line| {
            let path = alias(line.root) + line.below.chars().count();
            let description = line.description.chars().count().min(DESCRIPTION_MAX);
            new_line(&line.name, path, description)
        });
        CodexList {
            own: own.len(),
            lines: own_lines.chain(our_lines).collect(),
        }
    }

    /// How much of each description has room in so many tokens; `None` for a skill that is left out.
    fn keep(&self, tokens: usize) -> Vec<Option<usize>> {
        let total = |kept: &dyn Fn(&CodexLine) -> usize| {
            self.lines
                .iter()
                .map(|line| line.cost(kept(line)))
                .sum::<usize>()
        };
        if total(&|line| line.description) <= tokens {
            return self
                .lines
                .iter()
                .map(|line| Some(line.description))
                .collect();
        }
        if total(&|_| 0) > tokens {
            return self.keep_names(tokens);
        }

        let mut kept = vec![0; self.lines.len()];
        let mut left = tokens - total(&|_| 0);
        // In each round every description grows by a character, as long as there is room for it.
        loop {
            let mut has_grown = false;
            for (line, kept) in self.lines.iter().zip(&mut kept) {
                if *kept == line.description {
                    continue;
                }
                let more = line.cost(*kept + 1) - line.cost(*kept);
                if more <= left {
                    left -= more;
                    *kept += 1;
                    has_grown = true;
                }
            }
            if !has_grown {
                return kept.into_iter().map(Some).collect();
            }
        }
    }

    fn keep_names(&self, tokens: usize) -> Vec<Option<usize>> {
        let mut left = tokens;
        let mut is_full = false;
        let lines = self.lines.iter();
        lines
            .map(|line| {
                let cost = line.cost(0);
                is_full |= cost > left;
                if is_full {
                    return None;
                }
                left -= cost;
                Some(0)
            })
            .collect()
    }
}

//! What an agent's listing costs, and what its limits would cut off it.
//!
//! The numbers are those of `docs/views.md`, "What a listing costs". How an agent words its listing is its own business;
//! where that is not known, the form of the client guide is used, so a count is approximate.

use std::fmt;

use super::emit::{self, EmitOptions};
use super::text::one_line;
use super::{Catalog, CatalogEntry};
use skillpm_core::error::Result;
use skillpm_core::skill::tokens;

/// How much of a listing an agent shows to its model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListingLimit {
    /// Most skills.
    pub skills: Option<usize>,
    /// Most characters of the whole listing.
    pub characters: Option<usize>,
    /// Maximum characters of one description; longer ones are truncated.
    pub description: Option<usize>,
    /// To how many characters descriptions are cut where the whole is too long, before they are left out altogether.
    pub shortened: Option<usize>,
    /// Whether the skills that come with the agent are in its list, and take room.
    pub lists_own_skills: bool,
}

/// The limits that are known, by the agents' ids.
pub const LIMITS: &[(&str, ListingLimit)] = &[
    (
        "claude-code",
        // A hundredth of a context of a million tokens, at three characters a token.
        ListingLimit {
            characters: Some(30_000),
            description: Some(1536),
            lists_own_skills: true,
            ..UNLIMITED
        },
    ),
    (
        "codex",
        // A fiftieth of a context of 272,000 tokens, at four characters a token.
        ListingLimit {
            characters: Some(21_760),
            description: Some(1024),
            lists_own_skills: true,
            ..UNLIMITED
        },
    ),
    (
        // OpenClaw first shortens all descriptions to 220 characters, and drops them only then.
        "openclaw",
        ListingLimit {
            skills: Some(150),
            characters: Some(18_000),
            shortened: Some(220),
            ..UNLIMITED
        },
    ),
    (
        "yodoca",
        ListingLimit {
            skills: Some(50),
            ..UNLIMITED
        },
    ),
    (
        "zed",
        ListingLimit {
            characters: Some(50 * 1024),
            ..UNLIMITED
        },
    ),
];

const UNLIMITED: ListingLimit = ListingLimit {
    skills: None,
    characters: None,
    description: None,
    shortened: None,
    lists_own_skills: false,
};

impl ListingLimit {
    /// The limit of the agent with that id; none where none is known.
    #[must_use]
    pub fn for_agent(agent: &str) -> Self {
        LIMITS
            .iter()
            .find(|(id, _)| *id == agent)
            .map_or(UNLIMITED, |(_, limit)| *limit)
    }
}

/// In words: `8000 characters, 1024 a description`; `-` for none.
impl fmt::Display for ListingLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part =
            |number: Option<usize>, what: &str| number.map(|number| format!("{number} {what}"));

        let parts = [
            part(self.skills, "skills"),
            part(self.characters, "characters"),
            part(self.description, "a description"),
        ];

        let parts: Vec<String> = parts.into_iter().flatten().collect();
        // "-" where nothing is limited, so that a column of a table is never empty.
        f.write_str(if parts.is_empty() { "-" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// What an agent's listing costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingCost {
    /// How many skills are listed.
    pub skills: usize,
    /// Characters of the whole listing, as if there were no limit.
    pub characters: usize,
    /// Characters by four, rounded up.
    pub est_tokens: usize,
    /// Tokens by the `o200k` vocabulary; `None` if not requested, or not built in.
    pub tokens: Option<usize>,
    /// What the agent's limits take away, in the order of the listing.
    pub losses: Vec<TruncatedSkill>,
    /// The descriptions, the longest first, each with its characters.
    pub longest: Vec<(String, usize)>,
}

/// What the limits take from one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedSkill {
    /// The skill's name.
    pub skill: String,
    /// Characters of its description.
    pub description: usize,
    /// How much of it.
    pub kind: TruncationKind,
}

/// How much of a skill's entry is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruncationKind {
    /// The description ends after so many characters.
    Shortened(usize),
    /// The description; the name stays.
    Dropped,
    /// All of it.
    Unlisted,
}

impl TruncationKind {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TruncationKind::Shortened(_) => "shortened",
            TruncationKind::Dropped => "dropped",
            TruncationKind::Unlisted => "unlisted",
        }
    }
}

/// The listing as an agent words it. `form` is the format of its row in the table of agents: one of
/// [`emit::FORMATS`], or the name of a wording that only the agent itself makes.
///
/// # Errors
/// If a format of that name is no listing.
pub fn render_listing(catalog: &Catalog, form: &str) -> Result<String> {
    Ok(match form {
        "claude" => {
            let lines = catalog.listed().map(|entry| listing_line(entry, ""));
            lines.collect()
        }
        // Codex lists the path of each skill; Claude Code's wording has none.
        "codex" => {
            let lines = catalog.listed().map(|entry| {
                let path = entry.candidate.location(&catalog.roots);
                listing_line(entry, &format!(" (file: {})", path.display()))
            });
            lines.collect()
        }
        form => {
            // An agent's own wording may be unknown here, and the client guide's is near enough.
            let known = emit::FORMATS.iter().find(|known| known.name == form);
            known
                .map_or_else(|| emit::find_format("xml"), Ok)?
                .render(catalog, &EmitOptions::default())
        }
    })
}

fn listing_line(entry: &CatalogEntry, path: &str) -> String {
    let listing = &entry.candidate.listing;
    format!(
        "- {}: {}{path}\n",
        one_line(&listing.name),
        listing.summary()
    )
}

/// What `listing`, the listing of this catalog, costs, and what `limit` takes away of it. `exact` counts tokens, too.
#[must_use]
pub fn measure_listing(
    catalog: &Catalog,
    listing: &str,
    limit: &ListingLimit,
    exact: bool,
) -> ListingCost {
    // Characters and not bytes: the agents' own limits are counted so.
    let characters = listing.chars().count();

    let lines: Vec<ListingLine> = catalog.listed().map(ListingLine::from_entry).collect();
    let mut longest: Vec<_> = lines
        .iter()
        .map(|line| (line.name.clone(), line.description))
        .collect();
    // By name where the lengths are equal, so that a report never changes by itself.
    longest.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));

    let losses = if catalog.has_own_list {
        catalog.listed().filter_map(find_own_loss).collect()
    } else {
        find_truncated(&lines, characters, limit)
    };

    ListingCost {
        skills: lines.len(),
        characters,
        est_tokens: characters.div_ceil(4),
        tokens: exact.then(|| tokens::exact(listing)).flatten(),
        losses,
        longest,
    }
}

/// What the agent's own list lacks of a skill; `None` if it has all of it.
fn find_own_loss(entry: &CatalogEntry) -> Option<TruncatedSkill> {
    let whole = match &entry.candidate.shown {
        Some(shown) => &*shown.description,
        None => &*entry.candidate.listing.description,
    };
    // Claude Code cuts a long description when it loads it.
    let written = entry.candidate.listing.summary().chars().count();
    let is_cut = whole.ends_with('…') && written > whole.chars().count();

    let kind = match &entry.listed {
        None => TruncationKind::Unlisted,
        Some(listed) => match listed.description.as_deref() {
            Some(text) if text == whole && !is_cut => return None,
            Some(text) => TruncationKind::Shortened(text.chars().count()),
            None => TruncationKind::Dropped,
        },
    };

    Some(TruncatedSkill {
        skill: one_line(&entry.candidate.listing.name).into_owned(),
        description: written.max(whole.chars().count()),
        kind,
    })
}

/// One skill of a listing, in characters.
struct ListingLine {
    name: String,
    description: usize,
}

impl ListingLine {
    fn from_entry(entry: &CatalogEntry) -> Self {
        let listing = &entry.candidate.listing;
        ListingLine {
            name: one_line(&listing.name).into_owned(),
            description: listing.summary().chars().count(),
        }
    }

    /// What is lost of the skill if so much of its description is kept; `None` if nothing is.
    fn find_loss(&self, kept: usize, is_listed: bool) -> Option<TruncatedSkill> {
        let kind = match kept {
            _ if !is_listed => TruncationKind::Unlisted,
            // An empty description that is kept whole is no loss, so this comes before the 0.
            kept if kept == self.description => return None,
            0 => TruncationKind::Dropped,
            kept => TruncationKind::Shortened(kept),
        };

        Some(TruncatedSkill {
            skill: self.name.clone(),
            description: self.description,
            kind,
        })
    }
}

/// What the limits take away, skill by skill. What is not description is shared out evenly, since only the whole of it
/// is known.
fn find_truncated(
    lines: &[ListingLine],
    characters: usize,
    limit: &ListingLimit,
) -> Vec<TruncatedSkill> {
    // Names, paths and markup: only their sum is known, so each skill gets an equal part.
    let overhead = characters.saturating_sub(lines.iter().map(|line| line.description).sum());
    let overhead_per_skill = overhead.div_ceil(lines.len().max(1));

    // The limit of one description comes first: what it cuts does not count for the whole.
    let description_max = limit.description.unwrap_or(usize::MAX);
    let mut kept: Vec<usize> = lines
        .iter()
        .map(|line| line.description.min(description_max))
        .collect();

    let by_count = limit.skills.unwrap_or(usize::MAX).min(lines.len());
    let listed = match limit.characters {
        Some(most) => fit_descriptions(
            &mut kept[..by_count],
            most,
            overhead_per_skill,
            limit.shortened,
        ),
        None => by_count,
    };

    lines
        .iter()
        .zip(kept)
        .enumerate()
        .filter_map(|(at, (line, kept))| line.find_loss(kept, at < listed))
        .collect()
}

/// Cuts the descriptions of a listing until it has at most so many characters; returns how many skills it lists then.
fn fit_descriptions(
    kept: &mut [usize],
    most: usize,
    overhead_per_skill: usize,
    shortened: Option<usize>,
) -> usize {
    // What the listing takes if descriptions have these lengths.
    let whole = |kept: &[usize]| kept.iter().sum::<usize>() + overhead_per_skill * kept.len();

    // OpenClaw shortens all descriptions before it drops any.
    if let Some(shortened) = shortened.filter(|_| whole(kept) > most) {
        kept.iter_mut()
            .for_each(|kept| *kept = shortened.min(*kept));
    }

    if whole(kept) <= most {
        return kept.len();
    }

    // An agent that shortens first has no partial step left: every description goes at once.
    let available = if shortened.is_some() {
        0
    } else {
        most.saturating_sub(overhead_per_skill * kept.len())
    };
    drop_descriptions(kept, available);

    // Even names alone may be too many; without any overhead there is nothing to count them by.
    let names = most.checked_div(overhead_per_skill).unwrap_or(usize::MAX);
    kept.len().min(names)
}

/// Keeps descriptions as long as they fit into so many characters, and empties all from the first that does not.
fn drop_descriptions(kept: &mut [usize], mut available: usize) {
    for kept in kept {
        if *kept > available {
            // Nothing is left for a shorter one behind it either: agents stop at the first.
            available = 0;
            *kept = 0;
        }
        available -= *kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is lost of skills whose descriptions are so long and whose names and the like take ten characters each.
    fn lost(descriptions: &[usize], limit: &ListingLimit) -> Vec<(String, TruncationKind)> {
        let lines: Vec<ListingLine> = ('a'..)
            .zip(descriptions)
            .map(|(name, description)| ListingLine {
                name: name.to_string(),
                description: *description,
            })
            .collect();
        let characters = descriptions.iter().sum::<usize>() + 10 * descriptions.len();
        find_truncated(&lines, characters, limit)
            .into_iter()
            .map(|loss| (loss.skill, loss.kind))
            .collect()
    }

    fn named(losses: &[(&str, TruncationKind)]) -> Vec<(String, TruncationKind)> {
        losses
            .iter()
            .map(|(name, cut)| ((*name).to_owned(), *cut))
            .collect()
    }

    #[test]
    fn without_a_limit_and_within_one_nothing_is_lost() {
        assert_eq!(lost(&[5000, 5000], &UNLIMITED), []);
        assert_eq!(
            lost(
                &[40, 40],
                &ListingLimit {
                    characters: Some(100),
                    ..UNLIMITED
                }
            ),
            []
        );
        assert_eq!(lost(&[], &ListingLimit::for_agent("codex")), []);
    }

    #[test]
    fn a_long_description_is_cut_and_skills_beyond_the_most_are_not_listed() {
        let cut = [("b", TruncationKind::Shortened(1536))];
        assert_eq!(
            lost(&[1536, 1537], &ListingLimit::for_agent("claude-code")),
            named(&cut)
        );
        assert_eq!(
            lost(
                &[1, 1, 1],
                &ListingLimit {
                    skills: Some(2),
                    ..UNLIMITED
                }
            ),
            named(&[("c", TruncationKind::Unlisted)])
        );
    }

    #[test]
    fn what_no_longer_fits_loses_its_description() {
        let limit = ListingLimit {
            characters: Some(100),
            ..UNLIMITED
        };
        assert_eq!(
            lost(&[40, 40, 40], &limit),
            named(&[
                ("b", TruncationKind::Dropped),
                ("c", TruncationKind::Dropped)
            ])
        );
        let names_alone = lost(
            &[1; 12],
            &ListingLimit {
                characters: Some(100),
                ..UNLIMITED
            },
        );
        assert_eq!(
            names_alone
                .iter()
                .filter(|(_, cut)| *cut == TruncationKind::Unlisted)
                .count(),
            2
        );
    }

    #[test]
    fn openclaw_shortens_all_and_then_shows_names_only() {
        let openclaw = ListingLimit::for_agent("openclaw");
        let shortened = lost(&[1000; 20], &openclaw);
        assert_eq!(
            (shortened.len(), shortened[0].1),
            (20, TruncationKind::Shortened(220))
        );
        let names = lost(&[1000; 100], &openclaw);
        assert_eq!((names.len(), names[0].1), (100, TruncationKind::Dropped));
        let many = lost(&[1; 151], &openclaw);
        assert_eq!(many, [("\u{f7}".to_owned(), TruncationKind::Unlisted)]);
    }
}

//! The search filter of a catalog.

use super::{Catalog, HiddenReason, SkillListing};

/// Search terms; an empty search matches every skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogQuery {
    /// Words that must all occur in the name, the tags or the description, case-insensitive.
    pub words: String,
    /// Tags of which the skill must have one, case-insensitive.
    pub tags: Vec<String>,
}

impl CatalogQuery {
    /// Whether a skill matches.
    #[must_use]
    pub fn matches(&self, listing: &SkillListing) -> bool {
        let facts = listing.facts();

        let tags: Vec<String> = facts.tags.iter().map(|tag| tag.to_lowercase()).collect();
        if !self.tags.is_empty()
            && !self
                .tags
                .iter()
                .any(|tag| tags.contains(&tag.to_lowercase()))
        {
            return false;
        }

        let mut texts = vec![
            listing.name.to_lowercase(),
            listing.description.to_lowercase(),
        ];

        texts.extend(
            [&facts.display_name, &facts.when_to_use]
                .into_iter()
                .flatten()
                .map(|text| text.to_lowercase()),
        );
        texts.extend(tags);

        // All words, but each in any of the texts: people do not know which field has it.
        let words = self.words.to_lowercase();
        words
            .split_whitespace()
            .all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

impl Catalog {
    /// Hides skills that do not match; hidden ones keep their reason.
    pub fn apply_query(&mut self, search: &CatalogQuery) {
        if *search == CatalogQuery::default() {
            return;
        }

        for entry in &mut self.entries {
            // An earlier reason is more useful than "not asked for"; but what only a model is not shown
            // (ineligible, not invocable) is narrowed as well.
            if !entry.hidden.is_some_and(HiddenReason::is_outside)
                && !search.matches(&entry.candidate.listing)
            {
                entry.hidden = Some(HiddenReason::NotAskedFor);
                entry.because = Some("it does not match the search".into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::tests::skill;

    #[test]
    fn each_word_is_looked_for_in_name_tags_and_description_and_one_tag_is_enough() {
        let listing = SkillListing::from(skill("pdf-forms", "Fills in Forms.", |skill| {
            skill.tags = vec!["Office".into(), "pdf".into()];
            skill.when_to_use = Some("For tax returns.".into());
        }));
        let finds = |words: &str, tags: &[&str]| {
            let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
            CatalogQuery {
                words: words.to_owned(),
                tags,
            }
            .matches(&listing)
        };
        for (words, tags) in [
            ("", &[][..]),
            ("FORMS pdf", &[]),
            ("tax office", &["x", "office"]),
            ("fill", &["PDF"]),
        ] {
            assert!(finds(words, tags), "{words} {tags:?}");
        }
        for (words, tags) in [("forms csv", &[][..]), ("", &["off"]), ("csv", &["pdf"])] {
            assert!(!finds(words, tags), "{words} {tags:?}");
        }
    }
}

//! Leaving out what was not searched for.

use super::{Catalog, Listing, Why};

/// What is searched for; nothing finds everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// Words, each of which stands in the name, the tags or the description, in either case.
    pub words: String,
    /// Tags, one of which the skill has, spelled in either case.
    pub tags: Vec<String>,
}

impl Search {
    /// Whether it finds a skill.
    #[must_use]
    pub fn finds(&self, listing: &Listing) -> bool {
        let facts = listing.facts();
        let tags: Vec<String> = facts.tags.iter().map(|tag| tag.to_lowercase()).collect();
        if !self.tags.is_empty() && !self.tags.iter().any(|tag| tags.contains(&tag.to_lowercase())) {
            return false;
        }
        let mut texts = vec![listing.name.to_lowercase(), listing.description.to_lowercase()];
        texts.extend([&facts.display_name, &facts.when_to_use].into_iter().flatten().map(|text| text.to_lowercase()));
        texts.extend(tags);
        let words = self.words.to_lowercase();
        words.split_whitespace().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

impl Catalog {
    /// Leaves out what `search` does not find; what was left out before keeps its reason.
    pub fn narrow(&mut self, search: &Search) {
        if *search == Search::default() {
            return;
        }
        for entry in &mut self.entries {
            if !entry.hidden.is_some_and(Why::is_outside) && !search.finds(&entry.candidate.listing) {
                entry.hidden = Some(Why::NotAskedFor);
                entry.because = Some("it is not what was searched for".into());
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
        let listing = Listing::from(skill("pdf-forms", "Fills in Forms.", |skill| {
            skill.tags = vec!["Office".into(), "pdf".into()];
            skill.when_to_use = Some("For tax returns.".into());
        }));
        let finds = |words: &str, tags: &[&str]| {
            let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
            Search { words: words.to_owned(), tags }.finds(&listing)
        };
        for (words, tags) in [("", &[][..]), ("FORMS pdf", &[]), ("tax office", &["x", "office"]), ("fill", &["PDF"])] {
            assert!(finds(words, tags), "{words} {tags:?}");
        }
        for (words, tags) in [("forms csv", &[][..]), ("", &["off"]), ("csv", &["pdf"])] {
            assert!(!finds(words, tags), "{words} {tags:?}");
        }
    }
}

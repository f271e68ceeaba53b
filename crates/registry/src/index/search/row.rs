//! The searchable data of a package.
//!
//! An index of static files may publish all of it as `search.jsonl` (or `search.jsonl.gz`), one package per line:
//!
//! ```json
//! {"name":"acme/pdf","vers":"1.2.0","description":"Fill in forms.","keywords":["pdf"],"license":"MIT","pubtime":"2026-10-05T08:05:19Z"}
//! ```

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::index::IndexEntry;
use skillpm_core::package::PackageName;

/// Most bytes of a description that are kept: several times what the specification allows.
const DESCRIPTION_MAX: usize = 4096;

/// Most keywords that are kept, and most bytes of each.
const KEYWORDS_MAX: (usize, usize) = (32, 64);

/// The data of a package in a search table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchRow {
    /// Its name; for a skill that is not from a registry, the name in its frontmatter.
    pub name: String,
    /// Its newest version that was not withdrawn; a pre-release only where there is nothing else.
    pub vers: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Its license.
    pub license: Option<String>,
    /// When that version was published, as RFC 3339.
    pub pubtime: Option<String>,
}

/// A line of `search.jsonl`, and a row of the search index; unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PublishedLine {
    pub name: PackageName,
    vers: Version,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    license: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pubtime: Option<String>,
}

impl SearchRow {
    /// Creates the row of a package's file in an index; `None` if it has no version that is not withdrawn.
    pub(super) fn from_entry_file(name: &PackageName, text: &str) -> Option<SearchRow> {
        // Only two keys of each line: a package may have thousands of versions.
        let mut versions: Vec<(VersionHead, &str)> = text
            .lines()
            .filter_map(|line| Some((serde_json::from_str(line).ok()?, line)))
            .collect();

        versions.retain(|(head, _)| !head.yanked);
        // The newest is last, and the only one that is parsed as a whole.
        versions.sort_by(|(a, _), (b, _)| a.sort_key().cmp(&b.sort_key()));

        let newest = versions
            .iter()
            .rev()
            .find_map(|(_, line)| IndexEntry::parse(line, name).ok())?;
        Some(SearchRow::from(newest))
    }

    /// Parses a line of `search.jsonl`; `None` if it is invalid.
    pub(super) fn from_line(line: &str) -> Option<SearchRow> {
        serde_json::from_str::<PublishedLine>(line)
            .ok()
            .map(SearchRow::from)
    }

    /// Formats the row as a line of `search.jsonl`; `None` if it is not a package of a registry.
    pub(super) fn to_line(&self) -> Option<String> {
        serde_json::to_string(&self.to_published()?).ok()
    }

    /// The row as it is published; `None` if it is not a package of a registry.
    pub(super) fn to_published(&self) -> Option<PublishedLine> {
        let row = self.clone();
        // Parsed again, so that nothing is published that readers would ignore.
        Some(PublishedLine {
            name: row.name.parse().ok()?,
            vers: row.vers?.parse().ok()?,
            description: row.description,
            keywords: row.keywords,
            license: row.license,
            pubtime: row.pubtime,
        })
    }

    /// Truncates long texts, since they come from third parties.
    pub(super) fn truncated(mut self) -> SearchRow {
        // At a character boundary, or the text would no longer be UTF-8.
        let cut = |text: &mut String, most: usize| text.truncate(text.floor_char_boundary(most));

        self.description
            .iter_mut()
            .for_each(|text| cut(text, DESCRIPTION_MAX));
        self.keywords.truncate(KEYWORDS_MAX.0);
        self.keywords
            .iter_mut()
            .for_each(|word| cut(word, KEYWORDS_MAX.1));

        self.license
            .iter_mut()
            .chain(&mut self.pubtime)
            .for_each(|text| cut(text, 256));
        self
    }
}

impl From<PublishedLine> for SearchRow {
    fn from(line: PublishedLine) -> SearchRow {
        // The same type as in the table, so that both ways of building one agree.
        let row = SearchRow {
            name: line.name.to_string(),
            vers: Some(line.vers.to_string()),
            description: line.description,
            keywords: line.keywords,
            license: line.license,
            pubtime: line.pubtime,
        };
        row.truncated()
    }
}

impl From<IndexEntry> for SearchRow {
    fn from(entry: IndexEntry) -> SearchRow {
        let row = SearchRow {
            name: entry.name.to_string(),
            vers: Some(entry.vers.to_string()),
            description: entry.description,
            keywords: entry.keywords,
            license: entry.license,
            pubtime: entry.pubtime,
        };
        row.truncated()
    }
}

/// The part of a line that is needed to choose the newest version.
#[derive(Deserialize)]
struct VersionHead {
    vers: Version,
    #[serde(default)]
    yanked: bool,
}

impl VersionHead {
    /// Sorts releases after pre-releases, each by version.
    fn sort_key(&self) -> (bool, &Version) {
        // A pre-release is newest only where there is no release.
        (self.vers.pre.is_empty(), &self.vers)
    }
}

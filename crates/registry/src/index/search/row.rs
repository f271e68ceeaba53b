//! What is kept of a package for those who search.
//!
//! An index of static files may publish it in one, `search.jsonl` (or `search.jsonl.gz`), one package a line:
//!
//! ```json
//! {"name":"acme/pdf","vers":"1.2.0","description":"Fill in forms.","keywords":["pdf"],"license":"MIT","pubtime":"2026-10-05T08:05:19Z"}
//! ```

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::index::Entry;
use crate::package::PackageName;

/// Most bytes of a description that are kept: several times what the specification allows.
const DESCRIPTION_MAX: usize = 4096;

/// Most keywords that are kept, and most bytes of each.
const KEYWORDS_MAX: (usize, usize) = (32, 64);

/// A package as it is found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its name; of a skill that comes from no registry, whatever it calls itself.
    pub name: String,
    /// Its newest version that was not withdrawn; a pre-release only where there is nothing else.
    pub vers: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Its licence.
    pub license: Option<String>,
    /// When that version was published, as RFC 3339.
    pub pubtime: Option<String>,
}

/// A line of `search.jsonl`; keys that are not known are ignored.
#[derive(Serialize, Deserialize)]
struct Line {
    name: PackageName,
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

impl Row {
    /// The row of a package's file in an index; `None` if it has no version that can be had.
    pub(super) fn of_file(name: &PackageName, text: &str) -> Option<Row> {
        let mut versions: Vec<(Head, &str)> =
            text.lines().filter_map(|line| Some((serde_json::from_str(line).ok()?, line))).collect();
        versions.retain(|(head, _)| !head.yanked);
        // The newest stands last, and is the only one that is read as a whole.
        versions.sort_by(|(a, _), (b, _)| a.rank().cmp(&b.rank()));
        let newest = versions.iter().rev().find_map(|(_, line)| Entry::parse(line, name).ok())?;
        Some(Row::from(newest))
    }

    /// The row that a line of `search.jsonl` tells; `None` if it tells none.
    pub(super) fn of_line(line: &str) -> Option<Row> {
        let Line { name, vers, description, keywords, license, pubtime } = serde_json::from_str(line).ok()?;
        let row = Row { name: name.to_string(), vers: Some(vers.to_string()), description, keywords, license, pubtime };
        Some(row.bounded())
    }

    /// The line of `search.jsonl` that tells it; `None` if it is no package of a registry.
    pub(super) fn to_line(&self) -> Option<String> {
        let row = self.clone();
        let line = Line {
            name: row.name.parse().ok()?,
            vers: row.vers?.parse().ok()?,
            description: row.description,
            keywords: row.keywords,
            license: row.license,
            pubtime: row.pubtime,
        };
        serde_json::to_string(&line).ok()
    }

    /// The row without more text than anyone reads: it comes from strangers.
    pub(super) fn bounded(mut self) -> Row {
        let cut = |text: &mut String, most: usize| text.truncate(text.floor_char_boundary(most));
        self.description.iter_mut().for_each(|text| cut(text, DESCRIPTION_MAX));
        self.keywords.truncate(KEYWORDS_MAX.0);
        self.keywords.iter_mut().for_each(|word| cut(word, KEYWORDS_MAX.1));
        self.license.iter_mut().chain(&mut self.pubtime).for_each(|text| cut(text, 256));
        self
    }
}

impl From<Entry> for Row {
    fn from(entry: Entry) -> Row {
        let row = Row {
            name: entry.name.to_string(),
            vers: Some(entry.vers.to_string()),
            description: entry.description,
            keywords: entry.keywords,
            license: entry.license,
            pubtime: entry.pubtime,
        };
        row.bounded()
    }
}

/// As much of a line as it takes to choose among them.
#[derive(Deserialize)]
struct Head {
    vers: Version,
    #[serde(default)]
    yanked: bool,
}

impl Head {
    /// Releases after pre-releases, each in their order.
    fn rank(&self) -> (bool, &Version) {
        (self.vers.pre.is_empty(), &self.vers)
    }
}

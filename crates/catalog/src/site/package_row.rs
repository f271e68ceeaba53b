//! A package in lists of a site: what is shown of it there, and what it can be filtered by.

use jiff::Timestamp;
use minijinja::{Value, context};

use super::html_text::{cut_text, format_count, show_line};

/// The most characters of a description in a list.
const DESCRIPTION_MAX: usize = 220;

/// The most characters of a description where there is one line for it.
const LINE_MAX: usize = 90;

/// The most tags that a list shows of a package.
const TAGS_MAX: usize = 6;

/// One package in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageRow {
    /// Its name.
    pub name: String,
    /// The directory of its page below `skills/`: its name, if that is valid.
    pub slug: String,
    /// The offered version; `None` where it states none.
    pub version: Option<String>,
    /// What it is for.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Its license.
    pub license: Option<String>,
    /// When that version was published; lists show the day.
    pub published: Option<Timestamp>,
    /// Tokens that its instructions cost a model.
    pub tokens: Option<usize>,
    /// What it can be filtered by, besides tags and license.
    pub facets: Vec<PackageFacet>,
}

/// One value that packages can be filtered by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageFacet {
    /// The question that it answers.
    pub group: FacetGroup,
    /// The answer, as shown.
    pub value: String,
}

/// What packages can be filtered by, in the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FacetGroup {
    /// The tier that it is installed in.
    Tier,
    /// Whether its files are the installed ones, and whether agents see it.
    State,
    /// Whether a trusted key signed it.
    Signature,
    /// The worst finding of the static rules.
    Audit,
    /// The agents here that see it.
    Seen,
    /// The agents whose loaders accept it.
    Agent,
    /// The license.
    License,
    /// A tag.
    Tag,
}

impl FacetGroup {
    /// All groups.
    pub const ALL: [FacetGroup; 8] = [
        FacetGroup::Tier,
        FacetGroup::State,
        FacetGroup::Signature,
        FacetGroup::Audit,
        FacetGroup::Seen,
        FacetGroup::Agent,
        FacetGroup::License,
        FacetGroup::Tag,
    ];

    /// The key in a shared URL.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            FacetGroup::Tier => "tier",
            FacetGroup::State => "state",
            FacetGroup::Signature => "signed",
            FacetGroup::Audit => "audit",
            FacetGroup::Seen => "seen",
            FacetGroup::Agent => "agent",
            FacetGroup::License => "license",
            FacetGroup::Tag => "tag",
        }
    }

    /// The heading on the page.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            FacetGroup::Tier => "Tier",
            FacetGroup::State => "State",
            FacetGroup::Signature => "Signature",
            FacetGroup::Audit => "Worst audit finding",
            FacetGroup::Seen => "Seen by",
            FacetGroup::Agent => "Works with",
            FacetGroup::License => "License",
            FacetGroup::Tag => "Tag",
        }
    }
}

impl PackageRow {
    /// All values that it can be filtered by, as they are shown.
    pub(super) fn all_facets(&self) -> Vec<PackageFacet> {
        let license = self.license.iter().map(|license| PackageFacet {
            group: FacetGroup::License,
            value: show_line(license),
        });
        let tags = self.tags.iter().map(|tag| PackageFacet {
            group: FacetGroup::Tag,
            value: show_line(tag),
        });

        let mut all: Vec<PackageFacet> = self
            .facets
            .iter()
            .cloned()
            .chain(license)
            .chain(tags)
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// The marks after its version, each with its kind: what the facets of signature, audit and state have to say.
    pub(super) fn marks(&self) -> Vec<(&'static str, &str)> {
        let mark = |facet: &'_ PackageFacet| match (facet.group, facet.value.as_str()) {
            (FacetGroup::Signature, _) => Some(("good", None)),
            (FacetGroup::Audit, "critical" | "high") => Some(("bad", Some("findings"))),
            (FacetGroup::State, "listed" | "unchanged" | "shadows others") => None,
            (FacetGroup::State, _) => Some(("warn", None)),
            // That of most skills; the others are worth a mark.
            (FacetGroup::Tier, "workspace") => None,
            (FacetGroup::Tier, _) => Some(("plain", None)),
            _ => None,
        };
        self.facets
            .iter()
            .filter_map(|facet| {
                let (kind, text) = mark(facet)?;
                Some((kind, text.unwrap_or(&facet.value)))
            })
            .collect()
    }

    /// The description as lists show it.
    pub(super) fn short_description(&self) -> String {
        let line: Vec<&str> = self.description.split_whitespace().collect();
        cut_text(&line.join(" "), DESCRIPTION_MAX).into_owned()
    }

    /// The day on which it was published, in UTC: `2026-10-05`.
    pub(super) fn published_day(&self) -> Option<String> {
        Some(self.published?.strftime("%Y-%m-%d").to_string())
    }

    /// The tags as lists show them.
    pub(super) fn shown_tags(&self) -> &[String] {
        &self.tags[..self.tags.len().min(TAGS_MAX)]
    }

    /// The row where there is one line for it.
    pub(super) fn to_name(&self) -> Value {
        let line: Vec<&str> = self.description.split_whitespace().collect();
        context! {
            name => self.name,
            slug => self.slug,
            summary => cut_text(&line.join(" "), LINE_MAX),
        }
    }

    /// The row as templates show it.
    pub(super) fn to_value(&self) -> Value {
        let facts: Vec<String> = [self.published_day(), self.license.clone()]
            .into_iter()
            .flatten()
            .chain(
                self.tokens
                    .map(|count| format!("{} tokens when loaded", format_count(count))),
            )
            .chain(self.shown_tags().iter().map(|tag| format!("#{tag}")))
            .collect();
        context! {
            name => self.name,
            slug => self.slug,
            version => self.version,
            description => self.description,
            summary => self.short_description(),
            tags => self.tags,
            marks => self.marks(),
            facts,
        }
    }
}

/// How bad findings of a severity look.
pub(super) fn severity_kind(severity: &str) -> &'static str {
    match severity {
        "critical" | "high" => "bad",
        "medium" => "warn",
        _ => "plain",
    }
}

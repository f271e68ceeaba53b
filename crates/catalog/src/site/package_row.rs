//! A package in lists of a site: what is shown of it there, and what it can be filtered by.

use std::fmt::Write as _;

use super::html_text::{cut_text, escape_html, format_count, show_line};

/// The most characters of a description in a list.
const DESCRIPTION_MAX: usize = 220;

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
    /// The day on which that version was published: `2026-10-05`.
    pub published: Option<String>,
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
    /// The agents that load it.
    Agent,
    /// The license.
    License,
    /// A tag.
    Tag,
}

impl FacetGroup {
    /// All groups.
    pub const ALL: [FacetGroup; 7] = [
        FacetGroup::Tier,
        FacetGroup::State,
        FacetGroup::Signature,
        FacetGroup::Audit,
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
            FacetGroup::Audit => "Audit",
            FacetGroup::Agent => "Loaded by",
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

    /// The marks after its version: what the facets of signature, audit and state have to say.
    pub(super) fn marks(&self) -> Vec<(&'static str, &str)> {
        let mark = |facet: &PackageFacet| match (facet.group, facet.value.as_str()) {
            (FacetGroup::Signature, _) => Some("good"),
            (FacetGroup::Audit, "critical" | "high") => Some("bad"),
            (FacetGroup::State, "listed" | "unchanged" | "shadows others") => None,
            (FacetGroup::State, _) => Some("warn"),
            (FacetGroup::Tier, _) => Some("plain"),
            _ => None,
        };
        self.facets
            .iter()
            .filter_map(|facet| Some((mark(facet)?, facet.value.as_str())))
            .collect()
    }

    /// The description as lists show it.
    pub(super) fn short_description(&self) -> String {
        let line: Vec<&str> = self.description.split_whitespace().collect();
        cut_text(&line.join(" "), DESCRIPTION_MAX).into_owned()
    }

    /// The tags as lists show them.
    pub(super) fn shown_tags(&self) -> &[String] {
        &self.tags[..self.tags.len().min(TAGS_MAX)]
    }

    /// The row as an item of a list, on a page from which `root` leads to the site's root.
    pub(super) fn write_item(&self, html: &mut String, root: &str) {
        // Writing to a string cannot fail, so the results are dropped.
        let name = escape_html(&self.name);
        let _ = write!(
            html,
            "<li><div class=\"title\"><h3><a href=\"{root}skills/{}/index.html\">{name}</a></h3>",
            self.slug
        );
        if let Some(version) = &self.version {
            let _ = write!(
                html,
                " <span class=\"version\">{}</span>",
                escape_html(version)
            );
        }
        for (kind, text) in self.marks() {
            let text = escape_html(mark_text(kind, text));
            let _ = write!(html, " <span class=\"mark {kind}\">{text}</span>");
        }

        let _ = write!(
            html,
            "</div>\n<p dir=\"auto\">{}</p>\n",
            escape_html(&self.short_description())
        );

        let mut facts: Vec<String> = Vec::new();
        facts.extend(self.published.as_deref().map(escape_html));
        facts.extend(self.license.as_deref().map(escape_html));
        facts.extend(
            self.tokens
                .map(|count| format!("{} tokens", format_count(count))),
        );
        facts.extend(
            self.shown_tags()
                .iter()
                .map(|tag| format!("#{}", escape_html(tag))),
        );
        if !facts.is_empty() {
            let _ = writeln!(html, "<p class=\"facts\">{}</p>", facts.join(" · "));
        }
        html.push_str("</li>\n");
    }
}

/// The text of a mark.
pub(super) fn mark_text<'t>(kind: &str, text: &'t str) -> &'t str {
    match (kind, text) {
        ("bad", _) => "findings",
        _ => text,
    }
}

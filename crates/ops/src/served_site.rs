//! `serve --site`: the pages of `registry site` for what is installed on this machine, made as they are requested.
//!
//! ```text
//! InstalledSite::new(served skills)
//!   list_files()        first page, lists, style, script, search data: all skills, by tier and state
//!   page_files(slug)    the pages of one skill, from its files on disk
//! ```
//!
//! Hidden skills, shadowed copies and missing ones have pages, too, so that a person sees why an agent does not list them.
//! The files of a hidden skill are not served, here as elsewhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::agents::UnseenReason;
use super::installed_states::{InstalledStates, LockedCopy};
use super::serve::ServedCatalog;
use super::site::package_facts;
use skillpm_catalog::catalog::{CatalogEntry, SkillCandidate, Tier, UnlistedSkill};
use skillpm_catalog::site::{
    AgentSupport, FacetGroup, InstallCommand, InstalledPlace, PackageFacet, PackagePage,
    PackageRow, RelatedPackage, SiteFiles, SiteIndex,
};
use skillpm_core::package::{SkillName, Tree};
use skillpm_core::skill::formats;

/// The name of the site.
const TITLE: &str = "Installed skills";

/// The pages of what is installed.
pub struct InstalledSite {
    served: Arc<ServedCatalog>,
    /// What has a page, by the name of its directory.
    pages: Vec<(String, PageSubject)>,
}

/// What a page is about.
#[derive(Debug, Clone)]
enum PageSubject {
    /// A skill of the catalog, by its place there.
    Entry(usize),
    /// A directory that no agent lists, by its place.
    Unlisted(usize),
    /// A locked package that is not on disk.
    Missing(Tier, String),
}

impl InstalledSite {
    /// Lists what has a page.
    #[must_use]
    pub fn new(served: &Arc<ServedCatalog>) -> Self {
        let mut site = InstalledSite {
            pages: Vec::new(),
            served: Arc::clone(served),
        };
        let mut taken = BTreeSet::new();
        let catalog = served.catalog();

        for (at, entry) in catalog.entries.iter().enumerate() {
            site.add_page(
                &mut taken,
                &entry.candidate.listing.name,
                PageSubject::Entry(at),
            );
        }
        for (at, unlisted) in catalog.unlisted.iter().enumerate() {
            let name = unlisted_name(unlisted);
            site.add_page(&mut taken, &name, PageSubject::Unlisted(at));
        }
        for (tier, name) in site.missing() {
            site.add_page(&mut taken, &name, PageSubject::Missing(tier, name.clone()));
        }
        site
    }

    /// The pages that list all skills, and what they load.
    #[must_use]
    pub fn list_files(&self) -> SiteFiles {
        let rows: Vec<PackageRow> = self
            .pages
            .iter()
            .map(|(slug, subject)| self.row(slug, subject))
            .collect();

        let agents = match &self.served.catalog().agent {
            Some(agent) => format!(" as `{agent}` sees them"),
            None => String::new(),
        };
        SiteIndex {
            title: TITLE.to_owned(),
            subtitle: format!("What is installed on this machine{agents}"),
            rows,
            rules: package_facts::rule_entries(),
            ..SiteIndex::default()
        }
        .into_files()
    }

    /// The pages of one skill; `None` if there is none of that name.
    #[must_use]
    pub fn page_files(&self, slug: &str) -> Option<SiteFiles> {
        let (slug, subject) = self.pages.iter().find(|(known, _)| known == slug)?;

        let row = self.row(slug, subject);
        let page = match subject {
            PageSubject::Entry(at) => PackagePage {
                agents: self.agent_support(*at),
                ..self.entry_page(row, &self.served.catalog().entries[*at])
            },
            PageSubject::Unlisted(at) => {
                self.unlisted_page(row, &self.served.catalog().unlisted[*at])
            }
            PageSubject::Missing(tier, name) => self.missing_page(row, *tier, name),
        };
        Some(page.to_files())
    }

    fn states(&self) -> &InstalledStates {
        self.served.states()
    }

    /// Adds a page under the skill's name, or one like it that a path can have.
    fn add_page(&mut self, taken: &mut BTreeSet<String>, name: &str, subject: PageSubject) {
        let base = match name.parse::<SkillName>() {
            Ok(name) => name.to_string(),
            // Names of directories are anything: only letters and digits of them are kept.
            Err(_) => {
                let kept = name
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
                format!("~{}", kept.take(64).collect::<String>())
            }
        };

        let mut slug = base.clone();
        let mut number = 2;
        while !taken.insert(slug.clone()) {
            slug = format!("{base}~{number}");
            number += 1;
        }
        self.pages.push((slug, subject));
    }

    /// Locked packages of which there is no directory.
    fn missing(&self) -> Vec<(Tier, String)> {
        let catalog = self.served.catalog();
        let mut found: BTreeSet<(Tier, &str)> = BTreeSet::new();
        let candidates = catalog
            .entries
            .iter()
            .flat_map(|entry| all_copies(&entry.candidate));
        for copy in candidates {
            let tier = catalog.roots[usize::from(copy.root)].tier;
            found.insert((tier, &copy.directory));
        }
        let unlisted: Vec<(Tier, String)> = catalog
            .unlisted
            .iter()
            .map(|one| {
                (
                    catalog.roots[usize::from(one.root)].tier,
                    unlisted_name(one),
                )
            })
            .collect();

        self.states()
            .copies
            .keys()
            .filter(|(tier, name)| {
                !found.contains(&(*tier, name.as_str()))
                    && !unlisted.contains(&(*tier, name.clone()))
            })
            .cloned()
            .collect()
    }

    /// What lists show of a page.
    fn row(&self, slug: &str, subject: &PageSubject) -> PackageRow {
        let catalog = self.served.catalog();
        let mut row = PackageRow {
            slug: slug.to_owned(),
            ..PackageRow::default()
        };
        let tier = match subject {
            PageSubject::Entry(at) => {
                self.fill_row(&mut row, &catalog.entries[*at]);
                row.facets.extend(self.seeing_agents(*at));
                catalog.roots[usize::from(catalog.entries[*at].candidate.root)].tier
            }
            PageSubject::Unlisted(at) => {
                let unlisted = &catalog.unlisted[*at];
                row.name = unlisted_name(unlisted);
                row.description = unlisted_reason(unlisted);
                row.facets.push(state_facet("invalid"));
                catalog.roots[usize::from(unlisted.root)].tier
            }
            PageSubject::Missing(tier, name) => {
                row.name.clone_from(name);
                row.description = "Locked, but not installed.".into();
                let copy = self.states().copies.get(&(*tier, name.clone()));
                row.version = copy.and_then(|copy| Some(copy.locked.version.as_ref()?.to_string()));
                row.facets.push(state_facet("missing"));
                *tier
            }
        };

        row.facets.push(PackageFacet {
            group: FacetGroup::Tier,
            value: tier.name().to_owned(),
        });
        row
    }

    fn fill_row(&self, row: &mut PackageRow, entry: &CatalogEntry) {
        let candidate = &entry.candidate;
        let facts = candidate.listing.facts();

        let id = self.served.catalog().id_of(entry);
        id.clone_into(&mut row.name);
        row.version = candidate.version().map(str::to_owned);
        row.description = candidate.listing.description.to_string();
        row.tags = facts.tags.iter().map(ToString::to_string).collect();
        row.license = facts.license.as_deref().map(str::to_owned);

        let seen = if entry.hidden.is_some() {
            "hidden"
        } else {
            "listed"
        };
        row.facets.push(state_facet(seen));
        if !candidate.shadows.is_empty() {
            row.facets.push(state_facet("shadows others"));
        }
        let states = self.copy_states(candidate);
        row.facets.extend(states.into_iter().map(state_facet));
        if candidate.signed_by.is_some() {
            row.facets.push(PackageFacet {
                group: FacetGroup::Signature,
                value: "signed".to_owned(),
            });
        }
    }

    /// The agents here that see a skill, for the filters.
    fn seeing_agents(&self, entry: usize) -> impl Iterator<Item = PackageFacet> {
        let agents = self.states().agents.get(entry).into_iter().flatten();
        agents
            .filter(|(_, unseen)| unseen.is_none())
            .map(|(agent, _)| PackageFacet {
                group: FacetGroup::Seen,
                value: agent.name.clone(),
            })
    }

    /// Whether each agent here sees a skill, and why not.
    fn agent_support(&self, entry: usize) -> Vec<AgentSupport> {
        let agents = self.states().agents.get(entry).into_iter().flatten();
        agents
            .map(|(agent, unseen)| AgentSupport {
                title: agent.name.clone(),
                is_listed: false,
                problem: unseen.as_ref().map(|reason| match reason {
                    UnseenReason::Hidden(because) => because.clone(),
                    UnseenReason::Unread => "it does not read this directory".to_owned(),
                    UnseenReason::Missing => "it is not in the directory that it reads".to_owned(),
                    UnseenReason::Unknown => "its configuration is invalid".to_owned(),
                }),
            })
            .collect()
    }

    fn locked(&self, candidate: &SkillCandidate) -> Option<&LockedCopy> {
        let tier = self.served.catalog().roots[usize::from(candidate.root)].tier;
        self.states()
            .copies
            .get(&(tier, candidate.directory.to_string()))
    }

    /// How the files of a copy compare with the lockfile, and its version with what is known.
    fn copy_states(&self, candidate: &SkillCandidate) -> Vec<&'static str> {
        let Some(copy) = self.locked(candidate) else {
            return Vec::new();
        };

        let found = candidate
            .content
            .as_ref()
            .and_then(|content| content.checksum);
        let mut states = vec![match found {
            Some(found) if found == copy.locked.checksum => "unchanged",
            Some(_) => "edited",
            None => "unreadable",
        }];
        if copy.newer.is_some() {
            states.push("outdated");
        }
        states
    }

    /// The page of a skill, with what its files say if it is not hidden.
    fn entry_page(&self, row: PackageRow, entry: &CatalogEntry) -> PackagePage {
        let candidate = &entry.candidate;
        let mut page = PackagePage {
            site: TITLE.to_owned(),
            row,
            notice: entry.hidden.map(|reason| {
                let because = entry.because.as_deref().unwrap_or(reason.name());
                format!("Hidden: {because}. Its files are not served.")
            }),
            commands: vec![InstallCommand {
                label: String::new(),
                command: format!("skillpm why {}", candidate.directory),
            }],
            copies: self.places(entry),
            ..PackagePage::default()
        };
        self.add_lock_facts(&mut page, candidate);

        if entry.hidden.is_none() {
            let tree = self.read_tree(entry);
            let read = formats::read_tree(&tree, &candidate.directory).and_then(|read| read.skill);
            package_facts::add_tree(&mut page, &candidate.directory, &tree, read.as_ref());
        }
        page
    }

    /// The files of a skill that can be read. One may be gone, or be one that no package has.
    fn read_tree(&self, entry: &CatalogEntry) -> Tree {
        let mut tree = Tree::builder();
        for file in entry.candidate.files() {
            if let Ok(bytes) = self.served.read(entry, &file.path) {
                // The limits of a package may be exceeded: the page shows what is within them.
                let _ = tree.add(&file.path, bytes, file.executable);
            }
        }
        tree.finish()
    }

    /// The copies of a skill: the one that agents see, and those that it shadows.
    fn places(&self, entry: &CatalogEntry) -> Vec<InstalledPlace> {
        let roots = &self.served.catalog().roots;
        let place = |(at, copy): (usize, &SkillCandidate)| {
            let seen = match (at, entry.hidden) {
                (0, None) => "listed",
                (0, Some(_)) => "hidden",
                _ => "shadowed",
            };
            let states = std::iter::once(seen).chain(self.copy_states(copy));
            InstalledPlace {
                tier: roots[usize::from(copy.root)].label.to_string(),
                directory: copy.base_dir(roots).display().to_string(),
                version: copy.version().map(str::to_owned),
                state: states.collect::<Vec<&str>>().join(", "),
            }
        };
        all_copies(&entry.candidate)
            .enumerate()
            .map(place)
            .collect()
    }

    fn add_lock_facts(&self, page: &mut PackagePage, candidate: &SkillCandidate) {
        let requires = candidate.listing.facts().requires.iter();
        page.dependencies = requires.map(|needed| self.related(needed)).collect();

        if let Some(source) = &candidate.source {
            page.facts.push(("Source".to_owned(), source.to_string()));
        }
        if let Some(key) = &candidate.signed_by {
            page.facts.push(("Signed by".to_owned(), key.to_string()));
        }
        if let Some(newer) = self.locked(candidate).and_then(|copy| copy.newer.as_ref()) {
            page.facts.push(("Newer version".to_owned(), newer.clone()));
            page.commands.push(InstallCommand {
                label: format!("Version {newer} is known:"),
                command: format!("skillpm update {}", candidate.directory),
            });
        }
    }

    /// A skill that another one requires, with a link if it is here.
    fn related(&self, needed: &str) -> RelatedPackage {
        let (name, requirement) = needed.split_once('@').unwrap_or((needed, "*"));
        let is_here = self.pages.iter().any(|(slug, _)| slug == name);
        RelatedPackage {
            name: name.to_owned(),
            requirement: requirement.to_owned(),
            slug: is_here.then(|| name.to_owned()),
            registry: None,
        }
    }

    fn unlisted_page(&self, row: PackageRow, unlisted: &UnlistedSkill) -> PackagePage {
        let root = &self.served.catalog().roots[usize::from(unlisted.root)];
        PackagePage {
            site: TITLE.to_owned(),
            notice: Some("No agent lists this skill.".to_owned()),
            commands: vec![InstallCommand {
                label: String::new(),
                command: format!("skillpm lint {}", unlisted.location.display()),
            }],
            copies: vec![InstalledPlace {
                tier: root.label.to_string(),
                directory: unlisted.location.display().to_string(),
                version: None,
                state: "invalid".to_owned(),
            }],
            row,
            ..PackagePage::default()
        }
    }

    fn missing_page(&self, row: PackageRow, tier: Tier, name: &str) -> PackagePage {
        let source = self
            .states()
            .copies
            .get(&(tier, name.to_owned()))
            .map(|copy| ("Source".to_owned(), copy.locked.source.to_string()));
        PackagePage {
            site: TITLE.to_owned(),
            notice: Some("The lockfile has this skill, and its directory is missing.".to_owned()),
            commands: vec![InstallCommand {
                label: String::new(),
                command: match tier {
                    Tier::Managed => "skillpm install --global".to_owned(),
                    _ => "skillpm install".to_owned(),
                },
            }],
            facts: source.into_iter().collect(),
            row,
            ..PackagePage::default()
        }
    }
}

/// A skill and those that it shadows.
fn all_copies(candidate: &SkillCandidate) -> impl Iterator<Item = &SkillCandidate> {
    std::iter::once(candidate).chain(&candidate.shadows)
}

fn state_facet(state: &str) -> PackageFacet {
    PackageFacet {
        group: FacetGroup::State,
        value: state.to_owned(),
    }
}

/// The name of the directory of a skill that no agent lists.
fn unlisted_name(unlisted: &UnlistedSkill) -> String {
    let directory = unlisted
        .location
        .parent()
        .and_then(|parent| parent.file_name());
    directory.map_or(String::new(), |name| name.to_string_lossy().into_owned())
}

fn unlisted_reason(unlisted: &UnlistedSkill) -> String {
    unlisted
        .diagnostics
        .first()
        .map_or(String::new(), |found| found.message.clone())
}

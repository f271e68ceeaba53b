//! Packages from a web site's list of skills: `/.well-known/agent-skills/index.json`, else `/.well-known/skills/…`.
//!
//! The format of the list is described in `listing.rs`. A file is checked against its digest in the list before any of it
//! is parsed. If a list has no digests (discovery 0.1), only the lockfile pins the content, by the checksum of the whole
//! tree; a warning says so once.
//!
//! Each list is cached in `$SKILLPM_HOME/index/well-known/`, so that it can be revalidated with a response without a body:
//! one line of JSON with the URL, the server's validators and a digest of the rest, then the list as it was received:
//!
//! ```text
//! {"url":"https://acme.dev/.well-known/agent-skills/index.json","at":"https://…","etag":"\"5f1\"","sha256":"…"}
//! {"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[…]}
//! ```

mod cached_listing;
mod download;
mod listing;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use url::Url;

use super::describe::{DescribeContext, describe_package};
use super::{AvailableVersion, FetchedPackage, PackageOrigin, PackageSources, RemoteState};
use cached_listing::fetch_revalidated;
use download::download_skills;
use listing::{SiteContent, SiteEntry, SiteListing};
use skillpm_core::error::{Error, Result, nearest_name};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{
    Checksum, PackageDependency, PackageSummary, Sha256Digest, SiteUrl, SkillName, SourceId, Tree,
};
use skillpm_core::report::ProgressEvent;

/// A site whose list was read.
pub(super) struct WellKnownSite {
    url: SiteUrl,
    listing: SiteListing,
    fetched: Mutex<BTreeMap<SkillName, SiteSkill>>,
    warned_unpinned: AtomicBool,
}

/// A skill as the site serves it.
#[derive(Clone)]
struct SiteSkill {
    tree: Tree,
    /// Its digest in the list; `None` if the list has none.
    digest: Option<Sha256Digest>,
}

/// Lists the skills of a site, by name and description.
pub(super) fn list_skills(
    sources: &PackageSources<'_>,
    url: &SiteUrl,
) -> Result<Vec<(SkillName, String)>> {
    let site = open_site(sources, url)?;

    // An empty list is more likely a mistake of the site than its intention.
    if site.listing.entries.is_empty() {
        return Err(Error::negative(format!(
            "no skill found in the list of `{url}`"
        )));
    }
    Ok(site
        .listing
        .entries
        .iter()
        .map(|entry| (entry.name.clone(), entry.description.clone()))
        .collect())
}

/// Fetches each dependency, of which a site has one version.
pub(super) fn available_versions(
    sources: &PackageSources<'_>,
    url: &SiteUrl,
    needed: &[&PackageDependency],
) -> Vec<Result<Vec<AvailableVersion>>> {
    let wanted: Vec<PackageSummary> = needed
        .iter()
        .map(|needed| PackageSummary::unread(needed))
        .collect();

    let fetched = fetch_packages(sources, url, &wanted.iter().collect::<Vec<_>>()).into_iter();
    fetched
        .map(|fetched| fetched.map(|fetched| vec![AvailableVersion::Fetched(Box::new(fetched))]))
        .collect()
}

/// Fetches and reads packages.
pub(super) fn fetch_packages(
    sources: &PackageSources<'_>,
    url: &SiteUrl,
    wanted: &[&PackageSummary],
) -> Vec<Result<FetchedPackage>> {
    with_site(sources, url, wanted, |site| {
        site.fetch_packages(sources, wanted)
    })
}

/// Fetches the trees of locked packages.
pub(super) fn restore(
    sources: &PackageSources<'_>,
    url: &SiteUrl,
    packages: &[&LockedPackage],
) -> Vec<Result<Tree>> {
    with_site(sources, url, packages, |site| {
        site.restore_trees(sources, packages)
    })
}

/// Queries the present content of packages: the digests in the list, or where it has none, the checksums of the files.
pub(super) fn remote_states(
    sources: &PackageSources<'_>,
    url: &SiteUrl,
    needed: &[&PackageDependency],
) -> Vec<Result<RemoteState>> {
    with_site(sources, url, needed, |site| {
        let state = |needed: &&PackageDependency| site.remote_state(sources, needed);
        needed.iter().map(state).collect()
    })
}

/// Works on a site; if its list cannot be read, each result is that error.
fn with_site<T, R>(
    sources: &PackageSources<'_>,
    url: &SiteUrl,
    group: &[T],
    work: impl FnOnce(&WellKnownSite) -> Vec<Result<R>>,
) -> Vec<Result<R>> {
    match open_site(sources, url) {
        Ok(site) => work(&site),
        Err(error) => group.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Opens a site, whose list is fetched once.
fn open_site(sources: &PackageSources<'_>, url: &SiteUrl) -> Result<Arc<WellKnownSite>> {
    // Kept locked during the request: two packages of one site must see the same list.
    let mut sites = sources.sites.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(site) = sites.get(url) {
        return Ok(site.clone());
    }

    let listing = fetch_listing(sources, url)?;
    for skipped in &listing.skipped {
        sources.reporter.report(ProgressEvent::warning(format!(
            "ignoring an entry in the list of `{url}`: {skipped}"
        )));
    }

    let site = WellKnownSite {
        url: url.clone(),
        listing,
        fetched: Mutex::default(),
        warned_unpinned: AtomicBool::new(false),
    };

    let site = Arc::new(site);
    sites.insert(url.clone(), site.clone());
    Ok(site)
}

/// Fetches the list, from the first URL that has one.
fn fetch_listing(sources: &PackageSources<'_>, url: &SiteUrl) -> Result<SiteListing> {
    let mut tried = Vec::new();
    // The newer location first: a site may serve both.
    for place in url.index_urls() {
        let Some(found) = fetch_revalidated(sources, &place)? else {
            // Collected, since one message has to name all places that were tried.
            tried.push(format!("not found: `{place}`"));
            continue;
        };

        // Many sites answer every URL with their front page.
        if found.body.trim_ascii_start().starts_with(b"<") {
            tried.push(format!("a web page, not a list: `{place}`"));
            continue;
        }

        let at = Url::parse(&found.head.at)
            .map_err(|cause| Error::internal(format!("invalid URL of a response: {cause}")))?;
        // The list may link to its own host, to the one it was redirected to, and to allowed ones.
        let allowed = [url.origin(), at.origin().ascii_serialization()];
        let may_reach = |url: &Url| {
            let origin = url.origin().ascii_serialization();
            allowed.contains(&origin) || is_allowed_origin(sources, &origin)
        };

        let listing = listing::parse_listing(&found.body, &at, &may_reach).map_err(|error| {
            error
                .wrap(format!("failed to read the list of skills of `{url}`"))
                .note(format!("from `{place}`"))
        })?;
        // Cached only after it was parsed.
        found.save(&sources.tools.index_cache)?;
        return Ok(listing);
    }

    let error = tried.into_iter().fold(
        Error::network(format!("no list of skills found at `{url}`")),
        Error::note,
    );
    Err(error.help(
        "write a repository as `gh:owner/repo` or with its full path, and an archive as its URL",
    ))
}

/// Whether the settings allow links to an origin.
fn is_allowed_origin(sources: &PackageSources<'_>, origin: &str) -> bool {
    let allowed = &sources.tools.allow_origins;
    allowed.iter().any(|other| matches_origin(other, origin))
}

/// Whether an allowed origin, which may be a host alone, is this one.
pub(super) fn matches_origin(allowed: &str, origin: &str) -> bool {
    let allowed = allowed.trim_end_matches('/').to_ascii_lowercase();
    if allowed.contains("://") {
        allowed == origin
    } else {
        // A host alone means HTTPS: plain HTTP has to be written out.
        origin.strip_prefix("https://") == Some(&*allowed)
    }
}

impl WellKnownSite {
    fn fetch_packages(
        &self,
        sources: &PackageSources<'_>,
        wanted: &[&PackageSummary],
    ) -> Vec<Result<FetchedPackage>> {
        let names: Vec<&SkillName> = wanted.iter().map(|wanted| wanted.name.skill()).collect();
        // Before anything is fetched, while the user can still stop.
        self.warn_if_unpinned(sources, &names);

        let fetched = self.fetch_skills(sources, &names).into_iter().zip(wanted);
        fetched
            .map(|(fetched, wanted)| self.describe(sources, fetched?, wanted))
            .collect()
    }

    fn restore_trees(
        &self,
        sources: &PackageSources<'_>,
        packages: &[&LockedPackage],
    ) -> Vec<Result<Tree>> {
        // Compared with the lockfile before anything is fetched.
        let unchanged: Vec<Result<&SkillName>> = packages
            .iter()
            .map(|package| self.check_unchanged(package))
            .collect();

        let names: Vec<&SkillName> = unchanged
            .iter()
            .filter_map(|name| name.as_ref().ok().copied())
            .collect();

        let mut fetched = self.fetch_skills(sources, &names).into_iter();
        let tree = |name: Result<&SkillName>| {
            name?;
            Ok(fetched.next().expect("one result for each name")?.tree)
        };
        unchanged.into_iter().map(tree).collect()
    }

    fn remote_state(
        &self,
        sources: &PackageSources<'_>,
        needed: &PackageDependency,
    ) -> Result<RemoteState> {
        let name = needed.package.skill();
        // A digest in the list shows a change without a download.
        let content = match self.find_content(name)? {
            SiteContent::SingleFile { digest, .. } => super::ContentDigest::Archive(*digest),
            // Without a digest only the files themselves show a change.
            SiteContent::FileList(_) => {
                let fetched = self.fetch_skills(sources, &[name]).remove(0)?;
                super::ContentDigest::Tree(Checksum::from_tree(&fetched.tree))
            }
        };
        Ok(RemoteState {
            content: Some(content),
            ..RemoteState::default()
        })
    }

    fn find_entry(&self, name: &SkillName) -> Result<&SiteEntry> {
        // All of that name, to notice a second one.
        let mut entries = self
            .listing
            .entries
            .iter()
            .filter(|entry| entry.name == *name);

        match (entries.next(), entries.next()) {
            (None, _) => Err(self.unknown_skill_error(name)),
            (Some(entry), None) => Ok(entry),
            (Some(_), Some(_)) => Err(Error::integrity(format!(
                "duplicate skill `{name}` in the list of `{}`",
                self.url
            ))
            .help("report it to the site's owners: it is unknown which of the two is right")),
        }
    }

    fn unknown_skill_error(&self, name: &SkillName) -> Error {
        let error = Error::negative(format!(
            "skill `{name}` not found in the list of `{}`",
            self.url
        ));
        let listed = self.listing.entries.iter().map(|entry| entry.name.as_str());
        match nearest_name(name.as_str(), listed) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!(
                "run `skillpm add {}` to list its skills",
                self.url.to_spec()
            )),
        }
    }

    fn find_content(&self, name: &SkillName) -> Result<&SiteContent> {
        // An invalid entry fails here, and not when the list is read: it must not hide the others.
        let content = self.find_entry(name)?.content.as_ref();
        content.map_err(|error| {
            error
                .clone()
                .note(format!("it is in the list of `{}`", self.url))
        })
    }

    /// Checks that the list still has a locked package unchanged; returns its name.
    fn check_unchanged<'p>(&self, package: &'p LockedPackage) -> Result<&'p SkillName> {
        let name = package.name.skill();
        // The digest in the list shows a changed skill before it is fetched.
        if let (SiteContent::SingleFile { digest, .. }, Some(locked)) =
            (self.find_content(name)?, &package.archive)
            && digest != locked
        {
            return Err(Error::integrity(format!(
                "checksum mismatch for `{name}` of `{}`: it is not the locked skill",
                self.url
            ))
            .note(format!("locked  sha256:{locked}"))
            .note(format!("found   sha256:{digest}"))
            .help(format!(
                "nothing was installed; if the change is intended, run `skillpm update {}`",
                package.install_name()
            )));
        }

        Ok(name)
    }

    /// Warns once about a site without digests that only the lockfile pins its content.
    fn warn_if_unpinned(&self, sources: &PackageSources<'_>, names: &[&SkillName]) {
        let is_pinned = |content: &SiteContent| match content {
            SiteContent::SingleFile { .. } => true,
            SiteContent::FileList(files) => files.iter().all(|file| file.digest.is_some()),
        };

        // Only the wanted skills count: others may be listed in another way.
        let all_pinned = names
            .iter()
            .filter_map(|name| self.find_content(name).ok())
            .all(is_pinned);

        if !all_pinned && !self.warned_unpinned.swap(true, Ordering::Relaxed) {
            sources.reporter.report(ProgressEvent::Warning {
                message: format!(
                    "the list of `{}` has no digests, so downloads cannot be checked against it",
                    self.url
                ),
                help: Some(
                    "`skillpm.lock` pins the checksum from now on; discovery 0.2 has digests"
                        .into(),
                ),
            });
        }
    }

    /// Fetches skills, all of them together; those that were fetched in this run already are not requested again.
    fn fetch_skills(
        &self,
        sources: &PackageSources<'_>,
        names: &[&SkillName],
    ) -> Vec<Result<SiteSkill>> {
        // The lock is kept while fetching, so that nothing is fetched twice.
        let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);

        let mut missing: Vec<&SkillName> = names
            .iter()
            .copied()
            .filter(|name| !fetched.contains_key(*name))
            .collect();
        missing.sort();
        missing.dedup();
        let contents: Vec<Result<&SiteContent>> =
            missing.iter().map(|name| self.find_content(name)).collect();
        self.report_fetching(sources, &missing, &contents);

        let mut failed = BTreeMap::new();
        for (name, result) in missing.iter().zip(download_skills(sources, contents)) {
            match result {
                Ok(skill) => drop(fetched.insert((*name).clone(), skill)),
                // Not remembered, so that a later attempt is made.
                Err(error) => drop(failed.insert(*name, error)),
            }
        }

        let result = |name: &&SkillName| match fetched.get(*name) {
            Some(skill) => Ok(skill.clone()),
            None => Err(failed[*name].clone()),
        };
        names.iter().map(result).collect()
    }

    fn report_fetching(
        &self,
        sources: &PackageSources<'_>,
        names: &[&SkillName],
        contents: &[Result<&SiteContent>],
    ) {
        for (name, _) in names
            .iter()
            .zip(contents)
            .filter(|(_, content)| content.is_ok())
        {
            sources.reporter.report(ProgressEvent::Fetching {
                what: format!("{name} from {}", self.url),
            });
        }
    }

    /// Describes a fetched skill, which must have the listed name.
    fn describe(
        &self,
        sources: &PackageSources<'_>,
        fetched: SiteSkill,
        wanted: &PackageSummary,
    ) -> Result<FetchedPackage> {
        let name = wanted.name.skill();
        let is_listed =
            |name: &SkillName| self.listing.entries.iter().any(|entry| entry.name == *name);

        // A skill of a site has no path: its name is its place and its directory.
        let around = DescribeContext {
            place: name.as_str(),
            directory: name.as_str(),
            registries: sources.registries,
            sibling: &|name| is_listed(name).then(|| (SourceId::WellKnown(self.url.clone()), None)),
            relative: &|path| {
                Err(Error::integrity(format!(
                    "invalid dependency `{path}` of `{name}`: it is outside the skill"
                )))
            },
            shared: &|| Ok(None),
        };

        let described = describe_package(&fetched.tree, &around)
            .map_err(|error| error.note(format!("it is from `{}`", self.url)))?;

        self.check_name(name, &described.skill.name)?;

        // The name stays the listed one, which the request was for.
        let summary = PackageSummary {
            version: described.version,
            dependencies: Some(described.dependencies),
            ..wanted.clone()
        };
        let origin = PackageOrigin {
            archive: fetched.digest,
            ..PackageOrigin::default()
        };

        let (tree, skill) = (fetched.tree, Some(described.skill));
        Ok(FetchedPackage {
            summary,
            origin,
            tree,
            skill,
            diagnostics: described.diagnostics,
        })
    }
}

impl WellKnownSite {
    fn check_name(&self, listed: &SkillName, found: &str) -> Result<()> {
        // The lockfile has the listed name, and another one in the frontmatter could imitate a known skill.
        if found == listed.as_str() {
            return Ok(());
        }

        // It is the site's text, and as long as it likes.
        let found: String = found.chars().take(100).collect();
        Err(Error::integrity(format!(
            "invalid skill `{listed}` from `{}`: its `SKILL.md` has another name",
            self.url
        ))
        .note(format!("found `name: {}`", found.escape_debug()))
        .help("nothing was installed; report it to the site's owners"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowed_host_alone_means_https() {
        assert!(matches_origin("cdn.acme.dev", "https://cdn.acme.dev"));
        assert!(matches_origin(
            "http://127.0.0.1:80/",
            "http://127.0.0.1:80"
        ));
        assert!(!matches_origin("acme.dev", "https://cdn.acme.dev"));
        assert!(!matches_origin("cdn.acme.dev", "http://cdn.acme.dev"));
    }
}

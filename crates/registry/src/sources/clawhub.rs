//! Packages from ClawHub, by its public HTTP API (version 1), or from another server that has it.
//!
//! | request | what is used of the answer |
//! |---|---|
//! | `/api/v1/skills/SLUG` | `skill.slug`, `owner.handle`, `moderation` |
//! | `/api/v1/skills/SLUG/versions?limit=200&cursor=…` | `items[].version` and `createdAt`; `nextCursor` |
//! | `/api/v1/download?slug=SLUG&version=1.2.3` | a zip, or a JSON object that names a commit on GitHub |
//!
//! ```json
//! {"sourceRef": "public-github", "repo": "acme/skills", "commit": "6838e77d…", "path": "skills/pdf",
//!  "archiveUrl": "https://codeload.github.com/acme/skills/zip/6838e77d…"}
//! ```
//!
//! The server has no digests that skillpm could rely on: the lockfile pins a version by the checksum of its tree, from
//! the first time that it is fetched. `_meta.json`, which the server adds to each zip, is not part of the skill.

mod answers;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use jiff::Timestamp;
use semver::Version;
use url::Url;

use super::describe::{DescribeContext, describe_package};
use super::{
    AvailableVersion, FetchError, FetchedPackage, PackageOrigin, PackageSources, RemoteState,
};
use answers::{GitHubPointer, SkillCard, VersionPage};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{
    PackageDependency, PackageName, PackageSummary, SiteUrl, SkillName, Tree,
};
use skillpm_core::report::ProgressEvent;
use skillpm_io::archive::{self, ARCHIVE_MAX};
use skillpm_io::http::{HttpOutcome, HttpRequest};

/// Largest answer other than an archive, in bytes: a page of 200 versions with long change logs.
const ANSWER_MAX: u64 = 4 << 20;
/// Most pages of versions of one skill.
const PAGES_MAX: usize = 50;
/// Versions that are requested in one page, which is the most that the API gives.
const PAGE_SIZE: usize = 200;
/// Archives that are requested together, so that not more than 160 MiB are in memory.
const DOWNLOADS_TOGETHER: usize = 5;
/// The servers that an archive of a repository on GitHub is fetched from.
const GITHUB_ORIGINS: [&str; 3] = [
    "https://github.com",
    "https://codeload.github.com",
    "https://api.github.com",
];
/// The file that the server adds to each zip.
const META_FILE: &str = "_meta.json";

/// A skill of ClawHub with its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClawHubSkill {
    /// Its present slug, with its owner if that is a valid name.
    pub name: PackageName,
    /// Its versions, oldest first, with the times when they were published.
    pub versions: Vec<(Version, Option<Timestamp>)>,
}

impl ClawHubSkill {
    fn version_summaries(&self, needed: &PackageDependency) -> Vec<AvailableVersion> {
        let summary = |(version, published): &(Version, Option<Timestamp>)| PackageSummary {
            version: Some(version.clone()),
            published: *published,
            ..PackageSummary::unread(needed)
        };
        let summaries = self.versions.iter().map(summary);
        summaries
            .map(|summary| AvailableVersion::Summary(Box::new(summary)))
            .collect()
    }

    fn remote_state(&self) -> RemoteState {
        let versions = self.versions.iter();
        let published = versions
            .clone()
            .filter_map(|(version, at)| Some((version.clone(), (*at)?)))
            .collect();
        RemoteState {
            versions: versions.map(|(version, _)| version.clone()).collect(),
            published: Some(published),
            ..RemoteState::default()
        }
    }
}

/// The skills that were looked up in this run, by server and requested name.
pub(super) type ClawHubCache = BTreeMap<(SiteUrl, PackageName), Arc<ClawHubSkill>>;

/// The trees that were downloaded in this run, by the URL of the download.
pub(super) type ClawHubTrees = BTreeMap<String, Tree>;

/// Looks up every version of each skill.
pub(super) fn available_versions(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    needed: &[&PackageDependency],
) -> Vec<Result<Vec<AvailableVersion>>> {
    let listed = |needed: &&PackageDependency| {
        let found = look_up(sources, hub, &needed.package)?;
        Ok(found.version_summaries(needed))
    };
    needed.iter().map(listed).collect()
}

/// Looks up the present versions of each skill.
pub(super) fn remote_states(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    needed: &[&PackageDependency],
) -> Vec<Result<RemoteState>> {
    let state = |needed: &&PackageDependency| {
        let found = look_up(sources, hub, &needed.package)?;
        Ok(found.remote_state())
    };
    needed.iter().map(state).collect()
}

/// Fetches and reads versions.
pub(super) fn fetch_packages(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    wanted: &[&PackageSummary],
) -> Vec<Result<FetchedPackage, FetchError>> {
    let versions: Vec<HubVersion<'_>> = wanted
        .iter()
        .map(|summary| HubVersion {
            name: &summary.name,
            version: summary.version.as_ref(),
        })
        .collect();

    let trees = fetch_trees(sources, hub, &versions).into_iter();
    trees
        .zip(wanted)
        .zip(&versions)
        .map(|((tree, wanted), version)| Ok(describe(sources, version, wanted, tree?)?))
        .collect()
}

/// Fetches the trees of locked packages.
pub(super) fn restore(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    packages: &[&LockedPackage],
) -> Vec<Result<Tree>> {
    let versions: Vec<HubVersion<'_>> = packages
        .iter()
        .map(|package| HubVersion {
            name: &package.name,
            version: package.version.as_ref(),
        })
        .collect();

    let trees = fetch_trees(sources, hub, &versions).into_iter();
    trees
        .zip(packages)
        .map(|(tree, package)| tree.map_err(|error| restore_error(package, error)))
        .collect()
}

fn restore_error(package: &LockedPackage, error: FetchError) -> Error {
    match error {
        FetchError::Failed(error) => error,
        FetchError::Unavailable(reason) => Error::negative(format!(
            "failed to fetch the locked version of `{}`: {reason}",
            package.name
        ))
        .help(format!(
            "run `skillpm update {}` to select another version",
            package.install_name()
        )),
    }
}

/// Looks up a skill and its versions, once.
pub(super) fn look_up(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    name: &PackageName,
) -> Result<Arc<ClawHubSkill>> {
    let key = (hub.clone(), name.clone());
    let known = sources
        .hub_skills
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(&key) {
        return Ok(found.clone());
    }
    // Other skills are looked up meanwhile.
    drop(known);

    sources.reporter.report(ProgressEvent::Fetching {
        what: format!("clawhub:{name}"),
    });
    let found_name = find_skill(sources, hub, name)?;
    let versions = list_versions(sources, hub, found_name.skill())?;
    let found = Arc::new(ClawHubSkill {
        name: found_name,
        versions,
    });

    let mut known = sources
        .hub_skills
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    known.insert(key, found.clone());
    Ok(found)
}

/// Finds a skill: its present slug and its owner.
fn find_skill(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    name: &PackageName,
) -> Result<PackageName> {
    let url = api_url(hub, &["skills", name.skill().as_str()], &[]);
    let bytes = match call_api(sources, hub, url)? {
        ApiAnswer::Content(bytes) => bytes,
        ApiAnswer::Refused(404, _) => return Err(unknown_skill_error(hub, name)),
        ApiAnswer::Refused(status, reason) => {
            return Err(refusal_error(&format!("skill `{name}`"), status, &reason));
        }
    };

    let card = SkillCard::parse(&bytes).map_err(|why| invalid_answer_error(hub, name, &why))?;
    check_moderation(sources, name, &card)?;
    check_owner(name, &card)?;
    check_slug(sources, name, &card)
}

/// Refuses what the server blocks as malware, and warns of what it finds suspicious.
fn check_moderation(
    sources: &PackageSources<'_>,
    name: &PackageName,
    card: &SkillCard,
) -> Result<()> {
    if card.is_blocked {
        return Err(Error::integrity(format!(
            "refusing skill `{name}`: ClawHub blocks it as malware"
        )));
    }
    if card.is_suspicious {
        sources.reporter.report(ProgressEvent::warning(format!(
            "ClawHub flags skill `{name}` as suspicious"
        )));
    }
    Ok(())
}

/// Checks that a skill is of the owner that was asked for.
fn check_owner(name: &PackageName, card: &SkillCard) -> Result<()> {
    let Some(owner) = name.scope() else {
        return Ok(());
    };

    // A slug that its owner gave up may be taken by another.
    match &card.owner {
        Some(handle) if handle.eq_ignore_ascii_case(owner.as_str()) => Ok(()),
        found => {
            let found = found.as_deref().map_or("no one".to_owned(), |handle| {
                format!("`{}`", handle.escape_debug())
            });
            Err(Error::integrity(format!(
                "skill `{}` of ClawHub belongs to {found}, not to `{owner}`",
                name.skill()
            ))
            .help("if it was transferred and you trust its new owner, add it by that name"))
        }
    }
}

/// Checks that the answer is for the requested slug; returns the present name.
///
/// The server answers under the new slug for a skill that was renamed. That is followed where the owner is known to be
/// the same, and refused otherwise: the answer could be any skill.
fn check_slug(
    sources: &PackageSources<'_>,
    name: &PackageName,
    card: &SkillCard,
) -> Result<PackageName> {
    let found = card.package_name();
    if card.slug == *name.skill() {
        return Ok(found);
    }

    let is_same_owner = name.scope().is_some();
    if !is_same_owner {
        return Err(Error::integrity(format!(
            "ClawHub answered for skill `{name}` with skill `{}`",
            card.slug
        ))
        .help(format!(
            "if it was renamed, add it by its present name: `skillpm add clawhub:{found}`"
        )));
    }

    sources.reporter.report(ProgressEvent::Warning {
        message: format!("skill `{name}` of ClawHub was renamed to `{}`", card.slug),
        help: Some(format!(
            "write `clawhub = \"{found}\"` in skillpm.toml to follow"
        )),
    });
    Ok(found)
}

/// Lists the versions of a skill, oldest first.
fn list_versions(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    slug: &SkillName,
) -> Result<Vec<(Version, Option<Timestamp>)>> {
    let name = PackageName::from(slug.clone());
    let mut versions = BTreeMap::new();
    let mut cursor: Option<String> = None;

    // Bounded, since each page may name another one.
    for _ in 0..PAGES_MAX {
        let limit = PAGE_SIZE.to_string();
        let mut query = vec![("limit", limit.as_str())];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));

        let url = api_url(hub, &["skills", slug.as_str(), "versions"], &query);
        let bytes = match call_api(sources, hub, url)? {
            ApiAnswer::Content(bytes) => bytes,
            ApiAnswer::Refused(404, _) => return Err(unknown_skill_error(hub, &name)),
            ApiAnswer::Refused(status, reason) => {
                let what = format!("the versions of skill `{slug}`");
                return Err(refusal_error(&what, status, &reason));
            }
        };

        let page =
            VersionPage::parse(&bytes).map_err(|why| invalid_answer_error(hub, &name, &why))?;
        versions.extend(page.versions);
        cursor = page.next;
        if cursor.is_none() {
            return Ok(versions.into_iter().collect());
        }
    }

    Err(Error::integrity(format!(
        "refusing to read more than {PAGES_MAX} pages of versions of skill `{slug}` of ClawHub"
    )))
}

/// A version of a skill to download.
#[derive(Clone, Copy)]
struct HubVersion<'a> {
    name: &'a PackageName,
    version: Option<&'a Version>,
}

impl HubVersion<'_> {
    /// The version for messages, as `add` takes it.
    fn spec(&self) -> String {
        match self.version {
            Some(version) => format!("clawhub:{}@{version}", self.name),
            None => format!("clawhub:{}", self.name),
        }
    }
}

/// Fetches the trees of versions; those that were downloaded in this run already are not requested again.
fn fetch_trees(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    wanted: &[HubVersion<'_>],
) -> Vec<Result<Tree, FetchError>> {
    let urls: Vec<String> = wanted
        .iter()
        .map(|wanted| {
            let slug = present_slug(sources, hub, wanted.name);
            download_url(hub, &slug, wanted.version)
        })
        .collect();

    // The lock is kept while fetching, so that nothing is fetched twice.
    let mut trees = sources
        .hub_trees
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // Two packages of one version, under two names, share its download.
    let mut missing: Vec<(&HubVersion<'_>, &String)> = Vec::new();
    for (wanted, url) in wanted.iter().zip(&urls) {
        if !trees.contains_key(url) && missing.iter().all(|(_, other)| *other != url) {
            missing.push((wanted, url));
        }
    }

    // Not remembered, so that a later attempt is made.
    let mut failed: BTreeMap<&String, FetchError> = BTreeMap::new();
    for some in missing.chunks(DOWNLOADS_TOGETHER) {
        for ((_, url), tree) in some.iter().zip(download_trees(sources, hub, some)) {
            match tree {
                Ok(tree) => drop(trees.insert((*url).clone(), tree)),
                Err(error) => drop(failed.insert(url, error)),
            }
        }
    }

    let tree = |url: &String| match trees.get(url) {
        Some(tree) => Ok(tree.clone()),
        None => Err(failed[url].clone()),
    };
    urls.iter().map(tree).collect()
}

/// Downloads and unpacks versions, each from its URL, all at once.
fn download_trees(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    wanted: &[(&HubVersion<'_>, &String)],
) -> Vec<Result<Tree, FetchError>> {
    for (version, _) in wanted {
        sources.reporter.report(ProgressEvent::Fetching {
            what: version.spec(),
        });
    }

    let requests: Result<Vec<HttpRequest>> = wanted
        .iter()
        .map(|(_, url)| api_request(sources, hub, (*url).clone(), ARCHIVE_MAX))
        .collect();
    let requests = match requests {
        Ok(requests) => requests,
        // One error for each version.
        Err(error) => return wanted.iter().map(|_| Err(error.clone().into())).collect(),
    };
    let answers = sources.tools.http.get_all(&requests, sources.reporter);
    let downloaded = wanted.iter().zip(answers);
    downloaded
        .map(|((version, _), answer)| {
            let bytes = downloaded_bytes(version, answer)?;
            Ok(read_download(sources, hub, version, &bytes)?)
        })
        .collect()
}

/// The bytes of a download, or why there are none.
fn downloaded_bytes(
    wanted: &HubVersion<'_>,
    answer: Result<HttpOutcome>,
) -> Result<Vec<u8>, FetchError> {
    match ApiAnswer::from_outcome(answer?)? {
        ApiAnswer::Content(bytes) => Ok(bytes),
        // The solver may choose another version.
        ApiAnswer::Refused(404 | 410, _) => Err(FetchError::Unavailable(
            "was deleted from ClawHub".to_owned(),
        )),
        ApiAnswer::Refused(status, reason) => Err(FetchError::Failed(refusal_error(
            &format!("`{}`", wanted.spec()),
            status,
            &reason,
        ))),
    }
}

/// The tree of a download: a zip, or a pointer to a repository.
fn read_download(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    wanted: &HubVersion<'_>,
    bytes: &[u8],
) -> Result<Tree> {
    // A zip begins with `PK`.
    if bytes.trim_ascii_start().starts_with(b"{") {
        return fetch_from_github(sources, hub, wanted, bytes);
    }

    let place = wanted.spec();
    let tree = archive::unpack(bytes, archive::ArchiveFormat::Zip)
        .and_then(|tree| strip_meta(wanted, tree))
        .and_then(archive::strip_top)
        .map_err(|error| error.wrap(format!("failed to unpack `{place}`")))?;
    sources.budget.charge(tree.0)
}

/// Removes the server's own file from a tree, and checks that it names the requested version.
fn strip_meta(wanted: &HubVersion<'_>, tree: Tree) -> Result<Tree> {
    let Some(named) = tree.get(META_FILE).and_then(answers::meta_version) else {
        return Ok(tree);
    };

    if wanted
        .version
        .is_some_and(|version| version.to_string() != named)
    {
        return Err(Error::integrity(format!(
            "it is another version: `{META_FILE}` names `{}`",
            named.escape_debug()
        )));
    }

    let mut skill = Tree::builder();
    for (path, file) in tree.into_files() {
        if path.as_str() != META_FILE {
            skill.add(path.as_str(), file.bytes, file.executable)?;
        }
    }
    Ok(skill.finish())
}

/// Fetches a skill that the server does not have itself: a directory of a repository at a commit.
fn fetch_from_github(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    wanted: &HubVersion<'_>,
    bytes: &[u8],
) -> Result<Tree> {
    let place = wanted.spec();
    let failed = |error: Error| error.wrap(format!("failed to fetch `{place}`"));

    let pointer = GitHubPointer::parse(bytes).map_err(|why| failed(Error::integrity(why)))?;
    check_archive_origin(sources, hub, &pointer.archive_url).map_err(failed)?;

    let request = HttpRequest {
        // The server chose this address, and must not reach into the local network.
        named_by: Some(hub.as_str().to_owned()),
        ..HttpRequest::new(pointer.archive_url.clone(), ARCHIVE_MAX)
    };
    let got = sources.tools.http.get_one(&request, sources.reporter)?;

    let unpack = || {
        let kind = archive::ArchiveFormat::detect(&pointer.archive_url, &got.bytes)?;
        let (tree, _) = archive::strip_top(archive::unpack(&got.bytes, kind)?)?;
        select_directory(tree, pointer.path.as_deref())
    };
    sources.budget.charge(unpack().map_err(failed)?)
}

/// Refuses an archive that is neither on GitHub nor on the server itself, unless the user allows its origin.
fn check_archive_origin(sources: &PackageSources<'_>, hub: &SiteUrl, text: &str) -> Result<()> {
    let origin = Url::parse(text)
        .map_err(|cause| Error::integrity(format!("invalid `archiveUrl`: {cause}")))?
        .origin()
        .ascii_serialization();

    let allowed = &sources.tools.allow_origins;
    let may_reach = origin == hub.origin()
        || GITHUB_ORIGINS.contains(&origin.as_str())
        || allowed
            .iter()
            .any(|other| super::well_known::matches_origin(other, &origin));
    if may_reach {
        return Ok(());
    }
    Err(Error::integrity(format!(
        "its archive is at `{origin}`, which is neither GitHub nor ClawHub"
    ))
    .help(format!(
        "if you trust it: `skillpm config set well-known.allow-origins {origin}`"
    )))
}

/// The files in a directory of a tree, as a tree.
fn select_directory(tree: Tree, directory: Option<&str>) -> Result<Tree> {
    let directory = directory.unwrap_or_default().trim_matches('/');
    if directory.is_empty() || directory == "." {
        return Ok(tree);
    }

    let prefix = format!("{directory}/");
    let mut selected = Tree::builder();
    for (path, file) in tree.into_files() {
        if let Some(inside) = path.as_str().strip_prefix(&prefix) {
            selected.add(inside, file.bytes, file.executable)?;
        }
    }
    Ok(selected.finish())
}

/// Reads the package in a tree, under the name and the version that were asked for.
fn describe(
    sources: &PackageSources<'_>,
    version: &HubVersion<'_>,
    wanted: &PackageSummary,
    tree: Tree,
) -> Result<FetchedPackage> {
    let place = version.spec();
    let around = DescribeContext {
        place: &place,
        directory: wanted.name.skill().as_str(),
        registries: sources.registries,
        sibling: &|_| None,
        relative: &|path| {
            Err(Error::integrity(format!(
                "invalid dependency `{path}` of `{place}`: it is outside the package"
            )))
        },
        shared: &|| Ok(None),
    };

    let described = describe_package(&tree, &around)?;
    let summary = PackageSummary {
        // The server's version counts: what the files say is often that of another release.
        dependencies: Some(described.dependencies),
        ..wanted.clone()
    };

    Ok(FetchedPackage {
        summary,
        // Not the zip's digest: the server packs it again for each download.
        origin: PackageOrigin::default(),
        tree,
        skill: Some(described.skill),
        diagnostics: described.diagnostics,
    })
}

/// The answer to a call of the API.
enum ApiAnswer {
    Content(Vec<u8>),
    /// A status of 4xx, and its reason.
    Refused(u16, String),
}

impl ApiAnswer {
    fn from_outcome(outcome: HttpOutcome) -> Result<ApiAnswer> {
        match outcome {
            HttpOutcome::Fresh(got) => Ok(ApiAnswer::Content(got.bytes)),
            HttpOutcome::Refused(status, reason) => Ok(ApiAnswer::Refused(status, reason)),
            HttpOutcome::Missing(status) => Ok(ApiAnswer::Refused(status, String::new())),
            HttpOutcome::NotModified => {
                Err(Error::internal("a plain request got a conditional answer"))
            }
        }
    }
}

fn call_api(sources: &PackageSources<'_>, hub: &SiteUrl, url: String) -> Result<ApiAnswer> {
    let request = api_request(sources, hub, url, ANSWER_MAX)?;
    let answer = sources
        .tools
        .http
        .get_all(std::slice::from_ref(&request), sources.reporter)
        .remove(0)?;
    ApiAnswer::from_outcome(answer)
}

fn api_request(
    sources: &PackageSources<'_>,
    hub: &SiteUrl,
    url: String,
    limit: u64,
) -> Result<HttpRequest> {
    Ok(HttpRequest {
        is_api_call: true,
        authorization: (sources.tools.tokens)(&hub_token_url(hub))?,
        ..HttpRequest::new(url, limit)
    })
}

/// What the token of a server is stored under: a URL as that of an index.
#[must_use]
pub fn hub_token_url(hub: &SiteUrl) -> String {
    format!("sparse+{}/", hub.as_str().trim_end_matches('/'))
}

/// The slug that a skill has now, as far as it was looked up in this run; the server knows the former one as well.
fn present_slug(sources: &PackageSources<'_>, hub: &SiteUrl, name: &PackageName) -> SkillName {
    let known = sources
        .hub_skills
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let found = known.get(&(hub.clone(), name.clone()));
    found.map_or_else(|| name.skill().clone(), |found| found.name.skill().clone())
}

fn download_url(hub: &SiteUrl, slug: &SkillName, version: Option<&Version>) -> String {
    let version = version.map(Version::to_string);
    let mut query = vec![("slug", slug.as_str())];
    query.extend(version.as_deref().map(|version| ("version", version)));
    api_url(hub, &["download"], &query)
}

/// The URL of a call; its parts are escaped.
fn api_url(hub: &SiteUrl, path: &[&str], query: &[(&str, &str)]) -> String {
    let mut url = Url::parse(hub.as_str()).expect("it was parsed on construction");
    url.path_segments_mut()
        .expect("a site's URL has a path")
        .pop_if_empty()
        .extend(["api", "v1"].iter().chain(path));
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url.into()
}

fn unknown_skill_error(hub: &SiteUrl, name: &PackageName) -> Error {
    Error::negative(format!("skill `{name}` not found in ClawHub `{hub}`")).help(format!(
        "write `clawhub:owner/slug`; for the repository on GitHub write `gh:{name}`"
    ))
}

/// The error for a status that neither means "not found" nor is retried.
fn refusal_error(what: &str, status: u16, reason: &str) -> Error {
    let error = match status {
        401 => Error::network(format!(
            "failed to fetch {what}: the server requires authentication, or rejected the token"
        ))
        .help("run `skillpm login --registry clawhub` to store a token for `clawhub.url`"),
        403 => Error::integrity(format!("refusing {what}: ClawHub blocks it")),
        410 => Error::negative(format!("{what} was deleted from ClawHub")),
        _ => Error::network(format!(
            "failed to fetch {what}: ClawHub responded with HTTP status {status}"
        )),
    };
    if reason.is_empty() {
        error
    } else {
        error.cause(reason)
    }
}

fn invalid_answer_error(hub: &SiteUrl, name: &PackageName, why: &str) -> Error {
    Error::integrity(format!(
        "invalid answer of ClawHub `{hub}` for skill `{name}`"
    ))
    .cause(why)
    .help("if this is another server, check the setting `clawhub.url`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_call_are_escaped() {
        let hub: SiteUrl = "https://hub.acme.dev/base".parse().unwrap();
        assert_eq!(
            api_url(&hub, &["skills", "pdf", "versions"], &[("cursor", "a&b=/")]),
            "https://hub.acme.dev/base/api/v1/skills/pdf/versions?cursor=a%26b%3D%2F"
        );

        let version: Version = "1.0.0+b.2".parse().unwrap();
        assert_eq!(
            download_url(
                &"https://clawhub.ai".parse().unwrap(),
                &"pdf".parse().unwrap(),
                Some(&version)
            ),
            "https://clawhub.ai/api/v1/download?slug=pdf&version=1.0.0%2Bb.2"
        );
    }

    #[test]
    fn only_the_named_directory_is_taken() {
        let mut all = Tree::builder();
        for path in ["skills/pdf/SKILL.md", "skills/pdf-x/SKILL.md", "README.md"] {
            all.add(path, b"x".to_vec(), false).unwrap();
        }
        let all = all.finish();
        let paths = |directory: Option<&str>| {
            let tree = select_directory(all.clone(), directory).unwrap();
            let paths: Vec<String> = tree.files().map(|(path, _)| path.to_string()).collect();
            paths
        };
        assert_eq!(paths(Some("skills/pdf/")), ["SKILL.md"]);
        assert_eq!(paths(None).len(), 3);
        assert!(paths(Some("../skills")).is_empty());
    }
}

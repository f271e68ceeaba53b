//! Packages out of a web site's list of skills: `/.well-known/agent-skills/index.json`, else `/.well-known/skills/…`.
//!
//! What the list looks like, and what of it is read, is said in `index.rs`. A file's digest is held against the list
//! before the first byte of it is parsed. Where a list tells no digests (discovery 0.1), what came is pinned by the
//! lockfile alone, by the checksum of the whole; that is said once.
//!
//! A copy of each list is kept in `$SKILLPM_HOME/index/well-known/`, so that asking again costs one answer without a
//! body. One line of JSON with the URL, the server's validators and a digest of the rest, then the list as it came:
//!
//! ```text
//! {"url":"https://acme.dev/.well-known/agent-skills/index.json","at":"https://…","etag":"\"5f1\"","sha256":"…"}
//! {"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[…]}
//! ```

mod index;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use url::Url;

use super::describe::{Surroundings, describe};
use super::{Fetched, Look, Offer, Origin, Sources};
use crate::error::{Error, Result, nearest};
use crate::io::archive::ARCHIVE_MAX;
use crate::io::http::{Outcome, Request};
use crate::io::{archive, disk};
use crate::lockfile::Locked;
use crate::package::{Checksum, Dependency, Limits, Sha256, SiteUrl, SkillName, SourceId, Summary, Tree, TreeBuilder};
use crate::report::Event;
use index::{Content, Entry, Form, Listing};

/// Largest list that is taken in, in bytes: some 20,000 skills with long descriptions.
const INDEX_MAX: u64 = 8 << 20;

/// Most bytes that files which are asked for together may come to.
const WAVE_MAX: u64 = 160 << 20;

/// A site whose list was read.
pub(super) struct Site {
    url: SiteUrl,
    listing: Listing,
    brought: Mutex<BTreeMap<SkillName, Brought>>,
    told_unpinned: AtomicBool,
}

/// A skill as the site serves it.
#[derive(Clone)]
struct Brought {
    tree: Tree,
    /// The digest that the list gives of it.
    digest: Option<Sha256>,
}

/// What the site lists, by name and description.
pub(super) fn listed(sources: &Sources<'_>, url: &SiteUrl) -> Result<Vec<(SkillName, String)>> {
    let site = open(sources, url)?;
    if site.listing.entries.is_empty() {
        return Err(Error::negative(format!("`{url}` lists no skill")));
    }
    Ok(site.listing.entries.iter().map(|entry| (entry.name.clone(), entry.description.clone())).collect())
}

/// The one package that each of them is.
pub(super) fn offers(sources: &Sources<'_>, url: &SiteUrl, needed: &[&Dependency]) -> Vec<Result<Vec<Offer>>> {
    let wanted: Vec<Summary> = needed.iter().map(|needed| Summary::unread(needed)).collect();
    let fetched = fetch(sources, url, &wanted.iter().collect::<Vec<_>>()).into_iter();
    fetched.map(|fetched| fetched.map(|fetched| vec![Offer::Fetched(Box::new(fetched))])).collect()
}

/// The packages, brought and read.
pub(super) fn fetch(sources: &Sources<'_>, url: &SiteUrl, wanted: &[&Summary]) -> Vec<Result<Fetched>> {
    let names: Vec<&SkillName> = wanted.iter().map(|wanted| wanted.name.skill()).collect();
    on_site(sources, url, &names, |site| {
        site.tell_what_is_not_pinned(sources, &names);
        let brought = site.bring(sources, &names).into_iter().zip(wanted);
        brought.map(|(brought, wanted)| site.describe(sources, brought?, wanted)).collect()
    })
}

/// The trees as a lockfile has them.
pub(super) fn restore(sources: &Sources<'_>, url: &SiteUrl, packages: &[&&Locked]) -> Vec<Result<Tree>> {
    on_site(sources, url, packages, |site| {
        let unchanged: Vec<Result<&SkillName>> = packages.iter().map(|package| site.is_unchanged(package)).collect();
        let names: Vec<&SkillName> = unchanged.iter().filter_map(|name| name.as_ref().ok().copied()).collect();
        let mut brought = site.bring(sources, &names).into_iter();
        let tree = |name: Result<&SkillName>| {
            name?;
            Ok(brought.next().expect("there is one for each name")?.tree)
        };
        unchanged.into_iter().map(tree).collect()
    })
}

/// What the site has now: the digests of its list, or where it gives none, what its files come to.
pub(super) fn look(sources: &Sources<'_>, url: &SiteUrl, needed: &[&Dependency]) -> Vec<Result<Look>> {
    on_site(sources, url, needed, |site| {
        let look = |needed: &&Dependency| {
            let name = needed.package.skill();
            let content = match site.content(name)? {
                Content::Whole { digest, .. } => super::Content::Archive(*digest),
                Content::Loose(_) => {
                    let brought = site.bring(sources, &[name]).remove(0)?;
                    super::Content::Tree(Checksum::of(&brought.tree))
                }
            };
            Ok(Look { content: Some(content), ..Look::default() })
        };
        needed.iter().map(look).collect()
    })
}

/// Works on a site; if its list cannot be had, everything asked of it fails for that reason.
fn on_site<T, R>(
    sources: &Sources<'_>,
    url: &SiteUrl,
    group: &[T],
    work: impl FnOnce(&Site) -> Vec<Result<R>>,
) -> Vec<Result<R>> {
    match open(sources, url) {
        Ok(site) => work(&site),
        Err(error) => group.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// The site, asked once.
fn open(sources: &Sources<'_>, url: &SiteUrl) -> Result<Arc<Site>> {
    let mut sites = sources.sites.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(site) = sites.get(url) {
        return Ok(site.clone());
    }
    let listing = listing(sources, url)?;
    for skipped in &listing.skipped {
        sources.reporter.report(Event::warning(format!("passed over in the list of `{url}`: {skipped}")));
    }
    let site = Site { url: url.clone(), listing, brought: Mutex::default(), told_unpinned: AtomicBool::new(false) };
    let site = Arc::new(site);
    sites.insert(url.clone(), site.clone());
    Ok(site)
}

/// The list, from the first place that has one.
fn listing(sources: &Sources<'_>, url: &SiteUrl) -> Result<Listing> {
    let mut tried = Vec::new();
    for place in url.indexes() {
        let Some(found) = ask(sources, &place)? else {
            tried.push(format!("there is nothing at `{place}`"));
            continue;
        };
        // Many sites answer every address with their front page.
        if found.body.trim_ascii_start().starts_with(b"<") {
            tried.push(format!("there is a web page at `{place}`"));
            continue;
        }
        let at =
            Url::parse(&found.head.at).map_err(|cause| Error::internal(format!("an answer from nowhere: {cause}")))?;
        let allowed = [url.origin(), at.origin().ascii_serialization()];
        let may_reach = |url: &Url| {
            let origin = url.origin().ascii_serialization();
            allowed.contains(&origin) || sources.tools.allow_origins.iter().any(|other| is_origin(other, &origin))
        };
        let listing = index::parse(&found.body, &at, &may_reach).map_err(|error| {
            error.wrap(format!("the skills of `{url}` cannot be read")).note(format!("from `{place}`"))
        })?;
        found.keep(&sources.tools.index_cache)?;
        return Ok(listing);
    }
    let error = tried.into_iter().fold(Error::network(format!("`{url}` offers no skills")), Error::note);
    Err(error.help("a repository is written `gh:owner/repo` or with its whole path; an archive by its URL"))
}

/// Whether an allowed origin, perhaps written as a host alone, is this one.
fn is_origin(allowed: &str, origin: &str) -> bool {
    let allowed = allowed.trim_end_matches('/').to_ascii_lowercase();
    if allowed.contains("://") { allowed == origin } else { origin.strip_prefix("https://") == Some(&*allowed) }
}

/// A list and where it is from.
struct Kept {
    head: Head,
    body: Vec<u8>,
}

/// The first line of a copy.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Head {
    /// What was asked for.
    url: String,
    /// Where it was in the end.
    at: String,
    etag: Option<String>,
    last_modified: Option<String>,
    /// Of the list.
    sha256: String,
}

impl Kept {
    fn file(cache: &std::path::Path, url: &str) -> PathBuf {
        cache.join("well-known").join(&Sha256::of(url.as_bytes()).to_string()[..32])
    }

    /// The copy; none if there is none that can be trusted.
    fn read(cache: &std::path::Path, url: &str) -> Result<Option<Kept>> {
        let Some(bytes) = disk::read(&Self::file(cache, url))? else { return Ok(None) };
        let Some(end) = memchr::memchr(b'\n', &bytes) else { return Ok(None) };
        let Ok(head) = serde_json::from_slice::<Head>(&bytes[..end]) else { return Ok(None) };
        let body = bytes[end + 1..].to_vec();
        let is_whole = head.url == url && head.sha256 == Sha256::of(&body).to_string();
        Ok(is_whole.then_some(Kept { head, body }))
    }

    fn keep(&self, cache: &std::path::Path) -> Result<()> {
        let mut bytes = serde_json::to_vec(&self.head).expect("texts are JSON");
        bytes.push(b'\n');
        bytes.extend_from_slice(&self.body);
        let file = Self::file(cache, &self.head.url);
        if disk::read(&file)?.as_deref() == Some(&bytes) { Ok(()) } else { disk::write_atomic(&file, &bytes) }
    }
}

/// The list at a URL as it is now; offline, as it was last.
fn ask(sources: &Sources<'_>, url: &str) -> Result<Option<Kept>> {
    let tools = sources.tools;
    let kept = Kept::read(&tools.index_cache, url)?;
    if tools.offline && kept.is_some() {
        return Ok(kept);
    }
    let (etag, last_modified) =
        kept.as_ref().map(|kept| (kept.head.etag.clone(), kept.head.last_modified.clone())).unwrap_or_default();
    let request = Request { etag, last_modified, ..Request::new(url, INDEX_MAX) };
    match tools.http.get_all(std::slice::from_ref(&request), sources.reporter).remove(0)? {
        Outcome::Missing(_) => Ok(None),
        Outcome::NotModified => Ok(kept),
        Outcome::Fresh(got) => {
            let head = Head {
                url: url.to_owned(),
                at: without_query(&got.final_url),
                etag: got.etag,
                last_modified: got.last_modified,
                sha256: Sha256::of(&got.bytes).to_string(),
            };
            Ok(Some(Kept { head, body: got.bytes }))
        }
    }
}

/// The URL without its query, which may be a secret for one download.
fn without_query(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().to_owned()
}

impl Site {
    fn entry(&self, name: &SkillName) -> Result<&Entry> {
        let mut entries = self.listing.entries.iter().filter(|entry| entry.name == *name);
        let entry = entries.next().ok_or_else(|| {
            let error = Error::negative(format!("`{}` lists no skill `{name}`", self.url));
            match nearest(name.as_str(), self.listing.entries.iter().map(|entry| entry.name.as_str())) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("`skillpm add {}` shows what it has", self.url.spelled())),
            }
        })?;
        match entries.next() {
            None => Ok(entry),
            Some(_) => Err(Error::integrity(format!("`{}` lists `{name}` twice", self.url))
                .help("tell the site's owners; which of the two is meant cannot be told")),
        }
    }

    fn content(&self, name: &SkillName) -> Result<&Content> {
        let content = self.entry(name)?.content.as_ref();
        content.map_err(|error| error.clone().note(format!("it is in the list of `{}`", self.url)))
    }

    /// The name of a locked package, if the list still has it as it was.
    fn is_unchanged<'p>(&self, package: &'p Locked) -> Result<&'p SkillName> {
        let name = package.name.skill();
        if let (Content::Whole { digest, .. }, Some(locked)) = (self.content(name)?, &package.archive)
            && digest != locked
        {
            return Err(Error::integrity(format!("`{name}` of `{}` is not what was locked", self.url))
                .note(format!("locked  sha256:{locked}"))
                .note(format!("found   sha256:{digest}"))
                .help(format!(
                    "nothing was installed; if its owner meant this, run `skillpm update {}`",
                    package.install_name()
                )));
        }
        Ok(name)
    }

    /// Says once of a site which gives no digests that the lockfile is all that holds it to what it served.
    fn tell_what_is_not_pinned(&self, sources: &Sources<'_>, names: &[&SkillName]) {
        let is_pinned = |content: &Content| match content {
            Content::Whole { .. } => true,
            Content::Loose(files) => files.iter().all(|file| file.digest.is_some()),
        };
        let all_pinned = names.iter().filter_map(|name| self.content(name).ok()).all(is_pinned);
        if !all_pinned && !self.told_unpinned.swap(true, Ordering::Relaxed) {
            sources.reporter.report(Event::Warning {
                message: format!(
                    "`{}` tells no digests, so what it serves now cannot be held against its list",
                    self.url
                ),
                help: Some("`skillpm.lock` holds it to this from now on; discovery 0.2 has digests".into()),
            });
        }
    }

    /// Brings skills, all of them together; what was brought in this run already is not asked for again.
    fn bring(&self, sources: &Sources<'_>, names: &[&SkillName]) -> Vec<Result<Brought>> {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<&SkillName> = names.iter().copied().filter(|name| !brought.contains_key(*name)).collect();
        missing.sort();
        missing.dedup();
        let contents: Vec<Result<&Content>> = missing.iter().map(|name| self.content(name)).collect();
        let mut failed = BTreeMap::new();
        for (name, _) in missing.iter().zip(&contents).filter(|(_, content)| content.is_ok()) {
            sources.reporter.report(Event::Fetching { what: format!("{name} from {}", self.url) });
        }
        for (name, result) in missing.iter().zip(download(sources, contents)) {
            match result {
                Ok(skill) => drop(brought.insert((*name).clone(), skill)),
                Err(error) => drop(failed.insert(*name, error)),
            }
        }
        let result = |name: &&SkillName| match brought.get(*name) {
            Some(skill) => Ok(skill.clone()),
            None => Err(failed[*name].clone()),
        };
        names.iter().map(result).collect()
    }

    /// Reads what a skill says of itself, which must be that it is the one that was listed.
    fn describe(&self, sources: &Sources<'_>, brought: Brought, wanted: &Summary) -> Result<Fetched> {
        let name = wanted.name.skill();
        let is_listed = |name: &SkillName| self.listing.entries.iter().any(|entry| entry.name == *name);
        let around = Surroundings {
            place: name.as_str(),
            directory: name.as_str(),
            registries: sources.registries,
            sibling: &|name| is_listed(name).then(|| (SourceId::WellKnown(self.url.clone()), None)),
            relative: &|path| Err(Error::integrity(format!("`{name}` needs `{path}`, which lies outside it"))),
            shared: &|| Ok(None),
        };
        let described =
            describe(&brought.tree, &around).map_err(|error| error.note(format!("it is from `{}`", self.url)))?;
        if described.skill.name != name.as_str() {
            let found: String = described.skill.name.chars().take(100).collect();
            return Err(Error::integrity(format!("`{}` serves another skill as `{name}`", self.url))
                .note(format!("its `SKILL.md` says `name: {}`", found.escape_debug()))
                .help("nothing was installed; tell the site's owners"));
        }
        let summary =
            Summary { version: described.version, dependencies: Some(described.dependencies), ..wanted.clone() };
        let origin = Origin { archive: brought.digest, ..Origin::default() };
        let (tree, skill) = (brought.tree, Some(described.skill));
        Ok(Fetched { summary, origin, tree, skill, diagnostics: described.diagnostics })
    }
}

/// A skill on its way.
enum Building {
    Loose(TreeBuilder),
    Whole(Brought),
}

/// One file to get: of which skill, and its place in it.
struct Part<'c> {
    of: usize,
    file: File<'c>,
    request: Request,
}

enum File<'c> {
    /// The whole skill.
    Whole(Form, &'c Sha256),
    /// One of its files.
    Loose(&'c str),
}

/// Brings the files of several skills, in waves.
fn download(sources: &Sources<'_>, contents: Vec<Result<&Content>>) -> Vec<Result<Brought>> {
    let mut skills: Vec<Result<Building>> = Vec::new();
    let mut parts: Vec<Part<'_>> = Vec::new();
    for content in contents {
        if let Ok(content) = &content {
            parts.extend(to_get(skills.len(), content));
        }
        skills.push(content.map(|_| Building::Loose(Tree::builder())));
    }
    let mut rest = parts.as_slice();
    while !rest.is_empty() {
        let (wave, later) = rest.split_at(wave(rest));
        rest = later;
        // What has failed already is not asked for any further.
        let wave: Vec<&Part<'_>> = wave.iter().filter(|part| skills[part.of].is_ok()).collect();
        let requests: Vec<Request> = wave.iter().map(|part| part.request.clone()).collect();
        for (part, answer) in wave.iter().zip(sources.tools.http.get_all(&requests, sources.reporter)) {
            if let Err(error) = bytes(part, answer).and_then(|bytes| take(&mut skills[part.of], part, bytes)) {
                skills[part.of] = Err(error);
            }
        }
    }
    skills
        .into_iter()
        .map(|skill| match skill? {
            Building::Loose(tree) => Ok(Brought { tree: tree.finish(), digest: None }),
            Building::Whole(brought) => Ok(brought),
        })
        .collect()
}

fn to_get(of: usize, content: &Content) -> Vec<Part<'_>> {
    let limits = Limits::default();
    let request = |url: &str, limit: u64, sha256: Option<Sha256>| Request { sha256, ..Request::new(url, limit) };
    match content {
        Content::Whole { form, url, digest } => {
            let limit = if *form == Form::Archive { ARCHIVE_MAX } else { limits.skill_md };
            vec![Part { of, file: File::Whole(*form, digest), request: request(url, limit, Some(*digest)) }]
        }
        Content::Loose(files) => files
            .iter()
            .map(|file| {
                let path = file.path.as_str();
                let limit = if path == "SKILL.md" { limits.skill_md } else { limits.file };
                Part { of, file: File::Loose(path), request: request(&file.url, limit, file.digest) }
            })
            .collect(),
    }
}

/// How many of the next files are asked for together.
fn wave(parts: &[Part<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |part: &&Part<'_>| {
        bytes += part.request.limit;
        bytes <= WAVE_MAX
    };
    parts.iter().take_while(fits).count().max(1)
}

fn bytes(part: &Part<'_>, answer: Result<Outcome>) -> Result<Vec<u8>> {
    match answer? {
        Outcome::Fresh(got) => Ok(got.bytes),
        Outcome::Missing(status) => {
            Err(Error::network(format!("there is nothing at `{}` (HTTP status {status})", part.request.url)))
        }
        Outcome::NotModified => Err(Error::internal("a plain request got a conditional answer")),
    }
}

fn take(skill: &mut Result<Building>, part: &Part<'_>, bytes: Vec<u8>) -> Result<()> {
    let Ok(building) = skill else { return Ok(()) };
    match (&part.file, building) {
        (File::Loose(path), Building::Loose(tree)) => tree.add(path, bytes, false),
        (File::Whole(form, digest), building) => {
            let tree = unpack(*form, &part.request.url, bytes)?;
            *building = Building::Whole(Brought { tree, digest: Some(**digest) });
            Ok(())
        }
        (File::Loose(_), Building::Whole(_)) => Err(Error::internal("a skill came whole and in parts")),
    }
}

fn unpack(form: Form, url: &str, bytes: Vec<u8>) -> Result<Tree> {
    if form == Form::SkillMd {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", bytes, false)?;
        return Ok(tree.finish());
    }
    let unpacked =
        archive::Kind::of(url, &bytes).and_then(|kind| archive::unpack(&bytes, kind)).and_then(archive::strip_top);
    unpacked.map(|(tree, _)| tree).map_err(|error| error.wrap(format!("`{url}` cannot be unpacked")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowed_host_alone_means_https() {
        assert!(is_origin("cdn.acme.dev", "https://cdn.acme.dev"));
        assert!(is_origin("http://127.0.0.1:80/", "http://127.0.0.1:80"));
        assert!(!is_origin("acme.dev", "https://cdn.acme.dev"));
        assert!(!is_origin("cdn.acme.dev", "http://cdn.acme.dev"));
    }

    #[test]
    fn a_copy_that_was_touched_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let url = "https://acme.dev/index.json";
        let body = b"{}\n{}".to_vec();
        let sha256 = Sha256::of(&body).to_string();
        let head = Head { url: url.into(), at: url.into(), etag: None, last_modified: None, sha256 };
        Kept { head, body: body.clone() }.keep(dir.path()).unwrap();
        assert_eq!(Kept::read(dir.path(), url).unwrap().unwrap().body, body);
        let file = Kept::file(dir.path(), url);
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() = b'x';
        std::fs::write(&file, bytes).unwrap();
        assert!(Kept::read(dir.path(), url).unwrap().is_none());
    }
}

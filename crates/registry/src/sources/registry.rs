//! Packages out of a registry: its index tells versions and needs, its archives bring the trees.
//!
//! A registry is known by the URL of its index, which is what manifests and lockfiles mean; where its files are read
//! from may be another place (a mirror). Whatever is asked of it is asked in waves: the files of many packages at once,
//! their archives at once.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use semver::Version;

use super::{Fetched, Look, Offer, Origin, Sources, expiry, git};
use crate::error::{Error, Kind, Result};
use crate::index::{Archive, Entry, EntryDependency, Index, Lookup};
use crate::io::git::CommitId;
use crate::io::http::{Outcome, Request};
use crate::io::{archive, parallel};
use crate::lockfile::Locked;
use crate::package::{Checksum, Dependency, GitUrl, IndexUrl, PackageName, RelPath, Sha256, SourceId, Summary, Tree};
use crate::provenance::{Key, Vouched};
use crate::report::Event;

/// What was looked up in this run, by index and name.
pub(super) type Lookups = BTreeMap<(String, PackageName), Arc<Lookup>>;

/// Every version of each package in the index.
pub(super) fn offers(sources: &Sources<'_>, url: &str, needed: &[&Dependency]) -> Vec<Result<Vec<Offer>>> {
    let names: Vec<&PackageName> = needed.iter().map(|needed| &needed.package).collect();
    if let Err(error) = sources.index(url).and_then(|index| expiry::hold(sources, &index)) {
        return needed.iter().map(|_| Err(error.clone())).collect();
    }
    let offer = |entry: &Entry| Ok(Offer::Summary(Box::new(summary(sources, url, entry)?)));
    lookups(sources, url, &names).into_iter().map(|lookup| lookup?.entries.iter().map(offer).collect()).collect()
}

/// The versions that are not yanked.
pub(super) fn look(sources: &Sources<'_>, url: &str, needed: &[&Dependency]) -> Vec<Result<Look>> {
    let names: Vec<&PackageName> = needed.iter().map(|needed| &needed.package).collect();
    if let Ok(index) = sources.index(url) {
        expiry::tell(sources, &index);
    }
    let look = |lookup: Result<Arc<Lookup>>| {
        let lookup = lookup?;
        let (yanked, entries): (Vec<&Entry>, Vec<&Entry>) =
            lookup.entries.iter().partition(|entry| entry.is_withdrawn());
        let yanked = yanked.into_iter().map(|entry| entry.vers.clone()).collect();
        let published = entries.iter().filter_map(|entry| Some((entry.vers.clone(), entry.published()?))).collect();
        let mut versions: Vec<Version> = entries.iter().map(|entry| entry.vers.clone()).collect();
        versions.sort();
        Ok(Look { versions, yanked, published: Some(published), ..Look::default() })
    };
    lookups(sources, url, &names).into_iter().map(look).collect()
}

/// What the index says of one version.
pub(super) fn described(sources: &Sources<'_>, url: &str, wanted: &Summary) -> Result<Option<(Checksum, Origin)>> {
    let entry = entries(sources, url, &[(&wanted.name, wanted.version.as_ref())]).remove(0)?;
    Ok(Some((entry.cksum, Origin { archive: entry.archive_digest(), ..Origin::default() })))
}

/// Brings versions.
pub(super) fn read(sources: &Sources<'_>, url: &str, wanted: &[&Summary]) -> Vec<Result<Fetched>> {
    let ids: Vec<_> = wanted.iter().map(|summary| (&summary.name, summary.version.as_ref())).collect();
    let entries = entries(sources, url, &ids);
    let trees = bring(sources, url, &entries);
    entries
        .into_iter()
        .zip(trees)
        .map(|(entry, tree)| {
            let (entry, tree) = (entry?, tree?);
            let origin = Origin { archive: entry.archive_digest(), ..Origin::default() };
            let summary = summary(sources, url, &entry)?;
            Ok(Fetched { summary, origin, tree, skill: None, diagnostics: Vec::new() })
        })
        .collect()
}

/// Brings versions as the lockfile has them.
pub(super) fn restore(sources: &Sources<'_>, url: &str, packages: &[&Locked]) -> Vec<Result<Tree>> {
    let ids: Vec<_> = packages.iter().map(|package| (&package.name, package.version.as_ref())).collect();
    let found = entries(sources, url, &ids);
    let entries: Vec<Result<Entry>> =
        packages.iter().zip(found).map(|(package, entry)| as_locked(sources, package, entry?)).collect();
    bring(sources, url, &entries)
}

/// The entry, if it is about what was locked.
fn as_locked(sources: &Sources<'_>, package: &Locked, entry: Entry) -> Result<Entry> {
    hold_to_lock(package, &entry)?;
    if entry.yanked {
        sources.reporter.report(super::yanked(package));
    }
    Ok(entry)
}

fn hold_to_lock(package: &Locked, entry: &Entry) -> Result<()> {
    if entry.cksum != package.upstream() {
        return Err(Error::integrity(format!("`{}` is not the package that was locked", package.reference()))
            .note(format!("locked   {}", package.upstream()))
            .note(format!("index    {}", entry.cksum))
            .help("a published version never changes; tell the registry's owners, and use another version meanwhile"));
    }
    Ok(())
}

/// Who vouches for the lines about versions.
pub(super) fn vouched(sources: &Sources<'_>, url: &str, asked: &[&super::Question<'_>]) -> Vec<Result<Vouched>> {
    let index = match sources.index(url) {
        Ok(index) => index,
        Err(error) => return asked.iter().map(|_| Err(error.clone())).collect(),
    };
    let ids: Vec<_> = asked.iter().map(|asked| (&asked.package.name, asked.package.version.as_ref())).collect();
    let held = |(entry, asked): (Result<Entry>, &&super::Question<'_>)| {
        let entry = entry?;
        hold_to_lock(asked.package, &entry)?;
        Ok(entry)
    };
    let held: Vec<Result<Entry>> = entries(sources, url, &ids).into_iter().zip(asked).map(held).collect();
    let lines = held.iter().zip(asked);
    let lines: Vec<(&Entry, &[Key])> =
        lines.filter_map(|(entry, asked)| Some((entry.as_ref().ok()?, asked.keys.as_slice()))).collect();
    let mut vouched = index.vouched(&lines).into_iter();
    held.iter()
        .map(|entry| match entry {
            Ok(_) => vouched.next().expect("each line was asked about"),
            Err(error) => Err(error.clone()),
        })
        .collect()
}

/// What the index says of a locked package, as it was asked in this run; `None` if nobody asked.
pub(super) fn told(sources: &Sources<'_>, url: &str, locked: &Locked) -> Option<Entry> {
    let known = sources.lookups.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&(url.to_owned(), locked.name.clone()))?.of(locked.version.as_ref()).cloned()
}

/// The lines about locked packages.
pub(super) fn lines(sources: &Sources<'_>, url: &str, packages: &[&Locked]) -> Vec<Result<Option<Entry>>> {
    let names: Vec<&PackageName> = packages.iter().map(|locked| &locked.name).collect();
    let found = lookups(sources, url, &names).into_iter().zip(packages);
    found.map(|(lookup, locked)| Ok(lookup?.of(locked.version.as_ref()).cloned())).collect()
}

/// Looks names up, those that were not looked up before in one wave. Each line that is passed over is told once.
fn lookups(sources: &Sources<'_>, url: &str, names: &[&PackageName]) -> Vec<Result<Arc<Lookup>>> {
    let index = match sources.index(url) {
        Ok(index) => index,
        Err(error) => return names.iter().map(|_| Err(error.clone())).collect(),
    };
    let key = |name: &PackageName| (url.to_owned(), name.clone());
    let known = || sources.lookups.lock().unwrap_or_else(PoisonError::into_inner);
    let mut unknown: Vec<PackageName> = {
        let known = known();
        names.iter().filter(|name| !known.contains_key(&key(name))).map(|name| (*name).clone()).collect()
    };
    unknown.sort();
    unknown.dedup();
    let mut failed: BTreeMap<PackageName, Error> = BTreeMap::new();
    for (name, lookup) in unknown.iter().zip(index.lookup_all(&unknown)) {
        match lookup {
            Ok(lookup) => {
                for skipped in &lookup.skipped {
                    sources.reporter.report(Event::warning(format!("passed over {skipped}")));
                }
                known().insert(key(name), Arc::new(lookup));
            }
            Err(error) => {
                failed.insert(name.clone(), error);
            }
        }
    }
    let known = known();
    let answer = |name: &&PackageName| match failed.get(name) {
        Some(error) => Err(error.clone()),
        None => Ok(known[&key(name)].clone()),
    };
    names.iter().map(answer).collect()
}

/// The lines about versions.
fn entries(sources: &Sources<'_>, url: &str, wanted: &[(&PackageName, Option<&Version>)]) -> Vec<Result<Entry>> {
    let names: Vec<&PackageName> = wanted.iter().map(|(name, _)| *name).collect();
    let found = lookups(sources, url, &names).into_iter().zip(wanted);
    found
        .map(|(lookup, (name, version))| {
            lookup?.of(*version).cloned().ok_or_else(|| {
                let version = version.map(ToString::to_string).unwrap_or_default();
                Error::negative(format!("index `{url}` has no `{name} {version}`"))
                    .help(format!("choose another version with `skillpm update {}`", name.skill()))
            })
        })
        .collect()
}

fn summary(sources: &Sources<'_>, url: &str, entry: &Entry) -> Result<Summary> {
    let needs = entry.deps.iter().map(|needed| {
        Ok(Dependency {
            alias: needed.name.skill().clone(),
            package: needed.name.clone(),
            source: SourceId::Registry(registry_of(sources, url, entry, needed)?),
            subdir: None,
            req: needed.req.clone(),
            dev: false,
            optional: false,
        })
    });
    Ok(Summary {
        name: entry.name.clone(),
        version: Some(entry.vers.clone()),
        source: SourceId::Registry(url.to_owned()),
        subdir: None,
        dependencies: Some(needs.collect::<Result<_>>()?),
        yanked: entry.is_withdrawn(),
        published: entry.published(),
    })
}

/// The registry that an entry says a need comes from: the same one, one that is configured here under that name, or one
/// by its URL, which must not be a place on this machine unless the entry is from here, too.
fn registry_of(sources: &Sources<'_>, url: &str, entry: &Entry, needed: &EntryDependency) -> Result<String> {
    let Some(named) = &needed.registry else { return Ok(url.to_owned()) };
    let asker = || format!("`{} {}` in index `{url}` needs `{}` from `{named}`", entry.name, entry.vers, needed.name);
    if !named.contains(':') {
        return (sources.registries)(Some(named)).map_err(|error| error.wrap(asker()));
    }
    let other: IndexUrl = named.parse().map_err(|error: Error| error.wrap(asker()))?;
    if other.as_str() == url || sources.tools.registries.contains(other.as_str()) {
        return Ok(other.into());
    }
    let own: IndexUrl = url.parse()?;
    if other.is_local() && !(own.is_local() && sources.read_from(url).parse::<IndexUrl>()?.is_local()) {
        return Err(Error::integrity(format!("{}, a place on this machine", asker()))
            .help("an index that is elsewhere may not name it; tell the registry's owners"));
    }
    let mut named_by = sources.named_by.lock().unwrap_or_else(PoisonError::into_inner);
    named_by.entry(other.to_string()).or_insert(own);
    Ok(other.into())
}

/// Brings the trees of versions: all archives at once, then from git what has none.
fn bring(sources: &Sources<'_>, url: &str, entries: &[Result<Entry>]) -> Vec<Result<Tree>> {
    let index = match sources.index(url) {
        Ok(index) => index,
        Err(error) => return entries.iter().map(|_| Err(error.clone())).collect(),
    };
    let wanted: Vec<&Entry> = entries.iter().flatten().collect();
    for entry in &wanted {
        sources.reporter.report(Event::Fetching { what: format!("{} {}", entry.name, entry.vers) });
    }
    let packed: Vec<(&Entry, Result<Option<Vec<u8>>>)> =
        wanted.iter().copied().zip(download(sources, &index, &wanted)).collect();
    let mut trees: Vec<Option<Result<Tree>>> = parallel(sources.tools.jobs, &packed, |(entry, bytes)| match bytes {
        Ok(Some(bytes)) => Some(unpack(entry, bytes)),
        Ok(None) => None,
        Err(error) => Some(Err(error.clone())),
    });
    let lacking: Vec<usize> = (0..wanted.len()).filter(|&at| trees[at].is_none()).collect();
    let unpacked: Vec<&Entry> = lacking.iter().map(|&at| wanted[at]).collect();
    for (at, tree) in lacking.into_iter().zip(from_git(sources, &index, &unpacked)) {
        trees[at] = Some(tree.and_then(|tree| checked(wanted[at], tree)));
    }
    let mut trees = trees.into_iter();
    let answer = |entry: &Result<Entry>| match entry {
        Ok(_) => trees.next().flatten().expect("every version was brought, or it was said why not"),
        Err(error) => Err(error.clone()),
    };
    entries.iter().map(answer).collect()
}

/// The archives of versions as they are, each held against its digest.
pub(super) fn archives(sources: &Sources<'_>, url: &str, entries: &[&Entry]) -> Vec<Result<Vec<u8>>> {
    let index = match sources.index(url) {
        Ok(index) => index,
        Err(error) => return entries.iter().map(|_| Err(error.clone())).collect(),
    };
    let held = |(entry, bytes): (&&Entry, Result<Option<Vec<u8>>>)| {
        let bytes = bytes?.ok_or_else(|| index.no_archive(entry))?;
        hold_to_digest(entry, &bytes).map(|()| bytes)
    };
    entries.iter().zip(download(sources, &index, entries)).map(held).collect()
}

/// The bytes of archives; `None` where there is none.
fn download(sources: &Sources<'_>, index: &Index<'_>, entries: &[&Entry]) -> Vec<Result<Option<Vec<u8>>>> {
    let places = index.archives(entries);
    let request = |(entry, place): (&&Entry, &Result<Option<Archive>>)| match place {
        Ok(Some(Archive::Url(url))) => {
            let digest = entry.archive_digest();
            Some(index.request(url).map(|request| Request { sha256: digest, ..request }))
        }
        _ => None,
    };
    let requests: Vec<Request> = match entries.iter().zip(&places).filter_map(request).collect() {
        Ok(requests) => requests,
        Err(error) => return entries.iter().map(|_| Err(Error::clone(&error))).collect(),
    };
    let mut answers = sources.tools.http.get_all(&requests, sources.reporter).into_iter();
    let taken = entries.iter().zip(places);
    taken
        .map(|(entry, place)| match place? {
            None => Ok(None),
            Some(Archive::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Archive::Url(_)) => downloaded(entry, answers.next().expect("every request has an answer")),
        })
        .collect()
}

fn downloaded(entry: &Entry, answer: Result<Outcome>) -> Result<Option<Vec<u8>>> {
    match answer {
        Ok(Outcome::Fresh(response)) => Ok(Some(response.bytes)),
        Ok(Outcome::Missing(_)) => Ok(None),
        Ok(Outcome::NotModified) => Err(Error::internal("a plain request got a conditional answer")),
        Err(error) if error.kind() == Kind::Integrity => Err(error.wrap(not_as_told(entry))),
        Err(error) => Err(error),
    }
}

fn not_as_told(entry: &Entry) -> String {
    format!("the archive of `{} {}` is not what the index says", entry.name, entry.vers)
}

fn unpack(entry: &Entry, bytes: &[u8]) -> Result<Tree> {
    // Before the first byte of it is parsed.
    hold_to_digest(entry, bytes).map_err(|error| {
        error.help("nothing was installed; try again, and tell the registry's owners if it stays so")
    })?;
    unpack_held(entry, bytes)
}

fn hold_to_digest(entry: &Entry, bytes: &[u8]) -> Result<()> {
    let found = Sha256::of(bytes);
    if entry.archive_digest() == Some(found) {
        return Ok(());
    }
    Err(Error::integrity(not_as_told(entry))
        .note(format!("index    {}", entry.archive.as_deref().unwrap_or("none")))
        .note(format!("archive  sha256:{found}")))
}

/// The files of a version, by its archive as [`archives`] gave it.
pub(super) fn unpack_held(entry: &Entry, bytes: &[u8]) -> Result<Tree> {
    let kind = archive::Kind::of("package.tar.gz", bytes)?;
    let (tree, _) = archive::strip_top(archive::unpack(bytes, kind)?)?;
    checked(entry, tree)
}

/// The tree, if it is what the index says.
fn checked(entry: &Entry, tree: Tree) -> Result<Tree> {
    let found = Checksum::of(&tree);
    if found == entry.cksum {
        return Ok(tree);
    }
    Err(Error::integrity(format!("the content of `{} {}` is not what the index says", entry.name, entry.vers))
        .note(format!("index    {}", entry.cksum))
        .note(format!("content  {found}"))
        .help("nothing was installed; tell the registry's owners"))
}

/// The trees of versions from the commits they were published from, a repository at a time.
fn from_git(sources: &Sources<'_>, index: &Index<'_>, entries: &[&Entry]) -> Vec<Result<Tree>> {
    let places: Vec<Result<(GitUrl, CommitId, String)>> = entries.iter().map(|entry| origin(index, entry)).collect();
    let mut trees: Vec<Option<Result<Tree>>> = places.iter().map(|_| None).collect();
    let mut by_repository: BTreeMap<&GitUrl, Vec<usize>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        match place {
            Ok((url, ..)) => by_repository.entry(url).or_default().push(at),
            Err(error) => trees[at] = Some(Err(error.clone())),
        }
    }
    for (url, members) in by_repository {
        let wanted: Vec<(CommitId, &str)> = members
            .iter()
            .filter_map(|&at| places[at].as_ref().ok())
            .map(|(_, commit, dir)| (*commit, &**dir))
            .collect();
        let brought = sources.in_repository(url, &wanted, |opened| git::trees_at(opened, &wanted));
        for (at, tree) in members.into_iter().zip(brought) {
            let entry = entries[at];
            trees[at] = Some(tree.map_err(|error| {
                error.wrap(format!("`{} {}` could not be taken from its commit", entry.name, entry.vers))
            }));
        }
    }
    trees.into_iter().map(|tree| tree.expect("each is in one repository, or cannot be")).collect()
}

/// The commit that an entry says it is from, if its index may send us there.
fn origin(index: &Index<'_>, entry: &Entry) -> Result<(GitUrl, CommitId, String)> {
    let src = entry.src.as_ref().ok_or_else(|| index.no_archive(entry))?;
    let from: IndexUrl = index.url().parse()?;
    let to: IndexUrl = format!("git+{}", src.git).parse()?;
    let is_allowed = match src.git.scheme() {
        "https" | "ssh" => !to.is_on_loopback() || from.is_local() || from.is_on_loopback(),
        "http" => from.is_local() || from.is_on_loopback(),
        _ => from.is_local(),
    };
    if !is_allowed {
        return Err(Error::integrity(format!(
            "index `{}` says that `{} {}` is in `{}`, where it may not send us",
            index.url(),
            entry.name,
            entry.vers,
            src.git
        ))
        .help("a package of an index elsewhere comes by https or ssh; tell the registry's owners"));
    }
    let commit = src.rev.parse()?;
    Ok((src.git.clone(), commit, src.path.as_ref().map_or_else(String::new, RelPath::to_string)))
}

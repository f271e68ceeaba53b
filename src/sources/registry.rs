//! Packages out of a registry: its index tells versions and needs, its archives bring the trees.

use semver::Version;

use super::{Fetched, Look, Offer, Origin, Sources};
use crate::error::{Error, Result};
use crate::index::{Archive, Entry, Index};
use crate::io::archive;
use crate::lockfile::Locked;
use crate::package::{Checksum, Dependency, PackageName, Sha256, SourceId, Summary, Tree};
use crate::report::Event;

/// Largest archive that is taken in, in bytes: well over what the largest allowed tree packs to.
pub(super) const ARCHIVE_MAX: u64 = 32 << 20;

/// Every version of the package in the index.
pub(super) fn offers(sources: &Sources<'_>, url: &str, needed: &Dependency) -> Result<Vec<Offer>> {
    let index = sources.index(url)?;
    let lookup = index.lookup(&needed.package)?;
    for skipped in lookup.skipped {
        sources.reporter.report(Event::warning(format!("passed over {skipped}")));
    }
    lookup
        .entries
        .iter()
        .map(|entry| summary(sources, &index, entry).map(|summary| Offer::Summary(Box::new(summary))))
        .collect()
}

/// The versions that are not yanked.
pub(super) fn look(sources: &Sources<'_>, url: &str, needed: &Dependency) -> Result<Look> {
    let entries = sources.index(url)?.lookup(&needed.package)?.entries;
    let (yanked, entries): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|entry| entry.yanked);
    let yanked = yanked.into_iter().map(|entry| entry.vers.clone()).collect();
    let published = entries.iter().filter_map(|entry| Some((entry.vers.clone(), entry.published()?))).collect();
    let mut versions: Vec<Version> = entries.iter().map(|entry| entry.vers.clone()).collect();
    versions.sort();
    Ok(Look { versions, commit: None, yanked, published: Some(published) })
}

fn summary(sources: &Sources<'_>, index: &Index<'_>, entry: &Entry) -> Result<Summary> {
    let needs = entry.deps.iter().map(|needed| {
        // A registry may name another only by its own name here, never by a place of its choosing.
        let source = match &needed.registry {
            Some(name) => SourceId::Registry((sources.registries)(Some(name))?),
            None => SourceId::Registry(index.url().to_owned()),
        };
        Ok(Dependency {
            alias: needed.name.skill().clone(),
            package: needed.name.clone(),
            source,
            subdir: None,
            req: needed.req.clone(),
            dev: false,
            optional: false,
        })
    });
    Ok(Summary {
        name: entry.name.clone(),
        version: Some(entry.vers.clone()),
        source: SourceId::Registry(index.url().to_owned()),
        subdir: None,
        dependencies: Some(needs.collect::<Result<_>>()?),
        yanked: entry.yanked,
        published: entry.published(),
    })
}

/// What the index says of one version.
pub(super) fn described(sources: &Sources<'_>, url: &str, wanted: &Summary) -> Result<Option<(Checksum, Origin)>> {
    let entry = entry(&*sources.index(url)?, &wanted.name, wanted.version.as_ref())?;
    let origin = Origin { archive: entry.archive_digest(), ..Origin::default() };
    Ok(Some((entry.cksum, origin)))
}

/// Brings one version.
pub(super) fn read(sources: &Sources<'_>, url: &str, wanted: &Summary) -> Result<Fetched> {
    let index = sources.index(url)?;
    let entry = entry(&index, &wanted.name, wanted.version.as_ref())?;
    let (tree, archive) = bring(sources, &index, &entry)?;
    let origin = Origin { archive: Some(archive), ..Origin::default() };
    Ok(Fetched { summary: summary(sources, &index, &entry)?, origin, tree, skill: None, diagnostics: Vec::new() })
}

/// Brings one version as the lockfile has it.
pub(super) fn restore(sources: &Sources<'_>, url: &str, package: &Locked) -> Result<Tree> {
    let index = sources.index(url)?;
    let entry = entry(&index, &package.name, package.version.as_ref())?;
    if entry.cksum != package.upstream() {
        return Err(Error::integrity(format!("`{}` is not the package that was locked", package.reference()))
            .note(format!("locked   {}", package.upstream()))
            .note(format!("index    {}", entry.cksum))
            .help("a published version never changes; tell the registry's owners, and use another version meanwhile"));
    }
    bring(sources, &index, &entry).map(|(tree, _)| tree)
}

fn entry(index: &Index<'_>, name: &PackageName, version: Option<&Version>) -> Result<Entry> {
    let found = index.lookup(name)?.entries.into_iter().find(|entry| Some(&entry.vers) == version);
    found.ok_or_else(|| {
        let version = version.map(ToString::to_string).unwrap_or_default();
        Error::negative(format!("index `{}` has no `{name} {version}`", index.url()))
            .help(format!("choose another version with `skillpm update {}`", name.skill()))
    })
}

fn bring(sources: &Sources<'_>, index: &Index<'_>, entry: &Entry) -> Result<(Tree, Sha256)> {
    sources.reporter.report(Event::Fetching { what: format!("{} {}", entry.name, entry.vers) });
    let bytes = match index.archive(entry)? {
        Archive::Bytes(bytes) => bytes,
        Archive::Url(url) => sources.tools.http.get(&url, ARCHIVE_MAX, sources.reporter)?.bytes,
    };
    let found = Sha256::of(&bytes);
    // Before the first byte of it is parsed.
    if entry.archive_digest() != Some(found) {
        return Err(Error::integrity(format!(
            "the archive of `{} {}` is not what the index says",
            entry.name, entry.vers
        ))
        .note(format!("index    {}", entry.archive.as_deref().unwrap_or("none")))
        .note(format!("archive  sha256:{found}"))
        .help("nothing was installed; try again, and tell the registry's owners if it stays so"));
    }
    let kind = archive::Kind::of("package.tar.gz", &bytes)?;
    let (tree, _) = archive::strip_top(archive::unpack(&bytes, kind)?)?;
    let checksum = Checksum::of(&tree);
    if checksum != entry.cksum {
        return Err(Error::integrity(format!(
            "the content of `{} {}` is not what the index says",
            entry.name, entry.vers
        ))
        .note(format!("index    {}", entry.cksum))
        .note(format!("content  {checksum}"))
        .help("nothing was installed; tell the registry's owners"));
    }
    Ok((tree, found))
}

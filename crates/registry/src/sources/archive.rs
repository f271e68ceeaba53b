//! Packages out of single archives, by path or by URL.

use std::sync::PoisonError;

use super::describe::{Surroundings, describe};
use super::{Fetched, Offer, Origin, Sources};
use crate::error::{Error, Result};
use crate::io::http::Request;
use crate::io::{archive, disk};
use crate::package::{Dependency, Sha256, Summary, Tree};
use crate::report::Event;

/// The one package that the archive is.
pub(super) fn offer(sources: &Sources<'_>, place: &str, needed: &Dependency) -> Result<Vec<Offer>> {
    fetch(sources, place, &Summary::unread(needed)).map(|fetched| vec![Offer::Fetched(Box::new(fetched))])
}

/// The package, read anew; `wanted` says under which name.
pub(super) fn fetch(sources: &Sources<'_>, place: &str, wanted: &Summary) -> Result<Fetched> {
    let bytes = bring(sources, place)?;
    let (tree, top) = unpack(place, &bytes)?;
    let around = Surroundings {
        place,
        directory: top.as_deref().unwrap_or(wanted.name.skill().as_str()),
        registries: sources.registries,
        sibling: &|_| None,
        relative: &|path| Err(Error::integrity(format!("`{place}` needs `{path}`, which lies outside the archive"))),
        shared: &|| Ok(None),
    };
    let described = describe(&tree, &around)?;
    let summary = Summary { version: described.version, dependencies: Some(described.dependencies), ..wanted.clone() };
    let origin = Origin { archive: Some(Sha256::of(&bytes)), ..Origin::default() };
    Ok(Fetched { summary, origin, tree, skill: Some(described.skill), diagnostics: described.diagnostics })
}

/// The archive's tree, if it is still the one that was locked.
pub(super) fn restore(sources: &Sources<'_>, place: &str, locked: Option<&Sha256>) -> Result<Tree> {
    let mut bytes = bring(sources, place)?;
    if locked.is_some_and(|locked| *locked != Sha256::of(&bytes)) && place.contains("://") {
        // What a cache on the way has may be damaged.
        let anew = Request { past_caches: true, ..Request::new(place, archive::ARCHIVE_MAX) };
        bytes = sources.tools.http.get_one(&anew, sources.reporter)?.bytes;
        let mut archives = sources.archives.lock().unwrap_or_else(PoisonError::into_inner);
        archives.insert(place.to_owned(), bytes.clone());
    }
    let found = Sha256::of(&bytes);
    if locked.is_some_and(|locked| *locked != found) {
        return Err(Error::integrity(format!("`{place}` is not the archive that was locked"))
            .note(format!("locked  sha256:{}", locked.expect("just compared")))
            .note(format!("found   sha256:{found}"))
            .help("nothing was installed; if it is meant to have changed, run `skillpm update`"));
    }
    unpack(place, &bytes).map(|(tree, _)| tree)
}

fn bring(sources: &Sources<'_>, place: &str) -> Result<Vec<u8>> {
    if place.contains("://") {
        let mut archives = sources.archives.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = archives.get(place) {
            return Ok(bytes.clone());
        }
        sources.reporter.report(Event::Fetching { what: place.to_owned() });
        let bytes = sources.tools.http.get(place, archive::ARCHIVE_MAX, sources.reporter)?.bytes;
        archives.insert(place.to_owned(), bytes.clone());
        return Ok(bytes);
    }
    disk::read_up_to(&sources.root.join(place), archive::ARCHIVE_MAX)?
        .ok_or_else(|| Error::negative(format!("there is no file `{place}`")))
}

fn unpack(place: &str, bytes: &[u8]) -> Result<(Tree, Option<String>)> {
    let unpacked =
        archive::Kind::of(place, bytes).and_then(|kind| archive::unpack(bytes, kind)).and_then(archive::strip_top);
    unpacked.map_err(|error| error.wrap(format!("`{place}` cannot be unpacked")))
}

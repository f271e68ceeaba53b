//! Packages from single archives, by path or by URL.

use std::sync::PoisonError;

use super::describe::{DescribeContext, describe_package};
use super::{AvailableVersion, FetchedPackage, PackageOrigin, PackageSources};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{PackageDependency, PackageSummary, Sha256Digest, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_io::http::HttpRequest;
use skillpm_io::{archive, disk};

/// Fetches the archive, which has one version.
pub(super) fn available_version(
    sources: &PackageSources<'_>,
    place: &str,
    needed: &PackageDependency,
) -> Result<Vec<AvailableVersion>> {
    fetch(sources, place, &PackageSummary::unread(needed))
        .map(|fetched| vec![AvailableVersion::Fetched(Box::new(fetched))])
}

/// Fetches and reads the package, under the name in `wanted`.
pub(super) fn fetch(
    sources: &PackageSources<'_>,
    place: &str,
    wanted: &PackageSummary,
) -> Result<FetchedPackage> {
    let bytes = download(sources, place)?;
    let (tree, top) = unpack(sources, place, &bytes)?;

    let around = DescribeContext {
        place,
        directory: top.as_deref().unwrap_or(wanted.name.skill().as_str()),
        registries: sources.registries,
        sibling: &|_| None,
        relative: &|path| {
            Err(Error::integrity(format!(
                "invalid dependency `{path}` of `{place}`: it is outside the archive"
            )))
        },
        shared: &|| Ok(None),
    };

    let described = describe_package(&tree, &around)?;
    let summary = PackageSummary {
        version: described.version,
        dependencies: Some(described.dependencies),
        ..wanted.clone()
    };
    let origin = PackageOrigin {
        archive: Some(Sha256Digest::hash_bytes(&bytes)),
        ..PackageOrigin::default()
    };

    Ok(FetchedPackage {
        summary,
        origin,
        tree,
        skill: Some(described.skill),
        diagnostics: described.diagnostics,
    })
}

/// Fetches the tree of a locked archive, which must have the locked digest.
pub(super) fn restore(
    sources: &PackageSources<'_>,
    place: &str,
    locked: Option<&Sha256Digest>,
) -> Result<Tree> {
    let mut bytes = download(sources, place)?;

    if locked.is_some_and(|locked| *locked != Sha256Digest::hash_bytes(&bytes)) && is_url(place) {
        // The response may be from a damaged cache of a proxy.
        let request = HttpRequest {
            bypass_caches: true,
            ..HttpRequest::new(place, archive::ARCHIVE_MAX)
        };
        bytes = sources
            .tools
            .http
            .get_one(&request, sources.reporter)?
            .bytes;

        let mut archives = sources
            .archives
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        archives.insert(place.to_owned(), bytes.clone());
    }

    let found = Sha256Digest::hash_bytes(&bytes);
    if locked.is_some_and(|locked| *locked != found) {
        return Err(Error::integrity(format!(
            "checksum mismatch for archive `{place}`: it is not the locked one"
        ))
        .note(format!("locked  sha256:{}", locked.expect("just compared")))
        .note(format!("found   sha256:{found}"))
        .help("nothing was installed; if the change is intended, run `skillpm update`"));
    }

    unpack(sources, place, &bytes).map(|(tree, _)| tree)
}

/// Whether an archive is downloaded.
pub(super) fn is_url(place: &str) -> bool {
    place.contains("://")
}

fn download(sources: &PackageSources<'_>, place: &str) -> Result<Vec<u8>> {
    if is_url(place) {
        // Locked during the download: two packages of one archive are one request.
        let mut archives = sources
            .archives
            .lock()
            .unwrap_or_else(PoisonError::into_inner);

        if let Some(bytes) = archives.get(place) {
            return Ok(bytes.clone());
        }

        sources.reporter.report(ProgressEvent::Fetching {
            what: place.to_owned(),
        });

        let bytes = sources
            .tools
            .http
            .get(place, archive::ARCHIVE_MAX, sources.reporter)?
            .bytes;
        // It stays in memory until the command ends.
        sources.budget.charge_bytes(bytes.len() as u64)?;
        archives.insert(place.to_owned(), bytes.clone());
        return Ok(bytes);
    }

    read_file(sources, place)
}

/// Reads an archive on this machine.
pub(super) fn read_file(sources: &PackageSources<'_>, place: &str) -> Result<Vec<u8>> {
    disk::read_up_to(&sources.root.join(place), archive::ARCHIVE_MAX)?
        .ok_or_else(|| Error::negative(format!("file `{place}` not found")))
}

fn unpack(
    sources: &PackageSources<'_>,
    place: &str,
    bytes: &[u8],
) -> Result<(Tree, Option<String>)> {
    let unpacked = archive::ArchiveFormat::detect(place, bytes)
        .and_then(|kind| archive::unpack(bytes, kind))
        .and_then(archive::strip_top);

    let (tree, top) =
        unpacked.map_err(|error| error.wrap(format!("failed to unpack `{place}`")))?;
    Ok((sources.budget.charge(tree)?, top))
}

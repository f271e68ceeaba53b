//! The file format of a bundle: one reproducible `.tar.gz`.
//!
//! ```text
//! packages/9f2c….tar.gz     each package's files, by the digest of their checksum
//! skillpm-bundle.json       {"v":1,"lock":"<sha256>","manifest":"<sha256>","packages":[{"name",…,"file","sha256"}]}
//! skillpm.lock
//! skillpm.toml
//! ```
//!
//! A bundle is untrusted input. So every file is checked against the digests in
//! `skillpm-bundle.json`, each package is unpacked with the limits of any archive and checked
//! against its checksum, and a file that is not listed is refused. Whether its packages are the
//! wanted ones is decided by the lockfile of a project.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use serde::{Deserialize, Serialize};

use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{self, LockedPackage, Lockfile};
use skillpm_core::manifest;
use skillpm_core::package::{Checksum, PackageName, Sha256Digest, Tree, TreeLimits};
use skillpm_io::archive::{self, ARCHIVE_MAX, ArchiveFormat};

/// The suffix of the default file name.
pub const FILE_SUFFIX: &str = ".skillpm-bundle.tar.gz";

/// The size of the largest bundle that is read, in bytes.
pub(super) const BUNDLE_MAX: u64 = 1 << 30;

const LISTING_FILE: &str = "skillpm-bundle.json";
const LISTING_VERSION: u32 = 1;
// Larger than the limits of one package: a bundle has many.
const BUNDLE_LIMITS: TreeLimits = TreeLimits {
    files: 10_000,
    total: BUNDLE_MAX,
    file: ARCHIVE_MAX,
    skill_md: 1 << 20,
};

/// A project's lockfile and manifest, with the packages that they need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BundleFile {
    pub lock_text: String,
    pub manifest_text: String,
    /// The packages with their files, by checksum.
    pub packages: BTreeMap<Checksum, (BundledPackage, Tree)>,
}

/// Name, version and source of a package in a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledPackage {
    /// Its name at its source.
    pub name: PackageName,
    /// Its version; `None` if the source has none.
    pub version: Option<Version>,
    /// Its source, as in a lockfile, with the commit.
    pub source: String,
}

impl BundledPackage {
    pub(super) fn from_locked(locked: &LockedPackage) -> BundledPackage {
        let commit = locked
            .commit
            .as_ref()
            .map(|commit| format!("#{commit}"))
            .unwrap_or_default();
        let source = format!("{}{commit}", locked.source);
        BundledPackage {
            name: locked.name.clone(),
            version: locked.version.clone(),
            source,
        }
    }

    /// Formats name and version: `acme/pdf 1.2.0`.
    #[must_use]
    pub fn reference(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => self.name.to_string(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct BundleListing {
    v: u32,
    lock: Sha256Digest,
    manifest: Sha256Digest,
    packages: Vec<BundleEntry>,
}

#[derive(Serialize, Deserialize)]
struct BundleEntry {
    name: PackageName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    source: String,
    checksum: Checksum,
    file: String,
    sha256: Sha256Digest,
}

/// The part of the listing that every version has.
#[derive(Deserialize)]
struct AnyListing {
    v: u32,
}

impl BundleFile {
    /// Serializes the bundle; the same content gives the same bytes on every machine.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut files = Tree::builder_within(BUNDLE_LIMITS);
        let mut packages = Vec::new();
        for (checksum, (package, tree)) in &self.packages {
            let (entry, packed) = pack_package(package, *checksum, tree)?;
            files.add(&entry.file, packed, false)?;
            packages.push(entry);
        }

        // Sorted, so that the same content gives the same bytes.
        packages.sort_by(|a, b| (&a.name, &a.source).cmp(&(&b.name, &b.source)));
        let lock = Sha256Digest::hash_bytes(self.lock_text.as_bytes());
        let manifest = Sha256Digest::hash_bytes(self.manifest_text.as_bytes());
        let list = BundleListing {
            v: LISTING_VERSION,
            lock,
            manifest,
            packages,
        };

        let mut list = serde_json::to_vec_pretty(&list).expect("names and digests serialize");
        // A text file ends with a newline, as people open it.
        list.push(b'\n');
        files.add(LISTING_FILE, list, false)?;
        files.add(lockfile::FILE, self.lock_text.clone().into_bytes(), false)?;
        files.add(
            manifest::FILE,
            self.manifest_text.clone().into_bytes(),
            false,
        )?;

        archive::pack_at_root(&files.finish())
    }

    /// Parses and checks an untrusted file; `name` is for messages.
    pub(super) fn from_bytes(name: &str, bytes: &[u8]) -> Result<BundleFile> {
        Self::read(name, bytes).map_err(|error| {
            if error.kind() == skillpm_core::error::FailureKind::Integrity {
                error.help("nothing was imported")
            } else {
                error
            }
        })
    }

    fn read(name: &str, bytes: &[u8]) -> Result<BundleFile> {
        let not_a_bundle = || {
            Error::usage(format!("unsupported file `{name}`: not a skillpm bundle")).help(
            "`skillpm bundle` creates a bundle; to add a skill's archive, run `skillpm add ./FILE`",
            )
        };

        // Another kind of file is a mistake in usage, not a damaged bundle.
        if ArchiveFormat::detect(name, bytes).ok() != Some(ArchiveFormat::TarGz) {
            return Err(not_a_bundle());
        }

        let files = archive::unpack_tar_within(bytes, BUNDLE_LIMITS)
            .map_err(|error| error.wrap(format!("failed to read bundle `{name}`")))?;
        let list = files.get(LISTING_FILE).ok_or_else(not_a_bundle)?;
        let list = parse_listing(name, list)?;

        let text = |file: &str, digest: &Sha256Digest| {
            let bytes = verified_file(name, &files, file, digest)?;
            String::from_utf8(bytes.to_vec())
                .map_err(|_| invalid_error(name, &format!("`{file}` is not UTF-8 text")))
        };
        let lock_text = text(lockfile::FILE, &list.lock)?;
        let manifest_text = text(manifest::FILE, &list.manifest)?;

        refuse_unlisted_files(name, &files, &list)?;

        let mut packages = BTreeMap::new();
        for entry in list.packages {
            let checksum = entry.checksum;
            packages.insert(checksum, read_package(name, &files, entry)?);
        }

        Ok(BundleFile {
            lock_text,
            manifest_text,
            packages,
        })
    }

    /// Parses the lockfile in the bundle.
    pub(super) fn lockfile(&self) -> Result<Lockfile> {
        Lockfile::parse(&self.lock_text, lockfile::FILE)
    }
}

/// A package's entry in the listing, with its packed bytes.
fn pack_package(
    package: &BundledPackage,
    checksum: Checksum,
    tree: &Tree,
) -> Result<(BundleEntry, Vec<u8>)> {
    let packed = archive::pack_at_root(tree).map_err(|error| {
        error.wrap(format!(
            "failed to add `{}` to the bundle",
            package.reference()
        ))
    })?;

    let entry = BundleEntry {
        name: package.name.clone(),
        version: package.version.clone(),
        source: package.source.clone(),
        checksum,
        // Named by content: two packages of one name do not collide, and a path cannot lead out.
        file: format!("packages/{}.tar.gz", checksum.digest()),
        sha256: Sha256Digest::hash_bytes(&packed),
    };
    Ok((entry, packed))
}

/// Refuses a file that is not listed: it has no digest, and is not just ignored.
fn refuse_unlisted_files(name: &str, files: &Tree, list: &BundleListing) -> Result<()> {
    let known = [LISTING_FILE, lockfile::FILE, manifest::FILE];
    // The listing itself has no digest: what it lists has one.
    let listed: BTreeSet<&str> = known
        .into_iter()
        .chain(list.packages.iter().map(|one| one.file.as_str()))
        .collect();

    let mut others = files.files().map(|(path, _)| path.as_str());
    match others.find(|path| !listed.contains(path)) {
        Some(other) => Err(invalid_error(
            name,
            &format!("it contains `{other}`, which it does not list"),
        )),
        None => Ok(()),
    }
}

/// Unpacks a listed package.
fn read_package(name: &str, files: &Tree, entry: BundleEntry) -> Result<(BundledPackage, Tree)> {
    let package = BundledPackage {
        name: entry.name,
        version: entry.version,
        source: entry.source,
    };

    // The digest is of the packed bytes, the checksum of the files that they unpack to.
    let packed = verified_file(name, files, &entry.file, &entry.sha256)?;
    let tree = archive::unpack(packed, ArchiveFormat::TarGz).map_err(|error| {
        error.wrap(format!(
            "failed to unpack `{}` of bundle `{name}`",
            package.reference()
        ))
    })?;

    let found = Checksum::from_tree(&tree);
    if found != entry.checksum {
        return Err(invalid_error(
            name,
            &format!("checksum mismatch for `{}`", package.reference()),
        )
        .note(format!("listed  {}", entry.checksum))
        .note(format!("found   {found}")));
    }
    Ok((package, tree))
}

/// Parses `skillpm-bundle.json`.
fn parse_listing(name: &str, bytes: &[u8]) -> Result<BundleListing> {
    let malformed =
        |cause: serde_json::Error| invalid_error(name, &format!("`{LISTING_FILE}`: {cause}"));

    // The version is read alone first: a newer listing may have other keys.
    let any: AnyListing = serde_json::from_slice(bytes).map_err(malformed)?;
    if any.v != LISTING_VERSION {
        return Err(Error::usage(format!(
            "unsupported version {} of bundle `{name}`: this skillpm reads version {LISTING_VERSION}",
            any.v
            ))
            .help("use the skillpm that created it, or a newer one"));
    }

    serde_json::from_slice(bytes).map_err(malformed)
}

/// The bytes of a file in the bundle, checked against its digest.
fn verified_file<'t>(
    name: &str,
    files: &'t Tree,
    file: &str,
    digest: &Sha256Digest,
) -> Result<&'t [u8]> {
    let bytes = files
        .get(file)
        .ok_or_else(|| invalid_error(name, &format!("missing `{file}`")))?;
    let found = Sha256Digest::hash_bytes(bytes);
    if found == *digest {
        return Ok(bytes);
    }

    Err(
        invalid_error(name, &format!("checksum mismatch for `{file}`"))
            .note(format!("listed  sha256:{digest}"))
            .note(format!("found   sha256:{found}")),
    )
}

fn invalid_error(name: &str, reason: &str) -> Error {
    Error::integrity(format!("invalid bundle `{name}`: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::error::FailureKind;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        tree.add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), true)
            .unwrap();
        tree.finish()
    }

    fn bundle() -> BundleFile {
        let package = |name: &str| BundledPackage {
            name: name.parse().unwrap(),
            version: Some(Version::new(1, 0, 0)),
            source: "registry+embedded:default".into(),
        };
        let packages = [("b", "x"), ("a", "y")].map(|(name, text)| {
            let tree = tree(text);
            (Checksum::from_tree(&tree), (package(name), tree))
        });
        let lock_text = Lockfile::default().to_text();
        BundleFile {
            lock_text,
            manifest_text: "[dependencies]\n".into(),
            packages: packages.into(),
        }
    }

    /// The files of a bundle, changed and packed again.
    fn rewritten(change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Vec<u8> {
        let files = archive::unpack(&bundle().to_bytes().unwrap(), ArchiveFormat::TarGz).unwrap();
        let mut files: BTreeMap<String, Vec<u8>> = files
            .into_files()
            .map(|(path, file)| (path.to_string(), file.bytes))
            .collect();
        change(&mut files);
        let mut tree = Tree::builder();
        files
            .into_iter()
            .for_each(|(path, bytes)| tree.add(&path, bytes, false).unwrap());
        archive::pack_at_root(&tree.finish()).unwrap()
    }

    fn refused(bytes: &[u8]) -> Error {
        BundleFile::from_bytes("b", bytes).unwrap_err()
    }

    #[test]
    fn written_bundles_are_read_back_and_reproducible() {
        let bytes = bundle().to_bytes().unwrap();
        assert_eq!(BundleFile::from_bytes("b", &bytes).unwrap(), bundle());
        assert_eq!(bundle().to_bytes().unwrap(), bytes);
        assert_eq!(rewritten(|_| {}), bytes);
    }

    #[test]
    fn changed_missing_and_unlisted_files_are_named() {
        let lock = refused(&rewritten(|files| {
            files.get_mut("skillpm.lock").unwrap().push(b'\n');
        }));
        assert_eq!(
            lock.message(),
            "invalid bundle `b`: checksum mismatch for `skillpm.lock`"
        );
        assert_eq!(lock.kind(), FailureKind::Integrity);
        let missing = refused(&rewritten(|files| drop(files.remove("skillpm.toml"))));
        assert_eq!(
            missing.message(),
            "invalid bundle `b`: missing `skillpm.toml`"
        );
        let more = refused(&rewritten(|files| {
            drop(files.insert("packages/x.sh".into(), Vec::new()));
        }));
        assert_eq!(
            more.message(),
            "invalid bundle `b`: it contains `packages/x.sh`, which it does not list"
        );
    }

    #[test]
    fn package_listed_as_another_is_refused_by_its_checksum() {
        let swapped = rewritten(|files| {
            let list = String::from_utf8(files["skillpm-bundle.json"].clone()).unwrap();
            let sums: Vec<Checksum> = bundle().packages.into_keys().collect();
            let digest = |at: usize| {
                Sha256Digest::hash_bytes(
                    &archive::pack_at_root(&bundle().packages[&sums[at]].1).unwrap(),
                )
                .to_string()
            };
            // Each has the other's files and digests; only the listed checksums are unchanged.
            let list = list
                .replace(&digest(0), "swap")
                .replace(&digest(1), &digest(0))
                .replace("swap", &digest(1));
            let names = [0, 1].map(|at: usize| format!("packages/{}.tar.gz", sums[at].digest()));
            let first = files.remove(&names[0]).unwrap();
            let second = files.insert(names[1].clone(), first).unwrap();
            files.insert(names[0].clone(), second);
            files.insert("skillpm-bundle.json".into(), list.into_bytes());
        });
        let error = refused(&swapped);
        assert!(
            error.message().contains("checksum mismatch for `")
                && error.message().ends_with(" 1.0.0`"),
            "{error:?}"
        );
        assert_eq!(error.kind(), FailureKind::Integrity);
    }

    #[test]
    fn other_files_and_newer_versions_are_refused() {
        assert_eq!(refused(b"hello").kind(), FailureKind::Usage);
        assert_eq!(
            refused(&archive::pack_at_root(&tree("x")).unwrap()).message(),
            "unsupported file `b`: not a skillpm bundle"
        );
        let newer = rewritten(|files| {
            drop(files.insert("skillpm-bundle.json".into(), b"{\"v\":9}".to_vec()));
        });
        assert_eq!(
            refused(&newer).message(),
            "unsupported version 9 of bundle `b`: this skillpm reads version 1"
        );
        let cut = bundle().to_bytes().unwrap();
        assert_eq!(
            refused(&cut[..cut.len() / 2]).kind(),
            FailureKind::Integrity
        );
    }
}

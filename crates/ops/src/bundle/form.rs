//! The file: one reproducible `.tar.gz`.
//!
//! ```text
//! packages/9f2c….tar.gz     each package's files, by the digest of their checksum
//! skillpm-bundle.json       {"v":1,"lock":"<sha256>","manifest":"<sha256>","packages":[{"name",…,"file","sha256"}]}
//! skillpm.lock
//! skillpm.toml
//! ```
//!
//! It comes from a stranger's hands, perhaps on a stick. So everything is held against the digests in
//! `skillpm-bundle.json`, each package is unpacked as any archive is and held against its checksum, and nothing may be in
//! it that is not listed. What it is worth is then for the lockfile of a project to say.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::io::archive::{self, ARCHIVE_MAX, Kind};
use crate::lockfile::{self, Locked, Lockfile};
use crate::manifest;
use crate::package::{Checksum, Limits, PackageName, Sha256, Tree};

/// How the names of bundles end.
pub const ENDING: &str = ".skillpm-bundle.tar.gz";

/// Largest bundle that is taken in, in bytes.
pub(super) const BUNDLE_MAX: u64 = 1 << 30;

const LIST: &str = "skillpm-bundle.json";
const VERSION: u32 = 1;
const LIMITS: Limits = Limits { files: 10_000, total: BUNDLE_MAX, file: ARCHIVE_MAX, skill_md: 1 << 20 };

/// A project's lockfile and manifest, with the packages that they need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bundle {
    pub lock_text: String,
    pub manifest_text: String,
    /// By checksum, each with what it is.
    pub packages: BTreeMap<Checksum, (Package, Tree)>,
}

/// What a package in a bundle is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name at its source.
    pub name: PackageName,
    /// Its version; `None` where the source states none.
    pub version: Option<Version>,
    /// Where it came from, as a lockfile says it.
    pub source: String,
}

impl Package {
    pub(super) fn of(locked: &Locked) -> Package {
        let commit = locked.commit.as_ref().map(|commit| format!("#{commit}")).unwrap_or_default();
        let source = format!("{}{commit}", locked.source);
        Package { name: locked.name.clone(), version: locked.version.clone(), source }
    }

    /// `acme/pdf 1.2.0`
    #[must_use]
    pub fn reference(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => self.name.to_string(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct List {
    v: u32,
    lock: Sha256,
    manifest: Sha256,
    packages: Vec<Listed>,
}

#[derive(Serialize, Deserialize)]
struct Listed {
    name: PackageName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    source: String,
    checksum: Checksum,
    file: String,
    sha256: Sha256,
}

/// Only what every version of the list says.
#[derive(Deserialize)]
struct AnyList {
    v: u32,
}

impl Bundle {
    /// The bytes of the file: the same for the same content, everywhere.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut files = Tree::builder_within(LIMITS);
        let mut packages = Vec::new();
        for (checksum, (package, tree)) in &self.packages {
            let packed = archive::pack_at_root(tree)
                .map_err(|error| error.wrap(format!("`{}` cannot be put into a bundle", package.reference())))?;
            let file = format!("packages/{}.tar.gz", checksum.digest());
            packages.push(Listed {
                name: package.name.clone(),
                version: package.version.clone(),
                source: package.source.clone(),
                checksum: *checksum,
                file: file.clone(),
                sha256: Sha256::of(&packed),
            });
            files.add(&file, packed, false)?;
        }
        packages.sort_by(|a, b| (&a.name, &a.source).cmp(&(&b.name, &b.source)));
        let lock = Sha256::of(self.lock_text.as_bytes());
        let manifest = Sha256::of(self.manifest_text.as_bytes());
        let list = List { v: VERSION, lock, manifest, packages };
        let mut list = serde_json::to_vec_pretty(&list).expect("names and digests make JSON");
        list.push(b'\n');
        files.add(LIST, list, false)?;
        files.add(lockfile::FILE, self.lock_text.clone().into_bytes(), false)?;
        files.add(manifest::FILE, self.manifest_text.clone().into_bytes(), false)?;
        archive::pack_at_root(&files.finish())
    }

    /// Reads a file of which nothing is trusted; `name` is for messages.
    pub(super) fn from_bytes(name: &str, bytes: &[u8]) -> Result<Bundle> {
        Self::read(name, bytes).map_err(|error| {
            if error.kind() == crate::error::Kind::Integrity { error.help("nothing was taken from it") } else { error }
        })
    }

    fn read(name: &str, bytes: &[u8]) -> Result<Bundle> {
        let none = || {
            Error::usage(format!("`{name}` is no bundle of skillpm"))
                .help("`skillpm export` makes one; a skill's archive is added with `skillpm add ./FILE`")
        };
        if Kind::of(name, bytes).ok() != Some(Kind::TarGz) {
            return Err(none());
        }
        let files = archive::unpack_within(bytes, LIMITS)
            .map_err(|error| error.wrap(format!("`{name}` cannot be read as a bundle")))?;
        let list = files.get(LIST).ok_or_else(none)?;
        let list = parse_list(name, list)?;
        let text = |file: &str, digest: &Sha256| {
            let bytes = held(name, &files, file, digest)?;
            String::from_utf8(bytes.to_vec()).map_err(|_| damaged(name, &format!("`{file}` is not UTF-8 text")))
        };
        let lock_text = text(lockfile::FILE, &list.lock)?;
        let manifest_text = text(manifest::FILE, &list.manifest)?;
        let known = [LIST, lockfile::FILE, manifest::FILE];
        let listed: BTreeSet<&str> =
            known.into_iter().chain(list.packages.iter().map(|one| one.file.as_str())).collect();
        if let Some((other, _)) = files.files().find(|(path, _)| !listed.contains(path.as_str())) {
            return Err(damaged(name, &format!("it holds `{other}`, which it does not list")));
        }
        let mut packages = BTreeMap::new();
        for one in list.packages {
            let package = Package { name: one.name, version: one.version, source: one.source };
            let packed = held(name, &files, &one.file, &one.sha256)?;
            let tree = archive::unpack(packed, Kind::TarGz)
                .map_err(|error| error.wrap(format!("`{}` in `{name}` cannot be unpacked", package.reference())))?;
            let found = Checksum::of(&tree);
            if found != one.checksum {
                return Err(damaged(name, &format!("`{}` is not what it lists", package.reference()))
                    .note(format!("listed  {}", one.checksum))
                    .note(format!("found   {found}")));
            }
            packages.insert(found, (package, tree));
        }
        Ok(Bundle { lock_text, manifest_text, packages })
    }

    /// What the lockfile in it says.
    pub(super) fn lockfile(&self) -> Result<Lockfile> {
        Lockfile::parse(&self.lock_text, lockfile::FILE)
    }
}

fn parse_list(name: &str, bytes: &[u8]) -> Result<List> {
    let malformed = |cause: serde_json::Error| damaged(name, &format!("`{LIST}`: {cause}"));
    let any: AnyList = serde_json::from_slice(bytes).map_err(malformed)?;
    if any.v != VERSION {
        return Err(Error::usage(format!(
            "`{name}` is a bundle of form {}, and this skillpm reads form {VERSION}",
            any.v
        ))
        .help("use the skillpm that made it, or a newer one"));
    }
    serde_json::from_slice(bytes).map_err(malformed)
}

/// The bytes of a file in it, which have this digest.
fn held<'t>(name: &str, files: &'t Tree, file: &str, digest: &Sha256) -> Result<&'t [u8]> {
    let bytes = files.get(file).ok_or_else(|| damaged(name, &format!("`{file}` is missing")))?;
    let found = Sha256::of(bytes);
    if found == *digest {
        return Ok(bytes);
    }
    Err(damaged(name, &format!("`{file}` is not what it lists"))
        .note(format!("listed  sha256:{digest}"))
        .note(format!("found   sha256:{found}")))
}

fn damaged(name: &str, what: &str) -> Error {
    Error::integrity(format!("bundle `{name}` is damaged: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind as Sort;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        tree.add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), true).unwrap();
        tree.finish()
    }

    fn bundle() -> Bundle {
        let package = |name: &str| Package {
            name: name.parse().unwrap(),
            version: Some(Version::new(1, 0, 0)),
            source: "registry+embedded:default".into(),
        };
        let packages = [("b", "x"), ("a", "y")].map(|(name, text)| {
            let tree = tree(text);
            (Checksum::of(&tree), (package(name), tree))
        });
        let lock_text = Lockfile::default().to_text();
        Bundle { lock_text, manifest_text: "[dependencies]\n".into(), packages: packages.into() }
    }

    /// The files of a bundle, changed and packed again.
    fn rewritten(change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Vec<u8> {
        let files = archive::unpack(&bundle().to_bytes().unwrap(), Kind::TarGz).unwrap();
        let mut files: BTreeMap<String, Vec<u8>> =
            files.into_files().map(|(path, file)| (path.to_string(), file.bytes)).collect();
        change(&mut files);
        let mut tree = Tree::builder();
        files.into_iter().for_each(|(path, bytes)| tree.add(&path, bytes, false).unwrap());
        archive::pack_at_root(&tree.finish()).unwrap()
    }

    fn refused(bytes: &[u8]) -> Error {
        Bundle::from_bytes("b", bytes).unwrap_err()
    }

    #[test]
    fn what_is_written_is_what_is_read_and_always_the_same_bytes() {
        let bytes = bundle().to_bytes().unwrap();
        assert_eq!(Bundle::from_bytes("b", &bytes).unwrap(), bundle());
        assert_eq!(bundle().to_bytes().unwrap(), bytes);
        assert_eq!(rewritten(|_| {}), bytes);
    }

    #[test]
    fn a_changed_a_missing_and_an_unlisted_file_are_each_named() {
        let lock = refused(&rewritten(|files| files.get_mut("skillpm.lock").unwrap().push(b'\n')));
        assert_eq!(lock.message(), "bundle `b` is damaged: `skillpm.lock` is not what it lists");
        assert_eq!(lock.kind(), Sort::Integrity);
        let missing = refused(&rewritten(|files| drop(files.remove("skillpm.toml"))));
        assert_eq!(missing.message(), "bundle `b` is damaged: `skillpm.toml` is missing");
        let more = refused(&rewritten(|files| drop(files.insert("packages/x.sh".into(), Vec::new()))));
        assert_eq!(more.message(), "bundle `b` is damaged: it holds `packages/x.sh`, which it does not list");
    }

    #[test]
    fn a_package_that_is_listed_as_another_is_refused_by_its_checksum() {
        let swapped = rewritten(|files| {
            let list = String::from_utf8(files["skillpm-bundle.json"].clone()).unwrap();
            let sums: Vec<Checksum> = bundle().packages.into_keys().collect();
            let digest =
                |at: usize| Sha256::of(&archive::pack_at_root(&bundle().packages[&sums[at]].1).unwrap()).to_string();
            // Everything says the one is the other, but for the names by which both are listed.
            let list = list.replace(&digest(0), "swap").replace(&digest(1), &digest(0)).replace("swap", &digest(1));
            let names = [0, 1].map(|at: usize| format!("packages/{}.tar.gz", sums[at].digest()));
            let first = files.remove(&names[0]).unwrap();
            let second = files.insert(names[1].clone(), first).unwrap();
            files.insert(names[0].clone(), second);
            files.insert("skillpm-bundle.json".into(), list.into_bytes());
        });
        let error = refused(&swapped);
        assert!(error.message().ends_with("1.0.0` is not what it lists"), "{error:?}");
        assert_eq!(error.kind(), Sort::Integrity);
    }

    #[test]
    fn another_file_is_no_bundle_and_a_newer_form_is_told() {
        assert_eq!(refused(b"hello").kind(), Sort::Usage);
        assert_eq!(refused(&archive::pack_at_root(&tree("x")).unwrap()).message(), "`b` is no bundle of skillpm");
        let newer = rewritten(|files| drop(files.insert("skillpm-bundle.json".into(), b"{\"v\":9}".to_vec())));
        assert_eq!(refused(&newer).message(), "`b` is a bundle of form 9, and this skillpm reads form 1");
        let cut = bundle().to_bytes().unwrap();
        assert_eq!(refused(&cut[..cut.len() / 2]).kind(), Sort::Integrity);
    }
}

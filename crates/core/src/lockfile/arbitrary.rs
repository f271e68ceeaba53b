//! Arbitrary locked packages, for tests.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use semver::Version;

use super::LockedPackage;
use crate::package::{
    Checksum, GitReference, PackageName, RelPath, Sha256Digest, SkillName, SourceId,
};

/// Generates any package that a lockfile can contain.
pub(super) fn locked() -> impl Strategy<Value = LockedPackage> {
    (names(), places(), digests(), lists()).prop_map(build_package)
}

fn build_package(
    ((name, alias, version), place, digests, lists): (Names, Place, Digests, Lists),
) -> LockedPackage {
    let (source, commit, path, tree) = place;
    let (checksum, source_checksum, edits, packed, is_signed) = digests;
    let (allowed_findings, replaces, dependencies) = lists;
    let key = "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc"
        .parse()
        .unwrap();
    LockedPackage {
        name,
        alias,
        version,
        commit: matches!(source, SourceId::Git { .. }).then_some(commit),
        source,
        path,
        tree,
        checksum: Checksum::from_digest(checksum),
        source_checksum: source_checksum.map(Checksum::from_digest),
        patch: edits,
        signed_by: is_signed.then_some(key),
        archive: packed,
        allowed_findings,
        replaces,
        dependencies,
    }
}

type Names = (PackageName, Option<SkillName>, Option<Version>);

fn names() -> impl Strategy<Value = Names> {
    let name =
        "([a-z]{1,4}/)?[a-z][a-z0-9]{0,5}".prop_filter_map("a name", |name| name.parse().ok());
    let alias = "[a-z]{1,5}".prop_filter_map("a name", |name| name.parse().ok());
    let version = "[0-2]\\.[0-2]\\.0(-[a-z]{1,3}\\.[1-9])?(\\+[a-z0-9]{1,4})?"
        .prop_map(|text| Version::parse(&text).unwrap());
    (name, option::of(alias), option::of(version))
}

type Place = (SourceId, String, Option<RelPath>, Option<String>);

fn places() -> impl Strategy<Value = Place> {
    let path = "[a-z\"' é]{1,4}/[a-z]{1,4}".prop_filter_map("a path", |path| path.parse().ok());
    (
        sources(),
        hex_digits(40),
        option::of(path),
        option::of(hex_digits(64)),
    )
}

fn sources() -> impl Strategy<Value = SourceId> {
    prop_oneof![
        ("[a-z]{1,5}", references()).prop_map(|(repository, reference)| {
            SourceId::Git {
                url: format!("https://h.example/{repository}").parse().unwrap(),
                reference,
            }
        }),
        "(\\.\\./)?[a-z #+?%\"'\\\\é]{1,9}".prop_map(|path| SourceId::from_path(&path)),
        "https://h\\.example/[a-z%?=#]{1,9}\\.zip".prop_map(SourceId::Archive),
        Just(SourceId::Registry(SourceId::EMBEDDED_INDEX.into())),
        Just("well-known+https://acme.dev".parse().unwrap()),
        Just("clawhub+https://clawhub.ai".parse().unwrap()),
    ]
}

fn references() -> impl Strategy<Value = GitReference> {
    let name = "[a-zA-Z0-9é%&=+#@/-]{1,8}";
    let name =
        move || name.prop_filter_map("a reference", |name| GitReference::check_name(&name).ok());
    prop_oneof![
        Just(GitReference::Default),
        Just(GitReference::Versions),
        name().prop_map(GitReference::Branch),
        name().prop_map(GitReference::Tag),
        name().prop_map(GitReference::Rev),
    ]
}

type Digests = (
    Sha256Digest,
    Option<Sha256Digest>,
    Option<Sha256Digest>,
    Option<Sha256Digest>,
    bool,
);

fn digests() -> impl Strategy<Value = Digests> {
    let digest = || any::<[u8; 32]>().prop_map(Sha256Digest::from_bytes);
    (
        digest(),
        option::of(digest()),
        option::of(digest()),
        option::of(digest()),
        any::<bool>(),
    )
}

type Lists = (Vec<String>, Vec<String>, Vec<String>);

fn lists() -> impl Strategy<Value = Lists> {
    (
        vec("SK[0-9]{3}", 0..3),
        vec("[a-z/\"\\\\ \u{1}-\u{7}é]{1,8}", 0..3),
        vec("[a-z]{1,4} 1\\.0\\.0", 0..3),
    )
}

fn hex_digits(count: usize) -> impl Strategy<Value = String> {
    let digits = vec(prop::sample::select(b"0123456789abcdef".as_slice()), count);
    digits.prop_map(|digits| String::from_utf8(digits).unwrap())
}

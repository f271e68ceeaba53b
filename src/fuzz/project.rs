//! The files of a project: manifest and lockfile.

use crate::catalog::ToolVerdict;
use crate::catalog::permission_file::PermissionFile;
use crate::error::{FailureKind, Result};
use crate::lockfile::{self, Lockfile, merge};
use crate::manifest::{self, Manifest, edit};

/// Nova's file of permissions is refused with its place, or each of its patterns is in one list and in the text.
pub(super) fn permissions(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };

    let file = match PermissionFile::parse(text, "permissions.yaml") {
        Ok(file) => file,
        Err(error) => {
            return assert!(
                error.message().contains("`permissions.yaml:"),
                "{}",
                error.message()
            );
        }
    };

    let lists = &file.permissions;
    let listed = lists.allow.len() + lists.deny.len() + lists.ask.len();
    assert_eq!(listed, file.patterns.len(), "no pattern is lost");
    for (_, span) in &file.patterns {
        assert!(text.get(span.clone()).is_some(), "{span:?}");
    }

    // Whatever else matches: a denied tool must not be offered.
    for pattern in lists.deny.iter().filter(|pattern| is_plain_name(pattern)) {
        assert_eq!(lists.verdict(pattern).0, ToolVerdict::Deny, "{pattern}");
    }
}

fn is_plain_name(pattern: &str) -> bool {
    !pattern.is_empty()
        && pattern
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A parsed manifest can be edited: an added entry is there and all others stay, adding it twice is the same as once, and
/// removing it restores the original.
pub(super) fn manifest(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };

    let manifest = match Manifest::parse(text, manifest::FILE, &resolve_registry) {
        Ok(manifest) => manifest,
        Err(error) => return assert!(!error.message().is_empty()),
    };

    let entry = edit::DependencyEntry {
        key: "acme/fuzzed-in".into(),
        fields: vec![("version", "^1.2".into())],
        dev: false,
    };
    // The name would collide with the entry that is added.
    if text.contains("fuzzed-in") {
        return;
    }

    let Ok(with) = edit::set_dependencies(text, std::slice::from_ref(&entry)) else {
        return;
    };

    assert_eq!(
        edit::set_dependencies(&with, &[entry]).ok().as_deref(),
        Some(with.as_str()),
        "an entry is set once"
    );

    let changed = Manifest::parse(&with, manifest::FILE, &resolve_registry)
        .expect("an edited manifest can be read");

    let is_ours = |alias: &str| alias == "fuzzed-in";
    let others: Vec<_> = changed
        .dependencies
        .iter()
        .filter(|one| !is_ours(one.alias.as_str()))
        .collect();
    let before: Vec<_> = manifest
        .dependencies
        .iter()
        .filter(|one| !is_ours(one.alias.as_str()))
        .collect();
    assert_eq!(others, before);

    assert!(
        changed
            .dependencies
            .iter()
            .any(|one| is_ours(one.alias.as_str()))
    );

    let (without, _) = edit::remove_dependencies(&with, &["acme/fuzzed-in".to_owned()])
        .expect("what was set can be removed");
    let back = Manifest::parse(&without, manifest::FILE, &resolve_registry)
        .expect("an edited manifest can be read");

    assert_eq!(back.dependencies.iter().collect::<Vec<_>>(), before);
    assert_eq!(
        (back.package, back.install),
        (manifest.package, manifest.install)
    );
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "`Manifest` takes a function that may fail"
)]
fn resolve_registry(name: Option<&str>) -> Result<String> {
    match name {
        None => Ok("embedded:default".into()),
        Some(name) => Ok(format!("sparse+https://{name}.example/index/")),
    }
}

/// A parsed lockfile is written canonically and parses the same again; an invalid one is a usage error.
pub(super) fn lockfile(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    match Lockfile::parse(text, lockfile::FILE) {
        Ok(lockfile) => {
            let written = lockfile.to_text();

            let again =
                Lockfile::parse(&written, lockfile::FILE).expect("what was written can be read");
            assert_eq!(again, lockfile);
            assert_eq!(again.to_text(), written);
        }
        Err(error) => assert_eq!(error.kind(), FailureKind::Usage),
    }
}

/// Merging two sides is symmetric; a merge without conflicts can be parsed, and one with conflicts has markers that can
/// be split again.
pub(super) fn lock_merge(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };

    let Some(text) = merge::split_sides(text) else {
        return;
    };

    let read = |side: &str| Lockfile::parse_uncounted(side, lockfile::FILE).ok();
    let (Some(ours), Some(theirs)) = (read(&text.ours), read(&text.theirs)) else {
        return;
    };

    // A conflict of two sides without a common base is merged against an empty lockfile.
    let base = text.base.as_deref().and_then(read).unwrap_or_default();
    let needs = merge::KnownRequirements::default();
    let known = merge::LockfileMergeContext {
        roots: None,
        is_manifest_merged: true,
        patches: &[],
        requirements: &needs,
    };

    let merged = merge::merge(
        merge::LockfileSides {
            base: &base,
            ours: &ours,
            theirs: &theirs,
        },
        known,
    );

    let swapped = merge::merge(
        merge::LockfileSides {
            base: &base,
            ours: &theirs,
            theirs: &ours,
        },
        known,
    );

    assert_eq!(merged.conflicts.is_empty(), swapped.conflicts.is_empty());
    let written = merged.to_text();

    if merged.conflicts.is_empty() {
        assert_eq!(swapped.lockfile, merged.lockfile);
        assert_eq!(
            Lockfile::parse(&written, lockfile::FILE).ok(),
            Some(merged.lockfile)
        );
    } else {
        assert!(merge::split_sides(&written).is_some());
    }
}

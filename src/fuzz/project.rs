//! The files of a project: manifest and lockfile.

use crate::error::{Kind, Result};
use crate::lockfile::{self, Lockfile, merge};
use crate::manifest::{self, Manifest, edit};

/// A manifest that is read can be edited: an entry that is set is there and all others stay, setting it twice is setting it
/// once, and taking it away again leaves what there was.
pub(super) fn manifest(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let manifest = match Manifest::parse(text, manifest::FILE, &registry) {
        Ok(manifest) => manifest,
        Err(error) => return assert!(!error.message().is_empty()),
    };
    let entry = edit::Entry { key: "acme/fuzzed-in".into(), fields: vec![("version", "^1.2".into())], dev: false };
    if text.contains("fuzzed-in") {
        return;
    }
    let Ok(with) = edit::set(text, std::slice::from_ref(&entry)) else { return };
    assert_eq!(edit::set(&with, &[entry]).ok().as_deref(), Some(with.as_str()), "an entry is set once");
    let changed = Manifest::parse(&with, manifest::FILE, &registry).expect("an edited manifest can be read");
    let is_ours = |alias: &str| alias == "fuzzed-in";
    let others: Vec<_> = changed.dependencies.iter().filter(|one| !is_ours(one.alias.as_str())).collect();
    let before: Vec<_> = manifest.dependencies.iter().filter(|one| !is_ours(one.alias.as_str())).collect();
    assert_eq!(others, before);
    assert!(changed.dependencies.iter().any(|one| is_ours(one.alias.as_str())));
    let (without, _) = edit::remove(&with, &["acme/fuzzed-in".to_owned()]).expect("what was set can be removed");
    let back = Manifest::parse(&without, manifest::FILE, &registry).expect("an edited manifest can be read");
    assert_eq!(back.dependencies.iter().collect::<Vec<_>>(), before);
    assert_eq!((back.package, back.install), (manifest.package, manifest.install));
}

#[expect(clippy::unnecessary_wraps, reason = "a manifest asks it of somebody who may not know")]
fn registry(name: Option<&str>) -> Result<String> {
    match name {
        None => Ok("embedded:default".into()),
        Some(name) => Ok(format!("sparse+https://{name}.example/index/")),
    }
}

/// A lockfile that is read is written canonically, and what was written reads the same; one that is not is a plain mistake.
pub(super) fn lockfile(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match Lockfile::parse(text, lockfile::FILE) {
        Ok(lockfile) => {
            let written = lockfile.to_text();
            let again = Lockfile::parse(&written, lockfile::FILE).expect("what was written can be read");
            assert_eq!(again, lockfile);
            assert_eq!(again.to_text(), written);
        }
        Err(error) => assert_eq!(error.kind(), Kind::Usage),
    }
}

/// What two sides decided is merged alike whichever comes first; what is decided can be read, and what is not has marks that
/// are taken apart again.
pub(super) fn lock_merge(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Some(text) = merge::sides(text) else { return };
    let read = |side: &str| Lockfile::parse_uncounted(side, lockfile::FILE).ok();
    let (Some(ours), Some(theirs)) = (read(&text.ours), read(&text.theirs)) else { return };
    let base = text.base.as_deref().and_then(read).unwrap_or_default();
    let needs = merge::Needs::default();
    let known = merge::Known { roots: None, is_final: true, patches: &[], needs: &needs };
    let merged = merge::merge(merge::Sides { base: &base, ours: &ours, theirs: &theirs }, known);
    let swapped = merge::merge(merge::Sides { base: &base, ours: &theirs, theirs: &ours }, known);
    assert_eq!(merged.clashes.is_empty(), swapped.clashes.is_empty());
    let written = merged.to_text();
    if merged.clashes.is_empty() {
        assert_eq!(swapped.lockfile, merged.lockfile);
        assert_eq!(Lockfile::parse(&written, lockfile::FILE).ok(), Some(merged.lockfile));
    } else {
        assert!(merge::sides(&written).is_some());
    }
}

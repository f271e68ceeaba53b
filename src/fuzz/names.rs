//! Paths, and the spellings of places.

use std::fmt::{Debug, Display};
use std::path::{Component, Path};
use std::str::FromStr;

use semver::VersionReq;

use crate::package::{GitUrl, IndexUrl, PackageName, PackageSpec, RelPath, SiteUrl, SkillName, SourceId};

/// A path of a package stays below the package, has one spelling, and takes itself apart and together.
pub(super) fn rel_path(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(path) = text.parse::<RelPath>() else { return };
    assert_eq!(path.as_str(), text);
    assert!(Path::new(text).components().all(|part| matches!(part, Component::Normal(_))), "{text:?} climbs");
    assert!(!text.contains(['\\', ':']) && text.len() <= 512);
    assert_eq!(path.parts().collect::<Vec<_>>().join("/"), text);
    assert!(path.parts().count() <= RelPath::DEPTH_MAX);
    let ancestors: Vec<RelPath> = path.with_ancestors().collect();
    assert_eq!(ancestors.last(), Some(&path));
    for ancestor in &ancestors {
        assert_eq!(ancestor.as_str().parse::<RelPath>().ok().as_ref(), Some(ancestor));
        if let Some(below) = path.below(ancestor) {
            assert_eq!(ancestor.join(below.as_str()).ok().as_ref(), Some(&path));
        }
    }
    is_folded_once(text, &path);
}

/// What folds to a name folds no further, and other cases of it fold to the same.
fn is_folded_once(text: &str, path: &RelPath) {
    let folded = path.folded();
    for other in [folded.clone(), text.to_lowercase(), text.to_uppercase()] {
        if let Ok(other) = other.parse::<RelPath>() {
            assert_eq!(other.folded(), folded, "{other} and {path} meet on a disk that folds case");
        }
    }
}

/// What a place is written as is read as that place, and none carries a secret or a control character on.
pub(super) fn source(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    reads_as_written::<SourceId>(text);
    reads_as_written::<PackageName>(text);
    reads_as_written::<SkillName>(text);
    reads_as_written::<VersionReq>(text);
    let urls =
        [reads_as_written::<GitUrl>(text), reads_as_written::<IndexUrl>(text), reads_as_written::<SiteUrl>(text)];
    urls.iter().flatten().for_each(|url| is_clean(url));
    if let Ok(spec) = text.parse::<PackageSpec>() {
        assert!(!text.chars().any(char::is_control));
        is_clean_spec(&spec);
    }
}

/// The canonical spelling, if `text` is one of a `T`.
fn reads_as_written<T: FromStr + Display + PartialEq + Debug>(text: &str) -> Option<String> {
    let value: T = text.parse().ok()?;
    let written = value.to_string();
    let again = written.parse::<T>().ok();
    assert_eq!(again.as_ref(), Some(&value), "{text:?} is written as {written:?}");
    assert_eq!(again.map(|again| again.to_string()), Some(written.clone()));
    Some(written)
}

fn is_clean(url: &str) {
    assert!(!url.chars().any(char::is_control), "{url:?}");
    if let Ok(parsed) = url::Url::parse(url) {
        assert_eq!(parsed.password(), None, "{url:?}");
    }
}

fn is_clean_spec(spec: &PackageSpec) {
    match spec {
        PackageSpec::Git { url, subdir, .. } => {
            is_clean(url.as_str());
            let source = SourceId::Git { url: url.clone(), reference: reference(spec) };
            assert_eq!(source.to_string().parse::<SourceId>().ok(), Some(source));
            assert!(subdir.as_ref().is_none_or(|dir| !dir.as_str().starts_with('/')));
        }
        PackageSpec::Archive(place) => is_clean(place),
        PackageSpec::WellKnown(site) => is_clean(site.as_str()),
        PackageSpec::Registry { .. } | PackageSpec::Path(_) => {}
    }
}

fn reference(spec: &PackageSpec) -> crate::package::GitReference {
    match spec {
        PackageSpec::Git { reference, .. } => reference.clone(),
        _ => crate::package::GitReference::Default,
    }
}

//! Paths, and the spellings of sources.

use std::fmt::{Debug, Display};
use std::path::{Component, Path};
use std::str::FromStr;

use semver::VersionReq;

use crate::package::{
    GitUrl, IndexUrl, PackageName, PackageSpec, RelPath, SiteUrl, SkillName, SourceId,
};

/// A path of a package stays below the package, has one spelling, and takes itself apart and together.
pub(super) fn rel_path(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let Ok(path) = text.parse::<RelPath>() else {
        return;
    };
    assert_eq!(path.as_str(), text);

    assert!(
        Path::new(text)
            .components()
            .all(|part| matches!(part, Component::Normal(_))),
        "{text:?} climbs"
    );

    assert!(!text.contains(['\\', ':']) && text.len() <= 512);
    assert_eq!(path.parts().collect::<Vec<_>>().join("/"), text);
    assert!(path.parts().count() <= RelPath::DEPTH_MAX);

    // From the first directory to the path itself.
    let ancestors: Vec<RelPath> = path.with_ancestors().collect();
    assert_eq!(ancestors.last(), Some(&path));
    for ancestor in &ancestors {
        assert_eq!(
            ancestor.as_str().parse::<RelPath>().ok().as_ref(),
            Some(ancestor)
        );
        if let Some(rest) = path.strip_prefix(ancestor) {
            assert_eq!(ancestor.join(rest.as_str()).ok().as_ref(), Some(&path));
        }
    }

    assert_folded_once(text, &path);
}

/// What folds to a name folds no further, and other cases of it fold to the same.
fn assert_folded_once(text: &str, path: &RelPath) {
    let folded = path.folded();
    for other in [folded.clone(), text.to_lowercase(), text.to_uppercase()] {
        if let Ok(other) = other.parse::<RelPath>() {
            assert_eq!(
                other.folded(),
                folded,
                "{other} and {path} meet on a disk that folds case"
            );
        }
    }
}

/// A written source parses as the same source, and none contains a secret or a control character.
pub(super) fn source(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    assert_round_trip::<SourceId>(text);
    assert_round_trip::<PackageName>(text);
    assert_round_trip::<SkillName>(text);
    assert_round_trip::<VersionReq>(text);

    let urls = [
        assert_round_trip::<GitUrl>(text),
        assert_round_trip::<IndexUrl>(text),
        assert_round_trip::<SiteUrl>(text),
    ];
    urls.iter().flatten().for_each(|url| assert_clean_url(url));

    if let Ok(spec) = text.parse::<PackageSpec>() {
        assert!(!text.chars().any(char::is_control));
        assert_clean_spec(&spec);
    }
}

/// The canonical spelling, if `text` is one of a `T`.
fn assert_round_trip<T: FromStr + Display + PartialEq + Debug>(text: &str) -> Option<String> {
    let value: T = text.parse().ok()?;
    let written = value.to_string();

    let again = written.parse::<T>().ok();
    assert_eq!(
        again.as_ref(),
        Some(&value),
        "{text:?} is written as {written:?}"
    );

    assert_eq!(again.map(|again| again.to_string()), Some(written.clone()));
    Some(written)
}

fn assert_clean_url(url: &str) {
    assert!(!url.chars().any(char::is_control), "{url:?}");

    if let Ok(parsed) = url::Url::parse(url) {
        assert_eq!(parsed.password(), None, "{url:?}");
    }
}

fn assert_clean_spec(spec: &PackageSpec) {
    match spec {
        PackageSpec::Git { url, subdir, .. } => {
            assert_clean_url(url.as_str());

            let source = SourceId::Git {
                url: url.clone(),
                reference: git_reference(spec),
            };

            assert_eq!(source.to_string().parse::<SourceId>().ok(), Some(source));
            assert!(
                subdir
                    .as_ref()
                    .is_none_or(|dir| !dir.as_str().starts_with('/'))
            );
        }
        PackageSpec::Archive(place) => assert_clean_url(place),
        PackageSpec::WellKnown(site) => assert_clean_url(site.as_str()),
        PackageSpec::Registry { .. } | PackageSpec::ClawHub { .. } | PackageSpec::Path(_) => {}
    }
}

fn git_reference(spec: &PackageSpec) -> crate::package::GitReference {
    match spec {
        PackageSpec::Git { reference, .. } => reference.clone(),
        _ => crate::package::GitReference::Default,
    }
}

//! Which tags of a repository are versions of a skill.

use std::collections::BTreeMap;

use semver::Version;

/// The versions of the skill `name` among `tags`, each with its tag.
///
/// A tag is a version as `v1.2.3` or `1.2.3`, or for this skill alone as `NAME-v1.2.3`, `NAME--v1.2.3`, `NAME@1.2.3` or
/// `NAME/v1.2.3` (each with or without the `v`). If a skill has tags of its own, the repository's are ignored.
#[must_use]
pub fn tagged_versions<'a>(
    tags: impl IntoIterator<Item = &'a str>,
    name: &str,
) -> BTreeMap<Version, &'a str> {
    let (mut own, mut shared) = (BTreeMap::new(), BTreeMap::new());
    for tag in tags {
        if let Some(version) = own_version(tag, name) {
            insert_longer_tag(&mut own, version, tag);
        } else if let Some(version) = plain_version(tag) {
            insert_longer_tag(&mut shared, version, tag);
        }
    }
    // Tags of the whole repository are not versions of a skill that has its own.
    if own.is_empty() { shared } else { own }
}

/// The version of the skill `name` in a tag; `None` if the tag is not a version.
#[must_use]
pub fn tag_version(tag: &str, name: &str) -> Option<Version> {
    own_version(tag, name).or_else(|| plain_version(tag))
}

fn own_version(tag: &str, name: &str) -> Option<Version> {
    let rest = tag.strip_prefix(name)?;
    // The longest first: of `pdf--1.0` a single `-` would leave `-1.0`.
    let rest = ["--", "-", "@", "/"]
        .iter()
        .find_map(|separator| rest.strip_prefix(separator))?;
    plain_version(rest)
}

fn plain_version(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

/// Inserts a tag; of two tags for one version the longer is kept: `v1.0.0` rather than `1.0.0`.
fn insert_longer_tag<'a>(
    versions: &mut BTreeMap<Version, &'a str>,
    version: Version,
    tag: &'a str,
) {
    let kept = versions.entry(version).or_insert(tag);
    if tag.len() > kept.len() {
        *kept = tag;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(tags: &[&'a str], name: &str) -> Vec<(String, &'a str)> {
        tagged_versions(tags.iter().copied(), name)
            .into_iter()
            .map(|(version, tag)| (version.to_string(), tag))
            .collect()
    }

    #[test]
    fn every_spelling_of_a_version_is_known() {
        for tag in [
            "v1.2.3",
            "1.2.3",
            "pdf-v1.2.3",
            "pdf--v1.2.3",
            "pdf@1.2.3",
            "pdf/v1.2.3",
            "pdf-1.2.3",
        ] {
            assert_eq!(found(&[tag], "pdf"), [("1.2.3".to_owned(), tag)]);
        }
        for tag in [
            "v1.2",
            "latest",
            "other-v1.2.3",
            "pdfv1.2.3",
            "release/v1.0.0",
        ] {
            assert_eq!(found(&[tag], "pdf"), [], "{tag}");
        }
    }

    #[test]
    fn own_tags_take_precedence_over_the_repositorys() {
        assert_eq!(
            found(&["v9.0.0", "pdf-v1.0.0"], "pdf"),
            [("1.0.0".to_owned(), "pdf-v1.0.0")]
        );
        assert_eq!(
            found(&["v9.0.0", "pdf-v1.0.0"], "csv"),
            [("9.0.0".to_owned(), "v9.0.0")]
        );
    }

    #[test]
    fn versions_are_sorted_as_versions() {
        let sorted: Vec<String> = found(&["v10.0.0", "v9.0.0", "1.0.0", "v1.0.0"], "x")
            .into_iter()
            .map(|(v, _)| v)
            .collect();
        assert_eq!(sorted, ["1.0.0", "9.0.0", "10.0.0"]);
        assert_eq!(found(&["1.0.0", "v1.0.0"], "x")[0].1, "v1.0.0");
    }
}

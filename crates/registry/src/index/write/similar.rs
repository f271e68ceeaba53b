//! Names that could be confused with another one: by typosquatting, or by a typing error.

use std::sync::LazyLock;

use unicode_security::confusable_detection::skeleton;

use skillpm_core::error::edit_distance;
use skillpm_core::package::PackageName;

/// Names shorter than this usually differ by a single letter.
const LENGTH_MIN: usize = 3;

/// A longer name is not similar to one of three letters: hyphens between them and the ending of a plural make it seven long,
/// and `rnrnrn` has the skeleton of `mmm`.
const SIMILAR_TO_SHORT_MAX: usize = 7;

/// Finds those of `names` that `name` could be confused with, each with the reason.
///
/// Names without a scope are compared with one another, and scopes with scopes: the owner of a scope chooses its names.
#[must_use]
pub fn find_similar<'n>(
    name: &PackageName,
    names: impl IntoIterator<Item = &'n PackageName>,
) -> Vec<(&'n PackageName, &'static str)> {
    names
        .into_iter()
        .filter_map(|other| Some((other, name_similarity_reason(name, other)?)))
        .collect()
}

/// Whether an index's directory, such as `co` or `co/mm`, may contain the file of a name that `name` could be confused with:
/// a new name is compared with some of a million.
#[must_use]
pub fn may_hold_similar(dir: &str, name: &PackageName) -> bool {
    let parts: Vec<&str> = dir.split('/').collect();
    match (name.scope(), parts.as_slice()) {
        // Scopes are compared as a whole, and the files are below.
        (Some(scope), [others, ..]) => {
            *others == scope.as_str() || similarity_reason(scope.as_str(), others).is_some()
        }
        (None, ["1" | "2" | "3", ..]) => name.skill().as_str().len() <= SIMILAR_TO_SHORT_MAX,
        (None, [first]) if first.len() == 2 => may_begin_similar(first, name.skill().as_str()),
        (None, [first, second]) if first.len() == 2 && second.len() == 2 => {
            may_begin_similar(&format!("{first}{second}"), name.skill().as_str())
        }
        (_, []) | (None, _) => false,
    }
}

/// Whether a name that begins with `prefix` may be similar to `name`, for each of the reasons.
fn may_begin_similar(prefix: &str, name: &str) -> bool {
    // Both are made character by character, so that the beginning of a name makes that of its skeleton.
    let skeleton = confusable_skeleton(name);
    let (joined, stem) = (join_words(prefix), normalize_name(name));
    let shared = joined.len().min(stem.len());

    !name.is_ascii()
        || skeleton.starts_with(&confusable_skeleton(prefix))
        || joined.as_bytes()[..shared] == stem.as_bytes()[..shared]
        || (prefix.len() - 1..=prefix.len() + 1)
            .any(|length| edit_distance(prefix, &name[..length.min(name.len())]) <= 1)
}

fn name_similarity_reason(name: &PackageName, other: &PackageName) -> Option<&'static str> {
    match (name.scope(), other.scope()) {
        (None, None) => similarity_reason(name.skill().as_str(), other.skill().as_str()),
        (Some(scope), Some(others)) => similarity_reason(scope.as_str(), others.as_str()),
        _ => None,
    }
}

/// Why two names are similar; `None` if they are equal or clearly different.
fn similarity_reason(one: &str, other: &str) -> Option<&'static str> {
    if one == other {
        return None;
    }
    // Unicode TR 39: `rn` and `m`, or `1` and `l`, have one skeleton.
    if confusable_skeleton(one) == confusable_skeleton(other) {
        return Some("they look alike");
    }

    if normalize_name(one) == normalize_name(other) {
        return Some("they differ only in a hyphen or a plural");
    }

    let is_long = one.len() >= LENGTH_MIN && other.len() >= LENGTH_MIN;
    (is_long && one.len().abs_diff(other.len()) <= 1 && edit_distance(one, other) <= 1)
        .then_some("they differ in only one letter")
}

/// The skeletons of single characters of ASCII.
static ASCII_SKELETONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    (0..=0x7f)
        .map(|byte: u8| fold_skeleton(&char::from(byte).to_string()))
        .collect()
});

/// The skeleton of a name, in lower case: names that look alike have the same.
fn confusable_skeleton(name: &str) -> String {
    // Character by character where that is the same, which takes a fortieth of the time.
    let of_ascii = |byte: u8| ASCII_SKELETONS.get(usize::from(byte)).map(String::as_str);
    let ascii: Option<String> = name.bytes().map(of_ascii).collect();
    ascii.unwrap_or_else(|| fold_skeleton(name))
}

fn fold_skeleton(text: &str) -> String {
    skeleton(text).flat_map(char::to_lowercase).collect()
}

/// A name without hyphens.
fn join_words(name: &str) -> String {
    name.replace(['-', '_'], "")
}

/// A name without hyphens and without the ending of a plural.
fn normalize_name(name: &str) -> String {
    let joined = join_words(name);
    match joined.strip_suffix('s') {
        Some(singular) if singular.len() >= LENGTH_MIN => {
            singular.strip_suffix('e').unwrap_or(singular).to_owned()
        }
        _ => joined
            .strip_suffix('e')
            .filter(|stem| stem.len() >= LENGTH_MIN)
            .unwrap_or(&joined)
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> bool {
        let (one, other): (PackageName, PackageName) =
            (one.parse().unwrap(), other.parse().unwrap());
        let found = !find_similar(&one, [&other]).is_empty();
        assert_eq!(
            found,
            !find_similar(&other, [&one]).is_empty(),
            "{one} {other}"
        );
        found
    }

    #[test]
    fn skeletons_of_characters_make_up_that_of_a_name() {
        let ascii = || (0..=0x7f).map(char::from);
        let pairs = ascii().flat_map(|one| ascii().map(move |other| format!("{one}{other}")));
        let others = ["commit-messages", "rn1l0OI|", "", "ｃommit", "pdf\u{301}"];
        for name in pairs.chain(others.map(str::to_owned)) {
            assert_eq!(confusable_skeleton(&name), fold_skeleton(&name), "{name}");
        }
    }

    #[test]
    fn directories_of_similar_names_are_listed() {
        // Few letters, among them those of the reasons, so that many of these names are similar.
        let letters = ["m", "rn", "1", "l", "0", "o", "-", "s", "es", "a"];
        let mut names: Vec<PackageName> = Vec::new();
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            texts = texts
                .iter()
                .flat_map(|text| letters.map(|letter| format!("{text}{letter}")))
                .collect();
            names.extend(
                texts
                    .iter()
                    .step_by(13)
                    .filter_map(|text| text.parse().ok()),
            );
        }
        names.extend(
            ["mo/pdf", "rno/pdf", "acme/a", "acmes/ab", "3s/o"].map(|text| text.parse().unwrap()),
        );

        let mut similar = 0;
        for name in &names {
            for (other, reason) in find_similar(name, &names) {
                let path = crate::index::entry_path(other);
                for (end, _) in path.match_indices('/') {
                    let dir = &path[..end];
                    assert!(may_hold_similar(dir, name), "{dir}, {name}: {reason}");
                }
                similar += 1;
            }
        }
        assert!(similar > 500, "{similar}");
    }

    #[test]
    fn directories_of_other_names_are_not_listed() {
        let name = |text: &str| text.parse::<PackageName>().unwrap();
        let commit = name("commit-messages");
        for dir in ["co", "co/mm", "oc", "ca", "c-", "co/rn", "co/nm"] {
            assert!(may_hold_similar(dir, &commit), "{dir}");
        }
        for dir in [
            "pd",
            "1",
            "3",
            "3/p",
            "acme",
            "co/pp",
            "cd/ef",
            "advisories",
            "owners",
        ] {
            assert!(!may_hold_similar(dir, &commit), "{dir}");
        }
        let scoped = name("acme/pdf");
        for (dir, wanted) in [
            ("acme", true),
            ("acmee/3/p", true),
            ("co", false),
            ("other", false),
        ] {
            assert_eq!(may_hold_similar(dir, &scoped), wanted, "{dir}");
        }
    }

    #[test]
    fn similar_names_are_found() {
        for (one, other) in [
            ("pdf-forms", "pdf-form"),
            ("pdfforms", "pdf-forms"),
            ("release-notes", "release-ntoes"),
            ("release-notes", "release-notez"),
            ("summary", "sumrnary"),
            ("modern", "modem"),
            ("g00gle", "google"),
            ("batches", "batch"),
            ("acme/pdf", "acrne/anything"),
            ("pdf", "pdx"),
        ] {
            assert!(alike(one, other), "{one} {other}");
        }
    }

    #[test]
    fn different_names_are_not_similar() {
        for (one, other) in [
            ("pdf", "pdf"),
            ("pdf", "acme/pdf"),
            ("acme/pdf", "acme/pdfs"),
            ("go", "do"),
            ("docx", "xlsx"),
            ("changelog", "change-review"),
            ("acme/pdf", "globex/pdf"),
        ] {
            assert!(!alike(one, other), "{one} {other}");
        }
    }
}

//! Names that could be confused with another one: by typosquatting, or by a typing error.

use std::sync::LazyLock;

use unicode_security::confusable_detection::skeleton;

use skillpm_core::error::edit_distance;
use skillpm_core::package::PackageName;

/// Names shorter than this usually differ by a single letter.
const LENGTH_MIN: usize = 3;

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

/// A name without hyphens and without the ending of a plural.
fn normalize_name(name: &str) -> String {
    let joined = name.replace(['-', '_'], "");
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

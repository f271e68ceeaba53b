//! Names that could be taken for another: what an impostor would choose, and what a person types by mistake.

use unicode_security::confusable_detection::skeleton;

use crate::error::distance;
use crate::package::PackageName;

/// Names shorter than this differ by a letter more often than not.
const SHORT: usize = 3;

/// Those of `names` that `name` could be taken for, each with the reason.
///
/// Names without a scope are held against one another, and scopes against scopes: who chose a scope chose its names.
#[must_use]
pub fn similar<'n>(
    name: &PackageName,
    names: impl IntoIterator<Item = &'n PackageName>,
) -> Vec<(&'n PackageName, &'static str)> {
    let found = names.into_iter().filter_map(|other| {
        let reason = match (name.scope(), other.scope()) {
            (None, None) => likeness(name.skill().as_str(), other.skill().as_str()),
            (Some(scope), Some(others)) => likeness(scope.as_str(), others.as_str()),
            _ => None,
        };
        Some((other, reason?))
    });
    found.collect()
}

/// In what two names are alike; `None` if they are the same or clearly two.
fn likeness(one: &str, other: &str) -> Option<&'static str> {
    if one == other {
        return None;
    }
    let look = |name| skeleton(name).flat_map(char::to_lowercase).collect::<String>();
    if look(one) == look(other) {
        return Some("they look alike");
    }
    if plain(one) == plain(other) {
        return Some("they differ in a hyphen or a plural only");
    }
    let is_long = one.len() >= SHORT && other.len() >= SHORT;
    (is_long && one.len().abs_diff(other.len()) <= 1 && distance(one, other) <= 1)
        .then_some("they differ in one letter only")
}

/// A name without hyphens and without the ending of a plural.
fn plain(name: &str) -> String {
    let joined = name.replace(['-', '_'], "");
    match joined.strip_suffix('s') {
        Some(singular) if singular.len() >= SHORT => singular.strip_suffix('e').unwrap_or(singular).to_owned(),
        _ => joined.strip_suffix('e').filter(|stem| stem.len() >= SHORT).unwrap_or(&joined).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> bool {
        let (one, other): (PackageName, PackageName) = (one.parse().unwrap(), other.parse().unwrap());
        let found = !similar(&one, [&other]).is_empty();
        assert_eq!(found, !similar(&other, [&one]).is_empty(), "{one} {other}");
        found
    }

    #[test]
    fn what_could_be_taken_for_another_is_found() {
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
    fn what_is_clearly_two_is_left_alone() {
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

//! The globs of filters and permissions, in which `*` matches any characters.

/// Whether `name` matches `glob`, in which `*` matches any characters.
#[must_use]
pub fn matches_glob(glob: &str, name: &str) -> bool {
    let Some((head, rest)) = glob.split_once('*') else {
        return glob == name;
    };

    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };

    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        // The last part must be at the end; any earlier match of it does not count.
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        // Leftmost matches are enough: they leave the longest rest for the parts that follow.
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        for (glob, name) in [
            ("*", ""),
            ("*", "pdf"),
            ("pdf", "pdf"),
            ("pdf-*", "pdf-"),
            ("*-*-x", "a-b-c-x"),
            ("a*a", "aa"),
        ] {
            assert!(matches_glob(glob, name), "{glob} {name}");
        }
        for (glob, name) in [
            ("pdf", "pdf-forms"),
            ("pdf-*", "pdf"),
            ("a*a", "a"),
            ("*-x", "x"),
            ("a*b*c", "acb"),
        ] {
            assert!(!matches_glob(glob, name), "{glob} {name}");
        }
    }
}

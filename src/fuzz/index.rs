//! The lines of an index.

use crate::index::IndexEntry;
use crate::package::PackageName;

/// A parsed line is written as one line, which parses the same; a line about another package is refused.
pub(super) fn index_line(input: &[u8]) {
    let Ok(line) = std::str::from_utf8(input) else {
        return;
    };

    let name = serde_json::from_str::<serde_json::Value>(line).ok();
    let name = name
        .as_ref()
        .and_then(|value| value.get("name"))
        .and_then(|name| name.as_str());

    let name: PackageName = name
        .unwrap_or("acme/pdf")
        .parse()
        .unwrap_or_else(|_| default_name());

    let Ok(entry) = IndexEntry::parse(line, &name) else {
        return;
    };

    let written = serde_json::to_string(&entry).expect("an entry is JSON");
    assert!(!written.contains('\n'));
    let again = IndexEntry::parse(&written, &name).expect("what was written can be read");
    assert_eq!(again, entry);
    assert_eq!(serde_json::to_string(&again).ok(), Some(written));

    let other = if name == default_name() {
        "acme/other".parse().expect("it is a name")
    } else {
        default_name()
    };

    assert!(IndexEntry::parse(line, &other).is_err());
}

fn default_name() -> PackageName {
    "acme/pdf".parse().expect("it is a name")
}

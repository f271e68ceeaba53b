//! All forms of findings that programs read, for tests of them.

use std::path::PathBuf;

use super::{DrawOptions, RepositoryRoot, by_file, github, gitlab, human, json, sarif, short};
use crate::report::FileFinding;

/// Findings in each JSON format, by its name; human formats are rendered as well, but not returned.
pub(crate) fn findings_for_programs(
    findings: &[FileFinding],
    text: &dyn Fn(&str) -> Option<String>,
) -> [(&'static str, String); 3] {
    let root = RepositoryRoot::new(
        PathBuf::from("/repository"),
        PathBuf::from("/repository/demo"),
    );

    let files = || by_file(findings, text);
    // Nothing is returned of these three, but no control character may get through them.
    for file in files() {
        for form in [
            human(&file, DrawOptions::default()),
            short(&file),
            github(&file, &root),
        ] {
            assert!(
                !form
                    .chars()
                    .any(|c| c.is_control() && c != '\n' && c != '\x1b'),
                "{form:?}"
            );
        }
    }
    let lines: String = files().map(|file| json(&file)).collect();

    [
        ("json", lines),
        ("sarif", sarif(files(), &root)),
        ("gitlab", gitlab(files(), &root)),
    ]
}

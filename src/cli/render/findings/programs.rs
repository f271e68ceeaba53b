//! All forms of findings that programs read, for tests of them.

use std::path::PathBuf;

use super::{Drawing, Root, by_file, github, gitlab, human, json, sarif, short};
use crate::report::Finding;

/// Findings in each form of JSON, by its name; those for people are drawn as well, and not given.
pub(crate) fn findings_for_programs(
    findings: &[Finding],
    text: &dyn Fn(&str) -> Option<String>,
) -> [(&'static str, String); 3] {
    let root = Root::new(PathBuf::from("/repository"), PathBuf::from("/repository/demo"));
    let files = || by_file(findings, text);
    for file in files() {
        for form in [human(&file, Drawing::default()), short(&file), github(&file, &root)] {
            assert!(!form.chars().any(|c| c.is_control() && c != '\n' && c != '\x1b'), "{form:?}");
        }
    }
    let lines: String = files().map(|file| json(&file)).collect();
    [("json", lines), ("sarif", sarif(files(), &root)), ("gitlab", gitlab(files(), &root))]
}

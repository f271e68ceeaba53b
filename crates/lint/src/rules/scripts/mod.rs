//! SK6: scripts.

mod interactive;
#[cfg(feature = "python")]
mod modules;
mod python;
mod shell;

use crate::Rule;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &python::SYNTAX,
    &shell::CRLF,
    &shell::NO_SHEBANG,
    &interactive::RULE,
    &python::UNDECLARED,
    &shell::NOT_EXECUTABLE,
    &shell::NO_ERREXIT,
];

/// Whether a script is a template or a test fixture, which may be incomplete or invalid.
fn is_sample(path: &str) -> bool {
    // Files to be copied or to be broken on purpose; the agent does not run them there.
    const DIRECTORIES: [&str; 6] = [
        "templates",
        "template",
        "fixtures",
        "testdata",
        "test_data",
        "snippets",
    ];
    path.split('/')
        .rev()
        .skip(1)
        .any(|dir| DIRECTORIES.contains(&dir))
}

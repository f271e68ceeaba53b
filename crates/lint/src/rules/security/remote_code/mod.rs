//! SK710-SK712, SK723, SK730 and SK741: remote code that is run without review.
//!
//! | file | rule | runs |
//! |---|---|---|
//! | `pipe`, `dns_answers` | SK710 | a download, or a DNS answer |
//! | `encoded` | SK711 | decoded data, and encoded text that hides a command |
//! | `prerequisite`, `lure` | SK712 | a program that the user has to run first |
//! | `unpinned` | SK723 | a package without a version |
//! | `registries` | SK723 | packages from untrusted registries |
//! | `evaluated` | SK741 | a response that is evaluated |
//! | `remote_instructions` | SK730 | instructions, by the agent |

pub(super) mod dns_answers;
pub(super) mod encoded;
pub(super) mod evaluated;
pub(super) mod lure;
pub(super) mod pipe;
pub(super) mod prerequisite;
pub(super) mod registries;
pub(super) mod remote_instructions;
pub(super) mod unpinned;

/// Most variables of a command whose values are looked up.
pub(super) const NAMES_MAX: usize = 16;

/// Returns the value of a variable in a text: the rest of the line of its first assignment.
pub(super) fn variable_value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.match_indices(name)
        .find_map(|(at, _)| parse_assignment(&text[..at], &text[at + name.len()..]))
}

/// Returns the value that a variable is assigned, from the texts before and after its name.
fn parse_assignment<'t>(before: &str, after: &'t str) -> Option<&'t str> {
    let rest = after.trim_start_matches([' ', ':']).strip_prefix('=')?;
    // Otherwise the name is the end of a longer one.
    let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    is_whole.then(|| rest.split('\n').next().unwrap_or(rest))
}

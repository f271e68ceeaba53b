//! SK710-SK712, SK723, SK730 and SK741: code that comes from somewhere else and is run unread.
//!
//! | file | rule | what is run |
//! |---|---|---|
//! | `pipe`, `named` | SK710 | a download, or what a name server answers |
//! | `encoded` | SK711 | what is decoded, and encoded text that hides a command |
//! | `prerequisite`, `lure` | SK712 | a program that a person is told to run first |
//! | `unpinned` | SK723 | a package of no version |
//! | `registries` | SK723 | packages from servers that nobody vouches for |
//! | `evaluated` | SK741 | answers that are evaluated |
//! | `elsewhere` | SK730 | instructions, by the agent |

pub(super) mod elsewhere;
pub(super) mod encoded;
pub(super) mod evaluated;
pub(super) mod lure;
pub(super) mod named;
pub(super) mod pipe;
pub(super) mod prerequisite;
pub(super) mod registries;
pub(super) mod unpinned;

/// What runs what it is given on its input: a shell, or an interpreter without a program of its own.
pub(super) const SHELL: &str = r#"(?:(?:sudo|doas|env|command|exec|nohup|time|builtin|busybox|setsid)(?:\s+-{1,2}[\w-]+|\s+\w+=\S+)*\s+)*["'(]?(?:/(?:usr/)?(?:local/)?bin/(?:env\s+)?)?(?:(?:ba|z|da|k|fi|a|tc|c|pw)?sh(?:\.exe)?\b(?P<with>\s+-c\b)?|(?:powershell(?:\.exe)?|iex|invoke-expression)\b|\$\{?shell\}?|(?:python[\d.]*|node|perl|ruby|php|deno|bun|osascript|tclsh|lua)(?:\s+-)?\s*(?:$|[\n;&)"'`<|]|\\n))"#;

/// Most names in a command whose values are looked up.
pub(super) const NAMES_MAX: usize = 16;

/// What a variable is given in a text: the rest of the line of its first assignment.
pub(super) fn value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.match_indices(name).find_map(|(at, _)| {
        let is_whole = !text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        let rest = text[at + name.len()..].trim_start_matches([' ', ':']).strip_prefix('=')?;
        is_whole.then(|| rest.split('\n').next().unwrap_or(rest))
    })
}

//! A command on a page, with a button that copies it.

use serde::Serialize;

use super::html_text::escape_html;

/// A command that a reader can copy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InstallCommand {
    /// When to use it; empty for the first of a page.
    pub label: String,
    /// The command. `{site}` is replaced with what `skillpm add` takes for the site, `{root}` with its URL without a slash at
    /// the end, both as the browser sees them.
    pub command: String,
}

/// What is replaced in a command, and the attribute by which the script finds it.
const SLOTS: [(&str, &str); 2] = [("{site}", "data-site"), ("{root}", "data-site-root")];

/// Shown where neither the site nor the browser knows the address.
const SITE_PLACEHOLDER: &str = "https://THIS-SITE";

/// The command as HTML.
pub(super) fn fill_slots(command: &str) -> String {
    // A browser ends a line at a hyphen, and half of a flag or a name looks like a word.
    let word = |word: &str| {
        let text = escape_html(word);
        if word.contains('-') {
            format!("<span class=\"word\">{text}</span>")
        } else {
            text
        }
    };
    let words: Vec<String> = command.split(' ').map(word).collect();
    let mut html = words.join(" ");
    for (slot, attribute) in SLOTS {
        html = html.replace(
            slot,
            &format!("<span {attribute}>{SITE_PLACEHOLDER}</span>"),
        );
    }
    html
}

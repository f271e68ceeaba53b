//! A command on a page, with a button that copies it.

use super::html_text::escape_html;

/// A command that a reader can copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

impl InstallCommand {
    /// The command as HTML; its button needs the script, and is hidden without.
    pub(super) fn to_html(&self) -> String {
        let mut text = escape_html(&self.command);
        for (slot, attribute) in SLOTS {
            text = text.replace(
                slot,
                &format!("<span {attribute}>{SITE_PLACEHOLDER}</span>"),
            );
        }

        let label = if self.label.is_empty() {
            String::new()
        } else {
            format!("<p class=\"quiet\">{}</p>\n", escape_html(&self.label))
        };
        format!(
            "{label}<div class=\"command\"><code tabindex=\"0\">{text}</code>\
             <button type=\"button\" data-copy hidden>Copy</button></div>\n"
        )
    }
}

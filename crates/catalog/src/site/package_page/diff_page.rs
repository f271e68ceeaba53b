//! `diff-1.1.0.html`: what a version changed, as a unified diff.

use std::fmt::Write as _;

use super::{PackagePage, VersionRow};
use crate::site::html_text::{escape_html, escape_lines, format_count};

/// The changes of a version from the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionDiff {
    /// The version before.
    pub from: String,
    /// The unified diff, or the beginning of it.
    pub text: String,
    /// Whether the text is only its beginning.
    pub is_cut: bool,
    /// The number of changed files.
    pub files: usize,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

impl VersionDiff {
    /// `+12 −3` with colors, and in words for a screen reader.
    pub(super) fn counts_html(&self) -> String {
        format!(
            "<span class=\"plus\">+{added}<span class=\"sr\"> lines added,</span></span> \
             <span class=\"minus\">−{removed}<span class=\"sr\"> lines removed</span></span>",
            added = format_count(self.added),
            removed = format_count(self.removed),
        )
    }
}

/// The file of the changes of a version; a version has no character that a path cannot have.
pub(super) fn file_name(version: &str) -> String {
    format!("diff-{}.html", escape_html(version))
}

pub(super) fn render(page: &PackagePage, row: &VersionRow, diff: &VersionDiff) -> String {
    let name = escape_html(&page.row.name);
    let (from, to) = (escape_html(&diff.from), escape_html(&row.version));
    let files = if diff.files == 1 { "file" } else { "files" };

    let mut html = format!(
        "<div class=\"wrap\">\n<div class=\"head\"><p><a href=\"index.html#versions\">← {name}</a></p>\n\
         <h1>{name} <span class=\"version\">{from} → {to}</span></h1>\n<p>{} {files} changed, {}</p></div>\n",
        format_count(diff.files),
        diff.counts_html(),
    );

    html.push_str("<pre tabindex=\"0\" class=\"source diff\">");
    let mut is_header = false;
    for line in diff.text.lines() {
        // Between the line of a file and its first hunk, `---` and `+++` are names.
        is_header = line.starts_with("diff ") || is_header && !line.starts_with("@@");
        let kind = match line.as_bytes().first() {
            _ if is_header => "name",
            Some(b'+') => "add",
            Some(b'-') => "del",
            Some(b'@') => "hunk",
            _ => "",
        };
        let line = escape_lines(line);
        let _ = match kind {
            "" => writeln!(html, "<span>{line}</span>"),
            _ => writeln!(html, "<span class=\"{kind}\">{line}</span>"),
        };
    }
    html.push_str("</pre>\n");

    if diff.is_cut {
        html.push_str(
            "<p class=\"note\">The rest of this diff is too long for a page: <code>skillpm diff</code> shows it for an installed skill.</p>\n",
        );
    }
    html.push_str("</div>\n");

    let title = format!("{} {} → {}", page.row.name, diff.from, row.version);
    page.frame(&title, &html)
}

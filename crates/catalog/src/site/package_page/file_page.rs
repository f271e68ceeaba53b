//! `files.html`: the text files of a package, as text.

use std::fmt::Write as _;

use super::PackagePage;
use super::sections::executable_mark;
use crate::site::html_text::{escape_html, escape_lines, format_bytes};

/// The anchor of the file at this place in the list.
pub(super) fn anchor(at: usize) -> String {
    format!("file-{at}")
}

pub(super) fn render(page: &PackagePage) -> String {
    let name = escape_html(&page.row.name);
    let mut html = format!(
        "<div class=\"wrap\">\n<div class=\"head\"><p><a href=\"index.html\">← {name}</a></p>\n<h1>Files of {name}</h1></div>\n"
    );

    for (at, file) in page.files.iter().enumerate() {
        let Some(text) = &file.text else {
            continue;
        };
        let path = escape_html(&file.path);
        let _ = write!(
            html,
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{path} <span class=\"quiet\">{}</span>{}</h2>\n\
             <pre tabindex=\"0\" class=\"source\" dir=\"auto\">{}</pre>\n",
            format_bytes(file.size),
            executable_mark(file),
            escape_lines(text),
            id = anchor(at),
        );
        if file.is_cut {
            html.push_str("<p class=\"note\">The rest of this file is too long for a page.</p>\n");
        }
        html.push_str("</section>\n");
    }
    html.push_str("</div>\n");

    page.frame(&format!("Files of {}", page.row.name), &html)
}

//! `index.html`: a page for people to look through what a site offers.
//!
//! One file, which fetches nothing: it works from a disk, without scripts, and in a screen reader. The script in it hides
//! what does not match, and puts the site's own address into the commands. All text of packages is escaped, and what acts
//! on a reader without being seen is shown as its number.

use std::fmt::Write as _;

use skillpm_core::package::SiteUrl;

/// The content of the page.
#[derive(Debug, Clone, Default)]
pub struct SitePage {
    /// The title of the page.
    pub title: String,
    /// Where the site will be; `None` if that is not known.
    pub base: Option<SiteUrl>,
    /// What it offers, in this order.
    pub rows: Vec<PageRow>,
}

/// One package.
#[derive(Debug, Clone, Default)]
pub struct PageRow {
    /// Its name.
    pub name: String,
    /// The version that is offered; `None` where it states none.
    pub version: Option<String>,
    /// What it is for.
    pub description: String,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Its licence.
    pub license: Option<String>,
    /// What is typed after `skillpm add` and the site's address; `None` if the site does not offer it there.
    pub skill: Option<String>,
    /// What is typed after `skillpm add` where a registry is meant.
    pub spec: Option<String>,
    /// All versions, the newest first, with those that were withdrawn marked.
    pub versions: Vec<(String, bool)>,
}

/// Placeholder for the site's address if it is unknown; the script replaces it.
const SITE_PLACEHOLDER: &str = "https://THIS-SITE";

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8886}
body{font:1rem/1.5 system-ui,sans-serif;max-width:52rem;margin:0 auto;padding:1rem}
h1{margin:.5rem 0}h2{font-size:1.1rem;margin:0;overflow-wrap:anywhere}
ul.skills{list-style:none;padding:0}ul.skills>li{border-top:1px solid var(--line);padding:.8rem 0}
p{margin:.3rem 0;overflow-wrap:anywhere}.facts{opacity:.8;font-size:.9rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem .6rem}
code{display:block;overflow-x:auto;padding:.3rem .5rem;background:#8882;font-size:.9rem}
";

const SCRIPT: &str = "\
'use strict';
const field = document.getElementById('filter');
const count = document.getElementById('count');
const items = Array.from(document.querySelectorAll('ul.skills > li'));
const texts = items.map(item => item.textContent.toLowerCase());
function filter() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  items.forEach((item, at) => {
    const fits = words.every(word => texts[at].includes(word));
    item.hidden = !fits;
    shown += fits ? 1 : 0;
  });
  count.textContent = shown + ' of ' + items.length;
}
document.getElementById('search').hidden = false;
field.addEventListener('input', filter);
if (/^https?:$/.test(location.protocol)) {
  const path = location.pathname.replace(/[^/]*$/, '').replace(/\\/$/, '');
  const site = location.origin + (path ? path + '/.well-known/agent-skills' : '');
  document.querySelectorAll('code .site').forEach(place => { place.textContent = site; });
}
filter();
";

impl SitePage {
    /// The page.
    #[must_use]
    pub fn to_html(&self) -> String {
        let title = escape_html(&self.title);
        // No script or style from elsewhere may run, even if an escape were missed.
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
             <div id=\"search\" role=\"search\" hidden>\n<label for=\"filter\">Filter by words</label>\n\
             <input id=\"filter\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\">\n\
             <p id=\"count\" class=\"facts\" role=\"status\"></p>\n</div>\n<ul class=\"skills\">\n"
        );

        for row in &self.rows {
            self.write_row(&mut html, row);
        }

        let _ = write!(
            html,
            "</ul>\n</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        );
        html
    }

    fn write_row(&self, html: &mut String, row: &PageRow) {
        let name = escape_html(&row.name);

        // Writing to a string cannot fail, so the results are dropped.
        let _ = write!(html, "<li id=\"{name}\">\n<h2>{name}");
        if let Some(version) = &row.version {
            let _ = write!(html, " <small>{}</small>", escape_html(version));
        }

        let _ = write!(
            html,
            "</h2>\n<p dir=\"auto\">{}</p>\n",
            escape_html(&row.description)
        );

        let facts: Vec<String> = row
            .license
            .iter()
            .map(|license| format!("License: {}", escape_html(license)))
            .chain(
                (!row.keywords.is_empty())
                    .then(|| format!("Keywords: {}", escape_html(&row.keywords.join(", ")))),
            )
            .chain(
                (row.versions.len() > 1)
                    .then(|| format!("Versions: {}", versions_html(&row.versions))),
            )
            .collect();

        for fact in facts {
            let _ = writeln!(html, "<p class=\"facts\">{fact}</p>");
        }

        if let Some(command) = self.add_command(row) {
            let _ = writeln!(html, "<code>{command}</code>");
        }

        html.push_str("</li>\n");
    }

    /// The command that adds a package, as HTML.
    fn add_command(&self, row: &PageRow) -> Option<String> {
        // The registry comes first: it has versions, where a site has the current files only.
        if let Some(spec) = &row.spec {
            return Some(format!("skillpm add {}", escape_html(spec)));
        }
        let skill = escape_html(row.skill.as_ref()?);

        let site = match &self.base {
            Some(base) => escape_html(&base.to_spec()),
            None => format!("<span class=\"site\">{SITE_PLACEHOLDER}</span>"),
        };

        Some(format!("skillpm add {site} --skill {skill}"))
    }
}

fn versions_html(versions: &[(String, bool)]) -> String {
    let shown: Vec<String> = versions
        .iter()
        .map(|(version, yanked)| match yanked {
            true => format!("<s>{}</s> (withdrawn)", escape_html(version)),
            false => escape_html(version),
        })
        .collect();

    shown.join(", ")
}

/// Text as HTML, safe between tags and in an attribute.
fn escape_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());

    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            // Line ends would be harmless in a text, but not inside an attribute.
            '\n' | '\t' | '\r' => html.push(' '),
            c if is_hidden(c) => html.extend(c.escape_unicode()),
            c => html.push(c),
        }
    }

    html
}

/// Whether a character acts on a reader without being seen: controls, overrides of direction, tags. Joiners stay, since
/// scripts and emoji need them.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(base: Option<&str>, row: PageRow) -> String {
        SitePage {
            title: "Skills".into(),
            base: base.map(|base| base.parse().unwrap()),
            rows: vec![row],
        }
        .to_html()
    }

    #[test]
    fn nothing_of_a_package_becomes_part_of_the_page() {
        let evil = "</p><script>alert(1)</script>\" onload='x' \u{202e}\u{7}";
        let row = PageRow {
            name: evil.into(),
            version: Some(evil.into()),
            description: evil.into(),
            keywords: vec![evil.into()],
            license: Some(evil.into()),
            skill: Some(evil.into()),
            spec: None,
            versions: vec![(evil.into(), true), (evil.into(), false)],
        };
        let html = page(None, row);
        assert_eq!(html.matches("<script>").count(), 1);
        assert!(
            !html.contains("\" onload") && !html.contains('\u{202e}') && !html.contains('\u{7}'),
            "{html}"
        );
        assert!(html.contains("\\u{202e}"));
    }

    #[test]
    fn the_page_fetches_nothing() {
        let html = page(
            None,
            PageRow {
                name: "pdf".into(),
                skill: Some("pdf".into()),
                ..PageRow::default()
            },
        );
        for outside in ["src=", "href=", "url(", "@import", "fetch("] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_command_names_the_place_where_it_is_known() {
        let row = PageRow {
            name: "pdf".into(),
            skill: Some("pdf".into()),
            ..PageRow::default()
        };
        assert!(
            page(Some("https://acme.dev"), row.clone())
                .contains("<code>skillpm add https://acme.dev --skill pdf</code>")
        );
        assert!(
            page(Some("https://acme.dev/docs"), row.clone())
                .contains("https://acme.dev/docs/.well-known/agent-skills")
        );
        assert!(
            page(None, row).contains("<span class=\"site\">https://THIS-SITE</span> --skill pdf")
        );
        let scoped = PageRow {
            name: "acme/pdf".into(),
            spec: Some("acme/pdf".into()),
            ..PageRow::default()
        };
        assert!(page(None, scoped).contains("<code>skillpm add acme/pdf</code>"));
    }
}

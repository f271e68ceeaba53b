//! The pages that list packages: the first page with its search, and plain lists by first letter, which work without
//! scripts.
//!
//! ```text
//! index.html            search, filters, and the packages that were published last
//! browse/index.html     the letters
//! browse/p.html         the packages with names in `p`; then p-2.html, …
//! rules.html            the security rules that findings on the pages link to
//! assets/               style, script, and the search data
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::html_text::{PageFrame, escape_html, format_count, format_plural};
use super::install_command::InstallCommand;
use super::json_text::plain_file;
use super::markdown::render_markdown;
use super::package_row::PackageRow;
use super::search_index::build_search;
use super::site_builder::SiteFiles;

/// Packages on one page of a plain list.
const BROWSE_ROWS: usize = 200;

/// Packages on the first page.
const RECENT_ROWS: usize = 20;

/// The group of names that begin with none of `a` to `z`.
const OTHER_LETTER: &str = "0-9";

/// The files that all pages use.
const ASSETS: [(&str, &str); 3] = [
    ("assets/site.css", include_str!("assets/site.css")),
    ("assets/site.js", include_str!("assets/site.js")),
    ("assets/icon.svg", include_str!("assets/icon.svg")),
];

/// The lists of a site.
#[derive(Debug, Clone, Default)]
pub struct SiteIndex {
    /// The name of the site.
    pub title: String,
    /// A line below it; empty for the numbers of skills and versions.
    pub subtitle: String,
    /// The number of all versions; 0 if skills have none.
    pub versions: usize,
    /// How to use the site.
    pub setup: Vec<InstallCommand>,
    /// The packages, in any order.
    pub rows: Vec<PackageRow>,
    /// The rules that findings link to; empty for no page of them.
    pub rules: Vec<RuleEntry>,
}

/// A rule that findings link to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleEntry {
    /// The code, such as `SK711`.
    pub code: String,
    /// The name.
    pub name: String,
    /// How bad its findings are.
    pub severity: String,
    /// What it finds, in Markdown.
    pub summary: String,
    /// Why that is bad, in Markdown.
    pub reason: String,
}

impl SiteIndex {
    /// The pages and what they load, by path relative to the site's root.
    #[must_use]
    pub fn into_files(mut self) -> SiteFiles {
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        if self.subtitle.is_empty() {
            self.subtitle = count_skills(rows.len(), self.versions);
        }

        let search = build_search(&rows);
        let mut files = search.files;
        files.extend(ASSETS.map(|(path, text)| (path.to_owned(), plain_file(text))));
        files.insert(
            "index.html".into(),
            plain_file(self.home_page(&rows, &search.place)),
        );
        files.extend(self.browse_pages(&rows));
        if !self.rules.is_empty() {
            files.insert("rules.html".into(), plain_file(self.rules_page()));
        }
        files
    }

    fn frame(&self, title: &str, root: &str, content: &str, search: Option<&str>) -> String {
        let title = if title.is_empty() {
            self.title.clone()
        } else {
            format!("{title} - {}", self.title)
        };
        PageFrame {
            title: &title,
            site: &self.title,
            root,
            description: &self.subtitle,
            search,
            content,
        }
        .to_html()
    }

    fn home_page(&self, rows: &[PackageRow], search: &str) -> String {
        let count = format_count(rows.len());
        let mut html = format!(
            "<div class=\"hero\"><div class=\"wrap\">\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n\
             <form class=\"find\" role=\"search\" id=\"search\" hidden>\n<label class=\"sr\" for=\"q\">Search skills</label>\n\
             <input id=\"q\" type=\"search\" placeholder=\"Search {count} skills\" autocomplete=\"off\" \
             spellcheck=\"false\" aria-describedby=\"keys\"><kbd aria-hidden=\"true\">/</kbd>\n\
             <p class=\"sr\" id=\"keys\">Results change while you type. Use the arrow keys to go through them.</p>\n</form>\n\
             </div></div>\n",
            escape_html(&self.title),
            escape_html(&self.subtitle),
        );

        html.push_str(
            "<div class=\"wrap\">\n<div class=\"columns\">\n<aside class=\"filters\" id=\"filters\" aria-label=\"Filters\" hidden></aside>\n\
             <div class=\"body\">\n<section id=\"results\" aria-labelledby=\"found\" hidden>\n<h2 id=\"found\" class=\"sr\">Search results</h2>\n\
             <p id=\"count\" class=\"count\" role=\"status\"></p>\n<ul id=\"active\" class=\"tags\" aria-label=\"Active filters\" hidden></ul>\n\
             <ol id=\"hits\" class=\"rows\"></ol>\n<p><button type=\"button\" id=\"more\" hidden>Show more</button></p>\n</section>\n\
             <div id=\"start\">\n",
        );

        write_recent(&mut html, rows);
        html.push_str("<section aria-labelledby=\"letters\">\n<h2 id=\"letters\">By name</h2>\n");
        write_letters(&mut html, &by_letter(rows), "", None);
        html.push_str("</section>\n");
        self.write_setup(&mut html);

        html.push_str("</div>\n</div>\n</div>\n</div>\n");
        self.frame("", "", &html, Some(search))
    }

    fn write_setup(&self, html: &mut String) {
        if self.setup.is_empty() {
            return;
        }

        html.push_str("<section aria-labelledby=\"setup\">\n<h2 id=\"setup\">Use this site</h2>\n");
        self.setup
            .iter()
            .for_each(|command| html.push_str(&command.to_html()));
        html.push_str("</section>\n");
    }

    fn browse_pages(&self, rows: &[PackageRow]) -> SiteFiles {
        let letters = by_letter(rows);
        let mut files = SiteFiles::new();

        let mut html = String::from(
            "<div class=\"wrap\">\n<div class=\"head\"><h1>Skills by name</h1></div>\n",
        );
        write_letters(&mut html, &letters, "../", None);
        html.push_str("</div>\n");
        files.insert(
            "browse/index.html".into(),
            plain_file(self.frame("Skills by name", "../", &html, None)),
        );

        for (letter, rows) in &letters {
            let pages = rows.len().div_ceil(BROWSE_ROWS);
            for (at, part) in rows.chunks(BROWSE_ROWS).enumerate() {
                let html = browse_html(letter, &letters, part, (at + 1, pages));
                let title = format!("Skills in {letter}");
                files.insert(
                    browse_path(letter, at + 1),
                    plain_file(self.frame(&title, "../", &html, None)),
                );
            }
        }
        files
    }

    fn rules_page(&self) -> String {
        let mut html = String::from(
            "<div class=\"wrap\">\n<div class=\"head\"><h1>Security rules</h1>\n<p class=\"lead\">What <code>skillpm audit</code> \
             looks for in the files of a skill. It runs nothing.</p></div>\n",
        );
        for rule in &self.rules {
            let id = escape_html(&rule.code.to_lowercase());
            let _ = write!(
                html,
                "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{} <span class=\"quiet\">{}, {}</span></h2>\n\
                 <div class=\"prose\">{}{}</div>\n</section>\n",
                escape_html(&rule.name),
                escape_html(&rule.code),
                escape_html(&rule.severity),
                render_markdown(&rule.summary, &|_| None),
                render_markdown(&rule.reason, &|_| None),
            );
        }
        html.push_str("</div>\n");
        self.frame("Security rules", "", &html, None)
    }
}

/// The packages that were published last; without dates the first ones.
fn write_recent(html: &mut String, rows: &[PackageRow]) {
    let mut recent: Vec<&PackageRow> = rows.iter().filter(|row| row.published.is_some()).collect();
    // Sorting is stable: packages of one day stay in the order of names.
    recent.sort_by(|a, b| b.published.cmp(&a.published));

    let heading = if recent.is_empty() {
        recent = rows.iter().collect();
        "Skills"
    } else {
        "Recently published"
    };

    let _ = write!(
        html,
        "<section aria-labelledby=\"recent\">\n<h2 id=\"recent\">{heading}</h2>\n<ol class=\"rows\">\n"
    );
    for row in recent.into_iter().take(RECENT_ROWS) {
        row.write_item(html, "");
    }
    html.push_str("</ol>\n</section>\n");
}

/// `10,002 skills, 10,003 versions`.
fn count_skills(skills: usize, versions: usize) -> String {
    let skills = format_plural(skills, "skill");
    match versions {
        0 => skills,
        _ => format!("{skills}, {}", format_plural(versions, "version")),
    }
}

/// A page of a plain list; `(at, pages)` is its number and that of the last one.
fn browse_html(
    letter: &str,
    letters: &BTreeMap<String, Vec<&PackageRow>>,
    rows: &[&PackageRow],
    (at, pages): (usize, usize),
) -> String {
    let mut html = format!(
        "<div class=\"wrap\">\n<div class=\"head\"><h1>Skills in {letter}</h1>\n<p class=\"lead\">{}</p></div>\n",
        format_plural(letters[letter].len(), "skill"),
    );
    write_letters(&mut html, letters, "../", Some(letter));

    html.push_str("<h2 class=\"sr\">List</h2>\n<ol class=\"rows\">\n");
    rows.iter().for_each(|row| row.write_item(&mut html, "../"));
    html.push_str("</ol>\n");

    if pages > 1 {
        html.push_str("<nav class=\"pages\" aria-label=\"Pages\">");
        if at > 1 {
            let _ = write!(
                html,
                "<a rel=\"prev\" href=\"../{}\">← Previous</a> ",
                browse_path(letter, at - 1)
            );
        }
        let _ = write!(html, "<span>Page {at} of {pages}</span>");
        if at < pages {
            let _ = write!(
                html,
                " <a rel=\"next\" href=\"../{}\">Next →</a>",
                browse_path(letter, at + 1)
            );
        }
        html.push_str("</nav>\n");
    }
    html.push_str("</div>\n");
    html
}

fn browse_path(letter: &str, page: usize) -> String {
    match page {
        1 => format!("browse/{letter}.html"),
        _ => format!("browse/{letter}-{page}.html"),
    }
}

/// The packages by the first letter of the skill's name, with or without a scope.
fn by_letter(rows: &[PackageRow]) -> BTreeMap<String, Vec<&PackageRow>> {
    let mut letters: BTreeMap<String, Vec<&PackageRow>> = BTreeMap::new();
    for row in rows {
        let skill = row.name.rsplit('/').next().unwrap_or_default();
        let letter = match skill.chars().next().map(|c| c.to_ascii_lowercase()) {
            Some(c) if c.is_ascii_lowercase() => c.to_string(),
            _ => OTHER_LETTER.to_owned(),
        };
        letters.entry(letter).or_default().push(row);
    }

    for rows in letters.values_mut() {
        rows.sort_by_key(|row| (row.name.rsplit('/').next(), &row.name));
    }
    letters
}

fn write_letters(
    html: &mut String,
    letters: &BTreeMap<String, Vec<&PackageRow>>,
    root: &str,
    current: Option<&str>,
) {
    html.push_str("<nav class=\"letters\" aria-label=\"First letter\"><ul>");
    for (letter, rows) in letters {
        let here = if current == Some(letter) {
            " aria-current=\"page\""
        } else {
            ""
        };
        let _ = write!(
            html,
            "<li><a href=\"{root}{}\"{here}>{letter}<span class=\"sr\">, {}</span></a></li>",
            browse_path(letter, 1),
            format_plural(rows.len(), "skill"),
        );
    }
    html.push_str("</ul></nav>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, published: Option<&str>) -> PackageRow {
        PackageRow {
            name: name.into(),
            slug: name.into(),
            published: published.map(str::to_owned),
            ..PackageRow::default()
        }
    }

    fn site(rows: Vec<PackageRow>) -> SiteFiles {
        SiteIndex {
            title: "Skills".into(),
            rows,
            ..SiteIndex::default()
        }
        .into_files()
    }

    fn text<'f>(files: &'f SiteFiles, path: &str) -> &'f str {
        std::str::from_utf8(&files[path].bytes).unwrap()
    }

    #[test]
    fn newest_packages_are_on_the_first_page() {
        let files = site(vec![
            row("old", Some("2026-01-01")),
            row("undated", None),
            row("acme/new", Some("2026-02-01")),
        ]);
        let html = text(&files, "index.html");
        let recent = html.split("id=\"letters\"").next().unwrap();
        assert!(recent.find("acme/new") < recent.find(">old<"), "{html}");
        assert!(!recent.contains("undated"));
        assert!(html.contains("data-search=\"assets/search/"));
        let data = html
            .split("data-search=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        assert!(files.contains_key(&format!("{data}meta.js")));
    }

    #[test]
    fn every_package_is_in_a_plain_list() {
        let rows = (0..450).map(|at| row(&format!("pdf-{at:03}"), None));
        let files = site(
            rows.chain([row("acme/notes", None), row("7zip", None)])
                .collect(),
        );
        let pages: Vec<&String> = files
            .keys()
            .filter(|path| path.starts_with("browse/"))
            .collect();
        assert_eq!(
            pages,
            [
                "browse/0-9.html",
                "browse/index.html",
                "browse/n.html",
                "browse/p-2.html",
                "browse/p-3.html",
                "browse/p.html"
            ]
        );
        assert_eq!(
            text(&files, "browse/p-3.html").matches("<li><div").count(),
            50
        );
        assert!(text(&files, "browse/p-2.html").contains("<span>Page 2 of 3</span>"));
        assert!(text(&files, "browse/n.html").contains("href=\"../skills/acme/notes/index.html\""));
    }

    #[test]
    fn first_page_counts_skills_and_versions() {
        assert_eq!(count_skills(1, 0), "1 skill");
        assert_eq!(count_skills(10_002, 1), "10,002 skills, 1 version");
        assert!(
            text(&site(vec![row("pdf", None)]), "index.html")
                .contains("<p class=\"lead\">1 skill</p>")
        );
    }

    #[test]
    fn hostile_rules_and_titles_are_escaped() {
        let evil = "<script>\"'\u{202e}";
        let files = SiteIndex {
            title: evil.into(),
            subtitle: evil.into(),
            versions: 0,
            setup: vec![InstallCommand {
                label: evil.into(),
                command: evil.into(),
            }],
            rows: vec![PackageRow {
                name: evil.into(),
                slug: "x".into(),
                description: evil.into(),
                tags: vec![evil.into()],
                license: Some(evil.into()),
                version: Some(evil.into()),
                ..PackageRow::default()
            }],
            rules: vec![RuleEntry {
                code: evil.into(),
                name: evil.into(),
                severity: evil.into(),
                summary: evil.into(),
                reason: evil.into(),
            }],
        }
        .into_files();
        for (path, file) in &files {
            let is_page = path.rsplit('.').next() == Some("html");
            if is_page {
                let html = std::str::from_utf8(&file.bytes).unwrap();
                assert_eq!(html.matches("<script").count(), 1, "{path}");
                assert!(!html.contains('\u{202e}'), "{path}");
            }
        }
    }
}

//! The pages that list packages: the first page with its search, and plain lists by first letter, which work without
//! scripts.
//!
//! ```text
//! index.html            search, filters, and the packages that were published last
//! browse/index.html     the names of all packages, or of some for each letter
//! browse/p.html         the packages with names in `p`; then p-2.html, …
//! rules.html            the security rules that findings on the pages link to
//! assets/               style, script, and the search data
//! ```

use std::collections::BTreeMap;

use minijinja::{Value, context};
use serde::Serialize;

use super::html_text::format_plural;
use super::install_command::InstallCommand;
use super::json_text::plain_file;
use super::package_row::PackageRow;
use super::search_index::build_search;
use super::site_builder::SiteFiles;
use super::templates::render;
use skillpm_core::package::TreeFile;

/// Packages on one page of a plain list.
const BROWSE_ROWS: usize = 200;

/// Up to how many packages the first plain list has all of them; of more it has a few for each letter.
const BROWSE_NAMES_MAX: usize = 1000;
const BROWSE_NAMES_FEW: usize = 12;

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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
        files.insert("index.html".into(), self.home_page(&rows, &search.place));
        files.extend(self.browse_pages(&rows));
        if !self.rules.is_empty() {
            let rules = context! { rules => self.rules };
            files.insert(
                "rules.html".into(),
                self.page("rules.html", "Security rules", "", rules),
            );
        }
        files
    }

    /// A page, with the values that its template needs besides those of the frame.
    fn page(&self, template: &str, title: &str, root: &str, values: Value) -> TreeFile {
        let title = if title.is_empty() {
            self.title.clone()
        } else {
            format!("{title} - {}", self.title)
        };
        let frame = context! { title, site => self.title, root, description => self.subtitle };
        render(template, context! { ..frame, ..values })
    }

    fn home_page(&self, rows: &[PackageRow], search: &str) -> TreeFile {
        let (heading, recent) = recent_rows(rows);
        let values = context! {
            search,
            count => rows.len(),
            heading,
            recent,
            letters => letter_values(&by_letter(rows)),
            setup => self.setup,
        };
        self.page("home.html", "", "", values)
    }

    fn browse_pages(&self, rows: &[PackageRow]) -> SiteFiles {
        let by_letter = by_letter(rows);
        let letters = letter_values(&by_letter);
        let named = if rows.len() < BROWSE_NAMES_MAX {
            rows.len()
        } else {
            BROWSE_NAMES_FEW
        };
        let groups: Value = by_letter
            .iter()
            .map(|(name, rows)| {
                let shown = rows.iter().take(named).map(|row| row.to_name());
                context! { name, count => rows.len(), rows => shown.collect::<Value>() }
            })
            .collect();
        let index = context! { letters, groups };
        let mut files = SiteFiles::from([(
            "browse/index.html".to_owned(),
            self.page("browse.html", "Skills by name", "../", index),
        )]);

        for (letter, rows) in &by_letter {
            let pages = rows.len().div_ceil(BROWSE_ROWS);
            for (part, page) in rows.chunks(BROWSE_ROWS).zip(1..) {
                let values = context! {
                    letters,
                    letter,
                    count => rows.len(),
                    rows => part.iter().map(|row| row.to_value()).collect::<Value>(),
                    page,
                    pages,
                    previous => (page > 1).then(|| browse_path(letter, page - 1)),
                    next => (page < pages).then(|| browse_path(letter, page + 1)),
                };
                let title = format!("Skills in {letter}");
                files.insert(
                    browse_path(letter, page),
                    self.page("letter.html", &title, "../", values),
                );
            }
        }
        files
    }
}

/// The packages that were published last, below their heading; without dates the first ones.
fn recent_rows(rows: &[PackageRow]) -> (&'static str, Value) {
    let mut recent: Vec<&PackageRow> = rows.iter().filter(|row| row.published.is_some()).collect();
    // Sorting is stable: packages of one moment stay in the order of names.
    recent.sort_by_key(|row| std::cmp::Reverse(row.published));

    let heading = if recent.is_empty() {
        recent = rows.iter().collect();
        "Skills"
    } else {
        "Recently published"
    };
    let shown = recent.into_iter().take(RECENT_ROWS);
    (heading, shown.map(PackageRow::to_value).collect())
}

/// `10,002 skills, 10,003 versions`.
fn count_skills(skills: usize, versions: usize) -> String {
    let skills = format_plural(skills, "skill");
    match versions {
        0 => skills,
        _ => format!("{skills}, {}", format_plural(versions, "version")),
    }
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

fn letter_values(letters: &BTreeMap<String, Vec<&PackageRow>>) -> Value {
    letters
        .iter()
        .map(|(name, rows)| context! { name, count => rows.len() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, published: Option<&str>) -> PackageRow {
        PackageRow {
            name: name.into(),
            slug: name.into(),
            published: published.map(|time| time.parse().unwrap()),
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
            row("old", Some("2026-02-01T08:59:59Z")),
            row("undated", None),
            row("acme/new", Some("2026-02-01T10:00:00.5+01:00")),
            row("acme/older", Some("2026-02-01T09:00:00Z")),
        ]);
        let html = text(&files, "index.html");
        let recent = html.split("id=\"letters\"").next().unwrap();
        let names = ["acme/new", "acme/older", "old"].map(|name| recent.find(&format!(">{name}<")));
        assert!(names.is_sorted() && names[0].is_some(), "{html}");
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
    fn first_plain_list_names_all_of_a_few_and_some_of_many() {
        let names = |count: usize| {
            let files = site(
                (0..count)
                    .map(|at| row(&format!("pdf-{at:04}"), None))
                    .collect(),
            );
            let html = text(&files, "browse/index.html").to_owned();
            let rest = html.contains("<a href=\"../browse/p.html\">All 1,000 skills in ");
            (html.matches("<li><a href=\"../skills/").count(), rest)
        };
        assert_eq!(names(999), (999, false));
        assert_eq!(names(1000), (BROWSE_NAMES_FEW, true));
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

//! The pages of one package: what it is, how it is added, its instructions, versions, files, and what the checks found.
//!
//! ```text
//! skills/acme/pdf/index.html         the page
//! skills/acme/pdf/files.html         its text files
//! skills/acme/pdf/diff-1.1.0.html    what 1.1.0 changed
//! skills/acme/pdf/badge.svg
//! ```

mod aside;
mod diff_page;
mod file_page;
mod sections;

use std::fmt::Write as _;

use super::badge::render_badge;
use super::html_text::{PageFrame, escape_html, show_line};
use super::install_command::InstallCommand;
use super::json_text::plain_file;
use super::package_row::{PackageRow, mark_text};
use super::site_builder::SiteFiles;

pub use diff_page::VersionDiff;

/// One package, with everything that its pages show. What is empty is left out.
#[derive(Debug, Clone, Default)]
pub struct PackagePage {
    /// The name of the site.
    pub site: String,
    /// What lists show of it.
    pub row: PackageRow,
    /// The ways to add it, the best first.
    pub commands: Vec<InstallCommand>,
    /// A warning above all else: that every version is withdrawn, or that it is hidden.
    pub notice: Option<String>,
    /// Its instructions, in Markdown.
    pub instructions: Option<String>,
    /// Its files, sorted by path.
    pub files: Vec<PageFile>,
    /// Its versions, the newest first.
    pub versions: Vec<VersionRow>,
    /// What it depends on.
    pub dependencies: Vec<RelatedPackage>,
    /// The packages that depend on it.
    pub dependents: Vec<RelatedPackage>,
    /// What the static rules found; `None` if they were not run.
    pub audit: Option<AuditSummary>,
    /// What it uses, by kind.
    pub capabilities: Vec<CapabilityList>,
    /// How agents load it.
    pub agents: Vec<AgentSupport>,
    /// Tokens that its entry in the list of skills costs.
    pub listing_tokens: Option<usize>,
    /// Further facts: a label and a text.
    pub facts: Vec<(String, String)>,
    /// The copies of it on this machine, the one that agents see first.
    pub copies: Vec<InstalledPlace>,
}

/// A file of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFile {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is executable.
    pub executable: bool,
    /// Its text, or the beginning of it; `None` if it is not text, or is not shown.
    pub text: Option<String>,
    /// Whether the text is only its beginning.
    pub is_cut: bool,
}

/// A version of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionRow {
    /// The version.
    pub version: String,
    /// The day on which it was published.
    pub published: Option<String>,
    /// Why it is not selected any more: `yanked`, or why it was revoked.
    pub withdrawn: Option<String>,
    /// Its changes from the version before; `None` if they are not shown.
    pub diff: Option<VersionDiff>,
}

/// A package that another one depends on, or that depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RelatedPackage {
    /// Its name.
    pub name: String,
    /// The accepted versions.
    pub requirement: String,
    /// The directory of its page below `skills/`; `None` if it has none here.
    pub slug: Option<String>,
    /// The registry it comes from, if that is another one.
    pub registry: Option<String>,
}

/// What the static rules found in a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditSummary {
    /// The findings, the worst first.
    pub findings: Vec<AuditFinding>,
    /// How many there are besides.
    pub more: usize,
}

/// A finding of a static rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFinding {
    /// `low`, `medium`, `high` or `critical`.
    pub severity: String,
    /// The rule's code.
    pub code: String,
    /// The rule's name.
    pub rule: String,
    /// What was found.
    pub message: String,
    /// Where: `SKILL.md:12`.
    pub place: String,
}

/// What a package uses, of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapabilityList {
    /// The kind: `Commands`, `Hosts`, …
    pub label: String,
    /// The values, sorted; each with the first place where it is used, if that is known.
    pub values: Vec<(String, String)>,
    /// How many there are besides.
    pub more: usize,
}

/// How an agent loads a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentSupport {
    /// The agent's name.
    pub title: String,
    /// Why it does not list the skill, or not as intended; `None` if it does.
    pub problem: Option<String>,
    /// Whether it lists the skill at all.
    pub is_listed: bool,
}

/// A copy of a skill on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstalledPlace {
    /// The tier.
    pub tier: String,
    /// The directory.
    pub directory: String,
    /// The version there.
    pub version: Option<String>,
    /// `listed`, `hidden`, `shadowed`, and whether its files are the installed ones.
    pub state: String,
}

impl PackagePage {
    /// The pages, by path relative to the site's root.
    #[must_use]
    pub fn to_files(&self) -> SiteFiles {
        let dir = format!("skills/{}", self.row.slug);
        let badge = render_badge(&self.row.name, self.row.version.as_deref());
        let mut files = SiteFiles::from([
            (format!("{dir}/index.html"), plain_file(self.to_html())),
            (format!("{dir}/badge.svg"), plain_file(badge)),
        ]);

        if self.files.iter().any(|file| file.text.is_some()) {
            files.insert(
                format!("{dir}/files.html"),
                plain_file(file_page::render(self)),
            );
        }
        let diffs = self
            .versions
            .iter()
            .filter_map(|row| Some((row, row.diff.as_ref()?)));
        for (row, diff) in diffs {
            let path = format!("{dir}/{}", diff_page::file_name(&row.version));
            files.insert(path, plain_file(diff_page::render(self, row, diff)));
        }
        files
    }

    /// The way from its pages to the site's root.
    fn root(&self) -> String {
        "../".repeat(self.row.slug.split('/').count() + 1)
    }

    fn frame(&self, title: &str, content: &str) -> String {
        PageFrame {
            title: &format!("{title} - {}", self.site),
            site: &self.site,
            root: &self.root(),
            description: &self.row.short_description(),
            search: None,
            content,
        }
        .to_html()
    }

    /// The main page.
    fn to_html(&self) -> String {
        let mut html = String::from("<div class=\"wrap\">\n");
        self.write_head(&mut html);

        html.push_str("<div class=\"package\">\n");
        self.write_commands(&mut html);
        html.push_str("<div class=\"body\">\n");
        let sections = self.sections();
        html.push_str("<nav class=\"tabs\" aria-label=\"Sections\"><ul>");
        for section in &sections {
            let count = section
                .count
                .map_or(String::new(), |count| format!(" <span>{count}</span>"));
            let _ = write!(
                html,
                "<li><a href=\"#{}\">{}{count}</a></li>",
                section.id, section.title
            );
        }
        html.push_str("</ul></nav>\n");

        for section in &sections {
            let _ = write!(
                html,
                "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n{}</section>\n",
                section.title,
                section.content,
                id = section.id,
            );
        }

        html.push_str("</div>\n");
        self.write_aside(&mut html);
        html.push_str("</div>\n</div>\n");

        self.frame(&self.row.name, &html)
    }

    fn write_head(&self, html: &mut String) {
        let row = &self.row;
        let name = match row.name.split_once('/') {
            Some((scope, skill)) => format!(
                "<span class=\"scope\">{}/</span>{}",
                escape_html(scope),
                escape_html(skill)
            ),
            None => escape_html(&row.name),
        };

        let _ = write!(html, "<div class=\"head\">\n<h1>{name}");
        if let Some(version) = &row.version {
            let _ = write!(
                html,
                " <span class=\"version\">{}</span>",
                escape_html(version)
            );
        }
        html.push_str("</h1>\n");

        let marks = row.marks();
        if !marks.is_empty() {
            html.push_str("<p class=\"marks\">");
            for (kind, text) in marks {
                let text = escape_html(mark_text(kind, text));
                let _ = write!(html, "<span class=\"mark {kind}\">{text}</span> ");
            }
            html.push_str("</p>\n");
        }

        let _ = writeln!(
            html,
            "<p class=\"lead\" dir=\"auto\">{}</p>",
            escape_html(&row.description)
        );
        if !row.tags.is_empty() {
            html.push_str("<ul class=\"tags\" aria-label=\"Tags\">");
            for tag in &row.tags {
                let _ = write!(
                    html,
                    "<li><a href=\"{}index.html#tag={}\">{}</a></li>",
                    self.root(),
                    fragment_value(&show_line(tag)),
                    escape_html(tag)
                );
            }
            html.push_str("</ul>\n");
        }
        if let Some(notice) = &self.notice {
            let _ = writeln!(html, "<p class=\"notice\">{}</p>", escape_html(notice));
        }
        html.push_str("</div>\n");
    }
}

/// A value in the fragment of a URL.
fn fragment_value(text: &str) -> String {
    let mut value = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                value.push(char::from(byte));
            }
            _ => {
                let _ = write!(value, "%{byte:02X}");
            }
        }
    }
    value
}

#[cfg(test)]
mod tests;

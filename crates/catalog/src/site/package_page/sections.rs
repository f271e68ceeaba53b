//! The main column: instructions, versions, dependencies, findings and files.

use std::fmt::Write as _;

use super::{
    AuditFinding, AuditSummary, PackagePage, PageFile, RelatedPackage, VersionRow, diff_page,
    file_page,
};
use crate::site::html_text::{escape_html, format_bytes, format_plural};
use crate::site::markdown::render_markdown;

/// A part of the main column.
pub(super) struct PageSection {
    pub id: &'static str,
    pub title: &'static str,
    /// How many entries it has, where that is worth knowing before it is opened.
    pub count: Option<usize>,
    pub content: String,
}

impl PackagePage {
    /// The parts that have something to show, in their order.
    pub(super) fn sections(&self) -> Vec<PageSection> {
        let counted = |id, title, count: usize, content: String| {
            (count > 0).then_some(PageSection {
                id,
                title,
                count: Some(count),
                content,
            })
        };

        let instructions = self.instructions.as_ref().map(|text| PageSection {
            id: "instructions",
            title: "Instructions",
            count: None,
            content: self.instructions_html(text),
        });
        let audit = self.audit.as_ref().map(|audit| PageSection {
            id: "audit",
            title: "Audit",
            count: Some(audit.findings.len() + audit.more),
            content: self.audit_html(audit),
        });

        [
            counted("copies", "Copies", self.copies.len(), self.copies_html()),
            instructions,
            counted(
                "versions",
                "Versions",
                self.versions.len(),
                self.versions_html(),
            ),
            counted(
                "dependencies",
                "Dependencies",
                self.dependencies.len(),
                self.related_html(&self.dependencies),
            ),
            counted(
                "dependents",
                "Dependents",
                self.dependents.len(),
                self.related_html(&self.dependents),
            ),
            audit,
            counted("files", "Files", self.files.len(), self.files_html()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn instructions_html(&self, text: &str) -> String {
        let find_file = |path: &str| {
            let at = self.files.iter().position(|file| file.path == path)?;
            self.files[at].text.as_ref()?;
            Some(format!("files.html#{}", file_page::anchor(at)))
        };
        format!(
            "<div class=\"prose\" dir=\"auto\">\n{}</div>\n",
            render_markdown(text, &find_file)
        )
    }

    fn versions_html(&self) -> String {
        let rows: String = self.versions.iter().map(version_html).collect();
        format!(
            "<table class=\"wide\"><thead><tr><th scope=\"col\">Version</th><th scope=\"col\">Published</th>\
             <th scope=\"col\">Changes</th></tr></thead>\n<tbody>\n{rows}</tbody></table>\n"
        )
    }

    fn related_html(&self, related: &[RelatedPackage]) -> String {
        let root = self.root();
        let mut html = String::from("<ul class=\"related\">\n");
        for package in related {
            let name = escape_html(&package.name);
            let name = match &package.slug {
                Some(slug) => format!("<a href=\"{root}skills/{slug}/index.html\">{name}</a>"),
                None => name,
            };
            let registry = package.registry.as_ref().map_or(String::new(), |registry| {
                format!(
                    " <span class=\"quiet\">from {}</span>",
                    escape_html(registry)
                )
            });
            let _ = writeln!(
                html,
                "<li>{name} <code>{}</code>{registry}</li>",
                escape_html(&package.requirement)
            );
        }
        html.push_str("</ul>\n");
        html
    }

    fn audit_html(&self, audit: &AuditSummary) -> String {
        if audit.findings.is_empty() {
            return "<p><span class=\"mark good\">clean</span> The static security rules found nothing in the newest version. \
                    They read every file and run nothing.</p>\n"
                .to_owned();
        }

        let root = self.root();
        let rows: String = audit
            .findings
            .iter()
            .map(|finding| finding_html(finding, &root))
            .collect();
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Findings\"><table class=\"wide\"><thead><tr>\
             <th scope=\"col\">Severity</th><th scope=\"col\">Finding</th><th scope=\"col\">Place</th>\
             <th scope=\"col\">Rule</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
        );
        if audit.more > 0 {
            let more = format_plural(audit.more, "more finding");
            let _ = writeln!(
                html,
                "<p class=\"quiet\">{more}: <code>skillpm audit</code> shows all.</p>"
            );
        }
        html
    }

    fn files_html(&self) -> String {
        let mut html = String::from(
            "<table class=\"wide files\"><thead><tr><th scope=\"col\">File</th><th scope=\"col\">Size</th></tr></thead>\n<tbody>\n",
        );
        for (at, file) in self.files.iter().enumerate() {
            let path = escape_html(&file.path);
            let path = match file.text {
                Some(_) => format!(
                    "<a href=\"files.html#{}\">{path}</a>",
                    file_page::anchor(at)
                ),
                None => path,
            };
            let _ = writeln!(
                html,
                "<tr><td>{path}{}</td><td>{}</td></tr>",
                executable_mark(file),
                format_bytes(file.size)
            );
        }
        html.push_str("</tbody></table>\n");
        html
    }

    fn copies_html(&self) -> String {
        let mut html = String::from(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Copies\"><table class=\"wide\"><thead><tr>\
             <th scope=\"col\">Tier</th><th scope=\"col\">Directory</th><th scope=\"col\">Version</th>\
             <th scope=\"col\">State</th></tr></thead>\n<tbody>\n",
        );
        for copy in &self.copies {
            let _ = writeln!(
                html,
                "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
                escape_html(&copy.tier),
                escape_html(&copy.directory),
                escape_html(copy.version.as_deref().unwrap_or("–")),
                escape_html(&copy.state)
            );
        }
        html.push_str("</tbody></table></div>\n");
        html
    }
}

pub(super) fn executable_mark(file: &PageFile) -> &'static str {
    if file.executable {
        " <span class=\"mark plain\">executable</span>"
    } else {
        ""
    }
}

fn version_html(row: &VersionRow) -> String {
    let version = escape_html(&row.version);
    let version = match &row.withdrawn {
        Some(why) => format!(
            "<s>{version}</s> <span class=\"mark warn\">{}</span>",
            escape_html(why)
        ),
        None => version,
    };

    let changes = match &row.diff {
        Some(diff) => format!(
            "<a href=\"{}\">diff<span class=\"sr\"> of {}</span></a> {}",
            diff_page::file_name(&row.version),
            escape_html(&row.version),
            diff.counts_html()
        ),
        None => "–".to_owned(),
    };

    format!(
        "<tr><td>{version}</td><td>{}</td><td>{changes}</td></tr>\n",
        escape_html(row.published.as_deref().unwrap_or("–"))
    )
}

fn finding_html(finding: &AuditFinding, root: &str) -> String {
    let kind = match finding.severity.as_str() {
        "critical" | "high" => "bad",
        "medium" => "warn",
        _ => "plain",
    };
    format!(
        "<tr><td><span class=\"mark {kind}\">{}</span></td><td>{}</td><td><code>{}</code></td>\
         <td><a href=\"{root}rules.html#{}\">{}</a></td></tr>\n",
        escape_html(&finding.severity),
        escape_html(&finding.message),
        escape_html(&finding.place),
        escape_html(&finding.code.to_lowercase()),
        escape_html(&finding.rule),
    )
}

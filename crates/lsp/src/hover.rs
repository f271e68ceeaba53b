//! Hovers: the documentation of findings, of frontmatter fields, and of keys and dependencies in a manifest.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use skillpm_core::manifest::inspect::inspect_manifest;
use skillpm_core::report::DiagnosticLevel;
use skillpm_lint::frontmatter_fields::{FrontmatterField, find_field};
use skillpm_lint::{FixAvailability, Rule, rules};
use skillpm_ops::dependency_versions::DependencyVersions;

use crate::code_actions::touches;
use crate::code_lenses::find_known;
use crate::documents::{DocumentKind, OpenDocument};
use crate::frontmatter::{self, FrontmatterPlace};
use crate::manifest_schema::SchemaPlace;
use crate::server::LanguageServer;
use crate::toml_cursor;

/// Markdown about a span of a document.
struct HoverText {
    text: String,
    span: Range<usize>,
}

impl<W: Write> LanguageServer<'_, W> {
    /// What is known about a position.
    pub(crate) fn hover(&mut self, params: &HoverParams) -> Option<Hover> {
        let place = &params.text_document_position_params;
        let document = self.documents.find(&place.text_document.uri)?.clone();
        let at = document.byte(place.position);

        let mut texts = self.finding_texts(&document.path, at);
        texts.extend(match document.kind {
            DocumentKind::SkillPage => frontmatter_text(&document.text, at),
            DocumentKind::Manifest => self.manifest_text(&document, at),
            _ => None,
        });

        let range = texts.first().map(|text| document.range(&text.span))?;
        let parts: Vec<String> = texts.into_iter().map(|text| text.text).collect();
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: parts.join("\n\n---\n\n"),
            }),
            range: Some(range),
        })
    }

    /// The documentation of the rules with findings at a byte, each once.
    fn finding_texts(&mut self, path: &Path, at: usize) -> Vec<HoverText> {
        let checker = self.checker;
        let file = self
            .current_result(path)
            .and_then(|result| result.files.get(path));
        let findings = file
            .map(|file| file.findings.as_slice())
            .unwrap_or_default();

        let mut texts: Vec<HoverText> = Vec::new();
        let mut seen = Vec::new();
        for finding in findings
            .iter()
            .filter(|finding| touches(finding, &(at..at)))
        {
            let (Some(rule), Some(span)) = (rules::find(&finding.rule), &finding.span) else {
                continue;
            };
            if !seen.contains(&rule.code) {
                seen.push(rule.code);
                texts.push(HoverText {
                    text: rule_text(rule, &checker.rule_url(rule.code)),
                    span: span.clone(),
                });
            }
        }
        texts
    }

    fn manifest_text(&self, document: &OpenDocument, at: usize) -> Option<HoverText> {
        let place = toml_cursor::find_place(&document.text, at)?;
        let path = place.full_path(&document.text);
        let span = place.span;

        if let [table, name, ..] = path.as_slice()
            && matches!(table.as_str(), "dependencies" | "dev-dependencies")
            && path.len() <= 3
            && let Some(text) = self.dependency_text(document, name)
        {
            return Some(HoverText { text, span });
        }
        // A key of `[lint]` that is not one of its own is a rule.
        if let [table, .., key] = path.as_slice()
            && table == "lint"
            && let Some(rule) = rules::find(key)
        {
            let text = rule_text(rule, &self.checker.rule_url(rule.code));
            return Some(HoverText { text, span });
        }

        let about = SchemaPlace::at(&path).about()?;
        let text = format!("**`{}`**\n\n{about}", path.join("."));
        Some(HoverText { text, span })
    }

    /// What is known about a dependency.
    fn dependency_text(&self, document: &OpenDocument, key: &str) -> Option<String> {
        let outline = inspect_manifest(&document.text);
        outline
            .dependencies
            .iter()
            .find(|dependency| dependency.key.text == key)?;
        let versions = self.known_versions(document)?;
        Some(render_dependency(find_known(&versions, key)?))
    }
}

fn render_dependency(known: &DependencyVersions) -> String {
    let or = |value: Option<String>, none: &str| match value {
        Some(value) => format!("`{value}`"),
        None => none.to_owned(),
    };
    let locked = or(known.locked.clone(), "not locked; run `skillpm install`");
    let newest = known
        .newest
        .as_ref()
        .map(ToString::to_string)
        .or_else(|| known.newer.clone());
    let newest = or(newest, "unknown");
    format!(
        "**{}**\n\n- locked: {locked}\n- newest: {newest}\n- source: {}",
        known.package, known.source
    )
}

/// The documentation of a rule.
fn rule_text(rule: &Rule, url: &str) -> String {
    let level = rule.level.map_or("off by default", DiagnosticLevel::name);
    let fix = match rule.fix {
        FixAvailability::Never => "",
        FixAvailability::Safely => ", has a fix",
        FixAvailability::Unsafely => ", has a fix to review",
    };
    let docs = &rule.docs;
    let mut text = format!(
        "**{} `{}`** ({level}{fix})\n\n{}\n\n**Why it is bad**: {}\n\n**When to ignore it**: {}",
        rule.code, rule.name, docs.finds, docs.hurts, docs.ignore
    );
    // Without a home page, the program has an identifier and no address.
    if url.starts_with("https://") {
        text += &format!("\n\n[Documentation]({url})");
    }
    text
}

fn frontmatter_text(text: &str, at: usize) -> Option<HoverText> {
    let FrontmatterPlace::Key { span, .. } = frontmatter::find_place(text, at)? else {
        return None;
    };
    let field = find_field(text[span.clone()].trim())?;
    Some(HoverText {
        text: field_text(field),
        span,
    })
}

/// The documentation of a frontmatter field.
pub(crate) fn field_text(field: &FrontmatterField) -> String {
    let origin = if field.is_specified {
        "in the specification"
    } else {
        "not in the specification"
    };
    format!(
        "**`{}`** ({origin})\n\n{}\n\nRead by: {}.",
        field.name, field.about, field.readers
    )
}

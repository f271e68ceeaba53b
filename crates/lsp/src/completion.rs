//! Completions in a frontmatter; those in a manifest are in [`manifest_completion`](crate::manifest_completion).

use std::io::Write;
use std::ops::Range;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionParams, CompletionTextEdit,
    Documentation, MarkupContent, MarkupKind, TextEdit,
};
use skillpm_lint::frontmatter_fields::{FRONTMATTER_FIELDS, find_field};

use crate::documents::{DocumentKind, OpenDocument};
use crate::frontmatter::{self, FrontmatterPlace};
use crate::hover::field_text;
use crate::server::LanguageServer;

/// Something to write at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CompletionValue {
    /// What is shown and compared with what is typed.
    pub(crate) label: String,
    /// What is written, if that is not the label.
    pub(crate) insert: Option<String>,
    /// One line beside it.
    pub(crate) detail: Option<String>,
    /// Markdown about it.
    pub(crate) docs: Option<String>,
    pub(crate) kind: CompletionItemKind,
}

impl CompletionValue {
    pub(crate) fn new(label: impl Into<String>, kind: CompletionItemKind) -> CompletionValue {
        CompletionValue {
            label: label.into(),
            insert: None,
            detail: None,
            docs: None,
            kind,
        }
    }
}

/// What can be written in place of a span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CompletionAnswer {
    /// In the order in which they are shown.
    pub(crate) values: Vec<CompletionValue>,
    pub(crate) span: Range<usize>,
    /// Whether there may be others once more is typed.
    pub(crate) is_incomplete: bool,
}

impl<W: Write> LanguageServer<'_, W> {
    /// What can be written at a position.
    pub(crate) fn complete(&mut self, params: &CompletionParams) -> Option<CompletionList> {
        let place = &params.text_document_position;
        let document = self.documents.find(&place.text_document.uri)?;
        let at = document.byte(place.position);

        let answer = match document.kind {
            DocumentKind::SkillPage => complete_frontmatter(document, at),
            DocumentKind::Manifest => self.complete_manifest(document, at),
            _ => None,
        }?;
        let range = document.range(&answer.span);
        let items = answer.values.into_iter().enumerate();
        Some(CompletionList {
            is_incomplete: answer.is_incomplete,
            items: items
                .map(|(at, value)| render_value(at, value, range))
                .collect(),
        })
    }
}

fn render_value(at: usize, value: CompletionValue, range: lsp_types::Range) -> CompletionItem {
    let new_text = value.insert.unwrap_or_else(|| value.label.clone());
    CompletionItem {
        kind: Some(value.kind),
        detail: value.detail,
        documentation: value.docs.map(|value| {
            Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value,
            })
        }),
        // Clients sort by text; the order here is that of the specification, or of versions.
        sort_text: Some(format!("{at:05}")),
        filter_text: Some(new_text.clone()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
        label: value.label,
        ..CompletionItem::default()
    }
}

fn complete_frontmatter(document: &OpenDocument, at: usize) -> Option<CompletionAnswer> {
    let (values, span) = match frontmatter::find_place(&document.text, at)? {
        FrontmatterPlace::Key { span, has_value } => {
            let written = document.text[span.clone()].trim();
            (missing_keys(&document.text, written, has_value), span)
        }
        FrontmatterPlace::Value { key, span } => (field_values(document, &key), span),
    };
    Some(CompletionAnswer {
        values,
        span,
        is_incomplete: false,
    })
}

/// The fields that a frontmatter lacks.
fn missing_keys(text: &str, written: &str, has_value: bool) -> Vec<CompletionValue> {
    let present = frontmatter::present_keys(text);
    let missing = FRONTMATTER_FIELDS
        .iter()
        .filter(|field| field.name == written || !present.contains(field.name));
    let values = missing.map(|field| CompletionValue {
        insert: (!has_value).then(|| format!("{}: ", field.name)),
        detail: Some(field.readers.replace('`', "")),
        docs: Some(field_text(field)),
        ..CompletionValue::new(field.name, CompletionItemKind::FIELD)
    });
    values.collect()
}

/// The values of a field of which only some are valid, and the name that a skill has to have.
fn field_values(document: &OpenDocument, key: &str) -> Vec<CompletionValue> {
    if key == "name" {
        let directory = document.path.parent().and_then(|dir| dir.file_name());
        let name = directory.map(|name| name.to_string_lossy().into_owned());
        let value = |name| CompletionValue {
            detail: Some("the name of the directory".to_owned()),
            ..CompletionValue::new(name, CompletionItemKind::VALUE)
        };
        return name.map(value).into_iter().collect();
    }
    let values = find_field(key)
        .map(|field| field.values)
        .unwrap_or_default();
    let value = |value: &&str| CompletionValue::new(*value, CompletionItemKind::VALUE);
    values.iter().map(value).collect()
}

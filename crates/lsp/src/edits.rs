//! Edits of documents, which the client makes.

use std::collections::HashMap;

use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    Position, ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use similar::{Algorithm, DiffOp};

use crate::documents::OpenDocument;
use crate::sessions::ClientFeatures;

/// The edits that turn the text of a document into another, whole lines each.
pub(crate) fn line_edits(document: &OpenDocument, new: &str) -> Vec<TextEdit> {
    let old_lines: Vec<&str> = document.text.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    // The byte at which each line begins, and the end.
    let starts: Vec<usize> = std::iter::once(0)
        .chain(old_lines.iter().scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        }))
        .collect();

    let edit = |old: std::ops::Range<usize>, new: std::ops::Range<usize>| TextEdit {
        range: document.range(&(starts[old.start]..starts[old.end])),
        new_text: new_lines[new].concat(),
    };
    let operations = similar::capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines);
    operations
        .into_iter()
        .filter(|operation| !matches!(operation, DiffOp::Equal { .. }))
        .map(|operation| edit(operation.old_range(), operation.new_range()))
        .collect()
}

/// How the first line of a text ends; lines that are added to it end in the same way.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// One change of a [`WorkspaceEdit`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FileChange {
    /// Edits of a file, with its version if it is open.
    Edit(Uri, Option<i32>, Vec<TextEdit>),
    /// A new file, to be edited after.
    Create(Uri),
    /// Another name of a file.
    Rename(Uri, Uri),
}

/// The edit of a client's files; `None` if the client cannot make one of the changes.
pub(crate) fn workspace_edit(
    features: ClientFeatures,
    changes: Vec<FileChange>,
) -> Option<WorkspaceEdit> {
    if features.document_changes {
        let operations: Option<Vec<_>> = changes
            .into_iter()
            .map(|change| operation(features, change))
            .collect();
        return Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations?)),
            ..WorkspaceEdit::default()
        });
    }

    #[expect(
        clippy::mutable_key_type,
        reason = "the key of the protocol's type; it is not changed"
    )]
    let mut edits: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for change in changes {
        let FileChange::Edit(uri, _, own) = change else {
            return None;
        };
        edits.entry(uri).or_default().extend(own);
    }
    Some(WorkspaceEdit::new(edits))
}

fn operation(features: ClientFeatures, change: FileChange) -> Option<DocumentChangeOperation> {
    Some(match change {
        FileChange::Edit(uri, version, edits) => DocumentChangeOperation::Edit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        }),
        FileChange::Create(uri) if features.create_file => {
            DocumentChangeOperation::Op(ResourceOp::Create(lsp_types::CreateFile {
                uri,
                options: None,
                annotation_id: None,
            }))
        }
        FileChange::Rename(old_uri, new_uri) if features.rename_file => {
            DocumentChangeOperation::Op(ResourceOp::Rename(lsp_types::RenameFile {
                old_uri,
                new_uri,
                options: None,
                annotation_id: None,
            }))
        }
        FileChange::Create(_) | FileChange::Rename(..) => return None,
    })
}

/// An edit that inserts at a position.
pub(crate) fn insertion(at: Position, text: String) -> TextEdit {
    TextEdit {
        range: lsp_types::Range::new(at, at),
        new_text: text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::OpenDocuments;
    use std::str::FromStr;

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn line_edits_touch_the_changed_lines_only() {
        let mut documents = OpenDocuments::default();
        let uri = Uri::from_str("file:///p/skillpm.toml").unwrap();
        let old = "a\nb\nc\n".to_owned();
        let document = documents.open(uri, 1, old).unwrap();
        let edits = |new: &str| -> Vec<String> {
            let edits = line_edits(document, new).into_iter();
            edits
                .map(|edit| {
                    let (start, end) = (edit.range.start.line, edit.range.end.line);
                    format!("{start}-{end} {:?}", edit.new_text)
                })
                .collect()
        };
        assert_eq!(edits("a\nB\nc\nd\n"), ["1-2 \"B\\n\"", "3-3 \"d\\n\""]);
        assert_eq!(edits("a\nb\nc\n"), [""; 0]);
    }
}

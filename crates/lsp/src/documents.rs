//! The texts of open documents, and what they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use skillpm_core::skill::formats;
use skillpm_core::{lockfile, manifest};
use skillpm_io::disk;
use skillpm_lint::subject::is_skill_file;
use skillpm_ops::lint::find_skill_dir;

use crate::text_positions::{ColumnEncoding, LineIndex};

/// What a document is, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    /// `SKILL.md`.
    SkillPage,
    /// Another file of a skill, such as the descriptor of another format.
    SkillFile,
    /// `skillpm.toml`.
    Manifest,
    /// `skillpm.lock`.
    Lockfile,
    /// Nothing that is checked.
    Other,
}

impl DocumentKind {
    /// The kind of the file at a path. Files of skills are those that `lint` assigns to one.
    pub(crate) fn from_path(path: &Path) -> DocumentKind {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match &*name {
            manifest::FILE => DocumentKind::Manifest,
            lockfile::FILE => DocumentKind::Lockfile,
            name if is_skill_file(name) => DocumentKind::SkillPage,
            name if find_skill_dir(path).is_some() || is_new_descriptor(path, name) => {
                DocumentKind::SkillFile
            }
            _ => DocumentKind::Other,
        }
    }
}

/// Whether a file that may not be saved yet makes its directory a skill of another format.
fn is_new_descriptor(path: &Path, name: &str) -> bool {
    let Some(dir) = path.parent() else {
        return false;
    };
    // Before the directory is read: most files have no name of a descriptor.
    formats::is_descriptor(name, &|_| true) && {
        let names = disk::list_names(dir).unwrap_or_default();
        formats::is_descriptor(name, &|beside| names.iter().any(|name| name == beside))
    }
}

/// An open document.
#[derive(Debug, Clone)]
pub(crate) struct OpenDocument {
    pub(crate) uri: Uri,
    pub(crate) path: PathBuf,
    pub(crate) kind: DocumentKind,
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
    pub(crate) lines: LineIndex,
}

impl OpenDocument {
    /// The byte at a position.
    pub(crate) fn byte(&self, position: lsp_types::Position) -> usize {
        self.lines.byte(&self.text, position)
    }

    /// The range of a span of bytes.
    pub(crate) fn range(&self, span: &std::ops::Range<usize>) -> lsp_types::Range {
        self.lines.range(&self.text, span)
    }
}

/// All open documents, by path.
#[derive(Debug, Default)]
pub(crate) struct OpenDocuments {
    by_path: BTreeMap<PathBuf, OpenDocument>,
    pub(crate) encoding: ColumnEncoding,
}

impl OpenDocuments {
    /// Opens a document; `None` for one without a file.
    pub(crate) fn open(&mut self, uri: Uri, version: i32, text: String) -> Option<&OpenDocument> {
        let path = crate::uris::to_path(&uri)?;
        let document = OpenDocument {
            kind: DocumentKind::from_path(&path),
            uri,
            version,
            lines: LineIndex::new(&text, self.encoding),
            text: text.into(),
            path: path.clone(),
        };
        Some(self.by_path.entry(path).insert_entry(document).into_mut())
    }

    /// Applies changes to a document, one after the other; `None` if it is not open.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Option<&OpenDocument> {
        let document = self.by_path.get_mut(&crate::uris::to_path(uri)?)?;
        for change in changes {
            let text = match change.range {
                None => change.text,
                Some(range) => {
                    let mut text = document.text.to_string();
                    text.replace_range(document.lines.span(&document.text, range), &change.text);
                    text
                }
            };
            document.lines = LineIndex::new(&text, self.encoding);
            document.text = text.into();
        }
        document.version = version;
        Some(document)
    }

    pub(crate) fn close(&mut self, uri: &Uri) -> Option<OpenDocument> {
        self.by_path.remove(&crate::uris::to_path(uri)?)
    }

    pub(crate) fn find(&self, uri: &Uri) -> Option<&OpenDocument> {
        self.by_path.get(&crate::uris::to_path(uri)?)
    }

    pub(crate) fn at(&self, path: &Path) -> Option<&OpenDocument> {
        self.by_path.get(path)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &OpenDocument> {
        self.by_path.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};
    use std::str::FromStr;

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn changes_apply_one_after_the_other() {
        let mut documents = OpenDocuments::default();
        let uri = Uri::from_str("file:///p/skillpm.toml").unwrap();
        documents.open(uri.clone(), 1, "[a]\nb = 1\n".to_owned());
        let edit = |range: Option<Range>, text: &str| TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: text.to_owned(),
        };
        let at = |line, from, to| {
            Some(Range::new(
                Position::new(line, from),
                Position::new(line, to),
            ))
        };
        let changes = vec![edit(at(1, 0, 1), "é🚀"), edit(at(1, 3, 3), "x")];
        let document = documents.change(&uri, 2, changes).unwrap();
        assert_eq!((&*document.text, document.version), ("[a]\né🚀x = 1\n", 2));
        let document = documents.change(&uri, 3, vec![edit(None, "all")]).unwrap();
        assert_eq!(&*document.text, "all");
        assert_eq!(document.kind, DocumentKind::Manifest);
    }
}

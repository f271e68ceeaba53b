//! Quick fixes: those of `lint --fix`, and comments that allow a rule.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionOrCommand, CodeActionParams,
    CodeActionResponse, Position, TextEdit, WorkspaceEdit,
};
use skillpm_core::report::{Diagnostic, DiagnosticFix, FixApplicability, FixChange};
use skillpm_io::disk;
use skillpm_lint::subject::{SKILL_FILE, is_skill_file};
use skillpm_lint::{MarkdownPage, rules};

use crate::checker::{CheckResult, FixedDocument};
use crate::documents::{DocumentKind, OpenDocument};
use crate::edits::{FileChange, insertion, line_edits, line_end, workspace_edit};
use crate::findings::{LocatedSource, render_finding};
use crate::server::LanguageServer;
use crate::text_positions::LineIndex;

/// The kind of the action that applies all safe fixes.
pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.skillpm");

/// The reason in a new comment, until a person writes one.
const REASON: &str = "TODO: say why";

impl<W: Write> LanguageServer<'_, W> {
    /// The actions for a range of a document.
    pub(crate) fn code_actions(&mut self, params: &CodeActionParams) -> Option<CodeActionResponse> {
        let document = self.documents.find(&params.text_document.uri)?.clone();
        let result = self.current_result(&document.path)?.clone();
        let file = result.files.get(&document.path)?;
        let wanted = |kind: &CodeActionKind| is_wanted(params.context.only.as_deref(), kind);

        let selected = document.lines.span(&document.text, params.range);
        let touched = || {
            file.findings
                .iter()
                .filter(|finding| touches(finding, &selected))
        };
        let (wants_quick_fix, wants_fix_all) =
            (wanted(&CodeActionKind::QUICKFIX), wanted(&FIX_ALL));

        // What fixes do together is known only after they were tried, which costs as much as several checks.
        let has_fix = |finding: &Diagnostic| finding.fix.is_some();
        let needs_fixed = (wants_fix_all && file.findings.iter().any(has_fix))
            || (wants_quick_fix && touched().any(has_fix));
        let fixed = needs_fixed
            .then(|| self.fix_document(&document.path))
            .flatten();

        let mut actions = Vec::new();
        if wants_quick_fix {
            for finding in touched() {
                let place = FindingPlace {
                    document: &document,
                    result: &result,
                    finding,
                };
                actions.extend(self.fix_action(place, fixed.as_ref()));
                actions.extend(self.allow_action(place));
            }
        }
        if wants_fix_all {
            actions.extend(fixed.and_then(|fixed| self.fix_all_action(&document, &fixed)));
        }
        Some(
            actions
                .into_iter()
                .map(CodeActionOrCommand::CodeAction)
                .collect(),
        )
    }

    fn fix_document(&self, path: &Path) -> Option<FixedDocument> {
        // A failure is a bug of the rules, and then there is nothing to offer.
        self.checker.fix(&self.job(path)?).ok()
    }

    fn fix_all_action(&self, document: &OpenDocument, fixed: &FixedDocument) -> Option<CodeAction> {
        let edits = line_edits(document, &fixed.text);
        if edits.is_empty() {
            return None;
        }
        let change = FileChange::Edit(document.uri.clone(), Some(document.version), edits);
        Some(CodeAction {
            title: "Fix all findings that have a safe fix".to_owned(),
            kind: Some(FIX_ALL),
            edit: workspace_edit(self.session.features, vec![change]),
            ..CodeAction::default()
        })
    }

    /// The action that applies the fix of a finding.
    fn fix_action(
        &self,
        place: FindingPlace<'_>,
        fixed: Option<&FixedDocument>,
    ) -> Option<CodeAction> {
        let fix = place.finding.fix.as_ref()?;
        let edit = self.fix_edit(place, fix)?;
        let is_safe = fix.applicability == FixApplicability::Safe;
        let action = CodeAction {
            title: fix_title(fix),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![self.render(place)]),
            is_preferred: Some(is_safe),
            ..CodeAction::default()
        };

        // `lint --fix` leaves out a fix that would break something else.
        let matches_finding = |other: &Diagnostic| {
            other.rule == place.finding.rule && other.span == place.finding.span
        };
        let mut refused = fixed.iter().flat_map(|fixed| &fixed.refused);
        match refused.find(|refused| matches_finding(&refused.finding.diagnostic)) {
            Some(_) if !self.session.features.disabled_actions => None,
            Some(refused) => Some(CodeAction {
                disabled: Some(CodeActionDisabled {
                    reason: refused.reason.clone(),
                }),
                is_preferred: None,
                ..action
            }),
            None => Some(CodeAction {
                edit: Some(edit),
                ..action
            }),
        }
    }

    /// The edit of a fix; `None` if a client cannot make it, such as a file executable.
    fn fix_edit(&self, place: FindingPlace<'_>, fix: &DiagnosticFix) -> Option<WorkspaceEdit> {
        let document = place.document;
        let mut edits = Vec::new();
        let mut others = Vec::new();
        for change in &fix.changes {
            match change {
                FixChange::Edit { span, content } => edits.push(TextEdit {
                    range: document.range(span),
                    new_text: content.clone(),
                }),
                FixChange::Rename { to } => others.push(FileChange::Rename(
                    document.uri.clone(),
                    crate::uris::from_path(&document.path.with_file_name(to))?,
                )),
                FixChange::AppendLine { path, line } => {
                    let file = place.result.skill.as_ref()?.join(path);
                    others.extend(self.append_line(&file, line)?);
                }
                FixChange::SetExecutable => return None,
            }
        }

        let edit = FileChange::Edit(document.uri.clone(), Some(document.version), edits.clone());
        let mut changes: Vec<FileChange> =
            (!edits.is_empty()).then_some(edit).into_iter().collect();
        // A renamed file is edited before, under the name that the client has.
        changes.append(&mut others);
        workspace_edit(self.session.features, changes)
    }

    /// The changes that add a line at the end of a file, which may not exist.
    fn append_line(&self, path: &Path, line: &str) -> Option<Vec<FileChange>> {
        let uri = crate::uris::from_path(path)?;
        let open = self.documents.at(path);
        let text = match open {
            Some(document) => Some(document.text.to_string()),
            None => disk::read_text(path).ok()?,
        };

        let mut changes = Vec::new();
        if text.is_none() {
            changes.push(FileChange::Create(uri.clone()));
        }
        let text = text.unwrap_or_default();
        let end = LineIndex::new(&text, self.session.encoding).position(&text, text.len());
        let eol = line_end(&text);
        let start = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            eol
        };
        let edit = insertion(end, format!("{start}{line}{eol}"));
        let version = open.map(|document| document.version);
        changes.push(FileChange::Edit(uri, version, vec![edit]));
        Some(changes)
    }

    /// The action that allows a rule by a comment; `None` where no comment counts.
    fn allow_action(&self, place: FindingPlace<'_>) -> Option<CodeAction> {
        // Outside of a skill no comment is read, and not every finding is one of a rule.
        let skill = place.result.skill.as_ref()?;
        let rule = rules::find(&place.finding.rule)?;
        let comment = format!("skillpm: ignore[{}] {REASON}", rule.name);

        let (change, what) = match script_comment(place, &comment) {
            Some(edit) => {
                let document = place.document;
                let change =
                    FileChange::Edit(document.uri.clone(), Some(document.version), vec![edit]);
                (change, "here")
            }
            None if is_script(&place.document.path) => return None,
            // In Markdown an agent would read the comment: it belongs to the frontmatter.
            None => (self.page_comment(skill, &comment)?, "in this skill"),
        };
        Some(CodeAction {
            title: format!("Allow `{}` {what}", rule.name),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![self.render(place)]),
            edit: Some(workspace_edit(self.session.features, vec![change])?),
            ..CodeAction::default()
        })
    }

    /// The change that adds a comment to the frontmatter of a skill's page.
    fn page_comment(&self, skill: &Path, comment: &str) -> Option<FileChange> {
        let open = self
            .documents
            .iter()
            .filter(|document| document.kind == DocumentKind::SkillPage);
        let mut open = open.filter(|document| document.path.parent() == Some(skill));
        let (path, text, version): (PathBuf, String, Option<i32>) = match open.next() {
            Some(page) => (page.path.clone(), page.text.to_string(), Some(page.version)),
            None => {
                let names = disk::list_names(skill).unwrap_or_default();
                let name = names.iter().find(|name| is_skill_file(name));
                let path = skill.join(name.map_or(SKILL_FILE, String::as_str));
                let text = disk::read_text(&path).ok()??;
                (path, text, None)
            }
        };

        let fences = MarkdownPage::read(SKILL_FILE, &text, "")
            .frontmatter?
            .fences;
        let at = LineIndex::new(&text, self.session.encoding).position(&text, fences.yaml.start);
        let edit = insertion(at, format!("# {comment}{}", line_end(&text)));
        Some(FileChange::Edit(
            crate::uris::from_path(&path)?,
            version,
            vec![edit],
        ))
    }

    fn render(&self, place: FindingPlace<'_>) -> lsp_types::Diagnostic {
        let document = place.document;
        let source = LocatedSource {
            uri: &document.uri,
            text: &document.text,
            lines: &document.lines,
        };
        render_finding(self.checker, source, place.finding)
    }
}

/// A finding in an open document.
#[derive(Clone, Copy)]
struct FindingPlace<'a> {
    document: &'a OpenDocument,
    result: &'a CheckResult,
    finding: &'a Diagnostic,
}

/// Whether a client wants a kind of action, or one above it.
fn is_wanted(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let is_above = |wanted: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(wanted.as_str());
        wanted.as_str().is_empty()
            || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(is_above))
}

/// Whether a finding touches the selected bytes; one about the whole file is at its beginning.
pub(crate) fn touches(finding: &Diagnostic, selected: &Range<usize>) -> bool {
    let span = finding.span.clone().unwrap_or(0..0);
    span.start <= selected.end && selected.start <= span.end
}

fn fix_title(fix: &DiagnosticFix) -> String {
    let mut letters = fix.message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let title = first.unwrap_or_default() + letters.as_str();
    match fix.applicability {
        FixApplicability::Safe => title,
        FixApplicability::Unsafe => format!("{title} (unsafe: review it)"),
    }
}

/// The comment marks of files that may have one on a line of its own, by extension.
const LINE_COMMENTS: [(&str, &str); 14] = [
    ("bash", "#"),
    ("cjs", "//"),
    ("js", "//"),
    ("lua", "--"),
    ("mjs", "//"),
    ("pl", "#"),
    ("ps1", "#"),
    ("py", "#"),
    ("rb", "#"),
    ("sh", "#"),
    ("toml", "#"),
    ("ts", "//"),
    ("yaml", "#"),
    ("yml", "#"),
];

fn comment_mark(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let row = LINE_COMMENTS.iter().find(|(name, _)| *name == extension)?;
    Some(row.1)
}

fn is_script(path: &Path) -> bool {
    comment_mark(path).is_some()
}

/// The edit that adds a comment above the line of a finding in a script.
fn script_comment(place: FindingPlace<'_>, comment: &str) -> Option<TextEdit> {
    let document = place.document;
    let mark = comment_mark(&document.path)?;
    let span = place.finding.span.clone()?;
    let line = document.range(&span).start.line;
    let start = document.byte(Position::new(line, 0));
    let content = &document.text[start..];
    // Above the first line of a script, a comment would hide the name of its interpreter.
    if content.starts_with("#!") {
        return None;
    }

    let indent: String = content
        .chars()
        .take_while(|c| matches!(c, ' ' | '\t'))
        .collect();
    let text = format!("{indent}{mark} {comment}{}", line_end(&document.text));
    Some(insertion(Position::new(line, 0), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_wanted_by_their_prefix() {
        let only = |kind: &'static str| [CodeActionKind::new(kind)];
        assert!(is_wanted(None, &FIX_ALL));
        assert!(is_wanted(Some(&only("source")), &FIX_ALL));
        assert!(is_wanted(Some(&only("source.fixAll")), &FIX_ALL));
        assert!(!is_wanted(Some(&only("source.fix")), &FIX_ALL));
        assert!(!is_wanted(
            Some(&only("refactor")),
            &CodeActionKind::QUICKFIX
        ));
    }
}

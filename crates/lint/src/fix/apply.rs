//! Changes the files of a skill, in memory.

use std::collections::BTreeMap;

use super::super::subject::{FileContent, SkillDir, SkillFile};
use super::{FixProposal, editable_bytes};
use skillpm_core::package::FileChange;
use skillpm_core::report::{FixChange, Span};

/// A skill with the fixes applied so far.
#[derive(Debug, Clone)]
pub(super) struct FixedSkill {
    pub(super) skill: SkillDir,
    /// The original paths of renamed files: new path, old path.
    old_paths: BTreeMap<String, String>,
}

/// Whether two fixes cannot be applied together.
pub(super) fn fixes_conflict(a: &FixProposal<'_>, b: &FixProposal<'_>) -> bool {
    a.fix.changes.iter().any(|one| {
        b.fix
            .changes
            .iter()
            .any(|other| changes_conflict(a.path, one, b.path, other))
    })
}

fn changes_conflict(a: &str, one: &FixChange, b: &str, other: &FixChange) -> bool {
    match (one, other) {
        (FixChange::Edit { span, .. }, FixChange::Edit { span: other, .. }) => {
            a == b && spans_touch(span, other)
        }
        (FixChange::Rename { .. }, FixChange::Rename { .. }) => a == b,
        // The line belongs to a file that another fix may be about to make, rename or edit.
        (FixChange::AppendLine { path, .. }, FixChange::Edit { .. } | FixChange::Rename { .. }) => {
            path == b
        }
        (FixChange::Edit { .. } | FixChange::Rename { .. }, FixChange::AppendLine { path, .. }) => {
            path == a
        }
        _ => false,
    }
}

/// Whether two edits overlap, or one inserts where the other begins or ends: their order would then matter.
fn spans_touch(a: &Span, b: &Span) -> bool {
    let is_apart = if a.is_empty() || b.is_empty() {
        a.end < b.start || b.end < a.start
    } else {
        a.end <= b.start || b.end <= a.start
    };
    !is_apart
}

impl FixedSkill {
    pub(super) fn new(skill: &SkillDir) -> Self {
        FixedSkill {
            skill: skill.clone(),
            old_paths: BTreeMap::new(),
        }
    }

    /// Applies fixes that do not conflict, and returns the changed skill.
    ///
    /// # Errors
    /// If a fix cannot be applied: the reason.
    pub(super) fn with_fixes(&self, chosen: &[FixProposal<'_>]) -> Result<Self, String> {
        let mut work = self.clone();

        let mut edits: BTreeMap<&str, Vec<(&Span, &str)>> = BTreeMap::new();
        for proposal in chosen {
            for change in &proposal.fix.changes {
                if let FixChange::Edit { span, content } = change {
                    edits
                        .entry(proposal.path)
                        .or_default()
                        .push((span, content));
                }
            }
        }

        for (path, edits) in edits {
            work.apply_edits(path, edits)?;
        }

        // After the edits, whose spans are those of the file as it was.
        let changes = || {
            chosen
                .iter()
                .flat_map(|proposal| proposal.fix.changes.iter().map(|c| (proposal.path, c)))
        };
        for (path, change) in changes() {
            match change {
                FixChange::SetExecutable => work.file_mut(path)?.executable = true,
                FixChange::AppendLine { path, line } => work.append_line(path, line)?,
                FixChange::Edit { .. } | FixChange::Rename { .. } => {}
            }
        }
        // Last, because all others know the file by its old name.
        for (path, change) in changes() {
            if let FixChange::Rename { to } = change {
                work.rename(path, to)?;
            }
        }

        // Or the same fix would be applied in each pass, up to the limit.
        if work.skill.files == self.skill.files {
            return Err("it changes nothing".into());
        }
        Ok(work)
    }

    fn apply_edits(&mut self, path: &str, mut edits: Vec<(&Span, &str)>) -> Result<(), String> {
        let file = self.file_mut(path)?;
        let old =
            editable_bytes(&file.content).ok_or_else(|| format!("`{path}` cannot be edited"))?;

        edits.sort_by_key(|(span, _)| (span.start, span.end));
        // Two findings may have the same fix: the edit is made once.
        edits.dedup();

        let mut new = Vec::with_capacity(old.len());
        let mut at = 0;
        for (span, content) in edits {
            // Applying an edit over another would cut text that neither of them has seen.
            let kept = old
                .get(at..span.start)
                .filter(|_| span.start <= span.end && span.end <= old.len());
            new.extend_from_slice(kept.ok_or("its edits overlap or are outside the file")?);
            new.extend_from_slice(content.as_bytes());
            at = span.end;
        }
        new.extend_from_slice(&old[at..]);

        let was_text = file.text().is_some();
        file.content = FileContent::from_bytes(new);
        if was_text && file.text().is_none() {
            return Err("its edits split a character".into());
        }

        Ok(())
    }

    /// Appends a line to a file, which is created if missing. A line that exists already is not added again.
    fn append_line(&mut self, path: &str, line: &str) -> Result<(), String> {
        let is_within = |path: &str| {
            !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
        };

        // The path comes from a rule. It must not leave the directory of the skill.
        if !is_within(path) || line.contains(['\n', '\r']) {
            return Err("the line to append is not a single line in a file of the skill".into());
        }
        // A file that does not exist yet, such as an ignore file, is created.
        let Ok(file) = self.file_mut(path) else {
            let file = SkillFile {
                path: path.into(),
                content: FileContent::Text(format!("{line}\n")),
                executable: false,
            };
            self.skill.files.push(file);
            self.sort_files();
            return Ok(());
        };

        let FileContent::Text(text) = &mut file.content else {
            return Err(format!("`{path}` is not a text file"));
        };
        // Fixes run in passes, and an earlier one may have added the line already.
        if text.lines().any(|other| other == line) {
            return Ok(());
        }

        // The line gets the line end that the file uses.
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(end);
        }
        text.push_str(line);
        text.push_str(end);

        Ok(())
    }

    fn rename(&mut self, path: &str, to: &str) -> Result<(), String> {
        if to.is_empty() || to.contains(['/', '\\', '\0']) || matches!(to, "." | "..") {
            return Err("the new file name is invalid".into());
        }

        let new = match path.rsplit_once('/') {
            Some((parent, _)) => format!("{parent}/{to}"),
            None => to.to_owned(),
        };

        if path == new {
            return Ok(());
        }
        // Ignoring case: on macOS and Windows the new name would overwrite the other file.
        if self
            .skill
            .files
            .iter()
            .any(|file| file.path != path && file.path.eq_ignore_ascii_case(&new))
        {
            return Err(format!("`{new}` already exists"));
        }

        if editable_bytes(&self.file_mut(path)?.content).is_none() {
            return Err(format!("`{path}` is not a file that can be renamed"));
        }

        self.file_mut(path)?.path.clone_from(&new);
        // After two renames the original path is still the one in the map.
        let old = self
            .old_paths
            .remove(path)
            .unwrap_or_else(|| path.to_owned());
        self.old_paths.insert(new, old);
        self.sort_files();

        Ok(())
    }

    fn file_mut(&mut self, path: &str) -> Result<&mut SkillFile, String> {
        self.skill
            .files
            .iter_mut()
            .find(|file| file.path == path)
            .ok_or_else(|| format!("file `{path}` not found"))
    }

    fn sort_files(&mut self) {
        self.skill.files.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// Lists the files that differ from `original`, by path.
    pub(super) fn changes(&self, original: &SkillDir) -> Vec<FileChange> {
        self.skill
            .files
            .iter()
            .filter_map(|file| self.file_change(original, file))
            .collect()
    }

    /// The change of one file since `original`; `None` if it is the same.
    fn file_change(&self, original: &SkillDir, file: &SkillFile) -> Option<FileChange> {
        let old_path = self.old_paths.get(&file.path).unwrap_or(&file.path);
        let old = original.file(old_path);
        if old == Some(file) {
            return None;
        }

        let bytes_of =
            |file: &SkillFile| editable_bytes(&file.content).unwrap_or_default().to_vec();
        Some(FileChange {
            from: old.map(|old| old.path.clone()),
            to: Some(file.path.clone()),
            before: old.map(bytes_of).unwrap_or_default(),
            after: bytes_of(file),
            executable: (old.is_some_and(|old| old.executable), file.executable),
        })
    }
}

//! Changing the files of a skill, in memory.

use std::collections::BTreeMap;

use super::super::subject::{Content, File, SkillDir};
use super::{Proposal, bytes};
use crate::merge::patch::FileChange;
use crate::report::{Change, Span};

/// A skill in the course of being mended.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub(super) skill: SkillDir,
    /// What files were called before that are called otherwise now: new path, old path.
    renamed: BTreeMap<String, String>,
}

/// Whether two fixes cannot be applied together.
pub(super) fn touches(a: &Proposal<'_>, b: &Proposal<'_>) -> bool {
    a.fix.changes.iter().any(|one| b.fix.changes.iter().any(|other| collide(a.path, one, b.path, other)))
}

fn collide(a: &str, one: &Change, b: &str, other: &Change) -> bool {
    match (one, other) {
        (Change::Edit { span, .. }, Change::Edit { span: other, .. }) => a == b && meet(span, other),
        (Change::Rename { .. }, Change::Rename { .. }) => a == b,
        // The line belongs to a file that another fix may be about to make, rename or edit.
        (Change::AppendLine { path, .. }, Change::Edit { .. } | Change::Rename { .. }) => path == b,
        (Change::Edit { .. } | Change::Rename { .. }, Change::AppendLine { path, .. }) => path == a,
        _ => false,
    }
}

/// Whether two edits overlap, or one inserts where the other begins or ends: their order would then matter.
fn meet(a: &Span, b: &Span) -> bool {
    let apart = if a.is_empty() || b.is_empty() {
        a.end < b.start || b.end < a.start
    } else {
        a.end <= b.start || b.end <= a.start
    };
    !apart
}

impl Work {
    pub(super) fn new(skill: &SkillDir) -> Self {
        Work { skill: skill.clone(), renamed: BTreeMap::new() }
    }

    /// The same with these fixes applied, which do not meet.
    ///
    /// # Errors
    /// If one cannot be applied: why.
    pub(super) fn with(&self, chosen: &[Proposal<'_>]) -> Result<Self, String> {
        let mut work = self.clone();
        let mut edits: BTreeMap<&str, Vec<(&Span, &str)>> = BTreeMap::new();
        for proposal in chosen {
            for change in &proposal.fix.changes {
                if let Change::Edit { span, content } = change {
                    edits.entry(proposal.path).or_default().push((span, content));
                }
            }
        }
        for (path, edits) in edits {
            work.edit(path, edits)?;
        }
        let changes = || chosen.iter().flat_map(|proposal| proposal.fix.changes.iter().map(|c| (proposal.path, c)));
        for (path, change) in changes() {
            match change {
                Change::SetExecutable => work.file(path)?.executable = true,
                Change::AppendLine { path, line } => work.append(path, line)?,
                Change::Edit { .. } | Change::Rename { .. } => {}
            }
        }
        // Last, because all others know the file by its old name.
        for (path, change) in changes() {
            if let Change::Rename { to } = change {
                work.rename(path, to)?;
            }
        }
        if work.skill.files == self.skill.files {
            return Err("it changes nothing".into());
        }
        Ok(work)
    }

    fn edit(&mut self, path: &str, mut edits: Vec<(&Span, &str)>) -> Result<(), String> {
        let file = self.file(path)?;
        let old = bytes(&file.content).ok_or_else(|| format!("`{path}` cannot be edited"))?;
        edits.sort_by_key(|(span, _)| (span.start, span.end));
        edits.dedup();
        let mut new = Vec::with_capacity(old.len());
        let mut at = 0;
        for (span, content) in edits {
            let kept = old.get(at..span.start).filter(|_| span.start <= span.end && span.end <= old.len());
            new.extend_from_slice(kept.ok_or("its edits do not lie apart within the file")?);
            new.extend_from_slice(content.as_bytes());
            at = span.end;
        }
        new.extend_from_slice(&old[at..]);
        let was_text = file.text().is_some();
        file.content = Content::of(new);
        if was_text && file.text().is_none() {
            return Err("its edits cut a character".into());
        }
        Ok(())
    }

    /// Adds a line to a file, which is made if it is not there. A line that is there already is not added again.
    fn append(&mut self, path: &str, line: &str) -> Result<(), String> {
        let is_within = |path: &str| !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !is_within(path) || line.contains(['\n', '\r']) {
            return Err("what it adds is not one line in a file of the skill".into());
        }
        let Ok(file) = self.file(path) else {
            let file = File { path: path.into(), content: Content::Text(format!("{line}\n")), executable: false };
            self.skill.files.push(file);
            self.sort();
            return Ok(());
        };
        let Content::Text(text) = &mut file.content else { return Err(format!("`{path}` is no text")) };
        if text.lines().any(|other| other == line) {
            return Ok(());
        }
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
            return Err("the new name is none".into());
        }
        let new = match path.rsplit_once('/') {
            Some((parent, _)) => format!("{parent}/{to}"),
            None => to.to_owned(),
        };
        if path == new {
            return Ok(());
        }
        if self.skill.files.iter().any(|file| file.path != path && file.path.eq_ignore_ascii_case(&new)) {
            return Err(format!("`{new}` is there already"));
        }
        if bytes(&self.file(path)?.content).is_none() {
            return Err(format!("`{path}` is no file that can be renamed"));
        }
        self.file(path)?.path.clone_from(&new);
        let old = self.renamed.remove(path).unwrap_or_else(|| path.to_owned());
        self.renamed.insert(new, old);
        self.sort();
        Ok(())
    }

    fn file(&mut self, path: &str) -> Result<&mut File, String> {
        self.skill.files.iter_mut().find(|file| file.path == path).ok_or_else(|| format!("there is no file `{path}`"))
    }

    fn sort(&mut self) {
        self.skill.files.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// What differs from `original`, by path.
    pub(super) fn changes(&self, original: &SkillDir) -> Vec<FileChange> {
        let change = |file: &File| {
            let old_path = self.renamed.get(&file.path).unwrap_or(&file.path);
            let old = original.file(old_path);
            if old == Some(file) {
                return None;
            }
            let owned = |file: &File| bytes(&file.content).unwrap_or_default().to_vec();
            Some(FileChange {
                from: old.map(|old| old.path.clone()),
                to: Some(file.path.clone()),
                before: old.map(owned).unwrap_or_default(),
                after: owned(file),
                executable: (old.is_some_and(|old| old.executable), file.executable),
            })
        };
        self.skill.files.iter().filter_map(change).collect()
    }
}

//! What `add` asks: which skills of a source, and whether to add them, after it has shown what they are.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::plural;
use crate::cli::CliSession;
use crate::cli::picker::{ListPicker, PickerKind, PickerRow, PickerRows, has_all_words};
use crate::cli::prompts::{ask_yes_or_no, cancelled_error};
use crate::cli::render::foreign_text::escape_line;
use crate::cli::render::human::{align_columns, format_size, wrap_words};
use crate::cli::render::terminal::stderr_size;
use crate::error::Result;
use crate::ops::add::PreviewReader;
use crate::ops::preview::SkillPreview;
use crate::package::{PackageName, PackageSpec};
use crate::report::{FileFinding, Severity};

/// The questions of one `add`, each asked once: the command runs again after some answers.
pub(super) struct AddAnswers<'s> {
    session: &'s CliSession<'s>,
    dry_run: bool,
    /// What was found by the search, if nothing was named.
    searched: Option<PackageSpec>,
    /// The registry that it was found in, if it is not the default one.
    registry: Option<String>,
    repositories: RefCell<BTreeMap<PackageName, bool>>,
    /// The skills of each source with those that were chosen.
    skills: RefCell<Vec<(Vec<String>, Vec<usize>)>>,
    is_confirmed: Cell<bool>,
    is_declined: Cell<bool>,
}

impl<'s> AddAnswers<'s> {
    pub(super) fn new(session: &'s CliSession<'s>, dry_run: bool) -> Self {
        AddAnswers {
            session,
            dry_run,
            searched: None,
            registry: None,
            repositories: RefCell::default(),
            skills: RefCell::default(),
            is_confirmed: Cell::new(false),
            is_declined: Cell::new(false),
        }
    }

    pub(super) fn with_search(self, spec: PackageSpec, registry: Option<String>) -> Self {
        AddAnswers {
            searched: Some(spec),
            registry,
            ..self
        }
    }

    pub(super) fn registry(&self) -> Option<String> {
        self.registry.clone()
    }

    pub(super) fn searched(&self) -> Option<&PackageSpec> {
        self.searched.as_ref()
    }

    /// Whether what was shown is not to be added.
    pub(super) fn is_declined(&self) -> bool {
        self.is_declined.get()
    }

    /// Whether `owner/repo` is a repository on GitHub, where a person can be asked.
    pub(super) fn is_repository(&self, name: &PackageName) -> Result<bool> {
        // `--yes` agrees to what was typed, and not to another source.
        if !self.session.context.interactive || self.session.yes {
            return Ok(false);
        }
        if let Some(answer) = self.repositories.borrow().get(name) {
            return Ok(*answer);
        }

        let question = format!("No package `{name}` found; add the repository `gh:{name}`?");
        let answer =
            ask_yes_or_no(self.session.shell, &question, false)?.ok_or_else(cancelled_error)?;
        self.repositories.borrow_mut().insert(name.clone(), answer);
        Ok(answer)
    }

    /// A checklist, where a person can be asked.
    pub(super) fn choose_skills(&self, listed: &[(String, String)]) -> Result<Option<Vec<usize>>> {
        if !self.session.context.interactive {
            return Ok(None);
        }
        // `--yes` answers the question with all of them.
        if self.session.yes {
            return Ok(Some((0..listed.len()).collect()));
        }

        let names: Vec<String> = listed.iter().map(|(name, _)| name.clone()).collect();
        let answers = self.skills.borrow();
        if let Some((_, chosen)) = answers.iter().find(|(known, _)| *known == names) {
            return Ok(Some(chosen.clone()));
        }
        drop(answers);

        let chosen = ListPicker {
            question: "Which skills?",
            help: "type to search, ↑↓ move, Space select, → all, ← none, Enter add, Esc cancel",
            kind: PickerKind::Several,
            find: &mut |input| find_skills(listed, input),
        }
        .ask(self.session.shell, BTreeMap::new())?;
        self.skills.borrow_mut().push((names, chosen.clone()));
        Ok(Some(chosen))
    }

    /// Shows what was chosen, and asks whether to add it.
    pub(super) fn confirm(&self, read: PreviewReader<'_>) -> Result<()> {
        // What was named on the command line was not chosen from a list.
        let is_chosen = self.searched.is_some() || !self.skills.borrow().is_empty();
        let can_ask = self.session.context.interactive && !self.session.yes;
        if !is_chosen || !can_ask || self.is_confirmed.get() {
            return Ok(());
        }

        let previews = read()?;
        self.session.shell.hide_progress();
        for line in describe_previews(&previews, stderr_size().0) {
            self.session.shell.print_notice(&line);
        }
        // There is nothing to decide if nothing is added.
        if self.dry_run || previews.is_empty() {
            return Ok(());
        }

        match ask_yes_or_no(self.session.shell, &question_about(&previews), true)? {
            Some(true) => {
                self.is_confirmed.set(true);
                Ok(())
            }
            _ => {
                self.is_declined.set(true);
                Err(cancelled_error())
            }
        }
    }
}

fn find_skills(listed: &[(String, String)], input: &str) -> PickerRows {
    let found = listed
        .iter()
        .enumerate()
        .filter(|(_, (name, about))| has_all_words(name, about, input));
    let mut rows: Vec<PickerRow> = found
        .map(|(id, (name, about))| PickerRow {
            id,
            name: name.clone(),
            about: about.clone(),
        })
        .collect();
    // A name is what most people type.
    let input = input.to_lowercase();
    rows.sort_by_key(|row| !row.name.to_lowercase().contains(&input));

    let note = match rows.len() {
        0 => "no skill has these words".to_owned(),
        found if found == listed.len() => plural(found, "skill"),
        found => format!("{found} of {}", plural(listed.len(), "skill")),
    };
    PickerRows {
        rows,
        note: Some(note),
    }
}

fn question_about(previews: &[SkillPreview]) -> String {
    let mut chosen = previews.iter().filter(|preview| preview.is_chosen);
    match (chosen.next(), chosen.count()) {
        (Some(only), 0) => format!("Add {}?", only.name),
        (Some(_), others) => format!("Add {} skills?", others + 1),
        (None, _) => format!("Add {}?", plural(previews.len(), "skill")),
    }
}

/// The lines of a preview: one skill in full, several in a line each.
fn describe_previews(previews: &[SkillPreview], width: usize) -> Vec<String> {
    let chosen = previews.iter().filter(|preview| preview.is_chosen).count();
    let is_alone = chosen == 1;
    let (full, brief) = previews.split_at(usize::from(is_alone));

    let mut lines: Vec<String> = full
        .iter()
        .flat_map(|preview| describe_skill(preview, width))
        .collect();
    let rows: Vec<Vec<String>> = brief.iter().map(preview_row).collect();
    if is_alone && !rows.is_empty() {
        lines.push("  requires:".to_owned());
    }
    let indented = align_columns(&rows).into_iter();
    lines.extend(indented.map(|line| format!("  {line}")));
    if previews.len() > 1 {
        lines.push(describe_total(previews));
    }
    lines
}

fn describe_skill(preview: &SkillPreview, width: usize) -> Vec<String> {
    let license = preview.skill.license.as_deref();
    let description = wrap_words(&preview.skill.description, width.saturating_sub(3));
    let mut lines = vec![format!("{} {}", preview.name, preview.revision)];
    lines.extend(description.into_iter().map(|line| format!("  {line}")));
    lines.extend([
        format!(
            "  {}, {}; license: {}",
            plural(preview.files, "file"),
            format_size(preview.bytes),
            license.unwrap_or("not stated")
        ),
        format!(
            "  about {} tokens in each conversation, {} once it is loaded",
            preview.listed_tokens, preview.tokens
        ),
        format!("  security {}", describe_findings(&preview.findings)),
    ]);
    lines
}

/// `csv  1.2.0  2 files, 3.4 KiB  31 tokens listed, 812 loaded  findings: none`
fn preview_row(preview: &SkillPreview) -> Vec<String> {
    let required = if preview.is_chosen { "" } else { " (required)" };
    vec![
        format!("{}{required}", preview.name),
        escape_line(&preview.revision),
        format!(
            "{}, {}",
            plural(preview.files, "file"),
            format_size(preview.bytes)
        ),
        format!(
            "{} tokens listed, {} loaded",
            preview.listed_tokens, preview.tokens
        ),
        describe_findings(&preview.findings),
    ]
}

fn describe_total(previews: &[SkillPreview]) -> String {
    let sum = |count: fn(&SkillPreview) -> usize| previews.iter().map(count).sum::<usize>();
    format!(
        "  {} in all: {}, {}; about {} tokens in each conversation, {} if all are loaded",
        plural(previews.len(), "skill"),
        plural(sum(|preview| preview.files), "file"),
        format_size(previews.iter().map(|preview| preview.bytes).sum()),
        sum(|preview| preview.listed_tokens),
        sum(|preview| preview.tokens),
    )
}

/// `findings: 1 high, 2 medium (SK742, SK710)`
fn describe_findings(findings: &[FileFinding]) -> String {
    let count = |severity: Severity| {
        let found = findings
            .iter()
            .filter(|finding| finding.diagnostic.severity == Some(severity));
        found.count()
    };
    let counts: Vec<String> = [
        Severity::Critical,
        Severity::High,
        Severity::Medium,
        Severity::Low,
    ]
    .into_iter()
    .map(|severity| (severity, count(severity)))
    .filter(|(_, count)| *count > 0)
    .map(|(severity, count)| format!("{count} {severity}"))
    .collect();
    if counts.is_empty() {
        return "findings: none".to_owned();
    }

    let mut rules: Vec<&str> = findings
        .iter()
        .map(|finding| &*finding.diagnostic.rule)
        .collect();
    rules.sort_unstable();
    rules.dedup();
    format!("findings: {} ({})", counts.join(", "), rules.join(", "))
}

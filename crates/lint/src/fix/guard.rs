//! Checks that fixes do not make a skill unreadable, introduce errors, or silently change what agents read.

use std::collections::BTreeMap;

use super::super::{SkillDir, read_page};
use super::{FixKind, FixProposal};
use skillpm_core::report::{DiagnosticLevel, FileFinding, FixChange, Span};
use skillpm_core::skill::Skill;
use skillpm_core::skill::yaml::{self, YamlNode};

/// A skill and its findings.
pub(super) struct LintedSkill<'s> {
    pub(super) skill: &'s SkillDir,
    pub(super) findings: &'s [FileFinding],
}

/// Compares the skill after some fixes with the one before.
///
/// # Errors
/// If they did harm: the reason.
pub(super) fn check(
    before: &LintedSkill<'_>,
    after: &LintedSkill<'_>,
    fixes: &[FixProposal<'_>],
) -> Result<(), String> {
    // A skill that could not be read before cannot get worse.
    let Some(old) = read_page(before.skill) else {
        return Ok(());
    };
    let Some(old_skill) = old.skill() else {
        return Ok(());
    };

    // It could be read before, so from here on every loss is the fault of the fixes.
    let new = read_page(after.skill).ok_or("the file could no longer be read")?;
    let new_skill = new
        .skill()
        .ok_or("no agent would list the skill any longer")?;

    no_new_errors(before.findings, after.findings)?;
    let edits = FrontmatterEdits::from_fixes(fixes, old.path);
    match (&old.frontmatter, &new.frontmatter) {
        (Some(was), Some(is)) => edits.check_fields_kept(old.source, &was.root, &is.root)?,
        _ => return Err("the frontmatter would be lost".into()),
    }

    if edits.only_spelling && !same_skill(old_skill, new_skill) {
        return Err("agents would read something else".into());
    }

    Ok(())
}

/// Checks that no rule reports more errors than before.
fn no_new_errors(before: &[FileFinding], after: &[FileFinding]) -> Result<(), String> {
    // Only errors count: a fix may uncover notes and warnings that a fault has hidden.
    let old = count_errors(before);
    match count_errors(after)
        .into_iter()
        .find(|(rule, count)| *count > old.get(rule).copied().unwrap_or(0))
    {
        Some((rule, _)) => Err(format!("it would introduce `{rule}`")),
        None => Ok(()),
    }
}

/// The number of errors of each rule.
fn count_errors(findings: &[FileFinding]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings
        .iter()
        .filter(|finding| finding.diagnostic.level == DiagnosticLevel::Error)
    {
        *counts.entry(finding.diagnostic.rule.as_str()).or_default() += 1;
    }

    counts
}

/// The effect of fixes on a frontmatter.
struct FrontmatterEdits {
    /// Where values are intended to change.
    value_spans: Vec<Span>,
    /// Whether no value is intended to change: all fixes change only the notation.
    only_spelling: bool,
}

impl FrontmatterEdits {
    fn from_fixes(fixes: &[FixProposal<'_>], page: &str) -> Self {
        let others = fixes
            .iter()
            .filter(|fix| fix.path == page && fix.kind != FixKind::Spelling);

        let values = others
            .clone()
            .flat_map(|fix| &fix.fix.changes)
            .filter_map(|change| match change {
                FixChange::Edit { span, .. } => Some(span.clone()),
                _ => None,
            });

        FrontmatterEdits {
            value_spans: values.collect(),
            only_spelling: others.count() == 0,
        }
    }

    /// Checks that every field that was not intended to change keeps its value.
    ///
    /// # Errors
    /// If one changes or is lost: its key.
    fn check_fields_kept(
        &self,
        source: &str,
        old: &YamlNode<'_>,
        new: &YamlNode<'_>,
    ) -> Result<(), String> {
        let (old, new) = (
            old.entries().unwrap_or_default(),
            new.entries().unwrap_or_default(),
        );

        for (key, value) in old {
            // A fix is allowed to change a field that its edits touch.
            if self.touches_field(source, key, value) {
                continue;
            }

            match find_field(new, key) {
                Some(same) if same_value(same, value) => {}
                Some(_) => return Err(format!("it would change `{}`", render_key(key))),
                None => return Err(format!("it would lose `{}`", render_key(key))),
            }
        }

        // A new field is an error unless some fix edits values: it may have added the field.
        match new
            .iter()
            .find(|(key, _)| self.value_spans.is_empty() && find_field(old, key).is_none())
        {
            Some((key, _)) => Err(format!("it would add a field `{}`", render_key(key))),
            None => Ok(()),
        }
    }

    /// Whether an edit touches a field, from its key to the end of its last line.
    fn touches_field(&self, source: &str, key: &YamlNode<'_>, value: &YamlNode<'_>) -> bool {
        let last = value.span.end.max(key.span.end);
        // An empty value has no span of its own: it is written after the colon.
        let line = memchr::memchr(b'\n', &source.as_bytes()[last..]).unwrap_or(0);
        let place = key.span.start..last + line;

        self.value_spans
            .iter()
            .any(|span| span.start <= place.end && place.start <= span.end)
    }
}

/// The value of a field with an equal key.
fn find_field<'n, 'a>(
    entries: &'n [(YamlNode<'a>, YamlNode<'a>)],
    key: &YamlNode<'_>,
) -> Option<&'n YamlNode<'a>> {
    entries
        .iter()
        .find(|(other, _)| same_value(other, key))
        .map(|(_, value)| value)
}

fn render_key(key: &YamlNode<'_>) -> String {
    key.text().unwrap_or("?").escape_debug().to_string()
}

/// Whether two values are equal, however they are written.
fn same_value(a: &YamlNode<'_>, b: &YamlNode<'_>) -> bool {
    match (&a.kind, &b.kind) {
        (yaml::YamlNodeKind::Scalar(one, _), yaml::YamlNodeKind::Scalar(other, _)) => {
            // Trailing whitespace may differ, as in a block scalar whose last line end is gone.
            a.is_null() == b.is_null() && one.trim_end() == other.trim_end()
        }
        (yaml::YamlNodeKind::Sequence(one, _), yaml::YamlNodeKind::Sequence(other, _)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same_value(a, b))
        }
        (yaml::YamlNodeKind::Mapping(one, _), yaml::YamlNodeKind::Mapping(other, _)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(a, b)| same_value(&a.0, &b.0) && same_value(&a.1, &b.1))
        }
        _ => false,
    }
}

/// Whether agents read the same skill, apart from the types of values.
fn same_skill(a: &Skill, b: &Skill) -> bool {
    let bare = |skill: &Skill| Skill {
        frontmatter: serde_json::Value::Null,
        body_start: 0,
        ..skill.clone()
    };
    bare(a) == bare(b)
}

//! What a fix must not do: make a skill unreadable, bring errors, or change what agents read behind its author's back.

use std::collections::BTreeMap;

use super::super::{SkillDir, read};
use super::{Kind, Proposal};
use crate::report::{Change, Finding, Level, Span};
use crate::skill::Skill;
use crate::skill::yaml::{self, Node};

/// A skill and what was found wrong with it.
pub(super) struct Seen<'s> {
    pub(super) skill: &'s SkillDir,
    pub(super) findings: &'s [Finding],
}

/// Holds the skill after some fixes against the one before.
///
/// # Errors
/// If they did harm: what.
pub(super) fn check(before: &Seen<'_>, after: &Seen<'_>, fixes: &[Proposal<'_>]) -> Result<(), String> {
    let Some(old) = read(before.skill) else { return Ok(()) };
    let Some(old_skill) = old.skill() else { return Ok(()) };
    let new = read(after.skill).ok_or("the file could no longer be read")?;
    let new_skill = new.skill().ok_or("no agent would list the skill any more")?;
    no_new_errors(before.findings, after.findings)?;
    let edits = Edits::of(fixes, old.path);
    match (&old.frontmatter, &new.frontmatter) {
        (Some(was), Some(is)) => edits.keep(old.source, &was.root, &is.root)?,
        _ => return Err("the frontmatter is gone".into()),
    }
    if edits.only_spelling && !same_skill(old_skill, new_skill) {
        return Err("agents would read something else".into());
    }
    Ok(())
}

/// No rule finds more errors than before.
fn no_new_errors(before: &[Finding], after: &[Finding]) -> Result<(), String> {
    let count = |findings: &[Finding]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| finding.diagnostic.level == Level::Error) {
            *counts.entry(finding.diagnostic.rule.clone()).or_default() += 1;
        }
        counts
    };
    let old = count(before);
    match count(after).into_iter().find(|(rule, count)| *count > old.get(rule).copied().unwrap_or(0)) {
        Some((rule, _)) => Err(format!("it would bring `{rule}`")),
        None => Ok(()),
    }
}

/// What fixes do to a frontmatter.
struct Edits {
    /// Where values are meant to change.
    values: Vec<Span>,
    /// Whether nothing is, in any of them: they only write the same in another way.
    only_spelling: bool,
}

impl Edits {
    fn of(fixes: &[Proposal<'_>], page: &str) -> Self {
        let others = fixes.iter().filter(|fix| fix.path == page && fix.kind != Kind::Spelling);
        let values = others.clone().flat_map(|fix| &fix.fix.changes).filter_map(|change| match change {
            Change::Edit { span, .. } => Some(span.clone()),
            _ => None,
        });
        Edits { values: values.collect(), only_spelling: others.count() == 0 }
    }

    /// Every field that was not meant to change says what it said.
    ///
    /// # Errors
    /// If one does not: which.
    fn keep(&self, source: &str, old: &Node<'_>, new: &Node<'_>) -> Result<(), String> {
        let (old, new) = (old.entries().unwrap_or_default(), new.entries().unwrap_or_default());
        let find = |entries: &[(Node<'_>, Node<'_>)], key: &Node<'_>| entries.iter().position(|(k, _)| same(k, key));
        let shown = |key: &Node<'_>| key.text().unwrap_or("?").escape_debug().to_string();
        for (key, value) in old {
            let last = value.span.end.max(key.span.end);
            // A value that is left out has no place of its own: it is written behind the colon.
            let line = memchr::memchr(b'\n', &source.as_bytes()[last..]).unwrap_or(0);
            let place = key.span.start..last + line;
            if self.values.iter().any(|span| span.start <= place.end && place.start <= span.end) {
                continue;
            }
            match find(new, key) {
                Some(at) if same(&new[at].1, value) => {}
                Some(_) => return Err(format!("it would change `{}`", shown(key))),
                None => return Err(format!("it would lose `{}`", shown(key))),
            }
        }
        match new.iter().find(|(key, _)| self.values.is_empty() && find(old, key).is_none()) {
            Some((key, _)) => Err(format!("it would bring a field `{}`", shown(key))),
            None => Ok(()),
        }
    }
}

/// Whether two values say the same, however they are written.
fn same(a: &Node<'_>, b: &Node<'_>) -> bool {
    match (&a.kind, &b.kind) {
        (yaml::Kind::Scalar(one, _), yaml::Kind::Scalar(other, _)) => {
            a.is_null() == b.is_null() && one.trim_end() == other.trim_end()
        }
        (yaml::Kind::Sequence(one, _), yaml::Kind::Sequence(other, _)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same(a, b))
        }
        (yaml::Kind::Mapping(one, _), yaml::Kind::Mapping(other, _)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same(&a.0, &b.0) && same(&a.1, &b.1))
        }
        _ => false,
    }
}

/// Whether agents are told the same, but for how values are typed.
fn same_skill(a: &Skill, b: &Skill) -> bool {
    let bare = |skill: &Skill| Skill { frontmatter: serde_json::Value::Null, body_start: 0, ..skill.clone() };
    bare(a) == bare(b)
}

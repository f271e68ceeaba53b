//! How much was found.
//!
//! ```text
//!        Found 3 errors, 2 warnings in 2 of 417 skills; 1 fixable with --fix; 14 notes hidden (--notes)
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::rule_code_and_name;
use crate::cli::render::human::{align_columns, plural};
use crate::lint::rules;
use crate::report::{DiagnosticLevel, FileFinding, FixApplicability};

/// How much was found, and of what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cli) struct FindingCounts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes that are shown.
    pub notes: usize,
    /// Notes that are not.
    pub hidden: usize,
    /// Shown findings that `--fix` can fix.
    pub fixable: usize,
    /// And what needs `--unsafe-fixes` with it.
    pub fixable_unsafely: usize,
    /// Skills that were looked at.
    pub skills: usize,
    /// Skills of these in which something was found that is shown.
    pub skills_hit: usize,
}

impl FindingCounts {
    /// Counts shown findings. `skills` are the checked directories, as the paths of findings begin.
    pub(in crate::cli) fn from_findings(
        shown: &[FileFinding],
        hidden: usize,
        skills: &[String],
    ) -> Self {
        let mut tally = FindingCounts {
            hidden,
            skills: skills.len(),
            ..FindingCounts::default()
        };

        let dirs: BTreeSet<&str> = skills.iter().map(String::as_str).collect();
        let mut hit = BTreeSet::new();

        for finding in shown {
            match finding.diagnostic.level {
                DiagnosticLevel::Error => tally.errors += 1,
                DiagnosticLevel::Warning => tally.warnings += 1,
                DiagnosticLevel::Note => tally.notes += 1,
            }

            match finding.diagnostic.fix.as_ref().map(|fix| fix.applicability) {
                Some(FixApplicability::Safe) => tally.fixable += 1,
                Some(FixApplicability::Unsafe) => tally.fixable_unsafely += 1,
                None => {}
            }

            // A set, since a skill with several findings counts once.
            hit.extend(skill_of(&finding.path, &dirs));
        }

        tally.skills_hit = hit.len();
        tally
    }

    /// One line for people.
    pub(in crate::cli) fn sentence(&self) -> String {
        let counts = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.notes, "note"),
        ];

        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| plural(*count, what))
            .collect();

        let skills = plural(self.skills, "skill");
        // "1 of 1 skill" would say nothing.
        let mut sentence = match (counts.is_empty(), self.skills) {
            (true, _) => format!("no problems in {skills}"),
            (false, 1) => format!("{} in {skills}", counts.join(", ")),
            (false, _) => format!("{} in {} of {skills}", counts.join(", "), self.skills_hit),
        };

        if self.fixable > 0 {
            sentence.push_str(&format!("; {} fixable with --fix", self.fixable));
        }

        if self.fixable_unsafely > 0 {
            sentence.push_str(&format!(
                "; {} more with --unsafe-fixes",
                self.fixable_unsafely
            ));
        }

        if self.hidden > 0 {
            sentence.push_str(&format!(
                "; {} hidden (--notes)",
                plural(self.hidden, "note")
            ));
        }

        sentence
    }

    /// The last object for programs.
    pub(in crate::cli) fn to_json(&self) -> Value {
        json!({
            "type": "summary",
            "skills": self.skills,
            "skills_with_findings": self.skills_hit,
            "errors": self.errors,
            "warnings": self.warnings,
            "notes": self.notes,
            "notes_hidden": self.hidden,
            "fixable": self.fixable,
            "fixable_unsafely": self.fixable_unsafely,
        })
    }
}

/// The innermost of the directories that contain a path, or are it.
fn skill_of<'d>(path: &str, dirs: &BTreeSet<&'d str>) -> Option<&'d str> {
    let mut dir = path;
    // Upwards from the file, so that a skill inside another gets its own findings.
    loop {
        if let Some(found) = dirs.get(dir) {
            return Some(found);
        }
        match dir.rsplit_once('/') {
            Some((above, _)) => dir = above,
            None => return dirs.get("").or_else(|| dirs.get(".")).copied(),
        }
    }
}

/// How often each rule spoke, the most frequent first.
#[derive(Debug)]
pub(in crate::cli) struct RuleStatistics<'a>(Vec<RuleCount<'a>>);

#[derive(Debug)]
struct RuleCount<'a> {
    rule: &'a str,
    count: usize,
    fixable: usize,
}

impl<'a> RuleStatistics<'a> {
    /// Counts by rule.
    pub(in crate::cli) fn from_findings(shown: &'a [FileFinding]) -> Self {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();

        for finding in shown {
            let fix = finding
                .diagnostic
                .fix
                .as_ref()
                .is_some_and(|fix| fix.applicability == FixApplicability::Safe);
            let (count, fixable) = counts.entry(&finding.diagnostic.rule).or_default();
            *count += 1;
            *fixable += usize::from(fix);
        }

        let statistic = |(rule, (count, fixable))| RuleCount {
            rule,
            count,
            fixable,
        };
        let mut statistics: Vec<RuleCount<'_>> = counts.into_iter().map(statistic).collect();
        // Most frequent first; the key is built once, since names are looked up for it.
        statistics.sort_by_cached_key(|one| (usize::MAX - one.count, rule_code_and_name(one.rule)));

        RuleStatistics(statistics)
    }

    /// A line a rule for people.
    pub(in crate::cli) fn lines(&self) -> Vec<String> {
        let width = self
            .0
            .iter()
            .map(|one| one.count.to_string().len())
            .max()
            .unwrap_or(0);

        let rows: Vec<_> = self.0.iter().map(|one| one.row(width)).collect();
        align_columns(&rows)
    }

    /// An object a rule for programs.
    pub(in crate::cli) fn objects(&self) -> Vec<Value> {
        let object = |one: &RuleCount<'_>| {
            let code = rules::find(one.rule).map(|rule| rule.code);
            json!({"type": "statistic", "code": code, "rule": one.rule, "count": one.count, "fixable": one.fixable})
        };
        self.0.iter().map(object).collect()
    }
}

impl RuleCount<'_> {
    /// The cells of its line, with the count aligned to the right.
    fn row(&self, width: usize) -> Vec<String> {
        let rule = rules::find(self.rule);
        // As the findings themselves are marked.
        let mark = if self.fixable > 0 { "[*]" } else { "" };

        vec![
            format!("{:>width$}", self.count),
            rule.map_or("-", |rule| rule.code).to_owned(),
            mark.to_owned(),
            self.rule.to_owned(),
            rule.map_or("", |rule| rule.summary).to_owned(),
        ]
    }
}

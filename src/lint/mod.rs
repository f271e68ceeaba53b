//! Judging what skills hold: values in, findings out. Nothing here touches the disk, so a directory, an archive, a commit
//! and an editor's buffer are judged alike.
//!
//! ```text
//! SkillDir ─ Subject ─ the rules, one after another ─ Found ┐
//!    │          └ Page: reader, frontmatter, Markdown       ├ Settings: which, how loud ─ findings
//!    └ Summary of each ─ the rules about all together ──────┘
//! ```
//!
//! | room | asks |
//! |---|---|
//! | [`rules`] | is it a good skill: the table of all rules, one file a check |
//! | [`package`] | can this be published: does it say what it is, is it of a sane size, does it leak or litter |

pub mod across;
pub mod examples;
pub mod markdown;
pub mod package;
mod rule;
pub mod rules;
mod settings;
pub mod subject;
pub mod validate;

use crate::report::{Diagnostic, Finding};

pub use across::Summary;
pub use rule::{Check, Docs, Example, Fixes, Piece, Rule};
pub use settings::{Budgets, Exemptions, Flags, Profile, Remark, Setting, Settings};
pub use subject::{Content, File, Page, SkillDir, Subject};

/// What was found so far.
#[derive(Debug, Default)]
pub struct Found(Vec<Finding>);

impl Found {
    /// Takes a finding about a file, whose path is below the directory that is looked at.
    pub fn add(&mut self, path: &str, diagnostic: Diagnostic) {
        self.0.push(Finding { path: path.to_owned(), diagnostic });
    }
}

/// What came of looking at one skill.
#[derive(Debug)]
pub struct Checked {
    /// What was found, sorted by path and place.
    pub findings: Vec<Finding>,
    /// What is kept of it for [`check_across`].
    pub summary: Option<Summary>,
}

/// Holds one skill against every rule that is about one.
#[must_use]
pub fn check(skill: &SkillDir, settings: &Settings) -> Checked {
    let mut found = Found::default();
    let page = skill.page().and_then(|file| {
        let text = file.text()?;
        Some(Page::read(&file.path, text, &skill.directory))
    });
    let subject = Subject { skill, settings, page };
    for (at, rule) in rules::all().enumerate() {
        if let Check::Skill(check) = rule.check
            && settings.runs(at, rule)
        {
            check(&subject, &mut found);
        }
    }
    let summary = Summary::of(&subject);
    if let Some(page) = subject.page {
        page.reading.diagnostics.into_iter().for_each(|diagnostic| found.add(page.path, diagnostic));
    }
    for finding in &mut found.0 {
        finding.path = join(&skill.path, &finding.path);
    }
    Checked { findings: told(found, settings), summary }
}

/// Holds skills against every rule that is about several.
#[must_use]
pub fn check_across(summaries: &[Summary], settings: &Settings) -> Vec<Finding> {
    let mut found = Found::default();
    for (at, rule) in rules::all().enumerate() {
        if let Check::Skills(check) = rule.check
            && settings.runs(at, rule)
        {
            check(summaries, settings, &mut found);
        }
    }
    told(found, settings)
}

/// What of the findings is told, as loud as it is to be, in the order of files and places.
fn told(found: Found, settings: &Settings) -> Vec<Finding> {
    let mut findings = found.0;
    findings.retain_mut(|found| settings.judge(&found.path, &mut found.diagnostic));
    sort(&mut findings);
    findings
}

/// Puts findings in the order of files and places.
pub fn sort(findings: &mut [Finding]) {
    let start = |finding: &Finding| finding.diagnostic.span.as_ref().map(|span| span.start);
    findings.sort_by(|a, b| {
        let by_rule = || a.diagnostic.rule.cmp(&b.diagnostic.rule);
        a.path.cmp(&b.path).then_with(|| start(a).cmp(&start(b))).then_with(by_rule)
    });
}

/// A path below another, which may be empty.
pub(crate) fn join(place: &str, path: &str) -> String {
    if place.is_empty() { path.to_owned() } else { format!("{place}/{path}") }
}

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
pub mod agents;
pub mod baseline;
pub mod capabilities;
pub mod examples;
pub mod fix;
pub mod markdown;
pub mod package;
mod rule;
pub mod rules;
mod settings;
pub mod subject;
mod suppress;
pub mod validate;

use crate::report::{Diagnostic, Finding, Level};

pub use across::Summary;
pub use rule::{Check, Docs, Example, Fixes, Piece, Rule};
pub(crate) use settings::no_rule;
pub use settings::{Budgets, Exemptions, Flags, Profile, Remark, Setting, Settings};
pub use subject::{Content, File, Page, SkillDir, Subject};
pub use suppress::Exemption;

/// What was found so far.
#[derive(Debug, Default)]
pub struct Found(Vec<Finding>);

impl Found {
    /// Takes a finding about a file, whose path is below the directory that is looked at.
    pub fn add(&mut self, path: &str, diagnostic: Diagnostic) {
        self.0.push(Finding { path: path.to_owned(), diagnostic });
    }

    /// What is told of it, as loud as it is to be, with paths below that of the skill.
    fn below(mut self, skill: &str, settings: &Settings) -> Vec<Finding> {
        for finding in &mut self.0 {
            finding.path = join(skill, &finding.path);
        }
        told(self, settings)
    }
}

/// What came of looking at one skill.
#[derive(Debug)]
pub struct Checked {
    /// What was found, sorted by path and place.
    pub findings: Vec<Finding>,
    /// What is kept of it for [`check_across`].
    pub summary: Option<Summary>,
    /// What it says about rules, for [`exempt`].
    pub exemptions: Vec<Exemption>,
}

/// Holds one skill against every rule that is about one.
#[must_use]
pub fn check(skill: &SkillDir, settings: &Settings) -> Checked {
    let page = read(skill);
    let subject = Subject { skill, settings, page };
    let mut found = Found::default();
    for (at, rule) in rules::all().enumerate() {
        if let Check::Skill(check) = rule.check
            && settings.runs(at)
        {
            check(&subject, &mut found);
        }
    }
    let summary = Summary::of(&subject);
    let mut exemptions = match settings.exemptions {
        Exemptions::Honoured => suppress::exemptions(skill, subject.page.as_ref()),
        Exemptions::Ignored => Vec::new(),
    };
    if let Some(mut page) = subject.page {
        if let Some(worst) = page.reading.diagnostics.iter_mut().find(|found| found.level == Level::Error) {
            worst.notes.extend(agents::who_breaks(page.source, &skill.directory));
        }
        page.reading.diagnostics.into_iter().for_each(|diagnostic| found.add(page.path, diagnostic));
    }
    let mut findings = found.below(&skill.path, settings);
    suppress::settle(&mut findings, &mut exemptions, &skill.path);
    let mut found = Found::default();
    suppress::judge(skill, &exemptions, settings, &mut found);
    findings.extend(found.below(&skill.path, settings));
    sort(&mut findings);
    Checked { findings, summary, exemptions }
}

/// Holds one skill against the rules about security alone, whatever it says about rules itself: what `audit` asks before it
/// trusts one.
#[must_use]
pub fn audit(skill: &SkillDir, settings: &Settings) -> Vec<Finding> {
    let subject = Subject { skill, settings, page: read(skill) };
    let mut found = Found::default();
    for rule in rules::all().filter(|rule| rule.is_audited()) {
        if let Check::Skill(check) = rule.check {
            check(&subject, &mut found);
        }
    }
    // Not as loud as settings have it, nor only those that are on: as they were found.
    let mut findings = found.0;
    for finding in &mut findings {
        finding.path = join(&skill.path, &finding.path);
        let found = &mut finding.diagnostic;
        found.severity = rules::find(&found.rule).and_then(|rule| rule.severity_at(found.level));
    }
    findings.retain(|finding| finding.diagnostic.severity.is_some());
    sort(&mut findings);
    findings
}

/// What [`check_across`] wants to know of a skill that is not to be checked itself.
#[must_use]
pub fn summary(skill: &SkillDir, settings: &Settings) -> Option<Summary> {
    Summary::of(&Subject { skill, settings, page: read(skill) })
}

fn read(skill: &SkillDir) -> Option<Page<'_>> {
    let file = skill.page()?;
    Some(Page::read(&file.path, file.text()?, &skill.directory))
}

/// Takes those findings about several skills away from which a skill exempts itself; it lies at `path`.
pub fn exempt(findings: &mut Vec<Finding>, exemptions: &mut [Exemption], path: &str) {
    let (mut its, others): (Vec<_>, Vec<_>) =
        findings.drain(..).partition(|finding| below(path, &finding.path).is_some());
    suppress::settle(&mut its, exemptions, path);
    findings.extend(others);
    findings.extend(its);
    sort(findings);
}

/// Holds skills against every rule that is about several.
#[must_use]
pub fn check_across(summaries: &[Summary], settings: &Settings) -> Vec<Finding> {
    let mut found = Found::default();
    for (at, rule) in rules::all().enumerate() {
        if let Check::Skills(check) = rule.check
            && settings.runs(at)
        {
            check(summaries, settings, &mut found);
        }
    }
    let mut findings = told(found, settings);
    sort(&mut findings);
    findings
}

/// What of the findings is told, as loud as it is to be.
fn told(found: Found, settings: &Settings) -> Vec<Finding> {
    let mut findings = found.0;
    findings.retain_mut(|found| settings.judge(&found.path, &mut found.diagnostic));
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

/// What follows of a path below another, which may be empty.
#[must_use]
pub fn below<'p>(place: &str, path: &'p str) -> Option<&'p str> {
    if place.is_empty() { Some(path) } else { path.strip_prefix(place)?.strip_prefix('/') }
}

/// A path below another, which may be empty.
pub(crate) fn join(place: &str, path: &str) -> String {
    if place.is_empty() { path.to_owned() } else { format!("{place}/{path}") }
}

//! Lints skills: values in, findings out. Nothing here touches the disk, so a directory, an archive, a commit and an
//! editor's buffer are linted the same way.
//!
//! ```text
//! SkillDir ─ LintSubject ─ the rules about one skill ─ FindingList ┐
//!    │          └ MarkdownPage: reader, frontmatter, body          ├ LintSettings: rules, levels ─ findings
//!    └ SkillSummary of each ─ the rules about several skills ──────┘
//! ```
//!
//! | module | checks |
//! |---|---|
//! | [`rules`] | the quality of a skill: the table of all rules, one file per check |
//! | [`package`] | whether a skill can be published: metadata, size, secrets and unwanted files |

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests measure time, and read committed files"
    )
)]

pub mod across;
pub mod agents;
pub mod baseline;
pub mod capabilities;
pub mod examples;
mod exclusion;
pub mod file_links;
pub mod fix;
pub mod frontmatter_fields;
mod heredoc;
mod license;
pub mod markdown;
pub mod package;
mod path_pattern;
mod rule;
pub mod rules;
mod settings;
pub mod subject;
mod suppress;
pub mod validate;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding, PositionTracker};

pub use across::SkillSummary;
pub use rule::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample, SkillCheck};
pub use rules::package::manifest::fault_finding;
pub use settings::unknown_rule;
pub use settings::{
    ExemptionPolicy, LintFlags, LintLevel, LintProfile, LintSettings, SettingsWarning, SizeBudgets,
};
pub use subject::{FileContent, LintSubject, MarkdownPage, SkillDir, SkillFile};
pub use suppress::InlineExemption;

/// Findings collected so far.
#[derive(Debug, Default)]
pub struct FindingList {
    all: Vec<FileFinding>,
    /// The number of findings by rule, file and level.
    counts: HashMap<(String, String, DiagnosticLevel), FindingCount>,
}

/// The findings of one rule and level in one file.
#[derive(Debug)]
struct FindingCount {
    /// The index of the first.
    first: usize,
    total: usize,
}

/// The limit of findings of one rule and level in a file: more are of no use, and a crafted file can have millions.
const FINDINGS_MAX: usize = 1000;

impl FindingList {
    /// Adds a finding about a file, whose path is relative to the linted directory.
    pub fn add(&mut self, path: &str, diagnostic: Diagnostic) {
        // The level is part of the key, so that a thousand notes cannot hide an error of the same
        // rule.
        let key = (diagnostic.rule.clone(), path.to_owned(), diagnostic.level);
        let first = self.all.len();
        let count = self
            .counts
            .entry(key)
            .or_insert(FindingCount { first, total: 0 });
        count.total += 1;

        // Past the limit only the count grows: a note on the first finding says how many there are.
        if count.total <= FINDINGS_MAX {
            self.all.push(FileFinding {
                path: path.to_owned(),
                diagnostic,
            });
        }
    }

    /// All findings, with line and column added to those that have only a span.
    fn with_positions(mut self, skill: &SkillDir) -> Vec<FileFinding> {
        for count in self
            .counts
            .into_values()
            .filter(|count| count.total > FINDINGS_MAX)
        {
            let note = format!(
                "there are {} in this file; {FINDINGS_MAX} are listed",
                count.total
            );
            self.all[count.first].diagnostic.notes.push(note);
        }

        let mut by_file: BTreeMap<&str, Vec<(usize, &mut Diagnostic)>> = BTreeMap::new();
        for FileFinding { path, diagnostic } in &mut self.all {
            if let (None, Some(span)) = (diagnostic.position, &diagnostic.span) {
                by_file
                    .entry(path)
                    .or_default()
                    .push((span.start, diagnostic));
            }
        }

        for (path, mut findings) in by_file {
            // A finding in a file that is not text has no span that could be shown.
            let Some(text) = skill.file(path).and_then(SkillFile::text) else {
                continue;
            };
            // In order, so that `PositionTracker` reads the text only once.
            findings.sort_by_key(|(start, _)| *start);
            let mut positions = PositionTracker::new(text);
            for (start, diagnostic) in findings {
                diagnostic.position = Some(positions.position_of(start));
            }
        }

        self.all
    }

    /// The findings to report, with configured levels, and paths prefixed with the skill's.
    fn into_reported(self, skill: &SkillDir, settings: &LintSettings) -> Vec<FileFinding> {
        let mut findings = self.with_positions(skill);
        for finding in &mut findings {
            finding.path = join(&skill.path, &finding.path);
        }
        apply_levels(findings, settings)
    }
}

/// The result of linting one skill.
#[derive(Debug)]
pub struct CheckedSkill {
    /// Its findings, sorted by path and place.
    pub findings: Vec<FileFinding>,
    /// Its summary, for [`check_across`].
    pub summary: Option<SkillSummary>,
    /// Its inline exemptions, for [`apply_exemptions`].
    pub exemptions: Vec<InlineExemption>,
}

/// Checks one skill against every rule about a single skill.
#[must_use]
pub fn check(skill: &SkillDir, settings: &LintSettings) -> CheckedSkill {
    let subject = LintSubject {
        skill,
        settings,
        page: read_page(skill),
        runs_all_rules: false,
    };

    let mut found = run_skill_rules(&subject);
    let summary = SkillSummary::from_subject(&subject);
    let mut exemptions = match settings.exemptions {
        ExemptionPolicy::Honored => suppress::find_exemptions(skill, subject.page.as_ref()),
        // The skill is from a third party, who must not decide what is reported about it.
        ExemptionPolicy::Ignored => Vec::new(),
    };

    if let Some(page) = subject.page {
        add_reader_findings(page, &skill.directory, &mut found);
    }

    // Levels first: a finding that is off at its path must not count as a use of an exemption.
    let mut findings = found.into_reported(skill, settings);
    suppress::remove_exempted(&mut findings, &mut exemptions, &skill.path);

    // Only now is it known which exemptions cover nothing. What is found here is not filtered
    // by them, so that a comment cannot exempt itself.
    let mut found = FindingList::default();
    suppress::check_exemptions(skill, &exemptions, settings, &mut found);
    findings.extend(found.into_reported(skill, settings));
    sort_findings(&mut findings);

    CheckedSkill {
        findings,
        summary,
        exemptions,
    }
}

/// Runs the checks of all rules about a single skill that are on anywhere.
fn run_skill_rules(subject: &LintSubject<'_>) -> FindingList {
    let mut found = FindingList::default();
    for (at, rule) in rules::all().enumerate() {
        if let RuleCheck::Skill(check) = rule.check
            && subject.settings.should_run(at)
        {
            check(subject, &mut found);
        }
    }
    found
}

/// Adds the findings of the reader to those of the rules.
fn add_reader_findings(mut page: MarkdownPage<'_>, directory: &str, found: &mut FindingList) {
    let diagnostics = &mut page.reading.diagnostics;

    // The first error also says which agents fail to load the skill: they read the file as a
    // whole, so once is enough. Without an error the models need not run at all.
    if let Some(worst) = diagnostics
        .iter_mut()
        .find(|found| found.level == DiagnosticLevel::Error)
    {
        worst
            .notes
            .extend(agents::broken_agents(page.source, directory));
    }

    for diagnostic in page.reading.diagnostics {
        found.add(page.path, diagnostic);
    }
}

/// The checks of the rules that an audit reports, selected once for all skills.
static AUDIT_CHECKS: LazyLock<Vec<SkillCheck>> = LazyLock::new(|| {
    rules::all()
        .filter_map(|rule| match rule.check {
            RuleCheck::Skill(check) if rule.is_audited() => Some(check),
            _ => None,
        })
        .collect()
});

/// Checks one skill against the security rules only, ignoring its inline exemptions, as `audit` does before a skill is
/// trusted.
#[must_use]
pub fn audit(skill: &SkillDir, settings: &LintSettings) -> Vec<FileFinding> {
    let subject = LintSubject {
        skill,
        settings,
        page: read_page(skill),
        runs_all_rules: true,
    };

    let mut found = FindingList::default();
    // Rules that are off are run too: what the project allows itself is not allowed to a third
    // party.
    for check in AUDIT_CHECKS.iter() {
        check(&subject, &mut found);
    }

    // Configured levels and disabled rules do not apply here: findings keep the level they were reported with.
    let mut findings = found.with_positions(skill);
    for finding in &mut findings {
        finding.path = join(&skill.path, &finding.path);
        let found = &mut finding.diagnostic;
        found.severity = rules::find(&found.rule).and_then(|rule| rule.severity_at(found.level));
    }

    findings.retain(|finding| finding.diagnostic.severity.is_some());
    sort_findings(&mut findings);
    findings
}

/// Summarizes a skill that is not checked itself, for [`check_across`].
#[must_use]
pub fn summarize(skill: &SkillDir, settings: &LintSettings) -> Option<SkillSummary> {
    SkillSummary::from_subject(&LintSubject {
        skill,
        settings,
        page: read_page(skill),
        runs_all_rules: false,
    })
}

fn read_page(skill: &SkillDir) -> Option<MarkdownPage<'_>> {
    let file = skill.skill_file()?;
    Some(MarkdownPage::read(
        &file.path,
        file.text()?,
        &skill.directory,
    ))
}

/// Removes the findings about several skills from which the skill at `path` exempts itself.
pub fn apply_exemptions(
    findings: &mut Vec<FileFinding>,
    exemptions: &mut [InlineExemption],
    path: &str,
) {
    let (mut own, others): (Vec<_>, Vec<_>) = findings
        .drain(..)
        // The path of a finding about several skills is that of the skill it is reported in.
        .partition(|finding| relative_to(path, &finding.path).is_some());

    suppress::remove_exempted(&mut own, exemptions, path);
    findings.extend(others);
    findings.extend(own);
    sort_findings(findings);
}

/// Checks skills against every rule about several skills.
#[must_use]
pub fn check_across(summaries: &[SkillSummary], settings: &LintSettings) -> Vec<FileFinding> {
    let mut found = FindingList::default();
    for (at, rule) in rules::all().enumerate() {
        if let RuleCheck::Skills(check) = rule.check
            && settings.should_run(at)
        {
            check(summaries, settings, &mut found);
        }
    }

    let mut findings = apply_levels(found.all, settings);
    sort_findings(&mut findings);
    findings
}

/// Applies the configured levels, and drops the findings that are off.
fn apply_levels(mut findings: Vec<FileFinding>, settings: &LintSettings) -> Vec<FileFinding> {
    findings.retain_mut(|found| settings.apply_level(&found.path, &mut found.diagnostic));
    findings
}

/// Sorts findings by file and place.
pub fn sort_findings(findings: &mut [FileFinding]) {
    // By place and then by rule, so that two runs print the same, whatever the order of the rules.
    let start = |finding: &FileFinding| finding.diagnostic.span.as_ref().map(|span| span.start);

    findings.sort_by(|a, b| {
        let by_rule = || a.diagnostic.rule.cmp(&b.diagnostic.rule);
        a.path
            .cmp(&b.path)
            .then_with(|| start(a).cmp(&start(b)))
            .then_with(by_rule)
    });
}

/// A path relative to a directory, which may be empty; `None` if the path is not inside it.
#[must_use]
pub fn relative_to<'p>(place: &str, path: &'p str) -> Option<&'p str> {
    if place.is_empty() {
        Some(path)
    } else {
        path.strip_prefix(place)?.strip_prefix('/')
    }
}

/// Joins a path to a directory, which may be empty.
#[must_use]
pub fn join(place: &str, path: &str) -> String {
    if place.is_empty() {
        path.to_owned()
    } else {
        format!("{place}/{path}")
    }
}

//! A rule: a code, a name, its documentation and its check.

use super::across::SkillSummary;
use super::subject::LintSubject;
use super::{FindingList, LintSettings, rules};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Severity};

/// A lint rule. A row of the table [`super::rules`]; `docs/rules.md` and `lint --explain` are generated from it.
pub struct Rule {
    /// `SK110`: stable, never given to another rule.
    pub code: &'static str,
    /// `yaml-unquoted-colon`: stable; used in settings, suppressions and messages.
    pub name: &'static str,
    /// The default level of its findings; `None` for a rule that is off by default.
    pub level: Option<DiagnosticLevel>,
    /// Whether its findings can be fixed automatically.
    pub fix: FixAvailability,
    /// What it finds, in one line for the table.
    pub summary: &'static str,
    /// Its documentation.
    pub docs: RuleDocs,
    /// The check that reports its findings.
    pub check: RuleCheck,
}

/// Whether findings of a rule can be fixed automatically. A single finding may still have no fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixAvailability {
    /// No automatic fix.
    Never,
    /// By `--fix`.
    Safely,
    /// By `--fix --unsafe-fixes`.
    Unsafely,
}

/// The documentation of a rule for `lint --explain`, in Markdown, with its examples.
pub struct RuleDocs {
    /// What it finds, in detail.
    pub finds: &'static str,
    /// Why it is bad: how agents behave, or what an attacker gains.
    pub hurts: &'static str,
    /// When to ignore it.
    pub ignore: &'static str,
    /// Examples with a finding; the first is shown. A test lints each: the rule must be among its findings.
    pub bad: &'static [RuleExample],
    /// Similar examples without a finding; the first is shown. A test lints each.
    pub good: &'static [RuleExample],
}

/// A directory of files to be linted.
#[derive(Debug, Clone, Copy)]
pub struct RuleExample {
    /// Paths, starting with the skill's directory (`pdf/SKILL.md`), and their content.
    pub files: &'static [(&'static str, ExampleFile)],
    /// The `[lint]` table of a manifest, `""` for none.
    pub settings: &'static str,
}

impl RuleExample {
    /// A skill in the directory `pdf` that has only this `SKILL.md`.
    #[must_use]
    pub const fn page(files: &'static [(&'static str, ExampleFile); 1]) -> Self {
        RuleExample {
            files,
            settings: "",
        }
    }

    /// Several files.
    #[must_use]
    pub const fn files(files: &'static [(&'static str, ExampleFile)]) -> Self {
        RuleExample {
            files,
            settings: "",
        }
    }
}

/// A file of an example.
#[derive(Debug, Clone, Copy)]
pub enum ExampleFile {
    /// A file of this text.
    Text(&'static str),
    /// A file of these bytes.
    Bytes(&'static [u8]),
    /// An executable file of this text.
    Program(&'static str),
    /// A file of this size that is too large to be read, and its first bytes.
    Large(u64, &'static str),
    /// A link to this path.
    Link(&'static str),
}

/// A check of one skill.
pub type SkillCheck = fn(&LintSubject<'_>, &mut FindingList);

/// The check behind a rule.
#[derive(Clone, Copy)]
pub enum RuleCheck {
    /// The reader of `SKILL.md`, [`skillpm_core::skill::read`], reports it.
    Reader,
    /// A check of one skill.
    Skill(SkillCheck),
    /// A check across all skills.
    Skills(fn(&[SkillSummary], &LintSettings, &mut FindingList)),
    /// The check of the named other rule reports it too.
    SharedWith(&'static str),
    /// The engine itself, after all other checks.
    Engine,
    /// The named command: the check needs more than the files.
    Command(&'static str),
}

impl Rule {
    /// A finding of this rule: one sentence, lower case, without a full stop.
    #[must_use]
    pub fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(
            self.name,
            self.level.unwrap_or(DiagnosticLevel::Note),
            message,
        )
    }

    /// Whether `audit` reports its findings.
    #[must_use]
    pub fn is_audited(&self) -> bool {
        // A rule of the group has a severity at this level, if at any.
        self.severity_at(DiagnosticLevel::Error).is_some()
    }

    /// The severity of a finding of this level; `None` for a rule that is not about security.
    #[must_use]
    pub fn severity_at(&self, level: DiagnosticLevel) -> Option<Severity> {
        rules::severity(self.code, level)
    }

    /// Whether it belongs to the security group, which no selection can exclude.
    #[must_use]
    pub fn is_security(&self) -> bool {
        // The code decides, not a list: a rule added to the group is protected from selections at
        // once.
        self.code.starts_with("SK7")
    }
}

//! What a rule is: a code, a name, what it finds and why that matters, and the check that finds it.

use super::across::Summary;
use super::subject::Subject;
use super::{Found, Settings, rules};
use crate::report::{Diagnostic, Level, Severity};

/// One thing that can be wrong with a skill. A row of the table [`super::rules`]; `docs/rules.md` and `lint --explain`
/// are written from it.
pub struct Rule {
    /// `SK110`: stable, never given to another rule.
    pub code: &'static str,
    /// `yaml-unquoted-colon`: stable; what settings, suppressions and messages call it.
    pub name: &'static str,
    /// How much its findings matter unless a setting says otherwise; `None` for a rule that is off.
    pub level: Option<Level>,
    /// Whether its findings can be mended by a program.
    pub fix: Fixes,
    /// One line, as for a table: what it finds.
    pub summary: &'static str,
    /// The rest of what there is to say.
    pub docs: Docs,
    /// What finds it.
    pub check: Check,
}

/// Whether a program can mend what a rule finds. A finding without a fix may still occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixes {
    /// Only a person can.
    Never,
    /// By `--fix`.
    Safely,
    /// By `--fix --unsafe-fixes`.
    Unsafely,
}

/// What `lint --explain` says of a rule, in Markdown, but for its examples.
pub struct Docs {
    /// What it finds, exactly.
    pub finds: &'static str,
    /// Why that hurts: which agent does what then, or what an attacker gains.
    pub hurts: &'static str,
    /// When to leave it as it is.
    pub ignore: &'static str,
    /// Where it finds something; the first is shown. A test lints each: the rule must be among what is found.
    pub bad: &'static [Example],
    /// Where it finds nothing, most like the bad ones; the first is shown. A test lints each.
    pub good: &'static [Example],
}

/// A directory of files to be linted.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Paths, with the name of the skill's directory in front (`pdf/SKILL.md`), and what is there.
    pub files: &'static [(&'static str, Piece)],
    /// `[lint]` as a manifest would have it, `""` for none.
    pub settings: &'static str,
}

impl Example {
    /// A skill in the directory `pdf` that has only this `SKILL.md`.
    #[must_use]
    pub const fn page(files: &'static [(&'static str, Piece); 1]) -> Self {
        Example { files, settings: "" }
    }

    /// Several files.
    #[must_use]
    pub const fn files(files: &'static [(&'static str, Piece)]) -> Self {
        Example { files, settings: "" }
    }
}

/// What an example has at a path.
#[derive(Debug, Clone, Copy)]
pub enum Piece {
    /// A file of this text.
    Text(&'static str),
    /// A file of these bytes.
    Bytes(&'static [u8]),
    /// A file of this text that may be run.
    Program(&'static str),
    /// A file of this size that is too large to be read, and how it begins.
    Large(u64, &'static str),
    /// A link to this path.
    Link(&'static str),
}

/// What finds the faults of a rule.
#[derive(Clone, Copy)]
pub enum Check {
    /// The reader of `SKILL.md`, [`crate::skill::read`], whose findings bear its name.
    Reader,
    /// A look at one skill.
    Skill(fn(&Subject<'_>, &mut Found)),
    /// A look at all of them together.
    Skills(fn(&[Summary], &Settings, &mut Found)),
    /// The check of another rule, which it names: one look finds both.
    With(&'static str),
    /// The engine itself, when all others have spoken.
    Engine,
    /// The command it names: what it finds needs more than the files.
    Command(&'static str),
}

impl Rule {
    /// A finding of this rule: one sentence, lower case, without a full stop.
    #[must_use]
    pub fn finding(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.name, self.level.unwrap_or(Level::Note), message)
    }

    /// Whether what it finds is a danger, of which `audit` tells.
    #[must_use]
    pub fn is_audited(&self) -> bool {
        self.severity_at(Level::Error).is_some()
    }

    /// How dangerous a finding of it is that it made as loud as this; `None` for a rule that is not about security.
    #[must_use]
    pub fn severity_at(&self, level: Level) -> Option<Severity> {
        rules::severity(self.code, level)
    }

    /// Whether it belongs to the security group, which no selection leaves out.
    #[must_use]
    pub fn is_security(&self) -> bool {
        self.code.starts_with("SK7")
    }
}

use std::path::PathBuf;

use clap::Args;

use super::plural;
use crate::cli::Session;
use crate::cli::render::mended;
use crate::error::{Error, Result};
use crate::lint::rules;
use crate::ops::lint::fix::{FixOptions, Mode};
use crate::ops::lint::{LintOptions, lint};
use crate::report::Applicability;

/// Find what is wrong with skills
///
/// Examples:
///
///   skillpm lint
///   skillpm lint skills/pdf
///   skillpm lint --diff
///   skillpm lint --fix skills/pdf
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Directories of skills (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    fixing: Fixing,
}

/// What is to become of what a program can mend.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fixing")]
struct Fixing {
    /// Mend what can be mended safely
    ///
    /// A fix is safe if agents read afterwards what was meant before. Only what is shown is mended, so `--notes` mends
    /// more. Skills that `skillpm install` put somewhere are left as they are unless they are named.
    #[arg(long)]
    fix: bool,

    /// Apply fixes that guess, too: look at them afterwards
    #[arg(long)]
    unsafe_fixes: bool,

    /// Show what `--fix` would do as a patch, and write nothing
    ///
    /// Exits with 1 if there is anything to mend. `git apply` and `patch -p1` take what is printed.
    #[arg(long)]
    diff: bool,
}

impl Fixing {
    fn options(&self) -> Result<Option<FixOptions>> {
        let mode = match (self.diff, self.fix) {
            (true, _) => Mode::Show,
            (false, true) => Mode::Write,
            (false, false) if self.unsafe_fixes => {
                return Err(Error::usage("`--unsafe-fixes` needs `--fix` or `--diff`")
                    .help("`skillpm lint --diff --unsafe-fixes` shows what they would do"));
            }
            (false, false) => return Ok(None),
        };
        let trust = if self.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
        Ok(Some(FixOptions { mode, trust }))
    }
}

impl Arguments {
    pub(in crate::cli) fn run(self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let fix = self.fixing.options()?;
        let mut linted = lint(&session.context, &LintOptions { paths: self.paths, fix })?;
        if fix.is_some_and(|fix| fix.mode == Mode::Show) {
            session.shell.patch(&linted.mended.patch);
            mended::tell(session.shell, false, Mode::Show, &linted.mended);
            let failure = linted.mended.failure();
            return failure.map_or(Ok(u8::from(!linted.mended.patch.is_empty())), Err);
        }
        for found in &linted.findings {
            let diagnostic = &found.diagnostic;
            let code = rules::find(&diagnostic.rule).map_or("?", |rule| rule.code);
            let level = format!("{:?}", diagnostic.level).to_lowercase();
            session.shell.line(&format!(
                "{}: {level}[{code} {}] {}",
                diagnostic.place(&found.path),
                diagnostic.rule,
                diagnostic.message
            ));
        }
        if let Some(fix) = fix {
            mended::tell(session.shell, as_json, fix.mode, &linted.mended);
        }
        session.shell.status("Linted", &plural(linted.skills, "skill"));
        if let Some(failure) = linted.mended.failure() {
            return Err(failure);
        }
        Ok(u8::from(linted.findings.iter().any(crate::report::Finding::denies)))
    }
}

//! The flags of `lint` that apply fixes, and the output about them.

use clap::Args;

use crate::cli::CliSession;
use crate::cli::commands::findings::finding_format;
use crate::cli::commands::plural;
use crate::cli::format_args::FindingFormat;
use crate::error::{Error, Result};
use crate::ops::lint::LintReport;
use crate::ops::lint::fix::{FixMode, FixOptions, LintFixes};
use crate::report::FixApplicability;

use super::fix_output::print_fix_report;

/// Flags for findings that have a fix.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fixing")]
pub(super) struct FixArgs {
    /// Apply safe fixes
    ///
    /// A fix is safe if programs do the same and agents read the same words: it changes notation, such as quotes, escapes and
    /// line ends, or repairs what can be meant in one way only, such as a misspelled field. Only reported findings are fixed, so
    /// `--notes` fixes more; findings in the baseline are fixed, too. Skills that skillpm installed are left unchanged unless
    /// they are named. A file on stdin is printed with the fixes applied.
    #[arg(long, conflicts_with_all = ["explain", "statistics"])]
    fix: bool,

    /// Apply unsafe fixes, too: review them afterwards
    #[arg(long)]
    unsafe_fixes: bool,

    /// Show what `--fix` would do as a patch, and write nothing
    ///
    /// Exits with 1 if there is anything to fix. The output is a patch for `git apply` and `patch -p1`.
    #[arg(long, conflicts_with_all = ["explain", "statistics"])]
    diff: bool,
}

impl FixArgs {
    /// Whether and how to apply fixes.
    pub(super) fn fix_options(&self) -> Result<Option<FixOptions>> {
        // `--diff` wins over `--fix`: of two flags, the one that writes nothing is safe.
        let mode = match (self.diff, self.fix) {
            (true, _) => FixMode::Show,
            (false, true) => FixMode::Write,
            (false, false) if self.unsafe_fixes => {
                return Err(
                    Error::usage("`--unsafe-fixes` requires `--fix` or `--diff`").help(
                        "run `skillpm lint --diff --unsafe-fixes` to see what they would change",
                    ),
                );
            }
            (false, false) => return Ok(None),
        };

        let trust = if self.unsafe_fixes {
            FixApplicability::Unsafe
        } else {
            FixApplicability::Safe
        };
        Ok(Some(FixOptions { mode, trust }))
    }
}

/// Prints a patch and its summary; returns the exit code.
pub(super) fn print_diff(session: &CliSession<'_>, fixes: &mut LintFixes) -> Result<u8> {
    session.shell.print_patch(&fixes.patch);

    // On stderr, whatever the format: stdout has the patch and nothing else.
    print_fix_report(session.shell, false, FixMode::Show, fixes);
    fixes
        .failure()
        .map_or(Ok(u8::from(!fixes.patch.is_empty())), Err)
}

/// Prints the fixed file from stdin, and the count of remaining findings; returns the exit code.
pub(super) fn print_fixed_stdin(session: &CliSession<'_>, linted: &mut LintReport) -> Result<u8> {
    // Only the file goes to stdout: an editor puts it in the place of its buffer.
    session
        .shell
        .print_raw(&linted.fixed.unsaved.take().unwrap_or_default());
    print_fix_report(session.shell, false, FixMode::Write, &linted.fixed);

    if !linted.findings.is_empty() {
        session
            .shell
            .status("Left", &plural(linted.findings.len(), "finding"));
    }

    linted
        .fixed
        .failure()
        .map_or(Ok(u8::from(linted.denies())), Err)
}

/// Prints the fixed findings.
pub(super) fn print_fixes(session: &CliSession<'_>, fixes: &LintFixes) -> Result<()> {
    let as_objects = finding_format(session)? == FindingFormat::Json;
    print_fix_report(session.shell, as_objects, FixMode::Write, fixes);
    Ok(())
}

//! The flags of `lint` that mend, and the telling of what they did.

use clap::Args;

use crate::cli::Session;
use crate::cli::commands::findings::Form;
use crate::cli::commands::plural;
use crate::cli::render::mended;
use crate::error::{Error, Result};
use crate::ops::lint::Linted;
use crate::ops::lint::fix::{FixOptions, Mended, Mode};
use crate::report::Applicability;

/// What is to become of what a program can mend.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fixing")]
pub(super) struct Fixing {
    /// Mend what can be mended safely
    ///
    /// A fix is safe if agents read afterwards what was meant before. Only what is shown is mended, so `--notes` mends
    /// more; what a baseline knows is mended, too. Skills that `skillpm install` put somewhere are left as they are
    /// unless they are named. A file on stdin is printed as it is afterwards.
    #[arg(long, conflicts_with_all = ["explain", "statistics"])]
    fix: bool,

    /// Apply fixes that guess, too: look at them afterwards
    #[arg(long)]
    unsafe_fixes: bool,

    /// Show what `--fix` would do as a patch, and write nothing
    ///
    /// Exits with 1 if there is anything to mend. `git apply` and `patch -p1` take what is printed.
    #[arg(long, conflicts_with_all = ["explain", "statistics"])]
    diff: bool,
}

impl Fixing {
    /// Whether and how to mend.
    pub(super) fn options(&self) -> Result<Option<FixOptions>> {
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

/// Prints a patch, and says what it would do; the exit code.
pub(super) fn show(session: &Session<'_>, mended: &mut Mended) -> Result<u8> {
    session.shell.patch(&mended.patch);
    mended::tell(session.shell, false, Mode::Show, mended);
    mended.failure().map_or(Ok(u8::from(!mended.patch.is_empty())), Err)
}

/// Prints a file that was given on stdin as it is afterwards, and how much is still wrong with it; the exit code.
pub(super) fn give(session: &Session<'_>, linted: &mut Linted) -> Result<u8> {
    session.shell.raw(&linted.mended.given.take().unwrap_or_default());
    mended::tell(session.shell, false, Mode::Write, &linted.mended);
    if !linted.findings.is_empty() {
        session.shell.status("Left", &plural(linted.findings.len(), "finding"));
    }
    linted.mended.failure().map_or(Ok(u8::from(linted.denies())), Err)
}

/// Says what was mended.
pub(super) fn tell(session: &Session<'_>, mended: &Mended) -> Result<()> {
    let as_objects = Form::of(session)? == Form::Json;
    mended::tell(session.shell, as_objects, Mode::Write, mended);
    Ok(())
}

//! `doctor`: prints the findings of [`doctor`] by check, and with `--fix` what it repaired.

use clap::Args;
use serde_json::json;

use super::{ScopeArgs, plural};
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::doctor::{CHECKS, DoctorFinding, DoctorOptions, DoctorReport, HealthLevel, doctor};

/// Check the installation and the project for problems
///
/// Checks settings and secrets, the shared cache, the project and its skills, and this
/// machine. Prints each problem, its cause, and the command that fixes it. `--verbose`
/// also lists the checks that passed.
///
/// `--fix` fixes what can be fixed without losing data: an interrupted command, missing
/// skills, a missing state, damaged copies, permissions. Local edits are never changed.
/// Exits with 1 if an error remains.
///
/// Examples:
///
///   skillpm doctor
///   skillpm doctor --fix
///   skillpm doctor --online --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct DoctorArgs {
    /// Fix problems that can be fixed without data loss
    #[arg(long)]
    fix: bool,

    /// Check that every registry can be reached
    #[arg(long)]
    online: bool,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl DoctorArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let options = DoctorOptions {
            sort: self.scope.workspace_kind(),
            fix: self.fix,
            online: self.online,
        };
        // Even settings that cannot be read are a finding here, and no error that ends the command.
        let diagnosis = doctor(&session.context, options, session.broken_settings.as_ref());

        if as_json {
            print_json(session.shell, &diagnosis);
        } else {
            self.print_human(session.shell, &diagnosis);
        }

        Ok(u8::from(diagnosis.count(HealthLevel::Error) > 0))
    }

    fn print_human(&self, shell: &CliShell, diagnosis: &DoctorReport) {
        diagnosis
            .repaired
            .iter()
            .for_each(|fix| shell.status("Fixed", fix));

        for error in &diagnosis.failed {
            // On one line, since the errors of several fixes may follow each other.
            let causes: Vec<&str> = std::iter::once(error.message())
                .chain(error.causes().iter().map(String::as_str))
                .collect();
            shell.warn(
                &format!("failed to fix: {}", causes.join(": ")),
                error.helps().first().map(String::as_str),
            );
        }

        // What is in order is of interest only to those who ask for details.
        diagnosis
            .findings
            .iter()
            .filter(|finding| finding.health != HealthLevel::Ok || shell.is_verbose())
            .for_each(|finding| print_finding(shell, finding));

        self.print_counts(shell, diagnosis);
    }

    fn print_counts(&self, shell: &CliShell, diagnosis: &DoctorReport) {
        let counted = |health, thing: &str| plural(diagnosis.count(health), thing);
        let counts = [
            counted(HealthLevel::Error, "error"),
            counted(HealthLevel::Warning, "warning"),
            counted(HealthLevel::Note, "note"),
        ];
        shell.status(
            "Checked",
            &format!("{} things: {}", CHECKS.len(), counts.join(", ")),
        );

        // After `--fix` the rest was tried already, and the flag would be no help.
        let fixable = diagnosis
            .findings
            .iter()
            .filter(|finding| finding.is_repairable())
            .count();
        if fixable > 0 && !self.fix {
            shell.status(
                "Fixable:",
                &format!("{fixable} of them, with `skillpm doctor --fix`"),
            );
        }
    }
}

fn print_finding(shell: &CliShell, finding: &DoctorFinding) {
    shell.print_line(&format!(
        "{}[{}]: {}",
        finding.health, finding.check, finding.message
    ));

    finding
        .notes
        .iter()
        .for_each(|note| shell.print_line(&format!("  {note}")));
    if let Some(help) = &finding.help {
        shell.print_line(&format!("  help: {help}"));
    }
}

fn print_json(shell: &CliShell, diagnosis: &DoctorReport) {
    for fix in &diagnosis.repaired {
        shell.print_object(&json!({"type": "mended", "done": true, "message": fix}));
    }

    for error in &diagnosis.failed {
        shell.print_object(&json!({"type": "mended", "done": false, "message": error.message()}));
    }

    for finding in &diagnosis.findings {
        shell.print_object(&json!({
            "type": "check",
            "check": finding.check,
            "level": finding.health,
            "message": finding.message,
            "notes": finding.notes,
            "help": finding.help,
            "mendable": finding.is_repairable(),
        }));
    }

    shell.print_object(&json!({
        "type": "doctor-summary",
        "checks": CHECKS.len(),
        "errors": diagnosis.count(HealthLevel::Error),
        "warnings": diagnosis.count(HealthLevel::Warning),
        "notes": diagnosis.count(HealthLevel::Note),
        "mended": diagnosis.repaired.len(),
    }));
}

use clap::Args;
use serde_json::json;

use super::{Scope, plural};
use crate::cli::Session;
use crate::cli::shell::Shell;
use crate::error::Result;
use crate::ops::doctor::{CHECKS, Diagnosis, DoctorOptions, Finding, Health, doctor};

/// Look for everything that can be wrong
///
/// With settings and secrets, with what is kept for all projects, with the project
/// here and its skills, and with this machine: what is wrong, why, and the command
/// that mends it. `--verbose` names the checks that found nothing, too.
///
/// `--fix` mends what can be mended without losing anything: an interrupted
/// command, missing skills, a lost state, damaged copies, permissions. What a
/// person edited is never touched. Exits with 1 if an error remains.
///
/// Examples:
///
///   skillpm doctor
///   skillpm doctor --fix
///   skillpm doctor --online --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Mend what can be mended without losing anything
    #[arg(long)]
    fix: bool,

    /// Ask every registry whether it answers, too
    #[arg(long)]
    online: bool,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options = DoctorOptions { sort: self.scope.sort(), fix: self.fix, online: self.online };
        let diagnosis = doctor(&session.context, options, session.broken_settings.as_ref());
        if as_json {
            objects(session.shell, &diagnosis);
        } else {
            self.lines(session.shell, &diagnosis);
        }
        Ok(u8::from(diagnosis.count(Health::Error) > 0))
    }

    fn lines(&self, shell: &Shell, diagnosis: &Diagnosis) {
        diagnosis.mended.iter().for_each(|told| shell.status("Mended", told));
        for error in &diagnosis.failed {
            let causes: Vec<&str> =
                std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str)).collect();
            shell.warn(&format!("not mended: {}", causes.join(": ")), error.helps().first().map(String::as_str));
        }
        let is_told = |finding: &&Finding| finding.health != Health::Ok || shell.is_verbose();
        for finding in diagnosis.findings.iter().filter(is_told) {
            shell.line(&format!("{}[{}]: {}", finding.health, finding.check, finding.message));
            finding.notes.iter().for_each(|note| shell.line(&format!("  {note}")));
            if let Some(help) = &finding.help {
                shell.line(&format!("  help: {help}"));
            }
        }
        let of = |health, thing: &str| plural(diagnosis.count(health), thing);
        let counts = [of(Health::Error, "error"), of(Health::Warning, "warning"), of(Health::Note, "note")];
        shell.status("Looked at", &format!("{} things: {}", CHECKS.len(), counts.join(", ")));
        let mendable = diagnosis.findings.iter().filter(|finding| finding.is_mendable()).count();
        if mendable > 0 && !self.fix {
            shell.status("Mendable", &format!("{mendable} of them, by `skillpm doctor --fix`"));
        }
    }
}

fn objects(shell: &Shell, diagnosis: &Diagnosis) {
    for told in &diagnosis.mended {
        shell.object(&json!({"type": "mended", "done": true, "message": told}));
    }
    for error in &diagnosis.failed {
        shell.object(&json!({"type": "mended", "done": false, "message": error.message()}));
    }
    for finding in &diagnosis.findings {
        shell.object(&json!({
            "type": "check",
            "check": finding.check,
            "level": finding.health,
            "message": finding.message,
            "notes": finding.notes,
            "help": finding.help,
            "mendable": finding.is_mendable(),
        }));
    }
    shell.object(&json!({
        "type": "doctor-summary",
        "checks": CHECKS.len(),
        "errors": diagnosis.count(Health::Error),
        "warnings": diagnosis.count(Health::Warning),
        "notes": diagnosis.count(Health::Note),
        "mended": diagnosis.mended.len(),
    }));
}

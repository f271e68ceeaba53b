//! The results of `lint --fix` and `lint --diff`, for people and for programs.

use serde_json::json;

use crate::cli::shell::CliShell;
use crate::lint::rules;
use crate::ops::lint::fix::{FixMode, LintFixes};
use crate::report::FixApplicability;

/// Prints fixed and unfixed findings; failures are reported by the command.
pub(super) fn print_fix_report(shell: &CliShell, as_json: bool, mode: FixMode, fixes: &LintFixes) {
    if as_json {
        print_json(shell, mode, fixes);
    } else {
        print_human(shell, mode, fixes);
    }
}

fn print_human(shell: &CliShell, mode: FixMode, fixes: &LintFixes) {
    for refused in &fixes.refused {
        let place = refused.finding.diagnostic.location(&refused.finding.path);
        let rule = &refused.finding.diagnostic.rule;
        shell.warn(
            &format!(
                "{place}: the fix of `{rule}` was left out: {}",
                refused.reason
            ),
            None,
        );
    }

    for kept in &fixes.skipped {
        // An edit of an installed copy would be lost with the next update of its package.
        let what = plural(kept.fixable, "fix", "fixes");
        let message = format!(
            "`{}` was installed from `{}` and is left as it is ({what} left out)",
            kept.path, kept.package
        );
        let help = format!(
            "fix it in its source; `skillpm lint --fix {}` fixes this copy, which `skillpm verify` then calls \
             changed",
            kept.path
        );

        shell.warn(&message, Some(&help));
    }

    let verb = if mode == FixMode::Show {
        "Would fix"
    } else {
        "Fixed"
    };

    // Nothing to fix is no news: the findings that are left follow.
    if !fixes.applied.is_empty() {
        let (done, file_count) = (fixes.applied.len(), fixes.files.len());
        let what = format!(
            "{} in {}",
            plural(done, "finding", "findings"),
            plural(file_count, "file", "files")
        );
        shell.status(verb, &what);
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn print_json(shell: &CliShell, mode: FixMode, fixes: &LintFixes) {
    // Codes never change; a name might, and programs should compare codes.
    let code = |rule: &str| rules::find(rule).map(|rule| rule.code);

    for applied in &fixes.applied {
        shell.print_object(&json!({
            "type": "fix",
            "code": code(&applied.rule),
            "rule": applied.rule,
            "path": applied.path,
            "message": applied.fix.message,
            "applicability": applied.fix.applicability,
            "written": mode == FixMode::Write,
        }));
    }

    for refused in &fixes.refused {
        let diagnostic = &refused.finding.diagnostic;
        shell.print_object(&json!({
            "type": "fix-left-out",
            "code": code(&diagnostic.rule),
            "rule": diagnostic.rule,
            "path": refused.finding.path,
            "applicability": diagnostic.fix.as_ref().map_or(FixApplicability::Unsafe, |fix| fix.applicability),
            "why": refused.reason,
        }));
    }

    for kept in &fixes.skipped {
        shell.print_object(&json!({
            "type": "installed-skill-left",
            "path": kept.path,
            "package": kept.package,
            "fixes": kept.fixable,
        }));
    }

    let (done, paths) = (fixes.applied.len(), &fixes.files);
    shell.print_object(
        &json!({"type": "fixes", "fixed": done, "files": paths, "written": mode == FixMode::Write}),
    );
}

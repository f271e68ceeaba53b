//! What `lint --fix` and `lint --diff` did, told to people and to programs.

use serde_json::json;

use crate::cli::shell::Shell;
use crate::lint::rules;
use crate::ops::lint::fix::{Mended, Mode};
use crate::report::Applicability;

/// Tells what was mended and what was not, but for failures, which are the command's.
pub(in crate::cli) fn tell(shell: &Shell, as_json: bool, mode: Mode, mended: &Mended) {
    if as_json {
        objects(shell, mode, mended);
    } else {
        lines(shell, mode, mended);
    }
}

fn lines(shell: &Shell, mode: Mode, mended: &Mended) {
    for refused in &mended.refused {
        let place = refused.finding.diagnostic.place(&refused.finding.path);
        let rule = &refused.finding.diagnostic.rule;
        shell.warn(&format!("{place}: the fix of `{rule}` was left out: {}", refused.why), None);
    }
    for kept in &mended.kept {
        let what = plural(kept.fixable, "fix", "fixes");
        let message =
            format!("`{}` was installed from `{}` and is left as it is ({what} left out)", kept.path, kept.package);
        let help = format!(
            "mend it where it comes from; `skillpm lint --fix {}` mends this copy, which `skillpm verify` then calls \
             changed",
            kept.path
        );
        shell.warn(&message, Some(&help));
    }
    let verb = if mode == Mode::Show { "Would fix" } else { "Fixed" };
    if !mended.applied.is_empty() {
        let (findings, files) = (mended.applied.len(), mended.files.len());
        let what = format!("{} in {}", plural(findings, "finding", "findings"), plural(files, "file", "files"));
        shell.status(verb, &what);
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn objects(shell: &Shell, mode: Mode, mended: &Mended) {
    let code = |rule: &str| rules::find(rule).map(|rule| rule.code);
    for applied in &mended.applied {
        shell.object(&json!({
            "type": "fix",
            "code": code(&applied.rule),
            "rule": applied.rule,
            "path": applied.path,
            "message": applied.fix.message,
            "applicability": applied.fix.applicability,
            "written": mode == Mode::Write,
        }));
    }
    for refused in &mended.refused {
        let diagnostic = &refused.finding.diagnostic;
        shell.object(&json!({
            "type": "fix-left-out",
            "code": code(&diagnostic.rule),
            "rule": diagnostic.rule,
            "path": refused.finding.path,
            "applicability": diagnostic.fix.as_ref().map_or(Applicability::Unsafe, |fix| fix.applicability),
            "why": refused.why,
        }));
    }
    for kept in &mended.kept {
        shell.object(&json!({
            "type": "installed-skill-left",
            "path": kept.path,
            "package": kept.package,
            "fixes": kept.fixable,
        }));
    }
    let (fixed, files) = (mended.applied.len(), &mended.files);
    shell.object(&json!({"type": "fixes", "fixed": fixed, "files": files, "written": mode == Mode::Write}));
}

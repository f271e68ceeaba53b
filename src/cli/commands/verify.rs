//! `verify`: prints how installed skills differ from the lockfile, from [`verify`]; a revoked package is an error.

use clap::Args;
use serde_json::json;

use super::diff::file_change_json;
use super::{ScopeArgs, plural};
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::verify::{
    ChangedSource, ConvertedSkill, PatchedSkill, SkillDeviation, SkillFault, VerifyReport, verify,
};
use crate::ops::withdrawn::{RevokedPackage, revoked_help};
use crate::package::RelPath;
use crate::report::{EventReporter as _, ProgressEvent};

/// Verify installed files against the lockfile
///
/// Reports each difference, and exits with 1 if there are any; so does a directory of
/// the project that was changed since it was locked. Edits saved as a patch file do
/// not count as a difference; the patch file is reported. Neither do line endings that
/// git converted. What is not part of a skill, such as `node_modules` or `.env`, is
/// listed with `-v`.
///
/// Examples:
///
///   skillpm verify
///   skillpm verify -v
///   skillpm verify --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct VerifyArgs {
    #[command(flatten)]
    scope: ScopeArgs,
}

const DEVIATION_HELP: &str = "run `skillpm diff` to see the edits, or `skillpm patch NAME` to save them; \
                    `skillpm restore NAME` restores the locked files, with a backup in `.skillpm/backup`";

const LINE_ENDINGS_HELP: &str = "git converts them with `core.autocrlf`; `skillpm doctor --fix` adds the line to `.gitattributes` \
                    that prevents it, and `skillpm install --force` restores the locked files";

impl VerifyArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let verified = verify(&session.context, self.scope.workspace_kind())?;

        // A patch file that was changed since is not what the lockfile says either.
        let stale = verified
            .patched
            .iter()
            .filter(|explained| !explained.is_locked)
            .count();
        let is_bad = verified.deviations.len()
            + stale
            + verified.revoked.len()
            + verified.changed_sources.len()
            > 0;

        if as_json {
            print_json(session.shell, &verified);
        } else {
            print_human(session.shell, &verified, is_bad);
        }

        Ok(u8::from(is_bad))
    }
}

fn print_human(shell: &CliShell, verified: &VerifyReport, is_bad: bool) {
    verified
        .deviations
        .iter()
        .for_each(|deviation| print_deviation(shell, deviation));
    verified
        .patched
        .iter()
        .for_each(|explained| print_patched(shell, explained));
    verified
        .revoked
        .iter()
        .for_each(|revoked| warn_about_revoked(shell, revoked));
    for ChangedSource { name, path } in &verified.changed_sources {
        shell.warn(
            &format!("source `{path}` was changed since `{name}` was locked"),
            Some(&format!(
                "run `skillpm update {name}` to lock and install it"
            )),
        );
    }
    verified
        .signed
        .iter()
        .for_each(|(name, key)| shell.status("Signed", &format!("{name} by {key}")));
    for place in &verified.local {
        let message = format!("`{}` is not part of the skill", place.display());
        shell.report(ProgressEvent::Detail { message });
    }

    warn_about_line_endings(shell, &verified.line_ends);

    let bad = verified.deviations.len();
    if !is_bad {
        let how = if verified.line_ends.is_empty() {
            "byte for byte"
        } else {
            "except for line endings"
        };
        shell.status(
            "Verified",
            &format!("{}, {how}", plural(verified.checked, "skill")),
        );
    } else if bad > 0 {
        let differ = if bad == 1 { "differs" } else { "differ" };
        shell.warn(
            &format!(
                "{bad} of {} {differ} from the lockfile",
                plural(verified.checked, "installed skill")
            ),
            Some(DEVIATION_HELP),
        );
    }
}

fn print_json(shell: &CliShell, verified: &VerifyReport) {
    verified
        .deviations
        .iter()
        .for_each(|deviation| print_deviation_json(shell, deviation));
    verified
        .patched
        .iter()
        .for_each(|explained| print_patched_json(shell, explained));
    verified
        .revoked
        .iter()
        .for_each(|revoked| print_revoked_json(shell, revoked));

    for ChangedSource { name, path } in &verified.changed_sources {
        shell.print_object(&json!({"type": "changed-source", "name": name, "path": path}));
    }
    for (name, key) in &verified.signed {
        shell.print_object(&json!({"type": "signed", "name": name, "signed_by": key.to_string()}));
    }

    for place in &verified.local {
        shell.print_object(&json!({"type": "local", "path": place}));
    }
    for ConvertedSkill { place, files } in &verified.line_ends {
        shell.print_object(&json!({"type": "line-endings", "path": place, "files": files}));
    }
    shell.print_object(&json!({
        "type": "summary",
        "checked": verified.checked,
        "deviations": verified.deviations.len(),
        "patched": verified.patched.len(),
        "revoked": verified.revoked.len(),
        "changed_sources": verified.changed_sources.len(),
    }));
}

/// Prints the patch file that makes an installed skill differ from its source.
fn print_patched(shell: &CliShell, explained: &PatchedSkill) {
    let PatchedSkill {
        name,
        revision,
        path,
        is_locked,
        changes,
    } = explained;
    if !is_locked {
        return shell.warn(
            &format!("patch file `{path}` was changed since `{name}` was locked"),
            Some("run `skillpm install` to apply the changed file, or `git checkout` to restore the locked one"),
        );
    }

    // Without the package, which `verify` does not fetch, nothing is known of the edits.
    let counts = changes.as_ref().map(|changes| {
        let lines = changes.iter().map(crate::merge::patch::changed_lines);
        // Over all files: the line is a summary, and `diff` shows each.
        let (added, removed) = lines.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let files = plural(changes.len(), "file");
        format!(" ({files}, +{added} -{removed})")
    });
    let counts = counts.unwrap_or_default();
    shell.status(
        "Patched",
        &format!("{name} is {revision} with {path}{counts}"),
    );
}

/// Warns that skills have other line ends than their packages, which is no difference.
fn warn_about_line_endings(shell: &CliShell, converted: &[ConvertedSkill]) {
    let mut count = 0;
    for ConvertedSkill { place, files } in converted {
        count += files.len();
        for file in files {
            let place = place.display();
            let message = format!("`{place}/{file}` has other line endings than the package");
            shell.report(ProgressEvent::Detail { message });
        }
    }
    let place = match converted {
        [] => return,
        [one] => format!("`{}`", one.place.display()),
        _ => plural(converted.len(), "skill"),
    };
    let have = if count == 1 { "has" } else { "have" };
    shell.warn(
        &format!(
            "{} in {place} {have} other line endings than the package; `-v` lists them",
            plural(count, "file")
        ),
        Some(LINE_ENDINGS_HELP),
    );
}

fn warn_about_revoked(shell: &CliShell, revoked: &RevokedPackage) {
    shell.warn(
        &revoked.message(),
        Some(&revoked_help(revoked.locked.install_name())),
    );
}

fn print_revoked_json(shell: &CliShell, RevokedPackage { locked, reason }: &RevokedPackage) {
    let (name, version) = (
        locked.name.to_string(),
        locked.version.as_ref().map(ToString::to_string),
    );
    shell.print_object(
        &json!({"type": "revoked-version", "name": name, "version": version, "reason": reason}),
    );
}

fn print_patched_json(shell: &CliShell, explained: &PatchedSkill) {
    let changes = explained.changes.iter().flatten();
    let files: Vec<_> = changes.map(file_change_json).collect();
    shell.print_object(&json!({
        "type": "patched",
        "name": explained.name,
        "revision": explained.revision,
        "patch": explained.path,
        "locked": explained.is_locked,
        "files": files,
    }));
}

fn print_deviation(shell: &CliShell, deviation: &SkillDeviation) {
    let place = deviation.place.display();

    match &deviation.fault {
        SkillFault::Missing => shell.print_line(&format!("missing   {place}")),
        SkillFault::Unreadable(why) => shell.print_line(&format!("unreadable {place}: {why}")),
        // Without the original in the store or at the source, the files cannot be compared one by
        // one.
        SkillFault::Differs { files, conflicts } => {
            // In columns, so that the paths of a long list line up.
            let each = |verb: &str, paths: &[RelPath]| {
                paths
                    .iter()
                    .for_each(|path| shell.print_line(&format!("{verb:9} {place}/{path}")));
            };
            match files {
                Some(files) => {
                    each("changed", &files.changed);
                    each("added", &files.added);
                    each("missing", &files.missing);
                }
                None => shell.print_line(&format!("changed   {place}")),
            }
            each("conflicts", conflicts);
        }
    }
}

fn print_deviation_json(shell: &CliShell, deviation: &SkillDeviation) {
    // Every key is there for every fault, so that readers need not ask which.
    let (fault, why, drift, conflicts) = match &deviation.fault {
        SkillFault::Missing => ("missing", None, None, &[][..]),
        SkillFault::Unreadable(why) => ("unreadable", Some(why), None, &[][..]),
        SkillFault::Differs { files, conflicts } => ("differs", None, files.as_ref(), &**conflicts),
    };

    shell.print_object(&json!({
        "type": "deviation",
        "path": deviation.place,
        "fault": fault,
        "why": why,
        "changed": drift.map(|drift| &drift.changed),
        "added": drift.map(|drift| &drift.added),
        "missing": drift.map(|drift| &drift.missing),
        "conflicts": conflicts,
    }));
}

use clap::Args;
use serde_json::json;

use super::diff::summary_of;
use super::{Scope, plural};
use crate::cli::Session;
use crate::cli::shell::Shell;
use crate::error::Result;
use crate::merge::patch::FileChange;
use crate::ops::verify::{Deviation, Explained, Fault, verify};
use crate::ops::withdrawn::{Revoked, way_out};
use crate::package::RelPath;

/// Check every installed byte against the lockfile
///
/// Exits with 1 if anything differs, and names it. A skill with edits that are kept
/// as a patch file is as it should be, and the file that makes it so is named.
///
/// Examples:
///
///   skillpm verify
///   skillpm verify --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    scope: Scope,
}

const HELP: &str = "`skillpm diff` shows what was edited, and `skillpm patch NAME` keeps it; \
                    `skillpm install --force` restores them, and saves what is there under `.skillpm/backup`";

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let verified = verify(&session.context, self.scope.sort())?;
        for deviation in &verified.deviations {
            if as_json { object(session.shell, deviation) } else { lines(session.shell, deviation) }
        }
        for explained in &verified.patched {
            if as_json { patched(session.shell, explained) } else { explain(session.shell, explained) }
        }
        for revoked in &verified.revoked {
            if as_json { revoked_object(session.shell, revoked) } else { warn_of(session.shell, revoked) }
        }
        for (name, key) in &verified.signed {
            if as_json {
                session.shell.object(&json!({"type": "signed", "name": name, "signed-by": key.to_string()}));
            } else {
                session.shell.status("Signed", &format!("{name} by {key}"));
            }
        }
        let stale = verified.patched.iter().filter(|explained| !explained.is_locked).count();
        let bad = verified.deviations.len();
        if as_json {
            let (checked, patched) = (verified.checked, verified.patched.len());
            let summary = json!({"type": "summary", "checked": checked, "deviations": bad, "patched": patched, "revoked": verified.revoked.len()});
            session.shell.object(&summary);
        } else if bad == 0 && stale == 0 && verified.revoked.is_empty() {
            session.shell.status("Verified", &format!("{}, byte for byte", plural(verified.checked, "skill")));
        } else if bad > 0 {
            let differ = if bad == 1 { "differs" } else { "differ" };
            session.shell.warn(
                &format!("{bad} of {} {differ} from the lockfile", plural(verified.checked, "installed skill")),
                Some(HELP),
            );
        }
        Ok(u8::from(bad + stale + verified.revoked.len() > 0))
    }
}

/// Says what makes an installed skill another than its source's.
fn explain(shell: &Shell, explained: &Explained) {
    let Explained { name, revision, path, is_locked, changes } = explained;
    if !is_locked {
        return shell.warn(
            &format!("`{path}` is not the patch file that `{name}` was locked with"),
            Some("`skillpm install` takes it as it is now; `git checkout` has the old one"),
        );
    }
    let (added, removed) =
        changes.iter().map(FileChange::lines).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let files = plural(changes.len(), "file");
    shell.status("Patched", &format!("{name} is {revision} with {path} ({files}, +{added} -{removed})"));
}

fn warn_of(shell: &Shell, revoked: &Revoked) {
    shell.warn(&revoked.told(), Some(&way_out(revoked.locked.install_name())));
}

fn revoked_object(shell: &Shell, Revoked { locked, reason }: &Revoked) {
    let (name, version) = (locked.name.to_string(), locked.version.as_ref().map(ToString::to_string));
    shell.object(&json!({"type": "revoked-version", "name": name, "version": version, "reason": reason}));
}

fn patched(shell: &Shell, explained: &Explained) {
    let files: Vec<_> = explained.changes.iter().map(summary_of).collect();
    shell.object(&json!({
        "type": "patched",
        "name": explained.name,
        "revision": explained.revision,
        "patch": explained.path,
        "locked": explained.is_locked,
        "files": files,
    }));
}

fn lines(shell: &Shell, deviation: &Deviation) {
    let place = deviation.place.display();
    match &deviation.fault {
        Fault::Missing => shell.line(&format!("missing   {place}")),
        Fault::Unreadable(why) => shell.line(&format!("unreadable {place}: {why}")),
        Fault::Differs(None) => shell.line(&format!("changed   {place}")),
        Fault::Differs(Some(drift)) => {
            let each = |verb: &str, paths: &[RelPath]| {
                paths.iter().for_each(|path| shell.line(&format!("{verb:9} {place}/{path}")));
            };
            each("changed", &drift.changed);
            each("added", &drift.added);
            each("missing", &drift.missing);
        }
    }
}

fn object(shell: &Shell, deviation: &Deviation) {
    let (fault, why, drift) = match &deviation.fault {
        Fault::Missing => ("missing", None, None),
        Fault::Unreadable(why) => ("unreadable", Some(why), None),
        Fault::Differs(drift) => ("differs", None, drift.as_ref()),
    };
    shell.object(&json!({
        "type": "deviation",
        "path": deviation.place,
        "fault": fault,
        "why": why,
        "changed": drift.map(|drift| &drift.changed),
        "added": drift.map(|drift| &drift.added),
        "missing": drift.map(|drift| &drift.missing),
    }));
}

use clap::Args;
use serde_json::json;

use super::{Scope, plural};
use crate::cli::Session;
use crate::cli::shell::Shell;
use crate::error::Result;
use crate::ops::verify::{Deviation, Fault, verify};
use crate::package::RelPath;

/// Check every installed byte against the lockfile
///
/// Exits with 1 if anything differs, and names it.
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

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let verified = verify(&session.context, self.scope.sort())?;
        for deviation in &verified.deviations {
            if as_json { object(session.shell, deviation) } else { lines(session.shell, deviation) }
        }
        let bad = verified.deviations.len();
        if as_json {
            session.shell.object(&json!({"type": "summary", "checked": verified.checked, "deviations": bad}));
        } else if bad == 0 {
            session.shell.status("Verified", &format!("{}, byte for byte", plural(verified.checked, "skill")));
        } else {
            let differ = if bad == 1 { "differs" } else { "differ" };
            session.shell.warn(
                &format!("{bad} of {} {differ} from the lockfile", plural(verified.checked, "installed skill")),
                Some("`skillpm install --force` restores them, and saves what is there under `.skillpm/backup`"),
            );
        }
        Ok(u8::from(bad > 0))
    }
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

//! What is told of bundles.

use serde_json::{Value, json};

use super::plural;
use crate::cli::Session;
use crate::error::Result;
use crate::ops::bundle::{Imported, Package, Project};

/// Tells what came of taking a bundle.
pub(super) fn tell(session: &Session<'_>, imported: &Imported) -> Result<u8> {
    let lacking = match &imported.project {
        Project::Other(lacking) => &lacking[..],
        _ => &[],
    };
    if session.json()? {
        session.shell.object(&json!({
            "type": "imported-bundle",
            "packages": imported.new.iter().map(package).collect::<Vec<_>>(),
            "known": imported.known,
            "project": match &imported.project {
                Project::None => "none",
                Project::Same => "same",
                Project::Other(_) => "other",
            },
            "lacking": lacking,
        }));
        return Ok(0);
    }
    for package in &imported.new {
        session.shell.status("Imported", &package.reference());
    }
    if !lacking.is_empty() {
        let lacking: Vec<String> = lacking.iter().map(|reference| format!("`{reference}`")).collect();
        session.shell.warn(
            &format!("the lockfile here is not the bundle's; the store still lacks {}", lacking.join(", ")),
            Some("export a bundle of this very project"),
        );
    }
    let known = if imported.known == 0 { String::new() } else { format!(", {} were there", imported.known) };
    let next = match &imported.project {
        Project::None => "in a project with its lockfile, `skillpm install --frozen` installs them",
        Project::Same => "`skillpm install --frozen` installs them",
        Project::Other(lacking) if lacking.is_empty() => "`skillpm install --frozen` has all that is locked here",
        Project::Other(_) => "`skillpm install --frozen` would fail here",
    };
    session
        .shell
        .status("Finished", &format!("{} new in the store{known}; {next}", plural(imported.new.len(), "package")));
    Ok(0)
}

/// A package of a bundle, for programs.
pub(super) fn package(package: &Package) -> Value {
    json!({
        "name": package.name,
        "version": package.version.as_ref().map(ToString::to_string),
        "source": package.source,
    })
}

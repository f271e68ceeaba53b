//! Output for imported bundles.

use serde_json::{Value, json};

use super::plural;
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::bundle::{BundleImport, BundleProject, BundledPackage};

/// Prints the result of importing a bundle.
pub(super) fn print_import(session: &CliSession<'_>, imported: &BundleImport) -> Result<u8> {
    let lacking = match &imported.project {
        BundleProject::Other(lacking) => &lacking[..],
        _ => &[],
    };

    if session.wants_json()? {
        session.shell.print_object(&json!({
            "type": "imported-bundle",
            "packages": imported.new.iter().map(package_json).collect::<Vec<_>>(),
            "known": imported.known,
            "project": match &imported.project {
                BundleProject::None => "none",
                BundleProject::Same => "same",
                BundleProject::Other(_) => "other",
            },
            "lacking": lacking,
        }));
        return Ok(0);
    }

    for package in &imported.new {
        session.shell.status("Imported", &package.reference());
    }

    // The bundle has the lockfile of another project: what the lockfile here needs on top of it
    // is missing, and an install without the network would fail.
    if !lacking.is_empty() {
        let lacking: Vec<String> = lacking
            .iter()
            .map(|reference| format!("`{reference}`"))
            .collect();
        session.shell.warn(
            &format!(
                "the bundle is for another lockfile; missing from the store: {}",
                lacking.join(", ")
            ),
            Some("run `skillpm export` in this project, and import that bundle"),
        );
    }

    let known = if imported.known == 0 {
        String::new()
    } else {
        format!(", {} already there", imported.known)
    };
    let next = match &imported.project {
        BundleProject::None => {
            "in a project with its lockfile, `skillpm install --frozen` installs them"
        }
        BundleProject::Same => "`skillpm install --frozen` installs them",
        BundleProject::Other(lacking) if lacking.is_empty() => {
            "`skillpm install --frozen` has all that is locked here"
        }
        BundleProject::Other(_) => "`skillpm install --frozen` would fail here",
    };

    session.shell.status(
        "Finished",
        &format!(
            "{} new in the store{known}; {next}",
            plural(imported.new.len(), "package")
        ),
    );
    Ok(0)
}

/// A package of a bundle, for programs.
pub(super) fn package_json(package: &BundledPackage) -> Value {
    json!({
        "name": package.name,
        "version": package.version.as_ref().map(ToString::to_string),
        "source": package.source,
    })
}

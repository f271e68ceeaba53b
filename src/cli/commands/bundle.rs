//! Output for imported bundles.

use serde_json::{Value, json};

use super::plural;
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::bundle::{BundleImport, BundleProject, BundledPackage};

/// Prints the result of importing a bundle.
pub(super) fn print_import(session: &CliSession<'_>, imported: &BundleImport) -> Result<u8> {
    // Outside a project nothing can be missing: there is no lockfile to compare with.
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

    if !lacking.is_empty() {
        warn_about_lacking(session.shell, lacking);
    }

    let known = if imported.known == 0 {
        String::new()
    } else {
        format!(", {} already there", imported.known)
    };
    session.shell.status(
        "Finished",
        &format!(
            "{} new in the store{known}; {}",
            plural(imported.new.len(), "package"),
            describe_next_step(&imported.project)
        ),
    );
    Ok(0)
}

/// Warns of packages that the lockfile here needs and the store does not have.
fn warn_about_lacking(shell: &CliShell, lacking: &[String]) {
    // The bundle has the lockfile of another project: what the lockfile here needs on top of it
    // is missing, and an install without the network would fail.
    let lacking: Vec<String> = lacking
        .iter()
        .map(|reference| format!("`{reference}`"))
        .collect();

    shell.warn(
        &format!(
            "the bundle is for another lockfile; missing from the store: {}",
            lacking.join(", ")
        ),
        Some("run `skillpm export` in this project, and import that bundle"),
    );
}

/// What the person who imported the bundle can do now.
fn describe_next_step(project: &BundleProject) -> &'static str {
    match project {
        BundleProject::None => {
            "in a project with its lockfile, `skillpm install --frozen` installs them"
        }
        BundleProject::Same => "`skillpm install --frozen` installs them",
        BundleProject::Other(lacking) if lacking.is_empty() => {
            "`skillpm install --frozen` has all that is locked here"
        }
        BundleProject::Other(_) => "`skillpm install --frozen` would fail here",
    }
}

/// A package of a bundle, for programs.
pub(super) fn package_json(package: &BundledPackage) -> Value {
    json!({
        "name": package.name,
        "version": package.version.as_ref().map(ToString::to_string),
        "source": package.source,
    })
}

//! `bundle`: writes a bundle with [`export`], or adds the packages of one to the store with [`import`].

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::{ScopeArgs, plural};
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::bundle::{
    BundleImport, BundleProject, BundledPackage, ExportOptions, export, import,
};

/// Write or import a bundle for installing offline
///
/// The bundle is one file with every locked package that is not in the project, the
/// lockfile and the manifest, each with its digest. The same lockfile gives the same
/// bytes. On the other machine, `skillpm bundle --import FILE` verifies it and adds the
/// packages to the store, and `skillpm install --frozen` installs them.
///
/// Examples:
///
///   skillpm bundle
///   skillpm bundle /media/stick/project.skillpm-bundle.tar.gz
///   skillpm bundle --import /media/stick/project.skillpm-bundle.tar.gz
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct BundleArgs {
    /// The file [default: PROJECT.skillpm-bundle.tar.gz]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Add the packages of this bundle to the store; nothing else changes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "global"])]
    import: Option<PathBuf>,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl BundleArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        if let Some(file) = &self.import {
            return print_import(session, &import(&session.context, file)?);
        }

        // Before the bundle is written, so that a wrong flag leaves no file.
        let as_json = session.wants_json()?;
        let options = ExportOptions {
            file: self.file.clone(),
            sort: self.scope.workspace_kind(),
        };

        let exported = export(&session.context, &options)?;
        if as_json {
            session.shell.print_object(&json!({
                "type": "exported",
                "file": exported.file,
                "size": exported.size,
                "packages": exported.packages.iter().map(package_json).collect::<Vec<_>>(),
                // A file with the same bytes was not written again.
                "up_to_date": exported.is_unchanged,
            }));
            return Ok(0);
        }

        if session.shell.is_verbose() {
            exported
                .packages
                .iter()
                .for_each(|package| session.shell.status("Packed", &package.reference()));
        }

        let verb = if exported.is_unchanged {
            "Unchanged"
        } else {
            "Exported"
        };

        let (packages, file) = (
            plural(exported.packages.len(), "package"),
            exported.file.display(),
        );
        session.shell.status(
            verb,
            &format!("{packages} to {file}, {} bytes", exported.size),
        );
        Ok(0)
    }
}

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
        Some("run `skillpm bundle` in this project, and import that bundle"),
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

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::cli::Session;
use crate::error::Result;
use crate::ops::bundle::{Imported, Package, Project, import};

/// Take the packages of a bundle into the store
///
/// The bundle is one that `skillpm export` wrote, on another machine. Everything
/// in it is checked before anything is taken; nothing but the store changes.
/// `skillpm install --frozen` then installs without a network.
///
/// Examples:
///
///   skillpm import /media/stick/project.skillpm-bundle.tar.gz
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The bundle
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        session.json()?;
        let imported = import(&session.context, &self.file)?;
        tell_bundle(session, &imported)
    }
}

/// Tells what came of a bundle.
pub(in crate::cli) fn tell_bundle(session: &Session<'_>, imported: &Imported) -> Result<u8> {
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

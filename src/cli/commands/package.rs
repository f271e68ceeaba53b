//! `package`: packs the skills of a project with [`pack_all`], prints the findings for publishing, and writes the
//! archives.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::package::{PackedSkill, extract, pack_all, report, write_archives};
use crate::package::Sha256Digest;

/// Pack a skill into an archive
///
/// Runs the checks of publishing: name, version, license and description; size, secrets and junk. The same files give
/// the same archive, byte for byte, on every machine. `include` and `exclude` under `[package]` in `skillpm.toml`,
/// `.skillpmignore` and `.gitignore` select the packed files; `--list` shows them.
///
/// Examples:
///
///   skillpm package
///   skillpm package skills/pdf --list
///   skillpm package --workspace --output dist/
///   skillpm package --extract pdf-1.2.0.tar.gz pdf
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct PackageArgs {
    /// Directory of the skill [default: this one]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,

    /// List the files without packing
    #[arg(long)]
    list: bool,

    /// Write the archive to this file or directory
    #[arg(long, short, value_name = "PATH", conflicts_with = "list")]
    output: Option<PathBuf>,

    /// Pack every workspace member
    #[arg(long)]
    workspace: bool,

    /// Check an archive and unpack it into a new directory
    #[arg(
        long,
        value_names = ["ARCHIVE", "DIR"],
        num_args = 2,
        conflicts_with_all = ["dir", "list", "output", "workspace"]
    )]
    extract: Option<Vec<PathBuf>>,
}

impl PackageArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        if let Some([file, dir]) = self.extract.as_deref() {
            // The other direction has no flag in common with packing.
            return extract_archive(session, file, dir);
        }

        let dir = self.dir.as_deref().unwrap_or(Path::new("."));
        // All are packed before anything is written: if one fails, no file is left behind.
        let packed = pack_all(&session.context, dir, self.workspace)?;
        packed
            .iter()
            .for_each(|packed| report(&session.context, packed));

        if self.list {
            packed
                .iter()
                .try_for_each(|packed| print_files(session, packed))?;
        } else {
            let paths = write_archives(&session.context, &packed, self.output.as_deref())?;
            packed
                .iter()
                .zip(&paths)
                .try_for_each(|(packed, path)| print_packed(session, packed, path))?;
        }
        Ok(0)
    }
}

fn print_packed(session: &CliSession<'_>, packed: &PackedSkill, path: &Path) -> Result<()> {
    if session.wants_json()? {
        session
            .shell
            .print_object(&package_json(packed, Some(path)));
        return Ok(());
    }
    let files = plural(packed.tree.len(), "file");
    let bytes = plural(packed.archive.len(), "byte");

    // Relative paths are shorter, and can be pasted into the next command.
    let shown = path
        .strip_prefix(&session.context.dirs.cwd)
        .unwrap_or(path)
        .display();

    session.shell.status(
        "Packaged",
        &format!(
            "{} {}: {files}, {bytes} in {shown}",
            packed.name, packed.version
        ),
    );
    Ok(())
}

fn print_files(session: &CliSession<'_>, packed: &PackedSkill) -> Result<()> {
    if !session.wants_json()? {
        packed
            .tree
            .files()
            .for_each(|(path, _)| session.shell.print_line(path.as_str()));
        return Ok(());
    }

    session.shell.print_object(&package_json(packed, None));
    for (path, file) in packed.tree.files() {
        session.shell.print_object(&json!({
            "type": "file",
            "package": packed.name,
            "path": path,
            "size": file.bytes.len(),
            // The one bit of the mode that a package has.
            "mode": if file.executable { "x" } else { "-" },
            "sha256": Sha256Digest::hash_bytes(&file.bytes).to_string(),
        }));
    }
    Ok(())
}

fn package_json(packed: &PackedSkill, path: Option<&Path>) -> Value {
    let needs = packed
        .dependencies
        .iter()
        .map(|needed| json!({"name": needed.package, "req": needed.req.to_string()}));

    json!({
        "type": "package",
        "name": packed.name,
        "version": packed.version.to_string(),
        "description": packed.description,
        "keywords": packed.keywords,
        "license": packed.license,
        "dependencies": needs.collect::<Vec<_>>(),
        "files": packed.tree.len(),
        "size": packed.archive.len(),
        "checksum": packed.checksum,
        "archive": format!("sha256:{}", packed.sha256),
        "path": path,
        "git": packed.git,
        "uncommitted": packed.uncommitted,
    })
}

fn extract_archive(session: &CliSession<'_>, file: &Path, dir: &Path) -> Result<u8> {
    let extracted = extract(&session.context, file, dir)?;

    if session.wants_json()? {
        session.shell.print_object(&json!({
            "type": "extracted",
            "path": extracted.dir,
            "top": extracted.top,
            "files": extracted.tree.len(),
            "checksum": crate::package::Checksum::from_tree(&extracted.tree),
            "archive": format!("sha256:{}", extracted.sha256),
        }));
    } else {
        let files = plural(extracted.tree.len(), "file");
        session
            .shell
            .status("Extracted", &format!("{files} into {}", dir.display()));
    }
    Ok(0)
}

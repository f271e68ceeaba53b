//! `import`: adopts skills that other tools installed. [`import`] decides; this prints what was adopted, skipped and
//! left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::conflict_args::run_with_confirmation;
use super::detect_args::{AgentPrompt, DetectArgs};
use super::{OverrideArgs, RunArgs, ScopeArgs, SyncOptions, bundle, plural, print_sync_report};
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::{Error, Result};
use crate::ops;
use crate::ops::import::{
    DiskStatus, ImportOptions, ImportReport, ImportedSkill, OldFile, SkippedClaim, UnclaimedSkill,
    import,
};
use crate::package::RelPath;

/// Import skills installed by other tools
///
/// Reads their files (`skills-lock.json`, `.skill-lock.json`, `apm.yml`,
/// `apm.lock.yaml`, `agents.toml`, `.clawhub/lock.json`, `.openskills.json`,
/// `package.json`), and what `gh skill` writes into a SKILL.md, and finds the commit
/// of each skill. The skills stay in place and unchanged: differences from the commit
/// are kept as local edits. The other tools' files stay, too, unless `--remove-old`
/// is given. `skillpm undo` reverts the import.
///
/// Without FILE, searches all known places.
///
/// Examples:
///
///   skillpm import --dry-run
///   skillpm import skills-lock.json
///   skillpm import -g
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ImportArgs {
    /// Files of other tools, or directories with skills
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Remove the other tools' files that are no longer needed
    #[arg(long)]
    remove_old: bool,

    /// Skip skills that cannot be fetched now
    #[arg(long)]
    keep_going: bool,

    /// Merge identical unmanaged copies of a skill into one
    ///
    /// Moves it to `skills/NAME` and installs the copies from there.
    #[arg(long)]
    gather: bool,

    #[command(flatten)]
    detection: DetectArgs,

    #[command(flatten)]
    pub(super) passing: OverrideArgs,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    reach: RunArgs,
}

impl ImportArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        // A bundle is no file of another tool, but people look for it here.
        if let Some(bundle) = self.files.iter().find(|file| ops::bundle::is_bundle(file)) {
            return self.import_bundle(session, bundle);
        }

        let agents = AgentPrompt::default();
        let mut imported = run_with_confirmation(session, |high| {
            let options = ImportOptions {
                files: self.files.clone(),
                keep_going: self.keep_going,
                remove_old: self.remove_old,
                gather: self.gather,
                detect: self.detection.is_enabled(session),
                sort: self.scope.workspace_kind(),
                sync_options: SyncOptions {
                    high,
                    ..self.reach.sync_options(session)
                },
            };
            import(&session.context, &options, &|proposals| {
                agents.choose(session, proposals)
            })
        })?;

        if session.wants_json()? {
            import_json(&imported)
                .iter()
                .for_each(|value| session.shell.print_object(value));
        } else {
            print_human(session.shell, &imported);
            // Each was printed with its differences.
            let reported: BTreeSet<&PathBuf> = imported
                .taken
                .iter()
                .flat_map(|taken| &taken.places)
                .collect();
            imported
                .synced
                .edited
                .retain(|copy| !reported.contains(&copy.place));
        }

        let code = print_sync_report(session, &imported.synced)?;
        // Part of the request failed, even if the rest succeeded.
        Ok(code.max(u8::from(!imported.skipped.is_empty())))
    }
}

impl ImportArgs {
    /// Imports the packages of a bundle.
    fn import_bundle(&self, session: &CliSession<'_>, file: &Path) -> Result<u8> {
        // Nothing of this changes with a bundle, so none of the flags could mean anything.
        if self.files.len() > 1 || self.remove_old || self.keep_going || self.gather {
            return Err(Error::usage(format!(
                "cannot import bundle `{}` together with other files or flags",
                file.display()
            ))
            .help(format!("skillpm bundle --import {}", file.display())));
        }
        bundle::print_import(session, &ops::bundle::import(&session.context, file)?)
    }
}

fn print_human(shell: &CliShell, imported: &ImportReport) {
    let verb = if imported.synced.dry_run {
        "Would adopt"
    } else {
        "Adopted"
    };
    for taken in &imported.taken {
        shell.status(verb, &describe_adopted(taken));
        if let Some(message) = describe_edits(taken) {
            shell.warn(
                &message,
                Some(&format!(
                    "run `skillpm diff {}` to see the differences",
                    taken.package.install_name()
                )),
            );
        }
    }

    for SkippedClaim {
        name,
        tool,
        reason,
        help,
    } in &imported.skipped
    {
        shell.warn(
            &format!("`{name}` of {tool} was skipped: {reason}"),
            help.as_deref(),
        );
    }

    for loose in &imported.unclaimed {
        shell.status("Left", &describe_unclaimed(loose));
    }

    if !imported.already.is_empty() {
        shell.status(
            "Unchanged",
            &format!(
                "{}, already imported",
                plural(imported.already.len(), "skill")
            ),
        );
    }
    print_old_files(shell, imported);

    // Only if nothing at all was found: an old file that was kept is an answer, too.
    let nothing =
        imported.taken.is_empty() && imported.already.is_empty() && imported.skipped.is_empty();
    if nothing && imported.files.is_empty() {
        shell.status("Found", "no skills installed by other tools");
    }
}

/// `pdf 994b6c90 of https://github.com/acme/skills, from npx skills`
fn describe_adopted(taken: &ImportedSkill) -> String {
    let package = &taken.package;
    let from = taken
        .tool
        .map_or_else(String::new, |tool| format!(", from {tool}"));

    // The other tool has it in its files, but someone removed the directory.
    let how = match &taken.status {
        DiskStatus::Absent => "; missing on disk, and installed",
        _ => "",
    };
    format!(
        "{} {} of {}{from}{how}",
        package.install_name(),
        package.revision(),
        package.source.describe()
    )
}

/// The message about a skill whose files differ from its source.
fn describe_edits(taken: &ImportedSkill) -> Option<String> {
    let DiskStatus::Edited {
        files,
        as_installed,
        guessed,
    } = &taken.status
    else {
        return None;
    };

    let files: Vec<&str> = files.iter().map(RelPath::as_str).collect();
    let (name, revision) = (taken.package.install_name(), taken.package.revision());
    let tool = taken
        .tool
        .map_or_else(|| "the tool".to_owned(), |tool| tool.to_string());
    // `None` if the tool keeps no hash, or one that cannot be checked.
    let changed = match as_installed {
        Some(false) => format!("`{name}` was changed since {tool} installed it"),
        Some(true) => {
            format!("`{name}` is unchanged since {tool} installed it, but differs from its source")
        }
        None => format!("`{name}` differs from its source"),
    };

    let against = if *guessed {
        format!("; no matching commit found, {revision} is used as the base")
    } else {
        String::new()
    };

    Some(format!(
        "{changed} ({}){against}; kept as local edits",
        files.join(", ")
    ))
}

fn describe_unclaimed(loose: &UnclaimedSkill) -> String {
    let places: Vec<String> = loose
        .places
        .iter()
        .map(|place| place.display().to_string())
        .collect();

    let places = places.join(", ");
    match (loose.checksum, loose.places.len()) {
        (None, 2..) => format!("{places}: not managed by any tool, and the copies differ"),
        (_, 2..) => format!(
            "{places}: not managed by any tool; the copies are identical, pass `--gather` to merge them"
        ),
        _ => format!("{places}: not managed by any tool, so treated as your own"),
    }
}

fn print_old_files(shell: &CliShell, imported: &ImportReport) {
    for file in &imported.files {
        let path = file.path.display();
        match (file.removed, file.others.is_empty()) {
            // In a dry run, `removed` says what would be.
            (true, _) if imported.synced.dry_run => shell.status("Would remove", &path.to_string()),
            (true, _) => shell.status("Removed", &path.to_string()),
            (false, false) => shell.status(
                "Kept",
                &format!("{path}, for {} in it", file.others.join(", ")),
            ),
            (false, true) => shell.status("Kept", &path.to_string()),
        }
    }

    print_removal_hint(shell, imported);
}

/// Prints how the other tools' files are removed, if some are left.
fn print_removal_hint(shell: &CliShell, imported: &ImportReport) {
    // Files that the tool left inside a skill count as edits, so they are named here, too.
    let marked: Vec<&str> = imported
        .taken
        .iter()
        .filter(|taken| taken.status == DiskStatus::Marked)
        .map(|taken| taken.package.install_name().as_str())
        .collect();

    let is_kept = imported
        .files
        .iter()
        .any(|file| !file.removed && !is_shared(file, imported));

    if !marked.is_empty() || is_kept && !imported.taken.is_empty() && imported.skipped.is_empty() {
        let of = if marked.is_empty() {
            String::new()
        } else {
            format!(" (in {})", marked.join(", "))
        };
        shell.status(
            "Note:",
            &format!("run `skillpm import --remove-old` to remove the other tools' files{of}"),
        );
    }
}

/// Whether other tools' entries are in a file or one beside it: then it cannot be removed.
fn is_shared(file: &OldFile, imported: &ImportReport) -> bool {
    imported.files.iter().any(|other| {
        other.tool == file.tool
            && other.path.parent() == file.path.parent()
            && !other.others.is_empty()
    })
}

fn import_json(imported: &ImportReport) -> Vec<Value> {
    let mut values: Vec<Value> = imported.taken.iter().map(taken_json).collect();

    values.extend(
        imported
            .already
            .iter()
            .map(|name| json!({"type": "already", "name": name})),
    );
    values.extend(imported.skipped.iter().map(|left| {
        json!({"type": "left", "name": left.name, "tool": left.tool.to_string(), "reason": left.reason, "help": left.help})
    }));
    values.extend(
        imported.unclaimed.iter().map(
            |loose| json!({"type": "loose", "name": loose.name, "places": loose.places, "checksum": loose.checksum}),
        ),
    );
    values.extend(imported.files.iter().map(|file| {
        let (tool, others) = (file.tool.to_string(), &file.others);
        json!({"type": "old-file", "path": file.path, "tool": tool, "removed": file.removed, "others": others})
    }));
    values
}

fn taken_json(taken: &ImportedSkill) -> Value {
    let (standing, edited, as_installed, guessed) = match &taken.status {
        DiskStatus::Absent => ("absent", None, None, false),
        DiskStatus::Same => ("same", None, None, false),
        DiskStatus::Marked => ("marked", None, None, false),
        DiskStatus::Edited {
            files,
            as_installed,
            guessed,
        } => ("edited", Some(files), *as_installed, *guessed),
    };

    let package = &taken.package;
    json!({
        "type": "adopted",
        "name": package.install_name(),
        "tool": taken.tool.map(|tool| tool.to_string()),
        "source": package.source,
        "revision": package.revision(),
        "commit": package.commit,
        "checksum": package.checksum,
        "standing": standing,
        "edited": edited,
        "as_installed": as_installed,
        "guessed": guessed,
        "places": taken.places,
    })
}

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::{Reach, Scope, bundle, plural, tell};
use crate::cli::Session;
use crate::cli::shell::Shell;
use crate::error::{Error, Result};
use crate::ops;
use crate::ops::import::{ImportOptions, Imported, Left, Loose, Standing, Taken, import};
use crate::package::RelPath;

/// Take over what other tools have installed
///
/// Reads what they wrote down (`skills-lock.json`, `.skill-lock.json`, `apm.yml`,
/// `apm.lock.yaml`, `agents.toml`, `.clawhub/lock.json`, `.openskills.json`) and
/// finds the commit that each skill came from. The skills stay where they lie and
/// as they are: what differs from its commit is kept as your edits. The other
/// tools' files stay, too, unless `--remove-old` is given. `skillpm undo` takes
/// all of it back.
///
/// Without FILE it looks in all places that it knows of. A FILE that `skillpm export`
/// wrote is a bundle: its packages are checked and put into the store, and nothing
/// else changes, so that `skillpm install --frozen` needs no network.
///
/// Examples:
///
///   skillpm import --dry-run
///   skillpm import skills-lock.json
///   skillpm import /media/stick/project.skillpm-bundle.tar.gz
///   skillpm import -g
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Files of other tools, directories with skills, or a bundle
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Take away the other tools' files that are of no more use
    #[arg(long)]
    remove_old: bool,

    /// Leave what cannot be had now, and take over the others
    #[arg(long)]
    keep_going: bool,

    /// Make one of the copies of a skill that nobody claims
    ///
    /// It is put into `skills/NAME`, and its copies are installed from there: an edit of one reaches the others.
    #[arg(long)]
    gather: bool,

    #[command(flatten)]
    scope: Scope,

    #[command(flatten)]
    reach: Reach,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        if let Some(bundle) = self.files.iter().find(|file| ops::bundle::is_bundle(file)) {
            return self.take(session, bundle);
        }
        let options = ImportOptions {
            files: self.files.clone(),
            keep_going: self.keep_going,
            remove_old: self.remove_old,
            gather: self.gather,
            sort: self.scope.sort(),
            rules: self.reach.rules(session),
        };
        let mut imported = import(&session.context, &options)?;
        if session.json()? {
            objects(&imported).iter().for_each(|value| session.shell.object(value));
        } else {
            lines(session.shell, &imported);
            // Each was told with what it differs in.
            let told: BTreeSet<&PathBuf> = imported.taken.iter().flat_map(|taken| &taken.places).collect();
            imported.synced.edited.retain(|place| !told.contains(place));
        }
        let code = tell(session, &imported.synced)?;
        Ok(code.max(u8::from(!imported.left.is_empty())))
    }
}

impl Arguments {
    /// Takes the packages of a bundle.
    fn take(&self, session: &Session<'_>, file: &Path) -> Result<u8> {
        if self.files.len() > 1 || self.remove_old || self.keep_going || self.gather {
            return Err(Error::usage(format!("`{}` is a bundle, which goes alone", file.display()))
                .help(format!("skillpm import {}", file.display())));
        }
        bundle::tell(session, &ops::bundle::import(&session.context, file)?)
    }
}

fn lines(shell: &Shell, imported: &Imported) {
    let verb = if imported.synced.dry_run { "Would adopt" } else { "Adopted" };
    for taken in &imported.taken {
        shell.status(verb, &adopted(taken));
        if let Some(told) = edits(taken) {
            shell.warn(&told, Some(&format!("`skillpm diff {}` shows how", taken.package.install_name())));
        }
    }
    for Left { name, tool, reason, help } in &imported.left {
        shell.warn(&format!("`{name}` of {tool} was left: {reason}"), help.as_deref());
    }
    for loose in &imported.loose {
        shell.status("Left", &yours(loose));
    }
    if !imported.already.is_empty() {
        shell.status("Unchanged", &format!("{}, taken over before", plural(imported.already.len(), "skill")));
    }
    files(shell, imported);
    let nothing = imported.taken.is_empty() && imported.already.is_empty() && imported.left.is_empty();
    if nothing && imported.files.is_empty() {
        shell.status("Found", "nothing that another tool has installed");
    }
}

/// `pdf 994b6c90 of https://github.com/acme/skills, from npx skills`
fn adopted(taken: &Taken) -> String {
    let package = &taken.package;
    let from = taken.tool.map_or_else(String::new, |tool| format!(", from {tool}"));
    let how = match &taken.standing {
        Standing::Absent => "; it is not there, and installed",
        _ => "",
    };
    format!("{} {} of {}{from}{how}", package.install_name(), package.revision(), package.source.place())
}

/// What is to be said of files that differ.
fn edits(taken: &Taken) -> Option<String> {
    let Standing::Edited { files, as_installed, guessed } = &taken.standing else { return None };
    let files: Vec<&str> = files.iter().map(RelPath::as_str).collect();
    let (name, revision) = (taken.package.install_name(), taken.package.revision());
    let tool = taken.tool.map_or_else(|| "the tool".to_owned(), |tool| tool.to_string());
    let changed = match as_installed {
        Some(false) => format!("`{name}` was changed since {tool} installed it"),
        Some(true) => format!("`{name}` is as {tool} installed it, and not as its source has it"),
        None => format!("`{name}` is not as its source has it"),
    };
    let against =
        if *guessed { format!("; no commit has it, so {revision} is taken for its base") } else { String::new() };
    Some(format!("{changed} ({}){against}; that stays, as your edits", files.join(", ")))
}

fn yours(loose: &Loose) -> String {
    let places: Vec<String> = loose.places.iter().map(|place| place.display().to_string()).collect();
    let places = places.join(", ");
    match (loose.checksum, loose.places.len()) {
        (None, 2..) => format!("{places}: nobody claims them, and they are not alike"),
        (_, 2..) => format!("{places}: nobody claims them; they are alike, and `--gather` makes one of them"),
        _ => format!("{places}: nobody claims it, so it is yours"),
    }
}

fn files(shell: &Shell, imported: &Imported) {
    for file in &imported.files {
        let path = file.path.display();
        match (file.removed, file.others.is_empty()) {
            (true, _) if imported.synced.dry_run => shell.status("Would remove", &path.to_string()),
            (true, _) => shell.status("Removed", &path.to_string()),
            (false, false) => shell.status("Kept", &format!("{path}, for {} in it", file.others.join(", "))),
            (false, true) => shell.status("Kept", &path.to_string()),
        }
    }
    let marked: Vec<&str> = imported
        .taken
        .iter()
        .filter(|taken| taken.standing == Standing::Marked)
        .map(|taken| taken.package.install_name().as_str())
        .collect();
    let is_kept = imported.files.iter().any(|file| !file.removed && file.others.is_empty());
    if !marked.is_empty() || is_kept && !imported.taken.is_empty() && imported.left.is_empty() {
        let of = if marked.is_empty() { String::new() } else { format!(" (in {})", marked.join(", ")) };
        shell.status("Note", &format!("the other tools' files{of} are of no more use: `skillpm import --remove-old`"));
    }
}

fn objects(imported: &Imported) -> Vec<Value> {
    let mut values: Vec<Value> = imported.taken.iter().map(taken).collect();
    values.extend(imported.already.iter().map(|name| json!({"type": "already", "name": name})));
    values.extend(imported.left.iter().map(|left| {
        json!({"type": "left", "name": left.name, "tool": left.tool.to_string(), "reason": left.reason, "help": left.help})
    }));
    values.extend(
        imported.loose.iter().map(
            |loose| json!({"type": "loose", "name": loose.name, "places": loose.places, "checksum": loose.checksum}),
        ),
    );
    values.extend(imported.files.iter().map(|file| {
        let (tool, others) = (file.tool.to_string(), &file.others);
        json!({"type": "old-file", "path": file.path, "tool": tool, "removed": file.removed, "others": others})
    }));
    values
}

fn taken(taken: &Taken) -> Value {
    let (standing, edited, as_installed, guessed) = match &taken.standing {
        Standing::Absent => ("absent", None, None, false),
        Standing::Same => ("same", None, None, false),
        Standing::Marked => ("marked", None, None, false),
        Standing::Edited { files, as_installed, guessed } => ("edited", Some(files), *as_installed, *guessed),
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
        "as-installed": as_installed,
        "guessed": guessed,
        "places": taken.places,
    })
}

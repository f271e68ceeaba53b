//! `vendor`: every locked package into the project's own repository, and the settings that make them stand in for their
//! sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::sync::{self, Held, Rules, Whole, found, hold};
use super::{Context, targets};
use crate::config;
use crate::error::{Error, Result};
use crate::install::plan::Found;
use crate::install::state::State;
use crate::install::transaction::Transaction;
use crate::install::undo::{self, Text, Thing};
use crate::io::disk;
use crate::io::ignore::walk::{Ignored, walk};
use crate::lockfile::Locked;
use crate::package::{Checksum, RelPath, SourceId, Tree};
use crate::report::Event;
use crate::sources::Sources;
use crate::store::Store;
use crate::vendor::{Directory, Entry, OWN_FILES, Record};
use crate::workspace::{Sort, Workspace};

/// The directory where none is named.
const USUAL: &str = "vendor";

/// What to do, and how far to go.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub struct VendorOptions {
    /// The directory, as seen from here; where the project keeps them already if it is `None`, else `vendor`.
    pub dir: Option<PathBuf>,
    /// Whether directories bear versions.
    pub versioned: bool,
    /// Whether what is no longer locked stays.
    pub no_delete: bool,
    /// Whether the lockfile may not change.
    pub locked: bool,
    /// Tell what would be done, and do nothing.
    pub dry_run: bool,
}

/// What became of one package's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It is as it should be.
    Kept,
    /// It was not there.
    Added,
    /// It was something else.
    Replaced,
    /// It is of no package that is locked.
    Removed,
    /// The same, and it stays.
    Stale,
}

/// One package's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it is, as seen from the project.
    pub path: PathBuf,
    /// What it is, or was.
    pub record: Record,
    /// What became of it.
    pub kind: Kind,
    /// Where what somebody made of it was put.
    pub saved: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vendored {
    /// The directory, as seen from the project.
    pub directory: String,
    /// What became of the directories in it, by name.
    pub changes: Vec<Change>,
    /// The sources that it stands in for, by key.
    pub sources: BTreeSet<String>,
    /// Whether the settings changed.
    pub settings_changed: bool,
    /// Whether the lockfile changed.
    pub lock_changed: bool,
    /// What git would leave out of a commit, as seen from the project.
    pub ignored: Vec<String>,
}

impl Vendored {
    /// How many packages there are now.
    #[must_use]
    pub fn packages(&self) -> usize {
        self.changes.iter().filter(|change| !matches!(change.kind, Kind::Removed | Kind::Stale)).count()
    }

    /// Whether there was nothing to do.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let is_idle = |change: &Change| matches!(change.kind, Kind::Kept | Kind::Stale);
        self.changes.iter().all(is_idle) && !self.settings_changed && !self.lock_changed
    }
}

/// Puts every locked package that does not lie in the project itself into a directory of it.
///
/// Sources are asked themselves, whatever stands in for them, but for what lies in the directory already.
///
/// # Errors
/// If there is no project, the directory holds anything else, or a package cannot be brought; then nothing was changed.
pub fn vendor(context: &Context<'_>, options: &VendorOptions) -> Result<Vendored> {
    let held = hold(context, Sort::Project, None)?;
    let past = context.past_vendoring()?;
    let directory = directory(context, &held.workspace, options.dir.as_deref())?;
    let entries = directory.entries()?;
    let tools = past.tools()?;
    let registries = |name: Option<&str>| past.config.registry(name);
    let sources = Sources::new(&tools, &held.workspace.root, &registries, past.reporter);
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let wanted = |locked: &Locked| lies_outside(&held.workspace.root, &locked.source);
    let rules = Rules { locked: options.locked, keep_absent: true, ..Rules::default() };
    let at_hand = at_hand(&directory, &entries)?;
    let whole = sync::whole(&past, &held.workspace, (&sources, &store), at_hand, (rules, &wanted))?;
    let names = whole.lockfile.packages().iter().filter(|locked| wanted(locked)).map(|locked| name(locked, options));
    refuse_others(&directory, &entries, &names.collect())?;
    let job = Job { context, held: &held, options, directory: &directory, store: &store, whole: &whole };
    job.run(&entries, &wanted)
}

/// Whether a source is no part of the project.
pub(super) fn lies_outside(root: &Path, source: &SourceId) -> bool {
    match source {
        SourceId::Path(path) | SourceId::Archive(path) if !path.contains("://") => {
            !disk::normal_path(&disk::real_path(&root.join(path))).starts_with(root)
        }
        _ => true,
    }
}

/// The directory that is meant, which must lie in the project, and apart from where skills are installed.
fn directory(context: &Context<'_>, workspace: &Workspace, dir: Option<&Path>) -> Result<Directory> {
    let root = &workspace.root;
    let before = before(root)?;
    let place = match dir {
        Some(dir) => disk::normal_path(&context.places.here.join(dir)),
        None => disk::normal_path(&root.join(before.as_deref().unwrap_or(USUAL))),
    };
    let elsewhere = |why: String| {
        Err(Error::usage(format!("packages cannot be kept in `{}`: {why}", place.display()))
            .help("name a directory of its own in the project: `skillpm vendor third-party`"))
    };
    let Ok(below) = place.strip_prefix(root) else { return elsewhere(format!("it is not in `{}`", root.display())) };
    let shown = below.to_string_lossy().replace('\\', "/");
    if let Err(error) = shown.parse::<RelPath>() {
        return elsewhere(if shown.is_empty() {
            "it is the project itself".into()
        } else {
            error.message().to_owned()
        });
    }
    let manifest = workspace.manifest(&|name| context.config.registry(name))?;
    let targets = targets::directories(context, workspace, &manifest)?;
    if let Some(target) = targets.iter().find(|target| below.starts_with(target) || target.starts_with(below)) {
        return elsewhere(format!("skills are installed in `{}`", target.display()));
    }
    if below.ancestors().any(|part| disk::lstat(&root.join(part)).ok().flatten().is_some_and(|at| at.is_symlink())) {
        return elsewhere("there is a link on the way to it".into());
    }
    if disk::lstat(&place)?.is_some_and(|meta| !meta.is_dir()) {
        return elsewhere("a file stands there".into());
    }
    if let Some(before) =
        before.filter(|before| *before != shown && disk::lstat(&root.join(before)).is_ok_and(|at| at.is_some()))
    {
        context.reporter.report(Event::Warning {
            message: format!("`{before}` was the directory until now, and is used no more"),
            help: Some("remove it once nobody needs it".into()),
        });
    }
    Ok(Directory { dir: place, shown, of: Some(root.clone()) })
}

/// The directory that the project's settings name.
fn before(root: &Path) -> Result<Option<String>> {
    let file = settings(root);
    let mut own = config::Config::new();
    own.add_project_file(&file, &disk::read_text(&file)?.unwrap_or_default())?;
    Ok(own.string(&format!("source.{}.directory", config::DIRECTORY_SOURCE)))
}

fn settings(root: &Path) -> PathBuf {
    root.join(".skillpm/config.toml")
}

/// Refuses a directory in which something stands that skillpm did not put there.
///
/// In one that skillpm made, what stands in the place of a package is one whose record was lost, or torn by a merge.
fn refuse_others(directory: &Directory, entries: &[Entry], wanted: &BTreeSet<String>) -> Result<()> {
    let is_made = directory.is_made()?;
    let is_own = |name: &str| {
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let is_known = entries.iter().any(|entry| entry.name == stem) || is_made && wanted.contains(stem);
        OWN_FILES.iter().any(|(file, _)| *file == name) || is_known
    };
    let names = disk::names(&directory.dir)?;
    let others: Vec<&String> = names.iter().filter(|name| !is_own(name)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = others.iter().take(5).map(|name| format!("`{name}`")).collect();
    let more = if others.len() > shown.len() { ", …" } else { "" };
    Err(Error::negative(format!("`{}` holds what `skillpm vendor` did not put there", directory.shown))
        .note(format!("{}{more}", shown.join(", ")))
        .help("name another directory: `skillpm vendor third-party`; or move that away"))
}

/// What lies in the directory and is what it should be, by checksum.
fn at_hand(directory: &Directory, entries: &[Entry]) -> Result<BTreeMap<Checksum, Tree>> {
    let mut at_hand = BTreeMap::new();
    for entry in entries {
        if let Some(tree) = intact(directory, entry)? {
            at_hand.insert(Checksum::of(&tree), tree);
        }
    }
    Ok(at_hand)
}

/// The package of an entry, if nobody changed it.
fn intact(directory: &Directory, entry: &Entry) -> Result<Option<Tree>> {
    if disk::lstat(&directory.place(&entry.name))?.is_some_and(|meta| !meta.is_dir()) {
        return Ok(None);
    }
    let tree = directory.read(entry).ok().and_then(Result::ok);
    Ok(tree.filter(|tree| Checksum::of(tree) == entry.record.checksum))
}

/// The name of a package's directory.
fn name(locked: &Locked, options: &VendorOptions) -> String {
    if !options.versioned {
        return locked.install_name().to_string();
    }
    format!("{}-{}", locked.install_name(), locked.revision())
}

struct Job<'a> {
    context: &'a Context<'a>,
    held: &'a Held,
    options: &'a VendorOptions,
    directory: &'a Directory,
    store: &'a Store,
    whole: &'a Whole,
}

/// A directory of a package, with the record that is to stand beside it; `None` where both are to go.
struct Step<'a> {
    change: Change,
    name: String,
    tree: Option<&'a Tree>,
    text_before: Option<String>,
}

impl Job<'_> {
    fn run(&self, entries: &[Entry], wanted: &dyn Fn(&Locked) -> bool) -> Result<Vendored> {
        let packages: Vec<&Locked> = self.whole.lockfile.packages().iter().filter(|locked| wanted(locked)).collect();
        let sources: BTreeSet<String> = packages.iter().map(|locked| locked.source.key()).collect();
        let mut steps = Vec::new();
        for locked in &packages {
            steps.push(self.place(entries, locked)?);
        }
        for entry in entries.iter().filter(|entry| steps.iter().all(|step| step.name != entry.name)).collect::<Vec<_>>()
        {
            steps.push(self.take_away(entry)?);
        }
        steps.sort_by(|a, b| a.name.cmp(&b.name));
        let texts = self.texts(&steps, &sources)?;
        let is_changed = |path: &Path| texts.iter().any(|text| text.path == path);
        let vendored = Vendored {
            directory: self.directory.shown.clone(),
            settings_changed: is_changed(&settings(Path::new(""))),
            lock_changed: is_changed(Path::new(crate::lockfile::FILE)),
            changes: steps.iter().map(|step| step.change.clone()).collect(),
            ignored: Vec::new(),
            sources,
        };
        if self.options.dry_run {
            return Ok(vendored);
        }
        if !texts.is_empty() || !vendored.is_unchanged() {
            self.apply(&steps, texts)?;
        }
        Ok(Vendored { ignored: self.ignored()?, ..vendored })
    }

    /// What is to be done so that a package stands in its place.
    fn place(&self, entries: &[Entry], locked: &Locked) -> Result<Step<'_>> {
        let name = name(locked, self.options);
        let tree = self.whole.trees.get(&locked.upstream());
        let tree = tree.ok_or_else(|| Error::internal("a package was brought and is not there"))?;
        let record = Record::of(locked, tree);
        let entry = entries.iter().find(|entry| entry.name == name);
        let (kind, saved) = match entry {
            None if self.stands_there(&name, &record.beside(tree))? => (Kind::Added, None),
            None => (Kind::Added, self.saved(&name)?),
            Some(entry) => match intact(self.directory, entry)? {
                Some(found) if found == *tree && entry.text == record.to_text() => (Kind::Kept, None),
                Some(_) => (Kind::Replaced, None),
                None => (Kind::Replaced, self.saved(&name)?),
            },
        };
        let path = Path::new(&self.directory.shown).join(&name);
        let text_before = disk::read_text(&self.directory.record_place(&name))?;
        Ok(Step { change: Change { path, record, kind, saved }, name, tree: Some(tree), text_before })
    }

    /// What is to be done about a package that is locked no more.
    fn take_away(&self, entry: &Entry) -> Result<Step<'_>> {
        let (kind, saved) = match (self.options.no_delete, intact(self.directory, entry)?) {
            (true, _) => (Kind::Stale, None),
            (false, Some(_)) => (Kind::Removed, None),
            (false, None) => (Kind::Removed, self.saved(&entry.name)?),
        };
        let path = Path::new(&self.directory.shown).join(&entry.name);
        let change = Change { path, record: entry.record.clone(), kind, saved };
        Ok(Step { change, name: entry.name.clone(), tree: None, text_before: Some(entry.text.clone()) })
    }

    /// Whether a package's files are what stands in its place.
    fn stands_there(&self, name: &str, beside: &Tree) -> Result<bool> {
        Ok(found(&self.directory.place(name))? == Found::Tree(Checksum::of(beside)))
    }

    /// Where somebody's work goes, as seen from the project; `None` if nothing stands there.
    fn saved(&self, name: &str) -> Result<Option<PathBuf>> {
        let is_there = disk::lstat(&self.directory.place(name))?.is_some();
        Ok(is_there.then(|| Path::new(".skillpm/backup").join(self.backup(name))))
    }

    /// The same, as seen from the directory of backups.
    fn backup(&self, name: &str) -> PathBuf {
        Path::new(&self.context.now.to_string()).join(&self.directory.shown).join(name)
    }

    /// Every text that changes: the lockfile, the settings, the records, and what stands in the directory itself.
    fn texts(&self, steps: &[Step<'_>], sources: &BTreeSet<String>) -> Result<Vec<Text>> {
        let (workspace, directory) = (&self.held.workspace, Path::new(&self.directory.shown));
        let mut texts = self.whole.texts.clone();
        for step in steps.iter().filter(|step| !matches!(step.change.kind, Kind::Kept | Kind::Stale)) {
            let path = directory.join(format!("{}.json", step.name));
            let after = step.tree.map(|_| step.change.record.to_text());
            texts.push(Text { path, before: step.text_before.clone(), after });
        }
        let holds_any = steps.iter().any(|step| step.change.kind != Kind::Removed);
        for (name, text) in OWN_FILES {
            let path = directory.join(name);
            let before = disk::read_text(&workspace.root.join(&path))?;
            texts.push(Text { path, before, after: holds_any.then(|| text.to_owned()) });
        }
        // Last, so that they never name what is not there yet.
        let file = settings(&workspace.root);
        let before = disk::read_text(&file)?;
        let after = config::vendored(&file, before.as_deref().unwrap_or_default(), &self.directory.shown, sources)?;
        let after = (before.is_some() || !after.is_empty()).then_some(after);
        texts.push(Text { path: settings(Path::new("")), before, after });
        texts.retain(|text| text.before != text.after);
        Ok(texts)
    }

    /// All of it, or nothing.
    fn apply(&self, steps: &[Step<'_>], texts: Vec<Text>) -> Result<()> {
        let (root, state_dir) = (&self.held.workspace.root, &self.context.state_dir(&self.held.workspace));
        let mut changes = Transaction::begin(state_dir)?;
        let mut directories = Vec::new();
        for step in steps.iter().filter(|step| !matches!(step.change.kind, Kind::Kept | Kind::Stale)) {
            directories.push(self.apply_step(&mut changes, step)?);
        }
        for text in &texts {
            changes.change_text(&root.join(&text.path), text.before.as_deref(), text.after.as_deref())?;
        }
        let mut entry = undo::Entry::new(self.context.command, self.context.now, Vec::new(), texts);
        entry.directories = directories;
        entry.saved = changes.saved().to_vec();
        let (path, bytes) = entry.to_file(state_dir)?;
        changes.write(&path, &bytes)?;
        State::keep_out_of_git(state_dir.path())?;
        changes.commit()?;
        disk::remove_if_empty(&self.directory.dir);
        undo::prune(state_dir)
    }

    fn apply_step(&self, changes: &mut Transaction, step: &Step<'_>) -> Result<undo::Directory> {
        let place = self.directory.place(&step.name);
        let there = found(&place)?;
        if let Found::Tree(checksum) = &there
            && !self.store.contains(checksum)?
        {
            self.store.put(&disk::read_tree(&place)?)?;
        }
        if step.change.saved.is_some() {
            changes.save_aside(&place, &self.backup(&step.name))?;
        }
        let beside = step.tree.map(|tree| step.change.record.beside(tree));
        match &beside {
            Some(tree) => drop(changes.put(&place, tree, None)?),
            None if step.change.saved.is_none() => changes.remove(&place, None)?,
            None => {}
        }
        let after = beside.map_or(Thing::Nothing, |tree| Thing::Tree(Checksum::of(&tree)));
        Ok(undo::Directory { path: step.change.path.clone(), before: Thing::from(&there), after })
    }

    /// What git would leave out of a commit; a clone would then lack it.
    fn ignored(&self) -> Result<Vec<String>> {
        let root = &self.held.workspace.root;
        if disk::repository_around(root).is_none() {
            return Ok(Vec::new());
        }
        let seen: BTreeSet<String> = walk(root, Ignored::Skipped, 0)?.into_iter().map(|walked| walked.path).collect();
        let record = disk::names(&self.directory.dir)?
            .into_iter()
            .find(|name| Path::new(name).extension().is_some_and(|end| end == "json"));
        let record = record.map(|name| format!("{}/{name}", self.directory.shown));
        let files = [Some(".skillpm/config.toml".to_owned()), record];
        let is_ignored =
            |file: &String| !seen.contains(file) && disk::lstat(&root.join(file)).is_ok_and(|at| at.is_some());
        Ok(files.into_iter().flatten().filter(is_ignored).collect())
    }
}

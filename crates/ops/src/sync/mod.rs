//! The spine: manifest → solve → fetch → plan → transaction. Each step takes the last one's value.
//!
//! | file | steps |
//! |---|---|
//! | `decide.rs` | what the project is to consist of: the lockfile as it is, or gathered and solved anew |
//! | `edits.rs` | what becomes of skills that a person edited |
//! | `keep.rs` | edits that are kept as patch files: what becomes of them, and of the lockfile |
//! | `patches.rs` | which patches were of no use |
//! | `vouch.rs` | who vouches for what was decided |
//! | `vendored.rs` | what a clone would look for elsewhere than in the project |
//! | `heed.rs` | what registries and advisories say of what is to be installed |
//! | `install.rs` | what stands where, what is to be done about it, and doing it |

mod decide;
mod edits;
mod heed;
mod install;
mod keep;
mod patches;
mod vendored;
mod vouch;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Context;
use super::fetch::{self, Stock};
pub use super::gate::High;
use super::interrupted::{self, seen_from_project};
use super::patch_files::{PatchFile, PatchFiles, default_path};
use super::policy::{self, Effective};
use super::projects;
use super::release_age::release_age;
use super::targets;
use crate::error::Result;
use crate::install::plan::{Force, Plan};
use crate::install::state::{self, State};
use crate::install::state_dir::{OwnFile, StateDir};
use crate::install::transaction;
use crate::install::undo::{Step, Text};
use crate::io::disk::{self, FileLock};
use crate::lockfile::{Locked, Lockfile};
use crate::manifest::{self, Manifest};
use crate::package::{Checksum, PackageId, Patch, RelPath, Sha256, SkillName, Tree};
use crate::report::{Event, Reporter};
use crate::resolver::Root;
use crate::sources::Sources;
use crate::sources::release_age::ReleaseAge;
use crate::store::Store;
use crate::workspace::{Lines, Member, Sort, Workspace};
use decide::{Decided, not_locked};
pub use edits::{Edits, Merge};
pub(super) use install::found;
pub(super) use keep::text as patch_text;

/// How far to go, and what is allowed.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct Rules {
    /// The lockfile may not change, and what is on the disk must be what it says.
    pub locked: bool,
    /// Tell what would be done, and do nothing.
    pub dry_run: bool,
    /// Whether a person's work may be moved aside.
    pub force: Force,
    /// What is done where a person and upstream changed the same.
    pub edits: Edits,
    /// What is done where something of high severity is found in what is new.
    pub high: High,
    /// Solve and write the lockfile; install nothing.
    pub lock_only: bool,
    /// What comes from a directory that is not there stays as it was locked.
    pub keep_absent: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            locked: false,
            dry_run: false,
            force: Force::No,
            edits: Edits::Stop,
            high: High::Warn,
            lock_only: false,
            keep_absent: false,
        }
    }
}

/// What of the lockfile stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keep {
    /// All that still fits.
    All,
    /// All but the packages installed under these names.
    AllBut(BTreeSet<SkillName>),
    /// Nothing: everything is decided anew.
    Nothing,
}

/// What is wished for beyond what manifest and lockfile say.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The new text of the manifest that the command works on ([`Workspace::own_text`]), if it is to change.
    pub manifest_text: Option<String>,
    /// What of the lockfile stays.
    pub keep: Keep,
    /// Versions that were asked for precisely.
    pub precise: Vec<(PackageId, Option<RelPath>)>,
    /// Commits that were asked for precisely, by install name.
    pub commits: BTreeMap<SkillName, String>,
    /// Edits that are to be kept, as patches by install name; those of a skill with `None` are given up.
    pub edits: BTreeMap<SkillName, Option<String>>,
    /// What lies there already and is skillpm's from now on.
    pub adopted: Adopted,
}

/// What lies on the disk already, put there by somebody else, and is skillpm's from now on.
#[derive(Debug, Clone, Default)]
pub struct Adopted {
    /// Packages that are decided already; what they need is read.
    pub packages: Vec<Locked>,
    /// What was put where, by target directory and name: what is there beyond that is a person's edits.
    pub places: BTreeMap<(PathBuf, SkillName), Checksum>,
    /// Files of whoever put it there, which go; as seen from the project, or absolute.
    pub gone: Vec<PathBuf>,
    /// What was made for it just before, and the entry of that among what can be undone: from then on one with this.
    pub made: Option<Made>,
}

/// What a command made before it went the one way.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its entry among what can be undone.
    pub file: PathBuf,
    /// What was put where.
    pub steps: Vec<Step>,
    /// The directories that were made for that, as seen from the project.
    pub directories: Vec<PathBuf>,
}

impl Default for Wish {
    fn default() -> Self {
        Wish {
            manifest_text: None,
            keep: Keep::All,
            precise: Vec::new(),
            commits: BTreeMap::new(),
            edits: BTreeMap::new(),
            adopted: Adopted::default(),
        }
    }
}

/// What happened to one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    Installed(Box<Locked>),
    /// It was there as something else.
    Updated(Box<Locked>, Box<Locked>),
    /// It was there, but not as it should be.
    Restored(Box<Locked>),
    /// It is no longer needed.
    Removed(SkillName),
}

/// What became of the edits of one skill that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// The skill.
    pub name: SkillName,
    /// Its patch file, in the project.
    pub path: RelPath,
    /// What became of it.
    pub outcome: PatchOutcome,
}

/// What became of a patch file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchOutcome {
    /// It holds the edits as they are now.
    Written,
    /// Upstream has all of the edits: it is gone.
    Upstreamed,
    /// The edits were given up: it is gone.
    Dropped,
    /// Nothing is installed under that name any more: the file stays, and `[edits]` no longer names it.
    Unused,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Synced {
    /// What happened on the disk, by name.
    pub changes: Vec<Change>,
    /// How many packages the project consists of.
    pub packages: usize,
    /// Whether the lockfile changed.
    pub lock_changed: bool,
    /// Whether nothing had to be done at all.
    pub up_to_date: bool,
    /// Whether it was only told, not done.
    pub dry_run: bool,
    /// Skills that were as they should be; not told where nothing was looked at.
    pub kept: Vec<SkillName>,
    /// Places with a person's edits, which stay.
    pub edited: Vec<PathBuf>,
    /// Skills in which a person's changes and upstream's became one.
    pub merges: Vec<Merge>,
    /// Places that got a person's edits of another copy.
    pub carried: Vec<PathBuf>,
    /// Patch files that were written with a person's edits, or whose edits are upstream's now.
    pub patched: Vec<Patched>,
    /// Places where a person put something instead of a link, which stays.
    pub left: Vec<PathBuf>,
    /// Places that skills gave up that stay elsewhere: of targets that are none any more.
    pub cleared: Vec<PathBuf>,
}

/// A project under its lock: nobody else changes it meanwhile, and what a killed command left is put right.
pub struct Held {
    /// The project as it is now.
    pub workspace: Workspace,
    _lock: FileLock,
}

/// Takes a project's lock, then reads it.
///
/// With `make`, a project that does not exist yet is begun in its root (in memory only).
///
/// # Errors
/// If there is no such project, another skillpm holds it for too long, or it cannot be read.
pub fn hold(context: &Context<'_>, sort: Sort, make: Option<&Path>) -> Result<Held> {
    let found = match (sort, make) {
        (Sort::Project, Some(root)) => match context.project()? {
            Some(found) => found,
            None => Workspace::new_in(root)?,
        },
        _ => context.find_workspace(sort)?,
    };
    lock_workspace(context, found, AfterKill::Recovers)
}

/// Takes a project's lock as [`hold`] does, for a command that changes nothing: what a killed command left is reported, and
/// stays.
///
/// # Errors
/// As for [`hold`].
pub(in crate::ops) fn hold_unchanged(context: &Context<'_>, sort: Sort) -> Result<Held> {
    lock_workspace(context, context.find_workspace(sort)?, AfterKill::Reports)
}

/// What is done about a journal that a killed command left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterKill {
    Recovers,
    Reports,
}

fn lock_workspace(context: &Context<'_>, found: Workspace, after_kill: AfterKill) -> Result<Held> {
    let sort = found.sort;
    if sort == Sort::Managed {
        disk::create_dir(&found.root)?;
    }
    let lock = FileLock::of_dir(&found.root, context.patience(), context.reporter)?;
    if sort == Sort::Project {
        projects::remember(&context.places.skillpm, &found.root);
    }
    let state_dir = context.state_dir(&found);
    match after_kill {
        AfterKill::Recovers => recover(&state_dir, context.reporter)?,
        AfterKill::Reports => interrupted::warn(&state_dir, context.reporter)?,
    }

    // Read again: whoever held the lock until now may have changed it.
    let workspace = match sort {
        Sort::Managed => Workspace::managed(&found.root)?,
        Sort::Project => match Workspace::find(&found.root)?.filter(|again| again.root == found.root) {
            Some(again) => Workspace { member: found.member, ..again },
            None => Workspace::new_in(&found.root)?,
        },
    };
    Ok(Held { workspace, _lock: lock })
}

/// Puts right what a killed command left, and says what a person had changed since.
fn recover(state_dir: &StateDir, reporter: &dyn Reporter) -> Result<()> {
    let Some(recovered) = transaction::recover(state_dir)? else { return Ok(()) };
    reporter.report(Event::Done { verb: "Recovered", what: "from an interrupted command".into() });

    for saved in &recovered.saved {
        let message =
            format!("`{}` was changed after the command was interrupted", seen_from_project(state_dir, &saved.place));
        let help = format!("your version is saved in `{}`", seen_from_project(state_dir, &saved.backup));
        reporter.report(Event::Warning { message, help: Some(help) });
    }
    Ok(())
}

/// Reads what was installed where, and reports a file that is not this user's.
fn load_state(context: &Context<'_>, workspace: &Workspace) -> Result<State> {
    let state_dir = context.state_dir(workspace);
    let state = State::load(&state_dir)?;
    if state == State::default() && state_dir.read(state::FILE)? == OwnFile::Untrusted {
        let path = seen_from_project(&state_dir, &state_dir.path().join(state::FILE));
        context.reporter.report(Event::Warning {
            message: format!("ignoring `{path}`: it was not written by this user on this machine for this project"),
            help: Some("skills are compared with the lockfile instead, and the file is written again".into()),
        });
    }
    Ok(state)
}

/// Whether the lockfile answers what the manifests ask, as they are; nobody is asked.
///
/// # Errors
/// If one of them cannot be understood.
pub(super) fn is_answered(context: &Context<'_>, workspace: &Workspace) -> Result<bool> {
    Ok(Job::read(context, workspace, &Wish::default(), Rules::default())?.is_answered())
}

/// Makes disk, lockfile and manifest agree.
///
/// # Errors
/// Whatever stands in the way; then nothing was changed.
pub fn sync(context: &Context<'_>, held: &Held, wish: &Wish, rules: Rules) -> Result<Synced> {
    let workspace = &held.workspace;
    let state = load_state(context, workspace)?;
    if wish_is_empty(wish, rules) && is_current(context, workspace, &state) {
        heed::tell_what_was_revoked(context, workspace)?;
        return Ok(Synced { up_to_date: true, packages: count(&state), ..Synced::default() });
    }
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &workspace.root, &registries, context.reporter);
    sync_with(context, held, &sources, wish, rules)
}

/// [`sync`] with sources that are open already, so that nothing is asked twice.
///
/// # Errors
/// As [`sync`].
pub fn sync_with(
    context: &Context<'_>,
    held: &Held,
    sources: &Sources<'_>,
    wish: &Wish,
    rules: Rules,
) -> Result<Synced> {
    let workspace = &held.workspace;
    let state = State::load(&context.state_dir(workspace))?;
    let job = Job::read(context, workspace, wish, rules)?;
    if rules.locked && workspace.lock_text.is_none() {
        return Err(not_locked(&job.old, &job.old, false));
    }
    let store = job.store()?;
    let mut decided = job.decide(sources, &store)?;
    if rules.locked && !job.is_locked(&decided.lockfile) {
        return Err(not_locked(&job.old, &decided.lockfile, workspace.lock_text.is_some()));
    }
    job.hold_to_policy(job.stock(sources, &store), &mut decided)?;
    if rules.lock_only {
        job.heed(sources, &decided.lockfile, &Plan::default())?;
        return job.write_lock_only(decided);
    }
    let lockfile = decided.lockfile.clone();
    let synced = job.install(job.stock(sources, &store), &state, decided)?;
    if synced.lock_changed {
        vendored::tell(sources, &workspace.root, &lockfile, context.reporter);
    }
    Ok(synced)
}

/// What a wish would bring: every package that it changes, with its tree as it would be installed. Nothing is written.
///
/// # Errors
/// As [`sync`].
pub(super) fn preview(
    context: &Context<'_>,
    held: &Held,
    (sources, store): (&Sources<'_>, &Store),
    wish: &Wish,
) -> Result<BTreeMap<SkillName, (Locked, Tree)>> {
    let job = Job::read(context, &held.workspace, wish, Rules { dry_run: true, ..Rules::default() })?;
    let mut decided = job.decide(sources, store)?;
    let is_new = |locked: &&Locked| {
        job.old.installed_as(locked.install_name()).is_none_or(|old| old.checksum != locked.checksum)
    };
    let packages: Vec<&Locked> = decided.lockfile.packages().iter().filter(is_new).collect();
    let mut trees = fetch::fetch(&packages, &mut decided.at_hand, job.stock(sources, store))?;
    let with_tree = |package: &&Locked| {
        let name = package.install_name().clone();
        trees.remove(&name).map(|tree| (name, ((*package).clone(), tree)))
    };
    Ok(packages.iter().filter_map(with_tree).collect())
}

/// A project as its lockfile has it, or would have it, with packages as their sources hold them.
pub(super) struct Whole {
    /// What it consists of.
    pub lockfile: Lockfile,
    /// The text that the lockfile has or would have.
    pub lock_text: String,
    /// Every text that would change: the lockfile, the manifest, patch files.
    pub texts: Vec<Text>,
    /// Trees by their checksums.
    pub trees: BTreeMap<Checksum, Tree>,
}

/// Decides what a project consists of and brings those of its packages that are `wanted`; `at_hand` has some already.
/// Nothing is written but the store.
///
/// # Errors
/// As [`sync`].
pub(super) fn whole(
    context: &Context<'_>,
    workspace: &Workspace,
    (sources, store): (&Sources<'_>, &Store),
    at_hand: BTreeMap<Checksum, Tree>,
    (rules, wanted): (Rules, &dyn Fn(&Locked) -> bool),
) -> Result<Whole> {
    let wish = Wish::default();
    let job = Job::read(context, workspace, &wish, rules)?;
    if rules.locked && workspace.lock_text.is_none() {
        return Err(not_locked(&job.old, &job.old, false));
    }
    let mut decided = job.decide(sources, store)?;
    if rules.locked && !job.is_locked(&decided.lockfile) {
        return Err(not_locked(&job.old, &decided.lockfile, true));
    }
    let policy = Effective::of(context, &job.manifest.policy)?;
    job.vouch(sources, &policy, &mut decided.lockfile)?;
    let (texts, lock_text) = (job.texts(&decided)?, job.lock_text(&decided.lockfile));
    let Decided { lockfile, at_hand: mut trees, .. } = decided;
    trees.extend(at_hand);
    let packages: Vec<Locked> = lockfile.packages().iter().filter(|locked| wanted(locked)).map(fetch::plain).collect();
    fetch::fetch(&packages.iter().collect::<Vec<_>>(), &mut trees, job.stock(sources, store))?;
    context.reporter.report(Event::Fetched);
    Ok(Whole { lockfile, lock_text, texts, trees })
}

fn wish_is_empty(wish: &Wish, rules: Rules) -> bool {
    let changes_nothing = wish.manifest_text.is_none() && wish.keep == Keep::All;
    let asks_nothing = wish.precise.is_empty() && wish.commits.is_empty() && wish.edits.is_empty();
    let adopts_nothing = wish.adopted.places.is_empty() && wish.adopted.gone.is_empty();
    changes_nothing && asks_nothing && adopts_nothing && !rules.lock_only
}

fn is_current(context: &Context<'_>, workspace: &Workspace, state: &State) -> bool {
    let Some(lock) = &workspace.lock_text else { return false };
    let inputs = || {
        let edits = manifest::edits(&workspace.manifest_text, manifest::FILE)?;
        inputs(context, workspace, lock, &PatchFiles::read(&workspace.root, &edits)?)
    };
    inputs().is_ok_and(|inputs| state.is_current(&inputs, &workspace.root))
}

fn count(state: &State) -> usize {
    state.targets.values().map(BTreeMap::len).max().unwrap_or(0)
}

/// A digest of all that decides what is installed where.
fn inputs(context: &Context<'_>, workspace: &Workspace, lock: &str, patch_files: &PatchFiles) -> Result<Sha256> {
    let managed = context.config.string("managed.dir").unwrap_or_default();
    let policy = policy::settings(context);
    let (root, members) = (workspace.root.display().to_string(), workspace.member_texts()?);
    let agents = targets::settings(context, workspace.sort);
    let mut parts = vec![env!("CARGO_PKG_VERSION"), &workspace.manifest_text, lock, &managed, &root, &agents, &policy];
    parts.extend(members.iter().flat_map(|(dir, text)| [dir.as_str(), text.as_str()]));
    parts.extend(patch_files.iter().flat_map(|(name, file)| [name.as_str(), &file.text]));
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    Ok(Sha256::of(&bytes))
}

/// Everything the steps after reading work with.
struct Job<'a> {
    context: &'a Context<'a>,
    workspace: &'a Workspace,
    /// The project as it is wished to be.
    next: Cow<'a, Workspace>,
    wish: &'a Wish,
    rules: Rules,
    manifest: Manifest,
    members: Vec<Member>,
    /// What the project and its members need.
    roots: Vec<Root>,
    patches: Vec<Patch>,
    age: ReleaseAge,
    old: Lockfile,
    /// The edits that are kept, as they are wished to be.
    patch_files: PatchFiles,
}

impl<'a> Job<'a> {
    fn read(context: &'a Context<'a>, workspace: &'a Workspace, wish: &'a Wish, rules: Rules) -> Result<Self> {
        let next = match &wish.manifest_text {
            Some(text) => Cow::Owned(workspace.with_own_text(text)),
            None => Cow::Borrowed(workspace),
        };
        let registries = |name: Option<&str>| context.config.registry(name);
        let Lines { manifest, members, roots } = next.lines(&registries)?;
        let patches = manifest::patches(&next.manifest_text, manifest::FILE, &registries)?;
        let age = release_age(context, &manifest.policy)?;
        let old = workspace.lockfile()?.unwrap_or_default();
        let patch_files = wished(&workspace.root, &manifest, wish)?;
        Ok(Job { context, workspace, next, wish, rules, manifest, members, roots, patches, age, old, patch_files })
    }

    /// Refuses what the policy does not let in, whether it was locked before or not. The project's own members are not asked.
    fn hold_to_policy(&self, stock: Stock<'_, '_>, decided: &mut Decided) -> Result<()> {
        let policy = Effective::of(self.context, &self.manifest.policy)?;
        let strangers = decided.lockfile.packages().iter().filter(|locked| !self.is_member(locked));
        let packages: Vec<&Locked> = strangers.collect();
        let asked = (self.roots.as_slice(), &decided.lockfile);
        policy.check_sources(&packages, asked)?;
        if policy.requires_reachable() {
            let found = stock.sources.reachable(&packages).into_iter().collect::<Result<Vec<_>>>()?;
            policy.check_reachable(&packages.iter().copied().zip(found).collect::<Vec<_>>(), asked)?;
        }
        if policy.needs_trees() {
            let trees = fetch::fetch(&packages, &mut decided.at_hand, stock)?;
            policy.check_trees(&packages, &trees, asked)?;
        }
        self.vouch(stock.sources, &policy, &mut decided.lockfile)
    }

    /// What is to be written and is new to this machine: it has to pass the gate. The project's own members are not asked.
    fn strangers<'l>(&self, lockfile: &'l Lockfile, state: &State, plan: &Plan) -> Vec<&'l Locked> {
        let written = written(plan);
        let has = |locked: &Locked| {
            let mut records = state.targets.values().filter_map(|names| names.get(locked.install_name()));
            records.any(|record| record.checksum == locked.checksum)
        };
        let is_new =
            |locked: &&Locked| written.contains(locked.install_name()) && !self.is_member(locked) && !has(locked);
        lockfile.packages().iter().filter(is_new).collect()
    }

    fn state_dir(&self) -> StateDir {
        self.context.state_dir(self.workspace)
    }

    fn store(&self) -> Result<Store> {
        Store::open(&self.context.places.skillpm, self.context.patience(), self.reporter())
    }

    fn stock<'s, 'r>(&'s self, sources: &'s Sources<'r>, store: &'s Store) -> Stock<'s, 'r> {
        Stock { store, sources, patch_files: &self.patch_files, reporter: self.reporter() }
    }

    fn reporter(&self) -> &dyn Reporter {
        self.context.reporter
    }
}

/// The names under which something is written.
fn written(plan: &Plan) -> BTreeSet<&SkillName> {
    plan.iter().filter(|(_, action)| action.writes()).map(|(place, _)| &place.name).collect()
}

/// The edits that are kept, with those that are wished for.
fn wished(root: &Path, manifest: &Manifest, wish: &Wish) -> Result<PatchFiles> {
    let named = manifest.edits.iter().filter(|(name, _)| !wish.edits.contains_key(*name));
    let mut files = PatchFiles::read(root, &named.map(|(name, path)| (name.clone(), path.clone())).collect())?;
    for (name, text) in &wish.edits {
        if let Some(text) = text {
            let path = manifest.edits.get(name).cloned().unwrap_or_else(|| default_path(name));
            files.insert(name.clone(), PatchFile::new(path, text.clone()));
        }
    }
    Ok(files)
}

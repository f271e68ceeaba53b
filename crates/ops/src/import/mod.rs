//! `import`: takes over what other tools have installed, where it lies and as it lies.
//!
//! ```text
//! survey     the directories that agents read, and what lies in them
//! records    what other tools wrote down                                  files       → claims
//! pin        which commit each skill came from, and what was changed      claims      → Pinned
//! loose      skills that nobody claims
//! then       manifest entries, targets, and the one way: ops::sync        Pinned      → Wish
//! ```
//!
//! Nothing on the disk is changed but what has to be: the skills keep their bytes, and the other tools' files stay unless
//! they are to go.

mod loose;
mod pin;
mod records;
mod survey;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Context;
use super::sync::{Adopted, Held, Made, Rules, Synced, Wish, hold, sync_with};
use super::targets;
use crate::error::{Error, Result};
use crate::foreign::{self, Tool};
use crate::install::plan::Found;
use crate::io::disk;
use crate::lockfile::Locked;
use crate::manifest::edit::{self, Entry};
use crate::package::{Checksum, RelPath, SkillName};
use crate::report::Event;
use crate::sources::Sources;
use crate::workspace::{Sort, Workspace};

pub use loose::Loose;
pub use pin::Standing;
use pin::{Pinned, Pinner, Unpinned};
use records::{Claimed, Records};
use survey::Survey;

/// What to take over, and how.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Files of other tools, or directories with such files or with skills; none for all that are known here.
    pub files: Vec<PathBuf>,
    /// Whether what cannot be had now is left, instead of giving up.
    pub keep_going: bool,
    /// Whether the other tools' files go.
    pub remove_old: bool,
    /// Whether copies of one skill that nobody claims become one.
    pub gather: bool,
    /// Which project.
    pub sort: Sort,
    /// How far to go.
    pub rules: Rules,
}

/// A skill that was taken over.
#[derive(Debug, Clone)]
pub struct Taken {
    /// What it is now.
    pub package: Locked,
    /// Whose it was; `None` for one that nobody claimed.
    pub tool: Option<Tool>,
    /// How what lies there stands to what it is.
    pub standing: Standing,
    /// Where it lies, as seen from the project.
    pub places: Vec<PathBuf>,
}

/// A skill that was not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its name, or the source of which the names are not known.
    pub name: String,
    /// Whose it is.
    pub tool: Tool,
    /// Why.
    pub reason: String,
    /// What a person can do about it.
    pub help: Option<String>,
}

/// A file of another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldFile {
    /// Where it is, as seen from the project.
    pub path: PathBuf,
    /// Whose it is.
    pub tool: Tool,
    /// Whether it went.
    pub removed: bool,
    /// What else stands in it, for which it is still needed.
    pub others: Vec<String>,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// The skills that were taken over, by name.
    pub taken: Vec<Taken>,
    /// Skills that are skillpm's already.
    pub already: Vec<SkillName>,
    /// The skills that were not.
    pub left: Vec<Left>,
    /// Skills that nobody claims, and that are left to whoever wrote them.
    pub loose: Vec<Loose>,
    /// The other tools' files.
    pub files: Vec<OldFile>,
    /// What was done.
    pub synced: Synced,
}

/// Takes over what other tools have installed.
///
/// # Errors
/// If a file of theirs cannot be understood, a source cannot be asked, or something stands in the way; then nothing was
/// changed.
pub fn import(context: &Context<'_>, options: &ImportOptions) -> Result<Imported> {
    let held = hold(context, options.sort, Some(&records::root(context)))?;
    let workspace = &held.workspace;
    if let Some(member) = &workspace.member {
        return Err(Error::usage(format!(
            "`{member}` is a member of a workspace, and skills are taken over at its root"
        ))
        .help(format!("`skillpm -C {} import`", workspace.root.display())));
    }
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    let survey = Survey::of(context, workspace, &manifest)?;
    let records = Records::find(context, workspace, &survey, &options.files)?;
    let tools = context.tools()?;
    let sources = Sources::new(&tools, &workspace.root, &registries, context.reporter);
    let job = Job { context, options, held: &held, survey: &survey, records: &records };
    job.run(&sources)
}

struct Job<'j> {
    context: &'j Context<'j>,
    options: &'j ImportOptions,
    held: &'j Held,
    survey: &'j Survey,
    records: &'j Records,
}

impl Job<'_> {
    fn run(&self, sources: &Sources<'_>) -> Result<Imported> {
        let mut imported = Imported::default();
        let mut pinned = self.pin(sources, &mut imported)?;
        for loose in loose::find(self.survey, self.records, self.held, !self.options.files.is_empty())? {
            match loose::known(self.context, sources, &loose) {
                Some(known) => pinned.push(known),
                None => imported.loose.push(loose),
            }
        }
        let gathered =
            if self.options.gather && !self.options.rules.dry_run { self.gather(&mut imported)? } else { None };
        let Some(gathered) = gathered else { return self.finish(sources, imported, pinned, None) };
        pinned.extend(gathered.pinned);
        self.finish(sources, imported, pinned, Some(gathered.made.clone())).inspect_err(|_| {
            // The error that is there already is told; what stays then is a directory that `undo` takes away.
            drop(loose::forget(self.context, &self.held.workspace, &gathered.made));
        })
    }

    /// Makes one of the copies of each skill that nobody claims and that is alike everywhere.
    fn gather(&self, imported: &mut Imported) -> Result<Option<loose::Gathered>> {
        let is_several = |loose: &Loose| loose.checksum.is_some() && loose.places.len() > 1;
        let (several, others): (Vec<_>, Vec<_>) = std::mem::take(&mut imported.loose).into_iter().partition(is_several);
        imported.loose = others;
        if several.is_empty() {
            Ok(None)
        } else {
            loose::gather(self.context, &self.held.workspace, &several).map(Some)
        }
    }

    /// The manifest, the targets, and the one way.
    fn finish(
        &self,
        sources: &Sources<'_>,
        mut imported: Imported,
        pinned: Vec<Pinned>,
        made: Option<Made>,
    ) -> Result<Imported> {
        let (text, directories) = self.manifest_text(&pinned)?;
        let adopted = self.adopted(&pinned, &imported, &directories)?;
        let gone = self.old_files(&pinned, &mut imported);
        let is_new = !self.held.workspace.exists;
        let changes = text != self.held.workspace.own_text()? || is_new && !pinned.is_empty();
        let wish = Wish {
            manifest_text: changes.then_some(text),
            adopted: Adopted { gone, made, ..adopted },
            ..Wish::default()
        };
        if wish.manifest_text.is_some() || !wish.adopted.places.is_empty() || !wish.adopted.gone.is_empty() {
            imported.synced = sync_with(self.context, self.held, sources, &wish, self.options.rules)?;
            if is_new && !self.options.rules.dry_run {
                let what = self.held.workspace.manifest_path().display().to_string();
                self.context.reporter.report(Event::Done { verb: "Created", what });
            }
        } else {
            imported.synced = Synced {
                up_to_date: true,
                dry_run: self.options.rules.dry_run,
                packages: self.held.workspace.lockfile()?.unwrap_or_default().packages().len(),
                ..Synced::default()
            };
        }
        let place = |pinned: &Pinned| {
            self.survey.with(pinned.name.as_str()).map(|dir| dir.join(pinned.name.as_str())).collect::<Vec<_>>()
        };
        imported.taken = pinned
            .into_iter()
            .map(|pinned| Taken {
                places: place(&pinned),
                tool: pinned.tool,
                standing: pinned.standing,
                package: pinned.locked,
            })
            .collect();
        Ok(imported)
    }

    /// Every claim with the package that it is of; those that are skillpm's already and those that cannot be taken are
    /// put aside.
    fn pin(&self, sources: &Sources<'_>, imported: &mut Imported) -> Result<Vec<Pinned>> {
        let pinner = Pinner { workspace: &self.held.workspace, sources, survey: self.survey };
        let lockfile = self.held.workspace.lockfile()?.unwrap_or_default();
        let mut all = Vec::new();
        for claimed in self.records.claims() {
            let name = match name_of(claimed) {
                Ok(name) => name,
                Err(left) => {
                    imported.left.push(left);
                    continue;
                }
            };
            if let Some(locked) = lockfile.installed_as(&name) {
                if self.same(claimed, locked) {
                    imported.already.push(name);
                } else {
                    let reason = "there is another skill of that name in `skillpm.toml`";
                    imported.left.push(left(claimed, reason, None));
                }
                continue;
            }
            match pinner.pin(claimed, &name) {
                Ok(found) => all.push(found),
                Err(Unpinned::Refused { reason, help }) => imported.left.push(left(claimed, &reason, help)),
                Err(Unpinned::Failed(error)) if self.options.keep_going => {
                    imported.left.push(left(claimed, error.message(), error.helps().first().cloned()));
                }
                Err(Unpinned::Failed(error)) => {
                    let error = error.wrap(format!("`{name}` of {} cannot be taken over", claimed.claim.tool));
                    return Err(error.help("`--keep-going` takes over the others, and leaves it"));
                }
            }
        }
        Ok(all)
    }

    /// Whether a claim is on what is locked under its name.
    fn same(&self, claimed: &Claimed, locked: &Locked) -> bool {
        match &claimed.claim.origin {
            Ok(origin) => {
                pin::source(origin, claimed, &self.held.workspace).is_some_and(|own| own.same_place(&locked.source))
            }
            Err(_) => false,
        }
    }

    /// The manifest with what was taken over, and the directories that skills go into by it.
    fn manifest_text(&self, pinned: &[Pinned]) -> Result<(String, Vec<PathBuf>)> {
        let workspace = &self.held.workspace;
        let entries: Vec<Entry> = pinned.iter().map(|pinned| pinned.entry.clone()).collect();
        let mut text =
            if entries.is_empty() { workspace.own_text()? } else { edit::set(&workspace.own_text()?, &entries)? };
        if !pinned.is_empty() {
            text = self.with_targets(text, pinned)?;
        }
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let next = workspace.with_own_text(&text);
        let directories = targets::directories(self.context, &next, &next.manifest(&registries)?)?;
        Ok((text, directories))
    }

    /// The directories in which the skills lie, as those that they go into.
    fn with_targets(&self, mut text: String, pinned: &[Pinned]) -> Result<String> {
        let names: BTreeSet<&str> = pinned.iter().map(|pinned| pinned.name.as_str()).collect();
        let mut main = self.survey.main();
        let is_fresh = !text.contains("[install]") && self.held.workspace.lock_text.is_none();
        let holds = |at: &usize| names.iter().filter(|name| self.survey.is_real(*at, name)).count();
        let used: Vec<usize> =
            self.survey.dirs().filter(|at| names.iter().any(|name| self.survey.has(*at, name))).collect();
        if is_fresh && self.held.workspace.sort == Sort::Project && !used.contains(&main) {
            // All of it lies elsewhere: there it stays.
            let other = used.iter().copied().max_by_key(|at| (holds(at), std::cmp::Reverse(*at)));
            if let Some(other) = other.filter(|at| holds(at) > 0) {
                let dir = self.survey.target(other).to_string_lossy().parse::<RelPath>()?;
                text = edit::set_install(&text, "dir", dir.as_str())?;
                main = other;
            }
        }
        let mut targets: Vec<&str> =
            used.iter().filter(|at| **at != main).filter_map(|at| self.survey.agent(*at)).collect();
        targets.extend(self.survey.linked_agents(main));
        targets.extend(self.records.targets());
        let mut seen = BTreeSet::new();
        targets.retain(|target| seen.insert(*target) && Some(*target) != self.survey.agent(main));
        for target in &targets {
            text = edit::add_target(&text, target)?;
        }
        let further = || used.iter().filter(|at| **at != main);
        let all_links = further().count() > 0
            && further().all(|at| {
                names.iter().filter(|name| self.survey.has(*at, name)).all(|name| !self.survey.is_real(*at, name))
            });
        if is_fresh && all_links {
            text = edit::set_install(&text, "link", "symlink")?;
        }
        Ok(text)
    }

    /// What lies in the directories that skills go into.
    fn adopted(&self, pinned: &[Pinned], imported: &Imported, directories: &[PathBuf]) -> Result<Adopted> {
        let mut places = BTreeMap::new();
        for pinned in pinned {
            let beside =
                self.survey.with(pinned.name.as_str()).filter(|dir| !directories.iter().any(|known| known == dir));
            for dir in beside {
                let place = dir.join(pinned.name.as_str());
                let message = format!("`{}` is no place that skillpm keeps; it stays as it is", place.display());
                self.context.reporter.report(Event::Warning { message, help: None });
            }
            for target in directories {
                match super::sync::found(&self.held.workspace.root.join(target).join(pinned.name.as_str()))? {
                    Found::Nothing => {}
                    found => {
                        let base = pinned.base(&found, self.options.remove_old);
                        places.insert((target.clone(), pinned.name.clone()), base);
                    }
                }
            }
        }
        if self.options.remove_old {
            places.extend(self.marked(&imported.already, directories)?);
        }
        let packages = pinned.iter().filter(|pinned| pinned.is_kept()).map(|pinned| pinned.locked.clone()).collect();
        Ok(Adopted { packages, places, ..Adopted::default() })
    }

    /// Skills taken over before that differ from what is locked in nothing but the files of the other tool.
    fn marked(&self, names: &[SkillName], directories: &[PathBuf]) -> Result<BTreeMap<(PathBuf, SkillName), Checksum>> {
        let lockfile = self.held.workspace.lockfile()?.unwrap_or_default();
        let mut marked = BTreeMap::new();
        for name in names {
            let Some(locked) = lockfile.installed_as(name) else { continue };
            for target in directories {
                let path = self.held.workspace.root.join(target).join(name.as_str());
                if disk::lstat(&path)?.is_none_or(|meta| !meta.is_dir()) {
                    continue;
                }
                let tree = disk::read_tree(&path)?;
                let plain = pin::without_marks(&tree)?;
                if plain.len() < tree.len() && Checksum::of(&plain) == locked.checksum {
                    marked.insert((target.clone(), name.clone()), Checksum::of(&tree));
                }
            }
        }
        Ok(marked)
    }

    /// The other tools' files; gives those that go.
    fn old_files(&self, pinned: &[Pinned], imported: &mut Imported) -> Vec<PathBuf> {
        let done: BTreeSet<&str> = pinned
            .iter()
            .map(|pinned| pinned.name.as_str())
            .chain(imported.already.iter().map(SkillName::as_str))
            .collect();
        let mut gone = Vec::new();
        for file in self.records.files() {
            let is_spent = |other: &&records::File| {
                other.others.is_empty()
                    && other.names.iter().all(|name| name.as_ref().is_some_and(|name| done.contains(name.as_str())))
            };
            let tool_s = self
                .records
                .files()
                .filter(|other| other.tool == file.tool && other.path.parent() == file.path.parent());
            let removed = self.options.remove_old && tool_s.clone().count() == tool_s.filter(is_spent).count();
            if removed {
                gone.push(file.path.clone());
            }
            let (path, tool, others) = (file.path.clone(), file.tool, file.others.clone());
            imported.files.push(OldFile { path, tool, removed, others });
        }
        gone
    }
}

/// The name that a claimed skill is installed under.
fn name_of(claimed: &Claimed) -> Result<SkillName, Left> {
    let Some(name) = &claimed.claim.name else {
        let place = match &claimed.claim.origin {
            Ok(foreign::Origin::Git { url, .. }) => url.to_string(),
            Ok(foreign::Origin::Site(site)) => site.spelled(),
            Ok(foreign::Origin::Path(path)) => path.clone(),
            Err(why) => why.clone(),
        };
        return Err(Left {
            help: Some(format!("`skillpm add {place} --all` takes all of them")),
            name: place,
            tool: claimed.claim.tool,
            reason: "it is a source of which no lockfile says the skills".into(),
        });
    };
    name.parse().map_err(|error: Error| left(claimed, error.message(), error.helps().first().cloned()))
}

fn left(claimed: &Claimed, reason: &str, help: Option<String>) -> Left {
    let name = claimed.claim.name.clone().unwrap_or_default();
    Left { name, tool: claimed.claim.tool, reason: reason.to_owned(), help }
}

/// Where a project lies in which a path is, as seen from its root; else the path itself.
fn seen_from(workspace: &Workspace, path: &Path) -> PathBuf {
    path.strip_prefix(&workspace.root).unwrap_or(path).to_owned()
}

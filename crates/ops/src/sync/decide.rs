//! The first half of the spine: manifest and lockfile → a lockfile that answers the manifest, and the trees that came
//! along.

use std::collections::{BTreeMap, BTreeSet};

use super::keep::Kept;
use super::{Job, Keep};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::lockfile::{Locked, Lockfile};
use crate::ops::fetch;
use crate::package::{Checksum, GitReference, PackageName, SkillName, SourceId, Summary, Tree, with_line_ends_of};
use crate::report::{Event, Level};
use crate::resolver::{self, Resolve, Resolved, Root};
use crate::sources::gather::{Gathered, Question, gather, has_patches, report_missing};
use crate::sources::{Fetched, Lack, Sources};
use crate::store::Store;
use crate::workspace::Member;

/// What a project is to consist of.
pub(super) struct Decided {
    pub lockfile: Lockfile,
    /// Trees that solving brought along, as their sources hold them.
    pub at_hand: BTreeMap<Checksum, Tree>,
    /// What becomes of edits that are kept.
    pub kept: Kept,
}

impl Job<'_> {
    /// Takes the lockfile as it is where it still answers the manifest; else solves. Then puts in the edits that are kept.
    pub(super) fn decide(&self, sources: &Sources<'_>, store: &Store) -> Result<Decided> {
        let mut decided = self.solve(sources, store)?;
        self.keep_allowed(&mut decided);
        self.keep_edits(self.stock(sources, store), &mut decided)?;
        Ok(decided)
    }

    /// What was let through stays let through as long as the package is the same.
    fn keep_allowed(&self, decided: &mut Decided) {
        if self.old.packages().iter().all(|old| old.allowed_findings.is_empty()) {
            return;
        }
        let allowed = |locked: &Locked| {
            let old = self.old.installed_as(locked.install_name())?;
            let is_same = old.name == locked.name && old.upstream() == locked.upstream();
            (is_same && !old.allowed_findings.is_empty()).then(|| old.allowed_findings.clone())
        };
        let keep = |locked: &Locked| Locked {
            allowed_findings: allowed(locked).unwrap_or_else(|| locked.allowed_findings.clone()),
            ..locked.clone()
        };
        decided.lockfile = Lockfile::new(decided.lockfile.packages().iter().map(keep).collect());
    }

    fn solve(&self, sources: &Sources<'_>, store: &Store) -> Result<Decided> {
        let has_paths = self.old.packages().iter().any(|locked| self.is_live(sources, locked));
        let is_whole = self.wish.keep == Keep::All && self.wish.precise.is_empty() && self.wish.commits.is_empty();
        if is_whole && !has_paths && self.is_answered() {
            return Ok(Decided { lockfile: self.old.clone(), at_hand: BTreeMap::new(), kept: Kept::default() });
        }
        let overridden = self.overridden();
        let kept = self.kept(sources, &overridden);
        let question = Question {
            roots: &self.roots,
            patches: &self.patches,
            kept: &kept,
            precise: &self.wish.precise,
            age: &self.age,
            old: &self.old,
        };
        let gathered = gather(sources, &question)?;
        report_missing(&gathered.resolve, self.reporter());
        self.report_unused_patches(&gathered);
        self.to_lockfile(sources, store, gathered, &ByName::of(kept))
    }

    /// Locked packages at another commit than before, because it was asked for.
    fn overridden(&self) -> Vec<Locked> {
        let change = |(name, commit): (&SkillName, &String)| {
            let locked = self.old.installed_as(name)?.clone();
            // What it needs there is not known yet: a reference to nothing makes the solver read it.
            Some(Locked { commit: Some(commit.clone()), dependencies: vec![String::new()], ..locked })
        };
        self.wish.commits.iter().filter_map(change).collect()
    }

    /// Whether a package is read anew each time: it stands in a directory, where it may be edited.
    ///
    /// One that a directory of the project stands in for is not, nor one of which there is only what was locked.
    fn is_live(&self, sources: &Sources<'_>, locked: &Locked) -> bool {
        let SourceId::Path(path) = &locked.source else { return false };
        let is_there = || disk::lstat(&disk::real_path(&self.workspace.root.join(path))).is_ok_and(|at| at.is_some());
        let keeps_absent = self.rules.locked || self.rules.keep_absent;
        sources.vendored(&locked.source).is_none() && (!keeps_absent || is_there())
    }

    fn kept<'k>(&'k self, sources: &Sources<'_>, overridden: &'k [Locked]) -> Vec<&'k Locked> {
        let stays = |locked: &&Locked| {
            let name = locked.install_name();
            !self.is_live(sources, locked)
                && match &self.wish.keep {
                    Keep::All => true,
                    Keep::AllBut(names) => !names.contains(name),
                    Keep::Nothing => false,
                }
        };
        let old = self.old.packages().iter().filter(stays);
        let old = old.filter(|locked| !self.wish.commits.contains_key(locked.install_name()));
        old.chain(overridden).chain(&self.wish.adopted.packages).collect()
    }

    /// The answer as a lockfile, and the trees that came along.
    fn to_lockfile(
        &self,
        sources: &Sources<'_>,
        store: &Store,
        mut gathered: Gathered,
        kept: &ByName<'_>,
    ) -> Result<Decided> {
        let resolve = gathered.resolve.clone();
        let mut fetched: Vec<Option<Fetched>> =
            resolve.packages().iter().map(|package| gathered.take(&package.summary)).collect();
        let members = self.members_alone(&resolve);
        let is_known = |at: usize| fetched[at].is_some() || kept.find(&resolve.packages()[at]).next().is_some();
        let mut unknown: Vec<usize> = (0..resolve.packages().len()).filter(|&at| !is_known(at)).collect();
        let told = told_by_index(sources, &mut unknown, &resolve)?;
        let unknown = self.take_from_store((sources, store), unknown, &resolve, &mut fetched)?;
        let summaries: Vec<_> = unknown.iter().map(|&at| resolve.packages()[at].summary.clone()).collect();
        for (at, read) in unknown.into_iter().zip(sources.read(&summaries, &vec![None; summaries.len()])) {
            fetched[at] = Some(read.map_err(|lack| match lack {
                Lack::Failed(error) => error,
                Lack::Unavailable(reason) => Error::negative(reason),
            })?);
        }
        let mut packages = Vec::new();
        let mut at_hand = BTreeMap::new();
        for ((at, package), fetched) in resolve.packages().iter().enumerate().zip(fetched) {
            if members.contains(&at) {
                continue;
            }
            // What has but one content at its place stays what was locked, though solving may have read it anew.
            let is_held = matches!(package.id.source, SourceId::WellKnown(_)) && kept.find(package).next().is_some();
            let fetched = fetched.filter(|_| !is_held);
            for alias in &package.aliases {
                let locked = match (&fetched, told.get(&at)) {
                    (Some(fetched), _) => self.lock(fetched, alias)?,
                    (None, Some(told)) => told.clone(),
                    (None, None) => relock(kept.find(package), alias)?,
                };
                let dependencies = references(&resolve, package);
                packages.push(Locked { dependencies, replaces: package.replaces.iter().cloned().collect(), ..locked });
            }
            if kept.find(package).next().is_none() {
                self.tell_held_back(&gathered, at);
            }
            if let Some(fetched) = fetched {
                self.tell(&fetched);
                at_hand.insert(Checksum::of(&fetched.tree), fetched.tree);
            }
        }
        Ok(Decided { lockfile: Lockfile::new(packages), at_hand, kept: Kept::default() })
    }

    /// Takes what a registry describes and the store has already from there; gives the positions of the others.
    fn take_from_store(
        &self,
        (sources, store): (&Sources<'_>, &Store),
        unknown: Vec<usize>,
        resolve: &Resolve,
        fetched: &mut [Option<Fetched>],
    ) -> Result<Vec<usize>> {
        let mut missing = Vec::new();
        for at in unknown {
            let summary = &resolve.packages()[at].summary;
            let tree = match sources.described(summary)? {
                Some((checksum, origin)) => store.get(&checksum, self.reporter())?.map(|tree| (tree, origin)),
                None => None,
            };
            match tree {
                Some((tree, origin)) => {
                    let summary = summary.clone();
                    fetched[at] = Some(Fetched { summary, origin, tree, skill: None, diagnostics: Vec::new() });
                }
                None => missing.push(at),
            }
        }
        Ok(missing)
    }

    /// A package that was brought, as it is locked under a name.
    ///
    /// A tag that points elsewhere than when it was locked is told, and the locked commit stays.
    fn lock(&self, fetched: &Fetched, alias: &SkillName) -> Result<Locked> {
        let summary = &fetched.summary;
        let same_tag = |locked: &&Locked| {
            let is_tag = matches!(&locked.source, SourceId::Git { reference: GitReference::Tag(_), .. });
            is_tag && locked.source == summary.source && locked.name == summary.name && locked.path == summary.subdir
        };
        let before = self.old.installed_as(alias).filter(same_tag);
        if let Some(before) = before.filter(|before| before.commit != fetched.origin.commit)
            && !self.wish.commits.contains_key(alias)
        {
            self.report_moved(before, fetched);
            return Ok(before.clone());
        }
        let upstream = Checksum::of(&fetched.tree);
        let file = summary.subdir.as_ref().map_or("SKILL.md".to_owned(), |dir| format!("{dir}/SKILL.md"));
        let installed = fetch::as_installed(&fetched.tree, alias)
            .map_err(|error| error.wrap(format!("{file}: cannot be renamed")))?;
        let checksum = Checksum::of(&installed);
        Ok(Locked {
            alias: (alias != summary.name.skill()).then(|| alias.clone()),
            source_checksum: (checksum != upstream).then_some(upstream),
            ..fetched.locked(checksum)
        })
    }

    fn report_moved(&self, before: &Locked, fetched: &Fetched) {
        let short = |commit: Option<&String>| commit.map_or("?", |commit| &commit[..commit.len().min(12)]).to_owned();
        let now = fetched.origin.commit.as_ref();
        self.reporter().report(Event::Warning {
            message: format!(
                "{} was moved after it was locked: `{}` stays at commit {}, and the tag is now at {}",
                reference_of(&before.source),
                before.install_name(),
                short(before.commit.as_ref()),
                short(now)
            ),
            help: now
                .map(|commit| format!("to follow it: `skillpm update {} --precise {commit}`", before.install_name())),
        });
    }

    /// Members of the workspace that only other members ask for: they are there, and nothing is to be installed of them.
    fn members_alone(&self, resolve: &Resolve) -> BTreeSet<usize> {
        let is_member = |at: usize| self.member_at(&resolve.packages()[at].id.source).is_some();
        let is_own = |link: &resolver::Link| self.manifest.dependencies.contains(&link.dependency);
        let starts = resolve.roots().iter().filter(|link| is_own(link) || !is_member(link.to));
        let (mut reached, mut todo) = (BTreeSet::new(), starts.map(|link| link.to).collect::<Vec<_>>());
        while let Some(at) = todo.pop() {
            if reached.insert(at) {
                todo.extend(resolve.children(at));
            }
        }
        (0..resolve.packages().len()).filter(|at| !reached.contains(at)).collect()
    }

    /// The member that stands at a path.
    fn member_at(&self, source: &SourceId) -> Option<&Member> {
        let SourceId::Path(path) = source else { return None };
        self.members.iter().find(|member| member.dir.as_ref().is_some_and(|dir| dir.as_str() == path))
    }

    /// Whether a locked package is a member of the workspace.
    pub(super) fn is_member(&self, locked: &Locked) -> bool {
        self.member_at(&locked.source).is_some()
    }

    /// Whether a new lockfile says what the old one does. The text of a member may have changed: it is edited where it is.
    pub(super) fn is_locked(&self, new: &Lockfile) -> bool {
        let (old, new) = (self.old.packages(), new.packages());
        // Who vouches for a package is found out later.
        let is_same = |old: &Locked, new: &Locked| *old == Locked { signed_by: old.signed_by, ..new.clone() };
        old.len() == new.len()
            && old.iter().zip(new).all(|(old, new)| {
                let is_member = self.member_at(&new.source).is_some();
                let as_old = || Locked {
                    version: old.version.clone(),
                    checksum: old.checksum,
                    source_checksum: old.source_checksum,
                    patch: old.patch,
                    signed_by: old.signed_by,
                    ..new.clone()
                };
                is_same(old, new) || is_member && *old == as_old()
            })
    }

    /// The text that the lockfile is to have.
    pub(super) fn lock_text(&self, lockfile: &Lockfile) -> String {
        match &self.workspace.lock_text {
            Some(text) if self.rules.locked => text.clone(),
            Some(text) => with_line_ends_of(text, lockfile.to_text()),
            None => lockfile.to_text(),
        }
    }

    /// Says of a package that was decided anew which newer version is too new.
    fn tell_held_back(&self, gathered: &Gathered, at: usize) {
        if let Some((version, reason)) = gathered.held_back(at) {
            let name = &gathered.resolve.packages()[at].id.name;
            self.reporter().report(Event::Done { verb: "Held back", what: format!("{name} {version}: it {reason}") });
        }
    }

    /// Tells what was found while reading a package that was not there before.
    fn tell(&self, fetched: &Fetched) {
        let dir = fetched.summary.subdir.as_ref().map_or(fetched.summary.name.to_string(), ToString::to_string);
        for diagnostic in fetched.diagnostics.iter().filter(|diagnostic| diagnostic.level >= Level::Error) {
            let format = fetched.skill.as_ref().map(|skill| skill.format).unwrap_or_default();
            let path = format!("{dir}/{}", format.descriptor());
            self.reporter().report(Event::Found { path, diagnostic: diagnostic.clone() });
        }
    }
}

/// Those of the unknown packages that an index tells all about that a lockfile says, by position: their trees are brought
/// once they are to be installed. One that is installed under another name is not among them, since the checksum of what
/// is then installed is known to nobody yet.
fn told_by_index(
    sources: &Sources<'_>,
    unknown: &mut Vec<usize>,
    resolve: &Resolve,
) -> Result<BTreeMap<usize, Locked>> {
    let mut told = BTreeMap::new();
    for &at in &*unknown {
        let package = &resolve.packages()[at];
        if package.aliases.iter().any(|alias| alias != package.id.name.skill()) {
            continue;
        }
        if let Some((checksum, origin)) = sources.described(&package.summary)? {
            let Summary { name, version, source, .. } = package.summary.clone();
            let locked = Locked { version, archive: origin.archive, ..Locked::new(name, source, checksum) };
            told.insert(at, locked);
        }
    }
    unknown.retain(|at| !told.contains_key(at));
    Ok(told)
}

/// Locked packages by their name.
struct ByName<'k>(BTreeMap<&'k PackageName, Vec<&'k Locked>>);

impl<'k> ByName<'k> {
    fn of(kept: Vec<&'k Locked>) -> Self {
        let mut by_name: BTreeMap<&PackageName, Vec<&Locked>> = BTreeMap::new();
        for locked in kept {
            by_name.entry(&locked.name).or_default().push(locked);
        }
        ByName(by_name)
    }

    /// Those that a chosen package is.
    fn find(&self, package: &Resolved) -> impl Iterator<Item = &'k Locked> {
        let named = self.0.get(&package.id.name).into_iter().flatten().copied();
        named.filter(|locked| {
            locked.version == package.id.version
                && locked.source == package.id.source
                && locked.path == package.summary.subdir
        })
    }
}

impl Job<'_> {
    /// Whether the lockfile still answers what the manifests ask, with nothing missing and nothing too much.
    pub(super) fn is_answered(&self) -> bool {
        let packages = self.old.packages();
        let by_alias: BTreeMap<&SkillName, &Locked> =
            packages.iter().map(|locked| (locked.install_name(), locked)).collect();
        let mut by_reference: BTreeMap<String, &Locked> = BTreeMap::new();
        for locked in packages {
            by_reference.entry(locked.reference()).or_insert(locked);
        }
        let (mut reached, mut todo) = (BTreeSet::new(), Vec::new());
        for root in &self.roots {
            match (self.sibling(root), by_alias.get(&root.dependency.alias)) {
                (Some(sibling), _) if resolver::answers(&root.dependency, &as_summary(sibling, root)) => {}
                (None, Some(locked)) if self.is_answer(root, locked) => todo.push(*locked),
                _ => return false,
            }
        }
        while let Some(locked) = todo.pop() {
            if reached.insert(locked.install_name()) {
                for reference in &locked.dependencies {
                    let Some(needed) = by_reference.get(reference) else { return false };
                    todo.push(needed);
                }
            }
        }
        reached.len() == packages.len() && has_patches(&self.old, &self.patches)
    }

    fn is_answer(&self, Root { dependency, .. }: &Root, locked: &Locked) -> bool {
        let summary = locked.summary();
        let mut patches = self.patches.iter().filter(|_| !locked.replaces.is_empty());
        resolver::answers(dependency, &summary) || patches.any(|patch| resolver::stands_in(patch, &summary, dependency))
    }

    /// The member that another member needs: it is there, and not locked for that.
    fn sibling(&self, root: &Root) -> Option<&Member> {
        root.member.as_ref().and_then(|_| self.member_at(&root.dependency.source))
    }
}

/// A member as somebody finds it who needs it.
fn as_summary(member: &Member, root: &Root) -> Summary {
    Summary { version: member.version.clone(), ..Summary::unread(&root.dependency) }
}

/// A locked package as it was, under a name that it had.
fn relock<'k>(same: impl Iterator<Item = &'k Locked>, alias: &SkillName) -> Result<Locked> {
    let mut same = same.filter(|locked| locked.install_name() == alias);
    same.next().cloned().ok_or_else(|| {
        Error::negative(format!("`{alias}` is another name for a package that is locked already"))
            .help("run `skillpm update` to decide both anew")
    })
}

/// What a chosen package needs, as its lockfile entry lists it.
fn references(resolve: &Resolve, package: &Resolved) -> Vec<String> {
    let needed: BTreeSet<String> =
        package.links.iter().map(|link| resolve.packages()[link.to].id.to_string()).collect();
    needed.into_iter().collect()
}

fn reference_of(source: &SourceId) -> String {
    match source {
        SourceId::Git { reference, url } => format!("{reference} of `{}`", url.short()),
        other => other.place(),
    }
}

/// Says how the lockfile would have to change.
pub(super) fn not_locked(old: &Lockfile, new: &Lockfile, exists: bool) -> Error {
    if !exists {
        return Error::negative("there is no lockfile, and `--locked` forbids making one")
            .help("run `skillpm install` without it, and commit `skillpm.lock`");
    }
    let mut error = Error::negative(
        "the lockfile does not answer the manifest any more, and `--locked` or `--frozen` forbids changing it",
    );
    let names: BTreeSet<&SkillName> = old.packages().iter().chain(new.packages()).map(Locked::install_name).collect();
    for name in names {
        match (old.installed_as(name), new.installed_as(name)) {
            (None, Some(new)) => error = error.note(format!("`{}` would be added", new.reference())),
            (Some(old), None) => error = error.note(format!("`{}` would be removed", old.reference())),
            (Some(old), Some(new)) if old.patch != new.patch && old.upstream() == new.upstream() => {
                let said = if new.patch.is_some() {
                    "would have other edits: its patch file"
                } else {
                    "would lose its edits: its line in `[edits]`"
                };
                error = error.note(format!("`{name}` {said} has changed"));
            }
            (Some(old), Some(new)) if old != new => {
                error = error.note(format!("`{name}` would go from {} to {}", old.revision(), new.revision()));
            }
            _ => {}
        }
    }
    error.help("run `skillpm install` without `--locked`, and commit `skillpm.lock`")
}

//! Three lockfiles of one project → one: what both sides of a merge in version control decided since their base.
//!
//! A package is the same on all sides if it has the same name, the same place and the same name in the project. What one
//! side changed is taken from there; where both changed, the higher version is, whole, if everybody who needs it is known
//! to go with it. What a package needs is not text to be merged: its lines are written anew, to what the others became.
//!
//! ```text
//! base    pdf 1.0   report 1.0 -> pdf 1.0
//! ours    pdf 1.1   report 1.0 -> pdf 1.1
//! theirs  pdf 1.0   report 2.0 -> pdf 1.0
//! merged  pdf 1.1   report 2.0 -> pdf 1.1     if report 2.0 is known to take it; else a clash about pdf
//! ```
//!
//! Nothing is asked of any source: what cannot be told from the three, the manifest and the packages at hand is a
//! [`Clash`].

mod graph;
mod marks;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use semver::VersionReq;

use super::{Locked, Lockfile};
use crate::package::{Checksum, PackageName, Patch, SkillName};
use crate::resolver::{self, Root};
use graph::{Edge, Graph, Key, core};

pub use marks::{Text, sides};

/// What packages are known to need, by the checksum that they have at their source.
pub type Needs = BTreeMap<Checksum, BTreeMap<PackageName, VersionReq>>;

/// The three that are merged.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// What both began with; empty if that is not known.
    pub base: &'a Lockfile,
    /// The one side.
    pub ours: &'a Lockfile,
    /// The other.
    pub theirs: &'a Lockfile,
}

/// What is known besides.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// What the project asks for; `None` if its manifest cannot be read.
    pub roots: Option<&'a [Root]>,
    /// Whether the manifest is merged already. While it is not, a version that it does not admit may be one that it will.
    pub is_final: bool,
    /// `[patch]`.
    pub patches: &'a [Patch],
    /// What packages need.
    pub needs: &'a Needs,
}

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// What is decided: everything, if there are no clashes.
    pub lockfile: Lockfile,
    /// What has to be decided by somebody.
    pub clashes: Vec<Clash>,
}

/// A package that cannot be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// What the one side has.
    pub ours: Option<Locked>,
    /// What the other has.
    pub theirs: Option<Locked>,
    /// Why neither was taken.
    pub why: String,
}

impl Clash {
    /// The name that the package is installed under.
    #[must_use]
    pub fn name(&self) -> Option<&SkillName> {
        self.ours.as_ref().or(self.theirs.as_ref()).map(Locked::install_name)
    }
}

/// Merges what two sides decided.
#[must_use]
pub fn merge(sides: Sides<'_>, known: Known<'_>) -> Merged {
    Merge::new(sides, known).run()
}

/// Which of two was taken where both sides changed a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Higher,
    Lower,
}

struct Merge<'a> {
    base: Graph<'a>,
    ours: Graph<'a>,
    theirs: Graph<'a>,
    known: Known<'a>,
    /// Packages that both sides took to different versions.
    contested: BTreeMap<Key, Rank>,
    clashes: BTreeMap<Key, Clash>,
}

type Chosen<'a> = BTreeMap<Key, &'a Locked>;

impl<'a> Merge<'a> {
    fn new(sides: Sides<'a>, known: Known<'a>) -> Self {
        let (base, ours, theirs) = (Graph::of(sides.base), Graph::of(sides.ours), Graph::of(sides.theirs));
        Merge { base, ours, theirs, known, contested: BTreeMap::new(), clashes: BTreeMap::new() }
    }

    fn run(mut self) -> Merged {
        let mut chosen = self.choose();
        while let Some(lowered) = self.unfit(&chosen) {
            self.contested.insert(lowered, Rank::Lower);
            chosen = self.choose();
        }
        self.drop_orphans(&mut chosen);
        self.refuse_twins(&mut chosen);
        chosen.retain(|key, _| !self.clashes.contains_key(key));
        let packages = chosen.iter().map(|(key, entry)| self.linked(key, entry, &chosen)).collect();
        Merged { lockfile: Lockfile::new(packages), clashes: self.clashes.into_values().collect() }
    }

    /// One entry for each package that stays.
    fn choose(&mut self) -> Chosen<'a> {
        let keys: BTreeSet<Key> = self.ours.keys().chain(self.theirs.keys()).cloned().collect();
        let mut chosen = Chosen::new();
        for key in keys {
            if let Some(entry) = self.pick(&key) {
                chosen.insert(key, entry);
            }
        }
        self.add_needed(&mut chosen);
        chosen
    }

    fn pick(&mut self, key: &Key) -> Option<&'a Locked> {
        let (base, ours, theirs) = (self.base.get(key), self.ours.get(key), self.theirs.get(key));
        let is_same = |a: Option<&Locked>, b: Option<&Locked>| a.map(core) == b.map(core);
        if is_same(ours, theirs) || is_same(theirs, base) {
            return ours;
        }
        if is_same(ours, base) {
            return theirs;
        }
        // One removed what the other changed: it stays away, unless somebody needs it.
        let (ours, theirs) = (ours?, theirs?);
        self.better(key, ours, theirs)
    }

    /// Of two that both sides changed, the one to try.
    fn better(&mut self, key: &Key, ours: &'a Locked, theirs: &'a Locked) -> Option<&'a Locked> {
        let (higher, lower) = match (&ours.version, &theirs.version) {
            (Some(one), Some(other)) if one > other => (ours, theirs),
            (Some(one), Some(other)) if one < other => (theirs, ours),
            _ => {
                self.clash(key, "both sides changed it, and no version says which is newer");
                return None;
            }
        };
        let rank = *self.contested.entry(key.clone()).or_insert(Rank::Higher);
        let tried = if rank == Rank::Higher { higher } else { lower };
        match self.is_admitted(tried) {
            Some(true) => Some(tried),
            Some(false) if rank == Rank::Higher && self.known.is_final => {
                self.contested.insert(key.clone(), Rank::Lower);
                self.better(key, ours, theirs)
            }
            Some(false) => {
                self.clash(key, "the manifest, as it is now, does not admit the higher version");
                None
            }
            None => {
                self.clash(key, "the manifest cannot be read, to tell which version it admits");
                None
            }
        }
    }

    /// Whether the project's own lines, if any are about it, admit a package; `None` if nobody can tell.
    fn is_admitted(&self, locked: &Locked) -> Option<bool> {
        let summary = locked.summary();
        let mut asked =
            self.known.roots?.iter().map(|root| &root.dependency).filter(|asked| asked.alias == *locked.install_name());
        Some(asked.all(|asked| {
            let mut patches = self.known.patches.iter();
            resolver::answers(asked, &summary) || patches.any(|patch| resolver::stands_in(patch, &summary, asked))
        }))
    }

    /// What a package that stays needs stays, too.
    fn add_needed(&self, chosen: &mut Chosen<'a>) {
        let mut todo: Vec<Key> = chosen.keys().cloned().collect();
        while let Some(key) = todo.pop() {
            for edge in self.edges(&key, chosen[&key]) {
                let Edge::To(needed) = edge else { continue };
                if chosen.contains_key(&needed) || self.clashes.contains_key(&needed) {
                    continue;
                }
                let kept = [self.ours.get(&needed), self.theirs.get(&needed)].into_iter().flatten().next();
                if let Some(entry) = kept {
                    chosen.insert(needed.clone(), entry);
                    todo.push(needed);
                }
            }
        }
    }

    /// What an entry needs: as the side has it that it is of, and where both have it, as the one that changed that.
    fn edges(&self, key: &Key, entry: &Locked) -> BTreeSet<Edge> {
        let of = |graph: &Graph<'_>| graph.get(key).filter(|own| core(own) == core(entry)).map(|own| graph.edges(own));
        match (of(&self.base), of(&self.ours), of(&self.theirs)) {
            (base, Some(ours), Some(theirs)) => {
                if base.as_ref() == Some(&ours) {
                    theirs
                } else {
                    ours
                }
            }
            (_, Some(own), None) | (_, None, Some(own)) => own,
            (_, None, None) => BTreeSet::new(),
        }
    }

    /// Notes which packages do not fit those who need them; gives one that is to be tried in its lower version.
    fn unfit(&mut self, chosen: &Chosen<'a>) -> Option<Key> {
        let mut misfits = Vec::new();
        for (key, entry) in chosen {
            for edge in self.edges(key, entry) {
                if let Edge::To(needed) = edge
                    && let Some(target) = chosen.get(&needed)
                    && !self.goes_with(key, entry, &needed, target)
                {
                    misfits.push((needed, entry.reference(), target.reference()));
                }
            }
        }
        if let Some((key, ..)) = misfits.iter().find(|(key, ..)| self.contested.get(key) == Some(&Rank::Higher)) {
            return Some(key.clone());
        }
        for (key, entry, target) in misfits {
            self.clash(&key, &format!("`{entry}` is not known to go with `{target}`"));
        }
        None
    }

    /// Whether a package is known to take another as what it needs: because a side had just those two, or because what it
    /// needs is known.
    fn goes_with(&self, key: &Key, entry: &Locked, needed: &Key, target: &Locked) -> bool {
        let had_both = |graph: &Graph<'_>| {
            let is_entry = graph.get(key).is_some_and(|own| core(own) == core(entry));
            is_entry
                && graph.get(needed).is_some_and(|own| own.version == target.version && own.source == target.source)
        };
        had_both(&self.ours) || had_both(&self.theirs) || {
            let asked = self.known.needs.get(&entry.upstream()).and_then(|needs| needs.get(&target.name));
            asked.is_some_and(|req| match &target.version {
                Some(version) => req.matches(version),
                None => *req == VersionReq::STAR,
            })
        }
    }

    /// Drops what only packages needed that are gone.
    fn drop_orphans(&self, chosen: &mut Chosen<'a>) {
        let Some(roots) = self.known.roots else { return };
        let named: BTreeSet<&SkillName> = roots.iter().map(|root| &root.dependency.alias).collect();
        let sides = [&self.ours, &self.theirs];
        let is_root = |key: &Key, entry: &Locked| {
            named.contains(entry.install_name()) || sides.iter().any(|side| side.is_top(key))
        };
        let mut todo: Vec<Key> =
            chosen.iter().filter(|(key, entry)| is_root(key, entry)).map(|(key, _)| key.clone()).collect();
        let mut reached = BTreeSet::new();
        while let Some(key) = todo.pop() {
            let Some(entry) = chosen.get(&key) else { continue };
            for edge in self.edges(&key, entry) {
                if let Edge::To(needed) = edge
                    && !reached.contains(&needed)
                {
                    todo.push(needed);
                }
            }
            reached.insert(key);
        }
        // A circle has no top: whether it is asked for cannot be told from the lockfiles, so it stays.
        chosen.retain(|key, _| reached.contains(key) || !sides.iter().any(|side| side.is_below_top(key)));
    }

    /// Two packages cannot be installed under one name, nor one package in two versions.
    fn refuse_twins(&mut self, chosen: &mut Chosen<'a>) {
        let mut twins = Vec::new();
        let entries: Vec<(&Key, &&Locked)> = chosen.iter().collect();
        for (at, (key, entry)) in entries.iter().enumerate() {
            for (other, twin) in &entries[at + 1..] {
                let is_same_package = key.is_same_package(other);
                let differ =
                    (&entry.version, &entry.source, &entry.commit) != (&twin.version, &twin.source, &twin.commit);
                if entry.install_name() == twin.install_name() || is_same_package && differ {
                    twins.push([(*key).clone(), (*other).clone()]);
                }
            }
        }
        for key in twins.into_iter().flatten() {
            if let Some(entry) = chosen.remove(&key) {
                self.clash(
                    &key,
                    &format!("another package wants to be `{}`, or it was taken in two versions", entry.install_name()),
                );
            }
        }
    }

    fn clash(&mut self, key: &Key, why: &str) {
        let side = |graph: &Graph<'_>| graph.get(key).cloned();
        let clash = Clash { ours: side(&self.ours), theirs: side(&self.theirs), why: why.to_owned() };
        self.clashes.entry(key.clone()).or_insert(clash);
    }

    /// An entry with its lines about what it needs as they are now.
    fn linked(&self, key: &Key, entry: &Locked, chosen: &Chosen<'a>) -> Locked {
        let mut references = BTreeSet::new();
        for edge in self.edges(key, entry) {
            let reference = match edge {
                Edge::Open(reference) => Some(reference),
                Edge::To(needed) => match chosen.get(&needed) {
                    Some(target) => Some(target.reference()),
                    None => self.had_with(key, entry, &needed),
                },
            };
            references.extend(reference);
        }
        Locked { dependencies: references.into_iter().collect(), ..(*entry).clone() }
    }

    /// What an entry had where it is from, of a package that is not decided; where both sides have the entry, the newer.
    fn had_with(&self, key: &Key, entry: &Locked, needed: &Key) -> Option<String> {
        let had = |graph: &Graph<'a>| {
            let is_entry = graph.get(key).is_some_and(|own| core(own) == core(entry));
            is_entry.then(|| graph.get(needed)).flatten()
        };
        let newest = [&self.ours, &self.theirs].into_iter().filter_map(had).max_by(|a, b| a.version.cmp(&b.version));
        newest.map(Locked::reference)
    }
}

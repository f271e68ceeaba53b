//! A person's edits: what they and upstream changed becomes one, and an edit of one copy becomes that of all.
//!
//! | on disk | upstream | then |
//! |---|---|---|
//! | as installed | new | the new one takes its place |
//! | edited | as installed | the edit stays, and is carried to the other copies |
//! | edited | new | both are merged, file by file; where they cannot be, nothing moves unless a side is chosen |
//! | | | and if it is this command that moves the lockfile, the edit is kept as a patch file, so that the lockfile is true |
//! | edited where no copy is wanted any more | | the edit is carried to the other copies, and this one goes |
//! | two copies edited, not alike | | nothing moves |
//! | edited again, or taken back, in one of several copies | | so it is in all of them |

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Job;
use super::decide::Decided;
use super::install::Before;
use crate::error::{Error, Kind, Result};
use crate::install::plan::{Action, Content, Found, Place, Plan};
use crate::io::disk;
use crate::lockfile::{Locked, Lockfile};
use crate::merge::{self, Favour, Merged, Names};
use crate::ops::fetch::{self, Stock};
use crate::package::{Checksum, SkillName, Tree};
use crate::report::Event;

/// What is done where a person and upstream changed the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Edits {
    /// Nothing: no skill moves.
    #[default]
    Stop,
    /// Both are written, between marks.
    Mark,
    /// The person's lines are taken.
    Ours,
    /// Upstream's lines are taken.
    Theirs,
}

/// A skill in which a person's changes and upstream's became one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The skill.
    pub name: SkillName,
    /// Where it stands, as seen from the project.
    pub place: PathBuf,
    /// What became of each file that either changed.
    pub files: Vec<merge::Change>,
}

/// What comes of a person's edits.
#[derive(Default)]
pub(super) struct Settled {
    /// Trees of places that get another content than the lockfile's.
    pub(super) trees: BTreeMap<Place, Tree>,
    pub(super) merges: Vec<Merge>,
    /// Skills that are locked as they are with a person's edits.
    kept: BTreeSet<SkillName>,
}

impl Job<'_> {
    /// Decides what becomes of edited skills, and changes the plan accordingly.
    pub(super) fn settle_edits(
        &self,
        plan: &mut Plan,
        before: &mut Before<'_>,
        stock: Stock<'_, '_>,
        (theirs, decided): (&BTreeMap<SkillName, Tree>, &mut Decided),
    ) -> Result<Settled> {
        let mut settled = Settled::default();
        let mut conflicts = Vec::new();
        let is_edited = |action: &Action| matches!(action, Action::Merge | Action::KeepEdited | Action::GiveWay);
        let names: BTreeSet<SkillName> =
            plan.iter().filter(|(_, action)| is_edited(action)).map(|(place, _)| place.name.clone()).collect();
        for name in names {
            let edited: Vec<Place> = plan
                .iter()
                .filter(|(place, action)| place.name == name && is_edited(action))
                .map(|(p, _)| p.clone())
                .collect();
            let edited = match copies(edited, plan, before) {
                Copies::Alike(edited) => edited,
                Copies::TakenBack { at, from } => {
                    self.take_back(&at, &from, plan, before, &mut settled)?;
                    continue;
                }
                Copies::Apart(edited) => {
                    self.report_apart(&edited, is_merge(&edited, plan, before))?;
                    let stays =
                        |(place, action): &(&Place, &mut Action)| place.name == name && **action == Action::GiveWay;
                    plan.iter_mut().filter(stays).for_each(|(_, action)| *action = Action::Leave);
                    continue;
                }
            };
            let is_merge = is_merge(&edited, plan, before);
            let place = &edited[0];
            let ours = disk::read_tree(&place.path(&self.workspace.root))?;
            let tree = if is_merge {
                let base = self.base(place, before, stock)?;
                let merged = self.merged(&base, &ours, &theirs[&name])?;
                if merged.conflicts().next().is_some() && self.rules.edits == Edits::Stop {
                    conflicts.push((name.clone(), merged));
                    continue;
                }
                let (place, is_clean) = (place.path(Path::new("")), merged.conflicts().next().is_none());
                settled.merges.push(Merge { name: name.clone(), place, files: merged.files });
                if is_clean && merged.tree != theirs[&name] && self.moves(&name, &decided.lockfile) {
                    self.keep_merged(&name, &merged.tree, stock, decided)?;
                    settled.kept.insert(name.clone());
                }
                merged.tree
            } else {
                ours
            };
            carry(plan, before, &name, (&tree, theirs.get(&name)), &mut settled);
            if settled.kept.contains(&name) {
                want(plan, before, &name, Checksum::of(&tree));
            }
        }
        if conflicts.is_empty() { Ok(settled) } else { Err(self.in_conflict(&conflicts)) }
    }

    /// Whether it is this command that takes a skill to another content of its source.
    fn moves(&self, name: &SkillName, lockfile: &Lockfile) -> bool {
        let upstream = |lockfile: &Lockfile| lockfile.installed_as(name).map(Locked::upstream);
        upstream(&self.old) != upstream(lockfile)
    }

    /// Copies are edited, and not alike: where something is to be merged, nothing can be done; else they stay.
    fn report_apart(&self, edited: &[Place], is_merge: bool) -> Result<()> {
        let places: Vec<String> =
            edited.iter().map(|place| format!("`{}`", place.path(Path::new("")).display())).collect();
        let message = format!("{} are edited, and not alike", places.join(" and "));
        let help = "make them alike, or give up the edits of one with `skillpm install --force`";
        if is_merge {
            return Err(Error::new(Kind::Conflict, message).help(help));
        }
        self.reporter().report(Event::Warning { message, help: Some(help.into()) });
        Ok(())
    }

    /// Lets the copies that a person has not touched have what is locked, as the one has in which the edit was taken back.
    fn take_back(
        &self,
        at: &Place,
        from: &[Place],
        plan: &mut Plan,
        before: &Before<'_>,
        settled: &mut Settled,
    ) -> Result<()> {
        let tree = disk::read_tree(&at.path(&self.workspace.root))?;
        for place in from {
            let action = match plan[place] {
                Action::GiveWay if !before.wanted.contains_key(place) => Action::Remove,
                // What is new is fetched already, and what is not is what the person has again.
                Action::KeepEdited => {
                    settled.trees.insert(place.clone(), tree.clone());
                    Action::Replace
                }
                _ => Action::Replace,
            };
            plan.insert(place.clone(), action);
        }
        Ok(())
    }

    /// What a person's edits began with.
    fn base(&self, place: &Place, before: &Before<'_>, stock: Stock<'_, '_>) -> Result<Tree> {
        let known = before.present[place].base;
        let package = self.old.installed_as(&place.name).filter(|package| Some(package.checksum) == known);
        let tree = match (package, known) {
            (Some(package), _) => fetch::fetch(&[package], &mut BTreeMap::new(), stock)?.remove(&place.name),
            (None, Some(checksum)) => stock.store.get(&checksum, self.reporter())?,
            (None, None) => None,
        };
        tree.ok_or_else(|| {
            Error::negative(format!("`{}` was edited, and what it was before is no longer at hand", place.name))
                .help("`--force` saves what is there under `.skillpm/backup` and goes on")
        })
    }

    pub(super) fn merged(&self, base: &Tree, ours: &Tree, theirs: &Tree) -> Result<Merged> {
        let favour = match self.rules.edits {
            Edits::Stop | Edits::Mark => Favour::Neither,
            Edits::Ours => Favour::Ours,
            Edits::Theirs => Favour::Theirs,
        };
        merge::trees(base, ours, theirs, favour, Names::default())
    }

    pub(super) fn in_conflict(&self, conflicts: &[(SkillName, Merged)]) -> Error {
        // Where nobody asked for new versions, there is no flag to say what is to become of edits.
        let command = if self.context.command == "remove" { "install" } else { self.context.command };
        let names: Vec<String> = conflicts.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message = format!("{} was changed by you and upstream in the same places", names.join(", "));
        let error = conflicts.iter().fold(Error::new(Kind::Conflict, message), |error, (name, merged)| {
            merged.conflicts().fold(error, |error, change| error.note(format!("{name}/{}", change.path)))
        });
        error.note("nothing was changed").help(format!(
            "`skillpm {command} --merge` writes both between marks, for you to decide; `--ours` or `--theirs` takes one side there"
        ))
    }
}

/// What a person did with the copies of a skill.
enum Copies {
    /// These are edited, all alike; the others get what they have.
    Alike(Vec<Place>),
    /// The edit that all of `from` have was taken back in the copy `at`.
    TakenBack { at: Place, from: Vec<Place> },
    /// These are edited in more than one way.
    Apart(Vec<Place>),
}

/// Compares the edited copies of a skill. What a person did since the last command counts, where the other copies only have
/// what that command left there.
fn copies(edited: Vec<Place>, plan: &Plan, before: &Before<'_>) -> Copies {
    let present = |place: &Place| &before.present[place];
    let name = &edited[0].name;
    let changed: Vec<Place> =
        plan.keys().filter(|place| place.name == *name && present(place).is_changed()).cloned().collect();
    let are_alike = |places: &[Place]| places.iter().all(|place| present(place).found == present(&places[0]).found);

    let unchanged: Vec<Place> = edited.iter().filter(|place| !changed.contains(place)).cloned().collect();
    let was_carried = |place: &Place| changed.iter().all(|other| present(other).last == present(place).tree());
    if changed.is_empty() || unchanged.is_empty() || !unchanged.iter().all(was_carried) {
        return if are_alike(&edited) { Copies::Alike(edited) } else { Copies::Apart(edited) };
    }
    if !are_alike(&changed) {
        return Copies::Apart(edited);
    }

    let at = &changed[0];
    if edited.contains(at) { Copies::Alike(changed) } else { Copies::TakenBack { at: at.clone(), from: unchanged } }
}

/// Whether what is edited is to become one with something new.
fn is_merge(edited: &[Place], plan: &Plan, before: &Before<'_>) -> bool {
    edited.iter().any(|place| match plan[place] {
        Action::GiveWay => before.present[place].base != wanted(before, &place.name),
        ref action => *action == Action::Merge,
    })
}

/// What is to be in the copies of a skill.
fn wanted(before: &Before<'_>, name: &SkillName) -> Option<Checksum> {
    before.wanted.iter().filter(|(place, _)| place.name == *name).find_map(|(_, content)| match content {
        Content::Tree(checksum) => Some(*checksum),
        Content::Link(_) => None,
    })
}

/// Lets every copy of a skill have the same content, which may be what upstream has.
fn carry(
    plan: &mut Plan,
    before: &Before<'_>,
    name: &SkillName,
    (tree, theirs): (&Tree, Option<&Tree>),
    settled: &mut Settled,
) {
    let checksum = Checksum::of(tree);
    let is_theirs = theirs == Some(tree);
    for (place, action) in plan.iter_mut().filter(|(place, _)| place.name == *name) {
        if !matches!(before.wanted.get(place), Some(Content::Tree(_))) {
            continue;
        }
        let has_it = before.present[place].found == Found::Tree(checksum);
        match action {
            Action::Merge if is_theirs => *action = Action::Replace,
            Action::Merge if has_it => *action = Action::KeepEdited,
            Action::Keep | Action::KeepEdited | Action::Replace | Action::Create if !is_theirs && !has_it => {
                *action = Action::Carry;
            }
            _ => {}
        }
        // What is moved aside makes way for the edit that stays in another copy.
        let is_replaced = *action == Action::ReplaceSaving && !is_theirs;
        if is_replaced || matches!(action, Action::Merge | Action::Carry) {
            settled.trees.insert(place.clone(), tree.clone());
        }
    }
}

/// Lets a skill's content with its edits be what is to stand at its places.
fn want(plan: &mut Plan, before: &mut Before<'_>, name: &SkillName, checksum: Checksum) {
    for (place, action) in plan.iter_mut().filter(|(place, _)| place.name == *name) {
        if let Some(content @ Content::Tree(_)) = before.wanted.get_mut(place) {
            *content = Content::Tree(checksum);
            match action {
                Action::Merge | Action::Carry => *action = Action::Replace,
                Action::KeepEdited => *action = Action::Keep,
                _ => {}
            }
        }
    }
}

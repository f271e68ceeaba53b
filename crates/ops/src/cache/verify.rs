//! Reading all of it, and taking away what is damaged, so that it is brought anew.

use std::path::PathBuf;

use super::{Contents, Item, Shelf, contents};
use crate::error::Result;
use crate::index::damaged_copies;
use crate::io::git::cache::{self as git};
use crate::io::{disk, parallel};
use crate::ops::Context;
use crate::store::{Damage, Keeper, Kept};

/// Something damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// What.
    pub item: Item,
    /// What is wrong with it.
    pub why: String,
    /// Where it was put, if it was not taken away: it can be brought from nowhere.
    pub set_aside: Option<PathBuf>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// What there was.
    pub contents: Contents,
    /// What of it was damaged, and is gone.
    pub damaged: Vec<Damaged>,
}

/// Reads every tree, every pack and every copy of an index's file against its checksum, while nobody else is in the store.
///
/// # Errors
/// If somebody is for too long, or the disk refuses.
pub fn verify(context: &Context<'_>) -> Result<Verified> {
    let keeper = Keeper::alone(&context.places.skillpm, context.patience(), context.reporter)?;
    keeper.clear_up()?;
    git::clear_up(&context.places.skillpm.join("git"))?;
    disk::clear_up(&context.places.skillpm.join("index"))?;
    let contents = contents(context)?;
    let mut damaged = trees(context, &keeper, &contents)?;
    let of_indexes = copies(context, &contents)?;
    // Who works in a copy may be waiting for the store, and must not be waited for with it in hand.
    drop(keeper);
    damaged.extend(repositories(context, &contents)?);
    damaged.extend(of_indexes);
    Ok(Verified { contents, damaged })
}

/// What is damaged, by its path with what is wrong; nothing is taken away, and nobody is waited for.
///
/// # Errors
/// If the disk refuses.
pub fn damages(context: &Context<'_>) -> Result<Vec<(PathBuf, String)>> {
    let home = &context.places.skillpm;
    let contents = contents(context)?;
    let store = Keeper::beside_others(home, context.patience(), context.reporter)?;
    let mut damaged = Vec::new();
    for kept in &contents.trees {
        // One without a mark may be on its way in just now.
        if let Some(damage) = store.damage(kept).filter(|damage| *damage != Damage::Unfinished) {
            damaged.push((store.place(kept), why(&damage)));
        }
    }
    for copy in &contents.repositories {
        damaged.extend(git::fault(&copy.path)?.map(|why| (copy.path.clone(), why)));
    }
    for index in &contents.indexes {
        damaged.extend(
            damaged_copies(&index.path)?.into_iter().map(|path| (path, "it is not what its digest says".into())),
        );
    }
    Ok(damaged)
}

fn trees(context: &Context<'_>, keeper: &Keeper, contents: &Contents) -> Result<Vec<Damaged>> {
    let jobs = usize::try_from(context.config.number("net.jobs")).unwrap_or(1);
    let found = parallel(jobs, &contents.trees, |kept| keeper.damage(kept));
    let damaged: Vec<(&Kept, Damage)> =
        contents.trees.iter().zip(found).filter_map(|(kept, damage)| Some((kept, damage?))).collect();
    let mut told = Vec::new();
    for (kept, damage) in &damaged {
        let set_aside = if kept.is_own && *damage != Damage::Unfinished { Some(keeper.set_aside(kept)?) } else { None };
        told.push(Damaged { item: Item::of_tree(context, kept), why: why(damage), set_aside });
    }
    let gone = damaged.iter().zip(&told).filter(|(_, told)| told.set_aside.is_none());
    keeper.take_away(gone.map(|((kept, _), _)| *kept))?;
    Ok(told)
}

fn why(damage: &Damage) -> String {
    match damage {
        Damage::Unfinished => "it was never finished".into(),
        Damage::Differs => "its files are not what its checksum says".into(),
        Damage::Unreadable(why) => why.clone(),
    }
}

fn repositories(context: &Context<'_>, contents: &Contents) -> Result<Vec<Damaged>> {
    let root = context.places.skillpm.join("git");
    let faults = parallel(2, &contents.repositories, |copy| git::fault(&copy.path));
    let mut damaged = Vec::new();
    for (copy, fault) in contents.repositories.iter().zip(faults) {
        let Some(why) = fault? else { continue };
        git::take_away(&root, &[copy], context.patience(), context.reporter)?;
        damaged.push(Damaged { item: Item::of_copy(copy), why, set_aside: None });
    }
    Ok(damaged)
}

fn copies(context: &Context<'_>, contents: &Contents) -> Result<Vec<Damaged>> {
    let mut damaged = Vec::new();
    for index in &contents.indexes {
        for path in damaged_copies(&index.path)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let item = Item {
                shelf: Shelf::Index,
                name: format!("{}/{name}", index.name),
                extent: disk::measure(&path)?,
                used: None,
                path: path.clone(),
            };
            disk::take_away(&context.places.skillpm.join("index"), &[path])?;
            damaged.push(Damaged { item, why: "it is not what its digest says".into(), set_aside: None });
        }
    }
    Ok(damaged)
}

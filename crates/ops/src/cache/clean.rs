//! Taking away all of it, or all of one package or source.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::{Contents, Item, Removed, contents};
use crate::error::{Error, Result};
use crate::index::directory_of_copies;
use crate::io::disk;
use crate::io::git::cache::{self as git, Copy};
use crate::ops::Context;
use crate::ops::projects;
use crate::package::{Checksum, GitUrl, IndexUrl, PackageSpec, SkillName};
use crate::skill::formats;
use crate::store::{Keeper, Kept};

/// Of what everything goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// The trees of this skill, whatever their version.
    Skill(SkillName),
    /// This tree.
    Tree(Checksum),
    /// The copy of this repository.
    Repository(GitUrl),
    /// The copies of this index's files.
    Index(IndexUrl),
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Of::Skill(name) => write!(f, "{name}"),
            Of::Tree(checksum) => write!(f, "{checksum}"),
            Of::Repository(url) => f.write_str(url.as_str()),
            Of::Index(url) => f.write_str(url.as_str()),
        }
    }
}

impl FromStr for Of {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("skill-tree-") {
            return text.parse().map(Of::Tree);
        }
        if text.starts_with("sparse+") || text.starts_with("git+") {
            return text.parse().map(Of::Index);
        }
        match text.parse::<PackageSpec>() {
            Ok(PackageSpec::Registry { name, .. }) => Ok(Of::Skill(name.skill().clone())),
            Ok(PackageSpec::Git { url, .. }) => Ok(Of::Repository(url)),
            Ok(_) => Err(Error::usage(format!("of `{text}` no copy is kept but its trees"))
                .help("name a skill: `skillpm cache clean pdf`")),
            Err(error) => Err(error),
        }
    }
}

/// Takes away everything, or everything of one thing, but for the trees that something of a known project could not be had
/// back without.
///
/// # Errors
/// [`Kind::Negative`](crate::error::Kind::Negative) if there is nothing of that thing; if somebody is in the store for too
/// long, or the disk refuses.
pub fn clean(context: &Context<'_>, of: Option<&Of>) -> Result<Removed> {
    let home = &context.places.skillpm;
    let keeper = Keeper::alone(home, context.patience(), context.reporter)?;
    keeper.clear_up()?;
    git::clear_up(&home.join("git"))?;
    disk::clear_up(&home.join("index"))?;
    let contents = contents(context)?;
    let mut removed = Removed { before: contents.bytes(context), ..Removed::default() };

    let (trees, kept) = trees(context, &keeper, &contents, of)?;
    let copies: Vec<&Copy> = contents.repositories.iter().filter(|copy| is_meant_copy(of, copy)).collect();
    let items = contents.indexes.iter().chain(&contents.tables);
    let items: Vec<&Item> = items.filter(|item| is_meant_item(of, item)).collect();
    removed.kept = kept;
    removed.items.extend(trees.iter().map(|kept| Item::of_tree(context, kept)));
    removed.items.extend(copies.iter().map(|copy| Item::of_copy(copy)));
    removed.items.extend(items.iter().map(|item| (*item).clone()));
    if of.is_some() && removed.items.is_empty() && removed.kept.is_empty() {
        let what = of.map(ToString::to_string).unwrap_or_default();
        return Err(Error::negative(format!("nothing of `{what}` is in the cache"))
            .help("`skillpm cache size` tells what is, and `skillpm cache clean` takes all of it away"));
    }

    keeper.take_away(trees)?;
    disk::take_away(&home.join("index"), &items.iter().map(|item| item.path.clone()).collect::<Vec<_>>())?;
    // Who works in a copy may be waiting for the store, and must not be waited for with it in hand.
    drop(keeper);
    git::take_away(&home.join("git"), &copies, context.patience(), context.reporter)?;
    let gone: u64 = removed.items.iter().map(|item| item.extent.bytes).sum();
    removed.after = removed.before - gone;
    Ok(removed)
}

type Sorted<'c> = (Vec<&'c Kept>, Vec<(Item, String)>);

/// The trees that go, and those that are meant and stay, with the reason.
fn trees<'c>(context: &Context<'_>, keeper: &Keeper, contents: &'c Contents, of: Option<&Of>) -> Result<Sorted<'c>> {
    let mut needed: BTreeMap<Checksum, PathBuf> = BTreeMap::new();
    let projects = projects::known(&context.places.skillpm)?;
    for project in &projects {
        needed.extend(project.cannot_do_without()?.into_iter().map(|tree| (tree, project.root.clone())));
    }
    let away = projects.iter().find(|project| project.may_return());
    let (mut gone, mut stay) = (Vec::new(), Vec::new());
    for kept in contents.trees.iter().filter(|kept| is_meant_tree(of, keeper, kept)) {
        let user = needed.get(&kept.checksum).or(away.filter(|_| kept.is_own).map(|project| &project.root));
        match user.filter(|_| kept.used.is_some()) {
            Some(root) => {
                let why = format!("`undo`, or an edit that is kept, needs it in `{}`", root.display());
                stay.push((Item::of_tree(context, kept), why));
            }
            None => gone.push(kept),
        }
    }
    Ok((gone, stay))
}

fn is_meant_tree(of: Option<&Of>, keeper: &Keeper, kept: &Kept) -> bool {
    match of {
        None => true,
        Some(Of::Tree(checksum)) => kept.checksum == *checksum,
        Some(Of::Skill(name)) => keeper.tree(kept).is_some_and(|tree| {
            let read = formats::of_tree(&tree, "");
            read.and_then(|read| read.skill).is_some_and(|skill| skill.name == name.as_str())
        }),
        Some(Of::Repository(_) | Of::Index(_)) => false,
    }
}

fn is_meant_copy(of: Option<&Of>, copy: &Copy) -> bool {
    match of {
        None => true,
        Some(Of::Repository(url)) => copy.name == git::name_of(url),
        // An index in a repository is read from the copy of that.
        Some(Of::Index(index)) => index
            .inner()
            .parse::<GitUrl>()
            .is_ok_and(|url| index.as_str().starts_with("git+") && copy.name == git::name_of(&url)),
        Some(Of::Tree(_) | Of::Skill(_)) => false,
    }
}

fn is_meant_item(of: Option<&Of>, item: &Item) -> bool {
    match of {
        None => true,
        Some(Of::Index(index)) => item.name == directory_of_copies(index),
        Some(_) => false,
    }
}

//! The store looked at as a whole, by somebody who is alone in it: what it holds, what of that is damaged, and taking
//! entries away.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::Result;
use crate::io::disk::{self, Extent, FileLock, Mode};
use crate::package::{Checksum, Sha256, Tree};
use crate::report::Reporter;
use crate::store::OWN;

/// Where damaged trees are put that nobody can bring again.
const SET_ASIDE: &str = "damaged";

/// The store, held alone.
#[derive(Debug)]
pub struct Keeper {
    root: PathBuf,
    _lock: FileLock,
}

/// One tree in the store, or what is left of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The checksum that it is kept under.
    pub checksum: Checksum,
    /// How much it is.
    pub extent: Extent,
    /// When it was kept or read last; `None` for one without its mark.
    pub used: Option<SystemTime>,
    /// Whether it was brought from a project, as what a command was about to replace: no source may have it.
    pub is_own: bool,
    has_tree: bool,
}

/// What is wrong with a tree in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// It was never finished, or has lost its files or its mark.
    Unfinished,
    /// Its files are not what its checksum says.
    Differs,
    /// It cannot be read as a tree, and why.
    Unreadable(String),
}

impl Keeper {
    /// Waits until nobody else is in the store of `$SKILLPM_HOME`, and keeps everybody out.
    ///
    /// # Errors
    /// [`Kind::Busy`](crate::error::Kind::Busy) if somebody is in it for longer than `patience`; or if the disk refuses.
    pub fn alone(home: &Path, patience: Duration, reporter: &dyn Reporter) -> Result<Keeper> {
        Self::enter(home, Mode::Exclusive, patience, reporter)
    }

    /// Enters it together with others, to look only: what is on its way in may seem unfinished.
    ///
    /// # Errors
    /// As [`Keeper::alone`].
    pub fn beside_others(home: &Path, patience: Duration, reporter: &dyn Reporter) -> Result<Keeper> {
        Self::enter(home, Mode::Shared, patience, reporter)
    }

    fn enter(home: &Path, mode: Mode, patience: Duration, reporter: &dyn Reporter) -> Result<Keeper> {
        let root = home.join("store");
        let lock = FileLock::acquire(&root.join("lock"), mode, patience, reporter)?;
        Ok(Keeper { root: root.join("sha256"), _lock: lock })
    }

    /// Everything in the store, by checksum.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn all(&self) -> Result<Vec<Kept>> {
        all(&self.root)
    }

    /// Reads a tree and holds it against its checksum.
    #[must_use]
    pub fn damage(&self, kept: &Kept) -> Option<Damage> {
        if !kept.has_tree || kept.used.is_none() {
            return Some(Damage::Unfinished);
        }
        match disk::read_tree(&self.place(kept)) {
            Ok(tree) if Checksum::of(&tree) == kept.checksum => None,
            Ok(_) => Some(Damage::Differs),
            Err(error) => Some(Damage::Unreadable(error.message().to_owned())),
        }
    }

    /// A tree as it lies there, whatever it is; `None` if it cannot be read.
    #[must_use]
    pub fn tree(&self, kept: &Kept) -> Option<Tree> {
        disk::read_tree(&self.place(kept)).ok()
    }

    /// Takes trees away; a kill leaves each of them whole or gone.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn take_away<'k>(&self, kept: impl IntoIterator<Item = &'k Kept>) -> Result<()> {
        let entries: Vec<PathBuf> = kept.into_iter().flat_map(|kept| [self.marker(kept), self.place(kept)]).collect();
        disk::take_away(&self.root, &entries)
    }

    /// Moves the files of a damaged tree to where nobody takes them for whole; gives the place.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn set_aside(&self, kept: &Kept) -> Result<PathBuf> {
        let aside = self.root.with_file_name(SET_ASIDE).join(kept.checksum.digest().to_string());
        disk::create_dir(aside.parent().unwrap_or(&self.root))?;
        disk::remove(&aside)?;
        disk::rename(&self.place(kept), &aside)?;
        disk::remove(&self.marker(kept))?;
        Ok(aside)
    }

    /// Removes what killed commands left.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn clear_up(&self) -> Result<()> {
        disk::clear_up(&self.root)?;
        disk::clear_up(self.root.parent().unwrap_or(&self.root))
    }

    /// Where a tree lies.
    #[must_use]
    pub fn place(&self, kept: &Kept) -> PathBuf {
        self.root.join(kept.checksum.digest().to_string())
    }

    fn marker(&self, kept: &Kept) -> PathBuf {
        self.root.join(format!("{}.ok", kept.checksum.digest()))
    }
}

/// Everything in the store of `$SKILLPM_HOME`, without waiting for anybody: a moment later it may be otherwise.
///
/// # Errors
/// If the disk refuses.
pub fn glance(home: &Path) -> Result<Vec<Kept>> {
    all(&home.join("store/sha256"))
}

fn all(root: &Path) -> Result<Vec<Kept>> {
    let names = disk::names(root)?;
    let mut digests: Vec<Sha256> =
        names.iter().filter_map(|name| name.strip_suffix(".ok").unwrap_or(name).parse().ok()).collect();
    digests.dedup();
    digests.into_iter().map(|digest| kept(root, digest)).collect()
}

fn kept(root: &Path, digest: Sha256) -> Result<Kept> {
    let (place, marker) = (root.join(digest.to_string()), root.join(format!("{digest}.ok")));
    let mark = disk::read(&marker)?;
    let used = disk::lstat(&marker)?.and_then(|meta| meta.modified().ok());
    Ok(Kept {
        checksum: Checksum::from_digest(digest),
        extent: disk::measure(&place)?,
        used,
        is_own: mark.is_some_and(|mark| memchr::memmem::find(&mark, OWN.as_bytes()).is_some()),
        has_tree: disk::lstat(&place)?.is_some_and(|meta| meta.is_dir()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Silent;
    use crate::store::Store;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        tree.finish()
    }

    fn store(home: &Path) -> Store {
        Store::open(home, Duration::ZERO, &Silent).unwrap()
    }

    fn keeper(home: &Path) -> Keeper {
        Keeper::alone(home, Duration::ZERO, &Silent).unwrap()
    }

    #[test]
    fn nobody_is_in_the_store_with_its_keeper() {
        let home = tempfile::tempdir().unwrap();
        let open = store(home.path());
        assert!(Keeper::alone(home.path(), Duration::ZERO, &Silent).is_err());
        drop(open);
        let _keeper = keeper(home.path());
        assert!(Store::open(home.path(), Duration::ZERO, &Silent).is_err());
    }

    #[test]
    fn each_sort_of_damage_is_told_and_what_is_whole_is_not() {
        let home = tempfile::tempdir().unwrap();
        let sums: Vec<Checksum> = {
            let store = store(home.path());
            ["whole", "changed", "unmarked", "lost", "linked"].map(|text| store.put(&tree(text)).unwrap()).into()
        };
        let root = home.path().join("store/sha256");
        let place = |at: usize| root.join(sums[at].digest().to_string());
        std::fs::write(place(1).join("SKILL.md"), "other").unwrap();
        std::fs::remove_file(root.join(format!("{}.ok", sums[2].digest()))).unwrap();
        std::fs::remove_dir_all(place(3)).unwrap();
        std::os::unix::fs::symlink("SKILL.md", place(4).join("link")).unwrap();
        let keeper = keeper(home.path());
        let all = keeper.all().unwrap();
        let damage = |at: usize| keeper.damage(all.iter().find(|kept| kept.checksum == sums[at]).unwrap());
        assert_eq!(damage(0), None);
        assert_eq!(damage(1), Some(Damage::Differs));
        assert_eq!(damage(2), Some(Damage::Unfinished));
        assert_eq!(damage(3), Some(Damage::Unfinished));
        assert!(matches!(damage(4), Some(Damage::Unreadable(_))));
        let whole = |kept: &&Kept| kept.checksum != sums[0];
        keeper.take_away(all.iter().filter(whole)).unwrap();
        assert_eq!(disk::names(&root).unwrap().len(), 2);
        drop(keeper);
        assert_eq!(store(home.path()).get(&sums[0], &Silent).unwrap(), Some(tree("whole")));
    }

    #[test]
    fn what_came_from_a_project_is_known_by_its_mark_and_only_that() {
        let home = tempfile::tempdir().unwrap();
        let (own, others) = {
            let store = store(home.path());
            (store.put_own(&tree("mine")).unwrap(), store.put(&tree("theirs")).unwrap())
        };
        let is_own = |sum| glance(home.path()).unwrap().into_iter().find(|kept| kept.checksum == sum).unwrap().is_own;
        assert!(is_own(own) && !is_own(others));
        store(home.path()).put(&tree("mine")).unwrap();
        assert!(is_own(own));
    }
}

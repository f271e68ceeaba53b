//! The trees of a git repository.

use crate::io::git::synthetic::{self, SyntheticRepository};
use crate::package::{EXCLUDED_NAMES, RelPath};

use super::edits::assert_within_limits;

/// A directory read from a repository is within the limits, and the listing of the commit has the same files.
///
/// Trees are made up in turn, each of entries: a byte for the mode, one for how long the name is, the name, and one for which
/// of the earlier trees or of some files it names. `0xff` for a mode ends a tree, and the last is the commit's.
pub(super) fn git_tree(input: &[u8]) {
    let SyntheticRepository { package, listing } = synthetic::read_synthetic(&parse_trees(input));

    if let Some(listing) = &listing {
        assert!(listing.entries().is_sorted_by(|a, b| a.path <= b.path));
    }

    let Some(package) = package else { return };
    assert_within_limits(&package);

    let Some(listing) = listing else {
        panic!("a package is read of a commit that cannot be listed")
    };

    let is_part = |path: &str| !path.split('/').any(|part| EXCLUDED_NAMES.contains(&part));
    let listed: Vec<RelPath> = listing
        .entries()
        .iter()
        .filter(|entry| is_part(&entry.path))
        .map(|entry| entry.path.parse().expect("a package's paths are good"))
        .collect();

    assert_eq!(
        listed,
        package
            .files()
            .map(|(path, _)| path.clone())
            .collect::<Vec<_>>()
    );
}

/// Mode, name, and which earlier tree or file.
type TreeRow = (u8, Vec<u8>, usize);

fn parse_trees(input: &[u8]) -> Vec<Vec<TreeRow>> {
    let mut trees = vec![Vec::new()];
    let mut rest = input;

    while let [mode, tail @ ..] = rest {
        rest = tail;

        if *mode == 0xff {
            trees.push(Vec::new());
            continue;
        }

        let [length, tail @ ..] = rest else { break };
        let (name, tail) = tail.split_at(usize::from(*length).min(tail.len()));
        let [which, tail @ ..] = tail else { break };

        if let Some(tree) = trees.last_mut() {
            tree.push((*mode, name.to_vec(), usize::from(*which)));
        }

        rest = tail;
    }
    trees
}

//! Finds renamed files between two versions of a package.

use std::collections::{BTreeMap, HashMap};

use skillpm_core::package::{RelPath, Tree, TreeFile};

/// The least similarity of a renamed file, in percent: the default of git (`diff --find-renames`).
const SIMILARITY_MIN: usize = 50;
/// Most pairs of files that are compared line by line.
const PAIRS_MAX: usize = 4_096;

/// For each file of `before` that `after` does not have, the new file of `after` that it became.
///
/// Files with equal bytes are matched first, then the most similar ones, down to [`SIMILARITY_MIN`].
pub(super) fn find_renames<'t>(
    before: &'t Tree,
    after: &'t Tree,
) -> BTreeMap<&'t RelPath, &'t RelPath> {
    let mut gone = files_only_in(before, after);
    let mut new = files_only_in(after, before);
    let mut renames = BTreeMap::new();

    // Equal bytes first: they need no comparing, and leave fewer pairs.
    let mut from = 0;
    while from < gone.len() {
        match new
            .iter()
            .position(|(_, file)| is_equal_content(file, gone[from].1))
        {
            Some(to) => drop(renames.insert(gone.remove(from).0, new.remove(to).0)),
            None => from += 1,
        }
    }

    // Comparing more pairs takes longer than a better diff is worth.
    if gone.len() * new.len() > PAIRS_MAX {
        return renames;
    }

    while let Some((from, to)) = find_most_similar(&gone, &new) {
        renames.insert(gone.remove(from).0, new.remove(to).0);
    }
    renames
}

fn files_only_in<'t>(tree: &'t Tree, other: &Tree) -> Vec<(&'t RelPath, &'t TreeFile)> {
    tree.files()
        .filter(|(path, _)| other.get(path.as_str()).is_none())
        .collect()
}

fn is_equal_content(one: &TreeFile, other: &TreeFile) -> bool {
    // All empty files are equal, which does not mean that one was renamed.
    !one.bytes.is_empty() && one.bytes == other.bytes
}

/// The most similar pair, as indexes; `None` if none reaches [`SIMILARITY_MIN`].
fn find_most_similar(
    gone: &[(&RelPath, &TreeFile)],
    new: &[(&RelPath, &TreeFile)],
) -> Option<(usize, usize)> {
    let pairs = (0..gone.len()).flat_map(|from| (0..new.len()).map(move |to| (from, to)));
    let alike =
        |(from, to): (usize, usize)| (similarity(&gone[from].1.bytes, &new[to].1.bytes), from, to);

    // The first of those that are equally alike.
    let (alike, from, to) = pairs
        .map(alike)
        .max_by_key(|(alike, from, to)| (*alike, std::cmp::Reverse((*from, *to))))?;
    (alike >= SIMILARITY_MIN).then_some((from, to))
}

/// The share of the larger of two texts that is in both, in percent of its bytes, compared by lines.
fn similarity(one: &[u8], other: &[u8]) -> usize {
    let largest = one.len().max(other.len());
    // Files whose sizes differ that much cannot have enough in common.
    if largest == 0 || one.len().min(other.len()) * 100 < largest * SIMILARITY_MIN {
        return 0;
    }

    let mut lines: HashMap<&[u8], usize> = HashMap::new();
    one.split_inclusive(|byte| *byte == b'\n')
        .for_each(|line| *lines.entry(line).or_default() += 1);

    let mut common = 0;
    for line in other.split_inclusive(|byte| *byte == b'\n') {
        if let Some(left) = lines.get_mut(line).filter(|left| **left > 0) {
            *left -= 1;
            common += line.len();
        }
    }
    common * 100 / largest
}

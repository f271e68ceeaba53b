//! Which files of a package have only moved.

use std::collections::{BTreeMap, HashMap};

use crate::package::{File, RelPath, Tree};

/// How much of a file must be the same for it to have moved, in hundredths, as for git.
const ALIKE: usize = 50;
/// Most pairs of files that are compared line by line.
const PAIRS: usize = 4_096;

/// For each file of `before` that `after` does not have, the new file of `after` that it became.
///
/// Equal bytes first, else the one that has most in common with it, if that is at least half.
pub(super) fn renames<'t>(before: &'t Tree, after: &'t Tree) -> BTreeMap<&'t RelPath, &'t RelPath> {
    let mut gone: Vec<(&RelPath, &File)> =
        before.files().filter(|(path, _)| after.get(path.as_str()).is_none()).collect();
    let mut new: Vec<(&RelPath, &File)> =
        after.files().filter(|(path, _)| before.get(path.as_str()).is_none()).collect();
    let mut renames = BTreeMap::new();
    let mut take = |gone: &mut Vec<(&'t RelPath, _)>, new: &mut Vec<(&'t RelPath, _)>, from: usize, to: usize| {
        renames.insert(gone.remove(from).0, new.remove(to).0);
    };
    let mut from = 0;
    while from < gone.len() {
        let same = |(_, file): &(&RelPath, &File)| !file.bytes.is_empty() && file.bytes == gone[from].1.bytes;
        match new.iter().position(same) {
            Some(to) => take(&mut gone, &mut new, from, to),
            None => from += 1,
        }
    }
    if gone.len() * new.len() > PAIRS {
        return renames;
    }
    while let Some((from, to)) = most_alike(&gone, &new) {
        take(&mut gone, &mut new, from, to);
    }
    renames
}

fn most_alike(gone: &[(&RelPath, &File)], new: &[(&RelPath, &File)]) -> Option<(usize, usize)> {
    let pairs = (0..gone.len()).flat_map(|from| (0..new.len()).map(move |to| (from, to)));
    let alike = |(from, to): (usize, usize)| (alike(&gone[from].1.bytes, &new[to].1.bytes), from, to);
    // The first of those that are equally alike.
    let (alike, from, to) =
        pairs.map(alike).max_by_key(|(alike, from, to)| (*alike, std::cmp::Reverse((*from, *to))))?;
    (alike >= ALIKE).then_some((from, to))
}

/// How much of the larger of two texts is in both, in hundredths of its bytes, line by line.
fn alike(one: &[u8], other: &[u8]) -> usize {
    let largest = one.len().max(other.len());
    if largest == 0 || one.len().min(other.len()) * 100 < largest * ALIKE {
        return 0;
    }
    let mut lines: HashMap<&[u8], usize> = HashMap::new();
    one.split_inclusive(|byte| *byte == b'\n').for_each(|line| *lines.entry(line).or_default() += 1);
    let mut common = 0;
    for line in other.split_inclusive(|byte| *byte == b'\n') {
        if let Some(left) = lines.get_mut(line).filter(|left| **left > 0) {
            *left -= 1;
            common += line.len();
        }
    }
    common * 100 / largest
}

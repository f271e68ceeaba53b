//! In which order packages that need one another are published: each after those it needs.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::package::PackageName;

/// The places of packages in the order they are published in; `needs` are the places of those that each needs.
///
/// Where nothing decides, the given order stays.
///
/// # Errors
/// If some need one another in a circle, which is named.
pub(super) fn order(names: &[&PackageName], needs: &[Vec<usize>]) -> Result<Vec<usize>> {
    let mut done = BTreeSet::new();
    let mut order = Vec::with_capacity(names.len());
    while order.len() < names.len() {
        let is_next = |at: &usize| !done.contains(at) && needs[*at].iter().all(|need| done.contains(need));
        match (0..names.len()).find(is_next) {
            Some(next) => {
                done.insert(next);
                order.push(next);
            }
            None => return Err(circle(names, needs, &done)),
        }
    }
    Ok(order)
}

fn circle(names: &[&PackageName], needs: &[Vec<usize>], done: &BTreeSet<usize>) -> Error {
    let open = |at: &usize| !done.contains(at);
    let mut way: Vec<usize> = (0..names.len()).find(open).into_iter().collect();
    // Whoever is still open needs somebody who is, so this comes back to where it was.
    while let Some(next) = way.last().and_then(|&last| needs[last].iter().copied().find(open)) {
        if let Some(first) = way.iter().position(|&at| at == next) {
            way.drain(..first);
            break;
        }
        way.push(next);
    }
    let told: Vec<String> = way.iter().chain(way.first()).map(|&at| format!("`{}`", names[at])).collect();
    Error::negative("some of these skills need one another, so that none can be published first")
        .note(told.join(" needs "))
        .help("take one of these needs out of its `[dependencies]`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<PackageName> {
        ["a", "b", "c", "d"].map(|name| name.parse().unwrap()).into()
    }

    #[test]
    fn what_is_needed_comes_first_and_else_the_given_order_stays() {
        let names = names();
        let names: Vec<&PackageName> = names.iter().collect();
        assert_eq!(order(&names, &[vec![2], vec![], vec![3], vec![]]).unwrap(), [1, 3, 2, 0]);
        assert_eq!(order(&names, &[vec![], vec![], vec![], vec![]]).unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn a_circle_is_named_without_those_who_only_lead_to_it() {
        let names = names();
        let names: Vec<&PackageName> = names.iter().collect();
        let error = order(&names, &[vec![1], vec![2], vec![3], vec![1]]).unwrap_err();
        assert_eq!(error.notes(), ["`b` needs `c` needs `d` needs `b`"]);
        assert!(order(&names, &[vec![0], vec![], vec![], vec![]]).is_err());
    }
}

//! The order in which packages are published: each after its dependencies.

use std::collections::BTreeSet;

use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;

/// The indexes of packages in publishing order; `needs` are the indexes of the dependencies of
/// each.
///
/// Independent packages stay in the given order.
///
/// # Errors
/// If there is a cycle, which the error shows.
pub(super) fn publish_order(names: &[&PackageName], needs: &[Vec<usize>]) -> Result<Vec<usize>> {
    let mut done = BTreeSet::new();
    let mut order = Vec::with_capacity(names.len());
    // Quadratic, which does not matter for a workspace: it has some dozens of members.
    while order.len() < names.len() {
        let is_next =
            |at: &usize| !done.contains(at) && needs[*at].iter().all(|need| done.contains(need));
        match (0..names.len()).find(is_next) {
            Some(next) => {
                done.insert(next);
                order.push(next);
            }
            None => return Err(cycle_error(names, needs, &done)),
        }
    }

    Ok(order)
}

fn cycle_error(names: &[&PackageName], needs: &[Vec<usize>], done: &BTreeSet<usize>) -> Error {
    let open = |at: &usize| !done.contains(at);

    let mut path: Vec<usize> = (0..names.len()).find(open).into_iter().collect();
    // Each remaining package depends on a remaining one, so that the path ends in a cycle.
    while let Some(next) = path
        .last()
        .and_then(|&last| needs[last].iter().copied().find(open))
    {
        if let Some(first) = path.iter().position(|&at| at == next) {
            path.drain(..first);
            break;
        }
        path.push(next);
    }

    let names_in_cycle: Vec<String> = path
        .iter()
        .chain(path.first())
        .map(|&at| format!("`{}`", names[at]))
        .collect();

    Error::negative("cyclic package dependency: none of these skills can be published first")
        .note(names_in_cycle.join(" needs "))
        .help("remove one of these dependencies from its `[dependencies]`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<PackageName> {
        ["a", "b", "c", "d"]
            .map(|name| name.parse().unwrap())
            .into()
    }

    #[test]
    fn dependencies_come_first_and_the_given_order_stays_otherwise() {
        let names = names();
        let names: Vec<&PackageName> = names.iter().collect();
        assert_eq!(
            publish_order(&names, &[vec![2], vec![], vec![3], vec![]]).unwrap(),
            [1, 3, 2, 0]
        );
        assert_eq!(
            publish_order(&names, &[vec![], vec![], vec![], vec![]]).unwrap(),
            [0, 1, 2, 3]
        );
    }

    #[test]
    fn cycle_is_shown_without_packages_that_only_lead_to_it() {
        let names = names();
        let names: Vec<&PackageName> = names.iter().collect();
        let error = publish_order(&names, &[vec![1], vec![2], vec![3], vec![1]]).unwrap_err();
        assert_eq!(error.notes(), ["`b` needs `c` needs `d` needs `b`"]);
        assert!(publish_order(&names, &[vec![0], vec![], vec![], vec![]]).is_err());
    }
}

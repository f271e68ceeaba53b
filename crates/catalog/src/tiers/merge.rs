//! Which skill a name means.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::catalog::SkillCandidate;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

/// One skill for each name, sorted by name, with those it covers.
///
/// `found` contains valid skills only, in the order of their roots and, in a root, of their directories: of one name the
/// first wins. Names are one if their bytes are equal after NFKC. Two entries that lead to one place, by a link, are
/// one skill, according to `same_place`.
#[must_use]
pub fn merge(
    mut found: Vec<SkillCandidate>,
    same_place: impl Fn(&SkillCandidate, &SkillCandidate) -> bool,
) -> Vec<SkillCandidate> {
    // A stable sort: within one name the order of roots and directories stays.
    found.sort_by(|a, b| name_key(a).cmp(&name_key(b)));

    let mut merged: Vec<SkillCandidate> = Vec::with_capacity(found.len());
    for candidate in found {
        match merged.last_mut() {
            Some(winner) if name_key(winner) == name_key(&candidate) => {
                // The same directory, reached by a link, is no second skill.
                let known = std::iter::once(&*winner)
                    .chain(&winner.shadows)
                    .any(|other| same_place(other, &candidate));

                if !known {
                    winner.shadows.push(candidate);
                }
            }
            _ => merged.push(candidate),
        }
    }

    warn_case_collisions(&mut merged);
    merged
}

/// The same skills as an agent has them that goes by directories: one for each directory's name, with those it covers,
/// sorted by name.
#[must_use]
pub fn merge_by_directory(merged: Vec<SkillCandidate>) -> Vec<SkillCandidate> {
    let mut found: Vec<SkillCandidate> = Vec::with_capacity(merged.len());
    for mut candidate in merged {
        let covered = std::mem::take(&mut candidate.shadows);
        found.push(candidate);
        found.extend(covered);
    }

    found.sort_by(|a, b| a.id().cmp(b.id()).then(a.root.cmp(&b.root)));
    let mut by_directory: Vec<SkillCandidate> = Vec::with_capacity(found.len());
    for candidate in found {
        match by_directory.last_mut() {
            Some(winner) if winner.id() == candidate.id() => {
                winner.shadows.push(candidate);
            }
            _ => by_directory.push(candidate),
        }
    }

    by_directory.sort_by(|a, b| name_key(a).cmp(&name_key(b)));
    by_directory
}

fn name_key(candidate: &SkillCandidate) -> Cow<'_, str> {
    let name = &*candidate.listing.name;
    // NFKC changes no ASCII, and nearly all names are that.
    if name.is_ascii() {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.nfkc().collect())
    }
}

/// Names that differ in case only are two skills here, and one directory on many disks.
fn warn_case_collisions(merged: &mut [SkillCandidate]) {
    let folded = |candidate: &SkillCandidate| name_key(candidate).to_lowercase();

    let mut odd: HashMap<String, String> = HashMap::new();
    // Only a pair with an upper-case letter can differ in case alone, and few skills have one.
    for candidate in &*merged {
        if candidate.listing.name.chars().any(char::is_uppercase) {
            odd.entry(folded(candidate))
                .or_insert_with(|| candidate.listing.name.to_string());
        }
    }

    if odd.is_empty() {
        return;
    }

    for candidate in merged {
        let Some(other) = odd
            .get(&folded(candidate))
            .filter(|other| ***other != *candidate.listing.name)
        else {
            continue;
        };

        candidate.diagnostics.push(
            Diagnostic::new(
                "name-case",
                DiagnosticLevel::Warning,
                format!(
                    "the name differs from that of another skill, `{}`, in case only",
                    other.escape_debug()
                ),
            )
            .help("rename one of the two"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::tests::skill;

    fn candidate(root: u16, directory: &str, name: &str) -> SkillCandidate {
        SkillCandidate::new(root, directory, skill(name, "D.", |_| ()).into())
    }

    /// Each name's winner as `root/directory`, and those it covers.
    fn shown(found: Vec<SkillCandidate>) -> Vec<String> {
        let place =
            |candidate: &SkillCandidate| format!("{}/{}", candidate.root, candidate.directory);
        let describe = |winner: &SkillCandidate| {
            let losers: Vec<_> = winner.shadows.iter().map(place).collect();
            format!(
                "{} {} > {}",
                winner.listing.name,
                place(winner),
                losers.join(" ")
            )
        };
        merge(found, |_, _| false).iter().map(describe).collect()
    }

    #[test]
    fn the_highest_root_wins_and_in_a_root_the_first_directory() {
        let found = vec![
            candidate(0, "b", "pdf"),
            candidate(0, "c", "pdf"),
            candidate(1, "a", "csv"),
            candidate(1, "pdf", "pdf"),
        ];
        assert_eq!(shown(found), ["csv 1/a > ", "pdf 0/b > 0/c 1/pdf"]);
    }

    #[test]
    fn an_agent_that_goes_by_directories_has_one_skill_for_each() {
        let merged = merge(
            vec![
                candidate(0, "a", "pdf"),
                candidate(0, "b", "pdf"),
                candidate(1, "a", "csv"),
                candidate(1, "c", "c"),
            ],
            |_, _| false,
        );
        let shown: Vec<_> = merge_by_directory(merged)
            .iter()
            .map(|skill| {
                format!(
                    "{}/{} covers {}",
                    skill.root,
                    skill.directory,
                    skill.shadows.len()
                )
            })
            .collect();
        assert_eq!(shown, ["1/c covers 0", "0/a covers 1", "0/b covers 0"]);
    }

    #[test]
    fn names_are_compared_after_normalisation_and_with_case() {
        let found = vec![
            candidate(0, "1", "caf\u{e9}"),
            candidate(0, "2", "cafe\u{301}"),
            candidate(0, "3", "CAF\u{c9}"),
        ];
        assert_eq!(shown(found), ["CAFÉ 0/3 > ", "café 0/1 > 0/2"]);
    }

    #[test]
    fn names_one_case_apart_are_reported_on_both_but_one() {
        let merged = merge(
            vec![candidate(0, "a", "pdf"), candidate(0, "b", "Pdf")],
            |_, _| false,
        );
        let rules: Vec<_> = merged
            .iter()
            .flat_map(|skill| &skill.diagnostics)
            .map(|d| d.rule.as_str())
            .collect();
        assert_eq!(rules, ["name-case"]);
    }

    #[test]
    fn one_place_under_two_names_is_one_skill() {
        let merged = merge(
            vec![candidate(0, "a", "pdf"), candidate(1, "a", "pdf")],
            |_, _| true,
        );
        assert_eq!((merged.len(), merged[0].shadows.len()), (1, 0));
    }
}

//! SK9: across skills.

mod budget;
mod copy;
mod dangling;
mod description;
mod name;
mod near_name;
mod overlap;
mod shadowed;

use std::collections::HashMap;
use std::hash::Hash;

use crate::lint::Rule;
use crate::lint::across::{Place, Summary};
use crate::report::Diagnostic;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &name::RULE,
    &shadowed::RULE,
    &description::RULE,
    &overlap::RULE,
    &near_name::RULE,
    &budget::RULE,
    &dangling::RULE,
    &copy::RULE,
];

/// Puts a finding where that place is, or on the file as a whole.
fn placed(mut finding: Diagnostic, place: Option<&Place>) -> Diagnostic {
    finding.span = place.map(|place| place.span.clone());
    finding.position = place.map(|place| place.position);
    finding
}

/// Skills that have something in common, each group by path, the groups by their first path.
fn groups<'s, K: Hash + Eq>(
    skills: impl IntoIterator<Item = &'s Summary>,
    key: impl Fn(&'s Summary) -> Option<K>,
) -> Vec<Vec<&'s Summary>> {
    let mut groups: HashMap<K, Vec<&Summary>> = HashMap::new();
    for skill in skills {
        if let Some(key) = key(skill) {
            groups.entry(key).or_default().push(skill);
        }
    }
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    for group in &mut groups {
        group.sort_by(|a, b| a.path.cmp(&b.path));
        // A file that was looked at twice is no copy of itself.
        group.dedup_by(|a, b| plain(&a.path) == plain(&b.path));
    }
    groups.retain(|group| group.len() > 1);
    groups.sort_by(|a, b| a[0].path.cmp(&b[0].path));
    groups
}

/// A path without `./` in front.
fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use crate::lint::across::Place;
    use crate::lint::{Settings, Summary, check_across};

    fn skill(at: u64, name: String, description: String) -> Summary {
        Summary {
            path: format!("skills/{name}/SKILL.md"),
            directory: name.clone(),
            name,
            name_at: Some(Place { span: 4..5, position: (2, 1) }),
            description,
            description_at: Some(Place { span: 9..10, position: (3, 1) }),
            listed: true,
            digest: at,
            ..Summary::default()
        }
    }

    #[test]
    fn a_family_larger_than_what_is_compared_is_told_to_its_last() {
        let skills: Vec<_> = (0..300)
            .map(|at| {
                let word: String = at.to_string().chars().map(|digit| if digit == '0' { 'z' } else { digit }).collect();
                let description = format!(
                    "Automate the work with {word} through its interface: list, create, change and delete what is there, \
                     answer questions about it, and write reports for others. Use when the user asks for it, or wants to \
                     know what happened since the last time that somebody looked at all of it."
                );
                skill(at, format!("automate-{word}-work"), description)
            })
            .collect();
        let found = check_across(&skills, &Settings::default());
        let overlaps: Vec<_> =
            found.iter().filter(|found| found.diagnostic.rule == super::overlap::RULE.name).collect();
        assert_eq!(overlaps.len(), 299);
        assert_eq!(overlaps[0].diagnostic.message, "the description is 88 % that of `automate-1-work`");
        assert_eq!(overlaps[0].diagnostic.position, Some((3, 1)));
    }

    #[test]
    fn the_same_files_in_the_directories_of_several_agents_are_no_fault() {
        let mirrored = |root: &str| {
            let description = "Fill PDF forms. Use when a form is to be filled in.".to_owned();
            Summary { path: format!("{root}/pdf/SKILL.md"), ..skill(1, "pdf".into(), description) }
        };
        let skills: Vec<_> =
            [".agents/skills", ".claude/skills", ".github/skills", "plugins/a/skills", "plugins/b/skills", "skills"]
                .map(mirrored)
                .into();
        assert_eq!(check_across(&skills, &Settings::default()), []);
        // Nor is a file that two arguments name.
        let twice = [mirrored("skills"), Summary { digest: 2, ..mirrored("./skills") }];
        assert_eq!(check_across(&twice, &Settings::default()), []);
    }

    #[test]
    fn of_two_that_differ_each_agent_is_told_to_take_its_own() {
        let at = |root: &str, digest: u64| {
            let path = format!("{root}/pdf/SKILL.md");
            Summary { path, digest, ..skill(1, "pdf".into(), format!("Fill PDF forms, the way of {digest}.")) }
        };
        let skills = [at("web/.agents/skills", 1), at("web/.claude/skills", 2), at("web/.codex/skills", 1)];
        let found = check_across(&skills, &Settings::default());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "web/.codex/skills/pdf/SKILL.md");
        assert_eq!(
            found[0].diagnostic.message,
            "the skill `pdf` is another one in `.agents/skills` and `.claude/skills`"
        );
        assert_eq!(
            found[0].diagnostic.notes,
            [
                "Amp, OpenCode list the one of `.agents/skills`",
                "Cline, Crush, Cursor, GitHub Copilot list one of them, it is not said which",
                "deepagents lists the one of `.claude/skills`",
            ]
        );
        // Two projects have nothing to do with each other.
        assert_eq!(check_across(&[at("a/.agents/skills", 1), at("b/.claude/skills", 2)], &Settings::default()), []);
    }
}

//! Dependency cycles.

use std::collections::BTreeMap;

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs,
    RuleExample, SkillSummary,
};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK807",
    name: "dependency-cycle",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "skills depend on each other in a cycle",
    docs: RuleDocs {
        finds: "Skills that are linted together whose dependencies, in `skillpm.toml` or in `requires`, form a cycle. \
            Each cycle is reported once.",
        hurts: "None of them can be published first, since a registry requires that all dependencies exist, and an \
            agent that follows them reads in circles.",
        ignore: "Never: move the shared part into a third skill.",
        bad: &[RuleExample::files(&[
            (
                "forms/SKILL.md",
                ExampleFile::Text(
                    "---\nname: forms\ndescription: Know forms. Use when a form is to be known.\n---\n\nKnow it.\n",
                ),
            ),
            (
                "forms/skillpm.toml",
                ExampleFile::Text("[dependencies]\npdf = { path = \"../pdf\" }\n"),
            ),
            (
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  requires: [forms]\n---\n\nFill it.\n",
                ),
            ),
        ])],
        good: &[RuleExample::files(&[
            (
                "forms/SKILL.md",
                ExampleFile::Text(
                    "---\nname: forms\ndescription: Know forms. Use when a form is to be known.\n---\n\nKnow it.\n",
                ),
            ),
            ("pdf/SKILL.md", page!("Fill it.\n")),
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[dependencies]\nforms = { path = \"../forms\" }\n"),
            ),
        ])],
    },
    check: RuleCheck::Skills(check),
};

fn check(summaries: &[SkillSummary], _: &LintSettings, found: &mut FindingList) {
    if summaries.iter().all(|summary| summary.requires.is_empty()) {
        return;
    }
    // In reverse, so that of two skills with one name the first wins.
    let by_name: BTreeMap<&str, usize> = summaries
        .iter()
        .enumerate()
        .rev()
        .map(|(at, summary)| (summary.name.as_str(), at))
        .collect();

    let mut walk = SkillCycleSearch {
        summaries,
        by_name,
        done: vec![false; summaries.len()],
        path: Vec::new(),
        found,
    };

    for at in 0..summaries.len() {
        walk.visit(at);
    }
}

struct SkillCycleSearch<'a> {
    summaries: &'a [SkillSummary],
    by_name: BTreeMap<&'a str, usize>,
    /// Skills whose cycles have all been reported.
    done: Vec<bool>,
    /// The path of the depth-first search.
    path: Vec<usize>,
    found: &'a mut FindingList,
}

impl SkillCycleSearch<'_> {
    fn visit(&mut self, at: usize) {
        if self.done[at] {
            return;
        }

        self.path.push(at);
        for need in &self.summaries[at].requires {
            // A dependency that was not linted cannot be followed.
            let Some(next) = self.by_name.get(need.name.as_str()).copied() else {
                continue;
            };
            match self.path.iter().position(|before| *before == next) {
                Some(start) => self.report_cycle(start, need),
                None => self.visit(next),
            }
        }

        self.path.pop();
        // Only after its dependencies: a skill on the path is part of a cycle, a finished one is
        // not.
        self.done[at] = true;
    }

    fn report_cycle(&mut self, start: usize, need: &crate::across::RequiredSkill) {
        let mut names: Vec<String> = self.path[start..]
            .iter()
            .map(|at| format!("`{}`", self.summaries[*at].name))
            .collect();
        names.push(names[0].clone());

        let message = match names.as_slice() {
            [one, _] => format!("{one} depends on itself"),
            _ => format!("dependency cycle: {}", names.join(" depends on ")),
        };

        let mut finding = RULE
            .finding(message)
            .help("move the shared part into a third skill");
        finding.span = Some(need.at.span.clone());
        finding.position = Some(need.at.position);
        self.found.add(&need.path, finding);
    }
}

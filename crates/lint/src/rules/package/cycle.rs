//! Skills that need each other in a ring.

use std::collections::BTreeMap;

use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings, Summary};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK807",
    name: "dependency-cycle",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "skills need each other in a ring",
    docs: Docs {
        finds: "Skills of those that are linted together whose dependencies, in `skillpm.toml` or in `requires`, lead back to \
                where they began. Each ring is told once.",
        hurts: "None of them can be published first, since a registry takes only what it can already answer for, and an agent \
                that follows them reads in circles.",
        ignore: "There is no reason to: put what both need into a third.",
        bad: &[Example::files(&[
            (
                "forms/SKILL.md",
                Piece::Text(
                    "---\nname: forms\ndescription: Know forms. Use when a form is to be known.\n---\n\nKnow it.\n",
                ),
            ),
            ("forms/skillpm.toml", Piece::Text("[dependencies]\npdf = { path = \"../pdf\" }\n")),
            (
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  requires: [forms]\n---\n\nFill it.\n",
                ),
            ),
        ])],
        good: &[Example::files(&[
            (
                "forms/SKILL.md",
                Piece::Text(
                    "---\nname: forms\ndescription: Know forms. Use when a form is to be known.\n---\n\nKnow it.\n",
                ),
            ),
            ("pdf/SKILL.md", page!("Fill it.\n")),
            ("pdf/skillpm.toml", Piece::Text("[dependencies]\nforms = { path = \"../forms\" }\n")),
        ])],
    },
    check: Check::Skills(check),
};

fn check(summaries: &[Summary], _: &Settings, found: &mut Found) {
    if summaries.iter().all(|summary| summary.needs.is_empty()) {
        return;
    }
    let by_name: BTreeMap<&str, usize> =
        summaries.iter().enumerate().rev().map(|(at, summary)| (summary.name.as_str(), at)).collect();
    let mut walk = Walk { summaries, by_name, done: vec![false; summaries.len()], way: Vec::new(), found };
    for at in 0..summaries.len() {
        walk.visit(at);
    }
}

struct Walk<'a> {
    summaries: &'a [Summary],
    by_name: BTreeMap<&'a str, usize>,
    /// Skills that lead into no ring that has not been told.
    done: Vec<bool>,
    /// From where the walk began to where it is.
    way: Vec<usize>,
    found: &'a mut Found,
}

impl Walk<'_> {
    fn visit(&mut self, at: usize) {
        if self.done[at] {
            return;
        }
        self.way.push(at);
        for need in &self.summaries[at].needs {
            let Some(next) = self.by_name.get(need.name.as_str()).copied() else { continue };
            match self.way.iter().position(|before| *before == next) {
                Some(start) => self.tell(start, need),
                None => self.visit(next),
            }
        }
        self.way.pop();
        self.done[at] = true;
    }

    fn tell(&mut self, start: usize, need: &crate::lint::across::Needed) {
        let mut names: Vec<String> =
            self.way[start..].iter().map(|at| format!("`{}`", self.summaries[*at].name)).collect();
        names.push(names[0].clone());
        let message = match names.as_slice() {
            [one, _] => format!("{one} needs itself"),
            _ => format!("skills need each other in a ring: {}", names.join(" needs ")),
        };
        let mut told = RULE.finding(message).help("put what both need into a third skill");
        told.span = Some(need.at.span.clone());
        told.position = Some(need.at.position);
        self.found.add(&need.path, told);
    }
}

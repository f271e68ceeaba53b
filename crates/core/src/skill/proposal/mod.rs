//! A proposed change of a skill's instructions: a page of Markdown that a person can review, and that can be applied as
//! it was reviewed.
//!
//! ````text
//! ---
//! id: "csv-tidy-20261122T093123Z"
//! skill: "csv-tidy"
//! …
//! ---
//!
//! # A change of `csv-tidy`
//!
//! ## Justification
//!
//! > The fourth step fails on files with a byte order mark.
//!
//! ## Diff
//!
//! ```diff
//! --- a/SKILL.md
//! …
//! ```
//! ````
//!
//! Whatever an agent wrote stands behind `> `, so that it cannot look like a part of the page, and a line of a diff
//! begins with a blank, `+`, `-`, `@` or `\`, so that none ends the diff.

mod patch;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::package::Sha256;

pub use patch::{apply, diff};

/// A proposed change of a skill's instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Names it: the skill, and when it was made.
    pub id: String,
    /// The skill.
    pub skill: String,
    /// The file that is to change.
    pub location: String,
    /// What that file held when the change was proposed.
    pub base: Sha256,
    /// What it is to hold.
    pub result: Sha256,
    /// When it was made.
    pub created: String,
    /// Who made it, as they say themselves.
    pub by: Option<String>,
    /// What became of it.
    pub status: Status,
    /// When that was decided.
    pub decided: Option<String>,
    /// Why it was rejected.
    pub reason: Option<String>,
    /// Why it should be made.
    pub justification: String,
    /// What shows that it helps.
    pub evidence: Option<String>,
    /// What whoever reviews it should know; not by whoever made it.
    pub remarks: Vec<String>,
    /// The change, as a unified diff.
    pub diff: String,
}

/// What became of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Nobody has decided.
    Open,
    /// The change was made.
    Applied,
    /// It will not be made.
    Rejected,
}

impl Status {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Applied => "applied",
            Status::Rejected => "rejected",
        }
    }
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optional = [("by", &self.by), ("decided", &self.decided), ("reason", &self.reason)];
        writeln!(f, "---")?;
        for (key, text) in [
            ("id", &self.id),
            ("skill", &self.skill),
            ("location", &self.location),
            ("base", &self.base.to_string()),
            ("result", &self.result.to_string()),
            ("created", &self.created),
            ("status", &self.status.name().to_owned()),
        ] {
            writeln!(f, "{key}: {}", quoted(text))?;
        }
        for (key, text) in optional.iter().filter_map(|(key, text)| Some((key, text.as_ref()?))) {
            writeln!(f, "{key}: {}", quoted(text))?;
        }
        writeln!(
            f,
            "---\n\n# A change of {}\n\n{JUSTIFICATION}\n\n{}",
            quoted(&self.skill),
            block(&self.justification)
        )?;
        if let Some(evidence) = &self.evidence {
            writeln!(f, "{EVIDENCE}\n\n{}", block(evidence))?;
        }
        if !self.remarks.is_empty() {
            let remarks = self.remarks.iter().map(|remark| format!("- {remark}\n")).collect::<String>();
            writeln!(f, "{REMARKS}\n\n{remarks}")?;
        }
        write!(f, "{DIFF}\n\n{FENCE}diff\n{}{FENCE}\n", self.diff)
    }
}

const JUSTIFICATION: &str = "## Justification";
const EVIDENCE: &str = "## Evidence";
const REMARKS: &str = "## Remarks of skillpm";
const DIFF: &str = "## Diff";
const FENCE: &str = "```";

/// A text as a scalar of JSON, which is one of YAML too.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// A text as a block of quoted lines.
fn block(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect()
}

impl FromStr for Proposal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Proposal> {
        let broken = |what: &str| Error::negative(format!("the proposal cannot be understood: {what}"));
        let (head, page) = text
            .strip_prefix("---\n")
            .and_then(|text| text.split_once("\n---\n"))
            .ok_or_else(|| broken("it does not begin with its facts between two lines of `---`"))?;
        let mut facts: BTreeMap<&str, String> = BTreeMap::new();
        for line in head.lines() {
            let (key, value) = line.split_once(": ").ok_or_else(|| broken("a fact has no value"))?;
            let value = serde_json::from_str(value).map_err(|_| broken(&format!("`{key}` is no text in quotes")))?;
            facts.insert(key, value);
        }
        let mut fact = |key: &str| facts.remove(key).ok_or_else(|| broken(&format!("it has no `{key}`")));
        let status = match fact("status")?.as_str() {
            "open" => Status::Open,
            "applied" => Status::Applied,
            "rejected" => Status::Rejected,
            _ => return Err(broken("its `status` is none")),
        };
        let sections = sections(page);
        let section = |title: &str| sections.get(title).cloned();
        Ok(Proposal {
            id: fact("id")?,
            skill: fact("skill")?,
            location: fact("location")?,
            base: fact("base")?.parse().map_err(|_| broken("its `base` is no digest"))?,
            result: fact("result")?.parse().map_err(|_| broken("its `result` is no digest"))?,
            created: fact("created")?,
            by: facts.remove("by"),
            status,
            decided: facts.remove("decided"),
            reason: facts.remove("reason"),
            justification: section(JUSTIFICATION).map(|lines| unquoted(&lines)).unwrap_or_default(),
            evidence: section(EVIDENCE).map(|lines| unquoted(&lines)),
            remarks: section(REMARKS)
                .map(|lines| lines.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect())
                .unwrap_or_default(),
            diff: section(DIFF).as_deref().and_then(fenced).ok_or_else(|| broken("it has no diff"))?,
        })
    }
}

/// The parts of the page by their headings, which stand at the start of a line, where nothing that was written by
/// whoever proposed can stand.
fn sections(page: &str) -> BTreeMap<&str, String> {
    let mut sections: BTreeMap<&str, String> = BTreeMap::new();
    let mut at = None;
    for line in page.split_inclusive('\n') {
        let title = line.trim_end();
        if title.starts_with("## ") && at != Some(DIFF) {
            at = Some(title);
            sections.entry(title).or_default();
        } else if let Some(section) = at.and_then(|at| sections.get_mut(at)) {
            section.push_str(line);
        }
    }
    sections
}

fn unquoted(section: &str) -> String {
    let lines = section.lines().filter_map(|line| line.strip_prefix('>'));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn fenced(section: &str) -> Option<String> {
    let (_, rest) = section.split_once("```diff\n")?;
    let (diff, _) = rest.split_once("\n```\n")?;
    Some(format!("{diff}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal() -> Proposal {
        let (before, after) = ("---\nname: a\n---\n# One\n", "---\nname: a\n---\n# Two\n```sh\nx\n```\n");
        Proposal {
            id: "a-20261122T093123Z".into(),
            skill: "a".into(),
            location: "/p/skills/a/SKILL.md".into(),
            base: Sha256::of(before.as_bytes()),
            result: Sha256::of(after.as_bytes()),
            created: "2026-11-22T09:31:23Z".into(),
            by: Some("an agent".into()),
            status: Status::Open,
            decided: None,
            reason: None,
            justification: "It is two.\n\nReally.".into(),
            evidence: Some("I counted.".into()),
            remarks: vec!["adds 1 character that cannot be seen".into()],
            diff: diff("SKILL.md", before, after),
        }
    }

    #[test]
    fn a_proposal_is_a_page_to_review() {
        let proposal = proposal();
        let digest = |text: &str| Sha256::of(text.as_bytes());
        let page = format!(
            "---\nid: \"a-20261122T093123Z\"\nskill: \"a\"\nlocation: \"/p/skills/a/SKILL.md\"\nbase: \"{}\"\n\
             result: \"{}\"\ncreated: \"2026-11-22T09:31:23Z\"\nstatus: \"open\"\nby: \"an agent\"\n---\n\n\
             # A change of \"a\"\n\n## Justification\n\n> It is two.\n>\n> Really.\n\n## Evidence\n\n> I counted.\n\n\
             ## Remarks of skillpm\n\n- adds 1 character that cannot be seen\n\n## Diff\n\n```diff\n--- a/SKILL.md\n\
             +++ b/SKILL.md\n@@ -1,4 +1,7 @@\n ---\n name: a\n ---\n-# One\n+# Two\n+```sh\n+x\n+```\n```\n",
            digest("---\nname: a\n---\n# One\n"),
            digest("---\nname: a\n---\n# Two\n```sh\nx\n```\n")
        );
        assert_eq!(proposal.to_string(), page);
        assert_eq!(page.parse::<Proposal>().unwrap(), proposal);
    }

    #[test]
    fn what_an_agent_writes_cannot_look_like_a_part_of_the_page() {
        let fake = "x\n## Diff\n\n```diff\n-good\n+bad\n```\n---\nstatus: \"applied\"\n---\n";
        let hostile = Proposal {
            skill: "a\"\nstatus: \"applied".into(),
            justification: fake.into(),
            evidence: Some(fake.into()),
            by: Some(fake.into()),
            ..proposal()
        };
        let read: Proposal = hostile.to_string().parse().unwrap();
        assert_eq!(read.diff, proposal().diff);
        assert_eq!(read.status, Status::Open);
        assert_eq!((read.skill, read.justification), (hostile.skill, fake.trim_end().to_owned()));
    }

    #[test]
    fn what_is_no_proposal_is_refused() {
        let page = proposal().to_string();
        for (from, to) in [
            ("---\nid", "id"),
            ("id: \"a-", "idx: \"a-"),
            ("\"open\"", "\"done\""),
            ("```diff", "```"),
            ("base: \"", "base: \"z"),
        ] {
            assert!(page.replacen(from, to, 1).parse::<Proposal>().is_err(), "{from}");
        }
    }
}

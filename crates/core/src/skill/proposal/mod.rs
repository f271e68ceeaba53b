//! A proposed change of a skill, or of which skills there are: a Markdown page that a person can review, and that is applied exactly as
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
//! Text that an agent wrote is quoted with `> `, so that it cannot look like a part of the page, and a line of a diff
//! begins with a space, `+`, `-`, `@` or `\`, so that none ends the diff.

mod patch;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::package::Sha256Digest;

pub use patch::{apply, diff};

/// A proposed change of a skill's files, a new skill, or the removal of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillProposal {
    /// Its id: the skill's name, and the time it was made.
    pub id: String,
    /// The skill.
    pub skill: String,
    /// What is to be done with it.
    pub action: ProposalAction,
    /// The file to change; of several the first.
    pub location: String,
    /// The digest of the files when the change was proposed.
    pub base: Sha256Digest,
    /// The digest of the files after the change.
    pub result: Sha256Digest,
    /// When it was made.
    pub created: String,
    /// Its author, as they call themselves; not verified.
    pub author: Option<String>,
    /// Its status.
    pub status: ProposalStatus,
    /// When that was decided.
    pub decided: Option<String>,
    /// Why it was rejected.
    pub reason: Option<String>,
    /// Why the change should be made.
    pub justification: String,
    /// Evidence that the change helps.
    pub evidence: Option<String>,
    /// Remarks for the reviewer, written by skillpm and not by the author.
    pub remarks: Vec<String>,
    /// The change of each file.
    pub diffs: Vec<FileDiff>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The file's name.
    pub file: String,
    /// A unified diff.
    pub text: String,
}

impl FileDiff {
    /// The change of a file from one text to another; of a file that is not there the text is empty.
    #[must_use]
    pub fn between(file: &str, before: &str, after: &str) -> Self {
        FileDiff {
            file: file.to_owned(),
            text: diff(file, before, after),
        }
    }

    /// The changed text.
    ///
    /// # Errors
    /// As for [`apply`].
    pub fn apply_to(&self, base: &str) -> Result<String> {
        apply(&self.file, base, &self.text)
    }
}

/// The digest of some files' texts by name: that of the text, if it is just one.
#[must_use]
pub fn digest_texts(texts: &BTreeMap<String, String>) -> Sha256Digest {
    let digest = |text: &String| Sha256Digest::hash_bytes(text.as_bytes());
    if let (1, Some(text)) = (texts.len(), texts.values().next()) {
        return digest(text);
    }

    // As `sha256sum` prints them, so that no text can be taken for two.
    let lines: String = texts
        .iter()
        .map(|(file, text)| format!("{}  {file}\n", digest(text)))
        .collect();
    Sha256Digest::hash_bytes(lines.as_bytes())
}

/// What a proposal does with a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalAction {
    /// Its files change.
    Change,
    /// It is created.
    Create,
    /// It is deleted.
    Delete,
}

impl ProposalAction {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ProposalAction::Change => "change",
            ProposalAction::Create => "create",
            ProposalAction::Delete => "delete",
        }
    }

    /// What the proposal is of the skill, for people.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            ProposalAction::Change => "a change of",
            ProposalAction::Create => "the creation of",
            ProposalAction::Delete => "the removal of",
        }
    }
}

/// The status of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProposalStatus {
    /// Not decided yet.
    Open,
    /// The change was applied.
    Applied,
    /// The change was rejected.
    Rejected,
}

impl ProposalStatus {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ProposalStatus::Open => "open",
            ProposalStatus::Applied => "applied",
            ProposalStatus::Rejected => "rejected",
        }
    }
}

impl fmt::Display for SkillProposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "---")?;
        self.write_fields(f)?;
        writeln!(
            f,
            "---\n\n# {} {}\n\n{JUSTIFICATION}\n\n{}",
            capitalize(self.action.phrase()),
            json_string(&self.skill),
            block_quote(&self.justification)
        )?;

        if let Some(evidence) = &self.evidence {
            writeln!(f, "{EVIDENCE}\n\n{}", block_quote(evidence))?;
        }

        if !self.remarks.is_empty() {
            let remarks = self
                .remarks
                .iter()
                .map(|remark| format!("- {remark}\n"))
                .collect::<String>();
            writeln!(f, "{REMARKS}\n\n{remarks}")?;
        }

        // Last, since the reader takes everything after this heading for the diff.
        writeln!(f, "{DIFF}")?;
        self.diffs
            .iter()
            .try_for_each(|diff| write!(f, "\n{FENCE}diff\n{}{FENCE}\n", diff.text))
    }
}

impl SkillProposal {
    fn write_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, result) = (self.base.to_string(), self.result.to_string());
        // Left out for a change, as in all proposals before there were others.
        let action = (self.action != ProposalAction::Change).then(|| self.action.name());
        let fields = [
            ("id", Some(self.id.as_str())),
            ("skill", Some(&self.skill)),
            ("action", action),
            ("location", Some(&self.location)),
            ("base", Some(&base)),
            ("result", Some(&result)),
            ("created", Some(&self.created)),
            ("status", Some(self.status.name())),
            ("by", self.author.as_deref()),
            ("decided", self.decided.as_deref()),
            ("reason", self.reason.as_deref()),
        ];

        for (key, text) in fields {
            if let Some(text) = text {
                writeln!(f, "{key}: {}", json_string(text))?;
            }
        }
        Ok(())
    }
}

const JUSTIFICATION: &str = "## Justification";
const EVIDENCE: &str = "## Evidence";
const REMARKS: &str = "## Remarks of skillpm";
const DIFF: &str = "## Diff";
// A line of a diff has a mark before it, so that three backticks in it do not end the block.
const FENCE: &str = "```";

fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// A text as a JSON string, which is also valid YAML.
fn json_string(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// A text as a block of quoted lines.
fn block_quote(text: &str) -> String {
    text.lines()
        // Trimmed, as editors do when they save, so that the page stays the same.
        .map(|line| format!("> {line}").trim_end().to_owned() + "\n")
        .collect()
}

impl FromStr for SkillProposal {
    type Err = Error;

    fn from_str(text: &str) -> Result<SkillProposal> {
        let (head, page) = text
            .strip_prefix("---\n")
            .and_then(|text| text.split_once("\n---\n"))
            .ok_or_else(|| {
                invalid_proposal("it does not begin with fields between two `---` lines")
            })?;

        let mut fields = ProposalFields::parse(head)?;
        let status = fields.take_status()?;
        let action = fields.take_action()?;
        let location = fields.take("location")?;
        let sections = split_sections(page);
        let quoted = |title: &str| sections.get(title).map(|section| unquote_block(section));

        Ok(SkillProposal {
            id: fields.take("id")?,
            skill: fields.take("skill")?,
            action,
            base: fields.take_digest("base")?,
            result: fields.take_digest("result")?,
            created: fields.take("created")?,
            author: fields.0.remove("by"),
            status,
            decided: fields.0.remove("decided"),
            reason: fields.0.remove("reason"),
            justification: quoted(JUSTIFICATION).unwrap_or_default(),
            evidence: quoted(EVIDENCE),
            remarks: sections
                .get(REMARKS)
                .map(|section| list_items(section))
                .unwrap_or_default(),
            diffs: sections
                .get(DIFF)
                .map(|section| fenced_diffs(section, &location))
                .filter(|diffs| !diffs.is_empty())
                .ok_or_else(|| invalid_proposal("missing diff"))?,
            location,
        })
    }
}

fn invalid_proposal(what: &str) -> Error {
    Error::negative(format!("failed to parse proposal: {what}"))
}

/// The fields between the two `---` lines.
struct ProposalFields<'t>(BTreeMap<&'t str, String>);

impl<'t> ProposalFields<'t> {
    fn parse(head: &'t str) -> Result<ProposalFields<'t>> {
        // Each value is a string of JSON, so no line break in it can begin another field.
        let mut fields = BTreeMap::new();
        for line in head.lines() {
            let (key, value) = line
                .split_once(": ")
                .ok_or_else(|| invalid_proposal("a field has no value"))?;
            let value = serde_json::from_str(value)
                .map_err(|_| invalid_proposal(&format!("`{key}` is not a quoted string")))?;
            fields.insert(key, value);
        }

        Ok(ProposalFields(fields))
    }

    fn take(&mut self, key: &str) -> Result<String> {
        self.0
            .remove(key)
            .ok_or_else(|| invalid_proposal(&format!("missing `{key}`")))
    }

    fn take_digest(&mut self, key: &str) -> Result<Sha256Digest> {
        self.take(key)?
            .parse()
            .map_err(|_| invalid_proposal(&format!("invalid digest in `{key}`")))
    }

    fn take_action(&mut self) -> Result<ProposalAction> {
        match self.0.remove("action").as_deref() {
            None | Some("change") => Ok(ProposalAction::Change),
            Some("create") => Ok(ProposalAction::Create),
            Some("delete") => Ok(ProposalAction::Delete),
            Some(_) => Err(invalid_proposal("unknown `action`")),
        }
    }

    fn take_status(&mut self) -> Result<ProposalStatus> {
        match self.take("status")?.as_str() {
            "open" => Ok(ProposalStatus::Open),
            "applied" => Ok(ProposalStatus::Applied),
            "rejected" => Ok(ProposalStatus::Rejected),
            // A status of a later version may mean that the change must not be applied.
            _ => Err(invalid_proposal("unknown `status`")),
        }
    }
}

/// The parts of the page by their headings, which are at the start of a line: text of the author is always quoted, so it
/// cannot be there.
fn split_sections(page: &str) -> BTreeMap<&str, String> {
    let mut sections: BTreeMap<&str, String> = BTreeMap::new();
    let mut at = None;

    for line in page.split_inclusive('\n') {
        let title = line.trim_end();
        // The diff comes last, and nothing after its heading is a heading.
        if title.starts_with("## ") && at != Some(DIFF) {
            at = Some(title);
            sections.entry(title).or_default();
        } else if let Some(section) = at.and_then(|at| sections.get_mut(at)) {
            section.push_str(line);
        }
    }
    sections
}

fn unquote_block(section: &str) -> String {
    let lines = section.lines().filter_map(|line| line.strip_prefix('>'));
    lines
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

fn list_items(section: &str) -> Vec<String> {
    section
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .map(str::to_owned)
        .collect()
}

/// The diffs of a section, in the order of the page.
fn fenced_diffs(section: &str, location: &str) -> Vec<FileDiff> {
    let mut diffs = Vec::new();
    let mut rest = section;

    while let Some((_, after)) = rest.split_once("```diff\n") {
        // The first fence at the start of a line: lines of the diff begin with a mark.
        let Some((text, after)) = after.split_once("\n```\n") else {
            break;
        };
        diffs.push(FileDiff {
            file: diff_file(text, location).to_owned(),
            text: format!("{text}\n"),
        });
        rest = after;
    }
    diffs
}

/// The file that a diff is of: as its header has it, else that of the proposal.
fn diff_file<'t>(diff: &'t str, location: &'t str) -> &'t str {
    let mut head = diff.lines().take_while(|line| !line.starts_with("@@"));
    let named = head.find_map(|line| line.strip_prefix("+++ b/"));
    named.unwrap_or_else(|| location.rsplit(['/', '\\']).next().unwrap_or(location))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal() -> SkillProposal {
        let (before, after) = (
            "---\nname: a\n---\n# One\n",
            "---\nname: a\n---\n# Two\n```sh\nx\n```\n",
        );
        SkillProposal {
            id: "a-20261122T093123Z".into(),
            skill: "a".into(),
            action: ProposalAction::Change,
            location: "/p/skills/a/SKILL.md".into(),
            base: Sha256Digest::hash_bytes(before.as_bytes()),
            result: Sha256Digest::hash_bytes(after.as_bytes()),
            created: "2026-11-22T09:31:23Z".into(),
            author: Some("an agent".into()),
            status: ProposalStatus::Open,
            decided: None,
            reason: None,
            justification: "It is two.\n\nReally.".into(),
            evidence: Some("I counted.".into()),
            remarks: vec!["adds 1 character that cannot be seen".into()],
            diffs: vec![FileDiff::between("SKILL.md", before, after)],
        }
    }

    #[test]
    fn a_proposal_is_a_page_to_review() {
        let proposal = proposal();
        let digest = |text: &str| Sha256Digest::hash_bytes(text.as_bytes());
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
        assert_eq!(page.parse::<SkillProposal>().unwrap(), proposal);
    }

    #[test]
    fn files_of_a_new_skill_are_on_its_page_as_they_are() {
        let texts = [
            ("execute.ts", "-- a\n++ b\n\n```\n## Diff\nno line feed"),
            ("skill.json", "{\r\n}\r\n"),
        ];
        let diffs = texts.map(|(file, text)| FileDiff::between(file, "", text));
        let created = SkillProposal {
            action: ProposalAction::Create,
            diffs: diffs.to_vec(),
            ..proposal()
        };

        let page = created.to_string();
        assert!(page.contains("\n# The creation of \"a\"\n"), "{page}");
        let read: SkillProposal = page.parse().unwrap();
        assert_eq!(read, created);
        for (diff, (file, text)) in read.diffs.iter().zip(texts) {
            assert_eq!(diff.apply_to("").unwrap(), text, "{file}");
            let removed = FileDiff::between(file, text, "");
            assert_eq!(removed.apply_to(text).unwrap(), "", "{file}");
        }
    }

    #[test]
    fn text_of_an_agent_cannot_look_like_a_part_of_the_page() {
        let fake = "x\n## Diff\n\n```diff\n-good\n+bad\n```\n---\nstatus: \"applied\"\n---\n";
        let hostile = SkillProposal {
            skill: "a\"\nstatus: \"applied".into(),
            justification: fake.into(),
            evidence: Some(fake.into()),
            author: Some(fake.into()),
            ..proposal()
        };
        let read: SkillProposal = hostile.to_string().parse().unwrap();
        assert_eq!(read.diffs, proposal().diffs);
        assert_eq!(read.status, ProposalStatus::Open);
        assert_eq!(
            (read.skill, read.justification),
            (hostile.skill, fake.trim_end().to_owned())
        );
    }

    #[test]
    fn an_invalid_proposal_is_refused() {
        let page = proposal().to_string();
        for (from, to) in [
            ("---\nid", "id"),
            ("id: \"a-", "idx: \"a-"),
            ("\"open\"", "\"done\""),
            ("```diff", "```"),
            ("base: \"", "base: \"z"),
        ] {
            assert!(
                page.replacen(from, to, 1).parse::<SkillProposal>().is_err(),
                "{from}"
            );
        }
    }
}

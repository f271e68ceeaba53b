//! One advisory in OSV's form ⇄ [`Advisory`]. What only others need is kept aside: keys that are not known are no fault.
//!
//! ```json
//! {
//!   "schema_version": "1.6.0",
//!   "id": "SKSA-2026-0001",
//!   "modified": "2026-11-20T08:00:00Z",
//!   "summary": "sends what is filled in to a stranger",
//!   "affected": [{
//!     "package": {"ecosystem": "skillpm", "name": "acme/pdf"},
//!     "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.2.1"}]}],
//!     "ecosystem_specific": {"checksums": ["skill-tree-v1:…"]}
//!   }],
//!   "database_specific": {"severity": "critical"}
//! }
//! ```

use std::collections::BTreeSet;

use cvss::Cvss;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::range::{Event, ranges};
use super::{Advisory, AdvisoryId, Affected, ECOSYSTEM, Package, Repository};
use crate::package::{Checksum, IndexUrl, RelPath};
use crate::report::Severity;

/// Longest summary that is shown, in characters; OSV asks for 120 at most.
const SUMMARY_MAX: usize = 200;

/// An advisory, and what of it a reader cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// What could be read.
    pub advisory: Advisory,
    /// What whoever keeps it should mend; readers do without.
    pub doubts: Vec<String>,
}

#[derive(Deserialize)]
struct Raw {
    schema_version: Option<String>,
    id: String,
    modified: String,
    published: Option<String>,
    withdrawn: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    summary: Option<String>,
    details: Option<String>,
    #[serde(default)]
    severity: Vec<Rated>,
    #[serde(default)]
    affected: Vec<RawAffected>,
    #[serde(default)]
    references: Vec<Reference>,
    #[serde(default)]
    database_specific: Specific,
}

/// How severe somebody takes it for, by one of the ways to say so.
#[derive(Deserialize)]
struct Rated {
    r#type: String,
    score: String,
}

#[derive(Deserialize, Default)]
struct Specific {
    severity: Option<String>,
}

#[derive(Deserialize)]
struct Reference {
    url: String,
}

#[derive(Deserialize)]
struct RawAffected {
    package: Option<RawPackage>,
    #[serde(default)]
    ranges: Vec<RawRange>,
    #[serde(default)]
    versions: Vec<String>,
    #[serde(default)]
    severity: Vec<Rated>,
    #[serde(default)]
    ecosystem_specific: Content,
}

#[derive(Deserialize, Default)]
struct Content {
    #[serde(default)]
    checksums: Vec<String>,
    path: Option<String>,
}

#[derive(Deserialize)]
struct RawPackage {
    ecosystem: String,
    name: String,
}

#[derive(Deserialize)]
struct RawRange {
    r#type: String,
    repo: Option<String>,
    events: Vec<RawEvent>,
}

#[derive(Deserialize)]
struct RawEvent {
    introduced: Option<String>,
    fixed: Option<String>,
    last_affected: Option<String>,
    limit: Option<String>,
}

/// Reads an advisory.
///
/// # Errors
/// Why it cannot be one, with the place in it.
pub fn parse(text: &[u8]) -> Result<Parsed, String> {
    read(serde_json::from_slice(text).map_err(|cause| format!("it cannot be read: {cause}"))?)
}

/// Reads an advisory out of a value.
pub(super) fn read(value: Value) -> Result<Parsed, String> {
    let raw: Raw = serde_json::from_value(value).map_err(|cause| format!("it cannot be read: {cause}"))?;
    let mut doubts = Vec::new();
    if let Some(version) = raw.schema_version.as_deref().filter(|version| !version.starts_with("1.")) {
        return Err(format!("`schema_version` is {}; this skillpm reads 1", version.escape_debug()));
    }
    let id: AdvisoryId = raw.id.parse().map_err(|error: crate::error::Error| format!("id: {}", error.message()))?;
    let times = [
        ("modified", Some(&raw.modified)),
        ("published", raw.published.as_ref()),
        ("withdrawn", raw.withdrawn.as_ref()),
    ];
    for (key, time) in times.into_iter().filter_map(|(key, time)| Some((key, time?))) {
        if time.parse::<Timestamp>().is_err() {
            return Err(format!("`{key}` is `{}`, which is no time as RFC 3339 has it", time.escape_debug()));
        }
    }
    let summary = raw.summary.or(raw.details).unwrap_or_default();
    let summary: String = summary.lines().next().unwrap_or_default().trim().chars().take(SUMMARY_MAX).collect();
    if summary.is_empty() {
        doubts.push("`summary` is missing: nobody is told what it is about".to_owned());
    }
    let rated: Vec<&Rated> = raw.severity.iter().chain(raw.affected.iter().flat_map(|one| &one.severity)).collect();
    let severity = severity(raw.database_specific.severity.as_deref(), &rated, &mut doubts);
    let mut affected = Vec::new();
    for (at, one) in raw.affected.into_iter().enumerate() {
        let read = one.read(&mut doubts).map_err(|fault| format!("affected[{at}]{fault}"))?;
        affected.extend(read);
    }
    if affected.is_empty() {
        doubts.push(format!("nothing in `affected` is of ecosystem `{ECOSYSTEM}`, so it is about no package"));
    }
    let aliases = raw.aliases.into_iter().collect();
    let references = raw.references.into_iter().map(|reference| reference.url).collect();
    let withdrawn = raw.withdrawn;
    Ok(Parsed { advisory: Advisory { id, aliases, summary, severity, withdrawn, references, affected }, doubts })
}

/// The severity that is `written` as a word, else the greatest of those that are `rated`, else high.
fn severity(written: Option<&str>, rated: &[&Rated], doubts: &mut Vec<String>) -> Severity {
    if let Some(written) = written {
        let lower = written.to_lowercase();
        let word = if lower == "moderate" { "medium" } else { &lower };
        return word.parse().unwrap_or_else(|_| {
            let word = written.escape_debug();
            doubts.push(format!("`database_specific.severity` is `{word}`; low, medium, high and critical are known"));
            Severity::High
        });
    }
    rated.iter().filter_map(|rated| rated.severity(doubts)).max().unwrap_or_else(|| {
        doubts.push("it says nowhere how severe it is (`database_specific.severity`): it is taken for high".to_owned());
        Severity::High
    })
}

impl Rated {
    /// What a vector of CVSS comes to; `None`, and a doubt, for what is none.
    fn severity(&self, doubts: &mut Vec<String>) -> Option<Severity> {
        match self.score.parse::<Cvss>() {
            Ok(vector) => Some(match vector.severity() {
                cvss::Severity::None | cvss::Severity::Low => Severity::Low,
                cvss::Severity::Medium => Severity::Medium,
                cvss::Severity::High => Severity::High,
                cvss::Severity::Critical => Severity::Critical,
            }),
            Err(cause) => {
                let (kind, score) = (self.r#type.escape_debug(), self.score.escape_debug());
                doubts.push(format!("a severity of type `{kind}` is passed over: `{score}`: {cause}"));
                None
            }
        }
    }
}

impl RawAffected {
    /// What it is about; `None` if that is of another ecosystem. A fault says where, from here on.
    fn read(self, doubts: &mut Vec<String>) -> Result<Option<Affected>, String> {
        let package = match self.package {
            None => None,
            Some(package) => match package.read()? {
                None => return Ok(None),
                some => some,
            },
        };
        let (mut spans, mut repositories) = (Vec::new(), Vec::new());
        for (at, range) in self.ranges.into_iter().enumerate() {
            let fault = |fault: String| format!(".ranges[{at}]: {fault}");
            match range.r#type.as_str() {
                "SEMVER" => spans.extend(range.semver().map_err(fault)?),
                "GIT" => repositories.push(range.git(doubts).map_err(fault)?),
                other => doubts.push(format!("a range of type `{}` is passed over", other.escape_debug())),
            }
        }
        if package.is_none() && repositories.is_empty() && self.ecosystem_specific.checksums.is_empty() {
            return Err(": it names no package, no repository and no checksum".to_owned());
        }
        let checksum = |text: &String| {
            let wrong = || format!(".ecosystem_specific.checksums: `{}` is no checksum of a tree", text.escape_debug());
            text.parse::<Checksum>().map_err(|_| wrong())
        };
        let checksums = self.ecosystem_specific.checksums.iter().map(checksum).collect::<Result<BTreeSet<_>, _>>()?;
        let path = self.ecosystem_specific.path.map(|path| path.parse::<RelPath>()).transpose();
        let path = path.map_err(|error| format!(".ecosystem_specific.path: {}", error.message()))?;
        let versions = self.versions.into_iter().collect();
        Ok(Some(Affected { package, ranges: spans, versions, repositories, path, checksums }))
    }
}

impl RawPackage {
    fn read(self) -> Result<Option<Package>, String> {
        let registry = match self.ecosystem.split_once(':') {
            None if self.ecosystem == ECOSYSTEM => None,
            Some((ECOSYSTEM, url)) => {
                let url: IndexUrl = url
                    .parse()
                    .map_err(|error: crate::error::Error| format!(".package.ecosystem: {}", error.message()))?;
                Some(url.into())
            }
            _ => return Ok(None),
        };
        let name =
            self.name.parse().map_err(|error: crate::error::Error| format!(".package.name: {}", error.message()))?;
        Ok(Some(Package { name, registry }))
    }
}

impl RawRange {
    fn semver(self) -> Result<Vec<super::Range>, String> {
        let version = |key: &str, text: &str| {
            let wrong = |cause| format!("`{key}` is `{}`, which is no version: {cause}", text.escape_debug());
            text.parse().map_err(wrong)
        };
        let mut events = Vec::new();
        for event in &self.events {
            match (&event.introduced, &event.fixed, &event.last_affected, &event.limit) {
                (Some(zero), None, None, None) if zero == "0" => events.push(Event::Introduced(None)),
                (Some(from), None, None, None) => events.push(Event::Introduced(Some(version("introduced", from)?))),
                (None, Some(fixed), None, None) => events.push(Event::Fixed(version("fixed", fixed)?)),
                (None, None, Some(last), None) => events.push(Event::LastAffected(version("last_affected", last)?)),
                (None, None, None, Some(_)) => {}
                _ => return Err("an event says one thing: `introduced`, `fixed` or `last_affected`".to_owned()),
            }
        }
        ranges(&events)
    }

    /// Which commit lies behind which is known to nobody without the repository: only `0`, for all of it, and commits that
    /// are named count.
    fn git(self, doubts: &mut Vec<String>) -> Result<Repository, String> {
        let repo = self.repo.ok_or_else(|| "`repo` is missing".to_owned())?;
        let url = repo.parse().map_err(|error: crate::error::Error| format!("`repo`: {}", error.message()))?;
        let is_whole = matches!(self.events.as_slice(), [event] if event.introduced.as_deref() == Some("0"));
        if is_whole {
            return Ok(Repository { url, commits: BTreeSet::new() });
        }
        let named = self.events.into_iter().flat_map(|event| [event.introduced, event.last_affected]).flatten();
        let commits: BTreeSet<String> = named.filter(|commit| commit != "0").collect();
        doubts.push(
            "of a range of commits only those that are named count: list affected ones in `versions`, or give checksums"
                .to_owned(),
        );
        // A range from the beginning to a mend names no commit that is affected; it must not stand for all of them.
        let commits = if commits.is_empty() { BTreeSet::from([String::new()]) } else { commits };
        Ok(Repository { url, commits })
    }
}

//! Reads one advisory in OSV's form into an [`Advisory`]. Unknown keys are ignored.
//!
//! ```json
//! {
//!   "schema_version": "1.6.0",
//!   "id": "SKSA-2026-0001",
//!   "modified": "2026-11-20T08:00:00Z",
//!   "summary": "sends form data to a third party",
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
use semver::Version;
use serde::Deserialize;
use serde_json::Value;

use super::range::{RangeEvent, ranges_from_events};
use super::{Advisory, AdvisoryId, AffectedEntry, AffectedPackage, AffectedRepository, ECOSYSTEM};
use crate::package::{Checksum, IndexUrl, RelPath};
use crate::report::Severity;

/// Longest summary that is shown, in characters; OSV asks for 120 at most.
const SUMMARY_MAX: usize = 200;

/// An advisory, and warnings about the parts of it that are ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAdvisory {
    /// The advisory.
    pub advisory: Advisory,
    /// What its author should fix; readers can do without.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct RawAdvisory {
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
    severity: Vec<RawSeverity>,
    #[serde(default)]
    affected: Vec<RawAffected>,
    #[serde(default)]
    references: Vec<RawReference>,
    #[serde(default)]
    database_specific: DatabaseSpecific,
}

/// A severity by one of the scoring systems, such as CVSS.
#[derive(Deserialize)]
struct RawSeverity {
    r#type: String,
    score: String,
}

#[derive(Deserialize, Default)]
struct DatabaseSpecific {
    severity: Option<String>,
}

#[derive(Deserialize)]
struct RawReference {
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
    severity: Vec<RawSeverity>,
    #[serde(default)]
    ecosystem_specific: EcosystemSpecific,
}

#[derive(Deserialize, Default)]
struct EcosystemSpecific {
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
/// Why it is invalid, with the position in it.
pub fn parse(text: &[u8]) -> Result<ParsedAdvisory, String> {
    read_value(serde_json::from_slice(text).map_err(|cause| format!("failed to parse: {cause}"))?)
}

/// Reads an advisory out of a value.
pub(super) fn read_value(value: Value) -> Result<ParsedAdvisory, String> {
    let raw: RawAdvisory =
        serde_json::from_value(value).map_err(|cause| format!("failed to parse: {cause}"))?;
    let mut warnings = Vec::new();

    raw.check_schema_version()?;
    let id: AdvisoryId = raw
        .id
        .parse()
        .map_err(|error: crate::error::Error| format!("id: {}", error.message()))?;
    raw.check_times()?;

    let summary = raw.summary_line();
    if summary.is_empty() {
        warnings
            .push("missing `summary`: reports cannot say what the advisory is about".to_owned());
    }

    let severities: Vec<&RawSeverity> = raw
        .severity
        .iter()
        .chain(raw.affected.iter().flat_map(|one| &one.severity))
        .collect();
    let severity = resolve_severity(
        raw.database_specific.severity.as_deref(),
        &severities,
        &mut warnings,
    );

    Ok(ParsedAdvisory {
        advisory: Advisory {
            id,
            aliases: raw.aliases.into_iter().collect(),
            summary,
            severity,
            withdrawn: raw.withdrawn,
            references: raw
                .references
                .into_iter()
                .map(|reference| reference.url)
                .collect(),
            affected: read_affected(raw.affected, &mut warnings)?,
        },
        warnings,
    })
}

impl RawAdvisory {
    fn check_schema_version(&self) -> Result<(), String> {
        // OSV's schema follows semver: 1.x only adds keys, and unknown keys are ignored here.
        match &self.schema_version {
            Some(version) if !version.starts_with("1.") => Err(format!(
                "unsupported `schema_version` {}; this skillpm reads 1",
                version.escape_debug()
            )),
            _ => Ok(()),
        }
    }

    fn check_times(&self) -> Result<(), String> {
        // Times are validated and not compared: an advisory counts until `withdrawn` is set.
        let times = [
            ("modified", Some(&self.modified)),
            ("published", self.published.as_ref()),
            ("withdrawn", self.withdrawn.as_ref()),
        ];

        for (key, time) in times {
            if let Some(time) = time.filter(|time| time.parse::<Timestamp>().is_err()) {
                return Err(format!(
                    "invalid `{key}`: `{}` is not an RFC 3339 timestamp",
                    time.escape_debug()
                ));
            }
        }
        Ok(())
    }

    /// The first line of the summary, else of the details; empty if there is neither.
    fn summary_line(&self) -> String {
        // One line: `audit` prints the summary in the first line of its report.
        let summary = self.summary.as_ref().or(self.details.as_ref());
        summary
            .and_then(|text| text.lines().next())
            .unwrap_or_default()
            .trim()
            .chars()
            .take(SUMMARY_MAX)
            .collect()
    }
}

fn read_affected(
    affected: Vec<RawAffected>,
    warnings: &mut Vec<String>,
) -> Result<Vec<AffectedEntry>, String> {
    // An entry of another ecosystem is skipped; a broken entry of ours fails the advisory, since
    // dropping it in silence would hide a vulnerable package.
    let mut entries = Vec::new();
    for (at, one) in affected.into_iter().enumerate() {
        let entry = one
            .into_entry(warnings)
            .map_err(|fault| format!("affected[{at}]{fault}"))?;
        entries.extend(entry);
    }

    if entries.is_empty() {
        warnings.push(format!(
            "no entry in `affected` is of ecosystem `{ECOSYSTEM}`, so the advisory matches no package"
        ));
    }
    Ok(entries)
}

/// The severity that `word` names, else the greatest of `severities`, else high.
fn resolve_severity(
    word: Option<&str>,
    severities: &[&RawSeverity],
    warnings: &mut Vec<String>,
) -> Severity {
    if let Some(written) = word {
        let lower = written.to_lowercase();
        // GitHub's advisories say `moderate` for medium.
        let word = if lower == "moderate" {
            "medium"
        } else {
            &lower
        };
        return word.parse().unwrap_or_else(|_| {
            let word = written.escape_debug();
            warnings.push(format!(
                "unknown `database_specific.severity` `{word}`: expected low, medium, high or critical"
            ));
            Severity::High
        });
    }

    // An advisory without a severity must not pass below `--fail-on high`.
    severities
        .iter()
        .filter_map(|rated| rated.to_severity(warnings))
        .max()
        .unwrap_or_else(|| {
            warnings.push("missing severity (`database_specific.severity`): using high".to_owned());
            Severity::High
        })
}

impl RawSeverity {
    /// The severity of a CVSS vector; `None`, with a warning, for any other score.
    fn to_severity(&self, warnings: &mut Vec<String>) -> Option<Severity> {
        match self.score.parse::<Cvss>() {
            Ok(vector) => Some(match vector.severity() {
                // `Severity` has nothing below low.
                cvss::Severity::None | cvss::Severity::Low => Severity::Low,
                cvss::Severity::Medium => Severity::Medium,
                cvss::Severity::High => Severity::High,
                cvss::Severity::Critical => Severity::Critical,
            }),
            Err(cause) => {
                let (kind, score) = (self.r#type.escape_debug(), self.score.escape_debug());
                warnings.push(format!(
                    "ignoring severity of type `{kind}`: `{score}`: {cause}"
                ));
                None
            }
        }
    }
}

impl EcosystemSpecific {
    fn parse_checksums(&self) -> Result<BTreeSet<Checksum>, String> {
        self.checksums
            .iter()
            .map(|text| parse_checksum(text))
            .collect()
    }

    fn parse_path(&self) -> Result<Option<RelPath>, String> {
        self.path
            .as_deref()
            .map(str::parse::<RelPath>)
            .transpose()
            .map_err(|error| format!(".ecosystem_specific.path: {}", error.message()))
    }
}

impl RawAffected {
    /// The entry; `None` if it is of another ecosystem. An error begins with the position below this entry.
    fn into_entry(self, warnings: &mut Vec<String>) -> Result<Option<AffectedEntry>, String> {
        let package = match self.package {
            None => None,
            Some(package) => match package.into_package()? {
                // Another ecosystem: nothing in this entry is about skillpm.
                None => return Ok(None),
                some => some,
            },
        };

        let (mut version_ranges, mut repositories) = (Vec::new(), Vec::new());
        for (at, range) in self.ranges.into_iter().enumerate() {
            let fault = |fault: String| format!(".ranges[{at}]: {fault}");
            match range.r#type.as_str() {
                "SEMVER" => version_ranges.extend(range.into_version_ranges().map_err(fault)?),
                "GIT" => repositories.push(range.into_repository(warnings).map_err(fault)?),
                // `ECOSYSTEM` ranges need an order of versions that only their registry knows.
                other => {
                    warnings.push(format!("ignoring range of type `{}`", other.escape_debug()));
                }
            }
        }

        let specific = self.ecosystem_specific;
        // An entry that matches nothing would look like protection and be none.
        if package.is_none() && repositories.is_empty() && specific.checksums.is_empty() {
            return Err(": missing a package, a repository or a checksum".to_owned());
        }

        Ok(Some(AffectedEntry {
            package,
            ranges: version_ranges,
            versions: self.versions.into_iter().collect(),
            repositories,
            checksums: specific.parse_checksums()?,
            path: specific.parse_path()?,
        }))
    }
}

/// Reads the checksum of a tree.
fn parse_checksum(text: &str) -> Result<Checksum, String> {
    text.parse().map_err(|_| {
        let text = text.escape_debug();
        format!(".ecosystem_specific.checksums: invalid tree checksum `{text}`")
    })
}

impl RawPackage {
    fn into_package(self) -> Result<Option<AffectedPackage>, String> {
        let registry = match self.ecosystem.split_once(':') {
            None if self.ecosystem == ECOSYSTEM => None,
            // `skillpm:URL` limits the entry to one index. The suffix after a colon is OSV's own syntax.
            Some((ECOSYSTEM, url)) => {
                let url: IndexUrl = url.parse().map_err(|error: crate::error::Error| {
                    format!(".package.ecosystem: {}", error.message())
                })?;
                Some(url.into())
            }
            _ => return Ok(None),
        };

        let name = self
            .name
            .parse()
            .map_err(|error: crate::error::Error| format!(".package.name: {}", error.message()))?;
        Ok(Some(AffectedPackage { name, registry }))
    }
}

/// Reads the version that an event gives under `key`.
fn parse_version(key: &str, text: &str) -> Result<Version, String> {
    text.parse().map_err(|cause| {
        format!(
            "invalid version `{}` in `{key}`: {cause}",
            text.escape_debug()
        )
    })
}

impl RawRange {
    fn into_version_ranges(self) -> Result<Vec<super::AffectedRange>, String> {
        let mut events = Vec::new();
        for event in &self.events {
            match (
                &event.introduced,
                &event.fixed,
                &event.last_affected,
                &event.limit,
            ) {
                // OSV writes `0` for a version before all others.
                (Some(zero), None, None, None) if zero == "0" => {
                    events.push(RangeEvent::Introduced(None));
                }
                (Some(from), None, None, None) => events.push(RangeEvent::Introduced(Some(
                    parse_version("introduced", from)?,
                ))),
                (None, Some(fixed), None, None) => {
                    events.push(RangeEvent::Fixed(parse_version("fixed", fixed)?));
                }
                (None, None, Some(last), None) => events.push(RangeEvent::LastAffected(
                    parse_version("last_affected", last)?,
                )),
                // Ignoring a `limit` can only report more versions, never fewer.
                (None, None, None, Some(_)) => {}
                _ => {
                    return Err(
                        "invalid event: expected exactly one of `introduced`, `fixed` and `last_affected`"
                            .to_owned(),
                    );
                }
            }
        }

        ranges_from_events(&events)
    }

    /// The order of commits is not known without the repository, so only `0`, for all of it, and commits given by name
    /// count.
    fn into_repository(self, warnings: &mut Vec<String>) -> Result<AffectedRepository, String> {
        let repo = self.repo.ok_or_else(|| "missing `repo`".to_owned())?;
        let url = repo
            .parse()
            .map_err(|error: crate::error::Error| format!("`repo`: {}", error.message()))?;

        // The only range of commits that can be decided without the history.
        let is_whole =
            matches!(self.events.as_slice(), [event] if event.introduced.as_deref() == Some("0"));
        if is_whole {
            return Ok(AffectedRepository {
                url,
                commits: BTreeSet::new(),
            });
        }

        let named = self
            .events
            .into_iter()
            .flat_map(|event| [event.introduced, event.last_affected])
            .flatten();
        let commits: BTreeSet<String> = named.filter(|commit| commit != "0").collect();
        warnings.push(
            "a range of commits matches only the commits it names: list affected commits in `versions`, or give checksums"
                .to_owned(),
        );

        // A range from the beginning to a fix names no affected commit; it must not match all of them.
        // No commit is the empty string, so this set matches none.
        let commits = if commits.is_empty() {
            BTreeSet::from([String::new()])
        } else {
            commits
        };

        Ok(AffectedRepository { url, commits })
    }
}

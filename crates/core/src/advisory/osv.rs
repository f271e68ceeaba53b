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

    // OSV's schema follows semver: 1.x only adds keys, and unknown keys are ignored here.
    if let Some(version) = raw
        .schema_version
        .as_deref()
        .filter(|version| !version.starts_with("1."))
    {
        return Err(format!(
            "unsupported `schema_version` {}; this skillpm reads 1",
            version.escape_debug()
        ));
    }

    let id: AdvisoryId = raw
        .id
        .parse()
        .map_err(|error: crate::error::Error| format!("id: {}", error.message()))?;

    // Times are validated and not compared: an advisory counts until `withdrawn` is set.
    let times = [
        ("modified", Some(&raw.modified)),
        ("published", raw.published.as_ref()),
        ("withdrawn", raw.withdrawn.as_ref()),
    ];
    for (key, time) in times
        .into_iter()
        .filter_map(|(key, time)| Some((key, time?)))
    {
        if time.parse::<Timestamp>().is_err() {
            return Err(format!(
                "invalid `{key}`: `{}` is not an RFC 3339 timestamp",
                time.escape_debug()
            ));
        }
    }

    // One line: `audit` prints the summary in the first line of its report.
    let summary = raw.summary.or(raw.details).unwrap_or_default();
    let summary: String = summary
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .chars()
        .take(SUMMARY_MAX)
        .collect();
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

    // An entry of another ecosystem is skipped; a broken entry of ours fails the advisory, since
    // dropping it in silence would hide a vulnerable package.
    let mut affected = Vec::new();
    for (at, one) in raw.affected.into_iter().enumerate() {
        let entries = one
            .into_entry(&mut warnings)
            .map_err(|fault| format!("affected[{at}]{fault}"))?;
        affected.extend(entries);
    }

    if affected.is_empty() {
        warnings.push(format!(
            "no entry in `affected` is of ecosystem `{ECOSYSTEM}`, so the advisory matches no package"
        ));
    }

    let aliases = raw.aliases.into_iter().collect();
    let references = raw
        .references
        .into_iter()
        .map(|reference| reference.url)
        .collect();
    let withdrawn = raw.withdrawn;

    Ok(ParsedAdvisory {
        advisory: Advisory {
            id,
            aliases,
            summary,
            severity,
            withdrawn,
            references,
            affected,
        },
        warnings,
    })
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

        if package.is_none()
            && repositories.is_empty()
            && self.ecosystem_specific.checksums.is_empty()
        {
            return Err(": missing a package, a repository or a checksum".to_owned());
        }

        let checksums = self
            .ecosystem_specific
            .checksums
            .iter()
            .map(|text| parse_checksum(text))
            .collect::<Result<BTreeSet<_>, _>>()?;

        let path = self
            .ecosystem_specific
            .path
            .map(|path| path.parse::<RelPath>())
            .transpose();
        let path =
            path.map_err(|error| format!(".ecosystem_specific.path: {}", error.message()))?;
        let versions = self.versions.into_iter().collect();

        Ok(Some(AffectedEntry {
            package,
            ranges: version_ranges,
            versions,
            repositories,
            path,
            checksums,
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

//! Findings as SARIF 2.1.0, which code scanning of GitHub, Azure and many editors read: one document.
//!
//! See <https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html>. A fix that
//! renames a file, marks it executable or appends to another has no form in it, and is only described.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::source::SourceText;
use super::{FileFindings, FingerprintSet, RepositoryRoot, explain, home_url, rule_url};
use crate::cli::render::foreign_text::{escape_json, escape_text};
use crate::lint::{Rule, rules};
use crate::report::{
    Diagnostic, DiagnosticFix, DiagnosticLabel, DiagnosticLevel, FixChange, Severity, Span,
};

/// What paths are relative to.
const URI_BASE: &str = "%SRCROOT%";
/// What a path may have as it is.
const PATH_CHARS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// All findings as a document.
pub(in crate::cli) fn sarif<'a>(
    files: impl Iterator<Item = FileFindings<'a>>,
    root: &RepositoryRoot,
) -> String {
    let mut fingerprints = FingerprintSet::default();
    let mut results = Vec::new();
    for file in files {
        let path = root.relative_path(file.path);
        for diagnostic in &file.findings {
            let fingerprint = fingerprints.fingerprint(&file, diagnostic, &path);
            results.push(SarifResult::new(&file, diagnostic, &path, fingerprint));
        }
    }

    // Rules come after the results, since only rules that found something are listed.
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    // Sorted and without duplicates by the map, so that the same findings give the same bytes.
    ids.extend(
        results
            .iter()
            .map(|result| (result.rule_id.clone(), result.rule.clone())),
    );
    // SARIF refers to a rule by its index in that list as well.
    for result in &mut results {
        result.rule_index = ids
            .keys()
            .position(|id| *id == result.rule_id)
            .unwrap_or_default();
    }

    let log = SarifLog::new(
        ids.values()
            .map(|rule| ReportingDescriptor::new(rule))
            .collect(),
        results,
    );

    let value = serde_json::to_value(log).expect("every key is a string");
    format!("{}\n", escape_json(&value))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: SarifTool,
    column_kind: &'static str,
    original_uri_base_ids: BTreeMap<&'static str, SarifUriBase>,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct SarifTool {
    driver: SarifDriver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifDriver {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<ReportingDescriptor>,
}

#[derive(Serialize)]
struct SarifUriBase {
    description: SarifMessage,
}

#[derive(Serialize)]
struct SarifMessage {
    text: String,
}

#[derive(Serialize)]
struct SarifHelp {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportingDescriptor {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<SarifMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_description: Option<SarifMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<SarifHelp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_configuration: Option<ReportingConfiguration>,
    properties: RuleProperties,
}

#[derive(Serialize)]
struct ReportingConfiguration {
    enabled: bool,
    level: &'static str,
}

#[derive(Serialize)]
struct RuleProperties {
    tags: Vec<String>,
    #[serde(rename = "problem.severity", skip_serializing_if = "Option::is_none")]
    problem_severity: Option<&'static str>,
    #[serde(rename = "security-severity", skip_serializing_if = "Option::is_none")]
    security_severity: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    // The name, from which the list of rules is made.
    #[serde(skip)]
    rule: String,
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: SarifMessage,
    locations: [SarifLocation; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<SarifLocation>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<SarifFix>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    physical: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SarifMessage>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<SarifRegion>,
}

#[derive(Serialize, Clone)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: usize,
    start_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifFix {
    description: SarifMessage,
    artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: Vec<SarifReplacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifReplacement {
    deleted_region: SarifRegion,
    #[serde(skip_serializing_if = "Option::is_none")]
    inserted_content: Option<SarifMessage>,
}

impl SarifLog {
    fn new(rules: Vec<ReportingDescriptor>, results: Vec<SarifResult>) -> Self {
        // One run for all skills, since one command makes one analysis.
        let driver = SarifDriver {
            name: "skillpm",
            semantic_version: env!("CARGO_PKG_VERSION"),
            information_uri: home_url(),
            rules,
        };

        let base = SarifUriBase {
            description: to_message("the directory at the root of the repository"),
        };

        let run = SarifRun {
            tool: SarifTool { driver },
            // As columns are counted everywhere in skillpm; the standard's default is UTF-16.
            column_kind: "unicodeCodePoints",
            original_uri_base_ids: BTreeMap::from([(URI_BASE, base)]),
            results,
        };

        SarifLog {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [run],
        }
    }
}

impl ReportingDescriptor {
    fn new(name: &str) -> Self {
        let Some(rule) = rules::find(name) else {
            return ReportingDescriptor::unknown_rule(name);
        };

        let level = rule.level.unwrap_or(DiagnosticLevel::Note);
        ReportingDescriptor {
            id: rule.code.to_owned(),
            name: rule.name.to_owned(),
            short_description: Some(to_message(rule.summary)),
            full_description: Some(to_message(rule.docs.finds)),
            help: Some(SarifHelp {
                text: explain::render_prose(rule),
                markdown: explain::render_markdown(rule),
            }),
            help_uri: Some(rule_url(rule.code)),
            default_configuration: Some(ReportingConfiguration {
                // A rule that is off by default is among the rules only because it was asked for.
                enabled: rule.level.is_some(),
                level: level.name(),
            }),
            properties: RuleProperties::from_rule(rule, level),
        }
    }

    /// A rule that is in no table.
    fn unknown_rule(name: &str) -> Self {
        ReportingDescriptor {
            id: name.to_owned(),
            name: name.to_owned(),
            short_description: None,
            full_description: None,
            help: None,
            help_uri: None,
            default_configuration: None,
            properties: RuleProperties {
                tags: Vec::new(),
                problem_severity: None,
                security_severity: None,
            },
        }
    }
}

impl RuleProperties {
    fn from_rule(rule: &Rule, level: DiagnosticLevel) -> Self {
        let title = rules::GROUPS
            .iter()
            .find(|group| rule.code.starts_with(group.code))
            .map(|group| group.title);

        // Code scanning filters by tags, which have no blanks there.
        let mut tags: Vec<String> = title
            .iter()
            .map(|title| title.to_lowercase().replace(' ', "-"))
            .collect();

        // GitHub shows a severity only for rules with this tag.
        if rule.is_security() && !tags.iter().any(|tag| tag == "security") {
            tags.push("security".to_owned());
        }
        // GitHub sorts into critical, high, medium and low at 9.0, 7.0 and 4.0.
        let security_severity = rule.severity_at(level).map(|severity| match severity {
            Severity::Critical => "9.5",
            Severity::High => "8.0",
            Severity::Medium => "5.0",
            Severity::Low => "2.0",
        });

        let problem = match level {
            DiagnosticLevel::Error => "error",
            DiagnosticLevel::Warning => "warning",
            DiagnosticLevel::Note => "recommendation",
        };

        RuleProperties {
            tags,
            problem_severity: Some(problem),
            security_severity,
        }
    }
}

impl SarifResult {
    fn new(
        file: &FileFindings<'_>,
        diagnostic: &Diagnostic,
        path: &str,
        fingerprint: String,
    ) -> Self {
        let rule = rules::find(&diagnostic.rule);

        SarifResult {
            rule: diagnostic.rule.clone(),
            rule_id: rule.map_or_else(|| diagnostic.rule.clone(), |rule| rule.code.to_owned()),
            // Known only once all results are there: the list of rules is made of them.
            rule_index: 0,
            level: diagnostic.level.name(),
            message: result_message(diagnostic),
            locations: [SarifLocation::from_finding(file, diagnostic, path)],
            related_locations: SarifLocation::from_labels(file, &diagnostic.labels, path),
            partial_fingerprints: BTreeMap::from([("skillpm/v1", fingerprint)]),
            fixes: diagnostic
                .fix
                .iter()
                .filter_map(|fix| SarifFix::from_fix(file, fix, path))
                .collect(),
        }
    }
}

impl SarifLocation {
    /// The place of a finding.
    fn from_finding(file: &FileFindings<'_>, diagnostic: &Diagnostic, path: &str) -> Self {
        let mut physical = PhysicalLocation::new(file, diagnostic.span.as_ref(), path);
        // Code scanning shows no result without a location: findings about a whole file are placed
        // at its beginning.
        let (line, column) = diagnostic.position.unwrap_or((1, 1));
        physical
            .region
            .get_or_insert(SarifRegion::from_position(line, column));

        SarifLocation {
            id: None,
            physical,
            message: None,
        }
    }

    /// The places that the labels of a finding are about.
    fn from_labels(file: &FileFindings<'_>, labels: &[DiagnosticLabel], path: &str) -> Vec<Self> {
        // Numbered from 1, as the examples of the standard do.
        (1..)
            .zip(labels)
            .map(|(id, label)| SarifLocation {
                id: Some(id),
                physical: PhysicalLocation::new(file, Some(&label.span), path),
                message: Some(to_message(&label.text)),
            })
            .collect()
    }
}

impl PhysicalLocation {
    fn new(file: &FileFindings<'_>, span: Option<&Span>, path: &str) -> Self {
        let region = span
            .zip(file.source.as_ref())
            .map(|(span, source)| SarifRegion::from_span(source, span));

        PhysicalLocation {
            artifact_location: ArtifactLocation::from_path(path),
            region,
        }
    }
}

fn to_message(text: &str) -> SarifMessage {
    SarifMessage {
        text: escape_text(text),
    }
}

/// The finding, the affected agents, and the fix, a line each.
fn result_message(diagnostic: &Diagnostic) -> SarifMessage {
    let mut message = diagnostic.message.clone();
    diagnostic
        .notes
        .iter()
        .for_each(|note| message.push_str(&format!("\n{note}")));
    diagnostic
        .help
        .iter()
        .for_each(|help| message.push_str(&format!("\nhelp: {help}")));

    to_message(&message)
}

impl ArtifactLocation {
    fn from_path(path: &str) -> Self {
        let uri = utf8_percent_encode(path, PATH_CHARS).to_string();
        // A path outside the repository has no base that a viewer could resolve it against.
        if path.starts_with('/') {
            return ArtifactLocation {
                uri: format!("file://{uri}"),
                uri_base_id: None,
            };
        }

        ArtifactLocation {
            uri,
            uri_base_id: Some(URI_BASE),
        }
    }
}

impl SarifRegion {
    fn from_span(source: &SourceText, span: &Span) -> Self {
        let span = source.clamp_span(span);

        let (start, end) = (source.position(span.start), source.position(span.end));
        SarifRegion {
            start_line: start.line,
            start_column: start.column,
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }

    fn from_position(start_line: usize, start_column: usize) -> Self {
        SarifRegion {
            start_line,
            start_column,
            end_line: None,
            end_column: None,
        }
    }
}

impl SarifFix {
    fn from_fix(file: &FileFindings<'_>, fix: &DiagnosticFix, path: &str) -> Option<Self> {
        let source = file.source.as_ref()?;

        let replacement = |change: &FixChange| match change {
            FixChange::Edit { span, content } => Some(SarifReplacement {
                deleted_region: SarifRegion::from_span(source, span),
                inserted_content: Some(SarifMessage {
                    text: content.clone(),
                })
                // A deletion has no content: the standard leaves the key out for it.
                .filter(|content| !content.text.is_empty()),
            }),
            _ => None,
        };

        // An incomplete fix would do harm.
        let replacements: Vec<SarifReplacement> =
            fix.changes.iter().map(replacement).collect::<Option<_>>()?;

        if replacements.is_empty() {
            return None;
        }

        let changes = [ArtifactChange {
            artifact_location: ArtifactLocation::from_path(path),
            replacements,
        }];

        Some(SarifFix {
            description: to_message(&fix.message),
            artifact_changes: changes,
        })
    }
}

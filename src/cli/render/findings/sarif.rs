//! Findings as SARIF 2.1.0, which code scanning of GitHub, Azure and many editors read: one document.
//!
//! See <https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html>. A fix that
//! renames a file, marks it executable or appends to another has no form in it, and is told in words only.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::short::level_name;
use super::shown::{escaped, spelled};
use super::source::Source;
use super::{FileFindings, Fingerprints, Root, explain, home, url};
use crate::lint::{Rule, rules};
use crate::report::{Change, Diagnostic, Fix, Level, Severity, Span};

/// What paths are relative to.
const BASE: &str = "%SRCROOT%";
/// What a path may have as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// All findings as a document.
pub(in crate::cli) fn sarif<'a>(files: impl Iterator<Item = FileFindings<'a>>, root: &Root) -> String {
    let mut fingerprints = Fingerprints::default();
    let mut results = Vec::new();
    for file in files {
        let path = root.below(file.path);
        for diagnostic in &file.findings {
            let fingerprint = fingerprints.of(&file, diagnostic, &path);
            results.push(SarifResult::new(&file, diagnostic, &path, fingerprint));
        }
    }
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    ids.extend(results.iter().map(|result| (result.rule_id.clone(), result.rule.clone())));
    for result in &mut results {
        result.rule_index = ids.keys().position(|id| *id == result.rule_id).unwrap_or_default();
    }
    let log = Log::new(ids.values().map(|rule| Descriptor::new(rule)).collect(), results);
    let value = serde_json::to_value(log).expect("every key is a string");
    format!("{}\n", escaped(&value))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    original_uri_base_ids: BTreeMap<&'static str, Base>,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
struct Base {
    description: Text,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_description: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Help>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_configuration: Option<Configuration>,
    properties: RuleProperties,
}

#[derive(Serialize)]
struct Configuration {
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
    #[serde(skip)]
    rule: String,
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<SarifFix>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    physical: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize, Clone)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
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
    description: Text,
    artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: Artifact,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    inserted_content: Option<Text>,
}

impl Log {
    fn new(rules: Vec<Descriptor>, results: Vec<SarifResult>) -> Self {
        let driver =
            Driver { name: "skillpm", semantic_version: env!("CARGO_PKG_VERSION"), information_uri: home(), rules };
        let base = Base { description: text("the directory at the root of the repository") };
        let run = Run {
            tool: Tool { driver },
            column_kind: "unicodeCodePoints",
            original_uri_base_ids: BTreeMap::from([(BASE, base)]),
            results,
        };
        Log { schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }
    }
}

impl Descriptor {
    fn new(name: &str) -> Self {
        let Some(rule) = rules::find(name) else { return Descriptor::unknown(name) };
        let level = rule.level.unwrap_or(Level::Note);
        Descriptor {
            id: rule.code.to_owned(),
            name: rule.name.to_owned(),
            short_description: Some(text(rule.summary)),
            full_description: Some(text(rule.docs.finds)),
            help: Some(Help { text: explain::prose(rule), markdown: explain::markdown(rule) }),
            help_uri: Some(url(rule.code)),
            default_configuration: Some(Configuration { enabled: rule.level.is_some(), level: level_name(level) }),
            properties: RuleProperties::of(rule, level),
        }
    }

    /// A rule that is in no table.
    fn unknown(name: &str) -> Self {
        Descriptor {
            id: name.to_owned(),
            name: name.to_owned(),
            short_description: None,
            full_description: None,
            help: None,
            help_uri: None,
            default_configuration: None,
            properties: RuleProperties { tags: Vec::new(), problem_severity: None, security_severity: None },
        }
    }
}

impl RuleProperties {
    fn of(rule: &Rule, level: Level) -> Self {
        let title = rules::GROUPS.iter().find(|group| rule.code.starts_with(group.code)).map(|group| group.title);
        let mut tags: Vec<String> = title.iter().map(|title| title.to_lowercase().replace(' ', "-")).collect();
        if rule.is_security() && !tags.iter().any(|tag| tag == "security") {
            tags.push("security".to_owned());
        }
        let security_severity = rule.severity_at(level).map(|severity| match severity {
            Severity::Critical => "9.5",
            Severity::High => "8.0",
            Severity::Medium => "5.0",
            Severity::Low => "2.0",
        });
        let problem = match level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "recommendation",
        };
        RuleProperties { tags, problem_severity: Some(problem), security_severity }
    }
}

impl SarifResult {
    fn new(file: &FileFindings<'_>, diagnostic: &Diagnostic, path: &str, fingerprint: String) -> Self {
        let rule = rules::find(&diagnostic.rule);
        let location = |span: Option<&Span>| Physical {
            artifact_location: Artifact::of(path),
            region: span.zip(file.source.as_ref()).map(|(span, source)| Region::of(source, span)),
        };
        let mut own = location(diagnostic.span.as_ref());
        // Code scanning shows no result without a place: what is about a whole file is shown at its beginning.
        let (line, column) = diagnostic.position.unwrap_or((1, 1));
        own.region.get_or_insert(Region::at(line, column));
        let related = diagnostic.labels.iter().enumerate().map(|(at, label)| Location {
            id: Some(at + 1),
            physical: location(Some(&label.span)),
            message: Some(text(&label.text)),
        });
        SarifResult {
            rule: diagnostic.rule.clone(),
            rule_id: rule.map_or_else(|| diagnostic.rule.clone(), |rule| rule.code.to_owned()),
            rule_index: 0,
            level: level_name(diagnostic.level),
            message: message(diagnostic),
            locations: [Location { id: None, physical: own, message: None }],
            related_locations: related.collect(),
            partial_fingerprints: BTreeMap::from([("skillpm/v1", fingerprint)]),
            fixes: diagnostic.fix.iter().filter_map(|fix| SarifFix::of(file, fix, path)).collect(),
        }
    }
}

fn text(text: &str) -> Text {
    Text { text: spelled(text) }
}

/// What was found, who breaks, and what would mend it, a line each.
fn message(diagnostic: &Diagnostic) -> Text {
    let mut message = diagnostic.message.clone();
    diagnostic.notes.iter().for_each(|note| message.push_str(&format!("\n{note}")));
    diagnostic.help.iter().for_each(|help| message.push_str(&format!("\nhelp: {help}")));
    text(&message)
}

impl Artifact {
    fn of(path: &str) -> Self {
        let uri = utf8_percent_encode(path, PATH).to_string();
        if path.starts_with('/') {
            return Artifact { uri: format!("file://{uri}"), uri_base_id: None };
        }
        Artifact { uri, uri_base_id: Some(BASE) }
    }
}

impl Region {
    fn of(source: &Source, span: &Span) -> Self {
        let span = source.within(span);
        let (start, end) = (source.place(span.start), source.place(span.end));
        Region {
            start_line: start.line,
            start_column: start.column,
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }

    fn at(start_line: usize, start_column: usize) -> Self {
        Region { start_line, start_column, end_line: None, end_column: None }
    }
}

impl SarifFix {
    fn of(file: &FileFindings<'_>, fix: &Fix, path: &str) -> Option<Self> {
        let source = file.source.as_ref()?;
        let replacement = |change: &Change| match change {
            Change::Edit { span, content } => Some(Replacement {
                deleted_region: Region::of(source, span),
                inserted_content: Some(Text { text: content.clone() }).filter(|content| !content.text.is_empty()),
            }),
            _ => None,
        };
        // A fix that is only half told would do harm.
        let replacements: Vec<Replacement> = fix.changes.iter().map(replacement).collect::<Option<_>>()?;
        if replacements.is_empty() {
            return None;
        }
        let changes = [ArtifactChange { artifact_location: Artifact::of(path), replacements }];
        Some(SarifFix { description: text(&fix.message), artifact_changes: changes })
    }
}

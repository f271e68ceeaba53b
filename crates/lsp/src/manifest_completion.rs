//! Completions in `skillpm.toml`: tables, keys, values, packages, versions, agents and rules. No server is asked.

use std::collections::BTreeSet;
use std::io::Write;

use lsp_types::CompletionItemKind;
use skillpm_core::error::Result;
use skillpm_core::manifest::inspect::text_entries;
use skillpm_core::package::PackageName;
use skillpm_lint::rules;
use skillpm_ops::CommandContext;
use skillpm_ops::agents::known_agents;
use skillpm_ops::dependency_versions::cached_versions;
use skillpm_ops::info::VersionInfo;
use skillpm_ops::search::{SearchOptions, search};

use crate::completion::{CompletionAnswer, CompletionValue};
use crate::documents::OpenDocument;
use crate::manifest_schema::{SchemaKey, SchemaPlace};
use crate::server::LanguageServer;
use crate::toml_cursor::{TomlPlace, TomlPlaceKind, find_place};

/// The highest number of suggested packages.
const PACKAGES_MAX: usize = 50;

/// What the values at a path are, where the schema has no list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Version,
    Package,
    Agent,
    Rule,
    Registry,
    /// Those of the schema.
    Listed,
}

impl<W: Write> LanguageServer<'_, W> {
    /// What can be written at a byte of a manifest.
    pub(crate) fn complete_manifest(
        &self,
        document: &OpenDocument,
        at: usize,
    ) -> Option<CompletionAnswer> {
        let text = &*document.text;
        let place = find_place(text, at)?;
        let (values, is_incomplete) = match place.kind {
            TomlPlaceKind::Header => (table_names(&place), false),
            TomlPlaceKind::Key => self.keys(document, &place),
            TomlPlaceKind::Value => self.values(document, &place, at),
        };

        let is_value = place.kind == TomlPlaceKind::Value;
        let needs_quotes = is_value && !is_quoted(document, &place);
        let mut span = place.inner_span(text);
        if is_value && is_version_path(&place.path) {
            // What is before the version is an operator, which stays.
            let written = place.written(text);
            span.start += written.len()
                - written
                    .trim_start_matches(['^', '~', '=', '<', '>', ' '])
                    .len();
        }
        let quoted = |value: CompletionValue| {
            let is_bare = matches!(value.label.as_str(), "true" | "false");
            let insert = value.insert.as_ref().unwrap_or(&value.label);
            CompletionValue {
                insert: Some(if needs_quotes && !is_bare {
                    format!("\"{insert}\"")
                } else {
                    insert.clone()
                }),
                ..value
            }
        };
        Some(CompletionAnswer {
            values: values.into_iter().map(quoted).collect(),
            span,
            is_incomplete,
        })
    }

    /// The keys of a table that it does not have yet, and whether there may be others.
    fn keys(&self, document: &OpenDocument, place: &TomlPlace) -> (Vec<CompletionValue>, bool) {
        let written = place.written(&document.text);
        let present = present_keys(&document.text, &place.path, written);
        let keys = SchemaPlace::at(&place.path).keys().into_iter();
        let mut values: Vec<CompletionValue> = keys
            .filter(|key| !present.contains(key.name))
            .map(schema_value)
            .collect();

        if is_dependency_table(&place.path) {
            let packages = self.packages(document, written);
            let key = |package: CompletionValue| CompletionValue {
                // A key with a slash needs quotes.
                insert: (package.label.contains('/') && !is_quoted(document, place))
                    .then(|| format!("\"{}\"", package.label)),
                ..package
            };
            return (packages.into_iter().map(key).collect(), true);
        }
        if matches!(place.path.first().map(String::as_str), Some("lint"))
            && place.path.len() <= 2
            && SchemaPlace::at(&place.path).values().is_empty()
            && place.path.get(1).is_none_or(|key| key == "overrides")
        {
            values.extend(rule_values());
        }
        (values, false)
    }

    /// The values of a key, and whether there may be others.
    fn values(
        &self,
        document: &OpenDocument,
        place: &TomlPlace,
        at: usize,
    ) -> (Vec<CompletionValue>, bool) {
        match value_kind(&place.path) {
            ValueKind::Version => (self.versions(document, place), false),
            ValueKind::Package => {
                let written = place.inner_span(&document.text);
                let typed = written.start..at.clamp(written.start, written.end);
                (self.packages(document, &document.text[typed]), true)
            }
            ValueKind::Agent => (self.agents(document), false),
            ValueKind::Rule => (rule_values(), false),
            ValueKind::Registry => (self.registries(document), false),
            ValueKind::Listed => {
                let values = SchemaPlace::at(&place.path).values().into_iter();
                let value = |value| CompletionValue::new(value, CompletionItemKind::ENUM_MEMBER);
                (values.map(value).collect(), false)
            }
        }
    }

    /// Packages of the cached indexes that have what is typed in their names or descriptions.
    fn packages(&self, document: &OpenDocument, typed: &str) -> Vec<CompletionValue> {
        let options = SearchOptions {
            words: vec![typed.to_owned()],
            limit: PACKAGES_MAX,
            ..SearchOptions::default()
        };
        let hits = self.offline(document, |context| Ok(search(context, &options)?.hits));
        let hits = hits.unwrap_or_default().into_iter();
        let value = |hit: skillpm_ops::search::PackageHit| CompletionValue {
            detail: hit.registry.as_ref().map(|registry| registry.name.clone()),
            docs: hit.row.description.clone(),
            ..CompletionValue::new(hit.row.name, CompletionItemKind::MODULE)
        };
        hits.filter(|hit| hit.registry.is_some())
            .map(value)
            .collect()
    }

    /// The versions of the package of a dependency in the cached index, newest first.
    fn versions(&self, document: &OpenDocument, place: &TomlPlace) -> Vec<CompletionValue> {
        let depth = dependency_depth(&place.path);
        let Some(name) = place.path.get(depth) else {
            return Vec::new();
        };
        // The entry may give the package another name, and a registry that is not the default one.
        let entry = text_entries(&document.text, &place.path[..=depth]);
        let versions = self.offline(document, |context| {
            let package = PackageName::parse_key(entry.get("package").unwrap_or(name))?;
            cached_versions(context, &package, entry.get("registry").map(String::as_str))
        });
        let versions = versions.unwrap_or_default().into_iter();
        let versions = versions.filter(|version| !version.yanked);
        let value = |version: VersionInfo| CompletionValue {
            detail: version.published.clone(),
            ..CompletionValue::new(version.version.to_string(), CompletionItemKind::VALUE)
        };
        versions.map(value).collect()
    }

    fn agents(&self, document: &OpenDocument) -> Vec<CompletionValue> {
        let agents = self.offline(document, |context| Ok(known_agents(context)));
        let value = |agent: skillpm_ops::agents::AgentLabel| CompletionValue {
            detail: Some(agent.name),
            ..CompletionValue::new(agent.id, CompletionItemKind::VALUE)
        };
        agents.unwrap_or_default().into_iter().map(value).collect()
    }

    fn registries(&self, document: &OpenDocument) -> Vec<CompletionValue> {
        let registries = self.offline(document, |context| Ok(context.config.registries()));
        let value = |(name, index)| CompletionValue {
            detail: Some(index),
            ..CompletionValue::new(name, CompletionItemKind::VALUE)
        };
        registries
            .unwrap_or_default()
            .into_iter()
            .map(value)
            .collect()
    }

    /// Runs where the document is, without a network.
    fn offline<T>(
        &self,
        document: &OpenDocument,
        run: impl FnOnce(&CommandContext<'_>) -> Result<T>,
    ) -> Result<T> {
        let dir = document.path.parent().unwrap_or(&document.path);
        self.checker
            .with_context(dir, |context| run(&context.silent_offline()?))
    }
}

fn is_quoted(document: &OpenDocument, place: &TomlPlace) -> bool {
    document.text[place.span.clone()].starts_with(['"', '\''])
}

/// The tables that a header may have behind the keys before it.
fn table_names(place: &TomlPlace) -> Vec<CompletionValue> {
    let keys = SchemaPlace::at(&place.path).keys().into_iter();
    keys.filter(|key| key.has_table).map(schema_value).collect()
}

fn schema_value(key: SchemaKey) -> CompletionValue {
    let kind = if key.has_table {
        CompletionItemKind::MODULE
    } else {
        CompletionItemKind::FIELD
    };
    CompletionValue {
        docs: Some(key.about.to_owned()),
        ..CompletionValue::new(key.name, kind)
    }
}

fn rule_values() -> Vec<CompletionValue> {
    let value = |rule: &'static skillpm_lint::Rule| {
        let about = CompletionValue {
            detail: Some(rule.summary.to_owned()),
            docs: Some(rule.docs.finds.to_owned()),
            ..CompletionValue::new(rule.name, CompletionItemKind::CONSTANT)
        };
        let code = CompletionValue {
            label: rule.code.to_owned(),
            ..about.clone()
        };
        [about, code]
    };
    rules::all().flat_map(value).collect()
}

/// The keys that a table has, without the one that is typed. Those behind a header further down count, too.
fn present_keys(text: &str, table: &[String], typed: &str) -> BTreeSet<String> {
    // Of a text that is not valid yet, the keys at the beginning of lines are enough.
    let lines = text.lines().scan(0, |at, line| {
        Some((std::mem::replace(at, *at + line.len() + 1), line))
    });
    let keys = lines.filter_map(|(start, line)| {
        let (key, _) = line.split_once(['=', '.'])?;
        let place = find_place(text, start + (key.len() - key.trim_start().len()))?;
        let is_here = place.kind == TomlPlaceKind::Key && place.path == table;
        is_here.then(|| place.written(text).to_owned())
    });
    keys.filter(|key| key != typed).collect()
}

/// The number of keys before the name of a dependency.
fn dependency_depth(path: &[String]) -> usize {
    match path.first().map(String::as_str) {
        // `patch.SOURCE.NAME` and `workspace.dependencies.NAME`
        Some("patch" | "workspace") => 2,
        _ => 1,
    }
}

fn is_dependency_table(path: &[String]) -> bool {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    matches!(
        keys.as_slice(),
        ["dependencies" | "dev-dependencies"] | ["workspace", "dependencies"] | ["patch", _]
    )
}

fn is_version_path(path: &[String]) -> bool {
    value_kind(path) == ValueKind::Version
}

/// What the values at a path are.
fn value_kind(path: &[String]) -> ValueKind {
    let depth = dependency_depth(path);
    if path.len() > depth && is_dependency_table(&path[..depth]) {
        return match path[depth + 1..].first().map(String::as_str) {
            None | Some("version") => ValueKind::Version,
            Some("package") => ValueKind::Package,
            Some("registry") => ValueKind::Registry,
            _ => ValueKind::Listed,
        };
    }

    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    match keys.as_slice() {
        ["install" | "lint", "targets"] => ValueKind::Agent,
        ["lint", "select" | "extend-select" | "ignore"]
        | ["policy", "deny-lint" | "allow-findings"]
        | ["audit", "ignore", "rule"] => ValueKind::Rule,
        ["package", "publish"] | ["workspace", "package", "publish"] => ValueKind::Registry,
        _ => ValueKind::Listed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_kind_by_their_path() {
        let kind = |path: &str| {
            let path: Vec<String> = path.split('.').map(str::to_owned).collect();
            value_kind(&path)
        };
        for (path, expected) in [
            ("dependencies.pdf", ValueKind::Version),
            ("dependencies.pdf.version", ValueKind::Version),
            ("workspace.dependencies.pdf", ValueKind::Version),
            ("patch.default.pdf.version", ValueKind::Version),
            ("dependencies.pdf.package", ValueKind::Package),
            ("dependencies.pdf.git", ValueKind::Listed),
            ("install.targets", ValueKind::Agent),
            ("lint.ignore", ValueKind::Rule),
            ("lint.body-empty", ValueKind::Listed),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
    }

    #[test]
    fn present_keys_are_those_of_the_same_table() {
        let text = "[install]\ndir = \"x\"\nli\n[lint]\nselect = []\n[install.x]\nlink = 1\n";
        let keys = present_keys(text, &["install".to_owned()], "li");
        assert_eq!(keys, BTreeSet::from(["dir".to_owned()]));
    }
}

//! The archive of a version: what its line says, packed as skillpm packs, and fit to be published.

use super::fault_at_line;
use super::lines::Line;
use crate::index::Entry;
use crate::io::archive;
use crate::lint::package::{self as rules, Facts, Subject};
use crate::manifest::{self, Manifest};
use crate::package::{Checksum, Sha256, Tree};
use crate::report::{Finding, Level};

/// Judges one archive; `path` is where it lies in the index.
pub(super) fn judge(line: &Line, path: &str, bytes: &[u8]) -> Vec<Finding> {
    let told = |rule: &str, message: String| vec![fault_at_line(line, rule, message)];
    let entry = &line.entry;
    let found = Sha256::of(bytes);
    if entry.archive_digest() != Some(found) {
        return told("archive-digest", format!("`{path}` is another: sha256:{found}"));
    }
    let unpacked = archive::unpack(bytes, archive::Kind::TarGz).and_then(archive::strip_top);
    let (tree, top) = match unpacked {
        Ok(unpacked) => unpacked,
        Err(error) => return told("archive", format!("`{path}` cannot be unpacked: {}", error.message())),
    };
    let expected = format!("{}-{}", entry.name.skill(), entry.vers);
    if top.as_deref() != Some(expected.as_str()) {
        let top = top.map_or_else(|| "no directory".to_owned(), |top| format!("`{top}`"));
        return told("archive", format!("on top of `{path}` is {top}, not `{expected}`"));
    }
    let mut findings = Vec::new();
    let checksum = Checksum::of(&tree);
    if checksum != entry.cksum {
        findings.extend(told("archive-checksum", format!("`{path}` unpacks to {checksum}")));
    }
    if !archive::is_as_packed(bytes, &tree, &expected) {
        let message = format!("`{path}` is not packed as `skillpm package` packs the same files");
        findings.extend(told("archive-form", message));
    }
    findings.extend(contents(line, path, &tree));
    findings
}

/// Judges what is in it.
fn contents(line: &Line, path: &str, tree: &Tree) -> Vec<Finding> {
    let entry = &line.entry;
    let manifest = match own_manifest(tree) {
        Ok(manifest) => manifest,
        Err(message) => return vec![fault_at_line(line, "archive", format!("in `{path}`, {message}"))],
    };
    let (facts, mut inner) = rules::describe(Subject {
        tree,
        directory: entry.name.skill().as_str(),
        scope: entry.name.scope(),
        manifest: manifest.as_ref(),
    });
    inner.extend(rules::check(tree));
    inner.retain(|finding| finding.diagnostic.level > Level::Note);
    inner.iter_mut().for_each(|finding| finding.path = format!("{path}: {}", finding.path));
    if let Some(facts) = facts {
        inner.extend(differences(line, &facts).map(|message| fault_at_line(line, "entry-differs", message)));
    }
    inner
}

fn own_manifest(tree: &Tree) -> Result<Option<Manifest>, String> {
    let Some(bytes) = tree.get(manifest::FILE) else { return Ok(None) };
    let text = std::str::from_utf8(bytes).map_err(|_| format!("`{}` is not UTF-8 text", manifest::FILE))?;
    // Which index a registry's name stands for is the reader's matter.
    let parsed = Manifest::parse(text, manifest::FILE, &|name| Ok(name.unwrap_or_default().to_owned()));
    parsed.map(Some).map_err(|error| error.message().to_owned())
}

/// In what the line says something else than the package.
fn differences(line: &Line, facts: &Facts) -> impl Iterator<Item = String> {
    let entry = &line.entry;
    let shown =
        |text: Option<&str>| text.map_or_else(|| "nothing".to_owned(), |text| format!("`{}`", text.escape_debug()));
    let mut told = Vec::new();
    let mut tell = |key: &str, says: String, is: String| {
        if says != is {
            told.push(format!("`{key}` is {says} here, and {is} in the package"));
        }
    };
    tell("name", shown(Some(&entry.name.to_string())), shown(Some(&facts.name.to_string())));
    tell("vers", shown(Some(&entry.vers.to_string())), shown(Some(&facts.version.to_string())));
    let description = Some(facts.description.as_str()).filter(|text| !text.is_empty());
    tell("description", shown(entry.description.as_deref()), shown(description));
    tell("license", shown(entry.license.as_deref()), shown(facts.license.as_deref()));
    tell("keywords", shown(Some(&entry.keywords.join(", "))), shown(Some(&facts.keywords.join(", "))));
    tell("deps", needs_of(entry), needs_of_package(entry, facts));
    told.into_iter()
}

fn needs_of(entry: &Entry) -> String {
    let mut needs: Vec<String> = entry.deps.iter().map(|needed| format!("`{} {}`", needed.name, needed.req)).collect();
    needs.sort();
    if needs.is_empty() { "nothing".into() } else { needs.join(", ") }
}

/// What the package needs, each by the name that its line has for it: `requires` leaves a scope open.
fn needs_of_package(entry: &Entry, facts: &Facts) -> String {
    let full = |need: &rules::Need| {
        let same = |needed: &&crate::index::EntryDependency| needed.name.skill() == need.name.skill();
        let is_open = need.optional && need.name.scope().is_none();
        let named = entry.deps.iter().find(same).filter(|_| is_open).map(|needed| &needed.name);
        format!("`{} {}`", named.unwrap_or(&need.name), need.req)
    };
    let mut needs: Vec<String> = facts.needs.iter().map(full).collect();
    needs.sort();
    if needs.is_empty() { "nothing".into() } else { needs.join(", ") }
}

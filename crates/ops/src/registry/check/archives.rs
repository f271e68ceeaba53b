//! Checks the archive of a version: it agrees with its index line, is packed as skillpm packs, and
//! can be published.

use super::fault_at_line;
use super::lines::CheckedLine;
use skillpm_core::manifest::{self, Manifest};
use skillpm_core::package::{Checksum, Sha256Digest, Tree};
use skillpm_core::report::{DiagnosticLevel, FileFinding};
use skillpm_io::archive;
use skillpm_lint::package::{self as rules, DependencyFact, PackageFacts, PackageSubject};
use skillpm_registry::index::{EntryDependency, IndexEntry};

/// Checks one archive; `path` is its path in the index.
pub(super) fn check_archive(line: &CheckedLine, path: &str, bytes: &[u8]) -> Vec<FileFinding> {
    let entry = &line.entry;
    let tree = match unpack_archive(entry, path, bytes) {
        Ok(tree) => tree,
        // Without its files nothing more can be said about it.
        Err((rule, message)) => return vec![fault_at_line(line, rule, message)],
    };

    // From here on the archive can be read, so that all its faults are reported.
    let mut findings = Vec::new();
    let checksum = Checksum::from_tree(&tree);
    if checksum != entry.cksum {
        findings.push(fault_at_line(
            line,
            "archive-checksum",
            format!("checksum mismatch of `{path}`: it unpacks to {checksum}"),
        ));
    }
    // Packing is reproducible. Other bytes could hide something, such as an entry that a lenient
    // reader would prefer.
    if !archive::is_as_packed(bytes, &tree, &top_directory(entry)) {
        let message =
            format!("`{path}` differs from what `skillpm package` packs of the same files");
        findings.push(fault_at_line(line, "archive-form", message));
    }

    findings.extend(check_contents(line, path, &tree));
    findings
}

/// Unpacks the archive of a version; if that fails, returns the rule and the message.
fn unpack_archive(
    entry: &IndexEntry,
    path: &str,
    bytes: &[u8],
) -> Result<Tree, (&'static str, String)> {
    let found = Sha256Digest::hash_bytes(bytes);
    // The contents of another archive are not checked: they do not belong to this version.
    if entry.archive_digest() != Some(found) {
        let message = format!("digest mismatch of `{path}`: found sha256:{found}");
        return Err(("archive-digest", message));
    }

    let (tree, top) = archive::unpack(bytes, archive::ArchiveFormat::TarGz)
        .and_then(archive::strip_top)
        .map_err(|error| {
            let message = format!("failed to unpack `{path}`: {}", error.message());
            ("archive", message)
        })?;

    let expected = top_directory(entry);
    if top.as_deref() != Some(expected.as_str()) {
        let top = top.map_or_else(|| "no directory".to_owned(), |top| format!("`{top}`"));
        let message =
            format!("invalid top directory of `{path}`: found {top}, expected `{expected}`");
        return Err(("archive", message));
    }
    Ok(tree)
}

/// The directory in an archive that all its files are in.
fn top_directory(entry: &IndexEntry) -> String {
    format!("{}-{}", entry.name.skill(), entry.vers)
}

/// Checks the files of the archive.
fn check_contents(line: &CheckedLine, path: &str, tree: &Tree) -> Vec<FileFinding> {
    let entry = &line.entry;

    let manifest = match read_manifest(tree) {
        Ok(manifest) => manifest,
        Err(message) => {
            return vec![fault_at_line(
                line,
                "archive",
                format!("invalid manifest in `{path}`: {message}"),
            )];
        }
    };

    let (facts, mut inner) = rules::describe(PackageSubject {
        tree,
        directory: entry.name.skill().as_str(),
        scope: entry.name.scope(),
        manifest: manifest.as_ref(),
    });

    inner.extend(rules::check(tree));
    // Notes are for authors, not for the review of an index change.
    inner.retain(|finding| finding.diagnostic.level > DiagnosticLevel::Note);
    inner
        .iter_mut()
        .for_each(|finding| finding.path = format!("{path}: {}", finding.path));

    if let Some(facts) = facts {
        inner.extend(
            differences(line, &facts).map(|message| fault_at_line(line, "entry-differs", message)),
        );
    }
    inner
}

fn read_manifest(tree: &Tree) -> Result<Option<Manifest>, String> {
    let Some(bytes) = tree.get(manifest::FILE) else {
        return Ok(None);
    };

    let text = std::str::from_utf8(bytes)
        .map_err(|_| format!("`{}` is not UTF-8 text", manifest::FILE))?;
    // Registry names are not resolved here: their URLs depend on the reader's configuration.
    let parsed = Manifest::parse(text, manifest::FILE, &|name| {
        Ok(name.unwrap_or_default().to_owned())
    });
    parsed.map(Some).map_err(|error| error.message().to_owned())
}

/// The differences between the index line and the package.
fn differences(line: &CheckedLine, facts: &PackageFacts) -> impl Iterator<Item = String> {
    let entry = &line.entry;
    // In the package, a missing description is an empty one.
    let description = Some(facts.description.as_str()).filter(|text| !text.is_empty());

    let compared = [
        (
            "name",
            show_text(Some(&entry.name.to_string())),
            show_text(Some(&facts.name.to_string())),
        ),
        (
            "vers",
            show_text(Some(&entry.vers.to_string())),
            show_text(Some(&facts.version.to_string())),
        ),
        (
            "description",
            show_text(entry.description.as_deref()),
            show_text(description),
        ),
        (
            "license",
            show_text(entry.license.as_deref()),
            show_text(facts.license.as_deref()),
        ),
        (
            "keywords",
            show_text(Some(&entry.keywords.join(", "))),
            show_text(Some(&facts.keywords.join(", "))),
        ),
        (
            "repository",
            show_text(entry.repository.as_deref()),
            // A line may lack it.
            show_text(
                facts
                    .repository
                    .as_deref()
                    .filter(|_| entry.repository.is_some()),
            ),
        ),
        ("deps", entry_needs(entry), package_needs(entry, facts)),
    ];

    let differs = compared.into_iter().filter(|(_, says, is)| says != is);
    differs
        .map(|(key, says, is)| format!("`{key}` is {says} in the index, but {is} in the package"))
}

fn show_text(text: Option<&str>) -> String {
    // Escaped: a text of an unknown author may have control characters.
    text.map_or_else(
        || "nothing".to_owned(),
        |text| format!("`{}`", text.escape_debug()),
    )
}

fn entry_needs(entry: &IndexEntry) -> String {
    let mut needs: Vec<String> = entry
        .deps
        .iter()
        .map(|needed| format!("`{} {}`", needed.name, needed.req))
        .collect();
    needs.sort();

    if needs.is_empty() {
        "nothing".into()
    } else {
        needs.join(", ")
    }
}

/// The dependencies of the package, by the names that the index line has for them: `requires` has
/// no scopes.
fn package_needs(entry: &IndexEntry, facts: &PackageFacts) -> String {
    let mut needs: Vec<String> = facts
        .dependencies
        .iter()
        .map(|need| describe_need(entry, need))
        .collect();
    needs.sort();
    if needs.is_empty() {
        "nothing".into()
    } else {
        needs.join(", ")
    }
}

fn describe_need(entry: &IndexEntry, need: &DependencyFact) -> String {
    let same = |needed: &&EntryDependency| needed.name.skill() == need.name.skill();
    // `requires` has no scope; the publisher's resolution chose one, which the line has.
    let is_open = need.optional && need.name.scope().is_none();
    let named = entry
        .deps
        .iter()
        .find(same)
        .filter(|_| is_open)
        .map(|needed| &needed.name);
    format!("`{} {}`", named.unwrap_or(&need.name), need.req)
}

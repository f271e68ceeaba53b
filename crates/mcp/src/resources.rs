//! Skills as resources: `skill://NAME/PATH`, each part percent-encoded once.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{DIRECTORY_MIME_TYPE, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::tools::told;
use crate::catalog::Entry;
use crate::error::Error;
use crate::ops::serve::{Served, published_name};
use crate::package::Sha256;

const SCHEME: &str = "skill://";

/// What is written as itself in a part of a URI.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URI of a skill's file.
pub(super) fn uri(skill: &str, path: &str) -> String {
    let parts: Vec<String> = path.split('/').map(encoded).collect();
    format!("{SCHEME}{}/{}", encoded(skill), parts.join("/"))
}

fn encoded(part: &str) -> String {
    utf8_percent_encode(part, PART).to_string()
}

/// The skill and the path that a URI names; `None` if it is none of ours.
fn named(uri: &str) -> Option<(String, String)> {
    let rest = uri.strip_prefix(SCHEME).filter(|rest| !rest.contains(['?', '#']))?;
    let (skill, path) = rest.split_once('/').unwrap_or((rest, ""));
    let decoded = |text| percent_decode_str(text).decode_utf8().ok().map(String::from);
    Some((decoded(skill)?, decoded(path)?))
}

/// The skill that a URI names, and the path in it; `None` if no such skill is served.
fn found<'s>(served: &'s Served, asked: &str) -> Option<(&'s Entry, String)> {
    let (skill, path) = named(asked)?;
    Some((served.get(&skill)?, path))
}

/// The digest of the file that a URI names; `None` if none is known.
pub(super) fn digest(served: &Served, asked: &str) -> Option<Sha256> {
    let (entry, path) = found(served, asked)?;
    entry.candidate.files().iter().find(|file| *file.path == *path).map(|file| file.sha256)
}

/// The resource that stands for a skill: the file that an agent reads first.
pub(super) fn of_skill(entry: &Entry) -> Resource {
    let listing = &entry.candidate.listing;
    let path = listing.facts().format.file();
    let mut resource = Resource::new(uri(&listing.name, path), listing.name.to_string())
        .with_description(listing.description.to_string())
        .with_mime_type(mime_type(path));
    if let Some(title) = &listing.facts().display_name {
        resource = resource.with_title(title.to_string());
    }
    match entry.candidate.files().iter().find(|file| *file.path == *path) {
        Some(file) => resource.with_size(file.size),
        None => resource,
    }
}

/// How the other files of a skill are asked for.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("skill://{name}/{+path}", "skill file")
        .with_description("A file of a skill; what a skill holds is told by reading its directory, `skill://NAME`")
}

/// What a URI leads to.
///
/// # Errors
/// If it leads nowhere, or names a path that no skill may hold.
pub(super) fn read(served: &Served, asked: &str) -> Result<ResourceContents, ErrorData> {
    let (entry, path) = found(served, asked).ok_or_else(|| not_found(asked))?;
    let bytes = served.read(entry, &path).map_err(|error| failed(&error, asked))?;
    Ok(contents(bytes, asked, &path))
}

/// The children of a directory of a skill.
///
/// # Errors
/// If there is no such directory.
pub(super) fn children(served: &Served, asked: &str) -> Result<Vec<Resource>, ErrorData> {
    let (entry, path) = found(served, asked).ok_or_else(|| not_found(asked))?;
    let skill = &entry.candidate.listing.name;
    let path = path.strip_suffix('/').unwrap_or(&path);
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let mut children: Vec<Resource> = Vec::new();
    for file in entry.candidate.files() {
        let Some(rest) = file.path.strip_prefix(&*prefix) else { continue };
        let child = match rest.split_once('/') {
            None => Resource::new(uri(skill, &file.path), rest).with_mime_type(mime_type(rest)).with_size(file.size),
            Some((directory, _)) => Resource::new(uri(skill, &format!("{prefix}{directory}")), directory)
                .with_mime_type(DIRECTORY_MIME_TYPE),
        };
        // Files are sorted by the bytes of their paths, so those of one directory may have others between them.
        if children.iter().all(|known| known.uri != child.uri) {
            children.push(child);
        }
    }
    if children.is_empty() {
        return Err(ErrorData::invalid_params("there is no such directory", Some(json!({"uri": asked}))));
    }
    Ok(children)
}

/// A file as text, or encoded where it is none.
pub(super) fn contents(bytes: Vec<u8>, uri: &str, path: &str) -> ResourceContents {
    let mime_type = mime_type(path);
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri).with_mime_type(mime_type),
        Ok(text) => ResourceContents::blob(STANDARD.encode(text), uri).with_mime_type(mime_type),
        Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri).with_mime_type(mime_type),
    }
}

/// The media type that a name's end tells.
pub(super) fn mime_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "md" => "text/markdown",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "py" => "text/x-python",
        "js" | "mjs" | "cjs" => "text/javascript",
        "sh" | "bash" => "application/x-sh",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "txt" | "ts" | "rs" | "go" | "java" | "c" | "h" | "rb" | "ini" | "cfg" => "text/plain",
        _ => "application/octet-stream",
    }
}

/// Whether a skill can be told of in the official extension: a `SKILL.md` with a name of the specification, and not too
/// much beside it, all of which may be in a package.
pub(super) fn is_plain(entry: &Entry) -> bool {
    let files = entry.candidate.files();
    let fits = files.len() <= FILES_MAX && files.iter().map(|file| file.size).sum::<u64>() <= BYTES_MAX;
    fits && entry.candidate.listing.facts().named && published_name(entry).is_some()
}

/// The extension's bounds of a skill.
const FILES_MAX: usize = 512;
const BYTES_MAX: u64 = 16 << 20;

pub(super) fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("there is no such resource", Some(json!({"uri": uri})))
}

fn failed(error: &Error, uri: &str) -> ErrorData {
    ErrorData::resource_not_found(told(error), Some(json!({"uri": uri})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_decoded_just_once() {
        assert_eq!(uri("pdf", "references/a b#1.md"), "skill://pdf/references/a%20b%231.md");
        for (skill, path) in [("pdf", "references/a b#1.md"), ("Üb er/x", "ä%2e.md"), ("a", "SKILL.md")] {
            assert_eq!(named(&uri(skill, path)), Some((skill.to_owned(), path.to_owned())));
        }
        assert_eq!(named("skill://a/%252e%252e/b"), Some(("a".into(), "%2e%2e/b".into())));
        assert_eq!(named("skill://a"), Some(("a".into(), String::new())));
        for other in ["file:///etc/passwd", "skill://a/b?c", "skill://a/b#c", "skill://a/%ff"] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_no_text_is_encoded() {
        let told = |bytes: &[u8]| serde_json::to_value(contents(bytes.to_vec(), "skill://a/b.md", "b.md")).unwrap();
        assert_eq!(told("é".as_bytes()), json!({"uri": "skill://a/b.md", "mimeType": "text/markdown", "text": "é"}));
        assert_eq!(told(b"a\0b")["blob"], json!("YQBi"));
        assert_eq!(told(&[0xff])["blob"], json!("/w=="));
    }
}

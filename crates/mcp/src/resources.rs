//! Skills as resources: `skill://NAME/PATH`, each part percent-encoded once.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{DIRECTORY_MIME_TYPE, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::instructions::error_text;
use skillpm_catalog::catalog::CatalogEntry;
use skillpm_core::error::Error;
use skillpm_core::package::Sha256Digest;
use skillpm_ops::serve::{ServedCatalog, published_name};

const SCHEME: &str = "skill://";

/// Characters that are not percent-encoded in a part of a URI.
const PART: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The URI of a skill's file.
pub(super) fn skill_uri(skill: &str, path: &str) -> String {
    let parts: Vec<String> = path.split('/').map(encode_part).collect();
    format!("{SCHEME}{}/{}", encode_part(skill), parts.join("/"))
}

fn encode_part(part: &str) -> String {
    utf8_percent_encode(part, PART).to_string()
}

/// The skill and the path in a URI; `None` if it is not a `skill://` URI.
fn parse_uri(uri: &str) -> Option<(String, String)> {
    // A query or fragment has no meaning here, and two URIs must not name one file.
    let rest = uri
        .strip_prefix(SCHEME)
        .filter(|rest| !rest.contains(['?', '#']))?;

    let (skill, path) = rest.split_once('/').unwrap_or((rest, ""));
    // Decoded once, after the split, so that an encoded `/` is part of a name and separates
    // nothing.
    Some((decode_percent(skill)?, decode_percent(path)?))
}

fn decode_percent(text: &str) -> Option<String> {
    percent_decode_str(text)
        .decode_utf8()
        .ok()
        .map(String::from)
}

/// The skill that a URI names, and the path in it; `None` if no such skill is served.
fn find_entry<'s>(served: &'s ServedCatalog, uri: &str) -> Option<(&'s CatalogEntry, String)> {
    let (skill, path) = parse_uri(uri)?;
    Some((served.get(&skill)?, path))
}

/// The digest of the file that a URI names; `None` if none is known.
pub(super) fn file_digest(served: &ServedCatalog, uri: &str) -> Option<Sha256Digest> {
    let (entry, path) = find_entry(served, uri)?;
    entry
        .candidate
        .files()
        .iter()
        .find(|file| *file.path == *path)
        .map(|file| file.sha256)
}

/// The resource of a skill: the file that an agent reads first.
pub(super) fn skill_resource(entry: &CatalogEntry) -> Resource {
    let listing = &entry.candidate.listing;
    let path = listing.facts().format.file();

    let mut resource = Resource::new(skill_uri(&listing.name, path), listing.name.to_string())
        .with_description(listing.description.to_string())
        .with_mime_type(mime_type(path));

    if let Some(title) = &listing.facts().display_name {
        resource = resource.with_title(title.to_string());
    }

    match entry
        .candidate
        .files()
        .iter()
        .find(|file| *file.path == *path)
    {
        Some(file) => resource.with_size(file.size),
        None => resource,
    }
}

/// The URI template for other files of a skill.
pub(super) fn file_template() -> ResourceTemplate {
    ResourceTemplate::new("skill://{name}/{+path}", "skill file").with_description(
        "A file of a skill; read the directory `skill://NAME` to list the files of a skill",
    )
}

/// Reads the resource of a URI.
///
/// # Errors
/// If the resource is not found, or the path is not allowed in a skill.
pub(super) fn read_resource(
    served: &ServedCatalog,
    uri: &str,
) -> Result<ResourceContents, ErrorData> {
    let (entry, path) = find_entry(served, uri).ok_or_else(|| not_found(uri))?;

    let bytes = served
        .read(entry, &path)
        .map_err(|error| read_error(&error, uri))?;

    Ok(contents(bytes, uri, &path))
}

/// The children of a directory of a skill.
///
/// # Errors
/// If the directory is not found.
pub(super) fn list_children(served: &ServedCatalog, uri: &str) -> Result<Vec<Resource>, ErrorData> {
    let (entry, path) = find_entry(served, uri).ok_or_else(|| not_found(uri))?;

    let skill = &entry.candidate.listing.name;
    let path = path.strip_suffix('/').unwrap_or(&path);
    let prefix = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };

    let mut children: Vec<Resource> = Vec::new();
    for file in entry.candidate.files() {
        let Some(rest) = file.path.strip_prefix(&*prefix) else {
            continue;
        };

        let child = match rest.split_once('/') {
            None => Resource::new(skill_uri(skill, &file.path), rest)
                .with_mime_type(mime_type(rest))
                .with_size(file.size),
            Some((directory, _)) => {
                Resource::new(skill_uri(skill, &format!("{prefix}{directory}")), directory)
                    .with_mime_type(DIRECTORY_MIME_TYPE)
            }
        };
        // Files are sorted by the bytes of their paths, so those of one directory may have others between them.
        if children.iter().all(|known| known.uri != child.uri) {
            children.push(child);
        }
    }

    if children.is_empty() {
        // A directory exists by its files alone, so an empty one looks like a missing one.
        return Err(ErrorData::invalid_params(
            "directory not found",
            Some(json!({"uri": uri})),
        ));
    }

    Ok(children)
}

/// A file as text, or Base64-encoded if it is not text.
pub(super) fn contents(bytes: Vec<u8>, uri: &str, path: &str) -> ResourceContents {
    let mime_type = mime_type(path);
    match String::from_utf8(bytes) {
        // A NUL is valid UTF-8, but no client can show it as text.
        Ok(text) if !text.contains('\0') => {
            ResourceContents::text(text, uri).with_mime_type(mime_type)
        }
        Ok(text) => ResourceContents::blob(STANDARD.encode(text), uri).with_mime_type(mime_type),
        Err(error) => {
            ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri).with_mime_type(mime_type)
        }
    }
}

/// The media type of a file, by its extension.
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
        // `.ts` is TypeScript here, and not MPEG.
        "txt" | "ts" | "rs" | "go" | "java" | "c" | "h" | "rb" | "ini" | "cfg" => "text/plain",
        _ => "application/octet-stream",
    }
}

/// Whether a skill can be listed in the official extension: a `SKILL.md` with a valid name, and other files within the
/// limits, all of which are allowed in a package.
pub(super) fn fits_extension(entry: &CatalogEntry) -> bool {
    let files = entry.candidate.files();
    // Both limits count all files, the `SKILL.md` too.
    let fits =
        files.len() <= FILES_MAX && files.iter().map(|file| file.size).sum::<u64>() <= BYTES_MAX;

    fits && entry.candidate.listing.facts().named && published_name(entry).is_some()
}

/// The extension's limits for a skill.
const FILES_MAX: usize = 512;
const BYTES_MAX: u64 = 16 << 20;

pub(super) fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("resource not found", Some(json!({"uri": uri})))
}

fn read_error(error: &Error, uri: &str) -> ErrorData {
    ErrorData::resource_not_found(error_text(error), Some(json!({"uri": uri})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_decoded_just_once() {
        assert_eq!(
            skill_uri("pdf", "references/a b#1.md"),
            "skill://pdf/references/a%20b%231.md"
        );
        for (skill, path) in [
            ("pdf", "references/a b#1.md"),
            ("Üb er/x", "ä%2e.md"),
            ("a", "SKILL.md"),
        ] {
            assert_eq!(
                parse_uri(&skill_uri(skill, path)),
                Some((skill.to_owned(), path.to_owned()))
            );
        }
        assert_eq!(
            parse_uri("skill://a/%252e%252e/b"),
            Some(("a".into(), "%2e%2e/b".into()))
        );
        assert_eq!(parse_uri("skill://a"), Some(("a".into(), String::new())));
        for other in [
            "file:///etc/passwd",
            "skill://a/b?c",
            "skill://a/b#c",
            "skill://a/%ff",
        ] {
            assert_eq!(parse_uri(other), None, "{other}");
        }
    }

    #[test]
    fn binary_resource_is_encoded_in_base64() {
        let shown = |bytes: &[u8]| {
            serde_json::to_value(contents(bytes.to_vec(), "skill://a/b.md", "b.md")).unwrap()
        };
        assert_eq!(
            shown("é".as_bytes()),
            json!({"uri": "skill://a/b.md", "mimeType": "text/markdown", "text": "é"})
        );
        assert_eq!(shown(b"a\0b")["blob"], json!("YQBi"));
        assert_eq!(shown(&[0xff])["blob"], json!("/w=="));
    }
}

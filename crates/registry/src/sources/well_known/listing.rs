//! A site's list of its skills: bytes → [`SiteListing`]. Nothing is fetched here.
//!
//! Discovery 0.2 (`$schema` names it): each skill is one file, whose digest is in the list.
//!
//! ```json
//! {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
//!  "skills": [{"name": "pdf", "type": "archive", "description": "…", "url": "pdf.tar.gz", "digest": "sha256:…"}]}
//! ```
//!
//! Discovery 0.1 (no `$schema`): each skill is the files of a folder beside the list. A draft between the two had a digest
//! with each file, and there are lists that name 0.2 and have files; both are read.
//!
//! ```json
//! {"skills": [{"name": "pdf", "description": "…", "files": ["SKILL.md", "references/forms.md"]}]}
//! ```

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{RelPath, Sha256Digest, SkillName, TreeLimits};

/// The `$schema` of discovery 0.2.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Most skills of one site.
const ENTRIES_MAX: usize = 10_000;

/// The list of a site.
#[derive(Debug, Default)]
pub(super) struct SiteListing {
    /// Its skills, in its order.
    pub(super) entries: Vec<SiteEntry>,
    /// The ignored entries, each with its reason.
    pub(super) skipped: Vec<String>,
}

/// One skill that a site lists.
#[derive(Debug)]
pub(super) struct SiteEntry {
    pub(super) name: SkillName,
    pub(super) description: String,
    /// Its files; an error if they may not be fetched.
    pub(super) content: Result<SiteContent>,
}

/// The files of a skill.
#[derive(Debug)]
pub(super) enum SiteContent {
    /// One file, with its digest.
    SingleFile {
        kind: SiteFileKind,
        url: String,
        digest: Sha256Digest,
    },
    /// Its files, one by one.
    FileList(Vec<SiteFile>),
}

/// The format of the one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteFileKind {
    SkillMd,
    Archive,
}

/// One of a skill's files.
#[derive(Debug)]
pub(super) struct SiteFile {
    pub(super) path: RelPath,
    pub(super) url: String,
    /// `None` in most lists of discovery 0.1.
    pub(super) digest: Option<Sha256Digest>,
}

#[derive(Deserialize)]
struct RawListing {
    #[serde(rename = "$schema")]
    schema: Option<Value>,
    skills: Vec<Value>,
}

#[derive(Deserialize)]
struct RawEntry {
    name: String,
    #[serde(default)]
    description: String,
    r#type: Option<String>,
    url: Option<String>,
    digest: Option<String>,
    files: Option<Value>,
}

/// A file in a list: a path, or a path with its digest.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawFile {
    Path(String),
    Digested {
        path: String,
        digest: Option<String>,
    },
}

/// Parses the list that was found at `at`; `may_reach` says whether it may link to a URL.
pub(super) fn parse_listing(
    bytes: &[u8],
    at: &Url,
    may_reach: &dyn Fn(&Url) -> bool,
) -> Result<SiteListing> {
    let raw: RawListing = serde_json::from_slice(bytes)
        .map_err(|cause| Error::negative(format!("invalid list of skills: {cause}")))?;

    // An unknown schema is refused: its fields could mean something else.
    let is_digested = match &raw.schema {
        None => false,
        Some(Value::String(schema)) if schema == SCHEMA => true,
        Some(other) => return Err(unknown_schema(other)),
    };

    if raw.skills.len() > ENTRIES_MAX {
        return Err(Error::integrity(format!(
            "too many skills in the list: {}; the limit is {ENTRIES_MAX}",
            raw.skills.len()
        )));
    }

    // One invalid entry is reported, and the others stay usable.
    let mut listing = SiteListing::default();
    for (number, value) in raw.skills.into_iter().enumerate() {
        match parse_entry(value, is_digested, at, may_reach) {
            Ok(entry) => listing.entries.push(entry),
            Err(reason) => listing
                .skipped
                .push(format!("entry {}: {reason}", number + 1)),
        }
    }
    Ok(listing)
}

fn unknown_schema(found: &Value) -> Error {
    // The site may write anything here, at any length.
    let shown: String = found
        .as_str()
        .map_or_else(|| found.to_string(), str::to_owned)
        .chars()
        .take(200)
        .collect();
    Error::negative("unsupported schema of the list of skills")
    .note(format!("found   {}", shown.escape_debug()))
    .note(format!("wanted  {SCHEMA}, or none"))
    .help("a newer version of skillpm may support it; else ask the site's owners for discovery 0.2")
}

/// Parses one entry; the error says why it is ignored.
fn parse_entry(
    value: Value,
    is_digested: bool,
    at: &Url,
    may_reach: &dyn Fn(&Url) -> bool,
) -> Result<SiteEntry, String> {
    let raw: RawEntry =
        serde_json::from_value(value).map_err(|cause| format!("invalid entry: {cause}"))?;

    let name: SkillName = raw
        .name
        .parse()
        .map_err(|error: Error| error.message().to_owned())?;

    // Without the schema there is no `type`: discovery 0.1 lists files.
    let content = match (raw.r#type.as_deref().filter(|_| is_digested), raw.files) {
        (Some("skill-md"), _) => {
            parse_single_file(SiteFileKind::SkillMd, raw.url, raw.digest, at, may_reach)
        }
        (Some("archive"), _) => {
            parse_single_file(SiteFileKind::Archive, raw.url, raw.digest, at, may_reach)
        }
        (Some(other), _) => {
            // Truncated, as a site may write anything.
            let other: String = other.chars().take(60).collect();
            return Err(format!(
                "unknown type `{}` of `{name}`",
                other.escape_debug()
            ));
        }
        (None, Some(files)) => parse_file_list(&name, files, at),
        (None, None) => return Err(format!("missing `type` or `files` of `{name}`")),
    };

    let content =
        content.map_err(|error| error.wrap(format!("invalid entry `{name}` in the list")));
    Ok(SiteEntry {
        name,
        description: raw.description,
        content,
    })
}

fn parse_single_file(
    form: SiteFileKind,
    url: Option<String>,
    digest: Option<String>,
    at: &Url,
    may_reach: &dyn Fn(&Url) -> bool,
) -> Result<SiteContent> {
    let url = url.ok_or_else(|| Error::integrity("missing `url`"))?;
    let digest = digest.ok_or_else(|| Error::integrity("missing `digest`"))?;

    let shown: String = url.chars().take(200).collect();
    // Relative URLs are usual: the list and its files move together.
    let url = at.join(&url).map_err(|cause| {
        Error::integrity(format!("invalid URL `{}`", shown.escape_debug())).cause(cause.to_string())
    })?;

    // A list could make its readers fetch from any server.
    if !may_reach(&url) {
        let origin = url.origin().ascii_serialization();
        return Err(Error::integrity(format!(
            "refusing to fetch its file from another site: `{}`",
            origin.escape_debug()
        ))
        .note(format!(
            "the list is on `{}`",
            at.origin().ascii_serialization()
        ))
        .help(format!(
            "if you trust both, allow it with `--config well-known.allow-origins={origin}`"
        )));
    }

    Ok(SiteContent::SingleFile {
        kind: form,
        url: url.into(),
        digest: parse_digest(&digest)?,
    })
}

fn parse_digest(text: &str) -> Result<Sha256Digest> {
    // SHA-256 alone: an unknown algorithm could not be verified.
    let digest = text
        .strip_prefix("sha256:")
        .and_then(|hex| hex.parse().ok());

    digest.ok_or_else(|| {
        let shown: String = text.chars().take(100).collect();
        Error::integrity(format!(
            "invalid digest `{}`: expected `sha256:` and 64 hexadecimal digits",
            shown.escape_debug()
        ))
    })
}

/// Parses the files of a skill, which are in a folder of its name beside the list.
fn parse_file_list(name: &SkillName, files: Value, at: &Url) -> Result<SiteContent> {
    let files: Vec<RawFile> = serde_json::from_value(files)
        .map_err(|_| Error::integrity("invalid `files`: expected a list of paths"))?;

    // Before any of them is requested.
    let most = TreeLimits::default().files;
    if files.len() > most {
        return Err(Error::integrity(format!(
            "too many files: {}; the limit is {most}",
            files.len()
        )));
    }

    let mut list = Vec::new();
    for file in files {
        let (path, digest) = match file {
            RawFile::Path(path) => (path, None),
            RawFile::Digested { path, digest } => (path, digest),
        };
        // A path such as `../x` would be fetched from elsewhere, and written elsewhere.
        let path: RelPath = path.parse()?;
        let digest = digest.as_deref().map(parse_digest).transpose()?;
        list.push(SiteFile {
            url: file_url(at, name, &path),
            path,
            digest,
        });
    }

    if !list.iter().any(|file| file.path.as_str() == "SKILL.md") {
        return Err(Error::integrity("missing `SKILL.md` in its `files`"));
    }
    Ok(SiteContent::FileList(list))
}

/// The URL of a file in the folder of a skill.
fn file_url(at: &Url, name: &SkillName, path: &RelPath) -> String {
    let mut url = at.clone();
    // A query of the list's URL may be a secret of that one download.
    url.set_query(None);
    url.set_fragment(None);
    // Segments are encoded as they are added, so that no path leaves the directory.
    url.path_segments_mut()
        .expect("a URL with a host has a path")
        .pop()
        .push(name.as_str())
        .extend(path.parts());
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "https://acme.dev/docs/.well-known/agent-skills/index.json?x=1";

    fn read(text: &str) -> Result<SiteListing> {
        let at = Url::parse(AT).unwrap();
        parse_listing(text.as_bytes(), &at, &|url| url.origin() == at.origin())
    }

    /// A list of discovery 0.2 with one entry.
    fn one(fields: &str) -> SiteListing {
        read(&format!(r#"{{"$schema":"{SCHEMA}","later":1,"skills":[{{"name":"pdf","description":"d",{fields}}}]}}"#))
            .unwrap()
    }

    fn fault(listing: &SiteListing) -> String {
        format!("{:?}", listing.entries[0].content.as_ref().err())
    }

    #[test]
    fn the_url_of_a_file_is_relative_to_the_list() {
        let digest = "0a".repeat(32);
        for (url, expected) in [
            (
                "pdf.tar.gz",
                "https://acme.dev/docs/.well-known/agent-skills/pdf.tar.gz",
            ),
            ("/pdf.zip", "https://acme.dev/pdf.zip"),
            ("../pdf.zip", "https://acme.dev/docs/.well-known/pdf.zip"),
            ("https://acme.dev/x", "https://acme.dev/x"),
        ] {
            let listing = one(&format!(
                r#""type":"archive","url":"{url}","digest":"sha256:{digest}","new":[]"#
            ));
            let Ok(SiteContent::SingleFile {
                kind: SiteFileKind::Archive,
                url,
                ..
            }) = &listing.entries[0].content
            else {
                panic!()
            };
            assert_eq!(url, expected);
        }
    }

    #[test]
    fn another_site_a_weak_digest_and_a_missing_field_are_refused_when_chosen() {
        let digest = "0a".repeat(32);
        for (fields, expected) in [
            (
                format!(
                    r#""type":"archive","url":"https://evil.dev/x","digest":"sha256:{digest}""#
                ),
                "`https://evil.dev`",
            ),
            (
                format!(r#""type":"archive","url":"//evil.dev/x","digest":"sha256:{digest}""#),
                "`https://evil.dev`",
            ),
            (
                format!(r#""type":"archive","url":"http://acme.dev/x","digest":"sha256:{digest}""#),
                "`http://acme.dev`",
            ),
            (
                r#""type":"archive","url":"x","digest":"md5:00""#.into(),
                "invalid digest",
            ),
            (r#""type":"skill-md","url":"x""#.into(), "missing `digest`"),
            (r#""files":["SKILL.md","../../evil"]"#.into(), "../../evil"),
            (
                r#""files":["/etc/passwd","SKILL.md"]"#.into(),
                "/etc/passwd",
            ),
            (r#""files":["skill.md"]"#.into(), "missing `SKILL.md`"),
            (r#""files":"SKILL.md""#.into(), "expected a list of paths"),
        ] {
            let listing = one(&fields);
            assert!(fault(&listing).contains(expected), "{}", fault(&listing));
        }
    }

    #[test]
    fn an_unknown_type_and_an_invalid_name_are_ignored_with_a_reason() {
        let text = format!(
            r#"{{"$schema":"{SCHEMA}","skills":[{{"name":"a","type":"oci","url":"x"}},{{"name":"../up","files":["SKILL.md"]}},
            {{"name":"b"}},7,{{"name":"ok","files":["SKILL.md"]}}]}}"#
        );
        let listing = read(&text).unwrap();
        assert_eq!(
            listing
                .entries
                .iter()
                .map(|entry| entry.name.as_str())
                .collect::<Vec<_>>(),
            ["ok"]
        );
        assert_eq!(listing.skipped.len(), 4);
        assert_eq!(listing.skipped[0], "entry 1: unknown type `oci` of `a`");
    }

    #[test]
    fn without_a_schema_only_the_files_are_read() {
        let text = r#"{"skills":[{"name":"pdf","type":"archive","url":"https://evil.dev","files":["SKILL.md",
            {"path":"a b/ü%.md","digest":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"}]}]}"#;
        let listing = read(text).unwrap();
        let Ok(SiteContent::FileList(files)) = &listing.entries[0].content else {
            panic!("{listing:?}")
        };
        let urls: Vec<&str> = files.iter().map(|file| file.url.as_str()).collect();
        let folder = "https://acme.dev/docs/.well-known/agent-skills/pdf";
        assert_eq!(
            urls,
            [
                format!("{folder}/SKILL.md"),
                format!("{folder}/a%20b/%C3%BC%25.md")
            ]
        );
        assert!(files[0].digest.is_none() && files[1].digest.is_some());
    }

    #[test]
    fn an_unknown_schema_is_refused() {
        for schema in [
            r#""https://schemas.agentskills.io/discovery/0.3.0/schema.json""#,
            "7",
            "null",
        ] {
            let text = format!(
                r#"{{"$schema":{schema},"skills":[{{"name":"pdf","files":["SKILL.md"]}}]}}"#
            );
            let is_refused = read(&text).is_err();
            assert_eq!(is_refused, schema != "null", "{schema}");
        }
        assert!(read("<!doctype html>").is_err());
        assert!(read("[]").is_err());
    }

    #[test]
    fn a_list_that_is_too_long_is_refused() {
        let entries = vec!["7"; ENTRIES_MAX + 1].join(",");
        assert!(read(&format!(r#"{{"skills":[{entries}]}}"#)).is_err());
    }
}

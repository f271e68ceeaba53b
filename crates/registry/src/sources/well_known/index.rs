//! The list that a site gives of its skills: bytes → [`Listing`]. Nothing is fetched here.
//!
//! Discovery 0.2 (`$schema` names it): each skill is one file, whose digest the list tells.
//!
//! ```json
//! {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
//!  "skills": [{"name": "pdf", "type": "archive", "description": "…", "url": "pdf.tar.gz", "digest": "sha256:…"}]}
//! ```
//!
//! Discovery 0.1 (no `$schema`): each skill is the files of a folder beside the list. Between the two there was a draft
//! that gave a digest with each of them, and there are lists that name 0.2 and have files; both are read.
//!
//! ```json
//! {"skills": [{"name": "pdf", "description": "…", "files": ["SKILL.md", "references/forms.md"]}]}
//! ```

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::error::{Error, Result};
use crate::package::{Limits, RelPath, Sha256, SkillName};

/// The `$schema` of discovery 0.2.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Most skills of one site.
const ENTRIES_MAX: usize = 10_000;

/// What a site lists.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Its skills, in its order.
    pub(super) entries: Vec<Entry>,
    /// What was passed over, each with its reason.
    pub(super) skipped: Vec<String>,
}

/// One skill that a site lists.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: SkillName,
    pub(super) description: String,
    /// What it consists of; the error says why it may not be had.
    pub(super) content: Result<Content>,
}

/// What a skill of a site consists of.
#[derive(Debug)]
pub(super) enum Content {
    /// One file, with its digest.
    Whole { form: Form, url: String, digest: Sha256 },
    /// Its files, one by one.
    Loose(Vec<Loose>),
}

/// What the one file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    SkillMd,
    Archive,
}

/// One of a skill's files.
#[derive(Debug)]
pub(super) struct Loose {
    pub(super) path: RelPath,
    pub(super) url: String,
    /// Most lists tell none.
    pub(super) digest: Option<Sha256>,
}

#[derive(Deserialize)]
struct Raw {
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

/// How the list of files is written: paths, or with their digests.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawFile {
    Path(String),
    Digested { path: String, digest: Option<String> },
}

/// Reads the list that was found at `at`; `may_reach` says whether it may point to a URL.
pub(super) fn parse(bytes: &[u8], at: &Url, may_reach: &dyn Fn(&Url) -> bool) -> Result<Listing> {
    let raw: Raw =
        serde_json::from_slice(bytes).map_err(|cause| Error::negative(format!("it is no list of skills: {cause}")))?;
    let is_digested = match &raw.schema {
        None => false,
        Some(Value::String(schema)) if schema == SCHEMA => true,
        Some(other) => return Err(unknown_schema(other)),
    };
    if raw.skills.len() > ENTRIES_MAX {
        return Err(Error::integrity(format!("it lists {} skills; the limit is {ENTRIES_MAX}", raw.skills.len())));
    }
    let mut listing = Listing::default();
    for (number, value) in raw.skills.into_iter().enumerate() {
        match entry(value, is_digested, at, may_reach) {
            Ok(entry) => listing.entries.push(entry),
            Err(reason) => listing.skipped.push(format!("entry {}: {reason}", number + 1)),
        }
    }
    Ok(listing)
}

fn unknown_schema(found: &Value) -> Error {
    let shown: String = found.as_str().map_or_else(|| found.to_string(), str::to_owned).chars().take(200).collect();
    Error::negative("its list of skills is of a form that this skillpm does not know, and was not read")
        .note(format!("found   {}", shown.escape_debug()))
        .note(format!("wanted  {SCHEMA}, or none"))
        .help("a newer skillpm may read it; ask the site's owners for discovery 0.2 meanwhile")
}

/// One entry; the error says why it is passed over.
fn entry(value: Value, is_digested: bool, at: &Url, may_reach: &dyn Fn(&Url) -> bool) -> Result<Entry, String> {
    let raw: RawEntry = serde_json::from_value(value).map_err(|cause| format!("it cannot be read: {cause}"))?;
    let name: SkillName = raw.name.parse().map_err(|error: Error| error.message().to_owned())?;
    let content = match (raw.r#type.as_deref().filter(|_| is_digested), raw.files) {
        (Some("skill-md"), _) => whole(Form::SkillMd, raw.url, raw.digest, at, may_reach),
        (Some("archive"), _) => whole(Form::Archive, raw.url, raw.digest, at, may_reach),
        (Some(other), _) => {
            let other: String = other.chars().take(60).collect();
            return Err(format!("`{name}` is of the unknown type `{}`", other.escape_debug()));
        }
        (None, Some(files)) => loose(&name, files, at),
        (None, None) => return Err(format!("`{name}` says neither its `type` nor its `files`")),
    };
    let content = content.map_err(|error| error.wrap(format!("`{name}` cannot be taken as it is listed")));
    Ok(Entry { name, description: raw.description, content })
}

fn whole(
    form: Form,
    url: Option<String>,
    digest: Option<String>,
    at: &Url,
    may_reach: &dyn Fn(&Url) -> bool,
) -> Result<Content> {
    let url = url.ok_or_else(|| Error::integrity("it has no `url`"))?;
    let digest = digest.ok_or_else(|| Error::integrity("it has no `digest`"))?;
    let shown: String = url.chars().take(200).collect();
    let url = at
        .join(&url)
        .map_err(|cause| Error::integrity(format!("`{}` is no URL", shown.escape_debug())).cause(cause.to_string()))?;
    if !may_reach(&url) {
        let origin = url.origin().ascii_serialization();
        return Err(Error::integrity(format!("its file is on another site: `{}`", origin.escape_debug()))
            .note(format!("the list is on `{}`", at.origin().ascii_serialization()))
            .help(format!("if you trust both, allow it with `--config well-known.allow-origins={origin}`")));
    }
    Ok(Content::Whole { form, url: url.into(), digest: sha256(&digest)? })
}

fn sha256(text: &str) -> Result<Sha256> {
    let digest = text.strip_prefix("sha256:").and_then(|hex| hex.parse().ok());
    digest.ok_or_else(|| {
        let shown: String = text.chars().take(100).collect();
        Error::integrity(format!("`{}` is not a digest; `sha256:` and 64 digits were expected", shown.escape_debug()))
    })
}

/// The files of a folder that is called like the skill, beside the list.
fn loose(name: &SkillName, files: Value, at: &Url) -> Result<Content> {
    let files: Vec<RawFile> =
        serde_json::from_value(files).map_err(|_| Error::integrity("its `files` are no list of paths"))?;
    let most = Limits::default().files;
    if files.len() > most {
        return Err(Error::integrity(format!("it has {} files; the limit is {most}", files.len())));
    }
    let mut list = Vec::new();
    for file in files {
        let (path, digest) = match file {
            RawFile::Path(path) => (path, None),
            RawFile::Digested { path, digest } => (path, digest),
        };
        let path: RelPath = path.parse()?;
        let digest = digest.as_deref().map(sha256).transpose()?;
        list.push(Loose { url: beside(at, name, &path), path, digest });
    }
    if !list.iter().any(|file| file.path.as_str() == "SKILL.md") {
        return Err(Error::integrity("there is no `SKILL.md` among its `files`"));
    }
    Ok(Content::Loose(list))
}

/// The URL of a file in the folder of a skill.
fn beside(at: &Url, name: &SkillName, path: &RelPath) -> String {
    let mut url = at.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.path_segments_mut().expect("a URL with a host has a path").pop().push(name.as_str()).extend(path.parts());
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "https://acme.dev/docs/.well-known/agent-skills/index.json?x=1";

    fn read(text: &str) -> Result<Listing> {
        let at = Url::parse(AT).unwrap();
        parse(text.as_bytes(), &at, &|url| url.origin() == at.origin())
    }

    /// A list of discovery 0.2 with one entry.
    fn one(fields: &str) -> Listing {
        read(&format!(r#"{{"$schema":"{SCHEMA}","later":1,"skills":[{{"name":"pdf","description":"d",{fields}}}]}}"#))
            .unwrap()
    }

    fn fault(listing: &Listing) -> String {
        format!("{:?}", listing.entries[0].content.as_ref().err())
    }

    #[test]
    fn the_url_of_a_file_is_seen_from_the_list() {
        let digest = "0a".repeat(32);
        for (url, meant) in [
            ("pdf.tar.gz", "https://acme.dev/docs/.well-known/agent-skills/pdf.tar.gz"),
            ("/pdf.zip", "https://acme.dev/pdf.zip"),
            ("../pdf.zip", "https://acme.dev/docs/.well-known/pdf.zip"),
            ("https://acme.dev/x", "https://acme.dev/x"),
        ] {
            let listing = one(&format!(r#""type":"archive","url":"{url}","digest":"sha256:{digest}","new":[]"#));
            let Ok(Content::Whole { form: Form::Archive, url, .. }) = &listing.entries[0].content else { panic!() };
            assert_eq!(url, meant);
        }
    }

    #[test]
    fn another_site_a_weak_digest_and_a_missing_field_are_refused_when_it_is_chosen() {
        let digest = "0a".repeat(32);
        for (fields, expected) in [
            (
                format!(r#""type":"archive","url":"https://evil.dev/x","digest":"sha256:{digest}""#),
                "`https://evil.dev`",
            ),
            (format!(r#""type":"archive","url":"//evil.dev/x","digest":"sha256:{digest}""#), "`https://evil.dev`"),
            (format!(r#""type":"archive","url":"http://acme.dev/x","digest":"sha256:{digest}""#), "`http://acme.dev`"),
            (r#""type":"archive","url":"x","digest":"md5:00""#.into(), "is not a digest"),
            (r#""type":"skill-md","url":"x""#.into(), "no `digest`"),
            (r#""files":["SKILL.md","../../evil"]"#.into(), "../../evil"),
            (r#""files":["/etc/passwd","SKILL.md"]"#.into(), "/etc/passwd"),
            (r#""files":["skill.md"]"#.into(), "no `SKILL.md`"),
            (r#""files":"SKILL.md""#.into(), "no list of paths"),
        ] {
            let listing = one(&fields);
            assert!(fault(&listing).contains(expected), "{}", fault(&listing));
        }
    }

    #[test]
    fn an_unknown_type_and_a_bad_name_are_passed_over_and_told() {
        let text = format!(
            r#"{{"$schema":"{SCHEMA}","skills":[{{"name":"a","type":"oci","url":"x"}},{{"name":"../up","files":["SKILL.md"]}},
            {{"name":"b"}},7,{{"name":"ok","files":["SKILL.md"]}}]}}"#
        );
        let listing = read(&text).unwrap();
        assert_eq!(listing.entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["ok"]);
        assert_eq!(listing.skipped.len(), 4);
        assert_eq!(listing.skipped[0], "entry 1: `a` is of the unknown type `oci`");
    }

    #[test]
    fn without_a_schema_the_files_count_and_nothing_else() {
        let text = r#"{"skills":[{"name":"pdf","type":"archive","url":"https://evil.dev","files":["SKILL.md",
            {"path":"a b/ü%.md","digest":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"}]}]}"#;
        let listing = read(text).unwrap();
        let Ok(Content::Loose(files)) = &listing.entries[0].content else { panic!("{listing:?}") };
        let urls: Vec<&str> = files.iter().map(|file| file.url.as_str()).collect();
        let folder = "https://acme.dev/docs/.well-known/agent-skills/pdf";
        assert_eq!(urls, [format!("{folder}/SKILL.md"), format!("{folder}/a%20b/%C3%BC%25.md")]);
        assert!(files[0].digest.is_none() && files[1].digest.is_some());
    }

    #[test]
    fn an_unknown_form_is_not_read_at_all() {
        for schema in [r#""https://schemas.agentskills.io/discovery/0.3.0/schema.json""#, "7", "null"] {
            let text = format!(r#"{{"$schema":{schema},"skills":[{{"name":"pdf","files":["SKILL.md"]}}]}}"#);
            let is_refused = read(&text).is_err();
            assert_eq!(is_refused, schema != "null", "{schema}");
        }
        assert!(read("<!doctype html>").is_err());
        assert!(read("[]").is_err());
    }

    #[test]
    fn a_list_without_end_is_refused() {
        let entries = vec!["7"; ENTRIES_MAX + 1].join(",");
        assert!(read(&format!(r#"{{"skills":[{entries}]}}"#)).is_err());
    }
}

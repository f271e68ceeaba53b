//! `clawhub`: one file for a directory of skills, and one in each skill.
//!
//! ```json
//! {"version": 1, "skills": {"pdf": {"version": "1.2.3", "installedAt": 1763766000000}}}
//! {"version": 1, "registry": "https://clawhub.ai", "slug": "pdf", "installedVersion": "1.2.3",
//!  "installedAt": 1763766000000, "fingerprint": "9f2c…"}
//! ```
//!
//! What comes from the hub itself has no source that skillpm reads. An entry whose `sourceRepository` and `sourcePath` name
//! a repository has one, and its version is a commit then.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Claim, Origin, Proof, Record, Tool, directory, git, repository};

/// Where the file of a skill is in its directory.
pub(super) const ORIGIN: &str = ".clawhub/origin.json";
/// Where it was.
pub(super) const FORMER_ORIGIN: &str = ".clawdhub/origin.json";

#[derive(Deserialize)]
struct Lock {
    version: u64,
    #[serde(default)]
    skills: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(alias = "installedVersion")]
    version: Option<String>,
    installed_at: Option<i64>,
    source_repository: Option<String>,
    source_path: Option<String>,
    slug: Option<String>,
    fingerprint: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    version: u64,
    slug: String,
    installed_version: String,
    installed_at: Option<i64>,
    source_repository: Option<String>,
    source_path: Option<String>,
    fingerprint: Option<String>,
}

pub(super) fn lock(text: &str) -> Result<Record, String> {
    let lock: Lock = serde_json::from_str(text).map_err(|error| error.to_string())?;
    known(lock.version)?;
    let claims = lock.skills.into_iter().map(|(key, entry)| claim(&key, &entry)).collect();
    Ok(Record { claims, ..Record::default() })
}

pub(super) fn origin(text: &str, name: &str) -> Result<Claim, String> {
    let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
    known(written.version)?;
    let Written { slug, installed_version, installed_at, source_repository, source_path, fingerprint, .. } = written;
    let version = Some(installed_version);
    Ok(claim(name, &Entry { version, installed_at, source_repository, source_path, slug: Some(slug), fingerprint }))
}

fn known(version: u64) -> Result<(), String> {
    if version == 1 { Ok(()) } else { Err(format!("it is of version {version}, and version 1 is known")) }
}

fn claim(key: &str, entry: &Entry) -> Claim {
    // A key may name the owner, too; the directory never does.
    let name = key.rsplit('/').next().unwrap_or(key);
    Claim {
        tool: Tool::Clawhub,
        name: Some(name.to_owned()),
        origin: place(entry.slug.as_deref().unwrap_or(name), entry),
        proof: entry.fingerprint.as_deref().and_then(|hash| hash.parse().ok()).map_or(Proof::None, Proof::Fingerprint),
        installed: entry.installed_at.map(|milliseconds| milliseconds.div_euclid(1000)),
        dev: false,
    }
}

fn place(slug: &str, entry: &Entry) -> Result<Origin, String> {
    let Some(source) = &entry.source_repository else {
        let version = entry.version.as_deref().unwrap_or("?");
        return Err(format!(
            "`{}` {} comes from ClawHub itself, which is no source that skillpm reads",
            slug.escape_debug(),
            version.escape_debug()
        ));
    };
    let mut origin = git(repository(source, "github.com")?);
    if let Origin::Git { path, commit, .. } = &mut origin {
        *path = entry.source_path.as_deref().map(directory).transpose()?;
        let is_commit = |text: &&String| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        *commit = entry.version.as_ref().filter(is_commit).cloned();
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_the_hub_itself_has_no_source_and_the_rest_has_a_repository() {
        let commit = "6838e77d0c5b1f3a6838e77d0c5b1f3a6838e77d";
        let text = format!(
            r#"{{"version":1,"skills":{{"pdf":{{"version":"1.2.3","installedAt":1763766000000}},
            "acme/csv":{{"version":"{commit}","installedAt":1,"sourceRepository":"acme/skills","sourcePath":"csv"}}}}}}"#
        );
        let claims = lock(&text).unwrap().claims;
        let Origin::Git { path, commit: found, .. } = claims[0].origin.clone().unwrap() else { panic!("{claims:?}") };
        assert_eq!((claims[0].name.as_deref(), path.as_deref()), (Some("csv"), Some("csv")));
        assert_eq!(found.as_deref(), Some(commit));
        assert!(claims[1].origin.as_ref().is_err_and(|why| why.contains("ClawHub itself")));
        assert_eq!(claims[1].installed, Some(1_763_766_000));
    }
}

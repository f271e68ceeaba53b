//! `clawhub`: reads its lockfile for a directory of skills, and its file in each skill.
//!
//! ```json
//! {"version": 1, "skills": {"pdf": {"version": "1.2.3", "installedAt": 1763766000000}}}
//! {"version": 1, "registry": "https://clawhub.ai", "slug": "pdf", "installedVersion": "1.2.3",
//!  "installedAt": 1763766000000, "fingerprint": "9f2c…"}
//! ```
//!
//! Skills from the hub itself are an unsupported source. An entry with `sourceRepository` and
//! `sourcePath` is from a repository; its version is a commit.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    ClaimOrigin, ContentProof, ForeignRecord, ForeignTool, SkillClaim, git_origin, parse_directory,
    parse_repository,
};

/// The path of the tool's file in a skill's directory.
pub(super) const ORIGIN: &str = ".clawhub/origin.json";
/// The path that earlier versions of the tool used.
pub(super) const FORMER_ORIGIN: &str = ".clawdhub/origin.json";

#[derive(Deserialize)]
struct ClawhubLockfile {
    version: u64,
    #[serde(default)]
    skills: BTreeMap<String, ClawhubEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClawhubEntry {
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
struct ClawhubOrigin {
    version: u64,
    slug: String,
    installed_version: String,
    installed_at: Option<i64>,
    source_repository: Option<String>,
    source_path: Option<String>,
    fingerprint: Option<String>,
}

pub(super) fn parse_lock(text: &str) -> Result<ForeignRecord, String> {
    let lock: ClawhubLockfile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // Before the claims are used: another version may mean something else by the same keys.
    check_version(lock.version)?;

    let claims = lock
        .skills
        .into_iter()
        .map(|(key, entry)| claim(&key, &entry))
        .collect();

    Ok(ForeignRecord {
        claims,
        ..ForeignRecord::default()
    })
}

pub(super) fn parse_origin(text: &str, name: &str) -> Result<SkillClaim, String> {
    let written: ClawhubOrigin = serde_json::from_str(text).map_err(|error| error.to_string())?;
    check_version(written.version)?;

    let ClawhubOrigin {
        slug,
        installed_version,
        installed_at,
        source_repository,
        source_path,
        fingerprint,
        ..
    } = written;

    // The same entry as in the lockfile, under other keys.
    let version = Some(installed_version);
    Ok(claim(
        name,
        &ClawhubEntry {
            version,
            installed_at,
            source_repository,
            source_path,
            slug: Some(slug),
            fingerprint,
        },
    ))
}

fn check_version(version: u64) -> Result<(), String> {
    if version == 1 {
        Ok(())
    } else {
        Err(format!(
            "unsupported version {version}: this skillpm reads version 1"
        ))
    }
}

fn claim(key: &str, entry: &ClawhubEntry) -> SkillClaim {
    // A key may be `owner/name`; the directory is always `name`.
    let name = key.rsplit('/').next().unwrap_or(key);
    SkillClaim {
        tool: ForeignTool::Clawhub,
        name: Some(name.to_owned()),
        origin: entry_origin(entry.slug.as_deref().unwrap_or(name), entry),
        proof: entry
            .fingerprint
            .as_deref()
            .and_then(|hash| hash.parse().ok())
            .map_or(ContentProof::None, ContentProof::Fingerprint),
        installed: entry
            .installed_at
            .map(|milliseconds| milliseconds.div_euclid(1000)),
        dev: false,
    }
}

fn entry_origin(slug: &str, entry: &ClawhubEntry) -> Result<ClaimOrigin, String> {
    // A skill that was uploaded to ClawHub has no repository that it could be fetched from.
    let Some(source) = &entry.source_repository else {
        let version = entry.version.as_deref().unwrap_or("?");
        return Err(format!(
            "unsupported source: `{}` {} comes from ClawHub itself",
            slug.escape_debug(),
            version.escape_debug()
        ));
    };

    let mut origin = git_origin(parse_repository(source, "github.com")?);
    if let ClaimOrigin::Git { path, commit, .. } = &mut origin {
        *path = entry
            .source_path
            .as_deref()
            .map(parse_directory)
            .transpose()?;
        // The version of a skill from a repository is a commit.
        let is_commit =
            |text: &&String| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        *commit = entry.version.as_ref().filter(is_commit).cloned();
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_of_the_hub_have_no_source_and_others_have_a_repository() {
        let commit = "6838e77d0c5b1f3a6838e77d0c5b1f3a6838e77d";
        let text = format!(
            r#"{{"version":1,"skills":{{"pdf":{{"version":"1.2.3","installedAt":1763766000000}},
            "acme/csv":{{"version":"{commit}","installedAt":1,"sourceRepository":"acme/skills","sourcePath":"csv"}}}}}}"#
        );
        let claims = parse_lock(&text).unwrap().claims;
        let ClaimOrigin::Git {
            path,
            commit: found,
            ..
        } = claims[0].origin.clone().unwrap()
        else {
            panic!("{claims:?}")
        };
        assert_eq!(
            (claims[0].name.as_deref(), path.as_deref()),
            (Some("csv"), Some("csv"))
        );
        assert_eq!(found.as_deref(), Some(commit));
        assert!(
            claims[1]
                .origin
                .as_ref()
                .is_err_and(|why| why.contains("ClawHub itself"))
        );
        assert_eq!(claims[1].installed, Some(1_763_766_000));
    }
}

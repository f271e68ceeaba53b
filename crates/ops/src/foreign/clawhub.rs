//! `clawhub`: reads its lockfile for a directory of skills, and its file in each skill.
//!
//! ```json
//! {"version": 1, "skills": {"pdf": {"version": "1.2.3", "installedAt": 1763766000000}}}
//! {"version": 1, "registry": "https://clawhub.ai", "slug": "pdf", "installedVersion": "1.2.3",
//!  "installedAt": 1763766000000, "fingerprint": "9f2c…"}
//! ```
//!
//! An entry with `sourceRepository` and `sourcePath` is from a repository; its version is a commit. The others are from
//! the hub itself.

use std::collections::BTreeMap;

use semver::Version;
use serde::Deserialize;

use super::{
    ClaimOrigin, ContentProof, ForeignRecord, ForeignTool, SkillClaim, git_origin, parse_directory,
    parse_repository,
};
use skillpm_core::error::Error;
use skillpm_core::package::PackageName;

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
    owner_handle: Option<String>,
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
    owner_handle: Option<String>,
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
        owner_handle,
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
            owner_handle,
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
    let (owner, name) = match key.rsplit_once('/') {
        Some((owner, name)) => (Some(owner.trim_start_matches('@')), name),
        None => (None, key),
    };
    let slug = entry.slug.as_deref().unwrap_or(name);
    SkillClaim {
        tool: ForeignTool::Clawhub,
        name: Some(name.to_owned()),
        origin: entry_origin(entry.owner_handle.as_deref().or(owner), slug, entry),
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

fn entry_origin(
    owner: Option<&str>,
    slug: &str,
    entry: &ClawhubEntry,
) -> Result<ClaimOrigin, String> {
    // A skill that was uploaded to ClawHub has no repository that it could be fetched from.
    let Some(source) = &entry.source_repository else {
        return hub_origin(owner, slug, entry.version.as_deref());
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

fn hub_origin(
    owner: Option<&str>,
    slug: &str,
    version: Option<&str>,
) -> Result<ClaimOrigin, String> {
    // A handle that no name can have is left out: the slug alone finds the skill, too.
    let scoped = owner.and_then(|owner| {
        format!("{}/{slug}", owner.to_ascii_lowercase())
            .parse::<PackageName>()
            .ok()
    });
    let name = match scoped {
        Some(name) => name,
        None => slug
            .parse()
            .map_err(|error: Error| error.message().to_owned())?,
    };

    let version = version
        .map(|text| {
            Version::parse(text)
                .map_err(|error| format!("invalid version `{}`: {error}", text.escape_debug()))
        })
        .transpose()?;
    Ok(ClaimOrigin::ClawHub { name, version })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_are_of_the_hub_or_of_a_repository() {
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
        assert_eq!(
            claims[1].origin,
            Ok(ClaimOrigin::ClawHub {
                name: "pdf".parse().unwrap(),
                version: Some(Version::new(1, 2, 3)),
            })
        );
        assert_eq!(claims[1].installed, Some(1_763_766_000));
    }
}

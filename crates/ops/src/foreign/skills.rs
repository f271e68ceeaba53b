//! `npx skills`: reads its lockfile of a project and that of the user.
//!
//! ```json
//! {"version": 1,
//!  "skills": {"pdf": {"source": "acme/skills", "ref": "main", "sourceType": "github",
//!                     "skillPath": "skills/pdf/SKILL.md", "computedHash": "9201a53b…"}}}
//! ```
//!
//! The user's file has version 3, and instead of `computedHash` it has `skillFolderHash` (for a
//! repository on GitHub, the git tree id of the directory), `installedAt` and `updatedAt`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    ClaimOrigin, ContentProof, ForeignRecord, ForeignTool, SkillClaim, git_origin, parse_directory,
    parse_repository, parse_timestamp,
};

#[derive(Deserialize)]
struct SkillsLockfile {
    version: u64,
    #[serde(default)]
    skills: BTreeMap<String, SkillsLockEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SkillsLockEntry {
    source: String,
    source_url: Option<String>,
    source_type: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    skill_path: Option<String>,
    computed_hash: Option<String>,
    skill_folder_hash: Option<String>,
    source_base_url: Option<String>,
    updated_at: Option<String>,
}

pub(super) fn parse_project_lock(text: &str) -> Result<ForeignRecord, String> {
    parse_lock(text, 1)
}

pub(super) fn parse_user_lock(text: &str) -> Result<ForeignRecord, String> {
    parse_lock(text, 3)
}

fn parse_lock(text: &str, version: u64) -> Result<ForeignRecord, String> {
    let lock: SkillsLockfile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if lock.version != version {
        return Err(format!(
            "unsupported version {}: this skillpm reads version {version}",
            lock.version
        ));
    }

    let claims = lock
        .skills
        .into_iter()
        .map(|(name, entry)| claim(&name, &entry))
        .collect();

    Ok(ForeignRecord {
        claims,
        ..ForeignRecord::default()
    })
}

fn claim(name: &str, entry: &SkillsLockEntry) -> SkillClaim {
    let proof = entry
        .computed_hash
        .as_deref()
        .or(entry.skill_folder_hash.as_deref());

    SkillClaim {
        tool: ForeignTool::Skills,
        name: Some(directory_name(name)),
        origin: entry_origin(entry),
        // A git tree id is not a SHA-256: it does not parse, and proves nothing about the files.
        proof: proof
            .and_then(|hash| hash.parse().ok())
            .map_or(ContentProof::None, ContentProof::Skills),
        installed: entry.updated_at.as_deref().and_then(parse_timestamp),
        dev: false,
    }
}

/// The directory that the tool creates for a skill of this name.
fn directory_name(name: &str) -> String {
    let mut dir = String::new();
    // A run of other characters becomes one hyphen, as in the tool.
    for c in name.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '.' | '_' => dir.push(c),
            _ if dir.ends_with('-') => {}
            _ => dir.push('-'),
        }
    }
    dir.trim_matches(['.', '-']).chars().take(255).collect()
}

fn parse_site(url: &str) -> Result<ClaimOrigin, String> {
    url.parse()
        .map(ClaimOrigin::Site)
        .map_err(|error: skillpm_core::error::Error| error.message().to_owned())
}

fn entry_origin(entry: &SkillsLockEntry) -> Result<ClaimOrigin, String> {
    // The URL if there is one: `source` may be short, such as `owner/repo`.
    let place = entry.source_url.as_deref().unwrap_or(&entry.source);
    let url = match entry.source_type.as_deref() {
        Some("local") => return Ok(ClaimOrigin::Path(entry.source.clone())),
        Some("node_modules") => {
            return Err(format!(
                "unsupported source: npm package `{}`",
                entry.source
            ));
        }
        Some("well-known") => {
            return parse_site(entry.source_base_url.as_deref().unwrap_or(place));
        }
        Some("gitlab") => parse_repository(place, "gitlab.com")?,
        Some("github" | "git") | None => parse_repository(place, "github.com")?,
        Some(other) => {
            return Err(format!("unknown source type `{}`", other.escape_debug()));
        }
    };

    let mut origin = git_origin(url);
    if let ClaimOrigin::Git {
        reference,
        path,
        tree,
        ..
    } = &mut origin
    {
        reference.clone_from(&entry.reference);
        *path = entry
            .skill_path
            .as_deref()
            .map(parse_directory)
            .transpose()?;
        // Only for a repository on GitHub it is the git tree id of the directory.
        let is_id =
            |hash: &&String| hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        *tree = entry.skill_folder_hash.as_ref().filter(is_id).cloned();
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_the_directories_of_the_tool() {
        for (name, dir) in [
            ("pdf", "pdf"),
            ("My  Skill!", "my-skill"),
            (".x_1-", "x_1"),
            ("a/../b", "a-..-b"),
        ] {
            assert_eq!(directory_name(name), dir);
        }
    }

    #[test]
    fn user_entries_have_the_tree_id_of_the_directory() {
        let text = r#"{"version":3,"skills":{"pdf":{"source":"acme/skills","sourceType":"github",
            "sourceUrl":"https://github.com/acme/skills.git","skillPath":"skills/pdf/SKILL.md",
            "skillFolderHash":"51a0000000000000000000000000000000000000","installedAt":"2026-01-01T00:00:00.000Z",
            "updatedAt":"2026-01-02T00:00:00.000Z"}},"dismissed":{},"lastSelectedAgents":["claude-code"]}"#;
        let record = parse_user_lock(text).unwrap();
        let ClaimOrigin::Git {
            url, path, tree, ..
        } = record.claims[0].origin.clone().unwrap()
        else {
            panic!("{record:?}")
        };
        assert_eq!(url.as_str(), "https://github.com/acme/skills.git");
        assert_eq!(
            (path.as_deref(), tree.map(|tree| tree.len())),
            (Some("skills/pdf"), Some(40))
        );
        assert_eq!(
            (&record.claims[0].proof, record.claims[0].installed),
            (&ContentProof::None, Some(1_767_312_000))
        );
        assert!(
            parse_user_lock(r#"{"version":2,"skills":{}}"#)
                .is_err_and(|why| why.contains("version 2"))
        );
    }

    #[test]
    fn credentials_in_a_source_are_not_printed() {
        let text = r#"{"version":1,"skills":{"pdf":{"source":"https://u:hunter2@acme.dev/x","sourceType":"git"}}}"#;
        let claims = parse_project_lock(text).unwrap().claims;
        assert!(
            claims[0]
                .origin
                .as_ref()
                .is_err_and(|why| why.contains("credentials") && !why.contains("hunter2"))
        );
    }
}

//! `npx skills`: one file for a project, another for a user.
//!
//! ```json
//! {"version": 1,
//!  "skills": {"pdf": {"source": "acme/skills", "ref": "main", "sourceType": "github",
//!                     "skillPath": "skills/pdf/SKILL.md", "computedHash": "9201a53b…"}}}
//! ```
//!
//! For a user the version is 3, and in place of `computedHash` there are `skillFolderHash`, which for a repository on GitHub
//! is the git id of the directory, and the times `installedAt` and `updatedAt`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Claim, Origin, Proof, Record, Tool, directory, git, repository, seconds};

#[derive(Deserialize)]
struct Lock {
    version: u64,
    #[serde(default)]
    skills: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
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

pub(super) fn project(text: &str) -> Result<Record, String> {
    read(text, 1)
}

pub(super) fn user(text: &str) -> Result<Record, String> {
    read(text, 3)
}

fn read(text: &str, version: u64) -> Result<Record, String> {
    let lock: Lock = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if lock.version != version {
        return Err(format!("it is of version {}, and version {version} is known", lock.version));
    }
    let claims = lock.skills.into_iter().map(|(name, entry)| claim(&name, &entry)).collect();
    Ok(Record { claims, ..Record::default() })
}

fn claim(name: &str, entry: &Entry) -> Claim {
    let proof = entry.computed_hash.as_deref().or(entry.skill_folder_hash.as_deref());
    Claim {
        tool: Tool::Skills,
        name: Some(on_disk(name)),
        origin: origin(entry),
        proof: proof.and_then(|hash| hash.parse().ok()).map_or(Proof::None, Proof::Skills),
        installed: entry.updated_at.as_deref().and_then(seconds),
        dev: false,
    }
}

/// The directory that a skill of this name gets.
fn on_disk(name: &str) -> String {
    let mut dir = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '.' | '_' => dir.push(c),
            _ if dir.ends_with('-') => {}
            _ => dir.push('-'),
        }
    }
    dir.trim_matches(['.', '-']).chars().take(255).collect()
}

fn origin(entry: &Entry) -> Result<Origin, String> {
    let place = entry.source_url.as_deref().unwrap_or(&entry.source);
    let url = match entry.source_type.as_deref() {
        Some("local") => return Ok(Origin::Path(entry.source.clone())),
        Some("node_modules") => return Err(format!("it comes with the npm package `{}`", entry.source)),
        Some("well-known") => {
            let site = entry.source_base_url.as_deref().unwrap_or(place);
            return site.parse().map(Origin::Site).map_err(|error: crate::error::Error| error.message().to_owned());
        }
        Some("gitlab") => repository(place, "gitlab.com")?,
        Some("github" | "git") | None => repository(place, "github.com")?,
        Some(other) => return Err(format!("its source is of the sort `{}`", other.escape_debug())),
    };
    let mut origin = git(url);
    if let Origin::Git { reference, path, tree, .. } = &mut origin {
        reference.clone_from(&entry.reference);
        *path = entry.skill_path.as_deref().map(directory).transpose()?;
        let is_id = |hash: &&String| hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        *tree = entry.skill_folder_hash.as_ref().filter(is_id).cloned();
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_directories_as_the_program_makes_them() {
        for (name, dir) in [("pdf", "pdf"), ("My  Skill!", "my-skill"), (".x_1-", "x_1"), ("a/../b", "a-..-b")] {
            assert_eq!(on_disk(name), dir);
        }
    }

    #[test]
    fn a_user_s_entry_has_the_id_of_its_directory() {
        let text = r#"{"version":3,"skills":{"pdf":{"source":"acme/skills","sourceType":"github",
            "sourceUrl":"https://github.com/acme/skills.git","skillPath":"skills/pdf/SKILL.md",
            "skillFolderHash":"51a0000000000000000000000000000000000000","installedAt":"2026-01-01T00:00:00.000Z",
            "updatedAt":"2026-01-02T00:00:00.000Z"}},"dismissed":{},"lastSelectedAgents":["claude-code"]}"#;
        let record = user(text).unwrap();
        let Origin::Git { url, path, tree, .. } = record.claims[0].origin.clone().unwrap() else {
            panic!("{record:?}")
        };
        assert_eq!(url.as_str(), "https://github.com/acme/skills.git");
        assert_eq!((path.as_deref(), tree.map(|tree| tree.len())), (Some("skills/pdf"), Some(40)));
        assert_eq!((&record.claims[0].proof, record.claims[0].installed), (&Proof::None, Some(1_767_312_000)));
        assert!(user(r#"{"version":2,"skills":{}}"#).is_err_and(|why| why.contains("version 2")));
    }

    #[test]
    fn a_secret_in_a_source_is_not_repeated() {
        let text = r#"{"version":1,"skills":{"pdf":{"source":"https://u:hunter2@acme.dev/x","sourceType":"git"}}}"#;
        let claims = project(text).unwrap().claims;
        assert!(claims[0].origin.as_ref().is_err_and(|why| why.contains("secret") && !why.contains("hunter2")));
    }
}

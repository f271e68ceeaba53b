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
//!
//! What `npx skills sync` installs is in `package.json`:
//!
//! ```json
//! {"skills": ["npm:agent-browser", "acme/skills@pdf", {"source": "acme/more", "skills": ["csv"], "ref": "v1"}]}
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{
    ClaimOrigin, ContentProof, ForeignRecord, ForeignTool, SkillClaim, git_origin, parse_directory,
    parse_repository, parse_timestamp,
};
use skillpm_core::package::{GitReference, GitUrl, PackageSpec};

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
        // Another registry, with a skill that it has from a repository.
        Some(other) => match find_repository(entry) {
            Some(url) => url,
            None => return Err(format!("unknown source type `{}`", other.escape_debug())),
        },
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

/// The repository on a known host that an entry of an unknown kind names.
fn find_repository(entry: &SkillsLockEntry) -> Option<GitUrl> {
    let is_known = |url: &GitUrl| {
        let host = url.host();
        matches!(host.as_deref(), Some("github.com" | "gitlab.com"))
    };
    let urls = [entry.source_url.as_deref(), Some(&entry.source)];
    let mut urls = urls.into_iter().flatten().map(str::parse::<GitUrl>);
    if let Some(url) = urls.find_map(|url| url.ok().filter(is_known)) {
        return Some(url);
    }

    // `owner/repo` may be a name in that registry, unless there is a path in a repository beside it.
    let is_short = entry.source_url.is_none() && entry.source.split('/').count() == 2;
    entry.skill_path.as_ref().filter(|_| is_short)?;
    parse_repository(&entry.source, "github.com").ok()
}

/// Whether the text of a `package.json` declares skills.
pub(super) fn has_declarations(text: &str) -> bool {
    declared_skills(text).is_some()
}

fn declared_skills(text: &str) -> Option<Vec<Value>> {
    let package = serde_json::from_str::<Value>(text).ok()?;
    // Other tools have a table of that name there.
    package.get("skills")?.as_array().cloned()
}

pub(super) fn parse_package(text: &str) -> Result<ForeignRecord, String> {
    let declared = declared_skills(text).ok_or("it declares no `skills`")?;
    Ok(ForeignRecord {
        claims: declared.iter().flat_map(declared_claims).collect(),
        ..ForeignRecord::default()
    })
}

/// The claims of an entry: a source, or a table with `source`, `skills` and `ref`.
fn declared_claims(entry: &Value) -> Vec<SkillClaim> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let Some(source) = entry.as_str().or_else(|| text("source")) else {
        return Vec::new();
    };

    let listed = entry.get("skills").and_then(Value::as_array);
    let mut names: Vec<String> = listed
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(directory_name)
        .collect();
    let origin = if let Some(package) = source.strip_prefix("npm:") {
        // Where npm has installed it.
        Ok(ClaimOrigin::Path(format!("./node_modules/{package}")))
    } else {
        let (source, name) = split_skill(source);
        names.extend(name.map(directory_name));
        declared_repository(&source, text("ref"))
    };

    if let (Ok(ClaimOrigin::Git { path, .. }), true) = (&origin, names.is_empty()) {
        let last = path.as_deref().and_then(|path| path.rsplit('/').next());
        names.extend(last.map(directory_name));
    }
    let claim = |name: Option<String>| SkillClaim {
        tool: ForeignTool::Skills,
        name,
        origin: origin.clone(),
        proof: ContentProof::None,
        installed: None,
        dev: false,
    };
    if names.is_empty() {
        vec![claim(None)]
    } else {
        names.into_iter().map(|name| claim(Some(name))).collect()
    }
}

/// Splits `owner/repo@skill` and `URL#ref@skill` into the source and the name of the skill.
fn split_skill(source: &str) -> (String, Option<&str>) {
    match source.rsplit_once('@') {
        // The `@` of `git@host:path` and of a URL is followed by a path.
        Some((before, name)) if !name.contains(['/', ':']) && before.contains('/') => {
            match name.split_once('#') {
                Some((name, reference)) => (format!("{before}#{reference}"), Some(name)),
                None => (before.to_owned(), Some(name)),
            }
        }
        _ => (source.to_owned(), None),
    }
}

/// The repository of an entry, as `skillpm add` reads it; the bare `owner/repo` is on GitHub.
fn declared_repository(source: &str, named: Option<&str>) -> Result<ClaimOrigin, String> {
    let address = source.split('#').next().unwrap_or(source);
    let is_short = !address.contains(':')
        && !address.starts_with(['.', '/'])
        && !address.split('/').next().unwrap_or_default().contains('.');
    let source = if is_short {
        format!("gh:{source}")
    } else {
        source.to_owned()
    };

    let spec = source.parse::<PackageSpec>();
    let PackageSpec::Git {
        url,
        reference,
        subdir,
        ..
    } = spec.map_err(|error| error.message().to_owned())?
    else {
        let source = source.escape_debug();
        return Err(format!("`{source}` is not a git repository"));
    };
    let reference = match reference {
        GitReference::Branch(name) | GitReference::Tag(name) | GitReference::Rev(name) => {
            Some(name)
        }
        GitReference::Default | GitReference::Versions => None,
    };
    Ok(ClaimOrigin::Git {
        url,
        reference: named.map(str::to_owned).or(reference),
        path: subdir.map(|dir| dir.to_string()),
        commit: None,
        tree: None,
    })
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
    fn repository_behind_another_registry_is_a_source() {
        let origin = |fields: &str| {
            let text = format!(
                r#"{{"version":1,"skills":{{"pdf":{{"sourceType":"acme-hub",{fields}}}}}}}"#
            );
            match parse_project_lock(&text).unwrap().claims.remove(0).origin {
                Ok(ClaimOrigin::Git { url, .. }) => url.to_string(),
                Ok(other) => format!("{other:?}"),
                Err(reason) => reason,
            }
        };
        for fields in [
            r#""source":"acme/skills","sourceUrl":"https://github.com/acme/skills""#,
            r#""source":"https://github.com/acme/skills","sourceUrl":"https://hub.acme.dev/pdf""#,
            r#""source":"acme/skills","skillPath":"skills/pdf/SKILL.md""#,
        ] {
            assert_eq!(origin(fields), "https://github.com/acme/skills");
        }
        for fields in [
            r#""source":"acme/pdf""#,
            r#""source":"acme/pdf","sourceUrl":"https://hub.acme.dev/pdf","skillPath":"SKILL.md""#,
        ] {
            assert_eq!(origin(fields), "unknown source type `acme-hub`");
        }
    }

    #[test]
    fn declared_sources_are_read() {
        let text = r#"{"name": "app", "skills": ["npm:@acme/browser", "acme/skills@pdf", "acme/skills/tools/csv#v2",
            "acme/all", "github:acme/skills#next@pdf", "https://gitlab.com/a/b.git",
            "https://github.com/acme/skills/tree/main/skills/docx",
            {"source": "acme/more", "skills": ["One", "two"], "ref": "v1"}, 7]}"#;
        let found: Vec<String> = parse_package(text)
            .unwrap()
            .claims
            .into_iter()
            .map(|claim| {
                let name = claim.name.unwrap_or_default();
                match claim.origin.unwrap() {
                    ClaimOrigin::Git {
                        url,
                        reference,
                        path,
                        ..
                    } => format!("{name} {url} {reference:?} {path:?}"),
                    other => format!("{name} {other:?}"),
                }
            })
            .collect();
        assert_eq!(
            found,
            [
                r#" Path("./node_modules/@acme/browser")"#,
                "pdf https://github.com/acme/skills None None",
                r#"csv https://github.com/acme/skills Some("v2") Some("tools/csv")"#,
                " https://github.com/acme/all None None",
                r#"pdf https://github.com/acme/skills Some("next") None"#,
                " https://gitlab.com/a/b.git None None",
                r#"docx https://github.com/acme/skills Some("main") Some("skills/docx")"#,
                r#"one https://github.com/acme/more Some("v1") None"#,
                r#"two https://github.com/acme/more Some("v1") None"#,
            ]
        );
        assert!(!has_declarations(r#"{"skills": {"pdf": "1"}}"#));
        assert!(!has_declarations("{"));
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

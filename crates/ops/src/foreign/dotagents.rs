//! `dotagents`: reads its manifest and its lockfile.
//!
//! ```toml
//! version = 1
//! agents = ["claude"]
//! [[skills]]
//! name = "pdf"                  # or "*", for all of the source
//! source = "acme/skills"        # owner/repo[@ref], git:URL, path:DIR, https://host
//! ref = "main"
//!
//! # agents.lock
//! version = 1
//! [skills.pdf]
//! source = "acme/skills"
//! resolved_url = "https://github.com/acme/skills.git"
//! resolved_path = "skills/pdf"
//! resolved_commit = "994b6c90…"
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{
    ClaimOrigin, ContentProof, ForeignRecord, ForeignTool, SkillClaim, describe_count, git_origin,
    parse_directory, parse_repository,
};

#[derive(Deserialize)]
struct DotagentsLockfile {
    version: u64,
    #[serde(default)]
    skills: BTreeMap<String, DotagentsLocked>,
    #[serde(default)]
    subagents: toml::Table,
}

#[derive(Deserialize)]
struct DotagentsLocked {
    source: String,
    resolved_url: Option<String>,
    resolved_path: Option<String>,
    resolved_ref: Option<String>,
    resolved_commit: Option<String>,
}

#[derive(Deserialize)]
struct DotagentsManifest {
    version: u64,
    #[serde(default, rename = "defaultRepositorySource")]
    host: Option<String>,
    #[serde(default)]
    agents: Vec<String>,
    #[serde(default)]
    skills: Vec<DotagentsSkill>,
    #[serde(default)]
    mcp: Vec<IgnoredAny>,
    #[serde(default)]
    hooks: Vec<IgnoredAny>,
    #[serde(default)]
    subagents: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct DotagentsSkill {
    name: String,
    source: String,
    #[serde(rename = "ref")]
    reference: Option<String>,
    path: Option<String>,
}

pub(super) fn parse_lock(text: &str) -> Result<ForeignRecord, String> {
    let lock: DotagentsLockfile =
        toml::from_str(text).map_err(|error| error.message().to_owned())?;
    check_version(lock.version)?;

    let claims = lock
        .skills
        .into_iter()
        .map(|(name, locked)| claim(name, locked_origin(&locked)))
        .collect();
    let others = describe_count(lock.subagents.len(), "subagent")
        .into_iter()
        .collect();

    Ok(ForeignRecord {
        claims,
        targets: Vec::new(),
        others,
    })
}

pub(super) fn parse_manifest(text: &str) -> Result<ForeignRecord, String> {
    let manifest: DotagentsManifest =
        toml::from_str(text).map_err(|error| error.message().to_owned())?;
    check_version(manifest.version)?;

    let host = if manifest.host.as_deref() == Some("gitlab") {
        "gitlab.com"
    } else {
        "github.com"
    };

    let claims = manifest.skills.iter().map(|wanted| SkillClaim {
        // `*` means all skills of a source: there is no name.
        name: (wanted.name != "*").then(|| wanted.name.clone()),
        ..claim(String::new(), declared_origin(wanted, host))
    });

    // For this tool, Claude Code and Cursor read `.claude/skills`, the others `.agents/skills`.
    let for_claude = manifest
        .agents
        .iter()
        .any(|agent| matches!(agent.as_str(), "claude" | "cursor"));

    let others = [
        (manifest.mcp.len(), "MCP server"),
        (manifest.hooks.len(), "hook"),
        (manifest.subagents.len(), "subagent"),
    ];

    Ok(ForeignRecord {
        claims: claims.collect(),
        targets: if for_claude {
            vec!["claude-code"]
        } else {
            Vec::new()
        },
        others: others
            .into_iter()
            .filter_map(|(number, thing)| describe_count(number, thing))
            .collect(),
    })
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

fn claim(name: String, origin: Result<ClaimOrigin, String>) -> SkillClaim {
    SkillClaim {
        tool: ForeignTool::Dotagents,
        name: Some(name),
        origin,
        proof: ContentProof::None,
        installed: None,
        dev: false,
    }
}

fn locked_origin(locked: &DotagentsLocked) -> Result<ClaimOrigin, String> {
    // Not resolved yet: only the typed source is known.
    let Some(url) = &locked.resolved_url else {
        return parse_source(&locked.source, "github.com");
    };
    // A URL without a path inside is that of a web site.
    let Some(dir) = &locked.resolved_path else {
        return url
            .parse()
            .map(ClaimOrigin::Site)
            .map_err(|error: skillpm_core::error::Error| error.message().to_owned());
    };

    let mut origin = git_origin(parse_repository(url, "github.com")?);
    if let ClaimOrigin::Git {
        reference,
        path,
        commit,
        ..
    } = &mut origin
    {
        reference.clone_from(&locked.resolved_ref);
        *path = Some(parse_directory(dir)?);
        commit.clone_from(&locked.resolved_commit);
    }
    Ok(origin)
}

fn declared_origin(wanted: &DotagentsSkill, host: &str) -> Result<ClaimOrigin, String> {
    let mut origin = parse_source(&wanted.source, host)?;
    if let ClaimOrigin::Git {
        reference, path, ..
    } = &mut origin
    {
        *reference = wanted.reference.clone().or(reference.take());
        *path = wanted.path.as_deref().map(parse_directory).transpose()?;
    }
    Ok(origin)
}

/// Parses a source as the manifest writes it.
fn parse_source(text: &str, host: &str) -> Result<ClaimOrigin, String> {
    if let Some(path) = text.strip_prefix("path:") {
        return Ok(ClaimOrigin::Path(path.to_owned()));
    }

    if let Some(url) = text.strip_prefix("git:") {
        // `git:/path` is a local repository.
        let url = if url.starts_with('/') {
            format!("file://{url}")
        } else {
            url.to_owned()
        };
        return parse_repository(&url, host).map(git_origin);
    }

    // On any other host than the two forges, it is a site with a list of skills.
    let is_site = text.starts_with("https://")
        && !["https://github.com/", "https://gitlab.com/"]
            .iter()
            .any(|host| text.starts_with(host));
    if is_site {
        return text
            .parse()
            .map(ClaimOrigin::Site)
            .map_err(|error: skillpm_core::error::Error| error.message().to_owned());
    }

    // An `@` after the last slash or colon begins a reference: `git@host:a/b@v1`.
    let (place, at) = match text.trim_start_matches('@').rsplit_once('@') {
        Some((place, at)) if place.contains(['/', ':']) => (place, Some(at.to_owned())),
        _ => (text.trim_start_matches('@'), None),
    };

    let mut origin = git_origin(parse_repository(place, host)?);
    if let ClaimOrigin::Git { reference, .. } = &mut origin {
        *reference = at;
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_parsed_like_the_tool_does() {
        let read = |text: &str| match parse_source(text, "github.com").unwrap() {
            ClaimOrigin::Git { url, reference, .. } => {
                format!("{url} {}", reference.unwrap_or_default())
            }
            ClaimOrigin::Path(path) => path,
            ClaimOrigin::Site(site) => format!("site {site}"),
            ClaimOrigin::ClawHub { name, .. } => format!("clawhub {name}"),
        };
        assert_eq!(read("acme/skills"), "https://github.com/acme/skills ");
        assert_eq!(read("@acme/skills@v1"), "https://github.com/acme/skills v1");
        assert_eq!(
            read("git@gitlab.com:a/b.git@v1"),
            "git@gitlab.com:a/b.git v1"
        );
        assert_eq!(read("git:file:///srv/x"), "file:///srv/x ");
        assert_eq!(read("path:../style"), "../style");
        assert_eq!(read("https://acme.dev"), "site https://acme.dev");
    }

    #[test]
    fn entries_that_are_not_skills_are_counted() {
        let text = "version = 1\nagents = [\"claude\"]\n[[skills]]\nname = \"*\"\nsource = \"a/b\"\n\
                    [[mcp]]\nname = \"x\"\ncommand = \"y\"\n[[hooks]]\nevent = \"Stop\"\ncommand = \"z\"\n";
        let record = parse_manifest(text).unwrap();
        assert_eq!(record.others, ["1 MCP server", "1 hook"]);
        assert_eq!(
            (record.targets, record.claims[0].name.as_deref()),
            (vec!["claude-code"], None)
        );
    }
}

//! `dotagents`: what a person wrote, and what was resolved.
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

use super::{Claim, Origin, Proof, Record, Tool, count, directory, git, repository};

#[derive(Deserialize)]
struct Lock {
    version: u64,
    #[serde(default)]
    skills: BTreeMap<String, Locked>,
    #[serde(default)]
    subagents: toml::Table,
}

#[derive(Deserialize)]
struct Locked {
    source: String,
    resolved_url: Option<String>,
    resolved_path: Option<String>,
    resolved_ref: Option<String>,
    resolved_commit: Option<String>,
}

#[derive(Deserialize)]
struct Manifest {
    version: u64,
    #[serde(default, rename = "defaultRepositorySource")]
    host: Option<String>,
    #[serde(default)]
    agents: Vec<String>,
    #[serde(default)]
    skills: Vec<Wanted>,
    #[serde(default)]
    mcp: Vec<IgnoredAny>,
    #[serde(default)]
    hooks: Vec<IgnoredAny>,
    #[serde(default)]
    subagents: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Wanted {
    name: String,
    source: String,
    #[serde(rename = "ref")]
    reference: Option<String>,
    path: Option<String>,
}

pub(super) fn lock(text: &str) -> Result<Record, String> {
    let lock: Lock = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    known(lock.version)?;
    let claims = lock.skills.into_iter().map(|(name, locked)| claim(name, resolved(&locked))).collect();
    let others = count(lock.subagents.len(), "subagent").into_iter().collect();
    Ok(Record { claims, targets: Vec::new(), others })
}

pub(super) fn manifest(text: &str) -> Result<Record, String> {
    let manifest: Manifest = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    known(manifest.version)?;
    let host = if manifest.host.as_deref() == Some("gitlab") { "gitlab.com" } else { "github.com" };
    let claims = manifest.skills.iter().map(|wanted| Claim {
        name: (wanted.name != "*").then(|| wanted.name.clone()),
        ..claim(String::new(), declared(wanted, host))
    });
    // Claude Code and Cursor read `.claude/skills` in its eyes, and the others `.agents/skills`.
    let for_claude = manifest.agents.iter().any(|agent| matches!(agent.as_str(), "claude" | "cursor"));
    let others =
        [(manifest.mcp.len(), "MCP server"), (manifest.hooks.len(), "hook"), (manifest.subagents.len(), "subagent")];
    Ok(Record {
        claims: claims.collect(),
        targets: if for_claude { vec!["claude-code"] } else { Vec::new() },
        others: others.into_iter().filter_map(|(number, thing)| count(number, thing)).collect(),
    })
}

fn known(version: u64) -> Result<(), String> {
    if version == 1 { Ok(()) } else { Err(format!("it is of version {version}, and version 1 is known")) }
}

fn claim(name: String, origin: Result<Origin, String>) -> Claim {
    Claim { tool: Tool::Dotagents, name: Some(name), origin, proof: Proof::None, installed: None, dev: false }
}

fn resolved(locked: &Locked) -> Result<Origin, String> {
    let Some(url) = &locked.resolved_url else { return source(&locked.source, "github.com") };
    let Some(dir) = &locked.resolved_path else {
        return url.parse().map(Origin::Site).map_err(|error: crate::error::Error| error.message().to_owned());
    };
    let mut origin = git(repository(url, "github.com")?);
    if let Origin::Git { reference, path, commit, .. } = &mut origin {
        reference.clone_from(&locked.resolved_ref);
        *path = Some(directory(dir)?);
        commit.clone_from(&locked.resolved_commit);
    }
    Ok(origin)
}

fn declared(wanted: &Wanted, host: &str) -> Result<Origin, String> {
    let mut origin = source(&wanted.source, host)?;
    if let Origin::Git { reference, path, .. } = &mut origin {
        *reference = wanted.reference.clone().or(reference.take());
        *path = wanted.path.as_deref().map(directory).transpose()?;
    }
    Ok(origin)
}

/// A source as a person writes it.
fn source(text: &str, host: &str) -> Result<Origin, String> {
    if let Some(path) = text.strip_prefix("path:") {
        return Ok(Origin::Path(path.to_owned()));
    }
    if let Some(url) = text.strip_prefix("git:") {
        let url = if url.starts_with('/') { format!("file://{url}") } else { url.to_owned() };
        return repository(&url, host).map(git);
    }
    let is_site = text.starts_with("https://")
        && !["https://github.com/", "https://gitlab.com/"].iter().any(|host| text.starts_with(host));
    if is_site {
        return text.parse().map(Origin::Site).map_err(|error: crate::error::Error| error.message().to_owned());
    }
    // An `@` behind the last slash or colon begins a reference: `git@host:a/b@v1`.
    let (place, at) = match text.trim_start_matches('@').rsplit_once('@') {
        Some((place, at)) if place.contains(['/', ':']) => (place, Some(at.to_owned())),
        _ => (text.trim_start_matches('@'), None),
    };
    let mut origin = git(repository(place, host)?);
    if let Origin::Git { reference, .. } = &mut origin {
        *reference = at;
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_as_the_program_reads_them() {
        let read = |text: &str| match source(text, "github.com").unwrap() {
            Origin::Git { url, reference, .. } => format!("{url} {}", reference.unwrap_or_default()),
            Origin::Path(path) => path,
            Origin::Site(site) => format!("site {site}"),
        };
        assert_eq!(read("acme/skills"), "https://github.com/acme/skills ");
        assert_eq!(read("@acme/skills@v1"), "https://github.com/acme/skills v1");
        assert_eq!(read("git@gitlab.com:a/b.git@v1"), "ssh://git@gitlab.com/a/b.git v1");
        assert_eq!(read("git:file:///srv/x"), "file:///srv/x ");
        assert_eq!(read("path:../style"), "../style");
        assert_eq!(read("https://acme.dev"), "site https://acme.dev");
    }

    #[test]
    fn what_is_not_skills_is_counted() {
        let text = "version = 1\nagents = [\"claude\"]\n[[skills]]\nname = \"*\"\nsource = \"a/b\"\n\
                    [[mcp]]\nname = \"x\"\ncommand = \"y\"\n[[hooks]]\nevent = \"Stop\"\ncommand = \"z\"\n";
        let record = manifest(text).unwrap();
        assert_eq!(record.others, ["1 MCP server", "1 hook"]);
        assert_eq!((record.targets, record.claims[0].name.as_deref()), (vec!["claude-code"], None));
    }
}

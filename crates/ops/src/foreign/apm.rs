//! `apm`: what a person wrote, and what was resolved and put where.
//!
//! ```yaml
//! lockfile_version: '1'
//! dependencies:
//! - repo_url: acme/skills
//!   host: github.com
//!   resolved_commit: 994b6c90…
//!   resolved_ref: main
//!   virtual_path: skills/pdf          # not for a repository that is taken whole
//!   package_type: claude_skill
//!   deployed_files: [.claude/skills/pdf, .claude/skills/pdf/SKILL.md]
//!   deployed_file_hashes: {.claude/skills/pdf/SKILL.md: 'sha256:4f1e…'}
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Claim, Origin, Proof, Record, Tool, count, directory, git, repository};
use crate::package::Sha256;
use crate::skill::yaml;

#[derive(Deserialize)]
struct Lock {
    #[serde(default = "first")]
    lockfile_version: String,
    #[serde(default)]
    dependencies: Vec<Locked>,
    #[serde(default)]
    mcp_servers: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Locked {
    repo_url: String,
    host: Option<String>,
    registry_prefix: Option<String>,
    resolved_commit: Option<String>,
    resolved_ref: Option<String>,
    virtual_path: Option<String>,
    source: Option<String>,
    local_path: Option<String>,
    resolved_by: Option<String>,
    #[serde(default)]
    is_dev: bool,
    #[serde(default)]
    deployed_files: Vec<String>,
    #[serde(default)]
    deployed_file_hashes: BTreeMap<String, String>,
}

fn first() -> String {
    "1".to_owned()
}

pub(super) fn lock(text: &str) -> Result<Record, String> {
    let lock: Lock = serde_json::from_value(parse(text)?).map_err(|error| error.to_string())?;
    if !["1", "2", "3"].contains(&lock.lockfile_version.as_str()) {
        return Err(format!(
            "it is of version {}, and versions 1 to 3 are known",
            lock.lockfile_version.escape_debug()
        ));
    }
    let others = lock.dependencies.iter().filter(|locked| skills_of(locked).is_empty());
    let others = [(others.count(), "package without skill"), (lock.mcp_servers.len(), "MCP server")];
    Ok(Record {
        claims: lock.dependencies.iter().flat_map(claims).collect(),
        targets: Vec::new(),
        others: others.into_iter().filter_map(|(number, thing)| count(number, thing)).collect(),
    })
}

pub(super) fn manifest(text: &str) -> Result<Record, String> {
    let document = parse(text)?;
    let list = |table: &str, key: &str| {
        document.get(table).and_then(|table| table.get(key)).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let mut claims = Vec::new();
    for (table, dev) in [("dependencies", false), ("devDependencies", true)] {
        claims.extend(list(table, "apm").iter().map(|wanted| declared(wanted, dev)));
    }
    let others = count(list("dependencies", "mcp").len(), "MCP server").into_iter().collect();
    Ok(Record { claims, targets: Vec::new(), others })
}

fn parse(text: &str) -> Result<Value, String> {
    let document = yaml::parse_text(text).map_err(|fault| fault.message)?;
    Ok(document.root.map_or(Value::Null, |root| root.to_json()))
}

/// The skills that a package brought: its directories that are called something, below one called `skills`.
fn skills_of<'l>(locked: &'l Locked) -> BTreeSet<&'l str> {
    let name = |path: &'_ String| -> Option<(usize, usize)> {
        let (above, name) = path.strip_suffix("/SKILL.md")?.rsplit_once('/')?;
        // Not a skill that lies in another one.
        let is_skills = above
            .strip_suffix("skills")
            .is_some_and(|dir| dir.is_empty() || dir.ends_with('/') && !dir.contains("skills/"));
        is_skills.then_some((above.len() + 1, name.len()))
    };
    let found = |path: &'l String| name(path).map(|(at, length)| &path[at..at + length]);
    locked.deployed_files.iter().filter_map(found).collect()
}

fn claims(locked: &Locked) -> Vec<Claim> {
    let names = skills_of(locked);
    let is_alone = names.len() == 1;
    let claim = |name: &str| Claim {
        tool: Tool::Apm,
        name: Some(name.to_owned()),
        origin: origin(locked, is_alone),
        proof: proof(locked, name),
        installed: None,
        dev: locked.is_dev,
    };
    names.into_iter().map(claim).collect()
}

fn origin(locked: &Locked, is_alone: bool) -> Result<Origin, String> {
    if locked.source.as_deref() == Some("local") {
        return match (&locked.local_path, &locked.resolved_by) {
            (Some(path), None) => Ok(Origin::Path(path.clone())),
            _ => Err("it lies beside another package".to_owned()),
        };
    }
    if locked.source.as_deref() == Some("registry") || locked.registry_prefix.is_some() {
        return Err("it comes from a registry of apm's, which is no source that skillpm reads".to_owned());
    }
    let mut origin = git(repository(&locked.repo_url, locked.host.as_deref().unwrap_or("github.com"))?);
    if let Origin::Git { reference, path, commit, .. } = &mut origin {
        reference.clone_from(&locked.resolved_ref);
        // Of a package with many skills each is looked for by its name.
        *path = locked.virtual_path.as_deref().filter(|_| is_alone).map(directory).transpose()?;
        commit.clone_from(&locked.resolved_commit);
    }
    Ok(origin)
}

/// The hashes of the files of one skill, of which there may be several copies.
fn proof(locked: &Locked, name: &str) -> Proof {
    let below = format!("skills/{name}/");
    let mut hashes = BTreeMap::new();
    for (path, hash) in &locked.deployed_file_hashes {
        let Some(at) = path.find(&below).filter(|at| *at == 0 || path[..*at].ends_with('/')) else { continue };
        let Some(hash) = hash.strip_prefix("sha256:").and_then(|hash| hash.parse::<Sha256>().ok()) else {
            return Proof::None;
        };
        hashes.insert(path[at + below.len()..].to_owned(), hash);
    }
    if hashes.is_empty() { Proof::None } else { Proof::Files(hashes) }
}

/// An entry of `dependencies.apm`: `owner/repo[/path][#ref]`, a URL, or a table with `git`, `path` and `ref`.
fn declared(wanted: &Value, dev: bool) -> Claim {
    let text = |key: &str| wanted.get(key).and_then(Value::as_str).map(str::to_owned);
    let (place, table_path, table_ref) = match wanted.as_str() {
        Some(text) => (text.to_owned(), None, None),
        None => (text("git").unwrap_or_default(), text("path"), text("ref")),
    };
    let read = || {
        if place.starts_with(['.', '/', '~']) {
            return Ok((Origin::Path(place.clone()), None));
        }
        let (place, hash) = place.split_once('#').map_or((place.as_str(), None), |(a, b)| (a, Some(b.to_owned())));
        let is_short = !place.contains(':');
        let rest = place.strip_prefix("github.com/").unwrap_or(place);
        let parts: Vec<&str> = rest.split('/').collect();
        let (repo, inside) = if is_short && parts.len() > 2 {
            (parts[..2].join("/"), Some(parts[2..].join("/")))
        } else {
            (rest.to_owned(), None)
        };
        let inside = table_path.clone().or(inside).as_deref().map(directory).transpose()?;
        let mut origin = git(repository(&repo, "github.com")?);
        if let Origin::Git { reference, path, .. } = &mut origin {
            *reference = table_ref.clone().or(hash);
            path.clone_from(&inside);
        }
        Ok((origin, inside))
    };
    let (origin, inside) = match read() {
        Ok((origin, inside)) => (Ok(origin), inside),
        Err(why) => (Err(why), None),
    };
    let last = |dir: String| dir.rsplit('/').next().map(str::to_owned);
    let name = match &origin {
        Ok(Origin::Path(path)) => last(path.trim_end_matches('/').to_owned()),
        _ => inside.filter(|dir| !dir.is_empty()).and_then(last),
    };
    Claim { tool: Tool::Apm, name, origin, proof: Proof::None, installed: None, dev }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_is_read() {
        let text = "name: p\ndependencies:\n  apm:\n    - acme/skills/skills/pdf#main\n    - acme/all\n    \
                    - git: https://gitlab.com/a/b.git\n      path: x/csv\n      ref: v1\n  mcp: [a, b]\n";
        let record = manifest(text).unwrap();
        let told: Vec<String> = record
            .claims
            .iter()
            .map(|claim| match claim.origin.as_ref().unwrap() {
                Origin::Git { url, reference, path, .. } => {
                    format!("{:?} {url} {reference:?} {path:?}", claim.name)
                }
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(
            told,
            [
                "Some(\"pdf\") https://github.com/acme/skills Some(\"main\") Some(\"skills/pdf\")",
                "None https://github.com/acme/all None None",
                "Some(\"csv\") https://gitlab.com/a/b.git Some(\"v1\") Some(\"x/csv\")",
            ]
        );
        assert_eq!(record.others, ["2 MCP servers"]);
    }

    #[test]
    fn of_a_lock_each_skill_is_taken_with_the_hashes_of_its_files() {
        let text = "lockfile_version: '1'\ndependencies:\n- repo_url: acme/skills\n  host: github.com\n  \
                    resolved_commit: 994b6c90a9713913b388e0121f80a757a09b12b9\n  deployed_files:\n  \
                    - .agents/skills/csv\n  - .agents/skills/csv/SKILL.md\n  - .claude/skills/csv/SKILL.md\n  \
                    - .agents/skills/pdf/SKILL.md\n  - .agents/skills/pdf/skills/inner.md\n  deployed_file_hashes:\n    \
                    .agents/skills/csv/SKILL.md: sha256:5bf70509b66d36a410df0c40116007c060a7d4393f4ef842f6d30a30fbb8336b\n\
                    - repo_url: acme/prompts\n  deployed_files: [.github/prompts/a.prompt.md]\n";
        let record = lock(text).unwrap();
        let names: Vec<_> = record.claims.iter().map(|claim| claim.name.as_deref().unwrap()).collect();
        assert_eq!((names, record.others), (vec!["csv", "pdf"], vec!["1 package without skill".to_owned()]));
        let Proof::Files(hashes) = &record.claims[0].proof else { panic!("{:?}", record.claims[0]) };
        assert_eq!(hashes.keys().collect::<Vec<_>>(), ["SKILL.md"]);
        assert!(lock("lockfile_version: '9'\n").is_err());
    }
}

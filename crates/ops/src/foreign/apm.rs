//! `apm`: reads its manifest and its lockfile.
//!
//! ```yaml
//! lockfile_version: '1'
//! dependencies:
//! - repo_url: acme/skills
//!   host: github.com
//!   resolved_commit: 994b6c90…
//!   resolved_ref: main
//!   virtual_path: skills/pdf          # absent if the whole repository is the package
//!   package_type: claude_skill
//!   deployed_files: [.claude/skills/pdf, .claude/skills/pdf/SKILL.md]
//!   deployed_file_hashes: {.claude/skills/pdf/SKILL.md: 'sha256:4f1e…'}
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    ClaimOrigin, ContentProof, ForeignRecord, ForeignTool, SkillClaim, describe_count, git_origin,
    parse_directory, parse_repository,
};
use skillpm_core::package::Sha256Digest;
use skillpm_core::skill::yaml;

#[derive(Deserialize)]
struct ApmLockfile {
    #[serde(default = "first")]
    lockfile_version: String,
    #[serde(default)]
    dependencies: Vec<ApmPackage>,
    #[serde(default)]
    mcp_servers: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct ApmPackage {
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

pub(super) fn parse_lock(text: &str) -> Result<ForeignRecord, String> {
    let lock: ApmLockfile =
        serde_json::from_value(parse_yaml(text)?).map_err(|error| error.to_string())?;
    if !["1", "2", "3"].contains(&lock.lockfile_version.as_str()) {
        return Err(format!(
            "unsupported version {}: this skillpm reads versions 1 to 3",
            lock.lockfile_version.escape_debug()
        ));
    }

    // A package may have only prompts, hooks or servers, which skillpm does not install.
    let others = lock
        .dependencies
        .iter()
        .filter(|locked| skill_names(locked).is_empty());
    let others = [
        (others.count(), "package without skill"),
        (lock.mcp_servers.len(), "MCP server"),
    ];

    Ok(ForeignRecord {
        claims: lock.dependencies.iter().flat_map(claims).collect(),
        targets: Vec::new(),
        others: others
            .into_iter()
            .filter_map(|(number, thing)| describe_count(number, thing))
            .collect(),
    })
}

pub(super) fn parse_manifest(text: &str) -> Result<ForeignRecord, String> {
    let document = parse_yaml(text)?;

    let mut claims = Vec::new();
    for (table, dev) in [("dependencies", false), ("devDependencies", true)] {
        let wanted = list_values(&document, table, "apm").iter();
        claims.extend(wanted.map(|wanted| declared_claim(wanted, dev)));
    }

    let servers = list_values(&document, "dependencies", "mcp").len();
    let others = [
        (servers, "MCP server"),
        // Apm runs them by `apm run`, so that the file is more than a list of skills.
        (script_count(&document), "script"),
    ];

    Ok(ForeignRecord {
        claims,
        targets: Vec::new(),
        others: others
            .into_iter()
            .filter_map(|(number, thing)| describe_count(number, thing))
            .collect(),
    })
}

/// The values of `key` in a table of the manifest; none if there is no such list.
fn list_values<'v>(manifest: &'v Value, table: &str, key: &str) -> &'v [Value] {
    manifest
        .get(table)
        .and_then(|table| table.get(key))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn script_count(manifest: &Value) -> usize {
    let scripts = manifest.get("scripts").and_then(Value::as_object);
    scripts.map_or(0, serde_json::Map::len)
}

fn parse_yaml(text: &str) -> Result<Value, String> {
    // The YAML parser of frontmatter, with its limits; serde reads the JSON of it.
    let document = yaml::parse_text(text).map_err(|fault| fault.message)?;
    Ok(document.root.map_or(Value::Null, |root| root.to_json()))
}

/// The names of a package's skills: the parents of its files `skills/NAME/SKILL.md`.
fn skill_names(locked: &ApmPackage) -> BTreeSet<&str> {
    let files = locked.deployed_files.iter();
    files.filter_map(|path| skill_name(path)).collect()
}

fn skill_name(path: &str) -> Option<&str> {
    let (above, name) = path.strip_suffix("/SKILL.md")?.rsplit_once('/')?;
    let before = above.strip_suffix("skills")?;
    // A skill that is nested in another one does not count.
    let is_outermost = before.is_empty() || before.ends_with('/') && !before.contains("skills/");
    is_outermost.then_some(name)
}

fn claims(locked: &ApmPackage) -> Vec<SkillClaim> {
    let names = skill_names(locked);
    let is_alone = names.len() == 1;
    let claim = |name: &str| SkillClaim {
        tool: ForeignTool::Apm,
        name: Some(name.to_owned()),
        origin: locked_origin(locked, is_alone),
        proof: locked_proof(locked, name),
        installed: None,
        dev: locked.is_dev,
    };
    names.into_iter().map(claim).collect()
}

fn locked_origin(locked: &ApmPackage, is_alone: bool) -> Result<ClaimOrigin, String> {
    // A local path is relative to the package that asks for it.
    if locked.source.as_deref() == Some("local") {
        return match (&locked.local_path, &locked.resolved_by) {
            (Some(path), None) => Ok(ClaimOrigin::Path(path.clone())),
            _ => Err("unsupported source: a path relative to another package".to_owned()),
        };
    }

    if locked.source.as_deref() == Some("registry") || locked.registry_prefix.is_some() {
        return Err("unsupported source: a registry of apm".to_owned());
    }

    let mut origin = git_origin(parse_repository(
        &locked.repo_url,
        locked.host.as_deref().unwrap_or("github.com"),
    )?);
    if let ClaimOrigin::Git {
        reference,
        path,
        commit,
        ..
    } = &mut origin
    {
        reference.clone_from(&locked.resolved_ref);
        // The skills of a package with several are looked up by name.
        *path = locked
            .virtual_path
            .as_deref()
            .filter(|_| is_alone)
            .map(parse_directory)
            .transpose()?;
        commit.clone_from(&locked.resolved_commit);
    }
    Ok(origin)
}

/// The hashes of the files of one skill, which may be installed for several agents.
fn locked_proof(locked: &ApmPackage, name: &str) -> ContentProof {
    let prefix = format!("skills/{name}/");
    let mut hashes = BTreeMap::new();
    for (path, hash) in &locked.deployed_file_hashes {
        // Copies for several agents differ only in the path before `skills/NAME/`.
        let Some(at) = path
            .find(&prefix)
            .filter(|at| *at == 0 || path[..*at].ends_with('/'))
        else {
            continue;
        };

        let Some(hash) = hash
            .strip_prefix("sha256:")
            .and_then(|hash| hash.parse::<Sha256Digest>().ok())
        else {
            // With one invalid hash, the skill as a whole cannot be verified.
            return ContentProof::None;
        };
        hashes.insert(path[at + prefix.len()..].to_owned(), hash);
    }

    if hashes.is_empty() {
        ContentProof::None
    } else {
        ContentProof::Files(hashes)
    }
}

/// An entry of `dependencies.apm`: `owner/repo[/path][#ref]`, a URL, or a table with `git`, `path`
/// and `ref`.
fn declared_claim(wanted: &Value, dev: bool) -> SkillClaim {
    let text = |key: &str| wanted.get(key).and_then(Value::as_str).map(str::to_owned);
    let wanted = match wanted.as_str() {
        Some(text) => DeclaredSource {
            location: text.to_owned(),
            path: None,
            reference: None,
        },
        None => DeclaredSource {
            location: text("git").unwrap_or_default(),
            path: text("path"),
            reference: text("ref"),
        },
    };

    let (origin, dir) = match declared_origin(&wanted) {
        Ok((origin, dir)) => (Ok(origin), dir),
        Err(why) => (Err(why), None),
    };
    let last = |dir: String| dir.rsplit('/').next().map(str::to_owned);
    // Without a directory, the name is known only when the source is read.
    let name = match &origin {
        Ok(ClaimOrigin::Path(path)) => last(path.trim_end_matches('/').to_owned()),
        _ => dir.filter(|dir| !dir.is_empty()).and_then(last),
    };

    SkillClaim {
        tool: ForeignTool::Apm,
        name,
        origin,
        proof: ContentProof::None,
        installed: None,
        dev,
    }
}

/// An entry of `dependencies.apm`, as written.
struct DeclaredSource {
    /// `owner/repo[/path][#ref]`, a URL, or a local path.
    location: String,
    path: Option<String>,
    reference: Option<String>,
}

/// The origin of an entry, and its directory in the repository, if it names one.
fn declared_origin(wanted: &DeclaredSource) -> Result<(ClaimOrigin, Option<String>), String> {
    let location = &wanted.location;
    if location.starts_with(['.', '/', '~']) {
        return Ok((ClaimOrigin::Path(location.clone()), None));
    }

    let (location, hash) = location
        .split_once('#')
        .map_or((location.as_str(), None), |(a, b)| (a, Some(b.to_owned())));
    // `owner/repo/path`: the first two parts are the repository.
    let is_short = !location.contains(':');
    let rest = location.strip_prefix("github.com/").unwrap_or(location);
    let parts: Vec<&str> = rest.split('/').collect();
    let (repo, dir) = if is_short && parts.len() > 2 {
        (parts[..2].join("/"), Some(parts[2..].join("/")))
    } else {
        (rest.to_owned(), None)
    };

    let dir = wanted
        .path
        .clone()
        .or(dir)
        .as_deref()
        .map(parse_directory)
        .transpose()?;

    let mut origin = git_origin(parse_repository(&repo, "github.com")?);
    if let ClaimOrigin::Git {
        reference, path, ..
    } = &mut origin
    {
        *reference = wanted.reference.clone().or(hash);
        path.clone_from(&dir);
    }
    Ok((origin, dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_entries_are_read() {
        let text = "name: p\ndependencies:\n  apm:\n    - acme/skills/skills/pdf#main\n    - acme/all\n    \
                    - git: https://gitlab.com/a/b.git\n      path: x/csv\n      ref: v1\n  mcp: [a, b]\n";
        let record = parse_manifest(text).unwrap();
        let origins: Vec<String> = record
            .claims
            .iter()
            .map(|claim| match claim.origin.as_ref().unwrap() {
                ClaimOrigin::Git {
                    url,
                    reference,
                    path,
                    ..
                } => {
                    format!("{:?} {url} {reference:?} {path:?}", claim.name)
                }
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(
            origins,
            [
                "Some(\"pdf\") https://github.com/acme/skills Some(\"main\") Some(\"skills/pdf\")",
                "None https://github.com/acme/all None None",
                "Some(\"csv\") https://gitlab.com/a/b.git Some(\"v1\") Some(\"x/csv\")",
            ]
        );
        assert_eq!(record.others, ["2 MCP servers"]);
    }

    #[test]
    fn lockfile_has_each_skill_with_the_hashes_of_its_files() {
        let text = "lockfile_version: '1'\ndependencies:\n- repo_url: acme/skills\n  host: github.com\n  \
                    resolved_commit: 994b6c90a9713913b388e0121f80a757a09b12b9\n  deployed_files:\n  \
                    - .agents/skills/csv\n  - .agents/skills/csv/SKILL.md\n  - .claude/skills/csv/SKILL.md\n  \
                    - .agents/skills/pdf/SKILL.md\n  - .agents/skills/pdf/skills/inner.md\n  deployed_file_hashes:\n    \
                    .agents/skills/csv/SKILL.md: sha256:5bf70509b66d36a410df0c40116007c060a7d4393f4ef842f6d30a30fbb8336b\n\
                    - repo_url: acme/prompts\n  deployed_files: [.github/prompts/a.prompt.md]\n";
        let record = parse_lock(text).unwrap();
        let names: Vec<_> = record
            .claims
            .iter()
            .map(|claim| claim.name.as_deref().unwrap())
            .collect();
        assert_eq!(
            (names, record.others),
            (
                vec!["csv", "pdf"],
                vec!["1 package without skill".to_owned()]
            )
        );
        let ContentProof::Files(hashes) = &record.claims[0].proof else {
            panic!("{:?}", record.claims[0])
        };
        assert_eq!(hashes.keys().collect::<Vec<_>>(), ["SKILL.md"]);
        assert!(parse_lock("lockfile_version: '9'\n").is_err());
    }
}

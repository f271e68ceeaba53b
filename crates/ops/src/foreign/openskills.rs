//! `openskills`: a file in the directory of each skill, and nothing else.
//!
//! ```json
//! {"source": "acme/skills", "sourceType": "git", "repoUrl": "https://github.com/acme/skills",
//!  "subpath": "skills/pdf", "installedAt": "2026-11-22T12:33:49.195Z"}
//! ```

use serde::Deserialize;

use super::{Claim, Origin, Proof, Tool, directory, git, repository, seconds};

/// Where it is in the skill's directory.
pub(super) const FILE: &str = ".openskills.json";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    source: String,
    source_type: String,
    repo_url: Option<String>,
    subpath: Option<String>,
    local_path: Option<String>,
    installed_at: Option<String>,
}

pub(super) fn read(text: &str, name: &str) -> Result<Claim, String> {
    let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(Claim {
        tool: Tool::Openskills,
        name: Some(name.to_owned()),
        origin: origin(&written),
        proof: Proof::None,
        installed: written.installed_at.as_deref().and_then(seconds),
        dev: false,
    })
}

fn origin(written: &Written) -> Result<Origin, String> {
    if written.source_type == "local" {
        return Ok(Origin::Path(written.local_path.clone().unwrap_or_else(|| written.source.clone())));
    }
    let mut origin = git(repository(written.repo_url.as_deref().unwrap_or(&written.source), "github.com")?);
    if let Origin::Git { path, .. } = &mut origin {
        *path = written.subpath.as_deref().map(directory).transpose()?;
    }
    Ok(origin)
}

//! `openskills`: reads its file in the directory of each skill; it has no other.
//!
//! ```json
//! {"source": "acme/skills", "sourceType": "git", "repoUrl": "https://github.com/acme/skills",
//!  "subpath": "skills/pdf", "installedAt": "2026-11-22T12:33:49.195Z"}
//! ```

use serde::Deserialize;

use super::{
    ClaimOrigin, ContentProof, ForeignTool, SkillClaim, git_origin, parse_directory,
    parse_repository, parse_timestamp,
};

/// The path of the file in the skill's directory.
pub(super) const FILE: &str = ".openskills.json";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenskillsRecord {
    source: String,
    source_type: String,
    repo_url: Option<String>,
    subpath: Option<String>,
    local_path: Option<String>,
    installed_at: Option<String>,
}

pub(super) fn read(text: &str, name: &str) -> Result<SkillClaim, String> {
    let written: OpenskillsRecord =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(SkillClaim {
        tool: ForeignTool::Openskills,
        name: Some(name.to_owned()),
        origin: record_origin(&written),
        // The tool records no hash: only the files on disk can identify the version.
        proof: ContentProof::None,
        installed: written.installed_at.as_deref().and_then(parse_timestamp),
        dev: false,
    })
}

fn record_origin(written: &OpenskillsRecord) -> Result<ClaimOrigin, String> {
    // A path may have been typed relative; `local_path` is the resolved one.
    if written.source_type == "local" {
        return Ok(ClaimOrigin::Path(
            written
                .local_path
                .clone()
                .unwrap_or_else(|| written.source.clone()),
        ));
    }

    // `source` is what was typed, such as `owner/repo`; the URL is exact.
    let mut origin = git_origin(parse_repository(
        written.repo_url.as_deref().unwrap_or(&written.source),
        "github.com",
    )?);
    if let ClaimOrigin::Git { path, .. } = &mut origin {
        *path = written
            .subpath
            .as_deref()
            .map(parse_directory)
            .transpose()?;
    }
    Ok(origin)
}

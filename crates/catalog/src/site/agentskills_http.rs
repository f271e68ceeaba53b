//! The tree that `agentskills-http` reads from any web server.
//!
//! ```text
//! index.json             {"skills": ["pdf"]}
//! pdf/index.json         {"files": ["SKILL.md", "scripts/a.py"], "references": [], "scripts": ["a.py"], "assets": []}
//! pdf/SKILL.md
//! pdf/scripts/a.py
//! ```
//!
//! `files` are paths in the skill; the three lists are relative to the directory that each is named for.

use std::collections::BTreeSet;

use serde_json::json;

use super::json_text::json_file;
use super::{OfferedSkill, SiteBuilder, SiteFiles};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::SkillName;

/// Collects the names; see [`SiteBuilder`].
#[derive(Debug, Default)]
pub struct AgentskillsHttp {
    names: BTreeSet<SkillName>,
}

impl SiteBuilder for AgentskillsHttp {
    fn add(&mut self, skill: &OfferedSkill<'_>) -> Result<SiteFiles> {
        let OfferedSkill { name, tree, .. } = skill;

        // Checked first, so that a skill without it leaves nothing behind.
        skill.skill_md()?;
        // Its own file and the tree's would have the same path.
        if tree.get("index.json").is_some() {
            return Err(Error::negative(format!(
                "`{name}` contains an `index.json`, where the tree needs its own"
            )));
        }

        if !self.names.insert((*name).clone()) {
            return Err(Error::negative(format!(
                "duplicate skill name `{name}`: a tree can offer only one"
            )));
        }

        let paths = skill.file_paths();
        let paths_under = |dir: &str| -> Vec<&str> {
            paths
                .iter()
                .filter_map(|path| path.strip_prefix(dir))
                .collect()
        };

        let index = json!({
            "files": paths,
            "references": paths_under("references/"),
            "scripts": paths_under("scripts/"),
            "assets": paths_under("assets/"),
        });

        let mut files = SiteFiles::from([(format!("{name}/index.json"), json_file(&index))]);
        files.extend(
            tree.files()
                .map(|(path, file)| (format!("{name}/{path}"), file.clone())),
        );

        Ok(files)
    }

    fn finish(&mut self) -> SiteFiles {
        SiteFiles::from([(
            "index.json".to_owned(),
            json_file(&json!({"skills": self.names})),
        )])
    }
}

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

use super::offering::json;
use super::{Files, Offered, Offering};
use crate::error::{Error, Result};
use crate::package::SkillName;

/// Collects the names; see [`Offering`].
#[derive(Debug, Default)]
pub struct AgentskillsHttp {
    names: BTreeSet<SkillName>,
}

impl Offering for AgentskillsHttp {
    fn add(&mut self, skill: &Offered<'_>) -> Result<Files> {
        let Offered { name, tree, .. } = skill;
        skill.text()?;
        if tree.get("index.json").is_some() {
            return Err(Error::negative(format!("`{name}` has an `index.json` of its own, where the tree needs one")));
        }
        if !self.names.insert((*name).clone()) {
            return Err(Error::negative(format!("two skills are called `{name}`, and a tree can offer one of them")));
        }
        let paths = skill.paths();
        let below = |dir: &str| -> Vec<&str> { paths.iter().filter_map(|path| path.strip_prefix(dir)).collect() };
        let index = json!({
            "files": paths,
            "references": below("references/"),
            "scripts": below("scripts/"),
            "assets": below("assets/"),
        });
        let mut files = Files::from([(format!("{name}/index.json"), json(&index))]);
        files.extend(tree.files().map(|(path, file)| (format!("{name}/{path}"), file.clone())));
        Ok(files)
    }

    fn finish(&mut self) -> Files {
        Files::from([("index.json".to_owned(), json(&json!({"skills": self.names})))])
    }
}

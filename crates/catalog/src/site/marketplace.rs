//! A plugin marketplace of Claude Code's, each skill a plugin of its own so that people can choose.
//!
//! ```text
//! .claude-plugin/marketplace.json            {"name": …, "owner": …, "plugins": [{"name": "pdf", "source": "./plugins/pdf", …}]}
//! plugins/pdf/.claude-plugin/plugin.json     {"name": "pdf", "version": …, "description": …, "author": …}
//! plugins/pdf/skills/pdf/SKILL.md
//! ```
//!
//! It is served from a git repository: `/plugin marketplace add OWNER/REPOSITORY`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::offering::json;
use super::{Files, Offered, Offering};
use crate::error::{Error, Result};
use crate::package::SkillName;

/// Where the list of plugins stands.
const INDEX: &str = ".claude-plugin/marketplace.json";

/// Collects the plugins; see [`Offering`].
#[derive(Debug)]
pub struct Marketplace {
    name: String,
    plugins: BTreeMap<SkillName, Value>,
}

impl Marketplace {
    /// A marketplace of this name, with nothing in it yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Marketplace { name: name.to_owned(), plugins: BTreeMap::new() }
    }
}

impl Offering for Marketplace {
    fn add(&mut self, skill: &Offered<'_>) -> Result<Files> {
        let Offered { name, tree, .. } = skill;
        skill.text()?;
        let facts = facts(skill);
        let mut listed = Map::from_iter([
            ("name".to_owned(), json!(name)),
            ("source".to_owned(), json!(format!("./plugins/{name}"))),
        ]);
        listed.extend(facts.clone());
        if self.plugins.insert((*name).clone(), Value::Object(listed)).is_some() {
            return Err(Error::negative(format!("two skills are called `{name}`, and a marketplace can list one")));
        }
        let mut plugin = Map::from_iter([("name".to_owned(), json!(name))]);
        plugin.extend(facts);
        let root = format!("plugins/{name}");
        let mut files = Files::from([(format!("{root}/.claude-plugin/plugin.json"), json(&plugin))]);
        files.extend(tree.files().map(|(path, file)| (format!("{root}/skills/{name}/{path}"), file.clone())));
        Ok(files)
    }

    fn finish(&mut self) -> Files {
        let plugins: Vec<Value> = std::mem::take(&mut self.plugins).into_values().collect();
        let list = json!({
            "name": self.name,
            "description": "Agent skills",
            "owner": {"name": self.name},
            "plugins": plugins,
        });
        Files::from([(INDEX.to_owned(), json(&list))])
    }
}

/// What a plugin's own file and its entry in the list both tell.
fn facts(skill: &Offered<'_>) -> Map<String, Value> {
    let about = &skill.about;
    let mut facts = Map::from_iter([("description".to_owned(), json!(skill.description))]);
    for (key, value) in [
        ("version", about.version.map(|version| json!(version))),
        ("author", about.author.map(|author| json!({"name": author}))),
        ("homepage", about.homepage.map(|homepage| json!(homepage))),
        ("license", about.license.map(|license| json!(license))),
        ("keywords", (!about.keywords.is_empty()).then(|| json!(about.keywords))),
    ] {
        facts.extend(value.map(|value| (key.to_owned(), value)));
    }
    facts
}

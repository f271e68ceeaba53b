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

use super::json_text::json_file;
use super::{OfferedSkill, SiteBuilder, SiteFiles};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Checksum, SkillName};

/// Path of the list of plugins.
const INDEX: &str = ".claude-plugin/marketplace.json";

/// Collects the plugins; see [`SiteBuilder`].
#[derive(Debug)]
pub struct ClaudeMarketplace {
    name: String,
    plugins: BTreeMap<SkillName, Value>,
}

impl ClaudeMarketplace {
    /// A marketplace of this name, with nothing in it yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        ClaudeMarketplace {
            name: name.to_owned(),
            plugins: BTreeMap::new(),
        }
    }
}

impl ClaudeMarketplace {
    /// Adds what `claude plugin validate --strict` requires of a plugin, where the skill does not say it.
    fn add_required(&self, plugin: &mut Map<String, Value>, skill: &OfferedSkill<'_>) {
        plugin
            .entry("author")
            .or_insert_with(|| json!({"name": self.name}));

        // Claude Code updates a plugin when its version differs, so that the version of a skill without one has to
        // change with its files.
        plugin
            .entry("version")
            .or_insert_with(|| json!(format!("0.0.0+{}", Checksum::from_tree(skill.tree).short())));
    }
}

impl SiteBuilder for ClaudeMarketplace {
    fn add(&mut self, skill: &OfferedSkill<'_>) -> Result<SiteFiles> {
        let OfferedSkill { name, tree, .. } = skill;

        skill.skill_md()?;
        let facts = plugin_metadata(skill);

        let mut listed = Map::from_iter([
            ("name".to_owned(), json!(name)),
            ("source".to_owned(), json!(format!("./plugins/{name}"))),
        ]);
        // The name stays first, as people expect it in the file.
        listed.extend(facts.clone());

        if self
            .plugins
            .insert((*name).clone(), Value::Object(listed))
            .is_some()
        {
            return Err(Error::negative(format!(
                "duplicate skill name `{name}`: a marketplace can list only one"
            )));
        }

        let mut plugin = Map::from_iter([("name".to_owned(), json!(name))]);
        plugin.extend(facts);
        self.add_required(&mut plugin, skill);

        let root = format!("plugins/{name}");
        // The plugin's own file says what the list says, for those who open it alone.
        let mut files = SiteFiles::from([(
            format!("{root}/.claude-plugin/plugin.json"),
            json_file(&plugin),
        )]);
        files.extend(
            tree.files()
                .map(|(path, file)| (format!("{root}/skills/{name}/{path}"), file.clone())),
        );

        Ok(files)
    }

    fn finish(&mut self) -> SiteFiles {
        let plugins: Vec<Value> = std::mem::take(&mut self.plugins).into_values().collect();
        let list = json!({
            "name": self.name,
            "description": "Agent skills",
            // Claude Code requires an owner, and nothing else is known of one.
            "owner": {"name": self.name},
            "plugins": plugins,
        });
        SiteFiles::from([(INDEX.to_owned(), json_file(&list))])
    }
}

/// Fields of both a plugin's own file and its entry in the list.
fn plugin_metadata(skill: &OfferedSkill<'_>) -> Map<String, Value> {
    let about = &skill.metadata;

    let mut facts = Map::from_iter([("description".to_owned(), json!(skill.description))]);
    for (key, value) in [
        ("version", about.version.map(|version| json!(version))),
        ("author", about.author.map(|author| json!({"name": author}))),
        ("homepage", about.homepage.map(|homepage| json!(homepage))),
        ("license", about.license.map(|license| json!(license))),
        (
            "keywords",
            (!about.keywords.is_empty()).then(|| json!(about.keywords)),
        ),
    ] {
        facts.extend(value.map(|value| (key.to_owned(), value)));
    }

    facts
}

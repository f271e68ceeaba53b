//! Settings of an agent, applied over its row in the table.
//!
//! ```toml
//! [agents.claude-code]
//! user-dir = "~/.claude-work/skills"
//! order = [".claude/skills", "~/.claude-work/skills"]
//! ```

use serde::Deserialize;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::{AgentSpec, IdFrom, SameName, UserBeatsProject};
use crate::config;
use skillpm_core::error::{Error, FailureKind, Result, nearest_name};
use skillpm_core::package::RelPath;

/// The words of `same-name`, for the suggestion after an invalid one.
const SAME_NAME_WORDS: [&str; 5] = [
    "first-wins",
    "last-loaded-wins",
    "one-wins",
    "lists-all",
    "one-directory",
];

/// The words of `id-from`.
const ID_FROM_WORDS: [&str; 2] = ["dir", "frontmatter"];

impl AgentSpec {
    /// Creates an agent that is not in the table, without any facts.
    #[must_use]
    pub fn new(id: &str) -> Self {
        AgentSpec {
            id: id.to_owned(),
            display_name: id.to_owned(),
            project_dir: None,
            global_dir: None,
            global_fallbacks: Vec::new(),
            env_override: Vec::new(),
            detect_any: Vec::new(),
            project_markers: Vec::new(),
            universal: false,
            also_reads_project: Vec::new(),
            also_reads_global: Vec::new(),
            reads_agents_dir: None,
            precedence: Vec::new(),
            same_name: None,
            user_beats_project: None,
            nested_dirs: None,
            id_from: None,
            emit: "agents-dir".to_owned(),
            format: None,
            verified: "set".to_owned(),
        }
    }

    /// Applies settings, which are looked up by the last part of their keys. A directory or an order that is set replaces
    /// the table's.
    ///
    /// # Errors
    /// If a value is invalid; the message names the setting.
    pub fn with_settings(mut self, settings: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        self.replace_directories(settings)?;
        self.display_name = settings("display-name").unwrap_or(self.display_name);
        self.emit = settings("emit").unwrap_or(self.emit);

        // After the directories, whose replacement would otherwise change this order, too.
        if let Some(order) = settings("order") {
            let order = config::split_list(&order).into_iter();
            self.precedence = order.map(order_entry).collect();
        }
        if let Some(text) = settings("user-beats-project") {
            self.user_beats_project = Some(UserBeatsProject::Plainly(config::is_true(&text)));
        }
        if let Some(text) = settings("same-name") {
            self.same_name =
                Some(self.parse_word::<SameName>("same-name", &text, &SAME_NAME_WORDS)?);
        }
        if let Some(text) = settings("id-from") {
            self.id_from = Some(self.parse_word::<IdFrom>("id-from", &text, &ID_FROM_WORDS)?);
        }

        Ok(self)
    }

    fn replace_directories(&mut self, settings: &dyn Fn(&str) -> Option<String>) -> Result<()> {
        let list = |key: &str| settings(key).map(|text| config::split_list(&text));

        if let Some(text) = settings("project-dir") {
            let path = self.parse_project_dir(&text)?;
            self.replace_directory(Some(path.to_string()), |agent| &mut agent.project_dir);
        }
        if let Some(text) = settings("user-dir") {
            // The fallbacks are former names of the directory that is replaced here.
            self.global_fallbacks.clear();
            self.replace_directory(Some(text), |agent| &mut agent.global_dir);
        }

        if let Some(read) = list("also-reads-project") {
            self.reads_agents_dir = Some(read.iter().any(|dir| dir == super::SHARED_DIR));
            self.also_reads_project = read;
        }
        if let Some(read) = list("also-reads-user") {
            self.also_reads_global = read;
        }
        Ok(())
    }

    fn parse_project_dir(&self, text: &str) -> Result<RelPath> {
        let plain = text.trim_start_matches("./").trim_end_matches('/');
        plain.parse().map_err(|error: Error| {
            let message = self.invalid_value("project-dir", text).message().to_owned();
            error
                .with_kind(FailureKind::Usage)
                .wrap(message)
                .help("set a directory inside the project")
        })
    }

    /// Parses a word of a setting as the table has it, one of `known`.
    fn parse_word<'de, T: Deserialize<'de>>(
        &self,
        key: &str,
        text: &'de str,
        known: &[&str],
    ) -> Result<T> {
        T::deserialize(StrDeserializer::<ValueError>::new(text)).map_err(|_| {
            self.invalid_value(key, text)
                .help(suggest_one_of(text, known))
        })
    }

    fn invalid_value(&self, key: &str, text: &str) -> Error {
        Error::usage(format!(
            "invalid value `{}` for `agents.{}.{key}`",
            text.escape_debug(),
            self.id
        ))
    }

    /// Replaces one of the agent's own directories, also in its precedence.
    fn replace_directory(
        &mut self,
        new: Option<String>,
        own: impl Fn(&mut AgentSpec) -> &mut Option<String>,
    ) {
        let old = std::mem::replace(own(self), new.clone());
        // Without an old directory there is no rank to take over.
        let (Some(old), Some(new)) = (old, new) else {
            return;
        };

        // The new directory has the rank of the old one.
        for entry in &mut self.precedence {
            if super::parse_directory(entry) == Some(old.as_str())
                || *entry == format!("<workspace>/{old}")
            {
                *entry = order_entry(new.clone());
            }
        }
    }
}

/// A directory as a precedence entry: a project directory with a single part would be taken for a word.
fn order_entry(dir: String) -> String {
    if dir.contains(['/', '$', '~']) {
        dir
    } else {
        format!("<workspace>/{dir}")
    }
}

fn suggest_one_of(wanted: &str, known: &[&str]) -> String {
    match nearest_name(wanted, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::UserEnvironment;
    use super::super::tests::agent;
    use super::*;

    fn with(agent: AgentSpec, set: &[(&str, &str)]) -> Result<AgentSpec> {
        agent.with_settings(&|key| {
            set.iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    fn order(agent: &AgentSpec) -> Vec<String> {
        let environment = UserEnvironment {
            home: Some(Path::new("/h")),
            env: &|_| None,
        };
        let order = agent.reading_order(Some(Path::new("/p")), &environment);
        order
            .iter()
            .map(|read| read.path.display().to_string())
            .collect()
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn configured_directory_has_the_precedence_of_the_default() {
        let claude = || agent("claude-code").clone();
        let moved = with(
            claude(),
            &[("user-dir", "~/.work/skills"), ("project-dir", "./work/")],
        )
        .unwrap();
        assert_eq!(order(&moved), ["/h/.work/skills", "/p/work"]);
        assert_eq!(order(&with(claude(), &[]).unwrap()), order(&claude()));
        let turned = with(claude(), &[("order", ".claude/skills,~/.claude/skills")]).unwrap();
        assert_eq!(order(&turned), ["/p/.claude/skills", "/h/.claude/skills"]);
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn an_agent_can_be_defined_in_settings_alone() {
        let ours = with(
            AgentSpec::new("ours"),
            &[
                ("project-dir", "ours"),
                ("also-reads-project", ".agents/skills"),
                ("same-name", "lists-all"),
            ],
        )
        .unwrap();
        assert_eq!(order(&ours), ["/p/ours", "/p/.agents/skills"]);
        assert_eq!(ours.same_name, Some(SameName::ListsAll));
    }

    #[test]
    fn the_error_for_an_invalid_value_names_its_setting() {
        for (key, value, message) in [
            (
                "project-dir",
                "/etc",
                "invalid value `/etc` for `agents.x.project-dir`",
            ),
            (
                "project-dir",
                "../up",
                "invalid value `../up` for `agents.x.project-dir`",
            ),
            (
                "same-name",
                "list-all",
                "invalid value `list-all` for `agents.x.same-name`",
            ),
            (
                "id-from",
                "name",
                "invalid value `name` for `agents.x.id-from`",
            ),
        ] {
            let error = with(AgentSpec::new("x"), &[(key, value)]).unwrap_err();
            assert_eq!(error.message(), message);
        }
    }
}

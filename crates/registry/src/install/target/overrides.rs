//! What settings say of an agent, laid over its row in the table.
//!
//! ```toml
//! [agents.claude-code]
//! user-dir = "~/.claude-work/skills"
//! order = [".claude/skills", "~/.claude-work/skills"]
//! ```

use serde::Deserialize;
use serde::de::value::{Error as Fault, StrDeserializer};

use super::{Agent, IdFrom, SameName, UserBeatsProject};
use crate::config;
use crate::error::{Error, Kind, Result, nearest};
use crate::package::RelPath;

impl Agent {
    /// An agent that is in no table, of which nothing is known.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Agent {
            id: id.to_owned(),
            display_name: id.to_owned(),
            project_dir: None,
            global_dir: None,
            global_fallbacks: Vec::new(),
            env_override: Vec::new(),
            detect_any: Vec::new(),
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

    /// The agent as settings change it; they are asked for by the last part of their keys. A directory that is set takes the place of the table's, and so does an order.
    ///
    /// # Errors
    /// If a value cannot be; the message names the setting.
    pub fn with(mut self, settings: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let list = |key: &str| settings(key).map(|text| config::list(&text));
        let wrong = |key: &str, id: &str, text: &str| {
            Error::usage(format!("`agents.{id}.{key}` cannot be `{}`", text.escape_debug()))
        };
        if let Some(text) = settings("project-dir") {
            let refused = |error: Error| {
                let told = wrong("project-dir", &self.id, &text).message().to_owned();
                error.with_kind(Kind::Usage).wrap(told).help("name a directory inside the project")
            };
            let path: RelPath = text.trim_start_matches("./").trim_end_matches('/').parse().map_err(refused)?;
            self.replace(Some(path.to_string()), |agent| &mut agent.project_dir);
        }
        if let Some(text) = settings("user-dir") {
            self.global_fallbacks.clear();
            self.replace(Some(text), |agent| &mut agent.global_dir);
        }
        if let Some(read) = list("also-reads-project") {
            self.reads_agents_dir = Some(read.iter().any(|dir| dir == super::SHARED));
            self.also_reads_project = read;
        }
        self.also_reads_global = list("also-reads-user").unwrap_or(self.also_reads_global);
        self.display_name = settings("display-name").unwrap_or(self.display_name);
        self.emit = settings("emit").unwrap_or(self.emit);
        if let Some(order) = list("order") {
            self.precedence = order.into_iter().map(in_order).collect();
        }
        if let Some(text) = settings("user-beats-project") {
            self.user_beats_project = Some(UserBeatsProject::Plainly(config::is_true(&text)));
        }
        if let Some(text) = settings("same-name") {
            let known = ["first-wins", "last-loaded-wins", "one-wins", "lists-all", "one-directory"];
            let error = || wrong("same-name", &self.id, &text).help(one_of(&text, &known));
            self.same_name = Some(word::<SameName>(&text).ok_or_else(error)?);
        }
        if let Some(text) = settings("id-from") {
            let error = || wrong("id-from", &self.id, &text).help(one_of(&text, &["dir", "frontmatter"]));
            self.id_from = Some(word::<IdFrom>(&text).ok_or_else(error)?);
        }
        Ok(self)
    }

    /// Puts another directory into the place of an own one, in its order, too.
    fn replace(&mut self, new: Option<String>, own: impl Fn(&mut Agent) -> &mut Option<String>) {
        let old = std::mem::replace(own(self), new.clone());
        let (Some(old), Some(new)) = (old, new) else { return };
        for entry in &mut self.precedence {
            if super::directory(entry) == Some(old.as_str()) || *entry == format!("<workspace>/{old}") {
                *entry = in_order(new.clone());
            }
        }
    }
}

/// A directory as an order names it: one of a project that has but one part would be taken for a word.
fn in_order(dir: String) -> String {
    if dir.contains(['/', '$', '~']) { dir } else { format!("<workspace>/{dir}") }
}

fn word<'de, T: Deserialize<'de>>(text: &'de str) -> Option<T> {
    T::deserialize(StrDeserializer::<Fault>::new(text)).ok()
}

fn one_of(wanted: &str, known: &[&str]) -> String {
    match nearest(wanted, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Places;
    use super::super::tests::agent;
    use super::*;

    fn with(agent: Agent, set: &[(&str, &str)]) -> Result<Agent> {
        agent.with(&|key| set.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned()))
    }

    fn order(agent: &Agent) -> Vec<String> {
        let places = Places { home: Some(Path::new("/h")), env: &|_| None };
        let order = agent.reading_order(Some(Path::new("/p")), &places);
        order.iter().map(|read| read.path.display().to_string()).collect()
    }

    #[test]
    fn a_directory_that_is_set_stands_where_the_tables_did() {
        let claude = || agent("claude-code").clone();
        let moved = with(claude(), &[("user-dir", "~/.work/skills"), ("project-dir", "./work/")]).unwrap();
        assert_eq!(order(&moved), ["/h/.work/skills", "/p/work"]);
        assert_eq!(order(&with(claude(), &[]).unwrap()), order(&claude()));
        let turned = with(claude(), &[("order", ".claude/skills,~/.claude/skills")]).unwrap();
        assert_eq!(order(&turned), ["/p/.claude/skills", "/h/.claude/skills"]);
    }

    #[test]
    fn an_agent_of_ones_own_is_what_settings_say() {
        let ours = with(
            Agent::new("ours"),
            &[("project-dir", "ours"), ("also-reads-project", ".agents/skills"), ("same-name", "lists-all")],
        )
        .unwrap();
        assert_eq!(order(&ours), ["/p/ours", "/p/.agents/skills"]);
        assert_eq!(ours.same_name, Some(SameName::ListsAll));
    }

    #[test]
    fn what_cannot_be_names_its_setting() {
        for (key, value, message) in [
            ("project-dir", "/etc", "`agents.x.project-dir` cannot be `/etc`"),
            ("project-dir", "../up", "`agents.x.project-dir` cannot be `../up`"),
            ("same-name", "list-all", "`agents.x.same-name` cannot be `list-all`"),
            ("id-from", "name", "`agents.x.id-from` cannot be `name`"),
        ] {
            let error = with(Agent::new("x"), &[(key, value)]).unwrap_err();
            assert_eq!(error.message(), message);
        }
    }
}

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::Session;
use crate::cli::render::human::columns;
use crate::config::{IgnoredValue, SETTINGS, Set, Setting, SettingScope, scope_of};
use crate::error::Result;
use crate::ops::config;

/// Show or change settings
///
/// Layers, highest first: `--config`, environment (`SKILLPM_…`),
/// `.skillpm/config.toml` of the project and of the directories above it,
/// `config.toml` in `$SKILLPM_HOME`, defaults.
///
/// Examples:
///
///   skillpm config list
///   skillpm config set net.offline true
///   skillpm config set registries.acme.index file:///srv/skills-index
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help is read on a terminal")]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show all settings, and where each was set
    List,
    /// Print one setting
    Get {
        /// Its key
        key: String,
    },
    /// Change one setting
    Set {
        /// Its key
        key: String,
        /// Its value; lists are separated by commas
        value: String,
        /// In the project's file instead of your own
        #[arg(long)]
        project: bool,
    },
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        match &self.action {
            None | Some(Action::List) => list(session, as_json),
            Some(Action::Get { key }) => {
                let set = config::get(&session.context, key)?;
                if as_json {
                    session.shell.object(&object(session, key, &set));
                } else {
                    session.shell.line(&set.text);
                }
            }
            Some(Action::Set { key, value, project }) => {
                let path = config::set(&session.context, key, value, *project)?;
                session.shell.status("Set", &format!("{key} = {value} in {}", path.display()));
            }
        }
        Ok(0)
    }
}

/// A setting as JSON: who may set it, too, and which values of projects do not count.
fn object(session: &Session<'_>, key: &str, set: &Set) -> Value {
    let mut object = json!({
        "type": "setting",
        "key": key,
        "value": set.text,
        "origin": set.origin.to_string(),
        "scope": scope_of(key).map(SettingScope::name),
    });
    let ignored = session.context.config.ignored().iter().filter(|ignored| ignored.key == key);
    let ignored: Vec<Value> = ignored
        .map(|ignored| {
            let IgnoredValue { set, because, .. } = ignored;
            json!({"value": set.text, "origin": set.origin.to_string(), "because": because})
        })
        .collect();
    if !ignored.is_empty() {
        object["ignored"] = Value::Array(ignored);
    }
    object
}

fn list(session: &Session<'_>, as_json: bool) {
    let all = config::list(&session.context);
    if as_json {
        for (key, set) in all {
            session.shell.object(&object(session, &key, &set));
        }
        return;
    }
    let is_unset = |setting: &&Setting| !setting.key.contains('*') && !all.contains_key(setting.key);
    let unset = SETTINGS
        .iter()
        .filter(is_unset)
        .map(|setting| vec![setting.key.to_owned(), "-".to_owned(), "(not set)".to_owned()]);
    let mut rows: Vec<Vec<String>> = unset.collect();
    rows.extend(all.into_iter().map(|(key, set)| vec![key, set.text, format!("({})", set.origin)]));
    rows.sort();
    columns(&rows).iter().for_each(|line| session.shell.line(line));
}

//! `config`: lists, gets, sets and removes settings of a layer, through [`config`], with the layer that each value comes from.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::CliSession;
use crate::cli::render::human::align_columns;
use crate::config::{
    IgnoredValue, SETTINGS, SettingScope, SettingSpec, SettingValue, setting_scope,
};
use crate::error::Result;
use crate::ops::config;

/// Show or change settings
///
/// Layers, highest precedence first: `--config`, environment (`SKILLPM_…`),
/// `.skillpm/config.toml` of the project and of the directories above it,
/// `config.toml` in `$SKILLPM_HOME`, defaults.
///
/// Examples:
///
///   skillpm config list
///   skillpm config set net.offline true
///   skillpm config set registries.acme.index file:///srv/skills-index
///   skillpm config unset net.offline
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help is read on a terminal")]
pub(in crate::cli) struct ConfigArgs {
    #[command(subcommand)]
    action: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show all settings, and where each was set
    List,
    /// Print one setting
    Get {
        /// Key of the setting
        key: String,
    },
    /// Change one setting
    Set {
        /// Key of the setting
        key: String,
        /// New value; separate the items of a list with commas
        value: String,
        /// Write to the project's file instead of your own
        #[arg(long)]
        project: bool,
    },
    /// Remove one setting from the file
    Unset {
        /// Key of the setting
        key: String,
        /// Remove it from the project's file instead of your own
        #[arg(long)]
        project: bool,
    },
}

impl ConfigArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        match &self.action {
            // Without a subcommand, the list is the harmless answer.
            None | Some(ConfigCommand::List) => print_settings(session, as_json),
            Some(ConfigCommand::Get { key }) => {
                let set = config::get(&session.context, key)?;

                if as_json {
                    session
                        .shell
                        .print_object(&setting_json(session, key, &set));
                } else {
                    session.shell.print_line(&set.text);
                }
            }
            Some(ConfigCommand::Set {
                key,
                value,
                project,
            }) => {
                // A typo in a key is an error, and never a new setting.
                let path = config::set(&session.context, key, value, *project)?;
                if as_json {
                    session.shell.print_object(&json!({
                        "type": "setting-changed",
                        "key": key,
                        "value": value,
                        "path": path,
                    }));
                } else {
                    session
                        .shell
                        .status("Set", &format!("{key} = {value} in {}", path.display()));
                }
            }
            Some(ConfigCommand::Unset { key, project }) => {
                let path = config::unset(&session.context, key, *project)?;
                if as_json {
                    session.shell.print_object(&json!({
                        "type": "setting-changed",
                        "key": key,
                        "value": null,
                        "path": path,
                    }));
                } else {
                    session
                        .shell
                        .status("Unset", &format!("{key} in {}", path.display()));
                }
            }
        }
        Ok(0)
    }
}

/// A setting as JSON: who may set it, too, and which values of projects do not count.
fn setting_json(session: &CliSession<'_>, key: &str, set: &SettingValue) -> Value {
    let mut object = json!({
        "type": "setting",
        "key": key,
        "value": set.text,
        "origin": set.origin.to_string(),
        "scope": setting_scope(key).map(SettingScope::name),
    });

    // Values of a project that the user's settings overrule (docs/settings.md) are shown with
    // the reason, or it would look as if they had no effect.
    let ignored = session
        .context
        .config
        .ignored()
        .iter()
        .filter(|ignored| ignored.key == key);
    let ignored: Vec<Value> = ignored.map(ignored_json).collect();

    if !ignored.is_empty() {
        object["ignored"] = Value::Array(ignored);
    }
    object
}

fn ignored_json(ignored: &IgnoredValue) -> Value {
    let IgnoredValue { set, reason, .. } = ignored;
    json!({"value": set.text, "origin": set.origin.to_string(), "because": reason})
}

fn print_settings(session: &CliSession<'_>, as_json: bool) {
    let all = config::list(&session.context);
    if as_json {
        for (key, set) in all {
            session
                .shell
                .print_object(&setting_json(session, &key, &set));
        }
        return;
    }

    // A key with `*` is a pattern for many settings, and none that could be unset.
    let is_unset =
        |setting: &&SettingSpec| !setting.key.contains('*') && !all.contains_key(setting.key);
    let unset = SETTINGS.iter().filter(is_unset).map(|setting| {
        vec![
            setting.key.to_owned(),
            "-".to_owned(),
            "(not set)".to_owned(),
        ]
    });
    let mut rows: Vec<Vec<String>> = unset.collect();
    rows.extend(
        all.into_iter()
            .map(|(key, set)| vec![key, set.text, format!("({})", set.origin)]),
    );

    // Set and unset ones together, so that a key is found by its name.
    rows.sort();
    align_columns(&rows)
        .iter()
        .for_each(|line| session.shell.print_line(line));
}

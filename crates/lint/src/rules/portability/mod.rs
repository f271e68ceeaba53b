//! SKA: portability. Rules about parts of a skill that only some of its `targets` read; without targets most of them
//! report nothing.

mod arguments_placeholder;
mod client_only_field;
mod client_path;
mod client_variable;
mod loading;
mod openai_yaml;
mod too_deep;

use std::str::FromStr;

use crate::agents::{AgentModel, join_titles};
use crate::{LintSubject, Rule};

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &loading::DROPS,
    &loading::DIFFERS,
    &client_only_field::RULE,
    &client_path::RULE,
    &client_variable::RULE,
    &arguments_placeholder::RULE,
    &too_deep::RULE,
    &openai_yaml::RULE,
];

/// The targets with a model of their loader, sorted.
fn known_targets(subject: &LintSubject<'_>) -> Vec<AgentModel> {
    let mut targets: Vec<AgentModel> = subject
        .settings
        .targets
        .iter()
        // Other agents are valid targets too: they only have no model to ask.
        .filter_map(|id| AgentModel::from_str(id).ok())
        .collect();
    targets.sort();
    targets.dedup();
    targets
}

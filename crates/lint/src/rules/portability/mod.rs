//! SKA: portability. What a skill says only to some of the agents that it is for, as `targets` names them; nothing is
//! found where no target is named.

mod arguments_placeholder;
mod client_only_field;
mod client_path;
mod client_variable;
mod loading;
mod openai_yaml;
mod too_deep;

use std::str::FromStr;

use crate::lint::agents::{Agent, named};
use crate::lint::{Rule, Subject};

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

/// The targets whose loaders are known, by name.
fn targets(subject: &Subject<'_>) -> Vec<Agent> {
    let mut targets: Vec<Agent> = subject.settings.targets.iter().filter_map(|id| Agent::from_str(id).ok()).collect();
    targets.sort();
    targets.dedup();
    targets
}

//! `agents`: lists the known agents with what shows that they are used ([`list_agents`]), and adds or removes targets
//! ([`change_targets`]).

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{RunArgs, ScopeArgs, print_sync_report};
use crate::cli::CliSession;
use crate::cli::render::human::TableColumns;
use crate::error::Result;
use crate::ops::agents::{
    AgentChange, AgentChangeOptions, AgentChangeReport, AgentStatus, ListedAgents, UsageEvidence,
    change_targets, list_agents,
};

/// Show and choose the agents that see the skills
///
/// An agent that does not read the main directory (`.agents/skills`) needs a target:
/// its own directory, which gets the skills, too. `list` shows the agents that are
/// used here or installed on this machine, by their files, and who sees the skills.
///
/// Examples:
///
///   skillpm agents list
///   skillpm agents add claude-code
///   skillpm agents remove claude-code
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct AgentsArgs {
    #[command(subcommand)]
    action: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// List targets, and the agents found here and on this machine
    #[command(alias = "detect")]
    List(AgentsListArgs),
    /// Install into the directories of agents, too
    Add(AgentsChangeArgs),
    /// No longer install into the directories of agents
    Remove(AgentsChangeArgs),
}

#[derive(Debug, Args)]
struct AgentsListArgs {
    /// List every agent that skillpm knows
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Debug, Args)]
struct AgentsChangeArgs {
    /// The ids of the agents, such as `claude-code`
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    reach: RunArgs,
}

impl AgentsArgs {
    /// The command as `undo` shows it.
    pub(super) fn name(&self) -> &'static str {
        match self.action {
            Some(AgentsCommand::Add(_)) => "agents add",
            Some(AgentsCommand::Remove(_)) => "agents remove",
            Some(AgentsCommand::List(_)) | None => "skillpm",
        }
    }

    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        match &self.action {
            // Without a subcommand, the list is the harmless answer.
            None => print_agents(
                session,
                &ScopeArgs { global: false },
                ListedAgents::Installed,
            ),
            Some(AgentsCommand::List(arguments)) => {
                let filter = if arguments.all {
                    ListedAgents::All
                } else {
                    ListedAgents::Installed
                };
                print_agents(session, &arguments.scope, filter)
            }
            Some(AgentsCommand::Add(arguments)) => arguments.run(session, AgentChange::Add),
            Some(AgentsCommand::Remove(arguments)) => arguments.run(session, AgentChange::Remove),
        }
    }
}

impl AgentsChangeArgs {
    fn run(&self, session: &CliSession<'_>, change: AgentChange) -> Result<u8> {
        let options = AgentChangeOptions {
            change,
            ids: self.ids.clone(),
            sort: self.scope.workspace_kind(),
            sync: self.reach.sync_options(session),
        };
        let changed = change_targets(&session.context, &options)?;

        if session.wants_json()? {
            session.shell.print_object(&change_json(change, &changed));
        } else {
            print_change(session, change, &changed);
        }
        match &changed.synced {
            Some(synced) => print_sync_report(session, synced),
            None => Ok(0),
        }
    }
}

fn print_change(session: &CliSession<'_>, change: AgentChange, changed: &AgentChangeReport) {
    for (agent, directory) in &changed.unneeded {
        session.shell.status(
            "Unchanged",
            &format!(
                "{} sees the skills in `{}`",
                agent.name,
                directory.display()
            ),
        );
    }

    let dry_run = changed.synced.as_ref().is_some_and(|synced| synced.dry_run);
    let verb = match (change, dry_run) {
        (AgentChange::Add, false) => "Targeting",
        (AgentChange::Add, true) => "Would target",
        (AgentChange::Remove, false) => "Untargeted",
        (AgentChange::Remove, true) => "Would untarget",
    };
    for agent in &changed.changed {
        session.shell.status(verb, &agent.name);
    }
}

fn change_json(change: AgentChange, changed: &AgentChangeReport) -> Value {
    let ids: Vec<&str> = changed.changed.iter().map(|agent| &*agent.id).collect();
    let unneeded: Vec<Value> = changed
        .unneeded
        .iter()
        .map(|(agent, directory)| json!({"id": agent.id, "directory": directory}))
        .collect();
    json!({
        "type": if change == AgentChange::Add { "agents-added" } else { "agents-removed" },
        "agents": ids,
        "unneeded": unneeded,
    })
}

fn print_agents(session: &CliSession<'_>, scope: &ScopeArgs, filter: ListedAgents) -> Result<u8> {
    let statuses = list_agents(&session.context, scope.workspace_kind(), filter)?;
    if session.wants_json()? {
        for status in &statuses {
            session.shell.print_object(&status_json(status));
        }
        return Ok(0);
    }

    let rows: Vec<[String; 4]> = statuses.iter().map(status_row).collect();
    let mut columns = TableColumns::default();
    rows.iter().for_each(|row| columns.widen(row));
    for row in &rows {
        session.shell.print_line(&columns.format_row(row));
    }

    // The table is for a pipe; what to do next is for a person.
    if filter != ListedAgents::All {
        print_unseen(session, &statuses);
    }
    if statuses.is_empty() {
        session.shell.status("Found", "no agents in use");
    }
    Ok(0)
}

/// Prints the command for each agent in use that sees no skills.
fn print_unseen(session: &CliSession<'_>, statuses: &[AgentStatus]) {
    for status in statuses {
        if let Some(command) = status.add_command() {
            let name = status.label().name;
            session
                .shell
                .status("Not seen by", &format!("{name}: run `{command}`"));
        }
    }
}

/// `claude-code  .claude/skills  target  found .claude/`
fn status_row(status: &AgentStatus) -> [String; 4] {
    let seen = match &status.sees {
        Some(directory) => directory.display().to_string(),
        None => "-".to_owned(),
    };
    let role = if status.usage.is_target() {
        "target"
    } else {
        ""
    };

    let found: Vec<String> = status
        .usage
        .evidence
        .iter()
        .filter_map(describe_evidence)
        .collect();
    [
        status.usage.agent.id.clone(),
        seen,
        role.to_owned(),
        found.join(", "),
    ]
}

fn describe_evidence(evidence: &UsageEvidence) -> Option<String> {
    match evidence {
        // It has a column of its own.
        UsageEvidence::Target => None,
        UsageEvidence::Marker(path) | UsageEvidence::Machine(path) => Some(format!("found {path}")),
        UsageEvidence::Ambiguous(path) => Some(format!("perhaps {path}")),
        UsageEvidence::Setting => Some("in the settings".to_owned()),
    }
}

fn status_json(status: &AgentStatus) -> Value {
    let evidence: Vec<Value> = status
        .usage
        .evidence
        .iter()
        .map(|evidence| match evidence {
            UsageEvidence::Target => json!({"kind": "target", "path": null}),
            UsageEvidence::Marker(path) => json!({"kind": "project", "path": path}),
            UsageEvidence::Machine(path) => json!({"kind": "machine", "path": path}),
            UsageEvidence::Ambiguous(path) => json!({"kind": "ambiguous", "path": path}),
            UsageEvidence::Setting => json!({"kind": "setting", "path": null}),
        })
        .collect();

    json!({
        "type": "agent",
        "id": status.usage.agent.id,
        "name": status.usage.agent.display_name,
        "used": status.is_used(),
        "target": status.usage.is_target(),
        "sees": status.sees,
        "directory": status.directory,
        "evidence": evidence,
        "help": status.add_command(),
    })
}

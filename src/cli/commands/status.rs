//! `status`: prints what [`status`] finds in the current directory. `skillpm` alone is the same.

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::catalog::Tier;
use crate::cli::CliSession;
use crate::cli::render::human::align_columns;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::outdated::OutdatedSkill;
use crate::ops::status::{AgentSummary, ProjectStatus, StatusReport, status};
use crate::ops::withdrawn::RevokedPackage;

/// Show what is here and what to run next
///
/// The project, the agents that are used in it and what they see, the skills by tier,
/// the newer versions that the cache knows of, and the commands that come next. No
/// server is asked. `skillpm` without a command prints the same.
///
/// Examples:
///
///   skillpm
///   skillpm status --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct StatusArgs {}

impl StatusArgs {
    #[expect(clippy::unused_self, reason = "each command is run by its arguments")]
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let report = status(&session.context)?;
        if as_json {
            session.shell.print_object(&status_json(&report));
        } else {
            print_human(session.shell, &report);
        }
        Ok(0)
    }
}

fn status_json(report: &StatusReport) -> Value {
    let project = report.project.as_ref().map(|project| {
        json!({
            "root": project.root.display().to_string(),
            "required": project.required,
            "locked": project.locked,
            "missing": project.missing,
            "edited": project.edited,
            "conflicts": project.conflicts,
            "saved_edits": project.saved_edits.iter().map(|(name, path)| json!({
                "name": name,
                "path": path,
            })).collect::<Vec<_>>(),
            "outdated": project.outdated.iter().map(|outdated| json!({
                "name": outdated.name,
                "current": outdated.current,
                "compatible": outdated.compatible,
                "latest": outdated.latest,
            })).collect::<Vec<_>>(),
            "unknown": project.unknown,
            "revoked": project.revoked.iter().map(|revoked| json!({
                "name": revoked.locked.name.to_string(),
                "version": revoked.locked.version.as_ref().map(ToString::to_string),
                "reason": revoked.reason,
            })).collect::<Vec<_>>(),
        })
    });
    let tiers = report.tiers.iter();

    json!({
        "type": "status",
        "project": project,
        "skills": tiers
            .map(|(tier, count)| (tier.name().to_owned(), json!(count)))
            .collect::<serde_json::Map<_, _>>(),
        "agents": report.agents.iter().map(|agent| json!({
            "id": agent.agent.id,
            "name": agent.agent.name,
            "found": agent.found,
            "sees": agent.sees,
            "help": agent.command,
        })).collect::<Vec<_>>(),
        "unmanaged": report.unmanaged.iter().map(|found| json!({
            "directory": found.directory.display().to_string(),
            "names": found.names,
        })).collect::<Vec<_>>(),
        "next": report.next.iter().map(|next| json!({
            "command": next.command,
            "purpose": next.purpose,
        })).collect::<Vec<_>>(),
    })
}

fn print_human(shell: &CliShell, report: &StatusReport) {
    let mut rows = Vec::new();
    let mut add = |title: &str, text: String| rows.push(vec![title.to_owned(), text]);

    match &report.project {
        Some(project) => add("Project", describe_project(project)),
        None => add("Project", "none here yet".to_owned()),
    }
    add("Skills", describe_tiers(&report.tiers));
    for found in &report.unmanaged {
        let directory = found.directory.display();
        let count = plural(found.names.len(), "skill");
        add("", format!("{count} in {directory} without a manifest"));
    }
    for (at, agent) in report.agents.iter().enumerate() {
        let title = if at == 0 { "Agents" } else { "" };
        add(title, describe_agent(agent));
    }
    if let Some(text) = report.project.as_ref().and_then(describe_saved_edits) {
        add("Edits", text);
    }
    for revoked in report.project.iter().flat_map(|project| &project.revoked) {
        add("Revoked", describe_revoked(revoked));
    }
    if let Some(text) = report.project.as_ref().and_then(describe_updates) {
        add("Updates", text);
    }
    align_columns(&rows)
        .iter()
        .for_each(|line| shell.print_line(line));

    shell.print_line("");
    let commands: Vec<Vec<String>> = report
        .next
        .iter()
        .map(|next| vec![format!("  {}", next.command), next.purpose.clone()])
        .collect();
    align_columns(&commands)
        .iter()
        .for_each(|line| shell.print_line(line));
}

/// `/home/me/app: 4 dependencies, 6 locked; 1 missing, 1 edited`
fn describe_project(project: &ProjectStatus) -> String {
    let required = match project.required {
        1 => "1 dependency".to_owned(),
        count => format!("{count} dependencies"),
    };
    let locked = match project.locked {
        Some(locked) => format!("{locked} locked"),
        None => "no lockfile".to_owned(),
    };

    let mut state = Vec::new();
    if !project.missing.is_empty() {
        state.push(format!("{} missing", project.missing.len()));
    }
    if !project.edited.is_empty() {
        state.push(format!("{} edited", project.edited.len()));
    }
    if !project.conflicts.is_empty() {
        state.push(format!("{} with conflict markers", project.conflicts.len()));
    }
    if state.is_empty() && project.locked.is_some_and(|locked| locked > 0) {
        state.push("all installed".to_owned());
    }

    let root = project.root.display();
    let parts = [required, locked].into_iter().chain(state);
    format!("{root}: {}", parts.collect::<Vec<_>>().join(", "))
}

/// `saved for pdf in patches/pdf.patch`
fn describe_saved_edits(project: &ProjectStatus) -> Option<String> {
    let mut named: Vec<String> = project
        .saved_edits
        .iter()
        .take(NAMED_MAX)
        .map(|(name, path)| format!("{name} in {path}"))
        .collect();
    if let Some(more) = project.saved_edits.len().checked_sub(NAMED_MAX + 1) {
        named.push(format!("{} more", more + 1));
    }
    (!named.is_empty()).then(|| format!("saved for {}", named.join(", ")))
}

/// `3 in the project, 2 of yours, 2 bundled`
fn describe_tiers(tiers: &[(Tier, usize)]) -> String {
    let described: Vec<String> = tiers
        .iter()
        .map(|(tier, count)| match tier {
            Tier::Workspace => format!("{count} in the project"),
            Tier::Managed => format!("{count} of yours"),
            Tier::Bundled => format!("{count} bundled with skillpm"),
            Tier::Extra => format!("{count} in other directories"),
        })
        .collect();
    if described.is_empty() {
        return "none".to_owned();
    }
    described.join(", ")
}

/// `Claude Code (.claude/) sees 6 skills`
fn describe_agent(agent: &AgentSummary) -> String {
    let found = agent
        .found
        .as_ref()
        .map_or_else(String::new, |found| format!(" ({found})"));
    let sees = match agent.sees {
        0 => "no skill".to_owned(),
        count => plural(count, "skill"),
    };
    format!("{}{found} sees {sees}", agent.agent.name)
}

/// `pdf 1.0.0: it leaks the environment`
fn describe_revoked(revoked: &RevokedPackage) -> String {
    let name = revoked.locked.install_name();
    format!(
        "{name} {}: {}",
        revoked.locked.revision(),
        revoked.reason.escape_debug()
    )
}

/// How many newer versions are named in one line.
const NAMED_MAX: usize = 4;

/// `release 1.0.0 -> 1.2.0, pdf 1.0.0 -> 2.0.0 (not compatible); 2 not checked`
fn describe_updates(project: &ProjectStatus) -> Option<String> {
    let describe = |outdated: &OutdatedSkill| {
        let note = match outdated.compatible {
            Some(_) => "",
            None => " (not compatible)",
        };
        let newer = outdated.compatible.as_ref().unwrap_or(&outdated.latest);
        format!("{} {} -> {newer}{note}", outdated.name, outdated.current)
    };

    let named = project.outdated.iter().take(NAMED_MAX).map(describe);
    let mut parts = vec![named.collect::<Vec<_>>().join(", ")];
    if let Some(more) = project.outdated.len().checked_sub(NAMED_MAX + 1) {
        parts.push(format!("{} more", more + 1));
    }
    if project.unknown > 0 {
        parts.push(format!(
            "{} not in the cache: `skillpm outdated` asks",
            project.unknown
        ));
    }

    parts.retain(|part| !part.is_empty());
    (!parts.is_empty()).then(|| parts.join("; "))
}

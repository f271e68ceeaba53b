//! `why`: prints from [`why`] which requirements lead to a skill, and which agents see it or not.

use clap::Args;
use serde_json::{Value, json};

use super::catalog_notes;
use crate::catalog::SkillCopy;
use crate::catalog::text::one_line;
use crate::cli::CliSession;
use crate::cli::render::json;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::lockfile::LockedPackage;
use crate::ops::agents::UnseeingAgent;
use crate::ops::inspect::{WhyReport, why};
use crate::resolver::RootDependency;
use crate::skill::InstallMethod;

/// Explain why a skill is installed or visible
///
/// Shows its dependents, source and tier, the skills that it shadows, and why it is
/// hidden from agents, if it is.
///
/// Examples:
///
///   skillpm why commit-messages
///   skillpm why commit-messages --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct WhyArgs {
    /// The skill's name
    name: String,
}

impl WhyArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let why = why(&session.context, &self.name)?;
        if as_json {
            print_json(session.shell, &why);
        } else {
            print_human(session.shell, &why);
        }
        Ok(0)
    }
}

fn print_human(shell: &CliShell, why: &WhyReport) {
    match &why.locked {
        Some(locked) => shell.print_line(&format!(
            "{} {} from {}",
            why.name,
            locked.revision(),
            locked.source.describe()
        )),
        None => shell.print_line(&format!("{}: not required by this project", why.name)),
    }

    // First why it is installed, then why an agent sees it or not: the two are independent.
    print_origin(shell, why);
    print_visibility(shell, why);

    for way in &why.install {
        shell.print_line(&format!(
            "  to install the requirement: {}",
            describe_installer(way)
        ));
    }

    for (agent, found) in &why.agents {
        shell.print_line(&format!("  {}", found.diagnostic(agent).message));
    }
}

/// Prints who requires the skill, what it replaces, and who signed it.
fn print_origin(shell: &CliShell, why: &WhyReport) {
    why.requirements
        .iter()
        .for_each(|required| shell.print_line(&describe_requirement(required)));

    for replaced in why.locked.iter().flat_map(|locked| &locked.replaces) {
        shell.print_line(&format!("  patched in skillpm.toml: replaces {replaced}"));
    }

    if let Some(key) = why.locked.as_ref().and_then(|locked| locked.signed_by) {
        shell.print_line(&format!("  signed by {key}"));
    }
    // A path of one is the skill itself, which the first line has said.
    for path in why.paths.iter().filter(|path| path.len() > 1) {
        let names = path_references(path).join(" -> ");
        shell.print_line(&format!("  required through {names}"));
    }

    for said in &why.policy {
        shell.print_line(&format!("  policy: {said}"));
    }
}

/// `  required in tools/pdf/skillpm.toml: acme/pdf ^1.2`
fn describe_requirement(
    RootDependency {
        dependency: asked,
        member,
    }: &RootDependency,
) -> String {
    // `*` is what a manifest without a requirement means, and says nothing to a reader.
    let req = if asked.req == semver::VersionReq::STAR {
        String::new()
    } else {
        format!(" {}", asked.req)
    };

    let place = member
        .as_ref()
        .map_or(String::new(), |member| format!("{}/", member.dir));
    format!("  required in {place}skillpm.toml: {}{req}", asked.package)
}

/// Prints where the skill is, what it shadows, and why agents do not see it.
fn print_visibility(shell: &CliShell, why: &WhyReport) {
    if let Some(winner) = &why.winner {
        shell.print_line(&format!(
            "  in the {} tier: {}",
            winner.tier.name(),
            winner.path.display()
        ));
    }

    for (copy, is_copy) in &why.shadows {
        let relation = if *is_copy == Some(true) {
            "has a copy"
        } else {
            "shadows one"
        };
        shell.print_line(&format!(
            "  {relation} in the {} tier: {}",
            copy.tier.name(),
            copy.path.display()
        ));
    }

    for place in &why.edited {
        shell.print_line(&format!(
            "  edited in {}: `skillpm diff {}` shows the edits",
            place.display(),
            why.name
        ));
    }

    if !why.seen_by.is_empty() {
        let names: Vec<&str> = why.seen_by.iter().map(|agent| &*agent.name).collect();
        shell.print_line(&format!("  seen by {}", names.join(", ")));
    }
    why.unseen_by
        .iter()
        .for_each(|unseen| shell.print_line(&describe_unseen(unseen)));

    if let Some(hidden) = &why.hidden {
        let because = why
            .because
            .as_ref()
            .map_or(String::new(), |because| format!(" ({because})"));
        shell.print_line(&format!("  hidden from agents: {hidden}{because}"));
    }
}

/// `  not seen by Claude Code (found .claude/): `skillpm agents add claude-code` changes that`, or why it hides the
/// skill
fn describe_unseen(unseen: &UnseeingAgent) -> String {
    let found = unseen
        .found
        .as_ref()
        .map_or(String::new(), |found| format!(" (found {found})"));
    let command = unseen.command.as_ref().map_or(String::new(), |command| {
        format!(": `{command}` changes that")
    });
    let because = unseen
        .because
        .as_ref()
        .map_or(String::new(), |because| format!(": {because}"));
    format!(
        "  not seen by {}{found}{because}{command}",
        unseen.agent.name
    )
}

/// A way to install something, as people read it.
fn describe_installer(way: &InstallMethod) -> String {
    let what = way
        .command()
        // A command can be pasted; the label is for kinds that have none, such as a download.
        .or_else(|| way.label.clone())
        .unwrap_or_else(|| way.kind.clone());

    let systems = if way.os.is_empty() {
        String::new()
    } else {
        format!(" ({})", way.os.join(", "))
    };

    // The skill's author wrote it, so invisible characters are marked.
    one_line(&format!("{what}{systems}")).into_owned()
}

fn installer_json(way: &InstallMethod) -> Value {
    json!({
        "id": way.id,
        "kind": way.kind,
        "what": way.what,
        "label": way.label,
        "bins": way.bins,
        "os": way.os,
        "sha256": way.sha256,
        "command": way.command(),
    })
}

fn print_json(shell: &CliShell, why: &WhyReport) {
    let locked = why.locked.as_ref();
    // `asked` has one requirement; in a workspace several members may have one.
    let requests: Vec<Value> = why.requirements.iter().map(requirement_json).collect();

    shell.print_object(&json!({
        "type": "why",
        "name": why.name,
        "asked": requests.first(),
        "asked_by": requests,
        "replaces": locked.map(|locked| &locked.replaces),
        "locked": locked.map(LockedPackage::reference),
        "source": locked.map(|locked| &locked.source),
        "signed_by": locked.and_then(|locked| locked.signed_by).map(|key| key.to_string()),
        "paths": why.paths.iter().map(|path| path_references(path)).collect::<Vec<_>>(),
        "policy": why.policy,
        "winner": why.winner.as_ref().map(copy_json),
        "shadows": why.shadows.iter().map(|(copy, _)| copy_json(copy)).collect::<Vec<_>>(),
        "edited": why.edited,
        "hidden": why.hidden,
        "because": why.because,
        "install": why.install.iter().map(installer_json).collect::<Vec<_>>(),
        "seen_by": why.seen_by.iter().map(|agent| &*agent.id).collect::<Vec<_>>(),
        "unseen_by": why.unseen_by.iter().map(json::unseeing_json).collect::<Vec<_>>(),
        "agents": catalog_notes::disagreements_json(&why.agents),
    }));
}

fn requirement_json(RootDependency { dependency, member }: &RootDependency) -> Value {
    let member = member.as_ref().map(|member| &member.dir);
    json!({"package": dependency.package, "req": dependency.req.to_string(), "member": member})
}

fn copy_json(copy: &SkillCopy) -> Value {
    json!({"tier": copy.tier, "path": copy.path, "version": copy.version})
}

fn path_references(path: &[LockedPackage]) -> Vec<String> {
    path.iter().map(LockedPackage::reference).collect()
}

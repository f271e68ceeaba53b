use clap::Args;
use serde_json::json;

use super::catalog_notes;
use crate::catalog::SkillCopy;
use crate::catalog::text::one_line;
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::lockfile::LockedPackage;
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

    for RootDependency {
        dependency: asked,
        member,
    } in &why.requirements
    {
        let req = if asked.req == semver::VersionReq::STAR {
            String::new()
        } else {
            format!(" {}", asked.req)
        };
        let place = member
            .as_ref()
            .map_or(String::new(), |member| format!("{}/", member.dir));
        shell.print_line(&format!(
            "  required in {place}skillpm.toml: {}{req}",
            asked.package
        ));
    }

    for replaced in why.locked.iter().flat_map(|locked| &locked.replaces) {
        shell.print_line(&format!("  patched in skillpm.toml: replaces {replaced}"));
    }

    if let Some(key) = why.locked.as_ref().and_then(|locked| locked.signed_by) {
        shell.print_line(&format!("  signed by {key}"));
    }
    // A path of one is the skill itself, which the first line has said.
    for path in why.paths.iter().filter(|path| path.len() > 1) {
        let names: Vec<String> = path.iter().map(LockedPackage::reference).collect();
        shell.print_line(&format!("  required through {}", names.join(" -> ")));
    }

    for said in &why.policy {
        shell.print_line(&format!("  policy: {said}"));
    }

    if let Some(winner) = &why.winner {
        shell.print_line(&format!(
            "  in the {} tier: {}",
            winner.tier.name(),
            winner.path.display()
        ));
    }

    for copy in &why.shadows {
        shell.print_line(&format!(
            "  shadows one in the {} tier: {}",
            copy.tier.name(),
            copy.path.display()
        ));
    }

    if let Some(hidden) = &why.hidden {
        let because = why
            .because
            .as_ref()
            .map_or(String::new(), |because| format!(" ({because})"));
        shell.print_line(&format!("  hidden from agents: {hidden}{because}"));
    }

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

/// A way to install something, as people read it.
fn describe_installer(way: &InstallMethod) -> String {
    let what = way
        .command()
        .or_else(|| way.label.clone())
        .unwrap_or_else(|| way.kind.clone());

    let systems = if way.os.is_empty() {
        String::new()
    } else {
        format!(" ({})", way.os.join(", "))
    };

    one_line(&format!("{what}{systems}")).into_owned()
}

fn installer_json(way: &InstallMethod) -> serde_json::Value {
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
    let copy =
        |copy: &SkillCopy| json!({"tier": copy.tier, "path": copy.path, "version": copy.version});
    let path = |path: &Vec<LockedPackage>| {
        path.iter()
            .map(LockedPackage::reference)
            .collect::<Vec<_>>()
    };

    let request = |RootDependency { dependency, member }: &RootDependency| {
        let member = member.as_ref().map(|member| &member.dir);
        json!({"package": dependency.package, "req": dependency.req.to_string(), "member": member})
    };

    shell.print_object(&json!({
        "type": "why",
        "name": why.name,
        "asked": why.requirements.first().map(request),
        "asked-by": why.requirements.iter().map(request).collect::<Vec<_>>(),
        "replaces": why.locked.as_ref().map(|locked| &locked.replaces),
        "locked": why.locked.as_ref().map(LockedPackage::reference),
        "source": why.locked.as_ref().map(|locked| &locked.source),
        "signed-by": why.locked.as_ref().and_then(|locked| locked.signed_by).map(|key| key.to_string()),
        "paths": why.paths.iter().map(path).collect::<Vec<_>>(),
        "policy": why.policy,
        "winner": why.winner.as_ref().map(copy),
        "shadows": why.shadows.iter().map(copy).collect::<Vec<_>>(),
        "hidden": why.hidden,
        "because": why.because,
        "install": why.install.iter().map(installer_json).collect::<Vec<_>>(),
        "agents": catalog_notes::disagreements_json(&why.agents),
    }));
}

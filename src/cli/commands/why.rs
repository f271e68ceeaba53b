use clap::Args;
use serde_json::json;

use super::seen;
use crate::catalog::Copy;
use crate::catalog::text::one_line;
use crate::cli::Session;
use crate::cli::shell::Shell;
use crate::error::Result;
use crate::lockfile::Locked;
use crate::ops::inspect::{Why, why};
use crate::resolver::Root;
use crate::skill::Installer;

/// Tell why a skill is there
///
/// Who asked for it, where it comes from, which tier it stands in, what it
/// covers, and why agents do not see it if so.
///
/// Examples:
///
///   skillpm why commit-messages
///   skillpm why commit-messages --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skill's name
    name: String,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let why = why(&session.context, &self.name)?;
        if as_json {
            object(session.shell, &why);
        } else {
            lines(session.shell, &why);
        }
        Ok(0)
    }
}

fn lines(shell: &Shell, why: &Why) {
    match &why.locked {
        Some(locked) => shell.line(&format!("{} {} from {}", why.name, locked.revision(), locked.source.place())),
        None => shell.line(&format!("{}: nothing in this project asks for it", why.name)),
    }
    for Root { dependency: asked, member } in &why.asked {
        let req = if asked.req == semver::VersionReq::STAR { String::new() } else { format!(" {}", asked.req) };
        let place = member.as_ref().map_or(String::new(), |member| format!("{}/", member.dir));
        shell.line(&format!("  asked for in {place}skillpm.toml: {}{req}", asked.package));
    }
    for replaced in why.locked.iter().flat_map(|locked| &locked.replaces) {
        shell.line(&format!("  patched in skillpm.toml: in place of {replaced}"));
    }
    if let Some(key) = why.locked.as_ref().and_then(|locked| locked.signed_by) {
        shell.line(&format!("  signed by {key}"));
    }
    for path in why.paths.iter().filter(|path| path.len() > 1) {
        let names: Vec<String> = path.iter().map(Locked::reference).collect();
        shell.line(&format!("  needed through {}", names.join(" -> ")));
    }
    for said in &why.policy {
        shell.line(&format!("  policy: {said}"));
    }
    if let Some(winner) = &why.winner {
        shell.line(&format!("  stands in the {} tier: {}", winner.tier.name(), winner.path.display()));
    }
    for copy in &why.shadows {
        shell.line(&format!("  covers one in the {} tier: {}", copy.tier.name(), copy.path.display()));
    }
    if let Some(hidden) = &why.hidden {
        let because = why.because.as_ref().map_or(String::new(), |because| format!(" ({because})"));
        shell.line(&format!("  agents are not shown it: {hidden}{because}"));
    }
    for way in &why.install {
        shell.line(&format!("  it says how to get that: {}", told(way)));
    }
    for (agent, found) in &why.agents {
        shell.line(&format!("  {}", found.diagnostic(agent).message));
    }
}

/// A way to install something, as people read it.
fn told(way: &Installer) -> String {
    let what = way.command().or_else(|| way.label.clone()).unwrap_or_else(|| way.kind.clone());
    let systems = if way.os.is_empty() { String::new() } else { format!(" ({})", way.os.join(", ")) };
    one_line(&format!("{what}{systems}")).into_owned()
}

fn installer(way: &Installer) -> serde_json::Value {
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

fn object(shell: &Shell, why: &Why) {
    let copy = |copy: &Copy| json!({"tier": copy.tier, "path": copy.path, "version": copy.version});
    let path = |path: &Vec<Locked>| path.iter().map(Locked::reference).collect::<Vec<_>>();
    let asked = |Root { dependency, member }: &Root| {
        let member = member.as_ref().map(|member| &member.dir);
        json!({"package": dependency.package, "req": dependency.req.to_string(), "member": member})
    };
    shell.object(&json!({
        "type": "why",
        "name": why.name,
        "asked": why.asked.first().map(asked),
        "asked-by": why.asked.iter().map(asked).collect::<Vec<_>>(),
        "replaces": why.locked.as_ref().map(|locked| &locked.replaces),
        "locked": why.locked.as_ref().map(Locked::reference),
        "source": why.locked.as_ref().map(|locked| &locked.source),
        "signed-by": why.locked.as_ref().and_then(|locked| locked.signed_by).map(|key| key.to_string()),
        "paths": why.paths.iter().map(path).collect::<Vec<_>>(),
        "policy": why.policy,
        "winner": why.winner.as_ref().map(copy),
        "shadows": why.shadows.iter().map(copy).collect::<Vec<_>>(),
        "hidden": why.hidden,
        "because": why.because,
        "install": why.install.iter().map(installer).collect::<Vec<_>>(),
        "agents": seen::told(&why.agents),
    }));
}

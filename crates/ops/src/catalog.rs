//! `catalog`: discovery over the tiers, or over an agent's own directories, then who sees what.

mod ground;
mod sight;

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{Context, show};
use crate::catalog::{Assume, Catalog, Known, Search, Tier};
use crate::error::{Error, Result};
use crate::io::disk;
use ground::Ground;
use sight::Sight;

pub(super) use ground::deny_shadowing;

/// What of the tiers is wanted.
#[derive(Debug, Clone, Default)]
pub struct CatalogOptions {
    /// Just these directories, in this order, instead of the tiers.
    pub dirs: Vec<PathBuf>,
    /// Just these names.
    pub only: Option<Vec<String>>,
    /// What is taken to be there, as `os=…,bins=…,env=…`; the machine as it is where nothing is said.
    pub assume: Vec<String>,
    /// Whether files and checksums are wanted too.
    pub contents: bool,
    /// Just what this finds.
    pub search: Search,
    /// Just the project's own skills, as for a file that is committed with it.
    pub workspace_only: bool,
    /// Who looks: an agent, with its own directories in its own order, or a name under `[catalog.agents]`; `None` for
    /// the tiers as they are.
    pub agent: Option<String>,
}

/// The catalog of the project here, the person's own skills and the bundled ones, or of what one agent makes of them.
///
/// # Errors
/// If a manifest or lockfile cannot be understood, or a name in `only` or the agent is unknown.
pub fn catalog(context: &Context<'_>, options: &CatalogOptions) -> Result<Catalog> {
    let catalog = resolve(context, options)?;
    match catalog.unknown.first() {
        Some(name) => Err(Error::negative(format!("no skill is called `{}`", name.escape_debug()))
            .help("`skillpm list` shows all there are")),
        None => Ok(catalog),
    }
}

/// As [`catalog`], but that names in `only` may be unknown.
pub(super) fn resolve(context: &Context<'_>, options: &CatalogOptions) -> Result<Catalog> {
    let ground = Ground::of(context, options)?;
    let sight = options.agent.as_deref().map(|name| Sight::of(context, &ground, name)).transpose()?;
    let agent = sight.as_ref().and_then(|sight| sight.agent.as_ref());
    let (mut discovery, found) = match agent.filter(|_| options.dirs.is_empty()) {
        Some(agent) => {
            let (theirs, found) = sight::own_order(context, &ground, agent, options);
            (theirs, found.into_iter().map(|found| (agent.clone(), found)).collect())
        }
        None => {
            let ours = ground.look(sight::which(options));
            let found = if sight.is_none() { sight::others(context, &ground, &ours)? } else { Vec::new() };
            (ours, found)
        }
    };
    sight::tell(&mut discovery, found.iter().map(|(agent, found)| (agent.display_name.as_str(), found)));
    ground.tell_sources(&mut discovery);
    if options.workspace_only {
        let roots = &discovery.roots;
        discovery.candidates.retain(|candidate| roots[usize::from(candidate.root)].tier == Tier::Workspace);
    }
    let (view, findings) = sight::view(context, &ground, sight.as_ref(), options)?;
    let mut catalog = Catalog::of(discovery, &view);
    catalog.narrow(&options.search);
    catalog.agent.clone_from(&options.agent);
    catalog.findings.extend(findings);
    catalog.disagreements = found.into_iter().map(|(agent, found)| (agent.id, found)).collect();
    if options.contents {
        carry(&mut catalog)?;
    }
    Ok(catalog)
}

/// Reads the instructions that the agent always carries.
fn carry(catalog: &mut Catalog) -> Result<()> {
    for at in 0..catalog.entries.len() {
        let entry = &catalog.entries[at];
        if entry.always && entry.hidden.is_none() {
            let text = show::instructions(catalog, entry)?;
            catalog.entries[at].instructions = Some(text.into());
        }
    }
    Ok(())
}

/// The machine as it is.
fn assume(context: &Context<'_>) -> Assume {
    let mut assume = Assume::bare(match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    });
    let path: Vec<PathBuf> =
        (context.variable)("PATH").map(|path| path.split(':').map(PathBuf::from).collect()).unwrap_or_default();
    assume.bins = Known::Ask(Box::new(move |name| {
        let is_plain = !name.is_empty() && !name.contains('/');
        is_plain && path.iter().any(|dir| disk::lstat(&dir.join(name)).is_ok_and(|meta| meta.is_some()))
    }));
    let named: BTreeSet<String> = (context.variable_names)();
    assume.env = Known::These(named);
    assume
}

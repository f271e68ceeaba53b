use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::Session;
use crate::error::Result;
use crate::index::write::owners::{Realm, Turn};
use crate::ops::owner::{OwnerOptions, change, list, realm};

/// Show or change who may publish
///
/// The names of a scope have the same owners, who are asked for by `acme/pdf` or
/// `acme/` alike; `pdf` is a name without a scope, and `_` all of those. Who
/// publishes first in a scope owns it. An identity is compared as it is written:
/// it is what publishers have as `registry.identity`, else as their address in git.
///
/// Examples:
///
///   skillpm owner list acme/pdf
///   skillpm owner add acme/ bob@acme.dev github:ann
///   skillpm owner remove pdf bob@acme.dev --registry acme
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show who may publish a name
    List(What),
    /// Let others publish it, too
    Add(Who),
    /// Let others publish it no more
    Remove(Who),
}

#[derive(Debug, Args)]
struct What {
    /// A name, a scope as `acme/`, or `_` for all names without one
    #[arg(value_name = "NAME", value_parser = realm)]
    realm: Realm,

    /// The registry it is in, by its name in the settings
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,
}

#[derive(Debug, Args)]
struct Who {
    #[command(flatten)]
    what: What,

    /// Addresses such as `alice@acme.dev`, or `github:alice` (repeatable)
    #[arg(required = true, value_name = "IDENTITY")]
    identities: Vec<String>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        match &self.action {
            Action::List(what) => show(session, what)?,
            Action::Add(who) => turn(session, who, Turn::Add)?,
            Action::Remove(who) => turn(session, who, Turn::Remove)?,
        }
        Ok(0)
    }
}

fn show(session: &Session<'_>, what: &What) -> Result<()> {
    let (registry, owners) = list(&session.context, &what.realm, what.registry.as_deref())?;
    if session.json()? {
        let name = what.realm.to_string();
        session.shell.object(&json!({"type": "owners", "name": name, "registry": registry, "owners": owners}));
    } else {
        owners.iter().for_each(|owner| session.shell.line(owner));
    }
    Ok(())
}

fn turn(session: &Session<'_>, who: &Who, turn: Turn) -> Result<()> {
    let options = OwnerOptions {
        realm: who.what.realm.clone(),
        turn,
        identities: who.identities.clone(),
        registry: who.what.registry.clone(),
    };
    let changed = change(&session.context, &options)?;
    let (name, all) = (options.realm.to_string(), options.identities.join(", "));
    if session.json()? {
        session.shell.object(&json!({
            "type": if turn == Turn::Add { "owners-added" } else { "owners-removed" },
            "name": name,
            "registry": changed.registry,
            "owners": options.identities,
            "changed": changed.changed,
            "commit": changed.commit,
        }));
        return Ok(());
    }
    let registry = &changed.registry;
    let (verb, what) = match (changed.changed, turn) {
        (true, Turn::Add) => ("Added", format!("{all} to the owners of {name} in {registry}")),
        (true, Turn::Remove) => ("Removed", format!("{all} from the owners of {name} in {registry}")),
        (false, _) => ("Unchanged", format!("{all}: so it is already for {name} in {registry}")),
    };
    session.shell.status(verb, &what);
    Ok(())
}

//! `owner`: lists the owners of a name or a scope ([`list`]), and adds or removes them ([`change`]).

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::CliSession;
use crate::error::Result;
use crate::index::write::owners::{OwnerChange, OwnershipScope};
use crate::ops::owner::{OwnerOptions, change, list, parse_realm};

/// Manage the owners of a package
///
/// All names of a scope have the same owners: `acme/pdf` and `acme/` mean the same
/// scope; `pdf` is a name without a scope, and `_` stands for all of these. The first
/// publisher in a scope owns it. Identities are compared literally: a publisher's is
/// `registry.identity`, else the email address in git.
///
/// Examples:
///
///   skillpm owner list acme/pdf
///   skillpm owner add acme/ bob@acme.dev github:ann
///   skillpm owner remove pdf bob@acme.dev --registry acme
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct OwnerArgs {
    #[command(subcommand)]
    action: OwnerCommand,
}

#[derive(Debug, Subcommand)]
enum OwnerCommand {
    /// List the owners of a package
    List(OwnerListArgs),
    /// Add owners
    Add(OwnerChangeArgs),
    /// Remove owners
    Remove(OwnerChangeArgs),
}

#[derive(Debug, Args)]
struct OwnerListArgs {
    /// A name, a scope as `acme/`, or `_` for all names without one
    #[arg(value_name = "NAME", value_parser = parse_realm)]
    realm: OwnershipScope,

    /// The registry of the package, as named in the settings
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,
}

#[derive(Debug, Args)]
struct OwnerChangeArgs {
    #[command(flatten)]
    what: OwnerListArgs,

    /// Addresses such as `alice@acme.dev`, or `github:alice` (repeatable)
    #[arg(required = true, value_name = "IDENTITY")]
    identities: Vec<String>,
}

impl OwnerArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        match &self.action {
            OwnerCommand::List(what) => print_owners(session, what)?,
            OwnerCommand::Add(who) => change_owners(session, who, OwnerChange::Add)?,
            OwnerCommand::Remove(who) => change_owners(session, who, OwnerChange::Remove)?,
        }
        Ok(0)
    }
}

fn print_owners(session: &CliSession<'_>, what: &OwnerListArgs) -> Result<()> {
    let (registry, owners) = list(&session.context, &what.realm, what.registry.as_deref())?;
    if session.wants_json()? {
        let name = what.realm.to_string();
        session.shell.print_object(
            &json!({"type": "owners", "name": name, "registry": registry, "owners": owners}),
        );
    } else {
        owners
            .iter()
            .for_each(|owner| session.shell.print_line(owner));
    }
    Ok(())
}

fn change_owners(session: &CliSession<'_>, who: &OwnerChangeArgs, turn: OwnerChange) -> Result<()> {
    let options = OwnerOptions {
        realm: who.what.realm.clone(),
        action: turn,
        identities: who.identities.clone(),
        registry: who.what.registry.clone(),
    };

    let changed = change(&session.context, &options)?;
    // The scope and not the name: the change is for all names in it.
    let (name, all) = (options.realm.to_string(), options.identities.join(", "));

    if session.wants_json()? {
        session.shell.print_object(&json!({
            "type": if turn == OwnerChange::Add { "owners-added" } else { "owners-removed" },
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
        (true, OwnerChange::Add) => (
            "Added",
            format!("{all} to the owners of {name} in {registry}"),
        ),
        (true, OwnerChange::Remove) => (
            "Removed",
            format!("{all} from the owners of {name} in {registry}"),
        ),
        // No error: the list is as it was asked for.
        (false, _) => (
            "Unchanged",
            format!("{all}: no change for {name} in {registry}"),
        ),
    };

    session.shell.status(verb, &what);
    Ok(())
}

//! `logout`: removes the token of a registry with [`logout`].

use clap::Args;
use serde_json::json;

use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::login::logout;

/// Remove the token of a registry
///
/// Deletes the saved token. It remains valid elsewhere: to revoke it, use the
/// registry itself.
///
/// Examples:
///
///   skillpm logout
///   skillpm logout --registry acme
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct LogoutArgs {
    /// The registry, by name or by URL [default: the default one]
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<String>,
}

impl LogoutArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let done = logout(&session.context, self.registry.as_deref())?;
        let backends: Vec<String> = done.backends.iter().map(ToString::to_string).collect();

        if as_json {
            session.shell.print_object(&json!({
                "type": "logged-out",
                "registry": self.registry,
                "index": done.index,
                "taken_from": backends,
            }));
        // No error: the wanted state is reached.
        } else if backends.is_empty() {
            session
                .shell
                .status("Unchanged", &format!("no saved token for {}", done.index));
        } else {
            session.shell.status(
                "Logged out",
                &format!(
                    "of {}; the token was removed from {}",
                    done.index,
                    backends.join(", ")
                ),
            );
        }

        if let Some(variable) = done.variable {
            let help = format!("unset `{variable}` to log out");
            session.shell.warn(
                &format!("the token in `{variable}` is still used"),
                Some(&help),
            );
        }
        Ok(0)
    }
}

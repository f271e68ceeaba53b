use clap::Args;
use serde_json::json;

use crate::cli::Session;
use crate::error::Result;
use crate::ops::login::logout;

/// Forget the token of a registry
///
/// Whoever keeps it forgets it. It stays valid for whoever else has it: the
/// registry itself is where a token is taken back.
///
/// Examples:
///
///   skillpm logout --registry acme
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The registry, by name or by URL [default: the default one]
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<String>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let done = logout(&session.context, self.registry.as_deref())?;
        let keepers: Vec<String> = done.keepers.iter().map(ToString::to_string).collect();
        if as_json {
            session.shell.object(&json!({
                "type": "logged-out",
                "registry": self.registry,
                "index": done.index,
                "taken-from": keepers,
            }));
        } else if keepers.is_empty() {
            session.shell.status("Unchanged", &format!("nobody kept a token for {}", done.index));
        } else {
            session
                .shell
                .status("Logged out", &format!("of {}; the token is gone from {}", done.index, keepers.join(", ")));
        }
        if let Some(variable) = done.variable {
            let help = format!("unset `{variable}` to be logged out");
            session.shell.warn(&format!("the token in `{variable}` is used still"), Some(&help));
        }
        Ok(0)
    }
}

use std::io::{IsTerminal, Read};

use clap::Args;
use serde_json::json;

use crate::cli::Session;
use crate::error::{Error, Result};
use crate::ops::login::{self, LoginOptions, login};
use crate::package::Secret;

/// Longest that is read of stdin, in bytes.
const INPUT_MAX: u64 = 64 << 10;

/// Keep a token for a registry
///
/// The token is read from stdin, or asked for on a terminal without being
/// shown; it is never an argument, where every process could see it. It goes
/// with the URL of just this index, and is sent nowhere else.
///
/// `registry.credential-providers` says who keeps it: a file that only you may
/// read (the default), the keyring of the system, or a program.
///
/// Examples:
///
///   skillpm login --registry acme
///   pass show acme/token | skillpm login --registry acme
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
        let index = login::index_of(&session.context, self.registry.as_deref())?;
        let token = ask(session, &index)?;
        let done = login(&session.context, &LoginOptions { registry: self.registry.clone(), token })?;
        if as_json {
            session.shell.object(&json!({
                "type": "logged-in",
                "registry": self.registry,
                "index": done.index,
                "kept-in": done.keeper.to_string(),
            }));
        } else {
            session.shell.status("Logged in", &format!("to {}; the token is in {}", done.index, done.keeper));
        }
        if let Some(variable) = done.variable {
            let help = format!("unset `{variable}` to use the token that was kept now");
            session.shell.warn(&format!("the token in `{variable}` goes before it"), Some(&help));
        }
        Ok(0)
    }
}

/// The token, from whoever sits at the terminal or stands before the pipe.
fn ask(session: &Session<'_>, index: &str) -> Result<Secret> {
    let unreadable = |cause: String| Error::usage("the token could not be read").cause(cause);
    if std::io::stdin().is_terminal() {
        if !session.context.interactive {
            return Err(Error::usage("the token is not asked for here")
                .help("give it on stdin: `skillpm login < FILE`, or run it on a terminal without `--no-input`"));
        }
        session.shell.pause();
        let question = format!("Token for {}:", crate::cli::shell::visible(index));
        let text = inquire::Password::new(&question)
            .with_display_mode(inquire::PasswordDisplayMode::Hidden)
            .without_confirmation()
            .prompt()
            .map_err(|cause| unreadable(cause.to_string()))?;
        return Ok(Secret::new(&text));
    }
    let mut text = String::new();
    std::io::stdin().take(INPUT_MAX).read_to_string(&mut text).map_err(|cause| unreadable(cause.to_string()))?;
    Ok(Secret::new(&text))
}

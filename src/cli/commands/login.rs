//! `login`: reads a token from a prompt or from stdin, never from the arguments, and stores it with `ops::login`.

use std::io::{IsTerminal, Read};

use clap::Args;
use serde_json::json;

use crate::cli::CliSession;
use crate::cli::prompts::prompt_error;
use crate::cli::render::foreign_text::escape_line;
use crate::error::{Error, Result};
use crate::ops::login::{self, LoginOptions, login};
use crate::package::SecretString;

/// Maximum size of a token on stdin, in bytes.
const INPUT_MAX: u64 = 64 << 10;

/// Save a token for a registry
///
/// Reads the token from stdin, or prompts for it on a terminal without showing it;
/// an argument would be visible to other processes. The token is saved for the URL
/// of this index, and is sent to no other.
///
/// `registry.credential-providers` selects the store: a file that only you can
/// read (the default), the keyring of the system, or a program.
///
/// Examples:
///
///   skillpm login --registry acme
///   pass show acme/token | skillpm login --registry acme
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct LoginArgs {
    /// The registry, by name or by URL [default: the default one]
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<String>,
}

impl LoginArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        // Before the prompt, so that no one types a token for a registry that does not exist.
        let index = login::index_url(&session.context, self.registry.as_deref())?;

        let token = read_token(session, &index)?;
        let done = login(
            &session.context,
            &LoginOptions {
                registry: self.registry.clone(),
                token,
            },
        )?;

        if as_json {
            session.shell.print_object(&json!({
                "type": "logged-in",
                "registry": self.registry,
                "index": done.index,
                "kept_in": done.backend.to_string(),
            }));
        } else {
            session.shell.status(
                "Logged in",
                &format!("to {}; the token is in {}", done.index, done.backend),
            );
        }
        // By default the environment comes before the other providers, so that the new token
        // would never be used.
        if let Some(variable) = done.variable {
            let help = format!("unset `{variable}` to use the saved token");
            session.shell.warn(
                &format!("the token in `{variable}` takes precedence"),
                Some(&help),
            );
        }

        Ok(0)
    }
}

/// Reads the token from a prompt on a terminal, or from stdin.
fn read_token(session: &CliSession<'_>, index: &str) -> Result<SecretString> {
    let unreadable = |cause: String| Error::usage("failed to read the token").cause(cause);
    // A prompt that does not echo. On a pipe there is no one to prompt.
    if std::io::stdin().is_terminal() {
        if !session.context.interactive {
            return Err(Error::usage("cannot prompt for the token: not a terminal, or `--no-input` is set")
                .help("pass it on stdin with `skillpm login < FILE`, or run on a terminal without `--no-input`"));
        }

        session.shell.hide_progress();
        // The index may come from a project's settings, which anyone with a pull request can write.
        let question = format!("Token for {}:", escape_line(index));

        let text = inquire::Password::new(&question)
            .with_display_mode(inquire::PasswordDisplayMode::Hidden)
            // A token is pasted, and typing it twice proves nothing.
            .without_confirmation()
            .prompt()
            .map_err(|cause| prompt_error(session.shell, &cause))?;
        return Ok(SecretString::new(&text));
    }

    let mut text = String::new();
    std::io::stdin()
        // A pipe of any length must not fill the memory.
        .take(INPUT_MAX)
        .read_to_string(&mut text)
        .map_err(|cause| unreadable(cause.to_string()))?;
    Ok(SecretString::new(&text))
}

//! `lsp`: runs the language server of `skillpm_lsp` on stdin and stdout.

use clap::Args;

use crate::cli::render::findings::rule_url;
use crate::cli::{CliSession, env_variable};
use crate::error::{Error, Result};
use crate::lsp::LspOptions;
use crate::ops::BaseDirs;
use crate::settings::read_settings;

/// Run a language server for editors
///
/// Speaks the language server protocol on stdin and stdout; editors start it. It checks
/// SKILL.md, other files of skills, skillpm.toml and skillpm.lock while you type, and
/// offers fixes, documentation and completions. Nothing is written to disk, no code of
/// a skill is run, and no server is asked unless the editor allows that.
///
/// Examples:
///
///   skillpm lsp                                   started by an editor
///   skillpm lsp --stdio                           as some editors start it
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct LspArgs {
    /// Use stdin and stdout, as some editors ask for; there is nothing else
    #[arg(long)]
    stdio: bool,
}

impl LspArgs {
    #[expect(clippy::unused_self, reason = "the flag has no effect")]
    pub(in crate::cli) fn run(self, session: &CliSession<'_>) -> Result<u8> {
        // The client reads stdout as the protocol, and a line of ours would break it off.
        if session.wants_json()? {
            return Err(Error::usage(
                "cannot use `--format json` with `lsp`: stdout is used for the protocol",
            )
            .help("remove `--format json`"));
        }

        let settings = |dirs: &BaseDirs| read_settings(dirs, &env_variable, &session.setting_flags);
        crate::lsp::run(
            &session.context,
            LspOptions {
                settings: &settings,
                rule_url: &rule_url,
            },
        )
    }
}

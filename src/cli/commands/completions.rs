//! `completions`: prints the completions of a shell, as `generate::completions` writes them from the arguments of all
//! commands.

use clap::Args;

use crate::cli::generate;
use crate::cli::shell::CliShell;

/// Print completions for a shell
///
/// Examples:
///
///   skillpm completions bash > ~/.local/share/bash-completion/completions/skillpm
///   skillpm completions zsh > ~/.zfunc/_skillpm
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(in crate::cli) fn run(&self, shell: &CliShell) -> u8 {
        // Raw, since the script is for a shell and must not be escaped.
        shell.print_raw(&generate::completions(self.shell));
        0
    }
}

use clap::Args;

use crate::cli::generate;
use crate::cli::shell::Shell;

/// Print completions for a shell
///
/// Examples:
///
///   skillpm completions bash > ~/.local/share/bash-completion/completions/skillpm
///   skillpm completions zsh > ~/.zfunc/_skillpm
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Which shell
    shell: clap_complete::Shell,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, shell: &Shell) -> u8 {
        shell.raw(&generate::completions(self.shell));
        0
    }
}

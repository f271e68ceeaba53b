//! `completions`: prints the completions of a shell, as `generate::completions` writes them from the arguments of all
//! commands.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::generate;
use crate::cli::shell::CliShell;

/// Print completions for a shell
///
/// The script asks `skillpm` at each Tab, so that it also completes the names of skills,
/// packages and their versions, agents, rules, registries and settings. Nothing is fetched.
///
/// Examples:
///
///   skillpm completions bash > ~/.local/share/bash-completion/completions/skillpm
///   skillpm completions zsh > ~/.skillpm.zsh      then: source ~/.skillpm.zsh
///   skillpm completions fish > ~/.config/fish/completions/skillpm.fish
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(generate::SHELLS.map(|(name, _)| name)))]
    shell: String,
}

impl CompletionsArgs {
    pub(in crate::cli) fn run(&self, shell: &CliShell) -> u8 {
        // Raw, since the script is for a shell and must not be escaped.
        shell.print_raw(&generate::completions(&self.shell));
        0
    }
}

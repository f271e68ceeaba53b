//! `man`: prints one of the pages of `generate::man_pages`, which has one for each command.

use clap::Args;

use crate::cli::generate;
use crate::cli::shell::CliShell;
use crate::error::{Error, Result, nearest_name};

/// Print a manual page
///
/// Examples:
///
///   skillpm man add | man -l -
///   skillpm man > skillpm.1
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ManArgs {
    /// The command [default: skillpm itself]
    command: Option<String>,
}

impl ManArgs {
    pub(in crate::cli) fn run(&self, shell: &CliShell) -> Result<u8> {
        let pages = generate::man_pages();
        let name = self
            .command
            .as_ref()
            .map_or("skillpm.1".to_owned(), |command| {
                format!("skillpm-{command}.1")
            });

        let Some(page) = pages.get(&name) else {
            let wanted = self.command.as_deref().unwrap_or_default();
            return Err(unknown_command(wanted, pages.keys()));
        };

        shell.print_raw(page);
        Ok(0)
    }
}

fn unknown_command<'p>(wanted: &str, pages: impl Iterator<Item = &'p String>) -> Error {
    // The pages are named as git's are, for `man skillpm-add`.
    let known = pages.filter_map(|page| page.strip_prefix("skillpm-")?.strip_suffix(".1"));

    let error = Error::usage(format!("unknown command `{}`", wanted.escape_debug()));
    match nearest_name(wanted, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("run `skillpm help` for all commands"),
    }
}

use clap::Args;

use crate::cli::generate;
use crate::cli::shell::Shell;
use crate::error::{Error, Result, nearest};

/// Print a manual page
///
/// Examples:
///
///   skillpm man add | man -l -
///   skillpm man > skillpm.1
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The command; without one, the page of skillpm itself
    command: Option<String>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, shell: &Shell) -> Result<u8> {
        let pages = generate::man_pages();
        let name = self.command.as_ref().map_or("skillpm.1".to_owned(), |command| format!("skillpm-{command}.1"));
        let page = pages.get(&name).ok_or_else(|| {
            let wanted = self.command.as_deref().unwrap_or_default();
            let known = pages.keys().filter_map(|page| page.strip_prefix("skillpm-")?.strip_suffix(".1"));
            let error = Error::usage(format!("there is no command `{}`", wanted.escape_debug()));
            match nearest(wanted, known) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help("`skillpm help` lists them"),
            }
        })?;
        shell.raw(page);
        Ok(0)
    }
}

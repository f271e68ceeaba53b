//! `tree`: draws the lines of [`tree`], the dependency graph of the lockfile.

use clap::Args;
use serde_json::json;

use super::ScopeArgs;
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::inspect::{TreeLine, tree};

/// Show the dependency graph
///
/// Reads the lockfile. A package whose dependencies were shown above is marked
/// with (*).
///
/// Examples:
///
///   skillpm tree
///   skillpm tree --invert --depth 1
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct TreeArgs {
    /// Show the dependents of each package instead
    #[arg(short, long)]
    invert: bool,

    /// Maximum depth; 1 for direct dependencies only
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl TreeArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;

        for line in tree(
            &session.context,
            self.scope.workspace_kind(),
            self.invert,
            self.depth,
        )? {
            if as_json {
                session.shell.print_object(&json!({
                    "type": "node",
                    "depth": line.depth,
                    "name": line.package.install_name(),
                    "package": line.package.name,
                    "version": line.package.version.as_ref().map(ToString::to_string),
                    "revision": line.package.revision(),
                    "source": line.package.source,
                    "repeated": line.repeated,
                }));
            } else {
                session.shell.print_line(&draw_line(&line));
            }
        }

        Ok(0)
    }
}

fn draw_line(line: &TreeLine) -> String {
    let mut text = String::new();
    // The first level has no branch drawn before it.
    if let Some((own, above)) = line.last[1..].split_last() {
        above
            .iter()
            .for_each(|last| text.push_str(if *last { "    " } else { "│   " }));
        text.push_str(if *own { "└── " } else { "├── " });
    }

    let renamed = if line.package.alias.is_some() {
        format!(" ({})", line.package.name)
    } else {
        String::new()
    };

    // As `cargo tree` marks what it has shown.
    let repeated = if line.repeated { " (*)" } else { "" };
    format!(
        "{text}{} {}{renamed}{repeated}",
        line.package.install_name(),
        line.package.revision()
    )
}

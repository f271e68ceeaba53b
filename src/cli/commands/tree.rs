use clap::Args;
use serde_json::json;

use super::Scope;
use crate::cli::Session;
use crate::error::Result;
use crate::ops::inspect::{Line, tree};

/// Show the dependency graph
///
/// As it is locked. A package whose dependencies were shown above is marked with
/// (*).
///
/// Examples:
///
///   skillpm tree
///   skillpm tree --invert --depth 1
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Show who needs each package instead of what it needs
    #[arg(short, long)]
    invert: bool,

    /// How many levels to show; 1 for the project's own dependencies alone
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        for line in tree(&session.context, self.scope.sort(), self.invert, self.depth)? {
            if as_json {
                session.shell.object(&json!({
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
                session.shell.line(&drawn(&line));
            }
        }
        Ok(0)
    }
}

fn drawn(line: &Line) -> String {
    let mut text = String::new();
    if let Some((own, above)) = line.last[1..].split_last() {
        above.iter().for_each(|last| text.push_str(if *last { "    " } else { "│   " }));
        text.push_str(if *own { "└── " } else { "├── " });
    }
    let renamed = if line.package.alias.is_some() { format!(" ({})", line.package.name) } else { String::new() };
    let repeated = if line.repeated { " (*)" } else { "" };
    format!("{text}{} {}{renamed}{repeated}", line.package.install_name(), line.package.revision())
}

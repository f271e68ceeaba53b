//! `propose`: reads a changed `SKILL.md` or a diff from a file or stdin, and stores it with [`propose`].

use std::path::{Path, PathBuf};

use clap::Args;

use super::proposals::proposal_json;
use super::read_stdin;
use crate::cli::CliSession;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::ops::catalog::CatalogOptions;
use crate::ops::proposals::{ProposalRequest, ProposedChange, propose};

/// Propose a change of a skill for review
///
/// Reads a changed SKILL.md or a unified diff, and stores it as a Markdown file in
/// .skillpm/proposals. The skill is not changed until `skillpm proposals apply` is
/// run.
///
/// Examples:
///
///   skillpm proposals new csv-tidy --file new/SKILL.md -j "Step 4 fails on a BOM."
///   git diff | skillpm proposals new csv-tidy --diff - -j "Step 4 fails on a BOM."
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ProposeArgs {
    /// The skill's name
    name: String,

    #[command(flatten)]
    change: ChangeArgs,

    /// Why the change should be made
    #[arg(short, long, value_name = "TEXT")]
    justification: String,

    /// Evidence that the change helps (repeatable)
    #[arg(long, value_name = "TEXT")]
    evidence: Vec<String>,

    /// Who proposes it
    #[arg(long, value_name = "WHO")]
    by: Option<String>,

    /// Look in this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,
}

/// The change, in one of two ways.
#[derive(Debug, Args)]
// A diff of a file that is given as a whole, too, could contradict it.
#[group(required = true, multiple = false)]
struct ChangeArgs {
    /// The changed SKILL.md; `-` for stdin
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,

    /// The change as a unified diff; `-` for stdin
    #[arg(long, value_name = "PATH")]
    diff: Option<PathBuf>,
}

impl ProposeArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let change = match (&self.change.file, &self.change.diff) {
            (Some(path), _) => ProposedChange::Text(read_input(session, path)?),
            (None, Some(path)) => ProposedChange::Diff(read_input(session, path)?),
            (None, None) => return Err(Error::usage("missing change: pass `--file` or `--diff`")),
        };

        // As paragraphs of one text, which the stored page shows.
        let evidence = (!self.evidence.is_empty()).then(|| self.evidence.join("\n\n"));
        let proposed = ProposalRequest {
            name: self.name.clone(),
            change,
            justification: self.justification.clone(),
            evidence,
            by: self.by.clone(),
        };

        let options = CatalogOptions {
            dirs: self.dirs.clone(),
            ..CatalogOptions::default()
        };

        let stored = propose(&session.context, &options, &proposed)?;
        if as_json {
            session.shell.print_object(&proposal_json(&stored));
            return Ok(0);
        }

        session.shell.status(
            "Proposed",
            &format!("a change of {}, in {}", self.name, stored.path.display()),
        );
        // The id alone on stdout, for a script that applies or rejects it later.
        session.shell.print_line(&stored.proposal.id);
        Ok(0)
    }
}

/// The text of a file, or of stdin.
fn read_input(session: &CliSession<'_>, path: &Path) -> Result<String> {
    if path != Path::new("-") {
        // Relative to `-C`, as all other paths of the command line.
        let text = disk::read_text(&session.context.dirs.cwd.join(path))?;
        return text.ok_or_else(|| Error::usage(format!("file `{}` not found", path.display())));
    }

    String::from_utf8(read_stdin()?).map_err(|_| Error::usage("invalid UTF-8 on stdin"))
}

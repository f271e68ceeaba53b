use std::path::{Path, PathBuf};

use clap::Args;

use super::proposals::object;
use super::stdin;
use crate::cli::Session;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::ops::catalog::CatalogOptions;
use crate::ops::proposals::{Change, Proposed, propose};

/// Propose a change of a skill, for a person to decide on
///
/// Takes the changed SKILL.md or a unified diff, and stores it as a page of
/// Markdown under .skillpm/proposals. The skill stays as it is until somebody
/// runs `skillpm proposals apply`.
///
/// Examples:
///
///   skillpm propose csv-tidy --file new/SKILL.md -j "Step 4 fails on a BOM."
///   git diff | skillpm propose csv-tidy --diff - -j "Step 4 fails on a BOM."
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skill's name
    name: String,

    #[command(flatten)]
    change: Given,

    /// Why the change should be made
    #[arg(short, long, value_name = "TEXT")]
    justification: String,

    /// What shows that it helps (repeatable)
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
#[group(required = true, multiple = false)]
struct Given {
    /// The SKILL.md as it should be; `-` for stdin
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,

    /// The change as a unified diff; `-` for stdin
    #[arg(long, value_name = "PATH")]
    diff: Option<PathBuf>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let change = match (&self.change.file, &self.change.diff) {
            (Some(path), _) => Change::Text(text(session, path)?),
            (None, Some(path)) => Change::Diff(text(session, path)?),
            (None, None) => return Err(Error::usage("a proposal needs `--file` or `--diff`")),
        };
        let evidence = (!self.evidence.is_empty()).then(|| self.evidence.join("\n\n"));
        let proposed = Proposed {
            name: self.name.clone(),
            change,
            justification: self.justification.clone(),
            evidence,
            by: self.by.clone(),
        };
        let options = CatalogOptions { dirs: self.dirs.clone(), ..CatalogOptions::default() };
        let stored = propose(&session.context, &options, &proposed)?;
        if as_json {
            session.shell.object(&object(&stored));
            return Ok(0);
        }
        session.shell.status("Proposed", &format!("a change of {}, in {}", self.name, stored.path.display()));
        session.shell.line(&stored.proposal.id);
        Ok(0)
    }
}

/// The text of a file, or of stdin.
fn text(session: &Session<'_>, path: &Path) -> Result<String> {
    if path != Path::new("-") {
        let text = disk::read_text(&session.context.places.here.join(path))?;
        return text.ok_or_else(|| Error::usage(format!("there is no file `{}`", path.display())));
    }
    String::from_utf8(stdin()?).map_err(|_| Error::usage("stdin is not UTF-8 text"))
}

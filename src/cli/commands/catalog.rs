use std::path::PathBuf;

use clap::Args;

use super::{seen, warn_of_unlisted};
use crate::catalog::emit::{FORMATS, Options, format, markdown};
use crate::cli::Session;
use crate::error::{Context as _, Error, Result};
use crate::io::disk;
use crate::ops::budget::{self, Most};
use crate::ops::catalog::{CatalogOptions, catalog};

/// Emit the resolved catalog for an agent
///
/// Looks through all tiers, decides which skill each name means, leaves out what
/// this machine cannot use, and prints the rest in one of the forms that agents
/// read.
///
/// Examples:
///
///   skillpm catalog                               the whole model, as JSON
///   skillpm catalog --format xml                  for a system prompt
///   skillpm catalog --format markdown --into AGENTS.md
///   skillpm catalog --all --format json           with the hidden ones, and why
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Read this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// What this agent is shown, in its own order
    ///
    /// An id of the table of agents or of `[agents.ID]` in the settings, which reads its own directories; or a name
    /// under `[catalog.agents]` in skillpm.toml, which sees the tiers.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Show just these skills
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// Show the hidden ones too, and why they are
    #[arg(long)]
    all: bool,

    /// Take os=…,bins=…,env=… for granted (repeatable)
    ///
    /// What this machine has is not looked at then, for the kinds of facts that are given.
    #[arg(long, value_name = "FACTS")]
    assume: Vec<String>,

    /// Fail if the listing is longer than N characters
    ///
    /// Or than so many tokens, with a `t` behind the number: `--budget 2000t`. In the form that is asked for; with
    /// `json`, in that of the agent.
    #[arg(long, value_name = "N")]
    budget: Option<Most>,

    /// Advise the model with this file's text
    #[arg(long, value_name = "FILE")]
    preamble: Option<PathBuf>,

    /// Rewrite the section between the markers of this file
    ///
    /// In the form `markdown` only. A file that has no such section gets one at its end.
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,

    /// List the forms there are
    #[arg(long)]
    list_formats: bool,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        if self.list_formats {
            FORMATS.iter().for_each(|format| session.shell.line(&format!("{:10} {}", format.name, format.summary)));
            return Ok(0);
        }
        let name = match session.format.as_deref() {
            None if self.into.is_some() => "markdown",
            None | Some("json") => "json",
            Some("human") => {
                return Err(Error::usage("a catalog is for agents and programs").help("`skillpm list` is for people"));
            }
            Some(name) => name,
        };
        let form = format(name)?;
        let options = CatalogOptions {
            dirs: self.dirs.clone(),
            only: self.only.clone(),
            assume: self.assume.clone(),
            contents: form.name == "json",
            workspace_only: self.into.is_some(),
            agent: self.agent.clone(),
        };
        let catalog = catalog(&session.context, &options)?;
        let here = &session.context.places;
        let preamble = self.preamble.as_ref().map(|path| text_of(&here.here.join(path))).transpose()?;
        let emit = Options { all: self.all, preamble: preamble.as_deref(), ..Options::default() };
        if let Some(most) = self.budget {
            let text = (form.name != "json").then(|| form.render(&catalog, &emit));
            budget::hold(&session.context, &catalog, text.as_deref(), most)?;
        }
        match &self.into {
            Some(_) if form.name != "markdown" => Err(Error::usage("`--into` goes with `--format markdown`")),
            Some(path) => write_section(
                session,
                path,
                &markdown::inner(&catalog, &Options { base: Some(&here.here), home: Some(&here.home), ..emit }),
            ),
            None => {
                let written = session.shell.stream(|out| (form.emit)(&catalog, &emit, out));
                written.context(|| "could not write the catalog".to_owned())?;
                Ok(0)
            }
        }?;
        if form.name != "json" {
            for shadow in catalog.shadows() {
                shadow.sentences().for_each(|sentence| session.shell.warn(&sentence, None));
            }
        }
        warn_of_unlisted(session, &catalog);
        seen::tell(session, &catalog, form.name == "json", self.all)?;
        Ok(0)
    }
}

/// Rewrites the section between the markers of a file.
fn write_section(session: &Session<'_>, path: &std::path::Path, inner: &str) -> Result<u8> {
    let place = session.context.places.here.join(path);
    let before = disk::read_text(&place)?.unwrap_or_default();
    let after = markdown::update_block(&before, inner);
    if after == before {
        session.shell.status("Unchanged", &path.display().to_string());
    } else {
        disk::write_atomic(&place, after.as_bytes())?;
        session.shell.status("Updated", &path.display().to_string());
    }
    Ok(0)
}

fn text_of(path: &std::path::Path) -> Result<String> {
    disk::read_text(path)?.ok_or_else(|| Error::usage(format!("there is no file `{}`", path.display())))
}

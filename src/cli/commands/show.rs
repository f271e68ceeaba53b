//! `show`: prints the instructions or a file of a skill of the catalog, as [`show`] finds it; MCP's tool of that name
//! is [`show_for_tool`].

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::catalog::loaded::{LoadedSkill, SkillWrapping, find_wrapping};
use crate::cli::CliSession;
use crate::cli::format_args::ShowFormatArgs;
use crate::error::{Error, Result};
use crate::ops::catalog::CatalogOptions;
use crate::ops::show::{ShownSkill, SourceChoice, show, show_for_tool};
use crate::skill::tokens;

/// Print the instructions or a file of a skill
///
/// Shows the skill of that name in the highest tier, or else that of a registry or
/// another source, before you add it. The file goes to stdout byte for
/// byte (on a terminal, with control characters escaped); notes about its requirements
/// go to stderr. With `--format`, prints the text that an agent passes to its model:
/// `xml` (the client guide's), `nova`, `yodoca`, `kodelet`, `pickle`; or `raw`, `body`,
/// `json`.
///
/// Examples:
///
///   skillpm show brainstorming
///   skillpm show brainstorming --format kodelet
///   skillpm show brainstorming --file scripts/helper.js
///   skillpm show gh:obra/superpowers --skill brainstorming
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ShowArgs {
    /// The skill's name, or a source that `skillpm add` accepts
    #[arg(value_name = "NAME|SPEC")]
    name: String,

    /// Look for a skill that is not installed in this registry only
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,

    /// Print this skill of a source with several
    #[arg(long, value_name = "NAME")]
    skill: Option<String>,

    /// Print this file of the skill, not its SKILL.md
    #[arg(long, value_name = "PATH")]
    file: Option<String>,

    /// List the skill's files, with their sizes in bytes
    #[arg(long, conflicts_with = "file")]
    files: bool,

    /// Resolve names as this agent does
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Look in this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Count tokens with the o200k vocabulary
    #[arg(long)]
    exact: bool,

    #[command(flatten)]
    format: ShowFormatArgs,
}

impl ShowArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let form = session.format.as_deref().unwrap_or("human");
        let wrapping = self.find_wrapping(form)?;

        let options = CatalogOptions {
            dirs: self.dirs.clone(),
            agent: self.agent.clone(),
            ..CatalogOptions::default()
        };

        let choice = SourceChoice {
            registry: self.registry.as_deref(),
            skill: self.skill.as_deref(),
        };
        let shown = match wrapping {
            Some(_) => show_for_tool(&session.context, options, &self.name, choice, form)?,
            None => show(
                &session.context,
                options,
                &self.name,
                choice,
                self.file.as_deref(),
            )?,
        };
        let exact = self
            .exact
            .then(|| count_tokens(&shown.text()))
            .transpose()?;

        match wrapping.zip(shown.to_loaded()) {
            Some((wrapping, skill)) => {
                // The wording of Yodoca states the count, so an exact one replaces the estimate.
                let tokens = exact.unwrap_or(skill.tokens);
                session
                    .shell
                    .print_file((wrapping.wrap)(&LoadedSkill { tokens, ..skill }).as_bytes());
            }
            None if form == "json" => session.shell.print_object(&skill_json(&shown, exact)),
            None if self.files => print_files(session, &shown),
            None => session.shell.print_file(&shown.bytes),
        }

        if form == "human" {
            self.print_requirements(session, &shown, exact);
        }
        Ok(0)
    }

    /// How a format wraps the instructions; `None` for those that print the file itself.
    ///
    /// # Errors
    /// If it is a format for instructions, and another file was asked for.
    fn find_wrapping(&self, form: &str) -> Result<Option<&'static SkillWrapping>> {
        if matches!(form, "human" | "json" | "raw") {
            return Ok(None);
        }

        let wrapping = find_wrapping(form)?;
        if self.files || self.file.is_some() {
            return Err(Error::usage(format!(
                "cannot use `--format {form}` with `--file`: it is a format for instructions"
            ))
            .help("remove `--format` to print the file, or use `--format json`"));
        }

        Ok(Some(wrapping))
    }

    /// Prints the requirements of the skill.
    fn print_requirements(
        &self,
        session: &CliSession<'_>,
        shown: &ShownSkill,
        exact: Option<usize>,
    ) {
        // Who asks for an exact count wants to see it.
        if session.shell.is_verbose() || exact.is_some() {
            let tokens = match exact {
                Some(tokens) => format!("{tokens} tokens"),
                None => format!("approx. {} tokens", tokens::approximate(&shown.text())),
            };
            session
                .shell
                .status("Shown", &format!("{} ({tokens})", shown.path.display()));
        }
        // Of use only beside the instructions; another file does not need other skills.
        if self.file.is_some() || self.files || shown.requires.is_empty() {
            return;
        }

        let names: Vec<&str> = shown
            .requires
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let absent: Vec<&str> = shown
            .requires
            .iter()
            .filter(|(_, is_there)| !is_there)
            .map(|(name, _)| name.as_str())
            .collect();

        let message = format!("this skill requires: {}", names.join(", "));
        if absent.is_empty() {
            session.shell.warn(&message, Some("load those first"));
        } else {
            // A requirement may be `name@req`, and a search knows names alone.
            let name = absent[0].split('@').next().unwrap_or_default();
            let help = format!("run `skillpm search {name}` to find it");
            session.shell.warn(
                &format!("{message}; not found: {}", absent.join(", ")),
                Some(&help),
            );
        }
    }
}

fn count_tokens(text: &str) -> Result<usize> {
    tokens::exact(text).ok_or_else(|| {
        Error::negative(
            "unsupported option `--exact`: this skillpm was built without the o200k vocabulary",
        )
        .help("remove `--exact`; the estimate is off by a few percent")
    })
}

fn print_files(session: &CliSession<'_>, shown: &ShownSkill) {
    let mut files: Vec<_> = std::iter::once(&shown.file)
        .chain(&shown.resources)
        .collect();
    // The file with the instructions is kept apart from the resources, and belongs among them here.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    for file in files {
        session
            .shell
            .print_line(&format!("{:>9}  {}", file.size, file.path));
    }
}

fn skill_json(shown: &ShownSkill, exact: Option<usize>) -> Value {
    let text = shown.text();

    let missing = shown.requires.iter().filter(|(_, is_there)| !is_there);

    json!({
        "type": "skill",
        "name": shown.name,
        "tier": shown.tier,
        "format": shown.format,
        "version": shown.version,
        "directory": shown.directory,
        "path": shown.path,
        "text": text,
        "body": shown.body(),
        "binary": shown.is_binary(),
        "size": shown.file.size,
        "sha256": shown.file.sha256.to_string(),
        "approx_tokens": tokens::approximate(&text),
        "tokens": exact,
        "requires": shown.requires.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "requires_missing": missing.map(|(name, _)| name).collect::<Vec<_>>(),
        "tools": shown.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "resources": shown.resources.iter().map(|fact| &fact.path).collect::<Vec<_>>(),
        "hidden": shown.hidden,
    })
}

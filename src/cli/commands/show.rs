use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::catalog::loaded::{Loaded, wrapping};
use crate::cli::Session;
use crate::error::{Error, Result};
use crate::ops::catalog::CatalogOptions;
use crate::ops::show::{Shown, show};
use crate::skill::tokens;

/// Print a skill's instructions, or one of its files
///
/// The skill that the name means: the one of the highest tier that holds it. The
/// file goes to stdout byte for byte (on a terminal, with control characters
/// spelled out); what it asks for besides goes to stderr. With `--format`, the
/// words in which an agent hands a skill to its model: `xml` (the client guide's),
/// `nova`, `yodoca`, `kodelet`, `pickle`; or `raw`, `body`, `json`.
///
/// Examples:
///
///   skillpm show brainstorming
///   skillpm show brainstorming --format kodelet
///   skillpm show brainstorming --file scripts/helper.js
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skill's name
    name: String,

    /// Another file of the skill than its SKILL.md
    #[arg(long, value_name = "PATH")]
    file: Option<String>,

    /// List the skill's files, with their sizes in bytes
    #[arg(long, conflicts_with = "file")]
    files: bool,

    /// As this agent sees it, in its own order
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Look in this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Count tokens by the o200k vocabulary, not roughly
    #[arg(long)]
    exact: bool,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let form = session.format.as_deref().unwrap_or("human");
        let wrap = match form {
            "human" | "json" | "raw" => None,
            name => Some(wrapping(name)?.wrap),
        };
        let is_part = self.files || self.file.is_some();
        if let Some(name) = session.format.as_deref().filter(|_| wrap.is_some() && is_part) {
            return Err(Error::usage(format!("`{name}` is a form of a skill's instructions, not of its files"))
                .help("`--file` prints the file as it is; `--format json` tells more of it"));
        }
        let options =
            CatalogOptions { dirs: self.dirs.clone(), agent: self.agent.clone(), ..CatalogOptions::default() };
        let shown = show(&session.context, options, &self.name, self.file.as_deref())?;
        let exact = self.exact.then(|| exact(&shown.text())).transpose()?;
        match wrap.zip(shown.loaded()) {
            Some((wrap, skill)) => {
                let tokens = exact.unwrap_or(skill.tokens);
                session.shell.file(wrap(&Loaded { tokens, ..skill }).as_bytes());
            }
            None if form == "json" => session.shell.object(&object(&shown, exact)),
            None if self.files => list(session, &shown),
            None => session.shell.file(&shown.bytes),
        }
        if form == "human" {
            self.remark(session, &shown, exact);
        }
        Ok(0)
    }

    /// What the skill asks for besides.
    fn remark(&self, session: &Session<'_>, shown: &Shown, exact: Option<usize>) {
        if session.shell.is_verbose() || exact.is_some() {
            let tokens = match exact {
                Some(tokens) => format!("{tokens} tokens"),
                None => format!("approx. {} tokens", tokens::approximate(&shown.text())),
            };
            session.shell.status("Shown", &format!("{} ({tokens})", shown.path.display()));
        }
        if self.file.is_some() || self.files || shown.requires.is_empty() {
            return;
        }
        let names: Vec<&str> = shown.requires.iter().map(|(name, _)| name.as_str()).collect();
        let absent: Vec<&str> =
            shown.requires.iter().filter(|(_, is_there)| !is_there).map(|(name, _)| name.as_str()).collect();
        let message = format!("this skill requires: {}", names.join(", "));
        if absent.is_empty() {
            session.shell.warn(&message, Some("load those first if you have not yet"));
        } else {
            let name = absent[0].split('@').next().unwrap_or_default();
            let help = format!("`skillpm search {name}` looks for what is not there yet");
            session.shell.warn(&format!("{message}; not there: {}", absent.join(", ")), Some(&help));
        }
    }
}

fn exact(text: &str) -> Result<usize> {
    tokens::exact(text).ok_or_else(|| {
        Error::negative("this skillpm was built without the vocabulary that tokens are counted by")
            .help("leave out `--exact`: the estimate is off by a few percent")
    })
}

fn list(session: &Session<'_>, shown: &Shown) {
    let mut files: Vec<_> = std::iter::once(&shown.file).chain(&shown.resources).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    for file in files {
        session.shell.line(&format!("{:>9}  {}", file.size, file.path));
    }
}

fn object(shown: &Shown, exact: Option<usize>) -> Value {
    let text = shown.text();
    let names = |wanted: &dyn Fn(bool) -> bool| {
        let names = shown.requires.iter().filter(|(_, is_there)| wanted(*is_there));
        names.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
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
        "approx-tokens": tokens::approximate(&text),
        "tokens": exact,
        "requires": names(&|_| true),
        "requires-missing": names(&|is_there| !is_there),
        "tools": shown.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "resources": shown.resources.iter().map(|fact| &fact.path).collect::<Vec<_>>(),
        "hidden": shown.hidden,
    })
}

use std::io::IsTerminal;

use clap::Args;
use serde_json::json;

use crate::cli::Session;
use crate::cli::shell::visible;
use crate::error::Result;
use crate::ops::inspect::show;
use crate::skill::tokens;

/// Print a skill's text, or one of its files
///
/// The skill that the name means: the one of the highest tier that holds it. The
/// file goes to stdout byte for byte (on a terminal, with control characters
/// spelled out); what it asks for besides goes to stderr.
///
/// Examples:
///
///   skillpm show brainstorming
///   skillpm show brainstorming --file scripts/helper.js
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skill's name
    name: String,

    /// Another file of the skill than its SKILL.md
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let shown = show(&session.context, &self.name, self.file.as_deref())?;
        let text = String::from_utf8_lossy(&shown.bytes);
        let tokens = tokens::approximate(&text);
        if as_json {
            session.shell.object(&json!({
                "type": "skill",
                "name": shown.name,
                "path": shown.path,
                "text": text,
                "body": text.get(shown.body_start..),
                "approx-tokens": tokens,
                "requires": shown.requires,
                "resources": shown.resources,
            }));
            return Ok(0);
        }
        if std::io::stdout().is_terminal() {
            session.shell.print(&visible(&text));
        } else {
            session.shell.raw(&shown.bytes);
        }
        if session.shell.is_verbose() {
            session.shell.status("Shown", &format!("{} (approx. {tokens} tokens)", shown.path.display()));
        }
        if self.file.is_none() && !shown.requires.is_empty() {
            let names = shown.requires.join(", ");
            session.shell.warn(&format!("this skill requires: {names}"), Some("load those first if you have not yet"));
        }
        Ok(0)
    }
}

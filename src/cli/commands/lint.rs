use std::path::PathBuf;

use clap::Args;

use super::plural;
use crate::cli::Session;
use crate::error::Result;
use crate::lint::rules;
use crate::ops::lint::{LintOptions, lint};

/// Find what is wrong with skills
///
/// Examples:
///
///   skillpm lint
///   skillpm lint skills/pdf
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Directories of skills (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl Arguments {
    pub(in crate::cli) fn run(self, session: &Session<'_>) -> Result<u8> {
        let linted = lint(&session.context, &LintOptions { paths: self.paths })?;
        for found in &linted.findings {
            let diagnostic = &found.diagnostic;
            let code = rules::find(&diagnostic.rule).map_or("?", |rule| rule.code);
            let level = format!("{:?}", diagnostic.level).to_lowercase();
            session.shell.line(&format!(
                "{}: {level}[{code} {}] {}",
                diagnostic.place(&found.path),
                diagnostic.rule,
                diagnostic.message
            ));
        }
        session.shell.status("Linted", &plural(linted.skills, "skill"));
        Ok(u8::from(linted.findings.iter().any(crate::report::Finding::denies)))
    }
}

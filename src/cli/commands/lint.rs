use std::path::PathBuf;

use clap::Args;

use super::findings::{Form, Telling, Told, drawing, tell};
use crate::cli::Session;
use crate::cli::render::findings::{escaped, explain};
use crate::error::{Error, Result, nearest};
use crate::io::disk;
use crate::lint::{Rule, rules};
use crate::ops::lint::{LintOptions, lint};

/// Find what is wrong with skills
///
/// Examples:
///
///   skillpm lint
///   skillpm lint skills/pdf --notes
///   skillpm lint --explain SK401
///   skillpm lint --format sarif > findings.sarif
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Directories of skills (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Show notes too
    #[arg(long)]
    notes: bool,

    /// Count by rule instead of showing each finding
    #[arg(long)]
    statistics: bool,

    /// Explain a rule, by code or name
    #[arg(long, value_name = "RULE", conflicts_with_all = ["paths", "notes", "statistics"])]
    explain: Option<String>,
}

impl Arguments {
    pub(in crate::cli) fn run(self, session: &Session<'_>) -> Result<u8> {
        if let Some(name) = &self.explain {
            return tell_rule(session, name);
        }
        Form::of(session)?;
        let linted = lint(&session.context, &LintOptions { paths: self.paths })?;
        let here = &session.context.places.here;
        // What was linted was read a moment ago; what is gone meanwhile is shown without its lines.
        let text = |path: &str| disk::read_text(&here.join(path)).ok().flatten();
        let told = Told { findings: linted.findings, skills: &linted.dirs };
        let denies = tell(session, told, Telling { notes: self.notes, statistics: self.statistics }, text)?;
        Ok(u8::from(denies))
    }
}

fn tell_rule(session: &Session<'_>, name: &str) -> Result<u8> {
    let rule = find(name)?;
    match Form::of(session)? {
        Form::Json => session.shell.raw(format!("{}\n", escaped(&explain::object(rule))).as_bytes()),
        Form::Human => session.shell.print(&explain::text(rule, drawing(session))),
        _ => {
            return Err(Error::usage("a rule is explained to people and programs")
                .help("`--explain` goes with `--format human` or `--format json`"));
        }
    }
    Ok(0)
}

/// The rule of this code or name, in any case.
fn find(name: &str) -> Result<&'static Rule> {
    let known = |name: &str| rules::find(name).or_else(|| rules::find(&name.to_uppercase()));
    known(name).or_else(|| rules::find(&name.to_lowercase())).ok_or_else(|| {
        let error = Error::usage(format!("there is no rule `{name}`"));
        let codes = rules::all().map(|rule| rule.code).find(|code| code.eq_ignore_ascii_case(name));
        match codes.or_else(|| nearest(name, rules::all().flat_map(|rule| [rule.name, rule.code]))) {
            Some(near) => error.help(format!("did you mean `skillpm lint --explain {near}`?")),
            None => error.help("docs/rules.md lists all rules"),
        }
    })
}

mod fixing;

use std::path::PathBuf;

use clap::Args;

use super::findings::{Form, Told, drawing, tell, tell_object};
use super::{plural, stdin};
use crate::cli::Session;
use crate::cli::render::findings::explain;
use crate::error::{Error, Result, nearest};
use crate::lint::{Flags, Profile, Rule, Setting, rules};
use crate::ops::lint::fix::Mode;
use crate::ops::lint::{BaselineUse, Given, LintOptions, Linted, lint};

use fixing::Fixing;

/// Find what is wrong with skills
///
/// Every skill below the paths is held against every rule; without a path, every skill below this directory but those
/// that skillpm installed. `[lint]` in `skillpm.toml` says which rules there are and how loud.
///
/// Exits with 1 if there is an error among the findings.
///
/// Examples:
///
///   skillpm lint
///   skillpm lint skills/pdf --notes
///   skillpm lint --select SK3 --deny no-trigger
///   skillpm lint --since origin/main --format github
///   skillpm lint --fix skills/pdf
///   skillpm lint --explain SK401
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Directories with skills, or files of skills; `-` for stdin (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// What the file on stdin is called
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,

    /// Only skills that have changed since this commit
    ///
    /// Counted from the commit that REV and the one checked out have in common, up to the files as they are.
    #[arg(long, value_name = "REV", conflicts_with = "stdin_filename")]
    since: Option<String>,

    /// Show notes, too
    #[arg(long)]
    notes: bool,

    /// Count by rule instead of showing each finding
    #[arg(long)]
    statistics: bool,

    /// Explain a rule, by code or name
    #[arg(long, value_name = "RULE", conflicts_with_all = ["paths", "notes", "statistics"])]
    explain: Option<String>,

    #[command(flatten)]
    choice: Choice,

    #[command(flatten)]
    fixing: Fixing,

    #[command(flatten)]
    record: Record,
}

/// Which rules, and how loud.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
struct Choice {
    /// Only these rules: a group (`SK3`), a code or a name (repeatable)
    ///
    /// Rules about security (SK7) stand beside them, always.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,

    /// These rules too (repeatable)
    #[arg(long, hide_short_help = true, value_name = "RULE", value_delimiter = ',')]
    extend_select: Vec<String>,

    /// Not these rules (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,

    /// Drop what this rule finds (repeatable)
    #[arg(long, hide_short_help = true, value_name = "RULE", value_delimiter = ',')]
    allow: Vec<String>,

    /// Make what this rule finds a note (repeatable)
    #[arg(long, hide_short_help = true, value_name = "RULE", value_delimiter = ',')]
    note: Vec<String>,

    /// Make what this rule finds a warning (repeatable)
    #[arg(long, hide_short_help = true, value_name = "RULE", value_delimiter = ',')]
    warn: Vec<String>,

    /// Make what this rule finds an error (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    deny: Vec<String>,

    /// Make every warning an error
    #[arg(long)]
    deny_warnings: bool,

    /// Judge for users, for a registry, or hard
    #[arg(long, hide_short_help = true, value_name = "PROFILE", value_parser = profiles())]
    profile: Option<String>,

    /// An agent that the skills are for, by its id (repeatable)
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    target: Vec<String>,

    /// Ask no `skillpm.toml`
    #[arg(long, hide_short_help = true)]
    isolated: bool,
}

/// What was there before.
#[derive(Debug, Args)]
#[command(next_help_heading = "Baseline")]
struct Record {
    /// Do not tell the findings recorded in this file
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Record all findings in the baseline
    #[arg(long, hide_short_help = true, conflicts_with_all = ["stdin_filename", "since"])]
    write_baseline: bool,
}

fn profiles() -> [&'static str; 3] {
    Profile::ALL.map(|(name, _)| name)
}

impl Choice {
    fn flags(&self) -> Result<Flags> {
        let levels = [
            (&self.allow, Setting::Allow),
            (&self.note, Setting::Note),
            (&self.warn, Setting::Warn),
            (&self.deny, Setting::Deny),
        ];
        let each = |(rules, setting): (&Vec<String>, Setting)| {
            rules.iter().map(|rule| (rule.clone(), setting)).collect::<Vec<_>>()
        };
        Ok(Flags {
            select: self.select.clone(),
            extend_select: self.extend_select.clone(),
            ignore: self.ignore.clone(),
            levels: levels.into_iter().flat_map(each).collect(),
            profile: self.profile.as_deref().map(str::parse).transpose()?,
            targets: self.target.clone(),
        })
    }
}

impl Arguments {
    pub(in crate::cli) fn run(self, session: &Session<'_>) -> Result<u8> {
        if let Some(name) = &self.explain {
            return tell_rule(session, name);
        }
        let form = Form::of(session)?;
        let options = self.options()?;
        let mut linted = lint(&session.context, &options)?;
        match options.fix.map(|fix| fix.mode) {
            Some(Mode::Show) => return fixing::show(session, &mut linted.mended),
            Some(Mode::Write) if linted.mended.given.is_some() => return fixing::give(session, &mut linted),
            Some(Mode::Write) => fixing::tell(session, &linted.mended)?,
            None => {}
        }
        tell_baseline(session, linted.baseline.as_ref());
        let (denies, failure) = (linted.denies(), linted.mended.failure());
        if linted.dirs.is_empty() && form == Form::Human {
            self.tell_nothing(session, &linted);
        } else {
            let Linted { findings, sources, dirs, hidden_notes, .. } = std::mem::take(&mut linted);
            let (hidden, statistics) = (hidden_notes, self.statistics);
            tell(session, Told { findings, sources, skills: &dirs, hidden, statistics })?;
        }
        failure.map_or(Ok(u8::from(denies)), Err)
    }

    fn options(&self) -> Result<LintOptions> {
        let is_stdin = self.paths.iter().any(|path| path.as_os_str() == "-");
        if is_stdin && self.paths.len() > 1 {
            return Err(Error::usage("stdin is linted alone").help("leave the other paths out, or `-`"));
        }
        if !is_stdin && self.stdin_filename.is_some() {
            return Err(Error::usage("`--stdin-filename` names what comes on stdin, and nothing does")
                .help("`skillpm lint - --stdin-filename skills/pdf/SKILL.md < SKILL.md`"));
        }
        let given = || Ok(Given { text: stdin()?, path: self.stdin_filename.clone() });
        Ok(LintOptions {
            paths: self.paths.clone(),
            given: is_stdin.then(given).transpose()?,
            flags: self.choice.flags()?,
            isolated: self.choice.isolated,
            notes: self.notes,
            deny_warnings: self.choice.deny_warnings,
            baseline: self.record.baseline.clone(),
            write_baseline: self.record.write_baseline,
            since: self.since.clone(),
            fix: self.fixing.options()?,
        })
    }

    /// Says why there was nothing to look at.
    fn tell_nothing(&self, session: &Session<'_>, linted: &Linted) {
        let why = match (linted.unchanged, linted.installed, self.paths.is_empty()) {
            (0, 0, true) => "there is no skill below this directory".to_owned(),
            (0, 0, false) => "what was named belongs to no skill".to_owned(),
            (0, installed, _) => format!("{} came by `skillpm install`", plural(installed, "skill")),
            (unchanged, ..) => format!("no skill of {unchanged} has changed"),
        };
        session.shell.status("Linted", &format!("nothing: {why}"));
    }
}

fn tell_baseline(session: &Session<'_>, usage: Option<&BaselineUse>) {
    let Some(usage) = usage else { return };
    for written in &usage.written {
        session.shell.status("Recorded", &format!("{} in `{}`", plural(written.findings, "finding"), written.path));
    }
    let stale: usize = usage.stale.iter().map(|stale| stale.count).sum();
    if let Some(first) = usage.stale.first().filter(|_| usage.written.is_empty()) {
        let more = match stale - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        session.shell.warn(
            &format!("the baseline is stale: `{}` in `{}`{more} no longer occurs", first.rule, first.path),
            Some("`skillpm lint --write-baseline` drops what is gone, and records what is there now"),
        );
    }
}

fn tell_rule(session: &Session<'_>, name: &str) -> Result<u8> {
    let rule = find(name)?;
    match Form::of(session)? {
        Form::Json => tell_object(session.shell, &explain::object(rule)),
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
        match nearest(name, rules::all().flat_map(|rule| [rule.name, rule.code])) {
            Some(near) => error.help(format!("did you mean `skillpm lint --explain {near}`?")),
            None => error.help("docs/rules.md lists all rules"),
        }
    })
}

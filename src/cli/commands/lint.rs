use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::plural;
use crate::cli::Session;
use crate::error::{Error, Result};
use crate::lint::{Flags, Profile, Setting, rules};
use crate::ops::lint::{BaselineUse, Given, LintOptions, Linted, lint};

/// Most that is read of stdin, in bytes.
const INPUT_MAX: u64 = 16 << 20;

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
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Directories with skills, or files of skills; `-` for stdin (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// What the file on stdin is called
    #[arg(long, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,

    /// Only skills that have changed since this commit
    ///
    /// Counted from the commit that REV and the one checked out have in common, up to the files as they are.
    #[arg(long, value_name = "REV", conflicts_with = "stdin_filename")]
    since: Option<String>,

    /// Show notes, too
    #[arg(long)]
    notes: bool,

    /// Count findings by rule
    #[arg(long)]
    statistics: bool,

    #[command(flatten)]
    choice: Choice,

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
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    extend_select: Vec<String>,

    /// Not these rules (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,

    /// Drop what this rule finds (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    allow: Vec<String>,

    /// Make what this rule finds a note (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    note: Vec<String>,

    /// Make what this rule finds a warning (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    warn: Vec<String>,

    /// Make what this rule finds an error (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    deny: Vec<String>,

    /// Make every warning an error
    #[arg(long)]
    deny_warnings: bool,

    /// Judge for users, for a registry, or hard
    #[arg(long, value_name = "PROFILE", value_parser = profiles())]
    profile: Option<String>,

    /// An agent that the skills are for, by its id (repeatable)
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    target: Vec<String>,

    /// Ask no `skillpm.toml`
    #[arg(long)]
    isolated: bool,
}

/// What was there before.
#[derive(Debug, Args)]
#[command(next_help_heading = "Baseline")]
struct Record {
    /// Do not tell the findings recorded in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Record all findings in the baseline
    #[arg(long, conflicts_with_all = ["stdin_filename", "since"])]
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
        let linted = lint(&session.context, &self.options()?)?;
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
        tell_baseline(session, linted.baseline.as_ref());
        self.tell_count(session, &linted);
        Ok(u8::from(linted.denies()))
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
        })
    }

    fn tell_count(&self, session: &Session<'_>, linted: &Linted) {
        match (linted.skills, linted.unchanged, self.paths.is_empty()) {
            (0, 0, true) if linted.installed == 0 => {
                session.shell.status("Linted", "nothing: there is no skill below this directory");
            }
            (0, 0, false) => session.shell.status("Linted", "nothing: what was named belongs to no skill"),
            (0, 0, true) => {
                let what = plural(linted.installed, "skill");
                session
                    .shell
                    .status("Linted", &format!("nothing: {what} below this directory came by `skillpm install`"));
            }
            (skills, 0, _) => session.shell.status("Linted", &plural(skills, "skill")),
            (skills, unchanged, _) => {
                session.shell.status("Linted", &format!("{}; {unchanged} have not changed", plural(skills, "skill")));
            }
        }
    }
}

fn stdin() -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let read = std::io::stdin().take(INPUT_MAX + 1).read_to_end(&mut text);
    read.map_err(|cause| Error::disk(format!("stdin cannot be read: {cause}")))?;
    if text.len() as u64 > INPUT_MAX {
        return Err(Error::usage(format!("stdin has more than {INPUT_MAX} bytes; that is no file of a skill")));
    }
    Ok(text)
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

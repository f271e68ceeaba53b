//! `lint`: selects rules, files and fixes for [`lint`], and prints findings, fixes and statistics in the chosen
//! format.

mod fix_args;
mod fix_output;

use std::path::PathBuf;

use clap::Args;

use super::findings::{FindingReport, draw_options, finding_format, print_report};
use super::{plural, read_stdin};
use crate::cli::CliSession;
use crate::cli::format_args::{FindingFormat, FindingFormatArgs};
use crate::cli::render::findings::explain;
use crate::cli::render::human::align_columns;
use crate::error::{Error, Result, nearest_name};
use crate::lint::{LintFlags, LintLevel, LintProfile, Rule, rules};
use crate::ops::catalog::agent_skill_dirs;
use crate::ops::lint::fix::FixMode;
use crate::ops::lint::{BaselineUse, LintOptions, LintReport, UnsavedFile, lint};
use crate::ops::status::skills_without_manifest;

use fix_args::FixArgs;

/// Check skills against 191 rules
///
/// Checks every skill below the paths; without a path, every skill below this directory except those that skillpm
/// installed. `[lint]` in `skillpm.toml` selects rules and their levels.
///
/// Exits with 1 if a finding is an error.
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
pub(in crate::cli) struct LintArgs {
    /// Directories with skills, or files of skills; `-` for stdin (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Path to report for the file on stdin
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,

    #[command(flatten)]
    format: FindingFormatArgs,

    /// Check the skills that this agent sees, for it
    ///
    /// Those that it lists, and those in its directories that it does not load. Implies `--target`.
    #[arg(long, value_name = "ID", conflicts_with = "paths")]
    agent: Option<String>,

    /// Only skills that have changed since this commit
    ///
    /// Compares the merge base of REV and HEAD with the working tree.
    #[arg(long, value_name = "REV", conflicts_with = "stdin_filename")]
    since: Option<String>,

    /// Include notes
    #[arg(long)]
    notes: bool,

    /// Count by rule instead of showing each finding
    #[arg(long)]
    statistics: bool,

    /// Explain a rule, by code or name, or list those of a group
    ///
    /// A group is the beginning of its codes, such as `SK3`; `SK` lists all rules.
    // It explains and checks nothing.
    #[arg(long, value_name = "RULE", conflicts_with_all = ["paths", "notes", "statistics"])]
    explain: Option<String>,

    #[command(flatten)]
    choice: RuleArgs,

    #[command(flatten)]
    fixing: FixArgs,

    #[command(flatten)]
    record: BaselineArgs,

    /// Check every skill, also those that have not changed since they were checked last
    #[arg(long, hide_short_help = true)]
    no_cache: bool,
}

/// Selection of rules, and their levels.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rules")]
struct RuleArgs {
    /// Only these rules: a group (`SK3`), a code or a name (repeatable)
    ///
    /// Security rules (SK7) are always included.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,

    /// These rules too (repeatable)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "RULE",
        value_delimiter = ','
    )]
    extend_select: Vec<String>,

    /// Not these rules (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,

    /// Ignore findings of this rule (repeatable)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "RULE",
        value_delimiter = ','
    )]
    allow: Vec<String>,

    /// Report findings of this rule as notes (repeatable)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "RULE",
        value_delimiter = ','
    )]
    note: Vec<String>,

    /// Report findings of this rule as warnings (repeatable)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "RULE",
        value_delimiter = ','
    )]
    warn: Vec<String>,

    /// Report findings of this rule as errors (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    deny: Vec<String>,

    /// Report every warning as an error
    #[arg(long)]
    deny_warnings: bool,

    /// Use the rules for users, for a registry, or strict ones
    #[arg(long, hide_short_help = true, value_name = "PROFILE", value_parser = profile_names())]
    profile: Option<String>,

    /// An agent that the skills are for, by its id (repeatable)
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    target: Vec<String>,

    /// Ignore the settings in `skillpm.toml`
    #[arg(long, hide_short_help = true)]
    isolated: bool,
}

/// The baseline: findings recorded earlier.
#[derive(Debug, Args)]
#[command(next_help_heading = "Baseline")]
struct BaselineArgs {
    /// Ignore findings recorded in this file
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Record all findings in the baseline
    #[arg(long, hide_short_help = true, conflicts_with_all = ["stdin_filename", "since"])]
    write_baseline: bool,
}

fn profile_names() -> [&'static str; 3] {
    LintProfile::ALL.map(|(name, _)| name)
}

impl RuleArgs {
    fn rule_flags(&self) -> Result<LintFlags> {
        let levels = [
            (&self.allow, LintLevel::Allow),
            (&self.note, LintLevel::Note),
            (&self.warn, LintLevel::Warn),
            (&self.deny, LintLevel::Deny),
        ];
        let each = |(rules, setting): (&Vec<String>, LintLevel)| {
            rules
                .iter()
                .map(|rule| (rule.clone(), setting))
                .collect::<Vec<_>>()
        };

        Ok(LintFlags {
            select: self.select.clone(),
            extend_select: self.extend_select.clone(),
            ignore: self.ignore.clone(),
            // In this order, so that the strictest flag for a rule is applied last.
            levels: levels.into_iter().flat_map(each).collect(),
            profile: self.profile.as_deref().map(str::parse).transpose()?,
            targets: self.target.clone(),
        })
    }
}

impl LintArgs {
    pub(in crate::cli) fn run(mut self, session: &CliSession<'_>) -> Result<u8> {
        if let Some(name) = &self.explain {
            return explain_rule(session, name);
        }

        let form = finding_format(session)?;
        if let Some(agent) = self.agent.clone() {
            self.paths = agent_skill_dirs(&session.context, &agent)?;
            if self.paths.is_empty() {
                let why = format!("nothing: {agent} finds no skill here");
                session.shell.status("Linted", &why);
                return Ok(0);
            }
            self.choice.target.push(agent);
        }
        let options = self.lint_options()?;
        let mut linted = lint(&session.context, &options)?;

        // The modes that print something other than findings return early.
        match options.fix.map(|fix| fix.mode) {
            Some(FixMode::Show) => return fix_args::print_diff(session, &mut linted.fixed),
            Some(FixMode::Write) if linted.fixed.unsaved.is_some() => {
                return fix_args::print_fixed_stdin(session, &mut linted);
            }
            Some(FixMode::Write) => fix_args::print_fixes(session, &linted.fixed)?,
            None => {}
        }

        print_baseline_use(session, linted.baseline.as_ref());
        // Read before the findings are moved out below.
        let (denies, failure) = (linted.denies(), linted.fixed.failure());

        // A document for a program is printed even if it is empty: its reader parses it.
        if linted.dirs.is_empty() && form == FindingFormat::Human {
            self.print_nothing_linted(session, &linted);
        } else {
            self.print_findings(session, linted)?;
        }
        if self.paths.is_empty() && form == FindingFormat::Human {
            suggest_import(session);
        }

        failure.map_or(Ok(u8::from(denies)), Err)
    }

    fn print_findings(&self, session: &CliSession<'_>, linted: LintReport) -> Result<()> {
        let LintReport {
            findings,
            sources,
            dirs,
            hidden_notes,
            ..
        } = linted;

        print_report(
            session,
            FindingReport {
                findings,
                sources,
                skills: &dirs,
                hidden: hidden_notes,
                statistics: self.statistics,
            },
        )
    }

    fn lint_options(&self) -> Result<LintOptions> {
        let is_stdin = self.paths.iter().any(|path| path.as_os_str() == "-");

        if is_stdin && self.paths.len() > 1 {
            return Err(Error::usage("cannot lint stdin together with other paths")
                .help("remove the other paths, or `-`"));
        }

        if !is_stdin && self.stdin_filename.is_some() {
            return Err(Error::usage("`--stdin-filename` requires `-` as the path")
                .help("`skillpm lint - --stdin-filename skills/pdf/SKILL.md < SKILL.md`"));
        }

        // stdin is read only if it is meant: on a terminal the read would wait for its end.
        let given = || {
            Ok(UnsavedFile {
                text: read_stdin()?,
                path: self.stdin_filename.clone(),
            })
        };

        Ok(LintOptions {
            paths: self.paths.clone(),
            unsaved: is_stdin.then(given).transpose()?.into_iter().collect(),
            neighbors: None,
            flags: self.choice.rule_flags()?,
            isolated: self.choice.isolated,
            notes: self.notes,
            deny_warnings: self.choice.deny_warnings,
            baseline: self.record.baseline.clone(),
            write_baseline: self.record.write_baseline,
            since: self.since.clone(),
            fix: self.fixing.fix_options()?,
            program: self.program_path(),
        })
    }

    /// This program, by which cached results are identified.
    #[expect(
        clippy::disallowed_methods,
        reason = "the environment is read in `cli` and handed down"
    )]
    fn program_path(&self) -> Option<PathBuf> {
        (!self.no_cache).then(std::env::current_exe)?.ok()
    }

    /// Prints why no skill was checked.
    fn print_nothing_linted(&self, session: &CliSession<'_>, linted: &LintReport) {
        // "Nothing found" would look like a success of a check that did not run.
        let why = match (linted.unchanged, linted.installed, self.paths.is_empty()) {
            (0, 0, true) => "no skill found below this directory".to_owned(),
            (0, 0, false) => "the paths belong to no skill".to_owned(),
            (0, installed, _) => {
                format!("{} installed by skillpm", plural(installed, "skill"))
            }
            (unchanged, ..) => format!("no skill of {unchanged} has changed"),
        };

        session.shell.status("Linted", &format!("nothing: {why}"));
    }
}

/// Prints which skills of agents' directories have no manifest, so that nothing can update or verify them.
fn suggest_import(session: &CliSession<'_>) {
    for found in skills_without_manifest(&session.context) {
        let why = format!(
            "`{}` has {} without a manifest; `skillpm import` writes one",
            found.directory.display(),
            plural(found.names.len(), "skill")
        );
        session.shell.status("Note:", &why);
    }
}

fn print_baseline_use(session: &CliSession<'_>, usage: Option<&BaselineUse>) {
    let Some(usage) = usage else { return };

    for written in &usage.written {
        session.shell.status(
            "Recorded",
            &format!(
                "{} in `{}`",
                plural(written.findings, "finding"),
                written.path
            ),
        );
    }

    // A stale entry would hide the finding if it came back, so it is worth a warning.
    let stale: usize = usage.stale.iter().map(|stale| stale.count).sum();
    // Right after `--write-baseline` nothing can be stale.
    if let Some(first) = usage.stale.first().filter(|_| usage.written.is_empty()) {
        let more = match stale - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };

        session.shell.warn(
            &format!(
                "the baseline is stale: `{}` in `{}`{more} no longer occurs",
                first.rule, first.path
            ),
            Some("run `skillpm lint --write-baseline` to update it"),
        );
    }
}

fn explain_rule(session: &CliSession<'_>, name: &str) -> Result<u8> {
    let chosen = find_rules(name)?;

    match (finding_format(session)?, chosen.as_slice()) {
        (FindingFormat::Json, rules) => {
            for rule in rules {
                session.shell.print_object(&explain::rule_json(rule));
            }
        }
        (FindingFormat::Human, [rule]) => session
            .shell
            .print_styled(&explain::render_text(rule, draw_options(session))),
        (FindingFormat::Human, rules) => {
            let rows: Vec<Vec<String>> = rules.iter().map(|rule| list_row(rule)).collect();
            for line in align_columns(&rows) {
                session.shell.print_line(&line);
            }
        }
        // The other formats describe findings, and a rule alone is none.
        _ => {
            return Err(Error::usage("unsupported format for `--explain`")
                .help("use `--explain` with `--format human` or `--format json`"));
        }
    }
    Ok(0)
}

/// `SK401  body-empty  warning  the body is empty`
fn list_row(rule: &Rule) -> Vec<String> {
    [
        rule.code,
        rule.name,
        explain::level_word(rule),
        rule.summary,
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The rule of this code or name, or the rules of this group, in any case.
fn find_rules(name: &str) -> Result<Vec<&'static Rule>> {
    // Codes are upper case and names lower case; people type either in any case.
    let code = name.to_uppercase();
    if let Some(rule) = rules::find(&code).or_else(|| rules::find(&name.to_lowercase())) {
        return Ok(vec![rule]);
    }

    let group: Vec<_> = rules::all()
        .filter(|rule| code.starts_with("SK") && rule.code.starts_with(&code))
        .collect();
    if !group.is_empty() {
        return Ok(group);
    }

    let error = Error::usage(format!("unknown rule `{name}`"));
    let names = rules::all().flat_map(|rule| [rule.name, rule.code]);
    Err(match nearest_name(name, names) {
        Some(near) => error.help(format!("did you mean `skillpm lint --explain {near}`?")),
        None => error.help("run `skillpm lint --explain SK` to list all rules"),
    })
}

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, json};

use super::findings::{Form, Told, tell_object, tell_only};
use super::{Scope, plural};
use crate::cli::Session;
use crate::cli::shell::Shell;
use crate::error::Result;
use crate::lint::capabilities::{Capabilities, Script, Seen};
use crate::ops::audit::{AuditOptions, Audited, Noticed, Stocked, audit, stock};
use crate::report::Severity;

/// Look for danger in skills that are installed or locked
///
/// Every skill in the project's targets, whoever put it there, and every locked one is held against the rules about
/// security (SK7), without the network and without running anything. With names, only those skills; with directories
/// or archives, those. What a skill says about rules itself counts for nothing; what you pass over stands in `[audit]`
/// of `skillpm.toml`, with a reason.
///
/// Exits with 1 if something is found that is as severe as `--fail-on`, or more.
///
/// Examples:
///
///   skillpm audit
///   skillpm audit pdf --low
///   skillpm audit --capabilities
///   skillpm audit ./downloaded/skill.zip --format sarif
///   skillpm audit --fail-on critical --format github
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(in crate::cli) struct Arguments {
    /// Skills by name, directories or archives (repeatable)
    #[arg(value_name = "NAME|PATH")]
    subjects: Vec<String>,

    #[command(flatten)]
    scope: Scope,

    /// Exit with 1 from this severity on: low, medium, high (the default) or critical
    #[arg(long, value_name = "SEVERITY", value_parser = severities())]
    fail_on: Option<String>,

    /// Take stock instead of judging: commands, hosts, variables, paths, tools, scripts
    #[arg(long, conflicts_with_all = ["fail_on", "low", "statistics", "baseline", "write_baseline"])]
    capabilities: bool,

    /// Show findings of low severity, too
    #[arg(long)]
    low: bool,

    /// Count by rule instead of showing each finding
    #[arg(long)]
    statistics: bool,

    /// Do not tell the findings recorded in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Record all findings in the baseline
    #[arg(long, conflicts_with = "subjects")]
    write_baseline: bool,
}

fn severities() -> [&'static str; 4] {
    Severity::ALL.map(Severity::name)
}

impl Arguments {
    pub(in crate::cli) fn run(self, session: &Session<'_>) -> Result<u8> {
        let form = Form::of(session)?;
        let options = AuditOptions {
            subjects: self.subjects,
            sort: self.scope.sort(),
            fail_on: self.fail_on.as_deref().map(str::parse).transpose()?,
            low: self.low,
            baseline: self.baseline,
            write_baseline: self.write_baseline,
        };
        if self.capabilities {
            let stocked = stock(&session.context, &options)?;
            stocked.iter().for_each(|one| tell_stock(session.shell, one, form));
            return Ok(0);
        }
        let mut audited = audit(&session.context, &options)?;
        for (remark, help) in &audited.remarks {
            session.shell.warn(remark, Some(help));
        }
        let (findings, sources) = (std::mem::take(&mut audited.findings), std::mem::take(&mut audited.sources));
        let sums = Sums::of(&findings, &audited);
        tell_only(session, Told { findings, sources, skills: &audited.dirs, hidden: 0, statistics: self.statistics })?;
        match form {
            Form::Json => {
                audited.advisories.iter().for_each(|noticed| tell_object(session.shell, &object(noticed)));
                session.shell.object(&sums.object());
            }
            _ => session.shell.status("Audited", &sums.sentence()),
        }
        if let Some((path, findings)) = &audited.written {
            session.shell.status("Recorded", &format!("{} in `{}`", plural(*findings, "finding"), path.display()));
        }
        Ok(u8::from(audited.denies))
    }
}

/// Places that are shown to a person of one thing.
const PLACES: usize = 3;

fn tell_stock(shell: &Shell, stocked: &Stocked, form: Form) {
    let Stocked { path, names, capabilities } = stocked;
    if form == Form::Json {
        return tell_object(shell, &stock_object(path, names, capabilities));
    }
    shell.line(path);
    let lists = [
        ("commands", &capabilities.commands),
        ("hosts", &capabilities.hosts),
        ("environment", &capabilities.variables),
        ("paths", &capabilities.paths),
        ("network", &capabilities.network),
    ];
    for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        list.iter().enumerate().for_each(|(at, one)| tell_line(shell, title, at, &seen_line(one)));
    }
    capabilities.tools.iter().enumerate().for_each(|(at, tool)| tell_line(shell, "tools", at, tool));
    for (at, Script { path, interpreter, bytes }) in capabilities.scripts.iter().enumerate() {
        let by = interpreter.as_deref().unwrap_or("by itself");
        tell_line(shell, "scripts", at, &format!("{path} ({by}, {bytes} bytes)"));
    }
    if *capabilities == Capabilities::default() {
        shell.line("  runs nothing, and names nothing outside of itself");
    }
}

fn tell_line(shell: &Shell, title: &str, at: usize, text: &str) {
    let title = if at == 0 { title } else { "" };
    shell.line(&format!("  {title:<12} {text}"));
}

fn seen_line(seen: &Seen) -> String {
    let more = seen.places.len().saturating_sub(PLACES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} ({}{more})", seen.value, seen.places.iter().take(PLACES).cloned().collect::<Vec<_>>().join(", "))
}

fn stock_object(path: &str, names: &[String], capabilities: &Capabilities) -> serde_json::Value {
    let list = |seen: &[Seen]| -> Vec<serde_json::Value> {
        seen.iter().map(|one| json!({"value": one.value, "places": one.places})).collect()
    };
    let script =
        |script: &Script| json!({"path": script.path, "interpreter": script.interpreter, "bytes": script.bytes});
    json!({
        "type": "capabilities",
        "path": path,
        "names": names,
        "commands": list(&capabilities.commands),
        "hosts": list(&capabilities.hosts),
        "environment": list(&capabilities.variables),
        "paths": list(&capabilities.paths),
        "tools": capabilities.tools,
        "scripts": capabilities.scripts.iter().map(script).collect::<Vec<_>>(),
        "network": list(&capabilities.network),
        "uses-network": !capabilities.network.is_empty(),
    })
}

fn object(noticed: &Noticed) -> serde_json::Value {
    json!({
        "type": "advisory",
        "id": noticed.id,
        "aliases": noticed.aliases,
        "severity": noticed.severity,
        "summary": noticed.summary,
        "package": noticed.package,
        "version": noticed.version,
        "fixed": noticed.fixed,
        "paths": noticed.paths,
        "references": noticed.references,
        "database": noticed.database,
    })
}

/// How much of what was found.
struct Sums {
    counts: Vec<(Severity, usize)>,
    skills: usize,
    hidden: usize,
    ignored: usize,
    known: usize,
}

impl Sums {
    fn of(findings: &[crate::report::Finding], audited: &Audited) -> Sums {
        let count = |severity| findings.iter().filter(|one| one.diagnostic.severity == Some(severity)).count();
        Sums {
            counts: Severity::ALL.into_iter().rev().map(|severity| (severity, count(severity))).collect(),
            skills: audited.dirs.len(),
            hidden: audited.hidden,
            ignored: audited.ignored,
            known: audited.known,
        }
    }

    /// `14 skills: 1 critical, 2 medium; 3 low hidden (--low); 1 ignored by [audit]`
    fn sentence(&self) -> String {
        let told = self.counts.iter().filter(|(_, count)| *count > 0);
        let told: Vec<String> = told.map(|(severity, count)| format!("{count} {severity}")).collect();
        let told = if told.is_empty() { "nothing found".to_owned() } else { told.join(", ") };
        let rest = [
            (self.hidden, "low hidden (--low)"),
            (self.ignored, "ignored by [audit]"),
            (self.known, "known by the baseline"),
        ];
        let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("; {count} {what}"));
        format!("{}: {told}{}", plural(self.skills, "skill"), rest.collect::<String>())
    }

    fn object(&self) -> serde_json::Value {
        let counts: Map<String, serde_json::Value> =
            self.counts.iter().map(|(severity, count)| (severity.to_string(), json!(count))).collect();
        json!({
            "type": "audited",
            "skills": self.skills,
            "severities": counts,
            "hidden": self.hidden,
            "ignored": self.ignored,
            "known": self.known,
        })
    }
}

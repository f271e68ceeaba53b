//! `audit`: reports advisories and security findings of installed or given skills, from [`audit`]; `--inventory`
//! lists capabilities, from [`take_inventory`].

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, json};

use super::findings::{FindingReport, finding_format, print_findings};
use super::{ScopeArgs, plural};
use crate::cli::CliSession;
use crate::cli::format_args::{FindingFormat, FindingFormatArgs};
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::lint::capabilities::{CapabilityUse, ScriptFile, SkillCapabilities};
use crate::ops::audit::{
    AuditAdvisory, AuditOptions, AuditReport, SkillInventory, audit, take_inventory,
};
use crate::report::Severity;

/// Check installed and locked skills for security problems
///
/// Checks every skill in the project's targets, whether skillpm installed it or not, and every locked skill against the
/// security rules (SK7), without network access and without running anything. Names, directories or archives limit the
/// audit to these. Ignore comments in a skill have no effect; to ignore a finding, add it to `[audit]` in
/// `skillpm.toml`, with a reason.
///
/// Exits with 1 if there is a finding of the severity `--fail-on` or higher.
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
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub(in crate::cli) struct AuditArgs {
    /// Skills by name, directories or archives (repeatable)
    #[arg(value_name = "NAME|PATH")]
    subjects: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    format: FindingFormatArgs,

    /// Exit with 1 from this severity on: low, medium, high (the default) or critical
    #[arg(long, value_name = "SEVERITY", value_parser = severities())]
    fail_on: Option<String>,

    /// List commands, hosts, variables, paths, tools and scripts instead
    // An inventory has no findings, so that none of the flags about them could mean anything.
    #[arg(long, conflicts_with_all = ["fail_on", "low", "statistics", "baseline", "write_baseline"])]
    capabilities: bool,

    /// Include findings of low severity
    #[arg(long)]
    low: bool,

    /// Count by rule instead of showing each finding
    #[arg(long)]
    statistics: bool,

    /// Ignore findings recorded in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Record all findings in the baseline
    // A baseline of some skills would drop the entries of all others.
    #[arg(long, conflicts_with = "subjects")]
    write_baseline: bool,
}

fn severities() -> [&'static str; 4] {
    Severity::ALL.map(Severity::name)
}

impl AuditArgs {
    pub(in crate::cli) fn run(self, session: &CliSession<'_>) -> Result<u8> {
        let form = finding_format(session)?;
        let options = AuditOptions {
            subjects: self.subjects,
            sort: self.scope.workspace_kind(),
            fail_on: self.fail_on.as_deref().map(str::parse).transpose()?,
            low: self.low,
            baseline: self.baseline,
            write_baseline: self.write_baseline,
        };

        // An inventory passes no judgment, so the exit code is 0 whatever is in it.
        if self.capabilities {
            let stocked = take_inventory(&session.context, &options)?;
            stocked
                .iter()
                .for_each(|one| print_capabilities(session.shell, one, form));
            return Ok(0);
        }

        let mut audited = audit(&session.context, &options)?;
        // Before the findings: such as a database that could not be read, without which they are
        // incomplete.
        for (remark, help) in &audited.remarks {
            session.shell.warn(remark, Some(help));
        }

        print_audit(session, &mut audited, form, self.statistics)?;
        if let Some((path, findings)) = &audited.written {
            session.shell.status(
                "Recorded",
                &format!("{} in `{}`", plural(*findings, "finding"), path.display()),
            );
        }
        Ok(u8::from(audited.has_failed))
    }
}

/// Prints the findings, which are taken out of the report, and their counts.
fn print_audit(
    session: &CliSession<'_>,
    audited: &mut AuditReport,
    form: FindingFormat,
    statistics: bool,
) -> Result<()> {
    // Moved out, so that the rest of `audited` stays usable: printing takes both by value.
    let (findings, sources) = (
        std::mem::take(&mut audited.findings),
        std::mem::take(&mut audited.sources),
    );
    // Counted before the findings are moved into the report.
    let sums = AuditCounts::new(&findings, audited);

    print_findings(
        session,
        FindingReport {
            findings,
            sources,
            skills: &audited.dirs,
            hidden: 0,
            statistics,
        },
    )?;

    match form {
        FindingFormat::Json => {
            // An advisory is a finding as well; the object has what only the database knows.
            audited.advisories.iter().for_each(|noticed| {
                session.shell.print_object(&advisory_json(noticed));
            });
            session.shell.print_object(&sums.to_json());
        }
        _ => session.shell.status("Audited", &sums.sentence()),
    }
    Ok(())
}

/// Places that are shown to a person of one thing.
const PLACES_MAX: usize = 3;

fn print_capabilities(shell: &CliShell, stocked: &SkillInventory, form: FindingFormat) {
    let SkillInventory {
        path,
        names,
        capabilities,
    } = stocked;

    if form == FindingFormat::Json {
        return shell.print_object(&capabilities_json(path, names, capabilities));
    }

    shell.print_line(path);
    let lists = [
        ("commands", &capabilities.commands),
        ("hosts", &capabilities.hosts),
        ("environment", &capabilities.variables),
        ("paths", &capabilities.paths),
        ("network", &capabilities.network),
    ];

    for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        list.iter()
            .enumerate()
            .for_each(|(at, one)| print_list_line(shell, title, at, &format_seen(one)));
    }

    capabilities
        .tools
        .iter()
        .enumerate()
        .for_each(|(at, tool)| print_list_line(shell, "tools", at, tool));
    for (
        at,
        ScriptFile {
            path,
            interpreter,
            bytes,
        },
    ) in capabilities.scripts.iter().enumerate()
    {
        let by = interpreter.as_deref().unwrap_or("by itself");
        print_list_line(
            shell,
            "scripts",
            at,
            &format!("{path} ({by}, {bytes} bytes)"),
        );
    }

    if *capabilities == SkillCapabilities::default() {
        shell.print_line("  no commands, and no external references");
    }
}

fn print_list_line(shell: &CliShell, title: &str, at: usize, text: &str) {
    // The title stands once, before the first item of its list.
    let title = if at == 0 { title } else { "" };
    shell.print_line(&format!("  {title:<12} {text}"));
}

fn format_seen(seen: &CapabilityUse) -> String {
    let more = seen.locations.len().saturating_sub(PLACES_MAX);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };

    format!(
        "{} ({}{more})",
        seen.value,
        seen.locations
            .iter()
            .take(PLACES_MAX)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ")
    )
}

fn capabilities_json(
    path: &str,
    names: &[String],
    capabilities: &SkillCapabilities,
) -> serde_json::Value {
    let list = |seen: &[CapabilityUse]| -> Vec<serde_json::Value> {
        seen.iter()
            .map(|one| json!({"value": one.value, "places": one.locations}))
            .collect()
    };
    let script = |script: &ScriptFile| json!({"path": script.path, "interpreter": script.interpreter, "bytes": script.bytes});

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
        "uses_network": !capabilities.network.is_empty(),
    })
}

fn advisory_json(noticed: &AuditAdvisory) -> serde_json::Value {
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

/// Counts of findings.
struct AuditCounts {
    counts: Vec<(Severity, usize)>,
    skills: usize,
    hidden: usize,
    ignored: usize,
    known: usize,
}

impl AuditCounts {
    fn new(findings: &[crate::report::FileFinding], audited: &AuditReport) -> AuditCounts {
        let count = |severity| {
            findings
                .iter()
                .filter(|one| one.diagnostic.severity == Some(severity))
                .count()
        };

        AuditCounts {
            counts: Severity::ALL
                .into_iter()
                .rev()
                .map(|severity| (severity, count(severity)))
                .collect(),
            skills: audited.dirs.len(),
            hidden: audited.hidden,
            ignored: audited.ignored,
            known: audited.baselined,
        }
    }

    /// `14 skills: 1 critical, 2 medium; 3 low hidden (--low); 1 ignored by [audit]`
    fn sentence(&self) -> String {
        // Ordered from the worst: a reader may stop after the first.
        let nonzero = self.counts.iter().filter(|(_, count)| *count > 0);
        let parts: Vec<String> = nonzero
            .map(|(severity, count)| format!("{count} {severity}"))
            .collect();
        let counts = if parts.is_empty() {
            "no findings".to_owned()
        } else {
            parts.join(", ")
        };

        let rest = [
            (self.hidden, "low hidden (--low)"),
            (self.ignored, "ignored by [audit]"),
            // Each part is named with what shows it: a flag, a table of the manifest, a file.
            (self.known, "known by the baseline"),
        ];
        let rest = rest
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("; {count} {what}"));

        format!(
            "{}: {counts}{}",
            plural(self.skills, "skill"),
            rest.collect::<String>()
        )
    }

    fn to_json(&self) -> serde_json::Value {
        let counts: Map<String, serde_json::Value> = self
            .counts
            .iter()
            .map(|(severity, count)| (severity.to_string(), json!(count)))
            .collect();

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

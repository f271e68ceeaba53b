//! Prints findings in the selected format, for all commands that have any.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::CliSession;
use crate::cli::format_args::{FindingFormat, parse_value};
use crate::cli::render::findings::{
    ANNOTATIONS_MAX, DrawOptions, FindingCounts, RepositoryRoot, RuleStatistics, by_file, github,
    gitlab, human, json, sarif, short,
};
use crate::cli::render::terminal::stdout_width;
use crate::cli::shell::CliShell;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::report::FileFinding;

/// The findings in the skills of these directories.
pub(super) struct FindingReport<'a> {
    pub findings: Vec<FileFinding>,
    /// The texts that findings are about, by path.
    pub sources: BTreeMap<String, String>,
    pub skills: &'a [String],
    /// How many notes were found that are not among the findings.
    pub hidden: usize,
    /// Whether to count findings by rule instead of printing each.
    pub statistics: bool,
}

/// The selected format of findings.
///
/// # Errors
/// If it is one that only other commands print.
pub(super) fn finding_format(session: &CliSession<'_>) -> Result<FindingFormat> {
    match session.format.as_deref() {
        None => Ok(FindingFormat::Human),
        Some(name) => parse_value(name)
            .ok_or_else(|| Error::usage(format!("unsupported format `{name}` for findings"))),
    }
}

/// Prints findings, and how many they are.
pub(super) fn print_report(session: &CliSession<'_>, report: FindingReport<'_>) -> Result<()> {
    let form = finding_format(session)?;
    // Totals are printed last: after a long list they are still on the screen.
    let tally = print_findings(session, report)?;
    match form {
        FindingFormat::Json => session.shell.print_object(&tally.to_json()),
        _ => {
            let sentence = tally.sentence();
            match sentence.strip_prefix("no problems ") {
                Some(place) => session.shell.status("No problems", place),
                None => session.shell.status("Found", &sentence),
            }
        }
    }
    Ok(())
}

/// Prints findings, and returns their counts.
pub(super) fn print_findings(
    session: &CliSession<'_>,
    report: FindingReport<'_>,
) -> Result<FindingCounts> {
    let form = finding_format(session)?;
    // The counts are taken first, because printing consumes the texts of the files.
    let tally = FindingCounts::from_findings(&report.findings, report.hidden, report.skills);

    if report.statistics {
        print_statistics(
            session.shell,
            form,
            &RuleStatistics::from_findings(&report.findings),
        )?;
    } else {
        print_in_format(session, form, &report.findings, &tally, report.sources);
    }
    Ok(tally)
}

fn print_in_format(
    session: &CliSession<'_>,
    form: FindingFormat,
    shown: &[FileFinding],
    tally: &FindingCounts,
    mut sources: BTreeMap<String, String>,
) {
    let shell = session.shell;
    // Each text is handed out once, and dropped as soon as its file is printed.
    let files = by_file(shown, |path| sources.remove(path));

    match form {
        FindingFormat::Human => {
            let drawing = draw_options(session);
            files.for_each(|file| shell.print_styled(&human(&file, drawing)));
        }
        FindingFormat::Short => files.for_each(|file| shell.print_styled(&short(&file))),
        FindingFormat::Json => files.for_each(|file| shell.print_raw(json(&file).as_bytes())),
        FindingFormat::Sarif => shell.print_raw(sarif(files, &repository_root(session)).as_bytes()),
        FindingFormat::Gitlab => {
            shell.print_raw(gitlab(files, &repository_root(session)).as_bytes());
        }
        FindingFormat::Github => {
            let root = repository_root(session);
            files.for_each(|file| shell.print_raw(github(&file, &root).as_bytes()));
            shell.print_line(&github_summary(tally));
        }
    }
}

/// The last line of a log of GitHub Actions.
fn github_summary(tally: &FindingCounts) -> String {
    // GitHub drops what exceeds its limit without a word, so the log has to say so.
    let many = [tally.errors, tally.warnings, tally.notes]
        .iter()
        .any(|count| *count > ANNOTATIONS_MAX);
    let rest = if many {
        format!("; GitHub shows {ANNOTATIONS_MAX} of each level, all are listed above")
    } else {
        String::new()
    };

    format!("skillpm found {}{rest}", tally.sentence())
}

fn print_statistics(
    shell: &CliShell,
    form: FindingFormat,
    statistics: &RuleStatistics<'_>,
) -> Result<()> {
    match form {
        FindingFormat::Human | FindingFormat::Short => statistics
            .lines()
            .iter()
            .for_each(|line| shell.print_line(line)),
        FindingFormat::Json => statistics
            .objects()
            .iter()
            .for_each(|object| shell.print_object(object)),
        // These are documents of findings and have no place for a count by rule.
        FindingFormat::Sarif | FindingFormat::Github | FindingFormat::Gitlab => {
            return Err(Error::usage("unsupported format for `--statistics`")
                .help("use `--statistics` with `--format human` or `--format json`"));
        }
    }

    Ok(())
}

/// How findings are drawn on stdout.
pub(super) fn draw_options(session: &CliSession<'_>) -> DrawOptions {
    DrawOptions::for_terminal(stdout_width(), session.context.env_var)
}

/// The root of the repository: from the CI's variable, else the parent of `.git`, else the current directory.
fn repository_root(session: &CliSession<'_>) -> RepositoryRoot {
    let here = session.context.dirs.cwd.clone();
    let ci_variable = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"]
        .iter()
        .find_map(|name| (session.context.env_var)(name));
    let ci_root = ci_variable
        // The CI may give a path through a link, and `here` is the real one.
        .map(|path| disk::real_path(Path::new(&path)))
        .filter(|root| here.starts_with(root));

    // A directory that the program is not in cannot be the root of its paths.
    let root = ci_root.or_else(|| disk::find_repository_root(&here).map(Path::to_path_buf));
    RepositoryRoot::new(root.unwrap_or_else(|| here.clone()), here)
}

//! Telling findings in the form that was asked for, whichever command found them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::cli::Session;
use crate::cli::render::findings::{
    Drawing, Root, SHOWN, Statistics, Tally, by_file, escaped, github, gitlab, human, json, sarif, short,
};
use crate::cli::shell::{Shell, width};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::report::Finding;

/// The forms that findings have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    Human,
    Short,
    Json,
    Sarif,
    Github,
    Gitlab,
}

/// What was found in the skills that lie in these directories.
pub(super) struct Told<'a> {
    pub findings: Vec<Finding>,
    /// The texts that findings are about, by path.
    pub sources: BTreeMap<String, String>,
    pub skills: &'a [String],
    /// How many notes were found that are not among the findings.
    pub hidden: usize,
    /// Whether it is told how often each rule spoke, instead of the findings.
    pub statistics: bool,
}

impl Form {
    /// The form that was asked for.
    pub(super) fn of(session: &Session<'_>) -> Result<Form> {
        Ok(match session.format.as_deref() {
            None | Some("human") => Form::Human,
            Some("short") => Form::Short,
            Some("json") => Form::Json,
            Some("sarif") => Form::Sarif,
            Some("github") => Form::Github,
            Some("gitlab") => Form::Gitlab,
            Some(other) => {
                return Err(Error::usage(format!("findings have no form `{other}`"))
                    .help("their forms are `human`, `short`, `json`, `sarif`, `github` and `gitlab`"));
            }
        })
    }
}

/// Prints findings, and how many they are.
pub(super) fn tell(session: &Session<'_>, told: Told<'_>) -> Result<()> {
    let form = Form::of(session)?;
    let tally = tell_only(session, told)?;
    match form {
        Form::Json => session.shell.object(&tally.object()),
        _ => session.shell.status("Found", &tally.sentence()),
    }
    Ok(())
}

/// Prints findings; how many they are is for whoever asked.
pub(super) fn tell_only(session: &Session<'_>, told: Told<'_>) -> Result<Tally> {
    let form = Form::of(session)?;
    let tally = Tally::of(&told.findings, told.hidden, told.skills);
    if told.statistics {
        tell_statistics(session.shell, form, &Statistics::of(&told.findings))?;
    } else {
        tell_findings(session, form, &told.findings, &tally, told.sources);
    }
    Ok(tally)
}

fn tell_findings(
    session: &Session<'_>,
    form: Form,
    shown: &[Finding],
    tally: &Tally,
    mut sources: BTreeMap<String, String>,
) {
    let shell = session.shell;
    let files = by_file(shown, |path| sources.remove(path));
    match form {
        Form::Human => {
            let drawing = drawing(session);
            files.for_each(|file| shell.print(&human(&file, drawing)));
        }
        Form::Short => files.for_each(|file| shell.print(&short(&file))),
        Form::Json => files.for_each(|file| shell.raw(json(&file).as_bytes())),
        Form::Sarif => shell.raw(sarif(files, &root(session)).as_bytes()),
        Form::Gitlab => shell.raw(gitlab(files, &root(session)).as_bytes()),
        Form::Github => {
            let root = root(session);
            files.for_each(|file| shell.raw(github(&file, &root).as_bytes()));
            let many = [tally.errors, tally.warnings, tally.notes].iter().any(|count| *count > SHOWN);
            let rest = if many {
                format!("; GitHub shows {SHOWN} of each level, all of them stand above")
            } else {
                String::new()
            };
            shell.line(&format!("skillpm found {}{rest}", tally.sentence()));
        }
    }
}

fn tell_statistics(shell: &Shell, form: Form, statistics: &Statistics<'_>) -> Result<()> {
    match form {
        Form::Human | Form::Short => statistics.lines().iter().for_each(|line| shell.line(line)),
        Form::Json => statistics.objects().iter().for_each(|object| tell_object(shell, object)),
        Form::Sarif | Form::Github | Form::Gitlab => {
            return Err(Error::usage("statistics are for people and programs")
                .help("`--statistics` goes with `--format human` or `--format json`"));
        }
    }
    Ok(())
}

/// Prints an object for programs, with what hides in its texts escaped.
pub(super) fn tell_object(shell: &Shell, object: &Value) {
    shell.raw(format!("{}\n", escaped(object)).as_bytes());
}

/// How findings are drawn on stdout.
pub(super) fn drawing(session: &Session<'_>) -> Drawing {
    Drawing::on(width(), session.context.variable)
}

/// The repository that the program was started in: as the CI says, else where `.git` is, else here.
fn root(session: &Session<'_>) -> Root {
    let here = session.context.places.here.clone();
    let told = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].iter().find_map(|name| (session.context.variable)(name));
    let told = told.map(|path| disk::real_path(Path::new(&path))).filter(|root| here.starts_with(root));
    let root = told.or_else(|| disk::repository_around(&here).map(Path::to_path_buf));
    Root::new(root.unwrap_or_else(|| here.clone()), here)
}

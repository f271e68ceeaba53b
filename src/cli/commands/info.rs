//! `info`: prints the metadata, versions and dependents of a package, from [`info`].

use clap::Args;
use serde_json::{Value, json};

use crate::cli::CliSession;
use crate::cli::render::human::{align_columns, table_cell, truncate_description, wrap_words};
use crate::cli::render::terminal::stdout_width;
use crate::error::Result;
use crate::ops::info::{
    DependencyInfo, DependentInfo, InfoOptions, InfoReport, PackageInfo, SourceSkill, VersionInfo,
    info,
};
use crate::ops::search::InstalledCopy;
use crate::package::PackageSpec;
use crate::provenance::VerifyResult;

/// Number of versions shown without `--versions`.
const VERSIONS_SHOWN: usize = 8;

/// Show information about a package
///
/// The package of a registry, or a skill of a git repository, a directory or an
/// archive. Installs and locks nothing. Lists all skills of a source with many.
///
/// Examples:
///
///   skillpm info release
///   skillpm info acme/pdf@^1 --versions
///   skillpm info gh:obra/superpowers --skill brainstorming
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct InfoArgs {
    /// The package, in any form that `skillpm add` accepts
    spec: PackageSpec,

    /// Look in this registry only
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,

    /// Show this skill of a source with many
    #[arg(long, value_name = "NAME")]
    skill: Option<String>,

    /// Show every version, not just the newest
    #[arg(long)]
    versions: bool,
}

impl InfoArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let options = InfoOptions {
            spec: self.spec.clone(),
            registry: self.registry.clone(),
            skill: self.skill.clone(),
        };
        print_info(session, &options, self.versions)
    }
}

/// Prints a package, or the skills of a source with several.
pub(super) fn print_info(
    session: &CliSession<'_>,
    options: &InfoOptions,
    all_versions: bool,
) -> Result<u8> {
    let as_json = session.wants_json()?;
    match info(&session.context, options)? {
        InfoReport::Package(facts) if as_json => {
            session.shell.print_object(&package_json(&facts));
        }
        InfoReport::Package(facts) => print_package(session, &facts, all_versions),
        // A source with many skills has no single answer, so it is listed instead of refused.
        InfoReport::Skills(place, skills) if as_json => {
            skills
                .iter()
                .for_each(|skill| session.shell.print_object(&skill_json(&place, skill)));
        }
        InfoReport::Skills(place, skills) => print_skills(session, &place, &skills),
    }
    Ok(0)
}

fn print_package(session: &CliSession<'_>, facts: &PackageInfo, all_versions: bool) {
    let shell = session.shell;
    // Descriptions of one long line are hard to read, and of a few columns as well.
    let line_width = stdout_width().unwrap_or(80).clamp(40, 100);
    let version = facts
        .version
        .as_ref()
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    let yanked = if facts.yanked { " (yanked)" } else { "" };

    shell.print_line(&format!("{}{version}{yanked}", table_cell(&facts.name)));
    wrap_words(facts.description.as_deref().unwrap_or_default(), line_width)
        .iter()
        .for_each(|line| shell.print_line(line));
    shell.print_line("");

    let rows: Vec<Vec<String>> = fact_rows(facts)
        .into_iter()
        // All of it comes from an index or a package, and is shown on a terminal.
        .map(|(name, value)| vec![name.to_owned(), table_cell(&value)])
        .collect();
    align_columns(&rows)
        .iter()
        .for_each(|line| shell.print_line(line));

    if !facts.versions.is_empty() {
        print_versions(session, &facts.versions, all_versions);
    }
}

fn print_versions(session: &CliSession<'_>, versions: &[VersionInfo], all: bool) {
    let shown = if all { versions.len() } else { VERSIONS_SHOWN };
    session.shell.print_line("");

    let rows = versions.iter().take(shown).map(version_row);
    align_columns(&rows.collect::<Vec<_>>())
        .iter()
        .for_each(|line| session.shell.print_line(line));

    if versions.len() > shown {
        session.shell.print_line(&format!(
            "and {} more; pass `--versions` to show all",
            versions.len() - shown
        ));
    }
}

/// The day of a moment in RFC 3339.
fn day_of_timestamp(moment: &str) -> &str {
    // A timestamp in another form is shown as it is, rather than not at all.
    moment.split('T').next().unwrap_or(moment)
}

fn version_marks(offered: &VersionInfo) -> Vec<&'static str> {
    let pre = (!offered.version.pre.is_empty()).then_some("pre-release");
    offered
        .yanked
        .then_some("yanked")
        .into_iter()
        .chain(pre)
        .collect()
}

/// Rows of a title and its values; unknown facts have no row.
fn fact_rows(facts: &PackageInfo) -> Vec<(&'static str, String)> {
    let one = |text: &Option<String>| text.iter().cloned().collect::<Vec<_>>();

    let all = [
        ("license", one(&facts.license)),
        ("keywords", facts.keywords.clone()),
        ("homepage", one(&facts.homepage)),
    ]
    .into_iter()
    .chain(origin_rows(facts))
    .chain([
        (
            "checksum",
            facts.checksum.iter().map(ToString::to_string).collect(),
        ),
        ("archive", one(&facts.archive)),
        (
            "signed by",
            facts.signed.iter().map(format_signer).collect(),
        ),
        ("owners", facts.owners.clone().unwrap_or_default()),
        (
            "installed",
            facts.installed.iter().map(format_installed).collect(),
        ),
        (
            "requested",
            facts.required_by.iter().map(format_requester).collect(),
        ),
    ]);

    all.filter(|(_, values)| !values.is_empty())
        .map(|(name, values)| (name, values.join(", ")))
        .collect()
}

/// Rows about where the package comes from, and what it brings with it.
fn origin_rows(facts: &PackageInfo) -> [(&'static str, Vec<String>); 5] {
    let registry = facts
        .registry
        .as_ref()
        .map(|registry| format!("{} ({})", registry.name, registry.index));
    let git = facts
        .git
        .as_ref()
        .map(|(url, commit, path)| format_git_source(url, commit, path.as_deref()));

    // A package of a registry or a repository has a row of its own for that.
    let is_plain = registry.is_none() && git.is_none();
    let plain_source = is_plain.then(|| facts.source.clone());

    [
        ("registry", registry.into_iter().collect()),
        ("git", git.into_iter().collect()),
        ("source", plain_source.into_iter().collect()),
        ("published", facts.published.iter().cloned().collect()),
        (
            "needs",
            facts.dependencies.iter().map(format_dependency).collect(),
        ),
    ]
}

fn format_git_source(url: &str, commit: &str, path: Option<&str>) -> String {
    let path = path.map(|path| format!(", {path}")).unwrap_or_default();
    // Eight digits are enough for a reader; the full commit is in the JSON.
    format!("{url}{path} at {}", commit.get(..8).unwrap_or(commit))
}

fn format_requester(asker: &DependentInfo) -> String {
    match &asker.req {
        Some(req) => format!("{} ({}) {req}", asker.who, asker.tier.name()),
        None => format!("{} ({})", asker.who, asker.tier.name()),
    }
}

fn format_signer(verdict: &VerifyResult) -> String {
    match verdict {
        Ok(key) => key.to_string(),
        // The reason is shown rather than nothing, which would look like an unsigned package.
        Err(doubt) => format!("not verified: {doubt}"),
    }
}

fn format_dependency(need: &DependencyInfo) -> String {
    match &need.source {
        Some(source) => format!("{} {} from {source}", need.name, need.req),
        None => format!("{} {}", need.name, need.req),
    }
}

fn format_installed(copy: &InstalledCopy) -> String {
    let version = copy.version.as_deref().unwrap_or("-");
    format!("{} {version} ({})", copy.name, copy.tier.name())
}

fn version_row(offered: &VersionInfo) -> Vec<String> {
    let day = offered
        .published
        .as_deref()
        .map(day_of_timestamp)
        .unwrap_or_default();

    vec![
        offered.version.to_string(),
        table_cell(day),
        version_marks(offered).join(", "),
    ]
}

fn print_skills(session: &CliSession<'_>, place: &str, skills: &[SourceSkill]) {
    let rows: Vec<Vec<String>> = skills.iter().map(skill_row).collect();
    align_columns(&rows)
        .iter()
        .for_each(|line| session.shell.print_line(line));

    session.shell.status(
        "Found",
        &format!(
            "{} skills in {place}; pass `--skill NAME` for details of one",
            skills.len()
        ),
    );
}

fn skill_row(skill: &SourceSkill) -> Vec<String> {
    vec![
        table_cell(&skill.name),
        table_cell(&skill.path),
        // A table is for finding the skill; the details of one are shown in full.
        truncate_description(&skill.description, None),
    ]
}

fn package_json(facts: &PackageInfo) -> Value {
    let registry = facts.registry.as_ref();
    let needs: Vec<Value> = facts.dependencies.iter().map(dependency_json).collect();
    let installed: Vec<Value> = facts.installed.iter().map(installed_json).collect();
    let requesters: Vec<Value> = facts.required_by.iter().map(requester_json).collect();

    json!({
        "type": "package",
        "name": facts.name,
        "version": facts.version.as_ref().map(ToString::to_string),
        "yanked": facts.yanked,
        "description": facts.description,
        "license": facts.license,
        "keywords": facts.keywords,
        "homepage": facts.homepage,
        "source": facts.source,
        "registry": registry.map(|registry| &registry.name),
        "index": registry.map(|registry| &registry.index),
        "git": facts.git.as_ref().map(|(url, commit, path)| json!({"url": url, "commit": commit, "path": path})),
        "dependencies": needs,
        "checksum": facts.checksum,
        "archive": facts.archive,
        // Only a key whose signature was verified: a program must not trust any other.
        "signed_by": facts.signed.iter().flatten().next().map(ToString::to_string),
        "published": facts.published,
        "owners": facts.owners,
        "installed": installed,
        "asked_by": requesters,
        "versions": facts.versions.iter().map(version_json).collect::<Vec<_>>(),
    })
}

fn dependency_json(need: &DependencyInfo) -> Value {
    json!({"name": need.name, "req": need.req, "source": need.source})
}

fn installed_json(copy: &InstalledCopy) -> Value {
    json!({"tier": copy.tier, "name": copy.name, "version": copy.version})
}

fn requester_json(asker: &DependentInfo) -> Value {
    json!({"tier": asker.tier, "who": asker.who, "req": asker.req})
}

fn version_json(offered: &VersionInfo) -> Value {
    json!({
        "version": offered.version.to_string(),
        "yanked": offered.yanked,
        "pre_release": !offered.version.pre.is_empty(),
        "published": offered.published,
    })
}

fn skill_json(place: &str, skill: &SourceSkill) -> Value {
    json!({
        "type": "skill",
        "name": skill.name,
        "path": skill.path,
        "description": skill.description,
        "place": place,
    })
}

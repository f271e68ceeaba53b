use clap::Args;
use serde_json::{Value, json};

use crate::cli::Session;
use crate::cli::render::human::{beginning, cell, columns, wrapped};
use crate::cli::shell::width;
use crate::error::Result;
use crate::ops::info::{Facts, Info, InfoOptions, Listed, Need, Offered, info};
use crate::ops::search::Installed;
use crate::package::PackageSpec;
use crate::provenance::Verdict;

/// How many versions are shown if not all are asked for.
const SHOWN: usize = 8;

/// Show what is known of a package before installing it
///
/// A registry's package, or a skill of a git repository, a directory or an archive.
/// Nothing is installed, and nothing locked. Of a source with many skills, all are
/// listed.
///
/// Examples:
///
///   skillpm info release
///   skillpm info acme/pdf@^1 --versions
///   skillpm info gh:obra/superpowers --skill brainstorming
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The package, as `skillpm add` takes it
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

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options =
            InfoOptions { spec: self.spec.clone(), registry: self.registry.clone(), skill: self.skill.clone() };
        match info(&session.context, &options)? {
            Info::Package(facts) if as_json => session.shell.object(&object(&facts)),
            Info::Package(facts) => self.tell(session, &facts),
            Info::Skills(place, skills) if as_json => {
                skills.iter().for_each(|skill| session.shell.object(&listed(&place, skill)));
            }
            Info::Skills(place, skills) => tell_skills(session, &place, &skills),
        }
        Ok(0)
    }

    fn tell(&self, session: &Session<'_>, facts: &Facts) {
        let shell = session.shell;
        let room = width().unwrap_or(80).clamp(40, 100);
        let version = facts.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let yanked = if facts.yanked { " (yanked)" } else { "" };
        shell.line(&format!("{}{version}{yanked}", cell(&facts.name)));
        wrapped(facts.description.as_deref().unwrap_or_default(), room).iter().for_each(|line| shell.line(line));
        shell.line("");
        let rows: Vec<Vec<String>> =
            rows(facts).into_iter().map(|(name, value)| vec![name.to_owned(), cell(&value)]).collect();
        columns(&rows).iter().for_each(|line| shell.line(line));
        if !facts.versions.is_empty() {
            self.tell_versions(session, &facts.versions);
        }
    }

    fn tell_versions(&self, session: &Session<'_>, versions: &[Offered]) {
        let shown = if self.versions { versions.len() } else { SHOWN };
        session.shell.line("");
        let rows = versions.iter().take(shown).map(|offered| {
            let day = offered.published.as_deref().map(day).unwrap_or_default();
            vec![offered.version.to_string(), cell(day), marks(offered).join(", ")]
        });
        columns(&rows.collect::<Vec<_>>()).iter().for_each(|line| session.shell.line(line));
        if versions.len() > shown {
            session.shell.line(&format!("and {} more; `--versions` shows all", versions.len() - shown));
        }
    }
}

/// The day of a moment in RFC 3339.
fn day(moment: &str) -> &str {
    moment.split('T').next().unwrap_or(moment)
}

fn marks(offered: &Offered) -> Vec<&'static str> {
    let pre = (!offered.version.pre.is_empty()).then_some("pre-release");
    offered.yanked.then_some("yanked").into_iter().chain(pre).collect()
}

/// What is known, line by line; what is not known has none.
fn rows(facts: &Facts) -> Vec<(&'static str, String)> {
    let registry = facts.registry.as_ref().map(|registry| format!("{} ({})", registry.name, registry.index));
    let git = facts.git.as_ref().map(|(url, commit, path)| {
        let path = path.as_ref().map(|path| format!(", {path}")).unwrap_or_default();
        format!("{url}{path} at {}", commit.get(..8).unwrap_or(commit))
    });
    let own = if registry.is_none() && git.is_none() { Some(facts.source.clone()) } else { None };
    let askers = facts.asked_by.iter().map(|asker| match &asker.req {
        Some(req) => format!("{} ({}) {req}", asker.who, asker.tier.name()),
        None => format!("{} ({})", asker.who, asker.tier.name()),
    });
    let one = |text: &Option<String>| text.iter().cloned().collect::<Vec<_>>();
    let all = [
        ("license", one(&facts.license)),
        ("keywords", facts.keywords.clone()),
        ("homepage", one(&facts.homepage)),
        ("registry", one(&registry)),
        ("git", one(&git)),
        ("source", one(&own)),
        ("published", one(&facts.published)),
        ("needs", facts.dependencies.iter().map(need).collect()),
        ("checksum", facts.checksum.iter().map(ToString::to_string).collect()),
        ("archive", one(&facts.archive)),
        ("signed by", facts.signed.iter().map(vouched).collect()),
        ("owners", facts.owners.clone().unwrap_or_default()),
        ("installed", facts.installed.iter().map(copy).collect()),
        ("asked for", askers.collect()),
    ];
    all.into_iter().filter(|(_, values)| !values.is_empty()).map(|(name, values)| (name, values.join(", "))).collect()
}

fn vouched(verdict: &Verdict) -> String {
    match verdict {
        Ok(key) => key.to_string(),
        Err(doubt) => format!("nobody: {doubt}"),
    }
}

fn need(need: &Need) -> String {
    match &need.source {
        Some(source) => format!("{} {} from {source}", need.name, need.req),
        None => format!("{} {}", need.name, need.req),
    }
}

fn copy(copy: &Installed) -> String {
    let version = copy.version.as_deref().unwrap_or("-");
    format!("{} {version} ({})", copy.name, copy.tier.name())
}

fn tell_skills(session: &Session<'_>, place: &str, skills: &[Listed]) {
    let rows: Vec<Vec<String>> = skills
        .iter()
        .map(|skill| vec![cell(&skill.name), cell(&skill.path), beginning(&skill.description, None)])
        .collect();
    columns(&rows).iter().for_each(|line| session.shell.line(line));
    session.shell.status("Found", &format!("{} skills in {place}; `--skill NAME` tells more of one", skills.len()));
}

fn object(facts: &Facts) -> Value {
    let versions = facts.versions.iter().map(|offered| {
        json!({
            "version": offered.version.to_string(),
            "yanked": offered.yanked,
            "pre-release": !offered.version.pre.is_empty(),
            "published": offered.published,
        })
    });
    let needs =
        facts.dependencies.iter().map(|need| json!({"name": need.name, "req": need.req, "source": need.source}));
    let installed =
        facts.installed.iter().map(|copy| json!({"tier": copy.tier, "name": copy.name, "version": copy.version}));
    let askers = facts.asked_by.iter().map(|asker| json!({"tier": asker.tier, "who": asker.who, "req": asker.req}));
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
        "registry": facts.registry.as_ref().map(|registry| &registry.name),
        "index": facts.registry.as_ref().map(|registry| &registry.index),
        "git": facts.git.as_ref().map(|(url, commit, path)| json!({"url": url, "commit": commit, "path": path})),
        "dependencies": needs.collect::<Vec<_>>(),
        "checksum": facts.checksum,
        "archive": facts.archive,
        "signed-by": facts.signed.iter().flatten().next().map(ToString::to_string),
        "published": facts.published,
        "owners": facts.owners,
        "installed": installed.collect::<Vec<_>>(),
        "asked-by": askers.collect::<Vec<_>>(),
        "versions": versions.collect::<Vec<_>>(),
    })
}

fn listed(place: &str, skill: &Listed) -> Value {
    json!({
        "type": "skill",
        "name": skill.name,
        "path": skill.path,
        "description": skill.description,
        "place": place,
    })
}

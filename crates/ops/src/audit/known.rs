//! What is known against what is locked and installed: advisories, and versions that registries have withdrawn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::subjects::names;
use super::{Look, Subject};
use crate::advisory::AdvisoryId;
use crate::error::Result;
use crate::index::Entry;
use crate::io::disk;
use crate::lockfile::{self, Locked, Lockfile};
use crate::manifest::audit::AuditTable;
use crate::ops::Context;
use crate::ops::advisories::{Ask, Databases, Notice, Reading, told};
use crate::ops::inspect::paths;
use crate::ops::targets::relative;
use crate::ops::withdrawn;
use crate::package::SourceId;
use crate::report::{Diagnostic, Finding, Level, Severity};
use crate::resolver::Root;
use crate::sources::Sources;
use crate::workspace::Workspace;

/// The names that findings about withdrawn versions go by.
const REVOKED: &str = "revoked-version";
const YANKED: &str = "yanked-version";

/// An advisory that is about something here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// Its id.
    pub id: String,
    /// What others call it.
    pub aliases: Vec<String>,
    /// How bad it is.
    pub severity: Severity,
    /// What it says.
    pub summary: String,
    /// The package, and its version; the name of a skill that is not locked.
    pub package: String,
    /// See [`Noticed::package`].
    pub version: Option<String>,
    /// The next version that is not affected.
    pub fixed: Option<String>,
    /// The ways from the manifest to it, each a list of packages.
    pub paths: Vec<Vec<String>>,
    /// Where to read more.
    pub references: Vec<String>,
    /// The database that has it.
    pub database: String,
}

/// What is to be told of one package.
pub(super) struct Told {
    /// The names it goes by.
    pub names: Vec<String>,
    pub look: Look,
    pub advisories: Vec<Noticed>,
}

/// What is known, before it is asked about what.
pub(super) struct Known<'a> {
    workspace: Option<&'a Workspace>,
    pub lockfile: Lockfile,
    /// The packages of it that are meant.
    meant: Vec<Locked>,
    roots: Vec<Root>,
    databases: Databases,
    /// What indexes have withdrawn, by the name it is installed under.
    withdrawn: BTreeMap<String, Entry>,
}

impl<'a> Known<'a> {
    /// Asks the databases and indexes that have a word on the project; what cannot be reached counts as it was.
    pub(super) fn read(
        context: &Context<'_>,
        workspace: Option<&'a Workspace>,
        (table, subjects): (&AuditTable, &[String]),
    ) -> Result<Known<'a>> {
        let mut known = Known {
            workspace,
            lockfile: Lockfile::default(),
            meant: Vec::new(),
            roots: Vec::new(),
            databases: Databases::default(),
            withdrawn: BTreeMap::new(),
        };
        let Some(workspace) = workspace else { return Ok(known) };
        let registries = |name: Option<&str>| context.config.registry(name);
        known.lockfile = workspace.lockfile()?.unwrap_or_default();
        let is_meant =
            |locked: &&Locked| subjects.is_empty() || names(locked).iter().any(|name| subjects.contains(name));
        known.meant = known.lockfile.packages().iter().filter(is_meant).cloned().collect();
        known.roots = workspace.lines(&registries)?.roots;
        let is_of_registry = |locked: &&Locked| matches!(locked.source, SourceId::Registry(_));
        let of_registries: Vec<&Locked> = known.meant.iter().filter(is_of_registry).collect();
        if of_registries.is_empty() && table.databases.is_empty() {
            return Ok(known);
        }
        let tools = context.tools()?;
        let sources = Sources::new(&tools, &workspace.root, &registries, context.reporter);
        let reading = Reading { context, sources: &sources, root: &workspace.root, ask: Ask::Now(&tools) };
        known.databases = reading.databases(table, &known.meant)?;
        let lines = withdrawn::lines_now(context, &workspace.root, &sources, &of_registries)?;
        let gone = lines.into_iter().filter(|(_, line)| line.is_withdrawn());
        known.withdrawn = gone.map(|(locked, line)| (locked.install_name().to_string(), line)).collect();
        Ok(known)
    }

    pub(super) fn remarks(&self) -> Vec<(String, String)> {
        self.databases.remarks.clone()
    }

    /// The rule that findings of an advisory go by, whatever others call it.
    pub(super) fn rule(&self, name: &str) -> Option<String> {
        if matches!(name, REVOKED | YANKED) {
            return Some(name.to_owned());
        }
        let id = self.databases.id_of(name).cloned().or_else(|| name.parse::<AdvisoryId>().ok());
        id.map(|id| id.to_string())
    }

    /// What is to be told: of every locked package that is meant, then of skills that are not locked and have just the
    /// files that an advisory is about.
    pub(super) fn told(&self, context: &Context<'_>, subjects: &[Subject]) -> Vec<Told> {
        let mut told: Vec<Told> =
            self.meant.iter().filter_map(|locked| self.of_locked(context, locked, names(locked))).collect();
        if !self.databases.is_empty() {
            let locked: BTreeSet<&str> =
                self.lockfile.packages().iter().map(|locked| locked.install_name().as_str()).collect();
            let is_locked = |subject: &&Subject| subject.names.iter().any(|name| locked.contains(name.as_str()));
            let strangers = subjects.iter().filter(|subject| !is_locked(subject));
            told.extend(strangers.filter_map(|subject| self.of_stranger(&context.places.here, subject)));
        }
        told
    }

    fn of_locked(&self, context: &Context<'_>, locked: &Locked, names: Vec<String>) -> Option<Told> {
        let workspace = self.workspace?;
        let text = workspace.lock_text.as_deref()?;
        let notices = self.databases.about(locked);
        let line = self.withdrawn.get(locked.install_name().as_str());
        if notices.is_empty() && line.is_none() {
            return None;
        }
        let path = relative(&workspace.root.join(lockfile::FILE), &context.places.here);
        let ways = paths(&self.roots, &self.lockfile, locked);
        let asked_by = ways.first().and_then(|way| way.first()).unwrap_or(locked);
        let noted = notices.iter().map(|notice| self::diagnostic(notice, locked, asked_by));
        let diagnostics = noted.chain(line.map(|line| gone(locked, line, asked_by)));
        let ways: Vec<Vec<String>> = ways.iter().map(|way| way.iter().map(Locked::reference).collect()).collect();
        let span = Lockfile::place_of(text, locked);
        let finding = |diagnostic: Diagnostic| {
            let through =
                ways.iter().filter(|way| way.len() > 1).map(|way| format!("it is needed by {}", way.join(" → ")));
            let diagnostic = through.fold(diagnostic, Diagnostic::note);
            let diagnostic = match &span {
                Some(span) => diagnostic.at(span.clone(), text),
                None => diagnostic,
            };
            Finding { path: path.clone(), diagnostic }
        };
        let findings = diagnostics.map(finding).collect();
        let look = Look { findings, sources: BTreeMap::from([(path.clone(), text.to_owned())]) };
        let version = locked.version.as_ref().map(ToString::to_string);
        let advisories =
            notices.iter().map(|notice| noticed(notice, (&locked.name.to_string(), version.clone()), &ways));
        Some(Told { names, advisories: advisories.collect(), look })
    }

    fn of_stranger(&self, here: &Path, subject: &Subject) -> Option<Told> {
        let checksum = disk::checksum_of(&disk::real_path(&here.join(&subject.skill.path))).ok()??;
        let notices = self.databases.about_content(checksum);
        let finding = |notice: &Notice<'_>| {
            let message = format!("`{}` {}", subject.skill.directory, told(&notice.advisory.summary));
            let diagnostic = heard(notice, message).help(format!("remove `{}`", subject.skill.path));
            Finding { path: format!("{}/SKILL.md", subject.skill.path), diagnostic }
        };
        let findings: Vec<Finding> = notices.iter().map(finding).collect();
        if findings.is_empty() {
            return None;
        }
        let advisories = notices.iter().map(|notice| noticed(notice, (&subject.skill.directory, None), &[]));
        let look = Look { findings, sources: BTreeMap::new() };
        Some(Told { names: subject.names.clone(), advisories: advisories.collect(), look })
    }
}

fn diagnostic(notice: &Notice<'_>, locked: &Locked, asked_by: &Locked) -> Diagnostic {
    let message = format!("`{}` {}", locked.reference(), told(&notice.advisory.summary));
    heard(notice, message).help(notice.help(locked, asked_by))
}

fn heard(notice: &Notice<'_>, message: String) -> Diagnostic {
    let advisory = notice.advisory;
    let mut diagnostic = Diagnostic::new(advisory.id.as_str(), level(advisory.severity), message);
    diagnostic.severity = Some(advisory.severity);
    if notice.hit.by_content {
        diagnostic = diagnostic.note("just these files are meant");
    }
    if !advisory.aliases.is_empty() {
        let aliases: Vec<&str> = advisory.aliases.iter().map(String::as_str).collect();
        diagnostic = diagnostic.note(format!("others call it {}", aliases.join(", ")));
    }
    let diagnostic =
        advisory.references.iter().take(3).fold(diagnostic, |all, url| all.note(format!("read more: {url}")));
    diagnostic.note(format!("{} says so", notice.origin))
}

/// A version that its registry has withdrawn.
fn gone(locked: &Locked, line: &Entry, asked_by: &Locked) -> Diagnostic {
    let (rule, severity, message) = match &line.revoked {
        Some(why) => {
            (REVOKED, Severity::Critical, format!("`{}` was revoked: {}", locked.reference(), why.escape_debug()))
        }
        None => (YANKED, Severity::Low, format!("`{}` was yanked by its owners", locked.reference())),
    };
    let mut diagnostic = Diagnostic::new(rule, level(severity), message);
    diagnostic.severity = Some(severity);
    let (name, root) = (locked.install_name(), asked_by.install_name());
    diagnostic.help(format!("`skillpm update {name}` moves on; without another version `skillpm remove {root}`"))
}

fn level(severity: Severity) -> Level {
    match severity {
        Severity::Critical | Severity::High => Level::Error,
        Severity::Medium => Level::Warning,
        Severity::Low => Level::Note,
    }
}

fn noticed(notice: &Notice<'_>, (package, version): (&str, Option<String>), ways: &[Vec<String>]) -> Noticed {
    let advisory = notice.advisory;
    Noticed {
        id: advisory.id.to_string(),
        aliases: advisory.aliases.iter().cloned().collect(),
        severity: advisory.severity,
        summary: advisory.summary.clone(),
        package: package.to_owned(),
        version,
        fixed: notice.hit.fixed.as_ref().map(ToString::to_string),
        paths: ways.to_vec(),
        references: advisory.references.clone(),
        database: notice.origin.to_owned(),
    }
}

//! Known issues of locked and installed packages: advisories, and versions that registries have
//! withdrawn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::subjects::package_names;
use super::{AuditSubject, SkillFindings};
use crate::CommandContext;
use crate::advisories::{
    AdvisoryAccess, AdvisoryDatabases, AdvisoryNotice, AdvisoryReader, describe_summary,
};
use crate::inspect::dependency_paths;
use crate::targets::relative_path;
use crate::withdrawn;
use skillpm_core::advisory::AdvisoryId;
use skillpm_core::error::Result;
use skillpm_core::lockfile::{self, LockedPackage, Lockfile};
use skillpm_core::manifest::audit::AuditTable;
use skillpm_core::package::{Checksum, SourceId};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding, Severity, Span};
use skillpm_core::resolver::RootDependency;
use skillpm_io::disk;
use skillpm_io::local_files::InstalledReader;
use skillpm_registry::index::IndexEntry;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::workspace::Workspace;

/// The rules of findings about withdrawn versions.
const REVOKED: &str = "revoked-version";
const YANKED: &str = "yanked-version";

/// An advisory that matches a package of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditAdvisory {
    /// Its id.
    pub id: String,
    /// Its ids in other databases.
    pub aliases: Vec<String>,
    /// Its severity.
    pub severity: Severity,
    /// Its one-line summary.
    pub summary: String,
    /// The name of the affected package; of a skill that is not locked, its directory.
    pub package: String,
    /// The locked version; `None` if it has none or is not locked.
    pub version: Option<String>,
    /// The next version that is not affected; `None` if there is none.
    pub fixed: Option<String>,
    /// The dependency paths from the manifest to it, each a list of packages.
    pub paths: Vec<Vec<String>>,
    /// URLs with details.
    pub references: Vec<String>,
    /// The URL or path of its database.
    pub database: String,
}

/// The findings about one package.
pub(super) struct PackageFindings {
    /// The names of the package, for exemptions.
    pub names: Vec<String>,
    pub found: SkillFindings,
    pub advisories: Vec<AuditAdvisory>,
}

/// The advisories and withdrawn versions of a project.
pub(super) struct KnownIssues<'a> {
    workspace: Option<&'a Workspace>,
    pub lockfile: Lockfile,
    /// The locked packages to check.
    selected: Vec<LockedPackage>,
    roots: Vec<RootDependency>,
    databases: AdvisoryDatabases,
    /// The index entries of withdrawn versions, by install name.
    withdrawn: BTreeMap<String, IndexEntry>,
}

impl<'a> KnownIssues<'a> {
    /// Reads the databases and indexes of the project; those that cannot be reached, from the
    /// cache.
    pub(super) fn read(
        context: &CommandContext<'_>,
        workspace: Option<&'a Workspace>,
        table: &AuditTable,
        subjects: &[String],
    ) -> Result<KnownIssues<'a>> {
        let mut known = KnownIssues {
            workspace,
            lockfile: Lockfile::default(),
            selected: Vec::new(),
            roots: Vec::new(),
            databases: AdvisoryDatabases::default(),
            withdrawn: BTreeMap::new(),
        };

        let Some(workspace) = workspace else {
            return Ok(known);
        };

        let registries = |name: Option<&str>| context.config.registry(name);
        known.lockfile = workspace.lockfile()?.unwrap_or_default();
        known.selected = select_packages(&known.lockfile, subjects);
        known.roots = workspace.read_manifests(&registries)?.roots;
        known.look_up(context, workspace, table)?;
        Ok(known)
    }

    /// Looks the selected packages up in databases and indexes.
    fn look_up(
        &mut self,
        context: &CommandContext<'_>,
        workspace: &Workspace,
        table: &AuditTable,
    ) -> Result<()> {
        let registries = |name: Option<&str>| context.config.registry(name);
        let is_of_registry =
            |locked: &&LockedPackage| matches!(locked.source, SourceId::Registry(_));
        let of_registries: Vec<&LockedPackage> =
            self.selected.iter().filter(is_of_registry).collect();
        // Without a registry and a database there is nothing to look up, and no network is
        // required.
        if of_registries.is_empty() && table.databases.is_empty() {
            return Ok(());
        }

        let tools = context.tools()?;
        let sources = PackageSources::new(&tools, &workspace.root, &registries, context.reporter);
        let reader = AdvisoryReader {
            context,
            sources: &sources,
            root: &workspace.root,
            access: AdvisoryAccess::Online(&tools),
        };
        self.databases = reader.read_databases(table, &self.selected)?;

        let entries = withdrawn::fetch_entries(context, &workspace.root, &sources, &of_registries)?;
        self.withdrawn = entries
            .into_iter()
            .filter(|(_, entry)| entry.is_withdrawn())
            .map(|(locked, entry)| (locked.install_name().to_string(), entry))
            .collect();
        Ok(())
    }

    pub(super) fn remarks(&self) -> Vec<(String, String)> {
        self.databases.remarks.clone()
    }

    /// The rule of an advisory's findings, by its id or an alias.
    pub(super) fn find_rule(&self, name: &str) -> Option<String> {
        // Withdrawn versions can be ignored like advisories, by these two names.
        if matches!(name, REVOKED | YANKED) {
            return Some(name.to_owned());
        }

        // An ignore list may have the id of an advisory that was removed from its database.
        let id = self
            .databases
            .find_id(name)
            .cloned()
            .or_else(|| name.parse::<AdvisoryId>().ok());
        id.map(|id| id.to_string())
    }

    /// The findings about the selected locked packages, then about skills that are not locked but
    /// have exactly the files that an advisory names.
    pub(super) fn collect_findings(
        &self,
        context: &CommandContext<'_>,
        subjects: &[AuditSubject],
    ) -> Vec<PackageFindings> {
        let mut packages: Vec<PackageFindings> = self
            .selected
            .iter()
            .filter_map(|locked| self.findings_for_locked(context, locked, package_names(locked)))
            .collect();

        // A copy that is in no lockfile can still be recognized by its checksum.
        if !self.databases.is_empty() {
            let locked: BTreeSet<&str> = self
                .lockfile
                .packages()
                .iter()
                .map(|locked| locked.install_name().as_str())
                .collect();
            let is_locked = |subject: &&AuditSubject| {
                subject
                    .names
                    .iter()
                    .any(|name| locked.contains(name.as_str()))
            };
            let unlocked = subjects.iter().filter(|subject| !is_locked(subject));
            packages.extend(
                unlocked
                    .filter_map(|subject| self.findings_for_content(&context.dirs.cwd, subject)),
            );
        }

        packages
    }

    fn findings_for_locked(
        &self,
        context: &CommandContext<'_>,
        locked: &LockedPackage,
        names: Vec<String>,
    ) -> Option<PackageFindings> {
        let workspace = self.workspace?;
        let text = workspace.lock_text.as_deref()?;
        let notices = self.databases.notices_for(locked);
        let entry = self.withdrawn.get(locked.install_name().as_str());
        if notices.is_empty() && entry.is_none() {
            return None;
        }

        let lock_path = relative_path(&workspace.root.join(lockfile::FILE), &context.dirs.cwd);
        let chains = dependency_paths(&self.roots, &self.lockfile, locked);
        let paths: Vec<Vec<String>> = chains
            .iter()
            .map(|path| path.iter().map(LockedPackage::reference).collect())
            .collect();

        let span = Lockfile::name_span(text, locked);
        let located = locked_diagnostics(locked, &notices, entry, &chains)
            .into_iter()
            .map(|diagnostic| locate_in_lockfile(diagnostic, &paths, span.clone(), text));
        let found = findings_in_lockfile(lock_path, text, located);

        Some(PackageFindings {
            names,
            advisories: locked_advisories(locked, &notices, &paths),
            found,
        })
    }

    fn findings_for_content(&self, cwd: &Path, subject: &AuditSubject) -> Option<PackageFindings> {
        // The directory in a target may be a link to the files.
        let dir = disk::real_path(&cwd.join(&subject.path));
        let installed = InstalledReader::new(&dir, &|_| None).read(&dir, None);
        let checksum = Checksum::from_tree(&installed.ok()?.tree);

        let notices = self.databases.notices_for_content(checksum);

        if notices.is_empty() {
            return None;
        }

        let findings = notices
            .iter()
            .map(|notice| content_finding(notice, subject))
            .collect();

        let advisories = notices
            .iter()
            .map(|notice| audit_advisory(notice, &subject.directory, None, &[]));
        let found = SkillFindings {
            findings,
            sources: BTreeMap::new(),
        };

        Some(PackageFindings {
            names: subject.names.clone(),
            advisories: advisories.collect(),
            found,
        })
    }
}

/// The locked packages that the command line names; all of them if it names none.
fn select_packages(lockfile: &Lockfile, subjects: &[String]) -> Vec<LockedPackage> {
    // By either name: the package's own, or the one it is installed under.
    let is_selected = |locked: &&LockedPackage| {
        subjects.is_empty()
            || package_names(locked)
                .iter()
                .any(|name| subjects.contains(name))
    };
    lockfile
        .packages()
        .iter()
        .filter(is_selected)
        .cloned()
        .collect()
}

fn findings_in_lockfile(
    path: String,
    text: &str,
    diagnostics: impl Iterator<Item = Diagnostic>,
) -> SkillFindings {
    SkillFindings {
        findings: diagnostics
            .map(|diagnostic| FileFinding {
                path: path.clone(),
                diagnostic,
            })
            .collect(),
        sources: BTreeMap::from([(path, text.to_owned())]),
    }
}

/// Adds to a finding what requires its package, and where the lockfile has it.
fn locate_in_lockfile(
    diagnostic: Diagnostic,
    paths: &[Vec<String>],
    span: Option<Span>,
    text: &str,
) -> Diagnostic {
    // A path of one package is a direct requirement: the manifest itself shows it.
    let diagnostic = paths
        .iter()
        .filter(|path| path.len() > 1)
        .map(|path| format!("required by {}", path.join(" → ")))
        .fold(diagnostic, Diagnostic::note);
    match span {
        Some(span) => diagnostic.at(span, text),
        None => diagnostic,
    }
}

/// The finding about a skill that is not locked, but has exactly the files of an advisory.
fn content_finding(notice: &AdvisoryNotice<'_>, skill: &AuditSubject) -> FileFinding {
    let message = format!(
        "`{}` {}",
        skill.directory,
        describe_summary(&notice.advisory.summary)
    );
    FileFinding {
        // The advisory is about all its files; a finding has one.
        path: format!("{}/SKILL.md", skill.path),
        diagnostic: advisory_diagnostic(notice, message).help(format!("remove `{}`", skill.path)),
    }
}

/// The advisories about a locked package, then its withdrawal; `chains` are the dependency paths to
/// it.
fn locked_diagnostics(
    locked: &LockedPackage,
    notices: &[AdvisoryNotice<'_>],
    withdrawn: Option<&IndexEntry>,
    chains: &[Vec<LockedPackage>],
) -> Vec<Diagnostic> {
    // A user can remove the package that the manifest names, not its dependencies.
    let required_by = chains
        .first()
        .and_then(|path| path.first())
        .unwrap_or(locked);

    notices
        .iter()
        .map(|notice| locked_diagnostic(notice, locked, required_by))
        .chain(withdrawn.map(|entry| withdrawn_diagnostic(locked, entry, required_by)))
        .collect()
}

fn locked_advisories(
    locked: &LockedPackage,
    notices: &[AdvisoryNotice<'_>],
    paths: &[Vec<String>],
) -> Vec<AuditAdvisory> {
    let name = locked.name.to_string();
    let version = locked.version.as_ref().map(ToString::to_string);
    notices
        .iter()
        .map(|notice| audit_advisory(notice, &name, version.clone(), paths))
        .collect()
}

fn locked_diagnostic(
    notice: &AdvisoryNotice<'_>,
    locked: &LockedPackage,
    required_by: &LockedPackage,
) -> Diagnostic {
    let message = format!(
        "`{}` {}",
        locked.reference(),
        describe_summary(&notice.advisory.summary)
    );
    advisory_diagnostic(notice, message).help(notice.help(locked, required_by))
}

fn advisory_diagnostic(notice: &AdvisoryNotice<'_>, message: String) -> Diagnostic {
    let advisory = notice.advisory;
    let mut diagnostic = Diagnostic::new(
        advisory.id.as_str(),
        severity_level(advisory.severity),
        message,
    );
    diagnostic.severity = Some(advisory.severity);

    // Then the package may have another name or version than the advisory has.
    if notice.hit.by_content {
        diagnostic = diagnostic.note("the advisory names exactly these files");
    }
    if !advisory.aliases.is_empty() {
        let aliases: Vec<&str> = advisory.aliases.iter().map(String::as_str).collect();
        diagnostic = diagnostic.note(format!("also known as {}", aliases.join(", ")));
    }

    // Three are enough for a message; the JSON output has all.
    let diagnostic = advisory
        .references
        .iter()
        .take(3)
        .fold(diagnostic, |all, url| all.note(format!("see {url}")));
    diagnostic.note(format!("reported by {}", notice.origin))
}

/// The finding about a version that its registry has withdrawn.
fn withdrawn_diagnostic(
    locked: &LockedPackage,
    entry: &IndexEntry,
    required_by: &LockedPackage,
) -> Diagnostic {
    let (rule, severity, message) = match &entry.revoked {
        Some(why) => (
            REVOKED,
            Severity::Critical,
            format!(
                "`{}` was revoked: {}",
                locked.reference(),
                why.escape_debug()
            ),
        ),
        // A yank is advice of the owners; a revocation means that the version is harmful.
        None => (
            YANKED,
            Severity::Low,
            format!("`{}` was yanked by its owners", locked.reference()),
        ),
    };

    let mut diagnostic = Diagnostic::new(rule, severity_level(severity), message);
    diagnostic.severity = Some(severity);
    // The package itself can be updated; only what requires it can be removed.
    let (name, root) = (locked.install_name(), required_by.install_name());
    diagnostic.help(format!(
        "`skillpm update {name}` selects another version; if there is none: `skillpm remove {root}`"
    ))
}

fn severity_level(severity: Severity) -> DiagnosticLevel {
    match severity {
        Severity::Critical | Severity::High => DiagnosticLevel::Error,
        Severity::Medium => DiagnosticLevel::Warning,
        Severity::Low => DiagnosticLevel::Note,
    }
}

fn audit_advisory(
    notice: &AdvisoryNotice<'_>,
    package: &str,
    version: Option<String>,
    paths: &[Vec<String>],
) -> AuditAdvisory {
    let advisory = notice.advisory;
    AuditAdvisory {
        id: advisory.id.to_string(),
        aliases: advisory.aliases.iter().cloned().collect(),
        severity: advisory.severity,
        summary: advisory.summary.clone(),
        package: package.to_owned(),
        version,
        fixed: notice.hit.fixed.as_ref().map(ToString::to_string),
        paths: paths.to_vec(),
        references: advisory.references.clone(),
        database: notice.origin.to_owned(),
    }
}

//! Reads the facts of a package for its index entry: name, version, dependencies.

use semver::{Version, VersionReq};

use super::super::rules::package as rules;
use super::package_finding;
use crate::license;
use skillpm_core::manifest::{self, Manifest, inspect::inspect_manifest};
use skillpm_core::package::{PackageName, SkillName, SourceId, Tree};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};
use skillpm_core::skill::{self, DESCRIPTION_MAX, Skill, formats};

/// The limit of keywords, and of characters in one.
const KEYWORDS_MAX: (usize, usize) = (32, 64);

/// Where to write a version.
const VERSION_HELP: &str = "add `version: 1.0.0` under `metadata:`, or `version = \"1.0.0\"` under `[package]` in `skillpm.toml`";

/// The package to describe.
#[derive(Clone, Copy)]
pub struct PackageSubject<'a> {
    /// The files.
    pub tree: &'a Tree,
    /// The name of their directory.
    pub directory: &'a str,
    /// The scope of a package that is named by its `SKILL.md` alone.
    pub scope: Option<&'a SkillName>,
    /// Its `skillpm.toml`, if it has one.
    pub manifest: Option<&'a Manifest>,
}

/// The facts of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct PackageFacts {
    /// Its name: the manifest's, else the skill's in the given scope.
    pub name: PackageName,
    /// Its version: the manifest's, else the skill's.
    pub version: Version,
    /// Its description, on one line.
    pub description: String,
    /// Its keywords: the manifest's, else the skill's tags.
    pub keywords: Vec<String>,
    /// Its license, if that is an SPDX expression.
    pub license: Option<String>,
    /// The URL of its repository, as its manifest has it.
    pub repository: Option<String>,
    /// Its dependencies as published, sorted by name.
    pub dependencies: Vec<DependencyFact>,
}

/// A dependency of a published package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyFact {
    /// The name it is installed under.
    pub alias: SkillName,
    /// The package; without a scope if the skill's `requires` does not give one.
    pub name: PackageName,
    /// The accepted versions.
    pub req: VersionReq,
    /// The registry's name, if the manifest names one.
    pub registry: Option<String>,
    /// The local directory it comes from during development, as written in the manifest.
    pub path: Option<String>,
    /// Whether it is from the skill's `requires`, which no agent resolves by itself.
    pub optional: bool,
}

impl DependencyFact {
    fn from_requires(name: PackageName, req: VersionReq) -> Self {
        DependencyFact {
            alias: name.skill().clone(),
            name,
            req,
            registry: None,
            path: None,
            optional: true,
        }
    }
}

/// Reads the facts of a package; `None` if it has no name or no version, and then a finding of level error says why.
#[must_use]
pub fn describe(subject: PackageSubject<'_>) -> (Option<PackageFacts>, Vec<FileFinding>) {
    let mut reading = FactsReader {
        subject,
        source: String::new(),
        findings: Vec::new(),
    };
    let facts = reading.read_facts();
    (facts, reading.findings)
}

struct FactsReader<'a> {
    subject: PackageSubject<'a>,
    /// The text of `SKILL.md`.
    source: String,
    findings: Vec<FileFinding>,
}

impl FactsReader<'_> {
    fn read_facts(&mut self) -> Option<PackageFacts> {
        let Some(bytes) = self.subject.tree.get("SKILL.md") else {
            self.report_missing_page();
            return None;
        };

        // Lossy, for the spans of findings only: the reader below reports what is not UTF-8.
        self.source = String::from_utf8_lossy(bytes).into_owned();
        let reading = skill::read(bytes, self.subject.directory);
        reading
            .diagnostics
            .into_iter()
            .for_each(|diagnostic| self.report(diagnostic));
        let skill = reading.skill?;
        // Both before either is required, so that one run reports everything that is missing.
        let (name, version) = (self.read_name(&skill), self.read_version(&skill));

        // Each fact is taken from the manifest first, then from `SKILL.md`.
        let own = self
            .subject
            .manifest
            .and_then(|manifest| manifest.package.as_ref());
        let description = match own.and_then(|own| own.description.as_deref()) {
            Some(text) => self.read_description(text),
            None => skill.summary_line(),
        };
        let keywords = own
            .and_then(|own| own.keywords.clone())
            .unwrap_or_else(|| skill.tags.clone());
        self.check_keywords(&keywords);
        let license = self.read_license(own.and_then(|own| own.license.as_deref()), &skill);
        let repository = own.and_then(|own| own.repository.clone());
        let dependencies = self.read_dependencies(&skill);

        Some(PackageFacts {
            name: name?,
            version: version?,
            description,
            keywords,
            license,
            repository,
            dependencies,
        })
    }

    /// Reports a tree without a `SKILL.md`. A skill of another format can be converted.
    fn report_missing_page(&mut self) {
        let tree = self.subject.tree;
        let (more, help) = match formats::detect_format(&|path| tree.get(path).is_some()) {
            Some(other) => (
                format!(", but there is a skill in the format `{}`", other.name()),
                "run `skillpm convert DIR --to skill-md --out DIR` to make one that can be packaged",
            ),
            None => (
                String::new(),
                "pass the directory of a skill, or run `skillpm new NAME` to create one",
            ),
        };

        let message = format!("`SKILL.md` not found{more}");
        let missing = Diagnostic::new("missing-skill-md", DiagnosticLevel::Error, message);
        self.report(missing.help(help));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.push(package_finding(diagnostic));
    }

    /// Reports a finding about the manifest.
    fn report_in_manifest(&mut self, diagnostic: Diagnostic) {
        self.findings.push(FileFinding {
            path: manifest::FILE.into(),
            diagnostic,
        });
    }

    fn read_name(&mut self, skill: &Skill) -> Option<PackageName> {
        if let Some(package) = self
            .subject
            .manifest
            .and_then(|manifest| manifest.package.as_ref())
        {
            let name = package.name.clone();
            // The manifest as it is packed, for the place of the finding in it.
            let text = self
                .subject
                .tree
                .get(manifest::FILE)
                .map(String::from_utf8_lossy)
                .unwrap_or_default();

            // The manifest decides the name; a different one in `SKILL.md` is reported.
            if let Some(drift) = rules::name::check_drift(
                &inspect_manifest(&text),
                &text,
                skill,
                self.subject.directory,
            ) {
                self.report_in_manifest(drift);
            }

            return Some(name);
        }

        match skill.name.parse::<SkillName>() {
            // The scope comes from the command line or the registry's settings: a `SKILL.md` has
            // none.
            Ok(name) => Some(match self.subject.scope {
                Some(scope) => format!("{scope}/{name}")
                    .parse()
                    .expect("both parts are valid names"),
                None => name.into(),
            }),
            Err(error) => {
                let mut diagnostic = rules::NAME.finding(error.message());
                diagnostic.help = error.helps().first().cloned();
                self.report(diagnostic);
                None
            }
        }
    }

    fn read_version(&mut self, skill: &Skill) -> Option<Version> {
        let own = self
            .subject
            .manifest
            .and_then(|manifest| manifest.package.as_ref());
        // A version in the manifest needs no check here: parsing the manifest has validated it.
        if let Some(version) = own.and_then(|own| own.version.clone()) {
            return Some(version);
        }

        let Some(written) = &skill.version else {
            self.report(
                rules::version::MISSING
                    .finding("missing version")
                    .help(VERSION_HELP),
            );
            return None;
        };

        let Some(version) = skill.semver() else {
            self.report(rules::version::not_semver(written).help(VERSION_HELP));
            return None;
        };

        // `1.2` is read as `1.2.0`, and the package is published under the complete version.
        if version.to_string() != *written {
            let short = rules::version::short_version(written, &version);
            self.report(Diagnostic {
                level: DiagnosticLevel::Warning,
                ..short
            });
        }

        Some(version)
    }

    fn read_description(&mut self, text: &str) -> String {
        // One line, since an index has one line for each version.
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = line.chars().count();
        if length > DESCRIPTION_MAX || line.is_empty() {
            let message =
                format!("description is {length} characters; it must be 1 to {DESCRIPTION_MAX}");
            self.report_in_manifest(Diagnostic::new(
                "description-too-long",
                DiagnosticLevel::Error,
                message,
            ));
        }

        line
    }

    fn check_keywords(&mut self, keywords: &[String]) {
        // An index stores keywords for every version, so both numbers are bounded.
        let (most, longest) = KEYWORDS_MAX;
        let bad = keywords.iter().find(|word| {
            word.trim().is_empty()
                || word.chars().count() > longest
                || word.chars().any(char::is_control)
        });

        let message = match bad {
            Some(word) => format!(
                "invalid keyword `{}`: it must be 1 to {longest} characters without control characters",
                word.escape_debug()
            ),
            None if keywords.len() > most => {
                format!("too many keywords: {}; the limit is {most}", keywords.len())
            }
            None => return,
        };

        self.report(rules::KEYWORD.finding(message));
    }

    fn read_license(&mut self, own: Option<&str>, skill: &Skill) -> Option<String> {
        let (text, level) = match (own, &skill.license) {
            (Some(own), _) => (own, DiagnosticLevel::Error),
            // The field is often a sentence, and agents ignore it.
            (None, Some(theirs)) => (theirs.as_str(), DiagnosticLevel::Warning),
            (None, None) => {
                self.check_metadata(false, skill);
                return None;
            }
        };

        self.check_metadata(true, skill);
        let Err(fault) = license::check_expression(text) else {
            return Some(text.trim().to_owned());
        };

        let mut diagnostic = Diagnostic::new("license-not-spdx", level, fault.message);
        diagnostic.help = fault.help;
        if own.is_some() {
            self.report_in_manifest(diagnostic);
        } else {
            self.report(diagnostic);
        }

        None
    }

    /// Reports missing metadata; a missing repository only if there is a manifest to write it in.
    fn check_metadata(&mut self, has_license: bool, skill: &Skill) {
        let own = self
            .subject
            .manifest
            .and_then(|manifest| manifest.package.as_ref());
        let has_repository =
            // A skill without a manifest has no field for a repository, and is not asked for one.
            own.is_none_or(|own| own.repository.is_some()) || skill.homepage.is_some();

        if let Some(missing) = rules::metadata::missing(has_license, has_repository) {
            self.report(missing);
        }
    }

    /// The dependencies in the manifest, else those in the skill's `requires`.
    fn read_dependencies(&mut self, skill: &Skill) -> Vec<DependencyFact> {
        let mut needs = match self.subject.manifest {
            Some(manifest) if !manifest.dependencies.is_empty() => {
                self.declared_dependencies(manifest)
            }
            _ => {
                // Taken out and put back, because reporting needs all of `self`.
                let source = std::mem::take(&mut self.source);
                let named = skill::dependencies::read_dependencies(skill, &source);
                self.source = source;
                named
                    .diagnostics
                    .into_iter()
                    .for_each(|diagnostic| self.report(diagnostic));

                let packages = named.packages.into_iter();
                packages
                    .map(|(name, req)| DependencyFact::from_requires(name, req))
                    .collect()
            }
        };

        // The order of an index entry must not depend on the order in the file.
        needs.sort_by(|a: &DependencyFact, b: &DependencyFact| a.name.cmp(&b.name));
        needs
    }

    fn declared_dependencies(&mut self, manifest: &Manifest) -> Vec<DependencyFact> {
        let mut needs = Vec::new();
        for dependency in manifest
            .dependencies
            .iter()
            // Development dependencies are not installed with the package.
            .filter(|dependency| !dependency.dev)
        {
            let path = match &dependency.source {
                SourceId::Path(path) => Some(path.clone()),
                _ => None,
            };
            // A path dependency may be a sibling with a version, which is known only when packing.
            let is_unpublishable =
                !matches!(dependency.source, SourceId::Registry(_) | SourceId::Path(_));
            if is_unpublishable && dependency.req == VersionReq::STAR {
                self.report_in_manifest(unpublished_dependency(
                    dependency.alias.as_str(),
                    &dependency.source.describe(),
                ));
            }

            needs.push(DependencyFact {
                alias: dependency.alias.clone(),
                name: dependency.package.clone(),
                req: dependency.req.clone(),
                registry: manifest.registry_names.get(&dependency.alias).cloned(),
                path,
                optional: false,
            });
        }

        needs
    }
}

/// Reports a dependency that no registry can provide.
#[must_use]
pub fn unpublished_dependency(alias: &str, what: &str) -> Diagnostic {
    let message = format!(
        "`{alias}` comes from {what} only; a published package can depend only on packages in a registry"
    );
    let help = format!("add the published version: `{alias} = {{ version = \"^1\", … }}`");
    rules::UNPUBLISHED.finding(message).help(help)
}

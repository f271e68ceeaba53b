//! What a tree says it is, as its line in an index will say: name, version, what it needs.

use semver::{Version, VersionReq};

use super::super::rules::package as rules;
use super::{license, of_package};
use crate::manifest::{self, Manifest, look::look};
use crate::package::{PackageName, SkillName, SourceId, Tree};
use crate::report::{Diagnostic, Finding, Level};
use crate::skill::{self, DESCRIPTION_MAX, Skill, formats};

/// Most keywords, and most characters of one.
const KEYWORDS_MAX: (usize, usize) = (32, 64);

/// Where a version can be written.
const HELP: &str =
    "write `version: 1.0.0` below `metadata:`, or `version = \"1.0.0\"` below `[package]` in `skillpm.toml`";

/// What is asked about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The files.
    pub tree: &'a Tree,
    /// The name of the directory they stand in.
    pub directory: &'a str,
    /// The scope of a package that is named by its `SKILL.md` alone.
    pub scope: Option<&'a SkillName>,
    /// What its `skillpm.toml` says, if it has one.
    pub manifest: Option<&'a Manifest>,
}

/// What a package is.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Its name: that of the manifest, else the skill's in the given scope.
    pub name: PackageName,
    /// Its version: that of the manifest, else the skill's.
    pub version: Version,
    /// What it is for, on one line.
    pub description: String,
    /// Words to find it by: those of the manifest, else the skill's tags.
    pub keywords: Vec<String>,
    /// Its licence, where that is an SPDX expression.
    pub license: Option<String>,
    /// What it needs, as others get it, sorted by name.
    pub needs: Vec<Need>,
}

/// One thing that a published package needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What it is installed as.
    pub alias: SkillName,
    /// The package; without its scope where the skill's `requires` leaves that open.
    pub name: PackageName,
    /// Which versions.
    pub req: VersionReq,
    /// The registry's name, where the manifest names one.
    pub registry: Option<String>,
    /// The directory it is taken from at home, as the manifest writes it.
    pub path: Option<String>,
    /// Whether the skill's `requires` says so, which no agent follows by itself.
    pub optional: bool,
}

/// Reads what a package is; `None` if it has no name or no version, and then a finding of level error says why.
#[must_use]
pub fn describe(subject: Subject<'_>) -> (Option<Facts>, Vec<Finding>) {
    let mut reading = Reading { subject, source: String::new(), findings: Vec::new() };
    let facts = reading.facts();
    (facts, reading.findings)
}

struct Reading<'a> {
    subject: Subject<'a>,
    /// The text of `SKILL.md`.
    source: String,
    findings: Vec<Finding>,
}

impl Reading<'_> {
    fn facts(&mut self) -> Option<Facts> {
        let Some(bytes) = self.subject.tree.get("SKILL.md") else {
            let missing =
                |more: &str| Diagnostic::new("missing-skill-md", Level::Error, format!("there is no `SKILL.md`{more}"));
            self.tell(match formats::detect(&|path| self.subject.tree.get(path).is_some()) {
                Some(other) => missing(&format!(", but a skill of the format `{}`", other.name()))
                    .help("`skillpm convert DIR --to skill-md --out DIR` makes one that can be packaged"),
                None => missing("").help("`skillpm new NAME` makes a skill; name the directory of one"),
            });
            return None;
        };
        self.source = String::from_utf8_lossy(bytes).into_owned();
        let reading = skill::read(bytes, self.subject.directory);
        reading.diagnostics.into_iter().for_each(|diagnostic| self.tell(diagnostic));
        let skill = reading.skill?;
        let (name, version) = (self.name(&skill), self.version(&skill));
        let own = self.subject.manifest.and_then(|manifest| manifest.package.as_ref());
        let description = match own.and_then(|own| own.description.as_deref()) {
            Some(text) => self.own_description(text),
            None => skill.summary_line(),
        };
        let keywords = own.and_then(|own| own.keywords.clone()).unwrap_or_else(|| skill.tags.clone());
        self.check_keywords(&keywords);
        let license = self.license(own.and_then(|own| own.license.as_deref()), &skill);
        let needs = self.needs(&skill);
        Some(Facts { name: name?, version: version?, description, keywords, license, needs })
    }

    fn tell(&mut self, diagnostic: Diagnostic) {
        self.findings.push(of_package(diagnostic));
    }

    /// Tells a finding about the manifest.
    fn tell_of_manifest(&mut self, diagnostic: Diagnostic) {
        self.findings.push(Finding { path: manifest::FILE.into(), diagnostic });
    }

    fn name(&mut self, skill: &Skill) -> Option<PackageName> {
        if let Some(package) = self.subject.manifest.and_then(|manifest| manifest.package.as_ref()) {
            let name = package.name.clone();
            let text = self.subject.tree.get(manifest::FILE).map(String::from_utf8_lossy).unwrap_or_default();
            if let Some(drift) = rules::name::drift(&look(&text), &text, skill, self.subject.directory) {
                self.tell_of_manifest(drift);
            }
            return Some(name);
        }
        match skill.name.parse::<SkillName>() {
            Ok(name) => Some(match self.subject.scope {
                Some(scope) => format!("{scope}/{name}").parse().expect("both parts are names"),
                None => name.into(),
            }),
            Err(error) => {
                let mut diagnostic = rules::NAME.finding(error.message());
                diagnostic.help = error.helps().first().cloned();
                self.tell(diagnostic);
                None
            }
        }
    }

    fn version(&mut self, skill: &Skill) -> Option<Version> {
        let own = self.subject.manifest.and_then(|manifest| manifest.package.as_ref());
        if let Some(version) = own.and_then(|own| own.version.clone()) {
            return Some(version);
        }
        let Some(written) = &skill.version else {
            self.tell(rules::version::MISSING.finding("it says no version").help(HELP));
            return None;
        };
        let Some(version) = skill.semver() else {
            self.tell(rules::version::not_semver(written).help(HELP));
            return None;
        };
        if version.to_string() != *written {
            let short = rules::version::short(written, &version);
            self.tell(Diagnostic { level: Level::Warning, ..short });
        }
        Some(version)
    }

    fn own_description(&mut self, text: &str) -> String {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = line.chars().count();
        if length > DESCRIPTION_MAX || line.is_empty() {
            let message = format!("description is {length} characters; it should be 1 to {DESCRIPTION_MAX}");
            self.tell_of_manifest(Diagnostic::new("description-too-long", Level::Error, message));
        }
        line
    }

    fn check_keywords(&mut self, keywords: &[String]) {
        let (most, longest) = KEYWORDS_MAX;
        let bad = keywords.iter().find(|word| {
            word.trim().is_empty() || word.chars().count() > longest || word.chars().any(char::is_control)
        });
        let message = match bad {
            Some(word) => format!("`{}` is no keyword: it should be 1 to {longest} characters", word.escape_debug()),
            None if keywords.len() > most => format!("there are {} keywords; the limit is {most}", keywords.len()),
            None => return,
        };
        self.tell(rules::KEYWORD.finding(message));
    }

    fn license(&mut self, own: Option<&str>, skill: &Skill) -> Option<String> {
        let (text, level) = match (own, &skill.license) {
            (Some(own), _) => (own, Level::Error),
            // What stands there is often a sentence, and agents do not care.
            (None, Some(theirs)) => (theirs.as_str(), Level::Warning),
            (None, None) => {
                self.metadata(false, skill);
                return None;
            }
        };
        self.metadata(true, skill);
        let Err(fault) = license::check(text) else { return Some(text.trim().to_owned()) };
        let mut diagnostic = Diagnostic::new("license-not-spdx", level, fault.message);
        diagnostic.help = fault.help;
        if own.is_some() {
            self.tell_of_manifest(diagnostic);
        } else {
            self.tell(diagnostic);
        }
        None
    }

    /// Tells of what the package does not say; of its repository only where it could be said.
    fn metadata(&mut self, has_license: bool, skill: &Skill) {
        let own = self.subject.manifest.and_then(|manifest| manifest.package.as_ref());
        let has_repository = own.is_none_or(|own| own.repository.is_some()) || skill.homepage.is_some();
        if let Some(missing) = rules::metadata::missing(has_license, has_repository) {
            self.tell(missing);
        }
    }

    /// What the manifest declares, else what the skill's `requires` names.
    fn needs(&mut self, skill: &Skill) -> Vec<Need> {
        let mut needs = match self.subject.manifest {
            Some(manifest) if !manifest.dependencies.is_empty() => self.declared(manifest),
            _ => {
                let source = std::mem::take(&mut self.source);
                let named = skill::dependencies::dependencies(skill, &source);
                self.source = source;
                named.diagnostics.into_iter().for_each(|diagnostic| self.tell(diagnostic));
                let need = |(name, req): (PackageName, VersionReq)| Need {
                    alias: name.skill().clone(),
                    name,
                    req,
                    registry: None,
                    path: None,
                    optional: true,
                };
                named.packages.into_iter().map(need).collect()
            }
        };
        needs.sort_by(|a: &Need, b: &Need| a.name.cmp(&b.name));
        needs
    }

    fn declared(&mut self, manifest: &Manifest) -> Vec<Need> {
        let mut needs = Vec::new();
        for dependency in manifest.dependencies.iter().filter(|dependency| !dependency.dev) {
            let path = match &dependency.source {
                SourceId::Path(path) => Some(path.clone()),
                _ => None,
            };
            // What a path alone leads to may be a sibling with a version; whoever packs knows.
            let is_home_only = !matches!(dependency.source, SourceId::Registry(_) | SourceId::Path(_));
            if is_home_only && dependency.req == VersionReq::STAR {
                self.tell_of_manifest(unpublished(dependency.alias.as_str(), &dependency.source.place()));
            }
            needs.push(Need {
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

/// Tells of a need that no registry can answer.
#[must_use]
pub fn unpublished(alias: &str, what: &str) -> Diagnostic {
    let message =
        format!("`{alias}` comes from {what} alone, and a published package can only need what a registry has");
    let help = format!("name the version that is published, too: `{alias} = {{ version = \"^1\", … }}`");
    rules::UNPUBLISHED.finding(message).help(help)
}

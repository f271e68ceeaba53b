//! `json`: the whole model, schema `skillpm.catalog/1` (`docs/schemas/catalog.schema.json`). Keys are only ever added.
//!
//! ```json
//! {
//!  "schema": "skillpm.catalog/1",
//!  "skills": [ { "name": "csv-tidy", "id": "csv-tidy", "description": "…", "location": "/ROOT/csv-tidy/SKILL.md", … } ],
//!  "unlisted": []
//! }
//! ```
//!
//! A skill that a gate or its own `disable-model-invocation` keeps from models is here with the reason in `hidden`;
//! what filters leave out, and what is shadowed, is here only if all is asked for. Descriptions are verbatim;
//! characters that act on a terminal are written as `\u` escapes, which mean the same.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::{Options, pretty};
use crate::catalog::permission::full_name;
use crate::catalog::{Candidate, Catalog, Entry, FileFact, Missing, Permissions, Root, Verdict, Why};
use crate::package::Checksum;
use crate::report::{Diagnostic, Level};
use crate::skill::formats::codex::Codex;
use crate::skill::{EnvVar, Gates, Installer, Parameter, Run, Tool};

/// The name and version of this format.
const SCHEMA: &str = "skillpm.catalog/1";

/// Writes the catalog, one skill after the other.
pub(super) fn emit(catalog: &Catalog, options: &Options<'_>, out: &mut dyn Write) -> io::Result<()> {
    pretty::write(&Document::of(catalog, options), out)
}

/// The same as a value.
pub(super) fn value(catalog: &Catalog, options: &Options<'_>) -> serde_json::Value {
    serde_json::to_value(Document::of(catalog, options)).expect("the model is JSON")
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    skills: Skills<'a>,
    unlisted: Unlisted<'a>,
}

impl<'a> Document<'a> {
    fn of(catalog: &'a Catalog, options: &Options<'_>) -> Self {
        Document {
            schema: SCHEMA,
            agent: catalog.agent.as_deref(),
            skills: Skills { catalog, all: options.all },
            unlisted: Unlisted(catalog),
        }
    }
}

/// The skills one by one, so that no second copy of a long list comes to be.
struct Skills<'a> {
    catalog: &'a Catalog,
    all: bool,
}

impl Serialize for Skills<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let roots = &self.catalog.roots;
        let shown = |entry: &&Entry| self.all || !entry.hidden.is_some_and(Why::is_outside);
        serializer.collect_seq(self.catalog.entries.iter().filter(shown).flat_map(|entry| {
            let losers = if self.all { entry.candidate.shadows.as_slice() } else { &[] };
            let covered = losers.iter().map(|loser| Skill::covered(loser, &entry.candidate, roots));
            std::iter::once(Skill::of(entry, self.catalog)).chain(covered)
        }))
    }
}

/// One skill. The keys up to `files` are those of the format's first day.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each a key of its own")]
struct Skill<'a> {
    name: &'a str,
    id: &'a str,
    display_name: &'a str,
    description: &'a str,
    format: &'static str,
    version: Option<&'a str>,
    location: Shown,
    base_dir: Shown,
    tags: &'a [Box<str>],
    requires: &'a [Box<str>],
    allowed_tools: &'a [Box<str>],
    model_invocable: bool,
    user_invocable: bool,
    diagnostics: Vec<Note>,
    est_tokens: Option<u32>,
    files: Option<Vec<File<'a>>>,
    tier: &'static str,
    root: &'a str,
    source: Option<&'a str>,
    checksum: Option<Checksum>,
    license: Option<&'a str>,
    compatibility: Option<&'a str>,
    author: Option<&'a str>,
    homepage: Option<&'a str>,
    linked: bool,
    resources: Option<Vec<&'a str>>,
    when_to_use: Option<&'a str>,
    tools: Vec<Function<'a>>,
    arguments: &'a [Box<str>],
    argument_hint: Option<&'a str>,
    run: Option<&'a Run>,
    install: Vec<Way<'a>>,
    env_vars: &'a [EnvVar],
    codex: Option<&'a Codex>,
    gates: Option<Needs<'a>>,
    eligible: bool,
    missing: Option<&'a Missing>,
    hidden: Option<&'static str>,
    because: Option<&'a str>,
    always: bool,
    instructions: Option<&'a str>,
    tool_permissions: Vec<Permitted<'a>>,
    shadows: Vec<Other<'a>>,
    shadowed_by: Option<Other<'a>>,
}

impl<'a> Skill<'a> {
    fn of(entry: &'a Entry, catalog: &'a Catalog) -> Self {
        let (skill, roots) = (&entry.candidate, &*catalog.roots);
        Skill {
            diagnostics: entry.diagnostics(roots).map(Note::from).collect(),
            eligible: entry.is_eligible(),
            missing: entry.missing.as_deref(),
            hidden: entry.hidden.map(Why::name),
            because: entry.because.as_deref(),
            always: entry.always,
            instructions: entry.instructions.as_deref(),
            tool_permissions: Permitted::all(skill, &catalog.permissions),
            shadows: skill.shadows.iter().map(|loser| Other::of(loser, skill, roots)).collect(),
            ..Skill::bare(skill, roots)
        }
    }

    /// A skill that `winner` covers.
    fn covered(skill: &'a Candidate, winner: &'a Candidate, roots: &'a [Root]) -> Self {
        Skill {
            hidden: Some(Why::Shadowed.name()),
            because: Some("another skill of this name stands higher"),
            shadowed_by: Some(Other::of(winner, skill, roots)),
            ..Skill::bare(skill, roots)
        }
    }

    fn bare(skill: &'a Candidate, roots: &'a [Root]) -> Self {
        let facts = skill.listing.facts();
        let root = &roots[usize::from(skill.root)];
        let content = skill.content.as_deref();
        Skill {
            name: &skill.listing.name,
            id: &skill.directory,
            display_name: skill.display_name(),
            description: &skill.listing.description,
            format: facts.format.name(),
            version: skill.version(),
            location: Shown(skill.location(roots)),
            base_dir: Shown(skill.base_dir(roots)),
            tags: &facts.tags,
            requires: &facts.requires,
            allowed_tools: &facts.allowed_tools,
            model_invocable: facts.model_invocable,
            user_invocable: facts.user_invocable,
            diagnostics: skill.diagnostics.iter().cloned().map(Note::from).collect(),
            est_tokens: content.map(|content| content.est_tokens),
            files: content.map(|content| content.files.iter().map(File::from).collect()),
            tier: root.tier.name(),
            root: &root.label,
            source: skill.source.as_deref(),
            checksum: content.and_then(|content| content.checksum),
            license: facts.license.as_deref(),
            compatibility: facts.compatibility.as_deref(),
            author: facts.author.as_deref(),
            homepage: facts.homepage.as_deref(),
            linked: skill.linked,
            resources: content.map(|content| {
                let own = facts.format.file();
                content.files.iter().map(|file| &*file.path).filter(|path| *path != own).collect()
            }),
            when_to_use: facts.when_to_use.as_deref(),
            tools: facts.tools.iter().map(Function::from).collect(),
            arguments: &facts.arguments,
            argument_hint: facts.argument_hint.as_deref(),
            run: facts.run.as_deref(),
            install: facts.install.iter().map(Way::from).collect(),
            env_vars: &facts.env_vars,
            codex: skill.codex(),
            gates: facts.gates.as_deref().map(Needs::from),
            eligible: true,
            missing: None,
            hidden: None,
            because: None,
            always: false,
            instructions: None,
            tool_permissions: Vec::new(),
            shadows: Vec::new(),
            shadowed_by: None,
        }
    }
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    size: u64,
    sha256: String,
    executable: bool,
}

impl<'a> From<&'a FileFact> for File<'a> {
    fn from(file: &'a FileFact) -> Self {
        File { path: &file.path, size: file.size, sha256: file.sha256.to_string(), executable: file.executable }
    }
}

/// A function that a skill declares.
#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Vec<Argument<'a>>,
}

impl<'a> From<&'a Tool> for Function<'a> {
    fn from(tool: &'a Tool) -> Self {
        let parameters = tool.parameters.iter().map(Argument::from).collect();
        Function { name: &tool.name, description: &tool.description, parameters }
    }
}

#[derive(Serialize)]
struct Argument<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    description: &'a str,
    required: bool,
    /// `None` where there is none, and where it is known only to be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<serde_json::Value>,
}

impl<'a> From<&'a Parameter> for Argument<'a> {
    fn from(parameter: &'a Parameter) -> Self {
        Argument {
            name: &parameter.name,
            kind: parameter.kind.as_deref(),
            description: &parameter.description,
            required: parameter.required,
            default: parameter.default.as_deref().and_then(|default| serde_json::from_str(default).ok()),
        }
    }
}

/// A way to install something, with what a person would type.
#[derive(Serialize)]
struct Way<'a> {
    #[serde(flatten)]
    installer: &'a Installer,
    command: Option<String>,
}

impl<'a> From<&'a Installer> for Way<'a> {
    fn from(installer: &'a Installer) -> Self {
        Way { installer, command: installer.command() }
    }
}

/// Gates as skills write them.
#[derive(Serialize)]
struct Needs<'a> {
    always: bool,
    os: &'a [String],
    bins: &'a [String],
    #[serde(rename = "anyBins")]
    any_bins: &'a [String],
    env: &'a [String],
    config: &'a [String],
    #[serde(rename = "primaryEnv")]
    primary_env: Option<&'a str>,
    #[serde(rename = "skillKey")]
    skill_key: Option<&'a str>,
    paths: &'a [String],
}

impl<'a> From<&'a Gates> for Needs<'a> {
    fn from(gates: &'a Gates) -> Self {
        Needs {
            always: gates.always,
            os: &gates.os,
            bins: &gates.bins,
            any_bins: &gates.any_bins,
            env: &gates.env,
            config: &gates.config,
            primary_env: gates.primary_env.as_deref(),
            skill_key: gates.skill_key.as_deref(),
            paths: &gates.paths,
        }
    }
}

/// What may be done with one tool that a skill declares.
#[derive(Serialize)]
struct Permitted<'a> {
    /// `skill__tool`.
    tool: String,
    verdict: Verdict,
    /// The pattern that says so; none where nothing does.
    pattern: Option<&'a str>,
}

impl<'a> Permitted<'a> {
    fn all(skill: &Candidate, permissions: &'a Permissions) -> Vec<Self> {
        let permitted = |tool: &crate::skill::Tool| {
            let tool = full_name(&skill.directory, &tool.name);
            let (verdict, pattern) = permissions.verdict(&tool);
            Permitted { tool, verdict, pattern }
        };
        skill.listing.facts().tools.iter().map(permitted).collect()
    }
}

/// The other side of a shadow.
#[derive(Serialize)]
struct Other<'a> {
    tier: &'static str,
    root: &'a str,
    location: Shown,
    version: Option<&'a str>,
    checksum: Option<Checksum>,
    same_content: Option<bool>,
}

impl<'a> Other<'a> {
    fn of(other: &'a Candidate, than: &Candidate, roots: &'a [Root]) -> Self {
        let root = &roots[usize::from(other.root)];
        Other {
            tier: root.tier.name(),
            root: &root.label,
            location: Shown(other.location(roots)),
            version: other.version(),
            checksum: other.content.as_ref().and_then(|content| content.checksum),
            same_content: other.same_content(than),
        }
    }
}

/// A finding, with its place as people count.
#[derive(Serialize)]
struct Note {
    rule: String,
    level: Level,
    message: String,
    line: Option<usize>,
    column: Option<usize>,
    help: Option<String>,
}

impl From<Diagnostic> for Note {
    fn from(diagnostic: Diagnostic) -> Self {
        Note {
            rule: diagnostic.rule,
            level: diagnostic.level,
            message: diagnostic.message,
            line: diagnostic.position.map(|(line, _)| line),
            column: diagnostic.position.map(|(_, column)| column),
            help: diagnostic.help,
        }
    }
}

/// What no agent would list, and what is wrong with places.
struct Unlisted<'a>(&'a Catalog);

impl Serialize for Unlisted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Place {
            location: Shown,
            diagnostics: Vec<Note>,
        }
        let place = |path: &Path, diagnostics: &[Diagnostic]| Place {
            location: Shown(path.to_owned()),
            diagnostics: diagnostics.iter().cloned().map(Note::from).collect(),
        };
        let skills = self.0.unlisted.iter().map(|unlisted| place(&unlisted.location, &unlisted.diagnostics));
        let places =
            self.0.findings.iter().map(|finding| place(&finding.path, std::slice::from_ref(&finding.diagnostic)));
        serializer.collect_seq(skills.chain(places))
    }
}

/// A path as text; what is not UTF-8 in it is marked.
struct Shown(PathBuf);

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string_lossy())
    }
}

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

use super::{EmitOptions, pretty};
use crate::catalog::permission::full_tool_name;
use crate::catalog::{
    Catalog, CatalogEntry, FileFact, HiddenReason, ListedText, MissingRequirements, SkillCandidate,
    SkillContent, SkillListing, SkillRoot, ToolPermissions, ToolVerdict,
};
use skillpm_core::package::Checksum;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::formats::codex::CodexMetadata;
use skillpm_core::skill::{
    EnvVar, InstallMethod, RunSettings, SkillGates, SkillTool, ToolParameter,
};

/// The name and version of this format.
const SCHEMA: &str = "skillpm.catalog/1";

/// Writes the catalog, one skill after the other.
pub(super) fn emit(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    pretty::write_json(&CatalogDocument::from_catalog(catalog, options), out)
}

/// The same as a value.
pub(super) fn to_value(catalog: &Catalog, options: &EmitOptions<'_>) -> serde_json::Value {
    serde_json::to_value(CatalogDocument::from_catalog(catalog, options))
        .expect("the model is JSON")
}

#[derive(Serialize)]
struct CatalogDocument<'a> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    skills: SkillSequence<'a>,
    unlisted: UnlistedSequence<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_permissions: Vec<PermissionObject<'a>>,
}

impl<'a> CatalogDocument<'a> {
    fn from_catalog(catalog: &'a Catalog, options: &EmitOptions<'_>) -> Self {
        CatalogDocument {
            schema: SCHEMA,
            agent: catalog.agent.as_deref(),
            skills: SkillSequence {
                catalog,
                all: options.all,
            },
            unlisted: UnlistedSequence(catalog),
            tool_permissions: PermissionObject::for_base_tools(&catalog.permissions),
        }
    }
}

/// The skills one by one, so that no second copy of a long list comes to be.
struct SkillSequence<'a> {
    catalog: &'a Catalog,
    all: bool,
}

impl Serialize for SkillSequence<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown =
            |entry: &&CatalogEntry| self.all || !entry.hidden.is_some_and(HiddenReason::is_outside);

        // Streamed: serde takes them from the iterator, and only one object exists at a time.
        let entries = self.catalog.entries.iter().filter(shown);
        serializer.collect_seq(entries.flat_map(|entry| self.objects_for(entry)))
    }
}

impl<'a> SkillSequence<'a> {
    /// A skill and, only if all are asked for, those that it shadows.
    fn objects_for(&self, entry: &'a CatalogEntry) -> impl Iterator<Item = SkillObject<'a>> {
        let catalog = self.catalog;
        let losers = if self.all {
            entry.candidate.shadows.as_slice()
        } else {
            &[]
        };

        let covered = losers
            .iter()
            .map(|loser| SkillObject::from_shadowed(loser, &entry.candidate, &catalog.roots));
        std::iter::once(SkillObject::from_entry(entry, catalog)).chain(covered)
    }
}

/// One skill. The keys up to `files` are those of the format's first day.
#[derive(Default, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each a key of its own"
)]
struct SkillObject<'a> {
    name: &'a str,
    id: &'a str,
    display_name: &'a str,
    description: &'a str,
    format: &'static str,
    version: Option<&'a str>,
    location: LossyPath,
    base_dir: LossyPath,
    tags: &'a [Box<str>],
    requires: &'a [Box<str>],
    allowed_tools: &'a [Box<str>],
    model_invocable: bool,
    user_invocable: bool,
    diagnostics: Vec<DiagnosticObject>,
    est_tokens: Option<u32>,
    files: Option<Vec<FileObject<'a>>>,
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
    tools: Vec<FunctionObject<'a>>,
    arguments: &'a [Box<str>],
    argument_hint: Option<&'a str>,
    run: Option<&'a RunSettings>,
    install: Vec<InstallerObject<'a>>,
    env_vars: &'a [EnvVar],
    codex: Option<&'a CodexMetadata>,
    gates: Option<GatesObject<'a>>,
    eligible: bool,
    missing: Option<&'a MissingRequirements>,
    hidden: Option<&'static str>,
    because: Option<&'a str>,
    always: bool,
    instructions: Option<&'a str>,
    listed: Option<ListedObject<'a>>,
    tool_permissions: Vec<PermissionObject<'a>>,
    shadows: Vec<ShadowObject<'a>>,
    shadowed_by: Option<ShadowObject<'a>>,
}

impl<'a> SkillObject<'a> {
    fn from_entry(entry: &'a CatalogEntry, catalog: &'a Catalog) -> Self {
        let (skill, roots) = (&entry.candidate, &*catalog.roots);

        SkillObject {
            diagnostics: entry
                .diagnostics(roots)
                .map(DiagnosticObject::from)
                .collect(),
            eligible: entry.is_eligible(),
            missing: entry.missing.as_deref(),
            hidden: entry.hidden.map(HiddenReason::name),
            because: entry.because.as_deref(),
            always: entry.always,
            listed: entry.listed.as_deref().map(ListedObject::from),
            instructions: entry.instructions.as_deref(),
            tool_permissions: PermissionObject::for_skill(skill, &catalog.permissions),
            shadows: skill
                .shadows
                .iter()
                .map(|loser| ShadowObject::from_candidate(loser, skill, roots))
                .collect(),
            ..SkillObject::from_candidate(skill, roots)
        }
    }

    /// A skill that `winner` covers.
    fn from_shadowed(
        skill: &'a SkillCandidate,
        winner: &'a SkillCandidate,
        roots: &'a [SkillRoot],
    ) -> Self {
        SkillObject {
            hidden: Some(HiddenReason::Shadowed.name()),
            because: Some("another skill of this name has precedence"),
            shadowed_by: Some(ShadowObject::from_candidate(winner, skill, roots)),
            ..SkillObject::from_candidate(skill, roots)
        }
    }

    /// A skill as it was found, before any view decides about it.
    fn from_candidate(skill: &'a SkillCandidate, roots: &'a [SkillRoot]) -> Self {
        let root = &roots[usize::from(skill.root)];
        // Without the content its keys are `null`, which means "not read" and not "no files".
        let content = skill.content.as_deref();

        SkillObject {
            id: skill.id(),
            display_name: skill.display_name(),
            version: skill.version(),
            location: LossyPath(skill.location(roots)),
            base_dir: LossyPath(skill.base_dir(roots)),
            diagnostics: skill
                .diagnostics
                .iter()
                .cloned()
                .map(DiagnosticObject::from)
                .collect(),
            est_tokens: content.map(|content| content.est_tokens),
            files: content.map(|content| content.files.iter().map(FileObject::from).collect()),
            tier: root.tier.name(),
            root: &root.label,
            source: skill.source.as_deref(),
            checksum: content.and_then(|content| content.checksum),
            linked: skill.linked,
            resources: content.map(|content| resource_paths(skill, content)),
            codex: skill.codex(),
            // A shadowed skill is checked against no gate, so it counts as eligible.
            eligible: true,
            ..SkillObject::from_listing(&skill.listing)
        }
    }

    /// What a skill's own file says.
    fn from_listing(listing: &'a SkillListing) -> Self {
        let facts = listing.facts();

        SkillObject {
            name: &listing.name,
            description: &listing.description,
            format: facts.format.name(),
            tags: &facts.tags,
            requires: &facts.requires,
            allowed_tools: &facts.allowed_tools,
            model_invocable: facts.model_invocable,
            user_invocable: facts.user_invocable,
            license: facts.license.as_deref(),
            compatibility: facts.compatibility.as_deref(),
            author: facts.author.as_deref(),
            homepage: facts.homepage.as_deref(),
            when_to_use: facts.when_to_use.as_deref(),
            tools: facts.tools.iter().map(FunctionObject::from).collect(),
            arguments: &facts.arguments,
            argument_hint: facts.argument_hint.as_deref(),
            run: facts.run.as_deref(),
            install: facts.install.iter().map(InstallerObject::from).collect(),
            env_vars: &facts.env_vars,
            gates: facts.gates.as_deref().map(GatesObject::from),
            ..SkillObject::default()
        }
    }
}

/// What the agent's own list has of a skill.
#[derive(Serialize)]
struct ListedObject<'a> {
    position: Option<usize>,
    name: &'a str,
    description: Option<&'a str>,
    location: Option<LossyPath>,
}

impl<'a> From<&'a ListedText> for ListedObject<'a> {
    fn from(listed: &'a ListedText) -> Self {
        ListedObject {
            position: listed.position,
            name: &listed.name,
            description: listed.description.as_deref(),
            location: listed.location.clone().map(LossyPath),
        }
    }
}

/// The files of a skill besides the one with its instructions.
fn resource_paths<'a>(skill: &SkillCandidate, content: &'a SkillContent) -> Vec<&'a str> {
    // A model gets the instructions anyway, and would read them a second time.
    let own = skill.file_name();

    content
        .files
        .iter()
        .map(|file| &*file.path)
        .filter(|path| *path != own)
        .collect()
}

#[derive(Serialize)]
struct FileObject<'a> {
    path: &'a str,
    size: u64,
    sha256: String,
    executable: bool,
}

impl<'a> From<&'a FileFact> for FileObject<'a> {
    fn from(file: &'a FileFact) -> Self {
        FileObject {
            path: &file.path,
            size: file.size,
            sha256: file.sha256.to_string(),
            executable: file.executable,
        }
    }
}

/// A function that a skill declares.
#[derive(Serialize)]
struct FunctionObject<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Vec<ArgumentObject<'a>>,
}

impl<'a> From<&'a SkillTool> for FunctionObject<'a> {
    fn from(tool: &'a SkillTool) -> Self {
        let parameters = tool.parameters.iter().map(ArgumentObject::from).collect();
        FunctionObject {
            name: &tool.name,
            description: &tool.description,
            parameters,
        }
    }
}

#[derive(Serialize)]
struct ArgumentObject<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    description: &'a str,
    required: bool,
    /// `None` if there is none, or if only its existence is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<serde_json::Value>,
}

impl<'a> From<&'a ToolParameter> for ArgumentObject<'a> {
    fn from(parameter: &'a ToolParameter) -> Self {
        ArgumentObject {
            name: &parameter.name,
            kind: parameter.kind.as_deref(),
            description: &parameter.description,
            required: parameter.required,
            default: parameter
                .default
                .as_deref()
                // A default of a Devai skill may be an expression of TypeScript, which has no form
                // in JSON.
                .and_then(|default| serde_json::from_str(default).ok()),
        }
    }
}

/// A way to install something, with what a person would type.
#[derive(Serialize)]
struct InstallerObject<'a> {
    #[serde(flatten)]
    installer: &'a InstallMethod,
    command: Option<String>,
}

impl<'a> From<&'a InstallMethod> for InstallerObject<'a> {
    fn from(installer: &'a InstallMethod) -> Self {
        InstallerObject {
            installer,
            command: installer.command(),
        }
    }
}

/// Gates as skills write them.
#[derive(Serialize)]
struct GatesObject<'a> {
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

impl<'a> From<&'a SkillGates> for GatesObject<'a> {
    fn from(gates: &'a SkillGates) -> Self {
        GatesObject {
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
struct PermissionObject<'a> {
    /// `skill__tool`.
    tool: String,
    verdict: ToolVerdict,
    /// The pattern that says so; none where nothing does.
    pattern: Option<&'a str>,
}

impl<'a> PermissionObject<'a> {
    fn for_skill(skill: &SkillCandidate, permissions: &'a ToolPermissions) -> Vec<Self> {
        // By the directory: Nova, whose patterns these are, calls tools by it.
        let tools = skill.listing.facts().tools.iter();
        tools
            .map(|tool| full_tool_name(&skill.directory, &tool.name))
            .map(|tool| Self::for_tool(tool, permissions))
            .collect()
    }

    /// For the tools of the agent's own that a pattern names.
    fn for_base_tools(permissions: &'a ToolPermissions) -> Vec<Self> {
        let tools = permissions.base_tools().into_iter();
        tools
            .map(|tool| Self::for_tool(tool.to_owned(), permissions))
            .collect()
    }

    fn for_tool(tool: String, permissions: &'a ToolPermissions) -> Self {
        let (verdict, pattern) = permissions.verdict(&tool);
        PermissionObject {
            tool,
            verdict,
            pattern,
        }
    }
}

/// The other side of a shadow.
#[derive(Serialize)]
struct ShadowObject<'a> {
    tier: &'static str,
    root: &'a str,
    location: LossyPath,
    version: Option<&'a str>,
    checksum: Option<Checksum>,
    same_content: Option<bool>,
}

impl<'a> ShadowObject<'a> {
    fn from_candidate(
        other: &'a SkillCandidate,
        than: &SkillCandidate,
        roots: &'a [SkillRoot],
    ) -> Self {
        let root = &roots[usize::from(other.root)];

        ShadowObject {
            tier: root.tier.name(),
            root: &root.label,
            location: LossyPath(other.location(roots)),
            version: other.version(),
            checksum: other.content.as_ref().and_then(|content| content.checksum),
            same_content: other.same_content(than),
        }
    }
}

/// A finding, with its place as people count.
#[derive(Serialize)]
struct DiagnosticObject {
    rule: String,
    level: DiagnosticLevel,
    message: String,
    line: Option<usize>,
    column: Option<usize>,
    help: Option<String>,
}

impl From<Diagnostic> for DiagnosticObject {
    fn from(diagnostic: Diagnostic) -> Self {
        DiagnosticObject {
            rule: diagnostic.rule,
            level: diagnostic.level,
            message: diagnostic.message,
            line: diagnostic.position.map(|(line, _)| line),
            column: diagnostic.position.map(|(_, column)| column),
            help: diagnostic.help,
        }
    }
}

/// Skill directories that no agent would list, and problems with directories.
struct UnlistedSequence<'a>(&'a Catalog);

impl Serialize for UnlistedSequence<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A problem with a directory has the same keys as an unlisted skill, so that readers need
        // one loop.
        let skills = self
            .0
            .unlisted
            .iter()
            .map(|unlisted| UnlistedObject::new(&unlisted.location, &unlisted.diagnostics));
        let places = self.0.findings.iter().map(|finding| {
            UnlistedObject::new(&finding.path, std::slice::from_ref(&finding.diagnostic))
        });

        serializer.collect_seq(skills.chain(places))
    }
}

#[derive(Serialize)]
struct UnlistedObject {
    location: LossyPath,
    diagnostics: Vec<DiagnosticObject>,
}

impl UnlistedObject {
    fn new(path: &Path, diagnostics: &[Diagnostic]) -> Self {
        let diagnostics = diagnostics.iter().cloned();
        UnlistedObject {
            location: LossyPath(path.to_owned()),
            diagnostics: diagnostics.map(DiagnosticObject::from).collect(),
        }
    }
}

/// A path as text; invalid UTF-8 is replaced.
#[derive(Default)]
struct LossyPath(PathBuf);

impl Serialize for LossyPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string_lossy())
    }
}

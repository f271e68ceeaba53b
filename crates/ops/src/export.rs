//! The formats of `catalog` that need the files of skills: directory trees, and their instructions.
//!
//! | format | content | printed without a directory |
//! |---|---|---|
//! | `well-known` | a site's `.well-known/agent-skills` and `.well-known/skills` | its list of skills |
//! | `agentskills-http` | the tree of the server of that name | its list of skills |
//! | `claude-marketplace` | a plugin marketplace of Claude Code | its list of skills |
//! | `claude-zip` | a zip for each skill, for Anthropic's Skills API | nothing |
//! | `bodies` | the instructions of all skills; with `--agent`, those that it always includes | the text |
//!
//! A skill that a format does not support is skipped with a warning; one that was requested by name
//! is an error.

use std::path::{Path, PathBuf};

use super::site::warn_of_archive_only;
use super::stage::{StageWriter, StagedDirectory};
use super::{CommandContext, show};
use skillpm_catalog::catalog::emit::{self, CatalogFormat, FormatPurpose, template};
use skillpm_catalog::catalog::text::{mark_hidden, one_line};
use skillpm_catalog::catalog::{Catalog, CatalogEntry, SkillCandidate, SkillRoot};
use skillpm_catalog::site::{
    AgentskillsHttp, ClaudeMarketplace, ClaudeZip, OfferedMetadata, OfferedSkill, SiteBuilder,
    SiteFiles, SiteHost, WellKnown,
};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{SiteUrl, SkillName, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill;
use skillpm_io::disk;
use skillpm_io::local_files::read_source_directory;

/// A format that needs the files of skills.
pub struct ExportFormat {
    /// Its name for `--format`.
    pub name: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// The media type of the output without a directory.
    pub media_type: &'static str,
    /// What its output is for.
    pub purpose: FormatPurpose,
    shape: ExportShape,
}

#[derive(Clone, Copy)]
enum ExportShape {
    /// A directory tree, with the path of its file that lists all skills.
    Tree(
        fn(&ExportOptions) -> Box<dyn SiteBuilder>,
        Option<&'static str>,
    ),
    /// A text of the instructions.
    Bodies,
}

/// All formats that need the files of skills.
pub static EXPORTS: &[ExportFormat] = &[
    ExportFormat {
        name: "well-known",
        summary: "discovery below /.well-known/, for a web server",
        media_type: "application/json",
        purpose: FormatPurpose::Files,
        shape: ExportShape::Tree(
            |options| Box::new(WellKnown::new(options.base.clone(), SiteHost::Files)),
            Some(".well-known/agent-skills/index.json"),
        ),
    },
    ExportFormat {
        name: "agentskills-http",
        summary: "the tree that agentskills-http serves",
        media_type: "application/json",
        purpose: FormatPurpose::Files,
        shape: ExportShape::Tree(|_| Box::<AgentskillsHttp>::default(), Some("index.json")),
    },
    ExportFormat {
        name: "claude-marketplace",
        summary: "a plugin marketplace of Claude Code",
        media_type: "application/json",
        purpose: FormatPurpose::Files,
        shape: ExportShape::Tree(
            |options| Box::new(ClaudeMarketplace::new(options.title())),
            Some(".claude-plugin/marketplace.json"),
        ),
    },
    ExportFormat {
        name: "claude-zip",
        summary: "a zip for each skill, for Anthropic's Skills API",
        media_type: "application/zip",
        purpose: FormatPurpose::Files,
        shape: ExportShape::Tree(|_| Box::<ClaudeZip>::default(), None),
    },
    ExportFormat {
        name: "bodies",
        summary: "the instructions themselves, in the order of `--only`",
        media_type: "text/markdown",
        purpose: FormatPurpose::Prompt,
        shape: ExportShape::Bodies,
    },
];

/// Any format of `catalog`.
pub enum FormatChoice {
    /// A text that needs only the catalog.
    Text(&'static CatalogFormat),
    /// A text from the user's own template.
    Template,
    /// A format that needs the files of skills.
    Export(&'static ExportFormat),
}

/// Looks up a format by name.
///
/// # Errors
/// If the name is unknown; the nearest is suggested.
pub fn find_format(name: &str) -> Result<FormatChoice> {
    if name == template::NAME {
        return Ok(FormatChoice::Template);
    }
    match EXPORTS.iter().find(|export| export.name == name) {
        Some(export) => Ok(FormatChoice::Export(export)),
        None => emit::find_format(name).map(FormatChoice::Text),
    }
}

/// Options of [`export`].
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// The directory to write, which is new, empty, or an earlier export; `None` to print the list
    /// of skills.
    pub out: Option<PathBuf>,
    /// The requested names, in their order; `None` for all.
    pub only: Option<Vec<String>>,
    /// The URL at which a site will be served; `None` if unknown.
    pub base: Option<SiteUrl>,
    /// The name of a marketplace.
    pub title: Option<String>,
}

impl ExportOptions {
    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("skills")
    }

    /// Checks the title for every format, so that an invalid one is never ignored.
    fn check_title(&self) -> Result<()> {
        if self
            .title
            .as_deref()
            .is_none_or(|title| title.parse::<SkillName>().is_ok())
        {
            return Ok(());
        }

        let title = self.title().escape_debug().to_string();
        Err(Error::usage(format!("invalid marketplace name `{title}`"))
            .help("use lowercase letters, digits and hyphens, such as `acme-skills`"))
    }
}

/// The result of [`export`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportOutcome {
    /// A text to print.
    Text(Vec<u8>),
    /// A directory was written.
    Written {
        /// The directory.
        out: PathBuf,
        /// The number of skills in it.
        skills: usize,
        /// The number of files that were written.
        files: usize,
    },
}

/// Exports the listed skills of a catalog.
///
/// # Errors
/// If a skill's files cannot be read, the format does not support a requested skill, the format
/// prints nothing, or the directory has files that no export wrote. Then nothing was changed.
pub fn export(
    context: &CommandContext<'_>,
    catalog: &Catalog,
    format: &ExportFormat,
    options: &ExportOptions,
) -> Result<ExportOutcome> {
    options.check_title()?;

    match (format.shape, &options.out) {
        (ExportShape::Bodies, None) => {
            render_bodies(catalog, options.only.as_deref()).map(ExportOutcome::Text)
        }
        (ExportShape::Bodies, Some(_)) => Err(Error::usage(
            "unsupported option `--out`: the format `bodies` is a text, not a directory",
        )
        .help("omit `--out`, and redirect the output to a file")),
        (ExportShape::Tree(begin, _), Some(out)) => {
            write_tree(context, catalog, &mut *begin(options), format, out, options)
        }
        (ExportShape::Tree(begin, Some(list)), None) => {
            let mut builder = begin(options);
            // The tree is not written: only its list is printed.
            let mut discard = |_: SiteFiles| Ok(());
            let skills = add_skills(
                context,
                catalog,
                &mut *builder,
                format,
                options,
                &mut discard,
            )?;
            refuse_empty(catalog, format, skills)?;
            let list = builder
                .finish()
                .remove(list)
                .expect("each tree has its list");
            Ok(ExportOutcome::Text(list.bytes))
        }
        (ExportShape::Tree(_, None), None) => Err(Error::usage(format!(
            "format `{}` requires `--out`: it writes files, and prints nothing",
            format.name
        ))
        .help(format!(
            "pass a directory: `skillpm catalog --format {} --out DIR`",
            format.name
        ))),
    }
}

fn write_tree(
    context: &CommandContext<'_>,
    catalog: &Catalog,
    builder: &mut dyn SiteBuilder,
    format: &ExportFormat,
    out: &Path,
    options: &ExportOptions,
) -> Result<ExportOutcome> {
    let out = disk::normalize_path(&context.dirs.cwd.join(out));
    check_destination(context, catalog, &out)?;

    // Written next to its destination, then swapped in as a whole.
    let mut stage = StagedDirectory::begin(
        StageWriter::Catalog,
        &out,
        context.lock_timeout(),
        context.reporter,
    )?;
    let skills = add_skills(context, catalog, builder, format, options, &mut |files| {
        stage.put_all(files)
    })?;
    refuse_empty(catalog, format, skills)?;
    stage.put_all(builder.finish())?;
    if format.name == "well-known" {
        // GitHub Pages leaves out names that begin with a dot unless this file exists.
        stage.put(".nojekyll", b"")?;
    }
    if format.name == "claude-zip" && skills > ZIPS_MAX {
        let message = format!(
            "packed {skills} skills, but Anthropic's Skills API accepts at most {ZIPS_MAX} for an agent"
        );
        context.reporter.report(ProgressEvent::warning(message));
    }

    let (files, _) = stage.finish()?;
    Ok(ExportOutcome::Written { out, skills, files })
}

/// Refuses to write where the export would destroy something, or become part of a skill.
fn check_destination(context: &CommandContext<'_>, catalog: &Catalog, out: &Path) -> Result<()> {
    // The directory is replaced as a whole, which would remove the current one.
    if context.dirs.cwd.starts_with(out) {
        return Err(Error::usage(format!(
            "refusing to replace `{}`: it contains the current directory",
            out.display()
        ))
        .help("use a separate directory, such as `public`"));
    }

    // Inside a skill, the export would become part of that skill.
    let around = catalog
        .listed()
        .map(|entry| entry.candidate.base_dir(&catalog.roots))
        .find(|dir| out.starts_with(dir));
    if let Some(skill_dir) = around {
        return Err(Error::usage(format!(
            "refusing to write `{}`: it is inside the skill `{}`",
            out.display(),
            skill_dir.display()
        ))
        .help("use a directory outside of it, such as `public`"));
    }
    Ok(())
}

/// The number of skills that an agent may have in Anthropic's Skills API
/// (<https://docs.claude.com/en/docs/build-with-claude/skills-guide>, as of November 2026).
const ZIPS_MAX: usize = 20;

/// Adds every listed skill that the format supports; returns their number.
fn add_skills(
    context: &CommandContext<'_>,
    catalog: &Catalog,
    builder: &mut dyn SiteBuilder,
    format: &ExportFormat,
    options: &ExportOptions,
    put: &mut dyn FnMut(SiteFiles) -> Result<()>,
) -> Result<usize> {
    let mut skills = 0;
    for entry in catalog.listed() {
        match exportable_skill(entry, &catalog.roots).and_then(|(name, tree)| {
            let files = builder.add(&describe_skill(entry, &name, &tree))?;
            Ok((name, tree, files))
        }) {
            Ok((name, tree, files)) => {
                if format.name == "well-known" {
                    warn_of_archive_only(context, &name, &tree);
                }
                put(files)?;
                skills += 1;
            }
            // Skipping a skill that was requested by name would look like success.
            Err(error) if options.only.is_some() => return Err(error),
            Err(error) => context.reporter.report(ProgressEvent::Warning {
                message: format!("skipped: {error}"),
                help: error.helps().first().cloned(),
            }),
        }
    }
    Ok(skills)
}

/// Refuses an export without skills: it would replace what was published before by nothing.
fn refuse_empty(catalog: &Catalog, format: &ExportFormat, skills: usize) -> Result<()> {
    if skills > 0 {
        return Ok(());
    }

    let mut error = Error::negative(format!("no skills found for format `{}`", format.name));
    // Those that were skipped are reported already, each with its reason.
    for (entry, reason) in catalog.hidden().take(REASONS_MAX) {
        let because = entry.because.as_deref().unwrap_or(reason.name());
        error = error.note(format!(
            "`{}` is hidden: {}",
            one_line(&entry.candidate.listing.name),
            one_line(because)
        ));
    }
    Err(error.help("`skillpm catalog --all` lists all skills, with the reason why one is hidden"))
}

/// The number of hidden skills that an empty export reports.
const REASONS_MAX: usize = 5;

/// A skill's name and files.
///
/// # Errors
/// If it has no `SKILL.md` or no valid name, or its files cannot be read.
fn exportable_skill(entry: &CatalogEntry, roots: &[SkillRoot]) -> Result<(SkillName, Tree)> {
    let skill = &entry.candidate;
    let shown = one_line(&skill.listing.name);
    let format = skill.listing.facts().format;
    if format != skill::SkillFormat::SkillMd {
        // The readers of these formats support only `SKILL.md`.
        return Err(Error::negative(format!(
            "unsupported format {} of skill `{shown}`: it has no `SKILL.md`",
            format.name()
        )));
    }

    let name = skill.listing.name.parse::<SkillName>().map_err(|error| {
        error.with_kind(FailureKind::Negative).wrap(format!(
            "invalid skill name `{shown}`: the specification does not allow it"
        ))
    })?;
    Ok((name, read_files(skill, roots)?))
}

fn describe_skill<'a>(
    entry: &'a CatalogEntry,
    name: &'a SkillName,
    tree: &'a Tree,
) -> OfferedSkill<'a> {
    let (skill, facts) = (&entry.candidate, entry.candidate.listing.facts());
    let about = OfferedMetadata {
        version: skill.version(),
        author: facts.author.as_deref(),
        license: facts.license.as_deref(),
        homepage: facts.homepage.as_deref(),
        keywords: &facts.tags,
    };
    OfferedSkill {
        name,
        description: &skill.listing.description,
        tree,
        metadata: about,
    }
}

fn read_files(skill: &SkillCandidate, roots: &[SkillRoot]) -> Result<Tree> {
    let exists = disk::lstat(&skill.location(roots)).is_ok_and(|meta| meta.is_some());
    // Bundled skills may not be unpacked, as on a full disk: then the binary has them.
    match show::find_bundled(roots, skill).filter(|_| !exists) {
        Some(bundled) => Ok(bundled.tree()),
        None => {
            let dir = disk::real_path(&skill.base_dir(roots));
            read_source_directory(&dir).map(|found| found.tree)
        }
    }
}

/// The instructions of skills, separated by blank lines: of `only`, in that order, else of those
/// that the agent always includes, else of all listed skills.
fn render_bodies(catalog: &Catalog, only: Option<&[String]>) -> Result<Vec<u8>> {
    let mut text = String::new();
    for entry in select_bodies(catalog, only) {
        let body = read_body(catalog, entry)?;
        if !body.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.extend([gap, &*body, "\n"]);
        }
    }
    Ok(text.into_bytes())
}

fn select_bodies<'c>(catalog: &'c Catalog, only: Option<&[String]>) -> Vec<&'c CatalogEntry> {
    let find = |name: &String| {
        catalog
            .entries
            .iter()
            .find(|entry| *entry.candidate.listing.name == **name)
    };

    // For an agent, `always` lists the skills that it includes.
    let has_always = catalog.agent.is_some() || !catalog.always.is_empty();
    match only {
        Some(names) => names.iter().filter_map(find).collect(),
        None if has_always => catalog.always_included(),
        None => catalog
            .listed()
            .filter(|entry| !is_function(entry))
            .collect(),
    }
}

/// The instructions of one skill, without blank lines around them.
fn read_body(catalog: &Catalog, entry: &CatalogEntry) -> Result<String> {
    let name = one_line(&entry.candidate.listing.name);
    // A requested skill may be hidden: its text must not reach the agent by this way.
    if let Some(why) = entry.hidden {
        return Err(Error::negative(format!(
            "skill `{name}` is hidden from this agent: {}",
            why.name()
        ))
        .help(format!("`skillpm why {name}` shows why")));
    }

    // A function has parameters instead of instructions.
    if is_function(entry) {
        return Err(Error::negative(format!(
            "cannot export `{name}`: it is a function, and has no instructions"
        )));
    }

    let body = show::read_instructions(catalog, entry)?;
    // Instructions are untrusted: invisible characters become visible marks.
    Ok(mark_hidden(body.trim_matches(['\n', '\r'])).to_string())
}

/// Whether a skill is a function instead of instructions.
fn is_function(entry: &CatalogEntry) -> bool {
    entry.candidate.listing.facts().format == skill::SkillFormat::Devai
}

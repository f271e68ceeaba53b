//! `catalog` in the forms that need more of the skills than the catalog knows: trees of files, and their instructions.
//!
//! | form | is | its list |
//! |---|---|---|
//! | `well-known` | a site's `.well-known/agent-skills` and `.well-known/skills` | printed where no directory is named |
//! | `agentskills-http` | the tree of the server of that name | the same |
//! | `claude-marketplace` | a plugin marketplace of Claude Code's | the same |
//! | `claude-zip` | a zip for each skill, for Anthropic's Skills API | none |
//! | `bodies` | the instructions one after the other: with `--agent` those that it always carries | a text, and no tree |
//!
//! A skill that a form cannot carry is left out and told, and is an error where it was asked for by name.

use std::path::{Path, PathBuf};

use super::stage::{Stage, Writer};
use super::{Context, show};
use crate::catalog::emit::{self, Format, Purpose, template};
use crate::catalog::text::{one_line, visible};
use crate::catalog::{Candidate, Catalog, Entry, Root};
use crate::error::{Error, Kind, Result};
use crate::io::disk;
use crate::package::{SiteUrl, SkillName, Tree};
use crate::report::Event;
use crate::site::{About, AgentskillsHttp, ClaudeZip, Files, Marketplace, Offered, Offering, WellKnown};
use crate::skill;

/// One form that needs the skills' files.
pub struct Export {
    /// The name by which `--format` knows it.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// The media type of what is printed where no directory is named.
    pub media_type: &'static str,
    /// Who reads it.
    pub purpose: Purpose,
    shape: Shape,
}

#[derive(Clone, Copy)]
enum Shape {
    /// A tree, with the file of it that tells of all the skills.
    Tree(fn(&ExportOptions) -> Box<dyn Offering>, Option<&'static str>),
    /// A text of the instructions.
    Bodies,
}

/// All such forms.
pub static EXPORTS: &[Export] = &[
    Export {
        name: "well-known",
        summary: "discovery below /.well-known/, for a web server",
        media_type: "application/json",
        purpose: Purpose::Files,
        shape: Shape::Tree(
            |options| Box::new(WellKnown::new(options.base.clone())),
            Some(".well-known/agent-skills/index.json"),
        ),
    },
    Export {
        name: "agentskills-http",
        summary: "the tree that agentskills-http serves",
        media_type: "application/json",
        purpose: Purpose::Files,
        shape: Shape::Tree(|_| Box::<AgentskillsHttp>::default(), Some("index.json")),
    },
    Export {
        name: "claude-marketplace",
        summary: "a plugin marketplace of Claude Code's",
        media_type: "application/json",
        purpose: Purpose::Files,
        shape: Shape::Tree(
            |options| Box::new(Marketplace::new(options.title())),
            Some(".claude-plugin/marketplace.json"),
        ),
    },
    Export {
        name: "claude-zip",
        summary: "a zip for each skill, for Anthropic's Skills API",
        media_type: "application/zip",
        purpose: Purpose::Files,
        shape: Shape::Tree(|_| Box::<ClaudeZip>::default(), None),
    },
    Export {
        name: "bodies",
        summary: "the instructions themselves, in the order of `--only`",
        media_type: "text/markdown",
        purpose: Purpose::Prompt,
        shape: Shape::Bodies,
    },
];

/// A form of any sort.
pub enum Form {
    /// A text of the catalog alone.
    Text(&'static Format),
    /// A text of the person's own making.
    Template,
    /// Something that needs the skills' files.
    Export(&'static Export),
}

/// The form of this name.
///
/// # Errors
/// If there is none; the nearest is offered.
pub fn form(name: &str) -> Result<Form> {
    if name == template::NAME {
        return Ok(Form::Template);
    }
    match EXPORTS.iter().find(|export| export.name == name) {
        Some(export) => Ok(Form::Export(export)),
        None => emit::format(name).map(Form::Text),
    }
}

/// How to export.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// The directory to write, which is new, empty, or an earlier export; `None` to print what tells of all skills.
    pub out: Option<PathBuf>,
    /// The names that were asked for, in their order.
    pub only: Option<Vec<String>>,
    /// Where a site will be served, if that is known.
    pub base: Option<SiteUrl>,
    /// What a marketplace calls itself.
    pub title: Option<String>,
}

impl ExportOptions {
    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("skills")
    }
}

/// What came of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exported {
    /// A text to print.
    Text(Vec<u8>),
    /// A directory was written.
    Written {
        /// The directory.
        out: PathBuf,
        /// How many skills are in it.
        skills: usize,
        /// How many files were written.
        files: usize,
    },
}

/// Exports the listed skills of a catalog.
///
/// # Errors
/// If a skill's files cannot be read, one that was asked for by name cannot be carried, the form has nothing to print,
/// or the directory holds anything that no export wrote. Then nothing was changed.
pub fn export(context: &Context<'_>, catalog: &Catalog, form: &Export, options: &ExportOptions) -> Result<Exported> {
    if options.title.as_deref().is_some_and(|title| title.parse::<SkillName>().is_err()) {
        let title = options.title().escape_debug().to_string();
        return Err(Error::usage(format!("`{title}` is no name for a marketplace"))
            .help("write it like `acme-skills`: small letters, digits and hyphens"));
    }
    match (form.shape, &options.out) {
        (Shape::Bodies, None) => bodies(catalog, options.only.as_deref()).map(Exported::Text),
        (Shape::Bodies, Some(_)) => {
            Err(Error::usage("`bodies` is a text, not a directory").help("leave out `--out`, and send it to a file"))
        }
        (Shape::Tree(begin, _), Some(out)) => write(context, catalog, &mut *begin(options), form, (out, options)),
        (Shape::Tree(begin, Some(list)), None) => {
            let mut offering = begin(options);
            let mut drop = |_: Files| Ok(());
            offer(context, catalog, &mut *offering, options, &mut drop)?;
            let list = offering.finish().remove(list).expect("each tree has its list");
            Ok(Exported::Text(list.bytes))
        }
        (Shape::Tree(_, None), None) => Err(Error::usage(format!("`{}` is files, and nothing to print", form.name))
            .help(format!("give it a directory: `skillpm catalog --format {} --out DIR`", form.name))),
    }
}

fn write(
    context: &Context<'_>,
    catalog: &Catalog,
    offering: &mut dyn Offering,
    form: &Export,
    (out, options): (&Path, &ExportOptions),
) -> Result<Exported> {
    let out = disk::normal_path(&context.places.here.join(out));
    if context.places.here.starts_with(&out) {
        return Err(Error::usage(format!("`{}` holds the directory you are in, and would be replaced", out.display()))
            .help("name a directory of its own, such as `public`"));
    }
    if let Some(held) =
        catalog.listed().map(|entry| entry.candidate.base_dir(&catalog.roots)).find(|dir| out.starts_with(dir))
    {
        return Err(Error::usage(format!("`{}` lies inside the skill `{}`", out.display(), held.display()))
            .help("name a directory beside it, such as `public`"));
    }
    let mut stage = Stage::begin(Writer::Catalog, &out, context.patience(), context.reporter)?;
    let skills = offer(context, catalog, offering, options, &mut |files| stage.put_all(files))?;
    stage.put_all(offering.finish())?;
    if form.name == "well-known" {
        // Some hosts leave out what begins with a dot unless they are told not to.
        stage.put(".nojekyll", b"")?;
    }
    if form.name == "claude-zip" && skills > ZIPS_MAX {
        let message = format!("{skills} skills were packed, and an agent of Anthropic's takes {ZIPS_MAX} at once");
        context.reporter.report(Event::warning(message));
    }
    let (files, _) = stage.finish()?;
    Ok(Exported::Written { out, skills, files })
}

/// How many skills an agent may be given at once by Anthropic's Skills API (`shared/CONSUMERS.md` §3.2).
const ZIPS_MAX: usize = 20;

/// Offers every listed skill that can be carried; says how many those are.
fn offer(
    context: &Context<'_>,
    catalog: &Catalog,
    offering: &mut dyn Offering,
    options: &ExportOptions,
    put: &mut dyn FnMut(Files) -> Result<()>,
) -> Result<usize> {
    let mut skills = 0;
    for entry in catalog.listed() {
        match carried(entry, &catalog.roots).and_then(|(name, tree)| offering.add(&offered(entry, &name, &tree))) {
            Ok(files) => {
                put(files)?;
                skills += 1;
            }
            Err(error) if options.only.is_some() => return Err(error),
            Err(error) => context
                .reporter
                .report(Event::Warning { message: format!("left out: {error}"), help: error.helps().first().cloned() }),
        }
    }
    Ok(skills)
}

/// A skill's name and files, if it is one that others can be given.
fn carried(entry: &Entry, roots: &[Root]) -> Result<(SkillName, Tree)> {
    let skill = &entry.candidate;
    let shown = one_line(&skill.listing.name);
    let format = skill.listing.facts().format;
    if format != skill::Format::SkillMd {
        return Err(Error::negative(format!(
            "`{shown}` is a skill of the format {}, which has no `SKILL.md`",
            format.name()
        )));
    }
    let name = skill.listing.name.parse::<SkillName>().map_err(|error| {
        error.with_kind(Kind::Negative).wrap(format!("`{shown}` is no name that the specification allows"))
    })?;
    Ok((name, files(skill, roots)?))
}

fn offered<'a>(entry: &'a Entry, name: &'a SkillName, tree: &'a Tree) -> Offered<'a> {
    let (skill, facts) = (&entry.candidate, entry.candidate.listing.facts());
    let about = About {
        version: skill.version(),
        author: facts.author.as_deref(),
        license: facts.license.as_deref(),
        homepage: facts.homepage.as_deref(),
        keywords: &facts.tags,
    };
    Offered { name, description: &skill.listing.description, tree, about }
}

fn files(skill: &Candidate, roots: &[Root]) -> Result<Tree> {
    let is_there = disk::lstat(&skill.location(roots)).is_ok_and(|meta| meta.is_some());
    match show::bundled_of(roots, skill).filter(|_| !is_there) {
        Some(bundled) => Ok(bundled.tree()),
        None => disk::read_tree(&disk::real_path(&skill.base_dir(roots))),
    }
}

/// The instructions of skills, a blank line between them: of those that were asked for in that order, else of those that
/// the agent always carries in its own, else of all that are listed.
fn bodies(catalog: &Catalog, only: Option<&[String]>) -> Result<Vec<u8>> {
    let find = |name: &String| catalog.entries.iter().find(|entry| *entry.candidate.listing.name == **name);
    let is_bound = catalog.agent.is_some() || !catalog.always.is_empty();
    let wanted: Vec<&Entry> = match only {
        Some(names) => names.iter().filter_map(find).collect(),
        None if is_bound => catalog.carried(),
        None => catalog.listed().filter(|entry| !is_call(entry)).collect(),
    };
    let mut text = String::new();
    for entry in wanted {
        let name = one_line(&entry.candidate.listing.name);
        if let Some(why) = entry.hidden {
            return Err(Error::negative(format!("`{name}` is not for this agent: {}", why.name()))
                .help(format!("`skillpm why {name}` tells more")));
        }
        if is_call(entry) {
            return Err(Error::negative(format!("`{name}` is called, and has no instructions to read")));
        }
        let body = show::instructions(catalog, entry)?;
        let body = visible(body.trim_matches(['\n', '\r']));
        if !body.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.extend([gap, &*body, "\n"]);
        }
    }
    Ok(text.into_bytes())
}

/// Whether a skill is a function, and no text.
fn is_call(entry: &Entry) -> bool {
    entry.candidate.listing.facts().format == skill::Format::Devai
}

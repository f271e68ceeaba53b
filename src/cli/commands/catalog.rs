use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::{plural, seen, warn_of_unlisted};
use crate::catalog::emit::template::{self, Template};
use crate::catalog::emit::{FORMATS, Format, Options, Purpose, markdown, stats};
use crate::catalog::{Catalog, Search};
use crate::cli::Session;
use crate::error::{Context as _, Error, Result};
use crate::io::disk;
use crate::ops::budget::{self, Most};
use crate::ops::catalog::{CatalogOptions, catalog};
use crate::ops::export::{EXPORTS, Export, ExportOptions, Exported, Form, export, form};

/// Emit the resolved catalog for an agent
///
/// Looks through all tiers, decides which skill each name means, leaves out what
/// this machine cannot use, and prints the rest in one of the forms that agents
/// read.
///
/// Some forms are trees of files for others to fetch or install. With `--out` they are
/// written; the directory is replaced as a whole, and one with anything else in it is
/// refused. Without it, the file that tells of all the skills is printed.
///
/// Examples:
///
///   skillpm catalog                               the whole model, as JSON
///   skillpm catalog --format xml                  for a system prompt
///   skillpm catalog --format markdown --into AGENTS.md
///   skillpm catalog --all --format json           with the hidden ones, and why
///   skillpm catalog --template prompt.md.j2       in a form of your own
///   skillpm catalog --format bodies --only a,b    the instructions themselves
///   skillpm catalog --format well-known --out public
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(in crate::cli) struct Arguments {
    /// Read this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// What this agent is shown, in its own order
    ///
    /// An id of the table of agents or of `[agents.ID]` in the settings, which reads its own directories; or a name
    /// under `[catalog.agents]` in skillpm.toml, which sees the tiers.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Show just these skills
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// Show just those whose name, tags or description hold these words
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,

    /// Show just those with this tag (repeatable)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// Show the hidden ones too, and why they are
    #[arg(long)]
    all: bool,

    /// Take os=…,bins=…,env=… for granted (repeatable)
    ///
    /// What this machine has is not looked at then, for the kinds of facts that are given.
    #[arg(long, value_name = "FACTS")]
    assume: Vec<String>,

    /// Fail if the listing is longer than N characters
    ///
    /// Or than so many tokens, with a `t` behind the number: `--budget 2000t`. In the form that is asked for; with
    /// `json`, in that of the agent.
    #[arg(long, value_name = "N")]
    budget: Option<Most>,

    /// Advise the model with this file's text
    ///
    /// Instead of skillpm's own advice, in the forms that have any.
    #[arg(long, value_name = "FILE")]
    preamble: Option<PathBuf>,

    /// Write it by this template
    ///
    /// A file in the language of Jinja2. It is given `skills`, each with the keys of the form `json`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["into", "out"])]
    template: Option<PathBuf>,

    /// Rewrite the section between the markers of this file
    ///
    /// In the form `markdown` only. A file that has no such section gets one at its end.
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    into: Option<PathBuf>,

    /// Take the place of the section that openskills keeps there
    #[arg(long, requires = "into", hide_short_help = true)]
    replace_openskills: bool,

    /// Write a tree of files to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Where `well-known` will be served
    #[arg(long, value_name = "URL", hide_short_help = true)]
    base_url: Option<String>,

    /// What `claude-marketplace` calls itself [default: skills]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    title: Option<String>,

    /// Print what the skills and the forms cost a model
    #[arg(long, conflicts_with_all = ["into", "out", "template"])]
    stats: bool,

    /// List the forms there are
    #[arg(long)]
    list_formats: bool,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        if self.list_formats {
            return list_formats(session);
        }
        if self.stats {
            return self.print_stats(session);
        }
        let form = self.form(session)?;
        let is_json = matches!(form, Form::Text(format) if format.name == "json");
        let catalog = catalog(&session.context, &self.wanted(is_json || matches!(form, Form::Template)))?;
        match form {
            Form::Text(format) => self.print(session, format, &catalog)?,
            Form::Template => self.print_by_template(session, &catalog)?,
            Form::Export(form) => self.export(session, form, &catalog)?,
        }
        if !is_json {
            warn_of_shadows(session, &catalog);
        }
        warn_of_unlisted(session, &catalog);
        seen::tell(session, &catalog, is_json, self.all)?;
        Ok(0)
    }

    /// The form that is asked for, by name or by another flag that only one form has.
    fn form(&self, session: &Session<'_>) -> Result<Form> {
        let implied = match (&self.into, &self.template) {
            (Some(_), _) => Some(("markdown", "--into")),
            (None, Some(_)) => Some(("template", "--template")),
            (None, None) => None,
        };
        let name = match (session.format.as_deref(), implied) {
            (None, None) => "json",
            (None, Some((name, _))) => name,
            (Some(name), Some((implied, flag))) if name != implied => {
                return Err(Error::usage(format!("`{flag}` goes with `--format {implied}`")));
            }
            (Some("human"), _) => {
                return Err(Error::usage("a catalog is for agents and programs").help("`skillpm list` is for people"));
            }
            (Some(name), _) => name,
        };
        let form = form(name)?;
        let advises = matches!(form, Form::Template) || matches!(form, Form::Text(format) if format.advises);
        match form {
            Form::Text(_) if self.out.is_some() => {
                let trees: Vec<_> = EXPORTS.iter().map(|form| form.name).filter(|name| *name != "bodies").collect();
                Err(Error::usage(format!("`{name}` is one text, and no directory of files"))
                    .help(format!("`--out` goes with `--format {}`", trees.join("`, `"))))
            }
            _ if self.preamble.is_some() && !advises => {
                Err(Error::usage(format!("`{name}` has no advice for `--preamble` to replace"))
                    .help("put the text before what is printed, or use `--template`"))
            }
            form => Ok(form),
        }
    }

    /// What of the tiers is wanted.
    fn wanted(&self, contents: bool) -> CatalogOptions {
        CatalogOptions {
            dirs: self.dirs.clone(),
            only: self.only.clone(),
            search: Search { words: self.search.clone().unwrap_or_default(), tags: self.tag.clone() },
            assume: self.assume.clone(),
            contents,
            workspace_only: self.into.is_some(),
            agent: self.agent.clone(),
        }
    }

    fn print(&self, session: &Session<'_>, format: &Format, catalog: &Catalog) -> Result<()> {
        let here = &session.context.places;
        let preamble = self.preamble(session)?;
        let emit = Options { all: self.all, preamble: preamble.as_deref(), ..Options::default() };
        // Weighed before anything is written, and made no second time for that.
        let weighed = self.budget.filter(|_| format.name != "json").map(|_| format.render(catalog, &emit));
        self.hold(session, catalog, weighed.as_deref())?;
        if let Some(path) = &self.into {
            let emit = Options { base: Some(&here.here), home: Some(&here.home), ..emit };
            return self.write_section(session, path, &markdown::inner(catalog, &emit));
        }
        let written = session.shell.stream(|out| match weighed {
            Some(text) => out.write_all(text.as_bytes()),
            None => (format.emit)(catalog, &emit, out),
        });
        written.context(|| "could not write the catalog".to_owned())
    }

    fn print_by_template(&self, session: &Session<'_>, catalog: &Catalog) -> Result<()> {
        let missing = || Error::usage("there is no template").help("name its file with `--template FILE`");
        let path = self.template.as_ref().ok_or_else(missing)?;
        let preamble = self.preamble(session)?;
        let emit = Options { all: self.all, preamble: preamble.as_deref(), ..Options::default() };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let text = text_of(&session.context.places.here.join(path))?;
        let rendered = template::render(catalog, &emit, Template { name: &name, text: &text })?;
        self.hold(session, catalog, Some(&rendered))?;
        session.shell.raw(rendered.as_bytes());
        Ok(())
    }

    fn preamble(&self, session: &Session<'_>) -> Result<Option<String>> {
        self.preamble.as_ref().map(|path| text_of(&session.context.places.here.join(path))).transpose()
    }

    /// Holds the catalog to the budget, if there is one; `text` is what is about to be printed.
    fn hold(&self, session: &Session<'_>, catalog: &Catalog, text: Option<&str>) -> Result<()> {
        self.budget.map_or(Ok(()), |most| budget::hold(&session.context, catalog, text, most))
    }

    /// Rewrites the section between the markers of a file.
    fn write_section(&self, session: &Session<'_>, path: &Path, inner: &str) -> Result<()> {
        let place = session.file_at(path)?;
        let before = disk::read_text(&place)?.unwrap_or_default();
        let theirs = markdown::has_openskills(&before);
        let given_way = if self.replace_openskills { markdown::replace_openskills(&before) } else { before.clone() };
        let after = markdown::update_block(&given_way, inner);
        if after == before {
            session.shell.status("Unchanged", &path.display().to_string());
        } else {
            disk::write_atomic(&place, after.as_bytes())?;
            session.shell.status("Updated", &path.display().to_string());
        }
        if theirs && !self.replace_openskills {
            session.shell.warn(
                &format!("`{}` has a section of openskills too, and an agent reads both", path.display()),
                Some("`--replace-openskills` puts this one in its place"),
            );
        }
        Ok(())
    }

    fn export(&self, session: &Session<'_>, form: &Export, catalog: &Catalog) -> Result<()> {
        self.hold(session, catalog, None)?;
        let options = ExportOptions {
            out: self.out.clone(),
            only: self.only.clone(),
            base: self.base_url.as_deref().map(str::parse).transpose()?,
            title: self.title.clone(),
        };
        match export(&session.context, catalog, form, &options)? {
            Exported::Text(text) => session.shell.raw(&text),
            Exported::Written { out, skills, files } => {
                let (skills, files) = (plural(skills, "skill"), plural(files, "file"));
                session.shell.status("Wrote", &format!("{skills} to {} ({files})", out.display()));
            }
        }
        Ok(())
    }

    /// What is read costs: each skill's part of it, and the whole of it in each form.
    fn print_stats(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let preamble = self.preamble(session)?;
        let catalog = catalog(&session.context, &self.wanted(true))?;
        let emit = Options { preamble: preamble.as_deref(), ..Options::default() };
        let (skills, forms) = (stats::skills(&catalog), stats::formats(&catalog, &emit));
        if as_json {
            for skill in &skills {
                session.shell.object(&json!({
                    "type": "skill-cost",
                    "name": skill.name,
                    "characters": skill.listing.characters,
                    "tokens": skill.listing.tokens,
                    "instructions-tokens": skill.instructions,
                }));
            }
            for (form, cost) in &forms {
                session.shell.object(&json!({
                    "type": "format-cost",
                    "format": form.name,
                    "characters": cost.characters,
                    "tokens": cost.tokens,
                }));
            }
        } else {
            let line = |name: &str, characters: String, tokens: String, last: String| {
                session.shell.line(format!("{name:32} {characters:>10} {tokens:>7} {last:>12}").trim_end());
            };
            let of = |cost: stats::Cost| (cost.characters.to_string(), cost.tokens.to_string());
            line("skill", "characters".into(), "tokens".into(), "instructions".into());
            for skill in &skills {
                let (characters, tokens) = of(skill.listing);
                line(
                    &skill.name,
                    characters,
                    tokens,
                    skill.instructions.map_or("?".into(), |tokens| tokens.to_string()),
                );
            }
            line("", String::new(), String::new(), String::new());
            line(
                &format!("all {}, as", plural(skills.len(), "skill")),
                "characters".into(),
                "tokens".into(),
                String::new(),
            );
            for (form, cost) in &forms {
                let (characters, tokens) = of(*cost);
                line(form.name, characters, tokens, String::new());
            }
        }
        warn_of_unlisted(session, &catalog);
        seen::tell(session, &catalog, as_json, self.all)?;
        Ok(0)
    }
}

/// The forms, of a text and of files, as one list.
fn list_formats(session: &Session<'_>) -> Result<u8> {
    let texts = FORMATS.iter().map(|form| (form.name, form.purpose, form.media_type, form.summary));
    let own = (template::NAME, Purpose::Data, template::MEDIA_TYPE, template::SUMMARY);
    let exports = EXPORTS.iter().map(|form| (form.name, form.purpose, form.media_type, form.summary));
    let as_json = session.json()?;
    for (name, purpose, media_type, summary) in texts.chain([own]).chain(exports) {
        if as_json {
            session.shell.object(&json!({
                "type": "format",
                "name": name,
                "purpose": purpose.name(),
                "media-type": media_type,
                "summary": summary,
            }));
        } else {
            session.shell.line(&format!("{name:18} {:6} {media_type:16} {summary}", purpose.name()));
        }
    }
    Ok(0)
}

/// Tells who covers whom where the form itself cannot.
fn warn_of_shadows(session: &Session<'_>, catalog: &Catalog) {
    for shadow in catalog.shadows() {
        shadow.sentences().for_each(|sentence| session.shell.warn(&sentence, None));
    }
}

fn text_of(path: &Path) -> Result<String> {
    disk::read_text(path)?.ok_or_else(|| Error::usage(format!("there is no file `{}`", path.display())))
}

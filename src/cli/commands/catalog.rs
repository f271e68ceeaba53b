//! `catalog`: resolves the catalog of an agent ([`catalog`]) and writes it in one of the formats of [`EXPORTS`], to
//! stdout or to a directory.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::{catalog_notes, plural, warn_about_unlisted};
use crate::catalog::emit::template::{self, TemplateSource};
use crate::catalog::emit::{CatalogFormat, EmitOptions, FORMATS, FormatPurpose, markdown, stats};
use crate::catalog::{Catalog, CatalogQuery};
use crate::cli::CliSession;
use crate::cli::format_args::CatalogFormatArgs;
use crate::cli::shell::CliShell;
use crate::error::{Error, ErrorContext as _, Result};
use crate::io::disk;
use crate::ops::budget::{self, ListingBudget};
use crate::ops::catalog::{CatalogOptions, catalog};
use crate::ops::catalog_sections::SectionOptions;
use crate::ops::export::{
    EXPORTS, ExportFormat, ExportOptions, ExportOutcome, FormatChoice, export, find_format,
};

/// Emit the resolved catalog for an agent
///
/// Reads all tiers, resolves each name to one skill, leaves out skills that this
/// machine cannot use, and prints the rest in a format that agents read.
///
/// Some formats are directory trees for others to fetch or install. `--out` writes the
/// tree and replaces the whole directory; a directory with other files is refused.
/// Without `--out`, prints the file that lists all skills.
///
/// Examples:
///
///   skillpm catalog                               the whole model, as JSON
///   skillpm catalog --format xml                  for a system prompt
///   skillpm catalog --format markdown --into AGENTS.md
///   skillpm catalog --all --format json           with the hidden ones, and why
///   skillpm catalog --template prompt.md.j2       in your own format
///   skillpm catalog --format bodies --only a,b    the instructions themselves
///   skillpm catalog --format well-known --out public
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub(in crate::cli) struct CatalogArgs {
    /// Read this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Show the skills that this agent sees
    ///
    /// An id from the table of agents or `[agents.ID]` in the settings, which reads its own directories; or a name
    /// under `[catalog.agents]` in skillpm.toml, which sees the tiers.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// Show only these skills
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// Show only skills that match these words
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,

    /// Show only skills with this tag (repeatable)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// Include hidden skills, with reasons
    #[arg(long)]
    all: bool,

    /// Show no skills, whatever is installed
    ///
    /// For one run, as Kodelet's flag of that name; the setting `catalog.enabled` does it for all.
    #[arg(long)]
    no_skills: bool,

    /// Assume os=…,bins=…,env=… (repeatable)
    ///
    /// For the kinds given, this machine is not inspected.
    #[arg(long, value_name = "FACTS")]
    assume: Vec<String>,

    /// Fail if the listing is longer than N characters
    ///
    /// Or than N tokens, with the suffix `t`: `--budget 2000t`. Counted in the selected format; with `json`, in the format
    /// of the agent.
    #[arg(long, value_name = "N")]
    budget: Option<ListingBudget>,

    /// Replace the introduction with the text of this file
    ///
    /// Replaces skillpm's own introduction, in formats that have one.
    #[arg(long, value_name = "FILE")]
    preamble: Option<PathBuf>,

    /// Render with this template
    ///
    /// A Jinja2 template file. Its variable `skills` is a list with the keys of the format `json`.
    // A template makes any text, and `--into` replaces one of a known form.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["into", "out"])]
    template: Option<PathBuf>,

    /// Update the section between markers in this file
    ///
    /// With the format `markdown` only. If the file has no such section, appends one. Commands that change skills keep it
    /// current in `*.md` files of the project's root.
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    into: Option<PathBuf>,

    /// Replace the section that openskills wrote
    #[arg(long, requires = "into", hide_short_help = true)]
    replace_openskills: bool,

    /// Write a tree of files to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Where `well-known` will be served
    #[arg(long, value_name = "URL", hide_short_help = true)]
    base_url: Option<String>,

    /// Set the name of the `claude-marketplace` [default: skills]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    title: Option<String>,

    /// Print the size of each skill and format in tokens
    #[arg(long, conflicts_with_all = ["into", "out", "template"])]
    stats: bool,

    /// List all formats
    #[arg(long)]
    list_formats: bool,

    #[command(flatten)]
    format: CatalogFormatArgs,
}

impl CatalogArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        if self.list_formats {
            return list_formats(session);
        }
        // Both print something other than a catalog, and check no flag of its formats.
        if self.stats {
            return self.print_stats(session);
        }

        // Decided before the tiers are read, so that a wrong flag fails at once.
        let form = self.export_format(session)?;
        let is_json = matches!(form, FormatChoice::Text(format) if format.name == "json");
        // Only the full model, which a template is given as well, has the files of each skill.
        let catalog = catalog(
            &session.context,
            &CatalogOptions {
                any_machine: matches!(form, FormatChoice::Export(form) if form.purpose == FormatPurpose::Files),
                ..self.catalog_options(is_json || matches!(form, FormatChoice::Template))
            },
        )?;

        match form {
            FormatChoice::Text(format) => self.print(session, format, &catalog)?,
            FormatChoice::Template => self.print_with_template(session, &catalog)?,
            FormatChoice::Export(form) => self.export(session, form, &catalog)?,
        }

        // The JSON form has a key for shadows; in the others there is no place for them.
        if !is_json {
            warn_about_shadows(session, &catalog);
        }
        warn_about_unlisted(session, &catalog);
        catalog_notes::print_notes(session, &catalog, is_json, self.all)?;
        Ok(0)
    }

    /// The selected format, by name or implied by a flag that only one format has.
    fn export_format(&self, session: &CliSession<'_>) -> Result<FormatChoice> {
        // Each of these flags makes sense with one format, so people need not repeat it.
        let implied = match (&self.into, &self.template) {
            (Some(_), _) => Some(("markdown", "--into")),
            (None, Some(_)) => Some(("template", "--template")),
            (None, None) => None,
        };

        let name = match (session.format.as_deref(), implied) {
            (None, None) => "json",
            (None, Some((name, _))) => name,
            (Some(name), Some((implied, flag))) if name != implied => {
                return Err(Error::usage(format!(
                    "`{flag}` requires `--format {implied}`"
                )));
            }
            (Some("human"), _) => {
                return Err(Error::usage("unsupported format `human` for a catalog")
                    .help("run `skillpm list` for human-readable output"));
            }
            (Some(name), _) => name,
        };

        let form = find_format(name)?;
        self.check_flags(name, &form)?;
        Ok(form)
    }

    /// Refuses flags that the selected format would ignore.
    fn check_flags(&self, name: &str, form: &FormatChoice) -> Result<()> {
        if matches!(form, FormatChoice::Text(_)) && self.out.is_some() {
            return Err(not_a_tree_error(name));
        }

        // A preamble that is silently ignored would look as if it were in the prompt.
        let advises = matches!(form, FormatChoice::Template)
            || matches!(form, FormatChoice::Text(format) if format.has_advice);
        if self.preamble.is_some() && !advises {
            return Err(Error::usage(format!(
                "cannot use `--preamble` with `{name}`: the format has no introduction"
            ))
            .help("print the text before the output, or use `--template`"));
        }

        Ok(())
    }

    /// The options for reading the tiers.
    fn catalog_options(&self, contents: bool) -> CatalogOptions {
        CatalogOptions {
            dirs: self.dirs.clone(),
            only: self.only.clone(),
            search: CatalogQuery {
                words: self.search.clone().unwrap_or_default(),
                tags: self.tag.clone(),
            },
            assume: self.assume.clone(),
            any_machine: false,
            contents,
            // A section of a file in the repository is for all who clone it, and they lack this
            // user's skills.
            workspace_only: self.into.is_some(),
            agent: self.agent.clone(),
            no_skills: self.no_skills,
        }
    }

    fn print(
        &self,
        session: &CliSession<'_>,
        format: &CatalogFormat,
        catalog: &Catalog,
    ) -> Result<()> {
        let preamble = self.read_preamble(session)?;
        let emit = EmitOptions {
            all: self.all,
            preamble: preamble.as_deref(),
            max_description: description_limit(session, format),
            ..EmitOptions::default()
        };
        // Weighed before anything is written, and made no second time for that.
        let rendered = self
            .budget
            .filter(|_| format.name != "json")
            .map(|_| format.render(catalog, &emit));
        self.check_budget(session, catalog, rendered.as_deref())?;

        if let Some(path) = &self.into {
            let here = &session.context.dirs;
            // Of the project, as the commands that keep the section current write it.
            let project = session.context.project()?;
            let base = project.as_ref().map_or(&here.cwd, |project| &project.root);
            let emit = EmitOptions {
                base: Some(base),
                home: Some(&here.home),
                ..emit
            };
            return self.write_section(session, path, &markdown::render_inner(catalog, &emit));
        }

        // Streamed: a catalog of a hundred thousand skills is never in memory as text.
        let written = session.shell.write_stream(|out| match rendered {
            Some(text) => out.write_all(text.as_bytes()),
            None => (format.emit)(catalog, &emit, out),
        });
        written.context(|| "failed to write the catalog".to_owned())
    }

    fn print_with_template(&self, session: &CliSession<'_>, catalog: &Catalog) -> Result<()> {
        let missing = || Error::usage("missing template").help("pass it with `--template FILE`");
        let path = self.template.as_ref().ok_or_else(missing)?;

        let preamble = self.read_preamble(session)?;
        let emit = EmitOptions {
            all: self.all,
            preamble: preamble.as_deref(),
            ..EmitOptions::default()
        };
        // The file's name alone: its extension decides how values are escaped, not its directory.
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy();

        let text = read_text_file(&session.context.dirs.cwd.join(path))?;
        let rendered = template::render(
            catalog,
            &emit,
            TemplateSource {
                name: &name,
                text: &text,
            },
        )?;

        // After rendering, since the length of the text is what the budget limits.
        self.check_budget(session, catalog, Some(&rendered))?;
        session.shell.print_raw(rendered.as_bytes());
        Ok(())
    }

    fn read_preamble(&self, session: &CliSession<'_>) -> Result<Option<String>> {
        self.preamble
            .as_ref()
            .map(|path| read_text_file(&session.context.dirs.cwd.join(path)))
            .transpose()
    }

    /// Fails if the catalog exceeds the budget, if there is one; `text` is the rendered output.
    fn check_budget(
        &self,
        session: &CliSession<'_>,
        catalog: &Catalog,
        text: Option<&str>,
    ) -> Result<()> {
        self.budget.map_or(Ok(()), |most| {
            budget::check_budget(&session.context, catalog, text, most)
        })
    }

    /// How the section was made, for its marker.
    fn section_options(&self) -> String {
        let options = SectionOptions {
            agent: self.agent.clone(),
            only: self.only.clone(),
            tags: self.tag.clone(),
        };
        let has_others = self.search.is_some()
            || self.preamble.is_some()
            || self.no_skills
            || !self.dirs.is_empty()
            || !self.assume.is_empty();
        let text = options.to_text().filter(|_| !has_others);
        text.unwrap_or_else(|| "fixed".to_owned())
    }

    /// Rewrites the section between the markers of a file.
    fn write_section(&self, session: &CliSession<'_>, path: &Path, inner: &str) -> Result<()> {
        let place = session.resolve_output(path)?;

        // A file that does not exist yet gets the section alone.
        let before = disk::read_text(&place)?.unwrap_or_default();
        let has_openskills = markdown::has_openskills(&before);
        let replaced = if self.replace_openskills {
            // The section of openskills is emptied first, and ours takes its place below.
            markdown::replace_openskills(&before)
        } else {
            before.clone()
        };
        let after = markdown::update_block(&replaced, &self.section_options(), inner);
        // A file with the same bytes is not written: its time would change, and watchers wake.
        if after == before {
            session
                .shell
                .status("Unchanged", &path.display().to_string());
        } else {
            // In one step, since an agent may read the file at any moment.
            disk::write_atomic(&place, after.as_bytes())?;
            session.shell.status("Updated", &path.display().to_string());
        }

        if has_openskills && !self.replace_openskills {
            session.shell.warn(
                &format!(
                    "`{}` has a section of openskills too; agents will read both",
                    path.display()
                ),
                Some("pass `--replace-openskills` to replace it"),
            );
        }
        Ok(())
    }

    fn export(
        &self,
        session: &CliSession<'_>,
        form: &ExportFormat,
        catalog: &Catalog,
    ) -> Result<()> {
        // A tree has no one text, so the agent's listing is what counts.
        self.check_budget(session, catalog, None)?;

        let options = ExportOptions {
            out: self.out.clone(),
            only: self.only.clone(),
            base: self.base_url.as_deref().map(str::parse).transpose()?,
            title: self.title.clone(),
        };

        match export(&session.context, catalog, form, &options)? {
            ExportOutcome::Text(text) => session.shell.print_raw(&text),
            ExportOutcome::Written { out, skills, files } => {
                let (skills, files) = (plural(skills, "skill"), plural(files, "file"));
                session
                    .shell
                    .status("Wrote", &format!("{skills} to {} ({files})", out.display()));
            }
        }
        Ok(())
    }

    /// Prints the size in tokens of each skill, and of the whole catalog in each format.
    fn print_stats(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;

        let preamble = self.read_preamble(session)?;
        let catalog = catalog(&session.context, &self.catalog_options(true))?;
        let emit = EmitOptions {
            preamble: preamble.as_deref(),
            ..EmitOptions::default()
        };
        let (skills, forms) = (
            stats::skill_costs(&catalog),
            stats::format_costs(&catalog, &emit),
        );

        if as_json {
            print_costs_json(session.shell, &skills, &forms);
        } else {
            print_costs(session.shell, &skills, &forms);
        }

        warn_about_unlisted(session, &catalog);
        catalog_notes::print_notes(session, &catalog, as_json, self.all)?;
        Ok(0)
    }
}

/// The limit of descriptions that is set for the agent of a format; the two have one name.
fn description_limit(session: &CliSession<'_>, format: &CatalogFormat) -> Option<usize> {
    let key = format!("agents.{}.max-description", format.name);
    session.context.config.string(&key)?.parse().ok()
}

/// The error of `--out` with a format that is one text.
fn not_a_tree_error(name: &str) -> Error {
    // `bodies` is among the exports because it reads files, but what it makes is one text.
    let trees: Vec<_> = EXPORTS
        .iter()
        .map(|form| form.name)
        .filter(|name| *name != "bodies")
        .collect();

    Error::usage(format!(
        "cannot use `--out` with `{name}`: the format is a single text"
    ))
    .help(format!(
        "use `--out` with `--format {}`",
        trees.join("`, `")
    ))
}

/// The cost of a format: of the whole text that it makes of the catalog.
type FormatCost = (&'static CatalogFormat, stats::TextCost);

fn print_costs_json(shell: &CliShell, skills: &[stats::SkillCost], forms: &[FormatCost]) {
    for skill in skills {
        shell.print_object(&json!({
            "type": "skill-cost",
            "name": skill.name,
            "characters": skill.listing.characters,
            "tokens": skill.listing.tokens,
            "instructions_tokens": skill.instructions,
        }));
    }

    for (form, cost) in forms {
        shell.print_object(&json!({
            "type": "format-cost",
            "format": form.name,
            "characters": cost.characters,
            "tokens": cost.tokens,
        }));
    }
}

fn print_costs(shell: &CliShell, skills: &[stats::SkillCost], forms: &[FormatCost]) {
    let heads = ["characters", "tokens", "instructions"];

    print_cost_line(shell, "skill", heads);
    for skill in skills {
        let [characters, tokens] = cost_cells(skill.listing);
        // Instructions that were not read have no known cost, which is not 0.
        let instructions = skill
            .instructions
            .map_or("?".to_owned(), |tokens| tokens.to_string());
        print_cost_line(shell, &skill.name, [&characters, &tokens, &instructions]);
    }

    print_cost_line(shell, "", [""; 3]);
    let all = format!("all {}, as", plural(skills.len(), "skill"));
    print_cost_line(shell, &all, [heads[0], heads[1], ""]);
    for (form, cost) in forms {
        let [characters, tokens] = cost_cells(*cost);
        print_cost_line(shell, form.name, [&characters, &tokens, ""]);
    }
}

fn cost_cells(cost: stats::TextCost) -> [String; 2] {
    [cost.characters.to_string(), cost.tokens.to_string()]
}

fn print_cost_line(shell: &CliShell, name: &str, [characters, tokens, last]: [&str; 3]) {
    // Wide enough for most names; a longer one only shifts its own line.
    shell.print_line(format!("{name:32} {characters:>10} {tokens:>7} {last:>12}").trim_end());
}

/// All formats, for texts and for trees of files, in one list.
fn list_formats(session: &CliSession<'_>) -> Result<u8> {
    let texts = FORMATS
        .iter()
        .map(|form| (form.name, form.purpose, form.media_type, form.summary));

    // `template` has no row of a table: it needs a file of the user's.
    let own = (
        template::NAME,
        FormatPurpose::Data,
        template::MEDIA_TYPE,
        template::SUMMARY,
    );
    let exports = EXPORTS
        .iter()
        .map(|form| (form.name, form.purpose, form.media_type, form.summary));

    let as_json = session.wants_json()?;
    for (name, purpose, media_type, summary) in texts.chain([own]).chain(exports) {
        if as_json {
            session.shell.print_object(&json!({
                "type": "format",
                "name": name,
                "purpose": purpose.name(),
                "media_type": media_type,
                "summary": summary,
            }));
        } else {
            session.shell.print_line(&format!(
                "{name:18} {:6} {media_type:16} {summary}",
                purpose.name()
            ));
        }
    }
    Ok(0)
}

/// Prints shadowed skills for formats that have no place for them.
fn warn_about_shadows(session: &CliSession<'_>, catalog: &Catalog) {
    for shadow in catalog.shadows() {
        shadow
            .collision_lines()
            .for_each(|sentence| session.shell.warn(&sentence, None));
    }
}

fn read_text_file(path: &Path) -> Result<String> {
    disk::read_text(path)?
        .ok_or_else(|| Error::usage(format!("file `{}` not found", path.display())))
}

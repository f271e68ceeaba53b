//! `add` without an argument, on a terminal: searches as one types, shows what a package would add, and asks.

use std::cell::Cell;
use std::rc::Rc;

use inquire::autocompletion::{Autocomplete, Replacement};
use inquire::{CustomUserError, InquireError};

use super::plural;
use crate::cli::CliSession;
use crate::cli::render::foreign_text::escape_line;
use crate::cli::render::human::{format_size, truncate_description};
use crate::cli::render::terminal::stderr_width;
use crate::error::{Error, Result};
use crate::ops::CommandContext;
use crate::ops::preview::{PackagePreview, preview};
use crate::ops::search::{PackageHit, SearchOptions, search};
use crate::package::PackageSpec;
use crate::report::{FileFinding, Severity};

/// How many packages are suggested at once.
const SUGGESTED_MAX: usize = 10;

/// The width of the names in the list.
const NAME_WIDTH: usize = 28;

/// Repositories of many skills that no registry has to list: what a person who finds nothing may want to look through.
const COLLECTIONS: [(&str, &str); 6] = [
    (
        "gh:anthropics/skills",
        "documents, design, and writing skills",
    ),
    (
        "gh:github/awesome-copilot",
        "contributed skills for development",
    ),
    (
        "gh:obra/superpowers",
        "planning, tests and debugging for coding agents",
    ),
    ("gh:openai/skills", "skills of Codex"),
    ("gh:vercel-labs/agent-skills", "React and web design"),
    (
        "gh:wshobson/agents",
        "plugins of many languages and domains",
    ),
];

/// Lets a person search for a package, shows what it would add, and asks whether to; gives the chosen SPEC.
///
/// # Errors
/// If nothing is chosen, or the chosen package cannot be read.
pub(super) fn prompt_for_package(
    session: &CliSession<'_>,
    registry: Option<&str>,
) -> Result<String> {
    if !session.context.interactive {
        return Err(Error::usage("missing package to add").help(
            "pass a name, such as `skillpm add commit-messages`; `skillpm search WORD` finds names",
        ));
    }

    loop {
        let line = ask_for_line(session, registry)?;
        // Words that were typed, and no suggestion was chosen.
        if is_several_words(&line) {
            let help = "choose one of the packages with the arrow keys";
            session.shell.warn("several words were typed", Some(help));
            continue;
        }

        let spec = first_word(&line);
        match spec.parse::<PackageSpec>()? {
            PackageSpec::Registry { name, req: None } => {
                let package = match preview(&session.context, &name, registry) {
                    Ok(package) => package,
                    // A word that is no name: it is shown, and typed again.
                    Err(error) => {
                        session
                            .shell
                            .warn(error.message(), error.helps().first().map(|help| &**help));
                        continue;
                    }
                };
                if confirm_package(session, &package)? {
                    return Ok(name.to_string());
                }
            }
            // Of another source, `add` itself lists the skills and asks.
            _ => return Ok(spec.to_owned()),
        }
    }
}

/// The chosen line, or what was typed.
fn ask_for_line(session: &CliSession<'_>, registry: Option<&str>) -> Result<String> {
    // The prompt draws on the terminal itself, and a progress line would be drawn over it.
    session.shell.hide_progress();
    let suggester = PackageSuggester {
        context: &session.context,
        registry,
        is_fresh: Rc::default(),
        width: stderr_width(),
    };

    let answer = inquire::Text::new("Search for a skill:")
        .with_autocomplete(suggester)
        .with_page_size(SUGGESTED_MAX)
        .with_formatter(&|line| first_word(line).to_owned())
        .with_help_message("type words, choose with the arrow keys and Enter; Escape ends")
        .prompt_skippable();
    match answer {
        Ok(Some(line)) if !line.trim().is_empty() => Ok(line),
        Ok(_) => Err(Error::negative("no skill selected")),
        // The prompt leaves the cursor in its own line when it is interrupted.
        Err(InquireError::OperationInterrupted) => {
            session.shell.end_line();
            Err(Error::negative("no skill selected"))
        }
        Err(cause) => Err(Error::usage(format!(
            "failed to prompt for a skill: {cause}"
        ))),
    }
}

/// The name in a line: a suggestion is a whole line, which begins with it.
fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Whether a line is no suggestion, which has its name in a column, but several typed words.
fn is_several_words(line: &str) -> bool {
    line.chars().count() <= NAME_WIDTH && line.split_whitespace().count() > 1
}

/// Suggests packages of the registries, then collections.
#[derive(Clone)]
struct PackageSuggester<'s> {
    context: &'s CommandContext<'s>,
    registry: Option<&'s str>,
    /// Whether the registries were opened once: the next searches ask no server.
    is_fresh: Rc<Cell<bool>>,
    width: Option<usize>,
}

impl Autocomplete for PackageSuggester<'_> {
    fn get_suggestions(&mut self, input: &str) -> Result<Vec<String>, CustomUserError> {
        let mut lines = self
            .find_packages(input)
            .map_err(|error| error.to_string())?;
        lines.extend(find_collections(input));
        lines.truncate(SUGGESTED_MAX);
        Ok(lines
            .iter()
            .map(|(spec, about)| self.format_line(spec, about))
            .collect())
    }

    fn get_completion(
        &mut self,
        _: &str,
        highlighted: Option<String>,
    ) -> Result<Replacement, CustomUserError> {
        Ok(highlighted.map(|line| first_word(&line).to_owned()))
    }
}

impl PackageSuggester<'_> {
    /// The names and descriptions of packages with these words.
    fn find_packages(&self, input: &str) -> Result<Vec<(String, String)>> {
        let words: Vec<String> = input.split_whitespace().map(str::to_owned).collect();
        if !words
            .iter()
            .any(|word| word.contains(char::is_alphanumeric))
        {
            return Ok(Vec::new());
        }

        // Silent, as messages would be drawn over the prompt.
        let context = if self.is_fresh.replace(true) {
            self.context.silent_offline()?
        } else {
            self.context.silent()
        };
        let options = SearchOptions {
            words,
            registry: self.registry.map(str::to_owned),
            installed: false,
            tier: None,
            refresh: false,
            limit: SUGGESTED_MAX,
        };

        let hits = search(&context, &options)?.hits;
        let is_offered = |hit: &&PackageHit| hit.registry.is_some();
        Ok(hits.iter().filter(is_offered).map(describe_hit).collect())
    }

    fn format_line(&self, spec: &str, about: &str) -> String {
        let shown = format!("{spec:NAME_WIDTH$} ");
        // The prompt puts two characters before each line.
        let left = self
            .width
            .map(|width| width.saturating_sub(shown.chars().count() + 3));
        // The words of a registry could move the cursor or hide text.
        escape_line(&format!("{shown}{}", truncate_description(about, left)))
    }
}

fn describe_hit(hit: &PackageHit) -> (String, String) {
    let version = hit.row.vers.as_deref().unwrap_or_default();
    let about = hit.row.description.as_deref().unwrap_or_default();
    let installed = if hit.installed.is_empty() {
        ""
    } else {
        " (installed)"
    };
    let name = hit.row.name.clone();
    (name, format!("{version}{installed}  {about}"))
}

/// The collections whose name or description has all the words; all of them without any.
fn find_collections(input: &str) -> Vec<(String, String)> {
    let input = input.to_lowercase();
    let has_words = |(spec, about): &&(&str, &str)| {
        input
            .split_whitespace()
            .all(|word| spec.to_lowercase().contains(word) || about.to_lowercase().contains(word))
    };

    COLLECTIONS
        .iter()
        .filter(has_words)
        .map(|(spec, about)| ((*spec).to_owned(), format!("collection: {about}")))
        .collect()
}

/// Shows what a package would add, and asks whether to.
fn confirm_package(session: &CliSession<'_>, package: &PackagePreview) -> Result<bool> {
    for line in describe_package(package) {
        session.shell.print_notice(&line);
    }

    let question = format!("Add {}?", package.name);
    match inquire::Confirm::new(&question)
        .with_default(true)
        .prompt_skippable()
    {
        Ok(Some(answer)) => Ok(answer),
        // Escape goes back to the search.
        Ok(None) => Ok(false),
        Err(InquireError::OperationInterrupted) => {
            session.shell.end_line();
            Err(Error::negative("no skill selected"))
        }
        Err(cause) => Err(Error::usage(format!("failed to prompt: {cause}"))),
    }
}

/// The lines of a preview.
fn describe_package(package: &PackagePreview) -> Vec<String> {
    let version = package.version.as_deref().unwrap_or("without a version");
    let license = package.skill.license.as_deref();
    let mut lines = vec![
        format!("{} {version}", package.name),
        format!("  {}", package.skill.description),
        format!(
            "  {}, {}; license: {}",
            plural(package.files, "file"),
            format_size(package.bytes),
            license.unwrap_or("not stated")
        ),
        format!(
            "  about {} tokens in each conversation, {} once it is loaded",
            package.listed_tokens, package.tokens
        ),
    ];
    if !package.requires.is_empty() {
        lines.push(format!("  requires {}", package.requires.join(", ")));
    }

    lines.push(describe_findings(&package.findings));
    lines
}

/// `  findings: 1 high, 2 medium (SK742, SK710)`
fn describe_findings(findings: &[FileFinding]) -> String {
    let count = |severity: Severity| {
        let found = findings
            .iter()
            .filter(|finding| finding.diagnostic.severity == Some(severity));
        found.count()
    };
    let counts: Vec<String> = [
        Severity::Critical,
        Severity::High,
        Severity::Medium,
        Severity::Low,
    ]
    .into_iter()
    .map(|severity| (severity, count(severity)))
    .filter(|(_, count)| *count > 0)
    .map(|(severity, count)| format!("{count} {severity}"))
    .collect();
    if counts.is_empty() {
        return "  no security findings".to_owned();
    }

    let mut rules: Vec<&str> = findings
        .iter()
        .map(|finding| &*finding.diagnostic.rule)
        .collect();
    rules.sort_unstable();
    rules.dedup();
    format!(
        "  security findings: {} ({})",
        counts.join(", "),
        rules.join(", ")
    )
}

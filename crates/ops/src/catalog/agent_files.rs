//! Agents that a system defines in files of its own, and what these say of skills.
//!
//! ```text
//! sandbox/extensions/builder_agent/manifest.yaml     Yodoca (ADR-015):   agent: {uses_skills: [extension-development]}
//! ~/.pickle-bot/agents/assistant/AGENT.md            Pickle-bot:         allow_skills: true, in the frontmatter
//! ```

use std::path::{Path, PathBuf};

use super::super::{CommandContext, agents};
use crate::agents::fix_help;
use skillpm_catalog::catalog::{AlwaysFile, SkillFilter};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::location_at;
use skillpm_core::report::position;
use skillpm_core::skill::yaml::{self, TypedScalar, YamlNode};
use skillpm_io::disk;
use skillpm_registry::install::target::AgentSpec;

/// An agent that a file of Yodoca's or Pickle-bot's defines.
pub(super) struct DefinedAgent {
    /// The system that it is a part of, whose directories it reads.
    pub(super) host: AgentSpec,
    /// The ids of the skills whose instructions it always carries, in its order.
    pub(super) uses: Vec<String>,
    /// The file, and where it has these ids.
    pub(super) file: AlwaysFile,
    /// The switch in the file; `None` if it has none.
    pub(super) filter: Option<SkillFilter>,
}

/// Reads the definition of the agent called `name`; `None` if no system defines one.
///
/// # Errors
/// If the file cannot be read, or is invalid where it is about skills.
pub(super) fn read_defined_agent(
    context: &CommandContext<'_>,
    root: &Path,
    name: &str,
) -> Result<Option<DefinedAgent>> {
    // The name becomes a part of a path, so it must not be able to lead elsewhere.
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if !is_plain {
        return Ok(None);
    }

    if let Some(defined) = read_yodoca_agent(context, root, name)? {
        return Ok(Some(defined));
    }
    read_pickle_agent(context, name)
}

/// An agent of Yodoca: an extension whose `manifest.yaml` has a section `agent`.
fn read_yodoca_agent(
    context: &CommandContext<'_>,
    root: &Path,
    name: &str,
) -> Result<Option<DefinedAgent>> {
    let file = PathBuf::from("sandbox/extensions")
        .join(name)
        .join("manifest.yaml");
    let Some(text) = disk::read_text(&root.join(&file))? else {
        return Ok(None);
    };

    let source = AgentSource {
        file: &file,
        text: &text,
    };
    let document = source.parse(&text, 0)?;
    // Extensions without the section are tools, channels or services.
    let Some(agent) = document.as_ref().and_then(|root| root.get("agent")) else {
        return Ok(None);
    };

    let uses = match agent.get("uses_skills").filter(|list| !list.is_null()) {
        Some(list) => source.read_ids("agent.uses_skills", list)?,
        None => Vec::new(),
    };
    let (uses, positions) = uses.into_iter().unzip();
    Ok(Some(DefinedAgent {
        host: agents::required_agent(context, "yodoca")?,
        uses,
        filter: None,
        file: AlwaysFile {
            path: file.clone(),
            positions,
        },
    }))
}

/// An agent of Pickle-bot: a directory with an `AGENT.md`.
fn read_pickle_agent(context: &CommandContext<'_>, name: &str) -> Result<Option<DefinedAgent>> {
    let shown = format!("~/.pickle-bot/agents/{name}/AGENT.md");
    let file = PathBuf::from(&shown);
    let Some(text) = disk::read_text(&context.expand_path(&shown))? else {
        return Ok(None);
    };

    let source = AgentSource {
        file: &file,
        text: &text,
    };
    let (frontmatter, start) = source.frontmatter()?;
    let document = source.parse(frontmatter, start)?;
    let allow = document.as_ref().and_then(|root| root.get("allow_skills"));
    // Off unless it says otherwise, as in Pickle-bot's model.
    let is_allowed = match allow.map(|node| (node, node.typed())) {
        None => false,
        Some((_, Some(TypedScalar::Bool(allowed)))) => allowed,
        Some((node, _)) => {
            let at = start + node.span.start;
            return Err(source.invalid(at, "`allow_skills` requires `true` or `false`"));
        }
    };

    let filter =
        (!is_allowed).then(|| SkillFilter::disabling(format!("`{shown}` (`allow_skills`)")));
    Ok(Some(DefinedAgent {
        host: agents::required_agent(context, "pickle-bot")?,
        uses: Vec::new(),
        filter,
        file: AlwaysFile {
            path: file.clone(),
            positions: Vec::new(),
        },
    }))
}

/// The text of a definition, for errors with their place.
struct AgentSource<'t> {
    file: &'t Path,
    text: &'t str,
}

impl<'t> AgentSource<'t> {
    /// Parses YAML that begins at `start` of the file.
    fn parse<'y>(&self, yaml: &'y str, start: usize) -> Result<Option<YamlNode<'y>>> {
        let document = yaml::parse_text(yaml)
            .map_err(|fault| self.invalid(start + fault.at, &fault.message))?;
        Ok(document.root)
    }

    /// The frontmatter, and where it begins.
    fn frontmatter(&self) -> Result<(&'t str, usize)> {
        let fences = self.text.strip_prefix("---").and_then(|rest| {
            let start = self.text.len() - rest.len() + rest.find('\n')? + 1;
            let end = self.text[start..].find("\n---")?;
            Some((&self.text[start..=start + end], start))
        });
        fences.ok_or_else(|| self.invalid(0, "missing frontmatter between two lines `---`"))
    }

    /// A list of ids of skills, each with its line and column.
    fn read_ids(&self, key: &str, list: &YamlNode<'_>) -> Result<Vec<(String, (usize, usize))>> {
        let wrong = |node: &YamlNode<'_>| {
            self.invalid(
                node.span.start,
                &format!("`{key}` requires a list of skill ids"),
            )
        };
        let items = list.items().ok_or_else(|| wrong(list))?;

        items
            .iter()
            .map(|item| {
                let id = item.text().ok_or_else(|| wrong(item))?;
                Ok((id.to_owned(), position(self.text, item.span.start)))
            })
            .collect()
    }

    fn invalid(&self, at: usize, reason: &str) -> Error {
        let file = self.file.display().to_string();
        let place = location_at(self.text, &file, at);
        Error::usage(format!("failed to parse `{place}`: {reason}")).help(fix_help(&file))
    }
}

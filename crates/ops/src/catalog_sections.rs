//! The sections that `catalog --into` has written in the project's texts: they are kept current when skills change.

use std::path::{Path, PathBuf};

use crate::CommandContext;
use crate::catalog::{CatalogOptions, resolve};
use skillpm_catalog::catalog::CatalogQuery;
use skillpm_catalog::catalog::emit::{EmitOptions, markdown};
use skillpm_core::error::Result;
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_core::resolver::shell_quoted;
use skillpm_io::disk;
use skillpm_io::linked_file;
use skillpm_registry::install::transaction::Transaction;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// A text outside of the root's own `*.md` that agents read.
const NESTED: &str = ".github/copilot-instructions.md";

/// The skills that a section lists, as the marker at its beginning has them: `agent=cline only=a,b tag=t`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SectionOptions {
    /// The agent whose view it lists.
    pub agent: Option<String>,
    /// The names that it lists; `None` for all.
    pub only: Option<Vec<String>>,
    /// The tags of the listed skills.
    pub tags: Vec<String>,
}

impl SectionOptions {
    /// Reads the options of a marker; `None` if the section cannot be made again from them.
    #[must_use]
    pub fn parse(text: &str) -> Option<SectionOptions> {
        let mut options = SectionOptions::default();
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("agent", name)) => options.agent = Some(name.to_owned()),
                Some(("only", names)) => {
                    options.only = Some(names.split(',').map(str::to_owned).collect());
                }
                Some(("tag", tag)) => options.tags.push(tag.to_owned()),
                _ => return None,
            }
        }
        Some(options)
    }

    /// The options as a marker has them; `None` if it cannot have them.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        let mut words = Vec::new();
        words.extend(self.agent.iter().map(|name| format!("agent={name}")));
        words.extend(
            self.only
                .iter()
                .map(|names| format!("only={}", names.join(","))),
        );
        words.extend(self.tags.iter().map(|tag| format!("tag={tag}")));
        let text = words.join(" ");
        let is_same = SectionOptions::parse(&text).as_ref() == Some(self);
        (is_same && !text.contains(['<', '>', '\n'])).then_some(text)
    }

    /// The command that writes the section again.
    fn command(&self, path: &Path) -> String {
        let mut words = vec![
            "skillpm".into(),
            "catalog".into(),
            "--into".into(),
            path.display().to_string(),
        ];
        if let Some(name) = &self.agent {
            words.extend(["--agent".into(), name.clone()]);
        }
        if let Some(names) = &self.only {
            words.extend(["--only".into(), names.join(",")]);
        }
        for tag in &self.tags {
            words.extend(["--tag".into(), tag.clone()]);
        }
        let words: Vec<String> = words.into_iter().map(shell_quoted).collect();
        words.join(" ")
    }
}

/// A section in a text of the project.
#[derive(Debug)]
pub(crate) struct CatalogSection {
    /// The text's path, relative to the root.
    path: PathBuf,
    text: String,
    options: SectionOptions,
    /// Whether it lists the skills as they are now.
    pub(crate) is_current: bool,
}

impl CatalogSection {
    /// Whether the text between the markers is this.
    fn lists(&self, inner: &str) -> bool {
        markdown::find_section(&self.text)
            .is_some_and(|present| present.inner.lines().eq(inner.lines()))
    }

    /// That it differs from the catalog, and the command that writes it again.
    pub(crate) fn stale_message(&self) -> (String, String) {
        (
            format!(
                "the skills listed in `{}` are not those of the catalog",
                self.path.display()
            ),
            self.options.command(&self.path),
        )
    }
}

/// Finds the sections in the texts in a project's root that agents read. A section that cannot be made again from its
/// marker is not among them.
///
/// # Errors
/// If the root cannot be read.
pub(crate) fn find_sections(
    context: &CommandContext<'_>,
    workspace: &Workspace,
) -> Result<Vec<CatalogSection>> {
    if workspace.kind != WorkspaceKind::Project {
        return Ok(Vec::new());
    }
    let root = &workspace.root;
    let mut paths: Vec<PathBuf> = disk::list_names(root)?
        .into_iter()
        .map(PathBuf::from)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.push(NESTED.into());

    let (mut found, mut files) = (Vec::new(), Vec::new());
    for path in paths {
        // What cannot be read, or must not be written, has no section of ours; `CLAUDE.md` may be a link to `AGENTS.md`.
        let place = root.join(&path);
        let Ok(file) = linked_file::follow_own_link(&place) else {
            continue;
        };
        let Ok(Some(text)) = disk::read_text(&place) else {
            continue;
        };
        let Some(section) = markdown::find_section(&text) else {
            continue;
        };
        let Some(options) = SectionOptions::parse(section.options) else {
            continue;
        };
        if files.contains(&file) {
            continue;
        }
        files.push(file);

        let rendered = render(context, root, &options);
        let mut section = CatalogSection {
            path,
            text,
            options,
            is_current: false,
        };
        section.is_current = rendered.is_ok_and(|inner| section.lists(&inner));
        found.push(section);
    }
    Ok(found)
}

/// What became of the sections of a project when its skills changed.
#[derive(Debug, Default)]
pub(crate) struct SectionUpdates {
    updated: Vec<PathBuf>,
    stale: Vec<(String, String)>,
}

impl SectionUpdates {
    /// Reports them, after the changes were committed.
    pub(crate) fn report(self, reporter: &dyn EventReporter) {
        for path in self.updated {
            let what = format!("the list of skills in {}", path.display());
            reporter.report(ProgressEvent::Done {
                verb: "Updated",
                what,
            });
        }
        for (message, command) in self.stale {
            let help = format!("`{command}` replaces what is between the markers");
            reporter.report(ProgressEvent::Warning {
                message,
                help: Some(help),
            });
        }
    }
}

/// Rewrites those sections that were current before the changes which a transaction makes, as a part of it. The others may
/// have edits of a person, and stay.
///
/// # Errors
/// If the changes cannot be made.
pub(crate) fn update_sections(
    context: &CommandContext<'_>,
    root: &Path,
    sections: &[CatalogSection],
    changes: &mut Transaction,
) -> Result<SectionUpdates> {
    let mut updates = SectionUpdates::default();
    if sections.is_empty() {
        return Ok(updates);
    }
    // The catalog reads what is on disk.
    changes.apply()?;

    for section in sections {
        let Ok(inner) = render(context, root, &section.options) else {
            continue;
        };
        if section.lists(&inner) {
            continue;
        }
        if !section.is_current {
            updates.stale.push(section.stale_message());
            continue;
        }
        let options = section.options.to_text().unwrap_or_default();
        let text = markdown::update_block(&section.text, &options, &inner);
        changes.change_text(&root.join(&section.path), Some(&section.text), Some(&text))?;
        updates.updated.push(section.path.clone());
    }
    Ok(updates)
}

/// The lines of a section as the catalog is now.
fn render(context: &CommandContext<'_>, root: &Path, options: &SectionOptions) -> Result<String> {
    let catalog = resolve(
        context,
        &CatalogOptions {
            agent: options.agent.clone(),
            only: options.only.clone(),
            search: CatalogQuery {
                tags: options.tags.clone(),
                ..CatalogQuery::default()
            },
            workspace_only: true,
            ..CatalogOptions::default()
        },
    )?;
    Ok(markdown::render_inner(
        &catalog,
        &EmitOptions {
            base: Some(root),
            home: Some(&context.dirs.home),
            ..EmitOptions::default()
        },
    ))
}

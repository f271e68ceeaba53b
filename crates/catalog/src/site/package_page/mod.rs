//! The pages of one package: what it is, how it is added, its instructions, versions, files, and what the checks found.
//!
//! ```text
//! skills/acme/pdf/index.html         the page
//! skills/acme/pdf/files.html         its text files
//! skills/acme/pdf/diff-1.1.0.html    what 1.1.0 changed
//! skills/acme/pdf/badge.svg
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use minijinja::{Value, context};
use serde::Serialize;

use super::badge::render_badge;
use super::html_text::format_count;
use super::install_command::InstallCommand;
use super::markdown::{MarkdownHeading, render_markdown};
use super::package_row::PackageRow;
use super::site_builder::SiteFiles;
use super::templates::render;
use skillpm_core::package::TreeFile;

/// From how many headings the instructions have a table of contents, and the most entries of one.
const CONTENTS_MIN: usize = 3;
const CONTENTS_MAX: usize = 40;

/// One package, with everything that its pages show. What is empty is left out.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PackagePage {
    /// The name of the site.
    pub site: String,
    /// What lists show of it.
    #[serde(skip)]
    pub row: PackageRow,
    /// The ways to add it, the best first.
    pub commands: Vec<InstallCommand>,
    /// A warning above all else: that every version is withdrawn, or that it is hidden.
    pub notice: Option<String>,
    /// Its instructions, in Markdown.
    pub instructions: Option<String>,
    /// Its files, sorted by path.
    pub files: Vec<PageFile>,
    /// Its versions, the newest first.
    pub versions: Vec<VersionRow>,
    /// The archive of the shown version, below the site's root; `None` if the site has none.
    pub archive: Option<String>,
    /// What it depends on.
    pub dependencies: Vec<RelatedPackage>,
    /// The packages that depend on it.
    pub dependents: Vec<RelatedPackage>,
    /// What the static rules found; `None` if they were not run.
    pub audit: Option<AuditSummary>,
    /// What it uses, by kind.
    pub capabilities: Vec<CapabilityList>,
    /// How agents load it.
    pub agents: Vec<AgentSupport>,
    /// Tokens that its entry in the list of skills costs.
    pub listing_tokens: Option<usize>,
    /// Further facts: a label and a text.
    pub facts: Vec<(String, String)>,
    /// The copies of it on this machine, the one that agents see first.
    pub copies: Vec<InstalledPlace>,
}

/// A file of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PageFile {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is executable.
    pub executable: bool,
    /// Its text, or the beginning of it; `None` if it is not text, or is not shown.
    pub text: Option<String>,
    /// Whether the text is only its beginning.
    pub is_cut: bool,
}

/// A version of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VersionRow {
    /// The version.
    pub version: String,
    /// The day on which it was published.
    pub published: Option<String>,
    /// Why it is not selected any more: `yanked`, or why it was revoked.
    pub withdrawn: Option<String>,
    /// Its archive, below the site's root; `None` if the site has none.
    pub archive: Option<String>,
    /// Its changes from the version before; `None` if they are not shown.
    pub diff: Option<VersionDiff>,
}

/// The changes of a version from the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VersionDiff {
    /// The version before.
    pub from: String,
    /// The unified diff, or the beginning of it.
    pub text: String,
    /// Whether the text is only its beginning.
    pub is_cut: bool,
    /// The number of changed files.
    pub files: usize,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

/// A package that another one depends on, or that depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RelatedPackage {
    /// Its name.
    pub name: String,
    /// The accepted versions.
    pub requirement: String,
    /// The directory of its page below `skills/`; `None` if it has none here.
    pub slug: Option<String>,
    /// The registry it comes from, if that is another one.
    pub registry: Option<String>,
}

/// What the static rules found in a package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AuditSummary {
    /// The findings, the worst first.
    pub findings: Vec<AuditFinding>,
    /// How many there are besides.
    pub more: usize,
}

/// A finding of a static rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AuditFinding {
    /// `low`, `medium`, `high` or `critical`.
    pub severity: String,
    /// The rule's code.
    pub code: String,
    /// The rule's name.
    pub rule: String,
    /// What was found.
    pub message: String,
    /// Where.
    pub place: FilePlace,
}

/// What a package uses, of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CapabilityList {
    /// The kind: `Commands`, `Hosts`, …
    pub label: String,
    /// The values, sorted.
    pub values: Vec<UsedValue>,
    /// How many there are besides.
    pub more: usize,
}

/// One thing that a package uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UsedValue {
    /// Its name.
    pub name: String,
    /// What more is known, such as the program that runs a script; empty for nothing.
    pub note: String,
    /// The first place where it is used; `None` if that is not known.
    pub place: Option<FilePlace>,
}

/// A place in a package: `SKILL.md:12`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FilePlace {
    /// The file.
    pub path: String,
    /// The line, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
}

/// How an agent loads a package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AgentSupport {
    /// The agent's name.
    pub title: String,
    /// Why it does not list the skill, or not as intended; `None` if it does.
    pub problem: Option<String>,
    /// Whether it lists the skill at all.
    pub is_listed: bool,
}

/// A copy of a skill on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InstalledPlace {
    /// The tier.
    pub tier: String,
    /// The directory.
    pub directory: String,
    /// The version there.
    pub version: Option<String>,
    /// `listed`, `hidden`, `shadowed`, and whether its files are the installed ones.
    pub state: String,
}

impl PackagePage {
    /// The pages, by path relative to the site's root.
    #[must_use]
    pub fn to_files(&self) -> SiteFiles {
        let dir = format!("skills/{}", self.row.slug);
        let badge = render_badge(&self.row.name, self.row.version.as_deref());
        let mut files = SiteFiles::from([
            (format!("{dir}/index.html"), self.main_page()),
            (format!("{dir}/badge.svg"), badge),
        ]);

        if self.files.iter().any(|file| file.text.is_some()) {
            files.insert(format!("{dir}/files.html"), self.files_page());
        }
        for row in &self.versions {
            if let Some(diff) = &row.diff {
                let path = format!("{dir}/diff-{}.html", row.version);
                files.insert(path, self.diff_page(row, diff));
            }
        }
        files
    }

    /// One of its pages, with the values that the template needs besides those of the frame.
    fn page(&self, template: &str, title: &str, values: Value) -> TreeFile {
        let frame = context! {
            title => format!("{title} - {}", self.site),
            site => self.site,
            // From its pages to the site's root.
            root => "../".repeat(self.row.slug.split('/').count() + 1),
            description => self.row.short_description(),
            name => self.row.name,
        };
        render(template, context! { ..frame, ..values })
    }

    fn main_page(&self) -> TreeFile {
        let find_file = |path: &str| {
            let at = self.files.iter().position(|file| file.path == path)?;
            self.files[at].text.as_ref()?;
            Some(format!("files.html#{}", file_id(at)))
        };
        let instructions = self.instructions.as_ref();
        let instructions = instructions.map(|text| render_markdown(text, &find_file));
        let headings = instructions.as_ref().map(|text| &*text.headings);

        let values = context! {
            page => self,
            row => self.row.to_value(),
            sections => self.sections(),
            contents => table_of_contents(headings.unwrap_or_default()),
            instructions => instructions.map(|text| Value::from_safe_string(text.html)),
            facts => self.fact_list(),
            places => self.place_links(),
        };
        self.page("package.html", &self.row.name, values)
    }

    /// The parts that have something to show, in their order: id, title, and how many entries it has, where that is worth
    /// knowing before it is opened.
    fn sections(&self) -> Vec<(&'static str, &'static str, Option<usize>)> {
        let counted = |id, title, count| (count > 0).then_some((id, title, Some(count)));
        let audit = self.audit.as_ref();
        [
            counted("copies", "Copies", self.copies.len()),
            self.instructions
                .as_ref()
                .map(|_| ("instructions", "Instructions", None)),
            counted("versions", "Versions", self.versions.len()),
            counted("dependencies", "Dependencies", self.dependencies.len()),
            counted("dependents", "Dependents", self.dependents.len()),
            audit.map(|audit| ("audit", "Audit", Some(audit.findings.len() + audit.more))),
            counted("files", "Files", self.files.len()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The places in its files that its page names.
    fn places(&self) -> impl Iterator<Item = &FilePlace> {
        let findings = self.audit.iter().flat_map(|audit| &audit.findings);
        let used = self.capabilities.iter().flat_map(|list| &list.values);
        findings
            .map(|finding| &finding.place)
            .chain(used.filter_map(|value| value.place.as_ref()))
    }

    /// Where the places in its files lead, by path and line; those that no page shows are left out.
    fn place_links(&self) -> BTreeMap<String, String> {
        let links = self.places().filter_map(|place| {
            let at = self.files.iter().position(|file| file.path == place.path)?;
            let lines = file_lines(&self.files[at])?;
            let id = match place.line {
                Some(line) if line <= lines.len() => format!("{}-{line}", file_id(at)),
                Some(_) => return None,
                None => file_id(at),
            };
            Some((place.to_string(), format!("files.html#{id}")))
        });
        links.collect()
    }

    /// The facts, each with its label.
    fn fact_list(&self) -> Vec<(&str, String)> {
        let row = &self.row;
        let counts: Vec<String> = [
            (row.tokens, "when loaded"),
            (self.listing_tokens, "in the list"),
        ]
        .into_iter()
        .filter_map(|(count, when)| Some(format!("{} {when}", format_count(count?))))
        .collect();
        let tokens = (!counts.is_empty()).then(|| format!("about {}", counts.join(", ")));

        [
            ("License", row.license.clone()),
            ("Published", row.published_day()),
            ("Tokens", tokens),
        ]
        .into_iter()
        .filter_map(|(label, text)| Some((label, text?)))
        .chain(
            self.facts
                .iter()
                .map(|(label, text)| (label.as_str(), text.clone())),
        )
        .collect()
    }

    fn files_page(&self) -> TreeFile {
        let shown = self.files.iter().enumerate();
        let files: Value = shown
            .filter_map(|(at, file)| {
                let lines = file_lines(file)?;
                let linked: BTreeSet<usize> = self
                    .places()
                    .filter(|place| place.path == file.path)
                    .filter_map(|place| place.line)
                    .collect();
                Some(context! { id => file_id(at), lines, linked, ..Value::from_serialize(file) })
            })
            .collect();
        let title = format!("Files of {}", self.row.name);
        self.page("files.html", &title, context! { files })
    }

    /// What a version changed.
    fn diff_page(&self, row: &VersionRow, diff: &VersionDiff) -> TreeFile {
        let mut is_header = false;
        let lines: Vec<(&str, &str)> = diff
            .text
            .lines()
            .map(|line| {
                // Between the line of a file and its first hunk, `---` and `+++` are names.
                is_header = line.starts_with("diff ") || is_header && !line.starts_with("@@");
                let kind = match line.as_bytes().first() {
                    _ if is_header => "name",
                    Some(b'+') => "add",
                    Some(b'-') => "del",
                    Some(b'@') => "hunk",
                    _ => "",
                };
                (kind, line)
            })
            .collect();
        let title = format!("{} {} → {}", self.row.name, diff.from, row.version);
        let values = context! { version => row.version, diff, lines };
        self.page("diff.html", &title, values)
    }
}

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.path),
            None => f.write_str(&self.path),
        }
    }
}

/// The lines that a page shows of a file; `None` if it shows none.
fn file_lines(file: &PageFile) -> Option<Vec<&str>> {
    let text = file.text.as_deref()?;
    Some(text.lines().collect())
}

/// The headings of the two highest levels, without a title above all others; empty if there are few.
fn table_of_contents(headings: &[MarkdownHeading]) -> Vec<&MarkdownHeading> {
    let rest = match headings {
        [title, rest @ ..] if rest.iter().all(|heading| heading.level > title.level) => rest,
        all => all,
    };
    let rest: Vec<&MarkdownHeading> = rest
        .iter()
        // Without a word, a link has nothing to be found by.
        .filter(|heading| heading.text.contains(char::is_alphanumeric))
        .collect();
    let top = rest.iter().map(|heading| heading.level).min().unwrap_or(1);
    let count = |depth: usize| {
        rest.iter()
            .filter(|heading| heading.level <= top + depth)
            .count()
    };
    let depth = usize::from(count(1) <= CONTENTS_MAX);
    if count(depth) < CONTENTS_MIN {
        return Vec::new();
    }
    rest.iter()
        .copied()
        .filter(|heading| heading.level <= top + depth)
        .take(CONTENTS_MAX)
        .collect()
}

/// The anchor of the file at this place in the list.
fn file_id(at: usize) -> String {
    format!("file-{at}")
}

#[cfg(test)]
mod tests;

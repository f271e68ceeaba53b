//! What other tools write down of the skills that they install: read, never written.
//!
//! | file | tool | what it records of a skill |
//! |---|---|---|
//! | `skills-lock.json`, `.skill-lock.json` | `npx skills` | source, path, a hash of its own making; no commit |
//! | `apm.lock.yaml`, `apm.yml` | `apm` | source, commit, the hash of each file |
//! | `agents.lock`, `agents.toml` | `dotagents` | source, path, commit; no hash |
//! | `.clawhub/lock.json`, `.clawhub/origin.json` | `clawhub` | version, a hash of its own making, at times the repository |
//! | `.openskills.json` in each skill | `openskills` | source, path, time; neither commit nor hash |
//!
//! Each file becomes [`Claim`]s; whether a hash holds is asked of the claim's [`Proof`]. The recipes were read in the
//! published programs: `skills` 1.7.4, `apm-cli` 0.35.0, `@sentry/dotagents` 1.19.0, `clawhub` 0.23.3, `openskills` 1.5.0.

mod apm;
mod clawhub;
mod collation;
mod dotagents;
mod openskills;
mod proof;
mod skills;

use std::fmt;

use crate::error::{Error, Result};
use crate::package::{GitUrl, RelPath, SiteUrl};

pub use proof::Proof;

/// A tool that installs skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// <https://github.com/vercel-labs/skills>
    Skills,
    /// <https://github.com/microsoft/apm>
    Apm,
    /// <https://github.com/getsentry/dotagents>
    Dotagents,
    /// <https://github.com/openclaw/clawhub>
    Clawhub,
    /// <https://github.com/numman-ali/openskills>
    Openskills,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tool::Skills => "npx skills",
            Tool::Apm => "apm",
            Tool::Dotagents => "dotagents",
            Tool::Clawhub => "clawhub",
            Tool::Openskills => "openskills",
        })
    }
}

/// A skill that a tool says it has installed, or is to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Whose claim it is.
    pub tool: Tool,
    /// The directory that the skill has wherever it is installed; `None` for all skills of the source, of which the file
    /// does not say the names.
    pub name: Option<String>,
    /// Where it comes from; the text says why that is no place that skillpm can take anything from.
    pub origin: Result<Origin, String>,
    /// What its files were when it was installed.
    pub proof: Proof,
    /// When it was installed, in seconds since 1970.
    pub installed: Option<i64>,
    /// Whether it is for work on the project only.
    pub dev: bool,
}

/// Where a skill comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A repository.
    Git {
        /// Where it is.
        url: GitUrl,
        /// A branch, tag or commit, as a person typed it; `None` for the default branch.
        reference: Option<String>,
        /// The directory of the skill: the root if it is empty, unknown if it is `None`.
        path: Option<String>,
        /// The full commit, if it was written down.
        commit: Option<String>,
        /// The git tree id of the directory, if it was written down.
        tree: Option<String>,
    },
    /// A directory of this disk, as written: relative to the file that says so, or absolute.
    Path(String),
    /// A web site that offers skills.
    Site(SiteUrl),
}

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The skills.
    pub claims: Vec<Claim>,
    /// Agents that it wants skills for, by their ids in `agents.toml`.
    pub targets: Vec<&'static str>,
    /// What else stands in it, which is none of skillpm's business: `2 mcp servers`.
    pub others: Vec<String>,
}

/// A sort of file that a tool writes.
#[derive(Debug, Clone, Copy)]
pub struct Sort {
    /// Its path from the directory that it speaks of.
    pub file: &'static str,
    /// Whose it is.
    pub tool: Tool,
    /// A file that says the same more exactly: where it is there, this one is only kept beside it.
    pub unless: Option<&'static str>,
    parse: fn(&str) -> Result<Record, String>,
}

/// What tools write into a project, the more exact of two first.
pub static IN_PROJECT: &[Sort] = &[
    Sort { file: "skills-lock.json", tool: Tool::Skills, unless: None, parse: skills::project },
    Sort { file: "apm.lock.yaml", tool: Tool::Apm, unless: None, parse: apm::lock },
    Sort { file: "apm.yml", tool: Tool::Apm, unless: Some("apm.lock.yaml"), parse: apm::manifest },
    Sort { file: "agents.lock", tool: Tool::Dotagents, unless: None, parse: dotagents::lock },
    Sort { file: "agents.toml", tool: Tool::Dotagents, unless: Some("agents.lock"), parse: dotagents::manifest },
    Sort { file: ".clawhub/lock.json", tool: Tool::Clawhub, unless: None, parse: clawhub::lock },
    Sort { file: ".clawdhub/lock.json", tool: Tool::Clawhub, unless: Some(".clawhub/lock.json"), parse: clawhub::lock },
];

/// What tools write for a user, as paths that begin at home or with a variable.
pub static OF_USER: &[Sort] = &[
    Sort { file: "$XDG_STATE_HOME/skills/.skill-lock.json", tool: Tool::Skills, unless: None, parse: skills::user },
    Sort { file: "~/.agents/.skill-lock.json", tool: Tool::Skills, unless: None, parse: skills::user },
    Sort { file: "~/.agents/agents.lock", tool: Tool::Dotagents, unless: None, parse: dotagents::lock },
    Sort {
        file: "~/.agents/agents.toml",
        tool: Tool::Dotagents,
        unless: Some("~/.agents/agents.lock"),
        parse: dotagents::manifest,
    },
];

/// What tools write into the directory of each skill.
pub static IN_SKILL: &[&str] = &[openskills::FILE, clawhub::ORIGIN, clawhub::FORMER_ORIGIN];

impl Sort {
    /// The sort of a file, by its name.
    #[must_use]
    pub fn of(path: &str) -> Option<&'static Sort> {
        let ends = |sort: &&Sort| {
            let name = sort.file.trim_start_matches("~/.agents/").trim_start_matches("$XDG_STATE_HOME/skills/");
            path == name || path.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
        };
        IN_PROJECT.iter().chain(OF_USER).find(ends)
    }

    /// What such a file says; `shown` is its name for messages.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn read(&self, text: &str, shown: &str) -> Result<Record> {
        (self.parse)(text).map_err(|why| {
            Error::usage(format!("`{shown}` cannot be understood: {why}"))
                .note(format!("it is a file of {}; nothing was changed", self.tool))
                .help(format!("mend it with {}, or leave it out: name the files that are to be taken over", self.tool))
        })
    }
}

/// What the file at `path` inside a skill's directory says of that skill.
///
/// # Errors
/// If it cannot be understood; `shown` is its name for messages.
pub fn in_skill(path: &str, name: &str, text: &str, shown: &str) -> Result<Claim> {
    let parsed = if path == openskills::FILE { openskills::read(text, name) } else { clawhub::origin(text, name) };
    parsed.map_err(|why| Error::usage(format!("`{shown}` cannot be understood: {why}")))
}

/// A repository of which only the place is known.
fn git(url: GitUrl) -> Origin {
    Origin::Git { url, reference: None, path: None, commit: None, tree: None }
}

/// A repository, by a URL or by `owner/repo` on the host of that name.
fn repository(text: &str, host: &str) -> Result<GitUrl, String> {
    let is_short = !text.contains([':', '@']) && text.split('/').count() >= 2 && !text.starts_with(['/', '.']);
    let text = if is_short { format!("https://{host}/{text}") } else { text.to_owned() };
    text.parse().map_err(|error: Error| error.message().to_owned())
}

/// A directory inside a source, as tools write it: `./skills/pdf/`, `skills/pdf/SKILL.md`; empty for the root.
fn directory(text: &str) -> Result<String, String> {
    let text = text.replace('\\', "/");
    let text = text.trim_start_matches("./").trim_matches('/');
    let file = text.rsplit('/').next().unwrap_or(text);
    let dir = if file.eq_ignore_ascii_case("skill.md") { &text[..text.len() - file.len()] } else { text };
    let dir = dir.trim_end_matches('/');
    if matches!(dir, "" | ".") {
        return Ok(String::new());
    }
    dir.parse::<RelPath>().map(|path| path.to_string()).map_err(|error| error.message().to_owned())
}

/// Seconds since 1970 of a time such as `2026-11-22T12:33:49.194Z`.
fn seconds(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second)
}

/// How many of a thing there are, for [`Record::others`]; nothing if there are none.
fn count(number: usize, thing: &str) -> Option<String> {
    let plural = if number == 1 { "" } else { "s" };
    (number > 0).then(|| format!("{number} {thing}{plural}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_read_as_tools_write_them() {
        for (written, read) in [
            ("skills/pdf/SKILL.md", "skills/pdf"),
            ("SKILL.md", ""),
            ("./skills/pdf/", "skills/pdf"),
            (".", ""),
            ("", ""),
            ("skills\\pdf\\skill.md", "skills/pdf"),
        ] {
            assert_eq!(directory(written).as_deref(), Ok(read), "{written}");
        }
        assert!(directory("../../etc").is_err());
    }

    #[test]
    fn a_repository_is_a_url_or_a_short_name() {
        let is = |text: &str, url: &str| assert_eq!(repository(text, "github.com").unwrap().as_str(), url);
        is("acme/skills", "https://github.com/acme/skills");
        is("git@github.com:acme/skills.git", "ssh://git@github.com/acme/skills.git");
        is("https://gitlab.com/a/b/c", "https://gitlab.com/a/b/c");
        is("file:///srv/skills", "file:///srv/skills");
        assert!(repository("https://user:hunter2@acme.dev/x", "github.com").is_err_and(|why| !why.contains("hunter2")));
    }

    #[test]
    fn a_file_is_known_by_its_name_wherever_it_lies() {
        assert_eq!(Sort::of("/a/b/skills-lock.json").unwrap().tool, Tool::Skills);
        assert_eq!(Sort::of("x/.skill-lock.json").unwrap().file, "$XDG_STATE_HOME/skills/.skill-lock.json");
        assert_eq!(Sort::of(".clawhub/lock.json").unwrap().tool, Tool::Clawhub);
        assert!(Sort::of("package-lock.json").is_none());
        assert!(Sort::of("my-skills-lock.json").is_none());
    }
}

//! Reads the lockfiles and manifests of other tools that install skills; never writes them.
//!
//! | file | tool | what it records for a skill |
//! |---|---|---|
//! | `skills-lock.json`, `.skill-lock.json` | `npx skills` | source, path, its own kind of hash; no commit |
//! | `skills` in `package.json` | `npx skills` | source; sometimes names and a reference |
//! | `apm.lock.yaml`, `apm.yml` | `apm` | source, commit, the hash of each file |
//! | `agents.lock`, `agents.toml` | `dotagents` | source, path, commit; no hash |
//! | `.clawhub/lock.json`, `.clawhub/origin.json` | `clawhub` | version, its own kind of hash, sometimes the repository |
//! | `.openskills.json` in each skill | `openskills` | source, path, time; neither commit nor hash |
//! | `metadata` in each `SKILL.md` | `gh skill` | source, path, reference, the git id of the directory |
//!
//! Each file becomes [`SkillClaim`]s; [`ContentProof`] verifies their hashes. The formats were read
//! from the published tools: `skills` 1.7.4, `apm-cli` 0.35.0, `@sentry/dotagents` 1.19.0,
//! `clawhub` 0.23.3, `openskills` 1.5.0, and from the source of `gh` 2.90.

mod apm;
mod clawhub;
mod collation;
mod dotagents;
mod gh;
mod openskills;
mod proof;
mod skills;

use std::fmt;

use semver::Version;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{GitUrl, PackageName, RelPath, SiteUrl};

pub use gh::undo_changes as undo_gh_changes;
pub use proof::ContentProof;

/// A tool that installs skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForeignTool {
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
    /// <https://cli.github.com/manual/gh_skill>
    Gh,
}

impl fmt::Display for ForeignTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ForeignTool::Skills => "npx skills",
            ForeignTool::Apm => "apm",
            ForeignTool::Dotagents => "dotagents",
            ForeignTool::Clawhub => "clawhub",
            ForeignTool::Openskills => "openskills",
            ForeignTool::Gh => "gh skill",
        })
    }
}

/// A skill that another tool has installed, or would install, according to its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillClaim {
    /// The tool.
    pub tool: ForeignTool,
    /// The name of the skill's directory; `None` for all skills of the source, whose names are not
    /// in the file.
    pub name: Option<String>,
    /// Its source, or why skillpm does not support that source.
    pub origin: Result<ClaimOrigin, String>,
    /// The hashes of its files when it was installed.
    pub proof: ContentProof,
    /// When it was installed, in seconds since 1970; `None` if unknown.
    pub installed: Option<i64>,
    /// Whether it is a development dependency.
    pub dev: bool,
}

/// The source of a claimed skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimOrigin {
    /// A git repository.
    Git {
        /// Its URL.
        url: GitUrl,
        /// A branch, tag or commit, as it was typed; `None` for the default branch.
        reference: Option<String>,
        /// The directory of the skill; empty for the root, `None` if unknown.
        path: Option<String>,
        /// The full commit, if it was recorded.
        commit: Option<String>,
        /// The git tree id of the directory, if it was recorded.
        tree: Option<String>,
    },
    /// A local directory, as written: relative to the file that has it, or absolute.
    Path(String),
    /// A web site with skills.
    Site(SiteUrl),
    /// ClawHub.
    ClawHub {
        /// The slug, with its owner if that was recorded.
        name: PackageName,
        /// The installed version; `None` for the newest.
        version: Option<Version>,
    },
}

/// The content of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignRecord {
    /// The skills.
    pub claims: Vec<SkillClaim>,
    /// The ids of the agents that it installs skills for.
    pub targets: Vec<&'static str>,
    /// The other entries, which skillpm does not import: `2 MCP servers`.
    pub others: Vec<String>,
}

/// A kind of file that another tool writes.
#[derive(Debug, Clone, Copy)]
pub struct ForeignFile {
    /// Its path, relative to the project; for a user's file, from `~` or a variable.
    pub file: &'static str,
    /// The tool that writes it.
    pub tool: ForeignTool,
    /// A file with the same claims, but exact: if it exists, this one makes no claims.
    pub superseded_by: Option<&'static str>,
    parse: fn(&str) -> Result<ForeignRecord, String>,
}

/// The files that tools write into a project; of two of one tool, the more exact first.
pub static IN_PROJECT: &[ForeignFile] = &[
    ForeignFile {
        file: "skills-lock.json",
        tool: ForeignTool::Skills,
        superseded_by: None,
        parse: skills::parse_project_lock,
    },
    ForeignFile {
        file: "apm.lock.yaml",
        tool: ForeignTool::Apm,
        superseded_by: None,
        parse: apm::parse_lock,
    },
    ForeignFile {
        file: "apm.yml",
        tool: ForeignTool::Apm,
        superseded_by: Some("apm.lock.yaml"),
        parse: apm::parse_manifest,
    },
    ForeignFile {
        file: "agents.lock",
        tool: ForeignTool::Dotagents,
        superseded_by: None,
        parse: dotagents::parse_lock,
    },
    ForeignFile {
        file: "agents.toml",
        tool: ForeignTool::Dotagents,
        superseded_by: Some("agents.lock"),
        parse: dotagents::parse_manifest,
    },
    ForeignFile {
        file: ".clawhub/lock.json",
        tool: ForeignTool::Clawhub,
        superseded_by: None,
        parse: clawhub::parse_lock,
    },
    ForeignFile {
        file: ".clawdhub/lock.json",
        tool: ForeignTool::Clawhub,
        superseded_by: Some(".clawhub/lock.json"),
        parse: clawhub::parse_lock,
    },
];

/// The manifest of npm, in which a project declares skills. Unlike the others it is not the tool's own file.
pub static PACKAGE_JSON: ForeignFile = ForeignFile {
    file: "package.json",
    tool: ForeignTool::Skills,
    superseded_by: None,
    parse: skills::parse_package,
};

/// Whether the text of a `package.json` declares skills.
#[must_use]
pub fn declares_skills(text: &str) -> bool {
    skills::has_declarations(text)
}

/// The files that tools write for a user; the paths begin with `~` or a variable.
pub static OF_USER: &[ForeignFile] = &[
    ForeignFile {
        file: "$XDG_STATE_HOME/skills/.skill-lock.json",
        tool: ForeignTool::Skills,
        superseded_by: None,
        parse: skills::parse_user_lock,
    },
    ForeignFile {
        file: "~/.agents/.skill-lock.json",
        tool: ForeignTool::Skills,
        superseded_by: None,
        parse: skills::parse_user_lock,
    },
    ForeignFile {
        file: "~/.agents/agents.lock",
        tool: ForeignTool::Dotagents,
        superseded_by: None,
        parse: dotagents::parse_lock,
    },
    ForeignFile {
        file: "~/.agents/agents.toml",
        tool: ForeignTool::Dotagents,
        superseded_by: Some("~/.agents/agents.lock"),
        parse: dotagents::parse_manifest,
    },
];

/// The files that tools write into the directory of each skill.
pub static IN_SKILL: &[&str] = &[openskills::FILE, clawhub::ORIGIN, clawhub::FORMER_ORIGIN];

impl ForeignFile {
    /// The kind of a file, by the end of its path.
    #[must_use]
    pub fn from_path(path: &str) -> Option<&'static ForeignFile> {
        // By the end only: a user may name a copy, or a file of another user's home.
        IN_PROJECT
            .iter()
            .chain(OF_USER)
            .chain([&PACKAGE_JSON])
            .find(|kind| kind.matches(path))
    }

    fn matches(&self, path: &str) -> bool {
        let name = self
            .file
            .trim_start_matches("~/.agents/")
            .trim_start_matches("$XDG_STATE_HOME/skills/");
        // With the `/`: `my-skills-lock.json` is another file.
        path == name
            || path
                .strip_suffix(name)
                .is_some_and(|before| before.ends_with('/'))
    }

    /// Parses such a file; `shown` is its name for messages.
    ///
    /// # Errors
    /// If it is invalid or of an unsupported version.
    pub fn read(&self, text: &str, shown: &str) -> Result<ForeignRecord> {
        (self.parse)(text).map_err(|why| self.invalid_file(shown, &why))
    }

    fn invalid_file(&self, shown: &str, why: &str) -> Error {
        Error::usage(format!("failed to parse `{shown}`: {why}"))
            .note(format!(
                "it is a file of {}; nothing was changed",
                self.tool
            ))
            .help(format!(
                "fix it with {}, or skip it: `skillpm import FILE…` imports only the given files",
                self.tool
            ))
    }
}

/// Reads what a tool recorded in the text of a `SKILL.md`; `None` if none did.
#[must_use]
pub fn read_skill_record(text: &str, name: &str) -> Option<SkillClaim> {
    gh::read(text, name)
}

/// Parses the file at `path` inside a skill's directory.
///
/// # Errors
/// If it is invalid or of an unsupported version; `shown` is its name for messages.
pub fn read_skill_file(path: &str, name: &str, text: &str, shown: &str) -> Result<SkillClaim> {
    let parsed = if path == openskills::FILE {
        openskills::read(text, name)
    } else {
        clawhub::parse_origin(text, name)
    };

    parsed.map_err(|why| Error::usage(format!("failed to parse `{shown}`: {why}")))
}

/// A git origin of which only the URL is known.
fn git_origin(url: GitUrl) -> ClaimOrigin {
    ClaimOrigin::Git {
        url,
        reference: None,
        path: None,
        commit: None,
        tree: None,
    }
}

/// Parses a repository: a URL, or `owner/repo` on `host`.
fn parse_repository(text: &str, host: &str) -> Result<GitUrl, String> {
    // `owner/repo`, as opposed to a URL, `git@host:path` or a local path.
    let is_short =
        !text.contains([':', '@']) && text.split('/').count() >= 2 && !text.starts_with(['/', '.']);
    let text = if is_short {
        format!("https://{host}/{text}")
    } else {
        text.to_owned()
    };

    text.parse()
        .map_err(|error: Error| error.message().to_owned())
}

/// Normalizes a directory inside a source: `./skills/pdf/` and `skills/pdf/SKILL.md` become
/// `skills/pdf`; empty for the root.
fn parse_directory(text: &str) -> Result<String, String> {
    // The tools also run on Windows, and write its separators.
    let text = text.replace('\\', "/");
    let text = text.trim_start_matches("./").trim_matches('/');

    let file = text.rsplit('/').next().unwrap_or(text);
    // Some tools record the file, others its directory.
    let dir = if file.eq_ignore_ascii_case("skill.md") {
        &text[..text.len() - file.len()]
    } else {
        text
    };

    let dir = dir.trim_end_matches('/');
    if matches!(dir, "" | ".") {
        return Ok(String::new());
    }

    // A `RelPath` cannot escape the source.
    dir.parse::<RelPath>()
        .map(|path| path.to_string())
        .map_err(|error| error.message().to_owned())
}

/// Parses a time such as `2026-11-22T12:33:49.194Z` to seconds since 1970.
fn parse_timestamp(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(jiff::Timestamp::as_second)
}

/// Formats a count for [`ForeignRecord::others`]: `2 hooks`; `None` for zero.
fn describe_count(number: usize, thing: &str) -> Option<String> {
    let plural = if number == 1 { "" } else { "s" };
    (number > 0).then(|| format!("{number} {thing}{plural}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_normalized() {
        for (written, read) in [
            ("skills/pdf/SKILL.md", "skills/pdf"),
            ("SKILL.md", ""),
            ("./skills/pdf/", "skills/pdf"),
            (".", ""),
            ("", ""),
            ("skills\\pdf\\skill.md", "skills/pdf"),
        ] {
            assert_eq!(parse_directory(written).as_deref(), Ok(read), "{written}");
        }
        assert!(parse_directory("../../etc").is_err());
    }

    #[test]
    fn a_repository_is_a_url_or_a_short_name() {
        let check = |text: &str, url: &str| {
            assert_eq!(parse_repository(text, "github.com").unwrap().as_str(), url);
        };
        check("acme/skills", "https://github.com/acme/skills");
        check(
            "git@github.com:acme/skills.git",
            "git@github.com:acme/skills.git",
        );
        check("https://gitlab.com/a/b/c", "https://gitlab.com/a/b/c");
        check("file:///srv/skills", "file:///srv/skills");
        assert!(
            parse_repository("https://user:hunter2@acme.dev/x", "github.com")
                .is_err_and(|why| !why.contains("hunter2"))
        );
    }

    #[test]
    fn files_are_recognized_by_name_in_any_directory() {
        assert_eq!(
            ForeignFile::from_path("/a/b/skills-lock.json")
                .unwrap()
                .tool,
            ForeignTool::Skills
        );
        assert_eq!(
            ForeignFile::from_path("x/.skill-lock.json").unwrap().file,
            "$XDG_STATE_HOME/skills/.skill-lock.json"
        );
        assert_eq!(
            ForeignFile::from_path(".clawhub/lock.json").unwrap().tool,
            ForeignTool::Clawhub
        );
        assert!(ForeignFile::from_path("package-lock.json").is_none());
        assert!(ForeignFile::from_path("my-skills-lock.json").is_none());
    }
}

use clap::Args;

use super::merging::Merging;
use super::{Newness, Passing, Reach, Rules, Scope, tell};
use crate::cli::Session;
use crate::error::{Error, Result};
use crate::ops::add::{AddOptions, add};
use crate::package::{GitReference, PackageSpec, RelPath, SkillName, parse_requirement};

/// Add skills to the project
///
/// Finds them, writes them into `skillpm.toml`, decides on exact versions
/// (`skillpm.lock`), and installs. A source with many skills needs `--skill NAME`
/// or `--all`; on a terminal you are asked.
///
/// Where a SPEC points is decided by its spelling:
///
///   commit-messages, acme/pdf@^1.2    a registry's package
///   gh:owner/repo, gl:owner/repo      a repository; `@^2` picks a version tag
///   any git URL                       a repository; likewise
///   https://github.com/o/r/tree/REF/skills/x
///                                     a skill, as its web page is addressed
///   ./dir, ../dir, /dir               a directory
///   x.tar.gz, x.zip, x.skill          an archive, by path or URL
///   https://host                      a web site that offers skills
///
/// Examples:
///
///   skillpm add commit-messages
///   skillpm add gh:obra/superpowers --skill brainstorming --version ^3
///   skillpm add ../our-skills --all
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[command(mut_args(|argument| match argument.get_id().as_str() {
    // As for `update`; here they are seldom wanted, and the short help is to fit a screen.
    "merge" | "ours" | "theirs" => argument.hide_short_help(true),
    _ => argument,
}))]
#[expect(clippy::doc_markdown, reason = "the help is read on a terminal")]
pub(in crate::cli) struct Arguments {
    /// Where to find them (repeatable)
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<String>,

    /// Take this skill of a source with many (repeatable)
    #[arg(short, long = "skill", value_name = "NAME", num_args = 1.., conflicts_with = "all")]
    skills: Vec<String>,

    /// Take all skills of a source
    #[arg(long)]
    all: bool,

    /// With --all, leave out what no agent would load
    #[arg(long, requires = "all")]
    keep_going: bool,

    /// Which versions fit, such as ^1.2 or =2.0.1
    #[arg(long = "version", value_name = "REQ", conflicts_with_all = ["tag", "branch", "rev"])]
    req: Option<String>,

    /// The tag of a git source
    #[arg(long, value_name = "TAG", conflicts_with_all = ["branch", "rev"], allow_hyphen_values = true)]
    tag: Option<String>,

    /// The branch of a git source
    #[arg(long, value_name = "BRANCH", conflicts_with = "rev", allow_hyphen_values = true)]
    branch: Option<String>,

    /// The commit of a git source
    #[arg(long, value_name = "COMMIT", allow_hyphen_values = true)]
    rev: Option<String>,

    /// The directory of the skill inside the source
    #[arg(long, value_name = "DIR")]
    path: Option<String>,

    /// The registry to take names from
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<String>,

    /// Install under this name
    #[arg(long = "as", value_name = "NAME")]
    alias: Option<String>,

    /// For work on this package only, not for its users
    #[arg(long)]
    dev: bool,

    /// Install into this agent's directory too (repeatable)
    #[arg(long = "target", value_name = "AGENT")]
    targets: Vec<String>,

    #[command(flatten)]
    merging: Merging,

    #[command(flatten)]
    pub(super) newness: Newness,

    #[command(flatten)]
    pub(super) passing: Passing,

    #[command(flatten)]
    scope: Scope,

    #[command(flatten)]
    reach: Reach,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let options = |edits, high| {
            Ok(AddOptions {
                specs: self.specs.iter().map(|spec| spec.parse()).collect::<Result<Vec<PackageSpec>>>()?,
                skills: self.skills.clone(),
                all: self.all,
                keep_going: self.keep_going,
                req: self.req.as_deref().map(parse_requirement).transpose()?,
                reference: self.reference()?,
                path: self.path.as_deref().map(subdirectory).transpose()?,
                registry: self.registry.clone(),
                alias: self.alias.as_deref().map(str::parse::<SkillName>).transpose()?,
                dev: self.dev,
                targets: self.targets.clone(),
                sort: self.scope.sort(),
                rules: Rules { edits, high, ..self.reach.rules(session) },
            })
        };
        let run = |edits, high| add(&session.context, &options(edits, high)?, &|listed| choose(session, listed));
        let synced = self.merging.run(session, run)?;
        tell(session, &synced)
    }

    fn reference(&self) -> Result<Option<GitReference>> {
        let named = |text: &Option<String>, make: fn(String) -> GitReference| {
            text.as_deref().map(|text| GitReference::checked(text).map(make)).transpose()
        };
        let tag = named(&self.tag, GitReference::Tag)?;
        let branch = named(&self.branch, GitReference::Branch)?;
        Ok(tag.or(branch).or(named(&self.rev, GitReference::Rev)?))
    }
}

fn subdirectory(text: &str) -> Result<RelPath> {
    let trimmed = text.trim_start_matches("./").trim_end_matches('/');
    trimmed.parse().map_err(|error: Error| {
        error.with_kind(crate::error::Kind::Usage).help("name a directory inside the source, such as `skills/pdf`")
    })
}

/// How much of a skill is shown in the checklist, in characters: a terminal of 80 less the marks before it.
const LINE: usize = 72;

/// A checklist, where a person can be asked.
fn choose(session: &Session<'_>, listed: &[(String, String)]) -> Result<Option<Vec<usize>>> {
    if !session.context.interactive {
        return Ok(None);
    }
    if session.yes {
        return Ok(Some((0..listed.len()).collect()));
    }
    session.shell.pause();
    let width = listed.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines: Vec<String> = listed
        .iter()
        .map(|(name, about)| {
            let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
            let line: String = format!("{name:width$}  {about}").chars().take(LINE).collect();
            crate::cli::shell::visible(&line)
        })
        .collect();
    let chosen = inquire::MultiSelect::new("Which skills?", lines)
        .with_page_size(15)
        .with_formatter(&|chosen| {
            chosen.iter().map(|option| listed[option.index].0.as_str()).collect::<Vec<_>>().join(", ")
        })
        .raw_prompt_skippable();
    match chosen {
        Ok(Some(chosen)) if !chosen.is_empty() => Ok(Some(chosen.into_iter().map(|option| option.index).collect())),
        Ok(_) => Err(Error::negative("no skill was chosen")),
        Err(inquire::InquireError::OperationInterrupted) => {
            session.shell.end_line();
            Err(Error::negative("no skill was chosen"))
        }
        Err(cause) => Err(Error::usage(format!("the question could not be asked: {cause}"))),
    }
}

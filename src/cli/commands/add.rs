//! `add`: builds [`AddOptions`] from specs of the command line or of the search, and runs [`add`] again with each answer.

use clap::Args;

use super::add_prompts::AddAnswers;
use super::conflict_args::ConflictArgs;
use super::detect_args::{AgentPrompt, DetectArgs};
use super::info::print_info;
use super::outdated::report_failed;
use super::search_prompt::prompt_for_package;
use super::{OverrideArgs, ReleaseAgeArgs, RunArgs, ScopeArgs, SyncOptions, print_sync_report};
use crate::cli::CliSession;
use crate::error::{Error, Result};
use crate::ops::add::{AddOptions, AddPrompts, add};
use crate::ops::info::InfoOptions;
use crate::ops::sync::{EditPolicy, SeverityAction};
use crate::package::{GitReference, RelPath, SkillName, parse_requirement};

/// Add skills to the project
///
/// Adds them to `skillpm.toml`, resolves exact versions (`skillpm.lock`) and
/// installs them. A source with many skills requires `--skill NAME` or `--all`;
/// on a terminal, skillpm prompts. Without a SPEC it searches as you type, and shows
/// what a package would add before it is added.
///
/// The form of a SPEC decides its source:
///
///   commit-messages, acme/pdf@^1.2    a registry's package
///   gh:owner/repo, gl:owner/repo      a repository; `@^2` picks a version tag
///   any git URL                       a repository; likewise
///   https://github.com/o/r/tree/REF/skills/x
///                                     a skill, by the URL of its web page
///   ./dir, ../dir, /dir               a directory
///   x.tar.gz, x.zip, x.skill          an archive, by path or URL
///   https://host                      a web site that publishes skills
///   clawhub:owner/slug@^1.2           a skill of ClawHub
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
    "merge" | "ours" | "theirs" | "no_detect" => argument.hide_short_help(true),
    _ => argument,
}))]
#[expect(clippy::doc_markdown, reason = "the help is read on a terminal")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct AddArgs {
    /// Packages or sources to add (repeatable)
    #[arg(value_name = "SPEC")]
    specs: Vec<String>,

    /// Add this skill of a source with several (repeatable)
    #[arg(short, long = "skill", value_name = "NAME", num_args = 1.., conflicts_with = "all")]
    skills: Vec<String>,

    /// Add all skills of a source
    #[arg(long)]
    all: bool,

    /// List the skills of a source without adding any
    #[arg(long, requires = "specs", conflicts_with_all = ["skills", "all"])]
    list: bool,

    /// With --all, skip skills that cannot be added
    #[arg(long, requires = "all")]
    keep_going: bool,

    /// Version requirement, such as ^1.2 or =2.0.1
    // `--version` of the program is no global flag, so that the name is free here.
    #[arg(long = "version", value_name = "REQ", conflicts_with_all = ["tag", "branch", "rev"])]
    req: Option<String>,

    /// The tag of a git source
    #[arg(long, value_name = "TAG", conflicts_with_all = ["branch", "rev"], allow_hyphen_values = true)]
    tag: Option<String>,

    /// The branch of a git source
    #[arg(
        long,
        value_name = "BRANCH",
        conflicts_with = "rev",
        allow_hyphen_values = true
    )]
    branch: Option<String>,

    /// The commit of a git source
    #[arg(long, value_name = "COMMIT", allow_hyphen_values = true)]
    rev: Option<String>,

    /// The directory of the skill inside the source
    #[arg(long, value_name = "DIR")]
    path: Option<String>,

    /// The registry to search
    #[arg(long, value_name = "REGISTRY")]
    registry: Option<String>,

    /// Install under this name
    #[arg(long = "as", value_name = "NAME")]
    alias: Option<String>,

    /// Add as a development dependency
    // The other names are those of npm.
    #[arg(long, alias = "save-dev", short_alias = 'D')]
    dev: bool,

    /// Install into this agent's directory (repeatable)
    #[arg(long = "target", alias = "agent", value_name = "AGENT")]
    targets: Vec<String>,

    #[command(flatten)]
    detection: DetectArgs,

    #[command(flatten)]
    merging: ConflictArgs,

    #[command(flatten)]
    pub(super) newness: ReleaseAgeArgs,

    #[command(flatten)]
    pub(super) passing: OverrideArgs,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    reach: RunArgs,
}

impl AddArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        if !self.specs.is_empty() {
            return self.run_with(session, &AddAnswers::new(session, self.reach.dry_run));
        }

        // A "no" to what was found goes back to the search.
        loop {
            let answers = AddAnswers::new(session, self.reach.dry_run);
            let found = prompt_for_package(session, self.registry.as_deref())?;
            let searched = answers.with_search(found.spec.parse()?, found.registry);
            match self.run_with(session, &searched) {
                Err(_) if searched.is_declined() => {}
                ended => return ended,
            }
        }
    }

    fn run_with(&self, session: &CliSession<'_>, answers: &AddAnswers<'_>) -> Result<u8> {
        let agents = AgentPrompt::default();
        let prompts = AddPrompts {
            repository: &|name| answers.is_repository(name),
            skills: &|listed| answers.choose_skills(listed),
            confirm: &|read| answers.confirm(read),
            agents: &|proposals| agents.choose(session, proposals),
        };

        let specs = match answers.searched() {
            Some(spec) => vec![spec.clone()],
            None => self
                .specs
                .iter()
                .map(|spec| spec.parse())
                .collect::<Result<_>>()?,
        };
        if self.list {
            for spec in specs {
                let options = InfoOptions {
                    spec,
                    registry: self.registry.clone(),
                    skill: None,
                };
                print_info(session, &options, false)?;
            }
            return Ok(0);
        }

        let synced = self.merging.run_with_prompts(session, |edits, high| {
            let options = self.options(session, edits, high)?;
            let options = AddOptions {
                specs: specs.clone(),
                registry: answers.registry().or(options.registry),
                ..options
            };
            add(&session.context, &options, prompts)
        })?;
        let code = print_sync_report(session, &synced)?;
        report_failed(session, synced.failed)?;
        Ok(code)
    }

    /// The options of one attempt, without the packages: after an answer to a question, `run_with_prompts` runs the whole command again with
    /// another edit policy.
    fn options(
        &self,
        session: &CliSession<'_>,
        edits: EditPolicy,
        high: SeverityAction,
    ) -> Result<AddOptions> {
        Ok(AddOptions {
            specs: Vec::new(),
            skills: self.skills.clone(),
            all: self.all,
            keep_going: self.keep_going,
            req: self.req.as_deref().map(parse_requirement).transpose()?,
            reference: self.reference()?,
            path: self.path.as_deref().map(parse_subdirectory).transpose()?,
            registry: self.registry.clone(),
            alias: self
                .alias
                .as_deref()
                .map(SkillName::parse_install_name)
                .transpose()?,
            dev: self.dev,
            targets: self.targets.clone(),
            detect: self.detection.is_enabled(session),
            sort: self.scope.workspace_kind(),
            sync_options: SyncOptions {
                edits,
                high,
                ..self.reach.sync_options(session)
            },
        })
    }

    fn reference(&self) -> Result<Option<GitReference>> {
        let named = |text: &Option<String>, make: fn(String) -> GitReference| {
            text.as_deref()
                .map(|text| GitReference::check_name(text).map(make))
                .transpose()
        };

        // At most one of the three is set: clap lets them exclude each other.
        let tag = named(&self.tag, GitReference::Tag)?;
        let branch = named(&self.branch, GitReference::Branch)?;
        Ok(tag.or(branch).or(named(&self.rev, GitReference::Rev)?))
    }
}

fn parse_subdirectory(text: &str) -> Result<RelPath> {
    // As completion of a shell leaves them; neither changes the meaning.
    let trimmed = text.trim_start_matches("./").trim_end_matches('/');
    trimmed.parse().map_err(|error: Error| {
        error
            .with_kind(crate::error::FailureKind::Usage)
            .help("name a directory inside the source, such as `skills/pdf`")
    })
}
